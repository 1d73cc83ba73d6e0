//! Pull, balanced by neighbor groups: a group of lanes owns up to `group_size` incoming edges of one vertex.
//!
//! The sums of a whole row stay in registers and its vertex functions follow at once. The groups of a cut row add their sums to memory; its
//! vertex functions run in the kernel `finish`. So a hub of 70,000 neighbors never stalls a warp. Where the same bits are asked for in every
//! run, and where they are states of more than a float, they store them apart instead, and `finish` combines those in order; states that are added go to one place for each cut row.
//! Where edges leave nothing but what they write themselves, several groups of lanes take those of a neighbor group by turns.

use core::ops::Range;

use crate::access::Version;
use crate::index::{Edge, Reverse, Vertex};
use crate::launch::{Launch, Owned, Shared, Worker};
use crate::machine::Machine;
use crate::parts::PartPlace;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::registers::{Pulled, Registers, Sums};
use crate::run::{EdgeRun, PreviousVersion, VertexRun};
use crate::schedule::scored::scores_ahead;
use crate::schedule::weighed::weighs;
use crate::schedule::{EDGES_IN_FLIGHT, edge_bytes, has_large_edges};
use crate::stage;
use crate::unrolled::{array, each, keep_turns_apart};

/// Launches of `pull`: units are neighbor groups of incoming edges, each for as many groups of lanes as [share](crate::stage::StageAccess::sharers) it; the totals of cut rows
/// were cleared, or the partials have a row for each of their groups, or one for each cut row that was cleared.
#[derive(Debug)]
pub struct Pull;

/// The body of the kernel `pull`: `L` lanes for each neighbor group of incoming edges, or for each share of one.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, Pull>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let sharers = const { stage::sharers(E::FLAGS, E::ACCESS, !W::IS_EMPTY, L) };
    launch.machine().let_next_begin();
    let index = launch.unit(L * sharers);
    let is_unit = index < launch.arguments().units.end;
    let worker = launch.worker::<L, V>().along(u32::MAX, is_unit);
    if !is_unit {
        return;
    }
    // SAFETY: `Pull`: the unit is a neighbor group, which is one group's. So is the whole row if it is not cut; if it is, no group owns the vertex.
    unsafe {
        let part = launch.arguments().incoming.part(launch.machine(), index);
        // Both at once: the assembler loads after a branch what that does not ask for.
        if launch.is_over() | !part.is_one {
            return;
        }
        if sharers > 1 {
            let first = launch.machine().lane() / L as u32 % sharers as u32;
            worker.gather_in_flight(part.vertex, part.begin + u64::from(first)..part.end, sharers as u32);
            launch.machine().wait_for_launch_before();
            return;
        }
        let worker = worker.still_along(!part.is_cut);
        let (sums, reached) = worker.gather_in_flight(part.vertex, part.begin..part.end, 1);
        launch.machine().wait_for_launch_before();
        // A lane of many features needs the register of the other half; 2^32 groups of rows so wide fit on no device.
        let index = if V > MOST_OF_FOUR { u64::from(index as u32) } else { index };
        if part.is_cut {
            worker.add_cut(index, Shared::claim(part.vertex), sums, reached, (part.end - part.begin) as u32);
        } else {
            worker.finish(Owned::claim(part.vertex), sums, reached);
        }
    }
}

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
const MOST_OF_FOUR: usize = 4;

/// Whether edges come by twos, not by fours.
const fn comes_in_pairs<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>() -> bool {
    scores_ahead::<D, E, L, V>() || (L > 1 && V > MOST_OF_FOUR)
}

/// Whether the next neighbors are looked up while the rows of these are under way.
const fn looks_ahead<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>() -> bool {
    let numbers_alone = !E::IS_REVERSED && E::ACCESS.reads_reverse == 0;
    numbers_alone && edge_bytes::<D, E, L, V>() <= MOST_LOADED
}

/// Whether the groups of a cut row mark whether the vertex was reached, which the row's finish asks.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) const fn marks_parts<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>>() -> bool {
    (W::IS_EMPTY || E::IS_ACTIVE) && !E::IS_SILENT
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

    /// Leaves the sums of neighbor group number `index`, one of several of its vertex: added atomically, to the totals or to a part that has begun with so many edges of the group, or
    /// stored apart for `finish` to add in order.
    ///
    /// # Safety
    /// The neighbor group is this group's alone.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn add_cut(&self, index: u64, vertex: Shared, sums: E::Sums<V>, reached: bool, begun: u32) {
        let parts = self.arguments.parts;
        if const { <E::Sums<V> as Accumulator<D, V>>::IS_ATOMIC } && parts.is_none() {
            self.add_part(vertex, sums, reached);
            return;
        }
        // SAFETY: `Pull`: there is a row of the partials for each group of a cut row, or one to which all of them add.
        unsafe {
            let row = self.machine().load_u32(parts.row.add(index as usize));
            if const { <E::Sums<V> as Accumulator<D, V>>::PARTS.are_added() } && parts.are_added() {
                let has_own = const { <E::Sums<V> as Accumulator<D, V>>::PARTS.are_relative() };
                let apart = if has_own { self.machine().load_u32(parts.apart.add(index as usize)) } else { 0 };
                sums.add_part(self.group, &self.arguments.partials, PartPlace { row, edges: begun, apart });
                self.mark_reached(vertex, reached);
            } else {
                self.store_part(vertex, row, sums, reached);
            }
        }
    }

    /// Stores sums of some of a vertex's edges in a row of the partials, and marks whether the vertex was reached where somebody asks.
    ///
    /// # Safety
    /// The row exists, and is this group's alone.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn store_part(&self, vertex: Shared, row: u32, sums: E::Sums<V>, reached: bool) {
        // SAFETY: the caller's.
        unsafe { sums.store_part(self.group, &self.arguments.partials, row) }
        self.mark_reached(vertex, reached);
    }

    /// Adds sums of some of a vertex's edges to those in memory, atomically, and marks whether the vertex was reached where somebody asks.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn add_part(&self, vertex: Shared, sums: E::Sums<V>, reached: bool) {
        self.add_totals(vertex, sums);
        self.mark_reached(vertex, reached);
    }

    /// Marks whether a vertex was reached, where somebody asks.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn mark_reached(&self, vertex: Shared, reached: bool) {
        if marks_parts::<D, E, W>() && reached {
            self.mark_shared(vertex);
        }
    }

    /// Runs the vertex functions of one vertex on its finished sums, and marks whether it has changed.
    ///
    /// Where it takes an active source to run them, `reached` says whether there was one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn finish(&self, vertex: Owned<Vertex>, sums: E::Sums<V>, reached: bool) {
        self.finish_holding(vertex, sums, reached, ());
    }

    /// [`Worker::finish`] with rows of the graph that the group holds in registers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn finish_holding(
        &self,
        vertex: Owned<Vertex>,
        sums: E::Sums<V>,
        reached: bool,
        held: impl Registers<D, V>,
    ) {
        let is_due = W::IS_EMPTY || self.is_due(vertex, reached);
        let worker = self.still_along(is_due);
        if !is_due {
            self.keep_sums(vertex, sums);
            self.restore_previous(vertex, PreviousVersion::<D, W>::PREVIOUS);
            self.mark(vertex, false);
            return;
        }
        let ran = worker.update_holding(vertex, sums, held);
        if !E::IS_SILENT {
            self.mark(vertex, if W::IS_EMPTY { reached } else { ran });
        }
    }

    /// Runs the vertex functions of one vertex on its finished sums. Returns whether all returned true.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn update_pulled(&self, vertex: Owned<Vertex>, sums: E::Sums<V>) -> bool {
        self.update_holding(vertex, sums, ())
    }

    /// [`Worker::update_pulled`] with rows of the graph that the group holds in registers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn update_holding(&self, vertex: Owned<Vertex>, sums: E::Sums<V>, held: impl Registers<D, V>) -> bool {
        self.keep_sums(vertex, sums);
        // The first function always runs and stores what it writes; the rest may not run.
        self.restore_previous(vertex, PreviousVersion::<D, W>::PREVIOUS & !W::FIRST_WRITES);
        self.run::<PreviousVersion<D, W>>(vertex, (Pulled::<E, W>::BY_THEM, (Sums(&sums), held)))
    }

    /// Stores finished sums where somebody reads them in memory.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn keep_sums(&self, vertex: Owned<Vertex>, sums: E::Sums<V>) {
        if W::IS_EMPTY || E::IS_KEPT || self.arguments.keep_sums != 0 {
            if E::IS_OF_SEVERAL { self.store_totals(vertex, sums) } else { self.stream_totals(vertex, sums) }
        }
    }

    /// Whether the vertex functions of a stage run on a vertex.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_due(&self, vertex: Owned<Vertex>, reached: bool) -> bool {
        if E::IS_ACTIVE && !reached {
            return false;
        }
        // SAFETY: `Owned`: there is a mark for the vertex, which no other group writes.
        !W::FOLLOWS
            || unsafe { self.group.load_mark(self.arguments.mark(self.machine(), u64::from(vertex.get().0))) } != 0
    }
}
