//! `repair`: mends a document by the fixes that its findings name, one small edit after another, until it is sound.
//! What only a person can decide (a merge, two different values of one key) is left, and said.

use std::collections::BTreeMap;

use super::super::document;
use super::super::edit_block::Block;
use super::super::error::Error;
use super::super::front_matter::{self, Split, double_quoted, scalar, split};
use super::super::index::{DocumentId, Fate, Index};
use super::super::layer::Layer;
use super::super::model::{Audience, Class, Composition, Document, RepoPath, Scope, Status};
use super::super::resolve::{Misnamed, normalise};
use super::super::schema::{self, is_id};
use super::super::validate::respellings;
use super::super::yaml::{At, Entry, Node, Style, is_null, is_text};
use super::release::replaced;
use super::write::{Guesses, header};
use super::{FixPlan, preview};
use crate::edit::FileEdit;
use crate::finding::Severity;
use crate::text::near;

/// More edits than any document needs; a bound on mending what mending breaks.
const MOST: usize = 100;

/// As [`repair`](super::repair).
pub(super) fn repair(layer: &Layer, path: &str) -> Result<FixPlan, Error> {
    let index = &layer.index;
    let normal = normalise(path)?;
    if !index.root().covers(normal.as_bytes()) {
        let why = Misnamed::Outside { root: index.root().clone(), similar: broken_near(index, &normal) };
        return Err(Error::Path { path: normal, why });
    }
    let id = find(index, normal)?;
    let old = index.document(id);
    let before = layer.bytes(&old.path)?;
    let Mended { after, mut document, notes } = mended(index, id, &before)?;
    document.new = old.new;
    let edits = vec![FileEdit::change(layer.place.on_disk(&old.path), before, after)];
    let label = format!("repair {}", old.path);
    let mut fix = preview(layer, label, edits, replaced(index, vec![document]), Vec::new());
    fix.notes = notes;
    Ok(fix)
}

/// A document after its repair.
#[derive(Clone, Debug)]
pub struct Mended {
    /// Its text.
    pub after: Vec<u8>,
    /// What it is read as: sound.
    pub document: Document,
    /// What was done, in words.
    pub notes: Vec<String>,
}

/// Mends the text of a document.
///
/// # Errors
/// [`Error::Unmendable`].
pub fn mended(index: &Index, id: DocumentId, text: &[u8]) -> Result<Mended, Error> {
    let path = &index.document(id).path;
    let refused = |why: String| Error::Unmendable { file: path.clone(), why };
    let mut mending = Mending { index, id, path, guesses: Guesses::new(index) };
    let (mut after, mut notes) = (text.to_owned(), Vec::new());
    for _ in 0..MOST {
        match mending.step(&after) {
            Some((next, note)) if next != after => {
                notes.push(note);
                after = next;
            }
            _ => break,
        }
    }
    let document = document::read(path, after.as_slice().into());
    let document = document.ok_or_else(|| refused("it would be no document any more".to_owned()))?;
    if let Some(wrong) = document.findings.iter().find(|finding| finding.severity == Severity::Error) {
        let line = wrong.line.map(|line| format!("line {line}: ")).unwrap_or_default();
        return Err(refused(format!("{line}{}", wrong.message)));
    }
    if after == text {
        return Err(refused("nothing in it can be mended by itself".to_owned()));
    }
    Ok(Mended { after, document, notes })
}

/// The document at a path; a folder stands for the broken one in it.
fn find(index: &Index, normal: String) -> Result<DocumentId, Error> {
    let at = |id: &DocumentId| index.document(*id).path.text() == normal;
    if let Some(id) = index.document_at(normal.as_bytes()).or_else(|| index.documents().find(at)) {
        return Ok(id);
    }
    let folder = index.find(normal.as_bytes());
    let mut inside = folder.into_iter().flat_map(|folder| index.documents_in(folder));
    let broken = inside.find(|id| matches!(index.fate(*id), Fate::Dropped(_)));
    broken.ok_or_else(|| Error::NotFound { similar: broken_near(index, &normal), path: normal })
}

/// The broken documents whose paths, folders or folders' names are near to a path.
fn broken_near(index: &Index, path: &str) -> Vec<String> {
    let mut by_name: BTreeMap<String, String> = BTreeMap::new();
    for (id, _) in index.broken() {
        let (document, home) = (index.document(id).path.to_string(), index.path(index.home(id)));
        for name in [home.name().into_owned(), home.to_string(), document.clone()] {
            by_name.entry(name).or_insert_with(|| document.clone());
        }
    }
    let mut similar: Vec<String> = Vec::new();
    for name in near(path, by_name.keys().map(String::as_str), 9) {
        if similar.len() < 3 && !similar.contains(&by_name[name]) {
            similar.push(by_name[name].clone());
        }
    }
    similar
}

struct Mending<'a> {
    index: &'a Index,
    id: DocumentId,
    path: &'a RepoPath,
    guesses: Guesses<'a>,
}

/// A text to put in the place of another.
struct Better {
    at: At,
    width: usize,
    text: String,
    note: String,
}

impl Mending<'_> {
    /// The next edit, and what it does in words.
    fn step(&mut self, bytes: &[u8]) -> Option<(Vec<u8>, String)> {
        if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
            return Some((rest.to_vec(), "took the byte order mark away".to_owned()));
        }
        match split(bytes) {
            Split::NoBlock => self.begin(bytes),
            Split::Open { rest, .. } => close(bytes, rest),
            Split::Block { .. } => self.inside(Block::of(bytes)?),
        }
    }

    fn folder(&self) -> RepoPath {
        self.path.parent().unwrap_or_default().into()
    }

    /// Puts a block before a text that has none.
    fn begin(&mut self, bytes: &[u8]) -> Option<(Vec<u8>, String)> {
        if document::has_conflict(bytes) {
            return None;
        }
        let crlf = bytes.windows(2).any(|pair| pair == b"\r\n");
        let mut form = self.guesses.form(&self.folder());
        if let Some(title) = heading(bytes) {
            form.title = title;
        }
        let header = header(&self.folder(), &form);
        let header = if crlf { header.replace('\n', "\r\n") } else { header };
        Some(([header.as_bytes(), bytes].concat(), "put the required keys before the text".to_owned()))
    }

    fn inside(&mut self, mut block: Block) -> Option<(Vec<u8>, String)> {
        let text = block.lines.concat();
        if document::has_conflict(text.as_bytes()) {
            return None;
        }
        let note = match front_matter::keys(&text) {
            Err(refused) => unreadable(&mut block, refused.at)?,
            Ok(keys) => {
                let unquoted = keys.as_ref().map(|keys| keys.unquoted.clone()).unwrap_or_default();
                if let Some((key, at)) = unquoted.first() {
                    let line = block.lines.get_mut(at.line - 2)?;
                    let (_, quoted, _) = front_matter::quoted_line(line)?;
                    *line = quoted;
                    format!("quoted the value of `{key}`")
                } else {
                    let entries = keys.map(|keys| keys.entries).unwrap_or_default();
                    self.keys(&mut block, &entries)?
                }
            }
        };
        Some((block.bytes(), note))
    }

    fn keys(&mut self, block: &mut Block, entries: &[Entry]) -> Option<String> {
        if let Some(note) = rename(block, entries, &schema::KEYS) {
            return Some(note);
        }
        let below = children(entries);
        if let Some(note) = rename(block, below, &schema::CHILDREN) {
            return Some(note);
        }
        let better = entries.iter().chain(below).find_map(|entry| self.better(entry));
        if let Some(Better { at, width, text, note }) = better {
            block.replace_at(at, width, &text)?;
            return Some(note);
        }
        self.missing(block, entries).or_else(|| comment_after_list(block, entries))
    }

    /// A better value of a key, when the one it has is not allowed and what was meant is plain.
    fn better(&mut self, entry: &Entry) -> Option<Better> {
        let key = entry.key.as_ref();
        if let ("exempt" | "paths", Node::List { items, .. }) = (key, &entry.value)
            && let Some(better) = items.iter().find_map(|item| self.respelled(key, item))
        {
            return Some(better);
        }
        match &entry.value {
            Node::List { items, .. } => items.iter().find_map(|item| better_item(key, item)),
            Node::Map { .. } | Node::Scalar { width: 0, .. } => None,
            Node::Scalar { text, style, at, width } => {
                let plain = *style == Style::Plain;
                let text = self.better_scalar(key, text, plain)?;
                let note = format!("`{key}` is now {text}");
                Some(Better { at: *at, width: *width, text, note })
            }
        }
    }

    fn better_scalar(&mut self, key: &str, text: &str, plain: bool) -> Option<String> {
        match key {
            "status" => word(text, Status::WORDS),
            "scope" => word(text, Scope::WORDS),
            "composition" => word(text, Composition::WORDS),
            "schema" => {
                (text != schema::SCHEMA && text.eq_ignore_ascii_case(schema::SCHEMA)).then(|| schema::SCHEMA.to_owned())
            }
            "kind" => word(text, &[schema::KIND]),
            "order" => {
                let digits = text.trim().trim_start_matches('+');
                (!(plain && digits == text))
                    .then(|| digits.parse::<i64>().ok())
                    .flatten()
                    .map(|order| order.to_string())
            }
            "title" | "description" => (plain && !is_null(text) && !is_text(text)).then(|| double_quoted(text)),
            "id" => self.better_id(text),
            "providers" | "paths" | "supersedes" | "tracks" if !is_null(text) => {
                Some(format!("[{}]", double_quoted(text)))
            }
            "audience" if !is_null(text) => Some(format!(
                "[{}]",
                Audience::of(text).map(Audience::word).or_else(|| nearest(text, Audience::WORDS))?
            )),
            "exempt" if !is_null(text) => Some(format!("[{}]", double_quoted(text))),
            "require_contract" => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "y" if !(plain && text == "true") => Some("true".to_owned()),
                "false" | "no" | "off" | "n" if !(plain && text == "false") => Some("false".to_owned()),
                _ => None,
            },
            _ => None,
        }
    }

    /// An id of the right form, or one that nobody else has.
    fn better_id(&mut self, text: &str) -> Option<String> {
        let twice = self.index.fate(self.id) == Fate::Dropped(Class::DuplicateId);
        let claimed = self.index.document(self.id).contract.as_ref().is_ok_and(|contract| contract.id == text);
        if is_id(text) && !(twice && claimed) {
            return None;
        }
        let lower: String = text.to_lowercase().split_whitespace().collect::<Vec<_>>().join("-");
        if is_id(&lower) && !self.guesses.is_taken(&lower) {
            return Some(lower);
        }
        Some(self.guesses.form(&self.folder()).id)
    }

    /// The right spelling of a folder that an entry misses by little.
    fn respelled(&self, key: &str, item: &Node) -> Option<Better> {
        let Node::Scalar { text, at, width, .. } = item else { return None };
        let is_folder = |path: &String| self.index.find(path.as_bytes()).is_some();
        if is_folder(text) || *width == 0 {
            return None;
        }
        let home = self.folder();
        let right = respellings(self.index, &home.text(), text).into_iter().find(is_folder)?;
        let note = format!("`{key}` names `{right}`");
        Some(Better { at: *at, width: *width, text: double_quoted(&right), note })
    }

    /// Adds a required key that is not there, or has no value.
    fn missing(&mut self, block: &mut Block, entries: &[Entry]) -> Option<String> {
        let form = self.guesses.form(&self.folder());
        let title = heading(&block.after).unwrap_or(form.title);
        let wanted = [
            ("schema", schema::SCHEMA.to_owned()),
            ("id", form.id),
            ("kind", schema::KIND.to_owned()),
            ("title", scalar(&title)),
            ("description", scalar(&form.description)),
            ("status", "active".to_owned()),
            ("scope", "subtree".to_owned()),
            ("providers", "[\"*\"]".to_owned()),
            ("composition", "extend".to_owned()),
            ("order", form.order.to_string()),
        ];
        for (key, value) in wanted {
            match entries.iter().find(|entry| entry.key == key) {
                None => block.append(&format!("{key}: {value}")),
                Some(Entry { value: Node::Scalar { text, at, width, style }, at: key_at, .. })
                    if text.trim().is_empty() =>
                {
                    if *style == Style::Plain {
                        let colon = At { line: key_at.line, column: key_at.column + key.chars().count() + 1 };
                        block.insert_at(colon, &format!(" {value}"))?;
                    } else {
                        block.replace_at(*at, *width, &value)?;
                    }
                }
                Some(Entry { value: Node::List { items, at, end: Some(end) }, .. })
                    if items.is_empty() && at.line == end.line =>
                {
                    block.replace_at(*at, end.column - at.column, &value)?;
                }
                Some(_) => continue,
            }
            return Some(format!("`{key}` is now {value}"));
        }
        None
    }
}

fn children(entries: &[Entry]) -> &[Entry] {
    match entries.iter().find(|entry| entry.key == "children").map(|entry| &entry.value) {
        Some(Node::Map { entries, .. }) => entries,
        _ => &[],
    }
}

/// The word that was meant, when the one there is not allowed.
fn word(text: &str, words: &[&str]) -> Option<String> {
    if words.contains(&text) { None } else { nearest(text, words).map(str::to_owned) }
}

fn nearest<'a>(text: &str, words: &[&'a str]) -> Option<&'a str> {
    near(text, words.iter().copied(), 1).first().copied()
}

fn better_item(key: &str, item: &Node) -> Option<Better> {
    let Node::Scalar { text, style, at, width } = item else { return None };
    let better = match key {
        _ if *width == 0 || is_null(text) => None,
        "audience" => word(text, Audience::WORDS),
        _ if *style == Style::Plain && !is_text(text) => Some(double_quoted(text)),
        _ => None,
    };
    better.map(|text| Better { at: *at, width: *width, note: format!("an item of `{key}` is now {text}"), text })
}

/// Writes an unknown key as the known one it is near to, when that is not there yet.
fn rename(block: &mut Block, entries: &[Entry], known: &[&str]) -> Option<String> {
    for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_ref())) {
        let Some(right) = nearest(&entry.key, known) else { continue };
        if entries.iter().all(|other| other.key != right) {
            block.replace_at(entry.at, entry.key.chars().count(), right)?;
            return Some(format!("`{}` is now `{right}`", entry.key));
        }
    }
    None
}

/// Mends a line that cannot be read: a tab, or the same line twice.
fn unreadable(block: &mut Block, at: At) -> Option<String> {
    let line = block.lines.get(at.line.checked_sub(2)?)?;
    if line.chars().nth(at.column - 1) == Some('\t') {
        let indent = line.chars().take(at.column).all(char::is_whitespace);
        block.replace_at(at, 1, if indent { "  " } else { " " })?;
        return Some(format!("line {}: a tab became spaces", at.line));
    }
    let text = line.trim_end().to_owned();
    if text.contains(':') && block.lines.iter().filter(|other| other.trim_end() == text).count() > 1 {
        block.lines.remove(at.line - 2);
        return Some(format!("line {} was there twice", at.line));
    }
    None
}

/// Closes a block where its body begins.
fn close(bytes: &[u8], rest: &[u8]) -> Option<(Vec<u8>, String)> {
    if document::has_conflict(rest) {
        return None;
    }
    let ending: &[u8] = if rest.windows(2).any(|pair| pair == b"\r\n") { b"\r\n" } else { b"\n" };
    let start = bytes.len() - rest.len();
    let mut at = start;
    for line in rest.split_inclusive(|byte| *byte == b'\n') {
        if document::looks_like_body(line.trim_ascii_end()) {
            let text = [&bytes[..at], b"---", ending, &bytes[at..]].concat();
            return Some((text, "closed the front matter before the body".to_owned()));
        }
        at += line.len();
    }
    let gap: &[u8] = if rest.is_empty() && bytes.ends_with(b"\n") || rest.ends_with(b"\n") { b"" } else { ending };
    Some(([bytes, gap, b"---", ending].concat(), "closed the front matter".to_owned()))
}

/// Moves a comment behind a list in brackets to a line of its own.
fn comment_after_list(block: &mut Block, entries: &[Entry]) -> Option<String> {
    let ends = entries.iter().chain(children(entries)).filter_map(|entry| match &entry.value {
        Node::List { at, end: Some(end), .. } if at.line == end.line => Some((entry, *end)),
        _ => None,
    });
    for (entry, end) in ends {
        let line = block.lines.get(end.line - 2)?;
        let after: String = line.chars().skip(end.column - 1).collect();
        let comment = after.trim_end();
        if comment.trim_start().starts_with('#') {
            block.replace_at(end, comment.chars().count(), "")?;
            let indent = " ".repeat(entry.at.column - 1);
            block.insert(entry.at.line - 2, &format!("{indent}{}", comment.trim_start()));
            return Some(format!("moved the comment of `{}` to a line of its own", entry.key));
        }
    }
    None
}

/// The first heading of a text.
fn heading(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let heading = text.lines().find_map(|line| line.strip_prefix("# "))?.trim().to_owned();
    (!heading.is_empty()).then_some(heading)
}
