//! Changes by others: editors, git, other programs. The system tells about files of the layer, of git's index and of
//! the project; where it has no room for as many watches as the layer has folders, that is said once, and `r` reads
//! again. (The registry is looked at by its own desk, which asks SQLite.)

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use notify::event::{EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

use super::Shared;
use crate::contracts::Fresh;
use crate::explorer::model::{Msg, Part};

/// A burst of changes is told once it has been quiet for so long.
const QUIET: Duration = Duration::from_millis(120);
/// And at the latest after so long.
const LATEST: Duration = Duration::from_millis(400);
/// How much earlier than the clock a file that is written now may be dated: some file systems count in two seconds.
const COARSE: Duration = Duration::from_secs(2);
/// What the explorer itself has just written is not news.
const OWN: Duration = Duration::from_millis(700);

/// Begins to watch, on a thread of its own; ends with the explorer.
pub fn start(shared: Arc<Shared>, sender: Sender<Msg>) {
    // without the thread nothing is watched, and `r` still reads again
    let begun = (SystemTime::now(), Instant::now());
    let _ = thread::Builder::new().name("watch".into()).spawn(move || {
        let (events, changed) = channel();
        let earlier = events.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            if let Ok(event) = event {
                let _ = events.send(event);
            }
        });
        match watcher {
            Ok(mut watcher) => {
                let places = Places::of(&shared);
                places.watch(&mut watcher, &sender);
                missed(&shared, begun, &earlier, &sender);
                tell(&shared, &places, &changed, &sender);
            }
            Err(error) => {
                let _ = sender.send(Msg::Note(format!("files are not watched ({error}); r reads again")));
            }
        }
    });
}

/// What is watched, and for which part.
struct Places {
    layer: PathBuf,
    git: Option<PathBuf>,
    project: Option<PathBuf>,
    packages: Vec<PathBuf>,
}

impl Places {
    fn of(shared: &Shared) -> Places {
        let workspace = &shared.workspace;
        let project = workspace.project().project.map(|place| place.root);
        let packages = shared.package_folders();
        Places {
            layer: workspace.layer_place().0.folder(),
            git: workspace.git_top.as_ref().map(|top| top.join(".git")).filter(|git| git.is_dir()),
            project,
            packages,
        }
    }

    fn watch(&self, watcher: &mut RecommendedWatcher, sender: &Sender<Msg>) {
        let mut failed = false;
        let mut add = |place: &Path, mode: RecursiveMode| {
            if place.exists() {
                failed |= watcher.watch(place, mode).is_err();
            }
        };
        add(&self.layer, RecursiveMode::Recursive);
        if let Some(top) = self.layer.parent() {
            // so that a layer that begins is seen
            add(top, RecursiveMode::NonRecursive);
        }
        for place in self.git.iter().chain(&self.project) {
            add(place, RecursiveMode::NonRecursive);
        }
        for place in &self.packages {
            add(place, RecursiveMode::Recursive);
        }
        if failed {
            let said = "not every file can be watched; r reads again";
            let _ = sender.send(Msg::Note(said.to_owned()));
        }
    }

    /// The part a changed file belongs to.
    fn part(&self, file: &Path) -> Option<Part> {
        let name = file.file_name()?.to_str().unwrap_or_default();
        if name.starts_with(".dagwood-") {
            return None;
        }
        if let Some(git) = &self.git
            && file.starts_with(git)
        {
            return (name == "index").then_some(Part::Contracts);
        }
        if file.starts_with(&self.layer) {
            return Some(Part::Contracts);
        }
        let manifest = matches!(name, "mars.toml" | "mars.local.toml" | "mars.lock");
        let of_project = manifest && file.parent() == self.project.as_deref();
        (of_project || self.packages.iter().any(|package| file.starts_with(package))).then_some(Part::Selection)
    }
}

/// Whether an event can mean that something else is to be read now.
fn matters(event: &Event) -> bool {
    match event.kind {
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Any => true,
        EventKind::Modify(kind) => !matches!(kind, ModifyKind::Metadata(_)),
        EventKind::Access(_) | EventKind::Other => false,
    }
}

/// Finds what was written while the layer was first read and the watches were not yet set. It joins the events, so that
/// a file that these tell of too is told once.
fn missed(shared: &Shared, (begun, since): (SystemTime, Instant), events: &Sender<Event>, sender: &Sender<Msg>) {
    shared.begun.wait();
    let layer = shared.layer();
    let files = layer.written_since(earliest(begun, SystemTime::now(), since.elapsed()));
    // git's index or a folder may be as young and hold just what was read
    let (documents, others): (Vec<PathBuf>, Vec<PathBuf>) =
        files.into_iter().partition(|path| path.extension().is_some_and(|end| end == "md"));
    if let Fresh::Changed(_) = layer.reread(&documents) {
        let event = documents.into_iter().fold(Event::new(EventKind::Any), Event::add_path);
        let _ = events.send(event);
    }
    if !others.is_empty() {
        Shared::held(&shared.changed).extend(others);
        // the explorer has ended where nobody takes it
        let _ = sender.send(Msg::Again(Part::Contracts));
    }
}

/// The earliest time that a file may bear which was written since a moment, also when the clock was put back meanwhile.
fn earliest(begun: SystemTime, now: SystemTime, elapsed: Duration) -> SystemTime {
    let begun = now.checked_sub(elapsed).map_or(begun, |put_back| begun.min(put_back));
    begun.checked_sub(COARSE).unwrap_or(begun)
}

/// Tells about bursts of changes, each once.
fn tell(shared: &Shared, places: &Places, changed: &Receiver<Event>, sender: &Sender<Msg>) {
    while let Ok(first) = changed.recv() {
        let begun = Instant::now();
        let mut parts: HashSet<Part> = HashSet::new();
        let mut files: HashSet<PathBuf> = HashSet::new();
        let mut take = |event: &Event| {
            if matters(event) {
                for path in &event.paths {
                    let part = places.part(path);
                    parts.extend(part);
                    if part == Some(Part::Contracts) {
                        files.insert(path.clone());
                    }
                }
            }
        };
        take(&first);
        while begun.elapsed() < LATEST {
            match changed.recv_timeout(QUIET) {
                Ok(event) => take(&event),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        Shared::held(&shared.changed).extend(files);
        let wrote = *Shared::held(&shared.wrote);
        let own = wrote.and_then(|at| OWN.checked_sub(at.elapsed()));
        if let Some(rest) = own {
            // this is likely what the explorer wrote itself, which is no news; it may be somebody else's all the same
            thread::sleep(rest);
        }
        for part in parts {
            let told = if own.is_some() { Msg::Again(part) } else { Msg::Outside(part) };
            if sender.send(told).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_put_back_makes_no_change_too_old_to_be_seen() {
        let (begun, second) = (SystemTime::UNIX_EPOCH + Duration::from_hours(1), Duration::from_secs(1));
        assert_eq!(earliest(begun, begun + second, second), begun - COARSE);
        assert_eq!(earliest(begun, begun + second * 60, second), begun - COARSE, "put forward");
        let put_back = begun - second * 60;
        assert!(earliest(begun, put_back + second, second) <= put_back, "written after it was put back");
    }
}
