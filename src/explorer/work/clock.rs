//! The desk that lets time pass. The model knows no clock: it asks to be told when a moment is over, and in between
//! nobody wakes.

use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use super::desk::Clerk;
use crate::explorer::model::{Effect, Msg};

/// How long what has just changed stays marked. What changes meanwhile stays up to twice as long.
const MOMENT: Duration = Duration::from_secs(2);

/// How long the bottom line tells something, unless a key comes.
const WORDS: Duration = Duration::from_secs(6);

/// Waits.
#[derive(Debug)]
pub struct Clock;

impl Clerk for Clock {
    fn work(&mut self, job: Effect, sender: &Sender<Msg>) {
        let (long, then) = match job {
            Effect::Fade(batch) => (MOMENT, Msg::Faded(batch)),
            Effect::Hush(nth) => (WORDS, Msg::Hushed(nth)),
            _ => return,
        };
        thread::sleep(long);
        // the explorer may have ended; then there is nobody to tell
        let _ = sender.send(then);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::super::desk::Desk;
    use super::*;

    #[test]
    fn the_end_of_a_moment_is_told_and_many_that_wait_are_one() {
        let (sender, receiver) = channel();
        let desk = Desk::open("clock", sender, || Clock);
        for batch in 1..=100 {
            desk.put(Effect::Fade(batch));
        }
        let mut told = Vec::new();
        while told.last() != Some(&100) {
            let Ok(Msg::Faded(batch)) = receiver.recv() else { panic!("a clock tells the time") };
            told.push(batch);
        }
        assert!(told.len() < 100, "{told:?}");
    }
}
