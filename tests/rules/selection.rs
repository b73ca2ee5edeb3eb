//! The selection, code by code: order (O), seeds (S), filters (F), excludes (X), refs (R), missing (M), duplicates (D),
//! result (T), edges of the model (E), JSON (J), projects on the disk (P).

mod disk;
mod notation;
mod projects;
mod reports;

use dagwood::error::{Code, Coded};
use dagwood::selection::{Graph, boundary, select};
use notation::{gives, items, misses, selection, warns};

#[test]
fn o1_a_package_comes_before_its_edges() {
    gives(
        "you: first, last
         first: A f -> mid, last
         mid: A m -> deep
         deep: A d
         last: A l",
        &["first:A:f <- you", "mid:A:m <- first", "deep:A:d <- mid", "last:A:l <- you, first"],
    );
}

#[test]
fn o2_the_root_then_its_edges_then_requests() {
    gives(
        "you: q
         root: A own -> p
         q: A b
         p: A a",
        &["-:A:own <- you", "p:A:a <- you", "q:A:b <- you"],
    );
}

#[test]
fn o3_what_is_not_reached_does_not_exist() {
    let picked = misses("you: p\n p: A a>there\n q: S there", &["p/a -> there"]);
    assert_eq!(picked.searched().iter().map(|name| &**name).collect::<Vec<_>>(), ["p"]);
}

#[test]
fn o4_a_filtered_edge_still_reaches() {
    gives(
        "you: p
         p: A a>tool -> q(agents nobody)
         q: A x S tool,spare B doc",
        &["p:A:a <- you", "q:S:tool <- p/a", "q:B:doc <- p/a"],
    );
}

#[test]
fn o5_cycles_are_harmless() {
    gives(
        "you: p
         p: A a -> p, q
         q: A b -> p, q",
        &["p:A:a <- you, p, q", "q:A:b <- p, q"],
    );
}

#[test]
fn s1_all_takes_every_kind() {
    gives("you: p\n p: A a S s B d H h", &["p:A:a <- you", "p:S:s <- you", "p:B:d <- you", "p:H:h <- you"]);
}

#[test]
fn s2_an_unknown_request_is_skipped() {
    gives("you: nobody, p\n p: S s", &["p:S:s <- you"]);
}

#[test]
fn s3_an_unknown_edge_is_skipped() {
    gives("you: p\n p: S s -> nobody", &["p:S:s <- you"]);
}

#[test]
fn s4_an_unfiltered_edge_of_an_opened_package_seeds() {
    gives("you: p\n p: A a -> q\n q: S s B d H h", &["p:A:a <- you", "q:S:s <- p", "q:B:d <- p", "q:H:h <- p"]);
}

#[test]
fn s5_a_filtered_request_does_not_open() {
    gives("you: p(skills s)\n p: A a S s -> q\n q: A b B d", &["p:S:s <- you"]);
}

#[test]
fn s6_an_empty_exclude_takes_all_and_does_not_open() {
    gives("you: p(exclude)\n p: A a H h B d -> q\n q: A b", &["p:A:a <- you", "p:H:h <- you", "p:B:d <- you"]);
}

#[test]
fn s7_a_filtered_edge_seeds_nothing_and_stops_the_chain() {
    gives("you: p\n p: A a -> q(skills s)\n q: S s -> r\n r: S t", &["p:A:a <- you"]);
}

#[test]
fn s8_in_a_diamond_the_unfiltered_way_opens() {
    gives(
        "you: f, u
         f: A fa -> s(agents x)
         u: A ua -> s
         s: A x,y -> l
         l: S z",
        &["f:A:fa <- you", "s:A:x <- u", "s:A:y <- u", "l:S:z <- s", "u:A:ua <- you"],
    );
}

#[test]
fn s9_two_manifests_ask_for_one_package() {
    gives("you: p, q\n p: A a -> r\n q: A b -> r\n r: S c", &["p:A:a <- you", "r:S:c <- p, q", "q:A:b <- you"]);
}

#[test]
fn s10_two_requests_of_one_package_are_a_union() {
    gives("you: p(agents a b), p(agents b c)\n p: A a,b,c,d", &["p:A:a <- you", "p:A:b <- you", "p:A:c <- you"]);
}

#[test]
fn s11_all_after_a_filter_opens() {
    gives("you: p(skills s), p\n p: A a S s -> q\n q: S t", &["p:A:a <- you", "p:S:s <- you", "q:S:t <- p"]);
}

#[test]
fn s12_an_empty_exclude_in_a_manifest_seeds_nothing() {
    gives("you: p\n p: A a -> q(exclude)\n q: A b B d", &["p:A:a <- you"]);
}

#[test]
fn s13_a_manifest_may_open_what_you_only_include_from() {
    gives(
        "you: p(agents a), q
         p: A a,b -> r
         q: S t -> p
         r: S s",
        &["p:A:a <- you, q", "p:A:b <- q", "r:S:s <- p", "q:S:t <- you"],
    );
}

#[test]
fn f1_include_takes_what_is_named_and_every_document() {
    gives(
        "you: p(agents a; skills s)\n p: A a,b S s,t B d,e H h",
        &["p:A:a <- you", "p:S:s <- you", "p:B:d <- you", "p:B:e <- you"],
    );
}

#[test]
fn f2_a_name_is_not_matched_across_kinds() {
    gives("you: p(agents x)\n p: A x S x H x", &["p:A:x <- you"]);
}

#[test]
fn f3_include_of_nothing_takes_documents() {
    gives("you: p(skills)\n p: A a S s B d H h", &["p:B:d <- you"]);
}

#[test]
fn f4_an_unknown_name_is_silent() {
    let picked = gives("you: p(skills s ghost)\n p: S s", &["p:S:s <- you"]);
    let (entry, _) = picked.graph().entries().next().unwrap();
    assert_eq!(picked.graph().idle_names(entry), ["ghost".into()], "but it is known to hit nothing");
}

#[test]
fn f5_exclude_by_slug_hits_every_kind() {
    gives(
        "you: p(exclude x)\n p: A x,a S x,s B x,d H x,h",
        &["p:A:a <- you", "p:S:s <- you", "p:B:d <- you", "p:H:h <- you"],
    );
}

#[test]
fn f6_exclude_by_path_hits_one() {
    gives(
        "you: p(exclude agents/x.md skills/s bootstrap/d hooks/h)\n p: A x S x,s B d,x H h,x",
        &["p:S:x <- you", "p:B:x <- you", "p:H:x <- you"],
    );
}

#[test]
fn f7_exclude_by_path_is_exact() {
    gives(
        r"you: p(exclude skills/ ./skills/s skills\s skills/s/SKILL.md agents/a)
          p: A a S s",
        &["p:A:a <- you", "p:S:s <- you"],
    );
}

#[test]
fn f8_only_skills_takes_skills() {
    gives("you: p(only-skills)\n p: A a S s B d H h", &["p:S:s <- you"]);
}

#[test]
fn f9_only_agents_takes_agents_and_what_their_refs_bring() {
    gives(
        "you: p(only-agents)\n p: A a>s,b S s,t B d H h",
        &["p:A:a <- you", "p:A:b <- you", "p:S:s <- p/a", "p:B:d <- p/a"],
    );
}

#[test]
fn f10_only_agents_without_refs_brings_no_documents() {
    gives("you: p(only-agents)\n p: A a S s B d H h", &["p:A:a <- you"]);
}

#[test]
fn f11_a_flat_skill_has_the_path_dot() {
    gives("you: p(exclude .)\n p: S .flat", &[]);
    let picked = gives("you: p\n p: S .flat", &["p:S:flat <- you"]);
    assert_eq!(&*picked.graph().item(picked.items()[0]).path, ".");
}

#[test]
fn f12_names_compare_exactly() {
    gives("you: p(exclude X agents/X.md skills/s/)\n p: A x S s", &["p:A:x <- you", "p:S:s <- you"]);
}

#[test]
fn x1_your_exclude_beats_another_packages_edge() {
    gives("you: m, b(exclude s)\n m: A m -> b\n b: S s,t", &["m:A:m <- you", "b:S:t <- you, m"]);
}

#[test]
fn x2_your_exclude_beats_your_include() {
    gives("you: p(exclude s), p(skills s t)\n p: S s,t", &["p:S:t <- you"]);
}

#[test]
fn x3_an_excluded_skill_is_neither_pulled_nor_missing() {
    let picked = gives("you: p(exclude s)\n p: A a>s S s", &["p:A:a <- you"]);
    assert_eq!(picked.ended().len(), 1, "but the agent is known to go without");
}

#[test]
fn x4_the_first_supplier_decides_even_when_excluded() {
    gives("you: p(exclude s), q(skills t)\n p: A a>s S s\n q: S s,t", &["p:A:a <- you", "q:S:t <- you"]);
}

#[test]
fn x5_a_packages_exclude_blocks_nothing() {
    gives("you: p, q\n p: A a>s -> q(exclude s)\n q: S s", &["p:A:a <- you", "q:S:s <- you, p/a"]);
}

#[test]
fn x6_an_excluded_document_is_not_pulled() {
    gives(
        "you: q, p(exclude d)\n q: A a>s -> p(skills)\n p: S s B d,e",
        &["q:A:a <- you", "p:S:s <- you, q/a", "p:B:e <- you, q/a"],
    );
}

#[test]
fn x7_root_edges_are_yours() {
    gives("root: A me>s -> p(exclude s)\n p: A a S s,t", &["-:A:me <- you", "p:A:a <- you", "p:S:t <- you"]);
}

#[test]
fn x8_a_ref_does_not_bring_back_what_you_exclude() {
    gives("you: q, p(exclude s)\n q: A a>s+s -> p\n p: S s B d", &["q:A:a <- you", "p:B:d <- you, q"]);
}

#[test]
fn x9_two_excludes_add_up() {
    gives("you: p(exclude s), p(exclude t)\n p: S s,t,u", &["p:S:u <- you"]);
}

#[test]
fn x10_a_root_edges_exclude_beats_manifests_and_refs() {
    gives(
        "you: q
         root: A me>s -> p(exclude s)
         q: A a>s -> p
         p: S s,t",
        &["-:A:me <- you", "p:S:t <- you, q", "q:A:a <- you"],
    );
}

#[test]
fn x11_an_exclude_by_path_beats_manifests_and_refs() {
    gives("you: q, p(exclude skills/s)\n q: A a>s -> p\n p: A s S s", &["q:A:a <- you", "p:A:s <- you, q"]);
}

#[test]
fn r1_the_own_package_comes_first() {
    gives("you: q(only-agents), p(only-agents)\n p: A a>s S s -> q\n q: S s", &["p:A:a <- you", "p:S:s <- p/a"]);
}

#[test]
fn r2_a_nearer_dependency_comes_before_a_farther_one() {
    gives(
        "you: p(only-agents)
         p: A a>s -> far, near
         far: A f -> farther
         farther: S s
         near: S s",
        &["p:A:a <- you", "near:S:s <- p/a"],
    );
}

#[test]
fn r2_among_equally_near_ones_the_first_line_decides() {
    gives(
        "you: p(only-agents)
         p: A a>s -> x, y
         x: A f -> one, two
         y: A g -> two, one
         one: S s
         two: S s",
        &["p:A:a <- you", "one:S:s <- p/a"],
    );
}

#[test]
fn r3_a_dependency_comes_before_an_earlier_request() {
    gives(
        "you: u(agents), p(only-agents)\n u: S s\n p: A a>s -> d(only-agents)\n d: S s",
        &["p:A:a <- you", "d:S:s <- p/a"],
    );
}

#[test]
fn r4_unrelated_packages_in_registry_order() {
    gives("you: p(only-agents), z(agents), a(agents)\n p: A x>s\n z: S s\n a: S s", &["p:A:x <- you", "z:S:s <- p/x"]);
}

#[test]
fn r5_a_ref_may_land_in_the_root() {
    gives("you: p\n root: S s B d\n p: A a>s", &["-:S:s <- you, p/a", "-:B:d <- you, p/a", "p:A:a <- you"]);
}

#[test]
fn r6_the_roots_refs_are_yours() {
    gives("you: p(agents)\n root: A me>s\n p: S s B d", &["-:A:me <- you", "p:S:s <- you", "p:B:d <- you"]);
}

#[test]
fn r7_requesters_in_processing_order_without_repeats() {
    gives("you: p(only-agents)\n p: A z>s+s,b>s S s", &["p:A:z <- you", "p:A:b <- you", "p:S:s <- p/z, p/b"]);
}

#[test]
fn r8_documents_come_by_the_first_ref() {
    gives(
        "you: p(agents a b)\n p: A b>t,a>s S s,t B d",
        &["p:A:b <- you", "p:A:a <- you", "p:S:s <- p/a", "p:S:t <- p/b", "p:B:d <- you, p/b"],
    );
}

#[test]
fn r9_an_agent_is_never_a_candidate() {
    misses("you: p\n p: A a>b,b", &["p/a -> b"]);
}

#[test]
fn r10_a_skill_that_carries_refs_is_followed() {
    gives("you: p(skills s)\n p: S s>t,t>u,u", &["p:S:s <- you", "p:S:t <- p/s", "p:S:u <- p/t"]);
}

#[test]
fn r11_the_root_is_first_in_registry_order() {
    gives("you: z(agents), p(only-agents)\n root: S s\n z: S s\n p: A a>s", &["-:S:s <- you, p/a", "p:A:a <- you"]);
}

#[test]
fn r12_refs_compare_exactly() {
    misses("you: p\n p: A a>S+s/ S s", &["p/a -> S", "p/a -> s/"]);
}

#[test]
fn m1_one_entry_for_each_ref() {
    let picked = misses(
        "you: z, p\n root: A me>lost\n z: S s\n p: A a>gone+gone",
        &["-/me -> lost", "p/a -> gone", "p/a -> gone"],
    );
    assert_eq!(
        picked.searched().iter().map(|name| &**name).collect::<Vec<_>>(),
        ["p", "z"],
        "sorted, without the root"
    );
}

#[test]
fn m2_a_declared_providers_ref_is_left_to_it() {
    let picked = gives("you: p\n p: A a>s__host uses host", &["p:A:a <- you"]);
    assert_eq!(picked.ended().len(), 1);
}

#[test]
fn m3_an_undeclared_providers_ref_is_missing_with_a_hint() {
    let picked = misses("you: p\n p: A a>s__host", &["p/a -> s__host?"]);
    let hint = picked.missing()[0].hint().unwrap();
    assert!(hint.contains("`host`") && hint.contains("uses-providers"), "{hint}");
}

#[test]
fn m4_another_packages_declaration_does_not_help() {
    misses("you: p, q\n root: S x uses host\n p: A a>s__host\n q: S t uses host", &["p/a -> s__host?"]);
}

#[test]
fn m5_a_package_that_ships_it_wins() {
    gives(
        "you: p(only-agents), q(agents)\n p: A a>s__host uses host\n q: S s__host",
        &["p:A:a <- you", "q:S:s__host <- p/a"],
    );
}

#[test]
fn m6_the_shape_of_a_providers_name() {
    misses(
        "you: p\n p: A a>x__1+x__m-+-__m+__m+x__+x__M+x__-m+x__m_1+a___b+plain",
        &[
            "p/a -> x__1?",
            "p/a -> x__m-?",
            "p/a -> -__m?",
            "p/a -> __m",
            "p/a -> x__",
            "p/a -> x__M",
            "p/a -> x__-m",
            "p/a -> x__m_1",
            "p/a -> a___b?",
            "p/a -> plain",
        ],
    );
}

#[test]
fn m7_the_roots_list_counts_for_its_refs() {
    misses("root: A me>s__host+t__other uses host", &["-/me -> t__other?"]);
}

#[test]
fn m8_an_unselected_agent_misses_nothing() {
    gives("you: p(agents a)\n p: A a,b>gone", &["p:A:a <- you"]);
}

#[test]
fn m9_every_reached_package_was_searched() {
    let picked =
        misses("you: p, z(agents)\n p: A a>gone -> q(agents)\n q: S x\n z: S y\n far: S gone", &["p/a -> gone"]);
    assert_eq!(picked.searched().iter().map(|name| &**name).collect::<Vec<_>>(), ["p", "q", "z"]);
}

#[test]
fn m10_the_roots_list_does_not_count_for_others() {
    misses("you: p\n root: A me>s__host uses host\n p: A a>s__host", &["p/a -> s__host?"]);
}

#[test]
fn m11_a_space_spoils_the_shape() {
    for name in ["x__m ", "x__m\n", "x__m m", "x__é"] {
        assert_eq!(dagwood::selection::select::provider(name), None, "{name:?}");
    }
}

#[test]
fn d1_duplicates_by_kind_packages_in_order() {
    warns(
        "you: q, p, r\n p: A x S x,y\n q: A x S y B d H h\n r: A x B d H h",
        &["agent `x` is installed from q, p, r", "skill `y` is installed from q, p"],
    );
}

#[test]
fn d2_the_root_is_the_root_package() {
    warns("you: p\n root: S s\n p: S s", &["skill `s` is installed from the root package, p"]);
}

#[test]
fn d3_only_selected_items_count() {
    warns("you: p(skills), q\n p: S s\n q: S s", &[]);
}

#[test]
fn d4_twice_in_a_package_is_refused() {
    let twice = |list: &str| refused(&format!(r#"{{"packages": {{"p": {list}}}}}"#));
    assert!(
        twice(r#"{"prepared": {"selection": {"definitions": [{"kind": "skill", "slug": "s", "output_path": "skills/s/SKILL.md"},
        {"kind": "skill", "slug": "s", "output_path": "x/skills/s/SKILL.md"}]}}}"#)
        .contains("skill `s`")
    );
    assert!(
        twice(
            r#"{"prepared": {"selection": {}}, "extra_items": [{"kind": "hook", "slug": "h", "path": "hooks/h"},
        {"kind": "hook", "slug": "h", "path": "hooks/h2"}]}"#
        )
        .contains("hook `h`")
    );
}

#[test]
fn d5_warnings_in_order_of_first_appearance() {
    warns(
        "you: p, q, r\n p: S z A a\n q: A b,a S z\n r: A b",
        &["skill `z` is installed from p, q", "agent `a` is installed from p, q", "agent `b` is installed from q, r"],
    );
}

#[test]
fn t1_definitions_as_given_then_extra_items() {
    gives(
        "you: b, a\n a: S z A y S x H h B d\n b: A k",
        &["b:A:k <- you", "a:S:z <- you", "a:A:y <- you", "a:S:x <- you", "a:H:h <- you", "a:B:d <- you"],
    );
}

#[test]
fn t2_root_edges_are_seeded_before_requests() {
    gives(
        "you: q\n root: A me -> p\n p: A x -> s\n q: A y -> s\n s: S k",
        &["-:A:me <- you", "p:A:x <- you", "s:S:k <- p, q", "q:A:y <- you"],
    );
}

#[test]
fn e1_an_empty_view_gives_nothing() {
    gives("", &[]);
    assert_eq!(json("{}"), serde_json::json!({"items": [], "missing_skills": [], "diagnostics": []}));
}

#[test]
fn e2_a_root_alone_is_taken_whole() {
    gives("root: A a S s B d H h", &["-:A:a <- you", "-:S:s <- you", "-:B:d <- you", "-:H:h <- you"]);
}

#[test]
fn e3_an_empty_name_is_refused() {
    refused(r#"{"requests": [{"name": "", "filter": "all"}]}"#);
    refused(r#"{"packages": {"p": {"prepared": {"selection": {"edges": [{"name": "", "filter": "all"}]}}}}}"#);
}

fn json(text: &str) -> serde_json::Value {
    serde_json::to_value(select(&Graph::new(boundary::parse(text).unwrap()))).unwrap()
}

#[track_caller]
fn refused(text: &str) -> String {
    let error = boundary::parse(text).unwrap_err();
    assert_eq!(error.code(), Code::InvalidInput);
    error.to_string()
}

const SKILL: &str =
    r#"{"selection": {"definitions": [{"kind": "skill", "slug": "s", "output_path": "skills/s/SKILL.md"}]}}"#;

fn one(package: &str) -> String {
    format!(r#"{{"requests": [{{"name": "p", "filter": "all"}}], "packages": {{"p": {package}}}}}"#)
}

#[test]
fn j1_extra_items_may_be_null() {
    let got = json(&one(&format!(r#"{{"prepared": {SKILL}, "extra_items": null}}"#)));
    assert_eq!(got["items"][0]["path"], "skills/s");
}

#[test]
fn j2_extra_items_may_be_absent() {
    assert_eq!(json(&one(&format!(r#"{{"prepared": {SKILL}}}"#)))["items"].as_array().unwrap().len(), 1);
}

#[test]
fn j3_unknown_keys_inside_prepared_are_ignored() {
    let package = r#"{"prepared": {"more": 1, "selection": {"x": [], "definitions": [{"kind": "agent", "slug": "a",
        "output_path": "agents/a.md", "model": "m"}], "edges": [{"name": "q", "filter": "all", "why": ""}]}}}"#;
    assert_eq!(json(&one(package))["items"].as_array().unwrap().len(), 1);
}

#[test]
fn j4_unknown_keys_beside_prepared_are_refused() {
    assert!(refused(&one(&format!(r#"{{"prepared": {SKILL}, "edges": []}}"#))).contains("edges"));
}

#[test]
fn j5_a_server_in_extra_items_is_refused_by_name() {
    let extra = r#"[{"kind": "mcp-server", "slug": "box", "path": "mcp/box"}]"#;
    let said = refused(&one(&format!(r#"{{"prepared": {SKILL}, "extra_items": {extra}}}"#)));
    assert!(said.contains("`box`") && said.contains("mcp-server"), "{said}");
}

#[test]
fn j6_an_empty_package_name_is_refused() {
    refused(&format!(r#"{{"packages": {{"": {{"prepared": {SKILL}}}}}}}"#));
}

#[test]
fn j7_what_is_no_json_is_refused_with_its_place() {
    assert!(refused("{\n  \"requests\": [,]\n}").contains("line 2"));
    refused("");
    refused("[]");
}

#[test]
fn j8_filters_are_never_absent_nor_unknown() {
    refused(r#"{"requests": [{"name": "p"}]}"#);
    refused(r#"{"requests": [{"name": "p", "filter": "some"}]}"#);
    refused(r#"{"requests": [{"name": "p", "filter": {"include": {"agents": [], "hooks": []}}}]}"#);
    refused(r#"{"requests": [{"name": "p", "filter": {"include": {}, "exclude": []}}]}"#);
    refused(r#"{"requests": [{"name": "p", "filter": {"include": [["a"], ["s"]]}}]}"#);
    refused(r#"{"requests": [["p", "all"]]}"#);
}

#[test]
fn j9_a_package_twice_is_refused() {
    let twice = format!(r#"{{"packages": {{"p": {{"prepared": {SKILL}}}, "p": {{"prepared": {SKILL}}}}}}}"#);
    assert!(refused(&twice).contains("`p`"));
}

#[test]
fn j10_requesters_in_json() {
    let picked = selection("you: p\n root: A me>s\n p: A a>s S s B d -> q\n q: S t");
    let got = serde_json::to_value(&picked).unwrap();
    let by = |at: usize| got["items"][at]["required_by"].clone();
    assert_eq!(items(&picked)[2], "p:S:s <- you, p/a");
    assert_eq!(
        by(2),
        serde_json::json!([{"by": "consumer"}, {"by": "item", "package": "p", "kind": "agent", "slug": "a"}])
    );
    assert_eq!(by(4), serde_json::json!([{"by": "package", "package": "p"}]));
    assert_eq!(got["items"][0]["package"], serde_json::Value::Null);
}
