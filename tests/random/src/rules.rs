//! The rules of a fold, as the reference has them: which programs are legal, and which may be pushed.

use crate::accesses::Accesses;
use crate::program::{Program, Stage};
use crate::property::Precision;
use crate::statement::{Reduction, Statement};
use crate::uniformity;

/// The rule that a program breaks, if it breaks any.
pub fn broken(program: &Program) -> Option<String> {
    let accesses: Vec<Accesses> = program.functions.iter().map(Accesses::of).collect();
    let stages = program.stages();
    let of_function = program.functions.iter().find_map(|function| uniformity::broken(program, function));
    let of_stage = stages.iter().find_map(|stage| broken_in_stage(program, &accesses, stage));
    of_function
        .or(of_stage)
        .or_else(|| broken_ends(program, &accesses))
        .or_else(|| broken_totals(program, &accesses))
        .or_else(|| broken_scratch(program, &accesses))
        .or_else(|| broken_progress(program))
        .or_else(|| broken_turns(program))
        .or_else(|| broken_heads(program, &accesses))
        .or_else(|| broken_reductions(program, &accesses))
        .or_else(|| stages.iter().find_map(|stage| broken_gathers(program, &accesses, stage)))
}

fn named(program: &Program, set: u64, rule: &str) -> Option<String> {
    (set != 0).then(|| format!("{}: {rule}", program.properties[set.trailing_zeros() as usize].name))
}

/// The properties that fulfil a condition, one bit each.
pub fn set_of(program: &Program, holds: impl Fn(&crate::property::Property) -> bool) -> u64 {
    let bits = program.properties.iter().enumerate().filter(|(_, property)| holds(property));
    bits.fold(0, |set, (index, _)| set | 1 << index)
}

fn broken_in_stage(program: &Program, accesses: &[Accesses], stage: &Stage) -> Option<String> {
    let tracked = set_of(program, |property| property.is_tracked());
    let vertices = stage.vertices.iter().fold(Accesses::default(), |all, vertex| all.union(&accesses[*vertex]));
    let edges = stage.edges.iter().fold(Accesses::default(), |all, edge| all.union(&accesses[*edge]));
    let (far, rule) = match edges.reduces_source {
        0 => (edges.reads_source, "read at the source while a vertex function writes it"),
        _ => (edges.reads_destination, "read at the destination while a vertex function writes it"),
    };
    let shared = far & vertices.writes & !tracked;
    let unfinished = (edges.reads_source | edges.reads_destination) & edges.reduces;
    let reversed = edges.reads_reverse & edges.writes;
    named(program, shared, rule)
        .or_else(|| named(program, unfinished, "read at an end while it is reduced"))
        .or_else(|| named(program, reversed, "read at the reverse edge while it is written"))
        .or_else(|| named(program, reduced_twice(accesses, stage), "reduced by two functions of a stage"))
}

fn reduced_twice(accesses: &[Accesses], stage: &Stage) -> u64 {
    let mut seen = 0;
    stage.edges.iter().fold(0, |twice, edge| {
        let both = seen & accesses[*edge].reduces;
        seen |= accesses[*edge].reduces;
        twice | both
    })
}

/// A function reduces into one end of its edge.
fn broken_ends(program: &Program, accesses: &[Accesses]) -> Option<String> {
    let broken = accesses.iter().find(|it| it.reduces_source != 0 && it.reduces_source != it.reduces)?;
    named(program, broken.reduces, "reduced by a function that reduces into both ends")
}

/// One function adds to a total of the graph, no function of its stage reads it, and it is of all vertices and edges.
fn broken_totals(program: &Program, accesses: &[Accesses]) -> Option<String> {
    let (mut added, mut twice) = (0, 0);
    for function in program.fold.parts.iter().flatten() {
        twice |= added & accesses[*function].adds;
        added |= accesses[*function].adds;
    }
    let unfinished = |stage: &Stage| {
        let functions = stage.edges.iter().chain(&stage.vertices);
        let all = functions.fold(Accesses::default(), |all, function| all.union(&accesses[*function]));
        all.adds & all.reads_graph
    };
    let unfinished = program.stages().iter().fold(0, |found, stage| found | unfinished(stage));
    let partial = if program.fold.is_active { added } else { 0 };
    named(program, twice, "added to by two functions")
        .or_else(|| named(program, unfinished, "read while functions add to it"))
        .or_else(|| named(program, partial, "added to by edges of active sources"))
}

fn broken_scratch(program: &Program, accesses: &[Accesses]) -> Option<String> {
    let scratch = set_of(program, |property| property.is_scratch());
    let all = accesses.iter().fold(Accesses::default(), |all, function| all.union(function));
    let distant = all.reads_source | all.reads_destination | all.reads_reverse | all.reduces | all.gathers;
    named(program, distant & scratch, "scratch away from its own edge or vertex").or_else(|| {
        let unwritten = program.runs().iter().fold(0, |found, (_, run)| found | unwritten(accesses, run));
        let unwritten = if program.fold.is_unfolded { unwritten_if_folded(program, accesses) } else { unwritten };
        named(program, unwritten & scratch, "scratch that no function before has written")
    })
}

/// What functions of a run read of their own before an earlier one has written it.
fn unwritten(accesses: &[Accesses], run: &[usize]) -> u64 {
    let mut written = 0;
    run.iter().fold(0, |found, function| {
        let missing = accesses[*function].reads_own & !written;
        written |= accesses[*function].writes;
        found | missing
    })
}

/// The same where each function is a run of its own: what counts are the runs of the same functions folded.
fn unwritten_if_folded(program: &Program, accesses: &[Accesses]) -> u64 {
    let functions: Vec<usize> = program.fold.parts.concat();
    let runs = functions.chunk_by(|one, next| program.functions[*one].is_edge == program.functions[*next].is_edge);
    runs.fold(0, |found, run| found | unwritten(accesses, run))
}

/// Unfolded, an edge function must not stop the edge function after it.
fn broken_progress(program: &Program) -> Option<String> {
    let functions: Vec<usize> = program.fold.parts.concat();
    let stops = functions.windows(2).find(|pair| {
        let [one, next] = [pair[0], pair[1]].map(|function| &program.functions[function]);
        program.fold.is_unfolded && one.is_edge && next.is_edge && one.may_stop()
    });
    stops.map(|pair| format!("{} may stop the function after it", program.functions[pair[0]].name))
}

/// An edge function that may stop stands in the stage of the one after it, unless a `;` says otherwise.
fn broken_turns(program: &Program) -> Option<String> {
    let stops = |function: &&usize| program.functions[**function].may_stop();
    let broken =
        program.turns_without_semicolon().into_iter().find_map(|stage| stage.edges.iter().find(stops).copied());
    broken.map(|function| format!("{} does not stop a function that begins a stage", program.functions[function].name))
}

/// Each head runs by itself, and must not write what all of them have in common.
fn broken_heads(program: &Program, accesses: &[Accesses]) -> Option<String> {
    let written =
        accesses.iter().fold(0, |written, function| written | function.writes | function.reduces | function.adds);
    let common = set_of(program, |property| property.element.is_scalar() && !property.is_scratch());
    let broken = if program.has_heads() { written & common } else { 0 };
    named(program, broken, "written by each head, of which there is one for all")
}

/// What is read at a computed vertex, any vertex, has not been changed by its stage: it has a previous value, or is not written.
fn broken_gathers(program: &Program, accesses: &[Accesses], stage: &Stage) -> Option<String> {
    let functions = stage.edges.iter().chain(&stage.vertices).map(|function| &accesses[*function]);
    let all = functions.fold(Accesses::default(), |all, function| all.union(function));
    // Vertex functions alone, in a single stage, run on the active vertices: nothing is exchanged between two iterations.
    let has_previous = !stage.edges.is_empty() || program.stages().len() > 1;
    let tracked = if has_previous { set_of(program, |property| property.is_tracked()) } else { 0 };
    let written = all.gathers & all.writes & !tracked;
    let rule = if has_previous { "while it is written" } else { "without a previous value" };
    named(program, written, &format!("read at a computed vertex {rule}"))
        .or_else(|| named(program, all.gathers & all.reduces, "read at a computed vertex while it is reduced"))
}

/// What is reduced by an operator that there is not for the type of its numbers.
fn broken_reductions(program: &Program, accesses: &[Accesses]) -> Option<String> {
    let may = |property: usize, operator: Reduction| match program.properties[property].precision {
        Precision::Word => operator != Reduction::Product && !operator.has_state(),
        Precision::Single => !matches!(operator, Reduction::Or | Reduction::And),
        Precision::Half | Precision::Brain | Precision::Byte => false,
    };
    let reductions = accesses.iter().flat_map(|function| &function.operators);
    let broken = reductions.filter(|(property, operator)| !may(**property, **operator));
    named(program, broken.fold(0, |set, (property, _)| set | 1 << property), "reduced by what its numbers have not")
}

/// The totals that a run does not leave in the store: vertex functions of the same stage have read them, and no other stage does.
pub fn unspecified(program: &Program) -> u64 {
    let stages = program.stages();
    let accesses: Vec<Accesses> = program.functions.iter().map(Accesses::of).collect();
    let reads = |stage: &Stage| {
        let functions = stage.edges.iter().chain(&stage.vertices).map(|function| &accesses[*function]);
        functions.fold(0, |reads, it| reads | it.reads_source | it.reads_destination | it.reads_own | it.gathers)
    };
    let mut found = 0;
    for (number, stage) in stages.iter().enumerate().filter(|(_, stage)| !stage.vertices.is_empty()) {
        let others = stages.iter().enumerate().filter(|(other, _)| *other != number);
        let kept = others.fold(0, |kept, (_, other)| kept | reads(other));
        let taken = stage.vertices.iter().fold(0, |taken, vertex| taken | accesses[*vertex].reads_own);
        found |= stage.edges.iter().fold(0, |set, edge| set | accesses[*edge].reduces) & taken & !kept;
    }
    found
}

/// Whether the reference calls the fold change-driven, whatever its vertex functions leave to themselves.
pub fn may_be_change_driven(program: &Program) -> bool {
    let [stage] = &program.stages()[..] else { return false };
    let accesses: Vec<Accesses> = program.functions.iter().map(Accesses::of).collect();
    let union = |run: &[usize]| run.iter().fold(Accesses::default(), |all, one| all.union(&accesses[*one]));
    let (edges, vertices) = (union(&stage.edges), union(&stage.vertices));
    let scratch = set_of(program, |property| property.is_scratch());
    let tracked = set_of(program, |property| property.is_tracked());
    let changing = edges.reads_source & vertices.writes;
    let by_changes = edges.operators.values().all(|operator| matches!(operator, Reduction::Sum | Reduction::Product));
    !program.fold.is_active
        && changing != 0
        && changing & !tracked == 0
        && edges.gathers | vertices.gathers == 0
        && edges.reduces_source == 0
        && edges.reads_destination & vertices.writes == 0
        && edges.reduces & vertices.writes == 0
        && edges.writes & !scratch == 0
        && by_changes
}

/// Whether some statement fulfils a condition, however deep it is.
pub fn any_statement(statements: &[Statement], holds: &dyn Fn(&Statement) -> bool) -> bool {
    statements
        .iter()
        .any(|statement| holds(statement) || statement.blocks().into_iter().any(|block| any_statement(block, holds)))
}
