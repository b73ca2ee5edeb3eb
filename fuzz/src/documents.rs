//! What is read as JSON: package graphs, exported registries, baselines, what is remembered of an explorer.

use dagwood::explorer::model::Memory;
use dagwood::finding::Finding;
use dagwood::resources::export::Document;
use dagwood::resources::{Operation, Registry};
use dagwood::selection::reasons::Reasons;
use dagwood::selection::{Graph, boundary, export, select};

use super::is_visible;

/// A package graph: every selected item has a chain, the answer is JSON, and no picture of it steers a terminal.
pub fn graph(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let view = match boundary::parse(text) {
        Ok(view) => view,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let selection = select(&Graph::new(view));
    let said = serde_json::to_value(&selection).expect("an answer is JSON");
    assert_eq!(said["items"].as_array().map(Vec::len), Some(selection.items().len()));
    let reasons = Reasons::new(&selection);
    for &item in selection.items().iter().take(50) {
        assert!(!reasons.why(item, 3).chains.is_empty(), "every selected item has a chain");
    }
    let mut out = Vec::new();
    export::json(&selection, &mut out).expect("memory is never full");
    serde_json::from_slice::<serde_json::Value>(&out).expect("an export is JSON");
    for draw in [export::dot, export::mermaid] {
        let mut out = Vec::new();
        draw(&selection, &mut out).expect("memory is never full");
        is_visible(std::str::from_utf8(&out).expect("pictures are UTF-8"));
    }
}

/// Every other document: what is read comes back from what is written.
pub fn json(data: &[u8]) {
    match Document::parse(data) {
        Ok(document) => {
            let text = serde_json::to_vec(&document).expect("a document is JSON");
            assert_eq!(Document::parse(&text).ok().as_ref(), Some(&document));
            let nowhere = std::path::Path::new("nowhere/registry.db");
            let registry = Registry::open_to_read(nowhere, std::time::Duration::ZERO).expect("none is an empty one");
            let _ = registry.plan(&Operation::Import(document));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Ok(findings) = serde_json::from_slice::<Vec<Finding>>(data) {
        let text = serde_json::to_vec(&findings).expect("findings are JSON");
        assert_eq!(serde_json::from_slice::<Vec<Finding>>(&text).ok(), Some(findings));
    }
    if let Some(memory) = std::str::from_utf8(data).ok().and_then(Memory::parse) {
        assert_eq!(Memory::parse(&memory.text()), Some(memory));
    }
}
