//! What is said of gradients and derivatives.

use std::fmt::Display;

/// An empty list of gradients.
pub const NO_GRADIENT: &str = "name properties that the fold reads in brackets, one at least: `gradient = [x]`";

/// Derivatives of no function.
pub const NO_DERIVATIVES: &str =
    "name a plain function, and the one that computes its derivative: `derivative = [softplus = softplus_slope]`";

/// A derivative of something else than the function's arguments or its value.
pub const DERIVATIVE_TAKES: &str = "what computes a derivative takes the function's arguments, `sigmoid_slope`, or its value in place of the first one, `sigmoid_slope(value)`";

/// Derivatives without a gradient.
pub const DERIVATIVE_ALONE: &str = "a derivative is for a gradient: name the properties that this is asked of, `gradient = [x]`, or leave `derivative` out";

/// The gradient of a fold along the edges of active sources.
pub const GRADIENT_ACTIVE: &str =
    "the gradient of a fold is over all of its edges: leave `edges = active` out, or `gradient`";

/// A loop in a function whose gradient is asked for.
pub const GRADIENT_LOOP: &str = "the gradient of a loop is not derived: write its turns out, or move it to a plain function, and give its derivative if it has one, `derivative = [function = slope]`";

/// A way out of a function other than at its end.
pub const GRADIENT_RETURN: &str = "the gradient is derived where a function returns at its end, or at the end of an `if` without `else`: write `if` and `else`";

/// A value that is taken apart or put together.
pub const GRADIENT_PATTERN: &str = "the gradient is derived of floats in variables and properties of their own: write `let x = ..;` for each, and `x = ..` outside of expressions";

/// A name for a part of what is matched.
pub const GRADIENT_BOUND: &str = "the gradient of what a pattern takes apart is not derived, nor of what it binds beside a condition: match whole values, as in `n if n > 1`, or take the value apart before, `let x = ..;`";

/// A total by an operator of the user's, or one of the graph that is no sum.
pub const GRADIENT_REDUCTION: &str = "the gradient of a total over edges is derived for sums, products, means, minima, maxima, `softmax_add` and `log_sum_exp_with`, of the graph and of tables for sums, minima and maxima: use these, or hold what is reduced constant, `constant(x)`";

/// The gradient of a fold that sets or clears bits over edges.
pub const GRADIENT_BITS: &str = "a gradient says nothing of the bits that edges set or clear: reduce them by a fold of their own, and read what comes of it";

/// A float with a gradient that multiplies or divides the row of a matrix.
pub const GRADIENT_SCALE: &str = "the gradient of a float that scales the row of a matrix is derived where `outer` makes the row, or `matvec` or `solve` takes it, in the same function and outside of branches: scale the vector, as in `size * matvec(M, x)`, or hold it constant, `constant(x)`";

/// A mean over some edges alone.
pub const GRADIENT_MEAN: &str =
    "the gradient of `mean_with` is derived where every edge takes part: call it outside of branches";

/// A softmax over edges whose weights are not known afterwards.
pub const GRADIENT_SOFTMAX: &str = "the gradient of `softmax_add` needs the log-sum of the same score, kept in the same function and outside of branches: `let score = ..;`, then \
     `d.log_sum[e.dst].log_sum_exp_with(score)` beside `d.out[e.dst][f].softmax_add(score, x)`";

/// What is read at the reverse edge by a function whose gradient needs the edge's number.
pub const GRADIENT_REVERSE: &str = "the gradient of what is read at `e.rev` needs the number of that edge, since `e.id` is part of it: keep what comes of the number in a property of the edge, or hold what is read constant, `constant(x)`";

/// The gradient of what is read at a vertex that is computed.
pub const GRADIENT_COMPUTED: &str = "the gradient of what is read at a vertex that a function computes is not derived, since no function may add to it there: read it along \
     edges, or in a function of another fold";

/// The gradient of a row that only some edges or vertices read.
pub const GRADIENT_ROW: &str = "the gradient of a row of a table is derived where every edge or vertex reads one: read it outside of branches, `let row = d.relation[i][f];`";

/// The gradient of what the structure has not.
pub fn gradient_unknown(name: impl Display, structure: impl Display) -> String {
    format!("`{name}` is no property of `{structure}`: name what the gradient is asked of")
}

/// The gradient of what has none.
pub fn gradient_impossible(name: impl Display) -> String {
    format!(
        "`{name}` can have no gradient: it is asked of floats of vertices, edges and the graph that are not `Scratch`"
    )
}

/// The gradient of a number of the graph where rows are heads.
pub fn gradient_of_heads(name: impl Display) -> String {
    format!(
        "`{name}` is one number for all heads, and nothing holds a part of its gradient for each: make it a `GraphFeatures<K>`, of which each head has its \
         own, or leave it out of the gradient"
    )
}

/// The gradient of what the fold writes.
pub fn gradient_written(name: impl Display) -> String {
    format!("`{name}` is written by the fold: ask for the gradient of what it reads alone")
}

/// The gradient of what nothing depends on.
pub fn gradient_independent(name: impl Display) -> String {
    format!("nothing that the fold leaves depends on `{name}`: leave it out of the gradient")
}

/// Several functions that would add to one total of the graph.
pub fn gradient_shared(name: impl Display) -> String {
    format!(
        "the gradient of `{name}` would come from several functions, and one alone adds to a total of the graph: read `{name}` in one \
         function, or give each a property of its own"
    )
}

/// A gradient that would be a sum of products with several properties.
pub fn gradient_of_products(name: impl Display) -> String {
    format!(
        "the gradient of `{name}` would come from several products, and a sum of products with rows of another width is of one: multiply `{name}` once, in \
         a vertex function, and read what comes of it; or give each product a property of its own"
    )
}

/// The gradient of the gradient of a product with a row of another width.
pub fn gradient_of_product(name: impl Display) -> String {
    format!("`{name}` is a sum of products with rows of another width, of which no gradient is derived")
}

/// The gradient of a product with a row of an edge.
pub fn gradient_of_edge_row(name: impl Display) -> String {
    format!(
        "no gradient is derived of products with rows of an edge, `{name}`: they are added up of one contribution a vertex, and these would need one an edge"
    )
}

/// The gradient of what multiplies rows of half precision.
pub fn gradient_by_half(name: impl Display) -> String {
    format!(
        "the gradient of the matrix is a sum of products with rows of single precision, and `{name}` is of half precision: hold `{name}` as `f32`, or the matrix \
         constant, `constant(x)`"
    )
}

/// A property for the adjoint of one with another width that is not declared.
pub fn gradient_missing_alike(of: impl Display, name: impl Display, structure: impl Display) -> String {
    format!(
        "the gradient needs a property for what comes of `{of}`: add `{name}`, of the type of `{of}` in `f32`, to `{structure}`"
    )
}

/// A property for an adjoint that is not declared.
pub fn gradient_missing(of: impl Display, name: impl Display, kind: impl Display, structure: impl Display) -> String {
    format!("the gradient needs a property for what comes of `{of}`: add `{name}: {kind}` to `{structure}`")
}

/// What a gradient is asked for has no memory.
pub fn gradient_scratch(name: impl Display) -> String {
    format!(
        "`{name}` is what the gradient is asked for, and scratch lives inside a fold: remove `Scratch`, so that its values last"
    )
}

/// What is declared for the dot product of a total and its adjoint is of another type.
pub fn gradient_dot(of: impl Display, name: impl Display, kind: impl Display) -> String {
    format!(
        "`{name}` is for the dot product of each vertex's `{of}` and its adjoint, which edges need for their scores: make it `{name}: {kind}`, or \
         give it another name"
    )
}

/// An operation that makes a matrix whose adjoint is not known as a sum of outer products.
pub fn gradient_of_matrix(what: impl Display) -> String {
    format!(
        "the gradient of `{what}` is derived where `matvec` or `solve` takes its matrix, in the same function and outside of branches: have it \
         taken there, or hold it constant, `constant(x)`"
    )
}

/// Something without a known derivative.
pub fn no_derivative(what: impl Display) -> String {
    format!(
        "the derivative of `{what}` is not known: write it with what *Gradients* of the reference lists or in a plain function whose derivative you give, \
         `derivative = [function = slope]`, or hold it constant, `constant(x)`"
    )
}

/// A plain function whose derivative nobody gives.
pub fn no_derivative_of_call(function: impl Display) -> String {
    format!(
        "the derivative of `{function}` is not known: give it beside the gradient, `derivative = [{function} = slope]`, by a plain function of the same \
         arguments, which returns the derivative, or an array of one for each of several arguments; or hold the value constant, `constant(x)`"
    )
}

/// Two derivatives of one function.
pub fn derivative_twice(function: impl Display) -> String {
    format!("the derivative of `{function}` is given twice: keep one of them")
}

/// The derivative of what is not called.
pub fn derivative_unused(function: impl Display) -> String {
    format!("no function of this fold calls `{function}`: name it as they call it, or leave it out")
}

/// A value that is gone when the gradient is computed.
pub fn gradient_overwritten(name: impl Display) -> String {
    format!(
        "the gradient needs the `{name}` that is read here, and the fold writes it afterwards: write the new value to a property of \
         its own"
    )
}

/// A function that may stop another one.
pub fn gradient_stops(name: impl Display) -> String {
    format!(
        "`{name}` may return false, which stops functions after it: end it with `true`, so that the gradient knows what runs"
    )
}
