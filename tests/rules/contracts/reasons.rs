//! Section 5 of the rules: what was left out and why, and what would change a state.

use dagwood::contracts::explain::{Reader, Turn, explain, outside};
use dagwood::contracts::{Audience, State};

use super::{R, Small, doc, layer};

/// What was left out of a directory's chain, as `id: reason`.
fn left_out(layer: &Small, path: &str, reader: &Reader) -> Vec<String> {
    let index = layer.index();
    let told = explain(&index, index.find(path.as_bytes()).unwrap(), reader);
    let name = |left: &dagwood::contracts::explain::LeftOut| {
        let document = index.document(left.document);
        let id = document.contract.as_ref().map_or("?".to_owned(), |contract| contract.id.clone());
        format!("{id}: {}", left.why.words(&index))
    };
    told.left_out.iter().map(name).collect()
}

fn turns(layer: &Small, path: &str) -> Vec<Turn> {
    let index = layer.index();
    explain(&index, index.find(path.as_bytes()).unwrap(), &Reader::default()).turns
}

#[test]
fn every_document_that_could_have_applied_has_its_reason() {
    let layer = layer()
        .contract(".ai", &doc("ai.layer"))
        .contract(R, &doc("ai.repo").with("status", "deprecated"))
        .contract(".ai/repo/a", &doc("ai.a").replaces("ai.layer"))
        .file(".ai/repo/a/Aa.md", doc("ai.Aa".to_lowercase().as_str()).with("id", "ai.0").text())
        .file(".ai/repo/a/broken.md", "---\nkind: context\n---\n")
        .contract(".ai/repo/b", &doc("ai.b").with("scope", "directory"))
        .contract(".ai/repo/e", &doc("ai.e").explicit(".ai/repo/b"))
        .contract(".ai/repo/s", &doc("ai.s"))
        .contract(".ai/repo/torn", &doc("ai.torn").without("order"));
    assert_eq!(
        left_out(&layer, ".ai/repo/a", &Reader::default()),
        [
            "ai.layer: superseded by ai.a (.ai/repo/a/README.md)",
            "ai.repo: it is deprecated",
            "ai.0: ai.a (.ai/repo/a/README.md) of the same folder is used",
            "?: dropped: invalid-front-matter",
            "ai.b: scope directory, elsewhere",
            "ai.e: scope explicit, and no path of it is at or above",
        ]
    );
}

#[test]
fn a_superseded_final_contract_says_that_a_strict_reader_refuses_that() {
    let layer = layer()
        .contract(".ai", &doc("ai.layer").with("composition", "final"))
        .contract(R, &doc("ai.repo").replaces("ai.layer"));
    let index = layer.index();
    let told = explain(&index, index.find(R.as_bytes()).unwrap(), &Reader::default());
    assert!(told.left_out[0].words(&index).ends_with("though it is final: a strict reader refuses that"));
}

#[test]
fn readers_filter_the_chain() {
    let layer = layer().contract(R, &doc("ai.repo").with("providers", "[one]").with("audience", "[agent]"));
    let provider = |name: &str| Reader { provider: Some(name.into()), audience: None };
    assert!(left_out(&layer, R, &provider("one")).is_empty());
    assert_eq!(left_out(&layer, R, &provider("two")), ["ai.repo: for other providers"]);
    let human = Reader { provider: None, audience: Some(Audience::Human) };
    assert_eq!(left_out(&layer, R, &human), ["ai.repo: for another audience"]);
}

#[test]
fn what_would_change_a_state() {
    let layer = layer()
        .contract(".ai", &doc("ai.layer"))
        .contract(".ai/f", &doc("ai.f").requires("false").exempts(".ai/f/v"))
        .x(".ai/f/v")
        .x(".ai/f/w")
        .x(R)
        .file(".ai/t/README.md", "torn")
        .x(".ai/t");
    assert_eq!(turns(&layer, ".ai/f"), [Turn::Delete(State::Exempt)]);
    assert_eq!(turns(&layer, ".ai"), [Turn::Delete(State::Owed)]);
    assert!(matches!(turns(&layer, R)[..], [Turn::Write, Turn::Exempt(_), Turn::Lift(_)]));
    assert!(matches!(turns(&layer, ".ai/t")[..], [Turn::Repair(_), Turn::Exempt(_), Turn::Lift(_)]));
    assert!(matches!(turns(&layer, ".ai/f/w")[..], [Turn::Require(_), Turn::Write]));
    assert!(matches!(turns(&layer, ".ai/f/v")[..], [Turn::EndExemption(_), Turn::Require(_), Turn::Write]));
}

#[test]
fn outside_the_layer_the_root_and_what_tracks_it_apply() {
    let layer = layer()
        .contract(".ai", &doc("ai.layer"))
        .contract(R, &doc("ai.repo").with("tracks", "[src, \"*.sh\"]"))
        .contract(".ai/d", &doc("ai.d").with("tracks", "[src]").with("status", "deprecated"));
    let index = layer.index();
    let told = outside(&index, "src/main.rs", &Reader::default());
    assert!(told.root.is_some());
    assert_eq!(told.tracking.iter().map(|(_, spec)| spec.as_str()).collect::<Vec<_>>(), ["src"]);
    assert_eq!(outside(&index, "a/b.sh", &Reader::default()).tracking.len(), 1);
    assert!(outside(&index, "docs/a.md", &Reader::default()).tracking.is_empty());
}
