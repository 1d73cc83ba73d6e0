//! The names of derived functions.

use std::collections::HashSet;

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Expr, Ident, Path};

use crate::check::operation::is_operation;
use crate::gradient::value::{Operator, Step};

/// An expression that is a name of the derived functions.
pub fn name_of(name: &str) -> Expr {
    let name = ident(name);
    syn::parse_quote!(#name)
}

/// A name of the derived functions.
pub fn ident(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// Whether a name stands somewhere in the tokens.
pub fn uses(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Ident(found) => found == name,
        TokenTree::Group(group) => uses(&group.stream(), name),
        _ => false,
    })
}

/// Whether a variable must not have this name.
pub fn is_reserved(name: &str) -> bool {
    matches!(name, "d" | "e" | "v" | "f" | "K" | "self" | "_") || is_operation(name)
}

/// The names that code has for what is no value: constants and plain functions, which a variable must not hide.
pub fn named(steps: &[Step]) -> HashSet<String> {
    let mut found = Named(HashSet::new());
    steps.iter().for_each(|step| found.visit_step(step));
    found.0
}

struct Named(HashSet<String>);

impl Named {
    fn visit_step(&mut self, step: &Step) {
        match &step.operator {
            Operator::Code(code) | Operator::Unknown(code, _) | Operator::Call(code, _) => self.visit_expr(code),
            Operator::Choice(choice) => {
                choice.blocks.iter().flat_map(|block| &block.steps).for_each(|step| self.visit_step(step));
            }
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Named {
    fn visit_path(&mut self, path: &'ast Path) {
        self.0.extend(path.get_ident().map(ToString::to_string));
        visit::visit_path(self, path);
    }
}
