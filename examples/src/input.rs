//! What the algorithms ask of their input.

use ndarray::{ArrayView, ArrayViewMut2, Dimension};
use onyx_runtime::graph::Graph;

use crate::error::AlgorithmError;
use crate::fixed_point::Settings;

/// What a number must be that may have either sign.
pub(crate) const FINITE: &str = "a finite number";
/// What a weight must be.
pub(crate) const WEIGHT: &str = "a finite number of at least 0";

/// Whether a graph has vertices.
pub(crate) fn check_vertices(algorithm: &'static str, graph: &Graph) -> Result<(), AlgorithmError> {
    if graph.vertex_count() > 0 { Ok(()) } else { Err(AlgorithmError::NoVertices { algorithm }) }
}

/// Whether there is anything to start from.
pub(crate) fn check_start<T>(algorithm: &'static str, what: &'static str, start: &[T]) -> Result<(), AlgorithmError> {
    if start.is_empty() { Err(AlgorithmError::NoStart { algorithm, what }) } else { Ok(()) }
}

/// Whether a setting is the part of a mixture.
pub(crate) fn check_part(setting: &'static str, part: f32) -> Result<(), AlgorithmError> {
    let needed = "between 0 and 1, and neither of them";
    check_setting(setting, as_written(part), part > 0.0 && part < 1.0, needed)
}

/// Whether a tolerance is one.
pub(crate) fn check_tolerance(tolerance: f32) -> Result<(), AlgorithmError> {
    check_setting("tolerance", as_written(tolerance), tolerance.is_finite() && tolerance >= 0.0, WEIGHT)
}

/// Whether a tolerance is one that is a part of the greatest value.
pub(crate) fn check_relative_tolerance(tolerance: f32) -> Result<(), AlgorithmError> {
    let is_right = (0.0..=Settings::GREATEST_TOLERANCE).contains(&tolerance);
    check_setting("tolerance", as_written(tolerance), is_right, "between 0 and 0.1: it is a part of the greatest value")
}

/// A setting with the digits that it was given by: 0.2 as a 32-bit float is 0.20000000298 as a 64-bit one.
fn as_written(setting: f32) -> f64 {
    setting.to_string().parse().unwrap_or(setting.into())
}

/// Whether a setting `is_right`.
pub(crate) fn check_setting(
    setting: &'static str,
    value: f64,
    is_right: bool,
    needed: &'static str,
) -> Result<(), AlgorithmError> {
    if is_right { Ok(()) } else { Err(AlgorithmError::Setting { setting, value, needed }) }
}

/// Whether the graph has a vertex that a `what` names.
pub(crate) fn check_vertex(what: &'static str, vertex: u32, vertices: usize) -> Result<(), AlgorithmError> {
    if (vertex as usize) < vertices { Ok(()) } else { Err(AlgorithmError::NoVertex { what, vertex, vertices }) }
}

/// Whether rows are of vertices of the graph, and have a number for each feature.
pub(crate) fn check_rows(
    what: &'static str,
    rows: &[(u32, Vec<f32>)],
    vertices: usize,
    features: usize,
) -> Result<(), AlgorithmError> {
    for (vertex, row) in rows {
        let vertex = *vertex;
        check_vertex(what, vertex, vertices)?;
        if row.len() != features {
            return Err(AlgorithmError::Length { what, vertex, found: row.len(), expected: features });
        }
        if let Some(value) = row.iter().copied().find(|value| !value.is_finite()) {
            return Err(AlgorithmError::Value { what, vertex, value, needed: FINITE });
        }
    }
    Ok(())
}

/// The greatest size of a value.
pub(crate) fn greatest_size<D: Dimension>(values: ArrayView<'_, f32, D>) -> f32 {
    values.iter().fold(0.0, |greatest, value| greatest.max(value.abs()))
}

/// Sets the rows of some vertices.
pub(crate) fn set_rows(mut places: ArrayViewMut2<'_, f32>, rows: &[(u32, Vec<f32>)]) {
    for (vertex, row) in rows {
        places.row_mut(*vertex as usize).iter_mut().zip(row).for_each(|(place, value)| *place = *value);
    }
}

/// Whether there are `each` weights for each edge, edge after edge, and all are what is `needed`.
pub(crate) fn check_weights(
    graph: &Graph,
    weights: &[f32],
    each: usize,
    needed: &'static str,
) -> Result<(), AlgorithmError> {
    let (edges, found) = (graph.edge_count(), weights.len());
    let expected = edges.saturating_mul(each);
    if found != expected {
        return Err(AlgorithmError::Weights { found, expected, each, edges });
    }
    let is_wrong = |weight: &f32| !weight.is_finite() || needed == WEIGHT && *weight < 0.0;
    let Some(place) = weights.iter().position(is_wrong) else { return Ok(()) };
    let ends = graph.edges().nth(place / each).map_or((0, 0), |(_, origin, destination)| (origin, destination));
    Err(AlgorithmError::EdgeWeight { origin: ends.0, destination: ends.1, weight: weights[place], needed })
}
