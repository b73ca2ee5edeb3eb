//! What git tracks, asked of the `git` program.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What git says it tracks.
pub(super) struct Tracked {
    output: Vec<u8>,
}

/// An entry of git's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Link,
    Submodule,
}

impl Tracked {
    /// The entries, each path once, in byte order.
    pub fn entries(&self) -> impl Iterator<Item = (Kind, &[u8])> {
        let mut last: &[u8] = b"";
        self.output.split(|byte| *byte == 0).filter_map(move |record| {
            // mode, object and stage, a tab, the path; a conflicted path comes once for each stage
            let tab = record.iter().position(|byte| *byte == b'\t')?;
            let path = &record[tab + 1..];
            if std::mem::replace(&mut last, path) == path {
                return None;
            }
            let kind = match &record[..6.min(tab)] {
                b"120000" => Kind::Link,
                b"160000" => Kind::Submodule,
                _ => Kind::File,
            };
            Some((kind, path))
        })
    }
}

/// The file in which git keeps what it tracks.
pub(super) fn index_file(top: &Path) -> Option<PathBuf> {
    let dot_git = top.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git.join("index"));
    }
    // a linked work tree or a submodule: a file that names the folder
    let text = std::fs::read_to_string(&dot_git).ok()?;
    let folder = text.strip_prefix("gitdir:")?.trim();
    Some(top.join(folder).join("index"))
}

/// What git tracks under a path.
///
/// # Errors
/// What git said, or why it could not be started.
pub(super) fn tracked(top: &Path, path: &[u8]) -> Result<Tracked, String> {
    let path = super::disk::at(Path::new(""), path);
    let output = run(top, &["--literal-pathspecs", "ls-files", "-s", "-z", "--"], path.as_os_str())?;
    Ok(Tracked { output })
}

/// Every file that git tracks in the repository.
pub(super) struct Files {
    output: Vec<u8>,
    /// Where each path begins; the paths are in byte order.
    starts: Vec<usize>,
}

/// Every file that git tracks.
///
/// # Errors
/// As [`tracked`].
pub(super) fn files(top: &Path) -> Result<Files, String> {
    let output = run(top, &["ls-files", "-z", "--"], OsStr::new("."))?;
    let ends = output.iter().enumerate().filter(|(_, byte)| **byte == 0).map(|(end, _)| end + 1);
    let mut starts: Vec<usize> = std::iter::once(0).chain(ends).collect();
    starts.pop();
    Ok(Files { output, starts })
}

impl Files {
    /// Whether a plain path is a tracked file, or a folder of some.
    pub fn holds(&self, path: &str) -> bool {
        let path = path.strip_prefix("./").unwrap_or(path).trim_end_matches('/').as_bytes();
        if path.is_empty() || path == b"." {
            return !self.starts.is_empty();
        }
        let at = |start: usize| {
            let rest = &self.output[start..];
            &rest[..rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len())]
        };
        let below = [path, b"/"].concat();
        let starts_with = |wanted: &[u8]| {
            let first = self.starts.partition_point(|start| at(*start) < wanted);
            self.starts.get(first).map(|start| at(*start))
        };
        starts_with(path).is_some_and(|found| found == path)
            || starts_with(&below).is_some_and(|found| found.starts_with(&below))
    }
}

/// What lies under a path and is not tracked, ignored or not; a folder without tracked files stands for what is in it,
/// and ends in a slash.
///
/// # Errors
/// As [`tracked`].
pub(super) fn untracked(top: &Path, path: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let path = super::disk::at(Path::new(""), path);
    let arguments = ["--literal-pathspecs", "ls-files", "-z", "--others", "--directory", "--no-empty-directory", "--"];
    let output = run(top, &arguments, path.as_os_str())?;
    Ok(output.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(<[u8]>::to_vec).collect())
}

/// Whether a pathspec matches a tracked file.
pub(super) fn matches(top: &Path, pathspec: &str) -> bool {
    // asked whether nothing matches, so that a pathspec git cannot read counts as matching: no finding without a reason
    run(top, &["ls-files", "-z", "--"], OsStr::new(pathspec)).map_or(true, |output| !output.is_empty())
}

fn run(top: &Path, arguments: &[&str], path: &OsStr) -> Result<Vec<u8>, String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(top)
        .args(["-c", "core.fsmonitor=false", "-c", "core.quotepath=off"])
        .args(arguments)
        .arg(path)
        // the place is given by its folder, whatever an outer git says
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("git could not be started: {error}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(said.lines().next().unwrap_or("git failed without a word").trim_start_matches("fatal: ").to_owned())
}
