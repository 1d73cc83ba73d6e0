//! What functions have combined: edges for the ends that they reduce into and for the graph, a vertex for the graph.

use crate::expression::Place;
use crate::program::{Program, Stage};
use crate::state::State;
use crate::statement::{Reduction, Statement};
use crate::total::{Contribution, Total};

/// The totals of each property that some functions reduce into or add to.
pub(super) struct Totals {
    all: Vec<Of>,
}

/// Those of one property.
struct Of {
    property: usize,
    /// Whether they are contributions to a total of the graph.
    is_whole: bool,
    /// How many floats each vertex has.
    floats: usize,
    totals: Vec<Total>,
}

impl Totals {
    /// Those of nothing, for so many vertices.
    pub(super) fn new(program: &Program, functions: &[usize], vertices: usize, state: &State) -> Self {
        let mut all: Vec<Of> = Vec::new();
        for function in functions {
            reductions(&program.functions[*function].statements, &mut |property, is_whole, reduction| {
                if all.iter().all(|known| known.property != property) {
                    let descriptor = &program.properties[property];
                    let floats = state.floats(descriptor.element);
                    let is_integer = descriptor.precision.is_whole();
                    let nothing = if is_integer { Total::nothing_whole(reduction) } else { Total::nothing(reduction) };
                    let totals = vec![nothing; vertices * floats];
                    all.push(Of { property, is_whole, floats, totals });
                }
            });
        }
        Self { all }
    }

    /// Combines one float of a contribution to a vertex.
    pub(super) fn combine(&mut self, property: usize, vertex: usize, slot: usize, contribution: Contribution) {
        let found = self.all.iter_mut().find(|known| known.property == property);
        let of = found.expect("the functions reduce the property");
        of.totals[vertex * of.floats + slot].combine(contribution);
    }

    /// Leaves the totals as the properties' values from a vertex on.
    pub(super) fn store(self, first: usize, state: &mut State) {
        for Of { property, is_whole, floats, totals } in self.all {
            let all = if is_whole { &mut state.contributions } else { &mut state.values };
            let to = &mut all[property][first * floats..];
            to.iter_mut().zip(totals).for_each(|(to, total)| *to = total.total());
        }
    }
}

/// Adds up the totals of the graph that functions of a stage add to.
pub(super) fn add_up(program: &Program, stage: &Stage, state: &mut State) {
    for function in stage.edges.iter().chain(&stage.vertices) {
        reductions(&program.functions[*function].statements, &mut |property, is_whole, reduction| {
            if is_whole {
                add_up_one(property, reduction.operator(), state);
            }
        });
    }
}

fn add_up_one(property: usize, reduction: Reduction, state: &mut State) {
    let floats = state.values[property].len();
    for slot in 0..floats {
        let mut total = Total::nothing(reduction);
        let contributions = state.contributions[property].iter().skip(slot).step_by(floats);
        contributions.for_each(|number| total.combine(Contribution::new(reduction, *number)));
        state.values[property][slot] = total.total();
    }
}

/// Shows what statements reduce into or add to: the property, whether it is of the graph, and how.
fn reductions(statements: &[Statement], found: &mut dyn FnMut(usize, bool, Reduction)) {
    for statement in statements {
        if let Statement::Reduce { access, reduction, .. } = statement {
            found(access.property, access.place == Place::Graph, *reduction);
        }
        statement.blocks().into_iter().for_each(|block| reductions(block, found));
    }
}
