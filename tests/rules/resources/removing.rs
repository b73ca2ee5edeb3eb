//! Removing resources and types, and undoing every kind of write.

use dagwood::edit::Journal;
use dagwood::error::{Code, Coded};
use dagwood::resources::{
    Error, LinksToo, NewResource, Opening, Operation, Registry, ResourceId, Reverted, SetResource, Turn,
};

use super::store::{Store, a_type};

fn remove(store: &mut Store, name: &str, links: LinksToo) -> Result<Vec<String>, Error> {
    let id = store.id(name);
    store.registry.carry_out(&Operation::Remove(id, links)).map(|plan| plan.notes)
}

#[test]
fn a_resource_with_links_is_refused_and_both_sides_are_named() {
    let mut store = Store::linked("D1>D2 D2>D3");
    let error = remove(&mut store, "D2", LinksToo::Refuse).unwrap_err();
    let Error::ResourceInUse { parents, children, .. } = &error else { panic!("{error}") };
    assert_eq!((parents[0].to_string(), children[0].to_string()), ("D1".into(), "D3".into()));
    assert_eq!(error.to_string(), "D2 still has links; `--force` takes them too\nparents: D1\nchildren: D3");
}

#[test]
fn forced_it_takes_links_only() {
    let mut store = Store::linked("G1>D1 D1>D2 D1>D3 G1>D3");
    let notes = remove(&mut store, "D1", LinksToo::Remove).unwrap();
    assert_eq!(notes, ["removes 3 links; 1 child becomes a root"]);
    assert_eq!(store.roots(), "D2 G1");
    assert_eq!(store.children("G1"), "D3");
}

#[test]
fn only_the_table_of_links_counts() {
    let mut store = Store::with("D1");
    let id = store.id("D1");
    store.behind_its_back("CREATE TABLE resource_edges(a, b)");
    store.behind_its_back(&format!("INSERT INTO resource_edges VALUES('{id}', '{id}')"));
    let found = dagwood::resources::doctor::findings(&store.registry).unwrap();
    assert!(found.iter().any(|found| found.code == "legacy-edges"), "{found:?}");
    remove(&mut store, "D1", LinksToo::Refuse).unwrap();
}

#[test]
fn a_type_in_use_stays_and_a_replaced_built_in_one_comes_back() {
    let mut store = Store::with("B1");
    let mut drop_type =
        |name: &str| store.registry.carry_out(&Operation::RemoveType(name.into())).map(|plan| plan.label);
    assert_eq!(drop_type("local/any-box").unwrap_err().code(), Code::TypeInUse);
    assert_eq!(drop_type("local/nope").unwrap_err().code(), Code::TypeNotFound);
    assert_eq!(drop_type("git").unwrap(), "restore the built-in type git");
    assert_eq!(drop_type("git").unwrap_err().code(), Code::InvalidInput);
}

/// A store whose writes are noted, and what was noted last.
fn journalled() -> (Store, Journal) {
    let store = Store::linked("D1>D2 D2>D3");
    let journal = Journal::at(&store.dir.path().join("state"), store.dir.path());
    let opening = Opening { journal: Some(journal.clone()), ..Opening::default() };
    let registry = Registry::open_to_write(&store.file(), opening).unwrap();
    (Store { registry, ..store }, journal)
}

fn everything(store: &Store) -> String {
    let mut text = Vec::new();
    dagwood::resources::export::json(&store.registry, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn every_write_is_undone_and_redone_exactly() {
    let (mut store, journal) = journalled();
    let (one, two, three) = (store.id("D1"), store.id("D2"), store.id("D3"));
    let operations = [
        Operation::Link(one.clone(), three.clone()),
        Operation::Unlink(one.clone(), two.clone()),
        Operation::Link(one.clone(), two.clone()),
        Operation::UnlinkAll(vec![(one.clone(), two.clone()), (one.clone(), three.clone())]),
        Operation::Add(NewResource {
            type_name: "fs-file".into(),
            name: Some("F1".into()),
            parent: Some(one.clone()),
            ..NewResource::default()
        }),
        Operation::Set(one.clone(), SetResource { description: Some("first".into()), ..SetResource::default() }),
        Operation::Remove(two.clone(), LinksToo::Remove),
        Operation::AddTypes(vec![a_type("name: local/new")], dagwood::resources::AddTypes::Refuse),
        Operation::RemoveType("git".into()),
    ];
    for operation in operations {
        let before = everything(&store);
        store.registry.carry_out(&operation).unwrap();
        let after = everything(&store);
        assert_ne!(before, after, "{operation:?}");
        let rows = journal.to_undo().unwrap().rows.unwrap();
        assert_eq!(store.registry.revert(&rows, Turn::Redo).unwrap(), Reverted::AlreadySo);
        assert_eq!(store.registry.revert(&rows, Turn::Undo).unwrap(), Reverted::Done);
        assert_eq!(everything(&store), before, "{operation:?}");
        assert_eq!(store.registry.revert(&rows, Turn::Undo).unwrap(), Reverted::AlreadySo);
        assert_eq!(store.registry.revert(&rows, Turn::Redo).unwrap(), Reverted::Done);
        assert_eq!(everything(&store), after, "{operation:?}");
    }
}

#[test]
fn unlinking_tells_which_children_become_roots() {
    let mut store = Store::linked("D1>D3 D2>D3 D1>D2");
    let (one, two, three) = (store.id("D1"), store.id("D2"), store.id("D3"));
    let link = |parent: &ResourceId, child: &ResourceId| (parent.clone(), child.clone());
    let notes = |store: &Store, links| store.registry.plan(&Operation::UnlinkAll(links)).unwrap().notes;
    let root = "D3 becomes a root: it has no other parent";
    assert!(notes(&store, vec![link(&one, &three)]).is_empty(), "it still has a parent");
    assert_eq!(notes(&store, vec![link(&one, &three), link(&two, &three)]), [root], "told once");
    let plan = store.registry.carry_out(&Operation::Unlink(one.clone(), three.clone())).unwrap();
    assert!(plan.notes.is_empty());
    assert_eq!(store.registry.plan(&Operation::Unlink(two.clone(), three.clone())).unwrap().notes, [root]);
    // all or nothing
    let error =
        store.registry.carry_out(&Operation::UnlinkAll(vec![link(&two, &three), link(&one, &three)])).unwrap_err();
    assert_eq!(error.code(), Code::LinkNotFound);
    assert_eq!(store.children("D2"), "D3");
}

#[test]
fn undo_is_refused_when_something_hangs_on_what_would_go() {
    let (mut store, journal) = journalled();
    store.add("D4");
    let rows = journal.to_undo().unwrap().rows.unwrap();
    store.link("D4", "D1").unwrap();
    let error = store.registry.revert(&rows, Turn::Undo).unwrap_err();
    assert_eq!(error.code(), Code::ChangedSince);
    assert_eq!(error.to_string(), "D4 has been linked with D1 since; nothing was changed");
    assert_eq!(store.children("D4"), "D1");
}

#[test]
fn undo_is_refused_when_the_row_is_not_as_it_was_left() {
    let (mut store, journal) = journalled();
    store.add("D4");
    let rows = journal.to_undo().unwrap().rows.unwrap();
    store.behind_its_back("UPDATE resources SET description = 'theirs' WHERE name = 'D4'");
    let error = store.registry.revert(&rows, Turn::Undo).unwrap_err();
    assert_eq!(error.code(), Code::ChangedSince);
}

#[test]
fn a_link_that_would_close_a_cycle_does_not_come_back() {
    let (mut store, journal) = journalled();
    store.unlink("D1", "D2").unwrap();
    let rows = journal.to_undo().unwrap().rows.unwrap();
    store.link("D3", "D1").unwrap();
    let error = store.registry.revert(&rows, Turn::Undo).unwrap_err();
    assert_eq!(error.code(), Code::CycleDetected);
}

#[test]
fn a_refused_write_is_not_noted() {
    let (mut store, journal) = journalled();
    store.link("D2", "D1").unwrap_err();
    assert!(journal.list().unwrap().is_empty());
}

#[test]
fn what_is_open_to_look_at_is_not_written() {
    let store = Store::linked("D1>D2");
    let mut looking = Registry::open_to_read(&store.file(), dagwood::resources::BUSY_WAIT).unwrap();
    let error = looking.unlink_child(&store.id("D1"), &store.id("D2")).unwrap_err();
    assert_eq!(error.code(), Code::ReadOnly);
    assert!(looking.plan(&Operation::Unlink(store.id("D1"), store.id("D2"))).is_ok());
}
