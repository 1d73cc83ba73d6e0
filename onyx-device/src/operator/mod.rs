//! How contributions to one destination are combined, one file for each operator.
//!
//! A total is a float, and groups that share a row combine theirs into memory atomically.
//!
//! | operator | written | total of nothing | a cut row's groups | change |
//! | --- | --- | --- | --- | --- |
//! | [`Sum`] | `+=`, `-=` | 0 | add | the difference |
//! | [`Product`] | `*=` | 1 | multiply | the quotient, or all is computed again |
//! | [`Min`] | `.min_with(x)` | +inf | lower | none |
//! | [`Max`] | `.max_with(x)` | -inf | raise | none |

mod max;
mod min;
mod product;
mod sum;

pub use max::Max;
pub use min::Min;
pub use product::Product;
pub use sum::Sum;

use crate::machine::Machine;

/// A commutative, associative operator on floats.
pub trait Operator: Copy + 'static {
    /// What a destination without incoming edges gets.
    const IDENTITY: f32;

    /// Both contributions together.
    fn combine(a: f32, b: f32) -> f32;

    /// What turns a total with the contribution `before` into one with `now`; NaN if nothing does. Minima and maxima have no changes.
    #[inline(always)]
    fn change(now: f32, _before: f32) -> f32 {
        now
    }

    /// Whether a change cannot be combined into a total, which must then be computed again.
    #[inline(always)]
    fn refuses(_total: f32, _change: f32) -> bool {
        false
    }

    /// Combines `V` values into memory, each atomically.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn apply<M: Machine, const V: usize>(machine: M, to: *mut f32, values: [f32; V]);

    /// Combines `V` changes into those in memory, each atomically.
    ///
    /// # Safety
    /// As said at [`Machine`].
    #[inline(always)]
    unsafe fn apply_change<M: Machine, const V: usize>(machine: M, to: *mut f32, changes: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { Self::apply(machine, to, changes) }
    }
}
