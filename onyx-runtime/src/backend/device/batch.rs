//! A batch of iterations on a device: launched all at once, and recorded where it comes again.

use onyx_device::Fold;
use onyx_device::arguments::Arguments;
use onyx_device::property::GraphData;
use onyx_device::stage::StageAccess;

use super::{DeviceEngine, Kernel, Launcher, Step};
use crate::engine::Batch;
use crate::error::RunError;
use crate::options::Direction;

/// What a recorded batch is found by: all that its launches depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Recording {
    batch: Batch,
    /// The kernel that runs the edge functions.
    kernel: Option<Kernel>,
    /// The properties whose current values are where the previous ones were at first.
    swapped: u64,
}

/// The launches of one stage in every iteration of a batch, and their arguments in each.
pub(super) struct StageLaunches<D> {
    steps: Vec<Step>,
    arguments: Vec<Arguments<D>>,
}

impl<F: Fold, D: GraphData, Q: Launcher<D>> DeviceEngine<'_, F, D, Q> {
    /// The launches of a stage in an iteration.
    fn steps(&self, number: usize, stage: &StageAccess, direction: Direction) -> Vec<Step> {
        let mut kernels = match direction {
            Direction::Pull => self.pull_kernels(number, stage),
            Direction::Push if stage.has_vertices => vec![
                self.push_kernel(),
                (Kernel::Recompute, if F::RECOMPUTES { self.words() } else { 0 }),
                (Kernel::Vertex, self.words()),
            ],
            Direction::Push => vec![self.push_kernel()],
            Direction::Vertex => vec![(Kernel::Vertex, self.words())],
        };
        kernels.retain(|(_, threads)| *threads > 0);
        kernels.into_iter().map(|(kernel, threads)| Step { kernel, stage: number, threads }).collect()
    }

    /// The kernels of a stage in a pull, each with its number of threads.
    fn pull_kernels(&self, number: usize, stage: &StageAccess) -> Vec<(Kernel, u64)> {
        let lanes = self.run.shape.lanes;
        if !stage.has_edges {
            return vec![(Kernel::EveryVertex, self.run.vertex_count * lanes)];
        }
        let rows = self.rows(stage);
        let cut = rows.cut_count();
        let finish = if stage.has_vertices || rows.partials.is_some() { cut } else { 0 };
        vec![(Kernel::Clear, cut * lanes), self.pull_kernel(number), (Kernel::Finish, finish * lanes)]
    }

    /// What ends an iteration: the active words from the marks, where no vertex kernel has written them.
    fn last_step(&self, direction: Direction) -> Option<Step> {
        let step = Step { kernel: Kernel::Activate, stage: 0, threads: self.words() };
        (direction == Direction::Pull && step.threads > 0).then_some(step)
    }

    /// The kernel that runs the edge functions, none where there are no edges: the only one that is chosen again for each batch.
    fn edge_kernel(&self, direction: Direction) -> Option<Kernel> {
        match direction {
            Direction::Pull => Some(self.pull_kernel(0).0),
            Direction::Push => Some(self.push_kernel().0),
            Direction::Vertex => None,
        }
    }

    /// The launches of each stage. A stage that pulls exchanges current and previous values of what it writes.
    pub(super) fn launches(&mut self, batch: Batch) -> Vec<StageLaunches<D>> {
        let stages = F::STAGES.iter();
        let steps = |(number, stage)| self.steps(number, stage, batch.direction);
        let empty = |stage| StageLaunches { steps: steps(stage), arguments: Vec::new() };
        let mut launches: Vec<StageLaunches<D>> = stages.clone().enumerate().map(empty).collect();
        for index in 0..batch.count {
            for (stage, launches) in stages.clone().zip(&mut launches) {
                if batch.direction == Direction::Pull {
                    self.swap(stage);
                }
                launches.arguments.push(self.arguments(stage, batch.keep_sums, index));
            }
        }
        launches
    }

    /// Launches a batch; a full one that comes again is recorded, and replayed from then on.
    pub(super) fn enqueue(&mut self, batch: Batch) -> Result<(), RunError> {
        let recording = Recording { batch, kernel: self.edge_kernel(batch.direction), swapped: self.run.swapped };
        let launches = self.launches(batch);
        if self.run.device.replay(&recording)? {
            return Ok(());
        }
        let is_full = batch.count == self.run.shape.read_every;
        if self.run.shape.replays && is_full && !self.run.seen.insert(recording) && self.run.device.record() {
            self.launch(&launches, batch)?;
            if self.run.device.keep(recording) && self.run.device.replay(&recording)? {
                return Ok(());
            }
        }
        self.launch(&launches, batch)
    }

    pub(super) fn launch(&mut self, launches: &[StageLaunches<D>], batch: Batch) -> Result<(), RunError> {
        self.run.counters.clear(self.run.device.memory())?;
        let last = self.last_step(batch.direction);
        for index in 0..batch.count {
            for (StageLaunches { steps, arguments }, stage) in launches.iter().zip(F::STAGES) {
                steps.iter().try_for_each(|step| self.run.device.launch(*step, &arguments[index]))?;
                self.add_up(stage, index)?;
            }
            if let (Some(step), Some(stage)) = (last, launches.last()) {
                self.run.device.launch(step, &stage.arguments[index])?;
            }
        }
        Ok(())
    }
}
