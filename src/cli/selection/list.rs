//! `selection list` and `selection packages`.

use std::io;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::json;
use unicode_width::UnicodeWidthStr;

use super::Here;
use crate::cli::output::{Answer, Printer, Tone};
use crate::finding::{Finding, Severity};
use crate::mark::Mark;
use crate::selection::answer;
use crate::selection::boundary::{Diagnostics, Items, MissingSkills};
use crate::selection::findings::{findings, similar_skill};
use crate::selection::opinion::{Difference, differences};
use crate::selection::overview::{self, Row, State};
use crate::selection::project::{Location, Package};
use crate::selection::reasons::{Reasons, item_words};
use crate::selection::select::End;
use crate::selection::{Graph, Kind, Project, Requester, Selection, select};
use crate::text::visible;

/// Everything `list` says.
struct List {
    project: Option<Project>,
    selection: Selection,
    differences: Vec<Difference>,
    findings: Vec<Finding>,
}

impl List {
    fn of(here: Here) -> List {
        let mut findings_ = here.passed;
        let selection = match &here.project {
            Some(project) => select(project.graph()),
            None => select(&Graph::new(crate::selection::model::View::default())),
        };
        let mut differences_ = Vec::new();
        if let Some(project) = &here.project {
            findings_.extend(findings(project, &selection));
            differences_ = differences(project, &selection);
        }
        List { project: here.project, selection, differences: differences_, findings: findings_ }
    }

    fn rows(&self, reasons: &Reasons<'_>) -> Vec<Row> {
        self.project.as_ref().map_or_else(Vec::new, |project| overview::packages(project, reasons))
    }
}

impl Serialize for List {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let reasons = Reasons::new(&self.selection);
        let mut out = to.serialize_map(None)?;
        out.serialize_entry("project", &self.project.as_ref().map(|project| project.place.root.to_string_lossy()))?;
        out.serialize_entry("items", &Items(&self.selection))?;
        out.serialize_entry("missing_skills", &MissingSkills(&self.selection))?;
        out.serialize_entry("diagnostics", &Diagnostics(&self.selection))?;
        out.serialize_entry("packages", &Packages(self, &self.rows(&reasons)))?;
        out.serialize_entry("absent", &Absent(&reasons))?;
        out.serialize_entry("ended_refs", &EndedRefs(&self.selection))?;
        let lock = self.project.as_ref().and_then(|project| project.lock.as_ref());
        out.serialize_entry(
            "lock",
            &lock.map(|lock| json!({"version": lock.version, "differences": self.differences})),
        )?;
        out.serialize_entry("findings", &self.findings)?;
        out.end()
    }
}

/// The items that are not selected, each with its reasons.
struct Absent<'a>(&'a Reasons<'a>);

impl Serialize for Absent<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let selection = self.0.selection();
        let graph = selection.graph();
        let absent = graph.items().filter(|(id, _)| !selection.is_selected(*id));
        to.collect_seq(absent.map(|(id, item)| {
            json!({
                "package": graph.name(item.package),
                "kind": item.kind,
                "slug": item.slug,
                "path": item.path,
                "reasons": answer::reasons(self.0, id),
            })
        }))
    }
}

/// The refs dropped by an exclude or left to a provider.
struct EndedRefs<'a>(&'a Selection);

impl Serialize for EndedRefs<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let graph = self.0.graph();
        to.collect_seq(self.0.ended().iter().map(|ended| {
            let agent = graph.item(ended.requester);
            let (how, supplier) = match ended.how {
                End::Excluded(skill) => ("excluded", graph.name(graph.item(skill).package)),
                End::LeftToProvider => ("left-to-provider", None),
            };
            json!({
                "skill": graph.ref_name(ended.reference),
                "agent": agent.slug,
                "package": graph.name(agent.package),
                "how": how,
                "supplier": supplier,
            })
        }))
    }
}

/// The packages.
struct Packages<'a>(&'a List, &'a [Row]);

impl Serialize for Packages<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.1.iter().map(|row| package_json(self.0, row)))
    }
}

fn package_json(list: &List, row: &Row) -> serde_json::Value {
    let package = row.key.as_ref().and_then(|key| list.project.as_ref()?.package(key));
    let count = |kind: Kind| row.items.iter().filter(|(id, _)| list.selection.graph().item(*id).kind == kind).count();
    let (how, at, commit, places) = match package.map(|package| &package.location) {
        Some(Location::At { how, at, commit, .. }) => (Some(how), Some(at), commit.as_ref(), None),
        Some(Location::Nowhere(looked)) => (None, None, None, Some(looked)),
        Some(Location::Project) | None => (None, None, None, None),
    };
    let declared = package.map(|package| {
        let declared = package.declarations.iter().map(|declaration| {
            let entry = &declaration.entry;
            json!({
                "by": declaration.by,
                "place": entry.place,
                "url": entry.url,
                "path": entry.path,
                "subpath": entry.subpath,
                "version": entry.version,
                "filter": entry.filter,
            })
        });
        declared.collect::<Vec<_>>()
    });
    let locked = package.and_then(|package| package.locked.as_ref());
    let contents = match (package, &list.project) {
        (Some(package), _) => Some(&package.contents),
        (None, project) => project.as_ref().map(|project| &project.own),
    };
    let servers = contents.map(|contents| {
        let servers = contents.others.iter().filter(|item| item.kind == Kind::McpServer);
        servers.map(|item| json!({"slug": item.slug, "path": item.path})).collect::<Vec<_>>()
    });
    json!({
        "package": row.key,
        "found": row.id.is_some(),
        "how": how,
        "at": at,
        "commit": commit,
        "looked_at": places,
        "version": package.and_then(Package::version),
        "locked": locked.map(|locked| json!({"version": locked.version, "commit": locked.commit, "place": locked.place})),
        "declared": declared,
        "opened": row.id.is_some_and(|id| list.selection.is_opened(id)),
        "agents": count(Kind::Agent),
        "skills": count(Kind::Skill),
        "bootstrap_docs": count(Kind::BootstrapDoc),
        "hooks": count(Kind::Hook),
        "mcp_servers": servers,
        "selected": row.selected,
    })
}

/// `selection list`.
pub fn list(here: Here) -> Answer {
    let begin = here.begin.clone();
    Answer::new(List::of(here), move |list, to| {
        let Some(project) = &list.project else {
            to.line(&begin)?;
            return remarks(&list.findings, to);
        };
        let reasons = Reasons::new(&list.selection);
        let rows = list.rows(&reasons);
        to.toned(Tone::Strong, project.place.root.to_string_lossy())?;
        to.line(format!("  {}", summary(&list.selection, rows.len())))?;
        for row in &rows {
            to.line("")?;
            package_head(project, row, to)?;
            items_text(&reasons, row, to)?;
        }
        missing_text(&list.selection, to)?;
        ended_text(&list.selection, to)?;
        remarks(&list.findings, to)
    })
}

/// `selection packages`.
pub fn packages(here: Here) -> Answer {
    struct Only(List);
    impl Serialize for Only {
        fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            let reasons = Reasons::new(&self.0.selection);
            let mut out = to.serialize_map(Some(1))?;
            out.serialize_entry("packages", &Packages(&self.0, &self.0.rows(&reasons)))?;
            out.end()
        }
    }
    let begin = here.begin.clone();
    Answer::new(Only(List::of(here)), move |Only(list), to| {
        let Some(project) = &list.project else { return to.line(&begin) };
        let reasons = Reasons::new(&list.selection);
        let rows = list.rows(&reasons);
        if rows.is_empty() {
            return to.line("No packages: mars.toml asks for none.");
        }
        for row in &rows {
            package_head(project, row, to)?;
            let package = row.key.as_ref().and_then(|key| project.package(key));
            for declaration in package.into_iter().flat_map(|package| &package.declarations) {
                let entry = &declaration.entry;
                let by = declaration.by.as_ref().map_or("you".to_owned(), |by| format!("manifest of {by}"));
                let source = entry.path.as_ref().or(entry.url.as_ref()).cloned().unwrap_or_default();
                let version = entry.version.as_ref().map_or(String::new(), |version| format!("  version {version}"));
                to.line(format!("    {by}  {}  {source}{version}  ({})", entry.place, entry.filter))?;
            }
            if let Some(Location::Nowhere(looked)) = package.map(|package| &package.location) {
                looked.iter().try_for_each(|looked| to.line(format!("    looked at {}: {}", looked.at, looked.why)))?;
            }
        }
        Ok(())
    })
}

/// The text of `selection resolve`.
pub fn graph_text(selection: &Selection, to: &mut Printer<'_>) -> io::Result<()> {
    let reasons = Reasons::new(selection);
    let rows = overview::in_graph(&reasons);
    to.line(summary(selection, rows.len()))?;
    for row in &rows {
        to.line("")?;
        to.toned(Tone::Strong, row.key.as_deref().unwrap_or("(your package)"))?;
        to.line(format!("  {} of {} selected", row.selected, row.items.len()))?;
        items_text(&reasons, row, to)?;
    }
    missing_text(selection, to)?;
    ended_text(selection, to)?;
    for duplicate in selection.duplicates() {
        to.line(format!("{} {}", Mark::Duplicate.glyph(), duplicate.message(selection.graph())))?;
    }
    Ok(())
}

fn summary(selection: &Selection, packages: usize) -> String {
    let mut parts = vec![format!("{} selected", selection.items().len()), counted(packages, "package")];
    if !selection.missing().is_empty() {
        parts.push(format!("{} missing", selection.missing().len()));
    }
    if !selection.duplicates().is_empty() {
        parts.push(counted(selection.duplicates().len(), "duplicate"));
    }
    parts.join(" · ")
}

fn counted(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

fn package_head(project: &Project, row: &Row, to: &mut Printer<'_>) -> io::Result<()> {
    let Some(key) = &row.key else {
        to.toned(Tone::Strong, "(your package)")?;
        return to.line(format!("  {} of {} selected", row.selected, row.items.len()));
    };
    let package = project.package(key);
    to.toned(Tone::Strong, key)?;
    if let Some(version) = package.and_then(Package::read_version) {
        to.part(format!("  {version}"))?;
    }
    match package.map(|package| &package.location) {
        Some(Location::At { how, at, .. }) => {
            to.part(format!("  {} of {} selected  ", row.selected, row.items.len()))?;
            to.toned(Tone::Dim, format!("{}: {at}", how.words()))?;
        }
        Some(Location::Nowhere(_)) => to.toned(Tone::Bad, format!("  {}", Mark::NotFound.told()))?,
        Some(Location::Project) | None => {}
    }
    to.line("")
}

fn items_text(reasons: &Reasons<'_>, row: &Row, to: &mut Printer<'_>) -> io::Result<()> {
    let selection = reasons.selection();
    let graph = selection.graph();
    let cells = |slug: &str| visible(slug).width();
    let width = row.items.iter().map(|(id, _)| cells(&graph.item(*id).slug)).max().unwrap_or(0).min(32);
    for &(id, state) in &row.items {
        let item = graph.item(id);
        let tone = match state {
            State::Selected => Tone::Good,
            State::Duplicate => Tone::Warn,
            State::Excluded | State::FilteredOut | State::NotAsked => Tone::Dim,
        };
        to.toned(tone, format!("  {} ", state.mark().glyph()))?;
        let fill = " ".repeat(width.saturating_sub(cells(&item.slug)));
        to.part(format!("{:<13}  {}{fill}  ", item.kind, item.slug))?;
        let said = if selection.is_selected(id) {
            requesters(selection, id)
        } else {
            reasons.why_not(id).first().map_or(String::new(), |reason| reason.words(graph))
        };
        to.toned(Tone::Dim, said)?;
        to.line("")?;
    }
    Ok(())
}

/// Who asked for an item, shortened.
fn requesters(selection: &Selection, id: crate::selection::ItemId) -> String {
    let graph = selection.graph();
    let mut names: Vec<String> = selection
        .requesters(id)
        .take(4)
        .map(|requester| match requester {
            Requester::Consumer => "you".to_owned(),
            Requester::Package(package) => format!("manifest of {}", graph.spoken(package)),
            Requester::Item(item) => item_words(graph, item),
        })
        .collect();
    if names.len() > 3 {
        let all = selection.requesters(id).count();
        names.truncate(2);
        names.push(format!("{} more", all - 2));
    }
    names.join(", ")
}

fn missing_text(selection: &Selection, to: &mut Printer<'_>) -> io::Result<()> {
    if selection.missing().is_empty() {
        return Ok(());
    }
    let graph = selection.graph();
    to.line("")?;
    to.toned(Tone::Strong, "Missing skills")?;
    to.line("")?;
    for (nth, missing) in selection.missing().iter().enumerate() {
        to.toned(Tone::Bad, format!("  {} ", Mark::Missing.glyph()))?;
        to.part(format!("{}  named by {}", missing.skill, item_words(graph, missing.requester)))?;
        // looked for among all skills, so only as long as somebody reads
        let similar = if nth < 50 { similar_skill(graph, &missing.skill) } else { None };
        match similar.or_else(|| missing.hint()) {
            Some(hint) => to.line(format!("  {hint}"))?,
            None => to.line("")?,
        }
    }
    Ok(())
}

fn ended_text(selection: &Selection, to: &mut Printer<'_>) -> io::Result<()> {
    if selection.ended().is_empty() {
        return Ok(());
    }
    let graph = selection.graph();
    to.line("")?;
    to.toned(Tone::Strong, "Refs without a skill, as you want it")?;
    to.line("")?;
    for ended in selection.ended() {
        let (mark, why) = match ended.how {
            End::Excluded(skill) => {
                (Mark::Excluded, format!("excluded by you from {}", graph.spoken(graph.item(skill).package)))
            }
            End::LeftToProvider => (Mark::Provider, "left to a provider".to_owned()),
        };
        let agent = item_words(graph, ended.requester);
        to.line(format!("  {} {}  named by {agent}, {why}", mark.glyph(), graph.ref_name(ended.reference)))?;
    }
    Ok(())
}

/// The findings that are not already told: errors and warnings, and how many notes there are.
fn remarks(findings: &[Finding], to: &mut Printer<'_>) -> io::Result<()> {
    let told = |finding: &&Finding| finding.code != "missing-skill" && finding.severity != Severity::Note;
    let notes = findings.iter().filter(|finding| finding.severity == Severity::Note).count();
    let mut first = true;
    for finding in findings.iter().filter(told) {
        if std::mem::take(&mut first) {
            to.line("")?;
        }
        let (tone, word) = match finding.severity {
            Severity::Error => (Tone::Bad, "error"),
            Severity::Warning => (Tone::Warn, "warning"),
            Severity::Note => (Tone::Dim, "note"),
        };
        to.toned(tone, format!("{word:<8}"))?;
        to.line(format!("{}  {}", finding.place(), finding.message))?;
        if let Some(fix) = &finding.fix {
            to.toned(Tone::Dim, format!("        {fix}"))?;
            to.line("")?;
        }
    }
    if notes > 0 {
        to.line("")?;
        to.toned(Tone::Dim, format!("{}: dagwood check --only selection", counted(notes, "note")))?;
        to.line("")?;
    }
    Ok(())
}
