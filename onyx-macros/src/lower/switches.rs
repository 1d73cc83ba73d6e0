//! Compile-time parameters of a function, `const GREATEST: bool`: each choice of values is a function of its own, in which only the branches that are
//! taken are left, so that it loads and keeps what those need.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::visit_mut::{self, VisitMut};
use syn::{
    BinOp, Block, Expr, ExprBinary, ExprBlock, ExprIf, ExprLit, ExprUnary, GenericParam, Generics, Ident, ItemFn, Lit,
    LitBool, Stmt, Type, UnOp,
};

use crate::errors::Errors;
use crate::message;

/// As many as there may be: each doubles the number of functions that are compiled.
const MOST: usize = 4;

/// The names of a function's compile-time parameters, in order.
#[derive(Clone, Debug, Default)]
pub struct Switches(pub Vec<Ident>);

impl Switches {
    /// Those of a function.
    pub fn of(generics: &Generics) -> Self {
        Self(generics.params.iter().filter_map(switch).cloned().collect())
    }

    /// Refuses too many.
    pub fn check(&self, errors: &mut Errors) {
        if let Some(switch) = self.0.get(MOST) {
            errors.push(switch, message::TOO_MANY_SWITCHES);
        }
    }

    /// All choices of values.
    pub fn choices(&self) -> Vec<Vec<bool>> {
        let count = self.0.len().min(MOST);
        (0..1_usize << count).map(|number| (0..count).map(|bit| number >> bit & 1 == 1).collect()).collect()
    }

    /// The parameters as they are declared: `const GREATEST: bool, ..`.
    pub fn declared(&self) -> TokenStream {
        let names = &self.0;
        quote!(#(const #names: bool),*)
    }
}

fn switch(parameter: &GenericParam) -> Option<&Ident> {
    match parameter {
        GenericParam::Const(constant) if constant.default.is_none() && is_bool(&constant.ty) => Some(&constant.ident),
        _ => None,
    }
}

fn is_bool(of: &Type) -> bool {
    matches!(of, Type::Path(path) if path.path.is_ident("bool"))
}

/// The values as arguments of a type; nothing where there are none.
pub fn arguments(values: &[bool]) -> TokenStream {
    if values.is_empty() { TokenStream::new() } else { quote!(<#(#values),*>) }
}

/// The function with these values.
pub fn chosen(item: &ItemFn, values: &[bool]) -> ItemFn {
    let switches = Switches::of(&item.sig.generics);
    let mut item = item.clone();
    let rest = item.sig.generics.params.iter().filter(|parameter| switch(parameter).is_none()).cloned();
    item.sig.generics.params = rest.collect();
    let chosen: Vec<(Ident, bool)> = switches.0.into_iter().zip(values.iter().copied()).collect();
    if !chosen.is_empty() {
        Choose(chosen).visit_block_mut(&mut item.block);
    }
    item
}

/// Puts values in place of names, and leaves out what they leave out.
struct Choose(Vec<(Ident, bool)>);

impl VisitMut for Choose {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_mut::visit_expr_mut(self, expression);
        if let Some(simpler) = self.simpler(expression) {
            *expression = simpler;
        }
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        visit_mut::visit_block_mut(self, block);
        block.stmts = std::mem::take(&mut block.stmts).into_iter().flat_map(spliced).collect();
    }
}

impl Choose {
    fn simpler(&self, expression: &Expr) -> Option<Expr> {
        match expression {
            Expr::Path(path) => {
                let value = self.0.iter().find(|(name, _)| path.path.is_ident(name)).map(|(_, value)| *value)?;
                Some(truth(value, path.path.get_ident()?.span()))
            }
            Expr::Paren(inner) => known(&inner.expr).map(|value| truth(value, inner.paren_token.span.join())),
            Expr::Unary(ExprUnary { op: UnOp::Not(not), expr, .. }) => known(expr).map(|value| truth(!value, not.span)),
            Expr::Binary(ExprBinary { op, left, right, .. }) => both(op, left, right),
            Expr::If(branch) => known(&branch.cond).map(|value| taken(branch, value)),
            _ => None,
        }
    }
}

fn truth(value: bool, at: Span) -> Expr {
    Expr::Lit(ExprLit { attrs: Vec::new(), lit: Lit::Bool(LitBool::new(value, at)) })
}

/// The value of an expression that is a truth value.
fn known(expression: &Expr) -> Option<bool> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Bool(value), .. }) => Some(value.value),
        _ => None,
    }
}

/// A conjunction or disjunction whose first part is known.
fn both(operator: &BinOp, left: &Expr, right: &Expr) -> Option<Expr> {
    let is_left = known(left)?;
    match operator {
        BinOp::And(_) => Some(if is_left { right.clone() } else { left.clone() }),
        BinOp::Or(_) => Some(if is_left { left.clone() } else { right.clone() }),
        _ => None,
    }
}

/// The branch that is taken: its only expression, or all of it.
fn taken(branch: &ExprIf, value: bool) -> Expr {
    let block = match (&branch.else_branch, value) {
        (_, true) => branch.then_branch.clone(),
        (Some((_, otherwise)), false) => match &**otherwise {
            Expr::Block(block) => block.block.clone(),
            other => return other.clone(),
        },
        (None, false) => Block { brace_token: branch.then_branch.brace_token, stmts: Vec::new() },
    };
    match block.stmts.as_slice() {
        [Stmt::Expr(only, None)] => only.clone(),
        _ => Expr::Block(ExprBlock { attrs: Vec::new(), label: None, block }),
    }
}

/// The statements of a block that declares nothing, in its place.
fn spliced(statement: Stmt) -> Vec<Stmt> {
    match statement {
        Stmt::Expr(Expr::Block(ExprBlock { label: None, block, .. }), _) if is_open(&block) => block.stmts,
        statement => vec![statement],
    }
}

fn is_open(block: &Block) -> bool {
    let ends = |statement: &Stmt| !matches!(statement, Stmt::Local(_) | Stmt::Item(_) | Stmt::Expr(_, None));
    block.stmts.iter().all(ends)
}
