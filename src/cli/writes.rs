//! `undo`, `redo` and `history`: the writes of dagwood in this workspace.

use clap::Args;
use serde_json::{Map, Value, json};

use super::Context;
use super::output::{Answer, Tone};
use crate::edit::Entry;
use crate::error::{Code, Coded, Exit, Failure};
use crate::resources::{Told, Turn, thousands};
use crate::workspace::{Fate, Outlook};

/// How many rows of a write are told.
const MOST: usize = 20;

/// Which writes to take back.
#[derive(Debug, Args)]
pub struct Undo {
    #[command(flatten)]
    steps: Steps,
    /// Leave the last write as it is, so that the one before it is next: for a write that was edited since
    #[arg(long, conflicts_with = "steps")]
    skip: bool,
}

impl Undo {
    /// Undoes the newest writes, or leaves the newest one as it is.
    pub fn run(self, context: &Context) -> Result<Answer, Failure> {
        if self.skip {
            return keep(context, self.steps.dry_run);
        }
        self.steps.undo(context)
    }
}

/// Leaves the newest write as it is.
fn keep(context: &Context, dry_run: bool) -> Result<Answer, Failure> {
    let workspace = &context.workspace;
    let kept = workspace.to_keep()?;
    if !dry_run {
        workspace.keep(&kept)?;
    }
    let next = workspace.next_without(&kept)?;
    let verb = if dry_run { "would leave" } else { "left" };
    let answer = json!({ "kept": kept, "next": next });
    Ok(Answer::new(answer, move |_, to| {
        to.line(format!("{verb} “{}” ({}) as it is; it is not undone any more", kept.label, kept.at))?;
        match &next {
            Some(next) => to.line(format!("  next to undo: “{}” ({})", next.label, next.at)),
            None => to.line("  nothing before it is left to undo"),
        }
    }))
}

/// A write cannot be undone, and what there is to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{0}\n`dagwood undo --skip` leaves that write as it is, and the one before it is next")]
struct InTheWay(Failure);

impl Coded for InTheWay {
    fn code(&self) -> Code {
        self.0.code()
    }

    fn fields(&self) -> Map<String, Value> {
        self.0.fields()
    }
}

/// The failure of an undo, with the way on where it is about what was written, and trying again does not help.
fn way_on(cause: Failure) -> Failure {
    let passes = matches!(cause.code(), Code::NothingToUndo | Code::Cancelled);
    if passes || cause.code().exit() != Exit::Refused { cause } else { InTheWay(cause).into() }
}

/// How many writes to take back, or to do again.
#[derive(Debug, Args)]
pub struct Steps {
    /// How many
    #[arg(default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    steps: u16,
    /// Say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

impl Steps {
    /// Undoes the newest writes.
    pub fn undo(self, context: &Context) -> Result<Answer, Failure> {
        let workspace = &context.workspace;
        if self.dry_run {
            let standing = workspace.to_undo().map_err(|error| way_on(error.into()))?;
            let next = &standing.entry;
            let older = workspace.journal().list()?.into_iter().rev();
            let older = older.filter(|entry| !entry.undone && entry.number < next.number);
            let outlook = workspace.outlook(&standing, Turn::Undo, MOST)?;
            return Ok(self.planned("undone", "would undo", self.first(next.clone(), older), outlook));
        }
        let done = (0..self.steps).map(|_| workspace.undo().map_err(way_on));
        Ok(self.told("undone", "undid", collect("undid", done)?))
    }

    /// Does undone writes again.
    pub fn redo(self, context: &Context) -> Result<Answer, Failure> {
        let workspace = &context.workspace;
        if self.dry_run {
            let standing = workspace.to_redo()?;
            let next = &standing.entry;
            let newer = workspace.journal().list()?.into_iter();
            let newer = newer.filter(|entry| entry.undone && entry.number > next.number);
            let outlook = workspace.outlook(&standing, Turn::Redo, MOST)?;
            return Ok(self.planned("redone", "would redo", self.first(next.clone(), newer), outlook));
        }
        let done = (0..self.steps).map(|_| workspace.redo());
        Ok(self.told("redone", "redid", collect("redid", done)?))
    }

    /// As many writes as are asked for, from this one on; a long one has several entries and is told by its last.
    fn first(&self, next: Entry, others: impl Iterator<Item = Entry>) -> Vec<Entry> {
        let mut writes: Vec<Entry> = vec![next];
        for entry in others {
            let enough = writes.len() == usize::from(self.steps);
            match writes.last_mut() {
                Some(last) if last.write() == entry.write() => *last = entry,
                _ if enough => break,
                _ => writes.push(entry),
            }
        }
        writes
    }

    /// What is said where there were fewer writes than were asked for.
    fn fewer(&self, verb: &'static str, count: usize) -> Option<String> {
        let asked = usize::from(self.steps);
        (count < asked).then(|| format!("{verb} {count} of the {asked} asked for: there are no more"))
    }

    fn told(&self, key: &'static str, verb: &'static str, entries: Vec<Entry>) -> Answer {
        let fewer = self.fewer(verb, entries.len());
        Answer::new(json!({ key: entries }), move |_, to| {
            entries.iter().try_for_each(|entry| to.line(format!("{verb} “{}” ({})", entry.label, entry.at)))?;
            fewer.iter().try_for_each(|fewer| to.line(fewer))
        })
    }

    /// What would be done: of the next write each row, of the others what came of them.
    fn planned(&self, key: &'static str, verb: &'static str, entries: Vec<Entry>, outlook: Outlook) -> Answer {
        let fewer = self.fewer(verb, entries.len());
        let Outlook { rows: Told { rows, more }, effect, also } = outlook;
        let answer = json!({ key: entries, "effect": effect, "changes": rows, "more": more });
        Answer::new(answer, move |_, to| {
            for (nth, entry) in entries.iter().enumerate() {
                to.line(format!("{verb} “{}” ({})", entry.label, entry.at))?;
                if nth > 0 {
                    if !entry.effect.is_empty() {
                        to.line(format!("  written: {}", entry.effect))?;
                    }
                    continue;
                }
                to.line(format!("  {effect}"))?;
                for row in &rows {
                    to.line(format!("  {} {}", row.becomes.mark(), row.row))?;
                }
                if more > 0 {
                    to.line(format!("  and {} more", thousands(more)))?;
                }
                for part in &also {
                    to.line(format!("  and with it “{}”, written: {}", part.label, part.effect))?;
                }
            }
            fewer.iter().try_for_each(|fewer| to.line(fewer))
        })
    }
}

/// Some of several steps were done, then one could not be.
#[derive(Debug, thiserror::Error)]
#[error("{cause}\n{verb} before it: {}", done.join(", "))]
struct Stopped {
    verb: &'static str,
    done: Vec<String>,
    cause: Failure,
}

impl Coded for Stopped {
    fn code(&self) -> Code {
        self.cause.code()
    }

    fn fields(&self) -> Map<String, Value> {
        let mut fields = self.cause.fields();
        fields.insert("done".to_owned(), json!(self.done));
        fields
    }
}

/// The entries, up to where there are no more; an error tells what had been done before it.
fn collect(verb: &'static str, done: impl Iterator<Item = Result<Entry, Failure>>) -> Result<Vec<Entry>, Failure> {
    let mut entries: Vec<Entry> = Vec::new();
    for entry in done {
        match entry {
            Ok(entry) => entries.push(entry),
            Err(error) if entries.is_empty() => return Err(error),
            Err(error) if error.code() == Code::NothingToUndo => break,
            Err(cause) => {
                let done = entries.into_iter().map(|entry| entry.label).collect();
                return Err(Stopped { verb, done, cause }.into());
            }
        }
    }
    Ok(entries)
}

/// All writes that are remembered, the newest first.
pub fn history(context: &Context) -> Result<Answer, Failure> {
    let entries = context.workspace.writes()?;
    let rows: Vec<_> = entries
        .iter()
        .map(|(entry, fate)| {
            json!({
                "number": entry.number, "label": entry.label, "effect": entry.effect, "at": entry.at,
                "undone": entry.undone, "kept": *fate == Fate::Kept,
            })
        })
        .collect();
    Ok(Answer::new(json!({ "writes": rows }), move |_, to| {
        if entries.is_empty() {
            return to.line("dagwood has written nothing here");
        }
        for (entry, fate) in &entries {
            let tone = if *fate == Fate::Stands { Tone::Strong } else { Tone::Dim };
            to.toned(Tone::Dim, format!("{}  ", entry.at))?;
            to.toned(tone, &entry.label)?;
            if !entry.effect.is_empty() {
                to.toned(Tone::Dim, format!("  {}", entry.effect))?;
            }
            to.line(fate.note())?;
        }
        Ok(())
    }))
}
