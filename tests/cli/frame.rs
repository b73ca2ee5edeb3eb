//! The commands that belong to no part: check, undo, redo and history, the demo, what the program says about itself, and
//! how it says that something is wrong.

use std::process::{Command, Stdio};

use serde_json::Value;

use crate::here::Here;

/// The example workspace.
fn demo() -> Here {
    let here = Here::new();
    here.text(&["demo", "--keep", ".", "--no-open"]);
    here
}

/// Status, standard output and standard error.
fn said(here: &Here, arguments: &[&str]) -> (i32, String, String) {
    let output = here.run(arguments);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn codes(document: &Value) -> Vec<&str> {
    document["findings"].as_array().unwrap().iter().map(|finding| finding["code"].as_str().unwrap()).collect()
}

// ---------------------------------------------------------------------------------------------------------------- check

#[test]
fn check_tells_every_finding_with_its_place_and_its_fix() {
    let here = demo();
    let (status, out, error) = said(&here, &["check"]);
    assert_eq!((status, error.as_str()), (1, ""));
    insta::assert_snapshot!(out, @r"
    error   .ai/repo/ci  [missing-contract] the directory has no contract, and nothing at or above it says that it needs none
            fix: dagwood contract fix .ai/repo/ci
    error   .ai/repo/notes  [missing-contract] the directory has no contract, and nothing at or above it says that it needs none
            fix: mend the broken document in it: `dagwood contract repair` with its path, or an editor
    error   .ai/repo/notes/README.md:1:1  [invalid-front-matter] the required key `order` is missing
            fix: add `order: 100`
    error   .ai/repo/notes/README.md:11:1  [unknown-key] unknown key `ordr`
            fix: write `order`, or remove the line
    error   .ai/repo/rules/project  [missing-contract] the directory has no contract, and nothing at or above it says that it needs none
            fix: dagwood contract fix .ai/repo/rules/project
    error   packages/base/agents/reviewer.md:4  [missing-skill] agent base/reviewer names the skill `structured-artefact`, which none of the 2 packages searched ships
            fix: did you mean `structured-artifact` of base?
    warning packages/base/agents/reviewer.md  [duplicate-slug] agent `reviewer` is installed from base, writers
            fix: exclude `reviewer` from all packages but one
    6 errors, 1 warning, 0 notes
    ");
}

#[test]
fn check_in_json_is_the_same_findings() {
    let here = demo();
    let output = here.run(&["check", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.is_empty());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["findings"][0]["area"], "contracts");
    assert_eq!(document["findings"][0]["severity"], "error");
    assert_eq!(codes(&document).last(), Some(&"duplicate-slug"));
    let format = here.run(&["check", "--format", "json"]);
    assert_eq!(format.stdout, output.stdout);
    assert_eq!(format.status, output.status);
}

#[test]
fn check_for_github_is_a_line_a_finding() {
    let (status, out, _) = said(&demo(), &["check", "--format", "github"]);
    assert_eq!(status, 1);
    insta::assert_snapshot!(out, @r"
    ::error file=.ai/repo/ci,title=missing-contract::the directory has no contract, and nothing at or above it says that it needs none (dagwood contract fix .ai/repo/ci)
    ::error file=.ai/repo/notes,title=missing-contract::the directory has no contract, and nothing at or above it says that it needs none (mend the broken document in it: `dagwood contract repair` with its path, or an editor)
    ::error file=.ai/repo/notes/README.md,line=1,col=1,title=invalid-front-matter::the required key `order` is missing (add `order: 100`)
    ::error file=.ai/repo/notes/README.md,line=11,col=1,title=unknown-key::unknown key `ordr` (write `order`, or remove the line)
    ::error file=.ai/repo/rules/project,title=missing-contract::the directory has no contract, and nothing at or above it says that it needs none (dagwood contract fix .ai/repo/rules/project)
    ::error file=packages/base/agents/reviewer.md,line=4,title=missing-skill::agent base/reviewer names the skill `structured-artefact`, which none of the 2 packages searched ships (did you mean `structured-artifact` of base?)
    ::warning file=packages/base/agents/reviewer.md,title=duplicate-slug::agent `reviewer` is installed from base, writers (exclude `reviewer` from all packages but one)
    ");
}

#[test]
fn no_name_from_a_file_begins_a_command_of_github() {
    let here = Here::with(&[(".ai/x\n::error::owned,a:b%/a.txt", "")]);
    here.track();
    let (_, out, _) = said(&here, &["check", "--format", "github"]);
    assert!(out.contains("x\\n%3A%3Aerror%3A%3Aowned%2Ca%3Ab%25,title="), "{out}");
    assert!(out.lines().all(|line| line.starts_with("::error file=")), "{out}");
}

#[test]
fn check_only_looks_at_the_parts_asked_for() {
    let here = demo();
    let (status, out, _) = said(&here, &["check", "--only", "resources"]);
    assert_eq!((status, out.as_str()), (0, "nothing found\n"));
    let (status, out, _) = said(&here, &["check", "--only", "resources,selection"]);
    assert_eq!(status, 1);
    assert!(out.contains("missing-skill") && !out.contains("missing-contract"), "{out}");
    let (status, _, error) = said(&here, &["check", "--only", "packages"]);
    assert_eq!(status, 2);
    assert!(error.contains("[possible values: resources, contracts, selection]"), "{error}");
}

#[test]
fn strict_fails_on_warnings_too() {
    let here = demo();
    // the misspelt skill mended, only the doubled agent is left of the selection
    let agent = "packages/base/agents/reviewer.md";
    here.write(agent, here.read(agent).replace("structured-artefact", "structured-artifact"));
    let (status, out, _) = said(&here, &["check", "--only", "selection"]);
    assert_eq!((status, out.lines().last()), (0, Some("0 errors, 1 warning, 0 notes")));
    assert_eq!(said(&here, &["check", "--only", "selection", "--strict"]).0, 1);
}

#[test]
fn a_registry_that_cannot_be_read_is_a_finding_and_the_rest_is_told() {
    let here = demo();
    for file in ["registry.db", "registry.db-wal", "registry.db-shm"] {
        let _ = std::fs::remove_file(here.path().join(".dagwood").join(file));
    }
    let file = here.write(".dagwood/registry.db", "this is no database, however long one looks at it".repeat(30));
    let (status, out, error) = said(&here, &["check"]);
    assert_eq!((status, error.as_str()), (1, ""));
    assert!(out.contains(&file.display().to_string()) && out.contains("error"), "{out}");
    assert!(out.contains("[missing-contract]") && out.contains("[missing-skill]"), "{out}");
    let output = here.run(&["check", "--json", "--only", "resources"]);
    assert_eq!(output.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["findings"].as_array().unwrap().len(), 1);
    assert_eq!(document["findings"][0]["severity"], "error");
    assert_eq!(said(&here, &["resource", "list"]).0, 3);
}

#[test]
fn check_in_an_empty_folder_finds_nothing_and_makes_nothing() {
    let here = Here::new();
    let said = here.text(&["check"]);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!((lines[0], lines.len()), ("nothing found", 4), "{said}");
    for (line, [looked_for, begins]) in lines[1..].iter().zip([
        ["no registry yet (no file ", "`dagwood resource add fs-directory local/work --location .`"],
        ["no layer here (no folder .ai)", "`dagwood contract fix .ai`"],
        ["no project here or above (no mars.toml)", "[dependencies.NAME]"],
    ]) {
        assert!(line.contains(looked_for) && line.contains(begins), "{line}");
    }
    assert_eq!(here.text(&["check", "--only", "contracts"]).lines().count(), 2, "only what was asked for");
    assert_eq!(here.text(&["check", "--format", "github"]), "");
    assert_eq!(here.json(&["check"]), serde_json::json!({ "findings": [] }));
    assert_eq!(std::fs::read_dir(here.path()).unwrap().count(), 0);
    // what it says is what begins each
    here.text(&["resource", "add", "fs-directory", "local/work", "--location", "."]);
    here.text(&["contract", "fix", ".ai"]);
    here.write("mars.toml", "[dependencies.base]\npath = \"base\"\n");
    here.write("base/skills/one/SKILL.md", "---\nname: one\n---\n");
    assert_eq!(here.text(&["check", "--only", "resources,selection"]), "nothing found\n");
    assert!(here.text(&["check"]).contains(".ai/README.md"), "a new contract says what is still to be written in it");
}

#[test]
fn a_baseline_leaves_out_what_was_there_and_shows_what_is_new() {
    let here = demo();
    let (status, out, _) = said(&here, &["check", "--write-baseline", "known.json", "--dry-run"]);
    assert_eq!((status, out.as_str()), (0, "7 findings would be written to known.json\n"));
    assert!(!here.path().join("known.json").exists());
    assert_eq!(here.text(&["check", "--write-baseline", "known.json"]), "7 findings written to known.json\n");
    assert_eq!(here.text(&["check", "--baseline", "known.json"]), "nothing found\n");
    here.write(".ai/repo/new/a.txt", "");
    here.git(&["add", ".ai/repo/new"]);
    let (status, out, _) = said(&here, &["check", "--baseline", "known.json"]);
    assert_eq!((status, out.lines().count()), (1, 3), "{out}");
    assert!(out.contains(".ai/repo/new"), "{out}");
    here.git(&["rm", "-q", "--cached", ".ai/repo/new/a.txt"]);
    // a line that has moved is the same finding
    let notes = ".ai/repo/notes/README.md";
    let lines: Vec<u64> = check_lines(&here, notes);
    here.write(notes, here.read(notes).replace("title: Notes\n", "# what was learned\ntitle: Notes\n"));
    assert_ne!(check_lines(&here, notes), lines);
    assert_eq!(here.text(&["check", "--baseline", "known.json"]), "nothing found\n");
}

/// The lines of a file that check has something to say about.
fn check_lines(here: &Here, file: &str) -> Vec<u64> {
    let output = here.run(&["check", "--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = document["findings"].as_array().unwrap().iter().filter(|finding| finding["path"] == file);
    findings.filter_map(|finding| finding["line"].as_u64()).collect()
}

#[test]
fn a_baseline_lies_where_the_command_acts_and_can_be_undone() {
    let here = demo();
    let outside = here.path().parent().unwrap().to_owned();
    let run = |arguments: &[&str]| {
        let output = here.command("").current_dir(&outside).args(["-C", "work"]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    run(&["check", "--write-baseline", "known.json"]);
    assert!(here.path().join("known.json").exists() && !outside.join("known.json").exists());
    assert_eq!(run(&["check", "--baseline", "known.json"]), "nothing found\n");
    assert!(run(&["undo"]).starts_with("undid “baseline known.json”"));
    assert!(!here.path().join("known.json").exists());
}

#[test]
fn a_file_that_is_no_baseline_is_named_with_its_line() {
    let here = demo();
    let file = here.write("known.json", "{\"findings\":\n [1]}");
    let (status, error) = here.refused(&["check", "--baseline", "known.json"]);
    assert_eq!((status, &error["code"]), (2, &"invalid_input".into()));
    let message = error["message"].as_str().unwrap();
    assert!(message.contains(&format!("{}:2: not a baseline", file.display())), "{message}");
    let (status, error) = here.refused(&["check", "--baseline", "absent.json"]);
    assert_eq!((status, &error["code"]), (3, &"io".into()));
    assert!(error["file"].as_str().unwrap().ends_with("absent.json"), "{error}");
    let (status, error) = here.refused(&["--read-only", "check", "--write-baseline", "new.json"]);
    assert_eq!((status, &error["code"]), (3, &"read_only".into()));
    assert!(!here.path().join("new.json").exists());
}

// --------------------------------------------------------------------------------------------------------------- export

#[test]
fn each_part_is_written_out_in_each_form() {
    let here = demo();
    for (part, name) in [("resources", "local/atlas"), ("contracts", ".ai/repo/ci"), ("selection", "checklist")] {
        let document = here.json(&["export", part]);
        assert!(document.to_string().contains(name), "{part}: {document}");
        assert_eq!(serde_json::from_str::<Value>(&here.text(&["export", part])).unwrap(), document);
        assert_eq!(here.json(&["export", part, "--format", "dot"]), document, "--json is always JSON");
        let dot = here.text(&["export", part, "--format", "dot"]);
        assert!(
            dot.starts_with(&format!("digraph {part} {{\n")) && dot.ends_with("}\n") && dot.contains(name),
            "{dot}"
        );
        if let Some(drawn) = fed("dot", &["-Tplain"], &dot) {
            assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr));
        }
        let mermaid = here.text(&["export", part, "--format", "mermaid"]);
        assert!(mermaid.starts_with("flowchart ") && mermaid.contains(name), "{mermaid}");
    }
    assert_eq!(said(&here, &["export", "problems"]).0, 2);
}

#[test]
fn what_is_not_there_is_written_out_empty() {
    let here = Here::new();
    assert_eq!(here.json(&["export", "resources"])["resources"], serde_json::json!([]));
    assert_eq!(here.json(&["export", "contracts"])["directories"], serde_json::json!([]));
    assert_eq!(here.json(&["export", "selection"])["packages"], serde_json::json!([]));
    assert_eq!(std::fs::read_dir(here.path()).unwrap().count(), 0);
}

#[test]
fn what_is_exported_can_be_imported() {
    let here = demo();
    here.write("all.json", here.text(&["export", "resources"]));
    here.text(&["--registry", "copy.db", "resource", "import", "all.json"]);
    assert_eq!(here.text(&["--registry", "copy.db", "resource", "tree"]), here.text(&["resource", "tree"]));
}

// -------------------------------------------------------------------------------------------------- undo, redo, history

#[test]
fn undo_and_redo_go_over_files_and_links_alike() {
    let here = demo();
    let readme = here.path().join(".ai/repo/ci/README.md");
    here.text(&["contract", "fix", ".ai/repo/ci"]);
    let written = here.read(".ai/repo/ci/README.md");
    here.text(&["resource", "link", "local/atlas", "local/guides"]);
    let children =
        |here: &Here| here.json(&["resource", "children", "local/atlas"])["resources"].as_array().map_or(0, Vec::len);
    assert_eq!(children(&here), 2);

    let planned = here.json(&["undo", "2", "--dry-run"]);
    let labels: Vec<_> = planned["undone"].as_array().unwrap().iter().map(|entry| &entry["label"]).collect();
    assert_eq!(labels, ["link local/atlas → local/guides", "fix .ai/repo/ci"]);
    assert!(readme.exists() && children(&here) == 2, "a dry run changes nothing");
    assert_eq!(planned["changes"][0]["becomes"], "removed", "{planned}");
    let out = here.text(&["undo", "2", "--dry-run"]);
    for line in [
        "  1 link removed",
        "  - link local/atlas (git-checkout) -> local/guides (fs-directory)",
        "  written: creates .ai/repo/ci/README.md",
    ] {
        assert!(out.lines().any(|said| said == line), "{line}\n{out}");
    }
    let history = here.text(&["history"]);
    let names: Vec<&str> = history.lines().filter_map(|line| line.split_once("Z  ")).map(|(_, said)| said).collect();
    let newest = ["link local/atlas → local/guides  1 link added", "fix .ai/repo/ci  creates .ai/repo/ci/README.md"];
    assert_eq!(names[..2], newest);

    let (status, out, _) = said(&here, &["undo", "2"]);
    assert_eq!((status, out.lines().count()), (0, 2), "{out}");
    assert!(!readme.exists());
    assert_eq!(children(&here), 1);

    let history = here.json(&["history"]);
    let undone: Vec<_> = history["writes"].as_array().unwrap().iter().map(|entry| entry["undone"] == true).collect();
    assert_eq!(undone[..3], [true, true, false], "the newest first: {history}");

    let planned = here.json(&["redo", "5", "--dry-run"]);
    assert_eq!(planned["redone"].as_array().unwrap().len(), 2);
    assert!(here.text(&["redo", "--dry-run"]).ends_with("\n  creates .ai/repo/ci/README.md\n"));
    assert!(here.text(&["redo"]).starts_with("redid “fix .ai/repo/ci”"));
    assert_eq!(here.read(".ai/repo/ci/README.md"), written);
    assert!(here.text(&["redo"]).starts_with("redid “link local/atlas → local/guides”"));
    assert_eq!(children(&here), 2);
    let (status, _, error) = said(&here, &["redo"]);
    assert_eq!(status, 1);
    assert!(error.starts_with("dagwood: nothing to redo in "), "{error}");
}

#[test]
fn undo_stops_at_what_somebody_changed_and_says_what_it_did() {
    let here = demo();
    here.text(&["contract", "fix", ".ai/repo/ci"]);
    here.text(&["resource", "link", "local/atlas", "local/guides"]);
    let file = here.write(".ai/repo/ci/README.md", "mine now");
    let (status, error) = here.refused(&["undo", "3"]);
    assert_eq!((status, &error["code"]), (1, &"changed_since".into()));
    assert_eq!(error["file"], file.to_str().unwrap());
    assert_eq!(error["done"], serde_json::json!(["link local/atlas → local/guides"]));
    assert_eq!(here.read(".ai/repo/ci/README.md"), "mine now");
    let (status, _, error) = said(&here, &["undo"]);
    assert_eq!(status, 1);
    let way_on = ".ai/repo/ci/README.md was edited since dagwood wrote it: undoing would lose that edit\n  \
                  `dagwood undo --skip` leaves that write as it is, and the one before it is next\n";
    assert!(error.ends_with(way_on), "{error}");
}

#[test]
fn a_write_that_was_edited_since_is_skipped_and_the_one_before_it_is_undone() {
    let here = demo();
    let before = here.json(&["resource", "children", "local/atlas"]);
    here.text(&["resource", "link", "local/atlas", "local/guides"]);
    here.text(&["contract", "fix", ".ai/repo/ci"]);
    let file = ".ai/repo/ci/README.md";
    here.write(file, "mine now");
    here.refused(&["undo"]);
    let dry = here.text(&["undo", "--skip", "--dry-run"]);
    assert!(dry.starts_with("would leave “fix .ai/repo/ci” ("), "{dry}");
    here.refused(&["undo"]);
    let skipped = here.text(&["undo", "--skip"]);
    assert!(skipped.starts_with("left “fix .ai/repo/ci” ("), "{skipped}");
    assert!(skipped.contains("\n  next to undo: “link local/atlas → local/guides” ("), "{skipped}");
    assert_eq!(here.json(&["history"])["writes"][0]["kept"], true);
    assert!(here.text(&["history"]).lines().next().unwrap().ends_with("  (kept)"));
    assert!(here.text(&["undo"]).starts_with("undid “link local/atlas → local/guides”"));
    assert_eq!(here.json(&["resource", "children", "local/atlas"]), before);
    assert_eq!(here.read(file), "mine now");
    assert_eq!(said(&here, &["undo", "--skip", "2"]).0, 2, "one at a time");
}

#[test]
fn fewer_writes_than_asked_for_are_told() {
    let here = demo();
    let writes = here.json(&["history"])["writes"].as_array().unwrap().len();
    here.text(&["contract", "fix", ".ai/repo/ci"]);
    let all = writes + 1;
    let dry = here.text(&["undo", "99", "--dry-run"]);
    assert!(dry.ends_with(&format!("\nwould undo {all} of the 99 asked for: there are no more\n")), "{dry}");
    let undone = here.text(&["undo", "99"]);
    assert!(undone.ends_with(&format!("\nundid {all} of the 99 asked for: there are no more\n")), "{undone}");
    let redone = here.text(&["redo", "99"]);
    assert!(redone.ends_with(&format!("\nredid {all} of the 99 asked for: there are no more\n")), "{redone}");
    assert_eq!(here.text(&["undo", "1"]).lines().count(), 1);
}

#[test]
fn where_nothing_was_written_there_is_nothing_to_undo() {
    let here = Here::new();
    assert_eq!(here.text(&["history"]), "dagwood has written nothing here\n");
    assert_eq!(here.json(&["history"]), serde_json::json!({ "writes": [] }));
    let (status, error) = here.refused(&["undo"]);
    assert_eq!((status, &error["code"]), (1, &"nothing_to_undo".into()));
    assert_eq!(said(&here, &["undo", "0"]).0, 2);
}

#[test]
fn nothing_is_written_read_only() {
    let here = demo();
    here.text(&["resource", "link", "local/atlas", "local/guides"]);
    let before = here.json(&["resource", "children", "local/atlas"]);
    for arguments in [
        &["--read-only", "undo"][..],
        &["contract", "fix", ".ai/repo/ci", "--read-only"],
        &["resource", "unlink", "local/atlas", "local/guides", "--read-only"],
        &["resource", "add", "fs-file", "x", "--read-only"],
        &["resource", "discover", "local/atlas", "--read-only"],
        &["resource", "rm", "local/atlas", "--force", "--read-only"],
        &["--read-only", "demo", "--keep", "kept", "--no-open"],
        &["demo", "--keep", "kept", "--read-only"],
    ] {
        let (status, error) = here.refused(arguments);
        assert_eq!((status, &error["code"]), (3, &"read_only".into()), "{arguments:?}: {error}");
    }
    assert!(!here.path().join(".ai/repo/ci/README.md").exists() && !here.path().join("kept").exists());
    assert_eq!(here.json(&["resource", "children", "local/atlas"]), before);
}

// -------------------------------------------------------------------------------------------- the journal on its guard

/// The files of the journal, the oldest first.
fn noted(here: &Here) -> Vec<std::path::PathBuf> {
    let state = here.path().parent().unwrap().join("home/.local/state/dagwood");
    let workspaces = std::fs::read_dir(state).unwrap().flatten();
    let files = workspaces.flat_map(|it| std::fs::read_dir(it.path().join("journal")).unwrap().flatten());
    let mut files: Vec<_> = files.map(|it| it.path()).filter(|it| it.extension().is_some()).collect();
    files.sort();
    files
}

/// The newest entry of the journal, with its head and its body changed.
fn renoted(file: &std::path::Path, change: impl FnOnce(&mut Value, &mut Value)) {
    let text = std::fs::read_to_string(file).unwrap();
    let (head, body) = text.split_once('\n').unwrap();
    let (mut head, mut body) = (serde_json::from_str(head).unwrap(), serde_json::from_str(body).unwrap());
    change(&mut head, &mut body);
    std::fs::write(file, format!("{head}\n{body}\n")).unwrap();
}

#[cfg(unix)]
#[test]
fn undo_and_redo_are_not_led_out_of_the_layer_by_a_link() {
    let here = demo();
    let (inside, outside) = (here.path().join(".ai/repo/ci"), here.path().parent().unwrap().join("outside"));
    here.text(&["contract", "fix", ".ai/repo/ci"]);
    std::fs::rename(&inside, &outside).unwrap();
    std::os::unix::fs::symlink(&outside, &inside).unwrap();
    let (status, error) = here.refused(&["undo"]);
    assert_eq!((status, &error["code"]), (1, &"symbolic_link".into()));
    assert!(outside.join("README.md").exists());

    std::fs::remove_file(&inside).unwrap();
    std::fs::rename(&outside, &inside).unwrap();
    here.text(&["undo"]);
    std::fs::rename(&inside, &outside).unwrap();
    std::os::unix::fs::symlink(&outside, &inside).unwrap();
    let (status, error) = here.refused(&["redo"]);
    assert_eq!((status, &error["code"]), (1, &"symbolic_link".into()));
    assert!(!outside.join("README.md").exists());
}

#[cfg(unix)]
#[test]
fn nothing_is_written_undone_or_redone_through_a_registry_that_is_a_link() {
    let here = demo();
    let (inside, outside) = (here.path().join(".dagwood/registry.db"), here.path().parent().unwrap().join("other.db"));
    here.text(&["resource", "link", "local/atlas", "local/guides"]);
    let moved = || {
        std::fs::rename(&inside, &outside).unwrap();
        std::os::unix::fs::symlink(&outside, &inside).unwrap();
    };
    let back = || std::fs::rename(&outside, &inside).unwrap();
    moved();
    for arguments in [&["resource", "unlink", "local/atlas", "local/guides"][..], &["undo"]] {
        let (status, error) = here.refused(arguments);
        assert_eq!((status, &error["code"]), (3, &"read_only".into()), "{arguments:?}");
        assert!(error["message"].as_str().unwrap().contains("--registry"), "{error}");
    }
    back();
    here.text(&["undo"]);
    moved();
    assert_eq!(here.refused(&["redo"]).1["code"], "read_only");
    // whoever names it means it
    here.text(&["--registry", ".dagwood/registry.db", "redo"]);
    assert_eq!(here.refused(&["undo"]).1["code"], "read_only");
}

#[cfg(unix)]
#[test]
fn nothing_is_undone_through_a_registry_folder_that_became_a_link() {
    let here = demo();
    let (inside, outside) = (here.path().join(".dagwood"), here.path().parent().unwrap().join("other"));
    here.text(&["resource", "link", "local/atlas", "local/guides"]);
    std::fs::rename(&inside, &outside).unwrap();
    std::os::unix::fs::symlink(&outside, &inside).unwrap();
    let before = std::fs::read(outside.join("registry.db")).unwrap();
    let (status, error) = here.refused(&["undo"]);
    assert_eq!((status, &error["code"]), (3, &"read_only".into()));
    assert_eq!(std::fs::read(outside.join("registry.db")).unwrap(), before);
}

#[test]
fn where_the_registry_is_gone_the_files_of_a_write_stay_too() {
    let here = demo();
    here.text(&["contract", "fix", ".ai/repo/ci"]);
    let gone = here.path().join("gone.db");
    renoted(noted(&here).last().unwrap(), |_, body| {
        body["rows"] = serde_json::json!({ "registry": gone, "changes": "[]" });
    });
    let (status, error) = here.refused(&["undo"]);
    assert_eq!((status, &error["code"]), (1, &"changed_since".into()));
    assert!(here.path().join(".ai/repo/ci/README.md").exists());
}

#[test]
fn without_a_place_for_the_journal_nothing_is_written() {
    let here = demo();
    for arguments in [&["contract", "fix", ".ai/repo/ci"][..], &["resource", "add", "fs-file", "x"]] {
        let output = here.command("").env("HOME", "home").args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("set HOME or XDG_STATE_HOME"), "{error}");
    }
    assert!(!here.path().join(".ai/repo/ci/README.md").exists() && !here.path().join("home").exists());
    assert_eq!(here.refused(&["resource", "show", "local/x"]).1["code"], "resource_not_found");
}

#[cfg(target_os = "linux")]
#[test]
fn a_workspace_of_any_name_is_written_to() {
    use std::os::unix::ffi::OsStrExt;
    let here = Here::with(&[("README.md", "")]);
    let folder = std::path::Path::new(std::ffi::OsStr::from_bytes(b"latin\xe9"));
    std::fs::create_dir(here.path().join(folder)).unwrap();
    for arguments in [&["resource", "add", "fs-file", "x"][..], &["undo"], &["redo"]] {
        let output = here.command(folder).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn a_long_write_is_one_step() {
    let here = demo();
    let before = noted(&here).len();
    for name in ["one", "two", "three", "four"] {
        here.text(&["resource", "add", "fs-file", name]);
    }
    let files = noted(&here).split_off(before);
    let first: u64 = files[1].file_stem().unwrap().to_str().unwrap().parse().unwrap();
    renoted(&files[2], |head, _| head["part_of"] = first.into());
    let labels = |arguments: &[&str], key: &str| -> Vec<String> {
        let entries = here.json(arguments)[key].as_array().unwrap().clone();
        entries.iter().map(|entry| entry["label"].as_str().unwrap().to_owned()).collect()
    };
    let promised = labels(&["undo", "3", "--dry-run"], "undone");
    assert_eq!(promised, ["add four", "add two", "add one"]);
    assert_eq!(labels(&["undo", "3"], "undone"), promised);
    let promised = labels(&["redo", "2", "--dry-run"], "redone");
    assert_eq!(promised, ["add one", "add three"]);
    assert_eq!(labels(&["redo", "2"], "redone"), promised);
}

// ----------------------------------------------------------------------------------------------------------------- demo

#[test]
fn the_demo_is_laid_out_and_never_over_something() {
    let here = Here::new();
    let laid = here.json(&["demo", "--keep", "a/new/folder", "--no-open"]);
    let folder = here.path().join("a/new/folder");
    assert_eq!(laid["directory"], folder.to_str().unwrap());
    assert!(folder.join(".git").is_dir() && folder.join(".dagwood/registry.db").is_file());
    assert_eq!(std::fs::read_to_string(folder.join(".dagwood/.gitignore")).unwrap(), "*\n");

    here.write("full/mine.txt", "mine");
    let (status, error) = here.refused(&["demo", "--keep", "full", "--no-open"]);
    assert_eq!((status, &error["code"]), (1, &"already_exists".into()));
    assert_eq!(error["file"], here.path().join("full").to_str().unwrap());
    assert_eq!(std::fs::read_dir(here.path().join("full")).unwrap().count(), 1);
    let (status, _, error) = said(&here, &["demo", "--no-open"]);
    assert_eq!(status, 2);
    assert!(error.contains("--keep"), "{error}");
}

#[test]
fn without_git_the_demo_leaves_its_folder_empty() {
    let here = Here::new();
    let output = here.command("").env("PATH", "").args(["demo", "--keep", "d", "--no-open"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("git could not be started"), "{error}");
    assert_eq!(std::fs::read_dir(here.path().join("d")).unwrap().count(), 0);
}

#[test]
fn without_a_terminal_the_explorer_says_what_to_use_instead() {
    let here = demo();
    for arguments in [&[][..], &["demo"]] {
        let (status, out, error) = said(&here, arguments);
        assert_eq!((status, out.as_str()), (2, ""));
        assert!(error.contains("needs a terminal") && error.contains("dagwood check"), "{error}");
    }
}

// ------------------------------------------------------------------------------------------- about the program itself

/// Runs a program on a text, where there is such a program.
fn fed(program: &str, arguments: &[&str], text: &str) -> Option<std::process::Output> {
    use std::io::Write;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take().unwrap();
    let text = text.to_owned();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join().unwrap();
    Some(output)
}

#[test]
fn completions_know_every_command() {
    let here = Here::new();
    for (shell, check) in [("bash", "bash"), ("zsh", "zsh"), ("fish", "fish"), ("powershell", ""), ("elvish", "")] {
        let script = here.text(&["completions", shell]);
        for word in ["demo", "check", "resource", "contract", "selection", "undo", "history"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
        let argument = if shell == "fish" { "--no-execute" } else { "-n" };
        if let Some(output) = Some(check).filter(|it| !it.is_empty()).and_then(|it| fed(it, &[argument], &script)) {
            assert!(output.status.success(), "{shell}: {}", String::from_utf8_lossy(&output.stderr));
        }
        assert_eq!(here.json(&["completions", shell])["script"], script);
    }
    let (status, _, error) = said(&here, &["completions", "tcsh"]);
    assert_eq!(status, 2);
    assert!(error.contains("[possible values: bash, elvish, fish, powershell, zsh]"), "{error}");
}

#[test]
fn bash_completes_a_verb() {
    let here = Here::new();
    let script = here.text(&["completions", "bash"]);
    let asked = format!(
        "{script}\nCOMP_WORDS=(dagwood contract va); COMP_CWORD=2; _dagwood dagwood va contract; echo \"${{COMPREPLY[@]}}\""
    );
    if let Some(output) = fed("bash", &["--norc", "-s"], &asked) {
        assert_eq!(String::from_utf8_lossy(&output.stdout), "validate\n");
    }
}

#[test]
fn the_man_page_is_one_page_that_renders() {
    let page = Here::new().text(&["man"]);
    assert!(page.contains(".TH dagwood 1"), "{page}");
    for section in ["NAME", "SYNOPSIS", "CHECK", "RESOURCE", "CONTRACT", "SELECTION", "\"EXIT STATUS\"", "FILES"] {
        assert_eq!(page.matches(&format!("\n.SH {section}\n")).count(), 1, "{section}");
    }
    assert!(!page.contains("dagwood\\-check(1)"), "there are no other pages to look into");
    if let Some(output) = fed("groff", &["-man", "-Tascii", "-P-cbou"], &page) {
        assert!(output.status.success());
        assert!(String::from_utf8_lossy(&output.stdout).contains("dagwood check [OPTIONS]"));
    }
}

#[test]
fn the_keys_are_those_of_the_table() {
    let here = Here::new();
    let text = here.text(&["keys"]);
    let rows = here.json(&["keys"]);
    for spec in dagwood::explorer::model::ACTIONS {
        let row = rows["keys"].as_array().unwrap().iter().find(|row| row["action"] == spec.name).unwrap();
        assert_eq!(row["text"], spec.text);
        assert!(text.lines().any(|line| line.contains(spec.name) && line.ends_with(spec.text)), "{}", spec.name);
    }
}

// ------------------------------------------------------------------------------------------------ how things are told

#[test]
fn usage_errors_are_told_in_the_form_asked_for() {
    let here = Here::new();
    let (status, out, error) = said(&here, &["contract", "lst"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert!(error.contains("unrecognized subcommand 'lst'") && error.contains("list"), "{error}");
    let (status, error) = here.refused(&["contract", "lst"]);
    assert_eq!((status, &error["code"]), (2, &"invalid_input".into()));
    assert!(error["message"].as_str().unwrap().starts_with("unrecognized subcommand 'lst'"), "{error}");
    let (status, error) = here.refused(&["resource", "link", "one"]);
    assert_eq!((status, &error["code"]), (2, &"invalid_input".into()));
    for asked in ["--help", "--version"] {
        let (status, out, error) = said(&here, &[asked]);
        assert!(status == 0 && out.starts_with(['d', 'A']) && error.is_empty(), "{asked}: {out}{error}");
    }
}

#[test]
fn help_lists_the_options_of_a_command_before_those_of_all() {
    let help = Here::new().text(&["check", "-h"]);
    let at = |text: &str| help.find(text).unwrap_or_else(|| panic!("no {text} in {help}"));
    assert!(at("--write-baseline") < at("For every command:") && at("For every command:") < at("--registry"));
}

#[test]
fn it_acts_in_the_directory_it_is_sent_to() {
    let here = demo();
    let outside = here.path().parent().unwrap().to_owned();
    let run = |arguments: &[&str]| here.command("").current_dir(&outside).args(arguments).output().unwrap();
    let there = here.run(&["contract", "list"]).stdout;
    assert_eq!(run(&["-C", "work", "contract", "list"]).stdout, there);
    assert_eq!(run(&["contract", "list", "--directory", "work/packages"]).stdout, there);
    let (status, error) = here.refused(&["-C", "nowhere", "check"]);
    assert_eq!((status, &error["code"]), (2, &"invalid_input".into()));
    assert!(error["message"].as_str().unwrap().starts_with("cannot start in nowhere: "), "{error}");
    let (status, error) = here.refused(&["-C", "mars.toml", "check"]);
    assert_eq!((status, &error["code"]), (2, &"invalid_input".into()));
}

#[test]
fn a_registry_is_named_from_the_directory_it_acts_in_and_undone_from_anywhere() {
    let here = demo();
    let outside = here.path().parent().unwrap().to_owned();
    let run = |folder: &std::path::Path, arguments: &[&str]| {
        let output = here.command("").current_dir(folder).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    run(&outside, &["-C", "work", "--registry", "other.db", "resource", "add", "fs-file", "x"]);
    assert!(here.path().join("other.db").exists() && !outside.join("other.db").exists());
    let list = |folder: &std::path::Path, registry: &str| run(folder, &["--registry", registry, "resource", "list"]);
    assert!(list(&here.path(), "other.db").starts_with('x'));
    assert!(run(&here.path().join("packages"), &["undo"]).starts_with("undid “add x”"));
    assert!(!list(&here.path().join("packages"), "../other.db").starts_with('x'));
    let output = here.command("packages").env("DAGWOOD_REGISTRY", "../other.db").args(["resource", "list"]).output();
    assert!(!String::from_utf8_lossy(&output.unwrap().stdout).contains("local/atlas"));
}

#[test]
fn colours_only_repeat_what_is_said() {
    let here = demo();
    let plain = here.run(&["check"]).stdout;
    let colored = here.run(&["check", "--color", "always"]).stdout;
    let colored = String::from_utf8(colored).unwrap();
    assert!(colored.contains("\u{1b}[31merror"), "{colored}");
    let mut bare = String::new();
    for (nth, piece) in colored.split("\u{1b}[").enumerate() {
        bare.push_str(if nth == 0 { piece } else { piece.split_once('m').unwrap().1 });
    }
    assert_eq!(bare.as_bytes(), plain);
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let here = Here::new();
    let mut child = here.command("").arg("man").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let here = Here::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = here.command("").arg("keys").stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("dagwood: cannot write the answer: "));
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_registry_folder_that_is_a_link() {
    let here = Here::new();
    std::fs::create_dir_all(here.path()).unwrap();
    let elsewhere = here.path().parent().unwrap().join("elsewhere");
    std::fs::create_dir_all(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, here.path().join(".dagwood")).unwrap();
    let (status, error) = here.refused(&["resource", "add", "fs-directory", "x"]);
    assert_eq!((status, error["code"].as_str()), (3, Some("read_only")));
    assert!(std::fs::read_dir(&elsewhere).unwrap().next().is_none());
}

#[test]
fn what_was_typed_is_shown_and_never_sent_to_the_terminal() {
    let here = Here::new();
    let output = here.run(&["\u{1b}]0;owned\u{7}\u{1b}[31mfoo"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("Usage: dagwood") && !said.chars().any(|c| c.is_control() && c != '\n'), "{said:?}");
}

#[test]
fn another_repository_named_by_the_environment_is_left_alone() {
    let here = Here::with(&[("theirs", "x")]);
    here.track();
    let index = std::fs::read(here.path().join(".git/index")).unwrap();
    let mut command = here.command("");
    command.env("GIT_DIR", here.path().join(".git")).env("GIT_INDEX_FILE", here.path().join(".git/index"));
    let done = command.args(["demo", "--keep", "demo", "--no-open"]).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert_eq!(std::fs::read(here.path().join(".git/index")).unwrap(), index);
    assert!(here.path().join("demo/.git/index").exists());
}

#[test]
fn a_place_that_was_named_has_to_be_there() {
    let here = Here::with(&[(".ai/README.md", "x")]);
    for arguments in [
        &["check", "--only", "contracts", "--layer", "typo"][..],
        &["contract", "validate", "--layer", "typo"],
        &["contract", "list", "--layer", "typo"],
        &["check", "--only", "resources", "--registry", "typo.db"],
    ] {
        let (status, error) = here.refused(arguments);
        assert_eq!((status, error["code"].as_str()), (1, Some("not_found")), "{arguments:?}");
    }
    // merely none to be found is an empty answer
    assert_eq!(here.json(&["check", "--only", "resources"])["findings"], serde_json::json!([]));
}

#[test]
fn a_baseline_replaces_only_a_baseline() {
    let here = Here::with(&[("README.md", "# mine\n")]);
    let (status, error) = here.refused(&["check", "--write-baseline", "README.md"]);
    assert_eq!((status, error["code"].as_str()), (1, Some("already_exists")));
    assert_eq!(here.read("README.md"), "# mine\n");
    here.text(&["check", "--write-baseline", "known.json"]);
    here.text(&["check", "--write-baseline", "known.json"]);
}
