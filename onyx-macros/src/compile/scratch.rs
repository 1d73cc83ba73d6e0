//! Scratch: values that functions of a fold hand on, in registers to later functions of their run, and in memory to those of later stages.

use crate::compile::Compiled;
use crate::compile::function::FoldFunction;
use crate::compile::property::{Element, Number, Properties};
use crate::compile::stage::Stage;
use crate::errors::Errors;
use crate::message;
use crate::parse::fold::Fold;

/// The scratch of vertices that a stage leaves for a later one.
pub fn passed(fold: &Fold, properties: &Properties, members: &[FoldFunction], stages: &[Stage]) -> u64 {
    let passed = (0..members.len()).fold(0, |all, at| {
        let reads = unwritten(fold, members, at) | members[at].accesses.reads_ends();
        all | reads & left_before(fold, members, stages, at)
    });
    passed & properties.scratch()
}

/// Those of these properties that a block can have in its shared memory.
pub fn rows(properties: &Properties, passed: u64) -> u64 {
    passed
        & properties.where_is(|property| property.element == Element::VertexFeatures && property.number == Number::F32)
}

/// Adds an error for scratch that function number `at` reads where nothing has left it, and for what is reduced into scratch.
pub fn check(compiled: &Compiled, at: usize, errors: &mut Errors) {
    let Compiled { fold, properties, members, stages, .. } = compiled;
    let (accesses, name, span) = (members[at].accesses, &members[at].name, members[at].span);
    let missing = properties.scratch() & !left_before(fold, members, stages, at);
    // What is reduced into is reported as that.
    let reduced = members.iter().fold(0, |reduced, member| reduced | member.accesses.reduces);
    let far = (accesses.reads_reverse | accesses.gathers) & properties.scratch();
    let checks = [
        (unwritten(fold, members, at) & missing & !reduced, message::scratch_unwritten(name)),
        (accesses.reads_ends() & missing | far, message::scratch_at_end(name)),
        (accesses.reduces & properties.scratch(), message::scratch_reduced(name)),
    ];
    for (found, conflict) in checks {
        if let Some(property) = properties.first(found) {
            errors.push_at(span, conflict.about(property));
        }
    }
}

/// What function number `at` reads of its own edge or vertex while none before it in its run writes it. Where the fold is unfolded, the run is that of the same functions folded.
fn unwritten(fold: &Fold, members: &[FoldFunction], at: usize) -> u64 {
    let reader = &members[at];
    let mut missing = if reader.is_edge() { reader.accesses.reads_edge } else { reader.accesses.reads };
    let mut run = at;
    while run > 0 && members[run - 1].kind == reader.kind && (fold.is_unfolded || !members[run].is_first) {
        run -= 1;
        missing &= !(members[run].accesses.writes_edge | members[run].accesses.writes);
    }
    missing
}

/// What the vertex functions of stages before that of function number `at` have written at every vertex.
fn left_before(fold: &Fold, members: &[FoldFunction], stages: &[Stage], at: usize) -> u64 {
    // Those of active vertices leave the others out, as do folds of vertex functions alone.
    if fold.is_active() || !stages.iter().any(Stage::has_edges) {
        return 0;
    }
    let before = stages.iter().take_while(|stage| stage.functions().end <= at);
    let functions = || before.clone().flat_map(|stage| &members[stage.vertices.clone()]);
    // Where one stops, those after it do not run, nor those of later stages.
    let always = functions().position(|function| function.may_stop).map_or(usize::MAX, |stopping| stopping + 1);
    functions().take(always).fold(0, |all, function| all | function.accesses.writes)
}
