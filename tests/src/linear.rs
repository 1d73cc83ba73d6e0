//! The programs on matrices as serial loops in `f64`, and their checks.

use onyx_device::Fold;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, Status, Store};

use crate::check::{Numbers, Place, assert_close, copy, options, run};
use crate::matrices::{
    Factors, Relations, Systems, factorize, factorize_spread, gather_relations, relate, solve_systems,
};
use crate::reference::Rows;

const LAMBDA: f64 = 0.5;

/// The solution of `matrix * x = right` by elimination with the greatest pivot of each column.
pub fn solved(matrix: &Rows, right: &[f64]) -> Vec<f64> {
    let (mut rows, features) = (matrix.clone(), right.len());
    rows.iter_mut().zip(right).for_each(|(row, right)| row.push(*right));
    for column in 0..features {
        let pivot = (column..features).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()));
        rows.swap(column, pivot.unwrap_or(column));
        for row in (0..features).filter(|row| *row != column) {
            let (factor, pivot_row) = (rows[row][column] / rows[column][column], rows[column].clone());
            rows[row].iter_mut().zip(&pivot_row).for_each(|(value, pivot)| *value -= factor * pivot);
        }
    }
    (0..features).map(|row| rows[row][features] / rows[row][row]).collect()
}

/// The inverse of a symmetric matrix, column by column.
pub fn inverted(matrix: &Rows) -> Rows {
    let unit = |column: usize| (0..matrix.len()).map(|row| f64::from(u8::from(row == column))).collect::<Vec<f64>>();
    (0..matrix.len()).map(|column| solved(matrix, &unit(column))).collect()
}

pub(crate) fn times(matrix: &Rows, x: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
}

pub(crate) fn transposed(matrix: &Rows) -> Rows {
    (0..matrix.len()).map(|column| matrix.iter().map(|row| row[column]).collect()).collect()
}

fn add_outer(matrix: &mut Rows, factor: f64, a: &[f64], b: &[f64]) {
    for (row, a) in matrix.iter_mut().zip(a) {
        row.iter_mut().zip(b).for_each(|(value, b)| *value += factor * a * b);
    }
}

fn zeros(features: usize) -> Rows {
    vec![vec![0.0; features]; features]
}

/// A store of [`Factors`] that depends on nothing but the graph.
pub fn factors_store<F: Fold>(fold: F, graph: &Graph, features: usize) -> Store {
    let mut numbers = Numbers(features as u32 + 3);
    let mut store = Store::new(fold, graph, features).expect("a compiled width");
    for (vertex, row) in (0..).zip(&numbers.rows(graph.vertex_count(), features)) {
        copy(store.row_mut(Factors::FACTOR, vertex), row);
    }
    copy(store.edge_scalars_mut(Factors::RATING), &numbers.list(graph.edge_count()));
    store.set(Factors::LAMBDA, LAMBDA as f32);
    store
}

/// One iteration of `factorize`.
fn fitted(graph: &Graph, rating: &[f64], factor: &Rows) -> Rows {
    let features = factor.first().map_or(0, Vec::len);
    let mut gram: Vec<Rows> = vec![zeros(features); factor.len()];
    let mut right = vec![vec![0.0; features]; factor.len()];
    gram.iter_mut().for_each(|gram| (0..features).for_each(|feature| gram[feature][feature] = LAMBDA));
    for (edge, source, destination) in graph.edges() {
        let (source, destination) = (source as usize, destination as usize);
        add_outer(&mut gram[destination], 1.0, &factor[source], &factor[source]);
        right[destination].iter_mut().zip(&factor[source]).for_each(|(right, factor)| *right += rating[edge] * factor);
    }
    gram.iter().zip(&right).map(|(gram, right)| solved(gram, right)).collect()
}

/// `factorize` for three iterations, under whatever the options say.
pub fn factors_agree(graph: &Graph, features: usize, options: &Options) {
    factors_of(factorize, graph, features, options);
    if features.next_power_of_two() == 16 {
        factors_of(factorize_spread, graph, features, options);
    }
}

fn factors_of<F: Fold>(fold: F, graph: &Graph, features: usize, options: &Options) {
    let mut store = factors_store(fold, graph, features);
    let wide = |values: &[f32]| values.iter().map(|value| f64::from(*value)).collect::<Vec<f64>>();
    let rating = wide(store.edge_scalars(Factors::RATING));
    let vertices = 0..graph.vertex_count() as u32;
    let mut expected: Rows = vertices.clone().map(|vertex| wide(store.row(Factors::FACTOR, vertex))).collect();
    let report = run(graph, &mut store, fold, options);
    (0..report.iterations.len()).for_each(|_| expected = fitted(graph, &rating, &expected));
    for vertex in vertices {
        assert_close("factor", store.row(Factors::FACTOR, vertex), &expected[vertex as usize]);
    }
}

/// The rows of every matrix of [`Relations`], and the vectors.
struct Start {
    turn: Vec<Rows>,
    value: Rows,
    coupling: Rows,
}

fn start(graph: &Graph, features: usize) -> Start {
    let mut numbers = Numbers(features as u32 + 17);
    let turn = (0..graph.edge_count()).map(|_| numbers.rows(features, features)).collect();
    Start { turn, value: numbers.rows(graph.vertex_count(), features), coupling: numbers.rows(features, features) }
}

fn relations_store<F: Fold>(fold: F, graph: &Graph, features: usize, start: &Start) -> Store {
    let mut store = Store::new(fold, graph, features).expect("a compiled width");
    for (vertex, row) in (0..).zip(&start.value) {
        copy(store.row_mut(Relations::VALUE, vertex), row);
    }
    for row in 0..features {
        copy(store.graph_matrix_row_mut(Relations::COUPLING, row), &start.coupling[row]);
        for (edge, turn) in start.turn.iter().enumerate() {
            copy(store.edge_matrix_row_mut(Relations::TURN, edge, row), &turn[row]);
        }
    }
    store
}

/// What `relate` leaves at the vertices.
struct Related {
    arrived: Rows,
    spread: Vec<Rows>,
}

/// What arrives. Matrices of edges are halved where the value is large.
fn related(graph: &Graph, start: &mut Start) -> Related {
    let (vertices, features) = (start.value.len(), start.coupling.len());
    let coupling = transposed(&start.coupling);
    let mut data = Related { arrived: vec![vec![0.0; features]; vertices], spread: vec![zeros(features); vertices] };
    for (edge, source, destination) in graph.edges() {
        let (value, there) = (&start.value[source as usize], &start.value[destination as usize]);
        let more: Vec<f64> = value.iter().map(|value| value + 1.0).collect();
        let turned = times(&start.turn[edge], &more);
        let turned: Vec<f64> = turned.iter().zip(times(&coupling, there)).map(|(a, b)| a - b).collect();
        let back = times(&transposed(&start.turn[edge]), value);
        for feature in 0..features {
            data.arrived[destination as usize][feature] += turned[feature] + back[feature];
            let factor = if value[feature] > 0.5 { 0.5 } else { 1.0 };
            start.turn[edge][feature].iter_mut().for_each(|turn| *turn *= factor);
        }
        add_outer(&mut data.spread[destination as usize], -0.25, value, &turned);
    }
    data
}

/// `relate` and `gather_relations` once.
pub fn relations_agree(graph: &Graph, features: usize, place: Place) {
    let mut start = start(graph, features);
    let mut store = relations_store(relate, graph, features, &start);
    run(graph, &mut store, relate, &options(place, 1));
    let gathered = (features <= 8).then(|| {
        let mut gathered = relations_store(gather_relations, graph, features, &start);
        run(graph, &mut gathered, gather_relations, &options(place, 1));
        gathered
    });
    let expected = related(graph, &mut start);
    for (vertex, value) in (0..).zip(&start.value) {
        let (arrived, spread) = (&expected.arrived[vertex as usize], &expected.spread[vertex as usize]);
        if let Some(gathered) = &gathered {
            gathered_agrees(gathered, vertex, arrived, spread);
        }
        let inverse = inverse_of(value);
        let sums = times(&inverse, arrived).into_iter().zip(times(spread, value)).map(|(a, b)| a + b);
        let greatest = inverse.iter().map(|row| row.iter().zip(value).map(|(a, b)| a * b).fold(f64::MIN, f64::max));
        let kept: Vec<f64> = sums.zip(greatest).map(|(sum, greatest)| sum + greatest).collect();
        assert_close("kept", store.row(Relations::KEPT, vertex), &kept);
        for (row, expected) in inverse.iter().enumerate() {
            assert_close("inverse", store.matrix_row(Relations::INVERSE, vertex, row), expected);
        }
    }
    for (edge, turn) in start.turn.iter().enumerate() {
        for (row, turn) in turn.iter().enumerate() {
            assert_close("turn", store.edge_matrix_row(Relations::TURN, edge, row), turn);
        }
    }
}

/// The sums of `gather_relations`, which no vertex function takes over.
fn gathered_agrees(gathered: &Store, vertex: u32, arrived: &[f64], spread: &Rows) {
    assert_close("arrived", gathered.row(Relations::ARRIVED, vertex), arrived);
    for (row, spread) in spread.iter().enumerate() {
        assert_close("spread", gathered.matrix_row(Relations::SPREAD, vertex, row), spread);
    }
}

/// The inverse of the matrix that `matrices::invert` makes of a vertex's value.
fn inverse_of(value: &[f64]) -> Rows {
    let mut matrix = zeros(value.len());
    add_outer(&mut matrix, 1.0, value, value);
    add_outer(&mut matrix, -0.25, &vec![1.0; value.len()], &vec![1.0; value.len()]);
    for (feature, value) in value.iter().enumerate() {
        matrix[feature][feature] += 7.0 + value * value + feature as f64;
    }
    inverted(&matrix)
}

/// A matrix that is symmetric and positive definite, from any other.
pub fn definite(factor: &Rows) -> Rows {
    let mut matrix = zeros(factor.len());
    for (feature, row) in factor.iter().enumerate() {
        add_outer(&mut matrix, 1.0, row, row);
        matrix[feature][feature] += 0.5;
    }
    matrix
}

/// `solve` and `inverse` in each vertex: the vertex's matrix is made of its factor.
pub fn systems_agree(graph: &Graph, factors: &[Rows], right: &Rows, place: Place) {
    let features = right.first().map_or(1, Vec::len);
    let mut store = Store::new(solve_systems, graph, features).expect("a compiled width");
    let matrices: Vec<Rows> = factors.iter().map(definite).collect();
    for (vertex, matrix) in (0..).zip(&matrices) {
        copy(store.row_mut(Systems::RIGHT, vertex), &right[vertex as usize]);
        for (row, values) in matrix.iter().enumerate() {
            copy(store.matrix_row_mut(Systems::MATRIX, vertex, row), values);
        }
    }
    run(graph, &mut store, solve_systems, &options(place, 1));
    for (vertex, matrix) in (0..).zip(&matrices) {
        assert_close("solution", store.row(Systems::SOLUTION, vertex), &solved(matrix, &right[vertex as usize]));
        for (row, values) in inverted(matrix).iter().enumerate() {
            assert_close("inverse", store.matrix_row(Systems::INVERSE, vertex, row), values);
            let halves: Vec<f64> = matrix[row].iter().map(|value| value / 2.0).collect();
            assert_close("matrix", store.matrix_row(Systems::MATRIX, vertex, row), &halves);
        }
    }
}

/// A matrix that is not positive definite makes the run diverge.
pub fn indefinite_diverges(graph: &Graph, features: usize, place: Place) {
    let mut store = Store::new(solve_systems, graph, features).expect("a compiled width");
    for feature in 0..features {
        store.matrix_row_mut(Systems::MATRIX, 0, feature)[feature] = if feature + 1 == features { -1.0 } else { 1.0 };
    }
    let report = run(graph, &mut store, solve_systems, &options(place, 1));
    assert_eq!(report.status, Status::Diverged);
}
