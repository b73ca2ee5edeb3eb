//! Files of the layer, read without ever following a link.

use std::collections::HashMap;
use std::fs::{self, File, FileType};
use std::io::{self, Read};
#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, ScopedJoinHandle};

use super::document::{self, Head, is_readme};
use super::front_matter::{HEAD, Split, split};
use super::model::{Class, Document, RepoPath, parent_of};
use super::schema::Notes;
use crate::bounded;

/// How much of a file is read at first; nearly every block fits.
const FIRST: usize = 4096;

/// What a Markdown file of the layer turned out to be.
#[derive(Debug)]
pub(super) enum Found {
    /// A file that is no document.
    Plain,
    /// A document, sound or broken.
    Document(Arc<Document>),
    /// It is not there.
    Gone,
    /// A link, a folder, a pipe ...: it is not opened.
    Refused(&'static str),
}

/// The place of a repository path on the disk.
pub(super) fn at(top: &Path, path: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        top.join(std::ffi::OsStr::from_bytes(path))
    }
    #[cfg(not(unix))]
    {
        top.join(String::from_utf8_lossy(path).as_ref())
    }
}

/// The bytes of a name on the disk, with forward slashes.
pub(super) fn bytes(path: &Path) -> Vec<u8> {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        path.as_os_str().as_bytes().to_vec()
    }
    #[cfg(not(unix))]
    {
        path.to_string_lossy().replace('\\', "/").into_bytes()
    }
}

/// What is not a plain file, in words.
pub(super) const LINK: &str = "a symbolic link";
pub(super) const FOLDER: &str = "a folder";
pub(super) const PIPE: &str = "a pipe, socket or device";

/// What is not a plain file, in words.
pub(super) fn kind(file_type: FileType) -> Option<&'static str> {
    if file_type.is_file() {
        None
    } else if file_type.is_symlink() {
        Some(LINK)
    } else if file_type.is_dir() {
        Some(FOLDER)
    } else {
        Some(PIPE)
    }
}

/// What is known of a file before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// It was listed as a plain file, by git or by its folder.
    Listed,
    /// It may not be there, or be no file.
    Unseen,
}

/// Files that were read together, with their number in the order of all.
type Batch = (usize, Vec<(RepoPath, Found)>);

/// How many files are handed to a worker at a time.
const BATCH: usize = 256;

/// Reads Markdown files, in parallel, each into what it is, in the order of the paths.
pub(super) fn read_all(top: &Path, paths: Vec<RepoPath>, sight: Sight) -> Vec<(RepoPath, Found)> {
    read_while(top, sight, |take| paths.into_iter().for_each(take)).1
}

/// Reads Markdown files, in parallel, while their paths are still being found; gives what finding them came to, and
/// the files in the order in which they were found.
pub(super) fn read_while<T>(
    top: &Path,
    sight: Sight,
    find: impl FnOnce(&mut dyn FnMut(RepoPath)) -> T,
) -> (T, Vec<(RepoPath, Found)>) {
    let (send, receive) = mpsc::channel::<(usize, Vec<RepoPath>)>();
    let receive = Mutex::new(receive);
    let work = || {
        let mut reader = Reader::new(top);
        let mut read = Vec::new();
        // the lock is held while waiting, and let go before reading
        let next = || receive.lock().ok().and_then(|receive| receive.recv().ok());
        while let Some((number, paths)) = next() {
            let found = paths.into_iter().map(|path| (reader.read(&path, sight), path));
            read.push((number, found.map(|(found, path)| (path, found)).collect::<Vec<_>>()));
        }
        read
    };
    thread::scope(|scope| {
        let workers = thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let (mut number, mut batch) = (0, Vec::with_capacity(BATCH));
        let came = find(&mut |path| {
            batch.push(path);
            if batch.len() == BATCH {
                // the workers listen until the sender is gone
                let _ = send.send((number, std::mem::replace(&mut batch, Vec::with_capacity(BATCH))));
                number += 1;
            }
        });
        let _ = send.send((number, batch));
        drop(send);
        let join = |worker: ScopedJoinHandle<'_, Vec<Batch>>| match worker.join() {
            Ok(read) => read,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        let mut read: Vec<Batch> = workers.into_iter().flat_map(join).collect();
        read.sort_by_key(|(number, _)| *number);
        (came, read.into_iter().flat_map(|(_, found)| found).collect())
    })
}

/// What is at a path.
enum Look {
    File { size: u64 },
    Other(&'static str),
    Gone,
}

/// How many folders apart those are that stay open, and how many do.
#[cfg(target_os = "linux")]
const STRIDE: usize = 5;
#[cfg(target_os = "linux")]
const STOPS: usize = 8;

/// Reads files below a folder, and follows no link on the way.
pub(super) struct Reader<'a> {
    top: &'a Path,
    /// The folder itself, where the system can open files relative to it without following links.
    #[cfg(target_os = "linux")]
    handle: Option<OwnedFd>,
    /// Every fifth folder on the way to the file read last, kept open: files come in order, and the long way from the
    /// top to each is much of what opening it costs.
    #[cfg(target_os = "linux")]
    stops: [Option<(Vec<u8>, OwnedFd)>; STOPS],
    /// Which folders were seen to be real ones, for systems that cannot.
    folders: HashMap<Vec<u8>, bool>,
    buffer: Vec<u8>,
}

impl<'a> Reader<'a> {
    pub fn new(top: &'a Path) -> Reader<'a> {
        Reader {
            top,
            #[cfg(target_os = "linux")]
            handle: File::open(top).ok().map(Into::into),
            #[cfg(target_os = "linux")]
            stops: Default::default(),
            folders: HashMap::new(),
            buffer: Vec::new(),
        }
    }

    /// Reads one file.
    pub fn read(&mut self, path: &RepoPath, sight: Sight) -> Found {
        // one that was listed is opened at once, and whatever is odd about it then is looked at with care
        let opened = match sight {
            Sight::Listed => self.open(path).ok().flatten().and_then(|file| Some((file.metadata().ok()?, file))),
            Sight::Unseen => None,
        };
        if let Some((meta, file)) = opened {
            return match kind(meta.file_type()) {
                Some(kind) => Found::Refused(kind),
                None => self.found(path, file, meta.len()),
            };
        }
        let size = match self.look(path) {
            Ok(Look::File { size }) => size,
            Ok(Look::Other(kind)) => return Found::Refused(kind),
            Ok(Look::Gone) => return Found::Gone,
            Err(error) => return unreadable(path, &error),
        };
        match self.open(path) {
            Ok(Some(file)) => self.found(path, file, size),
            Ok(None) => Found::Gone,
            Err(error) if is_gone(&error) => Found::Gone,
            Err(error) => unreadable(path, &error),
        }
    }

    /// What a file of a size holds.
    fn found(&mut self, path: &RepoPath, file: File, size: u64) -> Found {
        if let Err(error) = head(file, size, &mut self.buffer) {
            return unreadable(path, &error);
        }
        let head = Head { bytes: &self.buffer, size: size.max(self.buffer.len() as u64) };
        document::read(path, head).map_or(Found::Plain, |document| Found::Document(Arc::new(document)))
    }

    /// What is at a path, a link told as one.
    #[cfg(target_os = "linux")]
    fn look(&mut self, path: &RepoPath) -> io::Result<Look> {
        use rustix::fs::{AtFlags, FileType, statat};
        let Some((handle, path_there)) = self.nearest(path) else { return self.look_from_the_root(path) };
        match statat(handle, path_there, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(match FileType::from_raw_mode(stat.st_mode) {
                FileType::RegularFile => Look::File { size: u64::try_from(stat.st_size).unwrap_or(0) },
                FileType::Symlink => Look::Other(LINK),
                FileType::Directory => Look::Other(FOLDER),
                _ => Look::Other(PIPE),
            }),
            Err(error) if is_gone(&error.into()) => Ok(Look::Gone),
            Err(error) => Err(error.into()),
        }
    }

    /// The open folder that is nearest above a file, no link on the way, and the file's path from there.
    #[cfg(target_os = "linux")]
    fn nearest<'p>(&mut self, path: &'p RepoPath) -> Option<(&OwnedFd, &'p [u8])> {
        use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
        let handle = self.handle.as_ref()?;
        let whole = path.as_bytes();
        let slashes = whole.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        // not the file's own folder, in which few files lie
        let folders = slashes.clone().count().saturating_sub(1);
        let Some(stop) = (folders / STRIDE).min(STOPS).checked_sub(1) else { return Some((handle, whole)) };
        let end = slashes.clone().nth((stop + 1) * STRIDE - 1).unwrap_or_default();
        let (folder, rest) = (&whole[..end], &whole[end + 1..]);
        let kept = &mut self.stops[stop];
        if kept.as_ref().is_none_or(|(path, _)| path != folder) {
            let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let opened = openat2(handle, folder, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS);
            *kept = opened.ok().map(|opened| (folder.to_owned(), opened));
        }
        // whatever is odd about a folder shows on the whole way
        Some(kept.as_ref().map_or((handle, whole), |(_, opened)| (opened, rest)))
    }

    #[cfg(not(target_os = "linux"))]
    fn look(&mut self, path: &RepoPath) -> io::Result<Look> {
        self.look_from_the_root(path)
    }

    fn look_from_the_root(&self, path: &RepoPath) -> io::Result<Look> {
        match at(self.top, path.as_bytes()).symlink_metadata() {
            Ok(meta) => Ok(kind(meta.file_type()).map_or(Look::File { size: meta.len() }, Look::Other)),
            Err(error) if is_gone(&error) => Ok(Look::Gone),
            Err(error) => Err(error),
        }
    }

    /// The file at a path; `None` when a link is on the way to it.
    fn open(&mut self, path: &RepoPath) -> io::Result<Option<File>> {
        #[cfg(target_os = "linux")]
        if let Some((handle, path_there)) = self.nearest(path) {
            use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
            use rustix::io::Errno;
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
            match openat2(handle, path_there, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
                Ok(file) => return Ok(Some(file.into())),
                Err(Errno::LOOP) => return Ok(None),
                // an old kernel, or a sandbox that does not know the call: the long way round
                Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => self.handle = None,
                Err(error) => return Err(error.into()),
            }
        }
        let real = path.parent().is_none_or(|folder| self.is_real(folder));
        if !real || !matches!(self.look_from_the_root(path)?, Look::File { .. }) {
            return Ok(None);
        }
        bounded::open(&at(self.top, path.as_bytes())).map(Some)
    }

    /// Whether a folder and all above it are folders, and no links to one.
    fn is_real(&mut self, folder: &[u8]) -> bool {
        if let Some(real) = self.folders.get(folder) {
            return *real;
        }
        let real = parent_of(folder).is_none_or(|above| self.is_real(above))
            && at(self.top, folder).symlink_metadata().is_ok_and(|meta| meta.is_dir());
        self.folders.insert(folder.to_owned(), real);
        real
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A file that cannot be read: as a README.md it is a broken document, else it is just a file.
fn unreadable(path: &RepoPath, error: &io::Error) -> Found {
    if !is_readme(path.as_bytes()) {
        return Found::Plain;
    }
    let text = path.text();
    let mut notes = Notes::new(&text);
    notes.refuse(Class::InvalidFrontMatter, format!("cannot be read: {error}")).fix =
        Some("make the file readable".to_owned());
    let mut document = Document::broken(path.clone(), Class::InvalidFrontMatter);
    document.findings = notes.findings;
    Found::Document(Arc::new(document))
}

/// Reads the head of a file of a size into the buffer: its first bytes, or as many as a block needs.
fn head(mut file: File, size: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
    buffer.clear();
    for most in [FIRST, HEAD] {
        let already = buffer.len();
        // a file of the size it had is read with one call
        buffer.resize(most, 0);
        let mut filled = already;
        while filled < most && (filled as u64) < size.max(1) {
            match file.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        buffer.truncate(filled);
        if filled < most || !matches!(split(buffer), Split::Open { .. }) {
            break;
        }
    }
    Ok(())
}

/// The whole of a file, at most this many bytes, links refused.
pub(super) fn whole(top: &Path, path: &RepoPath, most: u64) -> io::Result<Vec<u8>> {
    let mut reader = Reader::new(top);
    let refused = || io::Error::other("it is a link, or no plain file");
    match reader.look(path)? {
        Look::File { .. } => {}
        Look::Gone => return Err(io::ErrorKind::NotFound.into()),
        Look::Other(_) => return Err(refused()),
    }
    let file = reader.open(path)?.ok_or_else(refused)?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// An entry of a folder on the disk.
#[derive(Debug)]
pub(super) enum Entry {
    File(Vec<u8>),
    Link(Vec<u8>),
    /// A folder with a git repository of its own, closed.
    Repository(Vec<u8>),
    /// A pipe, socket or device.
    Other(Vec<u8>),
    /// A folder that could not be read.
    Unreadable(Vec<u8>, io::Error),
}

/// Everything below a folder, without following a link, without `.git`, and without one folder.
pub(super) fn walk(top: &Path, root: &RepoPath, without: &[u8]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut open = vec![root.as_bytes().to_vec()];
    while let Some(folder) = open.pop() {
        // what has vanished since it was listed has no type
        let entry = |entry: io::Result<fs::DirEntry>| match entry.map(|entry| (entry.file_type(), entry)) {
            Ok((kind, entry)) => kind.ok().map(|kind| Ok((bytes(Path::new(&entry.file_name())), kind))),
            Err(error) => Some(Err(error)),
        };
        let listing = fs::read_dir(at(top, &folder)).and_then(|listing| gather(listing.filter_map(entry)));
        let mut inside = match listing {
            Ok(inside) => inside,
            Err(error) => {
                entries.push(Entry::Unreadable(folder, error));
                continue;
            }
        };
        if inside.iter().any(|(name, _)| name == b".git") && folder != root.as_bytes() {
            entries.push(Entry::Repository(folder));
            continue;
        }
        inside.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (name, file_type) in inside.into_iter().filter(|(name, _)| name != b".git") {
            let path = [&folder[..], b"/", &name].concat();
            match file_type {
                _ if path == without => {}
                kind if kind.is_dir() => open.push(path),
                kind if kind.is_symlink() => entries.push(Entry::Link(path)),
                kind if kind.is_file() => entries.push(Entry::File(path)),
                _ => entries.push(Entry::Other(path)),
            }
        }
    }
    entries
}

/// A name in a folder and what it is.
type Named = (Vec<u8>, FileType);

/// What a listing gives, unless that is more than any folder may have.
fn gather(listing: impl Iterator<Item = io::Result<Named>>) -> io::Result<Vec<Named>> {
    bounded::listed(listing).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A reader as on this system, and one that goes the long way round.
    fn readers(top: &Path) -> Vec<Reader<'_>> {
        #[cfg_attr(not(target_os = "linux"), expect(unused_mut))]
        let mut long = Reader::new(top);
        #[cfg(target_os = "linux")]
        {
            long.handle = None;
        }
        vec![Reader::new(top), long]
    }

    #[test]
    fn a_file_is_read_at_any_depth_and_no_link_on_the_way_to_it_is_followed() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        let deep = |root: &str, depth: usize| format!("{root}{}", "/d".repeat(depth));
        fs::create_dir_all(top.join(deep("real", 60))).unwrap();
        for depth in 0..=60 {
            fs::write(top.join(deep("real", depth)).join("README.md"), "---\nid: x\n---\n").unwrap();
        }
        for above in [1, 4, 5, 6, 12, 44] {
            let folder = top.join(deep(&format!("linked{above}"), above));
            fs::create_dir_all(folder.parent().unwrap()).unwrap();
            symlink(top.join("real"), folder).unwrap();
        }
        for mut reader in readers(top) {
            // to and fro, so that what stays open is changed and met again
            for depth in (0..=60).chain((0..=60).rev()) {
                let path = RepoPath::from(format!("{}/README.md", deep("real", depth)).as_bytes());
                for sight in [Sight::Listed, Sight::Unseen] {
                    assert!(matches!(reader.read(&path, sight), Found::Document(_)), "{path}");
                    for above in [1, 4, 5, 6, 12, 44] {
                        let path = format!("{}/README.md", deep(&format!("linked{above}"), above + depth));
                        let found = reader.read(&RepoPath::from(path.as_bytes()), sight);
                        assert!(!matches!(found, Found::Document(_) | Found::Plain), "{path}: {found:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_folder_of_ten_million_names_is_told_and_not_gathered() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let kind = file.as_file().metadata().unwrap().file_type();
        let asked = std::cell::Cell::new(0);
        let names = (0..10_000_000_u32).map(|nth| {
            asked.set(asked.get() + 1);
            Ok((nth.to_string().into_bytes(), kind))
        });
        assert!(gather(names).unwrap_err().to_string().contains("more than 1000000 names"));
        assert_eq!(asked.get(), bounded::NAMES + 1);
    }

    #[test]
    fn no_link_is_followed_wherever_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        fs::create_dir_all(top.join("real/README.md.d")).unwrap();
        fs::write(top.join("real/README.md"), "# text").unwrap();
        fs::create_dir(top.join("folder")).unwrap();
        fs::create_dir(top.join("folder/README.md")).unwrap();
        fs::create_dir(top.join("link")).unwrap();
        symlink("../real/README.md", top.join("link/README.md")).unwrap();
        symlink("real", top.join("linked")).unwrap();
        for mut reader in readers(top) {
            for sight in [Sight::Listed, Sight::Unseen] {
                let mut read = |path: &str| reader.read(&path.into(), sight);
                assert!(matches!(read("real/README.md"), Found::Document(_)));
                assert!(matches!(read("link/README.md"), Found::Refused(LINK)));
                assert!(matches!(read("folder/README.md"), Found::Refused(FOLDER)));
                assert!(matches!(read("linked/README.md"), Found::Gone));
                assert!(matches!(read("none/README.md"), Found::Gone));
                assert!(matches!(read("real/README.md/x"), Found::Gone));
            }
        }
        assert!(whole(top, &"linked/README.md".into(), 10).is_err());
        assert_eq!(whole(top, &"real/README.md".into(), 3).unwrap(), b"# t");
    }

    #[test]
    fn a_head_is_read_as_far_as_a_block_needs() {
        let dir = tempfile::tempdir().unwrap();
        let read = |text: &str| {
            fs::write(dir.path().join("a"), text).unwrap();
            let mut buffer = Vec::new();
            head(File::open(dir.path().join("a")).unwrap(), text.len() as u64, &mut buffer).unwrap();
            buffer.len()
        };
        assert_eq!(read("short"), 5);
        assert_eq!(read(&"x".repeat(10_000)), FIRST);
        assert_eq!(read(&format!("---\n---\n{}", "x".repeat(10_000))), FIRST);
        assert_eq!(read(&format!("---\n{}", "x".repeat(10_000))), 10_004);
        assert_eq!(read(&format!("---\n{}", "x".repeat(100_000))), HEAD);
    }
}
