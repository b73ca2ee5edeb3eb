//! SQLite's errors as ours.

use std::path::Path;

use rusqlite::ErrorCode;

use crate::resources::error::Error;

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
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Error::Busy { file },
        ErrorCode::ReadOnly => Error::ReadOnly { file, why: "it, or its folder, is read-only" },
        ErrorCode::NotADatabase => Error::NotADatabase { file, why: "it is not a SQLite database".to_owned() },
        ErrorCode::DatabaseCorrupt => Error::Corrupt { file, why: error.to_string() },
        ErrorCode::OperationInterrupted => Error::Cancelled("the registry is as it was".to_owned()),
        _ => Error::Database { file, source: Box::new(error) },
    }
}

/// Whether the whole transaction may succeed when it is begun again.
pub(super) fn worth_another_try(error: &Error) -> bool {
    /// The snapshot is too old to be written on.
    const BUSY_SNAPSHOT: i32 = 517;
    match error {
        Error::Database { source, .. } => extended(source) == Some(BUSY_SNAPSHOT),
        _ => false,
    }
}

/// The extended code of an error, which tells constraints apart.
pub(super) fn extended(error: &rusqlite::Error) -> Option<i32> {
    error.sqlite_error().map(|error| error.extended_code)
}
