//! The laws: properties that hold for every input, and random inputs answered twice, by the library and by a plain,
//! slow reading of the rules that is kept here.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod contracts;
mod resources;
mod selection;
