//! Folds that need all features of a row at once, as serial loops in `f64`.

use onyx_device::FoldOf;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, RunFold, Session};
use onyx_wide::Whole;

use crate::model::near;

/// A number, positive or negative, small enough for products of thousands.
fn number(at: usize) -> f64 {
    (((at * 37 + at / 101) % 129) as f64 / 64.0 - 1.0) / 16.0
}

/// Whether `compared` or `shared` comes to what a serial loop does.
pub fn agrees<F: FoldOf<Whole<0>>>(fold: F, session: &Session, graph: &Graph, features: usize, options: &Options) {
    println!("{session:?}, {}, {} vertices, {features} features, {options:?}", F::NAME, graph.vertex_count());
    let resident = session.graph(graph);
    let mut data = session.data(fold, &resident, features).unwrap();
    let x: Vec<Vec<f64>> = (0..graph.vertex_count())
        .map(|vertex| (0..features).map(|feature| number(vertex * features + feature)).collect())
        .collect();
    data.view_mut(Whole::X).unwrap().iter_mut().zip(x.iter().flatten()).for_each(|(to, from)| *to = *from as f32);
    fold.on(&resident, &mut data).times(1, options).unwrap();
    let mut sum = vec![vec![0.0; features]; graph.vertex_count()];
    let mut closeness = vec![0.0; graph.edge_count()];
    let compares = F::FACTS.edges.writes_edge != 0;
    for (edge, source, destination) in graph.edges() {
        let (source, destination) = (source as usize, destination as usize);
        let product: f64 = x[source].iter().zip(&x[destination]).map(|(one, two)| one * two).sum();
        closeness[edge] = if compares { product } else { 0.0 };
        let by = if compares { product } else { 1.0 };
        sum[destination].iter_mut().zip(&x[source]).for_each(|(sum, x)| *sum += by * x);
    }
    near("closeness", data.read(Whole::CLOSENESS).unwrap().as_slice().unwrap(), &closeness);
    for (vertex, sum) in sum.iter().enumerate() {
        assert_row(&mut data, vertex, sum);
    }
}

fn assert_row(data: &mut onyx_runtime::Data<Whole<0>>, vertex: usize, sum: &[f64]) {
    let features = sum.len() as f64;
    let total: Vec<f64> = sum.iter().enumerate().map(|(feature, sum)| sum + feature as f64 / features).collect();
    let squares: f64 = total.iter().map(|value| value * value).sum();
    let most = total.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: f64 = total.iter().map(|value| (value - most).exp()).sum();
    let share =
        |value: &f64| (value - most).exp() / weights + if squares == 0.0 { 0.0 } else { value * value / squares };
    near("length", &[data.read(Whole::LENGTH).unwrap()[vertex]], &[squares.sqrt()]);
    // Of two that are nearly as great, rounding may prefer either.
    let best = data.read(Whole::BEST).unwrap()[vertex] as usize;
    assert!(total[best] > most - 1e-4, "feature {best} of vertex {vertex} is {}, and the greatest {most}", total[best]);
    // Shares are of one, and so the smaller the more features there are.
    let row: Vec<f32> = data.read(Whole::Y).unwrap().row(vertex).iter().map(|share| share * features as f32).collect();
    near("shares", &row, &total.iter().map(|value| features * share(value)).collect::<Vec<_>>());
}
