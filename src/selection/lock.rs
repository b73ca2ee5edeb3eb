//! `mars.lock`, in its three versions: what mars once settled on. It says at which commit a package's files are, and
//! is a second opinion on the selection.

use toml_edit::{Item, TableLike};

use super::model::{Kind, Name, Place};
use super::toml::{Broken, Toml, text};

/// A lock.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    /// Its format: 1, 2 or 3.
    pub version: i64,
    /// The packages it settled on.
    pub dependencies: Vec<LockedPackage>,
    /// What it installed.
    pub items: Vec<LockedItem>,
}

/// A package in a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedPackage {
    /// Its key.
    pub key: Name,
    /// Its source, canonical in newer locks.
    pub url: Option<String>,
    /// Its folder, on the machine of whoever wrote the lock.
    pub path: Option<String>,
    /// Its folder inside the source.
    pub subpath: Option<String>,
    /// The tag or ref.
    pub version: Option<String>,
    /// The full commit.
    pub commit: Option<String>,
    /// Where it is written.
    pub place: Place,
}

/// An item in a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockedItem {
    /// What it is.
    pub kind: Kind,
    /// Its installed name, after renames; of a hook without its target.
    pub name: Name,
    /// The package it is filed under; `_self` for the project's own.
    pub source: Name,
    /// The version at which its bytes last changed; it lags the package's.
    pub version: Option<String>,
    /// Where it was installed.
    pub destinations: Vec<String>,
    /// Whether it waits to be deleted.
    pub pending_deletion: bool,
    /// Where it is written.
    pub place: Place,
}

impl Lock {
    /// The package of a key.
    pub fn package(&self, key: &str) -> Option<&LockedPackage> {
        self.dependencies.iter().find(|package| &*package.key == key)
    }
}

/// Reads a lock; `file` is how it is named in places. What has not the form of a lock is left out.
///
/// # Errors
/// When it is not TOML.
pub fn parse(content: &str, file: &str) -> Result<Lock, Broken> {
    let toml = Toml::parse(content)?;
    let version = toml.top().get("version").and_then(Item::as_integer).unwrap_or(1);
    let place = |table: &dyn TableLike, key: &str| Place { file: file.into(), line: toml.line_of(table, key) };
    let mut lock = Lock { version, ..Lock::default() };
    if let Some(table) = toml.table("dependencies") {
        for (key, item) in table.iter() {
            let Some(entry) = item.as_table_like() else { continue };
            lock.dependencies.push(LockedPackage {
                key: key.into(),
                url: text(entry, "url"),
                path: text(entry, "path"),
                subpath: text(entry, "subpath"),
                version: text(entry, "version"),
                commit: text(entry, "commit"),
                place: place(table, key),
            });
        }
    }
    if let Some(table) = toml.table("items") {
        for (key, item) in table.iter() {
            let Some(entry) = item.as_table_like() else { continue };
            lock.items.extend(locked_item(key, entry, place(table, key)));
        }
    }
    Ok(lock)
}

fn locked_item(key: &str, entry: &dyn TableLike, place: Place) -> Option<LockedItem> {
    let outputs = entry.get("outputs").and_then(Item::as_array_of_tables);
    let outputs = || outputs.into_iter().flat_map(toml_edit::ArrayOfTables::iter);
    let mut destinations: Vec<String> = outputs().filter_map(|output| text(output, "dest_path")).collect();
    destinations.extend(text(entry, "dest_path"));
    let kind = match text(entry, "kind").as_deref().or_else(|| key.split('/').next())? {
        "agent" | "agents" => Kind::Agent,
        "skill" | "skills" => Kind::Skill,
        "hook" | "hooks" => Kind::Hook,
        "mcpserver" | "mcp-server" | "mcp" => Kind::McpServer,
        "bootstrapdoc" | "bootstrap-doc" | "bootstrap" => Kind::BootstrapDoc,
        _ => return None,
    };
    // newer locks are keyed `kind/name`, the first ones by destination (`agents/x.md`)
    let name = key.split_once('/').map_or(key, |(_, name)| name);
    let name = match kind {
        Kind::Agent => name.strip_suffix(".md").unwrap_or(name),
        Kind::Hook => name.rsplit_once('@').map_or(name, |(name, _)| name),
        Kind::BootstrapDoc => name.strip_suffix("/BOOTSTRAP.md").unwrap_or(name),
        _ => name,
    };
    let pending = |state: Option<String>| state.as_deref() == Some("pending-deletion");
    let states: Vec<bool> = outputs().map(|output| pending(text(output, "state"))).collect();
    Some(LockedItem {
        kind,
        name: name.into(),
        source: text(entry, "source").unwrap_or_default().into(),
        version: text(entry, "version"),
        destinations,
        pending_deletion: pending(text(entry, "state")) || (!states.is_empty() && states.iter().all(|state| *state)),
        place,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_versions_are_read() {
        let one =
            "version = 1\n[items.\"agents/a.md\"]\nsource = \"p\"\nkind = \"agent\"\ndest_path = \"agents/a.md\"\n";
        let two = "version = 2\n[dependencies.p]\nurl = \"github.com/o/p\"\ncommit = \"c\"\n[items.\"skill/s\"]\n\
                   source = \"p\"\nkind = \"skill\"\n[[items.\"skill/s\".outputs]]\ndest_path = \"skills/s\"\n";
        let three = "version = 3\n[items.\"bootstrap-doc/d\"]\nkind = \"bootstrapdoc\"\n\
                     [[items.\"bootstrap-doc/d\".outputs]]\nstate = \"pending-deletion\"\n[items.\"hook/h@.claude\"]\nkind = \"hook\"\n";
        let item = |text| {
            let lock = parse(text, "mars.lock").unwrap();
            let all: Vec<_> = lock.items.iter().map(|i| (i.kind, i.name.to_string(), i.pending_deletion)).collect();
            (lock.version, all)
        };
        assert_eq!(item(one), (1, vec![(Kind::Agent, "a".into(), false)]));
        assert_eq!(item(two), (2, vec![(Kind::Skill, "s".into(), false)]));
        assert_eq!(item(three), (3, vec![(Kind::BootstrapDoc, "d".into(), true), (Kind::Hook, "h".into(), false)]));
        let lock = parse(two, "mars.lock").unwrap();
        assert_eq!(lock.package("p").unwrap().place.line, 2);
        assert_eq!(lock.items[0].destinations, ["skills/s"]);
    }

    #[test]
    fn a_broken_lock_says_where() {
        let broken = parse("version = 2\n[items\n", "mars.lock").unwrap_err();
        assert_eq!(broken.line, 2);
    }
}
