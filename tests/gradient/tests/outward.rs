//! Reductions into sources against a serial reference, on every backend and under every schedule.

use onyx_gradient_tests::graphs::{dice, numbers, random, sessions};
use onyx_gradient_tests::outward::{Outward, both, bounded, gather_out, walk, walk_active};
use onyx_runtime::active::ActiveSet;
use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::Array2;
use onyx_runtime::{Bins, Data, Options, ResidentGraph, RunFold, Schedule, Session};

const FEATURES: usize = 3;

fn schedules() -> Vec<Options> {
    let all = [
        Schedule::NeighborGroup,
        Schedule::VertexPerWarp,
        Schedule::VertexPerBlock,
        Schedule::WordPerWarp,
        Schedule::EdgeFlat,
    ];
    let some = all.map(|schedule| Options::new().schedule(schedule).group_size(2));
    let small = Options::new().group_size(2);
    let in_bins = small.clone().bins(Bins::Count(3));
    let deterministic = [small, in_bins.clone()].map(|options| options.deterministic(true));
    some.into_iter().chain([in_bins]).chain(deterministic).collect()
}

/// What the edges have and the vertices have, by vertex and feature.
struct Values {
    weight: Vec<f32>,
    value: Array2<f32>,
}

impl Values {
    fn of(graph: &Graph, seed: u64) -> Self {
        let mut dice = dice(seed);
        let count = graph.vertex_count();
        let value = numbers(&mut dice, count * FEATURES, -1.0, 1.0);
        let weight = numbers(&mut dice, graph.edge_count(), 0.5, 1.5);
        Self { weight, value: Array2::from_shape_vec((count, FEATURES), value).unwrap() }
    }

    fn write(&self, data: &mut Data<Outward<0>>) {
        data.write(Outward::WEIGHT, &self.weight).unwrap();
        data.write(Outward::VALUE, &self.value).unwrap();
    }

    /// The sum over the outgoing edges of each vertex, in double precision.
    fn out(&self, graph: &Graph) -> Array2<f64> {
        let mut out = Array2::zeros((graph.vertex_count(), FEATURES));
        for (edge, source, destination) in graph.edges() {
            for f in 0..FEATURES {
                out[[source as usize, f]] +=
                    f64::from(self.weight[edge]) * f64::from(self.value[[destination as usize, f]]);
            }
        }
        out
    }

    fn inward(&self, graph: &Graph) -> Array2<f64> {
        let mut into = Array2::zeros((graph.vertex_count(), FEATURES));
        for (edge, source, destination) in graph.edges() {
            for f in 0..FEATURES {
                into[[destination as usize, f]] +=
                    f64::from(self.weight[edge]) * f64::from(self.value[[source as usize, f]]);
            }
        }
        into
    }
}

#[track_caller]
fn agree(found: impl IntoIterator<Item = f32>, expected: impl IntoIterator<Item = f64>) {
    let (found, expected): (Vec<f32>, Vec<f64>) = (found.into_iter().collect(), expected.into_iter().collect());
    assert_eq!(found.len(), expected.len());
    for (at, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let near =
            (f64::from(*found) - expected).abs() <= 1e-4 * expected.abs().max(1.0) || f64::from(*found) == *expected;
        assert!(near, "value {at}: {found} instead of {expected}");
    }
}

/// Runs `check` on every backend, under every schedule.
fn everywhere(graph: &Graph, check: impl Fn(&ResidentGraph<'_>, &Options)) {
    for session in sessions() {
        let resident = session.graph(graph);
        schedules().iter().for_each(|options| check(&resident, options));
    }
}

#[test]
fn sums_are_over_outgoing_edges() {
    for (seed, vertices, edges) in [(1, 40, 300), (2, 9, 12), (3, 70, 20)] {
        let graph = random(seed, vertices, edges);
        let values = Values::of(&graph, seed);
        everywhere(&graph, |resident, options| {
            let mut data = resident.session().data(gather_out, resident, FEATURES).unwrap();
            values.write(&mut data);
            gather_out.on(resident, &mut data).times(1, options).unwrap();
            agree(data.read(Outward::OUT).unwrap().iter().copied(), values.out(&graph));
            let degrees = (0..vertices).map(|vertex| graph.out_degree(vertex) as f64);
            agree(data.read(Outward::DEGREE).unwrap().iter().copied(), degrees);
            let numbers = (0..graph.edge_count()).map(|edge| edge as f64);
            agree(data.read(Outward::TRACE).unwrap().iter().copied(), numbers);
        });
    }
}

#[test]
fn one_fold_has_stages_of_both_directions() {
    let graph = random(4, 50, 400);
    let values = Values::of(&graph, 4);
    everywhere(&graph, |resident, options| {
        let mut data = resident.session().data(both, resident, FEATURES).unwrap();
        values.write(&mut data);
        let report = both.on(resident, &mut data).times(1, options).unwrap();
        agree(data.read(Outward::RESULT).unwrap().iter().copied(), values.inward(&graph) - values.out(&graph));
        assert!(
            report.schedule.starts_with("pull by") || report.schedule.starts_with("balanced"),
            "{}",
            report.schedule
        );
    });
}

#[test]
fn bounds_and_products_are_over_outgoing_edges() {
    let graph = random(5, 30, 200);
    let values = Values::of(&graph, 5);
    let (mut least, mut product) = (Array2::from_elem((30, FEATURES), f64::INFINITY), vec![1.0; 30]);
    let mut heaviest = vec![f64::NEG_INFINITY; 30];
    for (edge, source, destination) in graph.edges() {
        let (source, weight) = (source as usize, f64::from(values.weight[edge]));
        (0..FEATURES).for_each(|f| {
            least[[source, f]] = f64::min(least[[source, f]], f64::from(values.value[[destination as usize, f]]));
        });
        product[source] *= weight;
        heaviest[source] = f64::max(heaviest[source], weight);
    }
    everywhere(&graph, |resident, options| {
        let mut data = resident.session().data(bounded, resident, FEATURES).unwrap();
        values.write(&mut data);
        bounded.on(resident, &mut data).times(1, options).unwrap();
        agree(data.read(Outward::LEAST).unwrap().iter().copied(), least.iter().copied());
        agree(data.read(Outward::HEAVIEST).unwrap().iter().copied(), heaviest.iter().copied());
        agree(data.read(Outward::PRODUCT).unwrap().iter().copied(), product.iter().copied());
    });
}

/// Some steps of `walk`, along the edges of `active` alone if it is given.
fn walked(graph: &Graph, values: &Values, steps: usize) -> Array2<f64> {
    let mut state = Array2::<f64>::zeros((graph.vertex_count(), FEATURES));
    for _ in 0..steps {
        let mut out = Array2::<f64>::zeros(state.dim());
        for (_, source, destination) in graph.edges() {
            for f in 0..FEATURES {
                out[[source as usize, f]] += state[[destination as usize, f]] - 0.5 * state[[source as usize, f]];
            }
        }
        state = 0.1 * out + values.value.mapv(f64::from);
    }
    state
}

#[test]
fn the_far_end_is_read_at_its_previous_value() {
    let graph = random(6, 40, 120);
    let values = Values::of(&graph, 6);
    everywhere(&graph, |resident, options| {
        let mut data = resident.session().data(walk, resident, FEATURES).unwrap();
        values.write(&mut data);
        walk.on(resident, &mut data).times(4, options).unwrap();
        agree(data.read(Outward::STATE).unwrap().iter().copied(), walked(&graph, &values, 4));
    });
}

#[test]
fn active_sources_are_where_the_totals_are() {
    let graph = random(7, 40, 160);
    let values = Values::of(&graph, 7);
    let vertices: Vec<u32> = (0..40_u32).filter(|vertex| vertex.is_multiple_of(3)).collect();
    let mut start = ActiveSet::none(40);
    vertices.iter().for_each(|vertex| start.set(*vertex, true));
    everywhere(&graph, |resident, options| {
        let mut data = resident.session().data(walk_active, resident, FEATURES).unwrap();
        values.write(&mut data);
        walk_active.on(resident, &mut data).from(&start).times(1, options).unwrap();
        let stepped = |vertex: u32| vertex.is_multiple_of(3) && graph.out_degree(vertex) > 0;
        let expected = (0..40).flat_map(|vertex| (0..FEATURES).map(move |f| (vertex, f)));
        let expected = expected
            .map(|(vertex, f)| if stepped(vertex) { f64::from(values.value[[vertex as usize, f]]) } else { 0.0 });
        agree(data.read(Outward::STATE).unwrap().iter().copied(), expected);
    });
}

#[test]
fn the_reverse_of_a_graph_has_its_own_sources() {
    let graph = random(8, 40, 200);
    let reverse = graph.reversed().unwrap();
    let values = Values::of(&reverse, 8);
    for session in sessions() {
        let resident = session.graph(&graph).reversed().unwrap();
        for options in schedules() {
            let mut data = session.data(both, &resident, FEATURES).unwrap();
            values.write(&mut data);
            both.on(&resident, &mut data).times(1, &options).unwrap();
            agree(data.read(Outward::RESULT).unwrap().iter().copied(), values.inward(&reverse) - values.out(&reverse));
        }
    }
}

#[test]
fn nothing_is_pushed() {
    let graph = random(9, 20, 40);
    let session = Session::cpu();
    let resident = session.graph(&graph);
    let mut data = session.data(walk, &resident, FEATURES).unwrap();
    let options = Options::new().direction(onyx_runtime::Direction::Push);
    let error = walk.on(&resident, &mut data).times(1, &options).unwrap_err().to_string();
    assert!(error.contains("reduces into the source of its edge"), "{error}");
}
