//! A body as single assignments: each step computes one value from earlier ones.

use proc_macro2::Span;
use syn::{Expr, Ident, Pat};

use crate::check::usage::Reduction;
use crate::parse::access::{Access, Place};
use crate::parse::derivative::Derivative;

/// A value, by number.
pub type Id = usize;

/// How a step computes its value.
#[derive(Clone, Debug)]
pub enum Operator {
    /// What memory has of a property; at an index that is computed, which is the argument then.
    Read(Access),
    /// Code without a derivative, in which [`placeholder`] stands for each argument.
    Code(Box<Expr>),
    /// The same, but what it computes would have a derivative that nobody knows, for this reason.
    Unknown(Box<Expr>, String),
    /// The call of a plain function in such code, and what the user gives as its derivative.
    Call(Box<Expr>, Derivative),
    /// A number.
    Number(f32),
    /// `-a`
    Negate,
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`
    Divide,
    /// `a.method(b, ..)`
    Method(String),
    /// A collaborative operation.
    Operation(String),
    /// One of several blocks.
    Choice(Choice),
}

/// `if` or `match`.
#[derive(Clone, Debug)]
pub struct Choice {
    /// What is matched; none for an `if`, whose condition is the step's argument.
    pub patterns: Option<Vec<Arm>>,
    /// What is computed: the block of `if`, then that of `else`, or one for each pattern.
    pub blocks: Vec<Block>,
}

/// The left side of an arm of a `match`.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The pattern.
    pub pattern: Pat,
    /// The names that it binds, with the values that stand for them inside.
    pub bound: Vec<(Ident, Id)>,
}

/// Steps, and the value that comes of them.
#[derive(Clone, Debug)]
pub struct Block {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The value.
    pub result: Id,
}

/// One step.
#[derive(Clone, Debug)]
pub struct Step {
    /// The value that it computes.
    pub id: Id,
    /// How.
    pub operator: Operator,
    /// From what.
    pub arguments: Vec<Id>,
}

/// What is known of a value.
#[derive(Clone, Debug)]
pub struct Value {
    /// Whether it depends on what gradients are asked of, as a float does.
    pub varies: bool,
    /// Whether it is the same for all features.
    pub is_uniform: bool,
    /// Whether it is the row of a matrix.
    pub is_matrix: bool,
    /// What the user calls it.
    pub name: Option<String>,
}

/// The name that stands for a value in code.
pub fn placeholder(id: Id) -> Ident {
    Ident::new(&format!("__value_{id}"), Span::mixed_site())
}

/// The index of an access, whose value this is.
pub fn index_of(id: Id) -> Box<Expr> {
    let name = placeholder(id);
    Box::new(syn::parse_quote!(#name))
}

/// The value that a name stands for.
pub fn placed(name: &Ident) -> Option<Id> {
    name.to_string().strip_prefix("__value_")?.parse().ok()
}

/// Whose value of which property: what a run of functions writes or reduces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The property, as its first access has it.
    pub property: Ident,
    /// Its own edge or vertex, or the end of an edge.
    pub place: Place,
    /// Whether it is one feature of a row.
    pub is_row: bool,
    /// The index, if it is a row of a table.
    pub index: Option<Id>,
}

/// A total that is a state of more than a float, and what an edge brings to it.
#[derive(Clone, Debug)]
pub struct Brought {
    /// The total.
    pub cell: Cell,
    /// How it is combined.
    pub reduction: Reduction,
    /// The score, if there is one, and the value.
    pub arguments: Vec<Id>,
    /// Whether every edge brings it.
    pub is_certain: bool,
}

impl Cell {
    /// The cell that an access reaches.
    pub fn of(access: &Access) -> Self {
        let index = access.index.as_deref().and_then(|index| match index {
            Expr::Path(path) => path.path.get_ident().and_then(placed),
            _ => None,
        });
        Self { property: access.property.clone(), place: access.place, is_row: access.is_row, index }
    }

    /// The access that reaches it.
    pub fn access(&self) -> Access {
        Access {
            property: self.property.clone(),
            place: self.place,
            is_row: self.is_row,
            index: self.index.map(index_of),
            matrix: None,
        }
    }
}
