//! Why something was not done with the registry. Each variant names what was being done and to what.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use super::model::{Ends, Named, Role};
use crate::error::{Code, Coded};

/// At most so many steps of a cycle are written out for people.
const STEPS_SHOWN: usize = 12;

/// Why something was not done. The registry is as it was, unless the error says what was done before.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No resource of this name or id.
    #[error("no resource \"{asked}\"{}`dagwood resource list` shows them", hint(similar))]
    ResourceNotFound {
        /// What it was asked for as.
        role: Role,
        /// The name or id that was asked for.
        asked: String,
        /// Up to three names that look like it.
        similar: Vec<String>,
    },
    /// No type of this name in the registry.
    #[error("no resource type \"{name}\"{}`dagwood type list` shows them, `dagwood type add` adds one", hint(similar))]
    TypeNotFound {
        /// The name.
        name: String,
        /// Up to three names that look like it.
        similar: Vec<String>,
    },
    /// The row of a type holds something that cannot be read.
    #[error("the resource type \"{name}\" cannot be read: {why}; write it again with `dagwood type add --update`")]
    TypeUnreadable {
        /// The type.
        name: String,
        /// What is wrong.
        why: String,
    },
    /// The parent's type does not allow the child's type.
    #[error("{parent_type} cannot contain {child_type} (allowed: {})", allowed.join(", "))]
    TypeIncompatible {
        /// The parent's type.
        parent_type: String,
        /// The child's type.
        child_type: String,
        /// What the parent's type allows.
        allowed: Vec<String>,
    },
    /// The link would close a cycle.
    #[error("{}", cycle_text(path))]
    CycleDetected {
        /// From the proposed child down to the proposed parent, and the child again.
        path: Vec<Named>,
    },
    /// The link is already there.
    #[error("{} is already a child of {}", ends.child, ends.parent)]
    DuplicateLink {
        /// The link.
        ends: Box<Ends>,
    },
    /// The link is not there.
    #[error("{} is not a child of {}{}", ends.child, ends.parent, other_way(ends, *reversed))]
    LinkNotFound {
        /// The link.
        ends: Box<Ends>,
        /// Whether it exists the other way round.
        reversed: bool,
    },
    /// Another resource has the name.
    #[error("there already is a resource \"{name}\" ({holder}); names are unique")]
    DuplicateName {
        /// The name.
        name: String,
        /// The id of the resource that has it.
        holder: String,
    },
    /// A resource with links was to be removed.
    #[error("{}", in_use_text(resource, parents, children))]
    ResourceInUse {
        /// The resource.
        resource: Box<Named>,
        /// What contains it.
        parents: Vec<Named>,
        /// What it contains.
        children: Vec<Named>,
    },
    /// A type of this name is already there.
    #[error("there already is a resource type \"{name}\"; replace it with `--update`")]
    DuplicateType {
        /// The type.
        name: String,
    },
    /// A type that resources have was to be removed.
    #[error("the resource type \"{name}\" is used by {users} resource{}; remove them first", plural(*users))]
    TypeInUse {
        /// The type.
        name: String,
        /// How many resources have it.
        users: u64,
    },
    /// A request, or a file, that is not of the form asked for.
    #[error("{0}")]
    Invalid(String),
    /// A type file that is not of the form asked for.
    #[error("{}:{}: {message}", file.display(), place(*line, *column))]
    TypeFile {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// What is wrong and what to do.
        message: String,
    },
    /// A row is not as the journal, or the preview, says it was.
    #[error("{what}; nothing was changed")]
    ChangedSince {
        /// What differs.
        what: String,
        /// The registry.
        file: PathBuf,
    },
    /// Writes are refused.
    #[error("{} may not be written: {why}", file.display())]
    ReadOnly {
        /// The registry.
        file: PathBuf,
        /// Why.
        why: &'static str,
    },
    /// Somebody else holds the registry.
    #[error("another program is writing {}; try again", file.display())]
    Busy {
        /// The registry.
        file: PathBuf,
    },
    /// The file is no registry.
    #[error("{} is not a registry: {why}", file.display())]
    NotADatabase {
        /// The file.
        file: PathBuf,
        /// Why.
        why: String,
    },
    /// The file is damaged.
    #[error("{} is damaged: {why}; copy it, then try `sqlite3 {} .recover`", file.display(), file.display())]
    Corrupt {
        /// The registry.
        file: PathBuf,
        /// What SQLite says.
        why: String,
    },
    /// The file was made by a newer version.
    #[error("{} was made by a newer version of dagwood (schema {found}, this one knows {known}); update dagwood", file.display())]
    NewerVersion {
        /// The registry.
        file: PathBuf,
        /// Its schema version.
        found: i64,
        /// The newest known here.
        known: i64,
    },
    /// The disk failed.
    #[error("cannot {doing} {}: {source}", file.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// To which file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The database failed in a way that is not one of the above.
    #[error("the registry {} failed: {source}", file.display())]
    Database {
        /// The registry.
        file: PathBuf,
        /// What SQLite says.
        source: Box<rusqlite::Error>,
    },
    /// The person said stop.
    #[error("stopped; {0}")]
    Cancelled(String),
    /// Of several resources some are done, and the next one failed or was stopped.
    #[error("{done} of {all} resources are done; at the next one: {source}")]
    Partly {
        /// How many are done.
        done: usize,
        /// How many there were to do.
        all: usize,
        /// What came of the next one.
        source: Box<Error>,
    },
    /// The journal could not be written, so nothing else was.
    #[error(transparent)]
    Journal(#[from] crate::edit::Error),
}

fn plural(number: u64) -> &'static str {
    if number == 1 { "" } else { "s" }
}

fn place(line: usize, column: usize) -> String {
    format!("{line}:{column}")
}

/// What may have been meant, and what parts it from the sentence after it.
fn hint(similar: &[String]) -> String {
    if similar.is_empty() {
        return "; ".to_owned();
    }
    let quoted: Vec<String> = similar.iter().map(|name| format!("\"{name}\"")).collect();
    format!("; did you mean {}? ", quoted.join(" or "))
}

fn other_way(ends: &Ends, reversed: bool) -> String {
    if reversed { format!(" ({} is a child of {})", ends.parent, ends.child) } else { String::new() }
}

fn cycle_text(path: &[Named]) -> String {
    match path {
        [child, _] => format!("cannot put {child} under itself\n{child} -> {child}"),
        [child, .., parent, _] => {
            format!("cannot put {child} under {parent}: {child} already contains {parent}\n{}", path_text(path))
        }
        _ => "that would be a cycle".to_owned(),
    }
}

fn in_use_text(resource: &Named, parents: &[Named], children: &[Named]) -> String {
    let list = |what: &str, of: &[Named]| {
        let mut names: Vec<String> = of.iter().take(STEPS_SHOWN).map(Named::to_string).collect();
        if of.len() > STEPS_SHOWN {
            names.push(format!("{} more", super::thousands(of.len() - STEPS_SHOWN)));
        }
        (!of.is_empty()).then(|| format!("{what}: {}", names.join(", ")))
    };
    let mut lines = vec![format!("{resource} still has links; `--force` takes them too")];
    lines.extend(list("parents", parents));
    lines.extend(list("children", children));
    lines.join("\n")
}

/// A path for people: `A -> B -> C`, at most 12 steps, then `... n more ...` in the middle.
pub fn path_text(path: &[Named]) -> String {
    let half = STEPS_SHOWN / 2;
    let left_out = path.len().saturating_sub(STEPS_SHOWN);
    let mut steps: Vec<String> = Vec::with_capacity(STEPS_SHOWN + 1);
    for (at, step) in path.iter().enumerate() {
        if left_out == 0 || at < half || at >= path.len() - half {
            steps.push(step.to_string());
        } else if at == half {
            steps.push(format!("... {} more ...", super::thousands(left_out)));
        }
    }
    steps.join(" -> ")
}

impl Error {
    /// For `map_err`: what was being done to which file.
    pub(crate) fn io(doing: &'static str, file: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> Error {
        let file = file.into();
        move |source| Error::Io { doing, file, source }
    }
}

impl Coded for Error {
    fn code(&self) -> Code {
        match self {
            Error::ResourceNotFound { .. } => Code::ResourceNotFound,
            Error::TypeNotFound { .. } | Error::TypeUnreadable { .. } => Code::TypeNotFound,
            Error::TypeIncompatible { .. } => Code::TypeIncompatible,
            Error::CycleDetected { .. } => Code::CycleDetected,
            Error::DuplicateLink { .. } => Code::DuplicateLink,
            Error::LinkNotFound { .. } => Code::LinkNotFound,
            Error::DuplicateName { .. } => Code::DuplicateName,
            Error::ResourceInUse { .. } => Code::ResourceInUse,
            Error::DuplicateType { .. } => Code::DuplicateType,
            Error::TypeInUse { .. } => Code::TypeInUse,
            Error::Invalid(_) | Error::TypeFile { .. } => Code::InvalidInput,
            Error::ChangedSince { .. } => Code::ChangedSince,
            Error::ReadOnly { .. } => Code::ReadOnly,
            Error::Busy { .. } => Code::Busy,
            Error::NotADatabase { .. } => Code::NotADatabase,
            Error::Corrupt { .. } => Code::Corrupt,
            Error::NewerVersion { .. } => Code::NewerVersion,
            Error::Io { .. } | Error::Database { .. } => Code::Io,
            Error::Cancelled(_) => Code::Cancelled,
            Error::Partly { source, .. } => source.code(),
            Error::Journal(error) => error.code(),
        }
    }

    fn fields_text(&self) -> String {
        #[derive(serde::Serialize)]
        struct Cycle<'a> {
            path: &'a [Named],
        }
        match self {
            // a path may have as many steps as there are resources
            Error::CycleDetected { path } => serde_json::to_string(&Cycle { path }).unwrap_or_default(),
            _ => Value::Object(self.fields()).to_string(),
        }
    }

    fn fields(&self) -> Map<String, Value> {
        let fields = match self {
            Error::ResourceNotFound { role, asked, similar } => {
                json!({"role": role, "resource": asked, "similar": similar})
            }
            Error::TypeNotFound { name, similar } => json!({"type": name, "similar": similar}),
            Error::TypeUnreadable { name, .. } | Error::DuplicateType { name } => json!({"type": name}),
            Error::TypeInUse { name, users } => json!({"type": name, "resources": users}),
            Error::TypeIncompatible { parent_type, child_type, allowed } => {
                json!({"parent_type": parent_type, "child_type": child_type, "allowed": allowed})
            }
            Error::CycleDetected { path } => json!({"path": path}),
            Error::DuplicateLink { ends } => {
                json!({"parent": ends.parent, "child": ends.child, "reversed": false})
            }
            Error::LinkNotFound { ends, reversed } => {
                json!({"parent": ends.parent, "child": ends.child, "reversed": reversed})
            }
            Error::DuplicateName { name, holder } => json!({"name": name, "holder": holder}),
            Error::ResourceInUse { resource, parents, children } => {
                json!({"resource": resource, "parents": parents, "children": children})
            }
            Error::TypeFile { file, line, column, .. } => {
                json!({"file": file.to_string_lossy(), "line": line, "column": column})
            }
            Error::ChangedSince { file, .. }
            | Error::ReadOnly { file, .. }
            | Error::Busy { file }
            | Error::NotADatabase { file, .. }
            | Error::Corrupt { file, .. }
            | Error::NewerVersion { file, .. }
            | Error::Io { file, .. }
            | Error::Database { file, .. } => json!({"file": file.to_string_lossy()}),
            Error::Journal(error) => return error.fields(),
            Error::Partly { source, .. } => return source.fields(),
            Error::Invalid(_) | Error::Cancelled(_) => return Map::new(),
        };
        match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}
