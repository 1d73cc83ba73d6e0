//! States of groups that share a row and add theirs: they have to be relative to the same number.
//!
//! That is what the state of the first group to come is relative to, which it leaves in the row. A group whose state is relative to something far above that stores it in a row of its own,
//! and the row has a list of those, which its finish goes through.

use crate::group::Group;
use crate::machine::Machine;
use crate::operator::StateOperator;
use crate::parts::Parts;

/// The most by which a state may be above what its row is relative to: what is added is then so much greater at most, and stays finite.
const MOST_ABOVE: f32 = 16.0;
/// What a row has before the first group has come: nothing is relative to it.
const NONE: u32 = f32::NEG_INFINITY.to_bits();
/// The end of a list; that row is the first cut row's.
const END: u32 = 0;

/// Whether states of this operator are relative to something.
pub(super) const fn is_relative<O: StateOperator>() -> bool {
    O::REFERENCE > 0
}

/// The parts of totals of this operator.
pub(super) const fn parts<O: StateOperator>(property: u32, own: usize, shared: usize) -> Parts {
    let parts = Parts::of(property, own, shared, O::ADDS);
    if is_relative::<O>() { parts.relative() } else { parts }
}

/// Where a row of the parts has what it is relative to, and the list of those apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub(super) reference: *mut f32,
    pub(super) list: *mut f32,
}

impl Meeting {
    /// What a group's state, which is relative to `own`, is to be relative to, so that it can be added to the row's; `None` if it cannot.
    ///
    /// # Safety
    /// The row exists, and all groups that reach its reference ask so.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn agree<M: Machine, const L: usize, const V: usize>(
        self,
        group: Group<M, L, V>,
        own: f32,
    ) -> Option<f32> {
        if !own.is_finite() {
            return None;
        }
        let mut found = NONE;
        if group.is_leader() {
            // SAFETY: the caller's.
            found = unsafe { group.machine().compare_and_swap(self.reference.cast(), NONE, own.to_bits()) };
        }
        let found = group.of_leader(found);
        let reference = if found == NONE { own } else { f32::from_bits(found) };
        (own - reference <= MOST_ABOVE).then_some(reference)
    }

    /// Adds row `apart`, whose list has its end at `next`, to the list.
    ///
    /// # Safety
    /// Both rows exist, all groups that reach the list add to it, and row `apart` is this group's alone.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn leave<M: Machine, const L: usize, const V: usize>(
        self,
        group: Group<M, L, V>,
        next: *mut f32,
        apart: u32,
    ) {
        let (machine, mut first) = (group.machine(), END);
        while group.is_leader() {
            // SAFETY: the caller's.
            let found = unsafe {
                machine.store_u32(next.cast(), first);
                machine.compare_and_swap(self.list.cast(), first, apart)
            };
            if found == first {
                return;
            }
            first = found;
        }
    }
}

/// What all groups of a row have left: its part, which they have added to, and those in its list.
///
/// # Safety
/// The launch writes neither the list nor these parts.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) unsafe fn gathered<M: Machine, A>(
    machine: M,
    row: u32,
    load: impl Fn(u32) -> A,
    meeting: impl Fn(u32) -> Meeting,
    combine: impl Fn(A, A) -> A,
) -> A {
    let (mut all, mut list) = (load(row), meeting(row).list);
    loop {
        // SAFETY: the caller's.
        let [apart] = unsafe { machine.load::<1>(list) };
        if apart.to_bits() == END {
            return all;
        }
        all = combine(all, load(apart.to_bits()));
        list = meeting(apart.to_bits()).list;
    }
}
