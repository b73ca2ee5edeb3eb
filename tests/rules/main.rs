//! The rules of `docs/rules/`, one test a code: `resources::l7`, `contracts::e6`, `selection::f9`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::cast_possible_truncation, reason = "the numbers are small")]

mod contracts;
mod resources;
mod selection;
