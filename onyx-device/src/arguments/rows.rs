//! The rows of edges that kernels walk: their groups, their pieces, and where the totals of cut ones are stored.

use core::ops::Range;
use core::ptr;

use crate::index::Vertex;
use crate::machine::Machine;
use crate::span::Span;

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

/// Where a block that has whole graphs has the rows of its vertices that one stage leaves for a later one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PassedRows {
    /// The first float of the block's shared memory that is theirs, a multiple of four.
    pub begin: u32,
    /// How many rows of each property there is room for, as many as a block has vertices at most; 0 where all lie in memory.
    pub count: u32,
}

impl PassedRows {
    /// All lie in memory.
    pub const NONE: Self = Self { begin: 0, count: 0 };
}

/// Where the groups of cut rows leave their sums: apart, so that these are added in the same order each time, or added to those of the others.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CutParts {
    /// The row of each incoming neighbor group in `partials`, if its vertex is cut; null where groups add atomically.
    pub row: *const u32,
    /// The first row of each cut vertex, and one more for the end; null where each has one row, to which its groups add.
    pub begin: *const u32,
    /// Of how many edges the row of each cut vertex has what each of them brings before its groups add to it; null where they do not.
    pub edges: *const u32,
    /// The row that each incoming neighbor group of a cut vertex has for itself, where it cannot add to that of the vertex; null where all can.
    pub apart: *const u32,
    /// The numbers of the cut vertices that a block each finishes; null where there are none.
    pub long: *const u32,
}

impl CutParts {
    /// No parts: groups add atomically.
    pub const NONE: Self =
        Self { row: ptr::null(), begin: ptr::null(), edges: ptr::null(), apart: ptr::null(), long: ptr::null() };

    /// Whether there are none.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn is_none(&self) -> bool {
        self.row.is_null()
    }

    /// Whether groups add to one row for each cut vertex, if there are parts.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn are_added(&self) -> bool {
        !self.edges.is_null()
    }

    /// The rows of cut vertex number `index`, where groups have rows of their own.
    ///
    /// # Safety
    /// There are parts, which are not added, and the cut vertex exists.
    #[cfg_attr(not(debug_assertions), inline(always))]
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
    /// As [`Span::is_one`].
    pub is_one: bool,
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
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn part<M: Machine>(&self, machine: M, index: u64) -> Part {
        let at = index as usize;
        // SAFETY: the caller's. No load is behind a condition, so that none has to wait for another.
        let (vertex, span) = unsafe { (machine.load_u32(self.vertex.add(at)), machine.load_u64(self.spans.add(at))) };
        let span = Span::of_bits(span);
        let Range { start: begin, end } = span.edges();
        Part { vertex: Vertex(vertex), begin, end, is_cut: span.is_cut(), is_one: span.is_one() }
    }

    /// The neighbor at `position`, as a vertex.
    ///
    /// # Safety
    /// The position exists.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn neighbor<M: Machine>(&self, machine: M, position: u64) -> Vertex {
        // SAFETY: the caller's.
        Vertex(unsafe { machine.load_u32(self.neighbors.add(position as usize)) })
    }

    /// Where the neighbors of `vertex` start, or for the number of vertices, where all of them end.
    ///
    /// # Safety
    /// The vertex exists, and the offsets are there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn offset<M: Machine>(&self, machine: M, vertex: u64) -> u64 {
        // SAFETY: the caller's; the array has entries of `offset_bytes`.
        unsafe { load_index(machine, self.offsets, self.offset_bytes, vertex) }
    }

    /// The edge number of the neighbor at `position`.
    ///
    /// # Safety
    /// The position exists.
    #[cfg_attr(not(debug_assertions), inline(always))]
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
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) unsafe fn load_index<M: Machine>(machine: M, from: *const u8, bytes: u32, at: u64) -> u64 {
    // SAFETY: the caller's.
    unsafe {
        match bytes {
            4 => u64::from(machine.load_u32(from.cast::<u32>().add(at as usize))),
            _ => machine.load_u64(from.cast::<u64>().add(at as usize)),
        }
    }
}
