//! What git tracks, asked of the `git` program.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::bounded;

/// An entry of git's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Link,
    Submodule,
}

/// A record of `ls-files -s`: mode, object and stage, a tab, the path.
fn entry(record: &[u8]) -> Option<(Kind, &[u8])> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let kind = match &record[..6.min(tab)] {
        b"120000" => Kind::Link,
        b"160000" => Kind::Submodule,
        _ => Kind::File,
    };
    Some((kind, &record[tab + 1..]))
}

/// The file in which git keeps what it tracks.
pub(crate) fn index_file(top: &Path) -> Option<PathBuf> {
    let dot_git = top.join(".git");
    if dot_git.is_dir() {
        return Some(dot_git.join("index"));
    }
    // a linked work tree or a submodule: a file that names the folder
    let text = String::from_utf8(bounded::read(&dot_git, bounded::BY_HAND).ok()?).ok()?;
    let folder = text.strip_prefix("gitdir:")?.trim();
    Some(top.join(folder).join("index"))
}

/// The branch of the work tree whose index this is; of a detached one the beginning of the commit.
pub(super) fn branch(index: &Path) -> Option<String> {
    let head = String::from_utf8(bounded::read(&index.with_file_name("HEAD"), bounded::BY_HAND).ok()?).ok()?;
    let head = head.trim();
    match head.strip_prefix("ref:") {
        Some(name) => Some(name.trim().trim_start_matches("refs/heads/").to_owned()),
        None => head.get(..7).map(str::to_owned),
    }
}

/// Takes what git tracks under a path, as git says it: each path once, in byte order.
///
/// # Errors
/// What git said, or why it could not be started; what was taken before then is not all.
pub(super) fn tracked(top: &Path, path: &[u8], mut take: impl FnMut(Kind, &[u8])) -> Result<(), String> {
    let path = super::disk::at(Path::new(""), path);
    let arguments = ["--literal-pathspecs", "ls-files", "-s", "-z", "--"];
    let mut command = command(top, &arguments, path.as_os_str())?;
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut git = command.spawn().map_err(|error| could_not_start(&error))?;
    let errors = git.stderr.take();
    // beside the entries, so that neither pipe fills while the other is read
    let said = std::thread::spawn(move || {
        let mut said = Vec::new();
        errors.map(|mut errors| errors.read_to_end(&mut said));
        said
    });
    let mut records = BufReader::with_capacity(1 << 16, git.stdout.take().ok_or("git has no output")?);
    let (mut record, mut last) = (Vec::new(), Vec::new());
    loop {
        record.clear();
        let read = records.read_until(0, &mut record).map_err(|error| format!("git could not be read: {error}"))?;
        if read == 0 {
            break;
        }
        if record.last() == Some(&0) {
            record.pop();
        }
        // a conflicted path comes once for each stage
        if let Some((kind, path)) = entry(&record)
            && path != last
        {
            take(kind, path);
            path.clone_into(&mut last);
        }
    }
    let status = git.wait().map_err(|error| format!("git could not be waited for: {error}"))?;
    if status.success() { Ok(()) } else { Err(crate::git::reason(&said.join().unwrap_or_default())) }
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
    let output = command(top, arguments, path)?.output().map_err(|error| could_not_start(&error))?;
    if output.status.success() { Ok(output.stdout) } else { Err(crate::git::reason(&output.stderr)) }
}

fn command(top: &Path, arguments: &[&str], path: &OsStr) -> Result<Command, String> {
    let mut command = crate::git::at(top).map_err(|error| could_not_start(&error))?;
    command.args(arguments).arg(path);
    Ok(command)
}

fn could_not_start(error: &std::io::Error) -> String {
    format!("git could not be started: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_branch_is_what_git_says_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| {
            let named = ["-c", "user.name=t", "-c", "user.email=t@t"];
            let output = crate::git::at(dir.path()).unwrap().args(named).args(arguments).output().unwrap();
            assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        let branch = |top: &Path| branch(&index_file(top).unwrap());
        git(&["init", "-q", "-b", "work/on-it"]);
        assert_eq!(branch(dir.path()).unwrap(), "work/on-it", "before the first commit, too");
        git(&["commit", "-q", "--allow-empty", "-m", "one"]);
        git(&["worktree", "add", "-q", "-b", "other", "beside"]);
        assert_eq!(branch(&dir.path().join("beside")).unwrap(), "other");
        git(&["checkout", "-q", "--detach"]);
        assert!(git(&["rev-parse", "HEAD"]).starts_with(&branch(dir.path()).unwrap()));
        std::fs::write(dir.path().join(".git/HEAD"), "").unwrap();
        assert_eq!(branch(dir.path()), None);
    }
}
