//! Reading a type file: the three layouts, the aliases of keys, hints for near names, every mistake at its line and
//! column.

use std::path::Path;

use super::{AutoDiscovery, ChildType, ResourceType, Rule};
use crate::resources::discovery::pattern;
use crate::resources::error::Error;
use crate::resources::yaml::{self, Key, Node, Problem, Value};
use crate::text::near;

/// The keys of a type.
const KEYS: [&str; 13] = [
    "name",
    "description",
    "resource_kind",
    "sandbox_strategy",
    "user_addable",
    "cli_args",
    "parent_types",
    "child_types",
    "auto_discovery",
    "handler",
    "capabilities",
    "equivalence",
    "inherits",
];

/// Other names that some documents use for them.
const ALIASES: [(&str, &str); 4] = [
    ("physical_or_virtual", "resource_kind"),
    ("classification", "resource_kind"),
    ("cli_arguments", "cli_args"),
    ("allowed_parent_types", "parent_types"),
];

/// The keys that tell the other two forms of `auto_discovery`.
const OTHER_FORMS: [&str; 3] = ["scan_depth", "include_patterns", "detection"];

/// A type as its file says it.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The type.
    pub resource_type: ResourceType,
    /// What was read, and likely not meant.
    pub remarks: Vec<Remark>,
}

/// Something in a type file that is read and likely not meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The key it is about.
    pub key: &'static str,
    /// What is the matter.
    pub message: String,
}

/// Reads the text of a type file; the file's name is for messages only.
///
/// # Errors
/// [`Error::TypeFile`] with the first mistake.
pub fn parse(file: &Path, text: &[u8]) -> Result<Parsed, Error> {
    let read = yaml::parse(text).and_then(|root| {
        let mut reader = Reader { remarks: Vec::new() };
        let resource_type = reader.resource_type(&root)?;
        Ok(Parsed { resource_type, remarks: reader.remarks })
    });
    read.map_err(|Problem { line, column, message }| Error::TypeFile { file: file.to_owned(), line, column, message })
}

struct Reader {
    remarks: Vec<Remark>,
}

impl Reader {
    fn resource_type(&mut self, root: &Node) -> Result<ResourceType, Problem> {
        let outer = map(root, "a resource type")?;
        match outer.iter().find(|(key, _)| key.text == "resource_type") {
            None => self.fields(root, outer),
            Some((_, inner)) => {
                let stray =
                    outer.iter().find(|(key, _)| !matches!(key.text.as_str(), "resource_type" | "cleveragents"));
                if let Some((key, _)) = stray {
                    return Err(at(key, format!("`{}` stands beside `resource_type`; put it below", key.text)));
                }
                self.fields(inner, map(inner, "resource_type")?)
            }
        }
    }

    fn fields(&mut self, node: &Node, entries: &[(Key, Node)]) -> Result<ResourceType, Problem> {
        let mut made = ResourceType::default();
        let mut named = false;
        let mut seen: Vec<(&str, &Key)> = Vec::new();
        for (key, value) in entries {
            let name = canonical(&key.text);
            if let Some((_, first)) = seen.iter().find(|(seen, _)| *seen == name) {
                let message =
                    format!("`{}` means the same as `{}` on line {}; keep one", key.text, first.text, first.line);
                return Err(at(key, message));
            }
            seen.push((name, key));
            match name {
                "name" => {
                    made.name = type_name(value)?;
                    named = true;
                }
                "description" => made.description = optional_text(value, "description")?,
                "resource_kind" => made.resource_kind = kind(value)?,
                "sandbox_strategy" => made.sandbox_strategy = optional_text(value, "sandbox_strategy")?,
                "user_addable" => made.user_addable = optional_bool(value, "user_addable")?,
                "cli_args" => made.cli_args = optional_json(value),
                "parent_types" if value.is_null() => {}
                "parent_types" => made.parent_types = self.names(value, "parent_types")?,
                "child_types" => made.child_types = self.child_types(value)?,
                "auto_discovery" => made.auto_discovery = self.auto_discovery(value)?,
                "handler" => made.handler = optional_text(value, "handler")?,
                "capabilities" => made.capabilities = optional_json(value),
                "equivalence" => made.equivalence = optional_json(value),
                "inherits" => made.inherits = optional_text(value, "inherits")?,
                _ if is_not_applied(name) => {
                    self.remark(value, "not_applied", format!("`{name}` is kept and not applied"));
                    made.not_applied.insert(name.to_owned(), value.to_json());
                }
                _ => return Err(unknown(key, "of a resource type", KEYS.into_iter().chain(ALIASES.map(|(a, _)| a)))),
            }
        }
        if !named {
            return Err(node.problem("no `name`; every type has one"));
        }
        Ok(made)
    }

    fn child_types(&mut self, value: &Node) -> Result<Vec<ChildType>, Problem> {
        if value.is_null() {
            self.remark(
                value,
                "child_types",
                "`child_types` is empty, so any type is allowed; write `[]` to say so".into(),
            );
            return Ok(Vec::new());
        }
        let mut types = Vec::new();
        for item in list(value, "child_types")? {
            let Value::Map(entries) = &item.value else {
                types.push(ChildType::from(self.name(item, "child_types")?.as_str()));
                continue;
            };
            let (mut name, mut auto_discover) = (None, None);
            for (key, value) in entries {
                match key.text.as_str() {
                    "type" | "name" => name = Some(self.name(value, "child_types")?),
                    "auto_discover" => auto_discover = optional_bool(value, "auto_discover")?,
                    _ => return Err(unknown(key, "of a child type", ["type", "auto_discover"])),
                }
            }
            let Some(name) = name else { return Err(item.problem("a child type without `type`")) };
            types.push(ChildType { name, auto_discover });
        }
        Ok(types)
    }

    fn auto_discovery(&mut self, value: &Node) -> Result<Option<AutoDiscovery>, Problem> {
        if value.is_null() {
            return Ok(None);
        }
        let entries = map(value, "auto_discovery")?;
        let other_form = entries.iter().any(|(key, _)| OTHER_FORMS.contains(&key.text.as_str()));
        let mut made = AutoDiscovery::default();
        for (key, value) in entries {
            match key.text.as_str() {
                "enabled" => made.enabled = optional_bool(value, "enabled")?,
                "rules" if value.is_null() => {}
                "rules" => {
                    for item in list(value, "rules")? {
                        made.rules.push(self.rule(item)?);
                    }
                }
                name if other_form => {
                    self.remark(value, "auto_discovery", format!("`{name}` of `auto_discovery` is not supported"));
                    made.unsupported.insert(name.to_owned(), value.to_json());
                }
                _ => {
                    return Err(unknown(key, "of auto_discovery", ["enabled", "rules"].into_iter().chain(OTHER_FORMS)));
                }
            }
        }
        Ok(Some(made))
    }

    fn rule(&mut self, node: &Node) -> Result<Rule, Problem> {
        let mut made = Rule::default();
        let mut typed = false;
        for (key, value) in map(node, "a rule")? {
            match key.text.as_str() {
                "type" => {
                    made.child_type = self.name(value, "type")?;
                    typed = true;
                }
                "pattern" => {
                    let glob = text(value, "pattern")?;
                    pattern::Pattern::new(&glob, "")
                        .map_err(|why| value.problem(format!("the pattern `{glob}`: {why}")))?;
                    made.pattern = Some(glob);
                }
                "enabled" => made.enabled = optional_bool(value, "enabled")?,
                _ => return Err(unknown(key, "of a rule", ["type", "pattern", "enabled"])),
            }
        }
        if typed { Ok(made) } else { Err(node.problem("a rule without `type`")) }
    }

    fn names(&mut self, value: &Node, key: &'static str) -> Result<Vec<String>, Problem> {
        list(value, key)?.iter().map(|item| self.name(item, key)).collect()
    }

    /// The name of a type, as an item of a list.
    fn name(&mut self, node: &Node, key: &'static str) -> Result<String, Problem> {
        let name = text(node, key)?;
        if name.is_empty() {
            return Err(node.problem(format!("an empty name in `{key}`")));
        }
        if node.is_no_text() {
            let message = format!("`{name}` is read as the text \"{name}\"; quote it");
            self.remark(node, key, message);
        }
        Ok(name)
    }

    fn remark(&mut self, at: &Node, key: &'static str, message: String) {
        self.remarks.push(Remark { line: at.line, column: at.column, key, message });
    }
}

fn canonical(key: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == key).map_or(key, |(_, name)| name)
}

/// `child_types_replace` and its like: how a derived type would change what it inherits.
fn is_not_applied(key: &str) -> bool {
    ["_replace", "_append", "_remove"]
        .iter()
        .any(|ending| key.strip_suffix(ending).is_some_and(|base| KEYS.contains(&canonical(base))))
}

fn at(key: &Key, message: String) -> Problem {
    Problem { line: key.line, column: key.column, message }
}

fn unknown<'a>(key: &Key, of: &str, known: impl IntoIterator<Item = &'a str>) -> Problem {
    let known: Vec<&str> = known.into_iter().collect();
    let hint = match near(&key.text, known.iter().copied(), 1).as_slice() {
        [near, ..] => format!("did you mean `{near}`?"),
        [] => format!("known are {}", known.join(", ")),
    };
    at(key, format!("unknown key `{}` {of}; {hint}", key.text))
}

fn expected(node: &Node, key: &str, what: &str) -> Problem {
    node.problem(format!("`{key}`: expected {what}, found {}", node.kind()))
}

fn map<'a>(node: &'a Node, key: &str) -> Result<&'a [(Key, Node)], Problem> {
    match &node.value {
        Value::Map(entries) => Ok(entries),
        _ => Err(expected(node, key, "a mapping")),
    }
}

fn list<'a>(node: &'a Node, key: &str) -> Result<&'a [Node], Problem> {
    match &node.value {
        Value::List(items) => Ok(items),
        _ => Err(expected(node, key, "a list")),
    }
}

fn text(node: &Node, key: &str) -> Result<String, Problem> {
    match &node.value {
        Value::Scalar { text, .. } => Ok(text.clone()),
        _ => Err(expected(node, key, "a text")),
    }
}

fn optional_text(node: &Node, key: &str) -> Result<Option<String>, Problem> {
    if node.is_null() { Ok(None) } else { text(node, key).map(Some) }
}

fn optional_bool(node: &Node, key: &str) -> Result<Option<bool>, Problem> {
    if node.is_null() {
        return Ok(None);
    }
    node.as_bool().map(Some).ok_or_else(|| expected(node, key, "true or false"))
}

fn optional_json(node: &Node) -> Option<serde_json::Value> {
    Some(node.to_json()).filter(|value| !value.is_null())
}

fn type_name(node: &Node) -> Result<String, Problem> {
    let name = text(node, "name")?;
    if name.is_empty() || name.trim() != name {
        return Err(node.problem("`name` is empty or has white space around it"));
    }
    if name == super::NONE {
        return Err(node.problem("`none` is reserved: in `child_types` it means \"no children\""));
    }
    Ok(name)
}

fn kind(node: &Node) -> Result<Option<String>, Problem> {
    let kind = optional_text(node, "resource_kind")?;
    match kind.as_deref() {
        None | Some("physical" | "virtual") => Ok(kind),
        Some(other) => Err(node.problem(format!("`{other}` is no kind of resource; expected physical or virtual"))),
    }
}
