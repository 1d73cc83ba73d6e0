//! What becomes of a total that several stages reduce.

use std::ops::ControlFlow;

use onyx_device::prelude::*;
use onyx_runtime::active::ActiveSet;
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::{Backend, Options, Status, Store, converge};

#[graph_data]
struct Twice {
    value: VertexScalar,
    marked: VertexScalar,
    total: VertexScalar,
}

#[edge_fn]
fn gather(e: Edge, d: &mut Twice) -> bool {
    d.total[e.dst] += d.value[e.src];
    true
}

#[vertex_fn]
fn mark(v: Vertex, d: &mut Twice) -> bool {
    d.marked[v] = 1.0;
    true
}

#[edge_fn]
fn gather_again(e: Edge, d: &mut Twice) -> bool {
    d.total[e.dst] += d.marked[e.src];
    true
}

#[vertex_fn]
fn double(v: Vertex, d: &mut Twice) -> bool {
    d.total[v] *= 2.0;
    true
}

foldmap! { twice(Twice) = [gather, mark, gather_again, double]; edges = active }

fn path() -> Graph {
    GraphBuilder::new().vertices(3).edges(vec![(0, 1), (1, 2)]).build().unwrap()
}

#[test]
fn a_total_is_looked_at_where_its_last_stage_has_stored_it() {
    let graph = path();
    for backend in [Backend::Cpu, Backend::Emulator] {
        let mut store = Store::new(twice, &graph, 1).unwrap();
        let start = Some(ActiveSet::of(3, []));
        let options = Options { backend, start, ..Options::default() };
        let report = converge(twice, &graph, &mut store, &options, &mut |_| ControlFlow::Continue(())).unwrap();
        // Where no vertex function runs, the second stage leaves the total nowhere.
        assert_eq!(report.status, Status::Converged, "{backend:?}");
    }
}
