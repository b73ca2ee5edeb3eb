//! The journal: what dagwood wrote in a workspace, so that it can be undone and redone.
//!
//! A folder of the platform's state directory, one file an entry, numbered. An entry is written and synced **before**
//! its write, so a write that happened is always known; whether it happened is read off the files themselves: they
//! hold what the entry says they held after it, or before it. An undone entry is the same file under another name.
//! A new write forgets the undone entries, as in an editor.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::plan::path;
use super::{Error, FileEdit, apply};

/// How many writes are remembered.
const KEPT: usize = 200;

/// Rows of a registry that a write changed; only `crate::resources` knows what they mean.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowChanges {
    /// The registry's file.
    #[serde(with = "path")]
    pub registry: PathBuf,
    /// The changes, in the order in which they were made.
    pub changes: serde_json::Value,
}

/// A write that can be undone or redone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number, rising.
    #[serde(skip)]
    pub number: u64,
    /// Whether it stands or has been undone.
    #[serde(skip)]
    pub undone: bool,
    /// What it did, in a few words.
    pub label: String,
    /// When, ISO-8601 UTC.
    pub at: String,
    /// The number of the entry of which it is a further part: a long write has several, undone and redone together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<u64>,
}

impl Entry {
    /// The number of the first entry of the write it belongs to.
    pub fn write(&self) -> u64 {
        self.part_of.unwrap_or(self.number)
    }
}

/// The heavy part of an entry, read only to undo or redo it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Body {
    files: Vec<FileEdit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<RowChanges>,
}

/// Where the files of an entry stand when it is to be undone or redone.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The entry.
    pub entry: Entry,
    /// The edits that undo (or redo) its files; those that already are as they should be are left out.
    pub edits: Vec<FileEdit>,
    /// The rows to take back (or make again).
    pub rows: Option<RowChanges>,
}

/// The writes of dagwood in one workspace.
#[derive(Clone, Debug)]
pub struct Journal {
    place: PathBuf,
    folder: PathBuf,
}

impl Journal {
    /// The journal of a workspace, in the platform's state directory. Nothing is made until something is recorded.
    pub fn of(place: &Path) -> Journal {
        let base = etcetera::choose_base_strategy().ok();
        let state = base.as_ref().map(|base| {
            use etcetera::BaseStrategy;
            base.state_dir().unwrap_or_else(|| base.data_dir())
        });
        Journal::at(&state.unwrap_or_else(std::env::temp_dir).join("dagwood"), place)
    }

    /// The journal of a workspace below another state directory.
    pub fn at(state: &Path, place: &Path) -> Journal {
        let hash = Sha256::digest(place.as_os_str().as_encoded_bytes());
        let name: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Journal { place: place.to_owned(), folder: state.join(name).join("journal") }
    }

    /// Records a write that is about to be made; gives its number.
    ///
    /// # Errors
    /// [`Error::Io`]; then the write must not be made.
    pub fn record(&self, label: &str, files: &[FileEdit], rows: Option<RowChanges>) -> Result<u64, Error> {
        self.record_part(label, files, rows, None)
    }

    /// Records a further part of a long write, whose first part has the number `of`.
    ///
    /// # Errors
    /// [`Error::Io`]; then the part must not be made.
    pub fn record_part(
        &self,
        label: &str,
        files: &[FileEdit],
        rows: Option<RowChanges>,
        of: Option<u64>,
    ) -> Result<u64, Error> {
        let _alone = self.lock()?;
        let number = self.list()?.last().map_or(1, |entry| entry.number + 1);
        let head = Entry { number, undone: false, label: label.to_owned(), at: now(), part_of: of };
        let body = Body { files: files.to_vec(), rows };
        let doing = Error::io("record the write in", &self.folder);
        let text = serde_json::to_string(&head)
            .and_then(|head| Ok(format!("{head}\n{}\n", serde_json::to_string(&body)?)))
            .map_err(io::Error::other);
        text.and_then(|text| {
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(self.file(number, false)).map_err(|error| error.error)?;
            File::open(&self.folder)?.sync_all()
        })
        .map_err(doing)?;
        Ok(number)
    }

    /// Forgets an entry whose write was not made after all.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn forget(&self, number: u64) -> Result<(), Error> {
        let file = self.file(number, false);
        fs::remove_file(&file).map_err(Error::io("forget", file))
    }

    /// Forgets everything, for a workspace that goes away itself.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn discard(self) -> Result<(), Error> {
        let folder = self.folder.parent().unwrap_or(&self.folder);
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", folder)(error)),
            _ => Ok(()),
        }
    }

    /// After a new write: what had been undone can no longer be redone, and the oldest entries go.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn settle(&self) -> Result<(), Error> {
        let entries = self.list()?;
        let spare = entries.len().saturating_sub(KEPT);
        for (nth, entry) in entries.iter().enumerate() {
            if entry.undone || nth < spare {
                let file = self.file(entry.number, entry.undone);
                fs::remove_file(&file).map_err(Error::io("forget", file))?;
            }
        }
        Ok(())
    }

    /// All entries, the oldest first.
    ///
    /// # Errors
    /// [`Error::Io`]. An entry that cannot be read is left out.
    pub fn list(&self) -> Result<Vec<Entry>, Error> {
        let listing = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other.map_err(Error::io("read", &self.folder))?,
        };
        let mut entries: Vec<Entry> = listing.flatten().filter_map(|item| read_head(&item.path())).collect();
        entries.sort_by_key(|entry| entry.number);
        Ok(entries)
    }

    /// The newest write that stands, ready to be undone. One that never happened (the program was killed before it) is
    /// forgotten on the way.
    ///
    /// # Errors
    /// [`Error::Nothing`]; [`Error::ChangedSince`] when a file has been changed by somebody else since.
    pub fn to_undo(&self) -> Result<Standing, Error> {
        for entry in self.list()?.into_iter().rev().filter(|entry| !entry.undone) {
            let body = self.body(&entry)?;
            let edits = pending(body.files.iter().rev().map(FileEdit::reversed))?;
            if edits.is_empty() && body.rows.is_none() {
                self.forget(entry.number)?;
                continue;
            }
            return Ok(Standing { entry, edits, rows: body.rows });
        }
        Err(Error::Nothing { verb: "undo", place: self.place.clone() })
    }

    /// The oldest undone write after the newest that stands, ready to be redone.
    ///
    /// # Errors
    /// As [`Journal::to_undo`].
    pub fn to_redo(&self) -> Result<Standing, Error> {
        let Some(entry) = self.list()?.into_iter().find(|entry| entry.undone) else {
            return Err(Error::Nothing { verb: "redo", place: self.place.clone() });
        };
        let body = self.body(&entry)?;
        let edits = pending(body.files.iter().cloned())?;
        Ok(Standing { entry, edits, rows: body.rows })
    }

    /// Notes that an entry has been undone, or redone.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn turn(&self, entry: &Entry) -> Result<(), Error> {
        let from = self.file(entry.number, entry.undone);
        fs::rename(&from, self.file(entry.number, !entry.undone)).map_err(Error::io("note in", from))
    }

    fn body(&self, entry: &Entry) -> Result<Body, Error> {
        let file = self.file(entry.number, entry.undone);
        let text = fs::read_to_string(&file).map_err(Error::io("read", &file))?;
        let body = text.split_once('\n').map(|(_, body)| body).unwrap_or_default();
        serde_json::from_str(body).map_err(|error| Error::io("understand", &file)(io::Error::other(error)))
    }

    fn file(&self, number: u64, undone: bool) -> PathBuf {
        self.folder.join(if undone { format!("{number:08}.undone") } else { format!("{number:08}.done") })
    }

    /// Held while a number is chosen, so that two programs never take one.
    fn lock(&self) -> Result<File, Error> {
        fs::create_dir_all(&self.folder).map_err(Error::io("make the folder", &self.folder))?;
        let path = self.folder.join("lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path);
        file.and_then(|file| file.lock().map(|()| file)).map_err(Error::io("lock", path))
    }
}

/// The edits still to be made: a file that already is as it should be is done, one that is neither as it was nor as it
/// should be has been changed by somebody else.
fn pending(edits: impl Iterator<Item = FileEdit>) -> Result<Vec<FileEdit>, Error> {
    let mut left = Vec::new();
    for edit in edits {
        let now = apply::now(&edit.file)?;
        if now == edit.before {
            left.push(edit);
        } else if now != edit.after {
            return Err(Error::ChangedSince { file: edit.file });
        }
    }
    Ok(left)
}

fn read_head(file: &Path) -> Option<Entry> {
    let undone = match file.extension()?.to_str()? {
        "done" => false,
        "undone" => true,
        _ => return None,
    };
    let number = file.file_stem()?.to_str()?.parse().ok()?;
    let mut line = String::new();
    BufReader::new(File::open(file).ok()?).read_line(&mut line).ok()?;
    let entry: Entry = serde_json::from_str(&line).ok()?;
    Some(Entry { number, undone, ..entry })
}

fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::super::{Plan, carry_out};
    use super::*;

    struct Place {
        dir: tempfile::TempDir,
        journal: Journal,
    }

    impl Place {
        fn new() -> Place {
            let dir = tempfile::tempdir().unwrap();
            let journal = Journal::at(&dir.path().join("state"), dir.path());
            Place { dir, journal }
        }

        fn plan(&self, edit: FileEdit) -> Plan {
            Plan { label: format!("{:?}", edit.kind()), root: self.dir.path().to_owned(), edits: vec![edit] }
        }

        fn undo(&self) -> Result<(), Error> {
            let standing = self.journal.to_undo()?;
            let _ = apply(&standing.edits)?;
            self.journal.turn(&standing.entry)
        }

        fn redo(&self) -> Result<(), Error> {
            let standing = self.journal.to_redo()?;
            let _ = apply(&standing.edits)?;
            self.journal.turn(&standing.entry)
        }
    }

    use super::super::apply;

    #[test]
    fn writes_are_undone_and_redone_in_turn() {
        let place = Place::new();
        let file = place.dir.path().join("a");
        carry_out(&place.plan(FileEdit::create(&file, "1")), &place.journal, || Ok(())).unwrap();
        carry_out(&place.plan(FileEdit::change(&file, "1", "2")), &place.journal, || Ok(())).unwrap();
        place.undo().unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"1");
        place.undo().unwrap();
        assert!(!file.exists());
        assert!(matches!(place.undo(), Err(Error::Nothing { verb: "undo", .. })));
        place.redo().unwrap();
        place.redo().unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"2");
        assert!(matches!(place.redo(), Err(Error::Nothing { verb: "redo", .. })));
    }

    #[test]
    fn folders_that_a_write_made_go_with_it() {
        let place = Place::new();
        let file = place.dir.path().join("a/b/c");
        carry_out(&place.plan(FileEdit::create(&file, "1")), &place.journal, || Ok(())).unwrap();
        place.undo().unwrap();
        assert!(!place.dir.path().join("a").exists());
        place.redo().unwrap();
        fs::write(place.dir.path().join("a/theirs"), "x").unwrap();
        place.undo().unwrap();
        assert!(place.dir.path().join("a/theirs").exists() && !place.dir.path().join("a/b").exists());
    }

    #[test]
    fn a_discarded_journal_leaves_nothing_but_what_was_written() {
        let place = Place::new();
        let file = place.dir.path().join("a");
        carry_out(&place.plan(FileEdit::create(&file, "1")), &place.journal, || Ok(())).unwrap();
        place.journal.clone().discard().unwrap();
        assert_eq!(fs::read_dir(place.dir.path().join("state")).unwrap().count(), 0);
        assert!(file.exists() && place.journal.list().unwrap().is_empty());
        place.journal.discard().unwrap();
    }

    #[test]
    fn a_new_write_ends_redoing() {
        let place = Place::new();
        let (one, two) = (place.dir.path().join("1"), place.dir.path().join("2"));
        carry_out(&place.plan(FileEdit::create(&one, "1")), &place.journal, || Ok(())).unwrap();
        place.undo().unwrap();
        carry_out(&place.plan(FileEdit::create(&two, "2")), &place.journal, || Ok(())).unwrap();
        assert!(matches!(place.redo(), Err(Error::Nothing { .. })));
    }

    #[test]
    fn undo_is_refused_when_somebody_changed_the_file() {
        let place = Place::new();
        let file = place.dir.path().join("a");
        carry_out(&place.plan(FileEdit::create(&file, "1")), &place.journal, || Ok(())).unwrap();
        fs::write(&file, "theirs").unwrap();
        assert!(matches!(place.undo(), Err(Error::ChangedSince { .. })));
        assert_eq!(fs::read(&file).unwrap(), b"theirs");
    }

    #[test]
    fn a_write_that_never_happened_is_forgotten() {
        let place = Place::new();
        let file = place.dir.path().join("a");
        place.journal.record("killed before it wrote", &[FileEdit::create(&file, "1")], None).unwrap();
        assert!(matches!(place.undo(), Err(Error::Nothing { .. })));
        assert!(place.journal.list().unwrap().is_empty());
    }

    #[test]
    fn a_result_that_is_not_as_previewed_is_rolled_back() {
        let place = Place::new();
        let file = place.dir.path().join("a");
        let plan = place.plan(FileEdit::create(&file, "1"));
        let error = carry_out(&plan, &place.journal, || Err("still owed".into())).unwrap_err();
        assert_eq!(error.to_string(), "rolled back: still owed");
        assert!(!file.exists());
        assert!(place.journal.list().unwrap().is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn rows_of_a_registry_of_any_name_are_recorded() {
        use std::os::unix::ffi::OsStrExt;
        let place = Place::new();
        let registry = Path::new(std::ffi::OsStr::from_bytes(b"/latin\xe9/registry.db")).to_owned();
        let rows = RowChanges { registry, changes: "[]".into() };
        place.journal.record("add", &[], Some(rows.clone())).unwrap();
        assert_eq!(place.journal.to_undo().unwrap().rows, Some(rows));
    }
}
