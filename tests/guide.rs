//! The README and the guide tell the truth: every command in a `console` block is run, a page in one example workspace,
//! and each line shown must be said, in this order. `...` stands for what varies, in a line or for lines; a command that
//! does not end with status 0 says so in a comment (`# status 1`). Links must lead to files that are there.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The pages, by their paths in the repository.
fn pages() -> Vec<PathBuf> {
    let guide = std::fs::read_dir(top().join("docs/guide")).unwrap();
    let mut pages: Vec<PathBuf> = guide.map(|page| page.unwrap().path()).collect();
    pages.sort();
    pages.insert(0, top().join("README.md"));
    pages
}

/// A command of a page and what the page shows of its output.
struct Shown {
    line: usize,
    command: String,
    output: Vec<String>,
}

fn commands(page: &str) -> Vec<Shown> {
    let mut commands: Vec<Shown> = Vec::new();
    let mut inside = false;
    for (nth, line) in page.lines().enumerate() {
        match (line.trim_end(), inside) {
            ("```console", false) => inside = true,
            ("```", true) => inside = false,
            (line, true) => match line.strip_prefix("$ ") {
                Some(command) => {
                    commands.push(Shown { line: nth + 1, command: command.to_owned(), output: Vec::new() });
                }
                None => {
                    commands.last_mut().expect("a console block begins with a command").output.push(line.to_owned());
                }
            },
            _ => {}
        }
    }
    commands
}

/// Whether a line is the one shown, whose `...` stand for anything.
fn same(shown: &str, said: &str) -> bool {
    let mut pieces = shown.split("...");
    let Some(mut rest) = said.strip_prefix(pieces.next().unwrap()) else { return false };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else { return rest.is_empty() };
    for piece in middle {
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

/// Runs a page's commands; tells everything that is not as shown.
fn run(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).unwrap();
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().canonicalize().unwrap().join("atlas");
    let program = Path::new(env!("CARGO_BIN_EXE_dagwood"));
    let path = std::env::var("PATH").unwrap_or_default();
    let shell = |command: &str, folder: &Path| {
        Command::new("sh")
            .args(["-c", &format!("exec 2>&1\n{command}")])
            .current_dir(folder)
            .env_clear()
            .env("PATH", format!("{}:{path}", program.parent().unwrap().display()))
            .env("HOME", home.path())
            .output()
            .unwrap()
    };
    let laid = shell("dagwood demo --keep atlas --no-open", home.path());
    assert!(laid.status.success(), "{}", String::from_utf8_lossy(&laid.stdout));
    let mut wrong = Vec::new();
    for shown in commands(&text) {
        let at = format!("{}:{}: {}", page.strip_prefix(top()).unwrap().display(), shown.line, shown.command);
        let wanted = shown.command.split_once("# status ").map_or(0, |(_, status)| status.trim().parse().unwrap());
        let output = shell(&shown.command, &folder);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.code() != Some(wanted) {
            wrong.push(format!("{at}\n  ended with {}, not {wanted}, and said\n{said}", output.status));
            continue;
        }
        let mut lines = said.lines();
        for line in shown.output.iter().filter(|line| line.as_str() != "...") {
            if !lines.any(|said| same(line, said.trim_end())) {
                wrong.push(format!("{at}\n  does not say (or not there)\n    {line}\n  but\n{said}"));
                break;
            }
        }
    }
    wrong
}

#[test]
fn every_command_of_the_readme_and_the_guide_says_what_is_shown() {
    let pages = pages();
    assert!(pages.len() > 5, "the guide has pages: {pages:?}");
    let wrong: Vec<String> = pages.iter().flat_map(|page| run(page)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_has_commands_and_the_readme_leads_to_it() {
    let readme = std::fs::read_to_string(top().join("README.md")).unwrap();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        assert!(!commands(&text).is_empty(), "{} has no command", page.display());
        let name = page.strip_prefix(top()).unwrap().display().to_string();
        assert!(name == "README.md" || readme.contains(&format!("]({name})")), "the README does not lead to {name}");
    }
}

/// The names of all tests below a folder.
fn tests_in(folder: &Path, into: &mut HashSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            tests_in(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let code = std::fs::read_to_string(&path).unwrap();
            // further attributes may stand between a test's mark and its name
            let marked = code.split("#[test]").skip(1).filter_map(|rest| rest.split("fn ").nth(1));
            into.extend(marked.filter_map(|rest| rest.split('(').next()).map(str::to_owned));
            // a macro makes the tests of these
            let modules = code.lines().filter_map(|line| line.trim_start().strip_prefix("mod ")?.strip_suffix(" {"));
            into.extend(modules.map(str::to_owned));
        }
    }
}

#[test]
fn every_promise_and_feature_is_held_by_a_test_that_is_there() {
    let mut tests = HashSet::new();
    tests_in(&top().join("src"), &mut tests);
    tests_in(&top().join("tests"), &mut tests);
    for (page, least) in [("docs/reliability.md", 30), ("docs/explorer.md", 22)] {
        let text = std::fs::read_to_string(top().join(page)).unwrap();
        let mut held = Vec::new();
        let mut by_tests = false;
        for line in text.lines() {
            let last = line.strip_suffix(" |").and_then(|line| line.rsplit_once(" | ")).map(|(_, last)| last);
            match last {
                // the head of a table whose rows end with names of tests
                Some(last) if last.ends_with(" by") => by_tests = true,
                Some(last) if by_tests => held.push(last),
                _ => by_tests &= line.starts_with('|'),
            }
        }
        assert!(held.len() >= least, "{page}: {}", held.len());
        for held in held {
            let names: Vec<&str> = held.split('`').skip(1).step_by(2).collect();
            assert!(!names.is_empty() || held.contains("]("), "{page}: nothing holds {held}");
            for name in names {
                assert!(tests.contains(name), "{page}: there is no test {name}");
            }
        }
    }
}

#[test]
fn links_lead_to_files_that_are_there() {
    let mut pages = pages();
    for name in [
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CHANGELOG.md",
        "docs/dependencies.md",
        "docs/reliability.md",
        "docs/explorer.md",
    ] {
        pages.push(top().join(name));
    }
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            if !file.is_empty() && !file.contains("://") {
                assert!(page.parent().unwrap().join(file).exists(), "{}: {link} leads nowhere", page.display());
            }
        }
    }
}

#[test]
fn dots_stand_for_anything() {
    assert!(same("undid “x” (...)", "undid “x” (2026)"));
    assert!(same("a ... b ... c", "a 1 b 2 c"));
    assert!(!same("undid (...)", "redid (1)"));
    assert!(!same("a", "a b"));
}
