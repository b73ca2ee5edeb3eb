//! Writes that fail, and writes that are killed, at every step they take: afterwards there is the old state or the new
//! one, whole, the answer says which, and undo, redo and the next write work. Real processes are killed: this test
//! binary runs itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use super::*;
use crate::edit::disk::Call;
use crate::edit::disk::faults::{self, Fault};
use crate::edit::{FileEdit, Plan, carry_out};
use crate::resources::discovery::{Discover, Watch};
use crate::resources::{LinksToo, NewResource, Operation, ResourceId, Role};

/// A workspace of a test's own, with a journal of its own.
struct Place {
    top: PathBuf,
    workspace: Workspace,
}

/// A temporary folder, in memory where the system has such a place: a walk syncs ten thousand times.
fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let quick = memory.is_dir().then(|| tempfile::tempdir_in(memory).ok()).flatten();
    quick.unwrap_or_else(|| tempfile::tempdir().unwrap())
}

impl Place {
    fn at(top: &Path) -> Place {
        let work = top.join("work");
        fs::create_dir_all(&work).unwrap();
        let options = Options { directory: Some(work), state: Some(top.join("state")), ..Options::default() };
        Place { top: top.to_owned(), workspace: Workspace::find(options).unwrap() }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.workspace.start.join(name)
    }

    fn create(&self, name: &str) -> FileEdit {
        FileEdit::create(self.file(name), format!("{name} is new\n"))
    }

    fn change(&self, name: &str) -> FileEdit {
        let before = fs::read(self.file(name)).unwrap();
        let after = [&before[..], b"and one line more\n"].concat();
        FileEdit::change(self.file(name), before, after)
    }

    fn write(&self, edits: Vec<FileEdit>) -> Result<(), Failure> {
        let plan = Plan { label: "a write".into(), root: self.workspace.start.clone(), edits };
        Ok(carry_out(&plan, &self.workspace.journal(), || Ok(()))?)
    }

    fn add(&self, name: &str) -> Result<(), Failure> {
        let new = NewResource { type_name: "fs-directory".into(), name: Some(name.into()), ..NewResource::default() };
        self.workspace.registry_to_write()?.add(new)?;
        Ok(())
    }

    fn id(&self, name: &str) -> ResourceId {
        self.workspace.registry().unwrap().find(name, Role::Resource).unwrap().id
    }

    fn operate(&self, operation: &Operation) -> Result<(), Failure> {
        self.workspace.registry_to_write()?.carry_out(operation)?;
        Ok(())
    }

    /// Everything there is: folders, files with what they hold, rows by name.
    fn state(&self) -> BTreeSet<String> {
        let mut state = BTreeSet::new();
        let mut open = vec![self.workspace.start.clone()];
        while let Some(folder) = open.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                let name = path.strip_prefix(&self.workspace.start).unwrap().display().to_string();
                if name == ".dagwood" {
                    continue;
                }
                if path.is_dir() {
                    open.push(path);
                    state.insert(format!("folder {name}"));
                } else {
                    state.insert(format!("{name}: {}", fs::read_to_string(&path).unwrap()));
                }
            }
        }
        let registry = self.workspace.registry().unwrap();
        for node in registry.list(None).unwrap() {
            let label = node.resource.label();
            for child in registry.get_children(&node.resource.id).unwrap() {
                state.insert(format!("link {label} → {}", child.resource.label()));
            }
            state.insert(format!("resource {label}"));
        }
        state
    }

    /// What a write leaves only when it is killed.
    fn left(&self) -> Vec<PathBuf> {
        let mut left = Vec::new();
        let mut open = vec![self.top.clone()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let name = entry.file_name().into_string().unwrap();
                if name.starts_with(".dagwood-") || name.starts_with(".registry-") || name.starts_with("next") {
                    left.push(entry.path());
                } else if entry.path().is_dir() {
                    open.push(entry.path());
                }
            }
        }
        left
    }

    /// The registry passes SQLite's own checks, and is kept out of git.
    fn is_sound(&self) {
        let file = self.workspace.registry_file();
        if !file.exists() {
            return;
        }
        let ignore = fs::read_to_string(file.with_file_name(".gitignore")).unwrap();
        assert_eq!(ignore, "*\n");
        let connection = rusqlite::Connection::open(file).unwrap();
        let said: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(said, "ok");
        let mut broken = connection.prepare("PRAGMA foreign_key_check").unwrap();
        assert!(broken.query([]).unwrap().next().unwrap().is_none(), "foreign keys");
    }
}

/// Something that is written, what was there before, and what takes it back.
#[derive(Clone, Copy)]
struct Scene {
    name: &'static str,
    prepare: fn(&Place),
    act: fn(&Place) -> Result<(), Failure>,
    kind: Kind,
    /// Whether a redo completes it when it was killed: nothing else is there to be redone.
    completes: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Write,
    Undo,
    Redo,
}

fn two_files(place: &Place) {
    place.write(vec![place.create("a.md"), place.create("sub/b.md")]).unwrap();
}

fn several(place: &Place) -> Result<(), Failure> {
    place.write(vec![place.change("a.md"), place.create("new/deep/c.md"), place.change("sub/b.md")])
}

fn rows(place: &Place) {
    for name in ["top", "left", "right"] {
        place.add(name).unwrap();
    }
    place.operate(&Operation::Link(place.id("top"), place.id("left"))).unwrap();
    place.operate(&Operation::Link(place.id("left"), place.id("right"))).unwrap();
}

fn remove(place: &Place) -> Result<(), Failure> {
    place.operate(&Operation::Remove(place.id("left"), LinksToo::Remove))
}

fn undo(place: &Place) -> Result<(), Failure> {
    place.workspace.undo().map(drop)
}

fn redo(place: &Place) -> Result<(), Failure> {
    place.workspace.redo().map(drop)
}

/// A journal that is full, of writes that can be redone too: the next write forgets some of both.
fn full(place: &Place) {
    two_files(place);
    let folder = place.workspace.journal().home().unwrap().join("journal");
    for number in 2..210 {
        fs::copy(folder.join("00000001.done"), folder.join(format!("{number:08}.done"))).unwrap();
    }
    several(place).unwrap();
    undo(place).unwrap();
}

const FILES: [Scene; 6] = [
    Scene {
        name: "a new file in new folders",
        prepare: |_| {},
        act: |place| place.write(vec![place.create("new/deep/a.md")]),
        kind: Kind::Write,
        completes: true,
    },
    Scene {
        name: "an edit",
        prepare: two_files,
        act: |place| place.write(vec![place.change("a.md")]),
        kind: Kind::Write,
        completes: true,
    },
    Scene { name: "several files", prepare: two_files, act: several, kind: Kind::Write, completes: true },
    Scene {
        name: "a write that forgets others",
        prepare: full,
        act: |place| place.write(vec![place.create("c.md")]),
        kind: Kind::Write,
        completes: false,
    },
    Scene {
        name: "undoing several files",
        prepare: |place| {
            two_files(place);
            several(place).unwrap();
        },
        act: undo,
        kind: Kind::Undo,
        completes: false,
    },
    Scene {
        name: "redoing several files",
        prepare: |place| {
            two_files(place);
            several(place).unwrap();
            undo(place).unwrap();
        },
        act: redo,
        kind: Kind::Redo,
        completes: false,
    },
];

const ROWS: [Scene; 5] = [
    Scene {
        name: "a registry and its first row",
        prepare: |_| {},
        act: |place| place.add("top"),
        kind: Kind::Write,
        completes: true,
    },
    Scene {
        name: "a link",
        prepare: rows,
        act: |place| place.operate(&Operation::Link(place.id("top"), place.id("right"))),
        kind: Kind::Write,
        completes: true,
    },
    Scene {
        name: "a resource that goes with its links",
        prepare: rows,
        act: remove,
        kind: Kind::Write,
        completes: true,
    },
    Scene {
        name: "undoing rows",
        prepare: |place| {
            rows(place);
            remove(place).unwrap();
        },
        act: undo,
        kind: Kind::Undo,
        completes: false,
    },
    Scene {
        name: "redoing rows",
        prepare: |place| {
            rows(place);
            remove(place).unwrap();
            undo(place).unwrap();
        },
        act: redo,
        kind: Kind::Redo,
        completes: false,
    },
];

/// A resource with all that is below it on the disk, found and written in several parts.
fn discover(place: &Place) {
    for name in ["a", "b", "c", "d", "e"] {
        fs::write(place.file(name), "").unwrap();
    }
    let location = Some(crate::resources::location_of(&place.workspace.start));
    let name = Some("top".into());
    let top = NewResource { type_name: "fs-directory".into(), name, location, ..NewResource::default() };
    let mut registry = place.workspace.registry_to_write().unwrap();
    let top = registry.add(top).unwrap();
    let watch = Watch { cancel: &AtomicBool::new(false), progress: &|_| {} };
    registry.discover(&top.id, &Discover::ONE_LEVEL, &watch).unwrap();
    let parts = place.workspace.journal().list().unwrap();
    assert!(parts.iter().filter(|entry| entry.part_of.is_some()).count() >= 2, "{parts:?}");
}

const LONG: [Scene; 2] = [
    Scene { name: "undoing a long write", prepare: discover, act: undo, kind: Kind::Undo, completes: false },
    Scene {
        name: "redoing a long write",
        prepare: |place| {
            discover(place);
            undo(place).unwrap();
        },
        act: redo,
        kind: Kind::Redo,
        completes: false,
    },
];

impl Scene {
    /// A fresh place where it is about to happen, and the states before and after.
    fn set(&self) -> (tempfile::TempDir, Place) {
        let dir = folder();
        let place = Place::at(dir.path());
        (self.prepare)(&place);
        (dir, place)
    }

    fn states(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        let (_dir, place) = self.set();
        let old = place.state();
        (self.act)(&place).unwrap();
        (old, place.state())
    }

    /// What takes it back, and what does it again then.
    fn back(&self, place: &Place) -> Result<(), Failure> {
        if self.kind == Kind::Undo { redo(place) } else { undo(place) }
    }

    fn again(&self, place: &Place) -> Result<(), Failure> {
        if self.kind == Kind::Undo { undo(place) } else { redo(place) }
    }

    /// From any state that a fault may leave, everything goes on.
    fn goes_on(&self, place: &Place, old: &BTreeSet<String>, new: &BTreeSet<String>) -> Result<(), Failure> {
        let mut now = files(&place.state());
        if now == files(old) {
            (self.act)(place)?;
            now = files(new);
        } else if now != files(new) {
            // what is half-way is taken back
            undo(place)?;
            now = files(if self.kind == Kind::Undo { new } else { old });
            assert_eq!(files(&place.state()), now, "taken back");
        }
        if now == files(new) {
            assert_eq!(files(&place.state()), now, "done at last");
            self.back(place)?;
            assert_eq!(place.state(), *old, "taken back");
        }
        self.again(place)?;
        assert_eq!(place.state(), *new, "done again");
        // and so does the next write, which is undone alone
        place.write(vec![place.create("later.md")])?;
        assert_ne!(place.state(), *new);
        undo(place)?;
        assert_eq!(place.state(), *new);
        assert_eq!(place.left(), [] as [PathBuf; 0], "something is left");
        place.is_sound();
        Ok(())
    }
}

/// Lets a scene fail in one way at each of its steps; gives how often it failed.
fn fail_everywhere(scene: &Scene, fault: Fault) -> usize {
    let (old, new) = scene.states();
    for step in 1.. {
        let (_dir, place) = scene.set();
        faults::arm(Some((step, fault)));
        let answer = (scene.act)(&place);
        let steps = faults::disarm();
        if !steps.fired {
            answer.unwrap();
            return step - 1;
        }
        let at = &steps.calls[step - 1];
        let what = format!("{}, {fault:?} at step {step}: {at:?}", scene.name);
        let now = place.state();
        match &answer {
            // an empty folder that cannot be taken away stays, and is no reason against what is done
            Ok(()) if at.0 == Call::RemoveFolder => assert_eq!(files(&now), files(&new), "{what}"),
            Ok(()) => assert_eq!(now, new, "{what}: it says it is done"),
            // a disk on which nothing can be done any more leaves what it says is left
            Err(error)
                if ["could not all be taken back", "nor taken back"]
                    .iter()
                    .any(|it| error.to_string().contains(it)) =>
            {
                assert!(!matches!(fault, Fault::Once(_)), "{what}: {error}");
            }
            // a long write stops between two of its parts, and says so
            Err(error) if error.to_string().contains("goes on with it") => assert_ne!(now, old, "{what}"),
            // not even an empty folder can be taken away there
            Err(_) if fault == Fault::ReadOnly => assert_eq!(files(&now), files(&old), "{what}"),
            Err(error) => assert_eq!(now, old, "{what}: it says {error}"),
        }
        if fault == Fault::Once(EINTR) {
            answer.unwrap_or_else(|error| panic!("{what}: {error}"));
        }
        let left = place.left();
        assert!(left.is_empty() || fault == Fault::ReadOnly, "{what}: {left:?} is left");
        if let Err(error) = scene.goes_on(&place, &old, &new) {
            panic!("{what}: it does not go on: {error}");
        }
    }
    unreachable!()
}

/// The files and rows of a state, without folders and without what only a killed write leaves.
fn files(state: &BTreeSet<String>) -> BTreeSet<String> {
    state.iter().filter(|line| !line.starts_with("folder ") && !line.contains(".dagwood-")).cloned().collect()
}

const EINTR: i32 = 4;

/// Interrupted, no space, read-only, no permission, and a disk that fails; at one step or from one on.
const FAULTS: [Fault; 7] = [
    Fault::Once(EINTR),
    Fault::Once(28),
    Fault::Once(30),
    Fault::Once(13),
    Fault::Once(5),
    Fault::Full,
    Fault::ReadOnly,
];

fn fail(scenes: &[Scene], at_least: usize) {
    let mut walked = 0;
    for scene in scenes {
        let steps: usize = FAULTS.iter().map(|fault| fail_everywhere(scene, *fault)).sum();
        println!("{}: {steps} faults", scene.name);
        walked += steps;
    }
    println!("{walked} faults in all");
    assert!(walked >= at_least, "{walked} faults are too few: not every step is walked");
}

#[test]
fn a_write_to_files_that_fails_at_any_step_leaves_the_old_state_or_the_new_one() {
    fail(&FILES, 700);
}

#[test]
fn a_write_to_rows_that_fails_at_any_step_leaves_the_old_state_or_the_new_one() {
    fail(&ROWS, 300);
}

/// Leaves the newest writes as they are, up to the one with the label.
fn keep_down_to(place: &Place, label: &str) {
    loop {
        let entry = place.workspace.to_keep().unwrap();
        if entry.label == label {
            return;
        }
        place.workspace.keep(&entry).unwrap();
    }
}

#[test]
fn leaving_a_long_write_as_it_is_touches_nothing_and_goes_on_wherever_it_fails() {
    for fault in FAULTS {
        for step in 1.. {
            let dir = folder();
            let place = Place::at(dir.path());
            two_files(&place);
            discover(&place);
            let (before, entry) = (place.state(), place.workspace.to_keep().unwrap());
            let parts = place.workspace.journal().list().unwrap().len();
            faults::arm(Some((step, fault)));
            let answer = place.workspace.keep(&entry);
            let steps = faults::disarm();
            let what = format!("{fault:?} at step {step}: {answer:?}");
            assert_eq!(place.state(), before, "{what}");
            let left = place.workspace.journal().list().unwrap();
            if answer.is_ok() {
                assert!(left.iter().all(|other| other.write() != entry.write()), "{what}: it is left whole");
            }
            keep_down_to(&place, "a write");
            assert_eq!(place.state(), before, "{what}");
            undo(&place).unwrap();
            assert!(!place.file("a.md").exists() && place.file("a").exists(), "{what}");
            assert_eq!(place.workspace.journal().kept().unwrap().len(), parts - 1, "{what}: all are told");
            if !steps.fired {
                assert!(step > 3, "{what}: not every step is walked");
                break;
            }
        }
    }
}

/// What the process that is killed is told through its environment.
const PLACE: &str = "DAGWOOD_TEST_PLACE";
const SCENE: &str = "DAGWOOD_TEST_SCENE";
const STEP: &str = "DAGWOOD_TEST_STEP";

#[test]
#[ignore = "run by other tests, as a process that ends in the middle"]
fn one_that_is_killed() {
    let Some(top) = std::env::var_os(PLACE) else { return };
    let name = std::env::var(SCENE).unwrap();
    let step = std::env::var(STEP).unwrap().parse().unwrap();
    let scene = FILES.iter().chain(&ROWS).chain(&LONG).find(|scene| scene.name == name).unwrap();
    let place = Place::at(top.as_ref());
    faults::arm(Some((step, Fault::Abort)));
    (scene.act)(&place).unwrap();
}

/// Kills a scene at each of its steps; gives how often.
fn kill_everywhere(scene: &Scene) -> usize {
    let (old, new) = scene.states();
    for step in 1.. {
        let (dir, place) = scene.set();
        let mut child = Command::new(std::env::current_exe().unwrap());
        child.args(["workspace::walks::one_that_is_killed", "--exact", "--ignored"]);
        child.env(PLACE, dir.path()).env(SCENE, scene.name).env(STEP, step.to_string());
        let status = child.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        if status.success() {
            assert_eq!(place.state(), new);
            return step - 1;
        }
        assert_eq!(status.code(), None, "{}: it failed by itself", scene.name);
        let now = place.state();
        let what = format!("{}, killed at step {step}", scene.name);
        for line in now.difference(&old).filter(|line| !new.contains(*line)) {
            // what whoever writes or undoes next takes away
            let half = line.starts_with("folder new") || line.contains(".dagwood-");
            assert!(half, "{what}: {line} is neither old nor new");
        }
        let lost: Vec<&String> = old.intersection(&new).filter(|line| !now.contains(*line)).collect();
        assert!(lost.is_empty(), "{what}: {lost:?} is lost");
        place.is_sound();
        if scene.completes && files(&now) == files(&old) && step % 2 == 0 {
            // one that was noted and not made can also be completed
            match redo(&place) {
                Ok(()) => assert_eq!(place.state(), new, "{what}: completed"),
                Err(error) => assert_eq!(error.code(), Code::NothingToUndo, "{what}: {error}"),
            }
        }
        if files(&now) == files(&old) && step % 3 == 1 {
            // what would be undone is what is undone
            let said = place.workspace.to_undo().map(|standing| standing.entry.write());
            match place.workspace.undo() {
                Ok(undone) => {
                    assert_eq!(undone.write(), said.unwrap(), "{what}");
                    redo(&place).unwrap();
                }
                Err(error) => assert_eq!(error.code(), said.unwrap_err().code(), "{what}"),
            }
        }
        if let Err(error) = scene.goes_on(&place, &old, &new) {
            panic!("{what}: it does not go on: {error}");
        }
    }
    unreachable!()
}

fn kill(scenes: &[Scene], at_least: usize) {
    let mut walked = 0;
    for scene in scenes {
        let steps = kill_everywhere(scene);
        println!("{}: killed {steps} times", scene.name);
        walked += steps;
    }
    println!("killed {walked} times in all");
    assert!(walked >= at_least, "{walked} kills are too few: not every step is walked");
}

#[test]
fn a_write_to_files_that_is_killed_at_any_step_leaves_each_file_old_or_new() {
    kill(&FILES, 100);
}

#[test]
fn a_write_to_rows_that_is_killed_at_any_step_leaves_the_old_rows_or_the_new_ones() {
    kill(&ROWS, 50);
}

#[test]
fn an_entry_is_on_the_disk_before_its_write_and_every_file_before_it_gets_its_name() {
    let (_dir, place) = FILES[2].set();
    faults::arm(None);
    (FILES[2].act)(&place).unwrap();
    let calls = faults::disarm().calls;
    let work = &place.workspace.start;
    let first = calls.iter().position(|(_, at)| at.starts_with(work)).unwrap();
    let (noted, written) = calls.split_at(first);
    let kinds = |calls: &[(Call, PathBuf)]| calls.iter().map(|(call, _)| *call).collect::<Vec<_>>();
    let entry = [Call::Create, Call::Write, Call::Write, Call::Sync, Call::Place, Call::SyncFolder];
    assert_eq!(kinds(noted)[noted.len() - entry.len()..], entry);
    for name in ["a.md", "new/deep/c.md", "sub/b.md"] {
        let file = work.join(name);
        let at = written.iter().position(|(call, at)| *call == Call::Sync && *at == file).unwrap();
        let since = kinds(&written[at..at + 3]);
        assert_eq!(since, [Call::Sync, Call::Place, Call::SyncFolder], "{name}");
        assert!(!written[at..].iter().any(|(call, at)| *call == Call::Write && *at == file), "{name}");
    }
    // a folder that is made is itself on the disk before anything is in it
    let made = written.iter().position(|(call, _)| *call == Call::MakeFolder).unwrap();
    let order = [Call::MakeFolder, Call::SyncFolder, Call::MakeFolder, Call::SyncFolder];
    assert_eq!(kinds(&written[made..made + 4]), order);
}

#[test]
fn undoing_or_redoing_a_long_write_that_fails_at_any_step_says_how_far_it_came() {
    fail(&LONG, 150);
}

#[test]
fn undoing_or_redoing_a_long_write_that_is_killed_at_any_step_goes_on_where_it_was() {
    kill(&LONG, 30);
}
