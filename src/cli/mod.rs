//! The command line: arguments in, an answer and an exit status out. One file a noun; no rules here.

mod about;
mod check;
mod contract;
mod demo;
mod export;
mod findings;
pub mod output;
mod resource;
mod selection;
mod types;
mod writes;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::error::{Code, Coded, Exit, Failure, InvalidInput};
use crate::explorer;
use crate::explorer::config::{self, Config};
use crate::explorer::view::{self, Theme};
use crate::text::visible;
use crate::workspace::{Options, Workspace};
use output::{Answer, ColorChoice, Output};

/// A terminal explorer of a repository's resource DAG, its directory contracts and the selection of its packages.
///
/// Without a command it opens the explorer on the workspace around the current directory.
#[derive(Debug, Parser)]
#[command(name = "dagwood", version, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(flatten)]
    looks: Looks,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "For every command")]
struct Global {
    /// Act as if started in DIR
    #[arg(short = 'C', long, global = true, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// The registry's file, instead of the nearest .dagwood/registry.db
    #[arg(long, global = true, value_name = "FILE", env = "DAGWOOD_REGISTRY", hide_env_values = true)]
    registry: Option<PathBuf>,
    /// The layer's folder, instead of the nearest .ai
    #[arg(long, global = true, value_name = "DIR")]
    layer: Option<PathBuf>,
    /// Answer with one JSON document
    #[arg(long, global = true)]
    json: bool,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    color: ColorChoice,
    /// Refuse everything that writes; an editor opened with `e` in the explorer is not dagwood's, and writes all the same
    #[arg(long, global = true)]
    read_only: bool,
    /// Allow writing to a registry of the original program
    #[arg(long, global = true)]
    write_foreign: bool,
}

/// How the explorer behaves and looks.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "For the explorer")]
#[expect(clippy::struct_excessive_bools, reason = "a flag each")]
pub struct Looks {
    /// Leave the mouse to the terminal
    #[arg(long, global = true)]
    no_mouse: bool,
    /// Draw with ASCII characters only
    #[arg(long, global = true)]
    ascii: bool,
    /// Begin without what is remembered of the last time: pane, arrangement, view, sorting, folding
    #[arg(long, global = true)]
    fresh: bool,
    /// Panic at the first key, to show that the terminal survives it
    #[arg(long, global = true, hide = true)]
    panic: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The explorer on a small example workspace that it lays out itself
    Demo(demo::Demo),
    /// Every finding of the three parts
    Check(check::Check),
    /// Resources and their links
    #[command(subcommand)]
    Resource(resource::Command),
    /// Resource types
    #[command(subcommand)]
    Type(types::Command),
    /// Directory contracts of the layer
    #[command(subcommand)]
    Contract(contract::Command),
    /// The selection of the package graph
    #[command(subcommand)]
    Selection(selection::Command),
    /// A part written out whole, as a graph to draw or as JSON
    Export(export::Export),
    /// Undo the last writes of dagwood in this workspace, or skip one that was edited since
    Undo(writes::Undo),
    /// Redo what was undone
    Redo(writes::Steps),
    /// The writes of dagwood in this workspace
    History,
    /// The keys of the explorer
    Keys,
    /// Completions for a shell
    Completions(about::Completions),
    /// The man page
    Man,
}

/// What a command works on.
#[derive(Debug)]
pub struct Context {
    /// The workspace it acts in.
    pub workspace: Workspace,
    /// Whether the answer is for a script, so that standard error holds errors alone.
    pub json: bool,
    /// When to use colours.
    pub color: ColorChoice,
}

/// Runs the program with its arguments (the first is its name) and gives its exit status.
///
/// # Errors
/// When the answer cannot be written; every other error is told, and is an exit status.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> io::Result<Exit> {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // asked before parsing, since a usage error has to be told in the right form too
    let json = arguments.iter().any(|argument| argument == "--json");
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // told of the arguments as they can be shown, so that none of them breaks a line of the message
            let shown = arguments.iter().map(|argument| visible(&argument.to_string_lossy()).into_owned());
            let error = Cli::try_parse_from(shown).err().unwrap_or(error);
            return Ok(output::usage(&error, json));
        }
    };
    let output = Output::new(json, cli.global.color);
    match answer(cli) {
        Ok(answer) => output.say(&answer),
        Err(error) => Ok(output.fail(error.as_ref())),
    }
}

fn answer(cli: Cli) -> Result<Answer, Failure> {
    let global = cli.global;
    let options = Options {
        directory: global.directory.clone(),
        registry: global.registry,
        layer: global.layer,
        write_foreign: global.write_foreign,
        read_only: global.read_only,
        ..Options::default()
    };
    let workspace = Workspace::find(options).map_err(|error| {
        let place = global.directory.unwrap_or_else(|| PathBuf::from("."));
        InvalidInput(format!("cannot start in {}: {error}", place.display()))
    })?;
    let context = Context { workspace, json: global.json, color: global.color };
    match cli.command {
        Some(Command::Resource(command)) => command.run(&context),
        Some(Command::Type(command)) => command.run(&context),
        Some(Command::Contract(command)) => command.run(&context),
        Some(Command::Selection(command)) => command.run(&context),
        Some(Command::Demo(command)) => command.run(&context, cli.looks),
        Some(Command::Check(command)) => command.run(&context),
        Some(Command::Export(command)) => command.run(&context),
        Some(Command::Undo(command)) => command.run(&context),
        Some(Command::Redo(steps)) => steps.redo(&context),
        Some(Command::History) => writes::history(&context),
        Some(Command::Keys) => about::keys(),
        Some(Command::Completions(command)) => Ok(command.run()),
        Some(Command::Man) => about::man(),
        None => {
            need_terminal()?;
            explore(context.workspace, context.color, cli.looks)
        }
    }
}

/// A place that was named on the command line is not there.
#[derive(Debug, thiserror::Error)]
#[error("no {what} at {}: it was named with {flag}", place.display())]
struct NamedAndMissing {
    what: &'static str,
    flag: &'static str,
    place: PathBuf,
}

impl Coded for NamedAndMissing {
    fn code(&self) -> Code {
        Code::NotFound
    }
}

impl Context {
    /// Refuses a layer that was named and is not there: what is merely not found is empty, what is mistyped is not.
    fn named_layer(&self) -> Result<(), Failure> {
        let named = self.workspace.options.layer.as_ref().map(|named| self.workspace.start.join(named));
        match named.filter(|place| place.symlink_metadata().is_err()) {
            Some(place) => Err(NamedAndMissing { what: "layer", flag: "--layer", place }.into()),
            None => Ok(()),
        }
    }

    /// Refuses a registry that was named and is not there.
    fn named_registry(&self) -> Result<(), Failure> {
        let file = self.workspace.registry_file();
        if self.workspace.options.registry.is_some() && file.symlink_metadata().is_err() {
            return Err(NamedAndMissing { what: "registry", flag: "--registry", place: file }.into());
        }
        Ok(())
    }
}

/// Refuses to open the explorer where there is no terminal, and says what to use instead.
fn need_terminal() -> Result<(), Failure> {
    if explorer::has_terminal() {
        return Ok(());
    }
    let said = "the explorer needs a terminal; without one ask `dagwood check`, `dagwood contract list`, \
                `dagwood selection list` or `dagwood resource tree` (each with --json, too)";
    Err(InvalidInput(said.to_owned()).into())
}

/// Opens the explorer; the answer is given when the user leaves it.
fn explore(workspace: Workspace, color: ColorChoice, looks: Looks) -> Result<Answer, Failure> {
    let folder = config::folder();
    let (config, theme) = folder.map_or(Ok((Config::default(), None)), |folder| config::load(&folder))?;
    let light = std::env::var("COLORFGBG").is_ok_and(|ground| Theme::is_light(&ground));
    let theme = theme.or_else(|| view::Looks::built_in(if light { "light" } else { "dark" }));
    let opening = explorer::Opening {
        manners: explorer::terminal::Manners { mouse: config.mouse && !looks.no_mouse, panic: looks.panic },
        theme: Theme {
            color: output::colored(color, true),
            ascii: config.ascii || looks.ascii,
            looks: theme.unwrap_or(view::Looks::DARK),
        },
        config,
        begin: if looks.fresh { explorer::Begin::Fresh } else { explorer::Begin::Remembered },
        title: None,
    };
    explorer::run(workspace, opening)?;
    Ok(Answer::new(serde_json::json!({}), |_, _| Ok(())))
}
