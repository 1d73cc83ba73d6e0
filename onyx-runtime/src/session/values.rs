//! Arrays of the host whose values are copied into a property or a tensor.

use ndarray::{ArrayBase, ArrayView, Data, Dimension, Ix1, Ix2};

/// An array of numbers `A` with the dimensions `D`.
///
/// | dimensions | what has them |
/// | --- | --- |
/// | 1 | `&[A]`, `&[A; N]`, `&Vec<A>`, `&Array1<A>`, `ArrayView1<A>` |
/// | 2 | `&[[A; N]]`, `&[[A; N]; M]`, `&Vec<[A; N]>`, `&Array2<A>`, `ArrayView2<A>` |
/// | others | `&Array<A, D>`, `ArrayView<A, D>` |
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no array of `{A}` with the dimensions `{D}`",
    label = "the property has values of another shape or type",
    note = "one number for each vertex or edge: write `&Vec<f32>`, `&[f32]` or `&Array1<f32>`, and `u32` or `u8` where the property has these",
    note = "a row of features for each: write `&Array2<f32>`, `&[[f32; 4]; 3]`, or of one vector `ArrayView2::from_shape((vertices, features), &vector)?`",
    note = "a matrix for each: write `&Array3<f32>`"
)]
pub trait Values<'v, A, D: Dimension> {
    /// The values where they are.
    fn view(self) -> ArrayView<'v, A, D>;
}

impl<'v, A, D: Dimension> Values<'v, A, D> for ArrayView<'v, A, D> {
    fn view(self) -> ArrayView<'v, A, D> {
        self
    }
}

impl<'v, A, D: Dimension, S: Data<Elem = A>> Values<'v, A, D> for &'v ArrayBase<S, D> {
    fn view(self) -> ArrayView<'v, A, D> {
        self.into()
    }
}

impl<'v, A> Values<'v, A, Ix1> for &'v [A] {
    fn view(self) -> ArrayView<'v, A, Ix1> {
        self.into()
    }
}

impl<'v, A, const N: usize> Values<'v, A, Ix1> for &'v [A; N] {
    fn view(self) -> ArrayView<'v, A, Ix1> {
        self.into()
    }
}

impl<'v, A> Values<'v, A, Ix1> for &'v Vec<A> {
    fn view(self) -> ArrayView<'v, A, Ix1> {
        self.into()
    }
}

impl<'v, A, const N: usize> Values<'v, A, Ix2> for &'v [[A; N]] {
    fn view(self) -> ArrayView<'v, A, Ix2> {
        self.into()
    }
}

impl<'v, A, const M: usize, const N: usize> Values<'v, A, Ix2> for &'v [[A; N]; M] {
    fn view(self) -> ArrayView<'v, A, Ix2> {
        self.into()
    }
}

impl<'v, A, const N: usize> Values<'v, A, Ix2> for &'v Vec<[A; N]> {
    fn view(self) -> ArrayView<'v, A, Ix2> {
        self.as_slice().into()
    }
}
