//! A row's edges on the CPU, one after the other or some together, while what later ones are computed from is fetched.
//!
//! A processor looks ahead by itself as far as it can guess what comes. It guesses wrong where a row ends, and then starts over with nothing on the way: the rows of
//! neighbors, wherever they lie, are what a pull waits for. So they are fetched across the ends of rows.

use core::hint::black_box;
use core::ops::Range;

use crate::cpu::{Ahead, CAN_FETCH};
use crate::index::{Edge, Vertex};
use crate::launch::{Owned, Worker};
use crate::machine::Machine;
use crate::outer_sum::{self, Adder, NOTED, Vectors};
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, PreviousVersion, VertexRun};
use crate::schedule::multiplied::{TOGETHER_IN_A_ROW, multiplies_together};
use crate::schedule::weighed;
use crate::unrolled::{array, each};

/// How many edges lie between the one that is computed and the one that is fetched: 32 are better than 12 (`docs/performance.md`).
const DISTANCE: u64 = 32;
/// The fewest features for which it pays: narrower rows share lines, so that most are near. Nor does it where there are rows of another width, which would be multiplied
/// twice.
const LEAST_FEATURES: usize = 4;

/// The most features of rows that are fetched for as many edges as there are.
const MOST_AT_ONCE: usize = 16;
/// For how many edges wider rows are fetched at once.
const FEW: u64 = 8;

/// How many edges are weighed together: two vectors of exponentials of a processor with the narrowest, one of one with the widest.
const WEIGHED: usize = 8;
/// How many of those that are left.
const FEWER: usize = 4;

/// The most features for which it pays: in the two loops over more of them the compiler finds no vectors (`docs/performance.md`).
const MOST_WEIGHED: usize = 32;

/// The fewest features for which products of several edges are added at once: totals of fewer stay in registers.
const LEAST_ADDED: usize = 32;

/// The most features for which the compiler may make vectors across edges.
const MOST_ACROSS_EDGES: usize = 4;

/// Whether the compiler is kept from vectors across edges, which it makes of greatest and least ones, whose order does not matter: it then takes the features of several rows one by one
/// (`docs/performance.md`).
const fn keeps_edges_apart<D: GraphData, E: EdgeRun<D>, const V: usize>() -> bool {
    V > MOST_ACROSS_EDGES && E::ACCESS.lowers | E::ACCESS.raises != 0
}

/// Whether neighbors are fetched.
pub(super) const fn fetches<D: GraphData, const V: usize>() -> bool {
    CAN_FETCH && V >= LEAST_FEATURES && D::WIDTHS.len() == 1
}

/// Whether few edges are fetched for at once, as of wide rows, for a processor has few fetches under way (`docs/performance.md`).
const fn fetches_few<D: GraphData, const V: usize>() -> bool {
    fetches::<D, V>() && V > MOST_AT_ONCE
}

/// Whether edges are weighed together.
const fn weighs<D: GraphData, E: EdgeRun<D>, const V: usize>() -> bool {
    V <= MOST_WEIGHED && weighed::can_weigh::<D, E, V>()
}

/// Whether outer products of several edges are added to their total at once: there is one for each edge, even where functions stop.
const fn adds_at_once<D: GraphData, E: EdgeRun<D>, const V: usize>() -> bool {
    let adds_one = E::ADDED_PRODUCTS == 1 && E::FIRST_ADDED_PRODUCTS == 1;
    V >= LEAST_ADDED && adds_one && !weighs::<D, E, V>()
}

/// The most bytes of totals with matrices that may stay in registers.
const SMALL_MATRICES: usize = 512;

/// Whether edges add small matrices.
const fn has_small_matrices<D: GraphData, E: EdgeRun<D>, const V: usize>() -> bool {
    E::ADDED_PRODUCTS > 0 && size_of::<E::Sums<V>>() <= SMALL_MATRICES
}

/// The most bytes of totals for which two edges have their own: of more there is enough to add for one edge that none waits for another.
const MOST_APART: usize = 32;

/// Whether each of two edges adds to a total of its own, so that an addition does not wait for the one before.
const fn adds_apart<D: GraphData, E: EdgeRun<D>, const V: usize>() -> bool {
    let are_few = size_of::<E::Sums<V>>() <= MOST_APART;
    are_few && !E::IS_ACTIVE && <E::Sums<V> as Accumulator<D, V>>::IS_ATOMIC && !weighs::<D, E, V>()
}

impl<M, D, E, W, const V: usize> Worker<'_, M, D, E, W, 1, V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// [`Worker::gather`] by one lane over `edges` of a vertex, after which it takes others, up to `last`. Combines into `sums`, which are large where there are matrices, and
    /// returns whether any edge reached the vertex.
    ///
    /// # Safety
    /// As [`Worker::gather`], for all edges up to `last`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn gather_looking_ahead(
        &self,
        vertex: Vertex,
        edges: Range<u64>,
        last: u64,
        sums: &mut E::Sums<V>,
    ) -> bool {
        if const { !fetches_few::<D, V>() } {
            // SAFETY: the caller's.
            return unsafe { self.gather_all(vertex, edges, last, sums) };
        }
        let (mut left, mut reached) = (edges, false);
        while !left.is_empty() {
            let few = left.start..left.end.min(left.start + FEW);
            left.start = few.end;
            // SAFETY: the caller's.
            reached |= unsafe { self.gather_all(vertex, few, last, sums) };
        }
        reached
    }

    /// The same, where all is fetched at once.
    ///
    /// # Safety
    /// As [`Worker::gather_looking_ahead`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn gather_all(&self, vertex: Vertex, edges: Range<u64>, last: u64, sums: &mut E::Sums<V>) -> bool {
        // SAFETY: the caller's.
        unsafe {
            if const { has_small_matrices::<D, E, V>() } {
                self.gather_fetching(vertex, edges, last, sums)
            } else {
                self.gather_apart(vertex, edges, last, sums)
            }
        }
    }

    /// [`Worker::gather_fetching`] as a function that the compiler has done with before it inlines it: rows of 16 features take up to a fifth longer otherwise, but small matrices
    /// would stay in memory (`docs/performance.md`).
    ///
    /// # Safety
    /// As [`Worker::gather_looking_ahead`].
    #[inline]
    unsafe fn gather_apart(&self, vertex: Vertex, edges: Range<u64>, last: u64, sums: &mut E::Sums<V>) -> bool {
        // SAFETY: the caller's.
        unsafe { self.gather_fetching(vertex, edges, last, sums) }
    }

    /// Fetches for the edges after some edges, and runs the edge functions on these.
    ///
    /// # Safety
    /// As [`Worker::gather_looking_ahead`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn gather_fetching(&self, vertex: Vertex, edges: Range<u64>, last: u64, sums: &mut E::Sums<V>) -> bool {
        // SAFETY: the caller's.
        unsafe {
            if const { fetches::<D, V>() } {
                self.fetch_after(vertex, &edges, last);
            }
            self.gather_fetched(vertex, edges, sums)
        }
    }

    /// The same, without looking ahead.
    ///
    /// # Safety
    /// As [`Worker::gather`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn gather_fetched(&self, vertex: Vertex, edges: Range<u64>, sums: &mut E::Sums<V>) -> bool {
        let (mut edges, mut reached) = (edges, false);
        // SAFETY: the caller's.
        unsafe {
            if const { weighs::<D, E, V>() } {
                reached |= self.gather_together(vertex, &mut edges, sums);
            } else if const { adds_at_once::<D, E, V>() } {
                reached |= self.gather_products(vertex, &mut edges, sums);
            } else if const { multiplies_together::<D, E, V>() } {
                let mut left = edges;
                let next = || left.next().map(|position| (vertex, position));
                return self.gather_log_products::<TOGETHER_IN_A_ROW>(next, sums);
            }
            if const { adds_apart::<D, E, V>() } {
                reached |= self.gather_pairs(vertex, &mut edges, sums);
            }
            for position in edges {
                let position = if const { keeps_edges_apart::<D, E, V>() } { black_box(position) } else { position };
                if let Some(edge) = self.active_edge(vertex, position) {
                    reached |= self.compute(&edge, self.load_previous(edge.known()), sums);
                }
            }
        }
        reached
    }

    /// Runs the edge functions on the first of `edges` by twos, each of which has a total of its own. One that is alone is left.
    ///
    /// # Safety
    /// As [`Worker::gather`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn gather_pairs(&self, vertex: Vertex, edges: &mut Range<u64>, sums: &mut E::Sums<V>) -> bool {
        let (mut others, mut reached) = (E::Sums::zero(), false);
        while edges.start + 1 < edges.end {
            // SAFETY: the caller's.
            let pair: [Owned<Edge>; 2] =
                array(|ahead| unsafe { self.incoming_edge(vertex, edges.start + ahead as u64) });
            let loads: [_; 2] = array(|ahead| self.load_previous(pair[ahead].known()));
            reached |= self.compute(&pair[0], loads[0], sums);
            reached |= self.compute(&pair[1], loads[1], &mut others);
            edges.start += 2;
        }
        *sums = sums.combined_with(others);
        reached
    }

    /// Runs the edge functions on the first of `edges`, as long as there are enough to weigh together. The others are left; all of them where what is weighed is not finite.
    ///
    /// # Safety
    /// As [`Worker::gather`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn gather_together(&self, vertex: Vertex, edges: &mut Range<u64>, sums: &mut E::Sums<V>) -> bool {
        let (all, before, mut reached) = (edges.clone(), *sums, false);
        // SAFETY: the caller's.
        unsafe {
            while edges.end - edges.start >= WEIGHED as u64 {
                reached |= self.gather_weighing::<WEIGHED>(vertex, edges.start, sums);
                edges.start += WEIGHED as u64;
            }
            if edges.end - edges.start >= FEWER as u64 {
                reached |= self.gather_weighing::<FEWER>(vertex, edges.start, sums);
                edges.start += FEWER as u64;
            }
        }
        if edges.start > all.start {
            if sums.is_finite() {
                sums.settle_weights();
            } else {
                (*edges, *sums) = (all, before);
            }
        }
        reached
    }

    /// An edge, if functions run along it.
    ///
    /// # Safety
    /// As [`Worker::gather`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn active_edge(&self, vertex: Vertex, position: u64) -> Option<Owned<Edge>> {
        // SAFETY: the caller's.
        let edge = unsafe { self.incoming_edge(vertex, position) };
        (!E::IS_ACTIVE || self.is_active(edge.known().source())).then_some(edge)
    }

    /// Runs the edge functions on the first of `edges`, as long as there are enough to add their outer products at once. The others are left.
    ///
    /// # Safety
    /// As [`Worker::gather`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn gather_products(&self, vertex: Vertex, edges: &mut Range<u64>, sums: &mut E::Sums<V>) -> bool {
        let noted: [Vectors<V>; NOTED] = array(|_| Vectors::default());
        let mut reached = false;
        loop {
            let mut left = edges.clone();
            let mut next = || left.next().map(|position| (vertex, position));
            // SAFETY: the caller's.
            let (noting, taken) = unsafe { self.next_active::<{ NOTED + 1 }>(&mut next) };
            if taken <= NOTED {
                return reached;
            }
            // SAFETY: the caller's.
            let edge = |number: usize| unsafe { self.incoming_edge(vertex, noting[number].1) };
            each::<NOTED>(|number| {
                let noter = outer_sum::Noter { lane: self.machine(), vectors: &noted[number] };
                reached |= self.compute_loading(noter, &edge(number), sums);
            });
            let adder = Adder { lane: self.machine(), noted: &noted };
            reached |= self.compute_loading(adder, &edge(NOTED), sums);
            *edges = left;
        }
    }

    /// Takes the next edges that functions run along, up to `N`. Returns their destinations and positions, and how many there are.
    ///
    /// # Safety
    /// As [`Worker::gather`], for all that come next.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn next_active<const N: usize>(
        &self,
        next: &mut impl FnMut() -> Option<(Vertex, u64)>,
    ) -> ([(Vertex, u64); N], usize) {
        let (mut edges, mut taken) = ([(Vertex(0), 0); N], 0);
        while taken < N
            && let Some((vertex, position)) = next()
        {
            edges[taken] = (vertex, position);
            // SAFETY: the caller's.
            taken += usize::from(unsafe { self.active_edge(vertex, position) }.is_some());
        }
        (edges, taken)
    }

    /// Runs the edge functions on `N` edges from `first` on, which are weighed together unless one brings several contributions.
    ///
    /// # Safety
    /// As [`Worker::gather`], for these edges.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn gather_weighing<const N: usize>(&self, vertex: Vertex, first: u64, sums: &mut E::Sums<V>) -> bool {
        // SAFETY: the caller's.
        let edges: [Owned<Edge>; N] = array(|ahead| unsafe { self.incoming_edge(vertex, first + ahead as u64) });
        self.compute_weighed(&edges, |ahead| self.load_previous(edges[ahead].known()), sums)
    }

    /// Loads what the edge functions read of an edge, and runs them by a machine of its own.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn compute_loading<N: Machine>(&self, machine: N, edge: &Owned<Edge>, sums: &mut E::Sums<V>) -> bool {
        self.compute_by(machine, edge, self.load_previous(edge.known()), sums)
    }

    /// Fetches for the edges [`DISTANCE`] after some edges. In a loop of its own, it leaves the one that computes short: the processor then has more edges of that under way.
    ///
    /// # Safety
    /// As [`Worker::gather`], for all edges up to `last`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn fetch_after(&self, vertex: Vertex, edges: &Range<u64>, last: u64) {
        for position in edges.start + DISTANCE..last.min(edges.end + DISTANCE) {
            // SAFETY: the caller's.
            unsafe { self.fetch(vertex, position) };
        }
    }

    /// Fetches what edge functions read of an edge. Whose it is nobody has looked up: `vertex` stands for its destination, which will be near.
    ///
    /// # Safety
    /// The edge exists, and is this lane's alone.
    #[cfg_attr(not(debug_assertions), inline(always))]
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
