//! Work beside the screen: a desk for each part and one for writing, each a thread with a tray of jobs. A new job
//! replaces one of the same kind that still waits, so a cursor that runs over a thousand rows costs the details of a
//! few. A job that panics is reported and the desk goes on.
//!
//! The clerks at the desks turn what the library answers into rows and details, and hold no rules of their own.

mod advice;
mod clock;
mod desk;
mod directories;
mod find;
mod findings;
mod foresight;
mod lookout;
mod resources;
mod selection;
mod stops;
mod watch;
mod writing;
mod written;

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use super::model::{Detail, Effect, Keymap, Line, Msg, Part, Subject, Tone};
use crate::bounded;
use crate::contracts::Fresh;
use crate::contracts::{self, FirstLook, Layer};
use crate::error::Coded;
use crate::finding::{Area, Finding};
use crate::selection::{Project, Selection as Selected};
use crate::workspace::Workspace;
use desk::{Clerk, Desk};
use stops::Stops;

/// What is said while the rows of something large are on the screen and what it reports is not.
const PROBLEMS_TO_COME: &str = "the rows are there, the problems are being looked for";

/// What the clerks share: the workspace, and what was read last of each part.
#[derive(Debug)]
struct Shared {
    workspace: Workspace,
    keymap: Keymap,
    layer: Mutex<Option<Arc<Layer>>>,
    /// Held while the layer is read for everybody.
    reading: Mutex<()>,
    /// When the layer was read last.
    layer_read: Mutex<Option<watch::Moment>>,
    /// Set once the layer has been read for the directories, or could not be for a fault.
    begun: OnceLock<()>,
    /// The project and its selection as they are.
    selected: Mutex<Option<Arc<(Project, Selected)>>>,
    findings: Mutex<[Vec<Arc<Finding>>; 3]>,
    /// Which load of the resources was asked for last.
    resources_asked: AtomicU64,
    contract_tries: Mutex<Vec<contracts::what_if::Try>>,
    selection_tries: Mutex<Vec<crate::selection::what_if::Try>>,
    /// Files of the layer that others changed since it was read.
    changed: Mutex<HashSet<PathBuf>>,
    /// Whether the explorer is writing.
    writing: AtomicBool,
    /// When the explorer last wrote something itself.
    wrote: Mutex<Option<Instant>>,
    /// Where the thread that watches hears of what was read; none where nothing is watched.
    news: Mutex<Option<Sender<watch::News>>>,
    stops: Stops,
}

impl Shared {
    /// The layer as it was read last, if it was.
    fn known_layer(&self) -> Option<Arc<Layer>> {
        Shared::held(&self.layer).clone()
    }

    /// The layer as it was read last; read now when it never was. Who asks while it is read waits for that.
    fn layer(&self) -> Arc<Layer> {
        let known = || self.known_layer();
        known().unwrap_or_else(|| {
            let _turn = Shared::held(&self.reading);
            known().unwrap_or_else(|| {
                let layer = Arc::new(self.workspace.layer());
                *Shared::held(&self.layer) = Some(Arc::clone(&layer));
                layer
            })
        })
    }

    /// The layer as it is now: where it is known which files changed, only they are read again. Of a large one that was
    /// never read before, a first look is told meanwhile.
    fn reread_layer(&self, first: &mut dyn FnMut(FirstLook)) -> Arc<Layer> {
        let _turn = Shared::held(&self.reading);
        let _begun = Begun(&self.begun);
        *Shared::held(&self.layer_read) = Some(watch::Moment::now());
        let changed: Vec<PathBuf> = Shared::held(&self.changed).drain().collect();
        let kept = Shared::held(&self.layer).clone();
        let layer = match kept {
            // what vanished or is no file may have been a folder with much in it
            Some(kept) if !changed.is_empty() && changed.iter().all(|path| path.is_file()) => {
                match kept.reread(&changed) {
                    Fresh::Same => kept,
                    Fresh::Changed(layer) => Arc::new(*layer),
                }
            }
            Some(_) => Arc::new(self.workspace.layer()),
            None => Arc::new(self.workspace.layer_and_tell(first)),
        };
        *Shared::held(&self.layer) = Some(Arc::clone(&layer));
        layer
    }

    /// What a lock holds, whatever became of a thread that held it.
    fn held<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
        lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the explorer is writing, until what is given is dropped.
    fn writes(&self) -> Writes<'_> {
        self.writing.store(true, Ordering::SeqCst);
        Writes(self)
    }

    /// Whether the explorer is writing, or has just written.
    fn has_just_written(&self) -> bool {
        watch::own_for(self).is_some()
    }

    /// Keeps the findings of a part, and gives them back to be told: there may be very many, so they are shared.
    fn keep_findings(&self, part: Part, findings: Vec<Finding>) -> Vec<Arc<Finding>> {
        let findings: Vec<Arc<Finding>> = findings.into_iter().map(Arc::new).collect();
        Shared::held(&self.findings)[part as usize].clone_from(&findings);
        findings
    }

    /// A detail whose path is told as seen from the workspace; that of the file that it opens, where it tells none.
    fn with_path(&self, detail: Detail) -> Box<Detail> {
        let mut detail = Box::new(detail);
        let place = self.workspace.place();
        let seen = |path: &Path| match path.strip_prefix(&place) {
            Ok(below) if below.as_os_str().is_empty() => ".".to_owned(),
            Ok(below) => below.display().to_string(),
            Err(_) => path.display().to_string(),
        };
        let file = detail.file.as_ref().map(|(file, _)| seen(file));
        match detail.copies.iter_mut().find(|(letter, _)| *letter == 'p') {
            Some((_, path)) => *path = seen(Path::new(path)),
            None => detail.copies.extend(file.map(|file| ('p', file))),
        }
        detail
    }

    /// The findings of a part that say something about a thing.
    fn findings_about(&self, part: Part, about: impl Fn(&Finding) -> bool) -> Vec<Arc<Finding>> {
        Shared::held(&self.findings)[part as usize].iter().filter(|finding| about(finding)).cloned().collect()
    }
}

/// The first reading of the layer, while it is made: nobody waits for one that does not come to its end.
struct Begun<'a>(&'a OnceLock<()>);

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        // another reading may have been the first
        let _ = self.0.set(());
    }
}

/// A file that the user's editor has.
#[derive(Debug)]
pub struct Editing<'a> {
    file: PathBuf,
    before: Option<Vec<u8>>,
    _writes: Writes<'a>,
}

/// A write of the explorer's own, while it is made.
#[derive(Debug)]
struct Writes<'a>(&'a Shared);

impl Drop for Writes<'_> {
    fn drop(&mut self) {
        *Shared::held(&self.0.wrote) = Some(Instant::now());
        self.0.writing.store(false, Ordering::SeqCst);
    }
}

/// Who does a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Resources,
    Contracts,
    Selection,
    Writing,
    Finding,
    Clock,
    Hush,
}

fn place(job: &Effect) -> Place {
    match job {
        Effect::Load { part, .. } => match part {
            Part::Resources => Place::Resources,
            Part::Contracts => Place::Contracts,
            Part::Selection => Place::Selection,
        },
        Effect::Detail { subject, .. } => match subject {
            Subject::Resource(_) | Subject::Type(_) | Subject::Group(_) => Place::Resources,
            Subject::Directory(_) => Place::Contracts,
            Subject::Package(_) | Subject::Item(_) | Subject::MissingSkill(_) => Place::Selection,
            Subject::Finding(finding) => match finding.area {
                Area::Resources => Place::Resources,
                Area::Contracts => Place::Contracts,
                Area::Selection => Place::Selection,
            },
        },
        Effect::Try { part, .. } | Effect::ClearTries(part) => match part {
            Part::Contracts => Place::Contracts,
            Part::Selection => Place::Selection,
            Part::Resources => Place::Resources,
        },
        // what was written is told while something is being written, too
        Effect::Find { .. } | Effect::History => Place::Finding,
        Effect::Fade(_) => Place::Clock,
        Effect::Hush(_) => Place::Hush,
        Effect::Survey { .. } | Effect::Children { .. } | Effect::Candidates { .. } | Effect::Way { .. } => {
            Place::Resources
        }
        _ => Place::Writing,
    }
}

/// The desks.
#[derive(Debug)]
pub struct Work {
    shared: Arc<Shared>,
    sender: Sender<Msg>,
    resources: Desk,
    contracts: Desk,
    selection: Desk,
    writing: Desk,
    finding: Desk,
    clock: Desk,
    /// A clock of its own: the longer wait would hold up the shorter.
    hush: Desk,
}

impl Work {
    /// Opens the desks for a workspace; what they say names the keys of the map. What they find out comes through the sender.
    pub fn open(workspace: Workspace, keymap: Keymap, sender: &Sender<Msg>) -> Work {
        let shared = share(workspace, keymap);
        watch::start(Arc::clone(&shared), sender.clone());
        let here = || (Arc::clone(&shared), sender.clone());
        let desk = |name, open: fn(&str, Arc<Shared>, Sender<Msg>) -> Desk| {
            let (shared, sender) = here();
            open(name, shared, sender)
        };
        Work {
            resources: desk("resources", |name, shared, sender| {
                let to_survey = sender.clone();
                Desk::open(name, sender, move || resources::Resources::seated(shared, to_survey))
            }),
            contracts: desk("contracts", |name, shared, sender| {
                Desk::open(name, sender, move || directories::Directories::new(shared))
            }),
            selection: desk("selection", |name, shared, sender| {
                Desk::open(name, sender, move || selection::Selection::new(shared))
            }),
            writing: desk("writing", |name, shared, sender| {
                Desk::open(name, sender, move || writing::Writing::new(shared))
            }),
            finding: desk("finding", |name, shared, sender| {
                Desk::open(name, sender, move || find::Finder::new(shared))
            }),
            clock: desk("clock", |name, _, sender| Desk::open(name, sender, || clock::Clock)),
            hush: desk("hush", |name, _, sender| Desk::open(name, sender, || clock::Clock)),
            sender: sender.clone(),
            shared,
        }
    }

    /// Puts a job on the tray of the desk that does it.
    pub fn ask(&self, job: Effect) {
        self.shared.stops.asked(&job);
        if job == Effect::CancelWrite {
            return;
        }
        let desk = match place(&job) {
            Place::Resources => &self.resources,
            Place::Contracts => &self.contracts,
            Place::Selection => &self.selection,
            Place::Writing => &self.writing,
            Place::Finding => &self.finding,
            Place::Clock => &self.clock,
            Place::Hush => &self.hush,
        };
        desk.put(job);
    }

    /// Notes that the user's editor is given a file, until it [is done](Work::edited) with it: what is written meanwhile
    /// is no news.
    pub fn editing(&self, file: PathBuf) -> Editing<'_> {
        let before = bounded::read(&file, bounded::BY_HAND).ok();
        Editing { file, before, _writes: self.shared.writes() }
    }

    /// Tells that the editor is done with a file: everything is read again, as an editor may have written others as well.
    pub fn edited(&self, editing: Editing<'_>, ended: io::Result<()>) {
        let Editing { file, before, _writes: writes } = editing;
        let same = before.is_some() && before == bounded::read(&file, bounded::BY_HAND).ok();
        drop(writes);
        let named = file.strip_prefix(self.shared.workspace.place()).unwrap_or(&file).display();
        let said = match ended {
            Ok(()) if same => format!("back from {named}, which is as it was"),
            Ok(()) => format!("back from {named}, which was changed"),
            Err(error) => format!("the editor failed: {error}"),
        };
        for part in Part::ALL {
            let _ = self.sender.send(if same { Msg::Again(part) } else { Msg::Outside(part) });
        }
        let _ = self.sender.send(Msg::Note(said));
    }
}

fn share(workspace: Workspace, keymap: Keymap) -> Arc<Shared> {
    Arc::new(Shared {
        workspace,
        keymap,
        layer: Mutex::default(),
        reading: Mutex::default(),
        selected: Mutex::default(),
        contract_tries: Mutex::default(),
        selection_tries: Mutex::default(),
        findings: Mutex::default(),
        resources_asked: AtomicU64::default(),
        layer_read: Mutex::default(),
        begun: OnceLock::new(),
        changed: Mutex::default(),
        writing: AtomicBool::default(),
        wrote: Mutex::default(),
        news: Mutex::default(),
        stops: Stops::default(),
    })
}

/// Has git track these files, told as `git update-index --index-info` takes them; plain ones need not be there.
#[cfg(test)]
fn track(folder: &Path, files: &str) {
    let git = |arguments: &[&str], said: &str| {
        let mut git = crate::git::at(folder).unwrap();
        let mut git = git.args(arguments).stdin(std::process::Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut git.stdin.take().unwrap(), said.as_bytes()).unwrap();
        assert!(git.wait().unwrap().success(), "{arguments:?}");
    };
    git(&["init", "-q"], "");
    git(&["update-index", "--index-info"], files);
}

/// An empty file, as git names it.
#[cfg(test)]
const EMPTY: &str = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";

/// A part asked for as at the beginning, by the seventh question.
#[cfg(test)]
fn load(part: Part) -> Effect {
    let (open, view) = (HashSet::new(), super::model::ResourceView::default());
    Effect::Load { part, generation: 7, open, reveal: None, find: String::new(), view, about: None }
}

/// The same clerks without threads: each job is done before the next line of a test.
#[derive(Debug)]
pub struct Inline {
    resources: resources::Resources,
    contracts: directories::Directories,
    selection: selection::Selection,
    writing: writing::Writing,
    finding: find::Finder,
    shared: Arc<Shared>,
    sender: Sender<Msg>,
    receiver: Receiver<Msg>,
}

impl Inline {
    /// Clerks for a workspace.
    pub fn new(workspace: Workspace) -> Inline {
        let shared = share(workspace, Keymap::default());
        let (sender, receiver) = channel();
        Inline {
            resources: resources::Resources::new(Arc::clone(&shared)),
            contracts: directories::Directories::new(Arc::clone(&shared)),
            selection: selection::Selection::new(Arc::clone(&shared)),
            finding: find::Finder::new(Arc::clone(&shared)),
            writing: writing::Writing::new(Arc::clone(&shared)),
            shared,
            sender,
            receiver,
        }
    }

    /// Does a job; gives what comes of it.
    pub fn work(&mut self, job: Effect) -> Vec<Msg> {
        self.shared.stops.asked(&job);
        match place(&job) {
            Place::Resources => self.resources.work(job, &self.sender),
            Place::Contracts => self.contracts.work(job, &self.sender),
            Place::Selection => self.selection.work(job, &self.sender),
            Place::Writing => self.writing.work(job, &self.sender),
            Place::Finding => self.finding.work(job, &self.sender),
            // in line nothing takes time
            Place::Clock | Place::Hush => {}
        }
        self.receiver.try_iter().collect()
    }
}

/// An error as lines: what it says, and what belongs to it.
fn told(error: &dyn Coded) -> Vec<Line> {
    let text = error.to_string();
    text.lines().enumerate().map(|(nth, line)| Line::of(if nth == 0 { Tone::Bad } else { Tone::Plain }, line)).collect()
}

/// One thing, or several: `1 match`, `2 matches` are the caller's words.
fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;
    use crate::workspace::Options;

    #[test]
    fn who_waits_for_a_layer_whose_reading_fails_for_a_fault_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let files: String = (0..50_000).map(|nth| format!("100644 {EMPTY}\t.ai/{}/{nth}\n", nth % 7)).collect();
        track(dir.path(), &files);
        std::fs::create_dir(dir.path().join(".ai")).unwrap();
        let options = Options { directory: Some(dir.path().to_owned()), ..Options::default() };
        let shared = share(Workspace::find(options).unwrap(), Keymap::default());
        let read = catch_unwind(AssertUnwindSafe(|| shared.reread_layer(&mut |_| panic!("no first look"))));
        assert!(read.is_err());
        // what watches, and what looks through a large registry
        assert!(shared.begun.get().is_some());
        assert_eq!(shared.reread_layer(&mut |_| {}).index.tallies().directories, 8, "and it can be read again");
    }

    #[test]
    fn an_editor_that_changed_nothing_is_said_to_have_changed_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().canonicalize().unwrap();
        let file = folder.join("mars.toml");
        std::fs::write(&file, "# one\n").unwrap();
        let workspace = Workspace::find(Options { directory: Some(folder), ..Options::default() }).unwrap();
        let (sender, receiver) = channel();
        let work = Work::open(workspace, Keymap::default(), &sender);
        let told = |text: &str| {
            let editing = work.editing(file.clone());
            assert!(work.shared.has_just_written(), "what is written meanwhile is no news");
            std::fs::write(&file, text).unwrap();
            work.edited(editing, Ok(()));
            let (mut outside, mut said) = (0, String::new());
            while said.is_empty() {
                match receiver.recv().unwrap() {
                    Msg::Outside(_) => outside += 1,
                    Msg::Note(note) => said = note,
                    _ => {}
                }
            }
            (outside, said)
        };
        assert_eq!(told("# one\n"), (0, "back from mars.toml, which is as it was".to_owned()));
        assert_eq!(told("# two\n"), (3, "back from mars.toml, which was changed".to_owned()));
    }
}
