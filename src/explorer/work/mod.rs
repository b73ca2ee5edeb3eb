//! Work beside the screen: a desk for each part and one for writing, each a thread with a tray of jobs. A new job
//! replaces one of the same kind that still waits, so a cursor that runs over a thousand rows costs the details of a
//! few. A job that panics is reported and the desk goes on.

mod desk;

use std::path::Path;
use std::sync::mpsc::Sender;

use super::model::{Effect, Msg};
use desk::Desk;

/// The desks.
#[derive(Debug)]
pub struct Work {
    sender: Sender<Msg>,
}
