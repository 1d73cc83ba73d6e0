//! What can go wrong with a graph.

use std::io;
use std::path::PathBuf;

use crate::memory::OutOfMemory;
use crate::text::{FileError, Text, quoted};

/// Why a graph could not be built, read, generated or stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
    /// The file could not be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A pipe or a device, of which no cache can be kept.
    #[error("no cache can be kept of {}: it is not a regular file, so that its content cannot be compared later; copy it to a file, or load it without a cache", path.display())]
    CacheOfStream {
        /// What was to be read.
        path: PathBuf,
    },
    /// A cache stands where a text was expected.
    #[error("cannot read {}: it is the cache of a graph; name the text that it was made from, and the cache by --cache or `Graph::load_cached`", path.display())]
    CacheForText {
        /// The cache.
        path: PathBuf,
    },
    /// A folder stands where a file was expected.
    #[error("cannot read {}: it is a directory, not a graph file; name a file in it", path.display())]
    Directory {
        /// The folder.
        path: PathBuf,
    },
    /// The gzip stream ends early or fails its checksum.
    #[error("cannot decompress {}: the gzip data is truncated or corrupt after {decoded} decoded bytes ({source}); get the file again", path.display())]
    Gzip {
        /// The file.
        path: PathBuf,
        /// How many bytes came out before the damage.
        decoded: u64,
        /// What the decoder said.
        source: io::Error,
    },
    /// The file is no text, or cannot be held.
    #[error(transparent)]
    Text(FileError),
    /// A line of a text file does not say what it should.
    #[error("{}:{line}: {problem}, in \"{quoted}\"", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line's number, from 1.
        line: u64,
        /// The line itself, shortened if it is long.
        quoted: String,
        /// What is wrong with it.
        problem: LineProblem,
    },
    /// The file holds no edge.
    #[error("{} holds no edge: an edge list needs at least one line of two numbers", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The Matrix Market header asks for something that is not a graph or is not supported.
    #[error("{}: {reason}", path.display())]
    MatrixMarket {
        /// The file.
        path: PathBuf,
        /// What it asks for and what is supported.
        reason: String,
    },
    /// The Matrix Market header and the entries disagree.
    #[error(
        "{}: the header declares {declared} entries, but the file holds {found}: correct the header, or get the file again if it was cut short",
        path.display()
    )]
    EntryCount {
        /// The file.
        path: PathBuf,
        /// The count in the header.
        declared: u64,
        /// The number of entry lines.
        found: u64,
    },
    /// More vertices than 32 bits can number.
    #[error("{vertices} vertices are too many: a graph has at most {}; take a part of it", u32::MAX)]
    TooManyVertices {
        /// The number asked for or found.
        vertices: u64,
    },
    /// The memory that the graph needs cannot be had.
    #[error(transparent)]
    Memory(#[from] OutOfMemory),
    /// An edge given to the builder leads out of the graph.
    #[error(
        "edge {index} from {origin} to {destination} leads out of a graph of {vertices} vertices: number vertices from 0, or give \
         `GraphBuilder::vertices` a greater number"
    )]
    EdgeOutOfRange {
        /// The edge's place in the list given.
        index: usize,
        /// The vertex it leaves.
        origin: u32,
        /// The vertex it enters.
        destination: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// What is no range of vertices was to become a graph of its own.
    #[error(
        "{begin}..{end} is no range of the graph's {vertices} vertices: give a range within 0..{vertices} that does not end before it begins"
    )]
    NotARange {
        /// Its first vertex.
        begin: u32,
        /// The vertex after its last.
        end: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// An edge leads into or out of the vertices that were to become a graph of their own.
    #[error(
        "the vertices {begin}..{end} are no graph of their own: the edge from {origin} to {destination} leads into or out of them; give \
         a range with both of its ends, or remove the edge"
    )]
    OpenRange {
        /// The first vertex.
        begin: u32,
        /// The vertex after the last.
        end: u32,
        /// The vertex that the edge leaves.
        origin: u32,
        /// The vertex that it enters.
        destination: u32,
    },
    /// A batch without graphs.
    #[error("a batch has one graph at least: of one, the list of first vertices is 0 and the number of vertices")]
    NoMember,
    /// The graphs of a batch do not have all vertices.
    #[error(
        "the graphs of the batch begin at vertex {first} and end at {last}, but the graph has the vertices 0..{vertices}: give first \
         vertices that begin with 0, and {vertices} after the last"
    )]
    MembersEnd {
        /// The first vertex of the first graph.
        first: u32,
        /// The vertex after the last one.
        last: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// The builder got another number of weights than of edges.
    #[error("{weights} weights were given for {edges} edges: give one for each edge, in the order of the edges")]
    WeightCount {
        /// The number of edges.
        edges: usize,
        /// The number of weights.
        weights: usize,
    },
    /// A weight given to the builder is infinite or not a number.
    #[error(
        "the weight of edge {index} is {weight}, but weights must be finite: give it a number, or leave the edge out"
    )]
    WeightNotFinite {
        /// The edge's place in the list given.
        index: usize,
        /// The weight.
        weight: f32,
    },
    /// An undirected edge was given more than once, and not with the same weight.
    #[error(
        "the edge between {one} and {other} is given with the weights {first} and {second}: an undirected edge that is given more than \
         once, in whichever direction, is one edge and has one weight; give it once, or the same weight each time"
    )]
    WeightsDiffer {
        /// The original id of one end.
        one: u64,
        /// That of the other.
        other: u64,
        /// The weight given first.
        first: f32,
        /// Another one.
        second: f32,
    },
    /// An undirected edge was given more than once, and not alike.
    #[error(
        "edges {first} and {second} both join {one} and {other}, and do not carry the same: an undirected edge that is given more than once, \
         in whichever direction, is one edge; give it once, or the same each time"
    )]
    EdgesDiffer {
        /// The original id of one end.
        one: u64,
        /// That of the other.
        other: u64,
        /// The place of one of the edges in the list given.
        first: usize,
        /// That of another.
        second: usize,
    },
    /// A generator's specification does not parse or asks for too much.
    #[error(
        "cannot generate \"{specification}\": {reason}; the forms are rmat:SCALE, rmat:SCALE:EDGE_FACTOR, grid:WIDTHxHEIGHT, uniform:VERTICES:EDGES and ring:VERTICES:DEGREE"
    )]
    Specification {
        /// The specification.
        specification: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file is no usable graph cache.
    #[error("{} is not a usable graph cache: {problem}; {}", path.display(), problem.fix())]
    Cache {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: CacheProblem,
    },
}

impl From<FileError> for GraphError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Read { path, source } => Self::Read { path, source },
            FileError::Directory { path } => Self::Directory { path },
            FileError::Gzip { path, decoded, source } => Self::Gzip { path, decoded, source },
            error => Self::Text(error),
        }
    }
}

impl GraphError {
    /// What is wrong with the line that begins at byte `begin`.
    pub(super) fn line(text: &Text, begin: usize, problem: LineProblem) -> Self {
        let (path, line) = (text.path().to_owned(), text.line_number(begin));
        Self::Line { path, line, quoted: quoted(text.line(begin)), problem }
    }
}

/// What is wrong with a line of a text file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LineProblem {
    /// Neither an edge nor a comment.
    #[error("expected two vertex ids and at most one weight")]
    NotAnEdge,
    /// Nothing is where a comma says that there is a field.
    #[error("nothing stands before, between or after the commas (fill the field, or take its comma out)")]
    EmptyField,
    /// A vertex id has a minus sign.
    #[error("a vertex id is negative (number vertices from 0)")]
    NegativeId,
    /// A vertex id does not fit 64 bits.
    #[error("a vertex id is greater than {} (give smaller ids)", u64::MAX)]
    IdTooLarge,
    /// A Matrix Market index is not a row of the matrix.
    #[error("an index is not within 1..={vertices}, the size in the header (correct one of them)")]
    IndexOutOfRange {
        /// The matrix's size.
        vertices: u64,
    },
    /// The weight is infinite, not a number, or beyond the range of `f32`.
    #[error("the weight is not a finite 32-bit float (give one between {:e} and {:e})", f32::MIN, f32::MAX)]
    WeightNotFinite,
    /// The weight is not 0, but `f32` has no number that near to 0.
    #[error("the weight is nearer to 0 than any 32-bit float: multiply all weights by the same number")]
    WeightTooSmall,
    /// The first line of an edge list has the sizes of a matrix.
    #[error(
        "these look like the rows, columns and entries of a Matrix Market file: put its first line, %%MatrixMarket and so on, back, or \
         remove this one; if it is an edge, let another one stand before it"
    )]
    SizesInList,
    /// The line has a weight and those before have none.
    #[error("the edge has a weight, but the edges before it have none (give all edges a weight, or none)")]
    UnexpectedWeight,
    /// The line has no weight and those before have one.
    #[error("the edge has no weight, but the edges before it have one (give all edges a weight, or none)")]
    MissingWeight,
    /// A Matrix Market entry of a pattern matrix has a value.
    #[error("the entry has a value, but the header says pattern (write real there, or remove the values)")]
    UnexpectedValue,
    /// A Matrix Market entry lacks its value.
    #[error(
        "the entry has no value, but the header says real or integer (give it one, or write pattern there and remove all values)"
    )]
    MissingValue,
    /// A Matrix Market entry of an integer matrix has a fraction.
    #[error("the value {0} is not whole, but the header says integer (write real there, or correct the value)")]
    NotWhole(String),
    /// The size line of a Matrix Market file is malformed.
    #[error("expected the matrix's rows, columns and entries as three numbers")]
    SizeLine,
}

/// What is wrong with a cache file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CacheProblem {
    /// The file does not start as a cache does.
    #[error("it does not start with the mark of one")]
    Foreign,
    /// The file was written by another version.
    #[error("its format is version {found}, this program reads version {expected}")]
    Version {
        /// The file's version.
        found: u32,
        /// The version of this program.
        expected: u32,
    },
    /// The file was written on a machine of the other byte order.
    #[error("it was written on a machine of the other byte order")]
    ByteOrder,
    /// The file was changed after it was written, or damaged.
    #[error("the checksum of its {part} is {found:#018x}, not {expected:#018x}")]
    Checksum {
        /// Which part of it: header or body.
        part: &'static str,
        /// The checksum of that part as it is.
        found: u64,
        /// The checksum it was written with.
        expected: u64,
    },
    /// The cache is whole, but of something else than was asked for.
    #[error(transparent)]
    Stale(#[from] Staleness),
    /// The file is shorter or longer than its header says.
    #[error("it has {found} bytes, but its header needs {expected}")]
    Length {
        /// The file's size in bytes.
        found: u64,
        /// The size that the header asks for, in bytes.
        expected: u64,
    },
    /// The arrays contradict each other.
    #[error("{what}")]
    Inconsistent {
        /// The first rule found broken.
        what: &'static str,
    },
}

impl CacheProblem {
    /// What to do where the file was to be read.
    fn fix(&self) -> &'static str {
        match self {
            Self::Foreign => "name another file",
            _ => "load the graph and save it again",
        }
    }
}

/// In what the present differs from what a cache was made from.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Staleness {
    /// The cache does not say what it was made from.
    #[error("it does not say which file it was made from")]
    Unknown,
    /// The source of the reader has changed.
    #[error("another version of this program made it")]
    Reader,
    /// Options that change the graph.
    #[error("it was made with other options")]
    Options,
    /// The path leads to another file.
    #[error("it was made from {}", path.display())]
    File {
        /// The file that it was made from.
        path: PathBuf,
    },
    /// The file's size.
    #[error("the graph file has {found} bytes, and had {expected} when it was made")]
    Size {
        /// The size, in bytes.
        found: u64,
        /// The size when the cache was made.
        expected: u64,
    },
    /// The file's time.
    #[error("the graph file's time is another one than when it was made")]
    Time,
    /// The file's content.
    #[error("the graph file's content is another one than when it was made")]
    Content,
}
