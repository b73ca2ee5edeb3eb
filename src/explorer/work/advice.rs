//! What a pane says where it has no rows: shortly in the pane, which may be narrow and one row high, and in full beside
//! it: what the part holds, what was looked for, and how it begins.

use super::Shared;
use crate::explorer::model::{Action, Advice, Line, PaneId, Part, Target, Tone};
use crate::finding::{Area, Finding};
use crate::selection::Project;
use crate::workspace::Beginning;

/// For a part that is not there.
pub fn absent(shared: &Shared, part: Part) -> Advice {
    let (area, short, key) = match part {
        Part::Resources => {
            let adds = format!("adds this directory as {}", shared.workspace.own_name());
            (Area::Resources, "No registry yet.", Some((Action::Add, adds)))
        }
        Part::Contracts => {
            let writes = format!("writes {}/README.md, its first contract", shared.workspace.layer_place().0.layer);
            (Area::Contracts, "No layer here.", Some((Action::Fix, writes)))
        }
        Part::Selection => (Area::Selection, "No project here.", None),
    };
    let beginning = shared.workspace.beginning(area);
    let mut advice = Advice { short: vec![Line::plain(short)], full: about(&beginning), file: None };
    advice.full.extend([Line::plain(sentence(&beginning.absent)), Line::blank()]);
    advice.full.push(Line::of(Tone::Strong, "How it begins"));
    let offer = key.filter(|_| !shared.workspace.options.read_only).map(|(action, does)| {
        let key = shared.keymap.hint(PaneId::of(part), action);
        Line::of(Tone::Accent, key).and(Tone::Plain, format!(" {does}"))
    });
    match (offer, part) {
        (Some(offer), _) => {
            advice.short.push(offer.clone());
            let command = format!("or, on the command line: {}.", beginning.begins);
            advice.full.extend([offer, Line::of(Tone::Dim, command)]);
        }
        // nothing of dagwood's writes a manifest
        (None, Part::Selection) => {
            advice.short.push(Line::of(Tone::Dim, "One begins with a mars.toml."));
            advice.full.push(Line::plain(sentence(&beginning.begins)));
        }
        (None, _) => {
            let closed = "Not from here: this was opened with --read-only, and nothing is written.";
            advice.full.push(Line::of(Tone::Dim, closed));
        }
    }
    advice
}

/// For a project whose manifest is there and cannot be read: where, why, and the key that opens it.
pub fn unread(shared: &Shared, project: &Project, why: &Finding) -> Advice {
    let file = (project.place.manifest(), why.line.unwrap_or(1));
    let cannot = Line::of(Tone::Bad, format!("{} cannot be read.", why.place()));
    let mut full = about(&shared.workspace.beginning(Area::Selection));
    let message = Line::plain(sentence(&why.message));
    full.extend([cannot.clone(), Line::blank(), message]);
    let mut short = vec![cannot];
    if !shared.workspace.options.read_only {
        let key = shared.keymap.hint(PaneId::Selection, Action::Edit);
        let opens = Line::of(Tone::Accent, key).and(Tone::Plain, " opens it").to(Target::File(file.0.clone(), file.1));
        full.extend([Line::blank(), opens.clone()]);
        short.push(opens);
    }
    Advice { short, full, file: Some(file) }
}

/// For the resources: none where there is no registry, else how many there are.
pub fn resources(shared: &Shared, there: Option<u64>) -> Advice {
    let part = Part::Resources;
    match there {
        None => absent(shared, part),
        Some(0) => {
            let adds = format!("adds this directory as {}", shared.workspace.own_name());
            empty(shared, part, "No resources yet.", Some((Action::Add, adds)))
        }
        Some(_) => {
            let why = "No orphans: every resource has a parent or a child.";
            empty(shared, part, why, Some((Action::View, "goes on to the tree".to_owned())))
        }
    }
}

/// For the directories.
pub fn directories(shared: &Shared) -> Advice {
    let (place, there) = shared.workspace.layer_place();
    if !there {
        return absent(shared, Part::Contracts);
    }
    let (why, writes) = (format!("Nothing in {} counts yet.", place.layer), "writes its first contract".to_owned());
    empty(shared, Part::Contracts, &why, Some((Action::Fix, writes)))
}

/// For a part that is there and has nothing in it, or nothing that the view shows.
fn empty(shared: &Shared, part: Part, why: &str, next: Option<(Action, String)>) -> Advice {
    let area = match part {
        Part::Resources => Area::Resources,
        Part::Contracts => Area::Contracts,
        Part::Selection => Area::Selection,
    };
    let writes = |action| matches!(action, Action::Add | Action::Fix);
    let next = next.filter(|(action, _)| !(shared.workspace.options.read_only && writes(*action)));
    let mut short = vec![Line::plain(why)];
    short.extend(next.map(|(action, does)| {
        let key = shared.keymap.hint(PaneId::of(part), action);
        Line::of(Tone::Accent, key).and(Tone::Plain, format!(" {does}"))
    }));
    let mut full = about(&shared.workspace.beginning(area));
    full.extend(short.iter().cloned());
    Advice { short, full, file: None }
}

fn about(beginning: &Beginning) -> Vec<Line> {
    vec![Line::plain(sentence(beginning.holds)), Line::blank()]
}

/// A sentence of words that begin and end inside one.
pub fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}
