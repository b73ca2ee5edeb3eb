//! Changing entries of a `mars.toml` and keeping every other byte: comments, order, spacing, line ends. Pure.
//!
//! The parsed file only says where things stand; the text is then cut and filled at those places, and the result is read
//! again and held against what was wanted. What cannot be changed for certain is refused.

use std::ops::Range;

use toml_edit::{Array, Item, TableLike, Value};

use super::manifest::{self, Dependency, Manifest, Owner, Read};
use super::model::{Filter, Name};
use super::toml::Toml;

/// What becomes of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It goes.
    Drop,
    /// It gets another filter.
    Filter(Filter),
}

/// Why a text was not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("mars.toml cannot be changed safely here ({why}); change `{key}` by hand")]
pub struct Refused {
    /// The entry.
    pub key: Name,
    /// What is in the way.
    pub why: String,
}

impl crate::error::Coded for Refused {
    fn code(&self) -> crate::error::Code {
        crate::error::Code::InvalidInput
    }

    fn fields(&self) -> serde_json::Map<String, serde_json::Value> {
        serde_json::Map::from_iter([("key".to_owned(), serde_json::json!(self.key))])
    }
}

const FILTER_KEYS: [&str; 5] = ["agents", "skills", "exclude", "only_skills", "only_agents"];

/// The text with entries changed.
///
/// # Errors
/// [`Refused`], with the first entry that cannot be changed.
pub fn rewrite(text: &str, changes: &[(Name, Change)]) -> Result<String, Refused> {
    let mut now = text.to_owned();
    for (key, change) in changes {
        let refused = |why: &str| Refused { key: key.clone(), why: why.to_owned() };
        let toml = Toml::parse(&now).map_err(|broken| refused(&broken.message))?;
        let cuts = Cutter { text: &now, toml: &toml }.cuts(key, change).map_err(|why| refused(&why))?;
        let next = apply(&now, cuts).ok_or_else(|| refused("its parts lie within each other"))?;
        check(&now, &next, key, change).map_err(|why| refused(&why))?;
        now = next;
    }
    Ok(now)
}

/// A piece of the text and what stands in its place.
type Cut = (Range<usize>, String);

fn apply(text: &str, mut cuts: Vec<Cut>) -> Option<String> {
    // what is filled in at a place comes before what is cut from there on
    cuts.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, with) in cuts {
        out.push_str(text.get(at..range.start)?);
        out.push_str(&with);
        at = range.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// Reads old and new, and sees that the one entry changed as wanted and nothing else did.
fn check(old: &str, new: &str, key: &Name, change: &Change) -> Result<(), String> {
    let read = |text: &str| match manifest::parse(text, "mars.toml", Owner::Project) {
        Read::Own(reading) => Ok(reading.manifest),
        Read::Foreign => Ok(Manifest::default()),
        Read::Broken(broken) => Err(broken.message),
    };
    let without_lines = |entries: Vec<Dependency>| -> Vec<Dependency> {
        let bare = |mut entry: Dependency| {
            entry.place.line = 0;
            entry.filter_place.line = 0;
            entry.filter_lines.clear();
            entry
        };
        entries.into_iter().map(bare).collect()
    };
    let (old, new) = (read(old)?, read(new)?);
    for (old, new) in [(old.dependencies, new.dependencies), (old.local_dependencies, new.local_dependencies)] {
        let mut wanted = without_lines(old);
        match change {
            Change::Drop => wanted.retain(|entry| entry.key != *key),
            Change::Filter(filter) => {
                for entry in wanted.iter_mut().filter(|entry| entry.key == *key) {
                    entry.filter = filter.clone();
                }
            }
        }
        if without_lines(new) != wanted {
            return Err("the result would not say what is wanted".to_owned());
        }
    }
    Ok(())
}

/// A part of an entry: a `key = value` or a header.
struct Statement {
    key: String,
    /// From the first byte of the key, with what stands before it in the line.
    head: Range<usize>,
    /// The value; of a header empty, at its end.
    value: Range<usize>,
}

struct Cutter<'a> {
    text: &'a str,
    toml: &'a Toml<'a>,
}

impl Cutter<'_> {
    fn cuts(&self, key: &Name, change: &Change) -> Result<Vec<Cut>, String> {
        let mut cuts = Vec::new();
        for table in ["dependencies", "local-dependencies"] {
            let Some(entries) = self.toml.table(table) else { continue };
            let Some((name, entry)) = entries.get_key_value(key) else { continue };
            if table_is_inline(self.toml, table) {
                return Err(format!("`{table}` is written in one line"));
            }
            match (entry, change) {
                (Item::Value(Value::InlineTable(inline)), Change::Filter(filter)) => {
                    let parts = Self::inline_parts(inline)?;
                    cuts.extend(self.inline(inline.span().ok_or(UNPLACED)?, &parts, filter, inline)?);
                }
                (Item::Value(value), Change::Drop) => {
                    let from = name.span().ok_or(UNPLACED)?.start;
                    cuts.push((self.lines(from..value.span().ok_or(UNPLACED)?.end), String::new()));
                }
                (Item::Table(table), change) => {
                    let mut parts = Vec::new();
                    self.parts(table, name.span().as_ref(), &mut parts)?;
                    cuts.extend(match change {
                        Change::Drop => self.drop(&parts),
                        Change::Filter(filter) => self.table(&parts, filter, table)?,
                    });
                }
                _ => return Err("it is no table".to_owned()),
            }
        }
        if cuts.is_empty() && *change == Change::Drop { Err("it is not there".to_owned()) } else { Ok(cuts) }
    }

    /// The parts of an entry written as tables or dotted keys.
    fn parts(
        &self,
        table: &toml_edit::Table,
        name: Option<&Range<usize>>,
        parts: &mut Vec<Statement>,
    ) -> Result<(), String> {
        let header = table.span().filter(|span| self.text[span.clone()].starts_with('['));
        if let Some(span) = header {
            parts.push(Statement {
                key: String::new(),
                head: self.line_start(span.start)..span.end,
                value: span.end..span.end,
            });
        }
        for (key, item) in table {
            let own = table.key(key).and_then(toml_edit::Key::span).or_else(|| name.cloned()).ok_or(UNPLACED)?;
            match item {
                Item::Value(value) => {
                    let head = self.line_start(own.start)..own.start;
                    parts.push(Statement { key: key.to_owned(), head, value: value.span().ok_or(UNPLACED)? });
                }
                Item::Table(below) => {
                    let first = parts.len();
                    self.parts(below, Some(&own), parts)?;
                    // a part of a table below is no part of the entry by its own name
                    parts[first..].iter_mut().for_each(|part| part.key = format!("{key}."));
                }
                _ => return Err("it holds a list of tables".to_owned()),
            }
        }
        Ok(())
    }

    fn drop(&self, parts: &[Statement]) -> Vec<Cut> {
        parts.iter().map(|part| (self.lines(part.head.start..part.value.end), String::new())).collect()
    }

    /// The cuts that give an entry of tables or dotted keys another filter.
    fn table(&self, parts: &[Statement], filter: &Filter, table: &toml_edit::Table) -> Result<Vec<Cut>, String> {
        let wanted = lists(filter);
        let mut cuts = Vec::new();
        let mut missing: Vec<&(&str, Setting)> = wanted.iter().collect();
        let own = || parts.iter().filter(|part| !part.key.ends_with('.'));
        for part in own().filter(|part| FILTER_KEYS.contains(&part.key.as_str())) {
            if let Some(at) = missing.iter().position(|(key, _)| *key == part.key) {
                let (_, setting) = missing.remove(at);
                cuts.extend(self.set(part.value.clone(), table.get(&part.key), setting)?);
            } else {
                cuts.push((self.lines(part.head.start..part.value.end), String::new()));
            }
        }
        if missing.is_empty() {
            return Ok(cuts);
        }
        // in the place of the first list that goes, else after the last part
        let gone = own()
            .find(|part| FILTER_KEYS.contains(&part.key.as_str()) && wanted.iter().all(|(key, _)| *key != part.key));
        let last = own().max_by_key(|part| part.value.end).ok_or("it has no part")?;
        let model = gone.or_else(|| own().filter(|part| !part.key.is_empty()).max_by_key(|part| part.value.end));
        let before = model.map_or(String::new(), |part| self.text[part.head.clone()].to_owned());
        let lines: String = missing
            .iter()
            .map(|(key, setting)| format!("{before}{key} = {}{}", setting.text(), self.line_end()))
            .collect();
        if let Some(gone) = gone {
            let range = self.lines(gone.head.start..gone.value.end);
            cuts.retain(|(cut, _)| *cut != range);
            cuts.push((range, lines));
        } else {
            let at = self.lines(last.head.start..last.value.end).end;
            let open = if self.text[..at].ends_with('\n') { "" } else { self.line_end() };
            cuts.push((at..at, format!("{open}{lines}")));
        }
        Ok(cuts)
    }

    fn inline_parts(inline: &toml_edit::InlineTable) -> Result<Vec<Statement>, String> {
        let mut parts = Vec::new();
        for (key, value) in inline {
            let head = TableLike::key(inline, key).and_then(toml_edit::Key::span).ok_or(UNPLACED)?;
            let value = value.span().ok_or("it has dotted keys inside braces")?;
            parts.push(Statement { key: key.to_owned(), head, value });
        }
        parts.sort_by_key(|part| part.head.start);
        Ok(parts)
    }

    /// The cuts that give an entry in braces another filter.
    fn inline(
        &self,
        braces: Range<usize>,
        parts: &[Statement],
        filter: &Filter,
        inline: &toml_edit::InlineTable,
    ) -> Result<Vec<Cut>, String> {
        let wanted = lists(filter);
        let mut cuts = Vec::new();
        let mut kept: Vec<&Statement> = Vec::new();
        for part in parts {
            let goes = FILTER_KEYS.contains(&part.key.as_str()) && wanted.iter().all(|(key, _)| *key != part.key);
            if !goes {
                kept.push(part);
                if let Some((_, setting)) = wanted.iter().find(|(key, _)| *key == part.key) {
                    cuts.extend(self.set(part.value.clone(), TableLike::get(inline, &part.key), setting)?);
                }
            }
        }
        let Some(last) = kept.last() else { return Err("nothing but a filter stands in its braces".to_owned()) };
        // what goes is cut with the comma before it, or, of the first one, with the comma behind it
        for (nth, part) in parts.iter().enumerate().filter(|(_, part)| !kept.iter().any(|kept| kept.head == part.head))
        {
            let before = kept.iter().rfind(|kept| kept.head.start < part.head.start);
            let range = match (nth.checked_sub(1).map(|at| &parts[at]), before) {
                (Some(previous), Some(_)) => previous.value.end..part.value.end,
                _ => part.head.start..parts[nth + 1].head.start,
            };
            cuts.push((range, String::new()));
        }
        let new = wanted.iter().filter(|(key, _)| parts.iter().all(|part| part.key != *key));
        let new: String = new.map(|(key, setting)| format!(", {key} = {}", setting.text())).collect();
        if !new.is_empty() {
            debug_assert!(last.value.end < braces.end, "a value ends before its braces do");
            cuts.push((last.value.end..last.value.end, new));
        }
        Ok(cuts)
    }

    /// The cuts that give a value that is there another content.
    fn set(&self, value: Range<usize>, item: Option<&Item>, setting: &Setting) -> Result<Vec<Cut>, String> {
        match (item.and_then(Item::as_array), setting) {
            (Some(array), Setting::List(names)) => self.list(&value, array, names),
            _ => Ok(vec![(value, setting.text())]),
        }
    }

    /// The cuts that turn a list into another, element by element.
    fn list(&self, whole: &Range<usize>, array: &Array, names: &[Name]) -> Result<Vec<Cut>, String> {
        let mut elements: Vec<(Option<&str>, Range<usize>)> = Vec::new();
        for value in array {
            elements.push((value.as_str(), value.span().ok_or(UNPLACED)?));
        }
        let stays = |text: Option<&str>| text.is_some_and(|text| names.iter().any(|name| **name == *text));
        let new: Vec<&Name> =
            names.iter().filter(|name| elements.iter().all(|(text, _)| *text != Some(&***name))).collect();
        let kept: Vec<&str> = elements.iter().filter_map(|(text, _)| text.filter(|_| stays(*text))).collect();
        let in_order = kept.iter().copied().chain(new.iter().map(|name| &***name));
        if !in_order.eq(names.iter().map(|name| &**name)) || elements.iter().any(|(text, _)| text.is_none()) {
            // another order, or a list that was no list of texts
            return Ok(vec![(whole.clone(), Setting::List(names.to_vec()).text())]);
        }
        let mut cuts = Vec::new();
        let goes: Vec<usize> = (0..elements.len()).filter(|&at| !stays(elements[at].0)).collect();
        for run in goes.chunk_by(|one, next| one + 1 == *next) {
            let spans: Vec<&Range<usize>> = elements.iter().map(|(_, span)| span).collect();
            cuts.extend(self.elements(&spans, run[0], run[run.len() - 1]).into_iter().map(|cut| (cut, String::new())));
        }
        if new.is_empty() {
            return Ok(cuts);
        }
        let quoted: Vec<String> = new.iter().map(|name| quoted(name)).collect();
        match elements.iter().rfind(|(text, _)| stays(*text)) {
            None => return Ok(vec![(whole.clone(), Setting::List(names.to_vec()).text())]),
            Some((_, last)) if self.stands_alone(last) => {
                let indent = self.text[self.line_start(last.start)..last.start].to_owned();
                let comma = self.comma_after(last.end);
                if comma.is_none() {
                    cuts.push((last.end..last.end, ",".to_owned()));
                }
                let at = self.lines(last.start..comma.map_or(last.end, |at| at + 1)).end;
                let end = if comma.is_some() { "," } else { "" };
                let lines = quoted.join(&format!(",{}{indent}", self.line_end()));
                cuts.push((at..at, format!("{indent}{lines}{end}{}", self.line_end())));
            }
            Some((_, last)) => cuts.push((last.end..last.end, format!(", {}", quoted.join(", ")))),
        }
        Ok(cuts)
    }

    /// The pieces of a list that are cut with some elements in a row: whole lines where each has its own, else the
    /// elements with the commas that are theirs.
    fn elements(&self, spans: &[&Range<usize>], first: usize, last: usize) -> Vec<Range<usize>> {
        let behind = |span: &Range<usize>| self.comma_after(span.end).map_or(span.end, |at| at + 1);
        let alone = |span: &&Range<usize>| self.stands_alone(span) && behind(span) <= self.lines((*span).clone()).end;
        if spans[first..=last].iter().all(alone) {
            return spans[first..=last].iter().map(|span| self.lines(span.start..behind(span))).collect();
        }
        vec![match (spans.get(last + 1), first.checked_sub(1)) {
            (Some(next), _) => spans[first].start..next.start,
            (None, Some(before)) => spans[before].end..spans[last].end,
            (None, None) => spans[first].start..behind(spans[last]),
        }]
    }

    /// Whether an element is the only one in its line.
    fn stands_alone(&self, span: &Range<usize>) -> bool {
        let line = self.lines(span.clone());
        let behind = self.text[span.end..line.end].trim_start();
        let behind = behind.strip_prefix(',').unwrap_or(behind).trim_start();
        self.text[self.line_start(span.start)..span.start].trim().is_empty()
            && (behind.is_empty() || behind.starts_with('#'))
    }

    /// The comma that follows, past space and comments.
    fn comma_after(&self, mut at: usize) -> Option<usize> {
        loop {
            let rest = &self.text[at..];
            let space = rest.len() - rest.trim_start().len();
            at += space;
            match self.text[at..].chars().next()? {
                ',' => return Some(at),
                '#' => at += self.text[at..].find('\n')?,
                _ => return None,
            }
        }
    }

    fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |end| end + 1)
    }

    /// A range widened to whole lines, with the end of the last one.
    fn lines(&self, range: Range<usize>) -> Range<usize> {
        let end = self.text[range.end..].find('\n').map_or(self.text.len(), |end| range.end + end + 1);
        self.line_start(range.start)..end
    }

    fn line_end(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }
}

const UNPLACED: &str = "the parser does not say where it stands";

fn table_is_inline(toml: &Toml<'_>, table: &str) -> bool {
    toml.top().get(table).is_some_and(Item::is_inline_table)
}

/// What a key of a filter is set to.
enum Setting {
    List(Vec<Name>),
    True,
}

impl Setting {
    fn text(&self) -> String {
        match self {
            Setting::List(names) => {
                format!("[{}]", names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "))
            }
            Setting::True => "true".to_owned(),
        }
    }
}

fn quoted(name: &str) -> String {
    Value::from(name).to_string()
}

/// The keys that say a filter.
fn lists(filter: &Filter) -> Vec<(&'static str, Setting)> {
    match filter {
        Filter::All => Vec::new(),
        Filter::OnlySkills => vec![("only_skills", Setting::True)],
        Filter::OnlyAgents => vec![("only_agents", Setting::True)],
        Filter::Exclude(names) => vec![("exclude", Setting::List(names.clone()))],
        Filter::Include { agents, skills } => {
            let list = |key, names: &Vec<Name>| (key, Setting::List(names.clone()));
            match (agents.is_empty(), skills.is_empty()) {
                (false, false) => vec![list("agents", agents), list("skills", skills)],
                (false, true) => vec![list("agents", agents)],
                (true, _) => vec![list("skills", skills)],
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<Name> {
        text.split_whitespace().map(Name::from).collect()
    }

    fn to(text: &str, filter: Filter) -> String {
        rewrite(text, &[("p".into(), Change::Filter(filter))]).unwrap()
    }

    fn exclude(text: &str) -> Filter {
        Filter::Exclude(names(text))
    }

    fn skills(text: &str) -> Filter {
        Filter::Include { agents: vec![], skills: names(text) }
    }

    #[test]
    fn a_list_is_changed_element_by_element() {
        let many = "[dependencies.p]\npath = 'p'\nskills = [ # why\n  \"a\", # first\n  \"b\", # second\n  \"c\" # last\n] # end\n";
        assert_eq!(to(many, skills("a c")), many.replace("  \"b\", # second\n", ""));
        assert_eq!(to(many, skills("a b")), many.replace("  \"c\" # last\n", ""));
        assert_eq!(to(many, skills("a b c d")), many.replace("\"c\" # last\n", "\"c\", # last\n  \"d\"\n"));
        let comma = many.replace("\"c\" #", "\"c\", #");
        assert_eq!(to(&comma, skills("a b c d")), comma.replace("# last\n", "# last\n  \"d\",\n"));
        let one = "[dependencies.p]\npath = 'p'\nskills = ['a',  'b', \"c\"] # end\n";
        assert_eq!(to(one, skills("b c")), one.replace("'a',  ", ""));
        assert_eq!(to(one, skills("a b")), one.replace(", \"c\"", ""));
        assert_eq!(to(one, skills("a c")), one.replace("'b', ", ""));
        assert_eq!(to(one, skills("a b c d")), one.replace("\"c\"]", "\"c\", \"d\"]"));
        assert_eq!(to(one, skills("")), one.replace("'a',  'b', \"c\"", ""));
    }

    #[test]
    fn a_filter_comes_changes_and_goes() {
        let all = "# top\r\n[dependencies.p] # p\r\n  path = 'p' # here\r\n\r\n# after\r\n[settings]\r\n";
        let with = all.replace("# here\r\n", "# here\r\n  exclude = [\"x\"]\r\n");
        assert_eq!(to(all, exclude("x")), with);
        assert_eq!(to(&with, Filter::All), all);
        assert_eq!(to(&with, Filter::OnlySkills), with.replace("exclude = [\"x\"]", "only_skills = true"));
        assert_eq!(to("[dependencies.p]\npath='p'", exclude("x")), "[dependencies.p]\npath='p'\nexclude = [\"x\"]\n");
    }

    #[test]
    fn entries_in_braces_and_with_dots() {
        let braces = "[dependencies]\np = { path = \"p\", skills = [\"a\"], version = \"1\" } # c\n";
        assert_eq!(to(braces, Filter::All), braces.replace(", skills = [\"a\"]", ""));
        assert_eq!(
            to(braces, exclude("x")),
            braces.replace(", skills = [\"a\"], version = \"1\"", ", version = \"1\", exclude = [\"x\"]")
        );
        assert_eq!(to(braces, skills("a b")), braces.replace("\"a\"", "\"a\", \"b\""));
        let first = "[dependencies]\np = { skills = [], path = \"p\" }\n";
        assert_eq!(to(first, Filter::All), "[dependencies]\np = { path = \"p\" }\n");
        let dots = "[dependencies]\np.path = \"p\"\nq.path = \"q\"\n";
        assert_eq!(to(dots, exclude("x")), "[dependencies]\np.path = \"p\"\np.exclude = [\"x\"]\nq.path = \"q\"\n");
    }

    #[test]
    fn a_dropped_entry_takes_nothing_with_it() {
        let drop = |text: &str| rewrite(text, &[("p".into(), Change::Drop)]).unwrap();
        assert_eq!(
            drop(
                "# one\n[dependencies.q]\npath='q'\n# two\n[dependencies.p] # three\npath='p'\n# four\n[dependencies.p.rename]\n'a'='b'\n# five\n[settings]\n"
            ),
            "# one\n[dependencies.q]\npath='q'\n# two\n# four\n# five\n[settings]\n"
        );
        assert_eq!(drop("[dependencies]\nq.path='q'\np.path='p'\np.skills=[\n'x']\n"), "[dependencies]\nq.path='q'\n");
        assert_eq!(drop("[dependencies]\np = {path='p'} # c\nq = {path='q'}\n"), "[dependencies]\nq = {path='q'}\n");
        assert!(rewrite("[settings]\n", &[("p".into(), Change::Drop)]).is_err());
        assert!(
            rewrite("dependencies = {p = {path='p'}}\n", &[("p".into(), Change::Drop)]).is_err(),
            "refused, not guessed"
        );
    }

    #[test]
    fn names_are_quoted_as_they_must_be() {
        let text = "[dependencies.p]\npath='p'\n";
        for name in ["a\"b", "a\\b", "a\nb", "é", "a'b\"c"] {
            let filter = Filter::Exclude(vec![name.into()]);
            // read back and compared on the way
            rewrite(text, &[("p".into(), Change::Filter(filter))]).unwrap();
        }
    }
}
