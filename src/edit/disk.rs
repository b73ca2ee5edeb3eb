//! Every call that changes the disk for a write, one function a call: the one room in which a write can fail or be cut
//! off. In tests each call is a numbered step that can be let fail, or end the process.
//!
//! A call that a signal interrupted is made again.

#[cfg(all(test, unix))]
pub(crate) mod faults;

use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, Seek, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::bounded;

/// What is done to the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Call {
    MakeFolder,
    Open,
    Lock,
    /// Whose entry is in hand is noted in the journal's lock.
    Note,
    Create,
    Write,
    SetMode,
    Sync,
    /// A file gets its name.
    Place,
    SyncFolder,
    Rename,
    Remove,
    RemoveFolder,
    /// A transaction of a registry is begun.
    Begin,
    /// A row of it is changed.
    Row,
    Commit,
}

/// Makes a call to the disk, again when a signal interrupts it.
pub(crate) fn made<T>(call: Call, at: &Path, mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match fault(call, at).and_then(|()| act()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

/// A step that SQLite takes, before it does: it fails in tests alone.
pub(crate) fn step(call: Call, at: &Path) -> io::Result<()> {
    made(call, at, || Ok(()))
}

#[cfg(all(test, unix))]
use faults::fault;

#[cfg(not(all(test, unix)))]
#[expect(clippy::unnecessary_wraps, reason = "in tests it fails")]
fn fault(_: Call, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes a folder and those above it that are missing, each of them durable.
pub(crate) fn make_folders(folder: &Path) -> io::Result<()> {
    let named = |folder: &&Path| !folder.as_os_str().is_empty();
    let missing: Vec<&Path> = folder.ancestors().filter(named).take_while(|folder| !folder.is_dir()).collect();
    for folder in missing.into_iter().rev() {
        match made(Call::MakeFolder, folder, || fs::create_dir(folder)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
            other => other?,
        }
        sync_folder(folder.parent().filter(named).unwrap_or(Path::new(".")))?;
    }
    Ok(())
}

/// A new temporary file in a folder. It is locked as long as it is open, so that one that was left can be told.
pub(super) fn create(builder: &tempfile::Builder<'_, '_>, folder: &Path) -> io::Result<NamedTempFile> {
    let temporary = made(Call::Create, folder, || builder.tempfile_in(folder))?;
    // where files cannot be locked, none is taken for one that was left
    let _ = temporary.as_file().try_lock();
    Ok(temporary)
}

/// Writes what a new file is to hold.
pub(super) fn write(mut file: &File, content: &[u8], at: &Path) -> io::Result<()> {
    // in tests a write can be cut off half-way
    let most = if cfg!(test) { content.len().div_ceil(2) } else { content.len() };
    content.chunks(most.max(1)).try_for_each(|part| made(Call::Write, at, || file.write_all(part)))
}

pub(super) fn set_mode(file: &File, mode: &Permissions, at: &Path) -> io::Result<()> {
    made(Call::SetMode, at, || file.set_permissions(mode.clone()))
}

/// Brings what a file holds onto the disk.
pub(crate) fn sync(file: &File, at: &Path) -> io::Result<()> {
    made(Call::Sync, at, || file.sync_all())
}

/// Brings the names in a folder onto the disk, where the system can.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    match made(Call::SyncFolder, folder, || File::open(folder)?.sync_all()) {
        Err(error) if !cannot_be_synced(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Whether an error says that folders cannot be synced here, rather than that the disk failed: a folder one may write
/// to and not read, or a file system that does not do it.
fn cannot_be_synced(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied)
}

/// Puts a temporary file in the place of a file.
pub(super) fn replace(temporary: NamedTempFile, file: &Path) -> io::Result<()> {
    place(temporary, file, |temporary| temporary.persist(file))
}

/// Puts a temporary file where no file is.
pub(super) fn place_new(temporary: NamedTempFile, file: &Path) -> io::Result<()> {
    place(temporary, file, |temporary| temporary.persist_noclobber(file))
}

fn place(
    temporary: NamedTempFile,
    file: &Path,
    persist: impl Fn(NamedTempFile) -> Result<File, tempfile::PersistError>,
) -> io::Result<()> {
    let mut waiting = Some(temporary);
    made(Call::Place, file, || {
        let Some(temporary) = waiting.take() else { return Ok(()) };
        persist(temporary).map(drop).map_err(|error| {
            waiting = Some(error.file);
            error.error
        })
    })
}

pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    made(Call::Rename, from, || fs::rename(from, to))
}

/// Gives a file a second name, where nothing has that name.
pub(crate) fn link(from: &Path, to: &Path) -> io::Result<()> {
    made(Call::Place, to, || fs::hard_link(from, to))
}

pub(super) fn remove(file: &Path) -> io::Result<()> {
    made(Call::Remove, file, || fs::remove_file(file))
}

/// Removes a folder if it is empty.
pub(super) fn remove_folder(folder: &Path) -> io::Result<()> {
    made(Call::RemoveFolder, folder, || fs::remove_dir(folder))
}

/// Opens a file to be locked, and makes it where there is none.
pub(super) fn open_lock(path: &Path) -> io::Result<File> {
    made(Call::Open, path, || {
        bounded::open_as(path, File::options().create(true).truncate(false).read(true).write(true))
    })
}

pub(super) fn try_lock(lock: &File, at: &Path) -> Result<(), TryLockError> {
    made(Call::Lock, at, || match lock.try_lock() {
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(error),
        Ok(()) => Ok(true),
    })
    .map_err(TryLockError::Error)
    .and_then(|locked| if locked { Ok(()) } else { Err(TryLockError::WouldBlock) })
}

/// Writes a note into a lock that is held; an empty one when there is nothing to note any more.
pub(super) fn note(mut lock: &File, note: &str, at: &Path) -> io::Result<()> {
    made(Call::Note, at, || {
        lock.set_len(0)?;
        lock.rewind()?;
        lock.write_all(note.as_bytes())
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_synced_is_no_failure() {
        for (number, so) in [(22, true), (95, true), (13, true), (5, false), (28, false)] {
            assert_eq!(cannot_be_synced(&io::Error::from_raw_os_error(number)), so, "{number}");
        }
    }
}
