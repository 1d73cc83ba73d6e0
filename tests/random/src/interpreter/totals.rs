//! What the edges of a stage have for the ends that they reduce into.

use crate::program::{Program, Stage};
use crate::state::State;
use crate::statement::{Reduction, Statement};
use crate::total::{Contribution, Total};

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
                    let floats = state.floats(program.properties[property].element);
                    let nothing = vec![Total::nothing(reduction); state.values[property].len()];
                    totals.push((property, floats, nothing));
                }
            });
        }
        Self { totals }
    }

    /// Combines one float of a contribution to a vertex.
    pub(super) fn combine(&mut self, property: usize, vertex: usize, slot: usize, contribution: Contribution) {
        let found = self.totals.iter_mut().find(|(known, ..)| *known == property);
        let (_, floats, totals) = found.expect("the stage reduces the property");
        totals[vertex * *floats + slot].combine(contribution);
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
        if let Statement::Reduce { access, reduction, .. } = statement {
            found(access.property, *reduction);
        }
        statement.blocks().into_iter().for_each(|block| reductions(block, found));
    }
}
