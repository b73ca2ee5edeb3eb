//! The classes of validate, each with its rule.

use std::collections::HashSet;

use dagwood::contracts::validate::{Ground, check};
use dagwood::finding::{Finding, Severity};

use super::{R, Small, doc, layer};

/// The findings of a layer but those of owed folders.
fn findings(layer: &Small, ground: &Ground) -> Vec<Finding> {
    check(&layer.index(), ground).into_iter().filter(|finding| finding.code != "missing-contract").collect()
}

fn codes(layer: &Small) -> Vec<String> {
    findings(layer, &Ground::default()).into_iter().map(|finding| finding.code).collect()
}

fn only(layer: &Small, code: &str) -> Finding {
    let found = findings(layer, &Ground::default());
    assert_eq!(found.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(), [code]);
    found[0].clone()
}

#[test]
fn a_sound_layer_has_none() {
    let layer = layer().contract(".ai", &doc("ai.layer")).contract(R, &doc("ai.repo").replaces("ai.layer"));
    assert!(codes(&layer).is_empty());
}

#[test]
fn duplicate_ids_name_each_other() {
    let layer = layer().contract(".ai/a", &doc("ai.same")).contract(".ai/b", &doc("ai.same")).x(".ai/a");
    let found = findings(&layer, &Ground::default());
    assert_eq!(found.len(), 2);
    assert!(found[0].message.contains("`ai.same` is also that of .ai/b/README.md"));
    assert_eq!((found[0].line, found[0].key.as_deref()), (Some(3), Some("id")));
}

#[test]
fn broken_references_of_supersedes() {
    let unknown = layer().contract(R, &doc("ai.repo").replaces("ai.none"));
    assert_eq!(only(&unknown, "broken-reference").line, Some(13));
    let elsewhere = layer().contract(".ai/a", &doc("ai.a").replaces("ai.b")).contract(".ai/b", &doc("ai.b"));
    assert!(only(&elsewhere, "broken-reference").message.contains("neither in this folder nor above"));
}

#[test]
fn broken_references_of_paths() {
    let outside = layer().contract(R, &doc("ai.repo").explicit("docs"));
    assert!(only(&outside, "broken-reference").message.contains("outside the layer"));
    let none = layer().contract(R, &doc("ai.repo").explicit(".ai/none"));
    assert!(only(&none, "broken-reference").message.contains("is no folder"));
}

#[test]
fn broken_references_of_exempt_say_the_right_spelling() {
    for entry in ["v", "./.ai/repo/v", ".ai/repo/v/", "repo/v"] {
        let layer = layer().contract(R, &doc("ai.repo").exempts(entry)).x(".ai/repo/v");
        let found = only(&layer, "broken-reference");
        assert!(found.fix.as_ref().unwrap().starts_with("write `.ai/repo/v`"), "{entry}: {found:?}");
    }
    let composed = layer().contract(R, &doc("ai.repo").exempts("\".ai/repo/caf\u{e9}\"")).x(".ai/repo/cafe\u{301}");
    assert_eq!(
        only(&composed, "broken-reference").fix.unwrap(),
        "write `.ai/repo/cafe\u{301}`: the name is in another Unicode form"
    );
    let glob = layer().contract(R, &doc("ai.repo").exempts("\".ai/repo/*\""));
    assert!(only(&glob, "broken-reference").fix.unwrap().contains("patterns match nothing"));
    // a folder on disk that git does not track is a folder all the same
    let on_disk = layer().contract(R, &doc("ai.repo").exempts(".ai/repo/v"));
    let ground = Ground { folders: HashSet::from([".ai/repo/v".to_owned()]), ..Ground::default() };
    assert!(findings(&on_disk, &ground).is_empty());
}

#[test]
fn broken_references_of_tracks() {
    let layer = layer().contract(R, &doc("ai.repo").with("tracks", "[src, lib]"));
    let ground = Ground { idle_tracks: HashSet::from(["lib".to_owned()]), ..Ground::default() };
    let found = findings(&layer, &ground);
    assert_eq!(found.len(), 1);
    assert!(found[0].message.contains("`lib`"));
}

#[test]
fn cycles_are_told_once() {
    let ring =
        layer().contract(".ai", &doc("ai.layer").replaces("ai.repo")).contract(R, &doc("ai.repo").replaces("ai.layer"));
    let found: Vec<Finding> =
        findings(&ring, &Ground::default()).into_iter().filter(|finding| finding.code == "cycle").collect();
    assert_eq!(found.len(), 1);
    assert!(found[0].message.ends_with("ai.layer → ai.repo → ai.layer"), "{}", found[0].message);
    let own = layer().contract(R, &doc("ai.repo").replaces("ai.repo"));
    assert!(only(&own, "cycle").message.contains("supersedes itself"));
}

#[test]
fn illegal_overrides() {
    let over_final = layer()
        .contract(".ai", &doc("ai.layer").with("composition", "final"))
        .contract(R, &doc("ai.repo").replaces("ai.layer"));
    assert!(only(&over_final, "illegal-override").message.contains("final"));
    let lowered =
        layer().contract(".ai", &doc("ai.layer").requires("true")).contract(R, &doc("ai.repo").requires("false"));
    assert_eq!(only(&lowered, "illegal-override").line, Some(14));
    let raised =
        layer().contract(".ai", &doc("ai.layer").requires("false")).contract(R, &doc("ai.repo").requires("true"));
    assert!(codes(&raised).is_empty());
    let own = layer().contract(R, &doc("ai.repo").exempts(R));
    assert!(only(&own, "illegal-override").message.contains("own folder"));
    let sideways = layer().contract(".ai/a", &doc("ai.a").exempts(".ai/b")).x(".ai/b");
    assert!(only(&sideways, "illegal-override").message.contains("outside of .ai/a"));
}

#[test]
fn missing_contracts_name_who_requires_one() {
    let layer = layer().contract(".ai", &doc("ai.layer").requires("true")).x(R);
    let found = check(&layer.index(), &Ground::default());
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].path.as_str(), found[0].severity), (R, Severity::Error));
    assert!(found[0].message.contains(".ai/README.md requires one"));
}

#[test]
fn warnings_of_our_own() {
    let shadowed = layer().contract(R, &doc("ai.a")).file(".ai/repo/zz.md", doc("ai.b").text());
    assert_eq!(only(&shadowed, "shadowed-document").path, ".ai/repo/README.md");
    let placeholder = "To be written: what lies where.";
    let boilerplate = layer().file(".ai/repo/README.md", format!("{}\n{placeholder}\n", doc("ai.a").text()));
    let found = only(&boilerplate, "new-boilerplate");
    assert_eq!((found.severity, found.message.as_str()), (Severity::Warning, "still as suggested: `Structure`"));
}
