//! What a kernel is launched with: one structure by value, the same on the host and on the device.

mod counters;
mod rows;

use core::ptr;

use self::counters::VERTEX_BITS;
pub use self::counters::{COUNTER_ENDED, COUNTER_FLAG, COUNTER_SLOTS, COUNTER_WORDS, counted, counted_edges, counter};
use self::rows::load_index;
pub use self::rows::{CutParts, EdgeNumbers, HubPieces, NeighborGroups, Part, PassedRows};
use crate::block::Block;
use crate::group::Group;
use crate::index::{Edge, Reverse, Vertex};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::run::EdgeRun;

/// The arguments of every kernel of a fold.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Arguments<D> {
    /// The properties.
    pub data: D,
    /// The same, but with what a push adds to in place of the reduced properties.
    ///
    /// Changes are small beside the sums that they change: added up apart, they lose little to rounding.
    pub pending: D,
    /// The properties, but those that edge functions reduce have a row for each group of a cut row. Used where `parts` is not null.
    pub partials: D,
    /// The neighbor groups of incoming edges; of outgoing ones for a stage that reduces into the sources of its edges.
    pub incoming: NeighborGroups,
    /// The neighbor groups of outgoing edges.
    pub outgoing: NeighborGroups,
    /// The long outgoing rows, in pieces.
    pub hubs: HubPieces,
    /// The number of the edge that runs the other way, by edge number.
    pub reverse: EdgeNumbers,
    /// The vertices whose incoming row is cut into several groups.
    pub cut: *const u32,
    /// The sums of cut rows in a fixed order, or nulls.
    pub parts: CutParts,
    /// The first vertex of each block that owns whole graphs of a batch, and the vertex count as the last; null where no block does.
    pub blocks: *const u32,
    /// Where such a block has the rows that its stages leave for later ones.
    pub passed: PassedRows,
    /// What a launch takes of what its kernel counts its work in: rows, cut rows, groups or edges. Kernels that go by words take all.
    pub units: Units,
    /// One bit for each vertex, in words of 32: whether it is active.
    pub active: *mut u32,
    /// One byte for each vertex: whether it was reached, or has changed. So many for each tile.
    pub marks: *mut u8,
    /// [`COUNTER_WORDS`] of this iteration: active vertices and their outgoing edges, and whether there are any.
    pub counters: *mut u64,
    /// One byte: whether the iteration before has left anything active.
    pub before: *const u8,
    /// The number of outgoing edges of each vertex.
    pub out_degree: *const u32,
    /// The number of vertices.
    pub vertex_count: u64,
    /// The number of features that the user asked for: at most the compiled width, or that of all tiles together; of one head where rows are heads.
    pub features: u32,
    /// How many tiles of the compiled width a row is: as many as there are heads where rows are heads.
    pub tiles: u32,
    /// The first of them that a launch has.
    pub first_tile: u32,
    /// Whether a pull stores the sums that its vertex functions have already used: a later push adds to them.
    pub keep_sums: u32,
    /// Whether those who take the totals of cut rows from memory leave them as they begin, so that the next iteration need not `clear` them.
    pub leave_cleared: u32,
}

// SAFETY: the pointers are read and written under the rules of the schedules, from many threads at once.
unsafe impl<D> Send for Arguments<D> {}
// SAFETY: as above.
unsafe impl<D> Sync for Arguments<D> {}

impl<D: Copy> Arguments<D> {
    /// Those of a graph without vertices, on which nothing is stored but `data`.
    pub const fn of(data: D) -> Self {
        Self {
            data,
            pending: data,
            partials: data,
            incoming: NeighborGroups::NONE,
            outgoing: NeighborGroups::NONE,
            hubs: HubPieces::NONE,
            reverse: EdgeNumbers::NONE,
            cut: ptr::null(),
            parts: CutParts::NONE,
            blocks: ptr::null(),
            passed: PassedRows::NONE,
            units: Units::all(0),
            active: ptr::null_mut(),
            marks: ptr::null_mut(),
            counters: ptr::null_mut(),
            before: ptr::null(),
            out_degree: ptr::null(),
            vertex_count: 0,
            features: 0,
            tiles: 1,
            first_tile: 0,
            keep_sums: 0,
            leave_cleared: 0,
        }
    }

    /// The same with these properties.
    pub const fn with<E>(self, data: E, pending: E, partials: E) -> Arguments<E> {
        Arguments {
            data,
            pending,
            partials,
            incoming: self.incoming,
            outgoing: self.outgoing,
            hubs: self.hubs,
            reverse: self.reverse,
            cut: self.cut,
            parts: self.parts,
            blocks: self.blocks,
            passed: self.passed,
            units: self.units,
            active: self.active,
            marks: self.marks,
            counters: self.counters,
            before: self.before,
            out_degree: self.out_degree,
            vertex_count: self.vertex_count,
            features: self.features,
            tiles: self.tiles,
            first_tile: self.first_tile,
            keep_sums: self.keep_sums,
            leave_cleared: self.leave_cleared,
        }
    }
}

impl<D> Arguments<D> {
    /// The tile that the calling lane has.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn tile<M: Machine>(&self, machine: M) -> u32 {
        if self.tiles == 1 { 0 } else { self.first_tile + machine.tile() }
    }

    /// Where the mark of a vertex lies, in the tile that the calling lane has.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn mark<M: Machine>(&self, machine: M, vertex: u64) -> *mut u8 {
        self.mark_of(self.tile(machine), vertex)
    }

    /// Where the mark of a vertex lies in a tile.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn mark_of(&self, tile: u32, vertex: u64) -> *mut u8 {
        self.marks.wrapping_add((u64::from(tile) * self.vertex_count + vertex) as usize)
    }

    /// Whether a vertex is active.
    ///
    /// # Safety
    /// The vertex exists, and nothing writes the active words during the launch.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn is_active<M: Machine>(&self, machine: M, vertex: Vertex) -> bool {
        // SAFETY: the caller's.
        let word = unsafe { machine.load_u32(self.active.add(vertex.0 as usize / 32)) };
        word >> (vertex.0 % 32) & 1 == 1
    }

    /// Adds to the counters of this iteration, in the slot of `word`.
    ///
    /// # Safety
    /// `counters` is valid.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn count<M: Machine>(&self, machine: M, word: u64, vertices: u32, edges: u64) {
        // SAFETY: there are `COUNTER_WORDS` double words.
        unsafe {
            let slot = self.counters.add(counter(word as usize % COUNTER_SLOTS));
            // Once a slot, so that thousands of warps do not store to one address.
            if machine.add_u64(slot, u64::from(vertices) | edges << VERTEX_BITS) == 0 {
                machine.store_mark(self.counters.add(COUNTER_FLAG).cast(), 1);
            }
        }
    }

    /// The edge at `position` among the incoming edges of `vertex`, or among the outgoing ones where `E` reduces into sources.
    ///
    /// # Safety
    /// The position belongs to the vertex, and the reverse edges are there if the functions of `E` read them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn incoming_edge<M: Machine, E: EdgeRun<D>>(&self, machine: M, vertex: Vertex, position: u64) -> Edge
    where
        D: GraphData,
    {
        if E::IS_REVERSED {
            // SAFETY: the caller's.
            return unsafe { self.leaving_edge::<M, E>(&self.incoming, machine, vertex, position) };
        }
        // SAFETY: the caller's.
        unsafe {
            let (src, rev) = (self.incoming.neighbor(machine, position), self.reverse_edge::<M, E>(machine, position));
            Edge { id: position, src, dst: vertex, rev }
        }
    }

    /// The edge at `position` among the outgoing edges of `vertex`.
    ///
    /// # Safety
    /// As [`Arguments::incoming_edge`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn outgoing_edge<M: Machine, E: EdgeRun<D>>(&self, machine: M, vertex: Vertex, position: u64) -> Edge
    where
        D: GraphData,
    {
        // SAFETY: the caller's.
        unsafe { self.leaving_edge::<M, E>(&self.outgoing, machine, vertex, position) }
    }

    /// The edge at `position` among those of `rows` out of `vertex`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn leaving_edge<M: Machine, E: EdgeRun<D>>(
        &self,
        rows: &NeighborGroups,
        machine: M,
        vertex: Vertex,
        position: u64,
    ) -> Edge
    where
        D: GraphData,
    {
        // SAFETY: the caller's.
        unsafe {
            let (id, dst) = (rows.edge_id(machine, position), rows.neighbor(machine, position));
            Edge { id, src: vertex, dst, rev: self.reverse_edge::<M, E>(machine, id) }
        }
    }

    /// The reverse of the edge numbered `id`, if the functions of `E` read there.
    ///
    /// # Safety
    /// As [`Arguments::incoming_edge`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn reverse_edge<M: Machine, E: EdgeRun<D>>(&self, machine: M, id: u64) -> Reverse
    where
        D: GraphData,
    {
        if E::ACCESS.reads_reverse == 0 {
            return Reverse::UNKNOWN;
        }
        // SAFETY: the caller's.
        Reverse::numbered(unsafe { load_index(machine, self.reverse.numbers, self.reverse.bytes, id) })
    }
}

impl<D: GraphData> Arguments<D> {
    /// The group that the calling lane belongs to.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn group<M: Machine, const L: usize, const V: usize>(&self, machine: M) -> Group<M, L, V> {
        if D::HAS_HEADS {
            return Group::of_head(machine, self.features, self.tile(machine), self.tiles);
        }
        Group::of_tile(machine, self.features, self.tile(machine))
    }

    /// The same for a stage with edge functions `E` that runs between other stages of one launch: its rows of edges are the incoming ones, and the properties
    /// of `later` are where they are before the later stages write them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn of_stage<E: EdgeRun<D>>(self, later: u64) -> Self {
        let incoming = if E::IS_REVERSED { self.outgoing } else { self.incoming };
        Self { data: self.data.exchanged(later), incoming, ..self }
    }

    /// The same for a block that has whole graphs, of which `first` is the first vertex: rows of the scratch `properties` lie where [`Arguments::passed`] says.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn passing<M: Block, const L: usize, const V: usize>(
        self,
        machine: M,
        properties: u64,
        first: u32,
    ) -> Self {
        let PassedRows { begin, count } = self.passed;
        if properties == 0 || count == 0 {
            return self;
        }
        let (rows, floats) = (machine.shared_place(begin), count as usize * L * V);
        Self { data: self.data.passing(properties, rows, floats, first), ..self }
    }

    /// The same, where rows are heads for the head that the calling lane has: each is a tile.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn of_head<M: Machine>(self, machine: M) -> Self {
        if !D::HAS_HEADS {
            return self;
        }
        let head = self.tile(machine);
        let (data, pending, partials) =
            (self.data.of_head(head), self.pending.of_head(head), self.partials.of_head(head));
        Self { data, pending, partials, ..self }
    }

    /// The same, of which the compiler knows that each row is one tile.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn narrow(self) -> Self {
        let (data, pending, partials) = (self.data.narrow(), self.pending.narrow(), self.partials.narrow());
        Self { data, pending, partials, tiles: 1, first_tile: 0, ..self }
    }
}

/// Rows, groups or edges that follow each other.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Units {
    /// The first.
    pub first: u64,
    /// One past the last.
    pub end: u64,
}

impl Units {
    /// The first `count`.
    pub const fn all(count: u64) -> Self {
        Self { first: 0, end: count }
    }

    /// How many there are.
    pub const fn count(self) -> u64 {
        self.end - self.first
    }
}
