//! What git knows of a repository, asked of the git program itself.
//!
//! Only commands that read are used, and none that runs a hook or a program the repository names.

use std::path::{Path, PathBuf};

use super::{escape, location_of};
use crate::resources::error::Error;

/// Something git knows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GitChild {
    /// What its name ends with (`heads/main`).
    pub entry: String,
    /// Its path, or an address made of the repository and what it is.
    pub location: String,
    /// What else is known (the address of a remote).
    pub description: Option<String>,
}

/// The children of one type; none for a type that is not git's.
pub(super) fn children(repository: &Path, child_type: &str) -> Result<Vec<GitChild>, Error> {
    let git = Git { repository };
    std::fs::metadata(repository).map_err(Error::io("look at", repository))?;
    match child_type {
        "git-branch" => git.refs("heads"),
        "git-tag" => git.refs("tags"),
        "git-remote" => git.remotes(),
        "git-worktree" => git.worktrees(),
        "git-submodule" => git.submodules(),
        _ => Ok(Vec::new()),
    }
}

/// How the location of something that is no file begins: the repository, then `#` and what it is.
pub(super) fn address(repository: &Path, what: &str) -> String {
    format!("git+file://{}#{what}", escape(repository.as_os_str().as_encoded_bytes()))
}

struct Git<'a> {
    repository: &'a Path,
}

impl Git<'_> {
    fn refs(&self, kind: &str) -> Result<Vec<GitChild>, Error> {
        let below = format!("refs/{kind}/");
        let lines = self.ask(&["for-each-ref", "--format=%(refname)", &below])?;
        Ok(lines
            .split(|byte| *byte == b'\n')
            .filter_map(|line| line.strip_prefix(b"refs/"))
            .map(|name| {
                let entry = escape(name);
                GitChild { location: address(self.repository, &format!("refs/{entry}")), entry, description: None }
            })
            .collect())
    }

    fn remotes(&self) -> Result<Vec<GitChild>, Error> {
        let mut remotes: Vec<GitChild> = Vec::new();
        for (key, url) in self.settings(&[], r"^remote\..*\.url$")? {
            let name = key.strip_prefix("remote.").and_then(|key| key.strip_suffix(".url")).unwrap_or(&key);
            let entry = format!("remotes/{name}");
            // a remote may have several addresses; the first is the one that is fetched from
            if remotes.iter().all(|other| other.entry != entry) {
                let location = address(self.repository, &entry);
                remotes.push(GitChild { entry, location, description: Some(url) });
            }
        }
        remotes.sort_by(|a, b| a.entry.cmp(&b.entry));
        Ok(remotes)
    }

    /// The further work trees; the first of the list is the repository's own.
    fn worktrees(&self) -> Result<Vec<GitChild>, Error> {
        let list = self.ask(&["worktree", "list", "--porcelain", "-z"])?;
        let mut trees = Vec::new();
        let mut at: Option<PathBuf> = None;
        let (mut gone, mut nth) = (false, 0);
        for line in list.split(|byte| *byte == 0) {
            if let Some(path) = line.strip_prefix(b"worktree ") {
                at = Some(path_of_bytes(path));
                gone = false;
            } else if line.starts_with(b"prunable") {
                gone = true;
            } else if line.is_empty()
                && let Some(path) = at.take()
            {
                if nth > 0 && !gone {
                    let name = path.file_name().unwrap_or_default();
                    let entry = format!("worktrees/{}", escape(name.as_encoded_bytes()));
                    trees.push(GitChild { entry, location: location_of(&path), description: None });
                }
                nth += 1;
            }
        }
        Ok(trees)
    }

    fn submodules(&self) -> Result<Vec<GitChild>, Error> {
        let own_tree = self.repository.file_name().is_some_and(|name| name == ".git");
        let tree = self.repository.parent().filter(|_| own_tree);
        let modules = tree.map(|tree| tree.join(".gitmodules"));
        let settings = match &modules {
            Some(modules) if modules.is_file() => {
                let file = [std::ffi::OsStr::new("--file"), modules.as_os_str()];
                self.settings(&file, r"^submodule\..*\.path$")?
            }
            // a bare repository has them in its newest commit, if it has one
            None if self.ask(&["cat-file", "-e", "HEAD:.gitmodules"]).is_ok() => {
                let blob = ["--blob", "HEAD:.gitmodules"].map(std::ffi::OsStr::new);
                self.settings(&blob, r"^submodule\..*\.path$")?
            }
            _ => Vec::new(),
        };
        let mut children: Vec<GitChild> = settings
            .into_iter()
            .map(|(_, path)| {
                let entry = format!("modules/{path}");
                let location =
                    tree.map_or_else(|| address(self.repository, &entry), |tree| location_of(&tree.join(&path)));
                GitChild { entry, location, description: None }
            })
            .collect();
        children.sort_by(|a, b| a.entry.cmp(&b.entry));
        Ok(children)
    }

    /// The settings whose key matches, from the repository's own configuration or another source.
    fn settings(&self, source: &[&std::ffi::OsStr], pattern: &str) -> Result<Vec<(String, String)>, Error> {
        let mut arguments = vec![std::ffi::OsStr::new("config")];
        arguments.extend_from_slice(source);
        arguments.extend(["--null", "--get-regexp", pattern].map(std::ffi::OsStr::new));
        let output = self.run(&arguments)?;
        // 1 means that nothing matches
        if output.status.code() == Some(1) {
            return Ok(Vec::new());
        }
        let text = self.read(output)?;
        Ok(text
            .split(|byte| *byte == 0)
            .filter(|entry| !entry.is_empty())
            .map(|entry| {
                let at = entry.iter().position(|byte| *byte == b'\n').unwrap_or(entry.len());
                (escape(&entry[..at]), escape(entry.get(at + 1..).unwrap_or_default()))
            })
            .collect())
    }

    fn ask(&self, arguments: &[&str]) -> Result<Vec<u8>, Error> {
        let arguments: Vec<&std::ffi::OsStr> = arguments.iter().map(std::ffi::OsStr::new).collect();
        self.read(self.run(&arguments)?)
    }

    fn run(&self, arguments: &[&std::ffi::OsStr]) -> Result<std::process::Output, Error> {
        // not `--git-dir`, which would take a repository of another owner without a word
        let linked = self.repository.parent().filter(|_| self.repository.is_file());
        let mut command =
            crate::git::at(linked.unwrap_or(self.repository)).map_err(Error::io("run git on", self.repository))?;
        command.args(arguments);
        command.output().map_err(Error::io("run git on", self.repository))
    }

    fn read(&self, output: std::process::Output) -> Result<Vec<u8>, Error> {
        if output.status.success() {
            return Ok(output.stdout);
        }
        let why = crate::git::reason(&output.stderr);
        Err(Error::Invalid(format!("git cannot read {}: {why}", self.repository.display())))
    }
}

#[cfg(unix)]
fn path_of_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

#[cfg(not(unix))]
fn path_of_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}
