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
