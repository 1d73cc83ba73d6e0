//! What a launch on a device reaches, compared with the arrays that are there.

use super::prepared::Rows;
use super::{ArrayOf, Device, DeviceEngine, is_resident};
use crate::backend::adjacency::DeviceAdjacency;
use crate::backend::launchable::{Extent, Launchable, reached};
use crate::backend::memory::Memory;
use crate::plan::Launch;
use crate::schedule::{Job, Unit};
use crate::store::Shape;
use crate::total;

impl<Q: Device> DeviceEngine<'_, Q> {
    /// Compares the arrays with what a launch reaches of them.
    pub(super) fn launchable(&self, launch: &Launch) -> Launchable {
        let places = self.of_vertices().into_iter().chain(self.reverse());
        let places = places.chain(self.graphs(launch));
        Launchable::check(places.chain(self.along(launch)).chain(self.partials(launch)).chain(self.properties()))
    }

    fn of_vertices(&self) -> [Extent; 3] {
        let (run, memory, vertices) = (&self.run, self.run.device.memory(), self.run.vertex_count as usize);
        [
            Extent::of("the marks", memory.bytes(&run.marks), vertices * run.work.tiles as usize, 1),
            Extent::of("the active words", memory.bytes(&run.active), vertices.div_ceil(32), 4),
            Extent::of("the outgoing degrees", memory.bytes(&run.out_degree), vertices, 4),
        ]
    }

    fn reverse(&self) -> Option<Extent> {
        let (memory, edges) = (self.run.device.memory(), self.run.edge_count as usize);
        let reverse = self.run.reverse.as_ref();
        let (bytes, number) = reverse.map_or((0, 4), |(numbers, number)| (memory.bytes(numbers), *number as usize));
        (self.run.fold.edges.reads_reverse != 0).then(|| Extent::of("the reverse edges", bytes, edges, number))
    }

    /// The blocks of whole graphs, and the outgoing rows that some of their stages take.
    fn graphs(&self, launch: &Launch) -> impl Iterator<Item = Extent> {
        let takes_graphs = launch.kernel.row().unit == Unit::Graphs;
        let (memory, blocks) = (self.run.device.memory(), self.run.blocks.as_ref());
        let bytes = blocks.map_or(0, |blocks| memory.bytes(&blocks.first));
        let blocks = Extent::of("the blocks of graphs", bytes, launch.units.end as usize + 1, 4);
        let reversed = self.run.rows[1].edges.as_ref().into_iter();
        let counts = (self.run.vertex_count as usize, self.run.edge_count as usize);
        let reversed = reversed.flat_map(move |edges| edges.extents(memory, launch, counts));
        [blocks].into_iter().chain(reversed).filter(move |_| takes_graphs)
    }

    /// The edges that the kernel goes along, if it does.
    fn along(&self, launch: &Launch) -> impl Iterator<Item = Extent> {
        let edges: Option<&DeviceAdjacency<_>> = match launch.kernel.row().job {
            Job::Push => self.run.outgoing.as_deref(),
            Job::Clear | Job::Pull | Job::PullLong | Job::Finish | Job::FinishLong | Job::Recompute => {
                self.rows(launch.stage).edges.as_deref()
            }
            Job::Update | Job::UpdateAll | Job::Activate | Job::Look | Job::Pack | Job::AddUp | Job::Limit => None,
        };
        let counts = (self.run.vertex_count as usize, self.run.edge_count as usize);
        edges.into_iter().flat_map(move |edges| edges.extents(self.run.device.memory(), launch, counts))
    }

    /// What a pull leaves of cut rows.
    fn partials(&self, launch: &Launch) -> impl Iterator<Item = Extent> {
        let Rows { edges, partials }: &Rows<ArrayOf<Q>> = self.rows(launch.stage);
        let counts = edges.as_ref().map_or((0, 0), |edges| (edges.count, edges.cut_count));
        let is_reached = matches!(launch.kernel.row().job, Job::Clear | Job::Pull | Job::Finish | Job::FinishLong);
        let partials = partials.as_ref().filter(|_| is_reached).into_iter();
        partials.flat_map(move |partials| partials.extents(self.run.fold, self.run.device.memory(), self.store, counts))
    }

    fn properties(&self) -> impl Iterator<Item = Extent> {
        let (fold, memory) = (self.run.fold, self.run.device.memory());
        let shape = self.store.shape_of(self.run.vertex_count as usize, self.run.edge_count as usize);
        reached(fold).flat_map(move |(index, property)| {
            let arrays = self.arrays(index).filter(|_| is_resident(fold, index));
            let current = arrays.map_or(0, |arrays| memory.bytes(&arrays.current));
            let others = arrays.into_iter().flat_map(|arrays| [arrays.previous.as_ref(), arrays.pending.as_ref()]);
            let bytes = others.flatten().map(|array| memory.bytes(array)).chain([current]);
            let shape = match total::has_contributions(property) {
                true => Shape { vertices: self.most_contributions(index) as usize, ..shape },
                false => shape,
            };
            bytes.map(move |bytes| Extent::of_property(property, bytes, shape, self.store.rows(index)))
        })
    }
}
