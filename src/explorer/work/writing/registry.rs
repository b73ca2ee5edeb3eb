//! Changes of the registry: adding, linking, discovering, breaking a cycle.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;

use super::{LISTED, Writing, capital, rows_told};
use crate::error::{Failure, InvalidInput};
use crate::explorer::model::{Form, Line, Msg, Preview, Request, Tone};
use crate::explorer::work::resources::type_choices;
use crate::explorer::work::told;
use crate::resources::discovery::{Discover, Discovery, Watch};
use crate::resources::{
    LinksToo, NewResource, Operation, Plan, Registry, Resource, ResourceId, Role, effect, location_of, thousands,
};

impl Writing {
    /// The links of a cycle through a resource, to choose the one that goes.
    pub(super) fn preview_break(&self, id: &str, form: Option<Form>) -> Result<Preview, Failure> {
        let registry = self.registry()?;
        let form = if let Some(form) = form {
            form
        } else {
            let links = cycle_links(&registry, &ResourceId::new(id))?;
            let links: Vec<String> = links.into_iter().map(|(label, ..)| label).collect();
            let first = links.first().cloned().unwrap_or_default();
            Form::default().choice("link", &first, links)
        };
        let title = "Break a cycle".to_owned();
        let plan =
            chosen_link(&registry, &ResourceId::new(id), &form).and_then(|operation| Ok(registry.plan(&operation)?));
        Ok(match plan {
            Ok(plan) => Preview { form: Some(form), title, ..of_plan(&plan, &registry) },
            Err(error) => Preview { form: Some(form), title, refusal: told(error.as_ref()), ..Preview::default() },
        })
    }

    pub(super) fn preview_add(&self, form: Option<Form>) -> Result<Preview, Failure> {
        let registry = self.registry()?;
        let place = self.shared.workspace.place();
        let form = form.unwrap_or_else(|| {
            let kind = if self.shared.workspace.git_top().is_some() { "git-checkout" } else { "fs-directory" };
            let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let free = |name: &String| registry.find(name, Role::Resource).is_err();
            let first = format!("local/{name}");
            let further = (2..).map(|number| format!("local/{name}-{number}"));
            let name = std::iter::once(first).chain(further).find(free).unwrap_or_default();
            Form::default()
                .choice("type", kind, type_choices(&registry, kind))
                .text("name", name)
                .text("location", location_of(&place))
        });
        let title = "Add a resource".to_owned();
        Ok(match registry.plan(&Operation::Add(self.new_resource(&form))) {
            Ok(plan) => Preview { form: Some(form), title, ..of_plan(&plan, &registry) },
            Err(error) => Preview { form: Some(form), title, refusal: told(&error), ..Preview::default() },
        })
    }

    pub(super) fn new_resource(&self, form: &Form) -> NewResource {
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

    pub(super) fn preview_discovery(
        &self,
        ids: &[String],
        form: Option<&Form>,
        cancel: &AtomicBool,
        sender: &Sender<Msg>,
    ) -> Result<Preview, Failure> {
        let registry = self.registry()?;
        let progress = progress(sender, "looking");
        let watch = Watch { cancel, progress: &progress };
        let form =
            form.cloned().unwrap_or_else(|| Form::default().choice("reach", REACHES[0], REACHES.map(String::from)));
        let (mut found, mut name) = (Discovery::default(), String::new());
        for id in ids {
            let resource = registry.find(id, Role::Resource)?;
            name = resource.label();
            found.merge(registry.plan_discovery(&resource.id, &reach(&form), &watch)?);
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
}

/// A change of the registry as the registry knows it.
pub(super) fn operation(request: &Request) -> Result<Operation, InvalidInput> {
    let id = |id: &String| ResourceId::new(id.as_str());
    match request {
        Request::Link { parent, children } => Ok(match children.as_slice() {
            [child] => Operation::Link(id(parent), id(child)),
            several => Operation::LinkAll(id(parent), several.iter().map(id).collect()),
        }),
        Request::RemoveDangling => Ok(Operation::RemoveDangling),
        Request::Unlink { links } => Ok(match links.as_slice() {
            [(parent, child)] => Operation::Unlink(id(parent), id(child)),
            several => Operation::UnlinkAll(several.iter().map(|(parent, child)| (id(parent), id(child))).collect()),
        }),
        Request::Remove { id: it } => Ok(Operation::Remove(id(it), LinksToo::Remove)),
        _ => Err(InvalidInput("not a change of the registry".to_owned())),
    }
}

/// The preview of a plan of the registry: what a person should know, and each row.
pub(super) fn of_plan(plan: &Plan, registry: &Registry) -> Preview {
    let mut lines: Vec<Line> = plan.notes.iter().map(|note| Line::of(Tone::Warn, note.as_str())).collect();
    lines.extend(rows_told(&registry.told(&plan.changes, LISTED)));
    Preview { title: capital(&plan.label), lines, effect: effect(&plan.changes), ..Preview::default() }
}

/// The links of the shortest cycle through a resource, each as `parent → child` by id.
fn cycle_links(registry: &Registry, id: &ResourceId) -> Result<Vec<(String, ResourceId, ResourceId)>, Failure> {
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
    let link = |pair: &[ResourceId]| {
        Ok((format!("{} → {}", name(&pair[0])?, name(&pair[1])?), pair[0].clone(), pair[1].clone()))
    };
    around.windows(2).map(link).collect::<Result<_, crate::resources::Error>>().map_err(Failure::from)
}

/// The link of a cycle through a resource that a form chose.
pub(super) fn chosen_link(registry: &Registry, id: &ResourceId, form: &Form) -> Result<Operation, Failure> {
    let chosen = form.value("link");
    let link = cycle_links(registry, id)?.into_iter().find(|(label, ..)| label == chosen);
    let (_, parent, child) =
        link.ok_or_else(|| InvalidInput("that link is no part of the cycle any more".to_owned()))?;
    Ok(Operation::Break(parent, child))
}

/// How far a discovery may go, in words; the first is the guess.
const REACHES: [&str; 2] = ["one level", "everything below"];

pub(super) fn reach(form: &Form) -> Discover {
    if form.value("reach") == REACHES[1] { Discover::RECURSIVE } else { Discover::ONE_LEVEL }
}

fn discovered(found: &Discovery) -> Vec<Line> {
    let mut lines = Vec::new();
    let listed = |resources: &[Resource], tone: Tone, mark: &str, lines: &mut Vec<Line>| {
        for resource in resources.iter().take(LISTED) {
            let name = resource.label();
            lines.push(Line::of(tone, mark).and(Tone::Plain, name).and(Tone::Dim, format!("  {}", resource.type_name)));
        }
        if resources.len() > LISTED {
            lines.push(Line::of(Tone::Dim, format!("  and {} more", thousands(resources.len() - LISTED))));
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

pub(super) fn summary(found: &Discovery, verb: &str) -> String {
    let mut said = vec![format!("{} {verb}", thousands(found.created.len()))];
    if !found.linked.is_empty() {
        said.push(format!("{} linked", thousands(found.linked.len())));
    }
    if !found.stale.is_empty() {
        said.push(format!("{} gone from the disk", thousands(found.stale.len())));
    }
    if !found.skipped.is_empty() {
        said.push(format!("{} left out", thousands(found.skipped.len())));
    }
    said.join(" · ")
}

pub(super) fn progress(sender: &Sender<Msg>, verb: &'static str) -> impl Fn(crate::resources::discovery::Progress) {
    let sender = sender.clone();
    move |progress| {
        let said = match progress.done {
            0 => format!("{verb}: {} found", thousands(progress.found)),
            done => format!("{verb}: {} of {}", thousands(done), thousands(progress.found)),
        };
        let _ = sender.send(Msg::Progress(said));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    use super::*;
    use crate::explorer::model::{Effect, Keymap};
    use crate::explorer::work::{Inline, Work};
    use crate::workspace::{Options, Workspace};

    struct Place {
        dir: tempfile::TempDir,
    }

    impl Place {
        fn new() -> Place {
            Place { dir: tempfile::tempdir().unwrap() }
        }

        fn file(&self) -> std::path::PathBuf {
            self.dir.path().join("r.db")
        }

        fn workspace(&self) -> Workspace {
            let directory = Some(self.dir.path().to_owned());
            let state = Some(self.dir.path().join("state"));
            Workspace::find(Options { directory, registry: Some(self.file()), state, ..Options::default() }).unwrap()
        }

        fn write(&self) -> Registry {
            Registry::open_to_write(&self.file(), crate::resources::Opening::default()).unwrap()
        }

        fn add(&self, name: &str) -> ResourceId {
            let new =
                NewResource { type_name: "fs-directory".into(), name: Some(name.into()), ..NewResource::default() };
            self.write().add(new).unwrap().id
        }
    }

    #[test]
    fn a_write_that_would_do_more_than_was_shown_is_refused() {
        let place = Place::new();
        let (a, b) = (place.add("a"), place.add("b"));
        let mut work = Inline::new(place.workspace());
        let request = Request::Remove { id: a.as_str().to_owned() };
        work.work(Effect::Preview { generation: 1, request: request.clone() });
        // another program comes in between
        place.write().link_child(&a, &b).unwrap();
        let said = work.work(Effect::Write { generation: 1, request });
        let refused = said
            .iter()
            .any(|msg| matches!(msg, Msg::Written { written: Err(lines), .. } if lines[0].text().contains("not what was shown")));
        assert!(refused, "{said:?}");
        assert!(place.write().is_linked(&a).unwrap(), "nothing was taken away");
    }

    /// What the preview of a request says, and its effect.
    fn previewed(work: &mut Inline, request: Request) -> (Vec<String>, String) {
        let said = work.work(Effect::Preview { generation: 1, request });
        let Some(Msg::Previewed { preview: Ok(preview), .. }) = said.last() else { panic!("{said:?}") };
        (preview.lines.iter().map(Line::text).collect(), preview.effect.clone())
    }

    #[test]
    fn a_preview_tells_each_row_and_so_does_that_of_undoing_it() {
        let place = Place::new();
        let (a, b) = (place.add("a"), place.add("b"));
        let mut work = Inline::new(place.workspace());
        let [parent, child] = [&a, &b].map(|id| id.as_str().to_owned());
        let row = "link a (fs-directory) -> b (fs-directory)";
        let request = Request::Link { parent: parent.clone(), children: vec![child.clone()] };
        assert_eq!(previewed(&mut work, request.clone()), (vec![format!("+ {row}")], "1 link added".into()));
        work.work(Effect::Write { generation: 2, request });
        let (lines, effect) = previewed(&mut work, Request::Unlink { links: vec![(parent.clone(), child)] });
        let root = "b becomes a root: it has no other parent".to_owned();
        assert_eq!((lines, effect.as_str()), (vec![root, format!("- {row}")], "1 link removed"));
        let (lines, effect) = previewed(&mut work, Request::Undo);
        assert_eq!((lines[2..].to_vec(), effect.as_str()), (vec![format!("- {row}")], "1 link removed"));
        // the name of what is gone comes from the journal
        work.work(Effect::Write { generation: 3, request: Request::Remove { id: parent } });
        let (lines, effect) = previewed(&mut work, Request::Undo);
        assert_eq!(lines[2..], ["+ resource a (fs-directory)".to_owned(), format!("+ {row}")]);
        assert_eq!(effect, "1 resource added · 1 link added");
        work.work(Effect::Write { generation: 4, request: Request::Undo });
        let (lines, _) = previewed(&mut work, Request::Redo);
        assert_eq!(lines[2..], ["- resource a (fs-directory)".to_owned(), format!("- {row}")]);
    }

    #[test]
    fn of_a_long_write_the_first_rows_are_told_and_how_many_more_there_are() {
        let place = Place::new();
        let top = place.add("top");
        let ids: Vec<ResourceId> = (0..LISTED + 5).map(|nth| place.add(&format!("r{nth:03}"))).collect();
        let mut work = Inline::new(place.workspace());
        let children = ids.iter().map(|id| id.as_str().to_owned()).collect();
        let (lines, effect) = previewed(&mut work, Request::Link { parent: top.as_str().to_owned(), children });
        assert_eq!(lines.last().map(String::as_str), Some("and 5 more"));
        assert_eq!((lines.len(), effect.as_str()), (LISTED + 1, "205 links added"));
    }

    /// What the desks say until one of them says something for which `last` holds.
    fn heard(receiver: &Receiver<Msg>, last: impl Fn(&Msg) -> bool) -> Vec<Msg> {
        let mut heard = Vec::new();
        loop {
            let msg = receiver.recv_timeout(Duration::from_mins(1)).expect("an answer");
            let ends = last(&msg);
            heard.push(msg);
            if ends {
                return heard;
            }
        }
    }

    #[test]
    fn a_long_discovery_tells_how_far_it_is_and_writes_nothing_when_it_is_stopped() {
        let place = Place::new();
        let files = place.dir.path().join("files");
        std::fs::create_dir(&files).unwrap();
        for nth in 0..3_000 {
            std::fs::write(files.join(format!("f{nth:04}")), "").unwrap();
        }
        let new = NewResource {
            type_name: "fs-directory".into(),
            name: Some("files".into()),
            location: Some(location_of(&files)),
            ..NewResource::default()
        };
        let id = place.write().add(new).unwrap().id.as_str().to_owned();
        let (sender, receiver) = channel();
        let work = Work::open(place.workspace(), Keymap::default(), &sender);
        let resources = || place.write().counts().unwrap().resources;
        let request = Request::Discover { ids: vec![id], form: None };
        let written = |msg: &Msg| matches!(msg, Msg::Written { .. });
        // another program is writing, so that it still waits when it is stopped
        let other = rusqlite::Connection::open(place.file()).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        work.ask(Effect::Write { generation: 1, request: request.clone() });
        work.ask(Effect::CancelWrite);
        other.execute_batch("ROLLBACK").unwrap();
        let Some(Msg::Written { written: Err(why), .. }) = heard(&receiver, written).pop() else {
            panic!("it was stopped")
        };
        assert_eq!(why[0].text(), "stopped; nothing was written");
        assert_eq!(resources(), 1, "nothing is half written");
        // the same again, and nobody stops it
        work.ask(Effect::Write { generation: 2, request });
        let heard = heard(&receiver, written);
        let far = heard.iter().filter_map(|msg| if let Msg::Progress(text) = msg { Some(text.as_str()) } else { None });
        assert!(
            far.clone().any(|text| text.starts_with("discovering: ") && text.contains(" of 3,000")),
            "{:?}",
            far.collect::<Vec<_>>()
        );
        assert!(matches!(heard.last(), Some(Msg::Written { generation: 2, written: Ok(_) })), "{heard:?}");
        assert_eq!(resources(), 3_001);
    }

    #[test]
    fn a_cycle_of_nameless_resources_is_broken_at_the_chosen_link() {
        let place = Place::new();
        let (a, b) = (place.add("a → b"), place.add("b"));
        place.write().link_child(&a, &b).unwrap();
        let base = rusqlite::Connection::open(place.file()).unwrap();
        base.execute("INSERT INTO resource_links VALUES(?1, ?2, 'x')", [b.as_str(), a.as_str()]).unwrap();
        base.execute("UPDATE resources SET name = NULL WHERE name = 'b'", []).unwrap();
        let registry = place.write();
        let links = cycle_links(&registry, &a).unwrap();
        assert_eq!(links.len(), 2);
        let (label, parent, child) = links[1].clone();
        let form = Form::default().choice("link", &label, [label.clone()]);
        assert_eq!(chosen_link(&registry, &a, &form).unwrap(), Operation::Break(parent, child));
    }
}
