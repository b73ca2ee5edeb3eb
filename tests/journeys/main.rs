//! What people do with the explorer, in a real terminal: each test is one journey, from the keys to what is shown and
//! what is on the disk afterwards.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod faults;
mod settings;
mod term;
mod together;

use term::{ESC, Term};

#[test]
fn browse_all_four_panes() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("1 Resources").see("2 Directories").see("3 Selection").see("4 Problems");
    // the directories have the focus: the layer, its states, the contract of its root
    term.see(".ai").see("Documented: it has a contract of its own.");
    term.send("]").see("What applies here");
    term.send("[");
    // the resources: a shared folder stands under both of its parents
    term.send("1").see("local/atlas").see("git-checkout");
    term.send("l").see("local/shared").see("⇡3");
    term.send("jk\t").see("Parents").send("\t");
    // the selection: what is missing comes first, with a near name
    term.send("3").see("reviewer → structured-artefact").see("structured-artifact");
    term.send("/critic").see("critic").send("\r").see("excluded by you");
    term.send(ESC).gone("/critic");
    // the problems: enter goes to the thing
    term.send("4").see("missing-contract");
    term.send("gg").send("jjj\r").see("Owes a contract");
    // and the way back
    term.send("\x7f").see("missing-contract");
    term.send("?").see("Moving").send(ESC).gone("Moving");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn link_a_resource_and_undo_it() {
    let mut term = Term::demo(30, 100, &[]);
    term.see("local/site").send("1").see("local/atlas");
    term.send("L").see("Link … under local/atlas").see("left out: itself");
    term.send("guides").see("local/guides");
    term.send("\r").see("1 link added").send("\r");
    term.see("link local/atlas → local/guides");
    let children = term.ask(&["resource", "children", "local/atlas"]);
    let names: Vec<&str> =
        children["resources"].as_array().unwrap().iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(names, ["local/guides", "local/shared"]);
    term.send("z").see("Undo “link").see("- link local/atlas (git-checkout) -> local/guides (fs-directory)");
    term.see("1 link removed").send("\r").see("undid").see("Z redo “link");
    term.send("Z").see("Redo “link").see("+ link local/atlas (git-checkout)").send("\x1b[27u").gone("Redo “link");
    let children = term.ask(&["resource", "children", "local/atlas"]);
    assert_eq!(children["resources"].as_array().unwrap().len(), 1);
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn a_link_that_would_close_a_cycle_is_refused_with_its_path() {
    let mut term = Term::demo(30, 100, &[]);
    term.see("local/site").send("1").see("local/atlas");
    // down to local/shared, which lies below local/atlas
    term.send("lj").see("fs-directory").see("Parents");
    term.send("L").see("Link … under local/shared").see("left out: itself and 3 that contain it");
    term.send("\x14").see("contains this: a cycle");
    term.send("guides").see("contains this").send("\r");
    term.see("Refused").see("local/guides already contains local/shared");
    term.see("local/guides -> local/shared -> local/guides");
    term.send(ESC).gone("Refused");
    term.send(ESC).gone("Link … under");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn unlink_from_the_parent_on_the_row() {
    let mut term = Term::demo(30, 100, &[]);
    term.see("local/site").send("1").see("local/atlas");
    term.send("U").see("no parent to unlink it from");
    term.send("lj").see("Parents").send("U").see("- link local/atlas (git-checkout) -> local/shared (fs-directory)");
    term.see("1 link removed").send("\r");
    term.see("unlink local/atlas → local/shared");
    let parents = term.ask(&["resource", "parents", "local/shared"]);
    let names: Vec<&str> =
        parents["resources"].as_array().unwrap().iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(names, ["local/guides", "local/site"]);
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn discover_what_is_on_the_disk() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("local/site").send("1").see("local/atlas");
    term.send("D").see("Discover local/atlas").see("would be created").see("local/atlas/src").send("\r");
    term.gone("would be created").see("created").see("local/atlas/mars.toml");
    let children = term.ask(&["resource", "children", "local/atlas"]);
    let count = children["resources"].as_array().unwrap().len();
    assert!(count > 4, "{children}");
    // a second time there is nothing new
    term.see("would find nothing new").send("D").see("enter or esc leaves").send("\r").gone("enter or esc leaves");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn add_a_resource_and_remove_it() {
    let mut term = Term::demo(30, 100, &[]);
    term.see("local/site").send("1").see("local/atlas");
    term.send("a").see("Add a resource").see("git-checkout");
    // the name of this directory is taken: the guess is another one
    term.see("location").see("local/atlas-2").see("enter does it");
    // a name that is taken is refused in place, and can be mended
    term.send("\x7f\x7f").see("Refused").see("names are unique");
    term.send("-2").see("enter does it").send("\r");
    term.see("Discover local/atlas-2").send(ESC);
    term.gone("Discover local/atlas-2").see("local/atlas-2");
    let shown = term.ask(&["resource", "show", "local/atlas-2"]);
    assert_eq!(shown["resource"]["type"], "git-checkout");
    term.send("x").see("- resource local/atlas-2 (git-checkout)").send("\r").see("remove local/atlas-2");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn settle_an_owed_directory() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("2 Directories").see(".ai");
    let before = term.ask(&["contract", "list"])["tallies"]["owed"].as_u64().unwrap();
    term.send("o").see("Owes a contract").see(".ai/repo/ci");
    term.send("f").see("Write the contract of .ai/repo/ci").see("schema: context/v1");
    term.see(&format!("owed {before} -> {}", before - 1));
    // the fields are there to be changed; the preview follows
    term.send("\t").send("\x15Building").see("title: Building");
    term.send("\r").see("Documented: it has a contract of its own.");
    let file = term.work().join(".ai/repo/ci/README.md");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("---\nschema: context/v1\n") && text.contains("title: Building\n"), "{text}");
    assert_eq!(term.ask(&["contract", "list"])["tallies"]["owed"], before - 1);
    // and it can be taken back
    term.send("z").see("Undo “").send("\r").see("Owes a contract");
    assert!(!file.exists());
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn exempt_an_owed_directory_instead() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("2 Directories").see("notes");
    let before = std::fs::read_to_string(term.work().join(".ai/repo/README.md")).unwrap();
    term.send("o").see("Owes a contract").send("f").see("schema: context/v1");
    // the first field is the way
    term.send("\x1b[C").see("exempt: [.ai/repo/vendor, .ai/repo/ci]").see("exempt 4 -> 5").send("\r");
    term.see("Exempted by .ai/repo/README.md; without that it would need one");
    let after = std::fs::read_to_string(term.work().join(".ai/repo/README.md")).unwrap();
    assert_eq!(after, before.replace("[.ai/repo/vendor]", "[.ai/repo/vendor, .ai/repo/ci]"));
    term.send("z").see("Undo “exempt").send("\r").see("Owes a contract");
    assert_eq!(std::fs::read_to_string(term.work().join(".ai/repo/README.md")).unwrap(), before);
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn settle_everything_that_is_owed_at_once() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("2 Directories").see("notes");
    term.send("o").see("Owes a contract").send("V").see("2 marked").send("f");
    term.see("owed 3 -> 1").send("\r").gone("owed 3");
    assert_eq!(term.ask(&["contract", "list"])["tallies"]["owed"], 1);
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn a_broken_contract_is_mended_and_never_written_over() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("notes").send("/notes").see("1 match").send("\r").see("is broken and counts");
    let file = term.work().join(".ai/repo/notes/README.md");
    let before = std::fs::read_to_string(&file).unwrap();
    term.send("f").see("-ordr: 200").see("+order: 200").see("documented 4 -> 5").send("\r");
    term.see("Documented: it has a contract of its own.");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), before.replace("ordr", "order"));
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn why_why_not_try_an_exclusion_write_it_and_undo_it() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("notes").send("3").see("reviewer → structured-artefact");
    let manifest = term.work().join("mars.toml");
    let before = std::fs::read_to_string(&manifest).unwrap();
    // why it is there
    term.send("/house-style").see("1 match").send("\r").see("Installed.").see("agent writers/editor");
    // why another is not
    term.send(ESC).gone("1 match").send("/critic").see("1 match").send("\r").see("excluded by you");
    // what if it were there
    term.send("t").see("1 tried").see("would come").see("9 +");
    term.send("T").see("comes  agent writers/critic").see("items 8 -> 9").see("-exclude = [\"critic\"]").send("\r");
    term.gone("1 tried").see("9 +");
    let after = std::fs::read_to_string(&manifest).unwrap();
    assert!(!after.contains("critic") && after.starts_with("# The packages this project installs."), "{after}");
    term.send("z").see("Undo “").send("\r").see("8 +");
    assert_eq!(std::fs::read_to_string(&manifest).unwrap(), before);
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn what_if_among_the_directories_writes_nothing_until_asked() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("notes").send("o").see("Owes a contract");
    term.send("t").see("tried: exempt .ai/repo/ci").see("was owed").see("what if");
    term.send("t").see("lift the requirement for .ai/repo/ci");
    term.send("T").see("owed -> exempt").see("require_contract: false").send("x").gone("1 tried");
    term.see("Owes a contract");
    assert_eq!(term.ask(&["contract", "list"])["tallies"]["owed"], 3);
    // a contract that is deleted in thought
    term.send("/rules").see("match").send("\r").send("t").see("deprecate .ai/repo/rules/README.md");
    term.send("q").see("tries that are not written").send("y").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn from_one_resource_up_and_how_one_contains_another() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("local/site").send("1").see("local/atlas").send("w").see("from local/atlas");
    term.send("lj").see("⇡3").send("l").see("logo.svg").send("j").see("fs-file").send("w");
    term.see("local/atlas contains local/shared/logo.svg").see("paths: 1;").send(ESC).gone("paths: 1;");
    // its parents, below it
    term.send("i").see("parents").see("logo.svg").send("ll").see("local/shared").send("l").see("local/guides");
    term.send("i").see("by type").see("▸ git-checkout").send("G").send("l").see("▾ git-checkout").see("▸ local/atlas");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn rows_are_sorted_and_left_by_state() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("notes")
        .see("4 Problems")
        .send("F")
        .see("only broken  1 match")
        .send("F")
        .see("only documented  4 matches");
    term.send("F").see("only exempt  4 matches").send("F").see("only owed  2 matches").send("F").see("all states");
    term.send("s").see("sorted by name").send("s").see("sorted by state");
    term.send("1").see("local/atlas").send("ii").see("by type").see("git-checkout").send("F").see("match");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn discover_everything_below_in_one_go() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("local/site").send("1").see("local/atlas").send("D").see("would be created").see("one level");
    term.send("\t\x1b[C").see("everything below").see("local/atlas/src/server/mod.rs").send("\r");
    term.see("undo “discover").gone("would be created");
    let found = term.ask(&["resource", "show", "local/atlas/src/server/mod.rs"]);
    assert_eq!(found["resource"]["type"], "fs-file");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

/// A registry as another program writes it: plain tables, no foreign keys, a cycle and a dangling link.
const FOREIGN: &str = "
    CREATE TABLE alembic_version(version_num VARCHAR(32) NOT NULL);
    INSERT INTO alembic_version VALUES('x');
    CREATE TABLE resource_types(name VARCHAR(255) PRIMARY KEY, child_types TEXT, auto_discovery TEXT);
    INSERT INTO resource_types VALUES('fs-directory', '[\"fs-directory\"]', NULL);
    CREATE TABLE resources(resource_id VARCHAR(26) PRIMARY KEY, name VARCHAR(255), type_name VARCHAR(255),
        location TEXT, description TEXT, created_at VARCHAR(30));
    CREATE TABLE resource_links(parent_id VARCHAR(26), child_id VARCHAR(26), created_at VARCHAR(30),
        PRIMARY KEY(parent_id, child_id));
    INSERT INTO resources(resource_id, name, type_name) VALUES
        ('01AAAAAAAAAAAAAAAAAAAAAAAA', 'theirs/top', 'fs-directory'),
        ('01BBBBBBBBBBBBBBBBBBBBBBBB', 'theirs/one', 'fs-directory'),
        ('01CCCCCCCCCCCCCCCCCCCCCCCC', 'theirs/two', 'fs-directory');
    INSERT INTO resource_links VALUES
        ('01BBBBBBBBBBBBBBBBBBBBBBBB', '01CCCCCCCCCCCCCCCCCCCCCCCC', 'x'),
        ('01CCCCCCCCCCCCCCCCCCCCCCCC', '01BBBBBBBBBBBBBBBBBBBBBBBB', 'x'),
        ('01AAAAAAAAAAAAAAAAAAAAAAAA', '01DDDDDDDDDDDDDDDDDDDDDDDD', 'x');";

#[test]
fn a_registry_of_another_program_is_browsed_repaired_and_linked() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("theirs.db");
    let base = rusqlite::Connection::open(&file).unwrap();
    base.execute_batch(FOREIGN).unwrap();
    let arguments = ["--registry", "theirs.db", "--write-foreign"];
    let mut term = Term::start(home, 40, 120, &arguments, &[]);
    term.see("theirs/top").see("in or below a cycle").see("dangling-link");
    // the dangling link goes
    term.send("4").send("/dangling").see("match").send("\rG").see("01DDDDDDDDDDDDDDDDDDDDDDDD").send("f");
    term.see("1 link removed").send("\r").see("remove 1 dangling link").gone("dangling-link");
    // a link of the cycle is chosen, and goes
    term.send(ESC).gone("nothing matches").send("/contain each").see("1 match").send("\rG").see("theirs/one").send("f");
    term.see("Break a cycle").see("theirs/one → theirs/two").send("\r").see("0 ✗").gone("in or below");
    // and what is left is linked
    term.send(ESC).see("foreign-registry").send("1gg").see("theirs/top").send("/top").see("1 match").send("\r");
    term.send("L").see("Link … under theirs/top").send("two").see("theirs/two").send("\r").see("1 link added");
    term.send("\r").see("link theirs/top → theirs/two");
    let links: i64 = base.query_row("SELECT count(*) FROM resource_links", [], |row| row.get(0)).unwrap();
    assert_eq!(links, 2);
    let version: i64 = base.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    let mode: String = base.query_row("PRAGMA journal_mode", [], |row| row.get(0)).unwrap();
    assert_eq!((version, mode.as_str()), (0, "delete"), "the file is otherwise as it was");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn a_discovery_of_thousands_tells_how_far_it_is_and_is_stopped() {
    let home = tempfile::tempdir().unwrap();
    let files = home.path().join("many");
    std::fs::create_dir(&files).unwrap();
    for nth in 0..6_000 {
        std::fs::write(files.join(format!("f{nth:04}")), "").unwrap();
    }
    term::ask(home.path(), home.path(), &["resource", "add", "fs-directory", "many", "--location", "many"]);
    let log = home.path().join("log");
    let mut term = Term::start(home, 30, 100, &[], &[("DAGWOOD_LOG", log.to_str().unwrap())]);
    let children = |term: &Term| {
        let children = term::ask(term.home.path(), term.home.path(), &["resource", "children", "many"]);
        children["resources"].as_array().unwrap().len()
    };
    term.see("many").send("1").see("fs-directory").see("Parents");
    term.send("D").see("6,000 would be created");
    // another program is writing meanwhile, so that it is still waiting when it is stopped
    let other = rusqlite::Connection::open(term.home.path().join(".dagwood/registry.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    term.send("\r").see("doing it").send(ESC);
    settings::holds(&log, "CancelWrite");
    other.execute_batch("ROLLBACK").unwrap();
    term.see("stopped; nothing was written");
    assert_eq!(children(&term), 0);
    term.send("!").see("Running now").see("nothing");
    term.send(ESC).gone("Running now");
    // and it is no worse for that
    term.send("D").see("6,000 would be created").send("\r").see("discovering: ").see("6,000 created");
    assert_eq!(children(&term), 6_000);
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

/// Copies a folder.
fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::write(&target, std::fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

#[test]
fn a_real_layer_is_settled_until_nothing_is_owed() {
    let real = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real/layer-owed");
    if !real.is_dir() {
        println!("SKIPPED: no real layer beside this checkout ({})", real.display());
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let work = home.path().join("layer");
    copy(&real, &work);
    let mut term = Term::start(home, 40, 120, &["-C", "layer"], &[]);
    term.see("owed 21").see(".ai");
    let owed = |term: &Term| {
        let tallies = term::ask(&term.home.path().join("layer"), term.home.path(), &["contract", "list"]);
        tallies["tallies"]["owed"].as_u64().unwrap()
    };
    // what is vendored is exempt, what is an instance of a skill needs none
    for (folder, way, shown) in
        [("rules/vendor", "\x1b[C", "+  exempt: ["), ("skills/deploy-site", "\x1b[C\x1b[C", "require_contract: false")]
    {
        let before = owed(&term);
        let name = folder.rsplit('/').next().unwrap();
        term.send(&format!("/{name}")).see("match").send("\r").see(&format!(".ai/repo/{folder}"));
        term.send("f").see("schema: context/v1").send(way).see(shown);
        term.see(&format!("owed {before} ->")).send("\r").gone(&format!("owed {before}"));
        term.send(ESC).gone("match");
        assert!(owed(&term) < before);
    }
    // everything else gets its contract, one by one
    while owed(&term) > 0 {
        let before = owed(&term);
        term.send("o").see("Owes a contract").send("f").see("schema: context/v1").see(&format!("owed {before} ->"));
        term.send("\r").see("Documented: it has").gone(&format!("owed {before}"));
    }
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn anything_is_found_by_a_few_letters_and_the_way_leads_back() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("notes").see("4 Problems").see("local/atlas").see("structured-ar");
    term.send("\x10").see("Find anything").send("hsstyle").see("skill of writers").send("\r");
    term.gone("Find anything").see("Installed.").see("agent writers/editor");
    term.send("\x10").see("Find anything").send("logosvg").see("local/shared/logo.svg").send("\r");
    term.gone("Find anything").see("local/shared/logo.svg").see("may hold");
    term.send("\x7f").see("agent writers/editor").send("\x1b[1;3C").see("may hold");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn an_action_is_done_by_its_name() {
    let mut term = Term::demo(30, 100, &[]);
    term.see("local/site")
        .see("notes")
        .send(":")
        .see("enter does it")
        .send("nxt-ow")
        .see("next owed or broken directory")
        .send("\r");
    term.gone("enter does it").see(".ai/repo/ci").see("Owes a contract");
    // what does not apply here says why
    term.send(":").see("enter does it").send("redo").see("redo what was undone").send("\r").see("nothing to redo here");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn what_is_copied_goes_through_the_terminal() {
    let mut term = Term::demo(30, 100, &[]);
    term.see("local/site")
        .see("notes")
        .send("o")
        .see(".ai/repo/ci")
        .see("Owes a contract")
        .send("yp")
        .see("sent the path to the terminal; whether it took it cannot be told");
    // OSC 52, the clipboard, and `.ai/repo/ci`
    term.hear("\x1b]52;c;LmFpL3JlcG8vY2k=");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn the_undo_list_names_what_was_written() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("notes")
        .send("!")
        .see("Tasks and writes")
        .see("link local/site → local/shared  1 link added")
        .see("z undoes");
    term.send(ESC).gone("Tasks and writes").send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn the_border_is_dragged() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("notes").see("4 Problems");
    let edge = |screen: &vt100::Screen| screen.rows(0, 120).nth(1).and_then(|row| row.chars().position(|c| c == '╮'));
    let before = term.on_screen(edge).unwrap();
    let (from, to) = (before + 1, before + 13);
    term.send(&format!("\x1b[<0;{from};20M\x1b[<32;{to};20M\x1b[<0;{to};20m"));
    term.wait("the border elsewhere", move |screen| edge(screen) == Some(before + 12));
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn the_editor_gets_the_file_the_line_and_all_keys() {
    let home = tempfile::tempdir().unwrap();
    // an editor that notes how it was called, reads a line of keys, and ends
    let editor = home.path().join("vi");
    let script =
        "#!/bin/sh\necho \"$@\" > \"$HOME/called\"\nprintf 'editing: '\nread keys\necho \"$keys\" > \"$HOME/keys\"\n";
    std::fs::write(&editor, script).unwrap();
    let mut mode = std::fs::metadata(&editor).unwrap().permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    std::fs::set_permissions(&editor, mode).unwrap();
    let work = home.path().join("atlas");
    let arguments = ["demo", "--keep", work.to_str().unwrap()];
    let named = editor.to_str().unwrap().to_owned();
    let mut term = Term::start(home, 40, 120, &arguments, &[("EDITOR", &named)]);
    term.see("notes").send("/notes").see("1 match").send("\r").see("is broken and counts").send("e");
    term.see("editing: ").send("jqx\r").see("2 Directories").see("notes");
    let read = |name: &str| std::fs::read_to_string(term.home.path().join(name)).unwrap();
    assert!(read("called").starts_with('+') && read("called").trim_end().ends_with(".ai/repo/notes/README.md"));
    assert_eq!(read("keys").trim_end(), "jqx", "no key is lost to the explorer");
    // and the next key is the explorer's again
    term.send("?").see("Moving").send(ESC).gone("Moving").send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn ctrl_z_suspends_and_the_shell_brings_it_back() {
    let home = tempfile::tempdir().unwrap();
    let work = home.path().join("atlas");
    let line = format!("{} demo --keep {}", env!("CARGO_BIN_EXE_dagwood"), work.display());
    let mut term = Term::shell(home, 40, 120);
    term.send(&format!("set -m; {line}\r")).see("2 Directories").see("notes");
    // the prompt from before may be seen again while the terminal is still the explorer's: the shell tells of the stop first
    let prompt = |screen: &vt100::Screen| {
        let text = screen.contents();
        !screen.alternate_screen() && text.contains("Stopped") && text.trim_end().ends_with('$')
    };
    term.send("\x1a").wait("the shell's prompt", prompt);
    term.send("echo back in the sh''ell\r").see("back in the shell");
    term.send("fg\r").wait("the explorer", vt100::Screen::alternate_screen).see("2 Directories").see("notes");
    term.send("?").see("Moving").send(ESC).gone("Moving").send("q");
    term.wait("the shell", |screen| !screen.alternate_screen());
    term.wait("its prompt", |screen| screen.contents().trim_end().ends_with('$'))
        .send("echo ended=$?\r")
        .see("ended=0");
}

#[test]
fn keys_that_say_nothing_here_say_why() {
    let mut term = Term::start(tempfile::tempdir().unwrap(), 40, 120, &["--read-only", "demo"], &[]);
    term.see("notes").send("o").see("Owes a contract").send("f").see("nothing is written");
    term.send("Y").see("does nothing here").send("g").see("same thing among the directories").send(ESC);
    term.send("\x1b[A").gone("same thing among").send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn real_projects_show_what_the_command_line_says() {
    let real = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/real/packages");
    if !real.is_dir() {
        println!("SKIPPED: no real projects beside this checkout ({})", real.display());
        return;
    }
    let cache = real.canonicalize().unwrap().join("cache");
    for project in std::fs::read_dir(real.join("projects")).unwrap() {
        let name = project.unwrap().file_name().into_string().unwrap();
        let home = tempfile::tempdir().unwrap();
        copy(&real.join("projects").join(&name), &home.path().join("projects").join(&name));
        copy(&real.join("packages"), &home.path().join("packages"));
        let folder = home.path().join("projects").join(&name);
        let expected = std::fs::read_to_string(folder.join("expected.json")).unwrap();
        let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
        let count = |key: &str| expected[key].as_array().unwrap().len();
        let (items, missing) = (count("items"), count("missing_skills"));
        let env = [("MARS_CACHE_DIR", cache.to_str().unwrap())];
        let mut term = Term::start(home, 40, 120, &["-C", folder.to_str().unwrap()], &env);
        term.see(&format!("{items} +  {missing} !  {} ≡", count("diagnostics")));
        // the last item of the result whose name no package has, found by its name and asked why
        let all = expected["items"].as_array().unwrap();
        let last = all.iter().rev().find(|item| all.iter().all(|other| other["package"] != item["slug"])).unwrap();
        let (slug, package) = (last["slug"].as_str().unwrap(), last["package"].as_str().unwrap());
        term.send("\x10").see("Find anything").send(slug).see(&format!("of {package}")).send("\r");
        term.gone("Find anything").see("Installed.");
        term.send("q").given_back();
        assert_eq!(term.ended(), 0, "{name}");
    }
}

#[test]
fn a_panic_leaves_a_usable_terminal() {
    let mut term = Term::demo(24, 80, &["--panic"]);
    term.see("2 Directories");
    term.send("j").given_back().see("asked to panic");
    assert_ne!(term.ended(), 0);
}

#[test]
fn a_signal_leaves_a_usable_terminal() {
    for signal in ["TERM", "HUP", "INT"] {
        let mut term = Term::demo(24, 80, &[]);
        term.see("2 Directories").see(".ai");
        let id = term.child.process_id().unwrap().to_string();
        assert!(std::process::Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        term.given_back();
        assert_eq!(term.ended(), 0, "{signal}");
    }
}

#[test]
fn a_new_size_is_drawn_and_no_key_is_lost() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("notes").see("4 Problems");
    for (rows, cols) in [(24, 80), (12, 50), (40, 120), (24, 80)] {
        term.resize(rows, cols).send("j");
        term.wait("the last line", |screen| {
            screen.rows(0, cols).nth(usize::from(rows) - 1).is_some_and(|row| row.contains("help"))
        });
    }
    // four keys: the fifth row of the directories is under the cursor
    term.resize(40, 120).see("4 Problems");
    term.resize(5, 20).see("dagwood needs 40x10");
    term.resize(24, 80).see("2 Directories");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn a_terminal_that_was_smaller_while_nobody_looked_is_drawn_whole_again() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("notes").see("4 Problems").quiet();
    let id = term.child.process_id().unwrap().to_string();
    let signal = |name: &str| {
        assert!(std::process::Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    };
    signal("STOP");
    term.resize(12, 50).resize(40, 120);
    assert!(!term.screen().contains("4 Problems"), "what did not fit is gone");
    signal("CONT");
    term.see("4 Problems").send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn the_terminal_that_goes_away_ends_the_program() {
    let mut term = Term::demo(24, 80, &[]);
    term.see("2 Directories").see(".ai");
    term.hang_up();
}

#[test]
fn what_others_write_appears_by_itself() {
    let mut term = Term::demo(30, 100, &[]);
    term.see("local/site").send("1").see("local/atlas").see("git-checkout");
    term.ask(&["resource", "add", "fs-directory", "local/from-elsewhere"]);
    term.see("local/from-elsewhere").see("changed by another program");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn files_that_others_change_appear_by_themselves() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("notes").see("4 Problems").see("Documented");
    // an editor mends the broken contract
    let file = term.work().join(".ai/repo/notes/README.md");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("ordr: 200", "order: 200")).unwrap();
    term.see("files of the layer were changed").gone("broken");
    // the marks of what has just changed do not stay
    term.wait("the end of the marks", |screen| screen.rows(0, 120).all(|row| !row.starts_with('*')));
    // a package loses a skill
    std::fs::remove_dir_all(term.work().join("packages/base/skills/checklist")).unwrap();
    term.see("files of the packages were changed").see("→ checklist");
    // a package that the project did not have when it was read first is watched as well
    let late = term.work().join("packages/late");
    std::fs::create_dir_all(late.join("skills/one")).unwrap();
    std::fs::write(late.join("skills/one/SKILL.md"), "---\nname: one\n---\n").unwrap();
    std::fs::write(late.join("mars.toml"), "[package]\nname = \"late\"\nversion = \"0.1.0\"\n").unwrap();
    let manifest = term.work().join("mars.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, format!("{text}\n[dependencies.late]\npath = \"packages/late\"\n")).unwrap();
    term.send("3").see("late");
    std::fs::create_dir_all(late.join("agents")).unwrap();
    std::fs::write(late.join("agents/teller.md"), "---\nname: teller\nskills: [tales-untold]\n---\n").unwrap();
    term.see("→ tales-untold");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn no_color_keeps_marks_and_words() {
    let home = tempfile::tempdir().unwrap();
    let work = home.path().join("atlas");
    let arguments = ["demo", "--keep", work.to_str().unwrap()];
    let mut term = Term::start(home, 24, 80, &arguments, &[("NO_COLOR", "1")]);
    term.see("2 Directories").see(".ai").see("documented");
    let colored = (0..24).any(|row| {
        (0..80).any(|col| {
            let cell = term.cell(row, col);
            cell.fgcolor() != vt100::Color::Default || cell.bgcolor() != vt100::Color::Default
        })
    });
    assert!(!colored, "{}", term.screen());
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn color_on_the_command_line_comes_before_no_color() {
    for (choice, no_color, colored) in
        [("always", "1", true), ("never", "", false), ("auto", "1", false), ("auto", "", true)]
    {
        let home = tempfile::tempdir().unwrap();
        let work = home.path().join("atlas");
        let arguments = ["demo", "--keep", work.to_str().unwrap(), "--color", choice];
        let mut term = Term::start(home, 24, 80, &arguments, &[("NO_COLOR", no_color)]);
        term.see("2 Directories").see("documented");
        let cells = (0..24).flat_map(|row| (0..80).map(move |col| (row, col)));
        let any = cells.into_iter().any(|(row, col)| term.cell(row, col).fgcolor() != vt100::Color::Default);
        assert_eq!(any, colored, "--color {choice}, NO_COLOR={no_color}");
        term.send("q").given_back();
        assert_eq!(term.ended(), 0);
    }
}

#[test]
fn the_mouse_chooses_rows_and_panes() {
    let mut term = Term::demo(40, 120, &[]);
    term.see(".ai").see("1 Resources").see("local/atlas");
    // a click on the first row of the resources
    term.send("\x1b[<0;10;3M\x1b[<0;10;3m").see("link").see("git-checkout");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn without_a_terminal_it_says_what_to_use_instead() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_dagwood")).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("needs a terminal") && said.contains("dagwood check"), "{said}");
}
