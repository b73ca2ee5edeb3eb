//! A thread with a tray of jobs.

use std::mem::discriminant;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::explorer::model::{Effect, Failed, Line, Msg, Outline, Part, Tone};

/// Who sits at a desk.
pub trait Clerk: Send + 'static {
    /// Says what is to be said before any job.
    fn begin(&mut self, _sender: &Sender<Msg>) {}

    /// Does a job.
    fn work(&mut self, job: Effect, sender: &Sender<Msg>);

    /// Looks whether something changed by itself; asked again and again while there are no jobs.
    fn glance(&mut self, _sender: &Sender<Msg>) {}

    /// How long to wait between glances.
    fn patience(&self) -> Duration {
        Duration::from_hours(1)
    }
}

#[derive(Default)]
struct Tray {
    jobs: Mutex<Vec<Effect>>,
    filled: Condvar,
}

/// A desk; jobs are put on its tray.
pub struct Desk {
    tray: Arc<Tray>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}

impl Desk {
    /// Seats a clerk, who is made on the desk's own thread.
    pub fn open<C: Clerk>(name: &str, sender: Sender<Msg>, clerk: impl FnOnce() -> C + Send + 'static) -> Desk {
        let tray: Arc<Tray> = Arc::default();
        let desk = Desk { tray: Arc::clone(&tray) };
        let run = move || {
            let mut clerk = clerk();
            clerk.begin(&sender);
            loop {
                let job = next(&tray, clerk.patience());
                let unanswered = job.as_ref().and_then(unanswered);
                let done = catch_unwind(AssertUnwindSafe(|| match job {
                    Some(job) => clerk.work(job, &sender),
                    None => clerk.glance(&sender),
                }));
                if let Err(panic) = done {
                    let said = panic
                        .downcast_ref::<String>()
                        .map(String::as_str)
                        .or_else(|| panic.downcast_ref::<&str>().copied())
                        .unwrap_or("no reason given");
                    let said = format!("a fault in dagwood: {said}");
                    let _ = sender.send(Msg::Note(said.clone()));
                    if let Some(answer) = unanswered {
                        let _ = sender.send(answer(said));
                    }
                }
            }
        };
        // without the thread the pane stays at "reading", which is the truth
        let _ = thread::Builder::new().name(name.to_owned()).spawn(run);
        desk
    }

    /// Puts a job on the tray, in the place of one of the same kind that still waits there.
    pub fn put(&self, job: Effect) {
        let mut jobs = self.tray.jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let replaced = jobs.iter_mut().find(|waiting| replaces(&job, waiting));
        match replaced {
            Some(waiting) => *waiting = job,
            None => jobs.push(job),
        }
        drop(jobs);
        self.tray.filled.notify_one();
    }
}

/// What somebody who waits for a job is told when it fails for a fault of the program's own.
type Answer = Box<dyn FnOnce(String) -> Msg>;

fn unanswered(job: &Effect) -> Option<Answer> {
    let lines = |said: String| vec![Line::of(Tone::Bad, said)];
    Some(match *job {
        Effect::Load { part, generation, .. } => Box::new(move |said| {
            let failed = Failed { lines: lines(said), ..Failed::default() };
            Msg::Loaded { part, generation, loaded: Err(Box::new(failed)) }
        }),
        Effect::Survey { generation, .. } => {
            let (part, group) = (Part::Resources, Outline::default());
            Box::new(move |_| Msg::Findings { part, generation, findings: Vec::new(), group })
        }
        Effect::Children { generation, node, .. } => {
            Box::new(move |said| Msg::Children { generation, node, children: Err(said), to_come: 0 })
        }
        Effect::Candidates { generation, .. } => {
            Box::new(move |said| Msg::Candidates { generation, candidates: Err(lines(said)) })
        }
        Effect::Find { generation, .. } => Box::new(move |_| Msg::Found { generation, found: Vec::new() }),
        Effect::Preview { generation, .. } => {
            Box::new(move |said| Msg::Previewed { generation, preview: Err(lines(said)) })
        }
        Effect::Write { generation, .. } => {
            Box::new(move |said| Msg::Written { generation, written: Err(lines(said)) })
        }
        Effect::Try { part, .. } | Effect::ClearTries(part) => {
            Box::new(move |said| Msg::Tries { part, tries: Err(said) })
        }
        Effect::Way { .. } => Box::new(move |said| Msg::Way(lines(said))),
        Effect::History => Box::new(move |said| Msg::History(lines(said))),
        _ => return None,
    })
}

fn replaces(job: &Effect, waiting: &Effect) -> bool {
    // each row's children are wanted, and neither a write nor a try is ever dropped
    !matches!(job, Effect::Children { .. } | Effect::Try { .. } | Effect::Write { .. })
        && discriminant(job) == discriminant(waiting)
}

/// The oldest job; none when there was none for that long.
fn next(tray: &Tray, patience: Duration) -> Option<Effect> {
    let jobs = tray.jobs.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut jobs, _) =
        tray.filled.wait_timeout_while(jobs, patience, |jobs| jobs.is_empty()).unwrap_or_else(PoisonError::into_inner);
    if jobs.is_empty() { None } else { Some(jobs.remove(0)) }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;
    use crate::explorer::model::{Request, Subject};

    fn detail(generation: u64) -> Effect {
        Effect::Detail { generation, subject: Subject::Resource("x".into()) }
    }

    #[test]
    fn a_newer_job_takes_the_place_of_one_that_waits() {
        let desk = Desk { tray: Arc::default() };
        desk.put(detail(1));
        desk.put(Effect::CancelWrite);
        desk.put(detail(2));
        let first = next(&desk.tray, Duration::ZERO);
        assert_eq!(first, Some(detail(2)));
        assert_eq!(next(&desk.tray, Duration::ZERO), Some(Effect::CancelWrite));
        assert_eq!(next(&desk.tray, Duration::ZERO), None);
    }

    #[test]
    fn a_clerk_who_panics_is_reported_and_goes_on() {
        struct Clumsy;
        impl Clerk for Clumsy {
            fn work(&mut self, job: Effect, sender: &Sender<Msg>) {
                assert_ne!(job, Effect::Quit, "dropped the cup");
                let _ = sender.send(Msg::Progress("well".into()));
            }
        }
        let (sender, receiver) = channel();
        let desk = Desk::open("clumsy", sender, || Clumsy);
        desk.put(Effect::Quit);
        let Ok(Msg::Note(said)) = receiver.recv() else { panic!("a note") };
        assert!(said.contains("dropped the cup"), "{said}");
        desk.put(Effect::CancelWrite);
        assert!(matches!(receiver.recv(), Ok(Msg::Progress(_))));
    }

    #[test]
    fn whoever_waits_for_a_job_that_panics_is_answered() {
        struct Hopeless;
        impl Clerk for Hopeless {
            fn work(&mut self, _job: Effect, _sender: &Sender<Msg>) {
                panic!("no hope");
            }
        }
        let (sender, receiver) = channel();
        let desk = Desk::open("hopeless", sender, || Hopeless);
        let request = Request::Undo;
        for job in
            [Effect::Write { generation: 7, request: request.clone() }, Effect::Preview { generation: 7, request }]
        {
            desk.put(job);
            assert!(matches!(receiver.recv_timeout(Duration::from_mins(1)), Ok(Msg::Note(_))));
            match receiver.recv_timeout(Duration::from_mins(1)) {
                Ok(
                    Msg::Written { generation: 7, written: Err(why) }
                    | Msg::Previewed { generation: 7, preview: Err(why) },
                ) => {
                    assert!(why[0].text().contains("no hope"), "{why:?}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
