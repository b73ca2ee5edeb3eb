//! Flags that tell the preview of this moment, and the writes that are not done yet, that nobody waits for them any more.
//! A flag belongs to a job from when it is asked for, not from when it begins: it may be stopped while it still waits.

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
    writes: Vec<(u64, Arc<AtomicBool>)>,
}

impl Stops {
    /// Notes that something is asked for; a preview stops the one before, and what cancels stops all.
    pub fn asked(&self, job: &Effect) {
        let mut flags = self.flags();
        match job {
            Effect::Preview { generation, .. } => {
                flags.preview.store(true, Ordering::SeqCst);
                (flags.generation, flags.preview) = (*generation, Arc::default());
            }
            Effect::Write { generation, .. } => flags.writes.push((*generation, Arc::default())),
            Effect::CancelWrite => {
                flags.preview.store(true, Ordering::SeqCst);
                for (_, flag) in &flags.writes {
                    flag.store(true, Ordering::SeqCst);
                }
            }
            _ => {}
        }
    }

    /// The flag of a preview; set where another one has been asked for since.
    pub fn of_preview(&self, generation: u64) -> Arc<AtomicBool> {
        let flags = self.flags();
        if flags.generation == generation { Arc::clone(&flags.preview) } else { Arc::new(AtomicBool::new(true)) }
    }

    /// The flag of a write that was asked for.
    pub fn of_write(&self, generation: u64) -> Arc<AtomicBool> {
        let flags = self.flags();
        let of = flags.writes.iter().find(|(other, _)| *other == generation);
        of.map(|(_, flag)| Arc::clone(flag)).unwrap_or_default()
    }

    /// Notes that a write is done, or given up.
    pub fn ended(&self, generation: u64) {
        self.flags().writes.retain(|(other, _)| *other != generation);
    }

    fn flags(&self) -> std::sync::MutexGuard<'_, Flags> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
        let write = |generation| Effect::Write { generation, request: Request::Undo };
        stops.asked(&write(1));
        stops.asked(&preview(1));
        let (begun, written) = (stops.of_preview(1), stops.of_write(1));
        stops.asked(&preview(2));
        assert!(stopped(&begun) && stopped(&stops.of_preview(1)) && !stopped(&stops.of_preview(2)));
        assert!(!stopped(&written));
        stops.asked(&Effect::CancelWrite);
        assert!(stopped(&stops.of_preview(2)) && stopped(&written));
        // what is asked for after that is not meant, and frees nothing that was
        stops.asked(&preview(3));
        stops.asked(&write(3));
        assert!(!stopped(&stops.of_preview(3)) && !stopped(&stops.of_write(3)) && stopped(&stops.of_write(1)));
        stops.ended(1);
        stops.asked(&Effect::CancelWrite);
        assert!(stopped(&stops.of_write(3)) && !stopped(&stops.of_write(1)));
    }
}
