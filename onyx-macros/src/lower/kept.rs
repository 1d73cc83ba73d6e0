//! Whether a variable can be kept across a collaborative operation: what it refers to is not kept with it.

use syn::visit::{self, Visit};
use syn::{Expr, ExprClosure, ExprPath, Ident, Pat, PatIdent, Type};

use crate::check::alias::{Bound, pairs};
use crate::errors::Errors;
use crate::lower::variable::Variable;
use crate::message;
use crate::parse::access::{bare, recognise};
use crate::parse::function::Function;

/// Refuses what cannot be kept, as far as its declaration shows that. The rest is refused by its type: see `onyx_device::local::Keeps`.
pub fn check(function: &Function, variables: &[Variable], errors: &mut Errors) {
    for variable in variables {
        if let Some(text) = obstacle(function, variable) {
            errors.push(&variable.name, text);
        }
    }
}

fn obstacle(function: &Function, variable: &Variable) -> Option<String> {
    let name = &variable.name;
    let Some(init) = &variable.declaration.init else { return Some(message::no_initial_value(name)) };
    let part = part(&variable.declaration.pat, &init.expr, name);
    match (&part, part.value.map(bare)) {
        (part, _) if part.is_reference => Some(message::kept_reference(name)),
        (_, Some(Expr::Closure(closure))) => closure_obstacle(function, closure, name),
        _ => None,
    }
}

/// A variable's part of its declaration.
struct Part<'a> {
    /// Whether it is seen to be a reference.
    is_reference: bool,
    /// Its value, if that is written out.
    value: Option<&'a Expr>,
}

fn part<'a>(pattern: &'a Pat, value: &'a Expr, name: &Ident) -> Part<'a> {
    let is_borrowed = matches!(bare(value), Expr::Reference(_));
    match pattern {
        Pat::Type(typed) if matches!(*typed.ty, Type::Reference(_)) => Part { is_reference: true, value: None },
        Pat::Type(typed) => part(&typed.pat, value, name),
        Pat::Paren(inner) => part(&inner.pat, value, name),
        Pat::Ident(plain) if plain.by_ref.is_none() && plain.subpat.is_none() => {
            Part { is_reference: is_borrowed, value: Some(value) }
        }
        _ => match pairs(pattern, value) {
            Some(pairs) => within(pairs, name),
            None => {
                let is_taken_off = matches!(pattern, Pat::Reference(_));
                Part { is_reference: (is_borrowed && !is_taken_off) || is_by_reference(pattern, name), value: None }
            }
        },
    }
}

fn within<'a>(pairs: Vec<(&'a Pat, &'a Expr)>, name: &Ident) -> Part<'a> {
    let own = pairs.into_iter().find(|(pattern, _)| Bound::by(pattern).names.contains(name));
    own.map_or(Part { is_reference: false, value: None }, |(pattern, value)| part(pattern, value, name))
}

/// Whether a pattern binds a name by `ref`.
fn is_by_reference(pattern: &Pat, name: &Ident) -> bool {
    struct Walk<'a>(&'a Ident, bool);
    impl<'ast> Visit<'ast> for Walk<'_> {
        fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
            self.1 |= pattern.by_ref.is_some() && pattern.ident == *self.0;
            visit::visit_pat_ident(self, pattern);
        }
    }
    let mut walk = Walk(name, false);
    walk.visit_pat(pattern);
    walk.1
}

/// A closure that captures nothing, or only copies, can be kept.
fn closure_obstacle(function: &Function, closure: &ExprClosure, name: &Ident) -> Option<String> {
    let mut captures = Captures { function, own: Vec::new(), property: false, variable: false };
    captures.visit_expr_closure(closure);
    if captures.property {
        return Some(message::kept_closure_of_property(name));
    }
    (captures.variable && closure.capture.is_none()).then(|| message::kept_closure(name))
}

/// What a closure uses that is not its own.
struct Captures<'a> {
    function: &'a Function,
    /// The variables that are declared inside.
    own: Vec<Ident>,
    /// Whether it reads a property.
    property: bool,
    /// Whether it uses a variable or a parameter.
    variable: bool,
}

impl<'ast> Visit<'ast> for Captures<'_> {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.own.push(pattern.ident.clone());
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        if recognise(expression, self.function.kind, &self.function.names).is_some() {
            self.property = true;
        } else {
            visit::visit_expr(self, expression);
        }
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        let Some(name) = path.path.get_ident() else { return };
        let names = &self.function.names;
        let is_parameter = names.element == *name || names.feature.as_ref() == Some(name);
        let is_declared = || declares(self.function, name) && !self.own.contains(name);
        self.variable |= is_parameter || is_declared();
    }
}

/// Whether the body declares a variable of this name at its own level.
fn declares(function: &Function, name: &Ident) -> bool {
    let declared = |statement| crate::check::operation::declared(statement);
    function.body.stmts.iter().flat_map(declared).any(|(known, _)| known == *name)
}
