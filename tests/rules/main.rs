//! The rules of `docs/rules/`, one test a code: `resources::l7`, `contracts::e6`, `selection::f9`.

mod contracts;
mod resources;
mod selection;
