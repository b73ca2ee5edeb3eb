//! The rules of directory contracts, one test a code.
//!
//! `R` is `.ai/repo`; a plain file is `x`.

mod chains;
mod documents;
mod findings;
mod fixing;
mod fresh;
mod reasons;
mod states;
mod trying;

use std::collections::BTreeMap;
use std::sync::Arc;

use dagwood::contracts::resolve::resolve;
use dagwood::contracts::{Index, Request, chain};
use serde_json::Value;

pub const R: &str = ".ai/repo";

/// The text of a contract; every key can be set, and `None` leaves one out.
pub struct Doc {
    keys: Vec<(String, Option<String>)>,
}

pub fn doc(id: &str) -> Doc {
    let keys = [
        ("schema", "context/v1"),
        ("id", id),
        ("kind", "context"),
        ("title", "A title"),
        ("description", "What it is about."),
        ("status", "active"),
        ("scope", "subtree"),
        ("providers", "[\"*\"]"),
        ("audience", "[human, agent]"),
        ("composition", "extend"),
        ("order", "100"),
    ];
    Doc { keys: keys.map(|(key, value)| (key.to_owned(), Some(value.to_owned()))).into() }
}

impl Doc {
    pub fn with(mut self, key: &str, value: &str) -> Doc {
        match self.keys.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = Some(value.to_owned()),
            None => self.keys.push((key.to_owned(), Some(value.to_owned()))),
        }
        self
    }

    pub fn without(mut self, key: &str) -> Doc {
        self.keys.retain(|(known, _)| known != key);
        self
    }

    pub fn requires(self, required: &str) -> Doc {
        self.below(&format!("  require_contract: {required}\n"))
    }

    pub fn exempts(self, entries: &str) -> Doc {
        self.below(&format!("  exempt: [{entries}]\n"))
    }

    /// A line below `children`.
    fn below(mut self, line: &str) -> Doc {
        match self.keys.iter_mut().find(|(known, _)| known == "children") {
            Some((_, Some(old))) => *old += line,
            _ => self.keys.push(("children".to_owned(), Some(format!("\n{line}")))),
        }
        self
    }

    pub fn replaces(self, ids: &str) -> Doc {
        self.with("composition", "replace").with("supersedes", &format!("[{ids}]"))
    }

    pub fn explicit(self, paths: &str) -> Doc {
        self.with("scope", "explicit").with("paths", &format!("[{paths}]"))
    }

    pub fn block(&self) -> String {
        let line = |(key, value): &(String, Option<String>)| {
            format!("{key}: {}\n", value.as_deref().unwrap_or_default().trim_end())
        };
        self.keys.iter().map(line).collect()
    }

    pub fn text(&self) -> String {
        format!("---\n{}---\n\n# Body\n", self.block())
    }
}

/// A small layer, made of file texts.
#[derive(Default)]
pub struct Small {
    files: BTreeMap<String, Vec<u8>>,
}

pub fn layer() -> Small {
    Small::default()
}

impl Small {
    /// With a contract in a folder's README.md.
    pub fn contract(self, folder: &str, doc: &Doc) -> Small {
        self.file(&format!("{folder}/README.md"), doc.text())
    }

    /// With a plain file in a folder.
    pub fn x(self, folder: &str) -> Small {
        self.file(&format!("{folder}/x"), "x\n")
    }

    /// With a file.
    pub fn file(mut self, path: &str, text: impl AsRef<[u8]>) -> Small {
        self.files.insert(path.to_owned(), text.as_ref().to_owned());
        self
    }

    pub fn index(&self) -> Arc<Index> {
        let files = self.files.iter().map(|(path, text)| (path.as_str(), text.as_slice()));
        Arc::new(Index::of_texts(".ai", files))
    }

    /// The answer to a request, as JSON.
    pub fn ask(&self, request: &Request) -> Value {
        serde_json::to_value(resolve(&self.index(), request).unwrap()).unwrap()
    }

    pub fn answer(&self) -> Value {
        self.ask(&Request::default())
    }

    /// The view of a directory.
    pub fn directory(&self, path: &str) -> Value {
        let answer = self.answer();
        let found = answer["directories"].as_array().unwrap().iter().find(|view| view["path"] == path);
        found.cloned().unwrap_or_else(|| panic!("{path} is not listed"))
    }

    /// The state of a directory, with who governs and who exempts it.
    pub fn state(&self, path: &str) -> String {
        self.directory(path)["state"].as_str().unwrap().to_owned()
    }

    pub fn governed_by(&self, path: &str) -> Option<String> {
        self.directory(path)["governed_by"].as_str().map(str::to_owned)
    }

    pub fn exempted_by(&self, path: &str) -> Option<String> {
        self.directory(path)["exempted_by"].as_str().map(str::to_owned)
    }

    /// The paths of the directories listed.
    pub fn listed(&self) -> Vec<String> {
        paths(&self.answer())
    }

    /// The ids of a directory's chain.
    pub fn chain(&self, path: &str) -> Vec<String> {
        let index = self.index();
        let folder = index.find(path.as_bytes()).unwrap();
        chain(&index, folder).iter().map(|step| index.contract(step.document).unwrap().id.clone()).collect()
    }

    /// The codes of what was found while reading, with their lines.
    pub fn found(&self) -> Vec<(String, Option<usize>)> {
        let findings = dagwood::contracts::validate::reading(&self.index());
        findings.into_iter().map(|finding| (finding.code, finding.line)).collect()
    }
}

pub fn paths(answer: &Value) -> Vec<String> {
    let views = answer["directories"].as_array().unwrap();
    views.iter().map(|view| view["path"].as_str().unwrap().to_owned()).collect()
}

pub fn tallies(answer: &Value) -> [u64; 4] {
    ["directories", "documented", "exempt", "owed"].map(|key| answer["tallies"][key].as_u64().unwrap())
}
