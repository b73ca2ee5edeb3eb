//! The tones of a theme, and the reader of theme files. The built-in themes are files of the same form.

use ratatui::style::{Color, Modifier, Style};

use crate::explorer::model::Tone;
use crate::explorer::sheet::{Mistake, Sheet, unknown};

/// What the tones look like. Plain text is the terminal's own and no theme changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Looks {
    dim: Style,
    strong: Style,
    good: Style,
    warn: Style,
    bad: Style,
    accent: Style,
}

/// The names of the tones, in files.
const TONES: [&str; 6] = ["dim", "strong", "good", "warn", "bad", "accent"];

/// The sixteen colours that every terminal has, and its own.
const COLORS: [(&str, Color); 17] = [
    ("default", Color::Reset),
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("white", Color::Gray),
    ("bright-black", Color::DarkGray),
    ("bright-red", Color::LightRed),
    ("bright-green", Color::LightGreen),
    ("bright-yellow", Color::LightYellow),
    ("bright-blue", Color::LightBlue),
    ("bright-magenta", Color::LightMagenta),
    ("bright-cyan", Color::LightCyan),
    ("bright-white", Color::White),
];

/// Further properties of a tone.
const WEIGHTS: [(&str, Modifier); 3] =
    [("bold", Modifier::BOLD), ("dim", Modifier::DIM), ("underlined", Modifier::UNDERLINED)];

impl Looks {
    /// The themes that are there without a file of the user's: their names and their texts.
    pub const BUILT_IN: [(&'static str, &'static str); 3] = [
        ("dark", include_str!("../../../assets/themes/dark.toml")),
        ("light", include_str!("../../../assets/themes/light.toml")),
        ("mono", include_str!("../../../assets/themes/mono.toml")),
    ];

    /// What a theme file that says nothing looks like: the built-in dark theme, as a test holds.
    pub const DARK: Looks = Looks {
        dim: Style::new().add_modifier(Modifier::DIM),
        strong: Style::new().add_modifier(Modifier::BOLD),
        good: Style::new().fg(Color::Green),
        warn: Style::new().fg(Color::Yellow),
        bad: Style::new().fg(Color::Red),
        accent: Style::new().fg(Color::Cyan),
    };

    /// A built-in theme.
    pub fn built_in(name: &str) -> Option<Looks> {
        let (_, text) = Looks::BUILT_IN.into_iter().find(|(known, _)| *known == name)?;
        Looks::parse(text).ok()
    }

    /// The look of a tone.
    pub fn tone(&self, tone: Tone) -> Style {
        match tone {
            Tone::Plain => Style::new(),
            Tone::Dim => self.dim,
            Tone::Strong => self.strong,
            Tone::Good => self.good,
            Tone::Warn => self.warn,
            Tone::Bad => self.bad,
            Tone::Accent => self.accent,
        }
    }

    /// Reads a theme file; what it says nothing of is as in the dark theme.
    ///
    /// # Errors
    /// Every mistake in it, from the top down.
    pub fn parse(text: &str) -> Result<Looks, Vec<Mistake>> {
        let sheet = Sheet::parse(text).map_err(|mistake| vec![mistake])?;
        let mut looks = Looks::DARK;
        let mut mistakes = Vec::new();
        for given in sheet.given() {
            let slot = match given.name {
                "dim" => &mut looks.dim,
                "strong" => &mut looks.strong,
                "good" => &mut looks.good,
                "warn" => &mut looks.warn,
                "bad" => &mut looks.bad,
                "accent" => &mut looks.accent,
                _ => {
                    mistakes.push(given.unknown("tone", &TONES));
                    continue;
                }
            };
            let mut style = Style::new();
            if let Some(table) = given.item.as_table_like() {
                for part in sheet.below(table, given.line) {
                    let weight = WEIGHTS.iter().find(|(name, _)| *name == part.name);
                    let read = match (part.name, weight) {
                        ("color", _) => {
                            part.text().and_then(|name| color(name, part.line)).map(|color| style.fg = color)
                        }
                        (_, Some((_, weight))) => part.truth().map(|truth| {
                            if truth {
                                style = style.add_modifier(*weight);
                            }
                        }),
                        _ => Err(part.unknown("property", &["color", "bold", "dim", "underlined"])),
                    };
                    mistakes.extend(read.err());
                }
            } else {
                match given.item.as_str().ok_or_else(|| given.not("a colour or a table")) {
                    Ok(name) => match color(name, given.line) {
                        Ok(color) => style.fg = color,
                        Err(mistake) => mistakes.push(mistake),
                    },
                    Err(mistake) => mistakes.push(mistake),
                }
            }
            *slot = style;
        }
        mistakes.sort();
        if mistakes.is_empty() { Ok(looks) } else { Err(mistakes) }
    }
}

/// A colour of the sixteen; the terminal's own is none.
fn color(name: &str, line: usize) -> Result<Option<Color>, Mistake> {
    match COLORS.iter().find(|(known, _)| *known == name) {
        Some((_, Color::Reset)) => Ok(None),
        Some((_, color)) => Ok(Some(*color)),
        None => {
            let known: Vec<&str> = COLORS.iter().map(|(name, _)| *name).collect();
            Err(Mistake::new(line, unknown("colour", name, &known)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_themes_are_read_and_the_dark_one_is_the_default() {
        for (name, text) in Looks::BUILT_IN {
            assert_eq!(Looks::parse(text).as_ref().ok(), Looks::built_in(name).as_ref(), "{name}");
            assert!(Looks::parse(text).is_ok(), "{name}");
        }
        assert_eq!(Looks::built_in("dark"), Some(Looks::DARK));
        assert_eq!(Looks::built_in("mono").unwrap().good, Style::new());
        assert_eq!(Looks::built_in("none"), None);
    }

    #[test]
    fn a_tone_is_a_colour_or_a_table() {
        let looks =
            Looks::parse("good = \"bright-blue\"\nbad = { color = \"red\", bold = true, dim = false }").unwrap();
        assert_eq!(looks.tone(Tone::Good), Style::new().fg(Color::LightBlue));
        assert_eq!(looks.tone(Tone::Bad), Style::new().fg(Color::Red).add_modifier(Modifier::BOLD));
        assert_eq!(looks.tone(Tone::Warn), Looks::DARK.warn, "what is not named is as in the dark theme");
    }

    #[test]
    fn every_mistake_of_a_theme_has_its_line() {
        let text = "god = \"green\"\ngood = \"gren\"\nbad = 3\nwarn = { colour = \"red\" }\n[accent]\nbold = \"yes\"\n";
        let said: Vec<String> =
            Looks::parse(text).unwrap_err().iter().map(|it| format!("{}: {}", it.line, it.message)).collect();
        assert_eq!(
            said,
            [
                "1: unknown tone `god`; did you mean `good`?",
                "2: unknown colour `gren`; did you mean `green`?",
                "3: `bad` has to be a colour or a table, and this is a number",
                "4: unknown property `colour`; did you mean `color`?",
                "6: `bold` has to be true or false, and this is a text",
            ]
        );
    }
}
