//! `dagwood resource` and `dagwood type`, as people and scripts meet them.

use serde_json::{Value, json};

use crate::here::Here;

/// A workspace with two directories and a file that are resources, the one above the other.
fn here() -> Here {
    let here = Here::with(&[("w/src/main.rs", ""), ("w/README.md", "")]);
    here.text(&["resource", "add", "fs-directory", "local/w", "--location", "w"]);
    here.text(&["resource", "add", "fs-directory", "local/src", "--location", "w/src", "--parent", "local/w"]);
    here
}

fn names(answer: &Value) -> Vec<&str> {
    answer["resources"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect()
}

#[test]
fn looking_makes_nothing() {
    let here = Here::with(&[("a", "")]);
    assert_eq!(here.json(&["resource", "list"]), json!({"resources": []}));
    assert_eq!(here.json(&["resource", "tree"]), json!({"resources": [], "cyclic": []}));
    assert_eq!(here.json(&["type", "list"])["types"].as_array().unwrap().len(), 15);
    let (status, error) = here.refused(&["resource", "children", "nope"]);
    assert_eq!((status, &error["code"], &error["role"]), (1, &json!("resource_not_found"), &json!("resource")));
    let (_, error) = here.refused(&["resource", "add", "nope", "x"]);
    assert_eq!(error["code"], "type_not_found", "what is refused makes no registry");
    here.text(&["resource", "add", "fs-file", "x", "--dry-run"]);
    assert!(!here.path().join(".dagwood").exists());
}

#[test]
fn resources_are_added_linked_and_listed() {
    let here = here();
    let added = here.json(&["resource", "add", "fs-file", "local/f", "--description", "a file"]);
    let resource = &added["resource"];
    assert_eq!((&resource["name"], &resource["type"]), (&json!("local/f"), &json!("fs-file")));
    assert_eq!((&resource["parent_count"], &resource["child_count"]), (&json!(0), &json!(0)));
    assert_eq!(resource["id"].as_str().unwrap().len(), 26);
    let linked = here.json(&["resource", "link", "local/src", "local/f"]);
    assert_eq!((&linked["parent"]["name"], &linked["child"]["parent_count"]), (&json!("local/src"), &json!(1)));
    assert_eq!(names(&here.json(&["resource", "list"])), ["local/f", "local/src", "local/w"]);
    assert_eq!(names(&here.json(&["resource", "list", "--type", "fs-file"])), ["local/f"]);
    assert_eq!(names(&here.json(&["resource", "children", "local/src"])), ["local/f"]);
    assert_eq!(names(&here.json(&["resource", "parents", "local/src"])), ["local/w"]);
    let id = resource["id"].as_str().unwrap().to_lowercase();
    assert_eq!(here.json(&["resource", "show", &id])["resource"]["name"], "local/f");
    let location = here.json(&["resource", "show", "local/src"])["resource"]["location"].clone();
    assert_eq!(location, here.path().join("w/src").to_str().unwrap());
}

#[test]
fn each_refusal_has_its_code_its_fields_and_its_status() {
    let here = here();
    here.text(&["resource", "add", "fs-file", "local/f"]);
    let refused = |arguments: &[&str]| here.refused(arguments);
    let (status, error) = refused(&["resource", "link", "local/src", "local/w"]);
    assert_eq!((status, &error["code"]), (1, &json!("cycle_detected")));
    let path: Vec<&str> = error["path"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(path, ["local/w", "local/src", "local/w"]);
    let (_, error) = refused(&["resource", "link", "local/f", "local/w"]);
    assert_eq!((&error["code"], &error["allowed"]), (&json!("type_incompatible"), &json!(["none"])));
    let (_, error) = refused(&["resource", "link", "local/w", "local/src"]);
    assert_eq!((&error["code"], &error["child"]["name"]), (&json!("duplicate_link"), &json!("local/src")));
    let (_, error) = refused(&["resource", "unlink", "local/src", "local/w"]);
    assert_eq!((&error["code"], &error["reversed"]), (&json!("link_not_found"), &json!(true)));
    let (_, error) = refused(&["resource", "link", "local/w", "local/sr"]);
    assert_eq!((&error["role"], &error["similar"][0]), (&json!("child"), &json!("local/src")));
    let (_, error) = refused(&["resource", "add", "fs-file", "local/w"]);
    assert_eq!((&error["code"], &error["name"]), (&json!("duplicate_name"), &json!("local/w")));
    let (_, error) = refused(&["resource", "rm", "local/src"]);
    assert_eq!((&error["code"], &error["parents"][0]["name"]), (&json!("resource_in_use"), &json!("local/w")));
    let (_, error) = refused(&["type", "rm", "fs-director"]);
    assert_eq!((&error["code"], &error["similar"]), (&json!("type_not_found"), &json!(["fs-directory"])));
    let (_, error) = refused(&["resource", "add", "fs-fil", "local/g"]);
    assert_eq!((&error["code"], &error["similar"]), (&json!("type_not_found"), &json!(["fs-file"])));
    let listed = here.text(&["resource", "list", "--type", "fs-fil"]);
    assert!(listed.contains("did you mean \"fs-file\"?"), "{listed}");
    let (status, error) = refused(&["resource", "add", "fs-file", "/x"]);
    assert_eq!((status, &error["code"]), (2, &json!("invalid_input")));
    let (status, error) = refused(&["resource", "frobnicate"]);
    assert_eq!((status, &error["code"]), (2, &json!("invalid_input")));
    let (status, error) = refused(&["--read-only", "resource", "rm", "local/f"]);
    assert_eq!((status, &error["code"]), (3, &json!("read_only")));
}

#[test]
fn refusals_read_as_sentences() {
    let here = here();
    let output = here.run(&["resource", "link", "local/src", "local/w"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "dagwood: cannot put local/w under local/src: local/w already contains local/src\n  \
         local/w -> local/src -> local/w\n"
    );
}

#[test]
fn a_dry_run_says_what_the_run_does_and_does_nothing() {
    let here = here();
    let before = here.json(&["resource", "tree"]);
    for arguments in [
        &["resource", "add", "fs-file", "local/f", "--parent", "local/w"][..],
        &["resource", "set", "local/w", "--name", "local/v"],
        &["resource", "unlink", "local/w", "local/src"],
        &["resource", "rm", "local/w", "--force"],
        &["resource", "discover", "local/w"],
    ] {
        let said = here.json(&[arguments, &["--dry-run"]].concat());
        assert_eq!(said["dry_run"], true, "{arguments:?}");
        assert_eq!(here.json(&["resource", "tree"]), before, "{arguments:?}");
    }
    let forced = here.text(&["resource", "rm", "local/w", "--force", "--dry-run"]);
    assert_eq!(forced, "would remove local/w\n  removes 1 link; 1 child becomes a root\n");
}

#[test]
fn the_tree_nests_and_marks_what_comes_again() {
    let here = here();
    here.text(&["resource", "add", "fs-directory", "local/a", "--parent", "local/w"]);
    here.text(&["resource", "add", "fs-file", "local/f", "--parent", "local/a"]);
    here.text(&["resource", "link", "local/src", "local/a"]);
    assert_eq!(
        here.text(&["resource", "tree"]),
        "local/w  fs-directory\n  local/a  fs-directory  ⇡2\n    local/f  fs-file\n  local/src  fs-directory\n    \
         local/a  fs-directory  ↺ shown above  ⇡2\n"
    );
    assert_eq!(
        here.text(&["resource", "tree", "local/w", "--depth", "1"]),
        "local/w  fs-directory\n  local/a  fs-directory  ▸ 1 below  ⇡2\n  local/src  fs-directory  ▸ 1 below\n"
    );
    let tree = here.json(&["resource", "tree"]);
    let top = &tree["resources"][0];
    assert_eq!(top["children"][0]["children"][0]["name"], "local/f");
    let again = &top["children"][1]["children"][0];
    assert_eq!((&again["name"], &again["repeat"], again.get("children")), (&json!("local/a"), &json!(true), None));
}

#[test]
fn discovery_says_what_it_made_and_what_it_left_out() {
    let here = here();
    let found = here.json(&["resource", "discover", "local/w", "--recursive"]);
    let created: Vec<&str> =
        found["created"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(created, ["local/w/README.md", "local/src/main.rs"], "src is known by its location");
    assert_eq!((&found["linked"], &found["stale"]), (&json!([]), &json!([])));
    std::fs::remove_file(here.path().join("w/README.md")).unwrap();
    assert_eq!(
        here.text(&["resource", "discover", "local/w"]),
        "local/w: created 0, linked 0, 1 stale\n  ∅ local/w/README.md  fs-file\n  stale ones are kept; `dagwood resource rm --stale \
         local/w` removes them, and leaves what hangs below them\n  skipped fs-file *: no match\n"
    );
    let removed = here.json(&["resource", "rm", "--stale", "local/w"]);
    assert_eq!(removed["removed"][0]["name"], "local/w/README.md");
    let noted = here.json(&["resource", "unlink", "local/src", "local/src/main.rs"]);
    assert!(noted["note"].as_str().unwrap().contains("brings local/src/main.rs back"), "{noted}");
}

#[test]
fn what_hangs_below_something_stale_stays_and_is_told_or_goes_when_that_is_asked_for() {
    let here = Here::with(&[("w/src/deep/a", ""), ("w/src/b", ""), ("w/src/by-hand", "")]);
    here.text(&["resource", "add", "fs-directory", "local/w", "--location", "w"]);
    here.text(&["resource", "discover", "local/w", "--recursive"]);
    here.text(&["resource", "add", "fs-file", "mine", "--parent", "local/w/src/deep"]);
    std::fs::remove_dir_all(here.path().join("w/src")).unwrap();
    let names = |answer: &Value| -> Vec<String> {
        let removed = answer["removed"].as_array().unwrap().iter();
        removed.map(|one| one["name"].as_str().unwrap().to_owned()).collect()
    };
    let stale = &["resource", "rm", "--stale", "local/w"][..];
    let planned = here.json(&[stale, &["--dry-run"]].concat());
    assert_eq!(names(&planned), ["local/w/src"]);
    assert_eq!(
        planned["note"],
        "removes 4 links; 3 children become roots; 4 discovered below them stay, gone from the disk too: \
         `dagwood resource rm --stale --recursive local/w` removes all"
    );
    // what is said is what is done, and what it says is understood
    assert!(here.text(stale).contains("`dagwood undo`, then `dagwood resource rm --stale --recursive local/w`"));
    assert!(here.text(&["resource", "tree"]).contains("\nlocal/w/src/deep  fs-directory\n"));
    here.text(&["undo"]);
    let all = here.json(&["resource", "rm", "--stale", "--recursive", "local/w"]);
    assert_eq!(names(&all).len(), 5, "{all}");
    assert_eq!(all["note"], "removes 6 links; 1 child becomes a root");
    assert_eq!(here.text(&["resource", "tree"]), "local/w  fs-directory\nmine  fs-file\n", "added by hand: it stays");
    here.text(&["undo"]);
    assert!(here.text(&["resource", "tree"]).contains("      local/w/src/deep/a"));
}

#[test]
fn types_are_added_shown_and_removed() {
    let here = Here::with(&[
        ("box.yaml", "name: local/box\nchild_types: [no, fs-file]\n"),
        ("bad.yaml", "name: local/bad\nchildtypes: []\n"),
    ]);
    let (status, error) = here.refused(&["type", "add", "box.yaml", "bad.yaml"]);
    assert_eq!((status, &error["code"], &error["line"]), (2, &json!("invalid_input"), &json!(2)));
    assert!(!here.path().join(".dagwood").exists(), "none of them was added");
    let added = here.json(&["type", "add", "box.yaml"]);
    assert_eq!(added["findings"][0]["line"], 2, "{added}");
    assert_eq!(here.refused(&["type", "add", "box.yaml"]).1["code"], "duplicate_type");
    here.json(&["type", "add", "--update", "box.yaml"]);
    assert_eq!(
        here.text(&["type", "show", "local/box"]),
        "name: \"local/box\"\nchild_types: [\"no\", \"fs-file\"]\n# may hold no, fs-file\n"
    );
    assert_eq!(here.json(&["type", "show", "fs-file"])["children"], "no children");
    here.text(&["resource", "add", "local/box", "b"]);
    assert_eq!(here.refused(&["type", "rm", "local/box"]).1["code"], "type_in_use");
    here.text(&["resource", "rm", "b"]);
    here.text(&["type", "rm", "local/box"]);
    assert_eq!(here.refused(&["type", "show", "local/box"]).1["code"], "type_not_found");
}

#[test]
fn names_from_files_never_steer_a_terminal() {
    let here = here();
    let file = here.path().join("w/\u{1b}[31mred\nline");
    std::fs::write(file, "").unwrap();
    let said = here.text(&["resource", "discover", "local/w"]);
    assert!(said.contains("local/w/\\x1b[31mred\\nline") && !said.contains('\u{1b}'), "{said}");
}

#[cfg(unix)]
#[test]
fn a_location_in_a_registry_is_not_opened_by_looking() {
    let here = here();
    let pipe = here.path().parent().unwrap().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let (places, outside) = (here.path().join(".dagwood/registry.db"), here.path().parent().unwrap().join("outside"));
    std::fs::create_dir_all(outside.join("inside")).unwrap();
    std::os::unix::fs::symlink(&outside, here.path().join("w/link")).unwrap();
    let connection = rusqlite::Connection::open(places).unwrap();
    // whoever waits for a pipe waits for ever
    connection.execute("UPDATE resources SET location = ?1", [pipe.to_str().unwrap()]).unwrap();
    for arguments in [
        &["resource", "show", "local/w"][..],
        &["resource", "list"],
        &["resource", "tree"],
        &["check", "--only", "resources"],
        &["export", "resources"],
    ] {
        here.text(arguments);
    }
    assert_eq!(here.refused(&["resource", "discover", "local/w"]).1["code"], "io");
    // and what is looked through when somebody asks for it stops at a link
    let place = here.path().join("w/../w");
    connection.execute("UPDATE resources SET location = ?1", [place.to_str().unwrap()]).unwrap();
    let found = here.json(&["resource", "discover", "local/w", "--recursive"]);
    assert!(found["skipped"].to_string().contains("symbolic link"), "{found}");
    assert!(!found.to_string().contains("inside"), "{found}");
}

#[test]
fn a_long_chain_is_a_deep_document_and_takes_no_stack() {
    let here = here();
    let registry = here.path().join(".dagwood/registry.db");
    let mut connection = rusqlite::Connection::open(registry).unwrap();
    let transaction = connection.transaction().unwrap();
    for at in 0..20_000 {
        let id = format!("02{at:024}");
        let sql =
            "INSERT INTO resources(resource_id, name, resource_type_name, created_at) VALUES(?, ?, 'fs-directory', '')";
        transaction.prepare_cached(sql).unwrap().execute((&id, format!("c{at}"))).unwrap();
        if at > 0 {
            let sql = "INSERT INTO resource_links VALUES(?, ?, '')";
            transaction.prepare_cached(sql).unwrap().execute((format!("02{:024}", at - 1), &id)).unwrap();
        }
    }
    transaction.commit().unwrap();
    drop(connection);
    let output = here.run(&["resource", "tree", "c0", "--json"]);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.matches("\"children\":[").count(), 19_999);
    assert_eq!(
        (text.matches('{').count(), text.matches('[').count()),
        (text.matches('}').count(), text.matches(']').count())
    );
    let (status, error) = here.refused(&["resource", "link", "c19999", "c0"]);
    assert_eq!((status, error["path"].as_array().unwrap().len()), (1, 20_001));
}

#[test]
fn what_another_program_broke_is_named_and_mended_by_choice() {
    let here = here();
    let registry = rusqlite::Connection::open(here.path().join(".dagwood/registry.db")).unwrap();
    registry.execute_batch("PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON").unwrap();
    registry
        .execute_batch(
            "INSERT INTO resource_links SELECT child_id, parent_id, '' FROM resource_links;
             INSERT INTO resource_links SELECT parent_id, '01NOSUCHRESOURCE0000000000', '' FROM resource_links LIMIT 1;",
        )
        .unwrap();
    let found = here.json(&["resource", "repair"]);
    let codes: Vec<&str> =
        found["findings"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["dangling-link", "cycle"]);
    let tree = here.json(&["resource", "tree"]);
    assert_eq!(tree["resources"], json!([]));
    assert_eq!(tree["cyclic"].as_array().unwrap().len(), 2);
    assert!(here.text(&["resource", "tree"]).contains("⟲ cycle"));
    let removed = here.json(&["resource", "repair", "--remove-dangling"]);
    assert_eq!(removed["removed"][0]["child"]["id"], "01NOSUCHRESOURCE0000000000");
    here.json(&["resource", "repair", "--break", "local/src", "local/w"]);
    assert_eq!(here.text(&["resource", "repair"]), "nothing to repair\n");
    assert_eq!(names(&here.json(&["resource", "children", "local/w"])), ["local/src"]);
}

#[test]
fn a_discovery_of_several_transactions_is_undone_and_redone_as_one() {
    let here = Here::new();
    for nth in 0..20_005 {
        here.write(&format!("many/f{nth:05}"), "");
    }
    here.text(&["resource", "add", "fs-directory", "many", "--location", "many"]);
    let count = || here.json(&["resource", "list"])["resources"].as_array().unwrap().len();
    here.text(&["resource", "discover", "many"]);
    assert_eq!(count(), 20_006);
    let planned = here.text(&["undo", "--dry-run"]);
    for said in [
        "would undo “discover many (1 of 2)”",
        "  5 resources removed · 5 links removed\n  - resource many/f20000 (fs-file)\n",
        "  and with it “discover many (1 of 2)”, written: 20,000 resources added · 20,000 links added\n",
    ] {
        assert!(planned.contains(said), "{said}\n{planned}");
    }
    here.text(&["undo"]);
    assert_eq!(count(), 1);
    let planned = here.text(&["redo", "--dry-run"]);
    assert!(planned.contains("  + resource many/f00019 (fs-file)\n  and 39,980 more\n"), "{planned}");
    here.text(&["redo"]);
    assert_eq!(count(), 20_006);
    here.text(&["undo"]);
    here.text(&["undo"]);
    assert_eq!(count(), 0);
    assert_eq!(here.refused(&["undo"]).1["code"], "nothing_to_undo");
}

#[test]
fn a_registry_that_is_gone_is_not_made_by_undoing() {
    let here = here();
    std::fs::remove_dir_all(here.path().join(".dagwood")).unwrap();
    let (status, error) = here.refused(&["undo"]);
    assert_eq!((status, &error["code"]), (1, &json!("changed_since")));
    assert!(!here.path().join(".dagwood").exists());
}

#[test]
fn types_match_by_their_exact_name() {
    let here = Here::with(&[("b.yaml", "name: local/b\ninherits: container-instance\n")]);
    here.text(&["type", "add", "b.yaml"]);
    here.text(&["resource", "add", "container-instance", "one"]);
    here.text(&["resource", "add", "local/b", "two"]);
    assert_eq!(names(&here.json(&["resource", "list", "--type", "container-instance"])), ["one"]);
    let said = here.text(&["resource", "list", "--type", "container-instance"]);
    assert!(said.starts_with("exact type container-instance\n") && !said.contains("two"), "{said}");
}

#[test]
fn started_elsewhere_all_names_are_meant_from_there() {
    let here = Here::with(&[("sub/dir/f", ""), ("sub/box.yaml", "name: local/box\n")]);
    let sub = |arguments: &[&str]| here.text(&[&["-C", "sub", "--registry", "own.db"], arguments].concat());
    sub(&["type", "add", "box.yaml"]);
    sub(&["resource", "add", "fs-directory", "d", "--location", "dir"]);
    sub(&["resource", "discover", "d"]);
    assert!(here.path().join("sub/own.db").is_file() && !here.path().join("sub/.dagwood").exists());
    assert_eq!(sub(&["resource", "children", "d"]).lines().count(), 1);
    sub(&["undo"]);
    assert_eq!(sub(&["resource", "children", "d"]), "d has no children\n");
}
