//! Random edges, drawn in chunks that each have a random stream, so that threads may share them out.

use std::sync::atomic::{AtomicU64, Ordering};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

use crate::memory::{self, OutOfMemory};
use crate::progress::{Phase, Watch};

/// The number of edges of a chunk.
const CHUNK: u64 = 1 << 16;
/// The Graph500 probabilities of the first three quadrants, added up.
const QUADRANTS: [f64; 3] = [0.57, 0.57 + 0.19, 0.57 + 0.19 + 0.19];

/// Edges in parts.
type Drawn = Result<Vec<Vec<(u32, u32)>>, OutOfMemory>;

/// Draws `count` edges, chunk by chunk.
fn random_edges(count: u64, seed: u64, watch: Watch<'_>, edge: impl Fn(&mut Pcg64Mcg) -> (u32, u32) + Sync) -> Drawn {
    let done = AtomicU64::new(0);
    let chunk = |chunk: u64| {
        let mut random = stream(seed, chunk);
        let length = CHUNK.min(count - chunk * CHUNK);
        let mut edges = memory::vector(length as usize, "the edges that are drawn")?;
        edges.extend((0..length).map(|_| edge(&mut random)));
        watch(Phase::Draw, done.fetch_add(length, Ordering::Relaxed) + length, count);
        Ok(edges)
    };
    (0..count.div_ceil(CHUNK)).into_par_iter().map(chunk).collect()
}

/// The random stream of one chunk.
fn stream(seed: u64, chunk: u64) -> Pcg64Mcg {
    // The seed and the chunk are mixed first: streams of neighboring seeds would resemble each other.
    Pcg64Mcg::seed_from_u64(mixed(mixed(seed).wrapping_add(chunk)))
}

/// A one-to-one scrambling of 64 bits.
fn mixed(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let value = (value ^ value >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    value ^ value >> 32
}

/// `edges` edges whose ends are drawn evenly.
pub(super) fn uniform(vertices: u32, edges: u64, seed: u64, watch: Watch<'_>) -> Drawn {
    random_edges(edges, seed, watch, |random| (random.random_range(0..vertices), random.random_range(0..vertices)))
}

/// `edges` R-MAT edges on `2^scale` vertices, which are renumbered.
pub(super) fn rmat(scale: u32, edges: u64, seed: u64, watch: Watch<'_>) -> Drawn {
    let renumber = |vertex| renumbered(vertex, scale, mixed(seed));
    random_edges(edges, seed, watch, |random| {
        let (mut source, mut destination) = (0, 0);
        for _ in 0..scale {
            let draw: f64 = random.random();
            let quadrant = QUADRANTS.iter().filter(|&&bound| draw >= bound).count() as u32;
            (source, destination) = (source << 1 | quadrant >> 1, destination << 1 | quadrant & 1);
        }
        (renumber(source), renumber(destination))
    })
}

/// A one-to-one scrambling of the lowest `scale` bits, which `key` selects.
fn renumbered(vertex: u32, scale: u32, key: u64) -> u32 {
    let mask = ((1u64 << scale) - 1) as u32;
    let half = scale / 2 + 1;
    let mut vertex = vertex;
    for round in 0..3 {
        let key = mixed(key.wrapping_add(round));
        vertex = (vertex ^ (key >> 32) as u32) & mask;
        vertex = vertex.wrapping_mul(key as u32 | 1) & mask;
        vertex ^= vertex >> half;
    }
    vertex
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rmat_renumbers_one_to_one() {
        for scale in 0..14 {
            let mut vertices: Vec<u32> = (0..1 << scale).map(|vertex| renumbered(vertex, scale, 99)).collect();
            vertices.sort_unstable();
            assert!(vertices.iter().copied().eq(0..1 << scale), "scale {scale}");
        }
    }
}
