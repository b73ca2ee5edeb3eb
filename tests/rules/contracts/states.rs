//! D: which directories there are. Q, E, S: what they owe. B: which contract is theirs. P: requests.

use dagwood::contracts::{Error, Request, State, resolve};
use serde_json::json;

use super::{R, doc, layer, paths, tallies};

#[test]
fn d1_only_folders_of_indexed_files_exist() {
    let answer = layer().file("docs/a.md", "x").answer();
    assert_eq!(tallies(&answer), [0, 0, 0, 0]);
}

#[test]
fn d2_ancestors_are_filled_in_and_judged() {
    let layer = layer().x(".ai/repo/a/b");
    assert_eq!(layer.listed(), [".ai", R, ".ai/repo/a", ".ai/repo/a/b"]);
    let objects: Vec<u64> =
        layer.listed().iter().map(|path| layer.directory(path)["objects"].as_u64().unwrap()).collect();
    assert_eq!(objects, [0, 0, 0, 1]);
    assert_eq!(tallies(&layer.answer()), [4, 0, 0, 4]);
}

#[test]
fn d3_the_root_has_depth_0_and_no_parent() {
    let root = layer().contract(".ai", &doc("ai.layer")).directory(".ai");
    assert_eq!(root["depth"], 0);
    assert!(root.get("parent").is_none() && root.get("children").is_none());
}

#[test]
fn d4_look_alikes_are_outside() {
    let layer = layer().contract(".ai", &doc("ai.layer")).x(".ailment").x(".ai-old");
    assert_eq!(layer.listed(), [".ai"]);
}

#[test]
fn d5_the_local_half_is_never_seen() {
    let layer = layer().contract(".ai", &doc("ai.layer")).x(".ai/local/state").x(".ai/locals");
    assert_eq!(layer.listed(), [".ai", ".ai/locals"]);
}

#[test]
fn d6_folders_and_children_are_in_byte_order() {
    let layer = layer().x(".ai/b").x(".ai/a/c").x(".ai/B").x(".ai/a-b");
    assert_eq!(layer.directory(".ai")["children"], json!([".ai/B", ".ai/a", ".ai/a-b", ".ai/b"]));
    assert_eq!(layer.listed(), [".ai", ".ai/B", ".ai/a", ".ai/a-b", ".ai/a/c", ".ai/b"]);
}

#[test]
fn q1_without_a_word_a_contract_is_required_and_nobody_governs() {
    let layer = layer().contract(".ai", &doc("ai.layer")).x(R);
    assert_eq!(layer.state(R), "owed");
    assert_eq!(layer.directory(R)["requires_contract"], true);
    assert_eq!(layer.governed_by(R), None);
}

#[test]
fn q2_the_deepest_declaration_decides() {
    let layer = layer()
        .contract(".ai", &doc("ai.layer").requires("true"))
        .contract(R, &doc("ai.repo").requires("false"))
        .contract(".ai/repo/t", &doc("ai.t").requires("true"))
        .x(".ai/repo/s/one")
        .x(".ai/repo/t/u");
    assert_eq!([layer.state(".ai/repo/s"), layer.state(".ai/repo/s/one")], ["exempt", "exempt"]);
    assert_eq!(layer.governed_by(".ai/repo/s/one").unwrap(), ".ai/repo/README.md");
    assert_eq!(layer.state(".ai/repo/t/u"), "owed");
    assert_eq!(layer.governed_by(".ai/repo/t/u").unwrap(), ".ai/repo/t/README.md");
}

#[test]
fn q3_a_declaration_counts_for_its_own_folder() {
    let root = layer().contract(".ai", &doc("ai.layer").requires("false")).directory(".ai");
    assert_eq!(root["state"], "documented");
    assert_eq!(root["requires_contract"], false);
    assert_eq!(root["governed_by"], ".ai/README.md");
}

#[test]
fn q4_only_scope_subtree_declares() {
    for declaring in [doc("ai.repo").with("scope", "directory"), doc("ai.repo").explicit(".ai/repo/s")] {
        let layer = layer().contract(R, &declaring.requires("false")).x(".ai/repo/s");
        assert_eq!(layer.state(".ai/repo/s"), "owed");
        assert_eq!(layer.governed_by(".ai/repo/s"), None);
    }
}

#[test]
fn q5_a_deprecated_contract_still_documents_governs_and_exempts() {
    let lifted = layer().contract(R, &doc("ai.repo").with("status", "deprecated").requires("false")).x(".ai/repo/s");
    assert_eq!([lifted.state(R), lifted.state(".ai/repo/s")], ["documented", "exempt"]);
    assert!(lifted.chain(R).is_empty());
    let released =
        layer().contract(R, &doc("ai.repo").with("status", "deprecated").exempts(".ai/repo/v")).x(".ai/repo/v");
    assert_eq!(released.exempted_by(".ai/repo/v").unwrap(), ".ai/repo/README.md");
}

#[test]
fn e1_an_exemption_releases_all_the_way_down() {
    let layer = layer().contract(R, &doc("ai.repo").exempts(".ai/repo/v")).x(".ai/repo/v/p/q").x(".ai/repo/own");
    for path in [".ai/repo/v", ".ai/repo/v/p", ".ai/repo/v/p/q"] {
        assert_eq!(layer.state(path), "exempt", "{path}");
    }
    assert_eq!(layer.state(".ai/repo/own"), "owed");
}

#[test]
fn e1_an_entry_above_its_own_folder_releases_from_the_folder_down() {
    let layer = layer().contract(".ai/repo/a", &doc("ai.a").exempts(R)).x(".ai/repo/a/b").x(".ai/repo/c");
    assert_eq!(layer.exempted_by(".ai/repo/a/b").unwrap(), ".ai/repo/a/README.md");
    assert_eq!(layer.exempted_by(".ai/repo/c"), None);
}

#[test]
fn e2_entries_cover_by_whole_segments() {
    let layer = layer().contract(R, &doc("ai.repo").exempts(".ai/repo/v")).x(".ai/repo/vendor").x(".ai/repo/v");
    assert_eq!([layer.state(".ai/repo/vendor"), layer.state(".ai/repo/v")], ["owed", "exempt"]);
}

#[test]
fn e3_entries_are_compared_raw() {
    let entries = "v, ./.ai/repo/v, .ai/repo/v/, \".ai/repo/*\", .ai//repo/v";
    let layer = layer().contract(R, &doc("ai.repo").exempts(entries)).x(".ai/repo/v");
    assert_eq!(layer.state(".ai/repo/v"), "owed");
}

#[test]
fn e4_nothing_is_exempted_sideways() {
    let layer = layer().contract(".ai/repo/a", &doc("ai.a").exempts(".ai/repo/b")).x(".ai/repo/b");
    assert_eq!(layer.state(".ai/repo/b"), "owed");
}

#[test]
fn e5_only_scope_subtree_exempts() {
    let declaring = doc("ai.repo").with("scope", "directory").exempts(".ai/repo/v");
    assert_eq!(layer().contract(R, &declaring).x(".ai/repo/v").state(".ai/repo/v"), "owed");
}

#[test]
fn e6_the_outermost_contract_is_named() {
    let layer = layer()
        .contract(".ai", &doc("ai.layer").exempts(".ai/repo/v/p"))
        .contract(R, &doc("ai.repo").exempts(".ai/repo/v"))
        .x(".ai/repo/v/p/q");
    assert_eq!(layer.exempted_by(".ai/repo/v").unwrap(), ".ai/repo/README.md");
    assert_eq!(layer.exempted_by(".ai/repo/v/p").unwrap(), ".ai/README.md");
    assert_eq!(layer.exempted_by(".ai/repo/v/p/q").unwrap(), ".ai/README.md");
}

#[test]
fn e7_a_deeper_requirement_does_not_undo_an_exemption() {
    let layer = layer()
        .contract(".ai", &doc("ai.layer").exempts(".ai/repo/v"))
        .contract(".ai/repo/v", &doc("ai.v").requires("true"))
        .x(".ai/repo/v/p");
    let view = layer.directory(".ai/repo/v/p");
    assert_eq!((&view["state"], &view["requires_contract"]), (&json!("exempt"), &json!(true)));
    assert_eq!(view["governed_by"], ".ai/repo/v/README.md");
}

#[test]
fn e8_a_contract_may_exempt_its_own_folder() {
    let layer = layer().contract(R, &doc("ai.repo").exempts(R)).x(".ai/repo/v");
    assert_eq!(layer.state(R), "documented");
    assert_eq!(layer.exempted_by(R).unwrap(), ".ai/repo/README.md");
    assert_eq!(layer.state(".ai/repo/v"), "exempt");
}

#[test]
fn s1_a_contract_of_ones_own_wins() {
    let layer = layer()
        .contract(R, &doc("ai.repo").requires("false").exempts(".ai/repo/v"))
        .contract(".ai/repo/v", &doc("ai.v"));
    let view = layer.directory(".ai/repo/v");
    assert_eq!(view["state"], "documented");
    assert_eq!(view["requires_contract"], false);
    assert_eq!(view["exempted_by"], ".ai/repo/README.md");
}

#[test]
fn s2_tallies_count_the_whole_layer() {
    let layer = layer().contract(".ai", &doc("ai.layer")).x(R).x(".ai/repo/a");
    let asked = layer.ask(&Request { path: Some(R.into()), state: Some(State::Documented), ..Request::default() });
    assert_eq!(tallies(&asked), tallies(&layer.answer()));
    assert_eq!(tallies(&asked), [3, 1, 0, 2]);
}

#[test]
fn b1_of_several_documents_the_greatest_id_is_used() {
    let layer = layer()
        .contract(R, &doc("ai.repo.a"))
        .file(".ai/repo/zz.md", doc("ai.repo.b").requires("false").text())
        .x(".ai/repo/s");
    assert_eq!(layer.directory(R)["contract"]["id"], "ai.repo.b");
    assert_eq!(layer.directory(R)["objects"], 2);
    assert_eq!(layer.chain(R), ["ai.repo.b"]);
    assert_eq!(layer.governed_by(".ai/repo/s").unwrap(), ".ai/repo/zz.md");
}

#[test]
fn b2_an_id_claimed_twice_drops_both() {
    let layer = layer()
        .contract(".ai", &doc("ai.layer"))
        .contract(".ai/repo/a", &doc("ai.same"))
        .x(".ai/repo/a")
        .contract(".ai/repo/b", &doc("ai.same"));
    assert_eq!(layer.state(".ai/repo/a"), "owed");
    assert_eq!(layer.directory(".ai/repo/a")["objects"], 1);
    assert_eq!(layer.listed(), [".ai", R, ".ai/repo/a"]);
    let broken = &layer.answer()["broken"];
    assert_eq!(broken[0]["class"], "duplicate-id");
    assert_eq!((&broken[0]["listed"], &broken[1]["listed"]), (&json!(true), &json!(false)));
}

#[test]
fn b2_an_invalid_document_claims_no_id() {
    let layer =
        layer().contract(".ai/repo/a", &doc("ai.same")).contract(".ai/repo/b", &doc("ai.same").with("colour", "red"));
    assert_eq!(layer.state(".ai/repo/a"), "documented");
}

#[test]
fn b3_an_invalid_document_is_not_there() {
    let layer = layer().contract(R, &doc("ai.repo").without("order")).x(R);
    assert_eq!(layer.state(R), "owed");
    assert_eq!(layer.directory(R)["objects"], 1);
    assert_eq!(layer.answer()["broken"][0]["document"], ".ai/repo/README.md");
}

#[test]
fn b4_yes_is_no_boolean() {
    let layer = layer().contract(R, &doc("ai.repo").requires("yes")).x(R);
    assert_eq!(layer.state(R), "owed");
}

#[test]
fn b5_a_readme_without_a_block_is_an_error_and_no_file() {
    let layer = layer().file(".ai/repo/README.md", "# hello\n").x(R);
    assert_eq!((layer.state(R).as_str(), layer.directory(R)["objects"].as_u64()), ("owed", Some(1)));
    assert_eq!(layer.found(), [("invalid-front-matter".into(), Some(1))]);
}

#[test]
fn b6_another_markdown_file_without_a_block_is_a_file() {
    let layer = layer().file(".ai/repo/notes.md", "# n\n").file(".ai/repo/adr.md", "---\nkind: adr\n---\n");
    assert_eq!(layer.directory(R)["objects"], 2);
    assert!(layer.found().is_empty());
}

#[test]
fn p1_a_path_is_brought_to_one_form() {
    let layer = layer().contract(R, &doc("ai.repo"));
    for path in [" ./.ai\\repo// ", ".ai/./repo", ".ai//repo", "././.ai/repo", ".ai/repo"] {
        let asked = layer.ask(&Request { path: Some(path.into()), ..Request::default() });
        assert_eq!(paths(&asked), [R], "{path}");
    }
    assert_eq!(resolve::normalise("a/..b").unwrap(), "a/..b");
}

#[test]
fn p2_other_paths_are_refused() {
    let index = layer().contract(R, &doc("ai.repo")).index();
    let ask =
        |path: &str| resolve::resolve(&index, &Request { path: Some(path.into()), ..Request::default() }).unwrap_err();
    let invalid = [
        "",
        ".",
        "./",
        "././",
        "/.ai",
        "\\.ai",
        "C:\\x",
        "x:y",
        "é:y",
        ".//.",
        "..",
        ".ai/../docs",
        "docs",
        ".aix",
        ".AI",
    ];
    for path in invalid {
        assert!(matches!(ask(path), Error::Path { .. }), "{path}");
    }
    for path in [".ai/none", ".ai/repo/README.md"] {
        assert!(matches!(ask(path), Error::NotFound { .. }), "{path}");
    }
}

#[test]
fn p2_unknown_fields_are_refused() {
    assert!(serde_json::from_str::<Request>(r#"{"state": "owed", "effective": true}"#).is_ok());
    assert!(serde_json::from_str::<Request>(r#"{"states": "owed"}"#).is_err());
    assert!(serde_json::from_str::<Request>(r#"{"state": "broken"}"#).is_err());
}

#[test]
fn p3_a_state_narrows_the_list() {
    let layer = layer().contract(".ai", &doc("ai.layer")).x(R).x(".ai/repo/a");
    let asked = layer.ask(&Request { state: Some(State::Owed), ..Request::default() });
    assert_eq!(paths(&asked), [R, ".ai/repo/a"]);
}

#[test]
fn p4_path_and_state_are_both_applied() {
    let layer = layer().contract(".ai", &doc("ai.layer")).x(R);
    let asked = layer.ask(&Request { path: Some(R.into()), state: Some(State::Documented), ..Request::default() });
    assert!(paths(&asked).is_empty());
}

#[test]
fn p5_chains_are_there_when_asked_for() {
    let layer = layer().contract(".ai", &doc("ai.layer"));
    assert!(layer.directory(".ai").get("effective").is_none());
    let all = layer.ask(&Request { effective: true, ..Request::default() });
    assert_eq!(all["directories"][0]["effective"][0]["id"], "ai.layer");
    let one = layer.ask(&Request { path: Some(".ai".into()), ..Request::default() });
    assert_eq!(one["directories"][0]["effective"][0]["id"], "ai.layer");
}

#[test]
fn p6_what_is_not_there_is_left_out() {
    let layer = layer().contract(R, &doc("ai.repo").without("audience")).x(".ai/repo/x");
    let repo = layer.directory(R);
    assert_eq!(repo["contract"]["providers"], json!(["*"]));
    assert_eq!(repo["contract"]["audience"], json!(["human", "agent"]));
    for key in ["tracks", "children_require_contract", "children_exempt", "paths", "supersedes"] {
        assert!(repo["contract"].get(key).is_none(), "{key}");
    }
    for key in ["governed_by", "exempted_by", "effective"] {
        assert!(repo.get(key).is_none(), "{key}");
    }
    assert!(layer.directory(".ai").get("contract").is_none());
    let asked = layer.ask(&Request { path: Some(".ai".into()), ..Request::default() });
    assert!(asked["directories"][0].get("effective").is_none());
}
