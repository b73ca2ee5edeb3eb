//! The configuration: what the user says about keys, looks and manners of the explorer, in `dagwood/config.toml` of the
//! platform's configuration directory. Everything has a default.
//!
//! [`parse`] is a function over the text and finds every mistake with its line; only [`load`] reads files. The commands
//! do not look at it, so that a mistake in it never keeps one from answering.

mod keys;

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::model::{Keymap, PaneId};
pub use super::sheet::Mistake;
use super::sheet::Sheet;
use super::view::Looks;
use crate::bounded;
use crate::error::{Code, Coded};

/// What the user says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// What keys mean.
    pub keymap: Keymap,
    /// The theme that is asked for.
    pub theme: Option<Wanted>,
    /// Whether clicks and the wheel come to the program.
    pub mouse: bool,
    /// Whether anything may move by itself.
    pub motion: bool,
    /// Whether marks and lines are drawn with ASCII characters only.
    pub ascii: bool,
    /// The editor, with arguments of its own, instead of `VISUAL` and `EDITOR`.
    pub editor: Option<String>,
    /// Where copied text goes.
    pub clipboard: Clipboard,
}

/// A theme's name and the line that asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The name.
    pub name: String,
    /// The line.
    pub line: usize,
}

/// Where copied text goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clipboard {
    /// To the terminal, which puts it on the clipboard of the machine it runs on.
    #[default]
    Terminal,
    /// To the first of `wl-copy`, `xclip`, `xsel` and `pbcopy` that takes it.
    System,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            keymap: Keymap::default(),
            theme: None,
            mouse: true,
            motion: true,
            ascii: false,
            editor: None,
            clipboard: Clipboard::default(),
        }
    }
}

/// The name of a pane in the configuration.
pub fn name(pane: PaneId) -> &'static str {
    match pane {
        PaneId::Resources => "resources",
        PaneId::Directories => "directories",
        PaneId::Selection => "selection",
        PaneId::Problems => "problems",
    }
}

/// The keys of the top level.
const KNOWN: [&str; 7] = ["keys", "theme", "mouse", "motion", "editor", "ascii", "clipboard"];

/// Reads a configuration.
///
/// ```
/// use dagwood::explorer::config::parse;
/// assert!(!parse("mouse = false").unwrap().mouse);
/// let mistakes = parse("\nmuose = false").unwrap_err();
/// assert_eq!(mistakes[0].line, 2);
/// assert_eq!(mistakes[0].message, "unknown key `muose`; did you mean `mouse`?");
/// ```
///
/// # Errors
/// Every mistake in it, from the top down.
pub fn parse(text: &str) -> Result<Config, Vec<Mistake>> {
    let sheet = Sheet::parse(text).map_err(|mistake| vec![mistake])?;
    let mut config = Config::default();
    let mut mistakes = Vec::new();
    for given in sheet.given() {
        let read = match given.name {
            "keys" => match given.item.as_table_like() {
                Some(table) => {
                    config.keymap = keys::read(&sheet, table, given.line, &mut mistakes);
                    Ok(())
                }
                None => Err(given.not("a table")),
            },
            "theme" => given.text().map(|name| config.theme = Some(Wanted { name: name.to_owned(), line: given.line })),
            "mouse" => given.truth().map(|truth| config.mouse = truth),
            "motion" => given.truth().map(|truth| config.motion = truth),
            "ascii" => given.truth().map(|truth| config.ascii = truth),
            "editor" => given.text().and_then(|editor| match editor.trim() {
                "" => Err(given.not("a program, with arguments of its own")),
                editor => {
                    config.editor = Some(editor.to_owned());
                    Ok(())
                }
            }),
            "clipboard" => given
                .text()
                .and_then(|to| match to {
                    "terminal" => Ok(Clipboard::Terminal),
                    "system" => Ok(Clipboard::System),
                    _ => Err(Mistake::new(given.line, format!("`clipboard` is `terminal` or `system`, not `{to}`"))),
                })
                .map(|clipboard| config.clipboard = clipboard),
            _ => Err(given.unknown("key", &KNOWN)),
        };
        mistakes.extend(read.err());
    }
    mistakes.sort();
    if mistakes.is_empty() { Ok(config) } else { Err(mistakes) }
}

/// What is wrong with the configuration.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It holds what cannot be meant.
    #[error(
        "the configuration has mistakes; the explorer opens when they are mended, commands work as ever{}",
        told(.0)
    )]
    Broken(Vec<(PathBuf, Mistake)>),
    /// A file of it cannot be read.
    #[error("cannot read {}: {error}", file.display())]
    Unread {
        /// The file.
        file: PathBuf,
        /// Why.
        error: io::Error,
    },
}

fn told(mistakes: &[(PathBuf, Mistake)]) -> String {
    let line =
        |(file, mistake): &(PathBuf, Mistake)| format!("\n{}:{}: {}", file.display(), mistake.line, mistake.message);
    mistakes.iter().map(line).collect()
}

impl Coded for Error {
    fn code(&self) -> Code {
        match self {
            Error::Broken(_) => Code::InvalidInput,
            Error::Unread { .. } => Code::Io,
        }
    }

    fn fields(&self) -> Map<String, Value> {
        let (name, value) = match self {
            Error::Broken(mistakes) => {
                let one = |(file, mistake): &(PathBuf, Mistake)| json!({ "file": file.to_string_lossy(), "line": mistake.line, "message": mistake.message });
                ("mistakes", mistakes.iter().map(one).collect())
            }
            Error::Unread { file, .. } => ("file", Value::String(file.to_string_lossy().into_owned())),
        };
        Map::from_iter([(name.to_owned(), value)])
    }
}

/// The folder of the configuration: `dagwood` in the platform's configuration directory.
pub fn folder() -> Option<PathBuf> {
    use etcetera::BaseStrategy;
    etcetera::choose_base_strategy().ok().map(|base| base.config_dir().join("dagwood"))
}

/// The file of the configuration in its folder.
pub fn file(folder: &Path) -> PathBuf {
    folder.join("config.toml")
}

/// Reads the configuration of a folder, and the theme that it asks for; the defaults where there is none.
///
/// # Errors
/// [`Error`]; of the mistakes, all there are.
pub fn load(folder: &Path) -> Result<(Config, Option<Looks>), Error> {
    let file = file(folder);
    let Some(text) = read(&file)? else { return Ok((Config::default(), None)) };
    let config = parse(&text).map_err(|mistakes| broken(&file, mistakes))?;
    let looks = config.theme.as_ref().map(|wanted| theme(folder, wanted)).transpose()?;
    Ok((config, looks))
}

/// The theme of a name: a built-in one, or a file of the user's.
fn theme(folder: &Path, wanted: &Wanted) -> Result<Looks, Error> {
    if let Some(looks) = Looks::built_in(&wanted.name) {
        return Ok(looks);
    }
    let themes = folder.join("themes");
    let theme = themes.join(format!("{}.toml", wanted.name));
    // a name, never a way out of the folder
    let named = !wanted.name.is_empty() && !wanted.name.contains(['/', '\\', '\0']);
    if named && let Some(text) = read(&theme)? {
        return Looks::parse(&text).map_err(|mistakes| broken(&theme, mistakes));
    }
    let mut known: Vec<String> = Looks::BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect();
    known.extend(names_in(&themes));
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let mut message = super::sheet::unknown("theme", &wanted.name, &known);
    if named {
        message = format!("{message} (there is no {})", theme.display());
    }
    Err(broken(&file(folder), vec![Mistake::new(wanted.line, message)]))
}

fn broken(file: &Path, mistakes: Vec<Mistake>) -> Error {
    Error::Broken(mistakes.into_iter().map(|mistake| (file.to_owned(), mistake)).collect())
}

/// The text of a file; none where it is not there.
fn read(file: &Path) -> Result<Option<String>, Error> {
    match bounded::read(file, bounded::BY_HAND) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(error) => {
                let before = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
                let line = before.matches('\n').count() + 1;
                Err(broken(file, vec![Mistake::new(line, "no UTF-8")]))
            }
        },
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(Error::Unread { file: file.to_owned(), error }),
    }
}

/// The names of the themes in a folder.
fn names_in(themes: &Path) -> Vec<String> {
    let Ok(listing) = std::fs::read_dir(themes) else { return Vec::new() };
    let name = |path: PathBuf| Some(path.file_name()?.to_str()?.strip_suffix(".toml")?.to_owned());
    let mut names: Vec<String> = listing.flatten().filter_map(|item| name(item.path())).collect();
    names.sort();
    names
}
