//! Losses against their formulas in double precision.

mod sessions;

use ndarray::{Array2, arr0};
use onyx_gnn::dataset::Dataset;
use onyx_gnn::error::GnnError;
use onyx_gnn::loss::{
    ClassLoss, CrossEntropy, SquaredError, cross_entropy, cross_entropy_gradient, squared_error, squared_error_gradient,
};
use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::{RunFold, Session};
use sessions::sessions;

const SHARES: [f32; 4] = [0.5, 0.0, 0.25, 0.25];

fn rows(salt: usize) -> Array2<f32> {
    Array2::from_shape_fn((4, 3), |(row, column)| ((row * 5 + column * 7 + salt) % 9) as f32 / 2.0 - 2.0)
}

#[test]
fn the_squared_error_and_its_gradient() {
    let (out, wanted) = (rows(0), rows(4));
    for session in sessions() {
        let graph = session.own(GraphBuilder::new().vertices(4).build().unwrap());
        let mut data = session.data(squared_error, &graph, 3).unwrap();
        data.write(SquaredError::OUT, out.view()).unwrap();
        data.write(SquaredError::WANTED, wanted.view()).unwrap();
        data.write(SquaredError::SHARE, &SHARES).unwrap();
        data.write(SquaredError::LOSS_GRADIENT, &arr0(1.0)).unwrap();
        squared_error.on(&graph, &mut data).once().unwrap();
        squared_error_gradient.on(&graph, &mut data).once().unwrap();
        let off = |at: (usize, usize)| f64::from(out[at]) - f64::from(wanted[at]);
        let expected: f64 = out.indexed_iter().map(|(at, _)| f64::from(SHARES[at.0]) * off(at).powi(2)).sum();
        assert!((f64::from(data.read(SquaredError::LOSS).unwrap()[[]]) - expected).abs() < 1e-5 * expected);
        for (at, found) in data.read(SquaredError::OUT_GRADIENT).unwrap().indexed_iter() {
            assert!((f64::from(*found) - 2.0 * f64::from(SHARES[at.0]) * off(at)).abs() < 1e-5, "{at:?}: {found}");
        }
    }
}

#[test]
fn the_cross_entropy_and_its_gradient_even_of_great_outputs() {
    const CLASSES: [f32; 4] = [2.0, 0.0, 1.0, 0.0];
    for scale in [1.0, 100.0] {
        let logits = scale * rows(2);
        for session in sessions() {
            let graph = session.own(GraphBuilder::new().vertices(4).build().unwrap());
            let mut data = session.data(cross_entropy, &graph, 3).unwrap();
            data.write(CrossEntropy::LOGITS, logits.view()).unwrap();
            data.write(CrossEntropy::CLASS, &CLASSES).unwrap();
            data.write(CrossEntropy::SHARE, &SHARES).unwrap();
            data.write(CrossEntropy::LOSS_GRADIENT, &arr0(1.0)).unwrap();
            cross_entropy.on(&graph, &mut data).once().unwrap();
            cross_entropy_gradient.on(&graph, &mut data).once().unwrap();
            let top = |row: usize| logits.row(row).iter().fold(f64::MIN, |top, value| top.max(f64::from(*value)));
            let power = |at: (usize, usize)| (f64::from(logits[at]) - top(at.0)).exp();
            let total = |row: usize| (0..3).map(|column| power((row, column))).sum::<f64>();
            let own = |row: usize| f64::from(logits[[row, CLASSES[row] as usize]]);
            let surprise = |row: usize| f64::from(SHARES[row]) * (total(row).ln() + top(row) - own(row));
            let expected: f64 = (0..4).map(surprise).sum();
            assert!(
                (f64::from(data.read(CrossEntropy::LOSS).unwrap()[[]]) - expected).abs() < 1e-5 * expected.max(1.0)
            );
            for (at, found) in data.read(CrossEntropy::LOGITS_GRADIENT).unwrap().indexed_iter() {
                let is_own = if at.1 == CLASSES[at.0] as usize { 1.0 } else { 0.0 };
                let expected = f64::from(SHARES[at.0]) * (power(at) / total(at.0) - is_own);
                assert!((f64::from(*found) - expected).abs() < 1e-5, "{at:?}: {found} for {expected}");
            }
        }
    }
}

#[test]
fn labels_and_vertices_that_are_not_there_are_refused() {
    let graph = GraphBuilder::new().vertices(4).build().unwrap();
    let refused = |labels: [u32; 4], validation: Vec<u32>| {
        let (features, labels, train, test) = (rows(0), labels.to_vec(), vec![0], vec![]);
        let set = Dataset { graph: graph.clone(), features, labels, classes: 3, train, validation, test };
        ClassLoss::new(&Session::cpu().graph(&graph), &set).err().unwrap()
    };
    assert!(matches!(refused([0, 1, 3, 0], vec![]), GnnError::Label { vertex: 2, label: 3, classes: 3 }));
    assert!(matches!(refused([0, 1, 2, 0], vec![1, 4]), GnnError::NoVertex { vertex: 4, vertices: 4, .. }));
}
