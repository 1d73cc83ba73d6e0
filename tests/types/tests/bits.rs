//! Bits that edges set and clear against serial references, by every schedule and in both directions, on the CPU, in the emulator and, where one is
//! asked for, on a GPU.

mod world;

use onyx_runtime::graph::Graph;
use onyx_runtime::{Data, Direction, Options, RunFold, Status};
use onyx_types::reach::{Reach, frontier, neighbors, reach};
use world::{graphs, options, sessions};

/// A bit of each of the first 32 vertices, the sign of a float among them.
fn masks(graph: &Graph) -> Vec<u32> {
    (0..graph.vertex_count() as u32).map(|vertex| 1_u32.checked_shl(vertex).unwrap_or(0)).collect()
}

/// All bits but one or two of each vertex: those of NaN and infinities included.
fn held(graph: &Graph) -> Vec<u32> {
    (0..graph.vertex_count() as u32).map(|vertex| !(1 << (vertex % 29) | 1 << (vertex * 5 % 31))).collect()
}

fn fill(data: &mut Data<Reach>, graph: &Graph) {
    data.write(Reach::MASK, &masks(graph)).unwrap();
    data.write(Reach::HELD, &held(graph)).unwrap();
}

/// What each vertex ends with if sets go along edges, and are combined.
fn spread(graph: &Graph, mut sets: Vec<u32>, combine: fn(u32, u32) -> u32) -> Vec<u32> {
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for (_, source, destination) in graph.edges() {
            let set = combine(sets[destination as usize], sets[source as usize]);
            has_changed |= set != sets[destination as usize];
            sets[destination as usize] = set;
        }
    }
    sets
}

fn assert_settled(data: &mut Data<Reach>, graph: &Graph, what: &str) {
    let any = spread(graph, masks(graph), |a, b| a | b);
    assert_eq!(data.read(Reach::MASK).unwrap().to_vec(), any, "{what}");
    let all = spread(graph, held(graph), |a, b| a & b);
    assert_eq!(data.read(Reach::HELD).unwrap().to_vec(), all, "{what}");
}

#[test]
fn sets_of_sources_spread_by_every_schedule() {
    for session in sessions() {
        for (name, graph) in &graphs() {
            for options in options() {
                let resident = session.graph(graph);
                let mut data = session.data(reach, &resident, 1).unwrap();
                fill(&mut data, graph);
                let report = reach.on(&resident, &mut data).until_settled(&options).unwrap();
                assert_eq!(report.status, Status::Converged, "{name}, {options:?}");
                assert_settled(&mut data, graph, &format!("{name}, {options:?}, {}", report.device));
            }
        }
    }
}

/// Bits are set and cleared in memory by pushes, too.
#[test]
fn sets_of_a_frontier_are_pushed_and_pulled() {
    for session in sessions() {
        for (name, graph) in &graphs() {
            for direction in [None, Some(Direction::Push), Some(Direction::Pull)] {
                for group_size in [None, Some(4)] {
                    let options = Options { direction, group_size, ..Options::new() };
                    let resident = session.graph(graph);
                    let mut data = session.data(frontier, &resident, 1).unwrap();
                    fill(&mut data, graph);
                    let report = frontier.on(&resident, &mut data).until_settled(&options).unwrap();
                    let pushed = report.iterations.iter().any(|iteration| iteration.direction == Direction::Push);
                    assert!(pushed || direction != Some(Direction::Push) || report.iterations.is_empty(), "{name}");
                    assert_settled(&mut data, graph, &format!("{name}, {options:?}, {}", report.device));
                }
            }
        }
    }
}

#[test]
fn nothing_has_no_bit_in_common_and_all() {
    for session in sessions() {
        for (name, graph) in &graphs() {
            let (mut any, mut all) = (vec![0; graph.vertex_count()], vec![u32::MAX; graph.vertex_count()]);
            for (_, source, destination) in graph.edges() {
                any[destination as usize] |= masks(graph)[source as usize];
                all[destination as usize] &= held(graph)[source as usize];
            }
            for options in options() {
                let resident = session.graph(graph);
                let mut data = session.data(neighbors, &resident, 1).unwrap();
                fill(&mut data, graph);
                neighbors.on(&resident, &mut data).times(1, &options).unwrap();
                assert_eq!(data.read(Reach::ARRIVING).unwrap().to_vec(), any, "{name}, {options:?}");
                assert_eq!(data.read(Reach::SHARED).unwrap().to_vec(), all, "{name}, {options:?}");
            }
        }
    }
}

/// What loses a bit does not say whether another has it.
#[test]
fn bits_are_never_taken_back() {
    let reason = <reach as onyx_device::Fold>::WHY_NOT_CHANGE_DRIVEN;
    assert_eq!(reason, Some("`arriving` is reduced by `|=` or `&=`, which cannot take a change back"));
}
