//! The programs that help: the user's editor, and those that know the system's clipboard.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use super::clipboard;
use crate::explorer::config::Clipboard;
use crate::explorer::model::Msg;

/// Which helpers are wanted.
#[derive(Clone, Debug, Default)]
pub struct Helpers {
    /// The editor, instead of `VISUAL` and `EDITOR`.
    pub editor: Option<String>,
    /// Where copied text goes.
    pub clipboard: Clipboard,
}

/// The programs that put their input on the system's clipboard.
const CLIPBOARDS: [&[&str]; 4] =
    [&["wl-copy"], &["xclip", "-selection", "clipboard", "-in"], &["xsel", "--clipboard", "--input"], &["pbcopy"]];

/// How long tmux is given to say what it does.
const ANSWER: Duration = Duration::from_secs(2);

impl Helpers {
    /// Puts text on the clipboard, and tells as a message what was done with it. A program that does it is not waited for.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub fn copy(&self, text: String, what: &str, sender: &Sender<Msg>) -> io::Result<()> {
        if self.clipboard == Clipboard::Terminal {
            clipboard::copy(&text)?;
            if std::env::var_os("TMUX").is_none_or(|named| named.is_empty()) {
                let _ = sender.send(Msg::Note(sent(what, None)));
                return Ok(());
            }
        }
        let through_tmux = self.clipboard == Clipboard::Terminal;
        let (what, sender) = (what.to_owned(), sender.clone());
        let run = move || {
            if through_tmux {
                let _ = sender.send(Msg::Note(sent(&what, Some(tmux_takes()))));
                return;
            }
            let said = match to_system(&text) {
                Ok(program) => format!("copied the {what}, with {program}"),
                Err(why) => why,
            };
            let _ = sender.send(Msg::Note(said));
        };
        thread::Builder::new().name("clipboard".into()).spawn(run).map(|_| ())
    }

    /// Opens a file in the user's editor, at a line where the editor is known to take one.
    ///
    /// # Errors
    /// When the editor cannot be started, or ends with another status than 0.
    pub fn edit(&self, file: &Path, line: usize) -> io::Result<()> {
        let variable = |name| std::env::var(name).ok().filter(|it: &String| !it.trim().is_empty());
        let named = self.editor.clone().or_else(|| ["VISUAL", "EDITOR"].into_iter().find_map(variable));
        let named = named.unwrap_or_else(|| "vi".to_owned());
        // an editor may be named with arguments of its own
        let mut words = named.split_whitespace();
        let program = words.next().unwrap_or("vi");
        let mut command = Command::new(program);
        command.args(words);
        let base = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        match base {
            "vi" | "vim" | "nvim" | "nano" | "emacs" | "emacsclient" | "kak" | "micro" | "joe" => {
                command.arg(format!("+{line}")).arg(file);
            }
            "code" | "codium" => {
                command.arg("--goto").arg(format!("{}:{line}", file.display()));
            }
            "hx" | "helix" | "subl" | "zed" => {
                command.arg(format!("{}:{line}", file.display()));
            }
            _ => {
                command.arg(file);
            }
        }
        io::stdout().flush()?;
        let status =
            command.status().map_err(|error| io::Error::new(error.kind(), format!("cannot start {named}: {error}")))?;
        if status.success() { Ok(()) } else { Err(io::Error::other(format!("{named} ended with {status}"))) }
    }
}

/// What tmux does with what programs in it put on the clipboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tmux {
    /// It passes it on.
    Takes,
    /// It drops it, or does not say.
    Drops,
}

/// What is said of a text that went to the terminal: no terminal answers whether it took it, and tmux, where it runs in
/// one, drops it unless it is told otherwise.
fn sent(what: &str, tmux: Option<Tmux>) -> String {
    let then = match tmux {
        None => "whether it took it cannot be told",
        Some(Tmux::Takes) => "tmux passes it on; whether the terminal around it took it cannot be told",
        Some(Tmux::Drops) => "tmux needs `set -g set-clipboard on`",
    };
    format!("sent the {what} to the terminal; {then}")
}

/// Asks the tmux around the program what it does; a tmux that does not answer soon is not waited for.
fn tmux_takes() -> Tmux {
    let asked = Command::new("tmux")
        .args(["show", "-gv", "set-clipboard"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = asked else { return Tmux::Drops };
    let until = Instant::now() + ANSWER;
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() >= until {
            // it may have ended just now
            let _ = child.kill();
            let _ = child.wait();
            return Tmux::Drops;
        }
        thread::sleep(ANSWER / 50);
    }
    let mut said = String::new();
    let read = child.stdout.take().map(|out| out.take(64).read_to_string(&mut said));
    if matches!(read, Some(Ok(_))) && said.trim() == "on" { Tmux::Takes } else { Tmux::Drops }
}

/// Gives text to the first program that takes it, and gives its name.
fn to_system(text: &str) -> Result<&'static str, String> {
    let mut failed = Vec::new();
    for words in CLIPBOARDS {
        match give(words, text) {
            Ok(()) => return Ok(words[0]),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => failed.push(format!("{}: {error}", words[0])),
        }
    }
    if failed.is_empty() {
        let names: Vec<&str> = CLIPBOARDS.iter().map(|words| words[0]).collect();
        failed.push(format!("none of {} is here", names.join(", ")));
    }
    Err(format!("not copied: {}", failed.join("; ")))
}

fn give(words: &[&str], text: &str) -> io::Result<()> {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let given = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(text.as_bytes()));
    let status = child.wait()?;
    given?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("it ended with {status}"))) }
}
