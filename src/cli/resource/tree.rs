//! The tree, written as it is walked: neither a long one nor a deep one is ever held.

use std::io::{self, Write};

use serde_json::json;

use super::find;
use crate::cli::output::{Answer, Body, Printer, Tone};
use crate::error::Failure;
use crate::resources::walk::{Mark, Step, Walk};
use crate::resources::{Node, Registry};

/// The trees below some resources.
struct Tree {
    registry: Registry,
    tops: Vec<Node>,
    /// What no root reaches.
    cyclic: Vec<Node>,
    depth: Option<usize>,
}

pub(super) fn tree(registry: Registry, asked: Option<&str>, depth: Option<usize>) -> Result<Answer, Failure> {
    let (tops, cyclic) = match asked {
        Some(asked) => (vec![registry.node(&find(&registry, asked)?.id)?], Vec::new()),
        None => (registry.roots()?, registry.cyclic_group()?),
    };
    Ok(Answer::of(Tree { registry, tops, cyclic, depth }))
}

impl Tree {
    fn walk(&self, tops: &[Node]) -> impl Iterator<Item = io::Result<Step>> + '_ {
        let children = |id: &_| self.registry.children_there(id);
        Walk::new(tops.to_vec(), self.depth, children).map(|step| step.map_err(io::Error::other))
    }

    fn json_group(&self, tops: &[Node], to: &mut dyn Write) -> io::Result<()> {
        to.write_all(b"[")?;
        // how many objects wait for the end of their children, and whether the innermost list is still empty
        let (mut open, mut empty) = (0, true);
        for step in self.walk(tops) {
            let step = step?;
            while open > step.depth {
                to.write_all(b"]}")?;
                open -= 1;
                empty = false;
            }
            if !empty {
                to.write_all(b",")?;
            }
            let mut text = object(&step)?;
            empty = opens(&step);
            if empty {
                text.truncate(text.len() - 1);
                text.extend_from_slice(b",\"children\":[");
                open += 1;
            }
            to.write_all(&text)?;
        }
        for _ in 0..open {
            to.write_all(b"]}")?;
        }
        to.write_all(b"]")
    }

    fn text_group(&self, tops: &[Node], to: &mut Printer<'_>) -> io::Result<()> {
        for step in self.walk(tops) {
            let Step { node, depth, mark } = step?;
            let resource = &node.resource;
            to.part(format!("{}{}", "  ".repeat(depth), resource.label()))?;
            to.toned(Tone::Dim, format!("  {}", resource.type_name))?;
            match mark {
                Mark::Open => {}
                Mark::Repeat => to.toned(Tone::Dim, "  ↺ shown above")?,
                Mark::Cycle => to.toned(Tone::Bad, "  ⟲ cycle")?,
                Mark::Folded => to.toned(Tone::Dim, format!("  ▸ {} below", node.child_count))?,
            }
            if node.parent_count > 1 {
                to.toned(Tone::Dim, format!("  ⇡{}", node.parent_count))?;
            }
            to.line("")?;
        }
        Ok(())
    }
}

/// Whether children may follow.
fn opens(step: &Step) -> bool {
    step.mark == Mark::Open && step.node.child_count > 0
}

fn object(step: &Step) -> io::Result<Vec<u8>> {
    let mut value = serde_json::to_value(&step.node)?;
    match step.mark {
        Mark::Repeat => value["repeat"] = json!(true),
        Mark::Cycle => value["cycle"] = json!(true),
        Mark::Folded | Mark::Open => {}
    }
    Ok(serde_json::to_vec(&value)?)
}

impl Body for Tree {
    fn json(&self, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(b"{\"resources\":")?;
        self.json_group(&self.tops, to)?;
        to.write_all(b",\"cyclic\":")?;
        self.json_group(&self.cyclic, to)?;
        to.write_all(b"}\n")
    }

    fn text(&self, to: &mut Printer<'_>) -> io::Result<()> {
        if self.tops.is_empty() && self.cyclic.is_empty() {
            return to.line("no resources");
        }
        self.text_group(&self.tops, to)?;
        if self.cyclic.is_empty() {
            return Ok(());
        }
        to.toned(Tone::Bad, "⟲ cyclic: reached from no root; `dagwood check` names the cycles")?;
        to.line("")?;
        self.text_group(&self.cyclic, to)
    }
}
