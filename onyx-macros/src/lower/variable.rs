//! The user's variables that live across collaborative operations.

use syn::visit::{self, Visit};
use syn::{ExprPath, Ident, Local, Stmt};

use crate::check::operation::declared;
use crate::lower::region::Region;

/// A variable that a later region mentions.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The user's name, at its declaration.
    pub name: Ident,
    /// Whether it was declared `mut`.
    pub is_mutable: bool,
    /// The statement that declares it.
    pub declaration: Local,
    /// The region that declares it.
    declared: usize,
    /// The regions that mention it later.
    mentioned: Vec<usize>,
    /// The first region in which another variable has taken its name.
    shadowed: usize,
}

impl Variable {
    fn new(name: Ident, is_mutable: bool, declaration: &Local, declared: usize) -> Self {
        let (declaration, mentioned) = (declaration.clone(), Vec::new());
        Self { name, is_mutable, declaration, declared, mentioned, shadowed: usize::MAX }
    }

    /// Whether `region` starts with the variable's value.
    pub fn enters(&self, region: usize) -> bool {
        self.mentioned.contains(&region)
    }

    /// Whether `region` declares it.
    pub fn begins(&self, region: usize) -> bool {
        self.declared == region
    }

    /// Whether `region` ends with a value of the variable that later regions may need.
    pub fn leaves(&self, region: usize) -> bool {
        let may_have_changed = self.is_mutable && self.enters(region) && self.shadowed > region;
        self.begins(region) || may_have_changed
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
        for statement in &region.statements {
            let Stmt::Local(local) = statement else { continue };
            for (name, is_mutable) in declared(statement) {
                close(&mut open, &mut closed, &name, number);
                open.push(Variable::new(name, is_mutable, local, number));
            }
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
