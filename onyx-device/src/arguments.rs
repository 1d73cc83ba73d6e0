//! What a kernel is launched with: one structure by value, the same on the host and on the device.

use core::ops::Range;
use core::ptr;

use crate::group::Group;
use crate::index::{Edge, Reverse, Vertex};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::run::EdgeRun;
use crate::span::Span;

/// How many counters there are, so that thousands of warps do not add to one address.
pub const COUNTER_SLOTS: usize = 64;

/// From one counter to the next, in double words: what lies in one sector of the cache is added to one after the other.
const COUNTER_STRIDE: usize = 4;

/// Where the double word lies whose first byte says whether anything is active.
pub const COUNTER_FLAG: usize = COUNTER_SLOTS * COUNTER_STRIDE;

/// How far from that byte another one lies: whether the batch ends since too few or too many edges are active.
pub const COUNTER_ENDED: usize = 1;

/// The double words that one iteration counts in: [`COUNTER_SLOTS`] counters of vertices and edges, each in a sector, then [`COUNTER_FLAG`].
pub const COUNTER_WORDS: usize = COUNTER_FLAG + COUNTER_STRIDE;

/// The lowest bits of a counter, which count vertices, of 2³² at most in 64 slots; the others count edges, of which 2³⁷ would take more than 500 GB.
const VERTEX_BITS: u32 = 27;

/// What the counters of one iteration say: active vertices, and their outgoing edges.
pub fn counted(words: &[u64]) -> (u64, u64) {
    let slots = words[..COUNTER_FLAG].iter().step_by(COUNTER_STRIDE);
    slots.fold((0, 0), |(vertices, edges), slot| {
        (vertices + (slot & ((1 << VERTEX_BITS) - 1)), edges + counted_edges(*slot))
    })
}

/// The place of a counter among the double words.
#[inline(always)]
pub const fn counter(slot: usize) -> usize {
    slot * COUNTER_STRIDE
}

/// The edges that a counter has counted.
#[inline(always)]
pub const fn counted_edges(counter: u64) -> u64 {
    counter >> VERTEX_BITS
}

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

impl<D> Arguments<D> {
    /// The tile that the calling lane has.
    #[inline(always)]
    pub fn tile<M: Machine>(&self, machine: M) -> u32 {
        if self.tiles == 1 { 0 } else { self.first_tile + machine.tile() }
    }

    /// Where the mark of a vertex lies, in the tile that the calling lane has.
    #[inline(always)]
    pub fn mark<M: Machine>(&self, machine: M, vertex: u64) -> *mut u8 {
        self.mark_of(self.tile(machine), vertex)
    }

    /// Where the mark of a vertex lies in a tile.
    #[inline(always)]
    pub fn mark_of(&self, tile: u32, vertex: u64) -> *mut u8 {
        self.marks.wrapping_add((u64::from(tile) * self.vertex_count + vertex) as usize)
    }

    /// Whether a vertex is active.
    ///
    /// # Safety
    /// The vertex exists, and nothing writes the active words during the launch.
    #[inline(always)]
    pub unsafe fn is_active<M: Machine>(&self, machine: M, vertex: Vertex) -> bool {
        // SAFETY: the caller's.
        let word = unsafe { machine.load_u32(self.active.add(vertex.0 as usize / 32)) };
        word >> (vertex.0 % 32) & 1 == 1
    }

    /// Adds to the counters of this iteration, in the slot of `word`.
    ///
    /// # Safety
    /// `counters` is valid.
    #[inline(always)]
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
    #[inline(always)]
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
    #[inline(always)]
    pub unsafe fn outgoing_edge<M: Machine, E: EdgeRun<D>>(&self, machine: M, vertex: Vertex, position: u64) -> Edge
    where
        D: GraphData,
    {
        // SAFETY: the caller's.
        unsafe { self.leaving_edge::<M, E>(&self.outgoing, machine, vertex, position) }
    }

    /// The edge at `position` among those of `rows` out of `vertex`.
    #[inline(always)]
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
    #[inline(always)]
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
    #[inline(always)]
    pub fn group<M: Machine, const L: usize, const V: usize>(&self, machine: M) -> Group<M, L, V> {
        if D::HAS_HEADS {
            return Group::of_head(machine, self.features, self.tile(machine), self.tiles);
        }
        Group::of_tile(machine, self.features, self.tile(machine))
    }

    /// The same for a stage with edge functions `E` that runs between other stages of one launch: its rows of edges are the incoming ones, and the properties
    /// of `later` are where they are before the later stages write them.
    #[inline(always)]
    pub(crate) fn of_stage<E: EdgeRun<D>>(self, later: u64) -> Self {
        let incoming = if E::IS_REVERSED { self.outgoing } else { self.incoming };
        Self { data: self.data.exchanged(later), incoming, ..self }
    }

    /// The same, where rows are heads for the head that the calling lane has: each is a tile.
    #[inline(always)]
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
    #[inline(always)]
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

/// A list of edge numbers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EdgeNumbers {
    /// The numbers.
    pub numbers: *const u8,
    /// The size of each: 4 or 8 bytes.
    pub bytes: u32,
}

impl EdgeNumbers {
    /// No numbers: no function of the fold reads them.
    pub const NONE: Self = Self { numbers: ptr::null(), bytes: 0 };
}

/// Where the groups of cut rows store their sums, so that these are added in the same order each time.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CutParts {
    /// The row of each incoming neighbor group in `partials`, if its vertex is cut; null where groups add atomically.
    pub row: *const u32,
    /// The first row of each cut vertex, and one more for the end.
    pub begin: *const u32,
    /// The numbers of the cut vertices that a block each finishes; null where there are none.
    pub long: *const u32,
}

impl CutParts {
    /// No parts: groups add atomically.
    pub const NONE: Self = Self { row: ptr::null(), begin: ptr::null(), long: ptr::null() };

    /// Whether there are none.
    #[inline(always)]
    pub fn is_none(&self) -> bool {
        self.row.is_null()
    }

    /// The rows of cut vertex number `index`.
    ///
    /// # Safety
    /// There are parts, and the cut vertex exists.
    #[inline(always)]
    pub(crate) unsafe fn rows<M: Machine>(&self, machine: M, index: u64) -> Range<u32> {
        // SAFETY: the caller's; there is one begin more than there are cut vertices.
        unsafe {
            let begin = self.begin.add(index as usize);
            machine.load_u32(begin)..machine.load_u32(begin.add(1))
        }
    }
}

/// A compressed sparse row or column structure, cut into groups of neighbors of one vertex.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct NeighborGroups {
    /// The vertex of each group; for the schedule `edge_flat`, of each edge.
    pub vertex: *const u32,
    /// The [`Span`] of each group.
    pub spans: *const u64,
    /// How many groups there are.
    pub count: u64,
    /// The neighbors.
    pub neighbors: *const u32,
    /// The edge number of each neighbor, of `edge_id_bytes` bytes each.
    pub edge_ids: *const u8,
    /// Where each vertex's neighbors start, and one more for the end, of `offset_bytes` bytes each.
    pub offsets: *const u8,
    /// 0 where a neighbor's position is its edge number, 4 or 8 otherwise.
    pub edge_id_bytes: u32,
    /// 4 or 8.
    pub offset_bytes: u32,
}

/// Outgoing rows of more than [`HUB_DEGREE`](crate::schedule::warp_word::HUB_DEGREE) edges, in pieces of at most as many.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HubPieces {
    /// The vertex of each piece.
    pub vertex: *const u32,
    /// Where each piece starts.
    pub begin: *const u64,
    /// How many pieces there are.
    pub count: u64,
}

/// One group: a vertex, and a range of its neighbors.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The vertex.
    pub vertex: Vertex,
    /// The first neighbor.
    pub begin: u64,
    /// One past the last neighbor.
    pub end: u64,
    /// As [`Span::is_cut`].
    pub is_cut: bool,
}

impl HubPieces {
    /// No long rows.
    pub const NONE: Self = Self { vertex: ptr::null(), begin: ptr::null(), count: 0 };
}

impl NeighborGroups {
    /// No edges.
    pub const NONE: Self = Self {
        vertex: ptr::null(),
        spans: ptr::null(),
        count: 0,
        neighbors: ptr::null(),
        edge_ids: ptr::null(),
        offsets: ptr::null(),
        edge_id_bytes: 0,
        offset_bytes: 0,
    };

    /// Group number `index`.
    ///
    /// # Safety
    /// `index < count`, and the arrays are valid.
    #[inline(always)]
    pub unsafe fn part<M: Machine>(&self, machine: M, index: u64) -> Part {
        let at = index as usize;
        // SAFETY: the caller's. No load is behind a condition, so that none has to wait for another.
        let (vertex, span) = unsafe { (machine.load_u32(self.vertex.add(at)), machine.load_u64(self.spans.add(at))) };
        let (Range { start: begin, end }, is_cut) = (Span::of_bits(span).edges(), Span::of_bits(span).is_cut());
        Part { vertex: Vertex(vertex), begin, end, is_cut }
    }

    /// The neighbor at `position`, as a vertex.
    ///
    /// # Safety
    /// The position exists.
    #[inline(always)]
    pub unsafe fn neighbor<M: Machine>(&self, machine: M, position: u64) -> Vertex {
        // SAFETY: the caller's.
        Vertex(unsafe { machine.load_u32(self.neighbors.add(position as usize)) })
    }

    /// Where the neighbors of `vertex` start, or for the number of vertices, where all of them end.
    ///
    /// # Safety
    /// The vertex exists, and the offsets are there.
    #[inline(always)]
    pub unsafe fn offset<M: Machine>(&self, machine: M, vertex: u64) -> u64 {
        // SAFETY: the caller's; the array has entries of `offset_bytes`.
        unsafe { load_index(machine, self.offsets, self.offset_bytes, vertex) }
    }

    /// The edge number of the neighbor at `position`.
    ///
    /// # Safety
    /// The position exists.
    #[inline(always)]
    pub unsafe fn edge_id<M: Machine>(&self, machine: M, position: u64) -> u64 {
        // SAFETY: the caller's; the array has entries of `edge_id_bytes`.
        unsafe {
            match self.edge_id_bytes {
                0 => position,
                bytes => load_index(machine, self.edge_ids, bytes, position),
            }
        }
    }
}

/// Entry `at` of an array of words, or of double words where `bytes` is 8.
#[inline(always)]
unsafe fn load_index<M: Machine>(machine: M, from: *const u8, bytes: u32, at: u64) -> u64 {
    // SAFETY: the caller's.
    unsafe {
        match bytes {
            4 => u64::from(machine.load_u32(from.cast::<u32>().add(at as usize))),
            _ => machine.load_u64(from.cast::<u64>().add(at as usize)),
        }
    }
}
