//! What becomes of the totals that groups of a cut row have.

use onyx_device::FoldFacts;

use crate::options::Options;
use crate::schedule::Unit;
use crate::schedule::rule::Facts;

/// Whether groups that share a row leave their totals apart, and what combines these.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts {
    /// Whether groups that share a row store their totals apart.
    pub(super) are_stored: bool,
    /// Whether they add them to one part instead.
    pub(super) are_added: bool,
    /// Whether the fold has a kernel that finishes a row by a block.
    pub(super) finish_by_blocks: bool,
}

impl Parts {
    /// Those of a run whose pulls take such units.
    pub(super) fn of(fold: &FoldFacts, options: &Options, facts: &Facts, unit: Unit) -> Self {
        let cuts = fold.has_edges && matches!(unit, Unit::Group | Unit::GroupBlock | Unit::Edge);
        let are_stored = cuts && (options.deterministic || !fold.is_atomic);
        let may_be_added = fold.parts.are_added() && facts.longest_row <= u32::MAX as usize;
        let are_added = are_stored && !options.deterministic && may_be_added && unit != Unit::Edge;
        let finish_by_blocks = are_stored && !are_added && !fold.is_atomic && !fold.is_scalar && unit != Unit::Edge;
        Self { are_stored, are_added, finish_by_blocks }
    }
}
