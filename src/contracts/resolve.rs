//! Requests answered from an [`Index`]: which directories, in which state, and the effective chain of each.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Deserialize, Serialize, Serializer};

use super::error::Error;
use super::index::{DocumentId, Fate, Index};
use super::model::{Composition, Contract, RepoPath, Scope, State, Status, Tallies};
use super::tree::FolderId;
pub use super::view::{ContractView, DirectoryView, StepView};
use crate::finding::Finding;
use crate::text::near;

/// What is asked of a layer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Request {
    /// One directory; its chain is always resolved.
    pub path: Option<String>,
    /// Whether the chain of every directory listed is resolved.
    pub effective: bool,
    /// Only the directories in this state.
    #[serde(deserialize_with = "state")]
    pub state: Option<State>,
}

fn state<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<State>, D::Error> {
    Option::<String>::deserialize(from)?
        .map(|word| State::of(&word).ok_or_else(|| serde::de::Error::unknown_variant(&word, State::WORDS)))
        .transpose()
}

/// The answer to a [`Request`]: which directories it names. Serialised as it is written, so a long one costs nothing
/// to hold.
#[derive(Clone, Debug)]
pub struct Report {
    index: Arc<Index>,
    directories: Vec<FolderId>,
    chains: bool,
    findings: Vec<Finding>,
}

/// Answers a request.
///
/// # Errors
/// [`Error::Path`] when the path is not one of a folder of the layer, [`Error::NotFound`] when the layer has no such
/// directory.
pub fn resolve(index: &Arc<Index>, request: &Request) -> Result<Report, Error> {
    let directories = match &request.path {
        Some(path) => vec![directory(index, path)?],
        None => index.directories().collect(),
    };
    let wanted = |folder: &FolderId| request.state.is_none_or(|state| index.standing(*folder).state == state);
    Ok(Report {
        index: Arc::clone(index),
        directories: directories.into_iter().filter(wanted).collect(),
        chains: request.effective || request.path.is_some(),
        findings: super::validate::reading(index),
    })
}

/// The directory a path names, as a person may write it.
///
/// # Errors
/// As [`resolve`].
pub fn directory(index: &Index, path: &str) -> Result<FolderId, Error> {
    let normal = normalise(path)?;
    if !index.root().covers(normal.as_bytes()) {
        return Err(Error::Path { path: path.to_owned(), why: Misnamed::outside(index, &normal) });
    }
    match folder(index, &normal).filter(|folder| index.standing(*folder).listed) {
        Some(folder) => Ok(folder),
        None => Err(Error::NotFound { similar: similar(index, &normal), path: normal }),
    }
}

/// The folder of a path as it is shown, also one in which nothing counts.
pub fn folder(index: &Index, path: &str) -> Option<FolderId> {
    // a folder whose name is no text goes by its escaped form
    let shown = || index.preorder().find(|folder| !index.path(*folder).is_text() && index.path(*folder).text() == path);
    index.find(path.as_bytes()).or_else(shown)
}

/// How many names are told of those that may have been meant.
const MEANT: usize = 3;

/// Directories of names near to one that is not there: its would-be siblings, else those of such a name anywhere.
pub fn similar(index: &Index, path: &str) -> Vec<String> {
    let siblings = would_be_siblings(index, path);
    if !siblings.is_empty() {
        return siblings;
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    let listed = || index.preorder().filter(|folder| index.standing(*folder).listed).map(|folder| index.path(folder));
    let names: BTreeSet<_> = listed().map(RepoPath::name).collect();
    let near = near(name, names.iter().map(AsRef::as_ref), MEANT).into_iter();
    let bearing = near.flat_map(|name| listed().filter(move |path| path.name() == name));
    bearing.take(MEANT).map(ToString::to_string).collect()
}

fn would_be_siblings(index: &Index, path: &str) -> Vec<String> {
    let Some((above, name)) = path
        .match_indices('/')
        .rev()
        .find_map(|(slash, _)| Some((index.find(&path.as_bytes()[..slash])?, &path[slash + 1..])))
    else {
        return Vec::new();
    };
    let name = name.split('/').next().unwrap_or_default();
    let siblings: Vec<_> = index.listed_children(above).map(|child| index.path(child).name()).collect();
    let near = near(name, siblings.iter().map(AsRef::as_ref), MEANT).into_iter();
    near.map(|sibling| format!("{}/{sibling}", index.path(above))).collect()
}

/// Why a text is not the path of a folder of the layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misnamed {
    /// It is empty.
    Empty,
    /// It begins at the root of a disk.
    Absolute,
    /// It goes up.
    Upward,
    /// It lies outside the layer.
    Outside {
        /// The layer's root.
        root: RepoPath,
        /// Directories of the layer of near names.
        similar: Vec<String>,
    },
}

impl Misnamed {
    /// That a path, in its one form, lies outside the layer.
    pub(super) fn outside(index: &Index, normal: &str) -> Misnamed {
        Misnamed::Outside { root: index.root().clone(), similar: similar(index, normal) }
    }
}

/// A path as written by a person, brought to its one form.
///
/// ```
/// use dagwood::contracts::resolve::normalise;
/// assert_eq!(normalise(" ./.ai\\repo// ").unwrap(), ".ai/repo");
/// assert!(normalise("./").is_err() && normalise("C:\\x").is_err() && normalise(".ai/../docs").is_err());
/// ```
///
/// # Errors
/// [`Error::Path`].
pub fn normalise(path: &str) -> Result<String, Error> {
    let refused = |why| Err(Error::Path { path: path.to_owned(), why });
    let slashed = path.trim_matches(' ').replace('\\', "/");
    let mut rest = slashed.as_str();
    while let Some(inner) = rest.strip_prefix("./") {
        rest = inner;
    }
    while rest.chars().count() > 1 && rest.ends_with('/') {
        rest = &rest[..rest.len() - 1];
    }
    if rest.is_empty() || rest == "." {
        return refused(Misnamed::Empty);
    }
    if rest.starts_with('/') || rest.chars().nth(1) == Some(':') {
        return refused(Misnamed::Absolute);
    }
    if rest.split('/').any(|segment| segment == "..") {
        return refused(Misnamed::Upward);
    }
    let segments: Vec<&str> = rest.split('/').filter(|segment| !segment.is_empty() && *segment != ".").collect();
    Ok(segments.join("/"))
}

/// Why a contract applies to a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is the directory's own, of scope directory.
    OwnDirectory,
    /// It is the directory's own, of scope subtree.
    OwnSubtree,
    /// It lies above and holds for the subtree.
    Ancestor,
    /// Its `paths` name the directory or one above it.
    DeclaredPath,
}

impl Reason {
    /// The reason in words.
    pub fn words(self) -> &'static str {
        match self {
            Reason::OwnDirectory => "the target directory (scope directory)",
            Reason::OwnSubtree => "the target directory (scope subtree)",
            Reason::Ancestor => "an ancestor (scope subtree)",
            Reason::DeclaredPath => "a declared path (scope explicit)",
        }
    }
}

/// A contract in a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The contract's document.
    pub document: DocumentId,
    /// How deep it counts: its folder's depth, or for an explicit one that of the first of its paths that applies.
    pub depth: usize,
    /// Why it applies.
    pub reason: Reason,
    /// Whether its document sits in the directory itself.
    pub local: bool,
}

/// What applies to a directory: its effective chain, and what would be in it were it not superseded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applying {
    /// The chain, least specific first.
    pub chain: Vec<Step>,
    /// What others take the place of, each with the first contract of the directory that does.
    pub superseded: Vec<(Step, DocumentId)>,
}

/// The effective chain of a directory, least specific first.
///
/// ```
/// use dagwood::contracts::{Contract, Document, Index, chain};
/// let index = Index::of_files(".ai", [".ai/repo/x"], vec![Document::new(".ai/README.md", Contract::new("ai.layer"))]);
/// let steps = chain(&index, index.find(b".ai/repo").unwrap());
/// assert_eq!(steps[0].reason.words(), "an ancestor (scope subtree)");
/// ```
pub fn chain(index: &Index, target: FolderId) -> Vec<Step> {
    applying(index, target).chain
}

/// The chain of a directory with what was superseded.
pub fn applying(index: &Index, target: FolderId) -> Applying {
    let mut steps = candidates(index, target);
    let contract = |step: &Step| index.contract(step.document);
    let order = |step: &Step| contract(step).map_or(0, |contract| contract.order);
    let path = |step: &Step| &index.document(step.document).path;
    // found from the directory upward, and wanted from the root down
    steps.reverse();
    steps.sort_by(|a, b| (a.depth, order(a), path(a)).cmp(&(b.depth, order(b), path(b))));
    let replacing: Vec<(DocumentId, &Contract)> = steps
        .iter()
        .filter_map(|step| Some((step.document, contract(step)?)))
        .filter(|(_, contract)| contract.composition == Composition::Replace)
        .collect();
    if replacing.is_empty() {
        return Applying { chain: steps, superseded: Vec::new() };
    }
    let gone: HashSet<&str> =
        replacing.iter().flat_map(|(_, contract)| contract.supersedes.iter().map(String::as_str)).collect();
    let mut applying = Applying::default();
    for step in steps {
        let id = contract(&step).map_or("", |contract| contract.id.as_str());
        if gone.contains(id) {
            let by = replacing.iter().find(|(_, other)| other.supersedes.iter().any(|named| named == id));
            applying.superseded.extend(by.map(|(by, _)| (step, *by)));
        } else {
            applying.chain.push(step);
        }
    }
    applying
}

/// The active contracts whose scope reaches a directory.
fn candidates(index: &Index, target: FolderId) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut explicit: HashSet<DocumentId> = HashSet::new();
    for folder in index.upward(target) {
        let local = folder == target;
        let depth = index.depth(folder) as usize;
        if let Some((document, contract)) = index.contract_of(folder)
            && contract.status == Status::Active
        {
            let reason = match (contract.scope, local) {
                (Scope::Subtree, true) => Some(Reason::OwnSubtree),
                (Scope::Subtree, false) => Some(Reason::Ancestor),
                (Scope::Directory, true) => Some(Reason::OwnDirectory),
                _ => None,
            };
            steps.extend(reason.map(|reason| Step { document, depth, reason, local }));
        }
        for document in index.explicit_at(folder).iter().copied().filter(|document| explicit.insert(*document)) {
            let target_path = index.path(target);
            let depth = index.contract(document).and_then(|contract| declared_depth(index, contract, target_path));
            let local = index.home(document) == target;
            steps.extend(depth.map(|depth| Step { document, depth, reason: Reason::DeclaredPath, local }));
        }
    }
    steps
}

/// The depth an explicit contract takes at a directory: that of the first listed path that is at or above it.
fn declared_depth(index: &Index, contract: &Contract, target: &RepoPath) -> Option<usize> {
    let covers = |path: &&String| super::model::under(path.as_bytes(), target.as_bytes());
    contract.paths.iter().filter(covers).find_map(|path| index.tree.depth_of(path.as_bytes()))
}

impl Report {
    /// The index it was answered from.
    pub fn index(&self) -> &Arc<Index> {
        &self.index
    }

    /// The counts over the whole layer, whatever was asked for.
    pub fn tallies(&self) -> Tallies {
        self.index.tallies()
    }

    /// The directories asked for, in byte order.
    pub fn directories(&self) -> &[FolderId] {
        &self.directories
    }

    /// What was noticed while the layer was read.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether chains are part of the answer.
    pub fn has_chains(&self) -> bool {
        self.chains
    }
}

impl Serialize for Report {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("root", self.index.root())?;
        map.serialize_entry("tallies", &self.tallies())?;
        map.serialize_entry("directories", &Directories(self))?;
        let broken: Vec<Broken> = broken(&self.index).collect();
        map.serialize_entry("broken", &broken)?;
        if !self.index.submodules().is_empty() {
            map.serialize_entry("submodules", self.index.submodules())?;
        }
        map.serialize_entry("findings", &self.findings)?;
        map.end()
    }
}

struct Directories<'a>(&'a Report);

impl Serialize for Directories<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Report { index, directories, chains, .. } = self.0;
        let mut seq = to.serialize_seq(Some(directories.len()))?;
        for folder in directories {
            let effective = if *chains { chain(index, *folder) } else { Vec::new() };
            seq.serialize_element(&DirectoryView::new(index, *folder, &effective))?;
        }
        seq.end()
    }
}

/// A document that counts for nothing, as answers have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Broken {
    /// The folder it lies in.
    pub directory: RepoPath,
    /// The document.
    pub document: RepoPath,
    /// The class of what is wrong with it.
    pub class: super::model::Class,
    /// Whether its folder is a directory of the layer nevertheless.
    pub listed: bool,
}

/// The documents of a layer that count for nothing.
pub fn broken(index: &Index) -> impl Iterator<Item = Broken> + '_ {
    index.documents().filter_map(|id| broken_one(index, id))
}

/// The documents in a folder that count for nothing.
pub fn broken_in(index: &Index, folder: FolderId) -> impl Iterator<Item = Broken> + '_ {
    index.documents_in(folder).filter_map(|id| broken_one(index, id))
}

fn broken_one(index: &Index, id: DocumentId) -> Option<Broken> {
    let Fate::Dropped(class) = index.fate(id) else { return None };
    let home = index.home(id);
    Some(Broken {
        directory: index.path(home).clone(),
        document: index.document(id).path.clone(),
        class,
        listed: index.standing(home).listed,
    })
}
