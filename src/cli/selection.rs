//! `dagwood selection`: what is selected, and why.

use std::io::Read;
use std::path::PathBuf;

use super::Context;
use super::output::Answer;
use crate::error::{Failure, InvalidInput};
use crate::selection::boundary;
use crate::selection::graph::Graph;
use crate::selection::select::select;

/// The verbs of this noun.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Everything that is selected, and what is missing
    List,
    /// Select from a package graph in JSON
    Resolve {
        /// The file; `-` for standard input
        file: PathBuf,
    },
}

impl Command {
    /// Runs the verb.
    pub fn run(self, context: &Context) -> Result<Answer, Failure> {
        match self {
            Command::List => list(context),
            Command::Resolve { file } => resolve(&file),
        }
    }
}

fn resolve(file: &PathBuf) -> Result<Answer, Failure> {
    let read = if file.as_os_str() == "-" {
        let mut text = Vec::new();
        std::io::stdin().lock().read_to_end(&mut text).map(|_| text)
    } else {
        std::fs::read(file)
    };
    let bytes = read.map_err(|error| InvalidInput(format!("cannot read {}: {error}", file.display())))?;
    let text = String::from_utf8(bytes).map_err(|error| InvalidInput(format!("{}: {error}", file.display())))?;
    let selection = select(&Graph::new(boundary::parse(&text)?));
    Ok(Answer::new(selection, |_, _| Ok(())))
}

fn list(context: &Context) -> Result<Answer, Failure> {
    let found = crate::selection::find(&context.workspace.start);
    let environment = crate::selection::Environment::of_process(&context.workspace.start);
    let Some(place) = found.project else { return Ok(Answer::new(serde_json::json!({}), |_, _| Ok(()))) };
    let project = crate::selection::Project::read(&place, &environment);
    let selection = select(project.graph());
    Ok(Answer::new(selection, |_, _| Ok(())))
}
