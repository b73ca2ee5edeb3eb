//! What tones and marks look like. Sixteen terminal colours at most, and nothing said by colour alone: each state has
//! a mark and a word. Without colours only the colours go.

use ratatui::buffer::Buffer;
use ratatui::style::{Modifier, Style};

use super::looks::Looks;
use crate::explorer::model::{Mark, Tone};

/// How things look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// Whether colours are used.
    pub color: bool,
    /// Whether marks and lines are drawn with ASCII characters only.
    pub ascii: bool,
    /// What the tones look like, with colours.
    pub looks: Looks,
}

impl Theme {
    /// Whether the ground of the terminal is light, as far as the value of `COLORFGBG` tells (`0;15`).
    pub fn is_light(colorfgbg: &str) -> bool {
        let ground = colorfgbg.rsplit(';').next().and_then(|ground| ground.trim().parse::<u8>().ok());
        colorfgbg.contains(';') && ground.is_some_and(|ground| ground == 7 || (9..=15).contains(&ground))
    }
}

impl Default for Theme {
    fn default() -> Theme {
        Theme { color: true, ascii: false, looks: Looks::DARK }
    }
}

/// The characters that lines and arrows are drawn with.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say what each draws")]
pub struct Glyphs {
    pub horizontal: &'static str,
    pub vertical: &'static str,
    pub top_left: &'static str,
    pub top_right: &'static str,
    pub bottom_left: &'static str,
    pub bottom_right: &'static str,
    pub tee_left: &'static str,
    pub tee_right: &'static str,
    pub open: &'static str,
    pub closed: &'static str,
    pub leaf: &'static str,
    pub also: &'static str,
    pub cycle: &'static str,
    pub parents: &'static str,
    pub marked: &'static str,
    pub thumb: &'static str,
    pub fresh: &'static str,
}

const LINES: Glyphs = Glyphs {
    horizontal: "─",
    vertical: "│",
    top_left: "╭",
    top_right: "╮",
    bottom_left: "╰",
    bottom_right: "╯",
    tee_left: "├",
    tee_right: "┤",
    open: "▾ ",
    closed: "▸ ",
    leaf: "  ",
    also: "↺",
    cycle: "⟲",
    parents: "⇡",
    marked: "» ",
    thumb: "┃",
    fresh: "*",
};

const ASCII: Glyphs = Glyphs {
    horizontal: "-",
    vertical: "|",
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    tee_left: "+",
    tee_right: "+",
    open: "v ",
    closed: "> ",
    leaf: "  ",
    also: "%",
    cycle: "@",
    parents: "^",
    marked: "# ",
    thumb: "#",
    fresh: "&",
};

/// What stands for a character of the explorer's own texts in ASCII, beside the marks.
const PLAIN: [(&str, &str); 16] = [
    ("…", "~"),
    ("·", "-"),
    ("–", "-"),
    ("→", ">"),
    ("←", "<"),
    ("↑", "^"),
    ("↓", "v"),
    ("›", ">"),
    ("‹", "<"),
    ("“", "\""),
    ("”", "\""),
    ("’", "'"),
    ("└", "\\"),
    ("↺", ASCII.also),
    ("⟲", ASCII.cycle),
    ("⇡", ASCII.parents),
];

/// Puts ASCII characters in the place of those that the explorer's own texts are written with. What names from files are
/// written with stays, but for these few.
pub fn in_ascii(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if let Some(plain) = plain(cell.symbol()) {
            cell.set_symbol(plain);
        }
    }
}

fn plain(symbol: &str) -> Option<&'static str> {
    if symbol.is_ascii() {
        return None;
    }
    let own = PLAIN.iter().find(|(own, _)| *own == symbol).map(|(_, plain)| *plain);
    own.or_else(|| Mark::ALL.into_iter().find(|mark| mark.glyph() == symbol).map(Mark::ascii))
}

impl Theme {
    /// The characters for lines and arrows.
    pub fn glyphs(self) -> Glyphs {
        if self.ascii { ASCII } else { LINES }
    }

    /// The character of a mark; empty for none.
    pub fn mark(self, mark: Mark) -> &'static str {
        if self.ascii { mark.ascii() } else { mark.glyph() }
    }

    /// The look of a mark.
    pub fn mark_style(self, mark: Mark) -> Style {
        match mark {
            Mark::Documented | Mark::Selected => self.tone(Tone::Good),
            Mark::Owed | Mark::Warning | Mark::Duplicate | Mark::Provider => self.tone(Tone::Warn),
            Mark::Broken | Mark::Missing | Mark::NotFound | Mark::Error => self.tone(Tone::Bad),
            Mark::Exempt | Mark::Closed | Mark::Excluded | Mark::Filtered | Mark::Note => self.tone(Tone::Dim),
            Mark::Package | Mark::None => Style::new(),
        }
    }

    /// The look of a tone.
    pub fn tone(self, tone: Tone) -> Style {
        let style = self.looks.tone(tone);
        if self.color { style } else { Style { fg: None, ..style } }
    }

    /// The look of what has the focus: a title, a border.
    pub fn focus(self) -> Style {
        self.tone(Tone::Accent).add_modifier(Modifier::BOLD)
    }

    /// The look of the row under the cursor of what has the focus.
    pub fn cursor(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// The look of the row under a cursor elsewhere.
    pub fn resting(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The look of a marked row.
    pub fn marked(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// The look of the mark of a row that has just changed, and of the row.
    pub fn fresh(self) -> Style {
        self.tone(Tone::Accent).add_modifier(Modifier::BOLD)
    }

    /// The look of characters that match the filter.
    pub fn hit(self) -> Style {
        self.tone(Tone::Accent).add_modifier(Modifier::UNDERLINED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ground_is_light_when_its_colour_is() {
        for (value, light) in [("0;15", true), ("0;default;15", true), ("0;7", true), ("15;0", false), ("7;8", false)] {
            assert_eq!(Theme::is_light(value), light, "{value}");
        }
        for value in ["", "15", "default;default", ";", "0;-1", "0;300"] {
            assert!(!Theme::is_light(value), "{value}");
        }
    }

    #[test]
    fn without_colours_only_the_colours_go() {
        let theme = Theme { color: false, ..Theme::default() };
        for tone in [Tone::Good, Tone::Bad, Tone::Warn, Tone::Accent] {
            assert_eq!(theme.tone(tone), Style::new());
        }
        assert_eq!(theme.tone(Tone::Strong), Style::new().add_modifier(Modifier::BOLD));
    }
}
