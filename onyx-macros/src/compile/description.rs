//! What the compiler made of a fold, as a text in the PTX: `cargo xtask explain` reads it.
//!
//! One line for each property, `property NAME ELEMENT tracked|untracked|scratch|passed`, with the type of its numbers where they are no `f32`, and one for each function, `function NAME edge|vertex` with the
//! number of its stage, `stage=NUMBER`, and the sets of properties that it accesses, `SET=NAME,NAME`. Last, `changes derived`, `changes asked`, or
//! `changes none` with the reason; where blocks have a row of a matrix in each lane, `blocks WIDTH,WIDTH`. A fold that was derived has a line of its source, too, `source TEXT`. The lines before these, of its module and place, are written where the fold is compiled.

use crate::compile::function::FoldFunction;
use crate::compile::property::{Number, Properties, Property};
use crate::compile::{Compiled, WARP};
use crate::lower::total::shown;
use crate::parse::access::Place;

/// The description of a fold.
pub fn of(compiled: &Compiled) -> String {
    let is_named = |property: &&Property| shown(&property.name) == property.name;
    let is_passed = |index: usize| compiled.passed >> index & 1 == 1;
    let properties = compiled.properties.0.iter().enumerate().filter(|(_, property)| is_named(property));
    let properties = properties.map(|(index, of)| property(of, is_passed(index)));
    let functions = compiled.members.iter().enumerate().map(|(index, member)| {
        let stage = compiled.stages.iter().position(|stage| stage.contains(index)).unwrap_or_default();
        function(&compiled.properties, member, stage)
    });
    let source = compiled.source.iter().map(|source| format!("source {}\n", source.replace('\n', " ")));
    properties.chain(functions).chain([changes(compiled)]).chain(blocks(compiled)).chain(source).collect()
}

/// The widths at which blocks have a row of a matrix in each lane.
fn blocks(compiled: &Compiled) -> Option<String> {
    let widths = compiled.widths.iter().filter(|width| compiled.lanes(**width).0 > WARP);
    let widths: Vec<String> = widths.map(usize::to_string).collect();
    (!widths.is_empty()).then(|| format!("blocks {}\n", widths.join(",")))
}

fn property(property: &Property, is_passed: bool) -> String {
    let lasts = match (property.is_tracked, property.is_scratch) {
        (true, _) => "tracked",
        (false, true) if is_passed => "passed",
        (false, true) => "scratch",
        (false, false) => "untracked",
    };
    let number = if property.number == Number::F32 { String::new() } else { format!(" {}", property.number.name()) };
    format!("property {} {} {lasts}{number}\n", property.name, property.element.described())
}

fn function(properties: &Properties, member: &FoldFunction, stage: usize) -> String {
    let accesses = member.accesses;
    let sets: &[(&str, u64)] = if member.is_edge() {
        &[
            ("reads_source", accesses.reads_source),
            ("reads_destination", accesses.reads_destination),
            ("reads_edge", accesses.reads_edge),
            ("reads_reverse", accesses.reads_reverse),
            ("writes_edge", accesses.writes_edge),
            ("reduces", accesses.reduces),
            ("reduces_source", if member.reduced_end == Some(Place::Source) { accesses.reduces } else { 0 }),
            ("multiplies", accesses.multiplies),
            ("bounds", accesses.bounds()),
            ("states", accesses.states()),
            ("gathers", accesses.gathers),
            ("adds", accesses.adds),
        ]
    } else {
        &[
            ("reads", accesses.reads),
            ("writes", accesses.writes),
            ("gathers", accesses.gathers),
            ("adds", accesses.adds),
        ]
    };
    let has_any = |(name, set): &&(&str, u64)| *set != 0 || !matches!(*name, "reduces_source" | "gathers" | "adds");
    let sets: String =
        sets.iter().filter(has_any).map(|(name, set)| format!(" {name}={}", properties.names(*set))).collect();
    let kind = if member.is_edge() { "edge" } else { "vertex" };
    format!("function {} {kind} stage={stage}{sets}\n", member.name)
}

fn changes(compiled: &Compiled) -> String {
    match &compiled.why_not_change_driven {
        _ if compiled.fold.is_active() => "changes none its edges are those of active sources\n".to_owned(),
        None => "changes derived\n".to_owned(),
        Some(_) if compiled.is_overruled() => "changes asked\n".to_owned(),
        Some(obstacle) => format!("changes none {obstacle}\n"),
    }
}
