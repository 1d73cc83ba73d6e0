//! The programs of `registers.rs` against serial loops in `f64`, folded and spilled.

use onyx_device::access::{EdgeAccess, VertexAccess};
use onyx_device::property::{Descriptor, GraphData};
use onyx_device::run::{EdgeRun, Spilled, VertexRun};
use onyx_device::split::Accesses;
use onyx_device::{Fold, WidthVisitor, fold};
use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, Store};

use crate::check::{self, Numbers, Place, assert_close, copy};
use crate::reference::Rows;
use crate::registers::{Relay, Ripple, add, dampen, deliver, measure, relay, ripple, show, take};

/// What [`relay`] starts from and ends with, in `f64`.
#[derive(Clone, Debug)]
struct Data {
    weight: Vec<f64>,
    message: Rows,
    passed: Vec<f64>,
    value: Rows,
    turn: Vec<f64>,
    result: Rows,
    least_weight: f64,
    last_turn: f64,
}

impl Data {
    fn new(graph: &Graph, features: usize, least_weight: f64, last_turn: f64) -> Self {
        let mut numbers = Numbers(features as u32 + 23);
        let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
        Self {
            weight: numbers.list(edges),
            message: numbers.rows(edges, features),
            passed: vec![0.0; edges],
            value: numbers.rows(vertices, features),
            turn: (0..vertices).map(|vertex| (vertex % 3) as f64).collect(),
            result: vec![vec![0.0; features]; vertices],
            least_weight,
            last_turn,
        }
    }

    fn store(&self, fold: impl Fold, graph: &Graph, features: usize) -> Store {
        let mut store = Store::new(fold, graph, features).expect("a compiled width");
        copy(store.edge_scalars_mut(Relay::WEIGHT), &self.weight);
        copy(store.scalars_mut(Relay::TURN), &self.turn);
        for (edge, row) in self.message.iter().enumerate() {
            copy(store.edge_row_mut(Relay::MESSAGE, edge), row);
        }
        for (vertex, row) in (0..).zip(&self.value) {
            copy(store.row_mut(Relay::VALUE, vertex), row);
        }
        store.set(Relay::LEAST_WEIGHT, self.least_weight as f32);
        store.set(Relay::LAST_TURN, self.last_turn as f32);
        store
    }

    /// One iteration.
    fn step(&mut self, graph: &Graph) {
        let features = self.value.first().map_or(0, Vec::len);
        let mut arrived = vec![vec![0.0; features]; graph.vertex_count()];
        for (edge, source, destination) in graph.edges() {
            self.step_edge(edge, source as usize, destination as usize, &mut arrived[destination as usize]);
        }
        arrived.iter().enumerate().for_each(|(vertex, arrived)| self.step_vertex(vertex, arrived));
    }

    fn step_edge(&mut self, edge: usize, source: usize, destination: usize, arrived: &mut [f64]) {
        let ends = self.value[source].iter().zip(&self.value[destination]);
        let difference: Vec<f64> = ends.map(|(source, destination)| source - 0.5 * destination).collect();
        let gap: f64 = difference.iter().sum();
        self.message[edge].iter_mut().zip(&difference).for_each(|(message, difference)| *message += 2.0 * difference);
        self.passed[edge] = 1.0;
        if self.weight[edge] > self.least_weight {
            self.passed[edge] = 2.0;
            let factor = if self.weight[edge] > 0.5 { 0.5 } else { 1.0 };
            for (feature, arrived) in arrived.iter_mut().enumerate() {
                let message = &mut self.message[edge][feature];
                *message = 0.25 * *message + 0.1 * gap;
                *arrived += factor * difference[feature] + *message + gap + 2.0;
            }
        }
    }

    fn step_vertex(&mut self, vertex: usize, arrived: &[f64]) {
        self.turn[vertex] += 1.0;
        if self.turn[vertex] < self.last_turn {
            let size = 0.01 * arrived.iter().sum::<f64>();
            let result = |arrived: &f64| 0.5 * arrived + (0.5 * arrived + 1.0) + self.turn[vertex] + size;
            self.result[vertex] = arrived.iter().map(result).collect();
        }
    }

    fn agrees(&self, store: &Store) {
        for (vertex, row) in (0..).zip(&self.result) {
            assert_close("result", store.row(Relay::RESULT, vertex), row);
        }
        for (edge, row) in self.message.iter().enumerate() {
            assert_close("message", store.edge_row(Relay::MESSAGE, edge), row);
        }
        assert_close("passed", store.edge_scalars(Relay::PASSED), &self.passed);
        assert_close("turn", store.scalars(Relay::TURN), &self.turn);
    }
}

/// `relay` for three iterations: scratch of every kind, values that are stored and read by later functions, progress.
pub fn agrees(graph: &Graph, features: usize, place: impl Into<Place>) {
    let (place, mut data) = (place.into(), Data::new(graph, features, 0.25, 5.0));
    let (mut folded, mut spilled) = (data.store(relay, graph, features), data.store(RelaySpilled, graph, features));
    let iterations = check::run(graph, &mut folded, relay, &check::options(place, 3)).iterations.len();
    check::run(graph, &mut spilled, RelaySpilled, &check::options(place, 3));
    (0..iterations).for_each(|_| data.step(graph));
    data.agrees(&folded);
    data.agrees(&spilled);
}

/// The functions of `relay` one by one, for edges and vertices that all go on: scratch goes through memory.
pub fn agrees_one_by_one(graph: &Graph, options: &Options) {
    let mut data = Data::new(graph, 4, -1.0, 9.0);
    let mut store = data.store(MeasureAlone, graph, 4);
    check::run(graph, &mut store, MeasureAlone, options);
    check::run(graph, &mut store, DampenAlone, options);
    check::run(graph, &mut store, DeliverAlone, options);
    check::run(graph, &mut store, TakeAlone, options);
    check::run(graph, &mut store, AddAlone, options);
    check::run(graph, &mut store, ShowAlone, options);
    data.step(graph);
    data.agrees(&store);
}

/// A store of `ripple` in which levels settle.
pub fn ripple_store(graph: &Graph, features: usize, tolerance: f32) -> Store {
    const { assert!(ripple::IS_CHANGE_DRIVEN && !relay::IS_CHANGE_DRIVEN) };
    let mut store = Store::new(ripple, graph, features).expect("a compiled width");
    for (edge, _, destination) in graph.edges() {
        store.edge_scalars_mut(Ripple::WEIGHT)[edge] = 0.5 / graph.in_degree(destination) as f32;
    }
    for vertex in 0..graph.vertex_count() as u32 {
        for (feature, source) in store.row_mut(Ripple::SOURCE, vertex).iter_mut().enumerate() {
            *source = 0.1 * feature as f32 + (vertex % 5) as f32 * 0.2;
        }
    }
    store.set(Ripple::TOLERANCE, tolerance);
    store
}

/// The levels of `ripple` after `iterations`, by a serial loop.
fn levels(graph: &Graph, store: &Store, iterations: usize) -> Rows {
    let source = |vertex: u32| store.row(Ripple::SOURCE, vertex).iter().map(|value| f64::from(*value)).collect();
    let sources: Rows = (0..graph.vertex_count() as u32).map(source).collect();
    let mut level = vec![vec![0.0; store.features()]; sources.len()];
    for _ in 0..iterations {
        let mut next = sources.clone();
        for (_, source, destination) in graph.edges() {
            let weight = 0.5 / graph.in_degree(destination) as f64;
            let to = next[destination as usize].iter_mut();
            to.zip(&level[source as usize]).for_each(|(to, from)| *to += weight * from);
        }
        level = next;
    }
    level
}

/// `ripple` until it has settled: scratch in pulls and pushes.
pub fn ripple_agrees(graph: &Graph, features: usize, options: &Options) {
    let mut store = ripple_store(graph, features, 1e-6);
    let report = check::run(graph, &mut store, ripple, options);
    let expected = levels(graph, &store, report.iterations.len());
    for (vertex, row) in (0..).zip(&expected) {
        assert_close("level", store.row(Ripple::LEVEL, vertex), row);
    }
}

/// Visits with the runs spilled.
struct Spill<N>(N);

impl<N: WidthVisitor> WidthVisitor for Spill<N> {
    type Output = N::Output;

    fn visit<D, E, W, const K: usize, const L: usize, const V: usize>(self) -> N::Output
    where
        D: GraphData,
        E: EdgeRun<D>,
        W: VertexRun<D>,
    {
        self.0.visit::<D, Spilled<E>, Spilled<W>, K, L, V>()
    }
}

/// `relay` with its scratch in memory.
#[derive(Clone, Copy)]
struct RelaySpilled;

impl Fold for RelaySpilled {
    const NAME: &'static str = "relay__spilled";
    const PACKAGE: &'static str = relay::PACKAGE;
    const FINGERPRINT: u64 = relay::FINGERPRINT;
    const WIDTHS: &'static [usize] = relay::WIDTHS;
    const PROPERTIES: &'static [Descriptor] = relay::PROPERTIES;
    const EDGES: EdgeAccess = relay::EDGES;
    const VERTICES: VertexAccess = relay::VERTICES;
    const HAS_EDGES: bool = true;
    const HAS_VERTICES: bool = true;
    const SPILLED: u64 = fold::scratch(relay::PROPERTIES);

    fn visit<N: WidthVisitor>(width: usize, visitor: N) -> Option<N::Output> {
        relay::visit(width, Spill(visitor))
    }
}

/// A fold of one function of `relay` at the width 4, spilled.
macro_rules! alone {
    ($name:ident, $function:ident, $edges:ty, $vertices:ty) => {
        #[derive(Clone, Copy)]
        struct $name;

        impl Fold for $name {
            const NAME: &'static str = stringify!($name);
            const PACKAGE: &'static str = relay::PACKAGE;
            const FINGERPRINT: u64 = relay::FINGERPRINT;
            const WIDTHS: &'static [usize] = &[4];
            const PROPERTIES: &'static [Descriptor] = relay::PROPERTIES;
            const EDGES: EdgeAccess = <$function as Accesses<Relay<4>>>::EDGE;
            const VERTICES: VertexAccess = <$function as Accesses<Relay<4>>>::VERTEX;
            const HAS_EDGES: bool = !<$edges as EdgeRun<Relay<4>>>::IS_EMPTY;
            const HAS_VERTICES: bool = !Self::HAS_EDGES;
            const SPILLED: u64 = fold::scratch(relay::PROPERTIES);

            fn visit<N: WidthVisitor>(_: usize, visitor: N) -> Option<N::Output> {
                Some(visitor.visit::<Relay<4>, Spilled<$edges>, Spilled<$vertices>, 4, 1, 4>())
            }
        }
    };
}

alone!(MeasureAlone, measure, (measure, ()), ());
alone!(DampenAlone, dampen, (dampen, ()), ());
alone!(DeliverAlone, deliver, (deliver, ()), ());
alone!(TakeAlone, take, (), (take, ()));
alone!(AddAlone, add, (), (add, ()));
alone!(ShowAlone, show, (), (show, ()));
