//! What a run does with data.

use onyx_device::property::{Descriptor, Element};
use onyx_device::{FoldFacts, stage};

use super::{AnyData, DataPlace, ResidentGraph};
use crate::error::{CudaError, RunError};
use crate::memory::OutOfMemory;
use crate::total::Contributions;
use crate::{total, totals};

impl AnyData {
    /// Whether the data are of this graph, for a run of the fold, or of its reverse, if that makes no difference to the fold.
    pub(in crate::session) fn check(
        &self,
        fold: &'static FoldFacts,
        graph: &ResidentGraph<'_>,
    ) -> Result<(), RunError> {
        let (name, (number, facing)) = (fold.declared_name, self.graph);
        if graph.session().number() != self.session.number() {
            return Err(RunError::OtherSession { what: "data", fold: name });
        }
        if graph.number() != number {
            return Err(RunError::OtherGraph { fold: name });
        }
        match edge_property(fold).filter(|_| graph.facing() != facing) {
            Some(property) => Err(RunError::ReversedEdges { fold: name, property }),
            None => Ok(()),
        }
    }

    /// Notes what a run of the fold has left of its totals: also of those that an earlier run has lost.
    pub(in crate::session) fn computed(&mut self, fold: &'static FoldFacts) {
        self.store.ran(fold);
        self.lost &= !totals::overwritten(fold);
        let scratch = fold.scratch_in_memory;
        (0..fold.properties.len()).filter(|index| scratch >> index & 1 == 1).for_each(|index| self.discard(index));
    }

    /// Notes that the fold was launched, which writes these properties, and leaves its totals as it does.
    pub(in crate::session) fn queued(&mut self, fold: &'static FoldFacts, written: u64) {
        self.computed(fold);
        self.store.ran_in_sequence(fold);
        if matches!(self.place, DataPlace::Cuda(_)) {
            self.round = self.round.max(self.session.round());
            let (names, all) = &mut self.queued;
            *all |= written;
            if !names.contains(&fold.declared_name) {
                names.push(fold.declared_name);
            }
        }
    }

    /// What has become of waiting for the GPU: where it failed, what was launched before has failed, too.
    pub(in crate::session) fn waited<T>(&mut self, done: Result<T, RunError>) -> Result<T, RunError> {
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
    pub(super) fn lose(&mut self, fold: &'static str, properties: u64) {
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

    /// Notes that folds, each of which could write some properties, have failed. The CPU works in the host's copies themselves,
    /// and nothing but a panic or too little memory stops it there.
    pub(in crate::session) fn fail(&mut self, folds: &[(&'static str, u64)], error: &RunError) {
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

    /// Makes the contributions to the totals of the fold, as the processor has them: those of vertices on the CPU, `elsewhere` on others.
    pub(in crate::session) fn make_contributions(
        &mut self,
        fold: &'static FoldFacts,
        elsewhere: Contributions,
    ) -> Result<(), OutOfMemory> {
        let of = if matches!(self.place, DataPlace::Cpu) { Contributions::Vertices } else { elsewhere };
        self.store.make_contributions(fold, of)?;
        self.store.make_scratch(fold)?;
        let begun = self.store.begin_contributions(fold, of);
        for index in (0..self.store.properties().len()).filter(|index| begun >> index & 1 == 1) {
            match &mut self.place {
                DataPlace::Cpu => {}
                DataPlace::Emulator(residency) => residency.wrote(index),
                DataPlace::Cuda(residency) => residency.wrote(index),
            }
        }
        Ok(())
    }
}

/// A property of edges that the fold reaches and that outlives a run, if there is one.
fn edge_property(fold: &'static FoldFacts) -> Option<&'static str> {
    let is_of_edge = |property: &Descriptor| {
        matches!(
            property.element,
            Element::EdgeScalar
                | Element::EdgeHeads
                | Element::EdgeFeatures
                | Element::EdgeInputs
                | Element::EdgeMatrix
        )
    };
    let mut properties = fold.properties.iter().enumerate();
    let reached = stage::reached(fold.stages);
    let found =
        properties.find(|(index, property)| is_of_edge(property) && !property.scratch && reached >> index & 1 == 1);
    found.map(|(_, property)| property.name)
}
