//! The texts a fix suggests for a new contract, and how to tell that nobody has replaced them yet.

use super::model::Contract;
use crate::text::visible;

/// How every suggested description ends.
const DESCRIPTION_END: &str = ", still to be written.";
/// How every text that holds a place begins.
const TO_BE_WRITTEN: &str = "To be written: ";

/// The headings of a new contract, each with the text that holds its place.
pub(super) const SECTIONS: [(&str, &str); 3] = [
    ("Purpose", "To be written: what this directory is for, and what does not belong in it."),
    ("Structure", "To be written: what lies where."),
    ("Naming conventions", "To be written: how the files and folders in it are named."),
];

/// The title suggested for a folder: its name, in one line.
pub(super) fn title(folder: &str) -> String {
    visible(folder.rsplit('/').next().unwrap_or_default()).into_owned()
}

/// The description suggested for a folder.
pub(super) fn description(folder: &str) -> String {
    format!("What {} is for{DESCRIPTION_END}", visible(folder))
}

/// The body of a new contract.
pub(super) fn body(title: &str) -> String {
    let sections = SECTIONS.map(|(heading, text)| format!("\n## {heading}\n\n{text}\n"));
    format!("\n# {title}\n{}", sections.concat())
}

/// What in a document is still as suggested: `title`, `description`, headings. A title alone says nothing, since a
/// folder's name may well be its best title.
pub(super) fn remaining(folder: &str, contract: &Contract, body: &str) -> Vec<String> {
    // looked for first, since nearly every document holds neither
    let described = contract.description.as_deref().is_some_and(|text| text.ends_with(DESCRIPTION_END));
    if !described && !body.contains(TO_BE_WRITTEN) {
        return Vec::new();
    }
    let mut left = Vec::new();
    if contract.description.as_deref() == Some(&description(folder)) {
        left.push("description".to_owned());
    }
    let kept = SECTIONS.iter().filter(|(_, text)| body.contains(text));
    left.extend(kept.map(|(heading, _)| format!("`{heading}`")));
    if !left.is_empty() && contract.title.as_deref() == Some(&title(folder)) {
        left.insert(0, "title".to_owned());
    }
    left
}
