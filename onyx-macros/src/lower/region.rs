//! Splits a body into regions at its collaborative operations, in the order of evaluation.

use quote::quote_spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Block, Expr, ExprClosure, ExprReturn, Ident, Stmt};

use crate::check::operation::{Arguments, Operation, called, declared};
use crate::errors::Errors;
use crate::lower::names::{name_at, numbered, numbered_at};
use crate::message;

/// A collaborative operation between two regions.
#[derive(Clone, Debug)]
pub struct Call {
    /// Which one.
    pub operation: Operation,
    /// The user's token.
    pub name: Ident,
    /// What it is called with, computed at the end of the region before it.
    pub arguments: Arguments,
}

/// Statements that each feature runs alone.
#[derive(Clone, Debug, Default)]
pub struct Region {
    /// The statements.
    pub statements: Vec<Stmt>,
    /// The operation that ends the region; the last region has none.
    pub call: Option<Call>,
}

/// The variable that holds the result of call number `number`.
pub fn result(number: usize) -> Ident {
    numbered("result", number)
}

/// The regions of a body; one more than there are operations.
pub fn split(body: &Block) -> Vec<Region> {
    let mut split = Split { regions: Vec::new(), open: Region::default(), shadowed: Vec::new() };
    for statement in &body.stmts {
        let mut statement = statement.clone();
        split.visit_stmt_mut(&mut statement);
        split.shadowed.extend(declared(&statement).into_iter().map(|(name, _)| name));
        split.open.statements.push(statement);
    }
    split.regions.push(split.open);
    split.regions
}

struct Split {
    regions: Vec<Region>,
    open: Region,
    shadowed: Vec<Ident>,
}

impl Split {
    /// Ends the open region with a call; returns the expression that stands for its result.
    fn end(&mut self, operation: Operation, name: Ident, arguments: Arguments) -> Expr {
        let at = name.span();
        let result = numbered_at("result", self.regions.len(), at);
        let mut region = std::mem::take(&mut self.open);
        region.call = Some(Call { operation, name, arguments });
        self.regions.push(region);
        if operation.is_uniform() {
            return Expr::Verbatim(quote_spanned!(at=> #result));
        }
        let index = name_at("index", at);
        Expr::Verbatim(quote_spanned!(at=> #result[#index]))
    }
}

impl VisitMut for Split {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        let found = called(expression, &self.shadowed);
        let Some((operation, name, arguments)) = found else { return self.descend(expression) };
        let (name, mut arguments) = (name.clone(), arguments.clone());
        arguments.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
        *expression = self.end(operation, name, arguments);
    }
}

impl Split {
    /// Walks what every feature evaluates; branches, loops and closures hold no operation.
    fn descend(&mut self, expression: &mut Expr) {
        match expression {
            Expr::If(choice) => self.visit_expr_mut(&mut choice.cond),
            Expr::Match(choice) => self.visit_expr_mut(&mut choice.expr),
            Expr::ForLoop(repeated) => self.visit_expr_mut(&mut repeated.expr),
            Expr::Binary(binary) if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) => {
                self.visit_expr_mut(&mut binary.left);
            }
            Expr::While(_) | Expr::Loop(_) | Expr::Closure(_) | Expr::Block(_) => {}
            Expr::Assign(assign) => self.visit_expr_mut(&mut assign.right),
            _ => visit_mut::visit_expr_mut(self, expression),
        }
    }
}

/// Refuses a `return` that a collaborative operation follows.
pub fn check_returns(regions: &[Region], errors: &mut Errors) {
    for region in regions {
        let Some(call) = &region.call else { continue };
        let mut found = Returns(Vec::new());
        region.statements.iter().for_each(|statement| found.visit_stmt(statement));
        call.arguments.iter().for_each(|argument| found.visit_expr(argument));
        for leave in found.0 {
            errors.push_at(leave.return_token.span, message::early_return(&call.name));
        }
    }
}

struct Returns(Vec<ExprReturn>);

impl<'ast> Visit<'ast> for Returns {
    fn visit_expr_return(&mut self, leave: &'ast ExprReturn) {
        self.0.push(leave.clone());
        visit::visit_expr_return(self, leave);
    }

    fn visit_expr_closure(&mut self, _: &'ast ExprClosure) {}
}
