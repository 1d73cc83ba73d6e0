//! More edges than 32 bits can number. Ignored where there is no GPU: `cargo xtask test --gpu` runs it.

use onyx_runtime::Session;
use onyx_runtime::active::ActiveSet;
use onyx_tests::graphs;
use onyx_tests::wheel::spokes::check;

#[test]
#[ignore = "needs an NVIDIA GPU with 96 GB of memory, and 110 GB on the host"]
fn gpu_more_edges_than_32_bits_can_number() {
    let graph = graphs::generate("ring:16777216:257");
    assert!(graph.edge_count() > u32::MAX as usize);
    let vertices = graph.vertex_count() as u32;
    let mut start = ActiveSet::none(vertices as usize);
    [0, 5_000_000, vertices - 300, vertices - 1].into_iter().for_each(|vertex| start.set(vertex, true));
    let near = (0..300).chain(4_999_700..5_000_000).chain(vertices - 900..vertices);
    let sample: Vec<u32> = (0..vertices).step_by(65_537).chain(near).collect();
    check(&Session::cuda(0).unwrap(), &graph, &sample, &start);
}
