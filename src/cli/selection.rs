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
    /// Select from a package graph in JSON
    Resolve {
        /// The file; `-` for standard input
        file: PathBuf,
    },
}

impl Command {
    /// Runs the verb.
    pub fn run(self, _context: &Context) -> Result<Answer, Failure> {
        match self {
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
