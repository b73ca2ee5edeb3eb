//! Writing a plan to the disk: each file whole or not at all, all files or none.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

use super::{Error, FileEdit, Root, disk};
use crate::bounded;

/// How the name of a temporary file begins and ends.
const TEMPORARY: [&str; 2] = [".dagwood-", ".tmp"];

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
    root.check(edits)?;
    let mut applied = Applied { root: root.clone(), done: Vec::with_capacity(edits.len()) };
    for edit in edits {
        if let Err(error) = put(edit) {
            return Err(applied.taken_back(error));
        }
        applied.done.push(edit.clone());
        if let Err(error) = sync_folder_of(&edit.file) {
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
            disk::remove(file).map_err(Error::io("remove", file))?;
            remove_made_folders(edit);
            Ok(())
        }
        None => Ok(()),
        Some(content) => persist(file, content, edit.before.is_some()).inspect_err(|_| remove_made_folders(edit)),
    }
}

/// Takes away the folders that writing a file made. One that is not empty stays, and so do those above it.
fn remove_made_folders(edit: &FileEdit) {
    let Some(top) = &edit.makes else { return };
    let made = edit.file.ancestors().skip(1).take_while(|folder| folder.starts_with(top));
    let stays = |folder| disk::remove_folder(folder).is_err_and(|error| error.kind() != io::ErrorKind::NotFound);
    let _ = made.map(stays).find(|stays| *stays);
}

/// Takes away what a program left that was killed while it made these edits: temporary files beside them, and folders
/// it had made for files that are not there. What cannot be taken away stays, and the next one tries again.
pub(super) fn tidy(root: &Root, edits: &[FileEdit]) {
    if root.check(edits).is_err() {
        return;
    }
    let folders: BTreeSet<&Path> = edits.iter().filter_map(|edit| edit.file.parent()).collect();
    for entry in folders.into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten() {
        let [begin, end] = TEMPORARY;
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(begin) && name.ends_with(end));
        // one that is locked belongs to a program that is writing it
        let left = |file: &Path| bounded::open(file).is_ok_and(|file| file.try_lock().is_ok());
        if ours && entry.file_type().is_ok_and(|kind| kind.is_file()) && left(&entry.path()) {
            let _ = disk::remove(&entry.path());
        }
    }
    for edit in edits.iter().filter(|edit| edit.file.symlink_metadata().is_err()) {
        remove_made_folders(edit);
    }
}

/// What a file holds now; `None` where there is none. A link is refused, wherever it leads.
pub(super) fn now(file: &Path) -> Result<Option<Vec<u8>>, Error> {
    match file.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("look at", file)(error)),
        Ok(meta) if meta.file_type().is_symlink() => Err(Error::SymbolicLink { file: file.to_owned() }),
        Ok(meta) if !meta.is_file() => Err(Error::AlreadyExists { file: file.to_owned() }),
        Ok(_) => {
            let mut content = Vec::new();
            let read = bounded::open(file).and_then(|mut opened| opened.read_to_end(&mut content));
            read.map_err(Error::io("read", file))?;
            Ok(Some(content))
        }
    }
}

/// A temporary file beside the target, synced, then put in its place: with the old mode when it replaces one, and
/// without ever replacing one that appeared meanwhile when it does not.
fn persist(file: &Path, content: &[u8], replaces: bool) -> Result<(), Error> {
    let folder = file.parent().unwrap_or(Path::new("."));
    disk::make_folders(folder).map_err(Error::io("make the folder", folder))?;
    let mut builder = tempfile::Builder::new();
    let [begin, end] = TEMPORARY;
    builder.prefix(begin).suffix(end);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // as a plain `open` would make it: the process's umask takes away what it takes away
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let temporary = disk::create(&builder, folder).map_err(Error::io("write beside", file))?;
    disk::write(temporary.as_file(), content, file).map_err(Error::io("write", file))?;
    if replaces {
        let mode = fs::metadata(file).map_err(Error::io("look at", file))?.permissions();
        disk::set_mode(temporary.as_file(), &mode, file).map_err(Error::io("set the mode of", file))?;
    }
    disk::sync(temporary.as_file(), file).map_err(Error::io("sync", file))?;
    let placed = if replaces { disk::replace(temporary, file) } else { disk::place_new(temporary, file) };
    match placed {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Err(Error::AlreadyExists { file: file.to_owned() })
        }
        other => other.map_err(Error::io("put in place", file)),
    }
}

/// Makes the new name of a file itself durable, where the system can.
fn sync_folder_of(file: &Path) -> Result<(), Error> {
    let folder = file.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(Path::new("."));
    disk::sync_folder(folder).map_err(Error::io("sync the folder of", file))
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
    fn tidying_up_takes_what_was_left_and_nothing_that_is_being_written() {
        let dir = tempfile::tempdir().unwrap();
        let [left, busy, theirs] = [".dagwood-1.tmp", ".dagwood-2.tmp", "notes.tmp"].map(|name| dir.path().join(name));
        for file in [&left, &busy, &theirs] {
            fs::write(file, "x").unwrap();
        }
        let being_written = fs::File::open(&busy).unwrap();
        being_written.try_lock().unwrap();
        tidy(&Root::of(dir.path()), &[FileEdit::create(dir.path().join("a"), "1")]);
        assert!(!left.exists() && busy.exists() && theirs.exists());
    }
}
