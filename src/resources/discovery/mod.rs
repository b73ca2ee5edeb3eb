//! Finding the children of a resource: on disk, in git, or as placeholders.
//!
//! A discovery first looks (`scan`): every directory it goes into is read before anything is written, so that a
//! failure leaves the registry as it was. Then it writes, in bounded transactions that check again what is there: a run
//! that is stopped or killed leaves complete rows, and the next run goes on. The key of a child is its type and
//! location (of a placeholder its parent and type), so that a second run makes nothing twice.

mod directory;
mod git;
pub mod pattern;
mod scan;
mod write;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use serde::Serialize;

use super::model::Resource;

/// How far a discovery goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The direct children.
    OneLevel,
    /// Also the children of what was found, down to so many levels.
    Recursive {
        /// How many levels.
        depth: usize,
    },
}

/// What a discovery is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discover {
    /// How far to go.
    pub reach: Reach,
    /// How many resources to make at most.
    pub most: Option<u64>,
}

impl Discover {
    /// The direct children, all of them.
    pub const ONE_LEVEL: Discover = Discover { reach: Reach::OneLevel, most: None };

    /// Recursive, with the limits that hold when nothing is said: 16 levels, 100,000 resources.
    pub const RECURSIVE: Discover = Discover { reach: Reach::Recursive { depth: 16 }, most: Some(100_000) };
}

/// What a discovery did, or would do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Discovery {
    /// The resources that were made.
    pub created: Vec<Resource>,
    /// Resources that were there and have been linked.
    pub linked: Vec<Resource>,
    /// Discovered resources whose entries have vanished; they are kept.
    pub stale: Vec<Resource>,
    /// What was left out, and why.
    pub skipped: Vec<Skip>,
}

/// Something a discovery left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Skip {
    /// The rule, as its type and pattern; none when it is about more than one.
    pub rule: Option<String>,
    /// Why.
    pub reason: String,
    /// The entry, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// How many more there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<u64>,
}

/// How far a running discovery is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Entries found so far.
    pub found: u64,
    /// Entries written or known to be there; zero while it still looks.
    pub done: u64,
}

/// How a running discovery is watched and stopped.
pub struct Watch<'a> {
    /// Set to stop it; it stops soon, and says what it had done.
    pub cancel: &'a AtomicBool,
    /// Told now and then, on the thread that runs it.
    pub progress: &'a dyn Fn(Progress),
}

/// How a location says that its bytes are not UTF-8 text.
const ESCAPED: &str = "bytes:";

/// A path as a location: its text, or for bytes that are not UTF-8 an escaped form that [`path_of`] turns back.
///
/// ```
/// use std::path::Path;
/// use dagwood::resources::{location_of, path_of};
/// assert_eq!(location_of(Path::new("/a b")), "/a b");
/// assert_eq!(path_of("/a b").unwrap(), Path::new("/a b"));
/// ```
pub fn location_of(path: &Path) -> String {
    match path.to_str() {
        Some(text) => text.to_owned(),
        None => format!("{ESCAPED}{}", escape(path.as_os_str().as_encoded_bytes())),
    }
}

/// The path a location means; `None` for an address (`postgres://...`).
pub fn path_of(location: &str) -> Option<PathBuf> {
    if let Some(escaped) = location.strip_prefix(ESCAPED) {
        return unescape(escaped).and_then(path_from);
    }
    (!location.contains("://")).then(|| PathBuf::from(location))
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere not every sequence of bytes is a path")]
fn path_from(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

#[cfg(not(unix))]
fn path_from(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

/// UTF-8 as it is, all other bytes and `%` as `%FF`.
pub(crate) fn escape(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + 8);
    for chunk in bytes.utf8_chunks() {
        out.push_str(&chunk.valid().replace('%', "%25"));
        for byte in chunk.invalid() {
            // writing to a string cannot fail
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let digits = [bytes.next()?, bytes.next()?];
        out.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    Some(out)
}

/// Whether one location is a path directly inside the other, or something of the repository that is there.
pub(crate) fn lies_directly_in(inner: Option<&str>, outer: Option<&str>) -> bool {
    let (Some(inner), Some(outer)) = (inner, outer.and_then(path_of)) else { return false };
    match path_of(inner) {
        Some(inner) => inner.parent() == Some(&outer),
        None => inner.starts_with(&git::address(&outer, "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn any_path_comes_back_from_its_location() {
        use std::os::unix::ffi::OsStrExt;
        for bytes in [&b"/w/a\xffb%41"[..], b"/w/plain", b"/w/new\nline", b"/w/100%"] {
            let path = Path::new(std::ffi::OsStr::from_bytes(bytes));
            let location = location_of(path);
            assert_eq!(path_of(&location).as_deref(), Some(path), "{location}");
        }
    }

    #[test]
    fn addresses_and_broken_escapes_are_no_paths() {
        assert_eq!(path_of("postgres://host/db"), None);
        assert_eq!(path_of("bytes:/a%f"), None);
        assert_eq!(path_of("bytes:/a%zz"), None);
    }

    #[test]
    fn directly_in_means_one_step() {
        assert!(lies_directly_in(Some("/w/a"), Some("/w")));
        assert!(lies_directly_in(Some("/w/a"), Some("/w/")));
        assert!(!lies_directly_in(Some("/w/a/b"), Some("/w")));
        assert!(!lies_directly_in(Some("/w"), Some("/w")));
        assert!(!lies_directly_in(None, Some("/w")));
    }
}
