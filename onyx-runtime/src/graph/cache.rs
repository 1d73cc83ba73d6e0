//! Graphs in a binary form that is memory-mapped when it is opened.
//!
//! A file is a [`Header`] and then the arrays, each starting at a multiple of [`ALIGNMENT`] bytes.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::{Pod, Zeroable};
use memmap2::Mmap;
use rayon::prelude::*;

use super::Graph;
use super::buffer::Buffer;
use super::csr::{Adjacency, Indices, is_narrow};
use super::error::{CacheProblem, GraphError};
use super::load::map;
use super::vertex_ids::VertexIds;

const MAGIC: [u8; 8] = *b"onyx-csr";
const VERSION: u32 = 1;
/// Reads as another number on a machine of the other byte order.
const BYTE_ORDER: u32 = 0x0102_0304;
/// Arrays start at multiples of this many bytes.
const ALIGNMENT: usize = 64;
const SECTIONS: usize = 7;
const SYMMETRIC: u64 = 1;
const WEIGHTED: u64 = 2;

/// The first bytes of a cache file.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Header {
    magic: [u8; 8],
    byte_order: u32,
    version: u32,
    vertices: u64,
    edges: u64,
    /// The original id of vertex 0, where ids are dense.
    first_id: u64,
    /// [`SYMMETRIC`] and [`WEIGHTED`], added up.
    flags: u64,
    /// The sizes in bytes of the arrays: incoming offsets and neighbors; outgoing offsets, neighbors and edge ids;
    /// weights; listed ids. The last two may be missing.
    sizes: [u64; SECTIONS],
    /// Of all bytes before it.
    checksum: u64,
}

impl Graph {
    /// Writes the graph to `path` in the form that [`open`](Self::open) maps; the file appears whole or not at all.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), GraphError> {
        let path = path.as_ref();
        let temporary = temporary_path(path);
        let written = self.write(&temporary).and_then(|()| std::fs::rename(&temporary, path));
        written.map_err(|source| {
            // Nothing is left behind; why the removal fails, if it does, is not what the caller needs to hear.
            let _ = std::fs::remove_file(&temporary);
            GraphError::Write { path: path.to_owned(), source }
        })
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        let sections = self.sections();
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(bytemuck::bytes_of(&Header::of(self, sections.map(|section| section.len() as u64))))?;
        let mut end = size_of::<Header>();
        for section in sections {
            let start = end.next_multiple_of(ALIGNMENT);
            file.write_all(&[0; ALIGNMENT][..start - end])?;
            file.write_all(section)?;
            end = start + section.len();
        }
        file.into_inner()?.sync_all()
    }

    fn sections(&self) -> [&[u8]; SECTIONS] {
        let ids = match &self.ids {
            VertexIds::Dense { .. } => &[],
            VertexIds::Listed(ids) => bytemuck::cast_slice(ids),
        };
        [
            self.incoming.offsets.as_bytes(),
            bytemuck::cast_slice(&self.incoming.neighbors),
            self.outgoing.offsets.as_bytes(),
            bytemuck::cast_slice(&self.outgoing.neighbors),
            self.outgoing.edge_ids.as_ref().map_or(&[], Indices::as_bytes),
            self.weights.as_deref().map_or(&[], bytemuck::cast_slice),
            ids,
        ]
    }

    /// Maps a graph that [`save`](Self::save) wrote; its arrays are read from the file when they are used.
    ///
    /// The arrays are checked once, in parallel; the file must not be rewritten while the graph is in use.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or it is no whole and consistent cache of this version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, GraphError> {
        let path = path.as_ref();
        let read_error = |source| GraphError::Read { path: path.to_owned(), source };
        let file = File::open(path).map_err(read_error)?;
        if file.metadata().map_err(read_error)?.is_dir() {
            return Err(GraphError::Directory { path: path.to_owned() });
        }
        let map = Arc::new(map(&file).map_err(read_error)?);
        let problem = |problem| GraphError::Cache { path: path.to_owned(), problem };
        let graph = Header::read(&map).and_then(|header| header.graph(&map)).map_err(problem)?;
        graph.check().map_err(|what| problem(CacheProblem::Inconsistent { what }))?;
        Ok(graph)
    }

    /// Says which invariant is broken, if any.
    fn check(&self) -> Result<(), &'static str> {
        check_rows(&self.incoming)?;
        check_rows(&self.outgoing)?;
        self.check_edge_ids()?;
        if self.symmetric && self.incoming.neighbors != self.outgoing.neighbors {
            return Err("an edge of a symmetric graph has no reverse");
        }
        let finite = |weights: &[f32]| weights.par_iter().all(|weight| weight.is_finite());
        if !self.weights().is_none_or(finite) {
            return Err("a weight is not finite");
        }
        match &self.ids {
            VertexIds::Listed(ids) if !ids.par_windows(2).all(|pair| pair[0] < pair[1]) => {
                Err("the original ids are not ascending")
            }
            VertexIds::Dense { first, count } if first.checked_add(*count as u64).is_none() => {
                Err("the original ids exceed 64 bits")
            }
            _ => Ok(()),
        }
    }

    /// Ascending ids in each row, each of an edge from that row, make the ids a permutation of the edges.
    fn check_edge_ids(&self) -> Result<(), &'static str> {
        let (incoming, outgoing) = (&self.incoming, &self.outgoing);
        let names_edge = |source: usize, position: usize| {
            let (id, destination) = (outgoing.edge_id(position), outgoing.neighbors[position]);
            incoming.offsets.row(destination as usize).contains(&id) && incoming.neighbors[id] as usize == source
        };
        let is_sound = |source: usize| {
            let row = outgoing.offsets.row(source);
            row.clone().all(|position| names_edge(source, position))
                && row.clone().skip(1).all(|position| outgoing.edge_id(position - 1) < outgoing.edge_id(position))
        };
        let sound = (0..self.vertex_count()).into_par_iter().all(is_sound);
        if sound { Ok(()) } else { Err("the incoming and outgoing edges differ") }
    }
}

/// Checks the invariants of one direction.
fn check_rows(adjacency: &Adjacency) -> Result<(), &'static str> {
    let (vertices, edges) = (adjacency.vertex_count(), adjacency.edge_count());
    let offsets = &adjacency.offsets;
    let rises = (0..vertices).into_par_iter().all(|vertex| offsets.get(vertex) <= offsets.get(vertex + 1));
    if !rises || offsets.get(0) != 0 || offsets.get(vertices) != edges {
        return Err("the row offsets do not rise from 0 to the number of edges");
    }
    if !adjacency.neighbors.par_iter().all(|&neighbor| (neighbor as usize) < vertices) {
        return Err("a neighbor is not a vertex");
    }
    let sorted = (0..vertices as u32).into_par_iter().all(|vertex| adjacency.row(vertex).is_sorted());
    if sorted { Ok(()) } else { Err("a row is not ascending") }
}

/// A name beside `path` that no other process and no other call uses.
fn temporary_path(path: &Path) -> PathBuf {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}-{call}.partial", std::process::id()));
    path.with_file_name(name)
}

impl Header {
    fn of(graph: &Graph, sizes: [u64; SECTIONS]) -> Self {
        let first_id = match graph.ids {
            VertexIds::Dense { first, .. } => first,
            VertexIds::Listed(_) => 0,
        };
        let (vertices, edges) = (graph.vertex_count() as u64, graph.edge_count() as u64);
        let flags = u64::from(graph.symmetric) * SYMMETRIC + u64::from(graph.weights.is_some()) * WEIGHTED;
        let (magic, byte_order, version) = (MAGIC, BYTE_ORDER, VERSION);
        let header = Self { magic, byte_order, version, vertices, edges, first_id, flags, sizes, checksum: 0 };
        Self { checksum: header.sum(), ..header }
    }

    /// The FNV-1a hash of all bytes before the checksum.
    fn sum(&self) -> u64 {
        let bytes = bytemuck::bytes_of(self);
        let hash = |sum: u64, &byte: &u8| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        bytes[..bytes.len() - size_of::<u64>()].iter().fold(0xcbf2_9ce4_8422_2325, hash)
    }

    /// Reads and checks what does not need the arrays.
    fn read(map: &Mmap) -> Result<Self, CacheProblem> {
        if !map.starts_with(&MAGIC) {
            return Err(CacheProblem::Foreign);
        }
        let truncated = CacheProblem::Length { found: map.len() as u64, expected: size_of::<Self>() as u64 };
        let header: Self = bytemuck::pod_read_unaligned(map.get(..size_of::<Self>()).ok_or(truncated)?);
        if header.byte_order == BYTE_ORDER.swap_bytes() {
            return Err(CacheProblem::ByteOrder);
        }
        if header.version != VERSION {
            return Err(CacheProblem::Version { found: header.version, expected: VERSION });
        }
        if header.sum() != header.checksum {
            return Err(CacheProblem::Checksum { found: header.sum(), expected: header.checksum });
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
        let fits = required.iter().zip(self.sizes).all(|(&required, size)| required == Some(size));
        let [.., weights, listed] = self.sizes;
        let weights_fit = Some(weights) == if self.has(WEIGHTED) { neighbors } else { Some(0) };
        let ids_fit = listed == 0 || Some(listed) == width(self.vertices, 8);
        if fits && weights_fit && ids_fit && self.vertices <= u64::from(u32::MAX) {
            return Ok(());
        }
        Err(CacheProblem::Inconsistent { what: "the array sizes do not fit the numbers of vertices and edges" })
    }

    /// The bytes of each array.
    fn ranges(&self, length: u64) -> Result<[Range<usize>; SECTIONS], CacheProblem> {
        let mut end = size_of::<Self>() as u64;
        let ranges = self.sizes.map(|size| {
            let start = end.saturating_add(ALIGNMENT as u64 - 1) / ALIGNMENT as u64 * ALIGNMENT as u64;
            end = start.saturating_add(size);
            start as usize..end as usize
        });
        if end == length { Ok(ranges) } else { Err(CacheProblem::Length { found: length, expected: end }) }
    }

    /// The graph whose arrays lie in `map`, not yet checked.
    fn graph(&self, map: &Arc<Mmap>) -> Result<Graph, CacheProblem> {
        let [in_offsets, in_neighbors, out_offsets, out_neighbors, out_ids, weights, listed] =
            self.ranges(map.len() as u64)?;
        let edges = self.edges as usize;
        let (incoming, outgoing) = (indices(map, in_offsets, edges)?, indices(map, out_offsets, edges)?);
        let edge_ids = Some(indices(map, out_ids, edges)?);
        let ids = if listed.is_empty() {
            VertexIds::Dense { first: self.first_id, count: self.vertices as usize }
        } else {
            VertexIds::Listed(buffer(map, listed)?)
        };
        Ok(Graph {
            incoming: Adjacency { offsets: incoming, neighbors: buffer(map, in_neighbors)?, edge_ids: None },
            outgoing: Adjacency { offsets: outgoing, neighbors: buffer(map, out_neighbors)?, edge_ids },
            weights: if self.has(WEIGHTED) { Some(buffer(map, weights)?) } else { None },
            ids,
            symmetric: self.has(SYMMETRIC),
        })
    }
}

fn buffer<T: Pod>(map: &Arc<Mmap>, bytes: Range<usize>) -> Result<Buffer<T>, CacheProblem> {
    Buffer::mapped(map, bytes).ok_or(CacheProblem::Inconsistent { what: "an array does not lie in the file" })
}

fn indices(map: &Arc<Mmap>, bytes: Range<usize>, edge_count: usize) -> Result<Indices, CacheProblem> {
    if is_narrow(edge_count) { Ok(Indices::U32(buffer(map, bytes)?)) } else { Ok(Indices::U64(buffer(map, bytes)?)) }
}
