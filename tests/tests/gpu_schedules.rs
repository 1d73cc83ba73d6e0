//! Every schedule gives the same results on the GPU. Ignored where there is none: `cargo xtask test --gpu` runs them.

use onyx_runtime::Backend;
use onyx_tests::{check, graphs, replies, schedules};

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_schedules_agree_on_special_graphs() {
    for (name, graph) in graphs::special() {
        println!("{name}");
        schedules::agree(&graph, 3, Backend::Cuda.into());
        schedules::changes_agree(&graph, 5, Backend::Cuda.into());
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_blocks_of_groups_agree() {
    for (name, graph) in graphs::special().into_iter().chain([("R-MAT 12", graphs::generate("rmat:12:8"))]) {
        println!("{name}");
        for features in [16, 31, 64, 100] {
            schedules::blocks_of_groups_agree(&graph, features, Backend::Cuda.into());
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_bins_of_sources_agree() {
    for (name, graph) in graphs::special().into_iter().chain([("R-MAT 12", graphs::generate("rmat:12:8"))]) {
        println!("{name}");
        for features in [3, 16, 64, 100] {
            schedules::bins_agree(&graph, features, Backend::Cuda.into());
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_packed_sources_agree() {
    for (name, graph) in graphs::special().into_iter().chain([("R-MAT 12", graphs::generate("rmat:12:8"))]) {
        println!("{name}");
        (1..=5).for_each(|features| schedules::packed_sources_agree(&graph, features, Backend::Cuda.into()));
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_schedules_agree_on_every_feature_count() {
    let graph = graphs::generate("rmat:12:8");
    for features in check::FEATURES {
        schedules::agree(&graph, features, Backend::Cuda.into());
        schedules::changes_agree(&graph, features, Backend::Cuda.into());
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_schedules_agree_on_random_graphs() {
    for graph in graphs::random(16) {
        schedules::agree(&graph, 6, Backend::Cuda.into());
        schedules::changes_agree(&graph, 6, Backend::Cuda.into());
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_schedules_agree_on_reverse_edges() {
    for (name, graph) in graphs::special() {
        println!("{name}");
        replies::agree(&replies::both_ways(&graph), 3, Backend::Cuda.into());
    }
    let graph = replies::both_ways(&graphs::generate("rmat:10:8"));
    check::FEATURES.iter().for_each(|features| replies::agree(&graph, *features, Backend::Cuda.into()));
}
