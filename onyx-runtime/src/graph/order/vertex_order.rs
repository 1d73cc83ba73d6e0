//! New numbers for vertices.

use super::ORDER;
use super::error::OrderError;
use crate::memory;

/// What is not a vertex's number yet.
pub(super) const NONE: u32 = u32::MAX;
/// What reordered values need the memory for.
const VALUES: &str = "the reordered values";

/// A number for each vertex, each number once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexOrder {
    /// By old number.
    new_ids: Vec<u32>,
    /// By new number.
    old_ids: Vec<u32>,
}

impl VertexOrder {
    /// The order in which vertex `v` has the number `new_ids[v]`.
    ///
    /// # Errors
    /// A number is beyond the last or given twice, or there is not enough memory.
    pub fn of_new_ids(new_ids: Vec<u32>) -> Result<Self, OrderError> {
        let vertices = new_ids.len();
        let mut old_ids = memory::filled(NONE, vertices, ORDER)?;
        for (vertex, number) in new_ids.iter().copied().enumerate() {
            match old_ids.get_mut(number as usize) {
                Some(place) if *place == NONE => *place = vertex as u32,
                _ => return Err(OrderError::NotAnOrder { vertex, number, vertices }),
            }
        }
        Ok(Self { new_ids, old_ids })
    }

    /// The order in which the vertices come in this sequence.
    ///
    /// # Errors
    /// As [`of_new_ids`](Self::of_new_ids).
    pub fn of_sequence(old_ids: Vec<u32>) -> Result<Self, OrderError> {
        let Self { new_ids, old_ids } = Self::of_new_ids(old_ids)?;
        Ok(Self { new_ids: old_ids, old_ids: new_ids })
    }

    /// The order that leaves `count` vertices as they are.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn unchanged(count: u32) -> Result<Self, OrderError> {
        Ok(Self { new_ids: memory::collect(0..count, ORDER)?, old_ids: memory::collect(0..count, ORDER)? })
    }

    /// The number of vertices.
    pub fn len(&self) -> usize {
        self.new_ids.len()
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.new_ids.is_empty()
    }

    /// The new number of each vertex, by its old one.
    pub fn new_ids(&self) -> &[u32] {
        &self.new_ids
    }

    /// The old number of each vertex, by its new one.
    pub fn old_ids(&self) -> &[u32] {
        &self.old_ids
    }

    /// The order that leads back.
    pub fn inverse(self) -> Self {
        Self { new_ids: self.old_ids, old_ids: self.new_ids }
    }

    /// Values by old number, `width` a vertex, as values by new number.
    ///
    /// # Errors
    /// Another number of values than of vertices, or not enough memory.
    pub fn to_new<T: Copy>(&self, values: &[T], width: usize) -> Result<Vec<T>, OrderError> {
        gathered(values, width, self.old_ids.iter().map(|vertex| *vertex as usize))
    }

    /// Values by new number, `width` a vertex, as values by old number.
    ///
    /// # Errors
    /// As [`to_new`](Self::to_new).
    pub fn to_old<T: Copy>(&self, values: &[T], width: usize) -> Result<Vec<T>, OrderError> {
        gathered(values, width, self.new_ids.iter().map(|vertex| *vertex as usize))
    }
}

/// The rows of `width` values at these places, one after the other.
pub(super) fn gathered<T: Copy>(
    values: &[T],
    width: usize,
    places: impl ExactSizeIterator<Item = usize>,
) -> Result<Vec<T>, OrderError> {
    let (found, expected) = (values.len(), places.len().saturating_mul(width));
    if found != expected {
        return Err(OrderError::Values { found, expected, width });
    }
    let mut ordered = memory::vector(found, VALUES)?;
    places.for_each(|place| ordered.extend_from_slice(&values[place * width..][..width]));
    Ok(ordered)
}
