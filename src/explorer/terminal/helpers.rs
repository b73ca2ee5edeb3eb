//! The programs that help: the user's editor, and those that know the system's clipboard.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::Sender;
use std::thread;

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

impl Helpers {
    /// Puts text on the clipboard. Where a program does it, it is not waited for; its failure is told as a message.
    ///
    /// # Errors
    /// When the terminal cannot be written to.
    pub fn copy(&self, text: String, sender: &Sender<Msg>) -> io::Result<()> {
        if self.clipboard == Clipboard::Terminal {
            return clipboard::copy(&text);
        }
        let sender = sender.clone();
        let run = move || {
            if let Err(why) = to_system(&text) {
                let _ = sender.send(Msg::Note(why));
            }
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

/// Gives text to the first program that takes it.
fn to_system(text: &str) -> Result<(), String> {
    let mut failed = Vec::new();
    for words in CLIPBOARDS {
        match give(words, text) {
            Ok(()) => return Ok(()),
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
