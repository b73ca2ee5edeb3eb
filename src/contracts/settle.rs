//! The rules that give every directory its standing: a few passes over folders and documents, from the root down and
//! back. Plain arrays in, plain arrays out.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::index::{DocumentId, Fate, Standing};
use super::model::{Class, Contract, Document, Scope, State, Status, Tallies, under};
use super::tree::{FolderId, Tree};

/// A document in its folder, with what the passes ask of it beside it, so that they need not look it up.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub document: Arc<Document>,
    pub home: FolderId,
    /// A number that stands for its id; two documents of one id have one number.
    claim: u64,
    broken: Option<Class>,
    subtree: bool,
    /// Whether it is explicit and in force.
    explicit: bool,
    exempts: bool,
    requires: Option<bool>,
}

impl Placed {
    pub fn new(home: FolderId, document: Arc<Document>) -> Placed {
        let mut placed = Placed {
            home,
            claim: 0,
            broken: document.contract.as_ref().err().copied(),
            subtree: false,
            explicit: false,
            exempts: false,
            requires: None,
            document,
        };
        if let Ok(contract) = &placed.document.contract {
            let mut hasher = DefaultHasher::new();
            contract.id.hash(&mut hasher);
            placed.claim = hasher.finish();
            placed.subtree = contract.scope == Scope::Subtree;
            placed.explicit = contract.scope == Scope::Explicit && contract.status == Status::Active;
            placed.exempts = placed.subtree && !contract.exempt.is_empty();
            placed.requires = contract.require_contract.filter(|_| placed.subtree);
        }
        placed
    }

    fn contract(&self) -> Option<&Contract> {
        self.document.contract.as_ref().ok()
    }

    fn id(&self) -> &str {
        self.contract().map_or("", |contract| &contract.id)
    }
}

/// What follows from the folders and documents.
pub(super) struct Settled {
    pub fates: Vec<Fate>,
    pub standings: Vec<Standing>,
    /// Explicit contracts in force, by the folders they name.
    pub explicit: HashMap<FolderId, Vec<DocumentId>>,
    /// Sound documents that hold for no subtree of their own.
    pub narrow: Vec<DocumentId>,
    pub tallies: Tallies,
}

/// Works everything out for documents ordered by folder, then by path.
pub(super) fn settle(tree: &Tree, placed: &[Placed]) -> Settled {
    let mut fates = dropped(placed);
    let mut standings = bare(tree, placed);
    choose(placed, &mut fates, &mut standings);
    let released = releases(tree, placed, &fates);
    descend(tree, placed, &released, &mut standings);
    let tallies = ascend(tree, &mut standings);
    let explicit = explicit(tree, placed, &fates);
    let narrow = numbered(placed).filter(|(_, document)| document.broken.is_none() && !document.subtree);
    let narrow = narrow.map(|(id, _)| id).collect();
    Settled { fates, standings, explicit, narrow, tallies }
}

fn numbered(placed: &[Placed]) -> impl Iterator<Item = (DocumentId, &Placed)> {
    (0u32..).map(DocumentId).zip(placed)
}

/// The documents that count for nothing: the unsound ones, and sound ones that share an id. The others are taken to be
/// used for now.
fn dropped(placed: &[Placed]) -> Vec<Fate> {
    let mut fates: Vec<Fate> =
        placed.iter().map(|document| document.broken.map_or(Fate::Used, Fate::Dropped)).collect();
    let sound = numbered(placed).filter(|(_, document)| document.broken.is_none());
    let mut claims: Vec<(u64, DocumentId)> = sound.map(|(id, document)| (document.claim, id)).collect();
    claims.sort_unstable();
    for alike in claims.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
        let mut ids: Vec<(&str, DocumentId)> = alike.iter().map(|(_, id)| (placed[id.at()].id(), *id)).collect();
        // two ids may share a number by chance
        ids.sort_unstable();
        for same in ids.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1) {
            for (_, id) in same {
                fates[id.at()] = Fate::Dropped(Class::DuplicateId);
            }
        }
    }
    fates
}

/// Standings that know nothing but which documents and files lie where.
fn bare(tree: &Tree, placed: &[Placed]) -> Vec<Standing> {
    let mut standings: Vec<Standing> = tree.folders.iter().map(|folder| Standing::bare(folder.plain)).collect();
    let mut next = 0u32;
    for same in placed.chunk_by(|a, b| a.home == b.home) {
        let end = next + u32::try_from(same.len()).unwrap_or(u32::MAX);
        standings[same[0].home.at()].documents = (next, end);
        next = end;
    }
    standings
}

/// The contract of each folder: of its sound documents the one with the greatest id.
fn choose(placed: &[Placed], fates: &mut [Fate], standings: &mut [Standing]) {
    for standing in standings.iter_mut().filter(|standing| standing.documents.0 < standing.documents.1) {
        let (from, to) = standing.documents;
        let sound = (from..to).map(DocumentId).filter(|id| fates[id.at()] == Fate::Used);
        let count = u32::try_from(sound.clone().count()).unwrap_or(u32::MAX);
        standing.contract = match count {
            0 | 1 => sound.clone().next(),
            _ => sound.clone().max_by_key(|id| placed[id.at()].id()),
        };
        standing.objects += count;
        standing.broken = count < to - from;
        if let (Some(used), 2..) = (standing.contract, count) {
            for id in sound.filter(|id| *id != used).collect::<Vec<_>>() {
                fates[id.at()] = Fate::Shadowed(used);
            }
        }
    }
}

/// Where exemptions begin: for each folder the outermost contract with an entry for it, or for one above it when the
/// folder is the contract's own.
fn releases(tree: &Tree, placed: &[Placed], fates: &[Fate]) -> HashMap<FolderId, DocumentId> {
    let mut released = HashMap::new();
    for (id, document) in numbered(placed).filter(|(id, document)| document.exempts && fates[id.at()] == Fate::Used) {
        let home = &tree.folders[document.home.at()].path;
        for entry in document.contract().into_iter().flat_map(|contract| &contract.exempt) {
            let entry = entry.as_bytes();
            let from = if under(entry, home.as_bytes()) {
                Some(document.home)
            } else if home.covers(entry) {
                tree.find(entry)
            } else {
                None
            };
            if let Some(from) = from {
                // documents come from the root down, so the first to come is the outermost
                released.entry(from).or_insert(id);
            }
        }
    }
    released
}

/// From the root down: who governs, who releases, the state.
fn descend(tree: &Tree, placed: &[Placed], released: &HashMap<FolderId, DocumentId>, standings: &mut [Standing]) {
    for at in 0..standings.len() {
        let above = tree.folders[at].parent.map(|parent| standings[parent.at()]);
        let own = if released.is_empty() { None } else { released.get(&FolderId::of(at)).copied() };
        let here = &mut standings[at];
        if let Some(above) = above {
            here.requires_contract = above.requires_contract;
            here.governed_by = above.governed_by;
        }
        if let Some(id) = here.contract
            && let Some(required) = placed[id.at()].requires
        {
            here.requires_contract = required;
            here.governed_by = Some(id);
        }
        // documents are ordered by their folders, and of two folders above this one the outer has the lower number
        here.exempted_by = above.and_then(|above| above.exempted_by).into_iter().chain(own).min();
        here.state = match here.contract {
            Some(_) => State::Documented,
            None if here.exempted_by.is_some() || !here.requires_contract => State::Exempt,
            None => State::Owed,
        };
    }
}

/// From the leaves up: which folders are directories of the layer, and how many are owed below each.
fn ascend(tree: &Tree, standings: &mut [Standing]) -> Tallies {
    let mut tallies = Tallies::default();
    for at in (0..standings.len()).rev() {
        let here = &mut standings[at];
        here.listed |= here.objects > 0;
        let Standing { listed, state, owed_below, .. } = *here;
        if listed {
            tallies.count(state);
            if let Some(parent) = tree.folders[at].parent {
                let parent = &mut standings[parent.at()];
                parent.listed = true;
                parent.owed_below += owed_below + u32::from(state == State::Owed);
            }
        }
    }
    tallies
}

fn explicit(tree: &Tree, placed: &[Placed], fates: &[Fate]) -> HashMap<FolderId, Vec<DocumentId>> {
    let mut named: HashMap<FolderId, Vec<DocumentId>> = HashMap::new();
    for (id, document) in numbered(placed).filter(|(id, document)| document.explicit && fates[id.at()] == Fate::Used) {
        let paths = document.contract().into_iter().flat_map(|contract| &contract.paths);
        for folder in paths.filter_map(|path| tree.find(path.as_bytes())) {
            let here = named.entry(folder).or_default();
            // one document may name a folder twice
            if here.last() != Some(&id) {
                here.push(id);
            }
        }
    }
    named
}
