//! The user's variables that live across collaborative operations.

use syn::visit::{self, Visit};
use syn::{ExprPath, Ident, Stmt};

use crate::check::operation::declared;
use crate::errors::Errors;
use crate::lower::region::Region;
use crate::message;

/// A variable that a later region mentions.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The user's name, at its declaration.
    pub name: Ident,
    /// Whether it was declared `mut`.
    pub is_mutable: bool,
    /// The region that declares it.
    declared: usize,
    /// The regions that mention it later.
    mentioned: Vec<usize>,
    /// The first region in which another variable has taken its name.
    shadowed: usize,
}

impl Variable {
    /// Whether `region` starts with the variable's value.
    pub fn enters(&self, region: usize) -> bool {
        self.mentioned.contains(&region)
    }

    /// Whether `region` ends with a value of the variable that later regions may need.
    pub fn leaves(&self, region: usize) -> bool {
        let is_new = self.declared == region;
        let may_have_changed = self.is_mutable && self.enters(region) && self.shadowed > region;
        is_new || may_have_changed
    }
}

/// The variables that live across the operations between `regions`.
pub fn across(regions: &[Region]) -> Vec<Variable> {
    let mut open: Vec<Variable> = Vec::new();
    let mut closed: Vec<Variable> = Vec::new();
    for (number, region) in regions.iter().enumerate() {
        let mentioned = mentioned(region);
        for variable in open.iter_mut().filter(|variable| mentioned.contains(&variable.name)) {
            variable.mentioned.push(number);
        }
        for (name, is_mutable) in region.statements.iter().flat_map(declared) {
            close(&mut open, &mut closed, &name, number);
            let new = Variable { name, is_mutable, declared: number, mentioned: Vec::new(), shadowed: usize::MAX };
            open.push(new);
        }
    }
    closed.append(&mut open);
    closed.retain(|variable| !variable.mentioned.is_empty());
    closed
}

/// Ends the life of the variable that is called `name`: another one takes the name.
fn close(open: &mut Vec<Variable>, closed: &mut Vec<Variable>, name: &Ident, region: usize) {
    if let Some(position) = open.iter().position(|variable| variable.name == *name) {
        let mut variable = open.remove(position);
        variable.shadowed = region;
        closed.push(variable);
    }
}

fn mentioned(region: &Region) -> Vec<Ident> {
    let mut found = Mentioned(Vec::new());
    region.statements.iter().for_each(|statement| found.visit_stmt(statement));
    region.call.iter().flat_map(|call| &call.arguments).for_each(|argument| found.visit_expr(argument));
    found.0
}

struct Mentioned(Vec<Ident>);

impl<'ast> Visit<'ast> for Mentioned {
    fn visit_expr_path(&mut self, path: &'ast ExprPath) {
        self.0.extend(path.path.get_ident().cloned());
        visit::visit_expr_path(self, path);
    }
}

/// Whether statements mention a name.
pub fn mentions(region: &Region, name: &Ident) -> bool {
    mentioned(region).contains(name)
}

/// Refuses variables that are declared without a value and used behind an operation.
pub fn check(regions: &[Region], variables: &[Variable], errors: &mut Errors) {
    for statement in regions.iter().flat_map(|region| &region.statements) {
        if let Stmt::Local(local) = statement
            && local.init.is_none()
        {
            let lives = |name: &Ident| variables.iter().any(|known| known.name == *name);
            for (name, _) in declared(statement).into_iter().filter(|(name, _)| lives(name)) {
                errors.push(&name, message::no_initial_value(&name));
            }
        }
    }
}
