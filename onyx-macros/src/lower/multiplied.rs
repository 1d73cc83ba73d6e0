//! The matrices of the graph that a vertex function multiplies rows by where they lie: `matvec(d.weight[f], x)`.

use crate::check::operation::Operation;
use crate::check::usage::Use;
use crate::lower::region::{Call, Region};
use crate::parse::access::{Access, Place, recognise};
use crate::parse::function::{Function, Kind};

/// The first access to each matrix that is an operation's first argument alone. Any other is loaded.
pub fn of(function: &Function, uses: &[Use], regions: &[Region]) -> Vec<Access> {
    let taken: Vec<Access> = regions.iter().filter_map(|region| matrix(function, region.call.as_ref()?)).collect();
    let is_same = |access: &Access, other: &Access| access.property == other.property && access.place == other.place;
    let mut found: Vec<Access> = Vec::new();
    for access in &taken {
        let times = taken.iter().filter(|other| is_same(access, other)).count();
        let read = uses.iter().filter(|other| is_same(access, &other.access)).count();
        if times == read && !found.iter().any(|known| is_same(access, known)) {
            found.push(access.clone());
        }
    }
    found
}

/// The matrix of the graph that a call multiplies a row by.
pub fn matrix(function: &Function, call: &Call) -> Option<Access> {
    let is_product = matches!(call.operation, Operation::Matvec | Operation::TransposeMatvec);
    let access = recognise(call.arguments.first()?, function.kind, &function.names)?.ok()?;
    let is_matrix = access.place == Place::Graph && access.is_row && access.matrix.is_none();
    (is_product && is_matrix && function.kind == Kind::Vertex).then_some(access)
}
