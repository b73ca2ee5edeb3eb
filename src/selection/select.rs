//! The selection: which items a graph gives you, who asked for each, and what is missing. A pure function over a
//! [`Graph`], in time proportional to its size.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, OnceLock};

use super::graph::{Entry, EntryId, Graph, ItemId, PackageId, RefId, Role, Step};
use super::model::{Filter, Kind, Name};
use super::supply;

/// Who asked for an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Requester {
    /// You: a line of yours, your own package, or a ref of one of its agents.
    Consumer,
    /// The manifest of a package.
    Package(PackageId),
    /// A definition that names it, nearly always an agent.
    Item(ItemId),
}

/// Why an item is selected: what a [`Requester`] is made of. An item may have many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// It belongs to your own package.
    Own,
    /// A line of yours takes it.
    Line(EntryId),
    /// The manifest of an opened package asks for its whole package.
    Manifest(PackageId),
    /// A selected definition names it, or (of a document) names the first skill that landed in its package.
    Ref(ItemId),
}

/// A ref that no reached package ships.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The skill named.
    pub skill: Name,
    /// The selected definition that names it.
    pub requester: ItemId,
    /// The ref itself.
    pub reference: RefId,
}

impl Missing {
    /// What to do when the name has the shape of a provider's.
    pub fn hint(&self) -> Option<String> {
        provider(&self.skill).map(|provider| {
            format!(
                "if `{provider}` is a host that supplies this skill, list it in `[package] uses-providers`; otherwise \
                 check the name"
            )
        })
    }
}

/// A ref of a selected definition that ends without an item, and not by mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The definition.
    pub requester: ItemId,
    /// The ref.
    pub reference: RefId,
    /// How it ends.
    pub how: End,
}

/// How a ref ends without an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The first supplier's skill is excluded by you.
    Excluded(ItemId),
    /// It is left to a host that the requester's package declares.
    LeftToProvider,
}

/// One slug selected from several packages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// Agent or skill.
    pub kind: Kind,
    /// The slug.
    pub slug: Name,
    /// The items, in result order.
    pub items: Vec<ItemId>,
}

impl Duplicate {
    /// The warning's text.
    pub fn message(&self, graph: &Graph) -> String {
        let packages: Vec<&str> = self.items.iter().map(|&item| graph.spoken(graph.item(item).package)).collect();
        format!("{} `{}` is installed from {}", self.kind, self.slug, packages.join(", "))
    }
}

/// What is selected, and everything known about why.
#[derive(Clone, Debug)]
pub struct Selection {
    graph: Graph,
    order: Vec<PackageId>,
    /// Each package's place in the registry order; `NONE` when it is not reached.
    position: Vec<u32>,
    opened: Vec<bool>,
    blocked: Vec<bool>,
    selected: Vec<ItemId>,
    taken: Vec<bool>,
    /// The packages whose manifests ask for each package whole.
    manifests: Grouped<PackageId>,
    /// All other causes of each item.
    causes: Grouped<Cause>,
    suppliers: Vec<Option<ItemId>>,
    missing: Vec<Missing>,
    ended: Vec<Ended>,
    duplicates: Vec<Duplicate>,
    searched: OnceLock<Arc<[Name]>>,
}

pub(super) const NONE: u32 = u32::MAX;

impl Selection {
    /// The graph it was computed from.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The reached packages in registry order, the root first when there is one.
    pub fn order(&self) -> &[PackageId] {
        &self.order
    }

    /// Whether a package is reached by your lines, whatever their filters.
    pub fn is_reached(&self, package: PackageId) -> bool {
        self.position[package.index()] != NONE
    }

    /// Whether a package's own unfiltered dependencies are taken.
    pub fn is_opened(&self, package: PackageId) -> bool {
        self.opened[package.index()]
    }

    /// The selected items, in result order.
    pub fn items(&self) -> &[ItemId] {
        &self.selected
    }

    /// Whether an item is selected.
    pub fn is_selected(&self, item: ItemId) -> bool {
        self.taken[item.index()]
    }

    /// Whether an item is kept out by an exclude of yours.
    pub fn is_excluded(&self, item: ItemId) -> bool {
        self.blocked[item.index()]
    }

    /// Why an item is selected, in the order in which it was asked for; empty when it is not.
    pub fn causes(&self, item: ItemId) -> impl Iterator<Item = Cause> + '_ {
        let (seeded, manifests, refs) = self.cause_lists(item);
        let manifests = manifests.iter().map(|&package| Cause::Manifest(package));
        seeded.iter().copied().chain(manifests).chain(refs.iter().copied())
    }

    /// One of the [causes](Selection::causes) by its place among them, without counting through the others.
    pub(super) fn cause(&self, item: ItemId, nth: usize) -> Option<Cause> {
        let (seeded, manifests, refs) = self.cause_lists(item);
        let after = nth.checked_sub(seeded.len());
        let Some(after) = after else { return Some(seeded[nth]) };
        manifests
            .get(after)
            .map(|&package| Cause::Manifest(package))
            .or_else(|| refs.get(after - manifests.len()).copied())
    }

    /// What asked for an item in the order in which it did: you, manifests, definitions.
    fn cause_lists(&self, item: ItemId) -> (&[Cause], &[PackageId], &[Cause]) {
        if !self.is_selected(item) {
            return (&[], &[], &[]);
        }
        let causes = self.causes.of(item.index());
        let (seeded, refs) = causes.split_at(causes.partition_point(|cause| !matches!(cause, Cause::Ref(_))));
        (seeded, self.manifests.of(self.graph.core(item).package.index()), refs)
    }

    /// Who asked for an item, without repeats, in the order in which they did; nobody when it is not selected.
    pub fn requesters(&self, item: ItemId) -> impl Iterator<Item = Requester> + '_ {
        let mut by_you = false;
        self.causes(item).filter_map(move |cause| {
            let requester = match cause {
                Cause::Manifest(package) => Requester::Package(package),
                Cause::Ref(by) if self.graph.item(by).package != PackageId::ROOT => Requester::Item(by),
                Cause::Own | Cause::Line(_) | Cause::Ref(_) => Requester::Consumer,
            };
            // all others ask once each
            let repeat = requester == Requester::Consumer && std::mem::replace(&mut by_you, true);
            (!repeat).then_some(requester)
        })
    }

    /// The skill a ref means, selected or not; none when nothing reached ships it or its package is not reached.
    pub fn supplier(&self, reference: RefId) -> Option<ItemId> {
        self.suppliers[reference.index()]
    }

    /// The missing skills, one for each ref as met.
    pub fn missing(&self) -> &[Missing] {
        &self.missing
    }

    /// The refs dropped by an exclude or left to a provider, as met.
    pub fn ended(&self) -> &[Ended] {
        &self.ended
    }

    /// The slugs selected from several packages, in order of first appearance.
    pub fn duplicates(&self) -> &[Duplicate] {
        &self.duplicates
    }

    /// The names of the reached packages, sorted, without the root: where a missing skill was looked for. One list for
    /// all of them.
    pub fn searched(&self) -> &Arc<[Name]> {
        self.searched.get_or_init(|| {
            self.graph
                .packages()
                .filter(|&package| self.is_reached(package))
                .filter_map(|package| self.graph.name(package).cloned())
                .collect()
        })
    }
}

/// Selects.
pub fn select(graph: &Graph) -> Selection {
    let (order, position) = reach(graph);
    let blocked = blocked(graph);
    let suppliers = supply::suppliers(graph, &order, &position);
    let mut run = Run {
        graph,
        blocked,
        suppliers,
        log: Vec::new(),
        manifests: Vec::new(),
        taken: vec![false; graph.item_count()],
        last: vec![NONE; graph.item_count()],
        queue: VecDeque::with_capacity(graph.item_count()),
        opened: vec![false; graph.package_count()],
        whole: vec![NONE; graph.package_count()],
        landed: vec![false; graph.package_count()],
        missing: Vec::new(),
        ended: Vec::new(),
    };
    run.seed();
    run.close();
    let selected: Vec<ItemId> =
        order.iter().flat_map(|&package| graph.items_of(package)).filter(|item| run.taken[item.index()]).collect();
    let duplicates = duplicates(graph, &selected);
    Selection {
        graph: graph.clone(),
        order,
        position,
        opened: run.opened,
        blocked: run.blocked,
        selected,
        taken: run.taken,
        manifests: Grouped::new(graph.package_count(), PackageId::ROOT, &run.manifests),
        causes: Grouped::new(graph.item_count(), Cause::Own, &run.log),
        suppliers: run.suppliers,
        missing: run.missing,
        ended: run.ended,
        duplicates,
        searched: OnceLock::new(),
    }
}

/// The registry order: depth first, a package before its edges, and each package's place in it.
fn reach(graph: &Graph) -> (Vec<PackageId>, Vec<u32>) {
    let mut order = Vec::new();
    let mut position = vec![NONE; graph.package_count()];
    let requests = graph.entries().filter(|(_, entry)| entry.role == Role::Request);
    let mut stack: Vec<PackageId> = requests.filter_map(|(_, entry)| entry.line.target).collect();
    stack.reverse();
    stack.extend(graph.has_root().then_some(PackageId::ROOT));
    while let Some(package) = stack.pop() {
        if position[package.index()] != NONE {
            continue;
        }
        position[package.index()] = u32::try_from(order.len()).unwrap_or(NONE);
        order.push(package);
        let from = stack.len();
        stack.extend(graph.targets(package).filter(|target| position[target.index()] == NONE));
        stack[from..].reverse();
    }
    (order, position)
}

/// The items your excludes keep out.
fn blocked(graph: &Graph) -> Vec<bool> {
    let mut blocked = vec![false; graph.item_count()];
    for (_, entry) in graph.entries() {
        if let (Filter::Exclude(_), Some(package)) = (&entry.line.filter, entry.line.target) {
            let taken = Taken::by(&entry.line.filter);
            for item in graph.items_of(package) {
                blocked[item.index()] |= !taken.takes(graph, item);
            }
        }
    }
    blocked
}

/// A filter, ready to be asked about many items.
pub(super) struct Taken<'a> {
    filter: &'a Filter,
    agents: HashSet<&'a str>,
    others: HashSet<&'a str>,
}

impl<'a> Taken<'a> {
    pub fn by(filter: &'a Filter) -> Taken<'a> {
        let set = |names: &'a [Name]| names.iter().map(|name| &**name).collect();
        let (agents, others) = match filter {
            Filter::Include { agents, skills } => (set(agents), set(skills)),
            Filter::Exclude(names) => (HashSet::new(), set(names)),
            Filter::All | Filter::OnlySkills | Filter::OnlyAgents => Default::default(),
        };
        Taken { filter, agents, others }
    }

    /// Whether the filter takes an item of the package it is written for.
    pub fn takes(&self, graph: &Graph, item: ItemId) -> bool {
        if self.filter.opens() {
            return true;
        }
        let item = graph.item(item);
        match (self.filter, item.kind) {
            (Filter::All, _)
            | (Filter::Include { .. }, Kind::BootstrapDoc)
            | (Filter::OnlySkills, Kind::Skill)
            | (Filter::OnlyAgents, Kind::Agent) => true,
            (Filter::Include { .. }, Kind::Agent) => self.agents.contains(&*item.slug),
            (Filter::Include { .. }, Kind::Skill) => self.others.contains(&*item.slug),
            (Filter::Exclude(_), _) => !self.others.contains(&*item.slug) && !self.others.contains(&*item.path),
            (Filter::Include { .. } | Filter::OnlySkills | Filter::OnlyAgents, _) => false,
        }
    }
}

impl Graph {
    /// The lines of yours that name a package.
    pub fn entries_on(&self, package: PackageId) -> impl Iterator<Item = (EntryId, &Entry)> {
        self.entries().filter(move |(_, entry)| entry.line.target == Some(package))
    }

    /// Whether a line of yours takes an item of its package, excludes of other lines left aside.
    pub fn takes(&self, entry: EntryId, item: ItemId) -> bool {
        let line = &self.entry(entry).line;
        line.target == Some(self.item(item).package) && Taken::by(&line.filter).takes(self, item)
    }
}

/// A selection being computed.
struct Run<'a> {
    graph: &'a Graph,
    blocked: Vec<bool>,
    suppliers: Vec<Option<ItemId>>,
    /// Every cause as it came but for manifests, by item; repeats left out.
    log: Vec<(usize, Cause)>,
    /// Each package that a manifest asks for whole, and the manifest's, as they came. They are not kept an item: a
    /// popular package would cost as much as it has items times those who ask for it.
    manifests: Vec<(usize, PackageId)>,
    taken: Vec<bool>,
    /// The definition that named each item last: a definition names in one go, so a repeat is the last one.
    last: Vec<u32>,
    queue: VecDeque<ItemId>,
    opened: Vec<bool>,
    /// The package whose manifest asked for each package whole last.
    whole: Vec<u32>,
    landed: Vec<bool>,
    missing: Vec<Missing>,
    ended: Vec<Ended>,
}

impl Run<'_> {
    fn take(&mut self, item: ItemId) {
        if !std::mem::replace(&mut self.taken[item.index()], true) {
            self.queue.push_back(item);
        }
    }

    fn ask(&mut self, item: ItemId, cause: Cause) {
        if !self.blocked[item.index()] {
            self.take(item);
            self.log.push((item.index(), cause));
        }
    }

    fn refer(&mut self, item: ItemId, by: ItemId) {
        if std::mem::replace(&mut self.last[item.index()], by.0) != by.0 {
            self.ask(item, Cause::Ref(by));
        }
    }

    /// A manifest asks for a whole package: its items are taken the first time, who asks is noted every time.
    fn ask_whole(&mut self, package: PackageId, by: PackageId) {
        let last = std::mem::replace(&mut self.whole[package.index()], by.0);
        if last == by.0 {
            return;
        }
        for item in self.graph.items_of(package).filter(|_| last == NONE) {
            if !self.blocked[item.index()] {
                self.take(item);
            }
        }
        self.manifests.push((package.index(), by));
    }

    /// The root whole, then your lines, then the lines of every opened package, breadth first.
    fn seed(&mut self) {
        let graph = self.graph;
        let mut walk = VecDeque::new();
        if graph.has_root() {
            graph.items_of(PackageId::ROOT).for_each(|item| self.ask(item, Cause::Own));
            // its lines are yours, and are seeded as such
            self.opened[PackageId::ROOT.index()] = true;
        }
        for (id, entry) in graph.entries() {
            let Some(package) = entry.line.target else { continue };
            let taken = Taken::by(&entry.line.filter);
            for item in graph.items_of(package) {
                if taken.takes(graph, item) {
                    self.ask(item, Cause::Line(id));
                }
            }
            if entry.line.filter.opens() && !std::mem::replace(&mut self.opened[package.index()], true) {
                walk.push_back(package);
            }
        }
        while let Some(package) = walk.pop_front() {
            for &Step { target, .. } in graph.steps(package).iter().filter(|step| step.opens) {
                self.ask_whole(target, package);
                if !std::mem::replace(&mut self.opened[target.index()], true) {
                    walk.push_back(target);
                }
            }
        }
    }

    /// Follows the refs of what is selected, first in, first out.
    fn close(&mut self) {
        let graph = self.graph;
        while let Some(requester) = self.queue.pop_front() {
            let package = graph.core(requester).package;
            for reference in graph.ref_range(requester).map(RefId) {
                match self.suppliers[reference.index()] {
                    Some(skill) if self.blocked[skill.index()] => {
                        self.ended.push(Ended { requester, reference, how: End::Excluded(skill) });
                    }
                    Some(skill) => {
                        self.refer(skill, requester);
                        self.land(graph.core(skill).package, requester);
                    }
                    None if is_left_to_provider(graph, package, graph.ref_name(reference)) => {
                        self.ended.push(Ended { requester, reference, how: End::LeftToProvider });
                    }
                    None => {
                        let skill = graph.ref_name(reference).clone();
                        self.missing.push(Missing { skill, requester, reference });
                    }
                }
            }
        }
    }

    /// The first ref that lands in a package brings its documents.
    fn land(&mut self, package: PackageId, by: ItemId) {
        if std::mem::replace(&mut self.landed[package.index()], true) {
            return;
        }
        for item in self.graph.items_of(package) {
            if self.graph.core(item).kind == Kind::BootstrapDoc {
                self.refer(item, by);
            }
        }
    }
}

/// Lists of several owners in one, each in the order in which it came.
#[derive(Clone, Debug)]
struct Grouped<T> {
    /// Where the list of each owner begins; one more at the end.
    starts: Vec<u32>,
    all: Vec<T>,
}

impl<T: Copy> Grouped<T> {
    fn new(owners: usize, any: T, log: &[(usize, T)]) -> Grouped<T> {
        let mut starts = vec![0_u32; owners + 1];
        for (owner, _) in log {
            starts[owner + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut all = vec![any; log.len()];
        for (owner, one) in log {
            all[next[*owner] as usize] = *one;
            next[*owner] += 1;
        }
        Grouped { starts, all }
    }

    fn of(&self, owner: usize) -> &[T] {
        &self.all[self.starts[owner] as usize..self.starts[owner + 1] as usize]
    }
}

fn duplicates(graph: &Graph, selected: &[ItemId]) -> Vec<Duplicate> {
    let mut groups: Vec<Duplicate> = Vec::new();
    // the first item of each kind and slug, and its group once there is a second
    let mut first: [Vec<u32>; 2] = [vec![NONE; graph.slug_count()], vec![NONE; graph.slug_count()]];
    let mut group: [Vec<u32>; 2] = first.clone();
    let mut leaders: Vec<(u32, u32)> = Vec::new();
    for (nth, &id) in (0_u32..).zip(selected) {
        let core = graph.core(id);
        let by_kind = match core.kind {
            Kind::Agent => 0,
            Kind::Skill => 1,
            _ => continue,
        };
        let slug = core.slug.0 as usize;
        let leader = first[by_kind][slug];
        if leader == NONE {
            first[by_kind][slug] = nth;
        } else if group[by_kind][slug] == NONE {
            let number = u32::try_from(groups.len()).unwrap_or(NONE);
            group[by_kind][slug] = number;
            leaders.push((leader, number));
            let items = vec![selected[leader as usize], id];
            groups.push(Duplicate { kind: core.kind, slug: graph.item(id).slug.clone(), items });
        } else {
            groups[group[by_kind][slug] as usize].items.push(id);
        }
    }
    leaders.sort_unstable();
    leaders.into_iter().map(|(_, number)| groups[number as usize].clone()).collect()
}

/// The host a skill's name points to, when it has the shape `<skill>__<provider>`.
///
/// ```
/// use dagwood::selection::select::provider;
/// assert_eq!(provider("a__b__c"), Some("c"));
/// assert_eq!(provider("__meridian"), None);
/// assert_eq!(provider("x__Meridian"), None);
/// ```
pub fn provider(name: &str) -> Option<&str> {
    let (before, host) = name.rsplit_once("__")?;
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let first = host.bytes().next()?;
    let shaped = !before.is_empty() && plain(first) && host.bytes().all(|byte| plain(byte) || byte == b'-');
    shaped.then_some(host)
}

/// Whether a skill that nobody ships is left to a host that the package declares.
pub(super) fn is_left_to_provider(graph: &Graph, package: PackageId, skill: &str) -> bool {
    provider(skill).is_some_and(|host| graph.providers(package).iter().any(|declared| &**declared == host))
}
