//! The bytes of a file, in memory that nobody else can change.
//!
//! A file that is mapped can be cut short by anyone who may write it, and then the next look at it ends the process with SIGBUS; or it
//! changes after it was checked. So files are copied into memory, in parallel, which costs little beside parsing or checking them. The
//! memory is an anonymous map: it starts at a page, is freed at once, and that it cannot be had is an error, not an abort.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::{Mmap, MmapMut};
use rayon::prelude::*;

use crate::memory;
use crate::progress::{Phase, Watch};

/// What the memory is for, in messages.
const PURPOSE: &str = "the file";
/// Files are read in parts of this many bytes.
pub(crate) const CHUNK: usize = 1 << 20;

/// The bytes of a file.
#[derive(Debug)]
pub(crate) struct Block(Mmap);

impl Block {
    /// Reads the first `length` bytes of `file`; `watch` hears, from several threads, how many there are so far.
    ///
    /// # Errors
    /// The file cannot be read or is shorter, or there is not so much memory.
    pub fn read(file: &File, length: u64, watch: Watch<'_>) -> io::Result<Self> {
        let (mut memory, done) = (reserve(length)?, AtomicU64::new(0));
        let read = |(index, chunk): (usize, &mut [u8])| {
            read_at(file, chunk, (index * CHUNK) as u64)?;
            let more = chunk.len() as u64;
            watch(Phase::Read, done.fetch_add(more, Ordering::Relaxed) + more, length);
            io::Result::Ok(())
        };
        memory.par_chunks_mut(CHUNK).enumerate().try_for_each(read)?;
        Ok(Self(memory.make_read_only()?))
    }
}

impl Deref for Block {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Memory for `length` bytes.
fn reserve(length: u64) -> io::Result<MmapMut> {
    memory::pages(length, PURPOSE).map_err(|error| io::Error::new(ErrorKind::OutOfMemory, error.to_string()))
}

/// The beginning and the size of each chunk of a file of `length` bytes.
pub(crate) fn chunk_ranges(length: u64) -> impl IndexedParallelIterator<Item = (u64, usize)> {
    let count = length.div_ceil(CHUNK as u64) as usize;
    (0..count).into_par_iter().map(move |index| {
        let begin = (index * CHUNK) as u64;
        (begin, (length - begin).min(CHUNK as u64) as usize)
    })
}

/// Fills `buffer` from byte `begin` of `file` on.
pub(crate) fn read_at(file: &File, buffer: &mut [u8], begin: u64) -> io::Result<()> {
    read_exact_at(file, buffer, begin).map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "it became shorter while it was read"),
        _ => error,
    })
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], begin: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, begin)
}

/// Other systems have one place in a file, which one thread at a time may move.
#[cfg(not(unix))]
fn read_exact_at(mut file: &File, buffer: &mut [u8], begin: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    use std::sync::{Mutex, PoisonError};

    static PLACE: Mutex<()> = Mutex::new(());
    let _place = PLACE.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(begin))?;
    file.read_exact(buffer)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::progress::UNWATCHED;

    fn file_of(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    #[test]
    fn a_block_has_the_bytes_of_the_file() {
        for length in [0, 1, CHUNK, 2 * CHUNK + 3] {
            let bytes: Vec<u8> = (0..length).map(|index| (index % 251) as u8).collect();
            let most = AtomicU64::new(0);
            let watch = |_, done, _| {
                most.fetch_max(done, Ordering::Relaxed);
            };
            let block = Block::read(&file_of(&bytes), length as u64, &watch).unwrap();
            assert!(*block == *bytes && most.into_inner() == length as u64, "{length} bytes");
        }
    }

    #[test]
    fn a_file_that_was_cut_short_is_an_error() {
        let file = file_of(&[1; 3 * CHUNK]);
        file.set_len(CHUNK as u64 + 1).unwrap();
        let error = Block::read(&file, 3 * CHUNK as u64, UNWATCHED).unwrap_err();
        assert!(error.to_string().contains("shorter"), "{error}");
    }

    #[test]
    fn a_block_stays_as_it_was_read() {
        let file = file_of(&[7; CHUNK]);
        let block = Block::read(&file, CHUNK as u64, UNWATCHED).unwrap();
        file.set_len(0).unwrap();
        assert!(block.iter().all(|&byte| byte == 7));
    }

    #[test]
    fn too_much_memory_is_an_error() {
        let error = Block::read(&file_of(&[]), 1 << 62, UNWATCHED).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    }
}
