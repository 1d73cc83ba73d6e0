//! A compiled program, as a check reaches it.

use std::ops::ControlFlow;

use onyx_device::property::Key;
use onyx_device::{Fold, FoldOf};
use onyx_random::limits::{COLUMNS, lift};
use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::{Array2, Ix2};
use onyx_runtime::{Options, Report, RunError, Session, Shaped, Store, converge};

/// A compiled program.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The name that it was drawn by.
    pub name: &'static str,
    /// Whether it may be pushed.
    pub pushes: bool,
    /// Makes a store for so many heads of so many features each.
    pub store: fn(&Graph, usize, usize) -> Result<Store, RunError>,
    /// Runs it.
    pub run: fn(&Graph, &mut Store, &Options) -> Result<Report, RunError>,
    /// Sets the numbers that a property has at a vertex or an edge. All that there are fit into an `f64`.
    pub put: fn(&mut Store, usize, usize, &[f64]),
    /// The numbers that a property has at a vertex or an edge.
    pub get: fn(&Store, usize, usize) -> Vec<f64>,
}

/// Runs a fold without looking on.
///
/// # Errors
/// As [`converge`].
pub fn run<F: Fold>(fold: F, graph: &Graph, store: &mut Store, options: &Options) -> Result<Report, RunError> {
    converge(fold, graph, store, options, &mut |_| ControlFlow::Continue(()))
}

/// A store of a fold that makes features of rows of another width by a matrix.
///
/// # Errors
/// As [`Session::data_of_widths`].
pub fn lifted<D, F: FoldOf<D>, P>(fold: F, matrix: Key<D, P>, graph: &Graph, features: usize) -> Result<Store, RunError>
where
    P: Shaped<Number = f32, Dimension = Ix2>,
{
    let session = Session::cpu();
    let resident = session.graph(graph);
    let mut data = session.data_of_widths(fold, &resident, &[features, COLUMNS])?;
    let lift = Array2::from_shape_fn((features, COLUMNS), |(feature, column)| lift(feature, column) as f32);
    data.write(matrix, &lift)?;
    data.into_store()
}

/// Numbers as single floats.
pub fn singles(numbers: &[f64]) -> Vec<f32> {
    numbers.iter().map(|number| *number as f32).collect()
}

/// Single floats as the numbers that they are.
pub fn doubles(floats: Vec<f32>) -> Vec<f64> {
    floats.into_iter().map(f64::from).collect()
}

/// Sets the numbers that a vertex or an edge has for each head, one after the other.
pub fn set_heads<T: Copy>(numbers: &mut [T], at: usize, values: &[T]) {
    numbers[at * values.len()..][..values.len()].copy_from_slice(values);
}

/// The numbers that a vertex or an edge has for each head.
pub fn heads<T: Copy>(numbers: &[T], at: usize, heads: usize) -> Vec<T> {
    numbers[at * heads..][..heads].to_vec()
}

/// The case of a fold, with the functions that reach its properties.
macro_rules! of {
    ($fold:ident, $name:literal, none, $put:ident, $get:ident) => {
        $crate::case::of!(
            $fold,
            $name,
            (|graph, heads, features| onyx_runtime::Store::of_heads($fold, graph, heads, features)),
            $put,
            $get
        )
    };
    ($fold:ident, $name:literal, $lift:path, $put:ident, $get:ident) => {
        $crate::case::of!(
            $fold,
            $name,
            (|graph, _, features| $crate::case::lifted($fold, $lift, graph, features)),
            $put,
            $get
        )
    };
    ($fold:ident, $name:literal, ($store:expr), $put:ident, $get:ident) => {
        $crate::case::Case {
            name: $name,
            pushes: <$fold as onyx_device::Fold>::PUSHES,
            store: $store,
            run: |graph, store, options| $crate::case::run($fold, graph, store, options),
            put: $put,
            get: $get,
        }
    };
}
pub(crate) use of;
