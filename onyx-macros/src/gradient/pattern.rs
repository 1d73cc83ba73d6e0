//! What patterns bind, and where statements leave a function.

use syn::visit::{self, Visit};
use syn::{Expr, ExprReturn, Ident, Pat, PatIdent, Stmt};

/// The names that a pattern binds, once each.
pub fn bound_names(pattern: &Pat) -> Vec<Ident> {
    let mut names = Names(Vec::new());
    names.visit_pat(pattern);
    names.0
}

struct Names(Vec<Ident>);

impl<'ast> Visit<'ast> for Names {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        if pattern.ident != "None" && !self.0.contains(&pattern.ident) {
            self.0.push(pattern.ident.clone());
        }
        visit::visit_pat_ident(self, pattern);
    }
}

/// Whether a pattern has more in it than names and constants: a condition.
pub fn computes(pattern: &Pat) -> bool {
    let mut found = Computes(false);
    found.visit_pat(pattern);
    found.0
}

struct Computes(bool);

impl<'ast> Visit<'ast> for Computes {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        self.0 |= !matches!(expression, Expr::Lit(_) | Expr::Path(_) | Expr::Range(_) | Expr::Unary(_));
        visit::visit_expr(self, expression);
    }
}

/// Whether there is a `return` in a statement.
pub fn returns(statement: &Stmt) -> bool {
    let mut found = Returns(false);
    found.visit_stmt(statement);
    found.0
}

struct Returns(bool);

impl<'ast> Visit<'ast> for Returns {
    fn visit_expr_return(&mut self, _: &'ast ExprReturn) {
        self.0 = true;
    }
}
