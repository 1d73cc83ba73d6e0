//! How contributions to one destination are combined, one file for each operator.
//!
//! An [`Operator`] is on floats: a total is a float, and groups that share a row combine theirs into memory atomically. A [`StateOperator`] is on a
//! few floats, of which a result is computed in the end: groups that share a row store theirs apart, and [`crate::schedule::cut_rows::finish`]
//! merges them in order; or they add theirs to one state in memory, where an operator adds floats, or does once states are relative to the same. See [`crate::state`].
//!
//! | operator | written | total of nothing | a cut row's groups | change |
//! | --- | --- | --- | --- | --- |
//! | [`Sum`] | `+=`, `-=` | 0 | add | the difference |
//! | [`Product`] | `*=` | 1 | multiply | the quotient, or all is computed again |
//! | [`Min`] | `.min_with(x)` | +inf | lower | none |
//! | [`Max`] | `.max_with(x)` | -inf | raise | none |
//! | [`BitOr`] | `\|=` | no bit | set bits | none |
//! | [`BitAnd`] | `&=` | all bits | clear bits | none |
//! | [`Mean`] | `.mean_with(x)` | 0 | add sum and number | none |
//! | [`Softmax`] | `.softmax_add(score, x)` | 0 | add weighted sum and sum of exponentials, relative to one score | none |
//! | [`LogSum`] | `.log_sum_exp_with(x)` | -inf | add the sum of exponentials, relative to one contribution | none |
//! | the user's | `.combine_with::<Operator>(state)` | what it says | store states, or add them | none |

mod bit_and;
mod bit_or;
mod exponential;
mod log_sum;
mod max;
mod mean;
mod min;
mod product;
mod quotient;
mod softmax;
mod sum;
#[cfg(test)]
mod tests;

pub use bit_and::BitAnd;
pub use bit_or::BitOr;
pub use log_sum::LogSum;
pub use max::Max;
pub use mean::Mean;
pub use min::Min;
pub use product::Product;
pub use softmax::Softmax;
pub use sum::Sum;

use crate::machine::Machine;
use crate::state::State;

/// A commutative, associative operator on floats.
pub trait Operator: Copy + 'static {
    /// What a destination without incoming edges gets.
    const IDENTITY: f32;

    /// Whether contributions are added.
    const ADDS: bool = false;

    /// Both contributions together.
    fn combine(a: f32, b: f32) -> f32;

    /// What turns a total with the contribution `before` into one with `now`; NaN if nothing does. Minima, maxima and bits have no changes.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn change(now: f32, _before: f32) -> f32 {
        now
    }

    /// Whether a change cannot be combined into a total, which must then be computed again.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn refuses(_total: f32, _change: f32) -> bool {
        false
    }

    /// What a destination without incoming edges gets where values are integers, if they are reduced by this operator: see [`Reduced`](crate::stored::Reduced).
    const INTEGER_IDENTITY: u32 = 0;

    /// Both contributions together, where they are integers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combine_integers(a: u32, _b: u32) -> u32 {
        a
    }

    /// What turns a total with the contribution `before` into one with `now`, where they are integers: it always exists.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn change_of_integers(now: u32, _before: u32) -> u32 {
        now
    }

    /// Combines an integer into memory atomically.
    ///
    /// # Safety
    /// As said at [`Machine`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn apply_to_integer<M: Machine>(_machine: M, _to: *mut u32, _value: u32) {}

    /// Combines `V` values into memory, each atomically.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn apply<M: Machine, const V: usize>(machine: M, to: *mut f32, values: [f32; V]);

    /// Combines `V` changes into those in memory, each atomically.
    ///
    /// # Safety
    /// As said at [`Machine`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn apply_change<M: Machine, const V: usize>(machine: M, to: *mut f32, changes: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { Self::apply(machine, to, changes) }
    }
}

/// A commutative, associative operator on states of a few floats.
///
/// None has a change: memory has the result alone, of which a contribution cannot be taken back.
///
/// An operator of a user's is named at the reduction, `d.spread[e.dst][f].combine_with::<Spread>(state)`, where `state` is what an edge brings. Its
/// functions are plain code that needs no standard library, and also run on [`StateOperator::IDENTITY`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no operator of a reduction",
    label = "implement `onyx_device::operator::StateOperator` for it"
)]
pub trait StateOperator: Copy + 'static {
    /// What is combined, up to four floats. The first float is what the contributions make of their values; the others say how much they weigh, so that they are the
    /// same for all features where the weights are.
    type State: State;

    /// What a destination without contributions has.
    const IDENTITY: Self::State;

    /// Both states together.
    fn combine(a: Self::State, b: Self::State) -> Self::State;

    /// Whether `combine` adds the floats of both states one by one, and all of the identity are 0, but for what they are relative to. The groups of a long row then add to one state in memory, in any order, which is
    /// faster than to store theirs for another kernel to combine.
    const ADDS: bool = false;

    /// The number of the float that all others are relative to; 0 where there is none. States that are relative to the same are combined by adding the others, and those of groups that share
    /// a row are made relative to what the first of them was ([`crate::state`]).
    #[doc(hidden)]
    const REFERENCE: usize = 0;

    /// The same state relative to another number.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn relative_to(state: Self::State, _reference: f32) -> Self::State {
        state
    }

    /// What each contribution brings of the floats after the first, where `combine` adds them and that is always the same; 0 for the others.
    #[doc(hidden)]
    const EACH: Self::State = Self::IDENTITY;

    /// A contribution as it is combined: one that weighs nothing brings nothing, whatever its value is.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn admitted(contribution: Self::State) -> Self::State {
        contribution
    }

    /// Whether contributions weigh by a score, in such a way that several are weighed together.
    #[doc(hidden)]
    const WEIGHS: bool = false;

    /// The score of what an edge has brought, and whether there were several.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn score(_brought: Self::State) -> (f32, bool) {
        (f32::NEG_INFINITY, false)
    }

    /// What an edge has brought with one more contribution: the last score that weighs, and how many do.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn noted(_brought: Self::State, contribution: Self::State) -> Self::State {
        contribution
    }

    /// What the weights of a state become with contributions of these scores, and the factor of each contribution's first float. Scores that are not finite, or are far above those before,
    /// may leave a state that is not finite, and no other.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn weigh<const N: usize>(weights: Self::State, _scores: [f32; N]) -> (Self::State, [f32; N]) {
        (weights, [1.0; N])
    }

    /// The same state, with weights that others can be added to.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settled(state: Self::State) -> Self::State {
        state
    }

    /// Whether what [`StateOperator::weigh`] has left of the weights is finite.
    #[doc(hidden)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn has_finite_weights(_weights: Self::State) -> bool {
        true
    }

    /// The total.
    fn finish(state: Self::State) -> f32;
}
