//! A structure with a property of each kind, run on both machines and compared with a serial program.

use onyx_device::prelude::*;
use onyx_device::property::{GraphData, Storage};
use onyx_device::run::VertexRun;
use onyx_device::{Fold, Stages, WidthVisitor};

use super::arrays::{Floats, Graph, Launch, On, assert_close, parameter, pull, tracked};

#[graph_data]
pub struct Everything<const K: usize> {
    pub weight: EdgeScalar,
    pub message: EdgeFeatures<K>,
    pub count: EdgeScalar,
    pub seed: VertexFeatures<K>,
    pub label: VertexFeatures<K, Tracked>,
    pub sum: VertexFeatures<K>,
    pub rank: VertexScalar,
    pub total: VertexScalar,
    pub alpha: Parameter,
}

pub const ALPHA: f32 = 0.3;

/// The values of the properties, as a serial program holds them.
#[derive(Clone)]
pub struct State {
    pub weight: Vec<f32>,
    pub message: Vec<Vec<f32>>,
    pub count: Vec<f32>,
    pub seed: Vec<Vec<f32>>,
    pub label: Vec<Vec<f32>>,
    pub sum: Vec<Vec<f32>>,
    pub rank: Vec<f32>,
    pub total: Vec<f32>,
    pub marks: Vec<bool>,
}

fn scalars(count: usize, salt: usize) -> Vec<f32> {
    (0..count).map(|at| ((at * 7 + salt) % 11) as f32 / 10.0).collect()
}

fn rows(count: usize, features: usize, salt: usize) -> Vec<Vec<f32>> {
    (0..count).map(|row| scalars(features, row * 3 + salt)).collect()
}

impl State {
    fn new(graph: &Graph, features: usize) -> Self {
        let (vertices, edges) = (graph.vertices(), graph.sources.len());
        Self {
            weight: scalars(edges, 1),
            message: rows(edges, features, 2),
            count: scalars(edges, 3),
            seed: rows(vertices, features, 4),
            label: rows(vertices, features, 5),
            sum: vec![vec![0.0; features]; vertices],
            rank: scalars(vertices, 6),
            total: vec![0.0; vertices],
            marks: vec![false; vertices],
        }
    }
}

fn padded(rows: &[Vec<f32>], width: usize) -> Floats {
    Floats::rows(rows.len(), width, rows.first().map_or(0, Vec::len), |row, at| rows[row][at])
}

fn flat(values: &[f32]) -> Floats {
    Floats::new(values.iter().copied())
}

fn compare_rows(found: &Floats, width: usize, expected: &[Vec<f32>]) {
    for (found, expected) in found.as_slice().chunks(width).zip(expected) {
        assert_close(&found[..expected.len()], expected);
    }
}

struct Run<'a, P> {
    graph: &'a Graph,
    features: usize,
    on: On,
    serial: P,
}

impl<P: Fn(&Graph, &mut State)> WidthVisitor for Run<'_, P> {
    type Output = ();

    fn visit<D, S, const K: usize, const L: usize, const V: usize>(self)
    where
        D: GraphData,
        S: Stages<D>,
    {
        let mut state = State::new(self.graph, self.features);
        let (mut weight, mut message, mut count) = (flat(&state.weight), padded(&state.message, K), flat(&state.count));
        let (mut seed, mut label, mut sum) = (padded(&state.seed, K), padded(&state.label, K), padded(&state.sum, K));
        let (mut previous, mut rank, mut total) = (padded(&state.label, K), flat(&state.rank), flat(&state.total));
        let storages: [Storage; 9] = [
            weight.storage(),
            message.storage(),
            count.storage(),
            seed.storage(),
            tracked(&mut label, &mut previous),
            sum.storage(),
            rank.storage(),
            total.storage(),
            parameter(ALPHA),
        ];
        let mut launch = Launch::new(self.graph, if matches!(self.on, On::Cpu) { u64::MAX } else { 8 });
        let arguments = launch.arguments::<D>(&storages, self.features);
        pull::<D, S::Edges, S::Vertices, L, V, K>(self.on, &launch, &arguments);
        (self.serial)(self.graph, &mut state);
        compare_rows(&message, K, &state.message);
        compare_rows(&label, K, &state.label);
        assert_close(&count.as_slice()[..state.count.len()], &state.count);
        assert_close(&rank.as_slice()[..state.rank.len()], &state.rank);
        if <S::Vertices as VertexRun<D>>::IS_EMPTY {
            compare_rows(&sum, K, &state.sum);
            assert_close(&total.as_slice()[..state.total.len()], &state.total);
        }
        let marks: Vec<bool> = launch.marks.iter().map(|mark| *mark != 0).collect();
        assert_eq!(marks, state.marks);
    }
}

/// Runs a fold on both machines for several numbers of features, and `serial` on plain vectors.
pub fn check<F: Fold>(serial: impl Fn(&Graph, &mut State)) {
    let graph = Graph::new(50);
    for features in [1, 2, 3, 4, 7, 16, 100] {
        for on in [On::Cpu, On::Emulator] {
            let run = Run { graph: &graph, features, on, serial: &serial };
            F::visit(features.next_power_of_two(), run).expect("the width is compiled");
        }
    }
}
