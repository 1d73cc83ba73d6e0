//! What lanes with features have found, in all lanes of a group.

use super::{Group, WARP};
use crate::agreement::Bits;
use crate::machine::Machine;

impl<M: Machine, const L: usize, const V: usize> Group<M, L, V> {
    /// A scalar that lanes with features have computed, in all lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn shared<X: Bits>(self, value: X) -> X {
        if self.is_full() {
            return value;
        }
        X::from_bits(self.machine.shuffle_from(self.members, value.bits(), self.members.trailing_zeros()))
    }

    /// [`Group::shared`] on the host; on a GPU each lane has computed it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn shared_on_host<X: Bits>(self, value: X) -> X {
        if cfg!(target_arch = "nvptx64") { value } else { self.shared(value) }
    }

    /// What the first lane of the group has, in all lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn of_leader(self, value: u32) -> u32 {
        if L == 1 { value } else { self.machine.shuffle_from(self.members, value, self.members.trailing_zeros()) }
    }

    /// What lanes with features have found, which is the same for all features, in all lanes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn agreed(self, condition: bool) -> bool {
        if self.is_full() {
            return condition;
        }
        if L > WARP {
            return self.shared(condition);
        }
        self.machine.ballot(self.members, condition) >> self.members.trailing_zeros() & 1 == 1
    }

    /// [`Group::agreed`] on the host; on a GPU each lane has found it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn agreed_on_host(self, condition: bool) -> bool {
        if cfg!(target_arch = "nvptx64") { condition } else { self.agreed(condition) }
    }

    /// Whether every lane of the group has a feature that the user asked for.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_full(self) -> bool {
        L == 1 || self.features > self.first + ((L - 1) * Self::SIDE_BY_SIDE) as u32
    }
}
