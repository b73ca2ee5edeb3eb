//! What people ran into with tools of this kind, each as it should be. The numbers are those of a list of public
//! reports; whatever a report names is named by its rule too, where there is one.

use dagwood::finding::Severity;
use dagwood::selection::overview::{State, in_graph};
use dagwood::selection::reasons::{Reason, Reasons, Step};
use dagwood::selection::what_if::{Try, effect, only_through};
use dagwood::selection::{Filter, Kind, Selection};

use super::disk::{AGENT, Disk, PACKAGE, SKILL};
use super::notation::{gives, items, letter, missing, selection};

/// `p:S:s` for some items.
fn names(selection: &Selection, ids: &[dagwood::selection::ItemId]) -> Vec<String> {
    let graph = selection.graph();
    let name = |id: &dagwood::selection::ItemId| {
        let item = graph.item(*id);
        format!("{}:{}:{}", graph.name(item.package).map_or("-", |name| name), letter(item.kind), item.slug)
    };
    ids.iter().map(name).collect()
}

fn find(selection: &Selection, package: &str, kind: Kind, slug: &str) -> dagwood::selection::ItemId {
    let graph = selection.graph();
    graph.find_item(graph.find(package).unwrap(), kind, slug).unwrap()
}

#[test]
fn report_1_a_filtered_manifest_entry_installs_nothing_by_itself() {
    gives("you: m\n m: A m -> x(skills design)\n x: A x S design,other", &["m:A:m <- you"]);
    gives("you: m\n m: A m>design -> x(skills design)\n x: A x S design,other", &["m:A:m <- you", "x:S:design <- m/m"]);
}

#[test]
fn report_2_a_filtered_request_leaks_nothing_of_what_lies_behind() {
    let picked = gives("you: p(agents runner)\n p: A runner,other -> c\n c: A danger>nowhere", &["p:A:runner <- you"]);
    assert_eq!(picked.searched().len(), 2, "c is reached all the same");
}

#[test]
fn report_3_the_requesters_dependencies_come_before_whatever_was_listed_first() {
    gives("you: u(skills), p(only-agents)\n u: S s\n p: A a>s -> d\n d: S s", &["p:A:a <- you", "d:S:s <- p/a"]);
}

#[test]
fn report_5_your_exclude_is_not_overruled() {
    gives("you: m, b(exclude s)\n m: A m -> b\n b: S s,t", &["m:A:m <- you", "b:S:t <- you, m"]);
}

#[test]
fn report_8_a_diamond_opens_by_the_unfiltered_way_in_both_orders() {
    for order in ["f, u", "u, f"] {
        let picked = selection(&format!("you: {order}\n f: A f -> s(skills)\n u: A u -> s\n s: S x -> l\n l: S y"));
        let got = names(&picked, picked.items());
        assert!(got.contains(&"s:S:x".into()) && got.contains(&"l:S:y".into()), "{order}: {got:?}");
    }
}

#[test]
fn report_11_two_packages_with_one_agent_are_a_warning_that_names_both() {
    let picked = selection("you: dev, write\n dev: A web\n write: A web");
    assert_eq!(super::notation::warnings(&picked), ["agent `web` is installed from dev, write"]);
    assert_eq!(picked.items().len(), 2);
}

#[test]
fn report_13_what_a_package_needs_of_its_local_dependencies_is_told_before_it_is_published() {
    let disk = Disk::with(&[
        (
            "mars.toml",
            &format!(
                "{PACKAGE}[dependencies.d]\npath = \"d\"\nexclude = [\"s\"]\n[local-dependencies.l]\npath = \"l\"\n"
            ),
        ),
        ("agents/a.md", "---\nskills: [s, t]\n---\n"),
        ("d/skills/s/SKILL.md", SKILL),
        ("l/skills/t/SKILL.md", SKILL),
    ]);
    let told = disk.read("");
    assert_eq!(told.codes(Severity::Error), ["relies-on-local"]);
    assert_eq!(told.codes(Severity::Note), ["excluded-ref"]);
}

#[test]
fn report_14_a_relative_path_goes_from_the_authored_package() {
    let disk = Disk::with(&[
        ("here/mars.toml", "[dependencies.p]\npath = \"../p\"\n"),
        ("here/.mars/staging/p/claude/mars.toml", PACKAGE),
        ("p/mars.toml", &format!("{PACKAGE}[dependencies.base]\npath = \"../base\"\n")),
        ("base/skills/s/SKILL.md", SKILL),
    ]);
    assert_eq!(disk.read("here").items(), ["base:S:s"]);
}

#[test]
fn report_15_a_slug_finds_all_its_packages() {
    let picked = selection("you: p, q\n p: S s\n q: S s A s");
    assert_eq!(names(&picked, &picked.graph().with_slug("s")), ["p:S:s", "q:S:s", "q:A:s"]);
}

#[test]
fn report_16_a_sound_project_gives_no_alarm() {
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.p]\npath = \"p\"\n"),
        ("p/mars.toml", PACKAGE),
        ("p/agents/a.md", "---\nname: a\nskills: [s]\n---\n"),
        ("p/skills/s/SKILL.md", SKILL),
        ("p/bootstrap/d/BOOTSTRAP.md", "Text.\n"),
        ("p/hooks/h/hook.toml", ""),
    ]);
    assert!(disk.read("").findings.is_empty());
}

#[test]
fn report_18_and_19_the_graph_says_whose_a_skill_is_and_the_lock_lags() {
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.dev]\npath = \"dev\"\n[dependencies.base]\npath = \"base\"\n"),
        (
            "mars.lock",
            "version = 2\n[dependencies.dev]\npath = \"dev\"\nversion = \"v0.1.8\"\n[dependencies.base]\npath = \"base\"\n\
             [items.\"skill/shared\"]\nsource = \"dev\"\nkind = \"skill\"\nversion = \"v0.0.20\"\n",
        ),
        ("dev/agents/a.md", "---\nskills: [shared]\n---\n"),
        ("base/skills/shared/SKILL.md", SKILL),
    ]);
    let told = disk.read("");
    assert_eq!(told.items(), ["dev:A:a", "base:S:shared"]);
    assert!(told.finding("lock-another-package").message.contains("comes from `base`"));
    assert_eq!(told.finding("lock-another-package").line, Some(7));
    assert_eq!(told.project.package("dev").unwrap().read_version(), Some("v0.1.8"), "not the item's older one");
}

#[test]
fn report_20_every_missing_skill_in_one_pass_with_a_near_name() {
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.p]\npath = \"p\"\n[dependencies.q]\npath = \"q\"\n"),
        ("p/agents/muse.md", "---\nskills: [interactive-artifact, plot]\n---\n"),
        ("p/agents/other.md", "---\nskills: [gone]\n---\n"),
        ("q/skills/structured-artifact/SKILL.md", SKILL),
        ("q/skills/plots/SKILL.md", SKILL),
    ]);
    let told = disk.read("");
    assert_eq!(told.missing(), ["p/muse -> interactive-artifact", "p/muse -> plot", "p/other -> gone"]);
    let fixes: Vec<&str> = told
        .findings
        .iter()
        .filter(|found| found.code == "missing-skill")
        .map(|found| found.fix.as_deref().unwrap())
        .collect();
    assert_eq!(
        fixes,
        [
            "did you mean `structured-artifact` of q?",
            "did you mean `plots` of q?",
            "add a package that ships it, or drop the ref"
        ]
    );
}

#[test]
fn report_22_and_31_a_filter_name_that_hits_nothing_says_what_there_is() {
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.p]\npath = \"p\"\nskills = [\"nothing-like-it\"]\n"),
        ("p/skills/one/SKILL.md", SKILL),
        ("p/skills/two/SKILL.md", SKILL),
    ]);
    let told = disk.read("");
    let found = told.finding("idle-filter-name");
    assert_eq!((found.severity, found.line), (Severity::Warning, Some(3)));
    assert_eq!(found.fix.as_deref(), Some("there are: one, two"));
}

#[test]
fn report_23_and_37_what_your_own_agents_name_is_closed_over() {
    gives("you: p(agents)\n root: A me>s\n p: S s,t", &["-:A:me <- you", "p:S:s <- you"]);
}

#[test]
fn report_25_and_44_all_chains_are_known_not_one() {
    let picked = selection("you: a, b, c(only-agents)\n a: A x>s -> m\n b: A y -> m\n m: A z -> n\n n: S s\n c: A w>s");
    let reasons = Reasons::new(&picked);
    let why = reasons.why(find(&picked, "n", Kind::Skill, "s"), 100);
    let graph = picked.graph();
    let words: Vec<String> = why
        .chains
        .iter()
        .map(|chain| chain.steps.iter().map(|step| step.words(graph)).collect::<Vec<_>>().join(" > "))
        .collect();
    assert_eq!(
        words,
        [
            "request a (all) > agent a/x > skill n/s",
            "request c (only_agents = true) > agent c/w > skill n/s",
            "request a (all) > manifest of a > manifest of m > skill n/s",
            "request b (all) > manifest of b > manifest of m > skill n/s",
        ]
    );
    assert_eq!(why.count.number, 4);
    let opened = reasons.why_opened(graph.find("m").unwrap(), 100);
    assert_eq!(opened.count.number, 2, "why a package is opened, too");
}

#[test]
fn report_47_a_flood_of_chains_is_counted_and_not_listed() {
    // a ladder of diamonds: each rung doubles the ways
    let rung = |rung: usize| {
        let (next, a, b) = (rung + 1, format!("a{rung}"), format!("b{rung}"));
        format!("l{rung}: S s{rung} -> {a}, {b}\n{a}: A x{rung} -> l{next}\n{b}: A y{rung} -> l{next}")
    };
    let rungs: Vec<String> = (0..70).map(rung).collect();
    let picked = selection(&format!("you: l0\n{}\nl70: S end", rungs.join("\n")));
    let reasons = Reasons::new(&picked);
    let deep = reasons.why(find(&picked, "l70", Kind::Skill, "end"), 3);
    assert_eq!((deep.chains.len(), deep.count.more), (3, true));
    assert_eq!(deep.count.to_string(), "more than 9007199254740991");
    let half = reasons.why(find(&picked, "l24", Kind::Skill, "s24"), 3);
    assert_eq!((half.count.number, half.count.more), (1 << 24, false));
}

#[test]
fn report_47_a_cycle_counts_as_one_step() {
    let picked = selection("you: a\n a: A x -> b\n b: A y -> c, a\n c: S s -> b, a\n");
    let reasons = Reasons::new(&picked);
    let why = reasons.why(find(&picked, "c", Kind::Skill, "s"), 10);
    assert_eq!(why.count.number, 1);
    assert!(matches!(&why.chains[0].steps[1], Step::Cycle { packages, .. } if packages.len() == 3));
}

#[test]
fn report_25_a_chain_of_a_hundred_thousand_ends() {
    let links: Vec<String> = (0..100_000).map(|at| format!("p{at:06}: S s{at} -> p{:06}", at + 1)).collect();
    let picked = selection(&format!("you: p000000\n{}\np100000: S last", links.join("\n")));
    let reasons = Reasons::new(&picked);
    let why = reasons.why(find(&picked, "p100000", Kind::Skill, "last"), 5);
    assert_eq!((why.count.number, why.chains[0].steps.len()), (1, 100_002));
}

#[test]
fn report_26_to_28_dropping_one_of_two_ways_keeps_what_the_other_needs() {
    let picked = selection("you: a, b\n a: A x -> shared\n b: A y -> shared\n shared: S s");
    let changed = picked.graph().try_out(&[Try::Drop { key: "a".into() }]).unwrap();
    let what = effect(&picked, &changed);
    assert_eq!((names(&picked, &what.go), names(&picked, &what.come)), (vec!["a:A:x".to_owned()], vec![]));
    let (first, _) = picked.graph().entries().next().unwrap();
    assert_eq!(names(&picked, &only_through(&picked, first)), ["a:A:x"]);
}

#[test]
fn report_29_every_line_that_names_a_package_is_listed() {
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.p]\npath = \"p\"\n[dependencies.q]\npath = \"q\"\nversion = \"v1\"\n"),
        ("p/mars.toml", &format!("{PACKAGE}[dependencies.q]\npath = \"../q\"\nversion = \"v2\"\n")),
        ("q/skills/s/SKILL.md", SKILL),
    ]);
    let told = disk.read("");
    let declared: Vec<_> =
        told.project.package("q").unwrap().declarations.iter().map(|one| one.entry.version.clone().unwrap()).collect();
    assert_eq!(declared, ["v1", "v2"]);
}

#[test]
fn report_30_a_subset_is_exactly_that_and_a_second_request_adds() {
    let picked = gives("you: p(skills grill)\n p: S fry,grill,steam", &["p:S:grill <- you"]);
    let more = picked.graph().try_out(&[Try::Include { key: "p".into(), item: "steam".into() }]).unwrap();
    assert_eq!(names(&picked, &effect(&picked, &more).come), ["p:S:steam"]);
}

#[test]
fn report_32_asking_for_skills_brings_no_agents() {
    gives("you: p(skills a b c)\n p: A x,y,z S a,b,c", &["p:S:a <- you", "p:S:b <- you", "p:S:c <- you"]);
}

#[test]
fn report_34_direct_and_transitive_use_give_the_same() {
    let direct = selection("you: a, b\n a: A x>s\n b: S s,t B d");
    let transitive = selection("you: a\n a: A x>s -> b\n b: S s,t B d");
    assert_eq!(names(&direct, direct.items()), names(&transitive, transitive.items()));
}

#[test]
fn report_36_and_43_every_item_shows_its_package_and_its_file() {
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.p]\npath = \"p\"\n[dependencies.q]\npath = \"q\"\n"),
        ("p/agents/x.md", AGENT),
        ("q/agents/x.md", AGENT),
    ]);
    let told = disk.read("");
    assert_eq!(told.items(), ["p:A:x", "q:A:x"]);
    assert_eq!(told.project.item(Some("q"), Kind::Agent, "x").unwrap().file, "q/agents/x.md");
    let states: Vec<State> = in_graph(&Reasons::new(&told.selection)).iter().map(|row| row.items[0].1).collect();
    assert_eq!(states, [State::Duplicate, State::Duplicate]);
}

#[test]
fn report_40_and_41_one_unmet_need_disables_nothing() {
    let picked = selection("you: p(exclude dropped)\n p: A a>gone+dropped,b>s S s,dropped -> q\n q: A c -> r\n r: S t");
    assert_eq!(items(&picked), ["p:A:a <- you", "p:A:b <- you", "p:S:s <- you, p/b"]);
    assert_eq!(missing(&picked), ["p/a -> gone"]);
    assert_eq!(picked.ended().len(), 1, "an exclusion is never resurrected, and never silent");
    let deep = selection("you: p\n p: A a>gone -> q\n q: A c -> r\n r: S t");
    assert!(items(&deep).contains(&"r:S:t <- q".to_owned()), "dependencies of dependencies are followed to the end");
}

#[test]
fn report_42_a_transitive_item_shows_its_chain() {
    let picked = selection("you: p\n p: A a -> q\n q: S s");
    let reasons = Reasons::new(&picked);
    let why = reasons.why(find(&picked, "q", Kind::Skill, "s"), 1);
    assert!(matches!(why.chains[0].steps[..], [Step::Line(_), Step::Manifest { .. }, Step::Item(_)]));
}

#[test]
fn report_48_an_absent_item_has_a_reason() {
    let picked = selection(
        "you: p(agents a), q(exclude s), r(only-agents)
         p: A a,b>w S u -> t
         q: S s
         r: A x S w
         t: S v
         far: S z",
    );
    let reasons = Reasons::new(&picked);
    let why_not = |package: &str, kind: Kind, slug: &str| reasons.why_not(find(&picked, package, kind, slug));
    assert!(matches!(why_not("p", Kind::Agent, "b")[..], [Reason::FilteredOut { .. }]));
    assert!(matches!(&why_not("q", Kind::Skill, "s")[..], [Reason::Excluded { name, .. }] if &**name == "s"));
    assert!(matches!(why_not("t", Kind::Skill, "v")[..], [Reason::NotOpened { .. }, Reason::NotNamed]));
    assert!(matches!(
        why_not("r", Kind::Skill, "w")[..],
        [Reason::FilteredOut { .. }, Reason::AgentNotSelected { .. }]
    ));
    assert!(matches!(why_not("far", Kind::Skill, "z")[..], [Reason::NotReached]));
    let elsewhere = selection("you: p(agents a), q(agents)\n p: A a>s S s\n q: S s");
    let reasons = Reasons::new(&elsewhere);
    let reason = &reasons.why_not(find(&elsewhere, "q", Kind::Skill, "s"))[1];
    assert!(matches!(reason, Reason::SuppliedElsewhere { .. }), "{reason:?}");
    let filtered = selection("you: p\n p: A a -> q(exclude x)\n q: A b");
    let reasons = Reasons::new(&filtered);
    let reason = &reasons.why_not(find(&filtered, "q", Kind::Agent, "b"))[0];
    assert!(matches!(reason, Reason::FilteredEdge { filter: Filter::Exclude(_), .. }), "{reason:?}");
}

#[test]
fn a_selection_is_exported_whole_in_every_format() {
    use dagwood::selection::export;
    let picked = selection(
        "you: p, nobody
         root: A me>s
         p: A a>s+t+gone+x__host S s,t B d H h -> q(exclude b), missing uses host
         q: A b S t",
    );
    let written = |write: fn(&Selection, &mut dyn std::io::Write) -> std::io::Result<()>| {
        let mut out = Vec::new();
        write(&picked, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let json: serde_json::Value = serde_json::from_str(&written(export::json)).unwrap();
    let count = |key: &str| json[key].as_array().unwrap().len();
    let items: usize =
        json["packages"].as_array().unwrap().iter().map(|one| one["items"].as_array().unwrap().len()).sum();
    assert_eq!((count("packages"), items, count("lines"), count("refs")), (3, 8, 4, 5));
    let means: Vec<&str> = json["refs"].as_array().unwrap().iter().map(|one| one["means"].as_str().unwrap()).collect();
    assert_eq!(means, ["skill", "skill", "skill", "missing", "left-to-provider"]);
    for (picture, arrows, node) in
        [(written(export::dot), [" -> ", " -> "], "[label="), (written(export::mermaid), ["-->|", "-.->|"], "[\"")]
    {
        let edges = picture.lines().filter(|line| arrows.iter().any(|arrow| line.contains(arrow))).count();
        let nodes = picture.lines().filter(|line| line.starts_with("    ") && line.contains(node)).count();
        assert_eq!(edges, 4 + 5, "{picture}");
        // you, packages, items, lines that lead nowhere, refs without a skill
        assert_eq!(nodes, 1 + 3 + 8 + 2 + 2, "{picture}");
    }
}

#[test]
fn hostile_names_break_no_picture() {
    use dagwood::selection::export;
    let mut view = super::notation::view("you: p\n p: A a");
    let package = view.packages.values_mut().next().unwrap();
    package.definitions[0].slug = "x\"]; evil -> \\\n<script>|#;`".into();
    let picked = dagwood::selection::select(&dagwood::selection::Graph::new(view));
    let mut dot = Vec::new();
    export::dot(&picked, &mut dot).unwrap();
    assert!(String::from_utf8(dot).unwrap().contains(r#"x\"]; evil -> \\\\n<script>"#));
    let mut mermaid = Vec::new();
    export::mermaid(&picked, &mut mermaid).unwrap();
    let mermaid = String::from_utf8(mermaid).unwrap();
    assert!(mermaid.contains("x#34;]#59; evil -#62; ") && !mermaid.contains("<script>"), "{mermaid}");
}
