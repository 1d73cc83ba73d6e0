//! A fast checksum of much data: XXH3 of the XXH3 sums of its chunks, which are computed in parallel.
//!
//! It finds accidents, each but for one in 2^64; it is no protection against a person who wants two files to have the same one.

use std::fs::File;
use std::io::{self, Write};

use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::block::{CHUNK, chunk_ranges, read_at};

/// How much of a chunk is read at once.
const PIECE: usize = 1 << 16;

/// The checksum of `bytes`.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    join(&bytes.par_chunks(CHUNK).map(xxh3_64).collect::<Vec<_>>())
}

/// The checksum of the first `length` bytes of `file`, of which little is in memory at a time.
///
/// # Errors
/// The file cannot be read, or is shorter.
pub(super) fn checksum_of_file(file: &File, length: u64) -> io::Result<u64> {
    let sums = chunk_ranges(length).map(|(begin, size)| checksum_of_chunk(file, begin, size));
    Ok(join(&sums.collect::<io::Result<Vec<_>>>()?))
}

/// Reads pieces that stay in the processor's own memory.
fn checksum_of_chunk(file: &File, begin: u64, size: usize) -> io::Result<u64> {
    let (mut piece, mut chunk) = ([0; PIECE], Xxh3::new());
    for start in (0..size).step_by(PIECE) {
        let piece = &mut piece[..PIECE.min(size - start)];
        read_at(file, piece, begin + start as u64)?;
        chunk.update(piece);
    }
    Ok(chunk.digest())
}

fn join(sums: &[u64]) -> u64 {
    xxh3_64(bytemuck::cast_slice(sums))
}

/// Passes on what is written, and knows its checksum.
pub(super) struct Summed<W> {
    inner: W,
    sums: Vec<u64>,
    chunk: Xxh3,
    /// How many bytes are in the chunk under way.
    filled: usize,
}

impl<W: Write> Summed<W> {
    pub fn new(inner: W) -> Self {
        Self { inner, sums: Vec::new(), chunk: Xxh3::new(), filled: 0 }
    }

    /// What was written to, and the checksum of what was.
    pub fn finish(mut self) -> (W, u64) {
        if self.filled > 0 {
            self.sums.push(self.chunk.digest());
        }
        (self.inner, join(&self.sums))
    }

    fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(CHUNK - self.filled));
            self.chunk.update(now);
            self.filled += now.len();
            if self.filled == CHUNK {
                self.sums.push(self.chunk.digest());
                self.chunk.reset();
                self.filled = 0;
            }
            bytes = later;
        }
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = self.inner.write(bytes)?;
        self.add(&bytes[..length]);
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_file_and_stream_have_the_same_checksum() {
        for length in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 7] {
            let bytes: Vec<u8> = (0..length).map(|index| (index * index / 7) as u8).collect();
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(&bytes).unwrap();
            let mut stream = Summed::new(Vec::new());
            bytes.chunks(CHUNK / 3 + 5).for_each(|part| stream.write_all(part).unwrap());
            let (written, sum) = stream.finish();
            assert_eq!((sum, &written), (checksum(&bytes), &bytes), "{length} bytes");
            assert_eq!(checksum_of_file(&file, length as u64).unwrap(), sum);
        }
    }

    #[test]
    fn chunks_that_change_places_are_seen() {
        let (one, other) = (vec![1u8; CHUNK], vec![2u8; CHUNK]);
        assert_ne!(checksum(&[one.clone(), other.clone()].concat()), checksum(&[other, one].concat()));
    }

    #[test]
    fn a_shorter_file_is_an_error() {
        let file = tempfile::tempfile().unwrap();
        assert!(checksum_of_file(&file, 1).is_err());
    }
}
