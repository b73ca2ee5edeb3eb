//! `resource repair` and `resource import`.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::DryRun;
use super::write::{done, told};
use crate::bounded;
use crate::cli::Context;
use crate::cli::output::{Answer, Tone};
use crate::error::Failure;
use crate::resources::export::Document;
use crate::resources::{Error, Named, Operation, Registry, ResourceId, Role, doctor};

/// Mends what can be mended safely. Without an option it only says what there is.
#[derive(Debug, Args)]
pub struct Repair {
    /// Take away all links that lead to or from an id without a resource
    #[arg(long, conflicts_with = "break_link")]
    remove_dangling: bool,
    /// Take away one link that is part of a cycle
    #[arg(long = "break", num_args = 2, allow_hyphen_values = true, value_names = ["PARENT", "CHILD"])]
    break_link: Option<Vec<String>>,
    #[command(flatten)]
    dry: DryRun,
}

/// What `repair` can mend.
const MENDED: [&str; 3] = ["dangling-link", "self-link", "cycle"];

impl Repair {
    pub(super) fn run(self, context: &Context) -> Result<Answer, Failure> {
        let preview = context.look()?;
        let operation = match self.break_link.as_deref() {
            Some([parent, child]) => {
                Operation::Break(id_of(&preview, parent, Role::Parent)?, id_of(&preview, child, Role::Child)?)
            }
            _ if self.remove_dangling => Operation::RemoveDangling,
            _ => return say_what_there_is(&preview),
        };
        let (plan, registry) = done(context, preview, &operation, self.dry)?;
        let mut removed: Vec<[Named; 2]> = Vec::new();
        for link in plan.unlinked() {
            removed.push([registry.named(&link.parent_id)?, registry.named(&link.child_id)?]);
        }
        let removed: Vec<_> = removed.iter().map(|[parent, child]| json!({"parent": parent, "child": child})).collect();
        Ok(told(&plan, self.dry, json!({"removed": removed})))
    }
}

fn say_what_there_is(registry: &Registry) -> Result<Answer, Failure> {
    let mut findings = doctor::findings(registry)?;
    findings.retain(|found| MENDED.contains(&found.code.as_str()));
    Ok(Answer::new(json!({"findings": findings}), move |_, to| {
        if findings.is_empty() {
            return to.line("nothing to repair");
        }
        for found in &findings {
            to.toned(Tone::Bad, &found.message)?;
            to.line("")?;
            if let Some(fix) = &found.fix {
                to.toned(Tone::Dim, format!("  {fix}"))?;
                to.line("")?;
            }
        }
        Ok(())
    }))
}

/// The id a person means; one without a row is meant as it is.
fn id_of(registry: &Registry, asked: &str, role: Role) -> Result<ResourceId, Error> {
    match registry.find(asked, role) {
        Ok(resource) => Ok(resource.id),
        Err(Error::ResourceNotFound { .. }) if registry.is_linked(&asked.into())? => Ok(asked.into()),
        Err(error) => Err(error),
    }
}

/// Reads what `export resources --format json` wrote.
#[derive(Debug, Args)]
pub struct Import {
    /// The file
    file: PathBuf,
    #[command(flatten)]
    dry: DryRun,
}

impl Import {
    pub(super) fn run(self, context: &Context) -> Result<Answer, Failure> {
        let file = context.workspace.start.join(&self.file);
        let text = bounded::read_named(&file, bounded::DOCUMENT).map_err(|source| Error::Io {
            doing: "read",
            file: self.file.clone(),
            source,
        })?;
        let document =
            Document::parse(&text).map_err(|error| Error::Invalid(format!("{}: {error}", self.file.display())))?;
        let preview = context.look()?;
        let (plan, _) = done(context, preview, &Operation::Import(document), self.dry)?;
        let answer = json!({"resources": plan.resources().count(), "links": plan.linked().count()});
        Ok(told(&plan, self.dry, answer))
    }
}
