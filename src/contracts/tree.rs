//! The folders of a layer, as a flat preorder: a folder stands before all below it, and its subtree is one range.

use std::cmp::Ordering;

use super::model::{RepoPath, under};

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
    /// The tree of these folders, each with its count of plain files; one that is given several times has them all.
    /// Ancestors up to the root are filled in, and what is not under the root is left out.
    pub fn new(root: RepoPath, given: impl IntoIterator<Item = (RepoPath, u32)>) -> Tree {
        let mut given: Vec<(RepoPath, u32)> =
            given.into_iter().filter(|(path, _)| root.covers(path.as_bytes())).collect();
        // a folder stands before what is below it, so what is missing above one is seen when it comes
        given.sort_by(|a, b| in_preorder(a.0.as_bytes(), b.0.as_bytes()));
        let mut building = Building { folders: Vec::with_capacity(given.len()), open: Vec::new() };
        for (path, plain) in given {
            building.add(&root, path, plain);
        }
        building.close_to(0);
        let folders = building.folders;
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

/// Folders in preorder, and those whose subtree is not at its end yet.
struct Building {
    folders: Vec<Folder>,
    open: Vec<FolderId>,
}

impl Building {
    fn add(&mut self, root: &RepoPath, path: RepoPath, plain: u32) {
        let covers = |at: &FolderId| self.folders[at.at()].path.covers(path.as_bytes());
        let kept = self.open.iter().rposition(covers).map_or(0, |last| last + 1);
        self.close_to(kept);
        let (bytes, last) = (path.as_bytes(), self.open.last().copied());
        let from = match last.map(|last| &mut self.folders[last.at()]) {
            Some(folder) if folder.path == path => {
                folder.plain += plain;
                return;
            }
            Some(folder) => folder.path.as_bytes().len() + 1,
            None => root.as_bytes().len(),
        };
        let slashes = (from..bytes.len()).filter(|at| bytes[*at] == b'/');
        for slash in slashes.collect::<Vec<_>>() {
            self.push(RepoPath::from(&bytes[..slash]), 0);
        }
        self.push(path, plain);
    }

    fn push(&mut self, path: RepoPath, plain: u32) {
        let id = FolderId::of(self.folders.len());
        let depth = u32::try_from(self.open.len()).unwrap_or(u32::MAX);
        self.folders.push(Folder { path, parent: self.open.last().copied(), depth, plain, end: 0 });
        self.open.push(id);
    }

    /// Ends the subtrees of all but so many open folders.
    fn close_to(&mut self, kept: usize) {
        let end = u32::try_from(self.folders.len()).unwrap_or(u32::MAX);
        for id in self.open.drain(kept..) {
            self.folders[id.at()].end = end;
        }
    }
}

/// Byte order, but with the slash before every other byte: a folder, then its subtree, then the next.
pub(super) fn in_preorder(a: &[u8], b: &[u8]) -> Ordering {
    match first_difference(a, b) {
        None => a.len().cmp(&b.len()),
        Some(at) => match (a[at], b[at]) {
            (b'/', _) => Ordering::Less,
            (_, b'/') => Ordering::Greater,
            (one, other) => one.cmp(&other),
        },
    }
}

/// Where two texts differ first, within the shorter one.
fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    // paths share long beginnings, which are compared a block at a time
    const BLOCK: usize = 16;
    let same = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(one, other)| one == other).count() * BLOCK;
    let differs = a[same..].iter().zip(&b[same..]).position(|(one, other)| one != other);
    differs.map(|at| same + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preorder_puts_a_folder_before_its_subtree_and_that_before_the_next() {
        let mut paths =
            ["a-b", "a/b-c/d", "a", "a/b/c", "a/b", "ab", "a/b-c", "B", "a/a-very-long-name-that-fills-blocks/x"];
        paths.sort_by(|a, b| in_preorder(a.as_bytes(), b.as_bytes()));
        assert_eq!(
            paths,
            ["B", "a", "a/a-very-long-name-that-fills-blocks/x", "a/b", "a/b/c", "a/b-c", "a/b-c/d", "a-b", "ab"]
        );
    }

    #[test]
    fn gaps_are_filled_and_counts_of_one_folder_added() {
        let given = [("r/a/b/c", 1), ("r-x", 9), ("r/a-b", 1), ("r/a/b/c", 2), ("r", 4)];
        let tree = Tree::new("r".into(), given.map(|(path, plain)| (path.into(), plain)));
        let told: Vec<(String, u32, u32)> =
            tree.folders.iter().map(|folder| (folder.path.to_string(), folder.depth, folder.plain)).collect();
        let wanted = [("r", 0, 4), ("r/a", 1, 0), ("r/a/b", 2, 0), ("r/a/b/c", 3, 3), ("r/a-b", 1, 1)];
        assert_eq!(told, wanted.map(|(path, depth, plain)| (path.to_owned(), depth, plain)));
        let names = |of: &str| -> Vec<String> {
            tree.children(tree.find(of.as_bytes()).unwrap()).map(|id| tree.folders[id.at()].path.to_string()).collect()
        };
        assert_eq!((names("r"), names("r/a/b/c")), (vec!["r/a".to_owned(), "r/a-b".to_owned()], vec![]));
        assert_eq!(tree.depth_of(b"r/a/b"), Some(2));
    }
}
