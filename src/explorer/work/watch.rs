//! Changes by others: editors, git, other programs. The system tells about files of the layer, of git's index and of
//! the project; where it has no room for as many watches as the layer has folders, that is said once, and the dates of
//! files are looked at now and then. (The registry is looked at by its own desk, which asks SQLite.)

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use notify::event::{EventKind, ModifyKind};
use notify::{Event, NullWatcher, RecursiveMode, Watcher};

use walkdir::WalkDir;

use super::Shared;
use crate::contracts::Fresh;
use crate::explorer::model::{Msg, Part};
use crate::selection::Project;
use crate::selection::project::Location;

/// A burst of changes is told once it has been quiet for so long.
const QUIET: Duration = Duration::from_millis(120);
/// And at the latest after so long.
const LATEST: Duration = Duration::from_millis(400);
/// How much earlier than the clock a file that is written now may be dated: some file systems count in two seconds.
const COARSE: Duration = Duration::from_secs(2);
/// How often what is not watched is looked at, at most.
const LOOK: Duration = Duration::from_secs(5);
/// What the explorer itself has just written is not news.
const OWN: Duration = Duration::from_millis(700);

/// When something began: by the clock, and by a count that nobody puts back.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    clock: SystemTime,
    count: Instant,
}

impl Moment {
    /// Now.
    pub fn now() -> Moment {
        Moment { clock: SystemTime::now(), count: Instant::now() }
    }

    /// The earliest time that a file may bear which was written since, also when the clock was put back meanwhile.
    fn earliest(self) -> SystemTime {
        earliest(self.clock, SystemTime::now(), self.count.elapsed())
    }
}

fn earliest(begun: SystemTime, now: SystemTime, elapsed: Duration) -> SystemTime {
    let begun = now.checked_sub(elapsed).map_or(begun, |put_back| begun.min(put_back));
    begun.checked_sub(COARSE).unwrap_or(begun)
}

/// What the thread that watches is told.
#[derive(Debug)]
pub enum News {
    /// By the system: something changed.
    Changed(Event),
    /// By the system: a folder that came later could not be watched.
    Unwatched,
    /// By the clock: what is not watched is to be looked at.
    Look,
    /// By the desk of the selection: it has read the project.
    Read {
        /// Where the packages lie that may change at any time.
        packages: Vec<PathBuf>,
        /// When it began to read.
        begun: Moment,
    },
}

/// Begins to watch, on a thread of its own; ends with the explorer.
pub fn start(shared: Arc<Shared>, sender: Sender<Msg>) {
    // without the thread nothing is watched, and `r` still reads again
    let begun = Moment::now();
    // as it is before anything is read: what begins from here on is found when it is looked for again
    let places = Places::of(&shared);
    let (news, told) = channel();
    *Shared::held(&shared.news) = Some(news.clone());
    let _ = thread::Builder::new().name("watch".into()).spawn(move || {
        let events = news.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let _ = events.send(event.map_or_else(|_| News::Unwatched, News::Changed));
        });
        let mut watch = match watcher {
            Ok(watcher) => Watch::new(Box::new(watcher), places, sender, begun),
            Err(_) => Watch::blind(places, sender, begun),
        };
        // a layer of many folders takes long to watch, and while it is read every file that is opened would be told
        shared.begun.wait();
        watch.begin(None);
        for part in watch.look_again(&shared) {
            let _ = watch.sender.send(Msg::Again(part));
        }
        missed(&shared, begun, &news, &watch.sender);
        // only the system and the desk of the selection keep it going
        drop(news);
        tell(&shared, &mut watch, &told);
    });
}

/// Where the packages of a project lie on this disk, or would lie, beside the caches.
pub fn package_folders(project: &Project, shared: &Shared) -> Vec<PathBuf> {
    let cache = shared.workspace.environment().cache;
    let root = &project.place.root;
    let folders = project.packages.iter().flat_map(|package| match &package.location {
        Location::At { folder, .. } => folder.iter().cloned().collect(),
        // a place is told from the project's folder on
        Location::Nowhere(looked) => looked.iter().map(|looked| root.join(&looked.at)).collect(),
        Location::Project => Vec::new(),
    });
    folders.filter(|folder| !cache.as_ref().is_some_and(|cache| folder.starts_with(cache))).collect()
}

/// The names of a project's own files.
const MANIFESTS: [&str; 3] = ["mars.toml", "mars.local.toml", "mars.lock"];

/// What a workspace is found by, from its start upwards.
const LOOKED_FOR: [&str; 3] = [".git", ".ai", "mars.toml"];

/// What is watched, and for which part.
struct Places {
    /// Where the workspace is looked for from: here and above anything may begin that it is then found by.
    start: PathBuf,
    /// The top of the git work tree.
    top: Option<PathBuf>,
    layer: PathBuf,
    /// The folder in which git keeps the work tree's index.
    git: Option<PathBuf>,
    project: Option<PathBuf>,
    packages: Vec<PathBuf>,
}

impl Places {
    fn of(shared: &Shared) -> Places {
        let workspace = &shared.workspace;
        let top = workspace.git_top();
        Places {
            start: workspace.start.clone(),
            git: workspace.git_folder().filter(|git| git.is_dir()),
            top,
            layer: workspace.layer_place().0.folder(),
            project: workspace.project().project.map(|place| place.root),
            packages: Vec::new(),
        }
    }

    /// Whether something else may be found once this changed: it is the start or lies above it, or has a name that is
    /// looked for there.
    fn leads(&self, file: &Path) -> bool {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let beside = LOOKED_FOR.contains(&name) && file.parent().is_some_and(|folder| self.start.starts_with(folder));
        beside || self.start.starts_with(file)
    }

    /// The parts a changed file belongs to; a folder that a place lies in belongs to all that is in it.
    fn parts(&self, file: &Path) -> Vec<Part> {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with(".dagwood-") {
            return Vec::new();
        }
        let holds = |place: &Path| place.starts_with(file);
        if let Some(git) = self.git.as_deref().filter(|git| file.starts_with(git) && !holds(git)) {
            let index = file.parent() == Some(git) && name == "index";
            return if index { vec![Part::Contracts] } else { Vec::new() };
        }
        let of_layer = file.starts_with(&self.layer);
        // one of another program is passed by, and told
        let passed = name == "mars.toml" && self.leads(file);
        let manifest = passed || (MANIFESTS.contains(&name) && file.parent() == self.project.as_deref());
        let of_package = || !of_layer && self.packages.iter().any(|package| file.starts_with(package));
        let selection = manifest || of_package() || self.project.iter().chain(&self.packages).any(|it| holds(it));
        let contracts = of_layer || holds(&self.layer) || self.git.as_deref().is_some_and(holds);
        let told = [(contracts, Part::Contracts), (selection, Part::Selection)];
        told.into_iter().filter_map(|(is, part)| is.then_some(part)).collect()
    }

    fn all(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.layer].into_iter().chain(&self.git).chain(&self.project).chain(&self.packages)
    }

    /// Whether a file of the project itself was written at or after a moment.
    fn has_young_manifest(&self, since: SystemTime) -> bool {
        let files = self.project.iter().flat_map(|root| MANIFESTS.map(|name| root.join(name)));
        files.into_iter().any(|file| is_young(&file, since))
    }

    /// Whether a folder is watched with all that is in it.
    fn covers(&self, folder: &Path) -> bool {
        self.packages.iter().chain([&self.layer]).any(|place| folder.starts_with(place))
    }
}

/// The watches that are set.
struct Watch {
    watcher: Box<dyn Watcher + Send>,
    places: Places,
    sender: Sender<Msg>,
    /// How long to wait before the next look at the dates of files, where not everything is watched.
    look: Option<Duration>,
    /// When watching began, and when the desk of the selection last began to read.
    begun: Moment,
    read: Option<Moment>,
}

impl Watch {
    fn new(watcher: Box<dyn Watcher + Send>, places: Places, sender: Sender<Msg>, begun: Moment) -> Watch {
        Watch { watcher, places, sender, look: None, begun, read: None }
    }

    /// Where the system watches nothing at all.
    fn blind(places: Places, sender: Sender<Msg>, begun: Moment) -> Watch {
        let mut watch = Watch::new(Box::new(NullWatcher), places, sender, begun);
        watch.partly();
        watch
    }

    fn add(&mut self, place: &Path, mode: RecursiveMode) {
        if place.exists() && self.watcher.watch(place, mode).is_err() {
            self.partly();
        }
    }

    /// Says once that not everything is watched, and begins to look at dates instead.
    fn partly(&mut self) {
        if self.look.is_none() {
            self.look = Some(LOOK);
            let said = "not every file can be watched: what others write may show seconds later; r reads again";
            let _ = self.sender.send(Msg::Note(said.to_owned()));
        }
    }

    /// The next news; where not everything is watched, at times a look at what changed untold. None once there is nobody to
    /// tell any.
    fn next(&self, told: &Receiver<News>) -> Option<News> {
        let Some(look) = self.look else { return told.recv().ok() };
        match told.recv_timeout(look) {
            Ok(news) => Some(news),
            Err(RecvTimeoutError::Timeout) => Some(News::Look),
            Err(RecvTimeoutError::Disconnected) => None,
        }
    }

    /// Watches every place, or only those that are the file named, or lie in it: once it changed they may have lost their
    /// watches, or have none yet.
    fn begin(&mut self, at: Option<&Path>) {
        let here = |place: &PathBuf| at.is_none_or(|file| place.starts_with(file));
        self.way_up(at);
        let places = &self.places;
        let project = places.project.clone().filter(here);
        let git = places.git.clone().filter(here);
        let whole: Vec<PathBuf> =
            [&places.layer].into_iter().chain(&places.packages).filter(|it| here(it)).cloned().collect();
        // a folder that is watched alone, then as a whole, stays watched as a whole
        for place in git.iter().chain(&whole) {
            self.way_to(place);
        }
        for place in project.iter().chain(&git) {
            self.add(place, RecursiveMode::NonRecursive);
        }
        for place in whole {
            self.add(&place, RecursiveMode::Recursive);
        }
    }

    /// Watches the start and the folders above it, the outermost first: what begins below one meanwhile is then met, or
    /// seen. Of one that may not be watched nothing is said: nothing of the workspace lies there.
    fn way_up(&mut self, at: Option<&Path>) {
        let folders: Vec<PathBuf> = self.places.start.ancestors().map(Path::to_owned).collect();
        // the root of a disk stands for all of it in some systems
        for folder in folders.iter().rev().skip(1) {
            if at.is_none_or(|file| folder.starts_with(file)) && folder.is_dir() && !self.places.covers(folder) {
                let _ = self.watcher.watch(folder, RecursiveMode::NonRecursive);
            }
        }
    }

    /// Looks again for what a workspace is found by; gives the parts that are found elsewhere now, which are watched there.
    fn look_again(&mut self, shared: &Shared) -> Vec<Part> {
        let now = Places { packages: self.places.packages.clone(), ..Places::of(shared) };
        let before = std::mem::replace(&mut self.places, now);
        let now = &self.places;
        let git = now.top != before.top || now.git != before.git;
        let parts = [
            // where none is, one would begin elsewhere
            (git, Part::Resources),
            (git || now.layer != before.layer, Part::Contracts),
            (now.project != before.project, Part::Selection),
        ];
        let moved: Vec<PathBuf> = now.all().filter(|place| !before.all().any(|old| old == *place)).cloned().collect();
        let gone: Vec<PathBuf> = before.all().filter(|place| !now.all().any(|new| new == *place)).cloned().collect();
        for place in gone.iter().filter(|place| !self.places.all().any(|other| other.starts_with(place))) {
            let _ = self.watcher.unwatch(place);
        }
        if !gone.is_empty() {
            // the start, or what lies above it, may have been watched with what is gone
            self.way_up(None);
        }
        for place in moved {
            self.begin(Some(&place));
        }
        parts.into_iter().filter_map(|(is, part)| is.then_some(part)).collect()
    }

    /// Watches the nearest folder above a place, so that one that begins, or comes back, is seen.
    fn way_to(&mut self, place: &Path) {
        let mut watched = None;
        loop {
            let nearest = place.ancestors().skip(1).find(|folder| folder.is_dir());
            // a nearer one may have been made before this one was watched
            if nearest == watched {
                return;
            }
            watched = nearest;
            if let Some(folder) = nearest.filter(|folder| !self.places.covers(folder)) {
                self.add(folder, RecursiveMode::NonRecursive);
            }
        }
    }

    /// What changed, by the dates of files, when there were more events than the system keeps. Reading a large layer
    /// makes that many by itself, so nothing is opened to find out, or it would never end.
    fn dropped(&mut self, shared: &Shared) -> Vec<(Part, Vec<PathBuf>)> {
        let looked = Instant::now();
        self.way_up(None);
        let mut changed: Vec<_> = self.look_again(shared).into_iter().map(|part| (part, Vec::new())).collect();
        let read = (*Shared::held(&shared.layer_read)).unwrap_or(self.begun);
        let Written { documents, others } = Written::since(shared, read);
        let files: Vec<PathBuf> = documents.into_iter().chain(others).collect();
        if !files.is_empty() {
            // folders that are new have no watch yet
            self.begin(None);
            changed.push((Part::Contracts, files));
        }
        if self.places.has_young_manifest(self.read.unwrap_or(self.begun).earliest()) {
            changed.push((Part::Selection, Vec::new()));
        }
        // of a large layer that is much work, and is to be no more than a twentieth of the time
        self.look = self.look.map(|look| look.max(looked.elapsed() * 20));
        changed
    }

    /// Watches the packages that the project has now. Those that it did not have before were not watched while they were
    /// read, nor was the project at the very beginning: what was written since tells itself.
    fn follow(&mut self, packages: Vec<PathBuf>, begun: Moment) {
        let first = self.read.replace(begun).is_none();
        let before = std::mem::replace(&mut self.places.packages, packages);
        let (kept, gone): (Vec<_>, Vec<_>) = before.into_iter().partition(|place| self.places.packages.contains(place));
        // with a folder all in it would be watched no more: one that holds another place stays watched
        for place in gone.into_iter().filter(|place| !self.places.all().any(|other| other.starts_with(place))) {
            // it may have vanished, and its watches with it
            let _ = self.watcher.unwatch(&place);
        }
        let new: Vec<PathBuf> = self.places.packages.iter().filter(|place| !kept.contains(place)).cloned().collect();
        for place in &new {
            self.way_to(place);
            self.add(place, RecursiveMode::Recursive);
        }
        let since = begun.earliest();
        let mut files = new.iter().flat_map(WalkDir::new).filter_map(Result::ok);
        // not each time: what was told would be read, and told again, for as long as it is young
        let unseen = first || !new.is_empty();
        if unseen && (self.places.has_young_manifest(since) || files.any(|file| is_young(file.path(), since))) {
            // the explorer has ended where nobody takes it
            let _ = self.sender.send(Msg::Again(Part::Selection));
        }
    }
}

fn is_young(file: &Path, since: SystemTime) -> bool {
    file.symlink_metadata().and_then(|it| it.modified()).is_ok_and(|at| at >= since)
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
fn missed(shared: &Shared, begun: Moment, news: &Sender<News>, sender: &Sender<Msg>) {
    let Written { documents, others } = Written::since(shared, begun);
    if !documents.is_empty() {
        let event = documents.into_iter().fold(Event::new(EventKind::Any), Event::add_path);
        let _ = news.send(News::Changed(event));
    }
    if !others.is_empty() {
        Shared::held(&shared.changed).extend(others);
        // the explorer has ended where nobody takes it
        let _ = sender.send(Msg::Again(Part::Contracts));
    }
}

/// What of the layer was written since a moment.
struct Written {
    /// Documents that are not as they were read.
    documents: Vec<PathBuf>,
    /// Git's index and folders; they may hold just what was read.
    others: Vec<PathBuf>,
}

impl Written {
    fn since(shared: &Shared, begun: Moment) -> Written {
        let layer = shared.layer();
        let files = layer.written_since(begun.earliest());
        let (mut documents, others): (Vec<PathBuf>, Vec<PathBuf>) =
            files.into_iter().partition(|path| path.extension().is_some_and(|end| end == "md"));
        if matches!(layer.reread(&documents), Fresh::Same) {
            documents.clear();
        }
        Written { documents, others }
    }
}

/// How long what comes is still taken for what the explorer wrote itself; nothing when it has not written just now.
pub(super) fn own_for(shared: &Shared) -> Option<Duration> {
    if shared.writing.load(Ordering::SeqCst) {
        return Some(OWN);
    }
    let wrote = (*Shared::held(&shared.wrote))?;
    OWN.checked_sub(wrote.elapsed()).filter(|rest| !rest.is_zero())
}

/// Tells about bursts of changes, each once.
fn tell(shared: &Shared, watch: &mut Watch, told: &Receiver<News>) {
    while let Some(first) = watch.next(told) {
        let begun = Instant::now();
        let mut parts: HashSet<Part> = HashSet::new();
        let mut files: HashSet<PathBuf> = HashSet::new();
        let mut take = |news: News| match news {
            News::Changed(event) if !event.need_rescan() && !matters(&event) => {}
            News::Changed(event) if !event.need_rescan() => {
                for path in event.paths {
                    let mut of = watch.places.parts(&path);
                    let leads = watch.places.leads(&path);
                    if leads || !of.is_empty() {
                        // before it is told, so that what is written after it was read again tells itself
                        watch.begin(Some(&path));
                    }
                    if leads {
                        let elsewhere = watch.look_again(shared);
                        if elsewhere.contains(&Part::Contracts) {
                            // no file of it: it is read anew, whole
                            files.insert(watch.places.layer.clone());
                        }
                        of.extend(elsewhere);
                    }
                    if of.contains(&Part::Contracts) {
                        files.insert(path);
                    }
                    parts.extend(of);
                }
            }
            // more events than the system keeps, or none where nothing is watched
            News::Changed(_) | News::Look => {
                for (part, changed) in watch.dropped(shared) {
                    parts.insert(part);
                    files.extend(changed);
                }
            }
            News::Unwatched => watch.partly(),
            News::Read { packages, begun } => watch.follow(packages, begun),
        };
        take(first);
        while begun.elapsed() < LATEST {
            match told.recv_timeout(QUIET) {
                Ok(news) => take(news),
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        // this is likely what the explorer wrote itself, which is no news; it may be somebody else's all the same. What
        // comes meanwhile belongs to it: several writes are often made in a row
        let mut own = false;
        while let Some(rest) = own_for(shared) {
            own = true;
            match told.recv_timeout(rest) {
                Ok(news) => take(news),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
        Shared::held(&shared.changed).extend(files);
        for part in parts {
            // the registry's own desk tells what others write there; here it only may have to be looked for elsewhere
            let told = if own || part == Part::Resources { Msg::Again(part) } else { Msg::Outside(part) };
            if watch.sender.send(told).is_err() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use notify::event::Flag;

    use super::super::share;
    use super::*;
    use crate::explorer::model::Keymap;
    use crate::workspace::{Options, Workspace};

    /// What is told of some news about a layer that is written to after it was read, or is not.
    fn told(all: Vec<News>, written: bool) -> Vec<Msg> {
        let dir = tempfile::tempdir().unwrap();
        let layer = dir.path().join(".ai");
        std::fs::create_dir(&layer).unwrap();
        let file = layer.join("README.md");
        let old = SystemTime::now() - COARSE * 10;
        let dated = |path: &Path| std::fs::File::open(path).unwrap().set_modified(old).unwrap();
        std::fs::write(&file, "no contract\n").unwrap();
        dated(&file);
        dated(&layer);
        let options = Options { directory: Some(dir.path().to_owned()), ..Options::default() };
        let shared = share(Workspace::find(options).unwrap(), Keymap::default());
        shared.layer();
        if written {
            std::fs::write(&file, "---\nid: now.one\n---\n").unwrap();
        }
        let (sender, receiver) = channel();
        let (news, heard) = channel();
        let watcher = notify::recommended_watcher(|_| {}).unwrap();
        let mut watch = Watch::new(Box::new(watcher), Places::of(&shared), sender, Moment::now());
        thread::scope(|scope| {
            let (shared, watch) = (&shared, &mut watch);
            scope.spawn(move || {
                // until the sender is gone, and what came before then is told
                tell(shared, watch, &heard);
            });
            for one in all {
                news.send(one).unwrap();
            }
            thread::sleep(LATEST);
            drop(news);
        });
        drop(watch);
        receiver.iter().collect()
    }

    #[test]
    fn where_the_system_dropped_events_what_was_written_is_found_and_nothing_else_is_read_again() {
        let dropped = || vec![News::Changed(Event::new(EventKind::Other).set_flag(Flag::Rescan))];
        let after = told(dropped(), true);
        assert!(matches!(&after[..], [Msg::Outside(Part::Contracts)]), "{after:?}");
        // reading makes so many events itself: were it read again for them, it would be for ever
        let after = told(dropped(), false);
        assert!(after.is_empty(), "{after:?}");
    }

    /// What is done, to the start or to the folder above it, and the part that has to be told of it.
    type Step = (&'static str, fn(&Path), Part);

    /// Does steps one after another under a watch; each has to be told.
    fn all_are_told(prepare: fn(&Path), steps: &[Step]) {
        all_are_told_with(None, prepare, steps);
    }

    fn all_are_told_with(layer: Option<&str>, prepare: fn(&Path), steps: &[Step]) {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let start = base.join("outer/inner");
        std::fs::create_dir_all(&start).unwrap();
        prepare(&start);
        let layer = layer.map(PathBuf::from);
        let options = Options { directory: Some(start.clone()), layer, ..Options::default() };
        let shared = share(Workspace::find(options).unwrap(), Keymap::default());
        shared.reread_layer(&mut |_| {});
        let (sender, receiver) = channel();
        super::start(Arc::clone(&shared), sender);
        // watched by then, so that each step shows what the watches see
        while receiver.recv_timeout(LATEST * 2).is_ok() {}
        for (what, step, part) in steps {
            step(&start);
            loop {
                match receiver.recv_timeout(Duration::from_mins(1)) {
                    Ok(Msg::Outside(told) | Msg::Again(told)) if told == *part => break,
                    Ok(_) => {}
                    Err(error) => panic!("not told: {what} ({error})"),
                }
            }
            // the rest of it
            while receiver.recv_timeout(LATEST * 2).is_ok() {}
        }
    }

    fn git(folder: &Path, arguments: &[&str]) {
        let said = std::process::Command::new("git").current_dir(folder).args(arguments).output().unwrap();
        assert!(said.status.success(), "{said:?}");
    }

    fn git_init(folder: &Path) {
        git(folder, &["init", "-q"]);
    }

    fn layer_in(folder: &Path) {
        std::fs::create_dir(folder.join(".ai")).unwrap();
        std::fs::write(folder.join(".ai/README.md"), "").unwrap();
    }

    fn project_in(folder: &Path) {
        std::fs::write(folder.join("mars.toml"), "[dependencies.a]\npath = \"a\"\n").unwrap();
    }

    fn above(start: &Path) -> &Path {
        start.parent().unwrap()
    }

    /// Moves a folder away, or back.
    fn move_it(folder: &Path, aside: &str) {
        let away = above(folder).join(aside);
        let (from, to) = if folder.exists() { (folder, &*away) } else { (&*away, folder) };
        std::fs::rename(from, to).unwrap();
    }

    #[test]
    fn whatever_begins_or_goes_that_a_workspace_is_found_by_is_told() {
        let nothing = |_: &Path| {};
        all_are_told(
            nothing,
            &[
                ("git init above", |start| git_init(above(start)), Part::Contracts),
                ("git init", git_init, Part::Contracts),
                ("no repository", |start| std::fs::remove_dir_all(start.join(".git")).unwrap(), Part::Contracts),
                ("a work tree", |start| std::fs::write(start.join(".git"), "gitdir: ..").unwrap(), Part::Contracts),
            ],
        );
        all_are_told(
            nothing,
            &[
                ("a layer above", |start| layer_in(above(start)), Part::Contracts),
                ("a nearer layer", layer_in, Part::Contracts),
                ("no nearer layer", |start| std::fs::remove_dir_all(start.join(".ai")).unwrap(), Part::Contracts),
                (
                    "what is written in the one above",
                    |start| std::fs::write(above(start).join(".ai/x.md"), "").unwrap(),
                    Part::Contracts,
                ),
            ],
        );
        all_are_told(
            nothing,
            &[
                ("a project above", |start| project_in(above(start)), Part::Selection),
                ("a nearer project", project_in, Part::Selection),
                ("no nearer project", |start| std::fs::remove_file(start.join("mars.toml")).unwrap(), Part::Selection),
                (
                    "a lock of the one above",
                    |start| std::fs::write(above(start).join("mars.lock"), "").unwrap(),
                    Part::Selection,
                ),
            ],
        );
    }

    #[test]
    fn what_is_tracked_in_a_further_work_tree_of_a_repository_is_told() {
        let prepare = |start: &Path| {
            let first = above(above(start)).join("first");
            std::fs::create_dir(&first).unwrap();
            git_init(&first);
            git(&first, &["-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "--allow-empty", "-m", "m"]);
            std::fs::remove_dir(start).unwrap();
            git(&first, &["worktree", "add", "-q", start.to_str().unwrap()]);
            layer_in(start);
        };
        let track = |start: &Path| git(start, &["add", ".ai"]);
        all_are_told(prepare, &[("what is tracked", track, Part::Contracts)]);
    }

    #[test]
    fn what_begins_before_it_is_watched_is_found_when_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let options = Options { directory: Some(dir.path().to_owned()), ..Options::default() };
        let shared = share(Workspace::find(options).unwrap(), Keymap::default());
        let before = Places::of(&shared);
        project_in(&shared.workspace.start);
        let watcher = notify::recommended_watcher(|_| {}).unwrap();
        let mut watch = Watch::new(Box::new(watcher), before, channel().0, Moment::now());
        assert_eq!(watch.look_again(&shared), [Part::Selection]);
        assert_eq!(watch.look_again(&shared), []);
    }

    #[test]
    fn a_manifest_that_changes_before_it_is_watched_is_told_once_also_where_no_package_is_to_be_watched() {
        let dir = tempfile::tempdir().unwrap();
        let options = Options { directory: Some(dir.path().to_owned()), ..Options::default() };
        let shared = share(Workspace::find(options).unwrap(), Keymap::default());
        let begun = Moment::now();
        project_in(&shared.workspace.start);
        let (sender, receiver) = channel();
        let watcher = notify::recommended_watcher(|_| {}).unwrap();
        let mut watch = Watch::new(Box::new(watcher), Places::of(&shared), sender, begun);
        // the desk has read it before it was written, and reads it again for what is told
        for _ in 0..2 {
            watch.follow(Vec::new(), begun);
        }
        drop(watch);
        let told: Vec<Msg> = receiver.iter().collect();
        assert!(matches!(&told[..], [Msg::Again(Part::Selection)]), "{told:?}");
    }

    #[test]
    fn a_layer_that_begins_before_it_is_watched_is_found_when_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let options = Options { directory: Some(dir.path().to_owned()), ..Options::default() };
        let shared = share(Workspace::find(options).unwrap(), Keymap::default());
        let begun = Moment::now();
        shared.reread_layer(&mut |_| {});
        layer_in(&shared.workspace.start);
        let (sender, receiver) = channel();
        let (news, heard) = channel();
        missed(&shared, begun, &news, &sender);
        drop((sender, news));
        let told: Vec<Msg> = receiver.iter().collect();
        assert!(matches!(&told[..], [Msg::Again(Part::Contracts)]), "{told:?}");
        assert!(heard.iter().next().is_none());
    }

    #[test]
    fn a_workspace_that_is_moved_away_and_back_is_watched_as_before() {
        let prepare = |start: &Path| {
            project_in(start);
            layer_in(above(start));
        };
        let later = |start: &Path| std::fs::write(start.join("mars.lock"), "version = 1\n").unwrap();
        // with the layer elsewhere, so that nothing else would have what lies above the project watched
        let elsewhere = Some("../../elsewhere/.ai");
        let project = |start: &Path| {
            project_in(start);
            let elsewhere = above(above(start)).join("elsewhere");
            std::fs::create_dir(&elsewhere).unwrap();
            layer_in(&elsewhere);
        };
        all_are_told_with(
            elsewhere,
            project,
            &[
                ("moved away", |start| move_it(start, "aside"), Part::Selection),
                ("moved back", |start| move_it(start, "aside"), Part::Selection),
                ("what is written later", later, Part::Selection),
                ("the folder above moved away", |start| move_it(above(start), "aside"), Part::Selection),
                ("the folder above moved back", |start| move_it(above(start), "aside"), Part::Selection),
                ("what is written then", later, Part::Selection),
            ],
        );
        all_are_told(
            prepare,
            &[
                ("moved away", |start| move_it(start, "aside"), Part::Selection),
                ("moved back", |start| move_it(start, "aside"), Part::Selection),
                ("what is written later", later, Part::Selection),
                ("the folder above moved away", |start| move_it(above(start), "aside"), Part::Contracts),
                ("the folder above moved back", |start| move_it(above(start), "aside"), Part::Contracts),
                ("what is written then", later, Part::Selection),
                (
                    "what is written in the layer then",
                    |start| std::fs::write(above(start).join(".ai/README.md"), "now\n").unwrap(),
                    Part::Contracts,
                ),
            ],
        );
    }

    #[test]
    fn a_folder_that_cannot_be_watched_when_it_comes_is_told() {
        let told = told(vec![News::Unwatched, News::Unwatched], false);
        assert!(matches!(&told[..], [Msg::Note(said)] if said.contains("r reads again")), "{told:?}");
    }

    #[test]
    fn what_is_not_watched_is_looked_at() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join(".ai/README.md");
        std::fs::create_dir(dir.path().join(".ai")).unwrap();
        std::fs::write(&file, "no contract\n").unwrap();
        let options = Options { directory: Some(dir.path().to_owned()), ..Options::default() };
        let shared = share(Workspace::find(options).unwrap(), Keymap::default());
        shared.layer();
        let (sender, receiver) = channel();
        let (news, heard) = channel();
        let mut watch = Watch::blind(Places::of(&shared), sender, Moment::now());
        watch.look = Some(Duration::from_millis(1));
        std::fs::write(&file, "---\nid: now.one\n---\n").unwrap();
        thread::scope(|scope| {
            let (shared, watch) = (&shared, &mut watch);
            scope.spawn(move || tell(shared, watch, &heard));
            let wait = || receiver.recv_timeout(Duration::from_mins(1)).unwrap();
            assert!(matches!(wait(), Msg::Note(said) if said.contains("seconds later")));
            let told = wait();
            assert!(matches!(told, Msg::Outside(Part::Contracts)), "{told:?}");
            drop(news);
        });
        assert!(Shared::held(&shared.changed).contains(&file));
    }

    #[test]
    fn a_clock_that_is_put_back_makes_no_change_too_old_to_be_seen() {
        let (begun, second) = (SystemTime::UNIX_EPOCH + Duration::from_hours(1), Duration::from_secs(1));
        assert_eq!(earliest(begun, begun + second, second), begun - COARSE);
        assert_eq!(earliest(begun, begun + second * 60, second), begun - COARSE, "put forward");
        let put_back = begun - second * 60;
        assert!(earliest(begun, put_back + second, second) <= put_back, "written after it was put back");
    }

    #[test]
    fn what_the_explorer_writes_itself_in_a_row_is_read_again_and_no_news() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".ai")).unwrap();
        let options = Options { directory: Some(dir.path().to_owned()), ..Options::default() };
        let shared = share(Workspace::find(options).unwrap(), Keymap::default());
        let (sender, receiver) = channel();
        let (news, heard) = channel();
        let watcher = notify::recommended_watcher(|_| {}).unwrap();
        let mut watch = Watch::new(Box::new(watcher), Places::of(&shared), sender, Moment::now());
        let file = watch.places.layer.join("README.md");
        let change = || News::Changed(Event::new(EventKind::Any).add_path(file.clone()));
        thread::scope(|scope| {
            let (shared, watch) = (&shared, &mut watch);
            scope.spawn(move || tell(shared, watch, &heard));
            // the second is written while the first still waits to be told
            for _ in 0..2 {
                drop(shared.writes());
                news.send(change()).unwrap();
                thread::sleep(OWN / 2);
            }
            let told = receiver.recv_timeout(Duration::from_mins(1)).unwrap();
            drop(news);
            assert!(matches!(told, Msg::Again(Part::Contracts)), "{told:?}");
            assert!(receiver.recv_timeout(OWN).is_err(), "told once");
        });
    }
}
