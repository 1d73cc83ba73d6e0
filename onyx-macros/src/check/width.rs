//! The number of features, `K`, in a body: a value that is known when the fold runs. A constant it is not.

use syn::visit::{self, Visit};
use syn::{ExprPath, ExprRepeat, GenericArgument, Ident, Pat, PatGuard, PatIdent, Type};

use crate::errors::Errors;
use crate::message;
use crate::parse::function::Function;

/// Refuses the number of features in types, patterns and generic arguments.
pub fn check(function: &Function, errors: &mut Errors) {
    if let Some(width) = function.generics.const_params().next() {
        Walk { width: &width.ident, errors, is_constant: false }.visit_block(&function.body);
    }
}

struct Walk<'a> {
    width: &'a Ident,
    errors: &'a mut Errors,
    /// Whether the compiler needs a constant here.
    is_constant: bool,
}

impl Walk<'_> {
    fn constant(&mut self, walk: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.is_constant, true);
        walk(self);
        self.is_constant = before;
    }

    fn refuse(&mut self, name: &Ident) {
        if name == self.width {
            self.errors.push(name, message::constant_width(name));
        }
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        if self.is_constant
            && let Some(name) = path.path.get_ident()
        {
            self.refuse(name);
        }
        visit::visit_expr_path(self, path);
    }

    fn visit_expr_repeat(&mut self, repeat: &'ast ExprRepeat) {
        self.visit_expr(&repeat.expr);
        self.constant(|walk| walk.visit_expr(&repeat.len));
    }

    fn visit_type(&mut self, of: &'ast Type) {
        if let Type::Path(path) = of
            && let Some(name) = path.path.get_ident()
        {
            self.refuse(name);
        }
        self.constant(|walk| visit::visit_type(walk, of));
    }

    fn visit_generic_argument(&mut self, argument: &'ast GenericArgument) {
        self.constant(|walk| visit::visit_generic_argument(walk, argument));
    }

    fn visit_pat(&mut self, pattern: &'ast Pat) {
        self.constant(|walk| visit::visit_pat(walk, pattern));
    }

    fn visit_pat_guard(&mut self, guarded: &'ast PatGuard) {
        self.visit_pat(&guarded.pat);
        self.is_constant = false;
        self.visit_expr(&guarded.guard);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.refuse(&pattern.ident);
        visit::visit_pat_ident(self, pattern);
    }
}
