//! The laws of the selection, and random graphs answered twice.

#[path = "selection/plain.rs"]
mod plain;
#[path = "selection/random.rs"]
mod random;

use dagwood::selection::model::{PackageView, Request, View};
use dagwood::selection::reasons::{Reasons, Step};
use dagwood::selection::rewrite::{Change, rewrite};
use dagwood::selection::select::Cause;
use dagwood::selection::what_if::{Try, effect};
use dagwood::selection::{Filter, Graph, Kind, Name, PackageId, Requester, Selection, select};
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
    for request in &mut requests {
        request.name = rename(&request.name).into();
    }
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
            prop_assert_eq!(selection.causes(item).next(), Some(Cause::Own));
        }
    }

    #[test]
    fn one_line_more_without_a_filter_takes_nothing_away(view in graph(), which in 0_usize..6) {
        let before = select(&Graph::new(view.clone()));
        let mut more = view;
        let name = more.packages.keys().nth(which % more.packages.len()).cloned().unwrap();
        more.requests.push(Request::new(name, Filter::All));
        let after = select(&Graph::new(more));
        for &id in before.items() {
            let item = before.graph().item(id);
            // reach may grow, and with it the supplier of a ref; what is asked for by lines and manifests stays
            let seeded = before.causes(id).any(|cause| !matches!(cause, Cause::Ref(_)));
            prop_assert!(!seeded || after.is_selected(after.graph().find_item(item.package, item.kind, &item.slug).unwrap()));
        }
    }
}

/// The same view with your lines changed by hand.
fn changed(view: &View, which: usize, filter: Option<&Filter>) -> Option<(View, Name)> {
    let mut view = view.clone();
    let roots = view.root.as_ref().map_or(0, |root| root.edges.len());
    let count = roots + view.requests.len();
    let at = which.checked_rem(count)?;
    let mut lines: Vec<Request> =
        view.root.iter().flat_map(|root| root.edges.clone()).chain(view.requests.clone()).collect();
    let key = lines[at].name.clone();
    let mut kept = Vec::new();
    for (nth, mut line) in lines.drain(..).enumerate() {
        if line.name == key {
            match filter {
                None => continue,
                Some(filter) => line.filter = filter.clone(),
            }
        }
        kept.push((nth < roots, line));
    }
    if let Some(root) = &mut view.root {
        root.edges = kept.iter().filter(|(root, _)| *root).map(|(_, line)| line.clone()).collect();
    }
    view.requests = kept.into_iter().filter(|(root, _)| !root).map(|(_, line)| line).collect();
    Some((view, key))
}

proptest! {
    #[test]
    fn a_try_gives_what_the_changed_lines_give(view in graph(), which in 0_usize..12, how in 0_usize..5) {
        let filter = [
            None,
            Some(Filter::All),
            Some(Filter::OnlySkills),
            Some(Filter::Exclude(vec!["x".into(), "skills/y".into()])),
            Some(Filter::Include { agents: vec!["y".into()], skills: vec!["x".into(), "z".into()] }),
        ][how].clone();
        if let Some((by_hand, key)) = changed(&view, which, filter.as_ref()) {
            let before = select(&Graph::new(view));
            let tried = match filter {
                None => Try::Drop { key },
                Some(filter) => Try::Filter { key, filter },
            };
            let after = effect(&before, &before.graph().try_out(&[tried]).unwrap());
            prop_assert_eq!(told(&after.after), told(&select(&Graph::new(by_hand))));
            prop_assert!(after.come.iter().all(|&item| !before.is_selected(item) && after.after.is_selected(item)));
            prop_assert!(after.go.iter().all(|&item| before.is_selected(item) && !after.after.is_selected(item)));
            prop_assert_eq!(before.items().len() + after.come.len(), after.after.items().len() + after.go.len());
        }
    }

    #[test]
    fn excluding_and_including_do_what_they_say(view in graph(), which in 0_usize..12, item in 0_usize..60, out in any::<bool>()) {
        let before = select(&Graph::new(view));
        let graph = before.graph();
        let lines: Vec<_> = graph.entries().filter_map(|(id, entry)| Some((id, entry.line.target?))).collect();
        if let Some(&(line, package)) = lines.get(which.checked_rem(lines.len()).unwrap_or(0)) {
            let items: Vec<_> = graph.items_of(package).collect();
            if let Some(&id) = items.get(item.checked_rem(items.len()).unwrap_or(0)) {
                let (key, item) = (graph.entry(line).line.name.clone(), graph.item(id).slug.clone());
                let tried = if out { Try::Exclude { key, item } } else { Try::Include { key, item } };
                if let Ok(after) = graph.try_out(&[tried]) {
                    // documents come with any list, and hooks never
                    let of_lists = matches!(graph.item(id).kind, Kind::Agent | Kind::Skill);
                    prop_assert!(!of_lists || after.takes(line, id) != out);
                }
            }
        }
    }

    #[test]
    fn rewriting_keeps_every_other_line(seed in any::<u64>(), which in 0_usize..6, how in 0_usize..6) {
        let (text, keys) = random::manifest(seed);
        let key: Name = keys[which % keys.len()].clone();
        let change = match how {
            0 => Change::Drop,
            1 => Change::Filter(Filter::All),
            2 => Change::Filter(Filter::OnlyAgents),
            3 => Change::Filter(Filter::Exclude(vec!["a".into(), "new".into()])),
            4 => Change::Filter(Filter::Include { agents: vec![], skills: vec!["b".into(), "new".into()] }),
            _ => Change::Filter(Filter::Include { agents: vec!["a".into(), "b".into(), "c\"".into()], skills: vec!["c".into()] }),
        };
        // that the entry says what was wanted and all others what they said is checked on the way
        let after = rewrite(&text, &[(key, change)]).unwrap();
        let diff = similar::TextDiff::from_lines(&text, &after);
        for change in diff.iter_all_changes() {
            let line = change.value();
            let touched = change.tag() != similar::ChangeTag::Equal;
            let foreign = line.contains("keep") || line.starts_with('#') || line.starts_with("[settings");
            prop_assert!(!touched || !foreign, "{line:?} of\n{text}\nin\n{after}");
        }
        if text.contains("\r\n") {
            prop_assert_eq!(after.matches('\n').count(), after.matches("\r\n").count());
        }
    }
}

/// Pieces of manifests, locks and front matter, in any order: most of it wrong, some of it right.
fn scraps() -> impl Strategy<Value = String> {
    let scrap = prop::sample::select(vec![
        "[dependencies]\n",
        "[dependencies.p]\n",
        "[local-dependencies.p]\n",
        "[package]\n",
        "[[package]]\n",
        "[items.\"skill/s\"]\n",
        "[[items.\"skill/s\".outputs]]\n",
        "[overrides.p]\n",
        "name = \"n\"\n",
        "path = \"p\"\n",
        "path = 3\n",
        "p = { path = \"p\", skills = [\"a\"] }\n",
        "skills = [\"a\", \"b\"]\n",
        "skills = \"a\"\n",
        "exclude = [1, {}]\n",
        "only_skills = true\n",
        "p.path = 'x'\n",
        "p.skills = [\n",
        "]\n",
        "\r\n",
        "kind = \"skill\"\n",
        "version = 3\n",
        "---\n",
        "skills: [a, 1]\n",
        "name: [\n",
        "skills:\n  load: x\n",
        "\u{feff}",
        "\"",
        "é",
        "\0",
        "# c\n",
        "= ",
        "\\",
        "{\"requests\": [",
        "{\"name\": \"p\", \"filter\": ",
        "\"all\"",
        "}",
        "]",
        ":",
        "//",
        "@",
        ".git",
        "__",
        "v1.",
        "^",
    ]);
    prop::collection::vec(scrap, 0..24).prop_map(|scraps| scraps.concat())
}

proptest! {
    #[test]
    fn no_text_is_too_wrong_to_be_read(text in prop_oneof![scraps(), any::<String>()]) {
        use dagwood::selection::{boundary, front_matter, lock, manifest, source, version};
        for owner in [manifest::Owner::Project, manifest::Owner::Package] {
            if let manifest::Read::Own(reading) = manifest::parse(&text, "mars.toml", owner) {
                let lines = text.lines().count().max(1);
                prop_assert!(reading.findings.iter().all(|found| found.line.is_none_or(|line| (1..=lines).contains(&line))));
            }
        }
        let _ = lock::parse(&text, "mars.lock");
        let _ = manifest::overrides(&text, "mars.local.toml");
        let _ = manifest::filter(&text);
        let _ = front_matter::parse(text.as_bytes());
        let _ = boundary::parse(&text);
        let _ = version::allows(&text, &text);
        let name = source::component(&source::canonical(&text));
        prop_assert!(!name.contains(['/', '\\', ':']) && name.len() <= 60 + 9);
        for change in [Change::Drop, Change::Filter(Filter::All), Change::Filter(Filter::Exclude(vec!["x".into()]))] {
            if let Ok(after) = rewrite(&text, &[("p".into(), change)]) {
                // what is not refused is still a manifest
                prop_assert!(!matches!(manifest::parse(&after, "mars.toml", manifest::Owner::Project), manifest::Read::Broken(_)));
            }
        }
    }
}
