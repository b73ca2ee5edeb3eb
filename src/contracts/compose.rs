//! The composed text of a chain: what a reader of a directory is in effect told.

use super::front_matter::{Split, split};
use super::model::RepoPath;

/// A contract's share of a composed text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The document.
    pub path: RepoPath,
    /// Its body; bytes that are not UTF-8 are replaced.
    pub body: String,
}

/// The bodies of a chain, one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Composed {
    /// The parts, in the order of the chain.
    pub parts: Vec<Part>,
}

impl Composed {
    /// The total length of the bodies, in bytes.
    pub fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.body.len()).sum()
    }

    /// How much of the whole a part is, in percent, rounded.
    pub fn share(&self, part: &Part) -> usize {
        let all = self.bytes();
        (part.body.len() * 100 + all / 2).checked_div(all).unwrap_or(0)
    }

    /// The whole text, each body under a heading with its path.
    pub fn text(&self) -> String {
        let parts = self.parts.iter().map(|part| format!("# {}\n\n{}\n", part.path, part.body.trim_end()));
        parts.collect::<Vec<_>>().join("\n")
    }
}

/// The body of a document: what comes after its block, without empty lines at its beginning.
pub(super) fn body(bytes: &[u8]) -> String {
    let body = match split(bytes) {
        Split::Block { body, .. } => body,
        Split::Open { .. } | Split::NoBlock => bytes,
    };
    String::from_utf8_lossy(body).trim_start_matches(['\n', '\r']).to_owned()
}
