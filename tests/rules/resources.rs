//! Links, cycles and unlinking: `docs/rules/resources.md`.

mod discovery;
mod files;
mod removing;
mod store;
mod type_files;
mod writers;

use dagwood::error::{Code, Coded};
use dagwood::resources::graph::PathCount;
use dagwood::resources::{Error, ResourceId, Role, doctor, path_text};

use store::{Store, chain, ladder};

#[test]
fn l1() {
    let mut store = Store::with("D1 D2");
    store.link("D1", "D2").unwrap();
    assert_eq!((store.children("D1"), store.parents("D2")), ("D2".into(), "D1".into()));
    assert_eq!(store.registry.counts().unwrap().links, 1);
    let exported = export(&store);
    let created_at = exported.links[0].created_at.as_str();
    assert!(created_at.len() <= 30 && created_at.parse::<jiff::Timestamp>().is_ok(), "{created_at}");
}

fn export(store: &Store) -> dagwood::resources::export::Document {
    let mut text = Vec::new();
    dagwood::resources::export::json(&store.registry, &mut text).unwrap();
    dagwood::resources::export::Document::parse(&text).unwrap()
}

fn missing(store: &mut Store, parent: &str, child: &str) -> (Role, String) {
    match store.link(parent, child).unwrap_err() {
        Error::ResourceNotFound { role, asked, .. } => (role, asked),
        other => panic!("{other}"),
    }
}

#[test]
fn l2() {
    assert_eq!(missing(&mut Store::with("D1"), "nope", "D1"), (Role::Parent, "nope".into()));
}

#[test]
fn l3() {
    assert_eq!(missing(&mut Store::with("D1"), "D1", "nope"), (Role::Child, "nope".into()));
}

#[test]
fn l4() {
    assert_eq!(missing(&mut Store::empty(), "nope1", "nope2"), (Role::Parent, "nope1".into()));
}

#[test]
fn l5() {
    let mut store = Store::with("G1 F1");
    match store.link("G1", "F1").unwrap_err() {
        Error::TypeIncompatible { parent_type, child_type, allowed } => {
            assert_eq!((parent_type.as_str(), child_type.as_str()), ("git-checkout", "fs-file"));
            assert_eq!(allowed, ["git", "fs-directory"]);
        }
        other => panic!("{other}"),
    }
    assert_eq!(
        store.link("G1", "F1").unwrap_err().to_string(),
        "git-checkout cannot contain fs-file (allowed: git, fs-directory)"
    );
}

#[test]
fn l6() {
    let mut store = Store::linked("D1>D2");
    assert_eq!(store.refused("D1", "D2"), Code::DuplicateLink);
    assert_eq!(store.link("D1", "D2").unwrap_err().to_string(), "D2 is already a child of D1");
}

#[test]
fn l7() {
    assert_eq!(Store::linked("D1>D2").cycle("D2", "D1"), "D1,D2,D1");
}

#[test]
fn l8() {
    assert_eq!(Store::with("D1").cycle("D1", "D1"), "D1,D1");
}

#[test]
fn l9() {
    assert_eq!(Store::with("G1").refused("G1", "G1"), Code::TypeIncompatible);
}

#[test]
fn l10() {
    let mut store = Store::linked("G1>D1");
    store.set_type("name: git-checkout\nchild_types: [git]");
    assert_eq!(store.refused("G1", "D1"), Code::TypeIncompatible);
    assert_eq!(store.children("G1"), "D1", "the old link stays");
    let found = doctor::findings(&store.registry).unwrap();
    assert!(found.iter().any(|found| found.code == "incompatible-link"), "{found:?}");
}

#[test]
fn l11() {
    let mut store = Store::with("B1 F1 G1");
    store.link("B1", "F1").unwrap();
    store.link("B1", "G1").unwrap();
    assert_eq!(store.children("B1"), "F1 G1");
}

#[test]
fn l12() {
    for spec in [r#"{"name": "local/any-box", "child_types": null}"#, r#"{"name": "local/any-box"}"#, "{}"] {
        let mut store = Store::with("B1 F1");
        store.behind_its_back(&format!("UPDATE resource_types SET spec_json = '{spec}' WHERE name = 'local/any-box'"));
        store.link("B1", "F1").unwrap();
    }
}

#[test]
fn l13() {
    let mut store = Store::with("B1 F1");
    store.behind_its_back("DELETE FROM resource_types WHERE name = 'local/any-box'");
    assert_eq!(store.refused("B1", "F1"), Code::TypeNotFound);
}

#[test]
fn l13_a_type_that_cannot_be_read_is_never_any() {
    let mut store = Store::with("B1 F1");
    store.behind_its_back("UPDATE resource_types SET spec_json = 'nonsense' WHERE name = 'local/any-box'");
    assert_eq!(store.refused("B1", "F1"), Code::TypeNotFound);
    let found = doctor::findings(&store.registry).unwrap();
    assert!(found.iter().any(|found| found.code == "type-unreadable"), "{found:?}");
}

#[test]
fn l14() {
    let mut store = Store::linked("D1>D2 D2>D3");
    store.link("D1", "D3").unwrap();
    assert_eq!(store.parents("D3"), "D1 D2");
}

#[test]
fn c1() {
    let mut store = Store::linked("D1>D2 D2>D3");
    assert_eq!(store.cycle("D3", "D1"), "D1,D2,D3,D1");
    let text = store.link("D3", "D1").unwrap_err().to_string();
    assert_eq!(text, "cannot put D1 under D3: D1 already contains D3\nD1 -> D2 -> D3 -> D1");
}

#[test]
fn c1_only_the_path_is_named() {
    assert_eq!(Store::linked("D1>D2 D2>D3 D2>D4 D5>D1").cycle("D3", "D1"), "D1,D2,D3,D1");
}

#[test]
fn c2() {
    assert_eq!(Store::linked("D1>D2").cycle("D2", "D1"), "D1,D2,D1");
}

#[test]
fn c4() {
    assert_eq!(Store::linked("D1>D2 D1>D3 D2>D4 D3>D4").cycle("D4", "D1"), "D1,D2,D4,D1");
}

#[test]
fn c4b() {
    // A B C D E Z are 1 to 6
    assert_eq!(Store::linked("D1>D2 D2>D5 D5>D6 D1>D3 D3>D4 D4>D6").cycle("D6", "D1"), "D1,D3,D4,D6,D1");
}

#[test]
fn c5() {
    assert_eq!(Store::linked("D1>D2 D2>D3 D3>D4 D1>D4").cycle("D4", "D1"), "D1,D4,D1");
}

#[test]
fn c6() {
    Store::linked("D1>D2 D1>D3 D2>D4 D3>D4").link("D2", "D3").unwrap();
}

#[test]
fn c7() {
    let mut store = Store::linked("D1>D2 D3>D4");
    store.link("D2", "D3").unwrap();
    assert_eq!(store.cycle("D4", "D1"), "D1,D2,D3,D4,D1");
}

#[test]
fn c8() {
    const LENGTH: usize = 100_000;
    let mut store = chain(LENGTH);
    let (last, first) = (store.id(&format!("D{}", LENGTH - 1)), store.id("D0"));
    let Error::CycleDetected { path } = store.registry.link_child(&last, &first).unwrap_err() else { panic!() };
    assert_eq!(path.len(), LENGTH + 1);
    assert_eq!((&path[0].id, &path[LENGTH].id), (&first, &first));
    let text = path_text(&path);
    assert!(text.starts_with("D0 -> D1 -> D2 -> D3 -> D4 -> D5 -> ... 99,989 more ... -> D99995 -> "), "{text}");
}

#[test]
fn c9() {
    let mut store = ladder(24);
    let path = store.cycle("D23a", "D00a");
    assert_eq!(path.split(',').count(), 25);
    store.add("D99");
    store.link("D23a", "D99").unwrap();
    let paths = store.registry.paths(&store.id("D00a"), &store.id("D23a")).unwrap();
    assert_eq!(paths.shortest.len(), 24);
    assert_eq!(paths.all, PathCount { count: 1 << 22, more_than: false });
}

#[test]
fn c10() {
    let mut store = Store::with("D1 D2 D3");
    store.force("D1", "D2");
    store.force("D2", "D1");
    store.link("D1", "D3").unwrap();
    let found = doctor::findings(&store.registry).unwrap();
    let cycles: Vec<_> = found.iter().filter(|found| found.code == "cycle").collect();
    assert_eq!(cycles.len(), 1, "{found:?}");
    assert_eq!(cycles[0].message, "2 resources contain each other: D1 -> D2 -> D1");
}

#[test]
fn c11() {
    let mut store = Store::with("D1 D2");
    store.force("D1", "D2");
    store.force("D2", "D1");
    assert_eq!(store.cycle("D1", "D1"), "D1,D1");
}

#[test]
fn c12() {
    let mut store = Store::linked("D1>D2");
    store.unlink("D1", "D2").unwrap();
    store.link("D2", "D1").unwrap();
}

#[test]
fn c13() {
    let mut store = Store::empty();
    for count in 1..=200 {
        store.add(&format!("D{count}"));
        if count > 1 {
            store.link("D1", "D2").unwrap();
            store.unlink("D1", "D2").unwrap();
        }
    }
}

#[test]
fn u1() {
    let mut store = Store::linked("D1>D2");
    assert_eq!(store.unlink("D1", "D2").unwrap(), ["D2 becomes a root: it has no other parent"]);
    assert_eq!((store.children("D1"), store.parents("D2")), (String::new(), String::new()));
    assert_eq!(store.roots(), "D1 D2");
}

#[test]
fn u2() {
    let mut store = Store::linked("D1>D2");
    let error = store.unlink("D2", "D1").unwrap_err();
    assert!(matches!(&error, Error::LinkNotFound { reversed: true, .. }), "{error}");
    assert_eq!(error.to_string(), "D1 is not a child of D2 (D2 is a child of D1)");
    assert_eq!(store.children("D1"), "D2");
}

#[test]
fn u3() {
    let mut store = Store::linked("D1>D2");
    store.unlink("D1", "D2").unwrap();
    let error = store.unlink("D1", "D2").unwrap_err();
    assert!(matches!(error, Error::LinkNotFound { reversed: false, .. }), "{error}");
}

#[test]
fn u4() {
    let error = Store::with("D1").unlink("nope", "D1").unwrap_err();
    assert!(matches!(error, Error::ResourceNotFound { role: Role::Parent, .. }), "{error}");
}

#[test]
fn u5() {
    let disk = tempfile::tempdir().unwrap();
    std::fs::create_dir(disk.path().join("src")).unwrap();
    let mut store = Store::empty();
    store.set_type(
        "name: fs-directory\nchild_types: [fs-directory, fs-file]\nauto_discovery:\n  rules:\n    - {type: fs-directory, pattern: \"*/\"}",
    );
    let root = store.make("fs-directory", "D1", disk.path().to_str());
    store.registry.auto_discover_children(&root.id).unwrap();
    store.add("D3");
    store.link("D3", "D1/src").unwrap();
    assert!(store.unlink("D3", "D1/src").unwrap().is_empty(), "linked by hand, and not found below D3");
    let notes = store.unlink("D1", "D1/src").unwrap();
    let back = "the next discovery of D1 brings D1/src back: a rule of its type finds it there";
    assert_eq!(notes, [back, "D1/src becomes a root: it has no other parent"]);
    assert_eq!(store.children("D1"), "", "it is done all the same");
}

#[test]
fn neighbours_are_ordered_by_name_then_id() {
    let mut store = Store::with("D1 D9 D3 D2");
    for child in ["D9", "D3", "D2"] {
        store.link("D1", child).unwrap();
    }
    store.behind_its_back("UPDATE resources SET name = NULL WHERE name = 'D2'");
    let children = store.children("D1");
    assert!(children.starts_with("D3 D9 fs-directory …"), "{children}");
    let error = store.registry.get_children(&ResourceId::from("nope")).unwrap_err();
    assert_eq!(error.code(), Code::ResourceNotFound);
    assert_eq!(store.registry.get_parents(&ResourceId::from("nope")).unwrap_err().code(), Code::ResourceNotFound);
}

#[test]
fn a_missing_resource_comes_with_names_that_look_like_it() {
    let mut store = Store::empty();
    for name in ["local/api-repo", "local/api-repos", "local/docs"] {
        store.make("fs-directory", name, None);
    }
    let Error::ResourceNotFound { similar, .. } = store.registry.find("local/api-rep", Role::Resource).unwrap_err()
    else {
        panic!()
    };
    assert_eq!(similar, ["local/api-repo", "local/api-repos"]);
}

#[test]
fn the_id_comes_before_the_name_in_any_case() {
    let mut store = Store::with("D1 D2");
    let id = store.id("D1");
    assert_eq!(store.registry.find(&id.as_str().to_lowercase(), Role::Resource).unwrap().id, id);
    // another program named a resource like the id of one
    store.behind_its_back(&format!("UPDATE resources SET name = '{id}' WHERE name = 'D2'"));
    assert_eq!(store.registry.find(id.as_str(), Role::Resource).unwrap().name.as_deref(), Some("D1"));
    store.set_name_refused("D1", id.as_str());
}

impl Store {
    fn set_name_refused(&mut self, resource: &str, name: &str) {
        let set = dagwood::resources::SetResource { name: Some(name.to_owned()), ..Default::default() };
        let operation = dagwood::resources::Operation::Set(self.id(resource), set);
        assert_eq!(self.registry.carry_out(&operation).unwrap_err().code(), Code::InvalidInput);
    }
}

#[test]
fn ids_rise_within_a_registry_whatever_the_clock_says() {
    let mut store = Store::with("D1");
    // the newest id was made when the clock was ahead by some years, and another program's ids follow no clock
    let ahead = "03ZZZZZZZZZZZZZZZZZZZZZZZZ";
    store.behind_its_back(&format!("UPDATE resources SET resource_id = '{ahead}'"));
    store.behind_its_back(
        "INSERT INTO resources(resource_id, resource_type_name, created_at) VALUES('zzzzzzzzzzzzzzzzzzzzzzzzzz', 'fs-file', '')",
    );
    let ids: Vec<ResourceId> = ["D2", "D3"].map(|name| store.add(name).id).to_vec();
    assert!(ahead < ids[0].as_str() && ids[0] < ids[1], "{ids:?}");
    store.behind_its_back("UPDATE resources SET resource_id = '7ZZZZZZZZZZZZZZZZZZZZZZZZZ' WHERE name = 'D3'");
    store.add("D4");
}

#[test]
fn paths_are_counted_where_a_cycle_lies_on_the_way() {
    let mut store = Store::linked("D1>D2 D2>D3 D1>D3");
    let count = |store: &Store| store.registry.paths(&store.id("D1"), &store.id("D3")).unwrap().all;
    assert_eq!(count(&store), PathCount { count: 2, more_than: false });
    store.add("D4");
    store.force("D2", "D4");
    store.force("D4", "D2");
    let all = count(&store);
    assert!(all.more_than && all.count >= 1, "{all:?}");
    assert_eq!(store.registry.paths(&store.id("D3"), &store.id("D1")).unwrap().all.count, 0);
}
