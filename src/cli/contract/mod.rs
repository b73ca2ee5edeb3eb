//! `dagwood contract`: what the directories of the layer owe, why, and how to settle it.

mod list;
mod validate;

use clap::Subcommand;

use super::Context;
use super::output::Answer;
use crate::contracts::{Layer, LayerPlace, layer};
use crate::error::Failure;

/// The verbs of this noun.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the directories of the layer and what each owes
    List(list::List),
    /// Report what is wrong in the layer; status 1 when an error is found
    Validate(validate::Validate),
}

impl Command {
    /// Runs the verb.
    pub fn run(self, context: &Context) -> Result<Answer, Failure> {
        match self {
            Command::List(list) => list.run(context),
            Command::Validate(validate) => Ok(validate.run(context)),
        }
    }
}

/// The layer of the workspace; an empty one where there is none.
fn read(context: &Context) -> Layer {
    match place(context) {
        Some(place) => Layer::read(&place),
        None => Layer::empty(&to_begin(context)),
    }
}

fn place(context: &Context) -> Option<LayerPlace> {
    let workspace = &context.workspace;
    layer::find(&workspace.start, workspace.git_top.as_deref(), workspace.options.layer.as_deref())
}

/// Where a layer would begin.
fn to_begin(context: &Context) -> LayerPlace {
    let workspace = &context.workspace;
    LayerPlace::to_begin(&workspace.start, workspace.git_top.as_deref(), workspace.options.layer.as_deref())
}

/// How a person begins a layer where none is.
fn how_to_begin(layer: &Layer) -> String {
    let root = &layer.place.layer;
    format!("no layer here (no folder {root}): `dagwood contract fix {root}` begins one")
}
