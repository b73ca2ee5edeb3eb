//! Why something asked of a layer was not done.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::model::RepoPath;
use super::resolve::Misnamed;
use crate::edit;
use crate::error::{Code, Coded};
use crate::text::command;

/// Why something asked of a layer was not done.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A text is not the path of a folder of the layer.
    #[error("`{path}` is not a path in the layer: {}", why.words())]
    Path {
        /// The path as written.
        path: String,
        /// What is wrong with it.
        why: Misnamed,
    },
    /// The layer has no such directory.
    #[error("the layer has no directory `{path}`{}`dagwood contract list` shows those it has", also(similar))]
    NotFound {
        /// The path.
        path: String,
        /// Directories of near names.
        similar: Vec<String>,
    },
    /// What is named to be written lies outside the layer.
    #[error("{} lies outside {}{}", file.display(), root.display(), meant(similar))]
    Outside {
        /// The file.
        file: PathBuf,
        /// The layer's folder.
        root: PathBuf,
        /// Directories of near names.
        similar: Vec<String>,
    },
    /// Something is there and counts for nothing.
    #[error("`{path}` {why}")]
    NotCounted {
        /// The path.
        path: String,
        /// Why it does not count, and what to do.
        why: &'static str,
    },
    /// A value given for a new contract is not allowed.
    #[error("`{value}` is no {what}: {expected}")]
    Value {
        /// What it was given for (`id`, `title`).
        what: &'static str,
        /// What was given.
        value: String,
        /// What is allowed.
        expected: String,
    },
    /// An id wished for a new contract is that of another document.
    #[error("`{id}` is already the id of {file}; choose another")]
    IdTaken {
        /// The id.
        id: String,
        /// The document that has it.
        file: RepoPath,
    },
    /// There is nothing to do for a directory.
    #[error("`{path}` is {state}: {advice}")]
    NothingOwed {
        /// The directory.
        path: String,
        /// How it stands (`documented`, `exempt`).
        state: &'static str,
        /// What can be done instead.
        advice: String,
    },
    /// A contract of the folder is there and broken; it is repaired, never written over.
    #[error("{file} is there and broken; mend it (`{}`), nothing is written over it", command("dagwood contract repair", [file.to_string().as_str()]))]
    Broken {
        /// The document.
        file: RepoPath,
    },
    /// No contract above a directory can hold its exemption.
    #[error("no subtree contract lies above `{path}`; write one there first (`dagwood contract fix`)")]
    NoContractAbove {
        /// The directory.
        path: String,
    },
    /// A write would break a rule that a contract above sets.
    #[error("{why}")]
    IllegalOverride {
        /// The document that would break it.
        file: RepoPath,
        /// Which rule, and whose.
        why: String,
    },
    /// A document cannot be edited without touching more than was meant.
    #[error("{file}{} cannot be edited safely: {why}; edit it by hand", line.map(|line| format!(":{line}")).unwrap_or_default())]
    Uneditable {
        /// The document.
        file: RepoPath,
        /// The line in it.
        line: Option<usize>,
        /// What stands in the way.
        why: String,
    },
    /// A document holds nothing that can be mended without a person.
    #[error("{file} cannot be mended by itself: {why}")]
    Unmendable {
        /// The document.
        file: RepoPath,
        /// What is wrong with it.
        why: String,
    },
    /// The program was told to write nothing.
    #[error("{label}: refused, since --read-only was given")]
    ReadOnly {
        /// What was to be done.
        label: String,
    },
    /// Writing was refused, or failed.
    #[error(transparent)]
    Edit(#[from] edit::Error),
    /// The disk failed.
    #[error("cannot read {}: {source}", file.display())]
    Io {
        /// What was to be read.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Misnamed {
    fn words(&self) -> String {
        match self {
            Misnamed::Empty => "it is empty".to_owned(),
            Misnamed::Absolute => "it is absolute; write it from the top of the repository".to_owned(),
            Misnamed::Upward => "it holds `..`; write it from the top of the repository".to_owned(),
            Misnamed::Outside { root, similar } => format!("it lies outside `{root}`{}", meant(similar)),
        }
    }
}

/// What may have been meant, at the end of a sentence.
fn meant(similar: &[String]) -> String {
    if similar.is_empty() { String::new() } else { format!("; did you mean `{}`?", similar.join("`, `")) }
}

/// What may have been meant, and what parts it from the sentence after it.
fn also(similar: &[String]) -> String {
    if similar.is_empty() { "; ".to_owned() } else { format!("{} ", meant(similar)) }
}

impl Coded for Error {
    fn code(&self) -> Code {
        match self {
            Error::Path { .. }
            | Error::Value { .. }
            | Error::IdTaken { .. }
            | Error::Uneditable { .. }
            | Error::Unmendable { .. } => Code::InvalidInput,
            Error::Outside { .. } => Code::OutsideLayer,
            Error::NotFound { .. } | Error::NotCounted { .. } | Error::NoContractAbove { .. } => Code::NotFound,
            Error::NothingOwed { .. } | Error::Broken { .. } => Code::AlreadyExists,
            Error::IllegalOverride { .. } => Code::IllegalOverride,
            Error::ReadOnly { .. } => Code::ReadOnly,
            Error::Edit(error) => error.code(),
            Error::Io { .. } => Code::Io,
        }
    }

    fn fields(&self) -> Map<String, Value> {
        let field = |name: &str, value: Value| Map::from_iter([(name.to_owned(), value)]);
        match self {
            Error::Path { path, why: Misnamed::Outside { similar, .. } } | Error::NotFound { path, similar } => {
                Map::from_iter([("path".to_owned(), json!(path)), ("similar".to_owned(), json!(similar))])
            }
            Error::Outside { file, similar, .. } => Map::from_iter([
                ("file".to_owned(), json!(file.to_string_lossy())),
                ("similar".to_owned(), json!(similar)),
            ]),
            Error::Path { path, .. } | Error::NothingOwed { path, .. } | Error::NotCounted { path, .. } => {
                field("path", json!(path))
            }
            Error::NoContractAbove { path } => field("path", json!(path)),
            Error::Value { what, value, .. } => field(what, json!(value)),
            Error::IdTaken { id, file } => {
                Map::from_iter([("id".to_owned(), json!(id)), ("file".to_owned(), json!(file))])
            }
            Error::Broken { file }
            | Error::IllegalOverride { file, .. }
            | Error::Uneditable { file, .. }
            | Error::Unmendable { file, .. } => field("file", json!(file)),
            Error::ReadOnly { .. } => Map::new(),
            Error::Edit(error) => error.fields(),
            Error::Io { file, .. } => field("file", json!(file.to_string_lossy())),
        }
    }
}
