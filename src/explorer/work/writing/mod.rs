//! Planned writes: previews, writing, undo and redo. The only desk that writes.

mod fixes;
mod registry;
mod tries;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;

use super::desk::Clerk;
use super::{Shared, told};
use crate::contracts::fix;
use crate::edit::{self, Entry, Standing};
use crate::error::{Failure, InvalidInput};
use crate::explorer::model::{Action, Effect, Line, Msg, Part, Preview, Request, Subject, Tone, Written};
use crate::resources::discovery::{Discover, Watch};
use crate::resources::{Becomes, Operation, Plan, Registry, ResourceId, RowTold, Told, Turn, thousands};
use crate::workspace::Workspace;
use fixes::{guess, of_fix, plan_fix, repair};
use registry::{chosen_link, of_plan, operation, progress, reach, summary};

/// How many lines a preview lists of what it finds.
const LISTED: usize = 200;

/// Thinks writes out and does them.
#[derive(Debug)]
pub struct Writing {
    shared: Arc<Shared>,
    /// The workspace, in which a write that nobody waits for any more does not begin.
    workspace: Workspace,
    /// The change of the registry that was shown last.
    shown: Option<(Operation, Plan)>,
    /// The write that was shown last as the one to be left as it is.
    to_keep: Option<Entry>,
}

impl Writing {
    /// A clerk for a workspace.
    pub fn new(shared: Arc<Shared>) -> Writing {
        Writing { workspace: shared.workspace.clone(), shared, shown: None, to_keep: None }
    }

    fn preview(&mut self, generation: u64, request: &Request, sender: &Sender<Msg>) -> Result<Preview, Failure> {
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
            Request::Discover { ids, form } => {
                let cancel = self.shared.stops.of_preview(generation);
                self.preview_discovery(ids, form.as_ref(), &cancel, sender)
            }
            Request::Undo => self.turning(&self.shared.workspace.to_undo()?, Turn::Undo),
            Request::Keep => self.preview_keep(),
            Request::Redo => self.turning(&self.shared.workspace.to_redo()?, Turn::Redo),
            Request::Link { .. } | Request::Unlink { .. } | Request::Remove { .. } | Request::RemoveDangling => {
                let operation = operation(request)?;
                let registry = self.registry()?;
                let plan = registry.plan(&operation)?;
                let preview = of_plan(&plan, &registry);
                self.shown = Some((operation, plan));
                Ok(preview)
            }
        }
    }

    /// What undoing or redoing a write will change: the diff of its files, the rows of its registry.
    fn turning(&self, standing: &Standing, turn: Turn) -> Result<Preview, Failure> {
        let workspace = &self.shared.workspace;
        let outlook = workspace.outlook(standing, turn, LISTED)?;
        let mut lines = vec![Line::of(Tone::Dim, format!("written {}", standing.entry.at)), Line::blank()];
        for edit in standing.edits.iter().take(LISTED) {
            lines.extend(edit.diff(&workspace.place()).lines().map(Line::diff));
        }
        lines.extend(rows_told(&outlook.rows));
        if !outlook.also.is_empty() {
            lines.extend([Line::blank(), Line::of(Tone::Strong, "It was written in parts, and these go with it")]);
        }
        for part in outlook.also.iter().take(LISTED) {
            lines.push(Line::plain(part.label.as_str()).and(Tone::Dim, format!("  {}", part.effect)));
        }
        let verb = if turn == Turn::Undo { "Undo" } else { "Redo" };
        let title = format!("{verb} “{}”", standing.entry.label);
        Ok(Preview { title, lines, effect: outlook.effect, ..Preview::default() })
    }

    /// What leaving the last write as it is comes to.
    fn preview_keep(&mut self) -> Result<Preview, Failure> {
        let workspace = &self.shared.workspace;
        let entry = workspace.to_keep()?;
        let next = workspace.next_without(&entry)?;
        let mut lines = vec![Line::of(Tone::Dim, format!("written {}", entry.at)), Line::blank()];
        lines.push(Line::plain(
            "No file and no row is touched. It stays in the list of writes, and is not undone any more.",
        ));
        lines.push(match next {
            Some(next) => Line::plain(format!("Undone next: “{}”, written {}.", next.label, next.at)),
            None => Line::plain("Nothing before it is left to undo."),
        });
        let title = format!("Leave “{}” as it is", entry.label);
        self.to_keep = Some(entry);
        Ok(Preview { title, lines, ..Preview::default() })
    }

    fn registry(&self) -> Result<Registry, Failure> {
        Ok(self.shared.workspace.registry()?)
    }

    fn write(&mut self, generation: u64, request: &Request, sender: &Sender<Msg>) -> Result<Written, Failure> {
        let cancel = self.shared.stops.of_write(generation);
        self.workspace = self.shared.workspace.until(Arc::clone(&cancel));
        let workspace = &self.workspace;
        workspace.may_write()?;
        if cancel.load(Ordering::SeqCst) {
            return Err(edit::Error::Cancelled.into());
        }
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
            Request::Break { id, form } => {
                let form = form.clone().ok_or_else(|| InvalidInput("no link was chosen".to_owned()))?;
                let mut registry = workspace.registry_to_write()?;
                let operation = chosen_link(&registry, &ResourceId::new(id.as_str()), &form)?;
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
                let watch = Watch { cancel: &cancel, progress: &progress };
                let how = form.as_ref().map_or(Discover::ONE_LEVEL, reach);
                let all: Vec<ResourceId> = ids.iter().map(|id| ResourceId::new(id.as_str())).collect();
                let found = registry.discover_all(&all, &how, &watch)?;
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
            Request::Keep => {
                // that which was shown, whatever was written since
                let entry = self.to_keep.take().ok_or_else(|| InvalidInput("no write was shown".to_owned()))?;
                workspace.keep(&entry)?;
                Ok(Written { said: format!("left “{}” as it is", entry.label), ..Written::default() })
            }
            Request::Redo => {
                let entry = workspace.redo()?;
                Ok(turned(format!("redid “{}”", entry.label)))
            }
            Request::Link { .. } | Request::Unlink { .. } | Request::Remove { .. } | Request::RemoveDangling => {
                let operation = operation(request)?;
                let mut registry = workspace.registry_to_write()?;
                let plan = match self.shown.take() {
                    Some((shown, plan)) if shown == operation => registry.carry_out_as(&operation, &plan)?,
                    _ => registry.carry_out(&operation)?,
                };
                let reveal = match request {
                    Request::Link { parent, .. } => Some(Subject::Resource(parent.clone())),
                    _ => None,
                };
                let open = matches!(request, Request::Link { .. });
                Ok(Written { said: plan.label, touched: vec![Part::Resources], reveal, open, ..Written::default() })
            }
        }
    }

    /// Tells what can be undone and redone now.
    fn journal(&self, sender: &Sender<Msg>) {
        let label = |entries: Vec<Entry>, undone: bool| {
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
        let sent = match job {
            Effect::Preview { generation, request } => {
                let preview =
                    self.preview(generation, &request, sender).map(Box::new).map_err(|error| told(error.as_ref()));
                sender.send(Msg::Previewed { generation, preview })
            }
            Effect::Write { generation, request } => {
                let shared = Arc::clone(&self.shared);
                let writes = shared.writes();
                let offer = Some(if request == Request::Undo { Action::Redo } else { Action::Undo });
                let written =
                    self.write(generation, &request, sender).map(|written| Box::new(Written { offer, ..written }));
                let written = written.map_err(|error| told(error.as_ref()));
                drop(writes);
                shared.stops.ended(generation);
                self.journal(sender);
                sender.send(Msg::Written { generation, written })
            }
            Effect::Journal => {
                self.journal(sender);
                Ok(())
            }
            _ => Ok(()),
        };
        // the explorer has ended; there is nobody to tell
        let _ = sent;
    }
}

/// Rows in words, a line each.
fn rows_told(told: &Told) -> Vec<Line> {
    let line = |row: &RowTold| {
        let tone = match row.becomes {
            Becomes::Added => Tone::Good,
            Becomes::Changed => Tone::Warn,
            Becomes::Removed => Tone::Bad,
        };
        Line::of(tone, format!("{} ", row.becomes.mark())).and(Tone::Plain, row.row.as_str())
    };
    let mut lines: Vec<Line> = told.rows.iter().map(line).collect();
    if told.more > 0 {
        lines.push(Line::of(Tone::Dim, format!("and {} more", thousands(told.more))));
    }
    lines
}

/// The parts an undone or redone write may have touched.
fn turned(said: String) -> Written {
    Written { said, touched: Part::ALL.to_vec(), ..Written::default() }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
