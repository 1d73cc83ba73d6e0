//! A row's edges on the CPU, one after the other, while what later ones are computed from is fetched.
//!
//! A processor looks ahead by itself as far as it can guess what comes. It guesses wrong where a row ends, and then starts over with nothing on the way: the rows of
//! neighbors, wherever they lie, are what a pull waits for. So they are fetched across the ends of rows.

use core::ops::Range;

use crate::cpu::{Ahead, CAN_FETCH};
use crate::index::Vertex;
use crate::launch::Worker;
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, PreviousVersion, VertexRun};

/// How many edges lie between the one that is computed and the one that is fetched: 32 are better than 12 (`docs/performance.md`).
const DISTANCE: u64 = 32;
/// The fewest features for which it pays: narrower rows share lines, so that most are near. Nor does it where there are rows of another width, which would be multiplied
/// twice.
const LEAST_FEATURES: usize = 4;

impl<M, D, E, W, const V: usize> Worker<'_, M, D, E, W, 1, V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// [`Worker::gather`] by one lane over `edges` of a vertex, after which it takes others, up to `last`.
    ///
    /// # Safety
    /// As [`Worker::gather`], for all edges up to `last`.
    #[inline(always)]
    pub unsafe fn gather_looking_ahead(&self, vertex: Vertex, edges: Range<u64>, last: u64) -> (E::Sums<V>, bool) {
        let (mut sums, mut reached) = (E::Sums::<V>::zero(), false);
        for position in edges {
            // SAFETY: the caller's.
            let edge = unsafe {
                if const { CAN_FETCH && V >= LEAST_FEATURES && D::WIDTHS.len() == 1 } && position + DISTANCE < last {
                    self.fetch(vertex, position + DISTANCE);
                }
                self.incoming_edge(vertex, position)
            };
            if !E::IS_ACTIVE || self.is_active(edge.known().source()) {
                reached |= self.compute(&edge, self.load_previous(edge.known()), &mut sums);
            }
        }
        (sums, reached)
    }

    /// Fetches what edge functions read of an edge. Whose it is nobody has looked up: `vertex` stands for its destination, which will be near.
    ///
    /// # Safety
    /// The edge exists, and is this lane's alone.
    #[inline(always)]
    unsafe fn fetch(&self, vertex: Vertex, position: u64) {
        // SAFETY: features are only fetched; integers of the edge are this lane's, and those of its source are not written by the launch.
        unsafe {
            let edge = self.arguments.incoming_edge::<_, E>(Ahead, vertex, position);
            if !E::IS_ACTIVE || self.arguments.is_active(self.machine(), edge.src) {
                E::load::<_, PreviousVersion<D, W>, 1, V>(self.arguments.group(Ahead), edge, &self.arguments.data);
            }
        }
    }
}
