use onyx_device::prelude::*;
use onyx_device::property::GraphData;
use onyx_device::{Fold, Stages};

use super::arrays::{Floats, Graph, Launch, On, assert_close, parameter, pull, tracked};

#[graph_data]
pub struct PageRank {
    share: VertexScalar<Tracked>,
    rank: VertexScalar,
    inverse_degree: VertexScalar,
    sum: VertexScalar,
    damping: Parameter,
    base: Parameter,
    tolerance: Parameter,
}

#[edge_fn]
fn gather(e: Edge, d: &mut PageRank) -> bool {
    d.sum[e.dst] += d.share[e.src];
    true
}

#[vertex_fn]
fn update(v: Vertex, d: &mut PageRank) -> bool {
    let rank = d.base + d.damping * d.sum[v];
    let moved = (rank - d.rank[v]).abs() > d.tolerance;
    d.rank[v] = rank;
    d.share[v] = rank * d.inverse_degree[v];
    moved
}

foldmap! { pub rank_step(PageRank) = [gather, update] }

const DAMPING: f32 = 0.85;
const BASE: f32 = 0.01;
const TOLERANCE: f32 = 0.3;

fn share(vertex: usize) -> f32 {
    (vertex % 9) as f32 / 10.0
}

fn rank(vertex: usize) -> f32 {
    (vertex % 4) as f32 / 3.0
}

fn inverse_degree(vertex: usize) -> f32 {
    1.0 / (vertex % 6 + 1) as f32
}

struct Check<'a>(&'a Graph, On);

impl onyx_device::WidthVisitor for Check<'_> {
    type Output = ();

    fn visit<D, S, const K: usize, const L: usize, const V: usize>(self)
    where
        D: GraphData,
        S: Stages<D>,
    {
        let Check(graph, on) = self;
        let vertices = graph.vertices();
        let mut shares = Floats::new((0..vertices).map(|_| f32::NAN));
        let mut previous = Floats::new((0..vertices).map(share));
        let mut ranks = Floats::new((0..vertices).map(rank));
        let mut inverse = Floats::new((0..vertices).map(inverse_degree));
        let mut sums = Floats::new((0..vertices).map(|_| f32::NAN));
        let storages = [
            tracked(&mut shares, &mut previous),
            ranks.storage(),
            inverse.storage(),
            sums.storage(),
            parameter(DAMPING),
            parameter(BASE),
            parameter(TOLERANCE),
        ];
        let mut launch = Launch::new(graph, if matches!(on, On::Cpu) { u64::MAX } else { 16 });
        let arguments = launch.arguments::<D>(&storages, 1);
        pull::<D, S::Edges, S::Vertices, L, V, K>(on, &launch, &arguments);
        let expected: Vec<f32> = (0..vertices)
            .map(|vertex| BASE + DAMPING * graph.incoming(vertex).map(|(_, source)| share(source)).sum::<f32>())
            .collect();
        let passed: Vec<f32> =
            expected.iter().enumerate().map(|(vertex, rank)| rank * inverse_degree(vertex)).collect();
        let moved: Vec<u8> =
            expected.iter().enumerate().map(|(vertex, new)| u8::from((new - rank(vertex)).abs() > TOLERANCE)).collect();
        assert_close(&ranks.as_slice()[..vertices], &expected);
        assert_close(&shares.as_slice()[..vertices], &passed);
        assert_eq!(launch.marks, moved);
    }
}

#[test]
fn pagerank_is_right_on_the_cpu() {
    rank_step::visit(1, Check(&Graph::new(50), On::Cpu)).expect("the width is compiled");
}

#[test]
fn pagerank_is_right_on_the_emulator() {
    rank_step::visit(1, Check(&Graph::new(50), On::Emulator)).expect("the width is compiled");
}

#[test]
fn data_without_features_has_width_one() {
    assert_eq!((PageRank::WIDTH, rank_step::WIDTHS, rank_step::NAME), (1, &[1][..], "page_rank__rank_step"));
    assert_eq!(PageRank::RANK.index, 1);
}
