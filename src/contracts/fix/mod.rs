//! Settling what is owed: plans of writes, each with the states and tallies that would follow.
//!
//! Planning is pure: it works on a layer's data, makes the new documents, and works the index out anew with them.
//! [`carry_out`] is the edge: it writes, reads the layer back and rolls back when the result is not the previewed one.

mod release;
mod repair;
mod write;

use std::sync::Arc;

use serde::Serialize;

use super::error::Error;
use super::index::Index;
use super::layer::{Layer, LayerPlace};
use super::model::{Contract, Document, RepoPath, Scope, State, Tallies};
use super::resolve::Misnamed;
use super::tree::FolderId;
use crate::edit::{self, FileEdit, Journal, Plan};

pub use repair::{Mended, mended};
pub use write::form;

/// How to settle a directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// Write its contract.
    #[default]
    Write,
    /// Exempt it and what is below it, in the contract that governs it or the nearest above.
    Exempt,
    /// Let the nearest contract above say that none is required below.
    Lift,
}

impl Way {
    /// Every way.
    pub const ALL: [Way; 3] = [Way::Write, Way::Exempt, Way::Lift];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Way::Write => "write",
            Way::Exempt => "exempt",
            Way::Lift => "lift",
        }
    }

    /// What it is done to, after the word.
    pub fn object(self) -> &'static str {
        match self {
            Way::Write => "its contract, in a file of its own",
            Way::Exempt => "it and what is below it, in a contract above it",
            Way::Lift => "the requirement, in the contract above it",
        }
    }

    /// The way a word stands for.
    pub fn of(word: &str) -> Option<Way> {
        Way::ALL.into_iter().find(|way| way.word() == word)
    }
}

/// Which directories to settle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Targets {
    /// These, by their paths.
    These(Vec<String>),
    /// Every owed one that has no broken document.
    AllOwed,
}

/// What a new contract will say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Form {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it is about, in a line.
    pub description: String,
    /// Where it applies.
    pub scope: Scope,
    /// Its place among contracts of one depth.
    pub order: i64,
}

/// What a person wants a new contract to say; the best guess where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Its id; for one directory only.
    pub id: Option<String>,
    /// Its title; for one directory only.
    pub title: Option<String>,
    /// What it is about, in a line.
    pub description: Option<String>,
    /// Where it applies.
    pub scope: Option<Scope>,
    /// Its place among contracts of one depth.
    pub order: Option<i64>,
}

impl From<Form> for Wishes {
    fn from(form: Form) -> Wishes {
        Wishes {
            id: Some(form.id),
            title: Some(form.title),
            description: Some(form.description),
            scope: Some(form.scope),
            order: Some(form.order),
        }
    }
}

/// A directory whose state a fix changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The directory.
    pub path: RepoPath,
    /// Its state before; none when it was no directory of the layer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<State>,
    /// Its state after; none when it is a directory of the layer no more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<State>,
}

/// A directory that a fix of all leaves as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Left {
    /// The directory.
    pub path: RepoPath,
    /// Why.
    pub why: String,
}

/// A fix that has been thought out and not yet done.
#[derive(Clone, Debug)]
pub struct FixPlan {
    /// The files it writes.
    pub plan: Plan,
    /// The counts before.
    pub before: Tallies,
    /// The counts after.
    pub after: Tallies,
    /// The directories whose state changes, in byte order.
    pub states: Vec<Change>,
    /// The directories it leaves as they are.
    pub left: Vec<Left>,
    /// What is done in words, where a diff does not say it well.
    pub notes: Vec<String>,
    /// The layer as it will be.
    pub preview: Arc<Index>,
}

/// The ways there are to settle directories: where there is no contract above one of them, writing is the only one.
pub fn ways(layer: &Layer, directories: &[String]) -> Vec<Way> {
    let above = |way| directories.iter().all(|directory| release::has_contract_above(&layer.index, directory, way));
    Way::ALL.into_iter().filter(|&way| way == Way::Write || above(way)).collect()
}

/// Plans a fix.
///
/// # Errors
/// [`Error::NotFound`], [`Error::Path`] and [`Error::Outside`] for what is no directory of the layer; [`Error::NothingOwed`] for one that
/// has a contract; [`Error::Broken`] for one whose document is broken; [`Error::Value`] for a wish that no contract may
/// hold; [`Error::NoContractAbove`] when there is nothing to exempt it in; [`Error::IllegalOverride`] where a requirement
/// may not be lifted; [`Error::Uneditable`] for a document that is written in a way that cannot be edited safely.
pub fn plan(layer: &Layer, targets: &Targets, way: Way, wishes: &Wishes) -> Result<FixPlan, Error> {
    let planned = match way {
        Way::Write => write::plan(layer, targets, wishes),
        Way::Exempt | Way::Lift => release::plan(layer, targets, way),
    };
    planned.map_err(|error| outside(layer, error))
}

/// Plans the repair of a document; a folder stands for the broken one in it.
///
/// # Errors
/// [`Error::Path`], [`Error::Outside`] and [`Error::NotFound`] for what is no document of the layer; [`Error::Unmendable`] when nothing is
/// wrong with it, or something that only a person can settle.
pub fn repair(layer: &Layer, path: &str) -> Result<FixPlan, Error> {
    repair::repair(layer, path).map_err(|error| outside(layer, error))
}

/// What is named outside the layer is refused as a write outside of it.
fn outside(layer: &Layer, error: Error) -> Error {
    match error {
        Error::Path { path, why: Misnamed::Outside { similar, .. } } => {
            Error::Outside { file: layer.place.top.join(path), root: layer.place.folder(), similar }
        }
        other => other,
    }
}

/// Writes a plan: refused when a file changed or appeared since, rolled back when the layer, read again, is not the
/// previewed one.
///
/// # Errors
/// [`Error::Edit`]; the files are then as they were.
pub fn carry_out(fix: &FixPlan, place: &LayerPlace, journal: &Journal) -> Result<(), Error> {
    check(fix)?;
    edit::carry_out(&fix.plan, journal, || {
        let now = Layer::read(place);
        if now.index.tallies() != fix.after {
            return Err(format!("the layer would have {} and has {}", told(fix.after), told(now.index.tallies())));
        }
        let state = |index: &Index, path: &RepoPath| {
            let folder = index.find(path.as_bytes()).map(|folder| index.standing(folder));
            folder.filter(|standing| standing.listed).map(|standing| standing.state)
        };
        match fix.states.iter().find(|change| state(&now.index, &change.path) != change.after) {
            Some(change) => Err(format!("{} is not in the state that was previewed", change.path)),
            None => Ok(()),
        }
    })?;
    Ok(())
}

/// Whether a plan could be carried out now: nothing is written outside the layer, through a link or over a file.
///
/// # Errors
/// [`Error::Edit`].
pub fn check(fix: &FixPlan) -> Result<(), Error> {
    fix.plan.check()?;
    for edit in fix.plan.edits.iter().filter(|edit| edit.before.is_none()) {
        if edit.file.symlink_metadata().is_ok() {
            return Err(edit::Error::AlreadyExists { file: edit.file.clone() }.into());
        }
    }
    Ok(())
}

fn told(tallies: Tallies) -> String {
    let Tallies { documented, exempt, owed, .. } = tallies;
    format!("{documented} documented, {exempt} exempt, {owed} owed directories")
}

/// The plan of these edits, with what follows from the documents they make.
fn preview(layer: &Layer, label: String, edits: Vec<FileEdit>, preview: Index, left: Vec<Left>) -> FixPlan {
    let before = layer.index.tallies();
    FixPlan {
        plan: Plan { label, root: layer.place.top.clone(), edits },
        before,
        after: preview.tallies(),
        states: changes(&layer.index, &preview),
        left,
        notes: Vec::new(),
        preview: Arc::new(preview),
    }
}

/// The directories that two indexes see in different states, in byte order.
pub fn changes(before: &Index, after: &Index) -> Vec<Change> {
    let state = |index: &Index, folder: Option<FolderId>| {
        let standing = folder.map(|folder| index.standing(folder));
        standing.filter(|standing| standing.listed).map(|standing| standing.state)
    };
    let mut changes: Vec<Change> = Vec::new();
    for folder in after.preorder() {
        let path = after.path(folder);
        let (old, new) = (state(before, before.find(path.as_bytes())), state(after, Some(folder)));
        if old != new {
            changes.push(Change { path: path.clone(), before: old, after: new });
        }
    }
    for folder in before.preorder().filter(|folder| after.find(before.path(*folder).as_bytes()).is_none()) {
        let old = state(before, Some(folder));
        if old.is_some() {
            changes.push(Change { path: before.path(folder).clone(), before: old, after: None });
        }
    }
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

/// The first document of a folder that counts for nothing.
fn broken_in(index: &Index, folder: FolderId) -> Option<&Arc<Document>> {
    use super::index::Fate;
    let lost = index.documents_in(folder).find(|id| matches!(index.fate(*id), Fate::Dropped(_)));
    lost.map(|id| index.document(id))
}

/// Every id that a sound document claims.
fn ids(index: &Index) -> std::collections::HashSet<String> {
    let contracts = index.documents().filter_map(|id| index.document(id).contract.as_ref().ok());
    contracts.map(|Contract { id, .. }| id.clone()).collect()
}
