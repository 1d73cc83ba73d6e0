//! Sums of products with rows of another width: the contributions of all vertices times the rows, or the matrix.

use ndarray::ArrayView2;
use onyx_device::projection::padded;
use onyx_device::property::Element;
use onyx_device::stage::GraphTotal;

use crate::session::{Layout, multiply, view, view_mut};
use crate::store::Store;

/// A matrix in a property's array.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operand {
    /// The property's position.
    pub(crate) property: usize,
    /// Its rows, as they lie there.
    pub(crate) layout: Layout,
    /// Whether the matrix has them as its columns.
    pub(crate) is_transposed: bool,
}

/// `into` is `left` times `right`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Product {
    pub(crate) left: Operand,
    pub(crate) right: Operand,
    pub(crate) into: Operand,
}

impl Product {
    /// The product that a total is, if it is one.
    pub(crate) fn of(store: &Store, total: &GraphTotal) -> Option<Self> {
        let by = total.by?;
        let (vertices, _) = store.shape();
        let features = Layout { rows: vertices, columns: store.features(), stride: store.width() };
        let left = Operand { property: total.contributions, layout: features, is_transposed: false };
        let operand = |property: usize| {
            let inputs = store.rows(property);
            match store.properties()[property].element {
                // It lies column by column, which are the rows of the transposed matrix.
                Element::Projection => {
                    let layout = Layout { rows: inputs, ..features };
                    Operand { property, layout, is_transposed: true }
                }
                _ => {
                    let layout = Layout { rows: vertices, columns: inputs, stride: padded(inputs) };
                    Operand { property, layout, is_transposed: false }
                }
            }
        };
        let (into, by) = (operand(total.total), operand(by));
        if into.is_transposed {
            // The transposed sum of outer products: the rows by the contributions.
            let (left, right) = (Operand { is_transposed: true, ..by }, left);
            return Some(Self { left, right, into: Operand { is_transposed: false, ..into } });
        }
        Some(Self { left, right: by, into })
    }

    /// Computes it from these arrays, on all cores.
    pub(crate) fn compute(&self, left: &[f32], right: &[f32], into: &mut [f32]) {
        multiply(self.left.view(left), self.right.view(right), view_mut(self.into.layout, into), 0.0);
    }
}

impl Operand {
    fn view<'a>(&self, floats: &'a [f32]) -> ArrayView2<'a, f32> {
        let view = view(self.layout, floats);
        if self.is_transposed { view.reversed_axes() } else { view }
    }
}
