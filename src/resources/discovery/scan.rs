//! Looking: which entries the rules find below a resource, before anything is written.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::pattern::Pattern;
use super::{Discover, Progress, Reach, Skip, Watch, directory, git, path_of};
use crate::resources::error::Error;
use crate::resources::graph::Store;
use crate::resources::model::Resource;
use crate::resources::registry::Draft;
use crate::resources::types::{Handler, ResourceType, Rule};

/// Entries between two looks at the cancel flag.
pub(super) const STEP: usize = 1_000;

/// Something a rule found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The index of what it was found in; `None` for the resource the discovery began with.
    pub parent: Option<usize>,
    /// The type of the child it makes.
    pub child_type: Arc<str>,
    /// What its name ends with; a placeholder has none.
    pub entry: Option<String>,
    /// Where it is; a placeholder is nowhere.
    pub location: Option<String>,
    /// What it is, where that is known.
    pub description: Option<String>,
}

/// What was found, parents before children, and what was left out.
#[derive(Default)]
pub(super) struct Scan {
    pub found: Vec<Found>,
    pub skipped: Vec<Skip>,
    /// What was looked into (`None` the beginning, else an index of `found`), and by whom.
    pub looked_into: Vec<(Option<usize>, Handler)>,
}

/// The rules of a type that can make something, compiled.
#[derive(Clone, Default)]
pub(super) struct Active {
    pub rules: Vec<ActiveRule>,
    pub skipped: Vec<Skip>,
}

#[derive(Clone)]
pub(super) struct ActiveRule {
    pub child_type: Arc<str>,
    pub pattern: Option<Pattern>,
    pub text: String,
}

/// A rule as skips name it.
fn rule_text(rule: &Rule) -> String {
    rule.pattern.as_ref().map_or_else(|| rule.child_type.clone(), |pattern| format!("{} {pattern}", rule.child_type))
}

impl Skip {
    pub(super) fn of(rule: &str, reason: impl Into<String>) -> Skip {
        Skip { rule: Some(rule.to_owned()), reason: reason.into(), location: None, more: None }
    }
}

/// The rules that are on, whose child type exists and is allowed; the others leave before anything is matched.
fn active(resource_type: &ResourceType, store: &impl Store) -> Result<Active, Error> {
    let mut active = Active::default();
    let Some(discovery) = &resource_type.auto_discovery else { return Ok(active) };
    if discovery.enabled == Some(false) {
        active.skipped.push(Skip { rule: None, reason: "disabled".to_owned(), location: None, more: None });
        return Ok(active);
    }
    for rule in &discovery.rules {
        let text = rule_text(rule);
        let compiled = rule.pattern.as_ref().map(|pattern| Pattern::new(pattern, &rule.child_type)).transpose();
        let reason = if !rule.is_enabled() {
            "disabled".to_owned()
        } else if store.resource_type(&rule.child_type)?.is_none() {
            "child type missing".to_owned()
        } else if !resource_type.allows(&rule.child_type) {
            "incompatible".to_owned()
        } else {
            match compiled {
                Ok(pattern) => {
                    active.rules.push(ActiveRule { child_type: rule.child_type.as_str().into(), pattern, text });
                    continue;
                }
                Err(why) => format!("the pattern is broken: {why}"),
            }
        };
        active.skipped.push(Skip::of(&text, reason));
    }
    Ok(active)
}

/// Looks below a resource.
pub(super) fn scan(root: &Resource, how: &Discover, store: &Draft<'_>, watch: &Watch<'_>) -> Result<Scan, Error> {
    let (types, scan) = (HashMap::new(), Scan::default());
    let mut scanner = Scanner { root, store, how, watch, types, scan, fresh: 0, more: 0 };
    scanner.look(None, &root.type_name, root.location.as_deref())?;
    if let Reach::Recursive { depth } = how.reach {
        let (mut from, mut level) = (0, 1);
        while level < depth && from < scanner.scan.found.len() && scanner.more == 0 {
            let to = scanner.scan.found.len();
            for at in from..to {
                if scanner.more > 0 {
                    break;
                }
                let Found { child_type, location, .. } = scanner.scan.found[at].clone();
                if location.is_some() {
                    scanner.look(Some(at), &child_type, location.as_deref())?;
                }
            }
            from = to;
            level += 1;
        }
        if from < scanner.scan.found.len() && scanner.more == 0 && scanner.any_deeper(from)? {
            let reason = format!("depth of {depth} reached");
            scanner.scan.skipped.push(Skip { rule: None, reason, location: None, more: None });
        }
    }
    if scanner.more > 0 {
        let skip = Skip { rule: None, reason: "limit reached".to_owned(), location: None, more: Some(scanner.more) };
        scanner.scan.skipped.push(skip);
    }
    Ok(scanner.scan)
}

struct Scanner<'a> {
    root: &'a Resource,
    store: &'a Draft<'a>,
    how: &'a Discover,
    watch: &'a Watch<'a>,
    types: HashMap<String, (Active, Handler)>,
    scan: Scan,
    /// How many found so far are not in the registry yet.
    fresh: u64,
    /// How many more there were when the limit was reached.
    more: u64,
}

impl Scanner<'_> {
    fn rules_of(&mut self, type_name: &str) -> Result<Option<(Active, Handler)>, Error> {
        if !self.types.contains_key(type_name) {
            let Some(found) = self.store.resource_type(type_name)? else { return Ok(None) };
            self.types.insert(type_name.to_owned(), (active(&found, self.store)?, found.handler()));
        }
        Ok(self.types.get(type_name).cloned())
    }

    /// Whether anything found last could be looked into.
    fn any_deeper(&mut self, from: usize) -> Result<bool, Error> {
        let names: std::collections::BTreeSet<Arc<str>> =
            self.scan.found[from..].iter().map(|found| found.child_type.clone()).collect();
        for name in names {
            if self.rules_of(&name)?.is_some_and(|(active, _)| !active.rules.is_empty()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn look(&mut self, at: Option<usize>, type_name: &str, location: Option<&str>) -> Result<(), Error> {
        let Some((active, handler)) = self.rules_of(type_name)? else {
            return Err(Error::TypeNotFound { name: type_name.to_owned(), similar: Vec::new() });
        };
        // what a type's rules lack is said once, for the resource that was asked about
        if at.is_none() {
            self.scan.skipped.extend(active.skipped.iter().cloned());
        }
        if active.rules.is_empty() {
            return Ok(());
        }
        let path = location.and_then(path_of);
        let looked = match (handler, path) {
            (Handler::Unknown, None) => self.placeholders(at, &active),
            (_, None) => {
                let what = if location.is_some() { "an address, no path" } else { "not set" };
                // of what is met below the beginning, the skip says where it is
                let whose = if at.is_none() { self.root.label() } else { format!("this {type_name}") };
                Err(Error::Invalid(format!(
                    "nothing to discover: the location of {whose} is {what}; give it one with \
                     `dagwood resource set --location`"
                )))
            }
            (Handler::Git, Some(path)) => self.git(at, &active, &path),
            (_, Some(path)) => self.directory(at, &active, &path),
        };
        match (looked, at) {
            (Ok(()), _) => self.scan.looked_into.push((at, handler)),
            // one place that cannot be read does not stop those beside it
            (Err(Error::Io { source, .. }), Some(_)) => {
                let reason = match source.kind() {
                    std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
                    _ => source.to_string(),
                };
                self.leave_out(reason, location);
            }
            (Err(Error::Invalid(reason)), Some(_)) => self.leave_out(reason, location),
            (Err(error), _) => return Err(error),
        }
        Ok(())
    }

    fn leave_out(&mut self, reason: String, location: Option<&str>) {
        self.scan.skipped.push(Skip { rule: None, reason, location: location.map(str::to_owned), more: None });
    }

    fn placeholders(&mut self, at: Option<usize>, active: &Active) -> Result<(), Error> {
        for rule in &active.rules {
            let child_type = rule.child_type.clone();
            self.take(Found { parent: at, child_type, entry: None, location: None, description: None })?;
        }
        Ok(())
    }

    fn directory(&mut self, at: Option<usize>, active: &Active, path: &Path) -> Result<(), Error> {
        let listing = directory::list(path, self.watch)?;
        let mut matched = vec![false; active.rules.len()];
        for entry in listing {
            let fits = |rule: &ActiveRule| {
                rule.pattern
                    .as_ref()
                    .is_some_and(|pattern| entry.kinds().iter().any(|kind| pattern.matches(&entry.name, *kind)))
            };
            let Some(nth) = active.rules.iter().position(fits) else { continue };
            matched[nth] = true;
            let full = path.join(&entry.name);
            let location = super::location_of(&full);
            if entry.is_link {
                let skip = Skip { location: Some(location), ..Skip::of(&active.rules[nth].text, "symbolic link") };
                self.scan.skipped.push(skip);
                continue;
            }
            self.take(Found {
                parent: at,
                child_type: active.rules[nth].child_type.clone(),
                entry: Some(super::escape(entry.name.as_os_str().as_encoded_bytes())),
                location: Some(location),
                description: None,
            })?;
        }
        if at.is_none() {
            for (rule, matched) in active.rules.iter().zip(matched) {
                if !matched {
                    let reason = if rule.pattern.is_some() { "no match" } else { "no pattern" };
                    self.scan.skipped.push(Skip::of(&rule.text, reason));
                }
            }
        }
        Ok(())
    }

    fn git(&mut self, at: Option<usize>, active: &Active, path: &Path) -> Result<(), Error> {
        for rule in &active.rules {
            let mut any = false;
            for child in git::children(path, &rule.child_type)? {
                any = true;
                self.take(Found {
                    parent: at,
                    child_type: rule.child_type.clone(),
                    entry: Some(child.entry),
                    location: Some(child.location),
                    description: child.description,
                })?;
            }
            if !any && at.is_none() {
                self.scan.skipped.push(Skip::of(&rule.text, "no match"));
            }
        }
        Ok(())
    }

    /// Takes what was found, as long as the limit lasts.
    fn take(&mut self, found: Found) -> Result<(), Error> {
        if let Some(most) = self.how.most {
            let known = match &found.location {
                Some(location) => self.store.at(&found.child_type, location)?.is_some(),
                None => false,
            };
            if !known && self.fresh == most {
                self.more += 1;
                return Ok(());
            }
            self.fresh += u64::from(!known);
        }
        self.scan.found.push(found);
        if self.scan.found.len().is_multiple_of(STEP) {
            check(self.watch)?;
            (self.watch.progress)(Progress { found: self.scan.found.len() as u64, done: 0 });
        }
        Ok(())
    }
}

/// Stops when the person said so; nothing has been written yet.
pub(super) fn check(watch: &Watch<'_>) -> Result<(), Error> {
    if watch.cancel.load(Ordering::Relaxed) {
        return Err(Error::Cancelled("nothing was written".to_owned()));
    }
    Ok(())
}
