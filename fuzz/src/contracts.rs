//! The front matter of a contract.

use dagwood::contracts::document::{Head, read};
use dagwood::contracts::fix::{Targets, Way, Wishes, mended, plan};
use dagwood::contracts::layer::LayerPlace;
use dagwood::contracts::validate::reading;
use dagwood::contracts::{Document, Index, Layer};

use super::is_in;

const PATH: &str = ".ai/repo/README.md";

/// A README.md of a layer: places are places of the file, the quick reader and the one for everything agree, a repair
/// gives a sound contract and keeps the body, and an edit touches one place.
pub fn contract(data: &[u8]) {
    let Some(document) = document(data) else { panic!("a README.md is always a document") };
    for finding in &document.findings {
        is_in(data, finding.line, finding.column);
    }
    assert!(document.contract.is_ok() || !document.findings.is_empty(), "what is refused is told");
    with_a_comment(data, &document);
    repaired(data);
    released(data, &document);
}

fn document(data: &[u8]) -> Option<Document> {
    read(&PATH.into(), Head::from(data))
}

/// The body of a file: what comes after its block.
fn body(data: &[u8]) -> Option<&[u8]> {
    let bare = |line: &[u8]| {
        line.strip_suffix(b"\n").map_or(line.to_vec(), |line| line.strip_suffix(b"\r").unwrap_or(line).to_vec())
    };
    let text = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let mut lines = text.split_inclusive(|byte| *byte == b'\n');
    let first = lines.next().filter(|line| bare(line) == b"---")?;
    let mut at = first.len();
    for line in lines {
        at += line.len();
        if bare(line) == b"---" {
            return Some(&text[at..]);
        }
    }
    None
}

/// The quick reader takes no comment, so a comment after the last key hands the same block to the YAML reader: both
/// must say the same.
fn with_a_comment(data: &[u8], document: &Document) {
    let (true, Some(body)) = (document.contract.is_ok(), body(data)) else { return };
    let head = &data[..data.len() - body.len()];
    let fence = head.len() - head.split_inclusive(|byte| *byte == b'\n').next_back().map_or(0, <[u8]>::len);
    let commented = [&data[..fence], b"# a comment\n", &data[fence..]].concat();
    assert_eq!(self::document(&commented).as_ref(), Some(document), "the readers do not agree");
}

fn repaired(data: &[u8]) {
    let index = Index::of_texts(".ai", [(PATH, data), (".ai/repo/x/a.txt", &b""[..])]);
    let _ = reading(&index);
    let Some(id) = index.document_at(PATH.as_bytes()) else { return };
    let Ok(mended) = mended(&index, id, data) else { return };
    assert!(mended.document.contract.is_ok());
    assert_eq!(document(&mended.after).map(|document| document.contract), Some(mended.document.contract));
    if let Some(body) = body(data) {
        assert!(mended.after.ends_with(body), "a repair keeps the body");
    }
}

/// Exempts and lifts below the contract, on a layer on the disk.
fn released(data: &[u8], document: &Document) {
    let Ok(contract) = &document.contract else { return };
    let dir = tempfile::tempdir().expect("a temporary directory");
    let place = LayerPlace { top: dir.path().to_owned(), layer: ".ai".into(), git: false };
    let file = place.on_disk(&PATH.into());
    std::fs::create_dir_all(dir.path().join(".ai/repo/x")).expect("a folder");
    std::fs::write(&file, data).expect("a file");
    std::fs::write(dir.path().join(".ai/repo/x/a.txt"), "").expect("a file");
    let layer = Layer::read(&place);
    for way in [Way::Exempt, Way::Lift] {
        let Ok(fix) = plan(&layer, &Targets::These(vec![".ai/repo/x".to_owned()]), way, &Wishes::default()) else {
            continue;
        };
        let [edit] = &fix.plan.edits[..] else { panic!("one file is edited") };
        assert_eq!((&edit.file, edit.before.as_deref()), (&file, Some(data)));
        let after = edit.after.as_deref().expect("nothing is removed");
        let mut wanted = contract.clone();
        match way {
            Way::Lift => wanted.require_contract = Some(false),
            _ => wanted.exempt.push(".ai/repo/x".to_owned()),
        }
        assert_eq!(self::document(after).map(|document| document.contract), Some(Ok(wanted)));
        one_place(data, after);
    }
}

/// Between the lines that are the same before and after, at most one old line is touched.
fn one_place(before: &[u8], after: &[u8]) {
    let lines = |text: &[u8]| text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (before, after) = (lines(before), lines(after));
    let same = before.iter().zip(&after).take_while(|(before, after)| before == after).count();
    let end = before[same..].iter().rev().zip(after[same..].iter().rev()).take_while(|(before, after)| before == after);
    assert!(before.len() - same - end.count() <= 1, "an edit touches one place");
}
