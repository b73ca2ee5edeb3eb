//! Graphs and selections in a line a package, so that a rule's test reads like the rule.
//!
//! ```text
//! you: p, q(agents a; skills s), r(exclude x), s(only-skills)
//! root: A me>s -> p
//! p: A a>s+t S s,t B d H h -> q, r(only-agents) uses host
//! ```
//!
//! An agent's refs follow `>`, joined by `+`. Results read `p:S:s <- you, q, q/a`: by you, by the manifest of q, by its
//! agent a; the root's items stand under `-`.

use dagwood::selection::model::{Definition, ExtraItem, PackageView, Request, View};
use dagwood::selection::select::Selection;
use dagwood::selection::{Filter, Graph, Kind, Name, Requester, select};

pub fn view(text: &str) -> View {
    let mut view = View::default();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let (name, rest) = line.split_once(':').unwrap();
        match name {
            "you" => view.requests = requests(rest),
            "root" => view.root = Some(package(rest)),
            name => assert!(view.packages.insert(name.into(), package(rest)).is_none(), "{name} twice"),
        }
    }
    view
}

pub fn selection(text: &str) -> Selection {
    select(&Graph::new(view(text)))
}

fn requests(text: &str) -> Vec<Request> {
    text.split(',').map(str::trim).filter(|one| !one.is_empty()).map(request).collect()
}

fn request(text: &str) -> Request {
    let Some((name, filter)) = text.split_once('(') else { return Request::new(text, Filter::All) };
    Request::new(name, filter_of(filter.strip_suffix(')').unwrap()))
}

pub fn filter_of(text: &str) -> Filter {
    let names = |text: &str| text.split_whitespace().skip(1).map(Name::from).collect::<Vec<_>>();
    match text.split_whitespace().next().unwrap() {
        "all" => Filter::All,
        "only-skills" => Filter::OnlySkills,
        "only-agents" => Filter::OnlyAgents,
        "exclude" => Filter::Exclude(names(text)),
        _ => {
            let list = |key: &str| text.split(';').map(str::trim).find(|list| list.starts_with(key)).map(names);
            Filter::Include { agents: list("agents").unwrap_or_default(), skills: list("skills").unwrap_or_default() }
        }
    }
}

fn package(text: &str) -> PackageView {
    let (text, providers) = text.split_once(" uses ").unwrap_or((text, ""));
    let (items, edges) = text.split_once("->").unwrap_or((text, ""));
    let mut view = PackageView {
        edges: requests(edges),
        uses_providers: providers.split_whitespace().map(Name::from).collect(),
        ..PackageView::default()
    };
    let mut kind = Kind::Agent;
    for token in items.split_whitespace() {
        match token {
            "A" => kind = Kind::Agent,
            "S" => kind = Kind::Skill,
            "B" => kind = Kind::BootstrapDoc,
            "H" => kind = Kind::Hook,
            names => names.split(',').for_each(|name| item(&mut view, kind, name)),
        }
    }
    view
}

fn item(view: &mut PackageView, kind: Kind, text: &str) {
    let (slug, refs) = text.split_once('>').unwrap_or((text, ""));
    // a skill at the package's root is written `.slug`
    let (slug, flat) = slug.strip_prefix('.').map_or((slug, false), |slug| (slug, true));
    let (slug, path): (Name, String) = match kind {
        Kind::Agent => (slug.into(), format!("agents/{slug}.md")),
        Kind::Skill if flat => (slug.into(), "SKILL.md".into()),
        Kind::Skill => (slug.into(), format!("skills/{slug}/SKILL.md")),
        Kind::Hook => (slug.into(), format!("hooks/{slug}")),
        _ => (slug.into(), format!("bootstrap/{slug}")),
    };
    if matches!(kind, Kind::Agent | Kind::Skill) {
        let skills = refs.split('+').filter(|name| !name.is_empty()).map(Name::from).collect();
        view.definitions.push(Definition { kind, slug, output_path: path.into(), skills });
    } else {
        view.extra_items.push(ExtraItem { kind, slug, path: path.into() });
    }
}

pub fn letter(kind: Kind) -> char {
    match kind {
        Kind::Agent => 'A',
        Kind::Skill => 'S',
        Kind::Hook => 'H',
        Kind::McpServer => 'M',
        Kind::BootstrapDoc => 'B',
    }
}

/// `p:S:s <- you, q, q/a` for each selected item, in result order.
pub fn items(selection: &Selection) -> Vec<String> {
    let graph = selection.graph();
    let name = |package| graph.name(package).map_or("-", |name| name).to_owned();
    let one = |id: &dagwood::selection::ItemId| {
        let item = graph.item(*id);
        let by: Vec<String> = selection
            .requesters(*id)
            .map(|requester| match requester {
                Requester::Consumer => "you".into(),
                Requester::Package(package) => name(package),
                Requester::Item(by) => format!("{}/{}", name(graph.item(by).package), graph.item(by).slug),
            })
            .collect();
        format!("{}:{}:{} <- {}", name(item.package), letter(item.kind), item.slug, by.join(", "))
    };
    selection.items().iter().map(one).collect()
}

/// `p/a -> s` for each missing skill, with `?` behind when there is a hint.
pub fn missing(selection: &Selection) -> Vec<String> {
    let graph = selection.graph();
    let one = |missing: &dagwood::selection::select::Missing| {
        let agent = graph.item(missing.requester);
        let package = graph.name(agent.package).map_or("-", |name| name);
        let hint = if missing.hint().is_some() { "?" } else { "" };
        format!("{package}/{} -> {}{hint}", agent.slug, missing.skill)
    };
    selection.missing().iter().map(one).collect()
}

pub fn warnings(selection: &Selection) -> Vec<String> {
    selection.duplicates().iter().map(|one| one.message(selection.graph())).collect()
}

/// Selects, and holds the items against what is expected; there must be nothing missing.
#[track_caller]
pub fn gives(text: &str, expected: &[&str]) -> Selection {
    let selection = selection(text);
    assert_eq!(items(&selection), expected);
    assert_eq!(missing(&selection), [""; 0]);
    selection
}

/// Selects, and holds the missing skills against what is expected.
#[track_caller]
pub fn misses(text: &str, expected: &[&str]) -> Selection {
    let selection = selection(text);
    assert_eq!(missing(&selection), expected);
    selection
}

/// Selects, and holds the warnings against what is expected.
#[track_caller]
pub fn warns(text: &str, expected: &[&str]) {
    assert_eq!(warnings(&selection(text)), expected);
}
