//! The terminal explorer: a [`model`] that knows neither terminal nor disk, [`work`] beside the screen, a [`view`] from
//! model to frame, and the [`terminal`] that carries keys in and frames out.

pub mod config;
pub mod model;
mod sheet;
pub mod terminal;
pub mod view;
pub mod work;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::mpsc::channel;

use crate::error::{Code, Coded};
use crate::workspace::Workspace;
use config::Config;
use model::Model;
use terminal::Manners;
use view::Theme;
use work::Work;

/// How the explorer is opened.
#[derive(Clone, Debug)]
pub struct Opening {
    /// How the terminal is used.
    pub manners: Manners,
    /// How things look.
    pub theme: Theme,
    /// What the user says of keys and helpers.
    pub config: Config,
    /// The workspace's name on the top line, instead of its path.
    pub title: Option<String>,
}

/// Why the explorer ended.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The terminal failed.
    #[error("the terminal failed: {0}")]
    Terminal(#[source] io::Error),
}

impl Coded for Error {
    fn code(&self) -> Code {
        Code::Io
    }
}

/// Whether there is a terminal to draw on and to read keys from.
pub fn has_terminal() -> bool {
    io::stdout().is_terminal() && io::stdin().is_terminal()
}

/// Opens the explorer on a workspace; comes back when the user leaves it.
///
/// # Errors
/// [`Error::Terminal`].
pub fn run(workspace: Workspace, opening: Opening) -> Result<(), Error> {
    let (width, height) = crossterm::terminal::size().map_err(Error::Terminal)?;
    let title = opening.title.unwrap_or_else(|| homely(workspace.place()));
    let mut model = Model::new(title, width, height, workspace.options.read_only);
    model.keymap = opening.config.keymap;
    let (sender, receiver) = channel();
    let work = Work::open(workspace, &sender);
    let channel = (sender, receiver);
    terminal::run(&mut model, &work, opening.theme, opening.manners, channel).map_err(Error::Terminal)
}

/// A path with the home folder written `~`.
fn homely(path: &Path) -> String {
    match etcetera::home_dir().ok().and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(below) if below.as_os_str().is_empty() => "~".to_owned(),
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}
