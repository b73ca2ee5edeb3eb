//! The layer on the disk and in git: where it is, which files are in its index, and what their heads say. The only
//! place that reads; everything it finds goes into an [`Index`], and the rules are there.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compose::{self, Composed, Part};
use super::disk;
use super::error::Error;
use super::first_look::{FirstLook, Listener};
use super::git;
use super::index::{DocumentId, Index};
use super::inventory::Inventory;
use super::model::{RepoPath, parent_of};
use super::pathspec;
use super::resolve::{Report, Request, Step, directory, normalise, resolve};
use super::tree::FolderId;
use super::validate::{self, Ground};
use crate::finding::Finding;

/// The longest document whose text is shown.
const LONGEST_TEXT: u64 = 4 * 1024 * 1024;

/// Where a layer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerPlace {
    /// The repository's root, absolute; every path of the layer is relative to it.
    pub top: PathBuf,
    /// The layer's folder.
    pub layer: RepoPath,
    /// Whether the root is the top of a git work tree.
    pub git: bool,
}

/// Where the index of a layer came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The files that git tracks.
    Git,
    /// The files on the disk.
    Disk,
    /// Nothing could be read, or nothing is there.
    Nothing,
}

/// The place of the layer around a folder: the nearest `.ai`, walking up, not above the top of the git work tree; or
/// the folder that is named. `None` when there is none.
pub fn find(start: &Path, git_top: Option<&Path>, named: Option<&Path>) -> Option<LayerPlace> {
    if let Some(named) = named {
        let place = LayerPlace::named(start, git_top, named);
        return place.folder().symlink_metadata().is_ok().then_some(place);
    }
    for folder in start.ancestors() {
        let layer = folder.join(".ai");
        // a link is found too, and refused when it is read
        if layer.symlink_metadata().is_ok_and(|meta| meta.is_dir() || meta.is_symlink()) {
            return Some(LayerPlace::named(start, git_top, &layer));
        }
        if Some(folder) == git_top {
            return None;
        }
    }
    None
}

impl LayerPlace {
    /// The place of a layer that is to be, or is, in this folder.
    pub fn named(start: &Path, git_top: Option<&Path>, named: &Path) -> LayerPlace {
        let folder = plain(&start.join(named));
        let inside = git_top.and_then(|top| Some((top, folder.strip_prefix(top).ok()?)));
        if let Some((top, below)) = inside.filter(|(_, below)| !below.as_os_str().is_empty()) {
            return LayerPlace { top: top.to_owned(), layer: disk::bytes(below).into(), git: true };
        }
        let name = folder.file_name().map(|name| disk::bytes(Path::new(name))).unwrap_or_default();
        let top = folder.parent().unwrap_or(&folder).to_owned();
        LayerPlace { top, layer: name.into(), git: false }
    }

    /// Where a layer would begin, when there is none: `.ai` at the top of the git work tree, else here.
    pub fn to_begin(start: &Path, git_top: Option<&Path>, named: Option<&Path>) -> LayerPlace {
        match named {
            Some(named) => LayerPlace::named(start, git_top, named),
            None => LayerPlace::named(start, git_top, &git_top.unwrap_or(start).join(".ai")),
        }
    }

    /// The layer's folder on the disk.
    pub fn folder(&self) -> PathBuf {
        disk::at(&self.top, self.layer.as_bytes())
    }

    /// The place of a repository path on the disk.
    pub fn on_disk(&self, path: &RepoPath) -> PathBuf {
        disk::at(&self.top, path.as_bytes())
    }

    /// The half of the layer that is never read.
    pub(super) fn local(&self) -> Vec<u8> {
        [self.layer.as_bytes(), b"/local"].concat()
    }
}

/// A path without `.` and `..`, by its text alone.
pub(crate) fn plain(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

/// What a path stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// A folder of the layer, or a file that stands for its folder.
    Directory(FolderId),
    /// A path outside the layer, in its one form.
    Outside(String),
}

/// A layer that has been read. Owned data: send it where it is needed.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Where it is.
    pub place: LayerPlace,
    /// Where its index came from.
    pub source: Source,
    /// Its directories and documents, with all that follows from them.
    pub index: Arc<Index>,
    /// The file in which git says what it tracks, when that is where the index came from.
    pub git_index: Option<PathBuf>,
}

impl Layer {
    /// Reads a layer: its files as git tracks them, else as they are on the disk, and the heads of its documents.
    /// What is wrong with single files, or with git, is a finding and not an error.
    pub fn read(place: &LayerPlace) -> Layer {
        Layer::read_for(place, Listener::NOBODY)
    }

    /// Reads a layer as [`Layer::read`] does; of a large one the first levels are told as soon as they are known, long
    /// before it has been read.
    pub fn read_and_tell(place: &LayerPlace, first: &mut dyn FnMut(FirstLook)) -> Layer {
        Layer::read_for(place, Listener::of(first))
    }

    fn read_for(place: &LayerPlace, mut listener: Listener<'_>) -> Layer {
        let mut inventory = Inventory::of(place);
        let mut source = Source::Nothing;
        let linked = place.folder().symlink_metadata().is_ok_and(|meta| meta.is_symlink());
        if linked {
            inventory.refused(&place.layer, disk::LINK);
        } else if place.git {
            match inventory.take_tracked(&mut listener) {
                Ok(()) => source = Source::Git,
                Err(why) => {
                    inventory = Inventory::of(place);
                    inventory.git_refused(&why);
                }
            }
        }
        if !linked && (!place.git || (source == Source::Git && inventory.is_empty())) {
            if inventory.take_disk(&mut listener) && place.git {
                inventory.untracked_layer();
            }
            source = Source::Disk;
        }
        let index = inventory.index(source);
        let git_index = place.git.then(|| git::index_file(&place.top)).flatten();
        Layer { place: place.clone(), source, index: Arc::new(index), git_index }
    }

    /// A layer in which nothing is.
    pub fn empty(place: &LayerPlace) -> Layer {
        let index = Index::new(place.layer.clone(), [], Vec::new());
        Layer { place: place.clone(), source: Source::Nothing, index: Arc::new(index), git_index: None }
    }

    /// The branch that is checked out around it, as it is now; of a detached work tree the beginning of the commit.
    pub fn branch(&self) -> Option<String> {
        self.git_index.as_deref().and_then(git::branch)
    }

    /// Answers a request.
    ///
    /// # Errors
    /// As [`resolve`].
    pub fn list(&self, request: &Request) -> Result<Report, Error> {
        resolve(&self.index, request)
    }

    /// What a path stands for, as a person may write it: a folder, a file for its folder, or something outside.
    ///
    /// # Errors
    /// [`Error::Path`], [`Error::NotFound`]; [`Error::NotCounted`] for what is on disk and not in the index.
    pub fn asked(&self, path: &str) -> Result<Asked, Error> {
        let normal = normalise(path)?;
        let (root, index) = (self.index.root(), &self.index);
        if !root.covers(normal.as_bytes()) {
            return Ok(Asked::Outside(normal));
        }
        let missing = match directory(index, &normal) {
            Ok(folder) => return Ok(Asked::Directory(folder)),
            Err(error) => error,
        };
        // a folder in which nothing counts holds a broken document, and that is worth explaining
        if let Some(folder) = index.find(normal.as_bytes()) {
            return Ok(Asked::Directory(folder));
        }
        let meta = disk::at(&self.place.top, normal.as_bytes()).symlink_metadata();
        let above = parent_of(normal.as_bytes()).and_then(|above| index.find(above));
        let not_counted = |why| Error::NotCounted { path: normal.clone(), why };
        match (meta, above) {
            _ if RepoPath::from(self.place.local()).covers(normal.as_bytes()) => {
                Err(not_counted("is the local half of the layer, which is never read"))
            }
            (Ok(meta), Some(folder)) if !meta.is_dir() => Ok(Asked::Directory(folder)),
            (Ok(_), _) if index.submodules().iter().any(|closed| closed.covers(normal.as_bytes())) => {
                Err(not_counted("is a submodule: a closed folder, which owes nothing here"))
            }
            (Ok(_), _) => Err(not_counted("is on disk and not tracked: it counts for nothing until `git add`")),
            (Err(_), _) => Err(missing),
        }
    }

    /// Every finding of the layer, by file and line.
    pub fn validate(&self) -> Vec<Finding> {
        validate::check(&self.index, &self.ground())
    }

    /// The text of a document, bytes that are not UTF-8 replaced, at most 4 MiB of it.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn text(&self, document: DocumentId) -> Result<String, Error> {
        let bytes = self.bytes(&self.index.document(document).path)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The folders under the layer that git does not track, ignored or not: no directories of it, and owing nothing.
    /// Empty where the disk is read. Asks git, so ask beside the screen.
    pub fn untracked_folders(&self) -> Vec<RepoPath> {
        if self.source != Source::Git {
            return Vec::new();
        }
        let local = RepoPath::from(self.place.local());
        let listed = git::untracked(&self.place.top, self.place.layer.as_bytes()).unwrap_or_default().into_iter();
        let folders = listed.filter_map(|path| path.strip_suffix(b"/").map(RepoPath::from));
        folders.filter(|path| !local.covers(path.as_bytes()) && self.index.find(path.as_bytes()).is_none()).collect()
    }

    /// The composed text of a chain: the bodies of its documents, one after another.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn composed(&self, chain: &[Step]) -> Result<Composed, Error> {
        let mut composed = Composed::default();
        for step in chain {
            let path = &self.index.document(step.document).path;
            composed.parts.push(Part { path: path.clone(), body: compose::body(&self.bytes(path)?) });
        }
        Ok(composed)
    }

    pub(super) fn bytes(&self, path: &RepoPath) -> Result<Vec<u8>, Error> {
        disk::whole(&self.place.top, path, LONGEST_TEXT)
            .map_err(|source| Error::Io { file: self.place.on_disk(path), source })
    }

    /// What the checks need to know of the world outside the index.
    fn ground(&self) -> Ground {
        let mut ground = Ground::default();
        let mut tracks: HashSet<&str> = HashSet::new();
        let index = &self.index;
        for (id, contract) in index.documents().filter_map(|id| Some((id, index.contract(id)?))) {
            tracks.extend(contract.tracks.iter().map(String::as_str));
            let home = index.path(index.home(id)).text();
            for entry in contract.exempt.iter().chain(&contract.paths) {
                if index.find(entry.as_bytes()).is_some() {
                    continue;
                }
                let spelled = validate::respellings(index, &home, entry).into_iter();
                let written = Some(entry.clone()).filter(|entry| validate::is_plain(entry));
                let is_there = |path: &String| disk::at(&self.place.top, path.as_bytes()).is_dir();
                ground.folders.extend(spelled.chain(written).filter(is_there));
            }
        }
        if self.place.git && self.source != Source::Nothing && !tracks.is_empty() {
            let files = git::files(&self.place.top);
            let idle = |spec: &&str| match &files {
                Ok(files) if pathspec::is_plain(spec) => !files.holds(spec),
                _ => !git::matches(&self.place.top, spec),
            };
            ground.idle_tracks = tracks.into_iter().filter(idle).map(str::to_owned).collect();
        }
        ground
    }
}
