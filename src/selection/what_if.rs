//! What if: other lines of yours, tried in memory, and what would come and go. Pure; the packages are shared with the
//! graph that is tried, so a try costs one selection.
//!
//! Trying never reads further packages: what a line of yours could bring is what the graph holds already.

use std::collections::HashSet;

use super::graph::{Entry, EntryId, Graph, ItemId};
use super::model::{Filter, Kind, Name};
use super::select::{Selection, select};
use crate::error::{Code, Coded};
use crate::text::near;

/// A change of one of your lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Try {
    /// The line is gone.
    Drop {
        /// Its key.
        key: Name,
    },
    /// The line has another filter.
    Filter {
        /// Its key.
        key: Name,
        /// The filter.
        filter: Filter,
    },
    /// The line leaves an item out.
    Exclude {
        /// Its key.
        key: Name,
        /// The item's slug or path.
        item: Name,
    },
    /// The line takes an item in.
    Include {
        /// Its key.
        key: Name,
        /// The item's slug or path.
        item: Name,
    },
}

impl Try {
    /// The key of the line it changes.
    pub fn key(&self) -> &Name {
        match self {
            Try::Drop { key } | Try::Filter { key, .. } | Try::Exclude { key, .. } | Try::Include { key, .. } => key,
        }
    }

    /// The try in a few words.
    pub fn words(&self) -> String {
        match self {
            Try::Drop { key } => format!("drop {key}"),
            Try::Filter { key, filter } => format!("{key}: {filter}"),
            Try::Exclude { key, item } => format!("exclude {item} from {key}"),
            Try::Include { key, item } => format!("include {item} from {key}"),
        }
    }
}

/// Why something cannot be tried.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No line of yours has that key.
    #[error("no line of yours names `{key}`{}", guess(similar.as_deref()))]
    NoLine {
        /// The key.
        key: Name,
        /// One that is like it.
        similar: Option<String>,
    },
    /// The package's files were not found, so nothing is known of its items.
    #[error(
        "the package `{key}` was not found, so its items are not known; `dagwood selection packages` says where it was looked for"
    )]
    NotFound {
        /// The key.
        key: Name,
    },
    /// The package has no such item.
    #[error("`{key}` has no item of slug or path `{item}`{}", guess(similar.as_deref()))]
    NoItem {
        /// The key.
        key: Name,
        /// What was asked for.
        item: Name,
        /// One that is like it.
        similar: Option<String>,
    },
    /// The filter of the line cannot say it.
    #[error("the filter of `{key}` ({filter}) cannot {what}; give the line another filter")]
    Filter {
        /// The key.
        key: Name,
        /// The filter.
        filter: Filter,
        /// What it cannot do.
        what: String,
    },
}

fn guess(similar: Option<&str>) -> String {
    similar.map_or(String::new(), |similar| format!("; did you mean `{similar}`?"))
}

impl Coded for Error {
    fn code(&self) -> Code {
        match self {
            Error::NoLine { .. } | Error::NotFound { .. } | Error::NoItem { .. } => Code::NotFound,
            Error::Filter { .. } => Code::InvalidInput,
        }
    }

    fn fields(&self) -> serde_json::Map<String, serde_json::Value> {
        let fields = match self {
            Error::NoLine { key, similar } => serde_json::json!({"key": key, "similar": similar}),
            Error::NoItem { key, item, similar } => serde_json::json!({"key": key, "item": item, "similar": similar}),
            Error::Filter { key, .. } | Error::NotFound { key } => serde_json::json!({"key": key}),
        };
        fields.as_object().cloned().unwrap_or_default()
    }
}

impl Graph {
    /// The graph with some of your lines changed, one try after the other.
    ///
    /// # Errors
    /// The first try that cannot be made.
    pub fn try_out(&self, tries: &[Try]) -> Result<Graph, Error> {
        let mut entries: Vec<Entry> = self.entries().map(|(_, entry)| entry.clone()).collect();
        for one in tries {
            let key = one.key();
            if !entries.iter().any(|entry| entry.line.name == *key) {
                let similar = near(key, entries.iter().map(|entry| &*entry.line.name), 1);
                return Err(Error::NoLine { key: key.clone(), similar: similar.first().map(ToString::to_string) });
            }
            if let Try::Drop { .. } = one {
                entries.retain(|entry| entry.line.name != *key);
                continue;
            }
            for entry in entries.iter_mut().filter(|entry| entry.line.name == *key) {
                entry.line.filter = self.filter_after(entry, one)?;
            }
        }
        Ok(self.with_entries(entries))
    }

    /// The graph without one of your lines.
    #[must_use]
    pub fn without(&self, line: EntryId) -> Graph {
        let others = self.entries().filter(|(id, _)| *id != line);
        self.with_entries(others.map(|(_, entry)| entry.clone()).collect())
    }

    /// The filter of a line after a try.
    fn filter_after(&self, entry: &Entry, one: &Try) -> Result<Filter, Error> {
        let (key, item, leave_out) = match one {
            Try::Filter { filter, .. } => return Ok(filter.clone()),
            Try::Drop { .. } => return Ok(entry.line.filter.clone()),
            Try::Exclude { key, item } => (key, item, true),
            Try::Include { key, item } => (key, item, false),
        };
        let hit = self.hit(entry, key, item)?;
        let cannot = |what: String| Err(Error::Filter { key: key.clone(), filter: entry.line.filter.clone(), what });
        let slugs =
            |kind: Kind| hit.iter().filter(move |&&id| self.item(id).kind == kind).map(|&id| &self.item(id).slug);
        let is_hit = |kind: Kind, name: &Name| slugs(kind).any(|slug| slug == name);
        let mut filter = entry.line.filter.clone();
        match (&mut filter, leave_out) {
            (Filter::All, true) => filter = Filter::Exclude(vec![item.clone()]),
            (Filter::Exclude(names), true) => {
                if !names.contains(item) {
                    names.push(item.clone());
                }
            }
            (Filter::Include { agents, skills }, true) => {
                if hit.iter().all(|&id| !matches!(self.item(id).kind, Kind::Agent | Kind::Skill)) {
                    return cannot(format!("leave out `{item}`, which no list names"));
                }
                agents.retain(|name| !is_hit(Kind::Agent, name));
                skills.retain(|name| !is_hit(Kind::Skill, name));
            }
            (Filter::OnlySkills | Filter::OnlyAgents, true) => return cannot(format!("leave out `{item}`")),
            (Filter::All, false) => {}
            (Filter::Exclude(names), false) => {
                let hits =
                    |name: &Name| hit.iter().any(|&id| self.item(id).slug == *name || self.item(id).path == *name);
                names.retain(|name| !hits(name));
            }
            (Filter::Include { agents, skills }, false) => {
                if hit.iter().all(|&id| self.item(id).kind == Kind::Hook) {
                    return cannot(format!("take the hook `{item}` in"));
                }
                for (kind, names) in [(Kind::Agent, agents), (Kind::Skill, skills)] {
                    for slug in slugs(kind) {
                        if !names.contains(slug) {
                            names.push(slug.clone());
                        }
                    }
                }
            }
            (only @ (Filter::OnlySkills | Filter::OnlyAgents), false) => {
                let taken = if *only == Filter::OnlySkills { Kind::Skill } else { Kind::Agent };
                if hit.iter().any(|&id| self.item(id).kind != taken) {
                    return cannot(format!("take `{item}` in"));
                }
            }
        }
        Ok(filter)
    }

    /// The items of a line's package that a slug or path names.
    fn hit(&self, entry: &Entry, key: &Name, item: &Name) -> Result<Vec<ItemId>, Error> {
        let package = entry.line.target.ok_or_else(|| Error::NotFound { key: key.clone() })?;
        let items = || self.items_of(package);
        let hit: Vec<ItemId> =
            items().filter(|&id| self.item(id).slug == *item || self.item(id).path == *item).collect();
        if hit.is_empty() {
            let similar = near(item, items().map(|id| &*self.item(id).slug), 1);
            let similar = similar.first().map(ToString::to_string);
            return Err(Error::NoItem { key: key.clone(), item: item.clone(), similar });
        }
        Ok(hit)
    }
}

/// What a try changes.
#[derive(Clone, Debug)]
pub struct Effect {
    /// The selection as it would be.
    pub after: Selection,
    /// The items that would come, in the order of the new result.
    pub come: Vec<ItemId>,
    /// The items that would go, in the order of the old result.
    pub go: Vec<ItemId>,
    /// The refs that would be missing and are not: skill and definition.
    pub newly_missing: Vec<(Name, ItemId)>,
    /// The refs that are missing and would not be.
    pub no_longer_missing: Vec<(Name, ItemId)>,
}

/// What changes from a selection to that of another graph of the same packages (one that [`Graph::try_out`] gave).
pub fn effect(before: &Selection, changed: &Graph) -> Effect {
    let after = select(changed);
    let come = after.items().iter().copied().filter(|&item| !before.is_selected(item)).collect();
    let go = before.items().iter().copied().filter(|&item| !after.is_selected(item)).collect();
    let only_in = |one: &Selection, other: &Selection| {
        let known: HashSet<_> = other.missing().iter().map(|missing| missing.reference).collect();
        let new = one.missing().iter().filter(|missing| !known.contains(&missing.reference));
        new.map(|missing| (missing.skill.clone(), missing.requester)).collect()
    };
    Effect { come, go, newly_missing: only_in(&after, before), no_longer_missing: only_in(before, &after), after }
}

/// The items that are selected only through a line of yours: those that go when it is dropped.
pub fn only_through(selection: &Selection, line: EntryId) -> Vec<ItemId> {
    effect(selection, &selection.graph().without(line)).go
}
