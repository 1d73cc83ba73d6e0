//! What the arrays of a launch are compared with before it runs: the lengths that the clause *arrays* of [`onyx_device::Launch::new`] asks for.

use onyx_device::property::{Descriptor, Element};
use onyx_device::{FoldFacts, stage};

use crate::store::{Shape, length};

/// An array of a launch.
pub(crate) struct Extent {
    pub(crate) name: &'static str,
    /// How many bytes it has.
    pub(crate) bytes: usize,
    /// How many bytes the launch reaches: none of what it does not take.
    pub(crate) reached: usize,
}

/// The properties that launches of the fold reach in memory, and their positions: none that stays in registers, none of other folds.
pub(crate) fn reached(fold: &'static FoldFacts) -> impl Iterator<Item = (usize, &'static Descriptor)> {
    let by_functions = stage::reached(fold.stages);
    let is_reached = move |(index, property): &(usize, &Descriptor)| {
        let is_in_registers = property.scratch && fold.scratch_in_memory >> index & 1 == 0;
        (by_functions >> index & 1 == 1 || property.element.is_of_graph()) && !is_in_registers
    };
    fold.properties.iter().enumerate().filter(is_reached)
}

impl Extent {
    /// An array with a number of so many bytes for each of `count` elements.
    pub(crate) fn of(name: &'static str, bytes: usize, count: usize, number: usize) -> Self {
        Self { name, bytes, reached: count.saturating_mul(number) }
    }

    /// The array of a property, of which a table has `rows`.
    pub(crate) fn of_property(property: &Descriptor, bytes: usize, shape: Shape, rows: usize) -> Self {
        let is_table = property.element == Element::Table;
        let count = if is_table { rows.saturating_mul(shape.width) } else { length(property, shape) };
        Self::of(property.name, bytes, count, property.number.bytes())
    }
}

/// That every array is as long as the launch reaches. Only [`Launchable::check`] makes one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launchable(());

impl Launchable {
    /// Panics with the name of an array that is too short, or not there: nothing has run then.
    pub(crate) fn check(arrays: impl IntoIterator<Item = Extent>) -> Self {
        for Extent { name, bytes, reached } in arrays {
            assert!(bytes >= reached, "{name}: the array has {bytes} bytes, and a launch reaches {reached}");
        }
        Self(())
    }
}

#[cfg(test)]
mod tests {
    use onyx_device::stored::Number;

    use super::*;

    const SHAPE: Shape = Shape { vertices: 5, edges: 7, width: 4, heads: 1, widths: [3, 9, 0, 0] };

    fn property(element: Element, number: Number) -> Descriptor {
        Descriptor { name: "value", element, tracked: false, scratch: false, number, input: 0 }
    }

    #[test]
    fn arrays_that_are_long_enough_pass() {
        let (rows, weights) =
            (property(Element::VertexFeatures, Number::F16), property(Element::EdgeScalar, Number::U8));
        let table = property(Element::Table, Number::F32);
        Launchable::check([
            Extent::of("the marks", 10, 10, 1),
            Extent::of_property(&rows, 5 * 4 * 2, SHAPE, 0),
            Extent::of_property(&weights, 7, SHAPE, 0),
            Extent::of_property(&table, 3 * 4 * 4, SHAPE, 3),
            Extent::of_property(&property(Element::Parameter, Number::F32), 0, SHAPE, 0),
            Extent::of("the reverse edges", 0, 0, 4),
        ]);
    }

    #[test]
    #[should_panic(expected = "value: the array has 0 bytes, and a launch reaches 80")]
    fn an_array_that_is_not_there_is_named() {
        let rows = property(Element::VertexFeatures, Number::F32);
        Launchable::check([Extent::of_property(&rows, 0, SHAPE, 0)]);
    }

    #[test]
    #[should_panic(expected = "value: the array has 191 bytes, and a launch reaches 192")]
    fn a_matrix_has_all_columns_of_another_width() {
        let rows = Descriptor { input: 1, ..property(Element::EdgeInputs, Number::F16) };
        let matrix = Descriptor { input: 1, ..property(Element::Projection, Number::F32) };
        Launchable::check([
            Extent::of_property(&rows, 7 * 12 * 2, SHAPE, 9),
            Extent::of_property(&matrix, 4 * 12 * 4 - 1, SHAPE, 9),
        ]);
    }

    #[test]
    #[should_panic(expected = "value: the array has 79 bytes, and a launch reaches 80")]
    fn a_row_too_few_is_named() {
        let rows = property(Element::VertexFeatures, Number::F32);
        Launchable::check([Extent::of("the marks", 5, 5, 1), Extent::of_property(&rows, 79, SHAPE, 0)]);
    }
}
