//! Lines that are put into one function of a program.

use crate::accesses::Accesses;
use crate::dice::Dice;
use crate::expression::Place;
use crate::program::{Function, Program};
use crate::property::{Element, Property};
use crate::source::place;

/// Where a line is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    /// Before the first statement.
    First,
    /// Before the result.
    Last,
}

/// One of the functions that fulfil a condition.
pub(super) fn some_function<'a>(
    program: &'a Program,
    dice: &mut Dice,
    holds: impl Fn(&Function) -> bool,
) -> Option<&'a Function> {
    let found: Vec<&Function> = program.functions.iter().filter(|function| holds(function)).collect();
    if found.is_empty() { None } else { Some(*dice.pick(&found)) }
}

/// One of the properties that fulfil a condition, at a place, as a function writes it.
pub(super) fn some_property(
    program: &Program,
    function: &Function,
    at: Place,
    dice: &mut Dice,
    holds: impl Fn(&Property) -> bool,
) -> Option<String> {
    let may = |property: &Property| {
        (function.has_feature || !property.element.is_row()) && !property.element.is_matrix() && holds(property)
    };
    // What the function reduces is refused for being read.
    let reduced = if at == Place::Destination { 0 } else { Accesses::of(function).reduces };
    let properties = program.properties.iter().enumerate();
    let found = properties.filter(|(index, property)| may(property) && reduced >> index & 1 == 0);
    let found: Vec<usize> = found.map(|(index, _)| index).collect();
    if found.is_empty() { None } else { Some(place(program, *dice.pick(&found), at)) }
}

/// Whether a property is a vertex's and has memory.
pub(super) fn of_vertex(property: &Property) -> bool {
    property.element.is_of_vertex() && !property.is_scratch()
}

/// Whether a property is an edge's and has memory.
pub(super) fn of_edge(property: &Property) -> bool {
    property.element.is_of_edge() && !property.is_scratch()
}

/// Whether a property is a vertex's scalar.
pub(super) fn scalar(property: &Property) -> bool {
    property.element == Element::VertexScalar && !property.is_scratch()
}

/// Whether a property has features at a vertex.
pub(super) fn features(property: &Property) -> bool {
    property.element == Element::VertexFeatures && !property.is_scratch()
}

/// The program with a line in one of its functions.
pub(super) fn with_line(program: &Program, function: &Function, at: Where, line: &str) -> String {
    let text = program.function(function);
    let mut lines: Vec<&str> = text.lines().collect();
    let first = lines.iter().position(|line| line.starts_with("pub fn")).expect("a function") + 1;
    let position = if at == Where::First { first } else { lines.len() - 1 - result_lines(&lines) };
    lines.insert(position, line);
    with_function(program, function, &lines.join("\n"))
}

/// How many lines the result takes: it ends the function, and begins after the last line of the same depth that ends a statement.
fn result_lines(lines: &[&str]) -> usize {
    let body = &lines[..lines.len() - 1];
    let ends = |line: &&str| {
        line.starts_with("    ") && !line.starts_with("     ") && (line.ends_with(';') || *line == "    }")
    };
    let after = body
        .iter()
        .rposition(ends)
        .map_or(lines.iter().position(|line| line.starts_with("pub fn")).unwrap_or(0), |last| last);
    body.len() - after - 1
}

/// The program with another text for one of its functions.
pub(super) fn with_function(program: &Program, function: &Function, text: &str) -> String {
    let functions = program
        .functions
        .iter()
        .map(|other| if other.name == function.name { format!("\n{text}\n") } else { program.function(other) });
    format!("{}{}{}", program.data(), functions.collect::<String>(), program.foldmap())
}
