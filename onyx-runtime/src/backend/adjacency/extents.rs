//! How much of an adjacency's arrays a launch reaches, by what the table says that its kernel reads.

use super::DeviceAdjacency;
use crate::backend::launchable::Extent;
use crate::backend::memory::Memory;
use crate::plan::Launch;
use crate::schedule::{Reads, Unit};

impl<A> DeviceAdjacency<A> {
    /// The arrays, beside what a launch along these edges reaches of them, in a graph of so many vertices and edges.
    pub(crate) fn extents<M: Memory<Array = A>>(
        &self,
        memory: &M,
        launch: &Launch,
        (vertices, edges): (usize, usize),
    ) -> [Extent; 8] {
        let (row, end) = (launch.kernel.row(), launch.units.end as usize);
        let reads = |array, count: usize| if row.reads.contains(&array) { count } else { 0 };
        let bytes = |array: Option<&A>| array.map_or(0, |array| memory.bytes(array));
        let is_of_groups = matches!(row.unit, Unit::Group | Unit::GroupBlock | Unit::Edge | Unit::OutgoingGroup);
        let groups = if is_of_groups { end.max(self.count as usize) } else { 0 };
        let spans = reads(Reads::Groups, groups) + reads(Reads::LongRows, groups);
        let (edges, cut) = match row.unit {
            Unit::CutRow => (0, end),
            Unit::LongCutRow => (0, self.cut_count as usize),
            _ => (edges, 0),
        };
        let pieces = reads(Reads::Pieces, self.hub_count as usize);
        [
            Extent::of("the vertices of the groups", memory.bytes(&self.vertex), groups, 4),
            Extent::of("the edges of the groups", memory.bytes(&self.spans), spans, 8),
            Extent::of("the neighbors", memory.bytes(&self.neighbors), edges, 4),
            Extent::of("the edge numbers", bytes(self.edge_ids.as_deref()), edges, self.edge_id_bytes as usize),
            Extent::of(
                "the offsets",
                bytes(self.offsets.as_ref()),
                reads(Reads::Offsets, vertices + 1),
                self.offset_bytes.max(4) as usize,
            ),
            Extent::of("the cut rows", memory.bytes(&self.cut), cut, 4),
            Extent::of("the vertices of the pieces of long rows", memory.bytes(&self.hub_vertex), pieces, 4),
            Extent::of("the beginnings of the pieces of long rows", memory.bytes(&self.hub_begin), pieces, 8),
        ]
    }
}
