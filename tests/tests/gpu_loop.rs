//! The loop on the GPU. Ignored where there is none: `cargo xtask test --gpu` runs it.

use onyx_runtime::{Backend, Bins, Direction, Options};
use onyx_tests::cases::CASES;
use onyx_tests::check::assert_close;
use onyx_tests::{graphs, tide};

fn deterministic(iterations: usize) -> Options {
    Options { backend: Backend::Cuda, iterations, deterministic: true, ..Options::default() }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_deterministic_runs_have_the_same_bits() {
    let graph = graphs::generate("rmat:14:16");
    for (case, _, run) in CASES {
        let expected = run(&graph, &deterministic(30));
        for again in 1..10 {
            let found = run(&graph, &deterministic(30));
            assert_eq!(found.active(), expected.active(), "{case}, run {again}");
            assert!(found.bits() == expected.bits(), "{case}, run {again}: other bits");
        }
        let in_bins = || run(&graph, &Options { bins: Bins::Count(5), ..deterministic(30) });
        assert!(in_bins().bits() == in_bins().bits(), "{case} in bins: other bits");
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_batches_give_what_single_iterations_give() {
    for (name, graph) in graphs::special().into_iter().chain([("R-MAT 14", graphs::generate("rmat:14:16"))]) {
        for (case, _, run) in CASES {
            let expected = run(&graph, &Options { read_every: 1, ..deterministic(45) });
            for (read_every, replay) in [(3, true), (8, false), (8, true), (16, true)] {
                let found = run(&graph, &Options { read_every, replay, ..deterministic(45) });
                let what = format!("{case} on {name}, batches of {read_every}, replay {replay}");
                assert_eq!(found.active(), expected.active(), "{what}");
                assert!(found.bits() == expected.bits(), "{what}: other bits");
            }
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_deterministic_runs_agree_with_the_others() {
    for (name, graph) in graphs::special() {
        for (case, _, run) in CASES {
            let options = deterministic(5);
            let atomic = Options { deterministic: false, direction: Some(Direction::Pull), ..options.clone() };
            let expected: Vec<f64> = run(&graph, &atomic).values.iter().map(|value| f64::from(*value)).collect();
            assert_close(&format!("{case} on {name}"), &run(&graph, &options).values, &expected);
        }
    }
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_refreshes_bound_the_drift_of_pushes() {
    let graph = graphs::generate("rmat:7:8");
    for read_every in [1, 8] {
        let pushed = Options {
            backend: Backend::Cuda,
            iterations: 10_000,
            direction: Some(Direction::Push),
            read_every,
            ..Options::default()
        };
        let drift = tide::drift(&graph, 4, &pushed);
        println!("drift after 10,000 iterations in batches of {read_every}: {drift:.2e}");
        assert!(drift <= 5e-6, "{drift:e}");
    }
}
