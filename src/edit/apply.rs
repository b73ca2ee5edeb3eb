//! Writing a plan to the disk: each file whole or not at all, all files or none.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::{Error, FileEdit, Root};

/// Edits that have been written and can still be taken back.
#[must_use]
#[derive(Debug)]
pub struct Applied {
    root: Root,
    done: Vec<FileEdit>,
}

impl Applied {
    /// Puts every file back, the last first. A file that somebody else has changed meanwhile is left as it is.
    ///
    /// # Errors
    /// The first file that could not be put back; the others are.
    pub fn roll_back(self) -> Result<(), Error> {
        let mut first = Ok(());
        for edit in self.done.iter().rev() {
            let back = self.root.check(std::slice::from_ref(edit)).and_then(|()| put(&edit.reversed()));
            if back.is_ok() {
                // the file is back whether or not the disk knows it yet
                let _ = sync_folder_of(&edit.file);
            }
            first = first.and(back);
        }
        first
    }

    /// Puts every file back because of an error, which it gives: with what could not be put back, if anything.
    pub(super) fn taken_back(self, first: Error) -> Error {
        match self.roll_back() {
            Ok(()) => first,
            Err(back) => Error::HalfTakenBack { first: Box::new(first), back: Box::new(back) },
        }
    }
}

/// Writes the edits in order; when one fails, those before it are taken back. Before anything is written it is looked
/// at again whether all of them lie below the root and no link is on the way.
///
/// # Errors
/// [`Error::Outside`], [`Error::AlreadyExists`], [`Error::ChangedSince`], [`Error::SymbolicLink`], [`Error::Io`];
/// [`Error::HalfTakenBack`] when some could not be taken back.
pub fn apply(root: &Root, edits: &[FileEdit]) -> Result<Applied, Error> {
    apply_and_sync(root, edits, sync_folder_of)
}

fn apply_and_sync(
    root: &Root,
    edits: &[FileEdit],
    sync: impl Fn(&Path) -> Result<(), Error>,
) -> Result<Applied, Error> {
    root.check(edits)?;
    let mut applied = Applied { root: root.clone(), done: Vec::with_capacity(edits.len()) };
    for edit in edits {
        if let Err(error) = put(edit) {
            return Err(applied.taken_back(error));
        }
        applied.done.push(edit.clone());
        if let Err(error) = sync(&edit.file) {
            return Err(applied.taken_back(error));
        }
    }
    Ok(applied)
}

fn put(edit: &FileEdit) -> Result<(), Error> {
    let file = &edit.file;
    if now(file)? != edit.before {
        return Err(match edit.before {
            None => Error::AlreadyExists { file: file.clone() },
            Some(_) => Error::ChangedSince { file: file.clone() },
        });
    }
    match &edit.after {
        None if edit.before.is_some() => {
            fs::remove_file(file).map_err(Error::io("remove", file))?;
            if let Some(top) = &edit.makes {
                // one that is not empty stays, and so do those above it
                let made = file.ancestors().skip(1).take_while(|folder| folder.starts_with(top));
                let _ = made.map(fs::remove_dir).find(Result::is_err);
            }
            Ok(())
        }
        None => Ok(()),
        Some(content) => persist(file, content, edit.before.is_some()),
    }
}

/// What a file holds now; `None` where there is none. A link is refused, wherever it leads.
pub(super) fn now(file: &Path) -> Result<Option<Vec<u8>>, Error> {
    match file.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("look at", file)(error)),
        Ok(meta) if meta.file_type().is_symlink() => Err(Error::SymbolicLink { file: file.to_owned() }),
        Ok(meta) if !meta.is_file() => Err(Error::AlreadyExists { file: file.to_owned() }),
        Ok(_) => fs::read(file).map(Some).map_err(Error::io("read", file)),
    }
}

/// A temporary file beside the target, synced, then put in its place: with the old mode when it replaces one, and
/// without ever replacing one that appeared meanwhile when it does not.
fn persist(file: &Path, content: &[u8], replaces: bool) -> Result<(), Error> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(Error::io("make the folder", folder))?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".dagwood-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // as a plain `open` would make it: the process's umask takes away what it takes away
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut temporary = builder.tempfile_in(folder).map_err(Error::io("write beside", file))?;
    temporary.write_all(content).map_err(Error::io("write", file))?;
    if replaces {
        let mode = fs::metadata(file).map_err(Error::io("look at", file))?.permissions();
        temporary.as_file().set_permissions(mode).map_err(Error::io("set the mode of", file))?;
    }
    temporary.as_file().sync_all().map_err(Error::io("sync", file))?;
    let persisted = if replaces { temporary.persist(file) } else { temporary.persist_noclobber(file) };
    match persisted {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(Error::AlreadyExists { file: file.to_owned() })
        }
        Err(error) => Err(Error::io("put in place", file)(error.error)),
    }
}

/// Makes the new name of a file itself durable, where the system can.
pub(super) fn sync_folder_of(file: &Path) -> Result<(), Error> {
    if !cfg!(unix) {
        return Ok(());
    }
    let folder = file.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if !cannot_be_synced(&error) => Err(Error::io("sync the folder of", file)(error)),
        _ => Ok(()),
    }
}

/// Whether an error says that folders cannot be synced here, rather than that the disk failed: a folder one may write
/// to and not read, or a file system that does not do it.
fn cannot_be_synced(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_over_a_file_that_is_there() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("README.md");
        fs::write(&file, "mine").unwrap();
        let error = apply(&Root::of(dir.path()), &[FileEdit::create(&file, "yours")]).unwrap_err();
        assert!(matches!(error, Error::AlreadyExists { .. }));
        assert_eq!(fs::read(&file).unwrap(), b"mine");
    }

    #[test]
    fn a_file_that_changed_since_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a");
        fs::write(&file, "newer").unwrap();
        let error = apply(&Root::of(dir.path()), &[FileEdit::change(&file, "old", "mine")]).unwrap_err();
        assert!(matches!(error, Error::ChangedSince { .. }));
        assert_eq!(fs::read(&file).unwrap(), b"newer");
    }

    #[test]
    fn when_one_fails_the_others_are_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let (first, second) = (dir.path().join("first"), dir.path().join("second"));
        fs::write(&second, "there").unwrap();
        apply(&Root::of(dir.path()), &[FileEdit::create(&first, "1"), FileEdit::create(&second, "2")]).unwrap_err();
        assert!(!first.exists());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[cfg(unix)]
    #[test]
    fn the_mode_is_kept_and_links_are_refused() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("a"), dir.path().join("l"));
        fs::write(&file, "1").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let _ = apply(&Root::of(dir.path()), &[FileEdit::change(&file, "1", "2")]).unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert!(matches!(
            apply(&Root::of(dir.path()), &[FileEdit::change(&link, "2", "3")]),
            Err(Error::SymbolicLink { .. })
        ));
        assert_eq!(fs::read(&file).unwrap(), b"2");
    }

    #[test]
    fn nothing_is_written_outside_the_root() {
        let dir = tempfile::tempdir().unwrap();
        let (root, file) = (dir.path().join("root"), dir.path().join("a"));
        assert!(matches!(apply(&Root::of(&root), &[FileEdit::create(&file, "1")]), Err(Error::Outside { .. })));
        assert!(!file.exists());
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_written_where_a_folder_or_the_root_became_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (top, outside) = (dir.path().join("top"), dir.path().join("outside"));
        fs::create_dir_all(top.join("x")).unwrap();
        fs::create_dir_all(outside.join("x")).unwrap();
        let root = Root::of(&top);
        let edits = [FileEdit::create(top.join("x/README.md"), "1")];
        fs::remove_dir(top.join("x")).unwrap();
        std::os::unix::fs::symlink(outside.join("x"), top.join("x")).unwrap();
        assert!(matches!(apply(&root, &edits), Err(Error::SymbolicLink { .. })));
        fs::remove_dir_all(&top).unwrap();
        std::os::unix::fs::symlink(&outside, &top).unwrap();
        assert!(matches!(apply(&root, &edits), Err(Error::SymbolicLink { .. })));
        assert!(fs::read_dir(outside.join("x")).unwrap().next().is_none());
    }

    #[test]
    fn a_file_whose_folder_fails_to_sync_is_taken_back() {
        let dir = tempfile::tempdir().unwrap();
        let (first, second) = (dir.path().join("first"), dir.path().join("second"));
        let edits = [FileEdit::create(&first, "1"), FileEdit::create(&second, "2")];
        let failed = |file: &Path| Error::io("sync the folder of", file)(io::Error::other("failed"));
        let sync = |file: &Path| if file.ends_with("second") { Err(failed(file)) } else { Ok(()) };
        let error = apply_and_sync(&Root::of(dir.path()), &edits, sync).unwrap_err();
        assert!(matches!(error, Error::Io { .. }), "{error}");
        assert!(!first.exists() && !second.exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_cannot_be_synced_is_no_failure() {
        for (number, so) in [(22, true), (95, true), (13, true), (5, false), (28, false)] {
            assert_eq!(cannot_be_synced(&io::Error::from_raw_os_error(number)), so, "{number}");
        }
    }
}
