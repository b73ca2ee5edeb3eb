//! Freshness: which files of a layer changed since it was read, and the layer read anew, only what changed.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::disk::{self, Found, Sight};
use super::document::{README, is_markdown, is_readme};
use super::index::{DocumentId, Index};
use super::layer::{Layer, Source};
use super::model::{Document, RepoPath, under};
use super::tree::FolderId;

/// What reading anew came to.
#[derive(Clone, Debug)]
pub enum Fresh {
    /// Nothing of the layer changed.
    Same,
    /// The layer as it is now.
    Changed(Box<Layer>),
}

/// What tells that a file changed: cheap to take, and compared with a later one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fingerprint {
    stamps: HashMap<PathBuf, Option<Stamp>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    modified: Option<SystemTime>,
    size: u64,
}

impl Stamp {
    fn of(meta: &Metadata) -> Stamp {
        Stamp { modified: meta.modified().ok(), size: meta.len() }
    }
}

impl Fingerprint {
    /// The files that differ from an earlier fingerprint.
    pub fn since(&self, earlier: &Fingerprint) -> Vec<PathBuf> {
        let mut changed: Vec<PathBuf> = self
            .stamps
            .iter()
            .filter(|(path, stamp)| earlier.stamps.get(*path) != Some(stamp))
            .map(|(path, _)| path.clone())
            .collect();
        changed.extend(earlier.stamps.keys().filter(|path| !self.stamps.contains_key(*path)).cloned());
        changed.sort_unstable();
        changed
    }
}

impl Layer {
    /// The fingerprint of what this layer was read from, as it is now: git's index, or the folders where the disk is
    /// read; the documents; and the places where a contract would be seen at once. A plain file that becomes a document
    /// is only seen by a watcher.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint { stamps: self.stamps().collect() }
    }

    /// The stamps of a fingerprint, each taken when it is asked for.
    fn stamps(&self) -> impl Iterator<Item = (PathBuf, Option<Stamp>)> + '_ {
        let index = &self.index;
        // where none is, one may begin
        let begins = index.preorder().next().is_none().then(|| self.place.folder());
        let folders = index.preorder().flat_map(|folder| {
            let path = index.path(folder);
            let itself = (self.source != Source::Git).then(|| self.place.on_disk(path));
            itself.into_iter().chain([self.place.on_disk(&path.join(README))])
        });
        let others = index.documents().map(|id| &index.document(id).path).filter(|path| !is_readme(path.as_bytes()));
        let others = others.map(|path| self.place.on_disk(path));
        self.git_index.iter().cloned().chain(begins).chain(folders).chain(others).map(|path| {
            let stamp = path.symlink_metadata().ok().map(|meta| Stamp::of(&meta));
            (path, stamp)
        })
    }

    /// What of this layer was written at or after a moment, or is gone: what a watcher that was not yet there has missed.
    pub fn written_since(&self, moment: SystemTime) -> Vec<PathBuf> {
        let is_newer = |stamp: &Stamp| stamp.modified.is_none_or(|modified| modified >= moment);
        let known = |path: &Path| {
            let below = path.strip_prefix(&self.place.top).ok();
            below.is_some_and(|below| self.index.document_at(RepoPath::from(disk::bytes(below)).as_bytes()).is_some())
        };
        self.stamps()
            .filter(|(path, stamp)| stamp.as_ref().map_or_else(|| known(path), is_newer))
            .map(|(path, _)| path)
            .collect()
    }

    /// The layer after these files changed, appeared or went (absolute paths, as a watcher names them): only they are
    /// read, unless what git tracks, or which files there are, may have changed too.
    pub fn reread(&self, changed: &[PathBuf]) -> Fresh {
        let mut documents = Vec::new();
        for path in changed {
            match self.concerns(path) {
                Concern::Nothing => {}
                Concern::Everything => return self.again(),
                Concern::Document(path) => documents.push(path),
            }
        }
        documents.sort_unstable();
        documents.dedup();
        self.with(&documents)
    }

    /// What a changed file means for the layer.
    fn concerns(&self, path: &Path) -> Concern {
        if self.git_index.as_deref() == Some(path) {
            return Concern::Everything;
        }
        let Ok(below) = path.strip_prefix(&self.place.top) else { return Concern::Nothing };
        let path = RepoPath::from(disk::bytes(below));
        let (root, bytes) = (self.index.root(), path.as_bytes());
        let local = [root.as_bytes(), b"/local"].concat();
        if root.as_bytes() == bytes && self.index.tallies().directories == 0 {
            return Concern::Everything;
        }
        if !root.covers(bytes) || under(&local, bytes) {
            return Concern::Nothing;
        }
        let known = self.index.document_at(bytes).is_some();
        let home = path.parent().and_then(|home| self.index.find(home));
        match self.source {
            // what was a link, or gone, when the layer was read
            Source::Git if self.is_told(&path) => Concern::Everything,
            // a tracked file that was none may have become a document, and one may have been written beside it
            Source::Git if known || (is_markdown(bytes) && home.is_some()) => Concern::Document(path),
            Source::Git => Concern::Nothing,
            // which files there are is what the disk says
            Source::Disk if known && self.place.on_disk(&path).is_file() => Concern::Document(path),
            Source::Disk | Source::Nothing => Concern::Everything,
        }
    }

    fn again(&self) -> Fresh {
        Fresh::Changed(Box::new(Layer::read(&self.place)))
    }

    /// The layer with these documents read again. Where a file becomes or ceases to be one, which files count may have
    /// changed too, and everything is read.
    fn with(&self, paths: &[RepoPath]) -> Fresh {
        let mut reader = disk::Reader::new(&self.place.top);
        let mut changes: Vec<(DocumentId, Option<Arc<Document>>)> = Vec::new();
        let mut added = Vec::new();
        for path in paths {
            let old = self.index.document_at(path.as_bytes()).map(|id| (id, self.index.document(id)));
            match (old, reader.read(path, Sight::Unseen)) {
                (Some((id, before)), Found::Document(mut document)) => {
                    Arc::make_mut(&mut document).new = before.new;
                    if document != *before {
                        changes.push((id, Some(document)));
                    }
                }
                (Some((id, before)), Found::Gone) if before.new => changes.push((id, None)),
                (None, Found::Document(mut document)) if self.is_awaited(path) => {
                    Arc::make_mut(&mut document).new = true;
                    added.push(document);
                }
                (None, Found::Plain) => {}
                (None, Found::Gone) if !self.is_told(path) => {}
                _ => return self.again(),
            }
        }
        if changes.is_empty() && added.is_empty() {
            return Fresh::Same;
        }
        let index = self.index.changed(changes, added);
        if self.source == Source::Git && self.needs_probing(&index) {
            return self.again();
        }
        let mut layer = self.clone();
        layer.index = Arc::new(index);
        Fresh::Changed(Box::new(layer))
    }

    /// Whether a new file is one that counts at once: a README.md in a directory without a contract.
    fn is_awaited(&self, path: &RepoPath) -> bool {
        let home = path.parent().and_then(|home| self.index.find(home));
        let bare = home.is_some_and(|home| is_bare(&self.index, home));
        self.source == Source::Git && is_readme(path.as_bytes()) && bare && !self.is_told(path)
    }

    /// Whether something was said of a path as a whole: that it is a link, or gone.
    fn is_told(&self, path: &RepoPath) -> bool {
        let text = path.text();
        self.index.notes.iter().any(|note| note.path == text)
    }

    /// Whether files that git does not track count otherwise in another index of the layer: in a directory that has no
    /// contract any more, or that has one which is tracked.
    fn needs_probing(&self, next: &Index) -> bool {
        let turned = next.preorder().filter(|folder| is_bare(next, *folder) != is_bare(&self.index, *folder));
        turned.into_iter().any(|folder| {
            let mut documents = next.documents_in(folder);
            if is_bare(next, folder) {
                let readme = next.path(folder).join(README);
                let known = documents.any(|id| next.document(id).path == readme);
                !known && self.place.on_disk(&readme).symlink_metadata().is_ok()
            } else {
                let used = next.standing(folder).contract;
                documents.any(|id| next.document(id).new && Some(id) != used)
            }
        })
    }
}

fn is_bare(index: &Index, folder: FolderId) -> bool {
    let standing = index.standing(folder);
    standing.listed && standing.contract.is_none()
}

enum Concern {
    Nothing,
    Everything,
    Document(RepoPath),
}
