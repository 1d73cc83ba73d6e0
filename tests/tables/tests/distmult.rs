//! Gradients of tables against differences in `f64`, on the CPU, in the emulator, and on a GPU where it is asked for.

use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::{Array2, arr0};
use onyx_runtime::{Data, Options, ResidentGraph, RunFold, Session};
use onyx_tables::distmult::{Classes, DistMult, distmult, distmult_gradient, pooled, pooled_gradient, step};
use onyx_tables::world::{graph, numbers, random, sessions};

/// How far a value is moved for a difference.
const STEP: f64 = 1e-6;
/// How far single precision may be off, of the greatest entry.
const TOLERANCE: f64 = 2e-4;

fn differences(point: &[f32], loss: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    let mut moved: Vec<f64> = point.iter().copied().map(f64::from).collect();
    let mut at = |at: usize, by: f64| {
        moved[at] += by;
        let value = loss(&moved);
        moved[at] -= by;
        value
    };
    (0..point.len()).map(|number| (at(number, STEP) - at(number, -STEP)) / (2.0 * STEP)).collect()
}

#[track_caller]
fn agree<'a>(what: &str, found: impl IntoIterator<Item = &'a f32>, expected: &[f64]) {
    let greatest = expected.iter().fold(1.0, |greatest, value| f64::max(greatest, value.abs()));
    assert!(expected.iter().any(|value| value.abs() > 1e-3), "{what}: nothing depends on it");
    let found: Vec<f32> = found.into_iter().copied().collect();
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let off = (f64::from(*found) - expected).abs();
        assert!(off <= TOLERANCE * greatest, "{what}, entry {at}: {found} instead of {expected}");
    }
}

/// Floats between -1 and 1.
fn floats(seed: u64, count: usize) -> Vec<f32> {
    numbers(&mut random(seed), count, 2001).into_iter().map(|number| number / 1000.0 - 1.0).collect()
}

fn rows(values: &[f32], features: usize) -> Array2<f32> {
    Array2::from_shape_vec((values.len() / features, features), values.to_vec()).unwrap()
}

/// Triples of entities and relations.
struct Triples {
    graph: Graph,
    kinds: Vec<f32>,
    truths: Vec<f32>,
    x: Vec<f32>,
    relation: Vec<f32>,
    features: usize,
}

impl Triples {
    fn new(vertices: usize, edges: Vec<(u32, u32)>, relations: usize, features: usize) -> Self {
        let graph = graph(vertices, edges);
        let kinds = numbers(&mut random(5), graph.edge_count(), relations);
        let truths =
            numbers(&mut random(6), graph.edge_count(), 2).into_iter().map(|truth| 2.0 * truth - 1.0).collect();
        let (x, relation) = (floats(7, vertices * features), floats(8, relations * features));
        Self { graph, kinds, truths, x, relation, features }
    }

    fn data(&self, session: &Session, resident: &ResidentGraph<'_>) -> Data<DistMult> {
        let mut data = session.data(distmult, resident, self.features).unwrap();
        data.write(DistMult::X, &rows(&self.x, self.features)).unwrap();
        data.write(DistMult::KIND, &self.kinds).unwrap();
        data.write(DistMult::TRUTH, &self.truths).unwrap();
        data.write(DistMult::RELATION, &rows(&self.relation, self.features)).unwrap();
        data.resize(DistMult::RELATION_GRADIENT, self.relation.len() / self.features).unwrap();
        data.write(DistMult::LOSS_GRADIENT, &arr0(1.0)).unwrap();
        data
    }

    fn loss(&self, x: &[f64], relation: &[f64]) -> f64 {
        let row = |of: usize, feature: usize| of * self.features + feature;
        let edges = self.graph.edges().zip(self.kinds.iter().zip(&self.truths));
        let off = edges.map(|((_, source, destination), (kind, truth))| {
            let term = |feature: usize| {
                let (from, to) = (x[row(source as usize, feature)], x[row(destination as usize, feature)]);
                from * relation[row(*kind as usize, feature)] * to
            };
            (1.0 + (-f64::from(*truth) * (0..self.features).map(term).sum::<f64>()).exp()).ln()
        });
        off.sum()
    }
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().copied().map(f64::from).collect()
}

#[test]
fn the_gradient_of_distmult_is_that_of_differences() {
    let ring = (0..12).flat_map(|vertex| [(vertex, (vertex + 1) % 12), (vertex, vertex), (vertex, (vertex * 5) % 12)]);
    for features in [3, 4, 16] {
        let triples = Triples::new(12, ring.clone().collect(), 4, features);
        for session in sessions() {
            let what = format!("{features} features on {:?}", session.backend());
            let resident = session.graph(&triples.graph);
            let mut data = triples.data(&session, &resident);
            for _ in 0..2 {
                distmult.on(&resident, &mut data).once().unwrap();
                distmult_gradient.on(&resident, &mut data).once().unwrap();
            }
            let (x, relation) = (wide(&triples.x), wide(&triples.relation));
            let loss = triples.loss(&x, &relation);
            assert!((f64::from(data.read(DistMult::LOSS).unwrap()[()]) - loss).abs() < 1e-4 * loss, "{what}");
            let of_x = differences(&triples.x, |x| triples.loss(x, &relation));
            agree(&what, data.read(DistMult::X_GRADIENT).unwrap(), &of_x);
            let of_relations = differences(&triples.relation, |relation| triples.loss(&x, relation));
            agree(&what, data.read(DistMult::RELATION_GRADIENT).unwrap(), &of_relations);
        }
    }
}

/// Entities and relations are found again from the edges that they make likely.
#[test]
fn training_lowers_the_loss() {
    let edges = (0..40_u32).flat_map(|vertex| (1..5).map(move |other| (vertex, (vertex * 7 + other * 11) % 40)));
    let triples = Triples::new(40, edges.collect(), 3, 8);
    let session = Session::cpu();
    let resident = session.graph(&triples.graph);
    let mut data = triples.data(&session, &resident);
    data.set(DistMult::RATE, 0.1);
    let mut losses = Vec::new();
    for _ in 0..200 {
        distmult.on(&resident, &mut data).once().unwrap();
        losses.push(data.read(DistMult::LOSS).unwrap()[()]);
        distmult_gradient.on(&resident, &mut data).once().unwrap();
        step.on(&resident, &mut data).times(1, &Options::new()).unwrap();
        let gradient = data.read(DistMult::RELATION_GRADIENT).unwrap().to_owned();
        data.view_mut(DistMult::RELATION).unwrap().scaled_add(-0.1, &gradient);
    }
    assert!(losses[199] < 0.1 * losses[0], "{} to {}", losses[0], losses[199]);
}

#[test]
fn tables_that_vertices_read_and_add_to_have_gradients() {
    let (vertices, features, classes) = (30, 3, 4);
    let (x, center, weight) =
        (floats(1, vertices * features), floats(2, classes * features), floats(3, classes * features));
    let class = numbers(&mut random(4), vertices, classes);
    let loss = |x: &[f64], center: &[f64]| -> f64 {
        let term = |at: usize| {
            let (own, feature) = (class[at / features] as usize, at % features);
            let (place, first) = (own * features + feature, center[feature]);
            let y = (x[at] * center[place]).tanh() - first * center[place];
            f64::from(weight[place]) * 0.5 * y * y
        };
        (0..x.len()).map(term).sum()
    };
    for session in sessions() {
        let graph = graph(vertices, vec![(0, 1)]);
        let resident = session.graph(&graph);
        let mut data = session.data(pooled, &resident, features).unwrap();
        data.write(Classes::X, &rows(&x, features)).unwrap();
        data.write(Classes::CLASS, &class).unwrap();
        data.write(Classes::CENTER, &rows(&center, features)).unwrap();
        data.write(Classes::POOLED_GRADIENT, &rows(&weight, features)).unwrap();
        data.resize(Classes::POOLED, classes).unwrap();
        data.resize(Classes::CENTER_GRADIENT, classes).unwrap();
        pooled.on(&resident, &mut data).once().unwrap();
        pooled_gradient.on(&resident, &mut data).once().unwrap();
        let what = format!("classes on {:?}", session.backend());
        let of_x = differences(&x, |x| loss(x, &wide(&center)));
        agree(&what, data.read(Classes::X_GRADIENT).unwrap(), &of_x);
        let of_centers = differences(&center, |center| loss(&wide(&x), center));
        agree(&what, data.read(Classes::CENTER_GRADIENT).unwrap(), &of_centers);
    }
}
