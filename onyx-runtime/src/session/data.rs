//! The data of an algorithm in a session.

use std::fmt;
use std::marker::PhantomData;

use ndarray::{ArrayView, ArrayViewMut, AsArray, Dimension};
use onyx_device::property::{Descriptor, Element, Key, Parameter};
use onyx_device::table::Table;
use onyx_device::{Fold, FoldOf, stage};

use super::borrowed::Borrowed;
use super::sequence::Absent;
use super::shape::{Counts, InPlace, Shaped};
use super::{Processor, ResidentGraph, Session, next_number};
use crate::backend::cuda::CudaArray;
use crate::backend::emulator::{EmulatedArray, EmulatedMemory};
use crate::backend::residency::Residency;
use crate::backend::topology::Facing;
use crate::error::{CudaError, RunError};
use crate::floats::Floats;
use crate::store::Store;
use crate::{total, totals};

/// The values of all properties of one `#[graph_data]` structure, for one graph, in a session's memory.
///
/// Values go there and come back as whole arrays ([`Shaped`] says of which shape): [`Data::write`] and [`Data::view_mut`] change what the next run starts from,
/// [`Data::read`] copies back what a run has left, and nothing else is copied.
pub struct Data<D> {
    pub(super) session: Session,
    /// The data's own number.
    pub(super) number: u64,
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
    pub(super) structure: PhantomData<fn() -> D>,
}

/// The arrays in the processor's memory.
pub(super) enum DataPlace {
    /// The store itself.
    Cpu,
    Emulator(Residency<EmulatedArray>),
    Cuda(Residency<CudaArray>),
}

impl<D> Data<D> {
    pub(super) fn new<F: FoldOf<D>>(
        fold: F,
        session: &Session,
        graph: &ResidentGraph<'_>,
        (heads, features): (usize, usize),
    ) -> Result<Self, RunError> {
        if graph.session().number() != session.number() {
            return Err(RunError::OtherSession { what: "graph", fold: F::NAME });
        }
        let store = Store::of_heads(fold, graph.graph(), heads, features)?;
        let place = match session.processor() {
            Processor::Cpu => DataPlace::Cpu,
            Processor::Emulator => DataPlace::Emulator(Residency::default()),
            Processor::Cuda(_) => DataPlace::Cuda(Residency::default()),
        };
        Ok(Self {
            session: session.clone(),
            number: next_number(),
            graph: (graph.number(), graph.facing()),
            failed: vec![None; store.properties().len()],
            borrowed: vec![None; store.properties().len()],
            queued: (Vec::new(), 0),
            round: 0,
            store,
            place,
            lost: 0,
            structure: PhantomData,
        })
    }

    /// The number of features in each row: of all heads together.
    pub fn features(&self) -> usize {
        self.store.features()
    }

    /// How many heads each row has; one where rows are no heads.
    pub fn heads(&self) -> usize {
        self.store.heads()
    }

    /// The session that it lives in.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Sets a parameter.
    pub fn set(&mut self, key: Key<D, Parameter>, value: f32) {
        self.store.set(key, value);
    }

    /// The value of a parameter.
    pub fn get(&self, key: Key<D, Parameter>) -> f32 {
        self.store.get(key)
    }

    /// Takes the values of a property: the next run starts from them. Those of half precision are rounded to the nearest. A table has as many rows as it is
    /// given.
    ///
    /// # Errors
    /// [`RunError::Shape`] if they are not of the property's shape; [`RunError::TooGreat`] if a number is finite, and infinite in half precision;
    /// [`RunError::Memory`] if there is no memory for the conversion, or for a table's rows.
    pub fn write<'v, P: Shaped>(
        &mut self,
        key: Key<D, P>,
        values: impl AsArray<'v, P::Number, P::Dimension>,
    ) -> Result<(), RunError> {
        let values = values.into();
        if P::IS_TABLE
            && values.shape()[1..] == [self.store.features()]
            && values.shape()[0] != self.store.rows(key.index)
        {
            self.give_rows(key, values.shape()[0])?;
        }
        let shape = P::shape(self.counts(key.index));
        let expected = shape.raw_dim().slice().to_vec();
        if values.shape() != expected {
            let property = self.descriptor(key.index).name;
            return Err(RunError::Shape { property, found: values.shape().to_vec(), expected });
        }
        let counts = self.counts(key.index);
        if self.descriptor(key.index).number.is_half() {
            self.write_halves::<P>(key.index, values)?;
        } else {
            view_mut::<P>(&mut self.store, counts, key.index).assign(&values);
        }
        self.wrote(key.index);
        Ok(())
    }

    /// Rounds floats, which are all looked at before anything is changed.
    fn write_halves<P: Shaped>(
        &mut self,
        index: usize,
        values: ArrayView<'_, P::Number, P::Dimension>,
    ) -> Result<(), RunError> {
        let mut floats = Floats::zeroed(self.store.length(index))?;
        let room = ArrayViewMut::from_shape(P::shape(self.counts(index)), floats.numbers_mut());
        room.unwrap_or_else(|_| unreachable!("there is room for all of the property")).assign(&values);
        self.store.narrow(index, floats.as_slice()).map_err(|at| {
            let (value, width) = (floats.as_slice()[at], self.store.width());
            let Descriptor { name: property, number, .. } = self.descriptor(index);
            RunError::TooGreat { property, row: at / width, feature: at % width, value, number: number.name() }
        })
    }

    /// Gives a table so many rows of zeros, in place of those that it has. Memory that it has borrowed is given back.
    ///
    /// # Errors
    /// [`RunError::Memory`] if there is no memory for them; what [`Data::give_back`] fails with.
    pub fn resize(&mut self, key: Key<D, Table<0>>, rows: usize) -> Result<(), RunError> {
        self.give_rows(key, rows)
    }

    fn give_rows<P: Shaped>(&mut self, key: Key<D, P>, rows: usize) -> Result<(), RunError> {
        self.give_back(key)?;
        let index = key.index;
        self.store.give_rows(index, rows)?;
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

    /// The values of a property, to be changed where they are: the next run starts from them.
    ///
    /// # Errors
    /// As [`Data::read`].
    pub fn view_mut<P: InPlace>(
        &mut self,
        key: Key<D, P>,
    ) -> Result<ArrayViewMut<'_, P::Number, P::Dimension>, RunError> {
        self.fetch_one(key.index)?;
        self.wrote(key.index);
        let counts = self.counts(key.index);
        Ok(view_mut::<P>(&mut self.store, counts, key.index))
    }

    /// The values of a property, as the last run has left them: copied to the host now, if they are not there yet.
    ///
    /// # Errors
    /// [`RunError::Lost`] if they were in the processor's memory alone when a run failed; [`RunError::OutOfRange`] if a sequence has read out of range on a GPU
    /// meanwhile; [`RunError::Taken`] if they are totals that a fold has taken from registers; [`RunError::Recording`] inside of a recording; what the copy fails with.
    pub fn read<P: Shaped>(&mut self, key: Key<D, P>) -> Result<ArrayView<'_, P::Number, P::Dimension>, RunError> {
        self.fetch_one(key.index)?;
        self.values(key)
    }

    /// The values of a property that are on the host.
    pub(super) fn values<P: Shaped>(
        &mut self,
        key: Key<D, P>,
    ) -> Result<ArrayView<'_, P::Number, P::Dimension>, RunError> {
        let shape = P::shape(self.counts(key.index));
        let values = if self.descriptor(key.index).number.is_half() {
            bytemuck::cast_slice(self.store.widened(key.index)?)
        } else {
            self.store.numbers(key.index)
        };
        ArrayView::from_shape(shape, values).map_err(|_| unreachable!("the store has the numbers of every property"))
    }

    /// What rows are padded to: a compiled width, or a multiple of the widest.
    pub fn width(&self) -> usize {
        self.store.width()
    }

    /// How many numbers a property has, padding included: rows of [`Data::width`] floats, one for each vertex or edge, or `width` rows where it has a
    /// matrix of each. A scalar has one number for each vertex or edge; a number of each head is there for all of them, head after head.
    pub fn length<P: Shaped>(&self, key: Key<D, P>) -> usize {
        self.store.length(key.index)
    }

    fn fetch_one(&mut self, index: usize) -> Result<(), RunError> {
        let name = self.descriptor(index).name;
        self.session.check_unrecorded(|| format!("reading `{name}` is"))?;
        self.check_found(index)?;
        self.fetch(1 << index)
    }

    /// Whether the property at `index` has values anywhere.
    pub(super) fn check_found(&self, index: usize) -> Result<(), RunError> {
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

    /// The counts that the shape of the property at `index` comes of.
    pub(super) fn counts(&self, index: usize) -> Counts {
        let ((vertices, edges), rows) = (self.store.shape(), self.store.rows(index));
        let (features, width, heads) = (self.store.features(), self.store.width(), self.store.heads());
        Counts { vertices, edges, features, width, heads, rows }
    }
}

/// What a run does with data.
impl<D> Data<D> {
    /// Whether the data are of this graph, for a run of fold `F`, or of its reverse, if that makes no difference to the fold.
    pub(super) fn check<F: Fold>(&self, graph: &ResidentGraph<'_>) -> Result<(), RunError> {
        let (fold, (number, facing)) = (F::NAME, self.graph);
        if graph.session().number() != self.session.number() {
            return Err(RunError::OtherSession { what: "data", fold });
        }
        if graph.number() != number {
            return Err(RunError::OtherGraph { fold });
        }
        match edge_property::<F>().filter(|_| graph.facing() != facing) {
            Some(property) => Err(RunError::ReversedEdges { fold, property }),
            None => Ok(()),
        }
    }

    /// Makes room for what a run of fold `F` adds up to totals of the graph.
    pub(super) fn make_contributions<F: Fold>(&mut self) -> Result<(), RunError> {
        Ok(self.store.make_contributions::<F>()?)
    }

    /// The data's own number.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Notes what a run of fold `F` has left of its totals: also of those that an earlier run has lost.
    pub(super) fn computed<F: Fold>(&mut self) {
        self.store.note_totals::<F>();
        self.lost &= !totals::overwritten::<F>();
    }

    /// Notes that fold `F` was launched, which writes these properties, and leaves its totals as it does.
    pub(super) fn queued<F: Fold>(&mut self, written: u64) {
        self.computed::<F>();
        if matches!(self.place, DataPlace::Cuda(_)) {
            self.round = self.round.max(self.session.round());
            let (names, all) = &mut self.queued;
            *all |= written;
            if !names.contains(&F::NAME) {
                names.push(F::NAME);
            }
        }
    }

    /// What has become of waiting for the GPU: where it failed, what was launched before has failed, too.
    pub(super) fn waited<T>(&mut self, done: Result<T, RunError>) -> Result<T, RunError> {
        let is_of_driver = matches!(done, Err(RunError::Cuda(CudaError::Driver { .. }) | RunError::Unrecorded { .. }));
        if done.is_err() && !is_of_driver {
            return done;
        }
        let (names, written) = std::mem::take(&mut self.queued);
        self.round = 0;
        done.map_err(|source| {
            if names.is_empty() {
                return source;
            }
            names.iter().for_each(|name| self.lose(name, written));
            RunError::Queued { folds: names.join(", "), source: Box::new(source) }
        })
    }

    /// Notes that what was launched has failed.
    fn lose(&mut self, fold: &'static str, properties: u64) {
        self.note_failed(fold, properties);
        if let DataPlace::Cuda(residency) = &mut self.place {
            residency.begin();
            residency.failed(properties);
        }
    }

    fn note_failed(&mut self, fold: &'static str, properties: u64) {
        let failed = self.failed.iter_mut().enumerate();
        failed.filter(|(index, _)| properties >> index & 1 == 1).for_each(|(_, failed)| *failed = Some(fold));
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
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

    /// Notes that folds, each of which could write some properties, have failed. The CPU works in the host's copies themselves,
    /// and nothing but a panic or too little memory stops it there.
    pub(super) fn fail(&mut self, folds: &[(&'static str, u64)], error: &RunError) {
        folds.iter().for_each(|(fold, written)| self.note_failed(fold, *written));
        let properties = folds.iter().fold(0, |all, (_, written)| all | written);
        // The contributions to totals begin again with each run.
        let properties_there = properties & !total::all_contributions(self.store.properties());
        let is_changed = matches!(error, RunError::Panic { .. } | RunError::OutOfRange { .. } | RunError::Memory(_));
        match &mut self.place {
            DataPlace::Cpu => {
                self.store.settle_borrowed();
                self.lost |= if is_changed { properties_there } else { 0 };
            }
            DataPlace::Emulator(residency) => residency.failed(properties),
            DataPlace::Cuda(residency) => residency.failed(properties),
        }
    }

    /// The session, the host's copies, and the arrays in the processor's memory.
    pub(super) fn parts(&mut self) -> (&Session, &mut Store, &mut DataPlace) {
        (&self.session, &mut self.store, &mut self.place)
    }
}

/// A property of edges that fold `F` reaches and that outlives a run, if there is one.
fn edge_property<F: Fold>() -> Option<&'static str> {
    let is_of_edge = |property: &Descriptor| {
        matches!(
            property.element,
            Element::EdgeScalar | Element::EdgeHeads | Element::EdgeFeatures | Element::EdgeMatrix
        )
    };
    let mut properties = F::PROPERTIES.iter().enumerate();
    let reached = stage::reached(F::STAGES);
    let found =
        properties.find(|(index, property)| is_of_edge(property) && !property.scratch && reached >> index & 1 == 1);
    found.map(|(_, property)| property.name)
}

fn view_mut<P: Shaped>(store: &mut Store, counts: Counts, index: usize) -> ArrayViewMut<'_, P::Number, P::Dimension> {
    let view = ArrayViewMut::from_shape(P::shape(counts), store.numbers_mut(index));
    view.unwrap_or_else(|_| unreachable!("the store has the numbers of every property"))
}

impl<D> fmt::Debug for Data<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Data").field("session", &self.session).field("store", &self.store).finish()
    }
}
