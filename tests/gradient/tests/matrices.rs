//! Gradients of matrices, and through them, against central differences of serial references.

use onyx_device::Fold;
use onyx_gradient_tests::differences::{agree, gradient};
use onyx_gradient_tests::graphs::{dice, numbers, pulls, random, sessions};
use onyx_gradient_tests::matrices::{
    Mixes, dense, dense_gradient, fitted, fitted_gradient, fitted_rows, fitted_rows_gradient, turned, turned_gradient,
    whitened, whitened_gradient,
};
use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::Array2;
use onyx_runtime::{Data, Options, ResidentGraph, RunFold};

const FEATURES: usize = 3;
const DECAY: f32 = 2.5;

/// What a fold reads, and what its output is wanted to be.
struct Inputs<T> {
    x: Vec<T>,
    size: Vec<T>,
    mix: Vec<T>,
    bias: Vec<T>,
    wanted: Vec<T>,
}

impl Inputs<f32> {
    fn of(graph: &Graph, seed: u64) -> Self {
        let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
        let mut dice = dice(seed);
        let mut draw = |count, low, high| numbers(&mut dice, count, low, high);
        Self {
            x: draw(vertices * FEATURES, -1.0, 1.0),
            size: draw(edges, 0.5, 1.5),
            mix: draw(FEATURES * FEATURES, -1.0, 1.0),
            bias: draw(FEATURES, -1.0, 1.0),
            wanted: draw(vertices * FEATURES, -1.0, 1.0),
        }
    }

    fn write(&self, data: &mut Data<Mixes<0>>) {
        let rows =
            |values: &[f32]| Array2::from_shape_vec((values.len() / FEATURES, FEATURES), values.to_vec()).unwrap();
        data.write(Mixes::X, &rows(&self.x)).unwrap();
        data.write(Mixes::SIZE, &self.size).unwrap();
        data.write(Mixes::MIX, &rows(&self.mix)).unwrap();
        data.write(Mixes::BIAS, &self.bias).unwrap();
        data.write(Mixes::OUT_GRADIENT, &rows(&self.wanted)).unwrap();
        data.set(Mixes::DECAY, DECAY);
    }

    fn doubles(&self) -> Inputs<f64> {
        let [x, size, mix, bias, wanted] = [&self.x, &self.size, &self.mix, &self.bias, &self.wanted]
            .map(|values| values.iter().copied().map(f64::from).collect());
        Inputs { x, size, mix, bias, wanted }
    }
}

impl Inputs<f64> {
    /// For each vertex the edges that lead to it, each with what its source has.
    fn incoming(&self, graph: &Graph) -> Vec<Vec<(usize, &[f64])>> {
        let mut incoming = vec![Vec::new(); graph.vertex_count()];
        for (edge, source, destination) in graph.edges() {
            incoming[destination as usize].push((edge, &self.x[source as usize * FEATURES..][..FEATURES]));
        }
        incoming
    }

    fn loss(&self, out: &[Vec<f64>]) -> f64 {
        out.iter().flatten().zip(&self.wanted).map(|(out, wanted)| out * wanted).sum()
    }
}

fn dense_loss(graph: &Graph, inputs: &Inputs<f64>) -> f64 {
    let of = |edges: &Vec<(usize, &[f64])>| {
        let sum = |f: usize| edges.iter().map(|(edge, x)| inputs.size[*edge] * x[f]).sum::<f64>();
        let mixed = |f: usize| (0..FEATURES).map(|g| inputs.mix[f * FEATURES + g] * sum(g)).sum::<f64>();
        (0..FEATURES).map(|f| (mixed(f) + inputs.bias[f]).tanh()).collect()
    };
    inputs.loss(&inputs.incoming(graph).iter().map(of).collect::<Vec<_>>())
}

fn turned_loss(graph: &Graph, inputs: &Inputs<f64>) -> f64 {
    let of = |edges: &Vec<(usize, &[f64])>| {
        let of_edge = |(edge, x): &(usize, &[f64]), f: usize| {
            let size = inputs.size[*edge];
            let factor = if size > 1.0 { size } else { -0.5 * size };
            (0..FEATURES).map(|g| factor * inputs.mix[g * FEATURES + f] * x[g]).sum::<f64>()
        };
        (0..FEATURES).map(|f| edges.iter().map(|edge| of_edge(edge, f)).sum()).collect()
    };
    inputs.loss(&inputs.incoming(graph).iter().map(of).collect::<Vec<_>>())
}

fn fitted_loss(graph: &Graph, inputs: &Inputs<f64>) -> f64 {
    let of = |edges: &Vec<(usize, &[f64])>| {
        let mut system = vec![vec![0.0; FEATURES + 1]; FEATURES];
        for (row, system) in system.iter_mut().enumerate() {
            system[row] = f64::from(DECAY);
            for (edge, x) in edges {
                (0..FEATURES).for_each(|column| system[column] += inputs.size[*edge] * x[row] * x[column]);
                system[FEATURES] += x[row];
            }
        }
        eliminated(system)
    };
    inputs.loss(&inputs.incoming(graph).iter().map(of).collect::<Vec<_>>())
}

/// The sum of the outer products of all rows, less an eighth on the diagonal for each.
fn spread(inputs: &Inputs<f64>) -> Vec<f64> {
    let mut spread = vec![0.0; FEATURES * FEATURES];
    for x in inputs.x.chunks(FEATURES) {
        for (at, total) in spread.iter_mut().enumerate() {
            let (row, column) = (at / FEATURES, at % FEATURES);
            *total += x[row] * x[column] - if row == column { 0.125 } else { 0.0 };
        }
    }
    spread
}

fn whitened_loss(_: &Graph, inputs: &Inputs<f64>) -> f64 {
    let spread = spread(inputs);
    let of = |x: &[f64]| {
        let row = |f: usize| {
            let mut row = [&spread[f * FEATURES..][..FEATURES], &[x[f]]].concat();
            row[f] += f64::from(DECAY);
            row
        };
        eliminated((0..FEATURES).map(row).collect())
    };
    inputs.loss(&inputs.x.chunks(FEATURES).map(of).collect::<Vec<_>>())
}

/// The solution of a system whose last column is the right side.
fn eliminated(mut system: Vec<Vec<f64>>) -> Vec<f64> {
    for pivot in 0..FEATURES {
        let row = system[pivot].clone();
        for (_, other) in system.iter_mut().enumerate().filter(|(at, _)| *at != pivot) {
            let factor = other[pivot] / row[pivot];
            other.iter_mut().zip(&row).for_each(|(value, own)| *value -= factor * own);
        }
    }
    (0..FEATURES).map(|f| system[f][FEATURES] / system[f][f]).collect()
}

/// Checks what `run` leaves on every backend and under every schedule, and which of it was asked for.
fn check(
    loss: fn(&Graph, &Inputs<f64>) -> f64,
    asks: &[&str],
    run: impl Fn(&ResidentGraph<'_>, &Options, &Inputs<f32>) -> Data<Mixes<0>>,
) {
    for (seed, vertices, edges) in [(1, 12, 30), (2, 7, 60)] {
        let graph = random(seed, vertices, edges);
        let inputs = Inputs::of(&graph, seed);
        let of = |values: fn(&mut Inputs<f64>) -> &mut Vec<f64>, point: &[f32]| {
            gradient(point, |moved| {
                let mut inputs = inputs.doubles();
                *values(&mut inputs) = moved.to_vec();
                loss(&graph, &inputs)
            })
        };
        let expected = [
            of(|inputs| &mut inputs.x, &inputs.x),
            of(|inputs| &mut inputs.size, &inputs.size),
            of(|inputs| &mut inputs.mix, &inputs.mix),
            of(|inputs| &mut inputs.bias, &inputs.bias),
        ];
        for session in sessions() {
            for options in pulls() {
                let mut data = run(&session.graph(&graph), &options, &inputs);
                for name in asks {
                    let (found, expected): (Vec<f32>, _) = match *name {
                        "x" => (data.read(Mixes::X_GRADIENT).unwrap().iter().copied().collect(), &expected[0]),
                        "size" => (data.read(Mixes::SIZE_GRADIENT).unwrap().to_vec(), &expected[1]),
                        "mix" => (data.read(Mixes::MIX_GRADIENT).unwrap().iter().copied().collect(), &expected[2]),
                        _ => (data.read(Mixes::BIAS_GRADIENT).unwrap().to_vec(), &expected[3]),
                    };
                    agree(name, found, expected);
                }
            }
        }
    }
}

/// Runs a fold and its gradient.
macro_rules! both {
    ($fold:ident, $gradient:ident) => {
        |resident: &ResidentGraph<'_>, options: &Options, inputs: &Inputs<f32>| {
            let mut data = resident.session().data($fold, resident, FEATURES).unwrap();
            inputs.write(&mut data);
            $fold.on(resident, &mut data).times(1, options).unwrap();
            $gradient.on(resident, &mut data).times(1, options).unwrap();
            data
        }
    };
}

#[test]
fn a_matrix_of_the_graph_gets_a_total_of_outer_products() {
    check(dense_loss, &["x", "size", "mix", "bias"], both!(dense, dense_gradient));
}

#[test]
fn edges_add_to_the_gradient_of_a_matrix() {
    assert_eq!(turned_gradient::STAGES.len(), 1, "sources and the matrix are gathered together");
    check(turned_loss, &["x", "size", "mix"], both!(turned, turned_gradient));
}

#[test]
fn the_solution_of_normal_equations_has_a_gradient() {
    check(fitted_loss, &["x", "size"], both!(fitted, fitted_gradient));
    check(fitted_loss, &["x", "size"], both!(fitted_rows, fitted_rows_gradient));
}

#[test]
fn a_matrix_that_vertices_add_up_is_a_total() {
    check(whitened_loss, &["x"], |resident, options, inputs| {
        let mut data = both!(whitened, whitened_gradient)(resident, options, inputs);
        agree("spread", data.read(Mixes::SPREAD).unwrap().iter().copied(), &spread(&inputs.doubles()));
        data
    });
}

/// The order in which outer products are added up is fixed.
#[test]
fn the_gradient_of_a_matrix_is_the_same_bits_each_time() {
    let graph = random(3, 40, 700);
    let (inputs, options) = (Inputs::of(&graph, 3), Options::new().deterministic(true).group_size(4));
    for session in sessions() {
        let resident = session.graph(&graph);
        let found = || -> Vec<u32> {
            let mut data = both!(turned, turned_gradient)(&resident, &options, &inputs);
            data.read(Mixes::MIX_GRADIENT).unwrap().iter().map(|value| value.to_bits()).collect()
        };
        let first = found();
        assert!((0..3).all(|_| found() == first));
    }
}
