//! `selection why`.

use std::io;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Here;
use crate::cli::output::{Answer, Printer, Tone};
use crate::error::{Code, Coded, Failure};
use crate::mark::Mark;
use crate::selection::answer;
use crate::selection::reasons::{Reasons, Why, item_words};
use crate::selection::{Graph, ItemId, Kind, Project, Selection, select};
use crate::text::near;

/// What is asked.
pub struct Asked {
    /// The slug.
    pub name: String,
    /// Only of this kind.
    pub kind: Option<Kind>,
    /// Only of this package.
    pub package: Option<String>,
    /// How many chains are shown.
    pub chains: usize,
}

/// Nothing has that name.
#[derive(Debug, thiserror::Error)]
#[error("nothing here is named `{name}`{}{}`dagwood selection list` shows what there is", scope(.kind.as_ref(), .package.as_deref()), guesses(similar))]
struct NotFound {
    name: String,
    kind: Option<Kind>,
    package: Option<String>,
    similar: Vec<String>,
}

/// No package has that key.
#[derive(Debug, thiserror::Error)]
#[error("no package here is named `{package}`{}`dagwood selection packages` shows what there is", guesses(similar))]
struct NoPackage {
    package: String,
    similar: Vec<String>,
}

impl Coded for NoPackage {
    fn code(&self) -> Code {
        Code::NotFound
    }

    fn fields(&self) -> Map<String, Value> {
        Map::from_iter([("package".to_owned(), json!(self.package)), ("similar".to_owned(), json!(self.similar))])
    }
}

fn scope(kind: Option<&Kind>, package: Option<&str>) -> String {
    let kind = kind.map_or(String::new(), |kind| format!(" of kind {kind}"));
    let package = package.map_or(String::new(), |package| format!(" in package {package}"));
    kind + &package
}

/// What may have been meant, and what parts it from the sentence after it.
fn guesses(similar: &[String]) -> String {
    let quoted: Vec<String> = similar.iter().map(|name| format!("`{name}`")).collect();
    if quoted.is_empty() { "; ".to_owned() } else { format!("; did you mean {}? ", quoted.join(", ")) }
}

impl Coded for NotFound {
    fn code(&self) -> Code {
        Code::NotFound
    }

    fn fields(&self) -> Map<String, Value> {
        let fields = json!({"name": self.name, "kind": self.kind, "package": self.package, "similar": self.similar});
        fields.as_object().cloned().unwrap_or_default()
    }
}

/// A name, asked about.
struct Told {
    project: Option<Project>,
    selection: Selection,
    asked: Asked,
    matches: Vec<ItemId>,
}

/// `selection why`.
pub fn why(here: Here, asked: Asked) -> Result<Answer, Failure> {
    let Some(project) = here.project else {
        let selection = select(&Graph::new(crate::selection::model::View::default()));
        let told = Told { project: None, selection, asked, matches: Vec::new() };
        return Ok(Answer::new(told, move |_, to| to.line(&here.begin)));
    };
    let selection = select(project.graph());
    let matches = matches(&selection, &asked);
    let told = Told { project: Some(project), selection, asked, matches };
    if told.is_unknown() {
        return Err(told.no_package().map_or_else(|| told.not_found().into(), Into::into));
    }
    Ok(Answer::new(told, text))
}

fn matches(selection: &Selection, asked: &Asked) -> Vec<ItemId> {
    let graph = selection.graph();
    let wanted = |&id: &ItemId| {
        let item = graph.item(id);
        let of_kind = asked.kind.is_none_or(|kind| kind == item.kind);
        let package = asked.package.as_deref();
        of_kind
            && package
                .is_none_or(|package| graph.name(item.package).map_or(package.is_empty(), |name| **name == *package))
    };
    graph.with_slug(&asked.name).into_iter().filter(wanted).collect()
}

impl Told {
    /// The refs that name it and end without an item.
    fn refs(&self) -> impl Iterator<Item = (ItemId, &'static str)> {
        let graph = self.selection.graph();
        let asked = self.asked.kind.is_none_or(|kind| kind == Kind::Skill) && self.asked.package.is_none();
        let missing =
            self.selection.missing().iter().filter(move |missing| asked && *missing.skill == *self.asked.name);
        let ended = self.selection.ended().iter().filter(move |ended| {
            let left = ended.how == crate::selection::select::End::LeftToProvider;
            asked && left && **graph.ref_name(ended.reference) == *self.asked.name
        });
        missing
            .map(|missing| (missing.requester, "missing"))
            .chain(ended.map(|ended| (ended.requester, "left-to-provider")))
    }

    /// What is on the disk under that name and never selected.
    fn others(&self) -> Vec<(Option<&str>, &crate::selection::package::FoundItem)> {
        let Some(project) = &self.project else { return Vec::new() };
        let own = std::iter::once((None, &project.own));
        let packages = project.packages.iter().map(|package| (Some(&*package.key), &package.contents));
        let others =
            own.chain(packages).flat_map(|(key, contents)| contents.others.iter().map(move |item| (key, item)));
        let wanted = |(key, item): &(Option<&str>, &crate::selection::package::FoundItem)| {
            *item.slug == *self.asked.name
                && self.asked.kind.is_none_or(|kind| kind == item.kind)
                && self.asked.package.as_deref().is_none_or(|package| key.unwrap_or_default() == package)
        };
        others.filter(wanted).collect()
    }

    fn is_unknown(&self) -> bool {
        self.matches.is_empty() && self.refs().next().is_none() && self.others().is_empty()
    }

    /// The package that was asked about, where there is none of that key.
    fn no_package(&self) -> Option<NoPackage> {
        let package = self.asked.package.as_deref().filter(|package| !package.is_empty())?;
        let keys = self.project.iter().flat_map(|project| &project.packages).map(|package| &*package.key);
        let keys: Vec<&str> = keys.collect();
        if keys.contains(&package) {
            return None;
        }
        let similar = near(package, keys, 3).into_iter().map(str::to_owned).collect();
        Some(NoPackage { package: package.to_owned(), similar })
    }

    fn not_found(&self) -> NotFound {
        let graph = self.selection.graph();
        let slugs = graph.items().map(|(_, item)| &*item.slug);
        let missing = self.selection.missing().iter().map(|missing| &*missing.skill);
        let mut similar: Vec<String> = Vec::new();
        for name in near(&self.asked.name, slugs.chain(missing), 12) {
            if similar.len() < 3 && !similar.iter().any(|known| known == name) {
                similar.push(name.to_owned());
            }
        }
        NotFound { name: self.asked.name.clone(), kind: self.asked.kind, package: self.asked.package.clone(), similar }
    }
}

impl Serialize for Told {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let graph = self.selection.graph();
        let reasons = Reasons::new(&self.selection);
        let matches: Vec<Value> = self.matches.iter().map(|&id| answer::why(&reasons, id, self.asked.chains)).collect();
        let refs = self.refs().map(|(agent, how)| {
            let agent = graph.item(agent);
            json!({"agent": agent.slug, "package": graph.name(agent.package), "how": how})
        });
        let others = self.others();
        let others = others.iter().map(|(key, item)| {
            json!({"package": key, "kind": item.kind, "slug": item.slug, "path": item.path, "reason": never(item.kind)})
        });
        json!({
            "name": self.asked.name,
            "matches": matches,
            "refs": refs.collect::<Vec<_>>(),
            "never_selected": others.collect::<Vec<_>>(),
        })
        .serialize(to)
    }
}

fn never(kind: Kind) -> &'static str {
    match kind {
        Kind::McpServer => "MCP servers are not selected here",
        _ => "another item of its package has its kind and slug, and comes first",
    }
}

fn text(told: &Told, to: &mut Printer<'_>) -> io::Result<()> {
    let reasons = Reasons::new(&told.selection);
    let graph = told.selection.graph();
    for (nth, &id) in told.matches.iter().enumerate() {
        if nth > 0 {
            to.line("")?;
        }
        let item = graph.item(id);
        to.toned(Tone::Strong, item_words(graph, id))?;
        to.part(format!("  {}  ", item.path))?;
        if told.selection.is_selected(id) {
            to.toned(Tone::Good, Mark::Selected.told())?;
            to.line("")?;
            chains(graph, &reasons.why(id, told.asked.chains), to)?;
        } else {
            to.toned(Tone::Warn, "not selected")?;
            to.line("")?;
            reasons.why_not(id).iter().try_for_each(|reason| to.line(format!("  {}", reason.words(graph))))?;
            if told.selection.is_excluded(id) {
                let agents =
                    answer::named_by(&reasons, id).into_iter().filter(|&agent| told.selection.is_selected(agent));
                agents
                    .map(|agent| item_words(graph, agent))
                    .try_for_each(|agent| to.line(format!("  {agent} names it and goes without")))?;
            }
        }
    }
    for (agent, how) in told.refs() {
        let agent = item_words(graph, agent);
        match how {
            "missing" => {
                to.toned(Tone::Bad, format!("{} skill {} is missing", Mark::Missing.glyph(), told.asked.name))?;
                to.part(format!(": {agent} names it, and no reached package ships it"))?;
                match crate::selection::findings::similar_skill(graph, &told.asked.name) {
                    Some(similar) => to.line(format!("; {similar}"))?,
                    None => to.line("")?,
                }
            }
            _ => to.line(format!(
                "{} skill {}: {agent} names it and leaves it to a provider",
                Mark::Provider.glyph(),
                told.asked.name
            ))?,
        }
    }
    for (key, item) in told.others() {
        let package = key.map_or(String::new(), |key| format!("{key}/"));
        to.line(format!("{} {package}{}  {}  {}", item.kind, item.slug, item.path, never(item.kind)))?;
    }
    Ok(())
}

fn chains(graph: &Graph, why: &Why, to: &mut Printer<'_>) -> io::Result<()> {
    for chain in &why.chains {
        // the last step is the item, which stands above
        let steps: Vec<String> = chain.steps.iter().map(|step| step.words(graph)).collect();
        let before = steps.len().saturating_sub(1);
        to.line(format!("  {}", steps[..before].join(" → ")))?;
    }
    let shown = why.chains.len() as u64;
    if why.count.more || why.count.number > shown {
        to.toned(Tone::Dim, format!("  {shown} of {} chains, the shortest; --chains N shows more", why.count))?;
        to.line("")?;
    }
    Ok(())
}
