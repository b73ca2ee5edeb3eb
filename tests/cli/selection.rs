//! `dagwood selection`, as typed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::here::Here;

const SKILL: &str = "---\nname: s\ndescription: d\n---\n";

/// A project with something of everything.
fn project() -> Here {
    Here::with(&[
        (
            "mars.toml",
            "[dependencies.team]\npath = \"team\"\n\n[dependencies.base]\npath = \"base\"\nexclude = [\"drop\"]\n\n\
             [dependencies.tools]\npath = \"tools\"\nskills = [\"saw\", \"sew\"]\n",
        ),
        (
            "team/mars.toml",
            "[package]\nname = \"team\"\nversion = \"1.0.0\"\nuses-providers = [\"host\"]\n\n[dependencies.base]\npath = \"../base\"\n\n\
             [dependencies.more]\npath = \"../more\"\nagents = []\n",
        ),
        ("team/agents/lead.md", "---\nname: lead\nskills: [plan, drop, help__host, structured-art]\n---\n"),
        ("base/agents/lead.md", "---\nname: lead\n---\n"),
        ("base/skills/plan/SKILL.md", SKILL),
        ("base/skills/drop/SKILL.md", SKILL),
        ("base/skills/structured-arts/SKILL.md", SKILL),
        ("tools/skills/saw/SKILL.md", SKILL),
        ("tools/skills/axe/SKILL.md", SKILL),
        ("tools/mcp/box/mcp.toml", "command = \"x\"\n"),
        ("more/skills/extra/SKILL.md", SKILL),
    ])
}

/// The text with the workspace's folder taken out.
fn text(here: &Here, arguments: &[&str]) -> String {
    here.text(arguments).replace(&*here.path().to_string_lossy(), "HERE")
}

#[test]
fn list_shows_everything_with_its_reason() {
    insta::assert_snapshot!(text(&project(), &["selection", "list"]), @r#"
    HERE  5 selected · 4 packages · 1 missing · 1 duplicate

    team  1.0.0  1 of 1 selected  path: team
      ≡ agent          lead  you

    base  3 of 4 selected  path: base
      ≡ agent          lead             you, manifest of team
      - skill          drop             excluded by you: `drop` in mars.toml:4 base (exclude = ["drop"], line 6)
      + skill          plan             you, manifest of team, agent team/lead
      + skill          structured-arts  you, manifest of team

    more  0 of 1 selected  path: more
      ~ skill          extra  the manifest of `team`, line 9 names its package with a filter (skills = []), which takes nothing by itself

    tools  1 of 2 selected  path: tools
      ~ skill          axe  filtered out by your line mars.toml:8 tools (skills = ["saw", "sew"], line 10)
      + skill          saw  you

    Missing skills
      ! structured-art  named by agent team/lead  did you mean `structured-arts` of base?

    Refs without a skill, as you want it
      - drop  named by agent team/lead, excluded by you from base
      ? help__host  named by agent team/lead, left to a provider

    warning mars.toml:10  `sew` in the filter of `tools` hits nothing in that package
            did you mean `saw`?
    warning team/agents/lead.md  agent `lead` is installed from team, base
            exclude `lead` from all packages but one

    3 notes: dagwood check --only selection
    "#);
}

#[test]
fn packages_shows_where_each_is() {
    insta::assert_snapshot!(text(&project(), &["selection", "packages"]), @r#"
    team  1.0.0  1 of 1 selected  path: team
        you  mars.toml:1  team  (all)
    base  3 of 4 selected  path: base
        you  mars.toml:4  base  (exclude = ["drop"])
        manifest of team  team/mars.toml:6  ../base  (all)
    more  0 of 1 selected  path: more
        manifest of team  team/mars.toml:9  ../more  (skills = [])
    tools  1 of 2 selected  path: tools
        you  mars.toml:8  tools  (skills = ["saw", "sew"])
    "#);
}

#[test]
fn list_in_json_has_every_part() {
    let here = project();
    let got = here.json(&["selection", "list"]);
    let keys: Vec<&String> = got.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["absent", "diagnostics", "ended_refs", "findings", "items", "lock", "missing_skills", "packages", "project"]
    );
    assert_eq!(
        got["diagnostics"],
        json!([{"code": "selection.duplicate-slug", "severity": "warning", "path": [],
            "message": "agent `lead` is installed from team, base"}])
    );
    assert_eq!(got["missing_skills"][0]["searched"], json!(["base", "more", "team", "tools"]));
    assert_eq!(got["absent"][0]["reasons"][0]["reason"], "excluded");
    assert_eq!(got["absent"][0]["reasons"][0]["place"], json!({"file": "mars.toml", "line": 4}));
    let ended: Vec<&Value> = got["ended_refs"].as_array().unwrap().iter().map(|end| &end["how"]).collect();
    assert_eq!(ended, ["excluded", "left-to-provider"]);
    assert_eq!(got["lock"], Value::Null);
    let packages = got["packages"].as_array().unwrap();
    assert_eq!(
        packages.iter().map(|one| one["package"].as_str().unwrap()).collect::<Vec<_>>(),
        ["team", "base", "more", "tools"]
    );
    assert_eq!(packages[3]["mcp_servers"], json!([{"slug": "box", "path": "mcp/box"}]));
}

#[test]
fn why_shows_every_chain_of_every_match() {
    let here = project();
    insta::assert_snapshot!(text(&here, &["selection", "why", "lead"]), @r#"
    agent base/lead  agents/lead.md  + selected
      mars.toml:4 base (exclude = ["drop"])
      mars.toml:1 team (all) → manifest of team:6

    agent team/lead  agents/lead.md  + selected
      mars.toml:1 team (all)
    "#);
    insta::assert_snapshot!(text(&here, &["selection", "why", "plan"]), @r#"
    skill base/plan  skills/plan  + selected
      mars.toml:4 base (exclude = ["drop"])
      mars.toml:1 team (all) → manifest of team:6
      mars.toml:1 team (all) → agent team/lead
    "#);
    let got = here.json(&["selection", "why", "plan"]);
    let one = &got["matches"][0];
    assert_eq!(
        (one["state"].as_str(), one["count"].as_u64(), one["more_than"].as_bool()),
        (Some("selected"), Some(3), Some(false))
    );
    let steps: Vec<Vec<&str>> = one["chains"]
        .as_array()
        .unwrap()
        .iter()
        .map(|chain| chain["steps"].as_array().unwrap().iter().map(|step| step["step"].as_str().unwrap()).collect())
        .collect();
    assert_eq!(steps, [vec!["line", "item"], vec!["line", "manifest", "item"], vec!["line", "item", "item"]]);
    assert_eq!(one["chains"][1]["steps"][1]["place"], json!({"file": "team/mars.toml", "line": 6}));
}

#[test]
fn why_can_be_narrowed() {
    let here = project();
    let matches = |more: &[&str]| {
        let got = here.json(&[&["selection", "why", "lead"], more].concat());
        got["matches"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["package"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(matches(&["--package", "base"]), ["base"]);
    assert_eq!(matches(&["--kind", "agent"]), ["base", "team"]);
    assert_eq!(here.refused(&["selection", "why", "lead", "--kind", "skill"]).0, 1);
    let short = here.text(&["selection", "why", "plan", "--chains", "1"]);
    assert!(short.contains("1 of 3 chains"), "{short}");
}

#[test]
fn why_not_is_an_answer() {
    let here = project();
    insta::assert_snapshot!(text(&here, &["selection", "why", "drop"]), @r#"
    skill base/drop  skills/drop  not selected
      excluded by you: `drop` in mars.toml:4 base (exclude = ["drop"], line 6)
      agent team/lead names it and goes without
    "#);
    insta::assert_snapshot!(text(&here, &["selection", "why", "axe"]), @r#"
    skill tools/axe  skills/axe  not selected
      filtered out by your line mars.toml:8 tools (skills = ["saw", "sew"], line 10)
      no agent names it
    "#);
    insta::assert_snapshot!(text(&here, &["selection", "why", "extra"]), @r"
    skill more/extra  skills/extra  not selected
      the manifest of `team`, line 9 names its package with a filter (skills = []), which takes nothing by itself
      no agent names it
    ");
    insta::assert_snapshot!(text(&here, &["selection", "why", "structured-art"]), @"! skill structured-art is missing: agent team/lead names it, and no reached package ships it; did you mean `structured-arts` of base?");
    insta::assert_snapshot!(text(&here, &["selection", "why", "help__host"]), @"? skill help__host: agent team/lead names it and leaves it to a provider");
    insta::assert_snapshot!(text(&here, &["selection", "why", "box"]), @"mcp-server tools/box  mcp/box  MCP servers are not selected here");
}

#[test]
fn an_unknown_name_is_answered_with_near_ones() {
    let (status, error) = project().refused(&["selection", "why", "plann"]);
    assert_eq!((status, error["code"].as_str()), (1, Some("not_found")));
    assert_eq!((&error["name"], &error["similar"]), (&json!("plann"), &json!(["plan"])));
    let (status, error) = project().refused(&["selection", "why", "plan", "--package", "baze"]);
    assert_eq!((status, &error["code"], &error["package"]), (1, &json!("not_found"), &json!("baze")));
    assert_eq!(error["similar"], json!(["base"]));
    assert!(error["message"].as_str().unwrap().contains("did you mean `base`?"), "{error}");
}

#[test]
fn a_line_of_yours_has_one_number_wherever_it_is_named() {
    let here = project();
    let mut numbers: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let mut met = 0;
    for arguments in [
        &["list"][..],
        &["packages"],
        &["why", "plan"],
        &["why", "drop"],
        &["why", "axe"],
        &["what-if", "--drop", "base"],
        &["what-if", "--exclude", "tools:saw"],
    ] {
        let said = here.text(&[&["selection"], arguments].concat());
        let words: Vec<&str> = said.split_whitespace().collect();
        for pair in words.windows(2) {
            let Some(key) = ["team", "base", "tools"].into_iter().find(|key| *key == pair[1]) else { continue };
            if let Some(number) = pair[0].strip_prefix("mars.toml:") {
                numbers.entry(key).or_default().insert(number.to_owned());
                met += 1;
            }
        }
    }
    let one = |number: &str| BTreeSet::from([number.to_owned()]);
    assert_eq!(numbers, BTreeMap::from([("team", one("1")), ("base", one("4")), ("tools", one("8"))]));
    assert!(met >= 10, "{met}");
    // and in JSON, where the filter's own line is told beside it
    let told = here.json(&["selection", "list"]);
    let declared = |package: &str| {
        let of = told["packages"].as_array().unwrap().iter().find(|it| it["package"] == package).unwrap();
        of["declared"].as_array().unwrap().iter().find(|it| it["by"].is_null()).unwrap()["place"].clone()
    };
    let reasons = told["absent"].as_array().unwrap().iter().map(|it| (&it["package"], &it["reasons"][0]));
    let own: Vec<_> = reasons.filter(|(_, reason)| !reason["filter_place"].is_null()).collect();
    assert_eq!(own.len(), 2, "{own:?}");
    for (package, reason) in own {
        assert_eq!(reason["place"], declared(package.as_str().unwrap()), "{reason}");
        assert_eq!(reason["filter_place"]["line"], reason["place"]["line"].as_u64().unwrap() + 2, "{reason}");
    }
}

#[test]
fn no_project_is_an_empty_answer() {
    let here = Here::with(&[("theme/mars.toml", "[colors]\nred = 1\n")]);
    let output = here.command("theme").args(["selection", "list", "--json"]).output().unwrap();
    let got: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &got["items"], &got["packages"]), (Some(0), &json!([]), &json!([])));
    assert_eq!(got["findings"][0]["code"], "foreign-manifest");
    let said = here.text(&["selection", "list"]);
    assert!(said.starts_with("no project here or above"), "{said}");
    assert_eq!(here.json(&["selection", "packages"]), json!({"packages": []}));
    assert_eq!(here.json(&["selection", "why", "x"])["matches"], json!([]));
}

#[test]
fn control_characters_in_names_are_shown() {
    let here =
        Here::with(&[("mars.toml", "[dependencies.\"a\\u001b[2J\"]\npath = \"p\"\n"), ("p/agents/x\u{7}.md", "")]);
    let said = here.text(&["selection", "list"]);
    assert!(said.contains("a\\x1b[2J") && said.contains("x\\x07"), "{said}");
    assert!(!said.contains(['\u{1b}', '\u{7}']));
}

const GRAPH: &str = r#"{"requests": [{"name": "p", "filter": "all"}], "root": null, "packages": {"p": {"prepared": {"selection":
    {"definitions": [{"kind": "agent", "slug": "a", "output_path": "agents/a.md", "skills": ["gone"]}]}}}}}"#;

#[test]
fn resolve_reads_a_file_or_standard_input() {
    let here = Here::with(&[("graph.json", GRAPH)]);
    let from_file = here.json(&["selection", "resolve", "graph.json"]);
    let mut child = here
        .command("")
        .args(["selection", "resolve", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(GRAPH.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap(), from_file);
    assert_eq!(
        from_file,
        json!({
            "items": [{"package": "p", "kind": "agent", "slug": "a", "path": "agents/a.md", "required_by": [{"by": "consumer"}]}],
            "missing_skills": [{"skill": "gone", "agent": "a", "package": "p", "searched": ["p"]}],
            "diagnostics": [],
        })
    );
    insta::assert_snapshot!(here.text(&["selection", "resolve", "graph.json"]), @r"
    1 selected · 1 package · 1 missing

    p  1 of 1 selected
      + agent          a  you

    Missing skills
      ! gone  named by agent p/a
    ");
}

#[test]
fn resolve_refuses_with_status_2() {
    let here = Here::with(&[("bad.json", "{\n\"requests\": 1}"), ("bytes", "")]);
    here.write("bytes", b"\xff{}");
    for file in ["bad.json", "bytes", "nowhere.json"] {
        let (status, error) = here.refused(&["selection", "resolve", file]);
        assert_eq!((status, error["code"].as_str()), (2, Some("invalid_input")), "{file}");
    }
    let (_, error) = here.refused(&["selection", "resolve", "bad.json"]);
    assert!(error["message"].as_str().unwrap().contains("line 2"), "{error}");
}

#[test]
fn what_if_shows_what_comes_and_goes_and_writes_nothing() {
    let here = project();
    let before = here.read("mars.toml");
    insta::assert_snapshot!(text(&here, &["selection", "what-if", "--exclude", "team:lead", "--include", "tools:axe"]), @r#"
    include axe from tools, exclude lead from team: 5 -> 5 items
      + skill tools/axe
      - agent team/lead
      . skill structured-art would no longer be missing for agent team/lead

    --- a/mars.toml
    +++ b/mars.toml
    @@ -1,5 +1,6 @@
     [dependencies.team]
     path = "team"
    +exclude = ["lead"]
     
     [dependencies.base]
     path = "base"
    @@ -7,4 +8,4 @@
     
     [dependencies.tools]
     path = "tools"
    -skills = ["saw", "sew"]
    +skills = ["saw", "sew", "axe"]
    only tried; --write writes it
    "#);
    let got = here.json(&["selection", "what-if", "--drop", "team"]);
    assert_eq!(got["go"], json!([{"package": "team", "kind": "agent", "slug": "lead", "path": "agents/lead.md"}]));
    assert_eq!(got["no_longer_missing"], json!([{"skill": "structured-art", "agent": "lead", "package": "team"}]));
    assert_eq!((got["written"].as_bool(), got["edits"][0]["file"].as_str()), (Some(false), Some("mars.toml")));
    assert_eq!(got["before"].as_array().unwrap().len(), 5);
    assert_eq!(got["after"].as_array().unwrap().len(), 4);
    assert_eq!(here.read("mars.toml"), before);
}

#[test]
fn what_if_without_a_try_tells_what_each_line_is_for() {
    let here = project();
    insta::assert_snapshot!(text(&here, &["selection", "what-if"]), @r#"
    1 only through mars.toml:1 team (all)
    0 only through mars.toml:4 base (exclude = ["drop"])
    1 only through mars.toml:8 tools (skills = ["saw", "sew"])
    "#);
    let got = here.json(&["selection", "what-if"]);
    assert_eq!(got["lines"][2]["only_through"][0]["slug"], "saw");
}

#[test]
fn what_if_writes_when_asked_and_is_undone() {
    let here = project();
    let before = here.read("mars.toml");
    let ask = ["selection", "what-if", "--filter", "base={exclude = [\"drop\", \"plan\"]}", "--write"];
    let dry = here.text(&[&ask[..], &["--dry-run"]].concat());
    assert!(dry.ends_with("nothing was written (--dry-run)\n"), "{dry}");
    assert_eq!(here.read("mars.toml"), before);
    let (status, error) = here.refused(&[&ask[..], &["--read-only"]].concat());
    assert_eq!((status, error["code"].as_str()), (3, Some("read_only")));
    assert_eq!(here.read("mars.toml"), before);
    let got = here.json(&ask);
    assert_eq!((got["written"].as_bool(), &got["go"][0]["slug"]), (Some(true), &json!("plan")));
    assert_eq!(here.read("mars.toml"), before.replace("[\"drop\"]", "[\"drop\", \"plan\"]"));
    let now = here.json(&["selection", "list"]);
    assert!(now["items"].as_array().unwrap().iter().all(|item| item["slug"] != "plan"));
    here.text(&["undo"]);
    assert_eq!(here.read("mars.toml"), before);
}

#[test]
fn what_if_says_what_is_wrong_with_a_try() {
    let here = project();
    for (ask, status, said) in [
        (&["--drop", "taem"][..], 1, "did you mean `team`?"),
        (&["--exclude", "base:plam"], 1, "did you mean `plan`?"),
        (&["--exclude", "base"], 2, "KEY:ITEM"),
        (&["--exclude", "base=plan"], 2, "KEY:ITEM"),
        (&["--filter", "base={skils=[]}"], 2, "`skils`"),
        (&["--filter", "base={skills=[], exclude=[]}"], 2, "both"),
        (&["--filter", "base=some"], 2, "`only-agents`"),
        (&["--write"], 2, "nothing to write"),
    ] {
        let (got, error) = here.refused(&[&["selection", "what-if"], ask].concat());
        let message = error["message"].as_str().unwrap();
        assert_eq!(got, status, "{ask:?}: {message}");
        assert!(message.contains(said), "{ask:?}: {message}");
    }
    let nothing = Here::new();
    assert_eq!(nothing.refused(&["selection", "what-if", "--drop", "x"]).1["code"], "not_a_project");
}

#[test]
fn keys_with_marks_are_quoted() {
    let here = Here::with(&[
        ("mars.toml", "[dependencies.\"a:b=c\"]\npath = \"p\"\n"),
        ("p/agents/x.md", ""),
        ("p/agents/y.md", ""),
    ]);
    let got = here.json(&["selection", "what-if", "--exclude", "\"a:b=c\":x"]);
    assert_eq!(got["go"][0]["slug"], "x");
    let got = here.json(&["selection", "what-if", "--filter", "'a:b=c'={agents=['y']}"]);
    assert_eq!(got["go"][0]["slug"], "x");
    assert_eq!(here.json(&["selection", "what-if", "--drop", "a:b=c"])["go"].as_array().unwrap().len(), 2);
}
