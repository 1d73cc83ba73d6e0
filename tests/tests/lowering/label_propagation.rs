use onyx_device::prelude::*;
use onyx_device::property::GraphData;
use onyx_device::{Fold, Stages, WidthVisitor};

use super::arrays::{Floats, Graph, Launch, On, assert_close, parameter, pull, tracked};

#[graph_data]
pub struct LabelPropagation<const K: usize> {
    weight: EdgeScalar,
    seed: VertexFeatures<K>,
    label: VertexFeatures<K, Tracked>,
    sum: VertexFeatures<K>,
    alpha: Parameter,
    epsilon: Parameter,
}

#[edge_fn]
fn spread<const K: usize>(f: Feature, e: Edge, d: &mut LabelPropagation<K>) -> bool {
    d.sum[e.dst][f] += d.weight[e] * d.label[e.src][f];
    true
}

#[vertex_fn]
fn absorb<const K: usize>(f: Feature, v: Vertex, d: &mut LabelPropagation<K>) -> bool {
    let mixed = d.alpha * normalize(d.sum[v][f]) + (1.0 - d.alpha) * d.seed[v][f];
    let label = normalize(mixed);
    let moved = (label - d.label[v][f]).abs() > d.epsilon;
    d.label[v][f] = label;
    any(moved)
}

foldmap! { pub step<const K: usize>(LabelPropagation<K>) = [spread, absorb]; features = [1, 2, 4, 8, 16, 32, 64, 128] }

const ALPHA: f32 = 0.85;
const EPSILON: f32 = 0.01;

fn seed(vertex: usize, feature: usize) -> f32 {
    ((vertex * 7 + feature * 3) % 11) as f32 / 10.0
}

fn label(vertex: usize, feature: usize) -> f32 {
    ((vertex + feature * 5) % 13) as f32 / 12.0
}

fn weight(edge: usize) -> f32 {
    (edge % 5) as f32 / 4.0
}

fn normalized(row: Vec<f32>) -> Vec<f32> {
    let sum: f32 = row.iter().sum();
    if sum == 0.0 { row } else { row.into_iter().map(|value| value / sum).collect() }
}

/// The new labels, and which vertices have moved.
fn serial(graph: &Graph, features: usize) -> (Vec<Vec<f32>>, Vec<u8>) {
    let row = |vertex: usize| {
        let mut sum = vec![0.0; features];
        for (edge, source) in graph.incoming(vertex) {
            (0..features).for_each(|feature| sum[feature] += weight(edge) * label(source, feature));
        }
        let mixed = normalized(sum).into_iter().enumerate();
        normalized(mixed.map(|(feature, sum)| ALPHA * sum + (1.0 - ALPHA) * seed(vertex, feature)).collect())
    };
    let labels: Vec<Vec<f32>> = (0..graph.vertices()).map(row).collect();
    let moved = |(vertex, row): (usize, &Vec<f32>)| {
        u8::from(row.iter().enumerate().any(|(feature, new)| (new - label(vertex, feature)).abs() > EPSILON))
    };
    let moved = labels.iter().enumerate().map(moved).collect();
    (labels, moved)
}

struct Check<'a> {
    graph: &'a Graph,
    features: usize,
    on: On,
}

impl WidthVisitor for Check<'_> {
    type Output = ();

    fn visit<D, S, const K: usize, const L: usize, const V: usize>(self)
    where
        D: GraphData,
        S: Stages<D>,
    {
        let (vertices, features) = (self.graph.vertices(), self.features);
        let mut weights = Floats::new((0..self.graph.sources.len()).map(weight));
        let mut seeds = Floats::rows(vertices, K, features, seed);
        let mut labels = Floats::rows(vertices, K, features, |_, _| f32::NAN);
        let mut previous = Floats::rows(vertices, K, features, label);
        let mut sums = Floats::rows(vertices, K, features, |_, _| f32::NAN);
        let storages = [
            weights.storage(),
            seeds.storage(),
            tracked(&mut labels, &mut previous),
            sums.storage(),
            parameter(ALPHA),
            parameter(EPSILON),
        ];
        let size = if matches!(self.on, On::Cpu) { u64::MAX } else { 16 };
        let mut launch = Launch::new(self.graph, size);
        let arguments = launch.arguments::<D>(&storages, features);
        pull::<D, S::Edges, S::Vertices, L, V, K>(self.on, &launch, &arguments);
        let (expected, moved) = serial(self.graph, features);
        for (row, expected) in labels.as_slice().chunks(K).zip(&expected) {
            assert_close(&row[..features], expected);
        }
        assert_eq!(launch.marks, moved);
    }
}

fn check(features: usize, on: On) {
    let graph = Graph::new(50);
    let width = features.next_power_of_two();
    step::visit(width, Check { graph: &graph, features, on }).expect("the width is compiled");
}

#[test]
fn label_propagation_is_right_on_the_cpu() {
    [1, 2, 3, 4, 5, 8, 13, 16, 32, 64, 100, 128].into_iter().for_each(|features| check(features, On::Cpu));
}

#[test]
fn label_propagation_is_right_on_the_emulator() {
    [1, 2, 3, 4, 5, 8, 13, 16, 32, 64, 100, 128].into_iter().for_each(|features| check(features, On::Emulator));
}

#[test]
fn the_fold_says_what_it_accesses() {
    assert_eq!(step::NAME, "label_propagation__step");
    assert_eq!(step::PACKAGE, "onyx-tests");
    assert_eq!(step::WIDTHS, [1, 2, 4, 8, 16, 32, 64, 128]);
    assert_eq!(step::FACTS.edges.reads_source, 1 << LabelPropagation::LABEL.index);
    assert_eq!(step::FACTS.edges.reads_edge, 1 << LabelPropagation::WEIGHT.index);
    assert_eq!(step::FACTS.edges.reduces, 1 << LabelPropagation::SUM.index);
    assert_eq!(step::FACTS.vertices.writes, 1 << LabelPropagation::LABEL.index);
    assert_eq!(step::FACTS.vertices.reads, 1 << 1 | 1 << 2 | 1 << 3);
    const { assert!(step::FACTS.is_change_driven && step::FACTS.has_edges && step::FACTS.has_vertices) };
}
