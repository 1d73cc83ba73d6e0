//! The interpreter does what the reference says, on programs whose results are known by hand.

use onyx_random::expression::{Access, Binary, Expression, Place, Unary, Whole};
use onyx_random::float::Float;
use onyx_random::interpreter::iterate;
use onyx_random::name::{Name, Style};
use onyx_random::network::Network;
use onyx_random::operation::Operation;
use onyx_random::program::{Fold, Function, PerLane, Program};
use onyx_random::property::{Element, Lasting, Precision, Property, Start};
use onyx_random::state::State;
use onyx_random::statement::{Change, Reduction, Statement};

const LEVEL: usize = 0;
const TOTAL: usize = 1;

/// Levels that are added up along edges, and what comes of the total.
fn program(functions: Vec<Function>, parts: Vec<Vec<usize>>, is_active: bool) -> Program {
    let property = |name: &str, element, lasting| Property {
        name: name.to_string(),
        element,
        lasting,
        precision: Precision::Single,
        start: Start::Zero,
    };
    let fold = Fold { parts, is_unfolded: false, is_active, widths: vec![2], per_lane: PerLane::Default };
    Program {
        name: Name::new(Style::Plain, 0),
        has_features: true,
        properties: vec![
            property("level", Element::VertexFeatures, Lasting::Tracked),
            property("total", Element::VertexScalar, Lasting::Untracked),
        ],
        functions,
        fold,
    }
}

fn read(property: usize, place: Place) -> Expression {
    Expression::Read(Access { property, place })
}

/// Adds the sum of the source's levels, and returns whether the first is above zero.
fn spread() -> Function {
    let value = Expression::Operation(Operation::Sum, vec![read(LEVEL, Place::Source)]);
    let statements = vec![Statement::Reduce { property: TOTAL, reduction: Reduction::Sum, value }];
    let first = Expression::Operation(Operation::Broadcast, vec![read(LEVEL, Place::Source), Expression::Count(0)]);
    let result = Expression::binary(Binary::More, first, Expression::Number(0.0));
    Function { name: "spread".to_string(), is_edge: true, has_feature: true, statements, result }
}

/// Takes the total as the level, and returns whether that has changed.
fn take() -> Function {
    let access = Access { property: LEVEL, place: Place::Vertex };
    let old = Statement::Let { name: "old".to_string(), is_mutable: false, value: Expression::Read(access) };
    let write = Statement::Write { access, change: Change::Assign, value: read(TOTAL, Place::Vertex) };
    let result = Expression::binary(Binary::Differs, Expression::Read(access), Expression::Variable("old".to_string()));
    Function { name: "take".to_string(), is_edge: false, has_feature: true, statements: vec![old, write], result }
}

/// A path of four vertices whose first has the levels 1 and 2.
fn path(program: &Program) -> (Network, State) {
    let network = Network::new(4, &[(0, 1), (1, 2), (2, 3)]);
    let mut state = State::new(program, &network, 1, 2, 0);
    state.values[LEVEL][..2].copy_from_slice(&[Float::new(1.0), Float::new(2.0)]);
    (network, state)
}

fn levels(state: &State) -> Vec<f64> {
    state.values[LEVEL].iter().map(|level| level.value).collect()
}

#[test]
fn levels_travel_by_one_edge_in_each_iteration() {
    let program = program(vec![spread(), take()], vec![vec![0, 1]], false);
    let (network, mut state) = path(&program);
    assert_eq!(iterate(&program, &network, &mut state), 2);
    assert_eq!(levels(&state), [0.0, 0.0, 3.0, 3.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(iterate(&program, &network, &mut state), 2);
    assert_eq!(levels(&state), [0.0, 0.0, 0.0, 0.0, 6.0, 6.0, 0.0, 0.0]);
    assert_eq!((0..3).map(|_| iterate(&program, &network, &mut state)).collect::<Vec<_>>(), [2, 1, 0]);
}

#[test]
fn stages_see_what_earlier_ones_have_written() {
    let program = program(vec![spread(), take()], vec![vec![0, 1], vec![0, 1]], false);
    let (network, mut state) = path(&program);
    // The second stage runs where the first returned true: at the vertices 0 and 1.
    assert_eq!(iterate(&program, &network, &mut state), 1);
    assert_eq!(levels(&state), [0.0; 8]);
}

#[test]
fn edges_of_active_sources_reach_their_destinations() {
    let program = program(vec![spread(), take()], vec![vec![0, 1]], true);
    let (network, mut state) = path(&program);
    state.active = vec![true, false, false, false];
    assert_eq!(iterate(&program, &network, &mut state), 1);
    // The first vertex is not reached, and so keeps its level.
    assert_eq!(levels(&state), [1.0, 2.0, 3.0, 3.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(state.active, [false, true, false, false]);
}

#[test]
fn edge_functions_alone_activate_destinations() {
    let program = program(vec![spread()], vec![vec![0]], false);
    let (network, mut state) = path(&program);
    assert_eq!(iterate(&program, &network, &mut state), 1);
    assert_eq!(state.active, [false, true, false, false]);
    let totals: Vec<f64> = state.values[TOTAL].iter().map(|total| total.value).collect();
    assert_eq!(totals, [0.0, 3.0, 0.0, 0.0]);
}

/// Two heads of two features: the first begins as [`path`], the second at the second vertex.
fn path_of_heads(program: &mut Program) -> (Network, State) {
    program.properties[TOTAL].element = Element::VertexHeads;
    let network = Network::new(4, &[(0, 1), (1, 2), (2, 3)]);
    let mut state = State::new(program, &network, 2, 2, 0);
    for (at, level) in [(0, 1.0), (1, 2.0), (6, 1.0), (7, 1.0)] {
        state.values[LEVEL][at] = Float::new(level);
    }
    (network, state)
}

#[test]
fn heads_have_totals_of_their_own_and_are_active_together() {
    let mut program = program(vec![spread(), take()], vec![vec![0, 1]], false);
    let (network, mut state) = path_of_heads(&mut program);
    assert_eq!(iterate(&program, &network, &mut state), 3);
    let expected = [[0.0, 0.0, 0.0, 0.0], [3.0, 3.0, 0.0, 0.0], [0.0, 0.0, 2.0, 2.0], [0.0; 4]];
    assert_eq!(levels(&state), expected.concat());
    assert_eq!(state.active, [true, true, true, false]);
}

#[test]
fn a_head_that_is_stopped_stops_no_other() {
    let mut program = program(vec![spread(), take()], vec![vec![0, 1], vec![0, 1]], false);
    let (network, mut state) = path_of_heads(&mut program);
    // The third vertex has changed in the second head alone, and so the first one takes nothing there.
    assert_eq!(iterate(&program, &network, &mut state), 2);
    assert_eq!(levels(&state), [0.0; 16]);
    assert_eq!(state.active, [false, true, true, false]);
}

/// A path of four vertices with whole numbers: each takes what `value` makes of its total, into which its edge brings the source's.
fn numbers_of(precision: Precision, reduction: Reduction, value: Expression, numbers: [u32; 4]) -> Vec<f64> {
    let bring = Statement::Reduce {
        property: TOTAL,
        reduction,
        value: Expression::unary(Unary::Whole, read(LEVEL, Place::Source)),
    };
    let access = Access { property: LEVEL, place: Place::Vertex };
    let write = Statement::Write { access, change: Change::Assign, value };
    let function = |is_edge, statement| Function {
        name: format!("of_edge_{is_edge}"),
        is_edge,
        has_feature: true,
        statements: vec![statement],
        result: Expression::Flag(true),
    };
    let mut program = program(vec![function(true, bring), function(false, write)], vec![vec![0, 1]], false);
    program.properties[LEVEL].element = Element::VertexScalar;
    program.properties[LEVEL].precision = precision;
    program.properties[TOTAL].precision = Precision::Word;
    let network = Network::new(4, &[(0, 1), (1, 2), (2, 3)]);
    let mut state = State::new(&program, &network, 1, 2, 0);
    state.values[LEVEL] = numbers.map(Float::of_whole).to_vec();
    assert_eq!(iterate(&program, &network, &mut state), 4);
    levels(&state)
}

#[test]
fn integers_wrap_and_are_exact() {
    let (total, own) = (read(TOTAL, Place::Vertex), read(LEVEL, Place::Vertex));
    let sum = Expression::whole(Whole::Add, total.clone(), own.clone());
    let great = u32::MAX - 1;
    let found = numbers_of(Precision::Word, Reduction::Sum, sum, [great, 16_777_217, 5, 1]);
    assert_eq!(found, [f64::from(great), 16_777_215.0, 16_777_222.0, 6.0]);
    let rest = Expression::whole(Whole::Rest, total.clone(), own.clone());
    let found = numbers_of(Precision::Word, Reduction::Difference, rest, [1, 10, 7, 0]);
    assert_eq!(found, [0.0, 5.0, f64::from((u32::MAX - 9) % 7), 0.0]);
    let shifted = Expression::whole(Whole::Right, total, Expression::Count(28));
    assert_eq!(numbers_of(Precision::Word, Reduction::And, shifted, [1 << 31, 3, 0, 0]), [15.0, 8.0, 0.0, 0.0]);
}

#[test]
fn bytes_have_eight_bits() {
    let narrow = Expression::unary(Unary::Byte, read(TOTAL, Place::Vertex));
    let product = Expression::whole(Whole::Multiply, narrow, read(LEVEL, Place::Vertex));
    let found = numbers_of(Precision::Byte, Reduction::Max, product, [200, 3, 90, 2]);
    assert_eq!(found, [0.0, f64::from(200 * 3 % 256), f64::from(3 * 90 % 256), 180.0]);
}

fn gather(property: usize, number: Expression) -> Expression {
    Expression::Gather(property, Box::new(number))
}

#[test]
fn what_is_at_a_computed_vertex_is_as_it_was_before_the_stage() {
    let next = gather(LEVEL, read(LEVEL, Place::Vertex));
    // One after the other, the last vertex would see what the one before it has just taken.
    assert_eq!(numbers_of(Precision::Word, Reduction::Sum, next.clone(), [0, 0, 1, 2]), [0.0, 0.0, 0.0, 1.0]);
    let twice = gather(LEVEL, next);
    assert_eq!(numbers_of(Precision::Word, Reduction::Sum, twice, [1, 2, 3, 0]), [3.0, 0.0, 1.0, 2.0]);
}

#[test]
fn rows_at_computed_vertices_are_read_feature_by_feature() {
    let last = gather(LEVEL, Expression::Count(1));
    let value = Expression::Operation(Operation::Sum, vec![last]);
    let bring = Statement::Reduce { property: TOTAL, reduction: Reduction::Sum, value };
    let edge = Function { statements: vec![bring], result: Expression::Flag(true), ..spread() };
    let program = program(vec![edge], vec![vec![0]], false);
    let (network, mut state) = path(&program);
    state.values[LEVEL][2..4].copy_from_slice(&[Float::new(3.0), Float::new(0.5)]);
    assert_eq!(iterate(&program, &network, &mut state), 3);
    let totals: Vec<f64> = state.values[TOTAL].iter().map(|total| total.value).collect();
    assert_eq!(totals, [0.0, 3.5, 3.5, 3.5]);
}

#[test]
fn integers_are_the_nearest_floats_and_floats_are_cut_off() {
    let nearest = Expression::unary(Unary::Float, read(TOTAL, Place::Vertex));
    let back = Expression::unary(Unary::Whole, nearest);
    let found = numbers_of(Precision::Word, Reduction::Sum, back, [16_777_217, u32::MAX, 3, 0]);
    assert_eq!(found, [0.0, 16_777_216.0, f64::from(u32::MAX), 3.0]);
    let below = Expression::unary(Unary::Whole, Expression::Number(-2.5));
    assert_eq!(numbers_of(Precision::Word, Reduction::Sum, below, [1; 4]), [0.0; 4]);
}

#[test]
fn the_reverse_of_an_edge_has_its_rank() {
    let network = Network::new(2, &[(1, 0), (0, 0), (1, 0), (0, 1), (0, 1)]);
    assert_eq!(network.edges.iter().map(|edge| edge.reverse).collect::<Vec<_>>(), [3, 1, 4, 0, 2]);
}
