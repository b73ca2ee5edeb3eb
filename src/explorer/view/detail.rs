//! The right-hand side: its border, its tabs, its lines.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use super::theme::Theme;
use super::{border_line, put, rect};
use crate::explorer::model::{self, Area, Model, PaneId, PaneState, ResourceView, Tone, fit, width, wrap};

/// Paints the detail; gives the cell of the line under its cursor.
pub fn paint(model: &Model, theme: Theme, area: Area, frame: &mut Frame) -> Option<(u16, u16)> {
    let glyphs = theme.glyphs();
    let style = if model.in_detail { theme.focus() } else { theme.tone(Tone::Dim) };
    let shown = model.detail.shown.as_ref();
    let cells = usize::from(area.width).saturating_sub(7);
    let whole = width(&model.crumbs(between(model), usize::MAX));
    let [full, state] = shown.map(|detail| badge(detail, theme)).unwrap_or_default();
    // one end is cut, not both: what is beside the state goes first, then where it stands, but for half of the line
    let badge = if whole + width(&full) <= cells { full } else { state };
    let room = cells.saturating_sub(width(&badge)).max(cells / 2);
    let crumbs = model.crumbs(between(model), room);
    let title = if crumbs.is_empty() { crumbs } else { format!(" {crumbs} ") };
    let buffer = frame.buffer_mut();
    let ends = [glyphs.top_left, glyphs.horizontal, glyphs.top_right];
    border_line(buffer, (area.x, area.y), area.width, ends, style, [&title, &badge]);
    for y in area.y + 1..area.y + area.height - 1 {
        put(buffer, area.x, y, glyphs.vertical, style);
        put(buffer, area.x + area.width - 1, y, glyphs.vertical, style);
    }
    let ends = [glyphs.bottom_left, glyphs.horizontal, glyphs.bottom_right];
    border_line(buffer, (area.x, area.y + area.height - 1), area.width, ends, style, ["", &position(model, area)]);
    let Some(detail) = shown else {
        let inner = Rect { x: area.x + 2, y: area.y + 1, width: area.width.saturating_sub(4), height: area.height - 2 };
        lines(&invitation(model), 0, None, theme, inner, buffer);
        return None;
    };
    if detail.tabs.len() > 1 {
        let mut spans = Vec::new();
        for (nth, tab) in detail.tabs.iter().enumerate() {
            let look = if nth == model.detail.tab.min(detail.tabs.len() - 1) {
                theme.focus().add_modifier(Modifier::UNDERLINED)
            } else {
                theme.tone(Tone::Dim)
            };
            spans.push(Span::styled(fit(&tab.name, 24), look));
            spans.push(Span::raw("   "));
        }
        let names = Rect { x: area.x + 2, y: area.y + 1, width: area.width.saturating_sub(4), height: 1 };
        Line::from(spans).render(names, buffer);
    }
    let body = rect(model.detail.body(area));
    let inside = Area { x: area.x, y: body.y, width: area.width - 1, height: body.height };
    super::thumb(buffer, theme, inside, model.detail.scroll, model.detail.lines().len(), style);
    let cursor = model.in_detail.then_some(model.detail.cursor);
    lines(model.detail.lines(), model.detail.scroll, cursor, theme, body, buffer)
}

/// What stands between the names on the way down to a thing; what contains a resource stands below it in that view.
fn between(model: &Model) -> &'static str {
    if model.focus == PaneId::Resources && model.view == ResourceView::Parents { " ‹ " } else { " › " }
}

/// The state with what is told beside it, and the state alone; where there is none, both are what is told.
fn badge(detail: &model::Detail, theme: Theme) -> [String; 2] {
    let mark = theme.mark(detail.mark);
    let told = |words: &[&str]| {
        let words = [mark, &words.join(" · ")].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" ");
        format!(" {words} ")
    };
    match (detail.mark.word(), detail.badge.as_str()) {
        ("", badge) => [told(&[badge]), told(&[badge])],
        (state, "") => [told(&[state]), told(&[state])],
        (state, badge) => [told(&[state, badge]), told(&[state])],
    }
}

/// `12/80` where the lines do not all fit.
fn position(model: &Model, area: Area) -> String {
    let count = model.detail.lines().len();
    if count <= usize::from(model.detail.body(area).height) && model.detail.scroll == 0 {
        return String::new();
    }
    format!(" {}/{count} ", model.detail.cursor.max(model.detail.scroll) + 1)
}

/// What the detail says when there is nothing under the cursor.
fn invitation(model: &Model) -> Vec<model::Line> {
    if matches!(model.pane(model.focus).state, PaneState::Loading) {
        return vec![model::Line::of(Tone::Dim, "reading…")];
    }
    Vec::new()
}

/// Paints lines from one on, each broken into as many rows as it needs; gives the cell of the one under the cursor.
pub fn lines(
    lines: &[model::Line],
    from: usize,
    cursor: Option<usize>,
    theme: Theme,
    area: Rect,
    buffer: &mut Buffer,
) -> Option<(u16, u16)> {
    let mut y = area.y;
    let mut at = None;
    for (nth, line) in lines.iter().enumerate().skip(from) {
        for row in wrap(line, usize::from(area.width)) {
            if y >= area.y + area.height {
                return at;
            }
            if cursor == Some(nth) && at.is_none() {
                at = Some((area.x, y));
            }
            let leads = line.target.is_some();
            let spans: Vec<Span> = row
                .into_iter()
                .map(|span| {
                    let style = theme.tone(span.tone);
                    Span::styled(
                        span.text,
                        if leads && span.tone == Tone::Accent {
                            style.add_modifier(Modifier::UNDERLINED)
                        } else {
                            style
                        },
                    )
                })
                .collect();
            let cells = Rect { y, height: 1, ..area };
            Line::from(spans).render(cells, buffer);
            if cursor == Some(nth) {
                buffer.set_style(cells, theme.cursor());
            }
            y += 1;
        }
    }
    at
}
