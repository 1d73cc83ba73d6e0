//! What is said of operations across the features.

use std::fmt::Display;

/// A collaborative operation in a function without features.
pub const OPERATION_WITHOUT_FEATURE: &str =
    "this works across the features of a vertex or an edge: add the parameter `f: Feature` in front";

/// A feature to broadcast that differs.
pub const BROADCAST_DIFFERS: &str = "which feature is broadcast must be the same for all features: name it by a number, a parameter or the result of a \
     collaborative operation such as `argmax(..)`";

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
