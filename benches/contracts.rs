//! How long a layer takes: read from the disk beside what `git` and `head` need for the same files, and worked out in
//! memory at rising sizes.
//!
//! `cargo bench --bench contracts` prints a table; `DAGWOOD_BENCH_DIRECTORIES` sets the size of the layer on the disk
//! (20,000 when not set), `DAGWOOD_BENCH_LAYER` names a repository to measure instead of making one.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a bench fails by panicking, and prints")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dagwood::contracts::{Contract, Document, Index, Layer, Request, Scope, answer, chain, layer};

/// How often each thing is done; the quickest counts.
const ROUNDS: usize = 5;

fn main() {
    // `cargo test --benches` only asks whether it runs
    let test = std::env::args().any(|argument| argument == "--test");
    let size = std::env::var("DAGWOOD_BENCH_DIRECTORIES").ok().and_then(|size| size.parse().ok());
    let sizes: &[usize] = if test { &[100] } else { &[10_000, 100_000, 1_000_000] };
    in_memory(sizes);
    if let Some(place) = std::env::var_os("DAGWOOD_BENCH_LAYER") {
        return on_disk(Path::new(&place));
    }
    let dir = tempfile::tempdir().unwrap();
    lay(dir.path(), size.unwrap_or(if test { 50 } else { 20_000 }));
    on_disk(dir.path());
}

fn quickest<T>(mut task: impl FnMut() -> T) -> Duration {
    let once = |_| {
        let start = Instant::now();
        black_box(task());
        start.elapsed()
    };
    (0..ROUNDS).map(once).min().unwrap()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// A layer of so many folders, made the same each time: half of them with a contract.
fn made(size: usize) -> (Vec<String>, Vec<Document>) {
    let mut seed = 7u64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % below as u64).unwrap()
    };
    let mut folders = vec![".ai".to_owned()];
    let mut documents = vec![Document::new(".ai/README.md", Contract::new("ai.d0"))];
    while folders.len() < size {
        let recent = if random(10) < 7 { folders.len().min(3000) } else { folders.len() };
        let above = &folders[folders.len() - 1 - random(recent)];
        if above.matches('/').count() >= 9 {
            continue;
        }
        let nth = folders.len();
        let folder = format!("{above}/d{nth:06}");
        if random(2) == 0 {
            let mut contract = Contract::new(format!("ai.d{nth}"));
            match random(100) {
                0..=2 => (contract.scope, contract.paths) = (Scope::Explicit, vec![folders[random(nth)].clone()]),
                3..=29 => contract.scope = Scope::Directory,
                30..=33 => contract.require_contract = Some(random(2) == 0),
                34..=36 => contract.exempt = vec![format!("{folder}/d{:06}", nth + 1)],
                _ => {}
            }
            documents.push(Document::new(format!("{folder}/README.md").as_str(), contract));
        }
        folders.push(folder);
    }
    (folders, documents)
}

fn in_memory(sizes: &[usize]) {
    println!(
        "{:>12} {:>12} {:>12} {:>12} {:>14}   in memory, ms",
        "directories", "index", "states", "chains", "one changed"
    );
    let mut last: Option<(usize, f64)> = None;
    for size in sizes {
        let (folders, documents) = made(*size);
        let entries: Vec<_> = folders.iter().map(|folder| (folder.as_str().into(), 3)).collect();
        let start = Instant::now();
        let index = Index::new(".ai", entries, documents);
        let built = start.elapsed();
        let all: Vec<_> = index.documents().map(|id| Arc::clone(index.document(id))).collect();
        let states = quickest(|| index.with_documents(all.clone()).tallies());
        let chains = quickest(|| index.directories().map(|folder| chain(&index, folder).len()).sum::<usize>());
        let first = index.documents().next().unwrap();
        let mut changed = index.document(first).as_ref().clone();
        changed.contract.as_mut().unwrap().require_contract = Some(false);
        let changed = Arc::new(changed);
        let one = quickest(|| index.replacing([(first, Some(Arc::clone(&changed)))]).tallies());
        let growth = last.map(|(before, time)| {
            let (more, longer) = (size / before, milliseconds(states) / time);
            format!("   {more} times the size, {longer:.1} times the states")
        });
        println!(
            "{size:>12} {:>12.1} {:>12.1} {:>12.1} {:>14.1}{}",
            milliseconds(built),
            milliseconds(states),
            milliseconds(chains),
            milliseconds(one),
            growth.unwrap_or_default()
        );
        last = Some((*size, milliseconds(states)));
    }
}

/// Writes a layer of so many folders, tracked by git.
fn lay(top: &Path, size: usize) {
    let (folders, documents) = made(size);
    for (nth, folder) in folders.iter().enumerate() {
        std::fs::create_dir_all(top.join(folder)).unwrap();
        for file in 0..2 {
            std::fs::write(top.join(folder).join(format!("f{file}.yaml")), format!("n: {nth}\n")).unwrap();
        }
    }
    for document in &documents {
        let contract = document.contract.as_ref().unwrap();
        let children = match (contract.require_contract, contract.exempt.first()) {
            (Some(required), _) => format!("children:\n  require_contract: {required}\n"),
            (None, Some(exempt)) => format!("children:\n  exempt: [{exempt}]\n"),
            _ => String::new(),
        };
        let paths = contract.paths.first().map(|path| format!("paths: [{path}]\n")).unwrap_or_default();
        let text = format!(
            "---\nschema: context/v1\nid: {}\nkind: context\ntitle: Directory\ndescription: What it is for.\n\
             status: active\nscope: {}\nproviders: [\"*\"]\naudience: [human, agent]\ncomposition: extend\norder: 100\n\
             {paths}{children}---\n\n# Directory\n\n## Purpose\n\n{}\n",
            contract.id,
            contract.scope,
            "Text. ".repeat(60)
        );
        std::fs::write(top.join(document.path.text().as_ref()), text).unwrap();
    }
    git(top, &["init", "-q", "-b", "main"]);
    git(top, &["add", "-A"]);
}

fn git(top: &Path, arguments: &[&str]) {
    assert!(Command::new("git").args(arguments).current_dir(top).status().unwrap().success());
}

/// What git and head need for the same files.
fn reference(top: &Path) {
    let run = |command: &str| {
        let done = Command::new("sh").args(["-c", command]).current_dir(top).stdout(Stdio::null()).status().unwrap();
        assert!(done.success());
    };
    run("git ls-files -z -- .ai");
    run("git ls-files -z -- .ai | grep -z '/README\\.md$' | xargs -0 head -q -c 4096");
}

fn on_disk(top: &Path) {
    let top: PathBuf = top.canonicalize().unwrap();
    let place = layer::find(&top, Some(&top), None).unwrap();
    let listed = |request: &Request| {
        let report = answer(&Layer::read(&place).index, request).unwrap();
        serde_json::to_writer(std::io::sink(), &report).unwrap();
    };
    let effective = Request { effective: true, ..Request::default() };
    // side by side, so that a busy machine is busy for all
    let mut times = [Duration::MAX; 4];
    for _ in 0..ROUNDS {
        let tasks: [&dyn Fn(); 4] =
            [&|| reference(&top), &|| drop(black_box(Layer::read(&place))), &|| listed(&Request::default()), &|| {
                listed(&effective);
            }];
        for (time, task) in times.iter_mut().zip(tasks) {
            let start = Instant::now();
            task();
            *time = start.elapsed().min(*time);
        }
    }
    let index = Layer::read(&place).index;
    println!("\n{} directories, {} documents on the disk", index.tallies().directories, index.documents().count());
    for (name, time) in ["git ls-files and head", "read", "list", "list with chains"].iter().zip(times) {
        let ratio = time.as_secs_f64() / times[0].as_secs_f64();
        println!("{name:>24} {:>10.1} ms  {ratio:.2}", milliseconds(time));
    }
}
