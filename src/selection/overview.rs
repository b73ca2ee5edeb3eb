//! Packages and their items in the order in which they are shown, each with its state: what `list`, `packages` and the
//! Selection pane are made of.

use serde::Serialize;

use super::graph::{ItemId, PackageId};
use super::model::Name;
use super::project::{Location, Package, Project};
use super::reasons::{Reason, Reasons};
use crate::mark::Mark;

/// What became of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// Selected.
    Selected,
    /// Selected, and its slug from another package too.
    Duplicate,
    /// Kept out by an exclude of yours.
    Excluded,
    /// Not taken by a filter of yours.
    FilteredOut,
    /// Nothing asks for it: its package is not opened, or no selected agent names it.
    NotAsked,
}

impl State {
    /// Its mark.
    pub fn mark(self) -> Mark {
        match self {
            State::Selected => Mark::Selected,
            State::Duplicate => Mark::Duplicate,
            State::Excluded => Mark::Excluded,
            State::FilteredOut | State::NotAsked => Mark::Filtered,
        }
    }

    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            State::Selected => "selected",
            State::Duplicate => "duplicate",
            State::Excluded => "excluded by you",
            State::FilteredOut => "filtered out",
            State::NotAsked => "not asked for",
        }
    }
}

/// A package to be shown.
#[derive(Clone, Debug)]
pub struct Row {
    /// The package in the graph; none when its files were not found.
    pub id: Option<PackageId>,
    /// Its key; none for your own.
    pub key: Option<Name>,
    /// Its items, in order.
    pub items: Vec<(ItemId, State)>,
    /// How many of them are selected.
    pub selected: usize,
}

/// The packages: those of the selection in registry order, then those that were not found.
pub fn packages(project: &Project, reasons: &Reasons<'_>) -> Vec<Row> {
    let mut rows = in_graph(reasons);
    let lost = project.packages.iter().filter(|package| matches!(package.location, Location::Nowhere(_)));
    rows.extend(lost.map(|package: &Package| Row {
        id: None,
        key: Some(package.key.clone()),
        items: Vec::new(),
        selected: 0,
    }));
    rows
}

/// The packages of a graph: the reached ones in registry order, then the others by name.
pub fn in_graph(reasons: &Reasons<'_>) -> Vec<Row> {
    let selection = reasons.selection();
    let graph = selection.graph();
    let mut twice = vec![false; graph.item_count()];
    selection.duplicates().iter().flat_map(|one| &one.items).for_each(|item| twice[item.index()] = true);
    let unreached = graph.packages().filter(|&package| !selection.is_reached(package));
    let row = |package: PackageId| {
        let items: Vec<(ItemId, State)> = graph
            .items_of(package)
            .map(|item| {
                let state = match (selection.is_selected(item), twice[item.index()]) {
                    (true, true) => State::Duplicate,
                    (true, false) => State::Selected,
                    (false, _) => absent(reasons, item),
                };
                (item, state)
            })
            .collect();
        let selected = items.iter().filter(|(item, _)| selection.is_selected(*item)).count();
        Row { id: Some(package), key: graph.name(package).cloned(), items, selected }
    };
    selection.order().iter().copied().chain(unreached).map(row).collect()
}

fn absent(reasons: &Reasons<'_>, item: ItemId) -> State {
    match reasons.why_not(item).first() {
        Some(Reason::Excluded { .. }) => State::Excluded,
        Some(Reason::FilteredOut { .. }) => State::FilteredOut,
        _ => State::NotAsked,
    }
}
