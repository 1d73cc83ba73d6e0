//! The interpreter does what the reference says, on programs whose results are known by hand.

use onyx_random::expression::{Access, Binary, Expression, Place};
use onyx_random::float::Float;
use onyx_random::interpreter::iterate;
use onyx_random::name::{Name, Style};
use onyx_random::network::Network;
use onyx_random::operation::Operation;
use onyx_random::program::{Fold, Function, PerLane, Program, Stage};
use onyx_random::property::{Element, Lasting, Precision, Property, Start};
use onyx_random::state::State;
use onyx_random::statement::{Change, Reduction, Statement};

mod integers;

const LEVEL: usize = 0;
const TOTAL: usize = 1;
const WHOLE: usize = 2;

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
            property("whole", Element::GraphScalar, Lasting::Untracked),
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
    let statements = vec![Statement::Reduce {
        access: Access { property: TOTAL, place: Place::Destination },
        reduction: Reduction::Sum,
        score: None,
        value,
    }];
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

/// The same along outgoing edges.
fn gather() -> Function {
    let value = Expression::Operation(Operation::Sum, vec![read(LEVEL, Place::Destination)]);
    let access = Access { property: TOTAL, place: Place::Source };
    let statements = vec![Statement::Reduce { access, reduction: Reduction::Sum, score: None, value }];
    let result = Expression::binary(Binary::More, read(LEVEL, Place::Source), Expression::Number(0.0));
    Function { name: "gather".to_string(), is_edge: true, has_feature: true, statements, result }
}

#[test]
fn totals_of_sources_are_over_their_outgoing_edges() {
    let program = program(vec![gather(), take()], vec![vec![0, 1]], false);
    let (network, mut state) = (Network::new(3, &[(0, 1), (0, 2), (1, 2)]), path(&program).1);
    state.active.truncate(3);
    state.values[LEVEL] = [0.0, 1.0, 2.0, 0.0, 4.0, 4.0].map(Float::new).to_vec();
    // The total of the first vertex is 2 + 8, and that of the second is 8.
    assert_eq!(iterate(&program, &network, &mut state), 3);
    assert_eq!(levels(&state), [10.0, 10.0, 8.0, 8.0, 0.0, 0.0]);
}

#[test]
fn edge_functions_that_reduce_into_sources_activate_them() {
    let program = program(vec![gather()], vec![vec![0]], false);
    let (network, mut state) = path(&program);
    assert_eq!(iterate(&program, &network, &mut state), 1);
    assert_eq!(state.active, [true, false, false, false]);
}

#[test]
fn a_stage_begins_where_the_end_changes() {
    let mut program = program(vec![spread(), gather(), take()], vec![vec![0, 1, 2]], false);
    let stage = |edges: &[usize], vertices: &[usize]| Stage { edges: edges.to_vec(), vertices: vertices.to_vec() };
    assert_eq!(program.stages(), [stage(&[0], &[]), stage(&[1], &[2])]);
    program.functions[1].statements.clear();
    assert_eq!(program.stages(), [stage(&[0, 1], &[2])]);
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

/// Adds the sum of the own levels to the whole, and returns true.
fn add(reduction: Reduction) -> Function {
    let value = Expression::Operation(Operation::Sum, vec![read(LEVEL, Place::Vertex)]);
    let access = Access { property: WHOLE, place: Place::Graph };
    let statements = vec![Statement::Reduce { access, reduction, score: None, value }];
    let result = Expression::Flag(true);
    Function { name: "add".to_string(), is_edge: false, has_feature: true, statements, result }
}

/// Takes the whole as the level, and returns whether that is above zero.
fn take_whole() -> Function {
    let access = Access { property: LEVEL, place: Place::Vertex };
    let statements = vec![Statement::Write { access, change: Change::Assign, value: read(WHOLE, Place::Graph) }];
    let result = Expression::binary(Binary::More, Expression::Read(access), Expression::Number(0.0));
    Function { name: "take_whole".to_string(), is_edge: false, has_feature: true, statements, result }
}

#[test]
fn later_stages_read_what_vertices_have_added() {
    let program = program(vec![add(Reduction::Sum), take_whole()], vec![vec![0], vec![1]], false);
    let (network, mut state) = path(&program);
    assert_eq!(iterate(&program, &network, &mut state), 4);
    assert_eq!(levels(&state), [3.0; 8]);
    iterate(&program, &network, &mut state);
    assert_eq!(levels(&state), [24.0; 8]);
}

#[test]
fn earlier_stages_read_what_the_iteration_before_has_added() {
    let program = program(vec![take_whole(), add(Reduction::Max)], vec![vec![0], vec![1]], false);
    let (network, mut state) = path(&program);
    state.values[WHOLE][0] = Float::new(5.0);
    iterate(&program, &network, &mut state);
    assert_eq!((levels(&state), state.values[WHOLE][0].value), (vec![5.0; 8], 10.0));
    iterate(&program, &network, &mut state);
    assert_eq!((levels(&state), state.values[WHOLE][0].value), (vec![10.0; 8], 20.0));
}

#[test]
fn vertices_that_do_not_run_contribute_what_they_did_before() {
    let mut stop = take_whole();
    stop.statements.clear();
    let program = program(vec![stop, add(Reduction::Sum)], vec![vec![0, 1]], false);
    let (network, mut state) = path(&program);
    // The first vertex alone runs, and then none.
    assert_eq!(iterate(&program, &network, &mut state), 1);
    assert_eq!(state.values[WHOLE][0].value, 3.0);
    state.values[LEVEL].fill(Float::ZERO);
    assert_eq!(iterate(&program, &network, &mut state), 0);
    assert_eq!(state.values[WHOLE][0].value, 3.0);
}

#[test]
fn a_total_of_no_edge_is_that_of_nothing() {
    let mut spread = spread();
    let Statement::Reduce { access, reduction, .. } = &mut spread.statements[0] else { unreachable!() };
    (access.property, access.place, *reduction) = (WHOLE, Place::Graph, Reduction::Min);
    let program = program(vec![spread], vec![vec![0]], false);
    let (network, mut state) = path(&program);
    iterate(&program, &network, &mut state);
    assert_eq!(state.values[WHOLE][0].value, 0.0);
    iterate(&program, &Network::new(4, &[]), &mut state);
    assert_eq!(state.values[WHOLE][0].value, f64::INFINITY);
}

#[test]
fn the_reverse_of_an_edge_has_its_rank() {
    let network = Network::new(2, &[(1, 0), (0, 0), (1, 0), (0, 1), (0, 1)]);
    assert_eq!(network.edges.iter().map(|edge| edge.reverse).collect::<Vec<_>>(), [3, 1, 4, 0, 2]);
}
