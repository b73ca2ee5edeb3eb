//! What a change of rows comes to, in words: the same for a write that is planned, for one that is undone or redone, and
//! in the list of what was written.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::{Registry, RowChange, counted};
use crate::resources::model::{Link, Named, Resource, ResourceId};

/// What becomes of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Becomes {
    /// It is made.
    Added,
    /// It is there, and other than before.
    Changed,
    /// It goes.
    Removed,
}

impl Becomes {
    /// The mark before what it becomes of.
    pub fn mark(self) -> &'static str {
        match self {
            Becomes::Added => "+",
            Becomes::Changed => "~",
            Becomes::Removed => "-",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Becomes::Added => "added",
            Becomes::Changed => "changed",
            Becomes::Removed => "removed",
        }
    }
}

/// A row that a write adds, changes or removes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowTold {
    /// What becomes of it.
    pub becomes: Becomes,
    /// The row: `link local/atlas (git-checkout) -> local/guides (fs-directory)`.
    pub row: String,
}

/// The rows of a write: resources, then links, then types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The first of them.
    pub rows: Vec<RowTold>,
    /// How many more there are.
    pub more: usize,
}

impl Registry {
    /// The rows of a change in words, no more than `most` of them. What the change itself does not name is called as it is
    /// called in this registry now.
    pub fn told(&self, changes: &[RowChange], most: usize) -> Told {
        told(changes, most, |id| self.named(id).ok())
    }
}

/// How many rows of each kind are added, changed and removed: `1 resource added · 2 links removed`.
pub fn effect(changes: &[RowChange]) -> String {
    let mut said = Vec::new();
    for kind in KINDS {
        for becomes in [Becomes::Added, Becomes::Changed, Becomes::Removed] {
            let alike = |change: &&RowChange| kind_of(change) == kind && becomes_of(change) == Some(becomes);
            let count = changes.iter().filter(alike).count() as u64;
            if count > 0 {
                said.push(format!("{} {}", counted(count, kind), becomes.word()));
            }
        }
    }
    said.join(" · ")
}

const KINDS: [&str; 3] = ["resource", "link", "type"];

fn kind_of(change: &RowChange) -> &'static str {
    match change {
        RowChange::Resource { .. } => KINDS[0],
        RowChange::Link { .. } => KINDS[1],
        RowChange::Type { .. } => KINDS[2],
    }
}

fn becomes_of(change: &RowChange) -> Option<Becomes> {
    let (before, after) = match change {
        RowChange::Resource { before, after, .. } => (before.is_some(), after.is_some()),
        RowChange::Link { before, after, .. } => (before.is_some(), after.is_some()),
        RowChange::Type { before, after } => (before.is_some(), after.is_some()),
    };
    match (before, after) {
        (false, true) => Some(Becomes::Added),
        (true, true) => Some(Becomes::Changed),
        (true, false) => Some(Becomes::Removed),
        (false, false) => None,
    }
}

pub(super) fn told(changes: &[RowChange], most: usize, find: impl Fn(&ResourceId) -> Option<Named>) -> Told {
    let ordered = KINDS.iter().flat_map(|kind| changes.iter().filter(move |change| kind_of(change) == *kind));
    let first: Vec<&RowChange> = ordered.take(most).collect();
    let ends = first.iter().filter_map(|change| match change {
        RowChange::Link { before, after, .. } => before.as_ref().or(after.as_ref()),
        _ => None,
    });
    let wanted: HashSet<&ResourceId> = ends.flat_map(|link| [&link.parent_id, &link.child_id]).collect();
    // what is renamed is called as before
    let resources = changes.iter().filter_map(|change| match change {
        RowChange::Resource { before, after, .. } => before.as_ref().or(after.as_ref()),
        _ => None,
    });
    let here: HashMap<&ResourceId, Named> =
        resources.filter(|it| wanted.contains(&it.id)).map(|it| (&it.id, it.named())).collect();
    let call =
        |id: &ResourceId| here.get(id).cloned().or_else(|| find(id)).unwrap_or_else(|| Named::missing(id.clone()));
    let rows =
        first.iter().filter_map(|change| Some(RowTold { becomes: becomes_of(change)?, row: row(change, &call) }));
    Told { rows: rows.collect(), more: changes.len().saturating_sub(most) }
}

fn row(change: &RowChange, call: &impl Fn(&ResourceId) -> Named) -> String {
    match change {
        RowChange::Resource { before: Some(before), after: Some(after), .. } => {
            format!("resource {}: {}", typed(&before.named()), facts(before, after))
        }
        RowChange::Resource { before, after, .. } => {
            let resource = before.as_ref().or(after.as_ref());
            format!("resource {}", resource.map(|it| typed(&it.named())).unwrap_or_default())
        }
        RowChange::Link { before, after, .. } => {
            let ends = |link: &Link| format!("{} -> {}", typed(&call(&link.parent_id)), typed(&call(&link.child_id)));
            format!("link {}", before.as_ref().or(after.as_ref()).map(ends).unwrap_or_default())
        }
        RowChange::Type { before, after } => {
            format!("type {}", before.as_ref().or(after.as_ref()).map(|it| it.name.as_str()).unwrap_or_default())
        }
    }
}

/// A name and its type; what has no name is called by its type already.
fn typed(named: &Named) -> String {
    match (&named.name, named.type_name.as_str()) {
        (Some(name), kind) => format!("{name} ({kind})"),
        (None, "") => format!("{} (no such resource)", named.id),
        (None, _) => named.to_string(),
    }
}

/// The facts in which two forms of a resource differ.
fn facts(before: &Resource, after: &Resource) -> String {
    let quoted = |text: &Option<String>| text.as_ref().map_or_else(|| "none".to_owned(), |text| format!("“{text}”"));
    let fact = |what: &str, one: &Option<String>, other: &Option<String>| {
        (one != other).then(|| format!("{what} {} -> {}", quoted(one), quoted(other)))
    };
    let kind = |it: &Resource| Some(it.type_name.clone());
    let changed = [
        fact("name", &before.name, &after.name),
        fact("type", &kind(before), &kind(after)),
        fact("location", &before.location, &after.location),
        fact("description", &before.description, &after.description),
        fact("properties", &before.properties_json, &after.properties_json),
    ];
    changed.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::registry::TypeRow;

    fn resource(id: &str, name: Option<&str>, type_name: &str) -> Resource {
        Resource {
            id: id.into(),
            name: name.map(str::to_owned),
            type_name: type_name.to_owned(),
            location: None,
            description: None,
            properties_json: None,
            auto_discovered: false,
            created_at: String::new(),
        }
    }

    fn link(parent: &str, child: &str) -> Link {
        Link { parent_id: parent.into(), child_id: child.into(), created_at: String::new() }
    }

    fn of(before: Option<Resource>, after: Option<Resource>) -> RowChange {
        RowChange::Resource { before: before.map(Box::new), after: after.map(Box::new), rest: serde_json::Map::new() }
    }

    fn sample() -> Vec<RowChange> {
        let renamed = Resource { description: Some("d".into()), ..resource("B", Some("b2"), "fs-file") };
        let kind = TypeRow { name: "t".into(), spec_json: String::new(), built_in: false, created_at: String::new() };
        vec![
            RowChange::Link { before: Some(link("A", "GONE")), after: None, mended: false },
            RowChange::Link { before: None, after: Some(link("A", "B")), mended: false },
            of(None, Some(resource("A", Some("a"), "fs-directory"))),
            of(Some(resource("B", Some("b"), "fs-file")), Some(renamed)),
            of(Some(resource("0123456789", None, "fs-mount")), None),
            RowChange::Type { before: None, after: Some(kind) },
        ]
    }

    #[test]
    fn every_row_is_told_resources_first_and_links_by_the_names_of_both_ends() {
        let told = told(&sample(), 9, |_| None);
        let said: Vec<String> = told.rows.iter().map(|row| format!("{} {}", row.becomes.mark(), row.row)).collect();
        assert_eq!(
            said,
            [
                "+ resource a (fs-directory)",
                "~ resource b (fs-file): name “b” -> “b2”, description none -> “d”",
                "- resource fs-mount …456789",
                "- link a (fs-directory) -> GONE (no such resource)",
                "+ link a (fs-directory) -> b (fs-file)",
                "+ type t",
            ]
        );
        assert_eq!(told.more, 0);
    }

    #[test]
    fn of_many_rows_the_first_are_told_and_how_many_more_there_are() {
        let told = told(&sample(), 2, |_| None);
        assert_eq!((told.rows.len(), told.more), (2, 4));
    }

    #[test]
    fn what_the_change_does_not_name_is_looked_up() {
        let changes = [RowChange::Link { before: None, after: Some(link("A", "B")), mended: false }];
        let told = told(&changes, 9, |id| Some(resource(id.as_str(), Some("x"), "t").named()));
        assert_eq!(told.rows[0].row, "link x (t) -> x (t)");
    }

    #[test]
    fn what_comes_of_it_is_counted_by_kind() {
        let said =
            "1 resource added · 1 resource changed · 1 resource removed · 1 link added · 1 link removed · 1 type added";
        assert_eq!(effect(&sample()), said);
        assert_eq!(effect(&[]), "");
    }
}
