//! What is said of the declaration of a fold.

use std::fmt::Display;

/// A fold that has the name of its structure, or of one of its functions.
pub fn name_of_item(name: impl Display) -> String {
    format!("`{name}` is the name of the fold and of an item in it: give the fold another name")
}

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

/// A function of one head that writes what all heads have in common.
pub fn shared_by_heads(writer: impl Display, property: impl Display) -> String {
    format!(
        "`{writer}` runs once for each head and writes `{property}`, of which there is one for all heads: declare it `VertexHeads` or `EdgeHeads`, or as \
         features"
    )
}

/// A function of another structure in a fold.
pub fn other_data(function: impl Display, data: impl Display) -> String {
    format!(
        "`{function}` is not a function of `{data}`: all functions of a fold take `&mut` of the fold's data, by its own name"
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
