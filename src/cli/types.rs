//! `dagwood type`: resource types.

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::json;

use super::Context;
use super::output::{Answer, Tone};
use super::resource::DryRun;
use crate::bounded;
use crate::error::Failure;
use crate::finding::{Area, Finding, Severity};
use crate::resources::types::{self, Parsed};
use crate::resources::{AddTypes, Error, Operation, ResourceType};

/// The verbs of this noun.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the types
    List,
    /// Show a type as the file that would make it
    Show {
        /// Its name
        name: String,
    },
    /// Add types from YAML files
    Add {
        /// The files
        #[arg(required = true)]
        file: Vec<PathBuf>,
        /// Replace types that are there
        #[arg(long)]
        update: bool,
        #[command(flatten)]
        dry: DryRun,
    },
    /// Remove a type that no resource has; a built-in one that was replaced comes back
    Rm {
        /// Its name
        name: String,
        #[command(flatten)]
        dry: DryRun,
    },
}

impl Command {
    /// Runs the verb.
    pub fn run(self, context: &Context) -> Result<Answer, Failure> {
        match self {
            Command::List => list(context),
            Command::Show { name } => show(context, &name),
            Command::Add { file, update, dry } => add(context, &file, update, dry),
            Command::Rm { name, dry } => remove(context, &name, dry),
        }
    }
}

fn list(context: &Context) -> Result<Answer, Failure> {
    let registry = context.look()?;
    let mut listed = Vec::new();
    for row in registry.type_rows()? {
        let users = registry.users_of_type(&row.name)?;
        listed.push(match row.resource_type() {
            Ok(known) => json!({
                "name": row.name,
                "description": known.description,
                "built_in": row.built_in,
                "child_types": known.child_type_names().collect::<Vec<_>>(),
                "children": known.children_text(),
                "resources": users,
            }),
            Err(error) => json!({
                "name": row.name, "built_in": row.built_in, "resources": users, "problem": error.to_string(),
            }),
        });
    }
    Ok(Answer::new(json!({"types": listed}), |answer, to| {
        let types = answer["types"].as_array().map(Vec::as_slice).unwrap_or_default();
        let text = |of: &serde_json::Value| of.as_str().unwrap_or_default().to_owned();
        let width = types.iter().map(|known| text(&known["name"]).chars().count()).max().unwrap_or(0);
        for known in types {
            let made = if known["built_in"] == true { "built-in" } else { "custom" };
            to.part(format!("{:<width$}", text(&known["name"])))?;
            to.toned(Tone::Dim, format!("  {made:<8}  {:>6} resources  ", known["resources"]))?;
            match known["problem"].as_str() {
                Some(problem) => to.toned(Tone::Bad, problem)?,
                None => to.part(format!("may hold {}", text(&known["children"])))?,
            }
            to.line("")?;
        }
        Ok(())
    }))
}

fn show(context: &Context, name: &str) -> Result<Answer, Failure> {
    let registry = context.look()?;
    let known = registry.resource_type(name)?;
    let built_in = registry.type_rows()?.iter().any(|row| row.name == name && row.built_in);
    let notes = known.notes();
    let answer = json!({
        "type": known,
        "built_in": built_in,
        "children": known.children_text(),
        "resources": registry.users_of_type(name)?,
        "notes": notes,
    });
    Ok(Answer::new(answer, move |_, to| {
        to.lines(&types::to_yaml(&known))?;
        to.toned(Tone::Dim, format!("# may hold {}", known.children_text()))?;
        to.line("")?;
        for note in &notes {
            to.toned(Tone::Warn, format!("# {note}"))?;
            to.line("")?;
        }
        Ok(())
    }))
}

fn add(context: &Context, files: &[PathBuf], update: bool, dry: DryRun) -> Result<Answer, Failure> {
    let mut made: Vec<ResourceType> = Vec::with_capacity(files.len());
    let mut findings: Vec<Finding> = Vec::new();
    for file in files {
        let text = bounded::read_named(&context.workspace.start.join(file), bounded::BY_HAND)
            .map_err(|source| Error::Io { doing: "read", file: file.clone(), source })?;
        let Parsed { resource_type, remarks } = types::parse(file, &text)?;
        for remark in remarks {
            let path = file.to_string_lossy().into_owned();
            let found = Finding::new(Area::Resources, "type-file", Severity::Warning, path, remark.message);
            findings.push(found.at(remark.line).column(remark.column).key(remark.key));
        }
        made.push(resource_type);
    }
    let existing = if update { AddTypes::Update } else { AddTypes::Refuse };
    let operation = Operation::AddTypes(made.clone(), existing);
    let preview = context.look()?;
    let plan = preview.plan(&operation)?;
    let plan = if dry.dry_run { plan } else { context.write()?.carry_out(&operation)? };
    let mut answer = json!({"types": made, "findings": findings});
    if dry.dry_run {
        answer["dry_run"] = json!(true);
    }
    Ok(Answer::new(answer, move |_, to| {
        to.line(format!("{}{}", if dry.dry_run { "would " } else { "" }, plan.label))?;
        for found in &findings {
            to.toned(Tone::Warn, format!("  {}: {}", found.place(), found.message))?;
            to.line("")?;
        }
        Ok(())
    }))
}

fn remove(context: &Context, name: &str, dry: DryRun) -> Result<Answer, Failure> {
    let operation = Operation::RemoveType(name.to_owned());
    let plan = context.look()?.plan(&operation)?;
    let plan = if dry.dry_run { plan } else { context.write()?.carry_out(&operation)? };
    Ok(Answer::new(json!({"type": name}), move |_, to| {
        to.line(format!("{}{}", if dry.dry_run { "would " } else { "" }, plan.label))
    }))
}
