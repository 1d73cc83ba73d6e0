//! What the launches of a batch depend on besides its plan, by which a recording is known again: in the same run, and in later ones.

use std::fmt::{self, Write};
use std::hash::{DefaultHasher, Hasher};

use onyx_device::total::Below;

use super::{ArrayOf, Device, DeviceEngine, is_resident};
use crate::backend::memory::Memory;
use crate::plan::Work;

/// Is shown an array, and what it holds.
pub(crate) type See<'s, A> = &'s mut dyn FnMut(&A, fmt::Arguments<'_>);

/// Where an array lies in memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemoryRange {
    pub(crate) first: *mut u8,
    /// Its bytes, and those of the room after it.
    pub(crate) bytes: usize,
}

impl MemoryRange {
    /// That of the array.
    pub(crate) fn of<M: Memory>(memory: &M, array: &M::Array) -> Self {
        Self { first: memory.address(array), bytes: memory.bytes(array).saturating_add(memory.room(array)) }
    }
}

/// The arrays, numbers and parameters of a run, as they are before its first iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Situation {
    work: Work,
    words: Vec<u64>,
}

impl<Q: Device> DeviceEngine<'_, Q> {
    /// That of the run.
    pub(super) fn situation(&self) -> Situation {
        let memory = self.run.device.memory();
        let mut words = Vec::new();
        self.each_array(&mut |array, name| {
            let range = MemoryRange::of(memory, array);
            words.extend([hash(name), range.first.addr() as u64, range.bytes as u64, memory.bytes(array) as u64]);
        });
        words.extend(self.counts());
        words.extend(self.numbers());
        Situation { work: self.run.work.clone(), words }
    }

    /// Shows each array that launches reach, which has a name of its own.
    fn each_array(&self, see: See<'_, ArrayOf<Q>>) {
        let fold = self.run.fold;
        let properties = (0..fold.properties.len()).filter(|index| is_resident(fold, *index));
        for (index, property) in properties.filter_map(|index| Some((index, self.residency.get(index)?))) {
            let name = fold.properties[index].name;
            see(&property.current, format_args!("{name}"));
            property.pending.iter().for_each(|array| see(array, format_args!("{name} (pending)")));
            property.previous.iter().for_each(|array| see(array, format_args!("{name} (tracked)")));
        }
        let [incoming, reversed] = &self.run.rows;
        let sides = [(&incoming.edges, "incoming"), (&reversed.edges, "outgoing"), (&self.run.outgoing, "outgoing")];
        for (adjacency, side) in sides.iter().filter_map(|(adjacency, side)| Some((adjacency.as_ref()?, side))) {
            adjacency.each_array(side, see);
        }
        self.run.blocks.iter().for_each(|blocks| see(&blocks.first, format_args!("the blocks of graphs")));
        self.run.reverse.iter().for_each(|(numbers, _)| see(numbers, format_args!("the reverse edges")));
        see(&self.run.active, format_args!("the active words"));
        see(&self.run.marks, format_args!("the marks"));
        self.run.counters.each_array(see);
        see(&self.run.out_degree, format_args!("the outgoing degrees"));
        self.run.partials().for_each(|partials| partials.each_array(fold, see));
        let notes = self.run.notes.iter();
        notes.for_each(|notes| notes.with(|array| see(array, format_args!("what is out of range"))));
        self.run.partial_totals.iter().for_each(|array| see(array, format_args!("the partial totals of the graph")));
    }

    /// Tells a device that wants to know what the arrays hold.
    pub(super) fn name_arrays(&mut self) {
        if !self.run.device.wants_names() {
            return;
        }
        let mut named = Vec::new();
        let memory = self.run.device.memory();
        self.each_array(&mut |array, name| named.push((MemoryRange::of(memory, array), name.to_string())));
        named.into_iter().for_each(|(range, name)| self.run.device.name(range, &name));
    }

    /// What kernels know of rows and edges besides where they lie.
    fn counts(&self) -> impl Iterator<Item = u64> {
        let run = &self.run;
        let adjacencies = run.rows.iter().filter_map(|rows| rows.edges.as_ref()).chain(&run.outgoing);
        let blocks = run.blocks.as_ref().map_or([0; 2], |blocks| [blocks.count, u64::from(blocks.largest)]);
        let reverse = run.reverse.as_ref().map_or(0, |(_, bytes)| u64::from(*bytes));
        let counts = [run.vertex_count, run.edge_count, run.shape.lanes, reverse];
        adjacencies.flat_map(|adjacency| adjacency.counts()).chain(blocks).chain(counts)
    }

    /// Parameters, how many rows tables have, what a row is, and the bound that ends the run.
    fn numbers(&self) -> impl Iterator<Item = u64> {
        let (store, until) = (&*self.store, self.run.shape.until);
        let of = |index: usize| [u64::from(store.values[index].parameter.to_bits()), store.rows(index) as u64];
        let row = [store.head_features(), store.heads(), store.width()].map(|count| count as u64);
        let until = until.map_or([0; 2], |Below { total, bound, .. }| [total as u64, u64::from(bound.to_bits())]);
        (0..store.properties().len()).flat_map(of).chain(row).chain(until)
    }
}

/// A number for a name, which costs no memory.
fn hash(name: fmt::Arguments<'_>) -> u64 {
    struct Hashing(DefaultHasher);

    impl Write for Hashing {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.write(text.as_bytes());
            Ok(())
        }
    }

    let mut hashing = Hashing(DefaultHasher::new());
    // It refuses nothing.
    let _ = hashing.write_fmt(name);
    hashing.0.finish()
}
