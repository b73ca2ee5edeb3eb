//! To be written.

use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::Shared;
use super::desk::Clerk;
use crate::explorer::model::{Effect, Loaded, Msg};

/// To be written.
#[derive(Debug)]
pub struct Resources {
    shared: Arc<Shared>,
}

impl Resources {
    /// A clerk for a workspace.
    pub fn new(shared: Arc<Shared>) -> Resources {
        Resources { shared }
    }
}

impl Clerk for Resources {
    fn work(&mut self, job: Effect, sender: &Sender<Msg>) {
        let _ = &self.shared;
        if let Effect::Load { part, generation, .. } = job {
            let _ = sender.send(Msg::Loaded { part, generation, loaded: Ok(Box::new(Loaded::default())) });
        }
    }
}
