//! TOML with positions: what the manifest and the lock are read through.

use toml_edit::{Document, Item, Key, TableLike};

use super::model::Name;

/// A file that is not TOML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
    /// What the parser says.
    pub message: String,
}

/// A parsed file that knows the line of every key.
pub(super) struct Toml<'a> {
    document: Document<&'a str>,
    lines: Vec<usize>,
}

impl<'a> Toml<'a> {
    /// Parses a text; a byte order mark is let through.
    pub fn parse(text: &'a str) -> Result<Toml<'a>, Broken> {
        let lines: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        match Document::parse(text) {
            Ok(document) => Ok(Toml { document, lines }),
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start).min(text.len());
                let line = lines.partition_point(|&start| start <= at);
                let before = text.get(lines[line - 1]..at).unwrap_or_default();
                let message = error.message().lines().collect::<Vec<_>>().join("; ");
                Err(Broken { line, column: before.chars().count() + 1, message })
            }
        }
    }

    /// The keys of the top level.
    pub fn top(&self) -> &dyn TableLike {
        self.document.as_table()
    }

    /// A table of the top level.
    pub fn table(&self, key: &str) -> Option<&dyn TableLike> {
        self.top().get(key).and_then(Item::as_table_like)
    }

    /// The line of a position.
    pub fn line(&self, span: Option<std::ops::Range<usize>>) -> usize {
        let at = span.map_or(0, |span| span.start);
        self.lines.partition_point(|&start| start <= at)
    }

    /// The line of a key of a table: of its header where it has one.
    pub fn line_of(&self, table: &dyn TableLike, key: &str) -> usize {
        let spans = table.get_key_value(key).map(|(key, item): (&Key, &Item)| (key.span(), item.span()));
        let Some((key, item)) = spans else { return 1 };
        self.line(key.or(item))
    }
}

/// A text of a table.
pub(super) fn text(table: &dyn TableLike, key: &str) -> Option<String> {
    table.get(key).and_then(Item::as_str).map(str::to_owned)
}

/// The texts of a list, each with its position; `None` when it is no list of texts.
pub(super) fn texts(item: &Item) -> Option<Vec<(Name, Option<std::ops::Range<usize>>)>> {
    let array = item.as_array()?;
    array.iter().map(|value| value.as_str().map(|text| (Name::from(text), value.span()))).collect()
}
