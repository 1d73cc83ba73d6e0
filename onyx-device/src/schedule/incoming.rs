//! Incoming edges of a vertex, which a group of lanes goes through: the edge functions run on each, and what they reduce stays in registers.

use core::ops::Range;

use crate::index::{Edge, Reverse, Vertex};
use crate::launch::{Owned, Worker};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};
use crate::schedule::scored::scores_ahead;
use crate::schedule::weighed::weighs;
use crate::schedule::{EDGES_IN_FLIGHT, edge_bytes, has_large_edges};
use crate::unrolled::{array, each, keep_turns_apart};

/// The most edges that a group of lanes goes through: it counts them by 32 bits, which take half of the registers, and looks some ahead.
pub const MOST_EDGES: u64 = (1 << 32) - (1 << 13);

/// Incoming edges of one vertex: those from number `next` on, by the stride. Numbers count from position `begin`.
#[derive(Clone, Copy)]
pub(super) struct Rest {
    pub(super) vertex: Vertex,
    pub(super) begin: u64,
    pub(super) next: u32,
    pub(super) stride: u32,
}

impl Rest {
    /// The number of the edge `ahead` of the first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn number(self, ahead: usize) -> u32 {
        self.next + ahead as u32 * self.stride
    }

    /// The position of the edge `ahead` of the first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn position(self, ahead: usize) -> u64 {
        self.begin + u64::from(self.next) + ahead as u64 * u64::from(self.stride)
    }

    /// The number of the last of the first `some`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn last_of(self, some: usize) -> u32 {
        self.number(some - 1)
    }

    /// The first of them, whose sources are known. One by one: of two that are handed over together a number of 64 bits would be made.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn from<const N: usize>(self, source: impl Fn(usize) -> Vertex) -> [Edge; N] {
        array(|ahead| Edge { id: self.position(ahead), src: source(ahead), dst: self.vertex, rev: Reverse::UNKNOWN })
    }

    /// Those after the first `count`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn after(self, count: usize) -> Self {
        Self { next: self.number(count), ..self }
    }
}

/// The most bytes that functions read of an edge for its neighbor to be looked up ahead: a row's four features, and two numbers. More of them under way leave
/// no room in the registers (`docs/performance.md`).
const MOST_LOADED: usize = 24;

/// The most features of a lane for four of its edges to be under way: of rows with more of them all loads of a turn come first if it has two edges (`docs/performance.md`).
pub(super) const MOST_OF_FOUR: usize = 4;

/// Whether edges come by twos, not by fours.
const fn comes_in_pairs<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>() -> bool {
    scores_ahead::<D, E, L, V>() || (L > 1 && V > MOST_OF_FOUR)
}

/// Whether the next neighbors are looked up while the rows of these are under way.
const fn looks_ahead<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>() -> bool {
    let numbers_alone = !E::IS_REVERSED && E::ACCESS.reads_reverse == 0;
    numbers_alone && edge_bytes::<D, E, L, V>() <= MOST_LOADED
}

impl<M, D, E, W, const L: usize, const V: usize> Worker<'_, M, D, E, W, L, V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// Runs the edge functions over incoming edges `begin..end` of one vertex, or over outgoing ones where functions reduce into sources. Returns the sums, and
    /// whether any edge reached the vertex.
    ///
    /// # Safety
    /// As [`Worker::gather_strided`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn gather<const IN_FLIGHT: usize>(&self, vertex: Vertex, begin: u64, end: u64) -> (E::Sums<V>, bool) {
        // SAFETY: the caller's.
        unsafe { self.gather_strided::<IN_FLIGHT>(vertex, begin..end, 1) }
    }

    /// [`Worker::gather_strided`] with as many edges under way as the registers of a lane hold.
    ///
    /// # Safety
    /// As [`Worker::gather_strided`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn gather_in_flight(&self, vertex: Vertex, edges: Range<u64>, stride: u32) -> (E::Sums<V>, bool) {
        // SAFETY: the caller's.
        unsafe {
            if const { has_large_edges::<D, E, L, V>() } {
                self.gather_strided::<1>(vertex, edges, stride)
            } else if const { comes_in_pairs::<D, E, L, V>() } {
                self.gather_strided::<2>(vertex, edges, stride)
            } else {
                self.gather_strided::<EDGES_IN_FLIGHT>(vertex, edges, stride)
            }
        }
    }

    /// [`Worker::gather`] over every `stride`th of the `edges`, from the first.
    ///
    /// `IN_FLIGHT` edges are loaded before the first of them is computed, and where that leaves registers the neighbors of the next so many besides, so that nothing
    /// waits for those; what is left goes by twos and ones. No load is behind a condition of its own edge, so that none has to wait for another.
    ///
    /// # Safety
    /// They are edges of the vertex, [`MOST_EDGES`] at most, and no other group has them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn gather_strided<const IN_FLIGHT: usize>(
        &self,
        vertex: Vertex,
        edges: Range<u64>,
        stride: u32,
    ) -> (E::Sums<V>, bool) {
        let mut gathered = (E::Sums::<V>::zero(), false);
        // SAFETY: those that are gathered are among the edges, and each is once, or functions write nothing.
        unsafe {
            if const { looks_ahead::<D, E, L, V>() && IN_FLIGHT > 1 } {
                let Range { start: begin, end } = edges;
                if begin < end {
                    let (rest, last) = (Rest { vertex, begin, next: 0, stride }, (end - begin - 1) as u32);
                    if const { scores_ahead::<D, E, L, V>() } {
                        self.gather_scored::<IN_FLIGHT>(rest, last, &mut gathered);
                    } else {
                        self.gather_looking_up::<IN_FLIGHT>(rest, last, &mut gathered);
                    }
                }
            } else {
                self.gather_plainly::<IN_FLIGHT>(vertex, edges.clone(), stride, &mut gathered);
            }
            if const { IN_FLIGHT > 1 && weighs::<D, E, V>() } {
                if self.any_redoing(!gathered.0.is_finite()) {
                    let together = gathered.0;
                    gathered = (E::Sums::<V>::zero(), false);
                    self.gather_alone(vertex, edges, stride, &mut gathered);
                    gathered.0.take_weights(&together);
                }
                gathered.0.settle_weights();
            }
        }
        gathered
    }

    /// Whether any lane of the group, or this one where lanes meet nowhere in the functions, goes through its edges again.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn any_redoing(&self, condition: bool) -> bool {
        if M::COMPARES || E::MEETS { self.group.any_lane(condition) } else { condition }
    }

    /// [`Worker::gather_strided`] where nothing is looked up ahead.
    ///
    /// # Safety
    /// As said there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn gather_plainly<const IN_FLIGHT: usize>(
        &self,
        vertex: Vertex,
        edges: Range<u64>,
        stride: u32,
        gathered: &mut (E::Sums<V>, bool),
    ) {
        let count = edges.end.saturating_sub(edges.start) as u32;
        let mut rest = Rest { vertex, begin: edges.start, next: 0, stride };
        // SAFETY: the caller's.
        unsafe {
            while rest.last_of(IN_FLIGHT) < count {
                self.gather_some::<IN_FLIGHT>(self.first(rest), gathered);
                rest = rest.after(IN_FLIGHT);
            }
            if IN_FLIGHT > 2 && rest.last_of(2) < count {
                self.gather_some::<2>(self.first(rest), gathered);
                rest = rest.after(2);
            }
            if IN_FLIGHT > 1 && rest.last_of(1) < count {
                self.gather_some::<1>(self.first(rest), gathered);
            }
        }
    }

    /// [`Worker::gather_strided`] where no edges are weighed together.
    ///
    /// # Safety
    /// As said there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn gather_alone(
        &self,
        vertex: Vertex,
        edges: Range<u64>,
        stride: u32,
        (sums, reached): &mut (E::Sums<V>, bool),
    ) {
        let count = edges.end.saturating_sub(edges.start) as u32;
        let mut rest = Rest { vertex, begin: edges.start, next: 0, stride };
        while rest.next < count {
            keep_turns_apart();
            // SAFETY: the caller's.
            let edge = unsafe { self.incoming_edge(vertex, rest.position(0)) };
            *reached |= self.compute(&edge, self.load_previous(edge.known()), sums);
            rest = rest.after(1);
        }
    }

    /// [`Worker::gather_strided`] up to number `last` where the neighbors of the next `N` edges are looked up while these are under way.
    ///
    /// # Safety
    /// As said there, and there is one edge at least.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn gather_looking_up<const N: usize>(&self, rest: Rest, last: u32, gathered: &mut (E::Sums<V>, bool)) {
        let mut rest = rest;
        // SAFETY: the caller's.
        unsafe {
            let mut next = [Vertex(0); N];
            self.look_up(rest, last, &mut next);
            while rest.last_of(N) <= last {
                if const { N == 2 || weighs::<D, E, V>() } {
                    keep_turns_apart();
                }
                let edges = rest.from(|ahead| next[ahead]);
                rest = rest.after(N);
                self.look_up(rest, last, &mut next);
                self.gather_some::<N>(edges, gathered);
            }
            if N > 2 && rest.last_of(2) <= last {
                self.gather_some::<2>(rest.from(|ahead| next[ahead % N]), gathered);
                rest = rest.after(2);
                next[0] = next[2 % N];
            }
            if rest.next <= last {
                self.gather_some::<1>(rest.from(|_| next[0]), gathered);
            }
        }
    }

    /// The next `N` edges.
    ///
    /// # Safety
    /// `rest` has so many of the vertex.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn first<const N: usize>(&self, rest: Rest) -> [Edge; N] {
        // SAFETY: the caller's.
        array(|ahead| unsafe {
            self.arguments.incoming_edge::<M, E>(self.machine(), rest.vertex, rest.position(ahead))
        })
    }

    /// Notes the sources of the next `N` edges; that of the last one of all again where there are not so many.
    ///
    /// # Safety
    /// There is an edge of the vertex up to number `last`, which is one itself.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn look_up<const N: usize>(&self, rest: Rest, last: u32, next: &mut [Vertex; N]) {
        let incoming = &self.arguments.incoming;
        each::<N>(|ahead| {
            let position = rest.begin + u64::from(rest.number(ahead).min(last));
            // SAFETY: the caller's.
            next[ahead] = unsafe { incoming.neighbor(self.machine(), position) };
        });
    }

    /// Runs the edge functions over some incoming edges, all of which are loaded first. Adds to the sums, and to whether any has reached the vertex.
    ///
    /// # Safety
    /// The edges exist, and are this group's alone.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn gather_some<const N: usize>(&self, edges: [Edge; N], gathered: &mut (E::Sums<V>, bool)) {
        // SAFETY: the caller's.
        let edges: [_; N] = array(|ahead| unsafe { Owned::claim(edges[ahead]) });
        let (sums, reached) = gathered;
        if E::IS_ACTIVE {
            *reached |= self.gather_active::<N>(edges, sums);
            return;
        }
        let loads: [_; N] = array(|ahead| self.load_previous(edges[ahead].known()));
        if const { weighs::<D, E, V>() } {
            *reached |= self.compute_weighed(&edges, |ahead| loads[ahead], sums);
            return;
        }
        each::<N>(|ahead| *reached |= self.compute(&edges[ahead], loads[ahead], sums));
    }

    /// Runs the edge functions over those edges whose source is active. Where one is, all are loaded: that none waits for its own condition counts for more than what
    /// the others bring for nothing.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn gather_active<const N: usize>(&self, edges: [Owned<Edge>; N], sums: &mut E::Sums<V>) -> bool {
        let active: [bool; N] = array(|ahead| self.is_active(edges[ahead].known().source()));
        if !active.iter().fold(false, |any, active| any | active) {
            return false;
        }
        let loads: [_; N] = array(|ahead| self.load_previous(edges[ahead].known()));
        let mut reached = false;
        each::<N>(|ahead| {
            if active[ahead] {
                reached |= self.compute(&edges[ahead], loads[ahead], sums);
            }
        });
        reached
    }

    /// The edge at `position` among the incoming edges of `vertex`, or among the outgoing ones where functions reduce into sources.
    ///
    /// # Safety
    /// It is an edge of the vertex, and no other group claims it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn incoming_edge(&self, vertex: Vertex, position: u64) -> Owned<Edge> {
        // SAFETY: the caller's.
        unsafe { Owned::claim(self.arguments.incoming_edge::<M, E>(self.machine(), vertex, position)) }
    }
}
