//! Why an item is selected, and why one is not. Pure: everything is read off a [`Selection`].
//!
//! The causes of all items form a graph: lines of yours open packages and take items, manifests of opened packages open
//! further ones, agents name skills. A **chain** is a way through it, from a line of yours (or your own package) to the
//! item. There may be more chains than anybody can list, so they are counted, never enumerated, and the shortest are
//! shown. A cycle counts as one step.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::causes::{Causes, Node};
use super::graph::{EntryId, Graph, ItemId, PackageId, RefId, Role};
use super::model::{Filter, Kind, Name, Place};
use super::select::{Cause, End, Selection};

/// Every reason of a selection, ready to be asked for. Made once for a selection, in time proportional to it.
#[derive(Debug)]
pub struct Reasons<'a> {
    selection: &'a Selection,
    causes: Causes,
    /// The refs that mean each item: where its list begins in `refs`; one more at the end.
    starts: Vec<u32>,
    refs: Vec<RefId>,
}

/// Why an item is selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The shortest chains, the shortest first.
    pub chains: Vec<Chain>,
    /// How many there are.
    pub count: Count,
}

/// A number of chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count {
    /// The number, or the greatest one that is counted to.
    pub number: u64,
    /// Whether there are more.
    pub more: bool,
}

impl Count {
    /// The greatest number counted to: the greatest whole number every reader of JSON reads exactly.
    pub const MOST: u64 = (1 << 53) - 1;
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let more = if self.more { "more than " } else { "" };
        write!(f, "{more}{}", self.number)
    }
}

/// A way from you to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    /// Its steps; the last one is the item.
    pub steps: Vec<Step>,
}

/// A step of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Your own package.
    Own,
    /// A line of yours, which takes the next item or opens its package.
    Line(EntryId),
    /// The manifest of an opened package, which asks for the package of the next step whole.
    Manifest {
        /// The package.
        package: PackageId,
        /// The line of its manifest that leads on.
        place: Option<Place>,
    },
    /// An item; when it is not the last step, it names the next.
    Item(ItemId),
    /// Manifests (or definitions) that lead to each other in a cycle; one step, whatever the way through it.
    Cycle {
        /// The packages in it.
        packages: Vec<PackageId>,
        /// The items in it.
        items: Vec<ItemId>,
    },
}

/// Why an item is not selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// An `exclude` of yours names it.
    Excluded {
        /// The line.
        entry: EntryId,
        /// The text that hits it.
        name: Name,
    },
    /// No line leads to its package.
    NotReached,
    /// A line of yours on its package does not take it.
    FilteredOut {
        /// The line.
        entry: EntryId,
    },
    /// A manifest names its package with a filter, which takes nothing by itself.
    FilteredEdge {
        /// The package whose manifest it is.
        by: PackageId,
        /// The filter.
        filter: Filter,
        /// Where it is written.
        place: Option<Place>,
    },
    /// A manifest asks for its package whole, but that manifest's own package is not opened.
    NotOpened {
        /// The package whose manifest it is.
        by: PackageId,
        /// Where it is written.
        place: Option<Place>,
        /// Your filtered lines on that package; opening it would take one of them without a filter.
        closed_by: Vec<EntryId>,
    },
    /// An agent that names it is not selected itself.
    AgentNotSelected {
        /// The agent.
        agent: ItemId,
    },
    /// A selected agent names its slug and gets it from another package, which comes first.
    SuppliedElsewhere {
        /// The agent.
        agent: ItemId,
        /// The skill it gets.
        supplier: ItemId,
    },
    /// No agent names it.
    NotNamed,
}

impl<'a> Reasons<'a> {
    /// Prepares the reasons of a selection.
    pub fn new(selection: &'a Selection) -> Reasons<'a> {
        let graph = selection.graph();
        let mut starts = vec![0_u32; graph.item_count() + 1];
        let meaning = || {
            let references = 0..u32::try_from(graph.packages.references.len()).unwrap_or(u32::MAX);
            references.map(RefId).filter_map(|reference| Some((selection.supplier(reference)?, reference)))
        };
        for (item, _) in meaning() {
            starts[item.index() + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut refs = vec![RefId(0); starts.last().map_or(0, |&all| all as usize)];
        for (item, reference) in meaning() {
            refs[next[item.index()] as usize] = reference;
            next[item.index()] += 1;
        }
        Reasons { selection, causes: Causes::new(selection), starts, refs }
    }

    /// The selection they are about.
    pub fn selection(&self) -> &'a Selection {
        self.selection
    }

    /// The refs that mean an item, selected or not, of reached packages.
    pub fn named_by(&self, item: ItemId) -> &[RefId] {
        &self.refs[self.starts[item.index()] as usize..self.starts[item.index() + 1] as usize]
    }

    /// Why a selected item is there: its `most` shortest chains and their number. Nothing for one that is not selected.
    pub fn why(&self, item: ItemId, most: usize) -> Why {
        self.chains(Node::Item(item), most)
    }

    /// Why a package is opened, so that its manifest counts.
    pub fn why_opened(&self, package: PackageId, most: usize) -> Why {
        self.chains(Node::Open(package), most)
    }

    fn chains(&self, node: Node, most: usize) -> Why {
        let causes = &self.causes;
        let Some(goal) = causes.group_of(node) else {
            return Why { chains: Vec::new(), count: Count { number: 0, more: false } };
        };
        // partial chains from the goal back, by the length they will have; of equal ones the one that is nearest to its
        // start is finished first, or all of a great many would be begun before one is done
        let mut met: Vec<(u32, Option<usize>)> = vec![(goal, None)];
        let mut waiting = BinaryHeap::from([Reverse((causes.distance(goal), causes.distance(goal), 0_usize))]);
        let mut chains = Vec::new();
        while let Some(Reverse((length, ahead, at))) = waiting.pop() {
            if chains.len() == most {
                break;
            }
            let group = met[at].0;
            if causes.is_start(group) {
                chains.push(self.chain(at, &met));
                continue;
            }
            for &before in causes.before(group) {
                // the chain from `before` on is as long as it can be foreseen, so the shortest come first
                let further = causes.distance(before);
                waiting.push(Reverse((length - ahead + 1 + further, further, met.len())));
                met.push((before, Some(at)));
            }
        }
        Why { chains, count: causes.count(goal) }
    }

    fn chain(&self, mut at: usize, met: &[(u32, Option<usize>)]) -> Chain {
        let mut groups = vec![met[at].0];
        while let Some(next) = met[at].1 {
            at = next;
            groups.push(met[at].0);
        }
        let step = |nth: usize| {
            let members = self.causes.members(groups[nth]);
            let [one] = members else { return cycle(members) };
            match *one {
                Node::Own => Step::Own,
                Node::Line(entry) => Step::Line(entry),
                Node::Item(item) => Step::Item(item),
                Node::Open(package) => {
                    let next = groups.get(nth + 1).map(|&group| self.causes.members(group));
                    Step::Manifest { package, place: next.and_then(|next| self.edge_place(package, next)) }
                }
            }
        };
        Chain { steps: (0..groups.len()).map(step).collect() }
    }

    /// The line of a manifest that leads to one of the next nodes.
    fn edge_place(&self, package: PackageId, next: &[Node]) -> Option<Place> {
        let graph = self.selection.graph();
        let leads = |target: PackageId| {
            next.iter().any(|node| match *node {
                Node::Open(package) => package == target,
                Node::Item(item) => graph.item(item).package == target,
                Node::Own | Node::Line(_) => false,
            })
        };
        let mut edges = graph.edges(package).iter().filter(|edge| edge.filter.opens());
        edges.find(|edge| edge.target.is_some_and(leads))?.place.clone()
    }

    /// Why an item is not selected, the decisive reasons first; nothing for a selected one.
    pub fn why_not(&self, item: ItemId) -> Vec<Reason> {
        let selection = self.selection;
        if selection.is_selected(item) {
            return Vec::new();
        }
        let graph = selection.graph();
        let it = graph.item(item);
        let excluded: Vec<Reason> =
            graph.entries_on(it.package).filter_map(|(entry, _)| excluded(graph, entry, item)).collect();
        if !excluded.is_empty() {
            return excluded;
        }
        if !selection.is_reached(it.package) {
            return vec![Reason::NotReached];
        }
        let mut reasons: Vec<Reason> = graph
            .entries_on(it.package)
            .filter(|(entry, _)| !graph.takes(*entry, item))
            .map(|(entry, _)| Reason::FilteredOut { entry })
            .collect();
        self.closed(it.package, &mut reasons);
        if it.kind == Kind::Skill {
            self.not_named(item, &mut reasons);
        }
        reasons
    }

    /// The manifests that name the package of an item and do not bring it.
    fn closed(&self, package: PackageId, reasons: &mut Vec<Reason>) {
        let graph = self.selection.graph();
        for &by in self.causes.sources(package) {
            for edge in graph.edges(by).iter().filter(|edge| edge.target == Some(package)) {
                if !edge.filter.opens() {
                    let (filter, place) = (edge.filter.clone(), edge.place.clone());
                    reasons.push(Reason::FilteredEdge { by, filter, place });
                } else if !self.selection.is_opened(by) {
                    let closed_by = graph.entries_on(by).map(|(entry, _)| entry).collect();
                    reasons.push(Reason::NotOpened { by, place: edge.place.clone(), closed_by });
                }
            }
        }
    }

    fn not_named(&self, item: ItemId, reasons: &mut Vec<Reason>) {
        let graph = self.selection.graph();
        let slug = graph.core(item).slug;
        let before = reasons.len();
        let mut agents: Vec<ItemId> = self.named_by(item).iter().map(|&reference| graph.referrer(reference)).collect();
        agents.dedup();
        reasons.extend(agents.into_iter().map(|agent| Reason::AgentNotSelected { agent }));
        for &rival in graph.candidates(slug).iter().filter(|&&rival| rival != item) {
            for &reference in self.named_by(rival) {
                let agent = graph.referrer(reference);
                let elsewhere = Reason::SuppliedElsewhere { agent, supplier: rival };
                if self.selection.is_selected(agent) && reasons.last() != Some(&elsewhere) {
                    reasons.push(elsewhere);
                }
            }
        }
        if reasons.len() == before {
            reasons.push(Reason::NotNamed);
        }
    }

    /// What selecting an item pulls besides itself: the skills its refs mean, and the documents of their packages.
    pub fn pulls(&self, item: ItemId) -> Vec<ItemId> {
        let graph = self.selection.graph();
        let mut pulled: Vec<ItemId> = Vec::new();
        for (reference, _) in graph.refs(item) {
            let Some(skill) = self.selection.supplier(reference) else { continue };
            if self.selection.is_excluded(skill) {
                continue;
            }
            let documents = graph.items_of(graph.item(skill).package);
            let documents = documents.filter(|&one| graph.item(one).kind == Kind::BootstrapDoc);
            for one in std::iter::once(skill).chain(documents) {
                if !self.selection.is_excluded(one) && !pulled.contains(&one) {
                    pulled.push(one);
                }
            }
        }
        pulled
    }

    /// The refs of an item that end without one: missing, dropped by an exclude, or left to a provider.
    pub fn ends(&self, item: ItemId) -> Vec<(RefId, Option<End>)> {
        let graph = self.selection.graph();
        let refs = graph.refs(item).filter_map(|(reference, name)| match self.selection.supplier(reference) {
            Some(skill) if self.selection.is_excluded(skill) => Some((reference, Some(End::Excluded(skill)))),
            Some(_) => None,
            None if super::select::is_left_to_provider(graph, graph.item(item).package, name) => {
                Some((reference, Some(End::LeftToProvider)))
            }
            None => Some((reference, None)),
        });
        refs.collect()
    }
}

fn cycle(members: &[Node]) -> Step {
    let packages = members.iter().filter_map(|node| match *node {
        Node::Open(package) => Some(package),
        _ => None,
    });
    let items = members.iter().filter_map(|node| match *node {
        Node::Item(item) => Some(item),
        _ => None,
    });
    Step::Cycle { packages: packages.collect(), items: items.collect() }
}

/// Whether a line of yours excludes an item.
pub fn is_excluded(graph: &Graph, item: ItemId) -> bool {
    graph.entries_on(graph.item(item).package).any(|(entry, _)| excluded(graph, entry, item).is_some())
}

/// The exclude of a line that keeps an item out.
fn excluded(graph: &Graph, entry: EntryId, item: ItemId) -> Option<Reason> {
    let Filter::Exclude(names) = &graph.entry(entry).line.filter else { return None };
    let it = graph.item(item);
    let name = names.iter().find(|&name| *name == it.slug || *name == it.path)?;
    Some(Reason::Excluded { entry, name: name.clone() })
}

/// The name of a package for a sentence.
fn package_words(graph: &Graph, package: PackageId) -> String {
    match graph.name(package) {
        Some(name) => format!("`{name}`"),
        None => "your package".to_owned(),
    }
}

/// `agent p/a`: an item as sentences name it.
pub fn item_words(graph: &Graph, item: ItemId) -> String {
    let it = graph.item(item);
    match graph.name(it.package) {
        Some(package) => format!("{} {package}/{}", it.kind, it.slug),
        None => format!("your {} {}", it.kind, it.slug),
    }
}

/// A line of yours as sentences name it: where it is and what it says.
pub fn line_words(graph: &Graph, entry: EntryId) -> String {
    let entry = graph.entry(entry);
    let role = if entry.role == Role::RootEdge { "edge" } else { "request" };
    match &entry.line.place {
        Some(place) => format!("{place} {} ({})", entry.line.name, entry.line.filter),
        None => format!("{role} {} ({})", entry.line.name, entry.line.filter),
    }
}

/// A line of yours whose filter decides, as sentences name it: the same line as everywhere, and where in it the filter is.
fn filter_words(graph: &Graph, entry: EntryId) -> String {
    let line = &graph.entry(entry).line;
    match (&line.place, &line.filter_place) {
        (Some(place), Some(filter)) if filter != place => {
            format!("{place} {} ({}, line {})", line.name, line.filter, filter.line)
        }
        _ => line_words(graph, entry),
    }
}

impl Step {
    /// The step in words.
    pub fn words(&self, graph: &Graph) -> String {
        let line = |place: &Option<Place>| place.as_ref().map_or(String::new(), |place| format!(":{}", place.line));
        match self {
            Step::Own => "your package".to_owned(),
            Step::Line(entry) => line_words(graph, *entry),
            Step::Manifest { package, place } => format!("manifest of {}{}", graph.spoken(*package), line(place)),
            Step::Item(item) => item_words(graph, *item),
            Step::Cycle { packages, items } => {
                let packages = packages.iter().map(|&package| graph.spoken(package).to_owned());
                let names: Vec<String> = packages.chain(items.iter().map(|&item| item_words(graph, item))).collect();
                format!("cycle of {}", names.join(", "))
            }
        }
    }
}

impl Reason {
    /// A short word for the kind of reason.
    pub fn code(&self) -> &'static str {
        match self {
            Reason::Excluded { .. } => "excluded",
            Reason::NotReached => "not-reached",
            Reason::FilteredOut { .. } => "filtered-out",
            Reason::FilteredEdge { .. } => "filtered-edge",
            Reason::NotOpened { .. } => "not-opened",
            Reason::AgentNotSelected { .. } => "agent-not-selected",
            Reason::SuppliedElsewhere { .. } => "supplied-elsewhere",
            Reason::NotNamed => "not-named",
        }
    }

    /// The line that decides, when it is one of a file: where its entry begins.
    pub fn place<'g>(&'g self, graph: &'g Graph) -> Option<&'g Place> {
        match self {
            Reason::Excluded { entry, .. } | Reason::FilteredOut { entry } => graph.entry(*entry).line.place.as_ref(),
            Reason::FilteredEdge { place, .. } | Reason::NotOpened { place, .. } => place.as_ref(),
            _ => None,
        }
    }

    /// Where the filter that decides is written, when it is one of a line of yours.
    pub fn filter_place<'g>(&self, graph: &'g Graph) -> Option<&'g Place> {
        match self {
            Reason::Excluded { entry, .. } | Reason::FilteredOut { entry } => {
                graph.entry(*entry).line.filter_place.as_ref()
            }
            _ => None,
        }
    }

    /// The reason in a sentence.
    pub fn words(&self, graph: &Graph) -> String {
        let at = |place: &Option<Place>| place.as_ref().map_or(String::new(), |place| format!(", line {}", place.line));
        match self {
            Reason::Excluded { entry, name } => format!("excluded by you: `{name}` in {}", filter_words(graph, *entry)),
            Reason::NotReached => "its package is not reached from any line of yours".to_owned(),
            Reason::FilteredOut { entry } => format!("filtered out by your line {}", filter_words(graph, *entry)),
            Reason::FilteredEdge { by, filter, place } => format!(
                "the manifest of {}{} names its package with a filter ({filter}), which takes nothing by itself",
                package_words(graph, *by),
                at(place)
            ),
            Reason::NotOpened { by, place, closed_by } => {
                let lines: Vec<String> = closed_by.iter().map(|&entry| line_words(graph, entry)).collect();
                let why = if lines.is_empty() {
                    "is not opened: nothing opened asks for it without a filter".to_owned()
                } else {
                    format!("is not opened, as your line has a filter: {}", lines.join("; "))
                };
                format!(
                    "the manifest of {}{} asks for it, but that package {why}",
                    package_words(graph, *by),
                    at(place)
                )
            }
            Reason::AgentNotSelected { agent } => {
                format!("{} names it, but is not selected", item_words(graph, *agent))
            }
            Reason::SuppliedElsewhere { agent, supplier } => format!(
                "{} names it, and gets it from {}, which comes first",
                item_words(graph, *agent),
                package_words(graph, graph.item(*supplier).package)
            ),
            Reason::NotNamed => "no agent names it".to_owned(),
        }
    }
}

/// The causes of an item that are lines of yours.
pub fn lines_of(selection: &Selection, item: ItemId) -> Vec<EntryId> {
    let lines = selection.causes(item).filter_map(|cause| match cause {
        Cause::Line(entry) => Some(entry),
        _ => None,
    });
    lines.collect()
}

impl Graph {
    /// The names of a line's filter that hit nothing in its package.
    pub fn idle_names(&self, entry: EntryId) -> Vec<Name> {
        let line = &self.entry(entry).line;
        line.target.map_or_else(Vec::new, |package| self.idle_names_of(package, &line.filter))
    }

    /// The names of a filter that hit nothing in a package.
    pub fn idle_names_of(&self, package: PackageId, filter: &Filter) -> Vec<Name> {
        let items = || self.items_of(package).map(|item| self.item(item));
        let idle = |names: &[Name], met: &HashSet<&str>| -> Vec<Name> {
            names.iter().filter(|name| !met.contains(&***name)).cloned().collect()
        };
        match filter {
            Filter::Include { agents, skills } => {
                let of = |kind| items().filter(|item| item.kind == kind).map(|item| &*item.slug).collect();
                let mut names = idle(agents, &of(Kind::Agent));
                names.extend(idle(skills, &of(Kind::Skill)));
                names
            }
            Filter::Exclude(names) => idle(names, &items().flat_map(|item| [&*item.slug, &*item.path]).collect()),
            Filter::All | Filter::OnlySkills | Filter::OnlyAgents => Vec::new(),
        }
    }
}
