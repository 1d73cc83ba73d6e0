//! Graphs from text files, plain or compressed.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;
use memmap2::Mmap;

use super::builder::assemble;
use super::error::{GraphError, LineProblem};
use super::vertex_ids::VertexIds;
use super::{Graph, edge_list, matrix_market};

/// The two bytes every gzip member starts with.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Error messages quote at most this many characters of a line.
const QUOTED: usize = 80;

/// How to read a graph file.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Whether each edge leads both ways, as with [`GraphBuilder::undirected`](super::GraphBuilder::undirected).
    pub undirected: bool,
}

impl Graph {
    /// Reads a graph from a SNAP edge list or a Matrix Market file, gzip-compressed or not, told apart by content.
    ///
    /// An edge list has a line for each edge: source, destination and, on all lines or on none, a weight, separated by
    /// white space or commas; blank lines and lines that start with `#` or `%` are skipped. Its vertices are the ids
    /// that occur, in ascending order. A Matrix Market file is a square `matrix coordinate`, `pattern`, `real` or
    /// `integer`, `general` or `symmetric`; entry (i, j) is the edge from i to j, and symmetric means undirected.
    ///
    /// A plain file is memory-mapped and must not be rewritten meanwhile.
    ///
    /// # Errors
    ///
    /// The file cannot be read or decompressed, a line is no edge, or the content is no graph that fits.
    pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Self, GraphError> {
        Self::load_with_progress(path, options, &|_, _| ())
    }

    /// As [`load`](Self::load); `progress(done, total)` hears, from several threads, how many bytes of the file were
    /// read so far.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub fn load_with_progress(
        path: impl AsRef<Path>,
        options: &LoadOptions,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Self, GraphError> {
        let input = Input::open(path.as_ref(), progress)?;
        if matrix_market::is_matrix_market(input.text()) {
            matrix_market::read(&input, options.undirected)
        } else {
            edge_list::read(&input, options.undirected)
        }
    }
}

/// [`assemble`] for parts that are vectors.
pub(super) fn assemble_parts(
    ids: VertexIds,
    edges: &[Vec<(u32, u32)>],
    weights: Option<&[Vec<f32>]>,
    undirected: bool,
) -> Graph {
    let edges: Vec<_> = edges.iter().map(Vec::as_slice).collect();
    let weights: Option<Vec<_>> = weights.map(|weights| weights.iter().map(Vec::as_slice).collect());
    assemble(ids, &edges, weights.as_deref(), undirected)
}

/// The text of a graph file.
pub(super) struct Input<'a> {
    path: &'a Path,
    text: Text,
    progress: &'a (dyn Fn(u64, u64) + Sync),
    done: AtomicU64,
}

enum Text {
    Mapped(Mmap),
    Decoded(Vec<u8>),
}

impl<'a> Input<'a> {
    fn open(path: &'a Path, progress: &'a (dyn Fn(u64, u64) + Sync)) -> Result<Self, GraphError> {
        let bytes = read_or_map(path)?;
        let done = AtomicU64::new(0);
        let mut input = Self { path, text: bytes, progress, done };
        if input.text().starts_with(&GZIP) {
            input.text = Text::Decoded(input.decoded()?);
        }
        Ok(input)
    }

    /// The text of a compressed file, which may have several members.
    fn decoded(&self) -> Result<Vec<u8>, GraphError> {
        let total = self.text().len();
        let mut decoder = MultiGzDecoder::new(self.text());
        // A guess at the usual ratio; the vector grows where it is too low.
        let mut decoded = Vec::with_capacity(total.saturating_mul(4));
        loop {
            match decoder.by_ref().take(1 << 20).read_to_end(&mut decoded) {
                Ok(0) => return Ok(decoded),
                Ok(_) => (self.progress)((total - decoder.get_ref().len()) as u64, total as u64),
                Err(source) => {
                    let decoded = decoded.len() as u64;
                    return Err(GraphError::Gzip { path: self.path.to_owned(), decoded, source });
                }
            }
        }
    }

    pub fn path(&self) -> &Path {
        self.path
    }

    pub fn text(&self) -> &[u8] {
        match &self.text {
            Text::Mapped(map) => map,
            Text::Decoded(text) => text,
        }
    }

    /// Reports that `bytes` more were parsed; of a compressed file, decoding was reported already.
    pub fn parsed(&self, bytes: u64) {
        if let Text::Mapped(map) = &self.text {
            let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
            (self.progress)(done, map.len() as u64);
        }
    }

    /// The line that begins at byte `begin`, with its end.
    pub fn line(&self, begin: usize) -> &[u8] {
        self.text()[begin..].split_inclusive(|&byte| byte == b'\n').next().unwrap_or_default()
    }

    /// The error for the line that begins at byte `begin`.
    pub fn line_error(&self, begin: usize, problem: LineProblem) -> GraphError {
        let line = 1 + self.text()[..begin].iter().filter(|&&byte| byte == b'\n').count() as u64;
        // A character has four bytes at most, so that a line of gigabytes need not be decoded.
        let start = &self.text()[begin..];
        let shown = String::from_utf8_lossy(&start[..start.len().min(4 * QUOTED + 4)]).into_owned();
        GraphError::Line { path: self.path.to_owned(), line, quoted: quoted(&shown), problem }
    }
}

/// The first line of `text`, shortened if it is long.
fn quoted(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn read_or_map(path: &Path) -> Result<Text, GraphError> {
    let read_error = |source| GraphError::Read { path: PathBuf::from(path), source };
    let mut file = File::open(path).map_err(read_error)?;
    let metadata = file.metadata().map_err(read_error)?;
    if metadata.is_dir() {
        return Err(GraphError::Directory { path: path.to_owned() });
    }
    if metadata.is_file() && metadata.len() > 0 {
        return map(&file).map(Text::Mapped).map_err(read_error);
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(read_error)?;
    Ok(Text::Decoded(bytes))
}

/// Maps a file whole.
pub(super) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is only read, and callers are told that the file must not be rewritten meanwhile.
    unsafe { Mmap::map(file) }
}
