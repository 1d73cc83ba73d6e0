//! What a program is tried on: a graph, a number of features, a start, and options.

use onyx_random::dice::Dice;
use onyx_random::interpreter;
use onyx_random::limits::MOST_ITERATIONS;
use onyx_random::network::Network;
use onyx_random::program::Program;
use onyx_random::state::State;
use onyx_random::statement::Reduction;
use onyx_runtime::active::ActiveSet;
use onyx_runtime::{Backend, Direction, Options, Schedule};

use crate::case::Case;
use crate::graphs::{self, Sample};

/// How many heads rows have that may have several.
const HEADS: [usize; 4] = [1, 2, 2, 3];

/// A graph with values, and what the interpreter makes of them.
#[derive(Debug)]
pub struct Trial {
    /// The graph.
    pub sample: Sample,
    /// The number of heads.
    pub heads: usize,
    /// The number of features of each.
    pub features: usize,
    /// The most iterations.
    pub iterations: usize,
    /// The vertices that are active at first, if not all.
    pub start: Option<ActiveSet>,
    /// After each number of iterations, from none on: the values, and how many vertices are active.
    pub expected: Vec<(State, usize)>,
}

impl Trial {
    /// Draws a trial of a program; none if its fold refuses the number of features.
    pub fn draw(program: &Program, case: &Case, dice: &mut Dice) -> Option<Self> {
        // Of so many factors single floats hold no product.
        let is_long = !program.reduces_outward(Reduction::Product);
        let sample = graphs::draw(dice, program.needs_reverse(), is_long);
        let heads = if program.has_heads() { *dice.pick(&HEADS) } else { 1 };
        let features = if heads > 1 { *dice.pick(&program.fold.widths) } else { features(program, dice) };
        if (case.store)(&sample.graph, heads, features).is_err() {
            assert!(features > program.widest(), "{features} features are not refused");
            return None;
        }
        let network = graphs::network(&sample.graph);
        let mut state = State::new(program, &network, heads, features, dice.below(1 << 20) as u64);
        let start = start(program, &network, dice);
        if let Some(start) = &start {
            (0..network.vertices).for_each(|vertex| state.active[vertex] = start.contains(vertex as u32));
        }
        let iterations = dice.between(3, MOST_ITERATIONS);
        let expected = expected(program, &network, state, iterations);
        Some(Self { sample, heads, features, iterations, start, expected })
    }

    /// The options that a program is run with on a backend.
    pub fn options(&self, case: &Case, width: usize, backend: Backend, dice: &mut Dice) -> Options {
        let pushes = case.pushes && self.features <= width;
        let direction = match dice.below(if pushes { 6 } else { 4 }) {
            0 | 1 => None,
            2 | 3 => Some(Direction::Pull),
            _ => Some(Direction::Push),
        };
        let may_pull_alone = direction != Some(Direction::Push);
        Options {
            backend,
            iterations: self.iterations,
            start: self.start.clone(),
            direction,
            refresh: *dice.pick(&[1, 2, 3, 64]),
            change_driven: !(may_pull_alone && dice.chance(20)),
            deterministic: may_pull_alone && dice.chance(20),
            read_every: *dice.pick(&[1, 3, 8]),
            group_size: *dice.pick(&[None, Some(1), Some(4), Some(8), Some(16)]),
            schedule: *dice.pick(&Schedule::ALL),
            ..Options::default()
        }
    }
}

/// One of the numbers of features around the compiled widths, and some that only run by tiles.
fn features(program: &Program, dice: &mut Dice) -> usize {
    if !program.has_rows() {
        return 1;
    }
    let (width, widest) = (*dice.pick(&program.fold.widths), program.widest());
    match dice.below(6) {
        0 => 1,
        1 => width.div_ceil(2),
        2 => (width - 1).max(1),
        3 if may_be_tiled(program) && 2 * widest < 16 => widest + 1 + dice.below(widest + 1),
        _ => width,
    }
}

fn may_be_tiled(program: &Program) -> bool {
    program.properties.iter().all(|property| !property.element.is_matrix() && !property.element.is_of_heads())
}

/// Some of the vertices, where the fold may start with them.
fn start(program: &Program, network: &Network, dice: &mut Dice) -> Option<ActiveSet> {
    let has_edges = program.functions.iter().any(|function| function.is_edge);
    if has_edges && !program.fold.is_active || dice.chance(40) {
        return None;
    }
    let mut start = ActiveSet::none(network.vertices);
    let percent = *dice.pick(&[0, 10, 50]);
    (0..network.vertices as u32).for_each(|vertex| start.set(vertex, dice.chance(percent)));
    Some(start)
}

fn expected(program: &Program, network: &Network, mut state: State, iterations: usize) -> Vec<(State, usize)> {
    let mut expected = vec![(state.clone(), state.active.len())];
    for _ in 0..iterations {
        let active = interpreter::iterate(program, network, &mut state);
        expected.push((state.clone(), active));
    }
    expected
}
