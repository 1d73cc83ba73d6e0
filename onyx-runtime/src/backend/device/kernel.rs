//! The kernels of a fold, and what they are known by.

use std::fmt;

use onyx_device::Fold;

/// The kernels of a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kernel {
    /// Sets the sums of cut rows to zero.
    Clear,
    /// All functions for every neighbor group.
    Pull,
    /// All functions for every vertex, a warp each.
    VertexPerWarp,
    /// All functions for every vertex, a block each.
    VertexPerBlock,
    /// The edge functions for every edge.
    EdgeFlat,
    /// The vertex functions of cut rows.
    Finish,
    /// The changes of active sources.
    Push,
    /// The changes of active sources, by words of the active set.
    WarpWord,
    /// The totals that a push could not correct.
    Recompute,
    /// The vertex functions of active vertices.
    Vertex,
    /// The vertex functions of every vertex.
    EveryVertex,
    /// The active words, from the marks.
    Activate,
    /// A look for values that are not finite.
    Look,
    /// A total of the graph.
    Total,
}

impl Kernel {
    /// Every kernel.
    pub(crate) const ALL: [Self; 14] = [
        Self::Clear,
        Self::Pull,
        Self::VertexPerWarp,
        Self::VertexPerBlock,
        Self::EdgeFlat,
        Self::Finish,
        Self::Push,
        Self::WarpWord,
        Self::Recompute,
        Self::Vertex,
        Self::EveryVertex,
        Self::Activate,
        Self::Look,
        Self::Total,
    ];

    /// Whether stage number `stage` of fold `F` has a use for the kernel, so that it is in the PTX.
    pub(crate) fn is_of<F: Fold>(self, stage: usize) -> bool {
        if self == Self::Total {
            return stage == 0 && F::STAGES.iter().any(|stage| !stage.totals.is_empty());
        }
        if self.is_of_fold() {
            return stage == 0;
        }
        F::STAGES.get(stage).is_some_and(|stage| stage.kernels.contains(&self.name()))
    }

    /// Whether there is one for all stages and widths.
    const fn is_of_fold(self) -> bool {
        matches!(self, Self::Activate | Self::Look | Self::Total)
    }

    /// The kernels of fold `F`, each with the number of its stage.
    pub(crate) fn of<F: Fold>() -> impl Iterator<Item = (Self, usize)> {
        let stages = (0..F::STAGES.len()).flat_map(|stage| Self::ALL.map(|kernel| (kernel, stage)));
        stages.filter(|(kernel, stage)| kernel.is_of::<F>(*stage))
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

/// A launch: the kernel, the number of its stage, and how many threads it needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) kernel: Kernel,
    pub(crate) stage: usize,
    pub(crate) threads: u64,
}

impl Kernel {
    /// The name of its schedule, as the macros and the manifest have it.
    const fn name(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Pull => "pull",
            Self::VertexPerWarp => "vertex_per_warp",
            Self::VertexPerBlock => "vertex_per_block",
            Self::EdgeFlat => "edge_flat",
            Self::Finish => "finish",
            Self::Push => "push",
            Self::WarpWord => "warp_word",
            Self::Recompute => "recompute",
            Self::Vertex => "vertex",
            Self::EveryVertex => "every_vertex",
            Self::Activate => "activate",
            Self::Look => "look",
            Self::Total => "total",
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
