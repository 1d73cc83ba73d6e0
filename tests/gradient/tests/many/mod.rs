//! Programs of one head, of which there are two: how their inputs are written, and their adjoints read.

use onyx_device::FoldOf;
use onyx_gradient_tests::smooth::Many;
use onyx_random::smooth::KINDS;
use onyx_runtime::{Data, ResidentGraph, Session};

use super::{kinds, rows};

pub const HEADS: usize = 2;
/// As many as the folds are compiled for: the rows of several heads have no gaps.
pub const FEATURES: usize = 4;
const WIDTH: usize = HEADS * FEATURES;

pub fn data<F: FoldOf<Many<0>>>(
    fold: F,
    (session, graph): (&Session, &ResidentGraph<'_>),
    inputs: &[Vec<f32>],
    wanted: &[f32],
) -> Data<Many<0>> {
    let [x, y, size, weight, message, bias, relation, ..] = inputs else { panic!("{} inputs", inputs.len()) };
    let mut data = session.data_of_heads(fold, graph, HEADS, FEATURES).unwrap();
    data.write(Many::X, &rows(x, WIDTH)).unwrap();
    data.write(Many::Y, &rows(y, WIDTH)).unwrap();
    data.write(Many::SIZE, &rows(size, HEADS)).unwrap();
    data.write(Many::SORT, &kinds(size.len() / HEADS, false)).unwrap();
    data.write(Many::WEIGHT, &rows(weight, HEADS)).unwrap();
    data.write(Many::KIND, &kinds(weight.len() / HEADS, true)).unwrap();
    data.write(Many::MESSAGE, &rows(message, WIDTH)).unwrap();
    data.write(Many::BIAS, bias).unwrap();
    data.write(Many::RELATION, &rows(relation, WIDTH)).unwrap();
    data.resize(Many::RELATION_GRADIENT, relation.len() / WIDTH).unwrap();
    for table in [Many::POOL, Many::POOL_GRADIENT, Many::POOL_GRADIENT_COUNT] {
        data.resize(table, KINDS).unwrap();
    }
    data.write(Many::OUT_GRADIENT, &rows(wanted, WIDTH)).unwrap();
    data
}

/// What the program leaves, or the adjoint of an input.
pub fn found(data: &mut Data<Many<0>>, what: &str) -> Vec<f32> {
    macro_rules! all {
        ($key:ident) => {
            data.read(Many::$key).unwrap().iter().copied().collect()
        };
    }
    match what {
        "out" => all!(OUT),
        "x" => all!(X_GRADIENT),
        "y" => all!(Y_GRADIENT),
        "size" => all!(SIZE_GRADIENT),
        "weight" => all!(WEIGHT_GRADIENT),
        "message" => all!(MESSAGE_GRADIENT),
        "bias" => all!(BIAS_GRADIENT),
        "relation" => all!(RELATION_GRADIENT),
        what => panic!("no input is called {what}"),
    }
}
