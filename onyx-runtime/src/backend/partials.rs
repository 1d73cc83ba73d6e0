//! The sums of the groups of cut rows, each in a place of its own: for results that are the same bits in every run, and for totals that are states
//! of more than a float, which nothing adds to memory. States that are added have one place for each cut row.

use std::ptr;

use onyx_device::FoldFacts;
use onyx_device::arguments::CutParts;
use onyx_device::parts::{PartFloats, row_stride};
use onyx_device::property::Storage;

use crate::backend::device::See;
use crate::backend::launchable::Extent;
use crate::backend::memory::Memory;
use crate::decider::Decider;
use crate::error::RunError;
use crate::graph::{Adjacency, NeighborGroups};
use crate::memory::{self, OutOfMemory};
use crate::packing;
use crate::schedule::Unit;
use crate::store::{Store, length};

/// What needs the memory.
const EDGES: &str = "the edges of the partial totals";
/// Rows that a block each finishes, in messages.
const LONG: &str = "the cut rows of very many parts";
/// Where rows begin, in messages.
const BEGIN: &str = "the beginnings of the partial totals";
/// What rows begin with, in messages.
const EDGES_BEGUN: &str = "the edges that partial totals begin with";
/// Where groups find rows of their own, in messages.
const APART: &str = "the rows of partial totals that are not added";

/// A row for each group of a cut row in every reduced property, on a device, or one for all of them.
///
/// The rows are there while the fold runs, and hold nothing before and after.
pub(crate) struct Partials<A> {
    row: A,
    /// Where the rows of each cut row begin, if its groups have rows of their own.
    begin: Option<A>,
    /// Of how many edges the row of each cut row has what each of them brings before its groups add to it, if they do.
    edges: Option<A>,
    /// The row that each group has for itself, if it may be that it cannot add.
    apart: Option<A>,
    /// The numbers of the cut rows that a block each finishes, if there are any.
    long: Option<A>,
    /// By property; `None` where these rows have nothing of it, and between runs.
    sums: Vec<Option<A>>,
    /// The properties that stages along these rows reduce.
    reduces: u64,
    /// How many rows a block each finishes.
    pub(crate) long_count: u64,
    /// How many rows they have.
    rows: usize,
}

impl<A> Partials<A> {
    /// Where the groups of these rows, cut as the `decider` says, find theirs.
    pub(crate) fn new<M: Memory<Array = A>>(
        memory: &M,
        rows: &Adjacency,
        (fold, reduces): (&'static FoldFacts, u64),
        decider: &Decider,
    ) -> Result<Self, RunError> {
        let Places { row, begin, edges, apart, rows } = Places::of(fold, rows, decider)?;
        let long = decider.most_parts().map_or(Ok(Vec::new()), |most| long_rows(&begin, most))?;
        let has_long = !long.is_empty();
        Ok(Self {
            long: has_long.then(|| memory.upload(bytemuck::cast_slice(&long))).transpose()?,
            long_count: long.len() as u64,
            row: memory.upload(bytemuck::cast_slice(&row))?,
            begin: edges.is_none().then(|| memory.upload(bytemuck::cast_slice(&begin))).transpose()?,
            edges: edges.map(|edges| memory.upload(bytemuck::cast_slice(&edges))).transpose()?,
            apart: apart.map(|apart| memory.upload(bytemuck::cast_slice(&apart))).transpose()?,
            sums: fold.properties.iter().map(|_| None).collect(),
            reduces,
            rows,
        })
    }

    /// Has the rows in arrays of at least so many bytes each, where they are not there.
    pub(crate) fn bring(
        &mut self,
        fold: &'static FoldFacts,
        store: &Store,
        array: impl Fn(usize) -> Result<A, RunError>,
    ) -> Result<(), RunError> {
        let lengths = lengths(fold, self.reduces, store, self.rows);
        for (sums, length) in self.sums.iter_mut().zip(lengths).filter(|(sums, _)| sums.is_none()) {
            *sums = length.map(|length| array(4 * length)).transpose()?;
        }
        Ok(())
    }

    /// Has others take the arrays of the rows, which nobody needs until the next run.
    pub(crate) fn leave<M: Memory<Array = A>>(&mut self, memory: &M) {
        let sums = self.sums.iter_mut().filter_map(|sums| sums.take_if(|sums| memory.is_spared(sums)));
        sums.for_each(|sums| memory.keep(sums));
    }

    /// The rows that are there.
    pub(crate) fn sums(&self) -> impl Iterator<Item = &A> {
        self.sums.iter().flatten()
    }

    /// The arrays, beside what launches on these groups and cut rows reach of them.
    pub(crate) fn extents<M: Memory<Array = A>>(
        &self,
        fold: &'static FoldFacts,
        memory: &M,
        store: &Store,
        (groups, cut_rows): (u64, u64),
    ) -> impl Iterator<Item = Extent> {
        let of = |name, array: &Option<A>, count: u64| {
            Extent::of(name, array.as_ref().map_or(0, |array| memory.bytes(array)), count as usize, 4)
        };
        let (begins, edges) = if self.edges.is_none() { (cut_rows + 1, 0) } else { (0, cut_rows) };
        let apart = if self.apart.is_none() { 0 } else { groups };
        let places = [
            Extent::of("the rows of the partial totals", memory.bytes(&self.row), groups as usize, 4),
            of(BEGIN, &self.begin, begins),
            of(EDGES_BEGUN, &self.edges, edges),
            of(APART, &self.apart, apart),
            of(LONG, &self.long, self.long_count),
        ];
        let sums = self.sums.iter().zip(lengths(fold, self.reduces, store, self.rows)).zip(fold.properties);
        let sums = sums.filter_map(|((sums, length), property)| {
            Some(Extent::of(property.name, sums.as_ref().map_or(0, |sums| memory.bytes(sums)), length?, 4))
        });
        places.into_iter().chain(sums)
    }

    /// Shows each array with what it holds.
    pub(crate) fn each_array(&self, fold: &'static FoldFacts, see: See<'_, A>) {
        see(&self.row, format_args!("the rows of the partial totals"));
        for (array, name) in
            [(&self.begin, BEGIN), (&self.edges, EDGES_BEGUN), (&self.apart, APART), (&self.long, LONG)]
        {
            array.iter().for_each(|array| see(array, format_args!("{name}")));
        }
        for (sums, property) in self.sums.iter().zip(fold.properties) {
            sums.iter().for_each(|sums| see(sums, format_args!("{} (partial)", property.name)));
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
        let place = |array: &Option<A>| array.as_ref().map_or(ptr::null(), |array| memory.address(array).cast());
        let [begin, edges, apart, long] = [&self.begin, &self.edges, &self.apart, &self.long].map(place);
        CutParts { row: memory.address(&self.row).cast(), begin, edges, apart, long }
    }
}

/// Where groups leave their totals.
struct Places {
    /// The row of each group.
    row: Vec<u32>,
    /// Where those of each cut row begin, and the end; nothing where each has one.
    begin: Vec<u32>,
    /// Of how many edges that has begun, where groups add to it.
    edges: Option<Vec<u32>>,
    /// The row of its own of each group that may not be able to add.
    apart: Option<Vec<u32>>,
    /// How many rows there are.
    rows: usize,
}

impl Places {
    fn of(fold: &FoldFacts, rows: &Adjacency, decider: &Decider) -> Result<Self, RunError> {
        if decider.pull().row().unit == Unit::Edge {
            return Ok(Self::apart(edges(rows)?));
        }
        let groups = NeighborGroups::of(rows, decider.incoming_groups())?;
        if !decider.adds_parts() {
            return Ok(Self::apart(groups.parts()?));
        }
        // The leader of a block does not know how many edges its other groups have.
        let is_known = decider.pull().row().unit == Unit::Group;
        let begun = |vertex: &u32| if is_known { rows.degree(*vertex) as u32 } else { 0 };
        let edges = memory::collect(groups.cut.iter().map(begun), EDGES)?;
        let (apart, rows) =
            if fold.parts.are_relative() { after(edges.len(), groups.parts()?)? } else { (None, edges.len()) };
        Ok(Self { row: groups.cut_rows()?, begin: Vec::new(), edges: Some(edges), apart, rows })
    }

    /// A row for each group.
    fn apart((row, begin): (Vec<u32>, Vec<u32>)) -> Self {
        let rows = begin.last().map_or(0, |rows| *rows as usize);
        Self { row, begin, edges: None, apart: None, rows }
    }
}

/// The rows of groups after so many others, and how many there are together.
fn after(others: usize, (mut row, begin): (Vec<u32>, Vec<u32>)) -> Result<(Option<Vec<u32>>, usize), RunError> {
    let others = numbered(others)?;
    let rows = begin.last().map_or(Some(others), |rows| rows.checked_add(others)).ok_or(RunError::Parts)?;
    row.iter_mut().for_each(|row| *row = row.saturating_add(others));
    Ok((Some(row), rows as usize))
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

/// How many floats each property has partial sums of; `None` where it is none of those that are reduced.
fn lengths(fold: &'static FoldFacts, reduces: u64, store: &Store, rows: usize) -> impl Iterator<Item = Option<usize>> {
    let is_reduced = move |index: usize| reduces >> index & 1 == 1;
    let floats = move |index: usize, property| {
        let PartFloats { own, shared } = fold.parts.get(index);
        match usize::from(shared) {
            0 => length(property, store.shape_of(rows, 0)) * usize::from(own),
            shared => rows * row_stride(length(property, store.shape_of(1, 0)), store.heads() * shared),
        }
    };
    let properties = store.properties().iter().enumerate();
    properties.map(move |(index, property)| is_reduced(index).then(|| floats(index, property)))
}

/// An array of at least so many bytes that others have left, or else a new one. That is as long as one of a property, if it is not more than twice as long then, so that each may take the other's.
pub(crate) fn array_for<M: Memory>(memory: &M, store: &Store, bytes: usize) -> Result<M::Array, RunError> {
    let lengths = (0..store.properties().len()).map(|index| store.bytes(index).len() + packing::room(store, index));
    let length = lengths.filter(|length| (bytes..=2 * bytes).contains(length)).min();
    memory.spare_of_at_least(bytes)?.map_or_else(|| memory.zeroed(length.unwrap_or(bytes)), Ok)
}

/// The properties that the stages of a fold reduce along incoming rows, or along outgoing ones.
pub(crate) fn reduced(fold: &'static FoldFacts, is_reversed: bool) -> u64 {
    let stages = fold.stages.iter().filter(|stage| stage.is_reversed() == is_reversed);
    stages.fold(0, |all, stage| all | stage.edges.reduces)
}

/// The bytes of the partial sums of rows.
pub(crate) fn bytes(fold: &'static FoldFacts, reduces: u64, rows: &Adjacency, store: &Store, decider: &Decider) -> u64 {
    let size = decider.incoming_groups();
    let (groups, (cut, parts)) = match decider.pull().row().unit {
        Unit::Edge => (rows.edge_count(), (rows.vertex_count(), rows.edge_count())),
        _ => (NeighborGroups::count(rows, size), NeighborGroups::count_cut(rows, size)),
    };
    let long = decider.most_parts().map_or(0, |most| NeighborGroups::count_long(rows, size, most));
    let (of_rows, parts) = match decider.adds_parts() {
        true if fold.parts.are_relative() => (cut + groups, cut + parts),
        true => (cut, cut),
        false => (cut + 1, parts),
    };
    let floats: usize = lengths(fold, reduces, store, parts).flatten().sum();
    4 * (groups + of_rows + long + floats) as u64
}

#[cfg(test)]
mod tests {
    use onyx_device::Fold;
    use onyx_device::prelude::*;

    use super::*;
    use crate::graph::GraphBuilder;
    use crate::options::Options;
    use crate::schedule::rule::Processor;
    use crate::schedule::{Form, Schedule};

    #[graph_data]
    struct Average<const K: usize> {
        value: VertexFeatures<K>,
        mean: VertexFeatures<K>,
    }

    #[edge_fn]
    fn average<const K: usize>(f: Feature, e: Edge, d: &mut Average<K>) -> bool {
        d.mean[e.dst][f].mean_with(d.value[e.src][f]);
        true
    }

    foldmap! { averages<const K: usize>(Average<K>) = [average]; features = [4] }

    #[test]
    fn a_row_that_groups_add_to_has_one_part() {
        let edges = (0..100).map(|source| (source, 7)).chain((0..10).map(|source| (source, 3))).collect();
        let graph = GraphBuilder::new().edges(edges).build().unwrap();
        let store = Store::new(averages, &graph, 4).unwrap();
        let decider = |deterministic| {
            let options =
                Options { deterministic, schedule: Schedule::NeighborGroup, group_size: Some(4), ..Options::default() };
            Decider::new(averages::FACTS, &graph, Form::narrow(4), &options, Processor::default())
        };
        let places = |deterministic| Places::of(averages::FACTS, graph.incoming(), &decider(deterministic)).unwrap();
        assert_eq!((places(false).edges, places(false).begin), (Some(vec![10, 100]), vec![]));
        assert!(places(true).edges.is_none() && places(true).begin.last() > Some(&2));
        // 98 rows of one group, and 3 and 25 groups of the others; of each cut row what it begins with, four sums and a number with its padding.
        let of = |deterministic| {
            bytes(averages::FACTS, averages::FACTS.edges.reduces, graph.incoming(), &store, &decider(deterministic))
        };
        assert_eq!(of(false), 4 * (98 + 3 + 25 + 2 + 2 * (4 + 4)));
        assert!(of(true) > of(false));
    }

    #[test]
    fn edges_beyond_32_bits_are_refused() {
        assert!(matches!(numbered(u32::MAX as usize), Ok(u32::MAX)));
        assert!(matches!(numbered(1 << 32), Err(RunError::Parts)));
    }
}
