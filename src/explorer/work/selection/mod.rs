//! The Selection pane: what is missing and what is doubled first, then the packages with their items; and all there is
//! to say about each.

mod teller;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::desk::Clerk;
use super::{Shared, advice, findings, watch};
use crate::explorer::model::{
    Detail, Effect, Entry, Fold, ItemSubject, Loaded, Mark, MissingSubject, Msg, Outline, Part, Subject,
};
use crate::selection::project::Location;
use crate::selection::reasons::is_excluded;
use crate::selection::select::Missing;
use crate::selection::what_if::{Effect as TryEffect, Try, effect, only_through};
use crate::selection::{ItemId, PackageId, Project, Selection as Selected, select};
use teller::Teller;

/// How many chains are shown of those that are counted.
const CHAINS: usize = 20;

/// Reads the project and tells about its packages and items.
#[derive(Debug)]
pub struct Selection {
    shared: Arc<Shared>,
    read: Option<(Project, Selected)>,
}

impl Selection {
    /// A clerk for a workspace.
    pub fn new(shared: Arc<Shared>) -> Selection {
        Selection { shared, read: None }
    }

    fn load(&mut self) -> Loaded {
        let begun = watch::Moment::now();
        let found = self.shared.workspace.project();
        let mut loaded = Loaded {
            hint: advice::absent(&self.shared, Part::Selection),
            counts: vec![("no project".into(), Mark::None)],
            ..Loaded::default()
        };
        self.read = None;
        let mut findings = found.findings();
        if let Some(place) = found.project {
            let project = Project::read(&place, &self.shared.workspace.environment());
            if let Some(news) = &*Shared::held(&self.shared.news) {
                let packages = watch::package_folders(&project, &self.shared);
                // nothing is watched where nobody hears it
                let _ = news.send(watch::News::Read { packages, begun });
            }
            let base = select(project.graph());
            let tries = Shared::held(&self.shared.selection_tries).clone();
            let effect = match project.graph().try_out(&tries) {
                Ok(changed) if !tries.is_empty() => Some(effect(&base, &changed)),
                _ => None,
            };
            *Shared::held(&self.shared.selected) = Some(Arc::new((project.clone(), base.clone())));
            // what is reported is what is on disk, whatever is tried
            findings.extend(crate::selection::findings::findings(&project, &base));
            let selected = effect.as_ref().map_or(base, |effect| effect.after.clone());
            loaded.outline = rows(&project, &selected, effect.as_ref());
            loaded.counts = vec![
                (selected.items().len().to_string(), Mark::Selected),
                (selected.missing().len().to_string(), Mark::Missing),
                (selected.duplicates().len().to_string(), Mark::Duplicate),
            ];
            if let Some(why) = project.unread() {
                loaded.hint = advice::unread(&self.shared, &project, why);
                loaded.counts = vec![("unreadable".into(), Mark::None)];
            }
            self.read = Some((project, selected));
        }
        let findings = self.shared.keep_findings(Part::Selection, findings);
        let teller = self.read.as_ref().map(|(project, selected)| Teller { project, selected, shared: &self.shared });
        let things = teller.as_ref().map(Teller::things);
        loaded.findings = findings
            .into_iter()
            .map(|finding| {
                let about = things.as_ref().and_then(|things| things.about(&finding).into_iter().next());
                (finding, about)
            })
            .collect();
        loaded
    }

    /// Tries the other state of an item or line: excluded, included, dropped; or ends the try.
    fn toggle(&self, subject: &Subject) -> Result<Vec<String>, String> {
        let Some((project, selected)) = self.read.as_ref() else { return Err("no project here".to_owned()) };
        let mut tries = Shared::held(&self.shared.selection_tries);
        let next = Teller { project, selected, shared: &self.shared }.other(subject)?;
        if let Some(at) = tries.iter().position(|tried| is_of_the_same(tried, &next)) {
            tries.remove(at);
        } else {
            let mut all = tries.clone();
            all.push(next.clone());
            project.graph().try_out(&all).map_err(|error| error.to_string())?;
            tries.push(next);
        }
        Ok(tries.iter().map(Try::words).collect())
    }

    fn detail(&self, subject: &Subject) -> Option<Detail> {
        let (project, selected) = self.read.as_ref()?;
        let teller = Teller { project, selected, shared: &self.shared };
        match subject {
            Subject::Package(key) => teller.package(key),
            Subject::Item(item) => {
                let ItemSubject { package, kind, slug } = item.as_ref();
                let item = teller.find(package, kind, slug)?;
                Some(teller.item(item))
            }
            Subject::MissingSkill(missing) => {
                let MissingSubject { package, agent, skill } = missing.as_ref();
                let missing = selected.missing().iter().find(|missing| {
                    let it = selected.graph().item(missing.requester);
                    *missing.skill == **skill && *it.slug == **agent && teller.key(it.package) == *package
                })?;
                Some(teller.missing(missing))
            }
            Subject::Finding(finding) => {
                Some(findings::detail(finding, &project.place.root, teller.things().about(finding)))
            }
            _ => None,
        }
    }
}

impl Clerk for Selection {
    fn work(&mut self, job: Effect, sender: &Sender<Msg>) {
        let sent = match job {
            Effect::Load { part, generation, .. } => {
                sender.send(Msg::Loaded { part, generation, loaded: Ok(Box::new(self.load())) })
            }
            Effect::Try { part, subject } => sender.send(Msg::Tries { part, tries: self.toggle(&subject) }),
            Effect::ClearTries(part) => {
                Shared::held(&self.shared.selection_tries).clear();
                sender.send(Msg::Tries { part, tries: Ok(Vec::new()) })
            }
            Effect::Detail { generation, subject } => {
                let detail = self.detail(&subject).or_else(|| match &subject {
                    // a finding without a project: a file of another program
                    Subject::Finding(finding) => {
                        Some(findings::detail(finding, &self.shared.workspace.start, Vec::new()))
                    }
                    _ => None,
                });
                let detail = detail.unwrap_or_else(|| findings::gone(subject));
                sender.send(Msg::Detail { generation, detail: self.shared.with_path(detail) })
            }
            _ => Ok(()),
        };
        // the explorer has ended; there is nobody to tell
        let _ = sent;
    }
}

/// Whether two tries are of one item or line, so that the second ends the first.
fn is_of_the_same(one: &Try, other: &Try) -> bool {
    match (one, other) {
        (
            Try::Exclude { key, item } | Try::Include { key, item },
            Try::Exclude { key: other, item: it } | Try::Include { key: other, item: it },
        ) => key == other && item == it,
        (Try::Drop { key }, Try::Drop { key: other }) => key == other,
        _ => false,
    }
}

/// The subject of an item.
fn subject(selected: &Selected, item: ItemId) -> Subject {
    let graph = selected.graph();
    let it = graph.item(item);
    Subject::Item(Box::new(ItemSubject {
        package: graph.name(it.package).map(ToString::to_string).unwrap_or_default(),
        kind: it.kind.name().to_owned(),
        slug: it.slug.to_string(),
    }))
}

fn missing_subject(selected: &Selected, missing: &Missing) -> Subject {
    let graph = selected.graph();
    let it = graph.item(missing.requester);
    Subject::MissingSkill(Box::new(MissingSubject {
        package: graph.name(it.package).map(ToString::to_string).unwrap_or_default(),
        agent: it.slug.to_string(),
        skill: missing.skill.to_string(),
    }))
}

/// The mark of an item.
pub(super) fn mark(selected: &Selected, item: ItemId) -> Mark {
    if selected.is_selected(item) {
        Mark::Selected
    } else if is_excluded(selected.graph(), item) {
        Mark::Excluded
    } else {
        Mark::Filtered
    }
}

/// For each package that a line of yours names, how many items are selected only through that line. Each costs a
/// selection, so that it is left out where there is much to select.
fn only_here(selected: &Selected) -> HashMap<PackageId, usize> {
    const MOST: usize = 500_000;
    let graph = selected.graph();
    if graph.entries().count().saturating_mul(graph.item_count()) > MOST {
        return HashMap::new();
    }
    let lines = graph.entries().filter_map(|(id, entry)| Some((id, entry.line.target?)));
    lines.map(|(id, package)| (package, only_through(selected, id).len())).collect()
}

fn rows(project: &Project, selected: &Selected, tried: Option<&TryEffect>) -> Outline {
    let change = |item: ItemId| match tried {
        Some(effect) if effect.come.contains(&item) => " · would come",
        Some(effect) if effect.go.contains(&item) => " · would go",
        _ => "",
    };
    let graph = selected.graph();
    let mut outline = Outline::default();
    for missing in selected.missing() {
        let it = graph.item(missing.requester);
        let name = format!("{} → {}", it.slug, missing.skill);
        let note = format!("missing, of {}", graph.spoken(it.package));
        outline.add(None, Entry::new(missing_subject(selected, missing), Mark::Missing, name, note), Fold::Leaf);
    }
    for duplicate in selected.duplicates() {
        let packages: Vec<&str> = duplicate.items.iter().map(|&item| graph.spoken(graph.item(item).package)).collect();
        let heading = Entry::new(
            Subject::Group(duplicate.message(graph)),
            Mark::Duplicate,
            format!("{} {}", duplicate.kind, duplicate.slug),
            format!("in {}", packages.join(", ")),
        );
        let group = outline.add(None, heading, Fold::Closed);
        for &item in &duplicate.items {
            let it = graph.item(item);
            let entry =
                Entry::new(subject(selected, item), Mark::Selected, graph.spoken(it.package), it.path.to_string());
            outline.add(Some(group), entry, Fold::Leaf);
        }
    }
    let only = only_here(selected);
    let reached = selected.order().iter().copied();
    let rest = graph.packages().filter(|&package| !selected.is_reached(package));
    for package in reached.chain(rest) {
        let key = graph.name(package).map(ToString::to_string).unwrap_or_default();
        let found = package == PackageId::ROOT
            || project.package(&key).is_some_and(|package| !matches!(package.location, Location::Nowhere(_)));
        let items: Vec<ItemId> = graph.items_of(package).collect();
        let taken = items.iter().filter(|&&item| selected.is_selected(item)).count();
        let (mark, note) = if found {
            let only = only.get(&package).copied().filter(|count| *count > 0);
            let only = only.map(|count| format!("{count} only · ")).unwrap_or_default();
            (Mark::Package, format!("{only}{taken}/{}", items.len()))
        } else {
            (Mark::NotFound, "not found".to_owned())
        };
        let name = if package == PackageId::ROOT { "the project itself" } else { key.as_str() };
        let row = outline.add(None, Entry::new(Subject::Package(key.clone()), mark, name, note), Fold::Leaf);
        for item in items {
            let it = graph.item(item);
            let mark = self::mark(selected, item);
            let note = format!("{}{}", it.kind.name(), change(item));
            let entry = Entry::new(subject(selected, item), mark, it.slug.to_string(), note);
            outline.add(Some(row), entry, Fold::Leaf);
        }
    }
    for package in &project.packages {
        // named, never found, and so not in the graph
        if graph.find(&package.key).is_none() && !matches!(package.location, Location::Project) {
            let subject = Subject::Package(package.key.to_string());
            outline.add(None, Entry::new(subject, Mark::NotFound, package.key.to_string(), "not found"), Fold::Leaf);
        }
    }
    outline
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::super::{load, share};
    use super::*;
    use crate::explorer::model::Keymap;
    use crate::workspace::{Options, Workspace};

    #[test]
    fn a_finding_leads_to_what_it_names() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let file = dir.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        };
        write(
            "mars.toml",
            "[dependencies.a]\npath = \"a\"\n[dependencies.b]\npath = \"b\"\n[dependencies.c]\npath = \"c\"\n",
        );
        write("a/agents/x.md", "---\nname: x\nskills: [gone, lost]\n---\n");
        write("a/agents/y.md", "---\nname: y\nskills: [lost]\n---\n");
        write("a/skills/twice/SKILL.md", "---\nname: twice\n---\n");
        write("b/skills/twice/SKILL.md", "---\nname: twice\n---\n");
        let options = Options { directory: Some(dir.path().to_owned()), ..Options::default() };
        let shared = share(Workspace::find(options).unwrap(), Keymap::default());
        let (sender, receiver) = channel();
        Selection::new(shared).work(load(Part::Selection), &sender);
        let Ok(Msg::Loaded { loaded: Ok(loaded), .. }) = receiver.recv() else { panic!("it is read") };
        let mut told: Vec<String> = loaded
            .findings
            .iter()
            .map(|(finding, about)| {
                let about = match about {
                    Some(Subject::MissingSkill(it)) => format!("{} of {}", it.skill, it.agent),
                    Some(Subject::Item(it)) => format!("{} of {}", it.slug, it.package),
                    Some(Subject::Package(key)) => key.clone(),
                    other => format!("{other:?}"),
                };
                format!("{}: {about}", finding.code)
            })
            .collect();
        told.sort_unstable();
        assert_eq!(
            told,
            [
                "duplicate-slug: twice of a",
                "missing-skill: gone of x",
                "missing-skill: lost of x",
                "missing-skill: lost of y",
                "package-not-found: c"
            ]
        );
    }
}
