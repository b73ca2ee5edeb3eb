//! The items of a package: what the walk over its files finds. Nothing in a package can make it fail; what is wrong is
//! a finding and the rest goes on.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;

use super::files::{Listed, Sort, Tree, join};
use super::front_matter::{self, FrontMatter, Remark};
use super::manifest::{self, Dependency, Manifest, Owner, Read, finding};
use super::model::{Definition, ExtraItem, Kind, Name, PackageView};
use super::plugin;
use super::toml::Toml;
use crate::bounded;
use crate::finding::{Finding, Severity};

/// How many levels below the package's root are walked.
const DEEPEST: usize = 5;

/// Folders that are never entered, beside those whose name begins with a dot.
const PASSED_BY: [&str; 4] = ["node_modules", "dist", "build", "__pycache__"];

/// What was found in a package.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// Its manifest, when it has one of mars.
    pub manifest: Option<Manifest>,
    /// Its items in the order the selection is given them: agents, skills, documents, hooks, each by slug.
    pub items: Vec<FoundItem>,
    /// What is found and never selected: MCP servers, and items whose kind and slug another one has.
    pub others: Vec<FoundItem>,
    /// What is to be said about it.
    pub findings: Vec<Finding>,
}

/// An item on the disk.
#[derive(Clone, Debug)]
pub struct FoundItem {
    /// What it is.
    pub kind: Kind,
    /// Its slug.
    pub slug: Name,
    /// The path filters and results know it by.
    pub path: Name,
    /// Its file, named from the project's folder or absolute.
    pub file: String,
    /// What its front matter says; empty for documents, hooks and servers.
    pub front: FrontMatter,
    /// The path, in the package, of its file.
    inner: String,
}

impl FoundItem {
    /// The same item, seen from the folder above the one it was found in.
    pub(super) fn move_below(&mut self, folder: &str) {
        // a skill that is the folder itself is now the folder below
        self.path = if &*self.path == "." { folder.into() } else { join(folder, &self.path).into() };
        self.inner = join(folder, &self.inner);
    }
}

impl Contents {
    /// The entries that are edges of the package: none without `[package]`.
    pub fn edges(&self) -> &[Dependency] {
        match &self.manifest {
            Some(manifest) if manifest.package.is_some() => &manifest.dependencies,
            _ => &[],
        }
    }

    /// The item of a kind and slug.
    pub fn item(&self, kind: Kind, slug: &str) -> Option<&FoundItem> {
        let at = self.items.binary_search_by(|item| (rank(item.kind), &*item.slug).cmp(&(rank(kind), slug)));
        at.ok().map(|at| &self.items[at])
    }

    /// Puts the items in the order the selection is given them.
    pub(super) fn sort(&mut self) {
        sort(&mut self.items);
    }

    /// What the selection sees of it.
    pub fn view(&self) -> PackageView {
        let mut view = PackageView::default();
        for item in &self.items {
            match item.kind {
                Kind::Agent | Kind::Skill => view.definitions.push(Definition {
                    kind: item.kind,
                    slug: item.slug.clone(),
                    output_path: if item.kind == Kind::Agent { item.path.clone() } else { item.inner.as_str().into() },
                    // a skill's own `skills` are not followed
                    skills: if item.kind == Kind::Agent { item.front.skills.clone() } else { Vec::new() },
                }),
                kind => {
                    view.extra_items.push(ExtraItem { kind, slug: item.slug.clone(), path: item.path.clone() });
                }
            }
        }
        if let Some(table) = self.manifest.as_ref().and_then(|manifest| manifest.package.as_ref()) {
            view.uses_providers.clone_from(&table.uses_providers);
        }
        view
    }
}

/// How a package is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading<'a> {
    /// The project's folder, from which files are named.
    pub project: &'a Path,
    /// The key of the package; none for the project's own.
    pub key: Option<&'a str>,
    /// The plugin of a marketplace that is meant.
    pub plugin: Option<&'a str>,
}

/// Reads a package: its manifest and its items.
pub(super) fn read(tree: &Tree, how: Reading<'_>) -> Contents {
    let mut reader = Reader::new(tree, how);
    let manifest = reader.manifest();
    let mut tree = tree.clone();
    if let (Some(name), None) = (how.plugin, &manifest) {
        match plugin::folder(&tree, name) {
            Ok(folder) => tree = folder,
            Err(why) => reader.say("plugin", Severity::Error, ".claude-plugin/marketplace.json", why),
        }
    }
    reader.tree = &tree;
    reader.listings.clear();
    let plugin_dir = manifest.as_ref().and_then(|manifest| manifest.plugin_dir.clone());
    reader.items(plugin_dir.as_deref(), manifest.is_some());
    reader.finish(manifest)
}

/// Reads the items of a folder that has no manifest of its own (`.mars-src`).
pub(super) fn read_items(tree: &Tree, how: Reading<'_>) -> Contents {
    let mut reader = Reader::new(tree, how);
    reader.items(None, true);
    reader.finish(None)
}

/// A folder that holds items, with the number of its path's components.
struct Container {
    path: String,
    layer: usize,
}

/// Whether a file of an `agents` folder is an agent: its name ends in `.md`, exactly so.
#[expect(clippy::case_sensitive_file_extension_comparisons, reason = "`X.MD` is no agent")]
pub(super) fn is_agent_file(name: &str) -> bool {
    name.ends_with(".md")
}

/// Agents, skills, documents, hooks.
fn rank(kind: Kind) -> u8 {
    match kind {
        Kind::Agent => 0,
        Kind::Skill => 1,
        Kind::BootstrapDoc => 2,
        Kind::Hook | Kind::McpServer => 3,
    }
}

/// By kind, then by slug.
fn sort(items: &mut [FoundItem]) {
    items.sort_by(|a, b| (rank(a.kind), &a.slug, &a.path).cmp(&(rank(b.kind), &b.slug, &b.path)));
}

struct Reader<'a> {
    tree: &'a Tree,
    how: Reading<'a>,
    listings: HashMap<String, Vec<Listed>>,
    found: Vec<FoundItem>,
    servers: Vec<FoundItem>,
    findings: Vec<Finding>,
}

impl<'a> Reader<'a> {
    fn new(tree: &'a Tree, how: Reading<'a>) -> Reader<'a> {
        Reader { tree, how, listings: HashMap::new(), found: Vec::new(), servers: Vec::new(), findings: Vec::new() }
    }

    fn shown(&self, path: &str) -> String {
        self.tree.shown(path, self.how.project)
    }

    fn say(&mut self, code: &str, severity: Severity, path: &str, message: impl Into<String>) {
        let file = self.shown(path);
        self.findings.push(finding(code, severity, &file, message));
    }

    fn manifest(&mut self) -> Option<Manifest> {
        if !self.has_file("", "mars.toml") {
            return None;
        }
        let file = self.shown("mars.toml");
        let content = match self.tree.whole("mars.toml", bounded::BY_HAND) {
            Ok(content) => content,
            Err(error) => {
                self.say("unreadable", Severity::Error, "mars.toml", format!("cannot be read: {error}"));
                return None;
            }
        };
        let content = String::from_utf8_lossy(&content);
        match manifest::parse(&content, &file, Owner::Package) {
            Read::Own(reading) => {
                self.findings.extend(reading.findings);
                Some(reading.manifest)
            }
            Read::Foreign => {
                let message = "not a manifest of mars; the package's items are read, and it has no dependencies";
                self.say("foreign-manifest", Severity::Note, "mars.toml", message);
                None
            }
            Read::Broken(broken) => {
                let found = manifest::broken(&file, &broken, Severity::Error);
                self.findings.push(found.fix("the package's items are read; its dependencies are not known"));
                // there is a manifest, so plugin manifests do not count
                Some(Manifest::default())
            }
        }
    }

    /// What a folder holds; nothing, and a finding, when it cannot be read.
    fn list(&mut self, path: &str) -> &[Listed] {
        if !self.listings.contains_key(path) {
            let listed = self.tree.list(path).unwrap_or_else(|error| {
                self.say("unreadable", Severity::Error, path, format!("the folder cannot be read: {error}"));
                Vec::new()
            });
            self.listings.insert(path.to_owned(), listed);
        }
        self.listings.get(path).map_or(&[], Vec::as_slice)
    }

    fn has_file(&mut self, folder: &str, name: &str) -> bool {
        self.list(folder).iter().any(|listed| listed.name == name && listed.sort == Sort::File)
    }

    /// The names of the folders in a folder that do not begin with a dot.
    fn plain_folders(&mut self, path: &str) -> Vec<String> {
        let folders = self.list(path).iter().filter(|listed| listed.sort == Sort::Folder);
        folders.filter(|listed| !listed.name.starts_with('.')).map(|listed| listed.name.clone()).collect()
    }

    fn items(&mut self, plugin_dir: Option<&str>, has_manifest: bool) {
        let containers = self.walk(plugin_dir);
        for container in &containers {
            self.container(container);
        }
        let walked_any = self.found.iter().any(|item| matches!(item.kind, Kind::Agent | Kind::Skill));
        self.ground(&containers);
        if !walked_any && self.has_file("", "SKILL.md") {
            self.flat_skill();
        }
        self.hooks();
        self.mcp_servers();
        if !has_manifest {
            self.plugin();
        }
    }

    /// The containers, breadth first.
    fn walk(&mut self, plugin_dir: Option<&str>) -> Vec<Container> {
        let plugin_dir = plugin_dir.and_then(manifest::clean_subpath);
        let mut containers = Vec::new();
        let mut waiting = VecDeque::from([(String::new(), 0_usize)]);
        while let Some((path, depth)) = waiting.pop_front() {
            if depth > 0 && self.is_plugin_output(&path) {
                continue;
            }
            let own = path.rsplit('/').next().unwrap_or_default();
            if depth > 0 && matches!(own, "agents" | "skills" | "bootstrap") {
                containers.push(Container { path: path.clone(), layer: depth });
            }
            if depth == DEEPEST {
                continue;
            }
            for name in self.plain_folders(&path) {
                let below = join(&path, &name);
                if !PASSED_BY.contains(&name.as_str()) && Some(&below) != plugin_dir.as_ref() {
                    waiting.push_back((below, depth + 1));
                }
            }
        }
        containers
    }

    /// Whether a folder is what mars itself wrote for a plugin.
    fn is_plugin_output(&mut self, path: &str) -> bool {
        self.has_file(path, ".mars-plugin.json")
            && self
                .tree
                .read(&join(path, ".mars-plugin.json"), front_matter::MOST)
                .is_ok_and(|content| serde_json::from_slice::<serde_json::Map<_, _>>(&content).is_ok())
    }

    fn container(&mut self, container: &Container) {
        match container.path.rsplit('/').next() {
            Some("agents") => {
                let files: Vec<String> = self
                    .list(&container.path)
                    .iter()
                    .filter(|listed| listed.sort == Sort::File && is_agent_file(&listed.name))
                    .map(|listed| join(&container.path, &listed.name))
                    .collect();
                for file in files {
                    self.agent(&file);
                }
            }
            Some("skills") => self.children(&container.path, Kind::Skill, "SKILL.md"),
            _ => self.children(&container.path, Kind::BootstrapDoc, "BOOTSTRAP.md"),
        }
    }

    fn children(&mut self, container: &str, kind: Kind, file: &str) {
        for name in self.plain_folders(container) {
            let folder = join(container, &name);
            if self.has_file(&folder, file) {
                self.add(kind, &name, &folder, &join(&folder, file));
            }
        }
    }

    fn agent(&mut self, file: &str) {
        let name = file.rsplit('/').next().unwrap_or(file);
        let slug = name.strip_suffix(".md").unwrap_or(name).to_owned();
        self.add(Kind::Agent, &slug, file, file);
    }

    /// Adds an item, unless its path is known already.
    fn add(&mut self, kind: Kind, slug: &str, path: &str, inner: &str) {
        self.found.push(FoundItem {
            kind,
            slug: slug.into(),
            path: path.into(),
            file: self.shown(inner),
            front: FrontMatter::default(),
            inner: inner.to_owned(),
        });
    }

    /// Keeps the items of the smallest layer: agents and skills together, documents apart.
    fn ground(&mut self, containers: &[Container]) {
        let layers: HashMap<&str, usize> =
            containers.iter().map(|container| (container.path.as_str(), container.layer)).collect();
        let layer = |item: &FoundItem| {
            let container = item.path.rsplit_once('/').map_or("", |(container, _)| container);
            layers.get(container).copied().unwrap_or(0)
        };
        let document = |item: &FoundItem| item.kind == Kind::BootstrapDoc;
        let least = |documents: bool| {
            self.found.iter().filter(|item| document(item) == documents).map(layer).min().unwrap_or(0)
        };
        let (items, documents) = (least(false), least(true));
        self.found.retain(|item| layer(item) == if document(item) { documents } else { items });
    }

    fn flat_skill(&mut self) {
        let front = self.front("SKILL.md");
        let usable = |name: &&String| !name.is_empty() && !name.contains('/');
        let named = front.name.as_ref().filter(usable).cloned();
        let fallback = || {
            let folder = self.tree.folder();
            let folder =
                folder.as_ref().and_then(|folder| folder.file_name()).map(|name| name.to_string_lossy().into_owned());
            self.how.key.map(str::to_owned).or(folder).unwrap_or_else(|| "skill".to_owned())
        };
        let slug = named.unwrap_or_else(fallback);
        self.add(Kind::Skill, &slug, ".", "SKILL.md");
    }

    fn hooks(&mut self) {
        for name in self.plain_folders_if("hooks") {
            let folder = join("hooks", &name);
            if self.has_file(&folder, "hook.toml") {
                let file = join(&folder, "hook.toml");
                let slug = self.name_in(&file).unwrap_or(name);
                self.add(Kind::Hook, &slug, &folder, &file);
            }
        }
    }

    fn mcp_servers(&mut self) {
        for name in self.plain_folders_if("mcp") {
            let folder = join("mcp", &name);
            if self.has_file(&folder, "mcp.toml") {
                let file = join(&folder, "mcp.toml");
                let slug = self.name_in(&file).unwrap_or(name);
                self.add(Kind::McpServer, &slug, &folder, &file);
                self.servers.extend(self.found.pop());
            }
        }
    }

    fn plain_folders_if(&mut self, name: &str) -> Vec<String> {
        let there = self.list("").iter().any(|listed| listed.name == name && listed.sort == Sort::Folder);
        if there { self.plain_folders(name) } else { Vec::new() }
    }

    /// The `name` in a `hook.toml` or `mcp.toml`.
    fn name_in(&mut self, file: &str) -> Option<String> {
        let content = match self.tree.read(file, front_matter::MOST) {
            Ok(content) => content,
            Err(error) => {
                self.say("unreadable", Severity::Warning, file, format!("cannot be read: {error}"));
                return None;
            }
        };
        let content = String::from_utf8_lossy(&content);
        match Toml::parse(&content) {
            Ok(toml) => super::toml::text(toml.top(), "name").filter(|name| !name.is_empty()),
            Err(broken) => {
                let shown = self.shown(file);
                let found = manifest::broken(&shown, &broken, Severity::Warning);
                self.findings.push(found.fix("until then the folder's name is its slug"));
                None
            }
        }
    }

    /// What the plugin manifests of a source without `mars.toml` add.
    fn plugin(&mut self) {
        let added = plugin::items(self.tree, self.how.plugin.is_some());
        for (path, why) in added.wrong {
            self.say("plugin", Severity::Error, &path, why);
        }
        if added.replaces_agents {
            self.found.retain(|item| item.kind != Kind::Agent);
        }
        for (kind, path) in added.items {
            let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
            match kind {
                Kind::Agent => self.agent(&path),
                Kind::Skill => self.add(kind, &name, &path, &join(&path, "SKILL.md")),
                _ => self.add(kind, &name, &path, &join(&path, "BOOTSTRAP.md")),
            }
        }
    }

    fn front(&mut self, file: &str) -> FrontMatter {
        match self.tree.read(file, front_matter::MOST) {
            Ok(content) => front_matter::parse(&content),
            Err(error) => {
                self.say("unreadable", Severity::Error, file, format!("cannot be read: {error}"));
                FrontMatter::default()
            }
        }
    }

    /// Reads the front matter of what is kept, orders it, and tells collisions apart.
    fn finish(mut self, manifest: Option<Manifest>) -> Contents {
        let mut met = HashSet::new();
        self.found.retain(|item| met.insert((item.kind, item.path.clone())));
        for at in 0..self.found.len() {
            let item = &self.found[at];
            if !matches!(item.kind, Kind::Agent | Kind::Skill) {
                continue;
            }
            let (kind, inner) = (item.kind, item.inner.clone());
            let front = self.front(&inner);
            self.remarks(kind, &inner, &front);
            self.found[at].front = front;
        }
        sort(&mut self.found);
        let mut items: Vec<FoundItem> = Vec::with_capacity(self.found.len());
        let mut others = Vec::new();
        for item in std::mem::take(&mut self.found) {
            match items.last().filter(|last| last.kind == item.kind && last.slug == item.slug) {
                None => items.push(item),
                Some(first) => {
                    let message = format!(
                        "{} `{}` is at {} and at {}; mars refuses the whole package, here the first one counts",
                        item.kind, item.slug, first.path, item.path
                    );
                    let found = finding("collision", Severity::Error, &item.file, message);
                    self.findings.push(found.key(&*item.slug).fix("rename or remove one of the two"));
                    others.push(item);
                }
            }
        }
        others.append(&mut self.servers);
        Contents { manifest, items, others, findings: self.findings }
    }

    fn remarks(&mut self, kind: Kind, file: &str, front: &FrontMatter) {
        let shown = self.shown(file);
        let newer = "mars from 0.20 on refuses the package";
        for remark in &front.remarks {
            let (line, message, fix) = match remark {
                Remark::Unclosed => {
                    let message = format!("the front matter has no closing `---` and is taken as text; {newer}");
                    (Some(1), message, "close it with a line `---`")
                }
                Remark::Broken { line, message } => {
                    let message = format!("the front matter is not YAML ({message}); no skill refs are read; {newer}");
                    (*line, message, "mend the YAML")
                }
                Remark::NotAMapping => (
                    Some(2),
                    "the front matter is not a mapping; no skill refs are read".to_owned(),
                    "write `key: value` lines",
                ),
                Remark::SkillsIsText => {
                    let message = format!("`skills` is one text, read as a list of one; {newer}");
                    (front.skills_line, message, "write `skills: [name]`")
                }
                Remark::NotText { value } => {
                    let message = format!("`skills` holds `{value}`, which is no text and is left out; {newer}");
                    (front.skills_line, message, "put it in quotes or remove it")
                }
                Remark::SkillsIsOther => (
                    front.skills_line,
                    "`skills` is no list; no skill refs are read".to_owned(),
                    "write `skills: [name]`",
                ),
                Remark::NotUtf8 => (None, "the front matter is not UTF-8".to_owned(), "save the file as UTF-8"),
            };
            let mut found = finding("front-matter", Severity::Warning, &shown, message).fix(fix);
            found.line = line;
            self.findings.push(found);
        }
        if kind == Kind::Skill && !front.skills.is_empty() {
            let message = "a skill's own `skills` are not followed (mars before 0.24 did)";
            let mut found = finding("skill-with-skills", Severity::Note, &shown, message);
            found.line = front.skills_line;
            self.findings.push(found.fix("name them in the agents that need them"));
        }
    }
}
