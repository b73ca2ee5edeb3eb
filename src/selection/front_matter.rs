//! The block of YAML at the head of an agent or a skill, read leniently: whatever is wrong with it is remarked and the
//! item stays.

use serde_yaml::{Mapping, Value};

use super::model::Name;
use crate::text::Places;

/// What is known of an item from its front matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrontMatter {
    /// `name`.
    pub name: Option<String>,
    /// `description`.
    pub description: Option<String>,
    /// `model`.
    pub model: Option<String>,
    /// `mode`.
    pub mode: Option<String>,
    /// `subagents`; shown, never followed.
    pub subagents: Vec<Name>,
    /// The skills named, in order, repeats kept.
    pub skills: Vec<Name>,
    /// The line of the `skills` key.
    pub skills_line: Option<usize>,
    /// What is worth saying about it.
    pub remarks: Vec<Remark>,
}

/// What is worth saying about a front matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// There is a first `---` and no second.
    Unclosed,
    /// It is not YAML.
    Broken {
        /// The line in the file, when known.
        line: Option<usize>,
        /// What the parser says.
        message: String,
    },
    /// It is YAML, but no mapping.
    NotAMapping,
    /// `skills` is one text instead of a list.
    SkillsIsText,
    /// `skills` holds something that is no text; it is left out.
    NotText {
        /// What it is, as YAML.
        value: String,
    },
    /// `skills` is neither a list, a text nor a mapping.
    SkillsIsOther,
    /// The file is not UTF-8.
    NotUtf8,
}

impl Remark {
    /// Whether it is about the `skills` key alone, so that everything else was read.
    pub fn is_about_skills(&self) -> bool {
        matches!(self, Remark::SkillsIsText | Remark::NotText { .. } | Remark::SkillsIsOther)
    }
}

/// How much of a file is looked at: front matter that is longer is taken as unclosed.
pub const MOST: usize = 1 << 20;

/// Reads the front matter of a file's content.
///
/// ```
/// use dagwood::selection::front_matter::parse;
/// let read = parse(b"---\nname: a\nskills: {load: [s], available: [t]}\n---\nText.\n");
/// assert_eq!(read.skills.iter().map(|s| &**s).collect::<Vec<_>>(), ["s", "t"]);
/// assert_eq!(read.skills_line, Some(3));
/// ```
pub fn parse(content: &[u8]) -> FrontMatter {
    let mut read = FrontMatter::default();
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
    let block = match block(content) {
        Block::None => return read,
        Block::Unclosed => {
            read.remarks.push(Remark::Unclosed);
            return read;
        }
        Block::Of(block) => block,
    };
    let text = String::from_utf8_lossy(block);
    if matches!(text, std::borrow::Cow::Owned(_)) {
        read.remarks.push(Remark::NotUtf8);
    }
    if is_too_deep(&text) {
        read.remarks.push(Remark::Broken { line: None, message: "it is nested too deeply".to_owned() });
        return read;
    }
    let mapping = match serde_yaml::from_str::<Value>(&text) {
        Ok(Value::Mapping(mapping)) => mapping,
        Ok(Value::Null) => return read,
        Ok(_) => {
            read.remarks.push(Remark::NotAMapping);
            return read;
        }
        Err(error) => {
            // by the character: the parser's own lines end at separators that editors do not know
            let line = error.location().map(|at| Places::of(&text).at(at.index()).0 + 1);
            let message = error.to_string();
            // the parser counts from the block's first line, which is the file's second
            let message = message.split(" at line ").next().unwrap_or_default().to_owned();
            read.remarks.push(Remark::Broken { line, message });
            return read;
        }
    };
    let text_of = |key: &str| mapping.get(key).and_then(Value::as_str).map(str::to_owned);
    read.name = text_of("name");
    read.description = text_of("description");
    read.model = text_of("model");
    read.mode = text_of("mode");
    if let Some(Value::Sequence(names)) = mapping.get("subagents") {
        read.subagents = names.iter().filter_map(Value::as_str).map(Name::from).collect();
    }
    skills(&mapping, &mut read);
    if mapping.contains_key("skills") {
        read.skills_line = key_line(&text, "skills").map(|line| line + 1);
    }
    read
}

/// Whether a block is nested deeper than anybody writes. The YAML parser would refuse it too, but only after a time that
/// grows with the square of the depth.
fn is_too_deep(text: &str) -> bool {
    const DEEPEST: usize = 100;
    let mut open = 0_usize;
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        if open > DEEPEST {
            return true;
        }
    }
    // `- - - ...` and `? ? ? ...` nest within a line
    let marks = |line: &str| {
        line.split(' ').take_while(|word| matches!(*word, "" | "-" | "?" | ":")).filter(|word| !word.is_empty()).count()
    };
    text.lines().any(|line| marks(line) > DEEPEST)
}

enum Block<'a> {
    None,
    Unclosed,
    Of(&'a [u8]),
}

/// What stands between a first line and a next line that are exactly `---`.
fn block(content: &[u8]) -> Block<'_> {
    let mut at = 0;
    let mut from = None;
    for line in content.split_inclusive(|&byte| byte == b'\n') {
        let end = at + line.len();
        let bare = line.strip_suffix(b"\n").unwrap_or(line);
        let mark = bare.strip_suffix(b"\r").unwrap_or(bare) == b"---";
        match from {
            None if !mark => return Block::None,
            None => from = Some(end),
            Some(from) if mark => return Block::Of(&content[from..at]),
            Some(_) => {}
        }
        at = end;
    }
    if from.is_some() { Block::Unclosed } else { Block::None }
}

fn skills(mapping: &Mapping, read: &mut FrontMatter) {
    match mapping.get("skills") {
        None | Some(Value::Null) => {}
        Some(Value::String(one)) => {
            read.skills.push(Name::from(one.as_str()));
            read.remarks.push(Remark::SkillsIsText);
        }
        Some(Value::Sequence(names)) => list(names, read),
        Some(Value::Mapping(groups)) => {
            for key in ["load", "available"] {
                match groups.get(key) {
                    None | Some(Value::Null) => {}
                    Some(Value::Sequence(names)) => list(names, read),
                    Some(Value::String(one)) => {
                        read.skills.push(Name::from(one.as_str()));
                        read.remarks.push(Remark::SkillsIsText);
                    }
                    Some(_) => read.remarks.push(Remark::SkillsIsOther),
                }
            }
        }
        Some(_) => read.remarks.push(Remark::SkillsIsOther),
    }
}

fn list(names: &[Value], read: &mut FrontMatter) {
    for name in names {
        match name {
            Value::String(name) => read.skills.push(Name::from(name.as_str())),
            other => {
                let value = serde_yaml::to_string(other).unwrap_or_default().trim_end().to_owned();
                read.remarks.push(Remark::NotText { value });
            }
        }
    }
}

/// The line, from 1, on which a top-level key begins.
fn key_line(text: &str, key: &str) -> Option<usize> {
    let starts = |line: &str| {
        let bare = line.trim_start_matches(['"', '\'']);
        bare.strip_prefix(key).is_some_and(|rest| rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':'))
    };
    text.lines().position(starts).map(|line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refs(text: &str) -> (Vec<String>, Vec<Remark>) {
        let read = parse(text.as_bytes());
        (read.skills.iter().map(ToString::to_string).collect(), read.remarks)
    }

    #[test]
    fn every_form_of_skills_is_read() {
        assert_eq!(refs("---\nskills: [a, b]\n---\n"), (vec!["a".into(), "b".into()], vec![]));
        assert_eq!(refs("---\r\nskills:\r\n  - a\r\n---\r\n"), (vec!["a".into()], vec![]));
        assert_eq!(refs("---\nskills: a\n---"), (vec!["a".into()], vec![Remark::SkillsIsText]));
        assert_eq!(
            refs("---\nskills: {available: [b], load: [a], other: [c]}\n---\n"),
            (vec!["a".into(), "b".into()], vec![])
        );
        assert_eq!(refs("---\nskills: [a, 1]\n---\n"), (vec!["a".into()], vec![Remark::NotText { value: "1".into() }]));
        assert_eq!(refs("---\nskills: 3\n---\n"), (vec![], vec![Remark::SkillsIsOther]));
        assert_eq!(refs("---\nskills:\n---\n"), (vec![], vec![]));
        assert_eq!(refs("---\nskills: [a, a]\n---\n").0.len(), 2, "repeats are kept");
    }

    #[test]
    fn only_a_block_between_exact_marks_counts() {
        assert_eq!(refs("skills: [a]\n"), (vec![], vec![]));
        assert_eq!(refs("\n---\nskills: [a]\n---\n"), (vec![], vec![]));
        assert_eq!(refs("--- \nskills: [a]\n---\n"), (vec![], vec![]));
        assert_eq!(refs("---\nskills: [a]\n"), (vec![], vec![Remark::Unclosed]));
        assert_eq!(refs("\u{feff}---\nskills: [a]\n---\n"), (vec!["a".into()], vec![]));
        assert_eq!(refs("---\n---\n"), (vec![], vec![]));
        assert_eq!(refs("---\n- a\n---\n"), (vec![], vec![Remark::NotAMapping]));
        assert_eq!(refs(""), (vec![], vec![]));
    }

    #[test]
    fn broken_yaml_is_remarked_with_its_line() {
        let (skills, remarks) = refs("---\nname: x\nskills: [a\n---\n");
        assert!(skills.is_empty());
        let [Remark::Broken { line: Some(line), message }] = &remarks[..] else { panic!("{remarks:?}") };
        assert!((3..=5).contains(line), "{line}");
        assert!(!message.contains(" at line "), "{message}");
    }

    #[test]
    fn hostile_yaml_ends() {
        for deep in ["[", "{a: ", "- ", "? ", "[{a: "] {
            let deep = format!("---\na:\n {}\n---\n", deep.repeat(100_000));
            assert!(matches!(refs(&deep).1[..], [Remark::Broken { .. }]));
        }
        let mut bomb = "---\na0: &a0 [x]\n".to_owned();
        for n in 1..40 {
            let seven = vec![format!("*a{}", n - 1); 7].join(", ");
            bomb = format!("{bomb}a{n}: &a{n} [{seven}]\n");
        }
        bomb += "---\n";
        assert!(matches!(refs(&bomb).1[..], [Remark::Broken { .. }]));
        assert_eq!(parse(b"---\nname: \xff\n---\n").remarks, [Remark::NotUtf8]);
    }
}
