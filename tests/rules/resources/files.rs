//! Every file opens, or says why not; nothing is changed by looking.

use std::fs;
use std::time::Duration;

use dagwood::error::{Code, Coded};
use dagwood::resources::walk::{Mark, Walk};
use dagwood::resources::{
    BUSY_WAIT, Brief, Direction, ForeignWrites, Node, Opening, Operation, Registry, doctor, place,
};

use super::store::{Store, chain, ladder, quick};

fn codes(store: &Store) -> Vec<String> {
    doctor::findings(&store.registry).unwrap().into_iter().map(|found| found.code).collect()
}

fn labels(nodes: &[Node]) -> Vec<String> {
    nodes.iter().map(|node| node.resource.label()).collect()
}

#[test]
fn a_missing_registry_is_empty_and_is_not_made() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(".dagwood/registry.db");
    let registry = Registry::open_to_read(&file, BUSY_WAIT).unwrap();
    assert!(registry.is_missing());
    assert_eq!(registry.counts().unwrap().resources, 0);
    assert_eq!(registry.type_rows().unwrap().len(), 15, "the built-in types");
    assert!(doctor::findings(&registry).unwrap().is_empty());
    assert!(fs::read_dir(dir.path()).unwrap().next().is_none(), "nothing was made");
}

#[test]
fn the_first_write_makes_it_and_keeps_it_out_of_git() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(".dagwood/registry.db");
    drop(Registry::open_to_write(&file, Opening::default()).unwrap());
    assert_eq!(fs::read_to_string(dir.path().join(".dagwood/.gitignore")).unwrap(), "*\n");
    let mut names: Vec<_> =
        fs::read_dir(dir.path().join(".dagwood")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".gitignore", "registry.db"]);
}

#[test]
fn the_nearest_registry_on_the_way_up_is_the_one() {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path();
    let deep = top.join("a/b");
    fs::create_dir_all(&deep).unwrap();
    assert_eq!(place(&deep, None, None), deep.join(".dagwood/registry.db"));
    assert_eq!(place(&deep, Some(top), None), top.join(".dagwood/registry.db"));
    fs::create_dir_all(top.join("a/.dagwood")).unwrap();
    fs::write(top.join("a/.dagwood/registry.db"), "").unwrap();
    assert_eq!(place(&deep, Some(top), None), top.join("a/.dagwood/registry.db"));
    assert_eq!(place(&deep, Some(top), Some("x.db".as_ref())), deep.join("x.db"));
    assert_eq!(place(&deep, None, Some(top)), top, "an absolute name is meant as it is");
}

#[test]
fn two_that_make_it_at_once_share_it() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join(".dagwood/registry.db");
    std::thread::scope(|scope| {
        for nth in 0..8 {
            let file = &file;
            scope.spawn(move || {
                let mut registry = Registry::open_to_write(file, Opening::default()).unwrap();
                let new = dagwood::resources::NewResource {
                    type_name: "fs-file".into(),
                    name: Some(format!("n{nth}")),
                    ..Default::default()
                };
                registry.add(new).unwrap();
            });
        }
    });
    let registry = Registry::open_to_read(&file, BUSY_WAIT).unwrap();
    assert_eq!(registry.counts().unwrap().resources, 8);
}

#[test]
fn what_is_no_registry_is_said_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("text.db"), "not a database, but long enough to have a header of its own, as it were").unwrap();
    fs::create_dir(at("folder.db")).unwrap();
    rusqlite::Connection::open(at("other.db")).unwrap().execute_batch("CREATE TABLE a(b)").unwrap();
    drop(Registry::open_to_write(&at("newer.db"), quick()).unwrap());
    rusqlite::Connection::open(at("newer.db")).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let cases = [
        ("text.db", Code::NotADatabase),
        ("folder.db", Code::NotADatabase),
        ("other.db", Code::NotADatabase),
        ("newer.db", Code::NewerVersion),
    ];
    for (name, code) in cases {
        let file = at(name);
        let before = fs::read(&file).ok();
        assert_eq!(Registry::open_to_read(&file, BUSY_WAIT).unwrap_err().code(), code, "{name}");
        assert_eq!(Registry::open_to_write(&file, Opening::default()).unwrap_err().code(), code, "{name}");
        assert_eq!(fs::read(&file).ok(), before, "{name}");
    }
}

#[test]
fn an_empty_file_is_an_empty_registry() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("registry.db");
    fs::write(&file, "").unwrap();
    assert_eq!(Registry::open_to_read(&file, BUSY_WAIT).unwrap().counts().unwrap().resources, 0);
    assert_eq!(fs::read(&file).unwrap(), b"");
    let registry = Registry::open_to_write(&file, Opening::default()).unwrap();
    assert_eq!(registry.type_rows().unwrap().len(), 15);
}

#[test]
fn a_locked_one_is_busy() {
    let mut store = Store::with("D1 D2");
    let other = rusqlite::Connection::open(store.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let opening = Opening { wait: Duration::from_millis(20), ..Opening::default() };
    let file = store.file();
    store.registry = Registry::open_to_write(&file, opening).unwrap();
    let error = store.link("D1", "D2").unwrap_err();
    assert_eq!(error.code(), Code::Busy);
    assert!(error.to_string().starts_with("another program is writing "), "{error}");
    other.execute_batch("COMMIT").unwrap();
    store.link("D1", "D2").unwrap();
}

#[test]
fn another_connections_commit_shows() {
    let mut store = Store::with("D1 D2");
    let looking = Registry::open_to_read(&store.file(), BUSY_WAIT).unwrap();
    let before = looking.data_version().unwrap();
    assert_eq!(looking.data_version().unwrap(), before);
    store.link("D1", "D2").unwrap();
    assert_ne!(looking.data_version().unwrap(), before);
}

#[test]
fn a_link_from_nowhere_makes_nothing_a_child() {
    let store = Store::with("D1 D2 D3 D4 D5");
    store.force("01NOSUCHRESOURCE0000000000", "D2");
    store.force("01NOSUCHRESOURCE0000000000", "D3");
    store.force("01NOSUCHRESOURCE0000000001", "D3");
    store.force("D1", "D3");
    store.force("D4", "D4");
    assert_eq!(labels(&store.registry.roots().unwrap()), ["D1", "D2", "D5"]);
    assert_eq!(labels(&store.registry.orphans().unwrap()), ["D2", "D5"]);
    assert_eq!(store.registry.counts().unwrap().roots, 3);
}

#[test]
fn what_others_broke_opens_and_is_named() {
    let mut store = Store::linked("D1>D2");
    store.force("D2", "D1");
    store.force("D1", "D1");
    store.force("D2", "01NOSUCHRESOURCE0000000000");
    store.behind_its_back("UPDATE resources SET resource_type_name = 'local/gone' WHERE name = 'D2'");
    store.behind_its_back(
        "INSERT INTO resources(resource_id, name, resource_type_name, created_at) VALUES('abcdefghijklmnopqrstuvwxyz', 'odd', 'fs-file', '')",
    );
    store.behind_its_back(
        "UPDATE resource_types SET spec_json = '{\"child_types\": [\"local/nope\", \"none\"]}' WHERE name = 'fs-file'",
    );
    let mut found = codes(&store);
    found.sort();
    assert_eq!(
        found,
        [
            "child-type-missing",
            "cycle",
            "dangling-link",
            "incompatible-link",
            "not-a-ulid",
            "self-link",
            "type-missing"
        ]
    );
    let cyclic = store.registry.cyclic_group().unwrap();
    assert_eq!(labels(&cyclic), ["D1", "D2"]);
    // one look tells both
    let examined = doctor::examine(&store.registry).unwrap();
    assert_eq!((examined.findings, examined.cyclic), (doctor::findings(&store.registry).unwrap(), cyclic));
    assert_eq!(labels(&store.registry.roots().unwrap()), ["odd"]);
    assert_eq!(store.children("D2"), "D1", "a link to nothing is no child");
    assert_eq!(store.registry.node(&store.id("D2")).unwrap().child_count, 1, "counts agree with lists");
    assert_eq!(
        store.registry.find("ABCDEFGHIJKLMNOPQRSTUVWXYZ", dagwood::resources::Role::Resource).unwrap_err().code(),
        Code::ResourceNotFound
    );
    assert!(store.registry.detail(&store.id("D2")).unwrap().type_problem.is_some());
    let of = |name: &str| {
        let detail = store.registry.detail(&store.id(name)).unwrap();
        detail.findings.into_iter().map(|found| found.code).collect::<Vec<_>>()
    };
    assert_eq!(of("D1"), ["self-link", "cycle"]);
    assert_eq!(of("D2"), ["type-missing", "dangling-link", "cycle"]);
    assert!(of("odd").is_empty());
    // mended by choice, one thing at a time
    store.registry.carry_out(&Operation::RemoveDangling).unwrap();
    let one = store.id("D1");
    store.registry.carry_out(&Operation::Break(one.clone(), one.clone())).unwrap();
    let two = store.id("D2");
    store.registry.carry_out(&Operation::Break(two.clone(), one.clone())).unwrap();
    assert_eq!(store.registry.carry_out(&Operation::Break(one, two)).unwrap_err().code(), Code::InvalidInput);
    assert!(!codes(&store).iter().any(|code| ["cycle", "dangling-link", "self-link"].contains(&code.as_str())));
}

#[test]
fn a_tree_opens_each_node_once() {
    let store = Store::linked("D0>D1 D0>D2 D1>D3 D2>D3 D3>D4");
    let tops = vec![store.registry.node(&store.id("D0")).unwrap()];
    let walk = Walk::new(tops, None, |id| store.registry.get_children(id));
    let steps: Vec<String> = walk
        .map(|step| step.unwrap())
        .map(|step| {
            format!("{}{}{}", step.depth, step.node.resource.label(), if step.mark == Mark::Repeat { "*" } else { "" })
        })
        .collect();
    assert_eq!(steps, ["0D0", "1D1", "2D3", "3D4", "1D2", "2D3*"]);
}

#[test]
fn a_tree_of_a_cycle_and_of_a_long_chain_ends() {
    let store = Store::linked("D1>D2");
    store.force("D2", "D1");
    store.force("D1", "D1");
    let tops = store.registry.cyclic_group().unwrap();
    let marks: Vec<Mark> =
        Walk::new(tops, None, |id| store.registry.get_children(id)).map(|step| step.unwrap().mark).collect();
    assert_eq!(marks, [Mark::Open, Mark::Cycle, Mark::Open, Mark::Cycle, Mark::Repeat]);
    let long = chain(20_000);
    let walk = Walk::new(long.registry.roots().unwrap(), None, |id| long.registry.get_children(id));
    assert_eq!(walk.count(), 20_000);
}

#[test]
fn a_ladder_is_as_long_as_its_links() {
    let store = ladder(24);
    let walk = Walk::new(store.registry.roots().unwrap(), None, |id| store.registry.get_children(id));
    assert_eq!(walk.count(), 2 + 23 * 4);
    assert_eq!(store.registry.descendants(&store.id("D00a"), 1_000).unwrap(), 46);
    assert_eq!(store.registry.descendants(&store.id("D00a"), 10).unwrap(), 10);
}

#[test]
fn the_picker_leaves_out_what_would_close_a_cycle_and_says_why_not() {
    let mut store = Store::linked("D1>D2 D2>D3");
    for name in ["D4", "F1", "G1"] {
        store.add(name);
    }
    let picked = |id: &str, direction, filter: &str| -> Vec<String> {
        let candidates = store.registry.candidates(&store.id(id), direction, filter, 10).unwrap();
        candidates
            .iter()
            .map(|one| match &one.reason {
                None => one.resource.resource.label(),
                Some(reason) => format!("{} ({})", one.resource.resource.label(), reason.split(':').next().unwrap()),
            })
            .collect()
    };
    assert_eq!(picked("D2", Direction::Children, ""), ["D4", "F1", "D3 (already a child)", "G1 (type not allowed)"]);
    assert_eq!(picked("D2", Direction::Children, "f"), ["F1"]);
    assert_eq!(picked("D2", Direction::Parents, "d"), ["D4", "D1 (already a parent)"]);
    // what it offers is never refused
    for one in ["D1", "D2", "D3", "D4", "G1"] {
        for candidate in store.registry.candidates(&store.id(one), Direction::Children, "", 10).unwrap() {
            let plan = store.registry.plan(&Operation::Link(store.id(one), candidate.resource.resource.id.clone()));
            assert_eq!(plan.is_ok(), candidate.reason.is_none(), "{one} {candidate:?}");
        }
    }
}

#[test]
fn a_wide_node_is_read_whole_and_searched() {
    const CHILDREN: usize = 50_000;
    let store = chain(CHILDREN + 1);
    store.behind_its_back(
        "UPDATE OR REPLACE resource_links SET parent_id = (SELECT resource_id FROM resources WHERE name = 'D0')",
    );
    let top = store.id("D0");
    let children = store.registry.get_children(&top).unwrap();
    assert_eq!(children.len(), CHILDREN);
    assert!(children.is_sorted_by(|a, b| a.resource.name < b.resource.name));
    assert!(children.iter().all(|child| (child.parent_count, child.child_count) == (1, 0)));
    assert_eq!(store.registry.node(&top).unwrap().child_count, CHILDREN as u64);
    let found = store.registry.candidates(&top, Direction::Children, "4999", 100).unwrap();
    // D4999, D49990 to D49999, and D14999 to D44999
    assert_eq!(found.len(), 15);
    assert!(found.iter().all(|one| one.reason.as_deref() == Some("already a child")));
}

#[test]
fn a_copy_from_a_dump_has_lost_its_marks_and_is_ours_all_the_same() {
    let store = Store::with("D1 D2");
    store.behind_its_back("PRAGMA application_id = 0; PRAGMA user_version = 0");
    let registry = Registry::open_to_write(&store.file(), quick()).unwrap();
    let mut store = Store { registry, ..store };
    assert!(!store.registry.is_foreign());
    store.link("D1", "D2").unwrap();
    store.set_type("name: local/new");
}

#[test]
fn a_file_that_a_program_left_in_the_middle_is_not_read_as_it_lies() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("half.db");
    let original = foreign();
    {
        let mut connection = rusqlite::Connection::open(original.file()).unwrap();
        connection.pragma_update(None, "cache_size", 1).unwrap();
        connection.pragma_update(None, "cache_spill", 1).unwrap();
        let transaction = connection.transaction().unwrap();
        for nth in 0..2_000 {
            let sql = "INSERT INTO resources VALUES(?, ?, 'fs-file', 'p', ?, NULL, NULL, 0, 'x', 'x')";
            transaction.execute(sql, (format!("01{nth:024}"), format!("n{nth}"), "x".repeat(200))).unwrap();
        }
        // as a kill at this moment leaves it: the file half written, its journal beside it
        let journal = original.file().with_file_name("original.db-journal");
        fs::copy(original.file(), &file).unwrap();
        fs::copy(journal, dir.path().join("half.db-journal")).unwrap();
        transaction.rollback().unwrap();
    }
    let error = Registry::open_to_read(&file, BUSY_WAIT).unwrap_err();
    assert_eq!(error.code(), Code::Corrupt);
    assert!(error.to_string().contains("in the middle of writing"), "{error}");
    // somebody who may write it makes it whole
    rusqlite::Connection::open(&file).unwrap().query_row("SELECT count(*) FROM resources", [], |_| Ok(())).unwrap();
    assert_eq!(Registry::open_to_read(&file, BUSY_WAIT).unwrap().counts().unwrap().resources, 2);
}

/// A registry as the original program makes it.
fn foreign() -> Store {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("original.db");
    rusqlite::Connection::open(&file)
        .unwrap()
        .execute_batch(
            "CREATE TABLE alembic_version(version_num VARCHAR(32) NOT NULL);
             INSERT INTO alembic_version VALUES('m9');
             CREATE TABLE resource_types(name VARCHAR(255) PRIMARY KEY, description TEXT, resource_kind VARCHAR(20),
               child_types TEXT, auto_discovery TEXT, created_at VARCHAR(30));
             INSERT INTO resource_types VALUES('fs-directory', NULL, 'physical',
               '[\"fs-file\", {\"type\": \"fs-directory\", \"auto_discover\": true}]',
               '{\"enabled\": true, \"rules\": [{\"type\": \"fs-file\", \"pattern\": \"*\"}]}', NULL);
             INSERT INTO resource_types VALUES('fs-file', 'a file', 'physical', '[\"none\"]', NULL, NULL);
             INSERT INTO resource_types VALUES('any', NULL, NULL, NULL, NULL, NULL);
             CREATE TABLE resources(resource_id VARCHAR(26) PRIMARY KEY, name VARCHAR(255), type_name VARCHAR(255) NOT NULL,
               resource_kind VARCHAR(20) NOT NULL, location TEXT, description TEXT, properties_json TEXT,
               auto_discovered BOOLEAN, created_at VARCHAR(30) NOT NULL, updated_at VARCHAR(30) NOT NULL);
             CREATE TABLE resource_links(parent_id VARCHAR(26), child_id VARCHAR(26), created_at VARCHAR(30),
               PRIMARY KEY(parent_id, child_id));
             INSERT INTO resources VALUES('01AAAAAAAAAAAAAAAAAAAAAAAA', 'local/top', 'fs-directory', 'physical', '/t', NULL, NULL, 0, 'x', 'x');
             INSERT INTO resources VALUES('01BBBBBBBBBBBBBBBBBBBBBBBB', 'local/file', 'fs-file', 'physical', NULL, NULL, NULL, 1, 'x', 'x');
             INSERT INTO resource_links VALUES('01AAAAAAAAAAAAAAAAAAAAAAAA', '01BBBBBBBBBBBBBBBBBBBBBBBB', NULL);",
        )
        .unwrap();
    let registry = Registry::open_to_read(&file, BUSY_WAIT).unwrap();
    Store { dir, registry }
}

#[test]
fn a_registry_of_the_original_program_is_read_as_it_is() {
    let store = foreign();
    assert!(store.registry.is_foreign());
    assert_eq!(store.children("local/top"), "local/file");
    let kind = store.registry.resource_type("fs-directory").unwrap();
    assert_eq!(kind.child_type_names().collect::<Vec<_>>(), ["fs-file", "fs-directory"]);
    assert_eq!(kind.rules().len(), 1);
    assert_eq!(store.registry.resource_type("any").unwrap().children_text(), "any", "NULL means any");
    assert_eq!(codes(&store), ["foreign-registry"]);
}

#[test]
fn a_file_with_fewer_columns_is_read_and_one_with_too_few_is_no_registry() {
    let dir = tempfile::tempdir().unwrap();
    let make = |name: &str, columns: &str| {
        let file = dir.path().join(name);
        let sql = format!(
            "CREATE TABLE resources({columns}); CREATE TABLE resource_types(name); CREATE TABLE resource_links(parent_id, child_id, created_at);"
        );
        rusqlite::Connection::open(&file).unwrap().execute_batch(&sql).unwrap();
        file
    };
    let file = make("few.db", "resource_id, name, type_name");
    rusqlite::Connection::open(&file)
        .unwrap()
        .execute_batch("INSERT INTO resources VALUES('a', 'top', 't'), ('b', 'low', 't'); INSERT INTO resource_links VALUES('a', 'b', NULL); INSERT INTO resource_types VALUES('t')")
        .unwrap();
    let mut store = Store {
        registry: Registry::open_to_write(&file, Opening { foreign: ForeignWrites::Allowed, ..quick() }).unwrap(),
        dir,
    };
    assert_eq!(store.children("top"), "low");
    store.make("t", "new", None);
    store.link("low", "new").unwrap();
    assert_eq!(store.cycle("new", "top"), "top,low,new,top");
    assert_eq!(store.registry.auto_discover_children(&store.id("top")).unwrap(), []);
    assert!(store.registry.detail(&store.id("top")).unwrap().findings.is_empty());
    let file = store.dir.path().join("too-few.db");
    let sql = "CREATE TABLE resources(a); CREATE TABLE resource_types(b); CREATE TABLE resource_links(c);";
    rusqlite::Connection::open(&file).unwrap().execute_batch(sql).unwrap();
    assert_eq!(Registry::open_to_read(&file, BUSY_WAIT).unwrap_err().code(), Code::NotADatabase);
}

#[test]
fn it_is_written_only_when_allowed_and_keeps_its_ways() {
    let store = foreign();
    let file = store.file();
    let before = fs::read(&file).unwrap();
    assert_eq!(Registry::open_to_write(&file, Opening::default()).unwrap_err().code(), Code::ReadOnly);
    assert_eq!(fs::read(&file).unwrap(), before);
    let opening = Opening { foreign: ForeignWrites::Allowed, ..Opening::default() };
    let registry = Registry::open_to_write(&file, opening).unwrap();
    let mut store = Store { registry, ..store };
    store.make("fs-directory", "local/new", None);
    store.link("local/top", "local/new").unwrap();
    assert_eq!(store.link("local/new", "local/top").unwrap_err().code(), Code::CycleDetected);
    assert_eq!(store.children("local/top"), "local/file local/new");
    let types = Operation::AddTypes(vec![super::store::a_type("name: local/x")], dagwood::resources::AddTypes::Refuse);
    assert_eq!(store.registry.carry_out(&types).unwrap_err().code(), Code::ReadOnly);
    let connection = rusqlite::Connection::open(&file).unwrap();
    let pragma =
        |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0)).unwrap();
    assert_eq!(pragma("user_version"), 0.into());
    assert_eq!(pragma("journal_mode"), "delete".to_owned().into());
    let updated: String = connection
        .query_row("SELECT updated_at FROM resources WHERE name = 'local/new'", [], |row| row.get(0))
        .unwrap();
    assert!(!updated.is_empty());
}

#[test]
fn what_is_removed_from_it_and_undone_is_as_it_was_in_every_column() {
    let store = foreign();
    let file = store.file();
    let row = || {
        let connection = rusqlite::Connection::open(&file).unwrap();
        let sql = "SELECT quote(extra) || quote(updated_at) || quote(resource_kind) || quote(location) FROM resources \
                   WHERE name = 'local/top'";
        connection.query_row(sql, [], |row| row.get::<_, String>(0)).ok()
    };
    let connection = rusqlite::Connection::open(&file).unwrap();
    connection.execute_batch("ALTER TABLE resources ADD COLUMN extra; UPDATE resources SET extra = X'00FF'").unwrap();
    drop(connection);
    let before = row();
    let journal = dagwood::edit::Journal::at(&store.dir.path().join("state"), store.dir.path());
    let opening = Opening { foreign: ForeignWrites::Allowed, journal: Some(journal.clone()), ..quick() };
    let mut registry = Registry::open_to_write(&file, opening).unwrap();
    let top = store.id("local/top");
    registry.carry_out(&Operation::Remove(top, dagwood::resources::LinksToo::Remove)).unwrap();
    assert_eq!(row(), None);
    let rows = journal.to_undo().unwrap().rows.unwrap();
    registry.revert(&rows, dagwood::resources::Turn::Undo).unwrap();
    assert_eq!(row(), before);
    assert_eq!(store.children("local/top"), "local/file");
    let connection = rusqlite::Connection::open(&file).unwrap();
    let nulls = "SELECT count(*) FROM resource_links WHERE created_at IS NULL";
    assert_eq!(connection.query_row(nulls, [], |row| row.get::<_, i64>(0)).unwrap(), 1);
}

#[test]
fn any_value_in_any_column_of_another_programs_file_is_read() {
    let store = foreign();
    rusqlite::Connection::open(store.file())
        .unwrap()
        .execute_batch(
            "INSERT INTO resources VALUES(42, X'FF00', 3.5, 'p', X'00', 7, 8, 'yes', 9, 'x');
             INSERT INTO resources VALUES(NULL, NULL, 'fs-file', 'p', NULL, NULL, NULL, NULL, 'x', 'x');
             INSERT INTO resource_links VALUES(NULL, 42, 1);
             INSERT INTO resource_links VALUES(7, 42, NULL);
             UPDATE resource_types SET child_types = 'not json', auto_discovery = '[]' WHERE name = 'any';",
        )
        .unwrap();
    assert_eq!(store.registry.list(None).unwrap().len(), 4);
    store.registry.roots().unwrap();
    store.registry.cyclic_group().unwrap();
    let found = codes(&store);
    for code in ["type-unreadable", "dangling-link", "type-missing", "not-a-ulid"] {
        assert!(found.iter().any(|found| found == code), "{code} in {found:?}");
    }
}

#[test]
fn what_one_registry_exports_another_imports() {
    let store = Store::linked("D1>D2 D1>D3 D2>F1");
    let mut text = Vec::new();
    dagwood::resources::export::json(&store.registry, &mut text).unwrap();
    let document = dagwood::resources::export::Document::parse(&text).unwrap();
    let mut other = Store::empty();
    other.registry.carry_out(&Operation::Import(document.clone())).unwrap();
    assert_eq!(other.registry.list(None).unwrap(), store.registry.list(None).unwrap());
    let again = other.registry.carry_out(&Operation::Import(document.clone())).unwrap();
    assert!(again.changes.is_empty(), "{again:?}");
    // a link that would close a cycle refuses the whole
    let mut cyclic = document;
    let (parent_id, child_id) = (store.id("D2"), store.id("D1"));
    cyclic.links.push(dagwood::resources::Link { parent_id, child_id, created_at: String::new() });
    let mut third = Store::empty();
    assert_eq!(third.registry.carry_out(&Operation::Import(cyclic)).unwrap_err().code(), Code::CycleDetected);
    assert_eq!(third.registry.counts().unwrap().resources, 0);
}

#[test]
fn pictures_quote_any_name() {
    let mut store = Store::linked("D1>D2");
    store.make("fs-file", "a\"b\\<c>\n\u{1b}", None);
    let mut out = Vec::new();
    dagwood::resources::export::dot(&store.registry, &mut out).unwrap();
    let dot = String::from_utf8(out).unwrap();
    assert!(dot.contains(&format!("\"{}\" -> \"{}\";", store.id("D1"), store.id("D2"))), "{dot}");
    assert!(dot.contains(r#"a\"b\\<c>\n\\x1b"#), "{dot}");
    let mut out = Vec::new();
    dagwood::resources::export::mermaid(&store.registry, &mut out).unwrap();
    let mermaid = String::from_utf8(out).unwrap();
    assert!(mermaid.contains("a&quot;b\\&lt;c&gt;\\n\\x1b"), "{mermaid}");
}

/// A node of 3,000 children, written at once: some shared, some with children, some with links from and to nowhere.
fn wide(elsewhere: usize) -> Store {
    let store = chain(3_001 + elsewhere);
    let id = |at: usize| format!("01{at:024}");
    let mut sql = String::from("BEGIN; DELETE FROM resource_links;");
    let mut link = |parent: &str, child: &str| {
        let values = format!("('{parent}', '{child}', '2026-01-01T00:00:00Z')");
        sql += "INSERT OR IGNORE INTO resource_links VALUES";
        sql += &values;
        sql += ";";
    };
    for at in 1..=3_000 {
        link(&id(0), &id(at));
        match at % 100 {
            1 => link(&id(at - 1), &id(at)),
            2 => link("01GONE", &id(at)),
            3 => link(&id(at), "01GONE"),
            4 => link(&id(at), &id(at)),
            _ => {}
        }
    }
    // links of others that lie between those of the children
    for at in 3_001..3_001 + elsewhere {
        link(&id(at), &id(1 + at % 3_000));
        link(&id(1 + at % 2_999), &id(at));
    }
    store.behind_its_back(&(sql + "COMMIT"));
    store
}

#[test]
fn a_wide_node_is_told_in_brief_as_it_is_told_in_full() {
    for elsewhere in [0, 500, 5_000] {
        let store = wide(elsewhere);
        let top = store.id("D0");
        let full: Vec<Brief> = store.registry.get_children(&top).unwrap().into_iter().map(Brief::from).collect();
        assert!(full.iter().any(|child| child.parent_count > 1) && full.iter().any(|child| child.has_children));
        assert_eq!(store.registry.children_in_brief(&top).unwrap(), full, "{elsewhere} elsewhere");
    }
}
