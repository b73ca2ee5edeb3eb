//! `export`: a part written out whole, as a graph to draw or as JSON.

use std::io::{self, Write};

use clap::{Args, ValueEnum};

use super::Context;
use super::output::{Answer, Body, Printer};
use crate::contracts::{self, Layer};
use crate::error::Failure;
use crate::resources::{self, Registry};
use crate::selection::{self, Project};

/// What to write out, and how.
#[derive(Debug, Args)]
pub struct Export {
    /// The part
    #[arg(value_enum)]
    part: Part,
    /// The format; with --json it is json
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The resource DAG
    Resources,
    /// The layer: its directories and how contracts reach them
    Contracts,
    /// The packages and their items
    Selection,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Graphviz
    Dot,
    /// Mermaid
    Mermaid,
    /// JSON
    #[default]
    Json,
}

/// A part that has been read, to be written as it goes.
enum Whole {
    Resources(Box<Registry>),
    Contracts(Box<Layer>, Box<contracts::Report>),
    Selection(Box<selection::Selection>),
}

struct Written {
    whole: Whole,
    format: Format,
}

impl Export {
    /// Runs the command.
    pub fn run(self, context: &Context) -> Result<Answer, Failure> {
        let workspace = &context.workspace;
        let whole = match self.part {
            Part::Resources => Whole::Resources(Box::new(workspace.registry()?)),
            Part::Contracts => {
                let layer = workspace.layer();
                let request = contracts::Request { effective: true, ..contracts::Request::default() };
                let report = layer.list(&request)?;
                Whole::Contracts(Box::new(layer), Box::new(report))
            }
            Part::Selection => {
                let place = workspace.project().project;
                let project = place.map(|place| Project::read(&place, &workspace.environment()));
                let empty = selection::Graph::new(selection::model::View::default());
                let graph = project.as_ref().map_or(&empty, Project::graph);
                Whole::Selection(Box::new(selection::select(graph)))
            }
        };
        Ok(Answer::of(Written { whole, format: self.format }))
    }
}

impl Written {
    fn write(&self, format: Format, to: &mut dyn Write) -> io::Result<()> {
        match (&self.whole, format) {
            (Whole::Resources(registry), Format::Dot) => resources::export::dot(registry, to),
            (Whole::Resources(registry), Format::Mermaid) => resources::export::mermaid(registry, to),
            (Whole::Resources(registry), Format::Json) => resources::export::json(registry, to),
            (Whole::Contracts(layer, _), Format::Dot) => contracts::export::dot(&layer.index, to),
            (Whole::Contracts(layer, _), Format::Mermaid) => contracts::export::mermaid(&layer.index, to),
            (Whole::Contracts(_, report), Format::Json) => contracts::export::json(report, to),
            (Whole::Selection(selected), Format::Dot) => selection::export::dot(selected, to),
            (Whole::Selection(selected), Format::Mermaid) => selection::export::mermaid(selected, to),
            (Whole::Selection(selected), Format::Json) => selection::export::json(selected, to),
        }
    }
}

impl Body for Written {
    fn json(&self, to: &mut dyn Write) -> io::Result<()> {
        self.write(Format::Json, to)
    }

    fn text(&self, to: &mut Printer<'_>) -> io::Result<()> {
        to.through(|out| self.write(self.format, out))
    }
}
