//! Loops that are written out on a GPU: an array that is indexed by constants alone stays in registers, however long the loop.
//!
//! The host has none of that, not even mentioned: a compiler goes through all that a function mentions, for each closure that it is called with, whether that is reached or not
//! (`docs/measurements/compile-items.csv`).

#[cfg(any(test, target_arch = "nvptx64"))]
mod written;

use core::mem::MaybeUninit;

#[cfg(target_arch = "nvptx64")]
use self::written::written_out;

/// Calls `body` with each of `0..N`, in order: on a GPU, up to 128.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn each<const N: usize>(mut body: impl FnMut(usize)) {
    #[cfg(target_arch = "nvptx64")]
    {
        const { assert!(N <= 128, "a lane has at most 128 features") };
        written_out::<N>(&mut body);
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let mut index = 0;
        while index < N {
            body(index);
            index += 1;
        }
    }
}

/// Has the loop whose turns begin here stay one turn after the other: a GPU's assembler would take several together, with registers for what all of them load.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn keep_turns_apart() {
    #[cfg(target_arch = "nvptx64")]
    crate::nvptx::keep_turns_apart();
}

/// Calls `body` with each of `0..N`, the last one first: what each of them assigns, the first one has assigned in the end.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn each_from_last<const N: usize>(mut body: impl FnMut(usize)) {
    #[cfg(target_arch = "nvptx64")]
    {
        const { assert!(N <= 128, "a lane has at most 128 features") };
        written_out::<N>(&mut |index| body(N - 1 - index));
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let mut index = N;
        while index > 0 {
            index -= 1;
            body(index);
        }
    }
}

/// Calls `body` with each multiple of `STEP` below `N`, in order.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn steps<const N: usize, const STEP: usize>(mut body: impl FnMut(usize)) {
    each::<N>(|index| {
        if index.is_multiple_of(STEP) {
            body(index);
        }
    });
}

/// The array of what `make` gives for each of `0..N`, in order: on a GPU, up to 128.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn array<T, const N: usize>(mut make: impl FnMut(usize) -> T) -> [T; N] {
    let mut values = [const { MaybeUninit::uninit() }; N];
    #[cfg(target_arch = "nvptx64")]
    each::<N>(|index| values[index] = MaybeUninit::new(make(index)));
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let mut index = 0;
        while index < N {
            values[index] = MaybeUninit::new(make(index));
            index += 1;
        }
    }
    let values: *const [MaybeUninit<T>; N] = &raw const values;
    // SAFETY: each of the values was made, and an array of them has the same layout.
    unsafe { values.cast::<[T; N]>().read() }
}

#[cfg(test)]
mod tests {
    use super::{array, steps};

    #[test]
    fn an_array_has_a_value_for_each_index() {
        assert_eq!(array::<_, 4>(|index| index * index), [0, 1, 4, 9]);
    }

    #[test]
    fn steps_are_of_one_length() {
        let mut found = [usize::MAX; 4];
        steps::<16, 4>(|index| found[index / 4] = index);
        assert_eq!(found, [0, 4, 8, 12]);
    }
}
