//! What an act of a device reads and writes, by which a recording knows what may run beside it.

use std::ops::Range;
#[cfg(feature = "emulator")]
use std::slice;

/// The addresses that an act reads, and those that it writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    reads: Vec<Range<u64>>,
    writes: Vec<Range<u64>>,
    are_unknown: bool,
    /// Whether it comes to the same rows again and again, from all over the graph, and so needs them in the cache.
    gathers: bool,
}

impl Effects {
    /// Those of which nobody has said anything.
    pub(crate) const UNKNOWN: Self = Self { reads: Vec::new(), writes: Vec::new(), are_unknown: true, gathers: false };

    /// The same, and these addresses are read.
    pub(crate) fn reading(mut self, addresses: Range<u64>) -> Self {
        self.reads.push(addresses);
        self
    }

    /// The same, and these addresses are written.
    pub(crate) fn writing(mut self, addresses: Range<u64>) -> Self {
        self.writes.push(addresses);
        self
    }

    /// The same of an act that comes to rows again and again, from all over the graph, where `gathers` says so.
    pub(crate) fn gathering(self, gathers: bool) -> Self {
        Self { gathers, ..self }
    }

    /// Whether it does.
    pub(crate) fn gathers(&self) -> bool {
        self.gathers
    }

    /// Whether any of these addresses may be read or written.
    #[cfg(feature = "emulator")]
    pub(crate) fn reach(&self, addresses: &Range<u64>) -> bool {
        self.are_unknown || [&self.reads, &self.writes].iter().any(|all| meet(all, slice::from_ref(addresses)))
    }

    /// Whether any of these addresses may be written.
    #[cfg(feature = "emulator")]
    pub(crate) fn write(&self, addresses: &Range<u64>) -> bool {
        self.are_unknown || meet(&self.writes, slice::from_ref(addresses))
    }

    /// The same without what is read: what is said to be written alone.
    #[cfg(all(test, feature = "emulator"))]
    pub(crate) fn without_reads(self) -> Self {
        Self { reads: Vec::new(), ..self }
    }

    /// The same where what is written is said to be read alone.
    #[cfg(all(test, feature = "emulator"))]
    pub(crate) fn without_writes(self) -> Self {
        let Self { reads, writes, are_unknown, gathers } = self;
        Self { reads: [reads, writes].concat(), writes: Vec::new(), are_unknown, gathers }
    }

    /// How many bytes are reached, as often as they are named.
    pub(crate) fn bytes(&self) -> u64 {
        let lengths = self.reads.iter().chain(&self.writes).map(|addresses| addresses.end - addresses.start);
        lengths.fold(0, u64::saturating_add)
    }

    /// Whether the later one of two acts has to wait for the earlier one.
    pub(crate) fn collide(&self, other: &Self) -> bool {
        self.are_unknown
            || other.are_unknown
            || meet(&self.writes, &other.writes)
            || meet(&self.writes, &other.reads)
            || meet(&self.reads, &other.writes)
    }
}

fn meet(some: &[Range<u64>], others: &[Range<u64>]) -> bool {
    some.iter().any(|own| others.iter().any(|other| own.start < other.end && other.start < own.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acts_collide_where_one_writes_what_the_other_reaches() {
        let (reads, writes) = (Effects::default().reading(8..16), Effects::default().writing(12..20));
        assert!(!reads.collide(&reads) && writes.collide(&writes));
        assert!(reads.collide(&writes) && writes.collide(&reads));
        let beside = Effects::default().reading(0..8).writing(20..24);
        assert_eq!((beside.bytes(), Effects::UNKNOWN.bytes()), (12, 0));
        assert!(!reads.collide(&beside) && !writes.collide(&beside));
        assert!(reads.reach(&(0..9)) && !reads.write(&(0..9)) && writes.write(&(19..30)) && !beside.reach(&(8..20)));
        assert!([&reads, &beside, &Effects::default()].into_iter().all(|known| known.collide(&Effects::UNKNOWN)));
    }
}
