//! Markov networks: what the readers make of files, the serial solvers against golden values, and the layout for folds.

mod command;

use command::{Folder, data, golden};
use onyx_examples::markov::directed::Potentials;
use onyx_examples::markov::serial::{self, Domain, Outcome, Question, Settings};
use onyx_examples::markov::{
    Beliefs, DirectedNetwork, MarkovNetwork, NetworkError, evidence, exact, generate, marginals, uai,
};
use serde_json::Value;

const EXACT: f64 = 1e-10;

fn floats(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

fn states(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|value| value.as_u64().unwrap() as usize).collect()
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64, place: &str) {
    assert_eq!(found.len(), expected.len(), "{place}");
    let near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() <= tolerance);
    assert!(near, "{place}: {found:?} for {expected:?}");
}

/// Every golden network with its golden answers.
fn small_networks() -> Vec<(MarkovNetwork, Value)> {
    let read = |golden: &Value| {
        let folder = Folder::new();
        let [model, observed] = ["model", "evidence"].map(|key| folder.file(key, golden[key].as_str().unwrap()));
        let mut network = uai::read(model.as_ref()).unwrap();
        evidence::clamp(observed.as_ref(), &mut network).unwrap();
        (network, golden.clone())
    };
    golden("belief_propagation_small.json")["networks"].as_array().unwrap().iter().map(read).collect()
}

fn assert_marginals(beliefs: &Beliefs, golden: &Value, tolerance: f64) {
    for (row, expected) in beliefs.rows().zip(golden["marginals"].as_array().unwrap()) {
        assert_near(row, &floats(expected), tolerance, &golden["model"].to_string());
    }
}

fn solve(network: &MarkovNetwork, question: Question) -> Outcome {
    serial::solve(network, &Settings { question, tolerance: 1e-13, ..Settings::default() }).unwrap()
}

#[test]
fn small_networks_are_enumerated_as_the_golden_script_does() {
    for (network, golden) in small_networks() {
        let found = exact::enumerate(&network).unwrap();
        assert_marginals(&found.marginals, &golden, EXACT);
        assert_eq!(found.assignment, states(&golden["assignment"]));
        let scores = [found.log_partition, network.log_score(&found.assignment)];
        let expected = ["log_partition", "log_score"].map(|key| golden[key].as_f64().unwrap());
        assert_near(&scores, &expected, EXACT, "scores");
    }
}

#[test]
fn belief_propagation_is_exact_on_trees() {
    let trees: Vec<_> = small_networks().into_iter().filter(|(_, golden)| golden["is_tree"] == true).collect();
    assert!(trees.len() >= 4);
    for (network, golden) in trees {
        let outcome = solve(&network, Question::Marginals);
        assert!(outcome.converged && outcome.iterations <= network.variable_count() + 1);
        assert_marginals(&outcome.beliefs, &golden, EXACT);
        let outcome = solve(&network, Question::Assignment);
        assert_eq!(outcome.beliefs.assignment(), states(&golden["assignment"]));
    }
}

#[test]
fn belief_propagation_is_exact_on_random_trees() {
    for seed in 0..25 {
        let network = generate::tree(7, 1..=4, seed).unwrap();
        let (truth, outcome) = (exact::enumerate(&network).unwrap(), solve(&network, Question::Marginals));
        assert!(outcome.beliefs.distance(&truth.marginals).greatest < EXACT, "seed {seed}");
        assert_eq!(solve(&network, Question::Assignment).beliefs.assignment(), truth.assignment, "seed {seed}");
    }
}

#[test]
fn damping_leads_to_the_same_fixed_point() {
    let network = generate::potts(5, 4, 3, 0.4, 1).unwrap();
    let plain = solve(&network, Question::Marginals);
    assert!(plain.converged);
    for domain in [Domain::Linear, Domain::Logarithmic] {
        let settings = Settings { damping: 0.4, domain, tolerance: 1e-13, iterations: 500, ..Settings::default() };
        let damped = serial::solve(&network, &settings).unwrap();
        assert!(damped.converged && damped.iterations > plain.iterations);
        assert!(damped.beliefs.distance(&plain.beliefs).greatest < EXACT);
    }
}

#[test]
fn weak_loops_are_nearly_exact() {
    let network = generate::potts(4, 4, 2, 0.2, 3).unwrap();
    let truth = exact::enumerate(&network).unwrap();
    let distance = solve(&network, Question::Marginals).beliefs.distance(&truth.marginals);
    assert!(distance.greatest < 0.01 && distance.greatest > 0.0, "{distance:?}");
}

#[test]
fn stripes_come_back() {
    let (network, truth) = generate::stripes(40, 30, 4, 0.3, 7).unwrap();
    for question in [Question::Marginals, Question::Assignment] {
        let settings = Settings { question, damping: 0.3, ..Settings::default() };
        let found = serial::solve(&network, &settings).unwrap().beliefs.assignment();
        let right = found.iter().zip(&truth).filter(|(found, truth)| found == truth).count();
        assert!(right as f64 > 0.98 * truth.len() as f64, "{question:?}: {right} of {}", truth.len());
    }
}

#[test]
fn the_iteration_limit_is_told_from_convergence() {
    let network = generate::potts(6, 6, 2, 1.0, 2).unwrap();
    let outcome = serial::solve(&network, &Settings { iterations: 2, ..Settings::default() }).unwrap();
    assert!(!outcome.converged && outcome.iterations == 2 && outcome.change > 1e-6);
}

#[test]
fn contradictions_are_found_across_edges() {
    let mut network = MarkovNetwork::new(&[2, 2, 2]).unwrap();
    let equal = [1.0, 0.0, 0.0, 1.0];
    network.multiply_pair(0, 1, &equal).unwrap();
    network.multiply_pair(1, 2, &equal).unwrap();
    network.observe(0, 0).unwrap();
    network.observe(2, 1).unwrap();
    assert_eq!(exact::enumerate(&network).unwrap_err(), NetworkError::Contradiction);
    assert_eq!(serial::solve(&network, &Settings::default()).unwrap_err(), NetworkError::Contradiction);
    assert_eq!(network.observe(0, 1), Err(NetworkError::NoState(0)));
    assert_eq!(network.multiply_pair(1, 0, &[0.0, 1.0, 1.0, 0.0]), Err(NetworkError::NoJointState(0, 1)));
}

#[test]
fn factors_of_one_pair_multiply_in_either_order() {
    let (one, other) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    let mut network = MarkovNetwork::new(&[2, 3]).unwrap();
    network.multiply_pair(0, 1, &one).unwrap();
    network.multiply_pair(1, 0, &other).unwrap();
    assert_eq!(network.pairs().len(), 1);
    for (first, second) in [(0, 0), (0, 2), (1, 1), (1, 2)] {
        let expected = one[first * 3 + second].ln() + other[second * 2 + first].ln();
        assert!((network.log_score(&[first, second]) - expected).abs() < EXACT);
    }
}

#[test]
fn products_of_tiny_factors_stay_in_range() {
    let mut network = MarkovNetwork::new(&[2]).unwrap();
    (0..100).for_each(|_| network.multiply_unary(0, &[1e-200, 2e-200]).unwrap());
    assert_near(network.log_unary(0), &[100.0 * 0.5f64.ln(), 0.0], 1e-10, "unary");
    assert!((network.log_score(&[1]) - 100.0 * 2e-200f64.ln()).abs() < 1e-6);
    (0..9).for_each(|_| network.multiply_unary(0, &[1e-300, 1.0]).unwrap());
    network.observe(0, 0).unwrap();
    assert_eq!(exact::enumerate(&network).unwrap().assignment, [0], "a product below all floats is possible");
}

/// Sum-product as a fold does it: 32-bit rows of K, messages by edge id, a matrix times a vector for each message.
fn by_matrices(layout: &DirectedNetwork, iterations: usize) -> Vec<f32> {
    let exponentials = |logarithms: Vec<f32>| logarithms.into_iter().map(f32::exp).collect::<Vec<f32>>();
    let (width, mut messages) = (layout.width, exponentials(layout.uniform_messages()));
    let unary: Vec<f32> = layout.log_unary.iter().map(|logarithm| logarithm.exp() as f32).collect();
    let row = |messages: &[f32], edge: usize| messages[edge * width..(edge + 1) * width].to_vec();
    let product = |messages: &[f32], vertex: u32, without: Option<usize>| {
        let mut belief = unary[vertex as usize * width..(vertex as usize + 1) * width].to_vec();
        for (edge, _, _) in layout.graph.edges().filter(|&(edge, _, to)| to == vertex && Some(edge) != without) {
            belief.iter_mut().zip(row(messages, edge)).for_each(|(belief, message)| *belief *= message);
        }
        let total: f32 = belief.iter().sum();
        belief.into_iter().map(|share| share / total).collect::<Vec<_>>()
    };
    for _ in 0..iterations {
        let next = layout.graph.edges().flat_map(|(edge, source, _)| {
            let cavity = product(&messages, source, Some(layout.reverse[edge] as usize));
            let matrix = layout.matrix(edge).chunks(width);
            let sums: Vec<f32> = matrix.map(|row| row.iter().zip(&cavity).map(|(p, c)| p * c).sum()).collect();
            let total: f32 = sums.iter().sum();
            sums.into_iter().map(move |sum| sum / total)
        });
        messages = next.collect();
    }
    (0..layout.graph.vertex_count() as u32).flat_map(|vertex| product(&messages, vertex, None)).collect()
}

#[test]
fn the_layout_for_folds_says_the_same_network() {
    for (network, golden) in small_networks() {
        for width in [network.greatest_states(), 8] {
            let layout = DirectedNetwork::new(&network, width).unwrap();
            let rows = by_matrices(&layout, 12);
            let settings = Settings { iterations: 12, tolerance: 0.0, ..Settings::default() };
            let expected = serial::solve(&network, &settings).unwrap().beliefs;
            let found = Beliefs::of_rows(&network, &rows, width).unwrap();
            assert!(found.distance(&expected).greatest < 1e-5, "{golden}");
            let own: f32 = rows.iter().sum();
            assert!((f64::from(own) - network.variable_count() as f64).abs() < 1e-4, "the padding has a share");
        }
    }
}

#[test]
fn the_layout_has_an_opposite_for_each_edge() {
    let layout = DirectedNetwork::new(&generate::potts(4, 3, 3, 0.5, 0).unwrap(), 4).unwrap();
    let edges: Vec<_> = layout.graph.edges().collect();
    assert_eq!((edges.len(), layout.graph.is_symmetric()), (2 * 17, true));
    for &(edge, source, destination) in &edges {
        let (_, back, forth) = edges[layout.reverse[edge] as usize];
        assert_eq!((back, forth), (destination, source));
    }
}

#[test]
fn one_symmetric_table_is_stored_once() {
    let network = generate::potts(4, 3, 3, 0.5, 0).unwrap();
    let layout = DirectedNetwork::new(&network, 4).unwrap();
    let e = (-0.5f32).exp();
    let shared = vec![1.0, e, e, 0.0, e, 1.0, e, 0.0, e, e, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(layout.potentials, Potentials::Shared(shared));
    let other = DirectedNetwork::new(&generate::tree(5, 3..=3, 0).unwrap(), 4).unwrap();
    assert!(matches!(other.potentials, Potentials::OfEdges(matrices) if matrices.len() == 8 * 16));
    let error = DirectedNetwork::new(&network, 2).unwrap_err().to_string();
    assert_eq!(error, "variable 0 has 3 states, but there is room for 2: ask for 3 or more");
}

#[test]
fn what_is_possible_stays_possible_in_32_bits() {
    let mut network = MarkovNetwork::new(&[2, 2]).unwrap();
    network.multiply_unary(0, &[1.0, 1e-300]).unwrap();
    network.multiply_pair(0, 1, &[1.0, 1e-300, 0.5, 0.0]).unwrap();
    let layout = DirectedNetwork::new(&network, 4).unwrap();
    let impossible = f64::NEG_INFINITY;
    assert_eq!(layout.log_unary[..4], [0.0, 1e-300f64.ln(), impossible, impossible]);
    // From variable 0 to variable 1: rows are the states of variable 1, and what no float holds is a logarithm.
    let matrix = layout.matrix(1);
    assert_eq!(matrix[..6], [1.0, 0.5, 0.0, 0.0, 1e-300f64.ln() as f32, 0.0]);
}

const PAIR: &str = "MARKOV\n2\n2 3\n2\n1 0\n2 0 1\n2\n0.4 0.6\n6\n1 2 3\n4 5 6\n";

#[test]
fn a_model_has_the_last_variable_changing_fastest() {
    let folder = Folder::new();
    for (name, text) in [("markov", PAIR.to_owned()), ("bayes", PAIR.replace("MARKOV", "BAYES"))] {
        let network = uai::read(folder.file(name, text).as_ref()).unwrap();
        assert!((network.log_score(&[1, 0]) - (0.6f64 * 4.0).ln()).abs() < EXACT);
        assert!((network.log_score(&[0, 2]) - (0.4f64 * 3.0).ln()).abs() < EXACT);
    }
}

/// Asserts the line and the reason for which a model is refused.
fn model_refused(text: &str, line: usize, reason: &str) {
    let folder = Folder::new();
    let path = folder.file("model", text);
    let error = uai::read(path.as_ref()).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{path}:{line}: ")) && error.contains(reason), "{text:?}: {error}");
}

#[test]
fn models_that_are_none() {
    model_refused("", 1, "ends where MARKOV or BAYES was expected");
    model_refused("GRAPH\n", 1, "expected MARKOV or BAYES, found \"GRAPH\"");
    model_refused("MARKOV\n-1\n", 2, "expected the number of variables, found \"-1\"");
    model_refused("MARKOV\n2\n2 0\n0\n", 3, "variable 1 has 0 states");
    model_refused("MARKOV\n2\n2\n", 3, "the number of states of variable 1");
    model_refused("MARKOV\n1\n18446744073709551616\n", 3, "expected the number of states");
    model_refused("MARKOV\n1\n99999999\n0\n", 3, "1 to 65536");
    model_refused("MARKOV\n999999999999\n2\n", 3, "the file ends");
    model_refused(&PAIR.replace("1 0\n", "1 2\n"), 5, "factor 0: there is no variable 2");
    model_refused(&PAIR.replace("2 0 1", "2 1 1"), 6, "factor 1: a factor joins variable 1 with itself");
    model_refused(&PAIR.replace("2 0 1", "3 0 1 1"), 6, "factor 1 joins 3 variables: only factors of one or two");
    model_refused(&PAIR.replace("6\n1", "4\n1"), 9, "factor 1: the table has 4 values, but its variables have 6");
    model_refused(&PAIR.replace("0.4", "-0.4"), 8, "factor 0: the potential -0.4 is not");
    model_refused(&PAIR.replace("0.4", "nan"), 8, "factor 0: the potential NaN");
    model_refused(&PAIR.replace("0.4", "1e999"), 8, "factor 0: the potential inf");
    model_refused(&PAIR.replace("0.4", "0.1e-400"), 8, "factor 0: the potential 0.1e-400 is nearer to 0 than any");
    assert!(uai::read(Folder::new().file("model", PAIR.replace("0.4", "0e-400")).as_ref()).is_ok());
    model_refused(&PAIR.replace("0.4", "half"), 8, "expected a potential of factor 0, found \"half\"");
    model_refused(&PAIR.replace("0.4 0.6", "0 0"), 7, "factor 0: every potential of the table is 0");
    model_refused(&PAIR.replace("4 5 6", "4 5"), 11, "ends where a potential of factor 1");
    model_refused(&format!("{PAIR}\n7"), 13, "\"7\" follows where the file should end");
    model_refused("MARKOV\n1\n2\n2\n1 0\n1 0\n2 1 0\n2 0 1\n", 8, "leave it no possible state");
}

/// Asserts the reason for which evidence is refused, at line 1.
fn evidence_refused(text: &str, reason: &str) {
    let folder = Folder::new();
    let (path, mut network) = (folder.file("evidence", text), generate::tree(3, 2..=2, 0).unwrap());
    let error = evidence::clamp(path.as_ref(), &mut network).unwrap_err().to_string();
    assert!(error.starts_with(&format!("{path}:1: ")) && error.contains(reason), "{text:?}: {error}");
}

#[test]
fn evidence_has_two_forms() {
    for (text, count) in [
        ("", 0),
        (" \n\t\n", 0),
        ("0", 0),
        ("1 0\n", 0),
        ("1 2 1", 1),
        ("1\n1 2 1", 1),
        ("2 0 1 2 0", 2),
        ("1\n2 0 1 2 0", 2),
    ] {
        let folder = Folder::new();
        let mut network = generate::tree(3, 2..=2, 0).unwrap();
        assert_eq!(evidence::clamp(folder.file("evidence", text).as_ref(), &mut network).unwrap(), count, "{text}");
        let clamped = (0..3).filter(|&variable| network.log_unary(variable).contains(&f64::NEG_INFINITY)).count();
        assert_eq!(clamped, count, "{text}");
    }
}

#[test]
fn evidence_that_is_none() {
    evidence_refused("2 0 1 2", "2 observations, which are 2 pairs \"variable state\", but 3 numbers follow");
    evidence_refused("1 2 0 1 2", "but 4 numbers follow");
    evidence_refused("1 0 1 1", "but 2 numbers follow");
    evidence_refused("1 3 0", "there is no variable 3");
    evidence_refused("1 0 2", "variable 0 is observed in state 2, but its states are numbered from 0 and there are 2");
    evidence_refused("2 0 1 0 1", "variable 0 is observed twice");
    evidence_refused("1 0 one", "expected the observed state of variable 0, found \"one\"");
    evidence_refused("9223372036854775808 0 1", "but 2 numbers follow");
}

#[test]
fn marginals_that_are_none() {
    let (folder, network) = (Folder::new(), generate::tree(2, 2..=2, 0).unwrap());
    let cases = [
        ("", "ends where MAR"),
        ("MAP\n2 0 0", "expected MAR, found \"MAP\""),
        ("MAR\n3 2 1 0", "has marginals of 3 variables, but the network has 2"),
        ("MAR\n2 3 1 0 0", "variable 0 has 3 states, but in the network it has 2"),
        ("MAR\n2 2 0.5 0.5 2 0.6 0.5", "adds up to 1.1"),
        ("MAR\n2 2 0.5 0.5 2 1.5 -0.5", "expected a share of variable 1 between 0 and 1, found \"1.5\""),
        ("MAR\n2 2 0.5 0.5 2 0.5", "ends where a share of variable 1"),
        ("MAR\n2 2 0.5 0.5 2 0.5 0.5 2", "\"2\" follows where"),
    ];
    for (text, reason) in cases {
        let error = marginals::read(folder.file("marginals", text).as_ref(), &network).unwrap_err().to_string();
        assert!(error.contains(reason), "{text:?}: {error}");
    }
    let path = folder.file("marginals", "MAR\n2 2 0.25 0.75 2 1 0");
    let found = marginals::read(path.as_ref(), &network).unwrap();
    assert_eq!(found.rows().collect::<Vec<_>>(), [[0.25, 0.75], [1.0, 0.0]]);
    assert_eq!(found.assignment(), [1, 0]);
}

/// A network of the competition with its evidence, and its true marginals.
fn competition(name: &str) -> (MarkovNetwork, Beliefs) {
    let path = |ending: &str| data(&format!("uai/{name}.uai{ending}.gz"));
    let mut network = uai::read(&path("")).unwrap();
    assert_eq!(evidence::clamp(&path(".evid"), &mut network).unwrap(), 0);
    let truth = marginals::read(&path(".MAR"), &network).unwrap();
    (network, truth)
}

/// The settings of the golden script.
fn settings(golden: &Value, iterations: &str) -> Settings {
    let number = |key: &str| golden[key].as_f64().unwrap();
    let (damping, tolerance) = (number("damping"), number("tolerance"));
    Settings { damping, tolerance, iterations: number(iterations) as usize, ..Settings::default() }
}

fn assert_distance(found: &Outcome, truth: &Beliefs, expected: &Value) {
    let distance = found.beliefs.distance(truth);
    let expected = ["greatest", "mean"].map(|key| expected[key].as_f64().unwrap());
    assert_near(&[distance.greatest, distance.mean], &expected, 1e-6, "distance");
}

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_networks_of_the_competition() {
    let golden = golden("belief_propagation_uai.json");
    let models = golden["models"].as_object().unwrap();
    assert_eq!(models.len(), 20);
    for (name, expected) in models {
        let (network, truth) = competition(name);
        let counts = [network.variable_count(), network.pairs().len()].map(Value::from);
        assert_eq!(counts, ["variables", "pairs"].map(|key| expected[key].clone()), "{name}");
        let few = serial::solve(&network, &settings(&golden, "few")).unwrap();
        assert_distance(&few, &truth, &expected["few"]);
        let last = serial::solve(&network, &settings(&golden, "limit")).unwrap();
        assert_eq!(Value::from(last.converged), expected["converged"], "{name}");
        if last.converged {
            assert_eq!(Value::from(last.iterations), expected["iterations"], "{name}");
            assert_distance(&last, &truth, &expected["distance"]);
        }
    }
}

#[test]
#[ignore = "needs ONYX_DATA"]
fn data_beliefs_of_grids() {
    let golden = golden("belief_propagation_uai.json");
    let detailed = golden["models"].as_object().unwrap().iter().filter(|(_, model)| model["beliefs"].is_array());
    assert_eq!(detailed.clone().count(), 2);
    for (name, model) in detailed {
        let (network, _) = competition(name);
        let damped = settings(&golden, "few");
        let cases = [
            ("damped", damped),
            ("undamped", Settings { damping: 0.0, ..damped }),
            ("maximum", Settings { question: Question::Assignment, ..damped }),
        ];
        for (key, settings) in cases {
            let found = serial::solve(&network, &settings).unwrap().beliefs;
            for expected in model["beliefs"].as_array().unwrap() {
                let variable = expected["variable"].as_u64().unwrap() as usize;
                assert_near(found.row(variable), &floats(&expected[key]), 1e-8, &format!("{name} {key} {variable}"));
            }
        }
    }
}

#[test]
fn damaged_files_are_refused_or_read_but_never_a_crash() {
    let (folder, words) = (Folder::new(), ["", "0", "-1", "3", "18446744073709551615", "1e308", "x"]);
    let texts = [PAIR, "MAR\n2 2 0.25 0.75 3 1 0 0\n", "1\n2 0 1 1 2\n"];
    let path = folder.file("whole", PAIR);
    let network = uai::read(path.as_ref()).unwrap();
    let (mut read, mut refused) = (0, 0);
    for text in texts {
        let parts: Vec<&str> = text.split_whitespace().collect();
        for (place, word) in (0..parts.len()).flat_map(|place| words.map(|word| (place, word))) {
            let damaged = [&parts[..place], &[word], &parts[place + 1..]].concat().join(" ");
            let path = folder.file("damaged", damaged);
            let model = uai::read(path.as_ref()).is_ok();
            let marginals = marginals::read(path.as_ref(), &network).is_ok();
            let observed = evidence::clamp(path.as_ref(), &mut network.clone()).is_ok();
            if model || marginals || observed { read += 1 } else { refused += 1 }
        }
    }
    assert!(read > 10 && refused > 150, "{read} read, {refused} refused");
}
