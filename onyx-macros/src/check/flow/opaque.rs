//! What the walk does not follow: loops, and expressions that may change variables out of sight.

use syn::visit::{self, Visit};
use syn::{Expr, ExprClosure, ExprMethodCall, ExprPath, ExprReference, Ident, PatIdent};

use crate::check::usage::{Assignment, Reduction, assignment};
use crate::parse::access::{Access, bare, evaluated, recognise};
use crate::parse::function::Function;

/// All that a part of a body mentions and assigns.
#[derive(Default)]
pub struct Mentions {
    pub variables: Vec<Ident>,
    pub properties: Vec<Ident>,
    pub assigned_variables: Vec<Ident>,
    pub assigned_properties: Vec<Access>,
}

/// What `visit` walks mentions.
pub fn mentions(function: &Function, visit: impl FnOnce(&mut Collect<'_>)) -> Mentions {
    let mut collect = Collect { function, found: Mentions::default() };
    visit(&mut collect);
    collect.found
}

pub struct Collect<'a> {
    function: &'a Function,
    found: Mentions,
}

impl<'ast> Visit<'ast> for Collect<'_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        if let Some(Assignment { left, score, right, .. }) = assignment(expression) {
            match recognise(left, self.function.kind, &self.function.names) {
                Some(Ok(access)) => self.found.assigned_properties.push(access),
                _ => self.found.assigned_variables.extend(roots(left)),
            }
            [left, right].into_iter().chain(score).for_each(|part| self.visit_expr(part));
        } else if let Some(access) = recognise(expression, self.function.kind, &self.function.names) {
            evaluated(&access).into_iter().for_each(|index| self.visit_expr(index));
            self.found.properties.extend(access.ok().map(|access| access.property));
        } else {
            visit::visit_expr(self, expression);
        }
    }

    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        self.found.variables.extend(path.path.get_ident().cloned());
    }
}

/// The variables that an expression to the left of an assignment changes.
pub fn roots(left: &Expr) -> Vec<Ident> {
    match bare(left) {
        Expr::Path(path) => path.path.get_ident().cloned().into_iter().collect(),
        Expr::Field(field) => roots(&field.base),
        Expr::Index(index) => roots(&index.expr),
        Expr::Unary(unary) => roots(&unary.expr),
        Expr::Tuple(tuple) => tuple.elems.iter().flat_map(roots).collect(),
        Expr::Array(array) => array.elems.iter().flat_map(roots).collect(),
        _ => Vec::new(),
    }
}

/// Methods that leave what they are called on as it is.
const PURE_METHODS: &[&str] = &[
    "abs",
    "sqrt",
    "exp",
    "ln",
    "max",
    "min",
    "clamp",
    "powi",
    "powf",
    "recip",
    "signum",
    "copysign",
    "to_bits",
    "is_nan",
    "is_finite",
    "is_infinite",
    "is_normal",
    "is_sign_positive",
    "is_sign_negative",
    "index",
    "floor",
    "ceil",
    "round",
    "trunc",
    "mul_add",
    "sin",
    "cos",
    "tan",
    "tanh",
    "exp2",
    "log2",
    "total_cmp",
    "partial_cmp",
    "cmp",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "wrapping_add",
    "wrapping_sub",
    "wrapping_mul",
    "rem_euclid",
    "div_euclid",
    "count_ones",
    "len",
    "clone",
    "unwrap_or",
    "is_some",
    "is_none",
    "then_some",
    "not",
    "add",
    "sub",
    "mul",
    "div",
    "neg",
];

/// Whether a body changes variables where the walk does not see it: by a mutable reference, in a closure, or by a method.
pub fn changes_out_of_sight(function: &Function) -> bool {
    let mut walk = Hidden { mutable: Vec::new(), found: false };
    walk.visit_block(&function.body);
    // A method may come before the walk has seen that its receiver is mutable only in a loop, so the names are collected first.
    walk.visit_block(&function.body);
    walk.found
}

struct Hidden {
    mutable: Vec<Ident>,
    found: bool,
}

impl<'ast> Visit<'ast> for Hidden {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.found |= pattern.by_ref.is_some() && pattern.mutability.is_some();
        if pattern.mutability.is_some() {
            self.mutable.push(pattern.ident.clone());
        }
    }

    fn visit_expr_reference(&mut self, reference: &'ast ExprReference) {
        self.found |= reference.mutability.is_some();
        visit::visit_expr_reference(self, reference);
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        let mut assigns = Assigns(false);
        assigns.visit_expr(&closure.body);
        self.found |= assigns.0;
        visit::visit_expr_closure(self, closure);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let is_pure = PURE_METHODS.iter().any(|method| call.method == method);
        let is_mutable = roots(&call.receiver).iter().any(|root| self.mutable.contains(root));
        let is_bound = Reduction::of_method(&call.method).is_some();
        self.found |= is_mutable && !is_pure && !is_bound;
        visit::visit_expr_method_call(self, call);
    }
}

struct Assigns(bool);

impl<'ast> Visit<'ast> for Assigns {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        self.0 |= assignment(expression).is_some();
        visit::visit_expr(self, expression);
    }
}
