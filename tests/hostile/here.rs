//! A workspace of a test's own, and the program run in it.

use std::path::PathBuf;
use std::process::Command;

/// A temporary workspace. Nothing of the machine's own configuration, state or caches is seen from it.
pub struct Here(tempfile::TempDir);

impl Here {
    /// A workspace with these files.
    pub fn with(files: &[(&str, &str)]) -> Here {
        let here = Here(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(here.path()).unwrap();
        for (name, text) in files {
            here.write(name, text);
        }
        here
    }

    /// Its folder.
    pub fn path(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap().join("work")
    }

    /// Writes a file, its folders too.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// A program that sees this workspace and nothing else of the machine.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path()).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.0.path().join("home"));
        command
    }
}

/// The program.
pub const DAGWOOD: &str = env!("CARGO_BIN_EXE_dagwood");
