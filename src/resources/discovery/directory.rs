//! One level of a directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Watch;
use super::pattern::EntryKind;
use super::scan::{STEP, check};
use crate::bounded;
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
    let listing = fs::read_dir(path).map_err(Error::io("read the directory", path))?;
    let entry = |entry: io::Result<fs::DirEntry>| {
        let entry = entry?;
        let kind = entry.file_type()?;
        let is_link = kind.is_symlink();
        let kind = if kind.is_dir() { EntryKind::Directory } else { EntryKind::File };
        Ok(Entry { name: entry.file_name().into(), kind, is_link })
    };
    gather(path, listing.map(entry), watch)
}

/// The entries that a listing gives, in byte order.
fn gather(
    path: &Path,
    listing: impl Iterator<Item = io::Result<Entry>>,
    watch: &Watch<'_>,
) -> Result<Vec<Entry>, Error> {
    let mut entries = Vec::new();
    for entry in bounded::listed(listing) {
        entries.push(entry.map_err(Error::io("read the directory", path))?);
        if entries.len().is_multiple_of(STEP) {
            check(watch)?;
        }
    }
    entries.sort_unstable_by(|a, b| a.name.as_os_str().as_encoded_bytes().cmp(b.name.as_os_str().as_encoded_bytes()));
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    /// Ten million files, made as they are asked for.
    fn ten_million(asked: &Cell<usize>) -> impl Iterator<Item = io::Result<Entry>> + '_ {
        (0..10_000_000).map(|nth| {
            asked.set(asked.get() + 1);
            Ok(Entry { name: format!("{nth:08}").into(), kind: EntryKind::File, is_link: false })
        })
    }

    #[test]
    fn a_directory_of_ten_million_entries_is_told_and_not_gathered() {
        let (asked, cancel) = (Cell::new(0), AtomicBool::new(false));
        let watch = Watch { cancel: &cancel, progress: &|_| {} };
        let told = gather(Path::new("/big"), ten_million(&asked), &watch).err().unwrap().to_string();
        assert!(told.contains("/big") && told.contains("more than 1000000 names"), "{told}");
        assert_eq!(asked.get(), bounded::NAMES + 1);
    }

    #[test]
    fn a_listing_is_stopped_within_a_step() {
        let (asked, cancel) = (Cell::new(0), AtomicBool::new(true));
        let watch = Watch { cancel: &cancel, progress: &|_| {} };
        assert!(matches!(gather(Path::new("/big"), ten_million(&asked), &watch), Err(Error::Cancelled(_))));
        assert!(cancel.load(Ordering::Relaxed) && asked.get() <= STEP);
    }
}
