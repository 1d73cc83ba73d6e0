//! Products of matrices in a session's memory.

mod sessions;

use std::ops::Range;

use ndarray::{Array2, s};
use onyx_gnn::optimizer::{Weights, adam};
use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::{RunError, Session};
use sessions::sessions;

fn numbers(rows: usize, columns: usize, salt: usize) -> Array2<f32> {
    Array2::from_shape_fn((rows, columns), |(row, column)| {
        ((row * 31 + column * 17 + salt * 7) % 23) as f32 / 8.0 - 1.0
    })
}

/// The product in double precision, term by term.
fn product(left: &Array2<f32>, right: &Array2<f32>) -> Array2<f64> {
    Array2::from_shape_fn((left.nrows(), right.ncols()), |(row, column)| {
        (0..left.ncols()).map(|at| f64::from(left[[row, at]]) * f64::from(right[[at, column]])).sum()
    })
}

fn agree(found: &Array2<f32>, expected: &Array2<f64>) {
    assert_eq!(found.dim(), expected.dim());
    let greatest = expected.iter().fold(1.0, |greatest: f64, value| greatest.max(value.abs()));
    found.iter().zip(expected).for_each(|(found, expected)| {
        assert!((f64::from(*found) - expected).abs() <= 1e-5 * greatest, "{found} instead of {expected}");
    });
}

#[test]
fn tensors_are_multiplied_either_way_round() {
    for session in sessions() {
        for (rows, terms, columns) in [(5, 3, 7), (700, 33, 16), (6, 9000, 5), (1, 1, 1), (0, 3, 2), (3, 0, 2)] {
            let (left, right) = (numbers(rows, terms, 1), numbers(terms, columns, 2));
            let expected = product(&left, &right);
            let tensor = |values: &Array2<f32>| {
                let mut tensor = session.tensor(values.nrows(), values.ncols()).unwrap();
                tensor.write(values.view()).unwrap();
                tensor
            };
            let (a, b, mut into) = (tensor(&left), tensor(&right), tensor(&numbers(rows, columns, 3)));
            session.multiply(a.matrix(), b.matrix(), &mut into.matrix_mut(), 0.0).unwrap();
            agree(&into.read().unwrap(), &expected);
            let turned = |values: &Array2<f32>| tensor(&values.t().as_standard_layout().to_owned());
            let (a, b) = (turned(&left), turned(&right));
            session.multiply(a.matrix().transposed(), b.matrix().transposed(), &mut into.matrix_mut(), 0.5).unwrap();
            agree(&into.read().unwrap(), &(1.5 * expected));
        }
    }
}

/// Few sums of many terms, as the gradient of weights over all vertices; what is left over of parts of the terms, and what is not.
#[test]
fn few_sums_of_many_terms_are_those_of_all_terms() {
    for session in sessions() {
        for (terms, rows, columns) in [(8191, 5, 3), (8192, 3, 4), (9001, 32, 16), (9002, 70, 40), (140_003, 5, 7)] {
            let (left, right) = (numbers(terms, rows, 1), numbers(terms, columns, 2));
            let expected = product(&left.t().as_standard_layout().to_owned(), &right);
            let tensor = |values: &Array2<f32>| {
                let mut tensor = session.tensor(values.nrows(), values.ncols()).unwrap();
                tensor.write(values.view()).unwrap();
                tensor
            };
            let (a, b, mut into) = (tensor(&left), tensor(&right), tensor(&numbers(rows + 2, columns, 3)));
            for (keep, times) in [(0.0, 1.0), (0.5, 1.5)] {
                let inside = &mut into.matrix_mut().rows(1..rows + 1).unwrap();
                session.multiply(a.matrix().transposed(), b.matrix(), inside, keep).unwrap();
                let found = into.read().unwrap();
                agree(&found.slice(s![1..=rows, ..]).to_owned(), &(times * &expected));
                assert_eq!(found.row(0), numbers(rows + 2, columns, 3).row(0));
                assert_eq!(found.row(rows + 1), numbers(rows + 2, columns, 3).row(rows + 1));
            }
        }
    }
}

#[test]
fn rows_of_properties_are_multiplied_where_they_are() {
    for session in sessions() {
        let graph = session.own(GraphBuilder::new().vertices(6).build().unwrap());
        let [mut left, mut right, mut into] = [3, 5, 5].map(|features| session.data(adam, &graph, features).unwrap());
        let (values, others) = (numbers(6, 3, 1), numbers(6, 5, 2));
        left.write(Weights::VALUE, values.view()).unwrap();
        right.write(Weights::VALUE, others.view()).unwrap();
        into.write(Weights::VALUE, numbers(6, 5, 3).view()).unwrap();
        let (a, b) = (left.matrix(Weights::VALUE).unwrap(), right.matrix(Weights::VALUE).unwrap());
        let mut rows = into.matrix_mut(Weights::VALUE).unwrap().rows(1..4).unwrap();
        session.multiply(a.rows(2..6).unwrap().transposed(), b.rows(2..6).unwrap(), &mut rows, 0.0).unwrap();
        let found = into.read(Weights::VALUE).unwrap().to_owned();
        let left = values.slice(s![2..6, ..]).t().as_standard_layout().to_owned();
        agree(&found.slice(s![1..4, ..]).to_owned(), &product(&left, &others.slice(s![2..6, ..]).to_owned()));
        // The rows around it are what they were.
        assert_eq!(found.row(0), numbers(6, 5, 3).row(0));
        assert_eq!(found.row(5), numbers(6, 5, 3).row(5));
    }
}

#[test]
fn rows_that_a_matrix_has_not_are_refused() {
    for session in sessions() {
        let mut tensor = session.tensor(4, 2).unwrap();
        let refused = tensor.matrix().rows(3..5).unwrap_err();
        let expected = "3..5 is no range of the 4 rows that the matrix has: give a range within 0..4 that does not end before it begins";
        assert_eq!(refused.to_string(), expected);
        let turned = tensor.matrix().transposed();
        assert!(matches!(turned.rows(0..3), Err(RunError::MatrixRows { begin: 0, end: 3, rows: 2 })));
        let backwards = Range { start: 3, end: 1 };
        assert!(matches!(tensor.matrix_mut().rows(backwards), Err(RunError::MatrixRows { begin: 3, end: 1, rows: 4 })));
    }
}

#[test]
fn rows_of_a_turned_matrix_are_its_columns() {
    for session in sessions() {
        let (mut from, mut into) = (session.tensor(4, 6).unwrap(), session.tensor(3, 4).unwrap());
        from.write(numbers(4, 6, 7).view()).unwrap();
        let rows = from.matrix().transposed().rows(2..5).unwrap();
        session.copy(rows, &mut into.matrix_mut()).unwrap();
        assert_eq!(into.read().unwrap(), numbers(4, 6, 7).slice(s![.., 2..5]).t());
    }
}

#[test]
fn matrices_are_copied_and_turned() {
    for session in sessions() {
        let values = numbers(4, 6, 5);
        let (mut from, mut into) = (session.tensor(4, 6).unwrap(), session.tensor(6, 4).unwrap());
        from.write(values.view()).unwrap();
        session.copy(from.matrix().transposed(), &mut into.matrix_mut()).unwrap();
        assert_eq!(into.read().unwrap(), values.t());
    }
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    let session = Session::cpu();
    let tensor = |rows, columns| session.tensor(rows, columns).unwrap();
    let (a, b, mut into) = (tensor(2, 3), tensor(4, 5), tensor(2, 5));
    let error = session.multiply(a.matrix(), b.matrix(), &mut into.matrix_mut(), 0.0).unwrap_err();
    assert!(matches!(error, RunError::Product { left: (2, 3), right: (4, 5), into: (2, 5) }), "{error}");
    let error = session.copy(a.matrix(), &mut into.matrix_mut()).unwrap_err();
    assert!(matches!(error, RunError::Copy { from: (2, 3), into: (2, 5) }), "{error}");
    let elsewhere = Session::cpu().tensor(3, 5).unwrap();
    let error = session.multiply(a.matrix(), elsewhere.matrix(), &mut into.matrix_mut(), 0.0).unwrap_err();
    assert!(matches!(error, RunError::OtherMatrix { .. }), "{error}");
    let error = into.write(ndarray::array![[1.0]].view()).unwrap_err();
    assert!(error.to_string().contains("a tensor"), "{error}");
}

/// More bytes than there can be, of which too few remain when they are counted in 64 bits.
#[test]
fn a_tensor_of_more_bytes_than_can_be_counted_is_refused() {
    for session in sessions() {
        for (rows, columns) in [(1 << 60, 4), (usize::MAX, 1), (1, usize::MAX)] {
            let error = session.tensor(rows, columns).err().unwrap();
            assert!(matches!(error, RunError::Memory(_)), "{error}");
        }
        let mut tensor = session.tensor(2, 4).unwrap();
        let error = tensor.resize(1 << 60).unwrap_err();
        assert!(matches!(error, RunError::Memory(_)), "{error}");
        assert_eq!(tensor.shape(), (2, 4));
        assert_eq!(tensor.read().unwrap().dim(), (2, 4));
    }
}
