//! What is remembered of an explorer from one time to the next: where the user was and how the panes stood. Nothing of
//! what they held: a row is remembered by the hash of its path.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Arrangement, Model, PaneId, PaneState, ResourceView, Sort};

/// How many open rows of a pane are remembered; where more are open, none is.
const KEPT: usize = 5000;

/// The form of what is written; another one is not read.
const FORM: u32 = 1;

/// What is remembered of an explorer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    form: u32,
    focus: PaneId,
    arrangement: Arrangement,
    view: ResourceView,
    #[serde(default)]
    split: Option<u16>,
    panes: [PaneMemory; 4],
}

/// What is remembered of a pane.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaneMemory {
    /// The order of its rows.
    #[serde(default)]
    pub sort: Sort,
    /// The keys of its open rows; none where it is to be as it is read.
    #[serde(default)]
    pub open: Option<BTreeSet<u64>>,
}

impl Memory {
    /// Reads what was written; none where that is broken or of another form.
    pub fn parse(text: &str) -> Option<Memory> {
        serde_json::from_str(text).ok().filter(|memory: &Memory| memory.form == FORM)
    }

    /// What is to be written.
    pub fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Model {
    /// What is to be remembered.
    pub fn memory(&self) -> Memory {
        let view = match self.view {
            // that one begins with a resource, which may be gone
            ResourceView::Parents => ResourceView::Tree,
            view => view,
        };
        let pane = |id: PaneId| {
            let pane = self.pane(id);
            if pane.state != PaneState::Ready {
                return self.recalled[id as usize].clone();
            }
            let open = pane.outline.open_keys();
            let folded = id != PaneId::Resources || view == self.view;
            let open = (open.len() <= KEPT && folded).then(|| open.into_iter().collect());
            PaneMemory { sort: pane.outline.sorting(), open }
        };
        Memory {
            form: FORM,
            focus: self.focus,
            arrangement: self.arrangement,
            view,
            split: self.split,
            panes: PaneId::ALL.map(pane),
        }
    }

    /// Begins where the user was the last time; before anything is read.
    pub fn remember(&mut self, memory: Memory) {
        let Memory { focus, arrangement, view, split, panes, .. } = memory;
        (self.focus, self.arrangement, self.view, self.split) = (focus, arrangement, view, split);
        self.recalled = panes;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Effect, Entry, Fold, Key, Loaded, Mark, Msg, Outline, Part, Subject};
    use super::*;

    /// Two directories under one, which is open as it is read, and one below each, closed.
    fn directories() -> Loaded {
        let mut outline = Outline::default();
        let row = |name: &str| Entry::new(Subject::Directory(name.into()), Mark::Owed, name, "");
        let top = outline.add(None, row("top"), Fold::Open);
        for name in ["b", "a"] {
            let at = outline.add(Some(top), row(name), Fold::Closed);
            outline.add(Some(at), row(&format!("{name}/x")), Fold::Leaf);
        }
        Loaded { outline, ..Loaded::default() }
    }

    fn begin(memory: Option<Memory>) -> (Model, Vec<Effect>) {
        let mut model = Model::new("~", 120, 40, false);
        if let Some(memory) = memory {
            model.remember(memory);
        }
        let effects = model.begin();
        for effect in &effects {
            if let Effect::Load { part, generation, .. } = effect {
                let loaded = if *part == Part::Contracts { directories() } else { Loaded::default() };
                model.update(Msg::Loaded { part: *part, generation: *generation, loaded: Ok(Box::new(loaded)) });
            }
        }
        (model, effects)
    }

    fn rows(model: &Model) -> String {
        let outline = &model.pane(PaneId::Directories).outline;
        outline.rows().iter().map(|&id| outline.node(id).entry.name.as_str()).collect::<Vec<_>>().join(" ")
    }

    fn press(model: &mut Model, keys: &str) {
        for key in keys.split(' ') {
            model.update(Msg::Key(Key::named(key).unwrap()));
        }
    }

    #[test]
    fn what_was_left_is_found_again() {
        let (mut model, _) = begin(None);
        assert_eq!(rows(&model), "top b a");
        press(&mut model, "2 j l s +");
        assert_eq!(rows(&model), "top a b b/x");
        let text = model.memory().text();
        let (again, _) = begin(Memory::parse(&text));
        assert_eq!(rows(&again), "top a b b/x");
        assert_eq!(again.arrangement, Arrangement::Equal);
        assert_eq!(again.pane(PaneId::Directories).outline.sorting(), Sort::Name);
        assert_eq!(again.memory(), model.memory());
    }

    #[test]
    fn a_row_that_was_closed_stays_closed() {
        let (mut model, _) = begin(None);
        press(&mut model, "2 g g h");
        assert_eq!(rows(&model), "top");
        let (again, _) = begin(Some(model.memory()));
        assert_eq!(rows(&again), "top");
    }

    #[test]
    fn nothing_moves_where_nothing_is_remembered() {
        let (model, effects) = begin(None);
        let (again, same) = begin(Some(Model::new("~", 120, 40, false).memory()));
        assert_eq!(effects, same);
        assert_eq!(rows(&model), rows(&again));
        assert_eq!((model.focus, model.arrangement, model.view), (again.focus, again.arrangement, again.view));
    }

    /// A model that has been told the first rows of the directories, and the question they belong to.
    fn half_read(memory: Option<Memory>) -> (Model, u64) {
        let mut model = Model::new("~", 120, 40, false);
        if let Some(memory) = memory {
            model.remember(memory);
        }
        let asked = model.begin().into_iter().find_map(|effect| match effect {
            Effect::Load { part: Part::Contracts, generation, .. } => Some(generation),
            _ => None,
        });
        let mut outline = Outline::default();
        let row = |name: &str| Entry::new(Subject::Directory(name.into()), Mark::Owed, name, "");
        let top = outline.add(None, row("top"), Fold::Open);
        for name in ["b", "a"] {
            outline.add(Some(top), row(name), Fold::Unread);
        }
        let generation = asked.unwrap();
        let first = |generation| Msg::FirstRows { part: Part::Contracts, generation, outline: outline.clone() };
        model.update(first(generation - 1));
        assert_eq!(rows(&model), "", "rows of another question");
        model.update(first(generation));
        (model, generation)
    }

    fn all_read(model: &mut Model, generation: u64) {
        let loaded = Ok(Box::new(directories()));
        model.update(Msg::Loaded { part: Part::Contracts, generation, loaded });
    }

    #[test]
    fn the_first_rows_are_gone_through_while_the_others_are_read_and_stay_under_the_cursor() {
        let (mut model, generation) = half_read(None);
        assert_eq!((rows(&model).as_str(), &model.pane(PaneId::Directories).state), ("top b a", &PaneState::Loading));
        press(&mut model, "2 j l j");
        all_read(&mut model, generation);
        assert_eq!(rows(&model), "top b b/x a", "what was to be opened is open");
        assert_eq!(model.current().unwrap().name, "a");
        model.update(Msg::FirstRows { part: Part::Contracts, generation, outline: Outline::default() });
        assert_eq!(rows(&model), "top b b/x a", "it is read by now");
    }

    #[test]
    fn what_the_first_rows_cannot_answer_yet_is_refused_and_keeps_no_key_waiting() {
        let (mut model, generation) = half_read(None);
        press(&mut model, "2 e");
        assert_eq!(model.notice.as_deref(), Some("the directories are still being read"));
        press(&mut model, "y p j");
        assert_eq!(model.current().unwrap().name, "b");
        all_read(&mut model, generation);
        press(&mut model, "e j");
        assert_eq!(model.current().unwrap().name, "b", "its detail comes at once, and the keys wait for that");
    }

    #[test]
    fn what_was_left_open_below_the_first_rows_is_open_once_it_is_read() {
        let (mut model, _) = begin(None);
        press(&mut model, "2 j l");
        let left = model.memory();
        let (mut again, generation) = half_read(Some(left.clone()));
        assert_eq!((rows(&again).as_str(), again.memory()), ("top b a", left), "nothing is forgotten meanwhile");
        all_read(&mut again, generation);
        assert_eq!(rows(&again), "top b b/x a");
    }

    #[test]
    fn resources_are_asked_for_as_they_were_open() {
        let mut memory = Model::new("~", 120, 40, false).memory();
        memory.view = ResourceView::ByType;
        memory.panes[0].open = Some([7, 9].into());
        let (_, effects) = begin(Some(memory));
        let asked = effects.iter().any(|effect| {
            matches!(effect, Effect::Load { part: Part::Resources, open, view: ResourceView::ByType, .. }
                if open.len() == 2 && open.contains(&7))
        });
        assert!(asked, "{effects:?}");
    }

    #[test]
    fn what_was_not_read_this_time_is_not_forgotten() {
        let mut memory = Model::new("~", 120, 40, false).memory();
        memory.panes[2].open = Some([1].into());
        let mut model = Model::new("~", 120, 40, false);
        model.remember(memory.clone());
        assert_eq!(model.memory(), memory);
    }

    #[test]
    fn what_is_broken_or_of_another_form_is_no_memory() {
        let text = Model::new("~", 120, 40, false).memory().text();
        assert!(Memory::parse(&text).is_some());
        for broken in ["", "{}", "null", &text[1..], &text.replace("\"form\":1", "\"form\":2")] {
            assert_eq!(Memory::parse(broken), None, "{broken}");
        }
    }
}
