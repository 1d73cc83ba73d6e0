//! What is said of a structure and its properties.

use std::fmt::Display;

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

/// A function or structure with the name of a macro of the standard library: folds reach it by a macro of its name.
pub fn name_of_macro(name: impl Display) -> String {
    format!(
        "`{name}` is the name of a macro of the standard library, which a fold would find in its place: choose another name"
    )
}
