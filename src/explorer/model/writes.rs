//! A write from its plan to what came of it.

use super::{Action, Dialog, Effect, Line, Model, PaneId, Plan, Request, Stage, Written};

impl Model {
    /// What is offered about the last write, with its name: to undo it, or to redo what was undone.
    pub fn offered(&self) -> Option<(Action, &str)> {
        let action = self.offer?;
        let name = if action == Action::Redo { &self.redo } else { &self.undo };
        Some((action, name.as_deref()?))
    }

    /// Goes away from a write that is being done, or waits for others: it is told to stop, and the panes are free.
    pub(super) fn leave_write(&mut self) {
        // what it was picked from is over with it
        self.dialogs.retain(|dialog| !matches!(dialog, Dialog::Picker(_)));
        let list = self.key_of(Action::History);
        self.notice = Some(format!("told to stop; what came of it will be told here, and {list} lists it"));
    }

    pub(super) fn written(&mut self, generation: u64, written: Result<Box<Written>, Vec<Line>>) {
        self.progress = None;
        let awaited = |dialog: &Dialog| matches!(dialog, Dialog::Plan(plan) if plan.generation == generation);
        let at = self.dialogs.iter().position(awaited);
        match (written, at.map(|at| &mut self.dialogs[at])) {
            (Ok(written), Some(_)) => {
                self.dialogs.retain(|dialog| !matches!(dialog, Dialog::Plan(_) | Dialog::Picker(_)));
                self.pane_mut(self.focus).outline.unmark();
                self.done(*written);
            }
            // who has left it is somewhere else by now, and nothing is moved there
            (Ok(written), None) => {
                self.done(Written { reveal: None, open: false, next: None, ..*written });
            }
            (Err(why), Some(Dialog::Plan(plan))) => plan.stage = Stage::Failed(why),
            (Err(why), _) => {
                self.notice = Some(why.iter().map(Line::text).collect::<Vec<_>>().join(" "));
            }
        }
    }

    /// Shows what was done.
    fn done(&mut self, written: Written) {
        let Written { said, touched, reveal, open, untried, next, offer } = written;
        self.offer = offer;
        if let Some(part) = untried {
            self.tries[part as usize].clear();
        }
        self.notice = Some(said);
        if open {
            let outline = &mut self.pane_mut(PaneId::Resources).outline;
            outline.open_soon(outline.cursor());
        }
        if let Some(pane) = reveal.as_ref().and_then(PaneId::holding) {
            // who settles one problem after the other stays with them
            let among_problems = self.focus == PaneId::Problems && pane == PaneId::Directories;
            if !among_problems {
                self.turn_to(pane);
            }
        }
        for part in touched {
            let here = reveal.as_ref().and_then(PaneId::holding) == Some(PaneId::of(part));
            self.load(part, reveal.clone().filter(|_| here));
        }
        if let Some(next) = next {
            self.plan(next);
        }
    }

    /// Opens the plan of a write, whose preview is asked for.
    pub(super) fn plan(&mut self, request: Request) {
        self.plan_leaving(request, Vec::new());
    }

    /// The same, of a write that leaves out some of what was marked; the preview says so.
    pub(super) fn plan_leaving(&mut self, request: Request, left_out: Vec<String>) {
        self.generation += 1;
        let generation = self.generation;
        self.effects.push(Effect::Preview { generation, request: request.clone() });
        self.dialogs.push(Dialog::Plan(Plan { left_out, ..Plan::new(request, generation) }));
    }

    /// Notes how far the dialog in front has really scrolled, so that the next key goes on from there.
    pub(super) fn scrolled(&mut self, first: usize) {
        match self.dialogs.last_mut() {
            Some(Dialog::Plan(plan)) => plan.scroll = first,
            Some(Dialog::Help { scroll, .. } | Dialog::Tasks { scroll, .. } | Dialog::Notice { scroll, .. }) => {
                *scroll = first;
            }
            _ => {}
        }
    }

    /// What was ready is on screen now: `enter` means it from here on.
    pub(super) fn drawn(&mut self) {
        if let Some(Dialog::Plan(plan)) = self.dialogs.last_mut()
            && let Stage::Ready(preview) = &mut plan.stage
        {
            plan.stage = Stage::Shown(std::mem::take(preview));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Entry, Fold, Key, Loaded, Mark, Mouse, MouseKind, Msg, Outline, Part, Subject};
    use super::*;

    /// An explorer with two directories, and nothing else.
    fn model() -> Model {
        let mut model = Model::new("x", 80, 24, false);
        for effect in model.begin() {
            let Effect::Load { part, generation, .. } = effect else { continue };
            let mut outline = Outline::default();
            if part == Part::Contracts {
                for name in ["a", "b"] {
                    outline.add(None, Entry::new(Subject::Directory(name.into()), Mark::Owed, name, ""), Fold::Leaf);
                }
            }
            outline.show();
            model.update(Msg::Loaded {
                part,
                generation,
                loaded: Ok(Box::new(Loaded { outline, ..Loaded::default() })),
            });
        }
        model
    }

    fn press(model: &mut Model, keys: &str) -> Vec<Effect> {
        keys.split(' ').flat_map(|key| model.update(Msg::Key(Key::named(key).unwrap()))).collect()
    }

    fn write(model: &mut Model, offer: Action) {
        let (undo, redo) = (Some("fix a".to_owned()), Some("fix b".to_owned()));
        model.update(Msg::Journal { undo, redo });
        let written = Written { said: "done".into(), offer: Some(offer), ..Written::default() };
        model.update(Msg::Written { generation: 0, written: Ok(Box::new(written)) });
    }

    #[test]
    fn the_offer_to_undo_stays_until_something_else_is_done() {
        let mut model = model();
        model.update(Msg::Journal { undo: Some("of yesterday".into()), redo: None });
        assert_eq!(model.offered(), None, "nothing has been written yet");
        for key in ["j", "/", "?", "tab"] {
            write(&mut model, Action::Undo);
            assert_eq!(model.offered(), Some((Action::Undo, "fix a")));
            press(&mut model, "z esc");
            assert_eq!(model.offered(), Some((Action::Undo, "fix a")), "it was only looked at");
            press(&mut model, key);
            assert_eq!(model.offered(), None, "{key}");
            press(&mut model, "esc");
        }
        write(&mut model, Action::Undo);
        model.update(Msg::Mouse(Mouse { x: 3, y: 3, kind: MouseKind::Click }));
        assert_eq!(model.offered(), None);
        // what was undone can be redone
        write(&mut model, Action::Redo);
        assert_eq!(model.offered(), Some((Action::Redo, "fix b")));
    }

    #[test]
    fn a_key_that_comes_before_the_preview_is_told_as_not_taken_until_the_next_one() {
        let mut model = model();
        let asked = press(&mut model, "f enter");
        assert_eq!(model.notice.as_deref(), Some("enter was not taken: the preview had not been shown yet"));
        assert!(!asked.iter().any(|effect| matches!(effect, Effect::Write { .. })), "{asked:?}");
        let generation = asked.iter().find_map(|effect| match effect {
            Effect::Preview { generation, .. } => Some(*generation),
            _ => None,
        });
        model.update(Msg::Previewed { generation: generation.unwrap(), preview: Ok(Box::default()) });
        assert!(model.notice.is_some(), "it is still to be read");
        model.update(Msg::Drawn);
        let asked = press(&mut model, "enter");
        assert!(model.notice.is_none() && asked.iter().any(|effect| matches!(effect, Effect::Write { .. })));
    }

    #[test]
    fn nothing_is_offered_that_is_not_so_any_more() {
        let mut model = model();
        write(&mut model, Action::Undo);
        model.update(Msg::Journal { undo: None, redo: None });
        assert_eq!(model.offered(), None);
        write(&mut model, Action::Undo);
        let asked = model.update(Msg::Outside(Part::Contracts));
        assert_eq!(model.offered(), None, "it may have been another program that undid it");
        assert!(asked.contains(&Effect::Journal), "{asked:?}");
    }

    /// Opens a plan, lets it be shown, and confirms it; gives its generation.
    fn confirm(model: &mut Model) -> u64 {
        let generation = press(model, "f").into_iter().find_map(|effect| match effect {
            Effect::Preview { generation, .. } => Some(generation),
            _ => None,
        });
        let generation = generation.unwrap();
        model.update(Msg::Previewed { generation, preview: Ok(Box::default()) });
        model.update(Msg::Drawn);
        let asked = press(model, "enter");
        assert!(asked.iter().any(|effect| matches!(effect, Effect::Write { generation: it, .. } if *it == generation)));
        generation
    }

    #[test]
    fn a_write_is_left_at_once_and_what_came_of_it_is_told_when_it_comes() {
        let mut model = model();
        let first = confirm(&mut model);
        assert!(press(&mut model, "esc").contains(&Effect::CancelWrite));
        assert!(model.dialogs.is_empty(), "it blocks nothing");
        assert!(model.notice.as_deref().is_some_and(|said| said.contains("! lists it")), "{:?}", model.notice);
        assert!(model.tasks().any(|task| task.name == "write: fix a"));
        // another one is begun meanwhile, and has its own answer
        press(&mut model, "j");
        let second = confirm(&mut model);
        assert_eq!(model.tasks().filter(|task| task.name.starts_with("write: fix")).count(), 2);
        let why = vec![Line::plain("stopped; nothing was written")];
        model.update(Msg::Written { generation: first, written: Err(why.clone()) });
        assert_eq!(model.notice.as_deref(), Some("stopped; nothing was written"));
        assert!(matches!(&model.dialogs[..], [Dialog::Plan(Plan { stage: Stage::Writing, .. })]));
        model.update(Msg::Written { generation: second, written: Err(why) });
        assert!(matches!(&model.dialogs[..], [Dialog::Plan(Plan { stage: Stage::Failed(_), .. })]));
        assert_eq!(model.tasks().count(), 0);
    }

    #[test]
    fn a_write_that_leads_to_another_pane_does_not_take_the_tab_along() {
        let mut model = model();
        model.detail.tab = 2;
        let generation = confirm(&mut model);
        let reveal = Some(Subject::Resource("a".into()));
        let written = Written { said: "add a".into(), reveal, ..Written::default() };
        model.update(Msg::Written { generation, written: Ok(Box::new(written)) });
        assert_eq!((model.focus, model.detail.tab), (PaneId::Resources, 0));
        press(&mut model, "2");
        assert_eq!((model.focus, model.detail.tab), (PaneId::Directories, 2));
    }

    #[test]
    fn a_write_that_was_left_and_made_all_the_same_moves_nothing() {
        let mut model = model();
        let generation = confirm(&mut model);
        press(&mut model, "esc 1 ?");
        let (reveal, touched) = (Some(Subject::Directory("a".into())), vec![Part::Contracts]);
        let next = Some(Request::Undo);
        let written = Written { said: "fix a".into(), reveal, touched, next, ..Written::default() };
        let asked = model.update(Msg::Written { generation, written: Ok(Box::new(written)) });
        assert_eq!((model.focus, model.notice.as_deref()), (PaneId::Resources, Some("fix a")));
        assert!(matches!(&model.dialogs[..], [Dialog::Help { .. }]), "{:?}", model.dialogs);
        assert!(matches!(&asked[..], [Effect::Load { part: Part::Contracts, reveal: None, .. }]), "{asked:?}");
    }

    #[test]
    fn what_was_marked_since_a_write_was_left_stays_marked_when_it_is_made() {
        let mut model = model();
        let generation = confirm(&mut model);
        press(&mut model, "esc v");
        let marked = |model: &Model| model.pane(PaneId::Directories).outline.marked().count();
        assert_eq!(marked(&model), 1);
        model.update(Msg::Written { generation, written: Ok(Box::default()) });
        assert_eq!(marked(&model), 1);
        let generation = confirm(&mut model);
        model.update(Msg::Written { generation, written: Ok(Box::default()) });
        assert_eq!(marked(&model), 0, "that is done");
    }

    /// Opens the plan of what the keys ask for; gives its request, and what its preview tells as left out.
    fn planned(model: &mut Model, keys: &str) -> (Request, Vec<String>) {
        let generation = press(model, keys).into_iter().rev().find_map(|effect| match effect {
            Effect::Preview { generation, .. } => Some(generation),
            _ => None,
        });
        model.update(Msg::Previewed { generation: generation.unwrap(), preview: Ok(Box::default()) });
        let Some(Dialog::Plan(plan)) = model.dialogs.pop() else { panic!("{:?}", model.notice) };
        let Stage::Ready(preview) = plan.stage else { panic!("{:?}", plan.stage) };
        (plan.request, preview.lines.iter().map(Line::text).collect())
    }

    fn directories(marks: &[(&str, Mark)]) -> Model {
        let mut model = model();
        let mut outline = Outline::default();
        for (name, mark) in marks {
            outline.add(None, Entry::new(Subject::Directory((*name).into()), *mark, *name, ""), Fold::Leaf);
        }
        outline.show();
        model.pane_mut(PaneId::Directories).outline = outline;
        model
    }

    #[test]
    fn what_is_marked_and_not_fixed_is_told_with_its_reason() {
        let all = [("o", Mark::Owed), ("b", Mark::Broken), ("c", Mark::Broken), ("e", Mark::Exempt)];
        let mut model = directories(&all);
        let (request, left_out) = planned(&mut model, "2 v j v j v j v f");
        assert_eq!(request, Request::Fix { directories: vec!["o".into()], form: None });
        let repair = |name| format!("left out: {name} needs a repair of its own: f on it alone");
        assert_eq!(left_out, [repair("b"), repair("c"), "left out: e owes nothing".into()]);
        // without one that owes, a broken one is repaired as without marks
        let mut model = directories(&all[1..]);
        let (request, left_out) = planned(&mut model, "2 v f");
        assert_eq!((request, left_out.len()), (Request::Repair { directory: "b".into() }, 0));
        let (_, left_out) = planned(&mut model, "j v j v f");
        assert_eq!(left_out, [repair("c"), "left out: e owes nothing".into()]);
        let mut model = directories(&all[3..]);
        press(&mut model, "2 v f");
        assert_eq!(model.notice.as_deref(), Some("none of the marked directories owes a contract"));
        // of many only the first are told one by one
        let names: Vec<String> = (0..20).map(|nth| format!("e{nth:02}")).collect();
        let mut many = vec![("o", Mark::Owed)];
        many.extend(names.iter().map(|name| (name.as_str(), Mark::Exempt)));
        let (_, left_out) = planned(&mut directories(&many), "2 v j V f");
        assert_eq!((left_out.len(), left_out[8].as_str()), (9, "and 12 more are left out"));
    }

    #[test]
    fn marked_resources_are_unlinked_each_from_the_one_it_is_shown_under() {
        let mut model = model();
        let mut outline = Outline::default();
        let named = |name: &str| Entry::new(Subject::Resource(name.into()), Mark::None, name, "");
        for (top, children) in [("a", ["x", "y"]), ("b", ["x", "z"])] {
            let top = outline.add(None, named(top), Fold::Open);
            for child in children {
                outline.add(Some(top), named(child), Fold::Leaf);
            }
        }
        outline.show();
        model.pane_mut(PaneId::Resources).outline = outline;
        // a › x, b, b › x, and the cursor on none of them
        let (request, left_out) = planned(&mut model, "1 j v j j v j v g g U");
        let link = |parent: &str, child: &str| (parent.to_owned(), child.to_owned());
        assert_eq!(request, Request::Unlink { links: vec![link("a", "x"), link("b", "x")] });
        assert_eq!(left_out, ["left out: b hangs on no resource here"]);
        press(&mut model, "esc g g v U");
        let said = "none of the marked rows hangs on a resource here: nothing to unlink them from";
        assert_eq!(model.notice.as_deref(), Some(said));
        let (request, _) = planned(&mut model, "esc j j U");
        assert_eq!(request, Request::Unlink { links: vec![link("a", "y")] }, "without marks, that under the cursor");
        press(&mut model, "v");
        assert_eq!(model.current().unwrap().name, "y", "the cursor stays on what was marked");
    }

    #[test]
    fn who_settles_a_problem_is_on_the_next_one() {
        let mut model = model();
        let finding = |name: &str| {
            let severity = crate::finding::Severity::Error;
            (crate::finding::Finding::new(crate::finding::Area::Contracts, "owed", severity, name, "b").into(), None)
        };
        let tell = |model: &mut Model, names: &[&str]| {
            let findings = names.iter().map(|name| finding(name)).collect();
            let outside = model.update(Msg::Outside(Part::Contracts));
            let generation = outside.iter().find_map(|effect| match effect {
                Effect::Load { generation, .. } => Some(*generation),
                _ => None,
            });
            let loaded = Ok(Box::new(Loaded { findings, ..Loaded::default() }));
            model.update(Msg::Loaded { part: Part::Contracts, generation: generation.unwrap(), loaded });
        };
        let here = |model: &Model| match model.subject() {
            Some(Subject::Finding(finding)) => finding.place(),
            other => format!("{other:?}"),
        };
        press(&mut model, "4");
        tell(&mut model, &["a", "b", "c"]);
        press(&mut model, "4 g g j j");
        assert_eq!(here(&model), "b");
        let reveal = Some(Subject::Directory("b".into()));
        model.done(Written { reveal, ..Written::default() });
        tell(&mut model, &["a", "c"]);
        assert_eq!((model.focus, here(&model)), (PaneId::Problems, "c".to_owned()));
        tell(&mut model, &["a"]);
        assert_eq!(here(&model), "a", "after the last one that before it");
    }

    #[test]
    fn what_is_tried_stays_under_the_cursor_wherever_its_row_goes() {
        let mut model = model();
        let tried = |model: &mut Model, groups: &[(&str, &[&str])], before: &str| {
            if !before.is_empty() {
                press(model, before);
            }
            let asked = model.update(Msg::Tries { part: Part::Contracts, tries: Ok(vec!["x".into()]) });
            let generation = asked.iter().find_map(|effect| match effect {
                Effect::Load { generation, .. } => Some(*generation),
                _ => None,
            });
            let mut outline = Outline::default();
            for (group, names) in groups {
                let group = Subject::Group((*group).into());
                let top = outline.add(None, Entry::new(group, Mark::None, "", ""), Fold::Closed);
                for name in *names {
                    let entry = Entry::new(Subject::Directory((*name).into()), Mark::Owed, *name, "");
                    outline.add(Some(top), entry, Fold::Leaf);
                }
            }
            let loaded = Ok(Box::new(Loaded { outline, ..Loaded::default() }));
            model.update(Msg::Loaded { part: Part::Contracts, generation: generation.unwrap(), loaded });
            model.current().map(|entry| entry.name.to_string())
        };
        press(&mut model, "2 g g");
        model.trying = Some(Subject::Directory("a".into()));
        assert_eq!(tried(&mut model, &[("one", &["c"]), ("two", &["b", "a"])], "").as_deref(), Some("a"));
        // a second time it goes back, and its group with it
        model.trying = Some(Subject::Directory("a".into()));
        assert_eq!(tried(&mut model, &[("one", &["c", "a"]), ("two", &["b"])], "").as_deref(), Some("a"));
        // who has gone on meanwhile is not taken back
        model.trying = Some(Subject::Directory("a".into()));
        assert_eq!(tried(&mut model, &[("one", &["c"]), ("two", &["a"])], "k").as_deref(), Some("c"));
    }

    #[test]
    fn marked_problems_are_not_passed_over_in_silence() {
        let mut model = model();
        let mut outline = Outline::default();
        let finding = crate::finding::Finding::new(
            crate::finding::Area::Contracts,
            "x",
            crate::finding::Severity::Error,
            "a",
            "b",
        );
        outline.add(None, Entry::new(Subject::Finding(finding.into()), Mark::Error, "x", ""), Fold::Leaf);
        outline.show();
        model.pane_mut(PaneId::Problems).outline = outline;
        press(&mut model, "4 v f");
        let said = "fix settles one problem at a time: esc takes the marks away";
        assert_eq!(model.notice.as_deref(), Some(said));
    }
}
