//! Projects on the disk, laid out by a test.

use std::path::{Path, PathBuf};
use std::process::Command;

use dagwood::finding::{Finding, Severity};
use dagwood::selection::{Environment, Project, Selection, find, findings, select};

/// A temporary folder with files.
pub struct Disk(tempfile::TempDir);

/// A project that has been read, and its selection.
pub struct Told {
    pub project: Project,
    pub selection: Selection,
    pub findings: Vec<Finding>,
}

pub const AGENT: &str = "---\nname: x\n---\n";
pub const SKILL: &str = "---\nname: x\ndescription: d\n---\n";
pub const PACKAGE: &str = "[package]\nname = \"p\"\nversion = \"0.1.0\"\n";

impl Disk {
    pub fn new() -> Disk {
        Disk(tempfile::tempdir().unwrap())
    }

    pub fn with(files: &[(&str, &str)]) -> Disk {
        let disk = Disk::new();
        for (name, text) in files {
            disk.write(name, text);
        }
        disk
    }

    pub fn path(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }

    pub fn write(&self, name: &str, text: &str) {
        let file = self.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    /// Reads the project found from a folder; caches are below `cache`.
    pub fn read(&self, folder: &str) -> Told {
        let found = find(&self.path().join(folder));
        let environment = Environment { cache: Some(self.path().join("cache")) };
        let project = Project::read(&found.project.unwrap(), &environment);
        let selection = select(project.graph());
        let findings = findings(&project, &selection);
        Told { project, selection, findings }
    }

    /// A clone with one commit of a folder's files; gives the commit.
    pub fn commit(&self, folder: &str) -> String {
        let at = self.path().join(folder);
        git(&at, &["init", "-q", "-b", "main"]);
        git(&at, &["add", "-A", "-f"]);
        let who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
        git(&at, &[&who[..], &["commit", "-q", "-m", "one"]].concat());
        git(&at, &["rev-parse", "HEAD"]).trim().to_owned()
    }
}

pub fn git(at: &Path, arguments: &[&str]) -> String {
    let done = Command::new("git").args(arguments).current_dir(at).output().unwrap();
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

impl Told {
    /// The items, as in the notation, without requesters.
    pub fn items(&self) -> Vec<String> {
        let whole = super::notation::items(&self.selection);
        whole.iter().map(|line| line.split(" <- ").next().unwrap().to_owned()).collect()
    }

    pub fn missing(&self) -> Vec<String> {
        super::notation::missing(&self.selection)
    }

    /// The finding of a code; there must be one.
    #[track_caller]
    pub fn finding(&self, code: &str) -> &Finding {
        match self.findings.iter().find(|found| found.code == code) {
            Some(found) => found,
            None => panic!("no {code} among {:#?}", self.findings),
        }
    }

    pub fn codes(&self, severity: Severity) -> Vec<&str> {
        self.findings.iter().filter(|found| found.severity == severity).map(|found| &*found.code).collect()
    }
}
