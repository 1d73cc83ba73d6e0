//! Values as an iteration has left them, to compare later ones with.

use onyx_device::stored::Number;
use rayon::prelude::*;

use crate::engine::{Array, Engine};
use crate::error::RunError;
use crate::floats::Floats;
use crate::graph::Graph;

/// How many numbers of each array a sample has, about.
const SAMPLE: usize = 4096;
/// How many numbers are compared at a time, about.
const PIECE: usize = 1 << 20;
/// How many rows a thread compares at a time.
const ROWS: usize = 1024;

/// Numbers of some arrays, whole rows.
pub(super) struct Snapshot {
    blocks: Vec<Block>,
    is_sample: bool,
}

/// Numbers of an array, from number `first` on.
struct Block {
    array: Array,
    first: usize,
    numbers: Floats,
    /// Room for a piece of what is compared with them: new memory would take as long as the copy, each time.
    piece: Floats,
}

impl Snapshot {
    /// Some rows of each array, those of an active vertex first.
    pub(super) fn sample(engine: &mut dyn Engine, arrays: &[Array], graph: &Graph) -> Result<Self, RunError> {
        let active = engine.active()?;
        let vertex = active.nth(active.count() / 2).map_or(0, |vertex| vertex as usize);
        let block = |array: &Array| {
            let row = place(array, vertex, graph).min(array.length / array.row);
            let length = (array.length - row * array.row).min(SAMPLE.next_multiple_of(array.row));
            Block::copy(engine, *array, row * array.row, length)
        };
        Ok(Self { blocks: arrays.iter().map(block).collect::<Result<_, _>>()?, is_sample: true })
    }

    /// All of each array.
    pub(super) fn all(engine: &mut dyn Engine, arrays: &[Array]) -> Result<Self, RunError> {
        let block = |array: &Array| Block::copy(engine, *array, 0, array.length);
        Ok(Self { blocks: arrays.iter().map(block).collect::<Result<_, _>>()?, is_sample: false })
    }

    /// Whether it has but a part of the values.
    pub(super) fn is_sample(&self) -> bool {
        self.is_sample
    }

    /// How far the engine's values are from these, as a part of the greatest value of their row; infinity where that is more than `limit`.
    pub(super) fn distance(&mut self, engine: &mut dyn Engine, limit: f32) -> Result<f32, RunError> {
        let mut farthest: f32 = 0.0;
        for block in &mut self.blocks {
            farthest = farthest.max(block.distance(engine, limit)?);
            if farthest > limit {
                return Ok(f32::INFINITY);
            }
        }
        Ok(farthest)
    }
}

/// The row of an array at which what belongs to a vertex begins.
fn place(array: &Array, vertex: usize, graph: &Graph) -> usize {
    let rows = array.length / array.row;
    let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
    if vertices > 0 && rows >= vertices && rows.is_multiple_of(vertices) && rows != edges {
        vertex * (rows / vertices)
    } else if edges > 0 && rows.is_multiple_of(edges) {
        graph.incoming().offsets().row(vertex).start * (rows / edges)
    } else {
        0
    }
}

impl Block {
    fn copy(engine: &mut dyn Engine, array: Array, first: usize, length: usize) -> Result<Self, RunError> {
        let mut numbers = Floats::zeroed_of(array.number, length)?;
        engine.copy(array, first, numbers.as_bytes_mut())?;
        let piece = Floats::zeroed_of(array.number, PIECE.next_multiple_of(array.row).min(length))?;
        Ok(Self { array, first, numbers, piece })
    }

    fn distance(&mut self, engine: &mut dyn Engine, limit: f32) -> Result<f32, RunError> {
        let Self { array, first, numbers, piece } = self;
        let length = piece.len();
        let mut farthest: f32 = 0.0;
        for (number, before) in numbers.as_bytes().chunks((length * array.number.bytes()).max(1)).enumerate() {
            let now = &mut piece.as_bytes_mut()[..before.len()];
            engine.copy(*array, *first + number * length, now)?;
            farthest = farthest.max(distance(*array, before, now));
            if farthest > limit {
                break;
            }
        }
        Ok(farthest)
    }
}

/// How far rows are from each other at most. An integer is not rounded, and a half has so few digits that the next one is far away.
fn distance(array: Array, before: &[u8], now: &[u8]) -> f32 {
    if array.number != Number::F32 {
        return if before == now { 0.0 } else { f32::INFINITY };
    }
    float_distance(array, bytemuck::cast_slice(before), bytemuck::cast_slice(now))
}

fn float_distance(array: Array, before: &[f32], now: &[f32]) -> f32 {
    let part = |(before, now): (&[f32], &[f32])| {
        let rows = before.chunks(array.row).zip(now.chunks(array.row));
        let of = |(before, now): (&[f32], &[f32])| row_distance(&before[..array.features], &now[..array.features]);
        rows.map(of).fold(0.0, f32::max)
    };
    let length = ROWS * array.row;
    before.par_chunks(length).zip(now.par_chunks(length)).map(part).reduce(|| 0.0, f32::max)
}

/// How far one row is from another, as a part of the greatest of its values. What is not a number is far from everything.
fn row_distance(before: &[f32], now: &[f32]) -> f32 {
    let sizes = before.iter().chain(now).filter(|value| value.is_finite()).map(|value| value.abs());
    let greatest = sizes.fold(0.0, f32::max);
    let of = |(before, now): (&f32, &f32)| match (before - now).abs() {
        _ if before == now => 0.0,
        distance if distance.is_finite() => distance / greatest,
        _ => f32::INFINITY,
    };
    before.iter().zip(now).map(of).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where a float and the next one are further apart than one.
    const FLOATS_END: u32 = 1 << 30;

    #[test]
    fn an_integer_is_what_it_was_or_far_from_it() {
        let array = Array { property: 0, length: 2, row: 1, rows: 1, features: 1, number: Number::U32 };
        let bytes = |labels: [u32; 2]| labels.map(u32::to_ne_bytes).concat();
        let before = bytes([FLOATS_END, 7]);
        assert_eq!(distance(array, &before, &before), 0.0);
        assert_eq!(distance(array, &before, &bytes([FLOATS_END + 1, 7])), f32::INFINITY);
    }

    #[test]
    fn values_are_apart_by_a_part_of_the_greatest_of_their_row() {
        assert_eq!(row_distance(&[4.0, 0.0], &[4.0, 1.0]), 0.25);
        assert_eq!(row_distance(&[0.0], &[1e-30]), 1.0);
        assert_eq!(row_distance(&[f32::INFINITY, -0.0], &[f32::INFINITY, 0.0]), 0.0);
        assert_eq!(row_distance(&[f32::INFINITY], &[f32::NEG_INFINITY]), f32::INFINITY);
        assert_eq!(row_distance(&[f32::NAN], &[f32::NAN]), f32::INFINITY);
        assert_eq!(row_distance(&[f32::MAX], &[f32::MIN]), f32::INFINITY);
    }

    #[test]
    fn rows_are_compared_each_by_itself_and_without_padding() {
        let array = Array { property: 0, length: 8, row: 4, rows: 1, features: 2, number: Number::F32 };
        let distance = |before: &[f32], now: &[f32]| float_distance(array, before, now);
        let before = [1e9, 0.0, 0.0, f32::NAN, 1.0, 4.0, 3.0, 4.0];
        let mut now = before;
        now[6] = 1e6;
        assert_eq!(distance(&before, &now), 0.0);
        now[5] = 2.0;
        assert_eq!(distance(&before, &now), 0.5);
    }
}
