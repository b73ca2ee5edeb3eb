//! The laws: properties that hold for every input, and random inputs answered twice, by the library and by a plain,
//! slow reading of the rules that is kept here.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::too_many_lines,
    clippy::items_after_statements,
    clippy::needless_for_each,
    reason = "a plain reading is written as the rules are, in one piece; its numbers are small"
)]

mod contracts;
mod resources;
mod selection;
