//! Loops that are written out on a GPU: an array that is indexed by constants alone stays in registers, however long the loop.

use core::mem::MaybeUninit;

/// Calls `body` with each of `0..N`, in order: on a GPU, up to 128.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn each<const N: usize>(mut body: impl FnMut(usize)) {
    const { assert!(N <= 128 || !cfg!(target_arch = "nvptx64"), "a lane has at most 128 features") };
    if cfg!(target_arch = "nvptx64") {
        written_out::<N>(&mut body);
    } else {
        let mut index = 0;
        while index < N {
            body(index);
            index += 1;
        }
    }
}

/// Calls `body` with each of `0..N`, the last one first: what each of them assigns, the first one has assigned in the end.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn each_from_last<const N: usize>(mut body: impl FnMut(usize)) {
    const { assert!(N <= 128 || !cfg!(target_arch = "nvptx64"), "a lane has at most 128 features") };
    if cfg!(target_arch = "nvptx64") {
        written_out::<N>(&mut |index| body(N - 1 - index));
    } else {
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
    each::<N>(|index| values[index] = MaybeUninit::new(make(index)));
    let values: *const [MaybeUninit<T>; N] = &raw const values;
    // SAFETY: each of the values was made, and an array of them has the same layout.
    unsafe { values.cast::<[T; N]>().read() }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn written_out<const N: usize>(body: &mut impl FnMut(usize)) {
    if N & 128 != 0 {
        of_128(body);
    }
    of_bit::<N, 64, _>(body, of_64);
    of_bit::<N, 32, _>(body, of_32);
    of_bit::<N, 16, _>(body, of_16);
    of_bit::<N, 8, _>(body, of_8);
    of_bit::<N, 4, _>(body, of_4);
    of_bit::<N, 2, _>(body, of_2);
    of_bit::<N, 1, _>(body, |first, body| body(first));
}

/// Goes through `BIT` numbers if this bit of `N` is set, after those of the higher bits.
#[cfg_attr(not(debug_assertions), inline(always))]
fn of_bit<const N: usize, const BIT: usize, F: FnMut(usize)>(body: &mut F, run: impl Fn(usize, &mut F)) {
    if N & BIT != 0 {
        run(N & !(2 * BIT - 1), body);
    }
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn of_2(first: usize, body: &mut impl FnMut(usize)) {
    body(first);
    body(first + 1);
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn of_4(first: usize, body: &mut impl FnMut(usize)) {
    of_2(first, body);
    of_2(first + 2, body);
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn of_8(first: usize, body: &mut impl FnMut(usize)) {
    of_4(first, body);
    of_4(first + 4, body);
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn of_16(first: usize, body: &mut impl FnMut(usize)) {
    of_8(first, body);
    of_8(first + 8, body);
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn of_32(first: usize, body: &mut impl FnMut(usize)) {
    of_16(first, body);
    of_16(first + 16, body);
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn of_64(first: usize, body: &mut impl FnMut(usize)) {
    of_32(first, body);
    of_32(first + 32, body);
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn of_128(body: &mut impl FnMut(usize)) {
    of_64(0, body);
    of_64(64, body);
}

#[cfg(test)]
mod tests {
    use super::{array, steps, written_out};

    fn visited<const N: usize>() -> [usize; N] {
        let (mut found, mut count) = ([usize::MAX; N], 0);
        written_out::<N>(&mut |index| {
            found[count] = index;
            count += 1;
        });
        assert_eq!(count, N);
        found
    }

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

    #[test]
    fn every_index_comes_once_in_order() {
        assert_eq!(visited::<1>(), core::array::from_fn(|index| index));
        assert_eq!(visited::<12>(), core::array::from_fn(|index| index));
        assert_eq!(visited::<20>(), core::array::from_fn(|index| index));
        assert_eq!(visited::<60>(), core::array::from_fn(|index| index));
        assert_eq!(visited::<2>(), core::array::from_fn(|index| index));
        assert_eq!(visited::<4>(), core::array::from_fn(|index| index));
        assert_eq!(visited::<8>(), core::array::from_fn(|index| index));
        assert_eq!(visited::<16>(), core::array::from_fn(|index| index));
        assert_eq!(visited::<32>(), core::array::from_fn(|index| index));
        assert_eq!(visited::<64>(), core::array::from_fn(|index| index));
        assert_eq!(visited::<128>(), core::array::from_fn(|index| index));
    }
}
