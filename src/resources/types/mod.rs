//! Resource types: what a resource may contain and how its children are found; read from YAML files, shipped as YAML
//! files, kept in the registry as JSON.

mod file;
mod write;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use file::{Parsed, Remark, parse};
pub use write::to_yaml;

use super::error::Error;

/// The name that stands for "no children" in `child_types`; never a type, never missing.
pub const NONE: &str = "none";

/// A resource type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ResourceType {
    /// Its name; built-in ones are bare, custom ones namespaced (`local/database`).
    pub name: String,
    /// What it is, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `physical` or `virtual`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_kind: Option<String>,
    /// How a sandbox of it is made; shown only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sandbox_strategy: Option<String>,
    /// Whether people add resources of it; shown only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_addable: Option<bool>,
    /// Arguments of the original program's command line; shown only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cli_args: Option<Value>,
    /// Where it belongs; shown, not enforced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parent_types: Vec<String>,
    /// What it may contain; empty means any.
    pub child_types: Vec<ChildType>,
    /// How its children are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_discovery: Option<AutoDiscovery>,
    /// Who looks for its children: `directory`, `git`, or another program's handler, which is shown only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handler: Option<String>,
    /// Shown only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Value>,
    /// Shown only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equivalence: Option<Value>,
    /// The type it is derived from; shown, matching stays exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inherits: Option<String>,
    /// Keys such as `child_types_replace`, which are kept and not applied.
    #[serde(flatten)]
    pub not_applied: BTreeMap<String, Value>,
}

/// One entry of `child_types`: a name, or an object with a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "ChildTypeForm", into = "ChildTypeForm")]
pub struct ChildType {
    /// The type's name.
    pub name: String,
    /// Kept and shown; the rules of `auto_discovery` say what is discovered.
    pub auto_discover: Option<bool>,
}

impl From<&str> for ChildType {
    fn from(name: &str) -> ChildType {
        ChildType { name: name.to_owned(), auto_discover: None }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum ChildTypeForm {
    Name(String),
    Object {
        #[serde(rename = "type")]
        name: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        auto_discover: Option<bool>,
    },
}

impl From<ChildTypeForm> for ChildType {
    fn from(form: ChildTypeForm) -> ChildType {
        match form {
            ChildTypeForm::Name(name) => ChildType { name, auto_discover: None },
            ChildTypeForm::Object { name, auto_discover } => ChildType { name, auto_discover },
        }
    }
}

impl From<ChildType> for ChildTypeForm {
    fn from(child: ChildType) -> ChildTypeForm {
        match child.auto_discover {
            None => ChildTypeForm::Name(child.name),
            some => ChildTypeForm::Object { name: child.name, auto_discover: some },
        }
    }
}

/// How the children of a type are found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AutoDiscovery {
    /// Whether at all; on when absent, if there are rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// In order; the first that matches an entry wins.
    pub rules: Vec<Rule>,
    /// Keys of other programs' forms (`scan_depth`, `include_patterns`, `detection`), kept and not supported.
    #[serde(flatten)]
    pub unsupported: BTreeMap<String, Value>,
}

/// One rule of discovery.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Rule {
    /// The type of the children it makes.
    #[serde(rename = "type")]
    pub child_type: String,
    /// A glob on the entry's name; a trailing `/` means directories only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Whether it is on; on when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// Who looks for the children of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handler {
    /// One level of a directory is read.
    Directory,
    /// git is asked for branches, tags, remotes, worktrees and submodules.
    Git,
    /// Nobody: the directory is read where there is a location, else each rule makes one placeholder.
    Unknown,
}

impl ResourceType {
    /// Whether a resource of this type may contain one of type `child`. An empty `child_types` allows any.
    pub fn allows(&self, child: &str) -> bool {
        self.child_types.is_empty() || self.child_types.iter().any(|allowed| allowed.name == child)
    }

    /// The names in `child_types`, in order.
    pub fn child_type_names(&self) -> impl Iterator<Item = &str> {
        self.child_types.iter().map(|child| child.name.as_str())
    }

    /// What it may contain, for people: `any`, `no children`, or the names.
    pub fn children_text(&self) -> String {
        match self.child_types.as_slice() {
            [] => "any".to_owned(),
            [only] if only.name == NONE => "no children".to_owned(),
            _ => self.child_type_names().collect::<Vec<_>>().join(", "),
        }
    }

    /// Who looks for its children.
    pub fn handler(&self) -> Handler {
        match self.handler.as_deref() {
            Some("directory") => Handler::Directory,
            Some("git") => Handler::Git,
            _ => Handler::Unknown,
        }
    }

    /// The rules of discovery, in order; none when there are none or discovery is off altogether.
    pub fn rules(&self) -> &[Rule] {
        match &self.auto_discovery {
            Some(discovery) if discovery.enabled.unwrap_or(true) => &discovery.rules,
            _ => &[],
        }
    }

    /// Whether an enabled rule makes children of this type, so that a discovery would bring one back.
    pub fn discovers(&self, child: &str) -> bool {
        self.allows(child) && self.rules().iter().any(|rule| rule.is_enabled() && rule.child_type == child)
    }

    /// What is kept and not applied or not supported, and rules that can never make anything: for a type's panel.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for key in self.not_applied.keys() {
            notes.push(format!("{key}: not applied"));
        }
        if self.inherits.is_some() {
            notes.push("inherits: shown only; types match by their exact name".to_owned());
        }
        if self.child_types.iter().any(|child| child.auto_discover.is_some()) {
            notes.push("auto_discover of a child type: not applied; the rules of auto_discovery say".to_owned());
        }
        let Some(discovery) = &self.auto_discovery else { return notes };
        for key in discovery.unsupported.keys() {
            notes.push(format!("auto_discovery.{key}: not supported"));
        }
        for (nth, rule) in discovery.rules.iter().enumerate() {
            if !self.allows(&rule.child_type) {
                let (nth, child) = (nth + 1, &rule.child_type);
                notes.push(format!("rule {nth} ({child}) never makes anything: {child} is not among the child types"));
            }
            let inner = rule.pattern.as_deref().map(|pattern| pattern.strip_suffix('/').unwrap_or(pattern));
            if inner.is_some_and(|pattern| pattern.contains('/')) {
                let (nth, child) = (nth + 1, &rule.child_type);
                notes
                    .push(format!("rule {nth} ({child}) never matches: a pattern speaks of one name, without a slash"));
            }
            let same = |earlier: &&Rule| {
                earlier.is_enabled()
                    && earlier.pattern.is_some()
                    && (&earlier.pattern, &earlier.child_type) == (&rule.pattern, &rule.child_type)
            };
            if let Some(first) = discovery.rules[..nth].iter().position(|earlier| same(&earlier)) {
                let (nth, child, first) = (nth + 1, &rule.child_type, first + 1);
                notes.push(format!("rule {nth} ({child}) never matches: rule {first} says the same and comes first"));
            }
        }
        notes
    }
}

impl Rule {
    /// Whether the rule is on.
    pub fn is_enabled(&self) -> bool {
        self.enabled.unwrap_or(true)
    }
}

static BUILT_IN: include_dir::Dir<'_> = include_dir::include_dir!("$CARGO_MANIFEST_DIR/assets/types");

/// The built-in types, by name, each with its file's text.
///
/// # Errors
/// Never on a tested build; the files are read by a test.
pub fn built_in() -> Result<Vec<(ResourceType, &'static str)>, Error> {
    let mut all = Vec::new();
    for file in BUILT_IN.files() {
        let parsed = parse(file.path(), file.contents())?;
        all.push((parsed.resource_type, file.contents_utf8().unwrap_or_default()));
    }
    all.sort_by(|a, b| a.0.name.cmp(&b.0.name));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_types_are_read_without_a_remark() {
        for file in BUILT_IN.files() {
            let parsed = parse(file.path(), file.contents()).unwrap();
            assert!(parsed.remarks.is_empty(), "{:?}", parsed.remarks);
            assert_eq!(file.path().file_stem().unwrap(), parsed.resource_type.name.as_str());
        }
        let names: Vec<String> = built_in().unwrap().into_iter().map(|(built_in, _)| built_in.name).collect();
        assert_eq!(names.len(), 15);
        assert!(names.is_sorted());
    }

    #[test]
    fn a_type_survives_its_json() {
        let mut kind = ResourceType { name: "local/x".into(), ..ResourceType::default() };
        kind.child_types = vec!["a".into(), ChildType { name: "b".into(), auto_discover: Some(true) }];
        kind.not_applied.insert("child_types_replace".into(), true.into());
        let text = serde_json::to_string(&kind).unwrap();
        assert_eq!(serde_json::from_str::<ResourceType>(&text).unwrap(), kind);
        assert_eq!(kind.notes()[0], "child_types_replace: not applied");
    }

    #[test]
    fn no_children_and_any_are_told_apart() {
        let mut kind = ResourceType::default();
        assert_eq!(kind.children_text(), "any");
        kind.child_types = vec![NONE.into()];
        assert_eq!(kind.children_text(), "no children");
        assert!(!kind.allows("fs-file"));
    }
}
