//! Which skill each ref means: the requester's own package first, then its dependencies breadth first, then the
//! remaining packages in registry order. Filters have no say in it.

use super::graph::{Graph, ItemId, PackageId, RefId, Ships, Slug};
use super::select::NONE;

/// The skill of every ref of the reached packages.
///
/// A ref is settled at once when its own package ships the skill, or when only one package does. The others
/// are settled together, slug by slug: one search backward from all suppliers of a slug answers every package that
/// names it.
pub(super) fn suppliers(graph: &Graph, order: &[PackageId], position: &[u32]) -> Vec<Option<ItemId>> {
    let references = &graph.packages.references;
    let mut suppliers = vec![None; references.len()];
    let mut open: Vec<(Slug, RefId)> = Vec::new();
    let is_reached = |package: PackageId| position[package.index()] != NONE;
    for &package in order {
        for at in graph.package_refs(package) {
            let reference = &references[at as usize];
            match reference.ships {
                Ships::Nobody => {}
                Ships::Own(skill) => suppliers[at as usize] = Some(skill),
                Ships::One(skill, of) => suppliers[at as usize] = Some(skill).filter(|_| is_reached(of)),
                Ships::Many => open.push((reference.slug, RefId(at))),
            }
        }
    }
    if open.is_empty() {
        return suppliers;
    }
    open.sort_unstable();
    let mut search = Search::new(graph, order);
    for group in open.chunk_by(|a, b| a.0 == b.0) {
        let skills = graph.candidates(group[0].0).iter().copied();
        let skills: Vec<ItemId> = skills.filter(|&skill| is_reached(graph.core(skill).package)).collect();
        search.from(&skills);
        let first = skills.iter().copied().min_by_key(|skill| position[graph.core(*skill).package.index()]);
        for &(_, reference) in group {
            let package = graph.core(graph.referrer(reference)).package;
            suppliers[reference.index()] = search.nearest(package).or(first);
        }
    }
    suppliers
}

/// For the suppliers of one slug: the one each package meets first, going breadth first over its lines.
///
/// Breadth first means: nearest first, and among equally near ones the one on the path whose lines come first. So a
/// package meets what its first line that leads one step nearer meets.
struct Search<'a> {
    graph: &'a Graph,
    /// Who leads to each package: where its list begins in `sources`; one more at the end.
    starts: Vec<u32>,
    sources: Vec<PackageId>,
    distance: Vec<u32>,
    meets: Vec<Option<ItemId>>,
    touched: Vec<PackageId>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph, order: &[PackageId]) -> Search<'a> {
        let count = graph.package_count();
        let mut starts = vec![0_u32; count + 1];
        for &package in order {
            graph.targets(package).for_each(|target| starts[target.index() + 1] += 1);
        }
        for at in 1..=count {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut sources = vec![PackageId::ROOT; starts[count] as usize];
        for &package in order {
            for target in graph.targets(package) {
                sources[next[target.index()] as usize] = package;
                next[target.index()] += 1;
            }
        }
        Search { graph, starts, sources, distance: vec![NONE; count], meets: vec![None; count], touched: Vec::new() }
    }

    fn from(&mut self, skills: &[ItemId]) {
        for package in self.touched.drain(..) {
            self.distance[package.index()] = NONE;
            self.meets[package.index()] = None;
        }
        for &skill in skills {
            let package = self.graph.core(skill).package;
            if self.distance[package.index()] == NONE {
                self.distance[package.index()] = 0;
                self.meets[package.index()] = Some(skill);
                self.touched.push(package);
            }
        }
        let suppliers = self.touched.len();
        let mut at = 0;
        while let Some(&package) = self.touched.get(at) {
            at += 1;
            let further = self.distance[package.index()] + 1;
            for nth in self.starts[package.index()]..self.starts[package.index() + 1] {
                let source = self.sources[nth as usize];
                if self.distance[source.index()] == NONE {
                    self.distance[source.index()] = further;
                    self.touched.push(source);
                }
            }
        }
        // nearer packages come first in `touched`, so what a line leads to is settled before the line is looked at
        for at in suppliers..self.touched.len() {
            let package = self.touched[at];
            let nearer = self.distance[package.index()] - 1;
            let mut targets = self.graph.targets(package);
            let next = targets.find(|target| self.distance[target.index()] == nearer);
            self.meets[package.index()] = next.and_then(|next| self.meets[next.index()]);
        }
    }

    fn nearest(&self, package: PackageId) -> Option<ItemId> {
        self.meets[package.index()]
    }
}
