//! `contract fix`: settles owed directories. Shows what it writes and what follows; with `--dry-run` it writes nothing.

use std::io;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::super::Context;
use super::super::output::{Answer, Printer, Tone};
use crate::contracts::fix::{self, Change, FixPlan, Left, Targets, Way, Wishes};
use crate::contracts::{Error, LayerPlace, RepoPath, Scope, Tallies};
use crate::edit::Kind;
use crate::error::{Failure, InvalidInput};

/// What to settle, and how.
#[derive(Debug, Args)]
pub struct Fix {
    /// The directories, from the top of the repository or from here
    #[arg(value_name = "PATH", required_unless_present = "all", conflicts_with = "all")]
    paths: Vec<PathBuf>,
    /// Every owed directory
    #[arg(long)]
    all: bool,
    /// The way to settle them
    #[arg(long, value_enum, default_value_t, value_name = "WAY")]
    how: How,
    /// The id of the new contract
    #[arg(long, value_name = "I")]
    id: Option<String>,
    /// The title of the new contract
    #[arg(long, value_name = "T")]
    title: Option<String>,
    /// What the new contract is about, in a line
    #[arg(long, value_name = "D")]
    description: Option<String>,
    /// Where the new contract applies: directory, subtree or explicit
    #[arg(long, value_name = "S", value_parser = scope)]
    scope: Option<Scope>,
    /// The place of the new contract among those of one depth
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    order: Option<i64>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum How {
    /// Write the contract
    #[default]
    Write,
    /// Exempt the directory in a contract above
    Exempt,
    /// Let the nearest contract above require none
    Lift,
}

fn scope(word: &str) -> Result<Scope, String> {
    Scope::of(word).ok_or_else(|| format!("expected one of {}", Scope::WORDS.join(", ")))
}

impl Fix {
    /// Runs the verb.
    pub fn run(self, context: &Context) -> Result<Answer, Failure> {
        let layer = super::read(context);
        let targets = if self.all {
            Targets::AllOwed
        } else {
            Targets::These(self.paths.iter().map(|path| super::locate(context, &layer, path)).collect())
        };
        let way = match self.how {
            How::Write => Way::Write,
            How::Exempt => Way::Exempt,
            How::Lift => Way::Lift,
        };
        let wishes = Wishes {
            id: self.id,
            title: self.title,
            description: self.description,
            scope: self.scope,
            order: self.order,
        };
        if way != Way::Write && wishes != Wishes::default() {
            let said = "--id, --title, --description, --scope and --order are for a new contract (--how write)";
            return Err(InvalidInput(said.to_owned()).into());
        }
        let plan = fix::plan(&layer, &targets, way, &wishes)?;
        settle(context, &layer.place, &plan, self.dry_run.into())
    }
}

/// Which document to mend.
#[derive(Debug, Args)]
pub struct Repair {
    /// The document, or the folder of a broken one
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

impl Repair {
    /// Runs the verb.
    pub fn run(self, context: &Context) -> Result<Answer, Failure> {
        let layer = super::read(context);
        let plan = fix::repair(&layer, &super::locate(context, &layer, &self.file))?;
        settle(context, &layer.place, &plan, self.dry_run.into())
    }
}

/// Whether a plan is only shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// Shown.
    Show,
    /// Shown and carried out.
    Write,
}

impl From<bool> for Doing {
    fn from(dry_run: bool) -> Doing {
        if dry_run { Doing::Show } else { Doing::Write }
    }
}

/// Carries a plan out, unless it is only to be shown, and tells it.
pub fn settle(context: &Context, place: &LayerPlace, plan: &FixPlan, doing: Doing) -> Result<Answer, Failure> {
    if doing == Doing::Write && !plan.plan.edits.is_empty() {
        if context.workspace.options.read_only {
            return Err(Error::ReadOnly { label: plan.plan.label.clone() }.into());
        }
        fix::carry_out(plan, place, &context.workspace.journal())?;
    } else {
        fix::check(plan)?;
    }
    let edits = plan.plan.edits.iter().map(|edit| {
        let file = edit.file.strip_prefix(&place.top).unwrap_or(&edit.file);
        Edit {
            file: RepoPath::from(&*crate::contracts::path_text(file.as_os_str())),
            kind: edit.kind(),
            diff: edit.diff(&place.top),
        }
    });
    let told = Told {
        edits: edits.collect(),
        before: plan.before,
        after: plan.after,
        states: plan.states.clone(),
        left: plan.left.clone(),
        notes: plan.notes.clone(),
    };
    let git = place.git;
    Ok(Answer::new(told, move |told, to| text(told, doing, git, to)))
}

#[derive(Serialize)]
struct Told {
    edits: Vec<Edit>,
    before: Tallies,
    after: Tallies,
    states: Vec<Change>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left: Vec<Left>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Edit {
    file: RepoPath,
    kind: Kind,
    diff: String,
}

fn text(told: &Told, doing: Doing, git: bool, to: &mut Printer<'_>) -> io::Result<()> {
    for edit in &told.edits {
        to.diff(&edit.diff)?;
    }
    for note in &told.notes {
        to.line(note)?;
    }
    for left in &told.left {
        to.toned(Tone::Warn, format!("left: {}: {}", left.path, left.why))?;
        to.line("")?;
    }
    if told.edits.is_empty() {
        return to.line("nothing to write");
    }
    let change =
        |word: &str, before: usize, after: usize| (before != after).then(|| format!("{word} {before} -> {after}"));
    let (before, after) = (&told.before, &told.after);
    let changes = [
        change("owed", before.owed, after.owed),
        change("exempt", before.exempt, after.exempt),
        change("documented", before.documented, after.documented),
        change("directories", before.directories, after.directories),
    ];
    let changes: Vec<String> = changes.into_iter().flatten().collect();
    let changes = if changes.is_empty() { "no state changes".to_owned() } else { changes.join(", ") };
    to.line(changes)?;
    match doing {
        Doing::Show => to.line("nothing was written (--dry-run)"),
        Doing::Write => {
            to.line("written; `dagwood undo` takes it back")?;
            let created: Vec<String> =
                told.edits.iter().filter(|edit| edit.kind == Kind::Create).map(|edit| edit.file.to_string()).collect();
            match &created[..] {
                [] => Ok(()),
                _ if !git => Ok(()),
                [one] => to.line(format!("it counts at once; track it with: git add {one}")),
                _ => to.line("they count at once; track them with git add"),
            }
        }
    }
}
