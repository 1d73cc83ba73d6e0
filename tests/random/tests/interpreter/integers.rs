//! Integers, and what is read at computed vertices.

use onyx_random::expression::{Access, Expression, Place, Unary, Whole};
use onyx_random::float::Float;
use onyx_random::interpreter::iterate;
use onyx_random::network::Network;
use onyx_random::operation::Operation;
use onyx_random::program::Function;
use onyx_random::property::{Element, Precision};
use onyx_random::state::State;
use onyx_random::statement::{Change, Reduction, Statement};

use crate::{LEVEL, TOTAL, levels, path, program, read, spread};

/// A path of four vertices with whole numbers: each takes what `value` makes of its total, into which its edge brings the source's.
fn numbers_of(precision: Precision, reduction: Reduction, value: Expression, numbers: [u32; 4]) -> Vec<f64> {
    let bring = Statement::Reduce {
        access: Access { property: TOTAL, place: Place::Destination },
        reduction,
        score: None,
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

fn at_vertex(property: usize, number: Expression) -> Expression {
    Expression::Gather(property, Box::new(number))
}

#[test]
fn what_is_at_a_computed_vertex_is_as_it_was_before_the_stage() {
    let next = at_vertex(LEVEL, read(LEVEL, Place::Vertex));
    // One after the other, the last vertex would see what the one before it has just taken.
    assert_eq!(numbers_of(Precision::Word, Reduction::Sum, next.clone(), [0, 0, 1, 2]), [0.0, 0.0, 0.0, 1.0]);
    let twice = at_vertex(LEVEL, next);
    assert_eq!(numbers_of(Precision::Word, Reduction::Sum, twice, [1, 2, 3, 0]), [3.0, 0.0, 1.0, 2.0]);
}

#[test]
fn rows_at_computed_vertices_are_read_feature_by_feature() {
    let last = at_vertex(LEVEL, Expression::Count(1));
    let value = Expression::Operation(Operation::Sum, vec![last]);
    let access = Access { property: TOTAL, place: Place::Destination };
    let bring = Statement::Reduce { access, reduction: Reduction::Sum, score: None, value };
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
