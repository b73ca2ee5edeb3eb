//! What can be done to a registry, as data, and the plan of each: the rows it changes, or the rule that refuses it.

use std::fmt::Write as _;

use super::rows::TypeRow;
use super::{Draft, RowChange, now, spec_json};
use crate::resources::discovery::lies_directly_in;
use crate::resources::error::Error;
use crate::resources::export::Document;
use crate::resources::graph::{self, Store};
use crate::resources::model::{Link, Resource, ResourceId, Role, check_name, thousands};
use crate::resources::types::{self, ResourceType};

/// A resource to be added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewResource {
    /// The name of its type.
    pub type_name: String,
    /// Its name.
    pub name: Option<String>,
    /// Its location, as it is to be stored.
    pub location: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// The resource to put it under.
    pub parent: Option<ResourceId>,
}

/// What is to become of a resource's facts; `None` leaves one as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetResource {
    /// Its new name.
    pub name: Option<String>,
    /// Its new location, as it is to be stored.
    pub location: Option<String>,
    /// Its new description; an empty one takes it away.
    pub description: Option<String>,
}

/// What happens to the links of a resource that is to be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinksToo {
    /// It is refused while there are any.
    Refuse,
    /// They go with it; the children stay.
    Remove,
}

/// What happens to a type that is already there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddTypes {
    /// It is refused.
    Refuse,
    /// It is replaced.
    Update,
}

/// Something to be done to a registry.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Adds a resource, under a parent where one is given.
    Add(NewResource),
    /// Changes the facts of a resource.
    Set(ResourceId, SetResource),
    /// Removes a resource.
    Remove(ResourceId, LinksToo),
    /// Removes several resources with their links: what a discovery reported as stale.
    RemoveAll(Vec<ResourceId>),
    /// Puts the second under the first.
    Link(ResourceId, ResourceId),
    /// Puts each of several under the first.
    LinkAll(ResourceId, Vec<ResourceId>),
    /// Takes the second from under the first.
    Unlink(ResourceId, ResourceId),
    /// Takes away each of several links, the parent first.
    UnlinkAll(Vec<(ResourceId, ResourceId)>),
    /// Adds types.
    AddTypes(Vec<ResourceType>, AddTypes),
    /// Removes a type that no resource has. A built-in one that was replaced comes back as it was.
    RemoveType(String),
    /// Mends: takes away all links that lead to or from an id without a row.
    RemoveDangling,
    /// Mends: takes away one link, whatever its ends are, that is part of a cycle.
    Break(ResourceId, ResourceId),
    /// Adds what another registry held. What is there already and the same is left alone; all or nothing is added.
    Import(Document),
}

/// What an operation would do.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What it does, in a few words, as the undo list names it.
    pub label: String,
    /// The rows it changes, in order.
    pub changes: Vec<RowChange>,
    /// What a person should know beforehand.
    pub notes: Vec<String>,
    /// The number, in the journal, of the write it is a further part of.
    pub(crate) part_of: Option<u64>,
    /// Its own number in the journal, once it has been carried out and noted there.
    pub(crate) entry: Option<u64>,
}

impl Plan {
    /// The resources it makes or changes, as they will be.
    pub fn resources(&self) -> impl Iterator<Item = &Resource> {
        self.changes.iter().filter_map(|change| match change {
            RowChange::Resource { after: Some(resource), .. } => Some(&**resource),
            _ => None,
        })
    }

    /// The resources it removes.
    pub fn removed(&self) -> impl Iterator<Item = &Resource> {
        self.changes.iter().filter_map(|change| match change {
            RowChange::Resource { before: Some(resource), after: None, .. } => Some(&**resource),
            _ => None,
        })
    }

    /// The links it makes.
    pub fn linked(&self) -> impl Iterator<Item = &Link> {
        self.changes.iter().filter_map(|change| match change {
            RowChange::Link { after: Some(link), .. } => Some(link),
            _ => None,
        })
    }

    /// The links it takes away.
    pub fn unlinked(&self) -> impl Iterator<Item = &Link> {
        self.changes.iter().filter_map(|change| match change {
            RowChange::Link { before: Some(link), after: None, .. } => Some(link),
            _ => None,
        })
    }
}

/// Plans an operation on the rows as they are.
pub(super) fn plan(operation: &Operation, mut draft: Draft<'_>) -> Result<Plan, Error> {
    let mut notes = Vec::new();
    let label = match operation {
        Operation::Add(new) => add(new, &mut draft)?,
        Operation::Set(id, set) => set_facts(id, set, &mut draft)?,
        Operation::Remove(id, links) => remove(id, *links, &mut draft, &mut notes)?,
        Operation::RemoveAll(ids) => remove_all(ids, &mut draft, &mut notes)?,
        Operation::Link(parent, child) => {
            let (parent, child) = draft.link_if_allowed(parent, child)?;
            format!("link {} → {}", parent.label(), child.label())
        }
        Operation::LinkAll(parent, children) => {
            let parent = graph::expect(&draft, parent, Role::Parent)?;
            for child in children {
                draft.link_if_allowed(&parent.id, child)?;
            }
            format!("link {} under {}", counted(children.len(), "resource"), parent.label())
        }
        Operation::Unlink(parent, child) => {
            let (parent, child) = graph::check_unlink(&draft, parent, child)?;
            draft.unlink(&parent.id, &child.id)?;
            notes.extend(unlink_notes(&draft, &parent, &child)?);
            format!("unlink {} → {}", parent.label(), child.label())
        }
        Operation::UnlinkAll(links) => unlink_all(links, &mut draft, &mut notes)?,
        Operation::AddTypes(types, existing) => add_types(types, *existing, &mut draft)?,
        Operation::RemoveType(name) => remove_type(name, &mut draft)?,
        Operation::RemoveDangling => {
            let dangling = draft.dangling_links()?;
            for link in &dangling {
                draft.unlink(&link.parent_id, &link.child_id)?;
            }
            format!("remove {}", counted(dangling.len(), "dangling link"))
        }
        Operation::Break(parent, child) => break_link(parent, child, &mut draft)?,
        Operation::Import(document) => import(document, &mut draft)?,
    };
    Ok(Plan { label, changes: draft.into_changes(), notes, part_of: None, entry: None })
}

fn add(new: &NewResource, draft: &mut Draft<'_>) -> Result<String, Error> {
    graph::expect_type(draft, &new.type_name)?;
    if let Some(name) = &new.name {
        free_name(name, draft)?;
    }
    let resource = Resource {
        id: draft.next_id()?,
        name: new.name.clone(),
        type_name: new.type_name.clone(),
        location: new.location.clone(),
        description: new.description.clone(),
        properties_json: None,
        auto_discovered: false,
        created_at: now(),
    };
    let mut label = format!("add {}", resource.label());
    let id = resource.id.clone();
    draft.add(resource);
    if let Some(parent) = &new.parent {
        let (parent, _) = draft.link_if_allowed(parent, &id)?;
        let _ = write!(label, " under {}", parent.label());
    }
    Ok(label)
}

/// A name that is well-formed and that no resource has.
pub(super) fn free_name(name: &str, draft: &Draft<'_>) -> Result<(), Error> {
    check_name(name).map_err(|why| Error::Invalid(format!("the name \"{name}\" {why}; choose another")))?;
    match draft.named(name)? {
        Some(holder) => Err(Error::DuplicateName { name: name.to_owned(), holder: holder.id.to_string() }),
        None => Ok(()),
    }
}

fn set_facts(id: &ResourceId, set: &SetResource, draft: &mut Draft<'_>) -> Result<String, Error> {
    let before = graph::expect(draft, id, Role::Resource)?;
    let mut after = before.clone();
    if let Some(name) = &set.name
        && before.name.as_ref() != Some(name)
    {
        free_name(name, draft)?;
        after.name = Some(name.clone());
    }
    if let Some(location) = &set.location {
        after.location = Some(location.clone()).filter(|location| !location.is_empty());
    }
    if let Some(description) = &set.description {
        after.description = Some(description.clone()).filter(|description| !description.is_empty());
    }
    let label = format!("set {}", before.label());
    if before != after {
        draft.set(before, after);
    }
    Ok(label)
}

fn remove(id: &ResourceId, links: LinksToo, draft: &mut Draft<'_>, notes: &mut Vec<String>) -> Result<String, Error> {
    let resource = graph::expect(draft, id, Role::Resource)?;
    let all = draft.links_of(id)?;
    if !all.is_empty() && links == LinksToo::Refuse {
        let name = |id: &ResourceId| {
            let found = draft.resource(id)?;
            Ok(found.map_or_else(|| super::super::Named::missing(id.clone()), |found| found.named()))
        };
        let parents = all.iter().filter(|link| link.child_id == *id).map(|link| name(&link.parent_id));
        let children = all.iter().filter(|link| link.parent_id == *id).map(|link| name(&link.child_id));
        return Err(Error::ResourceInUse {
            resource: Box::new(resource.named()),
            parents: parents.collect::<Result<_, Error>>()?,
            children: children.collect::<Result<_, Error>>()?,
        });
    }
    let label = format!("remove {}", resource.label());
    remove_all(std::slice::from_ref(id), draft, notes)?;
    Ok(label)
}

fn remove_all(ids: &[ResourceId], draft: &mut Draft<'_>, notes: &mut Vec<String>) -> Result<String, Error> {
    let going: std::collections::HashSet<&ResourceId> = ids.iter().collect();
    let (mut links, mut roots) = (0, 0);
    for id in ids {
        let resource = graph::expect(draft, id, Role::Resource)?;
        for link in draft.links_of(id)? {
            draft.unlink(&link.parent_id, &link.child_id)?;
            links += 1;
            let child = &link.child_id;
            if !going.contains(child) && draft.resource(child)?.is_some() && draft.parents_of(child)?.is_empty() {
                roots += 1;
            }
        }
        draft.remove(resource)?;
    }
    if links > 0 {
        let then = if roots == 1 { "child becomes a root" } else { "children become roots" };
        notes.push(format!("removes {}; {} {then}", counted(links, "link"), thousands(roots)));
    }
    Ok(format!("remove {}", counted(ids.len(), "resource")))
}

fn unlink_all(
    links: &[(ResourceId, ResourceId)],
    draft: &mut Draft<'_>,
    notes: &mut Vec<String>,
) -> Result<String, Error> {
    let mut gone = Vec::with_capacity(links.len());
    for (parent, child) in links {
        let ends = graph::check_unlink(draft, parent, child)?;
        draft.unlink(parent, child)?;
        gone.push(ends);
    }
    // once all of them are gone: a child of two of these parents is a root only then
    let mut told = std::collections::HashSet::new();
    for (parent, child) in &gone {
        let of = unlink_notes(draft, parent, child)?;
        notes.extend(of.into_iter().filter(|note| told.insert(note.clone())));
    }
    Ok(format!("take away {}", counted(links.len(), "link")))
}

/// What a person should know before a link goes: that the next discovery brings it back, that the child becomes a root.
fn unlink_notes(draft: &Draft<'_>, parent: &Resource, child: &Resource) -> Result<Vec<String>, Error> {
    let mut notes: Vec<String> = comes_back(draft, parent, child)?.into_iter().collect();
    if draft.parents_of(&child.id)?.is_empty() {
        notes.push(format!("{} becomes a root: it has no other parent", child.label()));
    }
    Ok(notes)
}

fn comes_back(draft: &Draft<'_>, parent: &Resource, child: &Resource) -> Result<Option<String>, Error> {
    if !child.auto_discovered || !lies_directly_in(child.location.as_deref(), parent.location.as_deref()) {
        return Ok(None);
    }
    let Some(parent_type) = draft.resource_type(&parent.type_name)? else { return Ok(None) };
    Ok(parent_type.discovers(&child.type_name).then(|| {
        let (parent, child) = (parent.label(), child.label());
        format!("the next discovery of {parent} brings {child} back: a rule of its type finds it there")
    }))
}

fn add_types(types: &[ResourceType], existing: AddTypes, draft: &mut Draft<'_>) -> Result<String, Error> {
    let mut names: Vec<&str> = Vec::with_capacity(types.len());
    for one in types {
        if names.contains(&one.name.as_str()) {
            return Err(Error::Invalid(format!("the type \"{}\" is given twice; give it once", one.name)));
        }
        names.push(&one.name);
        let before = draft.type_row(&one.name)?;
        if before.is_some() && existing == AddTypes::Refuse {
            return Err(Error::DuplicateType { name: one.name.clone() });
        }
        let after = TypeRow {
            name: one.name.clone(),
            spec_json: spec_json(one),
            built_in: false,
            created_at: before.as_ref().map_or_else(now, |row| row.created_at.clone()),
        };
        if before.as_ref() != Some(&after) {
            draft.put_type(before, Some(after));
        }
    }
    match names.as_slice() {
        [one] => Ok(format!("add type {one}")),
        several => Ok(format!("add {}", counted(several.len(), "type"))),
    }
}

fn remove_type(name: &str, draft: &mut Draft<'_>) -> Result<String, Error> {
    let Some(before) = draft.type_row(name)? else {
        return Err(Error::TypeNotFound { name: name.to_owned(), similar: Vec::new() });
    };
    if let Some((built_in, _)) = types::built_in()?.into_iter().find(|(built_in, _)| built_in.name == name) {
        let spec_json = spec_json(&built_in);
        if before.spec_json == spec_json {
            let text = format!("the type \"{name}\" is built in; `dagwood type add --update` replaces it");
            return Err(Error::Invalid(text));
        }
        let after = TypeRow { spec_json, built_in: true, ..before.clone() };
        draft.put_type(Some(before), Some(after));
        return Ok(format!("restore the built-in type {name}"));
    }
    let users = draft.users_of_type(name)?;
    if users > 0 {
        return Err(Error::TypeInUse { name: name.to_owned(), users });
    }
    draft.put_type(Some(before), None);
    Ok(format!("remove type {name}"))
}

fn break_link(parent: &ResourceId, child: &ResourceId, draft: &mut Draft<'_>) -> Result<String, Error> {
    if !draft.has_link(parent, child)? {
        graph::check_unlink(draft, parent, child)?;
    }
    // the link is part of a cycle when its child reaches its parent
    if graph::path_down(draft, child, parent)?.is_none() {
        let text =
            format!("the link {parent} → {child} is part of no cycle; take it away with `dagwood resource unlink`");
        return Err(Error::Invalid(text));
    }
    draft.mend(parent, child)?;
    let named = graph::names(draft, [parent.clone(), child.clone()])?;
    Ok(format!("break {} → {}", named[0], named[1]))
}

fn import(document: &Document, draft: &mut Draft<'_>) -> Result<String, Error> {
    for one in &document.types {
        // a type of this registry's own is never replaced by an import
        if draft.resource_type(&one.name)?.is_none() {
            let row = TypeRow { name: one.name.clone(), spec_json: spec_json(one), built_in: false, created_at: now() };
            draft.put_type(None, Some(row));
        }
    }
    let mut resources = 0;
    for one in &document.resources {
        match draft.resource(&one.id)? {
            Some(there) if there == *one => continue,
            Some(there) => {
                let text = format!(
                    "the id {} is {} here and {} there; nothing was imported",
                    one.id,
                    there.label(),
                    one.label()
                );
                return Err(Error::Invalid(text));
            }
            None => {}
        }
        if one.id.as_str().chars().count() != 26 {
            return Err(Error::Invalid(format!("the id \"{}\" has not 26 characters; nothing was imported", one.id)));
        }
        graph::expect_type(draft, &one.type_name)?;
        if let Some(name) = &one.name {
            free_name(name, draft)?;
        }
        draft.add(one.clone());
        resources += 1;
    }
    let mut links = 0;
    for Link { parent_id, child_id, .. } in &document.links {
        if !draft.has_link(parent_id, child_id)? {
            draft.link_if_allowed(parent_id, child_id)?;
            links += 1;
        }
    }
    Ok(format!("import {} and {}", counted(resources, "resource"), counted(links, "link")))
}

/// `1 link`, `2 links`.
pub(crate) fn counted(number: impl Copy + PartialEq + From<u8> + std::fmt::Display, what: &str) -> String {
    format!("{} {what}{}", thousands(number), if number == 1.into() { "" } else { "s" })
}
