//! How data may not be declared, and properties that are not what functions take them for.

use crate::expression::Place;
use crate::mutation::line::{Where, features, of_edge, of_vertex, scalar, some_function, some_property, with_line};
use crate::mutation::{Mutation, Refusal};

/// A program in whose structure one thing is replaced by another.
fn replaced(rule: &'static str, message: &'static str, from: &'static str, to: &'static str) -> Mutation {
    Mutation::new(rule, message, move |program, _| {
        let data = program.data();
        data.contains(from).then(|| program.source().replacen(&data, &data.replacen(from, to, 1), 1))
    })
}

/// A line in an edge function about a property whose kind is another one.
fn mistaken(
    rule: &'static str,
    message: &'static str,
    at: Place,
    holds: fn(&crate::property::Property) -> bool,
    change: fn(&str) -> String,
) -> Mutation {
    let mutation = Mutation::new(rule, message, move |program, dice| {
        let function = some_function(program, dice, |function| function.is_edge && function.has_feature)?;
        let property = some_property(program, function, at, dice, holds)?;
        Some(with_line(program, function, Where::First, &format!("    let z = {};", change(&property))))
    });
    mutation.by(Refusal::Types)
}

/// The rules of data.
pub(super) fn mutations() -> Vec<Mutation> {
    let types = |mutation: Mutation| mutation.by(Refusal::Types);
    vec![
        replaced("an attribute of data with arguments", "remove them", "#[graph_data]", "#[graph_data(large)]"),
        replaced("a union", "`#[graph_data]` belongs on a `struct`", "pub struct", "pub union"),
        types(replaced("a tracked edge", "an edge property cannot be `", "EdgeScalar,", "EdgeScalar<Tracked>,")),
        types(replaced("another type", "is not a property type", "Parameter,", "f32,")),
        mistaken("features of a scalar", "has no features at a vertex", Place::Source, scalar, |place| {
            format!("{place}[f]")
        }),
        mistaken("a scalar of features", "has no scalar at a vertex", Place::Source, features, |place| {
            place.replace("[f]", "")
        }),
        mistaken("a vertex's property at an edge", "at an edge", Place::Source, of_vertex, |place| {
            place.replace("e.src", "e")
        }),
        mistaken("an edge's property at a vertex", "at a vertex", Place::Edge, of_edge, |place| {
            place.replace("[e]", "[e.src]")
        }),
        mistaken("a property without an index", "has more than one value", Place::Source, of_vertex, |place| {
            place.split('[').next().unwrap_or_default().to_string()
        }),
        mistaken("a property that is not there", "no field `", Place::Source, of_vertex, |place| {
            place.replacen("d.", "d.un", 1)
        }),
    ]
}
