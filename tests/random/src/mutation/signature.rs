//! How a function may not be declared.

use crate::mutation::Mutation;
use crate::mutation::line::{some_function, with_function};

/// A function of a kind in whose text one thing is replaced by another.
fn replaced(
    rule: &'static str,
    message: &'static str,
    is_edge: bool,
    from: &'static str,
    to: &'static str,
) -> Mutation {
    Mutation::new(rule, message, move |program, dice| {
        let function = some_function(program, dice, |function| {
            function.is_edge == is_edge && program.function(function).contains(from)
        })?;
        Some(with_function(program, function, &program.function(function).replacen(from, to, 1)))
    })
}

/// The same for both kinds.
fn both(rule: &'static str, message: &'static str, from: &'static str, to: &'static str) -> [Mutation; 2] {
    [replaced(rule, message, true, from, to), replaced(rule, message, false, from, to)]
}

/// The rules of declarations.
pub(super) fn mutations() -> Vec<Mutation> {
    let reference = "take the graph data by mutable reference";
    let pairs = [
        both("data by shared reference", reference, "d: &mut ", "d: &"),
        both("data by value", reference, "d: &mut ", "d: "),
        both("a pattern as a parameter", "give the parameter a plain name", "d: &mut ", "mut d: &mut "),
        both("a constant function", "an Onyx function is a plain `fn`", "pub fn", "pub const fn"),
        both("an unsafe function", "an Onyx function is a plain `fn`", "pub fn", "pub unsafe fn"),
        both("a second generic parameter", "the only generic parameter", "<const K: usize>(", "<const K: usize, T>("),
        both("a where clause", "remove the `where` clause", " -> bool {", " -> bool where u32: Copy {"),
        both(
            "a function without a width",
            "make the function generic over the number of features",
            "<const K: usize>(",
            "(",
        ),
        both("data without a width", "pass the number of features on", "<K>)", ")"),
    ];
    let single = vec![
        replaced("an edge function that returns nothing", "an edge function returns `bool`", true, " -> bool", ""),
        replaced("a vertex function that returns nothing", "a vertex function returns `bool`", false, " -> bool", ""),
        replaced("a vertex in an edge function", "an edge function receives an edge", true, "e: Edge", "e: Vertex"),
        replaced("an edge in a vertex function", "a vertex function receives a vertex", false, "v: Vertex", "v: Edge"),
        replaced("an edge function without an edge", "an edge function is written", true, "e: Edge, ", ""),
        replaced("a vertex function without a vertex", "a vertex function is written", false, "v: Vertex, ", ""),
        replaced("an attribute with arguments", "remove them", true, "#[edge_fn]", "#[edge_fn(fast)]"),
        replaced("a body without a value", "end the function with the `bool`", true, "\n    true\n}", "\n    true;\n}"),
        replaced(
            "a vertex's body without a value",
            "end the function with the `bool`",
            false,
            "\n    true\n}",
            "\n    true;\n}",
        ),
    ];
    pairs.into_iter().flatten().chain(single).collect()
}
