//! To be written.

use super::Context;
use super::output::Answer;
use crate::error::Failure;

/// The verbs of this noun.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// To be written
    List,
}

impl Command {
    /// Runs the verb.
    pub fn run(self, _context: &Context) -> Result<Answer, Failure> {
        Ok(Answer::new(serde_json::json!({}), |_, _| Ok(())))
    }
}
