//! How several edges are weighed together: relative to the same score, so that what was summed before stays as it is, and exponentials, which need not wait for each other, become vector
//! instructions where a lane is alone.
//!
//! The functions of an edge run twice. First by a machine that only keeps what a contribution weighs by, so that the compiler leaves nothing else of them; then by one
//! that has the weight.

use crate::agreement::Disagreement;
use crate::forwarded::{forwarded, forwarded_rows, forwarded_warp, forwarded_words};
use crate::machine::Machine;

/// What becomes of the contributions to a total that is weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighing {
    /// Each is weighed, and combined.
    Alone,
    /// Only what it weighs by is kept.
    Noted,
    /// The machine has its weight.
    Given,
}

/// A lane that notes what contributions weigh by, or has the weight of the next one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weigher<M, const NOTES: bool> {
    lane: M,
    weight: f32,
}

impl<M> Weigher<M, true> {
    /// A lane that notes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn noting(lane: M) -> Self {
        Self { lane, weight: 1.0 }
    }
}

impl<M> Weigher<M, false> {
    /// A lane that has a weight.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn given(lane: M, weight: f32) -> Self {
        Self { lane, weight }
    }
}

// SAFETY: it is the machine inside.
unsafe impl<M: Machine, const NOTES: bool> Machine for Weigher<M, NOTES> {
    const LANES: u32 = M::LANES;
    const COMPARES: bool = M::COMPARES;
    const WEIGHING: Weighing = if NOTES { Weighing::Noted } else { Weighing::Given };

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn weight(self) -> f32 {
        self.weight
    }

    forwarded! {
        lane:
        fn disagree(disagreement: Disagreement);
    }
    forwarded_warp!(lane);
    forwarded_words!(lane);
    forwarded_rows!(lane);
}
