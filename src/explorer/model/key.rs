//! Keys, as the keymap names them: `j`, `G`, `ctrl-d`, `shift-tab`, `space`.

use std::fmt;

/// Which key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the key it names")]
pub enum Code {
    Char(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    F(u8),
}

/// A key with its modifiers. Shift is part of the character (`G`), or of the name (`shift-tab`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// Which key.
    pub code: Code,
    /// Whether ctrl is held.
    pub ctrl: bool,
    /// Whether alt is held.
    pub alt: bool,
}

const NAMED: [(&str, Code); 16] = [
    ("enter", Code::Enter),
    ("esc", Code::Esc),
    ("tab", Code::Tab),
    ("shift-tab", Code::BackTab),
    ("backspace", Code::Backspace),
    ("delete", Code::Delete),
    ("up", Code::Up),
    ("down", Code::Down),
    ("left", Code::Left),
    ("right", Code::Right),
    ("home", Code::Home),
    ("end", Code::End),
    ("pgup", Code::PageUp),
    ("pgdn", Code::PageDown),
    ("space", Code::Char(' ')),
    ("minus", Code::Char('-')),
];

impl Key {
    /// A key without modifiers.
    pub const fn plain(code: Code) -> Key {
        Key { code, ctrl: false, alt: false }
    }

    /// A character.
    pub const fn char(c: char) -> Key {
        Key::plain(Code::Char(c))
    }

    /// The key a name stands for.
    ///
    /// ```
    /// use dagwood::explorer::model::Key;
    /// assert_eq!(Key::named("ctrl-d").map(|key| key.to_string()), Some("ctrl-d".into()));
    /// assert_eq!(Key::named("hyper-x"), None);
    /// ```
    pub fn named(name: &str) -> Option<Key> {
        if let Some(rest) = name.strip_prefix("ctrl-") {
            return Key::named(rest).map(|key| Key { ctrl: true, ..key });
        }
        if let Some(rest) = name.strip_prefix("alt-") {
            return Key::named(rest).map(|key| Key { alt: true, ..key });
        }
        if let Some((_, code)) = NAMED.iter().find(|(known, _)| *known == name) {
            return Some(Key::plain(*code));
        }
        if let Some(number) = name.strip_prefix('f').and_then(|number| number.parse().ok()) {
            return Some(Key::plain(Code::F(number)));
        }
        let mut chars = name.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) => Some(Key::char(c)),
            _ => None,
        }
    }

    /// The names of keys that are no character.
    pub fn names() -> impl Iterator<Item = &'static str> {
        NAMED.iter().map(|(name, _)| *name)
    }

    /// A sequence of keys, written with spaces between (`g d`).
    pub fn sequence(names: &str) -> Option<Vec<Key>> {
        names.split(' ').map(Key::named).collect()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("ctrl-")?;
        }
        if self.alt {
            f.write_str("alt-")?;
        }
        match (NAMED.iter().find(|(_, code)| *code == self.code), self.code) {
            (Some((name, Code::Char(' ') | _)), code) if code != Code::Char('-') => f.write_str(name),
            (_, Code::Char(c)) => write!(f, "{c}"),
            (_, Code::F(number)) => write!(f, "f{number}"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        for name in ["j", "G", "?", "-", "ctrl-d", "alt-x", "shift-tab", "space", "f5", "pgdn", "ctrl-space"] {
            assert_eq!(Key::named(name).unwrap().to_string(), name);
        }
        assert_eq!(Key::sequence("g d").unwrap().len(), 2);
        assert_eq!(Key::sequence("g dd"), None);
    }
}
