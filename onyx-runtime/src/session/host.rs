//! Data as the host sees them, all at once.

use onyx_device::FoldOf;

use super::{Data, ResidentGraph};
use crate::error::RunError;
use crate::options::Options;
use crate::run::explain;
use crate::store::Store;

impl<D> Data<D> {
    /// All values as the host has them, what it does not have yet copied now: for what reads several properties at once, as a verifier does.
    ///
    /// # Errors
    /// [`RunError::Lost`] if a failed run has left nothing of a property; what the copies fail with.
    pub fn on_host(&mut self) -> Result<&Store, RunError> {
        let mut indices = 0..self.store().properties().len();
        indices.try_for_each(|index| if self.store().is_taken(index) { Ok(()) } else { self.check_found(index) })?;
        self.fetch(u64::MAX)?;
        Ok(self.store())
    }

    /// Gives the values up as a store.
    ///
    /// # Errors
    /// As [`Data::on_host`].
    pub fn into_store(mut self) -> Result<Store, RunError> {
        self.on_host()?;
        Ok(self.store)
    }

    /// What is decided about a run of `fold` on these data, and why: one line a decision.
    pub fn explain<F: FoldOf<D>>(&self, fold: F, graph: &ResidentGraph<'_>, options: &Options) -> Vec<String> {
        let options = Options { backend: self.session().backend(), ..options.clone() };
        explain(fold, graph.graph(), self.store(), &options)
    }
}
