//! Moving about: cursors, folding, tabs, from a thing to where else it stands, and back.

use super::{Action, Effect, Entry, Fold, Held, Mark, Model, Node, Occurrence, PaneId, Part, Step, Subject, Target};
use crate::resources::thousands;

impl Model {
    pub(super) fn focus(&mut self, pane: PaneId) {
        self.turn_to(pane);
        self.in_detail = false;
    }

    /// Gives a pane the focus, or leaves it with its detail.
    pub(super) fn turn_to(&mut self, pane: PaneId) {
        let before = std::mem::replace(&mut self.focus, pane);
        // each pane's details have tabs of their own
        self.detail.kept[before as usize] = self.detail.tab;
        self.detail.tab = self.detail.kept[pane as usize];
    }

    /// How many rows a page is.
    pub(super) fn page(&self) -> isize {
        let layout = self.layout();
        let area = if self.in_detail { layout.detail } else { layout.panes[self.focus as usize] };
        isize::try_from(area.map_or(10, |area| area.height)).unwrap_or(10).max(2)
    }

    pub(super) fn move_cursor(&mut self, step: Step) {
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
    pub(super) fn next_state(&mut self) {
        let outline = &mut self.pane_mut(self.focus).outline;
        let word = |entry: &Entry| match entry.mark.word() {
            "" => entry.note.to_string(),
            word => word.to_owned(),
        };
        let leads = |entry: &Entry| !matches!(entry.subject, Subject::Group(_) | Subject::Package(_));
        let shown = outline.nodes().filter(|(_, node)| leads(&node.entry));
        let words: std::collections::BTreeSet<String> =
            shown.map(|(_, node)| word(&node.entry)).filter(|word| !word.is_empty()).collect();
        let next = match outline.state() {
            Some(now) => {
                let after = std::ops::Bound::Excluded(now);
                words.range::<str, _>((after, std::ops::Bound::Unbounded)).next()
            }
            None => words.iter().next(),
        };
        let next = next.cloned();
        outline.set_state(next.as_deref());
        if next.is_none() {
            self.notice = Some("all states".into());
        }
    }

    pub(super) fn step_in(&mut self) {
        let outline = &mut self.pane_mut(self.focus).outline;
        let Some(id) = outline.current() else { return };
        match outline.node(id).fold {
            Fold::Open => outline.step(Step::By(1)),
            Fold::Leaf => self.in_detail = true,
            Fold::Closed | Fold::Unread | Fold::Reading => self.fold(),
        }
    }

    pub(super) fn step_out(&mut self) {
        let outline = &mut self.pane_mut(self.focus).outline;
        let Some(id) = outline.current() else { return };
        if outline.node(id).fold == Fold::Open {
            outline.close(outline.cursor());
        } else {
            outline.step(Step::Parent);
        }
    }

    pub(super) fn fold(&mut self) {
        let of_resource = self.focus == PaneId::Resources;
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
            // it opens when the others of its pane come
            Fold::Unread if !of_resource => outline.open_soon(row),
            Fold::Unread => {
                self.ask_for_children(node);
                let row = Some((self.answered[Part::Resources as usize], node));
                self.held = Some(Held { row, ..Held::default() });
            }
            Fold::Leaf | Fold::Reading => {}
        }
    }

    /// How many rows of the focused pane are folded in one of these ways.
    fn folded(&self, ways: &[Fold]) -> usize {
        self.pane(self.focus).outline.nodes().filter(|(_, node)| ways.contains(&node.fold)).count()
    }

    /// Opens what has been read, and says so: reading all the rest could take for ever.
    pub(super) fn open_all(&mut self) {
        let (closed, unread) = (self.folded(&[Fold::Closed]), self.folded(&[Fold::Unread, Fold::Reading]));
        if closed > 0 {
            self.pane_mut(self.focus).outline.fold_all(true);
        }
        let opened = format!("opened {}", rows(closed));
        let are = if unread == 1 { "is" } else { "are" };
        self.notice = Some(match (closed, unread) {
            (0, 0) if self.folded(&[Fold::Open]) > 0 => "everything is open already".into(),
            (0, 0) => "no row here can be opened".into(),
            (0, _) => {
                let open = self.key_of(Action::In);
                format!("all that has been read is open; {} {are} read when opened, with {open}", rows(unread))
            }
            (_, 0) => opened,
            _ => format!("{opened}; {} {are} read when opened", thousands(unread)),
        });
    }

    /// Closes everything, and says so.
    pub(super) fn close_all(&mut self) {
        let open = self.folded(&[Fold::Open]);
        if open > 0 {
            self.pane_mut(self.focus).outline.fold_all(false);
        }
        self.notice = Some(if open > 0 { format!("closed {}", rows(open)) } else { "no row here is open".to_owned() });
    }

    pub(super) fn turn_tab(&mut self, by: isize) {
        let count = self.detail.shown.as_ref().map_or(0, |detail| detail.tabs.len());
        if count > 0 {
            let tab = self.detail.tab.min(count - 1);
            self.detail.tab = (tab + count).saturating_add_signed(by) % count;
            (self.detail.cursor, self.detail.scroll) = (0, 0);
        }
    }

    pub(super) fn enter(&mut self) {
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

    pub(super) fn follow(&mut self, target: Target) {
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

    pub(super) fn show(&mut self, subject: Subject) {
        let Some(pane) = PaneId::holding(&subject) else { return };
        self.focus(pane);
        if !self.pane_mut(pane).outline.reveal(|entry| entry.subject == subject) {
            if pane == PaneId::Resources {
                // its row has not been read yet
                self.load(Part::Resources, Some(subject));
            } else {
                self.notice = Some(format!("no row for it here; {} reads again", self.key_of(Action::Reload)));
            }
        }
    }

    pub(super) fn same_in(&self, pane: PaneId) -> Option<Subject> {
        if let Subject::Finding(finding) = self.subject()? {
            return self.about(&finding).filter(|subject| PaneId::holding(subject) == Some(pane));
        }
        self.told()?.same.iter().find(|subject| PaneId::holding(subject) == Some(pane)).cloned()
    }

    pub(super) fn go_same(&mut self, pane: PaneId) {
        if pane == PaneId::Problems && self.focus != PaneId::Problems {
            let here = self.same_in(pane);
            return match here {
                Some(subject) => self.go(subject),
                None => self.notice = Some("no problems with this".into()),
            };
        }
        match self.same_in(pane) {
            Some(subject) => self.go(subject),
            None if pane == self.focus => {
                self.notice = Some(format!("this is the pane of the {}", pane.title().to_lowercase()));
            }
            None => self.notice = Some(format!("nothing of this among the {}", pane.title().to_lowercase())),
        }
    }

    pub(super) fn next_owed(&mut self, forward: bool) {
        self.focus(PaneId::Directories);
        let wanted = |node: &Node| matches!(node.entry.mark, Mark::Owed | Mark::Broken);
        if !self.pane_mut(PaneId::Directories).outline.seek(forward, wanted) {
            self.notice = Some("no directory owes a contract".into());
        }
    }

    /// Closes the innermost thing; never quits.
    pub(super) fn escape(&mut self) {
        if self.in_detail {
            self.in_detail = false;
        } else if self.pane(self.focus).outline.filter().is_some() {
            self.pane_mut(self.focus).outline.set_filter(None);
        } else if self.pane(self.focus).outline.state().is_some() {
            self.pane_mut(self.focus).outline.set_state(None);
        } else if self.pane(self.focus).outline.marked().next().is_some() {
            self.pane_mut(self.focus).outline.unmark();
        } else if self.progress.is_some() {
            self.effects.push(Effect::CancelWrite);
        }
    }

    pub(super) fn cancel(&mut self) {
        if self.progress.is_some() {
            self.effects.push(Effect::CancelWrite);
        } else if self.leaving {
            self.effects.push(Effect::Quit);
        } else {
            self.leaving = true;
            self.notice = Some(format!("{} again quits", self.key_of(Action::Cancel)));
        }
    }
}

fn rows(count: usize) -> String {
    format!("{} {}", thousands(count), if count == 1 { "row" } else { "rows" })
}

#[cfg(test)]
mod tests {
    use super::super::{Key, Loaded, Msg, Outline, PaneState, ResourceView};
    use super::*;

    /// The resources with rows folded so, each but the first below the one before it.
    fn resources(folds: &[Fold]) -> Model {
        let mut model = Model::new("x", 80, 24, false);
        let mut outline = Outline::default();
        let mut above = None;
        for (nth, &fold) in folds.iter().enumerate() {
            let id = nth.to_string();
            above = Some(outline.add(above, Entry::new(Subject::Resource(id.clone()), Mark::None, id, ""), fold));
        }
        for (row, &fold) in (0..).zip(folds) {
            outline.set_fold(row, fold);
        }
        outline.show();
        model.focus(PaneId::Resources);
        let pane = model.pane_mut(PaneId::Resources);
        (pane.outline, pane.state) = (outline, PaneState::Ready);
        model
    }

    fn told(model: &mut Model, action: Action) -> String {
        model.act(action);
        model.notice.take().unwrap()
    }

    fn unread(names: &[&str]) -> Outline {
        let mut outline = Outline::default();
        for name in names {
            outline.add(None, Entry::new(Subject::Resource((*name).into()), Mark::None, *name, ""), Fold::Unread);
        }
        outline
    }

    fn loaded(model: &mut Model, names: &[&str]) -> Vec<Effect> {
        let (part, generation) = (Part::Resources, model.generations[Part::Resources as usize]);
        let loaded = Ok(Box::new(Loaded { outline: unread(names), ..Loaded::default() }));
        model.update(Msg::Loaded { part, generation, loaded })
    }

    /// What is answered to what was asked for the children of rows, one a row.
    fn answer(model: &mut Model, asked: &[Effect]) -> Vec<Effect> {
        let mut more = Vec::new();
        for effect in asked {
            if let Effect::Children { generation, node, of: Subject::Resource(of), .. } = effect {
                let name = format!("{of}/x");
                let child = Entry::new(Subject::Resource(name.clone()), Mark::None, name, "");
                let (children, to_come) = (Ok(vec![(child, Fold::Leaf)]), 0);
                more.extend(model.update(Msg::Children { generation: *generation, node: *node, children, to_come }));
            }
        }
        more
    }

    fn shown(model: &Model) -> String {
        let outline = &model.pane(PaneId::Resources).outline;
        outline.rows().iter().map(|&id| outline.node(id).entry.name.as_str()).collect::<Vec<_>>().join(" ")
    }

    fn press(model: &mut Model, keys: &str) -> Vec<Effect> {
        keys.split(' ').flat_map(|key| model.update(Msg::Key(Key::named(key).unwrap()))).collect()
    }

    #[test]
    fn what_is_opened_while_the_resources_are_read_again_opens_where_its_row_is_then() {
        let mut model = Model::new("x", 80, 24, false);
        model.begin();
        model.focus(PaneId::Resources);
        loaded(&mut model, &["a", "b", "c"]);
        model.update(Msg::Again(Part::Resources));
        let asked = press(&mut model, "j l k");
        // another program has added one, and the number of a row stands for another row now
        let again = loaded(&mut model, &["a", "aa", "b", "c"]);
        assert_eq!(answer(&mut model, &asked), [], "{asked:?}");
        assert_eq!((shown(&model).as_str(), model.current().unwrap().name.as_str()), ("a aa b c", "b"));
        answer(&mut model, &again);
        assert_eq!((shown(&model).as_str(), model.current().unwrap().name.as_str()), ("a aa b b/x c", "aa"));
    }

    #[test]
    fn upside_down_a_row_that_is_opened_is_told_as_one_that_was_read_open() {
        let mut model = Model::new("x", 80, 24, false);
        model.begin();
        model.view = ResourceView::Parents;
        model.focus(PaneId::Resources);
        loaded(&mut model, &["a", "b"]);
        for node in [0, 1] {
            let mut above = Entry::new(Subject::Resource("top".into()), Mark::None, "top", "");
            above.parents = 2;
            let (generation, children) = (model.answered[0], Ok(vec![(above, Fold::Leaf)]));
            model.update(Msg::Children { generation, node, children, to_come: 0 });
        }
        let outline = &model.pane(PaneId::Resources).outline;
        assert_eq!(outline.rows().len(), 4);
        // how many contain it says nothing of how often it stands here
        assert!(outline.rows().iter().all(|id| outline.node(*id).entry.occurrence == Occurrence::First));
    }

    #[test]
    fn keys_wait_for_the_row_they_were_typed_after_and_for_no_other() {
        let mut model = Model::new("x", 80, 24, false);
        model.begin();
        model.focus(PaneId::Resources);
        loaded(&mut model, &["a", "b"]);
        let first = press(&mut model, "l esc j");
        let second = press(&mut model, "l j");
        answer(&mut model, &first);
        assert_eq!(model.current().unwrap().name, "b");
        answer(&mut model, &second);
        assert_eq!((shown(&model).as_str(), model.current().unwrap().name.as_str()), ("a a/x b b/x", "b/x"));
    }

    #[test]
    fn opening_and_closing_all_says_what_was_done_or_why_nothing() {
        use Fold::{Closed, Leaf, Open, Unread};
        for (folds, opened) in [
            (&[Closed, Closed, Leaf][..], "opened 2 rows"),
            (&[Closed, Unread][..], "opened 1 row; 1 is read when opened"),
            (&[Closed, Closed, Unread][..], "opened 2 rows; 1 is read when opened"),
            (&[Unread][..], "all that has been read is open; 1 row is read when opened, with l"),
            (&[Open, Leaf][..], "everything is open already"),
            (&[Leaf][..], "no row here can be opened"),
            (&[][..], "no row here can be opened"),
        ] {
            let mut model = resources(folds);
            assert_eq!(told(&mut model, Action::OpenAll), opened);
            let closed = folds.iter().filter(|fold| matches!(fold, Closed | Open)).count();
            let closed = match closed {
                0 => "no row here is open".to_owned(),
                count => format!("closed {}", rows(count)),
            };
            assert_eq!(told(&mut model, Action::CloseAll), closed);
            assert_eq!(told(&mut model, Action::CloseAll), "no row here is open");
        }
    }
}
