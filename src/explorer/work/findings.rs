//! What there is to say about a finding: the finding, the file around its line, the fix.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use crate::bounded;
use crate::explorer::model::{Detail, Line, Mark, Subject, Target, Tone};
use crate::finding::{Finding, Severity};

/// How many lines of the file are shown before and after the finding's.
const AROUND: usize = 6;

/// The mark of a severity.
pub fn mark(severity: Severity) -> Mark {
    match severity {
        Severity::Error => Mark::Error,
        Severity::Warning => Mark::Warning,
        Severity::Note => Mark::Note,
    }
}

/// The detail of a finding whose path is relative to `base`; `same` are the things it is about.
pub fn detail(finding: &std::sync::Arc<Finding>, base: &Path, same: Vec<Subject>) -> Detail {
    let file = base.join(&finding.path);
    let line = finding.line.unwrap_or(1);
    let opens = file.is_file().then(|| (file.clone(), line));
    let mut lines = vec![Line::plain(finding.message.as_str()), Line::blank()];
    let mut place = Line::fact("where", finding.place());
    if let Some((file, line)) = &opens {
        place = place.to(Target::File(file.clone(), *line));
    }
    lines.push(place);
    lines.extend(finding.key.as_ref().map(|key| Line::fact("key", key.as_str())));
    lines.extend(finding.expected.as_ref().map(|expected| Line::fact("expected", expected.as_str())));
    if let Some(fix) = &finding.fix {
        lines.push(Line::of(Tone::Dim, format!("{:<11}", "fix")).and(Tone::Good, fix.as_str()));
    }
    for subject in &same {
        if let Some(name) = name(subject) {
            lines.push(Line::of(Tone::Dim, format!("{:<11}", "about")).and(Tone::Accent, name).show(subject.clone()));
        }
    }
    if let (Some((file, _)), Some(line)) = (&opens, finding.line) {
        lines.push(Line::blank());
        lines.extend(excerpt(file, line));
    }
    Detail {
        file: opens,
        same,
        copies: vec![('p', finding.path.clone()), ('j', serde_json::to_string(finding.as_ref()).unwrap_or_default())],
        ..Detail::of(
            Subject::Finding(std::sync::Arc::clone(finding)),
            finding.place(),
            mark(finding.severity),
            "Problem",
            lines,
        )
    }
}

/// The name of what a subject stands for.
fn name(subject: &Subject) -> Option<String> {
    Some(match subject {
        Subject::Directory(path) => path.clone(),
        Subject::Resource(id) => id.clone(),
        Subject::Type(name) => format!("type {name}"),
        Subject::Package(package) => package.clone(),
        Subject::Item(item) => format!("{} {} {}", item.package, item.kind, item.slug),
        Subject::MissingSkill(missing) => format!("{} -> {}", missing.agent, missing.skill),
        Subject::Group(_) | Subject::Finding(_) => return None,
    })
}

/// The lines of a file around one of them, numbered.
fn excerpt(file: &Path, line: usize) -> Vec<Line> {
    const LONGEST: u64 = 4 * 1024 * 1024;
    let Ok(open) = bounded::open(file) else { return Vec::new() };
    let first = line.saturating_sub(AROUND).max(1);
    let split = BufReader::new(open.take(LONGEST)).split(b'\n').map_while(Result::ok);
    split
        .enumerate()
        .map(|(nth, bytes)| (nth + 1, bytes))
        .skip(first - 1)
        .take(2 * AROUND + 1)
        .map(|(number, bytes)| {
            let text = String::from_utf8_lossy(&bytes);
            let text: String = text.trim_end_matches('\r').chars().take(400).collect();
            let here = number == line;
            let gutter = format!("{number:>5} {} ", if here { '>' } else { '|' });
            Line::of(if here { Tone::Bad } else { Tone::Dim }, gutter)
                .and(if here { Tone::Strong } else { Tone::Plain }, text)
        })
        .collect()
}

/// The detail of a thing that is not there any more: its row goes with the next reading.
pub fn gone(subject: Subject) -> Detail {
    let lines = vec![Line::plain("It is not there any more.")];
    Detail::of(subject, "gone", Mark::None, "Gone", lines)
}
