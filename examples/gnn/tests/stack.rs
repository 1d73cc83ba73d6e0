//! Stacks of layers over batches of small graphs, against loops in double precision.

mod sessions;

use ndarray::{Array1, Array2};
use onyx_gnn::error::GnnError;
use onyx_gnn::molecules;
use onyx_gnn::stack::{FoldedLayers, LayerWeights, PlainLayers};
use onyx_runtime::graph::{Graph, GraphBuilder};
use sessions::sessions;

fn numbers(rows: usize, columns: usize, salt: usize) -> Array2<f32> {
    Array2::from_shape_fn((rows, columns), |(row, column)| {
        ((row * 37 + column * 13 + salt * 11) % 29) as f32 / 29.0 - 0.4
    })
}

fn layers(count: usize, features: usize) -> Vec<LayerWeights> {
    let scale = 2.0 / features as f32;
    let layer = |salt: usize| LayerWeights {
        weight: numbers(features, features, salt) * scale.max(0.2),
        bias: Array1::from_shape_fn(features, |column| ((column + salt) % 5) as f32 / 10.0 - 0.1),
    };
    (0..count).map(layer).collect()
}

/// What the layers make of the rows, in double precision.
fn serial(graph: &Graph, layers: &[LayerWeights], rows: &Array2<f32>) -> Array2<f64> {
    let degrees: Vec<f64> =
        (0..graph.vertex_count() as u32).map(|vertex| 1.0 + graph.in_degree(vertex) as f64).collect();
    let mut rows = rows.mapv(f64::from);
    for layer in layers {
        let mut sums = Array2::from_shape_fn(rows.dim(), |(vertex, column)| rows[[vertex, column]] / degrees[vertex]);
        for (_, source, destination) in graph.edges() {
            let share = 1.0 / (degrees[source as usize] * degrees[destination as usize]).sqrt();
            let added = rows.row(source as usize).to_owned() * share;
            let mut sum = sums.row_mut(destination as usize);
            sum += &added;
        }
        rows = (sums.dot(&layer.weight.mapv(f64::from)) + layer.bias.mapv(f64::from)).mapv(|value| value.max(0.0));
    }
    rows
}

fn agree(what: &str, found: &Array2<f32>, expected: &Array2<f64>) {
    assert_eq!(found.dim(), expected.dim());
    let greatest = expected.iter().fold(0.0, |greatest: f64, value| greatest.max(value.abs()));
    assert!(greatest > 1e-3, "{what}: the layers leave nothing to compare");
    for ((place, found), expected) in found.indexed_iter().zip(expected) {
        let difference = (f64::from(*found) - expected).abs();
        assert!(difference <= 1e-5 * greatest.max(1.0), "{what}, {place:?}: {found} instead of {expected}");
    }
}

/// Molecules, a vertex alone, a graph of none, and a path and a star of more vertices than a block has lanes for at once.
fn batch() -> Graph {
    let molecules = molecules::batch(5, 3).unwrap();
    let mut offsets = molecules.members().unwrap().to_vec();
    let mut edges: Vec<(u32, u32)> = molecules.edges().map(|(_, source, destination)| (source, destination)).collect();
    for (size, is_star) in [(1, false), (0, false), (150, false), (40, true), (1, false)] {
        let first = offsets[offsets.len() - 1];
        edges.extend((1..size).map(|vertex| (first + vertex, if is_star { first } else { first + vertex - 1 })));
        offsets.push(first + size);
    }
    let vertices = offsets[offsets.len() - 1] as usize;
    let graph = GraphBuilder::new().vertices(vertices).undirected(true).edges(edges).build().unwrap();
    graph.with_members(offsets).unwrap()
}

#[test]
fn stacks_compute_what_loops_do() {
    let graph = batch();
    for session in sessions() {
        let resident = session.graph(&graph);
        for (count, features) in [(4, 32), (8, 5), (4, 1)] {
            let (layers, rows) = (layers(count, features), numbers(graph.vertex_count(), features, 1));
            let expected = serial(&graph, &layers, &rows);
            let mut folded = FoldedLayers::new(&resident, &layers).unwrap();
            let mut plain = PlainLayers::new(&resident, &layers).unwrap();
            // The second time a recording of the first is done.
            for _ in 0..2 {
                folded.write(rows.view()).unwrap();
                folded.forward().unwrap();
                plain.write(rows.view()).unwrap();
                plain.forward().unwrap();
            }
            let name = format!("{count} layers of {features} on {}", session.backend());
            agree(&format!("{name}, folded"), &folded.read().unwrap(), &expected);
            agree(&format!("{name}, plain"), &plain.read().unwrap(), &expected);
        }
    }
}

#[test]
fn a_graph_that_is_no_batch_is_computed_as_well() {
    let batch = batch();
    let edges = batch.edges().map(|(_, source, destination)| (source, destination)).collect();
    let graph = GraphBuilder::new().vertices(batch.vertex_count()).edges(edges).build().unwrap();
    let (layers, rows) = (layers(4, 32), numbers(graph.vertex_count(), 32, 1));
    for session in sessions() {
        let mut folded = FoldedLayers::new(&session.graph(&graph), &layers).unwrap();
        folded.write(rows.view()).unwrap();
        folded.forward().unwrap();
        agree("no batch", &folded.read().unwrap(), &serial(&graph, &layers, &rows));
    }
}

#[test]
fn molecules_are_batches_of_small_graphs() {
    let graph = molecules::batch(200, 1).unwrap();
    let sizes: Vec<u32> = graph.members().unwrap().windows(2).map(|ends| ends[1] - ends[0]).collect();
    assert!(sizes.len() == 200 && sizes.iter().all(|size| (16..=30).contains(size)));
    let mean = graph.edge_count() as f64 / graph.vertex_count() as f64;
    assert!((2.0..2.3).contains(&mean), "{mean} neighbors in the mean");
    assert_eq!(graph, molecules::batch(200, 1).unwrap());
    assert_ne!(graph, molecules::batch(200, 2).unwrap());
}

#[test]
fn what_is_no_stack_is_refused() {
    let graph = batch();
    let session = onyx_runtime::Session::cpu();
    let resident = session.graph(&graph);
    let folded = |layers: &[LayerWeights]| FoldedLayers::new(&resident, layers).err().map(|error| error.to_string());
    let refused = |found| format!("a stack has layers of one size, and a multiple of 4 of them: there are {found}");
    assert_eq!(folded(&[]), Some(refused(0)));
    assert_eq!(folded(&layers(6, 8)), Some(refused(6)));
    let mixed = [layers(3, 8), layers(1, 7)].concat();
    assert_eq!(folded(&mixed), Some(refused(4)));
    assert!(matches!(PlainLayers::new(&resident, &[]).err(), Some(GnnError::Layers { found: 0, multiple: 1 })));
    assert!(folded(&layers(4, 33)).is_some_and(|error| error.contains("33")), "more features than are compiled");
}
