//! Loops.

use syn::Expr;
use syn::visit::Visit;

use super::Walk;
use crate::check::flow::opaque::mentions;
use crate::check::flow::value::{Meaning, Value};

impl Walk<'_> {
    /// A loop: all that it assigns comes from all that it mentions.
    pub(super) fn repeat(&mut self, expression: &Expr) -> Value {
        let found = mentions(self.function, |collect| collect.visit_expr(expression));
        let mut returns = Returns(false);
        returns.visit_expr(expression);
        self.is_opaque |= returns.0;
        let mut sources = self.mentioned(&found);
        sources.extend(self.reasons());
        for name in &found.assigned_variables {
            let value = self.fresh(sources.clone(), Meaning::Other);
            self.state.set_variable(name, value);
        }
        for access in &found.assigned_properties {
            let value = self.fresh(sources.clone(), Meaning::Other);
            self.store_sometimes(&access.property, value);
        }
        self.fresh(sources, Meaning::Other)
    }
}

/// Whether a loop has a `return`.
struct Returns(bool);

impl<'ast> Visit<'ast> for Returns {
    fn visit_expr_return(&mut self, _: &'ast syn::ExprReturn) {
        self.0 = true;
    }
}
