//! Where a registry is, and opening it: for reading, which never creates or changes a file, and for writing.

use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use rusqlite_migration::Migrations;

use super::columns::Columns;
use super::failure::{UNFINISHED, extended, failed};
use super::rows::{Tables, TypeRow};
use super::{ForeignWrites, Opening, Registry};
use crate::bounded;
use crate::edit::disk::{self, Call, step};
use crate::resources::error::Error;
use crate::resources::types;

/// `dagw`, so that `file` and other programs know whose file it is.
const APPLICATION_ID: i64 = 0x6461_6777;

/// The longest value that is read, in bytes: a few bytes of a file can stand for a gigabyte.
pub(super) const LONGEST_VALUE: i32 = 16 << 20;

/// The schema, one step a folder.
static STEPS: include_dir::Dir<'_> = include_dir::include_dir!("$CARGO_MANIFEST_DIR/migrations");

/// How long a command waits for another program that is writing.
pub const BUSY_WAIT: Duration = Duration::from_secs(5);

/// The file of the registry around `start`: the one named, else the nearest `.dagwood/registry.db` on the way up, else
/// where it would be made: at the top of the git work tree, else at `start`. Nothing is created.
///
/// A relative name is meant from `start`, as everything is.
pub fn place(start: &Path, git_top: Option<&Path>, named: Option<&Path>) -> PathBuf {
    if let Some(named) = named {
        return start.join(named);
    }
    let below = |folder: &Path| folder.join(".dagwood").join("registry.db");
    let there = start.ancestors().map(below).find(|file| file.exists());
    there.unwrap_or_else(|| below(git_top.unwrap_or(start)))
}

/// What kind of file it is.
enum Kind {
    /// Nothing in it yet.
    Empty,
    Own,
    Foreign,
}

impl Registry {
    /// Opens a registry to look at. A file that is not there, or empty, reads as a registry without resources that has
    /// the built-in types; none is created. On read-only media the file is opened as it is, without its companions.
    ///
    /// # Errors
    /// [`Error::NotADatabase`], [`Error::Corrupt`], [`Error::NewerVersion`], [`Error::Busy`], [`Error::Io`].
    pub fn open_to_read(file: &Path, wait: Duration) -> Result<Registry, Error> {
        if !is_there(file)? {
            return in_memory(file);
        }
        let connection = match connect_to_read(file, wait, "mode=ro") {
            Err(error) if wants_companions(&error) => connect_to_read(file, wait, "mode=ro&immutable=1"),
            other => other,
        }
        .map_err(failed(file))?;
        match kind(&connection, file)? {
            Kind::Empty => in_memory(file),
            Kind::Own => Ok(Registry::with(connection, file, Columns::own())),
            Kind::Foreign => {
                let columns = foreign_columns(&connection, file)?;
                Ok(Registry::with(connection, file, columns))
            }
        }
    }

    /// Opens a registry to write, and makes it where there is none, with a `.gitignore` in its `.dagwood` folder.
    ///
    /// # Errors
    /// As [`Registry::open_to_read`], and [`Error::ReadOnly`], also for a file of the original program unless allowed.
    pub fn open_to_write(file: &Path, opening: Opening) -> Result<Registry, Error> {
        if is_there(file)? {
            tidy(folder_of(file));
        } else {
            create(file)?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(file, flags).map_err(failed(file)).map_err(read_only)?;
        on_guard(&connection).map_err(failed(file))?;
        connection.busy_timeout(opening.wait).map_err(failed(file))?;
        let columns = match kind(&connection, file).map_err(read_only)? {
            Kind::Foreign if opening.foreign == ForeignWrites::Refused => {
                let why = "it is a registry of the original program; `--write-foreign` allows it";
                return Err(Error::ReadOnly { file: file.to_owned(), why });
            }
            Kind::Foreign => foreign_columns(&connection, file)?,
            Kind::Own => Columns::own(),
            Kind::Empty => {
                lay_out(&mut connection, file)?;
                Columns::own()
            }
        };
        enforce_foreign_keys(&connection, file, &columns)?;
        let mut registry = Registry::with(connection, file, columns);
        registry.journal = opening.journal;
        registry.stop = opening.stop;
        registry.durability = opening.durability;
        registry.durability(opening.durability)?;
        registry.writable = true;
        Ok(registry)
    }
}

fn foreign_columns(connection: &Connection, file: &Path) -> Result<Columns, Error> {
    let columns = Columns::foreign(connection).map_err(failed(file))?;
    if columns.are_enough() {
        return Ok(columns);
    }
    let why = "its table resources has no columns for the id, the name and the type".to_owned();
    Err(Error::NotADatabase { file: file.to_owned(), why })
}

fn is_there(file: &Path) -> Result<bool, Error> {
    if !is_regular(file)? {
        return Ok(false);
    }
    // SQLite opens what lies beside it, and beside the file itself when this is a link
    let itself = file.canonicalize().map_err(Error::io("look at", file))?;
    for companion in ["-journal", "-wal", "-shm"] {
        let mut name = itself.clone().into_os_string();
        name.push(companion);
        is_regular(Path::new(&name))?;
    }
    Ok(true)
}

/// Whether there is a file; what is no regular one is refused, and never opened.
fn is_regular(file: &Path) -> Result<bool, Error> {
    match fs::metadata(file) {
        Ok(meta) => bounded::regular(&meta)
            .map(|()| true)
            .map_err(|why| Error::NotADatabase { file: file.to_owned(), why: why.to_string() }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(Error::io("look at", file)(error)),
    }
}

/// Says of a file on read-only media what it is, where SQLite only says that it cannot open something. The file is not
/// opened to find out: closing it would take away the locks of this program's other connections.
fn read_only(error: Error) -> Error {
    match error {
        Error::Database { file, source } if wants_companions(&source) => {
            Error::ReadOnly { file, why: "it, or where it lies, is read-only" }
        }
        other => other,
    }
}

/// A registry may be somebody else's work: its views and triggers get no function that acts beyond the file, and no
/// statement can break the file itself.
fn on_guard(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
    Ok(())
}

fn connect_to_read(file: &Path, wait: Duration, how: &str) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(uri(file, how), flags)?;
    on_guard(&connection)?;
    connection.busy_timeout(wait)?;
    // the first read is what finds out whether the file can be read at all
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

/// A file name as SQLite's URI form.
fn uri(file: &Path, how: &str) -> String {
    let mut out = String::from("file:");
    for byte in file.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' | b':' => {
                out.push(*byte as char);
            }
            other => {
                // writing to a string cannot fail
                let _ = write!(out, "%{other:02X}");
            }
        }
    }
    out.push('?');
    out.push_str(how);
    out
}

/// Whether SQLite failed because it may not write its -wal and -shm beside the file.
fn wants_companions(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
        // read without undoing it, the file would show what was never written whole
        && extended(error) != Some(UNFINISHED)
}

fn in_memory(file: &Path) -> Result<Registry, Error> {
    let mut connection = Connection::open_in_memory().map_err(failed(file))?;
    lay_out(&mut connection, file)?;
    let mut registry = Registry::with(connection, file, Columns::own());
    registry.missing = true;
    Ok(registry)
}

fn kind(connection: &Connection, file: &Path) -> Result<Kind, Error> {
    let tables: Vec<String> = connection
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'")
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .map_err(failed(file))?;
    if tables.is_empty() {
        return Ok(Kind::Empty);
    }
    let has = |name: &str| tables.iter().any(|table| table == name);
    if !(has("resources") && has("resource_links") && has("resource_types")) {
        let why = "it is a SQLite database without resources, resource_links and resource_types".to_owned();
        return Err(Error::NotADatabase { file: file.to_owned(), why });
    }
    let pragma =
        |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(failed(file));
    let (application, version) = (pragma("application_id")?, pragma("user_version")?);
    let marked = application == APPLICATION_ID;
    // a copy made from a dump has lost its marks, and is ours all the same
    let a_copy = application == 0 && version == 0 && Columns::are_own(connection).map_err(failed(file))?;
    if has("alembic_version") || !(marked || a_copy) {
        return Ok(Kind::Foreign);
    }
    let known = i64::try_from(STEPS.dirs().count()).unwrap_or(i64::MAX);
    if version > known {
        return Err(Error::NewerVersion { file: file.to_owned(), found: version, known });
    }
    Ok(Kind::Own)
}

/// The folder, beside it, in which a registry is made.
const MAKING: &str = ".registry-new";

/// Makes the file whole under another name first, so that nobody ever sees half of it, and two programs that make it at
/// once both go on with the same one.
fn create(file: &Path) -> Result<(), Error> {
    let folder = folder_of(file);
    disk::make_folders(folder).map_err(Error::io("make the folder", folder))?;
    let alone = alone_in(folder, file)?;
    if is_there(file)? {
        return Ok(());
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(MAKING);
    if alone.is_some() {
        clear(folder);
        builder.rand_bytes(0);
    }
    let making = disk::made(Call::MakeFolder, folder, || builder.tempdir_in(folder));
    let making = making.map_err(Error::io("write in", folder))?;
    if folder.file_name().is_some_and(|name| name == ".dagwood") {
        ignore_in_git(folder, making.path())?;
    }
    let fresh = making.path().join("registry.db");
    step(Call::Create, &fresh).map_err(Error::io("make", file))?;
    let mut connection = Connection::open(&fresh).map_err(failed(file))?;
    // nobody knows the file yet, so it is enough that it is on the disk before it gets its name
    connection.pragma_update(None, "synchronous", "OFF").map_err(failed(file))?;
    lay_out(&mut connection, file)?;
    connection.close().map_err(|(_, error)| error).map_err(failed(file))?;
    put_in_place(&fresh, file).map_err(Error::io("make", file))
}

fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Waits until nobody else makes a registry in this folder; `None` where folders cannot be locked.
fn alone_in(folder: &Path, file: &Path) -> Result<Option<fs::File>, Error> {
    let Ok(lock) = fs::File::open(folder) else { return Ok(None) };
    let since = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(Some(lock)),
            Err(fs::TryLockError::Error(_)) => return Ok(None),
            Err(fs::TryLockError::WouldBlock) if since.elapsed() > BUSY_WAIT => {
                return Err(Error::Busy { file: file.to_owned() });
            }
            Err(fs::TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Takes away what a program left that was killed while it made a registry here.
fn tidy(folder: &Path) {
    let left = folder.join(MAKING).symlink_metadata().is_ok();
    if left
        && let Ok(lock) = fs::File::open(folder)
        && lock.try_lock().is_ok()
    {
        clear(folder);
    }
}

fn clear(folder: &Path) {
    // what cannot be removed is in nobody's way but the next one's who makes a registry, and who is told of it
    let _ = fs::remove_dir_all(folder.join(MAKING));
}

/// Gives a file that is whole its name, unless another program's has it by now; it and its name are on the disk then.
fn put_in_place(fresh: &Path, file: &Path) -> std::io::Result<()> {
    fs::File::open(fresh).and_then(|opened| disk::sync(&opened, fresh))?;
    match disk::link(fresh, file) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(()),
        // a file system without hard links: the rename may meet another program's file, which then wins
        Err(_) if file.exists() => return Ok(()),
        Err(_) => disk::rename(fresh, file)?,
        Ok(()) => {}
    }
    disk::sync_folder(folder_of(file))
}

fn ignore_in_git(folder: &Path, making: &Path) -> Result<(), Error> {
    let ignore = folder.join(".gitignore");
    let fresh = making.join(".gitignore");
    let written = disk::made(Call::Write, &fresh, || fs::write(&fresh, "*\n"));
    written.and_then(|()| put_in_place(&fresh, &ignore)).map_err(Error::io("write", ignore))
}

/// The schema and the built-in types, in an empty database.
fn lay_out(connection: &mut Connection, file: &Path) -> Result<(), Error> {
    let migrations = Migrations::from_directory(&STEPS).map_err(|error| unusual(file, &error))?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(failed(file))?;
    migrations.to_latest(connection).map_err(|error| match error {
        rusqlite_migration::Error::RusqliteError { err, .. } => super::failure::translate(err, file),
        other => unusual(file, &other),
    })?;
    connection.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed(file))?;
    let transaction = connection.transaction().map_err(failed(file))?;
    let columns = Columns::own();
    let created_at = super::now();
    for (built_in, _) in types::built_in()? {
        let spec_json = super::spec_json(&built_in);
        let row = TypeRow { name: built_in.name, spec_json, built_in: true, created_at: created_at.clone() };
        Tables { connection: &transaction, columns: &columns }.put_type(&row).map_err(failed(file))?;
    }
    transaction.commit().map_err(failed(file))
}

fn unusual(file: &Path, error: &rusqlite_migration::Error) -> Error {
    Error::Io { doing: "lay out", file: file.to_owned(), source: std::io::Error::other(error.to_string()) }
}

/// Sets what every connection that writes needs, and reads back that it holds.
fn enforce_foreign_keys(connection: &Connection, file: &Path, columns: &Columns) -> Result<(), Error> {
    // the original program writes with foreign keys off, and its rows may break them already
    let wanted = !columns.foreign;
    connection.pragma_update(None, "foreign_keys", wanted).map_err(failed(file))?;
    let holds: bool = connection.pragma_query_value(None, "foreign_keys", |row| row.get(0)).map_err(failed(file))?;
    if holds == wanted {
        return Ok(());
    }
    let source = std::io::Error::other("this SQLite does not enforce foreign keys");
    Err(Error::Io { doing: "open", file: file.to_owned(), source })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_registry_is_opened_as_somebody_elses_work() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("registry.db");
        drop(Registry::open_to_write(&file, Opening::default()).unwrap());
        let writing = Registry::open_to_write(&file, Opening::default()).unwrap();
        let reading = Registry::open_to_read(&file, Duration::ZERO).unwrap();
        for registry in [&writing, &reading] {
            let connection = &registry.connection;
            assert!(!connection.db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA).unwrap());
            assert!(connection.db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE).unwrap());
        }
    }
}
