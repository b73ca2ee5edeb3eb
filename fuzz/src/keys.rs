//! Key scripts on the explorer's model, with the real clerks behind it on a hostile workspace. Nothing is written.

use std::sync::OnceLock;

use dagwood::explorer::model::{Effect, Key, Line, Model, Mouse, MouseKind, Msg, Part};
use dagwood::explorer::view::{Theme, draw};
use dagwood::explorer::work::Inline;
use dagwood::workspace::{Options, Workspace};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use tempfile::TempDir;

/// A script, a byte a key (or a paste, the mouse, a resize, a change from outside): the cursor is always on a row, frames of any size can be
/// drawn and hold nothing that steers a terminal, nor does what is copied.
pub fn keys(data: &[u8]) {
    let mut explorer = Explorer::open();
    for (nth, byte) in data.iter().take(200).enumerate() {
        explorer.take(message(*byte, data.get(nth + 1).copied().unwrap_or_default()));
        if nth % 16 == 0 {
            explorer.look();
        }
    }
    explorer.look();
}

const NAMED: [&str; 28] = [
    "enter",
    "esc",
    "tab",
    "shift-tab",
    "backspace",
    "delete",
    "up",
    "down",
    "left",
    "right",
    "home",
    "end",
    "pgup",
    "pgdn",
    "ctrl-a",
    "ctrl-b",
    "ctrl-d",
    "ctrl-e",
    "ctrl-f",
    "ctrl-g",
    "ctrl-k",
    "ctrl-n",
    "ctrl-p",
    "ctrl-r",
    "ctrl-t",
    "ctrl-u",
    "alt-left",
    "alt-right",
];

fn message(byte: u8, next: u8) -> Msg {
    let mouse = |kind| Msg::Mouse(Mouse { x: u16::from(next), y: u16::from(next / 4), kind });
    match byte {
        0..28 => Msg::Key(Key::named(NAMED[usize::from(byte)]).expect("a key of that name")),
        28..32 => Msg::Drawn,
        32..=200 => Msg::Key(Key::char(char::from(byte))),
        201..=210 => Msg::Paste(super::workspace::HOSTILE.to_owned()),
        211..=220 => mouse(MouseKind::Click),
        221..=225 => mouse(MouseKind::Drag),
        226..=230 => mouse(MouseKind::Release),
        231..=235 => mouse(MouseKind::WheelDown),
        236..=240 => mouse(MouseKind::WheelUp),
        241..=243 => Msg::Outside(Part::ALL[usize::from(byte - 241)]),
        244..=246 => Msg::Again(Part::ALL[usize::from(byte - 244)]),
        _ => Msg::Resize(u16::from(next), u16::from(next.reverse_bits()) / 3),
    }
}

struct Explorer {
    model: Model,
    clerks: Inline,
}

impl Explorer {
    fn open() -> Explorer {
        static PLACE: OnceLock<TempDir> = OnceLock::new();
        let place = PLACE.get_or_init(|| {
            let dir = tempfile::tempdir().expect("a temporary directory");
            super::workspace::lay_out(dir.path());
            dir
        });
        let options = Options { directory: Some(place.path().to_owned()), read_only: true, ..Options::default() };
        let clerks = Inline::new(Workspace::find(options).expect("the folder is there"));
        let mut explorer = Explorer { model: Model::new("~/hostile", 100, 30, false), clerks };
        let effects = explorer.model.begin();
        explorer.settle(effects);
        explorer
    }

    fn take(&mut self, message: Msg) {
        let effects = self.model.update(message);
        self.settle(effects);
    }

    /// Does what the model asks for, and what comes of that; a write is refused.
    fn settle(&mut self, effects: Vec<Effect>) {
        let (mut waiting, mut rounds) = (effects, 0);
        while !waiting.is_empty() {
            rounds += 1;
            assert!(rounds < 100, "asks without end: {waiting:?}");
            let mut next = Vec::new();
            for effect in waiting {
                let came = match effect {
                    Effect::Write { generation, .. } => {
                        let written = Err(vec![Line::plain("nothing is written here")]);
                        vec![Msg::Written { generation, written }]
                    }
                    Effect::Copy { text, what } => {
                        super::is_visible(&text);
                        super::is_visible(&what);
                        assert!(!text.contains('\n'), "what is pasted is one line");
                        Vec::new()
                    }
                    Effect::CancelWrite | Effect::Edit(..) | Effect::Suspend | Effect::Quit => Vec::new(),
                    job => self.clerks.work(job),
                };
                for message in came {
                    next.extend(self.model.update(message));
                }
            }
            waiting = next;
        }
        for pane in &self.model.panes {
            let rows = pane.outline.rows().len();
            assert!(pane.outline.cursor() < rows.max(1), "the cursor is on row {} of {rows}", pane.outline.cursor());
        }
    }

    fn look(&mut self) {
        let (width, height) = (self.model.width, self.model.height);
        if width > 0 && height > 0 {
            let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a screen");
            terminal.draw(|frame| _ = draw(&self.model, Theme::default(), frame)).expect("a frame");
            terminal.backend().buffer().content().iter().for_each(|cell| super::is_visible(cell.symbol()));
        }
        self.take(Msg::Drawn);
    }
}
