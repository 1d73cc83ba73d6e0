//! Walks a body once, in the order of evaluation: refuses what has no meaning in the language, and records the uses of properties.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Attribute, BinOp, Expr, ExprBinary, ExprBlock, ExprBreak, ExprCast, ExprClosure, ExprContinue, ExprField,
    ExprForLoop, ExprIf, ExprLet, ExprLoop, ExprMatch, ExprMethodCall, ExprPath, ExprReturn, ExprWhile, Ident, Item,
    Local, LocalInit, Macro, Pat, PatIdent, Path, Stmt, Type,
};

use crate::check::alias::Bound;
use crate::check::usage::{Assignment, How, Mode, Reduction, Use, assignment, mode_of};
use crate::check::{interior, slip, syntax};
use crate::errors::Errors;
use crate::lower::methods::{MATH_METHODS, STANDARD_METHODS};
use crate::message;
use crate::parse::access::{Access, bare, recognise};
use crate::parse::function::Function;

/// Checks the body of a function. Returns the uses of properties in the order of evaluation.
pub fn check(function: &Function, errors: &mut Errors) -> Vec<Use> {
    let mut walk =
        Walk { function, errors, uses: Vec::new(), branches: 0, loops: 0, closures: 0, may_have_left: false };
    walk.visit_block(&function.body);
    let uses = walk.uses;
    check_end(function, errors);
    uses
}

/// The body must end with a value or a `return`.
fn check_end(function: &Function, errors: &mut Errors) {
    let last = function.body.stmts.last();
    let has_value = matches!(last, Some(Stmt::Expr(_, None) | Stmt::Macro(_)));
    let never_ends = matches!(last, Some(Stmt::Expr(Expr::Return(_) | Expr::Loop(_), Some(_))));
    if !has_value && !never_ends {
        errors.push_at(function.body.brace_token.span.close(), message::NO_VALUE);
    }
}

struct Walk<'a> {
    function: &'a Function,
    errors: &'a mut Errors,
    uses: Vec<Use>,
    /// How many branches, loops and closures are around.
    branches: usize,
    loops: usize,
    closures: usize,
    /// Whether a `return` has been passed.
    may_have_left: bool,
}

impl Walk<'_> {
    fn record(&mut self, access: Access, mode: Mode, operator: Option<&Type>) {
        let is_certain = self.branches == 0 && !self.may_have_left;
        self.uses.push(Use { access, mode, operator: operator.cloned(), is_certain });
    }

    fn branch(&mut self, walk: impl FnOnce(&mut Self)) {
        self.branches += 1;
        walk(self);
        self.branches -= 1;
    }

    fn in_loop(&mut self, walk: impl FnOnce(&mut Self)) {
        self.loops += 1;
        self.branch(walk);
        self.loops -= 1;
    }

    /// Walks an expression that is read; true if it was an access.
    fn read(&mut self, expression: &Expr) -> bool {
        match recognise(expression, self.function.kind, &self.function.names) {
            None => return false,
            Some(Ok(access)) => {
                access.index.iter().for_each(|index| self.visit_expr(index));
                self.record(access, Mode::Read, None);
            }
            Some(Err(error)) => self.errors.push_error(error),
        }
        true
    }

    fn assign(&mut self, Assignment { left, how, operator, score, right }: Assignment<'_>) {
        score.into_iter().chain([right]).for_each(|argument| self.visit_expr(argument));
        match recognise(left, self.function.kind, &self.function.names) {
            None => match how {
                How::Bound(reduction) => self.errors.push(left, reduction.elsewhere()),
                _ => self.assign_variable(left),
            },
            Some(Err(error)) => self.errors.push_error(error),
            Some(Ok(_)) if self.closures > 0 => self.errors.push(left, message::WRITE_IN_CLOSURE),
            Some(Ok(access)) => match mode_of(&access, how) {
                Ok(mode) => {
                    access.index.iter().for_each(|index| self.visit_expr(index));
                    self.record(access, mode, operator);
                }
                Err(text) => self.errors.push(left, text),
            },
        }
    }

    fn assign_variable(&mut self, left: &Expr) {
        let before = self.uses.len();
        self.visit_expr(left);
        if self.uses.len() > before && !matches!(bare(left), Expr::Index(_)) {
            self.errors.push(left, message::DESTRUCTURE);
        }
    }

    fn check_float_function(&mut self, path: &ExprPath, name: &Ident) {
        if is_standard(name) {
            self.errors.push(path, message::standard_method(name));
        } else if MATH_METHODS.iter().any(|method| name == method) {
            self.errors.push(path, message::standard_path(name));
        }
    }

    fn is_parameter(&self, name: &Ident) -> bool {
        let names = &self.function.names;
        names.feature.as_ref() == Some(name) || names.element == *name || names.data == *name
    }

    /// Refuses kinds of expressions that are not in the language, and those that this crate does not know.
    fn refuse(&mut self, expression: &Expr) -> bool {
        match expression {
            Expr::Unsafe(found) => self.errors.push_at(found.unsafe_token.span, message::UNSAFE),
            Expr::Try(found) => self.errors.push_at(found.question_token.span, message::TRY),
            Expr::Reference(found) if found.mutability.is_some() && self.is_property(&found.expr) => {
                self.errors.push(expression, message::BORROW);
            }
            _ if syntax::is_known(expression) => return false,
            _ => self.errors.push(expression, message::UNSUPPORTED),
        }
        true
    }

    /// Refuses a pattern that borrows a property mutably.
    fn check_pattern(&mut self, pattern: &Pat, value: &Expr) {
        if self.is_property(value) && Bound::by(pattern).by_mutable_reference {
            self.errors.push(pattern, message::BORROW);
        }
    }

    fn is_property(&self, expression: &Expr) -> bool {
        recognise(expression, self.function.kind, &self.function.names).is_some()
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        if let Some(assignment) = assignment(expression) {
            self.assign(assignment);
        } else if !self.refuse(expression) && !self.read(expression) {
            visit::visit_expr(self, expression);
        }
    }

    fn visit_path(&mut self, path: &'ast Path) {
        if let Some(name) = interior::named(path) {
            self.errors.push(name, message::interior(name));
        }
        visit::visit_path(self, path);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
            self.errors.push(attribute, message::CONDITIONAL);
        }
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        visit::visit_expr_path(self, path);
        if path.path.is_ident(&self.function.names.data) {
            self.errors.push(path, message::WHOLE_DATA);
        }
        let segments = &path.path.segments;
        if let Some(last) = segments.last()
            && segments.len() == 2
            && segments[0].ident == "f32"
        {
            self.check_float_function(path, &last.ident);
        }
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        slip::method(self.function, call, self.errors);
        if interior::is_method(&call.method) {
            self.errors.push(&call.method, message::interior(&call.method));
        }
        if let Some(reduction) = Reduction::of_method(&call.method)
            && self.is_property(&call.receiver)
        {
            self.errors.push(&call.method, message::reduction_arguments(reduction));
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
        slip::operator(self.function, binary, self.errors);
        self.visit_expr(&binary.left);
        if matches!(binary.op, BinOp::And(_) | BinOp::Or(_)) {
            self.branch(|walk| walk.visit_expr(&binary.right));
        } else {
            self.visit_expr(&binary.right);
        }
    }

    fn visit_expr_field(&mut self, field: &'ast ExprField) {
        slip::field(self.function, field, self.errors);
        visit::visit_expr_field(self, field);
    }

    fn visit_expr_cast(&mut self, cast: &'ast ExprCast) {
        slip::operand(self.function, &cast.expr, self.errors);
        self.visit_expr(&cast.expr);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(Expr::MethodCall(call), Some(_)) = statement
            && self.is_property(&call.receiver)
        {
            slip::dropped(call, self.errors);
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_expr_if(&mut self, choice: &'ast ExprIf) {
        self.visit_expr(&choice.cond);
        self.branch(|walk| {
            walk.visit_block(&choice.then_branch);
            if let Some((_, otherwise)) = &choice.else_branch {
                walk.visit_expr(otherwise);
            }
        });
    }

    /// What follows a `break` out of a block is not certain to be reached.
    fn visit_expr_block(&mut self, block: &'ast ExprBlock) {
        if block.label.is_some() {
            self.branch(|walk| visit::visit_expr_block(walk, block));
        } else {
            visit::visit_expr_block(self, block);
        }
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if let Some(init) = &local.init {
            self.check_pattern(&local.pat, &init.expr);
        }
        visit::visit_local(self, local);
    }

    fn visit_local_init(&mut self, init: &'ast LocalInit) {
        self.visit_expr(&init.expr);
        if let Some((_, otherwise)) = &init.diverge {
            self.branch(|walk| walk.visit_expr(otherwise));
        }
    }

    fn visit_expr_let(&mut self, condition: &'ast ExprLet) {
        self.check_pattern(&condition.pat, &condition.expr);
        visit::visit_expr_let(self, condition);
    }

    fn visit_expr_match(&mut self, choice: &'ast ExprMatch) {
        choice.arms.iter().for_each(|arm| self.check_pattern(&arm.pat, &choice.expr));
        self.visit_expr(&choice.expr);
        self.branch(|walk| choice.arms.iter().for_each(|arm| walk.visit_arm(arm)));
    }

    fn visit_expr_while(&mut self, repeated: &'ast ExprWhile) {
        self.in_loop(|walk| visit::visit_expr_while(walk, repeated));
    }

    fn visit_expr_loop(&mut self, repeated: &'ast ExprLoop) {
        self.in_loop(|walk| visit::visit_expr_loop(walk, repeated));
    }

    fn visit_expr_for_loop(&mut self, repeated: &'ast ExprForLoop) {
        self.visit_expr(&repeated.expr);
        self.in_loop(|walk| {
            walk.visit_pat(&repeated.pat);
            walk.visit_block(&repeated.body);
        });
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        let left = self.may_have_left;
        let loops = std::mem::take(&mut self.loops);
        self.closures += 1;
        self.branch(|walk| visit::visit_expr_closure(walk, closure));
        self.closures -= 1;
        self.loops = loops;
        self.may_have_left = left;
    }

    fn visit_expr_break(&mut self, leave: &'ast ExprBreak) {
        if self.loops == 0 && leave.label.is_none() {
            self.errors.push_at(leave.break_token.span, message::BREAK);
        }
        visit::visit_expr_break(self, leave);
    }

    fn visit_expr_continue(&mut self, leave: &'ast ExprContinue) {
        if self.loops == 0 {
            self.errors.push_at(leave.continue_token.span, message::BREAK);
        }
    }

    fn visit_expr_return(&mut self, leave: &'ast ExprReturn) {
        if leave.expr.is_none() && self.closures == 0 {
            self.errors.push_at(leave.return_token.span, message::RETURN_NOTHING);
        }
        visit::visit_expr_return(self, leave);
        self.may_have_left = true;
    }

    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        if self.is_parameter(&pattern.ident) {
            self.errors.push(&pattern.ident, message::rebound(&pattern.ident));
        }
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_macro(&mut self, found: &'ast Macro) {
        self.errors.push(&found.path, message::MACRO);
    }

    fn visit_item(&mut self, item: &'ast Item) {
        self.errors.push_at(item.span(), message::ITEM);
    }
}

fn is_standard(method: &Ident) -> bool {
    STANDARD_METHODS.iter().any(|standard| method == standard)
}
