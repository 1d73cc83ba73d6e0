//! Steps of optimizers against the formulas of their papers, in double precision.

mod sessions;

use ndarray::{Array2, arr1};
use onyx_gnn::clock::{Clock, judge};
use onyx_gnn::weight::{Optimizer, Weight, WeightShape};
use onyx_runtime::Session;
use onyx_runtime::graph::GraphBuilder;
use sessions::sessions;

const DECAY: f32 = 0.03;

fn gradient(step: usize) -> Array2<f32> {
    Array2::from_shape_fn((5, 3), |(row, column)| ((row * 3 + column * 5 + step * 7) % 11) as f32 / 7.0 - 0.8)
}

fn values() -> Array2<f32> {
    Array2::from_shape_fn((5, 3), |(row, column)| (row as f32 - column as f32) / 4.0)
}

/// The weights after so many steps, and those before the last.
fn learned(session: &Session, optimizer: Optimizer, steps: usize) -> [Array2<f32>; 2] {
    let mut weight = Weight::new(session, "w", WeightShape::matrix(5, 3), optimizer, DECAY).unwrap();
    weight.write(values().view()).unwrap();
    let one = session.own(GraphBuilder::new().vertices(1).build().unwrap());
    let (mut clock, mut given) = (session.data(judge, &one, 1).unwrap(), session.tensor(5, 3).unwrap());
    for step in 1..=steps {
        clock.write(Clock::LEARNING, &arr1(&[step as f32])).unwrap();
        given.write(gradient(step).view()).unwrap();
        session.copy(given.matrix(), &mut weight.gradient().unwrap()).unwrap();
        weight.learn(&mut clock).unwrap();
    }
    let after = weight.read().unwrap();
    clock.write(Clock::LEARNING, &arr1(&[0.0])).unwrap();
    weight.learn(&mut clock).unwrap();
    assert_eq!(weight.read().unwrap(), after, "a step that is none has changed something");
    weight.unlearn().unwrap();
    [after, weight.read().unwrap()]
}

/// One weight, step by step.
fn serial(mut value: f64, gradients: &[f64], mut step: impl FnMut(usize, f64) -> f64) -> f64 {
    for (number, gradient) in gradients.iter().enumerate() {
        value -= step(number + 1, gradient + f64::from(DECAY) * value);
    }
    value
}

fn agree(optimizer: Optimizer, step: impl Fn() -> Box<dyn FnMut(usize, f64) -> f64>) {
    const STEPS: usize = 6;
    for session in sessions() {
        let [after, before] = learned(&session, optimizer, STEPS);
        for (at, start) in values().indexed_iter() {
            let gradients: Vec<f64> = (1..=STEPS).map(|step| f64::from(gradient(step)[at])).collect();
            for (found, steps) in [(after[at], STEPS), (before[at], STEPS - 1)] {
                let expected = serial(f64::from(*start), &gradients[..steps], step());
                assert!((f64::from(found) - expected).abs() < 2e-5, "{optimizer:?} {at:?}: {found} for {expected}");
            }
        }
    }
}

#[test]
fn adam_is_that_of_its_paper() {
    agree(Optimizer::Adam { rate: 0.1 }, || {
        let (mut mean, mut square) = (0.0, 0.0);
        Box::new(move |step, gradient| {
            mean = 0.9 * mean + 0.1 * gradient;
            square = 0.999 * square + 0.001 * gradient * gradient;
            let (mean, square) =
                (mean / (1.0 - 0.9_f64.powi(step as i32)), square / (1.0 - 0.999_f64.powi(step as i32)));
            0.1 * mean / (square.sqrt() + 1e-8)
        })
    });
}

#[test]
fn descent_keeps_its_velocity() {
    agree(Optimizer::Descent { rate: 0.1, momentum: 0.8 }, || {
        let mut velocity = 0.0;
        Box::new(move |_, gradient| {
            velocity = 0.8 * velocity + gradient;
            0.1 * velocity
        })
    });
}
