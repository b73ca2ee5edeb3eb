//! What runs beside the screen: each job from when it is asked for until it is answered.

use super::{Effect, Model, Msg, NodeId, Part, Request};

/// A job as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// What it does, in a few words.
    pub name: String,
    /// How far it is; empty where it does not say.
    pub progress: String,
    /// Whether it can be stopped.
    pub stop: Stop,
}

/// Whether a job can be stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It stops when it is told to, and what it was about to write is not written.
    Can,
    /// It ends by itself.
    Cannot,
}

/// What tells a job and its answer from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Job {
    Read(Part),
    Children(NodeId),
    Candidates,
    Find,
    Way,
    Try(Part),
    Preview,
    Write,
}

/// The jobs that are not answered yet, the oldest first.
#[derive(Clone, Debug, Default)]
pub struct Tasks {
    jobs: Vec<(Job, u64, String, String)>,
}

impl Tasks {
    /// Notes what is asked for.
    pub(super) fn asked(&mut self, effect: &Effect) {
        let (job, generation, name) = match effect {
            Effect::Load { part, generation, .. } => {
                let what = match part {
                    Part::Resources => "read the resources",
                    Part::Contracts => "read the directories",
                    Part::Selection => "read the selection",
                };
                (Job::Read(*part), *generation, what.to_owned())
            }
            Effect::Children { generation, node, .. } => {
                (Job::Children(*node), *generation, "read the children of a resource".to_owned())
            }
            Effect::Candidates { generation, .. } => {
                (Job::Candidates, *generation, "list what can be linked".to_owned())
            }
            Effect::Find { generation, text } => (Job::Find, *generation, format!("find “{text}”")),
            Effect::Way { .. } => (Job::Way, 0, "find the ways between two resources".to_owned()),
            Effect::Try { part, .. } | Effect::ClearTries(part) => (Job::Try(*part), 0, "try".to_owned()),
            Effect::Preview { generation, request } => {
                (Job::Preview, *generation, format!("preview: {}", request.words()))
            }
            Effect::Write { generation, request } => (Job::Write, *generation, format!("write: {}", request.words())),
            _ => return,
        };
        // a newer one takes the place of the older one; what is being written is written all the same
        self.jobs.retain(|(other, ..)| *other != job || job == Job::Write);
        self.jobs.push((job, generation, name, String::new()));
    }

    /// Notes what is answered, or how far something is.
    pub(super) fn told(&mut self, msg: &Msg) {
        let (job, generation) = match msg {
            Msg::Loaded { part, generation, loaded } => {
                let to_come = loaded.as_ref().map_or("", |loaded| loaded.to_come);
                if !to_come.is_empty() {
                    return self.progress(&[Job::Read(*part)], to_come);
                }
                (Job::Read(*part), *generation)
            }
            Msg::Findings { part, generation, .. } => (Job::Read(*part), *generation),
            Msg::Children { to_come: 1.., .. } => return,
            Msg::Children { generation, node, .. } => (Job::Children(*node), *generation),
            Msg::Candidates { generation, .. } => (Job::Candidates, *generation),
            Msg::Found { generation, .. } => (Job::Find, *generation),
            Msg::Way(_) => (Job::Way, 0),
            Msg::Tries { part, .. } => (Job::Try(*part), 0),
            Msg::Previewed { generation, .. } => (Job::Preview, *generation),
            Msg::Written { generation, .. } => (Job::Write, *generation),
            Msg::Progress(text) => return self.progress(&[Job::Preview, Job::Write], text),
            _ => return,
        };
        self.jobs.retain(|(other, asked, ..)| (*other, *asked) != (job, generation));
    }

    fn progress(&mut self, of: &[Job], text: &str) {
        for (_, _, _, progress) in self.jobs.iter_mut().filter(|(job, ..)| of.contains(job)) {
            text.clone_into(progress);
        }
    }

    /// Whether something is being written.
    pub(super) fn writes(&self) -> bool {
        self.jobs.iter().any(|(job, ..)| *job == Job::Write)
    }
}

impl Model {
    /// What runs beside the screen, the oldest first.
    pub fn tasks(&self) -> impl Iterator<Item = Task> {
        self.tasks.jobs.iter().map(|(job, _, name, progress)| Task {
            name: name.clone(),
            progress: progress.clone(),
            stop: if matches!(job, Job::Preview | Job::Write) { Stop::Can } else { Stop::Cannot },
        })
    }
}

impl Request {
    /// What it does, in a few words.
    pub fn words(&self) -> String {
        match self {
            Request::Link { .. } => "link".to_owned(),
            Request::Unlink { .. } => "unlink".to_owned(),
            Request::Discover { .. } => "discover".to_owned(),
            Request::Add { .. } => "add a resource".to_owned(),
            Request::Remove { .. } => "remove".to_owned(),
            Request::RemoveDangling => "remove dangling links".to_owned(),
            Request::Break { .. } => "break a cycle".to_owned(),
            Request::Fix { directories, .. } => match directories.as_slice() {
                [one] => format!("fix {one}"),
                several => format!("fix {} directories", several.len()),
            },
            Request::Repair { directory } => format!("repair {directory}"),
            Request::Tries(_) => "what if".to_owned(),
            Request::Undo => "undo".to_owned(),
            Request::Keep => "leave a write as it is".to_owned(),
            Request::Redo => "redo".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{Action, Entry, Fold, Loaded, Mark, Outline, PaneId, Subject, Written};
    use super::*;
    use crate::finding::{Area, Finding, Severity};

    fn names(model: &Model) -> Vec<String> {
        model.tasks().map(|task| task.name).collect()
    }

    #[test]
    fn a_job_is_listed_from_when_it_is_asked_for_until_it_is_answered() {
        let mut model = Model::new("x", 80, 24, false);
        let asked = model.begin();
        assert_eq!(names(&model), ["read the resources", "read the directories", "read the selection"]);
        for effect in asked {
            if let Effect::Load { part, generation, .. } = effect {
                let loaded = |to_come| Ok(Box::new(Loaded { to_come, ..Loaded::default() }));
                model.update(Msg::Loaded { part, generation, loaded: loaded("problems to come") });
                assert!(model.tasks().any(|task| task.progress == "problems to come"), "{part:?}");
                if part == Part::Contracts {
                    let finding = Finding::new(Area::Contracts, "x", Severity::Error, "a", "b");
                    let findings = |generation| Msg::Findings {
                        part,
                        generation,
                        findings: vec![(Arc::new(finding.clone()), None)],
                        group: Outline::default(),
                    };
                    model.update(findings(generation - 1));
                    assert!(model.tasks().any(|task| task.progress == "problems to come"), "an older answer");
                    assert!(model.pane(PaneId::Problems).outline.is_empty());
                    model.update(findings(generation));
                    assert!(!model.pane(PaneId::Problems).outline.is_empty());
                } else {
                    model.update(Msg::Loaded { part, generation, loaded: loaded("") });
                }
            }
        }
        assert_eq!(names(&model), [""; 0]);
    }

    #[test]
    fn the_answer_to_an_older_question_ends_nothing() {
        let mut model = Model::new("x", 80, 24, false);
        model.begin();
        model.act(Action::Find);
        model.update(Msg::Note(String::new()));
        let newest = |model: &Model| model.tasks.jobs.iter().find(|(job, ..)| *job == Job::Find).map(|job| job.1);
        let generation = newest(&model).unwrap();
        model.update(Msg::Found { generation: generation - 1, found: Vec::new() });
        assert_eq!(newest(&model), Some(generation));
        model.update(Msg::Found { generation, found: Vec::new() });
        assert_eq!(newest(&model), None);
    }

    #[test]
    fn progress_is_that_of_the_write_and_goes_with_it() {
        let mut model = Model::new("x", 80, 24, false);
        model.effects.push(Effect::Write { generation: 3, request: Request::Undo });
        model.effects.push(Effect::Write { generation: 4, request: Request::Redo });
        model.update(Msg::Note(String::new()));
        assert!(model.tasks.writes());
        model.update(Msg::Progress("discovering: 3 of 9".into()));
        let task = model.tasks().next().unwrap();
        assert_eq!(
            (task.name.as_str(), task.progress.as_str(), task.stop),
            ("write: undo", "discovering: 3 of 9", Stop::Can)
        );
        let written = |generation| Msg::Written { generation, written: Ok(Box::new(Written::default())) };
        model.update(written(4));
        assert_eq!(names(&model), ["write: undo"]);
        model.update(written(3));
        assert!(!model.tasks.writes() && model.progress.is_none());
    }

    #[test]
    fn a_row_that_was_opened_before_the_second_answer_stays_open_and_what_is_read_for_it_finds_it() {
        let mut model = Model::new("x", 80, 24, false);
        model.begin();
        let named = |name: &str| Entry::new(Subject::Resource(name.into()), Mark::None, name, "");
        let generation = model.generations[Part::Resources as usize];
        let (part, mut outline) = (Part::Resources, Outline::default());
        let top = outline.add(None, named("top"), Fold::Unread);
        let loaded = Loaded { outline, to_come: "problems", ..Loaded::default() };
        model.update(Msg::Loaded { part, generation, loaded: Ok(Box::new(loaded)) });
        let children = |name: &str| Ok(vec![(named(name), Fold::Unread)]);
        model.update(Msg::Children { generation, node: top, children: children("middle"), to_come: 0 });
        let mut group = Outline::default();
        group.add(None, named("ring"), Fold::Leaf);
        model.update(Msg::Findings { part, generation, findings: Vec::new(), group });
        // asked for before, answered after
        model.update(Msg::Children { generation, node: top + 1, children: children("bottom"), to_come: 0 });
        model.update(Msg::Children { generation, node: 99, children: children("nowhere"), to_come: 0 });
        let outline = &model.pane(PaneId::Resources).outline;
        let rows: Vec<&str> = outline.rows().iter().map(|&id| outline.node(id).entry.name.as_str()).collect();
        assert_eq!(rows, ["top", "middle", "bottom", "ring"]);
    }
}
