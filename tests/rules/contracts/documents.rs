//! F: how documents are read. V: which are dropped.

use serde_json::json;

use super::{R, doc, layer};

/// The state of R with this README.md and a plain file, and what was found, in one line.
fn read(text: impl AsRef<[u8]>) -> (String, Vec<(String, Option<usize>)>) {
    let layer = layer().file(".ai/repo/README.md", text).x(R);
    (layer.state(R), layer.found())
}

fn sound(text: impl AsRef<[u8]>) {
    let (state, found) = read(text);
    assert_eq!((state.as_str(), found), ("documented", vec![]));
}

fn warned(text: impl AsRef<[u8]>, code: &str, line: usize) {
    let (state, found) = read(text);
    assert_eq!((state.as_str(), found), ("documented", vec![(code.to_owned(), Some(line))]));
}

fn dropped(text: impl AsRef<[u8]>, code: &str, line: usize) {
    let shown = String::from_utf8_lossy(text.as_ref()).into_owned();
    let (state, found) = read(text);
    assert_eq!(state, "owed", "{shown}");
    assert!(found.contains(&(code.to_owned(), Some(line))), "{found:?} in\n{shown}");
}

#[test]
fn f1_crlf_is_read() {
    sound(doc("ai.repo").text().replace('\n', "\r\n"));
}

#[test]
fn f2_a_byte_order_mark_is_read_past() {
    warned(format!("\u{feff}{}", doc("ai.repo").text()), "non-standard-yaml", 1);
}

#[test]
fn f3_plain_text_that_is_no_yaml_is_read() {
    for value in
        ["The protocol: what it holds", "ends so:", "`code` first", "[draft] first", "\"quoted\" and more", "{a} b"]
    {
        let text = doc("ai.repo").with("description", value).text();
        warned(&text, "non-standard-yaml", 6);
        let layer = layer().file(".ai/repo/README.md", text);
        assert_eq!(layer.directory(R)["contract"]["description"], value);
    }
    let both = doc("ai.repo").with("title", "a: b").with("description", "c: d").text();
    assert_eq!(read(both).1.len(), 2);
}

#[test]
fn f3_only_title_and_description_are_mended() {
    dropped(doc("ai.repo").with("id", "a: b").text(), "invalid-front-matter", 3);
}

#[test]
fn f4_a_comment_after_a_list_is_read_with_a_warning() {
    warned(doc("ai.repo").with("providers", "[\"*\"]   # everyone").text(), "differs-upstream", 9);
}

#[test]
fn f4_a_comma_in_a_quoted_item_is_read_with_a_warning() {
    let text = doc("ai.repo").with("tracks", "[\"a,b.md\", c]").text();
    warned(&text, "differs-upstream", 13);
    let layer = layer().file(".ai/repo/README.md", text);
    assert_eq!(layer.directory(R)["contract"]["tracks"], json!(["a,b.md", "c"]));
}

#[test]
fn f5_what_yaml_allows_and_a_contract_does_not() {
    dropped(doc("ai.repo").with("order", "100\norder: 101").text(), "invalid-front-matter", 13);
    dropped(doc("ai.repo").with("order", "&o 1").text(), "invalid-front-matter", 12);
    dropped(doc("ai.repo").with("status", "*o").text(), "invalid-front-matter", 7);
    dropped(doc("ai.repo").with("order", "!!int 1").text(), "invalid-front-matter", 12);
    dropped(doc("ai.repo").with("order", "\t100").text(), "invalid-front-matter", 12);
    dropped(doc("ai.repo").with("title", "a\tb").text(), "invalid-front-matter", 5);
    dropped(doc("ai.repo").with("order", "100 #\tc").text(), "invalid-front-matter", 12);
    dropped(doc("ai.repo").requires("yes").text(), "invalid-front-matter", 14);
    dropped(doc("ai.repo").requires("\"true\"").text(), "invalid-front-matter", 14);
    dropped(doc("ai.repo").requires("True").text(), "invalid-front-matter", 14);
}

#[test]
fn f5_a_tab_in_quotes_is_fine() {
    sound(doc("ai.repo").with("title", "\"a\tb\"").text());
}

#[test]
fn f5_both_lines_of_a_repeated_key_are_named() {
    let layer = layer().file(".ai/repo/README.md", doc("ai.repo").with("order", "100\norder: 101").text()).x(R);
    let findings = &layer.answer()["findings"];
    assert_eq!(findings[0]["message"], "`order` is given twice, on lines 12 and 13");
    assert_eq!(findings[0]["column"], 1);
}

#[test]
fn f5_blocks_and_files_have_a_size() {
    let long = doc("ai.repo").with("description", &"x".repeat(65 * 1024)).text();
    dropped(long, "invalid-front-matter", 1);
    let nearly = doc("ai.repo").with("description", &"x".repeat(63 * 1024)).text();
    sound(nearly);
    let huge = doc("ai.repo").text() + &"text\n".repeat(900_000);
    dropped(huge, "invalid-front-matter", 1);
}

#[test]
fn f6_a_number_where_text_is_wanted_is_refused() {
    for number in ["404", "1.5", "0x1f", "-1", "1e3", ".5", "true", ".inf"] {
        dropped(doc("ai.repo").with("title", number).text(), "invalid-front-matter", 5);
        sound(doc("ai.repo").with("title", &format!("\"{number}\"")).text());
    }
    for text in ["404 errors", "1.2.3", "-x", "v1", "2024-01-01", "yes"] {
        sound(doc("ai.repo").with("title", text).text());
    }
    dropped(doc("ai.repo").with("providers", "[1]").text(), "invalid-front-matter", 9);
}

#[test]
fn f7_block_lists_and_empty_keys_are_read() {
    let text = doc("ai.repo")
        .with("providers", "\n  - \"*\"")
        .with("audience", "\n- human")
        .with("tracks", "")
        .with("children", "\n  require_contract:\n  exempt:\n    - .ai/repo/v")
        .text();
    let layer = layer().file(".ai/repo/README.md", text).x(".ai/repo/v").x(".ai/repo/w");
    let contract = &layer.directory(R)["contract"];
    assert_eq!((&contract["providers"], &contract["audience"]), (&json!(["*"]), &json!(["human"])));
    assert_eq!([layer.state(".ai/repo/v"), layer.state(".ai/repo/w")], ["exempt", "owed"]);
}

#[test]
fn f8_fences() {
    sound(format!("{}\n---\n\nid: other\n", doc("ai.repo").text()));
    dropped(format!("---\n{}# Body\n\ntext\n", doc("ai.repo").block()), "invalid-front-matter", 13);
    dropped("---\n---\n", "invalid-front-matter", 1);
    dropped("---", "invalid-front-matter", 1);
    let empty = layer().file(".ai/repo/README.md", "---\n---\n").x(R);
    assert!(empty.answer()["findings"][0]["message"].as_str().unwrap().starts_with("an empty contract"));
}

#[test]
fn f9_the_body_may_be_anything_and_the_block_is_utf8() {
    sound([doc("ai.repo").text().as_bytes(), b"caf\xe9\0\xff"].concat());
    let block = doc("ai.repo").with("title", "caf\u{1}").text().into_bytes();
    let latin: Vec<u8> = block.into_iter().map(|byte| if byte == 1 { 0xe9 } else { byte }).collect();
    dropped(latin, "invalid-front-matter", 5);
}

#[test]
fn f10_conflict_markers_say_unresolved_merge() {
    let ours = doc("ai.repo").with("order", "100\n<<<<<<< HEAD\ntitle: a\n=======\ntitle: b\n>>>>>>> other").text();
    for text in [ours, "<<<<<<< HEAD\n---\n".to_owned()] {
        let layer = layer().file(".ai/repo/README.md", text).x(R);
        let message = layer.answer()["findings"][0]["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("unresolved merge"), "{message}");
    }
}

#[test]
fn v1_a_word_outside_the_allowed_ones() {
    for (key, word, line) in
        [("scope", "tree", 8), ("composition", "merge", 11), ("status", "draft", 7), ("audience", "[robot]", 10)]
    {
        dropped(doc("ai.repo").with(key, word).text(), "invalid-front-matter", line);
    }
    dropped(doc("ai.repo").with("kind", "adr").text(), "invalid-front-matter", 4);
}

#[test]
fn v2_another_schema() {
    dropped(doc("ai.repo").with("schema", "context/v2").text(), "unsupported-schema", 2);
    dropped(doc("ai.repo").with("schema", "rule/v1").text(), "invalid-front-matter", 2);
}

#[test]
fn v3_an_unknown_key_at_every_level() {
    dropped(doc("ai.repo").with("colour", "red").text(), "unknown-key", 13);
    dropped(doc("ai.repo").with("children", "\n  exempted: [a]").text(), "unknown-key", 14);
    let layer = layer().file(".ai/repo/README.md", doc("ai.repo").with("ordre", "1").text()).x(R);
    assert_eq!(layer.answer()["findings"][0]["fix"], "write `order`, or remove the line");
}

#[test]
fn v4_an_id_of_another_form() {
    for id in ["AI.Repo", "ai..repo", "1ai", "ai.", "ai repo", ".ai", "ai.répo"] {
        dropped(doc(id).text(), "invalid-front-matter", 3);
    }
    for id in ["ai", "ai.0", "a-b.c-d", "ai.-"] {
        sound(doc(id).text());
    }
}

#[test]
fn v5_one_value_for_a_list() {
    dropped(doc("ai.repo").with("providers", "\"*\"").text(), "invalid-front-matter", 9);
    dropped(doc("ai.repo").with("tracks", "src").text(), "invalid-front-matter", 13);
}

#[test]
fn v6_a_required_key_absent_or_empty() {
    for key in ["schema", "id", "kind", "title", "description", "status", "scope", "composition", "order", "providers"]
    {
        dropped(doc("ai.repo").without(key).text(), "invalid-front-matter", 1);
        let (state, _) = read(doc("ai.repo").with(key, "").text());
        assert_eq!(state, "owed", "{key}");
    }
    dropped(doc("ai.repo").with("providers", "[]").text(), "invalid-front-matter", 9);
    dropped(doc("ai.repo").with("title", "\"\"").text(), "invalid-front-matter", 5);
    dropped(doc("ai.repo").with("scope", "explicit").text(), "invalid-front-matter", 1);
    sound(doc("ai.repo").with("audience", "[]").with("tracks", "[]").text());
}

#[test]
fn v7_order_is_plain_digits() {
    for order in ["0x10", "1.0", "+5", "\"100\"", "1_000", "ten", "99999999999999999999"] {
        dropped(doc("ai.repo").with("order", order).text(), "invalid-front-matter", 12);
    }
    for order in ["-5", "0", "9223372036854775807"] {
        sound(doc("ai.repo").with("order", order).text());
    }
}

#[test]
fn v8_keys_on_the_wrong_scope_or_composition_stay_in_force() {
    let text = doc("ai.repo").with("scope", "directory").with("supersedes", "[ai.layer]").requires("false").text();
    let (state, found) = read(text);
    assert_eq!(state, "documented");
    assert_eq!(found, [("invalid-front-matter".to_owned(), Some(13)), ("invalid-front-matter".to_owned(), Some(14))]);
    let layer = layer().contract(R, &doc("ai.repo").with("paths", "[.ai/repo/v]")).x(".ai/repo/v");
    assert_eq!(layer.chain(".ai/repo/v"), ["ai.repo"]);
    assert!(layer.answer()["broken"].as_array().unwrap().is_empty());
}

#[test]
fn hostile_blocks_are_read_in_no_time_to_speak_of() {
    // each is as large as a block may be; a reader that looks back for every key would take minutes
    let size = 60 * 1024;
    let keys: String = (0..size / 12).map(|nth| format!("k{nth:05}: é1\n")).collect();
    let lists: String = (0..size / 20).map(|nth| format!("k{nth:05}: [\"é\", \"\tx\"]\n")).collect();
    for block in [keys, lists, "[".repeat(size), "a: ".repeat(size / 3), "{a: ".repeat(size / 4), "- ".repeat(size / 2)]
    {
        let (state, found) = read(format!("---\n{block}\n---\n"));
        assert_eq!((state.as_str(), found.is_empty()), ("owed", false));
    }
}
