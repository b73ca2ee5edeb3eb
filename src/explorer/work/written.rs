//! What was written in this workspace, told for the list of tasks.

use super::Shared;
use crate::explorer::model::{Action, Line, PaneId, Tone};
use crate::workspace::Fate;

/// A line a write, the newest first.
pub fn list(shared: &Shared) -> Vec<Line> {
    let entries = match shared.workspace.writes() {
        Ok(entries) => entries,
        Err(error) => return vec![Line::of(Tone::Bad, error.to_string())],
    };
    if entries.is_empty() {
        return vec![Line::plain("Nothing has been written here.")];
    }
    let key = |action| shared.keymap.hint(PaneId::Resources, action);
    let keys = format!("{} undoes the newest that stands, {} redoes", key(Action::Undo), key(Action::Redo));
    let mut lines = Vec::new();
    if !shared.workspace.options.read_only {
        lines.extend([Line::of(Tone::Dim, keys), Line::blank()]);
    }
    for (entry, fate) in &entries {
        let tone = if *fate == Fate::Stands { Tone::Plain } else { Tone::Dim };
        let line = Line::of(Tone::Dim, format!("{}  ", entry.at)).hanging();
        let effect = if entry.effect.is_empty() { String::new() } else { format!("  {}", entry.effect) };
        lines.push(line.and(tone, entry.label.as_str()).and(Tone::Dim, effect).and(Tone::Dim, fate.note()));
    }
    lines
}
