//! Files of the layer, read without ever following a link.

use std::collections::HashMap;
use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use super::document::{self, Head, is_readme};
use super::front_matter::{HEAD, Split, split};
use super::model::{Class, Document, RepoPath, parent_of};
use super::schema::Notes;

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

/// Reads Markdown files, in parallel, each into what it is; the answers are in the order of the paths.
pub(super) fn read_all(top: &Path, paths: &[RepoPath]) -> Vec<Found> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let share = paths.len().div_ceil(workers).max(256);
    if paths.len() <= share {
        return Reader::new(top).read_some(paths);
    }
    thread::scope(|scope| {
        let started: Vec<_> =
            paths.chunks(share).map(|some| scope.spawn(move || Reader::new(top).read_some(some))).collect();
        // a worker cannot panic; were it to, its files would count as plain ones
        let answers = started.into_iter().zip(paths.chunks(share));
        answers
            .flat_map(|(worker, some)| worker.join().unwrap_or_else(|_| some.iter().map(|_| Found::Plain).collect()))
            .collect()
    })
}

/// What is at a path.
enum Look {
    File { size: u64 },
    Other(&'static str),
    Gone,
}

/// Reads files below a folder, and follows no link on the way.
pub(super) struct Reader<'a> {
    top: &'a Path,
    /// The folder itself, where the system can open files relative to it without following links.
    #[cfg(target_os = "linux")]
    handle: Option<std::os::fd::OwnedFd>,
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
            folders: HashMap::new(),
            buffer: Vec::new(),
        }
    }

    fn read_some(&mut self, paths: &[RepoPath]) -> Vec<Found> {
        paths.iter().map(|path| self.read(path)).collect()
    }

    /// Reads one file.
    pub fn read(&mut self, path: &RepoPath) -> Found {
        let size = match self.look(path) {
            Ok(Look::File { size }) => size,
            Ok(Look::Other(kind)) => return Found::Refused(kind),
            Ok(Look::Gone) => return Found::Gone,
            Err(error) => return unreadable(path, &error),
        };
        let mut buffer = std::mem::take(&mut self.buffer);
        let found = match self.open(path).and_then(|file| file.map(|file| head(file, size, &mut buffer)).transpose()) {
            Ok(Some(())) => {
                let head = Head { bytes: &buffer, size: size.max(buffer.len() as u64) };
                document::read(path, head).map_or(Found::Plain, |document| Found::Document(Arc::new(document)))
            }
            Ok(None) => Found::Gone,
            Err(error) if is_gone(&error) => Found::Gone,
            Err(error) => unreadable(path, &error),
        };
        self.buffer = buffer;
        found
    }

    /// What is at a path, a link told as one.
    #[cfg(target_os = "linux")]
    fn look(&self, path: &RepoPath) -> io::Result<Look> {
        use rustix::fs::{AtFlags, FileType, statat};
        let Some(handle) = &self.handle else { return self.look_from_the_root(path) };
        match statat(handle, path.as_bytes(), AtFlags::SYMLINK_NOFOLLOW) {
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

    #[cfg(not(target_os = "linux"))]
    fn look(&self, path: &RepoPath) -> io::Result<Look> {
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
        if let Some(handle) = &self.handle {
            use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
            use rustix::io::Errno;
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
            match openat2(handle, path.as_bytes(), flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
                Ok(file) => return Ok(Some(file.into())),
                Err(Errno::LOOP) => return Ok(None),
                // an old kernel, or a sandbox that does not know the call: the long way round
                Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => self.handle = None,
                Err(error) => return Err(error.into()),
            }
        }
        if !path.parent().is_none_or(|folder| self.is_real(folder)) {
            return Ok(None);
        }
        File::open(at(self.top, path.as_bytes())).map(Some)
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
        let listing = match fs::read_dir(at(top, &folder)) {
            Ok(listing) => listing,
            Err(error) => {
                entries.push(Entry::Unreadable(folder, error));
                continue;
            }
        };
        let mut inside: Vec<(Vec<u8>, FileType)> = listing
            .flatten()
            .filter_map(|entry| Some((bytes(Path::new(&entry.file_name())), entry.file_type().ok()?)))
            .collect();
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
