//! What becomes of the totals that groups of a cut row have.

use onyx_device::FoldFacts;

use crate::options::Options;
use crate::schedule::rule::Facts;
use crate::schedule::{Form, Unit};

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
    pub(super) fn of(fold: &FoldFacts, form: Form, options: &Options, facts: &Facts, unit: Unit) -> Self {
        let cuts = fold.has_edges && matches!(unit, Unit::Group | Unit::GroupBlock | Unit::Edge);
        let are_stored = cuts && (options.deterministic || !fold.is_atomic);
        let may_be_added = may_be_added(fold, form) && facts.longest_row <= u32::MAX as usize;
        let are_added = are_stored && !options.deterministic && may_be_added && unit != Unit::Edge;
        let finish_by_blocks = are_stored && !are_added && !fold.is_atomic && !fold.is_scalar && unit != Unit::Edge;
        Self { are_stored, are_added, finish_by_blocks }
    }
}

/// Whether totals of the fold can be added to one part of a row. Those that are relative to something are not where a row has one lane or several totals are states, such as a log-sum besides, since groups then take longer
/// to agree than to store their parts (`docs/measurements/sum-relative-h200.csv`, `attention-relative-h200.csv`); nor where it has tiles, which would each decide for themselves whether theirs are
/// too far above what the part is relative to.
pub(super) fn may_be_added(fold: &FoldFacts, form: Form) -> bool {
    let agree = !form.is_wide && fold.lanes_of(form.width) > Some(1) && states(fold) == 1;
    fold.parts.are_added() && (agree || !fold.parts.are_relative())
}

/// How many totals of the fold are states of several floats.
fn states(fold: &FoldFacts) -> usize {
    let parts = (0..fold.properties.len()).map(|index| fold.parts.get(index));
    parts.filter(|part| part.shared > 0 || part.own > 1).count()
}
