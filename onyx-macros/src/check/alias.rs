//! Variables that may be changed otherwise than by an assignment to their name: through a reference, a closure or a method.
//!
//! Those that may be changed through one another are in one class. Nothing is asked about types, so that a class may be too large, but not too
//! small: whatever holds a reference was given one, by a pattern, an assignment or a call.

use std::collections::{HashMap, HashSet};

use syn::visit::{self, Visit};
use syn::{
    Arm, Block, Expr, ExprAssign, ExprCall, ExprClosure, ExprForLoop, ExprLet, ExprMatch, ExprMethodCall, ExprPath,
    ExprReference, Ident, Local, Pat, PatIdent, Stmt, UnOp,
};

use crate::check::method::is_reader;
use crate::check::operation::called_by;
use crate::check::place::{assigned, root};
use crate::check::scope::Scoped;
use crate::check::usage::assignment;
use crate::parse::access::bare;

/// The classes of a body's variables; most have none.
#[derive(Debug, Default)]
pub struct Aliases {
    classes: HashMap<Ident, usize>,
}

impl Aliases {
    /// The classes of the variables of a body.
    pub fn of(scoped: &Scoped) -> Self {
        let mut walk = Walk { scoped, shared: HashSet::new(), links: Vec::new(), closures: 0 };
        walk.visit_block(&scoped.body);
        let mut aliases = Self::default();
        for (number, name) in walk.shared.into_iter().enumerate() {
            aliases.classes.insert(name, number);
        }
        while walk.links.iter().filter(|link| aliases.join(link)).count() > 0 {}
        aliases
    }

    /// The class of a variable, if it may be changed otherwise than by assignments to its name.
    pub fn class(&self, name: &Ident) -> Option<usize> {
        self.classes.get(name).copied()
    }

    /// Joins what a link connects, if any of it is in a class. Returns whether that was new.
    fn join(&mut self, Link { targets, carried }: &Link) -> bool {
        let mut found: Vec<usize> = carried.iter().filter_map(|name| self.class(name)).collect();
        let Some(class) = found.iter().copied().min() else { return false };
        found.extend(targets.iter().filter_map(|name| self.class(name)));
        let is_new = targets.iter().any(|name| self.class(name).is_none());
        self.classes.extend(targets.iter().map(|name| (name.clone(), class)));
        let others = self.classes.values_mut().filter(|other| found.contains(other) && **other != class);
        others.fold(is_new, |_, other| {
            *other = class;
            true
        })
    }
}

/// Variables that may be given a reference to what the others are, or refer to.
struct Link {
    targets: Vec<Ident>,
    carried: Vec<Ident>,
}

struct Walk<'a> {
    scoped: &'a Scoped,
    /// The variables that something refers to.
    shared: HashSet<Ident>,
    links: Vec<Link>,
    closures: usize,
}

impl Walk<'_> {
    fn share(&mut self, place: &Expr) {
        let root = root(place).filter(|name| self.scoped.original(name).is_some());
        self.shared.extend(root.cloned());
    }

    fn link(&mut self, targets: Vec<Ident>, carried: Vec<Ident>) {
        self.links.push(Link { targets, carried });
    }

    /// A pattern takes a value.
    fn bind(&mut self, pattern: &Pat, value: &Expr) {
        if let Some(pairs) = pairs(pattern, value) {
            return pairs.into_iter().for_each(|(pattern, value)| self.bind(pattern, value));
        }
        let bound = Bound::by(pattern);
        if bound.by_reference {
            self.share(value);
        }
        if matches!(bare(value), Expr::Reference(_)) {
            self.shared.extend(bound.names.iter().cloned());
        }
        self.link(bound.names, carried(value, self.scoped));
    }
}

/// What a pattern binds.
pub struct Bound {
    /// The names.
    pub names: Vec<Ident>,
    /// Whether one of them is a `ref`.
    pub by_reference: bool,
    /// Whether one of them is a `ref mut`.
    pub by_mutable_reference: bool,
}

impl Bound {
    /// What a pattern binds.
    pub fn by(pattern: &Pat) -> Self {
        let mut bound = Self { names: Vec::new(), by_reference: false, by_mutable_reference: false };
        bound.visit_pat(pattern);
        bound
    }
}

impl<'ast> Visit<'ast> for Bound {
    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.names.push(pattern.ident.clone());
        self.by_reference |= pattern.by_ref.is_some();
        self.by_mutable_reference |= pattern.by_ref.is_some() && pattern.mutability.is_some();
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_expr(&mut self, _: &'ast Expr) {}
}

/// `(a, b)` and `(x, y)` as `a`, `x` and `b`, `y`.
pub fn pairs<'a>(pattern: &'a Pat, value: &'a Expr) -> Option<Vec<(&'a Pat, &'a Expr)>> {
    match (pattern, bare(value)) {
        (Pat::Tuple(names), Expr::Tuple(values))
            if names.elems.len() == values.elems.len()
                && !names.elems.iter().any(|name| matches!(name, Pat::Rest(_))) =>
        {
            Some(names.elems.iter().zip(&values.elems).collect())
        }
        _ => None,
    }
}

/// The variables that the value of an expression may refer to, or be a copy of.
fn carried(value: &Expr, scoped: &Scoped) -> Vec<Ident> {
    let all = |parts: &[&Expr]| parts.iter().flat_map(|part| carried(part, scoped)).collect();
    match value {
        Expr::Path(path) => scoped.variable(path).cloned().into_iter().collect(),
        Expr::Lit(_) | Expr::Binary(_) | Expr::Cast(_) | Expr::Let(_) | Expr::Assign(_) => Vec::new(),
        Expr::While(_) | Expr::ForLoop(_) | Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) => Vec::new(),
        Expr::Unary(unary) if !matches!(unary.op, UnOp::Deref(_)) => Vec::new(),
        Expr::Unary(unary) => carried(&unary.expr, scoped),
        Expr::Paren(inner) => carried(&inner.expr, scoped),
        Expr::Group(inner) => carried(&inner.expr, scoped),
        Expr::Field(field) => carried(&field.base, scoped),
        Expr::Index(index) => carried(&index.expr, scoped),
        Expr::Reference(reference) => carried(&reference.expr, scoped),
        Expr::Repeat(repeat) => carried(&repeat.expr, scoped),
        Expr::Tuple(tuple) => all(&tuple.elems.iter().collect::<Vec<_>>()),
        Expr::Array(array) => all(&array.elems.iter().collect::<Vec<_>>()),
        Expr::Call(call) if called_by(call, &[]).is_some() => Vec::new(),
        Expr::MethodCall(call) if is_reader(call) && !References::of(value) => Vec::new(),
        Expr::If(choice) => {
            let otherwise = choice.else_branch.iter().flat_map(|(_, otherwise)| carried(otherwise, scoped));
            tail(&choice.then_branch, scoped).into_iter().chain(otherwise).collect()
        }
        Expr::Match(choice) => choice.arms.iter().flat_map(|arm| carried(&arm.body, scoped)).collect(),
        Expr::Block(block) if block.label.is_none() => tail(&block.block, scoped),
        _ => Mentioned::of(value, scoped),
    }
}

fn tail(block: &Block, scoped: &Scoped) -> Vec<Ident> {
    match block.stmts.last() {
        Some(Stmt::Expr(value, None)) => carried(value, scoped),
        _ => Vec::new(),
    }
}

/// Whether an expression takes a reference.
struct References(bool);

impl References {
    fn of(expression: &Expr) -> bool {
        let mut found = Self(false);
        found.visit_expr(expression);
        found.0
    }
}

impl<'ast> Visit<'ast> for References {
    fn visit_expr_reference(&mut self, _: &'ast ExprReference) {
        self.0 = true;
    }
}

/// The variables that an expression mentions.
pub struct Mentioned<'a> {
    scoped: &'a Scoped,
    names: Vec<Ident>,
}

impl<'a> Mentioned<'a> {
    /// The variables that an expression mentions.
    pub fn of(expression: &Expr, scoped: &'a Scoped) -> Vec<Ident> {
        let mut found = Self { scoped, names: Vec::new() };
        found.visit_expr(expression);
        found.names
    }
}

impl<'ast> Visit<'ast> for Mentioned<'_> {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        self.names.extend(self.scoped.variable(path).cloned());
    }
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_expr(&mut self, expression: &'ast Expr) {
        if let Some(assignment) = assignment(expression)
            && self.closures > 0
        {
            assigned(assignment.left).into_iter().for_each(|place| self.share(place));
        }
        visit::visit_expr(self, expression);
    }

    fn visit_expr_reference(&mut self, reference: &'ast ExprReference) {
        self.share(&reference.expr);
        visit::visit_expr_reference(self, reference);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        if !is_reader(call) {
            self.share(&call.receiver);
            let parts = std::iter::once(&*call.receiver).chain(&call.args);
            let carried = parts.flat_map(|part| carried(part, self.scoped)).collect();
            self.link(Vec::new(), carried);
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        if called_by(call, &[]).is_none() {
            let parts = std::iter::once(&*call.func).chain(&call.args);
            let carried = parts.flat_map(|part| carried(part, self.scoped)).collect();
            self.link(Vec::new(), carried);
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_assign(&mut self, assign: &'ast ExprAssign) {
        self.link(Mentioned::of(&assign.left, self.scoped), carried(&assign.right, self.scoped));
        visit::visit_expr_assign(self, assign);
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if let Some(init) = &local.init {
            self.bind(&local.pat, &init.expr);
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_let(&mut self, condition: &'ast ExprLet) {
        self.bind(&condition.pat, &condition.expr);
        visit::visit_expr_let(self, condition);
    }

    fn visit_expr_match(&mut self, choice: &'ast ExprMatch) {
        choice.arms.iter().for_each(|Arm { pat, .. }| self.bind(pat, &choice.expr));
        visit::visit_expr_match(self, choice);
    }

    fn visit_expr_for_loop(&mut self, repeated: &'ast ExprForLoop) {
        self.bind(&repeated.pat, &repeated.expr);
        visit::visit_expr_for_loop(self, repeated);
    }

    fn visit_expr_closure(&mut self, closure: &'ast ExprClosure) {
        self.closures += 1;
        visit::visit_expr_closure(self, closure);
        self.closures -= 1;
    }
}
