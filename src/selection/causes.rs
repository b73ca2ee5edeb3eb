//! The graph of causes of a selection, with each cycle folded into one group, and the number of ways to each.

use super::graph::{EntryId, ItemId, PackageId};
use super::reasons::Count;
use super::select::{Cause, Selection};

/// A node of the graph of causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Node {
    /// Your own package.
    Own,
    /// A line of yours.
    Line(EntryId),
    /// The manifest of an opened package.
    Open(PackageId),
    /// A selected item.
    Item(ItemId),
}

/// The graph of causes. Nodes are numbered: your package, your lines, the packages, the items.
#[derive(Debug)]
pub(super) struct Causes {
    lines: u32,
    packages: u32,
    /// The group of each node; `NONE` for one without a cause.
    group: Vec<u32>,
    /// The nodes of each group: where its list begins; one more at the end.
    starts: Vec<u32>,
    members: Vec<Node>,
    /// The groups that come right before each group.
    before: Vec<Vec<u32>>,
    distance: Vec<u32>,
    count: Vec<Count>,
    /// The reached packages whose manifests name each package.
    sources: Vec<Vec<PackageId>>,
}

const NONE: u32 = u32::MAX;

impl Causes {
    pub fn new(selection: &Selection) -> Causes {
        let graph = selection.graph();
        let number = |count: usize| u32::try_from(count).unwrap_or(NONE);
        let lines = number(graph.entries().count());
        let packages = number(graph.package_count());
        let nodes = 1 + lines as usize + packages as usize + graph.item_count();
        let mut causes = Causes {
            lines,
            packages,
            group: vec![NONE; nodes],
            starts: Vec::new(),
            members: Vec::new(),
            before: Vec::new(),
            distance: Vec::new(),
            count: Vec::new(),
            sources: vec![Vec::new(); graph.package_count()],
        };
        let mut openers: Vec<Vec<Node>> = vec![Vec::new(); graph.package_count()];
        for (id, entry) in graph.entries() {
            if let (true, Some(target)) = (entry.line.filter.opens(), entry.line.target) {
                openers[target.index()].push(Node::Line(id));
            }
        }
        for &package in selection.order() {
            for edge in graph.edges(package) {
                let Some(target) = edge.target else { continue };
                if causes.sources[target.index()].last() != Some(&package) {
                    causes.sources[target.index()].push(package);
                }
                if edge.filter.opens() && selection.is_opened(package) {
                    openers[target.index()].push(Node::Open(package));
                }
            }
        }
        causes.fold(selection, &openers);
        causes
    }

    fn number(&self, node: Node) -> usize {
        (match node {
            Node::Own => 0,
            Node::Line(entry) => 1 + entry.0,
            Node::Open(package) => 1 + self.lines + package.0,
            Node::Item(item) => 1 + self.lines + self.packages + item.0,
        }) as usize
    }

    fn node(&self, number: usize) -> Node {
        let number = u32::try_from(number).unwrap_or(NONE);
        match number {
            0 => Node::Own,
            number if number <= self.lines => Node::Line(EntryId(number - 1)),
            number if number <= self.lines + self.packages => Node::Open(PackageId(number - 1 - self.lines)),
            number => Node::Item(ItemId(number - 1 - self.lines - self.packages)),
        }
    }

    /// What comes right before a node.
    fn causes_of(&self, selection: &Selection, openers: &[Vec<Node>], number: usize, nth: usize) -> Option<Node> {
        match self.node(number) {
            Node::Own | Node::Line(_) => None,
            Node::Open(package) => openers[package.index()].get(nth).copied(),
            Node::Item(item) => selection.cause(item, nth).map(|cause| match cause {
                Cause::Own => Node::Own,
                Cause::Line(entry) => Node::Line(entry),
                Cause::Manifest(package) => Node::Open(package),
                Cause::Ref(by) => Node::Item(by),
            }),
        }
    }

    /// Groups the nodes: a group is complete only after all groups before it (Tarjan's order), so distance and count
    /// are settled on the way.
    fn fold(&mut self, selection: &Selection, openers: &[Vec<Node>]) {
        let nodes = self.group.len();
        let mut index = vec![NONE; nodes];
        let mut low = vec![0_u32; nodes];
        let mut stack: Vec<usize> = Vec::new();
        let mut on_stack = vec![false; nodes];
        let mut next_index = 0_u32;
        let mut work: Vec<(usize, usize)> = Vec::new();
        for root in 0..nodes {
            if index[root] != NONE || !self.is_there(selection, openers, root) {
                continue;
            }
            work.push((root, 0));
            while let Some((node, nth)) = work.pop() {
                if nth == 0 {
                    index[node] = next_index;
                    low[node] = next_index;
                    next_index += 1;
                    stack.push(node);
                    on_stack[node] = true;
                }
                if let Some(before) = self.causes_of(selection, openers, node, nth) {
                    let before = self.number(before);
                    work.push((node, nth + 1));
                    if index[before] == NONE {
                        work.push((before, 0));
                    } else if on_stack[before] {
                        low[node] = low[node].min(index[before]);
                    }
                    continue;
                }
                if let Some(&(above, _)) = work.last() {
                    low[above] = low[above].min(low[node]);
                }
                if low[node] == index[node] {
                    let from = stack.iter().rposition(|&one| one == node).unwrap_or(0);
                    let group: Vec<usize> = stack.drain(from..).collect();
                    for &one in &group {
                        on_stack[one] = false;
                    }
                    self.close(selection, openers, &group);
                }
            }
        }
        self.starts.push(u32::try_from(self.members.len()).unwrap_or(NONE));
    }

    /// Whether a node has a cause or is a start.
    fn is_there(&self, selection: &Selection, openers: &[Vec<Node>], number: usize) -> bool {
        matches!(self.node(number), Node::Own | Node::Line(_))
            || self.causes_of(selection, openers, number, 0).is_some()
    }

    fn close(&mut self, selection: &Selection, openers: &[Vec<Node>], group: &[usize]) {
        let this = u32::try_from(self.before.len()).unwrap_or(NONE);
        self.starts.push(u32::try_from(self.members.len()).unwrap_or(NONE));
        for &node in group {
            self.group[node] = this;
            self.members.push(self.node(node));
        }
        let mut before: Vec<u32> = Vec::new();
        for &node in group {
            let mut nth = 0;
            while let Some(cause) = self.causes_of(selection, openers, node, nth) {
                let of = self.group[self.number(cause)];
                if of != this {
                    before.push(of);
                }
                nth += 1;
            }
        }
        if group.len() > 1 {
            // two members may share a cause; the folded step has it once
            let mut met = std::collections::HashSet::new();
            before.retain(|of| met.insert(*of));
        }
        let start = matches!(self.node(group[0]), Node::Own | Node::Line(_));
        let distance = before.iter().map(|&of| self.distance[of as usize].saturating_add(1)).min().unwrap_or(0);
        let mut count = Count { number: u64::from(start), more: false };
        for &of in &before {
            let ways = self.count[of as usize];
            count.number = count.number.saturating_add(ways.number);
            count.more |= ways.more;
        }
        if count.number > Count::MOST {
            count = Count { number: Count::MOST, more: true };
        }
        self.distance.push(distance);
        self.count.push(count);
        self.before.push(before);
    }

    /// The group of a node; none when it has no cause.
    pub fn group_of(&self, node: Node) -> Option<u32> {
        Some(self.group[self.number(node)]).filter(|&group| group != NONE)
    }

    /// The groups right before a group.
    pub fn before(&self, group: u32) -> &[u32] {
        &self.before[group as usize]
    }

    /// The nodes of a group: one, or those of a cycle.
    pub fn members(&self, group: u32) -> &[Node] {
        &self.members[self.starts[group as usize] as usize..self.starts[group as usize + 1] as usize]
    }

    /// Whether a group is where chains start.
    pub fn is_start(&self, group: u32) -> bool {
        matches!(self.members(group)[0], Node::Own | Node::Line(_))
    }

    /// The fewest steps from a start to a group.
    pub fn distance(&self, group: u32) -> u32 {
        self.distance[group as usize]
    }

    /// The number of ways from a start to a group.
    pub fn count(&self, group: u32) -> Count {
        self.count[group as usize]
    }

    /// The reached packages whose manifests name a package.
    pub fn sources(&self, package: PackageId) -> &[PackageId] {
        &self.sources[package.index()]
    }
}
