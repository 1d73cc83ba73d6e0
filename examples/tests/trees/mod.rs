//! Random networks without loops, whose exact answers are known, and belief propagation's on any backend.
#![allow(dead_code, reason = "each test program uses a part")]

use std::env;
use std::ops::{ControlFlow, RangeInclusive};

use onyx_examples::belief_propagation::{self, Propagation, Scope};
use onyx_examples::markov::generate::{self, Shape, Spread};
use onyx_examples::markov::serial::{Question, Settings};
use onyx_examples::markov::{Beliefs, DirectedNetwork, Elimination, MarkovNetwork, Messages};
use onyx_runtime::{Backend, Options, Session, Status};

/// How far a share may be from the exact one.
const SHARE: f64 = 2e-5;
/// How far the logarithm of an assignment's score may be from the greatest one, for each variable.
const SCORE: f64 = 2e-5;
/// How far a share of a hub may be, for each of its neighbors: their messages have a 32-bit float's digits.
const NEIGHBOR: f64 = 1e-7;

/// What a run has found.
pub struct Answer {
    pub status: Status,
    pub beliefs: Beliefs,
    pub assignment: Vec<usize>,
}

/// Runs belief propagation until it settles.
pub fn solve(network: &MarkovNetwork, settings: &Settings, scope: Scope, backend: Backend) -> Answer {
    let width = belief_propagation::width(network, None).expect("a compiled width");
    let directed = DirectedNetwork::new(network, width).expect("a graph");
    let session = Session::of(backend).expect("a backend");
    let mut propagation = Propagation::new(&session, &directed, settings, scope).expect("a compiled width");
    let options = Options::new().iterations(settings.iterations);
    let report = propagation.run(&options, &mut |_| ControlFlow::Continue(())).expect("the run ends");
    let places = Messages::new(network);
    let messages = propagation.messages(&places).expect("the messages of a run that has ended");
    let beliefs = places.beliefs(&messages).expect("a possible state of each variable");
    Answer { status: report.status, beliefs, assignment: places.assignment(&messages) }
}

/// One random tree: of any shape, number of states, spread of potentials, and share of zeros, as the seed says.
pub fn tree(seed: u64, variables: RangeInclusive<usize>) -> MarkovNetwork {
    let draw = |choices: u64, salt: u64| (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(17) ^ salt) % choices;
    let span = (variables.end() - variables.start() + 1) as u64;
    let variables = variables.start() + draw(span, 1) as usize;
    let states = [2..=2, 2..=5, 2..=12, 2..=40][(seed % 4) as usize].clone();
    let deviation = [1.0, 6.0, 20.0][(seed / 4 % 3) as usize];
    let zeros = [0.0, 0.1, 0.6][(seed / 12 % 3) as usize];
    let shape = [Shape::Random, Shape::Path, Shape::Star][(seed / 36 % 3) as usize];
    generate::spread_tree(variables, states, shape, Spread { deviation, zeros }, seed).expect("states")
}

/// How many of something are tried: what the variable `ONYX_TREES` says, or so many.
pub fn count(usual: u64) -> u64 {
    env::var("ONYX_TREES").map_or(usual, |text| text.parse().expect("ONYX_TREES is a number of networks"))
}

/// Runs every case, says how many failed, and fails if any did.
fn all(what: &str, cases: impl Iterator<Item = (String, Result<(), String>)>) {
    let (mut tried, mut failed) = (0, Vec::new());
    for (case, result) in cases {
        tried += 1;
        failed.extend(result.err().map(|problem| format!("{case}: {problem}")));
    }
    println!("{what}: {tried} tried, {} failed", failed.len());
    assert!(failed.is_empty(), "{} of {tried} {what}:\n{}", failed.len(), failed.join("\n"));
}

const SCOPES: [Scope; 2] = [Scope::Changed, Scope::All];

/// Marginals of trees are exact, whatever the potentials.
pub fn marginals_agree(seeds: impl Iterator<Item = u64>, variables: RangeInclusive<usize>, backend: Backend) {
    let cases = seeds.flat_map(|seed| SCOPES.map(|scope| (seed, scope)));
    all(
        "marginals of trees",
        cases.map(|(seed, scope)| {
            let network = tree(seed, variables.clone());
            (format!("seed {seed}, {scope:?}"), beliefs_agree(&network, Question::Marginals, scope, backend, SHARE))
        }),
    );
}

/// Assignments of trees are the most probable, whatever the potentials.
pub fn assignments_agree(seeds: impl Iterator<Item = u64>, variables: RangeInclusive<usize>, backend: Backend) {
    let cases = seeds.flat_map(|seed| SCOPES.map(|scope| (seed, scope)));
    all(
        "assignments of trees",
        cases.map(|(seed, scope)| {
            let network = tree(seed, variables.clone());
            (format!("seed {seed}, {scope:?}"), beliefs_agree(&network, Question::Assignment, scope, backend, SHARE))
        }),
    );
}

/// Marginals of stars are exact: their leaves' messages may be strong or weak, and alike or not.
pub fn stars_agree(leaves: impl Iterator<Item = usize>, backend: Backend) {
    let deviations = [0.001, 0.01, 0.1, 1.0, 6.0, 20.0];
    let cases = leaves.flat_map(|leaves| deviations.map(|deviation| (leaves, deviation)));
    all(
        "stars",
        cases.map(|(leaves, deviation)| {
            let spread = Spread { deviation, zeros: 0.0 };
            let network = generate::spread_tree(leaves + 1, 2..=5, Shape::Star, spread, leaves as u64).expect("states");
            let allowed = SHARE + NEIGHBOR * leaves as f64;
            let result = beliefs_agree(&network, Question::Marginals, Scope::Changed, backend, allowed);
            (format!("{leaves} leaves, deviation {deviation}"), result)
        }),
    );
}

/// A run agrees with exact elimination.
pub fn beliefs_agree(
    network: &MarkovNetwork,
    question: Question,
    scope: Scope,
    backend: Backend,
    allowed: f64,
) -> Result<(), String> {
    // Along the longest path, and then until rounding is seen to turn in a circle.
    let iterations = network.variable_count() + 200;
    let settings = Settings { question, tolerance: 0.0, iterations, ..Settings::default() };
    let answer = solve(network, &settings, scope, backend);
    let exact = Elimination::of(network, question).expect("no loops");
    let distance = answer.beliefs.distance(&exact.beliefs().expect("a possible joint state")).greatest;
    let lost = exact.log_partition() - network.log_score(&answer.assignment);
    match () {
        () if !answer.status.is_at_rest() => Err(format!("{} after {iterations} iterations", answer.status)),
        () if distance.is_nan() || distance > allowed => Err(format!("a share is off by {distance:.1e}")),
        () if question == Question::Marginals || lost.abs() <= SCORE * network.variable_count() as f64 => Ok(()),
        () => Err(format!("the logarithm of the score is off by {lost:.1e}")),
    }
}
