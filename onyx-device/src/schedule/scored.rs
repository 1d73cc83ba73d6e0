//! Edges that are weighed together, whose scores are looked up with the neighbors a turn ahead: the rows of a turn are then asked for first, and no exponential, which would wait for a
//! score, stands between their loads.

use crate::index::{Edge, Reverse, Vertex};
use crate::launch::{Owned, Worker};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::run::{EdgeRun, VertexRun};
use crate::schedule::incoming::Rest;
use crate::schedule::weighed::weighs;
use crate::unrolled::{array, each, keep_turns_apart};

/// Whether edges are weighed together whose scores are looked up ahead: several lanes have a row, and of the neighbors functions read what is weighed alone. Scores that wait for
/// neighbors are slower so (`docs/performance.md`).
pub(super) const fn scores_ahead<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>() -> bool {
    L > 1 && weighs::<D, E, V>() && E::ACCESS.reads_source.count_ones() == 1
}

impl<M, D, E, W, const L: usize, const V: usize> Worker<'_, M, D, E, W, L, V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// Runs the edge functions over edges up to number `last`, which are weighed together, `N` at a time: with two a lane has 32 registers, with four 40 (`docs/performance.md`).
    ///
    /// # Safety
    /// They are edges of the vertex, one at least, and no other group has them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn gather_scored<const N: usize>(
        &self,
        rest: Rest,
        last: u32,
        (sums, reached): &mut (E::Sums<V>, bool),
    ) {
        let mut rest = rest;
        // SAFETY: the caller's.
        unsafe {
            let mut next = [Vertex(0); N];
            self.look_up(rest, last, &mut next);
            let mut scores = self.scores(rest, last, &next);
            while rest.last_of(N) <= last {
                keep_turns_apart();
                let edges: [_; N] = rest.from(|ahead| next[ahead]).map(|edge| Owned::claim(edge));
                let loads: [_; N] = array(|ahead| self.load_previous(edges[ahead].known()));
                let own = scores;
                rest = rest.after(N);
                self.look_up(rest, last, &mut next);
                scores = self.scores(rest, last, &next);
                *reached |= self.compute_scored(&edges, |ahead| loads[ahead], own, sums);
            }
            each::<N>(|ahead| {
                if rest.number(ahead) <= last {
                    let edges: [_; 1] = rest.after(ahead).from(|_| next[ahead]).map(|edge| Owned::claim(edge));
                    let loads = self.load_previous(edges[0].known());
                    *reached |= self.compute_scored(&edges, |_| loads, [scores[ahead]], sums);
                }
            });
        }
    }

    /// What the next `N` edges weigh by; of the last one of all again where there are not so many.
    ///
    /// # Safety
    /// As [`Worker::look_up`], which has looked up their sources.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn scores<const N: usize>(&self, rest: Rest, last: u32, next: &[Vertex; N]) -> [(f32, bool); N] {
        array(|ahead| {
            let id = rest.begin + u64::from(rest.number(ahead).min(last));
            let edge = Edge { id, src: next[ahead], dst: rest.vertex, rev: Reverse::UNKNOWN };
            // SAFETY: the caller's; nothing is written.
            let edge = unsafe { Owned::claim(edge) };
            self.score(&edge, self.load_previous(edge.known()))
        })
    }
}
