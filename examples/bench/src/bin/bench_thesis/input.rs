//! The graphs: generated kin of the thesis's, and files.

use onyx_runtime::graph::{Generator, Graph, GraphBuilder, LoadOptions};

use crate::Result;
use crate::values::number;

/// Edges a vertex before symmetrising, so that `kron:21` has about as many directed edges as the thesis's KN, 91 million.
const EDGE_FACTOR: u64 = 23;
/// The seed of all generators.
const SEED: u64 = 1;
/// The part of a grid's edges that a road network lacks.
const MISSING: f32 = 0.3;

/// The graph of a name: `kron:21`, `grid:8x8`, `mesh:8x8`, `road:8x8`, or a path.
pub fn graph(name: &str, undirected: bool) -> Result<Graph> {
    match name.split_once(':') {
        Some(("kron", sizes)) => kronecker(sizes),
        Some(("grid", _)) => Ok(name.parse::<Generator>()?.generate(SEED)?),
        Some(("mesh", sizes)) => mesh(sizes),
        Some(("road", sizes)) => road(sizes),
        _ => Ok(Graph::load(name, &LoadOptions { undirected })?),
    }
}

/// An R-MAT graph, each edge both ways, equal edges merged.
fn kronecker(sizes: &str) -> Result<Graph> {
    let specification =
        if sizes.contains(':') { format!("rmat:{sizes}") } else { format!("rmat:{sizes}:{EDGE_FACTOR}") };
    let directed = specification.parse::<Generator>()?.generate(SEED)?;
    let edges = directed.edges().filter(|(_, source, destination)| source != destination);
    both_ways(directed.vertex_count(), edges.map(|(_, source, destination)| (source, destination)).collect())
}

/// A grid with one diagonal in each cell, the one or the other: triangles, six neighbors in the mean, as in a Delaunay mesh.
fn mesh(sizes: &str) -> Result<Graph> {
    let (width, height) = extent(sizes)?;
    let mut edges = sides(width, height);
    for (x, y) in cells(width - 1, height - 1) {
        let corner = y * width + x;
        let falls = number(corner as usize, 1) < 0.5;
        edges.push(if falls { (corner, corner + width + 1) } else { (corner + 1, corner + width) });
    }
    both_ways((width * height) as usize, edges)
}

/// A grid that lacks edges at random.
fn road(sizes: &str) -> Result<Graph> {
    let (width, height) = extent(sizes)?;
    let mut edges = sides(width, height);
    edges.retain(|(from, to)| number(*from as usize, *to as usize) > MISSING);
    both_ways((width * height) as usize, edges)
}

fn extent(sizes: &str) -> Result<(u32, u32)> {
    let numbers = sizes.split_once('x').and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    let fits = |(width, height): &(u32, u32)| *width > 0 && *height > 0 && width.checked_mul(*height).is_some();
    Ok(numbers.filter(fits).ok_or_else(|| format!("\"{sizes}\" is not WIDTHxHEIGHT of at most 2^32 vertices"))?)
}

/// The edges of a grid to the right and below.
fn sides(width: u32, height: u32) -> Vec<(u32, u32)> {
    let right = cells(width - 1, height).map(move |(x, y)| (y * width + x, y * width + x + 1));
    let below = cells(width, height - 1).map(move |(x, y)| (y * width + x, y * width + x + width));
    right.chain(below).collect()
}

fn cells(width: u32, height: u32) -> impl Iterator<Item = (u32, u32)> {
    (0..height).flat_map(move |y| (0..width).map(move |x| (x, y)))
}

fn both_ways(vertices: usize, edges: Vec<(u32, u32)>) -> Result<Graph> {
    Ok(GraphBuilder::new().vertices(vertices).undirected(true).edges(edges).build()?)
}

#[cfg(test)]
mod tests {
    use super::graph;

    #[test]
    fn graphs_lead_both_ways() {
        for name in ["kron:7", "grid:5x4", "mesh:5x4", "road:9x8"] {
            assert!(graph(name, false).unwrap().is_symmetric(), "{name}");
        }
        assert_eq!(graph("mesh:5x4", false).unwrap().edge_count(), 2 * (4 * 4 + 5 * 3 + 4 * 3));
    }

    #[test]
    fn bad_names_are_refused() {
        for name in ["kron:x", "mesh:5", "road:0x5", "mesh:70000x70000", "no such file"] {
            assert!(graph(name, false).is_err(), "{name}");
        }
    }
}
