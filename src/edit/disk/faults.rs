//! Faults on purpose, in tests alone: a step on this thread that fails, or at which the process ends.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};

use super::Call;

/// What happens at a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It fails with this number of the system's.
    Once(i32),
    /// It fails, and so does every step that follows but taking things away, as on a disk that is full.
    Full,
    /// It fails, and so does every step that follows, as on a disk that became read-only.
    ReadOnly,
    /// The process ends before it.
    Abort,
}

/// The steps that were taken on a thread since [`arm`].
#[derive(Debug, Default)]
pub(crate) struct Steps {
    pub calls: Vec<(Call, PathBuf)>,
    pub fired: bool,
    fault: Option<(usize, Fault)>,
}

thread_local! {
    static STEPS: RefCell<Option<Steps>> = const { RefCell::new(None) };
}

/// From here on steps are counted, the first being 1, and a fault happens at one of them.
pub(crate) fn arm(fault: Option<(usize, Fault)>) {
    STEPS.with_borrow_mut(|steps| *steps = Some(Steps { fault, ..Steps::default() }));
}

/// Ends counting, and every fault; gives what was counted.
pub(crate) fn disarm() -> Steps {
    STEPS.take().unwrap_or_default()
}

/// A step is about to be taken.
pub(super) fn fault(call: Call, at: &Path) -> io::Result<()> {
    STEPS.with_borrow_mut(|steps| {
        let Some(steps) = steps else { return Ok(()) };
        steps.calls.push((call, at.to_owned()));
        let Some((number, fault)) = steps.fault else { return Ok(()) };
        let now = steps.calls.len();
        let takes_away = matches!(call, Call::Remove | Call::RemoveFolder);
        let error = match fault {
            Fault::Abort if now == number => std::process::abort(),
            Fault::Once(error) if now == number => error,
            Fault::Full if now >= number && !takes_away => 28,
            Fault::ReadOnly if now >= number => 30,
            _ => return Ok(()),
        };
        steps.fired = true;
        Err(io::Error::from_raw_os_error(error))
    })
}
