//! A small reader of hostile YAML: a tree in which every key and value knows its line and column.
//!
//! It reads one document of mappings, lists and scalars. Repeated keys, anchors and aliases, tags, a second document
//! and deep nesting are refused with their place, and nothing recurses, so that no file can exhaust time or stack.

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::text::Places;

/// Deeper than this no honest file nests.
const DEEPEST: usize = 32;
/// More nodes than this no honest file has.
const MOST_NODES: usize = 20_000;

/// What is wrong with a text, and where. Lines and columns count from 1; columns are characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// What is wrong and what to do.
    pub message: String,
}

/// A value and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its line.
    pub line: usize,
    /// Its column.
    pub column: usize,
    /// What it is.
    pub value: Value,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A scalar.
    Scalar {
        /// Its text, unquoted.
        text: String,
        /// Whether it stood without quotes, so that it may mean a number, a boolean or nothing.
        plain: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// A mapping, in file order. Each key is a scalar and occurs once.
    Map(Vec<(Key, Node)>),
}

/// A key and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its text.
    pub text: String,
    /// Its line.
    pub line: usize,
    /// Its column.
    pub column: usize,
}

impl Node {
    /// A problem at this node.
    pub fn problem(&self, message: impl Into<String>) -> Problem {
        Problem { line: self.line, column: self.column, message: message.into() }
    }

    /// Whether the node is nothing: `null`, `~` or empty.
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, plain: true } if is_null(text))
    }

    /// The node as a boolean, in every spelling YAML has had for one.
    pub fn as_bool(&self) -> Option<bool> {
        let Value::Scalar { text, plain: true } = &self.value else { return None };
        as_bool(text)
    }

    /// What the node is, for "expected ..., found ...".
    pub fn kind(&self) -> &'static str {
        match &self.value {
            _ if self.is_null() => "nothing",
            Value::Scalar { .. } => "a text",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    /// Whether a plain scalar would be read as something other than a text by some YAML reader.
    pub fn is_no_text(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, plain: true }
            if is_null(text) || as_bool(text).is_some() || text.parse::<f64>().is_ok())
    }

    /// The node as JSON; plain scalars become what they mean.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Scalar { text, plain } => scalar_json(text, *plain),
            Value::List(items) => items.iter().map(Node::to_json).collect(),
            Value::Map(entries) => entries.iter().map(|(key, value)| (key.text.clone(), value.to_json())).collect(),
        }
    }
}

fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn as_bool(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(true),
        "false" | "no" | "off" => Some(false),
        _ => None,
    }
}

fn scalar_json(text: &str, plain: bool) -> serde_json::Value {
    if plain {
        if is_null(text) {
            return serde_json::Value::Null;
        }
        if let Some(flag) = as_bool(text) {
            return flag.into();
        }
        if let Ok(whole) = text.parse::<i64>() {
            return whole.into();
        }
    }
    text.into()
}

/// Reads one document.
///
/// # Errors
/// The first [`Problem`].
pub fn parse(bytes: &[u8]) -> Result<Node, Problem> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = before.split(|byte| *byte == b'\n').count();
        Problem { line, column: 1, message: "not UTF-8 text; save the file as UTF-8".to_owned() }
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder::default();
    let places = Places::of(text);
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        // the parser's own lines end at a carriage return too, and go on after the last one
        let (event, span) = event.map_err(|error| explained(text, places.at(error.marker().index()), error.info()))?;
        builder.take(event, places.at(span.start.index())).map_err(|problem| quoting_hint(text, problem))?;
    }
    builder.root.ok_or_else(|| Problem { line: 1, column: 1, message: "an empty file; nothing is in it".to_owned() })
}

/// The parser's own words, with what a person should do where that is known.
fn explained(text: &str, (line, column): (usize, usize), info: &str) -> Problem {
    let source = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    let indent = &source[..source.len() - source.trim_start().len()];
    let message = if indent.contains('\t') {
        "a tab in the indentation; YAML takes spaces only".to_owned()
    } else if info.contains("recursion limit") {
        format!("nested deeper than {DEEPEST} levels")
    } else {
        format!("not valid YAML: {info}")
    };
    quoting_hint(text, Problem { line, column, message })
}

/// A glob that begins with `*` is an alias to YAML; say so when that may be what happened.
fn quoting_hint(text: &str, mut problem: Problem) -> Problem {
    let source = text.lines().nth(problem.line.saturating_sub(1)).unwrap_or_default();
    let unquoted = [": *", "- *", ", *", "[*", "[ *"].iter().any(|sign| source.contains(sign));
    if unquoted && !problem.message.contains("quote") {
        problem.message.push_str("; quote a pattern that begins with `*`: \"*/\"");
    }
    problem
}

/// Builds the tree from events, on a stack of its own.
#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
    nodes: usize,
    documents: usize,
}

/// A list or mapping whose end has not come yet.
struct Open {
    line: usize,
    column: usize,
    holds: Holds,
}

enum Holds {
    List(Vec<Node>),
    Map { entries: Vec<(Key, Node)>, key: Option<Key> },
}

impl Builder {
    fn take(&mut self, event: Event<'_>, (line, column): (usize, usize)) -> Result<(), Problem> {
        let refuse = |message: &str| Err(Problem { line, column, message: message.to_owned() });
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return refuse("a second document; one file holds one");
                }
            }
            Event::Alias(_) => return refuse("aliases (`*name`) are not read"),
            Event::Scalar(_, _, anchor, _) | Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _)
                if anchor != 0 =>
            {
                return refuse("anchors (`&name`) are not read");
            }
            Event::Scalar(_, _, _, Some(_)) | Event::SequenceStart(_, Some(_)) | Event::MappingStart(_, Some(_)) => {
                return refuse("tags (`!name`) are not read");
            }
            Event::Scalar(text, style, ..) => {
                let value = Value::Scalar { text: text.into_owned(), plain: style == ScalarStyle::Plain };
                self.place(Node { line, column, value })?;
            }
            Event::SequenceStart(..) => self.open(Open { line, column, holds: Holds::List(Vec::new()) })?,
            Event::MappingStart(..) => {
                self.open(Open { line, column, holds: Holds::Map { entries: Vec::new(), key: None } })?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(Open { line, column, holds }) = self.open.pop() {
                    let value = match holds {
                        Holds::List(items) => Value::List(items),
                        Holds::Map { entries, .. } => Value::Map(entries),
                    };
                    self.place(Node { line, column, value })?;
                }
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    fn open(&mut self, open: Open) -> Result<(), Problem> {
        if self.open.len() >= DEEPEST {
            let message = format!("nested deeper than {DEEPEST} levels");
            return Err(Problem { line: open.line, column: open.column, message });
        }
        self.open.push(open);
        Ok(())
    }

    fn place(&mut self, node: Node) -> Result<(), Problem> {
        self.nodes += 1;
        if self.nodes > MOST_NODES {
            return Err(node.problem(format!("more than {MOST_NODES} values")));
        }
        match self.open.last_mut().map(|open| &mut open.holds) {
            // an empty document arrives as one empty scalar
            None if node.is_null() => {}
            None => self.root = Some(node),
            Some(Holds::List(items)) => items.push(node),
            Some(Holds::Map { entries, key }) => match key.take() {
                Some(key) => entries.push((key, node)),
                None => *key = Some(as_key(&node, entries)?),
            },
        }
        Ok(())
    }
}

fn as_key(node: &Node, entries: &[(Key, Node)]) -> Result<Key, Problem> {
    let Value::Scalar { text, .. } = &node.value else {
        return Err(node.problem(format!("{} as a key; a key is a text", node.kind())));
    };
    if let Some((first, _)) = entries.iter().find(|(key, _)| key.text == *text) {
        let message = format!("the key `{text}` is there twice, on lines {} and {}", first.line, node.line);
        return Err(node.problem(message));
    }
    Ok(Key { text: text.clone(), line: node.line, column: node.column })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> Problem {
        parse(text.as_bytes()).unwrap_err()
    }

    #[test]
    fn a_tree_knows_its_places() {
        let root = parse(b"a: 1\nb:\n  - \"x\"\n").unwrap();
        let Value::Map(entries) = &root.value else { panic!("{root:?}") };
        assert_eq!((entries[1].0.text.as_str(), entries[1].0.line), ("b", 2));
        let Value::List(items) = &entries[1].1.value else { panic!("{root:?}") };
        assert_eq!((items[0].line, items[0].column), (3, 5));
        assert_eq!(root.to_json(), serde_json::json!({"a": 1, "b": ["x"]}));
    }

    #[test]
    fn what_could_explode_or_hide_is_refused_with_its_place() {
        for (text, line, says) in [
            ("a: &x 1\nb: *x\n", 1, "anchors"),
            ("a: !!int 1\n", 1, "tags"),
            ("a: 1\n---\nb: 2\n", 2, "second document"),
            ("a: 1\nb: 2\na: 3\n", 3, "lines 1 and 3"),
            ("a:\n\t- b\n", 2, "tab"),
            ("{x: [}\n", 1, "not valid YAML"),
            ("", 1, "empty file"),
            ("# only a comment\n", 1, "empty file"),
        ] {
            let found = problem(text);
            assert!(found.line == line && found.message.contains(says), "{text:?}: {found:?}");
        }
        assert!(problem(&"[".repeat(100_000)).message.contains("nested deeper"));
        assert!(problem(&"a:\n ".repeat(3)).line >= 1);
        assert_eq!(parse(b"a: \xff").unwrap_err().line, 1);
    }

    #[test]
    fn a_pattern_that_yaml_takes_for_an_alias_gets_a_hint() {
        assert!(problem("pattern: */\n").message.contains("quote"), "{:?}", problem("pattern: */\n"));
        assert!(problem("- {pattern: *}\n").message.contains("quote"));
    }

    #[test]
    fn many_small_values_are_refused_not_gathered() {
        assert!(problem(&"- 1\n".repeat(MOST_NODES + 2)).message.contains("more than"));
    }
}
