//! Keys, pastes, the mouse and new sizes, read on a thread of their own and sent on as messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};
use signal_hook::consts::SIGWINCH;

use crate::explorer::model::{Code, Key, Mouse, MouseKind, Msg};

/// How long keys are waited for in one go. The wait for nothing ends with a short spell of work in crossterm, so it is
/// not short; a pause ends it early.
const GLANCE: Duration = Duration::from_secs(2);

struct Ended(Arc<AtomicBool>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// The thread that reads the terminal.
#[derive(Debug)]
pub struct Input {
    paused: Arc<AtomicBool>,
    resting: Arc<AtomicBool>,
}

impl Input {
    /// Starts reading.
    pub fn start(sender: Sender<Msg>) -> Input {
        let input = Input { paused: Arc::default(), resting: Arc::default() };
        let (paused, resting) = (Arc::clone(&input.paused), Arc::clone(&input.resting));
        thread::spawn(move || {
            // whoever waits for the keys to rest does not wait for a thread that has ended
            let _ended = Ended(Arc::clone(&resting));
            loop {
                if paused.load(Ordering::SeqCst) {
                    resting.store(true, Ordering::SeqCst);
                    thread::park_timeout(Duration::from_millis(5));
                    continue;
                }
                resting.store(false, Ordering::SeqCst);
                // a pause that came just before has to see that it is heeded
                if paused.load(Ordering::SeqCst) {
                    continue;
                }
                let message = match event::poll(GLANCE) {
                    Ok(false) => continue,
                    Ok(true) => event::read().map(message),
                    Err(error) => Err(error),
                };
                let sent = match message {
                    Ok(Some(message)) => sender.send(message),
                    Ok(None) => continue,
                    // the terminal is gone
                    Err(_) => {
                        let _ = sender.send(Msg::Terminate);
                        return;
                    }
                };
                if sent.is_err() {
                    return;
                }
            }
        });
        input
    }

    /// Stops reading, so that another program gets the keys; comes back when that is so.
    pub fn pause(&self) {
        self.paused.store(true, Ordering::SeqCst);
        while !self.resting.load(Ordering::SeqCst) {
            // crossterm waits for keys and for this signal; it finds the size to be what it was
            let _ = signal_hook::low_level::raise(SIGWINCH);
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Reads again.
    pub fn resume(&self) {
        // first, so that the next pause does not take the rest of this one for its own
        self.resting.store(false, Ordering::SeqCst);
        self.paused.store(false, Ordering::SeqCst);
    }
}

fn message(event: Event) -> Option<Msg> {
    match event {
        Event::Key(event) if event.kind != KeyEventKind::Release => key(event).map(Msg::Key),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(width, height) => Some(Msg::Resize(width, height)),
        Event::Mouse(event) => {
            let kind = match event.kind {
                MouseEventKind::Down(MouseButton::Left) => MouseKind::Click,
                MouseEventKind::Drag(MouseButton::Left) => MouseKind::Drag,
                MouseEventKind::Up(MouseButton::Left) => MouseKind::Release,
                MouseEventKind::ScrollDown => MouseKind::WheelDown,
                MouseEventKind::ScrollUp => MouseKind::WheelUp,
                _ => return None,
            };
            Some(Msg::Mouse(Mouse { x: event.column, y: event.row, kind }))
        }
        _ => None,
    }
}

fn key(event: KeyEvent) -> Option<Key> {
    let code = match event.code {
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => Code::BackTab,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::F(number) => Code::F(number),
        _ => return None,
    };
    Some(Key {
        code,
        ctrl: event.modifiers.contains(KeyModifiers::CONTROL),
        alt: event.modifiers.contains(KeyModifiers::ALT),
    })
}
