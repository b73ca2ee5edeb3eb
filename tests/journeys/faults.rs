//! What the world does to a running explorer: a registry that is locked, deleted or replaced, a layer that goes away.

use std::time::{Duration, Instant};

use super::term::{ESC, Term, ask};

#[test]
fn a_registry_that_is_locked_keeps_nobody_from_looking_and_the_write_says_who_is_in_the_way() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("local/site").send("1").see("local/atlas");
    let other = rusqlite::Connection::open(term.work().join(".dagwood/registry.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE resources SET description = 'theirs'").unwrap();
    term.send("L").see("Link … under local/atlas").send("guides").see("local/guides").send("\r").see("1 link added");
    let since = Instant::now();
    term.send("\r");
    // the write waits for the lock; the screen does not wait for the write
    term.resize(30, 100).wait("a frame of the new size", |screen| {
        screen.rows(0, 100).nth(28).is_some_and(|row| row.starts_with('╰')) && screen.contents().contains("local/atlas")
    });
    term.see("Not done").see("another program is writing").see("try again");
    assert!(since.elapsed() >= Duration::from_secs(4), "it did not wait: {:?}", since.elapsed());
    term.send(ESC).gone("Not done").send(ESC).gone("Link … under");
    // and looking waits for nothing
    while since.elapsed() < Duration::from_secs(10) {
        term.send("2").see("Documented: it has a contract of its own.").send("1").see("git-checkout");
    }
    other.execute_batch("ROLLBACK").unwrap();
    term.send("L").see("Link … under local/atlas").send("guides").see("local/guides").send("\r").see("1 link added");
    term.send("\r").see("link local/atlas → local/guides");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn a_write_that_waits_for_a_lock_is_left_at_once_and_does_not_happen() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("local/site").send("1").see("local/atlas");
    let other = rusqlite::Connection::open(term.work().join(".dagwood/registry.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE; UPDATE resources SET description = 'theirs'").unwrap();
    term.send("L").see("Link … under local/atlas").send("guides").see("local/guides").send("\r").see("1 link added");
    term.send("\r").see("doing it").send(ESC).gone("doing it").see("told to stop");
    // the panes are free, and the list of what runs knows it
    term.gone("Link … under").send("!").see("write: link").send(ESC).gone("write: link");
    other.execute_batch("ROLLBACK").unwrap();
    term.see("stopped; nothing was written");
    let children = term.ask(&["resource", "children", "local/atlas"]);
    assert_eq!(children["resources"].as_array().unwrap().len(), 1, "{children}");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn a_registry_that_is_deleted_is_shown_as_none_and_one_that_replaces_it_is_read() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("local/site").send("1").see("local/atlas");
    let file = term.work().join(".dagwood/registry.db");
    let aside = term.home.path().join("aside");
    std::fs::create_dir(&aside).unwrap();
    let companions = ["registry.db", "registry.db-wal", "registry.db-shm"];
    for name in companions {
        let _ = std::fs::rename(file.with_file_name(name), aside.join(name));
    }
    term.see("No registry yet.").see("no registry");
    // another one in its place, under the same name
    ask(&aside, term.home.path(), &["resource", "add", "fs-directory", "other/top", "--registry", "new.db"]);
    std::fs::rename(aside.join("new.db"), &file).unwrap();
    term.see("other/top");
    // and replaced without being away: what other programs do when they save
    ask(&aside, term.home.path(), &["resource", "add", "fs-directory", "third/top", "--registry", "third.db"]);
    std::fs::rename(aside.join("third.db"), &file).unwrap();
    term.see("third/top").gone("other/top");
    // what is written goes to the one that is there
    term.send("a").see("Add a resource").see("enter does it").send("\r").see("Discover local/atlas").send(ESC);
    term.gone("Discover local/atlas").see("local/atlas").see("third/top");
    let all = term.ask(&["resource", "list"]);
    assert_eq!(all["resources"].as_array().unwrap().len(), 2, "{all}");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn a_layer_that_is_deleted_is_shown_as_none_and_seen_when_it_comes_back() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("notes").see("4 Problems").see("Documented");
    let layer = term.work().join(".ai");
    let aside = term.home.path().join("aside");
    // deleted, and not only renamed: every file of it goes
    super::copy(&layer, &aside);
    std::fs::remove_dir_all(&layer).unwrap();
    term.see("No layer here");
    term.send("jk").send("1").see("local/atlas").send("2").see("No layer here");
    std::fs::rename(&aside, &layer).unwrap();
    term.gone("No layer here").see("notes");
    let owed = term.ask(&["contract", "list"])["tallies"]["owed"].as_u64().unwrap();
    term.see(&format!("owed {owed}"));
    // and what is changed in it from then on is seen as before
    let file = layer.join("repo/notes/README.md");
    let text = std::fs::read_to_string(&file).unwrap();
    term.see("broken");
    std::fs::write(&file, text.replace("ordr: 200", "order: 200")).unwrap();
    term.gone("broken");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn a_layer_that_begins_is_seen_and_so_is_what_is_written_in_it_later() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("notes").see("4 Problems").see("Documented");
    let layer = term.work().join(".ai");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
    let Term { home, .. } = term;
    let aside = home.path().join("aside");
    std::fs::rename(&layer, &aside).unwrap();
    let work = layer.parent().unwrap().to_str().unwrap().to_owned();
    let mut term = Term::start(home, 40, 120, &["-C", &work], &[]);
    term.see("No layer here").see("local/site").see("reviewer");
    std::fs::create_dir_all(layer.join("repo")).unwrap();
    term.gone("No layer here").see("owed 11");
    for (file, owed) in [("repo/README.md", 8), ("README.md", 7)] {
        std::fs::copy(aside.join(file), layer.join(file)).unwrap();
        term.see(&format!("owed {owed}"));
    }
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn a_package_that_is_deleted_is_seen_when_it_comes_back_and_so_is_what_is_changed_in_it_later() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("notes").see("4 Problems").send("3").see("reviewer");
    let packages = term.work().join("packages");
    let aside = term.home.path().join("aside");
    // first the package alone, then the folder it lies in too
    for (nth, deleted) in [packages.join("writers"), packages.clone()].into_iter().enumerate() {
        super::copy(&deleted, &aside);
        std::fs::remove_dir_all(&deleted).unwrap();
        term.see("not found");
        std::fs::rename(&aside, &deleted).unwrap();
        term.gone("not found");
        let agent = format!("---\nname: teller-{nth}\nskills: [tales-{nth}]\n---\n");
        std::fs::write(packages.join(format!("writers/agents/teller-{nth}.md")), agent).unwrap();
        term.see(&format!("→ tales-{nth}"));
    }
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn a_package_that_lay_in_another_is_watched_when_that_one_is_a_package_no_more() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("notes").see("4 Problems").send("3").see("reviewer");
    let manifest = term.work().join("mars.toml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, format!("{text}\n[dependencies.outer]\npath = \"packages\"\n")).unwrap();
    term.see("outer");
    std::fs::write(&manifest, text).unwrap();
    term.gone("outer");
    let agent = "---\nname: teller\nskills: [tales-untold]\n---\n";
    std::fs::write(term.work().join("packages/writers/agents/teller.md"), agent).unwrap();
    term.see("→ tales-untold");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn a_repository_that_begins_is_seen_and_a_workspace_that_is_moved_away_and_back_too() {
    let mut term = Term::demo(40, 120, &[]);
    term.see("notes").send("q").given_back();
    assert_eq!(term.ended(), 0);
    let work = term.work();
    let Term { home, .. } = term;
    std::fs::remove_dir_all(work.join(".git")).unwrap();
    let folder = work.to_str().unwrap().to_owned();
    let mut term = Term::start(home, 40, 120, &["-C", &folder], &[]);
    term.see("vendor").see("reviewer").send("2");
    // with a repository only what it tracks counts
    let git = |arguments: &[&str]| {
        let done = std::process::Command::new("git").args(arguments).current_dir(&work).status().unwrap();
        assert!(done.success(), "git {arguments:?}");
    };
    git(&["init", "-q"]);
    term.see("untracked-layer");
    git(&["add", ".ai/README.md", ".ai/repo/README.md"]);
    term.gone("vendor").gone("untracked-layer");
    let aside = work.with_file_name("aside");
    std::fs::rename(&work, &aside).unwrap();
    term.see("No layer here").see("No project here").see("No registry yet");
    std::fs::rename(&aside, &work).unwrap();
    term.gone("No layer here").gone("No project here").gone("No registry yet").see("reviewer");
    git(&["add", ".ai/repo/vendor"]);
    term.see("vendor");
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}
