//! What is tried: what would come of it, and writing it.

use super::fixes::{effect, of_fix};
use super::{LISTED, Writing};
use crate::contracts::fix::{self, FixPlan, Targets, Way, Wishes};
use crate::contracts::{self, Layer, State};
use crate::error::{Failure, InvalidInput};
use crate::explorer::model::{Line, Part, Preview, Tone, Written};
use crate::explorer::work::Shared;
use crate::explorer::work::directories::words;
use crate::selection::planned;
use crate::selection::reasons::item_words;
use crate::selection::{ItemId, Name};

impl Writing {
    pub(super) fn preview_tries(&self, part: Part) -> Result<Preview, Failure> {
        let title = "What if".to_owned();
        let closed = self.shared.workspace.options.read_only;
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
                None if closed => {}
                None => lines.push(Line::of(
                    Tone::Dim,
                    "Deprecating and deleting are done in the file (e), exempting and lifting one at a time (f).",
                )),
            }
            return Ok(Preview { title, lines, effect, idle: closed || plan.is_none(), ..Preview::default() });
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
        Ok(Preview { title, lines, effect: said, idle: closed || planned.plan.edits.is_empty(), ..Preview::default() })
    }

    pub(super) fn write_tries(&self, part: Part) -> Result<Written, Failure> {
        let journal = self.workspace.journal();
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
