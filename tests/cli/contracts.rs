//! `dagwood contract`, run.

use serde_json::{Value, json};

use super::here::Here;

fn contract(id: &str, more: &str) -> String {
    format!(
        "---\nschema: context/v1\nid: {id}\nkind: context\ntitle: T {id}\ndescription: About {id}.\nstatus: active\n\
         scope: subtree\nproviders: [\"*\"]\naudience: [human, agent]\ncomposition: extend\norder: 100\n{more}---\n\n# {id}\n"
    )
}

/// A layer with a documented, an exempt, an owed and a broken directory.
fn four() -> Here {
    let lifts = contract("ai.repo.skills", "children:\n  require_contract: false\n");
    Here::with(&[
        (".ai/README.md", &contract("ai.layer", "")),
        (".ai/repo/README.md", &contract("ai.repo", "")),
        (".ai/repo/ci/gates.yaml", "x: 1\n"),
        (".ai/repo/skills/README.md", &lifts),
        (".ai/repo/skills/one/SKILL.md", "---\nname: one\n---\n"),
        (".ai/repo/torn/README.md", "---\nid: [\n---\n"),
        (".ai/repo/torn/x", "x\n"),
    ])
}

fn states(answer: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let views = answer["directories"].as_array().unwrap().iter();
    views.map(|view| (text(&view["path"]), text(&view["state"]))).collect()
}

#[test]
fn list_tells_every_directory_in_columns() {
    let here = four();
    insta::assert_snapshot!(here.text(&["contract", "list"]), @r#"
    ● documented .ai                  ai.layer
    ● documented .ai/repo             ai.repo
    ○ owed       .ai/repo/ci
    ● documented .ai/repo/skills      ai.repo.skills
    ◌ exempt     .ai/repo/skills/one  not required by .ai/repo/skills/README.md
    ✗ broken     .ai/repo/torn        its contract is broken
    6 directories: 3 documented, 1 exempt, 2 owed (1 broken)
    1 finding in the documents; `dagwood contract validate` reports all there is
    "#);
    let owed = here.text(&["contract", "list", "--state", "owed"]);
    assert!(owed.contains(".ai/repo/ci") && !owed.contains("skills"), "{owed}");
}

#[test]
fn what_is_exempted_is_not_said_to_be_required_as_well() {
    let said = |requires: &str, exempts: &str| {
        let here = Here::with(&[(".ai/repo/ci/a.txt", "a")]);
        let says = format!("children:\n{requires}  exempt: [.ai/repo/ci]\n");
        let exempts = if exempts.is_empty() { says } else { exempts.to_owned() };
        here.write(".ai/README.md", contract("ai.layer", &exempts));
        let said = here.text(&["contract", "explain", ".ai/repo/ci"]);
        said.lines().take(2).map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    let exempt = ".ai/repo/ci  ◌ exempt\n  exempted by .ai/README.md";
    assert_eq!(
        said("", ""),
        format!("{exempt}; without that it would need one: nothing at or above it says otherwise")
    );
    assert_eq!(
        said("  require_contract: true\n", ""),
        format!("{exempt}; without that it would need one: .ai/README.md requires it")
    );
    assert_eq!(said("  require_contract: false\n", ""), format!("{exempt}; none is required anyway, by .ai/README.md"));
    let lifted = ".ai/repo/ci  ◌ exempt\n  no contract is required, by .ai/README.md";
    assert_eq!(said("", "children:\n  require_contract: false\n"), lifted);
}

#[test]
fn list_of_one_tells_its_chain() {
    insta::assert_snapshot!(four().text(&["contract", "list", "--path", ".ai/repo/ci"]), @r#"
    ○ owed       .ai/repo/ci
         0   100  ai.layer  an ancestor (scope subtree)  .ai/README.md
         1   100  ai.repo  an ancestor (scope subtree)  .ai/repo/README.md
    6 directories: 3 documented, 1 exempt, 2 owed (1 broken)
    1 finding in the documents; `dagwood contract validate` reports all there is
    "#);
}

#[test]
fn no_layer_is_an_empty_answer_and_says_how_to_begin() {
    let here = Here::new();
    insta::assert_snapshot!(here.text(&["contract", "list"]), @r#"
    no layer here (no folder .ai): `dagwood contract fix .ai` begins one
    "#);
    let answer = here.json(&["contract", "list"]);
    assert_eq!(answer["tallies"], json!({"directories": 0, "documented": 0, "exempt": 0, "owed": 0}));
    assert_eq!(here.json(&["contract", "validate"]), json!({"findings": []}));
}

#[test]
fn the_layer_is_found_from_below_and_named_by_hand() {
    let here = four();
    let below = here.command(".ai/repo/ci").args(["contract", "list", "--json"]).output().unwrap();
    let answer: Value = serde_json::from_slice(&below.stdout).unwrap();
    assert_eq!(answer["root"], ".ai");
    here.write("notes/README.md", contract("notes", ""));
    let named = here.json(&["contract", "list", "--layer", "notes"]);
    assert_eq!((&named["root"], &named["tallies"]["documented"]), (&json!("notes"), &json!(1)));
}

#[test]
fn refusals_have_their_codes_and_statuses() {
    let here = four();
    let (status, error) = here.refused(&["contract", "list", "--path", "docs"]);
    assert_eq!((status, &error["code"]), (2, &json!("invalid_input")));
    let (status, error) = here.refused(&["contract", "list", "--path", ".ai/repo/skils/deeper"]);
    assert_eq!((status, &error["code"]), (1, &json!("not_found")));
    assert_eq!(error["similar"], json!([".ai/repo/skills"]));
    let (status, error) = here.refused(&["contract", "list", "--state", "broken"]);
    assert_eq!((status, &error["code"]), (2, &json!("invalid_input")));
}

#[test]
fn every_verb_names_the_directory_that_may_have_been_meant() {
    let here = four();
    for (verb, given) in [
        (&["fix"][..], "skils"),
        (&["fix"], ".ai/repo/skils"),
        (&["fix", "--how", "exempt"], "repo/skils"),
        (&["fix", "--how", "lift"], "nowhere/skills"),
        (&["list", "--path"], "skils"),
        (&["list", "--path"], ".ai/skils"),
        (&["explain"], ".ai/repo/skils"),
        (&["repair"], "tornn"),
        (&["repair"], ".ai/repo/tornn"),
    ] {
        let meant = if verb == ["repair"] { ".ai/repo/torn/README.md" } else { ".ai/repo/skills" };
        let (_, error) = here.refused(&[&["contract"], verb, &[given]].concat());
        assert_eq!(error["similar"], json!([meant]), "{verb:?} {given}");
        let said = error["message"].as_str().unwrap();
        assert!(said.contains(&format!("did you mean `{meant}`?")), "{verb:?} {given}: {said}");
    }
    // what lies outside may be asked about, and is only near to something where nothing is there
    let told = here.json(&["contract", "explain", "skils"]);
    assert_eq!(told["similar"], json!([".ai/repo/skills"]));
    assert!(here.text(&["contract", "explain", "skils"]).contains("did you mean `.ai/repo/skills`?"));
    here.write("skils", "");
    assert_eq!(here.json(&["contract", "explain", "skils"])["similar"], json!(null));
    let (_, error) = here.refused(&["contract", "fix", "nothing-like-it"]);
    assert_eq!((&error["code"], &error["similar"]), (&json!("outside_layer"), &json!([])));
}

#[test]
fn the_files_that_git_tracks_count() {
    let here = four();
    here.track();
    here.write(".ai/repo/ignored/x", "x\n");
    let answer = here.json(&["contract", "list"]);
    assert!(!states(&answer).iter().any(|(path, _)| path == ".ai/repo/ignored"));
    // a README.md that was just written counts at once, and is marked
    here.write(".ai/repo/ci/README.md", contract("ai.repo.ci", ""));
    let answer = here.json(&["contract", "list", "--path", ".ai/repo/ci"]);
    assert_eq!(answer["directories"][0]["state"], "documented");
    assert_eq!(answer["directories"][0]["contract"]["new"], true);
    assert_eq!(answer["directories"][0]["objects"], 2);
    let said = String::from_utf8(here.run(&["contract", "validate"]).stdout).unwrap();
    assert!(said.contains("untracked-contract"), "{said}");
}

#[test]
fn a_layer_that_git_ignores_is_read_from_the_disk() {
    let here = Here::with(&[("kept", "x")]);
    here.track();
    here.write(".ai/README.md", contract("ai.layer", ""));
    let answer = here.json(&["contract", "list"]);
    assert_eq!(answer["tallies"]["documented"], 1);
    assert_eq!(answer["findings"][0]["code"], "untracked-layer");
}

#[test]
fn git_that_refuses_is_a_finding_and_never_the_disk() {
    let here = four();
    here.track();
    here.write(".git/HEAD", "broken");
    let answer = here.json(&["contract", "list"]);
    assert_eq!(answer["tallies"]["directories"], 0);
    assert_eq!(answer["findings"][0]["code"], "git-refused");
    assert_eq!(here.run(&["contract", "validate"]).status.code(), Some(1));
}

#[test]
fn a_conflicted_path_counts_once_and_a_missing_readme_for_nothing() {
    let here = four();
    here.track();
    here.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]);
    here.git(&["checkout", "-qb", "other"]);
    here.write(".ai/repo/ci/gates.yaml", "x: 2\n");
    here.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "two"]);
    here.git(&["checkout", "-q", "main"]);
    here.write(".ai/repo/ci/gates.yaml", "x: 3\n");
    here.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qam", "three"]);
    here.command("").output().unwrap();
    let merged = std::process::Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@b", "merge", "-q", "other"])
        .current_dir(here.path())
        .output()
        .unwrap();
    assert!(!merged.status.success());
    std::fs::remove_file(here.path().join(".ai/repo/README.md")).unwrap();
    let answer = here.json(&["contract", "list"]);
    let views = answer["directories"].as_array().unwrap();
    let view = |path: &str| views.iter().find(|view| view["path"] == path).unwrap();
    assert_eq!(view(".ai/repo/ci")["objects"], 1);
    assert_eq!(view(".ai/repo")["state"], "owed");
    let gone = answer["findings"].as_array().unwrap().iter().find(|found| found["path"] == ".ai/repo/README.md");
    assert!(gone.unwrap()["message"].as_str().unwrap().contains("gone from the disk"));
}

#[cfg(unix)]
#[test]
fn links_are_never_followed_and_are_told() {
    use std::os::unix::fs::symlink;
    for tracked in [false, true] {
        let here = four();
        symlink(".ai", here.path().join(".ai/repo/loop")).unwrap();
        symlink("../README.md", here.path().join(".ai/repo/ci/README.md")).unwrap();
        if tracked {
            here.track();
        }
        let answer = here.json(&["contract", "list"]);
        assert_eq!(states(&answer).len(), 6, "{tracked}");
        let refused: Vec<&Value> =
            answer["findings"].as_array().unwrap().iter().filter(|found| found["code"] == "refused-path").collect();
        assert_eq!(refused.len(), 2, "{tracked}");
        let (_, error) = here.refused(&["contract", "fix", ".ai/repo/ci"]);
        assert_eq!(error["code"], "symbolic_link", "{tracked}");
    }
}

#[cfg(unix)]
#[test]
fn no_path_in_paths_or_exempt_leads_out_of_the_layer() {
    let here = Here::with(&[(".ai/README.md", &contract("ai.layer", "")), (".ai/repo/x/a.txt", "")]);
    let outside = here.path().parent().unwrap().join("outside");
    std::fs::create_dir_all(outside.join("sub")).unwrap();
    std::fs::write(outside.join("README.md"), contract("ai.secret", "")).unwrap();
    std::os::unix::fs::symlink(&outside, here.path().join(".ai/link")).unwrap();
    let entries = format!(
        "[\"../outside\", \".ai/../../outside\", \"{}\", \".ai/link\", \".ai/link/sub\", \".ai/repo/x/../../../../outside\"]",
        outside.display()
    );
    let explicit = contract("ai.out", &format!("paths: {entries}\n")).replace("subtree", "explicit");
    here.write(".ai/repo/README.md", contract("ai.repo", &format!("children:\n  exempt: {entries}\n")));
    here.write(".ai/repo/out.md", explicit);
    let before: Vec<String> = listed(&outside);
    for arguments in [
        &["check"][..],
        &["contract", "list", "--effective"],
        &["contract", "validate"],
        &["contract", "explain", ".ai/repo/x", "--text"],
        &["contract", "explain", ".ai/link/sub"],
        &["contract", "explain", "../outside"],
        &["contract", "fix", "../outside/sub"],
        &["contract", "fix", ".ai/link/sub"],
        &["contract", "fix", ".ai/link"],
        &["contract", "fix", "--all", "--how", "exempt"],
        &["contract", "fix", "--all"],
        &["contract", "repair", "../outside"],
        &["contract", "repair", ".ai/link/README.md"],
    ] {
        let output = here.run(arguments);
        let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        assert!(!said.contains("ai.secret"), "{arguments:?}: {said}");
    }
    assert_eq!(listed(&outside), before);
}

/// The names in a folder.
#[cfg(unix)]
fn listed(folder: &std::path::Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.collect();
    names.sort();
    let below = std::fs::read_dir(folder.join("sub")).unwrap().map(|entry| format!("{entry:?}"));
    names.into_iter().chain(below).collect()
}

#[cfg(unix)]
#[test]
fn a_layer_root_that_is_a_link_is_a_finding() {
    let here = Here::with(&[("real/README.md", &contract("ai.layer", ""))]);
    std::os::unix::fs::symlink("real", here.path().join(".ai")).unwrap();
    let answer = here.json(&["contract", "list"]);
    assert_eq!(answer["tallies"]["directories"], 0);
    assert_eq!(answer["findings"][0]["code"], "refused-path");
}

#[cfg(unix)]
#[test]
fn a_pipe_or_folder_named_readme_is_not_opened() {
    let here = four();
    let made = std::process::Command::new("mkfifo").arg(here.path().join(".ai/repo/ci/README.md")).status().unwrap();
    assert!(made.success());
    here.write(".ai/repo/skills/one/README.md/x", "x");
    for tracked in [false, true] {
        if tracked {
            here.track();
        }
        let answer = here.json(&["contract", "list"]);
        let refused: Vec<&Value> =
            answer["findings"].as_array().unwrap().iter().filter(|found| found["code"] == "refused-path").collect();
        assert_eq!(refused.len(), 2, "{tracked}: {answer}");
    }
}

#[test]
fn a_submodule_is_a_closed_folder() {
    let here = four();
    here.track();
    here.git(&["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one"]);
    let tip = std::process::Command::new("git").args(["rev-parse", "HEAD"]).current_dir(here.path()).output().unwrap();
    let tip = String::from_utf8(tip.stdout).unwrap();
    here.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},.ai/repo/vendored", tip.trim())]);
    here.write(".ai/repo/vendored/x", "x");
    let answer = here.json(&["contract", "list"]);
    assert_eq!(answer["submodules"], json!([".ai/repo/vendored"]));
    assert_eq!(states(&answer).len(), 6);
}

#[cfg(target_os = "linux")]
#[test]
fn names_of_any_bytes_appear() {
    use std::os::unix::ffi::OsStrExt;
    for tracked in [false, true] {
        let here = four();
        for name in [&b"with space"[..], b"new\nline", "caf\u{e9}".as_bytes(), "cafe\u{301}".as_bytes(), b"latin\xe9"] {
            let folder = here.path().join(".ai/repo").join(std::ffi::OsStr::from_bytes(name));
            std::fs::create_dir(&folder).unwrap();
            std::fs::write(folder.join("x"), "x").unwrap();
        }
        if tracked {
            here.track();
        }
        let answer = here.json(&["contract", "list"]);
        let all = states(&answer);
        for path in ["with space", "new\nline", "caf\u{e9}", "cafe\u{301}", "latin%E9"] {
            assert!(all.iter().any(|(other, _)| *other == format!(".ai/repo/{path}")), "{path:?} {tracked}");
        }
        let latin = here.json(&["contract", "list", "--path", ".ai/repo/latin%E9"]);
        assert_eq!(latin["directories"][0]["path_bytes"], "2e61692f7265706f2f6c6174696ee9");
        assert!(here.text(&["contract", "list"]).contains("new\\nline"));
        let fixed = here.json(&["contract", "fix", "--all"]);
        assert_eq!(fixed["after"]["owed"], 1, "all but the broken one");
    }
}

#[test]
fn what_git_does_not_track_is_told_apart_and_owes_nothing() {
    let here = four();
    here.track();
    here.write(".gitignore", "ignored/\n");
    here.write(".ai/repo/fresh/deep/x", "x");
    here.write(".ai/repo/ignored/x", "x");
    here.write(".ai/repo/ci/other", "x");
    here.write(".ai/local/x", "x");
    let top = here.path();
    let place = dagwood::contracts::layer::find(&top, Some(&top), None).unwrap();
    let untracked = dagwood::contracts::Layer::read(&place).untracked_folders();
    assert_eq!(untracked, [".ai/repo/fresh".into(), ".ai/repo/ignored".into()]);
    assert_eq!(here.json(&["contract", "list"])["tallies"]["directories"], 6);
}

#[test]
fn a_file_of_thirty_megabytes_is_not_read_whole() {
    let here = four();
    here.write(".ai/repo/ci/big.md", "x".repeat(30 << 20));
    here.write(".ai/repo/ci/README.md", contract("ai.repo.ci", "") + &"text\n".repeat(6 << 20));
    let answer = here.json(&["contract", "list", "--path", ".ai/repo/ci"]);
    assert_eq!(answer["directories"][0]["state"], "owed");
    assert_eq!(answer["directories"][0]["objects"], 2);
    let found = answer["findings"].as_array().unwrap().iter().find(|found| found["path"] == ".ai/repo/ci/README.md");
    assert_eq!(found.unwrap()["expected"], "a contract of at most 4 MiB");
}

#[test]
fn a_block_that_is_not_closed_in_time_is_not_read_on() {
    let here = four();
    here.write(".ai/repo/ci/README.md", format!("---\n{}---\n", "a: b\n".repeat(1 << 20)));
    let answer = here.json(&["contract", "list", "--path", ".ai/repo/ci"]);
    let found = answer["findings"].as_array().unwrap().iter().find(|found| found["path"] == ".ai/repo/ci/README.md");
    assert_eq!(found.unwrap()["message"], "the front matter is not closed within 64 KiB");
}

#[test]
fn validate_tells_place_fix_and_fails_on_errors() {
    let here = four();
    let output = here.run(&["contract", "validate"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap(), @r#"
    error   .ai/repo/ci  [missing-contract] the directory has no contract, and nothing at or above it says that it needs none
            fix: dagwood contract fix .ai/repo/ci
    error   .ai/repo/torn  [missing-contract] the directory has no contract, and nothing at or above it says that it needs none
            fix: mend the broken document in it: `dagwood contract repair` with its path, or an editor
    error   .ai/repo/torn/README.md:3:1  [invalid-front-matter] not readable as YAML: while parsing a node, did not find expected node content
    3 errors, 0 warnings, 0 notes
    "#);
    let json = here.command("").args(["contract", "validate", "--format", "json"]).output().unwrap();
    let findings: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(findings["findings"].as_array().unwrap().len(), 3);
}

#[test]
fn validate_annotates_for_github() {
    let here = Here::with(&[(".ai/README.md", &contract("ai.layer", "colour: red\n"))]);
    let output = here.run(&["contract", "validate", "--format", "github"]);
    insta::assert_snapshot!(String::from_utf8(output.stdout).unwrap(), @r#"
    ::error file=.ai/README.md,line=13,col=1,title=unknown-key::unknown key `colour` (remove the line)
    "#);
}

#[test]
fn explain_tells_what_applies_what_not_and_what_would_change() {
    let here = four();
    here.write(".ai/repo/notes/README.md", contract("ai.repo.notes", "").replace("scope: subtree", "scope: directory"));
    insta::assert_snapshot!(here.text(&["contract", "explain", ".ai/repo/ci"]), @r#"
    .ai/repo/ci  ○ owed
      nothing at or above it says whether a contract is required, so one is
    What applies here
      0  100  ai.layer  .ai/README.md       an ancestor (scope subtree)
      1  100  ai.repo   .ai/repo/README.md  an ancestor (scope subtree)
    Left out
      ai.repo.notes  .ai/repo/notes/README.md  scope directory, elsewhere
    What would change its state
      write its contract: documented
      exempt it in .ai/repo/README.md: exempt
      say `require_contract: false` in .ai/repo/README.md: exempt
    "#);
    let file = here.json(&["contract", "explain", ".ai/repo/ci/gates.yaml"]);
    assert_eq!(file["path"], ".ai/repo/ci");
    assert_eq!(
        file["left_out"][0],
        json!({"id": "ai.repo.notes", "path": ".ai/repo/notes/README.md",
        "reason": "scope directory, elsewhere"})
    );
}

#[test]
fn explain_reads_as_a_provider_and_an_audience_does() {
    let here = four();
    here.write(".ai/repo/ci/README.md", contract("ai.ci", "").replace("[\"*\"]", "[a]").replace("human, ", ""));
    let ids = |arguments: &[&str]| {
        let told = here.json(&[&["contract", "explain", ".ai/repo/ci"][..], arguments].concat());
        let chain = told["effective"].as_array().unwrap().len();
        let left = told["left_out"].as_array().unwrap().iter().map(|left| left["reason"].clone()).collect::<Vec<_>>();
        (chain, left)
    };
    assert_eq!(ids(&["--provider", "a", "--audience", "agent"]), (3, vec![]));
    assert_eq!(ids(&["--provider", "b"]), (2, vec![json!("for other providers")]));
    assert_eq!(ids(&["--audience", "human"]), (2, vec![json!("for another audience")]));
}

#[test]
fn explain_composes_the_text() {
    let here = four();
    let text = here.text(&["contract", "explain", ".ai/repo/ci", "--text"]);
    assert!(text.contains("# .ai/README.md\n\n# ai.layer\n"), "{text}");
    let told = here.json(&["contract", "explain", ".ai/repo/ci", "--text"]);
    assert_eq!(told["text"]["bytes"], 21);
    assert_eq!(told["text"]["parts"][1], json!({"path": ".ai/repo/README.md", "bytes": 10, "percent": 48}));
}

#[test]
fn the_composed_text_is_made_safe_to_show_and_is_as_it_was_in_json() {
    let here = four();
    let body = "\tindented\nred \u{1b}[31m\n";
    here.write(".ai/repo/README.md", contract("ai.repo", "") + body);
    let text = here.text(&["contract", "explain", ".ai/repo/ci", "--text"]);
    assert!(text.ends_with("\n    indented\nred \\x1b[31m\n"), "{text}");
    let told = here.json(&["contract", "explain", ".ai/repo/ci", "--text"]);
    assert!(told["text"]["whole"].as_str().unwrap().ends_with(body), "{told}");
}

#[test]
fn explain_outside_the_layer_goes_by_tracks() {
    let here = four();
    here.write(".ai/repo/ci/README.md", contract("ai.ci", "tracks: [src, \"*.sh\"]\n"));
    let told = here.json(&["contract", "explain", "src/a/b.rs"]);
    assert_eq!(told["applies"].as_array().unwrap().len(), 2);
    assert_eq!(told["applies"][1]["reason"], "tracks src");
    assert_eq!(here.json(&["contract", "explain", "docs/x"])["applies"].as_array().unwrap().len(), 1);
}

#[test]
fn explain_of_what_does_not_count_says_why() {
    let here = four();
    here.track();
    here.write(".ai/repo/fresh/x", "x");
    here.write(".ai/local/x", "x");
    for (path, word) in [(".ai/repo/fresh", "git add"), (".ai/local", "never read"), (".ai/none", "no directory")] {
        let (status, error) = here.refused(&["contract", "explain", path]);
        assert_eq!((status, &error["code"]), (1, &json!("not_found")));
        assert!(error["message"].as_str().unwrap().contains(word), "{error}");
    }
}

#[test]
fn fix_shows_first_writes_then_and_is_undoable() {
    let here = four();
    insta::assert_snapshot!(here.text(&["contract", "fix", ".ai/repo/ci", "--dry-run"]), @r#"
    --- /dev/null
    +++ b/.ai/repo/ci/README.md
    @@ -0,0 +1,27 @@
    +---
    +schema: context/v1
    +id: ai.repo.ci
    +kind: context
    +title: ci
    +description: What .ai/repo/ci is for, still to be written.
    +status: active
    +scope: subtree
    +providers: ["*"]
    +audience: [human, agent]
    +composition: extend
    +order: 100
    +---
    +
    +# ci
    +
    +## Purpose
    +
    +To be written: what this directory is for, and what does not belong in it.
    +
    +## Structure
    +
    +To be written: what lies where.
    +
    +## Naming conventions
    +
    +To be written: how the files and folders in it are named.
    owed 2 -> 1, documented 3 -> 4
    nothing was written (--dry-run)
    "#);
    assert!(!here.path().join(".ai/repo/ci/README.md").exists());
    let done = here.json(&["contract", "fix", ".ai/repo/ci", "--title", "Gates: all", "--order", "-3"]);
    assert_eq!((&done["before"]["owed"], &done["after"]["owed"]), (&json!(2), &json!(1)));
    assert_eq!(done["edits"][0]["file"], ".ai/repo/ci/README.md");
    assert_eq!(done["edits"][0]["kind"], "create");
    assert_eq!(done["states"], json!([{"path": ".ai/repo/ci", "before": "owed", "after": "documented"}]));
    let written = here.read(".ai/repo/ci/README.md");
    assert!(written.contains("\ntitle: \"Gates: all\"\n") && written.contains("\norder: -3\n"), "{written}");
    let (_, error) = here.refused(&["contract", "fix", ".ai/repo/ci"]);
    assert_eq!(error["code"], "already_exists");
}

#[test]
fn fix_of_all_builds_ids_on_each_other_and_leaves_the_broken() {
    let here = four();
    here.write(".ai/repo/ci/Deep Down/x", "x");
    let done = here.json(&["contract", "fix", "--all"]);
    assert_eq!(done["after"]["owed"], 1);
    assert_eq!(done["left"], json!([{"path": ".ai/repo/torn", "why": ".ai/repo/torn/README.md is there and broken"}]));
    assert!(here.read(".ai/repo/ci/Deep Down/README.md").contains("\nid: ai.repo.ci.deep-down\n"));
    let (_, error) = here.refused(&["contract", "fix", ".ai/repo/torn"]);
    assert_eq!((&error["code"], &error["file"]), (&json!("already_exists"), &json!(".ai/repo/torn/README.md")));
    // what nobody has edited is told
    let said = String::from_utf8(here.run(&["contract", "validate"]).stdout).unwrap();
    assert!(said.contains("new-boilerplate"), "{said}");
}

#[test]
fn fix_begins_a_layer() {
    let here = Here::new();
    let done = here.json(&["contract", "fix", ".ai"]);
    assert_eq!(done["after"], json!({"directories": 1, "documented": 1, "exempt": 0, "owed": 0}));
    assert!(here.read(".ai/README.md").contains("\nid: ai.layer\n"));
}

#[test]
fn fix_refuses_what_no_contract_may_hold() {
    let here = four();
    for arguments in [
        &["--id", "No"][..],
        &["--id", "ai.repo"],
        &["--title", "two\nlines"],
        &["--description", " "],
        &["--scope", "tree"],
    ] {
        let (status, error) = here.refused(&[&["contract", "fix", ".ai/repo/ci"][..], arguments].concat());
        assert_eq!((status, &error["code"]), (2, &json!("invalid_input")), "{arguments:?}");
    }
    let (_, error) = here.refused(&["contract", "fix", ".ai/repo/ci", "--how", "exempt", "--id", "a"]);
    assert!(error["message"].as_str().unwrap().contains("--how write"));
    let (status, _) = here.refused(&["contract", "fix"]);
    assert_eq!(status, 2);
    let (status, error) = here.refused(&["--read-only", "contract", "fix", ".ai/repo/ci"]);
    assert_eq!((status, &error["code"]), (3, &json!("read_only")));
    assert_eq!(here.json(&["--read-only", "contract", "fix", ".ai/repo/ci", "--dry-run"])["after"]["owed"], 1);
}

#[test]
fn fix_takes_a_path_from_here() {
    let here = four();
    let output = here.command(".ai/repo").args(["contract", "fix", "ci", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(here.path().join(".ai/repo/ci/README.md").exists());
}

#[test]
fn fix_exempts_and_lifts_with_the_diff_of_a_line() {
    let here = four();
    insta::assert_snapshot!(here.text(&["contract", "fix", ".ai/repo/ci", "--how", "exempt", "--dry-run"]), @r#"
    --- a/.ai/repo/README.md
    +++ b/.ai/repo/README.md
    @@ -10,6 +10,8 @@
     audience: [human, agent]
     composition: extend
     order: 100
    +children:
    +  exempt: [.ai/repo/ci]
     ---
     
     # ai.repo
    owed 2 -> 1, exempt 1 -> 2
    nothing was written (--dry-run)
    "#);
    let done = here.json(&["contract", "fix", ".ai/repo/ci", "--how", "lift"]);
    assert_eq!((&done["after"]["owed"], &done["edits"][0]["kind"]), (&json!(0), &json!("change")));
    assert_eq!(here.read(".ai/repo/README.md"), contract("ai.repo", "children:\n  require_contract: false\n"));
}

#[test]
fn repair_mends_and_says_what() {
    let here = four();
    here.write(
        ".ai/repo/README.md",
        contract("ai.repo", "").replace("About ai.repo.", "About: it").replace("100", "\"100\""),
    );
    insta::assert_snapshot!(here.text(&["contract", "repair", ".ai/repo/README.md"]), @r#"
    --- a/.ai/repo/README.md
    +++ b/.ai/repo/README.md
    @@ -3,13 +3,13 @@
     id: ai.repo
     kind: context
     title: T ai.repo
    -description: About: it
    +description: "About: it"
     status: active
     scope: subtree
     providers: ["*"]
     audience: [human, agent]
     composition: extend
    -order: "100"
    +order: 100
     ---
     
     # ai.repo
    quoted the value of `description`
    `order` is now 100
    owed 3 -> 2, documented 2 -> 3
    written; `dagwood undo` takes it back
    "#);
    let (status, error) = here.refused(&["contract", "repair", ".ai/repo/torn"]);
    assert_eq!(
        (status, &error["code"], &error["file"]),
        (2, &json!("invalid_input"), &json!(".ai/repo/torn/README.md"))
    );
}

#[test]
fn what_is_not_there_has_a_near_name_and_a_next_step() {
    let here = four();
    let said = |arguments: &[&str]| String::from_utf8(here.run(arguments).stderr).unwrap();
    insta::assert_snapshot!(said(&["contract", "explain", ".ai/repo/skils"]), @"dagwood: the layer has no directory `.ai/repo/skils`; did you mean `.ai/repo/skills`? `dagwood contract list` shows those it has");
    let owing = said(&["contract", "explain", ".ai/repo/zzzzzz"]);
    assert_eq!(
        owing,
        "dagwood: the layer has no directory `.ai/repo/zzzzzz`; `dagwood contract list` shows those it has\n"
    );
    here.text(&["resource", "add", "fs-directory", "local/atlas"]);
    let resource = said(&["resource", "show", "local/atls"]);
    assert_eq!(
        resource,
        "dagwood: no resource \"local/atls\"; did you mean \"local/atlas\"? `dagwood resource list` shows them\n"
    );
}

#[test]
fn the_command_that_is_told_can_be_typed_whatever_the_name() {
    let here = Here::with(&[(".ai/README.md", &contract("ai.layer", "")), (".ai/it's $HOME; two words/x", "x\n")]);
    here.track();
    let findings = here.run(&["contract", "validate"]).stdout;
    let findings = String::from_utf8(findings).unwrap();
    let command = findings.lines().find_map(|line| line.trim().strip_prefix("fix: dagwood ")).unwrap();
    let line = format!("{} {command} --dry-run", env!("CARGO_BIN_EXE_dagwood"));
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &line]).current_dir(here.path()).env("HOME", here.path());
    let done = shell.output().unwrap();
    let said = String::from_utf8(done.stdout).unwrap();
    assert!(done.status.success() && said.contains("+++ b/.ai/it's $HOME; two words/README.md"), "{line}: {said}");
}
