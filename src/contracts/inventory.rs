//! What is gathered about a layer before its index is made: the files that count, what their heads say, and what is
//! told of files that do not count.

use std::collections::HashSet;
use std::sync::Arc;

use super::disk::{self, Found, Sight};
use super::document::{README, is_markdown, is_readme};
use super::first_look::Listener;
use super::git::{self, Kind};
use super::index::Index;
use super::layer::{LayerPlace, Source};
use super::model::{Document, RepoPath, parent_of};
use crate::finding::{Area, Finding, Severity};

/// What is being gathered about a layer before its index is made.
pub(super) struct Inventory<'a> {
    place: &'a LayerPlace,
    /// Folders with their counts of plain files; one may come several times.
    folders: Vec<(RepoPath, u32)>,
    /// The folders that what comes may lie in: the last one, and those above it.
    open: Vec<usize>,
    pub markdown: Vec<(RepoPath, Found)>,
    notes: Vec<Finding>,
    submodules: Vec<RepoPath>,
    /// Paths that were told to be links or the like, each once.
    told: HashSet<RepoPath>,
}

impl<'a> Inventory<'a> {
    pub fn of(place: &'a LayerPlace) -> Inventory<'a> {
        Inventory {
            place,
            folders: Vec::new(),
            open: Vec::new(),
            markdown: Vec::new(),
            notes: Vec::new(),
            submodules: Vec::new(),
            told: HashSet::new(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.folders.is_empty() && self.markdown.is_empty() && self.submodules.is_empty() && self.notes.is_empty()
    }

    /// Takes what git tracks; heads are read while git is still telling, and the first look is given as soon as it has.
    ///
    /// # Errors
    /// What git said; what was taken before then is not all.
    pub fn take_tracked(&mut self, listener: &mut Listener<'_>) -> Result<(), String> {
        let local = RepoPath::from(self.place.local());
        let place = self.place;
        let (told, markdown) = disk::read_while(&place.top, Sight::Listed, |read| {
            let mut gathering = listener.begin(place);
            git::tracked(&place.top, place.layer.as_bytes(), |kind, path| {
                if local.covers(path) {
                    return;
                }
                if let (Kind::File, Some(gathering)) = (kind, &mut gathering) {
                    gathering.file(path);
                }
                match kind {
                    Kind::File if is_markdown(path) => read(path.into()),
                    Kind::File => self.file(path),
                    Kind::Link => self.refused(&path.into(), disk::LINK),
                    Kind::Submodule => self.submodules.push(path.into()),
                }
            })?;
            listener.tell(gathering, Source::Git);
            Ok(())
        });
        self.markdown = markdown;
        told
    }

    /// Takes what is on the disk; gives whether anything is. The first look is given before any file is read.
    pub fn take_disk(&mut self, listener: &mut Listener<'_>) -> bool {
        if !self.place.folder().is_dir() {
            return false;
        }
        let mut markdown = Vec::new();
        let mut gathering = listener.begin(self.place);
        for entry in disk::walk(&self.place.top, &self.place.layer, &self.place.local()) {
            if let (disk::Entry::File(path), Some(gathering)) = (&entry, &mut gathering) {
                gathering.file(path);
            }
            match entry {
                disk::Entry::File(path) if is_markdown(&path) => markdown.push(path.into()),
                disk::Entry::File(path) => self.file(&path),
                disk::Entry::Link(path) => self.refused(&path.into(), disk::LINK),
                disk::Entry::Repository(path) => self.submodules.push(path.into()),
                disk::Entry::Other(path) if is_readme(&path) => {
                    self.refused(&path.into(), disk::PIPE);
                }
                disk::Entry::Other(_) => {}
                disk::Entry::Unreadable(path, error) => {
                    let path = RepoPath::from(path);
                    let message = format!("the folder cannot be read: {error}");
                    self.note(
                        "refused-path",
                        Severity::Error,
                        &path,
                        message,
                        "make the folder readable, or move it out of the layer",
                    );
                }
            }
        }
        listener.tell(gathering, Source::Disk);
        self.markdown = disk::read_all(&self.place.top, markdown, Sight::Listed);
        !self.folders.is_empty() || !self.markdown.is_empty()
    }

    pub fn file(&mut self, path: &[u8]) {
        let Some(folder) = parent_of(path) else { return };
        self.count(folder);
        if is_readme(folder) {
            self.refused(&folder.into(), disk::FOLDER);
        }
    }

    /// Counts a plain file in a folder. Files come in byte order, so those of a folder and of all below it come
    /// together, and a folder is met again only while it is open.
    pub fn count(&mut self, folder: &[u8]) {
        while let Some(last) = self.open.last() {
            let (path, count) = &mut self.folders[*last];
            if path.as_bytes() == folder {
                *count += 1;
                return;
            }
            if path.covers(folder) {
                break;
            }
            self.open.pop();
        }
        self.open.push(self.folders.len());
        self.folders.push((folder.into(), 1));
    }

    /// The index of what was gathered. In git, a README.md that is not tracked yet counts in a folder without a
    /// contract.
    pub fn index(mut self, source: Source) -> Index {
        let mut documents = Vec::new();
        self.open.clear();
        for (path, found) in std::mem::take(&mut self.markdown) {
            let readme = is_readme(path.as_bytes());
            match found {
                Found::Document(document) => documents.push(document),
                Found::Refused(kind) if readme => self.refused(&path, kind),
                Found::Gone if readme => self.gone(&path),
                Found::Plain | Found::Refused(_) | Found::Gone => self.count(path.parent().unwrap_or_default()),
            }
        }
        let folders = std::mem::take(&mut self.folders);
        let mut index = Index::of_parts(self.place.layer.clone(), folders, documents);
        if source == Source::Git {
            let new = self.untracked(&index);
            if !new.is_empty() {
                index = index.changed([], new);
            }
        }
        index.notes = Arc::new(self.notes);
        index.submodules = Arc::new(self.submodules);
        index
    }

    /// The README.md files on disk in folders that have no contract, though git does not track them.
    fn untracked(&mut self, index: &Index) -> Vec<Arc<Document>> {
        let bare = index.directories().filter(|folder| index.standing(*folder).contract.is_none());
        let probed: Vec<RepoPath> = bare
            .map(|folder| (folder, index.path(folder).join(README)))
            // tracked ones have been read, or told of
            .filter(|(folder, path)| index.documents_in(*folder).all(|id| index.document(id).path != *path))
            .map(|(_, path)| path)
            .filter(|path| !self.told.contains(path))
            .collect();
        let mut documents = Vec::new();
        for (path, found) in disk::read_all(&self.place.top, probed, Sight::Unseen) {
            match found {
                Found::Document(mut document) => {
                    Arc::make_mut(&mut document).new = true;
                    documents.push(document);
                }
                Found::Refused(kind) => self.refused(&path, kind),
                Found::Gone | Found::Plain => {}
            }
        }
        documents
    }

    fn note(&mut self, code: &str, severity: Severity, path: &RepoPath, message: String, fix: &str) {
        self.notes.push(Finding::new(Area::Contracts, code, severity, path.text(), message).fix(fix));
    }

    pub fn refused(&mut self, path: &RepoPath, kind: &str) {
        if !self.told.insert(path.clone()) {
            return;
        }
        let message = if kind == disk::LINK {
            let target = std::fs::read_link(self.place.on_disk(path)).ok();
            let to = target.map(|target| format!(" to {}", target.display())).unwrap_or_default();
            format!("a symbolic link{to}: it is never followed and counts for nothing")
        } else {
            format!("{kind} where a file is expected: it is not opened")
        };
        self.note("refused-path", Severity::Error, path, message, "put a plain file in its place, or remove it");
    }

    fn gone(&mut self, path: &RepoPath) {
        self.told.insert(path.clone());
        let message = "git tracks this contract, and it is gone from the disk: it counts for nothing".to_owned();
        let fix = format!("git restore {path}, or git rm {path}");
        self.note("invalid-front-matter", Severity::Error, path, message, &fix);
    }

    pub fn git_refused(&mut self, why: &str) {
        let message = format!("git does not say what it tracks here, so nothing of the layer is read: {why}");
        let layer = self.place.layer.clone();
        self.note("git-refused", Severity::Error, &layer, message, "make `git ls-files` work in this folder");
    }

    pub fn untracked_layer(&mut self) {
        let message = "git tracks nothing here, so the files on the disk are read".to_owned();
        let layer = self.place.layer.clone();
        self.note(
            "untracked-layer",
            Severity::Warning,
            &layer,
            message,
            "git add the layer, unless it is ignored on purpose",
        );
    }
}
