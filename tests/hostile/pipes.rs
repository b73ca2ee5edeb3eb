//! Pipes where files are expected. Whoever opens one waits for ever, so none that is found is opened; it is told, or
//! passed over where that is no loss. The program is ended after a minute, which it never needs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::here::{DAGWOOD, Here};

/// Puts a pipe in the place of a file.
fn pipe(at: &Path) {
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    let _ = fs::remove_file(at);
    assert!(Command::new("mkfifo").arg(at).status().unwrap().success());
}

/// Runs the program; it must end by itself.
fn run(here: &Here, arguments: &[&str], what: &Path) -> String {
    let mut command = here.command("timeout");
    let Output { status, stdout, stderr } =
        command.args(["--signal=KILL", "60", DAGWOOD]).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
    assert!(status.code().is_some_and(|code| code < 101), "{}: {arguments:?}: {status}: {said}", what.display());
    said
}

fn git(here: &Here, arguments: &[&str]) {
    assert!(here.command("git").args(arguments).status().unwrap().success(), "{arguments:?}");
}

const PACKAGE: &str = "[dependencies.p]\npath = \"p\"\n";
const PIPE: &str = "no regular file";

#[test]
fn no_pipe_that_is_found_in_a_workspace_is_opened() {
    let (check, list) = (&["check"][..], &["contract", "list"][..]);
    let cases: [(&str, &[&str], &str); 24] = [
        (".git", list, ""),
        (".git/HEAD", check, PIPE),
        (".git/config", check, PIPE),
        (".git/index", check, PIPE),
        (".git/packed-refs", check, ""),
        (".gitignore", check, ""),
        (".gitmodules", check, ""),
        (".dagwood/registry.db", check, PIPE),
        (".dagwood/registry.db", &["resource", "list"], PIPE),
        (".dagwood/registry.db", &["resource", "add", "fs-directory", "x"], PIPE),
        (".dagwood/registry.db-journal", check, PIPE),
        (".dagwood/registry.db-wal", check, PIPE),
        (".dagwood/registry.db-shm", &["resource", "add", "fs-directory", "x"], PIPE),
        (".dagwood/.gitignore", check, ""),
        ("mars.toml", check, ""),
        ("mars.local.toml", check, PIPE),
        ("mars.lock", check, PIPE),
        ("p/mars.toml", check, ""),
        ("p/.claude-plugin/plugin.json", check, ""),
        ("p/agents/a.md", check, ""),
        ("p/skills/s/SKILL.md", check, ""),
        (".ai/README.md", check, ""),
        (".ai/README.md", &["contract", "fix", ".ai"], ""),
        ("known.json", &["check", "--write-baseline", "known.json"], PIPE),
    ];
    for (name, arguments, says) in cases {
        let here = Here::with(&[("mars.toml", PACKAGE), (".ai/x/README.md", ""), ("p/skills/t/SKILL.md", "")]);
        if name.starts_with(".git") && name != ".git" {
            git(&here, &["init", "-q"]);
        }
        if name.starts_with(".dagwood/registry.db-") {
            // not in WAL mode, so that SQLite looks for a journal
            let own = include_bytes!("../../fuzz/corpus/registry/own.db");
            here.write(".dagwood/registry.db", own);
        }
        let at = here.path().join(name);
        pipe(&at);
        let said = run(&here, arguments, &at);
        assert!(said.contains(says), "{name}: {said}");
        assert!(!at.symlink_metadata().unwrap().is_file(), "{name} stays");
    }
}

#[test]
fn no_pipe_that_is_found_in_a_home_is_opened() {
    for (name, text) in [("config.toml", ""), ("themes/dusk.toml", "theme = \"dusk\"\n")] {
        let here = Here::with(&[(".ai/README.md", "")]);
        let config = here.path().parent().unwrap().join("home/.config/dagwood");
        fs::create_dir_all(&config).unwrap();
        fs::write(config.join("config.toml"), text).unwrap();
        pipe(&config.join(name));
        let said = run(&here, &["keys"], &config.join(name));
        assert!(said.contains(PIPE), "{name}: {said}");
    }
}

#[test]
fn no_pipe_that_is_found_in_a_journal_is_opened() {
    let add = ["resource", "add", "fs-directory", "x"];
    for name in ["lock", "00000001.done"] {
        let here = Here::with(&[]);
        run(&here, &add, Path::new("the first write"));
        let state = here.path().parent().unwrap().join("home/.local/state/dagwood");
        let folders: Vec<PathBuf> = fs::read_dir(state).unwrap().map(|entry| entry.unwrap().path()).collect();
        let [folder] = &folders[..] else { panic!("{folders:?}") };
        let file = folder.join("journal").join(name);
        assert!(file.is_file(), "{}", file.display());
        pipe(&file);
        for arguments in [&["undo"][..], &["resource", "add", "fs-directory", "y"]] {
            let said = run(&here, arguments, &file);
            assert!(name != "lock" || said.contains(PIPE), "{said}");
        }
    }
}

/// What the person names is another matter: a shell gives one program's output to another as a pipe.
#[test]
fn a_pipe_that_the_person_names_is_read() {
    let here = Here::with(&[]);
    here.write("type.yaml", "name: x\n");
    here.write("export.json", run(&here, &["export", "resources", "--format", "json"], Path::new("the export")));
    here.write("known.json", "{\"findings\": []}");
    for (file, arguments) in [
        ("type.yaml", &["type", "add", "/dev/stdin"][..]),
        ("export.json", &["resource", "import", "/dev/stdin"]),
        ("known.json", &["check", "--baseline", "/dev/stdin"]),
    ] {
        let mut cat = Command::new("cat").arg(here.path().join(file)).stdout(Stdio::piped()).spawn().unwrap();
        let done = here.command(DAGWOOD).args(arguments).stdin(cat.stdout.take().unwrap()).output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        cat.wait().unwrap();
    }
}
