//! The words of a line, and the numbers they stand for.

/// Whether a line says nothing: it is blank, or a comment that begins with `#` or `%`.
pub fn is_skipped(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), None | Some(b'#' | b'%'))
}

/// The words of a line, which are separated by blanks, tabs or commas.
pub fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    line.split(|byte| byte.is_ascii_whitespace() || *byte == b',').filter(|word| !word.is_empty())
}

/// Whether nothing stands before, between or after the commas of a line, where a field should.
pub fn has_empty_field(line: &[u8]) -> bool {
    line.contains(&b',') && line.split(|byte| *byte == b',').any(|field| field.trim_ascii().is_empty())
}

/// The whole number of 64 bits that a word of digits says.
pub fn whole(word: &[u8]) -> Option<u64> {
    let digit = |number: u64, byte: &u8| {
        let digit = Some(byte.wrapping_sub(b'0')).filter(|digit| *digit < 10)?;
        number.checked_mul(10)?.checked_add(digit.into())
    };
    if word.is_empty() { None } else { word.iter().try_fold(0, digit) }
}

/// A number as a 32-bit float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Float {
    /// The nearest one.
    Finite(f32),
    /// It is infinite, not a number, or beyond the greatest float.
    TooLarge,
    /// It is not 0, but nearer to 0 than to any other float.
    TooSmall,
}

/// The number that a word says, if it says one.
pub fn float(word: &[u8]) -> Option<Float> {
    let number: f32 = str::from_utf8(word).ok()?.parse().ok()?;
    Some(match number {
        0.0 if has_digits(word) => Float::TooSmall,
        _ if number.is_finite() => Float::Finite(number),
        _ => Float::TooLarge,
    })
}

/// Whether a digit other than 0 stands before the exponent: a number of which a float makes 0 is too near to it then.
pub fn has_digits(number: &[u8]) -> bool {
    number.iter().take_while(|byte| !matches!(byte, b'e' | b'E')).any(|byte| matches!(byte, b'1'..=b'9'))
}

/// The number that a word says; none if it says none, or one that 32-bit floats do not reach.
pub fn finite(word: &[u8]) -> Option<f32> {
    match float(word)? {
        Float::Finite(number) => Some(number),
        Float::TooSmall => Some(0.0),
        Float::TooLarge => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart() {
        assert_eq!(words(b" 1,2 \t 3,,4\r\n").collect::<Vec<_>>(), [b"1", b"2", b"3", b"4"]);
        assert!([&b"\n"[..], b"  # x", b"%", b""].into_iter().all(is_skipped) && !is_skipped(b" 1 # x"));
    }

    #[test]
    fn fields_are_empty_where_nothing_is_between_commas() {
        assert!([&b"1,,2"[..], b"1,2,\r\n", b",1", b"1, ,2", b","].into_iter().all(has_empty_field));
        assert!(![&b"1,2\n"[..], b"1, 2 ,3", b"1 2", b""].into_iter().any(has_empty_field));
    }

    #[test]
    fn numbers_are_whole_or_finite() {
        assert_eq!((whole(b"007"), whole(b"18446744073709551615")), (Some(7), Some(u64::MAX)));
        for word in [&b""[..], b"+1", b"-1", b"18446744073709551616", b"1.0", b"x", "١".as_bytes()] {
            assert_eq!(whole(word), None);
        }
        assert_eq!((finite(b"-2.5e1"), finite(b"1e-40")), (Some(-25.0), Some(1e-40)));
        for word in [&b""[..], b"nan", b"inf", b"1e39", b"1,0", b"\xff"] {
            assert_eq!(finite(word), None);
        }
        assert_eq!((float(b"-0.0e5"), float(b"0.01e-60")), (Some(Float::Finite(-0.0)), Some(Float::TooSmall)));
        assert_eq!((float(b"-inf"), float(b"x")), (Some(Float::TooLarge), None));
    }
}
