//! The workspace around a directory: where its layer, its project and its registry are, and what joins the three parts.
//!
//! Each part finds its own place, walking up from the start directory; any of them may be absent, which is an empty
//! answer and not an error.

use std::path::{Path, PathBuf};

use crate::contracts::{self, Layer, LayerPlace};
use crate::edit::Journal;
use crate::selection;

/// Where to look, as the command line says it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Act as if started here; the current directory when empty.
    pub directory: Option<PathBuf>,
    /// The registry's file, instead of the one found.
    pub registry: Option<PathBuf>,
    /// The layer's folder, instead of the one found.
    pub layer: Option<PathBuf>,
    /// Whether registries of the original program may be written.
    pub write_foreign: bool,
    /// Whether every write is refused.
    pub read_only: bool,
}

/// A directory and what is found around it. Cheap: nothing is read but names on the way up.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// Where the search starts, absolute.
    pub start: PathBuf,
    /// The top of the git work tree around it.
    pub git_top: Option<PathBuf>,
    /// How to look.
    pub options: Options,
}

impl Workspace {
    /// The workspace around the directory the options name.
    ///
    /// # Errors
    /// When the directory is not there or is no directory.
    pub fn find(options: Options) -> std::io::Result<Workspace> {
        let start = match &options.directory {
            Some(directory) => directory.canonicalize()?,
            None => std::env::current_dir()?,
        };
        if !start.is_dir() {
            return Err(std::io::Error::from(std::io::ErrorKind::NotADirectory));
        }
        let git_top = start.ancestors().find(|at| at.join(".git").exists()).map(Path::to_owned);
        Ok(Workspace { start, git_top, options })
    }

    /// The folder that stands for the workspace: the top of the git work tree, else where it starts.
    pub fn place(&self) -> &Path {
        self.git_top.as_deref().unwrap_or(&self.start)
    }

    /// The layer around it; an empty one where there is none.
    pub fn layer(&self) -> Layer {
        let named = self.options.layer.as_deref();
        match contracts::layer::find(&self.start, self.git_top.as_deref(), named) {
            Some(place) => Layer::read(&place),
            None => Layer::empty(&LayerPlace::to_begin(&self.start, self.git_top.as_deref(), named)),
        }
    }

    /// The project around it, and the manifests of other programs met on the way.
    pub fn project(&self) -> selection::Found {
        selection::find(&self.start)
    }

    /// What of the machine bears on where packages are.
    pub fn environment(&self) -> selection::Environment {
        selection::Environment::of_process(&self.start)
    }

    /// What dagwood wrote here.
    pub fn journal(&self) -> Journal {
        Journal::of(self.place())
    }
}
