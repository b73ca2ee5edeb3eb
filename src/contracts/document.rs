//! A Markdown file of the layer, judged by its head: a document with its contract, a broken one with its findings, or
//! just a file.

use super::boilerplate;
use super::front_matter::{self, LONGEST_BLOCK, LONGEST_FILE, Split};
use super::model::{Class, Document, Lines, RepoPath};
use super::schema::{self, KIND, Notes};
use super::yaml::{At, Entry, Node, Refused, Style};
use crate::finding::Severity;

/// The name that makes a file a document whatever it holds.
pub(super) const README: &[u8] = b"README.md";

/// The head of a file, as far as it was read.
#[derive(Clone, Copy, Debug)]
pub struct Head<'a> {
    /// Its first bytes; all of them, or enough to hold the longest block that is allowed.
    pub bytes: &'a [u8],
    /// How long the whole file is, in bytes.
    pub size: u64,
}

impl<'a> From<&'a [u8]> for Head<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Head { bytes, size: bytes.len() as u64 }
    }
}

/// Reads a Markdown file of the layer. `None` when it is no document: a file that is no README.md and does not say
/// `kind: context`.
pub fn read(path: &RepoPath, head: Head<'_>) -> Option<Document> {
    let readme = is_readme(path.as_bytes());
    let text = path.text();
    let mut notes = Notes::new(&text);
    let (mut left, mut lines) = (Vec::new(), Lines::default());
    let contract = match front_matter::split(head.bytes) {
        Split::NoBlock if !readme => return None,
        Split::NoBlock => {
            no_block(head.bytes, &mut notes);
            None
        }
        Split::Open { rest, .. } => {
            if !readme && !claims(rest) {
                return None;
            }
            if rest.len() < LONGEST_BLOCK {
                unclosed(rest, &mut notes);
            } else {
                too_long(&mut notes);
            }
            None
        }
        Split::Block { bom, block, body } => {
            let keys = readable(block, head.size).and_then(front_matter::keys);
            let kind = keys.as_ref().ok().map(|keys| keys.as_ref().and_then(|keys| schema::kind(&keys.entries)));
            let ours = kind.map_or_else(|| claims(block), |kind| kind == Some(KIND));
            if !readme && !ours {
                return None;
            }
            if bom {
                byte_order_mark(&mut notes);
            }
            if let Ok(Some(keys)) = &keys {
                lines = lines_of(&keys.entries);
            }
            let contract = declared(keys, block, &mut notes);
            if let Some(contract) = &contract {
                let folder = path.parent().map(super::model::text_of).unwrap_or_default();
                let body = body.utf8_chunks().next().map_or("", |chunk| chunk.valid());
                left = boilerplate::remaining(&folder, contract, body);
            }
            contract
        }
    };
    let contract = contract.ok_or(notes.class.unwrap_or(Class::InvalidFrontMatter));
    Some(Document { path: path.clone(), contract, new: false, findings: notes.findings, boilerplate: left, lines })
}

/// Where the keys stand that other documents may be at odds with.
fn lines_of(entries: &[Entry]) -> Lines {
    let line = |entries: &[Entry], key: &str| {
        let entry = entries.iter().find(|entry| entry.key == key);
        entry.map_or(0, |entry| u32::try_from(entry.at.line).unwrap_or(u32::MAX))
    };
    let children = entries.iter().find(|entry| entry.key == "children").map(|entry| &entry.value);
    let below: &[Entry] = match children {
        Some(Node::Map { entries, .. }) => entries,
        _ => &[],
    };
    Lines {
        id: line(entries, "id"),
        paths: line(entries, "paths"),
        supersedes: line(entries, "supersedes"),
        tracks: line(entries, "tracks"),
        require_contract: line(below, "require_contract"),
        exempt: line(below, "exempt"),
    }
}

/// Whether a path names a file that may be a document; in lower case only, as the original has it.
pub(super) fn is_markdown(path: &[u8]) -> bool {
    path.ends_with(b".md")
}

/// Whether a path names a file that is a document whatever it holds.
pub(super) fn is_readme(path: &[u8]) -> bool {
    path.rsplit(|byte| *byte == b'/').next() == Some(README)
}

/// Whether a line of a block that cannot be read is exactly `kind: context`.
fn claims(block: &[u8]) -> bool {
    block.split(|byte| *byte == b'\n').any(|line| line.strip_suffix(b"\r").unwrap_or(line) == b"kind: context")
}

/// The block as text, when it may be read at all.
fn readable(block: &[u8], size: u64) -> Result<&str, Refused> {
    let refused = |at, message: String, expected| Refused {
        at,
        key: None,
        message,
        expected: Some(expected),
        why: super::yaml::Why::NotAllowed,
    };
    let start = At { line: 1, column: 1 };
    if size > LONGEST_FILE {
        return Err(refused(start, format!("the file is {size} bytes long"), "a contract of at most 4 MiB"));
    }
    if block.len() > LONGEST_BLOCK {
        return Err(refused(start, "the front matter is longer than 64 KiB".to_owned(), "a block of at most 64 KiB"));
    }
    std::str::from_utf8(block).map_err(|error| {
        let before = &block[..error.valid_up_to()];
        let line = before.split(|byte| *byte == b'\n').count() + 1;
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        refused(At { line, column }, "the front matter is not UTF-8 here".to_owned(), "UTF-8; the body may be anything")
    })
}

/// The contract that a block declares.
fn declared(
    keys: Result<Option<front_matter::Keys>, Refused>,
    block: &[u8],
    notes: &mut Notes<'_>,
) -> Option<super::model::Contract> {
    match keys {
        Err(refused) => {
            if !unmerged(block, 2, notes) {
                not_read(refused, notes);
            }
            None
        }
        Ok(None) => {
            let finding = notes.refuse(Class::InvalidFrontMatter, "an empty contract: the block holds no keys");
            finding.line = Some(1);
            finding.expected = Some("the required keys, from `schema` to `providers`".to_owned());
            finding.fix = Some("fill in the required keys".to_owned());
            None
        }
        Ok(Some(keys)) => {
            for (key, at) in &keys.unquoted {
                let message = format!("the value of `{key}` is not standard YAML; other readers refuse the file");
                let finding = notes.add("non-standard-yaml", Severity::Warning, message);
                schema::place(finding, *at, key);
                finding.expected = Some("the value in quotes".to_owned());
                finding.fix = Some(format!("quote the value of `{key}`"));
            }
            let contract = schema::contract(&keys.entries, notes);
            // with more keys than there are, it is none of ours, and each would be looked up in the block
            if block.iter().any(|byte| matches!(byte, b'#' | b'"' | b'\'')) {
                for entry in keys.entries.iter().take(schema::KEYS.len()) {
                    differs(entry, "", block, notes);
                }
            }
            contract
        }
    }
}

fn byte_order_mark(notes: &mut Notes<'_>) {
    let message = "the file begins with a byte order mark; other readers see no front matter";
    let finding = notes.add("non-standard-yaml", Severity::Warning, message);
    (finding.line, finding.column) = (Some(1), Some(1));
    finding.expected = Some("`---` as the first bytes".to_owned());
    finding.fix = Some("save the file as UTF-8 without a byte order mark".to_owned());
}

fn no_block(bytes: &[u8], notes: &mut Notes<'_>) {
    if unmerged(bytes, 1, notes) {
        return;
    }
    let finding = notes.refuse(Class::InvalidFrontMatter, "a README.md in the layer without front matter");
    finding.line = Some(1);
    finding.expected = Some("`---` as the first line".to_owned());
    finding.fix = Some("begin the file with a block of the required keys between two lines `---`".to_owned());
}

fn unclosed(rest: &[u8], notes: &mut Notes<'_>) {
    if unmerged(rest, 2, notes) {
        return;
    }
    let mut lines = rest.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line)).enumerate();
    let body =
        lines.find(|(_, line)| looks_like_body(line)).map(|(nth, line)| (nth + 2, String::from_utf8_lossy(line)));
    let finding = notes.refuse(Class::InvalidFrontMatter, "the front matter is never closed");
    finding.line = Some(body.as_ref().map_or(1, |(line, _)| *line));
    finding.expected = Some("a second line `---`".to_owned());
    finding.fix = Some(match body {
        Some((line, text)) => format!("put a line `---` before line {line}, where the body seems to begin: `{text}`"),
        None => "put a line `---` after the last key".to_owned(),
    });
}

fn too_long(notes: &mut Notes<'_>) {
    let finding = notes.refuse(Class::InvalidFrontMatter, "the front matter is not closed within 64 KiB");
    finding.line = Some(1);
    finding.expected = Some("a block of at most 64 KiB".to_owned());
    finding.fix = Some("put a line `---` after the last key".to_owned());
}

/// Whether a line is hardly one of front matter: a heading, or text without a colon and an indent.
pub(super) fn looks_like_body(line: &[u8]) -> bool {
    let indented = line.first().is_none_or(|byte| matches!(byte, b' ' | b'-' | b'\t'));
    line.starts_with(b"# ") || line.starts_with(b"## ") || (!indented && !line.contains(&b':'))
}

/// Whether a text holds conflict markers.
pub(super) fn has_conflict(text: &[u8]) -> bool {
    conflict(text).is_some()
}

fn conflict(text: &[u8]) -> Option<usize> {
    let markers = [&b"<<<<<<< "[..], b">>>>>>> "];
    text.split(|byte| *byte == b'\n').position(|line| markers.iter().any(|marker| line.starts_with(marker)))
}

/// Says that a merge is unresolved, when there are conflict markers.
fn unmerged(text: &[u8], first: usize, notes: &mut Notes<'_>) -> bool {
    let marker = conflict(text);
    if let Some(nth) = marker {
        let finding = notes.refuse(Class::InvalidFrontMatter, "unresolved merge: the file holds conflict markers");
        finding.line = Some(nth + first);
        finding.expected = Some("one side of the conflict".to_owned());
        finding.fix = Some("resolve the conflict, and remove the lines of `<`, `=` and `>`".to_owned());
    }
    marker.is_some()
}

fn not_read(refused: Refused, notes: &mut Notes<'_>) {
    let finding = notes.refuse(Class::InvalidFrontMatter, refused.message);
    (finding.line, finding.column) = (Some(refused.at.line), Some(refused.at.column));
    finding.key = refused.key;
    finding.expected = refused.expected.map(str::to_owned);
    finding.fix = refused.expected.map(|expected| format!("write {expected}"));
}

/// Warns about lists in brackets that the original reads differently: a comment after one, a comma inside an item.
fn differs(entry: &Entry, prefix: &str, block: &[u8], notes: &mut Notes<'_>) {
    let key = format!("{prefix}{}", entry.key);
    match &entry.value {
        Node::Map { entries, .. } => entries.iter().for_each(|entry| differs(entry, "children.", block, notes)),
        Node::List { items, at, end: Some(end) } => {
            let mut warn = |at: At, message: String, fix: String| {
                let finding = notes.add("differs-upstream", Severity::Warning, message);
                schema::place(finding, at, &key);
                finding.fix = Some(fix);
            };
            if at.line == end.line && block.contains(&b'#') && comment_after(block, *end) {
                let message = format!("a comment after the list of `{key}`; the original refuses it");
                warn(*end, message, "move the comment to a line of its own".to_owned());
            }
            let comma = items.iter().find_map(|item| match item {
                Node::Scalar { text, style: Style::Quoted, at, .. } if text.contains(',') => Some(*at),
                _ => None,
            });
            if let Some(at) = comma {
                let message = format!("a comma inside an item of `{key}`; the original splits the item there");
                warn(at, message, "write the list as lines that begin with `- `".to_owned());
            }
        }
        _ => {}
    }
}

/// Whether a comment follows a place in a line of the block.
fn comment_after(block: &[u8], end: At) -> bool {
    let line = block.split(|byte| *byte == b'\n').nth(end.line.saturating_sub(2)).unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    line.chars().skip(end.column - 1).find(|c| *c != ' ') == Some('#')
}
