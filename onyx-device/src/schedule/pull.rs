//! Pull, balanced by neighbor groups: a group of lanes owns up to `group_size` incoming edges of one vertex.
//!
//! The sums of a whole row stay in registers and its vertex functions follow at once. The groups of a cut row add their sums to memory; its
//! vertex functions run in the kernel `finish`. So a hub of 70,000 neighbors never stalls a warp. Where the same bits are asked for in every
//! run, and where they are states of more than a float, they store them apart instead, and `finish` combines those in order; states that are added go to one place for each cut row.
//! Where edges leave nothing but what they write themselves, several groups of lanes take those of a neighbor group by turns.

use crate::access::Version;
use crate::index::Vertex;
use crate::launch::{Launch, Owned, Shared, Worker};
use crate::machine::Machine;
use crate::parts::PartPlace;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::registers::{Pulled, Registers, Sums};
use crate::run::{EdgeRun, PreviousVersion, VertexRun};
use crate::schedule::incoming::MOST_OF_FOUR;
use crate::stage;

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
