//! `contract validate`: the findings of the layer.

use std::fmt::Write;
use std::io;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::super::Context;
use super::super::output::{Answer, Printer, Tone};
use crate::error::Exit;
use crate::finding::{Finding, Severity};

/// How to tell them.
#[derive(Debug, Args)]
pub struct Validate {
    /// The form of the report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
}

/// The forms of a report of findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    #[default]
    Text,
    /// One JSON document
    Json,
    /// Annotations of GitHub's workflows
    Github,
}

#[derive(Serialize)]
struct Findings {
    findings: Vec<Finding>,
}

impl Validate {
    /// Runs the verb.
    pub fn run(self, context: &Context) -> Answer {
        let layer = super::read(context);
        let findings = layer.validate();
        let failed = findings.iter().any(|finding| finding.severity == Severity::Error);
        let nothing = layer.index.tallies().directories == 0 && findings.is_empty();
        let begin = nothing.then(|| super::how_to_begin(&layer));
        let format = self.format;
        let answer = Answer::new(Findings { findings }, move |Findings { findings }, to| match format {
            Format::Text => text(findings, begin.as_deref(), to),
            Format::Json => to.raw(&(serde_json::to_string(&Findings { findings: findings.clone() })? + "\n")),
            Format::Github => findings.iter().try_for_each(|finding| to.raw(&annotation(finding))),
        });
        if failed { answer.exit(Exit::Refused) } else { answer }
    }
}

fn text(findings: &[Finding], begin: Option<&str>, to: &mut Printer<'_>) -> io::Result<()> {
    for finding in findings {
        let (word, tone) = match finding.severity {
            Severity::Error => ("error", Tone::Bad),
            Severity::Warning => ("warning", Tone::Warn),
            Severity::Note => ("note", Tone::Dim),
        };
        to.part(format!("{}: ", finding.place()))?;
        to.toned(tone, format!("{word}: {}", finding.code))?;
        to.line(format!(": {}", finding.message))?;
        if let Some(fix) = &finding.fix {
            to.toned(Tone::Dim, format!("    fix: {fix}"))?;
            to.line("")?;
        }
    }
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    match begin {
        Some(begin) => to.line(begin),
        None => to.line(format!("{} errors, {} warnings", count(Severity::Error), count(Severity::Warning))),
    }
}

/// A finding as a workflow command. What would end a value early is written in GitHub's own escapes.
fn annotation(finding: &Finding) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    // writing to a string cannot fail
    let mut place = format!("file={}", property(&finding.path));
    if let Some(line) = finding.line {
        let _ = write!(place, ",line={line}");
    }
    if let Some(column) = finding.column {
        let _ = write!(place, ",col={column}");
    }
    let fix = finding.fix.as_ref().map(|fix| format!("\nfix: {fix}")).unwrap_or_default();
    let title = property(&finding.code);
    format!("::{level} {place},title={title}::{}\n", data(&format!("{}{fix}", finding.message)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Area;

    #[test]
    fn an_annotation_is_one_line_whatever_names_hold() {
        let finding = Finding::new(Area::Contracts, "unknown-key", Severity::Error, "a,b:c%.md", "two\nlines: 100%")
            .at(3)
            .fix("x");
        assert_eq!(
            annotation(&finding),
            "::error file=a%2Cb%3Ac%25.md,line=3,title=unknown-key::two%0Alines: 100%25%0Afix: x\n"
        );
    }
}
