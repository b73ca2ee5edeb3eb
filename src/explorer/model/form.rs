//! Lines of text a person edits: the filter, the search of a picker, the fields of a form.

use super::key::{Code, Key};
use super::wrap::{fit, width};
use crate::text::visible;

/// A line being edited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    text: String,
    caret: usize,
}

impl Input {
    /// An input that holds a text, the caret at its end.
    pub fn of(text: impl Into<String>) -> Input {
        let text = text.into();
        Input { caret: text.chars().count(), text }
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How many characters stand before the caret.
    pub fn caret(&self) -> usize {
        self.caret
    }

    /// What of it is shown in so many cells, and how many of them stand before the caret, which is always among them: the
    /// text moves along under a caret that would leave them. `…` stands for what is left out.
    pub fn shown(&self, cells: usize) -> (String, usize) {
        let before: String = self.text.chars().take(self.caret).collect();
        let at = width(&before);
        if width(&self.text) < cells || (width(&self.text) == cells && self.caret < self.text.chars().count()) {
            return (visible(&self.text).into_owned(), at);
        }
        // as little as has to go from the front, the caret and the mark of what is gone keeping a cell each
        let (mut gone, mut skipped) = (0, 0);
        let mut chars = self.text.chars();
        let behind = usize::from(self.caret + 1 < self.text.chars().count());
        while at - gone + 1 + behind + usize::from(skipped > 0) > cells.max(3) {
            let Some(c) = chars.next() else { break };
            gone += width(c.encode_utf8(&mut [0; 4]));
            skipped += 1;
        }
        let rest: String = self.text.chars().skip(skipped).collect();
        if skipped == 0 {
            return (fit(&rest, cells), at);
        }
        (format!("…{}", fit(&rest, cells.saturating_sub(1))), (at - gone + 1).min(cells.saturating_sub(1)))
    }

    fn byte(&self, caret: usize) -> usize {
        self.text.char_indices().nth(caret).map_or(self.text.len(), |(at, _)| at)
    }

    /// Puts text in at the caret: several lines, or cells of a table, with a space between; other control characters are
    /// left out.
    pub fn insert(&mut self, text: &str) {
        let parts = text.split(['\n', '\r', '\t']).filter(|part| !part.is_empty());
        let joined = parts.collect::<Vec<_>>().join(" ");
        let clean: String = joined.chars().filter(|c| !c.is_control()).collect();
        let at = self.byte(self.caret);
        self.text.insert_str(at, &clean);
        self.caret += clean.chars().count();
    }

    /// Edits by a key; gives whether the key meant something here.
    pub fn key(&mut self, key: Key) -> bool {
        match (key.code, key.ctrl, key.alt) {
            (Code::Char(c), false, false) => self.insert(c.encode_utf8(&mut [0; 4])),
            (Code::Backspace, false, false) | (Code::Char('h'), true, false) if self.caret > 0 => {
                self.caret -= 1;
                self.text.remove(self.byte(self.caret));
            }
            (Code::Delete, false, false) if self.caret < self.text.chars().count() => {
                self.text.remove(self.byte(self.caret));
            }
            (Code::Left, false, false) => self.caret = self.caret.saturating_sub(1),
            (Code::Right, false, false) => self.caret = (self.caret + 1).min(self.text.chars().count()),
            (Code::Home, ..) | (Code::Char('a'), true, false) => self.caret = 0,
            (Code::End, ..) | (Code::Char('e'), true, false) => self.caret = self.text.chars().count(),
            (Code::Char('u'), true, false) => {
                self.text.drain(..self.byte(self.caret));
                self.caret = 0;
            }
            (Code::Char('k'), true, false) => self.text.truncate(self.byte(self.caret)),
            (Code::Char('w'), true, false) => {
                let before = &self.text[..self.byte(self.caret)];
                let kept = before.trim_end().rfind(' ').map_or(0, |at| at + 1);
                self.text.drain(kept..self.byte(self.caret));
                self.caret = self.text[..kept].chars().count();
            }
            _ => return false,
        }
        true
    }
}

/// A value to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The value.
    pub value: String,
    /// What it comes to, in a few words; empty where the value says it.
    pub says: &'static str,
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// What the answer is called.
    pub name: &'static str,
    /// Its value.
    pub input: Input,
    /// The values to choose from; any text when there are none.
    pub choices: Vec<Choice>,
    /// The field, and the value of it, that this one belongs to; with another value it does not apply.
    pub with: Option<(&'static str, &'static str)>,
}

/// A few fields that say how something is to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// Its fields, from top to bottom.
    pub fields: Vec<Field>,
}

impl Form {
    /// The same form with a further field of free text.
    #[must_use]
    pub fn text(mut self, name: &'static str, value: impl Into<String>) -> Form {
        self.fields.push(Field { name, input: Input::of(value), choices: Vec::new(), with: None });
        self
    }

    /// The same form with a further field of given values, the first of which is chosen unless another is named.
    #[must_use]
    pub fn choice(self, name: &'static str, value: &str, choices: impl IntoIterator<Item = String>) -> Form {
        let choices = choices.into_iter().map(|value| Choice { value, says: "" });
        self.told_choice(name, value, choices)
    }

    /// The same of values that are each told in a few words.
    #[must_use]
    pub fn told_choice(mut self, name: &'static str, value: &str, choices: impl IntoIterator<Item = Choice>) -> Form {
        let choices = choices.into_iter().collect();
        self.fields.push(Field { name, input: Input::of(value), choices, with: None });
        self
    }

    /// The same form, its last field only where another one has this value.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &'static str) -> Form {
        if let Some(last) = self.fields.last_mut() {
            last.with = Some((name, value));
        }
        self
    }

    /// The fields that apply as the others stand, each with its place among all.
    pub fn applying(&self) -> impl DoubleEndedIterator<Item = (usize, &Field)> {
        let applies = |field: &Field| field.with.is_none_or(|(name, value)| self.value(name) == value);
        self.fields.iter().enumerate().filter(move |(_, field)| applies(field))
    }

    /// The field that comes after one, or the first.
    pub fn after(&self, at: Option<usize>) -> Option<usize> {
        self.applying().map(|(place, _)| place).find(|&place| at.is_none_or(|at| place > at))
    }

    /// The field that comes before one, or the last.
    pub fn before(&self, at: Option<usize>) -> Option<usize> {
        self.applying().rev().map(|(place, _)| place).find(|&place| at.is_none_or(|at| place < at))
    }

    /// The value of a field, without the white space around it.
    pub fn value(&self, name: &str) -> &str {
        self.fields.iter().find(|field| field.name == name).map_or("", |field| field.input.text().trim())
    }
}

impl Field {
    /// Whether it takes any text, and not one of given values.
    pub fn is_text(&self) -> bool {
        self.choices.is_empty()
    }

    /// Whether its values are all in sight, each told in a few words, and there is something to choose.
    pub fn is_told(&self) -> bool {
        self.choices.len() > 1 && self.choices.iter().any(|choice| !choice.says.is_empty())
    }

    /// Edits the field by a key; gives whether the key meant something here. A letter or a space never chooses a value: it may
    /// be the first of a text.
    pub fn key(&mut self, key: Key) -> bool {
        if self.choices.is_empty() {
            return self.input.key(key);
        }
        let here = self.choices.iter().position(|choice| choice.value == self.input.text()).unwrap_or(0);
        let count = self.choices.len();
        let next = match key.code {
            Code::Right => (here + 1) % count,
            Code::Left => (here + count - 1) % count,
            _ => return false,
        };
        self.input = Input::of(self.choices[next].value.clone());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &str) -> String {
        let mut input = Input::of("one two");
        for key in keys.split(' ') {
            input.key(Key::named(key).unwrap());
        }
        format!("{}|{}", input.text().chars().take(input.caret()).collect::<String>(), {
            input.text().chars().skip(input.caret()).collect::<String>()
        })
    }

    #[test]
    fn a_line_is_edited_as_people_expect() {
        assert_eq!(typed("backspace é"), "one twé|");
        assert_eq!(typed("home delete"), "|ne two");
        assert_eq!(typed("ctrl-w"), "one |");
        assert_eq!(typed("left left ctrl-k"), "one t|");
        assert_eq!(typed("left ctrl-u x"), "x|o");
        assert_eq!(typed("left left left left ctrl-w"), "| two");
    }

    #[test]
    fn a_long_text_moves_along_under_its_caret() {
        let mut input = Input::of("local/a-long-name");
        let shown = |input: &Input, cells| {
            let (text, at) = input.shown(cells);
            assert!(width(&text) <= cells && at < cells, "{text:?} {at} in {cells}");
            (text, at)
        };
        assert_eq!(shown(&input, 20), ("local/a-long-name".into(), 17));
        assert_eq!(shown(&input, 8), ("…g-name".into(), 7), "the caret stands behind the end");
        input.key(Key::plain(Code::Home));
        assert_eq!(shown(&input, 8), ("local/a…".into(), 0));
        for _ in 0..9 {
            input.key(Key::plain(Code::Right));
        }
        assert_eq!(shown(&input, 8), ("…l/a-lo…".into(), 6), "{}", input.caret());
        // wide characters and combining marks
        let mut input = Input::of("日本語e\u{301}日本語");
        input.key(Key::plain(Code::Home));
        for _ in 0..9 {
            for cells in 2..20 {
                shown(&input, cells);
            }
            input.key(Key::plain(Code::Right));
        }
    }

    #[test]
    fn pasted_lines_are_joined_with_a_space_and_nothing_else_gets_in() {
        let mut input = Input::default();
        input.insert("a\r\n\r\nb\tc\x1b[2J\n");
        assert_eq!(input.text(), "a b c[2J");
    }

    #[test]
    fn choices_go_round() {
        let mut form = Form::default().choice("scope", "subtree", ["directory", "subtree"].map(String::from));
        assert!(form.fields[0].key(Key::plain(Code::Right)));
        assert_eq!(form.value("scope"), "directory");
        form.fields[0].key(Key::plain(Code::Left));
        assert_eq!(form.value("scope"), "subtree");
    }

    #[test]
    fn only_what_applies_is_gone_through() {
        let ways = ["write", "lift"].map(|value| Choice { value: value.into(), says: "" });
        let mut form = Form::default().told_choice("way", "write", ways).text("title", "x").with("way", "write");
        form = form.text("note", "");
        assert_eq!((form.after(None), form.after(Some(0)), form.after(Some(2))), (Some(0), Some(1), None));
        form.fields[0].key(Key::plain(Code::Right));
        assert_eq!((form.after(Some(0)), form.before(Some(2)), form.before(None)), (Some(2), Some(0), Some(2)));
        assert_eq!(form.value("title"), "x", "what was typed stays, for when it applies again");
    }
}
