//! Settling what directories owe: previews of fixes and repairs, and writing them.

use super::{LISTED, Writing, capital};
use crate::contracts::fix::{self, FixPlan, Targets, Way, Wishes};
use crate::contracts::{Layer, LayerPlace, Scope, Tallies, resolve};
use crate::error::{Failure, InvalidInput};
use crate::explorer::model::{Choice, Form, Line, Part, Preview, Subject, Tone, Written};
use crate::explorer::work::told;

impl Writing {
    pub(super) fn preview_fix(&self, directories: &[String], form: Option<&Form>) -> Result<Preview, Failure> {
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

    pub(super) fn carry_out(
        &self,
        layer: &Layer,
        plan: &FixPlan,
        directory: Option<String>,
    ) -> Result<Written, Failure> {
        let place: &LayerPlace = &layer.place;
        fix::carry_out(plan, place, &self.workspace.journal())?;
        self.shared.reread_layer(&mut |_| {});
        let created = place.git && plan.plan.edits.iter().any(|edit| edit.before.is_none());
        // it counts already; whoever commits has to know
        let new = if created { " · not in git yet" } else { "" };
        Ok(Written {
            said: format!("{}{new}", plan.plan.label),
            touched: vec![Part::Contracts],
            reveal: directory.map(Subject::Directory),
            ..Written::default()
        })
    }
}

/// The form of the best guesses. A title and an id are asked for where there is one directory.
pub(super) fn guess(layer: &Layer, directories: &[String]) -> Result<Form, Failure> {
    let first = directories.first().map(String::as_str).unwrap_or_default();
    let guess = fix::form(layer, first)?;
    let ways = fix::ways(layer, directories)
        .into_iter()
        .map(|way| Choice { value: way.word().to_owned(), says: way.object() });
    let written = ("way", Way::Write.word());
    let mut form = Form::default().told_choice("way", Way::Write.word(), ways);
    if directories.len() == 1 {
        let asked = [("title", guess.title), ("description", guess.description), ("id", guess.id)];
        for (name, value) in asked {
            form = form.text(name, value).with(written.0, written.1);
        }
    }
    Ok(form
        .choice("scope", guess.scope.word(), ["subtree", "directory"].map(String::from))
        .with(written.0, written.1)
        .text("order", guess.order.to_string())
        .with(written.0, written.1))
}

pub(super) fn plan_fix(layer: &Layer, directories: &[String], form: &Form) -> Result<FixPlan, Failure> {
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

/// The repair of the first broken document of a directory.
pub(super) fn repair(layer: &Layer, directory: &str) -> Result<FixPlan, Failure> {
    let broken = resolve::folder(&layer.index, directory).and_then(|at| resolve::broken_in(&layer.index, at).next());
    let document = broken.map(|lost| lost.document.text().into_owned());
    let document = document.ok_or_else(|| InvalidInput(format!("no document of {directory} is broken")))?;
    Ok(fix::repair(layer, &document)?)
}

/// The preview of a fix: what it says, then the diff of each file.
pub(super) fn of_fix(layer: &Layer, plan: &FixPlan) -> Preview {
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

/// `owed 21 -> 20 · documented 9 -> 10`: the counts that change.
pub(super) fn effect(before: Tallies, after: Tallies) -> String {
    let counts = [
        ("owed", before.owed, after.owed),
        ("documented", before.documented, after.documented),
        ("exempt", before.exempt, after.exempt),
    ];
    let changed = counts.iter().filter(|(_, before, after)| before != after);
    changed.map(|(what, before, after)| format!("{what} {before} -> {after}")).collect::<Vec<_>>().join(" · ")
}
