//! Every schedule gives the same results, in the emulator.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Backend, Bins, Options, Packing, Schedule};
use onyx_tests::check::{self, Place};
use onyx_tests::{graphs, relay, schedules};
use proptest::prelude::*;

/// The special graphs, and some whose rows are cut for warps, too.
fn graphs() -> Vec<(&'static str, Graph)> {
    let hubs = (1..600).flat_map(|leaf| [(0, leaf), (leaf, 40)]).chain((0..300).map(|leaf| (33, leaf))).collect();
    let full = (0..20).flat_map(|source| (0..20).map(move |destination| (source, destination))).collect();
    graphs::special()
        .into_iter()
        .chain([("hubs", graphs::graph(600, hubs)), ("complete", graphs::graph(20, full))])
        .collect()
}

#[test]
fn special_graphs_agree() {
    for (name, graph) in graphs() {
        println!("{name}");
        schedules::agree(&graph, 3, Backend::Emulator.into());
    }
}

#[test]
fn changes_of_special_graphs_agree() {
    for (name, graph) in graphs() {
        println!("{name}");
        schedules::changes_agree(&graph, 5, Backend::Emulator.into());
    }
}

#[test]
fn every_feature_count_agrees() {
    let graph = graphs::generate("rmat:4:6");
    for features in check::FEATURES {
        schedules::agree(&graph, features, Backend::Emulator.into());
        schedules::changes_agree(&graph, features, Backend::Emulator.into());
    }
}

#[test]
fn blocks_of_groups_agree() {
    for (name, graph) in graphs() {
        println!("{name}");
        schedules::blocks_of_groups_agree(&graph, 16, Backend::Emulator.into());
    }
    let graph = graphs::generate("rmat:5:6");
    [31, 64, 100]
        .iter()
        .for_each(|features| schedules::blocks_of_groups_agree(&graph, *features, Backend::Emulator.into()));
}

#[test]
fn narrow_rows_go_by_neighbor_groups_where_blocks_of_them_are_asked_for() {
    let graph = graphs::generate("grid:3x3");
    let place = Place::from(Backend::Emulator).by(Schedule::GroupsPerBlock);
    let report = relay::ripple_agrees(&graph, 8, &check::options(place, 3));
    let why = "pull: neighbor_group, because blocks of groups are for rows of four lanes and more";
    assert!(report.explain.iter().any(|line| line.starts_with(why)), "{:?}", report.explain);
}

#[test]
fn bins_of_sources_agree() {
    for (name, graph) in graphs() {
        println!("{name}");
        schedules::bins_agree(&graph, 3, Backend::Emulator.into());
    }
    let graph = graphs::generate("rmat:5:6");
    [16, 31, 100].iter().for_each(|features| schedules::bins_agree(&graph, *features, Backend::Emulator.into()));
}

#[test]
fn bins_are_of_neighbor_groups_alone_and_said_why() {
    let graph = graphs::generate("grid:3x3");
    let explained = |options: &Options, what: &str| {
        let report = relay::ripple_agrees(&graph, 8, options);
        assert!(report.explain.iter().any(|line| line == what), "{what}: {:?}", report.explain);
    };
    let emulated = check::options(Place::from(Backend::Emulator).in_bins(4), 3);
    explained(&emulated, "bins: 3, because 4 were asked for: 3 vertices each");
    explained(
        &emulated,
        "pull: neighbor_group, because bins of sources were asked for, which are lists of neighbor groups",
    );
    let by_rows = Options { schedule: Schedule::VertexPerWarp, ..emulated.clone() };
    explained(&by_rows, "bins: 1, because pulls do not go by neighbor groups");
    let on_cpu = Options { backend: Backend::Cpu, ..emulated.clone() };
    explained(&on_cpu, "bins: 1, because a CPU thread takes whole rows");
    let sized = Options { bins: Bins::Auto, ..emulated };
    explained(&sized, "bins: 1, because the second-level cache of the device is not known: 9 vertices each");
}

#[test]
fn packed_sources_agree() {
    for (name, graph) in graphs() {
        println!("{name}");
        schedules::packed_sources_agree(&graph, 3, Backend::Emulator.into());
    }
    let graph = graphs::generate("rmat:5:6");
    [1, 2, 4, 5]
        .iter()
        .for_each(|features| schedules::packed_sources_agree(&graph, *features, Backend::Emulator.into()));
}

#[test]
fn sources_are_packed_for_words_alone_and_said_why() {
    let graph = graphs::generate("grid:3x3");
    let explained = |place: Place, what: &str| {
        let report = relay::ripple_agrees(&graph, 2, &check::options(place, 3));
        assert!(report.explain.iter().any(|line| line == what), "{what}: {:?}", report.explain);
    };
    let words = Place::from(Backend::Emulator).packed();
    explained(words, "packed sources: 9, because it was asked for");
    let never = "packed sources: none, because it was asked for";
    explained(Place { packing: Packing::Never, ..words }, never);
    let few = "packed sources: none, because 9 vertices and 24 edges are few";
    explained(Place { packing: Packing::Auto, ..words }, few);
    let report = relay::ripple_agrees(&graph, 2, &check::options(words.by(Schedule::NeighborGroup), 3));
    assert!(report.explain.iter().all(|line| !line.contains("packed")), "{:?}", report.explain);
}

#[test]
fn schedules_are_named() {
    for schedule in Schedule::ALL {
        assert_eq!(schedule.to_string().parse(), Ok(schedule));
    }
    assert!("fast".parse::<Schedule>().unwrap_err().contains("warp_word"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_graphs_agree(graph in graphs::any(), features in 1_usize..10) {
        schedules::agree(&graph, features, Backend::Emulator.into());
        schedules::changes_agree(&graph, features, Backend::Emulator.into());
        schedules::packed_sources_agree(&graph, features % 5 + 1, Backend::Emulator.into());
    }
}
