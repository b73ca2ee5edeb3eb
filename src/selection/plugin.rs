//! Plugin manifests: `.claude-plugin/plugin.json` and `marketplace.json` of a source that has no `mars.toml`.

use std::io::ErrorKind;

use serde_json::Value;

use super::files::{Sort, Tree, join};
use super::model::Kind;
use super::package::is_agent_file;
use crate::bounded;

/// What plugin manifests add to a package.
#[derive(Debug, Default)]
pub(super) struct Added {
    /// Kind and path.
    pub items: Vec<(Kind, String)>,
    /// Whether the agents named stand for all agents.
    pub replaces_agents: bool,
    /// File and what is wrong in it.
    pub wrong: Vec<(String, String)>,
}

const FILES: [&str; 2] = [".claude-plugin/plugin.json", ".claude-plugin/marketplace.json"];

const KEYS: [(Kind, &[&str]); 3] = [
    (Kind::Skill, &["skills", "skill_paths", "skillPaths"]),
    (Kind::Agent, &["agents", "agent_paths", "agentPaths"]),
    (Kind::BootstrapDoc, &["bootstrapDocs", "bootstrap_docs"]),
];

/// The items the manifests name. `one_plugin`: the entry asks for one plugin, whose list of agents replaces `agents/`.
pub(super) fn items(tree: &Tree, one_plugin: bool) -> Added {
    let mut added = Added::default();
    for file in FILES {
        let content = match tree.whole(file, bounded::BY_HAND) {
            Ok(content) => content,
            Err(error) => {
                if error.kind() == ErrorKind::FileTooLarge {
                    added.wrong.push((file.to_owned(), format!("not read: {error}")));
                }
                continue;
            }
        };
        let manifest: Value = match serde_json::from_slice(&content) {
            Ok(manifest) => manifest,
            Err(error) => {
                added.wrong.push((file.to_owned(), format!("not JSON: {error}")));
                continue;
            }
        };
        for (kind, keys) in KEYS {
            for key in keys {
                let Some(value) = manifest.get(key) else { continue };
                added.replaces_agents |= one_plugin && kind == Kind::Agent;
                for path in paths(value) {
                    match named(tree, kind, path) {
                        Ok(found) => added.items.extend(found.into_iter().map(|path| (kind, path))),
                        Err(why) => added.wrong.push((file.to_owned(), format!("`{key}`: `{path}` {why}"))),
                    }
                }
            }
        }
    }
    added
}

/// The folder of a plugin of a marketplace.
pub(super) fn folder(tree: &Tree, name: &str) -> Result<Tree, String> {
    let content =
        tree.whole(FILES[1], bounded::BY_HAND).map_err(|error| format!("plugin `{name}`: no marketplace: {error}"))?;
    let marketplace: Value = serde_json::from_slice(&content).map_err(|error| format!("not JSON: {error}"))?;
    let plugins = marketplace.get("plugins").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let names: Vec<&str> = plugins.iter().filter_map(|plugin| plugin.get("name")?.as_str()).collect();
    let plugin = plugins.iter().find(|plugin| plugin.get("name").and_then(Value::as_str) == Some(name));
    let plugin = plugin.ok_or_else(|| format!("no plugin `{name}` here; there are: {}", names.join(", ")))?;
    let source = match plugin.get("source") {
        None => "./",
        Some(Value::String(source)) => source,
        Some(_) => {
            return Err(format!("plugin `{name}`: its source is not a folder of this one, and is not looked for"));
        }
    };
    let path =
        inside(source).ok_or_else(|| format!("plugin `{name}`: its source `{source}` is not a folder of this one"))?;
    tree.below(&path).ok_or_else(|| format!("plugin `{name}`: its source `{source}` is not there"))
}

/// A value: a text, a list of texts, an object with `path`, or a list of those. Only `./` paths count.
fn paths(value: &Value) -> Vec<&str> {
    let text = |value| text_of(value).filter(|path: &&str| path.starts_with("./"));
    match value {
        Value::Array(values) => values.iter().filter_map(text).collect(),
        one => text(one).into_iter().collect(),
    }
}

fn text_of(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("path").and_then(Value::as_str))
}

/// A `./` path without its `./`, `None` when it leaves the folder.
fn inside(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    (!path.starts_with('/') && !parts.contains(&"..")).then(|| parts.join("/"))
}

/// The item a path names, or the items of the container it names.
fn named(tree: &Tree, kind: Kind, path: &str) -> Result<Vec<String>, &'static str> {
    let path = inside(path).ok_or("leads out of the package")?;
    let mark = if kind == Kind::Skill { "SKILL.md" } else { "BOOTSTRAP.md" };
    let has = |folder: &str, name: &str| {
        let listed = tree.list(folder).unwrap_or_default();
        listed.iter().any(|listed| listed.name == name && listed.sort == Sort::File)
    };
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", &path));
    if kind == Kind::Agent && is_agent_file(&path) && tree.is_folder(folder) && has(folder, name) {
        return Ok(vec![path]);
    }
    if !tree.is_folder(&path) {
        return Err("is not there");
    }
    if kind != Kind::Agent && has(&path, mark) {
        return Ok(vec![if path.is_empty() { ".".to_owned() } else { path }]);
    }
    let listed = tree.list(&path).map_err(|_| "cannot be read")?;
    let children = listed.into_iter().filter(|listed| match kind {
        Kind::Agent => listed.sort == Sort::File && is_agent_file(&listed.name),
        _ => listed.sort == Sort::Folder && !listed.name.starts_with('.') && has(&join(&path, &listed.name), mark),
    });
    Ok(children.map(|listed| join(&path, &listed.name)).collect())
}
