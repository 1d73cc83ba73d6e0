//! Matrices agree with their serial references, on the CPU and in the emulator.

use onyx_runtime::{Backend, Direction, Options};
use onyx_tests::{check, graphs, linear};
use proptest::collection::vec;
use proptest::prelude::*;

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];
const FEATURES: [usize; 8] = [1, 2, 3, 4, 5, 8, 11, 16];

#[test]
fn every_feature_count_factorizes() {
    let graph = graphs::generate("rmat:5:6");
    for features in FEATURES {
        for backend in BACKENDS {
            println!("{features} features on {backend}");
            linear::factors_agree(&graph, features, &check::options(backend, 3));
        }
    }
}

#[test]
fn pushed_matrices_are_those_of_a_pull() {
    let graph = graphs::generate("rmat:5:6");
    for features in [1, 3, 8, 16] {
        for backend in BACKENDS {
            let options = Options { direction: Some(Direction::Push), ..check::options(backend, 4) };
            println!("{features} features on {backend}");
            linear::factors_agree(&graph, features, &options);
        }
    }
}

#[test]
fn every_feature_count_relates() {
    let graph = graphs::generate("rmat:5:6");
    for features in FEATURES {
        for backend in BACKENDS {
            println!("{features} features on {backend}");
            linear::relations_agree(&graph, features, backend.into());
        }
    }
}

#[test]
fn special_graphs_factorize_and_relate() {
    for (name, graph) in graphs::special() {
        for backend in BACKENDS {
            println!("{name} on {backend}");
            linear::factors_agree(&graph, 5, &check::options(backend, 2));
            linear::relations_agree(&graph, 3, backend.into());
        }
    }
}

#[test]
fn deterministic_sums_of_matrices_agree() {
    let graph = graphs::generate("rmat:5:6");
    let options = Options { deterministic: true, ..check::options(Backend::Emulator, 3) };
    linear::factors_agree(&graph, 6, &options);
}

#[test]
fn an_indefinite_matrix_diverges() {
    let graph = graphs::generate("rmat:2:2");
    for features in [1, 3, 4, 7, 16] {
        for backend in BACKENDS {
            linear::indefinite_diverges(&graph, features, backend.into());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_systems_are_solved_and_inverted(
        (factors, right) in (1_usize..=16).prop_flat_map(|features| {
            let row = move || vec(-1.0_f32..1.0, features).prop_map(|row| row.into_iter().map(f64::from).collect());
            (vec(vec(row(), features), 4), vec(row(), 4))
        })
    ) {
        let graph = graphs::generate("rmat:2:2");
        for backend in BACKENDS {
            linear::systems_agree(&graph, &factors, &right, backend.into());
        }
    }
}
