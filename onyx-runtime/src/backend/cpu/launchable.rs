//! What launches on the CPU reach, compared with the arrays that are there.

use super::CpuEngine;
use crate::backend::launchable::{Extent, Launchable, reached};
use crate::graph::Adjacency;

impl CpuEngine<'_> {
    /// Compares the arrays with what launches reach of them.
    pub(super) fn launchable(&self) -> Launchable {
        let vertices = self.graph.vertex_count();
        let own = [
            Extent::of("the marks", self.marks.len(), vertices * self.work.tiles as usize, 1),
            Extent::of("the active words", size_of_val(self.active.words()), vertices.div_ceil(32), 4),
        ];
        let incoming = self.along(self.graph.incoming(), ["the incoming neighbors", "the incoming edge numbers"]);
        let outgoing = self.along(self.graph.outgoing(), ["the outgoing neighbors", "the outgoing edge numbers"]);
        let places = own.into_iter().chain(incoming).chain(outgoing);
        Launchable::check(places.chain(self.reverse()).chain(self.properties()))
    }

    fn along(&self, adjacency: &Adjacency, [neighbors, numbers]: [&'static str; 2]) -> [Extent; 2] {
        let edges = self.graph.edge_count();
        let (bytes, number) =
            adjacency.edge_ids().map_or((0, 0), |ids| (ids.as_bytes().len(), ids.entry_bytes() as usize));
        [Extent::of(neighbors, size_of_val(adjacency.neighbors()), edges, 4), Extent::of(numbers, bytes, edges, number)]
    }

    fn reverse(&self) -> Option<Extent> {
        let bytes = match self.reverse.bytes {
            0 => 0,
            _ => self.graph.reverse_edges().map_or(0, |numbers| numbers.as_bytes().len()),
        };
        let (edges, number) = (self.graph.edge_count(), self.reverse.bytes.max(4) as usize);
        (self.fold.edges.reads_reverse != 0).then(|| Extent::of("the reverse edges", bytes, edges, number))
    }

    fn properties(&self) -> impl Iterator<Item = Extent> {
        let shape = self.store.shape_of(self.graph.vertex_count(), self.graph.edge_count());
        reached(self.fold).flat_map(move |(index, property)| {
            let values = &self.store.values[index];
            let arrays = [Some(&values.current), values.previous.as_ref(), self.pending[index].as_ref()];
            let bytes = arrays.into_iter().flatten().map(|array| array.as_bytes().len());
            bytes.map(move |bytes| Extent::of_property(property, bytes, shape, self.store.rows(index)))
        })
    }
}
