//! The selection on a graph of 5,000 packages with 50,000 items and 75,000 refs, and on one of ten times that.

use criterion::{Criterion, criterion_group, criterion_main};
use dagwood::selection::model::{Definition, PackageView, Request, View};
use dagwood::selection::reasons::Reasons;
use dagwood::selection::what_if::{Try, effect};
use dagwood::selection::{Filter, Graph, Kind, Name, select};
use std::hint::black_box;

/// A tree of packages with further lines, half agents, half skills, three refs an agent, most to its own package.
fn view(packages: usize, skills: usize) -> View {
    let mut state = 1_u64;
    let mut roll = |sides: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % sides
    };
    let mut view = View { requests: vec![Request::new("p0", Filter::All)], ..View::default() };
    for at in 0..packages {
        let mut package = PackageView::default();
        for nth in 0..skills {
            let refs = (0..3).map(|_| {
                let of = if roll(10) < 3 { roll(packages) } else { at };
                Name::from(format!("s{of}_{}", roll(skills)))
            });
            package.definitions.push(Definition {
                kind: Kind::Agent,
                slug: format!("a{at}_{nth}").into(),
                output_path: format!("agents/a{at}_{nth}.md").into(),
                skills: refs.collect(),
            });
        }
        package.definitions.extend((0..skills).map(|nth| Definition {
            kind: Kind::Skill,
            slug: format!("s{at}_{nth}").into(),
            output_path: format!("skills/s{at}_{nth}/SKILL.md").into(),
            skills: Vec::new(),
        }));
        let targets = [2 * at + 1, 2 * at + 2, at + roll(packages - at)];
        let targets = targets.into_iter().filter(|target| *target < packages);
        package.edges = targets.map(|target| Request::new(format!("p{target}"), Filter::All)).collect();
        view.packages.insert(format!("p{at}").into(), package);
    }
    view
}

fn selection(criterion: &mut Criterion) {
    let small = view(5_000, 5);
    criterion.bench_function("selection: 5,000 packages compiled", |bench| {
        bench.iter_batched(|| small.clone(), Graph::new, criterion::BatchSize::LargeInput);
    });
    let graph = Graph::new(small);
    criterion.bench_function("selection: 5,000 packages selected", |bench| bench.iter(|| select(black_box(&graph))));
    let selected = select(&graph);
    let toggle = [Try::Exclude { key: "p0".into(), item: "a0_0".into() }];
    criterion.bench_function("selection: one toggle of a what-if", |bench| {
        bench.iter(|| graph.try_out(black_box(&toggle)).map(|changed| effect(&selected, &changed)));
    });
    let wide = [Try::Filter { key: "p0".into(), filter: Filter::All }];
    criterion.bench_function("selection: a what-if that selects all again", |bench| {
        bench.iter(|| graph.try_out(black_box(&wide)).map(|changed| effect(&selected, &changed)));
    });
    criterion
        .bench_function("selection: the reasons prepared", |bench| bench.iter(|| Reasons::new(black_box(&selected))));
    let reasons = Reasons::new(&selected);
    let last = selected.items()[selected.items().len() - 1];
    criterion.bench_function("selection: why one item", |bench| bench.iter(|| reasons.why(black_box(last), 20)));
    let large = Graph::new(view(50_000, 5));
    criterion.bench_function("selection: 50,000 packages selected", |bench| bench.iter(|| select(black_box(&large))));
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = selection
}
criterion_main!(benches);
