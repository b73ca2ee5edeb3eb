//! The explorer on the example workspace without a terminal: the real model, view and library, the jobs done in line.
//! What a machine, a day or chance decides (paths, times, ids) is told as if by one machine on one day.

use std::path::Path;
use std::process::Command;

use dagwood::explorer::model::{Effect, Input, Key, Line, Model, Msg};
use dagwood::explorer::view::{Theme, draw};
use dagwood::explorer::work::Inline;
use dagwood::workspace::{Options, Workspace};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

/// What the workspace's folder is called in frames.
pub const PLACE: &str = "~/src/atlas";
const DAY: &str = "2026-11-30T09:00:00.000Z";
const ID: &str = "01JDZ0000000000000000000";

/// An explorer that somebody uses.
pub struct Session {
    /// What it is in.
    pub model: Model,
    work: Inline,
    folder: String,
    ids: Vec<String>,
    _home: tempfile::TempDir,
}

impl Session {
    /// The explorer on the example workspace, everything read.
    pub fn demo(width: u16, height: u16) -> Session {
        Session::demo_with(width, height, Options::default(), |_| {})
    }

    /// The same in another way, with what else is done to the workspace first.
    pub fn demo_with(width: u16, height: u16, options: Options, prepare: impl FnOnce(&Path)) -> Session {
        Session::of(width, height, options, |folder, home| {
            lay_out(folder, home);
            prepare(folder);
        })
    }

    /// The explorer on a workspace that is made first, everything read.
    pub fn of(width: u16, height: u16, options: Options, make: impl FnOnce(&Path, &Path)) -> Session {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().canonicalize().unwrap().join("atlas");
        make(&folder, home.path());
        let (directory, read_only) = (Some(folder.clone()), options.read_only);
        let workspace = Workspace::find(Options { directory, ..options }).unwrap();
        let mut session = Session {
            model: Model::new(PLACE, width, height, read_only),
            work: Inline::new(workspace),
            folder: folder.to_str().unwrap().to_owned(),
            ids: Vec::new(),
            _home: home,
        };
        let effects = session.model.begin();
        session.settle(effects);
        session
    }

    /// Presses keys, named as in the keymap, with spaces between.
    pub fn keys(&mut self, names: &str) -> &mut Session {
        for name in names.split_whitespace() {
            let key = Key::named(name).unwrap_or_else(|| panic!("no key is called {name}"));
            let effects = self.model.update(Msg::Key(key));
            self.settle(effects);
        }
        self
    }

    /// Types a text.
    pub fn text(&mut self, text: &str) -> &mut Session {
        for c in text.chars() {
            let effects = self.model.update(Msg::Key(Key::char(c)));
            self.settle(effects);
        }
        self
    }

    /// The frame on the screen.
    pub fn frame(&self) -> Buffer {
        self.frame_in(Theme::default())
    }

    /// The frame on the screen as it looks in a theme.
    pub fn frame_in(&self, theme: Theme) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(self.model.width, self.model.height)).unwrap();
        terminal.draw(|frame| _ = draw(&self.model, theme, frame)).unwrap();
        terminal.backend().buffer().clone()
    }

    /// Tells the model how far it has scrolled, as the terminal does.
    fn drawn(&mut self) {
        let mut terminal = Terminal::new(TestBackend::new(self.model.width, self.model.height)).unwrap();
        let mut first = None;
        terminal.draw(|frame| first = draw(&self.model, Theme::default(), frame)).unwrap();
        if let Some(first) = first {
            self.model.update(Msg::Scrolled(first));
        }
        self.model.update(Msg::Drawn);
    }

    /// Does what the model asks for, and what comes of that, until it asks for nothing more; then draws.
    fn settle(&mut self, effects: Vec<Effect>) {
        let mut waiting = effects;
        while !waiting.is_empty() {
            let mut next = Vec::new();
            for effect in waiting {
                for message in self.work.work(effect) {
                    let message = self.as_anywhere(message);
                    next.extend(self.model.update(message));
                }
            }
            if next.is_empty() {
                next = self.model.update(Msg::Drawn);
            }
            waiting = next;
        }
        self.drawn();
    }

    /// The message as it would be on any machine.
    fn as_anywhere(&mut self, message: Msg) -> Msg {
        match message {
            Msg::Detail { generation, mut detail } => {
                for tab in &mut detail.tabs {
                    self.lines(&mut tab.lines);
                }
                Msg::Detail { generation, detail }
            }
            Msg::Loaded { part, generation, loaded: Ok(mut loaded) } => {
                self.lines(&mut loaded.hint.full);
                Msg::Loaded { part, generation, loaded: Ok(loaded) }
            }
            Msg::Previewed { generation, mut preview } => {
                match &mut preview {
                    Ok(preview) => {
                        self.lines(&mut preview.lines);
                        for field in preview.form.iter_mut().flat_map(|form| &mut form.fields) {
                            field.input = Input::of(field.input.text().replace(&self.folder, PLACE));
                        }
                    }
                    Err(why) => self.lines(why),
                }
                Msg::Previewed { generation, preview }
            }
            Msg::History(mut lines) => {
                self.lines(&mut lines);
                Msg::History(lines)
            }
            other => other,
        }
    }

    fn lines(&mut self, lines: &mut [Line]) {
        for span in lines.iter_mut().flat_map(|line| &mut line.spans) {
            let words = span.text.replace(&self.folder, PLACE);
            span.text = words.split(' ').map(|word| self.word(word)).collect::<Vec<_>>().join(" ");
        }
    }

    fn word(&mut self, word: &str) -> String {
        if word.len() == 26
            && word.starts_with("01")
            && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        {
            let nth = self.ids.iter().position(|id| id == word).unwrap_or_else(|| {
                self.ids.push(word.to_owned());
                self.ids.len() - 1
            });
            return format!("{ID}{:02}", nth + 1);
        }
        let time = word.len() >= 20 && word.ends_with('Z') && word.as_bytes()[10] == b'T';
        if time { DAY[..word.len() - 1].to_owned() + "Z" } else { word.to_owned() }
    }
}

/// Lays the example workspace out with the program itself, so that its journal lies in a state folder of this test's.
fn lay_out(folder: &Path, home: &Path) {
    let done = Command::new(env!("CARGO_BIN_EXE_dagwood"))
        .args(["demo", "--no-open", "--keep"])
        .arg(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
