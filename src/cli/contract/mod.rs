//! `dagwood contract`: what the directories of the layer owe, why, and how to settle it.

mod explain;
mod fix;
mod list;
mod validate;

use std::io;
use std::path::Path;

use clap::Subcommand;

use super::Context;
use super::output::{Answer, Printer};
use crate::contracts::layer::plain;
use crate::contracts::{Layer, path_text, resolve};
use crate::error::Failure;
use crate::finding::Area;
use crate::text::visible;

/// The verbs of this noun.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the directories of the layer and what each owes
    List(list::List),
    /// Explain what applies to a path and why, what does not, and what would change its state
    Explain(explain::Explain),
    /// Report what is wrong in the layer; status 1 when an error is found
    Validate(validate::Validate),
    /// Settle owed directories
    Fix(fix::Fix),
    /// Mend a broken document by the fixes its findings name
    Repair(fix::Repair),
}

impl Command {
    /// Runs the verb.
    pub fn run(self, context: &Context) -> Result<Answer, Failure> {
        match self {
            Command::List(list) => list.run(context),
            Command::Explain(explain) => explain.run(context),
            Command::Validate(validate) => validate.run(context),
            Command::Fix(fix) => fix.run(context),
            Command::Repair(repair) => repair.run(context),
        }
    }
}

/// The layer of the workspace; an empty one where there is none.
fn read(context: &Context) -> Layer {
    context.workspace.layer()
}

/// How a person begins a layer where none is.
fn how_to_begin(context: &Context) -> String {
    context.workspace.beginning(Area::Contracts).line()
}

/// A path as a person may give it, as one of the repository: from the top of the repository when it names something in
/// the layer so, else from where the program was started.
fn locate(context: &Context, layer: &Layer, given: &Path) -> String {
    let text = path_text(given.as_os_str());
    let root = layer.index.root();
    let inside = |text: &str| resolve::normalise(text).is_ok_and(|normal| root.covers(normal.as_bytes()));
    if inside(&text) {
        return text;
    }
    let from_here = plain(&context.workspace.start.join(given));
    match from_here.strip_prefix(&layer.place.top) {
        Ok(below) if !below.as_os_str().is_empty() => path_text(below.as_os_str()),
        _ => text,
    }
}

/// How wide a text is on a terminal, once it is made visible.
fn width(text: &str) -> usize {
    use unicode_width::UnicodeWidthStr;
    visible(text).width()
}

/// Rows in aligned columns.
fn table<const N: usize>(rows: &[[String; N]], to: &mut Printer<'_>) -> io::Result<()> {
    let mut widths = [0; N];
    for row in rows {
        for (most, cell) in widths.iter_mut().zip(row) {
            *most = width(cell).max(*most);
        }
    }
    for row in rows {
        let cells = row.iter().zip(widths).map(|(cell, most)| padded(cell, most));
        to.line(format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end())?;
    }
    Ok(())
}

/// A text made visible and filled with spaces to a width.
fn padded(text: &str, most: usize) -> String {
    let spaces = most.saturating_sub(width(text));
    format!("{}{}", visible(text), " ".repeat(spaces))
}
