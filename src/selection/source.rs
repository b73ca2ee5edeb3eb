//! Where a package's files are: the naming rules of the caches, and the search through override, path, archive, clone
//! and staging copy.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::files::{Bounds, Commit, Sort, Tree, is_commit, plain};
use super::lock::LockedPackage;
use super::manifest::{Dependency, Override};

/// What of the machine bears on where packages are; passed in, so that a test has a machine of its own.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The folder that holds `archives/` and `git/`.
    pub cache: Option<PathBuf>,
}

impl Environment {
    /// The environment of this process, started in `directory`: `MARS_CACHE_DIR`, else `mars/cache` in the system's cache
    /// folder, else `.mars/cache` here.
    pub fn of_process(directory: &Path) -> Environment {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let system = || {
            let base = if cfg!(windows) {
                set("LOCALAPPDATA")
            } else if cfg!(target_os = "macos") {
                set("HOME").map(|home| home.join("Library/Caches"))
            } else {
                set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))
            };
            base.map(|base| base.join("mars/cache"))
        };
        let given = set("MARS_CACHE_DIR").map(|given| directory.join(given));
        let cache = given.or_else(system).unwrap_or_else(|| directory.join(".mars/cache"));
        Environment { cache: Some(cache) }
    }
}

/// A git source without what differs between its spellings.
///
/// ```
/// use dagwood::selection::source::canonical;
/// for url in ["https://GitHub.com/o/R.git", "git@github.com:o/R", "ssh://git@github.com/o/R", "github.com/o/R/"] {
///     assert_eq!(canonical(url), "github.com/o/R");
/// }
/// assert_eq!(canonical("ssh://git@host:2222/o/r"), "host:2222/o/r");
/// ```
pub fn canonical(url: &str) -> String {
    let mut rest = url;
    for scheme in ["https://", "http://", "ssh://", "git://"] {
        if let Some(bare) = rest.strip_prefix(scheme) {
            rest = bare;
            break;
        }
    }
    let slash = rest.find('/').unwrap_or(rest.len());
    if let Some(at) = rest[..slash].rfind('@') {
        rest = &rest[at + 1..];
    }
    let mut plain = rest.to_owned();
    let slash = plain.find('/').unwrap_or(plain.len());
    if let Some(colon) = plain[..slash].find(':') {
        let port = &plain[colon + 1..slash];
        if port.is_empty() || !port.bytes().all(|byte| byte.is_ascii_digit()) {
            plain.replace_range(colon..=colon, "/");
        }
    }
    let plain = plain.strip_suffix(".git").unwrap_or(&plain);
    let plain = plain.strip_suffix('/').unwrap_or(plain);
    match plain.split_once('/') {
        Some((host, path)) => format!("{}/{path}", host.to_lowercase()),
        None => plain.to_lowercase(),
    }
}

/// The name of a cache folder for a text.
///
/// ```
/// use dagwood::selection::source::component;
/// assert_eq!(
///     component("https://github.com/haowjy/meridian-base@8e15ccee9faf71d43009574facdb4e6518ad7d57"),
///     "https___github.com_haowjy_meridian-base@8e15ccee9faf71d43009_bcf5151f"
/// );
/// ```
pub fn component(text: &str) -> String {
    let plain = |c: char| if c.is_control() || "/\\:<>\"|?*".contains(c) { '_' } else { c };
    let name: String = text.chars().map(plain).collect();
    let mut name = name.trim_end_matches([' ', '.']).to_owned();
    let stem = name.split('.').next().unwrap_or_default().to_ascii_uppercase();
    let numbered =
        |prefix: &str| stem.strip_prefix(prefix).is_some_and(|digit| matches!(digit.as_bytes(), [b'1'..=b'9']));
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL") || numbered("COM") || numbered("LPT") {
        name.push('_');
    }
    let hash = Sha256::digest(text.as_bytes());
    let hash: String = hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("{}_{hash}", name[..name.floor_char_boundary(200)][..name.floor_char_boundary(60)].to_owned())
}

/// A URL as mars writes it: a bare `host/owner/repo` is read as `https`.
fn with_scheme(url: &str) -> String {
    let scp = url.split('/').next().is_some_and(|host| host.contains(':'));
    if url.contains("://") || scp { url.to_owned() } else { format!("https://{url}") }
}

/// Whether a source is kept as an archive; everything else is kept as a clone.
fn is_archived(url: &str) -> bool {
    url.starts_with("https://github.com/")
}

/// The URLs an archive may be kept under, in the order in which they are tried.
fn archive_urls(urls: &[String], locked: Option<&str>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut add = |url: String| {
        if is_archived(&url) && !all.contains(&url) {
            all.push(url);
        }
    };
    let written: Vec<String> = urls.iter().map(String::as_str).chain(locked).map(with_scheme).collect();
    for url in &written {
        add(url.clone());
    }
    for url in &written {
        add(url.strip_suffix(".git").map_or_else(|| format!("{url}.git"), str::to_owned));
    }
    all
}

/// How a package's files were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// By `mars.local.toml`.
    Override,
    /// By the `path` of an entry.
    Path,
    /// In the archive cache, at the locked commit.
    Archive,
    /// In a clone, at the locked commit.
    Git,
    /// In a clone, at what is checked out, as nothing is locked.
    GitHead,
    /// In the staging copy of the last sync; nothing tells its commit.
    Staging,
}

impl How {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            How::Override => "override",
            How::Path => "path",
            How::Archive => "archive cache",
            How::Git => "git cache",
            How::GitHead => "git cache, not locked",
            How::Staging => "staging copy, commit unknown",
        }
    }
}

/// A place that was looked at for a package, and why it did not do.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Looked {
    /// The place.
    pub at: String,
    /// Why it did not do.
    pub why: String,
}

/// A package's files.
#[derive(Clone, Debug)]
pub(super) struct Located {
    pub tree: Tree,
    pub how: How,
    pub commit: Option<String>,
}

/// What is known of a package before it is found.
#[derive(Debug)]
pub(super) struct Search<'a> {
    pub environment: &'a Environment,
    pub project: &'a Path,
    pub key: &'a str,
    /// The entry that decides, and the tree its manifest is in.
    pub entry: &'a Dependency,
    pub declared_in: &'a Tree,
    /// Every URL written for this key, yours first.
    pub urls: &'a [String],
    pub overridden: Option<&'a Override>,
    pub locked: Option<&'a LockedPackage>,
}

/// Finds a package's files, or says every place it looked at.
pub(super) fn locate(search: &Search<'_>) -> Result<Located, Vec<Looked>> {
    let mut looked = Vec::new();
    if search.entry.bad_subpath {
        let why = "its `subpath` is not a folder inside the source".to_owned();
        return Err(vec![Looked { at: search.entry.place.to_string(), why }]);
    }
    let found = if let Some(given) = search.overridden {
        let tree = Tree::disk(plain(&search.project.join(&given.path)), Bounds::Open);
        at_folder(search, &tree, How::Override, &mut looked)
    } else if let Some(path) = &search.entry.path {
        if let Ok(tree) = search.declared_in.resolve(path) {
            at_folder(search, &tree, How::Path, &mut looked)
        } else {
            let why = "it leads out of the cached source it is written in".to_owned();
            looked.push(Looked { at: path.clone(), why });
            None
        }
    } else {
        archive(search, &mut looked).or_else(|| clone(search, &mut looked))
    };
    found.or_else(|| staging(search, &mut looked)).ok_or(looked)
}

/// The package in a source: its subpath, when it has one.
fn package(search: &Search<'_>, tree: &Tree) -> Option<Tree> {
    match &search.entry.subpath {
        Some(subpath) => tree.below(subpath),
        None => tree.is_folder("").then(|| tree.clone()),
    }
}

fn at_folder(search: &Search<'_>, tree: &Tree, how: How, looked: &mut Vec<Looked>) -> Option<Located> {
    let found = package(search, tree);
    if found.is_none() {
        let at = tree.shown(search.entry.subpath.as_deref().unwrap_or_default(), search.project);
        looked.push(Looked { at, why: "no such folder".to_owned() });
    }
    found.map(|tree| Located { tree, how, commit: None })
}

fn archive(search: &Search<'_>, looked: &mut Vec<Looked>) -> Option<Located> {
    let commit = search.locked.and_then(|locked| locked.commit.as_deref());
    let urls = archive_urls(search.urls, search.locked.and_then(|locked| locked.url.as_deref()));
    if urls.is_empty() {
        return None;
    }
    let cache = search.environment.cache.as_ref()?.join("archives");
    let Some(commit) = commit.filter(|commit| is_commit(commit)) else {
        let why = "the lock names no commit, so no archive can be told to be the right one".to_owned();
        looked.push(Looked { at: cache.to_string_lossy().into_owned(), why });
        return None;
    };
    for url in urls {
        let folder = cache.join(component(&format!("{url}@{commit}")));
        let shown = folder.to_string_lossy().into_owned();
        match package(search, &Tree::disk(folder.clone(), Bounds::Closed)) {
            Some(tree) => return Some(Located { tree, how: How::Archive, commit: Some(commit.to_owned()) }),
            None if folder.is_dir() => looked.push(Looked { at: shown, why: "it has no such subpath".to_owned() }),
            None => looked.push(Looked { at: shown, why: format!("no archive of {url}") }),
        }
    }
    None
}

fn clone(search: &Search<'_>, looked: &mut Vec<Looked>) -> Option<Located> {
    let cache = search.environment.cache.as_ref()?.join("git");
    let commit = search.locked.and_then(|locked| locked.commit.as_deref());
    let written = search.urls.iter().map(String::as_str);
    let mut tried: Vec<String> = Vec::new();
    for url in written.chain(search.locked.and_then(|locked| locked.url.as_deref())) {
        let name = component(&canonical(url));
        if tried.contains(&name) {
            continue;
        }
        let folder = cache.join(&name);
        tried.push(name);
        let at = folder.to_string_lossy().into_owned();
        if !folder.is_dir() {
            looked.push(Looked { at, why: format!("no clone of {}", canonical(url)) });
            continue;
        }
        let opened = match Commit::open(&folder, commit) {
            Ok(opened) => opened,
            Err(error) => {
                let why = match commit {
                    Some(commit) => format!("the locked commit {commit} cannot be read: {error}"),
                    None => format!("what is checked out cannot be read: {error}"),
                };
                looked.push(Looked { at, why });
                continue;
            }
        };
        let id = opened.id().to_owned();
        match package(search, &Tree::git(opened)) {
            Some(tree) => {
                let how = if commit.is_some() { How::Git } else { How::GitHead };
                return Some(Located { tree, how, commit: Some(id) });
            }
            None => looked.push(Looked { at, why: "it has no such subpath".to_owned() }),
        }
    }
    None
}

fn staging(search: &Search<'_>, looked: &mut Vec<Looked>) -> Option<Located> {
    let project = Tree::disk(search.project.to_owned(), Bounds::Closed);
    let folder = format!(".mars/staging/{}", search.key);
    // a key may hold anything; only a folder below the staging folder is one
    let inside = !search.key.split('/').any(|part| matches!(part, "." | "..")) && project.is_folder(&folder);
    let dialects = if inside { project.list(&folder).unwrap_or_default() } else { Vec::new() };
    let Some(first) = dialects.into_iter().find(|listed| listed.sort == Sort::Folder) else {
        let at = search.project.join(folder).to_string_lossy().into_owned();
        looked.push(Looked { at, why: "no staging copy".to_owned() });
        return None;
    };
    let top = Tree::disk(search.project.join(folder).join(first.name), Bounds::Closed);
    let tree = search.entry.subpath.as_deref().and_then(|subpath| top.below(subpath)).unwrap_or(top);
    Some(Located { tree, how: How::Staging, commit: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_forms() {
        assert_eq!(canonical("git@host:8080/o/r"), "host:8080/o/r");
        assert_eq!(canonical("git@host:o/r.git"), "host/o/r");
        assert_eq!(canonical("https://user:secret@Host/O/R.git/"), "host/O/R.git");
        assert_eq!(canonical("git://h/o@1/r"), "h/o@1/r");
        assert_eq!(canonical(""), "");
    }

    #[test]
    fn components_are_cut_and_hashed() {
        assert!(component("con").starts_with("con__"));
        assert!(component("COM1.txt").starts_with("COM1.txt__"));
        assert!(component("common").starts_with("common_"));
        assert!(component("a. .").starts_with("a_"));
        let long = component(&"é".repeat(200));
        assert_eq!(long.chars().filter(|c| *c == 'é').count(), 30, "60 bytes, cut at a character");
        assert_ne!(component("a/b"), component("a:b"), "told apart by their hash");
    }

    #[test]
    fn archives_are_tried_as_written_then_with_git_added_or_removed() {
        let urls = ["github.com/o/r.git".to_owned(), "git@github.com:o/r".to_owned()];
        assert_eq!(
            archive_urls(&urls, Some("github.com/o/r")),
            ["https://github.com/o/r.git", "https://github.com/o/r"]
        );
    }
}
