//! The first folders of a large layer, told before the layer has been read: gathered while git, or the disk, still names
//! its files, and judged by the same rules. What a screen shows first is so on it at once.

use std::collections::HashSet;

use super::disk::{self, Sight};
use super::document::is_markdown;
use super::index::Index;
use super::inventory::Inventory;
use super::layer::{LayerPlace, Source};
use super::model::{RepoPath, parent_of};
use super::tree::FolderId;

/// How many levels below the layer's root are looked at.
const LEVELS: usize = 2;

/// How many folders: more than any screen has lines.
const FOLDERS: usize = 400;

/// From how many files on a layer is worth a first look; a smaller one is read as soon as this would be done.
const LARGE: usize = 50_000;

/// How many Markdown files in those folders are read at most; where there are more, there is no first look.
const MARKDOWN: usize = 4_000;

/// The first levels of a layer, from what is known before the rest of it has been read.
///
/// A state in it is the final one, unless a document elsewhere claims the id of one in it. What lies below the last level
/// is not in it, so nothing that counts what lies below is true yet.
#[derive(Clone, Debug)]
pub struct FirstLook {
    /// The folders with what holds for them.
    pub index: Index,
    deeper: HashSet<RepoPath>,
}

impl FirstLook {
    /// Whether a folder of the last level has folders in it, which are not there.
    pub fn is_cut(&self, folder: FolderId) -> bool {
        self.deeper.contains(self.index.path(folder))
    }
}

/// Who is told a first look; nobody where only the whole layer is wanted, for which nothing is gathered then.
pub(super) struct Listener<'a>(Option<&'a mut dyn FnMut(FirstLook)>);

impl<'a> Listener<'a> {
    pub const NOBODY: Listener<'static> = Listener(None);

    pub fn of(first: &'a mut dyn FnMut(FirstLook)) -> Listener<'a> {
        Listener(Some(first))
    }

    /// Begins to gather, where somebody listens.
    pub fn begin<'p>(&self, place: &'p LayerPlace) -> Option<Gathering<'p>> {
        self.0.is_some().then(|| Gathering::of(place))
    }

    /// Tells what was gathered, once all files are named; nothing where it would not be worth it.
    pub fn tell(&mut self, gathering: Option<Gathering<'_>>, source: Source) {
        if let (Some(first), Some(look)) = (&mut self.0, gathering.and_then(|gathering| gathering.look(source))) {
            first(look);
        }
    }
}

/// What is gathered for a first look, while files are named in byte order.
pub(super) struct Gathering<'a> {
    place: &'a LayerPlace,
    inventory: Inventory<'a>,
    files: usize,
    /// The folders looked at.
    folders: HashSet<Vec<u8>>,
    /// The folder met last, and whether it is looked at: files of a folder come together.
    last: (Vec<u8>, bool),
    deeper: HashSet<RepoPath>,
    markdown: Vec<RepoPath>,
}

impl<'a> Gathering<'a> {
    pub fn of(place: &'a LayerPlace) -> Gathering<'a> {
        Gathering {
            place,
            inventory: Inventory::of(place),
            files: 0,
            folders: HashSet::new(),
            last: (Vec::new(), false),
            deeper: HashSet::new(),
            markdown: Vec::new(),
        }
    }

    /// Takes a plain file.
    pub fn file(&mut self, path: &[u8]) {
        self.files += 1;
        let Some(folder) = parent_of(path) else { return };
        let Some(end) = cut(self.place.layer.as_bytes(), folder) else { return };
        let (kept, is_deeper) = (&folder[..end], end < folder.len());
        if self.last.0 != kept {
            let there = self.folders.contains(kept) || self.take(kept);
            self.last = (kept.to_owned(), there);
            if there && is_deeper {
                self.inventory.count(kept);
            }
        }
        if !self.last.1 {
            return;
        }
        if is_deeper {
            if !self.deeper.contains(kept) {
                self.deeper.insert(kept.into());
            }
        } else if is_markdown(path) {
            self.markdown.push(path.into());
        } else {
            self.inventory.file(path);
        }
    }

    /// Takes a folder with those above it, while there is room.
    fn take(&mut self, folder: &[u8]) -> bool {
        if self.folders.len() >= FOLDERS {
            return false;
        }
        let root = self.place.layer.as_bytes();
        let above = std::iter::successors(Some(folder), |at| parent_of(at).filter(|above| above.len() >= root.len()));
        self.folders.extend(above.map(<[u8]>::to_vec));
        true
    }

    /// The first look, once all files are named; none where it would not be worth it.
    pub fn look(self, source: Source) -> Option<FirstLook> {
        (self.files >= LARGE).then(|| self.read(source)).flatten()
    }

    fn read(self, source: Source) -> Option<FirstLook> {
        let Gathering { place, mut inventory, deeper, markdown, .. } = self;
        if markdown.len() > MARKDOWN {
            return None;
        }
        let mut reader = disk::Reader::new(&place.top);
        let read = |path| (reader.read(&path, Sight::Listed), path);
        inventory.markdown = markdown.into_iter().map(read).map(|(found, path)| (path, found)).collect();
        Some(FirstLook { index: inventory.index(source), deeper })
    }
}

/// How much of a folder's path is left when it is cut at the last level; none outside the root.
fn cut(root: &[u8], folder: &[u8]) -> Option<usize> {
    let below = folder.strip_prefix(root)?;
    let mut slashes = below.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    Some(slashes.nth(LEVELS).map_or(folder.len(), |at| root.len() + at))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::{Layer, State};
    use super::*;

    #[test]
    fn folders_are_cut_at_the_second_level() {
        let cut = |folder: &str| super::cut(b".ai", folder.as_bytes()).map(|end| &folder[..end]).map(str::to_owned);
        assert_eq!(cut(".ai"), Some(".ai".to_owned()));
        assert_eq!(cut(".ai/a/b"), Some(".ai/a/b".to_owned()));
        assert_eq!(cut(".ai/a/b/c/d"), Some(".ai/a/b".to_owned()));
        assert_eq!(cut("elsewhere/a"), None);
    }

    /// A layer of these files on the disk, and what is gathered of them.
    fn gathered(files: &[(&str, &str)]) -> (Layer, FirstLook) {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let file = dir.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let place = LayerPlace::named(dir.path(), None, ".ai".as_ref());
        let mut paths: Vec<&str> = files.iter().map(|(path, _)| *path).collect();
        paths.sort_unstable();
        let mut gathering = Gathering::of(&place);
        for path in paths {
            gathering.file(path.as_bytes());
        }
        let look = gathering.read(Source::Disk).unwrap();
        (Layer::read(&place), look)
    }

    fn contract(id: &str, more: &str) -> String {
        format!(
            "---\nschema: context/v1\nid: {id}\nkind: context\ntitle: t\ndescription: d\nstatus: active\nscope: subtree\n\
             composition: extend\norder: 1\nproviders: [\"*\"]\n{more}---\n"
        )
    }

    #[test]
    fn what_is_told_of_the_first_levels_is_what_the_whole_layer_says() {
        let [root, lifted] = [("ai", "  exempt: [.ai/out]\n"), ("ai.b", "  require_contract: false\n")]
            .map(|(id, more)| contract(id, &format!("children:\n{more}")));
        let [own, greater] = [("ai.c.a", ""), ("ai.c.z", "")].map(|(id, more)| contract(id, more));
        let files = [
            (".ai/README.md", root.as_str()),
            (".ai/out/x/y/z.txt", ""),
            (".ai/b/README.md", &lifted),
            (".ai/b/deep/er/still/x.txt", ""),
            (".ai/c/README.md", &own),
            (".ai/c/z.md", &greater),
            (".ai/c/note.md", "no block\n"),
            (".ai/torn/README.md", "---\nid: [\n---\n"),
            (".ai/torn/x.txt", ""),
            (".ai/d-e/x.txt", ""),
            (".ai/d/e/f/x.txt", ""),
        ];
        let (layer, look) = gathered(&files);
        let told: Vec<FolderId> = look.index.directories().collect();
        let first_levels = layer.index.directories().filter(|folder| layer.index.depth(*folder) <= 2);
        let (names, all): (Vec<&RepoPath>, Vec<&RepoPath>) = (
            told.iter().map(|folder| look.index.path(*folder)).collect(),
            first_levels.map(|folder| layer.index.path(folder)).collect(),
        );
        assert_eq!(names, all);
        for folder in told {
            let path = look.index.path(folder);
            let whole = layer.index.find(path.as_bytes()).unwrap();
            let (here, there) = (look.index.standing(folder), layer.index.standing(whole));
            let used = |index: &Index, folder| index.contract_of(folder).map(|(_, contract)| contract.id.clone());
            assert_eq!((here.state, here.broken), (there.state, there.broken), "{path}");
            assert_eq!(used(&look.index, folder), used(&layer.index, whole), "{path}");
            let below = layer.index.depth(whole) == 2 && layer.index.listed_children(whole).next().is_some();
            assert_eq!(look.is_cut(folder), below, "{path}");
        }
        let state = |path: &str| look.index.standing(look.index.find(path.as_bytes()).unwrap()).state;
        assert_eq!(
            [state(".ai/out/x"), state(".ai/b/deep"), state(".ai/d/e")],
            [State::Exempt, State::Exempt, State::Owed]
        );
    }

    #[test]
    fn there_is_a_first_look_only_where_it_is_worth_it_and_can_be_had() {
        let place = LayerPlace::named("/".as_ref(), None, ".ai".as_ref());
        let look = |files: usize, name: &str| {
            let mut gathering = Gathering::of(&place);
            for nth in 0..files {
                gathering.file(format!(".ai/a/{nth:06}{name}").as_bytes());
            }
            gathering.look(Source::Disk)
        };
        assert!(look(LARGE - 1, ".txt").is_none(), "it would be read as soon");
        assert!(look(LARGE, ".md").is_none(), "every one of them would have to be read");
        let look = look(LARGE, "/x").unwrap();
        let folders = look.index.directories().count();
        assert!((FOLDERS..FOLDERS + 3).contains(&folders), "{folders}: there are more than a screen can show");
    }
}
