//! A tree as the explorer holds it: all known nodes in an arena, the rows on show as a flat list over it, a cursor and
//! a scroll offset.
//!
//! A row is an *occurrence*: a path of things from a root. A thing under two parents is two nodes with separate
//! folding, and a node's [`key`](Node::key) is a hash of its whole path, so that folding and cursor survive a reload.
//! Opening and closing splice the list of rows; nothing here recurses, however deep the tree, and painting costs the
//! rows on screen.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::entry::{Entry, Occurrence, Subject};
use super::memory::PaneMemory;

/// A node's place in the arena.
pub type NodeId = u32;
const NONE: NodeId = NodeId::MAX;

/// How far from its place a row is looked for before all rows are gone through.
const NEAR: usize = 1_000;

/// Whether a node can be opened, and is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// Nothing below it.
    Leaf,
    /// Something below it, hidden.
    Closed,
    /// Its children are rows too.
    Open,
    /// Something below it that has not been read yet.
    Unread,
    /// Being read; it opens when that is done.
    Reading,
}

/// One occurrence of a thing.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it shows.
    pub entry: Entry,
    /// Its folding.
    pub fold: Fold,
    /// How far below a root it is.
    pub depth: u32,
    /// A hash of the path of things down to it: the same after a reload.
    pub key: u64,
    parent: NodeId,
    first: NodeId,
    last: NodeId,
    next: NodeId,
}

/// The filter over an outline: a text, and a state or right-hand column. What matches has both.
#[derive(Clone, Debug, Default)]
struct Filter {
    text: Option<String>,
    state: Option<String>,
    matches: Vec<NodeId>,
    /// How many things match: one that stands in several rows is one.
    things: usize,
    /// The key of the row under the cursor when the filter began.
    from: Option<u64>,
}

impl Filter {
    /// Whether it hides anything: a text that says nothing yet does not.
    fn hides(&self) -> bool {
        self.state.is_some() || self.text.as_ref().is_some_and(|text| !text.is_empty())
    }
}

/// The row that the cursor was on before a reload, and the one it is on until that comes.
#[derive(Clone, Copy, Debug)]
struct Awaited {
    key: u64,
    cursor: usize,
}

/// A tree, the rows of it on show, and a cursor.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    nodes: Vec<Node>,
    first_root: Option<NodeId>,
    last_root: Option<NodeId>,
    rows: Vec<NodeId>,
    cursor: usize,
    offset: usize,
    filter: Option<Filter>,
    sort: Sort,
    marked: HashSet<u64>,
    /// The first node of each thing that stands under several parents, by a hash of the thing.
    shared: HashMap<u64, NodeId>,
    /// The node whose children are still coming.
    growing: Option<NodeId>,
    /// What the cursor was on that has not come yet.
    awaited: Option<Awaited>,
}

/// The order of rows under one parent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sort {
    /// As they were read.
    #[default]
    AsRead,
    /// By name.
    Name,
    /// By state.
    State,
    /// By the right-hand column.
    Note,
}

impl Sort {
    /// The next order.
    #[must_use]
    pub fn next(self) -> Sort {
        match self {
            Sort::AsRead => Sort::Name,
            Sort::Name => Sort::State,
            Sort::State => Sort::Note,
            Sort::Note => Sort::AsRead,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Sort::AsRead => "as read",
            Sort::Name => "by name",
            Sort::State => "by state",
            Sort::Note => "by the right column",
        }
    }
}

/// Where to move the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Rows down (negative: up).
    By(isize),
    /// To the first row.
    First,
    /// To the last row.
    Last,
    /// To the parent's row.
    Parent,
}

impl Outline {
    /// Adds a node below `parent`, or a root; it becomes the last there. Rows are made by [`Outline::show`].
    pub fn add(&mut self, parent: Option<NodeId>, entry: Entry, fold: Fold) -> NodeId {
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NONE);
        let (depth, above) = match parent {
            Some(parent) => (self.node(parent).depth + 1, self.node(parent).key),
            None => (0, 0),
        };
        let key = hashed(&(above, &entry.subject));
        if entry.parents > 1 {
            self.shared.entry(hashed(&entry.subject)).or_insert(id);
        }
        let parent_id = parent.unwrap_or(NONE);
        self.nodes.push(Node { entry, fold, depth, key, parent: parent_id, first: NONE, last: NONE, next: NONE });
        let before = if let Some(parent) = parent {
            let above = &mut self.nodes[parent as usize];
            let before = std::mem::replace(&mut above.last, id);
            if before == NONE {
                above.first = id;
            }
            if above.fold == Fold::Leaf {
                above.fold = Fold::Closed;
            }
            before
        } else {
            self.first_root.get_or_insert(id);
            self.last_root.replace(id).unwrap_or(NONE)
        };
        if before != NONE {
            self.nodes[before as usize].next = id;
        }
        id
    }

    /// Puts the nodes of another tree after all others, the rows on show with them.
    pub fn append(&mut self, other: Outline) {
        let Some(first) = other.first_root else { return };
        let by = NodeId::try_from(self.nodes.len()).unwrap_or(NONE);
        let moved = |id: NodeId| if id == NONE { NONE } else { id + by };
        self.nodes.extend(other.nodes.into_iter().map(|mut node| {
            if let Occurrence::AlsoAt(first) = &mut node.entry.occurrence {
                *first = moved(*first);
            }
            for id in [&mut node.parent, &mut node.first, &mut node.last, &mut node.next] {
                *id = moved(*id);
            }
            node
        }));
        self.match_from(by as usize);
        match self.last_root {
            Some(last) => self.nodes[last as usize].next = first + by,
            None => self.first_root = Some(first + by),
        }
        self.last_root = other.last_root.map(|last| last + by);
        for (thing, id) in other.shared {
            self.shared.entry(thing).or_insert(id + by);
        }
        self.show();
        // a cursor that was moved since has been chosen anew
        if let Some(awaited) = self.awaited.take().filter(|awaited| awaited.cursor == self.cursor)
            && let Some(row) = self.rows.iter().position(|&id| id >= by && self.node(id).key == awaited.key)
        {
            self.cursor = row;
        }
    }

    /// The name of the row under which a node's thing stands first, where that is another one.
    pub fn also_under(&self, id: NodeId) -> Option<&str> {
        let Occurrence::AlsoAt(first) = self.node(id).entry.occurrence else { return None };
        Some(self.parent(first).map_or("", |above| self.node(above).entry.name.as_str()))
    }

    /// The first node of a thing that stands under several parents.
    pub fn shared(&self, subject: &Subject) -> Option<NodeId> {
        let found = self.shared.get(&hashed(subject)).copied();
        found.filter(|id| self.node(*id).entry.subject == *subject)
    }

    /// Whether there is a node with this id.
    pub fn holds(&self, id: NodeId) -> bool {
        (id as usize) < self.nodes.len()
    }

    /// The node with this id.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Whether it holds nothing at all.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All nodes, whether on show or not.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        (0..).zip(&self.nodes)
    }

    /// The node's parent.
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        Some(self.node(id).parent).filter(|&parent| parent != NONE)
    }

    /// The node's ancestors, the nearest first.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(id), |&id| self.parent(id))
    }

    /// The nodes right below a node, as far as they are known.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let known = |id: NodeId| Some(id).filter(|&id| id != NONE);
        std::iter::successors(known(self.node(id).first), move |&id| known(self.node(id).next))
    }

    /// The nodes on show, from top to bottom.
    pub fn rows(&self) -> &[NodeId] {
        &self.rows
    }

    /// The cursor's row; 0 when there are none.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// The first row on screen.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The node under the cursor.
    pub fn current(&self) -> Option<NodeId> {
        self.rows.get(self.cursor).copied()
    }

    /// The entry under the cursor.
    pub fn entry(&self) -> Option<&Entry> {
        self.current().map(|id| &self.node(id).entry)
    }

    /// Makes the rows anew from the folding and the filter, the cursor staying on its node where that is still on
    /// show, else on the nearest of its ancestors that is.
    pub fn show(&mut self) {
        let at = self.current();
        self.rows = match &self.filter {
            None => self.unfolded(self.first_root.unwrap_or(NONE)),
            // a filter that says nothing yet hides nothing, and opens nothing
            Some(filter) if !filter.hides() => self.unfolded(self.first_root.unwrap_or(NONE)),
            Some(filter) => self.filtered(&filter.matches),
        };
        self.cursor = at
            .and_then(|at| {
                let mut near = HashSet::from([at]);
                near.extend(self.ancestors(at));
                self.rows.iter().rposition(|row| near.contains(row))
            })
            .unwrap_or(0);
        self.offset = self.offset.min(self.rows.len().saturating_sub(1));
    }

    /// `first`, its later siblings, and all open nodes below them, in the order of rows.
    fn unfolded(&self, first: NodeId) -> Vec<NodeId> {
        let mut rows = Vec::new();
        let mut waiting = vec![first];
        while let Some(id) = waiting.pop() {
            if id == NONE {
                continue;
            }
            rows.push(id);
            let node = self.node(id);
            waiting.push(node.next);
            if node.fold == Fold::Open {
                waiting.push(node.first);
            }
        }
        rows
    }

    /// Matching nodes and their ancestors, whatever is folded, in the order of rows; below a match also what is open.
    fn filtered(&self, matches: &[NodeId]) -> Vec<NodeId> {
        let mut kept = vec![false; self.nodes.len()];
        for &id in matches {
            kept[id as usize] = true;
            for above in self.ancestors(id) {
                if std::mem::replace(&mut kept[above as usize], true) {
                    break;
                }
            }
        }
        let hits: HashSet<NodeId> = matches.iter().copied().collect();
        let mut rows = Vec::new();
        let mut waiting = vec![(self.first_root.unwrap_or(NONE), false)];
        while let Some((id, below)) = waiting.pop() {
            if id == NONE {
                continue;
            }
            let node = self.node(id);
            waiting.push((node.next, below));
            let kept = kept[id as usize];
            if below || kept {
                rows.push(id);
                let open = node.fold == Fold::Open && (below || hits.contains(&id));
                if open || kept {
                    waiting.push((node.first, open));
                }
            }
        }
        rows
    }

    /// Opens the node on a row whose children are known.
    pub fn open(&mut self, row: usize) {
        let Some(&id) = self.rows.get(row) else { return };
        if self.node(id).first == NONE || self.node(id).fold == Fold::Open {
            return;
        }
        self.nodes[id as usize].fold = Fold::Open;
        if self.filter.is_some() {
            return self.show();
        }
        let below = self.unfolded(self.node(id).first);
        if self.cursor > row {
            self.cursor += below.len();
        }
        self.rows.splice(row + 1..=row, below);
    }

    /// Opens the node on a row, or, while its children are not known, marks it to be open at the next reload.
    pub fn open_soon(&mut self, row: usize) {
        let Some(&id) = self.rows.get(row) else { return };
        match self.node(id).fold {
            Fold::Closed => self.open(row),
            Fold::Leaf | Fold::Unread => self.nodes[id as usize].fold = Fold::Open,
            Fold::Open | Fold::Reading => {}
        }
    }

    /// Closes the node on a row; a cursor below it moves up to it.
    pub fn close(&mut self, row: usize) {
        let Some(&id) = self.rows.get(row) else { return };
        if self.node(id).fold != Fold::Open {
            return;
        }
        self.nodes[id as usize].fold = Fold::Closed;
        if self.filter.is_some() {
            return self.show();
        }
        let depth = self.node(id).depth;
        let below = self.rows[row + 1..].iter().take_while(|&&id| self.node(id).depth > depth).count();
        self.rows.drain(row + 1..=row + below);
        if self.cursor > row + below {
            self.cursor -= below;
        } else if self.cursor > row {
            self.cursor = row;
        }
    }

    /// Opens or closes every node whose children are known.
    pub fn fold_all(&mut self, open: bool) {
        for node in &mut self.nodes {
            match node.fold {
                Fold::Closed if open => node.fold = Fold::Open,
                Fold::Open if !open => node.fold = Fold::Closed,
                _ => {}
            }
        }
        self.show();
    }

    /// Sets the folding of a node while an outline is made; rows are made by [`Outline::show`].
    pub fn set_fold(&mut self, id: NodeId, fold: Fold) {
        self.nodes[id as usize].fold = fold;
    }

    /// Notes that a node's children are being read.
    pub fn reading(&mut self, id: NodeId) {
        self.nodes[id as usize].fold = Fold::Reading;
    }

    /// Puts children under a node that had not been read, and opens it; or, after others of its children, the next of
    /// very many. So many are `to_come`. The cursor stays on its row.
    pub fn graft(&mut self, id: NodeId, children: impl IntoIterator<Item = (Entry, Fold)>, to_come: usize) {
        let begins = matches!(self.node(id).fold, Fold::Unread | Fold::Reading);
        if !begins && self.growing != Some(id) {
            return;
        }
        let (children, before, last) = (children.into_iter(), self.nodes.len(), self.node(id).last);
        if begins {
            // of a million, growing by halves would for a moment take as much again
            let coming = children.size_hint().0 + to_come;
            self.nodes.reserve_exact(coming);
            self.rows.reserve_exact(coming);
        }
        for (entry, fold) in children {
            self.add(Some(id), entry, fold);
        }
        self.match_from(before);
        if to_come > 0 {
            self.growing = Some(id);
        } else if self.growing == Some(id) {
            self.growing = None;
        }
        if begins {
            self.nodes[id as usize].fold = if self.node(id).first == NONE { Fold::Leaf } else { Fold::Closed };
        }
        let sorts = to_come == 0 && self.sort != Sort::AsRead;
        if sorts {
            self.order_below(id);
        }
        match &self.filter {
            Some(_) if begins => {
                if self.node(id).fold == Fold::Closed {
                    self.nodes[id as usize].fold = Fold::Open;
                }
                self.show();
            }
            None if begins => {
                if let Some(row) = self.rows.iter().position(|&row| row == id) {
                    self.open(row);
                }
            }
            // each time would be too often
            Some(_) if to_come > 0 => {}
            Some(_) => self.show(),
            None if sorts => self.show(),
            None => self.lengthen(id, last, before),
        }
    }

    /// Shows the nodes from `before` on, which have come under an open node after its others, of which this was the last.
    fn lengthen(&mut self, id: NodeId, last: NodeId, before: usize) {
        if self.node(id).fold != Fold::Open {
            return;
        }
        // from below: what lies there is moved anyway, and of what lies above there may be very much
        let Some(row) = self.rows.iter().rposition(|&row| row == last) else { return };
        let depth = self.node(last).depth;
        let below = self.rows[row + 1..].iter().take_while(|&&id| self.node(id).depth > depth);
        let end = row + 1 + below.count();
        let new = before..self.nodes.len();
        if self.cursor >= end {
            self.cursor += new.len();
        }
        self.rows.splice(end..end, new.map(|at| NodeId::try_from(at).unwrap_or(NONE)));
    }

    /// Moves the cursor.
    pub fn step(&mut self, step: Step) {
        let last = self.rows.len().saturating_sub(1);
        self.cursor = match step {
            Step::By(rows) => self.cursor.saturating_add_signed(rows).min(last),
            Step::First => 0,
            Step::Last => last,
            Step::Parent => self
                .current()
                .and_then(|id| self.parent(id))
                .and_then(|parent| self.rows[..self.cursor].iter().rposition(|&row| row == parent))
                .unwrap_or(self.cursor),
        };
    }

    /// Puts the cursor on a row.
    pub fn put(&mut self, row: usize) {
        self.cursor = row.min(self.rows.len().saturating_sub(1));
    }

    /// Moves what is on screen by rows, not the cursor, unless it would leave a screen of `height` rows.
    pub fn scroll(&mut self, by: isize, height: usize) {
        let height = height.max(1);
        let mut last = self.rows.len().saturating_sub(height);
        // ancestors on top take rows away from the last ones too
        while last > 0 && self.window_from(last, height).end < self.rows.len() {
            last += 1;
        }
        self.offset = self.offset.saturating_add_signed(by).min(last);
        let shown = self.window_from(self.offset, height);
        self.cursor = self.cursor.clamp(shown.start, shown.end.saturating_sub(1).max(shown.start));
    }

    /// Moves what is on screen, `height` rows of it, so that the cursor's row is on it.
    pub fn settle(&mut self, height: usize) {
        if self.rows.is_empty() || height == 0 {
            return;
        }
        // a pane that has become higher, or has fewer rows, shows all that fits
        if self.rows.len() <= height {
            self.offset = 0;
            return;
        }
        self.offset = self.offset.min(self.cursor).max((self.cursor + 1).saturating_sub(height));
        // ancestors on top take rows away, and which ones they are depends on the first row
        while self.cursor >= self.window_from(self.offset, height).end {
            self.offset += 1;
        }
    }

    /// What is on a screen of `height` rows: the ancestors of the first row that stay on top, the outermost first, and
    /// the rows below them.
    pub fn window(&self, height: usize) -> (Vec<NodeId>, std::ops::Range<usize>) {
        let Some(&first) = self.rows.get(self.offset).filter(|_| height > 0) else { return (Vec::new(), 0..0) };
        let shown = self.window_from(self.offset, height);
        let mut sticky: Vec<NodeId> = self.ancestors(first).take(self.on_top(self.offset, height)).collect();
        sticky.reverse();
        (sticky, shown)
    }

    /// How many ancestors of a first row stay on top: at most a third of the screen, so that a deep row still has a
    /// neighbourhood.
    fn on_top(&self, offset: usize, height: usize) -> usize {
        let depth = self.rows.get(offset).map_or(0, |&first| self.node(first).depth as usize);
        if offset > 0 { depth.min(height / 3) } else { 0 }
    }

    /// The rows on a screen of `height` rows that begins with a row.
    fn window_from(&self, offset: usize, height: usize) -> std::ops::Range<usize> {
        offset..(offset + height - self.on_top(offset, height)).min(self.rows.len())
    }

    /// Opens what hides the nodes for which `wanted` holds, and puts the cursor on the first such one.
    pub fn reveal(&mut self, wanted: impl Fn(&Entry) -> bool) -> bool {
        let Some(at) = self.nodes.iter().position(|node| wanted(&node.entry)) else { return false };
        self.reveal_node(NodeId::try_from(at).unwrap_or(NONE));
        true
    }

    /// Opens what hides a node and puts the cursor on it.
    pub fn reveal_node(&mut self, id: NodeId) {
        if self.filter.is_some() && !self.rows.contains(&id) {
            self.filter = None;
        }
        let above: Vec<NodeId> = self.ancestors(id).collect();
        let mut hidden = self.filter.is_some();
        for above in above {
            if self.node(above).fold == Fold::Closed {
                self.nodes[above as usize].fold = Fold::Open;
                hidden = true;
            }
        }
        if hidden || !self.rows.contains(&id) {
            self.show();
        }
        if let Some(row) = self.rows.iter().position(|&row| row == id) {
            self.cursor = row;
        }
    }

    /// The next (or previous) node after the cursor, in the order of a wholly opened tree, for which `wanted` holds;
    /// goes round at the end. Gives whether there is one.
    pub fn seek(&mut self, forward: bool, wanted: impl Fn(&Node) -> bool) -> bool {
        let order = self.preorder();
        let here = self.current().and_then(|id| order.iter().position(|&other| other == id)).unwrap_or(0);
        let (count, matching) = (order.len(), |&&id: &&NodeId| wanted(self.node(id)));
        let found = if forward {
            order.iter().cycle().skip(here + 1).take(count).find(matching)
        } else {
            order.iter().rev().cycle().skip(count - here).take(count).find(matching)
        };
        let found = found.copied();
        if let Some(id) = found {
            self.reveal_node(id);
        }
        found.is_some()
    }

    fn preorder(&self) -> Vec<NodeId> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut waiting = vec![self.first_root.unwrap_or(NONE)];
        while let Some(id) = waiting.pop() {
            if id != NONE {
                order.push(id);
                waiting.extend([self.node(id).next, self.node(id).first]);
            }
        }
        order
    }

    /// Whether rows are filtered, by a text or by their state.
    pub fn is_filtered(&self) -> bool {
        self.filter.is_some()
    }

    /// The text that rows are filtered by, while they are.
    pub fn filter(&self) -> Option<&str> {
        self.filter.as_ref()?.text.as_deref()
    }

    /// The state that rows are filtered by, while they are.
    pub fn state(&self) -> Option<&str> {
        self.filter.as_ref()?.state.as_deref()
    }

    /// How many things match the filter.
    pub fn matches(&self) -> usize {
        self.filter.as_ref().map_or(0, |filter| filter.things)
    }

    /// Whether a node itself matches the filter (and is not just an ancestor of one that does).
    pub fn is_match(&self, id: NodeId) -> bool {
        self.filter.as_ref().is_some_and(|filter| filter.matches.binary_search(&id).is_ok())
    }

    /// Leaves on show only what contains the text, upper and lower case alike, and what is above it; `None` ends that.
    pub fn set_filter(&mut self, text: Option<&str>) {
        self.refilter(text.map(str::to_owned), self.state().map(str::to_owned));
    }

    /// Leaves on show only what has exactly this state or right-hand column, and what is above it; `None` ends that.
    pub fn set_state(&mut self, state: Option<&str>) {
        self.refilter(self.filter().map(str::to_owned), state.map(str::to_owned));
    }

    fn refilter(&mut self, text: Option<String>, state: Option<String>) {
        let before = self.current();
        let from = match &self.filter {
            Some(filter) => filter.from,
            None => before.map(|id| self.node(id).key),
        };
        // where nothing matched, nothing was under the cursor
        let back = || (0..).zip(&self.nodes).find(|(_, node)| Some(node.key) == from).map(|(id, _)| id);
        let before = before.or_else(back);
        self.filter = (text.is_some() || state.is_some()).then(|| Filter { text, state, from, ..Filter::default() });
        self.match_from(0);
        self.show();
        let Some(before) = before else { return };
        match &self.filter {
            None => self.reveal_node(before),
            Some(filter) if !filter.hides() => self.reveal_node(before),
            Some(_) if !self.current().is_some_and(|id| self.is_match(id)) => {
                self.cursor = self.rows.iter().position(|&id| self.is_match(id)).unwrap_or(self.cursor);
            }
            Some(_) => {}
        }
    }

    /// Takes the nodes from `first` on that match the filter among its matches.
    fn match_from(&mut self, first: usize) {
        let Some(filter) = &mut self.filter else { return };
        let lower = filter.text.as_deref().unwrap_or_default().to_lowercase();
        let found = |(id, node): (NodeId, &Node)| {
            let entry = &node.entry;
            let has_state = filter.state.as_ref().is_none_or(|state| {
                // headings repeat the state of what they head
                let leads = matches!(entry.subject, Subject::Group(_));
                !leads && (entry.mark.word() == state || entry.note == *state)
            });
            (has_state && (contains(&entry.name, &lower) || contains(&entry.note, &lower))).then_some(id)
        };
        let matches: Vec<NodeId> = (0..).zip(&self.nodes).skip(first).filter_map(found).collect();
        let mut items = HashSet::new();
        let is_first = |id: &&NodeId| match &self.nodes[**id as usize].entry {
            Entry { subject: Subject::Item(item), .. } => items.insert(item),
            entry => entry.occurrence == Occurrence::First,
        };
        filter.things += matches.iter().filter(is_first).count();
        filter.matches.extend(matches);
    }

    /// The next (or previous) match of the filter; goes round at the end.
    pub fn next_match(&mut self, forward: bool) {
        let count = self.rows.len();
        let hit = |row: &usize| self.is_match(self.rows[*row]);
        let found = if forward {
            (1..=count).map(|by| (self.cursor + by) % count).find(hit)
        } else {
            (1..=count).map(|by| (self.cursor + count - by) % count).find(hit)
        };
        if let Some(row) = found {
            self.cursor = row;
        }
    }

    /// The order of the rows.
    pub fn sorting(&self) -> Sort {
        self.sort
    }

    /// Puts the children of every node in an order; nodes of one name keep the order in which they were read.
    pub fn set_sort(&mut self, sort: Sort) {
        self.sort = sort;
        let mut below: Vec<Vec<NodeId>> = vec![Vec::new(); self.nodes.len()];
        let mut roots = Vec::new();
        for (id, node) in (0..).zip(&self.nodes) {
            // nodes are added parents first, so this is the order in which they were read
            match below.get_mut(node.parent as usize) {
                Some(children) => children.push(id),
                None => roots.push(id),
            }
        }
        self.order(&mut roots);
        self.link(&roots);
        for (id, mut children) in (0..).zip(below) {
            self.order(&mut children);
            self.put_below(id, &children);
        }
        self.first_root = roots.first().copied();
        self.last_root = roots.last().copied();
        self.show();
    }

    /// Puts the children of one node in the order of all.
    fn order_below(&mut self, id: NodeId) {
        let mut children: Vec<NodeId> = self.children(id).collect();
        self.order(&mut children);
        self.put_below(id, &children);
    }

    fn order(&self, ids: &mut [NodeId]) {
        let entry = |id: &NodeId| &self.node(*id).entry;
        match self.sort {
            Sort::AsRead => {}
            Sort::Name => ids.sort_by(|a, b| entry(a).name.cmp(&entry(b).name)),
            Sort::State => ids.sort_by_key(|id| entry(id).mark.word()),
            Sort::Note => ids.sort_by(|a, b| natural(&entry(a).note).cmp(&natural(&entry(b).note))),
        }
    }

    fn put_below(&mut self, id: NodeId, children: &[NodeId]) {
        self.link(children);
        let node = &mut self.nodes[id as usize];
        node.first = children.first().copied().unwrap_or(NONE);
        node.last = children.last().copied().unwrap_or(NONE);
    }

    /// Makes siblings follow one another.
    fn link(&mut self, ids: &[NodeId]) {
        for (nth, id) in ids.iter().enumerate() {
            self.nodes[*id as usize].next = ids.get(nth + 1).copied().unwrap_or(NONE);
        }
    }

    /// Marks a node, or takes the mark away.
    pub fn mark(&mut self, id: NodeId) {
        let key = self.node(id).key;
        if !self.marked.remove(&key) {
            self.marked.insert(key);
        }
    }

    /// Marks every node for which `wanted` holds, of those that match while there is a filter; when all are marked
    /// already, takes their marks away.
    pub fn mark_all(&mut self, wanted: impl Fn(&Entry) -> bool) {
        let filtered = self.filter.is_some();
        let shown = |id: NodeId| !filtered || self.is_match(id);
        let keys: HashSet<u64> =
            self.nodes().filter(|(id, node)| wanted(&node.entry) && shown(*id)).map(|(_, node)| node.key).collect();
        if keys.is_subset(&self.marked) {
            self.marked.retain(|key| !keys.contains(key));
        } else {
            self.marked.extend(keys);
        }
    }

    /// Takes all marks away.
    pub fn unmark(&mut self) {
        self.marked.clear();
    }

    /// Whether a node is marked.
    pub fn is_marked(&self, id: NodeId) -> bool {
        self.marked.contains(&self.node(id).key)
    }

    /// How many rows are marked.
    pub fn marks(&self) -> usize {
        self.marked.len()
    }

    /// Whether any node is marked.
    pub fn has_marks(&self) -> bool {
        !self.marked.is_empty()
    }

    /// The marked nodes.
    pub fn marked(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| self.marked.contains(&node.key))
    }

    /// The keys of all open nodes.
    pub fn open_keys(&self) -> HashSet<u64> {
        self.nodes.iter().filter(|node| node.fold == Fold::Open).map(|node| node.key).collect()
    }

    /// Takes the folding and the order that are remembered, and makes the rows.
    pub fn recall(&mut self, memory: &PaneMemory) {
        if let Some(open) = &memory.open {
            for node in &mut self.nodes {
                node.fold = match node.fold {
                    Fold::Closed if open.contains(&node.key) => Fold::Open,
                    Fold::Open if !open.contains(&node.key) => Fold::Closed,
                    other => other,
                };
            }
        }
        if memory.sort != Sort::AsRead {
            self.set_sort(memory.sort);
        }
        self.show();
    }

    /// The nodes that have not been read here, and were open, or were being read, in the outline this one replaces.
    pub fn opened_since(&self, old: &Outline) -> Vec<NodeId> {
        let opened = old.nodes.iter().filter(|node| matches!(node.fold, Fold::Open | Fold::Reading));
        let opened: HashSet<u64> = opened.map(|node| node.key).collect();
        self.nodes()
            .filter(|(_, node)| node.fold == Fold::Unread && opened.contains(&node.key))
            .map(|(id, _)| id)
            .collect()
    }

    /// Takes the folding, the cursor, the offset and the filter of the outline this one replaces.
    pub fn resume(&mut self, old: &Outline) {
        let open = old.open_keys();
        // of the two outlines' nodes the fewer are looked up among the others
        let opens = self.open_keys();
        let closed = old.nodes.iter().filter(|node| node.fold == Fold::Closed).map(|node| node.key);
        let closed: HashSet<u64> = closed.filter(|key| opens.contains(key)).collect();
        for node in &mut self.nodes {
            node.fold = match node.fold {
                Fold::Closed if open.contains(&node.key) => Fold::Open,
                Fold::Open if closed.contains(&node.key) => Fold::Closed,
                other => other,
            };
        }
        if old.sort != Sort::AsRead {
            self.set_sort(old.sort);
        }
        if !old.marked.is_empty() {
            let there = self.nodes.iter().map(|node| node.key);
            self.marked = there.filter(|key| old.marked.contains(key)).collect();
        }
        self.show();
        if let Some(Filter { text, state, from, .. }) = &old.filter {
            self.filter = Some(Filter { text: text.clone(), state: state.clone(), from: *from, ..Filter::default() });
            self.match_from(0);
            self.show();
        }
        self.cursor = self.row_in_place_of(old).unwrap_or(0);
        // it may be in what comes after the other rows
        let still = old.awaited.filter(|awaited| awaited.cursor == old.cursor).map(|awaited| awaited.key);
        let wanted = still.or_else(|| old.current().map(|id| old.node(id).key));
        let found = self.current().map(|id| self.node(id).key);
        self.awaited = wanted.filter(|_| wanted != found).map(|key| Awaited { key, cursor: self.cursor });
        self.offset = (old.offset + self.cursor).saturating_sub(old.cursor).min(self.cursor);
    }

    /// Where the thing that an older outline has its cursor on is gone, puts the cursor on the next wanted one after it that is
    /// still here.
    pub fn go_on_from(&mut self, old: &Outline, wanted: impl Fn(&Entry) -> bool) {
        let Some(&here) = old.rows.get(old.cursor) else { return };
        let rows: HashMap<u64, usize> =
            self.rows.iter().enumerate().map(|(row, &id)| (self.node(id).key, row)).collect();
        if rows.contains_key(&old.node(here).key) || !wanted(&old.node(here).entry) {
            return;
        }
        let after = old.rows[old.cursor + 1..].iter().map(|&id| old.node(id));
        let next = after.filter(|node| wanted(&node.entry)).find_map(|node| rows.get(&node.key));
        self.cursor = next.copied().unwrap_or(self.cursor);
    }

    /// The row of the thing that an older outline has its cursor on; else of the nearest above it that is still there, so
    /// that the cursor stays in its place.
    fn row_in_place_of(&self, old: &Outline) -> Option<usize> {
        let key = |row: usize| self.rows.get(row).map(|&id| self.node(id).key);
        let above = old.rows.get(..=old.cursor).unwrap_or_default().iter().rev().map(|&id| old.node(id).key);
        // mostly little has changed, and a million rows need not be gone through for it
        let near = old.cursor.saturating_sub(NEAR)..old.cursor + NEAR;
        let is_still_near = |wanted: u64| near.clone().find(|&row| key(row) == Some(wanted));
        above.clone().next().and_then(is_still_near).or_else(|| {
            let rows: HashMap<u64, usize> =
                self.rows.iter().enumerate().map(|(row, &id)| (self.node(id).key, row)).collect();
            above.clone().find_map(|key| rows.get(&key).copied())
        })
    }
}

fn hashed(what: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

/// A text to compare by: the number it begins with, the greatest first, then the text.
fn natural(note: &str) -> (std::cmp::Reverse<u64>, &str) {
    let digits = note.bytes().take_while(u8::is_ascii_digit).count();
    (std::cmp::Reverse(note[..digits].parse().unwrap_or(0)), note)
}

/// Whether the text contains the needle, which is in lower case, upper and lower case of the text alike.
fn contains(text: &str, lower: &str) -> bool {
    if text.is_ascii() && lower.is_ascii() {
        let (text, needle) = (text.as_bytes(), lower.as_bytes());
        return needle.is_empty() || text.windows(needle.len()).any(|window| window.eq_ignore_ascii_case(needle));
    }
    text.to_lowercase().contains(lower)
}

#[cfg(test)]
mod tests {
    use super::super::entry::Mark;
    use super::*;

    fn entry(name: &str) -> Entry {
        Entry::new(Subject::Group(name.into()), Mark::None, name, "")
    }

    /// `a(b(c d) e) f`, all folded.
    fn sample() -> Outline {
        let mut outline = Outline::default();
        let a = outline.add(None, entry("a"), Fold::Leaf);
        let b = outline.add(Some(a), entry("b"), Fold::Leaf);
        outline.add(Some(b), entry("c"), Fold::Leaf);
        outline.add(Some(b), entry("d"), Fold::Leaf);
        outline.add(Some(a), entry("e"), Fold::Leaf);
        outline.add(None, entry("f"), Fold::Leaf);
        outline.show();
        outline
    }

    fn names(outline: &Outline) -> String {
        outline.rows().iter().map(|&id| outline.node(id).entry.name.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn opening_and_closing_splice_the_rows() {
        let mut outline = sample();
        assert_eq!(names(&outline), "a f");
        outline.open(0);
        assert_eq!(names(&outline), "a b e f");
        outline.open(1);
        assert_eq!(names(&outline), "a b c d e f");
        outline.close(0);
        assert_eq!(names(&outline), "a f");
        outline.open(0);
        assert_eq!(names(&outline), "a b c d e f", "what was open below is open again");
    }

    #[test]
    fn the_cursor_stays_on_its_row_when_others_open_and_close() {
        let mut outline = sample();
        outline.step(Step::Last);
        outline.open(0);
        assert_eq!(outline.entry().unwrap().name, "f");
        outline.close(0);
        assert_eq!(outline.entry().unwrap().name, "f");
        outline.open(0);
        outline.put(1);
        outline.close(0);
        assert_eq!(outline.entry().unwrap().name, "a", "from below a closed row it moves up to it");
    }

    #[test]
    fn what_fits_is_shown_from_its_first_row() {
        let mut outline = sample();
        outline.open(0);
        outline.open(1);
        outline.step(Step::Last);
        outline.settle(3);
        assert_eq!(outline.window(3).1, 4..6);
        outline.settle(10);
        assert_eq!(outline.window(10), (Vec::new(), 0..6), "the pane has become higher");
    }

    #[test]
    fn a_filter_keeps_ancestors_and_ends_where_it_stood() {
        let mut outline = sample();
        outline.set_filter(Some("D"));
        assert_eq!(names(&outline), "a b d");
        assert_eq!(outline.entry().unwrap().name, "d");
        assert_eq!(outline.matches(), 1);
        outline.set_filter(None);
        assert_eq!(outline.entry().unwrap().name, "d");
        assert_eq!(names(&outline), "a b c d e f");
    }

    #[test]
    fn below_a_match_rows_are_opened_as_ever() {
        let mut outline = sample();
        outline.set_filter(Some("b"));
        assert_eq!(names(&outline), "a b");
        outline.open(1);
        assert_eq!(names(&outline), "a b c d");
        outline.close(1);
        assert_eq!(names(&outline), "a b");
    }

    #[test]
    fn every_match_is_on_show_and_gone_through_though_it_lies_in_a_fold_below_another() {
        let mut outline = Outline::default();
        let top = outline.add(None, entry("rules"), Fold::Leaf);
        let other = outline.add(Some(top), entry("other"), Fold::Leaf);
        outline.add(Some(other), entry("rule a"), Fold::Leaf);
        outline.add(Some(top), entry("no match"), Fold::Leaf);
        outline.show();
        outline.set_filter(Some(""));
        assert_eq!(names(&outline), "rules", "a filter that says nothing opens nothing");
        outline.set_filter(Some("rule"));
        assert_eq!(names(&outline), "rules other rule a");
        outline.next_match(true);
        assert_eq!(outline.entry().unwrap().name, "rule a");
        outline.next_match(true);
        outline.set_filter(None);
        assert_eq!(names(&outline), "rules", "the folds are opened for the filter only");
    }

    #[test]
    fn folding_and_cursor_survive_a_reload() {
        let mut old = sample();
        old.open(0);
        old.open(1);
        old.put(3);
        let mut new = sample();
        new.resume(&old);
        assert_eq!(names(&new), "a b c d e f");
        assert_eq!(new.entry().unwrap().name, "d");
    }

    #[test]
    fn a_cursor_in_what_comes_after_the_others_is_there_again_once_that_has_come() {
        let group = || {
            let mut group = Outline::default();
            let heading = group.add(None, entry("cycle"), Fold::Open);
            group.add(Some(heading), entry("r"), Fold::Leaf);
            group
        };
        let mut old = sample();
        old.append(group());
        old.step(Step::Last);
        let again = || {
            let mut new = sample();
            new.resume(&old);
            assert_eq!(new.entry().unwrap().name, "f", "the nearest row above");
            new
        };
        let mut new = again();
        new.append(group());
        assert_eq!(new.entry().unwrap().name, "r");
        let mut new = sample();
        new.resume(&again());
        new.append(group());
        assert_eq!(new.entry().unwrap().name, "r", "reloaded before it came");
        let mut new = again();
        new.step(Step::First);
        new.append(group());
        assert_eq!(new.entry().unwrap().name, "a", "chosen since");
    }

    #[test]
    fn a_row_is_found_again_however_far_it_has_moved() {
        let mut old = sample();
        old.put(1);
        let mut new = Outline::default();
        for nth in 0..3 * NEAR {
            new.add(None, entry(&nth.to_string()), Fold::Leaf);
        }
        new.add(None, entry("f"), Fold::Leaf);
        new.resume(&old);
        assert_eq!((new.entry().unwrap().name.as_str(), new.cursor()), ("f", 3 * NEAR));
    }

    #[test]
    fn a_row_that_is_gone_leaves_the_cursor_above_it() {
        let mut old = sample();
        old.open(0);
        old.put(2);
        let mut new = Outline::default();
        let a = new.add(None, entry("a"), Fold::Leaf);
        new.add(Some(a), entry("b"), Fold::Leaf);
        new.add(None, entry("f"), Fold::Leaf);
        new.resume(&old);
        assert_eq!(new.entry().unwrap().name, "b");
    }

    #[test]
    fn one_thing_in_two_places_folds_apart() {
        let mut outline = Outline::default();
        let (a, b) = (outline.add(None, entry("a"), Fold::Open), outline.add(None, entry("b"), Fold::Open));
        for under in [a, b] {
            let shared = outline.add(Some(under), entry("s"), Fold::Leaf);
            outline.add(Some(shared), entry("x"), Fold::Leaf);
        }
        outline.show();
        outline.open(1);
        assert_eq!(names(&outline), "a s x b s");
        assert_ne!(outline.node(outline.rows()[1]).key, outline.node(outline.rows()[4]).key);
    }

    #[test]
    fn seeking_goes_round_in_both_directions_and_opens_what_hides() {
        let mut outline = sample();
        let wanted = |node: &Node| matches!(node.entry.name.as_str(), "c" | "e");
        assert!(outline.seek(true, wanted));
        assert_eq!(outline.entry().unwrap().name, "c");
        assert!(outline.seek(true, wanted));
        assert_eq!(outline.entry().unwrap().name, "e");
        assert!(outline.seek(true, wanted));
        assert_eq!(outline.entry().unwrap().name, "c");
        assert!(outline.seek(false, wanted));
        assert_eq!(outline.entry().unwrap().name, "e");
        assert!(!outline.seek(false, |_| false));
    }

    #[test]
    fn the_window_follows_the_cursor_and_keeps_ancestors_on_top() {
        let mut outline = Outline::default();
        let top = outline.add(None, entry("top"), Fold::Open);
        for n in 0..100 {
            outline.add(Some(top), entry(&n.to_string()), Fold::Leaf);
        }
        outline.show();
        outline.step(Step::Last);
        outline.settle(10);
        let (sticky, window) = outline.window(10);
        assert_eq!(sticky, [top]);
        assert_eq!(window, 92..101);
        outline.scroll(-50, 9);
        assert_eq!(outline.cursor(), 49, "the wheel takes the cursor along only when it would leave the screen");
    }

    #[test]
    fn matches_are_gone_through_in_both_directions_and_round() {
        let mut outline = Outline::default();
        let top = outline.add(None, entry("top"), Fold::Open);
        for name in ["rule a", "other", "rule b", "rule c"] {
            outline.add(Some(top), entry(name), Fold::Leaf);
        }
        outline.show();
        outline.set_filter(Some("rule"));
        let went = |outline: &mut Outline, forward| {
            outline.next_match(forward);
            outline.entry().unwrap().name.clone()
        };
        assert_eq!(outline.entry().unwrap().name, "rule a");
        for (forward, name) in
            [(true, "rule b"), (true, "rule c"), (true, "rule a"), (false, "rule c"), (false, "rule b")]
        {
            assert_eq!(went(&mut outline, forward), name);
        }
    }

    /// A chain of ten, and a hundred rows at its end.
    fn deep() -> Outline {
        let mut outline = Outline::default();
        let mut at = outline.add(None, entry("0"), Fold::Open);
        for n in 1..10 {
            at = outline.add(Some(at), entry(&n.to_string()), Fold::Open);
        }
        for n in 0..100 {
            outline.add(Some(at), entry(&format!("leaf {n}")), Fold::Leaf);
        }
        outline.show();
        outline
    }

    #[test]
    fn ancestors_take_a_third_of_the_screen_at_most_and_never_hide_the_cursor() {
        for height in 1..30 {
            let mut outline = deep();
            for step in [1, 7, 30, -1, -13, -40, 200, -3, -200] {
                outline.step(Step::By(step));
                outline.settle(height);
                let (sticky, window) = outline.window(height);
                assert!(sticky.len() <= height / 3, "{height}");
                assert!(window.contains(&outline.cursor()), "{height} {step}");
                assert!(sticky.len() + window.len() <= height);
            }
        }
    }

    #[test]
    fn the_wheel_reaches_both_ends_of_a_deep_tree() {
        for height in 1..30 {
            let mut outline = deep();
            let turn = |outline: &mut Outline, by: isize| {
                for _ in 0..60 {
                    outline.scroll(by, height);
                    outline.settle(height);
                }
            };
            turn(&mut outline, 3);
            assert_eq!(outline.window(height).1.end, outline.rows().len(), "{height}");
            turn(&mut outline, -3);
            assert_eq!(outline.offset(), 0, "{height}");
        }
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_does_not_recurse() {
        let mut outline = Outline::default();
        let mut at = outline.add(None, entry("0"), Fold::Open);
        for n in 1..100_000 {
            at = outline.add(Some(at), entry(&n.to_string()), Fold::Open);
        }
        outline.show();
        assert_eq!(outline.rows().len(), 100_000);
        outline.close(0);
        assert_eq!(outline.rows().len(), 1);
    }

    #[test]
    fn marks_survive_a_reload_and_are_taken_away_as_they_were_made() {
        let mut old = sample();
        old.mark_all(|entry| entry.name != "a");
        assert_eq!(old.marked().count(), 5);
        old.mark(old.rows()[1]);
        assert_eq!(old.marked().count(), 4);
        let mut new = sample();
        new.resume(&old);
        assert_eq!(new.marked().count(), 4);
        new.mark_all(|entry| matches!(entry.name.as_str(), "b" | "c"));
        assert_eq!(new.marked().map(|node| node.entry.name.as_str()).collect::<String>(), "de");
    }

    #[test]
    fn rows_are_sorted_under_their_parents_and_back() {
        let mut outline = sample();
        outline.fold_all(true);
        let b = outline.rows()[1];
        outline.nodes[b as usize].entry.note = "9 owed".into();
        outline.set_sort(Sort::Name);
        assert_eq!(names(&outline), "a b c d e f");
        let e = outline.rows()[4];
        outline.nodes[e as usize].entry.note = "10 owed".into();
        outline.set_sort(Sort::Note);
        assert_eq!(names(&outline), "a e b c d f", "numbers count as numbers");
        outline.set_sort(Sort::AsRead);
        assert_eq!(names(&outline), "a b c d e f");
        let mut new = sample();
        new.resume(&outline);
        assert_eq!(new.sorting(), Sort::AsRead);
    }

    /// A row, and below it what has not been read.
    fn unread() -> (Outline, NodeId) {
        let mut outline = Outline::default();
        let a = outline.add(None, entry("a"), Fold::Unread);
        outline.show();
        (outline, a)
    }

    #[test]
    fn children_read_later_open_where_they_belong() {
        let (mut outline, a) = unread();
        outline.add(None, entry("b"), Fold::Leaf);
        outline.show();
        outline.step(Step::Last);
        outline.reading(a);
        outline.graft(a, [(entry("x"), Fold::Leaf), (entry("y"), Fold::Unread)], 0);
        assert_eq!(names(&outline), "a x y b");
        assert_eq!(outline.entry().unwrap().name, "b", "nothing moves under the cursor");
    }

    #[test]
    fn very_many_children_come_piece_by_piece_and_nothing_moves_under_the_cursor() {
        let (mut outline, a) = unread();
        outline.add(None, entry("b"), Fold::Leaf);
        outline.show();
        outline.step(Step::Last);
        outline.reading(a);
        outline.graft(a, [(entry("x"), Fold::Unread)], 3);
        assert_eq!(names(&outline), "a x b");
        // one that has come is opened meanwhile
        let x = outline.rows()[1];
        outline.graft(x, [(entry("x1"), Fold::Leaf)], 0);
        assert_eq!(names(&outline), "a x x1 b");
        outline.graft(a, [(entry("y"), Fold::Leaf)], 2);
        assert_eq!(names(&outline), "a x x1 y b");
        assert_eq!(outline.entry().unwrap().name, "b");
        // or the whole is closed: the others still come
        outline.close(0);
        outline.graft(a, [(entry("z"), Fold::Leaf)], 1);
        assert_eq!(names(&outline), "a b");
        outline.set_filter(Some(""));
        outline.graft(a, [(entry("last"), Fold::Leaf)], 0);
        outline.set_filter(None);
        outline.open(0);
        assert_eq!(names(&outline), "a x x1 y z last b");
        outline.graft(a, [(entry("late"), Fold::Leaf)], 0);
        assert_eq!(names(&outline), "a x x1 y z last b", "it was read to its end");
    }

    #[test]
    fn what_is_read_under_a_filter_is_open() {
        let (mut outline, a) = unread();
        outline.set_filter(Some("a"));
        outline.reading(a);
        outline.graft(a, [(entry("x"), Fold::Leaf)], 1);
        outline.graft(a, [(entry("y"), Fold::Leaf)], 0);
        assert_eq!(names(&outline), "a x y");
    }

    #[test]
    fn what_comes_later_is_looked_for_too() {
        let (mut outline, a) = unread();
        outline.reading(a);
        outline.graft(a, [(entry("x"), Fold::Leaf)], 2);
        // typed while the others are still coming
        outline.set_filter(Some("z"));
        assert_eq!(names(&outline), "");
        outline.graft(a, [(entry("y"), Fold::Leaf)], 1);
        outline.graft(a, [(entry("z"), Fold::Leaf)], 0);
        assert_eq!((names(&outline), outline.matches()), ("a z".to_owned(), 1));
        let mut group = Outline::default();
        group.add(None, entry("z too"), Fold::Leaf);
        outline.append(group);
        assert_eq!((names(&outline), outline.matches()), ("a z z too".to_owned(), 2));
    }

    #[test]
    fn under_a_filter_the_first_children_are_shown_at_once_and_what_is_closed_meanwhile_stays_closed() {
        let (mut outline, a) = unread();
        outline.set_filter(Some("a"));
        outline.reading(a);
        outline.graft(a, [(entry("x"), Fold::Leaf)], 2);
        assert_eq!(names(&outline), "a x");
        let mut freed = outline.clone();
        outline.close(0);
        outline.graft(a, [(entry("y"), Fold::Leaf)], 0);
        assert_eq!(names(&outline), "a");
        // or the filter ends meanwhile
        freed.set_filter(None);
        freed.graft(a, [(entry("y"), Fold::Leaf)], 0);
        assert_eq!(names(&freed), "a x y");
    }

    #[test]
    fn children_that_come_later_are_in_the_order_of_the_others() {
        let (mut outline, a) = unread();
        outline.add(None, entry("b"), Fold::Unread);
        outline.show();
        outline.set_sort(Sort::Name);
        outline.reading(a);
        outline.graft(a, [(entry("z"), Fold::Leaf), (entry("m"), Fold::Leaf)], 1);
        outline.step(Step::Last);
        outline.graft(a, [(entry("n"), Fold::Leaf)], 0);
        assert_eq!((names(&outline).as_str(), outline.entry().unwrap().name.as_str()), ("a m n z b", "b"));
        let b = outline.current().unwrap();
        outline.graft(b, [(entry("d"), Fold::Leaf), (entry("c"), Fold::Leaf)], 0);
        assert_eq!(names(&outline), "a m n z b c d");
        outline.set_sort(Sort::AsRead);
        assert_eq!(names(&outline), "a z m n b d c");
    }

    #[test]
    fn what_is_appended_comes_after_all_others_and_moves_nothing() {
        let mut outline = sample();
        outline.open(0);
        outline.put(3);
        let (cursor, before) = (outline.current(), names(&outline));
        let mut group = Outline::default();
        let heading = group.add(None, entry("g"), Fold::Leaf);
        let deep = group.add(Some(heading), entry("h"), Fold::Leaf);
        group.add(Some(deep), entry("i"), Fold::Leaf);
        group.set_fold(heading, Fold::Open);
        outline.append(group);
        assert_eq!((outline.current(), names(&outline)), (cursor, format!("{before} g h")));
        outline.open(outline.rows().len() - 1);
        assert!(names(&outline).ends_with(" g h i"));
        let last = *outline.rows().last().unwrap();
        assert_eq!(
            outline.ancestors(last).map(|id| outline.node(id).entry.name.clone()).collect::<Vec<_>>(),
            ["h", "g"]
        );
        outline.append(Outline::default());
        let mut empty = Outline::default();
        empty.append(sample());
        assert_eq!(names(&empty), "a f");
    }
}
