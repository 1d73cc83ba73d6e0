//! A compiled program, as a check reaches it.

use std::ops::ControlFlow;

use onyx_device::Fold;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, Report, RunError, Store, converge};

/// A compiled program.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The name that it was drawn by.
    pub name: &'static str,
    /// Whether it may be pushed.
    pub pushes: bool,
    /// Makes a store for so many features.
    pub store: fn(&Graph, usize) -> Result<Store, RunError>,
    /// Runs it.
    pub run: fn(&Graph, &mut Store, &Options) -> Result<Report, RunError>,
    /// Sets the floats that a property has at a vertex or an edge.
    pub put: fn(&mut Store, usize, usize, &[f32]),
    /// The floats that a property has at a vertex or an edge.
    pub get: fn(&Store, usize, usize) -> Vec<f32>,
}

/// Runs a fold without looking on.
///
/// # Errors
/// As [`converge`].
pub fn run<F: Fold>(fold: F, graph: &Graph, store: &mut Store, options: &Options) -> Result<Report, RunError> {
    converge(fold, graph, store, options, &mut |_| ControlFlow::Continue(()))
}

/// The case of a fold, with the functions that reach its properties.
macro_rules! of {
    ($fold:ident, $name:literal, $put:ident, $get:ident) => {
        $crate::case::Case {
            name: $name,
            pushes: <$fold as onyx_device::Fold>::PUSHES,
            store: |graph, features| onyx_runtime::Store::new($fold, graph, features),
            run: |graph, store, options| $crate::case::run($fold, graph, store, options),
            put: $put,
            get: $get,
        }
    };
}
pub(crate) use of;
