//! The configuration of the explorer: what can be said, every mistake with its line, and `keys`, which shows what comes
//! of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dagwood::explorer::config::{self, Clipboard, Config};
use dagwood::explorer::model::{ACTIONS, Action, Key, Meaning, PaneId, Spec};
use proptest::prelude::*;

use crate::here::Here;

/// The files of a folder of `tests/configs`, each with its text.
fn texts(folder: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/configs").join(folder);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|file| (file.clone(), std::fs::read_to_string(&file).unwrap())).collect()
}

fn good(name: &str) -> Config {
    let (file, text) = texts("good").into_iter().find(|(file, _)| file.ends_with(name)).unwrap();
    config::parse(&text).unwrap_or_else(|mistakes| panic!("{}: {mistakes:?}", file.display()))
}

#[test]
fn every_good_configuration_is_read() {
    for (file, text) in texts("good") {
        assert!(config::parse(&text).is_ok(), "{}", file.display());
    }
    assert_eq!(good("empty.toml"), Config::default());
}

/// A bad line ends in what has to be said of it, after `#!`.
#[test]
fn every_mistake_is_told_at_its_line() {
    let files = texts("bad");
    assert!(files.len() > 5);
    for (file, text) in files {
        let mut expected: Vec<(usize, String)> = Vec::new();
        for (nth, line) in text.lines().enumerate() {
            expected.extend(line.split("#!").skip(1).map(|said| (nth + 1, said.trim().to_owned())));
        }
        expected.sort();
        let mistakes = config::parse(&text).map(|_| ()).unwrap_err();
        let told: Vec<(usize, String)> = mistakes.into_iter().map(|it| (it.line, it.message)).collect();
        assert_eq!(told, expected, "{}", file.display());
    }
}

#[test]
fn what_is_said_is_what_is_meant() {
    let config = good("everything.toml");
    assert_eq!(config.theme.as_ref().map(|theme| (theme.name.as_str(), theme.line)), Some(("light", 2)));
    assert!(!config.mouse && !config.motion && config.ascii);
    assert_eq!(config.editor.as_deref(), Some("nvim -p"));
    assert_eq!(config.clipboard, Clipboard::System);
    let map = &config.keymap;
    assert_eq!(map.keys(PaneId::Selection, Action::Down), ["down", "ctrl-n"]);
    assert_eq!(map.keys(PaneId::Resources, Action::Quit), ["Q"]);
    assert_eq!(map.meaning(PaneId::Resources, &[Key::char('j')]), Meaning::Nothing);
    assert!(map.keys(PaneId::Resources, Action::Suspend).is_empty());
    assert_eq!(map.keys(PaneId::Resources, Action::Link), ["ctrl-l"]);
    assert_eq!(map.keys(PaneId::Directories, Action::Link), ["L"], "the other panes keep theirs");
    assert!(map.keys(PaneId::Resources, Action::NextTab).is_empty());
    let space = Key::named("space").unwrap();
    assert_eq!(map.meaning(PaneId::Problems, &[space]), Meaning::Begins);
    assert_eq!(map.meaning(PaneId::Problems, &[space, Key::char('f')]), Meaning::Does(Action::Fix));
    assert_eq!(map.meaning(PaneId::Resources, &[space]), Meaning::Does(Action::Fold));
}

#[test]
fn tables_may_be_written_in_any_form_of_toml() {
    let map = good("dotted.toml").keymap;
    assert_eq!(map.key(PaneId::Problems, Action::Down), "ctrl-n");
    assert_eq!(map.key(PaneId::Resources, Action::Down), "ctrl-e");
    assert_eq!(map.key(PaneId::Selection, Action::Down), "ctrl-x");
}

#[test]
fn no_text_makes_the_reader_fail() {
    for (_, text) in texts("good").into_iter().chain(texts("bad")) {
        for (at, _) in text.char_indices() {
            let _ = config::parse(&text[..at]);
            let _ = config::parse(&text[at..]);
        }
    }
}

fn configured(config: &str) -> Here {
    let here = Here::new();
    here.write("../home/.config/dagwood/config.toml", config);
    here
}

#[test]
fn keys_shows_the_map_in_force() {
    let here = configured("[keys]\nquit = \"Q\"\nsuspend = []\n[keys.resources]\nlink = [\"ctrl-l\", \"g l\"]\n");
    let text = here.text(&["keys"]);
    assert!(text.contains("  Q                  quit             quit\n"), "{text}");
    assert!(text.contains("  (none)             suspend"), "{text}");
    assert!(text.contains("  L                  link"), "{text}");
    let only = text.split_once("Only in the resources\n").unwrap().1;
    assert!(only.starts_with("  ctrl-l  g l        link             link a child under this resource\n"), "{text}");
    assert!(!text.contains("Only in the directories"), "{text}");
    assert!(only.lines().nth(1).unwrap().ends_with("/.config/dagwood/config.toml says"), "{text}");
    let document = here.json(&["keys"]);
    let quit = document["keys"].as_array().unwrap().iter().find(|row| row["action"] == "quit").unwrap();
    assert_eq!(quit["keys"], serde_json::json!(["Q"]));
    let link = serde_json::json!([{ "action": "link", "keys": ["ctrl-l", "g l"] }]);
    assert_eq!(document["panes"]["resources"], link);
    assert_eq!(document["panes"]["problems"], serde_json::json!([]));
    assert!(document["file"].as_str().unwrap().ends_with("/.config/dagwood/config.toml"));
    assert_eq!(Here::new().json(&["keys"])["file"], serde_json::Value::Null);
}

#[test]
fn a_broken_configuration_is_told_whole_and_keeps_no_command_from_answering() {
    let here = configured("muose = true\n\n[keys]\nlnk = \"x\"\n");
    let output = here.run(&["keys"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let said = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("dagwood: the configuration has mistakes;"), "{said}");
    assert!(lines[1].ends_with("config.toml:1: unknown key `muose`; did you mean `mouse`?"), "{said}");
    assert!(lines[2].ends_with("config.toml:4: unknown action `lnk`; did you mean `link`?"), "{said}");
    assert_eq!(lines.len(), 3, "{said}");
    let (status, error) = here.refused(&["keys"]);
    assert_eq!((status, error["code"].as_str()), (2, Some("invalid_input")));
    assert_eq!(error["mistakes"][1]["line"], 4);
    assert_eq!(error["mistakes"].as_array().unwrap().len(), 2);
    here.text(&["check"]);
    here.text(&["contract", "list"]);
}

#[test]
fn themes_of_ones_own_are_found_and_read() {
    let here = configured("theme = \"dusk\"\n");
    here.write("../home/.config/dagwood/themes/dusk.toml", "good = \"blue\"\n");
    here.text(&["keys"]);
    here.write("../home/.config/dagwood/themes/dusk.toml", "\ngood = \"blu\"\n");
    let (status, error) = here.refused(&["keys"]);
    assert_eq!(status, 2);
    assert!(error["mistakes"][0]["file"].as_str().unwrap().ends_with("themes/dusk.toml"), "{error}");
    assert_eq!(error["mistakes"][0]["line"], 2);
    assert_eq!(error["mistakes"][0]["message"], "unknown colour `blu`; did you mean `blue`?");
    here.write("../home/.config/dagwood/config.toml", "\ntheme = \"dusky\"\n");
    let (_, error) = here.refused(&["keys"]);
    assert_eq!(error["mistakes"][0]["line"], 2);
    let message = error["mistakes"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("unknown theme `dusky`; did you mean `dusk`? (there is no /"), "{message}");
    for way_out in ["../dusk", "", "a/b"] {
        here.write("../home/.config/dagwood/config.toml", format!("theme = \"{way_out}\"\n"));
        let (_, error) = here.refused(&["keys"]);
        let message = error["mistakes"][0]["message"].as_str().unwrap();
        assert_eq!(message, format!("unknown theme `{way_out}`; known: dark, light, mono, dusk"));
    }
}

#[test]
fn a_configuration_that_is_no_text_is_told_with_its_line() {
    let here = configured("");
    here.write("../home/.config/dagwood/config.toml", b"mouse = true\n# \xff\n");
    let (status, error) = here.refused(&["keys"]);
    assert_eq!((status, error["mistakes"][0]["line"].as_u64()), (2, Some(2)));
    assert_eq!(error["mistakes"][0]["message"], "no UTF-8");
}

#[test]
fn the_examples_of_the_page_are_what_can_be_said() {
    let page = include_str!("../../docs/configuration.md");
    let blocks: Vec<&str> = page.split("```toml\n").skip(1).map(|block| block.split_once("```").unwrap().0).collect();
    let [configuration, theme] = blocks.as_slice() else { panic!("{} examples", blocks.len()) };
    let config = config::parse(configuration).unwrap();
    assert_eq!(config.keymap.keys(PaneId::Resources, Action::Link), ["space l"]);
    dagwood::explorer::view::Looks::parse(theme).unwrap();
    let tones = ["good", "warn", "bad", "accent", "strong", "dim"];
    assert!(tones.iter().all(|tone| page.contains(&format!("\n| `{tone}` |"))));
    for (name, _) in dagwood::explorer::view::Looks::BUILT_IN {
        assert!(page.contains(&format!("`{name}`")), "{name}");
    }
}

/// What `[keys]` and its panes say, by action: the keys of each.
type Said = BTreeMap<&'static str, Vec<String>>;

fn said() -> impl Strategy<Value = Said> {
    let names: Vec<&str> = ["down", "up", "link", "first", "go-directory", "fold"].into();
    let keys = vec!["j", "k", "g", "g g", "g d", "g x", "x x", "space", "ctrl-n", "ctrl-n ctrl-n", "down", "q"];
    let keys = prop::collection::vec(prop::sample::select(keys).prop_map(str::to_owned), 0..3);
    prop::collection::btree_map(prop::sample::select(names), keys, 0..3)
}

/// The keys of every action where one table, and over it another, says something; read plainly.
fn in_force(tables: &[&Said]) -> Vec<(Action, Vec<String>)> {
    let keys = |spec: &Spec| {
        let said = tables.iter().rev().find_map(|said| said.get(spec.name).cloned());
        said.unwrap_or_else(|| spec.keys.iter().map(|keys| (*keys).to_owned()).collect())
    };
    ACTIONS.iter().map(|spec| (spec.action, keys(spec))).collect()
}

fn clash(map: &[(Action, Vec<String>)]) -> bool {
    let all: Vec<Vec<&str>> = map.iter().flat_map(|(_, keys)| keys).map(|keys| keys.split(' ').collect()).collect();
    let begins = |a: usize, b: usize| a != b && all[b].starts_with(&all[a]);
    (0..all.len()).any(|a| (0..all.len()).any(|b| begins(a, b)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// A map is read if and only if its keys can be told apart, and then each key does what is said.
    #[test]
    fn a_map_is_refused_when_keys_cannot_be_told_apart(everywhere in said(), pane in said()) {
        let table = |said: &Said| said.iter().map(|(name, keys)| format!("{name} = {keys:?}\n")).collect::<String>();
        let text = format!("[keys]\n{}[keys.selection]\n{}", table(&everywhere), table(&pane));
        let (usual, here) = (in_force(&[&everywhere]), in_force(&[&everywhere, &pane]));
        match config::parse(&text) {
            Err(mistakes) => {
                prop_assert!(clash(&usual) || clash(&here), "{text}{mistakes:?}");
                let count = text.lines().count();
                prop_assert!(mistakes.iter().all(|mistake| (2..=count).contains(&mistake.line)), "{text}{mistakes:?}");
            }
            Ok(config) => {
                prop_assert!(!clash(&usual) && !clash(&here), "{text}");
                for (pane, map) in [(PaneId::Problems, usual), (PaneId::Selection, here)] {
                    for (action, keys) in map {
                        prop_assert_eq!(config.keymap.keys(pane, action), keys.clone(), "{}", text);
                        for keys in keys {
                            let typed = Key::sequence(&keys).unwrap();
                            prop_assert_eq!(config.keymap.meaning(pane, &typed), Meaning::Does(action), "{}", text);
                        }
                    }
                }
            }
        }
    }
}
