//! Heads against serial loops in `f64`: on the CPU, in the emulator, and on a GPU where one is asked for.

mod numbers;
mod queries;

use std::env;

use numbers::{near, number};
use onyx_runtime::graph::{Generator, Graph, GraphBuilder};
use onyx_runtime::{Data, Direction, Options, RunError, RunFold, Schedule, Session, Status};
use onyx_wide::heads::{Attention, Queries, attention, attention_gradient, labelled, walk};
use onyx_wide::{Wide, spread};
use queries::Model;

/// Floats by vertex: of all heads, one after the other.
type Rows = Vec<Vec<f64>>;

fn graph(vertices: usize, edges: Vec<(u32, u32)>) -> Graph {
    GraphBuilder::new().vertices(vertices).edges(edges).build().unwrap()
}

/// A hub whose row is cut, with a loop, an edge that is there twice, and an isolated vertex.
fn hub(leaves: u32) -> Graph {
    let spokes = (1..=leaves).flat_map(|leaf| [(leaf, 0), (0, leaf)]);
    graph(leaves as usize + 2, spokes.chain([(1, 1), (2, 3), (2, 3)]).collect())
}

fn gpu() -> Option<Session> {
    env::var_os("ONYX_TEST_GPU").map(|_| Session::cuda(0).expect("a GPU"))
}

fn sessions() -> impl Iterator<Item = Session> {
    [Session::cpu(), Session::emulator()].into_iter().chain(gpu())
}

/// Sessions with their graphs: in the emulator each lane takes time.
fn cases() -> Vec<(Session, Graph)> {
    let rmat = || "rmat:6:6".parse::<Generator>().unwrap().generate(3).unwrap();
    let mut cases = vec![(Session::cpu(), rmat()), (Session::cpu(), hub(200)), (Session::cpu(), graph(0, vec![]))];
    cases.extend([(Session::emulator(), hub(40)), (Session::emulator(), graph(3, vec![(0, 1), (1, 0)]))]);
    if let Some(gpu) = gpu() {
        cases.extend([rmat(), hub(200), graph(0, vec![])].map(|graph| (gpu.clone(), graph)));
    }
    cases
}

/// Every way to pull.
fn pulls() -> impl Iterator<Item = Options> {
    let schedules = [
        Schedule::NeighborGroup,
        Schedule::GroupsPerBlock,
        Schedule::VertexPerWarp,
        Schedule::VertexPerBlock,
        Schedule::WordPerWarp,
        Schedule::EdgeFlat,
    ];
    let by = |schedule| Options { schedule, change_driven: false, settle: false, ..Options::new() };
    let exact = Options { deterministic: true, ..by(Schedule::NeighborGroup) };
    schedules.map(by).into_iter().chain([exact])
}

/// The numbers of heads, and the features of each: three are padded where there is one head.
const HEADS: [(usize, usize); 5] = [(1, 3), (1, 4), (2, 4), (3, 8), (8, 4)];

/// What attention starts from.
#[derive(Clone)]
struct Given {
    heads: usize,
    features: usize,
    x: Rows,
    sending: Vec<f64>,
    receiving: Vec<f64>,
}

impl Given {
    fn new(graph: &Graph, heads: usize, features: usize) -> Self {
        let row = |seed: usize| (0..heads * features).map(|at| number(seed * 131 + at)).collect::<Vec<f64>>();
        let x = (0..graph.vertex_count()).map(row).collect();
        Self { heads, features, x, sending: row(7001), receiving: row(8009) }
    }

    /// A head's part of a row.
    fn head<'r>(&self, row: &'r [f64], head: usize) -> &'r [f64] {
        &row[head * self.features..][..self.features]
    }

    /// What attention comes to: the rows, and the log-sums of each vertex and head.
    fn attended(&self, graph: &Graph) -> (Rows, Rows) {
        let mut out = vec![vec![0.0; self.heads * self.features]; graph.vertex_count()];
        let mut log_sums = vec![vec![f64::NEG_INFINITY; self.heads]; graph.vertex_count()];
        for vertex in 0..graph.vertex_count() {
            for head in 0..self.heads {
                let scores: Vec<(usize, f64)> = sources(graph, vertex)
                    .map(|source| {
                        let raw = dot(self.head(&self.x[source], head), self.head(&self.sending, head))
                            + dot(self.head(&self.x[vertex], head), self.head(&self.receiving, head));
                        (source, raw.max(0.2 * raw))
                    })
                    .collect();
                let most = scores.iter().map(|(_, score)| *score).fold(f64::NEG_INFINITY, f64::max);
                let total: f64 = scores.iter().map(|(_, score)| (score - most).exp()).sum();
                for (source, score) in &scores {
                    let weight = (score - most).exp() / total;
                    let to = &mut out[vertex][head * self.features..][..self.features];
                    to.iter_mut().zip(self.head(&self.x[*source], head)).for_each(|(to, x)| *to += weight * x);
                    log_sums[vertex][head] = most + total.ln();
                }
            }
        }
        (out, log_sums)
    }

    fn data(&self, session: &Session, graph: &Graph) -> (onyx_runtime::ResidentGraph<'static>, Data<Attention<0>>) {
        let resident = session.own(graph.clone());
        let mut data = session.data_of_heads(attention, &resident, self.heads, self.features).unwrap();
        assert_eq!((data.heads(), data.features()), (self.heads, self.heads * self.features));
        let single = |rows: &[f64]| rows.iter().map(|value| *value as f32).collect::<Vec<f32>>();
        fill(data.view_mut(Attention::X).unwrap().iter_mut(), self.x.concat());
        data.write(Attention::SENDING, &single(&self.sending)).unwrap();
        data.write(Attention::RECEIVING, &single(&self.receiving)).unwrap();
        (resident, data)
    }
}

fn dot(one: &[f64], two: &[f64]) -> f64 {
    one.iter().zip(two).map(|(one, two)| one * two).sum()
}

fn fill<'f>(to: impl Iterator<Item = &'f mut f32>, from: Vec<f64>) {
    to.zip(from).for_each(|(to, from)| *to = from as f32);
}

fn sources(graph: &Graph, vertex: usize) -> impl Iterator<Item = usize> {
    let edges = graph.edges().filter(move |(.., destination)| *destination as usize == vertex);
    edges.map(|(_, source, _)| source as usize).collect::<Vec<_>>().into_iter()
}

#[test]
fn each_head_has_an_attention_of_its_own() {
    for (session, graph) in cases() {
        for (heads, features) in HEADS {
            let given = Given::new(&graph, heads, features);
            let (out, log_sums) = given.attended(&graph);
            for options in pulls() {
                println!("{session:?}, {} vertices, {heads} x {features}, {options:?}", graph.vertex_count());
                let (resident, mut data) = given.data(&session, &graph);
                attention.on(&resident, &mut data).times(1, &options).unwrap();
                let found: Vec<f32> = data.read(Attention::OUT).unwrap().iter().copied().collect();
                near("out", &found, &out.concat());
                let found = data.read(Attention::LOG_SUM).unwrap();
                assert_eq!(found.shape(), [graph.vertex_count(), heads]);
                near("log-sums", &found.iter().copied().collect::<Vec<_>>(), &log_sums.concat());
            }
        }
    }
}

/// How much the weighted sum of what comes out changes with each value of `of`.
fn differences(given: &Given, graph: &Graph, weights: &[f64], of: impl Fn(&mut Given) -> &mut [f64]) -> Vec<f64> {
    let loss = |given: &Given| dot(&given.attended(graph).0.concat(), weights);
    let count = of(&mut given.clone()).len();
    (0..count)
        .map(|at| {
            let moved = |by: f64| {
                let mut given = given.clone();
                of(&mut given)[at] += by;
                loss(&given)
            };
            (moved(1e-5) - moved(-1e-5)) / 2e-5
        })
        .collect()
}

#[test]
fn gradients_of_heads_are_finite_differences() {
    let graphs = [hub(9), graph(3, vec![(0, 1), (1, 0), (2, 1), (2, 1), (1, 1)])];
    for (session, graph) in sessions().flat_map(|session| graphs.iter().map(move |graph| (session.clone(), graph))) {
        for (heads, features) in [(1, 3), (2, 4), (3, 8)] {
            println!("{session:?}, {} vertices, {heads} x {features}", graph.vertex_count());
            let given = Given::new(graph, heads, features);
            let weights: Vec<f64> = (0..graph.vertex_count() * heads * features).map(|at| number(at + 5)).collect();
            let (resident, mut data) = given.data(&session, graph);
            attention.on(&resident, &mut data).times(1, &Options::new()).unwrap();
            fill(data.view_mut(Attention::OUT_GRADIENT).unwrap().iter_mut(), weights.clone());
            attention_gradient.on(&resident, &mut data).times(1, &Options::new()).unwrap();
            for vertex in 0..graph.vertex_count() {
                let expected = differences(&given, graph, &weights, |given| &mut given.x[vertex]);
                let found: Vec<f32> = data.read(Attention::X_GRADIENT).unwrap().row(vertex).to_vec();
                near("x", &found, &expected);
            }
            let expected = differences(&given, graph, &weights, |given| &mut given.sending);
            near("sending", &data.read(Attention::SENDING_GRADIENT).unwrap().to_vec(), &expected);
            let expected = differences(&given, graph, &weights, |given| &mut given.receiving);
            near("receiving", &data.read(Attention::RECEIVING_GRADIENT).unwrap().to_vec(), &expected);
        }
    }
}

/// Data of several queries, filled as the model is.
fn queried<F: onyx_device::FoldOf<Queries<0>>>(
    fold: F,
    session: &Session,
    graph: &Graph,
    model: &Model,
) -> (onyx_runtime::ResidentGraph<'static>, Data<Queries<0>>) {
    let resident = session.own(graph.clone());
    let mut data = session.data_of_heads(fold, &resident, model.heads, model.features).unwrap();
    model.fill(&mut data);
    (resident, data)
}

#[test]
fn numbers_of_vertices_and_edges_are_of_each_head() {
    for (session, graph) in cases() {
        for (heads, features) in HEADS.into_iter().filter(|(_, features)| *features < 8) {
            for options in pulls() {
                println!("{session:?}, {} vertices, {heads} x {features}, {options:?}", graph.vertex_count());
                let mut model = Model::new(&graph, heads, features);
                let (resident, mut data) = queried(labelled, &session, &graph, &model);
                let report = labelled.on(&resident, &mut data).times(3, &options).unwrap();
                for iteration in &report.iterations {
                    let active = model.label(&graph);
                    assert_eq!(iteration.active, active, "a vertex is active if it is in any head");
                }
                model.assert_in(&mut data);
            }
        }
    }
}

#[test]
fn changes_of_any_head_are_pushed() {
    for (session, graph) in cases() {
        for (heads, features) in HEADS.into_iter().filter(|(_, features)| *features < 8) {
            for direction in [None, Some(Direction::Push)] {
                println!("{session:?}, {} vertices, {heads} x {features}, {direction:?}", graph.vertex_count());
                let mut model = Model::new(&graph, heads, features);
                let (resident, mut data) = queried(walk, &session, &graph, &model);
                let options = Options { direction, ..Options::new().iterations(300) };
                let report = walk.on(&resident, &mut data).until_settled(&options).unwrap();
                assert_eq!(report.status, Status::Converged);
                let pushes = report.iterations.iter().filter(|at| at.direction == Direction::Push).count();
                assert!(pushes > 0 || direction.is_none() || graph.edge_count() == 0, "{report:?}");
                (0..200).for_each(|_| model.walk(&graph));
                model.assert_walked_in(&mut data);
            }
        }
    }
}

#[test]
fn heads_that_cannot_be_are_refused() {
    let (session, graph) = (Session::cpu(), hub(3));
    let resident = session.graph(&graph);
    let refused =
        |heads, features| session.data_of_heads(attention, &resident, heads, features).unwrap_err().to_string();
    assert_eq!(
        refused(2, 3),
        "`attention` cannot have 2 heads of 3 features: there is one head at least and 65535 at most, and each has as many features as the fold is \
         compiled for, [4, 8]; name another number, such as by `features = [8, 16]`"
    );
    assert!(refused(0, 4).contains("cannot have 0 heads of 4 features"));
    assert!(refused(1, 9).contains("because its rows are heads, each of a compiled width"));
    let without = session.data_of_heads(spread, &resident, 2, 4).map(|data: Data<Wide<0>>| data.heads()).unwrap_err();
    assert!(matches!(without, RunError::NoHeads { heads: 2, .. }));
    assert!(without.to_string().contains("has no heads, and 2 are asked for"), "{without}");
    let mut data = session.data_of_heads(attention, &resident, 2, 4).unwrap();
    let refused = data.write(Attention::SOURCE, &ndarray_of(5, 3)).unwrap_err();
    let shapes = "`source` has the shape [5, 2], and the values have [5, 3]: give an array of the shape [5, 2]";
    assert!(refused.to_string().starts_with(shapes), "{refused}");
}

fn ndarray_of(rows: usize, columns: usize) -> onyx_runtime::ndarray::Array2<f32> {
    onyx_runtime::ndarray::Array2::zeros((rows, columns))
}
