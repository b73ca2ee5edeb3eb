//! What keys mean, pane by pane: the defaults of the table of actions, and what the user says instead.

use super::PaneId;
use super::action::{ACTIONS, Action};
use super::key::Key;

/// The sequences of keys that do something, each with its action, in the order of the table.
pub type Bindings = Vec<(Vec<Key>, Action)>;

/// What keys mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    everywhere: Bindings,
    panes: [Bindings; 4],
}

/// What a sequence of keys comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// This action.
    Does(Action),
    /// The beginning of longer sequences.
    Begins,
    /// Nothing.
    Nothing,
}

impl Default for Keymap {
    fn default() -> Keymap {
        let defaults: Bindings = ACTIONS
            .iter()
            .flat_map(|spec| spec.keys.iter().filter_map(|keys| Some((Key::sequence(keys)?, spec.action))))
            .collect();
        Keymap::new(defaults.clone(), std::array::from_fn(|_| defaults.clone()))
    }
}

impl Keymap {
    /// A map of the keys that hold where nothing else is said, and the whole map of each pane. In none of them may one
    /// sequence be another one or its beginning: the first one in the list would win.
    pub fn new(everywhere: Bindings, panes: [Bindings; 4]) -> Keymap {
        Keymap { everywhere, panes }
    }

    /// What the keys typed so far come to in a pane.
    pub fn meaning(&self, pane: PaneId, typed: &[Key]) -> Meaning {
        let bindings = &self.panes[pane as usize];
        if let Some((_, action)) = bindings.iter().find(|(keys, _)| keys == typed) {
            return Meaning::Does(*action);
        }
        if bindings.iter().any(|(keys, _)| keys.starts_with(typed)) {
            return Meaning::Begins;
        }
        Meaning::Nothing
    }

    /// The sequences of a pane that begin with the keys typed so far: the rest of each, and its action.
    pub fn following(&self, pane: PaneId, typed: &[Key]) -> Vec<(String, Action)> {
        let begins = |(keys, _): &&(Vec<Key>, Action)| keys.len() > typed.len() && keys.starts_with(typed);
        let bindings = self.panes[pane as usize].iter();
        bindings.filter(begins).map(|(keys, action)| (written(&keys[typed.len()..]), *action)).collect()
    }

    /// The keys of an action in a pane, as they are written; none when it has none there.
    pub fn keys(&self, pane: PaneId, action: Action) -> Vec<String> {
        of(&self.panes[pane as usize], action)
    }

    /// The keys of an action where nothing else is said.
    pub fn keys_everywhere(&self, action: Action) -> Vec<String> {
        of(&self.everywhere, action)
    }

    /// The first key of an action in a pane, for hints; empty when it has none there.
    pub fn key(&self, pane: PaneId, action: Action) -> String {
        let binding = self.panes[pane as usize].iter().find(|(_, of)| *of == action);
        binding.map(|(keys, _)| written(keys)).unwrap_or_default()
    }

    /// The first key of an action in a pane; its name for the palette where it has none there.
    pub fn hint(&self, pane: PaneId, action: Action) -> String {
        Some(self.key(pane, action)).filter(|key| !key.is_empty()).unwrap_or_else(|| format!(":{}", action.spec().name))
    }
}

fn of(bindings: &Bindings, action: Action) -> Vec<String> {
    bindings.iter().filter(|(_, of)| *of == action).map(|(keys, _)| written(keys)).collect()
}

/// A sequence of keys as it is written.
pub fn written(keys: &[Key]) -> String {
    keys.iter().map(Key::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_waits_for_the_rest() {
        let map = Keymap::default();
        let (g, pane) = (Key::char('g'), PaneId::Resources);
        assert_eq!(map.meaning(pane, &[g]), Meaning::Begins);
        assert_eq!(map.meaning(pane, &[g, Key::char('d')]), Meaning::Does(Action::GoDirectory));
        assert_eq!(map.meaning(pane, &[g, Key::char('q')]), Meaning::Nothing);
        assert!(map.following(pane, &[g]).contains(&("d".into(), Action::GoDirectory)));
    }

    #[test]
    fn each_pane_has_a_map_of_its_own() {
        let everywhere = vec![(vec![Key::char('x')], Action::Fix)];
        let other = vec![(vec![Key::char('y')], Action::Fix)];
        let mut panes: [Bindings; 4] = std::array::from_fn(|_| everywhere.clone());
        panes[PaneId::Problems as usize] = other;
        let map = Keymap::new(everywhere, panes);
        assert_eq!(map.key(PaneId::Directories, Action::Fix), "x");
        assert_eq!(map.key(PaneId::Problems, Action::Fix), "y");
        assert_eq!(map.key(PaneId::Problems, Action::Quit), "");
        assert_eq!(map.hint(PaneId::Problems, Action::Quit), ":quit");
        assert_eq!(map.keys_everywhere(Action::Fix), ["x"]);
    }
}
