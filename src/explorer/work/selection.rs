//! To be written.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::Shared;
use super::desk::Clerk;
use crate::explorer::model::{Effect, Loaded, Msg};

/// To be written.
#[derive(Debug)]
pub struct Selection {
    shared: Arc<Shared>,
}

impl Selection {
    /// A clerk for a workspace.
    pub fn new(shared: Arc<Shared>) -> Selection {
        Selection { shared }
    }
}

impl Clerk for Selection {
    fn work(&mut self, job: Effect, sender: &Sender<Msg>) {
        let _ = &self.shared;
        if let Effect::Load { part, generation, .. } = job {
            let _ = sender.send(Msg::Loaded { part, generation, loaded: Ok(Box::new(Loaded::default())) });
        }
    }
}
