//! Every schedule on every program: against serial references, and pushes against the full pull.

use onyx_examples::{label_propagation, pagerank};
use onyx_runtime::graph::Graph;
use onyx_runtime::{Backend, Direction, Options, Schedule, Store};

use crate::check::{self, Place};
use crate::registers::{Ripple, ripple};
use crate::{algorithms, gates, linear, programs, relay};

/// The schedules that pushes may have.
pub const PUSHES: [Schedule; 3] = [Schedule::NeighborGroup, Schedule::WarpWord, Schedule::Auto];

/// A change that is propagated, so small that what is not does not count.
const TOLERANCE: f32 = 1e-6;
/// How far a push may be from the pull: changes within the tolerance are left out, here by a factor of 38 at most.
const DIFFERENCE: f64 = 5e-5;
const ITERATIONS: usize = 8;

/// All programs of this crate under every schedule, against their references.
pub fn agree(graph: &Graph, features: usize, place: Place) {
    for schedule in Schedule::ALL {
        println!("{schedule} on {}, {features} features", place.backend);
        let place = place.by(schedule);
        check::mixture_agrees(graph, features, place);
        check::decay_agrees(graph, features, place);
        check::degrees_agree(graph, place);
        check::reductions_agree(graph, features, place);
        relay::agrees(graph, features, place);
        linear::relations_agree(graph, features.min(16), place);
    }
}

/// Programs by blocks of neighbor groups, which only rows of 16 features and more take: against their references, where few rows are within a block and where most are.
pub fn blocks_of_groups_agree(graph: &Graph, features: usize, place: Place) {
    let place = place.by(Schedule::GroupsPerBlock);
    check::mixture_agrees(graph, features, place);
    check::reductions_agree(graph, features, place);
    relay::agrees(graph, features, place);
    for (group_size, deterministic) in [(1, false), (1, true), (8, false), (8, true)] {
        let pulled = Options { direction: Some(Direction::Pull), ..check::options(place, ITERATIONS) };
        let options = Options { group_size: Some(group_size), deterministic, ..pulled };
        let report = relay::ripple_agrees(graph, features, &options);
        assert!(report.schedule.contains("pull by groups_per_block"), "{}", report.schedule);
    }
}

/// Programs by neighbor groups in bins of sources: against their references, and with the totals of cut rows added in order.
pub fn bins_agree(graph: &Graph, features: usize, place: Place) {
    for count in [2, 5] {
        let place = place.in_bins(count);
        check::mixture_agrees(graph, features, place);
        check::degrees_agree(graph, place);
        check::reductions_agree(graph, features, place);
        relay::agrees(graph, features, place);
        linear::relations_agree(graph, features.min(16), place);
        for (group_size, deterministic) in [(1, false), (1, true), (8, false), (8, true)] {
            let pulled = Options { direction: Some(Direction::Pull), ..check::options(place, ITERATIONS) };
            let options = Options { group_size: Some(group_size), deterministic, ..pulled };
            let report = relay::ripple_agrees(graph, features, &options);
            let has_bins = report.schedule.contains("bins");
            assert_eq!(has_bins, graph.vertex_count() > 1, "{}", report.schedule);
        }
    }
}

/// Programs by words of vertices, with the rows of frequent sources packed: against their references, and label propagation and PageRank against every other schedule.
pub fn packed_sources_agree(graph: &Graph, features: usize, place: Place) {
    let place = place.packed();
    check::mixture_agrees(graph, features, place);
    check::decay_agrees(graph, features, place);
    check::degrees_agree(graph, place);
    check::reductions_agree(graph, features, place);
    relay::agrees(graph, features, place);
    let pulled = Options { direction: Some(Direction::Pull), ..check::options(place, ITERATIONS) };
    let report = relay::ripple_agrees(graph, features, &pulled);
    let is_packed = report.schedule.contains("packed");
    assert_eq!(is_packed, graph.edge_count() > 0 && features <= 4, "{:?}", report.explain);
    if graph.vertex_count() > 0 {
        labels_agree(graph, features, place);
        ranks_agree(graph, place);
    }
}

/// Label propagation, PageRank, `ripple` and programs with products: every pull schedule against the CPU, every push schedule against the full pull.
pub fn changes_agree(graph: &Graph, features: usize, place: Place) {
    if graph.vertex_count() == 0 {
        return;
    }
    labels_agree(graph, features, place);
    ranks_agree(graph, place);
    levels_agree(graph, features, place);
    ripples_agree(graph, features, place);
    signs_agree(graph, features, place);
}

fn labels_agree(graph: &Graph, features: usize, place: Place) {
    let settings = label_propagation::Settings::new().alpha(0.5).tolerance(TOLERANCE);
    let seeds: Vec<(u32, usize)> =
        (0..graph.vertex_count() as u32).step_by(7).map(|vertex| (vertex, vertex as usize % features)).collect();
    let start = algorithms::start(graph, |graph| label_propagation::prepare(graph, &seeds, features, settings));
    let labels = |store: &Store| -> Vec<f32> {
        let vertices = 0..graph.vertex_count() as u32;
        vertices.flat_map(|vertex| store.row(label_propagation::LabelPropagation::LABEL, vertex).to_vec()).collect()
    };
    all_agree("label", graph, label_propagation::step, &start, labels, place);
}

fn ranks_agree(graph: &Graph, place: Place) {
    let settings = pagerank::Settings::new().damping(0.5).tolerance(TOLERANCE);
    let start = algorithms::start(graph, |graph| pagerank::prepare(graph, settings));
    let ranks = |store: &Store| store.scalars(pagerank::PageRank::RANK).to_vec();
    all_agree("rank", graph, pagerank::step, &start, ranks, place);
}

fn ripples_agree(graph: &Graph, features: usize, place: Place) {
    let start = relay::ripple_store(graph, features, TOLERANCE);
    let levels = |store: &Store| -> Vec<f32> {
        let vertices = 0..graph.vertex_count() as u32;
        vertices.flat_map(|vertex| store.row(Ripple::LEVEL, vertex).to_vec()).collect()
    };
    all_agree("level", graph, ripple, &start, levels, place);
}

/// Products and a sum that change everywhere, with zeros that come and go.
fn levels_agree(graph: &Graph, features: usize, place: Place) {
    let levels = |store: &Store| rows(graph, store, |store, vertex| store.row(programs::Gates::LEVEL, vertex));
    all_agree("level", graph, programs::gates, &gates::store(graph, features), levels, place);
}

/// Products without rounding that change in some places: zeros come and go there.
fn signs_agree(graph: &Graph, features: usize, place: Place) {
    let mut start = Store::new(programs::signs, graph, features).expect("a compiled width");
    for vertex in 0..graph.vertex_count() as u32 {
        let row: Vec<f32> = (0..features as u32)
            .map(|feature| [1.0, -1.0, 1.0, -1.0, 1.0, 0.0][(vertex * 7 + feature * 5 + vertex / 9) as usize % 6])
            .collect();
        start.row_mut(programs::Signs::SEED, vertex).copy_from_slice(&row);
        start.row_mut(programs::Signs::SIGN, vertex).copy_from_slice(&row);
    }
    let signs = |store: &Store| rows(graph, store, |store, vertex| store.row(programs::Signs::SIGN, vertex));
    all_agree("sign", graph, programs::signs, &start, signs, place);
}

fn rows<'a>(graph: &Graph, store: &'a Store, row: impl Fn(&'a Store, u32) -> &'a [f32]) -> Vec<f32> {
    (0..graph.vertex_count() as u32).flat_map(|vertex| row(store, vertex).to_vec()).collect()
}

/// Runs `fold` under every schedule; `values` of all runs must be those of the pull on the CPU.
fn all_agree<F: onyx_device::Fold>(
    what: &str,
    graph: &Graph,
    fold: F,
    start: &Store,
    values: impl Fn(&Store) -> Vec<f32>,
    place: Place,
) {
    let run = |place: Place, direction| {
        let mut store = start.clone();
        let options = Options { direction: Some(direction), ..check::options(place, ITERATIONS) };
        let report = check::run(graph, &mut store, fold, &options);
        (values(&store), report)
    };
    let (expected, _) = run(Backend::Cpu.into(), Direction::Pull);
    for schedule in Schedule::ALL {
        let (found, _) = run(place.by(schedule), Direction::Pull);
        assert_near(&format!("{what} pulled by {schedule}"), &found, &expected);
    }
    for schedule in PUSHES {
        let (found, report) = run(place.by(schedule), Direction::Push);
        // Once nothing is active, pulls confirm it.
        let settled = report.iterations.iter().position(|iteration| iteration.active == 0);
        // Two pulls come first where the first iteration does not tell what has changed.
        let mut pushes = report.iterations.iter().take(settled.map_or(ITERATIONS, |last| last + 1)).skip(2);
        assert!(pushes.all(|iteration| iteration.direction == Direction::Push));
        assert_near(&format!("{what} pushed by {schedule}"), &found, &expected);
    }
}

/// Fails with the first value that is too far off. A run that has converged early has left out less than the tolerance, too.
fn assert_near(what: &str, found: &[f32], expected: &[f32]) {
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let difference = f64::from(found - expected).abs();
        assert!(difference <= DIFFERENCE, "{what}[{index}]: found {found}, expected {expected}");
    }
}
