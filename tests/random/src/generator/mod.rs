//! Draws programs. Each is legal by construction: what a function may read and write is known before the function is drawn.

mod assignment;
mod draft;
mod exact;
mod flag;
mod function;
mod gather;
mod integers;
mod plan;
mod purpose;
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
use crate::generator::draft::Draft;
use crate::generator::shape::{Kind, Shape};
use crate::name::Name;
use crate::program::{Fold, Function, Program};
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
    let mut before: Option<draft::Position> = None;
    for position in &draft.positions {
        let follows = before.is_some_and(|before| {
            let turns = before.is_edge && before.end != position.end;
            let is_cut_anyway = draft.shape.is_unfolded || position.is_edge && (!before.is_edge || turns);
            before.stage == position.stage || is_cut_anyway && dice.chance(60)
        });
        if !follows {
            parts.push(Vec::new());
        }
        parts.last_mut().expect("one was pushed").push(position.number);
        before = Some(*position);
    }
    parts
}

/// Whether a program is of the kind that was asked for.
fn fits(draft: &Draft, program: &Program) -> bool {
    let does_something = program.functions.iter().any(|function| {
        let accesses = Accesses::of(function);
        accesses.writes | accesses.reduces | accesses.adds != 0
    });
    does_something
        && rules::broken(program).is_none()
        && rules::may_be_change_driven(program) == draft.is_propagation()
        && program.stages() == draft.stages()
        && purpose::is_met(program)
}
