//! The counts in a pane's heading. Where they do not all fit, those that say least are left out, never what is owed.

use super::theme::Theme;
use crate::explorer::model::{Mark, width};

/// The counts, and the name of the view, in at most so many cells as far as that can be. The view is told before any count.
pub fn tallies(counts: &[(String, Mark)], view: &str, theme: Theme, cells: usize) -> String {
    let mut shown: Vec<&(String, Mark)> = counts.iter().filter(|(text, _)| !text.is_empty()).collect();
    let line = |shown: &[&(String, Mark)]| {
        let said = shown.iter().map(|(text, mark)| format!("{text} {}", theme.mark(*mark)).trim().to_owned());
        let said: Vec<String> = said.chain([view.to_owned()]).filter(|text| !text.is_empty()).collect();
        format!(" {} ", said.join("  "))
    };
    let least = usize::from(view.is_empty());
    while shown.len() > least && width(&line(&shown)) > cells {
        let nothing = shown.iter().position(|(text, _)| text == "0");
        let settled = || shown.iter().position(|(_, mark)| !is_pressing(*mark));
        let first = || (!view.is_empty()).then_some(0);
        let Some(least) = nothing.or_else(settled).or_else(first) else { break };
        shown.remove(least);
    }
    line(&shown)
}

/// Whether what is counted waits for somebody.
fn is_pressing(mark: Mark) -> bool {
    matches!(mark, Mark::Owed | Mark::Missing | Mark::Error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_owed_is_the_last_to_go() {
        let counts = |numbers: [&str; 3]| {
            let marks = [Mark::Documented, Mark::Exempt, Mark::Owed];
            numbers.iter().zip(marks).map(|(number, mark)| ((*number).to_owned(), mark)).collect::<Vec<_>>()
        };
        let told = |numbers, cells| tallies(&counts(numbers), "", Theme::default(), cells);
        assert_eq!(told(["15", "0", "15"], 17), " 15 ●  0 ◌  15 ○ ");
        assert_eq!(told(["15", "0", "15"], 16), " 15 ●  15 ○ ");
        assert_eq!(told(["15", "7", "0"], 15), " 15 ●  7 ◌ ", "nothing owed is nothing to tell");
        assert_eq!(told(["1500", "1501", "15000"], 20), " 1501 ◌  15000 ○ ");
        assert_eq!(told(["1500", "1501", "15000"], 10), " 15000 ○ ");
        assert_eq!(told(["1500", "1501", "15000"], 1), " 15000 ○ ");
        let viewed = |cells| tallies(&counts(["15", "0", "15"]), "on disk", Theme::default(), cells);
        assert_eq!(viewed(15), " 15 ○  on disk ");
        assert_eq!(viewed(14), " on disk ", "the view is told before any count");
    }
}
