//! What the mouse does.

use super::{Area as Cells, Code, Key, Model, Mouse, MouseKind, PaneId};

impl Model {
    /// Moves the border between the panes and the detail; gives whether the mouse is about that.
    pub(super) fn drag(&mut self, mouse: Mouse) -> bool {
        let layout = self.layout();
        let (Some(column), Some(detail)) = (layout.column, layout.detail) else { return false };
        let side_by_side = detail.x > column.x;
        let edge = column.x + column.width;
        match mouse.kind {
            MouseKind::Click if side_by_side && self.dialogs.is_empty() && (mouse.x + 1 == edge || mouse.x == edge) => {
                self.dragging = true;
            }
            MouseKind::Drag if self.dragging => self.split = Some(mouse.x + 1),
            MouseKind::Release if self.dragging => self.dragging = false,
            _ => return false,
        }
        true
    }

    pub(super) fn mouse(&mut self, mouse: Mouse) {
        self.touched = true;
        if self.drag(mouse) {
            return;
        }
        if !self.dialogs.is_empty() {
            let code = match mouse.kind {
                MouseKind::WheelDown => Code::Down,
                MouseKind::WheelUp => Code::Up,
                MouseKind::Click | MouseKind::Drag | MouseKind::Release => return,
            };
            return self.dialog_key(Key::plain(code));
        }
        let layout = self.layout();
        let by = match mouse.kind {
            MouseKind::WheelDown => 3,
            MouseKind::WheelUp => -3,
            MouseKind::Click => 0,
            MouseKind::Drag | MouseKind::Release => return,
        };
        if by == 0 {
            self.offer = None;
        }
        for id in PaneId::ALL {
            let Some(area) = layout.panes[id as usize] else { continue };
            let title = Cells { y: area.y - 1, height: 1, ..area };
            if title.holds(mouse.x, mouse.y) && by == 0 {
                return self.focus(id);
            }
            if !area.holds(mouse.x, mouse.y) {
                continue;
            }
            let height = usize::from(area.height);
            let outline = &mut self.pane_mut(id).outline;
            if by != 0 {
                return outline.scroll(by, height);
            }
            let (sticky, window) = outline.window(height);
            let line = usize::from(mouse.y - area.y);
            let before = (self.focus, self.pane(id).outline.cursor());
            let outline = &mut self.pane_mut(id).outline;
            match sticky.get(line) {
                Some(&node) => outline.reveal_node(node),
                None if window.start + line - sticky.len() < window.end => {
                    outline.put(window.start + line - sticky.len());
                }
                None => {}
            }
            let row = outline.cursor();
            self.focus(id);
            if before == (id, row) {
                self.fold();
            }
            return;
        }
        if let Some(area) = layout.detail.filter(|area| area.holds(mouse.x, mouse.y)) {
            if by != 0 {
                let last = self.detail.lines().len().saturating_sub(1);
                self.detail.scroll = self.detail.scroll.saturating_add_signed(by).min(last);
                self.detail.cursor = self.detail.scroll.max(self.detail.cursor.saturating_add_signed(by)).min(last);
                return;
            }
            self.in_detail = true;
            let body = self.detail.body(area);
            let row = mouse.y.checked_sub(body.y).map(usize::from);
            if let Some(line) = row.and_then(|row| self.detail.line_at(row, usize::from(body.width))) {
                self.detail.cursor = line;
                if let Some(target) = self.detail.lines()[line].target.clone() {
                    self.follow(target);
                }
            }
        }
    }
}
