//! A type as a YAML file that every YAML reader reads alike: all texts are double-quoted, so that a type named `no`
//! stays a name.

use std::fmt::Write;

use serde_json::Value;

use super::ResourceType;

/// The type as the text of a type file.
pub fn to_yaml(resource_type: &ResourceType) -> String {
    let mut out = String::new();
    let value = serde_json::to_value(resource_type).unwrap_or_default();
    let Value::Object(fields) = value else { return out };
    // a JSON object has lost the order of the fields; this is the one people write
    let first = ["name", "description", "resource_kind", "child_types"];
    let rest = fields.keys().map(String::as_str).filter(|key| !first.contains(key));
    for key in first.into_iter().chain(rest) {
        if let Some(value) = fields.get(key) {
            entry(&mut out, key, value, 0);
        }
    }
    out
}

// the depth of a type is bounded by the reader that made it, so these two may call each other
fn entry(out: &mut String, key: &str, value: &Value, indent: usize) {
    let key = if key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') && !is_word(key) {
        key.to_owned()
    } else {
        quoted(key)
    };
    let _ = if is_long(&key) {
        write!(out, "{:indent$}? {key}\n{:indent$}:", "", "")
    } else {
        write!(out, "{:indent$}{key}:", "")
    };
    block(out, value, indent);
}

fn block(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            out.push('\n');
            for (key, value) in fields {
                entry(out, key, value, indent + 2);
            }
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            out.push('\n');
            for item in items {
                let _ = writeln!(out, "{:indent$}  - {}", "", flow(item));
            }
        }
        other => {
            let _ = writeln!(out, " {}", flow(other));
        }
    }
}

/// A value on one line.
fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| {
                let (key, value) = (quoted(key), flow(value));
                if is_long(&key) { format!("? {key} : {value}") } else { format!("{key}: {value}") }
            };
            let fields: Vec<String> = fields.iter().map(field).collect();
            format!("{{{}}}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

/// Whether YAML takes a key only when a question mark says that it is one: a plain one has at most 1024 characters.
fn is_long(key: &str) -> bool {
    key.len() > 1_000
}

/// Whether some YAML reader takes the bare word for something other than a text.
fn is_word(key: &str) -> bool {
    matches!(key, "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null")
}

/// A double-quoted YAML scalar; everything a YAML reader may refuse is escaped.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}') => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{ChildType, Rule, parse};
    use super::*;

    #[test]
    fn what_is_written_is_read_as_it_was() {
        let text = "name: local/x\nchild_types: [\"no\", \"1\", {type: a, auto_discover: false}]\n\
                    cli_args: [{name: p, default: null}]\ncapabilities: {read: true, no: [1]}\n\
                    auto_discovery: {rules: [{type: \"no\", pattern: \"*/\"}]}\ninherits: y\nchild_types_replace: true\n";
        let read = parse(Path::new("x.yaml"), text.as_bytes()).unwrap().resource_type;
        let again = parse(Path::new("y.yaml"), to_yaml(&read).as_bytes()).unwrap().resource_type;
        assert_eq!(again, read);
        assert!(to_yaml(&read).contains("\"no\""));
    }

    #[test]
    fn a_key_of_any_length_comes_back() {
        let long = "k".repeat(5_000);
        let mut made = ResourceType { name: "x".into(), ..ResourceType::default() };
        made.capabilities = Some(serde_json::json!({ &long: { &long: [{ &long: 1 }] } }));
        let again = parse(Path::new("x.yaml"), to_yaml(&made).as_bytes()).unwrap().resource_type;
        assert_eq!(again, made);
    }

    #[test]
    fn any_text_is_quoted_so_that_it_comes_back() {
        let name = "a\"\\\n\t\u{7f}\u{85}\u{2028}é🦀 # : *";
        let mut made = ResourceType { name: "x".into(), ..ResourceType::default() };
        made.description = Some(name.to_owned());
        made.child_types = vec![ChildType::from(name)];
        made.auto_discovery = Some(super::super::AutoDiscovery {
            rules: vec![Rule { child_type: name.into(), ..Rule::default() }],
            ..super::super::AutoDiscovery::default()
        });
        let again = parse(Path::new("x.yaml"), to_yaml(&made).as_bytes()).unwrap().resource_type;
        assert_eq!(again, made);
    }
}
