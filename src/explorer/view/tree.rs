//! A pane's rows, painted by tui-tree-widget. The widget holds a whole tree by value, so it is given only the window:
//! items for the rows on screen and for the ancestors of the first one, which stay on top.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span, Text};
use tui_tree_widget::{Tree, TreeItem, TreeState};

use super::theme::Theme;
use crate::explorer::model::{
    Entry, Fold, Mark, Node, NodeId, Occurrence, Outline, Subject, Tone, fit, fit_end, width,
};

/// Stands below a branch none of whose rows is in the window, so that it shows its arrow.
const PLACEHOLDER: NodeId = NodeId::MAX;

/// Paints the rows of an outline; gives the cell at which the row under the cursor begins.
pub fn paint(frame: &mut Frame, area: Rect, outline: &Outline, theme: Theme, focused: bool) -> Option<(u16, u16)> {
    let (sticky, window) = outline.window(usize::from(area.height));
    let cursor = outline.current()?;
    let mut shown = sticky.clone();
    shown.extend_from_slice(&outline.rows()[window.clone()]);
    let base = shown.first().map_or(0, |&id| outline.node(id).depth);
    let mut painter = Painter {
        outline,
        theme,
        cells: usize::from(area.width),
        base,
        shown: &shown,
        next: 0,
        state: TreeState::default(),
        path: Vec::new(),
        cursor_path: Vec::new(),
        cursor,
    };
    let items = painter.items(0);
    let (mut state, path) = (painter.state, painter.cursor_path);
    state.select(path);
    let glyphs = theme.glyphs();
    let tree = Tree::new(&items)
        .ok()?
        .node_closed_symbol(glyphs.closed)
        .node_open_symbol(glyphs.open)
        .node_no_children_symbol(glyphs.leaf)
        .highlight_style(if focused { theme.cursor() } else { theme.resting() });
    frame.render_stateful_widget(tree, area, &mut state);
    let line = sticky.len() + outline.cursor().checked_sub(window.start)?;
    Some((area.x, area.y + u16::try_from(line).ok()?))
}

struct Painter<'a> {
    outline: &'a Outline,
    theme: Theme,
    cells: usize,
    base: u32,
    shown: &'a [NodeId],
    next: usize,
    state: TreeState<NodeId>,
    path: Vec<NodeId>,
    cursor_path: Vec<NodeId>,
    cursor: NodeId,
}

impl Painter<'_> {
    /// The items at a level, as far as they follow one another. Recurses as deep as the screen is high.
    fn items(&mut self, level: u32) -> Vec<TreeItem<'static, NodeId>> {
        let mut items = Vec::new();
        while let Some(&id) = self.shown.get(self.next) {
            let node = self.outline.node(id);
            if node.depth.saturating_sub(self.base) != level {
                break;
            }
            self.next += 1;
            self.path.push(id);
            if id == self.cursor {
                self.cursor_path.clone_from(&self.path);
            }
            let text = self.row(id, level);
            let below = self.items(level + 1);
            let arrow = node.fold != Fold::Leaf;
            let open = !below.is_empty() || node.fold == Fold::Open;
            if open {
                self.state.open(self.path.clone());
            }
            self.path.pop();
            let below = match (below.is_empty(), arrow) {
                (true, true) => vec![TreeItem::new_leaf(PLACEHOLDER, Text::default())],
                _ => below,
            };
            // children have ids of their own, so the widget finds no two alike
            if let Ok(item) = TreeItem::new(id, text, below) {
                items.push(item);
            }
        }
        items
    }

    /// A row: mark, name, where else it stands, and the right-hand column where there is room.
    fn row(&self, id: NodeId, level: u32) -> Line<'static> {
        let node = self.outline.node(id);
        let marked = 2 * usize::from(self.outline.is_marked(id));
        let cells = self.cells.saturating_sub(2 * level as usize + 2 + marked);
        let filter = self.outline.filter().filter(|_| self.outline.is_match(id));
        let mut line = row(node, self.outline.also_under(id), cells, self.theme, filter);
        if self.outline.is_marked(id) {
            line = line.patch_style(self.theme.marked());
            line.spans.insert(0, Span::styled(self.theme.glyphs().marked, self.theme.focus()));
        }
        line
    }
}

fn row(of: &Node, also_under: Option<&str>, cells: usize, theme: Theme, filter: Option<&str>) -> Line<'static> {
    let Node { entry, fold, .. } = of;
    let mut spans = Vec::new();
    let mark = theme.mark(entry.mark);
    let mut room = cells;
    if entry.mark != Mark::None {
        // two cells: some terminals draw these marks wide
        spans.push(Span::styled(format!("{mark} "), theme.mark_style(entry.mark)));
        room = room.saturating_sub(2);
    }
    let glyphs = theme.glyphs();
    let mut end = if entry.parents > 1 { format!(" {}{}", glyphs.parents, entry.parents) } else { String::new() };
    if *fold == Fold::Reading {
        end.push_str(" reading…");
    }
    // where else it stands, told shorter where there is no room for it
    let [long, short] = match (entry.occurrence, also_under) {
        (Occurrence::AlsoAt(_), Some(name)) => {
            [format!(" {} also under {name}{end}", glyphs.also), format!(" {}{end}", glyphs.also)]
        }
        (Occurrence::First | Occurrence::AlsoAt(_), _) => [end.clone(), end],
        (Occurrence::Cycle, _) => [format!(" {} cycle{end}", glyphs.cycle), format!(" {}{end}", glyphs.cycle)],
    };
    let whole = width(&entry.name);
    let note = note(&entry.note, room.saturating_sub(whole.min(18) + 2), room.saturating_sub(whole + 1));
    let left = room.saturating_sub(width(&note) + usize::from(!note.is_empty()));
    let fits = |beside: &String, name: usize| width(beside) + name <= left;
    let told = Some(long).filter(|long| fits(long, whole)).or(Some(short).filter(|short| fits(short, whole.min(12))));
    let beside = told.unwrap_or_default();
    let name = name(entry, left.saturating_sub(width(&beside)));
    let used = width(&name) + width(&beside);
    spans.extend(highlighted(&name, filter, theme));
    spans.push(Span::styled(fit(&beside, left), theme.tone(Tone::Dim)));
    if note.is_empty() {
        spans.push(Span::raw(" ".repeat(room.saturating_sub(used))));
    } else {
        spans.push(Span::raw(" ".repeat((left + 1).saturating_sub(used))));
        spans.push(Span::styled(note, theme.tone(Tone::Dim)));
    }
    Line::from(spans)
}

/// The right-hand column in so many cells: whole, else its last part (of `3 only · 5/5` the `5/5`), else as much as fits
/// beside the whole name, so that something is seen to be cut.
fn note(note: &str, cells: usize, beside: usize) -> String {
    if width(note) <= cells {
        return fit(note, cells);
    }
    let last = note.rsplit(" · ").next().unwrap_or(note);
    if last.len() < note.len() && width(last) <= cells { fit(last, cells) } else { fit(note, beside) }
}

/// The name in so many cells. Of where a finding is the end says most, when there is no room for all of it.
fn name(entry: &Entry, cells: usize) -> String {
    match &entry.subject {
        Subject::Finding(finding) if width(&finding.place()) >= cells => fit_end(&finding.place(), cells),
        _ => fit(&entry.name, cells),
    }
}

/// The name with what matches the filter made to stand out.
fn highlighted(name: &str, filter: Option<&str>, theme: Theme) -> Vec<Span<'static>> {
    let lower = name.to_lowercase();
    let found = filter.filter(|text| !text.is_empty()).and_then(|text| {
        let at = lower.find(&text.to_lowercase())?;
        let end = at + text.to_lowercase().len();
        // lower case may be longer or shorter than what it stands for
        (lower.len() == name.len() && name.is_char_boundary(at) && name.is_char_boundary(end)).then_some((at, end))
    });
    match found {
        None => vec![Span::raw(name.to_owned())],
        Some((at, end)) => vec![
            Span::raw(name[..at].to_owned()),
            Span::styled(name[at..end].to_owned(), theme.hit()),
            Span::raw(name[end..].to_owned()),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_column_is_never_dropped_unseen() {
        let told = |name: &str, note: &str, cells| {
            let mut outline = Outline::default();
            let entry = Entry::new(Subject::Package(name.into()), Mark::None, name, note);
            let id = outline.add(None, entry, Fold::Leaf);
            let line = row(outline.node(id), None, cells, Theme::default(), None);
            line.spans.iter().map(|span| span.content.as_ref()).collect::<String>()
        };
        assert_eq!(told("base", "3 only · 5/5", 20), "base    3 only · 5/5");
        assert_eq!(told("a-package-with-a-long-name", "3 only · 5/5", 34), "a-package-with-a-lon… 3 only · 5/5");
        assert_eq!(told("a-package-with-a-long-name", "3 only · 5/5", 30), "a-package-with-a-long-name 5/5");
        assert_eq!(told("a-package-with-a-long-name", "13 only · 15/15", 30), "a-package-with-a-long-n… 15/15");
        assert_eq!(told("reviewer", "missing, of base", 20), "reviewer missing, o…");
        assert_eq!(told("a-longer-name-yet", "missing, of base", 20), "a-longer-name-yet m…");
        for cells in 0..40 {
            for note in ["3 only · 5/5", "missing, of base", "agent"] {
                let told = told("a-longer-name", note, cells);
                assert_eq!(width(&told), cells, "{told}");
                let whole = told.contains("a-longer-name") && told.contains(note);
                assert!(whole || told.contains('…') || told.ends_with("5/5") || cells < 15, "{told:?} in {cells}");
            }
        }
    }
}
