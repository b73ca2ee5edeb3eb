//! A whole registry written out: as JSON that can be read back, as dot and as mermaid for pictures.
//!
//! Each is written as it is read, so that a large registry is never held.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::error::Error;
use super::model::{Link, Resource};
use super::registry::Registry;
use super::types::ResourceType;

/// What [`json`] writes, as an import reads it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Document {
    /// The types.
    pub types: Vec<ResourceType>,
    /// The resources, by id.
    pub resources: Vec<Resource>,
    /// The links, by parent and child.
    pub links: Vec<Link>,
}

impl Document {
    /// Reads what [`json`] wrote.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the line and column of the first mistake.
    pub fn parse(text: &[u8]) -> Result<Document, Error> {
        serde_json::from_slice(text).map_err(|error| {
            Error::Invalid(format!("not what `dagwood export resources --format json` writes: {error}"))
        })
    }
}

/// Writes the first failure of either kind: of writing, or of reading the registry.
struct Out<'a> {
    to: &'a mut dyn Write,
    failed: Option<io::Error>,
}

impl Out<'_> {
    fn put(&mut self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) {
        if self.failed.is_none() {
            self.failed = write(self.to).err();
        }
    }

    fn end(self, read: Result<(), Error>) -> io::Result<()> {
        match (self.failed, read) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(io::Error::other(error)),
            (None, Ok(())) => Ok(()),
        }
    }
}

/// Writes the registry as one JSON document, `{"types", "resources", "links"}`.
///
/// # Errors
/// When the registry cannot be read or writing fails.
pub fn json(registry: &Registry, to: &mut dyn Write) -> io::Result<()> {
    let mut out = Out { to, failed: None };
    let read = (|| {
        let _moment = registry.snapshot()?;
        out.put(|to| to.write_all(b"{\"types\":["));
        let mut comma: &[u8] = b"\n";
        for row in registry.type_rows()? {
            let known = row.resource_type()?;
            out.put(|to| item(to, comma, &known));
            comma = b",\n";
        }
        out.put(|to| to.write_all(b"\n],\"resources\":["));
        comma = b"\n";
        registry.each_resource(|resource| {
            out.put(|to| item(to, comma, &resource));
            comma = b",\n";
        })?;
        out.put(|to| to.write_all(b"\n],\"links\":["));
        comma = b"\n";
        registry.each_link(|link| {
            out.put(|to| item(to, comma, &link));
            comma = b",\n";
        })?;
        out.put(|to| to.write_all(b"\n]}\n"));
        Ok(())
    })();
    out.end(read)
}

fn item(to: &mut dyn Write, comma: &[u8], value: &impl Serialize) -> io::Result<()> {
    to.write_all(comma)?;
    Ok(serde_json::to_writer(to, value)?)
}

/// Writes the graph in the dot language of Graphviz.
///
/// # Errors
/// As [`json`].
pub fn dot(registry: &Registry, to: &mut dyn Write) -> io::Result<()> {
    let mut out = Out { to, failed: None };
    let read = (|| {
        let _moment = registry.snapshot()?;
        out.put(|to| to.write_all(b"digraph resources {\n  rankdir=LR;\n  node [shape=box];\n"));
        registry.each_resource(|resource| {
            let label = format!("{}\n{}", resource.label(), resource.type_name);
            out.put(|to| writeln!(to, "  {} [label={}];", dot_text(resource.id.as_str()), dot_text(&label)));
        })?;
        registry.each_link(|link| {
            let (parent, child) = (dot_text(link.parent_id.as_str()), dot_text(link.child_id.as_str()));
            out.put(|to| writeln!(to, "  {parent} -> {child};"));
        })?;
        out.put(|to| to.write_all(b"}\n"));
        Ok(())
    })();
    out.end(read)
}

/// A quoted text of the dot language; line breaks are written as such, other control characters made visible.
fn dot_text(text: &str) -> String {
    let lines: Vec<String> =
        text.split('\n').map(|line| crate::text::visible(line).replace('\\', "\\\\").replace('"', "\\\"")).collect();
    format!("\"{}\"", lines.join("\\n"))
}

/// Writes the graph as a mermaid flowchart.
///
/// # Errors
/// As [`json`].
pub fn mermaid(registry: &Registry, to: &mut dyn Write) -> io::Result<()> {
    let mut out = Out { to, failed: None };
    let read = (|| {
        let _moment = registry.snapshot()?;
        out.put(|to| to.write_all(b"flowchart LR\n"));
        registry.each_resource(|resource| {
            let text = mermaid_text(&resource.label());
            out.put(|to| writeln!(to, "  {}[\"{text}\"]", mermaid_id(resource.id.as_str())));
        })?;
        registry.each_link(|link| {
            let (parent, child) = (mermaid_id(link.parent_id.as_str()), mermaid_id(link.child_id.as_str()));
            out.put(|to| writeln!(to, "  {parent} --> {child}"));
        })?;
        Ok(())
    })();
    out.end(read)
}

/// A node's id: the reader takes letters and digits only.
fn mermaid_id(id: &str) -> String {
    let plain = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // ids of other programs may hold anything; their bytes in hex are as unique as they are
    if plain {
        format!("r{id}")
    } else {
        format!("x{}", id.bytes().map(|byte| format!("{byte:02x}")).collect::<String>())
    }
}

fn mermaid_text(text: &str) -> String {
    crate::text::visible(text).replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;")
}
