//! The git program, started so that a repository somebody else made cannot make it do anything.
//!
//! Nothing the environment says of a repository is heard, since it is about another one (a hook may have started us).
//! Git asks nobody for anything, fetches nothing, starts no monitor and takes no lock, and waits for no pipe.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::bounded;

/// The git program, ready for its arguments. Its input is empty.
pub fn command() -> Command {
    let mut command = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"GIT_") {
            command.env_remove(name);
        }
    }
    command
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("LC_ALL", "C")
        .args(["-c", "core.fsmonitor=false", "-c", "core.quotepath=off"])
        .stdin(Stdio::null());
    command
}

/// The git program on the repository of a folder, which git itself finds and whose owner it checks.
///
/// # Errors
/// As [`look`].
pub fn at(folder: &Path) -> io::Result<Command> {
    let inside = folder.join(".git");
    look(if inside.is_dir() { &inside } else { folder })?;
    let mut command = command();
    command.arg("-C").arg(folder);
    Ok(command)
}

/// Looks at a repository before git does, which would wait for a pipe that lies where it expects a file.
///
/// # Errors
/// What is no regular file. A folder that is no repository has nothing to look at.
pub fn look(repository: &Path) -> io::Result<()> {
    const OPENED: [&str; 7] =
        ["HEAD", "config", "config.worktree", "index", "packed-refs", "shallow", "objects/info/alternates"];
    let is_one = ["objects", "refs"].iter().all(|folder| repository.join(folder).is_dir());
    for file in OPENED.iter().filter(|_| is_one).map(|name| repository.join(name)) {
        if let Ok(found) = file.metadata() {
            bounded::regular(&found).map_err(|why| io::Error::new(why.kind(), format!("{}: {why}", file.display())))?;
        }
    }
    Ok(())
}

/// The first line of what git said of a failure, without its `fatal: `.
pub fn reason(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    said.lines().next().unwrap_or("git failed without a word").trim_start_matches("fatal: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_cannot_have_its_own_program_run_by_a_look() {
        let dir = tempfile::tempdir().unwrap();
        let repository = dir.path().join("r");
        let git = |arguments: &[&str]| {
            let done = at(dir.path()).unwrap().args(arguments).output().unwrap();
            assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        };
        git(&["init", "-q", repository.to_str().unwrap()]);
        let marker = dir.path().join("ran");
        let program = format!("touch {}", marker.display());
        let set = |key: &str, value: &str| git(&["-C", repository.to_str().unwrap(), "config", key, value]);
        set("remote.origin.url", dir.path().to_str().unwrap());
        set("remote.origin.promisor", "true");
        set("remote.origin.uploadpack", &program);
        set("extensions.partialclone", "origin");
        set("core.fsmonitor", &program);
        let missing = "cat-file -e 1234567890123456789012345678901234567890";
        let looked = at(&repository).unwrap().args(missing.split(' ')).output().unwrap();
        assert!(!looked.status.success());
        at(&repository).unwrap().args(["ls-files", "-s"]).output().unwrap();
        assert!(!marker.exists(), "the repository's program has run");
    }
}
