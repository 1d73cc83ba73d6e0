//! What files are that have to be unpacked before they are texts.

/// What a zip archive starts with.
const ZIP: &[u8] = b"PK\x03\x04";
/// What a file starts with that bzip2 has compressed, but for the digit after the first three bytes.
const BZIP2: (&[u8], &[u8]) = (b"BZh", b"1AY&SY");
/// What a file starts with that xz has compressed.
const XZ: &[u8] = b"\xfd7zXZ\0";
/// What the first block of a tar archive has, and where.
const TAR: (&[u8], usize) = (b"ustar", 257);

/// What `bytes` are, in words, if they have to be unpacked first.
pub(super) fn archive(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        _ if bytes.starts_with(ZIP) => Some("a zip archive"),
        _ if bytes.starts_with(XZ) => Some("compressed by xz"),
        _ if is_bzip2(bytes) => Some("compressed by bzip2"),
        _ if is_tar(bytes) => Some("a tar archive"),
        _ => None,
    }
}

fn is_bzip2(bytes: &[u8]) -> bool {
    let (start, block) = BZIP2;
    bytes.starts_with(start) && bytes.get(start.len() + 1..).is_some_and(|rest| rest.starts_with(block))
}

/// A text may have the word at the same place, but no zeros before it.
fn is_tar(bytes: &[u8]) -> bool {
    let (mark, place) = TAR;
    bytes.get(place..).is_some_and(|rest| rest.starts_with(mark)) && bytes[..place].contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_told_from_texts() {
        let mut tar = vec![0; 512];
        tar[257..262].copy_from_slice(b"ustar");
        let archives: [(&[u8], &str); 4] = [
            (b"PK\x03\x04\x14", "a zip archive"),
            (b"\xfd7zXZ\0\0\x04", "compressed by xz"),
            (b"BZh91AY&SY\x1f", "compressed by bzip2"),
            (&tar, "a tar archive"),
        ];
        for (bytes, expected) in archives {
            assert_eq!(archive(bytes), Some(expected));
        }
        let text = [&[b'1'; 257][..], b"ustar"].concat();
        for text in [&b""[..], b"PK,1,5\n", b"BZh9 1 5\n", b"1 2\n", &text] {
            assert_eq!(archive(text), None);
        }
    }
}
