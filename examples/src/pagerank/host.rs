//! Running PageRank: what it starts from, and what it finds.

use ndarray::Array1;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Data, Options, Report, ResidentGraph, RunError, RunFold};

use super::{PageRank, step};
use crate::error::AlgorithmError;
use crate::input::{WEIGHT, check_part, check_start, check_tolerance, check_vertex, check_vertices};

/// The algorithm's name.
const NAME: &str = "PageRank";
/// What names a vertex to jump to.
const RESTART: &str = "restart";

/// The parameters of a run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How likely the walker is to follow a link rather than to jump, between 0 and 1.
    pub damping: f32,
    /// The change of a rank, as a part of it, that is not worth propagating.
    ///
    /// Ranks sum to 1 and changes shrink by the damping in each iteration, so that the sum of all errors ends below
    /// tolerance · damping / (1 − damping), 6e-6 with the defaults, where sums are exact. It is a part of the rank, for the greatest ranks cannot be
    /// had more exactly than that from 32-bit floats: the rank of a vertex with tens of thousands of incoming edges may be off by a few parts in a
    /// million, and by 1 / (1 − damping) times as much as its sum.
    pub tolerance: f32,
    /// The greatest number of iterations of a call.
    pub iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { damping: 0.85, tolerance: 1e-6, iterations: 1000 }
    }
}

/// The same, written one after the other: `Settings::new().damping(0.9).iterations(50)`.
impl Settings {
    /// What is chosen where nothing is said.
    pub fn new() -> Self {
        Self::default()
    }

    /// With [`Settings::damping`].
    pub fn damping(self, damping: f32) -> Self {
        Self { damping, ..self }
    }

    /// With [`Settings::tolerance`].
    pub fn tolerance(self, tolerance: f32) -> Self {
        Self { tolerance, ..self }
    }

    /// With [`Settings::iterations`].
    pub fn iterations(self, iterations: usize) -> Self {
        Self { iterations, ..self }
    }
}

/// What a call has found.
#[derive(Clone, Debug)]
pub struct Ranks {
    /// The rank of each vertex; they sum to 1.
    pub ranks: Vec<f64>,
    /// How it was found, and whether the run came to rest.
    pub report: Report,
}

impl Ranks {
    /// As [`top`].
    pub fn top(&self, count: usize) -> Vec<u32> {
        top(&self.ranks, count)
    }
}

/// The PageRank of each vertex of a graph, computed where the graph is.
///
/// # Errors
/// The graph has no vertices, a setting is out of its range, or the run fails.
pub fn pagerank(graph: &ResidentGraph<'_>, settings: Settings) -> Result<Ranks, AlgorithmError> {
    check_vertices(NAME, graph.graph())?;
    run(graph, prepare(graph, settings)?, settings)
}

/// The same for a walker who jumps to the vertices of `restart` alone, to each as often as its weight says.
///
/// # Errors
/// As [`pagerank`] and [`personalize`].
pub fn personalized(
    graph: &ResidentGraph<'_>,
    restart: &[(u32, f32)],
    settings: Settings,
) -> Result<Ranks, AlgorithmError> {
    check_vertices(NAME, graph.graph())?;
    let mut data = prepare(graph, settings)?;
    personalize(&mut data, restart)?;
    run(graph, data, settings)
}

fn run(graph: &ResidentGraph<'_>, mut data: Data<PageRank>, settings: Settings) -> Result<Ranks, AlgorithmError> {
    let options = Options::new().iterations(settings.iterations);
    let report = step.on(graph, &mut data).until_settled(&options)?;
    Ok(Ranks { ranks: ranks(&mut data)?, report })
}

/// The data that a run of [`step`] starts from: the walker jumps to every vertex alike, and every vertex has the rank 1 / n.
///
/// # Errors
/// A setting is out of its range, or there is no memory.
pub fn prepare(graph: &ResidentGraph<'_>, settings: Settings) -> Result<Data<PageRank>, AlgorithmError> {
    check_part("damping", settings.damping)?;
    check_tolerance(settings.tolerance)?;
    let mut data = graph.session().data(step, graph, 1)?;
    data.set(PageRank::DAMPING, settings.damping);
    data.set(PageRank::TOLERANCE, settings.tolerance);
    let graph = graph.graph();
    let places = data.view_mut(PageRank::INVERSE_OUT_DEGREE)?.into_iter();
    places.zip(0..).for_each(|(place, vertex)| *place = inverse_out_degree(graph, vertex) as f32);
    let count = graph.vertex_count();
    start(&mut data, &Array1::from_elem(count, 1.0 / count as f32))?;
    Ok(data)
}

/// Lets the walker jump to the vertices of `restart` alone, to each as often as its weight says; that is also where the ranks start.
///
/// # Errors
/// There is no such vertex, a weight is below 0 or no number, or all weights are 0.
pub fn personalize(data: &mut Data<PageRank>, restart: &[(u32, f32)]) -> Result<(), AlgorithmError> {
    check_start("personalised PageRank", RESTART, restart)?;
    let mut shares = Array1::<f32>::zeros(data.read(PageRank::RANK)?.len());
    let total: f64 = restart.iter().map(|&(_, weight)| f64::from(weight)).sum();
    for &(vertex, weight) in restart {
        check_vertex(RESTART, vertex, shares.len())?;
        if !(weight.is_finite() && weight >= 0.0) {
            return Err(AlgorithmError::Value { what: "weight", vertex, value: weight, needed: WEIGHT });
        }
        shares[vertex as usize] += (f64::from(weight) / total) as f32;
    }
    if total > 0.0 { Ok(start(data, &shares)?) } else { Err(AlgorithmError::NoWeight { what: RESTART }) }
}

/// Sets where the walker jumps and starts, by the distribution `restart`.
fn start(data: &mut Data<PageRank>, restart: &Array1<f32>) -> Result<(), RunError> {
    let jumps = 1.0 - data.get(PageRank::DAMPING);
    data.write(PageRank::RANK, restart)?;
    data.write(PageRank::TELEPORT, &restart.mapv(|rank| jumps * rank))?;
    let shares = restart * &data.read(PageRank::INVERSE_OUT_DEGREE)?;
    data.write(PageRank::SHARE, &shares)
}

/// The part of a rank that each outgoing edge gets; zero where there is none.
pub(super) fn inverse_out_degree(graph: &Graph, vertex: u32) -> f64 {
    match graph.out_degree(vertex) {
        0 => 0.0,
        degree => 1.0 / degree as f64,
    }
}

/// The ranks of all vertices; they sum to 1.
///
/// # Errors
/// As [`Data::read`].
pub fn ranks(data: &mut Data<PageRank>) -> Result<Vec<f64>, RunError> {
    Ok(normalized(data.read(PageRank::RANK)?.iter().map(|&rank| f64::from(rank)).collect()))
}

/// The `count` vertices of the highest ranks, highest first, the lower vertex first of equal ones.
pub fn top(ranks: &[f64], count: usize) -> Vec<u32> {
    let mut vertices: Vec<u32> = (0..ranks.len() as u32).collect();
    vertices.sort_by(|&a, &b| ranks[b as usize].total_cmp(&ranks[a as usize]));
    vertices.truncate(count);
    vertices
}

pub(super) fn normalized(mut ranks: Vec<f64>) -> Vec<f64> {
    let total: f64 = ranks.iter().sum();
    ranks.iter_mut().for_each(|rank| *rank /= total);
    ranks
}
