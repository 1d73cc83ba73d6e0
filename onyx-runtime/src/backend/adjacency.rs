//! One direction of a graph's edges on a device: what the schedules of that direction need of it.

mod extents;

use std::ptr;
use std::sync::Arc;

use onyx_device::arguments::{HubPieces as DeviceHubs, NeighborGroups as DeviceGroups};
use onyx_device::schedule::long_rows;
use onyx_device::schedule::warp_word::HUB_DEGREE;
use onyx_device::span::Span;

use crate::backend::device::See;
use crate::backend::memory::Memory;
use crate::decider::Decider;
use crate::error::RunError;
use crate::graph::{Adjacency, GroupSize, NeighborGroups};
use crate::memory::{self as host, OutOfMemory};
use crate::packing::FrequentSources;
use crate::schedule::{Kernel, Reads};

/// What needs the memory.
const EDGES: &str = "the edges as a device gets them";

/// What schedules need besides neighbors and edge numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// The greatest number of neighbors in a neighbor group, where there are groups.
    group_size: Option<GroupSize>,
    /// Where each row starts.
    offsets: bool,
    /// The row of each edge, and a list of all rows.
    rows: bool,
    /// The pieces of long rows.
    hubs: bool,
    /// The rows that are too long for a warp of 32 vertices, and the pieces of them.
    long: bool,
    /// How many frequent sources have numbers of their own, after those of all vertices.
    pub(crate) packed: Option<usize>,
}

impl Needs {
    /// What is needed of the incoming edges.
    pub(crate) fn incoming(decider: &Decider) -> Self {
        let needs = Self::of(&decider.along_incoming(), decider.incoming_groups());
        Self { packed: decider.packed(), ..needs }
    }

    /// What pushes need of the outgoing edges; none where nothing is pushed.
    pub(crate) fn outgoing(decider: &Decider) -> Option<Self> {
        let pushes = decider.pushes();
        (!pushes.is_empty()).then(|| Self::of(pushes, GroupSize::new(decider.group_size())))
    }

    /// What these kernels read, with groups of this size.
    fn of(kernels: &[Kernel], group_size: GroupSize) -> Self {
        let read = |array| kernels.iter().any(|kernel| kernel.row().reads.contains(&array));
        Self {
            group_size: read(Reads::Groups).then_some(group_size),
            offsets: read(Reads::Offsets),
            rows: read(Reads::EdgeRows),
            hubs: read(Reads::Pieces),
            long: read(Reads::LongRows),
            packed: None,
        }
    }

    /// How many bytes [`DeviceAdjacency::upload`] takes.
    pub(crate) fn bytes(self, adjacency: &Adjacency) -> u64 {
        let ids = adjacency.edge_ids().map_or(0, |ids| ids.as_bytes().len());
        let groups =
            |size| NeighborGroups::count(adjacency, size) * 12 + NeighborGroups::count_cut(adjacency, size).0 * 4;
        let groups = self.group_size.map_or(0, groups);
        let offsets = if self.offsets { adjacency.offsets().as_bytes().len() } else { 0 };
        let rows = if self.rows { (adjacency.edge_count() + adjacency.vertex_count()) * 4 } else { 0 };
        let hubs = if self.hubs { HUBS.count(adjacency) * 12 } else { 0 };
        let long = if self.long { LONG_ROWS.count(adjacency) * 12 + LONG_ROWS.rows(adjacency).count() * 4 } else { 0 };
        let packed = self.packed.map_or(0, |sources| (adjacency.edge_count() + sources) * 4);
        (adjacency.neighbors().len() * 4 + ids + groups + offsets + rows + hubs + long + packed) as u64
    }
}

/// The neighbors of all edges, of which frequent ones have numbers of their own, after those of all vertices.
pub(crate) struct PackedNeighbors<A> {
    neighbors: A,
    /// The vertices that have such numbers, in their order.
    pub(crate) vertices: A,
    /// How many there are.
    pub(crate) count: usize,
}

impl<A> PackedNeighbors<A> {
    fn upload<M: Memory<Array = A>>(
        memory: &M,
        adjacency: &Adjacency,
        frequent: &FrequentSources,
    ) -> Result<Self, RunError> {
        let neighbors = frequent.renumbered(adjacency.neighbors(), adjacency.vertex_count())?;
        Ok(Self {
            neighbors: memory.upload(bytemuck::cast_slice(&neighbors))?,
            vertices: memory.upload(bytemuck::cast_slice(&frequent.vertices))?,
            count: frequent.vertices.len(),
        })
    }
}

/// An adjacency on the device. Adjacencies for other schedules share its arrays that are as long as the edges.
pub(crate) struct DeviceAdjacency<A> {
    vertex: A,
    spans: A,
    neighbors: Arc<A>,
    /// The neighbors again, where frequent ones have numbers of their own.
    pub(crate) packed: Option<PackedNeighbors<A>>,
    edge_ids: Option<Arc<A>>,
    edge_id_bytes: u32,
    offsets: Option<A>,
    offset_bytes: u32,
    cut: A,
    hub_vertex: A,
    hub_begin: A,
    /// How many neighbor groups there are, or edges where each has a group of lanes.
    pub(crate) count: u64,
    /// How many blocks take them; as many where nothing takes several together.
    pub(crate) blocks: u64,
    /// How many rows are shared by several groups, or blocks of them.
    pub(crate) cut_count: u64,
    /// How many pieces the long rows have.
    pub(crate) hub_count: u64,
}

impl<A> DeviceAdjacency<A> {
    /// Copies what the schedules need to the device, but for what `known` have there already: the same adjacency for other schedules. Neighbors are the same for all of them, and
    /// once more where frequent ones have numbers of their own.
    pub(crate) fn upload<M: Memory<Array = A>>(
        memory: &M,
        adjacency: &Adjacency,
        needs: Needs,
        frequent: Option<&FrequentSources>,
        known: &[&Self],
    ) -> Result<Self, RunError> {
        let parts = Parts::of(adjacency, needs)?;
        let hubs = if needs.hubs { HUBS.pieces(adjacency)? } else { Pieces::default() };
        let ids = adjacency.edge_ids();
        let offsets = needs.offsets.then(|| adjacency.offsets());
        let edges = |bytes: &[u8]| Ok::<_, RunError>(Arc::new(memory.upload(bytes)?));
        let neighbors = match known.first() {
            Some(known) => Arc::clone(&known.neighbors),
            None => edges(bytemuck::cast_slice(adjacency.neighbors()))?,
        };
        let known_ids = known.iter().find_map(|known| known.edge_ids.clone());
        let edge_ids = match (ids, known_ids) {
            (Some(_), Some(known)) => Some(known),
            (ids, _) => ids.map(|ids| edges(ids.as_bytes())).transpose()?,
        };
        Ok(Self {
            vertex: memory.upload(bytemuck::cast_slice(&parts.vertex))?,
            spans: memory.upload(bytemuck::cast_slice(&parts.spans))?,
            neighbors,
            packed: frequent.map(|frequent| PackedNeighbors::upload(memory, adjacency, frequent)).transpose()?,
            edge_ids,
            edge_id_bytes: ids.map_or(0, |ids| ids.entry_bytes()),
            offsets: offsets.map(|offsets| memory.upload(offsets.as_bytes())).transpose()?,
            offset_bytes: offsets.map_or(0, |offsets| offsets.entry_bytes()),
            cut: memory.upload(bytemuck::cast_slice(&parts.cut))?,
            hub_vertex: memory.upload(bytemuck::cast_slice(&hubs.vertex))?,
            hub_begin: memory.upload(bytemuck::cast_slice(&hubs.begin))?,
            count: parts.vertex.len() as u64,
            blocks: needs.group_size.map_or(parts.vertex.len(), |size| size.blocks(parts.vertex.len())) as u64,
            cut_count: parts.cut.len() as u64,
            hub_count: hubs.vertex.len() as u64,
        })
    }

    /// Whether it has the edge number of each position.
    pub(crate) fn has_edge_ids(&self) -> bool {
        self.edge_ids.is_some()
    }

    /// Shows each array with what it holds: those of the `side`, incoming or outgoing.
    pub(crate) fn each_array(&self, side: &str, see: See<'_, A>) {
        see(&self.vertex, format_args!("the vertices of the {side} groups"));
        see(&self.spans, format_args!("the edges of the {side} groups"));
        see(&self.neighbors, format_args!("the {side} neighbors"));
        if let Some(packed) = &self.packed {
            see(&packed.neighbors, format_args!("the {side} neighbors, of which frequent ones are packed"));
            see(&packed.vertices, format_args!("the frequent sources"));
        }
        self.edge_ids.iter().for_each(|ids| see(ids, format_args!("the {side} edge numbers")));
        self.offsets.iter().for_each(|offsets| see(offsets, format_args!("the {side} offsets")));
        see(&self.cut, format_args!("the cut {side} rows"));
        see(&self.hub_vertex, format_args!("the vertices of the pieces of long {side} rows"));
        see(&self.hub_begin, format_args!("the beginnings of the pieces of long {side} rows"));
    }

    /// What kernels know of it besides its arrays.
    pub(crate) fn counts(&self) -> [u64; 6] {
        let bytes = [self.edge_id_bytes, self.offset_bytes].map(u64::from);
        [self.count, self.blocks, self.cut_count, self.hub_count, bytes[0], bytes[1]]
    }

    /// The edges, as kernels see them; `packed` where frequent neighbors have numbers of their own.
    pub(crate) fn groups<M: Memory<Array = A>>(&self, memory: &M, packed: Option<&PackedNeighbors<A>>) -> DeviceGroups {
        let address = |array: Option<&A>| array.map_or(ptr::null_mut(), |array| memory.address(array));
        let neighbors = packed.map_or(&*self.neighbors, |packed| &packed.neighbors);
        DeviceGroups {
            vertex: memory.address(&self.vertex).cast(),
            spans: memory.address(&self.spans).cast(),
            count: self.count,
            neighbors: memory.address(neighbors).cast(),
            edge_ids: address(self.edge_ids.as_deref()),
            offsets: address(self.offsets.as_ref()),
            edge_id_bytes: self.edge_id_bytes,
            offset_bytes: self.offset_bytes,
        }
    }

    /// The pieces of long rows, as kernels see them.
    pub(crate) fn hubs<M: Memory<Array = A>>(&self, memory: &M) -> DeviceHubs {
        DeviceHubs {
            vertex: memory.address(&self.hub_vertex).cast(),
            begin: memory.address(&self.hub_begin).cast(),
            count: self.hub_count,
        }
    }

    /// The rows that several groups share, as kernels see them.
    pub(crate) fn cut<M: Memory<Array = A>>(&self, memory: &M) -> *const u32 {
        memory.address(&self.cut).cast()
    }
}

/// What groups of lanes take: neighbor groups, single edges, or pieces of long rows.
#[derive(Default)]
struct Parts {
    vertex: Vec<u32>,
    spans: Vec<u64>,
    cut: Vec<u32>,
}

impl Parts {
    fn of(adjacency: &Adjacency, needs: Needs) -> Result<Self, OutOfMemory> {
        if needs.rows {
            let cut = host::collect(0..adjacency.vertex_count() as u32, EDGES)?;
            return Ok(Self { vertex: rows(adjacency)?, spans: Vec::new(), cut });
        }
        if needs.long {
            let Pieces { vertex, begin } = LONG_ROWS.pieces(adjacency)?;
            let spans = vertex.iter().zip(begin).map(|(row, begin)| LONG_ROWS.span(adjacency, *row, begin).bits());
            let spans = host::collect(spans, EDGES)?;
            let mut cut = host::vector(LONG_ROWS.rows(adjacency).count(), EDGES)?;
            cut.extend(LONG_ROWS.rows(adjacency));
            return Ok(Self { vertex, spans, cut });
        }
        let Some(size) = needs.group_size else { return Ok(Self::default()) };
        let NeighborGroups { vertex, spans, cut, .. } = NeighborGroups::of(adjacency, size)?;
        Ok(Self { vertex, spans, cut })
    }
}

/// The row of each edge.
fn rows(adjacency: &Adjacency) -> Result<Vec<u32>, OutOfMemory> {
    let mut rows = host::vector(adjacency.edge_count(), EDGES)?;
    (0..adjacency.vertex_count() as u32).for_each(|row| rows.extend(std::iter::repeat_n(row, adjacency.degree(row))));
    Ok(rows)
}

/// Which rows are long, and how they are cut.
#[derive(Clone, Copy)]
struct Long {
    /// Rows of more edges are long.
    above: usize,
    /// The edges of a piece, at most.
    piece: usize,
}

/// The rows that are shared out among warps by `warp_word`.
const HUBS: Long = Long { above: HUB_DEGREE as usize, piece: HUB_DEGREE as usize };
/// The rows that are too long for a warp of `word_per_warp`.
const LONG_ROWS: Long = Long { above: long_rows::LONG as usize, piece: long_rows::PIECE as usize };

/// The pieces of long rows.
#[derive(Default)]
struct Pieces {
    vertex: Vec<u32>,
    begin: Vec<u64>,
}

impl Long {
    fn rows(self, adjacency: &Adjacency) -> impl Iterator<Item = u32> + '_ {
        (0..adjacency.vertex_count() as u32).filter(move |row| adjacency.degree(*row) > self.above)
    }

    /// How many pieces there are.
    fn count(self, adjacency: &Adjacency) -> usize {
        self.rows(adjacency).map(|row| adjacency.degree(row).div_ceil(self.piece)).sum()
    }

    /// The edges of the piece of a row that begins there.
    fn span(self, adjacency: &Adjacency, row: u32, begin: u64) -> Span {
        let end = adjacency.offsets().row(row as usize).end as u64;
        Span::new(begin..end.min(begin + self.piece as u64), true)
    }

    fn pieces(self, adjacency: &Adjacency) -> Result<Pieces, OutOfMemory> {
        let count = self.count(adjacency);
        let mut pieces = Pieces { vertex: host::vector(count, EDGES)?, begin: host::vector(count, EDGES)? };
        for row in self.rows(adjacency) {
            let starts = adjacency.offsets().row(row as usize).step_by(self.piece);
            pieces.begin.extend(starts.map(|start| start as u64));
            pieces.vertex.resize(pieces.begin.len(), row);
        }
        Ok(pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphBuilder;

    #[test]
    fn long_rows_are_cut_into_pieces() {
        let edges = (0..600).map(|leaf| (1, leaf)).chain([(0, 1)]).collect();
        let graph = GraphBuilder::new().edges(edges).build().unwrap();
        let hubs = HUBS.pieces(graph.outgoing()).unwrap();
        assert_eq!((hubs.vertex, hubs.begin), (vec![1; 3], vec![1, 257, 513]));
    }

    #[test]
    fn every_edge_has_its_row() {
        let graph = GraphBuilder::new().vertices(4).edges(vec![(0, 1), (2, 1), (1, 3)]).build().unwrap();
        assert_eq!(rows(graph.incoming()).unwrap(), [1, 1, 3]);
    }
}
