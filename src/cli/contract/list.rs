//! `contract list`: every directory, its state, and on request its chain.

use std::io;
use std::mem::ManuallyDrop;

use clap::Args;

use super::super::Context;
use super::super::output::{Answer, Printer, Tone};
use super::{padded, width};
use crate::contracts::{FolderId, Index, Report, Request, State, chain, resolve};
use crate::error::Failure;
use crate::mark::Mark;

/// From this width on, paths push what follows them to the right.
const WIDEST_PATH: usize = 64;

/// Which directories to list.
#[derive(Debug, Args)]
pub struct List {
    /// Only this directory, with its chain
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    path: Option<std::ffi::OsString>,
    /// Only the directories in this state
    #[arg(long, value_name = "STATE", value_parser = state)]
    state: Option<State>,
    /// With the chain of every directory
    #[arg(long)]
    effective: bool,
}

fn state(word: &str) -> Result<State, String> {
    State::of(word).ok_or_else(|| format!("expected one of {}", State::WORDS.join(", ")))
}

impl List {
    /// Runs the verb.
    pub fn run(self, context: &Context) -> Result<Answer, Failure> {
        context.named_layer()?;
        // the program ends with this answer: a large layer goes at once then, and takes a while to be taken apart
        let layer = ManuallyDrop::new(super::read(context));
        let path = self.path.map(|path| crate::contracts::path_text(&path));
        let report = layer.list(&Request { path, effective: self.effective, state: self.state })?;
        let begin = super::how_to_begin(context);
        Ok(Answer::new(report, move |report, to| text(&begin, report, to)))
    }
}

fn text(begin: &str, report: &Report, to: &mut Printer<'_>) -> io::Result<()> {
    let tallies = report.tallies();
    let broken = resolve::broken(report.index()).count();
    if tallies.directories == 0 && broken == 0 && report.findings().is_empty() {
        return to.line(begin);
    }
    let paths = report.directories().iter().map(|folder| width(&report.index().path(*folder).text()));
    let column = paths.max().unwrap_or(0).min(WIDEST_PATH);
    for folder in report.directories() {
        row(report, *folder, column, to)?;
    }
    for lost in resolve::broken(report.index()).filter(|lost| !lost.listed) {
        to.toned(Tone::Bad, state_cell(Mark::Broken))?;
        to.part(format!(" {}  ", padded(&lost.directory.text(), column)))?;
        to.toned(Tone::Dim, format!("{} ({})", lost.document, lost.class.name()))?;
        to.line("")?;
    }
    let listed = report.index().preorder().map(|folder| report.index().standing(folder)).filter(|it| it.listed);
    let of_them = match listed.filter(|standing| standing.mark() == Mark::Broken).count() {
        0 => String::new(),
        count => format!(" ({count} broken)"),
    };
    to.line(format!(
        "{} directories: {} documented, {} exempt, {} owed{of_them}",
        tallies.directories, tallies.documented, tallies.exempt, tallies.owed
    ))?;
    // those of what is owed are not among them: the rows say it
    if !report.findings().is_empty() {
        let count = report.findings().len();
        let findings = if count == 1 { "finding" } else { "findings" };
        to.line(format!("{count} {findings} in the documents; `dagwood contract validate` reports all there is"))?;
    }
    Ok(())
}

/// A state with its mark, as wide as the widest.
fn state_cell(mark: Mark) -> String {
    format!("{:<12}", mark.told())
}

fn row(report: &Report, folder: FolderId, column: usize, to: &mut Printer<'_>) -> io::Result<()> {
    let index = report.index();
    let standing = index.standing(folder);
    let tone = match standing.state {
        State::Documented => Tone::Good,
        State::Exempt => Tone::Dim,
        State::Owed => Tone::Bad,
    };
    to.toned(tone, state_cell(standing.mark()))?;
    let because = because(index, folder);
    let path = index.path(folder).text();
    if because.is_empty() {
        to.line(format!(" {path}"))?;
    } else {
        to.part(format!(" {}", padded(&path, column)))?;
        to.toned(Tone::Dim, because)?;
        to.line("")?;
    }
    if report.has_chains() {
        for step in chain(index, folder) {
            let contract = index.contract(step.document);
            let id = contract.map_or("", |contract| &contract.id);
            let order = contract.map_or(0, |contract| contract.order);
            to.part(format!("    {:>2} {order:>5}  {id}", step.depth))?;
            to.toned(Tone::Dim, format!("  {}  {}", step.reason.words(), index.document(step.document).path))?;
            to.line("")?;
        }
    }
    Ok(())
}

/// Why a directory is in its state, in a few words.
fn because(index: &Index, folder: FolderId) -> String {
    let standing = index.standing(folder);
    let document = |id| &index.document(id).path;
    match standing.state {
        State::Documented => {
            let Some((id, contract)) = index.contract_of(folder) else { return String::new() };
            let new = if index.document(id).new { "  * new" } else { "" };
            format!("  {}{new}", contract.id)
        }
        State::Exempt => match (standing.exempted_by, standing.governed_by) {
            (Some(by), _) => format!("  exempted by {}", document(by)),
            (None, Some(by)) => format!("  not required by {}", document(by)),
            (None, None) => String::new(),
        },
        State::Owed if standing.broken => "  its contract is broken".to_owned(),
        State::Owed => match standing.governed_by {
            Some(by) => format!("  required by {}", document(by)),
            None => String::new(),
        },
    }
}
