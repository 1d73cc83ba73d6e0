//! The rows that edges read of frequent sources, packed before each pull along them.

use onyx_device::property;
use onyx_device::schedule::pack::Pack;

use super::{ArrayOf, Device, DeviceEngine};
use crate::backend::adjacency::PackedNeighbors;
use crate::backend::memory::Memory;
use crate::error::RunError;
use crate::packing::row_bytes;

impl<Q: Device> DeviceEngine<'_, Q> {
    /// The neighbors by which the edges of a stage find packed rows, if there are such, and room for the rows of all that they read of sources: memory that is borrowed has none.
    pub(super) fn packed(&self, stage: usize) -> Option<&PackedNeighbors<ArrayOf<Q>>> {
        let packed = self.rows(stage).edges.as_ref()?.packed.as_ref()?;
        let memory = self.run.device.memory();
        let have_room = self.read_of_sources(stage).all(|(index, row)| {
            let arrays = self.residency.get(index);
            arrays.is_some_and(|arrays| {
                let all = [Some(&arrays.current), arrays.previous.as_ref()];
                all.into_iter().flatten().all(|array| memory.room(array) >= packed.count * row)
            })
        });
        have_room.then_some(packed)
    }

    /// What the edges of a stage read of their sources: each property, and the bytes of its rows.
    fn read_of_sources(&self, stage: usize) -> impl Iterator<Item = (usize, usize)> {
        let (properties, width) = (self.run.fold.properties, self.store.width());
        let read = self.run.fold.stages.get(stage).map_or(0, |stage| stage.edges.reads_source);
        (0..properties.len()).filter(move |index| read >> index & 1 == 1).map(move |index| {
            let property = &properties[index];
            let Some(bytes) = row_bytes(property.element, property.number.bytes(), width) else {
                unreachable!("{} has no rows that could be packed", property.name)
            };
            (index, bytes)
        })
    }

    /// Packs the rows that the edges of a stage read, in iteration `iteration` of a batch.
    pub(super) fn pack(&mut self, stage: usize, iteration: usize) -> Result<(), RunError> {
        let Some(packed) = self.packed(stage) else { return Ok(()) };
        let (fold, memory) = (self.run.fold, self.run.device.memory());
        let before = self.run.counters.places(memory, iteration).before;
        // Neighbors are read at the previous value of what the stage writes.
        let previous = property::tracked(fold.properties) & fold.stages[stage].vertices.writes;
        let (vertices, count) = (memory.address(&packed.vertices).cast(), packed.count as u32);
        let packs: Vec<Pack> = self
            .read_of_sources(stage)
            .filter_map(|(index, row)| {
                let arrays = self.residency.get(index)?;
                let is_previous = previous >> index & 1 == 1;
                let array = arrays.previous.as_ref().filter(|_| is_previous).unwrap_or(&arrays.current);
                let from = memory.address(array);
                let to = from.wrapping_add(memory.bytes(array)).cast();
                Some(Pack { from: from.cast(), to, vertices, count, row: row as u32 / 4, before })
            })
            .collect();
        packs.into_iter().try_for_each(|pack| {
            self.expect_stages(stage..stage + 1, false);
            self.run.device.pack(pack)
        })
    }
}
