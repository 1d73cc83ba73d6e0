//! The totals of the graph on a device.

use std::ptr;

use onyx_device::FoldFacts;
use onyx_device::property::Element;
use onyx_device::schedule::total::{self, AddUp};
use onyx_device::stage::{GraphTotal, StageAccess, TotalOperator};
use onyx_device::total::Below;

use super::{Device, DeviceEngine};
use crate::backend::memory::Memory;
use crate::error::RunError;
use crate::product::{Operand, Product};
use crate::store::Store;

/// How many floats are in a row of contributions to a total, of which how many hold something.
fn row(store: &Store, of: &GraphTotal) -> (u64, u64) {
    let (row, features) = store.total_row(of);
    (row as u64, features as u64)
}

/// Whether what is added up are rows of a table, each by itself.
fn is_table(store: &Store, of: &GraphTotal) -> bool {
    store.properties()[of.total].element == Element::Table
}

/// How many floats there are at most between two launches that add up a total of the fold, twice: what is read, and what is written.
pub(super) fn floats_between(fold: &'static FoldFacts, store: &Store, most: u64) -> usize {
    let floats = |of: &GraphTotal| {
        let ((row, _), length) = (row(store, of), store.length(of.contributions) as u64);
        total::left(row, total::threads(length, row, most), most)
    };
    let is_added_up = |of: &&GraphTotal| of.by.is_none() && !is_table(store, of);
    let of_rows = fold.stages.iter().flat_map(|stage| stage.totals).filter(is_added_up);
    2 * of_rows.map(floats).max().unwrap_or(0) as usize
}

impl<Q: Device> DeviceEngine<'_, Q> {
    /// Adds up the totals of a stage, in iteration `index` of a batch.
    pub(super) fn add_up(&mut self, stage: &StageAccess, index: usize) -> Result<(), RunError> {
        stage.totals.iter().try_for_each(|of| {
            if let Some(product) = Product::of(self.store, of) {
                return self.multiply(&product);
            }
            let launches = self.total_launches(of, index);
            launches.into_iter().try_for_each(|add_up| {
                self.expect_total(of);
                self.run.device.add_up(add_up)
            })
        })
    }

    /// Computes a sum of products. What it comes of is as it was where the run is over, so that it may be computed again.
    fn multiply(&mut self, product: &Product) -> Result<(), RunError> {
        let memory = self.run.device.memory();
        let address = |of: Operand| self.residency.get(of.property).map(|array| memory.address(&array.current).cast());
        let places = [product.left, product.right, product.into].map(address);
        let [Some(left), Some(right), Some(into)] = places else { return Ok(()) };
        self.run.device.multiply(product, [left, right, into])
    }

    /// Ends the run after iteration `index` of a batch if a total is below its bound: nothing is left active then.
    pub(super) fn stop_below(&mut self, until: Below, index: usize) -> Result<(), RunError> {
        let (Some(total), Some(between)) = (self.residency.get(until.total), &self.run.partial_totals) else {
            return Ok(());
        };
        let memory = self.run.device.memory();
        let (places, next) = (self.run.counters.places(memory, index), self.run.counters.places(memory, index + 1));
        let add_up = AddUp {
            from: memory.address(&total.current).cast(),
            to: memory.address(between).cast(),
            length: 1,
            threads: total::threads(1, 1, Q::LOOKING),
            block: total::block(Q::LOOKING) as u32,
            row: 1,
            features: 1,
            operator: TotalOperator::Sum as u32,
            before: places.before,
            stop: next.before.cast_mut(),
            bound: until.bound,
        };
        self.run.device.add_up(add_up)
    }

    /// The launch that has the contributions to a table as the table, and begins them again.
    fn take(&self, of: &GraphTotal, index: usize) -> Option<AddUp> {
        let (contributions, to) = (self.residency.get(of.contributions)?, self.residency.get(of.total)?);
        let (memory, length) = (self.run.device.memory(), self.store.length(of.total) as u64);
        Some(AddUp {
            from: memory.address(&contributions.current).cast(),
            to: memory.address(&to.current).cast(),
            length,
            threads: total::threads(length, 1, Q::LOOKING),
            block: total::block(Q::LOOKING) as u32,
            row: 1,
            features: 1,
            operator: total::TAKE,
            before: self.run.counters.places(memory, index).before,
            stop: ptr::null_mut(),
            bound: of.operator.identity(),
        })
    }

    /// The launches that add up a total: the last one leaves it where it belongs.
    fn total_launches(&self, of: &GraphTotal, index: usize) -> Vec<AddUp> {
        if is_table(self.store, of) {
            return self.take(of, index).into_iter().collect();
        }
        let (Some(contributions), Some(to), Some(between)) =
            (self.residency.get(of.contributions), self.residency.get(of.total), &self.run.partial_totals)
        else {
            return Vec::new();
        };
        let (memory, length) = (self.run.device.memory(), self.store.length(of.contributions) as u64);
        let ((row, features), half) = (row(self.store, of), floats_between(self.run.fold, self.store, Q::LOOKING) / 2);
        let between = memory.address(between).cast::<f32>();
        let launches: Vec<(u64, u64)> = total::launches(length, row, Q::LOOKING).collect();
        let before = self.run.counters.places(memory, index).before;
        let mut from: *mut f32 = memory.address(&contributions.current).cast();
        let mut all = Vec::with_capacity(launches.len());
        for (number, (length, threads)) in launches.iter().copied().enumerate() {
            let place = between.wrapping_add(half * (number % 2));
            let to = if number + 1 == launches.len() { memory.address(&to.current).cast() } else { place };
            let (row, features, operator) = (row as u32, features as u32, of.operator as u32);
            let (stop, bound) = (ptr::null_mut(), 0.0);
            let block = total::block(Q::LOOKING) as u32;
            all.push(AddUp { from, to, length, threads, block, row, features, operator, before, stop, bound });
            from = to;
        }
        all
    }
}
