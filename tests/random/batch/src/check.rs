//! Runs a program on a backend, and compares all that it leaves with what the interpreter has.

use onyx_random::dice::Dice;
use onyx_random::name::Name;
use onyx_random::program::Program;
use onyx_random::property::Element;
use onyx_random::rules;
use onyx_random::state::count;
use onyx_runtime::{Backend, Direction, Options, Report, Status, Store};

use crate::case::Case;
use crate::graphs;
use crate::trial::Trial;

/// How many trials each program has.
const TRIALS: usize = 6;
/// How often each is run on the CPU and in the emulator, which need no GPU.
const HOST: [(Backend, usize); 2] = [(Backend::Cpu, 3), (Backend::Emulator, 4)];
/// How often each is run on a GPU.
const GPU: [(Backend, usize); 1] = [(Backend::Cuda, 6)];

/// Fails with the program, the trial and the options of the first run on this machine's processor that differs.
pub fn agrees(case: &Case) {
    compare(case, &HOST);
}

/// Fails with the program, the trial and the options of the first run on a GPU that differs.
pub fn agrees_on_gpu(case: &Case) {
    compare(case, &GPU);
}

fn compare(case: &Case, backends: &[(Backend, usize)]) {
    let name: Name = case.name.parse().expect("a name");
    let program = Program::of(&name);
    println!("{name}: `cargo xtask random {name}` runs it alone\n\n{}", program.source());
    let mut dice = Dice::new(name.seed ^ 0xc0de);
    for _ in 0..TRIALS {
        let Some(trial) = Trial::draw(&program, case, &mut dice) else { continue };
        for (backend, runs) in backends {
            for _ in 0..*runs {
                let options = trial.options(case, program.widest(), *backend, &mut dice);
                println!("{}, {} x {} features, {options:?}", trial.sample.name, trial.heads, trial.features);
                run(&program, case, &trial, &options);
            }
        }
    }
}

fn run(program: &Program, case: &Case, trial: &Trial, options: &Options) {
    let mut store = filled(program, case, trial);
    let report = (case.run)(&trial.sample.graph, &mut store, options).unwrap_or_else(|error| panic!("{error}"));
    compare_course(program, trial, options, &report);
    compare_values(program, case, trial, &store, report.iterations.len());
}

fn filled(program: &Program, case: &Case, trial: &Trial) -> Store {
    let mut store =
        (case.store)(&trial.sample.graph, trial.heads, trial.features).expect("the trial was drawn with it");
    let (network, state) = (graphs::network(&trial.sample.graph), &trial.expected[0].0);
    for (index, property) in program.properties.iter().enumerate() {
        for at in 0..count(property.element, &network) {
            let values: Vec<f64> = state.of(property.element, index, at).iter().map(|float| float.value).collect();
            (case.put)(&mut store, index, at, &values);
        }
    }
    store
}

/// The number of active vertices after each iteration, and when the run ended.
fn compare_course(program: &Program, trial: &Trial, options: &Options, report: &Report) {
    let found: Vec<usize> = report.iterations.iter().map(|iteration| iteration.active).collect();
    let expected: Vec<usize> = trial.expected[1..].iter().take(found.len()).map(|(_, active)| *active).collect();
    assert_eq!(found, expected, "active vertices after each iteration, {:?}", directions(report));
    // A push that leaves nothing active is confirmed by a pull, but for one along the edges of active sources.
    let settles = |iteration: &onyx_runtime::Iteration| {
        iteration.active == 0 && (iteration.direction != Direction::Push || program.fold.is_active)
    };
    let settled = report.iterations.iter().position(settles);
    let last = settled.map_or(options.iterations, |position| position + 1);
    assert_eq!(found.len(), last, "iterations, {:?}", directions(report));
    let status = if settled.is_some() { Status::Converged } else { Status::IterationLimit };
    assert_eq!((report.status, report.diverged), (status, None));
}

fn directions(report: &Report) -> Vec<Direction> {
    report.iterations.iter().map(|iteration| iteration.direction).collect()
}

fn compare_values(program: &Program, case: &Case, trial: &Trial, store: &Store, iterations: usize) {
    let (network, state) = (graphs::network(&trial.sample.graph), &trial.expected[iterations].0);
    let unspecified = rules::unspecified(program);
    for (index, property) in program.properties.iter().enumerate() {
        let has_values = !property.is_scratch() && !matches!(property.element, Element::Iteration | Element::Lift);
        if !has_values || unspecified >> index & 1 == 1 {
            continue;
        }
        for at in 0..count(property.element, &network) {
            let (found, expected) = ((case.get)(store, index, at), state.of(property.element, index, at));
            let agrees =
                found.len() == expected.len() && expected.iter().zip(&found).all(|(float, found)| float.agrees(*found));
            assert!(
                agrees,
                "{} at {at} after {iterations} iterations: found {found:?}, expected {expected:?}",
                property.name
            );
        }
    }
}
