//! The number of the step of training, and what becomes of it, where the folds run: nothing that changes with a step comes from the host.

use onyx_device::prelude::*;

/// A graph of one vertex, which counts.
#[graph_data]
pub struct Clock {
    /// How many steps have begun.
    pub step: VertexScalar,
    /// The loss that the last step was to be taken by.
    pub loss: GraphScalar,
    /// The first step whose loss was not finite, 0 as long as there is none.
    pub bad_step: VertexScalar,
    /// Its loss.
    pub bad_loss: VertexScalar,
    /// What weights do: learn by this step where it is above 0, go back to before the last one where it is below 0, stay as they are where it is 0.
    pub learning: VertexScalar,
}

#[vertex_fn]
fn count(v: Vertex, d: &mut Clock) -> bool {
    d.step[v] += 1.0;
    true
}

/// A loss that is not finite is that of the weights that the step before has left: they go back by one, and learn no more. The first step has found
/// them as they were given.
#[vertex_fn]
#[allow(clippy::eq_op)]
fn decide(v: Vertex, d: &mut Clock) -> bool {
    let (step, bad) = (d.step[v], d.bad_step[v]);
    // Of what is not finite, the difference from itself is not 0.
    let is_finite = d.loss - d.loss == 0.0;
    let is_first = bad == 0.0 && !is_finite;
    d.bad_loss[v] = if is_first { d.loss } else { d.bad_loss[v] };
    d.bad_step[v] = if is_first { step } else { bad };
    let back = if is_first && step > 1.0 { -1.0 } else { 0.0 };
    d.learning[v] = if bad == 0.0 && is_finite { step } else { back };
    true
}

foldmap! {
    /// Begins a step.
    pub tick(Clock) = [count]
}

foldmap! {
    /// Says what becomes of a step by its loss.
    pub judge(Clock) = [decide]
}
