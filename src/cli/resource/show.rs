//! The verbs that only look.

use std::io;

use serde::Serialize;

use super::find;
use crate::cli::Context;
use crate::cli::output::{Answer, Printer, Tone};
use crate::error::Failure;
use crate::finding::{Area, Finding};
use crate::mark::Mark;
use crate::resources::{Detail, Node, Paths, Registry, path_text, thousands};

/// Resources, as every list gives them.
#[derive(Serialize)]
pub(super) struct Listed {
    pub resources: Vec<Node>,
}

pub(super) fn list(context: &Context, type_name: Option<&str>) -> Result<Answer, Failure> {
    let registry = &context.look()?;
    let resources = registry.list(type_name)?;
    let head = type_name.map(|name| format!("exact type {name}"));
    // a type that no row has may still be asked about: resources of it may be there
    let unknown = type_name.filter(|_| resources.is_empty()).and_then(|name| registry.resource_type(name).err());
    let nothing = if let Some(unknown) = unknown {
        unknown.to_string()
    } else if registry.is_missing() {
        context.workspace.beginning(Area::Resources).line()
    } else {
        "no resources; `dagwood resource add TYPE NAME` adds one".to_owned()
    };
    Ok(Answer::new(Listed { resources }, move |listed, to| {
        if let Some(head) = &head {
            to.toned(Tone::Dim, head)?;
            to.line("")?;
        }
        table(&listed.resources, &nothing, to)
    }))
}

pub(super) fn children(registry: &Registry, asked: &str) -> Result<Answer, Failure> {
    let resource = find(registry, asked)?;
    let nothing = format!("{} has no children", resource.label());
    let resources = registry.get_children(&resource.id)?;
    Ok(Answer::new(Listed { resources }, move |listed, to| table(&listed.resources, &nothing, to)))
}

pub(super) fn parents(registry: &Registry, asked: &str) -> Result<Answer, Failure> {
    let resource = find(registry, asked)?;
    let nothing = format!("{} has no parents: it is a root", resource.label());
    let resources = registry.get_parents(&resource.id)?;
    Ok(Answer::new(Listed { resources }, move |listed, to| table(&listed.resources, &nothing, to)))
}

/// One resource, with all that is known.
#[derive(Serialize)]
struct Shown {
    resource: Node,
    #[serde(flatten)]
    more: More,
}

#[derive(Serialize)]
struct More {
    parents: Vec<Node>,
    children_by_type: Vec<(String, u64)>,
    descendants: u64,
    #[serde(rename = "more_descendants")]
    uncounted: bool,
    allowed_child_types: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    type_problem: Option<String>,
    findings: Vec<Finding>,
}

pub(super) fn one(registry: &Registry, asked: &str) -> Result<Answer, Failure> {
    let detail = registry.detail(&find(registry, asked)?.id)?;
    let lines = detail_lines(&detail);
    let Detail { resource, parents, children_by_type, descendants, more_descendants, .. } = detail;
    let more = More {
        parents,
        children_by_type,
        descendants,
        uncounted: more_descendants,
        allowed_child_types: detail.allowed_child_types,
        type_problem: detail.type_problem,
        findings: detail.findings,
    };
    Ok(Answer::new(Shown { resource, more }, move |shown, to| {
        to.toned(Tone::Strong, shown.resource.resource.label())?;
        to.line("")?;
        for (what, value) in &lines {
            to.toned(Tone::Dim, format!("  {what:<12}"))?;
            to.line(value)?;
        }
        for found in &shown.more.findings {
            to.toned(Tone::Bad, format!("  {} {}", Mark::Error.glyph(), found.message))?;
            to.line("")?;
            if let Some(fix) = &found.fix {
                to.toned(Tone::Dim, format!("    {fix}"))?;
                to.line("")?;
            }
        }
        Ok(())
    }))
}

pub(super) fn path(registry: &Registry, from: &str, to: &str) -> Result<Answer, Failure> {
    let (from, to) = (find(registry, from)?, find(registry, to)?);
    let paths: Paths = registry.paths(&from.id, &to.id)?;
    let nothing = format!("{} does not contain {}", from.label(), to.label());
    Ok(Answer::new(paths, move |paths, to| {
        if paths.shortest.is_empty() {
            return to.line(&nothing);
        }
        to.line(path_text(&paths.shortest))?;
        let more = if paths.all.more_than { "more than " } else { "" };
        let plural = if paths.all.count == 1 && !paths.all.more_than { "path" } else { "paths" };
        to.toned(Tone::Dim, format!("{more}{} {plural}; this is the shortest", thousands(paths.all.count)))?;
        to.line("")
    }))
}

/// Resources in columns: name, type, parents, children, location.
pub(super) fn table(nodes: &[Node], nothing: &str, to: &mut Printer<'_>) -> io::Result<()> {
    if nodes.is_empty() {
        return to.line(nothing);
    }
    let width = |of: fn(&Node) -> String| nodes.iter().map(|node| text_width(&of(node))).max().unwrap_or(0).min(60);
    let names = width(|node| node.resource.label());
    let types = width(|node| node.resource.type_name.clone());
    for node in nodes {
        let resource = &node.resource;
        to.part(padded(&resource.label(), names))?;
        to.toned(Tone::Dim, format!("  {}", padded(&resource.type_name, types)))?;
        let counts = format!("  ⇡{:<3} ⇣{:<5}", node.parent_count, node.child_count);
        to.toned(Tone::Dim, counts)?;
        to.line(format!("  {}", resource.location.as_deref().unwrap_or("-")))?;
    }
    Ok(())
}

/// The columns a text takes once it is made visible.
fn text_width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(crate::text::visible(text).as_ref())
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text_width(text))))
}

/// The facts of a resource, for people.
fn detail_lines(detail: &Detail) -> Vec<(&'static str, String)> {
    let node = &detail.resource;
    let resource = &node.resource;
    let made = if resource.auto_discovered { "discovered" } else { "added by hand" };
    let mut lines = vec![
        ("id", resource.id.to_string()),
        ("type", resource.type_name.clone()),
        ("made", format!("{} ({made})", resource.created_at)),
    ];
    lines.extend(resource.location.clone().map(|location| ("location", location)));
    lines.extend(resource.description.clone().map(|description| ("description", description)));
    lines.extend(resource.properties_json.clone().map(|properties| ("properties", properties)));
    let parents: Vec<String> = detail.parents.iter().take(12).map(|parent| parent.resource.label()).collect();
    let parents = match detail.parents.len() {
        0 => "none: a root".to_owned(),
        more if more > 12 => format!("{} · {} more", parents.join(" · "), thousands(more - 12)),
        _ => parents.join(" · "),
    };
    lines.push(("parents", parents));
    let children: Vec<String> =
        detail.children_by_type.iter().map(|(name, count)| format!("{} {name}", thousands(count))).collect();
    lines.push(("children", if children.is_empty() { "none".to_owned() } else { children.join(" · ") }));
    let more = if detail.more_descendants { "more than " } else { "" };
    lines.push(("descendants", format!("{more}{}", thousands(detail.descendants))));
    if let Some(known) = &detail.resource_type {
        lines.push(("may hold", known.children_text()));
    }
    lines
}
