//! Pull, a block for neighbor groups that follow each other: what those of one row reduce meets in shared memory (GNNAdvisor's algorithm 1).
//!
//! The first group of a row in the block leads it: it takes what the others have left, in their order, and flushes once. A row whose groups are all in the block is then whole,
//! so that its vertex functions follow at once: nothing is cleared for it, added to memory or finished by another kernel. Only of rows that several blocks have, each block
//! leaves its part as a cut row's group does under [`pull`](crate::schedule::pull).
//!
//! A warp whose groups are all of one row joins their totals by shuffles first: a leader then takes one from each warp of a long row, not one from each group.

use core::ops::Range;

use crate::arguments::{NeighborGroups, Part};
use crate::block::Block;
use crate::index::Vertex;
use crate::launch::{Launch, Owned, Shared, Worker};
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};
use crate::schedule::row_block::row_floats;

/// Launches of `groups_per_block`: a unit is as many neighbor groups of incoming edges as a block has groups of lanes. The totals of rows that several units have were
/// cleared, or the partials have a row for each such unit. A block has [`shared_floats`] of shared memory.
#[derive(Debug)]
pub struct GroupsPerBlock;

const WARP: u32 = 32;

/// The group has more of the row of the group before it, and has left what it reduced.
const CONTINUES: u32 = 1;
/// An edge has reached the vertex.
const REACHED: u32 = 2;
/// What it has left is of all groups of its warp.
const OF_WARP: u32 = 4;

/// The shared memory of a block of `warps` warps, in floats: the first group keeps its totals.
pub const fn shared_floats<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>(warps: u32) -> usize {
    row_floats::<D, E, L, V>() * ((warps * WARP) as usize / L).saturating_sub(1)
}

/// The body of the kernel `groups_per_block`: `L` lanes for each neighbor group of incoming edges.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, GroupsPerBlock>)
where
    M: Block,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let machine = launch.machine();
    // The whole block returns, or none of it.
    let unit = launch.arguments().units.first + machine.block();
    if unit >= launch.arguments().units.end {
        return;
    }
    let worker = launch.worker::<L, V>();
    // SAFETY: `GroupsPerBlock`: each neighbor group is one group's, and a row that is not shared is the block's alone, where one group leads it after all have met. No
    // group owns a vertex whose row is shared.
    unsafe {
        let place = Place::of::<M, L>(machine, &launch.arguments().incoming, unit);
        // Asked after the group's loads were sent off, which then do not wait for the answer.
        if launch.is_over() {
            return;
        }
        let (sums, reached) = worker.gather_in_flight(place.vertex, place.edges.clone(), 1);
        let (sums, reached) = worker.join_warp(&place, sums, reached);
        worker.leave_group(&place, sums, reached);
        machine.synchronize_block();
        if place.leads {
            let (sums, reached) = worker.take_groups(&place, sums, reached);
            if place.is_shared {
                worker.add_cut(place.index, Shared::claim(place.vertex), sums, reached, 0);
            } else {
                worker.finish(Owned::claim(place.vertex), sums, reached);
            }
        }
    }
}

/// The neighbor group of a group of lanes, and where that stands in its block.
struct Place {
    /// The number of the neighbor group, which may not exist. Then there are no edges.
    index: u64,
    edges: Range<u64>,
    vertex: Vertex,
    /// The number in the block.
    number: u32,
    exists: bool,
    /// Whether it is the first of its row in the block.
    leads: bool,
    /// Whether other blocks have groups of the row.
    is_shared: bool,
    /// Whether all groups of the warp are of the row.
    fills_warp: bool,
}

impl Place {
    /// That of the calling lane's group in the block that has this unit. All lanes of the warp must arrive.
    ///
    /// # Safety
    /// The unit exists, and the arrays are valid.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn of<M: Block, const L: usize>(machine: M, groups: &NeighborGroups, unit: u64) -> Self {
        let of_block = u64::from(machine.warps() * WARP / L as u32);
        let number = (machine.warp() * WARP + machine.lane()) / L as u32;
        let index = unit * of_block + u64::from(number);
        let last = groups.count - 1;
        let (at, exists) = (index.min(last) as usize, index <= last);
        // SAFETY: there is a group, since there is a unit. No load is behind a condition, so that none has to wait for another.
        let (part, before) =
            unsafe { (groups.part(machine, at as u64), machine.load_u32(groups.vertex.add(at.saturating_sub(1)))) };
        let Part { vertex, begin, end, is_cut, .. } = part;
        let follows = at > 0 && before == vertex.0;
        let first = machine.shuffle_from(u32::MAX, vertex.0, 0);
        Self {
            index,
            edges: if exists { begin..end } else { 0..0 },
            vertex,
            number,
            exists,
            leads: exists && (number == 0 || !follows),
            is_shared: is_cut,
            fills_warp: L < WARP as usize && machine.ballot(u32::MAX, exists && vertex.0 == first) == u32::MAX,
        }
    }

    /// How many groups are one here: those of a warp that its row fills.
    #[cfg_attr(not(debug_assertions), inline(always))]
    const fn groups<const L: usize>(&self) -> u32 {
        if self.fills_warp { WARP / L as u32 } else { 1 }
    }
}

/// The safety of its methods: the launch is as said at [`GroupsPerBlock`], and the place is the group's.
impl<M, D, E, W, const L: usize, const V: usize> Worker<'_, M, D, E, W, L, V>
where
    M: Block,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// Where group number `number` of the block leaves its totals, which is not the first, and where what it says of them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    const fn left_at(number: u32) -> (u32, u32) {
        let floats = row_floats::<D, E, L, V>() as u32;
        (floats * (number - 1), floats * number - V as u32)
    }

    /// The totals of all groups of the warp together, where they are of one row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn join_warp(&self, place: &Place, sums: E::Sums<V>, reached: bool) -> (E::Sums<V>, bool) {
        if place.fills_warp {
            return (self.join(sums), self.machine().ballot(u32::MAX, reached) != 0);
        }
        (sums, reached)
    }

    /// Leaves the totals of a group that continues a row, and says of every group whether it does.
    ///
    /// # Safety
    /// As said at the methods, and the block has not met.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn leave_group(&self, place: &Place, sums: E::Sums<V>, reached: bool) {
        let is_taken = !place.fills_warp || self.machine().lane() < L as u32;
        if place.number == 0 || !is_taken {
            return;
        }
        let (to, said) = Self::left_at(place.number);
        let continues = place.exists && !place.leads;
        let bit = |is_set: bool, bit: u32| if is_set { bit } else { 0 };
        let bits = bit(continues, CONTINUES) | bit(reached, REACHED) | bit(place.fills_warp, OF_WARP);
        // SAFETY: the floats are this group's alone, until the block has met.
        unsafe {
            if continues {
                sums.store_shared(self.group, to);
            }
            if self.group.is_leader() {
                self.machine().store_shared(said, [f32::from_bits(bits)]);
            }
        }
    }

    /// The totals of all groups that the row has in the block, combined in their order by the first of them.
    ///
    /// # Safety
    /// As said at the methods, and the block has met since its groups left their totals.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn take_groups(&self, place: &Place, sums: E::Sums<V>, reached: bool) -> (E::Sums<V>, bool) {
        let (machine, warp) = (self.machine(), WARP / L as u32);
        let (mut sums, mut reached) = (sums, reached);
        let mut number = place.number + place.groups::<L>();
        while number < machine.warps() * warp {
            let (from, said) = Self::left_at(number);
            // SAFETY: the caller's. What continues has left its totals.
            unsafe {
                let bits = machine.load_shared::<1>(said)[0].to_bits();
                if bits & CONTINUES == 0 {
                    break;
                }
                sums = sums.combined_with(E::Sums::<V>::load_shared(self.group, from));
                reached |= bits & REACHED != 0;
                number += if bits & OF_WARP == 0 { 1 } else { warp };
            }
        }
        (sums, reached)
    }
}
