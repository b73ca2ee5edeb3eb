//! The keys of the configuration: an action's name and its key or keys, everywhere or in one pane.

use std::collections::BTreeSet;

use toml_edit::{Item, TableLike};

use super::super::model::{ACTIONS, Action, Bindings, Code, Key, Keymap, PaneId, written};
use super::super::sheet::{Given, Mistake, Sheet};

/// What a file says about the keys of an action.
struct Said {
    action: Action,
    keys: Vec<Vec<Key>>,
    line: usize,
}

/// A binding with the line of the file that makes it; none for a default.
#[derive(Clone)]
struct Bound {
    keys: Vec<Key>,
    action: Action,
    line: Option<usize>,
}

/// Reads `[keys]` and the panes' tables in it.
pub(super) fn read(sheet: &Sheet<'_>, table: &dyn TableLike, line: usize, mistakes: &mut Vec<Mistake>) -> Keymap {
    let mut everywhere = Vec::new();
    let mut panes: [Vec<Said>; 4] = Default::default();
    for given in sheet.below(table, line) {
        let pane = PaneId::ALL.into_iter().find(|&pane| super::name(pane) == given.name);
        match (pane, given.item.as_table_like()) {
            (Some(pane), Some(table)) => {
                for given in sheet.below(table, given.line) {
                    said(sheet, &given, &mut panes[pane as usize], mistakes);
                }
            }
            (Some(_), None) => mistakes.push(given.not("a table, of the keys in that pane")),
            (None, Some(_)) => mistakes.push(given.unknown("pane", &PaneId::ALL.map(super::name))),
            (None, None) => said(sheet, &given, &mut everywhere, mistakes),
        }
    }
    let out = [Action::Quit, Action::Cancel, Action::Palette];
    let lines = |said: &[Said]| said.iter().filter(|said| out.contains(&said.action)).map(|said| said.line).max();
    let ways_out: [usize; 4] = std::array::from_fn(|nth| lines(&everywhere).max(lines(&panes[nth])).unwrap_or(line));
    let defaults: Vec<Bound> = ACTIONS
        .iter()
        .flat_map(|spec| spec.keys.iter().filter_map(|keys| Some((Key::sequence(keys)?, spec.action))))
        .map(|(keys, action)| Bound { keys, action, line: None })
        .collect();
    let everywhere = over(&defaults, &everywhere);
    let panes = panes.map(|said| over(&everywhere, &said));
    let mut clashes = BTreeSet::new();
    clashes.extend(clashing(&everywhere, ""));
    let known = clashes.clone();
    for (pane, bound) in PaneId::ALL.into_iter().zip(&panes) {
        let place = format!(" in the {}", super::name(pane));
        // what clashes everywhere is told once
        let here = clashing(bound, "").into_iter().zip(clashing(bound, &place));
        clashes.extend(here.filter(|(plain, _)| !known.contains(plain)).map(|(_, told)| told));
    }
    mistakes.extend(clashes);
    for ((pane, bound), line) in PaneId::ALL.into_iter().zip(&panes).zip(ways_out) {
        if mistakes.is_empty() && !bound.iter().any(|bound| out.contains(&bound.action)) {
            let why = format!(
                "`quit`, `cancel` and `palette` are all without a key in the {}: nothing would leave the explorer",
                super::name(pane)
            );
            mistakes.push(Mistake::new(line, why));
        }
    }
    Keymap::new(plain(&everywhere), panes.map(|bound| plain(&bound)))
}

fn plain(bound: &[Bound]) -> Bindings {
    bound.iter().map(|bound| (bound.keys.clone(), bound.action)).collect()
}

fn said(sheet: &Sheet<'_>, given: &Given<'_>, into: &mut Vec<Said>, mistakes: &mut Vec<Mistake>) {
    let Some(action) = Action::named(given.name) else {
        let known: Vec<&str> = ACTIONS.iter().map(|spec| spec.name).collect();
        return mistakes.push(given.unknown("action", &known));
    };
    let wanted = "a key (\"x\"), a sequence (\"g x\") or a list of them";
    let texts: Vec<(&str, usize)> = match (given.item.as_str(), given.item) {
        (Some(text), _) => vec![(text, given.line)],
        (None, Item::Value(toml_edit::Value::Array(list))) => {
            let texts: Option<Vec<_>> =
                list.iter().map(|value| Some((value.as_str()?, sheet.line_of(value, given.line)))).collect();
            match texts {
                Some(texts) => texts,
                None => return mistakes.push(Mistake::new(given.line, format!("`{}` has to be {wanted}", given.name))),
            }
        }
        _ => return mistakes.push(given.not(wanted)),
    };
    let mut keys = Vec::new();
    for (text, line) in texts {
        match sequence(text) {
            Ok(sequence) => keys.push(sequence),
            Err(why) => mistakes.push(Mistake::new(line, format!("`{}`: {why}", given.name))),
        }
    }
    into.push(Said { action, keys, line: given.line });
}

/// The bindings with those of the actions that are spoken of replaced.
fn over(below: &[Bound], said: &[Said]) -> Vec<Bound> {
    let mut bound: Vec<Bound> =
        below.iter().filter(|bound| !said.iter().any(|said| said.action == bound.action)).cloned().collect();
    for said in said {
        let here =
            said.keys.iter().map(|keys| Bound { keys: keys.clone(), action: said.action, line: Some(said.line) });
        bound.extend(here);
    }
    // in the order of the table, whoever says it
    bound.sort_by_key(|bound| ACTIONS.iter().position(|spec| spec.action == bound.action));
    bound
}

/// Every pair of bindings that could not be told apart, told at the line that comes last.
fn clashing(bound: &[Bound], place: &str) -> Vec<Mistake> {
    let mut clashes = Vec::new();
    for (nth, one) in bound.iter().enumerate() {
        for other in &bound[nth + 1..] {
            let (early, late) = if one.line > other.line { (other, one) } else { (one, other) };
            // of two defaults there is nothing to tell: they are held apart by a test
            let Some(line) = late.line else { continue };
            if let Some(why) = clash(early, late, place) {
                clashes.push(Mistake::new(line, why));
            }
        }
    }
    clashes
}

fn clash(early: &Bound, late: &Bound, place: &str) -> Option<String> {
    let (mine, theirs) = (written(&late.keys), written(&early.keys));
    let (name, other) = (late.action.spec().name, early.action.spec().name);
    let whose = match early.line {
        Some(line) if Some(line) == late.line => String::new(),
        Some(line) => format!(", from line {line}"),
        None => format!(" by default; give `{other}` another key, or none: `{other} = []`"),
    };
    if late.keys == early.keys {
        Some(if late.action == early.action {
            format!("`{name}`: `{mine}` stands twice{place}")
        } else {
            format!("`{name}`: `{mine}` is already `{other}`{place}{whose}")
        })
    } else if early.keys.starts_with(&late.keys) {
        Some(format!("`{name}`: `{mine}` is also the beginning of `{theirs}`, which is `{other}`{place}{whose}"))
    } else if late.keys.starts_with(&early.keys) {
        Some(format!("`{name}`: `{mine}` begins with `{theirs}`, which is `{other}`{place}{whose}"))
    } else {
        None
    }
}

/// The keys that a text names.
fn sequence(text: &str) -> Result<Vec<Key>, String> {
    let keys: Vec<Key> = text.split_whitespace().map(key).collect::<Result<_, _>>()?;
    if keys.is_empty() { Err("a key cannot be empty; a list without keys, `[]`, unbinds".to_owned()) } else { Ok(keys) }
}

fn key(name: &str) -> Result<Key, String> {
    let Some(key) = Key::named(name) else {
        if let Some(letter) = name.strip_prefix("shift-").filter(|rest| rest.chars().count() == 1) {
            return Err(format!("`{name}` is no key: write `{}`", letter.to_uppercase()));
        }
        let letters = ('a'..='z').flat_map(|c| [format!("ctrl-{c}"), format!("alt-{c}")]);
        let known: Vec<String> = Key::names().map(str::to_owned).chain(letters).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let near = crate::text::near(name, known, 1);
        if let Some(near) = near.first() {
            return Err(format!("`{name}` is no key; did you mean `{near}`?"));
        }
        let names: Vec<&str> = Key::names().collect();
        let known = names.join(", ");
        return Err(format!(
            "`{name}` is no key: that is one character, {known} or f1 to f12, also after ctrl- or alt-"
        ));
    };
    match (key.code, key.ctrl) {
        (Code::F(number), _) if !(1..=12).contains(&number) => Err(format!("`{name}` is no key: f1 to f12 are")),
        (Code::Char('i'), true) => Err("`ctrl-i` is what terminals send for `tab`: write `tab`".to_owned()),
        (Code::Char('m'), true) => Err("`ctrl-m` is what terminals send for `enter`: write `enter`".to_owned()),
        (Code::Char('['), true) => Err("`ctrl-[` is what terminals send for `esc`: write `esc`".to_owned()),
        (Code::Char(c), true) if c.is_uppercase() => {
            Err(format!("`{name}` never comes from a terminal: write `ctrl-{}`", c.to_lowercase()))
        }
        (Code::Char(c), _) if c.is_control() => Err("a key cannot be a control character".to_owned()),
        _ => Ok(key),
    }
}
