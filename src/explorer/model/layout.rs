//! Where the panes are on a screen of a given size. The view paints by it and the mouse is read by it.

use serde::{Deserialize, Serialize};

use super::PaneId;

/// A rectangle of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// The leftmost column.
    pub x: u16,
    /// The topmost row.
    pub y: u16,
    /// Its width in cells.
    pub width: u16,
    /// Its height in cells.
    pub height: u16,
}

impl Area {
    /// Whether a cell lies in it.
    pub fn holds(self, x: u16, y: u16) -> bool {
        x >= self.x && x - self.x < self.width && y >= self.y && y - self.y < self.height
    }
}

/// How the room is shared; `+` goes round them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arrangement {
    /// The focused pane takes the room, the others are folded to a few rows.
    #[default]
    Focused,
    /// All panes alike.
    Equal,
    /// The focused pane alone, with its detail.
    Alone,
    /// The detail alone.
    Detail,
}

impl Arrangement {
    /// The next one.
    #[must_use]
    pub fn next(self) -> Arrangement {
        match self {
            Arrangement::Focused => Arrangement::Equal,
            Arrangement::Equal => Arrangement::Alone,
            Arrangement::Alone => Arrangement::Detail,
            Arrangement::Detail => Arrangement::Focused,
        }
    }
}

/// Where everything is. A pane's area is that of its rows; its title is the line above, its borders are around.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The whole screen is too small for anything but a line.
    pub tiny: bool,
    /// The top line.
    pub header: Area,
    /// The bottom line.
    pub footer: Area,
    /// The column of panes with its borders, when it is there.
    pub column: Option<Area>,
    /// The rows of each pane.
    pub panes: [Option<Area>; 4],
    /// The detail with its borders, when it is there.
    pub detail: Option<Area>,
}

/// Lays out a screen. `split` is the width of the left column, where it is not to be the usual one.
pub fn lay_out(width: u16, height: u16, split: Option<u16>, arrangement: Arrangement, focused: PaneId) -> Layout {
    if width < 40 || height < 10 {
        return Layout { tiny: true, header: Area { x: 0, y: 0, width, height }, ..Layout::default() };
    }
    let header = Area { x: 0, y: 0, width, height: 1 };
    let footer = Area { x: 0, y: height - 1, width, height: 1 };
    let body = Area { x: 0, y: 1, width, height: height - 2 };
    let small = width < 80 || height < 24;
    let arrangement = match arrangement {
        Arrangement::Focused | Arrangement::Equal if small => Arrangement::Alone,
        other => other,
    };
    let mut layout = Layout { header, footer, ..Layout::default() };
    if arrangement == Arrangement::Detail {
        layout.detail = Some(body);
        return layout;
    }
    let (column, detail) = if width < 70 {
        let upper = body.height / 2;
        (Area { height: upper, ..body }, Area { y: body.y + upper, height: body.height - upper, ..body })
    } else {
        let left = if width < 100 { 36 } else { (width * 2 / 5).clamp(44, 76) };
        let left = split.map_or(left, |split| split.clamp(20, width - 20));
        (Area { width: left, ..body }, Area { x: left, width: width - left, ..body })
    };
    layout.column = Some(column);
    layout.detail = Some(detail);
    let shown: Vec<PaneId> = if arrangement == Arrangement::Alone { vec![focused] } else { PaneId::ALL.to_vec() };
    let titles = u16::try_from(shown.len()).unwrap_or(4);
    let room = column.height.saturating_sub(titles + 1);
    let folded = match height {
        ..30 => 1,
        30..40 => 2,
        _ => 3,
    };
    let mut y = column.y + 1;
    for &pane in &shown {
        let rows = match arrangement {
            Arrangement::Equal => {
                let nth = pane as u16;
                room / titles + u16::from(nth < room % titles)
            }
            _ if pane == focused => room.saturating_sub(folded * (titles - 1)),
            _ => folded,
        };
        layout.panes[pane as usize] = Some(Area { x: column.x + 1, y, width: column.width - 2, height: rows });
        y += rows + 1;
    }
    layout
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_panes_are_in_sight_on_a_common_terminal() {
        for (width, height, folded) in [(80, 24, 1), (120, 40, 3), (100, 30, 2)] {
            let layout = lay_out(width, height, None, Arrangement::Focused, PaneId::Directories);
            let rows: Vec<u16> = layout.panes.iter().map(|area| area.unwrap().height).collect();
            assert_eq!([rows[0], rows[2], rows[3]], [folded; 3]);
            assert_eq!(rows.iter().sum::<u16>() + 4 + 1 + 2, height, "no line is lost");
        }
    }

    #[test]
    fn every_size_gives_areas_inside_the_screen() {
        for width in 0..140 {
            for height in 0..50 {
                for arrangement in [Arrangement::Focused, Arrangement::Equal, Arrangement::Alone, Arrangement::Detail] {
                    let layout = lay_out(width, height, Some(width / 3), arrangement, PaneId::Problems);
                    let areas = layout.panes.iter().flatten().chain(&layout.detail).chain(&layout.column);
                    for area in areas {
                        assert!(area.x + area.width <= width && area.y + area.height <= height);
                    }
                }
            }
        }
    }

    #[test]
    fn a_small_screen_keeps_the_focused_pane_and_its_detail() {
        let layout = lay_out(79, 24, None, Arrangement::Focused, PaneId::Selection);
        assert_eq!(layout.panes.map(|area| area.is_some()), [false, false, true, false]);
        assert!(layout.detail.is_some());
        assert!(lay_out(39, 24, None, Arrangement::Focused, PaneId::Selection).tiny);
    }
}
