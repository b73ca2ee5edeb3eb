//! Planned writes: the only code that changes a user's files, and the journal that undoes every write of dagwood.
//!
//! A [`Plan`] says which files will hold what; it is shown first ([`FileEdit::diff`]) and then carried out
//! ([`carry_out`]): recorded in the [`Journal`], written atomically, read back, and rolled back when the result is not
//! what was previewed. A file is created only where none is, changed only while it still holds what the plan was made
//! on, and never written through a symbolic link.
//!
//! The journal also remembers writes to the registry, as rows it does not interpret; `crate::workspace` joins the two.

mod apply;
mod journal;
mod plan;

use std::path::PathBuf;

use serde_json::{Map, Value, json};

pub use apply::{Applied, apply};
pub use journal::{Entry, Journal, RowChanges, Standing, state_folder};
pub use plan::{FileEdit, Kind, Plan};

use crate::error::{Code, Coded};

/// Why a planned write was not done. The files are as they were.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file to be created is already there.
    #[error("{} is already there; nothing is written over it", file.display())]
    AlreadyExists {
        /// The file.
        file: PathBuf,
    },
    /// A file no longer holds what the plan was made on.
    #[error("{} changed since it was read; look at it again and repeat", file.display())]
    ChangedSince {
        /// The file.
        file: PathBuf,
    },
    /// A file, or a folder on the way to it, is a symbolic link.
    #[error("{} is a symbolic link; nothing is written through links", file.display())]
    SymbolicLink {
        /// The link.
        file: PathBuf,
    },
    /// A file lies outside the place the plan may write to.
    #[error("{} lies outside {}", file.display(), root.display())]
    Outside {
        /// The file.
        file: PathBuf,
        /// The place.
        root: PathBuf,
    },
    /// The result was read back and was not what the preview said; it has been rolled back.
    #[error("rolled back: {why}")]
    NotAsPreviewed {
        /// What differed.
        why: String,
        /// The first file of the plan.
        file: PathBuf,
    },
    /// The journal holds nothing to undo or redo.
    #[error("nothing to {verb} in {}", place.display())]
    Nothing {
        /// `undo` or `redo`.
        verb: &'static str,
        /// The workspace.
        place: PathBuf,
    },
    /// The disk failed.
    #[error("cannot {doing} {}: {source}", file.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To which file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Error {
    pub(crate) fn io(doing: &'static str, file: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let file = file.into();
        move |source| Error::Io { doing, file, source }
    }
}

impl Coded for Error {
    fn code(&self) -> Code {
        match self {
            Error::AlreadyExists { .. } => Code::AlreadyExists,
            Error::ChangedSince { .. } | Error::NotAsPreviewed { .. } => Code::ChangedSince,
            Error::SymbolicLink { .. } => Code::SymbolicLink,
            Error::Outside { .. } => Code::OutsideLayer,
            Error::Nothing { .. } => Code::NothingToUndo,
            Error::Io { .. } => Code::Io,
        }
    }

    fn fields(&self) -> Map<String, Value> {
        let file = match self {
            Error::AlreadyExists { file }
            | Error::ChangedSince { file }
            | Error::SymbolicLink { file }
            | Error::Outside { file, .. }
            | Error::NotAsPreviewed { file, .. }
            | Error::Io { file, .. } => file,
            Error::Nothing { .. } => return Map::new(),
        };
        Map::from_iter([("file".to_owned(), json!(file.to_string_lossy()))])
    }
}

/// Records a plan, writes it, and lets `confirm` read the result back; when that gives a reason against it, everything
/// is rolled back and forgotten.
///
/// # Errors
/// Every [`Error`]; the files are then as they were before.
pub fn carry_out(plan: &Plan, journal: &Journal, confirm: impl FnOnce() -> Result<(), String>) -> Result<(), Error> {
    plan.check()?;
    let edits: Vec<FileEdit> = plan.edits.iter().cloned().map(FileEdit::noting_folders).collect();
    let entry = journal.record(&plan.label, &edits, None)?;
    let applied = match apply(&edits) {
        Ok(applied) => applied,
        Err(error) => {
            journal.forget(entry)?;
            return Err(error);
        }
    };
    if let Err(why) = confirm() {
        applied.roll_back()?;
        journal.forget(entry)?;
        let file = plan.edits.first().map(|edit| edit.file.clone()).unwrap_or_default();
        return Err(Error::NotAsPreviewed { why, file });
    }
    journal.settle()
}
