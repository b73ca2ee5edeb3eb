//! What keys and pastes come to: an action, a letter of a filter, an answer to a dialog.

use super::{Action, Code, Dialog, Effect, Fold, Key, Meaning, Model, PaneId, Part, Plan, Stage, Step};

impl Model {
    pub(super) fn key(&mut self, key: Key) {
        self.touched = true;
        if !self.motion {
            // nothing fades by itself, so that this has been seen now
            self.fresh.clear();
        }
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

    pub(super) fn dialog_key(&mut self, key: Key) {
        if key.ctrl && key.code == Code::Char('c') {
            return self.dialog_key(Key::plain(Code::Esc));
        }
        let Some(dialog) = self.dialogs.last_mut() else { return };
        let outcome = dialog.key(key);
        self.notice = outcome.said.map(str::to_owned);
        if outcome.close
            && let Some(Dialog::Plan(Plan { stage: Stage::Writing, .. })) = self.dialogs.pop()
        {
            self.leave_write();
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
    pub(super) fn refresh_dialog(&mut self) {
        self.generation += 1;
        let generation = self.generation;
        match self.dialogs.last_mut() {
            Some(Dialog::Plan(plan)) => {
                plan.generation = generation;
                plan.stage = Stage::Waiting;
                plan.scroll = 0;
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

    pub(super) fn filter_key(&mut self, key: Key) {
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
}
