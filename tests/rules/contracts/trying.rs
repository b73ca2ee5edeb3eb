//! Trying a change on a copy, and the layer as a graph.

use dagwood::contracts::what_if::{Try, choices, what_if};
use dagwood::contracts::{State, export};

use super::{R, Small, doc, layer};

fn small() -> Small {
    layer().contract(".ai", &doc("ai.layer")).contract(R, &doc("ai.repo")).x(".ai/repo/s/one").x(".ai/t")
}

/// The states that a try changes, as `path: after`.
fn states(layer: &Small, tries: &[Try]) -> Vec<String> {
    let outcome = what_if(&layer.index(), tries);
    let after = |state: Option<State>| state.map_or("gone", State::word);
    outcome.states.iter().map(|change| format!("{}: {}", change.path, after(change.after))).collect()
}

#[test]
fn exempt_and_lift_release() {
    let exempt = [".ai/repo/s: exempt", ".ai/repo/s/one: exempt"];
    assert_eq!(states(&small(), &[Try::Exempt(".ai/repo/s".into())]), exempt);
    assert_eq!(states(&small(), &[Try::Lift(".ai/repo/s".into())]), exempt);
    let both = [Try::Lift(".ai/repo/s".into()), Try::Exempt(".ai/t".into())];
    assert_eq!(states(&small(), &both), [exempt[0], exempt[1], ".ai/t: exempt"]);
}

#[test]
fn deprecate_and_delete_change_chains() {
    let deprecated = what_if(&small().index(), &[Try::Deprecate(".ai/README.md".into())]);
    assert!(deprecated.states.is_empty());
    assert_eq!(deprecated.chains.len(), 5);
    assert_eq!(deprecated.chains[1].before, ["ai.layer", "ai.repo"]);
    assert_eq!(deprecated.chains[1].after, ["ai.repo"]);
    assert_eq!(states(&small(), &[Try::Delete(".ai/repo/README.md".into())]), [".ai/repo: owed"]);
    let alone = layer().contract(".ai", &doc("ai.layer")).contract(R, &doc("ai.repo"));
    assert_eq!(states(&alone, &[Try::Delete(".ai/repo/README.md".into())]), [".ai/repo: gone"]);
}

#[test]
fn a_try_of_what_is_not_there_is_impossible_and_the_rest_goes_on() {
    let tries = [Try::Exempt(".ai/none".into()), Try::Delete(".ai/none.md".into()), Try::Exempt(".ai/t".into())];
    let outcome = what_if(&small().index(), &tries);
    assert_eq!(outcome.impossible, tries[..2]);
    assert_eq!(outcome.states.len(), 1);
    assert_eq!(what_if(&small().index(), &[Try::Exempt(".ai".into())]).impossible.len(), 1);
}

#[test]
fn what_is_offered_to_be_tried_comes_to_something_and_where_nothing_is_nothing_would() {
    let required = doc("ai.layer").requires("true");
    let layers = [
        small(),
        layer().contract(".ai", &doc("ai.layer").requires("false")).x(".ai/repo/s"),
        layer().contract(".ai", &required).contract(R, &doc("ai.repo").with("status", "deprecated")).x(".ai/repo/s"),
        layer().x(".ai/alone"),
    ];
    let mut met = [0, 0];
    for layer in layers {
        let index = layer.index();
        for directory in index.directories() {
            let comes_to_something = |tried: &Try| {
                let outcome = what_if(&index, std::slice::from_ref(tried));
                outcome.impossible.is_empty() && !(outcome.states.is_empty() && outcome.chains.is_empty())
            };
            let (path, offered) = (index.path(directory).clone(), choices(&index, directory));
            met[usize::from(offered.is_empty())] += 1;
            let idle = offered.iter().find(|tried| !comes_to_something(tried));
            assert!(idle.is_none(), "{path}: {idle:?}");
            let all = [Try::Exempt(path.clone()), Try::Lift(path.clone())];
            let left_out = all.iter().find(|tried| offered.is_empty() && comes_to_something(tried));
            assert!(left_out.is_none(), "{path}: {left_out:?}");
        }
    }
    assert!(met[0] > 3 && met[1] > 2, "{met:?}");
}

#[test]
fn nothing_of_the_layer_itself_changes() {
    let index = small().index();
    let before = serde_json::to_value(small().answer()).unwrap();
    what_if(&index, &[Try::Delete(".ai/README.md".into())]);
    assert_eq!(small().answer(), before);
    assert_eq!(index.tallies().documented, 2);
}

#[test]
fn graphs_name_every_directory_and_quote_what_they_must() {
    let layer = small().x(".ai/a \"quoted\"");
    let written = |write: fn(&dagwood::contracts::Index, &mut dyn std::io::Write) -> std::io::Result<()>| {
        let mut out = Vec::new();
        write(&layer.index(), &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let dot = written(export::dot);
    assert_eq!(dot.matches(" -> ").count() + 1, layer.index().directories().count(), "{dot}");
    assert!(dot.contains(" [label=\"ai.layer\"];"), "{dot}");
    // nodes go by number: a name of any characters stands in its label alone
    assert!(dot.contains(" [label=\".ai/a \\\"quoted\\\"\\nowed\", style=bold];"), "{dot}");
    let mermaid = written(export::mermaid);
    assert!(mermaid.starts_with("flowchart LR\n") && mermaid.contains("&quot;quoted&quot;<br/>owed"), "{mermaid}");
}
