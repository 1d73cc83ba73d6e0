//! The data of an algorithm in a session.

use std::fmt;
use std::marker::PhantomData;

use ndarray::{ArrayView, ArrayViewMut, AsArray, Dimension};
use onyx_device::FoldOf;
use onyx_device::property::{Descriptor, Key, Parameter};

use super::shape::{Counts, Shaped};
use super::{Processor, ResidentGraph, Session};
use crate::backend::cuda::CudaArray;
use crate::backend::emulator::{EmulatedArray, EmulatedMemory};
use crate::backend::residency::Residency;
use crate::error::RunError;
use crate::store::Store;

/// The values of all properties of one `#[graph_data]` structure, for one graph, in a session's memory.
///
/// Values go there and come back as whole arrays ([`Shaped`] says of which shape): [`Data::write`] and [`Data::view_mut`] change what the next run starts from,
/// [`Data::read`] copies back what a run has left, and nothing else is copied.
pub struct Data<D> {
    session: Session,
    /// The number of the graph.
    graph: u64,
    /// What the host has, where it is current.
    pub(super) store: Store,
    place: DataPlace,
    /// The properties that a failed run on the CPU has left with values of several iterations.
    lost: u64,
    /// The fold whose run has failed last.
    failed: Option<&'static str>,
    structure: PhantomData<fn() -> D>,
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
        features: usize,
    ) -> Result<Self, RunError> {
        if graph.session().number() != session.number() {
            return Err(RunError::OtherSession { what: "graph", fold: F::NAME });
        }
        let store = Store::new(fold, graph.graph(), features)?;
        let place = match session.processor() {
            Processor::Cpu => DataPlace::Cpu,
            Processor::Emulator => DataPlace::Emulator(Residency::default()),
            Processor::Cuda(_) => DataPlace::Cuda(Residency::default()),
        };
        let (session, graph) = (session.clone(), graph.number());
        Ok(Self { session, graph, store, place, lost: 0, failed: None, structure: PhantomData })
    }

    /// The number of features in each row.
    pub fn features(&self) -> usize {
        self.store.features()
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

    /// Takes the values of a property: the next run starts from them.
    ///
    /// # Errors
    /// [`RunError::Shape`] if they are not of the property's shape.
    pub fn write<'v, P: Shaped>(
        &mut self,
        key: Key<D, P>,
        values: impl AsArray<'v, f32, P::Dimension>,
    ) -> Result<(), RunError> {
        let values = values.into();
        let shape = P::shape(self.counts());
        let expected = shape.raw_dim().slice().to_vec();
        if values.shape() != expected {
            let property = self.descriptor(key.index).name;
            return Err(RunError::Shape { property, found: values.shape().to_vec(), expected });
        }
        self.wrote(key.index);
        let counts = self.counts();
        view_mut::<P>(&mut self.store, counts, key.index).assign(&values);
        Ok(())
    }

    /// The values of a property, to be changed where they are: the next run starts from them.
    ///
    /// # Errors
    /// As [`Data::read`].
    pub fn view_mut<P: Shaped>(&mut self, key: Key<D, P>) -> Result<ArrayViewMut<'_, f32, P::Dimension>, RunError> {
        self.fetch_one(key.index)?;
        self.wrote(key.index);
        let counts = self.counts();
        Ok(view_mut::<P>(&mut self.store, counts, key.index))
    }

    /// The values of a property, as the last run has left them: copied to the host now, if they are not there yet.
    ///
    /// # Errors
    /// [`RunError::Lost`] if they were in the processor's memory alone when a run failed; [`RunError::Taken`] if they are totals that a fold
    /// has taken from registers; what the copy fails with.
    pub fn read<P: Shaped>(&mut self, key: Key<D, P>) -> Result<ArrayView<'_, f32, P::Dimension>, RunError> {
        self.fetch_one(key.index)?;
        let (shape, values) = (P::shape(self.counts()), self.store.floats(key.index));
        ArrayView::from_shape(shape, values).map_err(|_| unreachable!("the store has the floats of every property"))
    }

    fn fetch_one(&mut self, index: usize) -> Result<(), RunError> {
        self.check_found(index)?;
        self.fetch(1 << index)
    }

    /// Whether the property at `index` has values anywhere.
    pub(super) fn check_found(&self, index: usize) -> Result<(), RunError> {
        let property = self.descriptor(index).name;
        if self.is_lost(index) {
            return Err(RunError::Lost { property, fold: self.failed.unwrap_or_default() });
        }
        if self.store.is_taken(index) { Err(RunError::Taken { property }) } else { Ok(()) }
    }

    /// Copies to the host what is current in the processor's memory alone, of the properties whose bits are set.
    pub(super) fn fetch(&mut self, properties: u64) -> Result<(), RunError> {
        match (&mut self.place, self.session.processor()) {
            (DataPlace::Emulator(residency), _) => residency.fetch(&EmulatedMemory, &mut self.store, properties),
            (DataPlace::Cuda(residency), Processor::Cuda(session)) => {
                residency.fetch(session.memory(), &mut self.store, properties)
            }
            _ => Ok(()),
        }
    }

    fn is_lost(&self, index: usize) -> bool {
        match &self.place {
            DataPlace::Cpu => self.lost >> index & 1 == 1,
            DataPlace::Emulator(residency) => residency.is_lost(index),
            DataPlace::Cuda(residency) => residency.is_lost(index),
        }
    }

    fn wrote(&mut self, index: usize) {
        self.store.give(index);
        match &mut self.place {
            DataPlace::Cpu => self.lost &= !(1 << index),
            DataPlace::Emulator(residency) => residency.wrote(index),
            DataPlace::Cuda(residency) => residency.wrote(index),
        }
    }

    fn descriptor(&self, index: usize) -> Descriptor {
        self.store.properties()[index]
    }

    fn counts(&self) -> Counts {
        let (vertices, edges) = self.store.shape();
        Counts { vertices, edges, features: self.store.features(), width: self.store.width() }
    }
}

/// What a run does with data.
impl<D> Data<D> {
    /// Whether the data are of this graph, for a run of fold `fold`.
    pub(super) fn check(&self, graph: &ResidentGraph<'_>, fold: &'static str) -> Result<(), RunError> {
        if graph.session().number() != self.session.number() {
            return Err(RunError::OtherSession { what: "data", fold });
        }
        if graph.number() != self.graph { Err(RunError::OtherGraph { fold }) } else { Ok(()) }
    }

    /// Whether the values that a run needs are anywhere: `needed` as they were left, and of `read` no totals that no memory has.
    pub(super) fn check_values(&self, needed: u64, read: u64) -> Result<(), RunError> {
        let is_in = |set: u64, index: &usize| set >> index & 1 == 1;
        let count = self.store.properties().len();
        let lost = (0..count).find(|index| is_in(needed, index) && self.is_lost(*index));
        let taken = (0..count).find(|index| is_in(read, index) && self.store.is_taken(*index));
        lost.or(taken).map_or(Ok(()), |index| self.check_found(index))
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    pub(super) fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// Whether the host's copies of these properties are older than those in the processor's memory, of any of them.
    pub(super) fn is_ahead(&self, properties: u64) -> bool {
        match &self.place {
            DataPlace::Cpu => false,
            DataPlace::Emulator(residency) => residency.is_ahead(properties),
            DataPlace::Cuda(residency) => residency.is_ahead(properties),
        }
    }

    /// Notes that a run of `fold`, which could write these properties, has failed. The CPU works in the host's copies themselves, but for tiles,
    /// and nothing but a panic or too little memory stops it there.
    pub(super) fn fail(&mut self, fold: &'static str, properties: u64, error: &RunError) {
        self.failed = Some(fold);
        let is_changed = matches!(error, RunError::Panic { .. } | RunError::Memory(_)) && self.store.tiles() == 1;
        match &mut self.place {
            DataPlace::Cpu => self.lost |= if is_changed { properties } else { 0 },
            DataPlace::Emulator(residency) => residency.failed(properties),
            DataPlace::Cuda(residency) => residency.failed(properties),
        }
    }

    /// Notes that the host's copies of these properties are the current ones.
    pub(super) fn wrote_all(&mut self, properties: u64) {
        let count = self.store.properties().len();
        (0..count).filter(|index| properties >> index & 1 == 1).for_each(|index| self.wrote(index));
    }

    /// The session, the host's copies, and the arrays in the processor's memory.
    pub(super) fn parts(&mut self) -> (&Session, &mut Store, &mut DataPlace) {
        (&self.session, &mut self.store, &mut self.place)
    }
}

fn view_mut<P: Shaped>(store: &mut Store, counts: Counts, index: usize) -> ArrayViewMut<'_, f32, P::Dimension> {
    let view = ArrayViewMut::from_shape(P::shape(counts), store.floats_mut(index));
    view.unwrap_or_else(|_| unreachable!("the store has the floats of every property"))
}

impl<D> fmt::Debug for Data<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Data").field("session", &self.session).field("store", &self.store).finish()
    }
}
