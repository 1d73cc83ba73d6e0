//! Whether a function may make an infinity on purpose, so that one in a result is no sign of divergence.

use syn::visit::{self, Visit};
use syn::{ExprCall, ExprMethodCall, ExprPath};

use crate::check::operation::{Operation, called_by};
use crate::parse::access::{bare, projection};
use crate::parse::function::Function;

/// Methods that make infinities of finite numbers other than by adding them up.
const METHODS: &[&str] = &["ln", "log", "log2", "log10", "exp", "exp2", "powf", "recip", "tan"];

/// Whether the body names infinity, calls a method that makes one, or a function that may.
pub fn may_make_one(function: &Function) -> bool {
    let mut walk = Walk(false);
    walk.visit_block(&function.body);
    walk.0
}

struct Walk(bool);

impl<'ast> Visit<'ast> for Walk {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        let last = path.path.segments.last();
        self.0 |= last.is_some_and(|last| last.ident == "INFINITY" || last.ident == "NEG_INFINITY");
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        self.0 |= METHODS.iter().any(|method| call.method == method);
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        let is_of_floats = matches!(bare(&call.func), syn::Expr::Path(path)
            if path.path.segments.len() == 2 && path.path.segments[0].ident == "f32");
        self.0 |= match called_by(call, &[]).map(|(operation, ..)| operation) {
            Some(operation) => {
                matches!(operation, Operation::LogMatvec | Operation::LogMaxMatvec | Operation::LogSumExp)
            }
            None => !is_of_floats && projection(call).is_none(),
        };
        visit::visit_expr_call(self, call);
    }
}
