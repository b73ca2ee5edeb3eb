//! The detail of what has none of its own: headings of groups, and panes without rows. It is all in the model already,
//! so nothing is asked for.

use super::{Action, Detail, Entry, Line, Mark, Model, PaneId, PaneState, Subject, Tone};

impl Model {
    /// What is told about the row under the cursor without asking anybody: a heading, or that there is no row. None where
    /// the row's own part has to be asked.
    pub(super) fn told_by_itself(&self) -> Option<Detail> {
        match self.current() {
            Some(entry) if matches!(entry.subject, Subject::Group(_)) => Some(self.heading(entry)),
            Some(_) => None,
            None => self.nothing(),
        }
    }

    /// Why the pane in focus has no rows, and what can be done.
    fn nothing(&self) -> Option<Detail> {
        let pane = self.pane(self.focus);
        let (lines, mark) = match &pane.state {
            PaneState::Failed(why) => (why.clone(), Mark::Error),
            PaneState::Ready if pane.outline.is_empty() => (pane.hint.full.clone(), Mark::None),
            PaneState::Ready => {
                let nothing = Line::plain("Nothing matches.");
                (vec![nothing, Line::blank(), self.does(Action::Escape, "ends the filter")], Mark::None)
            }
            PaneState::Loading => return None,
        };
        let title = self.focus.title();
        let subject = Subject::Group(format!("no rows of {title}"));
        Some(Detail { file: pane.hint.file.clone(), ..Detail::of(subject, title, mark, "Group", lines) })
    }

    fn heading(&self, entry: &Entry) -> Detail {
        let mut lines = match (self.focus, entry.mark) {
            (PaneId::Resources, _) => self.cyclic(entry),
            (PaneId::Selection, _) => self.doubled(entry),
            (_, Mark::None) => vec![Line::plain(format!("Rows are shown for {}.", entry.name))],
            _ => self.findings_of_a_kind(entry),
        };
        if let Some(words) = self.enter_words() {
            lines.push(Line::blank());
            lines.push(self.does(Action::Enter, &format!("{words}s the group")));
        }
        Detail::of(entry.subject.clone(), entry.name.as_str(), entry.mark, "Group", lines)
    }

    /// A key and what it does.
    fn does(&self, action: Action, what: &str) -> Line {
        Line::of(Tone::Accent, self.key_of(action)).and(Tone::Plain, format!(" {what}"))
    }

    fn cyclic(&self, entry: &Entry) -> Vec<Line> {
        let mut lines = vec![
            Line::plain(format!("No root leads to these ({}): each is in a cycle of links, or below one.", entry.note)),
            Line::plain("Such links are refused here; another program wrote them."),
            Line::blank(),
            self.does(Action::Pane4, "leads to the problems, which name each cycle"),
        ];
        if !self.read_only {
            lines.push(self.does(Action::Fix, "there takes a link of one away"));
        }
        lines
    }

    fn doubled(&self, entry: &Entry) -> Vec<Line> {
        let Subject::Group(message) = &entry.subject else { return Vec::new() };
        let mut lines = vec![
            Line::plain(format!("{message}.")),
            Line::plain("Only one of them can be found by that name. Keep one: exclude it in the lines of the others."),
            Line::blank(),
            self.does(Action::Try, "on one of the rows below shows what comes of that"),
        ];
        if !self.read_only {
            lines.push(self.does(Action::Tries, "lists what was tried, and writes it to mars.toml"));
        }
        lines
    }

    fn findings_of_a_kind(&self, entry: &Entry) -> Vec<Line> {
        let means = match entry.mark {
            Mark::Error => "An error: a rule is broken.",
            Mark::Warning => "A warning: legal, and likely not meant.",
            _ => "A note: worth knowing.",
        };
        let mut lines = vec![Line::plain(means), Line::fact("findings", entry.note.as_str())];
        let outline = &self.pane(self.focus).outline;
        let below = outline.current().into_iter().flat_map(|group| outline.children(group));
        let first = below.map(|id| &outline.node(id).entry.subject).find_map(|subject| match subject {
            Subject::Finding(finding) => Some(finding),
            _ => None,
        });
        if let Some(finding) = first {
            lines.extend([Line::blank(), Line::of(Tone::Strong, "For example")]);
            lines.push(Line::fact("where", finding.place()));
            lines.push(Line::plain(finding.message.as_str()));
            lines.extend(finding.fix.as_ref().map(|fix| Line::fact("fix", fix.as_str())));
            if !self.read_only && self.settles(finding).is_ok() {
                lines.extend([Line::blank(), self.does(Action::Fix, "on one of them settles it")]);
            }
        }
        lines
    }
}
