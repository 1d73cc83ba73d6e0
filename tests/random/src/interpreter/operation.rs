//! Collaborative operations, as sums and loops over the features.

use crate::float::Float;
use crate::operation::Operation;
use crate::total::{Product, Sum};
use crate::value::Value;

/// Applies an operation to its arguments, each by feature.
pub(super) fn apply(of: Operation, arguments: &[Vec<Value>]) -> Vec<Value> {
    let first = &arguments[0];
    let floats = || first.iter().map(Value::float);
    let same = |float: Float| vec![Value::Float(float); first.len()];
    match of {
        Operation::Sum => same(Sum::of(floats())),
        Operation::Product => same(product(floats())),
        Operation::Min => same(floats().reduce(Float::least).expect("a feature")),
        Operation::Max => same(floats().reduce(Float::greatest).expect("a feature")),
        Operation::Norm2 => same(Sum::of(floats().map(|x| x.times(x))).sqrt()),
        Operation::LogSumExp => same(log_sum_exp(&floats().collect::<Vec<_>>())),
        Operation::Argmax => vec![Value::Count(argmax(&floats().collect::<Vec<_>>())); first.len()],
        Operation::Dot => same(dot(floats(), &arguments[1])),
        Operation::Any => vec![Value::Flag(first.iter().any(Value::flag)); first.len()],
        Operation::All => vec![Value::Flag(first.iter().all(Value::flag)); first.len()],
        Operation::Broadcast => same(first.get(arguments[1][0].count() as usize).map_or(Float::ZERO, Value::float)),
        Operation::Normalize => normalize(&floats().collect::<Vec<_>>()),
        Operation::Softmax => softmax(&floats().collect::<Vec<_>>()),
        _ => of_matrices(of, arguments),
    }
}

fn product(floats: impl Iterator<Item = Float>) -> Float {
    let mut product = Product::NOTHING;
    floats.for_each(|float| product.multiply(float));
    product.total()
}

fn dot(left: impl Iterator<Item = Float>, right: &[Value]) -> Float {
    Sum::of(left.zip(right).map(|(a, b)| a.times(b.float())))
}

fn argmax(floats: &[Float]) -> u32 {
    let greater = |best: usize, feature: usize| {
        if floats[best].compared(floats[feature], f64::lt) { feature } else { best }
    };
    (1..floats.len()).fold(0, greater) as u32
}

/// The exponentials of what lies above the greatest, which is added again by some.
fn exponentials(floats: &[Float]) -> (Float, Vec<Float>) {
    let greatest = floats.iter().copied().reduce(Float::greatest).expect("a feature");
    (greatest, floats.iter().map(|x| x.plus(greatest.negated()).exp()).collect())
}

fn log_sum_exp(floats: &[Float]) -> Float {
    let (greatest, exponentials) = exponentials(floats);
    Sum::of(exponentials).ln().plus(greatest)
}

fn softmax(floats: &[Float]) -> Vec<Value> {
    let (_, exponentials) = exponentials(floats);
    let sum = Sum::of(exponentials.iter().copied());
    exponentials.into_iter().map(|x| Value::Float(x.divided_by(sum))).collect()
}

fn normalize(floats: &[Float]) -> Vec<Value> {
    let sum = Sum::of(floats.iter().copied());
    let is_zero = sum.compared(Float::ZERO, f64::eq);
    floats
        .iter()
        .map(|x| Value::Float(if is_zero { *x } else { Float::inexact(x.value / sum.value, x.divided_by(sum).error) }))
        .collect()
}

fn of_matrices(of: Operation, arguments: &[Vec<Value>]) -> Vec<Value> {
    let first = &arguments[0];
    let size = first.len();
    let second = || arguments[1].iter().map(Value::float).collect::<Vec<Float>>();
    let entry = |row: usize, column: usize| first[row].row()[column];
    match of {
        Operation::Outer => {
            let other = second();
            first.iter().map(|a| Value::Row(other.iter().map(|b| a.float().times(*b)).collect())).collect()
        }
        Operation::Diagonal => {
            let at = |row: usize, column: usize| if row == column { first[row].float() } else { Float::ZERO };
            (0..size).map(|row| Value::Row((0..size).map(|column| at(row, column)).collect())).collect()
        }
        Operation::Matvec => products(size, &second(), entry).map(|terms| Value::Float(Sum::of(terms))).collect(),
        Operation::TransposeMatvec => products(size, &second(), |row, column| entry(column, row))
            .map(|terms| Value::Float(Sum::of(terms)))
            .collect(),
        Operation::MaxMatvec => {
            let greatest = |terms: Vec<Float>| terms.into_iter().reduce(Float::greatest).expect("a feature");
            products(size, &second(), entry).map(|terms| Value::Float(greatest(terms))).collect()
        }
        Operation::Solve => solved(first, &second()).into_iter().map(Value::Float).collect(),
        _ => inverse(first),
    }
}

/// For each row, the products of its entries and the other's.
fn products(size: usize, other: &[Float], entry: impl Fn(usize, usize) -> Float) -> impl Iterator<Item = Vec<Float>> {
    (0..size).map(move |row| (0..size).map(|column| entry(row, column).times(other[column])).collect())
}

fn inverse(matrix: &[Value]) -> Vec<Value> {
    let size = matrix.len();
    let unit = |at: usize| (0..size).map(|row| Float::new(if row == at { 1.0 } else { 0.0 })).collect::<Vec<_>>();
    let columns: Vec<Vec<Float>> = (0..size).map(|column| solved(matrix, &unit(column))).collect();
    (0..size).map(|row| Value::Row((0..size).map(|column| columns[column][row]).collect())).collect()
}

/// The solution of a system by Gauss and Jordan, of a matrix that needs no pivots.
///
/// The programs' matrices have condition numbers below a hundred, so that an error of the 20th bit is more than enough.
fn solved(matrix: &[Value], right: &[Float]) -> Vec<Float> {
    let size = matrix.len();
    let mut rows: Vec<Vec<f64>> = matrix
        .iter()
        .zip(right)
        .map(|(row, right)| row.row().iter().map(|x| x.value).chain([right.value]).collect())
        .collect();
    for pivot in 0..size {
        for row in (0..size).filter(|row| *row != pivot) {
            let pivots = rows[pivot].clone();
            let factor = rows[row][pivot] / pivots[pivot];
            let columns = rows[row].iter_mut().zip(&pivots).skip(pivot);
            columns.for_each(|(value, pivot)| *value -= factor * pivot);
        }
    }
    let solution: Vec<f64> = rows.iter().enumerate().map(|(row, values)| values[size] / values[row]).collect();
    let scale = solution.iter().fold(0.0_f64, |scale, x| scale.max(x.abs()));
    let inexact = right.iter().fold(0.0_f64, |most, x| most.max(x.error));
    solution.into_iter().map(|x| Float::inexact(x, 1.0e-4 * scale + inexact)).collect()
}
