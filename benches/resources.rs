//! The registry at size: 200,000 resources and 400,000 links, a node of 100,000 children, the ladder of diamonds, a chain
//! of 100,000, a directory of 20,000 files. `DAGWOOD_BENCH_RESOURCES` sets another number of resources.

#![allow(clippy::unwrap_used, missing_docs, reason = "a bench fails by panicking")]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use dagwood::resources::{
    BUSY_WAIT, Direction, Discover, Durability, NewResource, Opening, Operation, Registry, ResourceId, Watch, doctor,
    export,
};

/// A number from another, always the same.
fn scramble(number: u64) -> u64 {
    let mixed = (number ^ (number >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 29)
}

fn id(at: u64) -> String {
    format!("01{at:024}")
}

fn writable(file: &Path) -> Registry {
    Registry::open_to_write(file, Opening { durability: Durability::Relaxed, ..Opening::default() }).unwrap()
}

/// A registry with these links between the resources `n0`, `n1` ..., written as another program would.
fn made(dir: &Path, name: &str, nodes: u64, links: impl Iterator<Item = (u64, u64)>) -> PathBuf {
    let file = dir.join(name);
    drop(writable(&file));
    let mut connection = rusqlite::Connection::open(&file).unwrap();
    connection.pragma_update(None, "cache_size", -262_144).unwrap();
    let transaction = connection.transaction().unwrap();
    let sql =
        "INSERT INTO resources(resource_id, name, resource_type_name, created_at) VALUES(?, ?, 'fs-directory', '')";
    {
        let mut statement = transaction.prepare(sql).unwrap();
        for at in 0..nodes {
            statement.execute((id(at), format!("n{at}"))).unwrap();
        }
    }
    let mut statement = transaction.prepare("INSERT OR IGNORE INTO resource_links VALUES(?, ?, '')").unwrap();
    let mut links: Vec<(u64, u64)> = links.collect();
    links.sort_unstable();
    for (parent, child) in links {
        statement.execute((id(parent), id(child))).unwrap();
    }
    drop(statement);
    transaction.commit().unwrap();
    file
}

/// Each resource under an earlier one near it, and as many further links to earlier ones anywhere.
fn forest(nodes: u64) -> impl Iterator<Item = (u64, u64)> {
    (1..nodes).flat_map(|at| {
        let near = at - 1 - scramble(at) % at.min(5_000);
        let far = scramble(at + 77) % at;
        [(near, at), (far, at)]
    })
}

fn ladder() -> impl Iterator<Item = (u64, u64)> {
    (0..23).flat_map(|level| [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(a, b)| (2 * level + a, 2 * level + 2 + b)))
}

fn reading(criterion: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let nodes = std::env::var("DAGWOOD_BENCH_RESOURCES").ok().and_then(|text| text.parse().ok()).unwrap_or(200_000);
    let file = made(dir.path(), "forest.db", nodes, forest(nodes));
    let node = |at: u64| ResourceId::new(id(at));
    let mut group = criterion.benchmark_group("resources");
    group.sample_size(10);
    group.bench_function("open", |bench| bench.iter(|| Registry::open_to_read(&file, BUSY_WAIT).unwrap()));
    let registry = Registry::open_to_read(&file, BUSY_WAIT).unwrap();
    group.bench_function("check a link", |bench| {
        let mut at = 0;
        bench.iter(|| {
            at = scramble(at + 1) % nodes;
            black_box(registry.plan(&Operation::Link(node(at), node((at + nodes / 2) % nodes))).is_ok())
        });
    });
    group.bench_function("link", |bench| {
        let mut writer = writable(&file);
        bench.iter_batched(
            || {
                let new = |name| NewResource { type_name: "fs-directory".into(), name, ..NewResource::default() };
                (node(nodes / 2), writable(&file).add(new(None)).unwrap().id)
            },
            |(parent, child)| writer.link_child(&parent, &child).unwrap(),
            BatchSize::PerIteration,
        );
    });
    group.bench_function("candidates", |bench| {
        bench.iter(|| registry.candidates(&node(nodes / 2), Direction::Children, "n19", 200).unwrap());
    });
    group.bench_function("detail", |bench| bench.iter(|| registry.detail(&node(nodes / 3)).unwrap()));
    group.bench_function("roots", |bench| bench.iter(|| registry.roots().unwrap()));
    group.bench_function("what no root reaches", |bench| bench.iter(|| registry.cyclic_group().unwrap()));
    group.bench_function("findings", |bench| bench.iter(|| doctor::findings(&registry).unwrap()));
    group.bench_function("export json", |bench| {
        bench.iter(|| export::json(&registry, &mut std::io::sink()).unwrap());
    });
    group.finish();
}

fn shapes(criterion: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let node = |at: u64| ResourceId::new(id(at));
    let mut group = criterion.benchmark_group("shapes");
    group.sample_size(10);
    let wide = made(dir.path(), "wide.db", 100_001, (1..=100_000).map(|at| (0, at)));
    let wide = Registry::open_to_read(&wide, BUSY_WAIT).unwrap();
    group.bench_function("100,000 children", |bench| bench.iter(|| wide.get_children(&node(0)).unwrap()));
    group.bench_function("100,000 children in brief", |bench| {
        bench.iter(|| wide.children_in_brief(&node(0)).unwrap());
    });
    let ladder = Registry::open_to_read(&made(dir.path(), "ladder.db", 48, ladder()), BUSY_WAIT).unwrap();
    group.bench_function("refuse on the ladder", |bench| {
        bench.iter(|| ladder.plan(&Operation::Link(node(46), node(0))).unwrap_err());
    });
    group
        .bench_function("count paths on the ladder", |bench| bench.iter(|| ladder.paths(&node(0), &node(46)).unwrap()));
    let chain = made(dir.path(), "chain.db", 100_000, (1..100_000).map(|at| (at - 1, at)));
    let chain = Registry::open_to_read(&chain, BUSY_WAIT).unwrap();
    group.bench_function("refuse a chain of 100,000", |bench| {
        bench.iter(|| chain.plan(&Operation::Link(node(99_999), node(0))).unwrap_err());
    });
    group.finish();
}

fn discovering(criterion: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let files = dir.path().join("files");
    std::fs::create_dir(&files).unwrap();
    for at in 0..20_000 {
        std::fs::write(files.join(format!("file{at:06}.txt")), "").unwrap();
    }
    let cancel = AtomicBool::new(false);
    let watch = Watch { cancel: &cancel, progress: &|_| {} };
    let begin = |name: &str| {
        let mut registry = writable(&dir.path().join(name));
        let (type_name, location) = ("fs-directory".to_owned(), files.to_str().map(str::to_owned));
        let new = NewResource { type_name, name: Some("w".into()), location, ..NewResource::default() };
        let root = registry.add(new).unwrap().id;
        (registry, root)
    };
    let mut group = criterion.benchmark_group("discover 20,000 files");
    group.sample_size(10);
    let mut nth = 0;
    group.bench_function("first", |bench| {
        bench.iter_batched(
            || {
                nth += 1;
                begin(&format!("{nth}.db"))
            },
            |(mut registry, root)| registry.discover(&root, &Discover::ONE_LEVEL, &watch).unwrap(),
            BatchSize::PerIteration,
        );
    });
    let (mut registry, root) = begin("again.db");
    registry.discover(&root, &Discover::ONE_LEVEL, &watch).unwrap();
    group.bench_function("again", |bench| {
        bench.iter(|| registry.discover(&root, &Discover::ONE_LEVEL, &watch).unwrap());
    });
    group.finish();
}

criterion_group!(benches, reading, shapes, discovering);
criterion_main!(benches);
