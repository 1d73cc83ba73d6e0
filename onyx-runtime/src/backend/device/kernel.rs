//! The kernels of a fold, and what they are known by.

use std::fmt;

use onyx_device::{Fold, fold};

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
}

impl Kernel {
    /// Every kernel.
    pub(crate) const ALL: [Self; 13] = [
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
    ];

    /// Whether the stage of fold `F` with this entry has a use for the kernel; the PTX leaves out those that it has not.
    pub(crate) fn is_of<F: Fold>(self, entry: usize) -> bool {
        match self {
            Self::Clear | Self::Pull | Self::EdgeFlat | Self::Finish => fold::needs_pull::<F>(entry),
            Self::VertexPerWarp | Self::VertexPerBlock => fold::needs_rows::<F>(entry),
            Self::Push | Self::WarpWord => fold::needs_push::<F>(entry),
            Self::Recompute => fold::needs_recompute::<F>(entry),
            Self::Vertex => fold::needs_vertex::<F>(entry),
            Self::EveryVertex => fold::needs_every_vertex::<F>(entry),
            Self::Activate | Self::Look => entry == 0,
        }
    }

    /// The kernels of fold `F`, each with the entry of its stage.
    pub(crate) fn of<F: Fold>() -> impl Iterator<Item = (Self, usize)> {
        let stages = F::STAGES.iter().flat_map(|stage| Self::ALL.map(|kernel| (kernel, stage.entry)));
        stages.filter(|(kernel, entry)| kernel.is_of::<F>(*entry))
    }

    /// The name of fold `F`'s kernel of the stage with this entry, at the compiled width `width`, for messages.
    pub(crate) fn entry<F: Fold>(self, entry: usize, width: usize) -> String {
        let (schedule, width) = self.key(entry, width);
        format!("{}__{schedule}__k{width}", F::NAME)
    }

    /// What the manifest knows the kernel by: the schedule with the number of the stage's entry, and the width.
    pub(crate) fn key(self, entry: usize, width: usize) -> (String, u32) {
        let width = if matches!(self, Self::Activate | Self::Look) { 0 } else { width };
        let schedule = if entry == 0 { self.to_string() } else { format!("{self}_{entry}") };
        (schedule, width as u32)
    }
}

/// A launch: the kernel, the entry of its stage, and how many threads it needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) kernel: Kernel,
    pub(crate) entry: usize,
    pub(crate) threads: u64,
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
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
        })
    }
}
