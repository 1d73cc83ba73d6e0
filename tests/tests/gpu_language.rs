//! What the language has beyond sums, on the GPU: stages, scratch, matrices and reverse edges.

use std::slice;

use onyx_runtime::{Backend, Direction, Options, Schedule};
use onyx_tests::sequences::CASES;
use onyx_tests::{check, graphs, linear, mixing, outers, passing, relay, replies};

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_special_graphs_run_every_sequence() {
    for (name, graph) in graphs::special() {
        for case in CASES {
            let directions = if case.is_active && case.pushes { &check::DIRECTIONS[..] } else { &[None] };
            for direction in directions {
                println!("{name}: [{}], {direction:?}", case.functions);
                let options = Options { direction: *direction, ..check::options(Backend::Cuda, 3) };
                check::sequence_agrees(case, &graph, 3, &options);
            }
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_every_schedule_runs_every_sequence() {
    let graph = graphs::generate("rmat:9:8");
    for schedule in Schedule::ALL {
        for case in CASES {
            println!("[{}] by {schedule}", case.functions);
            let options = Options { schedule, ..check::options(Backend::Cuda, 3) };
            check::sequence_agrees(case, &graph, 4, &options);
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_every_feature_count_has_matrices() {
    let graph = graphs::generate("rmat:8:6");
    for features in [1, 2, 3, 4, 5, 8, 11, 16] {
        println!("{features} features");
        linear::factors_agree(&graph, features, &check::options(Backend::Cuda, 3));
        linear::relations_agree(&graph, features, Backend::Cuda.into());
        linear::indefinite_diverges(&graph, features, Backend::Cuda.into());
        let options = Options { direction: Some(Direction::Push), ..check::options(Backend::Cuda, 4) };
        linear::factors_agree(&graph, features, &options);
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_special_graphs_have_scratch_and_reverse_edges() {
    for (name, graph) in graphs::special() {
        println!("{name}");
        relay::agrees(&graph, 3, Backend::Cuda.into());
        relay::agrees_unfolded(&graph, 3, Backend::Cuda.into());
        relay::ripple_agrees(&graph, 3, &check::options(Backend::Cuda, 20));
        let graph = replies::both_ways(&graph);
        replies::replies_agree(&graph, 3, Backend::Cuda.into());
        replies::messages_agree(&graph, 3, Backend::Cuda.into());
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_products_of_matrices_of_the_graph_agree() {
    for (name, graph) in graphs::special().into_iter().chain([("R-MAT 8", graphs::generate("rmat:8:6"))]) {
        println!("{name}");
        for features in [1, 2, 4, 5, 8, 11, 16, 20, 32] {
            mixing::mixed_agree(&graph, features, Backend::Cuda.into());
            if features <= 8 {
                mixing::seen_agree(&graph, features, Backend::Cuda.into());
            }
            if graph.vertex_count() > 0 {
                mixing::bits_agree(&graph, features, Backend::Cuda.into());
            }
        }
        [5, 8, 16, 20, 32].iter().for_each(|features| mixing::gathered_agree(&graph, *features, Backend::Cuda.into()));
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_sums_of_outer_products_agree() {
    for (name, graph) in graphs::special().into_iter().chain([("R-MAT 12", graphs::generate("rmat:12:6"))]) {
        println!("{name}");
        [1, 4, 11, 16].iter().for_each(|features| outers::summed_agree(&graph, *features, Backend::Cuda.into()));
        let batch = graphs::batch(&[graph]);
        [3, 13, 16, 20, 32].iter().for_each(|features| outers::gathered_agree(&batch, *features, Backend::Cuda.into()));
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_rows_that_stages_leave_for_later_ones_agree() {
    let members: Vec<_> =
        (1..40).map(|vertices| graphs::graph(vertices, vec![(0, vertices as u32 - 1), (0, 0)])).collect();
    let batch = ("a batch", graphs::batch(&members));
    for (name, graph) in graphs::special().into_iter().chain([("R-MAT 12", graphs::generate("rmat:12:6")), batch]) {
        println!("{name}");
        for features in [1, 3, 4, 11, 16] {
            passing::agree(&graph, features, Backend::Cuda.into());
            passing::agree(&graphs::batch(slice::from_ref(&graph)), features, Backend::Cuda.into());
        }
        passing::unfolded_agree(&graph, 3, Backend::Cuda.into());
    }
}
