//! Gradients of random programs against central differences of what an interpreter computes of them, which knows nothing of the compiler.

mod many;
mod one;

use onyx_gradient_tests::differences::gradient;
use onyx_gradient_tests::graphs::{dice, numbers, pulls, symmetric};
use onyx_gradient_tests::smooth::*;
use onyx_random::smooth::{INPUTS, Owner, Program, Shape, Values};
use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::Array2;
use onyx_runtime::{Options, RunFold, Session};
use rand_pcg::Pcg64;

/// How far single precision may be off, of the greatest entry.
const TOLERANCE: f64 = 5e-4;

fn shape(graph: &Graph, features: usize) -> Shape {
    let edges: Vec<(usize, usize)> = graph.edges().map(|(_, from, to)| (from as usize, to as usize)).collect();
    let rank = |edge: usize| edges[..edge].iter().filter(|ends| **ends == edges[edge]).count();
    let reverse = |edge: usize| {
        let back = (edges[edge].1, edges[edge].0);
        let mut reverses = (0..edges.len()).filter(|other| edges[*other] == back);
        reverses.nth(rank(edge)).expect("every edge has a reverse")
    };
    let reverses = (0..edges.len()).map(reverse).collect();
    Shape { vertices: graph.vertex_count(), features, edges, reverses }
}

fn rows(values: &[f32], width: usize) -> Array2<f32> {
    Array2::from_shape_vec((values.len() / width, width), values.to_vec()).unwrap()
}

/// The rows of the table of all vertices, or edges.
fn kinds(count: usize, is_edge: bool) -> Vec<u32> {
    (0..count).map(|element| Shape::kind(element, is_edge) as u32).collect()
}

/// The values of an input for all heads.
fn drawn(dice: &mut Pcg64, (shape, heads): (&Shape, usize), input: usize) -> Vec<f32> {
    let count = heads * shape.length(input);
    if INPUTS[input].is_half { halves(dice, count, input as u32 % 2) } else { numbers(dice, count, -1.0, 1.0) }
}

/// Numbers that half precision holds as they are, all of them different, so that no two of them share a derivative. Their last bit is that of the input, so
/// that no comparison of two inputs is decided by how far a value is moved.
fn halves(dice: &mut Pcg64, count: usize, last: u32) -> Vec<f32> {
    let mut found: Vec<f32> = Vec::new();
    while found.len() < count {
        let value = f32::from_bits(numbers(dice, 1, -1.0, 1.0)[0].to_bits() & 0xfffe_0000 | last << 16);
        if value.abs() > 0.06 && !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// Every schedule that pulls; what is added to a table has no order.
fn schedules(program: &Program) -> Vec<Options> {
    let has_table = program.pool.is_some() || program.asked().iter().any(|input| INPUTS[*input].owner == Owner::Table);
    pulls().into_iter().filter(|options| !(has_table && options.deterministic)).collect()
}

/// What one head has of rows of which all have `width` numbers.
fn of_head(values: &[f32], width: usize, (head, heads): (usize, usize)) -> Vec<f64> {
    let rows = values.chunks(width).skip(head).step_by(heads);
    rows.flatten().copied().map(f64::from).collect()
}

fn agree(what: &str, program: &Program, found: &[f64], expected: &[f64]) {
    let greatest = expected.iter().fold(0.05, |greatest: f64, value| greatest.max(value.abs()));
    assert_eq!(found.len(), expected.len(), "{what}");
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let off = (found - expected).abs();
        let source = || program.source();
        assert!(off <= TOLERANCE * greatest, "{what}, entry {at}: {found} instead of {expected} of\n{}", source());
    }
}

/// What is to be found of one head: what the program leaves, and the adjoint of each input that it depends on.
fn expected(program: &Program, shape: &Shape, values: &Values, wanted: &[f64]) -> Vec<(&'static str, usize, Vec<f64>)> {
    let loss = |values: &Values| {
        program.computed(shape, values).iter().zip(wanted).map(|(out, wanted)| out * wanted).sum::<f64>()
    };
    let of = |input: usize| {
        let own: Vec<f32> = values[input].iter().map(|value| *value as f32).collect();
        let adjoint = gradient(&own, |moved| {
            let mut values = values.clone();
            values[input] = moved.to_vec();
            loss(&values)
        });
        (INPUTS[input].name, shape.width(input), adjoint)
    };
    let out = ("out", shape.features, program.computed(shape, values));
    std::iter::once(out).chain(program.asked().into_iter().map(of)).collect()
}

/// Checks a program on the CPU and in the emulator, under every schedule that pulls.
macro_rules! check {
    ($seed:literal, $fold:ident, $gradient:ident, $data:ident) => {{
        let (program, graph) = (Program::drawn($seed), symmetric($seed, 8, 8));
        let (heads, features) = ($data::HEADS, $data::FEATURES);
        let (shape, mut dice) = (shape(&graph, features), dice($seed));
        let inputs: Vec<Vec<f32>> = (0..INPUTS.len()).map(|input| drawn(&mut dice, (&shape, heads), input)).collect();
        let wanted = numbers(&mut dice, heads * shape.vertices * features, -1.0, 1.0);
        let of = |head: usize| {
            let values = (0..INPUTS.len()).map(|input| of_head(&inputs[input], shape.width(input), (head, heads)));
            let values: Values = values.collect::<Vec<_>>().try_into().unwrap();
            expected(&program, &shape, &values, &of_head(&wanted, features, (head, heads)))
        };
        let expected: Vec<_> = (0..heads).map(of).collect();
        for session in [Session::cpu(), Session::emulator()] {
            let resident = session.graph(&graph);
            for options in schedules(&program) {
                let mut data = $data::data($fold, (&session, &resident), &inputs, &wanted);
                $fold.on(&resident, &mut data).times(1, &options).unwrap();
                $gradient.on(&resident, &mut data).times(1, &options).unwrap();
                for (head, expected) in expected.iter().enumerate() {
                    for (name, width, expected) in expected {
                        let found = $data::found(&mut data, name);
                        agree(name, &program, &of_head(&found, *width, (head, heads)), expected);
                    }
                }
            }
        }
    }};
}

include!(concat!(env!("OUT_DIR"), "/smooth_tests.rs"));
