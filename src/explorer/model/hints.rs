//! The keys worth naming in the bottom line: those that do something here and now, in the words of what they do.

use super::{Action, Fold, Model, PaneId, Subject};

impl Model {
    /// The actions worth naming here, the most useful first.
    pub fn hints(&self) -> Vec<(Action, &'static str)> {
        let marked = !self.in_detail && self.pane(self.focus).outline.marks() > 0;
        let enter = self.enter_words().filter(|_| !marked).map(|words| (Action::Enter, words));
        let pane: &[(Action, &str)] = match (self.in_detail, self.focus) {
            (true, _) => {
                &[(Action::ToDetail, "back to the pane"), (Action::NextTab, "next tab"), (Action::Edit, "edit")]
            }
            (_, PaneId::Resources) if marked => &[
                (Action::Link, "link them"),
                (Action::Unlink, "unlink them"),
                (Action::Discover, "discover below them"),
                (Action::Escape, "unmark"),
            ],
            (_, PaneId::Directories) if marked => &[(Action::Fix, "fix them"), (Action::Escape, "unmark")],
            _ if marked => &[(Action::Escape, "unmark")],
            (_, PaneId::Resources) => &[
                (Action::Link, "link"),
                (Action::Unlink, "unlink"),
                (Action::Discover, "discover"),
                (Action::Add, "add"),
                (Action::Remove, "remove"),
            ],
            (_, PaneId::Directories) => &[
                (Action::Fix, "fix"),
                (Action::NextOwed, "next owed"),
                (Action::Try, "what if"),
                (Action::NextTab, "chain, text"),
            ],
            (_, PaneId::Selection) if self.current().is_none() => &[(Action::Edit, "edit")],
            (_, PaneId::Selection) => &[(Action::Try, "what if"), (Action::GoProblems, "problems")],
            (_, PaneId::Problems) => &[(Action::Fix, "fix"), (Action::Edit, "edit")],
        };
        let general = [(Action::Filter, "filter"), (Action::Quit, "quit")];
        let applies = |&(action, _): &(Action, &str)| {
            // the editor writes whatever was promised
            let promised = action == Action::Edit && self.read_only;
            let leads = !promised && (action != Action::GoProblems || self.same_in(PaneId::Problems).is_some());
            leads && self.refusal(action).is_none() && !self.keymap.key(self.focus, action).is_empty()
        };
        enter.into_iter().chain(pane.iter().copied()).chain(general).filter(applies).collect()
    }

    /// What `enter` does here, where that is worth saying.
    pub(super) fn enter_words(&self) -> Option<&'static str> {
        if self.in_detail {
            let line = self.detail.lines().get(self.detail.cursor)?;
            return line.target.as_ref().map(|_| "follow");
        }
        let outline = &self.pane(self.focus).outline;
        let node = outline.node(outline.current()?);
        match (&node.entry.subject, node.fold) {
            (Subject::Group(_) | Subject::Type(_), Fold::Closed | Fold::Unread) => Some("open"),
            (Subject::Group(_) | Subject::Type(_), Fold::Open) => Some("close"),
            (Subject::Finding(finding), _) if self.known.get(finding).is_some_and(|known| known.about.is_some()) => {
                Some("go to it")
            }
            (Subject::Finding(_) | Subject::Package(_), _) => Some("details"),
            (Subject::Item(_) | Subject::MissingSkill(_), _) => Some("why"),
            _ => None,
        }
    }
}
