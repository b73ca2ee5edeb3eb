//! What the crate is built from: every dependency is explained, every licence allowed, nothing banned, nothing doubled
//! that need not be. The lists are in `docs/supply.toml`; `UPDATE_SUPPLY=1 cargo test --test supply` renews the part of it
//! that is taken from the crates themselves.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::Command;

use toml_edit::{DocumentMut, Item, Table};

fn read(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap()
}

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn document(name: &str) -> DocumentMut {
    read(name).parse().unwrap()
}

fn keys(item: &Item) -> BTreeSet<String> {
    item.as_table_like().unwrap().iter().map(|(key, _)| key.to_owned()).collect()
}

/// The crates in `Cargo.lock`, with their versions; this one left out.
fn locked() -> BTreeMap<String, BTreeSet<String>> {
    let lock = document("Cargo.lock");
    let mut locked: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in lock["package"].as_array_of_tables().unwrap() {
        let text = |key: &str| package[key].as_str().unwrap().to_owned();
        if text("name") != "dagwood" {
            locked.entry(text("name")).or_default().insert(text("version"));
        }
    }
    locked
}

fn noted() -> BTreeMap<String, String> {
    let lists = document("docs/supply.toml");
    let licences = lists["licences"].as_table_like().unwrap();
    licences.iter().map(|(name, licence)| (name.to_owned(), licence.as_str().unwrap().to_owned())).collect()
}

/// The licences that the crates themselves name, asked of cargo.
fn named(all_platforms: bool) -> BTreeMap<String, String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR")).args(["metadata", "--locked", "--offline", "--format-version", "1"]);
    if !all_platforms {
        // crates of other platforms need not have been downloaded
        let version = Command::new("rustc").arg("-vV").output().unwrap();
        let version = String::from_utf8(version.stdout).unwrap();
        let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
        cargo.args(["--filter-platform", host]);
    }
    let output = cargo.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let of = |package: &serde_json::Value, key: &str| package[key].as_str().unwrap_or_default().to_owned();
    packages
        .map(|package| (of(package, "name"), of(package, "license")))
        .filter(|(name, _)| name != "dagwood")
        .collect()
}

#[test]
fn the_page_explains_every_dependency_and_no_other() {
    let manifest = document("Cargo.toml");
    let mut wanted = keys(&manifest["dependencies"]);
    wanted.extend(keys(&manifest["dev-dependencies"]));
    for (_, target) in manifest["target"].as_table().unwrap() {
        wanted.extend(keys(&target["dependencies"]));
    }
    let page = read("docs/dependencies.md");
    let told: BTreeSet<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` | "))
        .map(|(name, why)| {
            assert!(why.split(" | ").all(|cell| cell.trim_end_matches(" |").len() > 3), "{name} wants its reasons");
            name.to_owned()
        })
        .collect();
    let (extra, missing) = (told.difference(&wanted).collect::<Vec<_>>(), wanted.difference(&told).collect::<Vec<_>>());
    assert!(missing.is_empty(), "docs/dependencies.md does not say why there are {missing:?}");
    assert!(extra.is_empty(), "docs/dependencies.md speaks of {extra:?}, which are no dependencies");
}

#[test]
fn every_crate_has_a_licence_that_is_allowed() {
    if std::env::var_os("UPDATE_SUPPLY").is_some() {
        let mut lists = document("docs/supply.toml");
        let mut table = Table::new();
        for (name, licence) in named(true).into_iter().filter(|(name, _)| locked().contains_key(name)) {
            table[&name] = toml_edit::value(licence);
        }
        lists["licences"] = Item::Table(table);
        std::fs::write(path("docs/supply.toml"), lists.to_string()).unwrap();
    }
    let lists = document("docs/supply.toml");
    let allowed = keys(&lists["allowed"]);
    let noted = noted();
    let (locked, named) = (locked(), named(false));
    let new: Vec<&String> = locked.keys().filter(|name| !noted.contains_key(*name)).collect();
    let gone: Vec<&String> = noted.keys().filter(|name| !locked.contains_key(*name)).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "crates that are new: {new:?}, gone: {gone:?}; `UPDATE_SUPPLY=1 cargo test --test supply` notes their licences"
    );
    for (name, licence) in &noted {
        assert!(allows(licence, &|one| allowed.contains(one)), "{name} is under {licence}, which is not allowed");
    }
    for (name, licence) in named {
        assert_eq!(noted.get(&name), Some(&licence), "{name} has another licence than docs/supply.toml says");
    }
}

#[test]
fn nothing_banned_and_nothing_doubled_is_in() {
    let lists = document("docs/supply.toml");
    let locked = locked();
    for (name, why) in lists["banned"].as_table_like().unwrap().iter() {
        assert!(!locked.contains_key(name), "{name} is banned: {}", why.as_str().unwrap());
    }
    let doubled: BTreeSet<String> =
        locked.into_iter().filter(|(_, versions)| versions.len() > 1).map(|(name, _)| name).collect();
    assert_eq!(doubled, keys(&lists["doubled"]), "crates in several versions, and those docs/supply.toml allows to be");
}

#[test]
fn the_crate_itself_has_no_unsafe_code() {
    let manifest = document("Cargo.toml");
    assert_eq!(manifest["lints"]["rust"]["unsafe_code"].as_str(), Some("forbid"));
}

#[test]
fn the_package_holds_what_it_is_built_from_and_stays_small() {
    let output = Command::new(env!("CARGO"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["package", "--list", "--allow-dirty", "--offline"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && !said.contains("warning"), "{said}");
    let list = String::from_utf8(output.stdout).unwrap();
    let files: BTreeSet<&str> = list.lines().collect();
    for wanted in ["README.md", "LICENSE-MIT", "LICENSE-APACHE", "CHANGELOG.md", "Cargo.lock", "src/main.rs"] {
        assert!(files.contains(wanted), "{wanted} is not in the package");
    }
    for folder in ["migrations", "assets/types", "assets/demo/.ai"] {
        assert!(files.iter().any(|file| file.starts_with(folder)), "nothing of {folder} is in the package");
    }
    let size: u64 = files.iter().filter_map(|file| path(file).metadata().ok()).map(|meta| meta.len()).sum();
    assert!(size < 4 << 20, "the package holds {size} bytes");
}

/// Whether a licence expression can be met with allowed licences: `OR` needs one side, `AND` both; a slash is an old `OR`.
fn allows(expression: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let met = either(&words, &mut at, allowed);
    met && at == words.len() && at > 0
}

fn either(words: &[&str], at: &mut usize, allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut met = both(words, at, allowed);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        met |= both(words, at, allowed);
    }
    met
}

fn both(words: &[&str], at: &mut usize, allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut met = one(words, at, allowed);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        met &= one(words, at, allowed);
    }
    met
}

fn one(words: &[&str], at: &mut usize, allowed: &dyn Fn(&str) -> bool) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let met = either(words, at, allowed);
        *at += 1;
        return met;
    }
    let mut name = (*word).to_owned();
    if words.get(*at) == Some(&"WITH") {
        name = format!("{name} WITH {}", words.get(*at + 1).unwrap_or(&""));
        *at += 2;
    }
    allowed(&name)
}

#[test]
fn licence_expressions_are_read_as_they_are_meant() {
    let mit = |name: &str| name == "MIT" || name == "Unicode-3.0";
    for (expression, met) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0 AND MIT", false),
        ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
        ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", false),
        ("", false),
    ] {
        assert_eq!(allows(expression, &mit), met, "{expression}");
    }
}
