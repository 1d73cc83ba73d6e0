//! Whether a statement may be taken apart at its collaborative operations.
//!
//! The arguments of an operation are computed before it, and all else of its statement after it, also what stands to its left and is evaluated
//! first. Nobody can tell the difference where one of two parts that change places is constant, or both only read.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{Expr, ExprCall, ExprClosure, ExprReference, Ident};

use crate::check::method::is_reader;
use crate::check::operation::called_by;
use crate::check::place::root;
use crate::check::usage::assignment;
use crate::errors::Errors;
use crate::message;
use crate::parse::access::{Place, bare, recognise};
use crate::parse::function::Function;

/// What the evaluation of an expression does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// It gives the same whenever it is evaluated.
    Constant,
    /// It reads variables or properties.
    Reads,
    /// It may change something, or do what is not known.
    Changes,
    /// It may leave the function.
    Leaves,
}

/// A part of a statement, in the order of evaluation.
#[derive(Debug)]
struct Part {
    effect: Effect,
    /// What the user wrote, for a message.
    at: TokenStream,
}

/// The parts of a statement that have been walked and are not computed yet.
///
/// There is a list for each operation whose arguments are being walked, around those the list of the statement.
#[derive(Debug, Default)]
pub struct Order {
    lists: Vec<Vec<Part>>,
}

impl Order {
    /// A statement, or the arguments of an operation, begin.
    pub fn begin(&mut self) {
        self.lists.push(Vec::new());
    }

    /// The statement ends.
    pub fn end(&mut self) {
        self.lists.pop();
    }

    /// A part is evaluated.
    pub fn pass(&mut self, effect: Effect, at: &impl ToTokens) {
        if effect > Effect::Constant
            && let Some(list) = self.lists.last_mut()
        {
            list.push(Part { effect, at: at.to_token_stream() });
        }
    }

    /// The arguments of an operation end: they are computed now, before all that waits around them.
    pub fn operate(&mut self, name: &Ident, errors: &mut Errors) {
        let arguments = self.lists.pop().unwrap_or_default();
        for waiting in self.lists.iter().flatten() {
            if waiting.effect == Effect::Leaves {
                errors.push(&waiting.at, message::early_return(name));
            } else if let Some(argument) = arguments.iter().find(|argument| clash(waiting, argument)) {
                refuse(waiting, argument, name, errors);
            }
        }
    }
}

/// Whether two parts may not change places.
fn clash(first: &Part, second: &Part) -> bool {
    first.effect >= Effect::Changes || second.effect >= Effect::Changes
}

fn refuse(waiting: &Part, argument: &Part, name: &Ident, errors: &mut Errors) {
    if waiting.effect >= Effect::Changes {
        errors.push(&waiting.at, message::changes_before(name));
    } else {
        errors.push(&argument.at, message::changes_in_argument(name));
    }
}

/// Whether something is borrowed mutably inside of an expression.
struct MutableReferences(bool);

impl MutableReferences {
    fn of(expression: &Expr) -> bool {
        let mut found = Self(false);
        found.visit_expr(expression);
        found.0
    }
}

impl<'ast> Visit<'ast> for MutableReferences {
    fn visit_expr_reference(&mut self, reference: &'ast ExprReference) {
        self.0 |= reference.mutability.is_some();
        visit::visit_expr_reference(self, reference);
    }
}

/// Whether an expression is `&mut` of a variable or a part of it: what changes that is the call that gets it.
pub fn is_mutable_place(expression: &Expr) -> bool {
    match bare(expression) {
        Expr::Reference(reference) if reference.mutability.is_some() => root(&reference.expr).is_some(),
        _ => false,
    }
}

/// What the expressions of one function do.
#[derive(Debug)]
pub struct Effects<'a> {
    /// The function.
    pub function: &'a Function,
    /// The variables that are declared so far at the level of the body, and whether they are `mut`.
    pub variables: &'a [(Ident, bool)],
}

impl Effects<'_> {
    /// What the evaluation of an expression does, with the part of it that does most.
    pub fn of<'e>(&self, expression: &'e Expr) -> (Effect, &'e Expr) {
        let mut walk = Walk { effects: self, closures: 0, most: Effect::Constant, at: expression };
        walk.visit_expr(expression);
        (walk.most, walk.at)
    }

    /// What an expression does itself, when its parts have been evaluated. A kind of expression that is not known may do anything.
    pub fn own(&self, expression: &Expr) -> Effect {
        match expression {
            _ if assignment(expression).is_some() => Effect::Changes,
            Expr::Call(_) | Expr::MethodCall(_) if MutableReferences::of(expression) => Effect::Changes,
            Expr::Lit(_) | Expr::Infer(_) | Expr::Closure(_) | Expr::Block(_) | Expr::If(_) | Expr::Match(_) => {
                Effect::Constant
            }
            Expr::Array(_) | Expr::Tuple(_) | Expr::Struct(_) | Expr::Repeat(_) | Expr::Range(_) | Expr::Cast(_) => {
                Effect::Constant
            }
            Expr::Field(_) | Expr::Group(_) | Expr::Paren(_) | Expr::Let(_) => Effect::Constant,
            Expr::Index(_) | Expr::Unary(_) => Effect::Reads,
            Expr::Path(path) => path.path.get_ident().map_or(Effect::Constant, |name| self.name(name)),
            Expr::Reference(reference) if reference.mutability.is_some() => Effect::Changes,
            Expr::Reference(_) => Effect::Constant,
            Expr::Binary(_) => Effect::Constant,
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) if is_reader(call) || !self.may_change(&call.receiver) => Effect::Reads,
            Expr::Verbatim(tokens) if tokens.is_empty() => Effect::Constant,
            Expr::Return(_) => Effect::Leaves,
            _ => Effect::Changes,
        }
    }

    /// A variable; parameters, constants and functions stay as they are.
    fn name(&self, name: &Ident) -> Effect {
        if self.variables.iter().any(|(known, _)| known == name) { Effect::Reads } else { Effect::Constant }
    }

    /// A plain function only computes. So does a closure in a variable that is not `mut`; one that is called where it stands does what its body does.
    fn call(&self, call: &ExprCall) -> Effect {
        match bare(&call.func) {
            _ if called_by(call, &[]).is_some() => Effect::Reads,
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) if self.is_mutable(name) => Effect::Changes,
                _ => Effect::Reads,
            },
            Expr::Closure(closure) => self.of(&closure.body).0.clamp(Effect::Reads, Effect::Changes),
            _ => Effect::Changes,
        }
    }

    /// Whether a method may change what it is called on: a variable that is `mut`, or one that is not known.
    fn may_change(&self, receiver: &Expr) -> bool {
        let is_property = recognise(receiver, self.function.kind, &self.function.names).is_some();
        !is_property && root(receiver).is_some_and(|name| self.is_mutable(name))
    }

    fn is_mutable(&self, name: &Ident) -> bool {
        self.variables.iter().rev().find(|(known, _)| known == name).is_some_and(|(_, is_mutable)| *is_mutable)
    }
}

struct Walk<'a, 'e> {
    effects: &'a Effects<'a>,
    closures: usize,
    most: Effect,
    at: &'e Expr,
}

impl<'e> Visit<'e> for Walk<'_, 'e> {
    fn visit_expr(&mut self, expression: &'e Expr) {
        let own = self.own(expression);
        if own > self.most {
            (self.most, self.at) = (own, expression);
        }
        match recognise(expression, self.effects.function.kind, &self.effects.function.names) {
            None => visit::visit_expr(self, expression),
            Some(Ok(access)) if access.is_computed() => visit::visit_expr(self, expression),
            Some(_) => {}
        }
    }

    fn visit_expr_closure(&mut self, closure: &'e ExprClosure) {
        self.closures += 1;
        self.visit_expr(&closure.body);
        self.closures -= 1;
    }
}

impl Walk<'_, '_> {
    /// A `return` inside of a closure leaves the closure.
    fn own(&self, expression: &Expr) -> Effect {
        let Function { kind, names, .. } = self.effects.function;
        match (recognise(expression, *kind, names), self.effects.own(expression)) {
            (Some(Ok(access)), _) if access.place == Place::Graph => Effect::Constant,
            (Some(_), _) => Effect::Reads,
            (None, Effect::Leaves) if self.closures > 0 => Effect::Changes,
            (None, effect) => effect,
        }
    }
}
