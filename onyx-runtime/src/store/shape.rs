//! How many numbers each property has, and whether the memory suffices for all of them.

use onyx_device::FoldFacts;
use onyx_device::projection::padded;
use onyx_device::property::{Descriptor, Element};

use crate::error::RunError;
use crate::memory::{self, OutOfMemory};
use crate::total;
use crate::widths::Widths;

/// The most tiles of a row: what the second dimension of a grid may have on a GPU.
const MOST_TILES: usize = 65_535;

/// The width of a group of lanes.
pub(super) fn compiled_width(fold: &'static FoldFacts, features: usize) -> Result<usize, RunError> {
    let widest = fold.widths.last().copied().unwrap_or(0);
    if features == 0 || widest == 0 {
        return Err(RunError::Features { fold: fold.declared_name, features, widest });
    }
    if features > 1 && !has_features(fold) {
        return Err(RunError::NoFeatures { fold: fold.declared_name, features });
    }
    let width = fold.widths.iter().copied().find(|width| *width >= features);
    let many = (features.div_ceil(widest) > MOST_TILES).then_some("a launch has at most 65535 of them");
    match (width, fold.why_not_tiled.or(many)) {
        (Some(width), _) => Ok(width),
        (None, None) => Ok(widest),
        (None, Some(reason)) => Err(RunError::TooWide { fold: fold.declared_name, features, widest, reason }),
    }
}

/// Whether any property of the fold's data has more than one number.
fn has_features(fold: &'static FoldFacts) -> bool {
    let is_single =
        |element: Element| element.is_scalar() || matches!(element, Element::Parameter | Element::Iteration);
    fold.properties.iter().any(|property| !is_single(property.element))
}

/// Several heads lie side by side in a row, without padding in between.
pub(super) fn check_heads(
    fold: &'static FoldFacts,
    heads: usize,
    features: usize,
    tile_width: usize,
) -> Result<(), RunError> {
    let (name, widths) = (fold.declared_name, fold.widths);
    match heads {
        1 => Ok(()),
        _ if !fold.has_heads => Err(RunError::NoHeads { fold: name, heads }),
        heads if heads > 0 && heads <= MOST_TILES && features == tile_width => Ok(()),
        _ => Err(RunError::HeadWidth { fold: name, heads, features, widths }),
    }
}

/// Whether a new store has memory for the property at `index`. Contributions to totals get theirs where they are first needed.
pub(super) fn has_memory(fold: &'static FoldFacts, index: usize) -> bool {
    let property = &fold.properties[index];
    let is_in_registers = property.scratch && fold.scratch_in_memory >> index & 1 == 0;
    !is_in_registers && !total::has_contributions(property)
}

/// Refuses values that do not fit the memory all together, before any is allocated.
pub(super) fn check_memory(fold: &'static FoldFacts, shape: Shape, features: usize) -> Result<(), OutOfMemory> {
    let Shape { vertices, edges, .. } = shape;
    let bytes = |property: &Descriptor| {
        let bytes = length(property, shape).saturating_mul(property.number.bytes());
        bytes.saturating_mul(1 + usize::from(property.tracked))
    };
    let kept = fold.properties.iter().enumerate().filter(|(index, _)| has_memory(fold, *index));
    let bytes = kept.map(|(_, property)| bytes(property)).fold(0, usize::saturating_add);
    let purpose = format!("{features} features of {vertices} vertices and {edges} edges");
    memory::check(purpose, bytes as u64)
}

/// What the length of a property comes of.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) vertices: usize,
    pub(crate) edges: usize,
    /// What rows are padded to, all heads together.
    pub(crate) width: usize,
    pub(crate) heads: usize,
    /// The structure's widths: the number of features first.
    pub(crate) widths: Widths,
}

/// How many numbers a property has; more than memory can hold if they are more than can be counted.
pub(crate) fn length(property: &Descriptor, shape: Shape) -> usize {
    let Shape { vertices, edges, width, heads, widths } = shape;
    let input = padded(widths[property.input]);
    match property.element {
        Element::VertexInputs => vertices.saturating_mul(input),
        Element::EdgeInputs => edges.saturating_mul(input),
        Element::Projection => width.saturating_mul(input),
        Element::Parameter => 0,
        Element::Iteration => 1,
        Element::VertexScalar => vertices,
        Element::VertexHeads => vertices.saturating_mul(heads),
        Element::EdgeHeads => edges.saturating_mul(heads),
        Element::VertexFeatures => vertices.saturating_mul(width),
        Element::EdgeScalar => edges,
        Element::EdgeFeatures => edges.saturating_mul(width),
        Element::VertexMatrix => vertices.saturating_mul(width).saturating_mul(width),
        Element::EdgeMatrix => edges.saturating_mul(width).saturating_mul(width),
        Element::GraphMatrix => width.saturating_mul(width),
        Element::GraphScalar => 1,
        // A table has rows when it is given some.
        Element::GraphFeatures | Element::Table => width,
    }
}
