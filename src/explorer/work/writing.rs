//! Planned writes: previews, writing, undo and redo.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::Shared;
use super::desk::Clerk;
use crate::explorer::model::{Effect, Msg};

/// Thinks writes out and does them.
#[derive(Debug)]
pub struct Writing {
    shared: Arc<Shared>,
}

impl Writing {
    /// A clerk for a workspace.
    pub fn new(shared: Arc<Shared>) -> Writing {
        Writing { shared }
    }
}

impl Clerk for Writing {
    fn work(&mut self, job: Effect, sender: &Sender<Msg>) {
        let _ = (&self.shared, job, sender);
    }
}
