//! Damaged caches that are right by their checksums, so that readers look further.

use xxhash_rust::xxh3::xxh3_64;

/// The header's bytes before the checksum of the body, which the header's own follows.
const HEADER: usize = 8 + 4 + 4 + 8 * (4 + 5 + 9);
/// The body begins after both.
const BODY: usize = HEADER + 8 + 8;
/// A longer body has a checksum of several parts, and is left as it is.
const CHUNK: usize = 1 << 20;

/// `content` with checksums that fit it, where it has room for them.
pub fn sealed(mut content: Vec<u8>) -> Vec<u8> {
    if (BODY..=BODY + CHUNK).contains(&content.len()) {
        let parts = content[BODY..].chunks(CHUNK).flat_map(|part| xxh3_64(part).to_ne_bytes());
        let body = xxh3_64(&parts.collect::<Vec<u8>>());
        content[HEADER..HEADER + 8].copy_from_slice(&body.to_ne_bytes());
        let header = xxh3_64(&content[..HEADER + 8]);
        content[HEADER + 8..BODY].copy_from_slice(&header.to_ne_bytes());
    }
    content
}
