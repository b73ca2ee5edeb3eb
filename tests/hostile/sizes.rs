//! Size tricks: files of a gigabyte that take no room on the disk, nesting without end, lists without end, aliases that
//! multiply, folders of a million names. The program is given less memory than the files are long, so that one that is
//! gathered ends it; what it says must be the message for people.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

use dagwood::bounded::NAMES;
use dagwood::explorer::config;

use crate::here::{DAGWOOD, Here};

/// As long as the long files are.
const GIGABYTE: u64 = 1 << 30;

/// The memory that the program may ask for, in KiB: far more than it needs, and less than a gigabyte.
const MEMORY: u32 = 800_000;

/// Runs the program with a bounded memory; it must not die.
fn run(here: &Here, arguments: &[&str]) -> String {
    let mut command = here.command("sh");
    command.args(["-c", &format!("ulimit -v {MEMORY} && exec \"$0\" \"$@\""), DAGWOOD]).args(arguments);
    command.env("MARS_CACHE_DIR", here.path().join("cache"));
    let Output { status, stdout, stderr } = command.output().unwrap();
    let said = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
    // 101 is a panic, none a signal
    assert!(status.code().is_some_and(|code| code < 101), "{arguments:?} ended with {status}: {said}");
    said
}

/// A file that begins so and is a gigabyte long.
fn long(here: &Here, name: &str, head: &str) {
    let file = here.write(name, head);
    OpenOptions::new().write(true).open(file).unwrap().set_len(GIGABYTE).unwrap();
}

const BY_HAND: &str = "longer than 4 MiB";
const DOCUMENT: &str = "longer than 256 MiB";
const PACKAGE: &str = "[dependencies.p]\npath = \"p\"\n";
const HEAD: &str = "---\nschema: context/v1\nid: ai.top\nkind: context\ntitle: T\ndescription: D\nstatus: active\nscope: subtree\n\
                    providers: [\"*\"]\ncomposition: extend\norder: 1\n---\n";

#[test]
fn a_file_of_a_gigabyte_is_not_gathered_and_is_told() {
    let cases: [(&str, &str, &[&str], &str); 16] = [
        ("mars.toml", "", &["check"], BY_HAND),
        ("mars.local.toml", "", &["check"], BY_HAND),
        ("mars.lock", "", &["check"], "longer than 64 MiB"),
        ("p/mars.toml", "", &["check"], BY_HAND),
        ("p/.claude-plugin/plugin.json", "{}", &["check"], BY_HAND),
        ("p/agents/a.md", "---\n", &["check"], "no closing `---`"),
        ("p/skills/s/SKILL.md", "---\n", &["check"], "no closing `---`"),
        (".ai/README.md", "---\n", &["check"], "not closed within 64 KiB"),
        (".ai/README.md", HEAD, &["check"], "the file is 1073741824 bytes long"),
        (".ai/README.md", "", &["contract", "explain", ".ai"], "dropped: invalid-front-matter"),
        ("type.yaml", "", &["type", "add", "type.yaml"], BY_HAND),
        ("export.json", "{}", &["resource", "import", "export.json"], DOCUMENT),
        ("graph.json", "{}", &["selection", "resolve", "graph.json"], DOCUMENT),
        ("known.json", "{}", &["check", "--baseline", "known.json"], DOCUMENT),
        ("known.json", "{}", &["check", "--write-baseline", "known.json"], DOCUMENT),
        (".dagwood/registry.db", "", &["resource", "list"], "it is not a SQLite database"),
    ];
    for (name, head, arguments, says) in cases {
        let here = Here::with(&[("mars.toml", PACKAGE), (".ai/README.md", HEAD)]);
        long(&here, name, head);
        let said = run(&here, arguments);
        assert!(said.contains(says), "{name}: {said}");
        assert_eq!(here.path().join(name).metadata().unwrap().len(), GIGABYTE, "{name} stays");
    }
}

#[test]
fn what_comes_without_end_is_not_gathered() {
    // a pipe has no length that could be looked at before
    let here = Here::with(&[]);
    here.write("x", "");
    for arguments in [["type", "add"], ["resource", "import"], ["selection", "resolve"], ["check", "--baseline"]] {
        let said = run(&here, &[arguments[0], arguments[1], "/dev/zero"]);
        assert!(said.contains("longer than"), "{arguments:?}: {said}");
    }
}

#[test]
fn a_configuration_or_theme_of_a_gigabyte_is_told() {
    let here = Here::with(&[]);
    long(&here, "one/config.toml", "");
    here.write("two/config.toml", "theme = \"dusk\"\n");
    long(&here, "two/themes/dusk.toml", "");
    for folder in ["one", "two"] {
        let error = config::load(&here.path().join(folder)).unwrap_err().to_string();
        assert!(error.contains(BY_HAND), "{error}");
    }
}

#[test]
fn a_few_bytes_of_a_registry_that_stand_for_megabytes_are_not_gathered() {
    let here = Here::with(&[]);
    // a column that is computed as twenty million characters
    here.write(".dagwood/registry.db", include_bytes!("../../fuzz/corpus/registry/generated.db"));
    let said = run(&here, &["resource", "list"]);
    assert!(said.contains("holds a value longer than 16 MiB, the most that is read"), "{said}");
    // a registry with a tail of nothing: what is there is answered, or it is told as damaged
    long(&here, ".dagwood/registry.db", "");
    std::fs::write(here.path().join("x"), include_bytes!("../../fuzz/corpus/registry/own.db")).unwrap();
    std::fs::rename(here.path().join("x"), here.path().join(".dagwood/registry.db")).unwrap();
    let file = OpenOptions::new().write(true).open(here.path().join(".dagwood/registry.db")).unwrap();
    file.set_len(GIGABYTE).unwrap();
    run(&here, &["resource", "list"]);
    run(&here, &["check", "--only", "resources"]);
}

/// Nesting, lists and aliases, in every format that is read.
#[test]
fn nesting_lists_and_aliases_without_end_are_told() {
    let nested = |open: &str| open.repeat(300_000);
    let in_block = |text: &str| format!("---\nkind: context\nname: {text}\n---\n");
    let bomb = |list: fn(usize) -> String| (1..60).map(list).collect::<String>();
    let aliases = bomb(|n| format!("a{n}: &a{n} [*a{0}, *a{0}, *a{0}, *a{0}]\n", n - 1));
    let aliases = format!("a0: &a0 [x]\n{aliases}");
    let cases: Vec<(&str, String, &[&str], &str)> = vec![
        (".ai/README.md", in_block(&nested("[")[..60_000]), &["check"], "nesting this deep"),
        (".ai/README.md", format!("---\n{aliases}---\n"), &["check"], "an anchor"),
        (".ai/README.md", in_block(&format!("[{}]", "a, ".repeat(20_000))), &["check"], "name"),
        ("p/agents/a.md", in_block(&nested("[")), &["check"], "nested too deeply"),
        ("p/agents/a.md", in_block(&format!("\n {}", nested("- "))), &["check"], "nested too deeply"),
        ("p/agents/a.md", format!("---\n{aliases}---\n"), &["check"], "not YAML"),
        (
            "p/agents/a.md",
            format!("---\nskills: [{}]\n---\n", "a, ".repeat(300_000)),
            &["check"],
            "names the skill `a`",
        ),
        (
            "type.yaml",
            format!("name: x\ncli_args: {}", nested("[")),
            &["type", "add", "type.yaml"],
            "nested deeper than 32",
        ),
        ("type.yaml", format!("name: x\n{aliases}"), &["type", "add", "type.yaml"], "anchors"),
        (
            "type.yaml",
            format!("name: x\nparent_types:\n{}", "- a\n".repeat(900_000)),
            &["type", "add", "type.yaml"],
            "more than 20000 values",
        ),
        ("mars.toml", format!("dependencies = {}", nested("[")), &["check"], "broken-toml"),
        ("mars.toml", format!("dependencies = {}", nested("{a=")), &["check"], "broken-toml"),
        ("mars.toml", format!("[dependencies]\n{}a = 1\n", nested("a.")), &["check"], "broken-toml"),
        ("mars.toml", format!("{PACKAGE}skills = [{}]\n", "\"a\",".repeat(500_000)), &["check"], "package-not-found"),
        ("mars.lock", format!("items = {}", nested("[{a=")), &["check"], "broken-toml"),
        ("p/.claude-plugin/plugin.json", nested("["), &["check"], "not JSON"),
        ("p/.claude-plugin/plugin.json", format!("{{\"skills\":{}}}", nested("{\"path\":")), &["check"], "not JSON"),
        (
            "export.json",
            format!("{{\"types\":[{{\"capabilities\":{}", nested("[")),
            &["resource", "import", "export.json"],
            "recursion limit",
        ),
        (
            "export.json",
            format!("{{\"types\":[{}]}}", "0,".repeat(1_000_000)),
            &["resource", "import", "export.json"],
            "line 1 column",
        ),
        (
            "graph.json",
            format!("{{\"root\":{}", nested("{\"a\":")),
            &["selection", "resolve", "graph.json"],
            "not a package graph",
        ),
        (
            "known.json",
            format!("{{\"findings\":{}", nested("[")),
            &["check", "--baseline", "known.json"],
            "not a baseline",
        ),
    ];
    for (name, text, arguments, says) in cases {
        let here = Here::with(&[("mars.toml", PACKAGE), (".ai/README.md", HEAD)]);
        here.write(name, &text);
        let said = run(&here, arguments);
        let (start, end) = (&text[..text.len().min(60)], said.len().min(3_000));
        assert!(said.contains(says), "{name} {start}: {}", String::from_utf8_lossy(&said.as_bytes()[..end]));
    }
}

/// What compared every name with every other would not end here in a day.
#[test]
fn names_without_end_are_not_each_compared_with_all() {
    let many = |line: &dyn Fn(usize) -> String| (0..50_000).map(line).collect::<String>();
    let entries = many(&|nth| format!("a{nth} = {{}}\n"));
    let cases = [
        ("mars.local.toml", many(&|nth| format!("[overrides.b{nth}]\npath = 'p'\n")), "unused-override"),
        ("mars.lock", many(&|nth| format!("[dependencies.b{nth}]\n")), "lock-package-not-in-lock"),
        ("mars.toml", format!("[dependencies]\n{entries}[local-dependencies]\n{entries}"), "key-in-both-tables"),
        ("mars.toml", format!("{PACKAGE}exclude = [{}]\n", many(&|nth| format!("'b{nth}',"))), "idle-filter-name"),
        ("p/agents/a.md", format!("---\nskills: [{}]\n---\n", many(&|nth| format!("b{nth},"))), "missing-skill"),
    ];
    for (name, text, code) in cases {
        let here = Here::with(&[("p/skills/s/SKILL.md", "")]);
        here.write(
            "mars.toml",
            if name.contains(".l") { format!("[dependencies]\n{entries}") } else { PACKAGE.to_owned() },
        );
        here.write(name, text);
        let said = run(&here, &["check", "--only", "selection"]);
        assert!(said.matches(code).count() >= 40_000, "{name}: {code}");
    }
}

/// Trees that hold each other many times over, with names of 4,000 characters: a commit of a few hundred kilobytes.
#[test]
fn a_clone_whose_trees_list_gigabytes_of_names_is_told() {
    for (deep, says) in [(20, "a path longer than 64 KiB"), (10, "longer than 256 MiB together")] {
        let here = Here::with(&[("mars.toml", "[dependencies.p]\nurl = \"git@example.org:o/r.git\"\n")]);
        let clone = format!("cache/git/{}", dagwood::selection::source::component("example.org/o/r"));
        let at = here.write(&format!("{clone}/x"), "").parent().unwrap().to_owned();
        let git = |arguments: &[&str], input: &str| {
            let mut git = here.command("git");
            git.args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(arguments).current_dir(&at);
            let mut child = git.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
            String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
        };
        git(&["init", "-q"], "");
        let mut top = git(&["hash-object", "-w", "x"], "");
        let name = "n".repeat(4_000);
        for level in 0..deep {
            let mode = if level == 0 { "100644 blob" } else { "040000 tree" };
            top = git(&["mktree"], &(0..10).map(|nth| format!("{mode} {top}\t{nth}{name}\n")).collect::<String>());
        }
        let commit = git(&["commit-tree", "-m", "bomb", &top], "");
        here.write("mars.lock", format!("version = 3\n[dependencies.p]\ncommit = \"{commit}\"\n"));
        // the program itself has the bounded memory, and git within it
        let said = run(&here, &["check", "--only", "selection"]);
        assert!(said.contains(says), "{deep}: {}", &said[..said.len().min(3_000)]);
    }
}

/// A real folder with more names than are listed. `DAGWOOD_HOSTILE_NAMES` says how many.
#[test]
#[ignore = "the long form: makes more than a million files"]
fn a_folder_of_more_names_than_are_listed_is_told() {
    let count = crate::number("NAMES", u32::try_from(NAMES).unwrap() + 1);
    let here = Here::with(&[("mars.toml", PACKAGE), (".ai/README.md", HEAD), ("p/skills/s/SKILL.md", "")]);
    let full = here.path().join("full");
    std::fs::create_dir(&full).unwrap();
    for name in 0..count {
        std::fs::File::create(full.join(format!("{name:08}.md"))).and_then(|mut file| file.write_all(b"")).unwrap();
    }
    let too_many = "holds more than 1000000 names";
    run(&here, &["resource", "add", "fs-directory", "local/full", "--location", "full"]);
    let said = run(&here, &["resource", "discover", "local/full"]);
    assert!(said.contains(too_many), "{said}");
    let moved = |from: &Path, to: &str| {
        let to = here.path().join(to);
        std::fs::rename(from, &to).unwrap();
        to
    };
    let agents = moved(&full, "p/agents");
    let said = run(&here, &["check", "--only", "selection"]);
    assert!(said.contains(too_many), "{said}");
    moved(&agents, ".ai/full");
    let said = run(&here, &["check", "--only", "contracts"]);
    assert!(said.contains(too_many), "{said}");
}
