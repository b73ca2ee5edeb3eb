//! The terminal explorer: a [`model`] that knows neither terminal nor disk, `work` beside the screen, a `view` from
//! model to frame, and the `terminal` that carries keys in and frames out.

pub mod model;
pub mod view;
