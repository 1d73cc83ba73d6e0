//! The sums of the groups of cut rows, each in a place of its own: for results that are the same bits in every run, and for totals that are states
//! of more than a float, which nothing adds to memory.

use std::ptr;

use onyx_device::FoldFacts;
use onyx_device::arguments::CutParts;
use onyx_device::parts::PartFloats;
use onyx_device::property::Storage;

use crate::backend::device::Device;
use crate::backend::launchable::Extent;
use crate::backend::memory::Memory;
use crate::decider::Decider;
use crate::error::RunError;
use crate::graph::{Adjacency, NeighborGroups};
use crate::memory::{self, OutOfMemory};
use crate::schedule::Unit;
use crate::store::{Store, length};

/// What needs the memory.
const EDGES: &str = "the edges of the partial totals";
/// Rows that a block each finishes, in messages.
const LONG: &str = "the cut rows of very many parts";

/// A row for each group of a cut row in every reduced property, on a device.
pub(crate) struct Partials<A> {
    row: A,
    begin: A,
    /// The numbers of the cut rows that a block each finishes, if there are any.
    long: Option<A>,
    /// By property; `None` where nothing is reduced.
    sums: Vec<Option<A>>,
    /// How many rows a block each finishes.
    pub(crate) long_count: u64,
    /// How many rows they have.
    rows: usize,
}

impl<A> Partials<A> {
    /// Room for these rows, cut as the `decider` says.
    pub(crate) fn new<M: Memory<Array = A>>(
        fold: &'static FoldFacts,
        memory: &M,
        rows: &Adjacency,
        store: &Store,
        decider: &Decider,
    ) -> Result<Self, RunError> {
        let (row, begin) = match decider.pull().row().unit {
            Unit::Edge => edges(rows)?,
            _ => NeighborGroups::of(rows, decider.incoming_groups())?.parts()?,
        };
        let rows = begin.last().map_or(0, |rows| *rows as usize);
        let sums = lengths(fold, store, rows).map(|length| length.map(|length| memory.zeroed(4 * length)).transpose());
        let sums = sums.collect::<Result<_, _>>()?;
        let long = decider.most_parts().map_or(Ok(Vec::new()), |most| long_rows(&begin, most))?;
        let has_long = !long.is_empty();
        Ok(Self {
            long: has_long.then(|| memory.upload(bytemuck::cast_slice(&long))).transpose()?,
            long_count: long.len() as u64,
            row: memory.upload(bytemuck::cast_slice(&row))?,
            begin: memory.upload(bytemuck::cast_slice(&begin))?,
            sums,
            rows,
        })
    }

    /// The arrays, beside what launches on these groups and cut rows reach of them.
    pub(crate) fn extents<M: Memory<Array = A>>(
        &self,
        fold: &'static FoldFacts,
        memory: &M,
        store: &Store,
        (groups, cut_rows): (u64, u64),
    ) -> impl Iterator<Item = Extent> {
        let places = [
            Extent::of("the rows of the partial totals", memory.bytes(&self.row), groups as usize, 4),
            Extent::of("the beginnings of the partial totals", memory.bytes(&self.begin), cut_rows as usize + 1, 4),
            Extent::of(LONG, self.long.as_ref().map_or(0, |long| memory.bytes(long)), self.long_count as usize, 4),
        ];
        let sums = self.sums.iter().zip(lengths(fold, store, self.rows)).zip(fold.properties);
        let sums = sums.filter_map(|((sums, length), property)| {
            Some(Extent::of(property.name, sums.as_ref().map_or(0, |sums| memory.bytes(sums)), length?, 4))
        });
        places.into_iter().chain(sums)
    }

    /// Tells the device what the arrays hold.
    pub(crate) fn name<Q: Device<Memory: Memory<Array = A>>>(&self, fold: &'static FoldFacts, device: &mut Q) {
        device.name(&self.row, "the rows of the partial totals");
        device.name(&self.begin, "the beginnings of the partial totals");
        self.long.iter().for_each(|long| device.name(long, LONG));
        for (sums, property) in self.sums.iter().zip(fold.properties) {
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
        let long = self.long.as_ref().map_or(ptr::null(), |long| memory.address(long).cast());
        CutParts { row: memory.address(&self.row).cast(), begin: memory.address(&self.begin).cast(), long }
    }
}

/// The numbers of the cut rows of more than so many parts.
fn long_rows(begin: &[u32], most: u32) -> Result<Vec<u32>, OutOfMemory> {
    let is_long = |parts: &[u32]| parts[1] - parts[0] > most;
    let long = begin.windows(2).enumerate().filter(|(_, parts)| is_long(parts));
    let mut rows = memory::vector(long.clone().count(), LONG)?;
    rows.extend(long.map(|(row, _)| row as u32));
    Ok(rows)
}

/// A row for each edge, in order, and where those of each vertex begin, and the end.
fn edges(incoming: &Adjacency) -> Result<(Vec<u32>, Vec<u32>), RunError> {
    let (vertices, count) = (incoming.vertex_count(), numbered(incoming.edge_count())?);
    let begins = (0..vertices).map(|vertex| incoming.offsets().row(vertex).start as u32);
    Ok((memory::collect(0..count, EDGES)?, memory::collect(begins.chain([count]), EDGES)?))
}

/// So many parts, if 32 bits number them.
fn numbered(parts: usize) -> Result<u32, RunError> {
    u32::try_from(parts).map_err(|_| RunError::Parts)
}

/// How many floats each property has partial sums of; `None` where nothing is reduced.
fn lengths(fold: &'static FoldFacts, store: &Store, rows: usize) -> impl Iterator<Item = Option<usize>> {
    let is_reduced = move |index: usize| fold.edges.reduces >> index & 1 == 1;
    let floats = move |index: usize, property| {
        let PartFloats { own, shared } = fold.parts.get(index);
        length(property, store.shape_of(rows, 0)) * usize::from(own) + rows * store.heads() * usize::from(shared)
    };
    let properties = store.properties().iter().enumerate();
    properties.map(move |(index, property)| is_reduced(index).then(|| floats(index, property)))
}

/// The bytes of the partial sums of rows.
pub(crate) fn bytes(fold: &'static FoldFacts, rows: &Adjacency, store: &Store, decider: &Decider) -> u64 {
    let size = decider.incoming_groups();
    let (groups, (cut, parts)) = match decider.pull().row().unit {
        Unit::Edge => (rows.edge_count(), (rows.vertex_count(), rows.edge_count())),
        _ => (NeighborGroups::count(rows, size), NeighborGroups::count_cut(rows, size)),
    };
    let long = decider.most_parts().map_or(0, |most| NeighborGroups::count_long(rows, size, most));
    let floats: usize = lengths(fold, store, parts).flatten().sum();
    4 * (groups + cut + 1 + long + floats) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_beyond_32_bits_are_refused() {
        assert!(matches!(numbered(u32::MAX as usize), Ok(u32::MAX)));
        assert!(matches!(numbered(1 << 32), Err(RunError::Parts)));
    }
}
