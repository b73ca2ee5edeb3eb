//! Taking the terminal and giving it back, whatever happens: return, error, panic or signal.

use std::io::{self, Write};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread;

use crossterm::event::{DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture};
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use crossterm::{cursor, execute};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::explorer::crash::Crash;
use crate::explorer::model::Msg;

/// Whether the terminal is ours now.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// How the terminal is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manners {
    /// Whether clicks and the wheel come to the program.
    pub mouse: bool,
    /// Whether to panic at the first key, to show that the terminal survives it.
    pub panic: bool,
}

/// The terminal while it is ours; dropping it gives it back.
#[derive(Debug)]
pub struct Guard {
    manners: Manners,
}

impl Guard {
    /// Takes the terminal: raw mode, the alternate screen, pastes as such, and the mouse where wanted. From now on a panic
    /// of this thread gives it back and is reported.
    ///
    /// # Errors
    /// When the terminal refuses.
    pub fn take(manners: Manners, crash: Crash) -> io::Result<Guard> {
        let before = panic::take_hook();
        let screen = thread::current().id();
        panic::set_hook(Box::new(move |info| {
            // a job beside the screen that panics is reported there; only the screen's own panic ends the program
            if thread::current().id() == screen {
                restore();
                before(info);
                let mut out = io::stderr();
                let _ = match crash.report(info) {
                    Ok(file) => writeln!(
                        out,
                        "dagwood: this is a fault in dagwood; what is known of it is in {}",
                        file.display()
                    ),
                    Err(error) => {
                        writeln!(out, "dagwood: this is a fault in dagwood; no report can be written: {error}")
                    }
                };
            }
        }));
        let mut guard = Guard { manners };
        guard.retake()?;
        Ok(guard)
    }

    /// Takes the terminal again.
    ///
    /// # Errors
    /// When the terminal refuses.
    pub fn retake(&mut self) -> io::Result<()> {
        TAKEN.store(true, Ordering::SeqCst);
        enable_raw_mode()?;
        execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)?;
        if self.manners.mouse {
            execute!(io::stdout(), EnableMouseCapture)?;
        }
        Ok(())
    }

    /// Gives the terminal back, for a while or for good.
    pub fn give_back(&mut self) {
        restore();
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back as it was; once, however often it is called. What fails is passed over: the terminal may be
/// gone.
fn restore() {
    if TAKEN.swap(false, Ordering::SeqCst) {
        let mut out = io::stdout();
        let _ = execute!(out, DisableMouseCapture, DisableBracketedPaste, LeaveAlternateScreen, cursor::Show);
        let _ = disable_raw_mode();
        let _ = out.flush();
    }
}

/// Turns the signals that ask a program to end into messages; a second one ends it at once.
pub fn watch_signals(sender: Sender<Msg>) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT])?;
    thread::Builder::new().name("signals".into()).spawn(move || {
        for (nth, signal) in signals.forever().enumerate() {
            if nth > 0 || sender.send(Msg::Terminate).is_err() {
                restore();
                let _ = signal_hook::low_level::emulate_default_handler(signal);
            }
        }
    })?;
    Ok(())
}

/// Panics, to show that the terminal survives it.
#[expect(clippy::panic, reason = "that is what it is for")]
pub fn panic_now() {
    panic!("asked to panic");
}
