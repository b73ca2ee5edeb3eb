//! Writing a what-if into `mars.toml`: planned, previewed, confirmed by reading the project again, and undoable.

use super::model::{Kind, Name};
use super::project::Project;
use super::rewrite::{Change, Refused, rewrite};
use super::select::{Selection, select};
use super::source::Environment;
use super::what_if::{self, Effect, Try};
use crate::edit::{self, FileEdit, Journal, Plan};
use crate::error::Failure;

/// A what-if that can be written.
#[derive(Clone, Debug)]
pub struct Planned {
    /// What would come and go.
    pub effect: Effect,
    /// The change of the file; no edits when the tries change nothing.
    pub plan: Plan,
}

/// Plans to write some tries into the project's manifest.
///
/// # Errors
/// [`what_if::Error`] when one cannot be tried, [`Refused`] when the file cannot be changed for certain.
pub fn plan(project: &Project, before: &Selection, tries: &[Try]) -> Result<Planned, Failure> {
    let changed = before.graph().try_out(tries)?;
    let effect = what_if::effect(before, &changed);
    let plan = write(project, before, &effect, tries)?;
    Ok(Planned { effect, plan })
}

/// The change of the manifest that leads from one selection's lines to those of another.
///
/// # Errors
/// [`Refused`].
pub fn write(project: &Project, before: &Selection, effect: &Effect, tries: &[Try]) -> Result<Plan, Refused> {
    let label = match tries {
        [one] => one.words(),
        many => format!("{} changes of mars.toml", many.len()),
    };
    let changes = changes(before, &effect.after);
    let mut plan = Plan { label, root: project.place.root.clone(), edits: Vec::new() };
    if let Some((first, _)) = changes.first() {
        let text = std::str::from_utf8(project.manifest_text());
        let text = text.map_err(|_| Refused { key: first.clone(), why: "it is not UTF-8".into() })?;
        let after = rewrite(text, &changes)?;
        plan.edits.push(FileEdit::change(project.place.manifest(), text, after));
    }
    Ok(plan)
}

/// What happens to each of your lines between two selections.
fn changes(before: &Selection, after: &Selection) -> Vec<(Name, Change)> {
    let mut changes: Vec<(Name, Change)> = Vec::new();
    for (_, entry) in before.graph().entries() {
        let key = &entry.line.name;
        let now = after.graph().entries().map(|(_, entry)| entry).find(|entry| entry.line.name == *key);
        let change = match now {
            None => Change::Drop,
            Some(now) if now.line.filter != entry.line.filter => Change::Filter(now.line.filter.clone()),
            Some(_) => continue,
        };
        if changes.iter().all(|(known, _)| known != key) {
            changes.push((key.clone(), change));
        }
    }
    changes
}

/// Writes a plan, reads the project again and takes the write back when it does not give what was previewed.
///
/// # Errors
/// Every [`edit::Error`]; the file is then as it was.
pub fn carry_out(
    planned: &Planned,
    project: &Project,
    environment: &Environment,
    journal: &Journal,
) -> Result<(), edit::Error> {
    if planned.plan.edits.is_empty() {
        return Ok(());
    }
    edit::carry_out(&planned.plan, journal, || {
        let read = Project::read(&project.place, environment);
        if names(&select(read.graph())) == names(&planned.effect.after) {
            Ok(())
        } else {
            Err("the project read again selects other items than the preview; look at it again and repeat".to_owned())
        }
    })
}

/// The items of a selection by name, for comparing selections of different graphs.
fn names(selection: &Selection) -> Vec<(Option<Name>, Kind, Name)> {
    let graph = selection.graph();
    let name = |id: &super::ItemId| {
        let item = graph.item(*id);
        (graph.name(item.package).cloned(), item.kind, item.slug.clone())
    };
    let mut names: Vec<_> = selection.items().iter().map(name).collect();
    names.sort();
    names
}
