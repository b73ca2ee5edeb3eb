//! Registries: SQLite files of anybody's making.

use std::time::Duration;

use dagwood::resources::{Registry, doctor, export, walk};

/// A registry: it is refused, or every question is answered or refused; the file stays as it was.
pub fn registry(data: &[u8]) {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = dir.path().join("registry.db");
    std::fs::write(&file, data).expect("a file");
    match Registry::open_to_read(&file, Duration::ZERO) {
        Ok(registry) => ask(&registry),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    assert!(std::fs::read(&file).is_ok_and(|now| now == data), "looking changes nothing");
}

fn ask(registry: &Registry) {
    let _ = (doctor::findings(registry), registry.counts(), registry.by_type(), registry.cyclic_group());
    let _ = (
        registry.roots(),
        registry.orphans(),
        registry.search("a", 10),
        registry.find("a", dagwood::resources::Role::Resource),
    );
    for row in registry.type_rows().unwrap_or_default() {
        let _ = row.resource_type().map(|known| known.notes());
    }
    let nodes = registry.list(None).unwrap_or_default();
    for node in nodes.iter().take(20) {
        let id = &node.resource.id;
        let _ = (registry.detail(id), registry.get_parents(id), registry.descendants(id, 1_000));
        let _ = registry.paths(&nodes[0].resource.id, id);
    }
    let tops = registry.roots().unwrap_or_default();
    let tree = walk::Walk::new(tops, None, |id| registry.get_children(id));
    assert!(tree.take(10_000).count() <= 10_000);
    for write in [export::json, export::dot, export::mermaid] {
        let mut out = Vec::new();
        if write(registry, &mut out).is_ok() {
            assert!(std::str::from_utf8(&out).is_ok(), "what is exported is text");
        }
    }
}
