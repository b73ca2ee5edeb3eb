//! The block at the head of a document: where it begins and ends, and its keys, also when real people wrote it in ways
//! that no YAML parser takes.

use std::borrow::Cow;
use std::fmt::Write;

use super::plain;
use super::yaml::{self, At, Entry, Node, Refused, Why, key_of};

/// The longest block that is read.
pub(super) const LONGEST_BLOCK: usize = 64 * 1024;
/// The longest file that a document may be.
pub(super) const LONGEST_FILE: u64 = 4 * 1024 * 1024;
/// How much of a file has to be read to see any block that is allowed.
pub(super) const HEAD: usize = LONGEST_BLOCK + 16;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// What the head of a file holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Split<'a> {
    /// It does not begin with `---`.
    NoBlock,
    /// It begins with `---`, and nothing that was read closes it.
    Open { bom: bool, rest: &'a [u8] },
    /// A block, and what of the body was read.
    Block { bom: bool, block: &'a [u8], body: &'a [u8] },
}

/// Splits the head of a file. The first line of a block is line 2.
pub(super) fn split(head: &[u8]) -> Split<'_> {
    let bom = head.starts_with(BOM);
    let text = if bom { &head[BOM.len()..] } else { head };
    let Some((first, rest)) = next_line(text) else { return Split::NoBlock };
    if first != b"---" {
        return Split::NoBlock;
    }
    let mut from = 0;
    while let Some((line, after)) = next_line(&rest[from..]) {
        if line == b"---" {
            return Split::Block { bom, block: &rest[..from], body: after };
        }
        from = rest.len() - after.len();
    }
    Split::Open { bom, rest }
}

/// The first line without its ending, and what comes after it.
fn next_line(text: &[u8]) -> Option<(&[u8], &[u8])> {
    if text.is_empty() {
        return None;
    }
    let (line, rest) = match text.iter().position(|byte| *byte == b'\n') {
        Some(end) => (&text[..end], &text[end + 1..]),
        None => (text, &[][..]),
    };
    Some((line.strip_suffix(b"\r").unwrap_or(line), rest))
}

/// The keys of a block, and the lines that had to be quoted to read it.
#[derive(Debug)]
pub(super) struct Keys {
    pub entries: Vec<Entry>,
    /// Keys whose values are not standard YAML, with their places.
    pub unquoted: Vec<(String, At)>,
}

/// Reads the keys of a block. `Ok(None)` for an empty one.
pub(super) fn keys(block: &str) -> Result<Option<Keys>, Refused> {
    if let Some(entries) = plain::scan(block, 2) {
        return Ok(Some(Keys { entries, unquoted: Vec::new() }));
    }
    let block = if block.contains('\r') { Cow::Owned(block.replace("\r\n", "\n")) } else { Cow::Borrowed(block) };
    let (node, unquoted) = match yaml::read(&block, 2) {
        Ok(node) => (node, Vec::new()),
        Err(refused) if refused.why == Why::NotAllowed => return Err(refused),
        Err(refused) => {
            let (quoted, unquoted) = quote(&block);
            if unquoted.is_empty() {
                return Err(refused);
            }
            match yaml::read(&quoted, 2) {
                Ok(node) => (node, unquoted),
                Err(still) if still.why == Why::NotAllowed => return Err(still),
                Err(_) => return Err(refused),
            }
        }
    };
    match node {
        None => Ok(None),
        Some(Node::Scalar { text, .. }) if text.is_empty() => Ok(None),
        Some(Node::Map { entries, .. }) => Ok(Some(Keys { entries, unquoted })),
        Some(other) => Err(Refused {
            at: other.at(),
            key: None,
            message: "the block holds no keys".to_owned(),
            expected: Some("lines of `key: value`"),
            why: Why::NotAllowed,
        }),
    }
}

/// The block with the plain values of `title` and `description` quoted where YAML cannot read them, and which those
/// are. Lines and their number stay.
fn quote(block: &str) -> (String, Vec<(String, At)>) {
    let mut quoted = String::with_capacity(block.len() + 8);
    let mut unquoted = Vec::new();
    let mut lines = block.split_inclusive('\n').enumerate().peekable();
    while let Some((nth, line)) = lines.next() {
        let goes_on = lines.peek().is_some_and(|(_, next)| next.starts_with([' ', '\t']) && !next.trim().is_empty());
        match quoted_line(line).filter(|_| !goes_on) {
            Some((key, text, column)) => {
                quoted.push_str(&text);
                unquoted.push((key.to_owned(), At { line: nth + 2, column }));
            }
            None => quoted.push_str(line),
        }
    }
    (quoted, unquoted)
}

/// A line `title: ...` or `description: ...` whose value YAML cannot read, with that value quoted; also the key and the
/// column of the value. `None` for every other line.
pub(super) fn quoted_line(line: &str) -> Option<(&str, String, usize)> {
    let content = line.trim_end_matches(['\n', '\r']);
    let ending = &line[content.len()..];
    let key = key_of(content).filter(|key| matches!(*key, "title" | "description") && content.starts_with(key))?;
    let after = &content[key.len() + 1..];
    let value = after.trim_start_matches(' ');
    let gap = after.len() - value.len();
    // a tab is refused wherever it stands, and these begin something that is no text
    if value.is_empty() || gap == 0 || value.starts_with(['&', '*', '!', '|', '>']) || value.contains('\t') {
        return None;
    }
    if value.starts_with(['"', '\'']) && !closes(value) {
        return None;
    }
    if yaml::read(content, 1).is_ok_and(|node| matches!(node, Some(Node::Map { entries, .. }) if entries.len() == 1)) {
        return None;
    }
    let (text, comment) = match value.find(" #") {
        Some(at) => value.split_at(at),
        None => (value, ""),
    };
    let text = text.trim_end();
    let spaces = " ".repeat(value.len() - comment.len() - text.len());
    let column = key.chars().count() + 1 + gap + 1;
    let line = format!("{key}:{}{}{spaces}{comment}{ending}", " ".repeat(gap), double_quoted(text));
    Some((key, line, column))
}

/// Whether a value that begins with a quote closes it again.
fn closes(value: &str) -> bool {
    let quote = value.as_bytes()[0];
    let mut bytes = value.bytes().skip(1);
    while let Some(byte) = bytes.next() {
        if byte == quote {
            return true;
        }
        if quote == b'"' && byte == b'\\' {
            bytes.next();
        }
    }
    false
}

/// A text as a double-quoted YAML value.
pub(super) fn double_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\t' => quoted.push_str("\\t"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                // writing to a string cannot fail
                let _ = write!(quoted, "\\u{:04x}", c as u32);
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// A text as a YAML value: as it is where plain YAML reads it back as the same text, else in double quotes.
pub(super) fn scalar(text: &str) -> String {
    let word = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.' | ',' | '/' | '_' | '(' | ')' | '\'' | ';');
    let plain = text.starts_with(|c: char| c.is_alphabetic())
        && text.chars().all(word)
        && text.trim() == text
        && yaml::is_text(text)
        // other readers take these for booleans
        && !matches!(text.to_ascii_lowercase().as_str(), "yes" | "no" | "on" | "off" | "y" | "n" | "true" | "false" | "null");
    if plain { text.to_owned() } else { double_quoted(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_exact_fence_opens_and_closes() {
        let block = |text: &'static str| match split(text.as_bytes()) {
            Split::Block { block, body, .. } => Some((block, body)),
            _ => None,
        };
        assert_eq!(block("---\na: 1\n---\nbody"), Some((&b"a: 1\n"[..], &b"body"[..])));
        assert_eq!(block("---\r\na: 1\r\n---\r\nb"), Some((&b"a: 1\r\n"[..], &b"b"[..])));
        assert_eq!(block("---\n---"), Some((&b""[..], &b""[..])));
        assert_eq!(block("--- \na: 1\n---\n"), None);
        assert_eq!(split(b"---\na: 1\n --- \n----\n"), Split::Open { bom: false, rest: b"a: 1\n --- \n----\n" });
        assert_eq!(split(b"\xef\xbb\xbf---\n"), Split::Open { bom: true, rest: b"" });
        assert_eq!(split(b""), Split::NoBlock);
    }

    #[test]
    fn what_no_parser_takes_is_quoted() {
        let quoted = |line: &str| quoted_line(line).map(|(_, line, _)| line);
        assert_eq!(quoted("title: The protocol: what\n").as_deref(), Some("title: \"The protocol: what\"\n"));
        assert_eq!(quoted("description: ends so:\r\n").as_deref(), Some("description: \"ends so:\"\r\n"));
        assert_eq!(quoted("title: `a` b").as_deref(), Some("title: \"`a` b\""));
        assert_eq!(quoted("title: [a] b").as_deref(), Some("title: \"[a] b\""));
        assert_eq!(quoted("title: \"a\" b").as_deref(), Some("title: \"\\\"a\\\" b\""));
        assert_eq!(quoted("title: a: b  # c").as_deref(), Some("title: \"a: b\"  # c"));
        for fine in
            ["title: a", "title: \"a: b\"", "id: a: b", "  title: a: b", "title: *a b", "title: \"a b", "title:"]
        {
            assert_eq!(quoted(fine), None, "{fine}");
        }
    }

    #[test]
    fn a_scalar_is_read_back_as_the_same_text() {
        for text in [
            "plain",
            "no",
            "404",
            "a: b",
            "x #y",
            "",
            " lead",
            "tab\there",
            "\"q\" \\ 'r'",
            "- a",
            "ünï",
            "1e3",
            "a\u{1}b",
            "it's",
        ] {
            let keys = keys(&format!("title: {}\n", scalar(text))).unwrap().unwrap();
            let Node::Scalar { text: read, style, .. } = &keys.entries[0].value else { panic!() };
            assert_eq!(read, text);
            assert!(*style == super::yaml::Style::Quoted || yaml::is_text(read), "{text}");
        }
    }
}
