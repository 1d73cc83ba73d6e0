//! Many graphs as one.

use std::ops::Range;

use ndarray::Array2;
use onyx_runtime::graph::Graph;
use onyx_runtime::memory::{self, OutOfMemory};

use super::names::Named;
use crate::dataset::{DatasetError, zeros};

/// What needs the memory.
const BATCH: &str = "a batch of graphs";

/// Many small graphs, each with a class, and each vertex with a tag, such as the element of an atom.
#[derive(Clone, Debug)]
pub struct GraphCollection {
    graph: Graph,
    offsets: Vec<u32>,
    tags: Named,
    labels: Named,
}

/// Some of the graphs of a collection, as one disconnected graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The graph: undirected, its vertices graph after graph.
    pub graph: Graph,
    /// The tag of each vertex as a row that has a one in the tag's column, and zeros.
    pub features: Array2<f32>,
    /// The first vertex of each graph, and the number of vertices as the last.
    pub offsets: Vec<u32>,
    /// The class of each graph.
    pub labels: Vec<u32>,
}

impl Batch {
    /// The graph of each vertex, from 0 in the order of the batch.
    ///
    /// # Errors
    /// There is no memory for a number a vertex.
    pub fn graph_of_vertices(&self) -> Result<Vec<u32>, OutOfMemory> {
        let graphs = self.offsets.windows(2).enumerate();
        memory::collect(graphs.flat_map(|(graph, ends)| (ends[0]..ends[1]).map(move |_| graph as u32)), BATCH)
    }
}

impl GraphCollection {
    /// A collection of the components of `graph`: graph `g` has the vertices `offsets[g]..offsets[g + 1]`, and the class that `labels[g]` names.
    /// Each vertex has a tag. Where files leave tags out, the degrees are the tags.
    pub(super) fn new(
        graph: Graph,
        offsets: Vec<u32>,
        tags: Option<&[i64]>,
        labels: &[i64],
    ) -> Result<Self, DatasetError> {
        let degrees = || (0..graph.vertex_count() as u32).map(|vertex| graph.in_degree(vertex) as i64);
        let tags = match tags {
            Some(tags) => Named::new(tags)?,
            None => Named::new(&memory::collect(degrees(), BATCH)?)?,
        };
        Ok(Self { graph, offsets, tags, labels: Named::new(labels)? })
    }

    /// The number of graphs.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is no graph.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All graphs as one disconnected graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The first vertex of each graph, and the number of vertices as the last.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// The tag of each vertex, from 0: the column of its features that is 1.
    pub fn tags(&self) -> &[u32] {
        &self.tags.numbers
    }

    /// What the file calls each tag; ascending.
    pub fn tag_names(&self) -> &[i64] {
        &self.tags.names
    }

    /// The class of each graph, from 0.
    pub fn labels(&self) -> &[u32] {
        &self.labels.numbers
    }

    /// What the file calls each class; ascending.
    pub fn class_names(&self) -> &[i64] {
        &self.labels.names
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.labels.names.len()
    }

    /// The number of features of a vertex, one a tag.
    pub fn columns(&self) -> usize {
        self.tags.names.len()
    }

    /// Some of the graphs, in the order given, as one disconnected graph.
    ///
    /// # Errors
    /// There is none, one of them is not there, or there is not enough memory.
    pub fn batch(&self, graphs: &[usize]) -> Result<Batch, DatasetError> {
        if graphs.is_empty() {
            return Err(DatasetError::NoGraph);
        }
        let mut ranges = memory::vector(graphs.len(), BATCH)?;
        for graph in graphs {
            ranges.push(self.vertices_of(*graph)?);
        }
        let graph = self.graph.excerpt(&ranges)?;
        let labels = memory::collect(graphs.iter().map(|graph| self.labels.numbers[*graph]), BATCH)?;
        Ok(Batch {
            features: self.features_of(&ranges, graph.vertex_count())?,
            offsets: offsets(&ranges)?,
            labels,
            graph,
        })
    }

    fn vertices_of(&self, graph: usize) -> Result<Range<u32>, DatasetError> {
        let graphs = self.len();
        if graph >= graphs {
            return Err(DatasetError::NotAGraph { graph, graphs });
        }
        Ok(self.offsets[graph]..self.offsets[graph + 1])
    }

    fn features_of(&self, ranges: &[Range<u32>], vertices: usize) -> Result<Array2<f32>, DatasetError> {
        let mut features = zeros(vertices, self.columns())?;
        let tags = ranges.iter().flat_map(|range| &self.tags.numbers[range.start as usize..range.end as usize]);
        tags.enumerate().for_each(|(vertex, tag)| features[[vertex, *tag as usize]] = 1.0);
        Ok(features)
    }
}

/// Where each of the ranges begins when they are put one after the other, and the end of the last.
fn offsets(ranges: &[Range<u32>]) -> Result<Vec<u32>, OutOfMemory> {
    let mut offsets = memory::filled(0, ranges.len() + 1, BATCH)?;
    for (place, range) in ranges.iter().enumerate() {
        offsets[place + 1] = offsets[place] + range.len() as u32;
    }
    Ok(offsets)
}
