//! The edges of a group in one double word, so that groups may stand in any order: none asks the next where it ends, or whether they share a row.

use core::ops::Range;

/// The bits of a position. As many edges have 4 TiB of neighbors, more than a device holds.
const POSITION_BITS: u32 = 40;
const CUT: u64 = 1 << 63;

/// Where the edges of a group are, and whether their row has other groups, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Span(u64);

impl Span {
    /// The most edges of a group. One less than bits could tell, so that some bits are no span's.
    pub const MOST: usize = (1 << (63 - POSITION_BITS)) - 2;

    /// These positions, [`Span::MOST`] at most.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn new(edges: Range<u64>, is_cut: bool) -> Self {
        debug_assert!(edges.start >> POSITION_BITS == 0 && edges.end - edges.start <= Self::MOST as u64);
        Self(edges.start | (edges.end - edges.start) << POSITION_BITS | if is_cut { CUT } else { 0 })
    }

    /// What [`Span::bits`] gave.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn of_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// As it lies in memory.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The positions.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn edges(self) -> Range<u64> {
        let begin = self.0 & ((1 << POSITION_BITS) - 1);
        begin..begin + ((self.0 & !CUT) >> POSITION_BITS)
    }

    /// Whether these are the bits of a span, as those of a group always are.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn is_one(self) -> bool {
        self.0 != u64::MAX
    }

    /// Whether the row has other groups, too; under `groups_per_block`, groups in other blocks.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn is_cut(self) -> bool {
        self.0 & CUT != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_what_it_was_made_of() {
        let last = (1 << POSITION_BITS) - 1;
        for (begin, length) in [(0, 0), (7, 16), (last, 0), (last, Span::MOST as u64), (0, Span::MOST as u64)] {
            for is_cut in [false, true] {
                let span = Span::of_bits(Span::new(begin..begin + length, is_cut).bits());
                assert_eq!((span.edges(), span.is_cut()), (begin..begin + length, is_cut));
            }
        }
    }
}
