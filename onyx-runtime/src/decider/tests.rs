use onyx_device::Fold;
use onyx_device::prelude::*;

use super::*;
use crate::bins::Bins;
use crate::graph::GraphBuilder;
use crate::schedule::Schedule;

/// What the rules look at, of rows of four lanes.
pub(super) fn facts(vertices: usize, mean_degree: f64, greatest_in_degree: usize, multiprocessors: u64) -> Facts {
    let edges = (vertices as f64 * mean_degree) as usize;
    let (greatest_out_degree, isolated) = (greatest_in_degree, 0);
    let statistics = Statistics { vertices, edges, greatest_in_degree, greatest_out_degree, mean_degree, isolated };
    let processor = Processor { multiprocessors, cache: 50 << 20 };
    Facts {
        statistics,
        longest_row: greatest_in_degree,
        processor,
        group_size: 16,
        lanes: 4,
        takes_words: false,
        takes_blocks: false,
        largest_graph: None,
        neighbor: 64,
    }
}

#[graph_data]
struct Outward<const K: usize> {
    x: VertexFeatures<K>,
    sum: VertexFeatures<K>,
}

#[edge_fn]
fn gather_out<const K: usize>(f: Feature, e: Edge, d: &mut Outward<K>) -> bool {
    d.sum[e.src][f] += d.x[e.dst][f];
    true
}

foldmap! { outward<const K: usize>(Outward<K>) = [gather_out]; features = [4, 32] }

fn hub() -> Graph {
    GraphBuilder::new().edges((1..4000).map(|vertex| (0, vertex)).collect()).build().unwrap()
}

#[test]
fn groups_come_by_their_length_where_rows_are_wide_and_nothing_takes_groups_together() {
    let is_leveled = |width, bins| {
        let options = Options { bins, ..Options::default() };
        let decider = Decider::new(outward::FACTS, &hub(), Form::narrow(width), &options, Processor::default());
        let says_so = decider.explain()[0].ends_with("they come by their length");
        assert_eq!(decider.incoming_groups().is_leveled(), says_so);
        says_so
    };
    let found = [(4, Bins::None), (32, Bins::None), (32, Bins::Count(2))].map(|(width, bins)| is_leveled(width, bins));
    assert_eq!(found, [false, true, false]);
}

#[test]
fn groups_of_narrower_rows_come_by_their_length_where_rows_differ_and_totals_are_states() {
    let hub = hub().reversed().unwrap();
    let cycle =
        GraphBuilder::new().edges((0..4000).map(|vertex| (vertex, (vertex + 1) % 4000)).collect()).build().unwrap();
    let options = Options { schedule: Schedule::NeighborGroup, ..Options::default() };
    let is_leveled = |graph, fold, width| {
        Decider::new(fold, graph, Form::narrow(width), &options, Processor::default()).incoming_groups().is_leveled()
    };
    let of = |graph| [8, 16].map(|width| is_leveled(graph, weighed::FACTS, width));
    assert_eq!([of(&hub), of(&cycle)], [[false, true], [false, false]]);
    assert!(!is_leveled(&hub, outward::FACTS, 4));
}

#[graph_data]
struct Averages<const K: usize> {
    value: VertexFeatures<K>,
    mean: VertexFeatures<K>,
    sum: VertexFeatures<K>,
    weighed: VertexFeatures<K>,
}

#[edge_fn]
fn average<const K: usize>(f: Feature, e: Edge, d: &mut Averages<K>) -> bool {
    d.mean[e.dst][f].mean_with(d.value[e.src][f]);
    d.sum[e.dst][f] += d.value[e.src][f];
    true
}

#[edge_fn]
fn weigh<const K: usize>(f: Feature, e: Edge, d: &mut Averages<K>) -> bool {
    d.weighed[e.dst][f].softmax_add(1.0, d.value[e.src][f]);
    true
}

foldmap! { averages<const K: usize>(Averages<K>) = [average]; features = [16] }
foldmap! { weighed_beside<const K: usize>(Averages<K>) = [average, weigh]; features = [16] }
foldmap! { weighed<const K: usize>(Averages<K>) = [weigh]; features = [4, 8, 16, 64, 128] }

#[test]
fn rows_whose_groups_leave_parts_or_agree_have_larger_groups() {
    let size = |fold, width| {
        Decider::new(fold, &hub(), Form::narrow(width), &Options::default(), Processor::default()).group_size()
    };
    assert_eq!([4, 32].map(|width| size(outward::FACTS, width)), [16, 32]);
    assert_eq!([4, 8, 16, 64, 128].map(|width| size(weighed::FACTS, width)), [16, 32, 32, 32, 64]);
    assert_eq!(size(averages::FACTS, 16), 32);
    let many = |fold, is_added, floats| group_size(fold, is_added, floats, true, &Options::default()).what;
    assert_eq!([8, 16, 32, 64].map(|floats| many(weighed::FACTS, true, floats)), [32, 64, 32, 64]);
    // The tiles of wide rows leave parts.
    assert_eq!([32, 64, 128].map(|floats| many(weighed::FACTS, false, floats)), [64, 64, 128]);
}

#[test]
fn rows_of_sixty_four_floats_have_larger_groups_where_edges_are_many() {
    let size = |floats, has_many| group_size(outward::FACTS, true, floats, has_many, &Options::default()).what;
    assert_eq!([16, 32, 64, 128].map(|floats| size(floats, true)), [16, 32, 64, 64]);
    assert_eq!([16, 32, 64, 128].map(|floats| size(floats, false)), [16, 32, 32, 64]);
}

#[test]
fn groups_add_to_one_part_of_a_row_where_all_totals_are_added_in_any_order() {
    let hub = hub().reversed().unwrap();
    let decider = |fold, deterministic, schedule| {
        let options = Options { deterministic, schedule, group_size: Some(4), ..Options::default() };
        Decider::new(fold, &hub, Form::narrow(16), &options, Processor::default())
    };
    let of = |fold, deterministic, schedule| {
        let decider = decider(fold, deterministic, schedule);
        (decider.stores_parts(), decider.adds_parts(), decider.most_parts().is_some())
    };
    let auto = Schedule::NeighborGroup;
    assert_eq!(of(averages::FACTS, false, auto), (true, true, false));
    assert_eq!(of(averages::FACTS, true, auto), (true, false, true));
    assert_eq!(of(averages::FACTS, false, Schedule::EdgeFlat), (true, false, false));
    assert_eq!(of(weighed::FACTS, false, auto), (true, true, false));
    assert_eq!(of(weighed::FACTS, true, auto), (true, false, true));
    assert_eq!(of(weighed_beside::FACTS, false, auto), (true, false, true));
    // Tiles of wide rows cannot agree on what a part is relative to, and single lanes do not.
    let wide = Form { is_wide: true, ..Form::narrow(16) };
    let forms = [Form::narrow(16), wide];
    assert_eq!(forms.map(|form| may_be_added(weighed::FACTS, form)), [true, false]);
    assert_eq!(forms.map(|form| may_be_added(averages::FACTS, form)), [true, true]);
    assert_eq!([4, 8].map(|width| may_be_added(weighed::FACTS, Form::narrow(width))), [false, true]);
}

#[test]
fn the_rows_that_a_stage_takes_are_those_that_count() {
    let hub = hub();
    let processor = Processor { multiprocessors: 132, cache: 50 << 20 };
    let pull =
        |graph: &Graph| Decider::new(outward::FACTS, graph, Form::narrow(4), &Options::default(), processor).pull();
    assert_eq!([pull(&hub), pull(&hub.reversed().unwrap())], [Kernel::Pull, Kernel::VertexPerWarp]);
}
