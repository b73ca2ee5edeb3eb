//! Where the thing under the cursor stands: the names from the outermost row down to it, in one line.

use super::wrap::{fit, fit_end, width};
use super::{Model, PaneId, Subject};

/// How far up the outermost row is looked for: chains may be a hundred thousand deep, and this is asked for each frame.
const DEEPEST: usize = 1_000;
/// Stands for names that are left out.
const GAP: &str = "…";

impl Model {
    /// The names on the way down to the thing that the detail is about, in at most so many cells and joined by `between`
    /// (directories by their own `/`). Cut in the middle: the outermost and the nearest ones say most.
    pub fn crumbs(&self, between: &str, cells: usize) -> String {
        let Some(shown) = &self.detail.shown else { return String::new() };
        if let Subject::Directory(_) = &shown.subject {
            let names: Vec<&str> = shown.title.split('/').collect();
            return joined(&names, "/", cells);
        }
        let outline = &self.pane(self.focus).outline;
        let here = outline.current().filter(|&id| outline.node(id).entry.subject == shown.subject);
        let above = here.into_iter().flat_map(|id| outline.ancestors(id)).take(DEEPEST);
        let mut names: Vec<&str> = above.map(|id| outline.node(id).entry.name.as_str()).collect();
        names.reverse();
        let last = match shown.subject {
            // where it is says which of its kind it is
            Subject::Finding(_) => &fit_end(&shown.title, cells),
            _ => &shown.title,
        };
        names.push(last);
        if self.focus == PaneId::Resources {
            shorten(&mut names);
        }
        joined(&names, between, cells)
    }
}

/// Leaves of a name that repeats the one above it (`local/atlas/src` under `local/atlas`) what is its own.
fn shorten(names: &mut [&str]) {
    for at in (1..names.len()).rev() {
        let own = names[at].strip_prefix(names[at - 1]).and_then(|rest| rest.strip_prefix('/'));
        if let Some(own) = own.filter(|own| !own.is_empty()) {
            names[at] = own;
        }
    }
}

/// The names in one line; where there is no room for all, the last stays, then the first, then those nearest to the last.
fn joined(names: &[&str], between: &str, cells: usize) -> String {
    let Some((&last, above)) = names.split_last() else { return String::new() };
    let step = width(between);
    let mut used = width(last);
    let whole = used + above.iter().map(|name| width(name) + step).sum::<usize>();
    if whole <= cells || above.is_empty() {
        return fit(&names.join(between), cells);
    }
    // something is left out, and told where that costs nothing of the thing's own name
    used += width(GAP) + step;
    if used > cells {
        return fit(last, cells);
    }
    let mut shown = vec![GAP, last];
    if let Some((&first, middle)) = above.split_first()
        && !middle.is_empty()
        && used + width(first) + step <= cells
    {
        used += width(first) + step;
        let near = middle.iter().skip(1).rev().take_while(|name| {
            used += width(name) + step;
            used <= cells
        });
        for name in near {
            shown.insert(1, name);
        }
        shown.insert(0, first);
    }
    fit(&shown.join(between), cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crumbs_are_cut_in_the_middle() {
        let names = ["atlas", "src", "model", "tree", "row.rs"];
        let told = |cells| joined(&names, " › ", cells);
        assert_eq!(told(40), "atlas › src › model › tree › row.rs");
        assert_eq!(told(35), "atlas › src › model › tree › row.rs");
        assert_eq!(told(34), "atlas › … › model › tree › row.rs");
        assert_eq!(told(32), "atlas › … › tree › row.rs");
        assert_eq!(told(18), "atlas › … › row.rs");
        assert_eq!(told(17), "… › row.rs");
        assert_eq!(told(9), "row.rs");
        assert_eq!(told(4), "row…");
        assert_eq!(told(0), "");
    }

    #[test]
    fn no_cut_is_wider_than_it_may_be() {
        let names = ["日本", "x\u{1b}y", "", "e\u{301}", "日本語"];
        for cells in 0..40 {
            let told = joined(&names, " › ", cells);
            assert!(width(&told) <= cells, "{told:?} in {cells}");
            assert!(!told.contains('\u{1b}'));
        }
    }

    #[test]
    fn of_one_name_its_beginning_stays() {
        assert_eq!(joined(&["repository"], "/", 6), "repos…");
        assert_eq!(joined(&[], "/", 6), "");
    }

    #[test]
    fn a_name_that_repeats_the_one_above_is_told_by_its_own_part() {
        let mut names = ["local/atlas", "local/atlas/src", "local/atlas/src/main.rs", "local/shared"];
        shorten(&mut names);
        assert_eq!(names, ["local/atlas", "src", "main.rs", "local/shared"]);
    }
}
