//! A workspace of a test's own, and the program run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A temporary workspace. Nothing of the machine's own configuration, state or caches is seen from it.
pub struct Here {
    dir: tempfile::TempDir,
}

impl Here {
    /// An empty workspace.
    pub fn new() -> Here {
        Here { dir: tempfile::tempdir().unwrap() }
    }

    /// A workspace with these files.
    pub fn with(files: &[(&str, &str)]) -> Here {
        let here = Here::new();
        for (name, text) in files {
            here.write(name, text);
        }
        here
    }

    /// Its folder.
    pub fn path(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("work")
    }

    /// Writes a file, its folders too.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Reads a file.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// Makes it a git work tree that tracks all that is there.
    pub fn track(&self) {
        self.git(&["init", "-q", "-b", "main"]);
        self.git(&["add", "-A", "-f"]);
    }

    /// Runs git in it.
    pub fn git(&self, arguments: &[&str]) {
        let done = Command::new("git").args(arguments).current_dir(self.path()).status().unwrap();
        assert!(done.success(), "git {arguments:?}");
    }

    /// The program, ready to run in a folder of the workspace.
    pub fn command(&self, folder: impl AsRef<Path>) -> Command {
        std::fs::create_dir_all(self.path()).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_dagwood"));
        command.current_dir(self.path().join(folder)).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.dir.path().join("home"));
        command
    }

    /// Runs the program.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command("").args(arguments).output().unwrap()
    }

    /// Runs it, and gives its standard output; it must end with status 0.
    pub fn text(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs it with `--json`, and gives the document; it must end with status 0 and leave standard error empty.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let output = self.command("").args(arguments).arg("--json").output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && error.is_empty(), "{arguments:?}: {error}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Runs it with `--json`, and gives the status and the error document; standard output must be empty.
    pub fn refused(&self, arguments: &[&str]) -> (i32, Value) {
        let output = self.command("").args(arguments).arg("--json").output().unwrap();
        assert!(output.stdout.is_empty(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
        let document: Value = serde_json::from_slice(&output.stderr).unwrap();
        (output.status.code().unwrap(), document["error"].clone())
    }
}
