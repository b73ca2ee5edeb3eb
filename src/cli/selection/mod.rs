//! `dagwood selection`: what is selected from the package graph, and why.

mod list;
mod what_if;
mod why;

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::Context;
use super::output::Answer;
use crate::bounded;
use crate::error::{Failure, InvalidInput};
use crate::finding::{Area, Finding};
use crate::selection::answer;
use crate::selection::boundary;
use crate::selection::{Graph, Kind, Project, select};

/// The verbs of this noun.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// What is selected, missing and left out
    List,
    /// The packages: where each was found, its versions, how much of it is selected
    Packages,
    /// Why an item is selected, or why it is not
    Why {
        /// Its slug
        name: String,
        /// Only items of this kind
        #[arg(long)]
        kind: Option<KindArgument>,
        /// Only items of this package
        #[arg(long, value_name = "KEY")]
        package: Option<String>,
        /// How many chains to show of each item; all are counted
        #[arg(long, value_name = "N", default_value_t = answer::CHAINS)]
        chains: usize,
    },
    /// What would come and go with other lines in mars.toml
    WhatIf(what_if::WhatIf),
    /// Select from a package graph given as JSON
    Resolve {
        /// The file; - for standard input
        file: PathBuf,
    },
}

/// A kind of item, as it is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum KindArgument {
    Agent,
    Skill,
    BootstrapDoc,
    Hook,
}

impl From<KindArgument> for Kind {
    fn from(kind: KindArgument) -> Kind {
        match kind {
            KindArgument::Agent => Kind::Agent,
            KindArgument::Skill => Kind::Skill,
            KindArgument::BootstrapDoc => Kind::BootstrapDoc,
            KindArgument::Hook => Kind::Hook,
        }
    }
}

impl Command {
    /// Runs the verb.
    ///
    /// # Errors
    /// Whatever the library says.
    pub fn run(self, context: &Context) -> Result<Answer, Failure> {
        match self {
            Command::List => Ok(list::list(Here::read(context))),
            Command::Packages => Ok(list::packages(Here::read(context))),
            Command::Why { name, kind, package, chains } => {
                why::why(Here::read(context), why::Asked { name, kind: kind.map(Kind::from), package, chains })
            }
            Command::WhatIf(asked) => asked.run(context),
            Command::Resolve { file } if file.as_os_str() == "-" => resolve(&file),
            Command::Resolve { file } => resolve(&context.workspace.start.join(file)),
        }
    }
}

/// The project around the start directory, read; and what was found on the way to it.
pub(super) struct Here {
    project: Option<Project>,
    passed: Vec<Finding>,
    /// What is said where there is no project.
    begin: String,
}

impl Here {
    fn read(context: &Context) -> Here {
        let found = context.workspace.project();
        let environment = context.workspace.environment();
        let passed = found.findings();
        let project = found.project.map(|place| Project::read(&place, &environment));
        Here { project, passed, begin: context.workspace.beginning(Area::Selection).line() }
    }
}

fn resolve(file: &Path) -> Result<Answer, Failure> {
    let read = if file.as_os_str() == "-" {
        bounded::read_from(std::io::stdin().lock(), bounded::DOCUMENT)
    } else {
        bounded::read_named(file, bounded::DOCUMENT)
    };
    let bytes = read.map_err(|error| InvalidInput(format!("cannot read {}: {error}", file.display())))?;
    let text = String::from_utf8(bytes).map_err(|error| InvalidInput(format!("{}: {error}", file.display())))?;
    let selection = select(&Graph::new(boundary::parse(&text)?));
    Ok(Answer::new(selection, list::graph_text))
}
