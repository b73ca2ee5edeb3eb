//! SQLite's errors as ours.

use std::path::Path;

use rusqlite::ErrorCode;

use super::RowChange;
use super::open::LONGEST_VALUE;
use super::rows::Tables;
use crate::resources::error::Error;
use crate::resources::model::{Ends, Named, ResourceId, Role};

/// For `map_err`: the error of a statement on this file.
pub(super) fn failed(file: &Path) -> impl Fn(rusqlite::Error) -> Error + '_ {
    move |error| translate(error, file)
}

/// What an error means for a person.
pub(super) fn translate(error: rusqlite::Error, file: &Path) -> Error {
    let file = file.to_owned();
    let Some(code) = error.sqlite_error_code() else {
        return Error::Database { file, source: Box::new(error) };
    };
    match code {
        _ if worth_another_try(extended(&error)) => Error::Database { file, source: Box::new(error) },
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Error::Busy { file },
        _ if extended(&error) == Some(UNFINISHED) => {
            let why =
                "a program ended in the middle of writing it; one that may write it, such as sqlite3, undoes that";
            Error::Corrupt { file, why: why.to_owned() }
        }
        ErrorCode::ReadOnly => Error::ReadOnly { file, why: "it, or its folder, is read-only" },
        ErrorCode::NotADatabase => Error::NotADatabase { file, why: "it is not a SQLite database".to_owned() },
        ErrorCode::DatabaseCorrupt => Error::Corrupt { file, why: error.to_string() },
        ErrorCode::TooBig => {
            let most = LONGEST_VALUE >> 20;
            Error::Invalid(format!("{} holds a value longer than {most} MiB, the most that is read", file.display()))
        }
        ErrorCode::OperationInterrupted => Error::Cancelled("the registry is as it was".to_owned()),
        _ => Error::Database { file, source: Box::new(error) },
    }
}

/// SQLite says so at once, without waiting: a snapshot too old to be written on, another program that mends the log.
const BUSY_AT_ONCE: [i32; 2] = [517, 261];
/// A transaction of another program was left unfinished, and undoing it would be a write.
pub(super) const UNFINISHED: i32 = 776;
/// An id that is there already, by the code of a primary key.
const SAME_KEY: i32 = 1555;

fn worth_another_try(extended: Option<i32>) -> bool {
    extended.is_some_and(|code| BUSY_AT_ONCE.contains(&code))
}

/// Whether the whole transaction may succeed when it is begun again: another writer won in between.
pub(super) fn may_succeed_again(error: &Error) -> bool {
    match error {
        Error::Database { source, .. } => worth_another_try(extended(source)) || extended(source) == Some(SAME_KEY),
        _ => false,
    }
}

/// What is left to say after the last try.
pub(super) fn given_up(error: Error) -> Error {
    match error {
        Error::Database { file, source } if worth_another_try(extended(&source)) => Error::Busy { file },
        other => other,
    }
}

/// The rule that a constraint of the file stands for, should it ever speak first: the checks run in the same
/// transaction, but a trigger or another schema may be stricter.
pub(super) fn constraint(error: rusqlite::Error, change: &RowChange, tables: Tables<'_>, file: &Path) -> Error {
    const CHECK: i32 = 275;
    const FOREIGN_KEY: i32 = 787;
    const UNIQUE: i32 = 2067;
    let named = |id: &ResourceId| {
        tables.resource(id).ok().flatten().map_or_else(|| Named::missing(id.clone()), |found| found.named())
    };
    match (extended(&error), change) {
        (Some(SAME_KEY | UNIQUE), RowChange::Link { after: Some(link), .. }) => {
            let ends = Ends { parent: named(&link.parent_id), child: named(&link.child_id) };
            Error::DuplicateLink { ends: Box::new(ends) }
        }
        (Some(CHECK), RowChange::Link { after: Some(link), .. }) if link.parent_id == link.child_id => {
            Error::CycleDetected { path: vec![named(&link.parent_id), named(&link.child_id)] }
        }
        (Some(FOREIGN_KEY), RowChange::Link { after: Some(link), .. }) => {
            let missing_parent = tables.resource(&link.parent_id).is_ok_and(|found| found.is_none());
            let (role, id) =
                if missing_parent { (Role::Parent, &link.parent_id) } else { (Role::Child, &link.child_id) };
            Error::ResourceNotFound { role, asked: id.to_string(), similar: Vec::new() }
        }
        (Some(FOREIGN_KEY), RowChange::Resource { after: Some(resource), .. }) => {
            Error::TypeNotFound { name: resource.type_name.clone(), similar: Vec::new() }
        }
        (Some(UNIQUE), RowChange::Resource { after: Some(resource), .. }) => Error::DuplicateName {
            name: resource.name.clone().unwrap_or_default(),
            holder: "another resource".to_owned(),
        },
        _ => translate(error, file),
    }
}

/// The extended code of an error, which tells constraints apart.
pub(super) fn extended(error: &rusqlite::Error) -> Option<i32> {
    error.sqlite_error().map(|error| error.extended_code)
}
