//! `dagwood resource`: resources and their links.

mod discover;
mod repair;
mod show;
mod tree;
mod write;

use clap::{Args, Subcommand};

use super::Context;
use super::output::Answer;
use crate::error::Failure;
use crate::resources::{Error, Registry, Resource, Role};

/// The verbs of this noun.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add a resource
    Add(write::Add),
    /// Change the name, location or description of a resource
    Set(write::Set),
    /// List resources
    List {
        /// Only those of exactly this type
        #[arg(long = "type", value_name = "T")]
        type_name: Option<String>,
    },
    /// Show one resource
    Show {
        /// Its name or id
        resource: String,
    },
    /// Show resources as a tree; a resource under several parents is opened once
    Tree {
        /// Where to begin; every root when left out
        resource: Option<String>,
        /// How many levels to open
        #[arg(long, value_name = "N")]
        depth: Option<usize>,
    },
    /// List what a resource contains directly
    Children {
        /// Its name or id
        resource: String,
    },
    /// List what contains a resource directly
    Parents {
        /// Its name or id
        resource: String,
    },
    /// Show how one resource contains another: the shortest path, and how many there are
    Path {
        /// The upper one
        from: String,
        /// The lower one
        to: String,
    },
    /// Put a resource under another
    Link(write::Ends),
    /// Take a resource from under another; both stay
    Unlink(write::Ends),
    /// Remove a resource; its children stay
    Rm(write::Remove),
    /// Find the children of a resource on disk or in git, and link them
    Discover(discover::Discover),
    /// Say what can be mended, and mend it
    Repair(repair::Repair),
    /// Add what `export resources --format json` wrote
    Import(repair::Import),
}

impl Command {
    /// Runs the verb.
    pub fn run(self, context: &Context) -> Result<Answer, Failure> {
        match self {
            Command::Add(add) => add.run(context),
            Command::Set(set) => set.run(context),
            Command::List { type_name } => show::list(context, type_name.as_deref()),
            Command::Show { resource } => show::one(&context.look()?, &resource),
            Command::Tree { resource, depth } => tree::tree(context.look()?, resource.as_deref(), depth),
            Command::Children { resource } => show::children(&context.look()?, &resource),
            Command::Parents { resource } => show::parents(&context.look()?, &resource),
            Command::Path { from, to } => show::path(&context.look()?, &from, &to),
            Command::Link(ends) => ends.link(context),
            Command::Unlink(ends) => ends.unlink(context),
            Command::Rm(remove) => remove.run(context),
            Command::Discover(discover) => discover.run(context),
            Command::Repair(repair) => repair.run(context),
            Command::Import(import) => import.run(context),
        }
    }
}

/// Whether a command only says what it would do.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct DryRun {
    /// Only say what would be done
    #[arg(long)]
    pub dry_run: bool,
}

impl Context {
    /// The registry, to look at.
    pub(super) fn look(&self) -> Result<Registry, Error> {
        self.workspace.registry()
    }

    /// The registry, to write.
    pub(super) fn write(&self) -> Result<Registry, Error> {
        if self.workspace.options.read_only {
            let file = self.workspace.registry_file();
            return Err(Error::ReadOnly { file, why: "`--read-only` was given" });
        }
        self.workspace.registry_to_write()
    }
}

/// The resource a person means.
fn find(registry: &Registry, asked: &str) -> Result<Resource, Error> {
    registry.find(asked, Role::Resource)
}
