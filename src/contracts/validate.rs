//! What is wrong in a layer, or likely not meant: the findings of single documents and those that need the whole.

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization;

use super::index::{DocumentId, Fate, Index};
use super::model::{Class, Composition, Contract, State};
use super::resolve::normalise;
use crate::finding::{Area, Finding, Severity};
use crate::text::{Guesses, command};

/// What the checks need to know of the world outside the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ground {
    /// Paths that contracts name and that are folders on disk, though not in the index.
    pub folders: HashSet<String>,
    /// Pathspecs of `tracks` that match no tracked file.
    pub idle_tracks: HashSet<String>,
}

/// What was noticed while the layer was read: about single documents, files that are none, and ids claimed twice.
pub fn reading(index: &Index) -> Vec<Finding> {
    let mut findings = index.notes.as_ref().clone();
    let twice = |id| index.fate(id) == Fate::Dropped(Class::DuplicateId);
    let ids = if index.documents().any(twice) { ids(index) } else { HashMap::new() };
    for id in index.documents() {
        let document = index.document(id);
        findings.extend(document.findings.iter().cloned());
        if let (true, Ok(contract)) = (twice(id), &document.contract) {
            let others = ids.get(contract.id.as_str()).map_or(&[][..], Vec::as_slice).iter();
            let others: Vec<String> =
                others.filter(|other| **other != id).map(|other| index.document(*other).path.to_string()).collect();
            let message = format!("id claimed twice: `{}` is also that of {}", contract.id, others.join(", "));
            findings.push(
                error(index, id, Class::DuplicateId.name(), message)
                    .line(document.lines.id)
                    .key("id")
                    .expected("an id that no other document has")
                    .fix("give one of them an id of its own"),
            );
        }
    }
    findings
}

/// Every finding of the layer, by file and line.
pub fn check(index: &Index, ground: &Ground) -> Vec<Finding> {
    let mut findings = reading(index);
    let ids = ids(index);
    let mut guesses = Guesses::default();
    for id in index.documents() {
        remarks(index, id, &mut findings);
        if let Some(contract) = index.contract(id) {
            supersession(index, id, contract, (&ids, &mut guesses), &mut findings);
            named_folders(index, id, contract, ground, &mut findings);
            overrides(index, id, contract, &mut findings);
            let idle = contract.tracks.iter().filter(|spec| ground.idle_tracks.contains(*spec));
            findings.extend(idle.map(|spec| {
                error(index, id, "broken-reference", format!("`tracks`: `{spec}` matches no tracked file"))
                    .line(index.document(id).lines.tracks)
                    .key("tracks")
                    .expected("a path or pattern of files that git tracks")
                    .fix("correct the pattern, or remove it")
            }));
        }
    }
    cycles(index, &ids, &mut findings);
    missing(index, &mut findings);
    findings.sort_by(|a, b| (&a.path, a.line, a.column, &a.code).cmp(&(&b.path, b.line, b.column, &b.code)));
    findings
}

/// The sound documents, by id.
fn ids(index: &Index) -> HashMap<&str, Vec<DocumentId>> {
    let mut ids: HashMap<&str, Vec<DocumentId>> = HashMap::new();
    for id in index.documents() {
        if let Ok(contract) = &index.document(id).contract {
            ids.entry(&contract.id).or_default().push(id);
        }
    }
    ids
}

/// Small steps that make a finding read as a sentence.
trait Build {
    fn line(self, line: u32) -> Finding;
}

impl Build for Finding {
    /// The finding at a line; 0 is none.
    fn line(self, line: u32) -> Finding {
        if line == 0 { self } else { self.at(line as usize) }
    }
}

fn error(index: &Index, id: DocumentId, code: &str, message: impl Into<String>) -> Finding {
    Finding::new(Area::Contracts, code, Severity::Error, index.document(id).path.text(), message)
}

fn warning(index: &Index, id: DocumentId, code: &str, message: impl Into<String>) -> Finding {
    Finding::new(Area::Contracts, code, Severity::Warning, index.document(id).path.text(), message)
}

/// What is legal and likely not meant.
fn remarks(index: &Index, id: DocumentId, findings: &mut Vec<Finding>) {
    let document = index.document(id);
    match index.fate(id) {
        Fate::Dropped(_) => return,
        Fate::Shadowed(by) => {
            let used = index.document(by);
            let greater = index.contract(by).map_or("", |contract| &contract.id);
            let message = format!("not used: {} of the same folder has the greater id `{greater}`", used.path);
            findings.push(warning(index, id, "shadowed-document", message).fix("keep one contract in the folder"));
        }
        Fate::Used => {}
    }
    if document.new {
        let message = "this contract counts, and git does not track it yet";
        let fix = format!("git add {}", document.path);
        findings.push(warning(index, id, "untracked-contract", message).fix(fix));
    }
    if !document.boilerplate.is_empty() {
        let message = format!("still as suggested: {}", document.boilerplate.join(", "));
        let fix = "write what the directory is for";
        findings.push(warning(index, id, "new-boilerplate", message).fix(fix));
    }
}

/// What a contract supersedes must be known, at or above it, and not final.
fn supersession(
    index: &Index,
    id: DocumentId,
    contract: &Contract,
    (ids, guesses): (&HashMap<&str, Vec<DocumentId>>, &mut Guesses),
    findings: &mut Vec<Finding>,
) {
    let line = index.document(id).lines.supersedes;
    let home = index.home(id);
    for named in &contract.supersedes {
        let others = ids.get(named.as_str()).map_or(&[][..], Vec::as_slice);
        let Some(other) = others.iter().find(|other| index.contract(**other).is_some()) else {
            let why = if others.is_empty() { "no document has that id" } else { "that id is claimed twice" };
            let near = guesses.nearest(named, ids.keys().copied());
            let fix = near.map_or("remove it".to_owned(), |near| format!("write `{near}`, or remove it"));
            findings.push(
                error(index, id, "broken-reference", format!("`supersedes` names `{named}`: {why}"))
                    .line(line)
                    .key("supersedes")
                    .expected("the id of a document in this folder or above it")
                    .fix(fix),
            );
            continue;
        };
        if !index.path(index.home(*other)).covers(index.path(home).as_bytes()) {
            let message = format!(
                "`supersedes` names `{named}` ({}), which is neither in this folder nor above it",
                index.document(*other).path
            );
            findings.push(
                error(index, id, "broken-reference", message)
                    .line(line)
                    .key("supersedes")
                    .expected("the id of a document in this folder or above it")
                    .fix("remove it: what lies elsewhere never applies here"),
            );
        }
        if index.contract(*other).is_some_and(|other| other.composition == Composition::Final) && *other != id {
            let message = format!(
                "`supersedes` names `{named}` ({}), which is final and would be refused; the chain drops it all the same",
                index.document(*other).path
            );
            findings.push(
                error(index, id, "illegal-override", message)
                    .line(line)
                    .key("supersedes")
                    .expected("the id of a document that is not final")
                    .fix(format!("remove it, or make `{named}` extend")),
            );
        }
    }
}

/// The folders that `paths` and `children.exempt` name.
fn named_folders(index: &Index, id: DocumentId, contract: &Contract, ground: &Ground, findings: &mut Vec<Finding>) {
    let lines = index.document(id).lines;
    let home = index.path(index.home(id));
    let is_folder = |path: &str| is_folder(index, ground, path);
    for entry in &contract.paths {
        let inside = index.root().covers(entry.as_bytes());
        if is_folder(entry) && inside {
            continue;
        }
        let what = if inside || !is_plain(entry) { "is no folder" } else { "lies outside the layer" };
        findings.push(
            error(index, id, "broken-reference", format!("`paths`: `{entry}` {what}"))
                .line(lines.paths)
                .key("paths")
                .expected("full paths of folders in the layer")
                .fix(spelling(index, ground, id, entry)),
        );
    }
    for entry in &contract.exempt {
        let finding = if !is_folder(entry) {
            let message = format!("`children.exempt`: `{entry}` is no folder, so it releases nothing");
            error(index, id, "broken-reference", message).fix(spelling(index, ground, id, entry))
        } else if entry.as_bytes() == home.as_bytes() {
            let message = format!("`children.exempt`: `{entry}` is this document's own folder");
            error(index, id, "illegal-override", message).fix("remove it; it releases everything below")
        } else if !home.covers(entry.as_bytes()) {
            let message = format!("`children.exempt`: `{entry}` lies outside of {home}");
            error(index, id, "illegal-override", message).fix("remove it, or move it to a contract above that folder")
        } else {
            continue;
        };
        let expected = "full paths of folders below this one";
        findings.push(finding.line(lines.exempt).key("children.exempt").expected(expected));
    }
}

/// Whether an entry, exactly as written, is a folder.
fn is_folder(index: &Index, ground: &Ground, entry: &str) -> bool {
    index.find(entry.as_bytes()).is_some() || (is_plain(entry) && ground.folders.contains(entry))
}

/// Whether a path is written in its one form.
pub(super) fn is_plain(entry: &str) -> bool {
    normalise(entry).is_ok_and(|normal| normal == entry)
}

/// Other spellings that may have been meant by an entry of `paths` or `exempt`.
pub(super) fn respellings(index: &Index, home: &str, entry: &str) -> Vec<String> {
    let Ok(normal) = normalise(entry) else { return Vec::new() };
    let root = index.root();
    let mut candidates = vec![normal.clone()];
    candidates.extend([home, &*root.text()].map(|above| format!("{above}/{normal}")));
    // `repo/v` for `.ai/repo/v`, written from inside the layer's parents
    if let Some((above, _)) = root.text().rsplit_once('/') {
        candidates.push(format!("{above}/{normal}"));
    }
    // the same letters, composed and taken apart
    let forms: Vec<String> = candidates.iter().flat_map(|path| [path.nfc().collect(), path.nfd().collect()]).collect();
    candidates.extend(forms);
    candidates.retain(|candidate| candidate != entry);
    candidates
}

/// What to write instead of an entry that is no folder.
fn spelling(index: &Index, ground: &Ground, id: DocumentId, entry: &str) -> String {
    let home = index.path(index.home(id)).text();
    let respelled = respellings(index, &home, entry);
    if let Some(right) = respelled.iter().find(|candidate| is_folder(index, ground, candidate)) {
        let same = right.nfc().eq(entry.nfc());
        let why = if same { "the name is in another Unicode form" } else { "an entry is a full path, written plainly" };
        return format!("write `{right}`: {why}");
    }
    if entry.contains(['*', '?', '[']) {
        return "name each folder by its full path: patterns match nothing here".to_owned();
    }
    "correct the path, or remove it".to_owned()
}

/// A requirement may be raised below, never lowered.
fn overrides(index: &Index, id: DocumentId, contract: &Contract, findings: &mut Vec<Finding>) {
    if contract.require_contract != Some(false) || contract.scope != super::model::Scope::Subtree {
        return;
    }
    let Some(above) = index.parent(index.home(id)).map(|parent| index.standing(parent)) else { return };
    if let (Some(by), true) = (above.governed_by, above.requires_contract) {
        let by = &index.document(by).path;
        let message = format!(
            "`require_contract: false` under {by}, which says true; the nearest decides, but a strict reader refuses it"
        );
        findings.push(
            error(index, id, "illegal-override", message)
                .line(index.document(id).lines.require_contract)
                .key("children.require_contract")
                .expected("`true`, or no value")
                .fix(format!("remove it, or exempt the folders in {by}")),
        );
    }
}

/// Rings of documents that supersede each other; each is told once.
fn cycles(index: &Index, ids: &HashMap<&str, Vec<DocumentId>>, findings: &mut Vec<Finding>) {
    let replaced = |id: DocumentId| -> Vec<DocumentId> {
        let contract = index.contract(id).filter(|contract| contract.composition == Composition::Replace);
        let named = contract.into_iter().flat_map(|contract| &contract.supersedes);
        named
            .filter_map(|named| ids.get(named.as_str())?.iter().copied().find(|id| index.contract(*id).is_some()))
            .collect()
    };
    let mut done: HashSet<DocumentId> = HashSet::new();
    for start in index.documents() {
        // a walk in depth with the way kept, so that no chain of documents is too long
        let mut way: Vec<(DocumentId, Vec<DocumentId>)> = Vec::new();
        let mut on_way: HashMap<DocumentId, usize> = HashMap::new();
        if done.insert(start) {
            on_way.insert(start, 0);
            way.push((start, replaced(start)));
        }
        while let Some((at, next)) = way.last_mut() {
            let Some(next) = next.pop() else {
                on_way.remove(at);
                way.pop();
                continue;
            };
            if let Some(from) = on_way.get(&next) {
                let ring: Vec<DocumentId> = way[*from..].iter().map(|(id, _)| *id).collect();
                findings.push(ring_finding(index, &ring));
            } else if done.insert(next) {
                on_way.insert(next, way.len());
                way.push((next, replaced(next)));
            }
        }
    }
}

fn ring_finding(index: &Index, ring: &[DocumentId]) -> Finding {
    let first = ring[0];
    let name = |id: &DocumentId| index.contract(*id).map_or("", |contract| contract.id.as_str());
    let message = if ring.len() == 1 {
        format!("`{}` supersedes itself, so it applies nowhere", name(&first))
    } else {
        let names: Vec<&str> = ring.iter().chain([&first]).map(name).collect();
        format!("documents supersede each other, so none of them applies: {}", names.join(" → "))
    };
    error(index, first, "cycle", message)
        .line(index.document(first).lines.supersedes)
        .key("supersedes")
        .expected("ids of documents that do not supersede this one")
        .fix("remove one of the links")
}

/// The owed directories.
fn missing(index: &Index, findings: &mut Vec<Finding>) {
    for folder in index.directories() {
        let standing = index.standing(folder);
        if standing.state != State::Owed {
            continue;
        }
        let path = index.path(folder).text();
        let by = standing.governed_by.map(|by| &index.document(by).path);
        let message = match by {
            Some(by) => format!("the directory has no contract, and {by} requires one"),
            None => "the directory has no contract, and nothing at or above it says that it needs none".to_owned(),
        };
        let fix = if standing.broken {
            "mend the broken document in it: `dagwood contract repair` with its path, or an editor".to_owned()
        } else {
            command("dagwood contract fix", [path.as_ref()])
        };
        findings.push(
            Finding::new(Area::Contracts, "missing-contract", Severity::Error, path, message)
                .expected("a README.md with a contract, an exemption, or no requirement")
                .fix(fix),
        );
    }
}
