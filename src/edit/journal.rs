//! The journal: what dagwood wrote in a workspace, so that it can be undone and redone.
//!
//! A folder of the platform's state directory, one file an entry, numbered. An entry is written and synced **before**
//! its write, so a write that happened is always known; whether it happened is read off the files themselves: they
//! hold what the entry says they held after it, or before it. An undone entry is the same file under another name.
//! A new write forgets the undone entries, as in an editor. An entry that somebody leaves as it is ([`Held::keep`]) is the
//! same file under a third name: it is told, and never undone.
//!
//! Whoever writes holds the journal ([`Journal::hold`]) from before the entry is recorded until the write is made or
//! given up, and so does whoever undoes: an entry that looks unwritten is then known to be no write on its way. The lock
//! holds the number of the entry in hand, so that the next holder knows what a killed one left, and tidies up.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::plan::{self, path};
use super::{Error, FileEdit, Root, apply, disk};
use crate::bounded;

/// How many writes are remembered.
const KEPT: usize = 200;

/// The name of an entry that is being written.
const NEXT: &str = "next";

/// The words for a file that was edited between a write and its undoing.
const UNDOING: [&str; 2] = ["dagwood wrote it", "undoing"];

/// How long to wait for another program that writes here; as for a registry.
const WAIT: Duration = Duration::from_secs(5);

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
    /// What came of it: `1 link added`, `creates .ai/repo/ci/README.md`. Empty where an older version wrote it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub effect: String,
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
    /// Entries of rows have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    root: Option<Root>,
    files: Vec<FileEdit>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<RowChanges>,
}

/// Where the files of an entry stand when it is to be undone or redone.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The entry.
    pub entry: Entry,
    /// Outside which its files must not lie.
    pub root: Root,
    /// The edits that undo (or redo) its files; those that already are as they should be are left out.
    pub edits: Vec<FileEdit>,
    /// The rows to take back (or make again).
    pub rows: Option<RowChanges>,
}

/// The folder of dagwood in the platform's state directory; nothing is made until something is kept there. `None` where
/// there is no such directory, or it is named from the current one and so may lie in what is looked at.
pub fn state_folder() -> Option<PathBuf> {
    use etcetera::BaseStrategy;
    let base = etcetera::choose_base_strategy().ok()?;
    let state = base.state_dir().unwrap_or_else(|| base.data_dir());
    state.is_absolute().then(|| state.join("dagwood"))
}

/// The writes of dagwood in one workspace.
#[derive(Clone, Debug)]
pub struct Journal {
    place: PathBuf,
    /// `None` where the machine has no place for it.
    folder: Option<PathBuf>,
    read_only: bool,
    /// Set once what was to be written is not wanted any more.
    stop: Option<Arc<AtomicBool>>,
}

impl Journal {
    /// The journal of a workspace, in the platform's state directory. Nothing is made until something is recorded.
    /// Where there is no such directory nothing can be recorded, and so nothing written: a folder that others can fill
    /// would let them say what undoing writes.
    pub fn of(place: &Path) -> Journal {
        match state_folder() {
            Some(state) => Journal::at(&state, place),
            None => Journal { place: place.to_owned(), folder: None, read_only: false, stop: None },
        }
    }

    /// The workspace's own folder in the state directory: what is kept there goes with the journal. `None` where there
    /// is no such directory.
    pub fn home(&self) -> Option<&Path> {
        self.folder.as_deref().map(|folder| folder.parent().unwrap_or(folder))
    }

    /// The journal of a workspace below another state directory.
    pub fn at(state: &Path, place: &Path) -> Journal {
        let hash = Sha256::digest(place.as_os_str().as_encoded_bytes());
        let name: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Journal {
            place: place.to_owned(),
            folder: Some(state.join(name).join("journal")),
            read_only: false,
            stop: None,
        }
    }

    /// The same journal, to look at only: it refuses to be held, so that no write can be made.
    #[must_use]
    pub fn read_only(self) -> Journal {
        Journal { read_only: true, ..self }
    }

    /// The same journal, which nobody waits for any more, and for which nothing begins any more, once the flag is set.
    #[must_use]
    pub fn until(self, stop: Arc<AtomicBool>) -> Journal {
        Journal { stop: Some(stop), ..self }
    }

    /// Refuses what is not wanted any more.
    fn still_wanted(&self) -> Result<(), Error> {
        let stopped = self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::SeqCst));
        if stopped { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Holds the journal for a write, an undo or a redo: until it is dropped nobody else does any of them here.
    ///
    /// # Errors
    /// [`Error::ReadOnly`]; [`Error::NoStateDirectory`]; [`Error::Busy`] when another program holds it for long;
    /// [`Error::Cancelled`]; [`Error::Io`]. Then nothing must be written.
    pub fn hold(&self) -> Result<Held<'_>, Error> {
        if self.read_only {
            return Err(Error::ReadOnly);
        }
        let Some(folder) = &self.folder else { return Err(Error::NoStateDirectory { place: self.place.clone() }) };
        disk::make_folders(folder).map_err(Error::io("make the folder", folder))?;
        let path = folder.join("lock");
        let lock = disk::open_lock(&path).map_err(Error::io("open", &path))?;
        let since = Instant::now();
        loop {
            self.still_wanted()?;
            match disk::try_lock(&lock, &path) {
                Ok(()) => return Ok(Held::new(self, folder, lock)),
                Err(TryLockError::WouldBlock) if since.elapsed() < WAIT => {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(TryLockError::WouldBlock) => return Err(Error::Busy { place: self.place.clone() }),
                Err(TryLockError::Error(error)) => return Err(Error::io("lock", path)(error)),
            }
        }
    }

    /// Forgets everything, for a workspace that goes away itself.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn discard(self) -> Result<(), Error> {
        let Some(folder) = self.home() else { return Ok(()) };
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::io("remove", folder)(error)),
            _ => Ok(()),
        }
    }

    /// All writes that can be undone or redone, the oldest first. Undone ones before the newest that stands are left
    /// out: that write ended redoing them, even where it was killed before it could forget them.
    ///
    /// # Errors
    /// [`Error::Io`]. An entry that cannot be read is left out.
    pub fn list(&self) -> Result<Vec<Entry>, Error> {
        let Some(folder) = &self.folder else { return Ok(Vec::new()) };
        let read = |it: &Numbered| {
            let state = it.state.filter(|&state| state != State::Kept)?;
            let undone = state == State::Undone;
            Some(Entry { number: it.number, undone, ..read_head(&name(folder, it.number, state))? })
        };
        let mut entries: Vec<Entry> = numbered(folder)?.iter().filter_map(read).collect();
        let newest = entries.iter().rev().find(|entry| !entry.undone).map(|entry| entry.number);
        entries.retain(|entry| !entry.undone || Some(entry.number) > newest);
        Ok(entries)
    }

    /// The writes that were left as they are, the oldest first: told, and never undone.
    ///
    /// # Errors
    /// [`Error::Io`]. An entry that cannot be read is left out.
    pub fn kept(&self) -> Result<Vec<Entry>, Error> {
        let Some(folder) = &self.folder else { return Ok(Vec::new()) };
        let kept = numbered(folder)?.into_iter().filter(|it| it.state == Some(State::Kept));
        let read =
            |it: Numbered| Some(Entry { number: it.number, ..read_head(&name(folder, it.number, State::Kept))? });
        Ok(kept.filter_map(read).collect())
    }

    /// The newest write that stands, as it would be undone. One that never happened is passed over.
    ///
    /// # Errors
    /// [`Error::Nothing`]; [`Error::EditedSince`] when a file has been changed by somebody else since.
    pub fn to_undo(&self) -> Result<Standing, Error> {
        self.newest(|_| true, |_| ())
    }

    /// The same, where it can be told whether rows of an entry are there: one whose rows are not is passed over too.
    ///
    /// # Errors
    /// As [`Journal::to_undo`].
    pub fn to_undo_if(&self, made: impl Fn(&RowChanges) -> bool) -> Result<Standing, Error> {
        self.newest(made, |_| ())
    }

    /// The oldest undone write after the newest that stands, as it would be redone.
    ///
    /// # Errors
    /// As [`Journal::to_undo`].
    pub fn to_redo(&self) -> Result<Standing, Error> {
        let Some(entry) = self.list()?.into_iter().find(|entry| entry.undone) else {
            return Err(Error::Nothing { verb: "redo", place: self.place.clone() });
        };
        let body = self.body(&entry)?;
        let edits = pending(body.files.iter().cloned(), ["that was undone", "redoing"])?;
        Ok(Standing { entry, root: self.root(body.root), edits, rows: body.rows })
    }

    /// The newest write that stands, whether or not it can be undone, where it can be told whether rows of an entry are
    /// there.
    ///
    /// # Errors
    /// [`Error::Nothing`]; [`Error::Io`].
    pub fn to_keep_if(&self, made: impl Fn(&RowChanges) -> bool) -> Result<Entry, Error> {
        for entry in self.list()?.into_iter().rev().filter(|entry| !entry.undone) {
            // what cannot be undone is in the way, whatever the reason
            if self.undoing(&entry, &made).map_or(true, |standing| standing.is_some()) {
                return Ok(entry);
            }
        }
        Err(Error::Nothing { verb: "leave as it is", place: self.place.clone() })
    }

    fn newest(&self, made: impl Fn(&RowChanges) -> bool, mut unmade: impl FnMut(&Entry)) -> Result<Standing, Error> {
        for entry in self.list()?.into_iter().rev().filter(|entry| !entry.undone) {
            match self.undoing(&entry, &made)? {
                Some(standing) => return Ok(standing),
                None => unmade(&entry),
            }
        }
        Err(Error::Nothing { verb: "undo", place: self.place.clone() })
    }

    /// An entry as it would be undone; `None` where nothing of it is there.
    fn undoing(&self, entry: &Entry, made: impl Fn(&RowChanges) -> bool) -> Result<Option<Standing>, Error> {
        let body = self.body(entry)?;
        let edits = pending(body.files.iter().rev().map(FileEdit::reversed), UNDOING)?;
        if edits.is_empty() && !body.rows.as_ref().is_some_and(made) {
            return Ok(None);
        }
        Ok(Some(Standing { entry: entry.clone(), root: self.root(body.root), edits, rows: body.rows }))
    }

    /// The root of an entry; of one that notes none, the workspace.
    fn root(&self, noted: Option<Root>) -> Root {
        noted.unwrap_or_else(|| Root::of(&self.place))
    }

    fn body(&self, entry: &Entry) -> Result<Body, Error> {
        let file = name(self.folder.as_deref().unwrap_or(&self.place), entry.number, State::of(entry));
        let text = bounded::open(&file).and_then(io::read_to_string).map_err(Error::io("read", &file))?;
        let body = text.split_once('\n').map(|(_, body)| body).unwrap_or_default();
        serde_json::from_str(body).map_err(|error| Error::io("understand", &file)(io::Error::other(error)))
    }
}

/// A journal that nobody else writes to meanwhile.
#[derive(Debug)]
pub struct Held<'a> {
    journal: &'a Journal,
    folder: &'a Path,
    lock: File,
    /// The entry whose rows a killed holder may or may not have changed.
    left: Option<(Entry, RowChanges)>,
    left_in_hand: bool,
}

impl<'a> Held<'a> {
    fn new(journal: &'a Journal, folder: &'a Path, lock: File) -> Held<'a> {
        let mut held = Held { journal, folder, lock, left: None, left_in_hand: false };
        let mut note = String::new();
        // a note that cannot be read leaves something untidy, and nothing unsafe
        let _ = (&held.lock).take(64).read_to_string(&mut note);
        if let Ok(number) = note.trim().parse() {
            held.left = held.tidy(number);
        }
        held
    }

    /// Tidies up after a holder that was killed with an entry in hand. A write to files that is not there has been
    /// undone, or was never made: it can be redone. Whether rows are there is for others to tell.
    fn tidy(&self, number: u64) -> Option<(Entry, RowChanges)> {
        let mut states = [State::Stands, State::Undone].into_iter();
        let state = states.find(|state| name(self.folder, number, *state).exists())?;
        let undone = state == State::Undone;
        let entry = Entry { number, undone, ..read_head(&name(self.folder, number, state))? };
        let body = self.journal.body(&entry).ok()?;
        if let Some(root) = &body.root {
            apply::tidy(root, &body.files);
        }
        if undone {
            return None;
        }
        if body.rows.is_none() {
            self.turn_back(&entry);
        }
        Some((entry, body.rows?))
    }

    /// Notes an entry that stands as undone, when nothing of it is in its files: what could not be taken back whole has
    /// to stay known. Where it cannot be noted, undoing passes it over.
    pub fn turn_back(&self, entry: &Entry) {
        let left = |body: Body| pending(body.files.iter().map(FileEdit::reversed), UNDOING);
        if self.journal.body(entry).and_then(left).is_ok_and(|left| left.is_empty()) {
            let _ = self.turn(entry);
        }
    }

    /// The entry that a killed holder had in hand, and the rows that it may not have changed, or have taken back.
    pub fn left(&self) -> Option<&(Entry, RowChanges)> {
        self.left.as_ref()
    }

    /// Refuses what is not wanted any more: to be asked after waiting for something else, while nothing is written yet.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub fn still_wanted(&self) -> Result<(), Error> {
        self.journal.still_wanted()
    }

    /// Notes in the lock that an entry is in hand.
    fn take_in_hand(&self, number: u64) -> Result<(), Error> {
        let lock = self.folder.join("lock");
        disk::note(&self.lock, &number.to_string(), &lock).map_err(Error::io("write", lock))
    }

    /// Records a write to files below a root that is about to be made; gives its number.
    ///
    /// # Errors
    /// [`Error::Io`]; then the write must not be made.
    pub fn record(&self, label: &str, root: &Root, files: &[FileEdit]) -> Result<u64, Error> {
        let effect = plan::effect(files, &self.journal.place);
        self.note(label, effect, None, &Body { root: Some(root.clone()), files: files.to_vec(), rows: None })
    }

    /// Records a change of rows that is about to be made, and what comes of it in a few words; a further part of a long write names the first one's number.
    ///
    /// # Errors
    /// [`Error::Io`]; then the change must not be made.
    pub fn record_rows(
        &self,
        label: &str,
        effect: String,
        rows: RowChanges,
        part_of: Option<u64>,
    ) -> Result<u64, Error> {
        self.note(label, effect, part_of, &Body { root: None, files: Vec::new(), rows: Some(rows) })
    }

    fn note(&self, label: &str, effect: String, part_of: Option<u64>, body: &Body) -> Result<u64, Error> {
        // by the names, so that no entry of another version, whatever it holds, is written over
        let number = numbered(self.folder)?.last().map_or(1, |last| last.number + 1);
        self.take_in_hand(number)?;
        let head = Entry { number, undone: false, label: label.to_owned(), effect, at: now(), part_of };
        let file = name(self.folder, number, State::Stands);
        let text = serde_json::to_string(&head)
            .and_then(|head| Ok(format!("{head}\n{}\n", serde_json::to_string(body)?)))
            .map_err(io::Error::other);
        text.and_then(|text| {
            // always the same name, and nobody else writes here: one that was left is in nobody's use
            let _ = disk::remove(&self.folder.join(NEXT));
            let temporary = disk::create(tempfile::Builder::new().prefix(NEXT).rand_bytes(0), self.folder)?;
            disk::write(temporary.as_file(), text.as_bytes(), &file)?;
            disk::sync(temporary.as_file(), &file)?;
            disk::place_new(temporary, &file)?;
            // an entry that may not outlive a crash is none
            disk::sync_folder(self.folder).inspect_err(|_| self.forget(number))
        })
        .map_err(Error::io("record the write in", self.folder))?;
        Ok(number)
    }

    /// Leaves the entry in hand when holding ends, as if killed: the next holder finds out what became of it.
    pub fn leave_in_hand(&mut self) {
        self.left_in_hand = true;
    }

    /// Forgets an entry whose write was not made after all. One that cannot be forgotten is passed over when undoing.
    pub fn forget(&self, number: u64) {
        let _ = disk::remove(&name(self.folder, number, State::Stands));
    }

    /// Leaves a write that stands as it is, with all its parts: it is told, and never undone. Nothing but the journal is
    /// touched.
    ///
    /// # Errors
    /// [`Error::Nothing`] where it does not stand any more; [`Error::Io`], then what is left of it can still be undone.
    pub fn keep(&self, entry: &Entry) -> Result<(), Error> {
        let stands = |other: &Entry| !other.undone && other.write() == entry.write();
        // the newest first: where it fails half-way, it is that which stands in the way that is gone
        let parts: Vec<Entry> = self.journal.list()?.into_iter().rev().filter(stands).collect();
        let Some(newest) = parts.first() else {
            return Err(Error::Nothing { verb: "leave as it is", place: self.journal.place.clone() });
        };
        self.forget_ended(newest.number)?;
        parts.iter().try_for_each(|part| self.rename(part.number, [State::Stands, State::Kept]))
    }

    /// The write is made: what had been undone can no longer be redone, and the oldest entries go. What cannot be
    /// removed stays, which harms nobody; a write that is made is never told as one that failed.
    pub fn settle(self) {
        let entries = numbered(self.folder).unwrap_or_default();
        let spare = entries.len().saturating_sub(KEPT);
        for (nth, entry) in entries.iter().enumerate() {
            if let Some(state) = entry.state.filter(|&state| state == State::Undone || nth < spare) {
                let _ = disk::remove(&name(self.folder, entry.number, state));
            }
        }
    }

    /// The newest write that stands, ready to be undone. One that never happened (the program was killed before it) is
    /// forgotten on the way.
    ///
    /// # Errors
    /// As [`Journal::to_undo`].
    pub fn to_undo(&self) -> Result<Standing, Error> {
        let standing = self.journal.newest(|_| true, |entry| self.forget(entry.number))?;
        self.take_in_hand(standing.entry.number)?;
        self.forget_ended(standing.entry.number)?;
        Ok(standing)
    }

    /// Forgets what a newer write has ended, and could not forget: once that does not stand any more it would be redone.
    fn forget_ended(&self, by: u64) -> Result<(), Error> {
        for ended in numbered(self.folder)?.iter().take_while(|entry| entry.number < by) {
            if ended.state == Some(State::Undone) {
                let _ = disk::remove(&name(self.folder, ended.number, State::Undone));
            }
        }
        Ok(())
    }

    /// The oldest undone write, ready to be redone.
    ///
    /// # Errors
    /// As [`Journal::to_redo`].
    pub fn to_redo(&self) -> Result<Standing, Error> {
        let standing = self.journal.to_redo()?;
        self.take_in_hand(standing.entry.number)?;
        Ok(standing)
    }

    /// Notes that an entry has been undone, or is about to be redone: as long as its change may be there it counts as one
    /// that stands, or the next write would forget it.
    ///
    /// # Errors
    /// [`Error::Io`]; then it counts as before.
    pub fn turn(&self, entry: &Entry) -> Result<(), Error> {
        let from = State::of(entry);
        let to = if from == State::Undone { State::Stands } else { State::Undone };
        self.rename(entry.number, [from, to])
    }

    fn rename(&self, number: u64, states: [State; 2]) -> Result<(), Error> {
        let [from, to] = states.map(|state| name(self.folder, number, state));
        let turned = disk::rename(&from, &to).and_then(|()| {
            disk::sync_folder(self.folder).inspect_err(|_| {
                let _ = disk::rename(&to, &from);
            })
        });
        turned.map_err(Error::io("note in", from))
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        // where it stays, the next holder finds nothing to tidy
        if self.left_in_hand {
            return;
        }
        let _ = disk::note(&self.lock, "", &self.folder.join("lock"));
    }
}

/// What the name of a file of the journal says.
struct Numbered {
    number: u64,
    /// `None` for a file that is none of this version's.
    state: Option<State>,
}

/// What became of a write, as the name of its file says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Stands,
    Undone,
    Kept,
}

impl State {
    const ALL: [State; 3] = [State::Stands, State::Undone, State::Kept];

    /// Of an entry that is listed.
    fn of(entry: &Entry) -> State {
        if entry.undone { State::Undone } else { State::Stands }
    }

    fn extension(self) -> &'static str {
        match self {
            State::Stands => "done",
            State::Undone => "undone",
            State::Kept => "kept",
        }
    }
}

/// The numbered files of a journal, by number.
fn numbered(folder: &Path) -> Result<Vec<Numbered>, Error> {
    let listing = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(Error::io("read", folder))?,
    };
    let of = |file: PathBuf| {
        let number = file.file_stem()?.to_str()?.parse().ok()?;
        let extension = file.extension().and_then(|it| it.to_str());
        let state = State::ALL.into_iter().find(|state| extension == Some(state.extension()));
        Some(Numbered { number, state })
    };
    let mut files: Vec<Numbered> = listing.flatten().filter_map(|item| of(item.path())).collect();
    files.sort_by_key(|file| file.number);
    Ok(files)
}

fn name(folder: &Path, number: u64, state: State) -> PathBuf {
    folder.join(format!("{number:08}.{}", state.extension()))
}

/// The edits still to be made: a file that already is as it should be is done, one that is neither as it was nor as it
/// should be has been changed by somebody else; the words say since when, and what would lose that.
fn pending(edits: impl Iterator<Item = FileEdit>, [since, doing]: [&'static str; 2]) -> Result<Vec<FileEdit>, Error> {
    let mut left = Vec::new();
    for edit in edits {
        let now = apply::now(&edit.file)?;
        if now == edit.before {
            left.push(edit);
        } else if now != edit.after {
            return Err(Error::EditedSince { file: edit.file, since, doing });
        }
    }
    Ok(left)
}

fn read_head(file: &Path) -> Option<Entry> {
    let mut line = String::new();
    BufReader::new(bounded::open(file).ok()?).read_line(&mut line).ok()?;
    serde_json::from_str(&line).ok()
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

        fn root(&self) -> Root {
            Root::of(self.dir.path())
        }

        fn write(&self, name: &str) -> PathBuf {
            let file = self.dir.path().join(name);
            carry_out(&self.plan(FileEdit::create(&file, "1")), &self.journal, || Ok(())).unwrap();
            file
        }

        fn numbers(&self) -> Vec<u64> {
            self.journal.list().unwrap().iter().map(|entry| entry.number).collect()
        }

        fn undo(&self) -> Result<(), Error> {
            let held = self.journal.hold()?;
            let standing = held.to_undo()?;
            let _ = apply(&standing.root, &standing.edits)?;
            held.turn(&standing.entry)
        }

        fn redo(&self) -> Result<(), Error> {
            let held = self.journal.hold()?;
            let standing = self.journal.to_redo()?;
            let _ = apply(&standing.root, &standing.edits)?;
            held.turn(&standing.entry)
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
        let error = place.undo().unwrap_err();
        assert!(matches!(error, Error::EditedSince { .. }));
        assert!(error.to_string().ends_with("a was edited since dagwood wrote it: undoing would lose that edit"));
        assert_eq!(fs::read(&file).unwrap(), b"theirs");
    }

    #[test]
    fn a_write_that_is_left_as_it_is_is_never_undone_and_the_one_before_it_is_next() {
        let place = Place::new();
        let files = ["1", "2", "3"].map(|name| place.write(name));
        place.undo().unwrap();
        fs::write(&files[1], "theirs").unwrap();
        assert!(place.undo().is_err());
        let entry = place.journal.to_keep_if(|_| true).unwrap();
        assert_eq!(entry.number, 2, "that which stands in the way");
        place.journal.hold().unwrap().keep(&entry).unwrap();
        assert!(matches!(place.journal.hold().unwrap().keep(&entry), Err(Error::Nothing { .. })), "it is done once");
        assert_eq!(place.numbers(), [1, 3], "what was undone can still be redone");
        assert_eq!(place.journal.kept().unwrap().iter().map(|entry| entry.number).collect::<Vec<_>>(), [2]);
        place.undo().unwrap();
        assert!(!files[0].exists());
        assert!(matches!(place.undo(), Err(Error::Nothing { .. })));
        assert!(matches!(place.journal.to_keep_if(|_| true), Err(Error::Nothing { .. })));
        assert_eq!(fs::read(&files[1]).unwrap(), b"theirs", "no byte of theirs is touched");
        // its number is not used again, nor is it forgotten by the next write
        place.write("4");
        assert_eq!(place.numbers(), [4]);
        assert_eq!(place.journal.kept().unwrap().len(), 1);
    }

    #[test]
    fn an_entry_that_cannot_be_read_whole_does_not_stand_in_the_way_for_ever() {
        let place = Place::new();
        let first = place.write("1");
        let second = place.write("2");
        let file = place.journal.folder.clone().unwrap().join("00000002.done");
        let head = fs::read_to_string(&file).unwrap().lines().next().unwrap().to_owned();
        fs::write(&file, format!("{head}\n{{broken")).unwrap();
        assert!(matches!(place.undo(), Err(Error::Io { .. })));
        let entry = place.journal.to_keep_if(|_| true).unwrap();
        place.journal.hold().unwrap().keep(&entry).unwrap();
        place.undo().unwrap();
        assert!(!first.exists() && second.exists());
    }

    #[test]
    fn a_write_that_never_happened_is_forgotten() {
        let place = Place::new();
        let file = place.dir.path().join("a");
        place.journal.hold().unwrap().record("killed", &place.root(), &[FileEdit::create(&file, "1")]).unwrap();
        assert!(matches!(place.journal.to_undo(), Err(Error::Nothing { .. })));
        assert_eq!(place.numbers(), [1], "who only looks forgets nothing");
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

    #[test]
    fn an_undo_waits_for_a_write_that_is_on_its_way() {
        let place = Place::new();
        let file = place.dir.path().join("a");
        let edits = [FileEdit::create(&file, "1")];
        let (done, is_done) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            let held = place.journal.hold().unwrap();
            held.record("slow", &place.root(), &edits).unwrap();
            let undo = scope.spawn(|| {
                let undone = place.undo();
                done.send(()).unwrap();
                undone
            });
            assert!(is_done.recv_timeout(Duration::from_millis(100)).is_err(), "it did not wait");
            let _ = apply(&place.root(), &edits).unwrap();
            held.settle();
            undo.join().unwrap().unwrap();
        });
        assert!(!file.exists());
    }

    #[test]
    fn what_is_stopped_while_it_waits_is_not_done() {
        let place = Place::new();
        let file = place.dir.path().join("a");
        let stop: Arc<AtomicBool> = Arc::default();
        let journal = place.journal.clone().until(Arc::clone(&stop));
        let plan = place.plan(FileEdit::create(&file, "1"));
        std::thread::scope(|scope| {
            let held = place.journal.hold().unwrap();
            let write = scope.spawn(|| carry_out(&plan, &journal, || Ok(())));
            stop.store(true, Ordering::SeqCst);
            // it ends though the other one goes on
            assert!(matches!(write.join().unwrap(), Err(Error::Cancelled)));
            drop(held);
        });
        assert!(!file.exists() && place.numbers().is_empty());
        stop.store(false, Ordering::SeqCst);
        let held = journal.hold().unwrap();
        stop.store(true, Ordering::SeqCst);
        assert!(matches!(held.still_wanted(), Err(Error::Cancelled)));
    }

    #[test]
    fn what_a_newer_write_ended_is_not_redone_though_it_was_killed() {
        let place = Place::new();
        let first = place.write("1");
        place.undo().unwrap();
        let edits = [FileEdit::create(place.dir.path().join("2"), "2")];
        let held = place.journal.hold().unwrap();
        held.record("killed before it settled", &place.root(), &edits).unwrap();
        let _ = apply(&place.root(), &edits).unwrap();
        drop(held);
        assert_eq!(place.numbers(), [2]);
        assert!(matches!(place.redo(), Err(Error::Nothing { verb: "redo", .. })));
        assert!(!first.exists());
        place.undo().unwrap();
        assert_eq!(place.journal.to_redo().unwrap().entry.number, 2, "what was undone last");
    }

    #[test]
    fn a_write_that_is_made_does_not_fail_when_it_cannot_tidy_up() {
        let place = Place::new();
        place.write("1");
        place.undo().unwrap();
        // what cannot be removed, as a file that another program removed first cannot
        let undone = place.journal.folder.clone().unwrap().join("00000001.undone");
        fs::remove_file(&undone).unwrap();
        fs::create_dir(&undone).unwrap();
        assert!(place.write("2").exists());
        assert_eq!(place.numbers(), [2]);
    }

    #[test]
    fn an_entry_of_another_version_is_not_written_over() {
        let place = Place::new();
        place.write("1");
        let folder = place.journal.folder.clone().unwrap();
        for name in ["00000002.done", "00000004.undone", "00000006.later"] {
            fs::write(folder.join(name), "{}").unwrap();
        }
        place.write("2");
        assert_eq!(place.numbers(), [1, 7]);
        assert_eq!(fs::read(folder.join("00000002.done")).unwrap(), b"{}");
    }

    #[test]
    fn a_write_that_could_not_be_taken_back_whole_can_still_be_undone() {
        let place = Place::new();
        let (one, two) = (place.dir.path().join("1"), place.dir.path().join("2"));
        let plan = Plan {
            edits: vec![FileEdit::create(&one, "1"), FileEdit::create(&two, "2")],
            ..place.plan(FileEdit::create(&one, "1"))
        };
        let theirs = || {
            fs::write(&one, "theirs").unwrap();
            Err("still owed".into())
        };
        let error = carry_out(&plan, &place.journal, theirs).unwrap_err();
        assert!(matches!(error, Error::HalfTakenBack { .. }));
        assert!(error.to_string().starts_with("rolled back: still owed; "), "{error}");
        assert!(one.exists() && !two.exists());
        assert_eq!(place.numbers(), [1]);
        fs::write(&one, "1").unwrap();
        place.undo().unwrap();
        assert!(!one.exists());
    }

    #[test]
    fn a_journal_that_must_not_or_cannot_be_kept_lets_nothing_be_written() {
        let place = Place::new();
        let file = place.dir.path().join("a");
        let plan = place.plan(FileEdit::create(&file, "1"));
        let error = carry_out(&plan, &place.journal.clone().read_only(), || Ok(())).unwrap_err();
        assert!(matches!(error, Error::ReadOnly));
        let nowhere = Journal { folder: None, ..place.journal.clone() };
        let error = carry_out(&plan, &nowhere, || Ok(())).unwrap_err();
        assert!(matches!(error, Error::NoStateDirectory { .. }));
        assert!(nowhere.list().unwrap().is_empty() && !file.exists());
    }

    #[cfg(unix)]
    #[test]
    fn rows_of_a_registry_of_any_name_are_recorded() {
        use std::os::unix::ffi::OsStrExt;
        let place = Place::new();
        let registry = Path::new(std::ffi::OsStr::from_bytes(b"/latin\xe9/registry.db")).to_owned();
        let rows = RowChanges { registry, changes: "[]".into() };
        place.journal.hold().unwrap().record_rows("add", String::new(), rows.clone(), None).unwrap();
        assert_eq!(place.journal.to_undo().unwrap().rows, Some(rows));
    }
}
