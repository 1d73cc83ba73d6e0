//! A pull on the CPU by parts of the rows.

use onyx_device::Fold;
use onyx_device::prelude::*;
use rayon::prelude::*;

use super::*;
use crate::graph::{Generator, GraphBuilder, GroupSize};
use crate::options::Direction;
use crate::plan::Part;

#[graph_data]
struct Heat {
    heat: VertexScalar<Tracked>,
    inflow: VertexScalar,
}

#[edge_fn]
fn flow(e: Edge, d: &mut Heat) -> bool {
    d.inflow[e.dst] += 0.3 * d.heat[e.src];
    true
}

#[vertex_fn]
fn warm(v: Vertex, d: &mut Heat) -> bool {
    let moved = d.inflow[v] != d.heat[v];
    d.heat[v] = d.inflow[v];
    moved
}

#[vertex_fn]
fn cool(v: Vertex, d: &mut Heat) -> bool {
    d.heat[v] *= 0.7;
    d.heat[v] > 1.0
}

foldmap! { pub spread(Heat) = [flow, warm] }
foldmap! { pub spread_and_cool(Heat) = [flow, warm; cool] }

/// The bits that a pull leaves, by the rows between these numbers, and the active words.
fn pulled<F: Fold>(fold: F, graph: &Graph, rows: &[usize]) -> (Vec<u32>, Vec<u32>) {
    let mut store = Store::new(fold, graph, 1).unwrap();
    let values = store.floats_mut(Heat::HEAT.index);
    values.iter_mut().enumerate().for_each(|(index, value)| *value = index as f32 / 7.0);
    let mut engine = CpuEngine::new(AnyFold::of::<F>(), graph, &mut store, &Options::default()).unwrap();
    let whole = (Kernel::Pull, GroupSize::new(usize::MAX));
    let part = |rows: &[usize]| Part::of(graph.incoming(), whole, None, rows[0]..rows[1]);
    engine.work.parts[0] = rows.windows(2).map(part).collect();
    engine.run(Batch { direction: Direction::Pull, keep_sums: true, count: 1, limits: None }).unwrap();
    let active = engine.active.words().to_vec();
    (store.floats(Heat::HEAT.index).iter().map(|heat| heat.to_bits()).collect(), active)
}

#[test]
fn rows_by_parts_have_the_bits_of_all_rows() {
    let graph = "rmat:10:8".parse::<Generator>().unwrap().generate(1).unwrap();
    let (whole, parts) = ([0, 1024], [0, 1, 500, 500, 1024]);
    assert_eq!(pulled(spread, &graph, &parts), pulled(spread, &graph, &whole));
    assert_eq!(pulled(spread_and_cool, &graph, &parts), pulled(spread_and_cool, &graph, &whole));
    let (half, all) = (pulled(spread, &graph, &[0, 512]), pulled(spread, &graph, &whole));
    assert!(half.0[..512] == all.0[..512] && half.0[512..] != all.0[512..], "the other half stays as it is");
}

#[test]
fn a_long_row_loses_little_to_rounding() {
    for leaves in [26_000, 100_000] {
        let graph = GraphBuilder::new().edges((1..=leaves).map(|leaf| (leaf, 0)).collect()).build().unwrap();
        let mut store = Store::new(spread, &graph, 1).unwrap();
        store.floats_mut(Heat::HEAT.index).fill(1.0);
        let mut engine = CpuEngine::new(AnyFold::of::<spread>(), &graph, &mut store, &Options::default()).unwrap();
        engine.run(Batch { direction: Direction::Pull, keep_sums: true, count: 1, limits: None }).unwrap();
        let (sum, exact) = (f64::from(store.floats(Heat::HEAT.index)[0]), f64::from(0.3_f32) * f64::from(leaves));
        assert!((sum / exact - 1.0).abs() < 2e-6, "{sum} is not {exact}");
    }
}

#[graph_data]
struct Mix<const K: usize> {
    weight: EdgeScalar,
    part: VertexFeatures<K, Tracked>,
    sum: VertexFeatures<K>,
}

#[edge_fn]
fn send<const K: usize>(f: Feature, e: Edge, d: &mut Mix<K>) -> bool {
    d.sum[e.dst][f] += d.weight[e] * (0.1 * d.part[e.src][f]).exp();
    true
}

#[vertex_fn]
fn take<const K: usize>(f: Feature, v: Vertex, d: &mut Mix<K>) -> bool {
    let part = normalize(d.sum[v][f]);
    let moved = (part - d.part[v][f]).abs() > 1e-6;
    d.part[v][f] = part;
    any(moved)
}

foldmap! { pub mix<const K: usize>(Mix<K>) = [send, take]; features = [1, 2, 4, 8, 16] }

/// The bits after some pulls, and which vertices are active.
fn mixed(features: usize, vectors: Vectors) -> (Vec<u32>, Vec<u32>) {
    let graph = "rmat:8:8".parse::<Generator>().unwrap().generate(1).unwrap();
    let mut store = Store::new(mix, &graph, features).unwrap();
    store.floats_mut(Mix::WEIGHT.index).iter_mut().zip(1..).for_each(|(weight, edge)| *weight = 1.0 / edge as f32);
    store.floats_mut(Mix::PART.index).iter_mut().zip(0..).for_each(|(part, at)| *part = (at % 97) as f32);
    let mut engine = CpuEngine::new(AnyFold::of::<mix>(), &graph, &mut store, &Options::default()).unwrap();
    engine.vectors = vectors;
    for _ in 0..3 {
        engine.run(Batch { direction: Direction::Pull, keep_sums: true, count: 1, limits: None }).unwrap();
    }
    let active = engine.active.words().to_vec();
    (store.floats(Mix::PART.index).iter().map(|part| part.to_bits()).collect(), active)
}

#[test]
#[cfg_attr(miri, ignore = "it has no wide vectors")]
fn wide_vectors_give_the_bits_of_narrow_ones() {
    for features in [1, 2, 3, 4, 8, 16] {
        let of = |vectors| mixed(features, vectors);
        assert_eq!(of(Vectors::here()), of(Vectors::NARROW), "{features} features");
    }
}

/// A pull of a store in which the values of a property are not there.
fn pulled_without(index: usize) {
    let graph = "rmat:4:8".parse::<Generator>().unwrap().generate(1).unwrap();
    let mut store = Store::new(spread, &graph, 1).unwrap();
    let mut engine = CpuEngine::new(AnyFold::of::<spread>(), &graph, &mut store, &Options::default()).unwrap();
    engine.store.values[index].current = Floats::zeroed(0).unwrap();
    engine
        .iterate(Batch { direction: Direction::Pull, keep_sums: true, count: 1, limits: None }, &Watch::default())
        .unwrap();
}

#[test]
#[should_panic(expected = "inflow: the array has 0 bytes, and a launch reaches 64")]
fn a_total_that_is_not_there_is_named_before_anything_runs() {
    pulled_without(Heat::INFLOW.index);
}

/// Another name of what a structure may say of a property.
type Brief = Scratch;

#[graph_data]
struct Renamed {
    part: VertexScalar<Brief>,
    whole: VertexScalar,
}

#[vertex_fn]
fn split(v: Vertex, d: &mut Renamed) -> bool {
    d.part[v] = 0.5 * d.whole[v];
    true
}

#[vertex_fn]
fn unite(v: Vertex, d: &mut Renamed) -> bool {
    d.whole[v] = d.part[v] + 1.0;
    false
}

foldmap! { pub rename(Renamed) = [split, unite] }

#[test]
fn what_functions_reach_in_memory_is_there_under_any_name_of_scratch() {
    let graph = "rmat:4:8".parse::<Generator>().unwrap().generate(1).unwrap();
    let mut store = Store::new(rename, &graph, 1).unwrap();
    assert_eq!(store.length(0), graph.vertex_count());
    let mut engine = CpuEngine::new(AnyFold::of::<rename>(), &graph, &mut store, &Options::default()).unwrap();
    engine.run(Batch { direction: Direction::Vertex, keep_sums: false, count: 1, limits: None }).unwrap();
    assert!(store.floats(Renamed::WHOLE.index).iter().all(|whole| *whole == 1.0));
}

#[test]
fn runs_at_the_same_time_have_the_bits_of_one() {
    let graph = "rmat:10:8".parse::<Generator>().unwrap().generate(1).unwrap();
    let run = || {
        let mut store = Store::new(spread, &graph, 1).unwrap();
        store.floats_mut(Heat::HEAT.index).fill(1.0);
        let mut engine = CpuEngine::new(AnyFold::of::<spread>(), &graph, &mut store, &Options::default()).unwrap();
        for _ in 0..5 {
            engine.run(Batch { direction: Direction::Pull, keep_sums: true, count: 1, limits: None }).unwrap();
        }
        assert!(engine.keepers.is_some());
        drop(engine);
        store.floats(Heat::HEAT.index).iter().map(|heat| heat.to_bits()).collect::<Vec<_>>()
    };
    let one = run();
    let all: Vec<_> = (0..64).into_par_iter().map(|_| run()).collect();
    assert!(all.iter().all(|run| *run == one));
}
