//! What is said of reductions into the ends of edges.

use std::fmt::Display;

use crate::check::usage::Reduction;

/// Another reduction.
pub const OTHER_REDUCTION: &str = "edges that share an end are combined there in any order: use `+=`, `-=`, `*=`, `|=`, `&=`, `.min_with(x)` or `.max_with(x)`";

/// The bits of features.
pub const BITS_OF_FEATURES: &str = "`|=` and `&=` combine the bits of integers, and features are floats: reduce into a `VertexScalar<u32>`, `d.mask[e.dst] |= x`";

/// `mean_with` and its like elsewhere.
pub const STATE_ELSEWHERE: &str = "`mean_with`, `softmax_add`, `log_sum_exp_with` and `combine_with` reduce what all edges bring to an end: call them in an \
     `#[edge_fn]`, at `e.dst` or `e.src`, as in `d.mean[e.dst][f].mean_with(x)`";

/// `min_with` and `max_with` elsewhere.
pub const BOUND_ELSEWHERE: &str = "`min_with` and `max_with` reduce into an end of an edge, `d.least[e.dst][f].min_with(x)`: elsewhere assign `a.min(b)` or \
     `a.max(b)`";

/// A read of what the same function reduces.
pub fn read_reduced(property: impl Display) -> String {
    format!(
        "this function reduces into `{property}`, whose total is complete only when all edges are done: read it in a \
         `#[vertex_fn]`"
    )
}

/// An edge function that reduces into both ends.
pub fn both_ends(property: impl Display) -> String {
    format!(
        "this function reduces into the other end of its edge, too, and each edge is with one of its ends at a time: reduce into \
         `{property}` in a function of its own"
    )
}

/// A property that one function reduces in two ways.
pub fn two_operators(property: impl Display, first: &str, second: &str) -> String {
    format!(
        "this function reduces `{property}` by `{first}` and by `{second}`: keep one of them, or use two properties"
    )
}

/// A reduction with another number of arguments.
pub fn reduction_arguments(reduction: Reduction) -> String {
    match reduction {
        Reduction::Softmax => SOFTMAX_ARGUMENTS.to_owned(),
        Reduction::Own => OWN_ARGUMENTS.to_owned(),
        _ => one_argument(reduction.written()),
    }
}

const SOFTMAX_ARGUMENTS: &str =
    "`softmax_add` takes how much an edge counts, and what it brings: `d.out[e.dst][f].softmax_add(score, x)`";

const OWN_ARGUMENTS: &str = "`combine_with` takes an operator of yours, and the state that an edge brings: `d.out[e.dst][f].combine_with::<Spread>(state)`";

fn one_argument(written: &str) -> String {
    format!("`{written}` takes one argument: what an edge brings to its destination")
}
