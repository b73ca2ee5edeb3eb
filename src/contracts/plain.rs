//! A scanner for front matter as nearly everybody writes it: a line a key, plain or quoted values, lists in brackets.
//! It takes only what it is sure of and gives the very tree that the YAML reader gives, several times as fast; for all
//! else it gives nothing, and the YAML reader is asked.

use std::borrow::Cow;

use super::schema::{CHILDREN, KEYS};
use super::yaml::{At, Entry, Node, Style};

/// More keys than any contract has.
const MOST_KEYS: usize = 32;

/// The keys of a plain block whose first line is `first` in its file; `None` for one that needs the YAML reader.
pub(super) fn scan(block: &str, first: usize) -> Option<Vec<Entry>> {
    let mut entries: Vec<Entry> = Vec::with_capacity(16);
    let mut lines = block.split_inclusive('\n').enumerate().peekable();
    while let Some((nth, line)) = lines.next() {
        let at = At { line: nth + first, column: 1 };
        let (key, value) = split(line.strip_suffix('\n')?)?;
        let value = if value.is_empty() {
            let (_, below) = lines.peek()?;
            let indent = below.bytes().take_while(|byte| *byte == b' ').count();
            if indent == 0 {
                return None;
            }
            let mut nested = Vec::with_capacity(2);
            let map_at = At { line: nth + 1 + first, column: indent + 1 };
            while let Some((nth, line)) = lines.next_if(|(_, line)| line.starts_with(' ')) {
                let inner = line.strip_suffix('\n')?.trim_start_matches(' ');
                if inner.len() + 1 + indent != line.len() {
                    return None;
                }
                let (key, value) = split(inner)?;
                let at = At { line: nth + first, column: indent + 1 };
                let value = node(value, At { column: indent + inner.len() - value.len() + 1, ..at })?;
                push(&mut nested, key, at, value)?;
            }
            Node::Map { entries: nested, at: map_at }
        } else {
            node(value, At { column: line.len() - 1 - value.len() + 1, ..at })?
        };
        push(&mut entries, key, at, value)?;
    }
    (!entries.is_empty()).then_some(entries)
}

fn push(entries: &mut Vec<Entry>, key: &str, at: At, value: Node) -> Option<()> {
    if entries.len() == MOST_KEYS || entries.iter().any(|entry| entry.key == key) {
        return None;
    }
    entries.push(Entry { key: named(key), at, value });
    Some(())
}

/// A key; the ones there are need no copy.
fn named(key: &str) -> Cow<'static, str> {
    let known = KEYS.iter().chain(&CHILDREN).find(|known| **known == key);
    known.map_or_else(|| Cow::Owned(key.to_owned()), |known| Cow::Borrowed(*known))
}

/// A line as a key of small letters and its value, without the spaces between.
fn split(line: &str) -> Option<(&str, &str)> {
    let end = line.bytes().position(|byte| !(byte.is_ascii_lowercase() || byte == b'_'))?;
    let rest = line[end..].strip_prefix(':')?;
    if end == 0 || (!rest.is_empty() && !rest.starts_with(' ')) || line.ends_with(' ') {
        return None;
    }
    Some((&line[..end], rest.trim_start_matches(' ')))
}

fn node(value: &str, at: At) -> Option<Node> {
    match *value.as_bytes().first()? {
        b'[' => list(value, at),
        b'"' => quoted(value, at).and_then(|(node, rest)| rest.is_empty().then_some(node)),
        first => plain(value, first, at),
    }
}

/// Plain text of one line.
fn plain(value: &str, first: u8, at: At) -> Option<Node> {
    let bytes = value.as_bytes();
    let begins = first.is_ascii_alphanumeric() || (first == b'-' && bytes.get(1).is_some_and(u8::is_ascii_digit));
    if !begins || value.ends_with(':') || !value.chars().all(is_safe) {
        return None;
    }
    let breaks = |pair: &[u8]| pair == b": " || pair == b" #";
    if bytes.windows(2).any(breaks) {
        return None;
    }
    Some(Node::Scalar { text: value.to_owned(), style: Style::Plain, at, width: value.chars().count() })
}

/// Characters that mean nothing to YAML inside a value.
fn is_safe(c: char) -> bool {
    matches!(c, ' '..='~') || (c > '\u{a0}' && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}'..))
}

/// Text in double quotes without an escape, and what comes after it.
fn quoted(value: &str, at: At) -> Option<(Node, &str)> {
    let inner = &value[1..];
    let end = inner.find('"')?;
    let text = &inner[..end];
    if text.contains('\\') || !text.chars().all(is_safe) {
        return None;
    }
    let width = text.chars().count() + 2;
    Some((Node::Scalar { text: text.to_owned(), style: Style::Quoted, at, width }, &inner[end + 1..]))
}

/// A list in brackets, of simple words and quoted texts.
fn list(value: &str, at: At) -> Option<Node> {
    if !value.is_ascii() {
        return None;
    }
    let column = |rest: &str| at.column + value.len() - rest.len();
    let mut items = Vec::with_capacity(2);
    let mut rest = value[1..].trim_start_matches(' ');
    while !rest.starts_with(']') {
        let place = At { column: column(rest), ..at };
        if rest.starts_with('"') {
            let (item, after) = quoted(rest, place)?;
            items.push(item);
            rest = after;
        } else {
            let word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/' | b'_' | b'-');
            let end = rest.bytes().position(|byte| !word(byte))?;
            if !rest.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'.') {
                return None;
            }
            let (text, after) = rest.split_at(end);
            items.push(Node::Scalar { text: text.to_owned(), style: Style::Plain, at: place, width: end });
            rest = after;
        }
        rest = rest.trim_start_matches(' ');
        match rest.strip_prefix(',') {
            Some(more) => {
                rest = more.trim_start_matches(' ');
                if rest.starts_with(']') {
                    return None;
                }
            }
            None if rest.starts_with(']') => {}
            None => return None,
        }
    }
    (rest.len() == 1).then(|| Node::List { items, at, end: Some(At { column: column(rest) + 1, ..at }) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::yaml;
    use super::*;

    const USUAL: &str = "schema: context/v1\nid: ai.repo\nkind: context\ntitle: Tracked context, é\n\
                         description: \"The: thing\"\nstatus: active\nscope: subtree\nproviders: [\"*\"]\n\
                         audience: [human, agent]\ncomposition: extend\norder: -5\ntracks: [ a/b.sh , \"x y\" ]\n\
                         children:\n  require_contract: true\n  exempt: [.ai/repo/v]\n";

    #[test]
    fn what_people_usually_write_is_taken() {
        assert_eq!(scan(USUAL, 2).unwrap().len(), 13);
    }

    /// Pieces of front matter, usual ones and treacherous ones.
    fn piece() -> impl Strategy<Value = String> {
        let usual: Vec<String> = USUAL.lines().map(|line| format!("{line}\n")).collect();
        prop_oneof![
            6 => prop::sample::select(usual),
            2 => "[a-z_]{1,6}: ?[-A-Za-z0-9 :#,.*&!|>'\"\\[\\]{}%@`~?\t\r\u{85}\u{a0}é\u{2028}\u{feff}]{0,12}\n",
            1 => "[a-z]{1,3}: \\[[a-z0-9., \"*-]{0,10}\\]\n",
            1 => "[a-z]{1,3}: \"[a-z0-9:#, é\\\\]{0,10}\"\n",
            1 => "[a-z]{1,3}:\n {1,3}[a-z]{1,3}: [a-z0-9\\[\\],]{0,5}\n",
            1 => " {0,3}[-#a-z]{0,3} ?[a-z0-9]{0,3}\n",
            1 => ".{0,8}\n",
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 5000, ..ProptestConfig::default() })]

        #[test]
        fn scanner_and_yaml_reader_agree(pieces in prop::collection::vec(piece(), 0..6)) {
            let block = pieces.concat();
            if let Some(entries) = scan(&block, 2) {
                let at = At { line: 2, column: 1 };
                prop_assert_eq!(yaml::read(&block, 2), Ok(Some(Node::Map { entries, at })), "{}", block);
            }
        }
    }
}
