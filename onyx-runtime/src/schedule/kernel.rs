//! What kernels are known by, and which of them a fold has.

use std::fmt;

use onyx_device::Fold;

use super::{Choice, Job, Kernel, Schedule};

impl Kernel {
    /// Whether stage number `stage` of fold `F` has a use for the kernel, so that it is in the PTX.
    pub(crate) fn is_of<F: Fold>(self, stage: usize) -> bool {
        if self.row().job == Job::AddUp {
            return stage == 0 && F::STAGES.iter().any(|stage| !stage.totals.is_empty());
        }
        if self.is_of_fold() {
            return stage == 0;
        }
        F::STAGES.get(stage).is_some_and(|stage| stage.kernels.contains(&self.row().name))
    }

    /// Whether there is one for all stages and widths.
    const fn is_of_fold(self) -> bool {
        matches!(self.row().job, Job::Activate | Job::Look | Job::AddUp)
    }

    /// The kernels of fold `F`, each with the number of its stage.
    pub(crate) fn of<F: Fold>() -> impl Iterator<Item = (Self, usize)> {
        let stages = (0..F::STAGES.len()).flat_map(|stage| Self::ALL.iter().map(move |kernel| (*kernel, stage)));
        stages.filter(|(kernel, stage)| kernel.is_of::<F>(*stage))
    }

    /// The kernels of a job that one is chosen from, in the order in which their rules are asked.
    pub(crate) fn choices(job: Job) -> impl Iterator<Item = (Self, Choice)> + Clone {
        let kernels = Self::ALL.iter().filter(move |kernel| kernel.row().job == job);
        kernels.filter_map(|kernel| Some((*kernel, kernel.row().choice?)))
    }

    /// The kernel of a job that is asked for by this name.
    pub(crate) fn asked(job: Job, schedule: Schedule) -> Option<Self> {
        Self::choices(job).find(|(_, choice)| choice.asked == schedule).map(|(kernel, _)| kernel)
    }

    /// The name of fold `F`'s kernel of stage number `stage` at the compiled width `width`, for messages.
    pub(crate) fn symbol<F: Fold>(self, stage: usize, width: usize) -> String {
        let (schedule, width) = self.key(stage, width);
        format!("{}__{schedule}__k{width}", F::NAME)
    }

    /// What the manifest knows the kernel by: the schedule with the number of the stage, and the width.
    pub(crate) fn key(self, stage: usize, width: usize) -> (String, u32) {
        let width = if self.is_of_fold() { 0 } else { width };
        let schedule = if stage == 0 { self.to_string() } else { format!("{self}_{stage}") };
        (schedule, width as u32)
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().name)
    }
}
