//! The folders of a layer, as a flat preorder: a folder stands before all below it, and its subtree is one range.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::model::{RepoPath, parent_of, under};

/// A folder of an [`Index`](super::Index): its place in preorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FolderId(pub(super) u32);

impl FolderId {
    pub(super) fn at(self) -> usize {
        self.0 as usize
    }

    pub(super) fn of(position: usize) -> FolderId {
        FolderId(u32::try_from(position).unwrap_or(u32::MAX))
    }
}

#[derive(Clone, Debug)]
pub(super) struct Folder {
    pub path: RepoPath,
    pub parent: Option<FolderId>,
    pub depth: u32,
    /// Files in it that are no documents.
    pub plain: u32,
    /// One past the last folder of its subtree.
    pub end: u32,
}

/// Which folders there are. Fixed; what they owe is worked out beside it.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub root: RepoPath,
    pub folders: Vec<Folder>,
    /// The folders in byte order of their paths, in which they are listed.
    pub by_bytes: Vec<FolderId>,
}

impl Tree {
    /// The tree of these folders, each with its count of plain files; ancestors up to the root are filled in, and what
    /// is not under the root is left out.
    pub fn new(root: RepoPath, given: impl IntoIterator<Item = (RepoPath, u32)>) -> Tree {
        let mut plain: HashMap<RepoPath, u32> = HashMap::new();
        for (path, count) in given {
            if !root.covers(path.as_bytes()) {
                continue;
            }
            let mut above = path.as_bytes();
            while above.len() > root.as_bytes().len() {
                let Some(parent) = parent_of(above) else { break };
                if plain.contains_key(parent) {
                    break;
                }
                plain.insert(RepoPath::from(parent), 0);
                above = parent;
            }
            *plain.entry(path).or_default() += count;
        }
        let mut found: Vec<(RepoPath, u32)> = plain.into_iter().collect();
        found.sort_unstable_by(|a, b| in_preorder(a.0.as_bytes(), b.0.as_bytes()));
        Tree::of_sorted(root, found)
    }

    /// The tree of folders in preorder, without gaps.
    fn of_sorted(root: RepoPath, sorted: Vec<(RepoPath, u32)>) -> Tree {
        let mut folders: Vec<Folder> = Vec::with_capacity(sorted.len());
        let mut open: Vec<FolderId> = Vec::new();
        for (path, plain) in sorted {
            while open.last().is_some_and(|above| !folders[above.at()].path.covers(path.as_bytes())) {
                close(&mut open, &mut folders);
            }
            let id = FolderId::of(folders.len());
            let depth = u32::try_from(open.len()).unwrap_or(u32::MAX);
            folders.push(Folder { path, parent: open.last().copied(), depth, plain, end: 0 });
            open.push(id);
        }
        while !open.is_empty() {
            close(&mut open, &mut folders);
        }
        let mut by_bytes: Vec<FolderId> = (0..folders.len()).map(FolderId::of).collect();
        by_bytes.sort_by(|a, b| folders[a.at()].path.cmp(&folders[b.at()].path));
        Tree { root, folders, by_bytes }
    }

    /// The folder of a path.
    pub fn find(&self, path: &[u8]) -> Option<FolderId> {
        self.folders.binary_search_by(|folder| in_preorder(folder.path.as_bytes(), path)).ok().map(FolderId::of)
    }

    /// The folder and those above it, up to the root.
    pub fn upward(&self, from: FolderId) -> impl Iterator<Item = FolderId> + '_ {
        std::iter::successors(Some(from), |at| self.folders[at.at()].parent)
    }

    /// The folders right below one, in byte order.
    pub fn children(&self, of: FolderId) -> impl Iterator<Item = FolderId> + '_ {
        let end = self.folders[of.at()].end;
        let first = Some(FolderId(of.0 + 1)).filter(|first| first.0 < end);
        std::iter::successors(first, move |at| Some(FolderId(self.folders[at.at()].end)).filter(|next| next.0 < end))
    }

    /// How many segments a path lies below the root, judged by its text alone; `None` outside.
    pub fn depth_of(&self, path: &[u8]) -> Option<usize> {
        let below = under(self.root.as_bytes(), path).then(|| &path[self.root.as_bytes().len()..])?;
        Some(below.split(|byte| *byte == b'/').count() - 1)
    }
}

fn close(open: &mut Vec<FolderId>, folders: &mut [Folder]) {
    let end = u32::try_from(folders.len()).unwrap_or(u32::MAX);
    if let Some(id) = open.pop() {
        folders[id.at()].end = end;
    }
}

/// Byte order, but with the slash before every other byte: a folder, then its subtree, then the next.
pub(super) fn in_preorder(a: &[u8], b: &[u8]) -> Ordering {
    match a.iter().zip(b).position(|(one, other)| one != other) {
        None => a.len().cmp(&b.len()),
        Some(at) => match (a[at], b[at]) {
            (b'/', _) => Ordering::Less,
            (_, b'/') => Ordering::Greater,
            (one, other) => one.cmp(&other),
        },
    }
}
