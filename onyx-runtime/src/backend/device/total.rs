//! The totals of the graph on a device.

use std::ptr;

use onyx_device::FoldFacts;
use onyx_device::property::Element;
use onyx_device::schedule::gather_totals;
use onyx_device::schedule::total::{self, AddUp};
use onyx_device::stage::{GraphTotal, TotalOperator};
use onyx_device::total::Below;

use super::{Device, DeviceEngine};
use crate::backend::memory::Memory;
use crate::error::RunError;
use crate::plan::heads_beside;
use crate::product::{Operand, Product};
use crate::schedule::Team;
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
    /// Adds up the totals of stage number `stage`, in iteration `index` of a batch.
    pub(super) fn add_up(&mut self, stage: usize, index: usize) -> Result<(), RunError> {
        self.run.fold.stages[stage].totals.iter().try_for_each(|of| {
            if let Some(product) = Product::of(self.store, of) {
                return self.multiply(&product);
            }
            let launches = self.total_launches(stage, of, index);
            launches.into_iter().try_for_each(|add_up| {
                self.expect_total(of);
                self.run.device.add_up(add_up)
            })
        })
    }

    /// The blocks that gather what the vertex functions of stage number `stage` add to totals, for each tile or for those that lie side by side.
    pub(super) fn gathering_blocks(&self, stage: usize) -> u64 {
        let (lanes, run) = (self.run.shape.lanes, &self.run);
        let beside = if run.fold.has_heads { u64::from(heads_beside(run.work.tiles, lanes)) } else { 1 };
        let groups = run.device.block_threads(Team::Gathering, stage) / (lanes * beside);
        let most = gather_totals::most_blocks(run.fold.leaves_matrix(&run.fold.stages[stage]));
        run.vertex_count.div_ceil(groups).min(most).min(Q::GATHERING)
    }

    /// How many contributions to a total stage number `stage` leaves.
    pub(super) fn contributions(&self, stage: usize, of: &GraphTotal) -> u64 {
        let own = &self.run.fold.stages[stage];
        match self.run.outline().gathers(own) && own.gathers(of) {
            false => self.run.vertex_count,
            true if self.run.blocks.is_some() => self.run.work.graph_blocks,
            true => self.gathering_blocks(stage),
        }
    }

    /// The most contributions that any stage leaves in the property at `index`.
    pub(super) fn most_contributions(&self, index: usize) -> u64 {
        let stages = self.run.fold.stages.iter().enumerate();
        let all = stages.flat_map(|(number, stage)| stage.totals.iter().map(move |total| (number, total)));
        let own = all.filter(|(_, total)| total.contributions == index);
        own.map(|(stage, total)| self.contributions(stage, total)).max().unwrap_or(0)
    }

    /// Computes a sum of products. What it comes of is as it was where the run is over, so that it may be computed again.
    fn multiply(&mut self, product: &Product) -> Result<(), RunError> {
        let memory = self.run.device.memory();
        let address = |of: Operand| self.arrays(of.property).map(|array| memory.address(&array.current).cast());
        let places = [product.left, product.right, product.into].map(address);
        let [Some(left), Some(right), Some(into)] = places else { return Ok(()) };
        self.run.device.multiply(product, [left, right, into])
    }

    /// Ends the run after iteration `index` of a batch if a total is below its bound: nothing is left active then. The counters keep the total.
    pub(super) fn stop_below(&mut self, until: Below, index: usize) -> Result<(), RunError> {
        let Some(total) = self.residency.get(until.total) else { return Ok(()) };
        let memory = self.run.device.memory();
        let (places, next) = (self.run.counters.places(memory, index), self.run.counters.places(memory, index + 1));
        let add_up = AddUp {
            from: memory.address(&total.current).cast(),
            to: places.total,
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

    /// The launches that add up a total of stage number `stage`: the last one leaves it where it belongs.
    fn total_launches(&self, stage: usize, of: &GraphTotal, index: usize) -> Vec<AddUp> {
        if is_table(self.store, of) {
            return self.take(of, index).into_iter().collect();
        }
        let (Some(contributions), Some(to), Some(between)) =
            (self.arrays(of.contributions), self.residency.get(of.total), &self.run.partial_totals)
        else {
            return Vec::new();
        };
        let (memory, (row, features)) = (self.run.device.memory(), row(self.store, of));
        let (length, half) = (self.contributions(stage, of) * row, memory.bytes(between) / (2 * size_of::<f32>()));
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
