//! Products of several edges that the CPU makes together: of rows of every length, where functions stop, and along active edges alone.

use ndarray::{Array1, Array2, Array3};
use onyx_device::FoldOf;
use onyx_device::prelude::*;
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::{ActiveSet, Options, RunFold, Session};

#[graph_data]
struct Pairs<const K: usize> {
    weight: EdgeScalar,
    x: VertexFeatures<K>,
    sum: VertexFeatures<K>,
    gram: VertexMatrix<K>,
    kept: VertexScalar,
}

#[edge_fn]
fn is_heavy<const K: usize>(e: Edge, d: &mut Pairs<K>) -> bool {
    d.weight[e] > 0.5
}

#[edge_fn]
fn pair<const K: usize>(f: Feature, e: Edge, d: &mut Pairs<K>) -> bool {
    d.gram[e.dst][f] += outer(d.weight[e] * d.x[e.src][f], d.x[e.src][f]);
    d.sum[e.dst][f] += d.x[e.src][f];
    true
}

#[vertex_fn]
fn keep<const K: usize>(v: Vertex, d: &mut Pairs<K>) -> bool {
    d.kept[v] = 1.0;
    true
}

foldmap! { pair_all<const K: usize>(Pairs<K>) = [pair]; features = [4, 32] }
foldmap! { pair_heavy<const K: usize>(Pairs<K>) = [is_heavy, pair]; features = [4, 32] }
foldmap! { pair_active<const K: usize>(Pairs<K>) = [pair, keep]; features = [4, 32]; edges = active }

/// Vertices whose rows have 0 to 13 edges, and one of 1,030, from the others in turn.
fn rows_of_all_lengths() -> Graph {
    const LENGTHS: [usize; 15] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 1030];
    let of_row = |(row, length): (usize, &usize)| (0..*length).map(move |edge| ((edge * 7 + row) % 15, row));
    let edges = LENGTHS.iter().enumerate().flat_map(of_row).map(|(from, to)| (from as u32, to as u32)).collect();
    GraphBuilder::new().vertices(LENGTHS.len()).edges(edges).build().unwrap()
}

fn number(at: usize) -> f32 {
    ((at * 29 + 7) % 31) as f32 / 16.0 - 0.9
}

/// Runs a fold from some vertices, and compares what edges have added that `counts` says.
fn check<F>(fold: F, features: usize, start: Option<&[u32]>, counts: impl Fn(u32, f32) -> bool)
where
    F: FoldOf<Pairs> + Copy,
{
    let graph = rows_of_all_lengths();
    let session = Session::cpu();
    let resident = session.graph(&graph);
    let mut data = session.data(fold, &resident, features).unwrap();
    let weights: Array1<f32> = (0..graph.edge_count()).map(|edge| (edge % 5) as f32 / 4.0).collect();
    let x = Array2::from_shape_fn((graph.vertex_count(), features), |(vertex, f)| number(vertex * 5 + f));
    data.write(Pairs::WEIGHT, &weights).unwrap();
    data.write(Pairs::X, &x).unwrap();
    let run = fold.on(&resident, &mut data);
    let run = match start {
        Some(vertices) => run.from(&ActiveSet::of(graph.vertex_count(), vertices.iter().copied())),
        None => run,
    };
    run.times(1, &Options::default()).unwrap();
    let mut gram = Array3::<f64>::zeros((graph.vertex_count(), features, features));
    let mut sum = Array2::<f64>::zeros(x.dim());
    for (edge, source, destination) in graph.edges() {
        if counts(source, weights[edge]) {
            let (row, to) = (x.row(source as usize), destination as usize);
            for a in 0..features {
                sum[[to, a]] += f64::from(row[a]);
                (0..features).for_each(|b| gram[[to, a, b]] += f64::from(weights[edge] * row[a]) * f64::from(row[b]));
            }
        }
    }
    let is_near = |found: f32, expected: f64| (f64::from(found) - expected).abs() <= 1e-3 + 1e-5 * expected.abs();
    for (found, expected) in data.read(Pairs::SUM).unwrap().iter().zip(&sum) {
        assert!(is_near(*found, *expected), "{found}, not {expected}");
    }
    for (found, expected) in data.read(Pairs::GRAM).unwrap().iter().zip(&gram) {
        assert!(is_near(*found, *expected), "{found}, not {expected}");
    }
}

#[test]
fn outer_products_of_rows_of_every_length() {
    for features in [3, 4, 29, 32] {
        check(pair_all, features, None, |_, _| true);
    }
}

#[test]
fn outer_products_after_a_function_that_stops() {
    for features in [4, 32] {
        check(pair_heavy, features, None, |_, weight| weight > 0.5);
    }
}

#[graph_data]
struct Messages<const K: usize> {
    weight: EdgeScalar,
    potential: EdgeMatrix<K>,
    x: VertexFeatures<K>,
    y: VertexFeatures<K>,
    sent: EdgeFeatures<K>,
    asked: VertexScalar,
}

#[edge_fn]
fn is_told<const K: usize>(e: Edge, d: &mut Messages<K>) -> bool {
    d.weight[e] > 0.5
}

#[edge_fn]
fn tell<const K: usize>(f: Feature, e: Edge, d: &mut Messages<K>) -> bool {
    d.sent[e][f] = log_matvec(d.potential[e][f], d.x[e.src][f] - d.y[e.dst][f]);
    true
}

#[vertex_fn]
fn ask<const K: usize>(v: Vertex, d: &mut Messages<K>) -> bool {
    d.asked[v] = 1.0;
    true
}

foldmap! { tell_all<const K: usize>(Messages<K>) = [tell]; features = [2, 4] }
foldmap! { tell_some<const K: usize>(Messages<K>) = [is_told, tell]; features = [2, 4] }
// The second stage says what is active, so that the first takes edges of several rows together.
foldmap! { tell_and_ask<const K: usize>(Messages<K>) = [tell; ask]; features = [2, 4] }
foldmap! { tell_some_and_ask<const K: usize>(Messages<K>) = [is_told, tell; ask]; features = [2, 4] }
foldmap! { tell_of_active<const K: usize>(Messages<K>) = [tell; ask]; features = [2, 4]; edges = active }

/// The factor of an edge: most as they are, some impossible, and some that no float holds.
fn log_factor(edge: usize, row: usize, column: usize) -> f64 {
    match (edge % 11, row) {
        (3, 0) => f64::NEG_INFINITY,
        (7, 1) => -300.0 - column as f64,
        _ => -f64::from(number(edge * 4 + row * 2 + column).abs()),
    }
}

/// The logarithm of the sum of what some numbers are the logarithms of.
fn log_sum(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let greatest = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    if greatest == f64::NEG_INFINITY {
        greatest
    } else {
        greatest + terms.map(|term| (term - greatest).exp()).sum::<f64>().ln()
    }
}

/// The logarithms of the shares that the products of an edge have.
fn shares(edge: usize, x: &[f64]) -> Vec<f64> {
    let total = |row| log_sum(x.iter().enumerate().map(move |(column, x)| log_factor(edge, row, column) + x));
    let totals: Vec<f64> = (0..x.len()).map(total).collect();
    totals.iter().map(|total| total - log_sum(totals.iter().copied())).collect()
}

/// Runs a fold from some vertices, and compares the messages of the edges that `counts` says by their source and weight; the others stay 5.
fn check_messages<F>(fold: F, features: usize, start: Option<&[u32]>, counts: impl Fn(u32, f32) -> bool)
where
    F: FoldOf<Messages> + Copy,
{
    let graph = rows_of_all_lengths();
    let session = Session::cpu();
    let resident = session.graph(&graph);
    let mut data = session.data(fold, &resident, features).unwrap();
    let weights: Array1<f32> = (0..graph.edge_count()).map(|edge| (edge % 3) as f32).collect();
    let rows = (graph.vertex_count(), features);
    let x = Array2::from_shape_fn(rows, |(vertex, f)| 4.0 * number(vertex * 3 + f));
    let y = Array2::from_shape_fn(rows, |(vertex, f)| number(vertex * 7 + 3 * f));
    let potential = Array3::from_shape_fn((graph.edge_count(), features, features), |(edge, row, column)| {
        onyx_device::logarithmic::factor(log_factor(edge, row, column))
    });
    data.write(Messages::WEIGHT, &weights).unwrap();
    data.write(Messages::POTENTIAL, &potential).unwrap();
    data.write(Messages::X, &x).unwrap();
    data.write(Messages::Y, &y).unwrap();
    data.write(Messages::SENT, &Array2::from_elem((graph.edge_count(), features), 5.0)).unwrap();
    let run = fold.on(&resident, &mut data);
    let run = match start {
        Some(vertices) => run.from(&ActiveSet::of(graph.vertex_count(), vertices.iter().copied())),
        None => run,
    };
    run.times(1, &Options::default()).unwrap();
    let found = data.read(Messages::SENT).unwrap();
    for (edge, source, destination) in graph.edges() {
        let ends = x.row(source as usize).into_iter().zip(y.row(destination as usize));
        let cavity: Vec<f64> = ends.map(|(x, y)| f64::from(x - y)).collect();
        let expected = if counts(source, weights[edge]) { shares(edge, &cavity) } else { vec![5.0; features] };
        for (found, expected) in found.row(edge).iter().zip(expected) {
            let found = f64::from(*found);
            let is_near = found == expected || (found - expected).abs() <= 1e-5 * (1.0 + expected.abs());
            assert!(is_near, "edge {edge}: {found}, not {expected}");
        }
    }
}

#[test]
fn messages_of_few_states_of_rows_of_every_length() {
    for features in 2..=4 {
        check_messages(tell_all, features, None, |_, _| true);
        check_messages(tell_and_ask, features, None, |_, _| true);
    }
}

#[test]
fn messages_after_a_function_that_stops() {
    for features in 2..=4 {
        check_messages(tell_some, features, None, |_, weight| weight > 0.5);
        check_messages(tell_some_and_ask, features, None, |_, weight| weight > 0.5);
    }
}

#[test]
fn messages_of_active_sources() {
    const ACTIVE: [u32; 7] = [0, 3, 4, 7, 8, 9, 14];
    for features in 2..=4 {
        check_messages(tell_of_active, features, Some(&ACTIVE), |source, _| ACTIVE.contains(&source));
    }
}

#[test]
fn outer_products_of_active_sources() {
    for features in [4, 32] {
        check(pair_active, features, Some(&[0, 3, 4, 7, 8, 9, 14]), |source, _| {
            [0, 3, 4, 7, 8, 9, 14].contains(&source)
        });
    }
}
