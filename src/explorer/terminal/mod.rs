//! The terminal: taken at the start, given back on every way out, and the loop that carries messages in and frames
//! out.

mod clipboard;
mod guard;
mod input;

use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

pub use guard::{Guard, Manners};

use super::model::{Effect, Model, Msg};
use super::view::{Theme, draw};
use super::work::Work;
use input::Input;

/// The least time between two frames.
const FRAME: Duration = Duration::from_millis(8);

/// Runs the explorer until it ends.
///
/// # Errors
/// When the terminal cannot be taken or written to.
pub fn run(
    model: &mut Model,
    work: &Work,
    theme: Theme,
    manners: Manners,
    (sender, receiver): (Sender<Msg>, Receiver<Msg>),
) -> io::Result<()> {
    let mut guard = Guard::take(manners)?;
    guard::watch_signals(sender.clone())?;
    let input = Input::start(sender);
    let mut terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
    let mut effects = model.begin();
    let mut dirty = true;
    let mut drawn = Instant::now().checked_sub(FRAME).unwrap_or_else(Instant::now);
    loop {
        for effect in effects.drain(..) {
            match effect {
                Effect::Quit => return Ok(()),
                Effect::Copy(text) => clipboard::copy(&text)?,
                Effect::Suspend => {
                    outside(&mut guard, &input, &mut terminal, || {
                        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)
                    })?;
                    dirty = true;
                }
                Effect::Edit(file, line) => {
                    let mut ended = Ok(());
                    outside(&mut guard, &input, &mut terminal, || {
                        ended = edit(&file, line);
                        Ok(())
                    })?;
                    work.edited(&file, ended);
                    dirty = true;
                }
                other => work.ask(other),
            }
        }
        let due = drawn + FRAME;
        if dirty && Instant::now() >= due {
            // a terminal that knows this shows the frame whole
            queue!(io::stdout(), BeginSynchronizedUpdate)?;
            terminal.draw(|frame| draw(model, theme, frame))?;
            execute!(io::stdout(), EndSynchronizedUpdate)?;
            drawn = Instant::now();
            dirty = false;
            effects.extend(model.update(Msg::Drawn));
            if !effects.is_empty() {
                continue;
            }
        }
        let message = if dirty {
            match receiver.recv_timeout(due.saturating_duration_since(Instant::now())) {
                Ok(message) => Some(message),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        } else {
            match receiver.recv() {
                Ok(message) => Some(message),
                Err(_) => return Ok(()),
            }
        };
        // everything that waits is taken in before the next frame: forty keys at once cost one
        for message in message.into_iter().chain(receiver.try_iter()) {
            match message {
                Msg::Resize(..) => terminal.autoresize()?,
                Msg::Key(_) if manners.panic => guard::panic_now(),
                _ => {}
            }
            effects.extend(model.update(message));
            dirty = true;
        }
    }
}

/// Gives the terminal to somebody else for a while; keys typed meanwhile are theirs.
fn outside(
    guard: &mut Guard,
    input: &Input,
    terminal: &mut Terminal<CrosstermBackend<io::Stdout>>,
    act: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    input.pause();
    guard.give_back();
    let done = act();
    guard.retake()?;
    input.resume();
    // not `Terminal::clear`: that asks the terminal where the cursor is, and its answer would be read as keys
    execute!(io::stdout(), Clear(ClearType::All))?;
    *terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
    done
}

/// Opens a file in the user's editor, at a line where the editor is known to take one.
fn edit(file: &Path, line: usize) -> io::Result<()> {
    let named = ["VISUAL", "EDITOR"].into_iter().find_map(|name| std::env::var(name).ok().filter(|it| !it.is_empty()));
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
