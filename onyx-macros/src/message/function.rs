//! What is said of the form of a function.

use std::fmt::Display;

/// A function that has the wrong form: which one it should have.
pub const EDGE_SIGNATURE: &str = "an edge function is written `fn name<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool`; leave `f: \
     Feature` out if it works on scalars alone";

/// The same for a vertex function.
pub const VERTEX_SIGNATURE: &str = "a vertex function is written `fn name<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool`; leave \
     `f: Feature` out if it works on scalars alone";

/// An edge function that takes a vertex.
pub const VERTEX_IN_EDGE_FUNCTION: &str =
    "an edge function receives an edge: write `e: Edge`, or mark the function with `#[vertex_fn]`";

/// A vertex function that takes an edge.
pub const EDGE_IN_VERTEX_FUNCTION: &str =
    "a vertex function receives a vertex: write `v: Vertex`, or mark the function with `#[edge_fn]`";

/// A parameter after the data.
pub const FURTHER_PARAMETER: &str =
    "a function gets all values from the data: declare a property, such as `alpha: Parameter`, and read `d.alpha`";

/// Data that is not taken by `&mut`.
pub const DATA_BY_REFERENCE: &str = "take the graph data by mutable reference: `d: &mut Data<K>`";

/// A parameter that is a pattern.
pub const PARAMETER_NAME: &str = "give the parameter a plain name, such as `d`";

/// An edge function without a return type.
pub const EDGE_RETURN: &str = "an edge function returns `bool`: write `-> bool`; `true` activates the edge's destination, \
                               `false` stops the later functions of the stage on this edge";

/// A vertex function without a return type.
pub const VERTEX_RETURN: &str = "a vertex function returns `bool`: write `-> bool`; `true` means that the vertex has \
                                 changed and activates it, `false` stops the later functions of the stage on this vertex";

/// A body that ends without a value.
pub const NO_VALUE: &str = "end the function with the `bool` that it returns, such as `true`";

/// `const`, `async`, `unsafe`, `extern`, variadic.
pub const PLAIN_FUNCTION: &str = "an Onyx function is a plain `fn`: remove this";

/// Generics other than one constant.
pub const GENERICS: &str = "the only generic parameters that Onyx knows are the number of features, `<const K: usize>`, after it other widths, \
     `const J: usize`, and compile-time parameters of functions, `const NAME: bool`";

/// A type in place of the number of features.
pub fn constant(name: impl Display) -> String {
    format!("the number of features is a constant: write `const {name}: usize`")
}

/// A where clause.
pub const WHERE_CLAUSE: &str = "remove the `where` clause: the number of features is the only generic parameter";

/// A function of `K` whose data is not.
pub const DATA_WITHOUT_WIDTH: &str =
    "pass the number of features on to the graph data, `&mut Data<K>`, or remove `<const K: usize>`";

/// Data of `K` whose function is not.
pub const FUNCTION_WITHOUT_WIDTH: &str =
    "make the function generic over the number of features: `fn name<const K: usize>(…, d: &mut Data<K>) -> bool`";

/// Arguments of an attribute that takes none.
pub const NO_ARGUMENTS: &str = "this attribute takes no arguments: remove them";

/// A function of an `impl`.
pub const RECEIVER: &str = "an Onyx function stands in a module, not in an `impl`: write `d: &mut Data<K>` in place of `self`, as the last parameter";

/// Something that is not a function.
pub const NOT_A_FUNCTION: &str = "this attribute belongs on a `fn`";

/// A second declaration of a parameter's name.
pub fn rebound(name: impl Display) -> String {
    format!("`{name}` is the name of a parameter of this function: choose another one")
}
