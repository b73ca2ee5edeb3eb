//! The last actions, for the log and for the report of a crash: shared with whoever writes those, since after a panic
//! nobody can ask the model any more. Actions only: what is typed into fields is not among them.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::action::Action;

/// How many are kept.
const KEPT: usize = 20;

/// The last actions.
#[derive(Clone, Debug, Default)]
pub struct Trail(Arc<Mutex<Steps>>);

#[derive(Debug, Default)]
struct Steps {
    done: usize,
    last: VecDeque<Action>,
}

impl Trail {
    /// Notes an action.
    pub fn note(&self, action: Action) {
        let mut steps = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        steps.done += 1;
        if steps.last.len() == KEPT {
            steps.last.pop_front();
        }
        steps.last.push_back(action);
    }

    /// The actions after the first `seen` ones, the oldest first and as far as they are kept, and how many there have
    /// been in all.
    pub fn since(&self, seen: usize) -> (usize, Vec<Action>) {
        let steps = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = steps.done.saturating_sub(seen).min(steps.last.len());
        (steps.done, steps.last.iter().skip(steps.last.len() - new).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_twenty_are_kept() {
        let trail = Trail::default();
        assert_eq!(trail.since(0), (0, Vec::new()));
        trail.note(Action::Quit);
        for _ in 0..19 {
            trail.note(Action::Down);
        }
        assert_eq!(trail.since(0).1[0], Action::Quit);
        trail.note(Action::Up);
        let (done, last) = trail.since(0);
        assert_eq!((done, last.len(), last[0], last[19]), (21, 20, Action::Down, Action::Up));
        assert_eq!(trail.since(20).1, [Action::Up]);
        assert_eq!(trail.since(21).1, []);
    }
}
