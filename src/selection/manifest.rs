//! `mars.toml` and `mars.local.toml`: what a project asks for and what a package says of itself. Both eras are read; what
//! is wrong becomes a finding at its line, and the rest goes on.

use std::collections::HashMap;

use toml_edit::{Item, TableLike};

use super::model::{Filter, Name, Place};
use super::toml::{Broken, Toml, text, texts};
use crate::finding::{Area, Finding, Severity};
use crate::text::near;

/// The tables that make a `mars.toml` mars' own.
const OWN_TABLES: [&str; 7] =
    ["package", "dependencies", "local-dependencies", "settings", "models", "agents", "skills"];

/// The keys of a dependency entry.
const ENTRY_KEYS: [&str; 12] = [
    "url",
    "path",
    "subpath",
    "version",
    "dialect",
    "plugin",
    "agents",
    "skills",
    "exclude",
    "only_skills",
    "only_agents",
    "rename",
];

/// Whose manifest it is: what is an error in your own is a warning in a package's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The project's own file.
    Project,
    /// The file of a package.
    Package,
}

/// A manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// `[package]`.
    pub package: Option<PackageTable>,
    /// `[dependencies]`, in file order.
    pub dependencies: Vec<Dependency>,
    /// `[local-dependencies]`, in file order.
    pub local_dependencies: Vec<Dependency>,
    /// `[plugin].dir`: a folder that is not walked.
    pub plugin_dir: Option<String>,
}

/// `[package]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackageTable {
    /// Its name; not its identity, which is the key of whoever asks for it.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its description.
    pub description: Option<String>,
    /// The hosts that may supply skills to it.
    pub uses_providers: Vec<Name>,
    /// The line of the table.
    pub line: usize,
}

/// A dependency entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Its key: the package's identity in the graph.
    pub key: Name,
    /// Where it is written.
    pub place: Place,
    /// `url`.
    pub url: Option<String>,
    /// `path`.
    pub path: Option<String>,
    /// `subpath`, with `/`, when it may be used.
    pub subpath: Option<String>,
    /// Whether `subpath` is given and may not be used.
    pub bad_subpath: bool,
    /// `version`: a constraint or a ref.
    pub version: Option<String>,
    /// `dialect`.
    pub dialect: Option<String>,
    /// `plugin`.
    pub plugin: Option<String>,
    /// What is taken.
    pub filter: Filter,
    /// Where the filter's lists are written.
    pub filter_place: Place,
    /// The names of the filter's lists, with the line of each.
    pub filter_lines: Vec<(Name, usize)>,
    /// `rename`: from, to.
    pub renames: Vec<(String, String)>,
}

/// A manifest and what is to be said about it.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// What it says.
    pub manifest: Manifest,
    /// What is wrong with it.
    pub findings: Vec<Finding>,
}

/// What a file named `mars.toml` turned out to be.
#[derive(Clone, Debug)]
pub enum Read {
    /// A manifest of mars.
    Own(Reading),
    /// The file of another program.
    Foreign,
    /// Not TOML.
    Broken(Broken),
}

/// Reads a `mars.toml`; `file` is how it is named in findings.
pub fn parse(content: &str, file: &str, owner: Owner) -> Read {
    let toml = match Toml::parse(content) {
        Ok(toml) => toml,
        Err(broken) => return Read::Broken(broken),
    };
    let top = toml.top();
    let own = |key: &str| top.get(key).is_some_and(|item| item.is_table_like() || item.is_array_of_tables());
    if !top.is_empty() && !OWN_TABLES.iter().any(|key| own(key)) {
        return Read::Foreign;
    }
    let mut reader = Reader { toml: &toml, file, owner, findings: Vec::new() };
    let manifest = reader.manifest();
    Read::Own(Reading { manifest, findings: reader.findings })
}

/// The finding of a file that is not TOML.
pub(super) fn broken(file: &str, broken: &Broken, severity: Severity) -> Finding {
    let message = format!("not TOML: {}; nothing is read from it", broken.message);
    finding("broken-toml", severity, file, message).at(broken.line).column(broken.column)
}

pub(super) fn finding(code: &str, severity: Severity, file: &str, message: impl Into<String>) -> Finding {
    Finding::new(Area::Selection, code, severity, file, message)
}

struct Reader<'a> {
    toml: &'a Toml<'a>,
    file: &'a str,
    owner: Owner,
    findings: Vec<Finding>,
}

impl Reader<'_> {
    /// An error in your own file, a warning in a package's.
    fn wrong(&mut self, code: &str, line: usize, key: &str, message: String, fix: &str) {
        let severity = if self.owner == Owner::Project { Severity::Error } else { Severity::Warning };
        self.findings.push(finding(code, severity, self.file, message).at(line).key(key).fix(fix));
    }

    fn place(&self, line: usize) -> Place {
        Place { file: self.file.into(), line }
    }

    fn manifest(&mut self) -> Manifest {
        let toml = self.toml;
        let package = toml.table("package").map(|table| self.package(table));
        if package.is_none() && self.owner == Owner::Package {
            let message = "no `[package]`: the package's items are read and its dependencies are not followed; mars from \
                           0.20 on refuses it";
            let found = finding("manifest-without-package", Severity::Warning, self.file, message);
            self.findings.push(found.fix("add `[package]` with `name` and `version`"));
        }
        let dependencies = self.entries("dependencies");
        let local_dependencies: Vec<Dependency> = self.entries("local-dependencies");
        let by_key: HashMap<&str, &Dependency> = dependencies.iter().map(|one| (&*one.key, one)).collect();
        let local_dependencies = local_dependencies
            .into_iter()
            .filter(|local| {
                let Some(first) = by_key.get(&*local.key) else { return true };
                let message = format!(
                    "dependency `{}` appears in both tables; the one of line {} counts",
                    local.key, first.place.line
                );
                self.wrong("key-in-both-tables", local.place.line, &local.key, message, "remove one of the two");
                false
            })
            .collect();
        let plugin_dir = toml.table("plugin").and_then(|table| text(table, "dir"));
        Manifest { package, dependencies, local_dependencies, plugin_dir }
    }

    fn package(&mut self, table: &dyn TableLike) -> PackageTable {
        let line = self.toml.line_of(self.toml.top(), "package");
        let name = text(table, "name");
        if name.as_deref().is_none_or(str::is_empty) {
            self.wrong("package-without-name", line, "package.name", "`[package]` has no `name`".into(), "give it one");
        }
        let version = text(table, "version");
        if version.is_none() {
            let message = "`[package]` has no `version`; mars before 0.20 reads nothing of such a manifest";
            let found = finding("package-without-version", Severity::Warning, self.file, message);
            self.findings.push(found.at(line).key("package.version").fix("add `version = \"0.1.0\"`"));
        }
        if let Some(schema) = table.get("schema")
            && schema.as_integer().is_none_or(|schema| !(0..=1).contains(&schema))
        {
            let line = self.toml.line_of(table, "schema");
            let message = "`schema` is newer than 1; mars of today refuses it, and what is read here may be wrong";
            self.wrong("newer-schema", line, "package.schema", message.into(), "use a newer dagwood, or `schema = 1`");
        }
        let mut uses_providers = Vec::new();
        if let Some(item) = table.get("uses-providers") {
            let line = self.toml.line_of(table, "uses-providers");
            match texts(item) {
                None => {
                    let message = "`uses-providers` is not a list of texts; it is left out".to_owned();
                    self.wrong("type", line, "package.uses-providers", message, "write `uses-providers = [\"host\"]`");
                }
                Some(names) => {
                    for (name, span) in names {
                        if super::select::provider(&format!("x__{name}")) != Some(&*name) {
                            let message = format!("`{name}` is no provider name");
                            let fix = "use small letters, digits and `-`, beginning with a letter or digit";
                            self.wrong("provider-name", self.toml.line(span), "package.uses-providers", message, fix);
                        }
                        uses_providers.push(name);
                    }
                }
            }
        }
        PackageTable { name, version, description: text(table, "description"), uses_providers, line }
    }

    fn entries(&mut self, table_key: &str) -> Vec<Dependency> {
        let toml = self.toml;
        let Some(item) = toml.top().get(table_key) else { return Vec::new() };
        let Some(table) = item.as_table_like() else {
            let line = toml.line_of(toml.top(), table_key);
            let message = format!("`{table_key}` is not a table; it is left out");
            self.wrong("type", line, table_key, message, "write `[dependencies.<key>]` tables");
            return Vec::new();
        };
        let mut entries = Vec::new();
        for (key, item) in table.iter() {
            let line = toml.line_of(table, key);
            if key == "_self" || key.is_empty() {
                let message = match key {
                    "" => "an empty dependency key; the entry is left out",
                    _ => "the key `_self` is reserved for the project's own items; the entry is left out",
                };
                self.wrong("reserved-key", line, key, message.to_owned(), "give it another key");
                continue;
            }
            if let Some(entry) = item.as_table_like() {
                entries.push(self.entry(key, entry, line));
            } else {
                let message = format!("dependency `{key}` is not a table; it is left out");
                self.wrong("type", line, key, message, "write `{ url = \"...\" }` or `{ path = \"...\" }`");
            }
        }
        entries
    }

    fn entry(&mut self, key: &str, entry: &dyn TableLike, line: usize) -> Dependency {
        let toml = self.toml;
        for (name, _) in entry.iter().filter(|(name, _)| !ENTRY_KEYS.contains(name)) {
            let similar = near(name, ENTRY_KEYS, 1);
            let found = finding(
                "unknown-key",
                Severity::Warning,
                self.file,
                format!("dependency `{key}`: unknown key `{name}`; it has no effect"),
            );
            let found = found.at(toml.line_of(entry, name)).key(name);
            self.findings.push(match similar.first() {
                Some(similar) => found.fix(format!("did you mean `{similar}`?")),
                None => found,
            });
        }
        let mut string = |name: &str| {
            let item = entry.get(name)?;
            if item.as_str().is_none() {
                let message = format!("dependency `{key}`: `{name}` is not a text; it is left out");
                self.wrong("type", toml.line_of(entry, name), name, message, "put it in quotes");
            }
            item.as_str().map(str::to_owned)
        };
        let (url, path) = (string("url"), string("path"));
        let (version, dialect, plugin) = (string("version"), string("dialect"), string("plugin"));
        let subpath = string("subpath");
        match (&url, &path) {
            (Some(_), Some(_)) => {
                let message = format!("source `{key}` has both `url` and `path`, choose one; the path is read here");
                self.wrong("two-sources", line, key, message, "remove `url` or `path`");
            }
            (None, None) => {
                let message = format!("source `{key}` has neither `url` nor `path`, one is needed");
                self.wrong("no-source", line, key, message, "add `url` or `path`");
            }
            _ => {}
        }
        let usable = subpath.as_deref().map(clean_subpath);
        if usable == Some(None) {
            let message = format!("source `{key}`: `subpath` must be relative, not empty and without `..`");
            self.wrong(
                "subpath",
                toml.line_of(entry, "subpath"),
                "subpath",
                message,
                "name a folder inside the source",
            );
        }
        let (filter, filter_lines, filter_line) = self.filter(key, entry, line);
        let renames = entry.get("rename").and_then(Item::as_table_like).map_or_else(Vec::new, |table| {
            table.iter().filter_map(|(from, to)| Some((from.to_owned(), to.as_str()?.to_owned()))).collect()
        });
        Dependency {
            key: key.into(),
            place: self.place(line),
            url,
            path,
            bad_subpath: usable == Some(None),
            subpath: usable.flatten(),
            version,
            dialect,
            plugin,
            filter,
            filter_place: self.place(filter_line),
            filter_lines,
            renames,
        }
    }

    /// The filter, the names of its lists with their lines, and its own line.
    fn filter(&mut self, key: &str, entry: &dyn TableLike, line: usize) -> (Filter, Vec<(Name, usize)>, usize) {
        let (only_skills, only_agents) = (self.flag(key, entry, "only_skills"), self.flag(key, entry, "only_agents"));
        let (agents, skills, exclude) =
            (self.list(key, entry, "agents"), self.list(key, entry, "skills"), self.list(key, entry, "exclude"));
        let (only, includes) = (only_skills || only_agents, agents.is_some() || skills.is_some());
        let conflict = match () {
            () if only_skills && only_agents => {
                Some(format!("dependency `{key}`: `only_skills` and `only_agents` exclude each other"))
            }
            () if only && includes => {
                Some(format!("dependency `{key}`: a category flag cannot stand with include lists"))
            }
            () if only && exclude.is_some() => {
                Some(format!("dependency `{key}`: a category flag cannot stand with `exclude`"))
            }
            () if includes && exclude.is_some() => {
                Some(format!("source `{key}` uses both `exclude` and include lists, choose one"))
            }
            () => None,
        };
        if let Some(message) = conflict {
            self.wrong("filter-conflict", line, key, message, "keep one of the two");
        }
        let at = |names: &[&str]| {
            let line_of = |name: &&&str| entry.contains_key(name).then(|| self.toml.line_of(entry, name));
            names.iter().find_map(|name| line_of(&name)).unwrap_or(line)
        };
        let plain = |list: &Lines| list.iter().map(|(name, _)| name.clone()).collect::<Vec<Name>>();
        match (agents, skills, exclude) {
            _ if only_skills => (Filter::OnlySkills, Vec::new(), at(&["only_skills"])),
            _ if only_agents => (Filter::OnlyAgents, Vec::new(), at(&["only_agents"])),
            (None, None, Some(names)) => (Filter::Exclude(plain(&names)), names, at(&["exclude"])),
            (None, None, None) => (Filter::All, Vec::new(), line),
            (agents, skills, _) => {
                let (agents, skills) = (agents.unwrap_or_default(), skills.unwrap_or_default());
                let filter = Filter::Include { agents: plain(&agents), skills: plain(&skills) };
                (filter, agents.into_iter().chain(skills).collect(), at(&["agents", "skills"]))
            }
        }
    }

    fn flag(&mut self, key: &str, entry: &dyn TableLike, name: &str) -> bool {
        let Some(item) = entry.get(name) else { return false };
        item.as_bool().unwrap_or_else(|| {
            let message = format!("dependency `{key}`: `{name}` is not true or false; it is left out");
            self.wrong("type", self.toml.line_of(entry, name), name, message, "write `true` or `false`");
            false
        })
    }

    fn list(&mut self, key: &str, entry: &dyn TableLike, name: &str) -> Option<Lines> {
        let item = entry.get(name)?;
        let line = self.toml.line_of(entry, name);
        if let Some(names) = texts(item) {
            return Some(names.into_iter().map(|(name, span)| (name, self.toml.line(span))).collect());
        }
        let fix = format!("write `{name} = [\"...\"]`");
        if let Some(one) = item.as_str() {
            let message = format!("dependency `{key}`: `{name}` is one text, not a list; read as a list of one");
            self.wrong("type", line, name, message, &fix);
            return Some(vec![(one.into(), line)]);
        }
        let message = format!("dependency `{key}`: `{name}` is not a list of texts; what is no text is left out");
        self.wrong("type", line, name, message, &fix);
        let texts = item.as_array().into_iter().flatten().filter_map(|value| value.as_str().map(Name::from));
        Some(texts.map(|name| (name, line)).collect())
    }
}

type Lines = Vec<(Name, usize)>;

/// A subpath with `/` between its parts; `None` when it leaves the source or names nothing.
pub(super) fn clean_subpath(subpath: &str) -> Option<String> {
    let plain = subpath.replace('\\', "/");
    let drive = plain.as_bytes().get(1) == Some(&b':');
    if plain.is_empty() || plain.starts_with('/') || drive {
        return None;
    }
    let parts: Vec<&str> = plain.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    (!parts.contains(&"..") && !parts.is_empty()).then(|| parts.join("/"))
}

/// Reads a filter as one writes it after `KEY=`: `all`, `only-agents`, `only-skills`, or the keys of an entry in braces.
///
/// # Errors
/// What is wrong with it.
///
/// ```
/// use dagwood::selection::{Filter, manifest::filter};
/// assert_eq!(filter("only-skills"), Ok(Filter::OnlySkills));
/// assert_eq!(filter(r#"{exclude = ["a"]}"#), Ok(Filter::Exclude(vec!["a".into()])));
/// assert!(filter("{skills = [], exclude = []}").is_err());
/// ```
pub fn filter(text: &str) -> Result<Filter, String> {
    match text.trim() {
        "all" => return Ok(Filter::All),
        "only-agents" => return Ok(Filter::OnlyAgents),
        "only-skills" => return Ok(Filter::OnlySkills),
        _ => {}
    }
    let forms = "a filter is `all`, `only-agents`, `only-skills`, or what an entry of mars.toml says, in braces: \
                 `{skills = [\"a\"]}`";
    let content = format!("filter = {text}");
    let toml = Toml::parse(&content).map_err(|broken| format!("{forms}; {}", broken.message))?;
    let table = toml.table("filter").ok_or(forms)?;
    if toml.top().len() != 1 {
        return Err(forms.to_owned());
    }
    let allowed = ["agents", "skills", "exclude", "only_skills", "only_agents"];
    if let Some((unknown, _)) = table.iter().find(|(key, _)| !allowed.contains(key)) {
        return Err(format!("`{unknown}` is no key of a filter; there are {}", allowed.join(", ")));
    }
    let mut reader = Reader { toml: &toml, file: "", owner: Owner::Project, findings: Vec::new() };
    let (filter, ..) = reader.filter("filter", table, 1);
    match reader.findings.into_iter().next() {
        Some(wrong) => Err(wrong.message),
        None => Ok(filter),
    }
}

/// One `[overrides.<key>]` of `mars.local.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// The package it gives another source.
    pub key: Name,
    /// The folder, as written: from the project's folder.
    pub path: String,
    /// Where it is written.
    pub place: Place,
}

/// Reads a `mars.local.toml`.
///
/// # Errors
/// When it is not TOML.
pub fn overrides(content: &str, file: &str) -> Result<(Vec<Override>, Vec<Finding>), Broken> {
    let toml = Toml::parse(content)?;
    let mut overrides = Vec::new();
    let mut findings = Vec::new();
    for (key, item) in toml.table("overrides").into_iter().flat_map(TableLike::iter) {
        let line = toml.table("overrides").map_or(1, |table| toml.line_of(table, key));
        match item.as_table_like().and_then(|entry| text(entry, "path")) {
            Some(path) if !path.is_empty() => {
                let place = Place { file: file.into(), line };
                overrides.push(Override { key: key.into(), path, place });
            }
            _ => {
                let message = format!("override `{key}` has no `path`; it has no effect");
                let found = finding("override-without-path", Severity::Error, file, message);
                findings.push(found.at(line).key(key).fix("add `path = \"...\"`"));
            }
        }
    }
    for key in ["dependencies", "local-dependencies"] {
        if toml.top().contains_key(key) {
            let line = toml.line_of(toml.top(), key);
            let message = format!("`{key}` has no effect in {file}: it cannot add dependencies or change filters");
            let found = finding("local-dependency-here", Severity::Warning, file, message);
            findings.push(found.at(line).key(key).fix("move it to mars.toml"));
        }
    }
    Ok((overrides, findings))
}
