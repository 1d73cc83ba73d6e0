//! What the arrays of a launch are compared with before it runs: the lengths that the clause *arrays* of [`onyx_device::Launch::new`] asks for.

use onyx_device::property::{Descriptor, Element};

use crate::store::{Shape, length};

/// An array of a launch.
pub(crate) struct Extent<'a> {
    pub(crate) name: &'a str,
    /// How many bytes it has.
    pub(crate) bytes: usize,
    /// How many bytes the launch reaches.
    pub(crate) reached: usize,
}

impl<'a> Extent<'a> {
    /// An array with a number of so many bytes for each of `count` elements.
    pub(crate) fn of(name: &'a str, bytes: usize, count: usize, number: usize) -> Self {
        Self { name, bytes, reached: count.saturating_mul(number) }
    }

    /// The array of a property, of which a table has `rows`.
    pub(crate) fn of_property(property: &'a Descriptor, bytes: usize, shape: Shape, rows: usize) -> Self {
        let is_table = property.element == Element::Table;
        let count = if is_table { rows.saturating_mul(shape.width) } else { length(property, shape) };
        Self::of(property.name, bytes, count, property.number.bytes())
    }
}

/// That every array is as long as the launch reaches. Only [`Launchable::check`] makes one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launchable(());

impl Launchable {
    /// Panics with the name of an array that is too short: nothing has run then. One of no bytes is not there, since the launch does not take it: scratch, or what
    /// stays in registers.
    pub(crate) fn check<'a>(arrays: impl IntoIterator<Item = Extent<'a>>) -> Self {
        for Extent { name, bytes, reached } in arrays {
            assert!(
                bytes == 0 || bytes >= reached,
                "{name}: the array has {bytes} bytes, and a launch reaches {reached}"
            );
        }
        Self(())
    }
}

#[cfg(test)]
mod tests {
    use onyx_device::stored::Number;

    use super::*;

    const SHAPE: Shape = Shape { vertices: 5, edges: 7, width: 4, heads: 1 };

    fn property(element: Element, number: Number) -> Descriptor {
        Descriptor { name: "value", element, tracked: false, scratch: false, number }
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
            Extent::of_property(&rows, 0, SHAPE, 0),
        ]);
    }

    #[test]
    #[should_panic(expected = "value: the array has 79 bytes, and a launch reaches 80")]
    fn a_row_too_few_is_named() {
        let rows = property(Element::VertexFeatures, Number::F32);
        Launchable::check([Extent::of("the marks", 5, 5, 1), Extent::of_property(&rows, 79, SHAPE, 0)]);
    }
}
