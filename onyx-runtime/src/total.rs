//! Totals of the graph: the contributions of all vertices, added up after the stage that computes them.

use onyx_device::FoldFacts;
use onyx_device::property::{Descriptor, Element};
use onyx_device::schedule::gather_totals;
use onyx_device::stage::{self, GraphTotal, StageAccess, TotalOperator};
use rayon::prelude::*;

use crate::floats::Floats;
use crate::memory::OutOfMemory;
use crate::product::Product;
use crate::schedule::rule::GraphBlocks;
use crate::store::{Store, length};

/// What the name of a property begins with that has the contributions to a total.
pub(crate) const PREFIX: &str = "__total_";
/// How many rows a thread adds up at once: always the same rows, so that results are.
const BLOCK: usize = 4096;

/// Whether a property has the contributions to a total of the graph.
pub(crate) fn has_contributions(property: &Descriptor) -> bool {
    property.name.starts_with(PREFIX)
}

/// The properties of a structure that have contributions to totals.
pub(crate) fn all_contributions(properties: &[Descriptor]) -> u64 {
    let bits = properties.iter().enumerate().filter(|(_, property)| has_contributions(property));
    bits.fold(0, |all, (index, _)| all | 1 << index)
}

/// The property that has the contributions to the one at `index`, if that is a total.
pub(crate) fn contributions_to(properties: &[Descriptor], index: usize) -> Option<usize> {
    let name = properties[index].name;
    properties.iter().position(|property| property.name.strip_prefix(PREFIX) == Some(name))
}

/// The properties that have contributions to totals of the fold.
pub(crate) fn contributions(fold: &'static FoldFacts) -> u64 {
    let totals = fold.stages.iter().flat_map(|stage| stage.totals);
    totals.fold(0, |all, total| all | 1 << total.contributions)
}

/// What leaves contributions in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contributions {
    /// Each vertex.
    Vertices,
    /// Each block that gathers what its vertices add, where stages of folds with edges have such blocks; elsewhere each vertex.
    Blocks,
    /// The same, also in folds of vertex functions alone, of which all vertices are active.
    BlocksOnce,
}

impl Contributions {
    /// Whether blocks leave those to a total that a stage of the fold adds to.
    fn are_of_blocks(self, fold: &'static FoldFacts, stage: &StageAccess, total: &GraphTotal) -> bool {
        let are_gathered = match self {
            Self::Vertices => false,
            Self::Blocks => stage::kinds(fold.stages).0,
            Self::BlocksOnce => true,
        };
        are_gathered && stage.gathers(total)
    }

    /// The most of them that a stage leaves of a total on a graph of so many vertices.
    fn most(self, fold: &'static FoldFacts, stage: &StageAccess, total: &GraphTotal, vertices: usize) -> usize {
        if !self.are_of_blocks(fold, stage, total) {
            return vertices;
        }
        // A fold of one stage has no blocks of whole graphs.
        let of_graphs = if fold.stages.len() > 1 { GraphBlocks::most(vertices) } else { 0 };
        of_graphs.max(gather_totals::most_blocks(fold.leaves_matrix(stage)) as usize).min(vertices.max(1))
    }
}

impl Store {
    /// Makes the contributions to the totals of the fold, those of nothing, where there are not so many yet.
    pub(crate) fn make_contributions(
        &mut self,
        fold: &'static FoldFacts,
        of: Contributions,
    ) -> Result<(), OutOfMemory> {
        let vertices = self.shape().0;
        let all = fold.stages.iter().flat_map(|stage| stage.totals.iter().map(move |total| (stage, total)));
        all.map(|(stage, total)| (total, of.most(fold, stage, total, vertices)))
            .try_for_each(|(total, most)| self.make_contributions_to(total, most))
    }

    /// Notes which contributions blocks leave from now on. Those of vertices begin again as those of nothing where blocks had left others; returns the properties.
    pub(crate) fn begin_contributions(&mut self, fold: &'static FoldFacts, of: Contributions) -> u64 {
        let mut begun = 0;
        for (stage, total) in fold.stages.iter().flat_map(|stage| stage.totals.iter().map(move |total| (stage, total)))
        {
            let bit = 1 << total.contributions;
            if of.are_of_blocks(fold, stage, total) {
                self.gathered |= bit;
            } else if self.gathered & bit != 0 {
                self.gathered &= !bit;
                self.floats_mut(total.contributions).fill(total.operator.identity());
                begun |= bit;
            }
        }
        begun
    }

    /// Notes that a sequence on a device has run the fold, where blocks leave contributions wherever they can.
    pub(crate) fn ran_in_sequence(&mut self, fold: &'static FoldFacts) {
        let all = fold.stages.iter().flat_map(|stage| stage.totals.iter().filter(move |total| stage.gathers(total)));
        self.gathered |= all.fold(0, |bits, total| bits | 1 << total.contributions);
    }

    /// Makes so many contributions to a total.
    fn make_contributions_to(&mut self, total: &GraphTotal, most: usize) -> Result<(), OutOfMemory> {
        let edges = self.shape().1;
        let property = &self.properties()[total.contributions];
        let rows = self.rows(total.total);
        let is_table = property.element == Element::Table;
        let length = if is_table { self.length(total.total) } else { length(property, self.shape_of(most, edges)) };
        self.values[total.contributions].rows = rows;
        // What a failed run has left of a table's is none.
        if self.length(total.contributions) >= length && !is_table {
            return Ok(());
        }
        let current = &mut self.values[total.contributions].current;
        if current.has_room(length) && !is_table {
            current.resize(length);
            return Ok(());
        }
        let mut floats = Floats::zeroed(length)?;
        let identity = total.operator.identity();
        if identity == 0.0 {
            self.put_zeros(total.contributions, floats);
        } else {
            floats.as_mut_slice().fill(identity);
            self.replace(total.contributions, floats);
        }
        Ok(())
    }

    /// Adds up the totals of a stage.
    pub(crate) fn add_up(&mut self, stage: &StageAccess) {
        for total in stage.totals {
            if let Some(product) = Product::of(self, total) {
                self.multiply_contributions(&product);
                continue;
            }
            if self.properties()[total.total].element == Element::Table {
                self.take_contributions(total);
                continue;
            }
            let ((row, features), vertices) = (self.total_row(total), self.shape().0);
            let sum = sum(&self.floats(total.contributions)[..vertices * row], row, features, total.operator);
            self.floats_mut(total.total)[..features].copy_from_slice(&sum);
        }
    }
}

impl Store {
    /// How many floats are in a row of contributions to a total, of which how many hold something. A matrix is a row, with its padding, which is zeros.
    pub(crate) fn total_row(&self, total: &GraphTotal) -> (usize, usize) {
        match self.properties()[total.total].element {
            Element::GraphMatrix => (self.width() * self.width(), self.width() * self.width()),
            element if element.is_scalar() => (1, 1),
            _ => (self.width(), self.features()),
        }
    }

    fn multiply_contributions(&mut self, product: &Product) {
        let positions = [product.left.property, product.right.property, product.into.property];
        let Ok([left, right, into]) = self.values.get_disjoint_mut(positions) else {
            unreachable!("a sum of products has contributions of its own, and is no factor of itself")
        };
        product.compute(left.current.as_slice(), right.current.as_slice(), into.current.as_mut_slice());
    }

    /// Has the contributions to a table as the table, and begins them again.
    fn take_contributions(&mut self, total: &GraphTotal) {
        let both = self.values.get_disjoint_mut([total.contributions, total.total]);
        let Ok([from, to]) = both else { unreachable!("a total has contributions of its own") };
        to.current.as_mut_slice().copy_from_slice(from.current.as_slice());
        from.current.as_mut_slice().fill(total.operator.identity());
    }
}

/// The total of rows, of which `features` floats hold something. Sums are computed in `f64`.
fn sum(rows: &[f32], row: usize, features: usize, operator: TotalOperator) -> Vec<f32> {
    let nothing = || vec![f64::from(operator.identity()); features];
    let join = |mut totals: Vec<f64>, others: &[f64]| {
        totals.iter_mut().zip(others).for_each(|(total, other)| *total = combine(operator, *total, *other));
        totals
    };
    let block = |block: &[f32]| {
        block.chunks_exact(row).fold(nothing(), |mut totals, row| {
            totals.iter_mut().zip(row).for_each(|(total, value)| *total = combine(operator, *total, f64::from(*value)));
            totals
        })
    };
    // One block wakes no other thread.
    let blocks: Vec<Vec<f64>> = match rows.len() <= BLOCK * row {
        true => vec![block(rows)],
        false => rows.par_chunks(BLOCK * row).map(block).collect(),
    };
    blocks.iter().fold(nothing(), |totals, others| join(totals, others)).iter().map(|total| *total as f32).collect()
}

fn combine(operator: TotalOperator, total: f64, value: f64) -> f64 {
    match operator {
        TotalOperator::Sum => total + value,
        TotalOperator::Min => total.min(value),
        TotalOperator::Max => total.max(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_many_rows_are_near_the_truth() {
        let rows: Vec<f32> = (0..3 * 100_000).map(|at| if at % 3 == 2 { f32::NAN } else { 0.1 }).collect();
        let expected = 100_000.0 * f64::from(0.1_f32);
        for found in sum(&rows, 3, 2, TotalOperator::Sum) {
            assert!((f64::from(found) - expected).abs() < 1e-6 * expected, "{found}");
        }
        assert_eq!(sum(&[], 1, 1, TotalOperator::Max), [f32::NEG_INFINITY]);
        assert_eq!(sum(&[3.0, -1.0, 2.0], 1, 1, TotalOperator::Min), [-1.0]);
    }
}
