//! Whether a fold is legal: no grid barrier exists inside of a stage, so that no function may need what another one has not finished.

use crate::compile::Compiled;
use crate::compile::changes::Reason;
use crate::compile::function::FoldFunction;
use crate::compile::property::Properties;
use crate::compile::stage::Stage;
use crate::compile::{scratch, total};
use crate::errors::Errors;
use crate::message;
use crate::parse::option::Edges;

/// Adds an error for each two functions that cannot be in one stage, and for each that cannot be in a fold as it stands.
pub fn check(compiled: &Compiled, errors: &mut Errors) {
    for stage in &compiled.stages {
        for later in stage.edges.start..stage.vertices.end {
            (stage.edges.start..later).for_each(|earlier| check_pair(compiled, stage, earlier, later, errors));
        }
    }
    compiled.stages.iter().for_each(|stage| check_gathers(compiled, stage, errors));
    (0..compiled.members.len()).for_each(|at| scratch::check(compiled, at, errors));
    if compiled.fold.is_unfolded {
        compiled.members.windows(2).for_each(|pair| check_progress(&pair[0], &pair[1], errors));
    }
    check_turns(&compiled.members, errors);
    check_changes(compiled, errors);
    check_wide(compiled, errors);
    compiled.members.iter().for_each(|member| check_heads(compiled, member, errors));
    total::check(compiled, errors);
}

/// Of a wide row each lane has a part in registers, but not of matrices as wide, nor the whole row.
fn check_wide(compiled: &Compiled, errors: &mut Errors) {
    let has_matrix = compiled.properties.0.iter().any(|property| property.element.is_matrix());
    if let Some(width) = compiled.fold.wide().filter(|_| has_matrix || compiled.is_scalar()) {
        errors.push(width, message::WIDE_WIDTH);
    }
}

/// Each head runs by itself, so that none may write what all of them have in common.
fn check_heads(compiled: &Compiled, member: &FoldFunction, errors: &mut Errors) {
    let (properties, accesses) = (&compiled.properties, member.accesses);
    if !properties.have_heads() {
        return;
    }
    let written = accesses.writes | accesses.writes_edge | accesses.reduces;
    if let Some(property) = properties.first(written & properties.of_all_heads()) {
        errors.push_at(member.span, message::shared_by_heads(&member.name, property));
    }
}

/// What two functions of one stage do to a property that keeps them apart.
fn check_pair(compiled: &Compiled, stage: &Stage, earlier: usize, later: usize, errors: &mut Errors) {
    let (properties, span, registers) = (&compiled.properties, compiled.members[later].span, compiled.in_registers());
    let (earlier, later) = (&compiled.members[earlier], &compiled.members[later]);
    let (first, second) = (&earlier.name, &later.name);
    let far = if stage.is_reversed { "destination" } else { "source" };
    let checks = [
        (
            written_elsewhere(properties, stage, earlier, later) & !registers,
            message::vertex_conflict(first, second, far),
        ),
        (unfinished(later, earlier) & !registers, message::reduction_conflict(second, first)),
        (unfinished(earlier, later) & !registers, message::reduction_conflict(first, second)),
        (reduced_by_both(earlier, later), message::shared_reduction(first, second)),
        (earlier.accesses.differently_reduced(later.accesses), message::mixed_reduction(first, second)),
        (earlier.accesses.reads_reverse & later.accesses.writes_edge, message::reverse_conflict(first, second)),
        (later.accesses.reads_reverse & earlier.accesses.writes_edge, message::reverse_conflict(second, first)),
    ];
    for (found, conflict) in checks {
        if let Some(property) = properties.first(found) {
            errors.push_at(span, conflict.about(property));
        }
    }
}

/// What the earlier function reads at the far end of its edge while the later one writes it at another vertex: it must be tracked.
fn written_elsewhere(properties: &Properties, stage: &Stage, earlier: &FoldFunction, later: &FoldFunction) -> u64 {
    let reduces = earlier.accesses.reduces;
    let shared = earlier.accesses.reads_far(stage.is_reversed) & (later.accesses.writes | reduces);
    shared & !(properties.tracked() & !reduces)
}

/// What one function reads at an end of its edge while another one still adds to it.
fn unfinished(reader: &FoldFunction, reducer: &FoldFunction) -> u64 {
    reader.accesses.reads_ends() & reducer.accesses.reduces
}

/// What both reduce by the same operator: each would keep a total of its own.
fn reduced_by_both(first: &FoldFunction, second: &FoldFunction) -> u64 {
    first.accesses.reduces & second.accesses.reduces & !first.accesses.differently_reduced(second.accesses)
}

/// What a function reads at a vertex that it computes, any vertex, while a function of its stage writes it: it must be tracked, in a fold whose iterations
/// exchange what is tracked.
fn check_gathers(compiled: &Compiled, stage: &Stage, errors: &mut Errors) {
    let (properties, members) = (&compiled.properties, &compiled.members[stage.functions()]);
    let has_previous = !compiled.is_of_vertices();
    let tracked = if has_previous { properties.tracked() } else { 0 };
    for (reader, writer) in members.iter().flat_map(|reader| members.iter().map(move |writer| (reader, writer))) {
        let (gathers, (first, second)) =
            (reader.accesses.gathers & !properties.scratch(), (&reader.name, &writer.name));
        let written = gathers & writer.accesses.writes & !tracked;
        let checks = [
            (if has_previous { written } else { 0 }, message::gather_conflict(first, second)),
            (if has_previous { 0 } else { written }, message::gather_unfinished(first, second)),
            (gathers & writer.accesses.reduces, message::gather_unfinished(first, second)),
        ];
        for (found, conflict) in checks {
            if let Some(property) = properties.first(found) {
                errors.push_at(reader.span, conflict.about(property));
            }
        }
    }
}

/// An edge function of a fold that is not folded must not stop the edge function after it.
fn check_progress(edge: &FoldFunction, next: &FoldFunction, errors: &mut Errors) {
    if edge.is_edge() && next.is_edge() && edge.may_stop {
        errors.push_at(edge.span, message::unfolded_progress(&edge.name, &next.name));
    }
}

/// Who reads `[gate, spread]` takes it that the first may stop the second, which it does not where the second begins a stage without saying so.
fn check_turns(members: &[FoldFunction], errors: &mut Errors) {
    for (index, next) in members.iter().enumerate().filter(|(_, member)| member.turns) {
        let begin = members[..index].iter().rposition(|member| member.is_first).unwrap_or(0);
        if let Some(edge) = members[begin..index].iter().find(|edge| edge.is_edge() && edge.may_stop) {
            errors.push_at(next.span, message::turning_progress(&edge.name, &next.name));
        }
    }
}

/// Changes can be propagated where they were asked for.
fn check_changes(compiled: &Compiled, errors: &mut Errors) {
    let Edges::Changed(word) = compiled.fold.edges else { return };
    if let Some(obstacle) =
        compiled.why_not_change_driven.as_ref().filter(|obstacle| !Reason::may_be_overruled(obstacle))
    {
        errors.push_at(word, format!("{}{obstacle}", message::NO_CHANGES));
    }
}
