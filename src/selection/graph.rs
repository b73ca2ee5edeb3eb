//! The package graph, compiled: names resolved to ids, slugs interned, so that a selection is a walk over arrays. The
//! packages are shared; only your lines (the [`Entry`] list) differ between a graph and a what-if of it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::model::{Filter, Kind, Name, PackageView, Place, Request, View};

/// A package of a graph. [`PackageId::ROOT`] is the project's own; the others are in the order of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageId(pub(super) u32);

impl PackageId {
    /// The project's own package; it exists in every graph, empty when the project has none.
    pub const ROOT: PackageId = PackageId(0);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An item of a graph. Ids of one package are consecutive, in the order given: definitions, then extra items.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ItemId(pub(super) u32);

impl ItemId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// One of your lines: a root edge or a request. Root edges come first, as they are seeded first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub(super) u32);

impl EntryId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A ref of a definition: its position among all refs of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RefId(pub(super) u32);

impl RefId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An interned slug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Slug(pub u32);

/// An item of a package.
#[derive(Clone, Debug)]
pub struct Item {
    /// The package it belongs to.
    pub package: PackageId,
    /// What it is.
    pub kind: Kind,
    /// Its slug.
    pub slug: Name,
    /// The path filters and results know it by.
    pub path: Name,
}

/// What a selection looks at of every item, apart and small: a big graph is bound by what it has to fetch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Core {
    pub package: PackageId,
    pub slug: Slug,
    pub kind: Kind,
    /// Where its refs begin; they end where those of the next item do.
    first_ref: u32,
}

/// A ref: the name of a skill in a definition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub slug: Slug,
    pub ships: Ships,
}

/// Who ships the skill a ref names, as far as your lines have no say in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ships {
    /// No package.
    Nobody,
    /// The package of the definition itself.
    Own(ItemId),
    /// One other package, if it is reached.
    One(ItemId, PackageId),
    /// Several others.
    Many,
}

/// A line that leads to a package: one of a package's manifest.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The key it names.
    pub name: Name,
    /// The package of that name, when there is one.
    pub target: Option<PackageId>,
    /// What it takes.
    pub filter: Filter,
    /// Where it is written.
    pub place: Option<Place>,
    /// Where its filter is written.
    pub filter_place: Option<Place>,
}

/// Whether a line of yours belongs to your package or is asked for beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An edge of the project's own package.
    RootEdge,
    /// A request.
    Request,
}

/// An [`Edge`] that leads to a package, as walks see it: apart and small, as [`Core`] is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub target: PackageId,
    /// Whether the target's own dependencies are taken by it.
    pub opens: bool,
}

/// A line of yours.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Which of the two it is.
    pub role: Role,
    /// The line itself.
    pub line: Edge,
}

/// A package graph, ready to be selected from. Cloning is cheap: the packages are shared.
#[derive(Clone, Debug)]
pub struct Graph {
    pub(super) packages: Arc<Packages>,
    entries: Vec<Entry>,
}

/// All that does not depend on your lines.
#[derive(Debug)]
pub(super) struct Packages {
    names: Vec<Name>,
    /// Whether the project has a package of its own.
    has_root: bool,
    by_name: HashMap<Name, PackageId>,
    items: Vec<Item>,
    /// The cores of the items; one more at the end.
    cores: Vec<Core>,
    /// Where each package's items begin; one more at the end.
    starts: Vec<u32>,
    edges: Vec<Vec<Edge>>,
    /// What a walk looks at of the edges that lead somewhere, by package.
    steps: Vec<Step>,
    /// Where each package's steps begin; one more at the end.
    first_steps: Vec<u32>,
    providers: Vec<Vec<Name>>,
    pub references: Vec<Reference>,
    /// The definition each ref belongs to.
    pub referrers: Vec<ItemId>,
    slugs: Vec<Name>,
    by_slug: HashMap<Name, Slug>,
    /// The skills of each slug, in the order of their packages' names.
    candidates: Vec<Vec<ItemId>>,
}

impl Graph {
    /// Compiles a view.
    ///
    /// ```
    /// use dagwood::selection::{boundary, graph::Graph, select::select};
    /// let view = boundary::parse(r#"{"requests": [], "root": null, "packages": {}}"#)?;
    /// assert!(select(&Graph::new(view)).items().is_empty());
    /// # Ok::<(), boundary::Error>(())
    /// ```
    pub fn new(view: View) -> Graph {
        let has_root = view.root.is_some();
        let root = view.root.unwrap_or_default();
        let mut names = vec![Name::from("")];
        names.extend(view.packages.keys().cloned());
        let by_name: HashMap<Name, PackageId> =
            names.iter().cloned().zip((0..).map(PackageId)).skip(usize::from(!has_root)).collect();
        let find = |line: Request| Edge {
            target: by_name.get(&line.name).copied(),
            name: line.name,
            filter: line.filter,
            place: line.place,
            filter_place: line.filter_place,
        };
        let mut builder = Builder::default();
        let mut entries = Vec::new();
        for (package, view) in (0..).map(PackageId).zip(std::iter::once(root).chain(view.packages.into_values())) {
            let edges: Vec<Edge> = builder.add(package, view).into_iter().map(find).collect();
            if package == PackageId::ROOT {
                // the root's edges are yours, and kept with your lines alone
                entries.extend(edges.into_iter().map(|line| Entry { role: Role::RootEdge, line }));
                builder.edges.push(Vec::new());
            } else {
                builder.edges.push(edges);
            }
        }
        entries.extend(view.requests.into_iter().map(|line| Entry { role: Role::Request, line: find(line) }));
        Graph { packages: Arc::new(builder.finish(names, by_name, has_root)), entries }
    }

    /// The same packages under other lines of yours.
    #[must_use]
    pub(super) fn with_entries(&self, entries: Vec<Entry>) -> Graph {
        Graph { packages: Arc::clone(&self.packages), entries }
    }

    /// The graph as those who consume your package see it: without your requests.
    #[must_use]
    pub fn without_requests(&self) -> Graph {
        self.with_entries(self.entries.iter().filter(|entry| entry.role == Role::RootEdge).cloned().collect())
    }

    /// All packages, the root first when there is one, the others by name.
    pub fn packages(&self) -> impl Iterator<Item = PackageId> + use<> {
        let count = u32::try_from(self.packages.names.len()).unwrap_or(u32::MAX);
        (u32::from(!self.packages.has_root)..count).map(PackageId)
    }

    /// How many packages there are, the root's place counted.
    pub(super) fn package_count(&self) -> usize {
        self.packages.names.len()
    }

    /// Whether the project has a package of its own.
    pub fn has_root(&self) -> bool {
        self.packages.has_root
    }

    /// The name of a package; none for the root.
    pub fn name(&self, package: PackageId) -> Option<&Name> {
        self.packages.names.get(package.index()).filter(|_| package != PackageId::ROOT)
    }

    /// The package of a name.
    pub fn find(&self, name: &str) -> Option<PackageId> {
        self.packages.by_name.get(name).copied()
    }

    /// All items, by package.
    pub fn items(&self) -> impl Iterator<Item = (ItemId, &Item)> {
        (0..).map(ItemId).zip(&self.packages.items)
    }

    /// How many items there are.
    pub fn item_count(&self) -> usize {
        self.packages.items.len()
    }

    /// The items of a package, in order.
    pub fn items_of(&self, package: PackageId) -> impl Iterator<Item = ItemId> + use<> {
        self.item_range(package).map(ItemId)
    }

    pub(super) fn item_range(&self, package: PackageId) -> Range<u32> {
        let starts = &self.packages.starts;
        starts[package.index()]..starts[package.index() + 1]
    }

    /// An item.
    pub fn item(&self, item: ItemId) -> &Item {
        &self.packages.items[item.index()]
    }

    pub(super) fn core(&self, item: ItemId) -> Core {
        self.packages.cores[item.index()]
    }

    /// The refs of all items of a package, by position.
    pub(super) fn package_refs(&self, package: PackageId) -> Range<u32> {
        let items = self.item_range(package);
        let at = |item: u32| self.packages.cores[item as usize].first_ref;
        at(items.start)..at(items.end)
    }

    /// The refs of an item, by position.
    pub(super) fn ref_range(&self, item: ItemId) -> Range<u32> {
        let cores = &self.packages.cores;
        cores[item.index()].first_ref..cores[item.index() + 1].first_ref
    }

    /// The item of a kind and slug in a package.
    pub fn find_item(&self, package: PackageId, kind: Kind, slug: &str) -> Option<ItemId> {
        self.items_of(package).find(|&item| {
            let item = self.item(item);
            item.kind == kind && &*item.slug == slug
        })
    }

    /// The items of a slug, of every kind and package, by package.
    pub fn with_slug(&self, slug: &str) -> Vec<ItemId> {
        let Some(&slug) = self.packages.by_slug.get(slug) else { return Vec::new() };
        self.items().map(|(id, _)| id).filter(|&id| self.core(id).slug == slug).collect()
    }

    /// The skills a definition names, in order, repeats kept.
    pub fn refs(&self, item: ItemId) -> impl Iterator<Item = (RefId, &Name)> {
        self.ref_range(item).map(|at| (RefId(at), self.ref_name(RefId(at))))
    }

    /// The skill a ref names.
    pub fn ref_name(&self, reference: RefId) -> &Name {
        let slug = self.packages.references[reference.index()].slug;
        &self.packages.slugs[slug.0 as usize]
    }

    /// The definition a ref stands in.
    pub fn referrer(&self, reference: RefId) -> ItemId {
        self.packages.referrers[reference.index()]
    }

    /// The skills of an interned slug.
    pub(super) fn candidates(&self, slug: Slug) -> &[ItemId] {
        &self.packages.candidates[slug.0 as usize]
    }

    pub(super) fn slug_count(&self) -> usize {
        self.packages.slugs.len()
    }

    /// The lines of a package's manifest; none for the root, whose lines are yours ([`Graph::entries`]).
    pub fn edges(&self, package: PackageId) -> &[Edge] {
        &self.packages.edges[package.index()]
    }

    /// Where the lines of a package's manifest lead; names that are no package are left out, and so is the root.
    pub(super) fn steps(&self, package: PackageId) -> &[Step] {
        let first = &self.packages.first_steps;
        &self.packages.steps[first[package.index()] as usize..first[package.index() + 1] as usize]
    }

    /// The packages that a package's lines lead to, of the root too; names that are no package are left out.
    pub(super) fn targets(&self, package: PackageId) -> impl Iterator<Item = PackageId> {
        let own = if package == PackageId::ROOT { &self.entries[..] } else { &[] };
        let own = own.iter().filter(|entry| entry.role == Role::RootEdge).filter_map(|entry| entry.line.target);
        own.chain(self.steps(package).iter().map(|step| step.target))
    }

    /// The hosts that may supply skills to a package.
    pub fn providers(&self, package: PackageId) -> &[Name] {
        &self.packages.providers[package.index()]
    }

    /// Your lines: root edges, then requests.
    pub fn entries(&self) -> impl Iterator<Item = (EntryId, &Entry)> {
        (0..).map(EntryId).zip(&self.entries)
    }

    /// A line of yours.
    pub fn entry(&self, entry: EntryId) -> &Entry {
        &self.entries[entry.index()]
    }
}

/// Fills the arrays of [`Packages`].
#[derive(Default)]
struct Builder {
    items: Vec<Item>,
    cores: Vec<Core>,
    starts: Vec<u32>,
    edges: Vec<Vec<Edge>>,
    providers: Vec<Vec<Name>>,
    references: Vec<Reference>,
    referrers: Vec<ItemId>,
    slugs: Vec<Name>,
    by_slug: HashMap<Name, Slug>,
}

impl Builder {
    /// Adds a package's items; gives its lines back.
    fn add(&mut self, package: PackageId, view: PackageView) -> Vec<Request> {
        self.starts.push(count(&self.items));
        self.providers.push(view.uses_providers);
        for definition in view.definitions {
            let path = definition.path();
            let first_ref = count(&self.references);
            for name in definition.skills {
                let slug = self.intern(name);
                self.references.push(Reference { slug, ships: Ships::Nobody });
                self.referrers.push(ItemId(count(&self.items)));
            }
            let slug = self.intern(definition.slug.clone());
            self.cores.push(Core { package, slug, kind: definition.kind, first_ref });
            self.items.push(Item { package, kind: definition.kind, slug: definition.slug, path });
        }
        for extra in view.extra_items {
            let slug = self.intern(extra.slug.clone());
            self.cores.push(Core { package, slug, kind: extra.kind, first_ref: count(&self.references) });
            self.items.push(Item { package, kind: extra.kind, slug: extra.slug, path: extra.path });
        }
        view.edges
    }

    fn intern(&mut self, name: Name) -> Slug {
        if let Some(&slug) = self.by_slug.get(&name) {
            return slug;
        }
        let slug = Slug(count(&self.slugs));
        self.slugs.push(name.clone());
        self.by_slug.insert(name, slug);
        slug
    }

    fn finish(mut self, names: Vec<Name>, by_name: HashMap<Name, PackageId>, has_root: bool) -> Packages {
        self.starts.push(count(&self.items));
        let mut candidates: Vec<Vec<ItemId>> = vec![Vec::new(); self.slugs.len()];
        for (id, core) in (0..).map(ItemId).zip(&self.cores) {
            if core.kind == Kind::Skill {
                candidates[core.slug.0 as usize].push(id);
            }
        }
        for (reference, referrer) in self.references.iter_mut().zip(&self.referrers) {
            let package = self.cores[referrer.index()].package;
            let skills = &candidates[reference.slug.0 as usize];
            let owner = |skill: &ItemId| self.cores[skill.index()].package;
            let at = skills.partition_point(|skill| owner(skill) < package);
            reference.ships = match (skills.get(at).filter(|skill| owner(skill) == package), &skills[..]) {
                (Some(own), _) => Ships::Own(*own),
                (None, []) => Ships::Nobody,
                (None, [one]) => Ships::One(*one, owner(one)),
                (None, _) => Ships::Many,
            };
        }
        let mut steps = Vec::new();
        let mut first_steps = vec![0];
        for edges in &self.edges {
            let step = |edge: &Edge| edge.target.map(|target| Step { target, opens: edge.filter.opens() });
            steps.extend(edges.iter().filter_map(step));
            first_steps.push(count(&steps));
        }
        let (package, slug, first_ref) = (PackageId::ROOT, Slug(0), count(&self.references));
        self.cores.push(Core { package, slug, kind: Kind::Agent, first_ref });
        Packages {
            names,
            has_root,
            by_name,
            items: self.items,
            cores: self.cores,
            starts: self.starts,
            edges: self.edges,
            steps,
            first_steps,
            providers: self.providers,
            references: self.references,
            referrers: self.referrers,
            slugs: self.slugs,
            by_slug: self.by_slug,
            candidates,
        }
    }
}

/// The length of a list as an id; a graph of four thousand million items does not fit a machine.
fn count<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}
