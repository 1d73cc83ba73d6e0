//! Graphs from text files, plain or compressed.

use std::path::Path;

use super::builder::assemble;
use super::error::GraphError;
use super::header::is_cache;
use super::vertex_ids::VertexIds;
use super::{Graph, edge_list, matrix_market};
use crate::progress::{UNWATCHED, Watch};
use crate::text::Text;

/// How to read a graph file.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// Whether each edge leads both ways, as with [`GraphBuilder::undirected`](super::GraphBuilder::undirected).
    pub undirected: bool,
}

impl Graph {
    /// Reads a graph from a SNAP edge list or a Matrix Market file, gzip-compressed or not, told apart by content; from standard input if the
    /// path is `-`.
    ///
    /// An edge list has a line for each edge: source, destination and, on all lines or on none, a weight, separated by
    /// white space or commas; blank lines and lines that start with `#` or `%` are skipped. Its vertices are the ids
    /// that occur, in ascending order. A Matrix Market file is a square `matrix coordinate`, `pattern`, `real` or
    /// `integer`, `general` or `symmetric`; entry (i, j) is the edge from i to j, and symmetric means undirected.
    ///
    /// # Errors
    ///
    /// The file cannot be read or decompressed, a line is no edge, or the content is no graph that fits.
    pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Self, GraphError> {
        Self::load_with_progress(path, options, UNWATCHED)
    }

    /// As [`load`](Self::load); `watch` hears how far it is.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub fn load_with_progress(
        path: impl AsRef<Path>,
        options: &LoadOptions,
        watch: Watch<'_>,
    ) -> Result<Self, GraphError> {
        Self::parse(&Text::open(path.as_ref(), watch)?, options, watch)
    }

    /// Reads a graph from the text of a file, as [`load`](Self::load) does.
    ///
    /// # Errors
    ///
    /// A line is no edge, or the content is no graph that fits.
    pub fn parse(text: &Text, options: &LoadOptions, watch: Watch<'_>) -> Result<Self, GraphError> {
        text.check_unpacked()?;
        if is_cache(text.bytes()) {
            return Err(GraphError::CacheForText { path: text.path().to_owned() });
        }
        if matrix_market::is_matrix_market(text.bytes()) {
            matrix_market::read(text, options.undirected, watch)
        } else {
            edge_list::read(text, options.undirected, watch)
        }
    }
}

/// [`assemble`] for parts that are vectors.
pub(super) fn assemble_parts(
    ids: VertexIds,
    edges: &[Vec<(u32, u32)>],
    weights: Option<&[Vec<f32>]>,
    undirected: bool,
    watch: Watch<'_>,
) -> Result<Graph, GraphError> {
    let edges: Vec<_> = edges.iter().map(Vec::as_slice).collect();
    let weights: Option<Vec<_>> = weights.map(|weights| weights.iter().map(Vec::as_slice).collect());
    assemble(ids, &edges, weights.as_deref(), undirected, watch)
}
