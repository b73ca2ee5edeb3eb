//! Reading within bounds: a file up to a length, a folder up to a number of names. What is larger is not gathered and
//! then looked at, but refused with what it is and what to do, so that no file and no folder can take the machine's
//! memory. A file that is found is opened only when it is a regular one, so that no pipe can keep anybody waiting.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The longest file that people write: a manifest, a type, a configuration; in bytes.
pub const BY_HAND: u64 = 4 << 20;

/// The longest lock, in bytes: some 200,000 items.
pub const LOCK: u64 = 64 << 20;

/// The longest document of JSON, in bytes: a baseline, an exported registry, a package graph.
pub const DOCUMENT: u64 = 256 << 20;

/// The most names that a folder may have.
pub const NAMES: usize = 1_000_000;

/// Opens a file that was found, to read.
///
/// # Errors
/// When it cannot be opened; [`ErrorKind::InvalidInput`] for a pipe, a socket or a device, which is not opened.
pub fn open(file: &Path) -> io::Result<File> {
    open_as(file, File::options().read(true))
}

/// Opens a file that was found, or makes it.
///
/// # Errors
/// As [`open`].
pub fn open_as(file: &Path, how: &mut OpenOptions) -> io::Result<File> {
    // what is not there is made, or told by the opening
    if let Ok(found) = file.metadata() {
        regular(&found)?;
    }
    // a pipe may have come into its place since
    #[cfg(unix)]
    let how = {
        use std::os::unix::fs::OpenOptionsExt;
        how.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed())
    };
    let opened = how.open(file)?;
    regular(&opened.metadata()?)?;
    Ok(opened)
}

/// Refuses what is no regular file.
///
/// # Errors
/// What it is instead.
pub fn regular(found: &Metadata) -> io::Result<()> {
    if found.is_file() {
        Ok(())
    } else if found.is_dir() {
        Err(io::Error::new(ErrorKind::IsADirectory, "it is a directory"))
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "it is no regular file"))
    }
}

/// The whole of a file that was found, of at most so many bytes.
///
/// # Errors
/// As [`open`]; when it cannot be read; [`ErrorKind::FileTooLarge`] for one that is longer.
pub fn read(file: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_opened(open(file)?, most)
}

/// The whole of a file that the person named, of at most so many bytes: it may be a pipe, which is waited for.
///
/// # Errors
/// When it cannot be read; [`ErrorKind::FileTooLarge`] for one that is longer.
pub fn read_named(file: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_opened(File::open(file)?, most)
}

fn read_opened(file: File, most: u64) -> io::Result<Vec<u8>> {
    // a pipe has no length; a file that grows is stopped below
    if file.metadata()?.len() > most {
        return Err(too_long(most));
    }
    read_from(file, most)
}

/// All that comes, when that is at most so many bytes.
///
/// # Errors
/// As [`read`].
pub fn read_from(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(too_long(most)) } else { Ok(bytes) }
}

fn too_long(most: u64) -> io::Error {
    io::Error::new(ErrorKind::FileTooLarge, format!("it is longer than {} MiB, the most that is read here", most >> 20))
}

/// The most bytes that the names of a listing from git may have together.
pub const LISTING: usize = 256 << 20;

/// The longest path of a listing from git, in bytes.
pub const PATH: u64 = 64 << 10;

pub(crate) fn names_too_long() -> io::Error {
    let message = format!("its names are longer than {} MiB together, the most that is listed", LISTING >> 20);
    io::Error::new(ErrorKind::FileTooLarge, message)
}

pub(crate) fn path_too_long() -> io::Error {
    let message = format!("it holds a path longer than {} KiB, the longest that is listed", PATH >> 10);
    io::Error::new(ErrorKind::FileTooLarge, message)
}

/// A listing that ends with an error after [`NAMES`] entries.
pub fn listed<T>(listing: impl Iterator<Item = io::Result<T>>) -> impl Iterator<Item = io::Result<T>> {
    listing.take(NAMES + 1).enumerate().map(|(nth, entry)| if nth < NAMES { entry } else { Err(too_many()) })
}

fn too_many() -> io::Error {
    let message = format!("it holds more than {NAMES} names, the most that is listed; spread them over folders");
    io::Error::new(ErrorKind::FileTooLarge, message)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn a_file_is_read_up_to_a_length_and_one_that_is_longer_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("x");
        std::fs::write(&file, "1234").unwrap();
        assert_eq!(read(&file, 4).unwrap(), b"1234");
        assert_eq!(read(&file, 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
        // one that has no length, or had another one when it was opened
        assert_eq!(read_from(&b"1234"[..], 4).unwrap(), b"1234");
        assert_eq!(read_from(io::repeat(0), 1000).unwrap_err().kind(), ErrorKind::FileTooLarge);
        File::create(&file).unwrap().set_len(BY_HAND + 1).unwrap();
        assert_eq!(
            read(&file, BY_HAND).unwrap_err().to_string(),
            "it is longer than 4 MiB, the most that is read here"
        );
    }

    #[test]
    fn of_ten_million_names_no_more_are_taken_than_may_be() {
        let asked = Cell::new(0);
        let names = (0..10_000_000).map(|name| {
            asked.set(asked.get() + 1);
            Ok(name)
        });
        let error = listed(names).collect::<io::Result<Vec<u32>>>().unwrap_err();
        assert!(error.to_string().starts_with("it holds more than 1000000 names"), "{error}");
        assert_eq!(asked.get(), NAMES + 1);
        assert_eq!(listed((0..NAMES).map(Ok)).filter_map(Result::ok).count(), NAMES);
    }
}
