//! Sets of properties as bits of a word, by position.

/// Exchanges a bit of one set with a bit of another.
pub(crate) fn exchange((one, first): (&mut u64, usize), (other, second): (&mut u64, usize)) {
    let (has_first, has_second) = (*one >> first & 1, *other >> second & 1);
    *one = *one & !(1 << first) | has_second << first;
    *other = *other & !(1 << second) | has_first << second;
}

#[cfg(test)]
mod tests {
    use super::exchange;

    #[test]
    fn two_bits_change_places_and_no_others() {
        for (one, other) in [(0b1010, 0b0110), (0b1000, 0b0110), (0b1010, 0b0010), (0b1000, 0b0010)] {
            let (mut left, mut right): (u64, u64) = (one, other);
            exchange((&mut left, 1), (&mut right, 2));
            assert_eq!((left & !0b10, right & !0b100), (one & !0b10, other & !0b100));
            assert_eq!((left >> 1 & 1, right >> 2 & 1), (other >> 2 & 1, one >> 1 & 1));
        }
    }
}
