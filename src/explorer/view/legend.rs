//! What every mark means, for the help: all that any pane shows, as they look in this theme, each with its word. And what
//! the mouse does, which has no keys to be listed by.

use super::theme::Theme;
use crate::explorer::model::{Line, Mark, TIE, Tone};

/// The marks of rows, by where they stand.
const MARKS: [(&str, &[Mark]); 3] = [
    ("directories", &[Mark::Documented, Mark::Owed, Mark::Exempt, Mark::Broken, Mark::Closed]),
    (
        "selection",
        &[
            Mark::Selected,
            Mark::Missing,
            Mark::Provider,
            Mark::Excluded,
            Mark::Filtered,
            Mark::Duplicate,
            Mark::Package,
            Mark::NotFound,
        ],
    ),
    ("problems", &[Mark::Error, Mark::Warning, Mark::Note]),
];

/// What the mouse does.
const MOUSE: [(&str, &str); 5] = [
    ("click", "goes to a pane, a row, a line of the detail; follows a line that names something"),
    ("click again", "opens or closes the row"),
    ("wheel", "moves what is seen, not the cursor"),
    ("drag", "moves the border between the panes and the detail"),
    ("shift and drag", "marks text, which the terminal does (in some: alt); --no-mouse leaves it the whole mouse"),
];

/// A heading and a line for each place, then what the mouse does, as far as they or their headings contain a search.
pub fn legend(theme: Theme, search: &str) -> Vec<Line> {
    let mouse = MOUSE.map(|(what, does)| row(what, &[does.to_owned()]));
    let mut lines = section("Marks", rows(theme), search);
    lines.extend(section("Mouse", mouse.into(), search));
    lines
}

fn section(heading: &str, mut lines: Vec<Line>, search: &str) -> Vec<Line> {
    let search = search.to_lowercase();
    let contains = |text: &str| text.replace(TIE, " ").to_lowercase().contains(&search);
    lines.retain(|line| contains(heading) || contains(&line.text()));
    if !lines.is_empty() {
        lines.splice(..0, [Line::blank(), Line::of(Tone::Strong, heading)]);
    }
    lines
}

fn rows(theme: Theme) -> Vec<Line> {
    let glyphs = theme.glyphs();
    let mut lines = Vec::new();
    for (place, marks) in MARKS {
        let told = marks.iter().map(|&mark| told(theme.mark(mark), word(mark)));
        lines.push(row(place, &told.collect::<Vec<_>>()));
    }
    let resources = [(glyphs.also, "also elsewhere"), (glyphs.cycle, "a cycle")];
    let mut also: Vec<String> = resources.map(|(glyph, words)| told(glyph, words)).into();
    also.push(told(&format!("{}2", glyphs.parents), "two parents"));
    lines.push(row("resources", &also));
    let everywhere = [
        (glyphs.closed.trim(), "closed"),
        (glyphs.open.trim(), "open"),
        (glyphs.marked.trim(), "marked by you"),
        (glyphs.fresh, "in the border: the row has just changed"),
    ];
    lines.push(row("everywhere", &everywhere.map(|(glyph, words)| told(glyph, words))));
    lines
}

/// A mark and its words, which stay on one line.
fn told(glyph: &str, words: &str) -> String {
    format!("{glyph} {words}").replace(' ', TIE)
}

fn row(place: &str, told: &[String]) -> Line {
    Line::of(Tone::Dim, format!("  {place:<16} ")).hanging().and(Tone::Plain, told.join("   "))
}

fn word(mark: Mark) -> &'static str {
    match mark {
        Mark::Package => "package",
        other => other.word(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn the_legend_has_every_mark_with_its_word() {
        assert_eq!(Mark::ALL.len(), Mark::Note as usize + 1, "the last mark is Note");
        for ascii in [false, true] {
            let theme = Theme { ascii, ..Theme::default() };
            let told: Vec<String> = legend(theme, "").iter().map(Line::text).collect();
            let told = told.join("\n").replace(TIE, " ");
            for mark in Mark::ALL.into_iter().filter(|&mark| mark != Mark::None) {
                let (glyph, word) = (theme.mark(mark), word(mark));
                assert!(!word.is_empty() && told.contains(&format!(" {glyph} {word}")), "{mark:?}: {told}");
            }
            let glyphs = theme.glyphs();
            for glyph in
                [glyphs.also, glyphs.cycle, glyphs.parents, glyphs.open, glyphs.closed, glyphs.marked, glyphs.fresh]
            {
                assert!(told.contains(glyph.trim()), "{glyph}: {told}");
            }
        }
    }

    #[test]
    fn what_a_mark_means_can_be_searched_for() {
        let told = legend(Theme::default(), "Missing");
        assert!(told.len() == 3 && told[2].text().replace(TIE, " ").contains("! missing"), "{told:?}");
        assert!(legend(Theme::default(), "unlink").is_empty());
        assert_eq!(legend(Theme::default(), "left out").len(), 3);
    }

    #[test]
    fn a_section_is_found_by_its_heading() {
        let found = |search| legend(Theme::default(), search).iter().map(Line::text).collect::<Vec<_>>();
        assert!(found("mouse").contains(&"Mouse".to_owned()) && found("mouse").len() > MOUSE.len());
        assert!(found("Marks").contains(&"Marks".to_owned()) && found("marks").len() > MARKS.len() + 2);
    }

    #[test]
    fn a_mark_and_its_word_stay_on_one_line() {
        for cells in 24..90 {
            for line in legend(Theme::default(), "").iter().filter(|line| line.text().contains(TIE)) {
                let rows = crate::explorer::model::wrap(line, cells);
                let rows: Vec<String> =
                    rows.iter().map(|row| row.iter().map(|span| span.text.as_str()).collect()).collect();
                let whole = line.text();
                for told in whole.split("   ").filter_map(|told| told.trim().rsplit(' ').next()) {
                    let told = told.replace(TIE, " ");
                    let short = told.len() < cells / 2;
                    assert!(!short || rows.iter().any(|row| row.contains(&told)), "{told} at {cells}: {rows:?}");
                }
            }
        }
    }

    #[test]
    fn no_mark_stands_for_two_things() {
        for ascii in [false, true] {
            let theme = Theme { ascii, ..Theme::default() };
            let glyphs = theme.glyphs();
            let marks = Mark::ALL.into_iter().filter(|&mark| mark != Mark::None);
            let mut all: Vec<(&str, &str)> = marks.map(|mark| (theme.mark(mark), word(mark))).collect();
            all.extend([(glyphs.also, "also"), (glyphs.cycle, "cycle"), (glyphs.parents, "parents")]);
            all.extend([(glyphs.marked.trim(), "marked"), (glyphs.fresh, "fresh")]);
            all.extend([(glyphs.open.trim(), "open"), (glyphs.closed.trim(), "closed")]);
            let mut met: HashMap<&str, &str> = HashMap::new();
            for (glyph, word) in all {
                // a broken contract is an error, and has the mark of one
                if let Some(other) = met.insert(glyph, word).filter(|_| word != "error") {
                    panic!("`{glyph}` is {other} and {word}");
                }
            }
        }
    }
}
