//! `export`: a part written out whole, as a graph for other programs to draw or as one JSON document.

use std::io::{self, Write};

use clap::{Args, ValueEnum};

use super::Context;
use super::output::{Answer, Body, Printer};
use crate::contracts::{self, Layer, Report, Request};
use crate::error::Failure;
use crate::resources::{self, Registry};
use crate::selection::model::View;
use crate::selection::{self, Graph, Project, Selection};

/// What to write out, and how.
#[derive(Debug, Args)]
pub struct Export {
    /// Which part
    #[arg(value_enum)]
    part: Part,
    /// In which form; with --json always as JSON
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Resources, their types and links
    Resources,
    /// Directories with their states and chains
    Contracts,
    /// Packages and the items that are selected
    Selection,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// One document
    #[default]
    Json,
    /// For Graphviz
    Dot,
    /// For Mermaid, as documents on the web show it
    Mermaid,
}

/// What is written out.
enum Whole {
    Resources(Box<Registry>),
    Contracts(Box<Layer>, Box<Report>),
    Selection(Box<Selection>),
}

impl Whole {
    fn write(&self, format: Format, to: &mut dyn Write) -> io::Result<()> {
        match (self, format) {
            (Whole::Resources(registry), Format::Json) => resources::export::json(registry, to),
            (Whole::Resources(registry), Format::Dot) => resources::export::dot(registry, to),
            (Whole::Resources(registry), Format::Mermaid) => resources::export::mermaid(registry, to),
            (Whole::Contracts(_, report), Format::Json) => contracts::export::json(report, to),
            (Whole::Contracts(layer, _), Format::Dot) => contracts::export::dot(&layer.index, to),
            (Whole::Contracts(layer, _), Format::Mermaid) => contracts::export::mermaid(&layer.index, to),
            (Whole::Selection(selection), Format::Json) => selection::export::json(selection, to),
            (Whole::Selection(selection), Format::Dot) => selection::export::dot(selection, to),
            (Whole::Selection(selection), Format::Mermaid) => selection::export::mermaid(selection, to),
        }
    }
}

struct Exported {
    whole: Whole,
    format: Format,
}

impl Body for Exported {
    fn json(&self, to: &mut dyn Write) -> io::Result<()> {
        self.whole.write(Format::Json, to)
    }

    fn text(&self, to: &mut Printer<'_>) -> io::Result<()> {
        self.whole.write(self.format, to.as_it_is())
    }
}

impl Export {
    /// Runs the command.
    pub fn run(self, context: &Context) -> Result<Answer, Failure> {
        let workspace = &context.workspace;
        let whole = match self.part {
            Part::Resources => Whole::Resources(Box::new(workspace.registry()?)),
            Part::Contracts => {
                let layer = workspace.layer();
                let report = layer.list(&Request { effective: true, ..Request::default() })?;
                Whole::Contracts(Box::new(layer), Box::new(report))
            }
            Part::Selection => {
                let place = workspace.project().project;
                let project = place.map(|place| Project::read(&place, &workspace.environment()));
                let selection = match &project {
                    Some(project) => selection::select(project.graph()),
                    None => selection::select(&Graph::new(View::default())),
                };
                Whole::Selection(Box::new(selection))
            }
        };
        Ok(Answer::of(Exported { whole, format: self.format }))
    }
}
