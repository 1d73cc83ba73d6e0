//! Draws programs. Each is legal by construction: what a function may read and write is known before the function is drawn.

mod assignment;
mod draft;
mod exact;
mod flag;
mod function;
mod gather;
mod integers;
mod range;
mod rough;
mod row;
mod scope;
mod settle;
mod shape;
mod statements;
mod whole;

use crate::accesses::Accesses;
use crate::dice::Dice;
use crate::expression::Expression;
use crate::generator::draft::Draft;
use crate::generator::shape::{Kind, Shape};
use crate::name::{Name, Style};
use crate::program::{Fold, Function, Program};
use crate::property::{Element, Precision};
use crate::rules;

/// How often a program is drawn again that is not what its style asks for.
const ATTEMPTS: usize = 10_000;

/// The program of a name, before any cut.
pub fn draw(name: &Name) -> Program {
    let mut dice = Dice::new(name.seed.wrapping_mul(4) + name.style as u64);
    let drawn = (0..ATTEMPTS)
        .map(|_| attempt(name, &mut dice.fork()))
        .find_map(|(draft, program)| fits(&draft, &program).then_some(program));
    drawn.unwrap_or_else(|| panic!("no program for {name}"))
}

fn attempt(name: &Name, dice: &mut Dice) -> (Draft, Program) {
    let shape = Shape::draw(name.style, dice);
    let draft = Draft::new(name.style, shape, dice);
    let functions = functions(&draft, dice);
    let fold = Fold {
        parts: parts(&draft, dice),
        is_unfolded: draft.shape.is_unfolded,
        is_active: matches!(draft.shape.kind, Kind::Active | Kind::Pushed),
        widths: draft.shape.widths.clone(),
        per_lane: draft.shape.per_lane,
    };
    let properties = draft.properties.iter().map(|planned| planned.property.clone()).collect();
    let program = Program {
        name: Name::new(name.style, name.seed),
        has_features: draft.shape.has_features,
        properties,
        functions,
        fold,
    };
    (draft, program)
}

fn functions(draft: &Draft, dice: &mut Dice) -> Vec<Function> {
    let (mut run, mut written) = (0, Vec::new());
    let draw = |position: &draft::Position| {
        if position.run != run {
            written.clear();
            run = position.run;
        }
        function::draw(draft, *position, &mut written, dice)
    };
    draft.positions.iter().map(draw).collect()
}

/// The functions of each stage, in one part with those of the stage before where the fold is cut there anyway.
fn parts(draft: &Draft, dice: &mut Dice) -> Vec<Vec<usize>> {
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut before: Option<(usize, bool)> = None;
    for position in &draft.positions {
        let follows = before.is_some_and(|(stage, is_edge)| {
            let is_cut_anyway = draft.shape.is_unfolded || !is_edge && position.is_edge;
            stage == position.stage || is_cut_anyway && dice.chance(60)
        });
        if !follows {
            parts.push(Vec::new());
        }
        parts.last_mut().expect("one was pushed").push(position.number);
        before = Some((position.stage, position.is_edge));
    }
    parts
}

/// Whether a program is of the kind that was asked for.
fn fits(draft: &Draft, program: &Program) -> bool {
    let may_be_pushed = rules::may_be_change_driven(program);
    let uses_width = program.functions.iter().any(|function| mentions(function, &Expression::Width));
    let reads = |function: &Function, holds: fn(Element) -> bool| {
        let mut found = false;
        crate::walk::expressions(function, &mut |part| {
            found |= matches!(part, Expression::Read(access) if holds(program.properties[access.property].element));
        });
        found
    };
    let rounded = rules::set_of(program, |property| property.precision != Precision::Single && !property.is_tracked());
    let rounds = program.functions.iter().any(|function| Accesses::of(function).writes & rounded != 0);
    let of_heads = rules::set_of(program, |property| property.element.is_of_heads() && !property.is_scratch());
    let changes_heads = program.functions.iter().any(|function| {
        let accesses = Accesses::of(function);
        (accesses.writes | accesses.reduces) & of_heads != 0
    });
    let any_reads = |holds| program.functions.iter().any(|function| reads(function, holds));
    let does_something = program.functions.iter().any(|function| {
        let accesses = Accesses::of(function);
        accesses.writes | accesses.reduces != 0
    });
    does_something
        && rules::broken(program).is_none()
        && may_be_pushed == draft.is_propagation()
        && (draft.style != Style::Width || uses_width)
        && (draft.style != Style::Halves || rounds)
        && (draft.style != Style::Tables || any_reads(|element| element == Element::Table))
        && (draft.style != Style::Inputs || any_reads(Element::is_inputs))
        && (draft.style != Style::Heads || any_reads(Element::is_of_heads) && changes_heads)
        && (draft.style != Style::Integers || uses_integers(program))
        && (draft.style != Style::Gathers || gathers(program))
}

/// Whether something is read at a computed vertex.
fn gathers(program: &Program) -> bool {
    let of_vertices = rules::set_of(program, |property| property.element.is_of_vertex());
    program.functions.iter().any(|function| Accesses::of(function).gathers & of_vertices != 0)
}

/// Whether integers are read, and written or reduced.
fn uses_integers(program: &Program) -> bool {
    let integers = rules::set_of(program, |property| property.precision.is_whole());
    let (mut read, mut changed) = (0, 0);
    for function in &program.functions {
        let accesses = Accesses::of(function);
        changed |= accesses.writes | accesses.reduces;
        crate::walk::expressions(function, &mut |part| {
            read |= if let Expression::Read(access) = part { 1 << access.property } else { 0 };
        });
    }
    read & integers != 0 && changed & integers != 0
}

/// Whether an expression stands somewhere in a function.
fn mentions(function: &Function, expression: &Expression) -> bool {
    let mut found = false;
    crate::walk::expressions(function, &mut |part| found |= part == expression);
    found
}
