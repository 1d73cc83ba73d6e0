//! What is drawn keeps the rules, its numbers are held by single floats, and it does something.

use onyx_random::cut;
use onyx_random::dice::Dice;
use onyx_random::interpreter;
use onyx_random::name::{Name, Style};
use onyx_random::network::Network;
use onyx_random::program::Program;
use onyx_random::property::Precision;
use onyx_random::rules;
use onyx_random::state::State;

/// How many programs of each style are drawn.
const SEEDS: u64 = 120;
/// How many of those styles that change what properties are, and no functions.
const FEW: u64 = 40;
const ITERATIONS: usize = 6;

/// A graph with loops and several edges between the same ends, each of which has a reverse.
fn network(seed: u64) -> Network {
    let mut dice = Dice::new(seed);
    let mut ends: Vec<(usize, usize)> = Vec::new();
    for _ in 0..30 {
        let (source, destination) = (dice.below(12), dice.below(12));
        ends.push((source, destination));
        if source != destination {
            ends.push((destination, source));
        }
    }
    ends.sort_by_key(|(source, destination)| (*destination, *source));
    Network::new(12, &ends)
}

/// The states after each iteration, and how many vertices are active.
fn course(program: &Program, seed: u64) -> Vec<(State, usize)> {
    let network = network(seed);
    let heads = if program.has_heads() { 1 + seed as usize % 3 } else { 1 };
    let mut state = State::new(program, &network, heads, 1 + seed as usize % program.widest(), seed);
    let mut course = vec![(state.clone(), network.vertices)];
    for _ in 0..ITERATIONS {
        let active = interpreter::iterate(program, &network, &mut state);
        course.push((state.clone(), active));
    }
    course
}

fn names() -> impl Iterator<Item = Name> {
    let styles = [Style::Plain, Style::History, Style::Width, Style::Near, Style::Tables].map(|style| (style, SEEDS));
    let few = [
        Style::Halves,
        Style::Inputs,
        Style::Heads,
        Style::Outward,
        Style::States,
        Style::Totals,
        Style::Integers,
        Style::Gathers,
    ];
    let styles = styles.into_iter().chain(few.map(|style| (style, FEW)));
    styles.flat_map(|(style, seeds)| (0..seeds).map(move |seed| Name::new(style, seed)))
}

#[test]
fn programs_keep_the_rules_and_round_nothing_that_decides() {
    for name in names() {
        let program = Program::of(&name);
        println!("{name}");
        assert_eq!(rules::broken(&program), None, "{name}\n{}", program.source());
        course(&program, name.seed);
    }
}

#[test]
fn data_may_be_generic_over_features_that_nothing_has() {
    let program = Program::of(&Name::new(Style::Integers, 9_129_041));
    assert!(program.has_features && !program.has_rows(), "{}", program.source());
}

#[test]
fn most_programs_change_something_and_some_settle() {
    let (mut changing, mut settled, mut pushed) = (0, 0, 0);
    for name in names().filter(|name| name.style == Style::Plain) {
        let program = Program::of(&name);
        let course = course(&program, name.seed);
        let values =
            |at: usize| course[at].0.values.iter().flatten().map(|float| float.value.to_bits()).collect::<Vec<u64>>();
        changing += usize::from(values(1) != values(2));
        settled += usize::from(course[ITERATIONS].1 < course[0].1);
        pushed += usize::from(rules::may_be_change_driven(&program) || program.fold.is_active);
    }
    println!(
        "of {SEEDS}: {changing} change something in the second iteration, {settled} are active in part, {pushed} may be pushed"
    );
    assert!(changing > 60 && settled > 50 && pushed > 50, "{changing}, {settled}, {pushed}");
}

#[test]
fn rounded_numbers_are_known_well_enough_to_be_compared() {
    let (mut rough, mut vague) = (0, 0);
    for name in names().filter(|name| matches!(name.style, Style::Plain | Style::States)) {
        let program = Program::of(&name);
        for float in course(&program, name.seed)[ITERATIONS].0.values.iter().flatten().filter(|float| !float.is_exact())
        {
            rough += 1;
            vague += usize::from(float.error > 0.01 * (1.0 + float.value.abs()));
        }
    }
    println!("{rough} numbers are rounded, of {vague} the error is larger than a hundredth");
    assert!(rough > 1000 && vague * 10 < rough, "{rough}, {vague}");
}

#[test]
fn cuts_are_legal_and_smaller() {
    for name in names().filter(|name| name.seed % 30 == 0) {
        let program = Program::of(&name);
        let cuts = cut::cuts(&program);
        assert!(!cuts.is_empty(), "{name}");
        for cut in cuts.iter().step_by(7) {
            assert_eq!(rules::broken(cut), None, "{name}\n{}", cut.source());
            assert!(cut.source() != program.source(), "{name}");
            course(cut, name.seed);
        }
    }
}

#[test]
fn many_programs_keep_what_half_precision_rounds() {
    let rounds = |name: &Name| {
        let mut program = Program::of(name);
        let halves = course(&program, name.seed);
        program.properties.iter_mut().for_each(|property| property.precision = Precision::Single);
        let singles = course(&program, name.seed);
        let values = |course: &[(State, usize)]| -> Vec<u64> {
            let states = course.iter().flat_map(|(state, _)| state.values.iter().flatten());
            states.map(|float| float.value.to_bits()).collect()
        };
        values(&halves) != values(&singles)
    };
    let rounding = names().filter(|name| name.style == Style::Halves).filter(rounds).count();
    println!("half precision shows in {rounding} of {FEW}");
    assert!(rounding > 12, "{rounding}");
}
