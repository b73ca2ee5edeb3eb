//! `demo`: the explorer on an example workspace.

use std::path::PathBuf;

use clap::Args;

use super::output::Answer;
use super::{Context, Looks};
use crate::demo::lay_out;
use crate::error::{Failure, InvalidInput};
use crate::workspace::{Options, Workspace};

/// Where to lay it out.
#[derive(Debug, Args)]
pub struct Demo {
    /// Lay it out in DIR and leave it there, instead of in a temporary folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Only lay it out
    #[arg(long, requires = "keep")]
    no_open: bool,
}

impl Demo {
    /// Runs the command.
    pub fn run(self, context: &Context, looks: Looks) -> Result<Answer, Failure> {
        // a temporary folder is nobody's; one that stays is written
        if self.keep.is_some() {
            context.workspace.may_write()?;
        }
        if !self.no_open {
            super::need_terminal()?;
        }
        let temporary;
        let folder = if let Some(folder) = &self.keep {
            context.workspace.start.join(folder)
        } else {
            temporary = tempfile::Builder::new()
                .prefix("dagwood-demo-")
                .tempdir()
                .map_err(|error| InvalidInput(format!("no temporary folder can be made: {error}")))?;
            temporary.path().join("atlas")
        };
        lay_out(&folder)?;
        if self.no_open {
            let shown = folder.display().to_string();
            let value = serde_json::json!({ "directory": shown });
            return Ok(Answer::new(value, move |_, to| to.line(format!("laid out in {shown}"))));
        }
        let read_only = context.workspace.options.read_only;
        let options = Options { directory: Some(folder.clone()), read_only, ..Options::default() };
        let workspace = Workspace::find(options)
            .map_err(|error| InvalidInput(format!("cannot start in {}: {error}", folder.display())))?;
        let journal = workspace.journal();
        let answer = super::explore(workspace, context.color, looks);
        if self.keep.is_none() {
            // what cannot be undone any more need not be remembered; nothing is lost where that fails
            let _ = journal.discard();
        }
        answer
    }
}
