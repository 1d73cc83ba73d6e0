//! Gives every variable of a body a name of its own, so that later checks need not know of scopes.

use std::collections::HashMap;

use syn::ext::IdentExt;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, Block, Expr, ExprClosure, ExprForLoop, ExprIf, ExprLet, ExprPath, ExprWhile, Ident, Local, Pat, PatIdent,
};

/// The body of a function in which no two variables share a name, and none has that of anything else.
#[derive(Debug)]
pub struct Scoped {
    /// The body.
    pub body: Block,
    /// The user's name of each variable.
    names: HashMap<Ident, Ident>,
}

impl Scoped {
    /// Renames the variables of a body.
    pub fn new(body: &Block) -> Self {
        let mut body = body.clone();
        let mut rename = Rename { scopes: Vec::new(), names: HashMap::new() };
        rename.visit_block_mut(&mut body);
        Self { body, names: rename.names }
    }

    /// The user's name of a variable; nothing if it is none.
    pub fn original(&self, name: &Ident) -> Option<&Ident> {
        self.names.get(name)
    }

    /// The variable that an expression is, if it is one.
    pub fn variable<'a>(&self, path: &'a ExprPath) -> Option<&'a Ident> {
        path.path.get_ident().filter(|name| self.names.contains_key(name))
    }
}

struct Rename {
    /// What the variables in scope are called, the latest last.
    scopes: Vec<(Ident, Ident)>,
    names: HashMap<Ident, Ident>,
}

impl Rename {
    /// Runs `walk` in a scope of its own.
    fn scope(&mut self, walk: impl FnOnce(&mut Self)) {
        let depth = self.scopes.len();
        walk(self);
        self.scopes.truncate(depth);
    }

    /// Declares what a pattern binds; a name that stands in it twice, between `|`, is one variable.
    fn declare(&mut self, pattern: &mut Pat) {
        let depth = self.scopes.len();
        Declare { rename: self, depth }.visit_pat_mut(pattern);
    }

    fn declared(&mut self, name: &Ident, depth: usize) -> Ident {
        if let Some((_, own)) = self.scopes[depth..].iter().find(|(known, _)| known == name) {
            return Ident::new(&own.to_string(), name.span());
        }
        let own = Ident::new(&format!("__{}_{}", self.names.len(), name.unraw()), name.span());
        self.names.insert(own.clone(), name.clone());
        self.scopes.push((name.clone(), own.clone()));
        own
    }
}

/// Renames the identifiers that a pattern binds, and resolves what its guards mention.
struct Declare<'a> {
    rename: &'a mut Rename,
    /// How many variables were in scope before the pattern.
    depth: usize,
}

impl VisitMut for Declare<'_> {
    fn visit_pat_ident_mut(&mut self, pattern: &mut PatIdent) {
        // The one constant that everybody writes without a path.
        if pattern.ident != "None" {
            pattern.ident = self.rename.declared(&pattern.ident, self.depth);
        }
        visit_mut::visit_pat_ident_mut(self, pattern);
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        self.rename.visit_expr_mut(expression);
    }
}

impl VisitMut for Rename {
    fn visit_expr_path_mut(&mut self, path: &mut ExprPath) {
        if let Some(name) = path.path.get_ident()
            && let Some((_, own)) = self.scopes.iter().rev().find(|(known, _)| known == name)
        {
            path.path = Ident::new(&own.to_string(), name.span()).into();
        }
        visit_mut::visit_expr_path_mut(self, path);
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        self.scope(|rename| visit_mut::visit_block_mut(rename, block));
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        if let Some(init) = &mut local.init {
            self.visit_local_init_mut(init);
        }
        self.declare(&mut local.pat);
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        self.scope(|rename| {
            closure.inputs.iter_mut().for_each(|input| rename.declare(input));
            rename.visit_expr_mut(&mut closure.body);
        });
    }

    fn visit_expr_let_mut(&mut self, condition: &mut ExprLet) {
        self.visit_expr_mut(&mut condition.expr);
        self.declare(&mut condition.pat);
    }

    fn visit_expr_if_mut(&mut self, choice: &mut ExprIf) {
        self.scope(|rename| {
            rename.visit_expr_mut(&mut choice.cond);
            rename.visit_block_mut(&mut choice.then_branch);
        });
        if let Some((_, otherwise)) = &mut choice.else_branch {
            self.visit_expr_mut(otherwise);
        }
    }

    fn visit_expr_while_mut(&mut self, repeated: &mut ExprWhile) {
        self.scope(|rename| visit_mut::visit_expr_while_mut(rename, repeated));
    }

    fn visit_expr_for_loop_mut(&mut self, repeated: &mut ExprForLoop) {
        self.visit_expr_mut(&mut repeated.expr);
        self.scope(|rename| {
            rename.declare(&mut repeated.pat);
            rename.visit_block_mut(&mut repeated.body);
        });
    }

    fn visit_arm_mut(&mut self, arm: &mut Arm) {
        self.scope(|rename| {
            rename.declare(&mut arm.pat);
            rename.visit_expr_mut(&mut arm.body);
        });
    }
}
