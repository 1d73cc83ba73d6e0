//! Whether a function works on its feature alone, or needs to know which one that is, and of how many.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Expr, ExprPath, Ident};

use crate::parse::access::recognise;
use crate::parse::function::Function;

/// Whether the body uses its `Feature` for more than to index properties with.
pub fn uses_number(function: &Function) -> bool {
    let Some(feature) = &function.names.feature else { return false };
    let mut walk = Walk { function, feature, found: false };
    walk.visit_block(&function.body);
    walk.found
}

struct Walk<'a> {
    function: &'a Function,
    feature: &'a Ident,
    found: bool,
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        if recognise(expression, self.function.kind, &self.function.names).is_none() {
            visit::visit_expr(self, expression);
        }
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        self.found |= path.path.is_ident(self.feature);
    }
}

/// Whether the body mentions the number of features, in an expression or in a type.
pub fn uses_width(function: &Function) -> bool {
    let width = function.generics.const_params().next();
    width.is_some_and(|width| mentions(function.body.to_token_stream(), &width.ident))
}

fn mentions(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        _ => false,
    })
}
