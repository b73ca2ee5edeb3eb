//! The schema `context/v1`: which keys a contract has, what each may hold, and what is said when it does not.

use super::model::{Audience, Class, Composition, Contract, Scope, Status};
use super::yaml::{At, Entry, Node, Style, is_null, is_text};
use crate::finding::{Area, Finding, Severity};
use crate::text::near;

/// The one schema there is.
pub(super) const SCHEMA: &str = "context/v1";
/// The kind of a contract.
pub(super) const KIND: &str = "context";

pub(super) const KEYS: [&str; 15] = [
    "schema",
    "id",
    "kind",
    "title",
    "description",
    "status",
    "scope",
    "composition",
    "order",
    "providers",
    "audience",
    "paths",
    "supersedes",
    "tracks",
    "children",
];
pub(super) const CHILDREN: [&str; 2] = ["require_contract", "exempt"];

/// What was found in a document, with the class of the first thing that drops it.
pub(super) struct Notes<'a> {
    path: &'a str,
    pub findings: Vec<Finding>,
    pub class: Option<Class>,
}

impl<'a> Notes<'a> {
    pub fn new(path: &'a str) -> Notes<'a> {
        Notes { path, findings: Vec::new(), class: None }
    }

    /// A finding that drops the document.
    pub fn refuse(&mut self, class: Class, message: impl Into<String>) -> &mut Finding {
        self.class.get_or_insert(class);
        self.add(class.name(), Severity::Error, message)
    }

    /// A finding that leaves the document in force.
    pub fn add(&mut self, code: &str, severity: Severity, message: impl Into<String>) -> &mut Finding {
        self.findings.push(Finding::new(Area::Contracts, code, severity, self.path, message));
        let last = self.findings.len() - 1;
        &mut self.findings[last]
    }
}

/// Sets the place of a finding, and its key.
pub(super) fn place(finding: &mut Finding, at: At, key: &str) {
    (finding.line, finding.column, finding.key) = (Some(at.line), Some(at.column), Some(key.to_owned()));
}

/// The contract that these keys declare; what is wrong with them is noted. `None` when the document is dropped.
pub(super) fn contract(entries: &[Entry], notes: &mut Notes<'_>) -> Option<Contract> {
    let mut keys = Keys { entries, prefix: "", notes };
    if keys.is_something_else() {
        return None;
    }
    keys.unknown(&KEYS);
    let id = keys.required("id", Keys::id);
    let title = keys.required("title", Keys::text);
    let description = keys.required("description", Keys::text);
    let status = keys.required("status", |keys, entry| keys.word(entry, Status::WORDS, Status::of));
    let scope = keys.required("scope", |keys, entry| keys.word(entry, Scope::WORDS, Scope::of));
    let composition = keys.required("composition", |keys, entry| keys.word(entry, Composition::WORDS, Composition::of));
    let order = keys.required("order", Keys::order);
    let providers = keys.required("providers", Keys::list);
    let audience = keys.optional("audience", Keys::audience);
    let lists = ["paths", "supersedes", "tracks"].map(|key| keys.optional(key, Keys::list).unwrap_or_default());
    let [paths, supersedes, tracks] = lists;
    let (require_contract, exempt) = keys.children();
    keys.only_together(scope, composition);
    if keys.notes.class.is_some() {
        return None;
    }
    Some(Contract {
        id: id?,
        title,
        description,
        status: status?,
        scope: scope?,
        composition: composition?,
        order: order?,
        providers: providers?,
        audience: audience.unwrap_or_else(|| vec![Audience::Human, Audience::Agent]),
        tracks,
        require_contract,
        exempt,
        paths,
        supersedes,
    })
}

/// The kind a block declares, if it is text.
pub(super) fn kind(entries: &[Entry]) -> Option<&str> {
    entries.iter().find(|entry| entry.key == "kind").and_then(|entry| match &entry.value {
        Node::Scalar { text, .. } => Some(text.as_str()),
        _ => None,
    })
}

struct Keys<'e, 'n, 'p> {
    entries: &'e [Entry],
    prefix: &'static str,
    notes: &'n mut Notes<'p>,
}

impl<'e> Keys<'e, '_, '_> {
    /// The entry of a key; one without a value is as if absent.
    fn get(&self, key: &str) -> Option<&'e Entry> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        let empty = match &entry.value {
            Node::Scalar { text, style: Style::Plain, .. } => is_null(text),
            Node::Scalar { text, .. } => text.trim().is_empty(),
            Node::List { items, .. } => items.iter().all(is_empty),
            Node::Map { entries, .. } => entries.is_empty(),
        };
        (!empty).then_some(entry)
    }

    fn required<T>(&mut self, key: &str, read: impl FnOnce(&mut Self, &'e Entry) -> Option<T>) -> Option<T> {
        if let Some(entry) = self.get(key) {
            return read(self, entry);
        }
        self.missing(key);
        None
    }

    fn optional<T>(&mut self, key: &str, read: impl FnOnce(&mut Self, &'e Entry) -> Option<T>) -> Option<T> {
        let entry = self.get(key)?;
        read(self, entry)
    }

    fn missing(&mut self, key: &str) {
        let there = self.entries.iter().find(|entry| entry.key == key);
        let how = if there.is_some() { "has no value" } else { "is missing" };
        let at = there.map_or(At { line: 1, column: 1 }, |entry| entry.at);
        let finding = self.notes.refuse(Class::InvalidFrontMatter, format!("the required key `{key}` {how}"));
        place(finding, at, key);
        finding.expected = Some(expected(key));
        finding.fix = Some(format!("add `{key}: {}`", example(key)));
    }

    fn wrong(&mut self, entry: &Entry, message: impl Into<String>, expected: impl Into<String>) {
        let key = format!("{}{}", self.prefix, entry.key);
        let finding = self.notes.refuse(Class::InvalidFrontMatter, message);
        place(finding, entry.value.at(), &key);
        let expected = expected.into();
        finding.fix = Some(format!("write {expected}"));
        finding.expected = Some(expected);
    }

    /// Whether the block says that it is no contract of this schema; then its other keys are none of ours.
    fn is_something_else(&mut self) -> bool {
        match self.get("schema").map(|entry| (entry, &entry.value)) {
            None => self.missing("schema"),
            Some((_, Node::Scalar { text, .. })) if text == SCHEMA => {}
            Some((entry, Node::Scalar { text, .. })) if text.starts_with("context") => {
                let message = format!("the schema `{text}` is not one this reader knows");
                let finding = self.notes.refuse(Class::UnsupportedSchema, message);
                place(finding, entry.value.at(), "schema");
                finding.expected = Some(format!("`{SCHEMA}`"));
                finding.fix = Some(format!("write `schema: {SCHEMA}`"));
                return true;
            }
            Some((entry, _)) => {
                self.wrong(entry, "the schema is not that of a contract", format!("`{SCHEMA}`"));
                return true;
            }
        }
        match self.get("kind").map(|entry| (entry, &entry.value)) {
            None => self.missing("kind"),
            Some((_, Node::Scalar { text, .. })) if text == KIND => {}
            Some((entry, _)) => {
                self.wrong(entry, "the kind is not that of a contract", format!("`{KIND}`"));
                return true;
            }
        }
        false
    }

    fn unknown(&mut self, known: &[&str]) {
        for entry in self.entries.iter().filter(|entry| !known.contains(&entry.key.as_ref())) {
            let key = format!("{}{}", self.prefix, entry.key);
            let finding = self.notes.refuse(Class::UnknownKey, format!("unknown key `{key}`"));
            place(finding, entry.at, &key);
            finding.expected = Some(format!("one of {}", known.join(", ")));
            finding.fix = Some(match near(&entry.key, known.iter().copied(), 1).first() {
                Some(nearest) => format!("write `{}{nearest}`, or remove the line", self.prefix),
                None => "remove the line".to_owned(),
            });
        }
    }

    fn id(&mut self, entry: &'e Entry) -> Option<String> {
        let text = self.text(entry)?;
        if is_id(&text) {
            return Some(text);
        }
        self.wrong(entry, format!("`{text}` is no id"), "lower-case words with dots between, as `ai.repo.rules`");
        None
    }

    fn text(&mut self, entry: &'e Entry) -> Option<String> {
        match &entry.value {
            Node::Scalar { text, style: Style::Plain, .. } if !is_text(text) => {
                let message = format!("`{}` is read as a number or a boolean, and is meant as text", entry.key);
                self.wrong(entry, message, format!("quotes around it: \"{text}\""));
                None
            }
            Node::Scalar { text, style, .. } if *style == Style::Block || text.contains('\n') => {
                self.wrong(entry, format!("`{}` is of several lines", entry.key), "one line, quoted or plain");
                None
            }
            Node::Scalar { text, .. } => Some(text.clone()),
            _ => {
                self.wrong(entry, format!("`{}` holds a list or map", entry.key), "one line of text");
                None
            }
        }
    }

    fn word<T>(&mut self, entry: &'e Entry, words: &[&str], of: fn(&str) -> Option<T>) -> Option<T> {
        if let Node::Scalar { text, style, .. } = &entry.value
            && *style != Style::Block
        {
            if let Some(value) = of(text) {
                return Some(value);
            }
            let nearest = near(text, words.iter().copied(), 1).first().map(|word| format!(" (`{word}`?)"));
            let message = format!("`{text}` is no {}{}", entry.key, nearest.unwrap_or_default());
            self.wrong(entry, message, one_of(words));
        } else {
            self.wrong(entry, format!("`{}` is no single word", entry.key), one_of(words));
        }
        None
    }

    fn order(&mut self, entry: &'e Entry) -> Option<i64> {
        let plain = match &entry.value {
            Node::Scalar { text, style: Style::Plain, .. } => plain_integer(text),
            _ => None,
        };
        if plain.is_none() {
            self.wrong(entry, "`order` is no plain integer", "plain decimal digits, as `100` or `-5`, unquoted");
        }
        plain
    }

    fn list(&mut self, entry: &'e Entry) -> Option<Vec<String>> {
        let Node::List { items, .. } = &entry.value else {
            let example = format!("a list, as `{}: {}`", entry.key, example(&entry.key));
            self.wrong(entry, format!("`{}` holds one value where a list is wanted", entry.key), example);
            return None;
        };
        let mut texts = Vec::with_capacity(items.len());
        for item in items.iter().filter(|item| !is_empty(item)) {
            match item {
                Node::Scalar { text, style, .. }
                    if *style != Style::Block && !text.contains('\n') && (*style == Style::Quoted || is_text(text)) =>
                {
                    texts.push(text.clone());
                }
                _ => {
                    let item = Entry { key: entry.key.clone(), at: entry.at, value: item.clone() };
                    self.wrong(&item, format!("an item of `{}` is no text", entry.key), "text; quote numbers");
                    return None;
                }
            }
        }
        Some(texts)
    }

    fn audience(&mut self, entry: &'e Entry) -> Option<Vec<Audience>> {
        let words = self.list(entry)?;
        let read: Option<Vec<Audience>> = words.iter().map(|word| Audience::of(word)).collect();
        if read.is_none() {
            let wrong = words.iter().find(|word| Audience::of(word).is_none()).map_or("", String::as_str);
            self.wrong(entry, format!("`{wrong}` is no audience"), one_of(Audience::WORDS));
        }
        read
    }

    fn children(&mut self) -> (Option<bool>, Vec<String>) {
        let Some(entry) = self.get("children") else { return (None, Vec::new()) };
        let Node::Map { entries, .. } = &entry.value else {
            self.wrong(entry, "`children` is no map", "`require_contract` or `exempt`, indented below it");
            return (None, Vec::new());
        };
        let mut below = Keys { entries, prefix: "children.", notes: &mut *self.notes };
        below.unknown(&CHILDREN);
        let required = below.optional("require_contract", |keys, entry| match &entry.value {
            Node::Scalar { text, style: Style::Plain, .. } if text == "true" => Some(true),
            Node::Scalar { text, style: Style::Plain, .. } if text == "false" => Some(false),
            _ => {
                keys.wrong(entry, "`children.require_contract` is no boolean", "`true` or `false`, unquoted");
                None
            }
        });
        let exempt = below.optional("exempt", Keys::list).unwrap_or_default();
        (required, exempt)
    }

    /// Keys that belong to one scope or composition only. The document stays in force.
    fn only_together(&mut self, scope: Option<Scope>, composition: Option<Composition>) {
        let (Some(scope), Some(composition)) = (scope, composition) else { return };
        for (key, fits, wanted) in [
            ("paths", scope == Scope::Explicit, "scope: explicit"),
            ("supersedes", composition == Composition::Replace, "composition: replace"),
            ("children", scope == Scope::Subtree, "scope: subtree"),
        ] {
            match self.get(key) {
                Some(entry) if !fits => {
                    let message = format!("`{key}` has no effect without `{wanted}`");
                    let finding = self.notes.add(Class::InvalidFrontMatter.name(), Severity::Error, message);
                    place(finding, entry.at, key);
                    finding.expected = Some(format!("`{wanted}`"));
                    finding.fix = Some(format!("write `{wanted}`, or remove `{key}`"));
                }
                None if fits && key != "children" => self.missing(key),
                _ => {}
            }
        }
    }
}

fn is_empty(item: &Node) -> bool {
    match item {
        Node::Scalar { text, style: Style::Plain, .. } => is_null(text),
        Node::Scalar { text, .. } => text.trim().is_empty(),
        Node::List { items, .. } => items.is_empty(),
        Node::Map { entries, .. } => entries.is_empty(),
    }
}

/// Whether a text is of the form of an id.
///
/// ```
/// use dagwood::contracts::is_id;
/// assert!(is_id("ai.repo.use-cases") && !is_id("Ai.repo") && is_id("ai"));
/// ```
pub fn is_id(text: &str) -> bool {
    let mut segments = text.split('.');
    let first = segments.next().unwrap_or_default();
    let good = |segment: &str| {
        !segment.is_empty() && segment.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
    };
    good(first) && first.starts_with(|c: char| c.is_ascii_lowercase()) && segments.all(good)
}

fn plain_integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok()).flatten()
}

fn one_of(words: &[&str]) -> String {
    format!("`{}`", words.join("` or `"))
}

fn expected(key: &str) -> String {
    match key {
        "status" => one_of(Status::WORDS),
        "scope" => one_of(Scope::WORDS),
        "composition" => one_of(Composition::WORDS),
        "order" => "a plain integer".to_owned(),
        "providers" | "paths" | "supersedes" => "a list of text, not empty".to_owned(),
        "schema" => format!("`{SCHEMA}`"),
        "kind" => format!("`{KIND}`"),
        "id" => "lower-case words with dots between".to_owned(),
        _ => "one line of text".to_owned(),
    }
}

fn example(key: &str) -> &'static str {
    match key {
        "schema" => SCHEMA,
        "kind" => KIND,
        "id" => "ai.repo.rules",
        "status" => "active",
        "scope" => "subtree",
        "composition" => "extend",
        "order" => "100",
        "providers" => "[\"*\"]",
        "audience" => "[human, agent]",
        "paths" | "exempt" => "[.ai/repo/vendor]",
        "supersedes" => "[ai.repo]",
        "tracks" => "[src]",
        _ => "...",
    }
}
