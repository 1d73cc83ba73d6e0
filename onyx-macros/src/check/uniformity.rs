//! Which values are the same for all features. A scalar property may only be given such a value.

use syn::visit::{self, Visit};
use syn::{
    Block, Expr, ExprBinary, ExprBreak, ExprCall, ExprContinue, ExprForLoop, ExprIf, ExprLet, ExprLoop, ExprMatch,
    ExprMethodCall, ExprPath, ExprReference, ExprReturn, ExprWhile, Ident, Local, Pat, Stmt,
};

use crate::check::operation::{Arguments, Operation, called_by};
use crate::check::usage::{Assignment, assignment};
use crate::errors::Errors;
use crate::message;
use crate::parse::access::{Access, Place, bare, recognise};
use crate::parse::function::Function;

/// Checks the scalar writes of a function. Returns whether its own value is the same for all features.
pub fn check(function: &Function, errors: &mut Errors) -> bool {
    if function.names.feature.is_none() {
        return true;
    }
    let mut walk = Walk {
        function,
        errors,
        variables: Vec::new(),
        varies: false,
        diverged: false,
        left_loop: false,
        result_varies: false,
    };
    let mut tail = false;
    for statement in &function.body.stmts {
        tail = walk.statement(statement);
    }
    !(walk.result_varies || tail || walk.diverged)
}

struct Walk<'a> {
    function: &'a Function,
    errors: &'a mut Errors,
    /// The variables in scope, and whether they differ between features.
    variables: Vec<(Ident, bool)>,
    /// Whether the expression that is walked differs.
    varies: bool,
    /// Whether not all features are here.
    diverged: bool,
    /// Whether some features may have left the loop that is walked.
    left_loop: bool,
    /// Whether a value that was returned differs.
    result_varies: bool,
}

impl Walk<'_> {
    /// Walks an expression alone; whether it differs.
    fn value(&mut self, expression: &Expr) -> bool {
        let before = std::mem::take(&mut self.varies);
        self.visit_expr(expression);
        std::mem::replace(&mut self.varies, before)
    }

    /// Walks a statement of the body; whether its value differs.
    fn statement(&mut self, statement: &Stmt) -> bool {
        let before = std::mem::take(&mut self.varies);
        self.visit_stmt(statement);
        std::mem::replace(&mut self.varies, before)
    }

    fn scope(&mut self, diverges: bool, walk: impl FnOnce(&mut Self)) {
        let (depth, before) = (self.variables.len(), self.diverged);
        self.diverged |= diverges;
        walk(self);
        self.variables.truncate(depth);
        self.diverged = before;
    }

    /// Walks a branch. A `return` or `break` in it lets features leave for good where they have already parted.
    fn branch(&mut self, diverges: bool, walk: impl FnOnce(&mut Self)) {
        let returned = self.result_varies;
        self.scope(diverges, walk);
        self.diverged |= (self.result_varies && !returned) || self.left_loop;
    }

    /// Walks a loop twice: what the first round makes different is different at the start of the second.
    fn repeat(&mut self, mut walk: impl FnMut(&mut Self)) {
        let returned = self.result_varies;
        let (depth, before) = (self.variables.len(), self.diverged);
        let outer = std::mem::take(&mut self.left_loop);
        for _ in 0..2 {
            walk(self);
            self.variables.truncate(depth);
        }
        self.varies |= std::mem::replace(&mut self.left_loop, outer);
        self.diverged = before || (self.result_varies && !returned);
    }

    fn bind(&mut self, pattern: &Pat, varies: bool) {
        let mut names = Names(Vec::new());
        names.visit_pat(pattern);
        self.variables.extend(names.0.into_iter().map(|name| (name, varies)));
    }

    fn taint(&mut self, expression: &Expr) {
        let root = match bare(expression) {
            Expr::Path(path) => path.path.get_ident(),
            Expr::Field(field) => return self.taint(&field.base),
            Expr::Index(index) => return self.taint(&index.expr),
            Expr::Unary(unary) => return self.taint(&unary.expr),
            Expr::Tuple(tuple) => return tuple.elems.iter().for_each(|element| self.taint(element)),
            Expr::Array(array) => return array.elems.iter().for_each(|element| self.taint(element)),
            _ => None,
        };
        if let Some((_, varies)) = self.variables.iter_mut().rev().find(|(name, _)| Some(name) == root) {
            *varies = true;
        }
    }

    fn assign(&mut self, left: &Expr, right: &Expr) {
        let varies = self.value(right);
        match recognise(left, self.function.kind, &self.function.names) {
            Some(Ok(access)) if is_scalar(&access) && varies => {
                self.errors.push(right, message::differs(&access.property));
            }
            Some(Ok(access)) if is_scalar(&access) && self.diverged => {
                self.errors.push(left, message::differs_by_branch(&access.property));
            }
            None if varies || self.diverged || self.value(left) => self.taint(left),
            _ => {}
        }
    }

    /// Walks the arguments of an operation. Which feature is broadcast must be the same for all.
    fn operate(&mut self, operation: Operation, arguments: &Arguments) {
        for (position, argument) in arguments.iter().enumerate() {
            let varies = self.value(argument);
            if varies && operation == Operation::Broadcast && position == 1 {
                self.errors.push(argument, message::BROADCAST_DIFFERS);
            }
        }
        self.varies |= !operation.is_uniform();
    }

    fn shadowed(&self) -> Vec<Ident> {
        self.variables.iter().map(|(name, _)| name.clone()).collect()
    }
}

/// Whether an access is to one value for all features that functions may write.
fn is_scalar(access: &Access) -> bool {
    !access.is_row && access.place != Place::Graph
}

struct Names(Vec<Ident>);

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.0.push(pattern.ident.clone());
        visit::visit_pat_ident(self, pattern);
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        if let Some(Assignment { left, right, .. }) = assignment(expression) {
            self.assign(left, right);
        } else if let Some(access) = recognise(expression, self.function.kind, &self.function.names) {
            self.varies |= access.is_ok_and(|access| access.is_row);
        } else {
            visit::visit_expr(self, expression);
        }
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        let Some(name) = path.path.get_ident() else { return };
        self.varies |= self.function.names.feature.as_ref() == Some(name);
        self.varies |= self.variables.iter().rev().find(|(known, _)| known == name).is_some_and(|(_, varies)| *varies);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        let shadowed = self.shadowed();
        match called_by(call, &shadowed) {
            Some((operation, _, arguments)) => self.operate(operation, arguments),
            None => visit::visit_expr_call(self, call),
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let mut varies = false;
        for argument in &call.args {
            varies |= self.value(argument);
        }
        if varies || self.diverged {
            self.taint(&call.receiver);
        }
        self.varies |= varies;
        self.visit_expr(&call.receiver);
    }

    fn visit_expr_reference(&mut self, reference: &'ast ExprReference) {
        if reference.mutability.is_some() {
            self.taint(&reference.expr);
        }
        self.visit_expr(&reference.expr);
    }

    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        let left = self.value(&binary.left);
        let is_lazy = matches!(binary.op, syn::BinOp::And(_) | syn::BinOp::Or(_));
        let mut right = false;
        self.branch(is_lazy && left, |walk| right = walk.value(&binary.right));
        self.varies |= left | right;
    }

    fn visit_local(&mut self, local: &'ast Local) {
        let Some(init) = &local.init else { return self.bind(&local.pat, false) };
        if let (Pat::Tuple(names), Expr::Tuple(values)) = (&local.pat, bare(&init.expr))
            && names.elems.len() == values.elems.len()
        {
            let varies: Vec<bool> = values.elems.iter().map(|value| self.value(value)).collect();
            return names.elems.iter().zip(varies).for_each(|(name, varies)| self.bind(name, varies));
        }
        let varies = self.value(&init.expr);
        if let Some((_, otherwise)) = &init.diverge {
            self.branch(varies, |walk| walk.visit_expr(otherwise));
        }
        self.bind(&local.pat, varies);
    }

    fn visit_block(&mut self, block: &'ast Block) {
        let depth = self.variables.len();
        let mut varies = false;
        for statement in &block.stmts {
            varies = self.statement(statement);
        }
        self.varies |= varies;
        self.variables.truncate(depth);
    }

    fn visit_expr_if(&mut self, choice: &'ast ExprIf) {
        let depth = self.variables.len();
        let varies = self.value(&choice.cond);
        self.branch(varies, |walk| walk.visit_block(&choice.then_branch));
        self.variables.truncate(depth);
        if let Some((_, otherwise)) = &choice.else_branch {
            self.branch(varies, |walk| walk.visit_expr(otherwise));
        }
        self.varies |= varies;
    }

    fn visit_expr_let(&mut self, condition: &'ast ExprLet) {
        let varies = self.value(&condition.expr);
        self.bind(&condition.pat, varies);
        self.varies |= varies;
    }

    fn visit_expr_match(&mut self, choice: &'ast ExprMatch) {
        let varies = self.value(&choice.expr);
        for arm in &choice.arms {
            self.branch(varies, |walk| {
                walk.bind(&arm.pat, varies);
                visit::visit_arm(walk, arm);
            });
        }
        self.varies |= varies;
    }

    fn visit_expr_while(&mut self, repeated: &'ast ExprWhile) {
        self.repeat(|walk| {
            walk.diverged |= walk.value(&repeated.cond);
            walk.visit_block(&repeated.body);
        });
    }

    fn visit_expr_loop(&mut self, repeated: &'ast ExprLoop) {
        self.repeat(|walk| walk.visit_block(&repeated.body));
    }

    fn visit_expr_for_loop(&mut self, repeated: &'ast ExprForLoop) {
        let varies = self.value(&repeated.expr);
        self.repeat(|walk| {
            walk.diverged |= varies;
            walk.bind(&repeated.pat, varies);
            walk.visit_block(&repeated.body);
        });
    }

    fn visit_expr_break(&mut self, leave: &'ast ExprBreak) {
        let varies = leave.expr.as_ref().is_some_and(|value| self.value(value));
        self.left_loop |= varies || self.diverged;
    }

    fn visit_expr_continue(&mut self, _: &'ast ExprContinue) {
        self.left_loop |= self.diverged;
    }

    fn visit_expr_return(&mut self, leave: &'ast ExprReturn) {
        let varies = leave.expr.as_ref().is_some_and(|value| self.value(value));
        self.result_varies |= varies || self.diverged;
    }
}
