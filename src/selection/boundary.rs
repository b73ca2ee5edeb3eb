//! The JSON boundary: a [`View`] from text (strict), and a [`Selection`] as JSON (written as it is read off, so that a
//! long answer is never held twice).

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::graph::{ItemId, PackageId};
use super::model::{Definition, ExtraItem, Filter, Kind, Name, PackageView, Request, View};
use super::select::{Duplicate, Missing, Requester, Selection};
use crate::error::{Code, Coded};

/// Why a text is not a view.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It is not JSON of the form asked for.
    #[error("not a package graph: {0}")]
    Form(#[from] serde_json::Error),
    /// A package or a line is named by the empty text.
    #[error("{place}: an empty package name; every package needs one")]
    EmptyName {
        /// Where it stands.
        place: String,
    },
    /// A kind stands where it cannot.
    #[error("package {package}: {kind} `{slug}` cannot stand in `{list}`, which holds {expected} only")]
    KindInList {
        /// The package.
        package: String,
        /// The kind.
        kind: Kind,
        /// The item.
        slug: Name,
        /// The list.
        list: &'static str,
        /// What the list holds.
        expected: &'static str,
    },
    /// One kind and slug twice in a package.
    #[error("package {package}: {kind} `{slug}` is there twice; give one of them another slug")]
    Twice {
        /// The package.
        package: String,
        /// The kind.
        kind: Kind,
        /// The slug.
        slug: Name,
    },
}

impl Coded for Error {
    fn code(&self) -> Code {
        Code::InvalidInput
    }
}

/// Reads a view.
///
/// # Errors
/// Every [`Error`]; all are `invalid_input`.
///
/// ```
/// use dagwood::selection::boundary;
/// let view = boundary::parse(r#"{"requests": [{"name": "p", "filter": "all"}], "root": null, "packages": {}}"#)?;
/// assert_eq!(&*view.requests[0].name, "p");
/// # Ok::<(), boundary::Error>(())
/// ```
pub fn parse(text: &str) -> Result<View, Error> {
    let Object(raw) = serde_json::from_str::<Object<RawView>>(text)?;
    let requests: Vec<Request> = raw.requests.into_iter().map(|Object(line)| line_of(line.name, line.filter)).collect();
    named(requests.iter(), "requests")?;
    let root = raw.root.map(|Object(root)| package("(root)", root)).transpose()?;
    let mut packages = BTreeMap::new();
    for (name, Object(raw)) in raw.packages.0 {
        if name.is_empty() {
            return Err(Error::EmptyName { place: "packages".into() });
        }
        let view = package(&name, raw)?;
        packages.insert(name, view);
    }
    Ok(View { requests, root, packages })
}

fn package(name: &str, raw: RawPackage) -> Result<PackageView, Error> {
    let Object(RawPrepared { selection: Object(raw_view) }) = raw.prepared;
    let extra_items = raw.extra_items.unwrap_or_default();
    let mut met = HashSet::new();
    let misplaced = |kind, slug: &Name, list, expected| Error::KindInList {
        package: name.to_owned(),
        kind,
        slug: slug.clone(),
        list,
        expected,
    };
    for Object(item) in &raw_view.definitions {
        if !matches!(item.kind, Kind::Agent | Kind::Skill) {
            return Err(misplaced(item.kind, &item.slug, "definitions", "agents and skills"));
        }
    }
    for Object(item) in &extra_items {
        if !matches!(item.kind, Kind::Hook | Kind::BootstrapDoc) {
            return Err(misplaced(item.kind, &item.slug, "extra_items", "hooks and bootstrap documents"));
        }
    }
    let keys = raw_view.definitions.iter().map(|Object(item)| (item.kind, &item.slug));
    for (kind, slug) in keys.chain(extra_items.iter().map(|Object(item)| (item.kind, &item.slug))) {
        if !met.insert((kind, slug.clone())) {
            return Err(Error::Twice { package: name.to_owned(), kind, slug: slug.clone() });
        }
    }
    let edges: Vec<Request> = raw_view.edges.into_iter().map(|Object(line)| line_of(line.name, line.filter)).collect();
    named(edges.iter(), &format!("package {name}, edges"))?;
    let definition = |Object(raw): Object<RawDefinition>| Definition {
        kind: raw.kind,
        slug: raw.slug,
        output_path: raw.output_path,
        skills: raw.skills,
    };
    Ok(PackageView {
        definitions: raw_view.definitions.into_iter().map(definition).collect(),
        edges,
        uses_providers: raw_view.uses_providers,
        extra_items: extra_items
            .into_iter()
            .map(|Object(raw)| ExtraItem { kind: raw.kind, slug: raw.slug, path: raw.path })
            .collect(),
    })
}

fn line_of(name: Name, filter: RawFilter) -> Request {
    let filter = match filter {
        RawFilter::All => Filter::All,
        RawFilter::Include(Object(RawInclude { agents, skills })) => Filter::Include { agents, skills },
        RawFilter::Exclude(names) => Filter::Exclude(names),
        RawFilter::OnlySkills => Filter::OnlySkills,
        RawFilter::OnlyAgents => Filter::OnlyAgents,
    };
    Request { name, filter, place: None, filter_place: None }
}

fn named<'a>(mut lines: impl Iterator<Item = &'a Request>, place: &str) -> Result<(), Error> {
    match lines.find(|line| line.name.is_empty()) {
        Some(_) => Err(Error::EmptyName { place: place.to_owned() }),
        None => Ok(()),
    }
}

/// A JSON object: a list of the fields' values in order, which would be taken for one, is refused.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Met<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Met<T> {
            type Value = Object<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Object)
            }
        }
        from.deserialize_map(Met(PhantomData))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawView {
    #[serde(default)]
    requests: Vec<Object<StrictLine>>,
    #[serde(default)]
    root: Option<Object<RawPackage>>,
    #[serde(default)]
    packages: RawPackages,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StrictLine {
    name: Name,
    filter: RawFilter,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RawFilter {
    All,
    Include(Object<RawInclude>),
    Exclude(Vec<Name>),
    OnlySkills,
    OnlyAgents,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawInclude {
    #[serde(default)]
    agents: Vec<Name>,
    #[serde(default)]
    skills: Vec<Name>,
}

#[derive(Deserialize)]
struct RawEdge {
    name: Name,
    filter: RawFilter,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPackage {
    prepared: Object<RawPrepared>,
    #[serde(default)]
    extra_items: Option<Vec<Object<RawExtra>>>,
}

#[derive(Deserialize)]
struct RawPrepared {
    selection: Object<RawSelection>,
}

#[derive(Deserialize)]
struct RawSelection {
    #[serde(default)]
    definitions: Vec<Object<RawDefinition>>,
    #[serde(default)]
    edges: Vec<Object<RawEdge>>,
    #[serde(default)]
    uses_providers: Vec<Name>,
}

#[derive(Deserialize)]
struct RawDefinition {
    kind: Kind,
    slug: Name,
    output_path: Name,
    #[serde(default)]
    skills: Vec<Name>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawExtra {
    kind: Kind,
    slug: Name,
    path: Name,
}

/// The packages, where a name met twice is refused (a map would silently keep the last).
#[derive(Default)]
struct RawPackages(BTreeMap<Name, Object<RawPackage>>);

impl<'de> Deserialize<'de> for RawPackages {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Met;
        impl<'de> Visitor<'de> for Met {
            type Value = RawPackages;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from package names to packages")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<RawPackages, A::Error> {
                let mut packages = BTreeMap::new();
                while let Some((name, package)) = map.next_entry::<Name, Object<RawPackage>>()? {
                    if packages.insert(name.clone(), package).is_some() {
                        return Err(serde::de::Error::custom(format_args!("package `{name}` is there twice")));
                    }
                }
                Ok(RawPackages(packages))
            }
        }
        from.deserialize_map(Met)
    }
}

/// The result of a selection in its JSON form: `items`, `missing_skills`, `diagnostics`.
impl Serialize for Selection {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut out = to.serialize_struct("Selection", 3)?;
        out.serialize_field("items", &Items(self))?;
        out.serialize_field("missing_skills", &MissingSkills(self))?;
        out.serialize_field("diagnostics", &Diagnostics(self))?;
        out.end()
    }
}

/// The selected items of a selection, as JSON.
pub(crate) struct Items<'a>(pub &'a Selection);

impl Serialize for Items<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut out = to.serialize_seq(Some(self.0.items().len()))?;
        for &item in self.0.items() {
            out.serialize_element(&SelectedItem { selection: self.0, item })?;
        }
        out.end()
    }
}

/// One selected item, as JSON.
pub(crate) struct SelectedItem<'a> {
    pub selection: &'a Selection,
    pub item: ItemId,
}

impl Serialize for SelectedItem<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let graph = self.selection.graph();
        let item = graph.item(self.item);
        let mut out = to.serialize_struct("Item", 5)?;
        out.serialize_field("package", &graph.name(item.package))?;
        out.serialize_field("kind", &item.kind)?;
        out.serialize_field("slug", &item.slug)?;
        out.serialize_field("path", &item.path)?;
        out.serialize_field("required_by", &Requesters(self.selection, self.item))?;
        out.end()
    }
}

/// The requesters of an item, as JSON.
struct Requesters<'a>(&'a Selection, ItemId);

impl Serialize for Requesters<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(tag = "by", rename_all = "lowercase")]
        enum By<'a> {
            Consumer,
            Package { package: Option<&'a Name> },
            Item { package: Option<&'a Name>, kind: Kind, slug: &'a Name },
        }
        let graph = self.0.graph();
        to.collect_seq(self.0.requesters(self.1).map(|requester| match requester {
            Requester::Consumer => By::Consumer,
            Requester::Package(package) => By::Package { package: graph.name(package) },
            Requester::Item(item) => {
                let item = graph.item(item);
                By::Item { package: graph.name(item.package), kind: item.kind, slug: &item.slug }
            }
        }))
    }
}

/// The missing skills of a selection, as JSON.
pub(crate) struct MissingSkills<'a>(pub &'a Selection);

impl Serialize for MissingSkills<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct One<'a> {
            skill: &'a Name,
            agent: &'a Name,
            package: Option<&'a Name>,
            searched: &'a [Name],
            #[serde(skip_serializing_if = "Option::is_none")]
            hint: Option<String>,
        }
        let graph = self.0.graph();
        to.collect_seq(self.0.missing().iter().map(|missing: &Missing| {
            let agent = graph.item(missing.requester);
            One {
                skill: &missing.skill,
                agent: &agent.slug,
                package: graph.name(agent.package),
                searched: self.0.searched(),
                hint: missing.hint(),
            }
        }))
    }
}

/// The duplicate-slug warnings of a selection, as JSON.
pub(crate) struct Diagnostics<'a>(pub &'a Selection);

impl Serialize for Diagnostics<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct One {
            code: &'static str,
            severity: &'static str,
            path: [&'static str; 0],
            message: String,
        }
        to.collect_seq(self.0.duplicates().iter().map(|duplicate: &Duplicate| One {
            code: "selection.duplicate-slug",
            severity: "warning",
            path: [],
            message: duplicate.message(self.0.graph()),
        }))
    }
}

/// A package's name as texts say it.
pub(crate) fn spoken(name: Option<&Name>) -> &str {
    name.map_or("the root package", |name| name)
}

impl super::graph::Graph {
    /// A package's name as texts say it: the root is "the root package".
    pub fn spoken(&self, package: PackageId) -> &str {
        spoken(self.name(package))
    }
}
