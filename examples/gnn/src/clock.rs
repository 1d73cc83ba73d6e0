//! The number of the step of training, where the folds run: nothing that changes with it comes from the host.

use onyx_device::prelude::*;

/// A graph of one vertex, which counts.
#[graph_data]
pub struct Clock {
    /// How many steps have begun.
    pub step: VertexScalar,
}

#[vertex_fn]
fn count(v: Vertex, d: &mut Clock) -> bool {
    d.step[v] += 1.0;
    true
}

foldmap! {
    /// Begins a step.
    pub tick(Clock) = [count]
}
