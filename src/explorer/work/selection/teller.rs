//! All there is to say about a package, an item, a missing skill.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::{CHAINS, is_of_the_same, mark, missing_subject, subject};
use crate::explorer::model::{Detail, ItemSubject, Line, Mark, Part, Subject, Tab, Target, Tone};
use crate::explorer::work::{Shared, counted};
use crate::finding::{Area, Finding};
use crate::selection::answer;
use crate::selection::findings::{missing_words, similar_skill};
use crate::selection::graph::RefId;
use crate::selection::model::Place;
use crate::selection::project::Location;
use crate::selection::reasons::{Chain, Reason, Reasons, Step, item_words};
use crate::selection::select::{End, Missing};
use crate::selection::what_if::{Try, only_through};
use crate::selection::{ItemId, Name, PackageId, Project, Selection as Selected};

/// Tells about a project and its selection.
pub(super) struct Teller<'a> {
    pub project: &'a Project,
    pub selected: &'a Selected,
    pub shared: &'a Shared,
}

impl Teller<'_> {
    fn root(&self) -> &Path {
        &self.project.place.root
    }

    pub fn key(&self, package: PackageId) -> String {
        self.selected.graph().name(package).map(ToString::to_string).unwrap_or_default()
    }

    pub fn find(&self, package: &str, kind: &str, slug: &str) -> Option<ItemId> {
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

    pub fn item(&self, item: ItemId) -> Detail {
        let graph = self.selected.graph();
        let it = graph.item(item);
        let reasons = Reasons::new(self.selected);
        let package = self.key(it.package);
        let on_disk = self.project.item(Some(package.as_str()).filter(|key| !key.is_empty()), it.kind, &it.slug);
        let file = on_disk.map(|found| self.root().join(&found.file));
        let mark = mark(self.selected, item);
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
        let json = answer::why(&reasons, item, answer::CHAINS);
        Detail {
            subject: subject(self.selected, item),
            title: format!("{} {}", it.kind, it.slug),
            mark,
            badge: graph.spoken(it.package).to_owned(),
            tabs,
            file: file.filter(|file| file.is_file()).map(|file| (file, 1)),
            same: problems.into_iter().map(Subject::Finding).collect(),
            copies: vec![('i', it.slug.to_string()), ('c', chain), ('j', json.to_string())],
            fixed: self.fixed(&subject(self.selected, item)),
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
        let how = match why.count.number {
            1 => " One chain of reasons:".to_owned(),
            _ => format!(" {} chains of reasons, the shortest first:", why.count),
        };
        let mut lines = vec![Line::of(Tone::Good, "Installed.").and(Tone::Plain, how)];
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
                Step::Manifest { package, place } => {
                    let line = line.and(Tone::Plain, format!("manifest of {}", graph.spoken(*package)));
                    let at = place.as_ref().map(|place| {
                        // a cache's path is long and says little: its end is enough
                        let file = place.file.rsplit('/').next().unwrap_or_default();
                        format!("  {file}:{}", place.line)
                    });
                    self.at(line.and(Tone::Dim, at.unwrap_or_default()), place.as_ref())
                }
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
                _ => self.at(line, reason.filter_place(graph).or(reason.place(graph))),
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

    pub fn missing(&self, missing: &Missing) -> Detail {
        let graph = self.selected.graph();
        let it = graph.item(missing.requester);
        let agent = subject(self.selected, missing.requester);
        let searched = self.selected.searched().join(", ");
        let mut lines = vec![
            Line::of(Tone::Bad, format!("No package ships the skill `{}`.", missing.skill)),
            Line::blank(),
            Line::of(Tone::Dim, format!("{:<11}", "named by"))
                .and(Tone::Accent, item_words(graph, missing.requester))
                .show(agent.clone()),
            Line::fact("searched", if searched.is_empty() { "no package is asked for".to_owned() } else { searched }),
        ];
        if let Some(near) = similar_skill(graph, &missing.skill) {
            lines.push(Line::of(Tone::Dim, format!("{:<11}", "near")).and(Tone::Good, near));
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
            fixed: Some("nothing to try on this row".to_owned()),
        }
    }

    pub fn package(&self, key: &str) -> Option<Detail> {
        let graph = self.selected.graph();
        if key.is_empty() {
            let manifest = self.project.place.manifest();
            let own = graph.items_of(PackageId::ROOT).count();
            let lines = vec![
                Line::plain(
                    "The project itself: its own items, which are always selected, and its lines, which ask for the rest.",
                ),
                Line::blank(),
                Line::fact("items", counted(own, "item of its own", "items of its own")),
                Line::fact("lines", counted(graph.entries().count(), "line", "lines")),
                Line::fact("written in", "mars.toml").to(Target::File(manifest.clone(), 1)),
            ];
            return Some(Detail {
                subject: Subject::Package(String::new()),
                title: "the project itself".into(),
                mark: Mark::Package,
                badge: String::new(),
                tabs: vec![Tab { name: "Package".into(), lines }],
                copies: Vec::new(),
                file: Some((manifest, 1)),
                same: Vec::new(),
                fixed: self.fixed(&Subject::Package(String::new())),
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
        lines.extend(package.read_version().map(|version| Line::fact("version", version)));
        let declared = package.version().filter(|version| Some(*version) != package.read_version());
        lines.extend(declared.map(|version| Line::fact("its own", format!("{version}, as its manifest says"))));
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
            for (line, entry) in graph.entries().filter(|(_, entry)| entry.line.target == Some(id)) {
                let only = only_through(self.selected, line).len();
                let at = entry.line.place.as_ref().map(ToString::to_string).unwrap_or_default();
                lines.push(Line::fact(
                    "only here",
                    format!("{} only through your line {at}", counted(only, "item", "items")),
                ));
            }
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
            badge: package.read_version().unwrap_or_default().to_owned(),
            tabs: vec![Tab { name: "Package".into(), lines }],
            file: first,
            same: problems.into_iter().map(Subject::Finding).collect(),
            copies: vec![('i', key.to_owned())],
            fixed: self.fixed(&Subject::Package(key.to_owned())),
        })
    }

    /// The other state of an item or line that can be tried: excluded, included, dropped; or why none can.
    pub fn other(&self, subject: &Subject) -> Result<Try, String> {
        let name = |text: &str| Name::from(text);
        Ok(match subject {
            Subject::Package(key) if key.is_empty() => return Err("your own package is always whole".to_owned()),
            Subject::Package(key) => Try::Drop { key: name(key) },
            Subject::Item(item) if item.package.is_empty() => {
                return Err(format!("`{}` is your own: it is always selected", item.slug));
            }
            Subject::Item(item) => {
                let ItemSubject { package, kind, slug } = item.as_ref();
                let item = self.find(package, kind, slug).ok_or_else(|| format!("no item {slug} in {package}"))?;
                let path = self.selected.graph().item(item).path.clone();
                if self.selected.is_selected(item) {
                    Try::Exclude { key: name(package), item: path }
                } else {
                    Try::Include { key: name(package), item: path }
                }
            }
            _ => return Err("nothing to try on this row".to_owned()),
        })
    }

    /// Why nothing can be tried, where nothing can.
    fn fixed(&self, subject: &Subject) -> Option<String> {
        let mut tries = Shared::held(&self.shared.selection_tries).clone();
        let other = match self.other(subject) {
            Ok(other) if tries.iter().any(|tried| is_of_the_same(tried, &other)) => return None,
            Ok(other) => other,
            Err(why) => return Some(why),
        };
        tries.push(other);
        self.project.graph().try_out(&tries).err().map(|error| error.to_string())
    }

    /// The findings that name a slug or package.
    fn problems(&self, name: &str, package: &str) -> Vec<Arc<Finding>> {
        let quoted = format!("`{name}`");
        self.shared
            .findings_about(Part::Selection, |finding| finding.message.contains(&quoted) || finding.path == package)
    }

    /// What findings may be about, by name.
    pub fn things(&self) -> Things<'_> {
        let graph = self.selected.graph();
        let mut things = Things { teller: self, missing: HashMap::new(), doubled: HashMap::new() };
        for missing in self.selected.missing() {
            things.missing.entry(missing_words(graph, missing)).or_default().push(missing);
        }
        for duplicate in self.selected.duplicates() {
            things.doubled.entry(duplicate.message(graph)).or_default().extend(&duplicate.items);
        }
        things
    }
}

/// What findings may be about, by name: there may be as many of the one as of the other.
pub(super) struct Things<'a> {
    teller: &'a Teller<'a>,
    /// The skills that are missing, by how what is said of them begins.
    missing: HashMap<String, Vec<&'a Missing>>,
    /// The items that share a slug, by what is said of them.
    doubled: HashMap<String, Vec<ItemId>>,
}

impl Things<'_> {
    /// What a finding is about.
    pub fn about(&self, finding: &Finding) -> Vec<Subject> {
        if finding.area != Area::Selection {
            return Vec::new();
        }
        let Teller { project, selected, .. } = self.teller;
        // names stand between backticks
        let quoted: HashSet<&str> = finding.message.split('`').skip(1).collect();
        let mut about = Vec::new();
        if let Some((words, _)) = finding.message.split_once(", which none of ") {
            let missing = self.missing.get(words).into_iter().flatten();
            about.extend(missing.map(|missing| missing_subject(selected, missing)));
        }
        if finding.code.contains("duplicate-slug") {
            let doubled = self.doubled.get(&finding.message).into_iter().flatten();
            about.extend(doubled.map(|&item| subject(selected, item)));
        }
        let packages = project.packages.iter();
        let packages = packages.filter(|package| finding.path == *package.key || quoted.contains(&*package.key));
        about.extend(packages.map(|package| Subject::Package(package.key.to_string())));
        about
    }
}
