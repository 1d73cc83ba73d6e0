//! Operators of the crate's own: a variance of features, and the second greatest of scalars.

use onyx_device::prelude::*;

/// The variance, of the sum, the sum of squares and the number.
#[derive(Clone, Copy, Debug)]
pub struct Spread;

impl StateOperator for Spread {
    type State = [f32; 3];
    const IDENTITY: [f32; 3] = [0.0; 3];
    const ADDS: bool = true;

    #[inline]
    fn combine(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
        [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
    }

    #[inline]
    fn finish([sum, squares, count]: [f32; 3]) -> f32 {
        if count == 0.0 { 0.0 } else { squares / count - sum / count * (sum / count) }
    }
}

/// The second greatest, -inf of fewer than two.
#[derive(Clone, Copy, Debug)]
pub struct Second;

impl Second {
    /// The state of one value.
    #[inline]
    pub fn of(x: f32) -> [f32; 2] {
        [f32::NEG_INFINITY, x]
    }
}

impl StateOperator for Second {
    type State = [f32; 2];
    const IDENTITY: [f32; 2] = [f32::NEG_INFINITY; 2];

    #[inline]
    fn combine([second, greatest]: [f32; 2], [other_second, other]: [f32; 2]) -> [f32; 2] {
        [greatest.min(other).max(second.max(other_second)), greatest.max(other)]
    }

    #[inline]
    fn finish([second, _]: [f32; 2]) -> f32 {
        second
    }
}

/// A field of heights.
#[graph_data]
pub struct Field<const K: usize> {
    /// What stands at each vertex.
    pub height: VertexFeatures<K>,
    /// What stands there beside it.
    pub weight: VertexScalar,
    /// How much the heights of the sources vary.
    pub spread: VertexFeatures<K>,
    /// The second greatest weight of the sources.
    pub second: VertexScalar,
    /// What a vertex function makes of both.
    pub kept: VertexFeatures<K>,
}

/// Heights above 0 and all weights.
#[edge_fn]
fn measure<const K: usize>(f: Feature, e: Edge, d: &mut Field<K>) -> bool {
    let height = d.height[e.src][f];
    if height > 0.0 {
        d.spread[e.dst][f].combine_with::<Spread>([height, height * height, 1.0]);
    }
    d.second[e.dst].combine_with::<Second>(Second::of(d.weight[e.src]));
    true
}

/// Takes both from registers.
#[vertex_fn]
fn keep<const K: usize>(f: Feature, v: Vertex, d: &mut Field<K>) -> bool {
    d.kept[v][f] = d.spread[v][f] + d.second[v].max(-1.0);
    true
}

foldmap! { pub roughness<const K: usize>(Field<K>) = [measure]; features = [1, 16] }
foldmap! { pub kept_roughness<const K: usize>(Field<K>) = [measure, keep]; features = [4] }
