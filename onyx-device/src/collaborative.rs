//! Collaborative operations: what the lanes of a group compute together over the features of a property.
//!
//! Padding takes no part. Every lane combines in the same order, so all of them end with the same bits.

use crate::group::Group;
use crate::machine::Machine;
use crate::math;
use crate::unrolled::{array, each};

impl<M: Machine, const L: usize, const V: usize> Group<M, L, V> {
    /// Combines what each lane has; `combine` is commutative.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn exchange(self, value: f32, combine: impl Fn(f32, f32) -> f32) -> f32 {
        let mut total = value;
        let mut distance = L as u32 / 2;
        while distance > 0 {
            total = combine(total, self.machine().shuffle_xor(self.members(), total, distance));
            distance /= 2;
        }
        total
    }

    /// Combines a value over all features, starting from the float with the bits `IDENTITY`; `combine` is commutative.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combined<const IDENTITY: u32>(self, values: [f32; V], combine: impl Fn(f32, f32) -> f32) -> f32 {
        if L == 1 && !cfg!(target_arch = "nvptx64") {
            return self.combined_by_halves::<IDENTITY>(values, combine);
        }
        // The identity is a constant: a choice between a value and a variable may become one between two addresses, which keeps both in memory.
        let mut total = f32::from_bits(IDENTITY);
        each::<V>(|index| {
            let value = if self.is_live(index) { values[index] } else { f32::from_bits(IDENTITY) };
            total = combine(total, value);
        });
        self.exchange(total, combine)
    }

    /// The same of a lane that has all features: both halves meet, then both halves of those. The compiler makes vectors of that, and not of one total.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combined_by_halves<const IDENTITY: u32>(self, values: [f32; V], combine: impl Fn(f32, f32) -> f32) -> f32 {
        let mut values = self.without_padding::<IDENTITY>(values);
        let mut half = V.next_power_of_two() / 2;
        while half > 0 {
            for index in half..V.min(2 * half) {
                values[index - half] = combine(values[index - half], values[index]);
            }
            half /= 2;
        }
        combine(f32::from_bits(IDENTITY), values[0])
    }

    /// The values, and `IDENTITY` in place of padding.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn without_padding<const IDENTITY: u32>(self, values: [f32; V]) -> [f32; V] {
        if self.live() == V {
            return values;
        }
        // Bits and not a choice, of which the compiler makes a branch for each feature.
        array(|index| {
            let mask = u32::from(self.is_live(index)).wrapping_neg();
            f32::from_bits(values[index].to_bits() & mask | IDENTITY & !mask)
        })
    }

    /// The sum of a value over all features of the property; the same in every lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn sum(self, values: [f32; V]) -> f32 {
        self.combined::<{ 0.0_f32.to_bits() }>(values, |a, b| a + b)
    }

    /// The product of a value over all features; the same in every lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn product(self, values: [f32; V]) -> f32 {
        self.combined::<{ 1.0_f32.to_bits() }>(values, |a, b| a * b)
    }

    /// The least value, +inf if all are NaN; the same in every lane. A zero is positive, whichever lane had it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn min(self, values: [f32; V]) -> f32 {
        self.combined::<{ f32::INFINITY.to_bits() }>(values, f32::min) + 0.0
    }

    /// The greatest value, -inf if all are NaN; the same in every lane. A zero is positive, whichever lane had it.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn max(self, values: [f32; V]) -> f32 {
        self.combined::<{ f32::NEG_INFINITY.to_bits() }>(values, f32::max) + 0.0
    }

    /// The sum of the products of two values; the same in every lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn dot(self, a: [f32; V], b: [f32; V]) -> f32 {
        self.sum(array(|index| a[index] * b[index]))
    }

    /// The Euclidean norm, the square root of the sum of the squares; the same in every lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn norm2(self, values: [f32; V]) -> f32 {
        math::sqrt(self.dot(values, values))
    }

    /// The values divided by their [`sum`](Group::sum). Where the sum is zero they stay as they are.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn normalize(self, values: [f32; V]) -> [f32; V] {
        let sum = self.sum(values);
        let scale = if sum == 0.0 { 1.0 } else { 1.0 / sum };
        array(|index| values[index] * scale)
    }

    /// The exponentials divided by their sum. The greatest value is subtracted first, so that nothing overflows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn softmax(self, values: [f32; V]) -> [f32; V] {
        let shift = self.shift(values);
        self.normalize(array(|index| math::exp(values[index] - shift)))
    }

    /// The logarithm of the sum of the exponentials, without overflow; the same in every lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn log_sum_exp(self, values: [f32; V]) -> f32 {
        let shift = self.shift(values);
        shift + math::ln(self.sum(array(|index| math::exp(values[index] - shift))))
    }

    /// What exponents are reduced by: the greatest value, 0 where that is not finite.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn shift(self, values: [f32; V]) -> f32 {
        let greatest = self.max(values);
        if greatest.is_finite() { greatest } else { 0.0 }
    }

    /// The lowest feature that has the greatest value; the same in every lane. NaN takes no part; 0 if all are NaN.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn argmax(self, values: [f32; V]) -> u32 {
        let (mut best, mut at) = self.lane_argmax(values);
        let mut distance = L as u32 / 2;
        while distance > 0 {
            let other = self.machine().shuffle_xor(self.members(), best, distance);
            let other_at = self.machine().shuffle_xor_u32(self.members(), at, distance);
            let is_better = other > best || (other == best && other_at < at);
            (best, at) = if is_better { (other, other_at) } else { (best, at) };
            distance /= 2;
        }
        if at == u32::MAX { 0 } else { at }
    }

    /// The greatest of the lane's own values and the lowest feature that has it; no feature if there is no value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lane_argmax(self, values: [f32; V]) -> (f32, u32) {
        let (mut best, mut at) = (f32::NEG_INFINITY, u32::MAX);
        each::<V>(|index| {
            let value = values[index];
            let is_first = at == u32::MAX && value == f32::NEG_INFINITY;
            let is_better = self.is_live(index) && (value > best || is_first);
            (best, at) = if is_better { (value, self.feature(index)) } else { (best, at) };
        });
        (best, at)
    }

    /// The value of feature `feature`, the same number for all features; the same in every lane. 0 if there is no such feature.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn broadcast(self, values: [f32; V], feature: [u32; V]) -> f32 {
        let mut bits = 0;
        each::<V>(|index| {
            let is_asked = self.is_live(index) && self.feature(index) == feature[0];
            bits |= if is_asked { values[index].to_bits() } else { 0 };
        });
        f32::from_bits(self.exchange_bits(bits))
    }

    /// The bits that any lane has.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn exchange_bits(self, bits: u32) -> u32 {
        let mut all = bits;
        let mut distance = L as u32 / 2;
        while distance > 0 {
            all |= self.machine().shuffle_xor_u32(self.members(), all, distance);
            distance /= 2;
        }
        all
    }

    /// Whether the condition holds for any feature of the property; the same in every lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn any(self, conditions: [bool; V]) -> bool {
        let mut any = false;
        each::<V>(|index| any |= conditions[index] && self.is_live(index));
        self.any_lane(any)
    }

    /// Whether the condition holds for all features of the property; the same in every lane.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn all(self, conditions: [bool; V]) -> bool {
        !self.any(array(|index| !conditions[index]))
    }

    /// Whether the condition holds in any lane of the group.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn any_lane(self, condition: bool) -> bool {
        if L == 1 { condition } else { self.machine().ballot(self.members(), condition) & self.members() != 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Cpu;

    /// `V` numbers, of which those from `features` on are padding, against those before it one after the other.
    fn agrees<const V: usize>(features: usize) {
        let group = Group::<Cpu, 1, V>::of(Cpu, features as u32);
        let values: [f32; V] =
            core::array::from_fn(|index| if index < features { (index % 7) as f32 - 2.5 } else { 1e9 });
        let live = &values[..features];
        assert_eq!(group.sum(values), live.iter().sum::<f32>(), "sum of {features} of {V}");
        assert_eq!(
            group.dot(values, values),
            live.iter().map(|value| value * value).sum::<f32>(),
            "dot of {features} of {V}"
        );
        assert_eq!(
            group.min(values),
            live.iter().fold(f32::INFINITY, |least, value| least.min(*value)),
            "min of {features} of {V}"
        );
        let greatest = live.iter().fold(f32::NEG_INFINITY, |greatest, value| greatest.max(*value));
        assert_eq!(group.max(values), greatest, "max of {features} of {V}");
        let signs = values.map(|value| if value < 0.0 { -1.0 } else { 1.0 });
        assert_eq!(group.product(signs), signs[..features].iter().product::<f32>(), "product of {features} of {V}");
    }

    #[test]
    fn halves_leave_padding_out() {
        for features in 1..=3 {
            agrees::<3>(features);
        }
        (1..=8).for_each(agrees::<8>);
        (1..=64).for_each(agrees::<64>);
        (1..=96).for_each(agrees::<96>);
        agrees::<1>(1);
    }

    #[test]
    fn numbers_that_are_none_take_no_part_in_extremes() {
        let group = Group::<Cpu, 1, 4>::of(Cpu, 4);
        assert_eq!((group.min([f32::NAN; 4]), group.max([f32::NAN; 4])), (f32::INFINITY, f32::NEG_INFINITY));
        assert_eq!((group.min([f32::NAN, 2.0, 3.0, f32::NAN]), group.max([f32::NAN, 2.0, 3.0, f32::NAN])), (2.0, 3.0));
        assert!(group.sum([1.0, f32::NAN, 0.0, 0.0]).is_nan());
    }
}
