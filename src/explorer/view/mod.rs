//! From model to frame. Reads the model and changes nothing; costs the rows on screen, whatever the size behind them.

mod detail;
mod dialog;
mod legend;
mod looks;
mod tallies;
#[cfg(test)]
mod tests;
mod theme;
mod tree;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

pub use looks::Looks;
pub use theme::{Glyphs, Theme};

use crate::resources::thousands;

use super::model::{self, Action, Area, Layout, Model, PaneId, PaneState, Tone, fit, fit_end, width};

/// Draws the model; gives the line that what is scrolled in the dialog in front begins with, which the model is to be told.
pub fn draw(model: &Model, theme: Theme, frame: &mut Frame) -> Option<usize> {
    let first = paint(model, theme, frame);
    if theme.ascii {
        theme::in_ascii(frame.buffer_mut());
    }
    first
}

fn paint(model: &Model, theme: Theme, frame: &mut Frame) -> Option<usize> {
    let Rect { width: cells, height: rows, .. } = frame.area();
    let layout = model.layout_on(cells, rows);
    if layout.tiny {
        let room = usize::from(cells);
        let said =
            [&format!("dagwood needs 40x10, this is {cells}x{rows}"), "dagwood needs 40x10", "needs 40x10", "40x10"];
        let line = said.into_iter().find(|line| width(line) <= room).unwrap_or("40x10");
        Line::raw(fit(line, room)).render(frame.area(), frame.buffer_mut());
        return None;
    }
    header(model, theme, &layout, frame.buffer_mut());
    footer(model, theme, &layout, frame);
    let mut cursor = None;
    for id in PaneId::ALL {
        if let Some(area) = layout.panes[id as usize] {
            let focused = id == model.focus && !model.in_detail;
            let at = pane(model, theme, id, rect(area), focused, frame);
            if focused {
                cursor = at;
            }
        }
    }
    // after the rows: an open branch on the last one has its placeholder where the border goes
    column(model, theme, &layout, frame.buffer_mut());
    if let Some(area) = layout.detail {
        let at = detail::paint(model, theme, area, frame);
        if model.in_detail {
            cursor = at;
        }
    }
    if let Some(filter) = &model.filter {
        let (_, caret) = filter.shown(filter_room(model, layout.footer));
        let x = layout.footer.x + 2 + u16::try_from(caret).unwrap_or(0);
        cursor = Some((x.min(layout.footer.width.saturating_sub(1)), layout.footer.y));
    }
    let mut first = None;
    for dialog in &model.dialogs {
        let painted = dialog::paint(model, dialog, theme, frame);
        (cursor, first) = (Some(painted.caret), painted.first);
    }
    if !model.typed.is_empty() {
        dialog::following(model, theme, frame);
    }
    if let Some(at) = cursor {
        frame.set_cursor_position(at);
    }
    first
}

fn rect(area: Area) -> Rect {
    Rect { x: area.x, y: area.y, width: area.width, height: area.height }
}

/// A line whose two ends are set apart; the right one is dropped where there is no room for both.
fn two_ends(left: Vec<Span<'static>>, right: Vec<Span<'static>>, area: Rect, buffer: &mut Buffer) {
    let cells = |spans: &[Span]| spans.iter().map(Span::width).sum::<usize>();
    let gap = usize::from(area.width).saturating_sub(cells(&left) + cells(&right));
    let mut spans = left;
    if gap > 0 {
        spans.push(Span::raw(" ".repeat(gap)));
        spans.extend(right);
    }
    Line::from(spans).render(area, buffer);
}

fn header(model: &Model, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let read_only = model.read_only().then_some("read-only");
    let told = |from: &dyn Fn(&Vec<String>) -> usize| {
        let headers = model.headers.iter().flat_map(|of_part| &of_part[from(of_part)..]).map(String::as_str);
        read_only.into_iter().chain(headers).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("   ")
    };
    let left_of = |right: &str| usize::from(layout.header.width).saturating_sub(width(right) + 13);
    // where the place would have to be cut, each part says only its last word
    let whole = Some(told(&|_| 0)).filter(|right| width(&model.place) <= left_of(right));
    let right = whole.unwrap_or_else(|| told(&|of_part| of_part.len().saturating_sub(1)));
    let room = left_of(&right);
    let mut place = fit_end(&model.place, room);
    if theme.ascii && place.starts_with('…') {
        // `~` stands for the home folder here
        place = format!("..{}", fit_end(&model.place, room.saturating_sub(1)).trim_start_matches('…'));
    }
    let left = vec![Span::styled(" dagwood", theme.focus()), Span::raw("  "), Span::raw(fit(&place, room.max(8)))];
    let right = vec![Span::styled(format!("{} ", fit(&right, 200)), theme.tone(Tone::Dim))];
    two_ends(left, right, rect(layout.header), buffer);
}

/// What is told beside the filter while it is typed.
fn beside_filter(outline: &model::Outline) -> String {
    let state = outline.state().map(|state| format!("{} · ", only(state))).unwrap_or_default();
    format!("{state}{} · enter keeps · esc ends ", matches(outline.matches()))
}

/// The filter by a state.
fn only(state: &str) -> String {
    format!("only {}", fit(state, 16))
}

fn matches(count: usize) -> String {
    if count == 1 { "1 match".to_owned() } else { format!("{} matches", thousands(count)) }
}

/// The cells for the filter while it is typed; beside it stands what comes of it.
fn filter_room(model: &Model, footer: Area) -> usize {
    let beside = width(&beside_filter(&model.pane(model.focus).outline));
    usize::from(footer.width).saturating_sub(beside + 4).max(12)
}

/// The bottom line: the filter while it is typed, else what there is to tell, else the keys that help here.
fn footer(model: &Model, theme: Theme, layout: &Layout, frame: &mut Frame) {
    let area = rect(layout.footer);
    let buffer = frame.buffer_mut();
    let outline = &model.pane(model.focus).outline;
    if let Some(filter) = &model.filter {
        let left =
            vec![Span::styled(" /", theme.focus()), Span::raw(filter.shown(filter_room(model, layout.footer)).0)];
        let right = beside_filter(outline);
        return two_ends(left, vec![Span::styled(right, theme.tone(Tone::Dim))], area, buffer);
    }
    if let Some(progress) = &model.progress {
        let left = vec![Span::styled(format!(" {}", fit(progress, 200)), theme.tone(Tone::Accent))];
        return two_ends(
            left,
            vec![Span::styled(format!("{} stops it ", model.key_of(Action::Escape)), theme.tone(Tone::Dim))],
            area,
            buffer,
        );
    }
    // a dialog's keys stand on its own border, and no others work while it is open
    let covered = !model.dialogs.is_empty();
    let key = |action| model.key_of(action);
    let offer = model.offered().filter(|_| !covered);
    let offer = offer.map(|(action, label)| format!("{} {} “{}” ", key(action), action.spec().name, fit(label, 28)));
    let right = match model.tried() {
        0 => vec![Span::styled(offer.unwrap_or_default(), theme.tone(Tone::Dim))],
        count => {
            let list = if covered { String::new() } else { format!("{} ", key(Action::Tries)) };
            vec![Span::styled(format!("{list}what if: {count} tried "), theme.tone(Tone::Warn))]
        }
    };
    if let Some(notice) = &model.notice {
        let left = vec![Span::raw(format!(" {}", fit(notice, usize::from(area.width).saturating_sub(1))))];
        return two_ends(left, right, area, buffer);
    }
    if covered {
        return two_ends(Vec::new(), right, area, buffer);
    }
    let mut left = Vec::new();
    if outline.is_filtered() {
        let text = outline.filter().map(|text| format!("/{}", fit(text, 20)));
        let said: Vec<String> = text.into_iter().chain(outline.state().map(only)).collect();
        let said = format!(" {}  {} · {} ends it ", said.join("  "), matches(outline.matches()), key(Action::Escape));
        left.push(Span::styled(said, theme.tone(Tone::Accent)));
    }
    if outline.marks() > 0 && !model.in_detail {
        left.push(Span::styled(format!(" {} marked ", thousands(outline.marks())), theme.tone(Tone::Accent)));
    }
    let mut used: usize = left.iter().map(Span::width).sum();
    let hint = |(action, text): (Action, &str)| {
        [Span::styled(format!(" {} ", key(action)), theme.tone(Tone::Accent)), Span::raw(format!("{text} "))]
    };
    // the one hint that leads to all others is never the one dropped
    let help = hint((Action::Help, "help"));
    used += help.iter().map(Span::width).sum::<usize>();
    for shown in model.hints() {
        let hint = hint(shown);
        let cells: usize = hint.iter().map(Span::width).sum();
        if used + cells > usize::from(area.width) {
            break;
        }
        used += cells;
        left.extend(hint);
    }
    left.extend(help);
    two_ends(left, right, area, buffer);
}

/// The borders of the column of panes, shared between neighbours, with the titles in them.
fn column(model: &Model, theme: Theme, layout: &Layout, buffer: &mut Buffer) {
    let Some(column) = layout.column else { return };
    let glyphs = theme.glyphs();
    let quiet = theme.tone(Tone::Dim);
    let shown: Vec<PaneId> = PaneId::ALL.into_iter().filter(|&id| layout.panes[id as usize].is_some()).collect();
    for (nth, &id) in shown.iter().enumerate() {
        let Some(area) = layout.panes[id as usize] else { continue };
        let style = if id == model.focus && !model.in_detail { theme.focus() } else { quiet };
        let (left, right) =
            if nth == 0 { (glyphs.top_left, glyphs.top_right) } else { (glyphs.tee_left, glyphs.tee_right) };
        let title = format!(" {} {} ", id as usize + 1, id.title());
        let pane = model.pane(id);
        let counts = if pane.state == PaneState::Loading {
            " reading… ".to_owned()
        } else {
            let view = match id {
                PaneId::Resources => model.view.name(),
                // the other panes show the try then
                PaneId::Problems if model.tried() > 0 => "on disk",
                _ => "",
            };
            tallies::tallies(&pane.counts, view, theme, beside(column.width, &title))
        };
        border_line(
            buffer,
            (area.x - 1, area.y - 1),
            column.width,
            [left, glyphs.horizontal, right],
            style,
            [&title, &counts],
        );
        for y in area.y..area.y + area.height {
            put(buffer, area.x - 1, y, glyphs.vertical, style);
            put(buffer, area.x + area.width, y, glyphs.vertical, style);
        }
        thumb(buffer, theme, area, pane.outline.offset(), pane.outline.rows().len(), style);
        fresh(model, theme, id, area, buffer);
        if nth + 1 == shown.len() {
            let at = (area.x - 1, area.y + area.height);
            let ends = [glyphs.bottom_left, glyphs.horizontal, glyphs.bottom_right];
            border_line(buffer, at, column.width, ends, style, ["", ""]);
        }
    }
}

/// Marks on the left border beside the rows that have just changed, so that nothing in a row moves.
fn fresh(model: &Model, theme: Theme, id: PaneId, area: Area, buffer: &mut Buffer) {
    let outline = &model.pane(id).outline;
    let (sticky, window) = outline.window(usize::from(area.height));
    for (y, &row) in (area.y..).zip(sticky.iter().chain(&outline.rows()[window])) {
        if model.is_fresh(id, row) {
            put(buffer, area.x - 1, y, theme.glyphs().fresh, theme.fresh());
            let cells = Rect { x: area.x, y, width: area.width, height: 1 };
            buffer.set_style(cells, Style::new().add_modifier(Modifier::BOLD));
        }
    }
}

/// A scroll bar on the right border: which part of the rows is on screen, where they do not all fit.
fn thumb(buffer: &mut Buffer, theme: Theme, area: Area, from: usize, rows: usize, style: Style) {
    let height = usize::from(area.height);
    if rows <= height || height < 2 {
        return;
    }
    let size = (height * height / rows).max(1);
    let at = from.min(rows - height) * (height - size) / (rows - height);
    for line in at..at + size {
        let y = area.y + u16::try_from(line).unwrap_or(0);
        put(buffer, area.x + area.width, y, theme.glyphs().thumb, style);
    }
}

fn put(buffer: &mut Buffer, x: u16, y: u16, symbol: &str, style: Style) {
    if let Some(cell) = buffer.cell_mut((x, y)) {
        cell.set_symbol(symbol).set_style(style);
    }
}

/// The cells for a note at the right end of a border with a title.
fn beside(cells: u16, title: &str) -> usize {
    usize::from(cells).saturating_sub(4).saturating_sub(width(title) + 1)
}

/// A horizontal border with a text at each end; the right one is dropped where there is no room for both.
fn border_line(
    buffer: &mut Buffer,
    (x, y): (u16, u16),
    cells: u16,
    [left, line, right]: [&str; 3],
    style: Style,
    [title, note]: [&str; 2],
) {
    for at in x..x + cells {
        put(buffer, at, y, line, style);
    }
    put(buffer, x, y, left, style);
    put(buffer, x + cells - 1, y, right, style);
    let title = fit(title, usize::from(cells).saturating_sub(4));
    buffer.set_string(x + 1, y, &title, style);
    let room = beside(cells, &title);
    let note = if width(note) > room { format!("{} ", fit(note, room.saturating_sub(1))) } else { fit(note, room) };
    let wide = u16::try_from(width(&note)).unwrap_or(0);
    if width(note.trim()) > 1 {
        buffer.set_string(x + cells - 2 - wide, y, &note, style);
    }
}

/// A pane's rows, or what it says instead.
fn pane(model: &Model, theme: Theme, id: PaneId, area: Rect, focused: bool, frame: &mut Frame) -> Option<(u16, u16)> {
    let pane = model.pane(id);
    let said: &[model::Line] = match &pane.state {
        PaneState::Failed(why) => why,
        PaneState::Loading if pane.outline.rows().is_empty() => &[],
        PaneState::Ready if pane.outline.rows().is_empty() => {
            if pane.outline.is_filtered() {
                &[]
            } else {
                &pane.hint.short
            }
        }
        PaneState::Loading | PaneState::Ready => return tree::paint(frame, area, &pane.outline, theme, focused),
    };
    let nothing = match (&pane.state, pane.outline.is_filtered()) {
        (PaneState::Loading, _) => "reading…".to_owned(),
        (_, true) => format!("nothing matches the filter; {} ends it", model.key_of(Action::Escape)),
        _ => "nothing here".to_owned(),
    };
    let nothing = [model::Line::of(Tone::Dim, nothing)];
    let said = if said.is_empty() { &nothing[..] } else { said };
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    detail::lines(said, 0, None, theme, inner, frame.buffer_mut());
    Some((area.x, area.y))
}
