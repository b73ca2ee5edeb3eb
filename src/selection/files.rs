//! The files of a source, on the disk or in a commit of a clone: listed and read alike. Links are never followed.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use crate::bounded;

/// What a name in a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    File,
    Folder,
    /// A link, a submodule, a socket: never an item.
    Other,
}

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    pub name: String,
    pub sort: Sort,
}

/// A folder of a source, where a package is. Paths go down from it, with `/`; `""` is the folder itself.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    source: Source,
    /// The folder inside the source; `""` for its top.
    base: String,
    /// Whether a path of its manifest may lead out of the source.
    bounds: Bounds,
}

/// Whether a path of a package's manifest may leave the source it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bounds {
    /// It may: the package was read from a local path.
    Open,
    /// It may not: the package came from a cache or from git.
    Closed,
}

#[derive(Clone, Debug)]
enum Source {
    Disk(PathBuf),
    Git(Arc<Commit>),
}

impl Tree {
    /// A folder of the disk.
    pub fn disk(folder: PathBuf, bounds: Bounds) -> Tree {
        Tree { source: Source::Disk(folder), base: String::new(), bounds }
    }

    /// The top of a commit.
    pub fn git(commit: Commit) -> Tree {
        Tree { source: Source::Git(Arc::new(commit)), base: String::new(), bounds: Bounds::Closed }
    }

    /// A folder below; `None` when there is none.
    pub fn below(&self, path: &str) -> Option<Tree> {
        self.is_folder(path).then(|| Tree { base: join(&self.base, path), ..self.clone() })
    }

    /// The folder a manifest in this one names by a relative or absolute path.
    ///
    /// `Err` when the path leads out of a source it may not leave.
    pub fn resolve(&self, path: &str) -> Result<Tree, OutOfSource> {
        match (&self.source, self.bounds) {
            (Source::Disk(folder), Bounds::Open) => {
                Ok(Tree::disk(plain(&folder.join(&self.base).join(path)), Bounds::Open))
            }
            (source, Bounds::Closed | Bounds::Open) => {
                let inside = climb(&self.base, path).ok_or(OutOfSource)?;
                let tree = Tree { base: inside, ..self.clone() };
                if let Source::Disk(folder) = source {
                    // a link in an archive could still lead out
                    let (top, here) = (folder.canonicalize(), folder.join(&tree.base).canonicalize());
                    if top.is_ok_and(|top| here.is_ok_and(|here| !here.starts_with(top))) {
                        return Err(OutOfSource);
                    }
                }
                Ok(tree)
            }
        }
    }

    /// Whether there is such a folder; one that is a link, or lies beyond one, is none.
    pub fn is_folder(&self, path: &str) -> bool {
        match &self.source {
            Source::Disk(top) => {
                let mut folder = top.join(&self.base);
                folder.is_dir()
                    && path.split('/').filter(|part| !part.is_empty()).all(|part| {
                        folder.push(part);
                        folder.symlink_metadata().is_ok_and(|meta| meta.is_dir())
                    })
            }
            Source::Git(commit) => commit.folders.contains_key(&join(&self.base, path)),
        }
    }

    /// What a folder holds, sorted by name. Names that are not UTF-8 are left out, as nothing can name them.
    pub fn list(&self, path: &str) -> io::Result<Vec<Listed>> {
        let at = join(&self.base, path);
        match &self.source {
            Source::Git(commit) => {
                let entries = commit.folders.get(&at).ok_or(io::ErrorKind::NotFound)?;
                Ok(entries.iter().map(|(name, sort, _)| Listed { name: name.clone(), sort: *sort }).collect())
            }
            Source::Disk(top) => {
                let mut listed = Vec::new();
                for entry in bounded::listed(top.join(at).read_dir()?) {
                    let entry = entry?;
                    let Ok(name) = entry.file_name().into_string() else { continue };
                    let sort = match entry.file_type()? {
                        kind if kind.is_file() => Sort::File,
                        kind if kind.is_dir() => Sort::Folder,
                        _ => Sort::Other,
                    };
                    listed.push(Listed { name, sort });
                }
                listed.sort_by(|a, b| a.name.cmp(&b.name));
                Ok(listed)
            }
        }
    }

    /// The first `most` bytes of a file.
    pub fn read(&self, path: &str, most: usize) -> io::Result<Vec<u8>> {
        let at = join(&self.base, path);
        match &self.source {
            Source::Git(commit) => commit.read(&at, most),
            Source::Disk(top) => {
                let file = top.join(at);
                if !file.symlink_metadata()?.is_file() {
                    return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
                }
                let mut content = Vec::new();
                bounded::open(&file)?.take(most as u64).read_to_end(&mut content)?;
                Ok(content)
            }
        }
    }

    /// The whole of a file of at most `most` bytes; one that is longer is refused, and not read as what it is not.
    pub fn whole(&self, path: &str, most: u64) -> io::Result<Vec<u8>> {
        let one_more = usize::try_from(most).map_or(usize::MAX, |most| most.saturating_add(1));
        bounded::read_from(&self.read(path, one_more)?[..], most)
    }

    /// Its folder, if it is on the disk.
    pub fn folder(&self) -> Option<PathBuf> {
        match &self.source {
            Source::Disk(top) if self.base.is_empty() => Some(top.clone()),
            Source::Disk(top) => Some(top.join(&self.base)),
            Source::Git(_) => None,
        }
    }

    /// How a file in it is named to people: from the project's folder where it lies in it.
    pub fn shown(&self, path: &str, project: &Path) -> String {
        let at = join(&self.base, path);
        match &self.source {
            Source::Disk(top) => {
                let file = if at.is_empty() { top.clone() } else { top.join(&at) };
                file.strip_prefix(project).unwrap_or(&file).to_string_lossy().into_owned()
            }
            Source::Git(commit) => format!("{}@{}:{at}", commit.clone.display(), &commit.id),
        }
    }
}

/// A path leads out of a source it may not leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutOfSource;

pub(super) fn join(base: &str, path: &str) -> String {
    match (base.is_empty(), path.is_empty()) {
        (true, _) => path.to_owned(),
        (_, true) => base.to_owned(),
        _ => format!("{base}/{path}"),
    }
}

/// A relative path taken from a folder inside a source, `None` when it leaves the source.
fn climb(base: &str, path: &str) -> Option<String> {
    let path = path.replace('\\', "/");
    if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        return None;
    }
    let mut parts: Vec<&str> = base.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// A path as short as it can be told: without `..`, unless a link on the way makes that another folder.
pub(super) fn plain(path: &Path) -> PathBuf {
    let short = normal(path);
    match (short.canonicalize(), path.canonicalize()) {
        (Ok(one), Ok(other)) if one != other => path.to_owned(),
        (Err(_), Ok(_)) => path.to_owned(),
        _ => short,
    }
}

/// A path without `.` and, as far as it can be told without looking, without `..`.
pub(super) fn normal(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// What each folder holds: name, sort, object.
type Folders = HashMap<String, Vec<(String, Sort, String)>>;

/// A commit of a clone, read through git's plumbing whatever is checked out.
#[derive(Debug)]
pub(super) struct Commit {
    clone: PathBuf,
    id: String,
    folders: Folders,
    reader: Mutex<Option<Reader>>,
}

#[derive(Debug)]
struct Reader {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Drop for Reader {
    fn drop(&mut self) {
        // it ends by itself once nothing more is asked, but must be waited for
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Commit {
    /// Opens a commit, or what is checked out when none is named.
    pub fn open(clone: &Path, commit: Option<&str>) -> io::Result<Commit> {
        let id = match commit {
            Some(id) if is_commit(id) => id.to_owned(),
            Some(id) => return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("`{id}` is no commit"))),
            None => {
                let head = run(git(clone)?.args(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]))?;
                String::from_utf8_lossy(&head).trim().to_owned()
            }
        };
        let mut folders: Folders = HashMap::from([(String::new(), Vec::new())]);
        let mut room = bounded::LISTING;
        listing(git(clone)?.args(["ls-tree", "-r", "-z", "--full-tree", &id]), |line| {
            let Some((head, path)) = std::str::from_utf8(line).ok().and_then(|line| line.split_once('\t')) else {
                return Ok(());
            };
            let mut head = head.split(' ');
            let sort = match head.next() {
                Some("100644" | "100755" | "100664") => Sort::File,
                _ => Sort::Other,
            };
            let object = head.nth(1).unwrap_or_default();
            add(&mut folders, &mut room, path, sort, object)
        })?;
        for names in folders.values_mut() {
            names.sort_by(|a, b| a.0.cmp(&b.0));
        }
        Ok(Commit { clone: clone.to_owned(), id, folders, reader: Mutex::new(None) })
    }

    /// The commit.
    pub fn id(&self) -> &str {
        &self.id
    }

    fn read(&self, path: &str, most: usize) -> io::Result<Vec<u8>> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let names = self.folders.get(folder).ok_or(io::ErrorKind::NotFound)?;
        let at = names.binary_search_by(|(listed, ..)| listed.as_str().cmp(name));
        let (_, sort, object) = &names[at.map_err(|_| io::ErrorKind::NotFound)?];
        if *sort != Sort::File {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let mut guard = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut reader = match guard.take() {
            Some(reader) => reader,
            None => self.start()?,
        };
        // a reader that failed in the middle of an answer is not asked again
        let content = reader.object(object, most)?;
        *guard = Some(reader);
        Ok(content)
    }

    fn start(&self) -> io::Result<Reader> {
        let mut command = git(&self.clone)?;
        command.args(["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(to), Some(from)) => Ok(Reader { child, to, from: BufReader::new(from) }),
            _ => Err(io::Error::other("git gave no pipes")),
        }
    }
}

impl Reader {
    fn object(&mut self, object: &str, most: usize) -> io::Result<Vec<u8>> {
        writeln!(self.to, "{object}")?;
        self.to.flush()?;
        let mut head = String::new();
        self.from.read_line(&mut head)?;
        let size = head.split(' ').nth(2).and_then(|size| size.trim().parse::<u64>().ok());
        let size = size.ok_or_else(|| io::Error::other(format!("git cat-file: {}", head.trim())))?;
        let mut content = Vec::new();
        (&mut self.from).take(size.min(most as u64)).read_to_end(&mut content)?;
        let rest = size + 1 - content.len() as u64;
        io::copy(&mut (&mut self.from).take(rest), &mut io::sink())?;
        Ok(content)
    }
}

/// Adds a file and the folders above it that are new, as far as there is room for their names.
fn add(folders: &mut Folders, room: &mut usize, path: &str, sort: Sort, object: &str) -> io::Result<()> {
    let mut keep = |name: &str| {
        *room = room.checked_sub(name.len()).ok_or_else(bounded::names_too_long)?;
        Ok::<_, io::Error>(name.to_owned())
    };
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut up = folder;
    let mut new = Vec::new();
    while !folders.contains_key(up) {
        folders.insert(keep(up)?, Vec::new());
        let (above, name) = up.rsplit_once('/').unwrap_or(("", up));
        new.push((above, name));
        up = above;
    }
    new.push((folder, name));
    for (nth, (above, name)) in new.iter().enumerate() {
        let last = nth + 1 == new.len();
        let entry =
            if last { (keep(name)?, sort, object.to_owned()) } else { (keep(name)?, Sort::Folder, String::new()) };
        folders.entry((*above).to_owned()).or_default().push(entry);
    }
    Ok(())
}

/// Whether a text is a full object name: nothing else is handed to git.
pub(super) fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// git on a clone.
fn git(clone: &Path) -> io::Result<Command> {
    let folder = Some(clone.join(".git")).filter(|folder| folder.exists()).unwrap_or_else(|| clone.to_owned());
    crate::git::look(&folder)?;
    let mut command = crate::git::command();
    command.arg("--git-dir").arg(folder);
    Ok(command)
}

/// Takes the records of a listing one by one, unless there are more, or longer ones, than may be. Trees that hold each
/// other many times over list more than any disk holds, from a repository of a few hundred bytes.
fn listing(command: &mut Command, take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (Some(from), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(io::Error::other("git gave no pipes"));
    };
    // beside the records, so that neither pipe fills while the other is read
    let said = std::thread::spawn(move || bounded::read_from(errors, bounded::BY_HAND));
    let taken = records(BufReader::with_capacity(1 << 16, from), take);
    if taken.is_err() {
        // it would go on listing
        let _ = child.kill();
    }
    let (ended, ()) = (child.wait()?, taken?);
    if ended.success() {
        return Ok(());
    }
    let said = said.join().ok().and_then(Result::ok).unwrap_or_default();
    Err(io::Error::other(crate::git::reason(&said)))
}

fn records(mut from: impl BufRead, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let mut record = Vec::new();
    let next = std::iter::from_fn(|| Some(Ok(())));
    for turn in bounded::listed(next) {
        record.clear();
        if (&mut from).take(bounded::PATH).read_until(0, &mut record)? == 0 {
            break;
        }
        turn?;
        if record.pop_if(|last| *last == 0).is_none() && record.len() as u64 == bounded::PATH {
            return Err(bounded::path_too_long());
        }
        take(&record)?;
    }
    Ok(())
}

fn run(command: &mut Command) -> io::Result<Vec<u8>> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::piped()).output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(io::Error::other(crate::git::reason(&output.stderr)))
}
