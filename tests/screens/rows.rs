//! What holds for every row of every pane, whatever it stands for.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use dagwood::explorer::model::{Action, Effect, Fold, Key, Model, Msg, Occurrence, PaneId, Subject, Tone};
use dagwood::workspace::Options;

use crate::screen;
use crate::session::Session;

/// The kind of a subject; a new one has to be named here, and met below.
fn kind(subject: &Subject) -> &'static str {
    match subject {
        Subject::Group(_) => "group",
        Subject::Resource(_) => "resource",
        Subject::Type(_) => "type",
        Subject::Directory(_) => "directory",
        Subject::Package(_) => "package",
        Subject::Item(_) => "item",
        Subject::MissingSkill(_) => "missing skill",
        Subject::Finding(_) => "finding",
    }
}

const KINDS: [&str; 8] = ["group", "resource", "type", "directory", "package", "item", "missing skill", "finding"];

/// Adds to the example what it has not: a cycle, an orphan, a submodule, an item of the project's own, a package that no
/// line of its own asks for.
fn with_everything(folder: &Path) {
    let write = |name: &str, text: &str| {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    write("skills/mine/SKILL.md", "---\nname: mine\n---\n");
    write("packages/deep/skills/deep/SKILL.md", "---\nname: deep\n---\n");
    let asks = folder.join("packages/writers/mars.toml");
    let lines = std::fs::read_to_string(&asks).unwrap() + "\n[dependencies.deep]\npath = \"../deep\"\n";
    std::fs::write(asks, lines).unwrap();
    let registry = rusqlite::Connection::open(folder.join(".dagwood/registry.db")).unwrap();
    let add = |id: &str, name: &str| {
        let sql = "INSERT INTO resources(resource_id, name, resource_type_name, created_at)
                   VALUES (?1, ?2, 'fs-directory', '2026-01-01T00:00:00Z')";
        registry.execute(sql, [id, name]).unwrap();
    };
    let (one, two) = ("01ARZ3NDEKTSV4RRFFQ69G5FA1", "01ARZ3NDEKTSV4RRFFQ69G5FA2");
    add(one, "local/ring");
    add(two, "local/ring/back");
    add("01ARZ3NDEKTSV4RRFFQ69G5FA3", "local/alone");
    for [parent, child] in [[one, two], [two, one]] {
        registry.execute("INSERT INTO resource_links VALUES (?1, ?2, '')", [parent, child]).unwrap();
    }
    let link = "160000,0123456789012345678901234567890123456789,.ai/closed";
    let done = Command::new("git").args(["update-index", "--add", "--cacheinfo", link]).current_dir(folder).status();
    assert!(done.unwrap().success());
}

fn read_only() -> Options {
    Options { read_only: true, ..Options::default() }
}

/// A workspace in which nothing is.
fn nothing(folder: &Path, _home: &Path) {
    std::fs::create_dir(folder).unwrap();
}

/// Goes over every row of every pane, in every view of the resources, all of them open.
fn over_every_row(session: &mut Session, mut look: impl FnMut(&mut Session)) {
    for (pane, view) in [("1", ""), ("1", "i"), ("1", "i"), ("1", "i"), ("2", ""), ("3", ""), ("4", "")] {
        session.keys(pane).keys(view);
        session.keys("g g");
        let mut at = 0;
        while at < rows(&session.model) {
            let outline = &session.model.pane(session.model.focus).outline;
            assert_eq!(outline.cursor(), at);
            let here = outline.current().unwrap();
            let node = outline.node(here);
            if matches!(node.fold, Fold::Closed | Fold::Unread) && node.entry.occurrence == Occurrence::First {
                session.keys("space");
            }
            look(session);
            session.keys("j");
            at += 1;
        }
    }
}

fn rows(model: &Model) -> usize {
    model.pane(model.focus).outline.rows().len()
}

/// What the detail says, a line a line.
fn told(model: &Model) -> Vec<String> {
    model.detail.lines().iter().map(dagwood::explorer::model::Line::text).collect()
}

/// The actions that write.
const WRITES: [Action; 9] = [
    Action::Edit,
    Action::Link,
    Action::Unlink,
    Action::Discover,
    Action::Add,
    Action::Remove,
    Action::Fix,
    Action::Undo,
    Action::Redo,
];

/// That nothing that is on the screen offers to write.
fn offers_no_write(session: &Session) {
    let model = &session.model;
    let hinted: Vec<_> = model.hints().into_iter().filter(|(action, _)| WRITES.contains(action)).collect();
    assert!(hinted.is_empty(), "{hinted:?}");
    let keys: Vec<String> = WRITES.iter().map(|&action| model.key_of(action)).collect();
    let hint = &model.pane(model.focus).hint;
    let all = model.detail.shown.iter().flat_map(|shown| &shown.tabs).flat_map(|tab| &tab.lines);
    for line in all.chain(&hint.short).chain(&hint.full) {
        let offered = line.spans.iter().find(|span| span.tone == Tone::Accent && keys.contains(&span.text));
        assert!(offered.is_none(), "{}", line.text());
    }
    let shown = screen(session);
    assert!(!shown.contains(" undo “") && !shown.contains("writes"), "{shown}");
}

#[test]
fn every_kind_of_row_has_a_detail_that_says_something() {
    let mut session = Session::demo_with(120, 40, Options::default(), with_everything);
    let (mut met, mut headings) = (BTreeSet::new(), BTreeSet::new());
    over_every_row(&mut session, |session| {
        let model = &session.model;
        let entry = model.current().unwrap();
        met.insert(kind(&entry.subject));
        if let Subject::Group(_) = entry.subject {
            headings.insert((model.focus.title(), entry.mark.word()));
        }
        let shown = model.detail.shown.as_ref().unwrap_or_else(|| panic!("{}: nothing", entry.name));
        assert_eq!(shown.subject, entry.subject, "{}: the detail of another row", entry.name);
        let lines = told(model);
        let says = lines.iter().any(|line| line.contains(' ') && !line.trim().is_empty());
        assert!(says && shown.title != "gone", "{}: {lines:?}", entry.name);
    });
    assert_eq!(met, KINDS.into(), "a kind of row was not met");
    let headings: Vec<_> = headings.into_iter().collect();
    assert_eq!(
        headings,
        [("Problems", "error"), ("Problems", "warning"), ("Resources", "error"), ("Selection", "duplicate")]
    );
}

#[test]
fn a_heading_says_what_its_group_is_and_what_can_be_done() {
    let mut session = Session::demo_with(120, 40, Options::default(), with_everything);
    let mut said = Vec::new();
    over_every_row(&mut session, |session| {
        if let Some(Subject::Group(_)) = session.model.current().map(|entry| &entry.subject) {
            said.push(told(&session.model).join("\n"));
        }
    });
    said.dedup();
    insta::assert_snapshot!(said.join("\n\n"));
}

#[test]
fn a_hint_to_try_stands_only_where_something_can_be_tried() {
    let mut session = Session::demo_with(120, 40, Options::default(), with_everything);
    let mut met = BTreeSet::new();
    over_every_row(&mut session, |session| {
        let hinted = session.model.hints().iter().any(|(action, _)| *action == Action::Try);
        let entry = session.model.current().unwrap().clone();
        let row = session.model.pane(session.model.focus).outline.cursor();
        session.keys("t");
        let tried = session.model.tries.iter().any(|tries| !tries.is_empty());
        assert_eq!(hinted, tried, "{} ({}): {:?}", entry.name, entry.mark.word(), session.model.notice);
        met.insert((kind(&entry.subject), hinted));
        if tried {
            let still = session.model.hints().iter().any(|(action, _)| *action == Action::Try);
            assert!(still, "{}: what is tried can be ended", entry.name);
            session.keys("T x");
            // the cursor went with what was tried
            session.keys("g g");
            for _ in 0..row {
                session.keys("j");
            }
        }
    });
    for seen in [
        ("directory", true),
        ("directory", false),
        ("item", true),
        ("item", false),
        ("package", true),
        ("package", false),
    ] {
        assert!(met.contains(&seen), "{seen:?} was not met: {met:?}");
    }
}

#[test]
fn a_line_of_mars_toml_has_one_number_in_every_detail() {
    let mut session = Session::demo_with(120, 40, Options::default(), with_everything);
    let mut numbers = BTreeSet::new();
    over_every_row(&mut session, |session| {
        let tabs = session.model.detail.shown.iter().flat_map(|shown| &shown.tabs);
        let said: Vec<String> = tabs.flat_map(|tab| &tab.lines).map(dagwood::explorer::model::Line::text).collect();
        for pair in said.join(" ").split_whitespace().collect::<Vec<_>>().windows(2) {
            if pair[0].starts_with("mars.toml:") && ["base", "writers"].contains(&pair[1]) {
                numbers.insert(pair.join(" "));
            }
        }
    });
    let numbers: Vec<_> = numbers.into_iter().collect();
    assert_eq!(numbers, ["mars.toml:3 base", "mars.toml:6 writers"]);
}

#[test]
fn read_only_nothing_offers_to_write() {
    let mut session = Session::demo_with(120, 40, read_only(), with_everything);
    over_every_row(&mut session, |session| offers_no_write(session));
    session.keys("3 j t T");
    offers_no_write(&session);
    for (width, height) in [(80, 24), (120, 40)] {
        let mut session = Session::of(width, height, read_only(), nothing);
        for pane in ["1", "2", "3", "4"] {
            offers_no_write(session.keys(pane));
        }
    }
    // the same offers are made where writing is allowed, or this would show nothing
    let mut session = Session::of(80, 24, Options::default(), nothing);
    assert!(screen(session.keys("2")).contains("writes .ai/README.md"));
    assert_eq!(session.model.focus, PaneId::Directories);
}

#[test]
fn where_nothing_is_the_detail_says_in_full_what_each_part_is_and_how_it_begins() {
    for (width, height) in [(80, 24), (120, 40)] {
        let mut session = Session::of(width, height, Options::default(), nothing);
        for (pane, says) in [
            (
                "1",
                [
                    "No registry yet",
                    "a adds this directory as local/atlas",
                    "`dagwood resource add fs-directory local/atlas",
                ],
            ),
            ("2", ["No layer here", "f writes .ai/README.md", "`dagwood contract fix .ai`"]),
            ("3", ["No project here or above", "A mars.toml with a line such as", "`path = \"...\"`"]),
            ("4", ["No problems found", "is listed here", "`dagwood check`"]),
        ] {
            let shown = screen(session.keys(pane));
            let told = told(&session.model).join(" ");
            for words in says {
                assert!(told.contains(words), "{words}: {told}");
            }
            // all of it is on the screen, as far as words are broken only at spaces
            let last = session.model.detail.lines().last().unwrap().text();
            let word = last.split(' ').next_back().unwrap();
            assert!(shown.contains(word) && !shown.contains('…'), "{shown}");
        }
    }
}

#[test]
fn a_manifest_that_cannot_be_read_is_said_to_be_there_with_its_line_and_opened() {
    let too_long = format!("\n# {}", "x".repeat(5 << 20));
    for (added, place, line) in [("[dependencies.base\n", "mars.toml:9:19 ", 9), (too_long.as_str(), "mars.toml ", 1)] {
        let spoil = |folder: &Path| {
            let file = folder.join("mars.toml");
            let manifest = std::fs::read_to_string(&file).unwrap();
            assert_eq!(manifest.lines().count(), 8);
            std::fs::write(file, manifest + added).unwrap();
        };
        let mut session = Session::demo_with(80, 24, Options::default(), spoil);
        let shown = screen(session.keys("3"));
        let told = told(&session.model).join("\n");
        assert!(told.contains(&format!("{place}cannot be read.")) && told.contains("e opens it"), "{told}");
        assert!(shown.contains(&format!("│ {place}cannot be read.")), "{shown}");
        assert!(!shown.contains("o project") && !told.contains("no mars.toml"), "{shown}");
        assert!(shown.lines().last().unwrap().contains(" e edit"), "{shown}");
        let asked = session.model.update(Msg::Key(Key::named("e").unwrap()));
        let [Effect::Edit(file, at)] = &asked[..] else { panic!("{asked:?}") };
        assert!(file.ends_with("mars.toml") && *at == line, "{asked:?}");
    }
}

#[test]
fn a_finding_is_told_by_where_it_is_and_that_is_cut_in_front() {
    let deep = ".ai/repo/one-of-the-longer-names/another-of-the-longer-names";
    let prepare = |folder: &Path| {
        for nth in 1..=3 {
            let file = folder.join(deep).join(format!("{nth}/README.md"));
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "---\nschema: [\n---\n").unwrap();
        }
        let added = Command::new("git").args(["add", "-A"]).current_dir(folder).status();
        assert!(added.unwrap().success());
    };
    let mut session = Session::demo_with(80, 24, Options::default(), prepare);
    let shown = screen(session.keys("4 g g j j"));
    for nth in 1..=2 {
        assert!(shown.contains(&format!("✗ …onger-names/{nth}/README.md:3:1│")), "{shown}");
    }
    assert!(shown.lines().nth(1).unwrap().ends_with("╭ …onger-names/1/README.md:3:1 ── ✗ error ─╮"), "{shown}");
    session.model.update(Msg::Resize(220, 24));
    let shown = screen(&session);
    let whole = format!("╭ invalid-front-matter › {deep}/1/README.md:3:1 ─");
    assert!(shown.lines().nth(1).unwrap().contains(&whole), "{shown}");
}

#[test]
fn the_view_of_the_resources_is_named_in_full_on_a_small_screen() {
    let mut session = Session::demo(80, 24);
    for name in ["parents", "by type", "orphans"] {
        let shown = screen(session.keys("1 i"));
        assert!(shown.lines().nth(1).unwrap().contains(&format!(" {name} ─╮")), "{shown}");
    }
}

#[test]
fn the_tab_chosen_in_one_pane_is_not_that_of_another() {
    let mut session = Session::demo(120, 40);
    session.keys("2 o ]");
    let tab = |session: &Session| session.model.detail.tab().unwrap().name.clone();
    assert_eq!(tab(&session), "Chain");
    session.keys("3 /").text("checklist").keys("enter");
    assert_eq!(tab(&session), "Why");
    session.keys("] 2");
    assert_eq!(tab(&session), "Chain");
    session.keys("3");
    assert_eq!(tab(&session), "Pulls");
}

#[test]
fn what_is_scrolled_to_its_end_goes_back_with_the_next_key() {
    for keys in ["?", "!", "2 o f tab", "] z"] {
        let mut session = Session::demo(80, 24);
        session.keys(keys);
        let top = screen(&session);
        for _ in 0..20 {
            session.keys("pgdn");
        }
        let end = screen(&session);
        session.keys("pgup");
        assert!(screen(&session) != end || end == top, "{keys}: {end}");
    }
}

#[test]
fn with_marks_the_hints_name_what_can_be_done_with_them() {
    let mut session = Session::demo(120, 40);
    let last = |session: &Session| screen(session).lines().last().unwrap().to_owned();
    session.keys("2 o v");
    assert!(last(&session).starts_with(" 1 marked  f fix them  esc unmark "), "{}", last(&session));
    session.keys("1 v j v");
    let expected = " 2 marked  L link them  D discover below them  esc unmark ";
    assert!(last(&session).starts_with(expected), "{}", last(&session));
    session.keys("esc");
    assert!(last(&session).contains(" D discover ") && !last(&session).contains("marked"), "{}", last(&session));
}

#[test]
fn what_the_bottom_line_tells_makes_room_for_the_hints_again() {
    let mut session = Session::demo(120, 40);
    let last = |model: &Model| {
        let mut terminal = ratatui::Terminal::new(ratatui::backend::TestBackend::new(120, 40)).unwrap();
        let theme = dagwood::explorer::view::Theme::default();
        terminal.draw(|frame| _ = dagwood::explorer::view::draw(model, theme, frame)).unwrap();
        crate::text(terminal.backend().buffer()).lines().last().unwrap().to_owned()
    };
    let hush = |asked: &[Effect]| {
        asked.iter().find_map(|effect| if let Effect::Hush(nth) = effect { Some(*nth) } else { None })
    };
    let press = |model: &mut Model, name| {
        model.update(Msg::Key(Key::named(name).unwrap()));
        model.update(Msg::Drawn)
    };
    let first = hush(&press(&mut session.model, "r")).unwrap();
    assert_eq!(last(&session.model), " reading again");
    let second = hush(&press(&mut session.model, "s")).unwrap();
    assert!(!session.model.is_news(&Msg::Hushed(first)), "nothing is drawn for what is not told any more");
    session.model.update(Msg::Hushed(first));
    assert_eq!(last(&session.model), " sorted by name", "the end of what was told before is not that of this");
    assert_eq!(hush(&session.model.update(Msg::Hushed(second))), None);
    assert!(last(&session.model).contains("? help"));
    // nothing goes by itself where nothing is to move
    session.model.motion = false;
    assert_eq!(hush(&press(&mut session.model, "s")), None);
    assert!(last(&session.model).starts_with(" sorted by state"));
}

#[test]
fn the_help_goes_to_its_end_and_back_and_says_where_nothing_is_found() {
    let mut session = Session::demo(80, 24);
    let top = screen(session.keys("?"));
    let end = screen(session.keys("end"));
    assert!(end.contains("shift and drag") && !end.contains("Moving"), "{end}");
    assert_ne!(screen(session.keys("up")), end);
    assert_eq!(screen(session.keys("down")), end);
    assert_eq!(screen(session.keys("home")), top);
    assert!(screen(session.text("zzz")).contains("│ nothing "), "{}", screen(&session));
    session.keys("backspace backspace backspace").text("mouse");
    assert!(screen(&session).contains("wheel") && screen(&session).contains("│ Mouse"), "{}", screen(&session));
}

#[test]
fn whatever_opens_a_file_copies_its_path_as_seen_from_the_workspace() {
    let mut session = Session::demo_with(120, 40, Options::default(), with_everything);
    let mut met = BTreeSet::new();
    over_every_row(&mut session, |session| {
        let Some(detail) = &session.model.detail.shown else { return };
        let path = detail.copies.iter().find(|(letter, _)| *letter == 'p').map(|(_, path)| path);
        if detail.file.is_some() {
            met.insert(kind(&detail.subject));
            assert!(path.is_some(), "{:?}", detail.subject);
        }
        assert!(path.is_none_or(|path| !path.is_empty() && !path.starts_with('/') && !path.contains(':')), "{path:?}");
    });
    for of in ["directory", "package", "item", "missing skill", "finding"] {
        assert!(met.contains(of), "{of}: {met:?}");
    }
}

#[test]
fn what_is_copied_of_an_item_is_what_the_command_line_tells() {
    let mut folder = std::path::PathBuf::new();
    let mut session = Session::demo_with(120, 40, Options::default(), |place| folder = place.to_owned());
    for (kind, slug, package) in [("skill", "checklist", "base"), ("agent", "critic", "writers")] {
        session.keys("3 esc /").text(slug).keys("enter");
        let all = &session.model.detail.shown.as_ref().unwrap().copies;
        let (_, json) = all.iter().find(|(letter, _)| *letter == 'j').unwrap();
        let json: serde_json::Value = serde_json::from_str(json).unwrap();
        let arguments = ["selection", "why", slug, "--kind", kind, "--package", package, "--json"];
        let said = Command::new(env!("CARGO_BIN_EXE_dagwood")).current_dir(&folder).args(arguments).output().unwrap();
        let said: serde_json::Value = serde_json::from_slice(&said.stdout).unwrap();
        assert_eq!(json, said["matches"][0]);
    }
}

#[test]
fn what_cannot_be_done_here_is_told_with_what_to_do_here() {
    let last = |session: &Session| screen(session).lines().last().unwrap().trim().to_owned();
    let mut session = Session::of(80, 24, Options::default(), nothing);
    for (keys, says) in [
        ("1 w", "why works on resources, w on each of two: there is none yet, a adds one"),
        ("1 L", "link works on a resource: there is none yet, a adds one"),
        ("2 w", "why works on resources, w on each of two: there is none yet, a adds one"),
    ] {
        session.keys(keys);
        assert_eq!(last(&session), says);
    }
    let mut session = Session::of(80, 24, read_only(), nothing);
    session.keys("1 w");
    assert_eq!(last(&session), "why works on resources, w on each of two: there is none here");
    let mut session = Session::demo(120, 40);
    for (keys, says) in [
        ("1 g r", "this is the pane of the resources"),
        ("2 g d", "this is the pane of the directories"),
        ("3 G g s", "this is the pane of the selection"),
        ("4 g p", "this is the pane of the problems"),
        ("2 w", "why works on resources, w on each of two: press 1"),
        ("1 i i w", "why works on resources, w on each of two: this row is none"),
    ] {
        session.keys(keys);
        assert_eq!(last(&session), says, "{keys}");
    }
}

#[test]
fn a_title_is_cut_at_one_end_only() {
    for width in [60, 72, 80, 100, 120] {
        let mut session = Session::demo_with(width, 30, Options::default(), with_everything);
        over_every_row(&mut session, |session| {
            let shown = screen(session);
            let title = shown.lines().nth(1).unwrap().rsplit('╭').next().unwrap();
            // between the names of the way down one stands for those that are left out
            let ends = title.matches('…').count();
            assert!(ends <= 1, "{title} at {width}");
        });
    }
    let shown = screen(Session::demo(80, 24).keys("3 /").text("critic").keys("enter"));
    assert!(shown.lines().nth(1).unwrap().ends_with("╭ writers › agent critic ───── - excluded ─╮"), "{shown}");
}

#[test]
fn the_help_can_be_read_to_its_last_line() {
    for (width, height) in [(80, 24), (120, 40), (60, 20)] {
        let mut session = Session::demo(width, height);
        session.keys("?");
        for _ in 0..20 {
            session.keys("pgdn");
        }
        let shown = screen(&session);
        let words: Vec<&str> = shown.split_whitespace().collect();
        assert!(words.contains(&"--no-mouse"), "{shown}");
    }
}
