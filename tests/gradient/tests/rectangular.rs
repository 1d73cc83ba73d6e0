//! Gradients of products with rows of another width, against central differences of serial references in double precision.

use onyx_gradient_tests::differences::{agree, gradient};
use onyx_gradient_tests::graphs::{dice, numbers, pulls, random, sessions};
use onyx_gradient_tests::rectangular::{
    Trained, along, along_gradient, collected, convolve, convolve_gradient, skip, skip_gradient,
};
use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::Array2;
use onyx_runtime::{Data, Options, ResidentGraph, RunError, RunFold, Session};

/// The features, and the numbers of a row: less and more than a quad, one tile and several, padded and not.
const WIDTHS: [(usize, usize); 5] = [(1, 3), (3, 1), (4, 4), (4, 9), (11, 5)];

/// What a layer reads, and what its output is weighed by.
#[derive(Clone)]
struct Inputs<T> {
    widths: (usize, usize),
    input: Vec<T>,
    weight: Vec<T>,
    own: Vec<T>,
    bias: Vec<T>,
    share: Vec<T>,
    wanted: Vec<T>,
}

impl Inputs<f32> {
    fn new(graph: &Graph, seed: u64, (features, width): (usize, usize)) -> Self {
        let mut dice = dice(seed);
        let mut draw = |count| numbers(&mut dice, count, -1.0, 1.0);
        let vertices = graph.vertex_count();
        Self {
            widths: (features, width),
            input: draw(vertices * width),
            weight: draw(features * width),
            own: draw(features * width),
            bias: draw(features),
            share: draw(graph.edge_count()),
            wanted: draw(vertices * features),
        }
    }

    fn doubles(&self) -> Inputs<f64> {
        let double = |values: &[f32]| values.iter().copied().map(f64::from).collect();
        Inputs {
            widths: self.widths,
            input: double(&self.input),
            weight: double(&self.weight),
            own: double(&self.own),
            bias: double(&self.bias),
            share: double(&self.share),
            wanted: double(&self.wanted),
        }
    }

    fn write(&self, data: &mut Data<Trained<0>>) {
        let (features, width) = self.widths;
        let rows = |values: &[f32], width: usize| {
            Array2::from_shape_vec((values.len() / width, width), values.to_vec()).unwrap()
        };
        data.write(Trained::INPUT, &rows(&self.input, width)).unwrap();
        data.write(Trained::WEIGHT, &rows(&self.weight, width)).unwrap();
        data.write(Trained::OWN, &rows(&self.own, width)).unwrap();
        data.write(Trained::BIAS, &self.bias).unwrap();
        data.write(Trained::SHARE, &self.share).unwrap();
        data.write(Trained::OUTPUT_GRADIENT, &rows(&self.wanted, features)).unwrap();
    }
}

impl Inputs<f64> {
    /// A matrix times the row of a vertex.
    fn times(&self, matrix: &[f64], vertex: usize) -> Vec<f64> {
        let row = &self.input[vertex * self.widths.1..][..self.widths.1];
        matrix.chunks(row.len()).map(|own| own.iter().zip(row).map(|(a, b)| a * b).sum()).collect()
    }

    fn hidden(&self, vertex: usize) -> Vec<f64> {
        self.times(&self.weight, vertex).iter().zip(&self.bias).map(|(x, bias)| (x + bias).tanh()).collect()
    }

    /// The loss of what edges bring of this.
    fn carried(&self, graph: &Graph, brought: impl Fn(usize) -> Vec<f64>) -> f64 {
        let features = self.widths.0;
        let of_edge = |(edge, source, destination): (usize, u32, u32)| {
            let wanted = &self.wanted[destination as usize * features..];
            brought(source as usize).iter().zip(wanted).map(|(x, wanted)| self.share[edge] * x * wanted).sum::<f64>()
        };
        graph.edges().map(of_edge).sum()
    }
}

fn convolved(graph: &Graph, inputs: &Inputs<f64>) -> f64 {
    inputs.carried(graph, |vertex| inputs.hidden(vertex))
}

fn skipped(graph: &Graph, inputs: &Inputs<f64>) -> f64 {
    let own = (0..graph.vertex_count()).flat_map(|vertex| inputs.times(&inputs.own, vertex));
    convolved(graph, inputs) - own.zip(&inputs.wanted).map(|(own, wanted)| own * wanted).sum::<f64>()
}

fn drawn(graph: &Graph, inputs: &Inputs<f64>) -> f64 {
    inputs.carried(graph, |vertex| inputs.times(&inputs.weight, vertex))
}

/// What central differences say of `name`.
fn expected(name: &str, graph: &Graph, inputs: &Inputs<f32>, loss: fn(&Graph, &Inputs<f64>) -> f64) -> Vec<f64> {
    let of = |values: fn(&mut Inputs<f64>) -> &mut Vec<f64>, point: &[f32]| {
        gradient(point, |moved| {
            let mut inputs = inputs.doubles();
            *values(&mut inputs) = moved.to_vec();
            loss(graph, &inputs)
        })
    };
    match name {
        "input" => of(|inputs| &mut inputs.input, &inputs.input),
        "weight" => of(|inputs| &mut inputs.weight, &inputs.weight),
        "own" => of(|inputs| &mut inputs.own, &inputs.own),
        "bias" => of(|inputs| &mut inputs.bias, &inputs.bias),
        _ => of(|inputs| &mut inputs.share, &inputs.share),
    }
}

fn found(name: &str, data: &mut Data<Trained<0>>) -> Vec<f32> {
    match name {
        "input" => data.read(Trained::INPUT_GRADIENT).unwrap().iter().copied().collect(),
        "weight" => data.read(Trained::WEIGHT_GRADIENT).unwrap().iter().copied().collect(),
        "own" => data.read(Trained::OWN_GRADIENT).unwrap().iter().copied().collect(),
        "bias" => data.read(Trained::BIAS_GRADIENT).unwrap().to_vec(),
        _ => data.read(Trained::SHARE_GRADIENT).unwrap().to_vec(),
    }
}

/// Data of these widths, on which a fold and its gradient have run as often as is said.
macro_rules! both {
    ($fold:ident, $gradient:ident) => {
        |resident: &ResidentGraph<'_>, options: &Options, inputs: &Inputs<f32>, times: usize| {
            let widths = [inputs.widths.0, inputs.widths.1];
            let mut data = resident.session().data_of_widths($fold, resident, &widths).unwrap();
            inputs.write(&mut data);
            $fold.on(resident, &mut data).times(1, options).unwrap();
            $gradient.on(resident, &mut data).times(times, options).unwrap();
            data
        }
    };
}

/// Checks what `run` leaves on every backend and under every schedule.
fn check(
    loss: fn(&Graph, &Inputs<f64>) -> f64,
    asked: &[&str],
    run: impl Fn(&ResidentGraph<'_>, &Options, &Inputs<f32>, usize) -> Data<Trained<0>>,
) {
    let graph = random(5, 9, 24);
    // An edge's own adjoint is a sum over all features, which one tile must hold.
    let most = if asked.contains(&"share") { 4 } else { usize::MAX };
    for (seed, widths) in WIDTHS.into_iter().enumerate().filter(|(_, (features, _))| *features <= most) {
        let inputs = Inputs::new(&graph, seed as u64, widths);
        let expected: Vec<Vec<f64>> = asked.iter().map(|name| expected(name, &graph, &inputs, loss)).collect();
        for session in sessions() {
            for options in pulls() {
                let mut data = run(&session.graph(&graph), &options, &inputs, 1 + seed % 2);
                for (name, expected) in asked.iter().zip(&expected) {
                    agree(name, found(name, &mut data), expected);
                }
            }
        }
    }
}

#[test]
fn a_layer_with_a_rectangular_matrix_has_a_gradient() {
    check(convolved, &["input", "weight", "bias", "share"], both!(convolve, convolve_gradient));
}

#[test]
fn two_matrices_of_one_row_have_gradients() {
    check(skipped, &["weight", "own", "bias"], both!(skip, skip_gradient));
}

#[test]
fn a_product_along_edges_has_a_gradient_at_their_sources() {
    check(drawn, &["input", "weight", "share"], both!(along, along_gradient));
}

#[test]
fn the_gradient_is_the_same_bits_each_time() {
    let graph = random(3, 40, 700);
    let (inputs, options) = (Inputs::new(&graph, 3, (4, 9)), Options::new().deterministic(true).group_size(4));
    for session in sessions() {
        let resident = session.graph(&graph);
        let bits = || -> Vec<u32> {
            let mut data = both!(along, along_gradient)(&resident, &options, &inputs, 1);
            let both = ["weight", "input"].map(|name| found(name, &mut data));
            both.concat().iter().map(|value| value.to_bits()).collect()
        };
        let first = bits();
        assert!((0..3).all(|_| bits() == first));
    }
}

/// What a person writes: of some vertices, with a sign, and again in each iteration.
#[test]
fn products_that_a_person_writes_are_added_up() {
    let graph = random(8, 12, 30);
    for widths in WIDTHS {
        let inputs = Inputs::new(&graph, 8, widths);
        let ((features, width), doubles) = (widths, inputs.doubles());
        let taken = |vertex: usize, f: usize| f64::max(doubles.wanted[vertex * features + f], 0.0);
        let vertices = graph.vertex_count();
        let of_matrix = |at: usize| -> f64 {
            (0..vertices).map(|v| -taken(v, at / width) * doubles.input[v * width + at % width]).sum()
        };
        let of_row = |at: usize| -> f64 {
            (0..features).map(|f| 2.0 * taken(at / width, f) * doubles.own[f * width + at % width]).sum()
        };
        let matrix: Vec<f64> = (0..features * width).map(of_matrix).collect();
        let rows: Vec<f64> = (0..vertices * width).map(of_row).collect();
        for session in sessions() {
            let resident = session.graph(&graph);
            let mut data = session.data_of_widths(collected, &resident, &[features, width]).unwrap();
            inputs.write(&mut data);
            let output = Array2::from_shape_vec((vertices, features), inputs.wanted.clone()).unwrap();
            data.write(Trained::OUTPUT, &output).unwrap();
            for times in [1, 3] {
                collected.on(&resident, &mut data).times(times, &Options::new()).unwrap();
                agree("matrix", found("weight", &mut data), &matrix);
                agree("rows", found("input", &mut data), &rows);
            }
        }
    }
}

#[test]
fn a_product_needs_what_it_reads() {
    let graph = random(8, 12, 30);
    let session = Session::cpu();
    let resident = session.graph(&graph);
    let mut data = session.data_of_widths(collected, &resident, &[4, 3]).unwrap();
    collected.on(&resident, &mut data).times(1, &Options::new()).unwrap();
    assert!(data.read(Trained::WEIGHT_GRADIENT).unwrap().iter().all(|value| *value == 0.0));
    let refused = session.data(collected, &resident, 4).err();
    assert!(matches!(refused, Some(RunError::Widths { .. })), "{refused:?}");
}
