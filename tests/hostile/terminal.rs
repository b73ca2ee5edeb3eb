//! Nothing that steers a terminal reaches one: a workspace in which every name, title, id, key, body and value that a
//! repository or a registry can bring holds all of it, and every command that tells of them, in each form. The
//! explorer's frames and what it copies are held to the same in `fuzz/src/keys.rs`.

use dagwood::text::visible;
use serde_json::Value;

use crate::here::{DAGWOOD, Here};
use crate::targets::workspace::{HOSTILE, lay_out};

/// What a text shows of the hostile part.
const SHOWN: &str = "\\x1b[2J\\x1b]0;owned\\x07\\x9b31m";

fn hostile() -> Here {
    let here = Here::with(&[]);
    lay_out(&here.path());
    here
}

/// The hostile names, as they are on the disk and in the registry.
fn named(what: &str) -> String {
    what.replace('%', HOSTILE)
}

/// Every command that tells of something read; the second says whether it shows hostile parts. `%` stands for them.
const COMMANDS: [(&[&str], bool); 43] = [
    (&["check"], true),
    (&["contract", "list"], true),
    (&["contract", "list", "--effective"], true),
    (&["contract", "validate"], true),
    (&["contract", "explain", ".ai/fine%"], true),
    (&["contract", "explain", ".ai/fine%", "--text"], true),
    (&["contract", "explain", ".ai/owed%"], true),
    (&["contract", "explain", ".ai/broken"], false),
    (&["contract", "explain", ".ai/no%"], true),
    (&["contract", "explain", "x%"], true),
    (&["contract", "fix", ".ai/owed%", "--dry-run"], true),
    (&["contract", "fix", ".ai/owed%", "--how", "exempt", "--dry-run"], false),
    (&["contract", "fix", ".ai/no%", "--dry-run"], true),
    (&["contract", "fix", "--all", "--dry-run"], true),
    (&["contract", "repair", ".ai/unknown", "--dry-run"], true),
    (&["contract", "repair", ".ai/broken", "--dry-run"], false),
    (&["resource", "list"], true),
    (&["resource", "tree"], true),
    (&["resource", "show", "local/n%"], true),
    (&["resource", "show", "local/no%"], true),
    (&["resource", "discover", "local/n%", "--dry-run"], true),
    (&["resource", "rm", "local/n%", "--dry-run"], true),
    (&["resource", "link", "local/m%", "local/n%", "--dry-run"], true),
    (&["resource", "repair"], false),
    (&["history"], true),
    (&["undo", "--dry-run"], true),
    (&["redo", "--dry-run"], false),
    (&["type", "show", "no%"], true),
    (&["type", "add", "no%.yaml"], true),
    (&["type", "add", "odd.yaml"], true),
    (&["selection", "list"], true),
    (&["selection", "packages"], true),
    (&["selection", "why", "s%"], true),
    (&["selection", "why", "a%"], true),
    (&["selection", "what-if", "--drop", "p"], true),
    (&["selection", "what-if", "--drop", "no%"], true),
    (&["selection", "resolve", "graph.json"], true),
    (&["selection", "resolve", "no%"], true),
    (&["export", "resources", "--format", "dot"], true),
    (&["export", "contracts", "--format", "mermaid"], true),
    (&["export", "selection", "--format", "dot"], true),
    (&["check", "--baseline", "no%"], true),
    (&["no%"], true),
];

/// What a command says, on both streams.
fn said(here: &Here, arguments: &[String], more: &[&str]) -> String {
    let output = here.command(DAGWOOD).args(arguments).args(more).output().unwrap();
    assert!(output.status.code().is_some_and(|code| code < 101), "{arguments:?}");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    text(output.stdout) + &text(output.stderr)
}

fn is_safe(text: &str, of: &[String]) {
    for line in text.split('\n') {
        assert_eq!(visible(line), line, "{of:?}");
        // the text of a body is shown as it stands, line for line
        assert!(
            of.contains(&"--text".to_owned()) || !line.starts_with("::error::x"),
            "a name broke a line: {of:?}: {text}"
        );
    }
}

fn prepared() -> Here {
    let here = hostile();
    here.write("odd.yaml", format!("name: x\n\"k{}\": 1\n", HOSTILE.replace(['\n', '\r'], "")));
    let graph = serde_json::json!({"requests": [{"name": "p", "filter": "all"}], "packages": {"p": {"prepared": {"selection": {
        "definitions": [{"kind": "skill", "slug": named("s%"), "output_path": named("p%")}]}}}}});
    here.write("graph.json", graph.to_string());
    // something written, so that there is something to undo
    let set = ["resource", "set", "local/n%", "--description", "%"].map(named);
    assert!(here.command(DAGWOOD).args(set).output().unwrap().status.success());
    here
}

fn commands() -> impl Iterator<Item = (Vec<String>, bool)> {
    COMMANDS.iter().map(|(words, shows)| (words.iter().map(|word| named(word)).collect(), *shows))
}

#[test]
fn no_command_says_what_steers_a_terminal() {
    let here = prepared();
    let mut wrong = Vec::new();
    for (arguments, shows) in commands() {
        let text = said(&here, &arguments, &[]);
        is_safe(&text, &arguments);
        // pictures double a backslash
        if text.replace("\\\\", "\\").contains(SHOWN) != shows {
            wrong.push(format!("{arguments:?} {}: {text}", if shows { "shows none" } else { "shows some" }));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn in_colour_only_the_colours_are_escape_sequences() {
    let here = prepared();
    for (arguments, _) in commands() {
        let mut text = said(&here, &arguments, &["--color", "always"]);
        for colour in ["32", "31", "33", "2", "1", "0"] {
            text = text.replace(&format!("\u{1b}[{colour}m"), "");
        }
        is_safe(&text, &arguments);
    }
}

#[test]
fn json_escapes_it_and_means_the_same() {
    let here = prepared();
    let mut met = 0;
    for (arguments, _) in commands().filter(|(arguments, _)| arguments[0] != "export") {
        let text = said(&here, &arguments, &["--json"]);
        is_safe(&text, &arguments);
        let document: Value =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {text}"));
        met += usize::from(holds(&document));
    }
    assert!(met > 25, "{met} documents hold the hostile text as it is");
}

/// Whether any text of a document holds the hostile part, character for character.
fn holds(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(HOSTILE),
        Value::Array(values) => values.iter().any(holds),
        Value::Object(fields) => fields.iter().any(|(key, value)| key.contains(HOSTILE) || holds(value)),
        _ => false,
    }
}

#[test]
fn an_annotation_for_github_is_one_line_whatever_it_is_about() {
    let here = prepared();
    for arguments in [["check", "--format", "github"], ["contract", "validate", "--format=github"]] {
        let arguments = arguments.map(str::to_owned);
        let text = said(&here, &arguments, &[]);
        is_safe(&text, &arguments);
        assert!(text.lines().count() > 3 && text.contains(SHOWN), "{text}");
        let kinds = ["::error file=", "::warning file=", "::notice file="];
        assert!(text.lines().all(|line| kinds.iter().any(|kind| line.starts_with(kind))), "{text}");
    }
}
