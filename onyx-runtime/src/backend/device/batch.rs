//! A batch of iterations on a device: launched all at once, and recorded where that pays.

use std::sync::Arc;
use std::time::{Duration, Instant};

use onyx_device::schedule::limit::Limit;

use super::prepared::Batches;
use super::{Device, DeviceEngine, Situation, Threads};
use crate::backend::arguments::Unbound;
use crate::engine::{Batch, EdgeLimits};
use crate::error::RunError;
use crate::plan::{Executor, Launch, Outline, Plan};
use crate::schedule::{Kernel, Team, Unit};

/// What a recorded batch is found by: all that its launches depend on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Recording {
    situation: Arc<Situation>,
    plan: Plan,
    keep_sums: bool,
    /// How many iterations it has.
    count: usize,
    /// The properties whose current values are where the previous ones were at first.
    swapped: u64,
}

#[cfg(test)]
impl Recording {
    /// That of a batch of so many pulls of a fold without functions.
    pub(super) fn of_iterations(count: usize) -> Self {
        Self { situation: Arc::default(), plan: Plan::default(), keep_sums: false, count, swapped: 0 }
    }
}

/// One iteration of a batch, under way.
struct Iteration<'e, 'a, Q: Device> {
    engine: &'e mut DeviceEngine<'a, Q>,
    keep_sums: bool,
    /// Its place in the batch.
    index: usize,
    /// Whether it leaves the totals of cut rows as they begin.
    leaves_cleared: bool,
    /// Those of the kernels of the stage with this number, while arrays stay where they are.
    arguments: Option<(usize, Unbound)>,
}

impl<Q: Device> Executor for Iteration<'_, '_, Q> {
    fn exchange(&mut self, properties: u64) {
        self.engine.exchange(properties);
        self.arguments = None;
    }

    fn begin(&mut self, totals: u64) {
        self.engine.run.device.begin(totals);
    }

    fn overlap(&mut self, may_overlap: bool) {
        self.engine.run.device.overlap(may_overlap);
    }

    fn stop(&mut self) -> Result<(), RunError> {
        self.engine.run.shape.until.map_or(Ok(()), |until| self.engine.stop_below(until, self.index))
    }

    fn limit(&mut self, limits: EdgeLimits) -> Result<(), RunError> {
        self.engine.limit(limits, self.index)
    }

    fn pack(&mut self, stage: usize) -> Result<(), RunError> {
        self.engine.pack(stage, self.index)
    }

    fn add_up(&mut self, stage: usize) -> Result<(), RunError> {
        self.engine.add_up(stage, self.index)
    }

    fn launch(&mut self, launch: Launch) -> Result<(), RunError> {
        let (stage, launchable) = (launch.stage, self.engine.launchable(&launch));
        let known = self.arguments.take().filter(|(known, _)| *known == stage).map(|(_, arguments)| arguments);
        let mut arguments =
            known.unwrap_or_else(|| self.engine.arguments(stage, self.keep_sums, self.index, launchable));
        (arguments.rest.units, arguments.rest.first_tile) = (launch.units, launch.tiles.first);
        arguments.rest.leave_cleared = u32::from(self.leaves_cleared);
        arguments.launchable = launchable;
        let threads = self.engine.threads(&launch);
        let (_, arguments) = self.arguments.insert((stage, arguments));
        let takes_graphs = launch.kernel.row().unit == Unit::Graphs;
        let stages = if takes_graphs { 0..self.engine.run.fold.stages.len() } else { stage..stage + 1 };
        self.engine.expect_stages(stages, takes_graphs);
        self.engine.run.device.launch(launch, threads, arguments)
    }
}

impl<Q: Device> DeviceEngine<'_, Q> {
    /// The threads that a launch needs.
    fn threads(&self, launch: &Launch) -> Threads {
        let lanes = self.run.shape.lanes;
        let beside = launch.heads_beside(self.run.fold, lanes);
        if launch.kernel.row().team == Team::Gathering {
            let threads = self.run.device.block_threads(Team::Gathering, launch.stage) / u64::from(beside);
            return Threads { of_tile: self.gathering_blocks(launch.stage) * threads, lanes: lanes as u32, beside };
        }
        let team = match launch.kernel.row().team {
            Team::Lanes if launch.kernel == Kernel::Pull => lanes * self.sharers(launch.stage),
            Team::Lanes | Team::Joined => lanes,
            Team::Warp | Team::SharingWarp => 32,
            team => self.run.device.block_threads(team, launch.stage),
        };
        Threads { of_tile: launch.units.count() * team, lanes: lanes as u32, beside }
    }

    /// How many groups of lanes share a neighbor group in pulls of a stage.
    fn sharers(&self, stage: usize) -> u64 {
        self.run.fold.stages[stage].sharers(self.run.shape.lanes as usize) as u64
    }

    /// Ends a batch after iteration `index` where the number of active edges is not within the limits.
    fn limit(&mut self, EdgeLimits { least, most }: EdgeLimits, index: usize) -> Result<(), RunError> {
        let counters = self.run.counters.places(self.run.device.memory(), index).counters;
        self.run.device.limit(Limit { counters, least, most })
    }

    /// Launches a batch; one that has come often is recorded where that pays, and replayed from then on. Returns what each of its iterations does, and
    /// how long it took to launch one that was not replayed.
    pub(super) fn enqueue(&mut self, batch: Batch) -> Result<(Plan, Option<(Recording, Duration)>), RunError> {
        let Batch { direction, keep_sums, count, limits } = batch;
        let plan = self.run.plan(direction).within(limits);
        let (situation, swapped) = (Arc::clone(&self.run.situation), self.run.swapped);
        let recording = Recording { situation, plan: plan.clone(), keep_sums, count, swapped };
        if self.replay(&recording)? {
            self.exchange(plan.exchanged(count));
            return Ok((plan, None));
        }
        if self.is_worth_recording(&recording) && self.run.device.record() {
            let launched = self.launch(&plan, batch);
            // Also where a launch has failed: the stream would go on recording.
            let is_kept = self.run.device.keep(recording.clone());
            launched?;
            if is_kept && self.replay(&recording)? {
                return Ok((plan, None));
            }
            // Nothing has run yet.
            self.exchange(plan.exchanged(count));
        }
        let start = Instant::now();
        self.launch(&plan, batch)?;
        self.run.batches.launched += 1;
        Ok((plan, Some((recording, start.elapsed()))))
    }

    /// Does what was recorded of a batch, in this run or an earlier one. False if there is nothing.
    fn replay(&mut self, recording: &Recording) -> Result<bool, RunError> {
        let is_replayed = self.run.shape.replays && self.run.device.replay(recording)?;
        self.run.batches.replayed += usize::from(is_replayed);
        Ok(is_replayed)
    }

    /// Whether a batch that comes now is worth recording. A run of which little is active is about to end, and one of other batches may never have this one again.
    fn is_worth_recording(&self, recording: &Recording) -> bool {
        let is_full = recording.count == self.run.shape.read_every;
        let may_go_on = is_full && 2 * self.run.active_edges >= self.run.edge_count;
        self.run.shape.replays && self.run.history().comes(recording, may_go_on)
    }

    /// How many batches were replayed, in words, where some may be.
    pub(crate) fn replays(&self) -> Option<String> {
        let Batches { launched, replayed } = self.run.batches;
        let all = launched + replayed;
        self.run.shape.replays.then(|| format!("batches: {all}, of which {replayed} replayed as they were recorded"))
    }

    /// Executes the plan in each iteration of a batch, whose counters begin at 0.
    fn launch(&mut self, plan: &Plan, batch: Batch) -> Result<(), RunError> {
        self.run.counters.clear(self.run.device.memory())?;
        self.execute(plan, batch)
    }

    /// Executes the plan in each iteration of a batch. What is counted is added to what the counters have.
    pub(super) fn execute(&mut self, plan: &Plan, batch: Batch) -> Result<(), RunError> {
        let Batch { keep_sums, count, .. } = batch;
        let outline = Outline::of(self.run.fold);
        let (again, may_leave) =
            (plan.again(outline, &self.run.work), outline.leaves_cleared(&self.run.work) && !keep_sums);
        (0..count).try_for_each(|index| {
            let plan = if index == 0 || keep_sums { plan } else { &again };
            let leaves_cleared = may_leave && index + 1 < count;
            plan.execute(&mut Iteration { engine: self, keep_sums, index, leaves_cleared, arguments: None })
        })
    }
}

#[cfg(test)]
mod tests;
