//! Bits that edges set and clear against serial references, by every schedule and in both directions, on the CPU, in the emulator and, where one is
//! asked for, on a GPU.

use std::env;

use onyx_runtime::graph::{Generator, Graph, GraphBuilder};
use onyx_runtime::{Data, Direction, Options, RunFold, Schedule, Session, Status};
use onyx_types::reach::{Reach, frontier, neighbors, reach};

const PULLS: [Schedule; 6] = [
    Schedule::NeighborGroup,
    Schedule::GroupsPerBlock,
    Schedule::VertexPerWarp,
    Schedule::VertexPerBlock,
    Schedule::WordPerWarp,
    Schedule::EdgeFlat,
];

fn graph(vertices: usize, edges: Vec<(u32, u32)>) -> Graph {
    GraphBuilder::new().vertices(vertices).edges(edges).build().unwrap()
}

fn graphs() -> Vec<(&'static str, Graph)> {
    let hub = (1..300).flat_map(|leaf| [(leaf, 0), (0, leaf)]).chain([(301, 300)]).collect();
    let chain = (0..40).map(|vertex| (vertex + 1, vertex)).collect();
    vec![
        ("no vertex", graph(0, vec![])),
        ("isolated vertices", graph(70, vec![])),
        ("loops and duplicates", graph(4, [vec![(0, 1); 40], vec![(2, 2); 3], vec![(3, 1)]].concat())),
        ("chain", graph(41, chain)),
        ("hub beside an edge", graph(303, hub)),
        ("R-MAT", "rmat:7:3".parse::<Generator>().unwrap().generate(3).unwrap()),
    ]
}

/// Where tests run; on a GPU, too, where `cargo xtask test --gpu` asks for that.
fn sessions() -> Vec<Session> {
    let gpu = env::var_os("ONYX_TEST_GPU").map(|_| Session::cuda(0).expect("a GPU"));
    [Session::cpu(), Session::emulator()].into_iter().chain(gpu).collect()
}

/// Every schedule, rows that are cut, totals in order, and batches.
fn options() -> Vec<Options> {
    let by = |schedule| Options { schedule, ..Options::new() };
    let cut = Options { group_size: Some(4), ..Options::new() };
    let exact = Options { deterministic: true, group_size: Some(4), ..Options::new() };
    PULLS.map(by).into_iter().chain([cut, exact]).collect()
}

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
