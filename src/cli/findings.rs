//! Findings as they leave the program: for people, as one JSON document, as annotations of GitHub's workflows. `check`
//! and `contract validate` tell them alike.

use std::io;

use clap::ValueEnum;
use serde::Serialize;

use super::output::{Printer, Tone};
use crate::finding::{Finding, Severity};
use crate::text::visible;

/// How findings are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Text,
    /// One JSON document
    Json,
    /// Annotations of GitHub's workflows
    Github,
}

/// Findings, as the JSON document holds them.
#[derive(Debug, Serialize)]
pub struct Report {
    /// All of them.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Tells the findings in a form.
    ///
    /// # Errors
    /// When writing fails.
    pub fn tell(&self, format: Format, to: &mut Printer<'_>) -> io::Result<()> {
        match format {
            Format::Text => text(&self.findings, to),
            Format::Json => to.json(|out| {
                serde_json::to_writer(&mut *out, self)?;
                writeln!(out)
            }),
            Format::Github => self.findings.iter().try_for_each(|finding| to.raw(&annotation(finding))),
        }
    }

    /// The worst severity among them.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).min()
    }
}

/// Findings for people, one block each, then the count.
fn text(findings: &[Finding], to: &mut Printer<'_>) -> io::Result<()> {
    for finding in findings {
        let (tone, word) = match finding.severity {
            Severity::Error => (Tone::Bad, "error"),
            Severity::Warning => (Tone::Warn, "warning"),
            Severity::Note => (Tone::Dim, "note"),
        };
        to.toned(tone, format!("{word:<8}"))?;
        to.part(format!("{}  ", finding.place()))?;
        to.toned(Tone::Dim, format!("[{}] ", finding.code))?;
        to.line(&finding.message)?;
        if let Some(fix) = &finding.fix {
            to.toned(Tone::Dim, "        fix: ")?;
            to.line(fix)?;
        }
    }
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    match (count(Severity::Error), count(Severity::Warning), count(Severity::Note)) {
        (0, 0, 0) => to.line("nothing found"),
        (errors, warnings, notes) => {
            let of = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
            to.line([of(errors, "error"), of(warnings, "warning"), of(notes, "note")].join(", "))
        }
    }
}

/// A finding as an annotation of GitHub's workflows, one line.
fn annotation(finding: &Finding) -> String {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    // what ends a property or a command there has a form of its own
    let data = |text: &str| visible(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let mut properties = format!("file={}", property(&finding.path));
    if let Some(line) = finding.line {
        properties = format!("{properties},line={line}");
    }
    if let Some(column) = finding.column {
        properties = format!("{properties},col={column}");
    }
    let fix = finding.fix.as_ref().map(|fix| format!(" ({fix})")).unwrap_or_default();
    let title = property(&finding.code);
    format!("::{level} {properties},title={title}::{}\n", data(&format!("{}{fix}", finding.message)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Area;

    #[test]
    fn an_annotation_is_one_line_whatever_names_hold() {
        let message = "two\nlines: 100%, and \u{1b}[31m";
        let finding =
            Finding::new(Area::Contracts, "unknown-key", Severity::Error, "a,b:c%.md", message).at(3).fix("x");
        assert_eq!(
            annotation(&finding),
            "::error file=a%2Cb%3Ac%25.md,line=3,title=unknown-key::two\\nlines: 100%25, and \\x1b[31m (x)\n"
        );
    }
}
