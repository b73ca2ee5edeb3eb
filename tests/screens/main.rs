//! Whole screens of the explorer on the example workspace, at the sizes people have.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod looks;
mod rows;
mod session;

use ratatui::buffer::Buffer;
use session::Session;

/// The frame as text, a line a row.
fn screen(session: &Session) -> String {
    text(&session.frame())
}

fn text(frame: &Buffer) -> String {
    let rows = frame.area.height;
    let row = |y| {
        let cells = (0..frame.area.width).map(|x| frame[(x, y)].symbol());
        cells.collect::<String>().trim_end().to_owned()
    };
    (0..rows).map(row).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_first_screen_at_80_by_24() {
    insta::assert_snapshot!(screen(&Session::demo(80, 24)));
}

#[test]
fn the_first_screen_at_120_by_40() {
    insta::assert_snapshot!(screen(&Session::demo(120, 40)));
}

#[test]
fn an_owed_directory_and_its_chain_at_80_by_24() {
    insta::assert_snapshot!(screen(Session::demo(80, 24).keys("o ]")));
}

#[test]
fn a_diamond_opened_at_120_by_40() {
    insta::assert_snapshot!(screen(Session::demo(120, 40).keys("1 j l j l")));
}

#[test]
fn a_row_that_comes_again_says_so_however_narrow_it_is() {
    let mut session = Session::demo(120, 40);
    session.keys("1 l j j l j l");
    let rows = screen(&session);
    let again = rows.lines().filter(|row| row.contains("local/shared ↺ ⇡3")).count();
    assert_eq!(again, 2, "{rows}");
    assert_eq!(rows.lines().filter(|row| row.contains("local/shared ⇡3")).count(), 1, "{rows}");
}

#[test]
fn why_a_skill_is_selected_at_120_by_40() {
    insta::assert_snapshot!(screen(Session::demo(120, 40).keys("3 / ").text("checklist").keys("enter")));
}

#[test]
fn a_slug_that_is_installed_twice_leads_from_its_problem_to_its_items() {
    let mut session = Session::demo(120, 40);
    session.keys("4 /").text("duplicate-slug").keys("enter enter j");
    assert!(screen(&session).contains("enter go to it"), "{}", screen(&session));
    let shown = screen(session.keys("enter"));
    assert!(shown.contains("▾ ≡ agent reviewer") && shown.contains("╭ agent reviewer › agent reviewer"), "{shown}");
    assert!(shown.contains("enter why"), "{shown}");
}

#[test]
fn whatever_is_tried_the_problems_are_those_on_disk() {
    use dagwood::explorer::model::{Outline, PaneId};
    let mut session = Session::demo(120, 40);
    let problems = |session: &Session| {
        let pane = session.model.pane(PaneId::Problems);
        let rows = |outline: &Outline| outline.nodes().map(|(_, node)| node.entry.name.clone()).collect::<Vec<_>>();
        (rows(&pane.outline), pane.counts.clone())
    };
    let before = problems(&session);
    let shown = screen(session.keys("2 o"));
    assert!(shown.contains("Problems  ") && shown.contains("owed 3") && !shown.contains("on disk"), "{shown}");
    let shown = screen(session.keys("t"));
    assert!(shown.contains("Exempted by .ai") && shown.contains("Problems before the try"), "{shown}");
    assert!(shown.contains("would owe 2") && shown.contains("on disk ─"), "{shown}");
    assert_eq!(problems(&session), before);
    session.keys("T x");
    assert!(!screen(&session).contains("on disk ─"));
    // without the agent that names it nothing would be missing
    let shown = screen(session.keys("3 /").text("reviewer").keys("enter n n t"));
    assert!(shown.contains("on disk ─") && shown.contains("would go"), "{shown}");
    assert_eq!(problems(&session), before);
}

#[test]
fn a_package_has_the_version_that_the_command_line_tells() {
    for (manifest, locked, version) in
        [("version = \"1.2.0\"", "1.1.0", "1.2.0"), ("description = \"d\"", "1.1.0", "1.1.0")]
    {
        let prepare = |folder: &std::path::Path| {
            let package = format!("[package]\nname = \"base\"\n{manifest}\n");
            std::fs::write(folder.join("packages/base/mars.toml"), package).unwrap();
            let lock = format!("version = 2\n[dependencies.base]\npath = \"packages/base\"\nversion = \"{locked}\"\n");
            std::fs::write(folder.join("mars.lock"), lock).unwrap();
        };
        let mut session = Session::demo_with(120, 40, dagwood::workspace::Options::default(), prepare);
        let shown = screen(session.keys("3 /").text("base").keys("enter n n n"));
        assert!(shown.contains(&format!(" {version} ─")), "{shown}");
        assert!(shown.contains(&format!("version    {version}")), "{shown}");
    }
}

#[test]
fn the_state_filter_counts_things_and_not_their_rows() {
    let mut session = Session::demo(120, 40);
    let shown = screen(session.keys("3 F"));
    assert!(shown.contains("only duplicate") || shown.contains("only excluded"), "{shown}");
    let selected = |shown: &str| shown.contains("only selected  ");
    for _ in 0..6 {
        if selected(&screen(&session)) {
            break;
        }
        session.keys("F");
    }
    // the reviewers stand below their packages and below what says that there are two
    let shown = screen(&session);
    assert!(shown.contains("─ 8 +  ") && shown.contains("only selected  8 matches · esc ends it"), "{shown}");
}

#[test]
fn a_text_and_a_state_are_two_filters_which_hold_together_and_end_one_after_the_other() {
    let mut session = Session::demo(120, 40);
    session.keys("2 F F F");
    assert!(screen(&session).contains("only exempt  4 matches"), "{}", screen(&session));
    let shown = screen(session.keys("/").text("re"));
    assert!(shown.contains(" /re ") && shown.contains("only exempt · 3 matches · enter keeps"), "{shown}");
    let shown = screen(session.keys("enter"));
    assert!(shown.contains(" /re  only exempt  3 matches · esc ends it"), "{shown}");
    assert!(shown.contains("◌ release") && !shown.contains("○ ci"), "{shown}");
    let shown = screen(session.keys("esc"));
    assert!(shown.contains(" only exempt  4 matches"), "{shown}");
    assert!(!screen(session.keys("esc")).contains("match"));
}

#[test]
fn where_nothing_matches_the_detail_says_so_and_the_cursor_goes_back_where_it_was() {
    let mut session = Session::demo(80, 24);
    let before = screen(session.keys("2 G"));
    let shown = screen(session.keys("/").text("zzz"));
    assert!(shown.contains("│ Nothing matches.") && shown.contains("│ esc ends the filter"), "{shown}");
    assert_eq!(screen(session.keys("esc")), before);
    // also once it is kept, and when what was typed is taken back
    session.keys("/").text("zzz").keys("enter");
    assert!(screen(&session).contains(" /zzz  0 matches · esc ends it"), "{}", screen(&session));
    assert_eq!(screen(session.keys("esc")), before);
    session.keys("/").text("zzz").keys("backspace backspace backspace enter");
    assert_eq!(screen(&session), before);
}

#[test]
fn what_is_found_has_the_mark_of_its_row() {
    let mut session = Session::demo(120, 40);
    let row = |shown: String| shown.lines().filter(|row| row.contains("- critic")).count();
    assert_eq!(row(screen(session.keys("3 /").text("critic").keys("enter"))), 1, "{}", screen(&session));
    assert_eq!(row(screen(session.keys("esc - ctrl-p").text("critic"))), 1, "{}", screen(&session));
}

#[test]
fn the_fix_of_an_owed_directory_at_80_by_24() {
    insta::assert_snapshot!(screen(Session::demo(80, 24).keys("o f")));
}

#[test]
fn a_refused_link_at_120_by_40() {
    insta::assert_snapshot!(screen(Session::demo(120, 40).keys("1 l j L").keys("ctrl-t").text("guides").keys("enter")));
}

#[test]
fn the_smallest_screens() {
    assert_eq!(screen(&Session::demo(1, 1)), "…");
    for (width, said) in [(30, "dagwood needs 40x10"), (12, "needs 40x10"), (6, "40x10")] {
        assert_eq!(screen(&Session::demo(width, 2)), format!("{said}\n"));
    }
    assert_eq!(screen(&Session::demo(39, 9)), format!("{}{}", "dagwood needs 40x10, this is 39x9", "\n".repeat(8)));
}
