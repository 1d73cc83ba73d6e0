//! Reads at vertices that functions compute, against serial code, on the CPU, in the emulator, and on a GPU where it is asked for.

use std::collections::VecDeque;

use onyx_device::FoldOf;
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::ndarray::Array2;
use onyx_runtime::{Data, Options, ResidentGraph, RunError, RunFold, Sequence, Session, Status};
use onyx_tables::components::{Components, Forest, components, forest};
use onyx_tables::gather::{Links, chosen, exchanged, gathered, parted};
use onyx_tables::world::{graph, graphs, numbers, options, random, sessions};

/// What the functions start from: small whole numbers, which floats add exactly.
struct Start {
    features: usize,
    x: Vec<f32>,
    weight: Vec<f32>,
    next: Vec<f32>,
    kind: Vec<f32>,
}

impl Start {
    fn new(graph: &Graph, features: usize) -> Self {
        let (vertices, mut random) = (graph.vertex_count(), random(features as u64));
        let x = numbers(&mut random, vertices * features, 8);
        let weight = numbers(&mut random, vertices, 3);
        let next = numbers(&mut random, vertices, vertices);
        let kind = numbers(&mut random, graph.edge_count(), vertices);
        Self { features, x, weight, next, kind }
    }

    fn data<F: FoldOf<Links>>(
        &self,
        fold: F,
        session: &Session,
        graph: &ResidentGraph<'_>,
    ) -> Result<Data<Links>, RunError> {
        let mut data = session.data(fold, graph, self.features)?;
        data.view_mut(Links::X)?.iter_mut().zip(&self.x).for_each(|(to, from)| *to = *from);
        data.view_mut(Links::PLACE)?.iter_mut().zip(&self.x).for_each(|(to, from)| *to = *from);
        data.write(Links::WEIGHT, &self.weight)?;
        data.write(Links::NEXT, &self.next)?;
        data.write(Links::KIND, &self.kind)?;
        Ok(data)
    }

    /// Writes again what a failed run may have left undone.
    fn mend(&self, data: &mut Data<Links>) {
        let rows = Array2::zeros((self.next.len(), self.features));
        data.write(Links::Y, &rows).unwrap();
        let x = Array2::from_shape_vec((self.next.len(), self.features), self.x.clone()).unwrap();
        data.write(Links::PLACE, &x).unwrap();
        data.write(Links::MOVED, &self.weight).unwrap();
    }

    fn row(&self, vertex: usize) -> &[f32] {
        &self.x[vertex * self.features..][..self.features]
    }

    /// What [`gathered`] leaves in `y`.
    fn gathered(&self, graph: &Graph) -> Vec<f32> {
        let mut y: Vec<f32> = self.next.iter().flat_map(|next| self.row(*next as usize).to_vec()).collect();
        for ((_, _, destination), kind) in graph.edges().zip(&self.kind) {
            let weight = self.weight[self.next[*kind as usize] as usize];
            let row = self.row(*kind as usize).iter();
            let sum = y[destination as usize * self.features..].iter_mut();
            sum.zip(row).for_each(|(sum, x)| *sum += weight * x);
        }
        y
    }

    /// What [`chosen`] leaves in `y`.
    fn chosen(&self) -> Vec<f32> {
        let of = |(vertex, weight): (usize, &f32)| {
            let row = self.row(vertex);
            let best = (0..self.features).rev().max_by(|a, b| row[*a].total_cmp(&row[*b])).unwrap_or(0);
            if *weight > 0.0 { self.row(best).to_vec() } else { vec![0.0; self.features] }
        };
        self.weight.iter().enumerate().flat_map(of).collect()
    }

    /// What [`exchanged`] makes of the rows, one iteration after the other.
    fn exchanged(&self, graph: &Graph, iterations: usize) -> Vec<f32> {
        let (features, mut place) = (self.features, self.x.clone());
        for _ in 0..iterations {
            let before = place.clone();
            for vertex in 0..graph.vertex_count() {
                for feature in 0..features {
                    let other = before[self.next[vertex] as usize * features + feature];
                    let own = &mut place[vertex * features + feature];
                    *own = (self.weight[vertex] + 1.0) * other - *own;
                }
            }
            for ((_, _, destination), kind) in graph.edges().zip(&self.kind) {
                for feature in 0..features {
                    place[destination as usize * features + feature] += before[*kind as usize * features + feature];
                }
            }
        }
        place
    }
}

/// On all graphs, by every schedule, also with more features than the widest width.
fn everywhere(check: impl Fn(&str, &Session, &Graph, usize, &Options)) {
    for session in sessions() {
        for (name, graph) in graphs() {
            for features in [1, 3, 4, 16, 37] {
                for options in options() {
                    let what = format!("{name}, {features} features, {options:?}");
                    check(&what, &session, &graph, features, &options);
                }
            }
        }
    }
}

#[test]
fn rows_of_computed_vertices_agree() {
    everywhere(|what, session, graph, features, options| {
        let (start, resident) = (Start::new(graph, features), session.graph(graph));
        let mut data = start.data(gathered, session, &resident).unwrap();
        gathered.on(&resident, &mut data).times(1, options).unwrap();
        let found: Vec<f32> = data.read(Links::Y).unwrap().iter().copied().collect();
        assert_eq!(found, start.gathered(graph), "{what}");
    });
}

#[test]
fn rows_that_are_written_are_read_as_they_were() {
    everywhere(|what, session, graph, features, options| {
        let (start, resident) = (Start::new(graph, features), session.graph(graph));
        let mut data = start.data(exchanged, session, &resident).unwrap();
        exchanged.on(&resident, &mut data).times(3, options).unwrap();
        let found: Vec<f32> = data.read(Links::PLACE).unwrap().iter().copied().collect();
        assert_eq!(found, start.exchanged(graph, 3), "{what}");
    });
}

#[test]
fn one_thread_may_have_all_features() {
    for session in sessions() {
        for (name, graph) in graphs() {
            let (start, resident) = (Start::new(&graph, 3), session.graph(&graph));
            let mut data = start.data(parted, &session, &resident).unwrap();
            parted.on(&resident, &mut data).times(2, &Options::new()).unwrap();
            let found: Vec<f32> = data.read(Links::PLACE).unwrap().iter().copied().collect();
            assert_eq!(found, start.exchanged(&graph, 2), "{name}");
        }
    }
}

#[test]
fn an_operation_may_name_the_vertex() {
    for session in sessions() {
        for features in [1, 3, 4, 16] {
            let graph = graph(40, vec![(0, 1)]);
            let (start, resident) = (Start::new(&graph, features), session.graph(&graph));
            let mut data = start.data(chosen, &session, &resident).unwrap();
            chosen.on(&resident, &mut data).once().unwrap();
            let found: Vec<f32> = data.read(Links::Y).unwrap().iter().copied().collect();
            assert_eq!(found, start.chosen(), "{features} features");
        }
    }
}

/// The vertex that no graph has ends the run; what is in range again runs again.
#[test]
fn an_index_out_of_range_ends_the_run() {
    for session in sessions() {
        let graph = graph(5, vec![(0, 1), (1, 2), (2, 3)]);
        let (start, resident) = (Start::new(&graph, 3), session.graph(&graph));
        let mut data = start.data(gathered, &session, &resident).unwrap();
        for (index, expected) in [(5.0, 5), (4.0e9, 4_000_000_000)] {
            data.write(Links::KIND, &[0.0, index, 1.0]).unwrap();
            let error = gathered.on(&resident, &mut data).times(3, &Options::new()).unwrap_err();
            assert!(
                matches!(&error, RunError::OutOfRange { property: "x" | "next", index, rows: 5, element, .. }
                    if *index == expected && element == "edge number 1"),
                "{error}"
            );
            start.mend(&mut data);
        }
        data.write(Links::KIND, &start.kind).unwrap();
        data.write(Links::NEXT, &[0.0, 1.0, 2.0, 3.0, 17.0]).unwrap();
        let error = gathered.on(&resident, &mut data).once().unwrap_err();
        let expected = "at vertex number 4, its function `follow` reaches `x` at index 17, and there are 5";
        assert!(error.to_string().contains(expected), "{error}");
        start.mend(&mut data);
        data.write(Links::NEXT, &start.next).unwrap();
        gathered.on(&resident, &mut data).once().unwrap();
        assert_eq!(data.read(Links::Y).unwrap().iter().copied().collect::<Vec<_>>(), start.gathered(&graph));
    }
}

#[test]
fn a_sequence_finds_an_index_out_of_range() {
    for session in sessions() {
        let graph = graph(5, vec![(0, 1), (1, 2), (2, 3)]);
        let (start, resident) = (Start::new(&graph, 4), session.graph(&graph));
        let mut data = start.data(gathered, &session, &resident).unwrap();
        let mut sequence = Sequence::new(&resident).then(gathered).then(exchanged);
        sequence.run(&mut data, 2).unwrap();
        data.write(Links::NEXT, &[0.0, 1.0, 5.0, 3.0, 4.0]).unwrap();
        // A GPU is not waited for: who reads first hears of it.
        let error = sequence.run(&mut data, 2).and_then(|()| data.read(Links::Y).map(drop)).unwrap_err();
        assert!(matches!(error, RunError::OutOfRange { index: 5, .. }), "{error}");
        assert!(matches!(data.read(Links::Y), Err(RunError::Lost { .. })), "{session:?}");
        start.mend(&mut data);
        data.write(Links::NEXT, &start.next).unwrap();
        sequence.run(&mut data, 1).unwrap();
        assert_eq!(data.read(Links::Y).unwrap().iter().copied().collect::<Vec<_>>(), start.gathered(&graph));
    }
}

/// The least vertex of each component, by a search.
fn searched(graph: &Graph) -> Vec<f32> {
    let mut label = vec![f32::NAN; graph.vertex_count()];
    for root in 0..graph.vertex_count() {
        let mut open = VecDeque::from([root]);
        while let Some(vertex) = open.pop_front() {
            if label[vertex].is_nan() {
                label[vertex] = root as f32;
                open.extend(graph.outgoing().row(vertex as u32).iter().map(|other| *other as usize));
            }
        }
    }
    label
}

fn labelled(session: &Session, graph: &Graph) -> (Vec<f32>, usize) {
    let resident = session.graph(graph);
    let mut data = session.data(components, &resident, 1).unwrap();
    let own: Vec<f32> = (0..graph.vertex_count()).map(|vertex| vertex as f32).collect();
    data.write(Components::LABEL, &own).unwrap();
    let report = components.on(&resident, &mut data).until_settled(&Options::new()).unwrap();
    assert_eq!(report.status, Status::Converged);
    (data.read(Components::LABEL).unwrap().to_vec(), report.iterations.len())
}

#[test]
fn components_are_those_of_a_search() {
    for session in sessions() {
        for (name, graph) in graphs() {
            let both =
                graph.edges().flat_map(|(_, source, destination)| [(source, destination), (destination, source)]);
            let graph = onyx_tables::world::graph(graph.vertex_count(), both.collect());
            assert_eq!(labelled(&session, &graph).0, searched(&graph), "{name}");
        }
    }
}

/// The components by trees that hang on each other.
fn grown(session: &Session, graph: &Graph) -> (Vec<f32>, usize) {
    let resident = session.graph(graph);
    let mut data = session.data(forest, &resident, 1).unwrap();
    let own: Vec<f32> = (0..graph.vertex_count()).map(|vertex| vertex as f32).collect();
    data.write(Forest::ROOT, &own).unwrap();
    data.resize(Forest::BESIDE, graph.vertex_count()).unwrap();
    let report = forest.on(&resident, &mut data).until_settled(&Options::new()).unwrap();
    assert_eq!(report.status, Status::Converged);
    (data.read(Forest::ROOT).unwrap().to_vec(), report.iterations.len())
}

#[test]
fn forests_find_the_components() {
    for session in sessions() {
        for (name, graph) in graphs() {
            let both =
                graph.edges().flat_map(|(_, source, destination)| [(source, destination), (destination, source)]);
            let graph = onyx_tables::world::graph(graph.vertex_count(), both.collect());
            assert_eq!(grown(&session, &graph).0, searched(&graph), "{name}");
        }
    }
}

/// A path takes few iterations in whatever order its vertices are numbered.
#[test]
fn forests_take_few_iterations() {
    for seed in 0..3 {
        let mut order: Vec<u32> = (0..20_000).collect();
        let others = numbers(&mut random(seed), order.len(), order.len());
        others.iter().enumerate().for_each(|(at, other)| order.swap(at, *other as usize));
        let edges = order.windows(2).map(|pair| (pair[0], pair[1])).collect();
        let path = GraphBuilder::new().undirected(true).edges(edges).build().unwrap();
        let (found, iterations) = grown(&Session::cpu(), &path);
        assert!(found.iter().all(|label| *label == 0.0));
        assert!(iterations <= 25, "{iterations} iterations");
    }
}

/// Where numbers run along the graph, a path takes as many iterations as its length has digits, and a grid no more than that.
#[test]
fn jumps_take_few_iterations() {
    let path = (0..4095).map(|vertex| (vertex, vertex + 1)).collect();
    let of_cell = |cell: u32| {
        let (right, below) =
            ((cell % 64 < 63).then_some((cell, cell + 1)), (cell < 63 * 64).then_some((cell, cell + 64)));
        right.into_iter().chain(below)
    };
    let grid = (0..4096).flat_map(of_cell).collect();
    for edges in [path, grid] {
        let graph = GraphBuilder::new().undirected(true).edges(edges).build().unwrap();
        let (found, iterations) = labelled(&Session::cpu(), &graph);
        assert!(found.iter().all(|label| *label == 0.0));
        assert!(iterations <= 13, "{iterations} iterations");
    }
}
