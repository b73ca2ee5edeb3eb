//! What is to be said about a project and its selection: the one list that `check`, the Problems pane and `list` show.

use std::collections::HashMap;

use super::graph::{Graph, ItemId};
use super::manifest::{Dependency, finding};
use super::model::{Filter, Kind, Name};
use super::opinion::{self, Difference};
use super::project::{Location, Package, Project};
use super::reasons::item_words;
use super::select::{End, Ended, Missing, Selection, select};
use crate::finding::{Finding, Severity};
use crate::text::{Guesses, can_be_compared, near};

/// For how many missing skills a near name is looked for: each costs a look at every skill.
const SUGGESTED: usize = 50;

/// Every finding, by severity and file.
pub fn findings(project: &Project, selection: &Selection) -> Vec<Finding> {
    let mut all = project.findings.clone();
    for package in &project.packages {
        all.extend(package.contents.findings.iter().cloned());
        all.extend(not_found(package));
    }
    all.extend(missing(project, selection));
    all.extend(ended(project, selection));
    all.extend(duplicates(project, selection));
    all.extend(filters(project));
    all.extend(servers(project));
    all.extend(own_items(project));
    all.extend(relies_on_local(project, selection));
    all.extend(opinion::differences(project, selection).iter().map(difference));
    all.sort_by(|a, b| (a.severity, &a.path, a.line, &a.code).cmp(&(b.severity, &b.path, b.line, &b.code)));
    all
}

fn not_found(package: &Package) -> Option<Finding> {
    let Location::Nowhere(looked) = &package.location else { return None };
    let entry = &package.declarations.first()?.entry;
    // a path that is not there is a mistake in the project; a cache that is not there is a matter of this machine
    let severity = if entry.url.is_none() { Severity::Error } else { Severity::Warning };
    let places: Vec<String> = looked.iter().map(|looked| format!("{} ({})", looked.at, looked.why)).collect();
    let message = if places.is_empty() {
        format!("package `{}` cannot be found: nothing says where it is", package.key)
    } else {
        format!("package `{}` cannot be found; looked at {}", package.key, places.join("; "))
    };
    let fix = match (&entry.url, looked.is_empty()) {
        (Some(_), _) => "run `mars sync` so that the caches hold it, or give it a path in mars.local.toml",
        (None, true) => "add `url` or `path`",
        (None, false) => "mend the path",
    };
    let found = finding("package-not-found", severity, &entry.place.file, message);
    Some(found.at(entry.place.line).key(&*package.key).fix(fix))
}

/// A finding at the file of an item, at the line of its `skills`.
fn at_item(project: &Project, graph: &Graph, id: ItemId, code: &str, severity: Severity, message: String) -> Finding {
    let item = graph.item(id);
    let package = graph.name(item.package).map(|name| &**name);
    let on_disk = project.item(package, item.kind, &item.slug);
    let file = on_disk.map_or(&*item.path, |item| item.file.as_str());
    let mut found = finding(code, severity, file, message);
    found.line = on_disk.and_then(|item| item.front.skills_line);
    found.key = Some(item.slug.to_string());
    found
}

fn missing(project: &Project, selection: &Selection) -> Vec<Finding> {
    let graph = selection.graph();
    let absent: Vec<&str> = project
        .packages
        .iter()
        .filter(|package| matches!(package.location, Location::Nowhere(_)))
        .map(|package| &*package.key)
        .collect();
    let elsewhere = match absent.join(", ") {
        none if none.is_empty() => String::new(),
        absent => format!("; it may be in a package that was not found: {absent}"),
    };
    let mut suggestions: HashMap<Name, Option<String>> = HashMap::new();
    let mut say = |missing: &Missing| {
        let message = format!(
            "{}, which none of the {} packages searched ships{elsewhere}",
            missing_words(graph, missing),
            selection.searched().len()
        );
        let known = suggestions.len();
        let similar = suggestions
            .entry(missing.skill.clone())
            .or_insert_with(|| (known < SUGGESTED).then(|| similar_skill(graph, &missing.skill)).flatten());
        let found = at_item(project, graph, missing.requester, "missing-skill", Severity::Error, message);
        match (similar, missing.hint()) {
            (Some(similar), _) => found.fix(similar.clone()),
            (None, Some(hint)) => found.fix(hint),
            (None, None) => found.fix("add a package that ships it, or drop the ref"),
        }
    };
    selection.missing().iter().map(&mut say).collect()
}

/// Who names what is missing, in words: how the finding of it begins.
pub fn missing_words(graph: &Graph, missing: &Missing) -> String {
    format!("{} names the skill `{}`", item_words(graph, missing.requester), missing.skill)
}

/// What a missing skill was likely meant to be.
pub fn similar_skill(graph: &Graph, name: &str) -> Option<String> {
    if let Some(package) = graph.find(name) {
        let flat = graph
            .items_of(package)
            .map(|id| graph.item(id))
            .find(|item| item.kind == Kind::Skill && &*item.path == ".");
        if let Some(flat) = flat {
            return Some(format!("`{name}` is a package; its skill is named `{}`", flat.slug));
        }
    }
    let skills = || graph.items().map(|(_, item)| item).filter(|item| item.kind == Kind::Skill);
    let nearest = near(name, skills().map(|item| &*item.slug), 1).first().map(|&slug| slug.to_owned());
    let slug = nearest.or_else(|| sharing_a_word(name, skills().map(|item| &*item.slug)))?;
    let package = skills().find(|item| *item.slug == *slug)?.package;
    Some(format!("did you mean `{slug}` of {}?", graph.spoken(package)))
}

/// The nearest of the names that have a long word in common with this one: renamed things often keep one.
fn sharing_a_word<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    if !can_be_compared(name) {
        return None;
    }
    let words = |name: &'a str| name.split(['-', '_']).filter(|word| word.len() >= 5);
    let own: Vec<&str> = name.split(['-', '_']).filter(|word| word.len() >= 5).collect();
    let shares = |other: &&'a str| words(other).any(|word| own.contains(&word));
    let distance = |other: &&'a str| strsim::damerau_levenshtein(name, other);
    names.filter(|name| can_be_compared(name)).filter(shares).min_by_key(distance).map(str::to_owned)
}

fn ended(project: &Project, selection: &Selection) -> Vec<Finding> {
    let graph = selection.graph();
    let say = |ended: &Ended| {
        let name = graph.ref_name(ended.reference);
        let agent = item_words(graph, ended.requester);
        match ended.how {
            End::Excluded(skill) => {
                let message = format!(
                    "{agent} names the skill `{name}`, which you exclude from {}: it goes without",
                    graph.spoken(graph.item(skill).package)
                );
                let found = at_item(project, graph, ended.requester, "excluded-ref", Severity::Note, message);
                found.fix("nothing, if that is meant; else take it out of `exclude`")
            }
            End::LeftToProvider => {
                let host = super::select::provider(name).unwrap_or_default();
                let message = format!("{agent} names the skill `{name}`, which is left to the host `{host}`");
                at_item(project, graph, ended.requester, "left-to-provider", Severity::Note, message)
            }
        }
    };
    selection.ended().iter().map(say).collect()
}

fn duplicates(project: &Project, selection: &Selection) -> Vec<Finding> {
    let graph = selection.graph();
    let say = |duplicate: &super::select::Duplicate| {
        let message = duplicate.message(graph);
        let found = at_item(project, graph, duplicate.items[0], "duplicate-slug", Severity::Warning, message);
        let found = Finding { line: None, ..found };
        found.fix(format!("exclude `{}` from all packages but one", duplicate.slug))
    };
    selection.duplicates().iter().map(say).collect()
}

/// Filters that name nothing, or take nothing at all.
fn filters(project: &Project) -> Vec<Finding> {
    let mut all = Vec::new();
    let mut guesses = Guesses::default();
    for package in &project.packages {
        for declaration in &package.declarations {
            let entry = &declaration.entry;
            let yours = declaration.by.is_none();
            if yours {
                all.extend(empty_filter(entry));
            }
            // a filter of a package's manifest takes nothing anyway
            let severity = if yours { Severity::Warning } else { Severity::Note };
            if package.is_found() {
                all.extend(idle_names(project, package, entry, severity, &mut guesses));
            }
        }
    }
    all
}

fn empty_filter(entry: &Dependency) -> Option<Finding> {
    let (code, message, fix) = match &entry.filter {
        Filter::Include { agents, skills } if agents.is_empty() && skills.is_empty() => (
            "empty-include",
            format!("`{}` includes nothing: of this package only documents are taken", entry.key),
            "name agents or skills, or remove the list to take everything",
        ),
        Filter::Exclude(names) if names.is_empty() => (
            "empty-exclude",
            format!(
                "`exclude = []` of `{}` takes everything, but counts as a filter: what that package depends on is not opened",
                entry.key
            ),
            "remove it to take the package with its dependencies",
        ),
        _ => return None,
    };
    let place = &entry.filter_place;
    Some(finding(code, Severity::Note, &place.file, message).at(place.line).key(&*entry.key).fix(fix))
}

fn idle_names(
    project: &Project,
    package: &Package,
    entry: &Dependency,
    severity: Severity,
    guesses: &mut Guesses,
) -> Vec<Finding> {
    let graph = project.graph();
    let Some(id) = graph.find(&package.key) else { return Vec::new() };
    let slugs: Vec<&str> = package.contents.items.iter().map(|item| &*item.slug).collect();
    // of a name that is listed twice, the first line counts
    let lines: HashMap<&str, usize> =
        entry.filter_lines.iter().rev().map(|(listed, line)| (&**listed, *line)).collect();
    let mut say = |name: Name| {
        let line = lines.get(&*name).copied().unwrap_or(entry.place.line);
        let message = format!("`{name}` in the filter of `{}` hits nothing in that package", entry.key);
        let found = finding("idle-filter-name", severity, &entry.filter_place.file, message).at(line).key(&*name);
        let mut items = graph.items_of(id).filter(|_| name == package.key).map(|item| graph.item(item));
        match (items.find(|item| &*item.path == "."), guesses.nearest(&name, slugs.iter().copied())) {
            (Some(flat), _) => found.fix(format!("the package's skill is named `{}`", flat.slug)),
            (None, Some(similar)) => found.fix(format!("did you mean `{similar}`?")),
            (None, None) => found.fix(available(&slugs)),
        }
    };
    graph.idle_names_of(id, &entry.filter).into_iter().map(&mut say).collect()
}

fn available(slugs: &[&str]) -> String {
    match slugs.len() {
        0 => "the package ships nothing".to_owned(),
        1..=8 => format!("there are: {}", slugs.join(", ")),
        more => format!("there are: {} and {} more", slugs[..8].join(", "), more - 8),
    }
}

fn servers(project: &Project) -> Vec<Finding> {
    let packages = project.packages.iter().map(|package| &package.contents);
    let others = packages.chain([&project.own]).flat_map(|contents| &contents.others);
    let servers = others.filter(|item| item.kind == Kind::McpServer);
    let say = |server: &super::package::FoundItem| {
        let message =
            format!("the MCP server `{}` is not selected here: servers are no part of the selection", server.slug);
        finding("mcp-server", Severity::Note, &server.file, message).key(&*server.slug)
    };
    servers.map(say).collect()
}

/// What those who consume your package would see of its items: names and descriptions.
fn own_items(project: &Project) -> Vec<Finding> {
    if project.manifest.package.is_none() {
        return Vec::new();
    }
    let mut all = Vec::new();
    for item in project.own.items.iter().filter(|item| matches!(item.kind, Kind::Agent | Kind::Skill)) {
        // what cannot be read has its finding already
        if item.front.remarks.iter().any(|remark| !remark.is_about_skills()) {
            continue;
        }
        let mut say = |code: &str, message: String, fix: String| {
            let found = finding(code, Severity::Warning, &item.file, message).at(1);
            all.push(found.key(&*item.slug).fix(fix));
        };
        match &item.front.name {
            None => say(
                "no-name",
                format!("{} `{}` has no `name`", item.kind, item.slug),
                format!("add `name: {}`", item.slug),
            ),
            Some(name) if **name != *item.slug => say(
                "another-name",
                format!(
                    "{} `{}` calls itself `{name}`; refs and filters know it as `{}` only",
                    item.kind, item.slug, item.slug
                ),
                format!("rename the file, or write `name: {}`", item.slug),
            ),
            Some(_) => {}
        }
        if item.front.description.as_deref().is_none_or(str::is_empty) {
            let message = format!("{} `{}` has no `description`", item.kind, item.slug);
            say("no-description", message, "add a `description`".to_owned());
        }
    }
    all
}

/// A package of its own must find its skills without its `[local-dependencies]`: those who consume it do not have them.
fn relies_on_local(project: &Project, selection: &Selection) -> Vec<Finding> {
    if project.manifest.package.is_none() || project.manifest.local_dependencies.is_empty() {
        return Vec::new();
    }
    let alone = select(&selection.graph().without_requests());
    let graph = selection.graph();
    let here: std::collections::HashSet<_> = selection.missing().iter().map(|missing| missing.reference).collect();
    let only_there = alone.missing().iter().filter(|missing| !here.contains(&missing.reference));
    let say = |missing: &Missing| {
        let message = format!(
            "{} names the skill `{}`, which only your `[local-dependencies]` supply: those who consume this package will \
             miss it",
            item_words(graph, missing.requester),
            missing.skill
        );
        let found = at_item(project, graph, missing.requester, "relies-on-local", Severity::Error, message);
        found.fix("move the package that ships it to `[dependencies]`")
    };
    only_there.map(say).collect()
}

fn difference(difference: &Difference) -> Finding {
    let severity = match difference {
        Difference::NotAllowed { .. } => Severity::Warning,
        _ => Severity::Note,
    };
    let place = difference.place();
    let file = place.map_or("mars.lock", |place| &*place.file);
    let mut found =
        finding(&format!("lock-{}", difference.code().trim_start_matches("lock-")), severity, file, difference.words());
    found.line = place.map(|place| place.line);
    found
}
