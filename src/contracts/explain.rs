//! Why a directory is as it is: what applies to it, what does not and why not, who decides, and what would change it.

use std::collections::HashSet;

use super::index::{DocumentId, Fate, Index};
use super::model::{Audience, Class, Composition, Contract, Scope, State, Status};
use super::pathspec;
use super::resolve::{Step, applying};
use super::tree::FolderId;

/// For whom a chain is read; everybody where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reader {
    /// The provider.
    pub provider: Option<String>,
    /// The audience.
    pub audience: Option<Audience>,
}

impl Reader {
    /// Why a contract is not for this reader.
    fn misses(&self, contract: &Contract) -> Option<Why> {
        if self.provider.as_ref().is_some_and(|provider| !contract.is_for(provider)) {
            return Some(Why::OtherProviders);
        }
        let other = self.audience.is_some_and(|audience| !contract.audience.contains(&audience));
        other.then_some(Why::OtherAudience)
    }
}

/// Why a document does not apply to a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// It is deprecated.
    Deprecated,
    /// Another document takes its place.
    Superseded(DocumentId),
    /// It holds for its own directory only, which is another one.
    DirectoryElsewhere,
    /// None of its `paths` is at or above the directory.
    NoCoveringPath,
    /// Another document of its folder is used.
    Shadowed(DocumentId),
    /// It counts for nothing.
    Dropped(Class),
    /// It is for other providers.
    OtherProviders,
    /// It is for another audience.
    OtherAudience,
}

impl Why {
    /// The reason in words.
    pub fn words(self, index: &Index) -> String {
        let named = |id: DocumentId| {
            let path = &index.document(id).path;
            index.contract(id).map_or_else(|| path.to_string(), |contract| format!("{} ({path})", contract.id))
        };
        match self {
            Why::Deprecated => "it is deprecated".to_owned(),
            Why::Superseded(by) => format!("superseded by {}", named(by)),
            Why::DirectoryElsewhere => "scope directory, elsewhere".to_owned(),
            Why::NoCoveringPath => "scope explicit, and no path of it is at or above".to_owned(),
            Why::Shadowed(by) => format!("{} of the same folder is used", named(by)),
            Why::Dropped(Class::DuplicateId) => "dropped: its id is claimed twice".to_owned(),
            Why::Dropped(class) => format!("dropped: {}", class.name()),
            Why::OtherProviders => "for other providers".to_owned(),
            Why::OtherAudience => "for another audience".to_owned(),
        }
    }

    /// Whether the document lies where it could have reached the directory, rather than elsewhere.
    pub fn is_near(self) -> bool {
        !matches!(self, Why::DirectoryElsewhere | Why::NoCoveringPath)
    }
}

/// A document that does not apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The document.
    pub document: DocumentId,
    /// Why it does not.
    pub why: Why,
}

impl LeftOut {
    /// The reason in words, with what a strict reader would say of it.
    pub fn words(&self, index: &Index) -> String {
        let is_final = |contract: &Contract| contract.composition == Composition::Final;
        let refused = matches!(self.why, Why::Superseded(_)) && index.contract(self.document).is_some_and(is_final);
        let strict = if refused { ", though it is final: a strict reader refuses that" } else { "" };
        format!("{}{strict}", self.why.words(index))
    }
}

/// Something that would change the state of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Writing its contract makes it documented.
    Write,
    /// Mending this document makes it documented.
    Repair(DocumentId),
    /// An entry in the exemptions of this contract makes it exempt.
    Exempt(DocumentId),
    /// This contract may say that nothing below it is required.
    Lift(DocumentId),
    /// Without its exemption in this contract it is owed.
    EndExemption(DocumentId),
    /// When this contract required one, it would be owed.
    Require(DocumentId),
    /// Without its contract it is in this state.
    Delete(State),
}

impl Turn {
    /// The turn in words.
    pub fn words(self, index: &Index) -> String {
        let path = |id: DocumentId| &index.document(id).path;
        match self {
            Turn::Write => "write its contract: documented".to_owned(),
            Turn::Repair(id) => format!("mend {}: documented", path(id)),
            Turn::Exempt(id) => format!("exempt it in {}: exempt", path(id)),
            Turn::Lift(id) => format!("say `require_contract: false` in {}: exempt", path(id)),
            Turn::EndExemption(id) => format!("take its exemption out of {}", path(id)),
            Turn::Require(id) => format!("say `require_contract: true` in {} or below: owed", path(id)),
            Turn::Delete(state) => format!("without its contract: {state}"),
        }
    }
}

/// Why a directory is as it is. Who governs and who exempts it is in its [`Standing`](super::Standing).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The directory.
    pub directory: FolderId,
    /// What applies to it, for the reader asked for, least specific first.
    pub chain: Vec<Step>,
    /// What could have applied and does not, by folder.
    pub left_out: Vec<LeftOut>,
    /// What would change its state.
    pub turns: Vec<Turn>,
}

/// Explains a directory to a reader.
pub fn explain(index: &Index, directory: FolderId, reader: &Reader) -> Explanation {
    let applying = applying(index, directory);
    let (mut chain, mut left_out) = (Vec::new(), Vec::new());
    for step in &applying.chain {
        match index.contract(step.document).and_then(|contract| reader.misses(contract)) {
            Some(why) => left_out.push(LeftOut { document: step.document, why }),
            None => chain.push(*step),
        }
    }
    left_out.extend(
        applying.superseded.iter().map(|(step, by)| LeftOut { document: step.document, why: Why::Superseded(*by) }),
    );
    let in_force: HashSet<DocumentId> = applying
        .chain
        .iter()
        .chain(applying.superseded.iter().map(|(step, _)| step))
        .map(|step| step.document)
        .collect();
    // all others hold for a subtree that lies elsewhere, or count for nothing there
    let narrow = index.narrow();
    let near = index.upward(directory).flat_map(|folder| index.documents_in(folder));
    let near = near.filter(|id| narrow.binary_search(id).is_err());
    let others = near.chain(narrow.iter().copied()).filter(|id| !in_force.contains(id));
    left_out
        .extend(others.filter_map(|document| why_not(index, directory, document).map(|why| LeftOut { document, why })));
    left_out.sort_by_key(|left| left.document);
    Explanation { directory, chain, left_out, turns: turns(index, directory) }
}

/// Why a document outside the chain is not in it; nothing for a subtree contract that lies elsewhere, which never could
/// have been.
fn why_not(index: &Index, directory: FolderId, document: DocumentId) -> Option<Why> {
    let home = index.home(document);
    // asked of very many documents: by places, not by paths, and mostly without a look at the document
    let (above, fate) = (index.holds(home, directory), index.fate(document));
    let of_its_directory = index.scope(document) == Some(Scope::Directory);
    if of_its_directory && home != directory && !matches!(fate, Fate::Dropped(_)) {
        return Some(Why::DirectoryElsewhere);
    }
    let Ok(contract) = &index.document(document).contract else {
        let Fate::Dropped(class) = fate else { return None };
        return above.then_some(Why::Dropped(class));
    };
    let reaches = match contract.scope {
        Scope::Subtree => above,
        Scope::Directory => home == directory,
        Scope::Explicit => {
            let target = index.path(directory).as_bytes();
            contract.paths.iter().any(|path| super::model::under(path.as_bytes(), target))
        }
    };
    match (fate, contract.scope) {
        (Fate::Dropped(class), _) if reaches || above => Some(Why::Dropped(class)),
        (Fate::Dropped(_), _) => None,
        (_, Scope::Explicit) if !reaches => Some(Why::NoCoveringPath),
        (_, Scope::Subtree) if !reaches => None,
        (Fate::Shadowed(by), _) => Some(Why::Shadowed(by)),
        (Fate::Used, _) => (contract.status == Status::Deprecated).then_some(Why::Deprecated),
    }
}

/// Who decides whether a directory owes a contract, in words that go with its state: what releases it first, and what
/// would be without that.
pub fn requirement(index: &Index, directory: FolderId) -> String {
    let standing = index.standing(directory);
    let path = |id: DocumentId| &index.document(id).path;
    let required = standing.requires_contract;
    match (standing.exempted_by, standing.governed_by) {
        (None, Some(by)) if required => format!("a contract is required by {}", path(by)),
        (None, Some(by)) => format!("no contract is required, by {}", path(by)),
        (None, None) => "nothing at or above it says whether a contract is required, so one is".to_owned(),
        (Some(from), Some(by)) if required => {
            format!("exempted by {}; without that it would need one: {} requires it", path(from), path(by))
        }
        (Some(from), Some(by)) => format!("exempted by {}; none is required anyway, by {}", path(from), path(by)),
        (Some(from), None) => {
            format!("exempted by {}; without that it would need one: nothing at or above it says otherwise", path(from))
        }
    }
}

/// What would change the state of a directory.
pub fn turns(index: &Index, directory: FolderId) -> Vec<Turn> {
    let standing = index.standing(directory);
    let mut turns = Vec::new();
    match standing.state {
        State::Documented => {
            let without = match (standing.exempted_by, standing.requires_contract) {
                (None, true) => State::Owed,
                _ => State::Exempt,
            };
            turns.push(Turn::Delete(without));
        }
        State::Exempt => {
            turns.extend(standing.exempted_by.map(Turn::EndExemption));
            if !standing.requires_contract {
                turns.extend(standing.governed_by.map(Turn::Require));
            }
            turns.push(Turn::Write);
        }
        State::Owed => {
            let broken = index.documents_in(directory).find(|id| matches!(index.fate(*id), Fate::Dropped(_)));
            turns.push(broken.map_or(Turn::Write, Turn::Repair));
            if let Some(above) = exempting(index, directory) {
                turns.push(Turn::Exempt(above));
            }
            turns.extend(lifting(index, directory).map(Turn::Lift));
        }
    }
    turns
}

/// The contract in which a directory would be exempted: the one that governs it, else the nearest subtree contract
/// above it.
pub(super) fn exempting(index: &Index, directory: FolderId) -> Option<DocumentId> {
    let governing = index.standing(directory).governed_by;
    governing.filter(|by| index.home(*by) != directory).or_else(|| subtree_above(index, directory).next())
}

/// The contract in which the requirement of a directory would be lifted: the nearest subtree contract above it. None
/// when that would lower what a contract above sets.
pub(super) fn lifting(index: &Index, directory: FolderId) -> Option<DocumentId> {
    subtree_above(index, directory).next().filter(|id| may_lift(index, index.home(*id)))
}

/// Whether `require_contract: false` may stand in a folder: nothing strictly above it says true.
pub(super) fn may_lift(index: &Index, folder: FolderId) -> bool {
    index
        .parent(folder)
        .map(|parent| index.standing(parent))
        .is_none_or(|above| above.governed_by.is_none() || !above.requires_contract)
}

/// The subtree contracts strictly above a directory, the nearest first.
pub(super) fn subtree_above(index: &Index, directory: FolderId) -> impl Iterator<Item = DocumentId> + '_ {
    let above = index.upward(directory).skip(1);
    above
        .filter_map(|folder| index.contract_of(folder).filter(|(_, contract)| contract.scope == Scope::Subtree))
        .map(|(id, _)| id)
}

/// What holds for a path outside the layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// The contract of the layer's root.
    pub root: Option<DocumentId>,
    /// The active contracts that track the path, each with the pathspec that covers it.
    pub tracking: Vec<(DocumentId, String)>,
}

/// Explains a path outside the layer, relative to the repository, to a reader.
pub fn outside(index: &Index, path: &str, reader: &Reader) -> Outside {
    let active = |id: &DocumentId| {
        let contract = index.contract(*id).filter(|_| index.fate(*id) == Fate::Used)?;
        (contract.status == Status::Active && reader.misses(contract).is_none()).then_some(contract)
    };
    let root = index.find(index.root().as_bytes()).and_then(|root| index.standing(root).contract);
    let tracking = index.documents().filter_map(|id| {
        let contract = active(&id)?;
        let spec = contract.tracks.iter().find(|spec| pathspec::covers(spec, path))?;
        Some((id, spec.clone()))
    });
    Outside { root: root.filter(|id| active(id).is_some()), tracking: tracking.collect() }
}
