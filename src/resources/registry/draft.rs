//! A registry with changes that are thought of and not yet made: what the rules read while an operation is planned.
//! Nothing is written here; the result is the list of rows to change.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use serde_json::Map;

use super::failure::failed;
use super::rows::{Tables, TypeRow};
use super::{RowChange, now};
use crate::resources::error::Error;
use crate::resources::graph::{self, Store};
use crate::resources::model::{Link, Resource, ResourceId};
use crate::resources::types::ResourceType;

/// The rows of a registry and the changes planned on them.
pub(crate) struct Draft<'a> {
    tables: Tables<'a>,
    file: &'a Path,
    types: RefCell<HashMap<String, Option<Arc<ResourceType>>>>,
    resources: HashMap<ResourceId, Option<Resource>>,
    names: HashMap<String, ResourceId>,
    places: HashMap<(String, String), ResourceId>,
    new_parents: HashMap<ResourceId, BTreeSet<ResourceId>>,
    gone: HashSet<(ResourceId, ResourceId)>,
    last_id: Option<ResourceId>,
    changes: Vec<RowChange>,
}

impl<'a> Draft<'a> {
    /// The rows as they are.
    pub(super) fn on(tables: Tables<'a>, file: &'a Path) -> Draft<'a> {
        Draft {
            tables,
            file,
            types: RefCell::default(),
            resources: HashMap::new(),
            names: HashMap::new(),
            places: HashMap::new(),
            new_parents: HashMap::new(),
            gone: HashSet::new(),
            last_id: None,
            changes: Vec::new(),
        }
    }

    /// The changes, in the order in which they are to be made.
    pub fn into_changes(self) -> Vec<RowChange> {
        self.changes
    }

    /// An id that is larger than every ULID of the registry and of this draft.
    pub fn next_id(&mut self) -> Result<ResourceId, Error> {
        if self.last_id.is_none() {
            self.last_id = self.tables.largest_ulid().map_err(failed(self.file))?;
        }
        let fresh = ulid::Ulid::generate();
        let last = self.last_id.as_ref().and_then(|id| ulid::Ulid::from_string(id.as_str()).ok());
        let next = match last {
            // another program may have used up the range; a fresh id is still a new one
            Some(last) if last >= fresh => u128::from(last).checked_add(1).map_or(fresh, ulid::Ulid::from),
            _ => fresh,
        };
        let next = ResourceId::new(next.to_string());
        self.last_id = Some(next.clone());
        Ok(next)
    }

    /// The resource that has a name.
    pub fn named(&self, name: &str) -> Result<Option<Resource>, Error> {
        if let Some(id) = self.names.get(name) {
            return self.resource(id);
        }
        let found = self.tables.resource_named(name).map_err(failed(self.file))?;
        // its row may be about to go, or to be renamed
        Ok(found.filter(|found| !self.resources.contains_key(&found.id)))
    }

    /// The resource of a type at a location.
    pub fn at(&self, type_name: &str, location: &str) -> Result<Option<Resource>, Error> {
        if !self.places.is_empty()
            && let Some(id) = self.places.get(&(type_name.to_owned(), location.to_owned()))
        {
            return self.resource(id);
        }
        let found = self.tables.resource_at(type_name, location).map_err(failed(self.file))?;
        Ok(found.filter(|found| !self.resources.contains_key(&found.id)))
    }

    /// The child of this type, without a location, that a discovery made.
    pub fn placeholder(&self, parent: &ResourceId, type_name: &str) -> Result<Option<Resource>, Error> {
        self.tables.placeholder(parent, type_name).map_err(failed(self.file))
    }

    /// The links above and below a resource, as they are in the file.
    pub fn links_of(&self, id: &ResourceId) -> Result<Vec<Link>, Error> {
        let mut links = self.tables.links_of(id).map_err(failed(self.file))?;
        links.retain(|link| !self.gone.contains(&(link.parent_id.clone(), link.child_id.clone())));
        Ok(links)
    }

    /// All links that lead to or from an id without a row, as they are in the file.
    pub fn dangling_links(&self) -> Result<Vec<Link>, Error> {
        self.tables.dangling_links().map_err(failed(self.file))
    }

    /// The row of a type, as it is in the file.
    pub fn type_row(&self, name: &str) -> Result<Option<TypeRow>, Error> {
        self.tables.type_row(name).map_err(failed(self.file))
    }

    /// How many resources have a type, as the file is.
    pub fn users_of_type(&self, name: &str) -> Result<u64, Error> {
        self.tables.users_of_type(name).map_err(failed(self.file))
    }

    /// Plans a new resource.
    pub fn add(&mut self, resource: Resource) {
        let after = Some(Box::new(resource.clone()));
        self.changes.push(RowChange::Resource { before: None, after, rest: Map::new() });
        self.remember(resource);
    }

    /// Plans a resource as another.
    pub fn set(&mut self, before: Resource, after: Resource) {
        let (before, changed) = (Some(Box::new(before)), Some(Box::new(after.clone())));
        self.changes.push(RowChange::Resource { before, after: changed, rest: Map::new() });
        self.remember(after);
    }

    fn remember(&mut self, resource: Resource) {
        if let Some(name) = &resource.name {
            self.names.insert(name.clone(), resource.id.clone());
        }
        if let Some(location) = &resource.location {
            self.places.insert((resource.type_name.clone(), location.clone()), resource.id.clone());
        }
        self.resources.insert(resource.id.clone(), Some(resource));
    }

    /// Plans that a resource goes; its links must have gone before.
    pub fn remove(&mut self, resource: Resource) -> Result<(), Error> {
        let rest = self.tables.rest_of(&resource.id).map_err(failed(self.file))?;
        self.resources.insert(resource.id.clone(), None);
        self.changes.push(RowChange::Resource { before: Some(Box::new(resource)), after: None, rest });
        Ok(())
    }

    /// Plans a new link, which the rules have been asked about.
    pub fn link(&mut self, parent: &ResourceId, child: &ResourceId) {
        let link = Link { parent_id: parent.clone(), child_id: child.clone(), created_at: now() };
        self.new_parents.entry(child.clone()).or_default().insert(parent.clone());
        self.gone.remove(&(parent.clone(), child.clone()));
        self.changes.push(RowChange::Link { before: None, after: Some(link), mended: false });
    }

    /// Plans that a link goes.
    pub fn unlink(&mut self, parent: &ResourceId, child: &ResourceId) -> Result<(), Error> {
        self.take_link(parent, child, false)
    }

    /// Takes a link away that breaks a rule.
    pub fn mend(&mut self, parent: &ResourceId, child: &ResourceId) -> Result<(), Error> {
        self.take_link(parent, child, true)
    }

    fn take_link(&mut self, parent: &ResourceId, child: &ResourceId, mended: bool) -> Result<(), Error> {
        if let Some(link) = self.tables.link(parent, child).map_err(failed(self.file))? {
            self.gone.insert((parent.clone(), child.clone()));
            self.changes.push(RowChange::Link { before: Some(link), after: None, mended });
        }
        Ok(())
    }

    /// Plans a type.
    pub fn put_type(&mut self, before: Option<TypeRow>, after: Option<TypeRow>) {
        if let Some(row) = before.as_ref().or(after.as_ref()) {
            let name = row.name.clone();
            let parsed = after.as_ref().and_then(|row| row.resource_type().ok()).map(Arc::new);
            self.types.get_mut().insert(name, parsed);
        }
        self.changes.push(RowChange::Type { before, after });
    }

    /// Plans a link when the rules allow it.
    pub fn link_if_allowed(&mut self, parent: &ResourceId, child: &ResourceId) -> Result<(Resource, Resource), Error> {
        let ends = graph::check_link(self, parent, child)?;
        self.link(parent, child);
        Ok(ends)
    }
}

impl Store for Draft<'_> {
    fn resource(&self, id: &ResourceId) -> Result<Option<Resource>, Error> {
        match self.resources.get(id) {
            Some(planned) => Ok(planned.clone()),
            None => self.tables.resource(id).map_err(failed(self.file)),
        }
    }

    fn resource_type(&self, name: &str) -> Result<Option<Arc<ResourceType>>, Error> {
        if let Some(known) = self.types.borrow().get(name) {
            return Ok(known.clone());
        }
        let found = match self.type_row(name)? {
            Some(row) => Some(Arc::new(row.resource_type()?)),
            None => None,
        };
        self.types.borrow_mut().insert(name.to_owned(), found.clone());
        Ok(found)
    }

    fn parents_of(&self, id: &ResourceId) -> Result<Vec<ResourceId>, Error> {
        let mut parents = self.tables.parents_of(id).map_err(failed(self.file))?;
        if !self.gone.is_empty() {
            parents.retain(|parent| !self.gone.contains(&(parent.clone(), id.clone())));
        }
        if let Some(new) = self.new_parents.get(id) {
            parents.extend(new.iter().cloned());
            parents.sort();
            parents.dedup();
        }
        Ok(parents)
    }

    fn has_link(&self, parent: &ResourceId, child: &ResourceId) -> Result<bool, Error> {
        if self.new_parents.get(child).is_some_and(|new| new.contains(parent)) {
            return Ok(true);
        }
        let there = self.tables.link(parent, child).map_err(failed(self.file))?.is_some();
        Ok(there && !self.gone.contains(&(parent.clone(), child.clone())))
    }

    fn similar(&self, asked: &str) -> Result<Vec<String>, Error> {
        self.tables.similar(asked).map_err(failed(self.file))
    }
}
