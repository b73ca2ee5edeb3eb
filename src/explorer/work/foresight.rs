//! What a discovery would do below a resource, for its detail. It is looked for only where that is quick, as the cursor may
//! run over many rows; elsewhere the preview of the discovery tells.

use std::fs;
use std::sync::atomic::AtomicBool;

use crate::explorer::model::{Line, Tone};
use crate::resources::discovery::{Discover, Watch};
use crate::resources::types::Handler;
use crate::resources::{self, Registry, Resource, path_of};

/// How many children a resource has, and how many entries its place, where looking is quick.
const FEW: usize = 1_000;

/// How many names are told.
const NAMED: usize = 5;

/// What a discovery would do, with the key that makes one where there is one; nothing where the type discovers nothing, or
/// where looking would take long.
pub fn foresight(registry: &Registry, detail: &resources::Detail, key: Option<&str>) -> Vec<Line> {
    let resource = &detail.resource.resource;
    let discovers = detail.resource_type.as_ref().filter(|known| known.handler() != Handler::Git);
    let place = resource.location.as_deref().and_then(path_of);
    let (Some(_), Some(place)) = (discovers.filter(|known| !known.rules().is_empty()), place) else {
        return Vec::new();
    };
    let children: u64 = detail.children_by_type.iter().map(|(_, count)| count).sum();
    let entries = fs::read_dir(place).map_or(0, |entries| entries.take(FEW + 1).count());
    if children > FEW as u64 || entries > FEW {
        return Vec::new();
    }
    let watch = Watch { cancel: &AtomicBool::new(false), progress: &|_| {} };
    let found = match registry.plan_discovery(&resource.id, &Discover::ONE_LEVEL, &watch) {
        Ok(found) => found,
        Err(error) => return section(vec![Line::of(Tone::Warn, format!("  {error}"))]),
    };
    let mut lines = Vec::new();
    let parts = [("would add", &found.created), ("would link", &found.linked), ("gone from the disk", &found.stale)];
    for (what, resources) in parts.into_iter().filter(|(_, resources)| !resources.is_empty()) {
        let line = Line::plain(format!("  {what} {}: ", resources.len()))
            .and(Tone::Plain, named(resources, &resource.label()));
        let offered = key.filter(|_| what != "gone from the disk" && lines.is_empty());
        lines.push(match offered {
            Some(key) => line.and(Tone::Plain, "  ").and(Tone::Accent, key),
            None => line,
        });
    }
    if lines.is_empty() {
        lines.push(Line::of(Tone::Dim, "  would find nothing new"));
    }
    section(lines)
}

fn section(lines: Vec<Line>) -> Vec<Line> {
    [Line::blank(), Line::of(Tone::Strong, "Discovery")].into_iter().chain(lines).collect()
}

/// The first names, without the name of what they are in, and how many more there are.
fn named(resources: &[Resource], within: &str) -> String {
    let short = |label: String| match label.strip_prefix(within).and_then(|rest| rest.strip_prefix('/')) {
        Some(rest) => rest.to_owned(),
        None => label,
    };
    let names: Vec<String> = resources.iter().take(NAMED).map(Resource::label).map(short).collect();
    let more = resources.len().saturating_sub(NAMED);
    if more > 0 { format!("{} and {more} more", names.join(", ")) } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::resources::{BUSY_WAIT, NewResource, Opening, ResourceId};

    /// What is told of a directory that is registered and then changed.
    fn told(change: impl Fn(&Path), key: Option<&str>) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("place");
        fs::create_dir_all(place.join("known")).unwrap();
        let file = dir.path().join("registry.db");
        let mut registry = Registry::open_to_write(&file, Opening::default()).unwrap();
        let new = NewResource {
            type_name: "fs-directory".into(),
            name: Some("local/place".into()),
            location: Some(place.to_string_lossy().into_owned()),
            ..NewResource::default()
        };
        let id: ResourceId = registry.add(new).unwrap().id;
        registry.auto_discover_children(&id).unwrap();
        change(&place);
        let registry = Registry::open_to_read(&file, BUSY_WAIT).unwrap();
        let lines = foresight(&registry, &registry.detail(&id).unwrap(), key);
        lines.iter().map(Line::text).collect()
    }

    #[test]
    fn what_a_discovery_would_find_is_told_before_it_is_made() {
        assert_eq!(told(|_| {}, Some("D")), ["", "Discovery", "  would find nothing new"]);
        let grown = |place: &Path| {
            (0..7).for_each(|nth| fs::write(place.join(format!("{nth}.txt")), "").unwrap());
            fs::remove_dir(place.join("known")).unwrap();
        };
        let [_, _, added, gone] = &told(grown, Some("D"))[..] else { panic!() };
        assert!(added.starts_with("  would add 7: 0.txt, ") && added.ends_with(" and 2 more  D"), "{added}");
        assert_eq!(gone, "  gone from the disk 1: known");
        assert!(told(grown, None)[2].ends_with(" and 2 more"), "where nothing is written no key is offered");
    }

    #[test]
    fn it_is_looked_for_only_where_that_is_quick_and_can_be_done() {
        let wide = |place: &Path| (0..=FEW).for_each(|nth| fs::write(place.join(nth.to_string()), "").unwrap());
        assert_eq!(told(wide, None), [""; 0]);
        let vanished = |place: &Path| fs::remove_dir_all(place).unwrap();
        let [_, heading, why] = &told(vanished, None)[..] else { panic!() };
        assert_eq!(heading, "Discovery");
        assert!(why.contains("place"), "{why}");
    }
}
