//! Commands that are told to be typed: what is typed is what was meant, whatever the name.

use clap::Parser;
use dagwood::cli::Cli;
use dagwood::text::command;

use crate::here::Here;

#[test]
fn a_told_command_is_understood_for_a_name_that_begins_with_a_hyphen() {
    for name in ["plain", "-x", "--all", "--force", "--"] {
        for words in ["resource rm --stale", "contract fix", "contract repair"] {
            let line = command(&format!("dagwood {words}"), [name]);
            if let Err(error) = Cli::try_parse_from(line.split(' ')) {
                panic!("{line}: {error}");
            }
        }
    }
}

#[test]
fn the_told_mending_of_a_cycle_works_for_names_that_begin_with_a_hyphen() {
    let here = Here::with(&[]);
    for name in ["--dry-run", "-x"] {
        here.text(&["resource", "add", "fs-directory", "--", name]);
    }
    let registry = rusqlite::Connection::open(here.path().join(".dagwood/registry.db")).unwrap();
    registry
        .execute_batch(
            "INSERT INTO resource_links SELECT a.resource_id, b.resource_id, 'x' FROM resources a, resources b WHERE a.resource_id <> b.resource_id",
        )
        .unwrap();
    let told = here.text(&["resource", "repair"]);
    let words =
        told.split("`dagwood ").nth(1).and_then(|rest| rest.split('`').next()).unwrap_or_else(|| panic!("{told}"));
    here.text(&words.split(' ').collect::<Vec<_>>());
    assert!(here.text(&["resource", "repair"]).contains("nothing to repair"), "{words}");
}
