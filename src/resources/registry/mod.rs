//! The registry: one SQLite file that holds resources, links and types. Its SQL lives here and nowhere else.
//!
//! Reading and writing are apart. [`Registry::open_to_read`] never creates or changes a file. A write is an [`Operation`]:
//! [`Registry::plan`] says which rows it would change and why it would be refused, without writing;
//! [`Registry::carry_out`] plans it again inside one immediate transaction, applies the rows, notes them in the journal
//! and commits. [`Registry::revert`] takes such rows back, or makes them again, when each is still as it was left.
//!
//! A connection belongs to one thread at a time; a `Registry` may be sent to another.

mod apply;
mod brief;
mod browse;
mod columns;
mod detail;
mod draft;
mod failure;
mod open;
mod operations;
mod rows;
mod seek;
mod survey;
mod told;
mod verbs;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use apply::{Reverted, Turn, turned};
pub use detail::{Candidate, Detail, Paths};
pub use open::{BUSY_WAIT, place};
pub use operations::{AddTypes, LinksToo, NewResource, Operation, Plan, SetResource};
pub use rows::TypeRow;
pub use told::{Becomes, RowTold, Told, effect};

pub(crate) use draft::Draft;
pub(crate) use operations::counted;
pub(crate) use survey::Survey;

use self::columns::Columns;
use self::rows::Tables;
use super::error::Error;
use super::graph;
use super::model::{Link, Named, Node, Resource, ResourceId, Role, ulid_form};
use super::types::ResourceType;
use crate::edit::Journal;

/// Whether registries of the original program may be written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForeignWrites {
    /// They are for looking only.
    #[default]
    Refused,
    /// Their `resources` and `resource_links` may be written.
    Allowed,
}

/// How to open a registry to write.
#[derive(Clone, Debug)]
pub struct Opening {
    /// How long to wait for another program that is writing.
    pub wait: Duration,
    /// Whether registries of the original program may be written.
    pub foreign: ForeignWrites,
    /// Where writes are noted, so that they can be undone; without one they cannot.
    pub journal: Option<Journal>,
    /// Where somebody says that rows are not to be taken back, or made again, any more: see [`Journal::until`].
    pub stop: Option<Arc<AtomicBool>>,
    /// How sure single writes are to outlive a power failure.
    pub durability: Durability,
}

impl Default for Opening {
    fn default() -> Opening {
        Opening {
            wait: BUSY_WAIT,
            foreign: ForeignWrites::Refused,
            journal: None,
            stop: None,
            durability: Durability::Full,
        }
    }
}

/// How much of a file is kept in memory at most.
const CACHE_KIB: i32 = 16 * 1024;

/// How sure a commit is to outlive a power failure; it is whole in any case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// It is on the disk.
    #[default]
    Full,
    /// It soon will be: what a discovery loses, the next one finds again.
    Relaxed,
}

/// One row before and after a write; `None` where there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "table", rename_all = "lowercase")]
#[expect(missing_docs, reason = "before and after say it")]
pub enum RowChange {
    /// A row of `resources`; `rest` holds the columns of another program's row that are none of ours, when it goes.
    Resource {
        before: Option<Box<Resource>>,
        after: Option<Box<Resource>>,
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        rest: Map<String, Value>,
    },
    /// A row of `resource_links`.
    Link {
        before: Option<Link>,
        after: Option<Link>,
        /// A mending took it away that no rule would allow back; undoing the mending puts it back all the same.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        mended: bool,
    },
    /// A row of `resource_types`.
    Type { before: Option<TypeRow>, after: Option<TypeRow> },
}

/// An open registry.
#[derive(Debug)]
pub struct Registry {
    connection: Connection,
    file: PathBuf,
    columns: Columns,
    journal: Option<Journal>,
    stop: Option<Arc<AtomicBool>>,
    durability: Durability,
    writable: bool,
    missing: bool,
}

impl Registry {
    fn with(connection: Connection, file: &Path, columns: Columns) -> Registry {
        connection.set_prepared_statement_cache_capacity(64);
        // the default is 2 MB, less than the upper pages of a large registry; without it all works, only slower
        let _ = connection.pragma_update(None, "cache_size", -CACHE_KIB);
        Registry {
            connection,
            file: file.to_owned(),
            columns,
            journal: None,
            stop: None,
            durability: Durability::Full,
            writable: false,
            missing: false,
        }
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Whether the file is not there (yet), so that this is an empty registry in its place.
    pub fn is_missing(&self) -> bool {
        self.missing
    }

    /// Whether the file is the original program's.
    pub fn is_foreign(&self) -> bool {
        self.columns.foreign
    }

    /// The resource that a person means: by the exact id, by a ULID in any case, by the name.
    ///
    /// # Errors
    /// [`Error::ResourceNotFound`] in the role it was asked for, with names that look like it.
    pub fn find(&self, asked: &str, role: Role) -> Result<Resource, Error> {
        let tables = self.tables();
        let found = self.say(tables.resource(&ResourceId::from(asked)))?;
        let found = match (found, ulid_form(asked)) {
            (None, Some(ulid)) => self.say(tables.resource(&ResourceId::from(ulid.as_str())))?,
            (found, _) => found,
        };
        let found = match found {
            None => self.say(tables.resource_named(asked))?,
            found => found,
        };
        match found {
            Some(resource) => Ok(resource),
            None => Err(Error::ResourceNotFound {
                role,
                asked: asked.to_owned(),
                similar: self.say(self.tables().similar(asked))?,
            }),
        }
    }

    /// The resource of an id, with its counts.
    ///
    /// # Errors
    /// [`Error::ResourceNotFound`].
    pub fn node(&self, id: &ResourceId) -> Result<Node, Error> {
        let resource = graph::expect(&self.draft(), id, Role::Resource)?;
        self.counted(resource)
    }

    /// What errors and lists call an id by; one without a row stands for itself.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn named(&self, id: &ResourceId) -> Result<Named, Error> {
        let found = self.say(self.tables().resource(id))?;
        Ok(found.map_or_else(|| Named::missing(id.clone()), |found| found.named()))
    }

    /// The links of a resource to itself, and to and from ids without a row.
    pub(crate) fn broken_links(&self, id: &ResourceId) -> Result<Vec<Link>, Error> {
        self.say(self.tables().broken_links(id))
    }

    /// Whether any link leads to or from an id, with or without a row.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn is_linked(&self, id: &ResourceId) -> Result<bool, Error> {
        Ok(!self.say(self.tables().links_of(id))?.is_empty())
    }

    /// The type of a name.
    ///
    /// # Errors
    /// [`Error::TypeNotFound`], [`Error::TypeUnreadable`].
    pub fn resource_type(&self, name: &str) -> Result<ResourceType, Error> {
        let found = graph::expect_type(&self.draft(), name);
        found.map(|found| (*found).clone()).map_err(|error| self.with_near_types(error))
    }

    /// The same error; of a type that is not there with the names of those that may have been meant.
    fn with_near_types(&self, error: Error) -> Error {
        let Error::TypeNotFound { name, .. } = error else { return error };
        // what cannot be read any more has nothing near
        let all = self.type_rows().unwrap_or_default();
        let near = crate::text::near(&name, all.iter().map(|row| row.name.as_str()), 3);
        Error::TypeNotFound { similar: near.into_iter().map(str::to_owned).collect(), name }
    }

    /// The rows of all types, by name.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn type_rows(&self) -> Result<Vec<TypeRow>, Error> {
        self.say(self.tables().type_rows())
    }

    /// How many resources have the type.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn users_of_type(&self, name: &str) -> Result<u64, Error> {
        self.say(self.tables().users_of_type(name))
    }

    /// The children of a resource that discoveries made.
    pub(crate) fn discovered_children(&self, id: &ResourceId) -> Result<Vec<Resource>, Error> {
        self.say(self.tables().discovered_children(id))
    }

    /// How sure the next commits are to outlive a power failure.
    pub(crate) fn durability(&self, durability: Durability) -> Result<(), Error> {
        let mode = match durability {
            Durability::Full => "FULL",
            Durability::Relaxed => "NORMAL",
        };
        self.say(self.connection.pragma_update(None, "synchronous", mode))
    }

    /// Back to what was asked for when it was opened.
    pub(crate) fn usual_durability(&self) -> Result<(), Error> {
        self.durability(self.durability)
    }

    fn tables(&self) -> Tables<'_> {
        Tables { connection: &self.connection, columns: &self.columns }
    }

    pub(crate) fn draft(&self) -> Draft<'_> {
        Draft::on(self.tables(), &self.file)
    }

    /// Holds what is read until it is dropped to one moment, so that another program's commit in between does not make
    /// two reads disagree. Inside another snapshot, or a write, it does nothing more.
    pub(crate) fn snapshot(&self) -> Result<Option<rusqlite::Transaction<'_>>, Error> {
        if self.connection.is_autocommit() {
            self.say(self.connection.unchecked_transaction()).map(Some)
        } else {
            Ok(None)
        }
    }

    /// An answer of SQLite's, its error as ours.
    fn say<T>(&self, answer: rusqlite::Result<T>) -> Result<T, Error> {
        answer.map_err(failure::failed(&self.file))
    }
}

impl TypeRow {
    /// The type the row holds.
    ///
    /// # Errors
    /// [`Error::TypeUnreadable`].
    pub fn resource_type(&self) -> Result<ResourceType, Error> {
        let unreadable = |why: String| Error::TypeUnreadable { name: self.name.clone(), why };
        let mut value: serde_json::Value =
            serde_json::from_str(&self.spec_json).map_err(|error| unreadable(error.to_string()))?;
        if let Some(fields) = value.as_object_mut() {
            // NULL columns, and fields of another program's form, say nothing
            fields.retain(|_, value| !value.is_null());
            fields.insert("name".to_owned(), self.name.clone().into());
            if fields.get("auto_discovery").is_some_and(|value| !value.is_object()) {
                fields.remove("auto_discovery");
            }
        }
        serde_json::from_value(value).map_err(|error| unreadable(error.to_string()))
    }
}

/// The time, as the rows hold it: ISO-8601 UTC, 24 characters.
pub(crate) fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

/// A type as the JSON text of its row.
pub(crate) fn spec_json(resource_type: &ResourceType) -> String {
    serde_json::to_string(resource_type).unwrap_or_default()
}
