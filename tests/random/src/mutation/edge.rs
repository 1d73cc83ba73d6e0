//! What an edge function may not do with properties.

use crate::dice::Dice;
use crate::expression::Place;
use crate::mutation::Mutation;
use crate::mutation::line::{Where, features, of_edge, of_vertex, scalar, some_function, some_property, with_line};
use crate::program::{Function, Program};
use crate::property::Property;
use crate::source::place;
use crate::statement::{Reduction, Statement};

/// A line about a property at a place: `{}` stands for it.
fn about(
    rule: &'static str,
    message: &'static str,
    at: Place,
    holds: fn(&Property) -> bool,
    line: &'static str,
) -> Mutation {
    Mutation::new(rule, message, move |program, dice| {
        let function = some_function(program, dice, |function| function.is_edge)?;
        let property = some_property(program, function, at, dice, holds)?;
        Some(with_line(program, function, Where::First, &format!("    {}", line.replace("{}", &property))))
    })
}

/// A line about a scalar of a vertex and something that differs between features.
fn differing(rule: &'static str, message: &'static str, line: &'static str) -> Mutation {
    Mutation::new(rule, message, move |program, dice| {
        let function = some_function(program, dice, |function| function.is_edge && function.has_feature)?;
        let total = some_property(program, function, Place::Destination, dice, scalar)?;
        let row = some_property(program, function, Place::Source, dice, features)?;
        let line = line.replace("{total}", &total).replace("{row}", &row);
        Some(with_line(program, function, Where::First, &format!("    {line}")))
    })
}

/// A line about a property that the function reduces.
fn reduced(rule: &'static str, message: &'static str, line: fn(&str, Reduction) -> String) -> Mutation {
    Mutation::new(rule, message, move |program, dice| {
        let function = some_function(program, dice, |function| reduction(function).is_some())?;
        let (property, reduction) = reduction(function)?;
        let property = place(program, property, Place::Destination);
        Some(with_line(program, function, Where::Last, &format!("    {}", line(&property, reduction))))
    })
}

/// The first reduction of a function that is of single floats.
fn reduction(function: &Function) -> Option<(usize, Reduction)> {
    function.statements.iter().find_map(|statement| match statement {
        Statement::Reduce { access, reduction, .. } => Some((access.property, *reduction)),
        _ => None,
    })
}

fn other_operator(property: &str, reduction: Reduction) -> String {
    match reduction {
        Reduction::Min => format!("{property}.max_with({property_value});", property_value = 0.5),
        _ => format!("{property}.min_with(0.5);"),
    }
}

fn end(program: &Program, dice: &mut Dice, line: &str) -> Option<String> {
    let function = some_function(program, dice, |function| function.is_edge)?;
    Some(with_line(program, function, Where::First, line))
}

/// The rules of edge functions.
pub(super) fn mutations() -> Vec<Mutation> {
    let unordered = "edges that share a destination run at once";
    vec![
        about("assign to the destination", unordered, Place::Destination, of_vertex, "{} = 1.0;"),
        about("divide at the destination", "combined there in any order", Place::Destination, of_vertex, "{} /= 2.0;"),
        about("assign to the source", "edges that share a source run at once", Place::Source, of_vertex, "{} = 1.0;"),
        about("divide at the source", "combined there in any order", Place::Source, of_vertex, "{} /= 2.0;"),
        about("write the reverse edge", "cannot write at `e.rev`", Place::Reverse, of_edge, "{} = 1.0;"),
        about("read and write at the reverse edge", "cannot write at `e.rev`", Place::Reverse, of_edge, "{} *= 2.0;"),
        about("bound of an own edge", "reduce into an end of an edge", Place::Edge, of_edge, "{}.max_with(1.0);"),
        about(
            "mean of an own edge",
            "reduce what all edges bring to an end",
            Place::Edge,
            of_edge,
            "{}.mean_with(1.0);",
        ),
        about(
            "a softmax without a score",
            "`softmax_add` takes",
            Place::Destination,
            of_vertex,
            "{}.softmax_add(1.0);",
        ),
        about("borrow", "cannot be borrowed mutably", Place::Edge, of_edge, "let z = &mut {};"),
        about(
            "write in a closure",
            "a closure cannot write a property",
            Place::Edge,
            of_edge,
            "let z = || { {} = 1.0; };",
        ),
        about("destructure", "assign one property at a time", Place::Edge, of_edge, "let z; ({}, z) = (1.0, 2.0);"),
        differing("a scalar total that differs", "but this differs between features", "{total} += {row};"),
        differing("a scalar least that differs", "but this differs between features", "{total}.min_with({row} * 0.5);"),
        differing(
            "a scalar total on a path that differs",
            "but whether this is reached differs between features",
            "if {row} > 0.5 { {total} += 1.0; }",
        ),
        differing(
            "a scalar total after a return that differs",
            "but whether this is reached differs between features",
            "if {row} > 0.5 { return true; } {total} *= 2.0;",
        ),
        reduced("read what is reduced", "whose total is complete only when all edges are done", |property, _| {
            format!("let z = {property};")
        }),
        Mutation::new("both ends", "reduces into the other end of its edge, too", |program, dice| {
            let function = some_function(program, dice, |function| reduction(function).is_some())?;
            let (property, reduction) = reduction(function)?;
            let line = format!("    {} += 1.0;", place(program, property, Place::Source));
            (reduction.operator() == Reduction::Sum).then(|| with_line(program, function, Where::Last, &line))
        }),
        reduced("two operators", "keep one of them, or use two properties", other_operator),
        Mutation::new("another element", "touches its own edge", |program, dice| {
            let function = some_function(program, dice, |function| function.is_edge)?;
            let property = some_property(program, function, Place::Source, dice, of_vertex)?;
            let line = format!("    let z = {};", property.replace("[e.src]", "[e.other]"));
            Some(with_line(program, function, Where::First, &line))
        }),
        Mutation::new("a return value of an edge", "return `true` or `false`", |program, dice| {
            end(program, dice, "    if e.id == 7 { return; }")
        }),
    ]
}
