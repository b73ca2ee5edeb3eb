//! The Directories pane: the layer as rows, and all there is to say about a directory.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::desk::Clerk;
use super::{PROBLEMS_TO_COME, Shared, advice, counted, findings};
use crate::contracts::explain::{LeftOut, Reader, explain, requirement, turns};
use crate::contracts::what_if::{Outcome, Try, choices, what_if};
use crate::contracts::{Contract, DocumentId, FirstLook, FolderId, Index, Layer, State, Step, applying, resolve};
use crate::explorer::model::{
    Action, Detail, Effect, Entry, Fold, Line, Loaded, Mark, Msg, NodeId, Outline, PaneId, Part, Subject, Tab, Target,
    Tone, fit,
};
use crate::finding::{Area, Finding};
use crate::text::command;

/// Reads the layer and tells about its directories.
#[derive(Debug)]
pub struct Directories {
    shared: Arc<Shared>,
    /// The layer as it would be, while something is tried.
    tried: Option<Outcome>,
    /// What was reported last, by the directories it is about.
    problems: Vec<Arc<Finding>>,
    /// Whether a first look was told of the layer.
    first_look: bool,
    /// From how many directories on the rows are told before everything is looked through.
    large: usize,
}

/// How many cells of a branch's name are shown.
const BRANCH: usize = 24;

/// From how many directories on a layer is large.
const LARGE: usize = 20_000;

impl Directories {
    /// A clerk for a workspace.
    pub fn new(shared: Arc<Shared>) -> Directories {
        Directories { shared, tried: None, problems: Vec::new(), first_look: false, large: LARGE }
    }

    /// Goes on to the next thing that can be tried on a directory: exempt it, lift the requirement, deprecate or
    /// delete its contract, nothing.
    fn toggle(&mut self, path: &str) -> Result<Vec<String>, String> {
        let choices = self.choices(path)?;
        let mut tries = Shared::held(&self.shared.contract_tries);
        let now = tries.iter().position(|tried| choices.contains(tried));
        let next = match now {
            Some(at) => {
                let old = tries.remove(at);
                choices.into_iter().skip_while(|choice| *choice != old).nth(1)
            }
            None => choices.into_iter().next(),
        };
        tries.extend(next);
        Ok(tries.iter().map(words).collect())
    }

    /// What can be tried on a directory, or why nothing can.
    fn choices(&self, path: &str) -> Result<Vec<Try>, String> {
        let index = &self.shared.layer().index;
        let folder = index.find(path.as_bytes()).ok_or_else(|| cannot_be_tried(path))?;
        let choices = choices(index, folder);
        match index.standing(folder).state {
            _ if !choices.is_empty() => Ok(choices),
            State::Owed => Err(format!("no contract above {path} could release it: nothing to try")),
            _ => Err(format!("nothing can be tried on {path}: it owes nothing")),
        }
    }

    /// The rows; of a small layer with what is to be reported. The first rows of a large one are told before it has been
    /// read.
    fn load(&mut self, first_rows: &mut dyn FnMut(Outline)) -> Loaded {
        let layer = self.shared.reread_layer(&mut |look| {
            self.first_look = true;
            first_rows(rows(&look.index, None, Extent::FirstLevels(&look)));
        });
        let tries = Shared::held(&self.shared.contract_tries).clone();
        self.tried = (!tries.is_empty()).then(|| what_if(&layer.index, &tries));
        let index = self.tried.as_ref().map_or(&layer.index, |outcome| &outcome.index);
        let tallies = index.tallies();
        let hint = advice::directories(&self.shared);
        let counts = vec![
            (tallies.documented.to_string(), Mark::Documented),
            (tallies.exempt.to_string(), Mark::Exempt),
            (tallies.owed.to_string(), Mark::Owed),
        ];
        // what is on the screen already stays as it is
        let extent = if self.first_look { Extent::Large } else { Extent::Small };
        let outline = rows(index, self.tried.as_ref(), extent);
        let counts = if outline.nodes().next().is_some() { counts } else { vec![("no layer".into(), Mark::None)] };
        let owed = match (tallies.owed, self.tried.is_some()) {
            (owed, true) => format!("would owe {owed}"),
            (0, false) => String::new(),
            (owed, false) => format!("owed {owed}"),
        };
        // a longer one would leave no room for the place
        let branch = layer.branch().map(|branch| fit(&branch, BRANCH));
        let header = branch.into_iter().chain([owed]).collect();
        let mut loaded = Loaded { outline, counts, hint, header, ..Loaded::default() };
        if tallies.directories > self.large {
            let before = Shared::held(&self.shared.findings)[Part::Contracts as usize].clone();
            loaded.findings = before.into_iter().map(about).collect();
            loaded.to_come = PROBLEMS_TO_COME;
        } else {
            loaded.findings = self.report(&layer);
        }
        loaded
    }

    /// What is to be reported of a layer.
    fn report(&mut self, layer: &Layer) -> Vec<(Arc<Finding>, Option<Subject>)> {
        let findings = self.shared.keep_findings(Part::Contracts, layer.validate());
        self.problems.clone_from(&findings);
        self.problems.sort_by(|a, b| directory_of(&a.path).cmp(directory_of(&b.path)));
        findings.into_iter().map(about).collect()
    }

    fn detail(&self, path: &str) -> Option<Detail> {
        let fixed = self.choices(path).err();
        let mut layer = (*self.shared.layer()).clone();
        if let Some(outcome) = &self.tried {
            layer.index = Arc::clone(&outcome.index);
        }
        let index = &layer.index;
        let found = resolve::folder(index, path);
        let broken: Vec<resolve::Broken> =
            found.into_iter().flat_map(|folder| resolve::broken_in(index, folder)).collect();
        let Some(folder) = found.filter(|folder| index.standing(*folder).listed) else {
            return (!broken.is_empty()).then(|| self.broken_only(&layer, path, &broken));
        };
        let standing = index.standing(folder);
        let own = standing.contract.map(|id| layer.place.on_disk(&index.document(id).path));
        let hurt = broken.first().map(|lost| layer.place.on_disk(&lost.document));
        let problems = self.problems(path);
        let mark = index.standing(folder).mark();
        let mut badge = Vec::new();
        if self.tried.is_some() {
            badge.push("what if");
        }
        if standing.contract.is_some_and(|id| index.document(id).new) {
            badge.push("new");
        }
        let steps = applying(index, folder).chain;
        let mut lines = contract_tab(index, folder, &broken, &self.shared);
        lines.extend(self.problem_lines(&problems));
        let mut tabs = vec![
            Tab { name: "Contract".into(), lines },
            Tab { name: "Chain".into(), lines: chain_tab(index, folder) },
            Tab { name: "Text".into(), lines: text_tab(&layer, &steps) },
        ];
        if let Some(id) = standing.contract {
            tabs.push(Tab { name: "Document".into(), lines: document_tab(&layer, id) });
        }
        let chain: Vec<&str> = steps.iter().map(|step| id_of(index, step.document)).collect();
        let json = resolve::DirectoryView::new(index, folder, &steps);
        let mut copies = vec![
            ('p', path.to_owned()),
            ('c', chain.join(" -> ")),
            ('j', serde_json::to_string(&json).unwrap_or_default()),
        ];
        copies.extend(standing.contract.map(|id| ('i', id_of(index, id).to_owned())));
        Some(Detail {
            subject: Subject::Directory(path.to_owned()),
            title: path.to_owned(),
            mark,
            badge: badge.join(" "),
            tabs,
            file: hurt.or(own).map(|file| {
                let line = problems.iter().find_map(|finding| finding.line).unwrap_or(1);
                (file, line)
            }),
            same: problems.into_iter().map(Subject::Finding).collect(),
            copies,
            fixed,
        })
    }

    /// A directory that is not listed, since its only file is a broken document.
    fn broken_only(&self, layer: &Layer, path: &str, broken: &[resolve::Broken]) -> Detail {
        let problems = self.problems(path);
        let mut lines =
            vec![Line::of(Tone::Bad, "Owed, with a broken contract: its only file counts for nothing."), Line::blank()];
        lines.extend(self.problem_lines(&problems));
        Detail {
            subject: Subject::Directory(path.to_owned()),
            title: path.to_owned(),
            mark: Mark::Broken,
            badge: "not counted".into(),
            tabs: vec![Tab { name: "Contract".into(), lines }],
            file: broken.first().map(|lost| {
                let line = problems.iter().find_map(|finding| finding.line).unwrap_or(1);
                (layer.place.on_disk(&lost.document), line)
            }),
            same: problems.into_iter().map(Subject::Finding).collect(),
            copies: vec![('p', path.to_owned())],
            fixed: Some(cannot_be_tried(path)),
        }
    }

    fn problems(&self, path: &str) -> Vec<Arc<Finding>> {
        let from = self.problems.partition_point(|finding| directory_of(&finding.path) < path);
        let here = |finding: &&Arc<Finding>| directory_of(&finding.path) == path;
        self.problems[from..].iter().take_while(here).cloned().collect()
    }

    fn problem_lines(&self, problems: &[Arc<Finding>]) -> Vec<Line> {
        let mut lines = Vec::new();
        if !problems.is_empty() {
            // what is reported is what is on disk
            let heading = if self.tried.is_some() { "Problems before the try" } else { "Problems" };
            lines.extend([Line::blank(), Line::of(Tone::Strong, heading)]);
        }
        for finding in problems {
            let at = finding.line.map(|line| format!("line {line}: ")).unwrap_or_default();
            let tone = if findings::mark(finding.severity) == Mark::Error { Tone::Bad } else { Tone::Warn };
            let line =
                Line::of(tone, format!("{}  ", finding.code)).and(Tone::Plain, format!("{at}{}", finding.message));
            lines.push(line.show(Subject::Finding(Arc::clone(finding))));
            lines.extend(finding.fix.as_ref().map(|fix| Line::of(Tone::Dim, format!("  fix: {fix}"))));
        }
        lines
    }
}

fn cannot_be_tried(path: &str) -> String {
    format!("{path} cannot be tried")
}

/// A closed folder, which has a row and no directory.
fn submodule(path: &str) -> Detail {
    let lines = vec![
        Line::plain("A submodule: a repository of its own, closed here. What is in it owes nothing to this layer."),
        Line::blank(),
        Line::of(Tone::Dim, format!("To look into it: {} .", command("dagwood -C", [path]))),
    ];
    let subject = Subject::Directory(path.to_owned());
    let detail = Detail::of(subject, path, Mark::Closed, "Contract", lines);
    Detail { copies: vec![('p', path.to_owned())], fixed: Some(cannot_be_tried(path)), ..detail }
}

/// A finding with the directory it is about.
fn about(finding: Arc<Finding>) -> (Arc<Finding>, Option<Subject>) {
    let directory = directory_of(&finding.path).to_owned();
    (finding, Some(Subject::Directory(directory)))
}

/// The directory a finding's path is about: itself, or the folder of the file.
fn directory_of(path: &str) -> &str {
    // documents of a layer end in exactly this
    match path.strip_suffix(".md").and_then(|_| path.rsplit_once('/')) {
        Some((folder, _)) => folder,
        None => path,
    }
}

impl Clerk for Directories {
    fn work(&mut self, job: Effect, sender: &Sender<Msg>) {
        let sent = match job {
            Effect::Try { part, subject: Subject::Directory(path) } => {
                sender.send(Msg::Tries { part, tries: self.toggle(&path) })
            }
            Effect::ClearTries(part) => {
                Shared::held(&self.shared.contract_tries).clear();
                sender.send(Msg::Tries { part, tries: Ok(Vec::new()) })
            }
            Effect::Load { part, generation, .. } => {
                let loaded = self.load(&mut |outline| {
                    // the explorer has ended where nobody takes it
                    let _ = sender.send(Msg::FirstRows { part, generation, outline });
                });
                let all = loaded.to_come.is_empty();
                let rows = sender.send(Msg::Loaded { part, generation, loaded: Ok(Box::new(loaded)) });
                if all {
                    rows
                } else {
                    let findings = self.report(&self.shared.layer());
                    sender.send(Msg::Findings { part, generation, findings, group: Outline::default() })
                }
            }
            Effect::Detail { generation, subject: Subject::Directory(path) } => {
                let closed = || self.shared.layer().index.submodules().iter().any(|closed| closed.text() == path);
                let detail = self.detail(&path).or_else(|| closed().then(|| submodule(&path)));
                let detail = detail.unwrap_or_else(|| findings::gone(Subject::Directory(path.clone())));
                sender.send(Msg::Detail { generation, detail: self.shared.with_path(detail) })
            }
            Effect::Detail { generation, subject: Subject::Finding(finding) } if finding.area == Area::Contracts => {
                let about = vec![Subject::Directory(directory_of(&finding.path).to_owned())];
                let base = self.shared.layer().place.top.clone();
                let detail = self.shared.with_path(findings::detail(&finding, &base, about));
                sender.send(Msg::Detail { generation, detail })
            }
            _ => Ok(()),
        };
        // the explorer has ended; there is nobody to tell
        let _ = sent;
    }
}

/// A try in words.
pub fn words(tried: &Try) -> String {
    match tried {
        Try::Exempt(path) => format!("exempt {}", path.text()),
        Try::Lift(path) => format!("lift the requirement for {}", path.text()),
        Try::Deprecate(path) => format!("deprecate {}", path.text()),
        Try::Delete(path) => format!("delete {}", path.text()),
    }
}

/// Of how much of a layer rows are made.
#[derive(Clone, Copy)]
enum Extent<'a> {
    /// Of all; as far as something is owed, a few levels are open.
    Small,
    /// Of all; the levels of a first look are open.
    Large,
    /// Of the levels of a first look, in which nothing is known of what lies below.
    FirstLevels(&'a FirstLook),
}

/// The rows: every directory of the layer, then those that are not listed since all they hold is broken.
fn rows(index: &Index, tried: Option<&Outcome>, extent: Extent<'_>) -> Outline {
    let mut outline = Outline::default();
    let changed: HashMap<&[u8], Option<State>> = tried
        .iter()
        .flat_map(|outcome| &outcome.states)
        .map(|change| (change.path.as_bytes(), change.before))
        .collect();
    // the rows of a folder and of those above it
    let mut open: Vec<NodeId> = Vec::new();
    for folder in index.preorder().filter(|folder| index.standing(*folder).listed) {
        let standing = index.standing(folder);
        open.truncate(index.depth(folder) as usize);
        let parent = open.last().copied();
        let path = index.path(folder);
        let name = if parent.is_none() { path.text() } else { path.name() };
        let mark = index.standing(folder).mark();
        let new = standing.contract.is_some_and(|id| index.document(id).new);
        let below = if matches!(extent, Extent::FirstLevels(_)) { 0 } else { standing.owed_below };
        let note = match below {
            0 if new => "new".to_owned(),
            0 if standing.state == State::Documented => String::new(),
            0 => mark.word().to_owned(),
            below => format!("{below} owed"),
        };
        let note = match changed.get(path.as_bytes()) {
            Some(before) => format!("was {}", before.map_or("not there", State::word)),
            None => note,
        };
        let entry = Entry::new(Subject::Directory(path.text().into_owned()), mark, name, note);
        let leaf = index.listed_children(folder).next().is_none();
        let owed_near = matches!(extent, Extent::Small) && standing.owed_below > 0 && index.depth(folder) < 4;
        let fold = match extent {
            Extent::FirstLevels(look) if leaf && look.is_cut(folder) => Fold::Unread,
            _ if !leaf && (index.depth(folder) < 2 || owed_near) => Fold::Open,
            _ => Fold::Leaf,
        };
        open.push(outline.add(parent, entry, fold));
    }
    for lost in resolve::broken(index).filter(|lost| !lost.listed) {
        let path = lost.directory.text().into_owned();
        let subject = Subject::Directory(path.clone());
        outline.add(None, Entry::new(subject, Mark::Broken, path, "not counted"), Fold::Leaf);
    }
    for path in index.submodules() {
        let subject = Subject::Directory(path.text().into_owned());
        outline.add(None, Entry::new(subject, Mark::Closed, path.text(), "submodule"), Fold::Leaf);
    }
    outline
}

fn id_of(index: &Index, document: DocumentId) -> &str {
    index.contract(document).map_or("", |contract| contract.id.as_str())
}

/// How many documents that hold elsewhere are named: a layer may have tens of thousands.
const ELSEWHERE: usize = 100;

/// A line that leads to the directory of a document.
fn leading(index: &Index, document: DocumentId, line: Line) -> Line {
    let home = index.path(index.home(document)).text().into_owned();
    line.show(Subject::Directory(home))
}

fn contract_tab(index: &Index, folder: FolderId, broken: &[resolve::Broken], shared: &Shared) -> Vec<Line> {
    let standing = index.standing(folder);
    let named = |id: DocumentId| index.document(id).path.text().into_owned();
    let mut lines = vec![why(index, folder)];
    if !broken.is_empty() {
        lines.push(Line::of(
            Tone::Bad,
            format!("Its contract {} is broken and counts for nothing.", broken[0].document),
        ));
    }
    if standing.state == State::Owed && broken.is_empty() {
        let key = |action| shared.keymap.hint(PaneId::Directories, action);
        let mut keys = Line::default();
        if !shared.workspace.options.read_only {
            keys = keys.and(Tone::Accent, key(Action::Fix)).and(Tone::Plain, " writes one   ");
        }
        let next = key(Action::NextOwed);
        lines.push(keys.and(Tone::Accent, next).and(Tone::Plain, " goes to the next one owed"));
    }
    lines.push(Line::blank());
    if let Some(id) = standing.governed_by {
        let line = Line::of(Tone::Dim, "governed by  ").and(Tone::Accent, named(id));
        lines.push(leading(index, id, line));
    }
    if let Some(id) = standing.exempted_by {
        let line = Line::of(Tone::Dim, "exempted by  ").and(Tone::Accent, named(id));
        lines.push(leading(index, id, line));
    }
    if let Some((id, contract)) = index.contract_of(folder) {
        lines.extend(declared(contract));
        lines.push(Line::fact("document", named(id)));
    }
    lines.push(Line::fact("files", standing.objects.to_string()));
    if standing.owed_below > 0 {
        let below = counted(standing.owed_below as usize, "directory below owes", "directories below owe");
        lines.push(Line::fact("below", format!("{below} a contract")));
    }
    let turns = turns(index, folder);
    if !turns.is_empty() {
        lines.extend([Line::blank(), Line::of(Tone::Strong, "What would change it")]);
    }
    lines.extend(turns.iter().map(|turn| Line::of(Tone::Dim, " -  ").and(Tone::Plain, turn.words(index))));
    lines
}

/// Why a directory is in its state, in a sentence.
fn why(index: &Index, folder: FolderId) -> Line {
    let standing = index.standing(folder);
    match (standing.state, standing.governed_by, standing.exempted_by) {
        (State::Documented, ..) => Line::of(Tone::Good, "Documented: it has a contract of its own."),
        (State::Exempt, _, None) => Line::plain(format!("Exempt: {}.", requirement(index, folder))),
        (State::Exempt, _, Some(_)) => Line::plain(advice::sentence(&requirement(index, folder))),
        (State::Owed, Some(_), _) => Line::of(Tone::Warn, "Owes a contract: one at or above it requires it."),
        (State::Owed, None, _) => Line::of(Tone::Warn, "Owes a contract: nothing at or above it says otherwise."),
    }
}

fn declared(contract: &Contract) -> Vec<Line> {
    let list = |items: &[String]| items.join(", ");
    let mut lines = vec![Line::of(Tone::Dim, format!("{:<11}", "id")).and(Tone::Strong, contract.id.as_str())];
    lines.extend(contract.title.as_ref().map(|title| Line::fact("title", title.as_str())));
    lines.extend(contract.description.as_ref().map(|text| Line::fact("about", text.as_str())));
    lines.push(Line::fact("status", contract.status.word()));
    lines.push(Line::fact("scope", contract.scope.word()));
    lines.push(Line::fact("composes", contract.composition.word()));
    lines.push(Line::fact("order", contract.order.to_string()));
    lines.push(Line::fact("providers", list(&contract.providers)));
    let audience: Vec<&str> = contract.audience.iter().map(|who| who.word()).collect();
    lines.push(Line::fact("audience", audience.join(", ")));
    if !contract.paths.is_empty() {
        lines.push(Line::fact("paths", list(&contract.paths)));
    }
    if !contract.supersedes.is_empty() {
        lines.push(Line::fact("supersedes", list(&contract.supersedes)));
    }
    if !contract.tracks.is_empty() {
        lines.push(Line::fact("tracks", list(&contract.tracks)));
    }
    if let Some(required) = contract.require_contract {
        lines.push(Line::fact("children", if required { "need a contract" } else { "need no contract" }));
    }
    if !contract.exempt.is_empty() {
        lines.push(Line::fact("exempts", list(&contract.exempt)));
    }
    lines
}

fn chain_tab(index: &Index, folder: FolderId) -> Vec<Line> {
    let told = explain(index, folder, &Reader::default());
    let mut lines = vec![Line::of(Tone::Strong, "What applies here, the least specific first"), Line::blank()];
    if told.chain.is_empty() {
        lines.push(Line::of(Tone::Dim, "Nothing: no active contract reaches this directory."));
    }
    for (nth, step) in told.chain.iter().enumerate() {
        let Some(contract) = index.contract(step.document) else { continue };
        let line = Line::of(Tone::Dim, format!("{:>2}  ", nth + 1))
            .and(if step.local { Tone::Good } else { Tone::Accent }, contract.id.as_str())
            .and(Tone::Plain, format!("  {}", step.reason.words()));
        lines.push(leading(index, step.document, line));
        let place = if step.local { "its own" } else { "inherited" };
        let facts = format!(
            "    {} · {place} · depth {} · order {} · {}",
            index.document(step.document).path.text(),
            step.depth,
            contract.order,
            contract.composition.word()
        );
        lines.push(Line::of(Tone::Dim, facts));
    }
    if !told.left_out.is_empty() {
        lines.extend([Line::blank(), Line::of(Tone::Strong, "Left out")]);
    }
    let (near, elsewhere): (Vec<&LeftOut>, Vec<&LeftOut>) = told.left_out.iter().partition(|left| left.why.is_near());
    let more = elsewhere.len().saturating_sub(ELSEWHERE);
    for left in near.into_iter().chain(elsewhere.into_iter().take(ELSEWHERE)) {
        let name = match index.contract(left.document) {
            Some(contract) => contract.id.clone(),
            None => index.document(left.document).path.text().into_owned(),
        };
        let line =
            Line::of(Tone::Dim, " -  ").and(Tone::Accent, name).and(Tone::Dim, format!("  {}", left.why.words(index)));
        lines.push(leading(index, left.document, line));
    }
    if more > 0 {
        let all = "dagwood contract explain --json names all";
        lines.push(Line::of(Tone::Dim, format!("and {more} more that hold elsewhere ({all})")));
    }
    lines
}

/// What a reader of the directory is in effect told: the bodies of the chain, each under its path with its share.
fn text_tab(layer: &Layer, chain: &[Step]) -> Vec<Line> {
    let index = &layer.index;
    let composed = match layer.composed(chain) {
        Ok(composed) => composed,
        Err(error) => return vec![Line::of(Tone::Bad, error.to_string())],
    };
    let parts = counted(composed.parts.len(), "contract", "contracts");
    let mut lines = vec![Line::of(Tone::Dim, format!("{} bytes of {parts}", composed.bytes())), Line::blank()];
    for (part, step) in composed.parts.iter().zip(chain) {
        let heading = Line::of(Tone::Accent, format!("── {}", part.path.text()))
            .and(Tone::Dim, format!("  {} bytes, {} %", part.body.len(), composed.share(part)));
        lines.push(leading(index, step.document, heading));
        lines.extend(part.body.lines().map(Line::plain));
        lines.push(Line::blank());
    }
    lines
}

fn document_tab(layer: &Layer, document: DocumentId) -> Vec<Line> {
    let file = layer.place.on_disk(&layer.index.document(document).path);
    match layer.text(document) {
        Ok(text) => {
            text.lines().zip(1..).map(|(line, nth)| Line::plain(line).to(Target::File(file.clone(), nth))).collect()
        }
        Err(error) => vec![Line::of(Tone::Bad, error.to_string())],
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::mpsc::channel;

    use super::super::{EMPTY, load as job_of, share, track};
    use super::*;
    use crate::explorer::model::Keymap;
    use crate::workspace::{Options, Workspace};

    #[test]
    fn the_rows_of_a_large_layer_come_before_what_is_reported_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join(".ai/notes");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("README.md"), "---\nid: [\n---\n").unwrap();
        std::fs::write(folder.join("a.txt"), "").unwrap();
        let options = Options { directory: Some(PathBuf::from(dir.path())), ..Options::default() };
        let shared = share(Workspace::find(options).unwrap(), Keymap::default());
        let load = |large| {
            let (sender, receiver) = channel();
            let job = job_of(Part::Contracts);
            Directories { large, ..Directories::new(Arc::clone(&shared)) }.work(job, &sender);
            drop(sender);
            receiver.iter().collect::<Vec<Msg>>()
        };
        let rows = |msg: &Msg| match msg {
            Msg::Loaded { loaded: Ok(loaded), .. } => {
                let names = loaded.outline.nodes().map(|(_, node)| node.entry.name.clone()).collect::<Vec<_>>();
                (names, loaded.findings.len(), loaded.to_come.is_empty())
            }
            other => panic!("{other:?}"),
        };
        let large = load(0);
        let [loaded, Msg::Findings { part: Part::Contracts, generation: 7, findings, .. }] = &large[..] else {
            panic!("{large:?}")
        };
        assert!(!findings.is_empty());
        let (names, early, whole) = rows(loaded);
        assert_eq!((early, whole), (0, false));
        let small = load(LARGE);
        assert_eq!(small.len(), 1);
        assert_eq!(rows(&small[0]), (names, findings.len(), true));
    }

    #[test]
    fn the_first_rows_of_a_large_layer_come_before_it_is_read_and_stay_where_they_are() {
        let dir = tempfile::tempdir().unwrap();
        // tracked is enough: plain files are counted and not opened
        let mut files: String =
            (0..50_000).map(|nth| format!("100644 {EMPTY}\t.ai/{}/{}/f/{nth}\n", nth % 7, nth % 5)).collect();
        files.extend(["100644 ", EMPTY, "\t.ai/3/README.md\n"]);
        std::fs::create_dir_all(dir.path().join(".ai/3")).unwrap();
        let contract = "---\nschema: context/v1\nid: ai.three\nkind: context\ntitle: t\ndescription: d\nstatus: active\n\
                        scope: directory\ncomposition: extend\norder: 1\nproviders: [\"*\"]\n---\n";
        std::fs::write(dir.path().join(".ai/3/README.md"), contract).unwrap();
        track(dir.path(), &files);
        let options = Options { directory: Some(PathBuf::from(dir.path())), ..Options::default() };
        let shared = share(Workspace::find(options).unwrap(), Keymap::default());
        let mut clerk = Directories::new(shared);
        let mut told = || {
            let (sender, receiver) = channel();
            clerk.work(job_of(Part::Contracts), &sender);
            drop(sender);
            receiver.iter().collect::<Vec<Msg>>()
        };
        let shown = |mut outline: Outline| {
            outline.show();
            let row = |id: &NodeId| (outline.node(*id).entry.name.clone(), outline.node(*id).entry.mark);
            outline.rows().iter().map(row).collect::<Vec<_>>()
        };
        let mut first = told().into_iter();
        let (Some(Msg::FirstRows { generation: 7, outline: early, .. }), Some(Msg::Loaded { loaded: Ok(whole), .. })) =
            (first.next(), first.next())
        else {
            panic!("not what was expected")
        };
        assert_eq!(early.nodes().filter(|(_, node)| node.fold == Fold::Unread).count(), 35, "there is more below");
        let early = shown(early);
        assert_eq!(early.len(), 1 + 7 + 35);
        assert!(early.contains(&("3".into(), Mark::Documented)));
        assert_eq!(shown(whole.outline), early);
        // known by now, it is read without a first look, and its rows stand as they stood
        let [Msg::Loaded { loaded: Ok(again), .. }] = &told()[..] else { panic!("not what was expected") };
        assert_eq!(shown(again.outline.clone()), early);
    }
}
