//! Several programs on one file, and programs that are killed. Real processes: this test binary runs itself.

use std::collections::BTreeSet;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dagwood::error::{Code, Coded};
use dagwood::resources::{Opening, Registry, ResourceId, Role};

use super::store::{Store, quick};

/// What a process of its own is told through its environment.
const FILE: &str = "DAGWOOD_TEST_FILE";
const SEED: &str = "DAGWOOD_TEST_SEED";
const STEPS: &str = "DAGWOOD_TEST_STEPS";
const NODES: usize = 40;

/// A process that links and unlinks at random, and prints the links it has made and not taken away.
fn writer(file: &std::path::Path, seed: u64, steps: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["resources::writers::a_writer_on_its_own", "--exact", "--ignored", "--nocapture"]);
    command.env(FILE, file).env(SEED, seed.to_string()).env(STEPS, steps);
    command.stdout(Stdio::piped()).spawn().unwrap()
}

/// A small generator of numbers that are random enough.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

#[test]
#[ignore = "run by other tests, as a process of its own"]
fn a_writer_on_its_own() {
    let Some(file) = std::env::var_os(FILE) else { return };
    let asked = std::env::var(STEPS).unwrap();
    let mut numbers = Numbers(std::env::var(SEED).unwrap().parse().unwrap());
    let mut registry =
        Registry::open_to_write(file.as_ref(), Opening { wait: Duration::from_mins(1), ..quick() }).unwrap();
    let ids: Vec<ResourceId> =
        (0..NODES).map(|at| registry.find(&format!("D{at}"), Role::Resource).unwrap().id).collect();
    let mut mine: BTreeSet<(usize, usize)> = BTreeSet::new();
    let start = Instant::now();
    let mut step = 0;
    let goes_on = |step: u64| match asked.strip_suffix('s') {
        Some(seconds) => start.elapsed().as_secs() < seconds.parse().unwrap(),
        None => step < asked.parse().unwrap(),
    };
    while goes_on(step) {
        step += 1;
        let (parent, child) = (numbers.below(NODES), numbers.below(NODES));
        let take_away = (numbers.below(3) == 0).then(|| mine.pop_first()).flatten();
        if let Some((parent, child)) = take_away {
            // nobody else takes it away, so it must be there
            registry.unlink_child(&ids[parent], &ids[child]).unwrap();
        }
        match registry.link_child(&ids[parent], &ids[child]) {
            Ok(_) => assert!(mine.insert((parent, child)), "made twice"),
            Err(error) => assert!(
                matches!(error.code(), Code::CycleDetected | Code::DuplicateLink),
                "no error but the domain's own: {error}"
            ),
        }
    }
    for (parent, child) in mine {
        println!("link {parent} {child}");
    }
}

fn many_writers(writers: u64, steps: &str) {
    let names: Vec<String> = (0..NODES).map(|at| format!("D{at}")).collect();
    let store = Store::with(&names.join(" "));
    let running: Vec<Child> = (0..writers).map(|seed| writer(&store.file(), seed + 1, steps)).collect();
    let mut made = BTreeSet::new();
    for child in running {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}");
        for line in text.lines().filter_map(|line| line.strip_prefix("link ")) {
            assert!(made.insert(line.to_owned()), "{line} was made by two");
        }
    }
    assert!(store.registry.cyclic_group().unwrap().is_empty(), "no cycle");
    let mut there = BTreeSet::new();
    for at in 0..NODES {
        for child in store.registry.get_children(&store.id(&format!("D{at}"))).unwrap() {
            there.insert(format!("{at} {}", child.resource.label().trim_start_matches('D')));
        }
    }
    assert_eq!(there, made, "no link lost, none from nowhere");
    sound(&store.file());
}

#[test]
fn writers_at_once_make_no_cycle_and_lose_no_link() {
    many_writers(4, "60");
}

#[test]
#[ignore = "takes a minute"]
fn eight_writers_for_a_minute_make_no_cycle_and_lose_no_link() {
    many_writers(8, "60s");
}

/// The file passes SQLite's own checks.
fn sound(file: &std::path::Path) {
    let connection = rusqlite::Connection::open(file).unwrap();
    let said: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(said, "ok");
    let broken = connection.prepare("PRAGMA foreign_key_check").unwrap().query([]).unwrap().next().unwrap().is_some();
    assert!(!broken, "foreign keys");
}

/// The program, in a folder and with a home of the test's own.
fn program(place: &std::path::Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_dagwood"));
    command.current_dir(place).args(arguments).env_clear().env("HOME", place.join("home"));
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn opposite_links(rounds: usize) {
    let dir = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        assert!(program(dir.path(), &["resource", "add", "fs-directory", name]).status().unwrap().success());
    }
    for _ in 0..rounds {
        let running = [["a", "b"], ["b", "a"]].map(|[parent, child]| {
            program(dir.path(), &["resource", "link", parent, child, "--json"]).spawn().unwrap()
        });
        let ended = running.map(|child| child.wait_with_output().unwrap());
        let lost: Vec<_> = ended.iter().filter(|output| !output.status.success()).collect();
        assert_eq!(lost.len(), 1, "exactly one wins");
        let error: serde_json::Value = serde_json::from_slice(&lost[0].stderr).unwrap();
        assert_eq!(error["error"]["code"], "cycle_detected");
        let unlinked = ["a b", "b a"].into_iter().filter(|ends| {
            let (parent, child) = ends.split_once(' ').unwrap();
            program(dir.path(), &["resource", "unlink", parent, child]).status().unwrap().success()
        });
        assert_eq!(unlinked.count(), 1);
    }
}

#[test]
fn of_two_opposite_links_at_once_exactly_one_is_made() {
    opposite_links(5);
}

#[test]
#[ignore = "takes minutes"]
fn of_two_opposite_links_at_once_exactly_one_is_made_a_thousand_times() {
    opposite_links(1_000);
}

fn killed_discoveries(kills: usize) {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path();
    std::fs::create_dir(place.join("w")).unwrap();
    assert!(program(place, &["resource", "add", "fs-directory", "w", "--location", "w"]).status().unwrap().success());
    let file = place.join(".dagwood/registry.db");
    let mut numbers = Numbers(7);
    let mut files: u64 = 0;
    for _ in 0..kills {
        for _ in 0..500 {
            std::fs::write(place.join(format!("w/f{files}")), "").unwrap();
            files += 1;
        }
        let mut child = program(place, &["resource", "discover", "w"]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(numbers.below(150) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        sound(&file);
        let registry = Registry::open_to_read(&file, Duration::from_secs(5)).unwrap();
        let counts = registry.counts().unwrap();
        assert_eq!(counts.resources, counts.links + 1, "whole rows only: each child with its link");
    }
    let output = program(place, &["resource", "discover", "w"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let registry = Registry::open_to_read(&file, Duration::from_secs(5)).unwrap();
    assert_eq!(registry.counts().unwrap().links, files, "the next run went on");
    assert_eq!(registry.roots().unwrap().len(), 1);
}

#[test]
fn a_killed_discovery_leaves_whole_rows_and_the_next_goes_on() {
    killed_discoveries(4);
}

#[test]
#[ignore = "takes minutes"]
fn a_discovery_killed_a_hundred_times_leaves_whole_rows_and_the_next_goes_on() {
    killed_discoveries(100);
}

#[test]
fn two_programs_that_discover_at_once_leave_one_copy() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path();
    std::fs::create_dir_all(place.join("w/sub")).unwrap();
    for nth in 0..200 {
        std::fs::write(place.join(format!("w/f{nth}")), "").unwrap();
    }
    assert!(program(place, &["resource", "add", "fs-directory", "w", "--location", "w"]).status().unwrap().success());
    let running = [0, 1].map(|_| program(place, &["resource", "discover", "w", "--recursive"]).spawn().unwrap());
    for child in running {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let registry = Registry::open_to_read(&place.join(".dagwood/registry.db"), Duration::from_secs(5)).unwrap();
    let counts = registry.counts().unwrap();
    assert_eq!((counts.resources, counts.links), (202, 201));
}
