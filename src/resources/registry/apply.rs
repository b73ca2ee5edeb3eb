//! Changing rows: an operation's, inside one immediate transaction, or those of the journal, back or again.

use std::sync::atomic::Ordering;

use rusqlite::TransactionBehavior;

use super::failure::{constraint, failed, given_up, may_succeed_again};
use super::operations::{self, Operation, Plan};
use super::rows::Tables;
use super::{Draft, Registry, RowChange, told};
use crate::edit::disk::{Call, step};
use crate::edit::{self, Held, Journal, RowChanges};
use crate::resources::error::Error;
use crate::resources::graph;
use crate::resources::model::{Link, ResourceId};

/// How often a transaction is begun again when another writer won in between.
const TRIES: usize = 5;

/// Which way rows are changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Back to what they were before the write.
    Undo,
    /// Again to what they were after it.
    Redo,
}

/// What undoing or redoing found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reverted {
    /// The rows were changed.
    Done,
    /// They already were as they should be: the write had never happened, or was undone by hand.
    AlreadySo,
}

impl Registry {
    /// What an operation would do, or why it is refused. Nothing is written, and a registry open for reading will do.
    ///
    /// # Errors
    /// The rule that refuses it.
    pub fn plan(&self, operation: &Operation) -> Result<Plan, Error> {
        let _moment = self.snapshot()?;
        operations::plan(operation, self.draft()).map_err(|error| self.with_near_types(error))
    }

    /// Does it: plans it again inside one immediate transaction, changes the rows, notes them in the journal, commits.
    ///
    /// # Errors
    /// The rule that refuses it; [`Error::ReadOnly`], [`Error::Busy`]. The registry is then as it was.
    pub fn carry_out(&mut self, operation: &Operation) -> Result<Plan, Error> {
        self.transact(|draft| operations::plan(operation, draft))
    }

    /// Does what a plan said, and only that: planned again, it still has to take away and link the same, or it is
    /// refused.
    ///
    /// # Errors
    /// As [`Registry::carry_out`], and [`Error::ChangedSince`] when another writer came in between.
    pub fn carry_out_as(&mut self, operation: &Operation, shown: &Plan) -> Result<Plan, Error> {
        let file = self.file.clone();
        self.transact(|draft| {
            let plan = operations::plan(operation, draft)?;
            if alike(&plan, shown) {
                return Ok(plan);
            }
            let what = format!("what “{}” would change is not what was shown any more", shown.label);
            Err(Error::ChangedSince { what, file: file.clone() })
        })
    }

    /// Plans something inside one immediate transaction and does it.
    pub(crate) fn transact(&mut self, plan: impl Fn(Draft<'_>) -> Result<Plan, Error>) -> Result<Plan, Error> {
        let mut tries = 1;
        loop {
            match self.transact_once(&plan) {
                Err(error) if tries < TRIES && may_succeed_again(&error) => tries += 1,
                other => return other.map_err(given_up),
            }
        }
    }

    fn transact_once(&mut self, plan: &impl Fn(Draft<'_>) -> Result<Plan, Error>) -> Result<Plan, Error> {
        let Registry { connection, file, columns, journal, writable, .. } = self;
        if !*writable {
            return Err(Error::ReadOnly { file: file.clone(), why: "it was opened to look at" });
        }
        // before the registry, as an undo does: two that wait for each other's would both fail
        let held = journal.as_ref().map(Journal::hold).transpose()?;
        step(Call::Begin, file).map_err(Error::io("begin to write", file.as_path()))?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        // it may have waited for another program
        held.as_ref().map_or(Ok(()), Held::still_wanted)?;
        let transaction = transaction.map_err(failed(file))?;
        let tables = Tables { connection: &transaction, columns };
        let mut plan = plan(Draft::on(tables, file))?;
        if plan.changes.is_empty() {
            return Ok(plan);
        }
        if columns.foreign && plan.changes.iter().any(|change| matches!(change, RowChange::Type { .. })) {
            let why = "the types of the original program's registries are its own";
            return Err(Error::ReadOnly { file: file.clone(), why });
        }
        for change in &plan.changes {
            step(Call::Row, file).map_err(Error::io("write", file.as_path()))?;
            make(tables, change).map_err(|error| constraint(error, change, tables, file))?;
        }
        let entry = match held {
            None => None,
            Some(held) => {
                // as one text: as values, many rows would take ten times the room
                let changes = serde_json::to_string(&plan.changes).map_err(std::io::Error::other);
                let changes = changes.map_err(Error::io("write down the change of", file.as_path()))?.into();
                // it is undone from anywhere
                let registry = std::path::absolute(&*file).unwrap_or_else(|_| file.clone());
                let rows = RowChanges { registry, changes };
                let effect = told::effect(&plan.changes);
                let entry = held.record_rows(&plan.label, effect, rows, plan.part_of)?;
                Some((held, entry))
            }
        };
        let committed = step(Call::Commit, file).map_err(Error::io("write", file.as_path()));
        let committed = committed.and_then(|()| transaction.commit().map_err(failed(file)));
        match (committed, entry) {
            (Ok(()), None) => Ok(plan),
            (Ok(()), Some((held, entry))) => {
                plan.entry = Some(entry);
                held.settle();
                Ok(plan)
            }
            (Err(error), None) => Err(error),
            (Err(error), Some((held, entry))) => {
                held.forget(entry);
                Err(error)
            }
        }
    }

    /// Takes rows of the journal back, or makes them again, in one transaction. The rules are asked again about links
    /// that come back, since others may have linked meanwhile.
    ///
    /// # Errors
    /// [`Error::ChangedSince`] when a row is no longer as the write left it, or something new hangs on it; the rule that
    /// refuses a link; [`Error::Invalid`] when the journal's rows are not understood; [`edit::Error::Cancelled`] as the
    /// registry's own.
    pub fn revert(&mut self, rows: &RowChanges, turn: Turn) -> Result<Reverted, Error> {
        let mut changes = turned(rows, turn)?;
        if turn == Turn::Undo {
            changes.reverse();
        }
        let Registry { connection, file, columns, stop, writable, .. } = self;
        if !*writable {
            return Err(Error::ReadOnly { file: file.clone(), why: "it was opened to look at" });
        }
        step(Call::Begin, file).map_err(Error::io("begin to write", file.as_path()))?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        // it may have waited for another program
        if stop.as_ref().is_some_and(|stop| stop.load(Ordering::SeqCst)) {
            return Err(edit::Error::Cancelled.into());
        }
        let transaction = transaction.map_err(failed(file))?;
        let tables = Tables { connection: &transaction, columns };
        let mut already = 0;
        for change in &changes {
            if stands(tables, change, Side::After).map_err(failed(file))? {
                already += 1;
            } else if !stands(tables, change, Side::Before).map_err(failed(file))? {
                return Err(Error::ChangedSince { what: differs(change, turn), file: file.clone() });
            }
        }
        if already == changes.len() {
            return Ok(Reverted::AlreadySo);
        }
        for change in &changes {
            if stands(tables, change, Side::After).map_err(failed(file))? {
                // somebody has already made it so
                continue;
            }
            if let Some(what) = hangs_on(tables, change).map_err(failed(file))? {
                return Err(Error::ChangedSince { what, file: file.clone() });
            }
            if let RowChange::Link { before: None, after: Some(link), mended: false } = change {
                graph::check_link(&Draft::on(tables, file), &link.parent_id, &link.child_id)?;
            }
            step(Call::Row, file).map_err(Error::io("write", file.as_path()))?;
            make(tables, change).map_err(failed(file))?;
        }
        step(Call::Commit, file).map_err(Error::io("write", file.as_path()))?;
        transaction.commit().map_err(failed(file))?;
        Ok(Reverted::Done)
    }

    /// Whether any row of the journal's is as its write left it.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the journal's rows are not understood; when the file cannot be read.
    pub fn holds(&self, rows: &RowChanges) -> Result<bool, Error> {
        let _moment = self.snapshot()?;
        for change in &understood(rows)? {
            if self.say(stands(self.tables(), change, Side::After))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Rows of the journal as undoing or redoing them changes them, in the order in which they were written.
///
/// # Errors
/// [`Error::Invalid`] when they are not understood.
pub fn turned(rows: &RowChanges, turn: Turn) -> Result<Vec<RowChange>, Error> {
    let changes = understood(rows)?;
    Ok(match turn {
        Turn::Redo => changes,
        Turn::Undo => changes.into_iter().map(reversed).collect(),
    })
}

fn understood(rows: &RowChanges) -> Result<Vec<RowChange>, Error> {
    serde_json::from_str(rows.changes.as_str().unwrap_or_default())
        .map_err(|error| Error::Invalid(format!("the journal's rows cannot be read: {error}")))
}

/// Whether two plans of one operation do the same; ids and times that are made anew each time aside.
fn alike(one: &Plan, other: &Plan) -> bool {
    let ends = |plan: &Plan| -> Vec<(ResourceId, ResourceId)> {
        plan.unlinked().map(|link| (link.parent_id.clone(), link.child_id.clone())).collect()
    };
    let removed = |plan: &Plan| -> Vec<ResourceId> { plan.removed().map(|resource| resource.id.clone()).collect() };
    one.changes.len() == other.changes.len()
        && one.label == other.label
        && ends(one) == ends(other)
        && removed(one) == removed(other)
}

fn make(tables: Tables<'_>, change: &RowChange) -> rusqlite::Result<()> {
    match change {
        RowChange::Resource { before: None, after: Some(after), rest } => tables.insert_resource(after, rest),
        RowChange::Resource { before: Some(_), after: Some(after), .. } => tables.update_resource(after),
        RowChange::Resource { before: Some(before), after: None, .. } => tables.delete_resource(&before.id),
        RowChange::Link { before, after, .. } => {
            if let Some(before) = before {
                tables.delete_link(&before.parent_id, &before.child_id)?;
            }
            after.as_ref().map_or(Ok(()), |after| tables.insert_link(after))
        }
        RowChange::Type { after: Some(after), .. } => tables.put_type(after),
        RowChange::Type { before: Some(before), after: None } => tables.delete_type(&before.name),
        RowChange::Resource { before: None, after: None, .. } | RowChange::Type { before: None, after: None } => Ok(()),
    }
}

fn reversed(change: RowChange) -> RowChange {
    match change {
        RowChange::Resource { before, after, rest } => RowChange::Resource { before: after, after: before, rest },
        RowChange::Link { before, after, mended } => RowChange::Link { before: after, after: before, mended },
        RowChange::Type { before, after } => RowChange::Type { before: after, after: before },
    }
}

#[derive(Clone, Copy)]
enum Side {
    Before,
    After,
}

impl Side {
    fn of<T>(self, before: T, after: T) -> T {
        match self {
            Side::Before => before,
            Side::After => after,
        }
    }
}

/// Whether the row is as one side of the change says.
fn stands(tables: Tables<'_>, change: &RowChange, side: Side) -> rusqlite::Result<bool> {
    Ok(match change {
        RowChange::Resource { before, after, .. } => {
            let Some(any) = before.as_ref().or(after.as_ref()) else { return Ok(true) };
            tables.resource(&any.id)?.as_ref() == side.of(before.as_deref(), after.as_deref())
        }
        RowChange::Link { before, after, .. } => {
            let Some(any) = before.as_ref().or(after.as_ref()) else { return Ok(true) };
            tables.link(&any.parent_id, &any.child_id)?.as_ref() == side.of(before.as_ref(), after.as_ref())
        }
        RowChange::Type { before, after } => {
            let Some(any) = before.as_ref().or(after.as_ref()) else { return Ok(true) };
            tables.type_row(&any.name)?.as_ref() == side.of(before.as_ref(), after.as_ref())
        }
    })
}

/// What would be lost with a row that is about to go, since it came after the write.
fn hangs_on(tables: Tables<'_>, change: &RowChange) -> rusqlite::Result<Option<String>> {
    match change {
        RowChange::Resource { before: Some(before), after: None, .. } => {
            let links = tables.links_of(&before.id)?;
            Ok(links.first().map(|link| {
                let other = if link.parent_id == before.id { &link.child_id } else { &link.parent_id };
                format!("{} has been linked with {} since", before.label(), label(tables, other))
            }))
        }
        RowChange::Type { before: Some(before), after: None } => {
            let users = tables.users_of_type(&before.name)?;
            Ok((users > 0)
                .then(|| format!("{} of the type {} since", operations::counted(users, "resource"), before.name)))
        }
        _ => Ok(None),
    }
}

fn label(tables: Tables<'_>, id: &ResourceId) -> String {
    tables.resource(id).ok().flatten().map_or_else(|| id.to_string(), |resource| resource.label())
}

fn differs(change: &RowChange, turn: Turn) -> String {
    let verb = if turn == Turn::Undo { "undone" } else { "redone" };
    let what = match change {
        RowChange::Resource { before, after, .. } => {
            before.as_ref().or(after.as_ref()).map_or_else(String::new, |resource| resource.label())
        }
        RowChange::Link { before, after, .. } => before.as_ref().or(after.as_ref()).map_or_else(String::new, link_text),
        RowChange::Type { before, after } => {
            before.as_ref().or(after.as_ref()).map_or_else(String::new, |row| format!("the type {}", row.name))
        }
    };
    format!("{what} has been changed by somebody else, so this cannot be {verb}")
}

fn link_text(link: &Link) -> String {
    format!("the link {} → {}", link.parent_id, link.child_id)
}
