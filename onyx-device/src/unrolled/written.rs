//! A loop written out: by the bits of its length, the highest first.

/// Calls `body` with each of `0..N`, in order.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn written_out<const N: usize>(body: &mut impl FnMut(usize)) {
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
    use super::written_out;

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
