//! Writing what a scan found: in bounded transactions, each of which looks again at what is there.

use std::collections::HashSet;
use std::sync::atomic::Ordering;

use super::scan::{Found, STEP, Scan, check, scan};
use super::{Discover, Discovery, Progress, Skip, Watch, lies_directly_in, path_of};
use crate::error::{Code, Coded};
use crate::resources::error::Error;
use crate::resources::graph::{self, Store};
use crate::resources::model::{Resource, ResourceId, Role, check_name, thousands};
use crate::resources::registry::{Draft, Durability, Plan, Registry, RowChange, now};
use crate::resources::types::Handler;

/// So many entries are written in one transaction.
const BATCH: usize = if cfg!(test) { 2 } else { 20_000 };

impl Registry {
    /// Finds the direct children of a resource and links them; gives the new ones.
    ///
    /// # Errors
    /// As [`Registry::discover`].
    pub fn auto_discover_children(&mut self, id: &ResourceId) -> Result<Vec<Resource>, Error> {
        let watch = Watch { cancel: &std::sync::atomic::AtomicBool::new(false), progress: &|_| {} };
        Ok(self.discover(id, &Discover::ONE_LEVEL, &watch)?.created)
    }

    /// Finds children, and with [`super::Reach::Recursive`] theirs, and links them.
    ///
    /// # Errors
    /// [`Error::ResourceNotFound`], [`Error::TypeNotFound`]; [`Error::Io`] when the location cannot be read, and then
    /// nothing was written; [`Error::Cancelled`], which says what had been written.
    pub fn discover(&mut self, id: &ResourceId, how: &Discover, watch: &Watch<'_>) -> Result<Discovery, Error> {
        let (root, found, mut discovery) = self.look(id, how, watch)?;
        let mut ids: Vec<Option<ResourceId>> = Vec::with_capacity(found.found.len());
        let total = found.found.len();
        self.durability(Durability::Relaxed)?;
        // the first part, in the journal
        let (mut part, mut first) = (0, None);
        while ids.len() < total {
            if watch.cancel.load(Ordering::Relaxed) {
                self.usual_durability()?;
                return Err(stopped(ids.len(), total));
            }
            let to = (ids.len() + BATCH).min(total);
            part += 1;
            let label = match total.div_ceil(BATCH) {
                0 | 1 => format!("discover {}", root.label()),
                parts => format!("discover {} ({part} of {parts})", root.label()),
            };
            // the plan may be made more than once; what it says last is what was written
            let written = std::cell::RefCell::new(Batch::default());
            let done = self.transact(|draft| {
                let (plan, batch) = plan_batch(&found.found, &ids, to, &root, draft, &label, watch)?;
                written.replace(batch);
                Ok(Plan { part_of: first, ..plan })
            });
            match done {
                Ok(plan) => first = first.or(plan.entry),
                Err(error) => {
                    self.usual_durability()?;
                    return Err(if error.code() == Code::Cancelled { stopped(ids.len(), total) } else { error });
                }
            }
            let batch = written.into_inner();
            ids.extend(batch.ids);
            discovery.merge(batch.outcome);
            (watch.progress)(Progress { found: total as u64, done: ids.len() as u64 });
        }
        self.usual_durability()?;
        discovery.stale = self.stale(&root, &found, &ids)?;
        Ok(discovery)
    }

    /// [`Registry::discover`] of several resources, one after the other.
    ///
    /// # Errors
    /// As [`Registry::discover`]; [`Error::Partly`] when some are done by then.
    pub fn discover_all(&mut self, ids: &[ResourceId], how: &Discover, watch: &Watch<'_>) -> Result<Discovery, Error> {
        let mut all = Discovery::default();
        for (done, id) in ids.iter().enumerate() {
            let partly = |source| Error::Partly { done, all: ids.len(), source: Box::new(source) };
            let found = check(watch).and_then(|()| self.discover(id, how, watch));
            all.merge(found.map_err(|error| if done == 0 { error } else { partly(error) })?);
        }
        Ok(all)
    }

    /// What [`Registry::discover`] would do. Nothing is written, and a registry open for reading will do.
    ///
    /// # Errors
    /// As [`Registry::discover`].
    pub fn plan_discovery(&self, id: &ResourceId, how: &Discover, watch: &Watch<'_>) -> Result<Discovery, Error> {
        let (root, found, mut discovery) = self.look(id, how, watch)?;
        let (_, batch) = plan_batch(&found.found, &[], found.found.len(), &root, self.draft(), "", watch)?;
        let ids = batch.ids;
        discovery.merge(batch.outcome);
        discovery.stale = self.stale(&root, &found, &ids)?;
        Ok(discovery)
    }

    /// The discovered children of a resource whose entries have vanished from the disk.
    ///
    /// # Errors
    /// As [`Registry::plan_discovery`]: where its location cannot be read nothing counts as vanished.
    pub fn stale_children(&self, id: &ResourceId) -> Result<Vec<Resource>, Error> {
        let watch = Watch { cancel: &std::sync::atomic::AtomicBool::new(false), progress: &|_| {} };
        let (root, found, _) = self.look(id, &Discover::ONE_LEVEL, &watch)?;
        self.stale(&root, &found, &[])
    }

    /// What was discovered below resources whose entries have vanished, however deep, and has vanished with them.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn stale_below(&self, stale: &[Resource]) -> Result<Vec<Resource>, Error> {
        let mut met: HashSet<ResourceId> = stale.iter().map(|it| it.id.clone()).collect();
        let mut all = stale.to_vec();
        let mut at = 0;
        while at < all.len() {
            let above = all[at].location.clone();
            for child in self.discovered_children(&all[at].id)? {
                let lay_there = lies_directly_in(child.location.as_deref(), above.as_deref());
                if lay_there && is_gone(child.location.as_deref()) && met.insert(child.id.clone()) {
                    all.push(child);
                }
            }
            at += 1;
        }
        Ok(all.split_off(stale.len()))
    }

    fn look(&self, id: &ResourceId, how: &Discover, watch: &Watch<'_>) -> Result<(Resource, Scan, Discovery), Error> {
        let draft = self.draft();
        let root = graph::expect(&draft, id, Role::Resource)?;
        let mut found = scan(&root, how, &draft, watch)?;
        let skipped = std::mem::take(&mut found.skipped);
        Ok((root, found, Discovery { skipped, ..Discovery::default() }))
    }

    /// The discovered children of what was looked into whose entries are gone.
    fn stale(&self, root: &Resource, scan: &Scan, ids: &[Option<ResourceId>]) -> Result<Vec<Resource>, Error> {
        let mut stale = Vec::new();
        let found: HashSet<&str> = scan.found.iter().filter_map(|found| found.location.as_deref()).collect();
        for (at, handler) in &scan.looked_into {
            let (id, location) = match at {
                None => (Some(&root.id), root.location.as_deref()),
                Some(at) => (ids.get(*at).and_then(Option::as_ref), scan.found[*at].location.as_deref()),
            };
            let Some(id) = id else { continue };
            let at_type = *at;
            for child in self.discovered_children(id)? {
                let Some(at) = child.location.as_deref() else { continue };
                let gone = match handler {
                    // git has said all it knows, of what it was asked for
                    Handler::Git => {
                        let kind = self.resource_type(match at_type {
                            Some(at) => &scan.found[at].child_type,
                            None => root.type_name.as_str(),
                        });
                        child.type_name.starts_with("git-") && kind.is_ok_and(|kind| kind.discovers(&child.type_name))
                    }
                    _ => lies_directly_in(Some(at), location) && is_gone(Some(at)),
                };
                if gone && !found.contains(at) {
                    stale.push(child);
                }
            }
        }
        Ok(stale)
    }
}

/// Whether nothing is at a location. One that is no path goes with what it lay in.
fn is_gone(location: Option<&str>) -> bool {
    location.and_then(path_of).is_none_or(|path| path.symlink_metadata().is_err())
}

impl Discovery {
    /// Takes up what another discovery did.
    pub fn merge(&mut self, other: Discovery) {
        self.created.extend(other.created);
        self.linked.extend(other.linked);
        self.stale.extend(other.stale);
        self.skipped.extend(other.skipped);
    }
}

/// What became of a batch of entries.
#[derive(Default)]
struct Batch {
    /// The resource of each; `None` where it could not be linked, so that nothing goes below it.
    ids: Vec<Option<ResourceId>>,
    outcome: Discovery,
}

/// The person said stop.
fn stopped(done: usize, total: usize) -> Error {
    if done == 0 {
        return Error::Cancelled("nothing was written".to_owned());
    }
    Error::Cancelled(format!("{} of {} are in; the next discovery goes on", thousands(done), thousands(total)))
}

/// Plans the entries after those that have ids, up to `to`.
fn plan_batch(
    found: &[Found],
    before: &[Option<ResourceId>],
    to: usize,
    root: &Resource,
    mut draft: Draft<'_>,
    label: &str,
    watch: &Watch<'_>,
) -> Result<(Plan, Batch), Error> {
    let mut batch = Batch::default();
    let mut parent: Option<(Option<usize>, Option<Resource>)> = None;
    for entry in &found[before.len()..to] {
        if parent.as_ref().is_none_or(|(at, _)| *at != entry.parent) {
            let id = match entry.parent {
                None => Some(root.id.clone()),
                Some(at) if at < before.len() => before[at].clone(),
                Some(at) => batch.ids[at - before.len()].clone(),
            };
            // it may have been removed since the last batch
            let resource = match id {
                Some(id) => draft.resource(&id)?,
                None => None,
            };
            parent = Some((entry.parent, resource));
        }
        let id = match &parent {
            Some((_, Some(parent))) => place(entry, parent, &mut draft, &mut batch.outcome)?,
            _ => None,
        };
        batch.ids.push(id);
        if batch.ids.len().is_multiple_of(STEP) {
            if watch.cancel.load(Ordering::Relaxed) {
                return Err(stopped(before.len(), found.len()));
            }
            let done = (before.len() + batch.ids.len()) as u64;
            (watch.progress)(Progress { found: found.len() as u64, done });
        }
    }
    let changes = draft.into_changes();
    let plan = Plan { label: label.to_owned(), changes, notes: Vec::new(), part_of: None, entry: None };
    for change in &plan.changes {
        if let RowChange::Resource { before: None, after: Some(made), .. } = change {
            batch.outcome.created.push((**made).clone());
        }
    }
    Ok((plan, batch))
}

/// One entry under its parent: there already, linked, or made.
fn place(
    entry: &Found,
    parent: &Resource,
    draft: &mut Draft<'_>,
    outcome: &mut Discovery,
) -> Result<Option<ResourceId>, Error> {
    let known = match &entry.location {
        Some(location) => draft.at(&entry.child_type, location)?,
        None => draft.placeholder(&parent.id, &entry.child_type)?,
    };
    if let Some(known) = known {
        if !draft.has_link(&parent.id, &known.id)? {
            match draft.link_if_allowed(&parent.id, &known.id) {
                Ok(_) => outcome.linked.push(known.clone()),
                Err(refused @ (Error::CycleDetected { .. } | Error::TypeIncompatible { .. })) => {
                    let reason = refused.to_string().lines().next().unwrap_or_default().to_owned();
                    let skip = Skip { location: entry.location.clone(), ..Skip::of(&entry.child_type, reason) };
                    outcome.skipped.push(skip);
                    return Ok(None);
                }
                Err(error) => return Err(error),
            }
        }
        return Ok(Some(known.id));
    }
    if let Err(refused) = graph::check_types(draft, &parent.type_name, &entry.child_type) {
        let skip = Skip { location: entry.location.clone(), ..Skip::of(&entry.child_type, refused.to_string()) };
        outcome.skipped.push(skip);
        return Ok(None);
    }
    let resource = Resource {
        id: draft.next_id()?,
        name: name_of(entry, parent, draft)?,
        type_name: entry.child_type.to_string(),
        location: entry.location.clone(),
        description: entry.description.clone(),
        properties_json: None,
        auto_discovered: true,
        created_at: now(),
    };
    let id = resource.id.clone();
    draft.add(resource);
    // it is new, so no link leads from it and none can close a cycle
    draft.link(&parent.id, &id);
    Ok(Some(id))
}

/// The parent's name and the entry's; none where that is taken or is no name.
fn name_of(entry: &Found, parent: &Resource, draft: &Draft<'_>) -> Result<Option<String>, Error> {
    let (Some(parent), Some(entry)) = (&parent.name, &entry.entry) else { return Ok(None) };
    let name = format!("{parent}/{entry}");
    let free = check_name(&name).is_ok() && draft.named(&name)?.is_none();
    Ok(free.then_some(name))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::edit::Journal;
    use crate::resources::discovery::location_of;
    use crate::resources::{NewResource, Opening};

    #[test]
    fn a_discovery_that_is_stopped_while_it_waits_for_the_journal_says_what_is_in() {
        let dir = tempfile::tempdir().unwrap();
        for nth in 0..5 {
            std::fs::create_dir_all(dir.path().join(format!("many/d{nth}"))).unwrap();
        }
        let stop: Arc<AtomicBool> = Arc::default();
        let journal = Journal::at(&dir.path().join("state"), dir.path()).until(Arc::clone(&stop));
        let opening = Opening { journal: Some(journal), ..Opening::default() };
        let mut registry = Registry::open_to_write(&dir.path().join("r.db"), opening).unwrap();
        let new = NewResource {
            type_name: "fs-directory".into(),
            name: Some("many".into()),
            location: Some(location_of(&dir.path().join("many"))),
            ..NewResource::default()
        };
        let id = registry.add(new).unwrap().id;
        // after the first part, and known to the journal alone
        let progress = |progress: Progress| stop.store(progress.done > 0, Ordering::SeqCst);
        let watch = Watch { cancel: &AtomicBool::new(false), progress: &progress };
        let error = registry.discover(&id, &Discover::ONE_LEVEL, &watch).unwrap_err();
        assert_eq!(error.to_string(), "stopped; 2 of 5 are in; the next discovery goes on");
        assert_eq!(registry.get_children(&id).unwrap().len(), 2);
    }
}
