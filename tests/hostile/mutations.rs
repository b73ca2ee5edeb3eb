//! The corpus, and what is made of it: bits turned, pieces cut out, doubled, taken from elsewhere, and tokens put in
//! that readers stumble over.

use std::fmt;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};

/// The entries of a target's corpus, by name.
pub fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let listing = std::fs::read_dir(folder).unwrap();
    let mut entries: Vec<(String, Vec<u8>)> = listing
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(&path).unwrap()))
        .collect();
    entries.sort();
    entries
}

/// What readers stumble over.
const TOKENS: [&[u8]; 48] = [
    b"\x1b[2J",
    b"\x9b31m",
    "\u{9b}".as_bytes(),
    "\u{202e}".as_bytes(),
    "\u{200b}".as_bytes(),
    "\u{feff}".as_bytes(),
    "\u{2028}".as_bytes(),
    "\u{85}".as_bytes(),
    "\u{a0}".as_bytes(),
    "é".as_bytes(),
    "日本".as_bytes(),
    b"\xff",
    b"\xed\xa0\x80",
    b"\0",
    b"\r",
    b"\n",
    b"\r\n",
    b"\t",
    b"---\n",
    b"...\n",
    b"# ",
    b" #",
    b": ",
    b":",
    b"- ",
    b"? ",
    b"&a ",
    b"*a",
    b"!!str ",
    b"<<: ",
    b"|\n",
    b">-\n",
    b"'",
    b"\"",
    b"\\",
    b"[",
    b"]",
    b"{",
    b"}",
    b",",
    b"../",
    b"99999999999999999999",
    b"-0x1e999",
    b"null",
    b"true",
    b"~",
    b"<<<<<<< a\n",
    b"[[a.b]]\n",
];

/// One change of a text.
#[derive(Clone, Debug)]
enum Change {
    Turn(Index, u8),
    Cut(Index, usize),
    End(Index),
    Double(Index, usize, Index),
    Take(Index, Index, usize, Index),
    Token(usize, Index),
    Deep(usize, usize, Index),
}

fn change() -> impl Strategy<Value = Change> {
    let length = || prop_oneof![4 => 1..16_usize, 1 => 1..600_usize];
    prop_oneof![
        4 => (any::<Index>(), 0..8_u8).prop_map(|(at, bit)| Change::Turn(at, bit)),
        2 => (any::<Index>(), length()).prop_map(|(at, length)| Change::Cut(at, length)),
        1 => any::<Index>().prop_map(Change::End),
        2 => (any::<Index>(), length(), any::<Index>()).prop_map(|(from, length, to)| Change::Double(from, length, to)),
        2 => (any::<Index>(), any::<Index>(), length(), any::<Index>())
            .prop_map(|(entry, from, length, to)| Change::Take(entry, from, length, to)),
        6 => (0..TOKENS.len(), any::<Index>()).prop_map(|(token, at)| Change::Token(token, at)),
        1 => (0..TOKENS.len(), 2..3000_usize, any::<Index>()).prop_map(|(token, times, at)| Change::Deep(token, times, at)),
    ]
}

fn piece(of: &[u8], from: Index, length: usize) -> Vec<u8> {
    let from = from.index(of.len() + 1);
    of[from..of.len().min(from + length)].to_vec()
}

fn apply(change: &Change, text: &mut Vec<u8>, corpus: &[(String, Vec<u8>)]) {
    let mut insert = |at: Index, piece: &[u8]| {
        let at = at.index(text.len() + 1);
        text.splice(at..at, piece.iter().copied());
    };
    match change {
        Change::Token(token, at) => insert(*at, TOKENS[*token]),
        Change::Deep(token, times, at) => insert(*at, &TOKENS[*token].repeat(*times)),
        Change::Take(entry, from, length, to) => {
            insert(*to, &piece(&corpus[entry.index(corpus.len())].1, *from, *length));
        }
        Change::Double(from, length, to) => {
            let piece = piece(text, *from, *length);
            let to = to.index(text.len() + 1);
            text.splice(to..to, piece);
        }
        _ if text.is_empty() => {}
        Change::Turn(at, bit) => {
            let at = at.index(text.len());
            text[at] ^= 1 << bit;
        }
        Change::Cut(at, length) => {
            let at = at.index(text.len());
            let end = text.len().min(at + length);
            text.drain(at..end);
        }
        Change::End(at) => text.truncate(at.index(text.len())),
    }
}

/// A text, told so that it can be put into the corpus.
#[derive(Clone)]
struct Text(Vec<u8>);

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b\"{}\"", self.0.escape_ascii())
    }
}

/// Holds a reader to what it promises, on so many mutations of its corpus.
pub fn mutated(target: &str, hold: fn(&[u8]), cases: u32, seed: u32) {
    let corpus = corpus(target);
    let inputs = (any::<Index>(), vec(change(), 0..6)).prop_map(move |(entry, changes)| {
        let mut content = corpus[entry.index(corpus.len())].1.clone();
        for change in &changes {
            apply(change, &mut content, &corpus);
        }
        Text(content)
    });
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() };
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let outcome = runner.run(&inputs, |Text(content)| {
        hold(&content);
        Ok(())
    });
    match outcome {
        Ok(()) => {}
        Err(TestError::Fail(why, text)) => panic!("{target}: {why}\nof {text:?}"),
        Err(TestError::Abort(why)) => panic!("{target}: {why}"),
    }
}
