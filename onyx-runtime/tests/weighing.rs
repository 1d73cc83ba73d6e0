//! Edges of a softmax-weighted sum that are weighed together on the CPU, where each brings two contributions.

use onyx_device::prelude::*;
use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::{Options, RunFold, Session};

#[graph_data]
struct Twice<const K: usize> {
    score: VertexScalar,
    x: VertexFeatures<K>,
    sum: VertexFeatures<K>,
}

#[edge_fn]
fn attend_twice<const K: usize>(f: Feature, e: Edge, d: &mut Twice<K>) -> bool {
    d.sum[e.dst][f].softmax_add(d.score[e.src], d.x[e.src][f]);
    d.sum[e.dst][f].softmax_add(-d.score[e.src], 3.0 * d.x[e.src][f]);
    true
}

foldmap! { attend_both<const K: usize>(Twice<K>) = [attend_twice]; features = [4] }

#[test]
fn both_contributions_of_an_edge_are_weighed() {
    const SOURCES: usize = 13;
    let edges = (1..=SOURCES as u32).map(|source| (source, 0)).collect();
    let graph = GraphBuilder::new().vertices(SOURCES + 1).edges(edges).build().unwrap();
    let session = Session::cpu();
    let resident = session.graph(&graph);
    let mut data = session.data(attend_both, &resident, 4).unwrap();
    let scores: Vec<f32> = (0..=SOURCES).map(|vertex| 0.3 * vertex as f32 - 1.0).collect();
    let rows: Vec<f32> = (0..4 * (SOURCES + 1)).map(|at| (at % 7) as f32 - 2.0).collect();
    data.write(Twice::SCORE, &scores).unwrap();
    data.write(Twice::X, &ndarray::Array2::from_shape_vec((SOURCES + 1, 4), rows.clone()).unwrap()).unwrap();
    attend_both.on(&resident, &mut data).times(1, &Options::default()).unwrap();
    let found = data.read(Twice::SUM).unwrap();
    for feature in 0..4 {
        let (mut sum, mut total) = (0.0, 0.0);
        for source in 1..=SOURCES {
            let (score, x) = (f64::from(scores[source]), f64::from(rows[4 * source + feature]));
            sum += score.exp() * x + (-score).exp() * 3.0 * x;
            total += score.exp() + (-score).exp();
        }
        let (found, expected) = (f64::from(found[[0, feature]]), sum / total);
        assert!((found - expected).abs() < 1e-5, "{found}, not {expected}");
    }
}
