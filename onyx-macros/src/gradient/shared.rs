//! Totals whose adjoint needs more than the total, which is gathered before: how many edges share it equally, all of them for means, those that have
//! brought the total for minima and maxima, of the graph vertices, too; for products how many factors are zero, and the product of the others.

use syn::Ident;

use crate::check::usage::Reduction;
use crate::gradient::adjoint;
use crate::gradient::tape::Tape;
use crate::gradient::value::{Cell, Id};
use crate::parse::access::{Access, Place};

/// What is gathered for a total.
#[derive(Clone, Debug)]
pub struct Count {
    /// The total.
    pub cell: Cell,
    /// What an edge or a vertex brings.
    pub value: Id,
    /// How it is combined: 1 is added for each edge that is counted, and factors are multiplied.
    pub reduction: Reduction,
}

impl Count {
    /// The property that holds it.
    pub fn property(&self) -> Ident {
        let name = if self.reduction == Reduction::Product { adjoint::rest } else { adjoint::count };
        name(&self.cell.property)
    }
}

/// Whether a total is a product over edges.
pub fn is_product(cell: &Cell, reduction: Option<Reduction>) -> bool {
    matches!(cell.place, Place::Source | Place::Destination) && reduction == Some(Reduction::Product)
}

/// The share of an edge that brings the factor `value` to a product with the adjoint `seed`: the product of all others, which is 0 where one of them
/// is. And what is gathered.
pub fn of_product(tape: &mut Tape, cell: &Cell, value: Id, seed: Id) -> (Id, [Count; 2]) {
    let (zero, one) = (tape.number(0.0), tape.number(1.0));
    let is_zero = tape.compare(value, "==", zero);
    let (counted, factor) = (tape.select(is_zero, one, zero), tape.select(is_zero, one, value));
    let mut read = |name: fn(&Ident) -> Ident| {
        let access = Access { property: name(&cell.property), ..cell.access() };
        tape.read(&access, false)
    };
    let (zeros, rest) = (read(adjoint::count), read(adjoint::rest));
    let others = tape.subtract(zeros, counted);
    let is_free = tape.compare(others, "==", zero);
    let without = tape.divide(rest, factor);
    let share = tape.multiply(seed, without);
    let share = tape.select(is_free, share, zero);
    let count = |value, reduction| Count { cell: cell.clone(), value, reduction };
    (share, [count(counted, Reduction::Sum), count(factor, Reduction::Product)])
}

/// Whether what has brought a total shares its adjoint: edges, of a total of the graph vertices as well.
pub fn is_extreme(cell: &Cell, reduction: Option<Reduction>) -> bool {
    let is_total = matches!(cell.place, Place::Source | Place::Destination | Place::Graph | Place::Row);
    is_total && matches!(reduction, Some(Reduction::Min | Reduction::Max))
}

/// The share of what brings `value` to a minimum or maximum with the adjoint `seed`, and what is counted.
pub fn of_extreme(tape: &mut Tape, cell: &Cell, value: Id, seed: Id) -> (Id, Count) {
    let (zero, one) = (tape.number(0.0), tape.number(1.0));
    let total = read(tape, cell, cell.property.clone());
    let is_total = tape.compare(value, "==", total);
    let counted = tape.select(is_total, one, zero);
    let part = of_count(tape, cell, seed);
    (tape.select(is_total, part, zero), Count { cell: cell.clone(), value: counted, reduction: Reduction::Sum })
}

/// An equal part of the adjoint of a total.
pub fn of_count(tape: &mut Tape, cell: &Cell, seed: Id) -> Id {
    let count = read(tape, cell, adjoint::count(&cell.property));
    tape.divide(seed, count)
}

/// A property that is like a total, of the same vertex, or the same row of a table.
pub fn read(tape: &mut Tape, cell: &Cell, property: Ident) -> Id {
    let access = Access { property, ..cell.access() };
    match cell.index {
        Some(index) => tape.gather(&access, index, false),
        None => tape.read(&access, false),
    }
}

/// Notes that an edge is counted once more for a mean.
pub fn count_once(tape: &mut Tape, cell: &Cell, counts: &mut Vec<Count>) {
    let one = tape.number(1.0);
    match counts.iter_mut().find(|count| count.cell == *cell) {
        Some(count) => count.value = tape.push(crate::gradient::value::Operator::Add, vec![count.value, one]),
        None => counts.push(Count { cell: cell.clone(), value: one, reduction: Reduction::Sum }),
    }
}
