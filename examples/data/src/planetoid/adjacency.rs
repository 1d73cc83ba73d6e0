//! A vertex and its neighbors on each line.

use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::memory;
use onyx_runtime::text::Text;

use crate::dataset::{DatasetError, some_lines};

/// What needs the memory.
const EDGES: &str = "the edges of the file";
/// What the numbers stand for.
const VERTEX: &str = "vertex";

/// The undirected graph of a text whose lines have a vertex and its neighbors, if any; without loops.
pub fn parse(text: &Text, vertices: usize) -> Result<Graph, DatasetError> {
    let mut edges = Vec::new();
    for line in some_lines(text, VERTEX)? {
        let mut words = line.words();
        let vertex = line.index(words.next().unwrap_or_default(), VERTEX, 0, vertices)?;
        for word in words {
            let neighbor = line.index(word, VERTEX, 0, vertices)?;
            if neighbor != vertex {
                memory::push(&mut edges, (vertex, neighbor), EDGES)?;
            }
        }
    }
    Ok(GraphBuilder::new().vertices(vertices).undirected(true).edges(edges).build()?)
}
