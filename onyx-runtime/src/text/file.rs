//! The text of a file.

use std::fmt;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::bufread::GzDecoder;

use super::archive::archive;
use super::error::FileError;
use super::part::next_line;
use super::source::Source;
use crate::memory::{self, OutOfMemory};
use crate::progress::{Phase, Watch};

/// The path that stands for standard input.
pub const STANDARD_INPUT: &str = "-";
/// What messages call it.
const STANDARD_NAME: &str = "standard input";
/// The two bytes that every gzip member starts with.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// What some editors put in front of a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
/// The mark in front of a text of two bytes a character, in either order.
const WIDE_MARKS: [[u8; 2]; 2] = [[0xff, 0xfe], [0xfe, 0xff]];
/// What is read at once.
const BLOCK: usize = 1 << 18;

/// What a file says: decompressed, and without a byte-order mark.
pub struct Text {
    path: PathBuf,
    content: Box<dyn AsRef<[u8]> + Send + Sync>,
    /// Where the text begins: after the byte-order mark.
    begin: usize,
}

impl Text {
    /// Reads the file at `path`, plain or gzip-compressed, or standard input if that is [`STANDARD_INPUT`].
    ///
    /// The file is copied: what happens to it later does not change the text.
    ///
    /// # Errors
    /// The file cannot be read or decompressed, changes meanwhile, or is too large for the memory.
    pub fn open(path: &Path, watch: Watch<'_>) -> Result<Self, FileError> {
        if path == Path::new(STANDARD_INPUT) {
            return Self::new(STANDARD_NAME, standard_input(watch)?, watch);
        }
        Self::new(path, Source::open(path)?.read(watch)?, watch)
    }

    /// The text of `content`, plain or gzip-compressed, that a file with the path has.
    ///
    /// # Errors
    /// The content does not decompress, or is no text of single bytes.
    pub fn new<C>(path: impl Into<PathBuf>, content: C, watch: Watch<'_>) -> Result<Self, FileError>
    where
        C: AsRef<[u8]> + Send + Sync + 'static,
    {
        let path = path.into();
        let content: Box<dyn AsRef<[u8]> + Send + Sync> = match content.as_ref() {
            bytes if bytes.starts_with(&GZIP) => Box::new(decoded(&path, bytes, watch)?),
            _ => Box::new(content),
        };
        let bytes = (*content).as_ref();
        if WIDE_MARKS.iter().any(|mark| bytes.starts_with(mark)) {
            return Err(FileError::Wide { path });
        }
        let begin = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        Ok(Self { path, content, begin })
    }

    /// Makes sure that the text is one, and no archive.
    ///
    /// # Errors
    /// It has to be unpacked first.
    pub fn check_unpacked(&self) -> Result<(), FileError> {
        let archive = archive(self.bytes());
        archive.map_or(Ok(()), |form| Err(FileError::Archive { path: self.path.clone(), form }))
    }

    /// The path of the file, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text.
    pub fn bytes(&self) -> &[u8] {
        &(*self.content).as_ref()[self.begin..]
    }

    /// The line that begins at byte `begin`, with its end.
    pub fn line(&self, begin: usize) -> &[u8] {
        self.bytes()[begin..].split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default()
    }

    /// Where the line numbered `index`, from 0, of those that `counts` begins.
    pub fn nth_line(&self, index: usize, counts: impl Fn(&[u8]) -> bool) -> usize {
        let (bytes, mut begin, mut left) = (self.bytes(), 0, index);
        while begin < bytes.len() {
            let end = next_line(bytes, begin);
            match (counts(&bytes[begin..end]), left) {
                (true, 0) => break,
                (true, _) => left -= 1,
                (false, _) => {}
            }
            begin = end;
        }
        begin
    }

    /// The number of the line that begins at byte `begin`, from 1.
    pub fn line_number(&self, begin: usize) -> u64 {
        1 + memchr::memchr_iter(b'\n', &self.bytes()[..begin]).count() as u64
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Text").field("path", &self.path).field("bytes", &self.bytes().len()).finish()
    }
}

fn standard_input(watch: Watch<'_>) -> Result<Vec<u8>, FileError> {
    static IS_TAKEN: AtomicBool = AtomicBool::new(false);
    if IS_TAKEN.swap(true, Ordering::Relaxed) {
        return Err(FileError::Again);
    }
    stream(Path::new(STANDARD_NAME), &mut io::stdin().lock(), watch)
}

/// Everything that comes, of whatever length it is.
pub(super) fn stream(path: &Path, source: &mut impl Read, watch: Watch<'_>) -> Result<Vec<u8>, FileError> {
    let mut bytes = Vec::new();
    loop {
        match append(source, &mut bytes).map_err(|source| no_memory(path, source))? {
            Ok(0) => return Ok(bytes),
            Ok(_) => watch(Phase::Read, bytes.len() as u64, bytes.len() as u64),
            Err(source) => return Err(FileError::Read { path: path.to_owned(), source }),
        }
    }
}

/// The text of a compressed file, which may have several members, and zeros after the last one: some media are written in whole blocks.
fn decoded(path: &Path, bytes: &[u8], watch: Watch<'_>) -> Result<Vec<u8>, FileError> {
    let (mut text, mut rest) = (Vec::new(), bytes);
    let is_read = |left: &[u8]| watch(Phase::Read, (bytes.len() - left.len()) as u64, bytes.len() as u64);
    loop {
        rest = member(path, rest, &mut text, &is_read)?;
        if rest.iter().all(|byte| *byte == 0) {
            is_read(&[]);
            return Ok(text);
        }
    }
}

/// Appends the text of the first member. Returns what comes after it.
fn member<'b>(
    path: &Path,
    bytes: &'b [u8],
    text: &mut Vec<u8>,
    is_read: &dyn Fn(&[u8]),
) -> Result<&'b [u8], FileError> {
    let mut decoder = GzDecoder::new(bytes);
    loop {
        match append(&mut decoder, text).map_err(|source| no_memory(path, source))? {
            Ok(0) => return Ok(decoder.into_inner()),
            Ok(_) => is_read(decoder.get_ref()),
            Err(source) => {
                return Err(FileError::Gzip { path: path.to_owned(), decoded: text.len() as u64, source });
            }
        }
    }
}

/// Appends what one read gives; what fails is the memory or the read.
fn append(source: &mut impl Read, bytes: &mut Vec<u8>) -> Result<io::Result<usize>, OutOfMemory> {
    let start = bytes.len();
    if bytes.capacity() - start < BLOCK.min(start + 1024) {
        memory::grow(bytes, BLOCK.min(start + 1024), "the text")?;
    }
    bytes.resize(bytes.capacity().min(start + BLOCK), 0);
    let count = some(source, &mut bytes[start..]);
    bytes.truncate(start + count.as_ref().copied().unwrap_or(0));
    Ok(count)
}

/// What one read gives, however often it is interrupted.
fn some(source: &mut impl Read, room: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(room) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            count => return count,
        }
    }
}

fn no_memory(path: &Path, source: OutOfMemory) -> FileError {
    FileError::Memory { path: path.to_owned(), source }
}
