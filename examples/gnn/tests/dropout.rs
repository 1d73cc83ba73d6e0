//! Random numbers without memory.

mod sessions;

use ndarray::{Array1, Array2, ArrayView2, arr0, s};
use onyx_gnn::gat::{Gat, attention_with_dropout};
use onyx_gnn::random::{bits, kept};
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::{Options, RunFold, Session};
use sessions::sessions;

/// Vertices, heads, and features of a head.
const SIZE: (usize, usize, usize) = (300, 3, 8);

/// What arrives at vertices along a loop each, where all features are 1: what is left out of a head is 0 there.
fn arrived(session: &Session, graph: &Graph, step: f32, (rate, edge_rate): (f32, f32)) -> Array2<f32> {
    let (vertices, heads, features) = SIZE;
    let graph = session.graph(graph);
    let mut data = session.data_of_heads(attention_with_dropout, &graph, heads, features).unwrap();
    data.write(Gat::X, &Array2::<f32>::ones((vertices, heads * features))).unwrap();
    data.write(Gat::COLUMN, &Array1::from_iter((0..heads * features).map(|column| column as f32))).unwrap();
    data.write(Gat::STEP, &arr0(step)).unwrap();
    for (key, value) in [(Gat::SEED, 11.0), (Gat::EDGE_SEED, 12.0), (Gat::RATE, rate), (Gat::EDGE_RATE, edge_rate)] {
        data.set(key, value);
    }
    attention_with_dropout.on(&graph, &mut data).times(1, &Options::new()).unwrap();
    data.read(Gat::OUT).unwrap().to_owned()
}

fn loops() -> Graph {
    let edges = (0..SIZE.0 as u32).map(|vertex| (vertex, vertex)).collect();
    GraphBuilder::new().vertices(SIZE.0).edges(edges).build().unwrap()
}

/// The part of values that is 0; the others must be `left`.
fn dropped(values: ArrayView2<'_, f32>, left: f32) -> f32 {
    assert!(values.iter().all(|value| *value == 0.0 || (value - left).abs() < 1e-5), "{values}");
    values.iter().filter(|value| **value == 0.0).count() as f32 / values.len() as f32
}

#[test]
fn edges_are_left_out_of_each_head_by_itself() {
    let (graph, (_, heads, features)) = (loops(), SIZE);
    for session in sessions() {
        let [out, next] = [1.0, 2.0].map(|step| arrived(&session, &graph, step, (0.0, 0.4)));
        assert!((dropped(out.view(), 1.0 / 0.6) - 0.4).abs() < 0.06);
        let of = |out: &Array2<f32>, head: usize| out.slice(s![.., head * features..(head + 1) * features]).to_owned();
        for head in 0..heads {
            let rows = of(&out, head);
            assert!(rows.outer_iter().all(|row| row.iter().all(|value| *value == row[0])), "an edge is left out whole");
            // What two heads, or two steps, both leave out is 0.4 of 0.4.
            for other in [of(&out, (head + 1) % heads), of(&next, head)] {
                let both = rows.column(0).iter().zip(other.column(0)).filter(|(one, two)| **one + **two == 0.0).count();
                assert!((both as f32 / SIZE.0 as f32 - 0.16).abs() < 0.08, "{both}");
            }
        }
    }
}

#[test]
fn values_are_dropped_in_all_heads() {
    let graph = loops();
    for session in sessions() {
        let out = arrived(&session, &graph, 1.0, (0.4, 0.0));
        assert!((dropped(out.view(), 1.0 / 0.6) - 0.4).abs() < 0.03);
        for (one, other) in (0..out.ncols()).flat_map(|one| (0..one).map(move |other| (one, other))) {
            let both = out.column(one).iter().zip(out.column(other)).filter(|(one, two)| **one + **two == 0.0).count();
            assert!((both as f32 / SIZE.0 as f32 - 0.16).abs() < 0.1, "{both} of columns {one} and {other}");
        }
    }
}

#[test]
fn as_many_are_dropped_as_asked_for() {
    for (rate, column) in [(0.5, 0), (0.6, 1), (0.1, 2)] {
        let dropped = (0..20_000).filter(|row| kept(rate, bits(7, 3, *row, column)) == 0.0).count();
        assert!((dropped as f32 / 20_000.0 - rate).abs() < 0.015, "{dropped} of 20000 at {rate}");
    }
    assert!((0..20_000).all(|row| kept(0.0, bits(7, 3, row, 0)) == 1.0));
}

#[test]
fn the_mean_stays() {
    let mean = (0..20_000).map(|row| kept(0.6, bits(1, 2, row, 3))).sum::<f32>() / 20_000.0;
    assert!((mean - 1.0).abs() < 0.03, "{mean}");
}

#[test]
fn every_coordinate_counts() {
    let here = bits(1, 2, 3, 4);
    assert_eq!(here, bits(1, 2, 3, 4));
    let others = [bits(2, 2, 3, 4), bits(1, 3, 3, 4), bits(1, 2, 4, 4), bits(1, 2, 3, 5)];
    assert!(others.iter().all(|other| *other != here));
    // Neighbors in one coordinate do not go together: half of all bits differ.
    let differing: u32 = (0..1000).map(|row| (bits(1, 1, row, 0) ^ bits(1, 1, row, 1)).count_ones()).sum();
    assert!((15_000..17_000).contains(&differing), "{differing} of 32000 bits");
}
