//! Edges of a row that are weighed together: see [`crate::weighing`].

use core::hint::black_box;

use crate::index::Edge;
use crate::launch::{Owned, Worker};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};
use crate::unrolled::{array, each};
use crate::weighing::Weigher;

/// More features of a lane lie in memory from one edge to the next: of those in registers, one each, the compiler makes no vectors (`docs/performance.md`).
const MOST_IN_REGISTERS: usize = 16;

/// Whether edges can be weighed together, for which functions run twice: one of their totals weighs, and they write nothing else.
pub(super) const fn can_weigh<D: GraphData, E: EdgeRun<D>, const V: usize>() -> bool {
    let writes_nothing = E::ACCESS.writes_edge == 0 && E::ACCESS.adds == 0;
    <E::Sums<V> as Accumulator<D, V>>::WEIGHS == 1 && writes_nothing && !E::IS_ACTIVE
}

/// Whether groups of lanes do so. What lanes exchange for a collaborative operation they would exchange twice.
pub(super) const fn weighs<D: GraphData, E: EdgeRun<D>, const V: usize>() -> bool {
    can_weigh::<D, E, V>() && E::OPERATIONS == 0
}

impl<M, D, E, W, const L: usize, const V: usize> Worker<'_, M, D, E, W, L, V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// Runs the edge functions on edges of which everything is `loaded`. They are weighed together unless one brings several contributions, as if all scores and
    /// contributions were finite: see [`Accumulator::is_finite`]. Returns whether any reached the vertex.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn compute_weighed<const N: usize>(
        &self,
        edges: &[Owned<Edge>; N],
        loaded: impl Fn(usize) -> E::Loads<V>,
        sums: &mut E::Sums<V>,
    ) -> bool {
        let scores = array(|ahead| self.score(&edges[ahead], loaded(ahead)));
        self.compute_scored(edges, loaded, scores, sums)
    }

    /// What an edge's contribution weighs by, and whether there are several of them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn score(&self, edge: &Owned<Edge>, loads: E::Loads<V>) -> (f32, bool) {
        let mut noted = E::Sums::<V>::zero();
        self.compute_by(Weigher::noting(self.machine()), edge, loads, &mut noted);
        noted.score()
    }

    /// [`Worker::compute_weighed`] with the scores.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn compute_scored<const N: usize>(
        &self,
        edges: &[Owned<Edge>; N],
        loaded: impl Fn(usize) -> E::Loads<V>,
        scores: [(f32, bool); N],
        sums: &mut E::Sums<V>,
    ) -> bool {
        let mut reached = false;
        if scores.iter().fold(false, |any, (_, are_several)| any | are_several) {
            each::<N>(|ahead| reached |= self.compute(&edges[ahead], loaded(ahead), sums));
            return reached;
        }
        let weights: [f32; N] = sums.weigh(scores.map(|(score, _)| score));
        each::<N>(|ahead| {
            let given = Weigher::given(self.machine(), weights[ahead]);
            let sums = if const { V > MOST_IN_REGISTERS } { black_box(&mut *sums) } else { &mut *sums };
            reached |= self.compute_by(given, &edges[ahead], loaded(ahead), sums);
        });
        reached
    }

    /// Runs the edge functions on an edge by a machine of its own.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn compute_by<N: Machine>(
        &self,
        machine: N,
        edge: &Owned<Edge>,
        loads: E::Loads<V>,
        sums: &mut E::Sums<V>,
    ) -> bool {
        let group = self.arguments.group::<N, L, V>(machine);
        // SAFETY: `Owned`: the edge exists, and no other group writes it; the machine is this lane's.
        unsafe { E::compute(group, edge.get(), &self.arguments.data, loads, sums) }
    }
}
