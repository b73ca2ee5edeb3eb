//! The workspace around a directory: where its layer, its project and its registry are, and what joins the three parts.
//!
//! Each part finds its own place, walking up from the start directory; any of them may be absent, which is an empty
//! answer and not an error.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::{Map, Value};

use crate::contracts::{self, FirstLook, Layer, LayerPlace};
use crate::edit::{self, Applied, Entry, Held, Journal, RowChanges, Standing};
use crate::error::{Code, Coded, Failure};
use crate::finding::{Area, Finding, Severity};
use crate::resources::{self, ForeignWrites, Opening, Registry, Reverted, Told, Turn};
use crate::selection;

/// A write was refused, since none was wanted.
#[derive(Debug, thiserror::Error)]
#[error("opened with --read-only: nothing is written")]
pub struct ReadOnly;

impl Coded for ReadOnly {
    fn code(&self) -> Code {
        Code::ReadOnly
    }
}

/// A write was undone, which can neither be noted nor taken back: the disk failed twice.
#[derive(Debug, thiserror::Error)]
#[error(
    "“{label}” was undone, which can neither be noted ({first}) nor taken back ({back}); look at it, and `dagwood redo` \
     does it again"
)]
struct NotNoted {
    label: String,
    first: edit::Error,
    back: Failure,
}

impl Coded for NotNoted {
    fn code(&self) -> Code {
        self.first.code()
    }
}

/// Undoing or redoing a long write failed after some of its parts.
#[derive(Debug, thiserror::Error)]
#[error("{cause}; a part of “{label}” is {done} by now, and `dagwood {verb}` goes on with it")]
struct Halfway {
    label: String,
    verb: &'static str,
    done: &'static str,
    cause: Failure,
}

impl Coded for Halfway {
    fn code(&self) -> Code {
        self.cause.code()
    }

    fn fields(&self) -> Map<String, Value> {
        self.cause.fields()
    }
}

/// The failure of a part, after the last one that was done, if any was.
fn halfway(last: Option<Entry>, turn: Turn, cause: Failure) -> Failure {
    let Some(last) = last else { return cause };
    let (verb, done) = match turn {
        Turn::Undo => ("undo", "undone"),
        Turn::Redo => ("redo", "redone"),
    };
    Halfway { label: last.label, verb, done, cause }.into()
}

/// A registry that cannot be read, as a finding: its code is that of the error, with dashes.
pub fn failure(file: &Path, error: &dyn Coded) -> Finding {
    let code = error.code().name().replace('_', "-");
    Finding::new(Area::Resources, &code, Severity::Error, file.to_string_lossy(), error.to_string())
}

/// What undoing or redoing a write will change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outlook {
    /// Its rows, in words.
    pub rows: Told,
    /// What comes of it, in a few words.
    pub effect: String,
    /// The other parts of a long write, which are undone or redone with it.
    pub also: Vec<Entry>,
}

/// What became of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It can be undone.
    Stands,
    /// It was undone, and can be redone.
    Undone,
    /// It was left as it is, and is not undone any more.
    Kept,
}

impl Fate {
    /// What a list of writes says behind it.
    pub fn note(self) -> &'static str {
        match self {
            Fate::Stands => "",
            Fate::Undone => "  (undone)",
            Fate::Kept => "  (kept)",
        }
    }
}

/// Where to look, as the command line says it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Act as if started here; the current directory when empty.
    pub directory: Option<PathBuf>,
    /// The registry's file, instead of the one found.
    pub registry: Option<PathBuf>,
    /// The layer's folder, instead of the one found.
    pub layer: Option<PathBuf>,
    /// Whether registries of the original program may be written.
    pub write_foreign: bool,
    /// Whether every write is refused.
    pub read_only: bool,
    /// Where the journal is kept, instead of the folder of dagwood in the platform's state directory.
    pub state: Option<PathBuf>,
    /// Where somebody says that what is to be written is not wanted any more: see [`Journal::until`].
    pub stop: Option<Arc<AtomicBool>>,
}

/// A directory and what is found around it, each time anew: what begins meanwhile, or goes, is seen. Cheap: nothing is read
/// but names on the way up.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Where the search starts, absolute.
    pub start: PathBuf,
    /// How to look.
    pub options: Options,
}

impl Workspace {
    /// The workspace around the directory the options name.
    ///
    /// # Errors
    /// When the directory is not there or is no directory.
    pub fn find(options: Options) -> std::io::Result<Workspace> {
        let start = match &options.directory {
            Some(directory) => directory.canonicalize()?,
            None => std::env::current_dir()?,
        };
        if !start.is_dir() {
            return Err(std::io::Error::from(std::io::ErrorKind::NotADirectory));
        }
        Ok(Workspace { start, options })
    }

    /// The top of the git work tree around it.
    pub fn git_top(&self) -> Option<PathBuf> {
        self.start.ancestors().find(|at| at.join(".git").exists()).map(Path::to_owned)
    }

    /// The folder in which git keeps the index of the work tree: elsewhere where that is a further one of a repository.
    pub fn git_folder(&self) -> Option<PathBuf> {
        let index = contracts::git_index(&self.git_top()?)?;
        index.parent().map(Path::to_owned)
    }

    /// The folder that stands for the workspace: the top of the git work tree, else where it starts.
    pub fn place(&self) -> PathBuf {
        self.git_top().unwrap_or_else(|| self.start.clone())
    }

    /// Where the layer around it is, or would begin; and whether it is there.
    pub fn layer_place(&self) -> (LayerPlace, bool) {
        let (named, git_top) = (self.options.layer.as_deref(), self.git_top());
        match contracts::layer::find(&self.start, git_top.as_deref(), named) {
            Some(place) => (place, true),
            None => (LayerPlace::to_begin(&self.start, git_top.as_deref(), named), false),
        }
    }

    /// The layer around it; an empty one where there is none.
    pub fn layer(&self) -> Layer {
        self.layer_by(Layer::read)
    }

    /// The layer around it as [`Workspace::layer`] gives it, and of a large one a first look before.
    pub fn layer_and_tell(&self, first: &mut dyn FnMut(FirstLook)) -> Layer {
        self.layer_by(|place| Layer::read_and_tell(place, first))
    }

    fn layer_by(&self, read: impl FnOnce(&LayerPlace) -> Layer) -> Layer {
        match self.layer_place() {
            (place, true) => read(&place),
            (place, false) => Layer::empty(&place),
        }
    }

    /// The project around it, and the manifests of other programs met on the way.
    pub fn project(&self) -> selection::Found {
        selection::find(&self.start)
    }

    /// What of the machine bears on where packages are.
    pub fn environment(&self) -> selection::Environment {
        selection::Environment::of_process(&self.start)
    }

    /// The registry's file around it, whether it is there or not. One that is named is named from the start directory, and
    /// is absolute here: the journal has to find it again from anywhere.
    pub fn registry_file(&self) -> PathBuf {
        let named = self.options.registry.as_ref().map(|file| self.start.join(file));
        resources::place(&self.start, self.git_top().as_deref(), named.as_deref())
    }

    /// The registry, to look at.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn registry(&self) -> Result<Registry, resources::Error> {
        Registry::open_to_read(&self.registry_file(), resources::BUSY_WAIT)
    }

    /// The registry, to write; made where there is none.
    ///
    /// # Errors
    /// When the file cannot be written, or must not be.
    pub fn registry_to_write(&self) -> Result<Registry, resources::Error> {
        let file = self.registry_file();
        self.open_to_write(&file, Some(self.journal()))
    }

    /// Opens a registry to write where that may be: the one way for a write, an undo and a redo.
    fn open_to_write(&self, file: &Path, journal: Option<Journal>) -> Result<Registry, resources::Error> {
        if self.options.read_only {
            return Err(edit::Error::ReadOnly.into());
        }
        let is_link = |file: &Path| file.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
        if (is_link(file) || file.parent().is_some_and(is_link)) && !self.is_named(file) {
            // a cloned repository may bring such a link; what it leads to was not named by anybody
            let why = "it or its folder is a symbolic link; name the file with --registry if that is meant";
            return Err(resources::Error::ReadOnly { file: file.to_owned(), why });
        }
        let foreign = if self.options.write_foreign { ForeignWrites::Allowed } else { ForeignWrites::Refused };
        let stop = self.options.stop.clone();
        Registry::open_to_write(file, Opening { foreign, journal, stop, ..Opening::default() })
    }

    /// Whether this registry is the one that a person named.
    fn is_named(&self, file: &Path) -> bool {
        let Some(named) = &self.options.registry else { return false };
        let named = self.start.join(named);
        named == file || named.canonicalize().is_ok_and(|named| file.canonicalize().is_ok_and(|file| named == file))
    }

    /// Every finding of a part. A registry that cannot be read is one, so that the other parts are told all the same.
    pub fn findings(&self, area: Area) -> Vec<Finding> {
        match area {
            Area::Resources => self
                .registry()
                .and_then(|registry| resources::doctor::findings(&registry))
                .unwrap_or_else(|error| vec![failure(&self.registry_file(), &error)]),
            Area::Contracts => self.layer().validate(),
            Area::Selection => {
                let found = self.project();
                let mut findings = found.findings();
                if let Some(place) = &found.project {
                    let project = selection::Project::read(place, &self.environment());
                    let selected = selection::select(project.graph());
                    findings.extend(selection::findings::findings(&project, &selected));
                }
                findings
            }
        }
    }

    /// Refuses where nothing is to be written.
    ///
    /// # Errors
    /// [`ReadOnly`].
    pub fn may_write(&self) -> Result<(), ReadOnly> {
        if self.options.read_only { Err(ReadOnly) } else { Ok(()) }
    }

    /// The write that would be undone next.
    ///
    /// # Errors
    /// When there is none, or somebody changed since what it would touch.
    pub fn to_undo(&self) -> Result<Standing, edit::Error> {
        self.journal().to_undo_if(Workspace::may_be_there)
    }

    /// The write that would be redone next.
    ///
    /// # Errors
    /// When there is none, or somebody changed since what it would touch.
    pub fn to_redo(&self) -> Result<Standing, edit::Error> {
        self.journal().to_redo()
    }

    /// What undoing or redoing a write will change, told in no more than so many rows.
    ///
    /// # Errors
    /// When the journal cannot be read, or understood.
    pub fn outlook(&self, standing: &Standing, turn: Turn, most: usize) -> Result<Outlook, Failure> {
        let entry = &standing.entry;
        let also = self.journal().list()?;
        let also = also.into_iter().filter(|other| {
            other.write() == entry.write() && other.undone == entry.undone && other.number != entry.number
        });
        let mut outlook = Outlook { also: also.collect(), ..Outlook::default() };
        let mut effects = vec![edit::effect(&standing.edits, &self.place())];
        if let Some(rows) = &standing.rows {
            let changes = resources::turned(rows, turn)?;
            let registry = Registry::open_to_read(&rows.registry, resources::BUSY_WAIT)?;
            outlook.rows = registry.told(&changes, most);
            effects.push(resources::effect(&changes));
        }
        effects.retain(|effect| !effect.is_empty());
        outlook.effect = effects.join(" · ");
        Ok(outlook)
    }

    /// Undoes the newest write of dagwood here: its files and its rows. One that turns out never to have happened is
    /// forgotten, and the one before it is undone; a long one is undone with all its parts.
    ///
    /// # Errors
    /// When there is none; when somebody changed since what it touched; when the disk or the database fails.
    pub fn undo(&self) -> Result<Entry, Failure> {
        let journal = self.journal();
        let mut held = journal.hold()?;
        take_over(&held);
        let mut undone: Option<Entry> = None;
        loop {
            if let Some(last) = undone.take() {
                let next = journal.list()?.into_iter().rev().find(|entry| !entry.undone);
                if next.is_none_or(|next| next.write() != last.write()) {
                    return Ok(last);
                }
                undone = Some(last);
            }
            match self.undo_part(&mut held) {
                Ok(entry) => undone = entry.or(undone),
                Err(cause) => return Err(halfway(undone, Turn::Undo, cause)),
            }
        }
    }

    /// Undoes one entry; `None` where it turned out never to have happened.
    fn undo_part(&self, held: &mut Held<'_>) -> Result<Option<Entry>, Failure> {
        let standing = held.to_undo()?;
        let (reverted, applied) = self.turn(&standing, Turn::Undo)?;
        if reverted == Reverted::AlreadySo {
            held.forget(standing.entry.number);
            return Ok(None);
        }
        if let Err(error) = held.turn(&standing.entry) {
            // what is not known as undone must not be
            let Err(back) = self.turn_back(&standing, applied) else { return Err(error.into()) };
            held.leave_in_hand();
            return Err(NotNoted { label: standing.entry.label, first: error, back }.into());
        }
        Ok(Some(standing.entry))
    }

    /// What dagwood wrote here and remembers, the newest first, and what became of it.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn writes(&self) -> Result<Vec<(Entry, Fate)>, edit::Error> {
        let journal = self.journal();
        let listed = journal.list()?.into_iter().map(|entry| {
            let fate = if entry.undone { Fate::Undone } else { Fate::Stands };
            (entry, fate)
        });
        let mut writes: Vec<(Entry, Fate)> = listed.collect();
        writes.extend(journal.kept()?.into_iter().map(|entry| (entry, Fate::Kept)));
        writes.sort_by_key(|(entry, _)| std::cmp::Reverse(entry.number));
        Ok(writes)
    }

    /// The newest write that stands, whether or not it can be undone: the one that would be left as it is.
    ///
    /// # Errors
    /// When there is none, or the journal cannot be read.
    pub fn to_keep(&self) -> Result<Entry, edit::Error> {
        self.journal().to_keep_if(Workspace::may_be_there)
    }

    /// The write that stands as the newest one beside this one, and is undone next once this is left as it is.
    ///
    /// # Errors
    /// When the journal cannot be read.
    pub fn next_without(&self, entry: &Entry) -> Result<Option<Entry>, edit::Error> {
        let stands = |other: &Entry| !other.undone && other.write() != entry.write();
        Ok(self.journal().list()?.into_iter().rev().find(stands))
    }

    /// Leaves a write as it is, so that the one before it is undone next. Nothing is touched but the journal, where it
    /// stays to be told.
    ///
    /// # Errors
    /// When it does not stand any more, or the journal cannot be written.
    pub fn keep(&self, entry: &Entry) -> Result<(), edit::Error> {
        let journal = self.journal();
        let held = journal.hold()?;
        take_over(&held);
        held.keep(entry)
    }

    /// Redoes the write that was undone last, with all its parts.
    ///
    /// # Errors
    /// As [`Workspace::undo`].
    pub fn redo(&self) -> Result<Entry, Failure> {
        let journal = self.journal();
        let held = journal.hold()?;
        take_over(&held);
        let mut redone: Option<Entry> = None;
        loop {
            match self.redo_part(&held) {
                Ok(entry) => {
                    let next = journal.list()?.into_iter().find(|entry| entry.undone);
                    if next.is_none_or(|next| next.write() != entry.write()) {
                        return Ok(entry);
                    }
                    redone = Some(entry);
                }
                Err(cause) => return Err(halfway(redone, Turn::Redo, cause)),
            }
        }
    }

    /// Redoes one entry.
    fn redo_part(&self, held: &Held<'_>) -> Result<Entry, Failure> {
        let standing = held.to_redo()?;
        held.turn(&standing.entry)?;
        if let Err(error) = self.turn(&standing, Turn::Redo) {
            held.turn_back(&Entry { undone: false, ..standing.entry });
            return Err(error);
        }
        Ok(standing.entry)
    }

    /// Takes back that an entry was undone.
    fn turn_back(&self, standing: &Standing, applied: Applied) -> Result<(), Failure> {
        applied.roll_back()?;
        if let Some(rows) = &standing.rows {
            // also when it is told to stop: half of it stands
            let all = Workspace { options: Options { stop: None, ..self.options.clone() }, ..self.clone() };
            all.open_to_write(&rows.registry, None)?.revert(rows, Turn::Redo)?;
        }
        Ok(())
    }

    /// Makes the files and the rows of an entry what they are to be.
    fn turn(&self, standing: &Standing, turn: Turn) -> Result<(Reverted, Applied), Failure> {
        let Some(rows) = &standing.rows else {
            return Ok((Reverted::Done, edit::apply(&standing.root, &standing.edits)?));
        };
        if !rows.registry.exists() {
            let what = format!("the registry {} is gone", rows.registry.display());
            return Err(resources::Error::ChangedSince { what, file: rows.registry.clone() }.into());
        }
        let mut registry = self.open_to_write(&rows.registry, None)?;
        let applied = edit::apply(&standing.root, &standing.edits)?;
        match registry.revert(rows, turn) {
            Ok(Reverted::AlreadySo) if !standing.edits.is_empty() => Ok((Reverted::Done, applied)),
            Ok(reverted) => Ok((reverted, applied)),
            Err(error) => {
                applied.roll_back()?;
                Err(error.into())
            }
        }
    }

    /// Whether rows that the journal knows may be in their registry. One that is gone, or cannot be read, says nothing
    /// against it.
    fn may_be_there(rows: &RowChanges) -> bool {
        if !rows.registry.exists() {
            return true;
        }
        let registry = Registry::open_to_read(&rows.registry, resources::BUSY_WAIT);
        registry.and_then(|registry| registry.holds(rows)).unwrap_or(true)
    }

    /// The same workspace, in which no write begins once the flag is set.
    #[must_use]
    pub fn until(&self, stop: Arc<AtomicBool>) -> Workspace {
        Workspace { options: Options { stop: Some(stop), ..self.options.clone() }, ..self.clone() }
    }

    /// What dagwood wrote here.
    pub fn journal(&self) -> Journal {
        let journal = match &self.options.state {
            Some(state) => Journal::at(state, &self.place()),
            None => Journal::of(&self.place()),
        };
        let journal = match &self.options.stop {
            Some(stop) => journal.until(Arc::clone(stop)),
            None => journal,
        };
        if self.options.read_only { journal.read_only() } else { journal }
    }
}

/// Takes over from a holder that was killed: rows that it has not changed, or has taken back, can be made again.
fn take_over(held: &Held<'_>) {
    if let Some((entry, rows)) = held.left()
        && !Workspace::may_be_there(rows)
    {
        // where it cannot be noted, undoing passes it over
        let _ = held.turn(entry);
    }
}

mod beginnings;
#[cfg(unix)]
#[cfg(test)]
mod walks;

pub use beginnings::Beginning;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_only_is_not_for_the_caller_to_remember() {
        let dir = tempfile::tempdir().unwrap();
        let options = Options { directory: Some(dir.path().to_owned()), read_only: true, ..Options::default() };
        let workspace = Workspace::find(options).unwrap();
        assert_eq!(workspace.registry_to_write().unwrap_err().code(), Code::ReadOnly);
        assert_eq!(workspace.journal().hold().unwrap_err().code(), Code::ReadOnly);
        assert_eq!(workspace.redo().unwrap_err().code(), Code::ReadOnly);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn an_undo_or_a_redo_that_is_stopped_while_it_waits_for_a_lock_does_not_happen() {
        let dir = tempfile::tempdir().unwrap();
        let [directory, state] = ["work", "state"].map(|name| Some(dir.path().join(name)));
        std::fs::create_dir(dir.path().join("work")).unwrap();
        let workspace = Workspace::find(Options { directory, state, ..Options::default() }).unwrap();
        let new = resources::NewResource { type_name: "fs-directory".into(), ..resources::NewResource::default() };
        workspace.registry_to_write().unwrap().add(new).unwrap();
        let lock = workspace.journal().home().unwrap().join("journal/lock");
        let resources = || workspace.registry().unwrap().len().unwrap();
        let stopped = |turn: fn(&Workspace) -> Result<Entry, Failure>| {
            let other = rusqlite::Connection::open(workspace.registry_file()).unwrap();
            other.execute_batch("BEGIN IMMEDIATE").unwrap();
            let stop: Arc<AtomicBool> = Arc::default();
            let waits = workspace.until(Arc::clone(&stop));
            std::thread::scope(|scope| {
                let turned = scope.spawn(|| turn(&waits));
                // it has the journal, and waits for the registry
                let journal = || std::fs::File::open(&lock).unwrap();
                while journal().try_lock().is_ok() {
                    std::thread::yield_now();
                }
                stop.store(true, std::sync::atomic::Ordering::SeqCst);
                other.execute_batch("ROLLBACK").unwrap();
                turned.join().unwrap()
            })
        };
        let why = stopped(Workspace::undo).unwrap_err();
        assert_eq!((why.to_string().as_str(), resources()), ("stopped; nothing was written", 1));
        workspace.undo().unwrap();
        let why = stopped(Workspace::redo).unwrap_err();
        assert_eq!((why.to_string().as_str(), resources()), ("stopped; nothing was written", 0));
        workspace.redo().unwrap();
        assert_eq!(resources(), 1, "nothing was lost");
    }
}
