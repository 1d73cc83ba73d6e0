//! What an expression that stands for a place is about.

use syn::{Expr, Ident, UnOp};

use crate::parse::access::bare;

/// The name at the root of a place: `a` of `a.b[i]` and of `*a`.
pub fn root(place: &Expr) -> Option<&Ident> {
    match bare(place) {
        Expr::Path(path) => path.path.get_ident(),
        Expr::Field(field) => root(&field.base),
        Expr::Index(index) => root(&index.expr),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => root(&unary.expr),
        _ => None,
    }
}

/// The places that an assignment to `left` changes: more than one where it takes a value apart.
pub fn assigned(left: &Expr) -> Vec<&Expr> {
    match bare(left) {
        Expr::Tuple(tuple) => tuple.elems.iter().flat_map(assigned).collect(),
        Expr::Array(array) => array.elems.iter().flat_map(assigned).collect(),
        Expr::Struct(structure) => structure.fields.iter().flat_map(|field| assigned(&field.expr)).collect(),
        Expr::Call(call) => call.args.iter().flat_map(assigned).collect(),
        place => vec![place],
    }
}
