//! What the program says about itself: its keys, completions for shells, its man page.

use std::io;
use std::path::Path;

use clap::{Args, CommandFactory, ValueEnum};
use clap_complete::Shell;
use serde_json::{Map, Value, json};

use super::Cli;
use super::output::{Answer, Printer, Tone};
use crate::error::{Failure, InvalidInput};
use crate::explorer::config::{self, Config};
use crate::explorer::model::{ACTIONS, Keymap, PaneId, Spec};

/// Which shell to write completions for.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    /// Runs the command.
    pub fn run(self) -> Answer {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "dagwood", &mut script);
        let script = String::from_utf8_lossy(&script).into_owned();
        let shell = self.shell.to_possible_value().map(|value| value.get_name().to_owned());
        Answer::new(json!({ "shell": shell, "script": script }), move |_, to| to.raw(&script))
    }
}

/// What the man page says beside what the commands say of themselves.
const MORE: &str = r#".SH "EXIT STATUS"
.TP
.B 0
Done; also a question whose answer is "nothing".
.TP
.B 1
Refused by a rule, something named was not found, or (\fBcheck\fR, \fBcontract validate\fR) an error was found; with
\fBcheck \-\-strict\fR a warning, too.
.TP
.B 2
Wrong usage, or input that is not of the form asked for.
.TP
.B 3
The disk or the database failed, or writing is not allowed.
.SH FILES
.TP
.I .ai/
The layer: the nearest on the way up, not above the git work tree.
.TP
.I mars.toml
The project: the nearest on the way up.
.TP
.I .dagwood/registry.db
The registry: the nearest on the way up, else made at the top of the git work tree by the first write to it. Git ignores
it, and \fBgit clean \-xdf\fR deletes it.
.TP
.I $XDG_STATE_HOME/dagwood/
What can be undone and how the explorer was left, a folder a workspace, and reports of crashes;
\fI~/.local/state/dagwood/\fR where the variable is not set.
.TP
.I $XDG_CONFIG_HOME/dagwood/config.toml
Keys, theme, mouse, motion, editor and clipboard of the explorer; \fI~/.config/dagwood/config.toml\fR where the variable is
not set. Themes of one's own are in \fIthemes/\fR beside it.
.SH ENVIRONMENT
.TP
.B DAGWOOD_REGISTRY
The registry's file, as \fB\-\-registry\fR.
.TP
.B MARS_CACHE_DIR
Where the package manager keeps packages.
.TP
.B VISUAL, EDITOR
The editor that \fBe\fR opens in the explorer, where the configuration names none.
.TP
.B DAGWOOD_LOG
A file in which the explorer notes what happens; nothing that is typed.
.TP
.B COLORFGBG
Whether the ground is light, which chooses the theme where the configuration does not.
.TP
.B NO_COLOR
No colours, when it is set and not empty.
"#;

/// The man page, all commands in one.
pub fn man() -> Result<Answer, Failure> {
    let mut page = Vec::new();
    let mut command = Cli::command();
    command.build();
    let written = page_of(&command, &mut page);
    written.map_err(|error| InvalidInput(format!("cannot write the man page: {error}")))?;
    let page = String::from_utf8_lossy(&page).into_owned();
    Ok(Answer::new(json!({ "man": page }), move |_, to| to.raw(&page)))
}

fn page_of(command: &clap::Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    let whole = clap_mangen::Man::new(command.clone());
    whole.render_title(page)?;
    whole.render_name_section(page)?;
    whole.render_synopsis_section(page)?;
    whole.render_description_section(page)?;
    whole.render_options_section(page)?;
    for noun in command.get_subcommands().filter(|noun| noun.get_name() != "help") {
        section(noun, page)?;
    }
    page.extend_from_slice(MORE.as_bytes());
    Ok(())
}

/// A noun's verbs with their options, as a section of the one page.
fn section(noun: &clap::Command, page: &mut Vec<u8>) -> std::io::Result<()> {
    use std::io::Write;
    writeln!(page, ".SH {}", noun.get_name().to_uppercase())?;
    let verbs: Vec<&clap::Command> = noun.get_subcommands().filter(|verb| verb.get_name() != "help").collect();
    let one = [noun];
    for verb in if verbs.is_empty() { &one[..] } else { &verbs[..] } {
        let mut verb = (*verb).clone();
        let usage = verb.render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ").replace('\\', "\\e").replace('-', "\\-");
        let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
        writeln!(page, ".TP\n\\fB{}\\fR\n{about}", usage.trim())?;
        for argument in verb.get_arguments().filter(|argument| !argument.is_global_set() && !argument.is_hide_set()) {
            let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
            if argument.get_id() != "help" {
                writeln!(page, ".br\n\\fI{}\\fR: {help}", argument.to_string().replace('-', "\\-"))?;
            }
        }
    }
    Ok(())
}

/// The keys of the explorer, as the configuration says.
pub fn keys() -> Result<Answer, Failure> {
    let folder = config::folder();
    let (config, _) = folder.as_deref().map_or(Ok((Config::default(), None)), config::load)?;
    let file = folder.map(|folder| config::file(&folder)).filter(|file| file.exists());
    let keymap = config.keymap;
    let rows: Vec<_> = ACTIONS
        .iter()
        .map(|spec| json!({ "action": spec.name, "keys": keymap.keys_everywhere(spec.action), "text": spec.text }))
        .collect();
    let panes: Map<String, Value> = PaneId::ALL
        .into_iter()
        .map(|pane| {
            let own =
                own(&keymap, pane).map(|spec| json!({ "action": spec.name, "keys": keymap.keys(pane, spec.action) }));
            (config::name(pane).to_owned(), own.collect())
        })
        .collect();
    let value = json!({ "keys": rows, "panes": panes, "file": file.as_deref().map(Path::to_string_lossy) });
    Ok(Answer::new(value, move |_, to| {
        let mut heading = None;
        for spec in ACTIONS {
            if heading != Some(spec.group) {
                head(to, spec.group.heading())?;
                heading = Some(spec.group);
            }
            key_line(to, &keymap.keys_everywhere(spec.action), spec)?;
        }
        for pane in PaneId::ALL {
            for (nth, spec) in own(&keymap, pane).enumerate() {
                if nth == 0 {
                    head(to, &format!("Only in the {}", config::name(pane)))?;
                }
                key_line(to, &keymap.keys(pane, spec.action), spec)?;
            }
        }
        file.iter().try_for_each(|file| to.line(format!("as {} says", file.display())))
    }))
}

/// The actions whose keys in a pane are others than elsewhere.
fn own(keymap: &Keymap, pane: PaneId) -> impl Iterator<Item = &'static Spec> {
    ACTIONS.iter().filter(move |spec| keymap.keys(pane, spec.action) != keymap.keys_everywhere(spec.action))
}

fn head(to: &mut Printer<'_>, text: &str) -> io::Result<()> {
    to.toned(Tone::Strong, text)?;
    to.line("")
}

fn key_line(to: &mut Printer<'_>, keys: &[String], spec: &Spec) -> io::Result<()> {
    let keys = if keys.is_empty() { "(none)".to_owned() } else { keys.join("  ") };
    to.line(format!("  {keys:<18} {:<16} {}", spec.name, spec.text))
}
