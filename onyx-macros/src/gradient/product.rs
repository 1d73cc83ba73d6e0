//! The adjoints of `matvec(d.weight[f], d.input[v][..])`: sums of products, which the runtime multiplies.

use crate::compile::property::Properties;
use crate::errors::Errors;
use crate::gradient::run::Contribution;
use crate::gradient::value::Id;
use crate::message;
use crate::parse::access::{Access, Place};

/// What the adjoint `value` of something that is read adds to the adjoints of what it comes of. `varying` are the properties that have one.
pub fn contributions(
    (access, value): (Access, Id),
    varying: u64,
    properties: &Properties,
    errors: &mut Errors,
) -> Vec<Contribution> {
    let Some(matrix) = access.matrix.clone() else { return vec![Contribution { access, value, by: None }] };
    if matches!(access.place, Place::Edge | Place::Reverse) {
        errors.push(&access.property, message::gradient_of_edge_row(&access.property));
    }
    let row = Access { matrix: None, ..access };
    let matrix = Access { property: matrix, place: Place::Graph, ..row.clone() };
    let varies = |access: &Access| varying & properties.bit(&access.property) != 0;
    if varies(&matrix) && !properties.is_single(&row.property) {
        errors.push(&row.property, message::gradient_by_half(&row.property));
    }
    let to_matrix = Contribution { access: matrix.clone(), value, by: Some(row.clone()) };
    let to_row = Contribution { access: row, value, by: Some(matrix) };
    [to_matrix, to_row].into_iter().filter(|contribution| varies(&contribution.access)).collect()
}
