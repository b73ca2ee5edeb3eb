//! Front matter edited line by line: what an edit does not mean to touch stays as it is, byte for byte, and every edit
//! is read again before it is believed.

use super::front_matter::{self, Split, double_quoted, split};
use super::model::{Contract, RepoPath};
use super::yaml::{At, Entry, Node, is_text};

/// A document taken apart into lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The byte order mark, if any, and the opening fence with its ending.
    pub before: Vec<u8>,
    /// The lines of the block, each with its ending; the first is line 2 of the file.
    pub lines: Vec<String>,
    /// The closing fence and the body.
    pub after: Vec<u8>,
}

impl Block {
    /// The parts of a document; `None` when it has no closed block, or one that is not UTF-8.
    pub fn of(bytes: &[u8]) -> Option<Block> {
        let Split::Block { block, .. } = split(bytes) else { return None };
        let start = block.as_ptr() as usize - bytes.as_ptr() as usize;
        let lines = std::str::from_utf8(block).ok()?.split_inclusive('\n').map(str::to_owned).collect();
        Some(Block { before: bytes[..start].to_owned(), lines, after: bytes[start + block.len()..].to_owned() })
    }

    /// The whole document.
    pub fn bytes(&self) -> Vec<u8> {
        [&self.before, self.lines.concat().as_bytes(), &self.after].concat()
    }

    /// The keys as they are read now.
    pub fn entries(&self) -> Option<Vec<Entry>> {
        front_matter::keys(&self.lines.concat()).ok().map(|keys| keys.map(|keys| keys.entries).unwrap_or_default())
    }

    /// The line ending of the block.
    fn ending(&self) -> &'static str {
        if self.before.ends_with(b"\r\n") { "\r\n" } else { "\n" }
    }

    /// Puts a line after so many lines of the block.
    pub fn insert(&mut self, after: usize, line: &str) {
        let line = format!("{line}{}", self.ending());
        self.lines.insert(after.min(self.lines.len()), line);
    }

    /// Puts a line at the end of the block.
    pub fn append(&mut self, line: &str) {
        self.insert(self.lines.len(), line);
    }

    /// The line at a place, and the byte in it.
    fn locate(&mut self, at: At) -> Option<(&mut String, usize)> {
        let line = self.lines.get_mut(at.line.checked_sub(2)?)?;
        let byte = line.char_indices().map(|(byte, _)| byte).chain([line.len()]).nth(at.column - 1)?;
        Some((line, byte))
    }

    /// Puts a text at a place.
    pub fn insert_at(&mut self, at: At, text: &str) -> Option<()> {
        let (line, byte) = self.locate(at)?;
        line.insert_str(byte, text);
        Some(())
    }

    /// Replaces so many characters at a place.
    pub fn replace_at(&mut self, at: At, width: usize, text: &str) -> Option<()> {
        let (line, from) = self.locate(at)?;
        let to = line[from..].char_indices().map(|(byte, _)| byte).chain([line.len() - from]).nth(width)? + from;
        line.replace_range(from..to, text);
        Some(())
    }
}

/// A change of the keys below `children`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// These folders join `exempt`.
    Exempt(Vec<String>),
    /// `require_contract` becomes this.
    Require(bool),
}

impl Change {
    fn key(&self) -> &'static str {
        match self {
            Change::Exempt(_) => "exempt",
            Change::Require(_) => "require_contract",
        }
    }

    fn value(&self) -> String {
        match self {
            Change::Exempt(paths) => format!("[{}]", items(paths)),
            Change::Require(required) => required.to_string(),
        }
    }

    /// The contract after the change.
    fn apply(&self, contract: &mut Contract) {
        match self {
            Change::Exempt(paths) => contract.exempt.extend(paths.iter().cloned()),
            Change::Require(required) => contract.require_contract = Some(*required),
        }
    }
}

/// A folder as an item of a list.
fn item(path: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '/' | '_' | '-');
    let simple = path.chars().all(plain) && !path.starts_with('-') && is_text(path);
    if simple { path.to_owned() } else { double_quoted(path) }
}

fn items(paths: &[String]) -> String {
    paths.iter().map(|path| item(path)).collect::<Vec<_>>().join(", ")
}

/// The document with a change made, and nothing else; or why that cannot be done safely.
pub(super) fn changed(path: &RepoPath, bytes: &[u8], change: &Change) -> Result<Vec<u8>, String> {
    let parsed = |bytes: &[u8]| super::document::read(path, bytes.into()).and_then(|document| document.contract.ok());
    let mut wanted = parsed(bytes).ok_or("it is no sound contract")?;
    change.apply(&mut wanted);
    let mut block = Block::of(bytes).ok_or("its front matter cannot be taken apart")?;
    let entries = block.entries().ok_or("its front matter cannot be read")?;
    let touched = edit(&mut block, &entries, change).ok_or("its `children` are written in a way that is not edited")?;
    let after = block.bytes();
    if parsed(&after).as_ref() != Some(&wanted) {
        return Err("the edit would not be read back as meant".to_owned());
    }
    if !only(bytes, &after, &touched) {
        return Err("the edit would touch other lines".to_owned());
    }
    Ok(after)
}

/// What an edit may touch: this line of the file is changed, or gets new lines right after it.
#[derive(Debug, PartialEq, Eq)]
struct Touched {
    /// Lines of the file that stay before the edit.
    before: usize,
    /// Old lines that may change.
    old: usize,
}

/// Whether all lines but the touched ones are in both texts, byte for byte.
fn only(old: &[u8], new: &[u8], touched: &Touched) -> bool {
    let lines = |bytes: &[u8]| bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (old, new) = (lines(old), lines(new));
    let Some(after) = old.len().checked_sub(touched.before + touched.old) else { return false };
    new.len() >= touched.before + after
        && old[..touched.before] == new[..touched.before]
        && old[old.len() - after..] == new[new.len() - after..]
}

fn edit(block: &mut Block, entries: &[Entry], change: &Change) -> Option<Touched> {
    let key = change.key();
    // the opening fence is line 1, so so many lines of the file stand before a line of the block
    let changes = |line: usize| Touched { before: line - 1, old: 1 };
    let inserts = |after: usize| Touched { before: after + 1, old: 0 };
    let Some(children) = entries.iter().find(|entry| entry.key == "children") else {
        let end = block.lines.len();
        block.append("children:");
        block.append(&format!("  {key}: {}", change.value()));
        return Some(inserts(end));
    };
    let below = match &children.value {
        Node::Map { entries, at } if at.line > children.at.line => entries,
        Node::Scalar { text, width: 0, .. } if text.is_empty() => {
            let after = children.at.line - 1;
            block.insert(after, &format!("  {key}: {}", change.value()));
            return Some(inserts(after));
        }
        // on one line, in braces
        _ => return None,
    };
    let Some(entry) = below.iter().find(|entry| entry.key == key) else {
        let indent = " ".repeat(below.first()?.at.column - 1);
        let after = last_line(block, children.at.line)?;
        block.insert(after, &format!("{indent}{key}: {}", change.value()));
        return Some(inserts(after));
    };
    match (&entry.value, change) {
        (Node::Scalar { text, .. }, _) if text.is_empty() => {
            let at = At { line: entry.at.line, column: entry.at.column + key.len() + 1 };
            block.insert_at(at, &format!(" {}", change.value()))?;
            Some(changes(at.line))
        }
        (Node::Scalar { at, width, .. }, Change::Require(_)) => {
            block.replace_at(*at, *width, &change.value())?;
            Some(changes(at.line))
        }
        (Node::List { items: old, end: Some(end), .. }, Change::Exempt(paths)) => {
            let bracket = At { line: end.line, column: end.column - 1 };
            let comma = if old.is_empty() { "" } else { ", " };
            block.insert_at(bracket, &format!("{comma}{}", items(paths)))?;
            Some(changes(end.line))
        }
        (Node::List { items: old, end: None, .. }, Change::Exempt(paths)) => {
            let last = old.last()?.at();
            let dash = block.lines.get(last.line - 2)?.find('-')?;
            let indent = block.lines[last.line - 2][..dash].to_owned();
            for (nth, path) in paths.iter().enumerate() {
                block.insert(last.line - 1 + nth, &format!("{indent}- {}", item(path)));
            }
            Some(inserts(last.line - 1))
        }
        _ => None,
    }
}

/// How many lines of the block there are up to the last one that is indented below the key on a line.
fn last_line(block: &Block, key_line: usize) -> Option<usize> {
    let first = key_line - 1;
    let inside = |line: &&String| line.starts_with(' ') || line.starts_with('-') || is_blank(line);
    let below = block.lines.get(first..)?.iter().take_while(inside).enumerate();
    let last = below.filter(|(_, line)| !is_blank(line)).last().map_or(0, |(nth, _)| nth + 1);
    Some(first + last)
}

/// Whether a line holds nothing, or a comment.
fn is_blank(line: &str) -> bool {
    let text = line.trim();
    text.is_empty() || text.starts_with('#')
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "schema: context/v1\nid: ai.r # c\nkind:   context\ntitle: 'T'\ndescription: a: b\nstatus: active\n\
                        scope: subtree\nproviders: [\"*\"]\ncomposition: extend\norder: 100\n";

    fn text(more: &str) -> String {
        format!("---\n{HEAD}{more}---\nbody\n")
    }

    fn exempt(more: &str) -> String {
        let change = Change::Exempt(vec![".ai/r/v".to_owned()]);
        let old = text(more);
        let new = changed(&".ai/r/README.md".into(), old.as_bytes(), &change).unwrap();
        let new = String::from_utf8(new).unwrap();
        new.strip_prefix(&format!("---\n{HEAD}")).unwrap().strip_suffix("---\nbody\n").unwrap().to_owned()
    }

    #[test]
    fn an_exemption_joins_however_children_are_written() {
        for (old, new) in [
            ("", "children:\n  exempt: [.ai/r/v]\n"),
            ("children:\n", "children:\n  exempt: [.ai/r/v]\n"),
            ("children:  # c\n", "children:  # c\n  exempt: [.ai/r/v]\n"),
            (
                "children:\n    require_contract: true # c\n\n# d\n",
                "children:\n    require_contract: true # c\n    exempt: [.ai/r/v]\n\n# d\n",
            ),
            ("children:\n  exempt: []\n", "children:\n  exempt: [.ai/r/v]\n"),
            ("children:\n  exempt:\n", "children:\n  exempt: [.ai/r/v]\n"),
            ("children:\n  exempt: [a,  'b'] # c\n", "children:\n  exempt: [a,  'b', .ai/r/v] # c\n"),
            ("children:\n  exempt: [a,\n    b\n    ]\n", "children:\n  exempt: [a,\n    b\n    , .ai/r/v]\n"),
            (
                "children:\n  exempt:\n  - a\n  - b\n  require_contract: true\n",
                "children:\n  exempt:\n  - a\n  - b\n  - .ai/r/v\n  require_contract: true\n",
            ),
            (
                "children:\n  exempt:\n      - a # x\norder2: 1\n".replace("order2: 1\n", "").as_str(),
                "children:\n  exempt:\n      - a # x\n      - .ai/r/v\n",
            ),
        ] {
            assert_eq!(exempt(old), new, "{old}");
        }
    }

    #[test]
    fn what_cannot_be_edited_safely_is_refused() {
        for more in ["children: {exempt: [a]}\n", "children:\n  exempt: [a,]\n"] {
            let change = Change::Exempt(vec!["b".to_owned()]);
            assert!(changed(&".ai/r/README.md".into(), text(more).as_bytes(), &change).is_err(), "{more}");
        }
    }

    #[test]
    fn a_requirement_is_set_in_place() {
        let change = |more: &str| {
            let new = changed(&".ai/r/README.md".into(), text(more).as_bytes(), &Change::Require(false)).unwrap();
            String::from_utf8(new).unwrap()
        };
        assert_eq!(change(""), text("children:\n  require_contract: false\n"));
        assert_eq!(
            change("children:\n  exempt: [a]\n  require_contract:  true  # c\n"),
            text("children:\n  exempt: [a]\n  require_contract:  false  # c\n")
        );
        assert_eq!(change("children:\n  require_contract:\n"), text("children:\n  require_contract: false\n"));
    }

    #[test]
    fn line_endings_marks_and_bodies_stay() {
        let old = [b"\xef\xbb\xbf".as_slice(), text("").replace('\n', "\r\n").as_bytes(), b"\xff\0 no end"].concat();
        let new = changed(&".ai/r/README.md".into(), &old, &Change::Exempt(vec!["a b, c".to_owned()])).unwrap();
        let end = b"children:\r\n  exempt: [\"a b, c\"]\r\n---\r\nbody\r\n\xff\0 no end";
        assert!(new.ends_with(end) && new.starts_with(b"\xef\xbb\xbf---\r\n"));
        assert_eq!(new.len(), old.len() + "children:\r\n  exempt: [\"a b, c\"]\r\n".len());
    }
}
