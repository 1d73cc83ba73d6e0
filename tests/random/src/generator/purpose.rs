//! Whether a program does what its style is for.

use crate::accesses::Accesses;
use crate::expression::Expression;
use crate::name::Style;
use crate::program::{Function, Program};
use crate::property::{Element, Precision};
use crate::rules::set_of;

/// Whether a program does so.
pub(super) fn is_met(program: &Program) -> bool {
    match program.name.style {
        Style::Plain | Style::History | Style::Near => true,
        Style::Width => program.functions.iter().any(|function| mentions(function, &Expression::Width)),
        Style::Halves => rounds(program),
        Style::Tables => reads(program, |element| element == Element::Table),
        Style::Inputs => reads(program, Element::is_inputs),
        Style::Heads => reads(program, Element::is_of_heads) && changes_heads(program),
        Style::Outward => any(program, |accesses| accesses.reduces_source != 0),
        Style::Totals => any(program, |accesses| accesses.adds != 0),
        Style::States => any(program, |accesses| accesses.operators.values().any(|operator| operator.has_state())),
        Style::Integers => uses_integers(program),
        Style::Gathers => gathers(program),
    }
}

fn any(program: &Program, holds: impl Fn(&Accesses) -> bool) -> bool {
    program.functions.iter().any(|function| holds(&Accesses::of(function)))
}

/// Whether an expression stands somewhere in a function.
fn mentions(function: &Function, expression: &Expression) -> bool {
    let mut found = false;
    crate::walk::expressions(function, &mut |part| found |= part == expression);
    found
}

/// Whether a function reads a property of such an element.
fn reads(program: &Program, holds: impl Fn(Element) -> bool) -> bool {
    let mut found = false;
    for function in &program.functions {
        crate::walk::expressions(function, &mut |part| {
            found |= matches!(part, Expression::Read(access) if holds(program.properties[access.property].element));
        });
    }
    found
}

/// Whether a function writes what half precision rounds.
fn rounds(program: &Program) -> bool {
    let rounded = set_of(program, |property| property.precision != Precision::Single && !property.is_tracked());
    any(program, |accesses| accesses.writes & rounded != 0)
}

fn changes_heads(program: &Program) -> bool {
    let of_heads = set_of(program, |property| property.element.is_of_heads() && !property.is_scratch());
    any(program, |accesses| (accesses.writes | accesses.reduces) & of_heads != 0)
}

/// Whether integers are read, and written or reduced.
fn uses_integers(program: &Program) -> bool {
    let integers = set_of(program, |property| property.precision.is_whole());
    let mut read = 0;
    for function in &program.functions {
        crate::walk::expressions(function, &mut |part| {
            read |= if let Expression::Read(access) = part { 1 << access.property } else { 0 };
        });
    }
    read & integers != 0 && any(program, |accesses| (accesses.writes | accesses.reduces) & integers != 0)
}

/// Whether something is read at a computed vertex.
fn gathers(program: &Program) -> bool {
    let of_vertices = set_of(program, |property| property.element.is_of_vertex());
    any(program, |accesses| accesses.gathers & of_vertices != 0)
}
