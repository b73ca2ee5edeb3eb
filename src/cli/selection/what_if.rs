//! `selection what-if`: tries other lines of yours; with `--write` writes them into `mars.toml`.

use std::io;

use clap::Args;
use serde::Serialize;
use serde_json::json;

use super::super::Context;
use super::super::output::{Answer, Printer, Tone};
use super::Here;
use crate::edit::Plan;
use crate::error::{Code, Coded, Failure, InvalidInput};
use crate::mark::Mark;
use crate::selection::planned::{self, Planned};
use crate::selection::reasons::item_words;
use crate::selection::what_if::{Effect, Try, effect, only_through};
use crate::selection::{Filter, Graph, ItemId, Name, Selection, manifest, select};

/// What to try. Filters are set first, then items are included and excluded, then lines dropped.
#[derive(Debug, Args)]
#[command(
    after_help = "KEY ends at the first `=` or `:`; quote a key that holds one, as in --exclude '\"a:b\":item'. \
                        ITEM is a slug or a path. FILTER is all, only-agents, only-skills, or what an entry of mars.toml \
                        says, in braces: --filter 'k={skills=[\"a\"]}'.\n\
                        Without any of them: for each line of yours, what is selected only through it."
)]
pub struct WhatIf {
    /// Without this line of yours
    #[arg(long, value_name = "KEY")]
    drop: Vec<String>,
    /// With this item left out
    #[arg(long, value_name = "KEY:ITEM")]
    exclude: Vec<String>,
    /// With this item taken in
    #[arg(long, value_name = "KEY:ITEM")]
    include: Vec<String>,
    /// With another filter
    #[arg(long, value_name = "KEY=FILTER")]
    filter: Vec<String>,
    /// Write it into mars.toml
    #[arg(long)]
    write: bool,
    /// With --write: show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// There is no project to try things in.
#[derive(Debug, thiserror::Error)]
#[error("no project here or above: no mars.toml")]
struct NoProject;

impl Coded for NoProject {
    fn code(&self) -> Code {
        Code::NotAProject
    }
}

impl WhatIf {
    /// Runs the verb.
    pub fn run(self, context: &Context) -> Result<Answer, Failure> {
        let tries = self.tries()?;
        if self.write && tries.is_empty() {
            return Err(InvalidInput("nothing to write: say what to change".into()).into());
        }
        let Some(project) = Here::read(context).project else { return Err(NoProject.into()) };
        let before = select(project.graph());
        if tries.is_empty() {
            return Ok(lines(before));
        }
        let effect = effect(&before, &before.graph().try_out(&tries)?);
        let planned = planned::write(&project, &before, &effect, &tries);
        let doing = match (self.write, self.dry_run) {
            (false, _) => Doing::Try,
            (true, true) => Doing::Show,
            (true, false) => Doing::Write,
        };
        let (plan, refused) = match planned {
            Ok(plan) => (Some(plan), None),
            Err(refused) if doing == Doing::Try => (None, Some(refused.to_string())),
            Err(refused) => return Err(refused.into()),
        };
        if let (Doing::Write, Some(plan)) = (doing, &plan) {
            context.workspace.may_write()?;
            let planned = Planned { effect: effect.clone(), plan: plan.clone() };
            planned::carry_out(&planned, &project, &context.workspace.environment(), &context.workspace.journal())?;
        }
        Ok(Answer::new(Told { tries, before, effect, plan, refused, doing }, text))
    }

    fn tries(&self) -> Result<Vec<Try>, InvalidInput> {
        let mut tries = Vec::new();
        for given in &self.filter {
            let (key, filter) = split(given, '=', "KEY=FILTER")?;
            let filter = manifest::filter(filter).map_err(|why| InvalidInput(format!("--filter {given}: {why}")))?;
            tries.push(Try::Filter { key, filter });
        }
        for given in &self.include {
            let (key, item) = split(given, ':', "KEY:ITEM")?;
            tries.push(Try::Include { key, item: item.into() });
        }
        for given in &self.exclude {
            let (key, item) = split(given, ':', "KEY:ITEM")?;
            tries.push(Try::Exclude { key, item: item.into() });
        }
        tries.extend(
            self.drop.iter().map(|key| Try::Drop { key: unquoted(key).map_or(key.as_str(), |(key, _)| key).into() }),
        );
        Ok(tries)
    }
}

/// A quoted key and what follows it.
fn unquoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    text[1..].split_once(quote)
}

/// The key before a mark, and what follows it.
fn split<'a>(text: &'a str, mark: char, form: &str) -> Result<(Name, &'a str), InvalidInput> {
    let wrong = || InvalidInput(format!("`{text}` is not of the form {form}; quote a key that holds `=` or `:`"));
    let (key, rest) = if let Some((key, rest)) = unquoted(text) {
        (key, rest.strip_prefix(mark).ok_or_else(wrong)?)
    } else {
        let at = text.find(['=', ':']).filter(|&at| text[at..].starts_with(mark)).ok_or_else(wrong)?;
        (&text[..at], &text[at + 1..])
    };
    if key.is_empty() || rest.is_empty() { Err(wrong()) } else { Ok((key.into(), rest)) }
}

/// Whether tries are only told, or shown or made as a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Try,
    Show,
    Write,
}

struct Told {
    tries: Vec<Try>,
    before: Selection,
    effect: Effect,
    plan: Option<Plan>,
    refused: Option<String>,
    doing: Doing,
}

fn item(graph: &Graph, id: ItemId) -> serde_json::Value {
    let item = graph.item(id);
    json!({"package": graph.name(item.package), "kind": item.kind, "slug": item.slug, "path": item.path})
}

/// Items, written as they are read off.
struct Items<'a>(&'a Graph, &'a [ItemId]);

impl Serialize for Items<'_> {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.1.iter().map(|&id| item(self.0, id)))
    }
}

impl Serialize for Told {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let graph = self.before.graph();
        let missing = |list: &[(Name, ItemId)]| -> serde_json::Value {
            let one = |(skill, agent): &(Name, ItemId)| {
                let agent = graph.item(*agent);
                json!({"skill": skill, "agent": agent.slug, "package": graph.name(agent.package)})
            };
            list.iter().map(one).collect()
        };
        let edits = self.plan.iter().flat_map(|plan| {
            plan.edits.iter().map(|edit| {
                let file = edit.file.strip_prefix(&plan.root).unwrap_or(&edit.file);
                json!({"file": file.to_string_lossy(), "kind": edit.kind(), "diff": edit.diff(&plan.root)})
            })
        });
        let mut out = to.serialize_map(None)?;
        out.serialize_entry("tries", &self.tries.iter().map(Try::words).collect::<Vec<_>>())?;
        out.serialize_entry("come", &Items(graph, &self.effect.come))?;
        out.serialize_entry("go", &Items(graph, &self.effect.go))?;
        out.serialize_entry("newly_missing", &missing(&self.effect.newly_missing))?;
        out.serialize_entry("no_longer_missing", &missing(&self.effect.no_longer_missing))?;
        out.serialize_entry("edits", &edits.collect::<Vec<_>>())?;
        if let Some(refused) = &self.refused {
            out.serialize_entry("refused", refused)?;
        }
        out.serialize_entry("written", &(self.doing == Doing::Write))?;
        out.serialize_entry("before", &Items(graph, self.before.items()))?;
        out.serialize_entry("after", &Items(graph, self.effect.after.items()))?;
        out.end()
    }
}

fn text(told: &Told, to: &mut Printer<'_>) -> io::Result<()> {
    let graph = told.before.graph();
    let (before, after) = (told.before.items().len(), told.effect.after.items().len());
    to.line(format!(
        "{}: {before} -> {after} items",
        told.tries.iter().map(Try::words).collect::<Vec<_>>().join(", ")
    ))?;
    let list = |mark: &str, tone: Tone, items: &[ItemId], to: &mut Printer<'_>| {
        items.iter().try_for_each(|&id| {
            to.toned(tone, format!("  {mark} "))?;
            to.line(item_words(graph, id))
        })
    };
    list("+", Tone::Good, &told.effect.come, to)?;
    list("-", Tone::Bad, &told.effect.go, to)?;
    for (skill, agent) in &told.effect.newly_missing {
        to.toned(Tone::Bad, format!("  {} ", Mark::Missing.glyph()))?;
        to.line(format!("skill {skill} would be missing for {}", item_words(graph, *agent)))?;
    }
    for (skill, agent) in &told.effect.no_longer_missing {
        to.line(format!("  . skill {skill} would no longer be missing for {}", item_words(graph, *agent)))?;
    }
    if told.effect.come.is_empty() && told.effect.go.is_empty() {
        to.line("  no item comes or goes")?;
    }
    if let Some(refused) = &told.refused {
        return to.line(refused);
    }
    for edit in told.plan.iter().flat_map(|plan| plan.edits.iter().map(move |edit| edit.diff(&plan.root))) {
        to.line("")?;
        to.diff(&edit)?;
    }
    let nothing = told.plan.as_ref().is_none_or(|plan| plan.edits.is_empty());
    match told.doing {
        _ if nothing => to.line("mars.toml says so already"),
        Doing::Try => to.line("only tried; --write writes it"),
        Doing::Show => to.line("nothing was written (--dry-run)"),
        Doing::Write => to.line("written; `dagwood undo` takes it back"),
    }
}

/// For each line of yours, what is selected only through it.
fn lines(selection: Selection) -> Answer {
    struct Lines(Selection);
    impl Lines {
        fn each(&self) -> impl Iterator<Item = (&crate::selection::graph::Edge, Vec<ItemId>)> {
            self.0.graph().entries().map(|(id, entry)| (&entry.line, only_through(&self.0, id)))
        }
    }
    impl Serialize for Lines {
        fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeMap;
            #[derive(Serialize)]
            struct Line<'a> {
                key: &'a Name,
                filter: &'a Filter,
                place: Option<&'a crate::selection::Place>,
                only_through: Items<'a>,
            }
            let all: Vec<_> = self.each().collect();
            let mut out = to.serialize_map(Some(1))?;
            let lines = all.iter().map(|(line, items)| Line {
                key: &line.name,
                filter: &line.filter,
                place: line.place.as_ref(),
                only_through: Items(self.0.graph(), items),
            });
            out.serialize_entry("lines", &lines.collect::<Vec<_>>())?;
            out.end()
        }
    }
    Answer::new(Lines(selection), |lines, to| {
        let mut any = false;
        for (line, items) in lines.each() {
            any = true;
            let place = line.place.as_ref().map_or(String::new(), |place| format!("{place} "));
            to.line(format!("{:>6} only through {place}{} ({})", items.len(), line.name, line.filter))?;
        }
        if any { Ok(()) } else { to.line("mars.toml asks for no package.") }
    })
}
