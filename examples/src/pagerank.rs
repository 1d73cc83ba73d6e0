//! PageRank: how often a walker who follows random links, and now and then jumps anywhere, is at each vertex.
//!
//! Figure 2.1f of the Onyx thesis, with damping d and n vertices:
//!
//! ```text
//! rank(v) = (1 − d) / n + d · Σ over edges u → v of rank(u) / out_degree(u)
//! ```
//!
//! Personalised, the walker jumps to some vertices only: 1 / n becomes `restart(v)`, a distribution. How much rank a vertex then has says how
//! near it is to those.
//!
//! Equal edges count each, weights do not count. A vertex without outgoing edges ("dangling") passes nothing on, and so the ranks sum to
//! less than 1. Spreading what it has over the vertices as a jump does, as is usual, only makes (1 − d) · restart(v) greater by a factor that
//! is the same at every vertex; and as the equation is linear, the ranks are then greater by one common factor. So dividing by the sum at the end, on the host,
//! gives exactly that PageRank without a sum over all vertices in every iteration.

use onyx_device::prelude::*;

/// What PageRank keeps of each vertex.
#[graph_data]
pub struct PageRank {
    /// One over the number of outgoing edges; zero where there are none.
    inverse_out_degree: VertexScalar,
    /// How often the walker is here.
    rank: VertexScalar,
    /// What each outgoing edge gets of the rank.
    share: VertexScalar<Tracked>,
    /// What arrives by the incoming edges.
    sum: VertexScalar,
    /// The rank of the vertex if nothing arrives.
    teleport: VertexScalar,
    /// How likely the walker follows a link.
    damping: Parameter,
    /// The change of a rank, as a part of it, that is not propagated.
    tolerance: Parameter,
}

/// Passes the share of each outgoing edge on.
#[edge_fn]
fn send(e: Edge, d: &mut PageRank) -> bool {
    d.sum[e.dst] += d.share[e.src];
    true
}

/// Computes the new rank; the vertex has changed if the rank has by more than the tolerance, as a part of itself, and by more than rounding
/// does to it.
#[vertex_fn]
fn update(v: Vertex, d: &mut PageRank) -> bool {
    let rank = d.teleport[v] + d.damping * d.sum[v];
    let moved = (rank - d.rank[v]).abs() > d.tolerance.max(4.0 * f32::EPSILON) * rank;
    d.rank[v] = rank;
    d.share[v] = rank * d.inverse_out_degree[v];
    moved
}

foldmap! {
    /// One iteration of PageRank.
    pub step(PageRank) = [send, update]
}

#[host]
pub use host::{Settings, personalize, prepare, ranks, serial, top, verify};

#[host]
mod host {
    use onyx_runtime::graph::Graph;
    use onyx_runtime::{Report, RunError, Store};

    use super::{PageRank, step};
    use crate::verification::{self, Equation, Verification, unpropagated};

    /// The parameters of a run.
    #[derive(Clone, Copy, Debug)]
    pub struct Settings {
        /// How likely the walker is to follow a link rather than to jump, between 0 and 1.
        pub damping: f32,
        /// The change of a rank, as a part of it, that is not worth propagating.
        ///
        /// Ranks sum to 1 and changes shrink by the damping in each iteration, so that the sum of all errors ends below
        /// tolerance · damping / (1 − damping): 6e-6 with the defaults. It is a part of the rank, for the greatest ranks cannot be
        /// had more exactly than that from 32-bit floats.
        pub tolerance: f32,
    }

    impl Default for Settings {
        fn default() -> Self {
            Self { damping: 0.85, tolerance: 1e-6 }
        }
    }

    /// The store a run starts from: the walker jumps to every vertex alike, and every vertex has the rank 1 / n.
    ///
    /// # Errors
    /// `features` is not 1: a rank is one number.
    pub fn prepare(graph: &Graph, features: usize, settings: Settings) -> Result<Store, RunError> {
        let mut store = Store::new(step, graph, features)?;
        store.set(PageRank::DAMPING, settings.damping);
        store.set(PageRank::TOLERANCE, settings.tolerance);
        for vertex in 0..graph.vertex_count() as u32 {
            store.scalars_mut(PageRank::INVERSE_OUT_DEGREE)[vertex as usize] = inverse_out_degree(graph, vertex) as f32;
        }
        start(&mut store, &vec![1.0 / graph.vertex_count() as f32; graph.vertex_count()]);
        Ok(store)
    }

    /// Lets the walker jump to `vertices` only, to each as often as its weight says; that is also where the ranks start.
    ///
    /// # Panics
    /// The weights do not sum to more than 0, or there is no such vertex.
    pub fn personalize(store: &mut Store, vertices: &[(u32, f32)]) {
        let total: f64 = vertices.iter().map(|&(_, weight)| f64::from(weight)).sum();
        assert!(total > 0.0, "the walker must jump somewhere");
        let mut restart = vec![0.0; store.scalars(PageRank::RANK).len()];
        for &(vertex, weight) in vertices {
            restart[vertex as usize] += (f64::from(weight) / total) as f32;
        }
        start(store, &restart);
    }

    /// Sets where the walker jumps and starts, by the distribution `restart`.
    fn start(store: &mut Store, restart: &[f32]) {
        let damping = store.get(PageRank::DAMPING);
        store.scalars_mut(PageRank::RANK).copy_from_slice(restart);
        for (vertex, rank) in restart.iter().enumerate() {
            store.scalars_mut(PageRank::TELEPORT)[vertex] = (1.0 - damping) * rank;
            let inverse = store.scalars(PageRank::INVERSE_OUT_DEGREE)[vertex];
            store.scalars_mut(PageRank::SHARE)[vertex] = rank * inverse;
        }
    }

    /// The part of a rank that each outgoing edge gets; zero where there is none.
    fn inverse_out_degree(graph: &Graph, vertex: u32) -> f64 {
        match graph.out_degree(vertex) {
            0 => 0.0,
            degree => 1.0 / degree as f64,
        }
    }

    /// The ranks of all vertices; they sum to 1.
    pub fn ranks(store: &Store) -> Vec<f64> {
        normalized(store.scalars(PageRank::RANK).iter().map(|&rank| f64::from(rank)).collect())
    }

    /// The `count` vertices of the highest ranks, highest first, the lower vertex first of equal ones.
    pub fn top(ranks: &[f64], count: usize) -> Vec<u32> {
        let mut vertices: Vec<u32> = (0..ranks.len() as u32).collect();
        vertices.sort_by(|&a, &b| ranks[b as usize].total_cmp(&ranks[a as usize]));
        vertices.truncate(count);
        vertices
    }

    /// Verifies the ranks in `store`: differences are parts of a rank.
    pub fn verify(graph: &Graph, store: &Store, report: &Report) -> Verification {
        verification::verify(&Ranks { graph, store }, report)
    }

    /// The equation, for ranks that are not divided by their sum.
    struct Ranks<'a> {
        graph: &'a Graph,
        store: &'a Store,
    }

    impl Ranks<'_> {
        fn damping(&self) -> f64 {
            f64::from(self.store.get(PageRank::DAMPING))
        }

        fn teleport(&self) -> impl Iterator<Item = f64> {
            self.store.scalars(PageRank::TELEPORT).iter().map(|&rank| f64::from(rank))
        }
    }

    impl Equation for Ranks<'_> {
        fn start(&self) -> Vec<f64> {
            self.teleport().map(|rank| rank / (1.0 - self.damping())).collect()
        }

        fn found(&self) -> Vec<f64> {
            self.store.scalars(PageRank::RANK).iter().map(|&rank| f64::from(rank)).collect()
        }

        fn next(&self, ranks: &[f64]) -> Vec<f64> {
            self.spread(ranks).iter().zip(self.teleport()).map(|(arrived, teleport)| arrived + teleport).collect()
        }

        fn spread(&self, distances: &[f64]) -> Vec<f64> {
            let mut sums = arriving(self.graph, distances);
            sums.iter_mut().for_each(|sum| *sum *= self.damping());
            sums
        }

        fn magnitudes(&self, _ranks: &[f64], next: &[f64]) -> Vec<f64> {
            next.to_vec()
        }

        fn terms(&self, place: usize) -> f64 {
            self.graph.in_degree(place as u32) as f64
        }

        fn tolerance(&self, rank: f64) -> f64 {
            rank * unpropagated(self.store.get(PageRank::TOLERANCE), 1.0)
        }

        fn unit(&self, rank: f64) -> f64 {
            rank
        }
    }

    /// What arrives at each vertex of what every vertex has.
    fn arriving(graph: &Graph, ranks: &[f64]) -> Vec<f64> {
        let share = |(vertex, rank): (u32, &f64)| rank * inverse_out_degree(graph, vertex);
        let shares: Vec<f64> = (0..).zip(ranks).map(share).collect();
        let mut sums = vec![0.0; ranks.len()];
        graph.edges().for_each(|(_, source, destination)| sums[destination as usize] += shares[source as usize]);
        sums
    }

    /// The ranks after `iterations` of the equation in 64-bit floats on one thread, with the jumps of `store`; they sum to 1.
    pub fn serial(graph: &Graph, store: &Store, iterations: usize) -> Vec<f64> {
        let damping = f64::from(store.get(PageRank::DAMPING));
        let restart = normalized(store.scalars(PageRank::TELEPORT).iter().map(|&jump| f64::from(jump)).collect());
        let teleport: Vec<f64> = restart.iter().map(|share| (1.0 - damping) * share).collect();
        let mut rank = restart;
        for _ in 0..iterations {
            rank =
                arriving(graph, &rank).iter().zip(&teleport).map(|(sum, teleport)| teleport + damping * sum).collect();
        }
        normalized(rank)
    }

    fn normalized(mut ranks: Vec<f64>) -> Vec<f64> {
        let total: f64 = ranks.iter().sum();
        ranks.iter_mut().for_each(|rank| *rank /= total);
        ranks
    }
}
