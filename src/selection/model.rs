//! The words of the selection, as plain data: what is asked for, and what each package holds. Nothing here reads a
//! disk or decides anything; [`super::graph`] is made from it and [`mod@super::select`] answers it.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A name: of a package (its key), of an item (its slug), of a path. Shared, since each is met many times.
pub type Name = Arc<str>;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// An agent profile.
    Agent,
    /// A skill.
    Skill,
    /// A hook.
    Hook,
    /// An MCP server; never selected, only listed.
    McpServer,
    /// A bootstrap document.
    BootstrapDoc,
}

impl Kind {
    /// The kind as it is written in JSON and in texts.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Agent => "agent",
            Kind::Skill => "skill",
            Kind::Hook => "hook",
            Kind::McpServer => "mcp-server",
            Kind::BootstrapDoc => "bootstrap-doc",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a line takes of a package.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Filter {
    /// Everything, and everything that package asks for in turn.
    #[default]
    All,
    /// The agents and skills named, and every document.
    Include {
        /// Agents, by slug.
        agents: Vec<Name>,
        /// Skills, by slug.
        skills: Vec<Name>,
    },
    /// Everything but what is named, by slug or path.
    Exclude(Vec<Name>),
    /// The skills.
    OnlySkills,
    /// The agents, and through them the skills they name.
    OnlyAgents,
}

impl Filter {
    /// Whether the package's own dependencies are opened.
    pub fn opens(&self) -> bool {
        *self == Filter::All
    }
}

/// The filter as one writes it in `mars.toml`.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[Name]| {
            let quoted: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
            format!("[{}]", quoted.join(", "))
        };
        match self {
            Filter::All => f.write_str("all"),
            Filter::Include { agents, skills } if agents.is_empty() => write!(f, "skills = {}", list(skills)),
            Filter::Include { agents, skills } if skills.is_empty() => write!(f, "agents = {}", list(agents)),
            Filter::Include { agents, skills } => write!(f, "agents = {}, skills = {}", list(agents), list(skills)),
            Filter::Exclude(names) => write!(f, "exclude = {}", list(names)),
            Filter::OnlySkills => f.write_str("only_skills = true"),
            Filter::OnlyAgents => f.write_str("only_agents = true"),
        }
    }
}

/// A line of a file. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Place {
    /// The file: from the project's folder where it lies in it, else absolute; a file of a git commit is
    /// `CLONE@COMMIT:FILE`.
    pub file: Arc<str>,
    /// The line.
    pub line: usize,
}

impl Place {
    /// The file on the disk, given the project's folder.
    pub fn path(&self, project: &Path) -> PathBuf {
        project.join(&*self.file)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A line that asks for a package: a request of the project, or an edge of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The package's key.
    pub name: Name,
    /// What is taken of it.
    pub filter: Filter,
    /// Where it is written, when it came from a file.
    pub place: Option<Place>,
    /// Where its filter is written.
    pub filter_place: Option<Place>,
}

impl Request {
    /// A line without a place.
    pub fn new(name: impl Into<Name>, filter: Filter) -> Request {
        Request { name: name.into(), filter, place: None, filter_place: None }
    }
}

/// An agent or a skill, with the skills it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// Agent or skill.
    pub kind: Kind,
    /// Its slug.
    pub slug: Name,
    /// Its file, from the package's root.
    pub output_path: Name,
    /// The skills it names, in order, repeats kept.
    pub skills: Vec<Name>,
}

impl Definition {
    /// The path that filters and results know: an agent's file, a skill's folder (`.` for one at the root).
    pub fn path(&self) -> Name {
        match self.kind {
            Kind::Skill => match self.output_path.rsplit_once('/') {
                Some((folder, _)) if !folder.is_empty() => Name::from(folder),
                _ => Name::from("."),
            },
            _ => self.output_path.clone(),
        }
    }
}

/// A document or a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExtraItem {
    /// Document or hook.
    pub kind: Kind,
    /// Its slug.
    pub slug: Name,
    /// Its folder, from the package's root.
    pub path: Name,
}

/// What the selection sees of a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageView {
    /// Agents and skills.
    pub definitions: Vec<Definition>,
    /// The packages it depends on, in order.
    pub edges: Vec<Request>,
    /// The hosts that may supply skills of its own.
    pub uses_providers: Vec<Name>,
    /// Documents and hooks.
    pub extra_items: Vec<ExtraItem>,
}

/// Everything the selection is computed from.
///
/// The name `""` is the root's: an edge to it leads to the root. Requests never carry it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// Your requests, in order.
    pub requests: Vec<Request>,
    /// The project's own package, whose edges are yours too.
    pub root: Option<PackageView>,
    /// All packages by name; their order means nothing.
    pub packages: BTreeMap<Name, PackageView>,
}
