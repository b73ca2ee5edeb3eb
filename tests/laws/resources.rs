//! The laws of the DAG on random graphs, and random questions answered twice: by the registry, and by a plain, slow
//! reading of the rules that lists every path.

use std::collections::{BTreeMap, BTreeSet};

use dagwood::edit::Journal;
use dagwood::error::{Code, Coded};
use dagwood::resources::graph::{self, Store};
use dagwood::resources::{
    AddTypes, Brief, Direction, Durability, Error, NewResource, Opening, Operation, Registry, Resource, ResourceId,
    ResourceType, Turn, types,
};
use proptest::prelude::*;
use std::sync::Arc;

/// The types: what each may contain; an empty list means any.
const TYPES: [(&str, &[&str]); 4] =
    [("any", &[]), ("dir", &["dir", "file"]), ("file", &["none"]), ("box", &["box", "dir", "absent"])];

/// A graph as the slow reading sees it: the type of each node, and the links.
#[derive(Clone, Debug, Default)]
struct Plain {
    types: Vec<usize>,
    links: BTreeSet<(usize, usize)>,
}

/// What a link is answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Answer {
    Linked,
    Incompatible,
    Cycle(Vec<usize>),
    Duplicate,
}

impl Plain {
    /// The rules, read word by word.
    fn link(&mut self, parent: usize, child: usize) -> Answer {
        let (_, allowed) = TYPES[self.types[parent]];
        if !allowed.is_empty() && !allowed.contains(&TYPES[self.types[child]].0) {
            return Answer::Incompatible;
        }
        if let Some(path) = self.upward(parent, child) {
            return Answer::Cycle(path);
        }
        if !self.links.insert((parent, child)) {
            return Answer::Duplicate;
        }
        Answer::Linked
    }

    /// All upward walks from the parent, level by level, in the order in which a search by id meets them; the first
    /// that ends at the child, turned round, with the child again.
    fn upward(&self, parent: usize, child: usize) -> Option<Vec<usize>> {
        let mut level: Vec<Vec<usize>> = vec![vec![parent]];
        let mut met = BTreeSet::from([parent]);
        while !level.is_empty() {
            let mut next = Vec::new();
            for walk in level {
                let at = *walk.last().unwrap();
                if at == child {
                    let mut path: Vec<usize> = walk.into_iter().rev().collect();
                    path.push(child);
                    return Some(path);
                }
                for &(above, _) in self.links.iter().filter(|(_, below)| *below == at) {
                    if met.insert(above) {
                        next.push([walk.as_slice(), &[above]].concat());
                    }
                }
            }
            level = next;
        }
        None
    }

    /// Every path from one node down to another, listed.
    fn paths(&self, from: usize, to: usize) -> u64 {
        if from == to {
            return 1;
        }
        self.links.iter().filter(|(parent, _)| *parent == from).map(|(_, child)| self.paths(*child, to)).sum()
    }

    fn below(&self, from: usize) -> BTreeSet<usize> {
        let mut below = BTreeSet::new();
        for (_, child) in self.links.iter().filter(|(parent, _)| *parent == from) {
            if below.insert(*child) {
                below.extend(self.below(*child));
            }
        }
        below
    }
}

/// A registry on disk beside the plain graph.
struct Twin {
    _dir: tempfile::TempDir,
    registry: Registry,
    journal: Journal,
    ids: Vec<ResourceId>,
    plain: Plain,
}

impl Twin {
    fn new(kinds: &[usize], journalled: bool) -> Twin {
        let dir = tempfile::tempdir().unwrap();
        let journal = Journal::at(&dir.path().join("state"), dir.path());
        let journalled = journalled.then(|| journal.clone());
        let opening = Opening { journal: journalled, durability: Durability::Relaxed, ..Opening::default() };
        let mut registry = Registry::open_to_write(&dir.path().join("registry.db"), opening).unwrap();
        let made = TYPES.iter().map(|(name, children)| ResourceType {
            name: (*name).to_owned(),
            child_types: children.iter().map(|child| (*child).into()).collect(),
            ..ResourceType::default()
        });
        registry.carry_out(&Operation::AddTypes(made.collect(), AddTypes::Update)).unwrap();
        // one write for all, through a document, is a hundred times as fast as one each
        let document = dagwood::resources::export::Document {
            resources: kinds
                .iter()
                .enumerate()
                .map(|(nth, kind)| Resource {
                    id: ResourceId::new(format!("01{nth:024}")),
                    name: Some(format!("n{nth}")),
                    type_name: TYPES[*kind].0.to_owned(),
                    location: None,
                    description: None,
                    properties_json: None,
                    auto_discovered: false,
                    created_at: "2026-01-01T00:00:00Z".into(),
                })
                .collect(),
            ..Default::default()
        };
        let ids = document.resources.iter().map(|resource| resource.id.clone()).collect();
        registry.carry_out(&Operation::Import(document)).unwrap();
        Twin { _dir: dir, registry, journal, ids, plain: Plain { types: kinds.to_vec(), ..Plain::default() } }
    }

    fn number(&self, id: &ResourceId) -> usize {
        self.ids.iter().position(|other| other == id).unwrap()
    }

    fn link(&mut self, parent: usize, child: usize) -> Answer {
        match self.registry.link_child(&self.ids[parent].clone(), &self.ids[child].clone()) {
            Ok(_) => Answer::Linked,
            Err(Error::TypeIncompatible { .. }) => Answer::Incompatible,
            Err(Error::CycleDetected { path }) => {
                Answer::Cycle(path.iter().map(|step| self.number(&step.id)).collect())
            }
            Err(Error::DuplicateLink { .. }) => Answer::Duplicate,
            Err(other) => panic!("{other}"),
        }
    }

    fn numbers(&self, nodes: &[dagwood::resources::Node]) -> BTreeSet<usize> {
        nodes.iter().map(|node| self.number(&node.resource.id)).collect()
    }

    /// Everything that can be asked, asked of both.
    fn agree(&self) {
        let plain = &self.plain;
        let parents = |of: usize| plain.links.iter().filter(move |(_, child)| *child == of).map(|(parent, _)| *parent);
        let children = |of: usize| plain.links.iter().filter(move |(parent, _)| *parent == of).map(|(_, child)| *child);
        let all = 0..self.ids.len();
        let roots: BTreeSet<usize> = all.clone().filter(|at| parents(*at).next().is_none()).collect();
        assert_eq!(self.numbers(&self.registry.roots().unwrap()), roots);
        assert!(self.registry.cyclic_group().unwrap().is_empty(), "no sequence of links makes a cycle");
        for at in all.clone() {
            let id = &self.ids[at];
            let node = self.registry.node(id).unwrap();
            assert_eq!(node.parent_count, parents(at).count() as u64);
            assert_eq!(node.child_count, children(at).count() as u64);
            let below = self.registry.get_children(id).unwrap();
            assert_eq!(self.numbers(&below), children(at).collect());
            let brief: Vec<Brief> = below.into_iter().map(Brief::from).collect();
            assert_eq!(self.registry.children_in_brief(id).unwrap(), brief);
            assert_eq!(self.numbers(&self.registry.get_parents(id).unwrap()), parents(at).collect());
            assert_eq!(self.registry.descendants(id, 1_000).unwrap(), plain.below(at).len() as u64);
            for to in all.clone() {
                let paths = self.registry.paths(id, &self.ids[to]).unwrap();
                assert_eq!(paths.all.count, plain.paths(at, to), "{at} to {to} in {:?}", plain.links);
                assert!(!paths.all.more_than);
                let shortest = plain.upward(to, at).map_or(0, |path| path.len() - 1);
                assert_eq!(paths.shortest.len(), shortest);
            }
            // what the picker offers is never refused, and what it leaves out would be a cycle
            let candidates = self.registry.candidates(id, Direction::Children, "", 1_000).unwrap();
            let offered: BTreeMap<usize, bool> =
                candidates.iter().map(|one| (self.number(&one.resource.resource.id), one.reason.is_none())).collect();
            for child in all.clone() {
                match plain.clone().link(at, child) {
                    Answer::Linked => assert_eq!(offered.get(&child), Some(&true)),
                    Answer::Cycle(_) => assert_eq!(offered.get(&child), None),
                    Answer::Duplicate => assert_eq!(offered.get(&child), Some(&false)),
                    Answer::Incompatible => assert_ne!(offered.get(&child), Some(&true)),
                }
            }
        }
    }
}

/// A few nodes, and steps between them; a step may also take a link away.
fn steps() -> impl Strategy<Value = (Vec<usize>, Vec<(usize, usize, bool)>)> {
    (2..9_usize).prop_flat_map(|nodes| {
        let kinds =
            prop::collection::vec(prop_oneof![3 => Just(0_usize), 4 => Just(1), 1 => Just(2), 1 => Just(3)], nodes);
        let step = (0..nodes, 0..nodes, prop::bool::weighted(0.15));
        (kinds, prop::collection::vec(step, 1..30))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_registry_answers_as_the_rules_read(case in steps()) {
        let (kinds, steps) = case;
        let mut twin = Twin::new(&kinds, false);
        for (parent, child, unlink) in steps {
            if unlink {
                let there = twin.plain.links.remove(&(parent, child));
                let done = twin.registry.unlink_child(&twin.ids[parent].clone(), &twin.ids[child].clone());
                prop_assert_eq!(done.is_ok(), there);
            } else {
                let expected = twin.plain.link(parent, child);
                prop_assert_eq!(twin.link(parent, child), expected);
            }
        }
        twin.agree();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn undoing_everything_leaves_what_was_and_redoing_what_became(case in steps()) {
        let (kinds, steps) = case;
        let mut twin = Twin::new(&kinds, true);
        let everything = |twin: &Twin| {
            let mut text = Vec::new();
            dagwood::resources::export::json(&twin.registry, &mut text).unwrap();
            text
        };
        let mut states = vec![everything(&twin)];
        for (parent, child, unlink) in steps {
            let (parent, child) = (twin.ids[parent].clone(), twin.ids[child].clone());
            let operation = if unlink { Operation::Unlink(parent, child) } else { Operation::Link(parent, child) };
            if twin.registry.carry_out(&operation).is_ok() {
                states.push(everything(&twin));
            }
        }
        for before in states.iter().rev().skip(1) {
            let standing = twin.journal.to_undo().unwrap();
            twin.registry.revert(&standing.rows.unwrap(), Turn::Undo).unwrap();
            twin.journal.hold().unwrap().turn(&standing.entry).unwrap();
            prop_assert_eq!(&everything(&twin), before);
        }
        for after in states.iter().skip(1) {
            let standing = twin.journal.to_redo().unwrap();
            twin.registry.revert(&standing.rows.unwrap(), Turn::Redo).unwrap();
            twin.journal.hold().unwrap().turn(&standing.entry).unwrap();
            prop_assert_eq!(&everything(&twin), after);
        }
    }
}

/// A store in memory: the rules are functions, and need no file.
struct Memory {
    plain: Plain,
}

impl Memory {
    fn id(at: usize) -> ResourceId {
        ResourceId::new(format!("{at:026}"))
    }
}

impl Store for Memory {
    fn resource(&self, id: &ResourceId) -> Result<Option<Resource>, Error> {
        let Ok(at) = id.as_str().parse::<usize>() else { return Ok(None) };
        Ok(self.plain.types.get(at).map(|kind| Resource {
            id: id.clone(),
            name: None,
            type_name: TYPES[*kind].0.to_owned(),
            location: None,
            description: None,
            properties_json: None,
            auto_discovered: false,
            created_at: String::new(),
        }))
    }

    fn resource_type(&self, name: &str) -> Result<Option<Arc<ResourceType>>, Error> {
        Ok(TYPES.iter().find(|(known, _)| *known == name).map(|(name, children)| {
            let child_types = children.iter().map(|child| (*child).into()).collect();
            Arc::new(ResourceType { name: (*name).to_owned(), child_types, ..ResourceType::default() })
        }))
    }

    fn parents_of(&self, id: &ResourceId) -> Result<Vec<ResourceId>, Error> {
        let at = id.as_str().parse::<usize>().unwrap();
        Ok(self.plain.links.iter().filter(|(_, child)| *child == at).map(|(parent, _)| Memory::id(*parent)).collect())
    }

    fn has_link(&self, parent: &ResourceId, child: &ResourceId) -> Result<bool, Error> {
        let number = |id: &ResourceId| id.as_str().parse::<usize>().unwrap();
        Ok(self.plain.links.contains(&(number(parent), number(child))))
    }

    fn similar(&self, _: &str) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_pure_rules_answer_alike_on_any_graph_cyclic_ones_too(
        nodes in 2..12_usize,
        links in prop::collection::btree_set((0..12_usize, 0..12_usize), 0..40),
        asked in prop::collection::vec((0..12_usize, 0..12_usize), 1..12),
    ) {
        let links = links.into_iter().filter(|(parent, child)| *parent < nodes && *child < nodes).collect();
        let plain = Plain { types: vec![0; nodes], links };
        let memory = Memory { plain: plain.clone() };
        for (parent, child) in asked {
            let (parent, child) = (parent % nodes, child % nodes);
            let answer = match graph::check_link(&memory, &Memory::id(parent), &Memory::id(child)) {
                Ok(_) => Answer::Linked,
                Err(Error::CycleDetected { path }) => {
                    Answer::Cycle(path.iter().map(|step| step.id.as_str().parse().unwrap()).collect())
                }
                Err(Error::DuplicateLink { .. }) => Answer::Duplicate,
                Err(other) => panic!("{other}"),
            };
            prop_assert_eq!(answer, plain.clone().link(parent, child));
        }
    }

    #[test]
    fn without_links_no_link_between_two_is_a_cycle(nodes in 2..200_usize, pick in any::<(usize, usize)>()) {
        let memory = Memory { plain: Plain { types: vec![0; nodes], ..Plain::default() } };
        let (parent, child) = (pick.0 % nodes, pick.1 % nodes);
        let answer = graph::check_link(&memory, &Memory::id(parent), &Memory::id(child));
        prop_assert_eq!(answer.is_ok(), parent != child);
    }

    #[test]
    fn no_text_makes_the_reader_of_type_files_fail(text in "[a-z{}\\[\\]:,&*!|>%@`\"'# \\n\\t-]{0,200}") {
        if let Err(error) = types::parse("type.yaml".as_ref(), text.as_bytes()) {
            prop_assert_eq!(error.code(), Code::InvalidInput);
        }
    }
}

#[test]
fn a_new_name_is_never_one_that_is_there() {
    let mut twin = Twin::new(&[0, 0], false);
    let new = NewResource { type_name: "any".into(), name: Some("n1".into()), ..NewResource::default() };
    assert_eq!(twin.registry.add(new).unwrap_err().code(), Code::DuplicateName);
}

/// Whether a glob of `*`, `?` and letters matches a name, by trying everything.
fn plainly_matches(glob: &[char], name: &[char]) -> bool {
    match (glob.first(), name.first()) {
        (None, None) => true,
        (Some('*'), _) => plainly_matches(&glob[1..], name) || (!name.is_empty() && plainly_matches(glob, &name[1..])),
        (Some('?'), Some(_)) => plainly_matches(&glob[1..], &name[1..]),
        (Some(a), Some(b)) => a == b && plainly_matches(&glob[1..], &name[1..]),
        _ => false,
    }
}

/// What a rule for a type says of an entry, read word by word.
fn rule_fits(child_type: &str, pattern: &str, name: &str, is_directory: bool) -> bool {
    let kind_fits = if pattern.ends_with('/') || child_type.ends_with("-directory") {
        is_directory
    } else if child_type.ends_with("-file") {
        !is_directory
    } else {
        true
    };
    let glob: Vec<char> = pattern.trim_end_matches('/').chars().collect();
    let name: Vec<char> = name.chars().collect();
    kind_fits && (name[0] != '.' || glob[0] == '.') && plainly_matches(&glob, &name)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn discovery_finds_what_the_rules_read(
        entries in prop::collection::btree_map("[ab.]{1,3}", any::<bool>(), 0..8),
        rules in prop::collection::vec((0..4_usize, "[ab.*?]{1,3}/?", prop::bool::weighted(0.8)), 0..4),
    ) {
        // the types of the children: two that say a kind, one that does not, one that is not there
        const CHILDREN: [&str; 4] = ["fs-file", "fs-directory", "any", "local/absent"];
        let entries: BTreeMap<String, bool> =
            entries.into_iter().filter(|(name, _)| name != "." && name != "..").collect();
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("w");
        std::fs::create_dir(&place).unwrap();
        for (name, is_directory) in &entries {
            let path = place.join(name);
            if *is_directory { std::fs::create_dir(path).unwrap() } else { std::fs::write(path, "").unwrap() }
        }
        let mut text = String::from("name: box\nauto_discovery:\n  rules:\n");
        for (child, pattern, enabled) in &rules {
            let child = CHILDREN[*child];
            text.extend([format!("    - {{type: {child}, pattern: \"{pattern}\", enabled: {enabled}}}\n")]);
        }
        let opening = Opening { durability: Durability::Relaxed, ..Opening::default() };
        let mut registry = Registry::open_to_write(&dir.path().join("registry.db"), opening).unwrap();
        let kind = types::parse("box.yaml".as_ref(), text.as_bytes()).unwrap().resource_type;
        let any = ResourceType { name: "any".into(), ..ResourceType::default() };
        registry.carry_out(&Operation::AddTypes(vec![kind, any], AddTypes::Refuse)).unwrap();
        let location = place.to_str().map(str::to_owned);
        let new = NewResource { type_name: "box".into(), name: Some("w".into()), location, ..NewResource::default() };
        let root = registry.add(new).unwrap();
        let found: Vec<(String, String)> = registry
            .auto_discover_children(&root.id)
            .unwrap()
            .into_iter()
            .map(|made| (made.name.unwrap_or_default().replacen("w/", "", 1), made.type_name))
            .collect();
        let expected: Vec<(String, String)> = entries
            .iter()
            .filter_map(|(name, is_directory)| {
                let first = rules.iter().find(|(child, pattern, enabled)| {
                    *enabled && *child < 3 && rule_fits(CHILDREN[*child], pattern, name, *is_directory)
                })?;
                Some((name.clone(), CHILDREN[first.0].to_owned()))
            })
            .collect();
        prop_assert_eq!(found, expected);
        prop_assert!(registry.auto_discover_children(&root.id).unwrap().is_empty());
    }
}
