//! What a row of a pane stands for and shows, as plain data. One form for all four panes, so that moving, folding,
//! filtering and painting are written once.

use std::sync::Arc;

use compact_str::CompactString;

use super::outline::NodeId;
use crate::finding::Finding;
pub use crate::mark::Mark;

/// The thing a row or a line stands for: what details are asked about, and what acting acts on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A heading within a pane.
    Group(String),
    /// A resource, by id.
    Resource(String),
    /// A resource type, by name.
    Type(String),
    /// A directory of the layer, by its path from the repository's root.
    Directory(String),
    /// A package of the selection; the project itself is the empty name.
    Package(String),
    /// An item of a package.
    Item(Box<ItemSubject>),
    /// A skill that an agent names and nobody ships.
    MissingSkill(Box<MissingSubject>),
    /// A finding.
    Finding(Arc<Finding>),
}

/// An item that a row stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ItemSubject {
    /// The package; empty for the project's own.
    pub package: String,
    /// The kind as in JSON (`agent`).
    pub kind: String,
    /// The slug.
    pub slug: String,
}

/// A skill that a row stands for, which an agent names and nobody ships.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MissingSubject {
    /// The agent's package; empty for the project's own.
    pub package: String,
    /// The agent.
    pub agent: String,
    /// The skill.
    pub skill: String,
}

/// What a row shows. There may be a million of them, so it is kept small: short texts lie in it, rare ones elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// What it stands for.
    pub subject: Subject,
    /// The mark in front.
    pub mark: Mark,
    /// The name; not escaped.
    pub name: CompactString,
    /// The right-hand column: a type, a count; not escaped. Dropped first where room is short.
    pub note: CompactString,
    /// How many parents it has; shown from two on.
    pub parents: u32,
    /// Where else this same thing stands.
    pub occurrence: Occurrence,
}

/// Whether a row is the first one of its thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Occurrence {
    /// The first or only one.
    #[default]
    First,
    /// The thing also stands elsewhere: this is the first node of it.
    AlsoAt(NodeId),
    /// The thing stands among its own ancestors: the row cannot be opened.
    Cycle,
}

impl Entry {
    /// A row with a mark, a name and a right-hand column.
    pub fn new(subject: Subject, mark: Mark, name: impl Into<CompactString>, note: impl Into<CompactString>) -> Entry {
        Entry { subject, mark, name: name.into(), note: note.into(), parents: 0, occurrence: Occurrence::First }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_takes_little_of_its_own() {
        assert!(size_of::<Entry>() <= 96, "{} bytes, of which there are a million", size_of::<Entry>());
    }
}
