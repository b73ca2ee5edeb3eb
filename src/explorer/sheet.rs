//! TOML as people write it for the explorer, read so that every mistake has its line: what the configuration and the
//! themes are read through.

use toml_edit::{Document, Item, TableLike, Value};

use crate::text::near;

/// Something in a file of the configuration that cannot be meant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mistake {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong and what is known instead.
    pub message: String,
}

impl Mistake {
    /// A mistake on a line.
    pub fn new(line: usize, message: impl Into<String>) -> Mistake {
        Mistake { line, message: message.into() }
    }
}

/// A parsed file.
pub(super) struct Sheet<'a> {
    document: Document<&'a str>,
    lines: Vec<usize>,
}

/// A key of a table with its line and its value.
pub(super) struct Given<'a> {
    pub name: &'a str,
    pub line: usize,
    pub item: &'a Item,
}

impl<'a> Sheet<'a> {
    /// Parses a text; what is no TOML is one mistake.
    pub fn parse(text: &'a str) -> Result<Sheet<'a>, Mistake> {
        let lines: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        match Document::parse(text) {
            Ok(document) => Ok(Sheet { document, lines }),
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start).min(text.len());
                let message = error.message().lines().collect::<Vec<_>>().join("; ");
                Err(Mistake::new(lines.partition_point(|&start| start <= at), format!("no TOML: {message}")))
            }
        }
    }

    /// What stands in the file, in its order.
    pub fn given(&self) -> Vec<Given<'_>> {
        self.below(self.document.as_table(), 1)
    }

    /// What stands in a table that begins on a line.
    pub fn below<'t>(&self, table: &'t dyn TableLike, line: usize) -> Vec<Given<'t>> {
        let given = table.iter().map(|(name, item)| {
            let span = table.key(name).and_then(toml_edit::Key::span).or_else(|| item.span());
            Given { name, line: span.map_or(line, |span| self.line(span.start)), item }
        });
        given.collect()
    }

    /// The line of a value in a list that begins on a line.
    pub fn line_of(&self, value: &Value, line: usize) -> usize {
        value.span().map_or(line, |span| self.line(span.start))
    }

    fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|&start| start <= at)
    }
}

impl Given<'_> {
    /// A text, or what it should have been.
    pub fn text(&self) -> Result<&str, Mistake> {
        self.item.as_str().ok_or_else(|| self.not("a text"))
    }

    /// A yes or no, or what it should have been.
    pub fn truth(&self) -> Result<bool, Mistake> {
        self.item.as_bool().ok_or_else(|| self.not("true or false"))
    }

    /// The mistake of a value that is not what it should be.
    pub fn not(&self, wanted: &str) -> Mistake {
        Mistake::new(self.line, format!("`{}` has to be {wanted}, and this is {}", self.name, kind(self.item)))
    }

    /// The mistake of a name that is not known.
    pub fn unknown(&self, what: &str, known: &[&str]) -> Mistake {
        Mistake::new(self.line, unknown(what, self.name, known))
    }
}

/// Says that a name is not known: which ones are near, else all that are known.
pub(super) fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let near: Vec<String> = near(name, known.iter().copied(), 3).iter().map(|near| format!("`{near}`")).collect();
    if near.is_empty() {
        format!("unknown {what} `{name}`; known: {}", known.join(", "))
    } else {
        format!("unknown {what} `{name}`; did you mean {}?", near.join(" or "))
    }
}

fn kind(item: &Item) -> &'static str {
    match item {
        Item::None => "nothing",
        Item::Table(_) | Item::ArrayOfTables(_) | Item::Value(Value::InlineTable(_)) => "a table",
        Item::Value(Value::String(_)) => "a text",
        Item::Value(Value::Integer(_) | Value::Float(_)) => "a number",
        Item::Value(Value::Boolean(_)) => "true or false",
        Item::Value(Value::Datetime(_)) => "a date",
        Item::Value(Value::Array(_)) => "a list",
    }
}
