//! Loops that are written out on a GPU: an array that is indexed by constants alone stays in registers, however long the loop.

/// Calls `body` with each of `0..N`, in order. `N` is a power of two up to 128.
#[inline(always)]
pub fn each<const N: usize>(mut body: impl FnMut(usize)) {
    const { assert!(N.is_power_of_two() && N <= 128, "a compiled width is a power of two up to 128") };
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

#[inline(always)]
fn written_out<const N: usize>(body: &mut impl FnMut(usize)) {
    match N {
        1 => body(0),
        2 => of_2(0, body),
        4 => of_4(0, body),
        8 => of_8(0, body),
        16 => of_16(0, body),
        32 => of_32(0, body),
        64 => of_64(0, body),
        _ => of_128(body),
    }
}

#[inline(always)]
fn of_2(first: usize, body: &mut impl FnMut(usize)) {
    body(first);
    body(first + 1);
}

#[inline(always)]
fn of_4(first: usize, body: &mut impl FnMut(usize)) {
    of_2(first, body);
    of_2(first + 2, body);
}

#[inline(always)]
fn of_8(first: usize, body: &mut impl FnMut(usize)) {
    of_4(first, body);
    of_4(first + 4, body);
}

#[inline(always)]
fn of_16(first: usize, body: &mut impl FnMut(usize)) {
    of_8(first, body);
    of_8(first + 8, body);
}

#[inline(always)]
fn of_32(first: usize, body: &mut impl FnMut(usize)) {
    of_16(first, body);
    of_16(first + 16, body);
}

#[inline(always)]
fn of_64(first: usize, body: &mut impl FnMut(usize)) {
    of_32(first, body);
    of_32(first + 32, body);
}

#[inline(always)]
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
        assert_eq!(visited::<2>(), core::array::from_fn(|index| index));
        assert_eq!(visited::<4>(), core::array::from_fn(|index| index));
        assert_eq!(visited::<8>(), core::array::from_fn(|index| index));
        assert_eq!(visited::<16>(), core::array::from_fn(|index| index));
        assert_eq!(visited::<32>(), core::array::from_fn(|index| index));
        assert_eq!(visited::<64>(), core::array::from_fn(|index| index));
        assert_eq!(visited::<128>(), core::array::from_fn(|index| index));
    }
}
