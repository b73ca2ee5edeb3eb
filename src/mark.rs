//! The marks of states and the words that say the same: one table for the command line and the explorer, so that what is
//! learnt at the one is known at the other.

/// The mark in front of a name. Its [word](Mark::word) says the same; its colour is the affair of whoever shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mark {
    /// No mark.
    #[default]
    None,
    /// A directory with a contract of its own.
    Documented,
    /// A directory released from owing one.
    Exempt,
    /// A directory that owes a contract.
    Owed,
    /// A directory that owes a contract, with a broken one.
    Broken,
    /// A submodule: closed.
    Closed,
    /// An item that is installed.
    Selected,
    /// A skill that is named and shipped by nobody.
    Missing,
    /// A skill left to a host program.
    Provider,
    /// Excluded by a line of your own.
    Excluded,
    /// Kept out by a filter, or never reached.
    Filtered,
    /// A package whose files were not found.
    NotFound,
    /// One slug from several packages.
    Duplicate,
    /// A package whose files were found.
    Package,
    /// A finding of severity error.
    Error,
    /// A finding of severity warning.
    Warning,
    /// A finding of severity note.
    Note,
}

impl Mark {
    /// All of them.
    pub const ALL: [Mark; 17] = [
        Mark::None,
        Mark::Documented,
        Mark::Exempt,
        Mark::Owed,
        Mark::Broken,
        Mark::Closed,
        Mark::Selected,
        Mark::Missing,
        Mark::Provider,
        Mark::Excluded,
        Mark::Filtered,
        Mark::NotFound,
        Mark::Duplicate,
        Mark::Package,
        Mark::Error,
        Mark::Warning,
        Mark::Note,
    ];

    /// The word for people who do not read marks.
    pub fn word(self) -> &'static str {
        match self {
            Mark::None | Mark::Package => "",
            Mark::Documented => "documented",
            Mark::Exempt => "exempt",
            Mark::Owed => "owed",
            Mark::Broken => "broken",
            Mark::Closed => "submodule",
            Mark::Selected => "selected",
            Mark::Missing => "missing",
            Mark::Provider => "provider",
            Mark::Excluded => "excluded",
            Mark::Filtered => "left out",
            Mark::NotFound => "not found",
            Mark::Duplicate => "duplicate",
            Mark::Error => "error",
            Mark::Warning => "warning",
            Mark::Note => "note",
        }
    }

    /// Its character; empty for none.
    pub fn glyph(self) -> &'static str {
        match self {
            Mark::None => "",
            Mark::Documented => "●",
            Mark::Exempt => "◌",
            Mark::Owed => "○",
            Mark::Broken | Mark::Error => "✗",
            Mark::Closed => "▪",
            Mark::Selected => "+",
            Mark::Missing => "!",
            Mark::Provider => "?",
            Mark::Excluded => "-",
            Mark::Filtered => "~",
            Mark::NotFound => "∅",
            Mark::Duplicate => "≡",
            Mark::Package => "◆",
            Mark::Warning => "▲",
            Mark::Note => "·",
        }
    }

    /// Its character where there is only ASCII.
    pub fn ascii(self) -> &'static str {
        match self {
            Mark::Documented => "*",
            Mark::Exempt => ".",
            Mark::Owed => "o",
            Mark::Broken | Mark::Error => "x",
            Mark::Closed => "S",
            Mark::NotFound => "0",
            Mark::Duplicate => "=",
            Mark::Package => "P",
            Mark::Warning => "w",
            Mark::Note => "i",
            other => other.glyph(),
        }
    }

    /// The mark with its word: `○ owed`.
    pub fn told(self) -> String {
        format!("{} {}", self.glyph(), self.word())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    fn sources(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { sources(&path) } else { vec![path] }).collect()
    }

    #[test]
    fn the_command_line_has_no_marks_of_its_own() {
        let glyphs = Mark::ALL.into_iter().map(Mark::glyph).filter(|glyph| !glyph.is_ascii() && *glyph != "·");
        let glyphs: Vec<&str> = glyphs.collect();
        assert!(glyphs.len() > 7);
        let sources = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli"));
        assert!(sources.len() > 20);
        for file in sources {
            let text = fs::read_to_string(&file).unwrap();
            let own = glyphs.iter().find(|glyph| text.contains(**glyph));
            assert_eq!(own, None, "{}", file.display());
        }
    }

    #[test]
    fn a_mark_is_one_character_with_a_word_and_in_ascii_too() {
        for mark in Mark::ALL.into_iter().filter(|&mark| mark != Mark::None) {
            assert_eq!((mark.glyph().chars().count(), mark.ascii().len()), (1, 1), "{mark:?}");
            assert!(mark == Mark::Package || mark.told().len() > mark.glyph().len() + 1, "{mark:?}");
        }
    }
}
