//! Weighted sums of scalars, with a weight for each edge: as little as a graph of billions of edges can be checked with.

use onyx_device::prelude::*;

/// What a wheel carries.
#[graph_data]
pub struct Wheel {
    /// The weight of an edge.
    pub weight: EdgeScalar,
    /// What a vertex gives.
    pub value: VertexScalar,
    /// What arrives.
    pub sum: VertexScalar,
    /// What has arrived.
    pub gathered: VertexScalar,
}

/// Gives the weighted value.
#[edge_fn]
pub fn give(e: Edge, d: &mut Wheel) -> bool {
    d.sum[e.dst] += d.weight[e] * d.value[e.src];
    true
}

/// Keeps what has arrived.
#[vertex_fn]
pub fn keep(v: Vertex, d: &mut Wheel) -> bool {
    d.gathered[v] = d.sum[v];
    false
}

foldmap! {
    /// The sums over all edges.
    pub gather(Wheel) = [give, keep]
}

foldmap! {
    /// The sums over the edges of active sources.
    pub gather_active(Wheel) = [give, keep]; edges = active
}

#[host]
pub mod spokes {
    //! The same on the host.

    use onyx_runtime::active::ActiveSet;
    use onyx_runtime::graph::Graph;
    use onyx_runtime::ndarray::Array1;
    use onyx_runtime::{Data, Direction, Options, ResidentGraph, RunFold, Schedule, Session};

    use super::{Wheel, gather, gather_active};

    /// A multiple of an eighth for each edge, so that sums are exact in any order.
    fn weight(edge: usize) -> f32 {
        (edge % 5 + 1) as f32 / 8.0
    }

    fn value(vertex: u32) -> f32 {
        (vertex % 16) as f32
    }

    /// Gathers by every schedule that needs no list of all rows, along all edges and along those of `start`, and checks the `sample`.
    pub fn check(session: &Session, graph: &Graph, sample: &[u32], start: &ActiveSet) {
        let resident = session.graph(graph);
        let mut data = prepare(session, &resident);
        for schedule in
            [Schedule::NeighborGroup, Schedule::VertexPerWarp, Schedule::VertexPerBlock, Schedule::WordPerWarp]
        {
            let options = Options { schedule, direction: Some(Direction::Pull), ..Options::default() };
            check_pull(&resident, &mut data, sample, &options);
        }
        for schedule in [Schedule::WarpWord, Schedule::NeighborGroup] {
            let options = Options { schedule, direction: Some(Direction::Push), ..Options::default() };
            check_push(&resident, &mut data, start, sample, &options);
        }
    }

    /// Data with weights and values.
    fn prepare(session: &Session, graph: &ResidentGraph<'_>) -> Data<Wheel> {
        let mut data = session.data(gather, graph, 1).unwrap();
        let weights = data.view_mut(Wheel::WEIGHT).unwrap().into_slice().unwrap();
        let pieces = weights.chunks_mut(weights.len() / 64 + 1).enumerate();
        let length = graph.graph().edge_count() / 64 + 1;
        std::thread::scope(|scope| {
            for (number, piece) in pieces {
                scope.spawn(move || {
                    (number * length..).zip(piece).for_each(|(edge, place)| *place = weight(edge));
                });
            }
        });
        let values: Array1<f32> = (0..graph.graph().vertex_count() as u32).map(value).collect();
        data.write(Wheel::VALUE, &values).unwrap();
        data
    }

    /// What arrives at a vertex along the edges of the sources that count.
    fn expected(graph: &Graph, vertex: u32, counts: impl Fn(u32) -> bool) -> f32 {
        let edges = graph.incoming().offsets().row(vertex as usize);
        let sources = edges.zip(graph.incoming().row(vertex)).filter(|(_, source)| counts(**source));
        sources.map(|(edge, source)| weight(edge) * value(*source)).sum()
    }

    /// Gathers along all edges.
    fn check_pull(graph: &ResidentGraph<'_>, data: &mut Data<Wheel>, sample: &[u32], options: &Options) {
        data.view_mut(Wheel::GATHERED).unwrap().fill(f32::NAN);
        gather.on(graph, data).times(1, options).unwrap();
        let found = data.read(Wheel::GATHERED).unwrap();
        for vertex in sample {
            let expected = expected(graph.graph(), *vertex, |_| true);
            assert_eq!(found[*vertex as usize], expected, "vertex {vertex} by {}", options.schedule);
        }
    }

    /// Gathers along the edges of `start`.
    fn check_push(
        graph: &ResidentGraph<'_>,
        data: &mut Data<Wheel>,
        start: &ActiveSet,
        sample: &[u32],
        options: &Options,
    ) {
        data.view_mut(Wheel::GATHERED).unwrap().fill(0.0);
        gather_active.on(graph, data).from(start).times(1, options).unwrap();
        let found = data.read(Wheel::GATHERED).unwrap();
        for vertex in sample {
            let expected = expected(graph.graph(), *vertex, |source| start.contains(source));
            assert_eq!(found[*vertex as usize], expected, "vertex {vertex} by {}", options.schedule);
        }
    }
}
