//! `check`: every finding of the three parts, for people, scripts and continuous integration.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use super::Context;
use super::findings::{Format, Report};
use super::output::Answer;
use crate::bounded;
use crate::edit::{FileEdit, Plan, carry_out};
use crate::error::{Code, Coded, Exit, Failure, InvalidInput};
use crate::finding::{Area, Finding, Severity};

/// What to check, and how to tell.
#[derive(Debug, Args)]
pub struct Check {
    /// Only these parts
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART")]
    only: Vec<Part>,
    /// Fail on warnings too
    #[arg(long)]
    strict: bool,
    /// Leave out the findings that this file lists
    #[arg(long, value_name = "FILE", conflicts_with = "write_baseline")]
    baseline: Option<PathBuf>,
    /// Write the findings of now to this file, to be left out later
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    /// Say what would be written to the baseline, and write nothing
    #[arg(long, requires = "write_baseline")]
    dry_run: bool,
    /// How to tell
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
}

/// A part of the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    Resources,
    Contracts,
    Selection,
}

/// A baseline could not be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} the baseline {}: {source}", file.display())]
struct Baseline {
    doing: &'static str,
    file: PathBuf,
    source: std::io::Error,
}

impl Coded for Baseline {
    fn code(&self) -> Code {
        Code::Io
    }

    fn fields(&self) -> Map<String, Value> {
        Map::from_iter([("file".to_owned(), json!(self.file.to_string_lossy()))])
    }
}

impl Check {
    /// Runs the command.
    pub fn run(self, context: &Context) -> Result<Answer, Failure> {
        let wanted = |part| self.only.is_empty() || self.only.contains(&part);
        let areas = [
            (Part::Resources, Area::Resources),
            (Part::Contracts, Area::Contracts),
            (Part::Selection, Area::Selection),
        ];
        if wanted(Part::Contracts) {
            context.named_layer()?;
        }
        if wanted(Part::Resources) {
            context.named_registry()?;
        }
        let mut findings = Vec::new();
        for (part, area) in areas {
            if wanted(part) {
                findings.extend(context.workspace.findings(area));
            }
        }
        findings.sort_by(|a, b| (a.severity, a.area, &a.path, a.line).cmp(&(b.severity, b.area, &b.path, b.line)));
        if let Some(file) = &self.write_baseline {
            return write_baseline(context, file, findings, self.dry_run);
        }
        if let Some(file) = &self.baseline {
            let known = read_baseline(&context.workspace.start.join(file))?;
            findings.retain(|finding| !known.contains(&identity(finding)));
        }
        let report = Report { findings };
        let failed = match report.worst() {
            Some(Severity::Error) => true,
            Some(Severity::Warning) => self.strict,
            _ => false,
        };
        let (format, workspace) = (self.format, &context.workspace);
        let absent = areas.into_iter().filter(|(part, area)| wanted(*part) && !workspace.has(*area));
        let absent: Vec<String> = absent.map(|(_, area)| workspace.beginning(area).line()).collect();
        let answer = Answer::new(report, move |report, to| {
            report.tell(format, to)?;
            // "nothing found" must not be taken for "all is well" where nothing was looked at
            if report.findings.is_empty() && format == Format::Text {
                absent.iter().try_for_each(|line| to.line(format!("  {line}")))?;
            }
            Ok(())
        });
        Ok(answer.exit(if failed { Exit::Refused } else { Exit::Done }))
    }
}

/// What makes two findings the same one, wherever the line has moved to.
fn identity(finding: &Finding) -> (Area, String, String, String) {
    (finding.area, finding.code.clone(), finding.path.clone(), finding.message.clone())
}

/// A baseline that is read.
#[derive(serde::Deserialize)]
struct Known {
    findings: Vec<Finding>,
}

fn read_baseline(file: &Path) -> Result<HashSet<(Area, String, String, String)>, Failure> {
    let text = bounded::read_named(file, bounded::DOCUMENT);
    let text = text.map_err(|source| Baseline { doing: "read", file: file.to_owned(), source })?;
    let known: Known = serde_json::from_slice(&text)
        .map_err(|error| InvalidInput(format!("{}:{}: not a baseline: {error}", file.display(), error.line())))?;
    Ok(known.findings.iter().map(identity).collect())
}

/// Writes the findings to the baseline, as one write that can be undone.
fn write_baseline(context: &Context, file: &Path, findings: Vec<Finding>, dry: bool) -> Result<Answer, Failure> {
    let workspace = &context.workspace;
    let place = workspace.start.join(file);
    let failed = |doing| move |source| Baseline { doing, file: file.to_owned(), source };
    let count = findings.len();
    let report = Report { findings };
    let text = serde_json::to_string_pretty(&report).map_err(|error| failed("write")(error.into()))? + "\n";
    let before = match bounded::read(&place, bounded::DOCUMENT) {
        Ok(before) => Some(before),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(failed("read")(error).into()),
    };
    let edit = match before {
        Some(before) if before == text.as_bytes() => None,
        // only a baseline is replaced by a baseline
        Some(before) if serde_json::from_slice::<Known>(&before).is_err() => {
            return Err(crate::edit::Error::AlreadyExists { file: place }.into());
        }
        Some(before) => Some(FileEdit::change(&place, before, text)),
        None => Some(FileEdit::create(&place, text)),
    };
    if let Some(edit) = edit.filter(|_| !dry) {
        workspace.may_write()?;
        let root = place.parent().unwrap_or(&workspace.start).to_owned();
        let plan = Plan { label: format!("baseline {}", file.display()), root, edits: vec![edit] };
        carry_out(&plan, &workspace.journal(), || Ok(()))?;
    }
    let file = file.display().to_string();
    Ok(Answer::new(report, move |_, to| {
        let s = if count == 1 { "" } else { "s" };
        to.line(format!("{count} finding{s} {}written to {file}", if dry { "would be " } else { "" }))
    }))
}
