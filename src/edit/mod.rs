//! Planned writes: the only code that changes a user's files, and the journal that undoes every write of dagwood.
//!
//! A [`Plan`] says which files will hold what; it is shown first ([`FileEdit::diff`]) and then carried out
//! ([`carry_out`]): recorded in the [`Journal`], written atomically, read back, and rolled back when the result is not
//! what was previewed. A file is created only where none is, changed only while it still holds what the plan was made
//! on, and never written through a symbolic link.
//!
//! The journal also remembers writes to the registry, as rows it does not interpret; `crate::workspace` joins the two.

mod apply;
pub(crate) mod disk;
mod journal;
mod plan;

use std::path::PathBuf;

use serde_json::{Map, Value, json};

pub use apply::{Applied, apply};
pub use journal::{Entry, Held, Journal, RowChanges, Standing, state_folder};
pub use plan::{FileEdit, Kind, Plan, Root, effect};

use crate::error::{Code, Coded};

/// Why a planned write was not done. The files are as they were, but for [`Error::HalfTakenBack`].
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
    /// A file no longer holds what a write left in it: undoing or redoing that would lose what somebody did since.
    #[error("{} was edited since {since}: {doing} would lose that edit", file.display())]
    EditedSince {
        /// The file.
        file: PathBuf,
        /// Since when, in words.
        since: &'static str,
        /// `undoing` or `redoing`.
        doing: &'static str,
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
    /// A write failed half-way, and what had been written could not all be taken back. It is still in the journal.
    #[error("{first}; and what was written before could not all be taken back: {back}; `dagwood undo` tries again")]
    HalfTakenBack {
        /// Why the write was given up.
        first: Box<Error>,
        /// Why it was not taken back whole.
        back: Box<Error>,
    },
    /// Nothing is to be written.
    #[error("opened with --read-only: nothing is written")]
    ReadOnly,
    /// There is nowhere to keep the journal.
    #[error(
        "no home directory to remember writes in, and nothing is written in {} that cannot be undone; set HOME or \
         XDG_STATE_HOME to an absolute path", place.display()
    )]
    NoStateDirectory {
        /// The workspace.
        place: PathBuf,
    },
    /// Another program holds the journal.
    #[error("another dagwood is writing in {}; try again when it is done", place.display())]
    Busy {
        /// The workspace.
        place: PathBuf,
    },
    /// The person said stop, before it began.
    #[error("stopped; nothing was written")]
    Cancelled,
    /// The journal holds nothing to undo or redo.
    #[error("nothing to {verb} in {}", place.display())]
    Nothing {
        /// `undo`, `redo` or `leave as it is`.
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
            Error::ChangedSince { .. } | Error::EditedSince { .. } | Error::NotAsPreviewed { .. } => Code::ChangedSince,
            Error::SymbolicLink { .. } => Code::SymbolicLink,
            Error::Outside { .. } => Code::OutsideLayer,
            Error::Nothing { .. } => Code::NothingToUndo,
            Error::HalfTakenBack { first, .. } => first.code(),
            Error::ReadOnly => Code::ReadOnly,
            Error::Cancelled => Code::Cancelled,
            Error::Busy { .. } => Code::Busy,
            Error::NoStateDirectory { .. } | Error::Io { .. } => Code::Io,
        }
    }

    fn fields(&self) -> Map<String, Value> {
        let file = match self {
            Error::AlreadyExists { file }
            | Error::ChangedSince { file }
            | Error::EditedSince { file, .. }
            | Error::SymbolicLink { file }
            | Error::Outside { file, .. }
            | Error::NotAsPreviewed { file, .. }
            | Error::Io { file, .. } => file,
            Error::HalfTakenBack { first, .. } => return first.fields(),
            Error::Nothing { .. }
            | Error::ReadOnly
            | Error::Cancelled
            | Error::NoStateDirectory { .. }
            | Error::Busy { .. } => return Map::new(),
        };
        Map::from_iter([("file".to_owned(), json!(file.to_string_lossy()))])
    }
}

/// Records a plan, writes it, and lets `confirm` read the result back; when that gives a reason against it, everything
/// is rolled back and forgotten. The journal is held all the while.
///
/// # Errors
/// Every [`Error`]; the files are then as they were before, but for [`Error::HalfTakenBack`].
pub fn carry_out(plan: &Plan, journal: &Journal, confirm: impl FnOnce() -> Result<(), String>) -> Result<(), Error> {
    plan.check()?;
    let root = Root::of(&plan.root);
    let held = journal.hold()?;
    // only now: holding it takes away folders that a killed write has left
    let edits: Vec<FileEdit> = plan.edits.iter().cloned().map(FileEdit::noting_folders).collect();
    let entry = held.record(&plan.label, &root, &edits)?;
    let made = apply(&root, &edits).and_then(|applied| {
        confirm().map_err(|why| {
            let file = plan.edits.first().map(|edit| edit.file.clone()).unwrap_or_default();
            applied.taken_back(Error::NotAsPreviewed { why, file })
        })
    });
    match &made {
        Ok(()) => held.settle(),
        // what still stands has to be known
        Err(Error::HalfTakenBack { .. }) => {}
        Err(_) => held.forget(entry),
    }
    made
}
