//! Totals whose adjoint edges share equally: means, by all edges, and minima and maxima, by those that have brought the total. How many there are is
//! counted before.

use crate::check::usage::Reduction;
use crate::gradient::adjoint;
use crate::gradient::tape::Tape;
use crate::gradient::value::{Cell, Id};
use crate::parse::access::{Access, Place};

/// What is counted for a total: 1 for each edge that shares its adjoint.
#[derive(Clone, Debug)]
pub struct Count {
    /// The total.
    pub cell: Cell,
    /// What an edge counts.
    pub value: Id,
}

/// Whether the edges that have brought a total share its adjoint.
pub fn is_extreme(cell: &Cell, reduction: Option<Reduction>) -> bool {
    let is_end = matches!(cell.place, Place::Source | Place::Destination);
    is_end && matches!(reduction, Some(Reduction::Min | Reduction::Max))
}

/// The share of an edge that brings `value` to a minimum or maximum with the adjoint `seed`, and what is counted.
pub fn of_extreme(tape: &mut Tape, cell: &Cell, value: Id, seed: Id) -> (Id, Count) {
    let (zero, one) = (tape.number(0.0), tape.number(1.0));
    let total = tape.read(&cell.access(), false);
    let is_total = tape.compare(value, "==", total);
    let counted = tape.select(is_total, one, zero);
    let part = of_count(tape, cell, seed);
    (tape.select(is_total, part, zero), Count { cell: cell.clone(), value: counted })
}

/// An equal part of the adjoint of a total.
pub fn of_count(tape: &mut Tape, cell: &Cell, seed: Id) -> Id {
    let count = tape.read(&Access { property: adjoint::count(&cell.property), ..cell.access() }, false);
    tape.divide(seed, count)
}

/// Notes that an edge is counted once more for a mean.
pub fn count_once(tape: &mut Tape, cell: &Cell, counts: &mut Vec<Count>) {
    let one = tape.number(1.0);
    match counts.iter_mut().find(|count| count.cell == *cell) {
        Some(count) => count.value = tape.push(crate::gradient::value::Operator::Add, vec![count.value, one]),
        None => counts.push(Count { cell: cell.clone(), value: one }),
    }
}
