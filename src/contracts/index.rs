//! What every directory of a layer owes: worked out for all of them at once, in one pass from the root down.

use std::collections::HashMap;
use std::sync::Arc;

use super::document;
use super::model::{Class, Contract, Document, RepoPath, Scope, State, Status, Tallies, under};
use super::tree::{FolderId, Tree};
use crate::finding::Finding;

/// A document of an [`Index`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentId(pub(super) u32);

impl DocumentId {
    pub(super) fn at(self) -> usize {
        self.0 as usize
    }
}

/// What becomes of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is the contract of its folder.
    Used,
    /// Another document of its folder, with a greater id, is used.
    Shadowed(DocumentId),
    /// It counts for nothing.
    Dropped(Class),
}

/// What holds for a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What it owes.
    pub state: State,
    /// Whether a contract is required here, exemptions aside.
    pub requires_contract: bool,
    /// The contract that decides about the requirement.
    pub governed_by: Option<DocumentId>,
    /// The outermost contract that releases it.
    pub exempted_by: Option<DocumentId>,
    /// Its contract.
    pub contract: Option<DocumentId>,
    /// How many files in it count.
    pub objects: u32,
    /// Whether it is a directory of the layer: something in it or below it counts.
    pub listed: bool,
    /// Whether a document in it counts for nothing.
    pub broken: bool,
    /// How many directories below it (itself not among them) are owed.
    pub owed_below: u32,
    /// The documents in it, as a range of the index's.
    documents: (u32, u32),
}

/// The directories and documents of a layer with all that follows from them. Immutable; share it by [`Arc`].
///
/// ```
/// use dagwood::contracts::{Contract, Document, Index, State};
/// let documents = vec![Document::new(".ai/README.md", Contract::new("ai.layer"))];
/// let index = Index::of_files(".ai", [".ai/repo/x.yaml"], documents);
/// let repo = index.find(b".ai/repo").unwrap();
/// assert_eq!(index.standing(repo).state, State::Owed);
/// assert_eq!(index.tallies().documented, 1);
/// ```
#[derive(Clone, Debug)]
pub struct Index {
    pub(super) tree: Arc<Tree>,
    documents: Vec<Arc<Document>>,
    homes: Vec<FolderId>,
    fates: Vec<Fate>,
    standings: Vec<Standing>,
    /// Explicit contracts in force, by the folders they name.
    explicit: HashMap<FolderId, Vec<DocumentId>>,
    tallies: Tallies,
    /// What was noticed about the layer as a whole, and about files that are no documents.
    pub(super) notes: Arc<Vec<Finding>>,
    /// Closed folders: submodules.
    pub(super) submodules: Arc<Vec<RepoPath>>,
}

impl Index {
    /// The index of these folders, each with its count of files that are no documents, and these documents.
    /// Ancestors up to the root are filled in; what is not under the root is left out.
    pub fn new(
        root: impl Into<RepoPath>,
        folders: impl IntoIterator<Item = (RepoPath, u32)>,
        documents: Vec<Document>,
    ) -> Index {
        let homes = documents.iter().map(|document| (RepoPath::from(document.folder()), 0));
        let tree = Tree::new(root.into(), folders.into_iter().chain(homes));
        Index::settle(Arc::new(tree), documents.into_iter().map(Arc::new).collect())
    }

    /// The index of these plain files and documents, named by their paths.
    pub fn of_files<'a>(
        root: impl Into<RepoPath>,
        files: impl IntoIterator<Item = &'a str>,
        documents: Vec<Document>,
    ) -> Index {
        let folders = files.into_iter().filter_map(|file| file.rsplit_once('/').map(|(folder, _)| (folder.into(), 1)));
        Index::new(root, folders, documents)
    }

    /// The index of these files, named by their paths, each with its whole text. What is in the local half of the layer
    /// is left out.
    pub fn of_texts<'a>(root: &str, files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Index {
        let local = RepoPath::from(format!("{root}/local").as_str());
        let (mut folders, mut documents) = (Vec::new(), Vec::new());
        for (path, text) in files.into_iter().filter(|(path, _)| !local.covers(path.as_bytes())) {
            let Some((folder, _)) = path.rsplit_once('/') else { continue };
            let markdown = document::is_markdown(path.as_bytes());
            let markdown = markdown.then(|| document::read(&path.into(), text.into())).flatten();
            match markdown {
                Some(document) => documents.push(document),
                None => folders.push((folder.into(), 1)),
            }
        }
        Index::new(root, folders, documents)
    }

    /// The same folders with other documents. A document in a folder that is not there is left out.
    #[must_use]
    pub fn with_documents(&self, documents: Vec<Arc<Document>>) -> Index {
        self.kept(Index::settle(Arc::clone(&self.tree), documents))
    }

    /// The same layer with these documents replaced, or taken away. A replacement keeps its path.
    #[must_use]
    pub fn replacing(&self, changes: impl IntoIterator<Item = (DocumentId, Option<Arc<Document>>)>) -> Index {
        self.changed(changes, Vec::new())
    }

    /// The same layer with documents replaced or taken away, and others added in folders that are there.
    pub(super) fn changed(
        &self,
        changes: impl IntoIterator<Item = (DocumentId, Option<Arc<Document>>)>,
        added: Vec<Arc<Document>>,
    ) -> Index {
        let mut documents: Vec<Option<Arc<Document>>> = self.documents.iter().cloned().map(Some).collect();
        for (id, document) in changes {
            documents[id.at()] = document;
        }
        let placed = self.homes.iter().copied().zip(documents);
        let mut placed: Vec<_> = placed.filter_map(|(home, document)| Some((home, document?))).collect();
        if !added.is_empty() {
            placed.extend(added.into_iter().filter_map(|new| Some((self.tree.find(new.folder())?, new))));
            placed.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.path.cmp(&b.1.path)));
        }
        self.kept(Index::settle_placed(Arc::clone(&self.tree), placed))
    }

    /// An index of the same layer, with what is known about the layer beside its documents.
    fn kept(&self, mut index: Index) -> Index {
        index.notes = Arc::clone(&self.notes);
        index.submodules = Arc::clone(&self.submodules);
        index
    }

    /// Works everything out.
    pub(super) fn settle(tree: Arc<Tree>, documents: Vec<Arc<Document>>) -> Index {
        let mut placed: Vec<(FolderId, Arc<Document>)> =
            documents.into_iter().filter_map(|document| Some((tree.find(document.folder())?, document))).collect();
        placed.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.path.cmp(&b.1.path)));
        Index::settle_placed(tree, placed)
    }

    /// Works everything out for documents in their order.
    fn settle_placed(tree: Arc<Tree>, placed: Vec<(FolderId, Arc<Document>)>) -> Index {
        let (homes, documents): (Vec<FolderId>, Vec<Arc<Document>>) = placed.into_iter().unzip();
        let mut fates = dropped(&documents);
        let mut standings = bare(&tree, &homes);
        choose(&documents, &mut fates, &mut standings);
        let released = releases(&tree, &documents, &standings);
        let tallies = descend(&tree, &documents, &released, &mut standings);
        ascend(&tree, &mut standings);
        let explicit = explicit(&tree, &documents, &fates);
        let (notes, submodules) = Default::default();
        Index { tree, documents, homes, fates, standings, explicit, tallies, notes, submodules }
    }

    /// The layer's root.
    pub fn root(&self) -> &RepoPath {
        &self.tree.root
    }

    /// The counts over the whole layer.
    pub fn tallies(&self) -> Tallies {
        self.tallies
    }

    /// The directories of the layer in byte order, as they are listed.
    pub fn directories(&self) -> impl Iterator<Item = FolderId> + '_ {
        self.tree.by_bytes.iter().copied().filter(|folder| self.standing(*folder).listed)
    }

    /// All folders in preorder, also those in which nothing counts: what a tree on a screen shows.
    pub fn preorder(&self) -> impl Iterator<Item = FolderId> + '_ {
        (0..self.tree.folders.len()).map(FolderId::of)
    }

    /// The folder of a path, by its exact bytes; also one in which nothing counts.
    pub fn find(&self, path: &[u8]) -> Option<FolderId> {
        self.tree.find(path)
    }

    /// What holds for a folder.
    pub fn standing(&self, folder: FolderId) -> &Standing {
        &self.standings[folder.at()]
    }

    /// The path of a folder.
    pub fn path(&self, folder: FolderId) -> &RepoPath {
        &self.tree.folders[folder.at()].path
    }

    /// How deep a folder lies; the root is 0.
    pub fn depth(&self, folder: FolderId) -> u32 {
        self.tree.folders[folder.at()].depth
    }

    /// The folder above; none for the root.
    pub fn parent(&self, folder: FolderId) -> Option<FolderId> {
        self.tree.folders[folder.at()].parent
    }

    /// The folders right below, in byte order, also those in which nothing counts.
    pub fn children(&self, folder: FolderId) -> impl Iterator<Item = FolderId> + '_ {
        self.tree.children(folder)
    }

    /// The folders right below, in byte order, as they are listed.
    pub fn listed_children(&self, folder: FolderId) -> impl Iterator<Item = FolderId> + '_ {
        self.tree.children(folder).filter(|child| self.standing(*child).listed)
    }

    /// The folder and those above it, up to the root.
    pub fn upward(&self, folder: FolderId) -> impl Iterator<Item = FolderId> + '_ {
        self.tree.upward(folder)
    }

    /// A document.
    pub fn document(&self, id: DocumentId) -> &Arc<Document> {
        &self.documents[id.at()]
    }

    /// All documents, by folder in preorder, then by path.
    pub fn documents(&self) -> impl Iterator<Item = DocumentId> + '_ {
        (0u32..).map(DocumentId).take(self.documents.len())
    }

    /// The documents in a folder, by path.
    pub fn documents_in(&self, folder: FolderId) -> impl Iterator<Item = DocumentId> + use<> {
        let (from, to) = self.standing(folder).documents;
        (from..to).map(DocumentId)
    }

    /// The folder a document lies in.
    pub fn home(&self, id: DocumentId) -> FolderId {
        self.homes[id.at()]
    }

    /// What becomes of a document.
    pub fn fate(&self, id: DocumentId) -> Fate {
        self.fates[id.at()]
    }

    /// The contract a document declares, if it counts.
    pub fn contract(&self, id: DocumentId) -> Option<&Contract> {
        match self.fate(id) {
            Fate::Dropped(_) => None,
            _ => self.document(id).contract.as_ref().ok(),
        }
    }

    /// The contract a folder has, with its document.
    pub fn contract_of(&self, folder: FolderId) -> Option<(DocumentId, &Contract)> {
        let id = self.standing(folder).contract?;
        Some((id, self.contract(id)?))
    }

    /// The documents that count for nothing.
    pub fn broken(&self) -> impl Iterator<Item = (DocumentId, Class)> + '_ {
        self.documents().filter_map(|id| match self.fate(id) {
            Fate::Dropped(class) => Some((id, class)),
            _ => None,
        })
    }

    /// The other documents that claim the id of one.
    pub fn rivals(&self, id: DocumentId) -> impl Iterator<Item = DocumentId> + '_ {
        let claimed = self.document(id).contract.as_ref().ok().map(|contract| contract.id.as_str());
        self.documents().filter(move |other| {
            let theirs = self.document(*other).contract.as_ref().ok().map(|contract| contract.id.as_str());
            *other != id && theirs.is_some() && theirs == claimed
        })
    }

    /// The document at a path.
    pub fn document_at(&self, path: &[u8]) -> Option<DocumentId> {
        let home = self.find(super::model::parent_of(path)?)?;
        self.documents_in(home).find(|id| self.document(*id).path.as_bytes() == path)
    }

    /// Closed folders in the layer: submodules. They are no directories of it.
    pub fn submodules(&self) -> &[RepoPath] {
        &self.submodules
    }

    /// The active explicit contracts that name a folder.
    pub(super) fn explicit_at(&self, folder: FolderId) -> &[DocumentId] {
        self.explicit.get(&folder).map_or(&[], Vec::as_slice)
    }

    /// How many files of a folder are no documents.
    pub(super) fn plain(&self, folder: FolderId) -> u32 {
        self.tree.folders[folder.at()].plain
    }

    pub(super) fn shared_documents(&self) -> &[Arc<Document>] {
        &self.documents
    }
}

/// The documents that count for nothing: the unsound ones, and sound ones that share an id. The others are taken to be
/// used for now.
fn dropped(documents: &[Arc<Document>]) -> Vec<Fate> {
    let mut claims: HashMap<&str, u32> = HashMap::with_capacity(documents.len());
    for contract in documents.iter().filter_map(|document| document.contract.as_ref().ok()) {
        *claims.entry(&contract.id).or_default() += 1;
    }
    let fate = |document: &Arc<Document>| match &document.contract {
        Err(class) => Fate::Dropped(*class),
        Ok(contract) if claims[contract.id.as_str()] > 1 => Fate::Dropped(Class::DuplicateId),
        Ok(_) => Fate::Used,
    };
    documents.iter().map(fate).collect()
}

/// Standings that know nothing but which documents lie where.
fn bare(tree: &Tree, homes: &[FolderId]) -> Vec<Standing> {
    let nothing = Standing {
        state: State::Owed,
        requires_contract: true,
        governed_by: None,
        exempted_by: None,
        contract: None,
        objects: 0,
        listed: false,
        broken: false,
        owed_below: 0,
        documents: (0, 0),
    };
    let mut standings = vec![nothing; tree.folders.len()];
    let mut next = 0u32;
    for same in homes.chunk_by(|a, b| a == b) {
        let end = next + u32::try_from(same.len()).unwrap_or(u32::MAX);
        standings[same[0].at()].documents = (next, end);
        next = end;
    }
    standings
}

/// The contract of each folder: of its sound documents the one with the greatest id.
fn choose(documents: &[Arc<Document>], fates: &mut [Fate], standings: &mut [Standing]) {
    for standing in standings {
        let (from, to) = standing.documents;
        let sound = (from..to).map(DocumentId).filter(|id| fates[id.at()] == Fate::Used);
        let id_of = |id: &DocumentId| documents[id.at()].contract.as_ref().map(|contract| contract.id.as_str()).ok();
        standing.contract = sound.clone().max_by_key(id_of);
        standing.objects = u32::try_from(sound.count()).unwrap_or(u32::MAX);
        standing.broken = standing.objects < to - from;
        if let Some(used) = standing.contract {
            for id in (from..to).map(DocumentId).filter(|id| *id != used) {
                if fates[id.at()] == Fate::Used {
                    fates[id.at()] = Fate::Shadowed(used);
                }
            }
        }
    }
}

/// Where exemptions begin: for each folder the outermost contract with an entry for it, or for one above it when the
/// folder is the contract's own.
fn releases(tree: &Tree, documents: &[Arc<Document>], standings: &[Standing]) -> HashMap<FolderId, DocumentId> {
    let mut released = HashMap::new();
    for (folder, standing) in standings.iter().enumerate() {
        let Some((id, contract)) = subtree_contract(documents, standing) else { continue };
        let home = &tree.folders[folder].path;
        for entry in contract.exempt.iter().map(String::as_bytes) {
            let from = if under(entry, home.as_bytes()) {
                Some(FolderId::of(folder))
            } else if home.covers(entry) {
                tree.find(entry)
            } else {
                None
            };
            if let Some(from) = from {
                // the folders are visited from the root down, so the first to come is the outermost
                released.entry(from).or_insert(id);
            }
        }
    }
    released
}

fn subtree_contract<'a>(documents: &'a [Arc<Document>], standing: &Standing) -> Option<(DocumentId, &'a Contract)> {
    let id = standing.contract?;
    let contract = documents[id.at()].contract.as_ref().ok()?;
    (contract.scope == Scope::Subtree).then_some((id, contract))
}

/// From the root down: who governs, who releases, the state.
fn descend(
    tree: &Tree,
    documents: &[Arc<Document>],
    released: &HashMap<FolderId, DocumentId>,
    standings: &mut [Standing],
) -> Tallies {
    let mut tallies = Tallies::default();
    for at in 0..standings.len() {
        let above = tree.folders[at].parent.map(|parent| standings[parent.at()]);
        let own = released.get(&FolderId::of(at)).copied();
        let here = &mut standings[at];
        here.objects += tree.folders[at].plain;
        if let Some(above) = above {
            here.requires_contract = above.requires_contract;
            here.governed_by = above.governed_by;
        }
        if let Some((id, contract)) = subtree_contract(documents, here)
            && let Some(required) = contract.require_contract
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
    for at in (0..standings.len()).rev() {
        standings[at].listed |= standings[at].objects > 0;
        if standings[at].listed {
            tallies.count(standings[at].state);
            if let Some(parent) = tree.folders[at].parent {
                standings[parent.at()].listed = true;
            }
        }
    }
    tallies
}

/// From the leaves up: how many are owed below.
fn ascend(tree: &Tree, standings: &mut [Standing]) {
    for at in (0..standings.len()).rev() {
        let here = standings[at];
        if let Some(parent) = tree.folders[at].parent {
            let owed = u32::from(here.listed && here.state == State::Owed);
            standings[parent.at()].owed_below += here.owed_below + owed;
        }
    }
}

fn explicit(tree: &Tree, documents: &[Arc<Document>], fates: &[Fate]) -> HashMap<FolderId, Vec<DocumentId>> {
    let mut named: HashMap<FolderId, Vec<DocumentId>> = HashMap::new();
    for (at, id) in (0u32..).map(DocumentId).enumerate().take(documents.len()) {
        let Ok(contract) = &documents[at].contract else { continue };
        if fates[at] != Fate::Used || contract.scope != Scope::Explicit || contract.status == Status::Deprecated {
            continue;
        }
        for folder in contract.paths.iter().filter_map(|path| tree.find(path.as_bytes())) {
            let here = named.entry(folder).or_default();
            // one document may name a folder twice
            if here.last() != Some(&id) {
                here.push(id);
            }
        }
    }
    named
}
