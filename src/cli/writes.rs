//! `undo`, `redo` and `history`: the writes of dagwood in this workspace.

use clap::Args;
use serde_json::{Map, Value, json};

use super::Context;
use super::output::{Answer, Tone};
use crate::edit::Entry;
use crate::error::{Code, Coded, Failure};
use crate::resources::{Told, Turn, thousands};
use crate::workspace::Outlook;

/// How many rows of a write are told.
const MOST: usize = 20;

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
            let standing = workspace.to_undo()?;
            let next = &standing.entry;
            let older = workspace.journal().list()?.into_iter().rev();
            let older = older.filter(|entry| !entry.undone && entry.number < next.number);
            let outlook = workspace.outlook(&standing, Turn::Undo, MOST)?;
            return Ok(planned("undone", "would undo", self.first(next.clone(), older), outlook));
        }
        let done = (0..self.steps).map(|_| workspace.undo());
        Ok(told("undone", "undid", collect("undid", done)?))
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
            return Ok(planned("redone", "would redo", self.first(next.clone(), newer), outlook));
        }
        let done = (0..self.steps).map(|_| workspace.redo());
        Ok(told("redone", "redid", collect("redid", done)?))
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

fn told(key: &'static str, verb: &'static str, entries: Vec<Entry>) -> Answer {
    Answer::new(json!({ key: entries }), move |_, to| {
        entries.iter().try_for_each(|entry| to.line(format!("{verb} “{}” ({})", entry.label, entry.at)))
    })
}

/// What would be done: of the next write each row, of the others what came of them.
fn planned(key: &'static str, verb: &'static str, entries: Vec<Entry>, outlook: Outlook) -> Answer {
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
        Ok(())
    })
}

/// All writes that can be undone or redone, the newest first.
pub fn history(context: &Context) -> Result<Answer, Failure> {
    let mut entries = context.workspace.journal().list()?;
    entries.reverse();
    let rows: Vec<_> = entries
        .iter()
        .map(|entry| json!({ "number": entry.number, "label": entry.label, "effect": entry.effect, "at": entry.at, "undone": entry.undone }))
        .collect();
    Ok(Answer::new(json!({ "writes": rows }), move |_, to| {
        if entries.is_empty() {
            return to.line("dagwood has written nothing here");
        }
        for entry in &entries {
            let tone = if entry.undone { Tone::Dim } else { Tone::Strong };
            to.toned(Tone::Dim, format!("{}  ", entry.at))?;
            to.toned(tone, &entry.label)?;
            if !entry.effect.is_empty() {
                to.toned(Tone::Dim, format!("  {}", entry.effect))?;
            }
            to.line(if entry.undone { "  (undone)" } else { "" })?;
        }
        Ok(())
    }))
}
