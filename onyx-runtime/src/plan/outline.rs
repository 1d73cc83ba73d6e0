//! What a plan is made from of a fold.

use onyx_device::FoldFacts;
use onyx_device::property;
use onyx_device::stage::{self, StageAccess};

use super::Work;
use crate::totals;

/// What a plan is made from of a fold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outline<'a> {
    pub(crate) stages: &'a [StageAccess],
    /// The tracked properties.
    pub(crate) tracked: u64,
    /// Those with a float for each vertex or edge, which all tiles of a row have in common. Heads have none that functions write.
    pub(crate) scalars: u64,
    /// Whether a push may leave totals to be computed again.
    pub(crate) recomputes: bool,
    /// Whether what vertex functions alone add to totals meets in blocks: all vertices are active in the only iteration.
    pub(crate) is_once: bool,
    /// The totals of which an iteration leaves nothing to be read, neither by the next one nor by a user.
    pub(crate) taken: u64,
}

impl Outline<'static> {
    /// That of the fold.
    pub(crate) fn of(fold: &'static FoldFacts) -> Self {
        Self {
            stages: fold.stages,
            tracked: property::tracked(fold.properties),
            scalars: if fold.has_heads { 0 } else { property::scalars(fold.properties) },
            recomputes: fold.recomputes,
            is_once: false,
            taken: if fold.is_active { 0 } else { totals::taken(fold) & totals::overwritten(fold) },
        }
    }
}

impl Outline<'_> {
    /// Whether blocks gather what the vertex functions of a stage add to totals.
    pub(crate) fn gathers(&self, stage: &StageAccess) -> bool {
        stage.gathers_totals() && (self.is_once || stage::kinds(self.stages).0)
    }

    /// Whether the vertex functions of the one stage take all totals of a pull, and leave those of cut rows as they begin: only where these stay in the cache, for elsewhere that was slower
    /// (`docs/performance.md`).
    pub(crate) fn leaves_cleared(&self, work: &Work) -> bool {
        let [stage] = self.stages else { return false };
        let are_taken = stage.has_vertices && stage.edges.reduces & !(self.taken & !self.tracked) == 0;
        are_taken && work.tiles == 1 && work.stays_near && !work.adds_parts
    }

    /// Whether the groups of a pull leave all totals of cut rows apart, so that it takes their marks alone that they are cleared, which `activate` does as well.
    pub(super) fn leaves_apart(&self, work: &Work) -> bool {
        let [stage] = self.stages else { return false };
        work.tiles == 1 && work.has_partials && !work.adds_parts && !stage.parts.are_atomic()
    }
}
