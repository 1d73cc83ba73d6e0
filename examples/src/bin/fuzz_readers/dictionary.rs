//! Words that mean something to some reader, or to none.

/// What replaces a number, or stands between words.
pub const NUMBERS: [&[u8]; 30] = [
    b"0", b"1", b"2", b"-1", b"+1", b"00", b"255", b"256", b"65535", b"65536", b"65537", b"16777217", b"2147483648",
    b"4294967295", b"4294967296", b"9223372036854775808", b"18446744073709551615", b"18446744073709551616",
    b"99999999999999999999999999", b"0.5", b"-0.0", b"1e-45", b"1e-60", b"3.4e38", b"1e39", b"1e999", b"nan", b"inf",
    b"-inf", b"0x10",
];

/// What stands anywhere.
pub const WORDS: [&[u8]; 36] = [
    b"%%MatrixMarket matrix coordinate pattern general\n", b"%%MatrixMarket matrix coordinate real symmetric\n",
    b"%%MatrixMarket", b"matrix array complex skew-symmetric", b"%", b"#", b"MARKOV", b"BAYES", b"MAR", b"MARKOV\n1\n2\n0\n",
    b"::", b",", b";", b"\t", b"\"", b"\"\"", b"\",\"", b" ", b"\n", b"\r\n", b"\r", b"\0", b"\x1b[31m", b"\xef\xbb\xbf",
    b"\xff\xfe", b"\xc3\x28", b"\xf0\x9f\x92\xa9", b"\xe2\x80\xae", b"\x1f\x8b", b"userId,movieId,rating\n", b"e", b".", b"-",
    b"onyx-csr", b"1 2\n2 1\n", b"1 1 1\n",
];
