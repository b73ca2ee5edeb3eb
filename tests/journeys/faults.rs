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
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
}
