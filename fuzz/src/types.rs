//! Type files.

use std::path::Path;

use dagwood::resources::Error;
use dagwood::resources::types::{ResourceType, parse, to_yaml};

use super::is_in;

/// A type file: places are places of the file, and what was read comes back from what is written, as YAML and as the
/// JSON of a row.
pub fn type_file(data: &[u8]) {
    match parse(Path::new("x.yaml"), data) {
        Ok(parsed) => {
            for remark in &parsed.remarks {
                is_in(data, Some(remark.line), Some(remark.column));
            }
            let made = parsed.resource_type;
            let _ = (made.notes(), made.children_text(), made.handler());
            let yaml = to_yaml(&made);
            let again = parse(Path::new("x.yaml"), yaml.as_bytes()).map(|parsed| parsed.resource_type);
            assert_eq!(again.ok().as_ref(), Some(&made), "{yaml}");
            let row = serde_json::to_string(&made).expect("a type is JSON");
            assert_eq!(serde_json::from_str::<ResourceType>(&row).ok(), Some(made), "{row}");
        }
        Err(Error::TypeFile { line, column, message, .. }) => {
            assert!(!message.is_empty());
            is_in(data, Some(line), Some(column));
        }
        Err(other) => panic!("{other}"),
    }
}
