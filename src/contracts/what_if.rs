//! Trying a change without writing it: the index as it would be, and which states and chains would change.

use std::sync::Arc;

use super::explain::{exempting, lifting};
use super::fix::{Change, changes};
use super::index::{DocumentId, Index};
use super::model::{RepoPath, Scope, State, Status};
use super::resolve::chain;
use super::tree::FolderId;

/// A change to try.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Try {
    /// Exempt a directory and what is below it, in the contract that governs it or the nearest above.
    Exempt(RepoPath),
    /// Let the nearest contract above a directory require none.
    Lift(RepoPath),
    /// Deprecate a contract, named by its document.
    Deprecate(RepoPath),
    /// Delete a document.
    Delete(RepoPath),
}

/// The changes that can be tried on a directory, each of which would come to something: exempt it or lift the requirement
/// where it owes a contract, deprecate or delete the one it has. Told without trying them, but for a contract that is in
/// force nowhere it would hold first.
pub fn choices(index: &Index, directory: FolderId) -> Vec<Try> {
    if let Some((document, contract)) = index.contract_of(directory) {
        // where it holds first of all: an explicit one not here, but where its paths say
        let places: Vec<FolderId> = match contract.scope {
            Scope::Explicit => contract.paths.iter().filter_map(|path| index.find(path.as_bytes())).collect(),
            Scope::Directory | Scope::Subtree => vec![directory],
        };
        let holds = |place| chain(index, place).iter().any(|step| step.document == document);
        let in_force = places.into_iter().any(|place| index.standing(place).listed && holds(place));
        // another one may take its place
        let alone = index.documents_in(directory).nth(1).is_none();
        let path = index.document(document).path.clone();
        let deprecate = Some(Try::Deprecate(path.clone()))
            .filter(|tried| contract.status == Status::Active && (in_force || comes_to_something(index, tried)));
        let delete = Some(Try::Delete(path)).filter(|tried| in_force || alone || comes_to_something(index, tried));
        return deprecate.into_iter().chain(delete).collect();
    }
    if index.standing(directory).state != State::Owed {
        return Vec::new();
    }
    let path = index.path(directory);
    let exempt = exempting(index, directory).filter(|_| path.is_text()).map(|_| Try::Exempt(path.clone()));
    exempt.into_iter().chain(lifting(index, directory).map(|_| Try::Lift(path.clone()))).collect()
}

fn comes_to_something(index: &Index, tried: &Try) -> bool {
    let alone = what_if(index, std::slice::from_ref(tried));
    alone.impossible.is_empty() && !(alone.states.is_empty() && alone.chains.is_empty())
}

/// A directory whose chain a try changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainChange {
    /// The directory.
    pub path: RepoPath,
    /// The ids of its chain before.
    pub before: Vec<String>,
    /// The ids of its chain after.
    pub after: Vec<String>,
}

/// What would follow from the tries.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The layer as it would be.
    pub index: Arc<Index>,
    /// The directories whose state would change, in byte order.
    pub states: Vec<Change>,
    /// The directories whose chain would change, in byte order.
    pub chains: Vec<ChainChange>,
    /// The tries that could not be made: what they name is not there, or no contract above can hold them.
    pub impossible: Vec<Try>,
}

/// Tries changes, one after another, on a copy.
///
/// ```
/// use dagwood::contracts::what_if::{Try, what_if};
/// use dagwood::contracts::{Contract, Document, Index};
/// let documents = vec![Document::new(".ai/README.md", Contract::new("ai.layer"))];
/// let index = Index::of_files(".ai", [".ai/repo/x"], documents);
/// let outcome = what_if(&index, &[Try::Exempt(".ai/repo".into())]);
/// assert_eq!(outcome.index.tallies().exempt, 1);
/// ```
pub fn what_if(before: &Index, tries: &[Try]) -> Outcome {
    let mut index = before.clone();
    let mut impossible = Vec::new();
    for wanted in tries {
        match made(&index, wanted) {
            Some(next) => index = next,
            None => impossible.push(wanted.clone()),
        }
    }
    let states = changes(before, &index);
    let chains = chain_changes(before, &index);
    Outcome { index: Arc::new(index), states, chains, impossible }
}

/// The index with one change made.
fn made(index: &Index, wanted: &Try) -> Option<Index> {
    let folder = |path: &RepoPath| index.find(path.as_bytes());
    let document = |path: &RepoPath| index.document_at(path.as_bytes());
    match wanted {
        Try::Exempt(path) => {
            let entry = std::str::from_utf8(path.as_bytes()).ok()?.to_owned();
            with_contract(index, exempting(index, folder(path)?)?, |contract| contract.exempt.push(entry))
        }
        Try::Lift(path) => {
            with_contract(index, lifting(index, folder(path)?)?, |contract| contract.require_contract = Some(false))
        }
        Try::Deprecate(path) => with_contract(index, document(path)?, |contract| contract.status = Status::Deprecated),
        Try::Delete(path) => {
            let gone = document(path)?;
            Some(index.replacing([(gone, None)]))
        }
    }
}

fn with_contract(
    index: &Index,
    changed: DocumentId,
    change: impl FnOnce(&mut super::model::Contract),
) -> Option<Index> {
    let mut document = index.document(changed).as_ref().clone();
    change(document.contract.as_mut().ok()?);
    Some(index.replacing([(changed, Some(Arc::new(document)))]))
}

/// The directories whose chains have other ids.
fn chain_changes(before: &Index, after: &Index) -> Vec<ChainChange> {
    let ids = |index: &Index, folder: Option<FolderId>| -> Vec<String> {
        let steps = folder.map(|folder| chain(index, folder)).unwrap_or_default();
        let id = |document| index.contract(document).map(|contract| contract.id.clone());
        steps.iter().filter_map(|step| id(step.document)).collect()
    };
    let changed = after.directories().filter_map(|folder| {
        let path = after.path(folder);
        let (old, new) = (ids(before, before.find(path.as_bytes())), ids(after, Some(folder)));
        (old != new).then(|| ChainChange { path: path.clone(), before: old, after: new })
    });
    changed.collect()
}
