//! The resource DAG: typed resources linked parent to child in one SQLite file, the *registry*.
//!
//! * [`graph`] is the pure core: which links the rules allow, over a [`graph::Store`]; [`walk`] shows a DAG as a tree.
//! * [`Registry`] is the only door to the file. Reading it never creates or changes one; every write is an
//!   [`Operation`], planned as the rows it will change ([`Registry::plan`]) and carried out in one immediate transaction
//!   in which it is planned again ([`Registry::carry_out`]), so that all checks hold for what is written.
//! * [`ResourceType`]s come from YAML files; some are built in.
//! * [`discovery`] finds children on disk and in git; [`doctor`] names what is wrong with a file, however it came about.

mod components;
pub mod discovery;
pub mod doctor;
mod error;
pub mod export;
pub mod graph;
mod model;
mod registry;
pub mod types;
pub mod walk;
pub mod yaml;

pub use discovery::pattern::{EntryKind, Pattern};
pub use discovery::{Discover, Discovery, Progress, Reach, Skip, Watch, location_of, path_of};
pub use error::{Error, path_text};
pub use model::{
    Brief, Counts, Direction, Ends, Link, Named, Node, Resource, ResourceId, Role, check_name, thousands, ulid_form,
};
pub use registry::{
    AddTypes, BUSY_WAIT, Becomes, Candidate, Detail, Durability, ForeignWrites, LinksToo, NewResource, Opening,
    Operation, Paths, Plan, Registry, Reverted, RowChange, RowTold, SetResource, Told, Turn, TypeRow, effect, place,
    turned,
};
pub use types::ResourceType;
