//! Cycles of a whole graph, as numbers: the strongly connected components, and a short way round each.

use std::collections::{HashMap, VecDeque};

/// The nodes of a graph with their links downward, in two flat vectors.
pub(crate) struct Downward {
    first: Vec<u32>,
    below: Vec<u32>,
}

impl Downward {
    /// The graph of `nodes` nodes with these links.
    pub fn new(nodes: usize, links: &[(u32, u32)]) -> Downward {
        let mut first = vec![0_u32; nodes + 1];
        for (parent, _) in links {
            first[*parent as usize + 1] += 1;
        }
        for at in 0..nodes {
            first[at + 1] += first[at];
        }
        let mut next = first.clone();
        let mut below = vec![0; links.len()];
        for (parent, child) in links {
            let slot = &mut next[*parent as usize];
            below[*slot as usize] = *child;
            *slot += 1;
        }
        Downward { first, below }
    }

    /// The nodes directly below one.
    pub fn children(&self, node: u32) -> &[u32] {
        &self.below[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }

    /// The strongly connected components of more than one node, each sorted, by their smallest node. Links of a node to
    /// itself do not count. Tarjan's algorithm on a stack of its own.
    pub fn components(&self) -> Vec<Vec<u32>> {
        const UNSEEN: u32 = u32::MAX;
        let nodes = self.first.len() - 1;
        let (mut index, mut low) = (vec![UNSEEN; nodes], vec![0_u32; nodes]);
        let mut on_stack = vec![false; nodes];
        let (mut stack, mut found) = (Vec::new(), Vec::new());
        let mut counter = 0;
        let mut work: Vec<(u32, usize)> = Vec::new();
        for root in 0..nodes {
            if index[root] != UNSEEN {
                continue;
            }
            work.push((u32::try_from(root).unwrap_or(UNSEEN), 0));
            while let Some((node, at)) = work.pop() {
                let this = node as usize;
                if at == 0 {
                    index[this] = counter;
                    low[this] = counter;
                    counter += 1;
                    stack.push(node);
                    on_stack[this] = true;
                }
                let children = self.children(node);
                if at > 0 {
                    low[this] = low[this].min(low[children[at - 1] as usize]);
                }
                let mut at = at;
                let deeper = loop {
                    let Some(&child) = children.get(at) else { break None };
                    at += 1;
                    let below = child as usize;
                    if index[below] == UNSEEN {
                        break Some(child);
                    }
                    if on_stack[below] {
                        low[this] = low[this].min(index[below]);
                    }
                };
                if let Some(child) = deeper {
                    work.push((node, at));
                    work.push((child, 0));
                } else if low[this] == index[this] {
                    let from = stack.iter().rposition(|other| *other == node).unwrap_or(0);
                    let mut component = stack.split_off(from);
                    for node in &component {
                        on_stack[*node as usize] = false;
                    }
                    if component.len() > 1 {
                        component.sort_unstable();
                        found.push(component);
                    }
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// The shortest way from the first node of a component round to itself, that node first and last.
    pub fn way_round(&self, component: &[u32]) -> Vec<u32> {
        let Some(&start) = component.first() else { return Vec::new() };
        let mut before: HashMap<u32, u32> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            for &child in self.children(at) {
                if child == start && at != start {
                    let mut way = vec![start, at];
                    while let Some(&previous) = way.last().and_then(|last| before.get(last)) {
                        way.push(previous);
                    }
                    way.reverse();
                    return way;
                }
                if child != start && component.binary_search(&child).is_ok() && !before.contains_key(&child) {
                    before.insert(child, at);
                    queue.push_back(child);
                }
            }
        }
        vec![start]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_component_is_found_once_with_a_way_round() {
        let links = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 5), (4, 5)];
        let graph = Downward::new(6, &links);
        assert_eq!(graph.components(), [vec![0, 1, 2], vec![3, 4]]);
        assert_eq!(graph.way_round(&[0, 1, 2]), [0, 1, 2, 0]);
        assert_eq!(graph.way_round(&[3, 4]), [3, 4, 3]);
    }

    #[test]
    fn a_long_chain_and_a_long_ring_need_no_stack() {
        let mut links: Vec<(u32, u32)> = (0..200_000).map(|at| (at, at + 1)).collect();
        assert!(Downward::new(200_001, &links).components().is_empty());
        links.push((200_000, 0));
        let graph = Downward::new(200_001, &links);
        let components = graph.components();
        assert_eq!(components.len(), 1);
        assert_eq!(graph.way_round(&components[0]).len(), 200_002);
    }
}
