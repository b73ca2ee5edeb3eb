//! The rules read plainly: lists, names, and one paragraph after the other; slow, and with nothing of the library's
//! selection in it.

use std::collections::{BTreeMap, HashSet, VecDeque};

use dagwood::selection::model::{PackageView, Request, View};
use dagwood::selection::{Filter, Kind};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum By {
    You,
    Manifest(String),
    Item(String, Kind, String),
}

/// Package (empty for the root), kind, slug, requesters.
pub type Selected = (String, Kind, String, Vec<By>);

#[derive(Debug, PartialEq)]
pub struct Answer {
    pub items: Vec<Selected>,
    pub missing: Vec<(String, String, String, bool)>,
    pub searched: Vec<String>,
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug)]
struct Item {
    kind: Kind,
    slug: String,
    path: String,
    refs: Vec<String>,
}

fn items(package: &PackageView) -> Vec<Item> {
    let definitions = package.definitions.iter().map(|one| {
        let path = match (one.kind, one.output_path.rfind('/')) {
            (Kind::Agent, _) => one.output_path.to_string(),
            (_, Some(at)) => one.output_path[..at].to_string(),
            (_, None) => ".".to_string(),
        };
        Item {
            kind: one.kind,
            slug: one.slug.to_string(),
            path,
            refs: one.skills.iter().map(ToString::to_string).collect(),
        }
    });
    let extra = package.extra_items.iter().map(|one| Item {
        kind: one.kind,
        slug: one.slug.to_string(),
        path: one.path.to_string(),
        refs: Vec::new(),
    });
    definitions.chain(extra).collect()
}

fn has(names: &[dagwood::selection::Name], name: &str) -> bool {
    names.iter().any(|one| &**one == name)
}

fn takes(filter: &Filter, item: &Item) -> bool {
    match filter {
        Filter::All => true,
        Filter::Include { agents, skills } => match item.kind {
            Kind::Agent => has(agents, &item.slug),
            Kind::Skill => has(skills, &item.slug),
            Kind::BootstrapDoc => true,
            _ => false,
        },
        Filter::Exclude(names) => !has(names, &item.slug) && !has(names, &item.path),
        Filter::OnlySkills => item.kind == Kind::Skill,
        Filter::OnlyAgents => item.kind == Kind::Agent,
    }
}

fn host(name: &str) -> Option<String> {
    let at = name.rfind("__")?;
    let (before, after) = (&name[..at], &name[at + 2..]);
    let small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let shaped = !before.is_empty() && after.starts_with(small) && after.chars().all(|c| small(c) || c == '-');
    shaped.then(|| after.to_string())
}

pub fn select(view: &View) -> Answer {
    let mut all: BTreeMap<String, PackageView> =
        view.packages.iter().map(|(name, package)| (name.to_string(), package.clone())).collect();
    all.extend(view.root.clone().map(|root| (String::new(), root)));
    let root_edges: Vec<Request> = view.root.iter().flat_map(|root| root.edges.clone()).collect();

    // reach: depth first, each package before its edges
    let mut order: Vec<String> = Vec::new();
    fn reach(name: &str, all: &BTreeMap<String, PackageView>, order: &mut Vec<String>) {
        if order.iter().any(|known| known == name) {
            return;
        }
        let Some(package) = all.get(name) else { return };
        order.push(name.to_string());
        package.edges.iter().for_each(|edge| reach(&edge.name, all, order));
    }
    reach("", &all, &mut order);
    view.requests.iter().for_each(|request| reach(&request.name, &all, &mut order));

    // what you exclude
    let mine: Vec<&Request> = root_edges.iter().chain(&view.requests).collect();
    let excluded = |package: &str, item: &Item| {
        mine.iter().any(|line| {
            &*line.name == package && matches!(line.filter, Filter::Exclude(_)) && !takes(&line.filter, item)
        })
    };

    // seeds
    let mut asked: Vec<(String, Item, By)> = Vec::new();
    let ask = |asked: &mut Vec<(String, Item, By)>, package: &str, item: &Item, by: By| {
        if !excluded(package, item) {
            asked.push((package.to_string(), item.clone(), by));
        }
    };
    if let Some(root) = all.get("") {
        for item in items(root) {
            ask(&mut asked, "", &item, By::You);
        }
    }
    let mut opened: VecDeque<String> = VecDeque::new();
    let mut open: HashSet<String> = HashSet::new();
    for line in &mine {
        let Some(package) = all.get(&*line.name) else { continue };
        items(package)
            .iter()
            .filter(|item| takes(&line.filter, item))
            .for_each(|item| ask(&mut asked, &line.name, item, By::You));
        if line.filter == Filter::All && open.insert(line.name.to_string()) {
            opened.push_back(line.name.to_string());
        }
    }
    while let Some(name) = opened.pop_front() {
        for edge in all[&name].edges.iter().filter(|edge| edge.filter == Filter::All) {
            let Some(target) = all.get(&*edge.name) else { continue };
            for item in items(target) {
                ask(&mut asked, &edge.name, &item, By::Manifest(name.clone()));
            }
            if open.insert(edge.name.to_string()) {
                opened.push_back(edge.name.to_string());
            }
        }
    }

    // closure
    let ship = |package: &str, skill: &str| {
        items(all.get(package)?).into_iter().find(|item| item.kind == Kind::Skill && item.slug == skill)
    };
    let supplier = |from: &str, skill: &str| -> Option<(String, Item)> {
        let mut met: Vec<String> = vec![from.to_string()];
        let mut at = 0;
        while at < met.len() {
            let name = met[at].clone();
            at += 1;
            for edge in all.get(&name).iter().flat_map(|package| &package.edges) {
                if all.contains_key(&*edge.name) && !met.contains(&edge.name.to_string()) {
                    met.push(edge.name.to_string());
                }
            }
        }
        met.extend(order.iter().filter(|name| !met.contains(name)).cloned().collect::<Vec<_>>());
        met.into_iter().find_map(|name| ship(&name, skill).map(|item| (name, item)))
    };
    let mut missing = Vec::new();
    let mut landed: HashSet<String> = HashSet::new();
    let mut done: HashSet<(String, Kind, String)> = HashSet::new();
    let mut at = 0;
    while at < asked.len() {
        let (package, item, _) = asked[at].clone();
        at += 1;
        if !done.insert((package.clone(), item.kind, item.slug.clone())) {
            continue;
        }
        for skill in &item.refs {
            let by = if package.is_empty() { By::You } else { By::Item(package.clone(), item.kind, item.slug.clone()) };
            match supplier(&package, skill) {
                Some((owner, skill)) if !excluded(&owner, &skill) => {
                    ask(&mut asked, &owner, &skill, by.clone());
                    if landed.insert(owner.clone()) {
                        for document in items(&all[&owner]).iter().filter(|one| one.kind == Kind::BootstrapDoc) {
                            ask(&mut asked, &owner, document, by.clone());
                        }
                    }
                }
                Some(_) => {}
                None => {
                    let declared = |host: &String| has(&all[&package].uses_providers, host);
                    if !host(skill).as_ref().is_some_and(declared) {
                        missing.push((package.clone(), item.slug.clone(), skill.clone(), host(skill).is_some()));
                    }
                }
            }
        }
    }

    // the result, in registry order
    let mut selected: Vec<Selected> = Vec::new();
    for name in &order {
        for item in items(&all[name]) {
            let mut by: Vec<By> = Vec::new();
            for (package, asked, one) in &asked {
                if package == name && asked.kind == item.kind && asked.slug == item.slug && !by.contains(one) {
                    by.push(one.clone());
                }
            }
            if !by.is_empty() {
                selected.push((name.clone(), item.kind, item.slug, by));
            }
        }
    }
    let mut warned: HashSet<(Kind, String)> = HashSet::new();
    let mut warnings = Vec::new();
    for (_, kind, slug, _) in selected.iter().filter(|one| matches!(one.1, Kind::Agent | Kind::Skill)) {
        let packages: Vec<&str> = selected
            .iter()
            .filter(|other| other.1 == *kind && other.2 == *slug)
            .map(|other| if other.0.is_empty() { "the root package" } else { &*other.0 })
            .collect();
        if packages.len() > 1 && warned.insert((*kind, slug.clone())) {
            warnings.push(format!("{kind} `{slug}` is installed from {}", packages.join(", ")));
        }
    }
    let mut searched: Vec<String> = order.into_iter().filter(|name| !name.is_empty()).collect();
    searched.sort();
    Answer { items: selected, missing, searched, warnings }
}
