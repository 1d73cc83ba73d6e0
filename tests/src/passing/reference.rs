//! The program as serial loops in `f64`, and its checks.

use onyx_device::Fold;
use onyx_runtime::Store;
use onyx_runtime::graph::Graph;

use super::{Passing, pass_on, pass_on_unfolded};
use crate::check::{Numbers, Place, assert_close, copy, options, run};
use crate::reference::Rows;

/// What `out` is, and the total.
fn expected(graph: &Graph, x: &Rows, features: usize) -> (Rows, Vec<f64>) {
    let sums: Vec<f64> = x.iter().map(|row| row.iter().sum()).collect();
    let scaled: Rows = x.iter().zip(&sums).map(|(row, sum)| row.iter().map(|x| x * sum).collect()).collect();
    let none = || vec![vec![0.0; features]; x.len()];
    let (mut mixed, mut out) = (none(), none());
    for (_, source, destination) in graph.edges() {
        let half = 0.5 * sums[source as usize];
        let from = &scaled[source as usize];
        mixed[destination as usize].iter_mut().zip(from).for_each(|(mixed, scaled)| *mixed += half * scaled);
    }
    for (mixed, scaled) in mixed.iter_mut().zip(&scaled) {
        mixed.iter_mut().zip(scaled).for_each(|(mixed, scaled)| *mixed += scaled / 3.0);
    }
    for (_, source, destination) in graph.edges() {
        let from = mixed[destination as usize].iter().zip(&scaled[destination as usize]);
        out[source as usize].iter_mut().zip(from).for_each(|(out, (mixed, scaled))| *out += mixed - scaled);
    }
    for ((out, mixed), sum) in out.iter_mut().zip(&mixed).zip(&sums) {
        out.iter_mut().zip(mixed).for_each(|(out, mixed)| *out += mixed + 0.5 * sum);
    }
    let total = (0..features).map(|feature| x.iter().map(|row| row[feature]).sum()).collect();
    (out, total)
}

fn assert_all<F: Fold>(graph: &Graph, features: usize, fold: F, place: Place) {
    let x = Numbers(features as u32 + 3).rows(graph.vertex_count(), features);
    let mut store = Store::new(fold, graph, features).expect("a compiled width");
    for (vertex, row) in (0..).zip(&x) {
        copy(store.row_mut(Passing::X, vertex), row);
    }
    run(graph, &mut store, fold, &options(place, 1));
    let (out, total) = expected(graph, &x, features);
    for (vertex, row) in (0..).zip(&out) {
        assert_close("out", store.row(Passing::OUT, vertex), row);
    }
    assert_close("total", store.graph_matrix_row(Passing::TOTAL, 0), &total);
}

/// Checks the fold of up to 16 features.
pub fn agree(graph: &Graph, features: usize, place: Place) {
    assert_all(graph, features, pass_on, place);
}

/// Checks it where each function has a kernel of its own, of up to 4 features.
pub fn unfolded_agree(graph: &Graph, features: usize, place: Place) {
    assert_all(graph, features, pass_on_unfolded, place);
}
