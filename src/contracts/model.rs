//! The words of the layer: paths, contracts, states. Plain data; nothing here reads or decides.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::sync::Arc;

use serde::{Serialize, Serializer};

/// A path relative to the repository, with forward slashes and without a trailing one. Bytes as git has them, which
/// need not be UTF-8. Cheap to clone.
///
/// ```
/// use dagwood::contracts::RepoPath;
/// let path = RepoPath::from(".ai/repo");
/// assert!(path.covers(b".ai/repo/a") && !path.covers(b".ai/repository"));
/// assert_eq!(RepoPath::from(&b".ai/caf\xe9"[..]).text(), ".ai/caf%E9");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Arc<[u8]>);

impl RepoPath {
    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path as text: bytes that are not UTF-8 become `%NN`. Control characters stay; whoever prints escapes them.
    pub fn text(&self) -> Cow<'_, str> {
        text_of(&self.0)
    }

    /// Whether the path has a text of its own, so that [`RepoPath::text`] is exact.
    pub fn is_text(&self) -> bool {
        std::str::from_utf8(&self.0).is_ok()
    }

    /// The folder it lies in; `None` for a single segment.
    pub fn parent(&self) -> Option<&[u8]> {
        parent_of(&self.0)
    }

    /// Its last segment, as text.
    pub fn name(&self) -> Cow<'_, str> {
        text_of(self.0.rsplit(|byte| *byte == b'/').next().unwrap_or_default())
    }

    /// Whether another path is this one or lies below it, by whole segments.
    pub fn covers(&self, other: &[u8]) -> bool {
        under(&self.0, other)
    }

    /// The path of something in this folder.
    #[must_use]
    pub fn join(&self, name: &[u8]) -> RepoPath {
        RepoPath::from([&self.0, &b"/"[..], name].concat())
    }
}

impl std::borrow::Borrow<[u8]> for RepoPath {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl From<&[u8]> for RepoPath {
    fn from(bytes: &[u8]) -> Self {
        RepoPath(Arc::from(bytes))
    }
}

impl From<Vec<u8>> for RepoPath {
    fn from(bytes: Vec<u8>) -> Self {
        RepoPath(Arc::from(bytes))
    }
}

impl From<&str> for RepoPath {
    fn from(text: &str) -> Self {
        RepoPath(Arc::from(text.as_bytes()))
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text())
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.text())
    }
}

impl Serialize for RepoPath {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text())
    }
}

/// Whether `other` is `path` or lies below it, by whole segments.
pub(super) fn under(path: &[u8], other: &[u8]) -> bool {
    other.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

/// The folder a path lies in; `None` for a single segment.
pub(super) fn parent_of(path: &[u8]) -> Option<&[u8]> {
    path.iter().rposition(|byte| *byte == b'/').map(|slash| &path[..slash])
}

/// Bytes as text, those that are not UTF-8 as `%NN`.
pub(super) fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            // writing to a string cannot fail
            let _ = write!(text, "%{byte:02X}");
        }
    }
    Cow::Owned(text)
}

/// A closed set of words that a key may hold.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(rename_all = "lowercase")]
        pub enum $name { $($(#[$what])* $variant),+ }

        impl $name {
            /// Every word, as written in a document.
            pub const WORDS: &[&str] = &[$($word),+];

            /// The word as written in a document.
            pub fn word(self) -> &'static str {
                match self { $($name::$variant => $word),+ }
            }

            /// The value a word stands for.
            pub fn of(word: &str) -> Option<Self> {
                match word { $($word => Some($name::$variant),)+ _ => None }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.word())
            }
        }
    };
}

words! {
    /// Whether a contract is in force.
    Status {
        /// In force.
        Active = "active",
        /// Out of every chain; it still documents, governs and exempts.
        Deprecated = "deprecated",
    }
}

words! {
    /// Where a contract applies.
    Scope {
        /// In its own folder only.
        Directory = "directory",
        /// In its own folder and all below.
        Subtree = "subtree",
        /// In the folders its `paths` name, and below them.
        Explicit = "explicit",
    }
}

words! {
    /// How a contract joins what is inherited.
    Composition {
        /// It is added.
        Extend = "extend",
        /// It takes the place of those it supersedes.
        Replace = "replace",
        /// It is added, and asks not to be superseded.
        Final = "final",
    }
}

words! {
    /// Who reads a contract.
    Audience {
        /// People.
        Human = "human",
        /// Programs that act for people.
        Agent = "agent",
    }
}

words! {
    /// What a directory of the layer owes.
    State {
        /// It has a contract of its own.
        Documented = "documented",
        /// It needs none: it is exempt, or nothing requires one here.
        Exempt = "exempt",
        /// It needs one and has none.
        Owed = "owed",
    }
}

/// A contract as its document declares it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contract {
    /// Its identity, unique in the layer.
    pub id: String,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is about, in a line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it is in force.
    pub status: Status,
    /// Where it applies.
    pub scope: Scope,
    /// How it joins what is inherited.
    pub composition: Composition,
    /// Its place among contracts of one depth; the lower the earlier.
    pub order: i64,
    /// The providers it is for; `*` is all.
    pub providers: Vec<String>,
    /// Who reads it; both when the document does not say.
    pub audience: Vec<Audience>,
    /// Git pathspecs of the files it speaks about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tracks: Vec<String>,
    /// Whether folders below need a contract of their own.
    #[serde(rename = "children_require_contract", skip_serializing_if = "Option::is_none")]
    pub require_contract: Option<bool>,
    /// Folders that need none, as written.
    #[serde(rename = "children_exempt", skip_serializing_if = "Vec::is_empty")]
    pub exempt: Vec<String>,
    /// Where an explicit contract applies, as written.
    #[serde(skip)]
    pub paths: Vec<String>,
    /// The ids a replacing contract takes the place of.
    #[serde(skip)]
    pub supersedes: Vec<String>,
}

impl Contract {
    /// An active contract of scope subtree for everybody, which declares nothing more.
    pub fn new(id: impl Into<String>) -> Contract {
        Contract {
            id: id.into(),
            title: None,
            description: None,
            status: Status::Active,
            scope: Scope::Subtree,
            composition: Composition::Extend,
            order: 100,
            providers: vec!["*".to_owned()],
            audience: vec![Audience::Human, Audience::Agent],
            tracks: Vec::new(),
            require_contract: None,
            exempt: Vec::new(),
            paths: Vec::new(),
            supersedes: Vec::new(),
        }
    }

    /// Whether it is for a provider.
    pub fn is_for(&self, provider: &str) -> bool {
        self.providers.iter().any(|named| named == "*" || named == provider)
    }
}

/// Why a document counts for nothing, by the names of the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// It has no block, one that cannot be read, or values that are not allowed.
    InvalidFrontMatter,
    /// Its schema is another version.
    UnsupportedSchema,
    /// It has keys that do not exist.
    UnknownKey,
    /// Another document has its id.
    DuplicateId,
}

impl Class {
    /// The name, as findings have it.
    pub fn name(self) -> &'static str {
        match self {
            Class::InvalidFrontMatter => "invalid-front-matter",
            Class::UnsupportedSchema => "unsupported-schema",
            Class::UnknownKey => "unknown-key",
            Class::DuplicateId => "duplicate-id",
        }
    }
}

/// On which lines of its document the keys of a contract stand; 0 for a key that is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// The line of `id`.
    pub id: u32,
    /// The line of `paths`.
    pub paths: u32,
    /// The line of `supersedes`.
    pub supersedes: u32,
    /// The line of `tracks`.
    pub tracks: u32,
    /// The line of `children.require_contract`.
    pub require_contract: u32,
    /// The line of `children.exempt`.
    pub exempt: u32,
}

/// A document of the layer: the contract it declares, or why it counts for nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Where it is.
    pub path: RepoPath,
    /// What it declares, or the class of the first thing wrong with it.
    pub contract: Result<Contract, Class>,
    /// Whether git does not track it yet.
    pub new: bool,
    /// What was noticed while it was read.
    pub findings: Vec<crate::finding::Finding>,
    /// What in it is still as a fix suggested (`title`, `description`, a heading).
    pub boilerplate: Vec<String>,
    /// Where its keys stand.
    pub lines: Lines,
}

impl Document {
    /// A sound document.
    pub fn new(path: impl Into<RepoPath>, contract: Contract) -> Document {
        Document { contract: Ok(contract), ..Document::broken(path, Class::InvalidFrontMatter) }
    }

    /// A document that counts for nothing.
    pub fn broken(path: impl Into<RepoPath>, class: Class) -> Document {
        Document {
            path: path.into(),
            contract: Err(class),
            new: false,
            findings: Vec::new(),
            boilerplate: Vec::new(),
            lines: Lines::default(),
        }
    }

    /// The folder it lies in.
    pub fn folder(&self) -> &[u8] {
        self.path.parent().unwrap_or_default()
    }
}

/// How many directories are in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Tallies {
    /// All directories.
    pub directories: usize,
    /// Those with a contract of their own.
    pub documented: usize,
    /// Those that need none.
    pub exempt: usize,
    /// Those that need one.
    pub owed: usize,
}

impl Tallies {
    /// Counts one more directory.
    pub fn count(&mut self, state: State) {
        self.directories += 1;
        match state {
            State::Documented => self.documented += 1,
            State::Exempt => self.exempt += 1,
            State::Owed => self.owed += 1,
        }
    }
}
