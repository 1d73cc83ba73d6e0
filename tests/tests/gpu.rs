//! The programs on the GPU. Ignored where there is none: `cargo xtask test --gpu` runs them and fails if it ran none.

use onyx_runtime::Backend;
use onyx_tests::{algorithms, check, graphs};

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_special_graphs_mix() {
    for (name, graph) in graphs::special() {
        println!("{name}");
        check::mixture_agrees(&graph, 3, Backend::Cuda.into());
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_special_graphs_decay_and_count() {
    for (name, graph) in graphs::special() {
        println!("{name}");
        check::decay_agrees(&graph, 5, Backend::Cuda.into());
        check::degrees_agree(&graph, Backend::Cuda.into());
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_every_feature_count_mixes() {
    let graph = graphs::generate("rmat:10:8");
    for features in check::FEATURES {
        println!("{features} features");
        check::mixture_agrees(&graph, features, Backend::Cuda.into());
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_random_graphs_mix() {
    graphs::random(24).iter().for_each(|graph| check::mixture_agrees(graph, 6, Backend::Cuda.into()));
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_special_graphs_run_the_algorithms() {
    for (name, graph) in graphs::special() {
        println!("{name}");
        for features in [1, 3, 7, 16, 64, 128] {
            algorithms::agree(&graph, features, Backend::Cuda, 60);
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_wide_labels_agree() {
    let graph = graphs::generate("rmat:10:8");
    for (features, direction) in algorithms::wide_labels() {
        algorithms::labels_agree(&graph, features, Backend::Cuda, direction, 60);
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_large_graphs_run_the_algorithms() {
    for specification in ["rmat:16", "grid:400x300", "uniform:50000:700000"] {
        println!("{specification}");
        algorithms::agree(&graphs::generate(specification), 8, Backend::Cuda, 30);
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU and ONYX_DATA"]
fn gpu_data_graphs_run_the_algorithms() {
    for path in algorithms::data_graphs() {
        println!("{}", path.display());
        algorithms::agree(&algorithms::load(&path), 4, Backend::Cuda, 20);
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_special_graphs_operate_and_reduce() {
    for (name, graph) in graphs::special() {
        println!("{name}");
        check::operations_agree(&graph, 5, Backend::Cuda.into());
        check::reductions_agree(&graph, 3, Backend::Cuda.into());
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_every_feature_count_operates_and_reduces() {
    let graph = graphs::generate("rmat:10:8");
    for features in check::FEATURES {
        println!("{features} features");
        check::operations_agree(&graph, features, Backend::Cuda.into());
        check::reductions_agree(&graph, features, Backend::Cuda.into());
    }
}
