//! The laws of the selection, and random graphs answered twice.

#[path = "selection/plain.rs"]
mod plain;
#[path = "selection/random.rs"]
mod random;

use dagwood::selection::model::{PackageView, View};
use dagwood::selection::reasons::{Reasons, Step};
use dagwood::selection::select::Cause;
use dagwood::selection::{Filter, Graph, Kind, PackageId, Requester, Selection, select};
use proptest::prelude::*;
use random::graph;

/// The library's answer in the plain form.
fn told(selection: &Selection) -> plain::Answer {
    let graph = selection.graph();
    let name = |package| graph.name(package).map(ToString::to_string).unwrap_or_default();
    let items = selection.items().iter().map(|&id| {
        let item = graph.item(id);
        let by = selection.requesters(id).map(|requester| match requester {
            Requester::Consumer => plain::By::You,
            Requester::Package(package) => plain::By::Manifest(name(package)),
            Requester::Item(by) => {
                let by = graph.item(by);
                plain::By::Item(name(by.package), by.kind, by.slug.to_string())
            }
        });
        (name(item.package), item.kind, item.slug.to_string(), by.collect())
    });
    let missing = selection.missing().iter().map(|missing| {
        let agent = graph.item(missing.requester);
        (name(agent.package), agent.slug.to_string(), missing.skill.to_string(), missing.hint().is_some())
    });
    plain::Answer {
        items: items.collect(),
        missing: missing.collect(),
        searched: selection.searched().iter().map(ToString::to_string).collect(),
        warnings: selection.duplicates().iter().map(|one| one.message(graph)).collect(),
    }
}

#[test]
fn random_graphs_are_answered_as_by_a_plain_reading() {
    let mut selected = 0;
    let mut missing = 0;
    let mut doubles = 0;
    for seed in 0..4_000 {
        let view = random::seeded(seed);
        let plain = plain::select(&view);
        let library = told(&select(&Graph::new(view)));
        assert_eq!(library, plain, "seed {seed}");
        selected += plain.items.len();
        missing += plain.missing.len();
        doubles += plain.warnings.len();
    }
    assert!(
        selected > 10_000 && missing > 1_000 && doubles > 1_000,
        "they say something: {selected} {missing} {doubles}"
    );
}

/// The selection of a graph whose packages have been given other names: with every name the same again, it is the same.
fn renamed(view: &View, rename: &dyn Fn(&str) -> String) -> View {
    let edges = |package: &PackageView| {
        let mut package = package.clone();
        package.edges.iter_mut().for_each(|edge| edge.name = rename(&edge.name).into());
        package
    };
    let mut requests = view.requests.clone();
    requests.iter_mut().for_each(|request| request.name = rename(&request.name).into());
    View {
        requests,
        root: view.root.as_ref().map(edges),
        packages: view.packages.iter().map(|(name, package)| (rename(name).into(), edges(package))).collect(),
    }
}

proptest! {
    #[test]
    fn every_selected_item_has_a_requester_and_a_chain(view in graph()) {
        let selection = select(&Graph::new(view));
        let reasons = Reasons::new(&selection);
        for &item in selection.items() {
            prop_assert!(selection.requesters(item).next().is_some());
            let why = reasons.why(item, 1_000);
            prop_assert!(!why.chains.is_empty() && (why.count.more || why.count.number >= why.chains.len() as u64));
            if why.chains.len() < 1_000 {
                prop_assert_eq!(why.chains.len() as u64, why.count.number, "all chains are counted, none twice");
            }
            let lengths: Vec<usize> = why.chains.iter().map(|chain| chain.steps.len()).collect();
            prop_assert!(lengths.is_sorted(), "the shortest first");
            for chain in &why.chains {
                prop_assert!(matches!(chain.steps[0], Step::Own | Step::Line(_)));
                let ends = match chain.steps.last().unwrap() {
                    Step::Item(last) => *last == item,
                    Step::Cycle { items, .. } => items.contains(&item),
                    _ => false,
                };
                prop_assert!(ends);
            }
        }
    }

    #[test]
    fn every_absent_item_has_a_reason(view in graph()) {
        let selection = select(&Graph::new(view));
        let reasons = Reasons::new(&selection);
        for (id, _) in selection.graph().items() {
            prop_assert_eq!(reasons.why_not(id).is_empty(), selection.is_selected(id));
        }
    }

    #[test]
    fn the_order_of_the_packages_means_nothing(view in graph()) {
        // other names give the map another order; the answers differ by the names alone
        let turned = |name: &str| -> String { name.chars().map(|c| if c.is_ascii_lowercase() { (b'a' + b'z' - c as u8) as char } else { c }).collect() };
        let straight = told(&select(&Graph::new(view.clone())));
        let other = told(&select(&Graph::new(renamed(&view, &turned))));
        let back = |(package, kind, slug, by): (String, Kind, String, Vec<plain::By>)| {
            let by: Vec<plain::By> = by.into_iter().map(|by| match by {
                plain::By::You => plain::By::You,
                plain::By::Manifest(package) => plain::By::Manifest(turned(&package)),
                plain::By::Item(package, kind, slug) => plain::By::Item(turned(&package), kind, slug),
            }).collect();
            (turned(&package), kind, slug, by)
        };
        prop_assert_eq!(straight.items, other.items.into_iter().map(back).collect::<Vec<_>>());
    }

    #[test]
    fn what_you_exclude_is_never_selected(view in graph()) {
        let selection = select(&Graph::new(view));
        let graph = selection.graph();
        for (_, entry) in graph.entries() {
            let (Filter::Exclude(names), Some(package)) = (&entry.line.filter, entry.line.target) else { continue };
            for id in graph.items_of(package) {
                let item = graph.item(id);
                prop_assert!(!selection.is_selected(id) || !names.iter().any(|name| *name == item.slug || *name == item.path));
            }
        }
    }

    #[test]
    fn the_root_is_selected_whole(view in graph()) {
        let selection = select(&Graph::new(view));
        for item in selection.graph().items_of(PackageId::ROOT) {
            prop_assert!(selection.is_selected(item));
            prop_assert_eq!(selection.causes(item)[0], Cause::Own);
        }
    }

    #[test]
    fn one_line_more_without_a_filter_takes_nothing_away(view in graph(), which in 0_usize..6) {
        let before = select(&Graph::new(view.clone()));
        let mut more = view;
        let name = more.packages.keys().nth(which % more.packages.len()).cloned().unwrap();
        more.requests.push(dagwood::selection::model::Request::new(name, Filter::All));
        let after = select(&Graph::new(more));
        for &id in before.items() {
            let item = before.graph().item(id);
            // reach may grow, and with it the supplier of a ref; what is asked for by lines and manifests stays
            let seeded = before.causes(id).iter().any(|cause| !matches!(cause, Cause::Ref(_)));
            prop_assert!(!seeded || after.is_selected(after.graph().find_item(item.package, item.kind, &item.slug).unwrap()));
        }
    }
}
