//! Batches of iterations on a device, as the loop asks for them.

use onyx_device::schedule::look::Look;

use super::{Device, DeviceEngine};
use crate::active::ActiveSet;
use crate::backend::lent::Held;
use crate::backend::memory::Memory;
use crate::engine::{Activity, Array, Batch, Engine};
use crate::error::RunError;
use crate::look::{self, Found};
use crate::memory;
use crate::pushing::PushCosts;
use crate::totals;

impl<Q: Device> Engine for DeviceEngine<'_, Q> {
    /// All of a batch is launched at once. What lies after an iteration that has left nothing active returns at once.
    fn run(&mut self, batch: Batch) -> Result<Vec<Activity>, RunError> {
        self.residency.begin();
        self.run.device.start()?;
        self.write_iteration()?;
        let (plan, launched) = self.enqueue(batch)?;
        self.run.device.stop()?;
        let ran = self.run.counters.read(self.run.device.memory(), batch.count);
        let mut ran = ran.map_err(|error| self.run.device.explain(error))?;
        let time = self.run.device.time()?;
        if let Some((recording, launching)) = launched {
            self.run.history().ran(&recording, launching, time);
        }
        self.check_reads()?;
        self.exchange(plan.exchanged(batch.count - ran.len()));
        self.run.iterations += ran.len();
        self.run.active_edges = ran.last().map_or(0, |activity| activity.edges);
        let share = time.map(|time| time / ran.len().max(1) as u32);
        let has_bound = self.run.work.has_bound;
        ran.iter_mut().for_each(|activity| {
            (activity.time, activity.total) = (share, activity.total.filter(|_| has_bound));
        });
        Ok(ran)
    }

    fn push_costs(&self) -> PushCosts {
        self.run.shape.decider.push_costs()
    }

    fn active(&mut self) -> Result<ActiveSet, RunError> {
        let mut words: Vec<u32> = memory::zeroed((self.run.vertex_count as usize).div_ceil(32), "the active vertices")?;
        self.run.device.memory().download(&self.run.active, bytemuck::cast_slice_mut(&mut words))?;
        Ok(ActiveSet::from_words(self.run.vertex_count as usize, words))
    }

    fn arrays(&self, properties: u64) -> Vec<Array> {
        self.store.arrays(properties)
    }

    fn copy(&mut self, array: Array, first: usize, bytes: &mut [u8]) -> Result<(), RunError> {
        let Some(property) = self.residency.get(array.property) else { return Ok(()) };
        let first = first * array.number.bytes();
        self.run.device.memory().download_part(&property.current, first, bytes)
    }

    /// All arrays are looked at before the host asks what was found.
    fn look(&mut self, arrays: &[Array]) -> Result<Vec<Found>, RunError> {
        self.run.counters.clear(self.run.device.memory())?;
        for array in arrays {
            let Some(property) = self.residency.get(array.property).filter(|_| array.length > 0) else { continue };
            let memory = self.run.device.memory();
            let (floats, found) =
                (memory.address(&property.current).cast(), self.run.counters.found(memory, array.property));
            self.run.device.look(look_at(*array, floats, found, Q::LOOKING))?;
        }
        self.run.counters.read_found(self.run.device.memory(), arrays)
    }

    /// What outlives the run stays on the device.
    fn finish(&mut self) -> Result<(), RunError> {
        let (fold, written) = (self.run.fold, totals::written(self.run.fold));
        self.residency.settle_borrowed(self.run.device.memory())?;
        self.residency.ran(written, totals::taken(fold));
        match &mut self.residency {
            Held::Own(residency) => residency.fetch(self.run.device.memory(), self.store, written),
            Held::Lent(_) => Ok(()),
        }
    }

    fn schedule(&self) -> String {
        let order = if self.run.shape.is_deterministic {
            "; deterministic: pull alone, the sums of cut rows added in order"
        } else {
            ""
        };
        format!("{}{order}", self.run.shape.decider.describe())
    }
}

/// A look at an array by `most` threads at most.
fn look_at(array: Array, floats: *const f32, found: *mut u64, most: u64) -> Look {
    let Array { length, row, rows, features, .. } = array;
    let threads = Look::threads(length as u64, (row * rows) as u64, most);
    Look {
        floats,
        length: length as u64,
        exponent: look::exponent(array.number),
        row: row as u32,
        rows: rows as u32,
        features: features as u32,
        threads,
        found,
    }
}
