//! What an action is about: the row under the cursor, or the marked ones, and what can be done to it.

use std::sync::Arc;

use super::{
    Action, Dialog, Effect, Entry, Input, Mark, Model, NodeId, PaneId, Part, Picker, Request, ResourceView, Subject,
};
use crate::finding::{Area, Finding};
use crate::text::{safe_json, visible};

impl Model {
    /// The part that the focused pane shows.
    pub(super) fn part(&self) -> Option<Part> {
        Part::ALL.into_iter().find(|&part| PaneId::of(part) == self.focus)
    }

    /// The first time remembers where from, the second time asks how that contains this.
    pub(super) fn way(&mut self) {
        let Some(Subject::Resource(id)) = self.subject() else { return };
        let name = self.current().map(|entry| entry.name.clone()).unwrap_or_default();
        match self.from.take() {
            Some((from, _)) if from != id => self.effects.push(Effect::Way { from, to: id }),
            _ => {
                self.notice = Some(format!("from {name}: now {} on what it may contain", self.key_of(Action::Way)));
                self.from = Some((id, name.into()));
            }
        }
    }

    pub(super) fn plan_resource(&mut self, request: impl Fn(String) -> Request) {
        if let Some(Subject::Resource(id)) = self.subject() {
            self.plan(request(id));
        }
    }

    pub(super) fn subject(&self) -> Option<Subject> {
        self.current().map(|entry| entry.subject.clone())
    }

    /// Whether rows of the focused pane are marked.
    pub(super) fn marks(&self) -> bool {
        self.pane(self.focus).outline.has_marks()
    }

    /// The resource on whose row this row hangs.
    pub(super) fn parent_resource(&self) -> Option<String> {
        let outline = &self.pane(PaneId::Resources).outline;
        self.link_of(outline.current()?).map(|(above, _)| above)
    }

    /// The resource on whose row a row hangs, and that of the row.
    fn link_of(&self, row: NodeId) -> Option<(String, String)> {
        let outline = &self.pane(PaneId::Resources).outline;
        let resource = |id: NodeId| match &outline.node(id).entry.subject {
            Subject::Resource(id) => Some(id.clone()),
            _ => None,
        };
        Some((resource(outline.parent(row)?)?, resource(row)?))
    }

    /// The links, parent first, by which the marked rows (without marks, that under the cursor) hang where they are
    /// shown; and which of them hang on none.
    pub(super) fn chosen_links(&self) -> (Vec<(String, String)>, Vec<String>) {
        let outline = &self.pane(PaneId::Resources).outline;
        let mut rows: Vec<NodeId> = Vec::new();
        if self.marks() {
            rows.extend(outline.nodes().map(|(id, _)| id).filter(|&id| outline.is_marked(id)));
        } else {
            rows.extend(outline.current());
        }
        // in the parents view what contains a resource stands below it
        let upward = self.view == ResourceView::Parents;
        // one link may have several rows
        let mut seen = std::collections::HashSet::new();
        let (mut links, mut left_out) = (Vec::new(), Vec::new());
        for row in rows {
            match self.link_of(row) {
                Some((above, id)) => {
                    let link = if upward { (id, above) } else { (above, id) };
                    links.extend(seen.insert(link.clone()).then_some(link));
                }
                None => left_out.push(format!("{} hangs on no resource here", outline.node(row).entry.name)),
            }
        }
        (links, left_out)
    }

    /// Says that nothing is marked any more; how many are stands beside the hints.
    pub(super) fn no_marks(&mut self) {
        if self.pane(self.focus).outline.marks() == 0 {
            self.notice = Some("nothing marked".into());
        }
    }

    /// The subjects of the marked rows of the focused pane; without marks, that of the row under the cursor.
    pub(super) fn chosen(&self) -> Vec<Subject> {
        let outline = &self.pane(self.focus).outline;
        let mut chosen: Vec<Subject> = outline.marked().map(|node| node.entry.subject.clone()).collect();
        if chosen.is_empty() {
            chosen.extend(self.subject());
        }
        // one thing may have several rows
        let mut seen = std::collections::HashSet::new();
        chosen.retain(|subject| seen.insert(subject.clone()));
        chosen
    }

    /// The ids of the chosen resources.
    pub(super) fn chosen_resources(&self) -> Vec<String> {
        let ids = self.chosen().into_iter().filter_map(|subject| match subject {
            Subject::Resource(id) => Some(id),
            _ => None,
        });
        ids.collect()
    }

    /// What settles what is under the cursor (or marked), and what of the marked it leaves out; or why nothing does.
    pub(super) fn fixable(&self) -> Result<(Request, Vec<String>), String> {
        if self.marks() {
            match self.focus {
                PaneId::Directories => return self.marked_fixable(),
                PaneId::Problems => {
                    let escape = self.key_of(Action::Escape);
                    return Err(format!("fix settles one problem at a time: {escape} takes the marks away"));
                }
                _ => {}
            }
        }
        self.fixable_here().map(|request| (request, Vec::new()))
    }

    /// What settles the marked directories: all that owe a contract, or a broken one alone.
    fn marked_fixable(&self) -> Result<(Request, Vec<String>), String> {
        let (mut owed, mut broken, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        for node in self.pane(PaneId::Directories).outline.marked() {
            match (&node.entry.subject, node.entry.mark) {
                (Subject::Directory(path), Mark::Owed) => owed.push(path.clone()),
                (Subject::Directory(path), Mark::Broken) => broken.push(path.clone()),
                (Subject::Directory(path), _) => left_out.push(format!("{path} owes nothing")),
                _ => {}
            }
        }
        let mut broken = broken.into_iter();
        let request = if owed.is_empty() {
            let directory = broken.next().ok_or("none of the marked directories owes a contract")?;
            Request::Repair { directory }
        } else {
            Request::Fix { directories: owed, form: None }
        };
        let key = self.key_of(Action::Fix);
        // what can still be done comes first
        let broken = broken.map(|path| format!("{path} needs a repair of its own: {key} on it alone"));
        Ok((request, broken.chain(left_out).collect()))
    }

    /// What settles what is under the cursor, or why nothing does.
    fn fixable_here(&self) -> Result<Request, String> {
        let nothing = || {
            let (there, next) = (self.key_of(Action::Pane2), self.key_of(Action::NextOwed));
            format!("fix works on what is owed or broken: press {there}, then {next}")
        };
        let empty = self.pane(PaneId::Directories).outline.nodes().next().is_none();
        if self.focus == PaneId::Directories && empty && self.pane(self.focus).state == super::PaneState::Ready {
            // no layer yet: its first contract begins it
            return Ok(Request::Fix { directories: vec![self.layer.clone()], form: None });
        }
        if let Some(Subject::Finding(finding)) = self.current().map(|entry| &entry.subject) {
            return self.settles(finding).map_err(|why| why.unwrap_or_else(nothing));
        }
        match self.current() {
            Some(Entry { subject: Subject::Directory(path), mark, .. }) => fix_of(path, Some(*mark)),
            _ => Err(nothing()),
        }
    }

    /// What settles a finding, or what a person can do about it.
    pub(super) fn settles(&self, finding: &Arc<Finding>) -> Result<Request, Option<String>> {
        let known = self.known.get(finding);
        let about = known.and_then(|known| known.about.as_ref());
        match (finding.area, finding.code.as_str(), about) {
            (Area::Resources, "dangling-link", _) => Ok(Request::RemoveDangling),
            (Area::Resources, "cycle" | "self-link", Some(Subject::Resource(id))) => {
                Ok(Request::Break { id: id.clone(), form: None })
            }
            (Area::Contracts, _, Some(Subject::Directory(path))) => {
                fix_of(path, known.and_then(|known| known.mark)).map_err(Some)
            }
            (Area::Contracts, ..) | (Area::Resources, "cycle" | "self-link", _) => Err(None),
            _ => Err(finding.fix.clone()),
        }
    }

    /// The thing a finding is about.
    pub(super) fn about(&self, finding: &Arc<Finding>) -> Option<Subject> {
        self.known.get(finding).and_then(|known| known.about.clone())
    }

    pub(super) fn pick(&mut self) {
        let ids = self.chosen_resources();
        let Some(id) = ids.first().cloned() else { return };
        let name = match ids.len() {
            1 => self.current().map(|entry| entry.name.to_string()).unwrap_or_default(),
            count => format!("{count} resources"),
        };
        self.generation += 1;
        let picker = Picker {
            id,
            name,
            // several marked ones become children of the one that is picked
            upward: ids.len() > 1,
            ids,
            search: Input::default(),
            forbidden: false,
            generation: self.generation,
            candidates: None,
            stale: true,
            picking: false,
            cursor: 0,
            failed: Vec::new(),
        };
        self.effects.push(picker.ask());
        self.dialogs.push(Dialog::Picker(picker));
    }

    pub(super) fn copy(&mut self, which: char, what: &str) {
        let copies = self.told().map(|detail| detail.copies.as_slice()).unwrap_or_default();
        match copies.iter().find(|(letter, _)| *letter == which) {
            Some((letter, text)) => {
                // what is pasted into a shell must not run because a name holds a line break
                let safe = if *letter == 'j' { safe_json(text) } else { visible(text).into_owned() };
                let what = if safe == *text { what.to_owned() } else { format!("escaped {what}") };
                // what became of it is told by whoever takes it
                self.effects.push(Effect::Copy { text: safe, what });
            }
            None => self.notice = Some(format!("this has no {what} to copy")),
        }
    }
}

/// What settles a directory of this mark.
fn fix_of(path: &str, mark: Option<Mark>) -> Result<Request, String> {
    match mark {
        Some(Mark::Broken) => Ok(Request::Repair { directory: path.to_owned() }),
        Some(Mark::Owed) => Ok(Request::Fix { directories: vec![path.to_owned()], form: None }),
        _ => Err(format!("{path} owes nothing")),
    }
}
