//! Sums over every edge of a ring, where all can be checked; `gpu_wheel` does the same where there are more than 2^32 edges.

use onyx_runtime::active::ActiveSet;
use onyx_runtime::graph::{Generator, Graph};
use onyx_runtime::{Direction, Options, Schedule, Session};
use onyx_tests::wheel::spokes::{check_pull, check_push, prepare};

fn ring(specification: &str) -> Graph {
    specification.parse::<Generator>().unwrap().generate(0).unwrap()
}

fn check(session: &Session, graph: &Graph, sample: &[u32], start: &ActiveSet) {
    let resident = session.graph(graph);
    let mut data = prepare(session, &resident);
    for schedule in [Schedule::NeighborGroup, Schedule::VertexPerWarp, Schedule::VertexPerBlock] {
        let options = Options { schedule, direction: Some(Direction::Pull), ..Options::default() };
        check_pull(&resident, &mut data, sample, &options);
    }
    for schedule in [Schedule::WarpWord, Schedule::NeighborGroup] {
        let options = Options { schedule, direction: Some(Direction::Push), ..Options::default() };
        check_push(&resident, &mut data, start, sample, &options);
    }
}

#[test]
fn rings_are_summed_along_every_edge() {
    let graph = ring("ring:300:70");
    let mut start = ActiveSet::none(300);
    [0, 17, 150, 299].into_iter().for_each(|vertex| start.set(vertex, true));
    for session in [Session::cpu(), Session::emulator()] {
        check(&session, &graph, &(0..300).collect::<Vec<u32>>(), &start);
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU with 96 GB of memory, and 110 GB on the host"]
fn gpu_more_edges_than_32_bits_can_number() {
    let graph = ring("ring:16777216:257");
    assert!(graph.edge_count() > u32::MAX as usize);
    let vertices = graph.vertex_count() as u32;
    let mut start = ActiveSet::none(vertices as usize);
    [0, 5_000_000, vertices - 300, vertices - 1].into_iter().for_each(|vertex| start.set(vertex, true));
    let sample: Vec<u32> = (0..vertices).step_by(65_537).chain(0..300).chain(4_999_700..5_000_000).chain(vertices - 900..vertices).collect();
    check(&Session::cuda(0).unwrap(), &graph, &sample, &start);
}
