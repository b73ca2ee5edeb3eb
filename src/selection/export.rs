//! A selection written out whole: as JSON, as dot and as mermaid. The three hold the same: every package with its items
//! and their states, every line between packages with its filter, every ref with what it means or how it ends.

use std::io::{self, Write};

use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::json;

use super::graph::{ItemId, PackageId, RefId};
use super::model::{Filter, Name, Place};
use super::overview::{Row, State, in_graph};
use super::reasons::Reasons;
use super::select::Selection;

/// A line between packages: yours, or one of a manifest.
struct Line<'a> {
    /// None for yours.
    from: Option<PackageId>,
    name: &'a Name,
    target: Option<PackageId>,
    filter: &'a Filter,
    place: Option<&'a Place>,
}

/// How a ref ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Skill(ItemId),
    Excluded(ItemId),
    LeftToProvider,
    Missing,
}

impl Meaning {
    fn word(self) -> &'static str {
        match self {
            Meaning::Skill(_) => "skill",
            Meaning::Excluded(_) => "excluded",
            Meaning::LeftToProvider => "left-to-provider",
            Meaning::Missing => "missing",
        }
    }

    fn skill(self) -> Option<ItemId> {
        match self {
            Meaning::Skill(skill) | Meaning::Excluded(skill) => Some(skill),
            Meaning::LeftToProvider | Meaning::Missing => None,
        }
    }
}

struct Whole<'a> {
    selection: &'a Selection,
    rows: Vec<Row>,
}

impl<'a> Whole<'a> {
    fn of(selection: &'a Selection) -> Whole<'a> {
        Whole { selection, rows: in_graph(&Reasons::new(selection)) }
    }

    /// Your lines, then those of the manifests, package by package.
    fn lines(&self) -> impl Iterator<Item = Line<'a>> {
        let graph = self.selection.graph();
        let line = |from, edge: &'a super::graph::Edge| Line {
            from,
            name: &edge.name,
            target: edge.target,
            filter: &edge.filter,
            place: edge.place.as_ref(),
        };
        let yours = graph.entries().map(move |(_, entry)| line(None, &entry.line));
        let theirs =
            graph.packages().flat_map(move |from| graph.edges(from).iter().map(move |edge| line(Some(from), edge)));
        yours.chain(theirs)
    }

    /// Every ref of a definition. Those of packages that are not reached are not looked up, and so not listed.
    fn refs(&self) -> impl Iterator<Item = (ItemId, RefId, Meaning)> + '_ {
        let selection = self.selection;
        let graph = selection.graph();
        let definitions = selection.order().iter().flat_map(|&package| graph.items_of(package));
        let refs =
            definitions.flat_map(move |item| graph.refs(item).map(move |(reference, name)| (item, reference, name)));
        refs.map(move |(item, reference, name)| {
            let left = || super::select::is_left_to_provider(graph, graph.item(item).package, name);
            let meaning = match selection.supplier(reference) {
                Some(skill) if selection.is_excluded(skill) => Meaning::Excluded(skill),
                Some(skill) => Meaning::Skill(skill),
                None if left() => Meaning::LeftToProvider,
                None => Meaning::Missing,
            };
            (item, reference, meaning)
        })
    }

    /// The name of a package; empty for the root.
    fn key(&self, package: PackageId) -> &'a str {
        self.selection.graph().name(package).map_or("", |name| name)
    }
}

/// Writes a selection as one JSON document.
///
/// # Errors
/// When writing fails.
pub fn json(selection: &Selection, to: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(&mut *to, &Whole::of(selection))?;
    writeln!(to)
}

impl Serialize for Whole<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut out = to.serialize_map(Some(3))?;
        out.serialize_entry("packages", &Listed(self, packages))?;
        out.serialize_entry("lines", &Listed(self, lines))?;
        out.serialize_entry("refs", &Listed(self, refs))?;
        out.end()
    }
}

/// A list that is written as it is made.
struct Listed<'a, F>(&'a Whole<'a>, F);

type Put<'p> = &'p mut dyn FnMut(serde_json::Value);

impl<F: Fn(&Whole<'_>, Put<'_>)> Serialize for Listed<'_, F> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut out = to.serialize_seq(None)?;
        let mut failed = None;
        (self.1)(self.0, &mut |value| {
            if failed.is_none() {
                failed = out.serialize_element(&value).err();
            }
        });
        match failed {
            Some(error) => Err(error),
            None => out.end(),
        }
    }
}

fn packages(whole: &Whole<'_>, put: Put<'_>) {
    let graph = whole.selection.graph();
    for row in &whole.rows {
        let items = row.items.iter().map(|(id, state)| {
            let item = graph.item(*id);
            json!({"kind": item.kind, "slug": item.slug, "path": item.path, "state": state})
        });
        put(json!({
            "package": row.key,
            "reached": row.id.is_some_and(|id| whole.selection.is_reached(id)),
            "opened": row.id.is_some_and(|id| whole.selection.is_opened(id)),
            "items": items.collect::<Vec<_>>(),
        }));
    }
}

fn lines(whole: &Whole<'_>, put: Put<'_>) {
    for line in whole.lines() {
        put(json!({
            "from": line.from.map(|from| whole.key(from)),
            "to": line.name,
            "known": line.target.is_some(),
            "filter": line.filter,
            "place": line.place,
        }));
    }
}

fn refs(whole: &Whole<'_>, put: Put<'_>) {
    let graph = whole.selection.graph();
    for (item, reference, meaning) in whole.refs() {
        let item = graph.item(item);
        put(json!({
            "package": graph.name(item.package),
            "kind": item.kind,
            "slug": item.slug,
            "skill": graph.ref_name(reference),
            "means": meaning.word(),
            "supplier": meaning.skill().map(|skill| whole.key(graph.item(skill).package)),
        }));
    }
}

/// A language of pictures.
trait Picture {
    /// A text in double quotes.
    fn text(&self, text: &str) -> String;
    fn begin(&self, to: &mut dyn Write) -> io::Result<()>;
    fn begin_package(&self, id: PackageId, name: &str, to: &mut dyn Write) -> io::Result<()>;
    fn end_package(&self, to: &mut dyn Write) -> io::Result<()>;
    fn node(&self, id: &str, text: &str, look: Look, to: &mut dyn Write) -> io::Result<()>;
    fn edge(&self, from: &str, target: &str, text: &str, look: Look, to: &mut dyn Write) -> io::Result<()>;
    fn end(&self, to: &mut dyn Write) -> io::Result<()>;
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    Plain,
    /// Absent, filtered, or without effect.
    Faint,
    Bad,
}

fn draw(selection: &Selection, picture: &dyn Picture, to: &mut dyn Write) -> io::Result<()> {
    let whole = Whole::of(selection);
    let graph = selection.graph();
    picture.begin(to)?;
    picture.node("you", "you", Look::Plain, to)?;
    for row in &whole.rows {
        let Some(id) = row.id else { continue };
        let name = row.key.as_deref().unwrap_or("your package");
        picture.begin_package(id, name, to)?;
        let reached = if selection.is_reached(id) { Look::Plain } else { Look::Faint };
        picture.node(&format!("p{}", id.index()), name, reached, to)?;
        for (item, state) in &row.items {
            let it = graph.item(*item);
            let (text, look) = match state {
                State::Selected => (format!("{} {}", it.kind, it.slug), Look::Plain),
                State::Duplicate => (format!("{} {} (duplicate)", it.kind, it.slug), Look::Bad),
                other => (format!("{} {} ({})", it.kind, it.slug, other.word()), Look::Faint),
            };
            picture.node(&format!("i{}", item.index()), &text, look, to)?;
        }
        picture.end_package(to)?;
    }
    for (nth, line) in whole.lines().enumerate() {
        let from = line.from.map_or_else(|| "you".to_owned(), |from| format!("p{}", from.index()));
        let target = if let Some(target) = line.target {
            format!("p{}", target.index())
        } else {
            let unknown = format!("u{nth}");
            picture.node(&unknown, &format!("{} (not found)", line.name), Look::Bad, to)?;
            unknown
        };
        let look = if line.filter.opens() { Look::Plain } else { Look::Faint };
        picture.edge(&from, &target, &line.filter.to_string(), look, to)?;
    }
    for (item, reference, meaning) in whole.refs() {
        let from = format!("i{}", item.index());
        if let Some(skill) = meaning.skill() {
            let (text, look) = match meaning {
                Meaning::Excluded(_) => ("names, excluded by you", Look::Faint),
                _ => ("names", Look::Plain),
            };
            picture.edge(&from, &format!("i{}", skill.index()), text, look, to)?;
        } else {
            let end = format!("r{}", reference.index());
            let look = if meaning == Meaning::Missing { Look::Bad } else { Look::Faint };
            picture.node(&end, &format!("skill {} ({})", graph.ref_name(reference), meaning.word()), look, to)?;
            picture.edge(&from, &end, "names", look, to)?;
        }
    }
    picture.end(to)
}

/// Writes a selection in the language of Graphviz.
///
/// # Errors
/// When writing fails.
pub fn dot(selection: &Selection, to: &mut dyn Write) -> io::Result<()> {
    draw(selection, &Dot, to)
}

struct Dot;

impl Picture for Dot {
    fn text(&self, text: &str) -> String {
        let shown = crate::text::visible(text).replace('\\', "\\\\").replace('"', "\\\"");
        format!("\"{shown}\"")
    }

    fn begin(&self, to: &mut dyn Write) -> io::Result<()> {
        writeln!(to, "digraph selection {{\n  rankdir=LR;\n  node [shape=box];")
    }

    fn begin_package(&self, id: PackageId, name: &str, to: &mut dyn Write) -> io::Result<()> {
        writeln!(to, "  subgraph cluster_{} {{\n    label={};", id.index(), self.text(name))
    }

    fn end_package(&self, to: &mut dyn Write) -> io::Result<()> {
        writeln!(to, "  }}")
    }

    fn node(&self, id: &str, text: &str, look: Look, to: &mut dyn Write) -> io::Result<()> {
        writeln!(to, "    {id} [label={}{}];", self.text(text), dot_look(look))
    }

    fn edge(&self, from: &str, target: &str, text: &str, look: Look, to: &mut dyn Write) -> io::Result<()> {
        writeln!(to, "  {from} -> {target} [label={}{}];", self.text(text), dot_look(look))
    }

    fn end(&self, to: &mut dyn Write) -> io::Result<()> {
        writeln!(to, "}}")
    }
}

fn dot_look(look: Look) -> &'static str {
    match look {
        Look::Plain => "",
        Look::Faint => ", style=dashed",
        Look::Bad => ", color=red",
    }
}

/// Writes a selection as a mermaid flowchart.
///
/// # Errors
/// When writing fails.
pub fn mermaid(selection: &Selection, to: &mut dyn Write) -> io::Result<()> {
    draw(selection, &Mermaid, to)
}

struct Mermaid;

impl Picture for Mermaid {
    fn text(&self, text: &str) -> String {
        let mut safe = String::new();
        for c in crate::text::visible(text).chars() {
            // mermaid knows no escapes but these
            match c {
                '"' | '#' | '<' | '>' | '&' | ';' | '`' | '|' | '\\' => safe.extend(format!("#{};", c as u32).chars()),
                c => safe.push(c),
            }
        }
        format!("\"{safe}\"")
    }

    fn begin(&self, to: &mut dyn Write) -> io::Result<()> {
        writeln!(to, "flowchart LR")
    }

    fn begin_package(&self, id: PackageId, name: &str, to: &mut dyn Write) -> io::Result<()> {
        writeln!(to, "  subgraph g{} [{}]", id.index(), self.text(name))
    }

    fn end_package(&self, to: &mut dyn Write) -> io::Result<()> {
        writeln!(to, "  end")
    }

    fn node(&self, id: &str, text: &str, look: Look, to: &mut dyn Write) -> io::Result<()> {
        let class = match look {
            Look::Plain => "",
            Look::Faint => ":::faint",
            Look::Bad => ":::bad",
        };
        writeln!(to, "    {id}[{}]{class}", self.text(text))
    }

    fn edge(&self, from: &str, target: &str, text: &str, look: Look, to: &mut dyn Write) -> io::Result<()> {
        let arrow = if look == Look::Plain { "-->" } else { "-.->" };
        writeln!(to, "  {from} {arrow}|{}| {target}", self.text(text))
    }

    fn end(&self, to: &mut dyn Write) -> io::Result<()> {
        writeln!(to, "  classDef faint stroke-dasharray: 4\n  classDef bad stroke: red")
    }
}
