//! Sums of products with rows of another width: `d.weight_gradient[f] += outer(x, d.input[v][..])`, and
//! `d.input_gradient[v][..] += transpose_matvec(d.weight[f], x)`.
//!
//! What a function has of one is the row of `x`, its contribution. The runtime multiplies the contributions of all vertices, after the stage.

use syn::{Expr, ExprCall, Ident};

use crate::check::usage::Assignment;
use crate::parse::access::{Access, Place, bare, recognise, whole_row};
use crate::parse::function::{Kind, Names};

/// What contributions are multiplied by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    /// The property.
    pub property: Ident,
    /// Whether it has the rows of another width; else it is the matrix.
    pub is_row: bool,
}

/// A sum of products that a function adds to.
pub struct Product<'a> {
    /// The property that it is.
    pub total: Access,
    /// What contributions are multiplied by.
    pub by: Factor,
    /// Whose row is taken, or added to.
    pub end: Place,
    /// The contribution.
    pub value: &'a Expr,
}

impl<'a> Product<'a> {
    /// The product that an assignment adds.
    pub fn of(assignment: &Assignment<'a>, kind: Kind, names: &Names) -> Option<Self> {
        let Expr::Call(call) = bare(assignment.right) else { return None };
        let product =
            outer(assignment.left, call, kind, names).or_else(|| transposed(assignment.left, call, kind, names))?;
        let is_of_vertex = matches!(product.end, Place::Vertex | Place::Source | Place::Destination);
        is_of_vertex.then_some(product)
    }
}

/// The matrix that an expression is: `d.weight[f]`.
fn matrix(expression: &Expr, kind: Kind, names: &Names) -> Option<Access> {
    let access = recognise(expression, kind, names)?.ok()?;
    (access.is_row && access.place == Place::Graph && access.matrix.is_none()).then_some(access)
}

/// The two arguments of an operation.
fn arguments<'a>(call: &'a ExprCall, operation: &str) -> Option<(&'a Expr, &'a Expr)> {
    let is_called = matches!(bare(&call.func), Expr::Path(path) if path.path.is_ident(operation));
    let mut arguments = call.args.iter();
    let both = arguments.next().zip(arguments.next());
    both.filter(|_| is_called && call.args.len() == 2)
}

fn outer<'a>(left: &Expr, call: &'a ExprCall, kind: Kind, names: &Names) -> Option<Product<'a>> {
    let (value, row) = arguments(call, "outer")?;
    let (total, row) = (matrix(left, kind, names)?, whole_row(row, kind, names)?);
    Some(Product { total, by: Factor { property: row.property, is_row: true }, end: row.place, value })
}

fn transposed<'a>(left: &Expr, call: &'a ExprCall, kind: Kind, names: &Names) -> Option<Product<'a>> {
    let (by, value) = arguments(call, "transpose_matvec")?;
    let (total, by) = (whole_row(left, kind, names)?, matrix(by, kind, names)?);
    let end = total.place;
    Some(Product {
        total: Access { place: Place::Graph, ..total },
        by: Factor { property: by.property, is_row: false },
        end,
        value,
    })
}
