//! The inheritance of a layer as a graph: folders with their states, and which contracts each inherits.

use std::io::{self, Write};

use super::index::Index;
use super::model::State;
use super::resolve::{Report, chain};
use super::tree::FolderId;

/// Writes the graph in the language of Graphviz: an edge goes from each contract to the directories right below whose
/// chain it is in.
///
/// # Errors
/// When writing fails.
pub fn dot(index: &Index, to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "digraph contracts {{\n  rankdir=LR;\n  node [shape=box, fontname=\"monospace\"];")?;
    for folder in index.directories() {
        let style = match index.standing(folder).state {
            State::Documented => "solid",
            State::Exempt => "dotted",
            State::Owed => "bold",
        };
        let label = quoted(&label(index, folder, "\n"));
        writeln!(to, "  d{} [label={label}, style={style}];", folder.at())?;
    }
    for folder in index.directories() {
        if let Some(parent) = index.parent(folder) {
            let passes = passed_on(index, parent, folder);
            let label = if passes.is_empty() { String::new() } else { format!(" [label={}]", quoted(&passes)) };
            writeln!(to, "  d{} -> d{}{label};", parent.at(), folder.at())?;
        }
    }
    writeln!(to, "}}")
}

/// Writes the graph as a Mermaid flowchart.
///
/// # Errors
/// When writing fails.
pub fn mermaid(index: &Index, to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "flowchart LR")?;
    for folder in index.directories() {
        let class = index.standing(folder).state;
        writeln!(to, "  d{}[\"{}\"]:::{class}", folder.at(), entities(&label(index, folder, "<br/>")))?;
    }
    for folder in index.directories() {
        if let Some(parent) = index.parent(folder) {
            let passes = passed_on(index, parent, folder);
            let label = if passes.is_empty() { String::new() } else { format!("|\"{}\"|", entities(&passes)) };
            writeln!(to, "  d{} -->{label} d{}", parent.at(), folder.at())?;
        }
    }
    writeln!(to, "  classDef exempt stroke-dasharray: 3 3\n  classDef owed stroke-width: 3px")
}

/// Writes the report of all directories with their chains, as `contract list --effective --json` gives it.
///
/// # Errors
/// When writing fails.
pub fn json(report: &Report, to: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *to, report)?;
    writeln!(to)
}

/// A directory's path, state, and the id of its contract.
fn label(index: &Index, folder: FolderId, newline: &str) -> String {
    let path = crate::text::visible(&index.path(folder).text()).into_owned();
    let id = index.contract_of(folder).map(|(_, contract)| format!("{newline}{}", contract.id));
    format!("{path}{newline}{}{}", index.standing(folder).state, id.unwrap_or_default())
}

/// The ids of the contracts in a directory's chain that sit in the folder right above it.
fn passed_on(index: &Index, parent: FolderId, folder: FolderId) -> String {
    let own = index.contract_of(parent).map(|(id, _)| id);
    let steps = chain(index, folder).into_iter().filter(|step| Some(step.document) == own);
    steps
        .filter_map(|step| index.contract(step.document))
        .map(|contract| contract.id.clone())
        .collect::<Vec<_>>()
        .join(", ")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// A text in a Mermaid label; the breaks this module puts in stay.
fn entities(text: &str) -> String {
    let safe = text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;");
    safe.replace('#', "&#35;").replace("&lt;br/&gt;", "<br/>")
}
