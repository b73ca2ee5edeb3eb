//! The terminal: taken at the start, given back on every way out, and the loop that carries messages in and frames
//! out.

mod clipboard;
mod guard;
mod helpers;
mod input;

use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType, EndSynchronizedUpdate};
use crossterm::{execute, queue};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

pub use guard::{Guard, Manners};
pub use helpers::Helpers;

use super::crash::Crash;
use super::log::Log;
use super::model::{Effect, Model, Msg};
use super::view::{Theme, draw};
use super::work::Work;
use input::Input;

/// The least time between two frames.
const FRAME: Duration = Duration::from_millis(8);

/// How the explorer sits in the terminal.
#[derive(Debug)]
pub struct Seat {
    /// How things look.
    pub theme: Theme,
    /// How the terminal is used.
    pub manners: Manners,
    /// The programs that help.
    pub helpers: Helpers,
    /// Where it is noted what happens.
    pub log: Log,
    /// What is reported when it crashes.
    pub crash: Crash,
}

/// Runs the explorer until it ends.
///
/// # Errors
/// When the terminal cannot be taken or written to.
pub fn run(model: &mut Model, work: &Work, seat: Seat, channel: (Sender<Msg>, Receiver<Msg>)) -> io::Result<()> {
    let Seat { theme, manners, helpers, mut log, crash } = seat;
    let guard = Guard::take(manners, crash)?;
    let ended = attend(model, work, (theme, manners, helpers), &mut log, guard, channel);
    if let Err(error) = &ended {
        log.error(&format!("the terminal failed: {error}"));
    }
    ended
}

/// Takes messages in and brings frames out until the end.
fn attend(
    model: &mut Model,
    work: &Work,
    (theme, manners, helpers): (Theme, Manners, Helpers),
    log: &mut Log,
    mut guard: Guard,
    (sender, receiver): (Sender<Msg>, Receiver<Msg>),
) -> io::Result<()> {
    guard::watch_signals(sender.clone())?;
    let input = Input::start(sender.clone());
    let mut terminal = Terminal::new(CrosstermBackend::new(io::stdout()))?;
    let mut effects = model.begin();
    let mut dirty = true;
    let mut drawn = Instant::now().checked_sub(FRAME).unwrap_or_else(Instant::now);
    loop {
        for effect in effects.drain(..) {
            log.effect(&effect);
            match effect {
                Effect::Quit => return Ok(()),
                Effect::Copy { text, what } => helpers.copy(text, &what, &sender)?,
                Effect::Suspend => {
                    outside(&mut guard, &input, &mut terminal, || {
                        signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGTSTP)
                    })?;
                    dirty = true;
                }
                Effect::Edit(file, line) => {
                    let mut ended = Ok(());
                    let editing = work.editing(file.clone());
                    outside(&mut guard, &input, &mut terminal, || {
                        ended = helpers.edit(&file, line);
                        Ok(())
                    })?;
                    work.edited(editing, ended);
                    dirty = true;
                }
                other => work.ask(other),
            }
        }
        let due = drawn + FRAME;
        if dirty && Instant::now() >= due {
            // a terminal that knows this shows the frame whole
            queue!(io::stdout(), BeginSynchronizedUpdate)?;
            let mut first = None;
            terminal.draw(|frame| first = draw(model, theme, frame))?;
            execute!(io::stdout(), EndSynchronizedUpdate)?;
            drawn = Instant::now();
            dirty = false;
            effects.extend(first.into_iter().flat_map(|first| model.update(Msg::Scrolled(first))));
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
        // everything that waits is taken in before the next frame: forty keys at once cost one; unless it is so much that a
        // frame is due before it ends
        let until = Instant::now() + FRAME;
        for message in message.into_iter().chain(receiver.try_iter()) {
            log.message(&message);
            if let Msg::Resize(..) = message {
                // whatever its size is now: one that had another in between has lost what was on it
                terminal = afresh()?;
            }
            let panic = manners.panic && matches!(message, Msg::Key(_));
            dirty |= model.is_news(&message);
            effects.extend(model.update(message));
            log.actions(&model.trail);
            if panic {
                guard::panic_now();
            }
            if Instant::now() >= until {
                break;
            }
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
    *terminal = afresh()?;
    done
}

/// The terminal with nothing on it, so that the next frame is painted whole.
fn afresh() -> io::Result<Terminal<CrosstermBackend<io::Stdout>>> {
    // not `Terminal::clear`: that asks the terminal where the cursor is, and its answer would be read as keys
    execute!(io::stdout(), Clear(ClearType::All))?;
    Terminal::new(CrosstermBackend::new(io::stdout()))
}
