//! Hostile input. Every reader is given the corpus of `fuzz/corpus`, and mutations of it: a few hundred each with a
//! fixed seed, and in the long form (`cargo test --test hostile -- --ignored`) as many as `DAGWOOD_HOSTILE_CASES` says,
//! from the seed `DAGWOOD_HOSTILE_SEED`. What must hold is in `fuzz/src`, which `cargo fuzz` runs as well.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod here;
mod mutations;
#[cfg(target_os = "linux")]
mod pipes;
#[cfg(target_os = "linux")]
mod sizes;
#[path = "../../fuzz/src/lib.rs"]
mod targets;
mod terminal;

use mutations::{corpus, mutated};

/// A reader: its name, which is that of its corpus, and what it is held to.
struct Target {
    name: &'static str,
    hold: fn(&[u8]),
}

/// Every target, each with its tests; the number is that of mutations in the short form, and those that use the disk are
/// slower.
macro_rules! targets {
    ($($name:ident: $short:literal,)*) => {
        const TARGETS: &[Target] = &[$(Target { name: stringify!($name), hold: targets::$name }),*];

        /// The short form, with a fixed seed.
        mod mutations_of_the_corpus_are_taken {
            $(#[test]
            fn $name() {
                super::mutated(stringify!($name), super::targets::$name, $short, 1);
            })*
        }

        /// The long form: as many as one likes.
        mod many_mutations_of_the_corpus_are_taken {
            $(#[test]
            #[ignore = "the long form"]
            fn $name() {
                super::mutated(stringify!($name), super::targets::$name, super::number("CASES", 20_000), super::number("SEED", 2));
            })*
        }
    };
}

targets! {
    contract: 1000,
    item: 2000,
    type_file: 2000,
    manifest: 1000,
    lock: 1000,
    graph: 1500,
    json: 1500,
    plugin: 300,
    keys: 60,
    registry: 300,
}

/// What the environment says of the long form.
fn number(name: &str, usual: u32) -> u32 {
    let name = format!("DAGWOOD_HOSTILE_{name}");
    std::env::var(&name).map_or(usual, |text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

#[test]
fn every_entry_of_the_corpus_is_taken() {
    for target in TARGETS {
        let corpus = corpus(target.name);
        assert!(corpus.len() >= 3, "{} has a corpus", target.name);
        for (name, content) in corpus {
            let taken = std::panic::catch_unwind(|| (target.hold)(&content));
            assert!(taken.is_ok(), "{}/{name}", target.name);
        }
    }
}

#[test]
fn every_target_is_fuzzed_and_has_its_own_corpus() {
    let fuzz = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let names = |folder: &str| {
        let listing = std::fs::read_dir(fuzz.join(folder)).unwrap();
        let mut names: Vec<String> =
            listing.map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    let mut known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    known.sort_unstable();
    assert_eq!(names("fuzz_targets"), known);
    assert_eq!(names("corpus"), known);
    let manifest: toml_edit::DocumentMut = std::fs::read_to_string(fuzz.join("Cargo.toml")).unwrap().parse().unwrap();
    let binaries = manifest["bin"].as_array_of_tables().unwrap().iter();
    let mut built: Vec<&str> = binaries.map(|binary| binary["name"].as_str().unwrap()).collect();
    built.sort_unstable();
    assert_eq!(built, known);
}
