//! The edges of a warp's 32 rows, numbered one after the other, so that every group of lanes may take the next one, whoever's it is.

use crate::machine::Machine;
use crate::schedule::prefix_sum;

const WARP: u32 = 32;

/// How many groups of `L` lanes a warp has: the vertices that it takes at once, in `L` rounds.
pub(super) const fn groups<const L: usize>() -> u32 {
    WARP / L as u32
}

/// What one lane brings to its warp: the row of its vertex, unless that is long.
#[derive(Clone, Copy)]
pub(super) struct Row {
    pub(super) begin: u64,
    /// None where it is long.
    pub(super) count: u32,
    pub(super) is_long: bool,
}

impl Row {
    /// That of a lane without a vertex.
    pub(super) const NOTHING: Self = Self { begin: 0, count: 0, is_long: false };
}

/// The rows of all lanes, the edges of each numbered after those of the lanes before it.
#[derive(Clone, Copy)]
pub(super) struct Numbered {
    /// Where the row of the first lane begins.
    pub(super) begin: u64,
    /// How far from there the edge with number zero would be if it were the lane's: nowhere, where no long row is in between. It may wrap around.
    pub(super) base: u32,
    pub(super) inclusive: u32,
    /// The lanes whose rows are long, one bit each.
    pub(super) long: u32,
    pub(super) first_vertex: u32,
}

/// A round: the vertices of each group, and the numbers of their edges.
#[derive(Clone, Copy)]
pub(super) struct Round {
    /// The lane that has brought the group's row.
    pub(super) slot: u32,
    /// The edges of all groups.
    pub(super) first: u32,
    pub(super) end: u32,
    /// Those of the group's vertex.
    pub(super) own_first: u32,
    pub(super) own_end: u32,
}

impl Numbered {
    /// Those of a word whose first vertex this is; each lane brings the row of its own.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn of<M: Machine>(machine: M, row: Row, first_vertex: u32) -> Self {
        let inclusive = prefix_sum::inclusive(machine, row.count);
        let begin = machine.shuffle_from_u64(u32::MAX, row.begin, 0);
        Self {
            begin,
            base: (row.begin.wrapping_sub(begin) as u32).wrapping_sub(inclusive - row.count),
            inclusive,
            long: machine.ballot(u32::MAX, row.is_long),
            first_vertex,
        }
    }

    /// Round `number` of groups of `L` lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn round<M: Machine, const L: usize>(self, machine: M, number: u32) -> Round {
        let (first, last) = (number * groups::<L>(), (number + 1) * groups::<L>() - 1);
        let slot = first + machine.lane() / L as u32;
        // The end of the lane before; nothing is before the first.
        let end_before = |lane: u32| {
            let end = machine.shuffle_from(u32::MAX, self.inclusive, lane.wrapping_sub(1) % WARP);
            if lane == 0 { 0 } else { end }
        };
        if L == 1 {
            let end = machine.shuffle_from(u32::MAX, self.inclusive, last);
            return Round { slot, first: 0, end, own_first: end_before(slot), own_end: self.inclusive };
        }
        Round {
            slot,
            first: end_before(first),
            end: machine.shuffle_from(u32::MAX, self.inclusive, last),
            own_first: end_before(slot),
            own_end: machine.shuffle_from(u32::MAX, self.inclusive, slot),
        }
    }

    /// Whether the row of the group's vertex is long.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn is_long(self, round: Round) -> bool {
        self.long >> round.slot & 1 == 1
    }
}
