//! Type files, by the codes of the table.

use std::path::Path;

use dagwood::resources::types::{self, Parsed};
use dagwood::resources::{Error, ResourceType};

fn read(text: impl AsRef<[u8]>) -> Result<Parsed, Error> {
    types::parse(Path::new("box.yaml"), text.as_ref())
}

fn good(text: &str) -> ResourceType {
    read(text).unwrap().resource_type
}

/// The place and the message of the mistake.
fn wrong(text: impl AsRef<[u8]>) -> (usize, usize, String) {
    match read(text).unwrap_err() {
        Error::TypeFile { line, column, message, .. } => (line, column, message),
        other => panic!("{other}"),
    }
}

#[test]
fn y2() {
    let (line, _, message) = wrong("name: a\ndescription: x\nname: a\n");
    assert_eq!((line, message.as_str()), (3, "the key `name` is there twice, on lines 1 and 3"));
}

#[test]
fn y2_two_names_for_one_key() {
    let (line, _, message) = wrong("name: a\nresource_kind: virtual\nclassification: virtual\n");
    assert_eq!(line, 3);
    assert_eq!(message, "`classification` means the same as `resource_kind` on line 2; keep one");
}

#[test]
fn y3() {
    let error = read("name: a\nchildtypes: []\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "box.yaml:2:1: unknown key `childtypes` of a resource type; did you mean `child_types`?"
    );
}

#[test]
fn y4() {
    assert_eq!(wrong("description: x\n").2, "no `name`; every type has one");
    assert_eq!(wrong("name: none\n").0, 1);
}

#[test]
fn y5() {
    for word in ["yes", "on", "True", "TRUE", "true"] {
        let read = good(&format!("name: a\nauto_discovery: {{enabled: {word}}}\n"));
        assert_eq!(read.auto_discovery.unwrap().enabled, Some(true), "{word}");
    }
    assert_eq!(good("name: a\nuser_addable: no\n").user_addable, Some(false));
    assert_eq!(wrong("name: a\nuser_addable: \"yes\"\n").2, "`user_addable`: expected true or false, found a text");
}

#[test]
fn y6() {
    let read = read("name: a\nchild_types:\n").unwrap();
    assert_eq!(read.resource_type.children_text(), "any");
    assert_eq!((read.remarks.len(), read.remarks[0].key), (1, "child_types"));
}

#[test]
fn y7() {
    assert_eq!(wrong("name: a\nchild_types: git\n"), (2, 14, "`child_types`: expected a list, found a text".into()));
}

#[test]
fn y8() {
    let read = read("name: a\nchild_types: [1, no]\n").unwrap();
    assert_eq!(read.resource_type.child_type_names().collect::<Vec<_>>(), ["1", "no"]);
    assert_eq!(read.remarks.len(), 2);
    assert_eq!(read.remarks[1].message, "`no` is read as the text \"no\"; quote it");
}

#[test]
fn y9() {
    let (line, _, message) = wrong("name: a\nauto_discovery:\n  rules:\n    - type: b\n      pattern: */\n");
    assert_eq!(line, 5);
    assert!(message.contains("quote a pattern that begins with `*`"), "{message}");
}

#[test]
fn y10() {
    let (line, _, message) = wrong("name: a\nauto_discovery:\n\tenabled: true\n");
    assert_eq!((line, message.as_str()), (3, "a tab in the indentation; YAML takes spaces only"));
}

#[test]
fn y12() {
    for text in ["", "\n\n", "# nothing\n", "\u{feff}"] {
        assert!(wrong(text).2.starts_with("an empty file"), "{text:?}");
    }
}

#[test]
fn y13() {
    let read = good("\u{feff}name: a\r\nchild_types: [\"b\"]\r\n");
    assert_eq!((read.name.as_str(), read.children_text().as_str()), ("a", "b"));
}

#[test]
fn y14() {
    let mut bomb = String::from("a: &a [\"x\"]\n");
    for (this, last) in ('b'..='j').zip('a'..='i') {
        bomb.extend([this.to_string(), format!(": &{this} [{}]\n", vec![format!("*{last}"); 9].join(","))]);
    }
    assert_eq!(wrong(&bomb).0, 1);
    for deep in ["[".repeat(100_000), "{a: ".repeat(100_000), "- ".repeat(100_000)] {
        assert!(wrong(format!("name: a\ncli_args: {deep}")).0 >= 1);
    }
}

#[test]
fn y20() {
    let read = good("name: a\nchild_types: [\"no\", \"1\", \"a b\", \"*/\"]\n");
    let written = types::to_yaml(&read);
    assert!(written.contains("child_types: [\"no\", \"1\", \"a b\", \"*/\"]"), "{written}");
    assert_eq!(good(&written), read);
}

#[test]
fn y20_another_reader_reads_the_same() {
    let written = types::to_yaml(&good("name: a\nchild_types: [\"no\", \"off\", \"1e3\", \"~\"]\n"));
    let script = "import sys, yaml; print(yaml.safe_load(sys.stdin)['child_types'])";
    let child = std::process::Command::new("python3")
        .args(["-c", script])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn();
    let Ok(mut child) = child else { return };
    // without that reader on the machine the quoting above is what counts
    let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), written.as_bytes());
    let output = child.wait_with_output().unwrap();
    if output.status.success() {
        assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "['no', 'off', '1e3', '~']");
    }
}

#[test]
fn the_three_layouts_load_to_the_same_type() {
    let flat = "name: local/box\nresource_kind: physical\ncli_args: [{name: path}]\nchild_types: [git, fs-directory]\n";
    let below = "resource_type:\n  name: local/box\n  physical_or_virtual: physical\n  cli_arguments: [{name: path}]\n  \
                 child_types: [{type: git}, {type: fs-directory}]\n";
    let beside = "cleveragents:\n  version: \"3.0\"\nresource_type:\n  name: local/box\n  classification: physical\n  \
                  cli_args:\n    - name: path\n  child_types:\n    - git\n    - type: fs-directory\n";
    assert_eq!(good(below), good(flat));
    assert_eq!(good(beside), good(flat));
    assert_eq!(wrong(format!("{below}other: 1\n")).2, "`other` stands beside `resource_type`; put it below");
}

#[test]
fn what_is_not_applied_is_kept_and_said() {
    let read =
        read("name: a\ninherits: git-checkout\nchild_types: [fs-directory]\nchild_types_replace: true\n").unwrap();
    assert_eq!(read.remarks[0].message, "`child_types_replace` is kept and not applied");
    assert!(read.resource_type.notes().contains(&"child_types_replace: not applied".to_owned()));
    assert!(types::to_yaml(&read.resource_type).contains("child_types_replace: true"));
    assert!(wrong("name: a\nchild_typs_replace: true\n").2.contains("unknown key"));
}

#[test]
fn other_forms_of_discovery_are_read_and_not_supported() {
    for form in ["{scan_depth: 2, include_patterns: [\"*.rs\"]}", "{detection: {marker: \".git\"}, strategy: eager}"] {
        let read = read(format!("name: a\nauto_discovery: {form}\n")).unwrap();
        assert!(read.resource_type.rules().is_empty());
        assert!(read.remarks.iter().all(|remark| remark.message.ends_with("is not supported")), "{:?}", read.remarks);
        assert_eq!(read.resource_type.notes().len(), 2);
    }
    assert!(wrong("name: a\nauto_discovery: {scandepth: 2}\n").2.contains("did you mean `scan_depth`?"));
}

#[test]
fn a_rule_that_can_never_match_is_said() {
    let read = good("name: a\nchild_types: [b]\nauto_discovery: {rules: [{type: c, pattern: \"*\"}]}\n");
    assert_eq!(read.notes(), ["rule 1 (c) never makes anything: c is not among the child types"]);
    let read = good(
        "name: a\nauto_discovery: {rules: [{type: b, pattern: \"x/y\"}, {type: b, pattern: \"*/\"}, {type: b, pattern: \"*/\"}]}\n",
    );
    assert_eq!(
        read.notes(),
        [
            "rule 1 (b) never matches: a pattern speaks of one name, without a slash",
            "rule 3 (b) never matches: rule 2 says the same and comes first"
        ]
    );
}

#[test]
fn mistakes_have_their_place() {
    for (text, line, column, says) in [
        ("- a\n", 1, 1, "expected a mapping, found a list"),
        ("name: [a]\n", 1, 7, "expected a text, found a list"),
        ("name: a\nresource_kind: solid\n", 2, 16, "no kind of resource"),
        ("name: a\nchild_types: [{kind: b}]\n", 2, 16, "unknown key `kind` of a child type"),
        ("name: a\nchild_types: [{auto_discover: true}]\n", 2, 15, "without `type`"),
        ("name: a\nauto_discovery: {rules: [{pattern: \"*\"}]}\n", 2, 26, "without `type`"),
        ("name: a\nauto_discovery: {rules: [{type: b, patern: \"*\"}]}\n", 2, 36, "did you mean `pattern`?"),
        ("name: \" a\"\n", 1, 7, "white space"),
        ("name: a\nchild_types: [\"\"]\n", 2, 15, "an empty name"),
    ] {
        let found = wrong(text);
        assert!((found.0, found.1) == (line, column) && found.2.contains(says), "{text:?}: {found:?}");
    }
    assert_eq!(wrong(b"name: a\n\xff\n").0, 2);
}

#[test]
fn y18() {
    let mut store = super::store::Store::empty();
    store.set_type("name: local/box\nchild_types: [local/nope, none]");
    let found = dagwood::resources::doctor::findings(&store.registry).unwrap();
    let missing: Vec<&str> =
        found.iter().filter(|found| found.code == "child-type-missing").map(|found| found.message.as_str()).collect();
    assert!(missing.contains(&"local/box may contain local/nope, which is no type here"), "{missing:?}");
    assert!(!missing.iter().any(|message| message.contains("contain none")), "{missing:?}");
}

#[test]
fn y19() {
    use dagwood::error::{Code, Coded};
    use dagwood::resources::{AddTypes, Operation};
    let mut store = super::store::Store::empty();
    let again = vec![good("name: local/any-box\nchild_types: [git]\n")];
    let error = store.registry.carry_out(&Operation::AddTypes(again.clone(), AddTypes::Refuse)).unwrap_err();
    assert_eq!(error.code(), Code::DuplicateType);
    assert_eq!(store.registry.resource_type("local/any-box").unwrap().children_text(), "any");
    store.registry.carry_out(&Operation::AddTypes(again, AddTypes::Update)).unwrap();
    assert_eq!(store.registry.resource_type("local/any-box").unwrap().children_text(), "git");
}
