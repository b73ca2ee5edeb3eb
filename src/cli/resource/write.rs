//! The verbs that change resources and links.

use clap::Args;
use serde_json::{Value, json};

use super::{DryRun, find};
use crate::cli::Context;
use crate::cli::output::{Answer, Tone};
use crate::error::Failure;
use crate::resources::{
    Error, LinksToo, NewResource, Node, Operation, Plan, Registry, Resource, Role, SetResource, location_of, thousands,
};
use crate::text::command;

/// Adds a resource.
#[derive(Debug, Args)]
pub struct Add {
    /// Its type
    #[arg(value_name = "TYPE")]
    type_name: String,
    /// Its name
    name: String,
    /// Where it is: a path, or an address with ://
    #[arg(long, value_name = "PATH")]
    location: Option<String>,
    /// What it is
    #[arg(long, value_name = "D")]
    description: Option<String>,
    /// The resource to put it under
    #[arg(long, value_name = "R")]
    parent: Option<String>,
    #[command(flatten)]
    dry: DryRun,
}

impl Add {
    pub(super) fn run(self, context: &Context) -> Result<Answer, Failure> {
        // what is refused makes no registry either
        let preview = context.look()?;
        let parent = self.parent.as_deref().map(|asked| preview.find(asked, Role::Parent)).transpose()?;
        let operation = Operation::Add(NewResource {
            type_name: self.type_name,
            name: Some(self.name),
            location: self.location.map(|location| stored(context, &location)),
            description: self.description,
            parent: parent.map(|parent| parent.id),
        });
        let (plan, registry) = done(context, preview, &operation, self.dry)?;
        let Some(resource) = plan.resources().next().cloned() else { return Ok(nothing(&plan)) };
        let node = after(&registry, resource, &plan, self.dry)?;
        Ok(told(&plan, self.dry, json!({"resource": node})))
    }
}

/// Changes the facts of a resource.
#[derive(Debug, Args)]
pub struct Set {
    /// Its name or id
    resource: String,
    /// Its new name
    #[arg(long, value_name = "N")]
    name: Option<String>,
    /// Its new location; an empty one takes it away
    #[arg(long, value_name = "PATH")]
    location: Option<String>,
    /// Its new description; an empty one takes it away
    #[arg(long, value_name = "D")]
    description: Option<String>,
    #[command(flatten)]
    dry: DryRun,
}

impl Set {
    pub(super) fn run(self, context: &Context) -> Result<Answer, Failure> {
        if self.name.is_none() && self.location.is_none() && self.description.is_none() {
            let text = "nothing to set: give `--name`, `--location` or `--description`";
            return Err(Error::Invalid(text.to_owned()).into());
        }
        let preview = context.look()?;
        let resource = find(&preview, &self.resource)?;
        let set = SetResource {
            name: self.name,
            location: self.location.map(|location| stored(context, &location)),
            description: self.description,
        };
        let operation = Operation::Set(resource.id.clone(), set);
        let (plan, registry) = done(context, preview, &operation, self.dry)?;
        let resource = plan.resources().next().cloned().unwrap_or(resource);
        let node = after(&registry, resource, &plan, self.dry)?;
        Ok(told(&plan, self.dry, json!({"resource": node})))
    }
}

/// The two ends of a link.
#[derive(Debug, Args)]
pub struct Ends {
    /// The name or id of the one that contains
    parent: String,
    /// The name or id of the one that is contained
    child: String,
    #[command(flatten)]
    dry: DryRun,
}

impl Ends {
    pub(super) fn link(self, context: &Context) -> Result<Answer, Failure> {
        self.run(context, |parent, child| Operation::Link(parent.id.clone(), child.id.clone()))
    }

    pub(super) fn unlink(self, context: &Context) -> Result<Answer, Failure> {
        self.run(context, |parent, child| Operation::Unlink(parent.id.clone(), child.id.clone()))
    }

    fn run(self, context: &Context, operation: fn(&Resource, &Resource) -> Operation) -> Result<Answer, Failure> {
        let preview = context.look()?;
        let parent = preview.find(&self.parent, Role::Parent)?;
        let child = preview.find(&self.child, Role::Child)?;
        let (plan, registry) = done(context, preview, &operation(&parent, &child), self.dry)?;
        let parent = after(&registry, parent, &plan, self.dry)?;
        let child = after(&registry, child, &plan, self.dry)?;
        Ok(told(&plan, self.dry, json!({"parent": parent, "child": child})))
    }
}

/// Removes a resource, or what a discovery found to have vanished.
#[derive(Debug, Args)]
pub struct Remove {
    /// Its name or id
    resource: String,
    /// Its links too; the children stay
    #[arg(long)]
    force: bool,
    /// Not the resource, but its discovered children whose entries have vanished
    #[arg(long, conflicts_with = "force")]
    stale: bool,
    /// With --stale: also what was discovered below them and has vanished with them
    #[arg(long, requires = "stale")]
    recursive: bool,
    #[command(flatten)]
    dry: DryRun,
}

impl Remove {
    pub(super) fn run(self, context: &Context) -> Result<Answer, Failure> {
        let preview = context.look()?;
        let resource = find(&preview, &self.resource)?;
        let mut stays = None;
        let operation = if self.stale {
            let mut stale = preview.stale_children(&resource.id)?;
            let below = preview.stale_below(&stale)?;
            if self.recursive {
                stale.extend(below);
            } else {
                stays = Some(below.len()).filter(|count| *count > 0);
            }
            Operation::RemoveAll(stale.into_iter().map(|stale| stale.id).collect())
        } else {
            Operation::Remove(resource.id.clone(), if self.force { LinksToo::Remove } else { LinksToo::Refuse })
        };
        let (mut plan, _) = done(context, preview, &operation, self.dry)?;
        plan.notes.extend(stays.map(|count| staying(&resource, count, self.dry)));
        let removed: Vec<&Resource> = plan.removed().collect();
        let answer = json!({"removed": removed, "links": plan.unlinked().count()});
        Ok(told(&plan, self.dry, answer))
    }
}

/// That what has vanished further down stays, and how it goes too.
fn staying(of: &Resource, count: usize, dry: DryRun) -> String {
    let (number, stay) = (thousands(count), if count == 1 { "stays" } else { "stay" });
    let first = if dry.dry_run { "" } else { "`dagwood undo`, then " };
    let all = command("dagwood resource rm --stale --recursive", [of.label().as_str()]);
    format!("{number} discovered below them {stay}, gone from the disk too: {first}`{all}` removes all")
}

/// A location as it is stored: an absolute path, seen from where the program acts; addresses stay as they are.
fn stored(context: &Context, location: &str) -> String {
    if location.is_empty() || location.contains("://") {
        return location.to_owned();
    }
    let path = context.workspace.start.join(location);
    // without following links: what a person named is what is kept
    let path: std::path::PathBuf = path.components().collect();
    let mut clean = std::path::PathBuf::new();
    for component in path.components() {
        match component {
            std::path::Component::ParentDir => drop(clean.pop()),
            std::path::Component::CurDir => {}
            other => clean.push(other),
        }
    }
    location_of(&clean)
}

/// Plans on what can be looked at, and does it unless it is a dry run. What is refused thus makes no registry.
pub(super) fn done(
    context: &Context,
    preview: Registry,
    operation: &Operation,
    dry: DryRun,
) -> Result<(Plan, Registry), Error> {
    let plan = preview.plan(operation)?;
    if dry.dry_run {
        return Ok((plan, preview));
    }
    drop(preview);
    let mut registry = context.write()?;
    let plan = registry.carry_out(operation)?;
    Ok((plan, registry))
}

/// A resource as it is after the plan, whether it was carried out or not.
fn after(registry: &Registry, resource: Resource, plan: &Plan, dry: DryRun) -> Result<Node, Error> {
    if !dry.dry_run {
        return registry.node(&resource.id);
    }
    let mut node = match registry.node(&resource.id) {
        Ok(node) => Node { resource, ..node },
        Err(Error::ResourceNotFound { .. }) => Node { resource, parent_count: 0, child_count: 0 },
        Err(error) => return Err(error),
    };
    let id = &node.resource.id;
    for link in plan.linked() {
        node.parent_count += u64::from(link.child_id == *id);
        node.child_count += u64::from(link.parent_id == *id);
    }
    for link in plan.unlinked() {
        node.parent_count -= u64::from(link.child_id == *id);
        node.child_count -= u64::from(link.parent_id == *id);
    }
    Ok(node)
}

fn nothing(plan: &Plan) -> Answer {
    told(plan, DryRun { dry_run: false }, json!({}))
}

/// What was done, or would be.
pub(super) fn told(plan: &Plan, dry: DryRun, mut answer: Value) -> Answer {
    if dry.dry_run {
        answer["dry_run"] = json!(true);
    }
    if !plan.notes.is_empty() {
        answer["note"] = json!(plan.notes.join("; "));
    }
    let label = if dry.dry_run { format!("would {}", plan.label) } else { plan.label.clone() };
    let notes = plan.notes.clone();
    let unchanged = plan.changes.is_empty();
    Answer::new(answer, move |_, to| {
        to.part(&label)?;
        if unchanged {
            to.toned(Tone::Dim, "  nothing to change")?;
        }
        to.line("")?;
        for note in &notes {
            to.toned(Tone::Warn, format!("  {note}"))?;
            to.line("")?;
        }
        Ok(())
    })
}
