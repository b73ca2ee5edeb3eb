//! C: the effective chain.

use dagwood::contracts::Request;
use serde_json::json;

use super::{R, doc, layer};

#[test]
fn c1_subtree_contracts_from_the_root_down() {
    let layer = layer()
        .contract(".ai", &doc("ai.layer").with("order", "900"))
        .contract(R, &doc("ai.repo").with("order", "500"))
        .contract(".ai/repo/a", &doc("ai.a").with("order", "1"))
        .contract(".ai/repo/b", &doc("ai.b"));
    assert_eq!(layer.chain(".ai/repo/a"), ["ai.layer", "ai.repo", "ai.a"]);
}

#[test]
fn c1_each_step_says_where_and_why() {
    let layer = layer()
        .contract(".ai", &doc("ai.layer").with("order", "10"))
        .contract(".ai/d", &doc("ai.d").with("scope", "directory").with("order", "-5"))
        .contract(".ai/z", &doc("ai.z").explicit(".ai/d").with("order", "7"));
    let asked = layer.ask(&Request { path: Some(".ai/d".into()), ..Request::default() });
    assert_eq!(
        asked["directories"][0]["effective"],
        json!([
            {"id": "ai.layer", "path": ".ai/README.md", "depth": 0, "order": 10, "composition": "extend",
             "reason": "an ancestor (scope subtree)", "local": false},
            {"id": "ai.d", "path": ".ai/d/README.md", "depth": 1, "order": -5, "composition": "extend",
             "reason": "the target directory (scope directory)", "local": true},
            {"id": "ai.z", "path": ".ai/z/README.md", "depth": 1, "order": 7, "composition": "extend",
             "reason": "a declared path (scope explicit)", "local": false},
        ])
    );
    let own = layer.ask(&Request { path: Some(".ai".into()), ..Request::default() });
    assert_eq!(own["directories"][0]["effective"][0]["reason"], "the target directory (scope subtree)");
}

#[test]
fn c2_scope_directory_stays_at_home() {
    let layer = layer().contract(".ai", &doc("ai.layer").with("scope", "directory")).contract(R, &doc("ai.repo"));
    assert_eq!(layer.chain(".ai"), ["ai.layer"]);
    assert_eq!(layer.chain(R), ["ai.repo"]);
}

#[test]
fn c3_an_explicit_contract_applies_where_it_says() {
    let layer = layer().contract(".ai/repo/a", &doc("ai.a").explicit(".ai/repo/b")).x(".ai/repo/b/c").x(".ai/repo/d");
    assert_eq!(layer.chain(".ai/repo/b"), ["ai.a"]);
    assert_eq!(layer.chain(".ai/repo/b/c"), ["ai.a"]);
    for elsewhere in [".ai/repo/a", R, ".ai/repo/d"] {
        assert!(layer.chain(elsewhere).is_empty(), "{elsewhere}");
    }
    assert_eq!(layer.state(".ai/repo/a"), "documented");
}

#[test]
fn c4_the_first_listed_covering_path_gives_the_depth() {
    let depth = |paths: &str| {
        let layer = layer()
            .contract(".ai", &doc("ai.layer").with("order", "50"))
            .contract(".ai/repo/z", &doc("ai.z").explicit(paths).with("order", "10"))
            .x(".ai/repo/b");
        let asked = layer.ask(&Request { path: Some(".ai/repo/b".into()), ..Request::default() });
        let steps = asked["directories"][0]["effective"].as_array().unwrap().clone();
        let step = steps.iter().find(|step| step["id"] == "ai.z").unwrap();
        (step["depth"].as_u64().unwrap(), steps.len())
    };
    assert_eq!(depth(".ai, .ai/repo/b"), (0, 2));
    assert_eq!(depth(".ai/repo/b, .ai"), (2, 2));
    assert_eq!(depth(".ai/elsewhere, .ai/repo"), (1, 2));
}

#[test]
fn c5_at_one_depth_order_then_path() {
    let layer = layer()
        .contract(".ai/repo/b", &doc("ai.b"))
        .contract(".ai/repo/m", &doc("ai.m").explicit(".ai/repo/b"))
        .contract(".ai/repo/a", &doc("ai.a").explicit(".ai/repo/b"))
        .contract(".ai/repo/n", &doc("ai.n").explicit(".ai/repo/b").with("order", "-5"));
    assert_eq!(layer.chain(".ai/repo/b"), ["ai.n", "ai.a", "ai.b", "ai.m"]);
}

#[test]
fn c6_replace_drops_what_it_names_here() {
    let layer = layer()
        .contract(".ai", &doc("ai.layer"))
        .contract(R, &doc("ai.repo"))
        .contract(".ai/repo/a", &doc("ai.a").replaces("ai.repo, ai.nothing"));
    assert_eq!(layer.chain(".ai/repo/a"), ["ai.layer", "ai.a"]);
    assert_eq!(layer.chain(R), ["ai.layer", "ai.repo"]);
}

#[test]
fn c7_final_is_not_enforced() {
    let layer = layer()
        .contract(".ai", &doc("ai.layer").with("composition", "final"))
        .contract(R, &doc("ai.repo").replaces("ai.layer"));
    assert_eq!(layer.chain(R), ["ai.repo"]);
}

#[test]
fn c8_two_that_replace_each_other_both_go() {
    let layer =
        layer().contract(".ai", &doc("ai.layer").replaces("ai.repo")).contract(R, &doc("ai.repo").replaces("ai.layer"));
    assert!(layer.chain(R).is_empty());
}

#[test]
fn c8_one_that_replaces_itself_goes() {
    let layer = layer().contract(".ai", &doc("ai.layer")).contract(R, &doc("ai.repo").replaces("ai.repo"));
    assert_eq!(layer.chain(R), ["ai.layer"]);
}

#[test]
fn c9_what_a_superseded_one_supersedes_goes_too() {
    let layer = layer()
        .contract(".ai", &doc("ai.layer"))
        .contract(R, &doc("ai.repo").replaces("ai.layer"))
        .contract(".ai/repo/a", &doc("ai.a").replaces("ai.repo"));
    assert_eq!(layer.chain(".ai/repo/a"), ["ai.a"]);
}

#[test]
fn c10_supersedes_without_replace_does_nothing() {
    let layer = layer().contract(".ai", &doc("ai.layer")).contract(R, &doc("ai.repo").with("supersedes", "[ai.layer]"));
    assert_eq!(layer.chain(R), ["ai.layer", "ai.repo"]);
}

#[test]
fn c11_a_deprecated_one_is_in_no_chain_and_replaces_nothing() {
    let layer = layer()
        .contract(".ai", &doc("ai.layer"))
        .contract(R, &doc("ai.repo").replaces("ai.layer").with("status", "deprecated"));
    assert_eq!(layer.chain(R), ["ai.layer"]);
}
