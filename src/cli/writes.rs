//! `undo`, `redo` and `history`: the writes of dagwood in this workspace.

use clap::Args;
use serde_json::json;

use super::Context;
use super::output::{Answer, Tone};
use crate::edit::Entry;
use crate::error::Failure;

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
            return Ok(told("undone", "would undo", vec![workspace.to_undo()?]));
        }
        let done = (0..self.steps).map(|_| workspace.undo());
        Ok(told("undone", "undid", collect(done)?))
    }

    /// Does undone writes again.
    pub fn redo(self, context: &Context) -> Result<Answer, Failure> {
        let workspace = &context.workspace;
        if self.dry_run {
            return Ok(told("redone", "would redo", vec![workspace.to_redo()?]));
        }
        let done = (0..self.steps).map(|_| workspace.redo());
        Ok(told("redone", "redid", collect(done)?))
    }
}

/// The entries up to the first error; the error itself when it comes first.
fn collect(done: impl Iterator<Item = Result<Entry, Failure>>) -> Result<Vec<Entry>, Failure> {
    let mut entries = Vec::new();
    for entry in done {
        match entry {
            Ok(entry) => entries.push(entry),
            Err(error) if entries.is_empty() => return Err(error),
            Err(_) => break,
        }
    }
    Ok(entries)
}

fn told(key: &'static str, verb: &'static str, entries: Vec<Entry>) -> Answer {
    Answer::new(json!({ key: entries }), move |_, to| {
        entries.iter().try_for_each(|entry| to.line(format!("{verb} “{}” ({})", entry.label, entry.at)))
    })
}

/// All writes that can be undone or redone, the newest first.
pub fn history(context: &Context) -> Result<Answer, Failure> {
    let mut entries = context.workspace.journal().list()?;
    entries.reverse();
    let rows: Vec<_> = entries
        .iter()
        .map(|entry| json!({ "number": entry.number, "label": entry.label, "at": entry.at, "undone": entry.undone }))
        .collect();
    Ok(Answer::new(json!({ "writes": rows }), move |_, to| {
        if entries.is_empty() {
            return to.line("dagwood has written nothing here");
        }
        for entry in &entries {
            let tone = if entry.undone { Tone::Dim } else { Tone::Strong };
            to.toned(Tone::Dim, format!("{}  ", entry.at))?;
            to.toned(tone, &entry.label)?;
            to.line(if entry.undone { "  (undone)" } else { "" })?;
        }
        Ok(())
    }))
}
