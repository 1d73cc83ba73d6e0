//! Gradients of random programs against central differences of what an interpreter computes of them, which knows nothing of the compiler.

use onyx_gradient_tests::differences::gradient;
use onyx_gradient_tests::graphs::{dice, numbers, pulls, symmetric};
use onyx_gradient_tests::smooth::*;
use onyx_random::smooth::{INPUTS, Program, Shape, Values};
use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::{Array2, arr0};
use onyx_runtime::{Data, RunFold, Session};

const FEATURES: usize = 3;
/// How far single precision may be off, of the greatest entry.
const TOLERANCE: f64 = 5e-4;

fn shape(graph: &Graph) -> Shape {
    let edges: Vec<(usize, usize)> = graph.edges().map(|(_, from, to)| (from as usize, to as usize)).collect();
    let rank = |edge: usize| edges[..edge].iter().filter(|ends| **ends == edges[edge]).count();
    let reverse = |edge: usize| {
        let back = (edges[edge].1, edges[edge].0);
        let mut reverses = (0..edges.len()).filter(|other| edges[*other] == back);
        reverses.nth(rank(edge)).expect("every edge has a reverse")
    };
    let reverses = (0..edges.len()).map(reverse).collect();
    Shape { vertices: graph.vertex_count(), features: FEATURES, edges, reverses }
}

fn rows(values: &[f32]) -> Array2<f32> {
    Array2::from_shape_vec((values.len() / FEATURES, FEATURES), values.to_vec()).unwrap()
}

fn write(data: &mut Data<Smooth<0>>, inputs: &[Vec<f32>], wanted: &[f32]) {
    let [x, y, size, weight, message, bias, scale, alpha, mix] = inputs else { panic!("{} inputs", inputs.len()) };
    data.write(Smooth::X, &rows(x)).unwrap();
    data.write(Smooth::Y, &rows(y)).unwrap();
    data.write(Smooth::SIZE, size).unwrap();
    data.write(Smooth::WEIGHT, weight).unwrap();
    data.write(Smooth::MESSAGE, &rows(message)).unwrap();
    data.write(Smooth::BIAS, bias).unwrap();
    data.write(Smooth::SCALE, &arr0(scale[0])).unwrap();
    data.set(Smooth::ALPHA, alpha[0]);
    data.write(Smooth::MIX, &rows(mix)).unwrap();
    data.write(Smooth::OUT_GRADIENT, &rows(wanted)).unwrap();
}

/// The adjoint of an input.
fn found(data: &mut Data<Smooth<0>>, input: &str) -> Vec<f32> {
    match input {
        "x" => data.read(Smooth::X_GRADIENT).unwrap().iter().copied().collect(),
        "y" => data.read(Smooth::Y_GRADIENT).unwrap().iter().copied().collect(),
        "size" => data.read(Smooth::SIZE_GRADIENT).unwrap().to_vec(),
        "weight" => data.read(Smooth::WEIGHT_GRADIENT).unwrap().to_vec(),
        "message" => data.read(Smooth::MESSAGE_GRADIENT).unwrap().iter().copied().collect(),
        "bias" => data.read(Smooth::BIAS_GRADIENT).unwrap().to_vec(),
        "scale" => vec![data.read(Smooth::SCALE_GRADIENT).unwrap()[[]]],
        "alpha" => vec![data.read(Smooth::ALPHA_GRADIENT).unwrap()[[]]],
        _ => data.read(Smooth::MIX_GRADIENT).unwrap().iter().copied().collect(),
    }
}

fn agree(what: &str, program: &Program, found: &[f32], expected: &[f64]) {
    let greatest = expected.iter().fold(0.05, |greatest: f64, value| greatest.max(value.abs()));
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let off = (f64::from(*found) - expected).abs();
        let source = || program.source();
        assert!(off <= TOLERANCE * greatest, "{what}, entry {at}: {found} instead of {expected} of\n{}", source());
    }
}

/// Checks a program on the CPU and in the emulator, under every schedule that pulls.
macro_rules! check {
    ($seed:literal, $fold:ident, $gradient:ident) => {{
        let (program, graph) = (Program::drawn($seed), symmetric($seed, 8, 8));
        let (shape, mut dice) = (shape(&graph), dice($seed));
        let inputs: Vec<Vec<f32>> =
            (0..INPUTS.len()).map(|input| numbers(&mut dice, shape.length(input), -1.0, 1.0)).collect();
        let wanted = numbers(&mut dice, shape.vertices * FEATURES, -1.0, 1.0);
        let doubles = |values: &Vec<f32>| values.iter().copied().map(f64::from).collect::<Vec<f64>>();
        let values: Values = inputs.iter().map(doubles).collect::<Vec<_>>().try_into().unwrap();
        let loss = |values: &Values| {
            let out = program.computed(&shape, values);
            out.iter().zip(&wanted).map(|(out, wanted)| out * f64::from(*wanted)).sum::<f64>()
        };
        let expected: Vec<Vec<f64>> = program
            .asked()
            .into_iter()
            .map(|input| {
                gradient(&inputs[input], |moved| {
                    let mut values = values.clone();
                    values[input] = moved.to_vec();
                    loss(&values)
                })
            })
            .collect();
        for session in [Session::cpu(), Session::emulator()] {
            let resident = session.graph(&graph);
            for options in pulls() {
                let mut data = session.data($fold, &resident, FEATURES).unwrap();
                write(&mut data, &inputs, &wanted);
                $fold.on(&resident, &mut data).times(1, &options).unwrap();
                let out: Vec<f32> = data.read(Smooth::OUT).unwrap().iter().copied().collect();
                agree("out", &program, &out, &program.computed(&shape, &values));
                $gradient.on(&resident, &mut data).times(1, &options).unwrap();
                for (input, expected) in program.asked().into_iter().zip(&expected) {
                    let name = INPUTS[input].name;
                    agree(name, &program, &found(&mut data, name), expected);
                }
            }
        }
    }};
}

include!(concat!(env!("OUT_DIR"), "/smooth_tests.rs"));
