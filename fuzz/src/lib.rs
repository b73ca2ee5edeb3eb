//! What every reader of dagwood is held to, whatever it is given: a function a reader. `cargo fuzz` (nightly) calls
//! them with what it makes up, and `cargo test --test hostile` (stable) with the corpus and mutations of it, so the two
//! cannot drift apart. A function that comes back has found nothing wrong; otherwise it panics.

mod contracts;
mod documents;
mod keys;
mod registry;
mod selection;
mod types;
pub mod workspace;

pub use contracts::contract;
pub use documents::{graph, json};
pub use keys::keys;
pub use registry::registry;
pub use selection::{item, lock, manifest, plugin};
pub use types::type_file;

/// Panics unless a place is one of a text: a line of it, and a character of that line or the place after the last one.
fn is_in(text: &[u8], line: Option<usize>, column: Option<usize>) {
    let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    let Some(line) = line else { return };
    assert!((1..=lines.len()).contains(&line), "line {line} of {}", lines.len());
    if let Some(column) = column {
        let characters = String::from_utf8_lossy(lines[line - 1]).chars().count();
        assert!((1..=characters + 1).contains(&column), "column {column} of {characters} in line {line}");
    }
}

/// Panics when a text holds what steers a terminal.
fn is_visible(text: &str) {
    for line in text.split('\n') {
        assert_eq!(dagwood::text::visible(line), line);
    }
}
