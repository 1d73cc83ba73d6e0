//! Every program gives the same in whichever order the emulator runs lanes, warps and blocks: on small graphs, since that is so for each order.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Direction, EmulatedOrder, Options, Schedule};
use onyx_tests::check::{self, Place};
use onyx_tests::mosaic::lay_narrow;
use onyx_tests::registers::{Ripple, ripple};
use onyx_tests::sequences::CASES;
use onyx_tests::{graphs, linear, relay, replies, schedules, tiles};
use proptest::prelude::*;

/// Forward, the order of all other tests, is left out.
const ORDERS: [EmulatedOrder; 2] = [EmulatedOrder::Reversed, EmulatedOrder::Random(1)];

/// Cut rows, empty ones, words that are not full, a hub whose outgoing row is in pieces, and duplicates.
fn graphs() -> Vec<(&'static str, Graph)> {
    let hub = (1..300).map(|leaf| (0, leaf)).chain((0..40).map(|leaf| (leaf, 33))).collect();
    vec![
        ("duplicates", graphs::graph(3, vec![(0, 1); 40])),
        ("hub", graphs::graph(301, hub)),
        ("R-MAT", graphs::generate("rmat:4:6")),
    ]
}

fn in_every_order(run: impl Fn(&Graph, Place)) {
    for (name, graph) in graphs() {
        for order in ORDERS {
            println!("{name} in {order}");
            run(&graph, order.into());
        }
    }
}

#[test]
fn every_schedule_agrees_in_every_order() {
    in_every_order(|graph, place| schedules::agree(graph, 3, place));
}

#[test]
fn blocks_of_groups_agree_in_every_order() {
    in_every_order(|graph, place| schedules::blocks_of_groups_agree(graph, 16, place));
}

#[test]
fn bins_of_sources_agree_in_every_order() {
    in_every_order(|graph, place| schedules::bins_agree(graph, 4, place));
}

#[test]
fn deterministic_blocks_and_bins_have_the_same_bits_in_every_order() {
    same_bits_in_every_order(|place| place.by(Schedule::GroupsPerBlock));
    same_bits_in_every_order(|place| place.in_bins(3));
}

fn same_bits_in_every_order(place: impl Fn(Place) -> Place) {
    for (name, graph) in graphs() {
        let bits = |order: EmulatedOrder| {
            let place = place(order.into());
            let options = Options { deterministic: true, group_size: Some(1), ..check::options(place, 5) };
            let mut store = relay::ripple_store(&graph, 16, 1e-6);
            check::run(&graph, &mut store, ripple, &options);
            let rows = (0..graph.vertex_count() as u32).flat_map(|vertex| store.row(Ripple::LEVEL, vertex).to_vec());
            rows.map(f32::to_bits).collect::<Vec<_>>()
        };
        let expected = bits(EmulatedOrder::Forward);
        ORDERS.iter().for_each(|order| assert!(bits(*order) == expected, "{name} in {order}: other bits"));
    }
}

#[test]
fn changes_agree_in_every_order() {
    in_every_order(|graph, place| schedules::changes_agree(graph, 5, place));
}

#[test]
fn operations_and_reverse_edges_agree_in_every_order() {
    in_every_order(|graph, place| {
        check::operations_agree(graph, 5, place);
        relay::agrees_unfolded(graph, 3, place);
        relay::ripple_agrees(graph, 3, &check::options(place, 12));
        replies::agree(&replies::both_ways(graph), 3, place);
    });
}

#[test]
fn matrices_and_tiles_agree_in_every_order() {
    in_every_order(|graph, place| {
        linear::factors_agree(graph, 5, &check::options(place, 2));
        linear::factors_agree(graph, 5, &Options { direction: Some(Direction::Push), ..check::options(place, 4) });
        tiles::lay_agrees(lay_narrow, graph, 10, &check::options(place, 3));
        tiles::fade_agrees(graph, 10, &check::options(place, 100));
    });
}

#[test]
fn sequences_agree_in_every_order() {
    in_every_order(|graph, place| {
        for case in CASES {
            let options = check::options(place, 3);
            check::sequence_agrees(case, graph, 4, &options);
            check::sequence_agrees(case, graph, 4, &Options { deterministic: true, ..options.clone() });
            if case.is_active && case.pushes {
                check::sequence_agrees(case, graph, 4, &Options { direction: Some(Direction::Push), ..options });
            }
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_graphs_agree_in_random_orders(graph in graphs::any(), features in 1_usize..10, seed in any::<u64>()) {
        let place = Place::from(EmulatedOrder::Random(seed));
        schedules::agree(&graph, features, place);
        schedules::changes_agree(&graph, features, place);
    }
}
