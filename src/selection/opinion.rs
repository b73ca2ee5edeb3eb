//! The lock as a second opinion: what it says is installed, beside what the graph selects. Pure.
//!
//! The graph decides. A lock lags (an item's version is the one at which its bytes last changed) and can file an item
//! under a package that no longer ships it; so versions are read from its packages, and every difference is shown.

use std::collections::HashMap;

use serde::Serialize;

use super::graph::{ItemId, PackageId};
use super::lock::{Lock, LockedItem};
use super::model::{Kind, Name, Place};
use super::project::{Location, Package, Project};
use super::select::Selection;
use super::source::How;

/// How lock and graph differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "difference", rename_all = "kebab-case")]
pub enum Difference {
    /// Selected, and not in the lock.
    NotInLock {
        /// The package; none for your own.
        package: Option<Name>,
        /// What it is.
        kind: Kind,
        /// Its slug.
        slug: Name,
    },
    /// In the lock, and not selected.
    LockOnly {
        /// The package the lock files it under.
        package: Name,
        /// What it is.
        kind: Kind,
        /// Its installed name.
        slug: Name,
        /// Where the lock says so.
        place: Place,
    },
    /// Selected from one package and filed under another.
    AnotherPackage {
        /// The package that ships it.
        package: Option<Name>,
        /// What it is.
        kind: Kind,
        /// Its slug.
        slug: Name,
        /// The package the lock names.
        locked: Name,
        /// Where the lock says so.
        place: Place,
    },
    /// A package's files are of another version than the locked one.
    AnotherVersion {
        /// The package.
        package: Name,
        /// The version its manifest gives.
        version: String,
        /// The locked version.
        locked: String,
        /// Where the lock says so.
        place: Place,
    },
    /// The locked version is not allowed by a constraint of the graph.
    NotAllowed {
        /// The package.
        package: Name,
        /// The locked version.
        locked: String,
        /// The constraint.
        constraint: String,
        /// Where the constraint is written.
        place: Place,
    },
    /// The lock has a package that nothing names.
    PackageLockOnly {
        /// The package.
        package: Name,
        /// Where the lock says so.
        place: Place,
    },
    /// A package of the graph that the lock does not have.
    PackageNotInLock {
        /// The package.
        package: Name,
    },
}

impl Difference {
    /// A short word for it, as in JSON.
    pub fn code(&self) -> &'static str {
        match self {
            Difference::NotInLock { .. } => "not-in-lock",
            Difference::LockOnly { .. } => "lock-only",
            Difference::AnotherPackage { .. } => "another-package",
            Difference::AnotherVersion { .. } => "another-version",
            Difference::NotAllowed { .. } => "not-allowed",
            Difference::PackageLockOnly { .. } => "package-lock-only",
            Difference::PackageNotInLock { .. } => "package-not-in-lock",
        }
    }

    /// Where it shows.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Difference::NotInLock { .. } | Difference::PackageNotInLock { .. } => None,
            Difference::LockOnly { place, .. }
            | Difference::AnotherPackage { place, .. }
            | Difference::AnotherVersion { place, .. }
            | Difference::NotAllowed { place, .. }
            | Difference::PackageLockOnly { place, .. } => Some(place),
        }
    }

    /// The difference in a sentence.
    pub fn words(&self) -> String {
        let of =
            |package: &Option<Name>| package.as_ref().map_or("your package".to_owned(), |name| format!("`{name}`"));
        match self {
            Difference::NotInLock { package, kind, slug } => {
                format!("{kind} `{slug}` of {} is selected and not in the lock", of(package))
            }
            Difference::LockOnly { package, kind, slug, .. } => {
                format!("{kind} `{slug}` is in the lock (from `{package}`) and not selected")
            }
            Difference::AnotherPackage { package, kind, slug, locked, .. } => {
                format!("{kind} `{slug}` comes from {}; the lock files it under `{locked}`", of(package))
            }
            Difference::AnotherVersion { package, version, locked, .. } => {
                format!("`{package}` was read at version {version}; the lock has {locked}")
            }
            Difference::NotAllowed { package, locked, constraint, .. } => {
                format!("`{package}` is locked at {locked}, which `{constraint}` does not allow")
            }
            Difference::PackageLockOnly { package, .. } => {
                format!("the lock has the package `{package}`, which nothing names")
            }
            Difference::PackageNotInLock { package } => format!("the package `{package}` is not in the lock"),
        }
    }
}

/// Every difference between the lock of a project and a selection of it; none when there is no lock.
pub fn differences(project: &Project, selection: &Selection) -> Vec<Difference> {
    let Some(lock) = &project.lock else { return Vec::new() };
    let mut differences = Vec::new();
    packages(project, lock, &mut differences);
    if !lock.items.is_empty() {
        items(project, selection, lock, &mut differences);
    }
    differences
}

fn packages(project: &Project, lock: &Lock, differences: &mut Vec<Difference>) {
    for package in &project.packages {
        if matches!(package.location, Location::Project) {
            continue;
        }
        let Some(locked) = &package.locked else {
            // a local path needs no lock to be found
            if !matches!(package.location, Location::At { how: How::Path | How::Override, .. }) {
                differences.push(Difference::PackageNotInLock { package: package.key.clone() });
            }
            continue;
        };
        let Some(at) = &locked.version else { continue };
        version(package, at, &locked.place, differences);
        for declaration in &package.declarations {
            let Some(constraint) = &declaration.entry.version else { continue };
            if super::version::allows(constraint, at) == Some(false) {
                differences.push(Difference::NotAllowed {
                    package: package.key.clone(),
                    locked: at.clone(),
                    constraint: constraint.clone(),
                    place: declaration.entry.place.clone(),
                });
            }
        }
    }
    for locked in &lock.dependencies {
        if &*locked.key != "_self" && project.package(&locked.key).is_none() {
            let (package, place) = (locked.key.clone(), locked.place.clone());
            differences.push(Difference::PackageLockOnly { package, place });
        }
    }
}

fn version(package: &Package, locked: &str, place: &Place, differences: &mut Vec<Difference>) {
    // at the locked commit the files are the locked ones, whatever their manifest says of itself
    if matches!(package.location, Location::At { how: How::Archive | How::Git, .. }) {
        return;
    }
    if let Some(version) = package.version()
        && version.trim_start_matches('v') != locked.trim_start_matches('v')
    {
        differences.push(Difference::AnotherVersion {
            package: package.key.clone(),
            version: version.to_owned(),
            locked: locked.to_owned(),
            place: place.clone(),
        });
    }
}

fn items(project: &Project, selection: &Selection, lock: &Lock, differences: &mut Vec<Difference>) {
    let graph = selection.graph();
    let hooks = lock.items.iter().any(|item| item.kind == Kind::Hook);
    let mut by_name: HashMap<(Kind, &str), Vec<&LockedItem>> = HashMap::new();
    for item in lock.items.iter().filter(|item| !item.pending_deletion && item.kind != Kind::McpServer) {
        by_name.entry((item.kind, &item.name)).or_default().push(item);
    }
    let mut met: std::collections::HashSet<(Kind, Name)> = std::collections::HashSet::new();
    for &id in selection.items() {
        let item = graph.item(id);
        if item.kind == Kind::Hook && !hooks {
            continue;
        }
        let package = graph.name(item.package);
        let installed = installed_names(project, selection, id);
        let found = installed.iter().find_map(|name| by_name.get(&(item.kind, name.as_str())));
        let (kind, slug) = (item.kind, item.slug.clone());
        let Some(found) = found else {
            differences.push(Difference::NotInLock { package: package.cloned(), kind, slug });
            continue;
        };
        met.insert((kind, found[0].name.clone()));
        let own = package.map_or("_self", |package| package);
        if !found.iter().any(|locked| &*locked.source == own) {
            let (locked, place) = (found[0].source.clone(), found[0].place.clone());
            differences.push(Difference::AnotherPackage { package: package.cloned(), kind, slug, locked, place });
        }
    }
    for item in &lock.items {
        let counted = !item.pending_deletion && item.kind != Kind::McpServer;
        if counted && !met.contains(&(item.kind, item.name.clone())) {
            let (package, place) = (item.source.clone(), item.place.clone());
            differences.push(Difference::LockOnly { package, kind: item.kind, slug: item.name.clone(), place });
        }
    }
}

/// The names an item may be installed under: renamed by your entry, as it is, or told apart from a namesake by its
/// package.
fn installed_names(project: &Project, selection: &Selection, id: ItemId) -> Vec<String> {
    let graph = selection.graph();
    let item = graph.item(id);
    let mut names = Vec::new();
    if let Some(package) = graph.name(item.package) {
        let yours = project.package(package).into_iter().flat_map(|package| &package.declarations);
        for declaration in yours.filter(|declaration| declaration.by.is_none()) {
            let renames = declaration.entry.renames.iter();
            names.extend(renames.filter(|(from, _)| **from == *item.slug || **from == *item.path).map(|(_, to)| {
                let name = to.rsplit('/').next().unwrap_or(to);
                name.strip_suffix(".md").unwrap_or(name).to_owned()
            }));
        }
        names.push(item.slug.to_string());
        names.push(format!("{}__{package}", item.slug));
    } else {
        debug_assert_eq!(item.package, PackageId::ROOT, "only the root has no name");
        names.push(item.slug.to_string());
    }
    names
}
