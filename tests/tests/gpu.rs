//! The programs on the GPU. Ignored where there is none: `cargo xtask test --gpu` runs them and fails if it ran none.

use onyx_runtime::Backend;
use onyx_tests::{check, graphs};

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_special_graphs_mix() {
    for (name, graph) in graphs::special() {
        println!("{name}");
        check::mixture_agrees(&graph, 3, Backend::Cuda);
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_special_graphs_decay_and_count() {
    for (name, graph) in graphs::special() {
        println!("{name}");
        check::decay_agrees(&graph, 5, Backend::Cuda);
        check::degrees_agree(&graph, Backend::Cuda);
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_every_feature_count_mixes() {
    let graph = graphs::generate("rmat:10:8");
    for features in check::FEATURES {
        println!("{features} features");
        check::mixture_agrees(&graph, features, Backend::Cuda);
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_random_graphs_mix() {
    graphs::random(24).iter().for_each(|graph| check::mixture_agrees(graph, 6, Backend::Cuda));
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_special_graphs_operate_and_reduce() {
    for (name, graph) in graphs::special() {
        println!("{name}");
        check::operations_agree(&graph, 5, Backend::Cuda);
        check::reductions_agree(&graph, 3, Backend::Cuda);
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_every_feature_count_operates_and_reduces() {
    let graph = graphs::generate("rmat:10:8");
    for features in check::FEATURES {
        println!("{features} features");
        check::operations_agree(&graph, features, Backend::Cuda);
        check::reductions_agree(&graph, features, Backend::Cuda);
    }
}
