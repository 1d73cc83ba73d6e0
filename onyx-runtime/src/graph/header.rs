//! The first bytes of a cache file.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::xxh3_64;

use super::Graph;
use super::buffer::Buffer;
use super::csr::{Adjacency, Indices, is_narrow};
use super::error::CacheProblem;
use super::origin::{Marks, Origin};
use super::statistics::Known;
use super::vertex_ids::VertexIds;
use crate::block::Block;

const MAGIC: [u8; 8] = *b"onyx-csr";
/// To be counted up when the format changes; what the reader makes of text is told apart by [`Marks`].
const VERSION: u32 = 3;
/// Reads as another number on a machine of the other byte order.
const BYTE_ORDER: u32 = 0x0102_0304;
/// Sections start at multiples of this many bytes.
pub(super) const ALIGNMENT: usize = 64;
/// The path of the origin and eight arrays.
pub(super) const SECTIONS: usize = 9;
const SYMMETRIC: u64 = 1;
const WEIGHTED: u64 = 2;
const ORIGIN: u64 = 4;

/// What tells a cache of this version and machine from other files.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Prefix {
    magic: [u8; 8],
    byte_order: u32,
    version: u32,
}

/// Everything but the sections.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct Header {
    prefix: Prefix,
    vertices: u64,
    edges: u64,
    /// The original id of vertex 0, where ids are dense.
    first_id: u64,
    /// [`SYMMETRIC`], [`WEIGHTED`] and [`ORIGIN`], added up.
    flags: u64,
    /// What the graph was made from, with the path in the first section; zero if that is not known.
    marks: Marks,
    /// The sizes in bytes of the sections: the origin's path; incoming offsets and neighbors; outgoing offsets, neighbors and edge ids;
    /// weights; listed ids; members. The first and the last three may be missing.
    sizes: [u64; SECTIONS],
    /// Of everything after the header.
    body: u64,
    /// Of all bytes before it.
    checksum: u64,
}

impl Header {
    /// The header of a graph whose sections have these `sizes`; the body's checksum is not known yet.
    pub fn new(graph: &Graph, origin: Option<&Origin>, sizes: [u64; SECTIONS]) -> Self {
        let first_id = match graph.ids {
            VertexIds::Dense { first, .. } => first,
            VertexIds::Listed(_) => 0,
        };
        let flag = |is_set: bool, flag: u64| if is_set { flag } else { 0 };
        Self {
            prefix: Prefix { magic: MAGIC, byte_order: BYTE_ORDER, version: VERSION },
            vertices: graph.vertex_count() as u64,
            edges: graph.edge_count() as u64,
            first_id,
            flags: flag(graph.symmetric, SYMMETRIC)
                + flag(graph.weights.is_some(), WEIGHTED)
                + flag(origin.is_some(), ORIGIN),
            marks: origin.map(|origin| origin.marks).unwrap_or_default(),
            sizes,
            body: 0,
            checksum: 0,
        }
    }

    /// The header of a file whose body has the checksum `body`.
    pub fn sealed(self, body: u64) -> Self {
        let header = Self { body, ..self };
        Self { checksum: header.sum(), ..header }
    }

    /// The checksum of all bytes before it.
    fn sum(&self) -> u64 {
        let bytes = bytemuck::bytes_of(self);
        xxh3_64(&bytes[..bytes.len() - size_of::<u64>()])
    }

    /// Reads the header that `bytes` start with, and checks what does not need the sections.
    pub fn read(bytes: &[u8]) -> Result<Self, CacheProblem> {
        Prefix::check(bytes)?;
        let truncated = CacheProblem::Length { found: bytes.len() as u64, expected: size_of::<Self>() as u64 };
        let header: Self = bytemuck::pod_read_unaligned(bytes.get(..size_of::<Self>()).ok_or(truncated)?);
        if header.sum() != header.checksum {
            let (found, expected) = (header.sum(), header.checksum);
            return Err(CacheProblem::Checksum { part: "header", found, expected });
        }
        header.check_sizes()?;
        Ok(header)
    }

    fn has(&self, flag: u64) -> bool {
        self.flags & flag != 0
    }

    /// Checks that the arrays have the sizes that the numbers of vertices and edges ask for.
    fn check_sizes(&self) -> Result<(), CacheProblem> {
        let width = |count: u64, bytes: u64| count.checked_mul(bytes);
        let index = if self.edges > u64::from(u32::MAX) { 8 } else { 4 };
        let offsets = self.vertices.checked_add(1).and_then(|count| width(count, index));
        let (neighbors, ids) = (width(self.edges, 4), width(self.edges, index));
        let required = [offsets, neighbors, offsets, neighbors, ids];
        let fits = required.iter().zip(&self.sizes[1..]).all(|(&required, &size)| required == Some(size));
        let [path, .., weights, listed, members] = self.sizes;
        let weights_fit = Some(weights) == if self.has(WEIGHTED) { neighbors } else { Some(0) };
        let ids_fit = listed == 0 || Some(listed) == width(self.vertices, 8);
        let path_fits = self.has(ORIGIN) || path == 0;
        let members_fit = members % 4 == 0;
        if fits && weights_fit && ids_fit && path_fits && members_fit && self.vertices <= u64::from(u32::MAX) {
            return Ok(());
        }
        Err(CacheProblem::Inconsistent { what: "the section sizes do not fit the numbers of vertices and edges" })
    }

    /// The bytes of each section of a file of `length` bytes.
    pub fn ranges(&self, length: u64) -> Result<[Range<usize>; SECTIONS], CacheProblem> {
        let mut end = size_of::<Self>() as u64;
        let ranges = self.sizes.map(|size| {
            let start = end.saturating_add(ALIGNMENT as u64 - 1) / ALIGNMENT as u64 * ALIGNMENT as u64;
            end = start.saturating_add(size);
            start as usize..end as usize
        });
        if end == length { Ok(ranges) } else { Err(CacheProblem::Length { found: length, expected: end }) }
    }

    /// What the graph was made from, if that is known; `path` is the first section.
    pub fn origin(&self, path: &[u8]) -> Option<Origin> {
        self.has(ORIGIN).then(|| Origin { path: path.to_owned(), marks: self.marks })
    }

    /// Whether the body is as it was written; `sum` is its checksum now.
    pub fn check_body(&self, sum: u64) -> Result<(), CacheProblem> {
        if sum == self.body {
            return Ok(());
        }
        Err(CacheProblem::Checksum { part: "body", found: sum, expected: self.body })
    }

    /// The graph whose arrays lie in `block`, which is the whole file, not yet checked.
    pub fn graph(&self, block: &Arc<Block>) -> Result<Graph, CacheProblem> {
        let [_, in_offsets, in_neighbors, out_offsets, out_neighbors, out_ids, weights, listed, members] =
            self.ranges(block.len() as u64)?;
        let edges = self.edges as usize;
        let (incoming, outgoing) = (indices(block, in_offsets, edges)?, indices(block, out_offsets, edges)?);
        let edge_ids = Some(indices(block, out_ids, edges)?);
        let ids = if listed.is_empty() {
            VertexIds::Dense { first: self.first_id, count: self.vertices as usize }
        } else {
            VertexIds::Listed(section(block, listed)?)
        };
        Ok(Graph {
            incoming: Adjacency { offsets: incoming, neighbors: section(block, in_neighbors)?, edge_ids: None },
            outgoing: Adjacency { offsets: outgoing, neighbors: section(block, out_neighbors)?, edge_ids },
            weights: if self.has(WEIGHTED) { Some(section(block, weights)?) } else { None },
            ids,
            symmetric: self.has(SYMMETRIC),
            members: if members.is_empty() { None } else { Some(section(block, members)?) },
            statistics: Known::default(),
        })
    }
}

/// Whether `bytes` start as a cache does.
pub(super) fn is_cache(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

impl Prefix {
    /// Checks the start of a file, of which older versions may have no more.
    fn check(bytes: &[u8]) -> Result<(), CacheProblem> {
        if !is_cache(bytes) {
            return Err(CacheProblem::Foreign);
        }
        let truncated = CacheProblem::Length { found: bytes.len() as u64, expected: size_of::<Header>() as u64 };
        let prefix: Self = bytemuck::pod_read_unaligned(bytes.get(..size_of::<Self>()).ok_or(truncated)?);
        if prefix.byte_order == BYTE_ORDER.swap_bytes() {
            return Err(CacheProblem::ByteOrder);
        }
        if prefix.version != VERSION {
            return Err(CacheProblem::Version { found: prefix.version, expected: VERSION });
        }
        Ok(())
    }
}

fn section<T: Pod>(block: &Arc<Block>, bytes: Range<usize>) -> Result<Buffer<T>, CacheProblem> {
    Buffer::section(block, bytes).ok_or(CacheProblem::Inconsistent { what: "an array does not lie in the file" })
}

fn indices(block: &Arc<Block>, bytes: Range<usize>, edge_count: usize) -> Result<Indices, CacheProblem> {
    if is_narrow(edge_count) {
        Ok(Indices::U32(section(block, bytes)?))
    } else {
        Ok(Indices::U64(section(block, bytes)?))
    }
}
