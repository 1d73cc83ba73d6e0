//! The plain interpreter: full pulls over all edges and all vertices, iteration after iteration, each head as if there were no other. It shares nothing
//! with the compiler.

mod expression;
mod frame;
mod operation;
mod place;
mod totals;

use crate::expression::Place;
use crate::float::Float;
use crate::interpreter::frame::{At, Frame};
use crate::interpreter::totals::Totals;
use crate::network::Network;
use crate::program::{Program, Stage};
use crate::property::Element;
use crate::state::State;

/// One iteration of a program. Returns how many vertices it leaves active.
pub fn iterate(program: &Program, network: &Network, state: &mut State) -> usize {
    count(program, state);
    let mut active = vec![false; network.vertices];
    for head in 0..state.heads {
        let mut alone = state.of_head(program, head);
        iterate_head(program, network, &mut alone);
        state.take_head(program, head, &alone);
        // What is active in any head is so in all of them from the next iteration on.
        active.iter_mut().zip(alone.active).for_each(|(active, of_head)| *active |= of_head);
    }
    state.active = active;
    state.active.iter().filter(|active| **active).count()
}

/// The same for a single head.
fn iterate_head(program: &Program, network: &Network, state: &mut State) {
    let stages = program.stages();
    let has_edges = stages.iter().any(|stage| !stage.edges.is_empty());
    let run = Run { program, network, starts_active: program.fold.is_active || !has_edges };
    let first = state.active.clone();
    let (mut alive, mut outcome): (Option<Vec<bool>>, Vec<bool>) = (None, Vec::new());
    for stage in &stages {
        outcome = run.edges(stage, state, &first);
        if !stage.vertices.is_empty() {
            outcome = run.vertices(stage, state, &run.due(stage, &first, outcome, alive));
            alive = Some(outcome.clone());
        }
        totals::add_up(program, stage, state);
    }
    state.active = outcome;
}

/// Counts the iterations, where a property asks for their number.
fn count(program: &Program, state: &mut State) {
    let properties = program.properties.iter().zip(&mut state.values);
    for (_, values) in properties.filter(|(property, _)| property.element == Element::Iteration) {
        values[0] = values[0].plus(Float::new(1.0));
    }
}

/// One iteration under way.
struct Run<'a> {
    program: &'a Program,
    network: &'a Network,
    /// Whether what was active at first decides what runs.
    starts_active: bool,
}

impl Run<'_> {
    /// Where the vertex functions of a stage run.
    fn due(&self, stage: &Stage, first: &[bool], reached: Vec<bool>, alive: Option<Vec<bool>>) -> Vec<bool> {
        match alive {
            _ if self.program.fold.is_active && !stage.edges.is_empty() => reached,
            Some(alive) => alive,
            None if self.starts_active => first.to_vec(),
            None => vec![true; first.len()],
        }
    }

    /// The edge functions of a stage. Returns which vertices were reached.
    fn edges(&self, stage: &Stage, state: &mut State, first: &[bool]) -> Vec<bool> {
        let before = state.clone();
        let mut reached = vec![false; first.len()];
        let mut totals = Totals::new(self.program, &stage.edges, first.len(), state);
        let is_outward = self.program.end(stage) == Some(Place::Source);
        for edge in &self.network.edges {
            if !stage.edges.is_empty() && (!self.program.fold.is_active || first[edge.source]) {
                let end = if is_outward { edge.source } else { edge.destination };
                let mut run = |function: &usize| self.run(*function, At::Edge(*edge), end, &mut totals, &before, state);
                reached[end] |= stage.edges.iter().all(&mut run);
            }
        }
        totals.store(0, state);
        reached
    }

    /// The vertex functions of a stage where they are due. Returns where all of them returned true.
    fn vertices(&self, stage: &Stage, state: &mut State, due: &[bool]) -> Vec<bool> {
        let before = state.clone();
        let mut run = |vertex: usize| {
            stage.vertices.iter().all(|function| {
                let mut totals = Totals::new(self.program, &[*function], 1, state);
                let goes_on = self.run(*function, At::Vertex(vertex), 0, &mut totals, &before, state);
                totals.store(vertex, state);
                goes_on
            })
        };
        due.iter().enumerate().map(|(vertex, is_due)| *is_due && run(vertex)).collect()
    }

    /// A function on an edge or a vertex. What it combines goes to number `to` of the totals.
    fn run(&self, function: usize, at: At, to: usize, totals: &mut Totals, before: &State, state: &mut State) -> bool {
        let frame = Frame::new(self.program, function, at, before, state);
        frame.run(state, &mut |property, slot, contribution| totals.combine(property, to, slot, contribution))
    }
}
