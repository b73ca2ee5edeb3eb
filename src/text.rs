//! Names and texts from files, made safe to show or to type, and near names for "did you mean".

use std::borrow::Cow;
use std::fmt::Write;
use std::io;

/// The text with everything that could steer a terminal, hide or reorder characters, or break a line made visible.
///
/// Control characters (C0, DEL, C1) become `\n`, `\t`, `\x1b` ...; bidi controls, zero-width characters, line and
/// paragraph separators and the byte order mark become `\u{202e}` and the like. Nothing else is changed, so a
/// backslash stays a backslash: the result is for eyes, not for parsing.
///
/// ```
/// use dagwood::text::visible;
/// assert_eq!(visible("plain café"), "plain café");
/// assert_eq!(visible("a\x1b[2Jb\n"), "a\\x1b[2Jb\\n");
/// assert_eq!(visible("x\u{202e}y"), "x\\u{202e}y");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if !hidden(c) => out.push(c),
            c => {
                let code = c as u32;
                // writing to a string cannot fail
                let _ = if code < 0x100 { write!(out, "\\x{code:02x}") } else { write!(out, "\\u{{{code:x}}}") };
            }
        }
    }
    Cow::Owned(out)
}

/// [`visible`] for a text of several lines: line breaks stay, and a tab becomes four spaces.
pub fn visible_lines(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().map(|line| visible(&line.replace('\t', "    ")).into_owned())
}

/// JSON on its way out, made ASCII where a terminal could take it for something else: the characters that [`visible`]
/// shows are written `\u009b` and the like, which is the same text to every reader of JSON. Outside strings JSON holds
/// none of them, so the whole stream can be treated alike.
#[derive(Debug)]
pub struct SafeJson<W> {
    to: W,
    /// The beginning of a character whose end is still to come.
    begun: Vec<u8>,
}

/// A JSON text as [`SafeJson`] writes it.
///
/// ```
/// assert_eq!(dagwood::text::safe_json("[\"a\u{202e}\"]"), r#"["a\u202e"]"#);
/// ```
pub fn safe_json(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    // writing to memory cannot fail
    let _ = io::Write::write_all(&mut SafeJson::new(&mut out), text.as_bytes());
    String::from_utf8(out).unwrap_or_default()
}

impl<W: io::Write> SafeJson<W> {
    /// Writes to `to`.
    pub fn new(to: W) -> SafeJson<W> {
        SafeJson { to, begun: Vec::new() }
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| c as u32 >= 0x7f && hidden(c)) {
            let (plain, from) = rest.split_at(at);
            self.to.write_all(plain.as_bytes())?;
            let mut chars = from.chars();
            if let Some(c) = chars.next() {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    write!(self.to, "\\u{unit:04x}")?;
                }
            }
            rest = chars.as_str();
        }
        self.to.write_all(rest.as_bytes())
    }
}

impl<W: io::Write> io::Write for SafeJson<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.begun.is_empty() && bytes.is_ascii() && !bytes.contains(&0x7f) {
            self.to.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&all) {
            Ok(_) => all.len(),
            Err(error) => error.valid_up_to(),
        };
        let (text, rest) = all.split_at(whole);
        self.put(std::str::from_utf8(text).unwrap_or_default())?;
        if rest.len() < 4 {
            self.begun = rest.to_vec();
        } else {
            // no UTF-8 at all: nothing here makes such JSON, and it is passed on as it is
            self.to.write_all(rest)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// Whether a character must not reach a terminal as it is.
///
/// Zero-width joiners are let through, since emoji and several scripts are written with them.
fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// The text as one word of a shell's command line, for commands that are told to be typed.
///
/// What a shell could take for something else is quoted; what must not reach a terminal is escaped in `$'...'`, as bash,
/// zsh and ksh read it.
///
/// ```
/// use dagwood::text::shell;
/// assert_eq!(shell(".ai/repo/rules"), ".ai/repo/rules");
/// assert_eq!(shell("two words"), "'two words'");
/// assert_eq!(shell("it's"), r"'it'\''s'");
/// assert_eq!(shell("a\x1b[2J"), r"$'a\x1b[2J'");
/// ```
pub fn shell(text: &str) -> Cow<'_, str> {
    let plain = |c: char| {
        (c.is_alphanumeric() && !hidden(c)) || matches!(c, '_' | '.' | '/' | '-' | '+' | ':' | '@' | ',' | '%')
    };
    if !text.is_empty() && text.chars().all(plain) {
        return Cow::Borrowed(text);
    }
    if !text.chars().any(hidden) {
        return Cow::Owned(format!("'{}'", text.replace('\'', r"'\''")));
    }
    let mut out = String::from("$'");
    for c in text.chars() {
        let code = c as u32;
        // writing to a string cannot fail
        let _ = match c {
            '\'' | '\\' => write!(out, "\\{c}"),
            c if !hidden(c) => write!(out, "{c}"),
            _ if code < 0x80 => write!(out, "\\x{code:02x}"),
            _ => write!(out, "\\U{code:08x}"),
        };
    }
    out.push('\'');
    Cow::Owned(out)
}

/// A command that is told to be typed: its own words, then names, each as [`shell`] has it. A name that begins with a
/// hyphen is kept from being read as an option.
///
/// ```
/// use dagwood::text::command;
/// assert_eq!(command("dagwood resource rm", ["two words"]), "dagwood resource rm 'two words'");
/// assert_eq!(command("dagwood resource rm", ["--all"]), "dagwood resource rm -- --all");
/// ```
pub fn command<'a>(words: &str, names: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let mut line = words.to_owned();
    if names.clone().into_iter().any(|name| name.starts_with('-')) {
        line.push_str(" --");
    }
    for name in names {
        line.push(' ');
        line.push_str(&shell(name));
    }
    line
}

/// Where the lines of a text begin, so that the place of a character can be told. A line ends with a line feed, as
/// editors have it, whatever else a format takes for a line's end.
#[derive(Clone, Debug)]
pub struct Places {
    /// The number of characters before each line.
    starts: Vec<usize>,
    /// The number of characters.
    length: usize,
}

impl Places {
    /// The places of a text.
    pub fn of(text: &str) -> Places {
        let (mut starts, mut length) = (vec![0], 0);
        for c in text.chars() {
            length += 1;
            if c == '\n' {
                starts.push(length);
            }
        }
        Places { starts, length }
    }

    /// The line and the column, both from 1, of the character that so many come before; the end of the text for one that
    /// lies beyond it.
    ///
    /// ```
    /// use dagwood::text::Places;
    /// let places = Places::of("é\rx\ny");
    /// assert_eq!((places.at(2), places.at(4), places.at(9)), ((1, 3), (2, 1), (2, 2)));
    /// ```
    pub fn at(&self, before: usize) -> (usize, usize) {
        let before = before.min(self.length);
        let line = self.starts.partition_point(|start| *start <= before);
        (line, before - self.starts[line - 1] + 1)
    }
}

/// Whether a name is short enough to be compared with others letter by letter, which takes room and time for every pair
/// of characters. Nobody mistypes a page.
pub fn can_be_compared(name: &str) -> bool {
    name.len() <= 1_000
}

/// Up to `most` of the candidates that look like `name`, the nearest first, ties in the order given.
///
/// ```
/// use dagwood::text::near;
/// assert_eq!(near("childtypes", ["child_types", "name"], 1), ["child_types"]);
/// assert!(near("zzz", ["child_types", "name"], 3).is_empty());
/// ```
pub fn near<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    const NEAR_ENOUGH: f64 = 0.6;
    if !can_be_compared(name) {
        return Vec::new();
    }
    let lower = name.to_lowercase();
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .filter(|candidate| can_be_compared(candidate))
        .map(|candidate| (strsim::normalized_damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= NEAR_ENOUGH)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(most).map(|(_, candidate)| candidate).collect()
}

/// Near names for many names: each costs a look at every candidate, so that only the first fifty are given any.
#[derive(Debug)]
pub struct Guesses {
    left: usize,
}

impl Default for Guesses {
    fn default() -> Guesses {
        Guesses { left: 50 }
    }
}

impl Guesses {
    /// The name that looks most like this one, as [`near`] has it.
    pub fn nearest<'a>(&mut self, name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        self.left = self.left.checked_sub(1)?;
        near(name, candidates, 1).first().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_is_left() {
        let hostile = "\x1b]0;owned\x07 \u{9b}31m \u{200b}\u{2066}\u{feff}\u{e0041}\r\n\t\u{7f}\u{2028}";
        let shown = visible(hostile);
        assert!(!shown.chars().any(char::is_control), "{shown}");
        assert!(shown.contains("\\x1b]0;owned\\x07"));
        assert!(shown.contains("\\x9b31m"));
        assert!(shown.contains("\\u{2066}"));
    }

    #[test]
    fn json_holds_nothing_that_steers_a_terminal_and_means_the_same() {
        use std::io::Write;
        let value = serde_json::json!({"a": "x\u{9b}31m\u{7f}\u{202e}\u{e0041} café 日本"});
        let text = value.to_string();
        for cut in 0..=text.len() {
            let mut out = Vec::new();
            let mut safe = SafeJson::new(&mut out);
            safe.write_all(&text.as_bytes()[..cut]).unwrap();
            safe.write_all(&text.as_bytes()[cut..]).unwrap();
            let out = String::from_utf8(out).unwrap();
            assert!(out.contains("\\u009b31m\\u007f\\u202e") && out.contains("café 日本"), "{out}");
            assert!(!out.chars().any(hidden));
            assert_eq!(serde_json::from_str::<serde_json::Value>(&out).unwrap(), value);
        }
    }

    /// What a shell reads is what was written, whatever the name.
    #[test]
    #[cfg(unix)]
    fn a_shell_reads_a_quoted_name_as_that_name() {
        let names = [
            "plain/a-b.md",
            "",
            "two words",
            "it's",
            "$HOME `id` \"x\" \\",
            "a;b|c&d>e",
            "~",
            "*?[x]{y}",
            "日本",
            "#x",
            "!x",
        ];
        for name in names {
            let line = format!("printf %s {}", shell(name));
            let said = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
            assert_eq!(String::from_utf8(said.stdout).unwrap(), name, "{line}");
        }
        // what only the larger shells can write
        for name in ["a\u{1b}[2J", "line\nbreak's \\", "\u{9b}31m \u{202e}"] {
            let line = shell(name);
            assert!(!line.chars().any(hidden), "{line}");
            let mut bash = std::process::Command::new("bash");
            bash.args(["-c", &format!("printf %s {line}")]).env("LC_ALL", "C.UTF-8");
            // a machine without bash has nothing to ask
            if let Ok(said) = bash.output() {
                assert_eq!(String::from_utf8(said.stdout).unwrap(), name, "{line}");
            }
        }
    }

    #[test]
    fn joined_emoji_stay_whole() {
        assert_eq!(visible("👩‍🚀 e\u{301}"), "👩‍🚀 e\u{301}");
    }

    #[test]
    fn a_name_as_long_as_a_file_has_no_near_ones() {
        // compared, these two would take 80 GB
        let (name, other) = ("a".repeat(100_000), "a".repeat(100_001));
        assert!(near(&name, [other.as_str()], 1).is_empty());
        assert!(near("name", [other.as_str(), "names"], 3) == ["names"]);
    }

    #[test]
    fn of_many_names_the_first_are_compared() {
        let mut guesses = Guesses::default();
        let met = (0..1_000).filter(|_| guesses.nearest("name", ["names"]).is_some()).count();
        assert_eq!(met, 50);
    }

    #[test]
    fn near_names_are_ranked() {
        assert_eq!(near("artifact", ["artefacts", "artifacts", "zebra"], 2), ["artifacts", "artefacts"]);
    }
}
