//! Rows of other widths than the features against serial loops in `f64`: on the CPU, in the emulator, and on a GPU where one is asked for.

mod numbers;

use std::env;

use numbers::{near, number};
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::ndarray::Array2;
use onyx_runtime::{Data, Direction, Options, ResidentGraph, RunError, RunFold, Schedule, Session, Status, Store};
use onyx_wide::layer::{Layer, Related, layer, related};

/// A matrix, row by row.
type Matrix = Vec<Vec<f64>>;

/// A hub whose row is cut, with a loop, an edge that is there twice, and an isolated vertex.
fn hub(leaves: u32) -> Graph {
    let spokes = (1..=leaves).flat_map(|leaf| [(leaf, 0), (0, leaf)]);
    let edges: Vec<(u32, u32)> = spokes.chain([(1, 1), (2, 3), (2, 3)]).collect();
    GraphBuilder::new().vertices(leaves as usize + 2).edges(edges).build().unwrap()
}

/// Sessions with their graphs: in the emulator each lane takes time.
fn cases() -> Vec<(Session, Graph)> {
    let mut cases = vec![(Session::cpu(), hub(200)), (Session::emulator(), hub(40))];
    if env::var_os("ONYX_TEST_GPU").is_some() {
        cases.push((Session::cuda(0).expect("a GPU"), hub(200)));
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

fn matrix(rows: usize, columns: usize, from: usize) -> Matrix {
    (0..rows).map(|row| (0..columns).map(|column| number(from + row * columns + column)).collect()).collect()
}

fn single(matrix: &Matrix) -> Array2<f32> {
    let columns = matrix.first().map_or(0, Vec::len);
    Array2::from_shape_fn((matrix.len(), columns), |(row, column)| matrix[row][column] as f32)
}

/// The matrix times a row.
fn times(matrix: &Matrix, row: &[f64]) -> Vec<f64> {
    matrix.iter().map(|own| own.iter().zip(row).map(|(a, b)| a * b).sum()).collect()
}

/// The features, and the numbers of a row: less and more than a quad, one tile and several, padded and not.
const WIDTHS: [(usize, usize); 6] = [(1, 3), (3, 1), (4, 4), (4, 9), (8, 2), (11, 5)];

/// What a layer starts from.
struct Given {
    input: Matrix,
    weight: Matrix,
    own: Matrix,
    bias: Vec<f64>,
    share: Vec<f64>,
}

impl Given {
    fn new(graph: &Graph, features: usize, width: usize) -> Self {
        Self {
            input: matrix(graph.vertex_count(), width, 11),
            weight: matrix(features, width, 5),
            own: matrix(features, width, 77),
            bias: matrix(1, features, 23).concat(),
            share: matrix(1, graph.edge_count(), 3).concat(),
        }
    }

    fn output(&self, graph: &Graph) -> Matrix {
        let hidden: Matrix = self
            .input
            .iter()
            .map(|row| times(&self.weight, row).iter().zip(&self.bias).map(|(a, b)| a + b).collect())
            .collect();
        let mut output: Matrix = self.input.iter().map(|row| times(&self.own, row)).collect();
        for (edge, (_, source, destination)) in graph.edges().enumerate() {
            let to = &mut output[destination as usize];
            to.iter_mut().zip(&hidden[source as usize]).for_each(|(to, x)| *to += self.share[edge] * x);
        }
        output.iter().map(|row| row.iter().map(|x| x.max(0.0)).collect()).collect()
    }

    fn data(&self, session: &Session, graph: &Graph) -> (ResidentGraph<'static>, Data<Layer<0>>) {
        let resident = session.own(graph.clone());
        let widths = [self.weight.len(), self.weight[0].len()];
        let mut data = session.data_of_widths(layer, &resident, &widths).unwrap();
        assert_eq!(data.widths(), [("K", widths[0]), ("J", widths[1])]);
        data.write(Layer::INPUT, &single(&self.input)).unwrap();
        data.write(Layer::WEIGHT, &single(&self.weight)).unwrap();
        data.write(Layer::OWN, &single(&self.own)).unwrap();
        data.view_mut(Layer::BIAS).unwrap().iter_mut().zip(&self.bias).for_each(|(to, from)| *to = *from as f32);
        data.view_mut(Layer::SHARE).unwrap().iter_mut().zip(&self.share).for_each(|(to, from)| *to = *from as f32);
        (resident, data)
    }
}

#[test]
fn features_are_made_of_rows_of_another_width() {
    for (session, graph) in cases() {
        for (features, width) in WIDTHS {
            let given = Given::new(&graph, features, width);
            let expected = given.output(&graph).concat();
            for options in pulls() {
                println!("{session:?}, {} vertices, {features} of {width}, {options:?}", graph.vertex_count());
                let (resident, mut data) = given.data(&session, &graph);
                layer.on(&resident, &mut data).times(1, &options).unwrap();
                let found: Vec<f32> = data.read(Layer::OUTPUT).unwrap().iter().copied().collect();
                near("output", &found, &expected);
                assert_eq!(data.read(Layer::WEIGHT).unwrap(), single(&given.weight));
                assert_eq!(data.read(Layer::INPUT).unwrap(), single(&given.input));
            }
        }
    }
}

/// What states start from, with the numbers of vertices and edges.
struct Model {
    known: Matrix,
    attributes: Matrix,
    of_source: Matrix,
    of_destination: Matrix,
    of_edge: Matrix,
}

impl Model {
    fn new(graph: &Graph, features: usize) -> Self {
        let small = |mut matrix: Matrix| {
            matrix.iter_mut().flatten().for_each(|x| *x *= 0.25);
            matrix
        };
        Self {
            known: matrix(graph.vertex_count(), 6, 40),
            attributes: matrix(graph.edge_count(), 3, 9),
            of_source: small(matrix(features, 6, 60)),
            of_destination: small(matrix(features, 6, 8)),
            of_edge: small(matrix(features, 3, 120)),
        }
    }

    fn next(&self, graph: &Graph, state: &Matrix) -> Matrix {
        let mut next: Matrix = self.known.iter().map(|row| times(&self.of_source, row)).collect();
        for (edge, (_, source, destination)) in graph.edges().enumerate() {
            let (source, destination) = (source as usize, destination as usize);
            let of_source = times(&self.of_source, &self.known[source]);
            let of_destination = times(&self.of_destination, &self.known[destination]);
            let of_edge = times(&self.of_edge, &self.attributes[edge]);
            for (f, to) in next[destination].iter_mut().enumerate() {
                *to += 0.25 * (of_source[f] + of_destination[f]) * of_edge[f] * state[source][f];
            }
        }
        next
    }

    fn data(&self, session: &Session, graph: &Graph) -> (ResidentGraph<'static>, Data<Related<0>>) {
        let resident = session.own(graph.clone());
        let mut data = session.data_of_widths(related, &resident, &[self.of_edge.len(), 6, 3]).unwrap();
        data.write(Related::KNOWN, &single(&self.known)).unwrap();
        data.write(Related::ATTRIBUTES, &single(&self.attributes)).unwrap();
        data.write(Related::OF_SOURCE, &single(&self.of_source)).unwrap();
        data.write(Related::OF_DESTINATION, &single(&self.of_destination)).unwrap();
        data.write(Related::OF_EDGE, &single(&self.of_edge)).unwrap();
        (resident, data)
    }
}

#[test]
fn edges_have_a_width_of_their_own_in_every_direction() {
    for (session, _) in cases() {
        let graph = hub(9);
        for features in [3, 4, 6] {
            let model = Model::new(&graph, features);
            let start = vec![vec![0.0; features]; graph.vertex_count()];
            let expected = (0..60).fold(start, |state, _| model.next(&graph, &state)).concat();
            let pushing = Options { direction: Some(Direction::Push), ..Options::new().iterations(300) };
            for options in pulls().map(|options| options.iterations(300)).chain([pushing]) {
                println!("{session:?}, {features}, {options:?}");
                let (resident, mut data) = model.data(&session, &graph);
                let report = related.on(&resident, &mut data).until_settled(&options).unwrap();
                assert_eq!(report.status, Status::Converged);
                let pushes = report.iterations.iter().filter(|at| at.direction == Direction::Push).count();
                assert_eq!(pushes > 0, options.direction.is_some(), "{report:?}");
                let found: Vec<f32> = data.read(Related::STATE).unwrap().iter().copied().collect();
                near("state", &found, &expected);
            }
        }
    }
}

#[test]
fn products_read_rows_of_another_width_where_they_are_and_layers_follow_each_other() {
    for (session, graph) in cases() {
        let given = Given::new(&graph, 4, 9);
        let (resident, mut data) = given.data(&session, &graph);
        layer.on(&resident, &mut data).times(1, &Options::new()).unwrap();
        let (output, input) = data.matrices(Layer::OUTPUT, Layer::INPUT).unwrap();
        assert_eq!((output.shape(), input.shape()), ((graph.vertex_count(), 4), (graph.vertex_count(), 9)));
        let mut gradient = session.tensor(4, 9).unwrap();
        session.multiply(output.transposed(), input, &mut gradient.matrix_mut(), 0.0).unwrap();
        let output = given.output(&graph);
        let of = |f: usize, at: usize| output.iter().zip(&given.input).map(|(to, from)| to[f] * from[at]).sum();
        let expected: Vec<f64> = (0..4).flat_map(|f| (0..9).map(move |at| (f, at))).map(|(f, at)| of(f, at)).collect();
        near("gradient", &gradient.read().unwrap().iter().copied().collect::<Vec<_>>(), &expected);
        let mut next = session.data_of_widths(layer, &resident, &[2, 4]).unwrap();
        let from = data.matrix(Layer::OUTPUT).unwrap();
        session.copy(from, &mut next.matrix_mut(Layer::INPUT).unwrap()).unwrap();
        near("input", &next.read(Layer::INPUT).unwrap().iter().copied().collect::<Vec<_>>(), &output.concat());
    }
}

#[test]
fn widths_that_cannot_be_are_refused() {
    let (session, graph) = (Session::cpu(), hub(3));
    let resident = session.graph(&graph);
    let refused = |widths: &[usize]| session.data_of_widths(layer, &resident, widths).unwrap_err().to_string();
    let of_widths = "the data of `layer` have the widths K, J, and [4] are given: make them by \
                     `session.data_of_widths(fold, &graph, &[..])`, a number for each in this order";
    assert_eq!(refused(&[4]), of_widths);
    assert_eq!(session.data(layer, &resident, 4).unwrap_err().to_string(), of_widths);
    assert!(matches!(Store::new(layer, &graph, 4), Err(RunError::Widths { .. })));
    assert!(refused(&[]).contains("and [] are given"));
    assert!(refused(&[4, 3, 2]).contains("and [4, 3, 2] are given"));
    assert_eq!(
        refused(&[4, 0]),
        "the data of `layer` cannot have J = 0: a row that is read whole has 1 number at least and 1073741824 at most"
    );
    assert!(matches!(session.data_of_widths(layer, &resident, &[0, 3]), Err(RunError::Features { features: 0, .. })));
}

#[test]
fn a_wrong_shape_names_the_property_and_the_widths() {
    let (session, graph) = (Session::cpu(), hub(3));
    let resident = session.graph(&graph);
    let mut data = session.data_of_widths(layer, &resident, &[4, 9]).unwrap();
    let refused = data.write(Layer::WEIGHT, &Array2::zeros((9, 4))).unwrap_err();
    let shapes = "`weight` has the shape [4, 9], with K = 4 and J = 9, and the values have [9, 4]: give an array of the shape [4, 9]";
    assert!(refused.to_string().starts_with(shapes), "{refused}");
    let refused = data.write(Layer::INPUT, &Array2::zeros((5, 4))).unwrap_err();
    let shapes = "`input` has the shape [5, 9], with K = 4 and J = 9, and the values have [5, 4]: give";
    assert!(refused.to_string().starts_with(shapes), "{refused}");
    let mut data = session.data_of_widths(related, &resident, &[4, 6, 3]).unwrap();
    let mut known = Array2::zeros((5, 6));
    known[[2, 5]] = 1e6;
    let refused = data.write(Related::KNOWN, &known).unwrap_err().to_string();
    assert!(refused.contains("1000000 at row 2, feature 5"), "{refused}");
}

#[test]
fn a_store_has_rows_of_another_width_as_they_are() {
    let (session, graph) = (Session::cpu(), hub(3));
    let resident = session.graph(&graph);
    let mut data = session.data_of_widths(layer, &resident, &[2, 9]).unwrap();
    let input = Array2::from_shape_fn((graph.vertex_count(), 9), |(vertex, j)| (10 * vertex + j) as f32);
    data.write(Layer::INPUT, &input).unwrap();
    let mut store = data.into_store().unwrap();
    assert_eq!(store.row(Layer::INPUT, 2), input.row(2).as_slice().unwrap());
    store.set_row(Layer::INPUT, 2, &[7.0; 9]);
    assert_eq!(
        (store.row_floats(Layer::INPUT, 2), store.row_floats(Layer::INPUT, 1)),
        (vec![7.0; 9], input.row(1).to_vec())
    );
    assert_eq!(store.row(Layer::HIDDEN, 2), [0.0; 2]);
}
