//! A workspace in which every name and text that a repository or a registry can bring holds what steers a terminal:
//! names of files and folders, titles, ids, keys, bodies, values, and what errors say of them.

use std::path::Path;

use dagwood::resources::{NewResource, Opening, Registry};

/// Escape sequences in their seven and eight bit forms, what hides or turns characters, what breaks lines.
pub const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{9d}0;x\u{9c}\u{202e}\u{2066}\u{200b}\u{feff}\u{2028}\u{85}\u{7f}\t\r\n::error::x";

/// Lays it out in a folder; without git, so that the layer is what lies on the disk.
pub fn lay_out(top: &Path) {
    let write = |name: &str, text: &str| {
        let file = top.join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(&file, text).unwrap_or_else(|error| panic!("{name:?}: {error}"));
    };
    let all = escaped(HOSTILE);
    // a contract's texts are of one line
    let quoted = escaped(&HOSTILE.replace(['\r', '\n'], ""));
    let head = |id: &str, more: &str| {
        format!(
            "---\nschema: context/v1\nid: {id}\nkind: context\ntitle: \"t{quoted}\"\ndescription: \"d{quoted}\"\nstatus: \
             active\nscope: subtree\nproviders: [\"*\"]\ncomposition: extend\norder: 1\n{more}---\n# b{HOSTILE}\n"
        )
    };
    write(".ai/README.md", &head("ai.top", &format!("children:\n  exempt: [\".ai/e{quoted}\"]\n")));
    write(&format!(".ai/owed{HOSTILE}/a.txt"), "");
    write(&format!(".ai/fine{HOSTILE}/README.md"), &head("ai.fine", &format!("tracks: [\"x{quoted}\"]\n")));
    write(".ai/broken/README.md", &head("ai.broken", &format!("k{HOSTILE}: 1\n\"u{quoted}\": 2\n")));
    write(".ai/unknown/README.md", &head("ai.unknown", &format!("\"u{quoted}\": 2\n")));
    write(".ai/one/README.md", &head("ai.twice", ""));
    write(".ai/two/README.md", &head("ai.twice", ""));
    write(
        "mars.toml",
        &format!(
            "[dependencies.p]\npath = 'p'\nskills = [\"s{all}\"]\n[dependencies.\"k{all}\"]\npath = \"gone{all}\"\n\
             \"w{all}\" = 1\n[dependencies.q]\nurl = \"https://h{all}/o/r\"\nversion = \"v{all}\"\n"
        ),
    );
    write("mars.lock", &format!("version = 2\n[items.\"skill/l{all}\"]\nkind = 'skill'\nsource = \"s{all}\"\n"));
    write(
        &format!("p/agents/a{HOSTILE}.md"),
        &format!("---\nname: \"n{all}\"\ndescription: \"d{all}\"\nskills: [\"m{all}\"]\n---\n{HOSTILE}"),
    );
    write(&format!("p/skills/s{HOSTILE}/SKILL.md"), &format!("---\nname: \"n{all}\"\n{HOSTILE}\n---\n"));
    registry(&top.join(".dagwood/registry.db"));
}

/// The text as quoted texts of YAML and TOML write any character: `\U0000001b`.
fn escaped(text: &str) -> String {
    text.chars().map(|c| format!("\\U{:08x}", c as u32)).collect()
}

fn registry(file: &Path) {
    let mut registry = Registry::open_to_write(file, Opening::default()).expect("a registry");
    let mut add = |name: String, parent| {
        let new = NewResource {
            type_name: "fs-directory".to_owned(),
            name: Some(name),
            location: Some(format!("/l{HOSTILE}")),
            description: Some(format!("d{HOSTILE}")),
            parent,
        };
        registry.add(new).expect("a resource").id
    };
    let top = add(format!("local/n{HOSTILE}"), None);
    add(format!("local/m{HOSTILE}"), Some(top));
}
