//! What a function calls its edge or vertex: `v`, `e`, `e.src`, and variables that stand for one of these.

use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprField, Ident, Local, Member, Pat, PatIdent};

use crate::parse::access::{bare, is_name};
use crate::parse::function::Kind;

/// What an edge has that indexes properties.
const ENDS: [&str; 3] = ["src", "dst", "rev"];

/// The vertex, the edge or the end of it that an expression is, as a user writes it.
pub fn written(expression: &Expr, element: &Ident) -> Option<String> {
    match bare(expression) {
        Expr::Field(ExprField { base, member: Member::Named(end), .. }) if is_name(base, element) => {
            ENDS.iter().any(|known| end == known).then(|| format!("{element}.{end}"))
        }
        _ => is_name(expression, element).then(|| element.to_string()),
    }
}

/// The number of an edge, an end of it or a vertex, as a user writes it.
pub fn number(place: &str, kind: Kind) -> String {
    match (kind, place.split_once('.')) {
        (Kind::Edge, None) => format!("{place}.id"),
        (Kind::Edge, Some((edge, "rev"))) => format!("{edge}.id"),
        _ => format!("{place}.0"),
    }
}

/// The edge or vertex with which an expression computes as if it were a number.
pub fn computed_with(expression: &Expr, element: &Ident) -> Option<String> {
    let within = |operand: &Expr| written(operand, element).or_else(|| computed_with(operand, element));
    match bare(expression) {
        Expr::Binary(binary) => within(&binary.left).or_else(|| within(&binary.right)),
        Expr::Unary(unary) => within(&unary.expr),
        Expr::Cast(cast) => within(&cast.expr),
        _ => None,
    }
}

/// The variables of a body that stand for the edge, an end of it or the vertex, each with what it stands for. A name that is bound twice is left out.
/// The name of an end alone, such as `src`, is one of them where nothing else has it.
pub fn stand_ins(body: &Block, element: &Ident, kind: Kind) -> Vec<(Ident, String)> {
    let mut walk = Walk { element, found: Vec::new(), bound: Vec::new() };
    walk.visit_block(body);
    let times = |name: &Ident| walk.bound.iter().filter(|bound| *bound == name).count();
    let ends = ENDS.iter().map(|end| (Ident::new(end, element.span()), format!("{element}.{end}")));
    let ends = ends.filter(|(name, _)| kind == Kind::Edge && times(name) == 0 && name != element);
    walk.found.iter().filter(|(name, _)| times(name) == 1).cloned().chain(ends).collect()
}

struct Walk<'a> {
    element: &'a Ident,
    found: Vec<(Ident, String)>,
    bound: Vec<Ident>,
}

impl<'ast> Visit<'ast> for Walk<'_> {
    fn visit_local(&mut self, local: &'ast Local) {
        if let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init)
            && let Some(text) = written(&init.expr, self.element)
        {
            self.found.push((name.ident.clone(), text));
        }
        visit::visit_local(self, local);
    }

    fn visit_pat_ident(&mut self, name: &'ast PatIdent) {
        self.bound.push(name.ident.clone());
        visit::visit_pat_ident(self, name);
    }
}
