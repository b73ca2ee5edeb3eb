//! Front matter as a small tree that knows where everything stands. The events come from `saphyr-parser`; what YAML
//! allows and a contract does not (anchors, aliases, tags, repeated keys, tabs, several documents) is refused here.

use std::borrow::Cow;
use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::text::Places;

/// How deep lists and maps may be nested; the table of keys needs three levels.
const DEEPEST: usize = 8;

/// A place in a text; both count from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct At {
    pub line: usize,
    pub column: usize,
}

/// Why a text was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub at: At,
    pub key: Option<String>,
    pub message: String,
    pub expected: Option<&'static str>,
    pub why: Why,
}

/// The kind of a refusal: what YAML itself refuses may still be mended by quoting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    NotYaml,
    NotAllowed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Quoted,
    Block,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// `width` is how many characters its source takes, quotes included; 0 for one of several lines.
    Scalar {
        text: String,
        style: Style,
        at: At,
        width: usize,
    },
    /// `end` is the place after the bracket that ends a list in brackets.
    List {
        items: Vec<Node>,
        at: At,
        end: Option<At>,
    },
    Map {
        entries: Vec<Entry>,
        at: At,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub key: Cow<'static, str>,
    pub at: At,
    pub value: Node,
}

impl Node {
    pub fn at(&self) -> At {
        match self {
            Node::Scalar { at, .. } | Node::List { at, .. } | Node::Map { at, .. } => *at,
        }
    }
}

/// A list or map that is being read.
enum Open {
    List { items: Vec<Node>, at: At, flow: bool },
    Map { entries: Vec<Entry>, lines: HashMap<String, usize>, at: At, key: Option<(String, At)> },
}

/// Reads the block of a front matter whose first line is `first` in its file. `None` for one that holds nothing.
pub(super) fn read(block: &str, first: usize) -> Result<Option<Node>, Refused> {
    let bytes = if block.is_ascii() { Vec::new() } else { block.char_indices().map(|(byte, _)| byte).collect() };
    let places = Places::of(block);
    let mut reader = Reader { block, first, places, bytes, open: Vec::new(), root: None, quoted: Vec::new() };
    let read = reader.run();
    let tab = reader.stray_tab(read.is_ok());
    match (read, tab) {
        (_, Some(tab)) => Err(tab),
        (Err(refused), None) => Err(refused),
        (Ok(()), None) => Ok(reader.root),
    }
}

struct Reader<'a> {
    block: &'a str,
    first: usize,
    places: Places,
    /// Where each character begins, when they are not one byte each.
    bytes: Vec<usize>,
    open: Vec<Open>,
    root: Option<Node>,
    /// The quoted values, as ranges of characters.
    quoted: Vec<(usize, usize)>,
}

impl Reader<'_> {
    fn run(&mut self) -> Result<(), Refused> {
        let mut documents = 0;
        for event in Parser::new_from_str(self.block) {
            let (event, span) = event.map_err(|error| {
                let at = self.place(error.marker().index());
                if error.info().contains("recursion limit") {
                    return self.too_deep(at);
                }
                self.refuse(at, format!("not readable as YAML: {}", error.info()), None, Why::NotYaml)
            })?;
            let at = self.at(&span);
            match event {
                Event::DocumentStart(_) => {
                    documents += 1;
                    if documents > 1 {
                        return Err(self.not_allowed(at, "a second YAML document", "one block of keys"));
                    }
                }
                Event::Alias(_) => return Err(self.not_allowed(at, "an alias (`*name`)", "the value itself")),
                Event::Scalar(text, style, anchor, tag) => {
                    self.plainly(at, anchor, tag.is_some())?;
                    let style = match style {
                        ScalarStyle::Plain => Style::Plain,
                        ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => {
                            self.quoted.push((span.start.index(), span.end.index()));
                            Style::Quoted
                        }
                        ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
                    };
                    let width = match style {
                        _ if span.start.line() != span.end.line() => 0,
                        Style::Quoted => self.quoted_width(&span),
                        _ => span.end.index() - span.start.index(),
                    };
                    self.put(Node::Scalar { text: text.into_owned(), style, at, width })?;
                }
                Event::SequenceStart(anchor, tag) => {
                    self.plainly(at, anchor, tag.is_some())?;
                    let flow = self.from(span.start.index()).starts_with('[');
                    self.begin(Open::List { items: Vec::new(), at, flow }, at)?;
                }
                Event::MappingStart(anchor, tag) => {
                    self.plainly(at, anchor, tag.is_some())?;
                    self.begin(Open::Map { entries: Vec::new(), lines: HashMap::new(), at, key: None }, at)?;
                }
                Event::SequenceEnd | Event::MappingEnd => {
                    // the span of an end begins at the bracket and may take in a comment after it
                    self.close(At { line: at.line, column: at.column + 1 })?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn at(&self, span: &Span) -> At {
        self.place(span.start.index())
    }

    /// The place of a character. The parser's own lines end at a carriage return too.
    fn place(&self, index: usize) -> At {
        let (line, column) = self.places.at(index);
        At { line: line + self.first - 1, column }
    }

    /// The block from a character on.
    fn from(&self, index: usize) -> &str {
        let byte = if self.bytes.is_empty() { index } else { self.bytes.get(index).copied().unwrap_or(usize::MAX) };
        self.block.get(byte..).unwrap_or_default()
    }

    /// How many characters a quoted value takes, quotes included; its span may take in what follows.
    fn quoted_width(&self, span: &Span) -> usize {
        let mut source = self.from(span.start.index()).chars();
        let Some(quote) = source.next() else { return 0 };
        let mut width = 1;
        while let Some(c) = source.next() {
            width += 1;
            if c == '\\' && quote == '"' {
                source.next();
                width += 1;
            } else if c == quote {
                // in single quotes, two of them stand for one
                if quote == '"' || source.clone().next() != Some('\'') {
                    return width;
                }
                source.next();
                width += 1;
            }
        }
        0
    }

    /// The key the reader stands at.
    fn key(&self) -> Option<String> {
        let keys: Vec<&str> = self
            .open
            .iter()
            .filter_map(|open| match open {
                Open::Map { key: Some((key, _)), .. } => Some(key.as_str()),
                _ => None,
            })
            .collect();
        (!keys.is_empty()).then(|| keys.join("."))
    }

    fn refuse(&self, at: At, message: String, expected: Option<&'static str>, why: Why) -> Refused {
        Refused { at, key: self.key(), message, expected, why }
    }

    fn not_allowed(&self, at: At, what: &str, expected: &'static str) -> Refused {
        self.refuse(at, format!("{what} is not allowed in front matter"), Some(expected), Why::NotAllowed)
    }

    fn too_deep(&self, at: At) -> Refused {
        self.not_allowed(at, "nesting this deep", "the keys of the schema")
    }

    fn plainly(&self, at: At, anchor: usize, tagged: bool) -> Result<(), Refused> {
        if anchor != 0 {
            return Err(self.not_allowed(at, "an anchor (`&name`)", "the value itself"));
        }
        if tagged {
            return Err(self.not_allowed(at, "a tag (`!name`)", "the value itself"));
        }
        Ok(())
    }

    fn begin(&mut self, open: Open, at: At) -> Result<(), Refused> {
        if let Some(Open::Map { key: None, .. }) = self.open.last() {
            return Err(self.not_allowed(at, "a list or map as a key", "a word and a colon"));
        }
        if self.open.len() >= DEEPEST {
            return Err(self.too_deep(at));
        }
        self.open.push(open);
        Ok(())
    }

    fn close(&mut self, end: At) -> Result<(), Refused> {
        match self.open.pop() {
            Some(Open::List { items, at, flow }) => self.put(Node::List { items, at, end: flow.then_some(end) }),
            Some(Open::Map { entries, at, .. }) => self.put(Node::Map { entries, at }),
            None => Ok(()),
        }
    }

    fn put(&mut self, node: Node) -> Result<(), Refused> {
        let repeated = match self.open.last_mut() {
            None => {
                self.root = Some(node);
                None
            }
            Some(Open::List { items, .. }) => {
                items.push(node);
                None
            }
            Some(Open::Map { entries, lines, key, .. }) => {
                if let Some((key, at)) = key.take() {
                    entries.push(Entry { key: Cow::Owned(key), at, value: node });
                    None
                } else {
                    let Node::Scalar { text, at, .. } = node else { return Ok(()) };
                    *key = Some((text.clone(), at));
                    lines.insert(text.clone(), at.line).map(|line| (text, at, line))
                }
            }
        };
        match repeated {
            None => Ok(()),
            Some((key, at, line)) => Err(self.refuse(
                at,
                format!("`{key}` is given twice, on lines {line} and {}", at.line),
                Some("one line for each key"),
                Why::NotAllowed,
            )),
        }
    }

    /// The first tab outside of quoted values.
    fn stray_tab(&self, read: bool) -> Option<Refused> {
        if !self.block.contains('\t') {
            return None;
        }
        let mut at = At { line: self.first, column: 1 };
        // where reading stopped early, a quote earlier in the line is taken to be open
        let mut quote = false;
        for (nth, c) in self.block.chars().enumerate() {
            let quoted = || {
                let begun = self.quoted.partition_point(|(from, _)| *from <= nth);
                begun > 0 && nth < self.quoted[begun - 1].1
            };
            if c == '\t' && !quoted() && (read || !quote) {
                let line = self.block.lines().nth(at.line - self.first).unwrap_or_default();
                return Some(Refused {
                    at,
                    key: key_of(line).map(str::to_owned),
                    message: format!("a tab in the front matter, shown here as →: `{}`", line.replace('\t', "→")),
                    expected: Some("spaces"),
                    why: Why::NotAllowed,
                });
            }
            quote |= matches!(c, '"' | '\'');
            if c == '\n' {
                at = At { line: at.line + 1, column: 1 };
                quote = false;
            } else {
                at.column += 1;
            }
        }
        None
    }
}

/// The key a line begins with, at any indent.
pub(super) fn key_of(line: &str) -> Option<&str> {
    let (key, _) = line.trim_start().split_once(':')?;
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    (!key.is_empty() && key.chars().all(word)).then_some(key)
}

/// Whether YAML reads a plain value as text, and not as a number, a boolean or nothing.
pub(super) fn is_text(plain: &str) -> bool {
    let Some(first) = plain.bytes().next() else { return false };
    if !matches!(first, b'0'..=b'9' | b'+' | b'-' | b'.' | b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F') {
        return true;
    }
    !(is_null(plain) || is_number(plain) || matches!(plain, "true" | "True" | "TRUE" | "false" | "False" | "FALSE"))
}

/// Whether YAML reads a plain value as nothing.
pub(super) fn is_null(plain: &str) -> bool {
    matches!(plain, "" | "~" | "null" | "Null" | "NULL")
}

fn is_number(plain: &str) -> bool {
    let unsigned = plain.strip_prefix(['+', '-']).unwrap_or(plain);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(plain, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let digits = |text: &str, radix: u32| !text.is_empty() && text.chars().all(|c| c.is_digit(radix));
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(rest) = unsigned.strip_prefix(prefix) {
            return digits(rest, radix);
        }
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let some_digits = whole.len() + fraction.len() > 0;
    let only_digits = whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit());
    let good_exponent = exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text), 10));
    some_digits && only_digits && good_exponent
}
