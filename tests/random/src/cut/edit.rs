//! Changes of one statement or one expression, found by its number.

use crate::expression::{Binary, Expression, Unary, Whole};
use crate::operation::Operation;
use crate::program::{Function, Program};
use crate::property::Element;
use crate::rules::set_of;
use crate::statement::{Change, Statement};
use crate::walk::each_block;

/// What is done at a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edit {
    /// A statement is removed.
    Remove,
    /// What stands in an `if` or a loop takes its place.
    Then,
    /// What stands in an `else` takes its place.
    Otherwise,
    /// A number or a truth takes the place of an expression.
    Literal(u8),
    /// A part of an expression takes its place.
    Part(usize),
}

/// The type of an expression, as far as it can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Float,
    Flag,
    Count,
    Other,
    Byte,
}

/// How many statements a program has.
pub(super) fn statements(program: &Program) -> usize {
    let mut count = 0;
    program.functions.clone().iter_mut().for_each(|function| {
        each_block(&mut function.statements, &mut |block| {
            count += block.len();
            false
        });
    });
    count
}

/// How many expressions a program has.
pub(super) fn expressions(program: &Program) -> usize {
    let mut count = 0;
    program.functions.iter().for_each(|function| crate::walk::expressions(function, &mut |_| count += 1));
    count
}

impl Edit {
    /// The program with this done to statement number `at`, if it can be.
    pub(super) fn statement(self, program: &Program, at: usize) -> Option<Program> {
        let (mut cut, mut first, mut done) = (program.clone(), 0, false);
        for function in &mut cut.functions {
            each_block(&mut function.statements, &mut |block| {
                let position = at.wrapping_sub(first);
                first += block.len();
                if position < block.len() && !done {
                    done = self.change(block, position);
                    return true;
                }
                false
            });
        }
        done.then_some(cut)
    }

    fn change(self, block: &mut Vec<Statement>, position: usize) -> bool {
        let inside = match (self, &block[position]) {
            // What is added to a property is tamed by the next statement.
            (Self::Remove, Statement::Write { change: Change::Add | Change::Subtract, .. }) => {
                return self.remove_pair(block, position);
            }
            (Self::Remove, _) if is_taming(block, position) => return false,
            (Self::Remove, _) => Vec::new(),
            (Self::Then, Statement::If { then, .. }) => then.clone(),
            (Self::Otherwise, Statement::If { otherwise, .. }) if !otherwise.is_empty() => otherwise.clone(),
            _ => return false,
        };
        block.splice(position..=position, inside);
        true
    }

    fn remove_pair(self, block: &mut Vec<Statement>, position: usize) -> bool {
        let last = if is_taming(block, position + 1) { position + 1 } else { position };
        block.drain(position..=last);
        true
    }

    /// The program with this done to expression number `at`, if it can be.
    pub(super) fn expression(self, program: &Program, at: usize) -> Option<Program> {
        let (mut cut, mut number, mut done) = (program.clone(), 0, false);
        for function in &mut cut.functions {
            each_expression(function, &mut |expression| {
                number += 1;
                if number - 1 == at {
                    done = self.replace(expression);
                    return true;
                }
                false
            });
        }
        done.then_some(cut)
    }

    fn replace(self, expression: &mut Expression) -> bool {
        let replacement = match self {
            Self::Literal(number) => literal(expression, number),
            Self::Part(number) => part(expression, number),
            _ => None,
        };
        let changed = replacement.filter(|replacement| replacement != expression);
        changed.map(|replacement| *expression = replacement).is_some()
    }
}

/// Whether a statement tames a property that the one before it has added to.
fn is_taming(block: &[Statement], position: usize) -> bool {
    let Some(Statement::Write { access, change: Change::Assign, value: Expression::Unary(Unary::Tame, value) }) =
        block.get(position)
    else {
        return false;
    };
    let before = position.checked_sub(1).and_then(|before| block.get(before));
    matches!(before, Some(Statement::Write { access: other, change: Change::Add | Change::Subtract, .. }) if other == access)
        && **value == Expression::Read(*access)
}

fn literal(expression: &Expression, number: u8) -> Option<Expression> {
    let literal = match kind(expression) {
        Kind::Float if number == 1 => Expression::Number(1.0),
        Kind::Flag => Expression::Flag(number == 1),
        Kind::Count if number == 0 => Expression::Count(0),
        Kind::Byte if number == 0 => Expression::Byte(0),
        _ => return None,
    };
    let is_literal =
        matches!(expression, Expression::Number(_) | Expression::Flag(_) | Expression::Count(_) | Expression::Byte(_));
    (!is_literal).then_some(literal)
}

fn part(expression: &Expression, number: usize) -> Option<Expression> {
    // What keeps numbers small, or away from zero, stays around its part.
    let guards = match expression {
        Expression::Unary(Unary::Tame | Unary::Bound, _) => true,
        Expression::Binary(Binary::Add | Binary::Multiply, values) => matches!(values[0], Expression::Number(_)),
        Expression::Whole(Whole::Rest, _) => true,
        Expression::Whole(_, values) => matches!(values[1], Expression::Count(_)),
        _ => false,
    };
    let parts: Vec<&Expression> =
        expression.parts().into_iter().filter(|part| kind(part) == kind(expression)).collect();
    parts.get(number).filter(|_| !guards && kind(expression) != Kind::Other).map(|part| (*part).clone())
}

fn kind(expression: &Expression) -> Kind {
    match expression {
        Expression::Number(_) | Expression::Width => Kind::Float,
        Expression::Flag(_) | Expression::Unary(Unary::Not, _) => Kind::Flag,
        Expression::Count(_) | Expression::Feature(_) | Expression::Remainder(..) | Expression::Own(_) => Kind::Count,
        Expression::Unary(Unary::Negate, value) => kind(value),
        Expression::Unary(Unary::Whole, _) => Kind::Count,
        Expression::Unary(Unary::Byte, _) | Expression::Byte(_) => Kind::Byte,
        Expression::Whole(Whole::Left | Whole::Right, values) => kind(&values[0]),
        Expression::Whole(_, values) => of_either(kind(&values[0]), kind(&values[1])),
        Expression::Unary(..) | Expression::Apply(..) => Kind::Float,
        Expression::Binary(of, values) => match of {
            Binary::Less
            | Binary::More
            | Binary::AtMost
            | Binary::Equal
            | Binary::Differs
            | Binary::And
            | Binary::Or => Kind::Flag,
            Binary::Scale => Kind::Other,
            Binary::Add | Binary::Subtract => kind(&values[0]),
            _ => Kind::Float,
        },
        Expression::Choose(values) => kind(&values[1]),
        Expression::Match(_, arms) => kind(&arms[0]),
        Expression::Operation(of, _) => match of {
            Operation::Any | Operation::All => Kind::Flag,
            Operation::Argmax => Kind::Count,
            Operation::Outer | Operation::Inverse | Operation::Diagonal => Kind::Other,
            _ => Kind::Float,
        },
        Expression::Block(_, value) => kind(value),
        Expression::Read(_) | Expression::Variable(_) | Expression::Gather(..) => Kind::Other,
    }
}

/// The type of two numbers of a type, of which one may not be seen.
fn of_either(left: Kind, right: Kind) -> Kind {
    if left == Kind::Other { right } else { left }
}

/// Walks all expressions until told to stop, in the order of [`crate::walk::expressions`].
fn each_expression(function: &mut Function, visit: &mut dyn FnMut(&mut Expression) -> bool) {
    let _ = in_statements(&mut function.statements, visit) || in_expression(&mut function.result, visit);
}

fn in_statements(statements: &mut [Statement], visit: &mut dyn FnMut(&mut Expression) -> bool) -> bool {
    statements.iter_mut().any(|statement| {
        statement.expressions_mut().into_iter().any(|expression| in_expression(expression, visit))
            || statement.blocks_mut().into_iter().any(|block| in_statements(block, visit))
    })
}

fn in_expression(expression: &mut Expression, visit: &mut dyn FnMut(&mut Expression) -> bool) -> bool {
    if visit(expression) {
        return true;
    }
    if let Expression::Block(statements, _) = expression
        && in_statements(statements, visit)
    {
        return true;
    }
    expression.parts_mut().into_iter().any(|part| in_expression(part, visit))
}

/// The properties that functions mention.
pub(super) fn mentioned(program: &Program) -> u64 {
    let mut found = 0;
    for function in &program.functions {
        let accesses = crate::accesses::Accesses::of(function);
        found |= accesses.writes | accesses.reduces | accesses.adds | accesses.gathers;
        crate::walk::expressions(function, &mut |expression| {
            if let Expression::Read(access) = expression {
                found |= 1 << access.property;
            }
        });
    }
    if found & set_of(program, |property| property.element.is_inputs()) != 0 {
        found |= set_of(program, |property| property.element == Element::Lift);
    }
    found
}

/// Takes a property out that nobody mentions.
pub(super) fn remove_property(program: &mut Program, property: usize) {
    let moved = |number: &mut usize| *number -= usize::from(*number > property);
    program.properties.remove(property);
    for function in &mut program.functions {
        each_block(&mut function.statements, &mut |block| {
            block.iter_mut().for_each(|statement| match statement {
                Statement::Write { access, .. } | Statement::Reduce { access, .. } => moved(&mut access.property),
                _ => {}
            });
            false
        });
        each_expression(function, &mut |expression| {
            if let Expression::Read(access) = expression {
                moved(&mut access.property);
            }
            if let Expression::Gather(property, _) = expression {
                moved(property);
            }
            false
        });
    }
}
