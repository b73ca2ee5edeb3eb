//! P: projects on the disk; then the sections on manifests (A), items (B), locks and caches (C).

use dagwood::finding::Severity;
use dagwood::selection::opinion::{Difference, differences};
use dagwood::selection::project::Location;
use dagwood::selection::source::How;
use dagwood::selection::{Filter, Kind, find};

use super::disk::{AGENT, Disk, PACKAGE, SKILL, Told, git};

fn item(text: &str) -> String {
    text.replace("; ", "\n")
}

#[test]
fn p1_paths_go_from_the_file_they_stand_in() {
    let disk = Disk::with(&[
        ("work/here/mars.toml", "[dependencies.one]\npath = \"../../deps/one\"\n"),
        ("deps/one/mars.toml", &format!("{PACKAGE}[dependencies.two]\npath = \"../two\"\n")),
        ("deps/one/agents/a.md", "---\nskills: [s]\n---\n"),
        ("deps/two/skills/s/SKILL.md", SKILL),
    ]);
    assert_eq!(disk.read("work/here").items(), ["one:A:a", "two:S:s"]);
}

#[test]
fn p2_an_override_gives_another_source_and_keeps_the_filter() {
    let disk = Disk::with(&[
        ("here/mars.toml", "[dependencies.p]\nurl = \"https://github.com/o/p\"\nagents = [\"a\"]\n"),
        ("here/mars.local.toml", "[overrides.p]\npath = \"../fork\"\n"),
        ("fork/agents/a.md", AGENT),
        ("fork/agents/b.md", AGENT),
    ]);
    let told = disk.read("here");
    assert_eq!(told.items(), ["p:A:a"]);
    assert!(matches!(told.project.packages[0].location, Location::At { how: How::Override, .. }));
}

#[test]
fn p2_an_override_also_moves_what_only_a_manifest_names() {
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.p]\npath = \"p\"\n"),
        ("mars.local.toml", "[overrides.q]\npath = \"q\"\n[overrides.other]\npath = \"x\"\n"),
        ("p/mars.toml", &format!("{PACKAGE}[dependencies.q]\nurl = \"https://github.com/o/q\"\nsubpath = \"in\"\n")),
        ("q/in/skills/s/SKILL.md", SKILL),
    ]);
    let told = disk.read("");
    assert_eq!(told.items(), ["q:S:s"], "the subpath of the entry still counts");
    assert_eq!(told.finding("unused-override").line, Some(3));
}

#[test]
fn p3_subpath() {
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.p]\npath = \"lib\"\nsubpath = 'a\\b'\n"),
        ("lib/skills/no/SKILL.md", SKILL),
        ("lib/a/b/skills/s/SKILL.md", SKILL),
    ]);
    assert_eq!(disk.read("").items(), ["p:S:s"]);
    for bad in ["../x", "", "/abs", "a/../b", "C:/x"] {
        let disk = Disk::with(&[
            ("mars.toml", &format!("[dependencies.p]\npath = \"lib\"\nsubpath = '{bad}'\n")),
            ("lib/skills/s/SKILL.md", SKILL),
        ]);
        let told = disk.read("");
        assert!(told.items().is_empty(), "{bad}");
        assert_eq!(
            (told.finding("subpath").severity, told.finding("subpath").line),
            (Severity::Error, Some(3)),
            "{bad}"
        );
    }
}

#[test]
fn p4_the_shallowest_layer_wins() {
    let disk =
        package(&[("skills/y/SKILL.md", SKILL), ("examples/skills/x/SKILL.md", SKILL), ("docs/agents/z.md", AGENT)]);
    assert_eq!(disk.read("").items(), ["p:S:y"]);
}

/// A project with one package `p` in `lib`, which holds these files.
fn package(files: &[(&str, &str)]) -> Disk {
    let disk = Disk::with(&[("mars.toml", "[dependencies.p]\npath = \"lib\"\n")]);
    std::fs::create_dir_all(disk.path().join("lib")).unwrap();
    for (name, text) in files {
        disk.write(&format!("lib/{name}"), text);
    }
    disk
}

#[test]
fn p5_items_further_down_are_read_to_five_levels() {
    let disk = package(&[("a/b/c/d/agents/x.md", AGENT), ("a/b/c/d/skills/s/SKILL.md", SKILL)]);
    assert_eq!(disk.read("").items(), ["p:A:x", "p:S:s"]);
    let disk = package(&[("a/b/c/d/e/agents/x.md", AGENT)]);
    assert!(disk.read("").items().is_empty());
}

#[test]
fn p6_hooks_and_documents_hide_no_agents() {
    let disk = package(&[
        ("hooks/h/hook.toml", "name = \"called\"\n"),
        ("bootstrap/d/BOOTSTRAP.md", "x"),
        ("pkg/agents/a.md", AGENT),
        ("pkg/bootstrap/e/BOOTSTRAP.md", "x"),
        ("pkg/hooks/no/hook.toml", ""),
    ]);
    assert_eq!(disk.read("").items(), ["p:A:a", "p:B:d", "p:H:called"]);
}

#[test]
fn p7_a_flat_skill_is_named_by_its_front_matter() {
    let flat = |front: &str| package(&[("SKILL.md", front), ("bootstrap/d/BOOTSTRAP.md", "x")]).read("").items();
    assert_eq!(flat("---\nname: flat\n---\n"), ["p:S:flat", "p:B:d"], "documents do not stand in its way");
    for front in ["", "---\nname: ''\n---\n", "---\nname: a/b\n---\n", "---\nname: 3\n---\n", "---\nname: [\n---\n"] {
        assert_eq!(flat(front), ["p:S:p", "p:B:d"], "{front:?}: the key");
    }
}

#[test]
fn p7_a_name_that_equals_only_the_key_is_told_the_slug() {
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.key]\npath = \"lib\"\nskills = [\"key\"]\n[dependencies.q]\npath = \"q\"\n"),
        ("lib/SKILL.md", "---\nname: flat\n---\n"),
        ("q/agents/a.md", "---\nskills: [key]\n---\n"),
    ]);
    let told = disk.read("");
    assert!(told.finding("idle-filter-name").fix.as_ref().unwrap().contains("`flat`"));
    assert!(told.finding("missing-skill").fix.as_ref().unwrap().contains("`flat`"));
}

#[test]
fn p8_no_flat_skill_beside_an_agent_or_skill_anywhere() {
    let disk = package(&[("SKILL.md", SKILL), ("deep/er/skills/s/SKILL.md", SKILL)]);
    assert_eq!(disk.read("").items(), ["p:S:s"]);
}

#[test]
fn p9_what_is_an_item_by_its_name() {
    let disk = package(&[
        ("agents/.dot.md", AGENT),
        ("agents/a.MD", AGENT),
        ("agents/sub/b.md", AGENT),
        ("skills/.dot/SKILL.md", SKILL),
        ("skills/low/skill.md", SKILL),
        ("skills/none/x.md", SKILL),
        (".git/agents/g.md", AGENT),
        ("build/agents/b.md", AGENT),
        ("dist/agents/d.md", AGENT),
        ("__pycache__/agents/c.md", AGENT),
        ("mine/.mars-plugin.json", "{}"),
        ("mine/agents/m.md", AGENT),
    ]);
    assert_eq!(disk.read("").items(), ["p:A:.dot"]);
}

#[cfg(unix)]
#[test]
fn p9_links_are_no_items() {
    let disk = package(&[("agents/a.md", AGENT), ("real/SKILL.md", SKILL), ("skills/s/SKILL.md", SKILL)]);
    let lib = disk.path().join("lib");
    std::os::unix::fs::symlink("a.md", lib.join("agents/link.md")).unwrap();
    std::os::unix::fs::symlink("../real", lib.join("skills/link")).unwrap();
    std::os::unix::fs::symlink(".", lib.join("loop")).unwrap();
    assert_eq!(disk.read("").items(), ["p:A:a", "p:S:s"]);
}

#[test]
fn p10_with_package_the_project_is_the_root() {
    let disk = Disk::with(&[
        ("mars.toml", &format!("{PACKAGE}[dependencies.p]\npath = \"lib\"\nskills = []\n")),
        ("agents/mine.md", "---\nskills: [s]\n---\n"),
        (".mars-src/agents/mine.md", "---\nskills: [t]\n---\n"),
        (".mars-src/skills/own/SKILL.md", SKILL),
        ("lib/skills/s/SKILL.md", SKILL),
        ("lib/skills/t/SKILL.md", SKILL),
    ]);
    let told = disk.read("");
    assert_eq!(told.items(), ["-:A:mine", "-:S:own", "p:S:t"], ".mars-src wins");
    assert_eq!(told.project.own.items[0].file, ".mars-src/agents/mine.md");
    assert_eq!(&*told.project.own.items[1].path, ".mars-src/skills/own");
}

#[test]
fn p11_without_package_only_mars_src_is_the_projects_own() {
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.p]\npath = \"lib\"\nskills = []\n"),
        (".mars-src/agents/mine.md", "---\nskills: s\n---\n"),
        ("agents/not.md", AGENT),
        ("lib/skills/s/SKILL.md", SKILL),
    ]);
    assert_eq!(disk.read("").items(), ["-:A:mine", "p:S:s"]);
}

#[test]
fn p12_a_packages_local_dependencies_are_not_followed() {
    let disk = package(&[
        ("mars.toml", &format!("{PACKAGE}[local-dependencies.q]\npath = \"../q\"\n")),
        ("agents/a.md", "---\nskills: [s]\n---\n"),
    ]);
    disk.write("q/skills/s/SKILL.md", SKILL);
    let told = disk.read("");
    assert_eq!((told.items(), told.missing()), (vec!["p:A:a".to_owned()], vec!["p/a -> s".to_owned()]));
}

#[test]
fn p13_local_dependencies_come_after_dependencies() {
    let disk = Disk::with(&[
        ("mars.toml", "[local-dependencies.l]\npath = \"l\"\n[dependencies.d]\npath = \"d\"\n"),
        ("l/skills/x/SKILL.md", SKILL),
        ("d/skills/y/SKILL.md", SKILL),
    ]);
    assert_eq!(disk.read("").items(), ["d:S:y", "l:S:x"]);
}

#[test]
fn p14_every_form_of_skills() {
    let disk = package(&[
        ("agents/a.md", "---\nskills: one\n---\n"),
        ("agents/b.md", "---\r\nskills:\r\n- two\r\n---\r\n"),
        ("agents/c.md", "---\nskills: {available: [four], load: [three]}\n---\n"),
        ("agents/d.md", "---\nskills: [five, 6, five]\n---\n"),
        ("agents/e.md", "---\nskills: [no]\n"),
    ]);
    let told = disk.read("");
    assert_eq!(
        told.missing(),
        ["p/a -> one", "p/b -> two", "p/c -> three", "p/c -> four", "p/d -> five", "p/d -> five"]
    );
    let remarks = told.findings.iter().filter(|found| found.code == "front-matter").count();
    assert_eq!(remarks, 3, "one text, a number, and an unclosed block: {:#?}", told.findings);
}

#[test]
fn p15_a_package_that_is_not_there_hides_nothing() {
    let disk = Disk::with(&[
        (
            "mars.toml",
            "[dependencies.gone]\nurl = \"https://github.com/o/r\"\n[dependencies.lost]\npath = \"no\"\n[dependencies.p]\npath = \"lib\"\n",
        ),
        ("mars.lock", "version = 2\n[dependencies.gone]\ncommit = \"0123456789012345678901234567890123456789\"\n"),
        ("lib/agents/a.md", "---\nskills: [s]\n---\n"),
    ]);
    let told = disk.read("");
    assert_eq!(told.items(), ["p:A:a"]);
    let Location::Nowhere(looked) = &told.project.packages[0].location else { panic!() };
    let places: Vec<&str> = looked.iter().map(|looked| &*looked.at).collect();
    assert!(places[0].contains("archives/https___github.com_o_r@0123456789"), "{places:?}");
    assert!(places[1].contains("archives/https___github.com_o_r.git@"), "{places:?}");
    assert!(places.last().unwrap().ends_with(".mars/staging/gone"), "{places:?}");
    let lost: Vec<_> = told.findings.iter().filter(|found| found.code == "package-not-found").collect();
    assert_eq!(
        lost.iter().map(|found| (found.severity, found.line)).collect::<Vec<_>>(),
        [(Severity::Error, Some(3)), (Severity::Warning, Some(1))]
    );
    assert!(told.finding("missing-skill").message.contains("gone, lost"), "it may be in what was not found");
}

#[test]
fn p16_broken_front_matter_keeps_the_item() {
    let disk = package(&[("agents/a.md", "---\nskills: [s\n---\n"), ("agents/b.md", "---\n- list\n---\n")]);
    let told = disk.read("");
    assert_eq!(told.items(), ["p:A:a", "p:A:b"]);
    assert_eq!(told.finding("front-matter").path, "lib/agents/a.md");
}

#[test]
fn p17_a_skills_own_skills_are_not_followed() {
    let disk = package(&[("skills/s/SKILL.md", "---\nname: s\nskills: [t]\n---\n"), ("skills/t/SKILL.md", SKILL)]);
    disk.write("mars.toml", "[dependencies.p]\npath = \"lib\"\nskills = [\"s\"]\n");
    let told = disk.read("");
    assert_eq!(told.items(), ["p:S:s"]);
    assert_eq!(told.finding("skill-with-skills").line, Some(3));
}

#[test]
fn p18_a_manifest_without_package_has_no_edges() {
    let disk = package(&[("mars.toml", "[dependencies.q]\npath = \"../q\"\n"), ("agents/a.md", AGENT)]);
    disk.write("q/agents/b.md", AGENT);
    let told = disk.read("");
    assert_eq!(told.items(), ["p:A:a"]);
    assert_eq!(told.finding("manifest-without-package").path, "lib/mars.toml");
}

#[test]
fn p19_the_order_of_the_file_is_the_order() {
    let disk = Disk::with(&[
        (
            "mars.toml",
            "[dependencies]\nz.path = \"z\"\n[dependencies.m]\npath = \"m\"\n[settings]\nx = 1\n[dependencies.a]\npath = \"a\"\n",
        ),
        ("z/skills/z/SKILL.md", SKILL),
        ("m/skills/m/SKILL.md", SKILL),
        ("a/skills/a/SKILL.md", SKILL),
    ]);
    assert_eq!(disk.read("").items(), ["z:S:z", "m:S:m", "a:S:a"]);
}

#[test]
fn p20_a_file_of_another_program_does_not_stop_the_walk() {
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.p]\npath = \"lib\"\n"),
        ("lib/agents/a.md", AGENT),
        ("x/mars.toml", "[palette]\nskills = \"no table\"\n"),
    ]);
    let found = find(&disk.path().join("x"));
    assert_eq!(found.foreign, [disk.path().join("x/mars.toml")]);
    assert_eq!(found.findings()[0].severity, Severity::Note);
    assert_eq!(disk.read("x").items(), ["p:A:a"]);
}

#[test]
fn a1_the_walk_goes_up_past_git() {
    let disk = Disk::with(&[("mars.toml", ""), ("sub/.git/HEAD", "x"), ("sub/deep/x", "")]);
    assert_eq!(find(&disk.path().join("sub/deep")).project.unwrap().root, disk.path());
}

#[test]
fn a2_every_table_of_mars_makes_it_mars() {
    for table in ["package", "dependencies", "local-dependencies", "settings", "models", "agents.x", "skills.x"] {
        let disk = Disk::with(&[("mars.toml", &format!("[{table}]\n"))]);
        assert!(find(&disk.path()).foreign.is_empty(), "{table}");
    }
    let disk = Disk::with(&[("mars.toml", "[[package.skills]]\nx = 1\n[anything]\n")]);
    assert!(find(&disk.path()).project.is_some(), "unknown tables are tolerated");
}

#[test]
fn a3_a_package_without_version_is_read() {
    let disk = package(&[
        ("mars.toml", "[package]\nname = \"p\"\nuses-providers = [\"host\", \"Bad\"]\n"),
        ("agents/a.md", "---\nskills: [x__host]\n---\n"),
    ]);
    let told = disk.read("");
    assert_eq!((told.items(), told.missing()), (vec!["p:A:a".to_owned()], vec![]));
    assert_eq!(told.finding("package-without-version").severity, Severity::Warning);
    assert_eq!(told.finding("provider-name").line, Some(3));
    assert_eq!(told.finding("left-to-provider").severity, Severity::Note);
}

fn errors_of(entry: &str) -> (Told, Vec<(String, Option<usize>)>) {
    let disk = Disk::with(&[
        ("mars.toml", &format!("# a comment\n[dependencies.p]\n{entry}\n")),
        ("lib/agents/a.md", AGENT),
        ("lib/skills/a/SKILL.md", SKILL),
    ]);
    let told = disk.read("");
    let errors = told.findings.iter().filter(|found| found.severity == Severity::Error);
    let errors = errors.map(|found| (found.code.clone(), found.line)).collect();
    (told, errors)
}

#[test]
fn a4_the_filter_mode_goes_by_presence() {
    let mode = |entry: &str| {
        let (told, errors) = errors_of(&format!("path = \"lib\"\n{entry}"));
        assert!(errors.is_empty(), "{entry}: {errors:?}");
        told.project.manifest.dependencies[0].filter.clone()
    };
    assert_eq!(mode(""), Filter::All);
    assert_eq!(mode("skills = []"), Filter::Include { agents: vec![], skills: vec![] });
    assert_eq!(mode("exclude = []"), Filter::Exclude(vec![]));
    assert_eq!(mode("only_skills = false\nonly_agents = true"), Filter::OnlyAgents);
    assert_eq!(mode("only_skills = true"), Filter::OnlySkills);
    assert_eq!(mode("agents = [\"a\"]"), Filter::Include { agents: vec!["a".into()], skills: vec![] });
}

#[test]
fn a4_every_error_names_its_line_and_the_rest_goes_on() {
    for (entry, code, line) in [
        ("path = \"lib\"\nurl = \"u\"", "two-sources", 2),
        ("path = \"lib\"\nonly_skills = true\nonly_agents = true", "filter-conflict", 2),
        ("path = \"lib\"\nonly_skills = true\nskills = []", "filter-conflict", 2),
        ("path = \"lib\"\nonly_agents = true\nexclude = []", "filter-conflict", 2),
        ("path = \"lib\"\nexclude = []\nagents = [\"a\"]", "filter-conflict", 2),
        ("path = \"lib\"\nskills = \"a\"", "type", 4),
        ("path = \"lib\"\nskills = [\"a\", 1]", "type", 4),
        ("path = \"lib\"\nonly_skills = \"yes\"", "type", 4),
        ("path = \"lib\"\nversion = 2", "type", 4),
        ("path = \"lib\"\n[dependencies._self]\npath = \"lib\"", "reserved-key", 4),
        ("path = \"lib\"\n[dependencies.same]\npath = \"./lib\"", "duplicate-source", 4),
        ("path = \"lib\"\n[local-dependencies.p]\npath = \"lib\"", "key-in-both-tables", 4),
    ] {
        let (told, errors) = errors_of(entry);
        assert_eq!(errors, [(code.to_owned(), Some(line))], "{entry}");
        assert!(!told.items().is_empty(), "{entry}");
    }
    let (_, errors) = errors_of("skills = []");
    assert_eq!(errors[0], ("no-source".to_owned(), Some(2)));
    let said = errors_of("path = \"lib\"\nskils = []").0;
    assert_eq!(said.finding("unknown-key").fix.as_deref(), Some("did you mean `skills`?"));
}

#[test]
fn a4_the_order_of_modes_in_a_conflict() {
    let mode =
        |entry: &str| errors_of(&format!("path = \"lib\"\n{entry}")).0.project.manifest.dependencies[0].filter.clone();
    assert_eq!(mode("only_agents = true\nonly_skills = true"), Filter::OnlySkills);
    assert_eq!(mode("only_agents = true\nskills = [\"a\"]"), Filter::OnlyAgents);
    assert_eq!(
        mode("exclude = [\"a\"]\nskills = [\"a\"]"),
        Filter::Include { agents: vec![], skills: vec!["a".into()] }
    );
}

#[test]
fn a4_a_conflict_in_a_package_is_a_warning() {
    let disk =
        package(&[("mars.toml", &format!("{PACKAGE}[dependencies.q]\npath = \"../q\"\nskills = []\nexclude = []\n"))]);
    disk.write("q/agents/b.md", AGENT);
    let found = disk.read("");
    let found = found.finding("filter-conflict");
    assert_eq!((found.severity, &*found.path, found.line), (Severity::Warning, "lib/mars.toml", Some(4)));
}

#[test]
fn a4_one_key_with_two_sources() {
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.p]\npath = \"lib\"\n[dependencies.q]\nurl = \"https://github.com/o/q\"\n"),
        ("lib/mars.toml", &format!("{PACKAGE}[dependencies.q]\nurl = \"git@github.com:other/q.git\"\n")),
    ]);
    let told = disk.read("");
    let found = told.finding("conflicting-source");
    assert_eq!((&*found.path, found.line), ("lib/mars.toml", Some(4)));
    assert!(found.message.contains("github.com/other/q") && found.message.contains("mars.toml:3"), "{}", found.message);
}

#[test]
fn a8_an_empty_file_is_an_empty_project() {
    for text in ["", "# only a comment\n"] {
        let disk = Disk::with(&[("mars.toml", text)]);
        let told = disk.read("");
        assert!(told.items().is_empty() && told.findings.is_empty());
    }
}

#[test]
fn a8_broken_toml_says_where_and_ends_nothing() {
    let disk = Disk::with(&[("mars.toml", "[dependencies.p]\npath = lib\n")]);
    let told = disk.read("");
    let found = told.finding("broken-toml");
    assert_eq!((&*found.path, found.line, found.severity), ("mars.toml", Some(2), Severity::Error));
    let disk = package(&[("mars.toml", "[package\n"), ("agents/a.md", AGENT)]);
    let told = disk.read("");
    assert_eq!(told.items(), ["p:A:a"]);
    assert_eq!(told.finding("broken-toml").path, "lib/mars.toml");
}

#[test]
fn a8_the_project_itself_is_the_root_and_no_second_copy() {
    let disk = Disk::with(&[
        ("mars.toml", &format!("{PACKAGE}[dependencies.p]\npath = \"lib\"\n")),
        ("agents/mine.md", AGENT),
        ("skills/s/SKILL.md", SKILL),
        ("lib/mars.toml", &format!("{PACKAGE}[dependencies.me]\npath = \"..\"\n")),
        ("lib/lib/agents/x.md", AGENT),
        ("lib/agents/a.md", "---\nskills: [s]\n---\n"),
    ]);
    let told = disk.read("");
    let whole = super::notation::items(&told.selection);
    assert_eq!(whole, ["-:A:mine <- you, p", "-:S:s <- you, p, p/a", "p:A:a <- you"]);
}

#[test]
fn a8_a_package_that_relies_on_its_local_dependencies_is_told() {
    let disk = Disk::with(&[
        ("mars.toml", &format!("{PACKAGE}[local-dependencies.p]\npath = \"lib\"\n")),
        ("agents/mine.md", "---\nname: mine\nskills: [s]\n---\n"),
        ("lib/skills/s/SKILL.md", SKILL),
    ]);
    let told = disk.read("");
    assert_eq!(told.items(), ["-:A:mine", "p:S:s"]);
    let found = told.finding("relies-on-local");
    assert_eq!((found.severity, &*found.path, found.line), (Severity::Error, "agents/mine.md", Some(3)));
}

#[test]
fn b1_items_come_by_kind_then_slug() {
    let disk = package(&[
        ("hooks/a/hook.toml", ""),
        ("bootstrap/b/BOOTSTRAP.md", ""),
        ("skills/z/SKILL.md", SKILL),
        ("skills/c/SKILL.md", SKILL),
        ("agents/z.md", AGENT),
        ("agents/B.md", AGENT),
    ]);
    assert_eq!(disk.read("").items(), ["p:A:B", "p:A:z", "p:S:c", "p:S:z", "p:B:b", "p:H:a"]);
}

#[test]
fn b1_one_slug_at_two_paths_is_an_error_that_hides_nothing() {
    let disk =
        package(&[("x/skills/s/SKILL.md", SKILL), ("y/skills/s/SKILL.md", SKILL), ("y/skills/t/SKILL.md", SKILL)]);
    let told = disk.read("");
    assert_eq!(told.items(), ["p:S:s", "p:S:t"]);
    assert_eq!(told.finding("collision").path, "lib/y/skills/s/SKILL.md");
    assert_eq!(told.project.packages[0].contents.others[0].path.as_ref(), "y/skills/s");
}

#[test]
fn b1_servers_are_listed_and_not_selected() {
    let disk = package(&[("mcp/m/mcp.toml", "name = \"box\"\ncommand = \"x\"\n"), ("agents/a.md", AGENT)]);
    let told = disk.read("");
    assert_eq!(told.items(), ["p:A:a"]);
    assert_eq!(told.project.packages[0].contents.others[0].kind, Kind::McpServer);
    assert!(told.finding("mcp-server").message.contains("`box`"));
}

#[test]
fn b1_plugin_manifests_add_items() {
    let disk = package(&[
        (
            ".claude-plugin/plugin.json",
            r#"{"skills": ["./extra/one", "./extra", "no-dot", "./../out", "./gone"], "agents": {"path": "./who/x.md"}}"#,
        ),
        ("extra/one/SKILL.md", SKILL),
        ("extra/two/SKILL.md", SKILL),
        ("who/x.md", AGENT),
        ("agents/a.md", AGENT),
    ]);
    let told = disk.read("");
    assert_eq!(told.items(), ["p:A:a", "p:A:x", "p:S:one", "p:S:two"]);
    let wrong = told.findings.iter().filter(|found| found.code == "plugin").count();
    assert_eq!(wrong, 2, "one leaves the package, one is not there");
    disk.write("lib/mars.toml", PACKAGE);
    assert_eq!(disk.read("").items(), ["p:A:a"], "a mars.toml makes them void");
}

#[test]
fn b1_a_plugin_that_is_elsewhere_or_nowhere_is_told() {
    for (plugin, said) in [("far", "not a folder of this one"), ("none", "there are: far")] {
        let disk = Disk::with(&[
            ("mars.toml", &format!("[dependencies.p]\npath = \"lib\"\nplugin = \"{plugin}\"\n")),
            ("lib/.claude-plugin/marketplace.json", r#"{"plugins": [{"name": "far", "source": {"repo": "o/r"}}]}"#),
        ]);
        let told = disk.read("");
        assert!(told.finding("plugin").message.contains(said), "{}", told.finding("plugin").message);
    }
}

#[test]
fn b1_one_plugin_of_a_marketplace() {
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.\"shop/one\"]\npath = \"lib\"\nplugin = \"one\"\n"),
        (
            "lib/.claude-plugin/marketplace.json",
            r#"{"plugins": [{"name": "one", "source": "./plugins/one"}, {"name": "two", "source": "./plugins/two"}]}"#,
        ),
        ("lib/plugins/one/.claude-plugin/plugin.json", r#"{"agents": ["./who/x.md"]}"#),
        ("lib/plugins/one/agents/dropped.md", AGENT),
        ("lib/plugins/one/who/x.md", AGENT),
        ("lib/plugins/one/skills/s/SKILL.md", SKILL),
        ("lib/plugins/two/skills/t/SKILL.md", SKILL),
    ]);
    assert_eq!(disk.read("").items(), ["shop/one:A:x", "shop/one:S:s"]);
}

const COMMIT: &str = "8e15ccee9faf71d43009574facdb4e6518ad7d57";

#[test]
fn c2_an_archive_is_found_under_the_url_as_written() {
    for (entry, cached) in [
        ("https://github.com/o/r", "https://github.com/o/r"),
        ("https://github.com/o/r", "https://github.com/o/r.git"),
        ("https://github.com/o/r.git", "https://github.com/o/r"),
        ("github.com/o/r", "https://github.com/o/r"),
        ("git@github.com:o/r.git", "https://github.com/o/r"),
    ] {
        let name = dagwood::selection::source::component(&format!("{cached}@{COMMIT}"));
        let disk = Disk::with(&[
            ("mars.toml", &format!("[dependencies.p]\nurl = \"{entry}\"\n")),
            (
                "mars.lock",
                &format!(
                    "version = 3\n[dependencies.p]\nurl = \"github.com/o/r\"\nversion = \"v1.0.0\"\ncommit = \"{COMMIT}\"\n"
                ),
            ),
            (&format!("cache/archives/{name}/skills/s/SKILL.md"), SKILL),
        ]);
        let told = disk.read("");
        assert_eq!(told.items(), ["p:S:s"], "{entry} cached as {cached}");
        assert_eq!(told.project.packages[0].read_version(), Some("v1.0.0"));
    }
}

#[test]
fn c2_another_manifests_url_may_find_it_later() {
    let name = dagwood::selection::source::component(&format!("https://github.com/fork/r@{COMMIT}"));
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.r]\nurl = \"https://github.com/o/r\"\n[dependencies.p]\npath = \"p\"\n"),
        ("mars.lock", &format!("version = 2\n[dependencies.r]\ncommit = \"{COMMIT}\"\n")),
        ("p/mars.toml", &format!("{PACKAGE}[dependencies.r]\nurl = \"https://github.com/fork/r\"\n")),
        (&format!("cache/archives/{name}/skills/s/SKILL.md"), SKILL),
    ]);
    assert_eq!(disk.read("").items(), ["r:S:s"]);
}

#[test]
fn c2_a_clone_is_read_at_the_locked_commit() {
    let disk = Disk::with(&[("mars.toml", "[dependencies.p]\nurl = \"git@example.org:o/r.git\"\nsubpath = \"sub\"\n")]);
    let clone = format!("cache/git/{}", dagwood::selection::source::component("example.org/o/r"));
    disk.write(&format!("{clone}/sub/skills/old/SKILL.md"), SKILL);
    disk.write(
        &format!("{clone}/sub/mars.toml"),
        &format!("{PACKAGE}[dependencies.q]\npath = \"../other\"\n[dependencies.out]\npath = \"../../x\"\n"),
    );
    disk.write(&format!("{clone}/other/agents/a.md"), AGENT);
    let commit = disk.commit(&clone);
    disk.write(&format!("{clone}/sub/skills/new/SKILL.md"), SKILL);
    git(&disk.path().join(&clone), &["rm", "-q", "-r", "sub/skills/old"]);
    let newer = disk.commit(&clone);
    disk.write("mars.lock", &format!("version = 3\n[dependencies.p]\ncommit = \"{commit}\"\n"));
    let told = disk.read("");
    assert_eq!(told.items(), ["p:S:old", "q:A:a"], "whatever is checked out");
    assert!(
        matches!(&told.project.package("out").unwrap().location, Location::Nowhere(looked) if looked[0].why.contains("leads out"))
    );
    std::fs::remove_file(disk.path().join("mars.lock")).unwrap();
    let told = disk.read("");
    assert_eq!(told.items(), ["p:S:new", "q:A:a"]);
    let Location::At { how: How::GitHead, commit, .. } = &told.project.packages[0].location else { panic!() };
    assert_eq!(commit.as_deref(), Some(&*newer));
    disk.write("mars.lock", &format!("version = 3\n[dependencies.p]\ncommit = \"{COMMIT}\"\n"));
    assert!(disk.read("").items().is_empty(), "a commit the clone does not hold");
    disk.write("mars.lock", "version = 3\n[dependencies.p]\ncommit = \"--help\"\n");
    assert!(disk.read("").items().is_empty(), "only commits are handed to git");
}

#[test]
fn c2_a_clone_whose_trees_hold_each_other_many_times_over_is_told() {
    use std::io::Write;
    let disk = Disk::with(&[("mars.toml", "[dependencies.p]\nurl = \"git@example.org:o/r.git\"\n")]);
    let clone = format!("cache/git/{}", dagwood::selection::source::component("example.org/o/r"));
    disk.write(&format!("{clone}/x"), "");
    disk.commit(&clone);
    let at = disk.path().join(&clone);
    let tree = |entries: String| {
        let mut git = std::process::Command::new("git");
        git.args(["mktree"]).current_dir(&at).stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
        let mut child = git.spawn().unwrap();
        child.stdin.take().unwrap().write_all(entries.as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
    };
    // ten times itself, twelve times over: a million times a million files
    let blob = git(&at, &["rev-parse", "HEAD:x"]).trim().to_owned();
    let mut top = tree((0..10).map(|nth| format!("100644 blob {blob}\t{nth}\n")).collect());
    for _ in 0..11 {
        top = tree((0..10).map(|nth| format!("040000 tree {top}\t{nth}\n")).collect());
    }
    let who = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    let commit = git(&at, &[&who[..], &["commit-tree", "-m", "bomb", &top]].concat()).trim().to_owned();
    disk.write("mars.lock", &format!("version = 3\n[dependencies.p]\ncommit = \"{commit}\"\n"));
    let told = disk.read("");
    let message = &told.finding("package-not-found").message;
    assert!(message.contains("holds more than 1000000 names"), "{message}");
}

#[test]
fn c3_the_staging_copy_comes_last() {
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.\"a/b\"]\nurl = \"https://github.com/o/r\"\n"),
        (".mars/staging/a/b/claude/skills/s/SKILL.md", SKILL),
    ]);
    let told = disk.read("");
    assert_eq!(told.items(), ["a/b:S:s"]);
    assert!(matches!(told.project.packages[0].location, Location::At { how: How::Staging, .. }));
}

#[test]
fn a8_a_cached_package_may_not_lead_out_of_its_source() {
    let name = dagwood::selection::source::component(&format!("https://github.com/o/r@{COMMIT}"));
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.p]\nurl = \"https://github.com/o/r\"\n"),
        ("mars.lock", &format!("version = 3\n[dependencies.p]\ncommit = \"{COMMIT}\"\n")),
        (
            &format!("cache/archives/{name}/mars.toml"),
            &item(&format!(
                "{PACKAGE}[dependencies.q]; path = '../../secret'; [dependencies.abs]; path = '/tmp'; [dependencies.ok]; path = 'in'"
            )),
        ),
        (&format!("cache/archives/{name}/in/skills/s/SKILL.md"), SKILL),
        ("cache/secret/skills/x/SKILL.md", SKILL),
    ]);
    assert_eq!(disk.read("").items(), ["p:S:s", "ok:S:s"], "only what lies inside");
}

/// A skill that lies outside of a package, and a link to its folder in it.
#[cfg(unix)]
fn link_out(disk: &Disk, link: &str) {
    disk.write("outside/skills/secret/SKILL.md", SKILL);
    disk.write("outside/agents/secret.md", AGENT);
    let link = disk.path().join(link);
    std::fs::create_dir_all(link.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(disk.path().join("outside"), link).unwrap();
}

#[cfg(unix)]
#[test]
fn p3_a_subpath_does_not_lead_through_a_link() {
    for subpath in ["out", "out/skills", "in/out"] {
        let disk = Disk::with(&[
            ("mars.toml", &format!("[dependencies.p]\npath = \"lib\"\nsubpath = \"{subpath}\"\n")),
            ("lib/skills/s/SKILL.md", SKILL),
        ]);
        link_out(&disk, "lib/out");
        link_out(&disk, "lib/in/out");
        let told = disk.read("");
        assert!(told.items().is_empty(), "{subpath}");
        assert!(told.finding("package-not-found").message.contains("no such folder"));
    }
}

#[cfg(unix)]
#[test]
fn a8_a_cached_package_is_not_led_out_of_its_source_by_a_link() {
    let name = dagwood::selection::source::component(&format!("https://github.com/o/r@{COMMIT}"));
    let archive = format!("cache/archives/{name}");
    let disk = Disk::with(&[
        (
            "mars.toml",
            "[dependencies.p]\nurl = \"https://github.com/o/r\"\n[dependencies.sub]\nurl = \"https://github.com/o/r\"\nsubpath = 'out'\n",
        ),
        ("mars.lock", &format!("version = 3\n[dependencies]\np.commit = \"{COMMIT}\"\nsub.commit = \"{COMMIT}\"\n")),
        (
            &format!("{archive}/mars.toml"),
            &item(&format!("{PACKAGE}[dependencies.q]; path = 'out'; [dependencies.r]; path = 'out/skills'")),
        ),
        (&format!("{archive}/skills/s/SKILL.md"), SKILL),
    ]);
    link_out(&disk, &format!("{archive}/out"));
    assert_eq!(disk.read("").items(), ["p:S:s"]);
}

#[cfg(unix)]
#[test]
fn b1_plugin_manifests_do_not_lead_through_links() {
    let disk = package(&[
        (
            ".claude-plugin/plugin.json",
            r#"{"skills": ["./out/skills", "./out/skills/secret", "./one"], "agents": ["./out/agents", "./out/agents/secret.md", "./link.md"]}"#,
        ),
        ("one/SKILL.md", SKILL),
    ]);
    link_out(&disk, "lib/out");
    std::os::unix::fs::symlink("out/agents/secret.md", disk.path().join("lib/link.md")).unwrap();
    let told = disk.read("");
    assert_eq!(told.items(), ["p:S:one"]);
    assert_eq!(told.findings.iter().filter(|found| found.code == "plugin").count(), 5);
    let market = Disk::with(&[
        ("mars.toml", "[dependencies.p]\npath = \"lib\"\nplugin = \"one\"\n"),
        ("lib/.claude-plugin/marketplace.json", r#"{"plugins": [{"name": "one", "source": "./out"}]}"#),
    ]);
    link_out(&market, "lib/out");
    let told = market.read("");
    assert!(told.items().is_empty());
    assert!(told.finding("plugin").message.contains("is not there"));
}

#[cfg(unix)]
#[test]
fn c3_a_staging_copy_lies_in_the_project() {
    for (key, link) in [("p", ".mars/staging/p"), ("p", ".mars/staging/p/claude"), ("p", ".mars/staging")] {
        let disk =
            Disk::with(&[("mars.toml", &format!("[dependencies.\"{key}\"]\nurl = \"https://github.com/o/r\"\n"))]);
        link_out(&disk, link);
        disk.write("outside/p/claude/skills/secret/SKILL.md", SKILL);
        assert!(disk.read("").items().is_empty(), "{link}");
    }
    for key in ["../../outside", "..", "/", "a/../../../outside"] {
        let disk = Disk::with(&[
            ("mars.toml", &format!("[dependencies.\"{key}\"]\nurl = \"https://github.com/o/r\"\n")),
            (".mars/staging/a/x", ""),
            ("outside/skills/secret/SKILL.md", SKILL),
        ]);
        assert!(disk.read("").items().is_empty(), "{key}");
    }
}

#[test]
fn a8_a_file_that_no_one_writes_is_not_read() {
    let disk = package(&[("mars.toml", PACKAGE), ("agents/a.md", AGENT)]);
    for file in ["lib/mars.toml", "mars.lock", "mars.local.toml"] {
        disk.write(file, "");
        let long = std::fs::File::options().write(true).open(disk.path().join(file)).unwrap();
        long.set_len(100 << 20).unwrap();
        let told = disk.read("");
        assert!(told.finding("unreadable").message.contains("MiB, the most that is read here"), "{file}");
        assert_eq!(told.items(), ["p:A:a"], "{file}: the rest goes on");
        std::fs::remove_file(disk.path().join(file)).unwrap();
    }
}

fn opinion(disk: &Disk) -> Vec<&'static str> {
    let told = disk.read("");
    let mut codes: Vec<&str> = differences(&told.project, &told.selection).iter().map(Difference::code).collect();
    codes.sort_unstable();
    codes
}

#[test]
fn g1_the_lock_is_a_second_opinion() {
    let disk =
        package(&[("mars.toml", PACKAGE), ("agents/a.md", AGENT), ("agents/new.md", AGENT), ("hooks/h/hook.toml", "")]);
    disk.write("mars.toml", "[dependencies.p]\npath = \"lib\"\nversion = \"^1\"\n[dependencies.p.rename]\n\"agents/a.md\" = \"agents/b.md\"\n");
    assert!(opinion(&disk).is_empty(), "no lock, no opinion");
    let entry = |key: &str, source: &str| {
        format!("[items.\"{key}\"]\nsource = \"{source}\"\nkind = \"{}\"\n", key.split('/').next().unwrap())
    };
    disk.write("mars.lock", &format!(
        "version = 3\n[dependencies.p]\npath = \"lib\"\nversion = \"v2.0.0\"\n[dependencies.gone]\nurl = \"x\"\n{}{}{}",
        entry("agent/b", "moved"), entry("skill/old", "p"),
        "[items.\"skill/dying\"]\nsource = \"p\"\nkind = \"skill\"\n[[items.\"skill/dying\".outputs]]\nstate = \"pending-deletion\"\n"
    ));
    assert_eq!(
        opinion(&disk),
        ["another-package", "another-version", "lock-only", "not-allowed", "not-in-lock", "package-lock-only"]
    );
    let told = disk.read("");
    assert_eq!(told.codes(Severity::Warning), ["lock-not-allowed"]);
    assert_eq!(told.finding("lock-not-allowed").line, Some(1));
}

#[test]
fn g1_a_broken_lock_is_a_finding() {
    let disk = package(&[("agents/a.md", AGENT)]);
    disk.write("mars.lock", "version = 2\n<<<<<<< HEAD\n");
    let told = disk.read("");
    assert_eq!(told.items(), ["p:A:a"]);
    let found = told.finding("broken-toml");
    assert_eq!((&*found.path, found.line), ("mars.lock", Some(2)));
}

#[test]
fn g5_filters_that_do_nothing_are_told() {
    let disk = Disk::with(&[
        (
            "mars.toml",
            "[dependencies.p]\npath = \"lib\"\nskills = [\n  \"real\",\n  \"reel\",\n]\n[dependencies.q]\npath = \"q\"\nexclude = []\n[dependencies.r]\npath = \"r\"\nagents = []\n",
        ),
        ("lib/skills/real/SKILL.md", SKILL),
        ("q/skills/x/SKILL.md", SKILL),
        ("r/agents/y.md", AGENT),
    ]);
    let told = disk.read("");
    let idle = told.finding("idle-filter-name");
    assert_eq!(
        (idle.severity, idle.line, idle.fix.as_deref()),
        (Severity::Warning, Some(5), Some("did you mean `real`?"))
    );
    assert_eq!(told.finding("empty-exclude").line, Some(9));
    assert_eq!(
        (told.finding("empty-include").line, told.finding("empty-include").severity),
        (Some(12), Severity::Note)
    );
}

#[test]
fn b4_items_of_your_own_package_have_a_name_and_a_description() {
    let disk = Disk::with(&[
        ("mars.toml", PACKAGE),
        ("agents/good.md", "---\nname: good\ndescription: d\n---\n"),
        ("agents/bare.md", "Text.\n"),
        ("skills/s/SKILL.md", "---\nname: other\ndescription: d\n---\n"),
        ("agents/broken.md", "---\nname: [\n---\n"),
    ]);
    let told = disk.read("");
    let found: Vec<(&str, &str)> = told.findings.iter().map(|found| (&*found.code, &*found.path)).collect();
    assert_eq!(
        found,
        [
            ("no-description", "agents/bare.md"),
            ("no-name", "agents/bare.md"),
            ("front-matter", "agents/broken.md"),
            ("another-name", "skills/s/SKILL.md"),
        ]
    );
}

#[cfg(unix)]
#[test]
fn a1_what_is_no_file_is_never_waited_for() {
    let disk = package(&[("agents/a.md", AGENT)]);
    for pipe in ["mars.lock", "mars.local.toml", "lib/mars.toml", "lib/agents/p.md"] {
        assert!(std::process::Command::new("mkfifo").arg(disk.path().join(pipe)).status().unwrap().success());
    }
    let told = disk.read("");
    assert_eq!(told.items(), ["p:A:a"]);
    assert_eq!(told.codes(Severity::Error), ["unreadable", "unreadable"]);
}

#[test]
fn a4_two_keys_for_one_folder_are_one_source_wherever_they_are_written() {
    let disk = Disk::with(&[
        ("mars.toml", "[dependencies.p]\npath = \"lib\"\n[dependencies.one]\npath = \"deps/../x\"\n"),
        ("deps/readme", ""),
        ("lib/mars.toml", &format!("{PACKAGE}[dependencies.two]\npath = \"../x\"\n")),
        ("x/skills/s/SKILL.md", SKILL),
    ]);
    let told = disk.read("");
    let found = told.finding("duplicate-source");
    assert_eq!((&*found.path, found.line), ("lib/mars.toml", Some(4)));
    assert!(found.message.contains("`one` and `two`"), "{}", found.message);
    assert_eq!(told.project.item(Some("one"), Kind::Skill, "s").unwrap().file, "x/skills/s/SKILL.md");
}

#[cfg(unix)]
#[test]
fn p1_a_path_through_a_link_goes_where_the_system_goes() {
    let disk = Disk::with(&[
        ("here/mars.toml", "[dependencies.p]\npath = \"link/../p\"\n"),
        ("far/away/readme", ""),
        ("far/p/agents/right.md", AGENT),
        ("here/p/agents/wrong.md", AGENT),
    ]);
    std::os::unix::fs::symlink("../far/away", disk.path().join("here/link")).unwrap();
    assert_eq!(disk.read("here").items(), ["p:A:right"]);
}
