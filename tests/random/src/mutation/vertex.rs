//! What a vertex function may not do with properties.

use crate::expression::Place;
use crate::mutation::Mutation;
use crate::mutation::line::{Where, features, of_vertex, scalar, some_function, some_property, with_line};
use crate::property::Property;

/// A line about a property of the vertex: `{}` stands for it.
fn about(rule: &'static str, message: &'static str, holds: fn(&Property) -> bool, line: &'static str) -> Mutation {
    Mutation::new(rule, message, move |program, dice| {
        let function = some_function(program, dice, |function| !function.is_edge)?;
        let property = some_property(program, function, Place::Vertex, dice, holds)?;
        Some(with_line(program, function, Where::First, &format!("    {}", line.replace("{}", &property))))
    })
}

/// A line about a scalar and a property with features of the vertex.
fn differing(rule: &'static str, message: &'static str, line: &'static str) -> Mutation {
    Mutation::new(rule, message, move |program, dice| {
        let function = some_function(program, dice, |function| !function.is_edge && function.has_feature)?;
        let total = some_property(program, function, Place::Vertex, dice, scalar)?;
        let row = some_property(program, function, Place::Vertex, dice, features)?;
        let line = line.replace("{total}", &total).replace("{row}", &row);
        Some(with_line(program, function, Where::First, &format!("    {line}")))
    })
}

/// The rules of vertex functions.
pub(super) fn mutations() -> Vec<Mutation> {
    let (this, reached) = ("but this differs between features", "but whether this is reached differs between features");
    vec![
        about("bound of an own vertex", "reduce into an end of an edge", of_vertex, "{}.min_with(1.0);"),
        about("mean of an own vertex", "reduce what all edges bring to an end", of_vertex, "{}.mean_with(1.0);"),
        about("borrow at a vertex", "cannot be borrowed mutably", of_vertex, "let z = &mut {};"),
        about(
            "write in a closure of a vertex",
            "a closure cannot write a property",
            of_vertex,
            "let z = || { {} += 1.0; };",
        ),
        differing("a scalar that differs", this, "{total} = {row};"),
        differing("a scalar of a variable that differs", this, "let z = {row} * 2.0; {total} -= z;"),
        differing("a scalar of a choice that differs", this, "{total} = if {row} > 0.0 { 1.0 } else { 2.0 };"),
        differing("a scalar of a changed variable that differs", this, "let mut z = 1.0; z += {row}; {total} = z;"),
        differing("a scalar of shares", this, "{total} = normalize({row});"),
        differing("a scalar of the feature's number", this, "let z = {row}; {total} = f.index() as f32;"),
        differing("a scalar on a path that differs", reached, "if {row} > 0.5 { {total} = 1.0; }"),
        differing(
            "a scalar in a match that differs",
            reached,
            "match {row} > 0.5 { true => { {total} = 1.0; } _ => {} }",
        ),
        differing(
            "a scalar in a loop that differs",
            reached,
            "let mut z = 0.0; while z < {row} { {total} = 1.0; z += 1.0; }",
        ),
        Mutation::new("another vertex", "is read alone", |program, dice| {
            let function = some_function(program, dice, |function| !function.is_edge)?;
            let property = some_property(program, function, Place::Vertex, dice, of_vertex)?;
            let line = format!("    {} = 1.0;", property.replace("[v]", "[Vertex(0)]"));
            Some(with_line(program, function, Where::First, &line))
        }),
        Mutation::new("an end of an edge in a vertex function", "touches its own vertex alone", |program, dice| {
            let function = some_function(program, dice, |function| !function.is_edge)?;
            let property = some_property(program, function, Place::Source, dice, of_vertex)?;
            Some(with_line(program, function, Where::First, &format!("    let z = {property};")))
        }),
    ]
}
