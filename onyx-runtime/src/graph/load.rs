//! Graphs from text files, plain or compressed.

use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::MultiGzDecoder;

use super::builder::assemble;
use super::checksum::checksum;
use super::error::{GraphError, LineProblem};
use super::source::{Content, Source};
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
    /// # Errors
    ///
    /// The file cannot be read or decompressed, changes meanwhile, a line is no edge, or the content is no graph that fits.
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
        let source = Source::open(path.as_ref())?;
        let meter = Meter::new(progress, source.metadata.len(), 2);
        let content = source.read(&|more| meter.add(more))?;
        Self::parse(Input::new(source.path, content, meter)?, options)
    }

    /// The graph, and the checksum of the content that it was made from.
    pub(super) fn read(
        source: &Source,
        options: &LoadOptions,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<(Self, u64), GraphError> {
        let meter = Meter::new(progress, source.metadata.len(), 2);
        let content = source.read(&|more| meter.add(more))?;
        let sum = checksum(&content);
        Ok((Self::parse(Input::new(source.path, content, meter)?, options)?, sum))
    }

    fn parse(input: Input, options: &LoadOptions) -> Result<Self, GraphError> {
        if matrix_market::is_matrix_market(input.text()) {
            matrix_market::read(&input, options.undirected)
        } else {
            edge_list::read(&input, options.undirected)
        }
    }
}

/// Tells a person how much of a file is done, where that takes several passes.
pub(super) struct Meter<'a> {
    progress: &'a (dyn Fn(u64, u64) + Sync),
    total: u64,
    passes: u64,
    done: AtomicU64,
}

impl<'a> Meter<'a> {
    /// A meter of `passes` over `total` bytes.
    pub fn new(progress: &'a (dyn Fn(u64, u64) + Sync), total: u64, passes: u64) -> Self {
        Self { progress, total, passes, done: AtomicU64::new(0) }
    }

    /// `bytes` more are done in one of the passes. Of a stream, whose end is not known, there is nothing to tell.
    pub fn add(&self, bytes: u64) {
        let done = self.done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if self.total > 0 {
            (self.progress)(done / self.passes, self.total);
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
    meter: Meter<'a>,
}

enum Text {
    Plain(Content),
    Decoded(Vec<u8>),
}

impl<'a> Input<'a> {
    fn new(path: &'a Path, content: Content, meter: Meter<'a>) -> Result<Self, GraphError> {
        let text = if content.starts_with(&GZIP) {
            Text::Decoded(decoded(path, &content, &meter)?)
        } else {
            Text::Plain(content)
        };
        Ok(Self { path, text, meter })
    }

    pub fn path(&self) -> &Path {
        self.path
    }

    pub fn text(&self) -> &[u8] {
        match &self.text {
            Text::Plain(content) => content,
            Text::Decoded(text) => text,
        }
    }

    /// Reports that `bytes` more were parsed; of a compressed file, decoding was reported already.
    pub fn parsed(&self, bytes: u64) {
        if let Text::Plain(_) = &self.text {
            self.meter.add(bytes);
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

/// The text of a compressed file, which may have several members.
fn decoded(path: &Path, compressed: &[u8], meter: &Meter) -> Result<Vec<u8>, GraphError> {
    let mut decoder = MultiGzDecoder::new(compressed);
    // A guess at the usual ratio; the vector grows where it is too low.
    let mut decoded = Vec::with_capacity(compressed.len().saturating_mul(4));
    loop {
        let left = decoder.get_ref().len();
        let read = decoder.by_ref().take(1 << 20).read_to_end(&mut decoded);
        meter.add((left - decoder.get_ref().len()) as u64);
        match read {
            Ok(0) => return Ok(decoded),
            Ok(_) => {}
            Err(source) => {
                let decoded = decoded.len() as u64;
                return Err(GraphError::Gzip { path: path.to_owned(), decoded, source });
            }
        }
    }
}
