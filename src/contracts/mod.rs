//! The directory contracts of a `.ai/` layer: what each directory owes, and which contracts apply to it.
//!
//! | module | what lives there |
//! |---|---|
//! | `model` | paths, contracts, documents, states: plain data |
//! | [`document`], `schema`, `front_matter` | a Markdown file's head, read into a contract or findings |
//! | `plain`, `yaml` | front matter as a tree with positions: the quick reader, and the one for everything |
//! | `tree`, `settle`, [`Index`] | folders, their standings, and both ready to be asked |
//! | [`resolve`], `view` | requests, reports and effective chains; the form of answers |
//! | [`explain`], `pathspec` | why a directory is as it is |
//! | [`compose`] | what a reader of a directory is told |
//! | [`validate`] | what is wrong in a layer |
//! | [`fix`], `edit_block` | plans that settle what is owed, and edits of single lines |
//! | [`what_if`] | changes tried on a copy |
//! | [`export`] | the layer as a graph |
//! | [`layer`], `inventory`, `disk`, `git`, `fresh` | the layer on disk and in git: the edge, the only place that reads |

pub mod compose;
pub mod document;
pub mod explain;
pub mod export;
pub mod fix;
pub mod layer;
pub mod resolve;
pub mod validate;
pub mod what_if;

mod boilerplate;
mod disk;
mod edit_block;
mod error;
mod first_look;
mod fresh;
mod front_matter;
mod git;
mod index;
mod inventory;
mod model;
mod pathspec;
mod plain;
mod schema;
mod settle;
mod tree;
mod view;
mod yaml;

pub use error::Error;
pub use first_look::FirstLook;
pub use fresh::{Fingerprint, Fresh};
pub(crate) use git::index_file as git_index;
pub use index::{DocumentId, Fate, Index, Standing};
pub use layer::{Layer, LayerPlace};
pub use model::{Audience, Class, Composition, Contract, Document, RepoPath, Scope, State, Status, Tallies};
pub use resolve::{Applying, Reason, Report, Request, Step, applying, chain, resolve as answer};
pub use schema::is_id;
pub use tree::FolderId;

/// A path given by the system as text: bytes that are not UTF-8 become `%NN`, as answers show them.
pub fn path_text(path: &std::ffi::OsStr) -> String {
    model::text_of(&disk::bytes(std::path::Path::new(path))).into_owned()
}
