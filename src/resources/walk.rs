//! A DAG shown as a tree: depth first, children asked for only when their parent is shown.
//!
//! A node with several parents appears under each, but is opened only where it comes first; elsewhere it is marked as a
//! repeat. So a tree is as long as the graph has links, whatever the number of paths. A node that lies in its own path
//! is marked as a cycle.

use std::collections::HashSet;

use super::error::Error;
use super::model::{Node, ResourceId};

/// How an occurrence of a node is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Its children follow, if it has any.
    Open,
    /// It has children, and has been opened before.
    Repeat,
    /// It lies in its own path.
    Cycle,
    /// It has children, and lies at the limit of depth.
    Folded,
}

/// One occurrence of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The node.
    pub node: Node,
    /// How far below the beginning it lies.
    pub depth: usize,
    /// How it is shown.
    pub mark: Mark,
}

/// A walk through the trees below some nodes.
pub struct Walk<F> {
    children: F,
    /// What is still to come at each level, the next last.
    levels: Vec<Vec<Node>>,
    path: Vec<ResourceId>,
    in_path: HashSet<ResourceId>,
    opened: HashSet<ResourceId>,
    most: usize,
}

impl<F: FnMut(&ResourceId) -> Result<Vec<Node>, Error>> Walk<F> {
    /// A walk that begins with `tops` and asks `children` for the rest, in the order in which both give them. Nodes
    /// deeper than `depth` levels below a top are left out.
    pub fn new(mut tops: Vec<Node>, depth: Option<usize>, children: F) -> Walk<F> {
        tops.reverse();
        Walk {
            children,
            levels: vec![tops],
            path: Vec::new(),
            in_path: HashSet::new(),
            opened: HashSet::new(),
            most: depth.unwrap_or(usize::MAX),
        }
    }

    fn step(&mut self, node: Node) -> Result<Step, Error> {
        let depth = self.levels.len() - 1;
        let id = &node.resource.id;
        let mark = if self.in_path.contains(id) {
            Mark::Cycle
        } else if node.child_count == 0 {
            Mark::Open
        } else if self.opened.contains(id) {
            Mark::Repeat
        } else if depth >= self.most {
            Mark::Folded
        } else {
            let mut below = (self.children)(id)?;
            below.reverse();
            self.levels.push(below);
            self.path.push(id.clone());
            self.in_path.insert(id.clone());
            self.opened.insert(id.clone());
            Mark::Open
        };
        Ok(Step { node, depth, mark })
    }
}

impl<F: FnMut(&ResourceId) -> Result<Vec<Node>, Error>> Iterator for Walk<F> {
    type Item = Result<Step, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(node) = self.levels.last_mut()?.pop() {
                return Some(self.step(node));
            }
            self.levels.pop();
            if let Some(id) = self.path.pop() {
                self.in_path.remove(&id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::Resource;
    use super::*;

    /// A node of a graph written as `a>b` links.
    fn node(links: &str, id: &str) -> Node {
        let resource = Resource {
            id: id.into(),
            name: Some(id.to_owned()),
            type_name: String::new(),
            location: None,
            description: None,
            properties_json: None,
            auto_discovered: false,
            created_at: String::new(),
        };
        let count =
            |at: usize| links.split_whitespace().filter(|link| link.split('>').nth(at) == Some(id)).count() as u64;
        Node { resource, parent_count: count(1), child_count: count(0) }
    }

    /// The steps as `depth name mark`.
    fn walked(links: &str, tops: &str, depth: Option<usize>) -> String {
        let children = |id: &ResourceId| {
            let below = links.split_whitespace().filter_map(|link| link.strip_prefix(&format!("{id}>")));
            Ok(below.map(|child| node(links, child)).collect())
        };
        let tops = tops.split_whitespace().map(|top| node(links, top)).collect();
        let steps = Walk::new(tops, depth, children).map(|step| {
            let step = step.unwrap();
            let mark = match step.mark {
                Mark::Open => "",
                Mark::Repeat => "*",
                Mark::Cycle => "@",
                Mark::Folded => "+",
            };
            format!("{}{}{mark}", step.depth, step.node.resource.label())
        });
        steps.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_node_is_opened_where_it_comes_first() {
        assert_eq!(walked("r>a r>b a>s b>s s>x", "r", None), "0r 1a 2s 3x 1b 2s*");
        assert_eq!(walked("r>a r>b a>x b>x", "r", None), "0r 1a 2x 1b 2x", "a leaf has nothing to fold");
    }

    #[test]
    fn cycles_end() {
        assert_eq!(walked("a>b b>a a>a", "a", None), "0a 1b 2a@ 1a@");
    }

    #[test]
    fn what_was_only_folded_is_opened_where_there_is_room() {
        assert_eq!(walked("r>a a>b b>c r>b", "r", Some(2)), "0r 1a 2b+ 1b 2c");
        assert_eq!(walked("r>a", "r", Some(0)), "0r+");
    }
}
