//! Faults of the world, with the built program: no room on the disk, nothing that may be written, a registry that is
//! locked, files that come, go and grow while they are read, a clock that goes backwards.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use dagwood::contracts::{Layer, Request, layer};
use dagwood::resources::{Opening, Registry, Role};
use serde_json::Value;

use super::here::Here;

fn contract(id: &str) -> String {
    format!(
        "---\nschema: context/v1\nid: {id}\nkind: context\ntitle: T\ndescription: D.\nstatus: active\nscope: subtree\n\
         providers: [\"*\"]\naudience: [human]\ncomposition: extend\norder: 100\n---\n\n# {id}\n"
    )
}

/// A layer in which three directories owe a contract, and a registry with two resources.
fn workspace() -> Here {
    let here =
        Here::with(&[(".ai/README.md", &contract("ai")), (".ai/a/x", "x\n"), (".ai/b/x", "x\n"), (".ai/c/x", "x\n")]);
    here.text(&["resource", "add", "fs-directory", "top"]);
    here.text(&["resource", "add", "fs-directory", "below"]);
    here
}

/// What a program that is cut off may leave.
fn left(folder: &Path) -> Vec<String> {
    let mut left = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            if name.starts_with(".dagwood-") || name.starts_with(".registry-") || name == "next" {
                left.push(name);
            } else if entry.path().is_dir() {
                open.push(entry.path());
            }
        }
    }
    left
}

fn is_sound(here: &Here) {
    let base = rusqlite::Connection::open(here.path().join(".dagwood/registry.db")).unwrap();
    let said: String = base.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(said, "ok");
    assert!(!base.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap());
}

/// Runs the program where no file may become larger than so many blocks.
fn limited(here: &Here, blocks: usize, on_signal: &str, arguments: &[&str]) -> Output {
    let program = here.command("");
    let script = format!("{on_signal} ulimit -c 0; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &script]).arg(program.get_program()).args(arguments).current_dir(here.path()).env_clear();
    shell.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.stdout(Stdio::null()).stderr(Stdio::piped()).output().unwrap()
}

/// Lets a write run out of room at every size; gives how often it failed, and how often it was killed.
fn run_out_of_room(here: &Here, arguments: &[&str], is_done: impl Fn() -> bool) -> (usize, usize) {
    let (mut failed, mut killed) = (0, 0);
    // with the signal ignored a write that goes too far fails; else it ends the program there
    for on_signal in ["trap '' XFSZ;", ""] {
        for blocks in (0..12).chain((12..200).step_by(12)) {
            assert!(!is_done());
            let output = limited(here, blocks, on_signal, arguments);
            let what = format!("{arguments:?} with {blocks} blocks: {}", String::from_utf8_lossy(&output.stderr));
            let done = is_done();
            match output.status.code() {
                Some(0) => assert!(done, "{what}"),
                Some(code) => {
                    failed += 1;
                    assert_eq!(code, 3, "{what}");
                    assert!(!done, "{what}");
                    assert_eq!(left(&here.path()), [] as [&str; 0], "{what}");
                }
                None => killed += 1,
            }
            is_sound(here);
            if !done {
                here.text(arguments);
                assert!(is_done(), "{what}");
            }
            here.text(&["undo"]);
            assert_eq!(left(&here.path()), [] as [&str; 0], "{what}");
        }
    }
    (failed, killed)
}

#[test]
fn a_disk_without_room_leaves_the_old_files_or_the_new_ones() {
    let here = workspace();
    let owed = || here.json(&["contract", "list"])["tallies"]["owed"].as_u64().unwrap();
    assert_eq!(owed(), 3);
    let all = || {
        let owed = owed();
        assert!(owed == 0 || owed == 3 || !left(&here.path()).is_empty(), "{owed} of 3");
        owed == 0
    };
    let (failed, killed) = run_out_of_room(&here, &["contract", "fix", "--all"], all);
    println!("failed {failed} times, killed {killed} times");
    assert!(failed >= 2 && killed >= 2);
}

#[test]
fn a_disk_without_room_leaves_the_old_rows_or_the_new_ones() {
    let here = workspace();
    let linked = || here.json(&["resource", "children", "top"])["resources"].as_array().unwrap().len() == 1;
    let (failed, killed) = run_out_of_room(&here, &["resource", "link", "top", "below"], linked);
    println!("failed {failed} times, killed {killed} times");
    assert!(failed >= 4 && killed >= 4);
}

/// Gives the workspace to somebody whom permissions stop: whoever runs the test or, where that is the superuser, nobody.
struct Somebody(Option<u32>);

const NOBODY: u32 = 65534;

impl Somebody {
    fn of(here: &Here) -> Somebody {
        let probe = here.write("probe", "");
        fs::set_permissions(&probe, fs::Permissions::from_mode(0o444)).unwrap();
        let stopped = fs::File::options().append(true).open(&probe).is_err();
        fs::remove_file(probe).unwrap();
        if stopped {
            return Somebody(None);
        }
        let mut open = vec![here.path().parent().unwrap().to_owned()];
        while let Some(path) = open.pop() {
            chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
            if path.is_dir() {
                open.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            }
        }
        Somebody(Some(NOBODY))
    }

    /// Runs the program as they; `None` where they cannot run it.
    fn run(&self, here: &Here, arguments: &[&str]) -> Option<Output> {
        let mut command = here.command("");
        if let Some(user) = self.0 {
            command.uid(user).gid(user);
        }
        let ended = command.args(arguments).arg("--json").output();
        if ended.is_err() {
            println!("SKIPPED: nobody but the superuser can run the program here");
        }
        ended.ok()
    }
}

fn error(output: &Output) -> (i32, Value) {
    let document: Value = serde_json::from_slice(&output.stderr).unwrap();
    (output.status.code().unwrap(), document["error"].clone())
}

#[test]
fn a_directory_that_may_not_be_written_to_is_told_and_the_others_are_as_they_were() {
    let here = workspace();
    let somebody = Somebody::of(&here);
    let folder = here.path().join(".ai/b");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let Some(output) = somebody.run(&here, &["contract", "fix", "--all"]) else { return };
    let (status, error) = error(&output);
    assert_eq!((status, error["code"].as_str()), (3, Some("io")));
    assert!(error["message"].as_str().unwrap().contains(".ai/b"), "{error}");
    assert_eq!(here.json(&["contract", "list"])["tallies"]["owed"], 3);
    assert_eq!(left(&here.path()), [] as [&str; 0]);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(somebody.run(&here, &["contract", "fix", "--all"]).unwrap().status.success());
}

#[test]
fn a_file_that_may_not_be_written_to_is_told_or_replaced_and_its_mode_is_kept() {
    let here = workspace();
    let somebody = Somebody::of(&here);
    let file = here.path().join(".ai/README.md");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
    let before = here.read(".ai/README.md");
    let exempt = ["contract", "fix", ".ai/a", "--how", "exempt"];
    let Some(output) = somebody.run(&here, &exempt) else { return };
    // who may write to the folder may put another file in the place of this one
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_ne!(here.read(".ai/README.md"), before);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o444);
    assert!(somebody.run(&here, &["undo"]).unwrap().status.success());
    assert_eq!(here.read(".ai/README.md"), before);
    // and who may not, may not
    fs::set_permissions(file.parent().unwrap(), fs::Permissions::from_mode(0o555)).unwrap();
    let (status, error) = error(&somebody.run(&here, &exempt).unwrap());
    assert_eq!((status, error["code"].as_str()), (3, Some("io")));
    assert_eq!(here.read(".ai/README.md"), before);
    fs::set_permissions(file.parent().unwrap(), fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_registry_that_may_not_be_written_is_told_and_still_read() {
    let here = workspace();
    let somebody = Somebody::of(&here);
    let folder = here.path().join(".dagwood");
    fs::set_permissions(folder.join("registry.db"), fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let Some(output) = somebody.run(&here, &["resource", "link", "top", "below"]) else { return };
    let (status, error) = error(&output);
    assert_eq!((status, error["code"].as_str()), (3, Some("read_only")));
    let listed = somebody.run(&here, &["resource", "list"]).unwrap();
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    assert_eq!(listed["resources"].as_array().unwrap().len(), 2);
    // and a home in which no write can be remembered lets nothing be written
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(folder.join("registry.db"), fs::Permissions::from_mode(0o644)).unwrap();
    let state = here.path().parent().unwrap().join("home/.local/state/dagwood");
    let journal = fs::read_dir(state).unwrap().next().unwrap().unwrap().path().join("journal");
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o555)).unwrap();
    let output = somebody.run(&here, &["resource", "link", "top", "below"]).unwrap();
    assert_eq!(self::error(&output).0, 3);
    assert_eq!(here.json(&["resource", "children", "top"])["resources"].as_array().unwrap().len(), 0);
    fs::set_permissions(&journal, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_registry_that_is_locked_is_waited_for_then_told_and_read_all_the_while() {
    let here = workspace();
    let other = rusqlite::Connection::open(here.path().join(".dagwood/registry.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE resources SET description = 'theirs'").unwrap();
    let since = Instant::now();
    assert_eq!(here.json(&["resource", "list"])["resources"].as_array().unwrap().len(), 2);
    assert!(since.elapsed() < Duration::from_secs(5), "looking waited for the lock");
    let since = Instant::now();
    let (status, error) = here.refused(&["resource", "link", "top", "below"]);
    assert_eq!((status, error["code"].as_str()), (3, Some("busy")));
    assert!(error["message"].as_str().unwrap().ends_with("try again"), "{error}");
    assert!(since.elapsed() >= Duration::from_secs(4), "it did not wait: {:?}", since.elapsed());
    // nothing is left of it: the write before it is the one to be undone
    assert!(here.text(&["undo", "--dry-run"]).contains("add below"));
    other.execute_batch("ROLLBACK").unwrap();
    here.text(&["resource", "link", "top", "below"]);
}

#[test]
fn files_that_come_go_and_grow_while_they_are_read_are_read_as_they_are_or_not_at_all() {
    let here = workspace();
    let top = here.path();
    let place = || layer::find(&top, None, None).unwrap();
    here.text(&["resource", "set", "top", "--location", "."]);
    let told = |layer: &Layer| serde_json::to_value(layer.list(&Request::default()).unwrap()).unwrap();
    let (stop, rounds) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // one grows, one comes and goes, and so does a folder
            let (growing, coming) = (top.join(".ai/a/README.md"), top.join(".ai/b/README.md"));
            fs::write(&growing, contract("ai.a")).unwrap();
            for round in 0.. {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                rounds.store(round, Ordering::SeqCst);
                // to half of what a contract may be long, however many rounds a machine makes
                if round < 400 {
                    let mut file = fs::File::options().append(true).open(&growing).unwrap();
                    std::io::Write::write_all(&mut file, &b"more and more\n".repeat(400)).unwrap();
                }
                fs::write(&coming, contract("ai.b")).unwrap();
                fs::create_dir_all(top.join(".ai/d/e")).unwrap();
                fs::write(top.join(".ai/d/e/x"), "x").unwrap();
                fs::remove_file(&coming).unwrap();
                fs::remove_dir_all(top.join(".ai/d")).unwrap();
            }
        });
        let mut read = 0;
        while read < 300 || rounds.load(Ordering::SeqCst) < 300 {
            read += 1;
            let layer = Layer::read(&place());
            let answer = told(&layer);
            let states: Vec<&Value> = answer["directories"].as_array().unwrap().iter().collect();
            assert!(states.iter().any(|it| it["path"] == ".ai" && it["state"] == "documented"), "{answer}");
            let grown = states.iter().find(|it| it["path"] == ".ai/a").unwrap();
            assert!(read < 5 || grown["state"] == "documented", "{answer}");
            // whatever the folder held at some moment; a file that is gone by now is no error
            layer.validate();
        }
        for _ in 0..5 {
            here.text(&["resource", "discover", "top", "--recursive", "--dry-run"]);
            here.run(&["check"]);
        }
        stop.store(true, Ordering::SeqCst);
    });
    println!("read while {} rounds of writing passed", rounds.load(Ordering::SeqCst));
    assert_eq!(here.json(&["contract", "list"])["tallies"]["owed"], 2, "{}", here.text(&["contract", "list"]));
}

#[test]
fn a_clock_that_goes_backwards_changes_no_order() {
    let here = workspace();
    // what was written in a time that has not come yet: an entry of the journal, and an id
    let state = here.path().parent().unwrap().join("home/.local/state/dagwood");
    let home = fs::read_dir(state).unwrap().next().unwrap().unwrap().path();
    let entry = home.join("journal/00000002.done");
    let text = fs::read_to_string(&entry).unwrap();
    let (head, body) = text.split_once('\n').unwrap();
    let mut head: Value = serde_json::from_str(head).unwrap();
    head["at"] = "2999-01-01T00:00:00Z".into();
    fs::write(&entry, format!("{head}\n{body}")).unwrap();
    let base = rusqlite::Connection::open(here.path().join(".dagwood/registry.db")).unwrap();
    let future = "7ZZZZZZZZZ0000000000000000";
    let row = "INSERT INTO resources(resource_id, name, resource_type_name, auto_discovered, created_at) \
               VALUES(?1, 'from/then', 'fs-directory', 0, '2999-01-01T00:00:00.000Z')";
    base.execute(row, [future]).unwrap();
    let added = here.json(&["resource", "add", "fs-directory", "from/now"]);
    assert!(added["resource"]["id"].as_str().unwrap() > future, "{added}");
    let writes = here.json(&["history"]);
    let labels: Vec<&str> =
        writes["writes"].as_array().unwrap().iter().map(|it| it["label"].as_str().unwrap()).collect();
    assert_eq!(labels, ["add from/now", "add below", "add top"], "the newest first");
    assert!(here.text(&["undo"]).contains("add from/now"));
    assert!(here.text(&["undo"]).contains("add below"));
    assert!(here.text(&["redo"]).contains("add below"));
    assert!(here.text(&["redo"]).contains("add from/now"));
}

#[test]
fn a_registry_that_is_gone_is_told_by_undo_and_by_its_dry_run_alike() {
    let here = workspace();
    fs::remove_dir_all(here.path().join(".dagwood")).unwrap();
    assert!(here.text(&["undo", "--dry-run"]).contains("add below"));
    let (status, error) = here.refused(&["undo"]);
    assert_eq!((status, error["code"].as_str()), (1, Some("changed_since")));
    assert!(error["message"].as_str().unwrap().contains("is gone"), "{error}");
    assert!(!here.path().join(".dagwood").exists(), "none is made");
}

#[test]
fn a_log_that_was_cut_off_anywhere_opens_with_the_old_rows_or_the_new_ones() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("registry.db");
    let mut registry = Registry::open_to_write(&file, Opening::default()).unwrap();
    let new = |name: &str| dagwood::resources::NewResource {
        type_name: "fs-directory".into(),
        name: Some(name.into()),
        ..Default::default()
    };
    let (one, other) = (registry.add(new("one")).unwrap().id, registry.add(new("other")).unwrap().id);
    let log = file.with_file_name("registry.db-wal");
    let before = fs::read(&log).unwrap().len();
    // what the disk holds when the machine stops: the file as it is, and the log up to any place
    registry.link_child(&one, &other).unwrap();
    let (base, whole) = (fs::read(&file).unwrap(), fs::read(&log).unwrap());
    assert!(whole.len() > before, "the link is in the log");
    let (mut old, mut new) = (0, 0);
    let mut cut = before;
    while cut <= whole.len() {
        for torn in [false, true] {
            let place = tempfile::tempdir().unwrap();
            let copy = place.path().join("registry.db");
            fs::write(&copy, &base).unwrap();
            let mut left = whole[..cut].to_vec();
            if torn {
                // the rest was given room and never written
                left.resize(whole.len(), 0);
            }
            fs::write(place.path().join("registry.db-wal"), left).unwrap();
            let opened = Registry::open_to_write(&copy, Opening::default()).unwrap();
            let id = |name| opened.find(name, Role::Resource).unwrap().id;
            match opened.get_children(&id("one")).unwrap().len() {
                0 => old += 1,
                _ => new += 1,
            }
            assert!(opened.find("other", Role::Resource).is_ok(), "what was committed before is there");
            drop(opened);
            let base = rusqlite::Connection::open(&copy).unwrap();
            let said: String = base.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
            assert_eq!(said, "ok", "cut off at {cut}");
            assert!(!base.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap());
        }
        cut += if cut + 512 <= whole.len() || cut == whole.len() { 512 } else { whole.len() - cut };
    }
    println!("{old} opened with the old rows, {new} with the new ones");
    assert!(old >= 10 && new >= 1);
}
