//! Smaller programs: what a failing one is cut down to.
//!
//! A cut removes a function, a statement or what decides about one, or puts a part or a literal in place of an expression. Only what is legal after
//! it counts, and keeps what its style promises. Cuts are numbered, so that the name of a program says which were made.

mod edit;

use crate::accesses::Accesses;
use crate::cut::edit::{Edit, expressions, statements};
use crate::expression::Expression;
use crate::name::Style;
use crate::program::{PerLane, Program};
use crate::rules;

/// The programs that one cut makes of a program, large cuts first.
pub fn cuts(program: &Program) -> Vec<Program> {
    let whole = without_functions(program).chain(simpler_folds(program)).chain(without_unused(program));
    let statements = (0..statements(program)).flat_map(|at| {
        [Edit::Remove, Edit::Then, Edit::Otherwise].into_iter().filter_map(move |edit| edit.statement(program, at))
    });
    let expressions = (0..expressions(program)).flat_map(|at| {
        let parts = (0..3).map(Edit::Part);
        let edits = [Edit::Literal(0), Edit::Literal(1)].into_iter().chain(parts);
        edits.filter_map(move |edit| edit.expression(program, at))
    });
    let promised = rules::may_be_change_driven(program);
    whole.chain(statements).chain(expressions).filter(|cut| keeps(program, cut, promised)).collect()
}

/// Whether a cut is legal, and what it leaves is still of its style.
fn keeps(before: &Program, cut: &Program, was_change_driven: bool) -> bool {
    let results = |program: &Program| -> Vec<(String, Expression)> {
        let vertices = program.functions.iter().filter(|function| !function.is_edge);
        vertices.map(|function| (function.name.clone(), function.result.clone())).collect()
    };
    let old = results(before);
    let same_results = results(cut).iter().all(|result| result.1.is_true() || old.contains(result));
    let is_free = matches!(cut.name.style, Style::History | Style::Near);
    let settles = is_free || !was_change_driven || same_results && !keeps_history(cut);
    let differs = cut.source() != before.source();
    differs && rules::broken(cut).is_none() && rules::may_be_change_driven(cut) == was_change_driven && settles
}

/// Whether a vertex function reads of its own vertex what it has left there before, other than in tracked properties.
fn keeps_history(program: &Program) -> bool {
    let mut written = 0;
    let untracked = |set: u64| {
        let lasting = program.properties.iter().enumerate().filter(|(_, property)| !property.is_tracked());
        lasting.fold(0, |found, (index, _)| found | set & 1 << index)
    };
    let vertices: Vec<Accesses> =
        program.functions.iter().filter(|function| !function.is_edge).map(Accesses::of).collect();
    let all = vertices.iter().fold(0, |all, function| all | function.writes);
    vertices.iter().any(|function| {
        let reads = untracked(function.reads_own & all & !written);
        written |= function.certain();
        reads != 0
    })
}

fn without_functions(program: &Program) -> impl Iterator<Item = Program> {
    let count = program.functions.len();
    (0..count).filter(move |_| count > 1).map(|function| {
        let mut cut = program.clone();
        cut.functions.remove(function);
        for part in &mut cut.fold.parts {
            part.retain(|number| *number != function);
            part.iter_mut().filter(|number| **number > function).for_each(|number| *number -= 1);
        }
        cut.fold.parts.retain(|part| !part.is_empty());
        cut
    })
}

fn simpler_folds(program: &Program) -> impl Iterator<Item = Program> {
    let simpler: [fn(&mut Program); 4] = [
        |program| program.fold.is_unfolded = false,
        |program| program.fold.per_lane = PerLane::Default,
        |program| program.fold.widths.truncate(1),
        |program| program.fold.parts = vec![program.fold.parts.concat()],
    ];
    simpler.into_iter().filter_map(|change| {
        let mut cut = program.clone();
        change(&mut cut);
        let is_same = cut.source() == program.source();
        (!is_same).then_some(cut)
    })
}

/// The program without the properties that no function mentions.
fn without_unused(program: &Program) -> Option<Program> {
    let used = edit::mentioned(program);
    let unused = (0..program.properties.len()).rev().filter(|property| used >> property & 1 == 0);
    let mut cut = program.clone();
    unused.clone().for_each(|property| edit::remove_property(&mut cut, property));
    (unused.count() > 0 && !cut.properties.is_empty()).then_some(cut)
}
