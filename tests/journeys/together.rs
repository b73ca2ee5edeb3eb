//! Several at once on one workspace: two explorers and a command line, or threads, with random writes, undone and redone
//! in between. In the end all show the same, and that is what the journal says was written: no update is lost, none
//! comes from nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use dagwood::edit::{FileEdit, Journal, Plan, carry_out};
use dagwood::resources::{Opening, Operation, Registry, ResourceId, Role};
use dagwood::workspace::{Options, Workspace};
use serde_json::Value;

use super::term::{ESC, Term, ask};

/// For how many minutes the long form runs.
const MINUTES: &str = "DAGWOOD_TEST_MINUTES";

/// A small generator of numbers that are random enough.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// What is in a workspace: links by the ids of their ends, and the files below some folders.
#[derive(Clone, Debug, Default, PartialEq)]
struct State {
    links: BTreeSet<(String, String)>,
    files: BTreeMap<PathBuf, String>,
}

impl State {
    fn of(registry: &Path, folder: &Path) -> State {
        let mut state = State::default();
        let base = rusqlite::Connection::open(registry).unwrap();
        let mut rows = base.prepare("SELECT parent_id, child_id FROM resource_links").unwrap();
        state.links = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().map(Result::unwrap).collect();
        let mut open = vec![folder.to_owned()];
        while let Some(folder) = open.pop() {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    open.push(path);
                } else {
                    state.files.insert(path.clone(), fs::read_to_string(&path).unwrap());
                }
            }
        }
        state
    }

    /// The state after every write that stands in a journal, in their order.
    fn replay(mut self, journal: &Path) -> State {
        let mut entries: Vec<PathBuf> = fs::read_dir(journal).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.retain(|path| path.extension().is_some_and(|end| end == "done"));
        entries.sort();
        for entry in entries {
            let text = fs::read_to_string(entry).unwrap();
            let body: Value = serde_json::from_str(text.split_once('\n').unwrap().1).unwrap();
            for edit in body["files"].as_array().unwrap() {
                let file = PathBuf::from(edit["file"].as_str().unwrap());
                let held = |side: &str| edit[side]["text"].as_str().map(str::to_owned);
                assert_eq!(self.files.get(&file).cloned(), held("before"), "{}", file.display());
                match held("after") {
                    Some(after) => drop(self.files.insert(file, after)),
                    None => drop(self.files.remove(&file)),
                }
            }
            let rows = body["rows"]["changes"].as_str().unwrap_or("[]");
            for change in serde_json::from_str::<Vec<Value>>(rows).unwrap() {
                let ends = |side: &str| {
                    let link = &change[side];
                    Some((link["parent_id"].as_str()?.to_owned(), link["child_id"].as_str()?.to_owned()))
                };
                if let Some(link) = ends("before") {
                    assert!(self.links.remove(&link), "{link:?} was not there");
                }
                if let Some(link) = ends("after") {
                    assert!(self.links.insert(link.clone()), "{link:?} was there");
                }
            }
        }
        self
    }
}

/// The journal's folder below a state directory that serves one workspace.
fn journal(state: &Path) -> PathBuf {
    let homes = fs::read_dir(state).unwrap().map(|entry| entry.unwrap().path().join("journal"));
    let mut journals: Vec<PathBuf> = homes.filter(|path| path.is_dir()).collect();
    assert_eq!(journals.len(), 1);
    journals.remove(0)
}

/// The file passes SQLite's own checks, and holds no cycle.
fn is_sound(file: &Path) {
    let base = rusqlite::Connection::open(file).unwrap();
    let said: String = base.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(said, "ok");
    assert!(!base.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap(), "foreign keys");
    let registry = Registry::open_to_read(file, Duration::from_secs(5)).unwrap();
    assert!(registry.cyclic_group().unwrap().is_empty(), "a cycle");
}

/// What one does in an explorer: keys, each once the screen shows something.
type Script = Vec<(&'static str, String)>;

const NAMES: [&str; 5] = ["local/atlas", "local/site", "local/shared", "local/guides", "logo"];
const OWED: [&str; 3] = [".ai/repo/ci", ".ai/repo/rules/project", ".ai/repo/rules"];

fn script(numbers: &mut Numbers) -> Script {
    let step = |shown: &'static str, keys: &str| (shown, keys.to_owned());
    // a row of the resources, however deep
    let row = step("", &format!("1gg{}", " j".repeat(numbers.below(4))));
    let child = NAMES[numbers.below(5)].rsplit('/').next().unwrap();
    match numbers.below(9) {
        0..=2 => {
            vec![row, step("", "L"), step("Link … under", child), step("enter previews", "\r"), step("added", "\r")]
        }
        3 => vec![row, step("", "U"), step("removed", "\r")],
        4 | 5 => vec![step("", "2o"), step("Owes a contract", "f"), step("schema: context/v1", "\r")],
        6 => vec![
            step("", "2o"),
            step("Owes a contract", "f"),
            step("schema: context/v1", "\x1b[C"),
            step("exempt: [", "\r"),
        ],
        7 => vec![step("", "Z"), step("Redo “", "\r")],
        _ => vec![step("", "z"), step("Undo “", "\r")],
    }
}

fn command(work: &Path, home: &Path, numbers: &mut Numbers) -> Child {
    let names: [&str; 4] = [NAMES[0], NAMES[1], NAMES[2], NAMES[3]];
    let (one, other) = (*numbers.of(&names), *numbers.of(&names));
    let owed = *numbers.of(&OWED);
    let arguments = match numbers.below(6) {
        0 | 1 => vec!["resource", "link", one, other],
        2 => vec!["resource", "unlink", one, other],
        3 => vec!["contract", "fix", owed],
        4 => vec!["contract", "fix", owed, "--how", "exempt"],
        _ => vec!["undo"],
    };
    let mut command = Command::new(env!("CARGO_BIN_EXE_dagwood"));
    command.args(arguments).current_dir(work).env_clear().env("HOME", home);
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The rows of a pane as they are drawn: how deep, and the text in the order of the columns.
fn rows(term: &Term, pane: &str, next: &str) -> Vec<(usize, Vec<String>)> {
    let lines: Vec<String> = term.on_screen(|screen| screen.rows(0, 100).collect());
    let from = lines.iter().position(|line| line.contains(pane)).unwrap();
    let to = lines.iter().position(|line| line.contains(next)).unwrap();
    let row = |line: &String| {
        let text: String = line.chars().skip(1).take_while(|c| !"│┃".contains(*c)).collect();
        let bare = text.replace(['▾', '▸'], " ");
        let depth = bare.chars().take_while(|c| *c == ' ').count() / 2 - 1;
        let mut words: Vec<String> = bare.split_whitespace().map(str::to_owned).collect();
        if let Some(at) = words.iter().position(|word| word == "↺") {
            // where else it stands is told of one of its rows, whichever was opened first
            words.drain(at..words.iter().position(|word| word.starts_with('⇡')).unwrap());
        }
        (!words.is_empty()).then_some((depth, words))
    };
    lines[from + 1..to].iter().filter_map(row).collect()
}

/// The links that the rows of the resources show.
fn shown_links(term: &Term) -> BTreeSet<(String, String)> {
    let mut above: Vec<String> = Vec::new();
    let mut links = BTreeSet::new();
    for (depth, words) in rows(term, "1 Resources", "2 Directories") {
        above.truncate(depth);
        links.extend(above.last().map(|parent| (parent.clone(), words[0].clone())));
        above.push(words[0].clone());
    }
    links
}

/// The states that the rows of the directories show.
fn shown_states(term: &Term) -> BTreeSet<(String, String)> {
    let mut above: Vec<String> = Vec::new();
    let mut states = BTreeSet::new();
    for (depth, words) in rows(term, "2 Directories", "3 Selection") {
        above.truncate(depth);
        above.push(words[1].clone());
        let state = match words[0].as_str() {
            "●" => "documented",
            "◌" => "exempt",
            "○" => "owed",
            other => other,
        };
        states.insert((above.join("/"), state.to_owned()));
    }
    states
}

/// What was carried out: an action whose last key was typed, a command that ended well.
struct Ended {
    acted: usize,
    by_command: usize,
}

fn together(seed: u64, beats: usize) -> Ended {
    let mut numbers = Numbers(seed);
    let home = tempfile::tempdir().unwrap();
    let work = home.path().join("atlas");
    ask(home.path(), home.path(), &["demo", "--no-open", "--keep", work.to_str().unwrap()]);
    let state = home.path().join(".local/state/dagwood");
    // what is undone goes no further back than to here
    fs::remove_dir_all(&state).unwrap();
    let (registry, layer) = (work.join(".dagwood/registry.db"), work.join(".ai"));
    let before = State::of(&registry, &layer);
    let at_home = home.path().to_str().unwrap().to_owned();
    let folder = work.to_str().unwrap().to_owned();
    let mut terms = [home, tempfile::tempdir().unwrap()]
        .map(|home| Term::start(home, 100, 160, &["-C", &folder], &[("HOME", &at_home)]));
    for term in &mut terms {
        term.see("local/site").see("notes").see("4 Problems");
    }
    let (mut acted, mut by_command) = (0, 0);
    for _ in 0..beats {
        let scripts = [script(&mut numbers), script(&mut numbers)];
        let beside = command(&work, at_home.as_ref(), &mut numbers);
        let longest = scripts.iter().map(Vec::len).max().unwrap_or_default();
        let mut stopped = [false, false];
        for step in 0..longest {
            for (nth, term) in terms.iter_mut().enumerate() {
                let Some((shown, keys)) = scripts[nth].get(step).filter(|_| !stopped[nth]) else { continue };
                stopped[nth] = !term.screen().contains(shown);
                if !stopped[nth] {
                    term.send(keys);
                }
            }
            for term in &mut terms {
                term.quiet();
            }
        }
        let output = beside.wait_with_output().unwrap();
        by_command += usize::from(output.status.success());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!said.contains("panic") && output.status.code().is_some(), "{said}");
        for term in &mut terms {
            // whatever is open is closed
            term.send(&ESC.repeat(3)).quiet();
        }
        acted += stopped.iter().filter(|stopped| !**stopped).count();
    }
    // everything is opened, and then it is the same everywhere, by itself
    let tree = State::of(&registry, &layer);
    let names: BTreeMap<String, String> = ask(&work, at_home.as_ref(), &["resource", "list"])["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["id"].as_str().unwrap().to_owned(), it["name"].as_str().unwrap().to_owned()))
        .collect();
    let links: BTreeSet<(String, String)> =
        tree.links.iter().map(|(parent, child)| (names[parent].clone(), names[child].clone())).collect();
    let listed = ask(&work, at_home.as_ref(), &["contract", "list"]);
    let states: BTreeSet<(String, String)> = listed["directories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["path"].as_str().unwrap().to_owned(), it["state"].as_str().unwrap().to_owned()))
        .collect();
    // a broken document counts for nothing in the list
    let counts = |state: &BTreeSet<(String, String)>| -> BTreeSet<(String, String)> {
        state.iter().filter(|(path, _)| !path.ends_with("/notes")).cloned().collect()
    };
    for (nth, term) in terms.iter_mut().enumerate() {
        let end = Instant::now() + Duration::from_secs(30);
        // each row is closed, and opened again from the top down; what is below it may have to be read first
        while shown_links(term.send("1-gg").send(&" j".repeat(25)).quiet()) != links {
            assert!(Instant::now() < end, "seed {seed}: explorer {nth} does not show {links:?}:\n{}", term.screen());
        }
    }
    let resources = [0, 1].map(|nth| rows(&terms[nth], "1 Resources", "2 Directories"));
    assert_eq!(resources[0], resources[1], "seed {seed}");
    for (nth, term) in terms.iter_mut().enumerate() {
        let end = Instant::now() + Duration::from_secs(30);
        while counts(&shown_states(term.send("2*").quiet())) != counts(&states) {
            let shown = shown_states(term);
            assert!(Instant::now() < end, "seed {seed}: explorer {nth}: {shown:?}\n{states:?}\n{}", term.screen());
        }
    }
    let directories = [0, 1].map(|nth| rows(&terms[nth], "2 Directories", "3 Selection"));
    assert_eq!(directories[0], directories[1], "seed {seed}");
    let journal = journal(&state);
    assert_eq!(before.replay(&journal), tree, "seed {seed}: what is there is not what was written");
    is_sound(&registry);
    for term in &mut terms {
        term.send("q").given_back();
        assert_eq!(term.ended(), 0);
    }
    Ended { acted, by_command }
}

#[test]
fn two_explorers_and_a_command_line_at_once_end_with_the_same_view_and_no_lost_update() {
    let ended = together(1, 12);
    println!("{} actions in explorers and {} commands carried out", ended.acted, ended.by_command);
    assert!(ended.acted >= 4 && ended.by_command >= 1, "hardly anything was done");
}

#[test]
#[ignore = "takes minutes: DAGWOOD_TEST_MINUTES, 2 where it is not set"]
fn two_explorers_and_a_command_line_for_minutes_end_with_the_same_view_and_no_lost_update() {
    let minutes: u64 = std::env::var(MINUTES).ok().and_then(|minutes| minutes.parse().ok()).unwrap_or(2);
    let end = Instant::now() + Duration::from_secs(minutes * 60);
    let (mut rounds, mut acted, mut by_command) = (0, 0, 0);
    while Instant::now() < end {
        rounds += 1;
        let ended = together(1_000 + rounds, 40);
        acted += ended.acted;
        by_command += ended.by_command;
        println!("{rounds} rounds: {acted} actions in explorers and {by_command} commands carried out");
    }
}

/// Threads that link, unlink, write files, undo and redo at random; gives how many writes were made or taken back.
fn threads(seed: u64, threads: u64, steps: usize) -> usize {
    const NODES: usize = 12;
    let dir = tempfile::tempdir().unwrap();
    let work = dir.path().join("work");
    let files = work.join("files");
    fs::create_dir_all(&files).unwrap();
    let state = dir.path().join("state");
    let options = Options { directory: Some(work), state: Some(state.clone()), ..Options::default() };
    let workspace = Workspace::find(options).unwrap();
    let file = workspace.registry_file();
    let mut registry = Registry::open_to_write(&file, Opening::default()).unwrap();
    for nth in 0..NODES {
        let new = dagwood::resources::NewResource {
            type_name: "fs-directory".into(),
            name: Some(format!("n{nth}")),
            ..Default::default()
        };
        registry.add(new).unwrap();
        fs::write(files.join(format!("f{nth}")), "begun\n").unwrap();
    }
    let id = |nth: usize| -> ResourceId { registry.find(&format!("n{nth}"), Role::Resource).unwrap().id };
    let ids: Vec<ResourceId> = (0..NODES).map(id).collect();
    drop(registry);
    let before = State::of(&file, &files);
    let work = |thread: u64| {
        let mut numbers = Numbers(seed * 100 + thread);
        let mut done = 0;
        for step in 0..steps {
            let (one, other) = (numbers.below(NODES), numbers.below(NODES));
            let operate = |operation| {
                let opening =
                    Opening { wait: Duration::from_mins(1), journal: Some(workspace.journal()), ..Opening::default() };
                Registry::open_to_write(&file, opening).unwrap().carry_out(&operation).is_ok()
            };
            done += usize::from(match numbers.below(6) {
                0 | 1 => operate(Operation::Link(ids[one].clone(), ids[other].clone())),
                2 => operate(Operation::Unlink(ids[one].clone(), ids[other].clone())),
                3 => {
                    let path = files.join(format!("f{one}"));
                    let old = fs::read_to_string(&path).unwrap();
                    let new = format!("{old}{thread} {step}\n");
                    let edits = vec![FileEdit::change(&path, old, new)];
                    let plan = Plan { label: "a line".into(), root: files.clone(), edits };
                    carry_out(&plan, &workspace.journal(), || Ok(())).is_ok()
                }
                4 => workspace.undo().is_ok(),
                _ => workspace.redo().is_ok(),
            });
        }
        done
    };
    let done = std::thread::scope(|scope| {
        let work = &work;
        let all: Vec<_> = (0..threads).map(|thread| scope.spawn(move || work(thread))).collect();
        all.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    let journal: Journal = workspace.journal();
    let folder = journal.home().unwrap().join("journal");
    assert_eq!(before.replay(&folder), State::of(&file, &files), "seed {seed}");
    is_sound(&file);
    done
}

#[test]
fn threads_that_write_undo_and_redo_at_once_lose_no_update() {
    let done: usize = (1..=3).map(|seed| threads(seed, 4, 25)).sum();
    println!("{done} writes made, undone or redone");
    assert!(done >= 60, "hardly anything was written: {done}");
}
