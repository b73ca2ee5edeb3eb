//! The selection of packages: which agents, skills, documents and hooks a project installs from its package graph, and
//! why.
//!
//! | room | what lives there |
//! |---|---|
//! | [`model`] | the words, as plain data |
//! | [`boundary`] | views from JSON, selections as JSON |
//! | [`graph`], [`select`] | the compiled graph and what is selected from it; pure |

pub mod boundary;
pub mod graph;
pub mod model;
pub mod select;
mod supply;
