//! A group of lanes that holds one property: `L` lanes with `V` consecutive features each.

mod agreement;
mod features;
mod memory;

use crate::machine::Machine;

/// The features of one access to memory.
const QUAD: usize = 4;
/// The lanes of a warp.
const WARP: usize = 32;

/// `L` consecutive lanes of a warp, or all lanes of a block ([`Joined`](crate::joined::Joined)), that together hold the `L * V` features of a property, `V` in each lane: those that lie side by side, or every `L`th four of
/// them where a lane has more, so that the lanes reach one piece of memory together.
///
/// A row that is wider than that is several *tiles*, and a group has one of them. `features` is how many floats of a row the user asked for: the rest
/// pads it, and takes no part in collaborative operations.
#[derive(Clone, Copy, Debug)]
pub struct Group<M, const L: usize, const V: usize> {
    machine: M,
    lane: u32,
    members: u32,
    /// The lanes of all groups of the warp that run the same functions at once.
    peers: u32,
    /// Whether a product may have other bits if all groups of the warp are peers.
    has_tiles: bool,
    /// The number of the tile's first feature in the row.
    first: u32,
    features: u32,
    /// The head that the group has, and how many there are: one where rows are no heads.
    heads: (u32, u32),
}

impl<M: Machine, const L: usize, const V: usize> Group<M, L, V> {
    /// The group that the calling lane belongs to, of a row that is a single tile.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of(machine: M, features: u32) -> Self {
        Self::of_tile(machine, features, 0)
    }

    /// The group that the calling lane belongs to, for tile number `tile` of each row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of_tile(machine: M, features: u32, tile: u32) -> Self {
        const { assert!(L.is_power_of_two() && L <= 128, "a group is a part of a warp, or a block") };
        let lane = machine.lane() % L as u32;
        let members = Self::all_lanes() << (machine.lane() - lane);
        let first = tile * (L * V) as u32;
        Self { machine, lane, members, peers: members, has_tiles: false, first, features, heads: (0, 1) }
    }

    /// The group that the calling lane belongs to, for head number `head` of `heads`, whose view of the data is its own.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of_head(machine: M, features: u32, head: u32, heads: u32) -> Self {
        Self { heads: (head, heads), ..Self::of(machine, features) }
    }

    /// The head that the group has, and how many there are: one where rows are no heads.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn heads(self) -> (u32, u32) {
        self.heads
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    const fn all_lanes() -> u32 {
        if L >= WARP { u32::MAX } else { (1 << L) - 1 }
    }

    /// The machine the group runs on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn machine(self) -> M {
        self.machine
    }

    /// The lanes of the warp that form this group, one bit each; all bits where it is a block.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn members(self) -> u32 {
        self.members
    }

    /// The same group, which runs functions along with others of its warp: `peers` are the lanes of all of them, which must arrive wherever this one does.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn along(self, peers: u32) -> Self {
        Self { peers, ..self }
    }

    /// The same group, whose products may have other bits if all groups of the warp are its peers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn with_tiles(self) -> Self {
        Self { has_tiles: true, ..self }
    }

    /// Whether that is said.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn has_tiles(self) -> bool {
        self.has_tiles
    }

    /// The same group, which runs functions alone.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn alone(self) -> Self {
        self.along(self.members)
    }

    /// The lanes of all groups that run the same functions at once.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn peers(self) -> u32 {
        self.peers
    }

    /// The calling lane's number in the group, `0..L`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn lane(self) -> u32 {
        self.lane
    }

    /// How many features the user asked for.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn features(self) -> u32 {
        self.features
    }

    /// Whether the calling lane is the first of the group.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn is_leader(self) -> bool {
        self.lane == 0
    }

    /// Whether the calling lane stores what is the same for all features: the first one of the first tile, or of each head, so that it is stored once.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn keeps_scalars(self) -> bool {
        self.first_feature() == 0
    }
}
