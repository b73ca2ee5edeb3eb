//! Planned writes: previews, writing, undo and redo. The only desk that writes.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;

use super::desk::Clerk;
use super::directories::words;
use super::resources::type_choices;
use super::{Shared, counted, told};
use crate::contracts::fix::{self, FixPlan, Targets, Way, Wishes};
use crate::contracts::{self, Layer, LayerPlace, Scope, State, Tallies, resolve};
use crate::error::{Failure, InvalidInput};
use crate::explorer::model::{Effect, Form, Line, Msg, Part, Preview, Request, Subject, Tone, Written};
use crate::resources::discovery::{Discover, Discovery, Watch};
use crate::resources::{LinksToo, NewResource, Operation, Plan, Registry, Resource, ResourceId, Role, location_of};
use crate::selection::planned;
use crate::selection::reasons::item_words;
use crate::selection::{ItemId, Name};

/// How many lines a preview lists of what it finds.
const LISTED: usize = 200;

/// Thinks writes out and does them.
#[derive(Debug)]
pub struct Writing {
    shared: Arc<Shared>,
}

impl Writing {
    /// A clerk for a workspace.
    pub fn new(shared: Arc<Shared>) -> Writing {
        Writing { shared }
    }

    fn preview(&self, request: &Request, sender: &Sender<Msg>) -> Result<Preview, Failure> {
        match request {
            Request::Fix { directories, form } => self.preview_fix(directories, form.as_ref()),
            Request::Repair { directory } => {
                let layer = self.shared.layer();
                let plan = repair(&layer, directory)?;
                fix::check(&plan)?;
                Ok(Preview { title: capital(&plan.plan.label), ..of_fix(&layer, &plan) })
            }
            Request::Break { id, form } => self.preview_break(id, form.clone()),
            Request::Tries(part) => self.preview_tries(*part),
            Request::Add { form } => self.preview_add(form.clone()),
            Request::Discover { ids, form } => self.preview_discovery(ids, form.as_ref(), sender),
            Request::Undo => {
                let entry = self.shared.workspace.to_undo()?;
                Ok(Preview {
                    title: "Undo".into(),
                    lines: vec![Line::plain(format!("Undo “{}”", entry.label)), Line::of(Tone::Dim, entry.at)],
                    ..Preview::default()
                })
            }
            Request::Redo => {
                let entry = self.shared.workspace.to_redo()?;
                Ok(Preview {
                    title: "Redo".into(),
                    lines: vec![Line::plain(format!("Redo “{}”", entry.label)), Line::of(Tone::Dim, entry.at)],
                    ..Preview::default()
                })
            }
            Request::Link { .. } | Request::Unlink { .. } | Request::Remove { .. } | Request::RemoveDangling => {
                let plan = self.registry()?.plan(&operation(request)?)?;
                Ok(of_plan(&plan))
            }
        }
    }

    fn registry(&self) -> Result<Registry, Failure> {
        Ok(self.shared.workspace.registry()?)
    }

    fn preview_fix(&self, directories: &[String], form: Option<&Form>) -> Result<Preview, Failure> {
        let layer = self.shared.layer();
        let form = match form {
            Some(form) => form.clone(),
            None => guess(&layer, directories)?,
        };
        let checked = plan_fix(&layer, directories, &form).and_then(|plan| {
            fix::check(&plan)?;
            Ok(plan)
        });
        Ok(match checked {
            Ok(plan) => {
                let title = match (plan.plan.edits.as_slice(), directories) {
                    ([_], [one]) if form.value("way") == Way::Write.word() => format!("Write the contract of {one}"),
                    _ => capital(&plan.plan.label),
                };
                Preview { title, form: Some(form), ..of_fix(&layer, &plan) }
            }
            Err(error) => Preview { form: Some(form), refusal: told(error.as_ref()), ..Preview::default() },
        })
    }

    /// The links of a cycle through a resource, to choose the one that goes.
    fn preview_break(&self, id: &str, form: Option<Form>) -> Result<Preview, Failure> {
        let registry = self.registry()?;
        let form = if let Some(form) = form {
            form
        } else {
            let links = cycle_links(&registry, &ResourceId::new(id))?;
            let first = links.first().cloned().unwrap_or_default();
            Form::default().choice("link", &first, links)
        };
        let title = "Break a cycle".to_owned();
        let plan = chosen_link(&registry, &form).and_then(|operation| Ok(registry.plan(&operation)?));
        Ok(match plan {
            Ok(plan) => Preview { form: Some(form), title, ..of_plan(&plan) },
            Err(error) => Preview { form: Some(form), title, refusal: told(error.as_ref()), ..Preview::default() },
        })
    }

    fn preview_tries(&self, part: Part) -> Result<Preview, Failure> {
        let title = "What if".to_owned();
        if part == Part::Contracts {
            let layer = self.shared.layer();
            let tries = Shared::held(&self.shared.contract_tries).clone();
            let outcome = contracts::what_if::what_if(&layer.index, &tries);
            let mut lines: Vec<Line> =
                tries.iter().map(|tried| Line::of(Tone::Warn, "? ").and(Tone::Plain, words(tried))).collect();
            lines.push(Line::blank());
            for change in outcome.states.iter().take(LISTED) {
                let word = |state: Option<State>| state.map_or("not there", State::word);
                let said = format!("{} -> {}", word(change.before), word(change.after));
                lines.push(Line::plain(format!("{:<40} ", change.path.text())).and(Tone::Strong, said));
            }
            for change in outcome.chains.iter().take(LISTED) {
                let lost = change.before.iter().filter(|id| !change.after.contains(id)).cloned();
                let gained = change.after.iter().filter(|id| !change.before.contains(id)).cloned();
                let (lost, gained): (Vec<String>, Vec<String>) = (lost.collect(), gained.collect());
                let said = [("loses", lost), ("gains", gained)]
                    .into_iter()
                    .filter(|(_, ids)| !ids.is_empty())
                    .map(|(verb, ids)| format!("{verb} {}", ids.join(", ")));
                let said = format!("chain {}", said.collect::<Vec<_>>().join(", "));
                lines.push(Line::plain(format!("{:<40} ", change.path.text())).and(Tone::Dim, said));
            }
            let effect = effect(layer.index.tallies(), outcome.index.tallies());
            let plan = plan_tries(&layer, &tries)?;
            lines.push(Line::blank());
            match &plan {
                Some(plan) => lines.extend(of_fix(&layer, plan).lines),
                None => lines.push(Line::of(
                    Tone::Dim,
                    "Deprecating and deleting are done in the file (e), exempting and lifting one at a time (f).",
                )),
            }
            return Ok(Preview { title, lines, effect, idle: plan.is_none(), ..Preview::default() });
        }
        let tries = Shared::held(&self.shared.selection_tries).clone();
        let Some(read) = Shared::held(&self.shared.selected).clone() else {
            return Err(InvalidInput("no project here".to_owned()).into());
        };
        let (project, before) = &*read;
        let planned = planned::plan(project, before, &tries)?;
        let mut lines: Vec<Line> =
            tries.iter().map(|tried| Line::of(Tone::Warn, "? ").and(Tone::Plain, tried.words())).collect();
        lines.push(Line::blank());
        let graph = before.graph();
        let effect = &planned.effect;
        let item = |tone, mark: &str, id| Line::of(tone, mark).and(Tone::Plain, item_words(graph, id));
        lines.extend(effect.come.iter().take(LISTED).map(|&id| item(Tone::Good, "comes  ", id)));
        lines.extend(effect.go.iter().take(LISTED).map(|&id| item(Tone::Bad, "goes   ", id)));
        let missing = |(skill, by): &(Name, ItemId)| format!("{skill} of {}", item_words(graph, *by));
        lines.extend(
            effect.newly_missing.iter().map(|it| Line::of(Tone::Bad, format!("missing then: {}", missing(it)))),
        );
        lines.extend(
            effect.no_longer_missing.iter().map(|it| Line::of(Tone::Good, format!("missing no more: {}", missing(it)))),
        );
        lines.push(Line::blank());
        for edit in &planned.plan.edits {
            lines.extend(edit.diff(&project.place.root).lines().map(Line::diff));
        }
        let said = format!("items {} -> {}", before.items().len(), effect.after.items().len());
        Ok(Preview { title, lines, effect: said, idle: planned.plan.edits.is_empty(), ..Preview::default() })
    }

    fn write_tries(&self, part: Part) -> Result<Written, Failure> {
        let journal = self.shared.workspace.journal();
        if part == Part::Contracts {
            let layer = self.shared.layer();
            let tries = Shared::held(&self.shared.contract_tries).clone();
            let plan = plan_tries(&layer, &tries)?
                .ok_or_else(|| InvalidInput("these tries are written one at a time, with f".to_owned()))?;
            let written = self.carry_out(&layer, &plan, None)?;
            Shared::held(&self.shared.contract_tries).clear();
            return Ok(Written { untried: Some(part), ..written });
        }
        let tries = Shared::held(&self.shared.selection_tries).clone();
        let Some(read) = Shared::held(&self.shared.selected).clone() else {
            return Err(InvalidInput("no project here".to_owned()).into());
        };
        let (project, before) = &*read;
        let planned = planned::plan(project, before, &tries)?;
        planned::carry_out(&planned, project, &self.shared.workspace.environment(), &journal)?;
        Shared::held(&self.shared.selection_tries).clear();
        Ok(Written {
            said: planned.plan.label,
            touched: vec![Part::Selection],
            untried: Some(part),
            ..Written::default()
        })
    }

    fn preview_add(&self, form: Option<Form>) -> Result<Preview, Failure> {
        let registry = self.registry()?;
        let place = self.shared.workspace.place();
        let form = form.unwrap_or_else(|| {
            let kind = if self.shared.workspace.git_top.is_some() { "git-checkout" } else { "fs-directory" };
            let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let free = |name: &String| registry.find(name, Role::Resource).is_err();
            let first = format!("local/{name}");
            let further = (2..).map(|number| format!("local/{name}-{number}"));
            let name = std::iter::once(first).chain(further).find(free).unwrap_or_default();
            Form::default()
                .choice("type", kind, type_choices(&registry, kind))
                .text("name", name)
                .text("location", location_of(place))
        });
        let title = "Add a resource".to_owned();
        Ok(match registry.plan(&Operation::Add(self.new_resource(&form))) {
            Ok(plan) => Preview { form: Some(form), title, ..of_plan(&plan) },
            Err(error) => Preview { form: Some(form), title, refusal: told(&error), ..Preview::default() },
        })
    }

    fn new_resource(&self, form: &Form) -> NewResource {
        let given = |name: &str| Some(form.value(name).to_owned()).filter(|value| !value.is_empty());
        let location = given("location").map(|place| location_of(&self.shared.workspace.place().join(place)));
        NewResource {
            type_name: form.value("type").to_owned(),
            name: given("name"),
            location,
            description: None,
            parent: None,
        }
    }

    fn preview_discovery(&self, ids: &[String], form: Option<&Form>, sender: &Sender<Msg>) -> Result<Preview, Failure> {
        let registry = self.registry()?;
        let progress = progress(sender, "looking");
        let watch = Watch { cancel: &self.shared.cancel, progress: &progress };
        let form =
            form.cloned().unwrap_or_else(|| Form::default().choice("reach", REACHES[0], REACHES.map(String::from)));
        let (mut found, mut name) = (Discovery::default(), String::new());
        for id in ids {
            let resource = registry.find(id, Role::Resource)?;
            name = resource.label();
            merge(&mut found, registry.plan_discovery(&resource.id, &reach(&form), &watch)?);
        }
        let idle = found.created.is_empty() && found.linked.is_empty();
        let title =
            if ids.len() == 1 { format!("Discover {name}") } else { format!("Discover {} resources", ids.len()) };
        Ok(Preview {
            title,
            lines: discovered(&found),
            effect: if idle { "nothing new".to_owned() } else { summary(&found, "would be created") },
            form: Some(form),
            idle,
            ..Preview::default()
        })
    }

    fn write(&self, request: &Request, sender: &Sender<Msg>) -> Result<Written, Failure> {
        let workspace = &self.shared.workspace;
        workspace.may_write()?;
        match request {
            Request::Fix { directories, form } => {
                let layer = self.shared.layer();
                let form = match form {
                    Some(form) => form.clone(),
                    None => guess(&layer, directories)?,
                };
                let plan = plan_fix(&layer, directories, &form)?;
                self.carry_out(&layer, &plan, directories.first().cloned())
            }
            Request::Repair { directory } => {
                let layer = self.shared.layer();
                let plan = repair(&layer, directory)?;
                self.carry_out(&layer, &plan, Some(directory.clone()))
            }
            Request::Break { form, .. } => {
                let form = form.clone().ok_or_else(|| InvalidInput("no link was chosen".to_owned()))?;
                let mut registry = workspace.registry_to_write()?;
                let operation = chosen_link(&registry, &form)?;
                let plan = registry.carry_out(&operation)?;
                Ok(Written { said: plan.label, touched: vec![Part::Resources], ..Written::default() })
            }
            Request::Add { form } => {
                let form = form.clone().ok_or_else(|| InvalidInput("nothing to add".to_owned()))?;
                let mut registry = workspace.registry_to_write()?;
                let plan = registry.carry_out(&Operation::Add(self.new_resource(&form)))?;
                let added = plan.resources().next().map(|resource| resource.id.as_str().to_owned());
                Ok(Written {
                    said: plan.label,
                    touched: vec![Part::Resources],
                    reveal: added.clone().map(Subject::Resource),
                    next: added
                        .filter(|_| !form.value("location").is_empty())
                        .map(|id| Request::Discover { ids: vec![id], form: None }),
                    ..Written::default()
                })
            }
            Request::Discover { ids, form } => {
                let mut registry = workspace.registry_to_write()?;
                let progress = progress(sender, "discovering");
                let watch = Watch { cancel: &self.shared.cancel, progress: &progress };
                let how = form.as_ref().map_or(Discover::ONE_LEVEL, reach);
                let mut found = Discovery::default();
                for id in ids {
                    merge(&mut found, registry.discover(&ResourceId::new(id.as_str()), &how, &watch)?);
                }
                Ok(Written {
                    said: summary(&found, "created"),
                    touched: vec![Part::Resources],
                    reveal: ids.first().cloned().map(Subject::Resource),
                    open: true,
                    ..Written::default()
                })
            }
            Request::Tries(part) => self.write_tries(*part),
            Request::Undo => {
                let entry = workspace.undo()?;
                Ok(turned(format!("undid “{}”", entry.label)))
            }
            Request::Redo => {
                let entry = workspace.redo()?;
                Ok(turned(format!("redid “{}”", entry.label)))
            }
            Request::Link { .. } | Request::Unlink { .. } | Request::Remove { .. } | Request::RemoveDangling => {
                let plan = workspace.registry_to_write()?.carry_out(&operation(request)?)?;
                let reveal = match request {
                    Request::Link { parent, .. } => Some(Subject::Resource(parent.clone())),
                    _ => None,
                };
                let open = matches!(request, Request::Link { .. });
                Ok(Written { said: plan.label, touched: vec![Part::Resources], reveal, open, ..Written::default() })
            }
        }
    }

    fn carry_out(&self, layer: &Layer, plan: &FixPlan, directory: Option<String>) -> Result<Written, Failure> {
        let place: &LayerPlace = &layer.place;
        fix::carry_out(plan, place, &self.shared.workspace.journal())?;
        self.shared.reread_layer();
        let created = plan.plan.edits.iter().any(|edit| edit.before.is_none());
        let new = if created { "; what is new counts, and is untracked until git add" } else { "" };
        Ok(Written {
            said: format!("{}{new}", plan.plan.label),
            touched: vec![Part::Contracts],
            reveal: directory.map(Subject::Directory),
            ..Written::default()
        })
    }

    /// Tells what can be undone and redone now.
    fn journal(&self, sender: &Sender<Msg>) {
        let label = |entries: Vec<crate::edit::Entry>, undone: bool| {
            let mut of = entries.into_iter().filter(move |entry| entry.undone == undone);
            if undone { of.next() } else { of.next_back() }.map(|entry| entry.label)
        };
        let entries = self.shared.workspace.journal().list().unwrap_or_default();
        let undo = label(entries.clone(), false);
        let _ = sender.send(Msg::Journal { undo, redo: label(entries, true) });
    }
}

impl Clerk for Writing {
    fn begin(&mut self, sender: &Sender<Msg>) {
        self.journal(sender);
    }

    fn work(&mut self, job: Effect, sender: &Sender<Msg>) {
        self.shared.cancel.store(false, Ordering::SeqCst);
        let sent = match job {
            Effect::Preview { generation, request } => {
                let preview = self.preview(&request, sender).map(Box::new).map_err(|error| told(error.as_ref()));
                sender.send(Msg::Previewed { generation, preview })
            }
            Effect::Write(request) => {
                self.shared.writes();
                let written = self.write(&request, sender).map(Box::new).map_err(|error| told(error.as_ref()));
                self.shared.writes();
                self.journal(sender);
                sender.send(Msg::Written(written))
            }
            _ => Ok(()),
        };
        // the explorer has ended; there is nobody to tell
        let _ = sent;
    }
}

/// A change of the registry as the registry knows it.
fn operation(request: &Request) -> Result<Operation, InvalidInput> {
    let id = |id: &String| ResourceId::new(id.as_str());
    match request {
        Request::Link { parent, children } => Ok(match children.as_slice() {
            [child] => Operation::Link(id(parent), id(child)),
            several => Operation::LinkAll(id(parent), several.iter().map(id).collect()),
        }),
        Request::RemoveDangling => Ok(Operation::RemoveDangling),
        Request::Unlink { parent, child } => Ok(Operation::Unlink(id(parent), id(child))),
        Request::Remove { id: it } => Ok(Operation::Remove(id(it), LinksToo::Remove)),
        _ => Err(InvalidInput("not a change of the registry".to_owned())),
    }
}

/// The parts an undone or redone write may have touched.
fn turned(said: String) -> Written {
    Written { said, touched: Part::ALL.to_vec(), ..Written::default() }
}

/// The preview of a plan of the registry.
fn of_plan(plan: &Plan) -> Preview {
    let mut lines = vec![Line::plain(capital(&plan.label)), Line::blank()];
    lines.extend(plan.notes.iter().map(|note| Line::of(Tone::Warn, note.as_str())));
    let name = |resource: &Resource| format!("{}  {}", resource.label(), resource.type_name);
    lines.extend(plan.resources().map(|it| Line::of(Tone::Good, "+ ").and(Tone::Plain, name(it))));
    lines.extend(plan.removed().map(|it| Line::of(Tone::Bad, "- ").and(Tone::Plain, name(it))));
    let counted_links = |count: usize| counted(count, "link", "links");
    let mut effect = Vec::new();
    for (count, what) in [(plan.linked().count(), "added"), (plan.unlinked().count(), "removed")] {
        if count > 0 {
            effect.push(format!("{} {what}", counted_links(count)));
        }
    }
    Preview {
        title: capital(&plan.label),
        lines,
        effect: effect.join(" · "),
        form: None,
        idle: false,
        refusal: Vec::new(),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The form of the best guesses. A title and an id are asked for where there is one directory.
fn guess(layer: &Layer, directories: &[String]) -> Result<Form, Failure> {
    let first = directories.first().map(String::as_str).unwrap_or_default();
    let guess = fix::form(layer, first)?;
    let ways = Way::ALL.map(|way| way.word().to_owned());
    let mut form = Form::default().choice("way", Way::Write.word(), ways);
    if directories.len() == 1 {
        form = form
            .text("title", guess.title.as_str())
            .text("description", guess.description.as_str())
            .text("id", guess.id.as_str());
    }
    Ok(form
        .choice("scope", guess.scope.word(), ["subtree", "directory"].map(String::from))
        .text("order", guess.order.to_string()))
}

fn plan_fix(layer: &Layer, directories: &[String], form: &Form) -> Result<FixPlan, Failure> {
    let order = form.value("order").parse().map_err(|_| {
        InvalidInput(format!("`{}` is no order: a whole number is wanted, the lower the earlier", form.value("order")))
    })?;
    let asked = |name: &str| Some(form.value(name).to_owned()).filter(|_| directories.len() == 1);
    let wishes = Wishes {
        id: asked("id"),
        title: asked("title"),
        description: asked("description"),
        scope: Scope::of(form.value("scope")),
        order: Some(order),
    };
    let way = Way::of(form.value("way")).unwrap_or_default();
    let wishes = if way == Way::Write { wishes } else { Wishes::default() };
    Ok(fix::plan(layer, &Targets::These(directories.to_vec()), way, &wishes)?)
}

/// The fix that writes tries: exempting alone, or lifting alone. `None` for what has to be done one at a time.
fn plan_tries(layer: &Layer, tries: &[contracts::what_if::Try]) -> Result<Option<FixPlan>, Failure> {
    use contracts::what_if::Try;
    let exempt: Option<Vec<String>> =
        tries.iter().map(|it| if let Try::Exempt(path) = it { Some(path.text().into_owned()) } else { None }).collect();
    let lift: Option<Vec<String>> =
        tries.iter().map(|it| if let Try::Lift(path) = it { Some(path.text().into_owned()) } else { None }).collect();
    let (paths, way) = match (exempt, lift) {
        (Some(paths), _) => (paths, Way::Exempt),
        (_, Some(paths)) => (paths, Way::Lift),
        _ => return Ok(None),
    };
    Ok(Some(fix::plan(layer, &Targets::These(paths), way, &Wishes::default())?))
}

/// The repair of the first broken document of a directory.
fn repair(layer: &Layer, directory: &str) -> Result<FixPlan, Failure> {
    let broken = resolve::broken(&layer.index).find(|lost| lost.directory.text() == directory);
    let document = broken.map(|lost| lost.document.text().into_owned());
    let document = document.ok_or_else(|| InvalidInput(format!("no document of {directory} is broken")))?;
    Ok(fix::repair(layer, &document)?)
}

/// The preview of a fix: what it says, then the diff of each file.
fn of_fix(layer: &Layer, plan: &FixPlan) -> Preview {
    let root = &layer.place.top;
    let mut lines: Vec<Line> = plan.notes.iter().map(|note| Line::of(Tone::Strong, note.as_str())).collect();
    for left in &plan.left {
        lines.push(Line::of(Tone::Warn, format!("left as it is: {}: {}", left.path.text(), left.why)));
    }
    for edit in plan.plan.edits.iter().take(LISTED) {
        lines.extend(edit.diff(root).lines().map(Line::diff));
    }
    if plan.plan.edits.len() > LISTED {
        lines.push(Line::of(Tone::Dim, format!("and {} more files", plan.plan.edits.len() - LISTED)));
    }
    Preview { lines, effect: effect(plan.before, plan.after), ..Preview::default() }
}

/// The links of the shortest cycle through a resource, each as `parent → child` by id.
fn cycle_links(registry: &Registry, id: &ResourceId) -> Result<Vec<String>, Failure> {
    let mut shortest: Option<Vec<ResourceId>> = None;
    for child in registry.get_children(id)? {
        let back = registry.paths(&child.resource.id, id)?.shortest;
        if !back.is_empty() && shortest.as_ref().is_none_or(|known| back.len() < known.len()) {
            shortest = Some(back.into_iter().map(|named| named.id).collect());
        }
    }
    let Some(way) = shortest else {
        return Err(InvalidInput(format!("{id} is part of no cycle (any more)")).into());
    };
    let mut around = vec![id.clone()];
    around.extend(way);
    let name = |id: &ResourceId| registry.named(id).map(|named| named.to_string());
    let links = around.windows(2).map(|pair| Ok(format!("{} → {}", name(&pair[0])?, name(&pair[1])?)));
    links.collect::<Result<_, crate::resources::Error>>().map_err(Failure::from)
}

/// The link a form chose.
fn chosen_link(registry: &Registry, form: &Form) -> Result<Operation, Failure> {
    let (parent, child) =
        form.value("link").split_once(" → ").ok_or_else(|| InvalidInput("no link was chosen".to_owned()))?;
    let parent = registry.find(parent, Role::Parent)?.id;
    Ok(Operation::Break(parent, registry.find(child, Role::Child)?.id))
}

/// `owed 21 -> 20 · documented 9 -> 10`: the counts that change.
fn effect(before: Tallies, after: Tallies) -> String {
    let counts = [
        ("owed", before.owed, after.owed),
        ("documented", before.documented, after.documented),
        ("exempt", before.exempt, after.exempt),
    ];
    let changed = counts.iter().filter(|(_, before, after)| before != after);
    changed.map(|(what, before, after)| format!("{what} {before} -> {after}")).collect::<Vec<_>>().join(" · ")
}

/// How far a discovery may go, in words; the first is the guess.
const REACHES: [&str; 2] = ["one level", "everything below"];

fn reach(form: &Form) -> Discover {
    if form.value("reach") == REACHES[1] { Discover::RECURSIVE } else { Discover::ONE_LEVEL }
}

fn merge(all: &mut Discovery, one: Discovery) {
    all.created.extend(one.created);
    all.linked.extend(one.linked);
    all.stale.extend(one.stale);
    all.skipped.extend(one.skipped);
}

fn discovered(found: &Discovery) -> Vec<Line> {
    let mut lines = Vec::new();
    let listed = |resources: &[Resource], tone: Tone, mark: &str, lines: &mut Vec<Line>| {
        for resource in resources.iter().take(LISTED) {
            let name = resource.label();
            lines.push(Line::of(tone, mark).and(Tone::Plain, name).and(Tone::Dim, format!("  {}", resource.type_name)));
        }
        if resources.len() > LISTED {
            lines.push(Line::of(Tone::Dim, format!("  and {} more", resources.len() - LISTED)));
        }
    };
    listed(&found.created, Tone::Good, "+ ", &mut lines);
    listed(&found.linked, Tone::Good, "link ", &mut lines);
    listed(&found.stale, Tone::Warn, "gone from the disk: ", &mut lines);
    for skip in found.skipped.iter().take(LISTED) {
        let what = skip.location.clone().or_else(|| skip.rule.clone()).unwrap_or_default();
        lines.push(Line::of(Tone::Dim, format!("  left out {what}: {}", skip.reason)));
    }
    lines
}

fn summary(found: &Discovery, verb: &str) -> String {
    let mut said = vec![format!("{} {verb}", found.created.len())];
    if !found.linked.is_empty() {
        said.push(format!("{} linked", found.linked.len()));
    }
    if !found.stale.is_empty() {
        said.push(format!("{} gone from the disk", found.stale.len()));
    }
    if !found.skipped.is_empty() {
        said.push(format!("{} left out", found.skipped.len()));
    }
    said.join(" · ")
}

fn progress(sender: &Sender<Msg>, verb: &'static str) -> impl Fn(crate::resources::discovery::Progress) {
    let sender = sender.clone();
    move |progress| {
        let said = match progress.done {
            0 => format!("{verb}: {} found", progress.found),
            done => format!("{verb}: {done} of {}", progress.found),
        };
        let _ = sender.send(Msg::Progress(said));
    }
}
