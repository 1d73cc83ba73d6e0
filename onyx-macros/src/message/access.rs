//! What is said of how a function reads and writes properties.

use std::fmt::Display;

/// The whole data.
pub const WHOLE_DATA: &str = "the graph data is only reached through its properties, such as `d.label[v][f]`: it cannot be passed on, borrowed or \
     copied";

/// A property without a name.
pub const PROPERTY_NAME: &str = "name the property: `d.label`";

/// The feature before the vertex, or without one.
pub const FEATURE_FIRST: &str = "say whose feature first, then which one: `d.label[v][f]`, `d.label[e.src][f]`";

/// Another feature than the function's own.
pub const OTHER_FEATURE: &str = "a function touches its own feature alone: index with its `Feature` parameter; for a value \
                                 of all features use an operation such as `sum(..)`, for another feature's `broadcast(x, i)`";

/// A feature in a function that has none.
pub const NO_FEATURE: &str = "to use features, add the parameter `f: Feature` in front and index with `[f]`";

/// Another vertex in a vertex function.
pub const OTHER_VERTEX: &str = "a vertex function touches its own vertex alone; what comes from neighbors is gathered by an `#[edge_fn]`, and what another vertex has is read at `Vertex(i)`";

/// Another element in an edge function.
pub const OTHER_ELEMENT: &str = "an edge function touches its own edge, the reverse edge and its two ends alone: index with `e`, `e.rev`, `e.src` or `e.dst`, or read what another vertex has at `Vertex(i)`";

/// A field of an edge or a vertex that is none.
pub fn field(name: impl Display, element: impl Display) -> String {
    format!("what an edge or a vertex has is a property of the data: write `d.{name}[{element}]`")
}

/// A method of an edge or a vertex.
pub const ELEMENT_METHOD: &str = "an edge or a vertex has no such method: what comes from neighbors is reduced by an `#[edge_fn]`, which runs for each edge, `d.sum[e.dst][f] += d.x[e.src][f]`";

/// A variable in place of an edge or a vertex.
pub fn stand_in(name: impl Display, place: &str) -> String {
    format!("an index names an edge or a vertex itself, and not by a variable: write `{place}` in place of `{name}`")
}

/// An edge or a vertex in place of a number.
pub fn no_number(element: &str, number: &str) -> String {
    format!("`{element}` is no number: write `{number}` for its number, and `Vertex(i)` for the vertex of a number `i`")
}

/// A write to the reverse edge.
pub const WRITE_REVERSE: &str = "an edge function cannot write at `e.rev`, which runs at the same time: write the function's own edge, \
                                 `d.message[e][f] = x`";

/// A write at a vertex that is computed.
pub const WRITE_COMPUTED: &str = "what is at a vertex that a function computes is read alone, since several functions may come there at once: write the function's own \
                                  edge or vertex, or reduce into an end of an edge";

/// A row of a table that is assigned.
pub const WRITE_ROW: &str = "several functions may come to one row of a table at once: add to it, `d.total[i][f] += x`, `d.total[i][f].min_with(x)` or \
     `d.total[i][f].max_with(x)`";

/// An index that differs between features.
pub const INDEX_DIFFERS: &str = "which vertex or which row it is must be the same for all features: compute it from scalars, parameters or the results of collaborative operations \
     such as `argmax(..)`";

/// A plain assignment to the source.
pub const ASSIGN_SOURCE: &str =
    "edges that share a source run at once: add to it with `+=`, or assign it in a `#[vertex_fn]`";

/// A plain assignment to the destination.
pub const ASSIGN_DESTINATION: &str =
    "edges that share a destination run at once: add to it with `+=`, or assign it in a `#[vertex_fn]`";

/// An assignment to what the whole graph has for each feature.
pub const WRITE_GRAPH_ROW: &str = "say whose feature it is, `d.label[v][f] = x`; what the whole graph has is set before a run, or is a total that functions add to, \
     `d.total[f] += x`";

/// An assignment to a parameter.
pub const WRITE_PARAMETER: &str = "what the whole graph has is set before a run, or is a total that functions add to: `d.total += x`, `d.total.min_with(x)` or \
     `d.total.max_with(x)`";

/// A property inside a pattern of an assignment.
pub const DESTRUCTURE: &str = "assign one property at a time: `d.label[v][f] = x;`";

/// A mutable borrow of a property.
pub const BORROW: &str = "a property cannot be borrowed mutably: compute the value and assign it";

/// A write inside of a closure.
pub const WRITE_IN_CLOSURE: &str = "a closure cannot write a property: return the value and assign it outside";

/// Two indices between one pair of brackets.
pub const INDEX: &str = "an index names the vertex or edge, and a second one the feature: `d.label[v][f]`";

/// A read at the reverse edge of what the same function writes.
pub fn read_reversed(property: impl Display) -> String {
    format!(
        "this function writes `{property}`, and reads it at `e.rev`, where it may be written at the same time: write another \
         property, and copy it in a function after a `;`"
    )
}

/// A scalar write of a value that differs between features.
pub fn differs(property: impl Display) -> String {
    format!(
        "`{property}` has one value for all features, but this differs between features: combine it first, such as with \
         `sum(..)`"
    )
}

/// A scalar write of a variable that was changed where nobody can follow.
pub fn differs_through(property: impl Display, variable: impl Display) -> String {
    format!(
        "`{property}` has one value for all features, but `{variable}` may have another for each: it is changed through a \
         reference, a closure or a method that also gets what differs between features; change it by assignments, \
         `{variable} = ..`, or combine what differs first, such as with `sum(..)`"
    )
}

/// A scalar write that not all features reach.
pub fn differs_by_branch(property: impl Display) -> String {
    format!(
        "`{property}` has one value for all features, but whether this is reached differs between features: combine the \
         condition first, such as with `any(..)`"
    )
}
