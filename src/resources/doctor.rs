//! What is wrong with a registry, however it came about: named, with the safe mending of it; nothing is mended here.

use std::collections::{BTreeMap, HashSet};

use super::components::Downward;
use super::error::Error;
use super::graph;
use super::model::{Named, Node, Resource, thousands, ulid_form};
use super::path_text;
use super::registry::{Registry, Survey};
use super::types::{NONE, ResourceType};
use crate::finding::{Area, Finding, Severity};
use crate::text::shell;

/// So many findings of one kind are written out; the rest is counted.
const MOST_OF_A_KIND: usize = 500;

/// Everything that is wrong with a registry, or worth knowing about it. A missing one has nothing wrong.
///
/// # Errors
/// When the file cannot be read at all.
pub fn findings(registry: &Registry) -> Result<Vec<Finding>, Error> {
    if registry.is_missing() {
        return Ok(Vec::new());
    }
    let _moment = registry.snapshot()?;
    findings_in(registry, &registry.survey()?)
}

/// What only a look at every link tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Examined {
    /// The findings.
    pub findings: Vec<Finding>,
    /// The resources reachable from no root: those in a cycle and below one.
    pub cyclic: Vec<Node>,
}

/// The findings of [`findings`] and what no root reaches, both from one look at all links.
///
/// # Errors
/// As [`findings`].
pub fn examine(registry: &Registry) -> Result<Examined, Error> {
    if registry.is_missing() {
        return Ok(Examined::default());
    }
    let _moment = registry.snapshot()?;
    let survey = registry.survey()?;
    Ok(Examined { findings: findings_in(registry, &survey)?, cyclic: registry.cyclic_in(&survey)? })
}

fn findings_in(registry: &Registry, survey: &Survey) -> Result<Vec<Finding>, Error> {
    let mut doctor = Doctor { registry, found: Vec::new(), counts: BTreeMap::new() };
    doctor.file()?;
    let types = doctor.types(survey)?;
    doctor.links(survey, &types)?;
    doctor.cycles(survey)?;
    doctor.ids(survey)?;
    doctor.overflow();
    Ok(doctor.found)
}

/// What is wrong with one resource: its type, and the links above and below it.
pub(crate) fn findings_of(
    registry: &Registry,
    resource: &Resource,
    type_problem: Option<&str>,
) -> Result<Vec<Finding>, Error> {
    let mut doctor = Doctor { registry, found: Vec::new(), counts: BTreeMap::new() };
    let about = resource.named();
    if let Some(problem) = type_problem {
        let fix = "`dagwood type add --update FILE` writes the type".to_owned();
        doctor.say("type-missing", Severity::Error, &about, problem.to_owned(), fix);
    }
    for link in registry.broken_links(&resource.id)? {
        if link.parent_id == link.child_id {
            doctor.self_link(&about);
        } else {
            doctor.dangling(&registry.named(&link.parent_id)?, &registry.named(&link.child_id)?);
        }
    }
    if let Some(way) = graph::cycle_through(&registry.draft(), &resource.id)? {
        let way = graph::names(&registry.draft(), way)?;
        doctor.cycle(&way, way.len() - 1);
    }
    Ok(doctor.found)
}

struct Doctor<'a> {
    registry: &'a Registry,
    found: Vec<Finding>,
    counts: BTreeMap<String, usize>,
}

impl Doctor<'_> {
    fn say(&mut self, code: &str, severity: Severity, about: &Named, message: String, fix: String) {
        let finding = Finding::new(Area::Resources, code, severity, about.to_string(), message);
        self.add(finding.key(about.id.as_str()).fix(fix));
    }

    fn add(&mut self, finding: Finding) {
        let count = self.counts.entry(finding.code.clone()).or_default();
        *count += 1;
        if *count <= MOST_OF_A_KIND {
            self.found.push(finding);
        }
    }

    fn about_file(&mut self, code: &str, severity: Severity, message: String, fix: &str) {
        let file = self.registry.file().to_string_lossy().into_owned();
        self.add(Finding::new(Area::Resources, code, severity, file, message).fix(fix));
    }

    fn file(&mut self) -> Result<(), Error> {
        for problem in self.registry.integrity()? {
            let message = format!("the file is damaged: {problem}");
            self.about_file("integrity", Severity::Error, message, "copy the file, then try `sqlite3 FILE .recover`");
        }
        if self.registry.is_foreign() {
            let message = "a registry of the original program; it is opened to look at".to_owned();
            self.about_file("foreign-registry", Severity::Note, message, "`--write-foreign` allows writing to it");
        }
        if let Some(rows) = self.registry.legacy_edges()? {
            let message = format!("the older table resource_edges ({} rows) is not read", thousands(rows));
            self.about_file("legacy-edges", Severity::Note, message, "only resource_links counts");
        }
        for (name, times) in self.registry.names_twice()? {
            let message = format!("{} resources are named \"{name}\"; names are unique", thousands(times));
            self.about_file(
                "duplicate-name",
                Severity::Error,
                message,
                "rename all but one: `dagwood resource set ID --name`",
            );
        }
        Ok(())
    }

    fn types(&mut self, survey: &Survey) -> Result<BTreeMap<String, ResourceType>, Error> {
        let rows = self.registry.type_rows()?;
        let names: HashSet<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        let mut types = BTreeMap::new();
        let add = "`dagwood type add FILE` adds it";
        for row in &rows {
            let known = match row.resource_type() {
                Ok(known) => known,
                Err(error) => {
                    let finding =
                        Finding::new(Area::Resources, "type-unreadable", Severity::Error, &row.name, error.to_string());
                    self.add(finding.fix("`dagwood type add --update FILE` writes it again"));
                    continue;
                }
            };
            for child in known.child_type_names().filter(|child| *child != NONE && !names.contains(child)) {
                let message = format!("{} may contain {child}, which is no type here", row.name);
                let finding =
                    Finding::new(Area::Resources, "child-type-missing", Severity::Warning, &row.name, message);
                self.add(finding.key("child_types").fix(add));
            }
            for rule in
                known.rules().iter().filter(|rule| rule.is_enabled() && !names.contains(rule.child_type.as_str()))
            {
                let message = format!("a rule of {} makes {}, which is no type here", row.name, rule.child_type);
                let finding = Finding::new(Area::Resources, "rule-type-missing", Severity::Warning, &row.name, message);
                self.add(finding.key("auto_discovery").fix(add));
            }
            types.insert(row.name.clone(), known);
        }
        let mut users = vec![0_u64; survey.type_names.len()];
        survey.type_of.iter().for_each(|nth| users[*nth as usize] += 1);
        for (name, users) in survey.type_names.iter().zip(users) {
            if !names.contains(name.as_str()) {
                let message = format!(
                    "the type \"{name}\" has no row, and {} resources have it; they can have no children",
                    thousands(users)
                );
                let finding = Finding::new(Area::Resources, "type-missing", Severity::Error, name, message);
                self.add(finding.fix(add));
            }
        }
        Ok(types)
    }

    fn named(&self, survey: &Survey, number: u32) -> Result<Named, Error> {
        self.registry.named(&survey.id(number))
    }

    fn links(&mut self, survey: &Survey, types: &BTreeMap<String, ResourceType>) -> Result<(), Error> {
        let mut unfit: BTreeMap<(u32, u32), (u64, (u32, u32))> = BTreeMap::new();
        for &(parent, child) in &survey.links {
            let there = |number: u32| (number as usize) < survey.with_row;
            if parent == child {
                let about = self.named(survey, parent)?;
                self.self_link(&about);
            } else if !there(parent) || !there(child) {
                let (parent, child) = (self.named(survey, parent)?, self.named(survey, child)?);
                self.dangling(&parent, &child);
            } else {
                let pair = (survey.type_of[parent as usize], survey.type_of[child as usize]);
                unfit.entry(pair).or_insert((0, (parent, child))).0 += 1;
            }
        }
        for ((parent_type, child_type), (count, (parent, child))) in unfit {
            let (parent_type, child_type) =
                (&survey.type_names[parent_type as usize], &survey.type_names[child_type as usize]);
            if types.get(parent_type).is_none_or(|known| known.allows(child_type)) {
                continue;
            }
            let (parent, child) = (self.named(survey, parent)?, self.named(survey, child)?);
            let message = format!(
                "{} between {parent_type} and {child_type}, which {parent_type} may not contain (the first: {parent} → {child})",
                super::registry::counted(count, "link")
            );
            let fix = "let the type allow it, or unlink; links that are there stay".to_owned();
            self.say("incompatible-link", Severity::Warning, &parent, message, fix);
        }
        Ok(())
    }

    fn cycles(&mut self, survey: &Survey) -> Result<(), Error> {
        let graph = Downward::new(survey.len(), &survey.links);
        for component in graph.components() {
            let mut way = Vec::new();
            for number in graph.way_round(&component) {
                way.push(self.named(survey, number)?);
            }
            self.cycle(&way, component.len());
        }
        Ok(())
    }

    fn self_link(&mut self, about: &Named) {
        let name = about.to_string();
        let fix = format!("`dagwood resource repair --break {0} {0}`", shell(&name));
        self.say("self-link", Severity::Error, about, format!("{about} is linked to itself"), fix);
    }

    fn dangling(&mut self, parent: &Named, child: &Named) {
        let (missing, about) = if parent.type_name.is_empty() { ("parent", child) } else { ("child", parent) };
        let message = format!("the link {parent} → {child} has a {missing} that does not exist");
        let fix = "`dagwood resource repair --remove-dangling`".to_owned();
        self.say("dangling-link", Severity::Error, about, message, fix);
    }

    fn cycle(&mut self, way: &[Named], resources: usize) {
        let [first, second, ..] = way else { return };
        let message = format!("{} resources contain each other: {}", thousands(resources), path_text(way));
        let (parent, child) = (first.to_string(), second.to_string());
        let command = format!("dagwood resource repair --break {} {}", shell(&parent), shell(&child));
        let fix = format!("take one of the links away, for example `{command}`");
        self.say("cycle", Severity::Error, first, message, fix);
    }

    fn ids(&mut self, survey: &Survey) -> Result<(), Error> {
        let odd = |number: &u32| ulid_form(survey.text(*number)).as_deref() != Some(survey.text(*number));
        let mut numbers = (0..).take(survey.with_row).filter(odd);
        let Some(first) = numbers.next() else { return Ok(()) };
        let count = 1 + numbers.count();
        let about = self.named(survey, first)?;
        let message = format!("{} that is no ULID (the first: {})", super::registry::counted(count, "id"), about.id);
        self.say("not-a-ulid", Severity::Note, &about, message, "nothing to do: ids are opaque".to_owned());
        Ok(())
    }

    /// One line for what was too much to be written out.
    fn overflow(&mut self) {
        let more: Vec<(String, usize)> = self
            .counts
            .iter()
            .filter(|(_, count)| **count > MOST_OF_A_KIND)
            .map(|(code, count)| (code.clone(), count - MOST_OF_A_KIND))
            .collect();
        for (code, count) in more {
            let severity =
                self.found.iter().find(|found| found.code == code).map_or(Severity::Note, |found| found.severity);
            let file = self.registry.file().to_string_lossy().into_owned();
            let message = format!("{} more findings of this kind", thousands(count));
            self.found.push(Finding::new(Area::Resources, &code, severity, file, message));
        }
    }
}
