//! The data of an algorithm without the type of their structure, so that what is done with them is compiled once.

mod run;

use std::sync::{Arc, Weak};

use onyx_device::FoldFacts;
use onyx_device::property::Descriptor;

use super::borrowed::Borrowed;
use super::sequence::Absent;
use super::shape::Counts;
use super::{Processor, ResidentGraph, Session, next_number};
use crate::backend::cuda::CudaArray;
use crate::backend::emulator::{EmulatedArray, EmulatedMemory};
use crate::backend::residency::Residency;
use crate::backend::topology::Facing;
use crate::error::RunError;
use crate::store::Store;
use crate::total;

/// What [`Data`](super::Data) is of any structure.
pub(super) struct AnyData {
    pub(super) session: Session,
    /// The data's own number.
    pub(super) number: u64,
    /// There as long as the data are, for those who keep something for them.
    alive: Arc<()>,
    /// The number of the graph and of its reverse, and which of them the values of edges belong to.
    pub(super) graph: (u64, Facing),
    /// What the host has, where it is current.
    pub(super) store: Store,
    pub(super) place: DataPlace,
    /// The properties that a failed run on the CPU has left with values of several iterations.
    pub(super) lost: u64,
    /// By property: the fold that could write it when its run failed.
    pub(super) failed: Vec<Option<&'static str>>,
    /// By property: memory of another owner that it is in.
    pub(super) borrowed: Vec<Option<Borrowed>>,
    /// What was launched and may still run: the names of the folds, and what they write.
    pub(super) queued: (Vec<&'static str>, u64),
    /// The number of the recording's round in which that was, where it was in one.
    pub(super) round: u64,
    /// How often tables have got rows.
    pub(super) rows_given: u64,
}

/// The arrays in the processor's memory.
pub(super) enum DataPlace {
    /// The store itself.
    Cpu,
    Emulator(Residency<EmulatedArray>),
    Cuda(Residency<CudaArray>),
}

impl AnyData {
    pub(super) fn new(
        fold: &'static FoldFacts,
        session: &Session,
        graph: &ResidentGraph<'_>,
        (heads, widths): (usize, &[usize]),
    ) -> Result<Self, RunError> {
        if graph.session().number() != session.number() {
            return Err(RunError::OtherSession { what: "graph", fold: fold.declared_name });
        }
        let mut store = Store::of(fold, graph.graph(), heads, widths)?;
        let place = match session.processor() {
            // Memory is there, or is refused, before a run begins.
            Processor::Cpu => {
                store.take_memory();
                DataPlace::Cpu
            }
            Processor::Emulator => DataPlace::Emulator(Residency::default()),
            Processor::Cuda(_) => DataPlace::Cuda(Residency::default()),
        };
        Ok(Self {
            session: session.clone(),
            number: next_number(),
            alive: Arc::default(),
            graph: (graph.number(), graph.facing()),
            failed: vec![None; store.properties().len()],
            borrowed: vec![None; store.properties().len()],
            queued: (Vec::new(), 0),
            round: 0,
            rows_given: 0,
            store,
            place,
            lost: 0,
        })
    }

    /// What tells whether the data are still there.
    pub(super) fn alive(&self) -> Weak<()> {
        Arc::downgrade(&self.alive)
    }

    /// Has the values be of another graph from here on.
    pub(super) fn move_to(&mut self, graph: &ResidentGraph<'_>) -> Result<(), RunError> {
        self.session.touch();
        if graph.session().number() != self.session.number() {
            return Err(RunError::OtherSession { what: "graph", fold: self.store.data() });
        }
        (0..self.borrowed.len()).try_for_each(|index| self.give_back(index))?;
        self.store.move_to(graph.graph())?;
        match (&mut self.place, self.session.processor()) {
            (DataPlace::Emulator(residency), _) => residency.move_to(&EmulatedMemory, &self.store),
            (DataPlace::Cuda(residency), Processor::Cuda(gpu)) => {
                residency.move_to(gpu.memory(), &self.store);
                // Graphs of other sizes leave arrays that nobody would take.
                gpu.memory().free_spares();
            }
            _ => {}
        }
        self.graph = (graph.number(), graph.facing());
        Ok(())
    }

    /// Has others take the memory of the property at `index`, and of the contributions to it, whose values nobody needs any more.
    pub(super) fn discard(&mut self, index: usize) {
        self.session.touch();
        let contributions = total::contributions_to(self.store.properties(), index);
        for index in contributions.into_iter().chain([index]) {
            match (&mut self.place, self.session.processor()) {
                (DataPlace::Emulator(residency), _) => residency.discard(&EmulatedMemory, index),
                (DataPlace::Cuda(residency), Processor::Cuda(gpu)) => residency.discard(gpu.memory(), index),
                _ => {}
            }
            self.store.discard(index);
        }
    }

    /// Gives the table at `index` so many rows of zeros. Memory that it has borrowed is given back.
    pub(super) fn give_rows(&mut self, index: usize, rows: usize) -> Result<(), RunError> {
        self.session.touch();
        self.give_back(index)?;
        self.store.give_rows(index, rows)?;
        self.rows_given += 1;
        self.wrote(index);
        let contributions = total::contributions_to(self.store.properties(), index);
        for index in contributions.into_iter().chain([index]) {
            match &mut self.place {
                DataPlace::Cpu => {}
                DataPlace::Emulator(residency) => residency.forget(index),
                DataPlace::Cuda(residency) => residency.forget(index),
            }
        }
        Ok(())
    }

    /// Copies the property at `index` to the host, if it is not there.
    pub(super) fn fetch_one(&mut self, index: usize) -> Result<(), RunError> {
        let name = self.descriptor(index).name;
        self.session.check_unrecorded(|| format!("reading `{name}` is"))?;
        self.check_found(index)?;
        self.fetch(1 << index)
    }

    /// Whether the property at `index` has values anywhere that may be read.
    pub(super) fn check_found(&self, index: usize) -> Result<(), RunError> {
        if self.store.is_discarded(index) {
            return Err(RunError::Discarded { property: self.descriptor(index).name });
        }
        self.check_there(index)
    }

    /// Whether the property at `index` has a place, for values that are written.
    pub(super) fn check_there(&self, index: usize) -> Result<(), RunError> {
        self.check_absent(self.absent(), 1 << index, 1 << index)
    }

    /// The values that are nowhere.
    pub(super) fn absent(&self) -> Absent {
        let lost = match &self.place {
            DataPlace::Cpu => self.lost,
            DataPlace::Emulator(residency) => residency.lost(),
            DataPlace::Cuda(residency) => residency.lost(),
        };
        Absent { lost, taken: self.store.taken() }
    }

    /// Whether what a run needs is there: `needed` as it was left, and of `read` no totals that no memory has.
    pub(super) fn check_absent(&self, absent: Absent, needed: u64, read: u64) -> Result<(), RunError> {
        let first = |set: u64| Some(set.trailing_zeros() as usize).filter(|_| set != 0);
        if let Some(index) = first(absent.lost & needed) {
            let property = self.descriptor(index).name;
            let lost = |fold| RunError::Lost { property, fold };
            return Err(self.failed[index].map_or(RunError::GivenBack { property }, lost));
        }
        match first(absent.taken & read) {
            Some(index) => Err(RunError::Taken { property: self.descriptor(index).name }),
            None => Ok(()),
        }
    }

    /// Copies to the host what is current in the processor's memory alone, of the properties whose bits are set.
    pub(super) fn fetch(&mut self, properties: u64) -> Result<(), RunError> {
        match (&mut self.place, self.session.processor()) {
            (DataPlace::Emulator(residency), _) => residency.fetch(&EmulatedMemory, &mut self.store, properties),
            (DataPlace::Cuda(residency), _) if residency.is_ahead(properties) => {
                self.session.touch();
                let fetched = self.fetch_from_gpu(properties);
                self.waited(fetched)
            }
            _ => Ok(()),
        }
    }

    fn fetch_from_gpu(&mut self, properties: u64) -> Result<(), RunError> {
        self.look()?;
        let (DataPlace::Cuda(residency), Processor::Cuda(gpu)) = (&mut self.place, self.session.processor()) else {
            return Ok(());
        };
        gpu.noticing(residency.fetch(gpu.memory(), &mut self.store, properties))
    }

    /// Waits for sequences that may have read out of range, as far as nobody has done so yet. What they write is lost where they have.
    pub(super) fn look(&mut self) -> Result<(), RunError> {
        self.session.failure(self.round).map_or(Ok(()), Err)?;
        let (DataPlace::Cuda(residency), Processor::Cuda(gpu)) = (&mut self.place, self.session.processor()) else {
            return Ok(());
        };
        let looked = gpu.noticing(residency.look(gpu.memory(), &self.store));
        if matches!(looked, Err(RunError::OutOfRange { .. })) {
            let (names, written) = std::mem::take(&mut self.queued);
            names.iter().for_each(|name| self.lose(name, written));
        }
        looked
    }

    pub(super) fn wrote(&mut self, index: usize) {
        self.session.touch();
        self.store.give(index);
        match &mut self.place {
            DataPlace::Cpu => self.lost &= !(1 << index),
            DataPlace::Emulator(residency) => residency.wrote(index),
            DataPlace::Cuda(residency) => residency.wrote(index),
        }
    }

    pub(super) fn descriptor(&self, index: usize) -> Descriptor {
        self.store.properties()[index]
    }

    /// What is said of values that are not of the shape of the property at `index`.
    pub(super) fn other_shape(&self, index: usize, found: &[usize], expected: Vec<usize>) -> RunError {
        let (Descriptor { name: property, element, .. }, found) = (self.descriptor(index), found.to_vec());
        if element.is_of_inputs() {
            return RunError::WidthShape { property, found, expected, widths: self.store.widths() };
        }
        RunError::Shape { property, found, expected }
    }

    /// The counts that the shape of the property at `index` comes of.
    pub(super) fn counts(&self, index: usize) -> Counts {
        let ((vertices, edges), rows) = (self.store.shape(), self.store.rows(index));
        let (features, width, heads) = (self.store.features(), self.store.width(), self.store.heads());
        Counts { vertices, edges, features, width, heads, rows }
    }

    /// Whether the host's copies of these properties are older than those in the processor's memory, of any of them.
    #[cfg(test)]
    pub(super) fn is_ahead(&self, properties: u64) -> bool {
        match &self.place {
            DataPlace::Cpu => false,
            DataPlace::Emulator(residency) => residency.is_ahead(properties),
            DataPlace::Cuda(residency) => residency.is_ahead(properties),
        }
    }

    /// The session, the host's copies, and the arrays in the processor's memory.
    pub(super) fn parts(&mut self) -> (&Session, &mut Store, &mut DataPlace) {
        (&self.session, &mut self.store, &mut self.place)
    }
}
