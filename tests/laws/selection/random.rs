//! Random graphs: few names, so that they meet.

use std::fmt::Write;

use dagwood::selection::model::{Definition, ExtraItem, PackageView, Request, View};
use dagwood::selection::{Filter, Kind, Name};
use proptest::prelude::*;

/// A small generator of numbers, so that a seed names a graph for ever.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap() % sides
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }

    fn some(&mut self, of: &[&str], most: usize) -> Vec<Name> {
        (0..self.roll(most + 1)).map(|_| self.one(of).into()).collect()
    }
}

const PACKAGES: [&str; 7] = ["pa", "pb", "pc", "pd", "pe", "pf", "nobody"];
const SLUGS: [&str; 6] = ["x", "y", "z", "s__host", "t__h-1", "flat"];
const PATHS: [&str; 8] = ["x", "y", "agents/x.md", "skills/y", "bootstrap/x", "hooks/z", ".", "s__host"];

pub fn graph() -> impl Strategy<Value = View> {
    any::<u64>().prop_map(seeded)
}

pub fn seeded(seed: u64) -> View {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    (0..8).for_each(|_| {
        dice.roll(2);
    });
    let many = 1 + dice.roll(PACKAGES.len() - 1);
    let packages = PACKAGES[..many].iter().map(|&name| (name.into(), package(&mut dice))).collect();
    let root = (dice.roll(3) == 0).then(|| package(&mut dice));
    let requests = (0..dice.roll(4)).map(|_| request(&mut dice)).collect();
    View { requests, root, packages }
}

fn request(dice: &mut Dice) -> Request {
    let filter = match dice.roll(10) {
        0 => Filter::Include { agents: dice.some(&SLUGS, 3), skills: dice.some(&SLUGS, 3) },
        1 | 2 => Filter::Exclude(dice.some(&PATHS, 3)),
        3 => Filter::OnlySkills,
        4 => Filter::OnlyAgents,
        _ => Filter::All,
    };
    Request::new(dice.one(&PACKAGES), filter)
}

fn package(dice: &mut Dice) -> PackageView {
    let mut view = PackageView::default();
    for slug in SLUGS {
        if dice.roll(3) == 0 {
            let skills = dice.some(&["x", "y", "z", "s__host", "t__h-1", "flat", "gone", "gone__host"], 3);
            view.definitions.push(Definition {
                kind: Kind::Agent,
                slug: slug.into(),
                output_path: format!("agents/{slug}.md").into(),
                skills,
            });
        }
        if dice.roll(4) == 0 {
            // now and then a skill carries refs, which the model allows
            let skills = if dice.roll(6) == 0 { dice.some(&SLUGS, 2) } else { Vec::new() };
            let output_path = if slug == "flat" { "SKILL.md".into() } else { format!("skills/{slug}/SKILL.md").into() };
            view.definitions.push(Definition { kind: Kind::Skill, slug: slug.into(), output_path, skills });
        }
        for (kind, folder) in [(Kind::BootstrapDoc, "bootstrap"), (Kind::Hook, "hooks")] {
            if dice.roll(8) == 0 {
                let path = format!("{folder}/{slug}").into();
                view.extra_items.push(ExtraItem { kind, slug: slug.into(), path });
            }
        }
    }
    view.edges = (0..dice.roll(4)).map(|_| request(dice)).collect();
    view.uses_providers = dice.some(&["host", "h-1", "other"], 1);
    view
}

/// A manifest with entries written in every way, each line that is no part of one marked by `keep` or `#`; and its keys.
pub fn manifest(seed: u64) -> (String, Vec<Name>) {
    let mut dice = Dice(seed | 1);
    (0..8).for_each(|_| {
        dice.roll(2);
    });
    let mut text = String::from("# keep: top\n[settings]\nkeep = 1\n");
    let keys: Vec<Name> = ["p", "q", "a/b", "r"].map(Name::from).to_vec();
    let mut inline = String::from("\n[dependencies] # keep\n");
    for key in &keys {
        let quoted = format!("{key:?}");
        let lists = entry_lists(&mut dice);
        match dice.roll(3) {
            0 => {
                writeln!(
                    text,
                    "\n# keep: about {key}\n[dependencies.{quoted}] # its header\npath = \"{key}\" # its path"
                )
                .unwrap();
                for (name, list) in &lists {
                    writeln!(text, "{name} = {list} # its list").unwrap();
                }
                text += "# keep: after\n";
            }
            1 => {
                let lists: String = lists.iter().map(|(name, list)| format!(", {name} = {}", one_line(list))).collect();
                writeln!(inline, "{quoted} = {{ path = \"{key}\"{lists} }} # its line\n# keep: next").unwrap();
            }
            _ => {
                writeln!(inline, "{quoted}.path = \"{key}\"").unwrap();
                for (name, list) in &lists {
                    writeln!(inline, "{quoted}.{name} = {list}").unwrap();
                }
                inline += "# keep: dotted\n";
            }
        }
    }
    // dotted and inline entries stand in the table, which comes last
    text += &inline;
    if dice.roll(3) == 0 {
        text = text.replace('\n', "\r\n");
    }
    (text, keys)
}

fn entry_lists(dice: &mut Dice) -> Vec<(&'static str, String)> {
    let names: &[&str] = match dice.roll(4) {
        0 => &[],
        1 => &["skills"],
        2 => &["agents", "skills"],
        _ => &["exclude"],
    };
    names.iter().map(|name| (*name, list(dice))).collect()
}

fn list(dice: &mut Dice) -> String {
    let names: Vec<&str> = ["a", "b", "c"][..dice.roll(4)].to_vec();
    match dice.roll(4) {
        0 => format!("[{}]", names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(",")),
        1 => format!("[ {} ]", names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(",  ")),
        2 => format!("[\n{}]", names.iter().map(|name| format!("  \"{name}\", # element\n")).collect::<String>()),
        _ => format!("[\n{}\n]", names.iter().map(|name| format!("\t\"{name}\"")).collect::<Vec<_>>().join(",\n")),
    }
}

fn one_line(list: &str) -> String {
    list.replace("# element", "").replace('\n', " ")
}
