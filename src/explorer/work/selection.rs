//! The Selection pane: what is missing and what is doubled first, then the packages with their items; and all there is
//! to say about each.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::desk::Clerk;
use super::{Shared, counted, findings};
use crate::explorer::model::{
    Detail, Effect, Entry, Fold, Line, Loaded, Mark, Msg, Outline, Part, Subject, Tab, Target, Tone,
};
use crate::finding::{Area, Finding};
use crate::selection::graph::RefId;
use crate::selection::model::{Kind, Place};
use crate::selection::project::Location;
use crate::selection::reasons::{Chain, Reason, Reasons, Step, item_words};
use crate::selection::select::{End, Missing};
use crate::selection::what_if::{Effect as TryEffect, Try, effect};
use crate::selection::{ItemId, Name, PackageId, Project, Selection as Selected, select};
use crate::text::near;

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
        let found = self.shared.workspace.project();
        let mut loaded = Loaded {
            hint: vec![
                Line::plain("No mars.toml of a project here or above."),
                Line::of(Tone::Dim, "One begins with a line such as [dependencies.base] and path = \"../base\"."),
            ],
            counts: vec![("no project".into(), Mark::None)],
            ..Loaded::default()
        };
        self.read = None;
        let mut findings = found.findings();
        if let Some(place) = found.project {
            let project = Project::read(&place, &self.shared.workspace.environment());
            let base = select(project.graph());
            let tries = Shared::held(&self.shared.selection_tries).clone();
            let effect = match project.graph().try_out(&tries) {
                Ok(changed) if !tries.is_empty() => Some(effect(&base, &changed)),
                _ => None,
            };
            *Shared::held(&self.shared.selected) = Some(Arc::new((project.clone(), base.clone())));
            let selected = effect.as_ref().map_or(base, |effect| effect.after.clone());
            loaded.outline = rows(&project, &selected, effect.as_ref());
            loaded.counts = vec![
                (selected.items().len().to_string(), Mark::Selected),
                (selected.missing().len().to_string(), Mark::Missing),
                (selected.duplicates().len().to_string(), Mark::Duplicate),
            ];
            findings.extend(crate::selection::findings::findings(&project, &selected));
            self.read = Some((project, selected));
        }
        self.shared.keep_findings(Part::Selection, &findings);
        let teller = self.read.as_ref().map(|(project, selected)| Teller { project, selected, shared: &self.shared });
        loaded.findings = findings
            .into_iter()
            .map(|finding| {
                let about = teller.as_ref().and_then(|teller| teller.about(&finding).into_iter().next());
                (finding, about)
            })
            .collect();
        loaded
    }

    /// Tries the other state of an item or line: excluded, included, dropped; or ends the try.
    fn toggle(&self, subject: &Subject) -> Result<Vec<String>, String> {
        let Some((project, selected)) = self.read.as_ref() else { return Err("no project here".to_owned()) };
        let mut tries = Shared::held(&self.shared.selection_tries);
        let name = |text: &str| Name::from(text);
        let next = match subject {
            Subject::Package(key) if key.is_empty() => return Err("your own package is always whole".to_owned()),
            Subject::Package(key) => Try::Drop { key: name(key) },
            Subject::Item { package, slug, .. } if package.is_empty() => {
                return Err(format!("`{slug}` is your own: it is always selected"));
            }
            Subject::Item { package, kind, slug } => {
                let teller = Teller { project, selected, shared: &self.shared };
                let item = teller.find(package, kind, slug).ok_or_else(|| format!("no item {slug} in {package}"))?;
                let path = selected.graph().item(item).path.clone();
                if selected.is_selected(item) {
                    Try::Exclude { key: name(package), item: path }
                } else {
                    Try::Include { key: name(package), item: path }
                }
            }
            _ => return Err("nothing to try on this row".to_owned()),
        };
        let same = |tried: &Try| match (tried, &next) {
            (
                Try::Exclude { key, item } | Try::Include { key, item },
                Try::Exclude { key: other, item: it } | Try::Include { key: other, item: it },
            ) => key == other && item == it,
            (Try::Drop { key }, Try::Drop { key: other }) => key == other,
            _ => false,
        };
        if let Some(at) = tries.iter().position(same) {
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
            Subject::Item { package, kind, slug } => {
                let item = teller.find(package, kind, slug)?;
                Some(teller.item(item))
            }
            Subject::MissingSkill { package, agent, skill } => {
                let missing = selected.missing().iter().find(|missing| {
                    let it = selected.graph().item(missing.requester);
                    *missing.skill == **skill && *it.slug == **agent && teller.key(it.package) == *package
                })?;
                Some(teller.missing(missing))
            }
            Subject::Finding(finding) => Some(findings::detail(finding, &project.place.root, teller.about(finding))),
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
                match detail {
                    Some(detail) => sender.send(Msg::Detail { generation, detail: Box::new(detail) }),
                    None => Ok(()),
                }
            }
            _ => Ok(()),
        };
        // the explorer has ended; there is nobody to tell
        let _ = sent;
    }
}

/// The subject of an item.
fn subject(selected: &Selected, item: ItemId) -> Subject {
    let graph = selected.graph();
    let it = graph.item(item);
    Subject::Item {
        package: graph.name(it.package).map(ToString::to_string).unwrap_or_default(),
        kind: it.kind.name().to_owned(),
        slug: it.slug.to_string(),
    }
}

fn missing_subject(selected: &Selected, missing: &Missing) -> Subject {
    let graph = selected.graph();
    let it = graph.item(missing.requester);
    Subject::MissingSkill {
        package: graph.name(it.package).map(ToString::to_string).unwrap_or_default(),
        agent: it.slug.to_string(),
        skill: missing.skill.to_string(),
    }
}

/// The mark of an item.
fn mark(selected: &Selected, reasons: &Reasons<'_>, item: ItemId) -> Mark {
    if selected.is_selected(item) {
        return Mark::Selected;
    }
    let excluded = reasons.why_not(item).iter().any(|reason| matches!(reason, Reason::Excluded { .. }));
    if excluded { Mark::Excluded } else { Mark::Filtered }
}

fn rows(project: &Project, selected: &Selected, tried: Option<&TryEffect>) -> Outline {
    let change = |item: ItemId| match tried {
        Some(effect) if effect.come.contains(&item) => " · would come",
        Some(effect) if effect.go.contains(&item) => " · would go",
        _ => "",
    };
    let graph = selected.graph();
    let reasons = Reasons::new(selected);
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
    let reached = selected.order().iter().copied();
    let rest = graph.packages().filter(|&package| !selected.is_reached(package));
    for package in reached.chain(rest) {
        let key = graph.name(package).map(ToString::to_string).unwrap_or_default();
        let found = package == PackageId::ROOT
            || project.package(&key).is_some_and(|package| !matches!(package.location, Location::Nowhere(_)));
        let items: Vec<ItemId> = graph.items_of(package).collect();
        let taken = items.iter().filter(|&&item| selected.is_selected(item)).count();
        let (mark, note) = if found {
            (Mark::Package, format!("{taken} of {}", items.len()))
        } else {
            (Mark::NotFound, "not found".to_owned())
        };
        let name = if package == PackageId::ROOT { "the project itself" } else { key.as_str() };
        let row = outline.add(None, Entry::new(Subject::Package(key.clone()), mark, name, note), Fold::Leaf);
        for item in items {
            let it = graph.item(item);
            let mark = self::mark(selected, &reasons, item);
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

/// Tells about a project and its selection.
struct Teller<'a> {
    project: &'a Project,
    selected: &'a Selected,
    shared: &'a Shared,
}

impl Teller<'_> {
    fn root(&self) -> &Path {
        &self.project.place.root
    }

    fn key(&self, package: PackageId) -> String {
        self.selected.graph().name(package).map(ToString::to_string).unwrap_or_default()
    }

    fn find(&self, package: &str, kind: &str, slug: &str) -> Option<ItemId> {
        let graph = self.selected.graph();
        let package = if package.is_empty() { PackageId::ROOT } else { graph.find(package)? };
        graph.items_of(package).find(|&item| {
            let it = graph.item(item);
            it.kind.name() == kind && &*it.slug == slug
        })
    }

    /// A line that leads to where something is written.
    fn at(&self, line: Line, place: Option<&Place>) -> Line {
        match place {
            Some(place) => line.to(Target::File(place.path(self.root()), place.line)),
            None => line,
        }
    }

    fn item(&self, item: ItemId) -> Detail {
        let graph = self.selected.graph();
        let it = graph.item(item);
        let reasons = Reasons::new(self.selected);
        let package = self.key(it.package);
        let on_disk = self.project.item(Some(package.as_str()).filter(|key| !key.is_empty()), it.kind, &it.slug);
        let file = on_disk.map(|found| self.root().join(&found.file));
        let mark = mark(self.selected, &reasons, item);
        let why = if self.selected.is_selected(item) { self.why(&reasons, item) } else { self.why_not(&reasons, item) };
        let chain = reasons.why(item, 1).chains.first().map(|chain| self.chain_text(chain)).unwrap_or_default();
        let mut tabs = vec![
            Tab { name: if self.selected.is_selected(item) { "Why" } else { "Why not" }.into(), lines: why },
            Tab { name: "Pulls".into(), lines: self.pulls(&reasons, item) },
        ];
        let mut facts = vec![
            Line::fact("kind", it.kind.name()),
            Line::fact("slug", it.slug.to_string()),
            Line::fact("path", it.path.to_string()),
            self.package_line(it.package),
        ];
        if let Some(found) = on_disk {
            let front = &found.front;
            facts.push(Line::fact("file", found.file.as_str()));
            facts.extend(front.description.as_ref().map(|text| Line::fact("about", text.as_str())));
            facts.extend(front.model.as_ref().map(|text| Line::fact("model", text.as_str())));
            facts.extend(front.mode.as_ref().map(|text| Line::fact("mode", text.as_str())));
            if !front.subagents.is_empty() {
                facts.push(Line::fact("subagents", front.subagents.join(", ")));
            }
        }
        tabs.push(Tab { name: "Item".into(), lines: facts });
        let problems = self.problems(&it.slug, &package);
        Detail {
            subject: subject(self.selected, item),
            title: format!("{} {}", it.kind, it.slug),
            mark,
            badge: graph.spoken(it.package).to_owned(),
            tabs,
            file: file.as_ref().filter(|file| file.is_file()).map(|file| (file.clone(), 1)),
            same: problems.into_iter().map(Subject::Finding).collect(),
            copies: vec![
                ('p', file.map(|file| file.display().to_string()).unwrap_or_default()),
                ('i', it.slug.to_string()),
                ('c', chain),
            ],
        }
    }

    fn package_line(&self, package: PackageId) -> Line {
        let name = self.selected.graph().spoken(package).to_owned();
        Line::of(Tone::Dim, format!("{:<11}", "package"))
            .and(Tone::Accent, name)
            .show(Subject::Package(self.key(package)))
    }

    fn why(&self, reasons: &Reasons<'_>, item: ItemId) -> Vec<Line> {
        let why = reasons.why(item, CHAINS);
        let mut lines = vec![
            Line::of(Tone::Good, "Installed.")
                .and(Tone::Plain, format!(" {}, the shortest first:", counted_chains(&why.count.to_string()))),
        ];
        for (nth, chain) in why.chains.iter().enumerate() {
            lines.push(Line::blank());
            lines.extend(self.chain(nth + 1, chain));
        }
        let listed = u64::try_from(why.chains.len()).unwrap_or(u64::MAX);
        if why.count.more || why.count.number > listed {
            lines.push(Line::blank());
            lines.push(Line::of(Tone::Dim, format!("{listed} of {} chains are shown.", why.count)));
        }
        lines
    }

    fn chain(&self, number: usize, chain: &Chain) -> Vec<Line> {
        let graph = self.selected.graph();
        let step = |(depth, step): (usize, &Step)| {
            let lead = if depth == 0 { format!("{number:>2}  ") } else { format!("{}└ ", " ".repeat(2 + 2 * depth)) };
            let line = Line::of(Tone::Dim, lead);
            match step {
                Step::Item(item) => {
                    line.and(Tone::Accent, item_words(graph, *item)).show(subject(self.selected, *item))
                }
                Step::Line(entry) => {
                    let place = graph.entry(*entry).line.place.as_ref();
                    self.at(line.and(Tone::Plain, "your line ").and(Tone::Accent, step.words(graph)), place)
                }
                Step::Manifest { place, .. } => self.at(line.and(Tone::Plain, step.words(graph)), place.as_ref()),
                Step::Own | Step::Cycle { .. } => line.and(Tone::Plain, step.words(graph)),
            }
        };
        chain.steps.iter().enumerate().map(step).collect()
    }

    fn chain_text(&self, chain: &Chain) -> String {
        let graph = self.selected.graph();
        chain.steps.iter().map(|step| step.words(graph)).collect::<Vec<_>>().join(" -> ")
    }

    fn why_not(&self, reasons: &Reasons<'_>, item: ItemId) -> Vec<Line> {
        let graph = self.selected.graph();
        let mut lines = vec![Line::of(Tone::Warn, "Not installed:"), Line::blank()];
        for reason in reasons.why_not(item) {
            let line = Line::of(Tone::Dim, " -  ").and(Tone::Plain, reason.words(graph));
            lines.push(match &reason {
                Reason::AgentNotSelected { agent } => line.show(subject(self.selected, *agent)),
                _ => self.at(line, reason.place(graph)),
            });
        }
        lines
    }

    /// What an item names, and what that comes to; and who names it.
    fn pulls(&self, reasons: &Reasons<'_>, item: ItemId) -> Vec<Line> {
        let graph = self.selected.graph();
        let mut lines = Vec::new();
        for (reference, end) in reasons.ends(item) {
            let name = graph.ref_name(reference).to_string();
            let supplier = self.selected.supplier(reference);
            lines.push(match (end, supplier) {
                (Some(End::Excluded(skill)), _) => Line::of(Tone::Dim, "-  ")
                    .and(Tone::Accent, name)
                    .and(Tone::Dim, "  excluded by you: the agent is short of it")
                    .show(subject(self.selected, skill)),
                (Some(End::LeftToProvider), _) => {
                    Line::of(Tone::Warn, "?  ").and(Tone::Plain, name).and(Tone::Dim, "  left to a host program")
                }
                (None, Some(skill)) => Line::of(Tone::Good, "+  ")
                    .and(Tone::Accent, name)
                    .and(Tone::Dim, format!("  from {}", graph.spoken(graph.item(skill).package)))
                    .show(subject(self.selected, skill)),
                (None, None) => self.unsupplied(item, reference, name),
            });
        }
        if lines.is_empty() {
            lines.push(Line::of(Tone::Dim, "It names no skills."));
        }
        let named_by = reasons.named_by(item);
        if !named_by.is_empty() {
            lines.extend([Line::blank(), Line::of(Tone::Strong, "Named by")]);
        }
        for &reference in named_by {
            let agent = graph.referrer(reference);
            let tone = if self.selected.is_selected(agent) { Tone::Accent } else { Tone::Dim };
            lines.push(Line::of(tone, item_words(graph, agent)).show(subject(self.selected, agent)));
        }
        lines
    }

    fn unsupplied(&self, item: ItemId, reference: RefId, name: String) -> Line {
        let missing = self.selected.missing().iter().find(|missing| missing.reference == reference);
        let line = Line::of(Tone::Bad, "!  ").and(Tone::Plain, name);
        match missing {
            Some(missing) => line.and(Tone::Bad, "  missing").show(missing_subject(self.selected, missing)),
            None if self.selected.is_selected(item) => line,
            None => line.and(Tone::Dim, "  no package ships it"),
        }
    }

    fn missing(&self, missing: &Missing) -> Detail {
        let graph = self.selected.graph();
        let it = graph.item(missing.requester);
        let agent = subject(self.selected, missing.requester);
        let mut lines = vec![
            Line::of(Tone::Bad, format!("No package ships the skill `{}`.", missing.skill)),
            Line::blank(),
            Line::of(Tone::Dim, format!("{:<11}", "named by"))
                .and(Tone::Accent, item_words(graph, missing.requester))
                .show(agent.clone()),
            Line::fact("searched", self.selected.searched().join(", ")),
        ];
        let skills = graph.items().filter(|(_, item)| item.kind == Kind::Skill).map(|(_, item)| &*item.slug);
        let near = near(&missing.skill, skills, 3);
        if !near.is_empty() {
            lines.push(Line::of(Tone::Dim, format!("{:<11}", "near")).and(Tone::Good, near.join(", ")));
        }
        lines.extend(missing.hint().map(|hint| Line::fact("hint", hint)));
        let package = self.key(it.package);
        let on_disk = self.project.item(Some(package.as_str()).filter(|key| !key.is_empty()), it.kind, &it.slug);
        let file = on_disk.map(|found| (self.root().join(&found.file), found.front.skills_line.unwrap_or(1)));
        if let Some((path, line)) = &file {
            let text = format!("{}:{line}", path.strip_prefix(self.root()).unwrap_or(path).display());
            let row = Line::of(Tone::Dim, format!("{:<11}", "written in")).and(Tone::Accent, text);
            lines.push(row.to(Target::File(path.clone(), *line)));
        }
        let mut same = vec![agent];
        same.extend(self.problems(&missing.skill, &package).into_iter().map(Subject::Finding));
        Detail {
            subject: missing_subject(self.selected, missing),
            title: format!("{} → {}", it.slug, missing.skill),
            mark: Mark::Missing,
            badge: graph.spoken(it.package).to_owned(),
            tabs: vec![Tab { name: "Missing".into(), lines }],
            file,
            same,
            copies: vec![('i', missing.skill.to_string())],
        }
    }

    fn package(&self, key: &str) -> Option<Detail> {
        let graph = self.selected.graph();
        if key.is_empty() {
            let manifest = self.project.place.manifest();
            let lines = vec![Line::plain("The project itself: its own items and lines."), Line::blank()];
            return Some(Detail {
                subject: Subject::Package(String::new()),
                title: "the project itself".into(),
                mark: Mark::Package,
                badge: String::new(),
                tabs: vec![Tab { name: "Package".into(), lines }],
                copies: vec![('p', manifest.display().to_string())],
                file: Some((manifest, 1)),
                same: Vec::new(),
            });
        }
        let package = self.project.package(key)?;
        let mut lines = Vec::new();
        match &package.location {
            Location::At { how, at, .. } => lines.push(Line::fact("found", format!("{at} ({})", how.words()))),
            Location::Project => lines.push(Line::fact("found", "the project itself")),
            Location::Nowhere(looked) => {
                lines.push(Line::of(Tone::Bad, "Its files were not found. Looked for at:"));
                let place = |looked: &crate::selection::source::Looked| {
                    Line::of(Tone::Plain, format!("  {}", looked.at)).and(Tone::Dim, format!("  {}", looked.why))
                };
                lines.extend(looked.iter().map(place));
            }
        }
        lines.extend(package.version().map(|version| Line::fact("version", version)));
        if let Some(locked) = &package.locked {
            let version = locked.version.as_deref().or(locked.commit.as_deref()).unwrap_or("no version");
            lines.push(Line::fact("locked", version));
        }
        if let Some(id) = graph.find(key) {
            let reached = self.selected.is_reached(id);
            let opened = self.selected.is_opened(id);
            let said = match (reached, opened) {
                (true, true) => "reached, and opened: its own dependencies are taken whole",
                (true, false) => "reached, not opened: its own dependencies only supply skills",
                (false, _) => "not reached from any line of yours",
            };
            lines.push(Line::fact("selection", said));
            let items: Vec<ItemId> = graph.items_of(id).collect();
            let taken = items.iter().filter(|&&item| self.selected.is_selected(item)).count();
            lines.push(Line::fact("items", format!("{taken} of {} installed", items.len())));
        }
        lines.extend([Line::blank(), Line::of(Tone::Strong, "Asked for by")]);
        for declaration in &package.declarations {
            let entry = &declaration.entry;
            let by = declaration.by.as_ref().map_or("your line".to_owned(), |by| format!("manifest of {by}"));
            let line = Line::plain(format!("{by} ")).and(Tone::Accent, entry.place.to_string());
            let line = line.and(Tone::Dim, format!("  {}", entry.filter));
            let line = match &entry.version {
                Some(version) => line.and(Tone::Dim, format!("  version {version}")),
                None => line,
            };
            lines.push(self.at(line, Some(&entry.place)));
        }
        let first = package.declarations.first().map(|it| (it.entry.place.path(self.root()), it.entry.place.line));
        let problems = self.problems(key, key);
        Some(Detail {
            subject: Subject::Package(key.to_owned()),
            title: key.to_owned(),
            mark: if matches!(package.location, Location::Nowhere(_)) { Mark::NotFound } else { Mark::Package },
            badge: package.version().unwrap_or_default().to_owned(),
            tabs: vec![Tab { name: "Package".into(), lines }],
            file: first,
            same: problems.into_iter().map(Subject::Finding).collect(),
            copies: vec![('i', key.to_owned())],
        })
    }

    /// The findings that name a slug or package.
    fn problems(&self, name: &str, package: &str) -> Vec<Arc<Finding>> {
        let quoted = format!("`{name}`");
        self.shared
            .findings_about(Part::Selection, |finding| finding.message.contains(&quoted) || finding.path == package)
    }

    /// What a finding is about.
    fn about(&self, finding: &Finding) -> Vec<Subject> {
        if finding.area != Area::Selection {
            return Vec::new();
        }
        let missing = self.selected.missing().iter().filter(|missing| {
            finding.code.contains("missing") && finding.message.contains(&format!("`{}`", missing.skill))
        });
        let mut about: Vec<Subject> = missing.map(|missing| missing_subject(self.selected, missing)).collect();
        let named = |key: &str| finding.path == key || finding.message.contains(&format!("`{key}`"));
        let packages = self.project.packages.iter().filter(|package| named(&package.key));
        about.extend(packages.map(|package| Subject::Package(package.key.to_string())));
        about
    }
}

fn counted_chains(number: &str) -> String {
    if number == "1" { counted(1, "chain of reasons", "") } else { format!("{number} chains of reasons") }
}
