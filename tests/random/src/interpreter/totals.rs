//! What the edges of a stage have for their destinations.

use crate::float::Float;
use crate::program::{Program, Stage};
use crate::state::State;
use crate::statement::{Reduction, Statement};
use crate::total::Total;

/// The totals of each property that a stage reduces, float by float.
pub(super) struct Totals {
    totals: Vec<(usize, usize, Vec<Total>)>,
}

impl Totals {
    /// Those of no edge.
    pub(super) fn new(program: &Program, stage: &Stage, state: &State) -> Self {
        let mut totals: Vec<(usize, usize, Vec<Total>)> = Vec::new();
        for function in &stage.edges {
            reductions(&program.functions[*function].statements, &mut |property, reduction| {
                if totals.iter().all(|(known, ..)| *known != property) {
                    let descriptor = &program.properties[property];
                    let floats = state.floats(descriptor.element);
                    let is_whole = descriptor.precision.is_whole();
                    let nothing = if is_whole { Total::nothing_whole(reduction) } else { Total::nothing(reduction) };
                    let nothing = vec![nothing; state.values[property].len()];
                    totals.push((property, floats, nothing));
                }
            });
        }
        Self { totals }
    }

    /// Combines one float of a contribution to a vertex.
    pub(super) fn combine(&mut self, property: usize, vertex: usize, slot: usize, reduction: Reduction, number: Float) {
        let found = self.totals.iter_mut().find(|(known, ..)| *known == property);
        let (_, floats, totals) = found.expect("the stage reduces the property");
        totals[vertex * *floats + slot].combine(reduction, number);
    }

    /// Leaves the totals as the properties' values.
    pub(super) fn store(self, state: &mut State) {
        for (property, _, totals) in self.totals {
            state.values[property] = totals.into_iter().map(Total::total).collect();
        }
    }
}

fn reductions(statements: &[Statement], found: &mut dyn FnMut(usize, Reduction)) {
    for statement in statements {
        if let Statement::Reduce { property, reduction, .. } = statement {
            found(*property, *reduction);
        }
        statement.blocks().into_iter().for_each(|block| reductions(block, found));
    }
}
