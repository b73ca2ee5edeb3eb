//! Flags that tell the preview and the write of this moment that nobody waits for them any more. A flag belongs to a job
//! from when it is asked for, not from when it begins: it may be stopped while it still waits.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::explorer::model::Effect;

/// The flags.
#[derive(Debug, Default)]
pub struct Stops(Mutex<Flags>);

#[derive(Debug, Default)]
struct Flags {
    generation: u64,
    preview: Arc<AtomicBool>,
    write: Arc<AtomicBool>,
}

impl Stops {
    /// Notes that something is asked for; a preview stops the one before, and what cancels stops all.
    pub fn asked(&self, job: &Effect) {
        let mut flags = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match job {
            Effect::Preview { generation, .. } => {
                flags.preview.store(true, Ordering::SeqCst);
                (flags.generation, flags.preview) = (*generation, Arc::default());
            }
            Effect::Write(_) => flags.write = Arc::default(),
            Effect::CancelWrite => {
                flags.preview.store(true, Ordering::SeqCst);
                flags.write.store(true, Ordering::SeqCst);
            }
            _ => {}
        }
    }

    /// The flag of a preview; set where another one has been asked for since.
    pub fn of_preview(&self, generation: u64) -> Arc<AtomicBool> {
        let flags = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if flags.generation == generation { Arc::clone(&flags.preview) } else { Arc::new(AtomicBool::new(true)) }
    }

    /// The flag of the write that was asked for last.
    pub fn of_write(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner).write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explorer::model::Request;

    #[test]
    fn a_preview_is_stopped_by_a_newer_one_whether_it_has_begun_or_not_and_a_write_is_not() {
        let stops = Stops::default();
        let stopped = |flag: &Arc<AtomicBool>| flag.load(Ordering::SeqCst);
        let preview = |generation| Effect::Preview { generation, request: Request::Undo };
        stops.asked(&Effect::Write(Request::Undo));
        stops.asked(&preview(1));
        let (begun, write) = (stops.of_preview(1), stops.of_write());
        stops.asked(&preview(2));
        assert!(stopped(&begun) && stopped(&stops.of_preview(1)) && !stopped(&stops.of_preview(2)));
        assert!(!stopped(&write));
        stops.asked(&Effect::CancelWrite);
        assert!(stopped(&stops.of_preview(2)) && stopped(&write) && stopped(&stops.of_write()));
        // what is asked for after that is not meant
        stops.asked(&preview(3));
        stops.asked(&Effect::Write(Request::Undo));
        assert!(!stopped(&stops.of_preview(3)) && !stopped(&stops.of_write()));
    }
}
