//! Rows of floats in a session's memory, as a matrix that products read or write.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;

use ndarray::{ArrayView2, ArrayViewMut2, s};
use onyx_device::property::Key;

use super::any_data::{AnyData, DataPlace};
use super::rows::{Layout, Rows};
use super::{Data, Processor, Session};
use crate::backend::cuda;
use crate::backend::memory::Memory;
use crate::backend::memory_plan::MemoryPlan;
use crate::backend::residency::Use;
use crate::error::RunError;

/// A matrix that is read: a [`Tensor`](super::Tensor), the rows of a property, or some of them.
#[derive(Clone, Copy)]
pub struct Matrix<'a> {
    pub(super) session: u64,
    pub(super) place: MatrixPlace<'a>,
}

/// Where it lies.
#[derive(Clone, Copy)]
pub(super) enum MatrixPlace<'a> {
    Host(ArrayView2<'a, f32>),
    Cuda(DeviceRows<'a>),
}

/// Rows in a GPU's memory.
#[derive(Clone, Copy)]
pub(crate) struct DeviceRows<'a> {
    pub(crate) address: *mut f32,
    /// Of the rows as they lie there.
    pub(crate) layout: Layout,
    /// Whether the matrix has them as its columns.
    pub(crate) is_transposed: bool,
    pub(crate) alive: PhantomData<&'a f32>,
}

impl DeviceRows<'_> {
    /// Rows that lie at an address, which outlives them.
    pub(crate) fn new(address: *mut f32, layout: Layout) -> Self {
        Self { address, layout, is_transposed: false, alive: PhantomData }
    }

    fn shape(&self) -> (usize, usize) {
        let Layout { rows, columns, .. } = self.layout;
        if self.is_transposed { (columns, rows) } else { (rows, columns) }
    }

    /// Whether its floats lie as those of another matrix of the same shape, row by row.
    pub(crate) fn lies_as(&self, other: &Self) -> bool {
        !self.is_transposed && !other.is_transposed && self.layout.stride == other.layout.stride
    }

    /// Some of its rows, which are columns of what lies there where it is transposed.
    fn rows(self, range: Range<usize>) -> Self {
        let Layout { rows, columns, stride } = self.layout;
        let (begin, rows, columns) = match self.is_transposed {
            true => (range.start, rows, range.len()),
            false => (range.start * stride, range.len(), columns),
        };
        Self { address: self.address.wrapping_add(begin), layout: Layout { rows, columns, stride }, ..self }
    }
}

impl Matrix<'_> {
    /// How many rows and columns it has.
    pub fn shape(&self) -> (usize, usize) {
        match &self.place {
            MatrixPlace::Host(values) => values.dim(),
            MatrixPlace::Cuda(rows) => rows.shape(),
        }
    }

    /// The same with rows and columns exchanged. Nothing is moved.
    pub fn transposed(self) -> Self {
        let place = match self.place {
            MatrixPlace::Host(values) => MatrixPlace::Host(values.reversed_axes()),
            MatrixPlace::Cuda(rows) => MatrixPlace::Cuda(DeviceRows { is_transposed: !rows.is_transposed, ..rows }),
        };
        Self { place, ..self }
    }

    /// Some of its rows.
    ///
    /// # Errors
    /// [`RunError::MatrixRows`] if there are no such rows.
    pub fn rows(self, range: Range<usize>) -> Result<Self, RunError> {
        check_rows(&range, self.shape().0)?;
        let place = match self.place {
            MatrixPlace::Host(values) => MatrixPlace::Host(values.slice_move(s![range, ..])),
            MatrixPlace::Cuda(rows) => MatrixPlace::Cuda(rows.rows(range)),
        };
        Ok(Self { place, ..self })
    }
}

/// A matrix that is written: as [`Matrix`].
pub struct MatrixMut<'a> {
    pub(super) session: u64,
    pub(super) place: MatrixMutPlace<'a>,
}

/// Where it lies.
pub(super) enum MatrixMutPlace<'a> {
    Host(ArrayViewMut2<'a, f32>),
    Cuda(DeviceRows<'a>),
}

impl MatrixMut<'_> {
    /// How many rows and columns it has.
    pub fn shape(&self) -> (usize, usize) {
        match &self.place {
            MatrixMutPlace::Host(values) => values.dim(),
            MatrixMutPlace::Cuda(rows) => rows.shape(),
        }
    }

    /// Some of its rows.
    ///
    /// # Errors
    /// [`RunError::MatrixRows`] if there are no such rows.
    pub fn rows(self, range: Range<usize>) -> Result<Self, RunError> {
        check_rows(&range, self.shape().0)?;
        let place = match self.place {
            MatrixMutPlace::Host(values) => MatrixMutPlace::Host(values.slice_move(s![range, ..])),
            MatrixMutPlace::Cuda(rows) => MatrixMutPlace::Cuda(rows.rows(range)),
        };
        Ok(Self { place, ..self })
    }
}

fn check_rows(range: &Range<usize>, rows: usize) -> Result<(), RunError> {
    let Range { start: begin, end } = *range;
    if begin <= end && end <= rows { Ok(()) } else { Err(RunError::MatrixRows { begin, end, rows }) }
}

impl<D> Data<D> {
    /// The rows of a property, as the last run has left them, for a product that reads them where they are.
    ///
    /// # Errors
    /// As [`Data::read`]; what a copy to the GPU fails with, or that there is no memory.
    pub fn matrix<P: Rows>(&mut self, key: Key<D, P>) -> Result<Matrix<'_>, RunError> {
        let there = self.untyped.bring(key.index)?;
        Ok(self.reading(key, there))
    }

    /// The rows of two properties, for a product that reads both.
    ///
    /// # Errors
    /// As [`Data::matrix`].
    pub fn matrices<P: Rows, Q: Rows>(
        &mut self,
        first: Key<D, P>,
        second: Key<D, Q>,
    ) -> Result<(Matrix<'_>, Matrix<'_>), RunError> {
        let (one, other) = (self.untyped.bring(first.index)?, self.untyped.bring(second.index)?);
        Ok((self.reading(first, one), self.reading(second, other)))
    }

    /// The rows of a property, to be written by a product: the next run starts from them. What rows hold that were [discarded](Data::discard) is not said: write all of them.
    ///
    /// # Errors
    /// As [`Data::matrix`].
    pub fn matrix_mut<P: Rows>(&mut self, key: Key<D, P>) -> Result<MatrixMut<'_>, RunError> {
        let (there, layout) = (self.untyped.bring_over(key.index)?, self.layout(key));
        self.untyped.note_written(key.index);
        let session = self.session().number();
        let place = match there {
            Some(address) => MatrixMutPlace::Cuda(DeviceRows::new(address, layout)),
            None => MatrixMutPlace::Host(view_mut(layout, self.untyped.store.floats_mut(key.index))),
        };
        Ok(MatrixMut { session, place })
    }

    /// The rows of a property, and those of another one that a product makes of them.
    ///
    /// # Errors
    /// [`RunError::OwnFactor`] if both are the same; else as [`Data::matrix`].
    pub fn matrix_into<P: Rows, Q: Rows>(
        &mut self,
        from: Key<D, P>,
        into: Key<D, Q>,
    ) -> Result<(Matrix<'_>, MatrixMut<'_>), RunError> {
        if from.index == into.index {
            return Err(RunError::OwnFactor { property: self.untyped.descriptor(from.index).name });
        }
        let (one, other) = (self.untyped.bring(from.index)?, self.untyped.bring_over(into.index)?);
        self.untyped.note_written(into.index);
        let session = self.session().number();
        let (read, written) = (self.layout(from), self.layout(into));
        let (place, place_mut) = if let (Some(one), Some(other)) = (one, other) {
            let (one, other) = (DeviceRows::new(one, read), DeviceRows::new(other, written));
            (MatrixPlace::Cuda(one), MatrixMutPlace::Cuda(other))
        } else {
            let (one, other) = self.untyped.store.floats_beside(from.index, into.index);
            (MatrixPlace::Host(view(read, one)), MatrixMutPlace::Host(view_mut(written, other)))
        };
        Ok((Matrix { session, place }, MatrixMut { session, place: place_mut }))
    }

    /// The rows of a property that is current on the host, or at an address on the GPU.
    fn reading<P: Rows>(&self, key: Key<D, P>, there: Option<*mut f32>) -> Matrix<'_> {
        let layout = self.layout(key);
        let place = match there {
            Some(address) => MatrixPlace::Cuda(DeviceRows::new(address, layout)),
            None => MatrixPlace::Host(view(layout, self.untyped.store.floats(key.index))),
        };
        Matrix { session: self.session().number(), place }
    }

    /// Where the rows of a property lie in memory.
    pub(super) fn layout<P: Rows>(&self, key: Key<D, P>) -> Layout {
        P::layout(self.untyped.counts(key.index))
    }
}

impl AnyData {
    /// Brings the property at `index` to where products read it: to an address on a GPU, or to the host.
    fn bring(&mut self, index: usize) -> Result<Option<*mut f32>, RunError> {
        self.check_found(index)?;
        self.bring_over(index)
    }

    /// The same for what is written, where it does not matter whether the values that are there were discarded.
    fn bring_over(&mut self, index: usize) -> Result<Option<*mut f32>, RunError> {
        self.check_there(index)?;
        let there = self.bring_to_gpu(index)?;
        if there.is_none() {
            self.fetch(1 << index)?;
        }
        Ok(there)
    }

    /// Where a GPU has the property at `index`, which is brought there if it is not; nothing if the session has none.
    pub(super) fn bring_to_gpu(&mut self, index: usize) -> Result<Option<*mut f32>, RunError> {
        let (session, store, place) = self.parts();
        let (Processor::Cuda(gpu), name) = (session.processor(), store.properties()[index].name) else {
            return Ok(None);
        };
        let DataPlace::Cuda(residency) = place else { return Ok(None) };
        if residency.get(index).is_none() && !residency.has_spare(gpu.memory(), store, index) {
            cuda::require(gpu, &MemoryPlan::of([(name.to_owned(), 4 * store.length(index) as u64)].into_iter()))?;
        }
        let array = residency.property(gpu.memory(), store, index, Use::default())?;
        Ok(Some(gpu.memory().address(&array.current).cast()))
    }

    /// Notes that the property at `index` is written where products write it.
    pub(super) fn note_written(&mut self, index: usize) {
        self.session.touch();
        self.round = self.round.max(self.session.round());
        let (_, store, place) = self.parts();
        if let DataPlace::Cuda(residency) = place {
            store.give(index);
            residency.ran(1 << index, 0);
        } else {
            self.wrote(index);
        }
    }
}

/// Floats of the host as a matrix.
pub(crate) fn view(layout: Layout, floats: &[f32]) -> ArrayView2<'_, f32> {
    let whole = ArrayView2::from_shape((layout.rows, layout.stride), &floats[..layout.rows * layout.stride]);
    whole.unwrap_or_else(|_| unreachable!("there are as many floats")).slice_move(s![.., ..layout.columns])
}

/// The same, to be set.
pub(crate) fn view_mut(layout: Layout, floats: &mut [f32]) -> ArrayViewMut2<'_, f32> {
    let whole = ArrayViewMut2::from_shape((layout.rows, layout.stride), &mut floats[..layout.rows * layout.stride]);
    whole.unwrap_or_else(|_| unreachable!("there are as many floats")).slice_move(s![.., ..layout.columns])
}

impl Session {
    /// Refuses what is in another session's memory.
    pub(super) fn check_own(&self, doing: &'static str, sessions: &[u64]) -> Result<(), RunError> {
        let is_own = sessions.iter().all(|number| *number == self.number());
        if is_own { Ok(()) } else { Err(RunError::OtherMatrix { doing }) }
    }
}

impl fmt::Debug for Matrix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matrix").field("shape", &self.shape()).finish()
    }
}

impl fmt::Debug for MatrixMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MatrixMut").field("shape", &self.shape()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_transposed_matrix_are_columns_of_what_lies_there() {
        let layout = Layout { rows: 5, columns: 3, stride: 4 };
        let whole = DeviceRows::new(std::ptr::without_provenance_mut(4096), layout);
        let some = whole.rows(2..4);
        assert_eq!((some.address.addr(), some.shape()), (4096 + 4 * 2 * 4, (2, 3)));
        let some = DeviceRows { is_transposed: true, ..whole }.rows(1..3);
        assert_eq!((some.address.addr(), some.shape(), some.layout.stride), (4096 + 4, (2, 5), 4));
    }
}
