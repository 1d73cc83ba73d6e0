//! Walks over all expressions or statements of a function.

use crate::expression::Expression;
use crate::program::Function;
use crate::statement::Statement;

/// Shows every expression of a function, the outer ones first.
pub fn expressions(function: &Function, show: &mut dyn FnMut(&Expression)) {
    of_statements(&function.statements, show);
    of_expression(&function.result, show);
}

fn of_statements(statements: &[Statement], show: &mut dyn FnMut(&Expression)) {
    for statement in statements {
        statement.expressions().into_iter().for_each(|expression| of_expression(expression, show));
        statement.blocks().into_iter().for_each(|block| of_statements(block, show));
    }
}

fn of_expression(expression: &Expression, show: &mut dyn FnMut(&Expression)) {
    show(expression);
    if let Expression::Block(statements, _) = expression {
        of_statements(statements, show);
    }
    expression.parts().into_iter().for_each(|part| of_expression(part, show));
}

/// Walks all lists of statements until told to stop.
pub(crate) fn each_block(block: &mut Vec<Statement>, visit: &mut dyn FnMut(&mut Vec<Statement>) -> bool) -> bool {
    visit(block)
        || block.iter_mut().any(|statement| statement.blocks_mut().into_iter().any(|inner| each_block(inner, visit)))
}
