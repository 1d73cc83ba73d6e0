//! Synthetic graphs.

use std::str::FromStr;

use rayon::prelude::*;

use super::Graph;
use super::error::GraphError;
use super::load::assemble_parts;
use super::random_edges::{rmat, uniform};
use super::ring::Ring;
use super::size::check_size;
use super::vertex_ids::VertexIds;
use crate::memory::{self, OutOfMemory};
use crate::progress::{UNWATCHED, Watch};

/// Grids are made in bands of about this many vertices.
const BAND: u32 = 1 << 16;
/// The most edges that a generator makes; they take 8 bytes each while the graph is built.
const MOST_EDGES: u64 = 1 << 33;

/// A family of graphs, made from a specification such as `rmat:20`.
///
/// ```
/// use onyx_runtime::graph::Generator;
///
/// let graph = "grid:3x2".parse::<Generator>()?.generate(0)?;
/// assert_eq!((graph.vertex_count(), graph.edge_count()), (6, 14));
/// # Ok::<(), onyx_runtime::graph::GraphError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Generator {
    /// `rmat:SCALE` or `rmat:SCALE:EDGE_FACTOR`: a directed R-MAT graph with the Graph500 parameters.
    ///
    /// Vertices are renumbered at random, so that a number tells nothing of a degree; equal edges and loops stay.
    Rmat {
        /// The binary logarithm of the number of vertices.
        scale: u32,
        /// Edges a vertex, 16 unless given.
        edge_factor: u64,
    },
    /// `grid:WIDTHxHEIGHT`: an undirected grid, row after row, each vertex joined to the four around it.
    Grid {
        /// Vertices a row.
        width: u64,
        /// Rows.
        height: u64,
    },
    /// `uniform:VERTICES:EDGES`: directed edges whose ends are drawn evenly; equal edges and loops stay.
    Uniform {
        /// The number of vertices.
        vertices: u64,
        /// The number of edges.
        edges: u64,
    },
    /// `ring:VERTICES:DEGREE`: edges into each vertex from the `DEGREE` vertices that follow it on a ring. There may be more than 2^32 edges.
    Ring {
        /// The number of vertices.
        vertices: u64,
        /// Edges into each vertex, and out of it: fewer than vertices.
        degree: u64,
    },
}

impl FromStr for Generator {
    type Err = GraphError;

    fn from_str(text: &str) -> Result<Self, GraphError> {
        let error = |reason: &str| GraphError::Specification { specification: text.into(), reason: reason.into() };
        let generator = Self::parse(text).ok_or_else(|| error("it has none of the known forms"))?;
        generator.check().map_err(|reason| error(&reason))?;
        Ok(generator)
    }
}

impl Generator {
    fn parse(text: &str) -> Option<Self> {
        let (family, sizes) = text.split_once(':')?;
        match family {
            "rmat" => {
                let (scale, edge_factor) = sizes.split_once(':').unwrap_or((sizes, "16"));
                Some(Self::Rmat { scale: number(scale)?.try_into().ok()?, edge_factor: number(edge_factor)? })
            }
            "grid" => {
                let (width, height) = sizes.split_once('x')?;
                Some(Self::Grid { width: number(width)?, height: number(height)? })
            }
            "uniform" => {
                let (vertices, edges) = sizes.split_once(':')?;
                Some(Self::Uniform { vertices: number(vertices)?, edges: number(edges)? })
            }
            "ring" => {
                let (vertices, degree) = sizes.split_once(':')?;
                Some(Self::Ring { vertices: number(vertices)?, degree: number(degree)? })
            }
            _ => None,
        }
    }

    /// The number of vertices, if it fits 64 bits.
    fn vertices(&self) -> Option<u64> {
        match *self {
            Self::Rmat { scale, .. } => 1u64.checked_shl(scale),
            Self::Grid { width, height } => width.checked_mul(height),
            Self::Uniform { vertices, .. } | Self::Ring { vertices, .. } => Some(vertices),
        }
    }

    /// The number of directed edges, if it fits 64 bits; for a grid, at least that.
    fn edges(&self) -> Option<u64> {
        match *self {
            Self::Rmat { edge_factor, .. } => self.vertices()?.checked_mul(edge_factor),
            Self::Grid { .. } => self.vertices()?.checked_mul(4),
            Self::Uniform { edges, .. } => Some(edges),
            Self::Ring { vertices, degree } => vertices.checked_mul(degree),
        }
    }

    /// Says what is wrong with the sizes, if anything.
    fn check(&self) -> Result<(), String> {
        let (vertices, edges) = (self.vertices().unwrap_or(u64::MAX), self.edges().unwrap_or(u64::MAX));
        if vertices > u64::from(u32::MAX) {
            return Err(format!("that is more than {} vertices", u32::MAX));
        }
        // Four edges to a vertex are counted for a grid, so that only its number of vertices limits it in practice.
        if edges > MOST_EDGES && !matches!(self, Self::Grid { .. }) {
            return Err(format!("that is more than {MOST_EDGES} edges"));
        }
        if vertices == 0 {
            return Err("there must be a vertex at least".into());
        }
        if matches!(self, Self::Ring { degree, .. } if *degree >= vertices) {
            return Err("each vertex of a ring has fewer edges than there are vertices".into());
        }
        Ok(())
    }

    /// Makes the graph that belongs to `seed`, the same one on any number of threads.
    ///
    /// # Errors
    ///
    /// Sizes that parsing would have refused, or for which there is no memory.
    pub fn generate(&self, seed: u64) -> Result<Graph, GraphError> {
        self.generate_with_progress(seed, UNWATCHED)
    }

    /// As [`generate`](Self::generate); `watch` hears how far it is.
    ///
    /// # Errors
    ///
    /// As [`generate`](Self::generate).
    pub fn generate_with_progress(&self, seed: u64, watch: Watch<'_>) -> Result<Graph, GraphError> {
        let refuse = |reason| GraphError::Specification { specification: format!("{self:?}"), reason };
        self.check().map_err(refuse)?;
        let vertices = self.vertices().unwrap_or(u64::MAX);
        check_size(vertices, self.edges().unwrap_or(u64::MAX))?;
        if let Self::Ring { vertices, degree } = *self {
            return Ring { vertices: vertices as u32, degree: degree as u32 }.graph();
        }
        let edges = match *self {
            Self::Ring { .. } => Vec::new(),
            Self::Rmat { scale, edge_factor } => rmat(scale, vertices * edge_factor, seed, watch)?,
            Self::Grid { width, height } => grid(width as u32, height as u32)?,
            Self::Uniform { vertices, edges } => uniform(vertices as u32, edges, seed, watch)?,
        };
        let ids = VertexIds::Dense { first: 0, count: vertices as usize };
        assemble_parts(ids, &edges, None, matches!(self, Self::Grid { .. }), watch)
    }
}

/// A number of decimal digits only.
fn number(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

/// The edges to the right and below, one part a band of rows.
fn grid(width: u32, height: u32) -> Result<Vec<Vec<(u32, u32)>>, OutOfMemory> {
    let row = |y: u32| {
        (0..width).flat_map(move |x| {
            let vertex = y * width + x;
            let right = (x + 1 < width).then(|| (vertex, vertex + 1));
            let below = (y + 1 < height).then(|| (vertex, vertex + width));
            right.into_iter().chain(below)
        })
    };
    let band = (BAND / width).max(1);
    let edges = |first: u32| {
        let rows = first..height.min(first.saturating_add(band));
        let mut edges = memory::vector(2 * rows.len() * width as usize, "the edges of the grid")?;
        edges.extend(rows.flat_map(row));
        Ok(edges)
    };
    let bands: Vec<u32> = (0..height).step_by(band as usize).collect();
    bands.into_par_iter().map(edges).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generate(specification: &str, seed: u64, threads: usize) -> Graph {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| specification.parse::<Generator>().unwrap().generate(seed).unwrap())
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        for specification in ["rmat:13", "grid:300x250", "uniform:1000:200000"] {
            let graph = generate(specification, 7, 1);
            assert_eq!(graph, generate(specification, 7, 3), "{specification}");
            assert_eq!(graph, generate(specification, 7, 8), "{specification}");
        }
    }

    #[test]
    fn seeds_change_random_graphs_only() {
        assert_ne!(generate("rmat:8", 1, 1), generate("rmat:8", 2, 1));
        assert_ne!(generate("uniform:100:100", 1, 1), generate("uniform:100:100", 2, 1));
        assert_eq!(generate("grid:8x9", 1, 1), generate("grid:8x9", 2, 1));
    }

    #[test]
    fn sizes_are_those_asked_for() {
        let graph = generate("rmat:10:8", 3, 2);
        assert_eq!((graph.vertex_count(), graph.edge_count(), graph.is_symmetric()), (1024, 8192, false));
        let graph = generate("uniform:10:70000", 3, 2);
        assert_eq!((graph.vertex_count(), graph.edge_count()), (10, 70_000));
        let graph = generate("rmat:0:3", 3, 2);
        assert_eq!(graph.edges().collect::<Vec<_>>(), [(0, 0, 0), (1, 0, 0), (2, 0, 0)]);
    }

    #[test]
    fn a_grid_joins_the_four_around() {
        let graph = generate("grid:5x4", 0, 2);
        assert_eq!(graph.outgoing().row(6), [1, 5, 7, 11]);
        assert_eq!(graph.outgoing().row(0), [1, 5]);
        assert_eq!(graph.edge_count(), 2 * (4 * 4 + 5 * 3));
        assert!(graph.is_symmetric());
        assert_eq!(generate("grid:1x1", 0, 1).edge_count(), 0);
    }

    #[test]
    fn rmat_is_skewed() {
        let statistics = generate("rmat:12", 5, 2).statistics();
        assert!(statistics.greatest_in_degree > 20 * 16, "{statistics}");
        assert!(statistics.isolated > 4096 / 10, "{statistics}");
    }

    #[test]
    fn bad_specifications_are_refused() {
        let bad = ["", "rmat", "rmat:", "rmat:a", "rmat:-1", "rmat:5:", "rmat:5:1:1", "grid:3", "grid:3x", "grid:3:4"];
        let absurd = ["rmat:32", "rmat:99", "rmat:31:17", "grid:100000x100000", "uniform:4294967296:1"];
        let worse = [
            "uniform:0:5",
            "grid:0x9",
            "uniform:5",
            "uniform:5:99999999999",
            "ring:5",
            "ring:5:5",
            "rmat:+5",
            "rmat:5:1e9",
        ];
        for specification in bad.into_iter().chain(absurd).chain(worse) {
            let error = specification.parse::<Generator>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("cannot generate \"{specification}\": ")), "{error}");
            assert!(error.ends_with("uniform:VERTICES:EDGES and ring:VERTICES:DEGREE"), "{error}");
        }
    }

    #[test]
    fn absurd_sizes_set_by_hand_are_refused() {
        let generators = [
            Generator::Rmat { scale: 64, edge_factor: 1 },
            Generator::Grid { width: u64::MAX, height: 2 },
            Generator::Uniform { vertices: 1, edges: u64::MAX },
        ];
        for generator in generators {
            assert!(matches!(generator.generate(0), Err(GraphError::Specification { .. })), "{generator:?}");
        }
    }
}
