//! One level of a directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Watch;
use super::pattern::EntryKind;
use super::scan::{STEP, check};
use crate::resources::error::Error;

/// An entry of a directory.
pub(super) struct Entry {
    pub name: PathBuf,
    kind: EntryKind,
    pub is_link: bool,
}

impl Entry {
    /// The kinds it may be taken for: a symbolic link is not followed, so it may be either.
    pub fn kinds(&self) -> &[EntryKind] {
        match (self.is_link, self.kind) {
            (true, _) => &[EntryKind::Directory, EntryKind::File],
            (false, EntryKind::Directory) => &[EntryKind::Directory],
            (false, EntryKind::File) => &[EntryKind::File],
        }
    }
}

/// The entries of a directory in byte order.
pub(super) fn list(path: &Path, watch: &Watch<'_>) -> Result<Vec<Entry>, Error> {
    let meta = fs::metadata(path).map_err(Error::io("look at", path))?;
    if !meta.is_dir() {
        return Err(Error::io("read the directory", path)(io::Error::from(io::ErrorKind::NotADirectory)));
    }
    let mut entries = Vec::new();
    for entry in fs::read_dir(path).map_err(Error::io("read the directory", path))? {
        let entry = entry.map_err(Error::io("read the directory", path))?;
        let kind = entry.file_type().map_err(Error::io("look at", entry.path()))?;
        let is_link = kind.is_symlink();
        let kind = if kind.is_dir() { EntryKind::Directory } else { EntryKind::File };
        entries.push(Entry { name: entry.file_name().into(), kind, is_link });
        if entries.len().is_multiple_of(STEP) {
            check(watch)?;
        }
    }
    entries.sort_unstable_by(|a, b| a.name.as_os_str().as_encoded_bytes().cmp(b.name.as_os_str().as_encoded_bytes()));
    Ok(entries)
}
