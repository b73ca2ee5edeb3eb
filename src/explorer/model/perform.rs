//! What an action does to the model, and why one does not apply here and now.

use super::{
    Action, Dialog, Effect, Entry, Fold, Held, Input, Mark, Model, NodeId, Occurrence, Outline, PaneId, PaneState,
    Part, Request, ResourceView, Step, Subject,
};

impl Model {
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
        if self.pane(self.focus).state == PaneState::Loading && self.lacks_detail(action) {
            // the first rows: their details come when all has been read, and no key waits for so long
            return Some(format!("the {} are still being read", self.focus.title().to_lowercase()));
        }
        match action {
            Action::Unlink if self.marks() => self
                .chosen_links()
                .0
                .is_empty()
                .then(|| "none of the marked rows hangs on a resource here: nothing to unlink them from".to_owned()),
            Action::Link | Action::Discover if self.marks() => None,
            Action::Link | Action::Unlink | Action::Discover | Action::Remove | Action::Way if !resource => {
                Some(self.needs_resource(action))
            }
            Action::Unlink if self.parent_resource().is_none() => {
                Some("shown as a root here: no parent to unlink it from".into())
            }
            Action::NextTab | Action::PreviousTab
                if self.detail.shown.as_ref().is_none_or(|detail| detail.tabs.len() < 2) =>
            {
                Some("the detail has no tabs here".into())
            }
            Action::Fix => self.fixable().err(),
            Action::NextOwed | Action::PreviousOwed if self.pane(PaneId::Directories).outline.is_empty() => {
                Some(match self.pane(PaneId::Directories).state {
                    PaneState::Loading => "the directories are still being read".into(),
                    _ => "no layer here: no directory owes a contract".into(),
                })
            }
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
            Action::Try if matches!(subject, None | Some(Subject::Group(_) | Subject::MissingSkill(_))) => {
                Some("nothing to try on this row".into())
            }
            Action::Try => match (self.told(), self.current()) {
                (Some(detail), _) => detail.fixed.clone(),
                // while that is being made: what most rows of this look come to
                (None, Some(Entry { mark: Mark::Exempt | Mark::Closed, .. })) => Some("it owes nothing".to_owned()),
                (None, Some(Entry { subject: Subject::Package(own), .. })) if own.is_empty() => {
                    Some("your own package is always whole".to_owned())
                }
                (None, Some(Entry { subject: Subject::Item(item), .. })) if item.package.is_empty() => {
                    Some(format!("`{}` is your own: it is always selected", item.slug))
                }
                _ => None,
            },
            Action::Tries if self.part().is_none_or(|part| self.tries[part as usize].is_empty()) => {
                Some(format!("no tries here: {} on a directory or an item begins one", key(Action::Try)))
            }
            Action::Undo if self.undo.is_none() => Some("nothing to undo here".into()),
            Action::Redo if self.redo.is_none() => Some("nothing to redo here".into()),
            Action::NextMatch | Action::PreviousMatch if !self.pane(self.focus).outline.is_filtered() => {
                Some(format!("no filter: {} begins one", key(Action::Filter)))
            }
            Action::Forward if self.undone.is_empty() => Some("nowhere to go forward to".into()),
            Action::Back if self.history.is_empty() => Some("nowhere to go back to".into()),
            _ => None,
        }
    }

    /// Where there is a resource that an action can work on, or how there comes to be one.
    fn needs_resource(&self, action: Action) -> String {
        let key = |action| self.key_of(action);
        let works = match action {
            Action::Way => format!("why works on resources, {} on each of two", key(action)),
            _ => format!("{} works on a resource", action.spec().name),
        };
        let none = self.pane(PaneId::Resources).outline.is_empty();
        match (none, self.focus == PaneId::Resources) {
            (true, _) if self.pane(PaneId::Resources).state == PaneState::Loading => {
                "the resources are still being read".to_owned()
            }
            (true, _) if self.read_only => format!("{works}: there is none here"),
            (true, _) => format!("{works}: there is none yet, {} adds one", key(Action::Add)),
            (false, true) => format!("{works}: this row is none"),
            (false, false) => format!("{works}: press {}", key(Action::Pane1)),
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
        self.lacks_detail(action) && self.pane(self.focus).state != PaneState::Loading
    }

    /// Whether an action needs the detail of what is under the cursor, and there is none yet.
    fn lacks_detail(&self, action: Action) -> bool {
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
                | Action::Try
        );
        let group = matches!(self.current().map(|entry| &entry.subject), None | Some(Subject::Group(_)));
        needs && !group && self.told().is_none()
    }

    /// Does an action, or says why not.
    #[expect(clippy::too_many_lines, reason = "an arm an action")]
    pub(super) fn act(&mut self, action: Action) {
        if self.has_to_wait(action) {
            self.held = Some(Held { action: Some(action), ..Held::default() });
            return;
        }
        self.trail.note(action);
        if self.offer != Some(action) {
            self.offer = None;
        }
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
            Action::OpenAll => self.open_all(),
            Action::CloseAll => self.close_all(),
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
            Action::History => {
                self.dialogs.push(Dialog::Tasks { written: None, scroll: 0 });
                self.effects.push(Effect::History);
            }
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
                let (links, left_out) = self.chosen_links();
                self.plan_leaving(Request::Unlink { links }, left_out);
            }
            Action::Discover => {
                let ids = self.chosen_resources();
                self.plan(Request::Discover { ids, form: None });
            }
            Action::Remove => self.plan_resource(|id| Request::Remove { id }),
            Action::Add => self.plan(Request::Add { form: None }),
            Action::Fix => {
                if let Ok((request, left_out)) = self.fixable() {
                    self.plan_leaving(request, left_out);
                }
            }
            Action::Mark => {
                let outline = &mut self.pane_mut(self.focus).outline;
                if let Some(id) = outline.current() {
                    outline.mark(id);
                }
                self.no_marks();
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
                self.no_marks();
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
            Action::Quit if self.tasks.writes() => {
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
}

/// Marks children whose thing already has a row elsewhere, or stands among their own ancestors.
pub(super) fn occurrences(
    outline: &Outline,
    node: NodeId,
    children: Vec<(Entry, Fold)>,
    view: ResourceView,
) -> Vec<(Entry, Fold)> {
    let mut above: std::collections::HashSet<&Subject> = [&outline.node(node).entry.subject].into();
    above.extend(outline.ancestors(node).map(|id| &outline.node(id).entry.subject));
    children
        .into_iter()
        .map(|(mut entry, mut fold)| {
            if above.contains(&entry.subject) {
                entry.occurrence = Occurrence::Cycle;
                fold = Fold::Leaf;
            } else if view != ResourceView::Parents
                && entry.parents > 1
                && let Some(other) = outline.shared(&entry.subject)
            {
                entry.occurrence = Occurrence::AlsoAt(other);
            }
            (entry, fold)
        })
        .collect()
}
