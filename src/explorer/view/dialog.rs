//! What lies over the panes.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Clear, Widget};

use super::legend::legend;
use super::theme::Theme;
use super::{border_line, detail, put};
use crate::explorer::model::{
    self, Dialog, Find, Form, Input, Model, Picker, Plan, Request, Stage, Stop, Tone, fit, help, palette, width, wrap,
};
use crate::resources::thousands;

/// What came of painting a dialog.
pub struct Painted {
    /// The cell of its caret or cursor.
    pub caret: (u16, u16),
    /// The line that what is scrolled begins with, where it can be.
    pub first: Option<usize>,
}

impl Painted {
    fn still(caret: (u16, u16)) -> Painted {
        Painted { caret, first: None }
    }

    fn scrolled(caret: (u16, u16), first: usize) -> Painted {
        Painted { caret, first: Some(first) }
    }
}

/// Paints a dialog.
pub fn paint(model: &Model, dialog: &Dialog, theme: Theme, frame: &mut Frame) -> Painted {
    match dialog {
        Dialog::Plan(plan) => paint_plan(model, plan, theme, frame),
        Dialog::Picker(picker) => Painted::still(paint_picker(picker, theme, frame)),
        Dialog::Find(find) => Painted::still(paint_find(find, theme, frame)),
        Dialog::Help { search, scroll } => {
            let area = boxed(frame, theme, (84, 40), "Help", "type to search · esc closes");
            let at = search_line(search, "", theme, Rect { height: 1, ..area }, frame.buffer_mut());
            let mut lines = help(&model.keymap, model.focus, search.text());
            lines.extend(legend(theme, search.text()));
            if lines.is_empty() {
                lines.push(model::Line::of(Tone::Dim, "nothing"));
            }
            let body = below(area, 2);
            let from = first(*scroll, last_start(&lines, body));
            detail::lines(&lines, from, None, theme, body, frame.buffer_mut());
            Painted::scrolled(at, from)
        }
        Dialog::Palette { search, cursor } => {
            let area = boxed(frame, theme, (84, 18), "Do", "enter does it · esc closes");
            let at = search_line(search, ":", theme, Rect { height: 1, ..area }, frame.buffer_mut());
            // a line an action, so that the cursor's is on screen
            let room = usize::from(area.width).saturating_sub(17 + 9);
            let found: Vec<model::Line> = palette(search.text())
                .into_iter()
                .map(|spec| {
                    let refused = model.refusal(spec.action).is_some();
                    let tone = if refused { Tone::Dim } else { Tone::Plain };
                    model::Line::of(tone, format!("{:<16} ", spec.name))
                        .and(Tone::Dim, format!("{:<room$} ", fit(spec.text, room)))
                        .and(Tone::Accent, model.keymap.key(model.focus, spec.action))
                })
                .collect();
            let body = below(area, 2);
            let from = (cursor + 1).saturating_sub(usize::from(body.height));
            detail::lines(&found, from, Some(*cursor), theme, body, frame.buffer_mut());
            Painted::still(at)
        }
        Dialog::Tasks { written, scroll } => paint_tasks(model, written.as_deref(), *scroll, theme, frame),
        Dialog::Notice { title, lines, scroll } => {
            let height = u16::try_from(lines.len()).unwrap_or(20).saturating_add(4);
            let area = boxed(frame, theme, (90, height.min(24)), title, "esc closes");
            let from = first(*scroll, last_start(lines, area));
            detail::lines(lines, from, None, theme, area, frame.buffer_mut());
            Painted::scrolled((area.x, area.y), from)
        }
        Dialog::Quit { why } => {
            let area = boxed(frame, theme, (60, 5), "Quit?", "y quits · esc stays");
            let said = [model::Line::plain(why.as_str())];
            detail::lines(&said, 0, None, theme, area, frame.buffer_mut());
            Painted::still((area.x, area.y))
        }
    }
}

/// The first line on show of what is scrolled so far. What is greater than any text is counted from the end.
fn first(scroll: usize, last: usize) -> usize {
    const FROM_END: usize = usize::MAX / 2;
    if scroll > FROM_END { last.saturating_sub(usize::MAX - scroll) } else { scroll.min(last) }
}

/// A cleared box in the middle of the screen; gives its inside.
fn boxed(frame: &mut Frame, theme: Theme, (cells, rows): (u16, u16), title: &str, keys: &str) -> Rect {
    let area = box_of(frame.area(), (cells, rows));
    let Rect { width, height, .. } = area;
    frame.render_widget(Clear, area);
    let glyphs = theme.glyphs();
    let buffer = frame.buffer_mut();
    let title = format!(" {title} ");
    let ends = [glyphs.top_left, glyphs.horizontal, glyphs.top_right];
    border_line(buffer, (area.x, area.y), width, ends, theme.focus(), [&title, ""]);
    for y in area.y + 1..area.y + height - 1 {
        put(buffer, area.x, y, glyphs.vertical, theme.focus());
        put(buffer, area.x + width - 1, y, glyphs.vertical, theme.focus());
    }
    let ends = [glyphs.bottom_left, glyphs.horizontal, glyphs.bottom_right];
    let keys = format!(" {keys} ");
    border_line(buffer, (area.x, area.y + height - 1), width, ends, theme.focus(), ["", &keys]);
    inside(area)
}

/// Where a box of a size lies on the screen, or as much of it as there is room for.
fn box_of(screen: Rect, (cells, rows): (u16, u16)) -> Rect {
    let (width, height) = (cells.min(screen.width.saturating_sub(2)), rows.min(screen.height.saturating_sub(2)));
    Rect { x: (screen.width - width) / 2, y: (screen.height - height) / 2, width, height }
}

fn inside(area: Rect) -> Rect {
    let (width, height) = (area.width.saturating_sub(4), area.height.saturating_sub(2));
    Rect { x: area.x + 2, y: area.y + 1, width, height }
}

fn below(area: Rect, rows: u16) -> Rect {
    Rect { y: area.y + rows, height: area.height.saturating_sub(rows), ..area }
}

/// The line to begin with so that the last one is the last on the screen.
fn last_start(lines: &[model::Line], body: Rect) -> usize {
    // one that is higher than the screen is begun with, too
    lines.len() - fitting(lines.iter().rev(), body).max(1).min(lines.len())
}

/// How many lines, each broken into as many rows as it needs, there is room for.
fn fitting<'a>(lines: impl Iterator<Item = &'a model::Line>, body: Rect) -> usize {
    let mut left = usize::from(body.height);
    let rows = |line: &model::Line| wrap(line, usize::from(body.width)).len();
    lines.take_while(|line| left.checked_sub(rows(line)).map(|rest| left = rest).is_some()).count()
}

fn search_line(input: &Input, prompt: &str, theme: Theme, area: Rect, buffer: &mut Buffer) -> (u16, u16) {
    let lead = width(prompt) + 1;
    let (text, caret) = input.shown(usize::from(area.width).saturating_sub(lead));
    let shown = if text.is_empty() { Span::styled("search", theme.tone(Tone::Dim)) } else { Span::raw(text) };
    Line::from(vec![Span::styled(format!("{prompt} "), theme.focus()), shown]).render(area, buffer);
    let x = area.x + u16::try_from(lead + caret).unwrap_or(0);
    (x.min(area.x + area.width.saturating_sub(1)), area.y)
}

fn paint_plan(model: &Model, plan: &Plan, theme: Theme, frame: &mut Frame) -> Painted {
    // the box is 96 cells wide where there is room, and the names of the fields take 14
    let room = usize::from(frame.area().width.saturating_sub(2).min(96)).saturating_sub(4 + 14);
    let form = plan.form.as_ref().map(|form| form_rows(form, plan.field, room)).unwrap_or_default();
    let rows = match &plan.stage {
        Stage::Ready(preview) | Stage::Shown(preview) => preview.lines.len() + 4,
        Stage::Refused(why) | Stage::Failed(why) => why.len() + 3,
        Stage::Waiting | Stage::Writing => 6,
    };
    let wanted = u16::try_from(rows + form.len() + usize::from(!form.is_empty())).unwrap_or(60) + 3;
    // while a form is edited its box keeps its size, so that the fields stay where they are
    let size = (96, wanted.max(if form.is_empty() { 5 } else { 24 }));
    let area = inside(box_of(frame.area(), size));
    let height = if form.is_empty() { 0 } else { form_height(form.len(), area.height) };
    let body = below(area, height + u16::from(height > 0));
    let waiting = [model::Line::of(Tone::Dim, "thinking it out…"), far(model)];
    let doing = [model::Line::of(Tone::Accent, "doing it…"), far(model)];
    let (lines, effect): (&[model::Line], &str) = match &plan.stage {
        Stage::Waiting => (&waiting, ""),
        Stage::Writing => (&doing, ""),
        Stage::Refused(why) | Stage::Failed(why) => (why, ""),
        Stage::Ready(preview) | Stage::Shown(preview) => (&preview.lines, &preview.effect),
    };
    let upper = Rect { height: body.height.saturating_sub(u16::from(!effect.is_empty()) * 2), ..body };
    let part = Part::of(lines, plan.scroll, upper);
    boxed(frame, theme, size, &plan_title(plan), &plan_keys(plan, part.scrolls));
    let buffer = frame.buffer_mut();
    let caret = if form.is_empty() { None } else { paint_form(&form, theme, Rect { height, ..area }, buffer) };
    part.paint(lines, theme, upper, buffer);
    if !effect.is_empty() && body.height > 0 {
        let line = Rect { y: body.y + body.height.saturating_sub(1), height: 1, ..body };
        let text = fit(effect, usize::from(line.width));
        Line::styled(text, theme.tone(Tone::Strong)).render(line, buffer);
    }
    Painted::scrolled(caret.unwrap_or((area.x, area.y)), part.from)
}

/// The part of some lines that is in sight, where not all of them fit.
struct Part {
    /// The first line.
    from: usize,
    /// How many there are below the last one; the last row says so, where there is room for one.
    more: usize,
    /// Whether there are more than fit.
    scrolls: bool,
}

impl Part {
    fn of(lines: &[model::Line], scroll: usize, area: Rect) -> Part {
        let last = last_start(lines, area);
        let from = first(scroll, last).min(lines.len().saturating_sub(1));
        let scrolls = last > 0;
        if from == last || area.height < 2 {
            return Part { from, more: 0, scrolls };
        }
        let shown = fitting(lines[from..].iter(), Rect { height: area.height - 1, ..area }).max(1);
        Part { from, more: lines.len() - from - shown, scrolls }
    }

    fn paint(&self, lines: &[model::Line], theme: Theme, area: Rect, buffer: &mut Buffer) {
        if self.more == 0 {
            detail::lines(lines, self.from, None, theme, area, buffer);
            return;
        }
        let upper = Rect { height: area.height.saturating_sub(1), ..area };
        detail::lines(&lines[..lines.len() - self.more], self.from, None, theme, upper, buffer);
        let last = Rect { y: area.y + upper.height, height: area.height - upper.height, ..area };
        let said = model::Line::of(Tone::Dim, format!("{} more below", thousands(self.more)));
        detail::lines(&[said], 0, None, theme, last, buffer);
    }
}

/// How far a write is, or the preview of one.
fn far(model: &Model) -> model::Line {
    model::Line::of(Tone::Dim, model.progress.as_deref().unwrap_or_default())
}

/// What runs, live, and below it what was written.
fn paint_tasks(
    model: &Model,
    written: Option<&[model::Line]>,
    scroll: usize,
    theme: Theme,
    frame: &mut Frame,
) -> Painted {
    let tasks: Vec<model::Task> = model.tasks().collect();
    let stops = tasks.iter().any(|task| task.stop == Stop::Can);
    let keys = if stops { "x stops what can be stopped · esc closes" } else { "esc closes" };
    let mut upper = vec![model::Line::of(Tone::Strong, "Running now")];
    for task in &tasks {
        let mut line = model::Line::of(Tone::Accent, format!("  {}", task.name));
        if !task.progress.is_empty() {
            line = line.and(Tone::Plain, format!("  {}", task.progress));
        }
        upper.push(if task.stop == Stop::Can { line.and(Tone::Dim, "  x stops it") } else { line });
    }
    if tasks.is_empty() {
        upper.push(model::Line::of(Tone::Dim, "  nothing"));
    }
    upper.extend([model::Line::blank(), model::Line::of(Tone::Strong, "Written here")]);
    let reading = [model::Line::of(Tone::Dim, "reading…")];
    let lower = written.unwrap_or(&reading);
    let height = u16::try_from(upper.len() + lower.len()).unwrap_or(22).saturating_add(2);
    let area = boxed(frame, theme, (90, height.min(24)), "Tasks and writes", keys);
    let buffer = frame.buffer_mut();
    detail::lines(&upper, 0, None, theme, area, buffer);
    let body = below(area, u16::try_from(upper.len()).unwrap_or(area.height));
    let from = first(scroll, last_start(lower, body));
    detail::lines(lower, from, None, theme, body, buffer);
    Painted::scrolled((area.x, area.y), from)
}

fn plan_title(plan: &Plan) -> String {
    match (&plan.stage, &plan.request) {
        (Stage::Refused(_), _) => "Refused".to_owned(),
        (Stage::Failed(_), _) => "Not done".to_owned(),
        (Stage::Ready(preview) | Stage::Shown(preview), _) => preview.title.clone(),
        (_, request) => capital(&request.words()),
    }
}

/// What the keys do here and now, in the order in which they are wanted.
fn plan_keys(plan: &Plan, scrolls: bool) -> String {
    let field = plan.field.zip(plan.form.as_ref()).map(|(at, form)| &form.fields[at]);
    if plan.untaken {
        return match field {
            Some(field) if field.has_choice() => "no text is taken here: ← → choose · tab next field",
            Some(_) => "no text is taken here: tab next field",
            None => "no text is taken here: tab goes to the fields",
        }
        .to_owned();
    }
    let preview = match &plan.stage {
        Stage::Writing => return "esc leaves it and tells it to stop".to_owned(),
        _ if plan.can_skip() => return "s leaves that write as it is · enter or esc closes".to_owned(),
        Stage::Failed(_) => return "enter or esc leaves".to_owned(),
        Stage::Waiting | Stage::Refused(_) => None,
        Stage::Ready(preview) | Stage::Shown(preview) => Some(preview),
    };
    let (tries, idle) = (matches!(plan.request, Request::Tries(_)), preview.is_some_and(|preview| preview.idle));
    let mut keys = Vec::new();
    if preview.is_some() && !idle {
        keys.push(if tries { "enter writes it" } else { "enter does it" });
    }
    if tries && preview.is_some() {
        keys.push("x ends the tries");
    }
    match (field, &plan.form) {
        (Some(field), _) => {
            if field.is_text() || field.has_choice() {
                keys.push(if field.is_text() { "type to change" } else { "← → choose" });
            }
            keys.push(if scrolls { "tab next" } else { "tab next field" });
        }
        (None, Some(form)) => {
            keys.extend(plan.first_choice().map(|_| "← → choose"));
            if plan.first_choice().is_none() || form.applying().count() > 1 {
                keys.push(if scrolls { "tab fields" } else { "tab to the fields" });
            }
        }
        (None, None) => {}
    }
    if scrolls {
        keys.push(if field.is_some() { "pgdn scrolls" } else { "↑ ↓ scroll" });
    }
    keys.push(if idle { "enter or esc leaves" } else { "esc leaves" });
    keys.join(" · ")
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The rows of a form before they are cut to what there is room for: how the name and the value look, and where the caret
/// stands in the value.
struct FormRow {
    name: &'static str,
    value: String,
    focused: bool,
    caret: Option<usize>,
}

fn form_rows(form: &Form, focus: Option<usize>, room: usize) -> Vec<FormRow> {
    let mut rows = Vec::new();
    for (nth, field) in form.applying() {
        let (name, here) = (field.name, focus == Some(nth));
        let row = |value, caret: usize| FormRow { name, value, focused: here, caret: here.then_some(caret) };
        if field.choices.iter().all(|choice| choice.says.is_empty()) {
            rows.push(match (field.choices.is_empty(), here) {
                (true, true) => {
                    let (value, caret) = field.input.shown(room);
                    row(value, caret)
                }
                (true, false) => row(fit(field.input.text(), room), 0),
                (false, _) => row(fit(&format!("‹ {} ›", field.input.text()), room), 2),
            });
            continue;
        }
        // all of them are in sight, a row each
        let wide = field.choices.iter().map(|choice| width(&choice.value)).max().unwrap_or(0) + 4;
        for (nth, choice) in field.choices.iter().enumerate() {
            let chosen = choice.value == field.input.text();
            let value = if chosen { format!("‹ {} ›", choice.value) } else { format!("  {}", choice.value) };
            let gap = " ".repeat((wide + 1).saturating_sub(width(&value)));
            let value = fit(&format!("{value}{gap}{}", choice.says), room);
            let name = if nth == 0 { name } else { "" };
            rows.push(FormRow { name, value, focused: here && chosen, caret: (here && chosen).then_some(2) });
        }
    }
    rows
}

/// How many rows of the inside of a box a form may take, so that something of the preview stays in sight.
fn form_height(rows: usize, inside: u16) -> u16 {
    let most = inside.saturating_sub(5).max(inside / 2);
    u16::try_from(rows).unwrap_or(most).min(most)
}

/// Paints a form, moved so that the field being edited is in sight; gives the cell of its caret.
fn paint_form(rows: &[FormRow], theme: Theme, area: Rect, buffer: &mut Buffer) -> Option<(u16, u16)> {
    let height = usize::from(area.height);
    let last = rows.iter().rposition(|row| row.focused).unwrap_or(0);
    let from = (last + 1).saturating_sub(height);
    let room = usize::from(area.width).saturating_sub(14);
    let mut caret = None;
    for (row, y) in rows[from..].iter().zip(area.y..area.y + area.height) {
        let look = if row.focused { theme.cursor() } else { theme.tone(Tone::Plain) };
        let name_look = if row.focused { theme.focus() } else { theme.tone(Tone::Dim) };
        let name = Span::styled(format!("{:<12} ", row.name), name_look);
        let gap = " ".repeat(room.saturating_sub(width(&row.value)));
        let line = Line::from(vec![name, Span::styled(format!("{}{gap}", row.value), look)]);
        line.render(Rect { y, height: 1, ..area }, buffer);
        caret = caret.or(row.caret.map(|at| (area.x + u16::try_from(13 + at).unwrap_or(0), y)));
    }
    // on the border, one cell further
    let area = model::Area { x: area.x, y: area.y, width: area.width + 1, height: area.height };
    super::thumb(buffer, theme, area, from, rows.len(), theme.focus());
    caret
}

fn paint_find(find: &Find, theme: Theme, frame: &mut Frame) -> (u16, u16) {
    let area = boxed(frame, theme, (96, 24), "Find anything", "enter goes there · esc closes");
    let buffer = frame.buffer_mut();
    let at = search_line(&find.search, "", theme, Rect { height: 1, ..area }, buffer);
    let body = below(area, 2);
    if find.found.is_empty() {
        let said = if find.stale { "looking…" } else { "nothing has such a name" };
        detail::lines(&[model::Line::of(Tone::Dim, said)], 0, None, theme, body, buffer);
        return at;
    }
    let room = usize::from(body.width);
    // the right column tells apart what has the same name
    let cells = find.found.iter().map(|entry| (width(&entry.name), width(&entry.note)));
    let name_room = left_column((room * 3 / 5).max(16).min(room), room.saturating_sub(4), cells);
    let rows: Vec<model::Line> = find
        .found
        .iter()
        .map(|entry| {
            let mark = format!("{:<2}", theme.mark(entry.mark));
            let name = fit(&entry.name, name_room);
            let gap = " ".repeat(name_room + 1 - width(&name).min(name_room));
            model::Line::plain(mark)
                .and(Tone::Plain, format!("{name}{gap}"))
                .and(Tone::Dim, fit(&entry.note, room.saturating_sub(name_room + 4)))
        })
        .collect();
    let from = (find.cursor + 1).saturating_sub(usize::from(body.height));
    detail::lines(&rows, from, Some(find.cursor), theme, body, buffer);
    at
}

/// The width of the left one of two columns: the usual one, or less where the right one needs what the left one does not.
fn left_column(usual: usize, room: usize, cells: impl Iterator<Item = (usize, usize)>) -> usize {
    let (left, right) = cells.fold((0, 0), |(left, right), (a, b)| (left.max(a), right.max(b)));
    usual.min(left.max(room.saturating_sub(right)))
}

fn paint_picker(picker: &Picker, theme: Theme, frame: &mut Frame) -> (u16, u16) {
    let title = if picker.upward {
        format!("Put {} under …", picker.name)
    } else {
        format!("Link … under {}", picker.name)
    };
    // several can only become children
    let turn = if picker.ids.len() == 1 { " · tab turns it round" } else { "" };
    let all = if picker.forbidden { "ctrl-t only what is possible" } else { "ctrl-t all" };
    let area = boxed(frame, theme, (84, 22), &title, &format!("enter previews{turn} · {all} · esc"));
    let buffer = frame.buffer_mut();
    let at = search_line(&picker.search, "/", theme, Rect { height: 1, ..area }, buffer);
    let body = Rect { height: area.height.saturating_sub(4), ..below(area, 2) };
    if !picker.failed.is_empty() {
        detail::lines(&picker.failed, 0, None, theme, body, buffer);
        return at;
    }
    let Some(candidates) = &picker.candidates else {
        detail::lines(&[model::Line::of(Tone::Dim, "looking…")], 0, None, theme, body, buffer);
        return at;
    };
    if candidates.list.is_empty() {
        let said = if picker.search.text().is_empty() { "nothing to link yet" } else { "no name contains this" };
        detail::lines(&[model::Line::of(Tone::Dim, said)], 0, None, theme, body, buffer);
    }
    let room = usize::from(body.width);
    let cells = candidates.list.iter().map(|candidate| {
        let note = candidate.refusal.as_ref().unwrap_or(&candidate.kind);
        (width(&candidate.name), width(note))
    });
    let name_room = left_column((room / 2).max(16), room.saturating_sub(5), cells);
    let list: Vec<model::Line> = candidates
        .list
        .iter()
        .map(|candidate| {
            let (tone, note) = match &candidate.refusal {
                None => (Tone::Plain, candidate.kind.clone()),
                Some(why) => (Tone::Dim, why.clone()),
            };
            // what cannot be picked has a mark, as its reason says
            let mark = if candidate.refusal.is_some() { theme.mark(model::Mark::Broken) } else { "" };
            let name = fit(&candidate.name, name_room);
            let gap = " ".repeat(name_room + 2 - width(&name));
            let note = fit(&note, room.saturating_sub(name_room + 5));
            model::Line::of(tone, format!("{mark:<2}{name}{gap}")).and(Tone::Dim, note)
        })
        .collect();
    let from = (picker.cursor + 1).saturating_sub(usize::from(body.height));
    detail::lines(&list, from, Some(picker.cursor), theme, body, buffer);
    let mut said = candidates.left_out.clone();
    if candidates.more > 0 {
        said = format!("{} more: type to narrow · {said}", candidates.more);
    }
    let bottom = Rect { y: area.y + area.height.saturating_sub(1), height: 1, ..area };
    Line::styled(fit(&said, usize::from(bottom.width)), theme.tone(Tone::Dim)).render(bottom, buffer);
    at
}

/// What may follow the keys typed so far, above the bottom line.
pub fn following(model: &Model, theme: Theme, frame: &mut Frame) {
    let rows = model.keymap.following(model.focus, &model.typed);
    let lines: Vec<model::Line> = rows
        .iter()
        .map(|(keys, action)| model::Line::of(Tone::Accent, format!("{keys:<4}")).and(Tone::Plain, action.spec().text))
        .collect();
    let screen = frame.area();
    let cells = lines.iter().map(|line| width(&line.text())).max().unwrap_or(0) + 4;
    let width = u16::try_from(cells).unwrap_or(40).min(screen.width);
    let height = u16::try_from(lines.len() + 2).unwrap_or(10).min(screen.height.saturating_sub(1));
    let area = Rect { x: screen.width - width, y: screen.height.saturating_sub(height + 1), width, height };
    frame.render_widget(Clear, area);
    let glyphs = theme.glyphs();
    let buffer = frame.buffer_mut();
    let typed: Vec<String> = model.typed.iter().map(ToString::to_string).collect();
    let title = format!(" {} ", typed.join(" "));
    border_line(
        buffer,
        (area.x, area.y),
        width,
        [glyphs.top_left, glyphs.horizontal, glyphs.top_right],
        theme.focus(),
        [&title, ""],
    );
    for y in area.y + 1..area.y + height - 1 {
        put(buffer, area.x, y, glyphs.vertical, theme.focus());
        put(buffer, area.x + width - 1, y, glyphs.vertical, theme.focus());
    }
    let ends = [glyphs.bottom_left, glyphs.horizontal, glyphs.bottom_right];
    border_line(buffer, (area.x, area.y + height - 1), width, ends, theme.focus(), ["", ""]);
    let inner = Rect { x: area.x + 2, y: area.y + 1, width: width.saturating_sub(3), height: height.saturating_sub(2) };
    detail::lines(&lines, 0, None, theme, inner, buffer);
}

#[cfg(test)]
mod tests {
    use super::left_column;

    #[test]
    fn the_right_column_gets_the_room_that_the_left_one_does_not_need() {
        let width = |cells: &[(usize, usize)]| left_column(55, 88, cells.iter().copied());
        assert_eq!(width(&[(14, 20)]), 55, "both fit");
        assert_eq!(width(&[(14, 38), (10, 5)]), 50, "a long note");
        assert_eq!(width(&[(52, 60)]), 52, "no name is cut for a note");
        assert_eq!(width(&[(70, 60)]), 55, "both too long");
    }
}
