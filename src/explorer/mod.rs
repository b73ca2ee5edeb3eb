//! The terminal explorer: a [`model`] that knows neither terminal nor disk, [`work`] beside the screen, a [`view`] from
//! model to frame, and the [`terminal`] that carries keys in and frames out.

pub mod config;
mod crash;
mod log;
pub mod model;
mod remembered;
mod sheet;
pub mod terminal;
pub mod view;
pub mod work;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;

use crate::error::{Code, Coded};
use crate::workspace::Workspace;
use config::Config;
use crash::Crash;
use log::Log;
use model::Model;
use terminal::{Helpers, Manners, Seat};
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
    /// With what it begins.
    pub begin: Begin,
    /// The workspace's name on the top line, instead of its path.
    pub title: Option<String>,
}

/// With what the explorer begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Begin {
    /// Where the user was the last time, as far as that is remembered.
    #[default]
    Remembered,
    /// As if for the first time.
    Fresh,
}

/// Why the explorer ended.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The terminal failed.
    #[error("the terminal failed: {0}")]
    Terminal(#[source] io::Error),
    /// The log cannot be written.
    #[error("cannot write the log {}: {error}; DAGWOOD_LOG names it", file.display())]
    Log {
        /// Its file.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
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
/// [`Error`].
pub fn run(workspace: Workspace, opening: Opening) -> Result<(), Error> {
    let log = match std::env::var_os("DAGWOOD_LOG").filter(|file| !file.is_empty()) {
        Some(file) => Log::to(Path::new(&file)).map_err(|error| Error::Log { file: file.clone().into(), error })?,
        None => Log::default(),
    };
    // whether there are colours has been decided, and is not decided by NO_COLOR once more
    crossterm::style::force_color_output(opening.theme.color);
    let (width, height) = crossterm::terminal::size().map_err(Error::Terminal)?;
    let title = opening.title.unwrap_or_else(|| homely(&workspace.place()));
    let read_only = workspace.options.read_only;
    let mut model = Model::new(title, width, height, read_only);
    let memory = workspace.journal().home().map(remembered::file);
    let before = memory.as_deref().and_then(remembered::read);
    if let (Some(before), Begin::Remembered) = (&before, opening.begin) {
        model.remember(before.clone());
    }
    let config = opening.config;
    model.keymap = config.keymap;
    model.motion = config.motion;
    let helpers = Helpers { editor: config.editor, clipboard: config.clipboard };
    // a report is a new file, never written over one, wherever it lies
    let folder = crate::edit::state_folder().unwrap_or_else(std::env::temp_dir);
    let crash = Crash { folder, place: workspace.place(), trail: model.trail.clone() };
    let (sender, receiver) = channel();
    let work = Work::open(workspace, model.keymap.clone(), &sender);
    let seat = Seat { theme: opening.theme, manners: opening.manners, helpers, log, crash };
    terminal::run(&mut model, &work, seat, (sender, receiver)).map_err(Error::Terminal)?;
    let now = model.memory();
    if let Some(memory) = memory.filter(|_| !read_only && before.as_ref() != Some(&now)) {
        // not remembered, then: nothing that was done is lost by it
        let _ = remembered::write(&memory, &now);
    }
    Ok(())
}

/// A path with the home folder written `~`.
fn homely(path: &Path) -> String {
    match etcetera::home_dir().ok().and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(below) if below.as_os_str().is_empty() => "~".to_owned(),
        Some(below) => format!("~/{}", below.display()),
        None => path.display().to_string(),
    }
}
