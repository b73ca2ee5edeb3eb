//! A finding: something about the user's files or registry that they would want to know, with its place and its fix.
//! All three parts report this one shape, so that `check`, the Problems pane and every `--json` answer agree.

use serde::{Deserialize, Serialize};

/// The part a finding belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Area {
    /// The resource DAG.
    Resources,
    /// The directory contracts.
    Contracts,
    /// The package selection.
    Selection,
}

/// How much a finding matters: `check` fails on errors, with `--strict` on warnings too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A rule is broken.
    Error,
    /// Legal, and likely not meant.
    Warning,
    /// Worth knowing.
    Note,
}

/// One finding. Lines and columns count from 1; columns are characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Finding {
    /// The part that reports it.
    pub area: Area,
    /// Its kind, a word or two with dashes (`duplicate-id`).
    pub code: String,
    /// How much it matters.
    pub severity: Severity,
    /// The file, directory, package or resource it is about; a path is relative to the workspace where it can be.
    pub path: String,
    /// The line in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in that line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The key in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What was expected there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What is the matter, in a sentence.
    pub message: String,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl Finding {
    /// A finding with its four required facts; the builders below add the rest.
    ///
    /// ```
    /// use dagwood::finding::{Area, Finding, Severity};
    /// let found = Finding::new(Area::Contracts, "unknown-key", Severity::Error, ".ai/README.md", "unknown key `ordr`")
    ///     .at(7)
    ///     .fix("write `order`");
    /// assert_eq!(found.place(), ".ai/README.md:7");
    /// ```
    pub fn new(
        area: Area,
        code: &str,
        severity: Severity,
        path: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Finding {
            area,
            code: code.to_owned(),
            severity,
            path: path.into(),
            line: None,
            column: None,
            key: None,
            expected: None,
            message: message.into(),
            fix: None,
        }
    }

    /// The same finding at a line.
    #[must_use]
    pub fn at(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    /// The same finding at a column of its line.
    #[must_use]
    pub fn column(mut self, column: usize) -> Self {
        self.column = Some(column);
        self
    }

    /// The same finding about a key.
    #[must_use]
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// The same finding with what was expected.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    /// The same finding with what to do.
    #[must_use]
    pub fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }

    /// `path:line:column`, as far as known; not escaped.
    pub fn place(&self) -> String {
        match (self.line, self.column) {
            (Some(line), Some(column)) => format!("{}:{line}:{column}", self.path),
            (Some(line), None) => format!("{}:{line}", self.path),
            _ => self.path.clone(),
        }
    }
}
