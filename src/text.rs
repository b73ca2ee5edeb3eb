//! Names and texts from files, made safe to show, and near names for "did you mean".

use std::borrow::Cow;
use std::fmt::Write;

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

/// Whether a character must not reach a terminal as it is.
///
/// Zero-width joiners are let through, since emoji and several scripts are written with them.
fn hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
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
    let lower = name.to_lowercase();
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (strsim::normalized_damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|(score, _)| *score >= NEAR_ENOUGH)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored.into_iter().take(most).map(|(_, candidate)| candidate).collect()
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
    fn joined_emoji_stay_whole() {
        assert_eq!(visible("👩‍🚀 e\u{301}"), "👩‍🚀 e\u{301}");
    }

    #[test]
    fn near_names_are_ranked() {
        assert_eq!(near("artifact", ["artefacts", "artifacts", "zebra"], 2), ["artifacts", "artefacts"]);
    }
}
