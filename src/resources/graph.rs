//! The rules of the DAG as functions over a [`Store`]: what may be linked, which path a refused link would close.
//!
//! The registry and the tests implement the store, so there is one algorithm. Every search keeps a visited set and a
//! queue of its own: it ends on stores that already hold cycles, and is as deep as it likes without recursion.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use super::error::Error;
use super::model::{Ends, Named, Resource, ResourceId, Role};
use super::types::ResourceType;

/// What the rules need to know about a registry.
pub trait Store {
    /// A resource by its exact id.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn resource(&self, id: &ResourceId) -> Result<Option<Resource>, Error>;

    /// A type by its exact name.
    ///
    /// # Errors
    /// When the store, or the type, cannot be read.
    fn resource_type(&self, name: &str) -> Result<Option<Arc<ResourceType>>, Error>;

    /// The ids of the direct parents, ordered by id.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn parents_of(&self, id: &ResourceId) -> Result<Vec<ResourceId>, Error>;

    /// Whether the link is there.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn has_link(&self, parent: &ResourceId, child: &ResourceId) -> Result<bool, Error>;

    /// Up to three names that look like the one asked for.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn similar(&self, asked: &str) -> Result<Vec<String>, Error>;
}

/// The resource of an id.
///
/// # Errors
/// [`Error::ResourceNotFound`] in the role it was asked for.
pub fn expect(store: &impl Store, id: &ResourceId, role: Role) -> Result<Resource, Error> {
    match store.resource(id)? {
        Some(resource) => Ok(resource),
        None => Err(Error::ResourceNotFound { role, asked: id.to_string(), similar: store.similar(id.as_str())? }),
    }
}

/// The type of a name.
///
/// # Errors
/// [`Error::TypeNotFound`]; a type without a row is never "any".
pub fn expect_type(store: &impl Store, name: &str) -> Result<Arc<ResourceType>, Error> {
    store.resource_type(name)?.ok_or_else(|| Error::TypeNotFound { name: name.to_owned(), similar: Vec::new() })
}

/// Whether a link may be made, checked in the order that shows: both ends exist, the types fit, no cycle, not there
/// yet. Gives the two ends.
///
/// # Errors
/// [`Error::ResourceNotFound`], [`Error::TypeNotFound`], [`Error::TypeIncompatible`], [`Error::CycleDetected`],
/// [`Error::DuplicateLink`], in this order.
pub fn check_link(store: &impl Store, parent: &ResourceId, child: &ResourceId) -> Result<(Resource, Resource), Error> {
    let parent = expect(store, parent, Role::Parent)?;
    let child = expect(store, child, Role::Child)?;
    check_types(store, &parent.type_name, &child.type_name)?;
    if let Some(path) = cycle_path(store, &parent.id, &child.id)? {
        return Err(Error::CycleDetected { path: names(store, path)? });
    }
    if store.has_link(&parent.id, &child.id)? {
        let ends = Box::new(Ends { parent: parent.named(), child: child.named() });
        return Err(Error::DuplicateLink { ends });
    }
    Ok((parent, child))
}

/// Whether a resource of one type may contain one of another.
///
/// # Errors
/// [`Error::TypeNotFound`], [`Error::TypeIncompatible`].
pub fn check_types(store: &impl Store, parent_type: &str, child_type: &str) -> Result<(), Error> {
    let allowed = expect_type(store, parent_type)?;
    if allowed.allows(child_type) {
        return Ok(());
    }
    Err(Error::TypeIncompatible {
        parent_type: parent_type.to_owned(),
        child_type: child_type.to_owned(),
        allowed: allowed.child_type_names().map(str::to_owned).collect(),
    })
}

/// Whether a link may be taken away. Gives the two ends.
///
/// # Errors
/// [`Error::ResourceNotFound`], [`Error::LinkNotFound`].
pub fn check_unlink(
    store: &impl Store,
    parent: &ResourceId,
    child: &ResourceId,
) -> Result<(Resource, Resource), Error> {
    let parent = expect(store, parent, Role::Parent)?;
    let child = expect(store, child, Role::Child)?;
    if store.has_link(&parent.id, &child.id)? {
        return Ok((parent, child));
    }
    let reversed = store.has_link(&child.id, &parent.id)?;
    Err(Error::LinkNotFound { ends: Box::new(Ends { parent: parent.named(), child: child.named() }), reversed })
}

/// The cycle that a link from `parent` to `child` would close: from the child down to the parent and the child again;
/// the shortest, and of several the one a breadth-first search upward by id finds first.
///
/// # Errors
/// When the store cannot be read.
pub fn cycle_path(
    store: &impl Store,
    parent: &ResourceId,
    child: &ResourceId,
) -> Result<Option<Vec<ResourceId>>, Error> {
    let Some(mut path) = path_down(store, child, parent)? else { return Ok(None) };
    path.push(child.clone());
    Ok(Some(path))
}

/// The shortest path of links from `from` down to `to`, found upward from `to` by id; a resource has the path of itself
/// alone to itself.
///
/// # Errors
/// When the store cannot be read.
pub fn path_down(store: &impl Store, from: &ResourceId, to: &ResourceId) -> Result<Option<Vec<ResourceId>>, Error> {
    // for each id seen, the one below it on the way down to `to`
    let mut below: HashMap<ResourceId, Option<ResourceId>> = HashMap::from([(to.clone(), None)]);
    let mut queue = VecDeque::from([to.clone()]);
    while let Some(at) = queue.pop_front() {
        if at == *from {
            let mut path = vec![at];
            while let Some(Some(next)) = path.last().and_then(|last| below.get(last)) {
                let next = next.clone();
                path.push(next);
            }
            return Ok(Some(path));
        }
        for parent in store.parents_of(&at)? {
            below.entry(parent).or_insert_with_key(|parent| {
                queue.push_back(parent.clone());
                Some(at.clone())
            });
        }
    }
    Ok(None)
}

/// The shortest cycle of several resources that one lies in, itself first and last; none on a store that keeps the
/// rules.
///
/// # Errors
/// When the store cannot be read.
pub fn cycle_through(store: &impl Store, id: &ResourceId) -> Result<Option<Vec<ResourceId>>, Error> {
    let mut below: HashMap<ResourceId, ResourceId> = HashMap::new();
    let mut queue = VecDeque::from([id.clone()]);
    while let Some(at) = queue.pop_front() {
        for parent in store.parents_of(&at)? {
            // a link of a resource to itself is another defect
            if parent == *id && at != *id {
                let mut path = vec![parent, at];
                while let Some(next) = path.last().and_then(|last| below.get(last)) {
                    let next = next.clone();
                    path.push(next);
                }
                return Ok(Some(path));
            }
            if parent != *id && !below.contains_key(&parent) {
                below.insert(parent.clone(), at.clone());
                queue.push_back(parent);
            }
        }
    }
    Ok(None)
}

/// How many paths of links lead from one resource down to another, counted and never listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct PathCount {
    /// The number; a lower bound when there are more.
    pub count: u64,
    /// Whether there are more: the number is too large to say, or a cycle lies on the way.
    pub more_than: bool,
}

/// Counts the paths from one resource down to another; none when there is none, one from a resource to itself.
///
/// # Errors
/// When the store cannot be read.
pub fn count_paths(store: &impl Store, from: &ResourceId, to: &ResourceId) -> Result<PathCount, Error> {
    let up = upward(store, to)?;
    let mut down: HashMap<&ResourceId, Vec<&ResourceId>> = HashMap::new();
    for (child, parents) in &up {
        for parent in parents {
            down.entry(parent).or_default().push(child);
        }
    }
    let children = |id: &ResourceId| down.get(id).into_iter().flatten().copied();
    // only what lies between the two bears on the number
    let mut waiting: HashMap<&ResourceId, usize> = HashMap::from([(from, 0)]);
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        for child in children(at) {
            let entry = waiting.entry(child).or_insert_with(|| {
                queue.push_back(child);
                0
            });
            *entry += 1;
        }
    }
    if !waiting.contains_key(to) {
        return Ok(PathCount { count: 0, more_than: false });
    }
    let mut paths: HashMap<&ResourceId, u64> = HashMap::from([(from, 1)]);
    let mut ready: Vec<&ResourceId> = if waiting[from] == 0 { vec![from] } else { Vec::new() };
    let (mut ordered, mut more_than) = (0, false);
    while let Some(at) = ready.pop() {
        ordered += 1;
        let so_far = paths[at];
        for child in children(at) {
            let entry = paths.entry(child).or_insert(0);
            let sum = entry.checked_add(so_far);
            more_than |= sum.is_none();
            *entry = sum.unwrap_or(u64::MAX);
            if let Some(left) = waiting.get_mut(child) {
                *left -= 1;
                if *left == 0 {
                    ready.push(child);
                }
            }
        }
    }
    more_than |= ordered < waiting.len();
    Ok(PathCount { count: paths.get(to).copied().unwrap_or(1).max(1), more_than })
}

/// A resource and all its ancestors, each with its parents.
fn upward(store: &impl Store, from: &ResourceId) -> Result<HashMap<ResourceId, Vec<ResourceId>>, Error> {
    let mut up = HashMap::new();
    let mut queue = VecDeque::from([from.clone()]);
    let mut seen = HashSet::from([from.clone()]);
    while let Some(at) = queue.pop_front() {
        let parents = store.parents_of(&at)?;
        for parent in &parents {
            if seen.insert(parent.clone()) {
                queue.push_back(parent.clone());
            }
        }
        up.insert(at, parents);
    }
    Ok(up)
}

/// The names of a path's resources; an id without a row stands for itself.
///
/// # Errors
/// When the store cannot be read.
pub fn names(store: &impl Store, path: impl IntoIterator<Item = ResourceId>) -> Result<Vec<Named>, Error> {
    path.into_iter().map(|id| name(store, id)).collect()
}

fn name(store: &impl Store, id: ResourceId) -> Result<Named, Error> {
    Ok(store.resource(&id)?.map_or_else(|| Named::missing(id), |resource| resource.named()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store of links alone, between resources of one type that allows any.
    struct Links(Vec<(&'static str, &'static str)>);

    fn links(text: &'static str) -> Links {
        Links(text.split_whitespace().filter_map(|link| link.split_once('>')).collect())
    }

    impl Store for Links {
        fn resource(&self, id: &ResourceId) -> Result<Option<Resource>, Error> {
            Ok(Some(Resource {
                id: id.clone(),
                name: Some(id.to_string()),
                type_name: "any".into(),
                location: None,
                description: None,
                properties_json: None,
                auto_discovered: false,
                created_at: String::new(),
            }))
        }

        fn resource_type(&self, _: &str) -> Result<Option<Arc<ResourceType>>, Error> {
            Ok(Some(Arc::default()))
        }

        fn parents_of(&self, id: &ResourceId) -> Result<Vec<ResourceId>, Error> {
            let mut parents: Vec<ResourceId> =
                self.0.iter().filter(|(_, child)| *child == id.as_str()).map(|(parent, _)| (*parent).into()).collect();
            parents.sort();
            Ok(parents)
        }

        fn has_link(&self, parent: &ResourceId, child: &ResourceId) -> Result<bool, Error> {
            Ok(self.0.contains(&(parent.as_str(), child.as_str())))
        }

        fn similar(&self, _: &str) -> Result<Vec<String>, Error> {
            Ok(Vec::new())
        }
    }

    fn shown(path: Option<Vec<ResourceId>>) -> String {
        path.map_or_else(|| "none".to_owned(), |path| path.iter().map(ResourceId::as_str).collect::<Vec<_>>().join(","))
    }

    #[test]
    fn the_path_is_the_first_that_a_search_upward_by_id_finds() {
        let store = links("A>B B>E E>Z A>C C>D D>Z");
        assert_eq!(shown(cycle_path(&store, &"Z".into(), &"A".into()).unwrap()), "A,C,D,Z,A");
        assert_eq!(shown(cycle_path(&store, &"A".into(), &"Z".into()).unwrap()), "none");
        assert_eq!(shown(path_down(&store, &"A".into(), &"A".into()).unwrap()), "A");
    }

    #[test]
    fn types_come_before_cycles_and_cycles_before_duplicates() {
        let store = links("X>Y Y>X");
        let error = check_link(&store, &"X".into(), &"Y".into()).unwrap_err();
        assert!(matches!(error, Error::CycleDetected { .. }), "{error}");
        assert!(check_link(&store, &"X".into(), &"Z".into()).is_ok(), "a cycle that is there does not bar other links");
    }

    #[test]
    fn the_cycle_of_a_resource_is_found_through_others_only() {
        let store = links("A>B B>C C>A C>C B>D");
        assert_eq!(shown(cycle_through(&store, &"A".into()).unwrap()), "A,B,C,A");
        assert_eq!(shown(cycle_through(&store, &"C".into()).unwrap()), "C,A,B,C");
        assert_eq!(shown(cycle_through(&store, &"D".into()).unwrap()), "none");
        assert_eq!(shown(cycle_through(&links("A>A"), &"A".into()).unwrap()), "none");
    }

    #[test]
    fn paths_are_counted_also_past_the_largest_number() {
        let count = |store: &Links, from: &str, to: &str| count_paths(store, &from.into(), &to.into()).unwrap();
        let store = links("A>B A>C B>D C>D D>E B>E");
        assert_eq!(count(&store, "A", "E"), PathCount { count: 3, more_than: false });
        assert_eq!(count(&store, "E", "A"), PathCount { count: 0, more_than: false });
        assert_eq!(count(&store, "A", "A"), PathCount { count: 1, more_than: false });
        // seventy diamonds, one below the other: two ways through each
        let names: Vec<&'static str> = (0..=210).map(|at| &*Box::leak(format!("{at:03}").into_boxed_str())).collect();
        let diamonds = (0..70).flat_map(|at| {
            let [top, left, right, below] = [3 * at, 3 * at + 1, 3 * at + 2, 3 * at + 3].map(|nth| names[nth]);
            [(top, left), (top, right), (left, below), (right, below)]
        });
        let all = count(&Links(diamonds.collect()), "000", "210");
        assert!(all.more_than && all.count > 1 << 60, "{all:?}");
    }
}
