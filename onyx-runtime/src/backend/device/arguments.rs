//! The arguments of kernels: where all that they reach lies.

use std::ptr;

use onyx_device::arguments::{Arguments, CutParts, EdgeNumbers, HubPieces, NeighborGroups};
use onyx_device::gather::Reach;
use onyx_device::property::{Element, Storage};

use super::prepared::Rows;
use super::{ArrayOf, Device, DeviceEngine, is_resident};
use crate::backend::arguments::Unbound;
use crate::backend::launchable::Launchable;
use crate::backend::memory::Memory;
use crate::schedule::Unit;

impl<Q: Device> DeviceEngine<'_, Q> {
    /// The arguments of a stage in iteration `index` of a batch, but for the units, which each launch has its own of.
    pub(super) fn arguments(&self, stage: usize, keep_sums: bool, index: usize, launchable: Launchable) -> Unbound {
        let memory = self.run.device.memory();
        let storages: Vec<Storage> =
            (0..self.run.fold.properties.len()).map(|property| self.storage(property, index)).collect();
        let pending: Vec<Storage> =
            storages.iter().enumerate().map(|(property, storage)| self.pending_storage(property, *storage)).collect();
        let Rows { edges: incoming, partials } = self.rows(stage);
        // Where all stages are one launch, some may take the outgoing rows. What is pushed has no such stages.
        let reversed = self.run.rows[1].edges.as_ref().filter(|_| self.run.blocks.is_some());
        let outgoing = reversed.or(self.run.outgoing.as_ref());
        let (incoming, partials) = (incoming.as_ref(), partials.as_ref());
        let places = self.run.counters.places(memory, index);
        let rest = Arguments {
            incoming: incoming.map_or(NeighborGroups::NONE, |adjacency| adjacency.groups(memory, self.packed(stage))),
            outgoing: outgoing.map_or(NeighborGroups::NONE, |adjacency| adjacency.groups(memory, None)),
            hubs: outgoing.map_or(HubPieces::NONE, |adjacency| adjacency.hubs(memory)),
            reverse: self.run.reverse.as_ref().map_or(EdgeNumbers::NONE, |(numbers, bytes)| EdgeNumbers {
                numbers: memory.address(numbers),
                bytes: *bytes,
            }),
            cut: incoming.map_or(ptr::null(), |adjacency| adjacency.cut(memory)),
            parts: partials
                .filter(|_| self.stores_parts(stage))
                .map_or(CutParts::NONE, |partials| partials.parts(memory)),
            blocks: self.run.blocks.as_ref().map_or(ptr::null(), |blocks| memory.address(&blocks.first).cast()),
            passed: self.run.passed,
            active: memory.address(&self.run.active).cast(),
            marks: memory.address(&self.run.marks),
            counters: places.counters,
            before: places.before,
            out_degree: memory.address(&self.run.out_degree).cast(),
            vertex_count: self.run.vertex_count,
            features: self.store.head_features() as u32,
            tiles: self.run.work.tiles,
            keep_sums: u32::from(keep_sums),
            ..Arguments::of(())
        };
        let partials = partials.map_or(storages.clone(), |sums| sums.storages(memory, &storages));
        Unbound { data: storages, pending, partials, reach: self.reach(), rest, launchable }
    }

    /// Whether groups leave the totals of a stage apart where another stage has rows for that: a thread of an edge adds those atomically that it can.
    fn stores_parts(&self, stage: usize) -> bool {
        let is_of_edges = self.run.shape.decider.pull().row().unit == Unit::Edge;
        !is_of_edges || self.run.fold.stages.get(stage).is_some_and(|stage| !stage.parts.are_atomic())
    }

    /// What functions know of the graph.
    fn reach(&self) -> Reach {
        let address = |array: &ArrayOf<Q>| self.run.device.memory().address(array).cast();
        let noted = self.run.notes.as_ref().map(|notes| notes.with(address));
        Reach { vertices: self.run.vertex_count, noted: noted.unwrap_or(ptr::null_mut()) }
    }

    /// Where the property at `index` lies in iteration `iteration` of a batch.
    fn storage(&self, index: usize, iteration: usize) -> Storage {
        let is_iteration = self.run.fold.properties[index].element == Element::Iteration;
        let row = self.store.width();
        let value = if is_iteration { (iteration + 1) as f32 } else { self.store.values[index].parameter };
        let property = self.arrays(index).filter(|_| is_resident(self.run.fold, index));
        let Some(property) = property else {
            return Storage { current: ptr::null_mut(), previous: ptr::null_mut(), row, value, rows: 0, heads: 1 };
        };
        let memory = self.run.device.memory();
        let current = memory.address(&property.current).cast::<f32>();
        let previous = property.previous.as_ref().map_or(current, |previous| memory.address(previous).cast());
        let (rows, heads) = (self.store.rows(index) as u64, self.store.heads() as u32);
        Storage { current, previous, row, value, rows, heads }
    }

    /// Where a push adds to the property at `index`.
    fn pending_storage(&self, index: usize, storage: Storage) -> Storage {
        let pending = self.residency.get(index).and_then(|property| property.pending.as_ref());
        let pending = pending.map(|pending| self.run.device.memory().address(pending).cast());
        Storage { current: pending.unwrap_or(storage.current), ..storage }
    }
}
