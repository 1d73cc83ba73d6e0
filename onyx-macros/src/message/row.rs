//! What is said of whole rows and their products with matrices.

use std::fmt::Display;

/// A whole row where no product takes it.
pub const WHOLE_ROW: &str = "a whole row is taken by `matvec`, which makes a feature of it, `matvec(d.weight[f], d.input[v][..])`, and at a vertex by sums of products: \
     `d.weight_gradient[f] += outer(x, d.input[v][..])`, `d.input_gradient[v][..] += transpose_matvec(d.weight[f], x)`";

/// A whole row that is multiplied by something else than a matrix of the graph.
pub const PROJECTION: &str =
    "a whole row is multiplied by a `GraphMatrix<K, J>` of the data: `matvec(d.weight[f], d.input[v][..])`";

/// A whole row of something else than the function's edge or vertex.
pub const PROJECTED: &str = "say whose row it is, and take all of it: `matvec(d.weight[f], d.input[v][..])`, and `[e]`, `[e.src]` or `[e.dst]` in an edge function";

/// A row of another width that is written.
pub const INPUT_KIND: &str = "a row of another width than the functions' features is read whole, so that it is neither `Tracked` nor `Scratch`: remove this";

/// More widths than a structure may have.
pub const TOO_MANY_WIDTHS: &str = "a structure has at most three widths beside the number of features";

/// A feature of what has rows or columns of another width.
pub fn feature_of_input(property: impl Display) -> String {
    format!(
        "`{property}` has another width than the features of the function, of which `f` is one: take whole rows, `matvec(d.weight[f], d.input[v][..])`"
    )
}

/// Something else than a product that is added to what has another width.
pub fn no_product(function: impl Display, total: impl Display) -> String {
    format!(
        "`{function}` adds floats to `{total}`, which has another width than the features: it is a sum of products, \
         `d.{total}[f] += outer(x, d.input[v][..])` or `d.{total}[v][..] += transpose_matvec(d.weight[f], x)`"
    )
}

/// Products of one sum with different properties.
pub fn two_products(total: impl Display, first: &str, second: &str) -> String {
    format!(
        "`{total}` would be a sum of products with `{first}` and with `{second}`, and it is of those with one property: use two totals, and add them up"
    )
}

/// A property that cannot have rows of another width.
pub fn no_input(property: impl Display, width: impl Display, features: impl Display) -> String {
    format!(
        "`{width}` is no number of features, but how many numbers rows have that are read whole: `VertexFeatures<{width}>`, `EdgeFeatures<{width}>`, and \
         `GraphMatrix<{features}, {width}>` for their products; write `{property}<{features}>`"
    )
}
