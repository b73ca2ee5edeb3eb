//! Text in cells: how wide it is, cut to a width, broken into rows. Everything is made visible first, so what is
//! measured is what is painted.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::detail::{Line, Span};
use crate::text::visible;

/// How many cells a text takes, once made visible.
pub fn width(text: &str) -> usize {
    visible(text).width()
}

/// The text, made visible, in at most so many cells; `…` stands for what is cut off.
///
/// ```
/// use dagwood::explorer::model::fit;
/// assert_eq!(fit("repository", 6), "repos…");
/// assert_eq!(fit("日本語", 4), "日…");
/// ```
pub fn fit(text: &str, cells: usize) -> String {
    let text = visible(text);
    if text.width() <= cells {
        return text.into_owned();
    }
    let mut out = String::new();
    let mut left = cells.saturating_sub(1);
    for c in text.chars() {
        let wide = c.width().unwrap_or(0);
        if wide > left {
            break;
        }
        left -= wide;
        out.push(c);
    }
    if cells > 0 {
        out.push('…');
    }
    out
}

/// The same with what is cut off at the beginning: of a path its end says most.
///
/// ```
/// use dagwood::explorer::model::fit_end;
/// assert_eq!(fit_end("rules/README.md:13", 13), "…README.md:13");
/// ```
pub fn fit_end(text: &str, cells: usize) -> String {
    let text = visible(text);
    if text.width() <= cells {
        return text.into_owned();
    }
    let mut left = cells.saturating_sub(1);
    let mut from = text.len();
    for (at, c) in text.char_indices().rev() {
        let wide = c.width().unwrap_or(0);
        if wide > left {
            break;
        }
        left -= wide;
        from = at;
    }
    if cells == 0 { String::new() } else { format!("…{}", &text[from..]) }
}

/// A space at which no line is broken.
pub const TIE: &str = "\u{a0}";

/// The longest line that is shown whole, in bytes. Of a longer one its beginning is shown, and how long it is.
const LONGEST: usize = 4_000;

/// The rows a line is painted on, broken at spaces where that can be; a continued row is indented like the first one,
/// or as far as the line [hangs](Line::hanging).
/// At least one, even when the line is empty.
pub fn wrap(line: &Line, cells: usize) -> Vec<Vec<Span>> {
    let cells = cells.max(4);
    let first = line.spans.first().map_or("", |span| span.text.as_str());
    let indent = first.chars().take_while(|c| *c == ' ').count().max(line.hang).min(cells / 2);
    let mut rows: Vec<Vec<Span>> = vec![Vec::new()];
    let mut used = 0;
    let whole: usize = line.spans.iter().map(|span| span.text.len()).sum();
    let mut left = LONGEST;
    for span in &line.spans {
        let shown = span.text.floor_char_boundary(left.min(span.text.len()));
        left -= shown;
        let mut text = visible(&span.text[..shown]);
        if shown < span.text.len() {
            text = format!("{text}… ({whole} bytes in this line)").into();
        }
        for word in text.split_inclusive(' ') {
            let mut word = word;
            loop {
                let room = cells - used;
                if fits(word, room) {
                    push(&mut rows, span, word);
                    used = (used + word.width()).min(cells);
                    break;
                }
                let first = word.chars().next().and_then(UnicodeWidthChar::width).unwrap_or(0);
                if used > indent && (first > room || fits(word, cells - indent)) {
                    used = next_row(&mut rows, span, indent);
                    continue;
                }
                let cut = cut_at(word, room);
                push(&mut rows, span, &word[..cut]);
                word = &word[cut..];
                used = next_row(&mut rows, span, indent);
            }
        }
        if shown < span.text.len() {
            break;
        }
    }
    rows
}

/// Whether a word fits into so many cells, the spaces after it left aside. Looks no further than it has to.
fn fits(word: &str, cells: usize) -> bool {
    let mut used = 0;
    word.trim_end_matches(' ').chars().all(|c| {
        used += c.width().unwrap_or(0);
        used <= cells
    })
}

fn next_row(rows: &mut Vec<Vec<Span>>, span: &Span, indent: usize) -> usize {
    rows.push(Vec::new());
    push(rows, span, &" ".repeat(indent));
    indent
}

fn push(rows: &mut [Vec<Span>], span: &Span, text: &str) {
    let Some(row) = rows.last_mut().filter(|_| !text.is_empty()) else { return };
    // a space that holds together what is beside it has done that by now
    let text = text.replace(TIE, " ");
    match row.last_mut() {
        Some(last) if last.tone == span.tone => last.text.push_str(&text),
        _ => row.push(Span { text, tone: span.tone }),
    }
}

/// Where to cut a text so that what is before fits; at least one character is taken.
fn cut_at(text: &str, cells: usize) -> usize {
    let mut used = 0;
    for (at, c) in text.char_indices() {
        used += c.width().unwrap_or(0);
        if used > cells && at > 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::super::detail::Tone;
    use super::*;

    fn rows(text: &str, cells: usize) -> Vec<String> {
        let texts = |row: Vec<Span>| row.into_iter().map(|span| span.text).collect::<String>();
        wrap(&Line::plain(text), cells).into_iter().map(texts).collect()
    }

    #[test]
    fn lines_break_at_spaces_and_keep_their_indent() {
        assert_eq!(rows("one two three", 8), ["one two ", "three"]);
        assert_eq!(rows("  one two three", 8), ["  one ", "  two ", "  three"]);
        assert_eq!(rows("", 8), [""]);
    }

    #[test]
    fn continued_rows_hang_below_the_column_that_is_long() {
        let line = Line::plain("key  ").hanging().and(Tone::Dim, "one two six");
        let texts = |row: Vec<Span>| row.into_iter().map(|span| span.text).collect::<String>();
        let rows = |cells| wrap(&line, cells).into_iter().map(texts).collect::<Vec<_>>();
        assert_eq!(rows(13), ["key  one two ", "     six"]);
        assert_eq!(rows(8), ["key  one ", "    two ", "    six"], "but for half of the room");
    }

    #[test]
    fn a_word_longer_than_a_row_is_cut() {
        assert_eq!(rows("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(rows("日本語日本", 5), ["日本", "語日", "本"]);
    }

    #[test]
    fn of_a_line_of_megabytes_the_beginning_is_shown_and_its_length() {
        let rows = rows(&"x".repeat(4 << 20), 80);
        assert!(rows.len() < 60);
        assert!(rows.last().unwrap().contains("(4194304 bytes in this line)"), "{rows:?}");
    }

    #[test]
    fn no_row_is_wider_than_it_may_be() {
        let line = Line::plain("ab 日本語 x\u{1b}y ").and(Tone::Dim, "zzzzzzzzzz z  z 日");
        for cells in 4..30 {
            for row in wrap(&line, cells) {
                let text: String = row.iter().map(|span| span.text.as_str()).collect();
                assert!(text.trim_end().width() <= cells, "{text:?} in {cells}");
                assert!(!text.contains('\u{1b}'));
            }
        }
    }
}
