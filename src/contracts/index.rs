//! The directories and documents of a layer with what follows from them, ready to be asked.

use std::collections::HashMap;
use std::sync::Arc;

use super::document;
use super::model::{Class, Contract, Document, RepoPath, Scope, State, Tallies};
use super::settle::{Placed, Settled, settle};
use super::tree::{FolderId, Tree};
use crate::finding::Finding;
use crate::mark::Mark;

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
    pub(super) documents: (u32, u32),
}

impl Standing {
    /// The mark of its state; that of a broken contract for what owes one because of that.
    pub fn mark(&self) -> Mark {
        match self.state {
            State::Documented => Mark::Documented,
            State::Exempt => Mark::Exempt,
            State::Owed if self.broken => Mark::Broken,
            State::Owed => Mark::Owed,
        }
    }

    /// That of a folder of which nothing is known but its count of plain files.
    pub(super) fn bare(plain: u32) -> Standing {
        Standing {
            state: State::Owed,
            requires_contract: true,
            governed_by: None,
            exempted_by: None,
            contract: None,
            objects: plain,
            listed: false,
            broken: false,
            owed_below: 0,
            documents: (0, 0),
        }
    }
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
    /// By folder in preorder, then by path.
    placed: Vec<Placed>,
    fates: Vec<Fate>,
    standings: Vec<Standing>,
    /// Explicit contracts in force, by the folders they name.
    explicit: HashMap<FolderId, Vec<DocumentId>>,
    /// Sound documents that hold for no subtree of their own.
    narrow: Vec<DocumentId>,
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
        Index::of_parts(root.into(), folders, documents.into_iter().map(Arc::new).collect())
    }

    pub(super) fn of_parts(
        root: RepoPath,
        folders: impl IntoIterator<Item = (RepoPath, u32)>,
        documents: Vec<Arc<Document>>,
    ) -> Index {
        let homes = documents.iter().map(|document| (RepoPath::from(document.folder()), 0));
        let tree = Tree::new(root, folders.into_iter().chain(homes));
        Index::of(Arc::new(tree), documents)
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
        self.kept(Index::of(Arc::clone(&self.tree), documents))
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
        let mut placed: Vec<Option<Placed>> = self.placed.iter().cloned().map(Some).collect();
        for (id, document) in changes {
            placed[id.at()] = document.map(|document| Placed::new(self.home(id), document));
        }
        let mut placed: Vec<Placed> = placed.into_iter().flatten().collect();
        if !added.is_empty() {
            placed.extend(added.into_iter().filter_map(|new| Some(Placed::new(self.tree.find(new.folder())?, new))));
            in_order(&mut placed);
        }
        self.kept(Index::settled(Arc::clone(&self.tree), placed))
    }

    /// An index of the same layer, with what is known about the layer beside its documents.
    fn kept(&self, mut index: Index) -> Index {
        index.notes = Arc::clone(&self.notes);
        index.submodules = Arc::clone(&self.submodules);
        index
    }

    /// Works everything out.
    fn of(tree: Arc<Tree>, documents: Vec<Arc<Document>>) -> Index {
        let place = |document: Arc<Document>| Some(Placed::new(tree.find(document.folder())?, document));
        let mut placed: Vec<Placed> = documents.into_iter().filter_map(place).collect();
        in_order(&mut placed);
        Index::settled(tree, placed)
    }

    fn settled(tree: Arc<Tree>, placed: Vec<Placed>) -> Index {
        let Settled { fates, standings, explicit, narrow, tallies } = settle(&tree, &placed);
        let (notes, submodules) = Default::default();
        Index { tree, placed, fates, standings, explicit, narrow, tallies, notes, submodules }
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

    /// Whether a folder is another one or lies somewhere below it.
    pub(super) fn holds(&self, outer: FolderId, inner: FolderId) -> bool {
        outer <= inner && inner.0 < self.tree.folders[outer.at()].end
    }

    /// The folder and those above it, up to the root.
    pub fn upward(&self, folder: FolderId) -> impl Iterator<Item = FolderId> + '_ {
        self.tree.upward(folder)
    }

    /// A document.
    pub fn document(&self, id: DocumentId) -> &Arc<Document> {
        &self.placed[id.at()].document
    }

    /// All documents, by folder in preorder, then by path.
    pub fn documents(&self) -> impl Iterator<Item = DocumentId> + '_ {
        (0u32..).map(DocumentId).take(self.placed.len())
    }

    /// The documents in a folder, by path.
    pub fn documents_in(&self, folder: FolderId) -> impl Iterator<Item = DocumentId> + use<> {
        let (from, to) = self.standing(folder).documents;
        (from..to).map(DocumentId)
    }

    /// The folder a document lies in.
    pub fn home(&self, id: DocumentId) -> FolderId {
        self.placed[id.at()].home
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

    /// The scope of a document, where it is sound: beside it, as it is asked of very many.
    pub(super) fn scope(&self, id: DocumentId) -> Option<Scope> {
        self.placed[id.at()].scope
    }

    /// The sound documents that hold for their own directory only, or where their paths say.
    pub(super) fn narrow(&self) -> &[DocumentId] {
        &self.narrow
    }

    /// How many files of a folder are no documents.
    pub(super) fn plain(&self, folder: FolderId) -> u32 {
        self.tree.folders[folder.at()].plain
    }
}

fn in_order(placed: &mut [Placed]) {
    placed.sort_by(|a, b| a.home.cmp(&b.home).then_with(|| a.document.path.cmp(&b.document.path)));
}
