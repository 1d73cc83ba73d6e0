//! More features than the widest compiled width, on the GPU. Ignored where there is none: `cargo xtask test --gpu` runs them.

use onyx_runtime::{Backend, Options};
use onyx_tests::mosaic::{lay, lay_narrow};
use onyx_tests::{check, graphs, tiles};

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_special_graphs_run_by_tiles() {
    for (name, graph) in graphs::special() {
        println!("{name}");
        tiles::lay_agrees(lay_narrow, &graph, 10, &check::options(Backend::Cuda, 3));
        tiles::fade_agrees(&graph, 10, &check::options(Backend::Cuda, 100));
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_more_features_than_the_widest_width_are_laid() {
    let graph = graphs::generate("rmat:10:8");
    for features in [128, 129, 200] {
        println!("{features} features");
        let options = check::options(Backend::Cuda, 6);
        tiles::lay_agrees(lay, &graph, features, &options);
        tiles::lay_agrees(lay, &graph, features, &Options { deterministic: true, ..options });
    }
}
