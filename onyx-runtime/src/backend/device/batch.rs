//! A batch of iterations on a device: launched all at once, and recorded where it comes again.

use onyx_device::Fold;
use onyx_device::arguments::Arguments;
use onyx_device::property::GraphData;

use super::{DeviceEngine, Kernel, Launcher};
use crate::engine::Batch;
use crate::error::RunError;
use crate::options::Direction;

/// What a recorded batch is found by: all that its launches depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Recording {
    batch: Batch,
    /// The kernel that runs the edge functions.
    kernel: Option<Kernel>,
    /// Whether the current and the previous values are where the other ones were at first.
    swapped: bool,
}

impl<F: Fold, D: GraphData, Q: Launcher<D>> DeviceEngine<'_, F, D, Q> {
    /// The kernels of an iteration, each with its number of threads.
    fn kernels(&self, direction: Direction) -> Vec<(Kernel, u64)> {
        let lanes = self.shape.lanes;
        let cut = self.incoming.as_ref().map_or(0, |incoming| incoming.cut_count);
        let finish = if F::HAS_VERTICES || self.partials.is_some() { cut } else { 0 };
        let mut kernels = match direction {
            Direction::Pull => vec![
                (Kernel::Clear, cut * lanes),
                self.pull_kernel(),
                (Kernel::Finish, finish * lanes),
                (Kernel::Activate, self.words()),
            ],
            Direction::Push => vec![
                self.push_kernel(),
                (Kernel::Recompute, if F::RECOMPUTES { self.words() } else { 0 }),
                (Kernel::Vertex, self.words()),
            ],
            Direction::Vertex => vec![(Kernel::Vertex, self.words())],
        };
        kernels.retain(|(_, threads)| *threads > 0);
        kernels
    }

    /// The kernel that runs the edge functions, none where there are no edges: the only one that is chosen anew for each batch.
    fn edge_kernel(&self, direction: Direction) -> Option<Kernel> {
        match direction {
            Direction::Pull => Some(self.pull_kernel().0),
            Direction::Push => Some(self.push_kernel().0),
            Direction::Vertex => None,
        }
    }

    /// The arguments of each iteration of a batch. Pulls exchange current and previous values.
    fn batch_arguments(&mut self, batch: Batch) -> Vec<Arguments<D>> {
        let arguments = |index| {
            if batch.direction == Direction::Pull {
                self.swap();
            }
            self.arguments(batch.keep_sums, index)
        };
        (0..batch.count).map(arguments).collect()
    }

    /// Launches a batch; a full one that comes again is recorded, and replayed from then on.
    pub(super) fn enqueue(&mut self, batch: Batch) -> Result<(), RunError> {
        let kernels = self.kernels(batch.direction);
        let recording = Recording { batch, kernel: self.edge_kernel(batch.direction), swapped: self.swapped };
        let arguments = self.batch_arguments(batch);
        if self.device.replay(&recording)? {
            return Ok(());
        }
        let is_full = batch.count == self.shape.read_every;
        if self.shape.replays && is_full && !self.seen.insert(recording) && self.device.record() {
            self.launch(&kernels, &arguments)?;
            if self.device.keep(recording) && self.device.replay(&recording)? {
                return Ok(());
            }
        }
        self.launch(&kernels, &arguments)
    }

    fn launch(&mut self, kernels: &[(Kernel, u64)], arguments: &[Arguments<D>]) -> Result<(), RunError> {
        self.counters.clear(&mut self.device)?;
        for arguments in arguments {
            for (kernel, threads) in kernels {
                self.device.launch(*kernel, *threads, arguments)?;
            }
        }
        Ok(())
    }
}
