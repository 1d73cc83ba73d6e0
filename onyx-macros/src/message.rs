//! Every diagnostic of the macros. Each says what to write instead.

use std::fmt::Display;

use crate::check::usage::Reduction;

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

/// A fold that has the name of its structure, or of one of its functions.
pub fn name_of_item(name: impl Display) -> String {
    format!("`{name}` is the name of the fold and of an item in it: give the fold another name")
}

/// A where clause.
pub const WHERE_CLAUSE: &str = "remove the `where` clause: the number of features is the only generic parameter";
/// A function of `K` whose data is not.
pub const DATA_WITHOUT_WIDTH: &str =
    "pass the number of features on to the graph data, `&mut Data<K>`, or remove `<const K: usize>`";
/// Data of `K` whose function is not.
pub const FUNCTION_WITHOUT_WIDTH: &str =
    "make the function generic over the number of features: `fn name<const K: usize>(…, d: &mut Data<K>) -> bool`";

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

/// The name of another width in a body.
pub fn input_width(width: impl Display) -> String {
    format!(
        "`{width}` is how many numbers a whole row has, which no function sees, since `matvec` takes all of them: declare a `Parameter` where you need the number"
    )
}

/// A property that cannot have rows of another width.
pub fn no_input(property: impl Display, width: impl Display, features: impl Display) -> String {
    format!(
        "`{width}` is no number of features, but how many numbers rows have that are read whole: `VertexFeatures<{width}>`, `EdgeFeatures<{width}>`, and \
         `GraphMatrix<{features}, {width}>` for their products; write `{property}<{features}>`"
    )
}

/// Fields without names.
pub const NAMED_FIELDS: &str =
    "graph data has named fields, one for each property: `rank: VertexScalar, weight: EdgeScalar`";
/// Something that is not a structure.
pub const NOT_A_STRUCTURE: &str = "`#[graph_data]` belongs on a `struct` with named fields, one for each property";
/// A structure without fields.
pub const NO_PROPERTIES: &str = "graph data needs at least one property, such as `rank: VertexScalar`";
/// A structure with too many fields.
pub const TOO_MANY_PROPERTIES: &str = "graph data has at most 64 properties, of which what the whole graph has, but for parameters, and rows of another width count twice: split it into two structures";
/// A field that is there in some builds alone.
pub const CONDITIONAL_PROPERTY: &str =
    "a property is there in every build: remove this, or put it on the whole structure";
/// Two types of one property's values.
pub const SECOND_TYPE: &str = "the values of a property are of one type: remove the second one";
/// Arguments of an attribute that takes none.
pub const NO_ARGUMENTS: &str = "this attribute takes no arguments: remove them";
/// A function of an `impl`.
pub const RECEIVER: &str = "an Onyx function stands in a module, not in an `impl`: write `d: &mut Data<K>` in place of `self`, as the last parameter";
/// Something that is not a function.
pub const NOT_A_FUNCTION: &str = "this attribute belongs on a `fn`";

/// A fold without functions.
pub const NO_FUNCTIONS: &str = "name at least one function: `[spread, absorb]`";
/// A fold with too many functions.
pub const TOO_MANY_FUNCTIONS: &str = "a fold has at most 48 functions: write two folds, and run one after the other";
/// Widths that no row of lanes has.
pub const WIDTH: &str = "a compiled number of features is a power of two from 1 to 128, or a multiple of 128 up to 2048; other counts run padded to the next one";
/// Wide rows where a lane could not have its part in registers.
pub const WIDE_WIDTH: &str = "more than 128 features are compiled for rows that a warp shares, without matrices: leave this number out, or `features_per_lane = all`";
/// Widths that do not ascend.
pub const WIDTH_ORDER: &str = "write the numbers of features in ascending order, each once";
/// No widths.
pub const NO_WIDTHS: &str = "write numbers of features in brackets, one at least: `features = [4, 16]`";
/// Widths of a fold without features.
pub const SCALAR_WIDTHS: &str =
    "the fold has no number of features: leave `features` out, or write `name<const K: usize>(Data<K>)`";
/// A fold of data with features that is not generic.
pub const FOLD_WITHOUT_WIDTH: &str =
    "make the fold generic over the number of features: `name<const K: usize>(Data<K>) = […]`";
/// A fold that is generic, of data without features.
pub const FOLD_DATA_WITHOUT_WIDTH: &str =
    "pass the number of features on to the graph data, `name<const K: usize>(Data<K>)`, or remove `<const K: usize>`";
/// An alias of data with another number of features than the fold.
pub const FOLD_WIDTH: &str =
    "this has another number of features than the fold: name the `#[graph_data]` structure itself, `Data<K>`";
/// More compile-time parameters than a function may have.
pub const TOO_MANY_SWITCHES: &str =
    "a function has at most 4 compile-time parameters: each doubles the number of functions to compile";
/// Another value of a compile-time parameter.
pub const SWITCH: &str = "write the values of compile-time parameters as `true` or `false`: `send::<true, false>`";
/// Another option.
pub const FOLD_OPTION: &str = "the options of a fold are `features = [1, 2, 4]`, `features_per_lane = 1`, `edges = active`, `gradient = [x]` and `derivative = [function = slope]`";
/// A number of features that no lane can have.
pub const FEATURES_PER_LANE: &str = "a lane has 1, 2, 4, 8 or `all` features of a row: `features_per_lane = 1`, or `[2, 1, 1]` with a number for each of `features`";
/// A list of numbers that is not as long as that of the widths.
pub fn numbers_of_lanes(numbers: usize, widths: usize) -> String {
    format!(
        "this list has length {numbers}, and `features` has length {widths}: write a number for each of them, or one for all, `features_per_lane = 1`"
    )
}

/// Something else than `active`, `all` and `changed`.
pub const FOLD_EDGES: &str = "write `edges = all`, `edges = active` or `edges = changed`";
/// Before the reason why changes alone cannot be propagated.
pub const NO_CHANGES: &str = "changes alone cannot be propagated, because ";
/// Something else than the declaration of a fold.
pub const FOLD_FORM: &str = "a fold is written `name<const K: usize>(Data<K>) = [spread, absorb]; features = [4, 16]`: its name, its data in parentheses, \
     its functions in brackets, and its options after a `;`";
/// Something else than the names of functions.
pub const FUNCTION_LIST: &str = "write the names of functions in brackets, with `,` between them, and `;` where a stage ends: `[spread, absorb; mix]`";
/// An option before the functions, or among them.
pub const OPTION_PLACE: &str =
    "options stand after the functions: `name<const K: usize>(Data<K>) = [spread, absorb]; features = [4, 16]`";
/// Something else than `;` before an option.
pub const OPTION_SEPARATOR: &str =
    "write `;` before each option: `[spread, absorb]; features = [4, 16]; edges = active`";
/// A word before the list of functions.
pub const FOLD_WORD: &str = "only `unfolded` may stand before the functions: `= unfolded [spread, absorb]`";

/// The whole data.
pub const WHOLE_DATA: &str = "the graph data is only reached through its properties, such as `d.label[v][f]`: it cannot be passed on, borrowed or \
     copied";
/// A property without a name.
pub const PROPERTY_NAME: &str = "name the property: `d.label`";
/// The feature before the vertex, or without one.
pub const FEATURE_FIRST: &str = "say whose feature first, then which one: `d.label[v][f]`, `d.label[e.src][f]`";
/// Another feature than the function's own.
pub const OTHER_FEATURE: &str = "a function touches its own feature alone: index with its `Feature` parameter; for a value \
                                 of all features use an operation such as `sum(..)`, for another feature's `broadcast(x, i)`";
/// A feature in a function that has none.
pub const NO_FEATURE: &str = "to use features, add the parameter `f: Feature` in front and index with `[f]`";
/// A collaborative operation in a function without features.
pub const OPERATION_WITHOUT_FEATURE: &str =
    "this works across the features of a vertex or an edge: add the parameter `f: Feature` in front";
/// Another vertex in a vertex function.
pub const OTHER_VERTEX: &str = "a vertex function touches its own vertex alone; what comes from neighbors is gathered by an `#[edge_fn]`, and what another vertex has is read at `Vertex(i)`";
/// Another element in an edge function.
pub const OTHER_ELEMENT: &str = "an edge function touches its own edge, the reverse edge and its two ends alone: index with `e`, `e.rev`, `e.src` or `e.dst`, or read what another vertex has at `Vertex(i)`";
/// A field of an edge or a vertex that is none.
pub fn field(name: impl Display, element: impl Display) -> String {
    format!("what an edge or a vertex has is a property of the data: write `d.{name}[{element}]`")
}

/// A method of an edge or a vertex.
pub const ELEMENT_METHOD: &str = "an edge or a vertex has no such method: what comes from neighbors is reduced by an `#[edge_fn]`, which runs for each edge, `d.sum[e.dst][f] += d.x[e.src][f]`";

/// A variable in place of an edge or a vertex.
pub fn stand_in(name: impl Display, place: &str) -> String {
    format!("an index names an edge or a vertex itself, and not by a variable: write `{place}` in place of `{name}`")
}

/// An edge or a vertex in place of a number.
pub fn no_number(element: &str, number: &str) -> String {
    format!("`{element}` is no number: write `{number}` for its number, and `Vertex(i)` for the vertex of a number `i`")
}

/// A write to the reverse edge.
pub const WRITE_REVERSE: &str = "an edge function cannot write at `e.rev`, which runs at the same time: write the function's own edge, \
                                 `d.message[e][f] = x`";
/// A write at a vertex that is computed.
pub const WRITE_COMPUTED: &str = "what is at a vertex that a function computes is read alone, since several functions may come there at once: write the function's own \
                                  edge or vertex, or reduce into an end of an edge";
/// A row of a table that is assigned.
pub const WRITE_ROW: &str = "several functions may come to one row of a table at once: add to it, `d.total[i][f] += x`, `d.total[i][f].min_with(x)` or \
     `d.total[i][f].max_with(x)`";
/// An index that differs between features.
pub const INDEX_DIFFERS: &str = "which vertex or which row it is must be the same for all features: compute it from scalars, parameters or the results of collaborative operations \
     such as `argmax(..)`";
/// A plain assignment to the source.
pub const ASSIGN_SOURCE: &str =
    "edges that share a source run at once: add to it with `+=`, or assign it in a `#[vertex_fn]`";
/// A plain assignment to the destination.
pub const ASSIGN_DESTINATION: &str =
    "edges that share a destination run at once: add to it with `+=`, or assign it in a `#[vertex_fn]`";
/// An assignment to what the whole graph has for each feature.
pub const WRITE_GRAPH_ROW: &str = "say whose feature it is, `d.label[v][f] = x`; what the whole graph has is set before a run, or is a total that functions add to, \
     `d.total[f] += x`";
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
/// A feature to broadcast that differs.
pub const BROADCAST_DIFFERS: &str = "which feature is broadcast must be the same for all features: name it by a number, a parameter or the result of a \
     collaborative operation such as `argmax(..)`";
/// An assignment to a parameter.
pub const WRITE_PARAMETER: &str = "what the whole graph has is set before a run, or is a total that functions add to: `d.total += x`, `d.total.min_with(x)` or \
     `d.total.max_with(x)`";
/// A property inside a pattern of an assignment.
pub const DESTRUCTURE: &str = "assign one property at a time: `d.label[v][f] = x;`";
/// A mutable borrow of a property.
pub const BORROW: &str = "a property cannot be borrowed mutably: compute the value and assign it";
/// A write inside of a closure.
pub const WRITE_IN_CLOSURE: &str = "a closure cannot write a property: return the value and assign it outside";

/// An operator that Rust has for bits and references, where a power is meant.
pub const POWER: &str = "a power is written `x.powi(2)`, or `x.powf(0.5)`";
/// An integer with which a float is computed.
pub fn float_literal(literal: impl Display) -> String {
    format!("this is computed with a float: write `{literal}.0`")
}

/// The number of features with which a float is computed.
pub fn width_as_float(width: impl Display) -> String {
    format!("`{width}` is a `usize`: write `{width} as f32`")
}

/// A method of a property whose value nobody takes.
pub fn dropped(method: impl Display) -> String {
    format!("`{method}` changes nothing: assign what it returns")
}
/// The same of `min` and `max`, which are reductions under another name.
pub fn dropped_bound(method: impl Display) -> String {
    format!(
        "`{method}` changes nothing: assign what it returns, or reduce into an end of an edge, `a.{method}_with(b)`"
    )
}

/// Two indices between one pair of brackets.
pub const INDEX: &str = "an index names the vertex or edge, and a second one the feature: `d.label[v][f]`";

/// A macro.
pub const MACRO: &str = "a macro cannot be used in an Onyx function, which also runs where there is no standard library: \
                         write the code out, or call a plain function";
/// `unsafe`.
pub const UNSAFE: &str = "an Onyx function needs no `unsafe`: move this to a plain function";
/// An item.
pub const ITEM: &str = "move this item out of the function";
/// `?`.
pub const TRY: &str = "an Onyx function returns `bool`: use `if` or `match` in place of `?`";
/// `async`, `await`, `yield` and such.
pub const UNSUPPORTED: &str = "this is not supported in an Onyx function";
/// `#[cfg(..)]` inside of a body.
pub const CONDITIONAL: &str = "a condition of compilation stands in front of a function, not inside: write one function for each case, and the \
                               `#[cfg(..)]` in front of each";
/// A `break` of no loop.
pub const BREAK: &str = "there is no loop around this: use `return` to leave the function";
/// A `return` of nothing.
pub const RETURN_NOTHING: &str = "return `true` or `false`";

/// `Cell` and its like.
pub fn interior(name: impl Display) -> String {
    format!(
        "`{name}` changes values unseen, while several features are computed at once: use a `mut` variable, and change it by \
         assignments"
    )
}

/// A property with another number of features than its structure.
pub fn other_width(property: impl Display, width: impl Display) -> String {
    format!("the number of features is a name that the structure declares: write `{property}<{width}>`")
}

/// A property with features in a structure that has no number of them.
pub fn width_of_nothing(property: impl Display) -> String {
    format!(
        "`{property}` has a value for each feature, and this structure has no number of features: declare \
         `struct Data<const K: usize>` and write `{property}<K>`"
    )
}

/// A number of features for a property that has none.
pub fn scalar_width(property: impl Display) -> String {
    format!("`{property}` has one value for all features: remove their number, or use a property that has features")
}

/// A type where a property's kind stands.
pub fn value_type(property: impl Display, kind: impl Display) -> String {
    format!(
        "`{property}` has no values of type `{kind}`: a `VertexScalar` and an `EdgeScalar` may have `u32` or `u8` values, a `VertexFeatures<K>` and an \
         `EdgeFeatures<K>` `f16`, `saturating_f16` or `bf16` values, and what nothing is said of has `f32` values"
    )
}

/// A field of another type, or of one whose name hides what it is.
pub fn no_property(kind: impl Display) -> String {
    format!(
        "`{kind}` is not a property type by its own name: a property is VertexFeatures<K>, VertexScalar, VertexMatrix<K>, EdgeFeatures<K>, \
         EdgeScalar, EdgeMatrix<K>, GraphScalar, GraphFeatures<K>, GraphMatrix<K>, Table<K>, VertexHeads, EdgeHeads, Parameter or IterationNumber"
    )
}

/// A matrix in a structure whose rows are heads.
pub const MATRIX_OF_HEADS: &str = "a structure with heads has no matrices: keep the matrix in a structure of its own";
/// Rows of another width where rows are heads.
pub const INPUT_OF_HEADS: &str = "a structure with heads has no rows of another width: compute the features in a fold of a structure of its own, and write them to this one";

/// A function of one head that writes what all heads have in common.
pub fn shared_by_heads(writer: impl Display, property: impl Display) -> String {
    format!(
        "`{writer}` runs once for each head and writes `{property}`, of which there is one for all heads: declare it `VertexHeads` or `EdgeHeads`, or as \
         features"
    )
}

/// Two functions of a fold that add to one total of the graph.
pub fn shared_total(first: impl Display, second: impl Display, total: impl Display) -> String {
    format!(
        "both `{first}` and `{second}` add to the total `{total}`: let one function of the fold add to it, or use two totals"
    )
}

/// A total of the graph that is read in the stage that adds to it.
pub fn unfinished_total(reader: impl Display, adder: impl Display, total: impl Display) -> String {
    format!(
        "`{reader}` reads the total `{total}`, which is there after the stage of `{adder}`, which adds to it: put a `;` between them"
    )
}

/// A total of the graph in a fold whose edge functions do not run along all edges.
pub fn total_of_active(function: impl Display, total: impl Display) -> String {
    format!(
        "`{function}` adds to the total `{total}`, which is over all vertices and edges, and `edges = active` leaves some out: use two folds"
    )
}

/// A function of another structure in a fold.
pub fn other_data(function: impl Display, data: impl Display) -> String {
    format!(
        "`{function}` is not a function of `{data}`: all functions of a fold take `&mut` of the fold's data, by its own name"
    )
}

/// A function or structure with the name of a macro of the standard library: folds reach it by a macro of its name.
pub fn name_of_macro(name: impl Display) -> String {
    format!(
        "`{name}` is the name of a macro of the standard library, which a fold would find in its place: choose another name"
    )
}

/// Another number of compile-time parameters.
pub fn number_of_switches(function: impl Display, expected: usize, found: usize) -> String {
    format!(
        "the compile-time parameters of `{function}` are {expected}, and the values that it is given {found}: give as many, such as `name::<true, false>`"
    )
}

/// A plain function in a fold.
pub fn not_marked(function: impl Display) -> String {
    format!(
        "`{function}` is not an Onyx function: check the name, and mark the function with `#[edge_fn]` or `#[vertex_fn]`"
    )
}

/// A second value of an option of a fold, or a second property of a name.
pub fn twice(name: impl Display) -> String {
    format!("`{name}` is there twice: keep one of them")
}

/// The number of features where a constant is needed.
pub fn constant_width(width: impl Display) -> String {
    format!(
        "`{width}` is the store's number of features, which is known only when the fold runs: use it as a value, such as \
         in `1.0 / {width} as f32`; a type, a pattern or a generic argument needs a number of its own"
    )
}

/// A second declaration of a parameter's name.
pub fn rebound(name: impl Display) -> String {
    format!("`{name}` is the name of a parameter of this function: choose another one")
}

/// A read of what the same function reduces.
pub fn read_reduced(property: impl Display) -> String {
    format!(
        "this function reduces into `{property}`, whose total is complete only when all edges are done: read it in a \
         `#[vertex_fn]`"
    )
}

/// A read at the reverse edge of what the same function writes.
pub fn read_reversed(property: impl Display) -> String {
    format!(
        "this function writes `{property}`, and reads it at `e.rev`, where it may be written at the same time: write another \
         property, and copy it in a function after a `;`"
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

/// A method of the standard library.
pub fn standard_method(method: impl Display) -> String {
    format!("`{method}` needs the standard library, which a GPU has not; `onyx_device::math` says what there is")
}

/// A function of the standard library that has a method here.
pub fn standard_path(function: impl Display) -> String {
    format!("write it as a method: `x.{function}()`")
}

/// A scalar write of a value that differs between features.
pub fn differs(property: impl Display) -> String {
    format!(
        "`{property}` has one value for all features, but this differs between features: combine it first, such as with \
         `sum(..)`"
    )
}

/// A scalar write of a variable that was changed where nobody can follow.
pub fn differs_through(property: impl Display, variable: impl Display) -> String {
    format!(
        "`{property}` has one value for all features, but `{variable}` may have another for each: it is changed through a \
         reference, a closure or a method that also gets what differs between features; change it by assignments, \
         `{variable} = ..`, or combine what differs first, such as with `sum(..)`"
    )
}

/// A scalar write that not all features reach.
pub fn differs_by_branch(property: impl Display) -> String {
    format!(
        "`{property}` has one value for all features, but whether this is reached differs between features: combine the \
         condition first, such as with `any(..)`"
    )
}

/// A collaborative operation where not all features arrive.
pub fn diverging_operation(operation: impl Display, context: &str) -> String {
    format!("every feature must reach `{operation}`: compute it before the {context} and use the result inside")
}

/// A name of a collaborative operation that stands for something else.
pub fn taken_name(operation: impl Display) -> String {
    format!(
        "`{operation}` is a collaborative operation, but the name stands for something else here: rename that, and import \
         `onyx_device::prelude::*`"
    )
}

/// A collaborative operation with another number of arguments.
pub fn operation_arguments(operation: impl Display, arguments: usize) -> String {
    let operation = operation.to_string();
    match operation.as_str() {
        "min" | "max" => lesser_or_greater(operation),
        _ => argument_count(operation, arguments),
    }
}

fn lesser_or_greater(operation: impl Display) -> String {
    format!(
        "`{operation}(x)` is over all features and takes one argument: of two floats write `a.{operation}(b)`, and give a \
         function of your own another name"
    )
}

fn argument_count(operation: impl Display, count: usize) -> String {
    if count == 1 {
        format!(
            "`{operation}` works across the features, and is written `{operation}(x)`: give a function of your own another name"
        )
    } else {
        format!(
            "`{operation}` works across the features, and is written `{operation}(a, b)`: give a function of your own another name"
        )
    }
}

/// A `return` before a collaborative operation.
pub fn early_return(operation: impl Display) -> String {
    format!(
        "every feature must reach the `{operation}` that follows: keep the value in a variable and return it after the \
         `{operation}`"
    )
}

/// An effect that stands before a collaborative operation in its statement.
pub fn changes_before(operation: impl Display) -> String {
    format!(
        "this stands before `{operation}` in the statement, whose arguments are computed first: write it as a statement of its \
         own before this one, such as `let first = ..;`"
    )
}

/// An effect inside of the arguments of a collaborative operation.
pub fn changes_in_argument(operation: impl Display) -> String {
    format!(
        "this changes something before what stands to the left of `{operation}` is read: compute what stands to the left in a \
         statement of its own before this one, such as `let first = ..;`"
    )
}

/// A variable without a value that lives across a collaborative operation.
pub fn no_initial_value(name: impl Display) -> String {
    format!("give `{name}` a value here: it is used after a collaborative operation")
}

/// A reference that lives across a collaborative operation.
pub fn kept_reference(name: impl Display) -> String {
    format!(
        "`{name}` is a reference and is used after a collaborative operation, across which values alone are kept: keep the value, or \
         take the reference again after the operation"
    )
}

/// A closure that captures by reference and lives across a collaborative operation.
pub fn kept_closure(name: impl Display) -> String {
    format!(
        "the closure `{name}` is used after a collaborative operation, across which values alone are kept: put `move` in front \
         of it, so that it has copies of what it uses, or declare it after the operation"
    )
}

/// A closure that reads a property and lives across a collaborative operation.
pub fn kept_closure_of_property(name: impl Display) -> String {
    format!(
        "the closure `{name}` is used after a collaborative operation and reads a property: give it the property as an argument, \
         or declare it after the operation"
    )
}

/// A property named twice in a fold by functions that do not go together.
pub struct Conflict {
    /// What stands before the property's name.
    pub before: String,
    /// What stands after it.
    pub after: String,
}

impl Conflict {
    /// The message about `property`.
    pub fn about(&self, property: &str) -> String {
        [&self.before, property, &self.after].concat()
    }
}

/// An edge function that may stop the next one, in a fold that is not folded.
pub fn unfolded_progress(edge: impl Display, next: impl Display) -> String {
    format!(
        "`{edge}` may return false, which stops `{next}` on that edge: an unfolded fold keeps nothing about an edge between its \
         kernels, so end `{edge}` with `true`, or leave `unfolded` out"
    )
}

/// An edge function that may return false before one that reduces into the other end of its edge.
pub fn turning_progress(edge: impl Display, next: impl Display) -> String {
    format!(
        "`{edge}` may return false, which does not stop `{next}`: it reduces into the other end of its edge, and so begins a stage; write `;` before \
         `{next}`, or ask in it what `{edge}` asks"
    )
}

/// An edge function reads at the end where the vertex functions of its stage do not run, `end`, what one of them writes.
pub fn vertex_conflict(edge: impl Display, vertex: impl Display, end: &str) -> Conflict {
    Conflict {
        before: format!("`{edge}` reads `"),
        after: format!(
            "` at an edge's {end} while `{vertex}` writes it for another vertex of the same fold: declare the property \
             `Tracked`, so that neighbors see its previous value, or end the stage before `{vertex}` with a `;`"
        ),
    }
}

/// An edge function reads at another vertex what an edge function reduces.
pub fn reduction_conflict(reader: impl Display, reducer: impl Display) -> Conflict {
    Conflict {
        before: format!("`{reader}` reads `"),
        after: format!(
            "`, into which `{reducer}` reduces in the same fold, so that its total is not complete: put a `;` between the two"
        ),
    }
}

/// Two edge functions reduce one property.
pub fn shared_reduction(first: impl Display, second: impl Display) -> Conflict {
    Conflict {
        before: format!("`{first}` and `{second}` both reduce into `"),
        after: "` in one fold: write one edge function that does both, or use two properties".to_string(),
    }
}

/// Two edge functions reduce one property in different ways.
pub fn mixed_reduction(first: impl Display, second: impl Display) -> Conflict {
    Conflict {
        before: format!("`{first}` and `{second}` reduce into `"),
        after: "` by different operators: use two properties".to_string(),
    }
}

/// A function reads at a vertex that it computes what its stage writes.
pub fn gather_conflict(reader: impl Display, writer: impl Display) -> Conflict {
    Conflict {
        before: format!("`{reader}` reads `"),
        after: format!(
            "` at a vertex that it computes while `{writer}` writes it there in the same stage: put a `;` between the two, or declare the property \
             `Tracked`, so that its previous value is read"
        ),
    }
}

/// A function reads at a vertex that it computes what has no previous value, or is not complete.
pub fn gather_unfinished(reader: impl Display, writer: impl Display) -> Conflict {
    Conflict {
        before: format!("`{reader}` reads `"),
        after: format!(
            "` at a vertex that it computes before `{writer}` is done with it everywhere: put a `;` between the two, or write another property"
        ),
    }
}

/// A function reads scratch that nothing before it has written.
pub fn scratch_unwritten(reader: impl Display) -> Conflict {
    Conflict {
        before: format!("`{reader}` reads the scratch property `"),
        after: format!(
            "`, which no function before it in the same run of this fold writes on every path, nor one of an earlier stage at every vertex: scratch lives \
             inside a fold, so write it before `{reader}`, or remove `Scratch` to keep the value between folds"
        ),
    }
}

/// A function reads scratch of another vertex or edge that nothing has left there.
pub fn scratch_at_end(reader: impl Display) -> Conflict {
    Conflict {
        before: format!("`{reader}` reads the scratch property `"),
        after: "` at another vertex or edge, where no function has left it: others read what vertex functions of an earlier stage write at every vertex, \
                at the ends of their edges alone, so write it there, or remove `Scratch`"
            .to_string(),
    }
}

/// An edge function reduces into scratch.
pub fn scratch_reduced(reducer: impl Display) -> Conflict {
    Conflict {
        before: format!("`{reducer}` reduces into the scratch property `"),
        after: "`, but the totals of long rows meet in memory: remove `Scratch`; a vertex function of the same fold takes the \
                total from registers all the same"
            .to_string(),
    }
}

/// An edge function reads at the reverse edge what another one writes.
pub fn reverse_conflict(reader: impl Display, writer: impl Display) -> Conflict {
    Conflict {
        before: format!("`{reader}` reads `"),
        after: format!("` at `e.rev`, where `{writer}` may write it at the same time: put a `;` between the two"),
    }
}

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
