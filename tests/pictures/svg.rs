//! A frame as an SVG picture of a terminal window. Each piece of text begins in its own column and has its length given,
//! and borders are drawn as lines, so that it is whole whatever font it is shown in.

use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

const FONT: u16 = 14;
/// A cell's width in tenths of a pixel, that of most monospaced fonts at this size.
const CELL: u32 = 84;
/// A row's height in pixels.
const ROW: u32 = 18;
const MARGIN: u32 = 14;
const BAR: u32 = 34;
const INK: &str = "#d5dae3";
const PAPER: &str = "#1b1f27";
const FAMILY: &str = "ui-monospace,'SF Mono',Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace";
/// The sixteen colours of a terminal.
const COLORS: [&str; 16] = [
    "#1b1f27", "#e0707a", "#98c379", "#e5c07b", "#6ea8e6", "#c08adf", "#5fc6d4", "#d5dae3", "#5b6472", "#ef8f97",
    "#b1d796", "#f0d399", "#8fbdf0", "#d3a8ea", "#87d9e4", "#f2f4f8",
];

/// How a run of cells looks.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Look {
    ink: Color,
    paper: Color,
    modifier: Modifier,
}

impl Look {
    fn of(cell: &Cell) -> Look {
        Look { ink: cell.fg, paper: cell.bg, modifier: cell.modifier }
    }

    fn opacity(self) -> &'static str {
        if self.modifier.contains(Modifier::DIM) { " opacity=\".62\"" } else { "" }
    }

    /// The colours of its text and of what is behind it.
    fn colors(self) -> (&'static str, &'static str) {
        let (ink, paper) = (color(self.ink, INK), color(self.paper, PAPER));
        if self.modifier.contains(Modifier::REVERSED) { (paper, ink) } else { (ink, paper) }
    }
}

fn color(color: Color, otherwise: &'static str) -> &'static str {
    let nth = match color {
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
        // the explorer uses the sixteen colours only
        Color::Reset | Color::Rgb(..) | Color::Indexed(_) => return otherwise,
    };
    COLORS[nth]
}

/// The picture of a frame in a window with a title; what it shows is told to those who cannot see it.
pub fn picture(frame: &Buffer, title: &str, about: &str) -> String {
    let width = u32::from(frame.area.width) * CELL / 10 + 2 * MARGIN;
    let height = u32::from(frame.area.height) * ROW + BAR + MARGIN;
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"{FAMILY}\" font-size=\"{FONT}\" role=\"img\">"
    );
    let _ = writeln!(svg, "<title>{}</title>", escaped(about));
    let _ = writeln!(
        svg,
        "<rect x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"9\" fill=\"{PAPER}\" stroke=\"#3a4150\"/>",
        width - 1,
        height - 1
    );
    for (nth, fill) in ["#e0707a", "#e5c07b", "#98c379"].iter().enumerate() {
        let _ = writeln!(svg, "<circle cx=\"{}\" cy=\"17\" r=\"5.5\" fill=\"{fill}\"/>", 20 + 19 * nth);
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"21\" text-anchor=\"middle\" font-size=\"12\" fill=\"#8b94a5\">{}</text>",
        width / 2,
        escaped(title)
    );
    for y in 0..frame.area.height {
        row(frame, y, &mut svg);
    }
    svg.push_str("</svg>\n");
    svg
}

/// A row: what is behind its text, the lines of borders, then the text.
fn row(frame: &Buffer, y: u16, svg: &mut String) {
    let top = BAR + u32::from(y) * ROW;
    let cells: Vec<&Cell> = (0..frame.area.width).map(|x| &frame[(x, y)]).collect();
    for (from, run) in runs(&cells, |a, b| Look::of(a).colors().1 == Look::of(b).colors().1) {
        let paper = Look::of(run[0]).colors().1;
        if paper != PAPER {
            let (at, width) = (place(from), tenths(u32::try_from(run.len()).unwrap() * CELL));
            let _ = writeln!(svg, "<rect x=\"{at}\" y=\"{top}\" width=\"{width}\" height=\"{ROW}\" fill=\"{paper}\"/>");
        }
    }
    for (from, run) in runs(&cells, |a, b| Look::of(a) == Look::of(b)) {
        let look = Look::of(run[0]);
        lines(from, run, top, look, svg);
        for (start, text) in words(run) {
            write_text(from + start, &text, top, look, svg);
        }
    }
}

/// The longest runs of cells that are alike, each with its first column.
fn runs<'a, 'b>(cells: &'b [&'a Cell], alike: impl Fn(&Cell, &Cell) -> bool) -> Vec<(u16, &'b [&'a Cell])> {
    let mut from = 0;
    let chunks = cells.chunk_by(|a, b| alike(a, b));
    chunks
        .map(|chunk| {
            let at = from;
            from += u16::try_from(chunk.len()).unwrap();
            (at, chunk)
        })
        .collect()
}

/// The lines of borders in a run, drawn as lines: glyphs would leave gaps where a font is not as high as a row.
fn lines(from: u16, run: &[&Cell], top: u32, look: Look, svg: &mut String) {
    let mut path = String::new();
    let (middle, bottom) = (top + ROW / 2, top + ROW);
    for (nth, cell) in run.iter().enumerate() {
        let column = u32::from(from) + u32::try_from(nth).unwrap();
        let left = MARGIN * 10 + column * CELL;
        let (left, centre, right) = (tenths(left), tenths(left + CELL / 2), tenths(left + CELL));
        let across = if path.ends_with(&format!("H{left}")) { String::new() } else { format!("M{left} {middle}") };
        let _ = match cell.symbol() {
            "─" if across.is_empty() => {
                path.truncate(path.len() - left.len());
                write!(path, "{right}")
            }
            "─" => write!(path, "{across}H{right}"),
            "│" => write!(path, "M{centre} {top}V{bottom}"),
            "├" => write!(path, "M{centre} {top}V{bottom}M{centre} {middle}H{right}"),
            "┤" => write!(path, "{across}H{centre}M{centre} {top}V{bottom}"),
            "╭" => write!(path, "M{centre} {bottom}Q{centre} {middle} {right} {middle}"),
            "╮" => write!(path, "M{left} {middle}Q{centre} {middle} {centre} {bottom}"),
            "╰" => write!(path, "M{centre} {top}Q{centre} {middle} {right} {middle}"),
            "╯" => write!(path, "M{left} {middle}Q{centre} {middle} {centre} {top}"),
            "└" => write!(path, "M{centre} {top}V{middle}H{right}"),
            _ => Ok(()),
        };
    }
    if !path.is_empty() {
        let (ink, opacity) = (look.colors().0, look.opacity());
        let _ = writeln!(svg, "<path d=\"{path}\" stroke=\"{ink}\" stroke-width=\"1.3\" fill=\"none\"{opacity}/>");
    }
}

/// The pieces of text in a run, each with its first cell. They end where two spaces stand and at every mark, which may
/// come from another font with a width of its own, so that what follows begins in its own column.
fn words(run: &[&Cell]) -> Vec<(u16, String)> {
    let mut words: Vec<(u16, String)> = Vec::new();
    let mut open = false;
    let mut x = 0;
    while x < run.len() {
        let symbol = run[x].symbol();
        let ascii = symbol.is_ascii();
        let gap = symbol == " " && run.get(x + 1).is_none_or(|next| next.symbol() == " ");
        if symbol.chars().all(|c| ('\u{2500}'..='\u{257f}').contains(&c)) || gap {
            open = false;
        } else if ascii && open {
            words.last_mut().unwrap().1.push_str(symbol);
        } else if symbol != " " {
            words.push((u16::try_from(x).unwrap(), symbol.to_owned()));
            open = ascii;
        }
        x += symbol.width().max(1);
    }
    words
}

fn write_text(column: u16, text: &str, top: u32, look: Look, svg: &mut String) {
    let text = text.trim_end();
    let cells = u32::try_from(text.width()).unwrap();
    let length = if cells > 1 { format!(" textLength=\"{}\"", tenths(cells * CELL)) } else { String::new() };
    let mut looks = look.opacity().to_owned();
    if look.modifier.contains(Modifier::BOLD) {
        looks.push_str(" font-weight=\"bold\"");
    }
    if look.modifier.contains(Modifier::UNDERLINED) {
        looks.push_str(" text-decoration=\"underline\"");
    }
    let (at, base, ink) = (place(column), top + 13, look.colors().0);
    let _ = writeln!(svg, "<text x=\"{at}\" y=\"{base}\"{length} fill=\"{ink}\"{looks}>{}</text>", escaped(text));
}

fn place(column: u16) -> String {
    tenths(MARGIN * 10 + u32::from(column) * CELL)
}

fn tenths(length: u32) -> String {
    if length.is_multiple_of(10) { (length / 10).to_string() } else { format!("{}.{}", length / 10, length % 10) }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
