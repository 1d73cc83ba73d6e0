//! Totals that are states: means, whose edges are counted, and softmax-weighted sums and logarithms of sums of exponentials, whose weights come of the
//! log-sum that is kept.

use crate::check::usage::Reduction;
use crate::compile::property::Properties;
use crate::errors::Errors;
use crate::gradient::adjoint;
use crate::gradient::shared::{self, Count};
use crate::gradient::sweep::{Adjoints, Part};
use crate::gradient::tape::Tape;
use crate::gradient::value::{Brought, Cell, Id, Operator};
use crate::message;
use crate::parse::access::Access;

/// Adds to the adjoints of what an edge brings to a total, by the adjoint of the total.
pub fn share_out(
    tape: &mut Tape,
    (brought, all): (&Brought, &[Brought]),
    (counts, dots): (&mut Vec<Count>, &mut Vec<Cell>),
    properties: &Properties,
    adjoints: &mut Adjoints,
    errors: &mut Errors,
) {
    let Brought { cell, reduction, arguments, .. } = brought;
    if *reduction == Reduction::Mean {
        return share_mean(tape, brought, counts, adjoints, errors);
    }
    if !arguments.iter().any(|argument| tape.varies(*argument)) {
        return;
    }
    let log_sum = match reduction {
        Reduction::Softmax => log_sum(arguments[0], all),
        Reduction::LogSum if brought.is_certain => Some(cell),
        _ => return errors.push(&cell.property, message::GRADIENT_REDUCTION),
    };
    let Some(log_sum) = log_sum.filter(|_| brought.is_certain) else {
        return errors.push(&cell.property, message::GRADIENT_SOFTMAX);
    };
    let weight = weight(tape, arguments[0], log_sum);
    let seed = tape.read(&Access { property: adjoint::name(&cell.property), ..cell.access() }, false);
    let part = if cell.is_row { Part::Each } else { Part::Whole };
    let share = tape.multiply(seed, weight);
    if *reduction == Reduction::LogSum {
        return adjoints.add(tape, arguments[0], part, share);
    }
    adjoints.add(tape, arguments[1], part, share);
    if tape.varies(arguments[0]) && tape.is_uniform(arguments[0]) && has_dot(cell, properties) {
        dots.push(cell.clone());
        return share_by_dot(tape, brought, (weight, seed), adjoints);
    }
    let mean = tape.read(&cell.access(), false);
    let off = tape.push(Operator::Subtract, vec![arguments[1], mean]);
    let of_score = tape.multiply(share, off);
    adjoints.add(tape, arguments[0], part, of_score);
}

/// Whether the user has declared what holds the dot product of a row and its adjoint.
fn has_dot(cell: &Cell, properties: &Properties) -> bool {
    cell.is_row && properties.bit(&adjoint::dot(&cell.property)) != 0
}

/// The adjoint of a score of all features, where what belongs to the total alone is computed once for a vertex: an edge then reads no row of totals.
fn share_by_dot(tape: &mut Tape, brought: &Brought, (weight, seed): (Id, Id), adjoints: &mut Adjoints) {
    let Brought { cell, arguments, .. } = brought;
    let dot = Access { property: adjoint::dot(&cell.property), is_row: false, ..cell.access() };
    let (of_total, of_value) = (tape.read(&dot, false), tape.operation("dot", vec![seed, arguments[1]], false));
    // Subtracted before both are weighted, so that an edge whose value is the total has an adjoint of 0.
    let off = tape.subtract(of_value, of_total);
    let of_score = tape.multiply(weight, off);
    adjoints.add(tape, arguments[0], Part::Whole, of_score);
}

/// Each edge has an equal part of the adjoint of a mean, one that brings a constant as well.
fn share_mean(
    tape: &mut Tape,
    Brought { cell, arguments, is_certain, .. }: &Brought,
    counts: &mut Vec<Count>,
    adjoints: &mut Adjoints,
    errors: &mut Errors,
) {
    if !is_certain {
        return errors.push(&cell.property, message::GRADIENT_MEAN);
    }
    let seed = tape.read(&Access { property: adjoint::name(&cell.property), ..cell.access() }, false);
    let share = shared::of_count(tape, cell, seed);
    shared::count_once(tape, cell, counts);
    let part = if cell.is_row { Part::Each } else { Part::Whole };
    adjoints.add(tape, arguments[0], part, share);
}

/// The total that has the logarithm of the sum of the exponentials of these scores.
fn log_sum(score: Id, all: &[Brought]) -> Option<&Cell> {
    let is_sum = |brought: &&Brought| {
        brought.reduction == Reduction::LogSum && brought.is_certain && brought.arguments == [score]
    };
    all.iter().find(is_sum).map(|brought| &brought.cell)
}

/// The share that an edge has of all exponentials.
fn weight(tape: &mut Tape, score: Id, log_sum: &Cell) -> Id {
    let (log_sum, least) = (tape.read(&log_sum.access(), false), tape.number(f32::MIN));
    // Where all edges are hidden, so that the log-sum is -inf, each of them is still infinitely far below.
    let log_sum = tape.method("max", vec![log_sum, least]);
    let below = tape.push(Operator::Subtract, vec![score, log_sum]);
    tape.method("exp", vec![below])
}
