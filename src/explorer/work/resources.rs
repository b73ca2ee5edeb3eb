//! The Resources pane: the DAG as rows, read as far as it is opened, and all there is to say about a resource.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::time::Duration;

use super::desk::{Clerk, Desk};
use super::foresight::foresight;
use super::lookout::{FileId, News, Seen, Stamp};
use super::{PROBLEMS_TO_COME, Shared, advice, counted, findings, told};
use crate::error::Coded;
use crate::explorer::model::{
    self, Action, Candidates, Detail, Effect, Entry, Failed, Fold, Line, Loaded, Mark, Msg, NodeId, Occurrence,
    Outline, PaneId, Part, ResourceView, Subject, Tab, Tone,
};
use crate::finding::Finding;
use crate::resources::{self, ResourceType};
use crate::resources::{Brief, Direction, Error, Named, Node, Registry, ResourceId, doctor, path_of, thousands};
use crate::text::near;
use crate::workspace::failure;

/// How many candidates a picker lists.
const LISTED: usize = 200;
/// How many resources are read for a filter at most.
const FOUND: usize = 200;
/// How often the registry is looked at for what others wrote.
const GLANCE: Duration = Duration::from_millis(300);
/// How often a registry is tried again that another program kept locked.
const RETRY: Duration = Duration::from_secs(1);
/// How long to wait for another program that is writing.
const WAIT: Duration = Duration::from_secs(2);

/// Reads the registry and tells about its resources.
#[derive(Debug)]
pub struct Resources {
    shared: Arc<Shared>,
    registry: Option<Registry>,
    seen: Seen,
    /// Who looks through a large registry; this clerk where there is no such desk.
    survey: Option<Desk>,
}

/// What a load is to bring.
struct Wanted {
    open: HashSet<u64>,
    reveal: Option<Subject>,
    find: String,
    view: ResourceView,
    about: Option<String>,
}

/// How much of the registry a load reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Share {
    /// The rows on show: quick, however large the registry is.
    Rows,
    /// Also what only a look at every link tells: defects, and what no root reaches.
    All,
}

/// From how many resources on the rows are shown before everything has been looked at.
const LARGE: u64 = 20_000;

impl Resources {
    /// A clerk for a workspace, who looks through a large registry himself.
    pub fn new(shared: Arc<Shared>) -> Resources {
        Resources { shared, registry: None, seen: Seen::Nothing, survey: None }
    }

    /// A clerk for a workspace, who leaves looking through a large registry to another desk: it takes seconds, and nobody who
    /// opens a row waits for it.
    pub fn seated(shared: Arc<Shared>, sender: Sender<Msg>) -> Resources {
        let other = Arc::clone(&shared);
        let survey =
            Desk::open("survey", sender, move || Survey { by: Resources::new(other), turn: Turn::AfterTheLayer });
        Resources { survey: Some(survey), ..Resources::new(shared) }
    }

    /// The registry, opened again while there was none.
    fn registry(&mut self) -> Result<&Registry, Error> {
        if self.registry.as_ref().is_none_or(Registry::is_missing) {
            self.registry = Some(Registry::open_to_read(&self.shared.workspace.registry_file(), WAIT)?);
        }
        let registry = self.registry.as_ref();
        registry.ok_or_else(|| Error::Invalid("the registry is not open".to_owned()))
    }

    fn load(&mut self, wanted: Wanted) -> Result<Loaded, Error> {
        // opened anew at each load: the file may have been replaced
        self.registry = None;
        let file = self.shared.workspace.registry_file();
        // first, as it may change while it is read
        let (before, id) = (Stamp::of(&file), FileId::of(&file));
        let read = self.read(wanted);
        self.seen = match &read {
            Ok((_, Some(version))) => Seen::Open(id, *version),
            Ok((_, None)) => Seen::Closed(before),
            Err(error) => Seen::failed(error, before),
        };
        read.map(|(loaded, _)| loaded)
    }

    /// What was wanted, and the version that was read; none where there is no registry.
    fn read(&mut self, wanted: Wanted) -> Result<(Loaded, Option<i64>), Error> {
        let shared = Arc::clone(&self.shared);
        let registry = self.registry()?;
        let missing = registry.is_missing();
        // before anything is read: what others commit meanwhile changes it
        let version = if missing { None } else { Some(registry.data_version()?) };
        let _moment = registry.snapshot()?;
        let resources = registry.len()?;
        let hint = advice::resources(&shared, if missing { None } else { Some(resources) });
        let share = if resources > LARGE { Share::Rows } else { Share::All };
        let examined = match share {
            Share::All => Some(doctor::examine(registry)?),
            Share::Rows => None,
        };
        let (found, cyclic) = examined.map(|examined| (examined.findings, examined.cyclic)).unzip();
        let reveal = wanted.reveal.clone();
        let roots = registry.roots()?;
        let count = counted(roots.len(), "root", "roots");
        let outline = rows(registry, wanted, roots, cyclic.unwrap_or_default())?;
        let file = registry.file().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let counts = if missing {
            vec![("no registry".to_owned(), Mark::None)]
        } else {
            vec![(format!("{} · {count}", thousands(resources)), Mark::None)]
        };
        let (to_come, findings) = match found {
            Some(found) => ("", shared.keep_findings(Part::Resources, found)),
            None => (PROBLEMS_TO_COME, Shared::held(&shared.findings)[Part::Resources as usize].clone()),
        };
        let header = if missing { Vec::new() } else { vec![file] };
        let findings = findings.into_iter().map(with_subject).collect();
        Ok((Loaded { outline, counts, hint, findings, header, reveal, to_come }, version))
    }

    fn children(&mut self, of: &Subject, upward: bool) -> Result<Vec<Brief>, Error> {
        let registry = self.registry()?;
        Ok(match of {
            Subject::Resource(id) if upward => in_brief(registry.get_parents(&ResourceId::new(id.as_str()))?),
            Subject::Resource(id) => registry.children_in_brief(&ResourceId::new(id.as_str()))?,
            Subject::Type(kind) => in_brief(registry.list(Some(kind))?),
            _ => Vec::new(),
        })
    }

    /// How one resource contains another, told with the shortest path.
    fn way(&mut self, from: &str, to: &str) -> Result<Vec<Line>, Error> {
        let registry = self.registry()?;
        let (from, to) = (ResourceId::new(from), ResourceId::new(to));
        let mut found = registry.paths(&from, &to)?;
        let (mut upper, mut lower) = (registry.named(&from)?, registry.named(&to)?);
        if found.shortest.is_empty() {
            found = registry.paths(&to, &from)?;
            std::mem::swap(&mut upper, &mut lower);
        }
        if found.shortest.is_empty() {
            return Ok(vec![Line::plain(format!("Neither {upper} nor {lower} contains the other."))]);
        }
        let more = if found.all.more_than { "more than " } else { "" };
        let ways = thousands(found.all.count);
        let mut lines = vec![
            Line::of(Tone::Strong, format!("{upper} contains {lower}")),
            Line::of(Tone::Dim, format!("paths: {more}{ways}; the shortest of them:")),
            Line::blank(),
        ];
        let step = |(depth, named): (usize, &Named)| {
            let lead = if depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(depth - 1)) };
            Line::of(Tone::Dim, lead)
                .and(Tone::Accent, named.to_string())
                .and(Tone::Dim, format!("  {}", named.type_name))
        };
        lines.extend(found.shortest.iter().enumerate().map(step));
        Ok(lines)
    }

    fn candidates(&mut self, id: &str, upward: bool, text: &str, forbidden: bool) -> Result<Candidates, Error> {
        let registry = self.registry()?;
        let id = ResourceId::new(id);
        let direction = if upward { Direction::Parents } else { Direction::Children };
        let found = registry.candidates(&id, direction, text, LISTED + 1)?;
        let more = found.len().saturating_sub(LISTED);
        let candidate = |node: &Node, refusal: Option<String>| model::Candidate {
            id: node.resource.id.as_str().to_owned(),
            name: node.resource.label(),
            kind: node.resource.type_name.clone(),
            refusal,
        };
        let mut list: Vec<model::Candidate> =
            found.iter().take(LISTED).map(|found| candidate(&found.resource, found.reason.clone())).collect();
        let barred = registry.barred(&id, direction, LISTED)?;
        let around = if upward { "that it contains" } else { "that contain it" };
        let left_out = match barred.len() {
            0 | 1 => "left out: itself".to_owned(),
            count => format!("left out: itself and {} {around} (a cycle)", count - 1),
        };
        if forbidden {
            let cycle = if upward { "inside this: a cycle" } else { "contains this: a cycle" };
            let named = |node: &&Node| node.resource.label().to_lowercase().contains(&text.to_lowercase());
            let why = |node: &Node| if node.resource.id == id { "this resource itself" } else { cycle };
            list.extend(barred.iter().filter(named).map(|node| candidate(node, Some(why(node).to_owned()))));
        }
        let left_out = if forbidden { "ctrl-t leaves out what would be a cycle".to_owned() } else { left_out };
        Ok(Candidates { list, more, left_out })
    }

    /// All there is to say about a type.
    fn kind(&mut self, name: &str) -> Result<Detail, Error> {
        let registry = self.registry()?;
        let kind = registry.resource_type(name)?;
        let mut lines = Vec::new();
        lines.extend(kind.description.as_ref().map(|text| Line::fact("about", text.as_str())));
        lines.push(Line::fact("resources", thousands(registry.users_of_type(name)?)));
        lines.extend(type_lines(&kind));
        Ok(Detail {
            subject: Subject::Type(name.to_owned()),
            title: name.to_owned(),
            mark: Mark::None,
            badge: "type".into(),
            tabs: vec![Tab { name: "Type".into(), lines }],
            file: None,
            same: Vec::new(),
            copies: vec![('i', name.to_owned()), ('j', serde_json::to_string(&kind).unwrap_or_default())],
            fixed: None,
        })
    }

    /// All there is to say about a resource, and what it was made of.
    fn detail(&mut self, id: &str) -> Result<(Detail, resources::Detail), Error> {
        let shared = Arc::clone(&self.shared);
        let registry = self.registry()?;
        let detail = registry.detail(&ResourceId::new(id))?;
        let resource = &detail.resource.resource;
        let label = resource.label();
        let mut lines = vec![Line::fact("id", resource.id.as_str())];
        lines.push(Line::fact("type", resource.type_name.as_str()));
        lines.extend(resource.location.as_ref().map(|place| Line::fact("location", place.as_str())));
        lines.extend(resource.description.as_ref().map(|text| Line::fact("about", text.as_str())));
        lines.push(Line::fact(
            "made",
            format!("{}{}", resource.created_at, if resource.auto_discovered { ", discovered" } else { "" }),
        ));
        lines.extend(detail.type_problem.as_ref().map(|why| Line::of(Tone::Bad, why.as_str())));
        lines.extend([Line::blank(), Line::of(Tone::Strong, "Parents")]);
        if detail.parents.is_empty() {
            lines.push(Line::of(Tone::Dim, "  none: a root"));
        }
        lines.extend(detail.parents.iter().map(link_line));
        lines.extend([Line::blank(), Line::of(Tone::Strong, "Children")]);
        if detail.children_by_type.is_empty() {
            lines.push(Line::of(Tone::Dim, "  none"));
        }
        for (kind, count) in &detail.children_by_type {
            lines.push(Line::plain(format!("  {count:>6} {kind}")));
        }
        if detail.descendants > 0 {
            let more = if detail.more_descendants { "more than " } else { "" };
            lines.push(Line::of(Tone::Dim, format!("  {more}{} in all below it", detail.descendants)));
        }
        lines.push(Line::blank());
        if let Some(kind) = &detail.resource_type {
            lines.extend(type_lines(kind));
        }
        let mut same = Vec::new();
        // while the layer is being read nothing is said of it; the detail is asked for again once it has been
        let layer = shared.known_layer();
        let inside = resource.location.as_deref().and_then(path_of).and_then(|path| {
            let layer = layer.as_ref()?;
            let below = path.strip_prefix(&layer.place.top).ok()?.to_str()?.to_owned();
            layer.index.find(below.as_bytes()).filter(|folder| layer.index.standing(*folder).listed).map(|_| below)
        });
        match inside {
            Some(path) => {
                let line = Line::of(Tone::Dim, format!("{:<11}", "contract")).and(Tone::Accent, path.as_str());
                lines.push(line.show(Subject::Directory(path.clone())));
                same.push(Subject::Directory(path));
            }
            None if resource.location.is_some() && layer.is_some() => {
                lines.push(Line::fact("contract", "none: no directory of the layer"));
            }
            None => {}
        }
        let problems = shared.findings_about(Part::Resources, |finding| about(finding, resource.id.as_str(), &label));
        if !problems.is_empty() {
            lines.extend([Line::blank(), Line::of(Tone::Strong, "Problems")]);
        }
        for finding in &problems {
            let line = Line::of(Tone::Bad, format!("{}  ", finding.code)).and(Tone::Plain, finding.message.as_str());
            lines.push(line.show(Subject::Finding(Arc::clone(finding))));
        }
        same.extend(problems.into_iter().map(Subject::Finding));
        let file = resource.location.as_deref().and_then(path_of).filter(|path| path.is_file()).map(|path| (path, 1));
        let mut copies = vec![
            ('i', resource.id.as_str().to_owned()),
            ('j', serde_json::to_string(&detail.resource).unwrap_or_default()),
        ];
        copies.extend(resource.location.as_ref().map(|place| {
            let path = path_of(place).map(|path| path.display().to_string());
            ('p', path.unwrap_or_else(|| place.clone()))
        }));
        let told = Detail {
            subject: Subject::Resource(id.to_owned()),
            title: label,
            mark: Mark::None,
            badge: resource.type_name.clone(),
            tabs: vec![Tab { name: "Resource".into(), lines }],
            file,
            same,
            copies,
            fixed: None,
        };
        Ok((told, detail))
    }

    /// Tells about a resource, and then, as the disk may be slow, what a discovery would do below it.
    fn tell(&mut self, id: &str, tell: impl Fn(Detail) -> bool) {
        let (mut told, of) = match self.detail(id) {
            Ok(detail) => detail,
            Err(error) => {
                tell(failed(Subject::Resource(id.to_owned()), &error));
                return;
            }
        };
        let key = self.shared.keymap.hint(PaneId::Resources, Action::Discover);
        let key = Some(key.as_str()).filter(|_| !self.shared.workspace.options.read_only);
        let listening = tell(told.clone());
        let foresight = self.registry().map(|registry| foresight(registry, &of, key)).unwrap_or_default();
        if listening && !foresight.is_empty() {
            told.tabs[0].lines.extend(foresight);
            tell(told);
        }
    }
}

/// The resource a finding is about: the one whose id is its key.
fn subject_of(finding: &Finding) -> Option<Subject> {
    finding.key.clone().map(Subject::Resource)
}

fn with_subject(finding: Arc<Finding>) -> (Arc<Finding>, Option<Subject>) {
    let subject = subject_of(&finding);
    (finding, subject)
}

impl Clerk for Resources {
    fn work(&mut self, job: Effect, sender: &Sender<Msg>) {
        let sent = match job {
            Effect::Load { part, generation, open, reveal, find, view, about } => {
                self.shared.resources_asked.store(generation, Ordering::SeqCst);
                let survey = Effect::Survey { generation, open: open.clone(), view };
                let loaded = self.load(Wanted { open, reveal, find, view, about }).map(Box::new).map_err(|error| {
                    let findings = vec![failure(&self.shared.workspace.registry_file(), &error)];
                    let findings = self.shared.keep_findings(Part::Resources, findings);
                    Box::new(Failed { lines: told(&error), findings })
                });
                if loaded.is_err() {
                    self.registry = None;
                }
                let more = loaded.as_ref().is_ok_and(|loaded| !loaded.to_come.is_empty());
                let sent = sender.send(Msg::Loaded { part, generation, loaded });
                if more && let Some(desk) = &self.survey {
                    desk.put(survey);
                } else if more {
                    let by = Resources::new(Arc::clone(&self.shared));
                    Survey { by, turn: Turn::AtOnce }.work(survey, sender);
                }
                sent
            }
            Effect::Way { from, to } => {
                sender.send(Msg::Way(self.way(&from, &to).unwrap_or_else(|error| told(&error))))
            }
            Effect::Children { generation, node, of, upward } => {
                let tell = |children, to_come| {
                    let children = Msg::Children { generation, node, children, to_come };
                    sender.send(children).is_ok()
                };
                match self.children(&of, upward) {
                    Ok(children) => in_pieces(children, if upward { row_upward } else { row }, tell),
                    Err(error) => _ = tell(Err(error.to_string()), 0),
                }
                Ok(())
            }
            Effect::Candidates { generation, id, upward, text, forbidden } => {
                let candidates = self.candidates(&id, upward, &text, forbidden).map_err(|error| told(&error));
                sender.send(Msg::Candidates { generation, candidates })
            }
            Effect::Detail { generation, subject } => match &subject {
                Subject::Resource(id) => {
                    let shared = Arc::clone(&self.shared);
                    self.tell(id, |detail| {
                        sender.send(Msg::Detail { generation, detail: shared.with_path(detail) }).is_ok()
                    });
                    Ok(())
                }
                Subject::Type(name) => {
                    let detail = self.kind(name).unwrap_or_else(|error| failed(subject.clone(), &error));
                    sender.send(Msg::Detail { generation, detail: self.shared.with_path(detail) })
                }
                Subject::Finding(finding) => {
                    let about = subject_of(finding).into_iter().collect();
                    let detail = findings::detail(finding, &self.shared.workspace.place(), about);
                    sender.send(Msg::Detail { generation, detail: self.shared.with_path(detail) })
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        };
        // the explorer has ended; there is nobody to tell
        let _ = sent;
    }

    fn glance(&mut self, sender: &Sender<Msg>) {
        let file = self.shared.workspace.registry_file();
        let told = match self.seen.glance(&file, self.registry.as_ref()) {
            // what the explorer writes itself is no news, a long write in parts least of all
            Some(News::Changed) if self.shared.has_just_written() => Msg::Again(Part::Resources),
            Some(News::Changed) => Msg::Outside(Part::Resources),
            Some(News::TryAgain) => Msg::Again(Part::Resources),
            None => return,
        };
        // told once: the load that follows looks again
        self.registry = None;
        self.seen = Seen::Nothing;
        let _ = sender.send(told);
    }

    fn patience(&self) -> Duration {
        match self.seen {
            Seen::Nothing => Duration::from_hours(1),
            Seen::Open(..) | Seen::Closed(_) => GLANCE,
            Seen::Busy => RETRY,
        }
    }
}

/// Looks through a large registry, whose rows have been told.
struct Survey {
    by: Resources,
    turn: Turn,
}

/// When a survey is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    AtOnce,
    /// Once the layer has been read: both take all cores and much memory, and the layer's rows are waited for.
    AfterTheLayer,
}

impl Survey {
    /// What no root reaches, as rows, and what is to be reported.
    fn look(&mut self, open: HashSet<u64>, view: ResourceView) -> Result<(Outline, Vec<Finding>), Error> {
        // opened anew each time: the file may have been replaced
        self.by.registry = None;
        let registry = self.by.registry()?;
        let examined = doctor::examine(registry)?;
        let mut rows = Rows::new(registry, open);
        if view == ResourceView::Tree {
            rows.add_cyclic(examined.cyclic)?;
        }
        Ok((rows.outline, examined.findings))
    }
}

impl Clerk for Survey {
    fn work(&mut self, job: Effect, sender: &Sender<Msg>) {
        let Effect::Survey { generation, open, view } = job else { return };
        if self.turn == Turn::AfterTheLayer {
            self.by.shared.begun.wait();
        }
        let (group, findings) = self.look(open, view).unwrap_or_else(|error| {
            (Outline::default(), vec![failure(&self.by.shared.workspace.registry_file(), &error)])
        });
        self.by.registry = None;
        // what was asked for since may have been answered by now, and be newer
        let findings = if self.by.shared.resources_asked.load(Ordering::SeqCst) == generation {
            self.by.shared.keep_findings(Part::Resources, findings)
        } else {
            findings.into_iter().map(Arc::new).collect()
        };
        let findings = findings.into_iter().map(with_subject).collect();
        // the explorer may have ended; then there is nobody to tell
        let _ = sender.send(Msg::Findings { part: Part::Resources, generation, findings, group });
    }
}

fn failed(subject: Subject, error: &dyn Coded) -> Detail {
    Detail::of(subject, "not read", Mark::Error, "Resource", told(error))
}

fn about(finding: &Finding, id: &str, label: &str) -> bool {
    finding.key.as_deref() == Some(id) || finding.path == label || finding.message.contains(id)
}

/// What a type allows and discovers, and what of it is not applied.
fn type_lines(kind: &ResourceType) -> Vec<Line> {
    let mut lines = vec![Line::fact("may hold", kind.children_text())];
    for rule in kind.rules() {
        let off = if rule.is_enabled() { "" } else { " (disabled)" };
        let pattern = rule.pattern.as_deref().unwrap_or("by its handler");
        lines.push(Line::fact("discovers", format!("{} {pattern}{off}", rule.child_type)));
    }
    lines.extend(kind.notes().into_iter().map(|note| Line::of(Tone::Warn, format!("  {note}"))));
    lines
}

fn link_line(node: &Node) -> Line {
    let resource = &node.resource;
    Line::plain("  ")
        .and(Tone::Accent, resource.label())
        .and(Tone::Dim, format!("  {}", resource.type_name))
        .show(Subject::Resource(resource.id.as_str().to_owned()))
}

/// How many children are told at once: the screen takes in so many in less than a frame, and what has been taken in is
/// not held twice.
const PIECE: usize = 4096;

/// Tells children, very many of them piece by piece, each time with how many are to come; until nobody listens.
fn in_pieces(
    mut children: Vec<Brief>,
    row: fn(Brief) -> (Entry, Fold),
    tell: impl Fn(Result<Vec<(Entry, Fold)>, String>, usize) -> bool,
) {
    // what is taken from the end can be given back at once
    children.reverse();
    loop {
        let to_come = children.len().saturating_sub(PIECE);
        let piece = children.drain(to_come..).rev().map(row).collect();
        children.shrink_to_fit();
        if !tell(Ok(piece), to_come) || to_come == 0 {
            return;
        }
    }
}

/// A resource as a row, its children unread.
fn row(brief: Brief) -> (Entry, Fold) {
    let subject = Subject::Resource(brief.id.as_str().to_owned());
    let mut entry = Entry::new(subject, Mark::None, brief.label(), brief.type_name);
    entry.parents = brief.parent_count;
    (entry, if brief.has_children { Fold::Unread } else { Fold::Leaf })
}

/// A resource as a row of the parents view, its parents unread.
fn row_upward(brief: Brief) -> (Entry, Fold) {
    let (entry, _) = row(brief);
    let fold = if entry.parents > 0 { Fold::Unread } else { Fold::Leaf };
    (entry, fold)
}

fn in_brief(nodes: Vec<Node>) -> Vec<Brief> {
    nodes.into_iter().map(Brief::from).collect()
}

/// Reads rows from the registry as far as they are wanted.
struct Rows<'a> {
    registry: &'a Registry,
    /// Whether what contains a resource stands below it.
    upward: bool,
    open: HashSet<u64>,
    /// Resources whose rows lead to one that is wanted.
    ways: HashSet<String>,
    outline: Outline,
}

/// The rows that are wanted; in the tree, what no root reaches comes last.
fn rows(registry: &Registry, wanted: Wanted, roots: Vec<Node>, cyclic: Vec<Node>) -> Result<Outline, Error> {
    let mut rows = Rows::new(registry, wanted.open);
    if let Some(Subject::Resource(id)) = &wanted.reveal {
        rows.way_to(&ResourceId::new(id.as_str()))?;
    }
    if !wanted.find.is_empty() && wanted.view == ResourceView::Tree {
        for node in registry.search(&wanted.find, FOUND)? {
            rows.way_to(&node.resource.id)?;
        }
    }
    match wanted.view {
        ResourceView::Tree => {
            rows.add(None, in_brief(roots))?;
            rows.add_cyclic(cyclic)?;
        }
        ResourceView::Parents => {
            rows.upward = true;
            if let Some(about) = &wanted.about {
                rows.add(None, vec![registry.node(&ResourceId::new(about.as_str()))?.into()])?;
            }
        }
        ResourceView::ByType => {
            for (kind, count) in registry.by_type()? {
                let heading = Entry::new(Subject::Type(kind.clone()), Mark::None, kind.clone(), count.to_string());
                // the resources of a type are read when it is opened: there may be very many
                let group = rows.outline.add(None, heading, Fold::Unread);
                if rows.open.contains(&rows.outline.node(group).key) {
                    rows.outline.set_fold(group, Fold::Open);
                    rows.add(Some(group), in_brief(registry.list(Some(&kind))?))?;
                }
            }
        }
        ResourceView::Orphans => rows.add(None, in_brief(registry.orphans()?))?,
    }
    Ok(rows.outline)
}

impl Rows<'_> {
    fn new(registry: &Registry, open: HashSet<u64>) -> Rows<'_> {
        Rows { registry, upward: false, open, ways: HashSet::new(), outline: Outline::default() }
    }

    /// Adds what no root reaches, under a heading, where there is any.
    fn add_cyclic(&mut self, cyclic: Vec<Node>) -> Result<(), Error> {
        if cyclic.is_empty() {
            return Ok(());
        }
        let count = cyclic.len().to_string();
        let heading = Entry::new(Subject::Group("cyclic".into()), Mark::Error, "in or below a cycle", count);
        let group = self.outline.add(None, heading, Fold::Closed);
        self.add(Some(group), in_brief(cyclic))?;
        if self.open.contains(&self.outline.node(group).key) {
            self.outline.set_fold(group, Fold::Open);
        }
        Ok(())
    }

    /// Notes a resource and everything above it as wanted.
    fn way_to(&mut self, id: &ResourceId) -> Result<(), Error> {
        let mut waiting = vec![id.clone()];
        while let Some(id) = waiting.pop() {
            for parent in self.registry.get_parents(&id)? {
                if self.ways.insert(parent.resource.id.as_str().to_owned()) {
                    waiting.push(parent.resource.id);
                }
            }
        }
        Ok(())
    }

    /// Adds rows, and below each open one its children; in the order of rows, without recursion.
    fn add(&mut self, parent: Option<NodeId>, all: Vec<Brief>) -> Result<(), Error> {
        let mut waiting: Vec<(Option<NodeId>, Vec<Brief>)> = vec![(parent, all)];
        while let Some((parent, all)) = waiting.pop() {
            for brief in all {
                let (of, parent_count) = (brief.id.clone(), brief.parent_count);
                let id = of.as_str();
                let (mut entry, mut fold) = if self.upward { row_upward(brief) } else { row(brief) };
                let cycle = parent.is_some_and(|parent| self.stands_above(parent, &entry.subject));
                if cycle {
                    entry.occurrence = Occurrence::Cycle;
                    fold = Fold::Leaf;
                } else if parent_count > 1 && !self.upward {
                    entry.occurrence = self.outline.shared(&entry.subject).map(Occurrence::AlsoAt).unwrap_or_default();
                }
                let first = entry.occurrence == Occurrence::First;
                let at = self.outline.add(parent, entry, fold);
                let wanted = self.open.contains(&self.outline.node(at).key) || (first && self.ways.contains(id));
                if wanted && fold == Fold::Unread {
                    self.outline.set_fold(at, Fold::Open);
                    let below = if self.upward {
                        in_brief(self.registry.get_parents(&of)?)
                    } else {
                        self.registry.children_in_brief(&of)?
                    };
                    waiting.push((Some(at), below));
                }
            }
        }
        Ok(())
    }

    fn stands_above(&self, parent: NodeId, subject: &Subject) -> bool {
        let above = std::iter::once(parent).chain(self.outline.ancestors(parent));
        above.into_iter().any(|id| &self.outline.node(id).entry.subject == subject)
    }
}

/// The types a new resource may have, the likeliest first.
pub fn type_choices(registry: &Registry, asked: &str) -> Vec<String> {
    let mut names: Vec<String> =
        registry.type_rows().map(|rows| rows.into_iter().map(|row| row.name).collect()).unwrap_or_default();
    if !names.iter().any(|name| name == asked) {
        let near: Vec<String> =
            near(asked, names.iter().map(String::as_str), 1).into_iter().map(str::to_owned).collect();
        names.sort_by_key(|name| !near.contains(name));
    }
    names
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::super::{load, share};
    use super::*;
    use crate::explorer::model::Keymap;
    use crate::workspace::{Options, Workspace};

    /// What a load of a large registry is answered with, the last two resources linked in these ways.
    fn answers(links: &[[u64; 2]]) -> Vec<Msg> {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("registry.db");
        let options = Options { directory: Some(dir.path().to_owned()), registry: Some(file), ..Options::default() };
        let workspace = Workspace::find(options).unwrap();
        drop(workspace.registry_to_write().unwrap());
        let id = |at: u64| format!("01{at:024}");
        let mut sql = String::from("BEGIN;");
        for at in 0..=LARGE {
            let values = format!("('{}', 'n{at}', 'fs-directory', '2026-01-01T00:00:00Z');", id(at));
            sql += "INSERT INTO resources(resource_id, name, resource_type_name, created_at) VALUES";
            sql += &values;
        }
        for [parent, child] in links {
            sql += &["INSERT INTO resource_links VALUES('", &id(*parent), "', '", &id(*child), "', '');"].concat();
        }
        let connection = rusqlite::Connection::open(workspace.registry_file()).unwrap();
        connection.execute_batch(&(sql + "COMMIT")).unwrap();
        let (sender, receiver) = channel();
        Resources::new(share(workspace, Keymap::default())).work(load(Part::Resources), &sender);
        drop(sender);
        receiver.iter().collect()
    }

    fn rows(msg: &Msg) -> (usize, bool) {
        match msg {
            Msg::Loaded { generation: 7, loaded: Ok(loaded), .. } => {
                (loaded.outline.nodes().count(), loaded.to_come.is_empty())
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_rows_of_a_large_registry_come_before_what_only_every_link_tells() {
        let all = usize::try_from(LARGE).unwrap() + 1;
        let told = answers(&[]);
        let [first, Msg::Findings { generation: 7, findings, .. }] = &told[..] else { panic!("{}", told.len()) };
        assert_eq!((rows(first), findings.len()), ((all, false), 0));
        // what is in a cycle is a row only now
        let told = answers(&[[LARGE - 1, LARGE], [LARGE, LARGE - 1]]);
        let [first, Msg::Findings { group, .. }] = &told[..] else { panic!("{}", told.len()) };
        assert_eq!((rows(first), group.nodes().count()), ((all - 2, false), 3));
    }
}
