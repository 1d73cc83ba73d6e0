//! The derivative of each operation against central differences.

use onyx_gradient_tests::differences::{agree, gradient};
use onyx_gradient_tests::graphs::{dice, numbers, random, sessions};
use onyx_gradient_tests::rules::{
    Rules, called_fold, called_fold_gradient, elementary_fold, elementary_fold_gradient, guarded_fold,
    guarded_fold_gradient, held_fold, held_fold_gradient, kinks_fold, kinks_fold_gradient, powers_fold,
    powers_fold_gradient, together_fold, together_fold_gradient, weighed_fold, weighed_fold_gradient,
};
use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::ndarray::Array2;
use onyx_runtime::{Data, RunFold, Session};

const VERTICES: usize = 24;
const FEATURES: usize = 3;

/// What each vertex has.
struct Point {
    x: Vec<f32>,
    y: Vec<f32>,
    size: Vec<f32>,
    kind: Vec<f32>,
    mixer: Vec<f32>,
    out: Vec<f32>,
    total: Vec<f32>,
}

impl Point {
    fn new() -> Self {
        let mut dice = dice(3);
        let mut row = |low, high| numbers(&mut dice, VERTICES * FEATURES, low, high);
        let (x, y, out) = (row(-0.9, 0.9), row(1.05, 1.95), row(-1.0, 1.0));
        let mut dice = onyx_gradient_tests::graphs::dice(4);
        let mut scalar = |count, low, high| numbers(&mut dice, count, low, high);
        let (size, total, mixer) =
            (scalar(VERTICES, 0.3, 0.6), scalar(VERTICES, -1.0, 1.0), scalar(FEATURES * FEATURES, -1.0, 1.0));
        let kind = (0..VERTICES).map(|vertex| (vertex % 5) as f32).collect();
        Self { x, y, size, kind, mixer, out, total }
    }

    fn write(&self, data: &mut Data<Rules<0>>) {
        let rows = |values: &[f32]| Array2::from_shape_vec((VERTICES, FEATURES), values.to_vec()).unwrap();
        data.write(Rules::X, &rows(&self.x)).unwrap();
        data.write(Rules::Y, &rows(&self.y)).unwrap();
        data.write(Rules::SIZE, &self.size).unwrap();
        data.write(Rules::KIND, &self.kind).unwrap();
        let mixer = Array2::from_shape_vec((FEATURES, FEATURES), self.mixer.clone()).unwrap();
        data.write(Rules::MIXER, &mixer).unwrap();
        data.write(Rules::OUT_GRADIENT, &rows(&self.out)).unwrap();
        data.write(Rules::TOTAL_GRADIENT, &self.total).unwrap();
    }
}

/// Of one vertex: its rows, its scalar and its kind to what it leaves, with the total last.
type Reference = fn(&Point, &[f64], &[f64], f64, usize) -> (Vec<f64>, f64);

/// Checks a fold and its gradient on both backends. `asked` says which of `x`, `y` and `size` it is asked of.
macro_rules! check {
    ($fold:ident, $gradient:ident, $reference:expr, $has_size:expr) => {{
        let (graph, point) = (random(1, VERTICES as u32, 10), Point::new());
        let reference: Reference = $reference;
        for session in sessions() {
            let resident = session.graph(&graph);
            let mut data = session.data($fold, &resident, FEATURES).unwrap();
            point.write(&mut data);
            $fold.on(&resident, &mut data).once().unwrap();
            $gradient.on(&resident, &mut data).once().unwrap();
            let loss = |x: &[f64], y: &[f64], size: &[f64]| {
                let of = |vertex: usize| {
                    let row = |values: &[f64]| values[vertex * FEATURES..][..FEATURES].to_vec();
                    let (out, total) = reference(&point, &row(x), &row(y), size[vertex], vertex);
                    let wanted = &point.out[vertex * FEATURES..][..FEATURES];
                    let out: f64 = out.iter().zip(wanted).map(|(out, wanted)| out * f64::from(*wanted)).sum();
                    out + total * f64::from(point.total[vertex])
                };
                (0..VERTICES).map(of).sum::<f64>()
            };
            let [x, y, size] = [&point.x, &point.y, &point.size]
                .map(|values| values.iter().copied().map(f64::from).collect::<Vec<_>>());
            let expected = gradient(&point.x, |x| loss(x, &y, &size));
            agree("x", data.read(Rules::X_GRADIENT).unwrap().iter().copied(), &expected);
            let expected = gradient(&point.y, |y| loss(&x, y, &size));
            agree("y", data.read(Rules::Y_GRADIENT).unwrap().iter().copied(), &expected);
            if $has_size {
                let expected = gradient(&point.size, |size| loss(&x, &y, size));
                agree("size", data.read(Rules::SIZE_GRADIENT).unwrap().iter().copied(), &expected);
            }
        }
    }};
}

fn elementary(_: &Point, x: &[f64], y: &[f64], _: f64, _: usize) -> (Vec<f64>, f64) {
    let of = |(x, y): (&f64, &f64)| {
        let (sine, cosine) = x.sin_cos();
        let roots = y.sqrt() + y.ln() + y.log2() + y.recip();
        let powers = x.exp() + x.exp2() + x.powi(3) + y.powf(1.5) + y.powf(*x);
        let angles = sine * cosine + x.tan() + x.tanh() + x.cos() + x.sin() + x.to_radians();
        roots / powers + angles - x.mul_add(*y, 2.0) + x.fract() * y.floor()
    };
    (x.iter().zip(y).map(of).collect(), 0.0)
}

fn kinks(point: &Point, x: &[f64], y: &[f64], size: f64, vertex: usize) -> (Vec<f64>, f64) {
    let of = |(x, y): (&f64, &f64)| {
        let (x, y) = (*x, *y);
        let mut out = x.abs() + x.max(y) * 2.0 - x.min(0.25) + x.clamp(-0.5, 0.75);
        if x > 0.25 && y < 1.5 {
            out *= x;
        } else if x < -0.5 {
            out -= y * size;
        }
        match point.kind[vertex] as u32 {
            0 => out,
            1 | 2 => out * out,
            _ => out / (1.0 + y) * size,
        }
    };
    (x.iter().zip(y).map(of).collect(), 0.0)
}

fn guarded(point: &Point, x: &[f64], y: &[f64], size: f64, vertex: usize) -> (Vec<f64>, f64) {
    let kind = point.kind[vertex] as u32;
    let of = |(x, y): (&f64, &f64)| {
        let (x, y, part) = (*x, *y, x * size);
        let out = match kind {
            0 if y > 1.5 => x * y,
            n if n > 2 && size < f64::from(0.45_f32) => x * f64::from(n),
            0..=2 => y * y * size,
            _ => x * x,
        };
        let more = if kind > 0 && x * y > 0.0 { (x * y).powi(2) * f64::from(kind - 1) } else { 0.0 };
        out + more + if kind == 1 { part * part } else { part * y }
    };
    (x.iter().zip(y).map(of).collect(), 0.0)
}

fn together(point: &Point, x: &[f64], y: &[f64], size: f64, _: usize) -> (Vec<f64>, f64) {
    let sum = |values: &[f64]| values.iter().sum::<f64>();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let powers: Vec<f64> = x.iter().map(|x| (x * size).exp()).collect();
    let together: Vec<f64> = x.iter().zip(y).map(|(x, y)| (x + y).exp()).collect();
    let greatest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = y.iter().copied().fold(f64::INFINITY, f64::min);
    let level = sum(&together).ln() + dot(x, x).sqrt() * dot(x, y) + greatest * least;
    let total = level * size + dot(x, x) / FEATURES as f64;
    let mixer = |f: usize, g: usize| f64::from(point.mixer[f * FEATURES + g]);
    let of = |f: usize| {
        let mixed: f64 = (0..FEATURES).map(|g| mixer(f, g) * x[g] + mixer(g, f) * y[g]).sum();
        powers[f] / sum(&powers) * y[f] / sum(y) + level * x[1] + mixed * total
    };
    ((0..FEATURES).map(of).collect(), total)
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

fn weighed(point: &Point, x: &[f64], y: &[f64], size: f64, vertex: usize) -> (Vec<f64>, f64) {
    let square: f64 = x.iter().map(|x| x * x).sum();
    let factor = size / (1.0 + square) - if point.kind[vertex] > 1.0 { 0.25 } else { 0.0 };
    let entry = |f: usize, g: usize| factor * x[f] * x[g] + if f == g { y[f] } else { 0.0 };
    let row = |f: usize| (0..FEATURES).map(|g| entry(f, g)).chain([x[f]]).collect();
    let solved = eliminated((0..FEATURES).map(row).collect());
    let mixer = |f: usize, g: usize| f64::from(point.mixer[f * FEATURES + g]);
    let of = |f: usize| {
        let mixed: f64 = (0..FEATURES).map(|g| mixer(f, g) * y[g]).sum();
        solved[f] + x[f] * y[f] * y[f] + mixed * x[f] / (y[f] * size)
    };
    ((0..FEATURES).map(of).collect(), x.iter().zip(y).map(|(x, y)| x + y).product())
}

fn called(point: &Point, x: &[f64], y: &[f64], size: f64, vertex: usize) -> (Vec<f64>, f64) {
    let rooted = |x: f64| (0..60).fold(x, |y, _| y - (y + y * y * y - x) / (1.0 + 3.0 * y * y));
    let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let kind = point.kind[vertex] as i32;
    let of = |(x, y): (&f64, &f64)| {
        let level = norm * y.powi(kind);
        if kind > 2 { rooted(level * x) } else { level + rooted(3.0 * x) }
    };
    (x.iter().zip(y).map(of).collect(), x.iter().sum::<f64>() * rooted(size))
}

#[test]
fn elementary_functions() {
    check!(elementary_fold, elementary_fold_gradient, elementary, false);
}

#[test]
fn kinks_and_branches() {
    check!(kinks_fold, kinks_fold_gradient, kinks, true);
}

#[test]
fn conditions_in_patterns() {
    check!(guarded_fold, guarded_fold_gradient, guarded, true);
}

/// The power 0 is a constant, and no exponent moves a power of 0.
#[test]
fn powers_of_zero_have_gradients_that_are_numbers() {
    let graph = GraphBuilder::new().vertices(4).build().unwrap();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(powers_fold, &resident, FEATURES).unwrap();
        data.write(Rules::X, &[[0.0, 0.5, 1.0]; 4]).unwrap();
        data.write(Rules::Y, &[[2.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.5, 2.0, 3.0], [1.0; 3]]).unwrap();
        data.write(Rules::KIND, &[0.0, 1.0, 2.0, 3.0]).unwrap();
        data.write(Rules::OUT_GRADIENT, &[[1.0; FEATURES]; 4]).unwrap();
        powers_fold.on(&resident, &mut data).once().unwrap();
        powers_fold_gradient.on(&resident, &mut data).once().unwrap();
        let x: Vec<f32> = data.read(Rules::X_GRADIENT).unwrap().iter().copied().collect();
        assert_eq!(x, [0.0, 0.0, 1.0, 1.0, 2.0, 1.0, 0.0, 2.0, 5.0, 1.0, 1.75, 4.0], "{session:?}");
        let y: Vec<f32> = data.read(Rules::Y_GRADIENT).unwrap().iter().copied().collect();
        let logarithm = 0.5_f32.ln();
        let half = [logarithm, 0.5 * logarithm, 0.25 * logarithm, 0.5 * logarithm];
        for (vertex, half) in half.into_iter().enumerate() {
            assert_eq!((y[3 * vertex], y[3 * vertex + 2]), (0.0, 0.0), "{session:?}: {y:?}");
            assert!((y[3 * vertex + 1] - half).abs() < 1e-5, "{session:?}: {y:?}");
        }
    }
}

#[test]
fn collaborative_operations() {
    check!(together_fold, together_fold_gradient, together, true);
}

#[test]
fn matrices_that_are_made_and_inverted() {
    check!(weighed_fold, weighed_fold_gradient, weighed, true);
}

#[test]
fn functions_whose_derivatives_are_given() {
    check!(called_fold, called_fold_gradient, called, true);
}

/// The only factor that is zero has the product of the others, and they have nothing; of two zeros nothing has anything.
#[test]
fn a_factor_that_is_zero_has_the_product_of_the_others() {
    let graph = GraphBuilder::new().vertices(4).edges(vec![(0, 1)]).build().unwrap();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(weighed_fold, &resident, FEATURES).unwrap();
        let x = [[0.0, 2.0, 3.0], [0.0, 2.0, 0.0], [1.0, 2.0, 3.0], [0.0; 3]];
        data.write(Rules::X, &x.map(|row| row.map(|x| x - 1.0))).unwrap();
        data.write(Rules::Y, &[[1.0; FEATURES]; 4]).unwrap();
        data.write(Rules::SIZE, &[1.0; 4]).unwrap();
        data.write(Rules::TOTAL_GRADIENT, &[1.0; 4]).unwrap();
        weighed_fold.on(&resident, &mut data).once().unwrap();
        weighed_fold_gradient.on(&resident, &mut data).once().unwrap();
        let found: Vec<f32> = data.read(Rules::X_GRADIENT).unwrap().iter().copied().collect();
        assert_eq!(found, [6.0, 0.0, 0.0, 0.0, 0.0, 0.0, 6.0, 3.0, 2.0, 0.0, 0.0, 0.0]);
    }
}

#[test]
fn what_is_constant_has_no_gradient() {
    let (graph, point) = (random(1, VERTICES as u32, 10), Point::new());
    let session = Session::cpu();
    let resident = session.graph(&graph);
    let mut data = session.data(held_fold, &resident, FEATURES).unwrap();
    point.write(&mut data);
    held_fold.on(&resident, &mut data).once().unwrap();
    held_fold_gradient.on(&resident, &mut data).once().unwrap();
    let of =
        |at: usize, held: f32, free: f32| point.out[at] * if point.kind[at / FEATURES] > 2.0 { free } else { held };
    let x: Vec<f32> = data.read(Rules::X_GRADIENT).unwrap().iter().copied().collect();
    let y: Vec<f32> = data.read(Rules::Y_GRADIENT).unwrap().iter().copied().collect();
    for at in 0..VERTICES * FEATURES {
        assert_eq!(x[at], of(at, point.x[at], point.y[at]));
        assert_eq!(y[at], of(at, f32::from(u8::from(point.x[at] > 0.0)), point.x[at]));
    }
}
