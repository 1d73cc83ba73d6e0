//! Sums over every edge of a ring, where all can be checked; `gpu_wheel` does the same where there are more than 2^32 edges.

use onyx_runtime::Session;
use onyx_runtime::active::ActiveSet;
use onyx_tests::graphs;
use onyx_tests::wheel::spokes::check;

#[test]
fn rings_are_summed_along_every_edge() {
    let graph = graphs::generate("ring:300:70");
    let mut start = ActiveSet::none(300);
    [0, 17, 150, 299].into_iter().for_each(|vertex| start.set(vertex, true));
    for session in [Session::cpu(), Session::emulator()] {
        check(&session, &graph, &(0..300).collect::<Vec<u32>>(), &start);
    }
}
