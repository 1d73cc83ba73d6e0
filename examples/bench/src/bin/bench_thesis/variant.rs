//! The four variants of the thesis, and two more to compare with.

use std::fmt;

use onyx_runtime::{Backend, Schedule};

/// How edges and features come to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// A thread for each edge, which reaches one feature at a time.
    ThreadPerEdge,
    /// A warp for each vertex: its threads go along edges of their own as well, but keep the sums of all features in registers.
    WarpPerVertex,
    /// Features across lanes, four in each access.
    FeatureAware,
}

impl Mapping {
    /// How it is asked for. Without features across lanes there is nothing to gain from rows of one thread: a thread an edge.
    pub fn schedule(self) -> Schedule {
        match self {
            Self::ThreadPerEdge => Schedule::EdgeFlat,
            Self::WarpPerVertex => Schedule::VertexPerWarp,
            Self::FeatureAware => Schedule::Auto,
        }
    }
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ThreadPerEdge => "NFA",
            Self::WarpPerVertex => "NFA-W",
            Self::FeatureAware => "FA",
        })
    }
}

/// A mapping, with or without change-driven computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    pub mapping: Mapping,
    /// Only what has changed is propagated.
    pub is_change_driven: bool,
}

impl Variant {
    /// All six; the first is what the others are compared with.
    pub const ALL: [Self; 6] = [
        Self::of(Mapping::ThreadPerEdge, false),
        Self::of(Mapping::WarpPerVertex, false),
        Self::of(Mapping::FeatureAware, false),
        Self::of(Mapping::ThreadPerEdge, true),
        Self::of(Mapping::WarpPerVertex, true),
        Self::of(Mapping::FeatureAware, true),
    ];

    const fn of(mapping: Mapping, is_change_driven: bool) -> Self {
        Self { mapping, is_change_driven }
    }

    /// Those that differ on a backend: a thread of the CPU has whole rows, whatever a warp would have.
    pub fn on(backend: Backend) -> impl Iterator<Item = Self> {
        let differs = move |variant: &Self| backend != Backend::Cpu || variant.mapping != Mapping::WarpPerVertex;
        Self::ALL.into_iter().filter(differs)
    }

    /// Whether features are across lanes.
    pub fn is_feature_aware(self) -> bool {
        self.mapping == Mapping::FeatureAware
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let driven = if self.is_change_driven { "CD" } else { "NCD" };
        write!(f, "{}/{driven}", self.mapping)
    }
}
