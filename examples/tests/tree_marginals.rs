//! Belief propagation is exact on networks without loops, whatever their potentials: on the CPU and in the emulator.
//!
//! `ONYX_TREES` says how many networks each test tries.

mod trees;

use onyx_examples::belief_propagation::Scope;
use onyx_examples::markov::generate::{self, Shape, Spread};
use onyx_examples::markov::serial::{Domain, Question, Settings};
use onyx_examples::markov::{Elimination, MarkovNetwork, exact};
use onyx_runtime::{Backend, Status};
use trees::{assignments_agree, beliefs_agree, count, marginals_agree, solve, stars_agree};

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];

#[test]
fn elimination_is_exact() {
    for seed in 0..count(60) {
        let network = trees::tree(seed * 4, 2..=6);
        let truth = exact::enumerate(&network).unwrap();
        let marginals = Elimination::of(&network, Question::Marginals).unwrap();
        assert!(marginals.beliefs().unwrap().distance(&truth.marginals).greatest < 1e-10, "seed {seed}");
        assert!((marginals.log_partition() - truth.log_partition).abs() < 1e-8, "seed {seed}");
        let assignment = Elimination::of(&network, Question::Assignment).unwrap();
        assert_eq!(assignment.assignment().unwrap(), truth.assignment, "seed {seed}");
        assert!((assignment.log_partition() - network.log_score(&truth.assignment)).abs() < 1e-8, "seed {seed}");
        assert_eq!(assignment.beliefs().unwrap().assignment(), truth.assignment, "seed {seed}");
    }
}

#[test]
fn marginals_are_exact_on_the_cpu() {
    marginals_agree(0..count(16), 2..=200, Backend::Cpu);
}

#[test]
fn marginals_are_exact_in_the_emulator() {
    marginals_agree(0..count(6), 2..=12, Backend::Emulator);
}

#[test]
fn assignments_are_exact_on_the_cpu() {
    assignments_agree(0..count(16), 2..=200, Backend::Cpu);
}

#[test]
fn assignments_are_exact_in_the_emulator() {
    assignments_agree(0..count(6), 2..=12, Backend::Emulator);
}

#[test]
fn stars_are_exact_on_the_cpu() {
    stars_agree([1, 10, 92, 93, 1000, 10_000].into_iter(), Backend::Cpu);
}

#[test]
fn stars_are_exact_in_the_emulator() {
    stars_agree([1, 10, 93].into_iter(), Backend::Emulator);
}

/// A star whose leaves say all the same.
fn uniform_star(unary: &[f64], leaves: usize, leaf: &[f64], table: &[f64]) -> MarkovNetwork {
    let states: Vec<usize> = std::iter::once(unary.len()).chain(std::iter::repeat_n(leaf.len(), leaves)).collect();
    let mut network = MarkovNetwork::new(&states).unwrap();
    network.multiply_unary(0, unary).unwrap();
    for variable in 1..=leaves {
        network.multiply_unary(variable, leaf).unwrap();
        network.multiply_pair(0, variable, table).unwrap();
    }
    network
}

#[test]
fn weak_messages_never_outweigh_an_impossibility() {
    // Each leaf prefers the class that is impossible.
    let table: Vec<f64> = (0..9).map(|entry| if entry % 4 == 0 { 1.0 } else { 0.2 }).collect();
    for leaves in [1, 20, 24, 93, 500] {
        let network = uniform_star(&[0.5, 0.5, 0.0], leaves, &[0.01, 0.01, 0.98], &table);
        for (backend, scope) in BACKENDS.into_iter().flat_map(|backend| trees_scopes().map(|scope| (backend, scope))) {
            let answer = solve(&network, &settings(10), scope, backend);
            assert_eq!(answer.beliefs.row(0)[2], 0.0, "{leaves} leaves on {backend}");
            beliefs_agree(&network, Question::Marginals, scope, backend, 1e-4).unwrap();
        }
    }
}

fn trees_scopes() -> [Scope; 2] {
    [Scope::Changed, Scope::All]
}

fn settings(iterations: usize) -> Settings {
    Settings { tolerance: 0.0, iterations, ..Settings::default() }
}

#[test]
fn wide_variables_may_have_many_neighbors() {
    let table: Vec<f64> = (0..32 * 32).map(|entry| if entry % 33 == 0 { 1.0 } else { 0.9 }).collect();
    let leaf: Vec<f64> = (0..32).map(|state| 1.0 + f64::from(state % 3)).collect();
    for leaves in [18, 19, 200] {
        let network = uniform_star(&[1.0; 32], leaves, &leaf, &table);
        beliefs_agree(&network, Question::Marginals, Scope::Changed, Backend::Cpu, 1e-4).unwrap();
    }
}

#[test]
fn strong_messages_that_cancel_out_leave_what_decides() {
    // Half of the leaves are sure of one state, and half of the other.
    for leaves in [2, 100, 10_000] {
        let mut network = MarkovNetwork::new(&vec![2; leaves + 1]).unwrap();
        network.multiply_unary(0, &[0.6, 0.4]).unwrap();
        for leaf in 1..=leaves {
            let table = if leaf % 2 == 0 { [0.0, -50.0, -3.0, 0.0] } else { [-3.0, 0.0, 0.0, -50.0] };
            network.multiply_log_pair(0, leaf, &table).unwrap();
            network.observe(leaf, 0).unwrap();
        }
        let answer = solve(&network, &settings(10), Scope::Changed, Backend::Cpu);
        let exact = Elimination::of(&network, Question::Marginals).unwrap().beliefs().unwrap();
        assert!((exact.row(0)[0] - 0.6).abs() < 1e-6);
        assert!(answer.beliefs.distance(&exact).greatest < 1e-5, "{leaves}: {:?}", answer.beliefs.row(0));
    }
}

#[test]
fn potentials_no_float_holds_are_told_from_zero() {
    // What one factor all but forbids, another one all but demands.
    let mut network = MarkovNetwork::new(&[2, 2, 2]).unwrap();
    network.multiply_log_unary(0, &[0.0, -2000.0]).unwrap();
    network.multiply_log_pair(0, 1, &[-1990.0, -1999.0, -1.0, 0.0]).unwrap();
    network.multiply_log_pair(1, 2, &[0.0, -3000.0, -3000.0, -7.0]).unwrap();
    network.multiply_log_unary(2, &[-3000.0, 0.0]).unwrap();
    for (backend, scope) in BACKENDS.into_iter().flat_map(|backend| trees_scopes().map(|scope| (backend, scope))) {
        beliefs_agree(&network, Question::Marginals, scope, backend, 2e-4).unwrap();
        beliefs_agree(&network, Question::Assignment, scope, backend, 2e-4).unwrap();
    }
}

#[test]
fn equal_assignments_are_not_mixed() {
    // Neighbors must differ, and nothing says which of them is what.
    let mut network = MarkovNetwork::new(&[3; 40]).unwrap();
    for variable in 1..40 {
        let table: Vec<f64> = (0..9).map(|entry| if entry % 4 == 0 { 0.0 } else { 1.0 }).collect();
        network.multiply_pair(variable / 2, variable, &table).unwrap();
    }
    for scope in trees_scopes() {
        let settings = Settings { question: Question::Assignment, ..settings(60) };
        let answer = solve(&network, &settings, scope, Backend::Cpu);
        assert_eq!(network.log_score(&answer.assignment), 0.0);
    }
}

#[test]
fn damping_changes_no_answer() {
    for (seed, damping) in (0..count(6)).flat_map(|seed| [0.3, 0.9, 0.99].map(|damping| (seed, damping))) {
        let spread = Spread { deviation: 2.0, zeros: 0.1 };
        let network = generate::spread_tree(12, 2..=4, Shape::Random, spread, seed).unwrap();
        for (question, domain) in [Question::Marginals, Question::Assignment]
            .into_iter()
            .flat_map(|question| [Domain::Linear, Domain::Logarithmic].map(|domain| (question, domain)))
        {
            let settings = Settings { question, damping, domain, tolerance: 1e-5, iterations: 20_000 };
            let answer = solve(&network, &settings, Scope::All, Backend::Cpu);
            let exact = Elimination::of(&network, question).unwrap().beliefs().unwrap();
            let distance = answer.beliefs.distance(&exact).greatest;
            assert_eq!(answer.status, Status::Converged, "seed {seed}, {damping}, {question:?}, {domain:?}");
            assert!(distance < 2e-4, "seed {seed}, {damping}, {question:?}, {domain:?}: {distance:.1e}");
        }
    }
}
