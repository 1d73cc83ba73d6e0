//! What kernels are known by, and which of them a fold has.

use std::fmt;

use onyx_device::FoldFacts;

use super::{Choice, Job, Kernel, Schedule, Unit};
use crate::store::Store;

impl Kernel {
    /// Whether stage number `stage` of the fold has a use for the kernel, so that it is in the PTX.
    pub(crate) fn is_of(self, fold: &'static FoldFacts, stage: usize) -> bool {
        if self.row().job == Job::AddUp {
            return stage == 0 && fold.stages.iter().any(|stage| !stage.totals.is_empty());
        }
        if self.row().job == Job::Pack {
            return stage == 0 && fold.stages.iter().any(|stage| stage.has_kernel(Self::LongRows.row().name));
        }
        if self.row().job == Job::Limit {
            return stage == 0 && fold.pushes;
        }
        if self.is_of_fold() {
            return stage == 0;
        }
        fold.stages.get(stage).is_some_and(|stage| stage.has_kernel(self.row().name))
    }

    /// Whether it may begin before a launch of `before`, the one before it, has ended, where a device can do that: it waits before it needs what that writes, or writes what that reads,
    /// and before it ends; `before` lets it begin when all of its blocks are under way.
    pub(crate) fn may_begin_before_end_of(self, before: Self) -> bool {
        matches!(
            (before, self),
            (Self::Clear, Self::Pack | Self::Pull)
                | (Self::LongRows, Self::WordPerWarp)
                | (Self::Pull | Self::EdgeFlat, Self::Finish)
                | (Self::Finish, Self::FinishLong)
                | (
                    Self::Pull
                        | Self::EdgeFlat
                        | Self::Finish
                        | Self::FinishLong
                        | Self::VertexPerWarp
                        | Self::VertexPerBlock,
                    Self::Activate
                )
        )
    }

    /// Whether there is one for all stages and widths.
    const fn is_of_fold(self) -> bool {
        matches!(self.row().job, Job::Activate | Job::Look | Job::Pack | Job::AddUp | Job::Limit)
    }

    /// The kernels of the fold for rows of a form, each with the number of its stage.
    pub(crate) fn of(fold: &'static FoldFacts, form: Form) -> impl Iterator<Item = (Self, usize)> {
        let lanes = fold.lanes_of(form.width).unwrap_or(1);
        let stages = (0..fold.stages.len()).flat_map(|stage| Self::ALL.iter().map(move |kernel| (*kernel, stage)));
        // Blocks of different tiles do not wait for each other between two stages.
        let takes = move |kernel: Self| {
            (kernel.is_of_fold() || kernel.row().takes(lanes)) && !(form.is_wide && kernel.row().unit == Unit::Graphs)
        };
        stages.filter(move |(kernel, stage)| takes(*kernel) && kernel.is_of(fold, *stage))
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

    /// The name of the fold's kernel of stage number `stage` for rows of this form, for messages.
    pub(crate) fn symbol(self, fold: &'static FoldFacts, stage: usize, form: Form) -> String {
        let (schedule, width) = self.key(stage, form);
        format!("{}__{schedule}__k{width}", fold.name)
    }

    /// What the manifest knows the kernel by: the schedule with the number of the stage, and the width.
    pub(crate) fn key(self, stage: usize, form: Form) -> (String, u32) {
        let Form { width, is_wide, .. } = if self.is_of_fold() { Form::narrow(0) } else { form };
        let wide = if is_wide { "_wide" } else { "" };
        let schedule = if stage == 0 { format!("{self}{wide}") } else { format!("{self}{wide}_{stage}") };
        (schedule, width as u32)
    }
}

/// The rows that a kernel is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Form {
    /// The compiled width.
    pub(crate) width: usize,
    /// Whether a row is several tiles of it.
    pub(crate) is_wide: bool,
    /// How many heads a row has, each of which runs by itself, by the same kernels.
    pub(crate) heads: u32,
}

impl Form {
    /// Rows of a single tile.
    pub(crate) const fn narrow(width: usize) -> Self {
        Self { width, is_wide: false, heads: 1 }
    }

    /// The rows of a store.
    pub(crate) fn of(store: &Store) -> Self {
        let heads = store.heads() as u32;
        Self { width: store.tile_width(), is_wide: store.tiles() > 1 && heads == 1, heads }
    }

    /// All that the fold has kernels for.
    pub(crate) fn all(fold: &'static FoldFacts) -> impl Iterator<Item = Self> {
        let widest = fold.widths.last().filter(|_| fold.why_not_tiled.is_none());
        let wide = widest.map(|width| Self { is_wide: true, ..Self::narrow(*width) });
        fold.widths.iter().map(|width| Self::narrow(*width)).chain(wide)
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().name)
    }
}
