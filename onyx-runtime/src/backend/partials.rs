//! The sums of the groups of cut rows, each in a place of its own, for results that are the same bits in every run.

use onyx_device::Fold;
use onyx_device::arguments::CutParts;
use onyx_device::property::Storage;

use crate::backend::device::Device;
use crate::backend::memory::Memory;
use crate::error::RunError;
use crate::graph::{Adjacency, NeighborGroups};
use crate::store::{Store, length};

/// A row for each group of a cut row in every reduced property, on a device.
pub(crate) struct Partials<A> {
    row: A,
    begin: A,
    /// By property; `None` where nothing is reduced.
    sums: Vec<Option<A>>,
}

impl<A> Partials<A> {
    /// Room for these rows.
    pub(crate) fn new<F: Fold, M: Memory<Array = A>>(
        memory: &M,
        rows: &Adjacency,
        store: &Store,
        group_size: usize,
    ) -> Result<Self, RunError> {
        let (row, begin) = NeighborGroups::of(rows, group_size)?.parts()?;
        let rows = begin.last().map_or(0, |rows| *rows as usize);
        let lengths = lengths::<F>(store, rows);
        let sums = lengths.map(|length| length.map(|length| memory.zeroed(4 * length)).transpose());
        let sums = sums.collect::<Result<_, _>>()?;
        Ok(Self {
            row: memory.upload(bytemuck::cast_slice(&row))?,
            begin: memory.upload(bytemuck::cast_slice(&begin))?,
            sums,
        })
    }

    /// Tells the device what the arrays hold.
    pub(crate) fn name<F: Fold, Q: Device<Memory: Memory<Array = A>>>(&self, device: &mut Q) {
        device.name(&self.row, "the rows of the partial totals");
        device.name(&self.begin, "the beginnings of the partial totals");
        for (sums, property) in self.sums.iter().zip(F::PROPERTIES) {
            sums.iter().for_each(|sums| device.name(sums, &format!("{} (partial)", property.name)));
        }
    }

    /// `storages` with the places of the partial sums in those of the reduced properties.
    pub(crate) fn storages<M: Memory<Array = A>>(&self, memory: &M, storages: &[Storage]) -> Vec<Storage> {
        let place = |(storage, sums): (&Storage, &Option<A>)| match sums {
            Some(sums) => {
                let place = memory.address(sums).cast();
                Storage { current: place, previous: place, ..*storage }
            }
            None => *storage,
        };
        storages.iter().zip(&self.sums).map(place).collect()
    }

    /// Where the groups find their rows.
    pub(crate) fn parts<M: Memory<Array = A>>(&self, memory: &M) -> CutParts {
        CutParts { row: memory.address(&self.row).cast(), begin: memory.address(&self.begin).cast() }
    }
}

/// How many floats each property has partial sums of; `None` where nothing is reduced.
fn lengths<F: Fold>(store: &Store, rows: usize) -> impl Iterator<Item = Option<usize>> {
    let width = store.tile_width();
    let is_reduced = |index: usize| F::EDGES.reduces >> index & 1 == 1;
    let properties = store.properties().iter().enumerate();
    properties.map(move |(index, property)| is_reduced(index).then(|| length(property, rows, 0, width)))
}

/// The bytes of the partial sums of `groups` groups, of which `parts` belong to `cut` cut rows.
pub(crate) fn bytes<F: Fold>(store: &Store, groups: usize, cut: usize, parts: usize) -> u64 {
    let floats: usize = lengths::<F>(store, parts).flatten().sum();
    4 * (groups + cut + 1 + floats) as u64
}
