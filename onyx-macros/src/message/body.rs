//! What is said of the statements and expressions of a body.

use std::fmt::Display;

/// The name of another width in a body.
pub fn input_width(width: impl Display) -> String {
    format!(
        "`{width}` is how many numbers a whole row has, which no function sees, since `matvec` takes all of them: declare a `Parameter` where you need the number"
    )
}

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

/// The number of features where a constant is needed.
pub fn constant_width(width: impl Display) -> String {
    format!(
        "`{width}` is the store's number of features, which is known only when the fold runs: use it as a value, such as \
         in `1.0 / {width} as f32`; a type, a pattern or a generic argument needs a number of its own"
    )
}

/// A method of the standard library.
pub fn standard_method(method: impl Display) -> String {
    format!("`{method}` needs the standard library, which a GPU has not; `onyx_device::math` says what there is")
}

/// A function of the standard library that has a method here.
pub fn standard_path(function: impl Display) -> String {
    format!("write it as a method: `x.{function}()`")
}
