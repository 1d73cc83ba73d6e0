//! Programs without heads: how their inputs are written, and their adjoints read.

use onyx_device::FoldOf;
use onyx_gradient_tests::smooth::Smooth;
use onyx_random::smooth::{COLUMNS, KINDS};
use onyx_runtime::ndarray::arr0;
use onyx_runtime::{Data, ResidentGraph, Session};

use super::{kinds, rows};

pub const HEADS: usize = 1;
pub const FEATURES: usize = 3;

pub fn data<F: FoldOf<Smooth<0>>>(
    fold: F,
    (session, graph): (&Session, &ResidentGraph<'_>),
    inputs: &[Vec<f32>],
    wanted: &[f32],
) -> Data<Smooth<0>> {
    let [x, y, size, weight, message, bias, relation, scale, alpha, mix, lift, wide] = inputs else {
        panic!("{} inputs", inputs.len())
    };
    let mut data = session.data_of_widths(fold, graph, &[FEATURES, COLUMNS]).unwrap();
    data.write(Smooth::X, &rows(x, FEATURES)).unwrap();
    data.write(Smooth::Y, &rows(y, FEATURES)).unwrap();
    data.write(Smooth::SIZE, size).unwrap();
    data.write(Smooth::SORT, &kinds(size.len(), false)).unwrap();
    data.write(Smooth::WEIGHT, weight).unwrap();
    data.write(Smooth::KIND, &kinds(weight.len(), true)).unwrap();
    data.write(Smooth::MESSAGE, &rows(message, FEATURES)).unwrap();
    data.write(Smooth::BIAS, bias).unwrap();
    data.write(Smooth::RELATION, &rows(relation, FEATURES)).unwrap();
    data.resize(Smooth::RELATION_GRADIENT, relation.len() / FEATURES).unwrap();
    data.write(Smooth::SCALE, &arr0(scale[0])).unwrap();
    data.set(Smooth::ALPHA, alpha[0]);
    data.write(Smooth::MIX, &rows(mix, FEATURES)).unwrap();
    data.write(Smooth::LIFT, &rows(lift, COLUMNS)).unwrap();
    data.write(Smooth::WIDE, &rows(wide, COLUMNS)).unwrap();
    for table in [Smooth::POOL, Smooth::POOL_GRADIENT, Smooth::POOL_GRADIENT_COUNT] {
        data.resize(table, KINDS).unwrap();
    }
    data.write(Smooth::OUT_GRADIENT, &rows(wanted, FEATURES)).unwrap();
    data
}

/// What the program leaves, or the adjoint of an input.
pub fn found(data: &mut Data<Smooth<0>>, what: &str) -> Vec<f32> {
    macro_rules! all {
        ($key:ident) => {
            data.read(Smooth::$key).unwrap().iter().copied().collect()
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
        "scale" => all!(SCALE_GRADIENT),
        "alpha" => all!(ALPHA_GRADIENT),
        "mix" => all!(MIX_GRADIENT),
        "lift" => all!(LIFT_GRADIENT),
        "wide" => all!(WIDE_GRADIENT),
        what => panic!("no input is called {what}"),
    }
}
