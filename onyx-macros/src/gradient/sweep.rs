//! The reverse sweep: from the adjoints of what a run leaves to those of what it reads.
//!
//! An adjoint has two parts. What a use that is the same for all features adds is there once, *whole*; what a use with a value for each feature adds
//! is there for *each* of them. A value that is the same for all features has the sum of the second over the features and the first.

use std::collections::BTreeMap;

use crate::errors::Errors;
use crate::gradient::rule::shares;
use crate::gradient::tape::Tape;
use crate::gradient::value::{Block, Choice, Id, Operator, Step};

/// A part of an adjoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// One for each feature.
    Each,
    /// One for all features.
    Whole,
}

/// The adjoints by now.
#[derive(Clone, Debug, Default)]
pub struct Adjoints(BTreeMap<(Id, Part), Id>);

impl Adjoints {
    /// Adds to one.
    pub fn add(&mut self, tape: &mut Tape, of: Id, part: Part, share: Id) {
        if !tape.varies(of) {
            return;
        }
        let part = if tape.is_uniform(of) { part } else { Part::Each };
        let total = match self.0.get(&(of, part)) {
            Some(before) => tape.add(*before, share),
            None => share,
        };
        self.0.insert((of, part), total);
    }

    /// Takes both parts of one out.
    fn take(&mut self, of: Id) -> Vec<(Part, Id)> {
        [Part::Each, Part::Whole].into_iter().filter_map(|part| Some((part, self.0.remove(&(of, part))?))).collect()
    }

    /// The adjoint of what is the same for all features, or of what differs.
    pub fn whole(&mut self, tape: &mut Tape, of: Id) -> Option<Id> {
        let parts = self.take(of);
        let is_uniform = tape.is_uniform(of);
        parts.into_iter().fold(None, |total, (part, share)| {
            let share =
                if is_uniform && part == Part::Each { tape.operation("sum", vec![share], false) } else { share };
            Some(total.map_or(share, |total| tape.add(total, share)))
        })
    }
}

/// Sweeps back over the steps of a block. At the top, where all features are, both parts of an adjoint are made one.
pub fn sweep(tape: &mut Tape, steps: &[Step], adjoints: &mut Adjoints, is_top: bool, errors: &mut Errors) {
    for step in steps.iter().rev().filter(|step| !matches!(step.operator, Operator::Read(_))) {
        let parts = if is_top {
            let part = if tape.is_uniform(step.id) { Part::Whole } else { Part::Each };
            adjoints.whole(tape, step.id).map(|adjoint| (part, adjoint)).into_iter().collect()
        } else {
            adjoints.take(step.id)
        };
        if let Operator::Choice(choice) = &step.operator {
            choose(tape, step, choice, &parts, adjoints, errors);
            continue;
        }
        for (part, adjoint) in parts {
            share_out(tape, step, part, adjoint, adjoints, errors);
        }
    }
}

fn share_out(tape: &mut Tape, step: &Step, part: Part, adjoint: Id, adjoints: &mut Adjoints, errors: &mut Errors) {
    let part = if matches!(step.operator, Operator::Operation(_)) { Part::Each } else { part };
    match shares(tape, step, adjoint) {
        Ok(shares) => {
            shares.into_iter().for_each(|(number, share)| adjoints.add(tape, step.arguments[number], part, share));
        }
        Err(reason) => match (&step.operator, tape.spans.get(&step.id)) {
            (Operator::Unknown(code, _), _) => errors.push(code, reason),
            (_, Some(span)) => errors.push_at(*span, reason),
            _ => errors.push_at(proc_macro2::Span::call_site(), reason),
        },
    }
}

/// What a choice adds to the adjoint of a value from outside is a choice itself, each block of which sweeps back over its own steps.
fn choose(
    tape: &mut Tape,
    step: &Step,
    choice: &Choice,
    parts: &[(Part, Id)],
    adjoints: &mut Adjoints,
    errors: &mut Errors,
) {
    if parts.is_empty() {
        return;
    }
    let swept: Vec<(Vec<Step>, Adjoints)> = choice
        .blocks
        .iter()
        .map(|block| {
            tape.block(|tape| {
                let mut inner = Adjoints::default();
                parts.iter().for_each(|(part, adjoint)| inner.add(tape, block.result, *part, *adjoint));
                sweep(tape, &block.steps, &mut inner, false, errors);
                inner
            })
        })
        .collect();
    let mut outside: Vec<(Id, Part)> = swept.iter().flat_map(|(_, inner)| inner.0.keys().copied()).collect();
    outside.sort_unstable();
    outside.dedup();
    for (of, part) in outside {
        let zero = tape.zero(of);
        let blocks = choice.blocks.iter().zip(&swept).map(|(block, (steps, inner))| Block {
            steps: block.steps.iter().chain(steps).cloned().collect(),
            result: inner.0.get(&(of, part)).copied().unwrap_or(zero),
        });
        let blocks = blocks.collect();
        let share = tape.choose(step.arguments[0], Choice { patterns: choice.patterns.clone(), blocks });
        adjoints.add(tape, of, part, share);
    }
}
