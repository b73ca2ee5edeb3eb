//! Journeys of people who have made the explorer theirs: keys, themes, an editor, a clipboard; what it remembers, notes
//! and reports.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::term::Term;

/// A home with these files in its configuration.
fn home(files: &[(&str, &str)]) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let file = home.path().join(".config/dagwood").join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    home
}

/// The example workspace, opened in a home.
fn open(home: TempDir, more: &[&str], env: &[(&str, &str)]) -> Term {
    let work = home.path().join("atlas");
    let work = work.to_str().unwrap().to_owned();
    let place = if Path::new(&work).exists() { vec!["-C", &work] } else { vec!["demo", "--keep", &work] };
    let arguments: Vec<&str> = place.into_iter().chain(more.iter().copied()).collect();
    let mut term = Term::start(home, 40, 120, &arguments, env);
    term.see("2 Directories").see("notes").see("4 Problems").see("3 Selection");
    term
}

fn leave(mut term: Term) -> TempDir {
    term.send("q").given_back();
    assert_eq!(term.ended(), 0);
    term.home
}

/// A program of the test's own, first in the search path; gives the folder.
fn program(home: &TempDir, name: &str, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let folder = home.path().join("bin");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join(name);
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn with_path(folder: &Path) -> String {
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap())
}

/// Waits for a file's text to hold something.
pub fn holds(file: &Path, what: &str) -> String {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    loop {
        let text = std::fs::read_to_string(file).unwrap_or_default();
        if text.contains(what) {
            return text;
        }
        assert!(std::time::Instant::now() < end, "{}: {text}", file.display());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn keys_of_ones_own_do_and_are_shown() {
    let config = "[keys]\nquit = \"Q\"\nhelp = \"ctrl-g\"\nsuspend = []\n[keys.problems]\ndown = \"ctrl-n\"\n";
    let mut term = open(home(&[("config.toml", config)]), &[], &[]);
    term.see("Q quit").see("ctrl-g help");
    term.send("q").see("q does nothing here; ctrl-g lists the keys");
    term.send("\x07").see("Help").send("uit").see("Q        ").send("\x1b");
    term.gone("esc closes");
    // another key in one pane only: j moves among the directories and not among the problems
    term.send("2gg").send("j").see(".ai/repo ─").send("4").see("enter close").send("j").see("j does nothing here");
    term.send("Q").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn without_motion_the_marks_of_what_has_just_changed_stay_until_a_key() {
    let mut term = open(home(&[("config.toml", "motion = false\n")]), &[], &[]);
    term.see("Documented");
    let file = term.work().join(".ai/repo/notes/README.md");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("ordr: 200", "order: 200")).unwrap();
    let marked = |screen: &vt100::Screen| screen.rows(0, 120).any(|row| row.starts_with('*') && row.contains("notes"));
    term.wait("the mark of what has just changed", marked).see("files of the layer were changed");
    term.send("j").wait("the end of the marks", |screen| screen.rows(0, 120).all(|row| !row.starts_with('*')));
    leave(term);
}

#[test]
fn what_is_said_names_the_keys_in_force() {
    let config = "[keys]\nfix = \"ctrl-f\"\npage-down = []\nnext-owed = \"alt-o\"\ncancel = \"ctrl-x\"\nundo = []\n";
    let mut term = open(home(&[("config.toml", config)]), &[], &[]);
    term.see("alt-o next owed");
    term.send("\x1bo").see("ctrl-f writes one   alt-o goes to the next one owed");
    term.send("\x06").see("enter does it").send("\r").see(":undo undo “");
    term.send("1").see("local/atlas").send("\x06").see("press 2, then alt-o");
    term.send("!").see(":undo undoes the newest that stands, Z redoes").send("\x1b").gone("undoes the newest");
    // cancelling twice leaves, whatever its key
    term.send("\x18").see("ctrl-x again quits").send("\x18").given_back();
    assert_eq!(term.ended(), 0);
}

#[test]
fn a_broken_configuration_does_not_open_and_says_all_that_is_wrong() {
    let config = "muose = true\n[keys]\nquit = \"j\"\n";
    let home = home(&[("config.toml", config)]);
    let mut term = Term::start(home, 24, 160, &[], &[]);
    term.see("config.toml:1: unknown key `muose`; did you mean `mouse`?");
    term.see("config.toml:3: `quit`: `j` is already `down` by default");
    assert_eq!(term.ended(), 2);
    assert!(!term.screen().contains("Directories"));
}

/// The colour of the program's name, which is that of the accent.
fn accent(term: &Term) -> vt100::Color {
    assert_eq!(term.cell(0, 1).contents(), "d");
    term.cell(0, 1).fgcolor()
}

#[test]
fn themes_are_chosen_by_the_configuration_or_by_the_ground() {
    use vt100::Color::{Default, Idx};
    let dusk = ("themes/dusk.toml", "accent = \"bright-magenta\"\n");
    for (config, env, color) in [
        ("", None, Idx(6)),
        ("", Some(("COLORFGBG", "0;15")), Idx(4)),
        ("theme = \"light\"", None, Idx(4)),
        ("theme = \"dark\"", Some(("COLORFGBG", "0;15")), Idx(6)),
        ("theme = \"mono\"", None, Default),
        ("theme = \"dusk\"", None, Idx(13)),
        ("theme = \"dusk\"", Some(("NO_COLOR", "1")), Default),
    ] {
        let env: Vec<(&str, &str)> = env.into_iter().collect();
        let term = open(home(&[("config.toml", config), dusk]), &[], &env);
        assert_eq!(accent(&term), color, "{config} {env:?}");
        leave(term);
    }
}

#[test]
fn ascii_and_no_mouse_by_configuration() {
    let mut term = open(home(&[("config.toml", "ascii = true\nmouse = false\n")]), &[], &[]);
    term.see("+ 2 Directories");
    assert!(!term.screen().contains('│'));
    term.wait("the mouse left to the terminal", |screen| {
        screen.alternate_screen() && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
    });
    leave(term);
}

#[test]
fn a_crash_is_reported_and_says_where() {
    let mut term = open(home(&[]), &["--panic"], &[]);
    term.send("j").given_back().see("asked to panic").see("what is known of it is in");
    assert_ne!(term.ended(), 0);
    let state = term.home.path().join(".local/state/dagwood");
    let reports: Vec<PathBuf> = std::fs::read_dir(&state)
        .unwrap()
        .map(|item| item.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "txt"))
        .collect();
    let [report] = reports.as_slice() else { panic!("{reports:?}") };
    let name = report.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("crash-") && term.screen().replace('\n', "").contains(name), "{}", term.screen());
    let text = std::fs::read_to_string(report).unwrap();
    let version = concat!("dagwood ", env!("CARGO_PKG_VERSION"), "\n");
    for part in
        [version, "workspace  ~/atlas\n", "terminal   120x40\n", "actions    down\n", "asked to panic", "panic_now"]
    {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains(term.home.path().to_str().unwrap()), "{text}");
    assert!(!text.contains(env!("CARGO_MANIFEST_DIR")), "{text}");
}

#[test]
fn pane_arrangement_view_sorting_and_folding_are_remembered() {
    let mut term = open(home(&[]), &[], &[]);
    term.send("2").send("gg").send("jh").gone("◌ vendor").send("s").see("sorted by name");
    term.send("1").see("local/atlas").send("ll").see("local/shared").send("+");
    let home = leave(term);
    let mut term = open_without_notes(home, &[]);
    // the resources have the focus, opened as they were, all panes alike
    term.see("local/shared").see("link").see("⇡3").see("▸ ● repo");
    assert!(!term.screen().contains("◌ vendor"), "{}", term.screen());
    term.send("2").see("next owed").send("s").see("sorted by state");
    let home = leave(term);
    // without it, everything is as at first
    let mut term = open(home, &["--fresh"], &[]);
    term.see("◌ vendor").gone("local/shared");
    term.send("s").see("sorted by name").send("q").given_back();
    assert_eq!(term.ended(), 0);
    // and a broken file is none
    let state = term.home.path().join(".local/state/dagwood");
    let folders = std::fs::read_dir(&state).unwrap().map(|item| item.unwrap().path());
    let file = folders.map(|folder| folder.join("explorer.json")).find(|file| file.exists()).unwrap();
    std::fs::write(&file, "{\"form\":1,").unwrap();
    let mut term = open(term.home, &["--read-only"], &[]);
    term.see("◌ vendor");
    let home = leave(term);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "{\"form\":1,", "with --read-only nothing is written");
    let _home = leave(open(home, &[], &[]));
    assert!(std::fs::read_to_string(&file).unwrap().ends_with('}'));
}

/// The workspace opened again, where not everything may be in sight.
fn open_without_notes(home: TempDir, more: &[&str]) -> Term {
    let work = home.path().join("atlas").to_str().unwrap().to_owned();
    let arguments: Vec<&str> = ["-C", &work].into_iter().chain(more.iter().copied()).collect();
    Term::start(home, 40, 120, &arguments, &[])
}

#[test]
fn the_log_tells_what_happened_and_nothing_that_was_typed() {
    let home = home(&[]);
    let file = home.path().join("log.txt");
    let mut term = open(home, &[], &[("DAGWOOD_LOG", file.to_str().unwrap())]);
    term.send("/hunter2").see("0 matches").send("\x1b").gone("0 matches").send("2j");
    let _home = leave(term);
    let text = std::fs::read_to_string(&file).unwrap();
    for part in [" begin   dagwood ", " effect  Load Contracts ", " message Loaded Contracts ", " action  filter\n"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(text.ends_with(" action  quit\n") || text.contains(" effect  Quit\n"), "{text}");
    assert!(!text.contains("hunter") && !text.contains("Char"), "{text}");
}

#[test]
fn a_log_that_cannot_be_written_is_told_before_anything_is_drawn() {
    let mut term = Term::start(home(&[]), 24, 120, &[], &[("DAGWOOD_LOG", "/nowhere/log")]);
    term.see("cannot write the log /nowhere/log").see("DAGWOOD_LOG names it");
    assert_eq!(term.ended(), 3);
}

#[test]
fn the_editor_of_the_configuration_comes_before_the_environment() {
    let home = home(&[("config.toml", "editor = \"mine --wait\"\n")]);
    let said = home.path().join("said.txt");
    let bin = program(&home, "mine", &format!("echo mine \"$@\" > {}", said.display()));
    program(&home, "theirs", &format!("echo theirs > {}", said.display()));
    let mut term = open(home, &[], &[("PATH", &with_path(&bin)), ("VISUAL", "theirs"), ("EDITOR", "theirs")]);
    term.send("2gg").see("Documented").send("e").see("back from");
    let text = holds(&said, "\n");
    assert!(text.starts_with("mine --wait ") && text.trim_end().ends_with(".ai/README.md"), "{text}");
    leave(term);
}

#[test]
fn the_clipboard_of_the_system_is_the_first_program_that_takes_it() {
    let home = home(&[("config.toml", "clipboard = \"system\"\n")]);
    let copied = home.path().join("copied.txt");
    let bin = program(&home, "wl-copy", "exit 1");
    program(&home, "xclip", &format!("cat > {}", copied.display()));
    let mut term = open(home, &[], &[("PATH", &with_path(&bin))]);
    term.send("2gg").see("Documented").send("yp").see("copied the path, with xclip");
    assert_eq!(holds(&copied, ".ai").split('/').next_back(), Some(".ai"));
    leave(term);
}

#[test]
fn what_tmux_drops_unless_it_is_told_otherwise_is_not_called_copied() {
    let mut term = open(home(&[]), &[], &[("TMUX", "/tmp/tmux-1000/default,7,0")]);
    term.send("2gg").see("Documented").send("yp");
    term.see("sent the path to the terminal; tmux needs `set -g set-clipboard on`");
    assert!(!term.screen().contains("copied"));
    leave(term);
}

#[test]
fn what_tmux_passes_on_is_not_said_to_need_anything() {
    for (says, told) in [
        ("echo on", "sent the path to the terminal; tmux passes it on"),
        ("echo external", "tmux needs `set -g set-clipboard on`"),
        ("exec sleep 1000", "tmux needs `set -g set-clipboard on`"),
    ] {
        let home = home(&[]);
        let bin = program(&home, "tmux", &format!("[ \"$*\" = 'show -gv set-clipboard' ] || exit 1\n{says}"));
        let tmux = [("PATH", with_path(&bin)), ("TMUX", "/tmp/tmux-1000/default,7,0".to_owned())];
        let mut term = open(home, &[], &tmux.each_ref().map(|(name, value)| (*name, value.as_str())));
        term.send("2gg").see("Documented").send("yp").see(told);
        leave(term);
    }
}

#[test]
fn a_copy_that_nobody_takes_is_told() {
    let home = home(&[("config.toml", "clipboard = \"system\"\n")]);
    let path = std::env::var("PATH").unwrap();
    let git = std::env::split_paths(&path).map(|folder| folder.join("git")).find(|git| git.exists()).unwrap();
    let bin = program(&home, "git", &format!("exec {} \"$@\"", git.display()));
    let mut term = open(home, &[], &[("PATH", bin.to_str().unwrap())]);
    term.send("2gg").see("Documented").send("yp").see("not copied: none of wl-copy, xclip, xsel, pbcopy is here");
    leave(term);
}
