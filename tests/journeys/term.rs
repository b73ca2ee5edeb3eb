//! The built program in a real terminal: keys in, a parsed screen out. Waits on what is shown and never sleeps.

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Longer than any machine needs; only a fault reaches it.
const PATIENCE: Duration = Duration::from_mins(1);

/// The escape key, in the form that cannot be taken for the beginning of another key.
pub const ESC: &str = "\x1b[27u";

/// A terminal with the program in it, and a home of its own.
pub struct Term {
    parser: vt100::Parser,
    /// Everything it has written.
    heard: Vec<u8>,
    bytes: Receiver<Vec<u8>>,
    keys: Box<dyn Write + Send>,
    pub child: Box<dyn Child + Send + Sync>,
    pub master: Box<dyn MasterPty + Send>,
    pub home: tempfile::TempDir,
    deaf: Arc<AtomicBool>,
}

fn nonzero(n: u16) -> NonZero<u16> {
    NonZero::new(n).unwrap()
}

impl Term {
    /// The program on its demo workspace, laid out in a temporary folder.
    pub fn demo(rows: u16, cols: u16, more: &[&str]) -> Term {
        let home = tempfile::tempdir().unwrap();
        let work = home.path().join("atlas");
        let mut arguments = vec!["demo", "--keep", work.to_str().unwrap()];
        arguments.extend(more);
        Term::start(home, rows, cols, &arguments, &[])
    }

    /// The program with arguments, in a home, with further variables.
    pub fn start(home: tempfile::TempDir, rows: u16, cols: u16, arguments: &[&str], env: &[(&str, &str)]) -> Term {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_dagwood"));
        command.args(arguments);
        Term::run(home, size, command, env)
    }

    /// A shell, to start the program from.
    pub fn shell(home: tempfile::TempDir, rows: u16, cols: u16) -> Term {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let mut command = CommandBuilder::new("/bin/sh");
        command.arg("-i");
        Term::run(home, size, command, &[("PS1", "$ ")])
    }

    fn run(home: tempfile::TempDir, size: PtySize, mut command: CommandBuilder, env: &[(&str, &str)]) -> Term {
        let (rows, cols) = (size.rows, size.cols);
        let pair = native_pty_system().openpty(size).unwrap();
        command.env_clear();
        command.cwd(home.path());
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", home.path());
        command.env("TERM", "xterm-256color");
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let (sender, bytes) = channel();
        let deaf = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&deaf);
        std::thread::spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count) = reader.read(&mut buffer) {
                if count == 0 || stop.load(Ordering::SeqCst) || sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let parser = vt100::Parser::new(nonzero(rows), nonzero(cols), 0);
        Term { parser, heard: Vec::new(), bytes, keys, child, master: pair.master, home, deaf }
    }

    /// The demo workspace's folder.
    pub fn work(&self) -> PathBuf {
        self.home.path().join("atlas")
    }

    /// Types.
    pub fn send(&mut self, keys: &str) -> &mut Term {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
        self
    }

    /// The screen as text.
    pub fn screen(&self) -> String {
        self.parser.screen().contents()
    }

    /// Waits until something holds of the screen.
    pub fn wait(&mut self, what: &str, holds: impl Fn(&vt100::Screen) -> bool) -> &mut Term {
        let end = Instant::now() + PATIENCE;
        while !holds(self.parser.screen()) {
            match self.bytes.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.take(&bytes),
                Err(why) => panic!("no {what} ({why}); the screen:\n{}", self.screen()),
            }
        }
        self
    }

    /// Waits until the program has written these bytes.
    pub fn hear(&mut self, bytes: &str) -> &mut Term {
        let end = Instant::now() + PATIENCE;
        while !self.heard.windows(bytes.len()).any(|window| window == bytes.as_bytes()) {
            match self.bytes.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.take(&bytes),
                Err(why) => panic!("no {bytes:?} ({why}); the screen:\n{}", self.screen()),
            }
        }
        self
    }

    fn take(&mut self, bytes: &[u8]) {
        self.parser.process(bytes);
        self.heard.extend_from_slice(bytes);
    }

    /// Waits until a text is shown.
    pub fn see(&mut self, text: &str) -> &mut Term {
        self.wait(text, |screen| screen.contents().contains(text))
    }

    /// Takes what is drawn until nothing more comes for a moment: for what may or may not happen.
    pub fn quiet(&mut self) -> &mut Term {
        let end = Instant::now() + Duration::from_secs(5);
        while Instant::now() < end
            && let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(100))
        {
            self.parser.process(&bytes);
        }
        self
    }

    /// Waits until a text is no longer shown.
    pub fn gone(&mut self, text: &str) -> &mut Term {
        self.wait(&format!("end of {text}"), |screen| !screen.contents().contains(text))
    }

    /// Changes the terminal's size.
    pub fn resize(&mut self, rows: u16, cols: u16) -> &mut Term {
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        self.parser.screen_mut().set_size(nonzero(rows), nonzero(cols));
        self
    }

    /// Waits until the terminal is as it was before: the main screen, the cursor, no mouse reports, no paste marks.
    pub fn given_back(&mut self) -> &mut Term {
        self.wait("the terminal given back", |screen| {
            !screen.alternate_screen()
                && !screen.hide_cursor()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
                && !screen.bracketed_paste()
        })
    }

    /// What a question about the screen is answered with.
    pub fn on_screen<T>(&self, question: impl Fn(&vt100::Screen) -> T) -> T {
        question(self.parser.screen())
    }

    /// A cell of the screen.
    pub fn cell(&self, row: u16, col: u16) -> vt100::Cell {
        self.parser.screen().cell(row, col).cloned().unwrap()
    }

    /// Closes the terminal under the program; it has to end by itself.
    pub fn hang_up(mut self) {
        // the thread that reads holds the terminal open until it reads once more: the answer to a key
        self.deaf.store(true, Ordering::SeqCst);
        self.send("j");
        while self.bytes.recv_timeout(PATIENCE).is_ok() {}
        let Term { keys, master, mut child, .. } = self;
        drop((keys, master));
        let end = Instant::now() + PATIENCE;
        while child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < end, "it goes on without a terminal");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits for the program's end; gives its exit status.
    pub fn ended(&mut self) -> u32 {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.exit_code();
            }
            // what it still writes has to be taken, or it waits for that
            if let Ok(bytes) = self.bytes.recv_timeout(Duration::from_millis(10)) {
                self.take(&bytes);
            }
        }
        panic!("it does not end; the screen:\n{}", self.screen());
    }

    /// Runs the program beside, in the demo workspace, with `--json`; gives its document.
    pub fn ask(&self, arguments: &[&str]) -> serde_json::Value {
        ask(&self.work(), self.home.path(), arguments)
    }
}

/// Runs the program in a folder with `--json`; gives its document.
pub fn ask(folder: &Path, home: &Path, arguments: &[&str]) -> serde_json::Value {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_dagwood"))
        .args(arguments)
        .arg("--json")
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .output()
        .unwrap();
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr)))
}
