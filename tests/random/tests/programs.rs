//! What is drawn keeps the rules, its numbers are held by single floats, and it does something.

use std::collections::BTreeSet;

use onyx_random::accesses::Accesses;
use onyx_random::cut;
use onyx_random::dice::Dice;
use onyx_random::expression::{Expression, Unary};
use onyx_random::interpreter;
use onyx_random::name::{Name, Style};
use onyx_random::network::Network;
use onyx_random::program::Program;
use onyx_random::property::Precision;
use onyx_random::rules;
use onyx_random::state::State;
use onyx_random::walk;

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
    let styles = styles
        .into_iter()
        .chain([Style::Halves, Style::Inputs, Style::Heads, Style::Integers, Style::Gathers].map(|style| (style, FEW)));
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
    for name in names().filter(|name| name.style == Style::Plain) {
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

/// What programs do with integers, in words.
fn uses_of_integers(program: &Program) -> BTreeSet<String> {
    let precision = |property: usize| program.properties[property].precision;
    let mut uses = BTreeSet::new();
    for function in &program.functions {
        walk::expressions(function, &mut |expression| {
            uses.extend(match expression {
                Expression::Read(access) if precision(access.property).is_whole() => {
                    Some(format!("{:?} read at {:?}", precision(access.property), access.place))
                }
                Expression::Whole(of, _) => Some(format!("computed by {of:?}")),
                Expression::Unary(of @ (Unary::Float | Unary::Whole | Unary::Byte), _) => {
                    Some(format!("converted by {of:?}"))
                }
                _ => None,
            });
        });
        let (accesses, kind) = (Accesses::of(function), if function.is_edge { "edge" } else { "vertex" });
        let reduced = accesses.operators.iter().filter(|(property, _)| precision(**property).is_whole());
        uses.extend(reduced.map(|(_, operator)| format!("reduced by {operator:?}")));
        let written = (0..program.properties.len()).filter(|property| accesses.writes >> property & 1 == 1);
        let of_heads = written.filter(|property| program.properties[*property].element.is_of_heads());
        uses.extend(of_heads.map(|property| format!("{:?} of heads", precision(property))));
        uses.extend((0..program.properties.len()).filter_map(|property| {
            let is_written = accesses.writes >> property & 1 == 1 && precision(property).is_whole();
            let (precision, lasting) = (precision(property), program.properties[property].lasting);
            is_written.then(|| format!("{precision:?} {lasting:?} written by {kind} functions"))
        }));
    }
    uses
}

#[test]
fn programs_of_integers_do_all_that_integers_may_do() {
    let programs: Vec<Program> = (0..SEEDS).map(|seed| Program::of(&Name::new(Style::Integers, seed))).collect();
    let count = |use_of: &str| programs.iter().filter(|program| uses_of_integers(program).contains(use_of)).count();
    let types = ["Word", "Byte"];
    let places = ["Source", "Destination", "Edge", "Reverse", "Vertex"];
    let reads = types.iter().flat_map(|of| places.map(|place| format!("{of} read at {place}")));
    let kinds = ["Tracked vertex", "Untracked vertex", "Scratch vertex", "Untracked edge", "Scratch edge"];
    let kinds = kinds.map(|kind| kind.split_once(' ').expect("how long it lasts, and whose it is"));
    let written = |(lasting, kind): (&str, &str)| types.map(|of| format!("{of} {lasting} written by {kind} functions"));
    let operators = ["Sum", "Min", "Max", "Or", "And"].map(|operator| format!("reduced by {operator}"));
    let conversions = ["Float", "Whole", "Byte"].map(|of| format!("converted by {of}"));
    let heads = types.map(|of| format!("{of} of heads"));
    let uses = reads.chain(heads).chain(kinds.into_iter().flat_map(written)).chain(operators).chain(conversions);
    for use_of in uses {
        println!("{use_of}: {} of {SEEDS}", count(&use_of));
        assert!(count(&use_of) > 0, "{use_of}");
    }
    let pushed = programs.iter().filter(|program| rules::may_be_change_driven(program)).count();
    println!("{pushed} may be pushed");
    assert!(pushed > 4, "{pushed}");
}

/// What programs do with the floats of heads, in words.
fn uses_of_heads(program: &Program) -> BTreeSet<String> {
    let is_of_heads = |property: usize| program.properties[property].element.is_of_heads();
    let mut uses = BTreeSet::new();
    for function in &program.functions {
        walk::expressions(function, &mut |expression| {
            uses.extend(match expression {
                Expression::Read(access) if is_of_heads(access.property) => Some(format!("read at {:?}", access.place)),
                _ => None,
            });
        });
        let (accesses, kind) = (Accesses::of(function), if function.is_edge { "edge" } else { "vertex" });
        let reduced = accesses.operators.iter().filter(|(property, _)| is_of_heads(**property));
        uses.extend(reduced.map(|(_, operator)| format!("reduced by {operator:?}")));
        uses.extend((0..program.properties.len()).filter_map(|property| {
            let is_written = accesses.writes >> property & 1 == 1 && is_of_heads(property);
            is_written.then(|| format!("written by {kind} functions"))
        }));
    }
    uses
}

#[test]
fn programs_of_heads_do_all_that_heads_may_do() {
    let programs: Vec<Program> = (0..FEW).map(|seed| Program::of(&Name::new(Style::Heads, seed))).collect();
    let count = |use_of: &str| programs.iter().filter(|program| uses_of_heads(program).contains(use_of)).count();
    let places = ["Source", "Destination", "Edge", "Reverse", "Vertex"].map(|place| format!("read at {place}"));
    let operators = ["Sum", "Product", "Min", "Max"].map(|operator| format!("reduced by {operator}"));
    let writers = ["edge", "vertex"].map(|kind| format!("written by {kind} functions"));
    for use_of in places.iter().chain(&operators).chain(&writers) {
        println!("{use_of}: {} of {FEW}", count(use_of));
        assert!(count(use_of) > 0, "{use_of}");
    }
    let stages = programs.iter().filter(|program| program.stages().len() > 1).count();
    let pushed = programs.iter().filter(|program| rules::may_be_change_driven(program)).count();
    println!("{stages} have several stages, {pushed} may be pushed");
    assert!(stages > 4 && pushed > 4, "{stages}, {pushed}");
}

/// What programs read at computed vertices and rows, in words.
fn uses_of_gathers(program: &Program) -> BTreeSet<String> {
    let mut uses = BTreeSet::new();
    for function in &program.functions {
        let kind = if function.is_edge { "edge" } else { "vertex" };
        walk::expressions(function, &mut |expression| {
            let Expression::Gather(property, number) = expression else { return };
            let descriptor = &program.properties[*property];
            uses.insert(format!("{:?} read in {kind} functions", descriptor.element));
            uses.insert(format!("{:?} read", descriptor.precision));
            uses.insert(format!("{:?} read", descriptor.lasting));
            uses.extend(matches!(**number, Expression::Gather(..)).then(|| "read at what was read so".to_string()));
        });
        let accesses = Accesses::of(function);
        let own = accesses.gathers & accesses.writes != 0;
        uses.extend(own.then(|| "read where the function writes it itself".to_string()));
    }
    uses
}

#[test]
fn programs_of_gathers_read_at_vertices_that_they_compute() {
    let programs: Vec<Program> = (0..SEEDS).map(|seed| Program::of(&Name::new(Style::Gathers, seed))).collect();
    let count = |use_of: &str| programs.iter().filter(|program| uses_of_gathers(program).contains(use_of)).count();
    let kinds = ["edge", "vertex"];
    let elements = ["VertexFeatures", "VertexScalar", "VertexHeads", "Table"];
    let reads = elements.iter().flat_map(|of| kinds.map(|kind| format!("{of} read in {kind} functions")));
    let types = ["Single", "Half", "Word", "Byte", "Tracked", "Untracked"].map(|of| format!("{of} read"));
    let others = ["read at what was read so", "read where the function writes it itself"].map(String::from);
    for use_of in reads.chain(types).chain(others) {
        println!("{use_of}: {} of {SEEDS}", count(&use_of));
        assert!(count(&use_of) > 0, "{use_of}");
    }
}
