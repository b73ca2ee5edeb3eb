//! A project on the disk: found, and read with everything its selection depends on. Reading never fails as a whole:
//! what cannot be read is a finding, and the rest goes on.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::files::{Bounds, Tree, normal};
use super::graph::Graph;
use super::lock::{self, Lock, LockedPackage};
use super::manifest::{self, Dependency, Manifest, Override, Owner, Read, finding};
use super::model::{Kind, Name, Request, View};
use super::package::{self, Contents, FoundItem};
use super::source::{self, Environment, How, Located, Looked};
use crate::bounded;
use crate::finding::{Finding, Severity};
use crate::text::Guesses;

/// Where a project is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectPlace {
    /// Its folder, absolute.
    pub root: PathBuf,
}

impl ProjectPlace {
    /// Its `mars.toml`.
    pub fn manifest(&self) -> PathBuf {
        self.root.join("mars.toml")
    }
}

/// What was found on the way up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The nearest project.
    pub project: Option<ProjectPlace>,
    /// The `mars.toml` files of other programs that were passed by.
    pub foreign: Vec<PathBuf>,
}

impl Found {
    /// The findings of the files passed by.
    pub fn findings(&self) -> Vec<Finding> {
        let message = "not a mars project: the file belongs to another program (a theme, a launcher ...), as it has none \
                       of mars' tables; the search went on above it";
        let foreign = self.foreign.iter().map(|file| file.to_string_lossy());
        foreign.map(|file| finding("foreign-manifest", Severity::Note, &file, message)).collect()
    }
}

/// Finds the nearest `mars.toml` that is mars' own, from a directory up. One that is not TOML counts as its own, so that
/// somebody is told.
pub fn find(start: &Path) -> Found {
    let mut found = Found::default();
    for folder in start.ancestors() {
        let file = folder.join("mars.toml");
        if !file.is_file() {
            continue;
        }
        let content = bounded::read(&file, bounded::BY_HAND).unwrap_or_default();
        let content = String::from_utf8_lossy(&content);
        if matches!(manifest::parse(&content, "mars.toml", Owner::Project), Read::Foreign) {
            found.foreign.push(file);
        } else {
            found.project = Some(ProjectPlace { root: folder.to_owned() });
            break;
        }
    }
    found
}

/// Who declared a package, and how.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The package whose manifest it stands in; none for your own.
    pub by: Option<Name>,
    /// The entry.
    pub entry: Dependency,
}

/// Where a package's files are.
#[derive(Clone, Debug)]
pub enum Location {
    /// They were found.
    At {
        /// How.
        how: How,
        /// The folder, or the clone and commit.
        at: String,
        /// The folder on the disk, unless it is in a commit.
        folder: Option<PathBuf>,
        /// The commit, when it is known.
        commit: Option<String>,
    },
    /// It is the project itself.
    Project,
    /// They were not; every place looked at.
    Nowhere(Vec<Looked>),
}

/// A package of a project.
#[derive(Clone, Debug)]
pub struct Package {
    /// Its key.
    pub key: Name,
    /// Every entry that names it, yours first; the first one says where it is.
    pub declarations: Vec<Declaration>,
    /// Where its files are.
    pub location: Location,
    /// What the lock says of it.
    pub locked: Option<LockedPackage>,
    /// What is in it; nothing when it was not found.
    pub contents: Contents,
}

impl Package {
    /// Whether its files were found.
    pub fn is_found(&self) -> bool {
        matches!(self.location, Location::At { .. })
    }

    /// The version that was read: the locked one at the locked commit, else what its manifest says.
    pub fn read_version(&self) -> Option<&str> {
        let locked = self.locked.as_ref().and_then(|locked| locked.version.as_deref());
        match self.location {
            Location::At { how: How::Archive | How::Git, .. } => locked.or_else(|| self.version()),
            _ => self.version().or(locked),
        }
    }

    /// The version it says it has.
    pub fn version(&self) -> Option<&str> {
        self.contents.manifest.as_ref()?.package.as_ref()?.version.as_deref()
    }
}

/// A project, read whole. Owned and `Send`.
#[derive(Clone, Debug)]
pub struct Project {
    /// Where it is.
    pub place: ProjectPlace,
    /// Its manifest; empty when it could not be read.
    pub manifest: Manifest,
    /// Its local overrides.
    pub overrides: Vec<Override>,
    /// Its lock, when it has one that can be read.
    pub lock: Option<Lock>,
    /// Its own items.
    pub own: Contents,
    /// All packages its manifests name, in the order in which they were met.
    pub packages: Vec<Package>,
    /// What is wrong with the files.
    pub findings: Vec<Finding>,
    graph: Graph,
    by_key: HashMap<Name, usize>,
    /// The text of its manifest, as it was read.
    text: Vec<u8>,
}

impl Project {
    /// Reads a project.
    pub fn read(place: &ProjectPlace, environment: &Environment) -> Project {
        let mut reader = Reader::new(place, environment);
        let manifest = reader.manifest();
        reader.overrides();
        reader.lock();
        let own = reader.own(&manifest);
        reader.packages(&manifest);
        reader.check_overrides();
        reader.check_identities();
        let graph = Graph::new(reader.view(&manifest, &own));
        let packages: Vec<Package> = reader.pending.into_iter().map(Pending::package).collect();
        let by_key = packages.iter().enumerate().map(|(at, package)| (package.key.clone(), at)).collect();
        Project {
            place: place.clone(),
            manifest,
            overrides: reader.overrides,
            lock: reader.lock,
            own,
            packages,
            findings: reader.findings,
            graph,
            by_key,
            text: reader.text,
        }
    }

    /// Why nothing is known from its manifest, where that is there and cannot be read.
    pub fn unread(&self) -> Option<&Finding> {
        let codes = ["broken-toml", "unreadable", "foreign-manifest"];
        let of_it = |found: &&Finding| found.path == "mars.toml" && codes.contains(&found.code.as_str());
        self.findings.iter().find(of_it)
    }

    /// The bytes of its manifest, as they were when it was read.
    pub fn manifest_text(&self) -> &[u8] {
        &self.text
    }

    /// The graph of its packages, with your lines.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The package of a key.
    pub fn package(&self, key: &str) -> Option<&Package> {
        self.by_key.get(key).map(|&at| &self.packages[at])
    }

    /// An item on the disk; `package` is none for the project's own.
    pub fn item(&self, package: Option<&str>, kind: Kind, slug: &str) -> Option<&FoundItem> {
        let contents = match package {
            Some(key) => &self.package(key)?.contents,
            None => &self.own,
        };
        contents.item(kind, slug)
    }
}

/// A package that is being looked for.
struct Pending {
    key: Name,
    declarations: Vec<Declaration>,
    declared_in: Tree,
    locked: Option<LockedPackage>,
    located: Result<Located, Vec<Looked>>,
    is_project: bool,
    location: Option<Location>,
    contents: Contents,
}

impl Pending {
    fn package(self) -> Package {
        let location = match (self.is_project, self.location, self.located) {
            (true, ..) => Location::Project,
            (false, Some(location), _) => location,
            (false, None, Err(looked)) => Location::Nowhere(looked),
            (false, None, Ok(_)) => Location::Nowhere(Vec::new()),
        };
        Package {
            key: self.key,
            declarations: self.declarations,
            location,
            locked: self.locked,
            contents: self.contents,
        }
    }
}

impl Pending {
    /// What makes it the same source as another that was found by its path: the folder itself.
    fn folder_identity(&self) -> Option<String> {
        let located = self.located.as_ref().ok().filter(|located| located.how == How::Path)?;
        Some(located.tree.folder()?.canonicalize().ok()?.to_string_lossy().into_owned())
    }
}

struct Reader<'a> {
    root: &'a Path,
    environment: &'a Environment,
    findings: Vec<Finding>,
    overrides: Vec<Override>,
    overridden: HashMap<Name, usize>,
    lock: Option<Lock>,
    /// The packages of the lock.
    locked: HashMap<Name, LockedPackage>,
    /// The manifest, as read.
    text: Vec<u8>,
    /// Whether the project has a package of its own.
    is_package: bool,
    pending: Vec<Pending>,
    by_key: HashMap<Name, usize>,
}

impl<'a> Reader<'a> {
    fn new(place: &'a ProjectPlace, environment: &'a Environment) -> Reader<'a> {
        Reader {
            root: &place.root,
            environment,
            findings: Vec::new(),
            overrides: Vec::new(),
            overridden: HashMap::new(),
            lock: None,
            locked: HashMap::new(),
            text: Vec::new(),
            is_package: false,
            pending: Vec::new(),
            by_key: HashMap::new(),
        }
    }

    /// The text of a file of the project; none when it is not there.
    fn text(&mut self, file: &str, most: u64) -> Option<String> {
        self.bytes(file, most).map(|content| String::from_utf8_lossy(&content).into_owned())
    }

    fn bytes(&mut self, file: &str, most: u64) -> Option<Vec<u8>> {
        match bounded::read(&self.root.join(file), most) {
            Ok(content) => Some(content),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => {
                self.findings.push(finding("unreadable", Severity::Error, file, format!("cannot be read: {error}")));
                None
            }
        }
    }

    fn manifest(&mut self) -> Manifest {
        let Some(bytes) = self.bytes("mars.toml", bounded::BY_HAND) else { return Manifest::default() };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        self.text = bytes;
        match manifest::parse(&text, "mars.toml", Owner::Project) {
            Read::Own(reading) => {
                self.findings.extend(reading.findings);
                self.is_package = reading.manifest.package.is_some();
                reading.manifest
            }
            Read::Foreign => {
                let message = "not a mars project: the file has none of mars' tables";
                self.findings.push(finding("foreign-manifest", Severity::Error, "mars.toml", message));
                Manifest::default()
            }
            Read::Broken(broken) => {
                self.findings.push(manifest::broken("mars.toml", &broken, Severity::Error));
                Manifest::default()
            }
        }
    }

    fn overrides(&mut self) {
        let Some(text) = self.text("mars.local.toml", bounded::BY_HAND) else { return };
        match manifest::overrides(&text, "mars.local.toml") {
            Ok((overrides, findings)) => {
                self.overridden = overrides.iter().enumerate().map(|(at, given)| (given.key.clone(), at)).collect();
                self.overrides = overrides;
                self.findings.extend(findings);
            }
            Err(broken) => self.findings.push(manifest::broken("mars.local.toml", &broken, Severity::Error)),
        }
    }

    fn lock(&mut self) {
        let Some(text) = self.text("mars.lock", bounded::LOCK) else { return };
        match lock::parse(&text, "mars.lock") {
            Ok(lock) => {
                let packages = lock.dependencies.iter().cloned();
                self.locked = packages.map(|package| (package.key.clone(), package)).collect();
                self.lock = Some(lock);
            }
            Err(broken) => {
                let found = manifest::broken("mars.lock", &broken, Severity::Error);
                self.findings
                    .push(found.fix(
                        "let mars write it anew, or take it from git; cached packages cannot be found without it",
                    ));
            }
        }
    }

    /// The project's own items: of its package when it is one, and of `.mars-src`, which wins.
    fn own(&mut self, manifest: &Manifest) -> Contents {
        let how = package::Reading { project: self.root, key: None, plugin: None };
        let tree = Tree::disk(self.root.to_owned(), Bounds::Open);
        let mut own = Contents::default();
        if self.is_package {
            own = package::read(&tree, how);
            // the manifest has been read, as the project's, with its findings
            own.findings.retain(|found| found.path != "mars.toml");
        }
        if let Some(sources) = tree.below(".mars-src") {
            let mut local = package::read_items(&sources, how);
            for item in local.items.iter_mut().chain(&mut local.others) {
                item.move_below(".mars-src");
            }
            own.items.retain(|item| !local.items.iter().any(|wins| wins.kind == item.kind && wins.slug == item.slug));
            own.items.append(&mut local.items);
            own.others.append(&mut local.others);
            own.findings.append(&mut local.findings);
            own.sort();
        }
        own.manifest = self.is_package.then(|| manifest.clone());
        self.findings.append(&mut own.findings);
        own
    }

    /// Reads all packages the manifests name, level by level. A package that was not found is looked for again when
    /// another manifest gives another URL for it, since caches are named by the URL as written.
    fn packages(&mut self, manifest: &Manifest) {
        let tree = Tree::disk(self.root.to_owned(), Bounds::Open);
        let mut wanted: Vec<usize> = Vec::new();
        for entry in manifest.dependencies.iter().chain(&manifest.local_dependencies) {
            self.declare(None, entry, &tree, &mut wanted);
        }
        let root = self.root.canonicalize().ok();
        while !wanted.is_empty() {
            let read = self.read_all(&wanted);
            let mut next = Vec::new();
            for (at, (located, contents)) in wanted.into_iter().zip(read) {
                let Ok(located) = &located else {
                    self.pending[at].located = located;
                    continue;
                };
                let own_folder = |folder: PathBuf| root.is_some() && folder.canonicalize().ok() == root;
                if self.is_package && located.tree.folder().is_some_and(own_folder) {
                    self.pending[at].is_project = true;
                    continue;
                }
                let tree = located.tree.clone();
                self.pending[at].location = Some(Location::At {
                    how: located.how,
                    at: tree.shown("", self.root),
                    folder: tree.folder(),
                    commit: located.commit.clone(),
                });
                self.pending[at].located = Ok(located.clone());
                let by = self.pending[at].key.clone();
                let edges = contents.edges().to_vec();
                self.pending[at].contents = contents;
                for entry in &edges {
                    self.declare(Some(&by), entry, &tree, &mut next);
                }
            }
            wanted = next;
        }
    }

    /// Notes an entry; asks for its package when it has not been found.
    fn declare(&mut self, by: Option<&Name>, entry: &Dependency, tree: &Tree, wanted: &mut Vec<usize>) {
        let declaration = Declaration { by: by.cloned(), entry: entry.clone() };
        if let Some(&at) = self.by_key.get(&entry.key) {
            let pending = &mut self.pending[at];
            let new_url = entry.url.is_some() && pending.declarations.iter().all(|known| known.entry.url != entry.url);
            pending.declarations.push(declaration);
            if new_url && pending.located.is_err() && !pending.is_project && !wanted.contains(&at) {
                wanted.push(at);
            }
            return;
        }
        self.by_key.insert(entry.key.clone(), self.pending.len());
        wanted.push(self.pending.len());
        self.pending.push(Pending {
            key: entry.key.clone(),
            declarations: vec![declaration],
            declared_in: tree.clone(),
            locked: self.locked.get(&entry.key).cloned(),
            located: Err(Vec::new()),
            is_project: false,
            location: None,
            contents: Contents::default(),
        });
    }

    /// Finds and reads packages, on as many threads as pay.
    fn read_all(&self, wanted: &[usize]) -> Vec<(Result<Located, Vec<Looked>>, Contents)> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(wanted.len());
        let share = wanted.len().div_ceil(threads.max(1)).max(1);
        let read = |part: &[usize]| part.iter().map(|&at| self.read_one(&self.pending[at])).collect::<Vec<_>>();
        std::thread::scope(|scope| {
            let mut parts = wanted.chunks(share);
            let first = parts.next();
            let others: Vec<_> = parts.map(|part| scope.spawn(move || read(part))).collect();
            let mut all = first.map(read).unwrap_or_default();
            for other in others {
                match other.join() {
                    Ok(part) => all.extend(part),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            all
        })
    }

    fn read_one(&self, pending: &Pending) -> (Result<Located, Vec<Looked>>, Contents) {
        let urls: Vec<String> = pending.declarations.iter().filter_map(|known| known.entry.url.clone()).collect();
        let entry = &pending.declarations[0].entry;
        let located = source::locate(&source::Search {
            environment: self.environment,
            project: self.root,
            key: &pending.key,
            entry,
            declared_in: &pending.declared_in,
            urls: &urls,
            overridden: self.overridden.get(&pending.key).map(|&at| &self.overrides[at]),
            locked: pending.locked.as_ref(),
        });
        let how = package::Reading { project: self.root, key: Some(&pending.key), plugin: entry.plugin.as_deref() };
        let contents = located.as_ref().map_or_else(|_| Contents::default(), |found| package::read(&found.tree, how));
        (located, contents)
    }

    fn check_overrides(&mut self) {
        let mut guesses = Guesses::default();
        for given in self.overrides.iter().filter(|given| !self.by_key.contains_key(&given.key)) {
            let message = format!("override `{}`: no package of that key is in the graph; it has no effect", given.key);
            let similar = guesses.nearest(&given.key, self.by_key.keys().map(|key| &**key));
            let mut found = finding("unused-override", Severity::Warning, &given.place.file, message);
            found = found.at(given.place.line).key(&*given.key);
            found = match similar {
                Some(similar) => found.fix(format!("did you mean `{similar}`?")),
                None => found.fix("remove it"),
            };
            self.findings.push(found);
        }
    }

    /// One source under two keys, and one key for two sources, are errors in mars.
    fn check_identities(&mut self) {
        let mut by_source: HashMap<String, usize> = HashMap::new();
        for (at, pending) in self.pending.iter().enumerate() {
            let first = &pending.declarations[0];
            let overridden = self.overridden.contains_key(&pending.key);
            let identity = pending.folder_identity().or_else(|| identity(first));
            if let (Some(identity), false) = (&identity, overridden) {
                if let Some(&other) = by_source.get(identity) {
                    let other = &self.pending[other];
                    let message = format!(
                        "`{}` and `{}` are one source, {identity}: mars refuses it (duplicate source identity)",
                        other.key, pending.key
                    );
                    let place = &first.entry.place;
                    let found = finding("duplicate-source", Severity::Error, &place.file, message).at(place.line);
                    self.findings.push(found.key(&*pending.key).fix("use one key for it everywhere"));
                } else {
                    by_source.insert(identity.clone(), at);
                }
                for other in &pending.declarations[1..] {
                    let (theirs, ours) = (self::identity(other), self::identity(first));
                    if theirs.is_some() && ours.is_some() && theirs != ours {
                        let message = format!(
                            "`{}` has two sources: {} here, and {identity} at {}, which counts",
                            pending.key,
                            theirs.unwrap_or_default(),
                            first.entry.place
                        );
                        let place = &other.entry.place;
                        let found = finding("conflicting-source", Severity::Error, &place.file, message);
                        self.findings.push(found.at(place.line).key(&*pending.key).fix("give one of them another key"));
                    }
                }
            }
        }
    }

    fn view(&mut self, manifest: &Manifest, own: &Contents) -> View {
        let mut view = View::default();
        for pending in &self.pending {
            if !pending.is_project && pending.located.is_ok() {
                let mut package = pending.contents.view();
                package.edges = pending.contents.edges().iter().map(|entry| self.line(entry)).collect();
                view.packages.insert(pending.key.clone(), package);
            }
        }
        let yours = |entries: &[Dependency]| -> Vec<Request> {
            entries.iter().map(|entry| self.line(entry)).filter(|line| !line.name.is_empty()).collect()
        };
        let dependencies = yours(&manifest.dependencies);
        let locals = yours(&manifest.local_dependencies);
        if self.is_package {
            let mut root = own.view();
            root.edges = dependencies;
            view.root = Some(root);
            view.requests = locals;
        } else {
            view.root = self.root.join(".mars-src").is_dir().then(|| own.view());
            view.requests = dependencies.into_iter().chain(locals).collect();
        }
        view
    }

    /// An entry as a line of the graph; the project itself goes by the root's name.
    fn line(&self, entry: &Dependency) -> Request {
        let at = self.by_key.get(&entry.key);
        let is_project = at.is_some_and(|&at| self.pending[at].is_project);
        let name = if is_project { Name::from("") } else { entry.key.clone() };
        Request {
            name,
            filter: entry.filter.clone(),
            place: Some(entry.place.clone()),
            filter_place: Some(entry.filter_place.clone()),
        }
    }
}

/// What makes two entries the same source.
fn identity(declaration: &Declaration) -> Option<String> {
    let entry = &declaration.entry;
    // a relative path means another folder in every manifest
    let source = match (&entry.path, &entry.url) {
        (Some(path), _) if declaration.by.is_none() || Path::new(path).is_absolute() => {
            normal(Path::new(path)).to_string_lossy().into_owned()
        }
        (Some(_), _) | (None, None) => return None,
        (None, Some(url)) => source::canonical(url),
    };
    let part =
        |name: &str, value: &Option<String>| value.as_ref().map_or(String::new(), |value| format!(" ({name} {value})"));
    Some(format!("{source}{}{}", part("subpath", &entry.subpath), part("plugin", &entry.plugin)))
}
