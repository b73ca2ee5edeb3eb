//! What keys, the mouse and actions do to the model.

use std::collections::HashMap;
use std::sync::Arc;

use super::{
    Action, Area as Cells, Code, Dialog, Effect, Entry, Fold, Held, Input, Key, Mark, Meaning, Model, Mouse, MouseKind,
    Node, NodeId, Occurrence, Outline, PaneId, Part, Picker, Request, ResourceView, Stage, Step, Subject, Target,
};
use crate::finding::{Area, Finding};

impl Model {
    pub(super) fn key(&mut self, key: Key) {
        self.touched = true;
        match &mut self.held {
            Some(held) if key.code != Code::Esc && !key.ctrl => return held.keys.push(key),
            held => *held = None,
        }
        if self.layout().tiny {
            // nothing can be seen, so that nothing is done but leaving
            self.dialogs.clear();
            self.filter = None;
            let meaning = self.keymap.meaning(self.focus, &[key]);
            if let Meaning::Does(action @ (Action::Quit | Action::Cancel | Action::Suspend)) = meaning {
                self.act(action);
            }
            return;
        }
        let leaving = std::mem::take(&mut self.leaving);
        if !self.dialogs.is_empty() {
            return self.dialog_key(key);
        }
        if self.filter.is_some() {
            return self.filter_key(key);
        }
        self.notice = None;
        self.typed.push(key);
        match self.keymap.meaning(self.focus, &self.typed) {
            // the rest of the keys may still make it the same again
            Meaning::Begins => self.leaving = leaving,
            Meaning::Does(action) => {
                self.typed.clear();
                self.leaving = leaving && action == Action::Cancel;
                self.act(action);
            }
            Meaning::Nothing => {
                let typed: Vec<String> = self.typed.drain(..).map(|key| key.to_string()).collect();
                if key.code != Code::Esc {
                    let help = self.key_of(Action::Help);
                    self.notice = Some(format!("{} does nothing here; {help} lists the keys", typed.join(" ")));
                }
            }
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        if let Some(dialog) = self.dialogs.last_mut() {
            if dialog.paste(text) {
                self.refresh_dialog();
            }
        } else if let Some(filter) = &mut self.filter {
            filter.insert(text);
            self.apply_filter();
        }
    }

    fn dialog_key(&mut self, key: Key) {
        if key.ctrl && key.code == Code::Char('c') {
            return self.dialog_key(Key::plain(Code::Esc));
        }
        let Some(dialog) = self.dialogs.last_mut() else { return };
        let outcome = dialog.key(key);
        if outcome.close {
            self.dialogs.pop();
        }
        self.effects.extend(outcome.effects);
        if outcome.stale {
            self.refresh_dialog();
        }
        if let Some(Dialog::Plan(plan)) = outcome.over {
            self.plan(plan.request);
        }
        if let Some(action) = outcome.action {
            self.act(action);
        }
        if let Some(subject) = outcome.go {
            self.go(subject);
        }
    }

    /// Asks anew for what the innermost dialog shows.
    fn refresh_dialog(&mut self) {
        self.generation += 1;
        let generation = self.generation;
        match self.dialogs.last_mut() {
            Some(Dialog::Plan(plan)) => {
                plan.generation = generation;
                plan.stage = Stage::Waiting;
                let request = plan.request();
                self.effects.push(Effect::Preview { generation, request });
            }
            Some(Dialog::Find(find)) => {
                find.generation = generation;
                let text = find.search.text().to_owned();
                self.effects.push(Effect::Find { generation, text });
            }
            Some(Dialog::Picker(picker)) => {
                picker.generation = generation;
                picker.stale = true;
                self.effects.push(picker.ask());
            }
            _ => {}
        }
    }

    fn filter_key(&mut self, key: Key) {
        let Some(filter) = &mut self.filter else { return };
        match (key.code, key.ctrl) {
            (Code::Esc, _) | (Code::Char('c'), true) => {
                self.filter = None;
                self.pane_mut(self.focus).outline.set_filter(None);
            }
            (Code::Enter, _) => {
                if filter.text().is_empty() {
                    self.pane_mut(self.focus).outline.set_filter(None);
                }
                self.filter = None;
            }
            (Code::Down, _) => self.move_cursor(Step::By(1)),
            (Code::Up, _) => self.move_cursor(Step::By(-1)),
            (Code::Backspace, _) if filter.text().is_empty() => {
                self.filter = None;
                self.pane_mut(self.focus).outline.set_filter(None);
            }
            _ => {
                if filter.key(key) {
                    self.apply_filter();
                }
            }
        }
    }

    pub(super) fn apply_filter(&mut self) {
        let Some(text) = self.filter.as_ref().map(|filter| filter.text().to_owned()) else { return };
        let outline = &mut self.pane_mut(self.focus).outline;
        let again = outline.filter() == Some(text.as_str());
        outline.set_filter(Some(&text));
        let unread = !again && outline.nodes().any(|(_, node)| matches!(node.fold, Fold::Unread | Fold::Reading));
        if self.focus == PaneId::Resources && unread && !text.is_empty() {
            // what has not been read yet may match too
            self.load(Part::Resources, None);
        }
    }

    /// The key that does an action here; its name for the palette where it has none.
    pub fn key_of(&self, action: Action) -> String {
        self.keymap.hint(self.focus, action)
    }

    /// Why an action does not apply here and now.
    pub fn refusal(&self, action: Action) -> Option<String> {
        let subject = self.current().map(|entry| &entry.subject);
        let resource = matches!(subject, Some(Subject::Resource(_)));
        let key = |action| self.key_of(action);
        let writes = matches!(
            action,
            Action::Link
                | Action::Unlink
                | Action::Discover
                | Action::Add
                | Action::Remove
                | Action::Fix
                | Action::Undo
                | Action::Redo
        );
        if writes && self.read_only {
            return Some("opened with --read-only: nothing is written".into());
        }
        match action {
            Action::Link | Action::Discover | Action::Remove if !resource => {
                let (name, there, add) = (action.spec().name, key(Action::Pane1), key(Action::Add));
                Some(format!("{name} works on a resource: press {there}, or {add} to add one"))
            }
            Action::Unlink if !resource => Some(format!("unlink works on a resource: press {}", key(Action::Pane1))),
            Action::Unlink if self.parent_resource().is_none() => {
                Some("shown as a root here: no parent to unlink it from".into())
            }
            Action::Fix => self.fixable().err(),
            Action::Mark | Action::MarkAll if matches!(subject, None | Some(Subject::Group(_))) => {
                Some("no row to mark here".into())
            }
            Action::Edit => match self.told().and_then(|detail| detail.file.as_ref()) {
                None => Some("no file to open here".into()),
                Some(_) => None,
            },
            Action::Try if !matches!(self.focus, PaneId::Directories | PaneId::Selection) => {
                let (directories, selection) = (key(Action::Pane2), key(Action::Pane3));
                Some(format!("what-if works among the directories ({directories}) and in the selection ({selection})"))
            }
            Action::Try if matches!(subject, None | Some(Subject::Group(_) | Subject::MissingSkill { .. })) => {
                Some("nothing to try on this row".into())
            }
            Action::Tries if self.part().is_none_or(|part| self.tries[part as usize].is_empty()) => {
                Some(format!("no tries here: {} on a directory or an item begins one", key(Action::Try)))
            }
            Action::Way if !resource => {
                let (there, way) = (key(Action::Pane1), key(Action::Way));
                Some(format!("why works on resources: press {there}, then {way} on each of two"))
            }
            Action::Undo if self.undo.is_none() => Some("nothing to undo here".into()),
            Action::Redo if self.redo.is_none() => Some("nothing to redo here".into()),
            Action::NextMatch | Action::PreviousMatch if self.pane(self.focus).outline.filter().is_none() => {
                Some(format!("no filter: {} begins one", key(Action::Filter)))
            }
            Action::Forward if self.undone.is_empty() => Some("nowhere to go forward to".into()),
            Action::Back if self.history.is_empty() => Some("nowhere to go back to".into()),
            _ => None,
        }
    }

    /// Does what was held back, then takes in the keys typed after it.
    pub(super) fn release(&mut self) {
        let Some(held) = self.held.take() else { return };
        if let Some(action) = held.action {
            self.act(action);
        }
        for key in held.keys {
            self.key(key);
        }
    }

    /// Whether an action needs the detail of what is under the cursor, and that is still being made.
    fn has_to_wait(&self, action: Action) -> bool {
        let needs = matches!(
            action,
            Action::Edit
                | Action::CopyPath
                | Action::CopyId
                | Action::CopyChain
                | Action::CopyJson
                | Action::GoDirectory
                | Action::GoResource
                | Action::GoSelection
                | Action::GoProblems
        );
        let group = matches!(self.current().map(|entry| &entry.subject), None | Some(Subject::Group(_)));
        needs && !group && self.told().is_none()
    }

    /// Does an action, or says why not.
    #[expect(clippy::too_many_lines, reason = "an arm an action")]
    pub(super) fn act(&mut self, action: Action) {
        if self.has_to_wait(action) {
            self.held = Some(Held { action: Some(action), keys: Vec::new() });
            return;
        }
        self.trail.note(action);
        if let Some(why) = self.refusal(action) {
            self.notice = Some(why);
            return;
        }
        match action {
            Action::Down => self.move_cursor(Step::By(1)),
            Action::Up => self.move_cursor(Step::By(-1)),
            Action::HalfDown => self.move_cursor(Step::By(self.page() / 2)),
            Action::HalfUp => self.move_cursor(Step::By(-self.page() / 2)),
            Action::PageDown => self.move_cursor(Step::By(self.page())),
            Action::PageUp => self.move_cursor(Step::By(-self.page())),
            Action::First => self.move_cursor(Step::First),
            Action::Last => self.move_cursor(Step::Last),
            Action::In if !self.in_detail => self.step_in(),
            Action::Out if !self.in_detail => self.step_out(),
            Action::Out => self.in_detail = false,
            Action::Fold => self.fold(),
            Action::OpenAll => self.pane_mut(self.focus).outline.fold_all(true),
            Action::CloseAll => self.pane_mut(self.focus).outline.fold_all(false),
            Action::Enter => self.enter(),
            Action::Escape => self.escape(),
            Action::Pane1 => self.focus(PaneId::Resources),
            Action::Pane2 => self.focus(PaneId::Directories),
            Action::Pane3 => self.focus(PaneId::Selection),
            Action::Pane4 => self.focus(PaneId::Problems),
            Action::ToDetail | Action::FromDetail => self.in_detail = !self.in_detail,
            Action::PreviousTab => self.turn_tab(-1),
            Action::NextTab => self.turn_tab(1),
            Action::Filter => {
                self.in_detail = false;
                let text = self.pane(self.focus).outline.filter().unwrap_or_default().to_owned();
                self.filter = Some(Input::of(text));
                self.apply_filter();
            }
            Action::Sort => {
                let outline = &mut self.pane_mut(self.focus).outline;
                outline.set_sort(outline.sorting().next());
                self.notice = Some(format!("sorted {}", outline.sorting().name()));
            }
            Action::Find => {
                self.dialogs.push(Dialog::Find(super::Find { stale: true, ..super::Find::default() }));
                self.refresh_dialog();
            }
            Action::History => self.effects.push(Effect::History),
            Action::States => self.next_state(),
            Action::NextMatch => self.pane_mut(self.focus).outline.next_match(true),
            Action::PreviousMatch => self.pane_mut(self.focus).outline.next_match(false),
            Action::NextOwed => self.next_owed(true),
            Action::PreviousOwed => self.next_owed(false),
            Action::GoDirectory => self.go_same(PaneId::Directories),
            Action::GoResource => self.go_same(PaneId::Resources),
            Action::GoSelection => self.go_same(PaneId::Selection),
            Action::GoProblems => self.go_same(PaneId::Problems),
            Action::Back => {
                if let Some(subject) = self.history.pop() {
                    self.undone.extend(self.subject());
                    self.show(subject);
                }
            }
            Action::Forward => {
                if let Some(subject) = self.undone.pop() {
                    self.history.extend(self.subject());
                    self.show(subject);
                }
            }
            Action::Arrange => self.arrangement = self.arrangement.next(),
            Action::View => {
                self.focus(PaneId::Resources);
                self.view = self.view.next();
                if let Some(Subject::Resource(id)) = self.subject() {
                    self.about = Some(id);
                }
                if self.view == ResourceView::Parents && self.about.is_none() {
                    self.view = self.view.next();
                }
                self.pane_mut(PaneId::Resources).outline = Outline::default();
                let here = self.about.clone().map(Subject::Resource);
                self.load(Part::Resources, here);
            }
            Action::Way => self.way(),
            Action::Try => {
                if let (Some(part), Some(subject)) = (self.part(), self.subject()) {
                    self.effects.push(Effect::Try { part, subject });
                }
            }
            Action::Tries => {
                if let Some(part) = self.part() {
                    self.plan(Request::Tries(part));
                }
            }
            Action::Link => self.pick(),
            Action::Unlink => {
                if let (Some(above), Some(Subject::Resource(id))) = (self.parent_resource(), self.subject()) {
                    // in the parents view what contains a resource stands below it
                    let upward = self.view == ResourceView::Parents;
                    let (parent, child) = if upward { (id, above) } else { (above, id) };
                    self.plan(Request::Unlink { parent, child });
                }
            }
            Action::Discover => {
                let ids = self.chosen_resources();
                self.plan(Request::Discover { ids, form: None });
            }
            Action::Remove => self.plan_resource(|id| Request::Remove { id }),
            Action::Add => self.plan(Request::Add { form: None }),
            Action::Fix => {
                if let Ok(request) = self.fixable() {
                    self.plan(request);
                }
            }
            Action::Mark => {
                let outline = &mut self.pane_mut(self.focus).outline;
                if let Some(id) = outline.current() {
                    outline.mark(id);
                    outline.step(Step::By(1));
                }
                self.count_marks();
            }
            Action::MarkAll => {
                if let Some(entry) = self.current().cloned() {
                    let kind = std::mem::discriminant(&entry.subject);
                    let alike = |other: &Entry| {
                        other.mark == entry.mark
                            && std::mem::discriminant(&other.subject) == kind
                            && (self.focus != PaneId::Resources || other.note == entry.note)
                    };
                    self.panes[self.focus as usize].outline.mark_all(alike);
                }
                self.count_marks();
            }
            Action::Undo => self.plan(Request::Undo),
            Action::Redo => self.plan(Request::Redo),
            Action::Edit => {
                if let Some((file, line)) = self.told().and_then(|detail| detail.file.clone()) {
                    self.effects.push(Effect::Edit(file, line));
                }
            }
            Action::CopyPath => self.copy('p', "path"),
            Action::CopyId => self.copy('i', "id"),
            Action::CopyChain => self.copy('c', "chain"),
            Action::CopyJson => self.copy('j', "JSON"),
            Action::Reload => {
                for part in Part::ALL {
                    self.load(part, None);
                }
                self.notice = Some("reading again".into());
            }
            Action::Help => self.dialogs.push(Dialog::Help { search: Input::default(), scroll: 0 }),
            Action::Palette => self.dialogs.push(Dialog::Palette { search: Input::default(), cursor: 0 }),
            Action::Suspend => self.effects.push(Effect::Suspend),
            Action::Cancel => self.cancel(),
            Action::Quit if self.progress.is_some() => {
                self.dialogs.push(Dialog::Quit { why: "A write is still running.".into() });
            }
            Action::Quit if self.tries.iter().any(|tries| !tries.is_empty()) => {
                let list = self.key_of(Action::Tries);
                self.dialogs
                    .push(Dialog::Quit { why: format!("There are tries that are not written: {list} lists them.") });
            }
            Action::Quit => self.effects.push(Effect::Quit),
            Action::In => {}
        }
    }

    fn subject(&self) -> Option<Subject> {
        self.current().map(|entry| entry.subject.clone())
    }

    /// The part that the focused pane shows.
    fn part(&self) -> Option<Part> {
        Part::ALL.into_iter().find(|&part| PaneId::of(part) == self.focus)
    }

    /// The first time remembers where from, the second time asks how that contains this.
    fn way(&mut self) {
        let Some(Subject::Resource(id)) = self.subject() else { return };
        let name = self.current().map(|entry| entry.name.clone()).unwrap_or_default();
        match self.from.take() {
            Some((from, _)) if from != id => self.effects.push(Effect::Way { from, to: id }),
            _ => {
                self.notice = Some(format!("from {name}: now {} on what it may contain", self.key_of(Action::Way)));
                self.from = Some((id, name));
            }
        }
    }

    fn plan_resource(&mut self, request: impl Fn(String) -> Request) {
        if let Some(Subject::Resource(id)) = self.subject() {
            self.plan(request(id));
        }
    }

    /// The resource on whose row this row hangs.
    fn parent_resource(&self) -> Option<String> {
        let outline = &self.pane(PaneId::Resources).outline;
        let above = outline.current().and_then(|id| outline.parent(id))?;
        match &outline.node(above).entry.subject {
            Subject::Resource(id) => Some(id.clone()),
            _ => None,
        }
    }

    fn count_marks(&mut self) {
        let escape = self.key_of(Action::Escape);
        self.notice = Some(match self.pane(self.focus).outline.marked().count() {
            0 => "nothing marked".into(),
            1 => format!("1 marked; {escape} takes the mark away"),
            count => format!("{count} marked; {escape} takes the marks away"),
        });
    }

    /// The subjects of the marked rows of the focused pane; without marks, that of the row under the cursor.
    fn chosen(&self) -> Vec<Subject> {
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
    fn chosen_resources(&self) -> Vec<String> {
        let ids = self.chosen().into_iter().filter_map(|subject| match subject {
            Subject::Resource(id) => Some(id),
            _ => None,
        });
        ids.collect()
    }

    /// What settles what is under the cursor (or marked), or why nothing does.
    fn fixable(&self) -> Result<Request, String> {
        let nothing = || {
            let (there, next) = (self.key_of(Action::Pane2), self.key_of(Action::NextOwed));
            format!("fix works on what is owed or broken: press {there}, then {next}")
        };
        let empty = self.pane(PaneId::Directories).outline.nodes().next().is_none();
        if self.focus == PaneId::Directories && empty && self.pane(self.focus).state == super::PaneState::Ready {
            // no layer yet: its first contract begins it
            return Ok(Request::Fix { directories: vec![self.layer.clone()], form: None });
        }
        if let Some(Subject::Finding(finding)) = self.subject() {
            return match (finding.area, finding.code.as_str()) {
                (Area::Resources, "dangling-link") => Ok(Request::RemoveDangling),
                (Area::Resources, "cycle" | "self-link") => match self.about(&finding) {
                    Some(Subject::Resource(id)) => Ok(Request::Break { id, form: None }),
                    _ => Err(nothing()),
                },
                (Area::Contracts, _) => match self.about(&finding) {
                    Some(Subject::Directory(path)) => self.fix_of(path),
                    _ => Err(nothing()),
                },
                _ => Err(finding.fix.clone().unwrap_or_else(nothing)),
            };
        }
        let marked = self.pane(self.focus).outline.marked().next().is_some();
        if marked && self.focus == PaneId::Directories {
            let owed = self.pane(self.focus).outline.marked().filter(|node| node.entry.mark == Mark::Owed);
            let directories: Vec<String> = owed
                .filter_map(|node| match &node.entry.subject {
                    Subject::Directory(path) => Some(path.clone()),
                    _ => None,
                })
                .collect();
            return if directories.is_empty() {
                Err("none of the marked directories owes a contract".to_owned())
            } else {
                Ok(Request::Fix { directories, form: None })
            };
        }
        match self.subject() {
            Some(Subject::Directory(path)) => self.fix_of(path),
            _ => Err(nothing()),
        }
    }

    fn fix_of(&self, path: String) -> Result<Request, String> {
        match self.mark_of_directory(&path) {
            Some(Mark::Broken) => Ok(Request::Repair { directory: path }),
            Some(Mark::Owed) => Ok(Request::Fix { directories: vec![path], form: None }),
            _ => Err(format!("{path} owes nothing")),
        }
    }

    /// The thing a finding is about.
    fn about(&self, finding: &Arc<Finding>) -> Option<Subject> {
        self.findings
            .iter()
            .flatten()
            .find(|(other, _)| Arc::ptr_eq(other, finding))
            .and_then(|(_, about)| about.clone())
    }

    fn mark_of_directory(&self, path: &str) -> Option<Mark> {
        let wanted = Subject::Directory(path.to_owned());
        let outline = &self.pane(PaneId::Directories).outline;
        outline
            .entry()
            .filter(|entry| entry.subject == wanted)
            .map(|entry| entry.mark)
            .or_else(|| outline.nodes().find(|(_, node)| node.entry.subject == wanted).map(|(_, node)| node.entry.mark))
    }

    fn focus(&mut self, pane: PaneId) {
        self.focus = pane;
        self.in_detail = false;
    }

    /// How many rows a page is.
    fn page(&self) -> isize {
        let layout = self.layout();
        let area = if self.in_detail { layout.detail } else { layout.panes[self.focus as usize] };
        isize::try_from(area.map_or(10, |area| area.height)).unwrap_or(10).max(2)
    }

    fn move_cursor(&mut self, step: Step) {
        if !self.in_detail {
            return self.pane_mut(self.focus).outline.step(step);
        }
        let last = self.detail.lines().len().saturating_sub(1);
        self.detail.cursor = match step {
            Step::By(rows) => self.detail.cursor.saturating_add_signed(rows).min(last),
            Step::First | Step::Parent => 0,
            Step::Last => last,
        };
    }

    /// Filters by the next state (or, for what has none, type) that the rows of the pane have.
    fn next_state(&mut self) {
        let outline = &mut self.pane_mut(self.focus).outline;
        let word = |entry: &Entry| match entry.mark.word() {
            "" => entry.note.clone(),
            word => word.to_owned(),
        };
        let leads = |entry: &Entry| !matches!(entry.subject, Subject::Group(_) | Subject::Package(_));
        let shown = outline.nodes().filter(|(_, node)| leads(&node.entry));
        let words: std::collections::BTreeSet<String> =
            shown.map(|(_, node)| word(&node.entry)).filter(|word| !word.is_empty()).collect();
        let next = match outline.filter() {
            Some(now) => {
                let after = std::ops::Bound::Excluded(now.trim_start_matches('='));
                words.range::<str, _>((after, std::ops::Bound::Unbounded)).next()
            }
            None => words.iter().next(),
        };
        let next = next.map(|word| format!("={word}"));
        outline.set_filter(next.as_deref());
        if next.is_none() {
            self.notice = Some("all states".into());
        }
    }

    fn step_in(&mut self) {
        let outline = &mut self.pane_mut(self.focus).outline;
        let Some(id) = outline.current() else { return };
        match outline.node(id).fold {
            Fold::Open => outline.step(Step::By(1)),
            Fold::Leaf => self.in_detail = true,
            Fold::Closed | Fold::Unread | Fold::Reading => self.fold(),
        }
    }

    fn step_out(&mut self) {
        let outline = &mut self.pane_mut(self.focus).outline;
        let Some(id) = outline.current() else { return };
        if outline.node(id).fold == Fold::Open {
            outline.close(outline.cursor());
        } else {
            outline.step(Step::Parent);
        }
    }

    pub(super) fn fold(&mut self) {
        let generation = self.generations[Part::Resources as usize];
        let upward = self.view == ResourceView::Parents;
        let outline = &mut self.pane_mut(self.focus).outline;
        let Some(node) = outline.current() else { return };
        let row = outline.cursor();
        if outline.node(node).entry.occurrence == Occurrence::Cycle {
            self.notice = Some("a cycle: this resource is among its own ancestors".into());
            return;
        }
        match outline.node(node).fold {
            Fold::Closed => outline.open(row),
            Fold::Open => outline.close(row),
            Fold::Unread => {
                let of = outline.node(node).entry.subject.clone();
                outline.reading(node);
                self.held = Some(Held::default());
                self.effects.push(Effect::Children { generation, node, of, upward });
            }
            Fold::Leaf | Fold::Reading => {}
        }
    }

    fn turn_tab(&mut self, by: isize) {
        let count = self.detail.shown.as_ref().map_or(0, |detail| detail.tabs.len());
        if count > 0 {
            let tab = self.detail.tab.min(count - 1);
            self.detail.tab = (tab + count).saturating_add_signed(by) % count;
            (self.detail.cursor, self.detail.scroll) = (0, 0);
        }
    }

    fn enter(&mut self) {
        if self.in_detail {
            let target = self.detail.lines().get(self.detail.cursor).and_then(|line| line.target.clone());
            return match target {
                Some(target) => self.follow(target),
                None => self.notice = Some("this line leads nowhere".into()),
            };
        }
        match self.current().map(|entry| &entry.subject) {
            Some(Subject::Group(_) | Subject::Type(_)) => self.fold(),
            Some(Subject::Finding(finding)) => match self.about(finding) {
                Some(subject) => self.go(subject),
                None => self.in_detail = true,
            },
            Some(_) => self.in_detail = true,
            None => {}
        }
    }

    fn follow(&mut self, target: Target) {
        match target {
            Target::Show(subject) => self.go(subject),
            Target::File(file, line) => self.effects.push(Effect::Edit(file, line)),
        }
    }

    /// Goes to a thing's row, remembering where from.
    pub(super) fn go(&mut self, subject: Subject) {
        self.undone.clear();
        if let Some(here) = self.subject() {
            self.history.push(here);
        }
        self.show(subject);
    }

    fn show(&mut self, subject: Subject) {
        let Some(pane) = PaneId::holding(&subject) else { return };
        self.focus(pane);
        if !self.pane_mut(pane).outline.reveal(|entry| entry.subject == subject) {
            if pane == PaneId::Resources {
                // its row has not been read yet
                self.load(Part::Resources, Some(subject));
            } else {
                self.notice = Some("no row for it here".into());
            }
        }
    }

    fn same_in(&self, pane: PaneId) -> Option<Subject> {
        if let Subject::Finding(finding) = self.subject()? {
            return self.about(&finding).filter(|subject| PaneId::holding(subject) == Some(pane));
        }
        self.told()?.same.iter().find(|subject| PaneId::holding(subject) == Some(pane)).cloned()
    }

    fn go_same(&mut self, pane: PaneId) {
        if pane == PaneId::Problems && self.focus != PaneId::Problems {
            let here = self.same_in(pane);
            return match here {
                Some(subject) => self.go(subject),
                None => self.notice = Some("no problems with this".into()),
            };
        }
        match self.same_in(pane) {
            Some(subject) => self.go(subject),
            None => self.notice = Some(format!("nothing of this among the {}", pane.title().to_lowercase())),
        }
    }

    fn next_owed(&mut self, forward: bool) {
        self.focus(PaneId::Directories);
        let wanted = |node: &Node| matches!(node.entry.mark, Mark::Owed | Mark::Broken);
        if !self.pane_mut(PaneId::Directories).outline.seek(forward, wanted) {
            self.notice = Some("no directory owes a contract".into());
        }
    }

    fn pick(&mut self) {
        let ids = self.chosen_resources();
        let Some(id) = ids.first().cloned() else { return };
        let name = match ids.len() {
            1 => self.current().map(|entry| entry.name.clone()).unwrap_or_default(),
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

    fn copy(&mut self, which: char, what: &str) {
        let copies = self.told().map(|detail| detail.copies.as_slice()).unwrap_or_default();
        match copies.iter().find(|(letter, _)| *letter == which) {
            Some((_, text)) => {
                self.effects.push(Effect::Copy(text.clone()));
                self.notice = Some(format!("copied the {what}"));
            }
            None => self.notice = Some(format!("this has no {what} to copy")),
        }
    }

    /// Closes the innermost thing; never quits.
    fn escape(&mut self) {
        if self.in_detail {
            self.in_detail = false;
        } else if self.pane(self.focus).outline.filter().is_some() {
            self.pane_mut(self.focus).outline.set_filter(None);
        } else if self.pane(self.focus).outline.marked().next().is_some() {
            self.pane_mut(self.focus).outline.unmark();
        } else if self.progress.is_some() {
            self.effects.push(Effect::CancelWrite);
        }
    }

    fn cancel(&mut self) {
        if self.progress.is_some() {
            self.effects.push(Effect::CancelWrite);
        } else if self.leaving {
            self.effects.push(Effect::Quit);
        } else {
            self.leaving = true;
            self.notice = Some(format!("{} again quits", self.key_of(Action::Cancel)));
        }
    }

    /// Moves the border between the panes and the detail; gives whether the mouse is about that.
    fn drag(&mut self, mouse: Mouse) -> bool {
        let layout = self.layout();
        let (Some(column), Some(detail)) = (layout.column, layout.detail) else { return false };
        let side_by_side = detail.x > column.x;
        let edge = column.x + column.width;
        match mouse.kind {
            MouseKind::Click if side_by_side && self.dialogs.is_empty() && (mouse.x + 1 == edge || mouse.x == edge) => {
                self.dragging = true;
            }
            MouseKind::Drag if self.dragging => self.split = Some(mouse.x + 1),
            MouseKind::Release if self.dragging => self.dragging = false,
            _ => return false,
        }
        true
    }

    pub(super) fn mouse(&mut self, mouse: Mouse) {
        self.touched = true;
        if self.drag(mouse) {
            return;
        }
        if !self.dialogs.is_empty() {
            let code = match mouse.kind {
                MouseKind::WheelDown => Code::Down,
                MouseKind::WheelUp => Code::Up,
                MouseKind::Click | MouseKind::Drag | MouseKind::Release => return,
            };
            return self.dialog_key(Key::plain(code));
        }
        let layout = self.layout();
        let by = match mouse.kind {
            MouseKind::WheelDown => 3,
            MouseKind::WheelUp => -3,
            MouseKind::Click => 0,
            MouseKind::Drag | MouseKind::Release => return,
        };
        for id in PaneId::ALL {
            let Some(area) = layout.panes[id as usize] else { continue };
            let title = Cells { y: area.y - 1, height: 1, ..area };
            if title.holds(mouse.x, mouse.y) && by == 0 {
                return self.focus(id);
            }
            if !area.holds(mouse.x, mouse.y) {
                continue;
            }
            let height = usize::from(area.height);
            let outline = &mut self.pane_mut(id).outline;
            if by != 0 {
                return outline.scroll(by, height);
            }
            let (sticky, window) = outline.window(height);
            let line = usize::from(mouse.y - area.y);
            let before = (self.focus, self.pane(id).outline.cursor());
            let outline = &mut self.pane_mut(id).outline;
            match sticky.get(line) {
                Some(&node) => outline.reveal_node(node),
                None if window.start + line - sticky.len() < window.end => {
                    outline.put(window.start + line - sticky.len());
                }
                None => {}
            }
            let row = outline.cursor();
            self.focus(id);
            if before == (id, row) {
                self.fold();
            }
            return;
        }
        if let Some(area) = layout.detail.filter(|area| area.holds(mouse.x, mouse.y)) {
            if by != 0 {
                let last = self.detail.lines().len().saturating_sub(1);
                self.detail.scroll = self.detail.scroll.saturating_add_signed(by).min(last);
                self.detail.cursor = self.detail.scroll.max(self.detail.cursor.saturating_add_signed(by)).min(last);
                return;
            }
            self.in_detail = true;
            let body = self.detail.body(area);
            let row = mouse.y.checked_sub(body.y).map(usize::from);
            if let Some(line) = row.and_then(|row| self.detail.line_at(row, usize::from(body.width))) {
                self.detail.cursor = line;
                if let Some(target) = self.detail.lines()[line].target.clone() {
                    self.follow(target);
                }
            }
        }
    }
}

/// Marks children whose thing already has a row elsewhere, or stands among their own ancestors.
pub(super) fn occurrences(outline: &Outline, node: NodeId, children: Vec<(Entry, Fold)>) -> Vec<(Entry, Fold)> {
    let shared = children.iter().any(|(entry, _)| entry.parents > 1);
    let mut elsewhere: HashMap<&Subject, &str> = HashMap::new();
    if shared {
        for (id, other) in outline.nodes() {
            if other.entry.parents > 1 && outline.parent(id) != Some(node) {
                let above = outline.parent(id).map_or("", |above| outline.node(above).entry.name.as_str());
                elsewhere.entry(&other.entry.subject).or_insert(above);
            }
        }
    }
    let mut above: std::collections::HashSet<&Subject> = [&outline.node(node).entry.subject].into();
    above.extend(outline.ancestors(node).map(|id| &outline.node(id).entry.subject));
    children
        .into_iter()
        .map(|(mut entry, mut fold)| {
            if above.contains(&entry.subject) {
                entry.occurrence = Occurrence::Cycle;
                fold = Fold::Leaf;
            } else if let Some(name) = elsewhere.get(&entry.subject) {
                entry.occurrence = Occurrence::AlsoUnder((*name).to_owned());
            }
            (entry, fold)
        })
        .collect()
}
