//! Damaged caches whose header is right by its checksum, so that readers look further.

/// The header's bytes before its checksum.
const HEADER: usize = 8 + 4 + 4 + 8 * (4 + 7);

/// `content` with a checksum that fits its header, where it has one.
pub fn sealed(mut content: Vec<u8>) -> Vec<u8> {
    if content.len() >= HEADER + 8 {
        let hash = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        let sum = content[..HEADER].iter().fold(0xcbf2_9ce4_8422_2325, hash);
        content[HEADER..HEADER + 8].copy_from_slice(&sum.to_ne_bytes());
    }
    content
}
