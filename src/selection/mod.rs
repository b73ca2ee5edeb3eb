//! The selection of packages: which agents, skills, documents and hooks a project installs from its package graph, and
//! why.
//!
//! | room | what lives there |
//! |---|---|
//! | [`model`] | the words, as plain data |
//! | [`boundary`] | views from JSON, selections as JSON |
//! | [`graph`], [`mod@select`] | the compiled graph and what is selected from it; pure |
//! | [`reasons`] | why an item is selected, and why one is not; pure |
//! | [`answer`] | both as JSON |
//! | [`what_if`] | other lines of yours, tried; pure |
//! | [`planned`], [`rewrite`] | a what-if written into `mars.toml`, every other byte kept |
//! | [`opinion`], [`version`] | the lock as a second opinion; pure |
//! | [`overview`] | packages and items in the order shown, each with its state |
//! | [`export`] | a selection written out: JSON, dot, mermaid |
//! | [`mod@findings`] | what is to be said about a project and its selection |
//! | [`project`] | a project on the disk, read with everything it depends on |
//! | [`manifest`], [`lock`] | `mars.toml`, `mars.local.toml`, `mars.lock` |
//! | [`source`] | where a package's files are |
//! | [`package`], [`front_matter`] | what is in them |

pub mod answer;
pub mod boundary;
mod causes;
pub mod export;
mod files;
pub mod findings;
pub mod front_matter;
pub mod graph;
pub mod lock;
pub mod manifest;
pub mod model;
pub mod opinion;
pub mod overview;
pub mod package;
pub mod planned;
mod plugin;
pub mod project;
pub mod reasons;
pub mod rewrite;
pub mod select;
pub mod source;
mod supply;
mod toml;
pub mod version;
pub mod what_if;

pub use findings::findings;
pub use graph::{EntryId, Graph, ItemId, PackageId};
pub use model::{Filter, Kind, Name, Place};
pub use project::{Found, Project, ProjectPlace, find};
pub use select::{Requester, Selection, select};
pub use source::Environment;
