//! Contracts: laws that hold for every layer, and random layers answered twice.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dagwood::contracts::explain::{Reader, explain};
use dagwood::contracts::fix::mended;
use dagwood::contracts::what_if::{Try, choices, what_if};
use dagwood::contracts::{Contract, Index, Request, Scope, State, answer, chain};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A document as generated; the plain reading works on this and never sees the text.
#[derive(Clone, Debug)]
struct Doc {
    path: String,
    id: String,
    sound: bool,
    deprecated: bool,
    scope: &'static str,
    replaces: Option<Vec<String>>,
    order: i64,
    paths: Vec<String>,
    required: Option<bool>,
    exempt: Vec<String>,
}

impl Doc {
    fn folder(&self) -> String {
        self.path.rsplit_once('/').unwrap().0.to_owned()
    }

    fn text(&self) -> String {
        let list = |items: &[String]| items.iter().map(|item| format!("{item:?}")).collect::<Vec<_>>().join(", ");
        let mut text = vec![format!(
            "---\nschema: context/v1\nid: {}\nkind: context\ntitle: T\ndescription: D\nstatus: {}\nscope: {}\nproviders: [x]\n",
            self.id,
            if self.deprecated { "deprecated" } else { "active" },
            self.scope,
        )];
        match &self.replaces {
            Some(ids) => text.push(format!("composition: replace\nsupersedes: [{}]\n", list(ids))),
            None => text.push("composition: extend\n".to_owned()),
        }
        if self.sound {
            text.push(format!("order: {}\n", self.order));
        }
        if self.scope == "explicit" {
            text.push(format!("paths: [{}]\n", list(&self.paths)));
        }
        if self.required.is_some() || !self.exempt.is_empty() {
            text.push("children:\n".to_owned());
            if let Some(required) = self.required {
                text.push(format!("  require_contract: {required}\n"));
            }
            if !self.exempt.is_empty() {
                text.push(format!("  exempt: [{}]\n", list(&self.exempt)));
            }
        }
        text.concat() + "---\n"
    }
}

#[derive(Clone, Debug)]
struct Layer {
    files: Vec<String>,
    docs: Vec<Doc>,
}

impl Layer {
    fn index(&self) -> Arc<Index> {
        let texts: Vec<(String, String)> = self
            .files
            .iter()
            .map(|file| (file.clone(), "x".to_owned()))
            .chain(self.docs.iter().map(|doc| (doc.path.clone(), doc.text())))
            .collect();
        Arc::new(Index::of_texts(".ai", texts.iter().map(|(path, text)| (path.as_str(), text.as_bytes()))))
    }
}

// ---- the plain reading: each rule as it is written, folder by folder, document by document ----

fn under(a: &str, b: &str) -> bool {
    b == a || b.starts_with(&format!("{a}/"))
}

fn ancestors(folder: &str) -> Vec<String> {
    let parts: Vec<&str> = folder.split('/').collect();
    (1..=parts.len()).map(|n| parts[..n].join("/")).collect()
}

fn plain_answer(layer: &Layer) -> Value {
    let ids: Vec<&str> = layer.docs.iter().filter(|doc| doc.sound).map(|doc| doc.id.as_str()).collect();
    let valid: Vec<&Doc> =
        layer.docs.iter().filter(|doc| doc.sound && ids.iter().filter(|id| **id == doc.id).count() == 1).collect();
    // B1: the greatest id of a folder
    let used: Vec<&Doc> = valid
        .iter()
        .copied()
        .filter(|doc| !valid.iter().any(|other| other.folder() == doc.folder() && other.id > doc.id))
        .collect();
    let mut objects: BTreeMap<String, u64> = BTreeMap::new();
    for file in layer.files.iter().chain(valid.iter().map(|doc| &doc.path)) {
        let folder = file.rsplit_once('/').unwrap().0;
        for above in ancestors(folder) {
            objects.entry(above).or_default();
        }
        *objects.get_mut(folder).unwrap() += 1;
    }
    let folders: BTreeSet<String> = objects.keys().cloned().collect();
    let mut views = Vec::new();
    let mut counts = BTreeMap::from([("documented", 0), ("exempt", 0), ("owed", 0)]);
    for folder in &folders {
        let own = used.iter().find(|doc| doc.folder() == *folder);
        let governing = used
            .iter()
            .filter(|doc| doc.scope == "subtree" && doc.required.is_some() && under(&doc.folder(), folder))
            .max_by_key(|doc| doc.folder().len());
        let required = governing.is_none_or(|doc| doc.required.unwrap());
        let exempting = used
            .iter()
            .filter(|doc| doc.scope == "subtree" && under(&doc.folder(), folder))
            .filter(|doc| doc.exempt.iter().any(|entry| under(entry, folder)))
            .min_by_key(|doc| doc.folder());
        let state = match own {
            Some(_) => "documented",
            None if exempting.is_some() || !required => "exempt",
            None => "owed",
        };
        *counts.get_mut(state).unwrap() += 1;
        let children: Vec<&String> =
            folders.iter().filter(|other| other.rsplit_once('/').is_some_and(|(parent, _)| parent == folder)).collect();
        let mut view = json!({
            "path": folder, "depth": folder.matches('/').count(), "state": state,
            "requires_contract": required, "objects": objects[folder],
        });
        if folder != ".ai" {
            view["parent"] = json!(folder.rsplit_once('/').unwrap().0);
        }
        if !children.is_empty() {
            view["children"] = json!(children);
        }
        if let Some(doc) = governing {
            view["governed_by"] = json!(doc.path);
        }
        if let Some(doc) = exempting {
            view["exempted_by"] = json!(doc.path);
        }
        let chain = plain_chain(&used, folder);
        if !chain.is_empty() {
            view["effective"] = json!(chain);
        }
        if let Some(doc) = own {
            view["contract"] = json!(doc.id);
        }
        views.push(view);
    }
    json!({
        "tallies": {"directories": folders.len(), "documented": counts["documented"], "exempt": counts["exempt"],
                    "owed": counts["owed"]},
        "directories": views,
    })
}

fn plain_chain(used: &[&Doc], folder: &str) -> Vec<Value> {
    let mut steps = Vec::new();
    for doc in used.iter().filter(|doc| !doc.deprecated) {
        let home = doc.folder();
        let found = match doc.scope {
            "subtree" if home == folder => Some((home.clone(), "the target directory (scope subtree)")),
            "subtree" if under(&home, folder) => Some((home.clone(), "an ancestor (scope subtree)")),
            "directory" if home == folder => Some((home.clone(), "the target directory (scope directory)")),
            "explicit" => {
                let first = doc.paths.iter().find(|path| under(path, folder));
                first.map(|path| (path.clone(), "a declared path (scope explicit)"))
            }
            _ => None,
        };
        if let Some((at, reason)) = found {
            steps.push((at.matches('/').count(), doc.order, &doc.path, *doc, reason, home == folder));
        }
    }
    steps.sort_by_key(|step| (step.0, step.1, step.2.clone()));
    let gone: BTreeSet<&String> = steps.iter().filter_map(|step| step.3.replaces.as_ref()).flatten().collect();
    steps
        .iter()
        .filter(|step| !gone.contains(&step.3.id))
        .map(|(depth, order, path, doc, reason, local)| {
            let composition = if doc.replaces.is_some() { "replace" } else { "extend" };
            json!({"id": doc.id, "path": path, "depth": depth, "order": order, "composition": composition,
                   "reason": reason, "local": local})
        })
        .collect()
}

/// The library's answer, cut to what the plain reading gives.
fn library_answer(index: &Arc<Index>) -> Value {
    let report = answer(index, &Request { effective: true, ..Request::default() }).unwrap();
    let mut whole = serde_json::to_value(report).unwrap();
    for view in whole["directories"].as_array_mut().unwrap() {
        if let Some(id) = view.get("contract").map(|contract| contract["id"].clone()) {
            view["contract"] = id;
        }
    }
    json!({"tallies": whole["tallies"], "directories": whole["directories"]})
}

// ---- random layers ----

const FOLDERS: [&str; 12] = [
    ".ai",
    ".ai/a",
    ".ai/a/b",
    ".ai/a/b/c",
    ".ai/a/b/c/d",
    ".ai/a-b",
    ".ai/a-b/c",
    ".ai/ab",
    ".ai/B",
    ".ai/e",
    ".ai/e/f",
    ".ai/e/f/g",
];

fn folder() -> impl Strategy<Value = String> {
    prop::sample::select(&FOLDERS[..]).prop_map(str::to_owned)
}

/// Entries of `paths` and `exempt`: mostly folders, now and then a spelling that matches nothing.
fn entry() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => folder(),
        1 => folder().prop_map(|folder| format!("{folder}/")),
        1 => folder().prop_map(|folder| format!("./{folder}")),
        1 => Just(".ai/*".to_owned()),
    ]
}

fn ident() -> impl Strategy<Value = String> {
    // few, so that some are claimed twice
    (0..40u8).prop_map(|n| format!("ai.n{n}"))
}

fn doc() -> impl Strategy<Value = Doc> {
    let name = prop::sample::select(&["README.md", "README.md", "README.md", "zz.md"][..]);
    let scope = prop::sample::select(&["subtree", "subtree", "subtree", "directory", "explicit"][..]);
    let replaces = prop::option::weighted(0.3, prop::collection::vec(ident(), 1..4));
    let required = prop::option::weighted(0.3, any::<bool>());
    let exempt = prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(entry(), 1..3)];
    let flags = (prop::bool::weighted(0.92), prop::bool::weighted(0.12));
    let rest = (replaces, prop::sample::select(&[-5i64, 10, 100, 100][..]), prop::collection::vec(entry(), 1..4));
    (folder(), name, ident(), flags, scope, rest, required, exempt).prop_map(
        |(folder, name, id, (sound, deprecated), scope, (replaces, order, paths), required, exempt)| Doc {
            path: format!("{folder}/{name}"),
            id,
            sound,
            deprecated,
            scope,
            replaces,
            order,
            paths,
            required,
            exempt,
        },
    )
}

fn layers() -> impl Strategy<Value = Layer> {
    let files = prop::collection::vec(folder().prop_map(|folder| format!("{folder}/x")), 0..12);
    (files, prop::collection::vec(doc(), 0..12)).prop_map(|(files, docs)| {
        let mut seen = BTreeSet::new();
        let docs = docs.into_iter().filter(|doc| seen.insert(doc.path.clone())).collect();
        let files: BTreeSet<String> = files.into_iter().collect();
        Layer { files: files.into_iter().collect(), docs }
    })
}

/// A line of front matter, usual or broken in a way people break it.
fn line() -> impl Strategy<Value = String> {
    const USUAL: &[&str] = &[
        "schema: context/v1",
        "id: ai.x",
        "kind: context",
        "title: T",
        "description: D",
        "status: active",
        "scope: subtree",
        "providers: [\"*\"]",
        "audience: [human]",
        "composition: extend",
        "order: 100",
    ];
    const BROKEN: &[&str] = &[
        "title: a: b",
        "title: 404",
        "description: `x` y",
        "status: Active",
        "scope: sub tree",
        "order: \"7\"",
        "order:\t7",
        "providers: x",
        "audience: [robot, Human]",
        "ordre: 1",
        "id: AI.X",
        "id:",
        "children:\n  require_contract: yes",
        "children:\n  exempt: [.ai/none/, 7]",
        "tracks: [a] # c",
        "# comment",
        "",
        "  stray",
        "order: &a 1",
        "kind: adr",
        "supersedes: ai.y",
        "children: {exempt: [a]}",
    ];
    prop_oneof![6 => prop::sample::select(USUAL), 2 => prop::sample::select(BROKEN)]
        .prop_map(|line: &str| format!("{line}\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn the_library_answers_as_the_plain_reading(layer in layers()) {
        prop_assert_eq!(library_answer(&layer.index()), plain_answer(&layer));
    }

    #[test]
    fn tallies_sum_to_the_directories_and_no_filter_changes_them(layer in layers(), state in 0..3usize) {
        let index = layer.index();
        let tallies = index.tallies();
        prop_assert_eq!(tallies.documented + tallies.exempt + tallies.owed, tallies.directories);
        let state = [State::Documented, State::Exempt, State::Owed][state];
        let report = answer(&index, &Request { state: Some(state), ..Request::default() }).unwrap();
        prop_assert_eq!(report.tallies(), tallies);
        let every = index.directories().filter(|folder| index.standing(*folder).state == state).count();
        prop_assert_eq!(report.directories().len(), every);
    }

    #[test]
    fn the_owed_below_a_folder_are_those_that_are_listed_below_it(layer in layers()) {
        let index = layer.index();
        for folder in index.preorder() {
            let below = index.directories().filter(|other| {
                *other != folder
                    && index.path(folder).covers(index.path(*other).as_bytes())
                    && index.standing(*other).state == State::Owed
            });
            prop_assert_eq!(index.standing(folder).owed_below as usize, below.count());
        }
    }

    #[test]
    fn list_and_explain_tell_one_chain_and_nothing_is_lost(layer in layers()) {
        let index = layer.index();
        for folder in index.preorder() {
            let told = explain(&index, folder, &Reader::default());
            prop_assert_eq!(&told.chain, &chain(&index, folder));
            let in_chain: BTreeSet<_> = told.chain.iter().map(|step| step.document).collect();
            let left_out: BTreeSet<_> = told.left_out.iter().map(|left| left.document).collect();
            prop_assert!(in_chain.is_disjoint(&left_out));
            // at or above, every document has its place or its reason
            for above in index.upward(folder) {
                for document in index.documents_in(above) {
                    prop_assert!(in_chain.contains(&document) || left_out.contains(&document));
                }
            }
            // and so has one anywhere that holds for no subtree of its own
            let narrow = |contract: &Contract| contract.scope != Scope::Subtree;
            for document in index.documents().filter(|id| index.contract(*id).is_some_and(narrow)) {
                prop_assert!(in_chain.contains(&document) || left_out.contains(&document));
            }
        }
    }

    #[test]
    fn what_is_offered_to_be_tried_comes_to_something(layer in layers()) {
        let index = layer.index();
        let comes_to_something = |tried: &Try| {
            let outcome = what_if(&index, std::slice::from_ref(tried));
            outcome.impossible.is_empty() && !(outcome.states.is_empty() && outcome.chains.is_empty())
        };
        for folder in index.directories() {
            let offered = choices(&index, folder);
            let idle = offered.iter().find(|tried| !comes_to_something(tried));
            prop_assert!(idle.is_none(), "{}: {idle:?}", index.path(folder));
            // and what its contract could be tried for is offered
            if let Some((document, _)) = index.contract_of(folder) {
                let document = index.document(document).path.clone();
                let both = [Try::Deprecate(document.clone()), Try::Delete(document)];
                let left_out = both.iter().find(|tried| comes_to_something(tried) && !offered.contains(tried));
                prop_assert!(left_out.is_none(), "{}: {left_out:?}", index.path(folder));
            }
        }
    }

    #[test]
    fn the_order_in_which_files_come_changes_nothing(layer in layers()) {
        let mut turned = layer.clone();
        turned.files.reverse();
        turned.docs.reverse();
        prop_assert_eq!(library_answer(&layer.index()), library_answer(&turned.index()));
    }

    #[test]
    fn a_repair_ends_sound_and_keeps_the_body(block in prop::collection::vec(line(), 0..14), crlf in any::<bool>()) {
        let block = block.concat();
        let body = "\n# Head: ing\n\n---\nbody\n";
        let text = format!("---\n{block}---\n{body}");
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        let index = Index::of_texts(".ai", [(".ai/README.md", text.as_bytes()), (".ai/x", b"x")]);
        let document = index.documents().next().unwrap();
        if let Ok(mended) = mended(&index, document, text.as_bytes()) {
            let after = String::from_utf8(mended.after).unwrap();
            let again = Index::of_texts(".ai", [(".ai/README.md", after.as_bytes())]);
            prop_assert_eq!(again.tallies().documented, 1, "{}", after);
            prop_assert!(!mended.notes.is_empty());
            let end = text.rsplit_once("# Head").unwrap().1;
            prop_assert!(after.ends_with(end), "{after:?}");
            prop_assert_eq!(after.contains('\r'), crlf && text.contains('\r'));
        }
    }

    #[test]
    fn no_head_of_a_file_makes_the_reader_fail(bytes in prop::collection::vec(any::<u8>(), 0..200), text in "(---\n)?[-a-z:#&*!|>'\"\\[\\]{}, \t\r\n0-9]{0,120}") {
        let with_block = [b"---\n".as_slice(), &bytes, b"\n---\n"].concat();
        for file in [bytes.as_slice(), &with_block, text.as_bytes()] {
            let index = Index::of_texts(".ai", [(".ai/README.md", file), (".ai/x", b"x")]);
            prop_assert_eq!(index.tallies().directories, 1);
        }
    }
}
