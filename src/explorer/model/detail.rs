//! What the right-hand side shows: tabs of lines of toned pieces, some of which lead somewhere. Made beside the screen
//! by `explorer::work`, painted by `explorer::view`; neither knows the other.

use std::path::PathBuf;

use super::entry::{Mark, Subject};
use super::wrap::width;

/// What a piece of text stands for. Its colour is the theme's affair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Plain text.
    #[default]
    Plain,
    /// Secondary.
    Dim,
    /// A heading.
    Strong,
    /// All is well.
    Good,
    /// Something is owed, missing or refused.
    Bad,
    /// Worth a look.
    Warn,
    /// A key to press, or a link.
    Accent,
}

/// A piece of a line; not escaped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its text.
    pub text: String,
    /// Its tone.
    pub tone: Tone,
}

/// Where `enter` on a line leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// To a row of a pane.
    Show(Subject),
    /// To a line of a file, in `$EDITOR`.
    File(PathBuf, usize),
}

/// A line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Its pieces.
    pub spans: Vec<Span>,
    /// Where it leads.
    pub target: Option<Target>,
    /// How far its continued rows are indented, where that is further than its first one.
    pub hang: usize,
}

impl Line {
    /// An empty line.
    pub fn blank() -> Line {
        Line::default()
    }

    /// A line of one piece.
    pub fn of(tone: Tone, text: impl Into<String>) -> Line {
        Line::default().and(tone, text)
    }

    /// A plain line.
    pub fn plain(text: impl Into<String>) -> Line {
        Line::of(Tone::Plain, text)
    }

    /// A label in a column of its own, and what it labels.
    pub fn fact(label: &str, value: impl Into<String>) -> Line {
        Line::of(Tone::Dim, format!("{label:<11}")).and(Tone::Plain, value)
    }

    /// The same line with another piece.
    #[must_use]
    pub fn and(mut self, tone: Tone, text: impl Into<String>) -> Line {
        self.spans.push(Span { text: text.into(), tone });
        self
    }

    /// The same line, leading somewhere.
    #[must_use]
    pub fn to(mut self, target: Target) -> Line {
        self.target = Some(target);
        self
    }

    /// The same line, leading to a row of a pane.
    #[must_use]
    pub fn show(self, subject: Subject) -> Line {
        self.to(Target::Show(subject))
    }

    /// The same line, its continued rows beginning below what is added to it from here on.
    #[must_use]
    pub fn hanging(mut self) -> Line {
        self.hang = width(&self.text());
        self
    }

    /// A line of a unified diff.
    pub fn diff(text: &str) -> Line {
        let tone = match text.as_bytes().first() {
            Some(b'+') => Tone::Good,
            Some(b'-') => Tone::Bad,
            Some(b'@') => Tone::Dim,
            _ => Tone::Plain,
        };
        Line::of(tone, text)
    }

    /// Its text, without tones.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }
}

/// One tab of a detail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tab {
    /// Its name.
    pub name: String,
    /// Its lines.
    pub lines: Vec<Line>,
}

/// All there is to say about a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detail {
    /// What it is about.
    pub subject: Subject,
    /// Its name, at the top on the left.
    pub title: String,
    /// Its state, at the top on the right.
    pub mark: Mark,
    /// A few words beside the mark.
    pub badge: String,
    /// The tabs; at least one.
    pub tabs: Vec<Tab>,
    /// The file `e` opens, and the line.
    pub file: Option<(PathBuf, usize)>,
    /// The same thing, or what it is about, in other panes; the nearest first.
    pub same: Vec<Subject>,
    /// What `y` copies: path, id, chain or JSON, by the letter that follows.
    pub copies: Vec<(char, String)>,
    /// Why no other state can be tried for it, where none can.
    pub fixed: Option<String>,
}

impl Detail {
    /// A detail of one tab, which opens no file, stands nowhere else and copies nothing.
    pub fn of(subject: Subject, title: impl Into<String>, mark: Mark, tab: &str, lines: Vec<Line>) -> Detail {
        Detail {
            subject,
            title: title.into(),
            mark,
            badge: String::new(),
            tabs: vec![Tab { name: tab.into(), lines }],
            file: None,
            same: Vec::new(),
            copies: Vec::new(),
            fixed: None,
        }
    }
}
