//! Data as the host sees them, all at once.

use onyx_device::FoldOf;

use super::any_data::AnyData;
use super::{Data, Processor, ResidentGraph};
use crate::error::RunError;
use crate::options::Options;
use crate::run::{explain_any, explain_on};
use crate::store::Store;

impl<D> Data<D> {
    /// All values as the host has them, what it does not have yet copied now: for what reads several properties at once, as a verifier does. Those that were discarded
    /// may be any.
    ///
    /// # Errors
    /// [`RunError::Lost`] if a failed run has left nothing of a property; what the copies fail with.
    pub fn on_host(&mut self) -> Result<&Store, RunError> {
        self.untyped.on_host()
    }

    /// Gives the values up as a store. Those that lie in memory of another owner are copied.
    ///
    /// # Errors
    /// As [`Data::on_host`]; [`RunError::Memory`] if there is no memory for a copy.
    pub fn into_store(self) -> Result<Store, RunError> {
        self.untyped.into_store()
    }

    /// What is decided about a run of `fold` on these data, and why: one line a decision.
    pub fn explain<F: FoldOf<D>>(&self, _fold: F, graph: &ResidentGraph<'_>, options: &Options) -> Vec<String> {
        let (graph, store) = (graph.graph(), &self.untyped.store);
        match self.session().processor() {
            Processor::Cuda(gpu) => explain_on(F::FACTS, gpu, graph, store, options),
            _ => {
                let options = Options { backend: self.session().backend(), ..options.clone() };
                explain_any(F::FACTS, graph, store, &options)
            }
        }
    }
}

impl AnyData {
    fn on_host(&mut self) -> Result<&Store, RunError> {
        self.session.check_unrecorded(|| "copying all values to the host is".to_owned())?;
        let is_there = |index: &usize| self.store.taken() >> index & 1 == 0 && !self.store.is_discarded(*index);
        let mut indices = (0..self.store.properties().len()).filter(is_there);
        indices.try_for_each(|index| self.check_found(index))?;
        self.fetch(u64::MAX)?;
        Ok(&self.store)
    }

    fn into_store(mut self) -> Result<Store, RunError> {
        self.on_host()?;
        for index in (0..self.borrowed.len()).filter(|index| self.borrowed[*index].is_some()) {
            let mut own = self.store.room(index)?;
            own.as_bytes_mut().copy_from_slice(self.store.bytes(index));
            drop(self.store.exchange(index, own));
        }
        Ok(self.store)
    }
}
