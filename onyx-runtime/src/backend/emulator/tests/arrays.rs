//! Launches whose arrays are not there, or are those of another schedule.

use std::panic::{AssertUnwindSafe, catch_unwind};

use onyx_device::arguments::Units;

use super::*;
use crate::backend::adjacency::DeviceAdjacency;
use crate::backend::launchable::Launchable;
use crate::graph::Graph;
use crate::plan::Tiles;
use crate::schedule::Unit;

const PULLS: [Schedule; 3] = [Schedule::NeighborGroup, Schedule::EdgeFlat, Schedule::VertexPerWarp];

/// The incoming edges as a pull by this schedule has them, and its launch on all of them.
fn pull(graph: &Graph, schedule: Schedule) -> (DeviceAdjacency<ArrayOf<EmulatedDevice>>, Launch) {
    let options = Options { group_size: Some(4), schedule, change_driven: false, ..Options::default() };
    let decider = Decider::new(spread::FACTS, graph, Form::narrow(4), &options, Processor::default());
    let edges =
        DeviceAdjacency::upload(&EmulatedMemory, graph.incoming(), Needs::incoming(&decider), None, &[]).unwrap();
    let units = if decider.pull().row().unit == Unit::Row { graph.vertex_count() as u64 } else { edges.count };
    (edges, Launch { kernel: decider.pull(), stage: 0, units: Units::all(units), tiles: Tiles::FIRST })
}

#[test]
fn a_kernel_is_refused_the_edges_of_another_schedule() {
    let graph = "rmat:5:8".parse::<Generator>().unwrap().generate(1).unwrap();
    let counts = (graph.vertex_count(), graph.edge_count());
    for (of, launched) in PULLS.into_iter().flat_map(|of| PULLS.map(|launched| (of, launched))) {
        let ((edges, _), (_, launch)) = (pull(&graph, of), pull(&graph, launched));
        let extents = edges.extents(&EmulatedMemory, &launch, counts);
        let checked = catch_unwind(AssertUnwindSafe(|| Launchable::check(extents)));
        assert_eq!(checked.is_ok(), of == launched, "{launched:?} on the edges of {of:?}");
    }
}

#[test]
#[should_panic(expected = "value: the array has 0 bytes, and a launch reaches 512")]
fn a_property_that_is_not_on_the_device_is_named_before_anything_runs() {
    let graph = "rmat:5:8".parse::<Generator>().unwrap().generate(1).unwrap();
    let mut store = Store::new(spread, &graph, 4).unwrap();
    let decider = Decider::new(spread::FACTS, &graph, Form::narrow(4), &Options::default(), Processor::default());
    let (shape, device) = (Shape::new(spread::FACTS, decider, &Options::default()), emulator(&store, Order::Forward));
    let mut engine = DeviceEngine::new(spread::FACTS, device, &graph, &mut store, shape, None).unwrap();
    engine.forget(Spread::VALUE.index);
    let _ = engine.run(Batch { direction: Direction::Pull, keep_sums: false, count: 1, limits: None });
}
