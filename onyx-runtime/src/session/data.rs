//! The data of an algorithm in a session.

use std::fmt;
use std::marker::PhantomData;

use ndarray::{ArrayView, ArrayViewMut, Dimension};
use onyx_device::FoldFacts;
use onyx_device::property::{Descriptor, Key, Parameter};
use onyx_device::table::Table;

use super::any_data::AnyData;
use super::shape::{Counts, InPlace, Shaped};
use super::values::Values;
use super::{ResidentGraph, Session};
use crate::error::RunError;
use crate::floats::Floats;
use crate::store::Store;

/// The values of all properties of one `#[graph_data]` structure, for one graph, in a session's memory.
///
/// Values go there and come back as whole arrays ([`Shaped`] says of which shape): [`Data::write`] and [`Data::view_mut`] change what the next run starts from,
/// [`Data::read`] copies back what a run has left, and nothing else is copied.
pub struct Data<D> {
    pub(super) untyped: AnyData,
    structure: PhantomData<fn() -> D>,
}

impl<D> Data<D> {
    /// Data for a fold of the structure.
    pub(super) fn new(
        fold: &'static FoldFacts,
        session: &Session,
        graph: &ResidentGraph<'_>,
        shape: (usize, &[usize]),
    ) -> Result<Self, RunError> {
        Ok(Self { untyped: AnyData::new(fold, session, graph, shape)?, structure: PhantomData })
    }

    /// The number of features in each row: of all heads together.
    pub fn features(&self) -> usize {
        self.untyped.store.features()
    }

    /// The widths by their names, in the order of the structure's parameters: the number of features first.
    pub fn widths(&self) -> Vec<(&'static str, usize)> {
        self.untyped.store.widths()
    }

    /// How many heads each row has; one where rows are no heads.
    pub fn heads(&self) -> usize {
        self.untyped.store.heads()
    }

    /// The session that it lives in.
    pub fn session(&self) -> &Session {
        &self.untyped.session
    }

    /// Sets a parameter.
    pub fn set(&mut self, key: Key<D, Parameter>, value: f32) {
        self.untyped.session.touch();
        self.untyped.store.set(key, value);
    }

    /// The value of a parameter.
    pub fn get(&self, key: Key<D, Parameter>) -> f32 {
        self.untyped.store.get(key)
    }

    /// Takes the values of a property: the next run starts from them. Those of half precision are rounded to the nearest. A table has as many rows as it is
    /// given.
    ///
    /// # Errors
    /// [`RunError::Shape`] if they are not of the property's shape, [`RunError::WidthShape`] where that has another width than the number of features; [`RunError::TooGreat`] if a number is finite, and infinite in half precision;
    /// [`RunError::Memory`] if there is no memory for the conversion, or for a table's rows.
    pub fn write<'v, P: Shaped>(
        &mut self,
        key: Key<D, P>,
        values: impl Values<'v, P::Number, P::Dimension>,
    ) -> Result<(), RunError> {
        let values = values.view();
        if P::IS_TABLE
            && values.shape()[1..] == [self.untyped.store.features()]
            && values.shape()[0] != self.untyped.store.rows(key.index)
        {
            self.untyped.give_rows(key.index, values.shape()[0])?;
        }
        let shape = P::shape(self.untyped.counts(key.index));
        let expected = shape.raw_dim().slice().to_vec();
        if values.shape() != expected {
            return Err(self.untyped.other_shape(key.index, values.shape(), expected));
        }
        let counts = self.untyped.counts(key.index);
        if self.untyped.descriptor(key.index).number.is_half() {
            self.write_halves::<P>(key.index, values)?;
        } else {
            view_mut::<P>(&mut self.untyped.store, counts, key.index).assign(&values);
        }
        self.untyped.wrote(key.index);
        Ok(())
    }

    /// Rounds floats, which are all looked at before anything is changed.
    fn write_halves<P: Shaped>(
        &mut self,
        index: usize,
        values: ArrayView<'_, P::Number, P::Dimension>,
    ) -> Result<(), RunError> {
        let mut floats = Floats::zeroed(self.untyped.store.length(index))?;
        let room = ArrayViewMut::from_shape(P::shape(self.untyped.counts(index)), floats.numbers_mut());
        room.unwrap_or_else(|_| unreachable!("there is room for all of the property")).assign(&values);
        self.untyped.store.narrow(index, floats.as_slice()).map_err(|at| {
            let (value, width) = (floats.as_slice()[at], self.untyped.store.row_width(index));
            let Descriptor { name: property, number, .. } = self.untyped.descriptor(index);
            RunError::TooGreat { property, row: at / width, feature: at % width, value, number: number.name() }
        })
    }

    /// Gives a table so many rows of zeros, in place of those that it has. Memory that it has borrowed is given back.
    ///
    /// # Errors
    /// [`RunError::Memory`] if there is no memory for them; what [`Data::give_back`] fails with.
    pub fn resize(&mut self, key: Key<D, Table<0>>, rows: usize) -> Result<(), RunError> {
        self.untyped.give_rows(key.index, rows)
    }

    /// Has the data be of another graph from here on, in the memory that they have, as far as it suffices: for one batch of small graphs after the other.
    /// Parameters, tables and what the graph has as a whole stay. What vertices and edges have is not said: write it before anything reads it.
    /// Memory that was borrowed is given back.
    ///
    /// # Errors
    /// [`RunError::OtherSession`] if the graph is in another session; [`RunError::Memory`] if there is no memory; what [`Data::give_back`] fails with.
    pub fn move_to(&mut self, graph: &ResidentGraph<'_>) -> Result<(), RunError> {
        self.untyped.move_to(graph)
    }

    /// Says that nobody needs the values of a property any more, such as those of a layer when the next one has read them. What it has from here on is not said: write
    /// all of it, or have a fold or a product do so, before anything reads it. Reading it by the host or a product before that is an error; that a fold does so, nobody notices.
    /// With a total goes what vertices have contributed to it: the next run that adds to it is one of all vertices.
    ///
    /// In a session on a GPU other properties of the session take the memory, of as many numbers, that have no values yet or were discarded themselves. Nothing waits for that, and
    /// nothing is allocated or freed, also in a [`Recording`](super::Recording); there, what shares memory in turn does not run side by side. An array of less than a mebibyte, and memory of
    /// another owner, stay where they are, and so does all on the CPU.
    pub fn discard<P: Shaped>(&mut self, key: Key<D, P>) {
        self.untyped.discard(key.index);
    }

    /// The values of a property, to be changed where they are: the next run starts from them.
    ///
    /// # Errors
    /// As [`Data::read`].
    pub fn view_mut<P: InPlace>(
        &mut self,
        key: Key<D, P>,
    ) -> Result<ArrayViewMut<'_, P::Number, P::Dimension>, RunError> {
        self.untyped.fetch_one(key.index)?;
        self.untyped.wrote(key.index);
        let counts = self.untyped.counts(key.index);
        Ok(view_mut::<P>(&mut self.untyped.store, counts, key.index))
    }

    /// The values of a property, as the last run has left them: copied to the host now, if they are not there yet.
    ///
    /// # Errors
    /// [`RunError::Lost`] if they were in the processor's memory alone when a run failed; [`RunError::OutOfRange`] if a sequence has read out of range on a GPU
    /// meanwhile; [`RunError::Taken`] if they are totals that a fold has taken from registers; [`RunError::Discarded`] if they were discarded; [`RunError::Recording`] inside of a recording; what the copy fails with.
    pub fn read<P: Shaped>(&mut self, key: Key<D, P>) -> Result<ArrayView<'_, P::Number, P::Dimension>, RunError> {
        self.untyped.fetch_one(key.index)?;
        self.values(key)
    }

    /// The values of a property that are on the host.
    pub(super) fn values<P: Shaped>(
        &mut self,
        key: Key<D, P>,
    ) -> Result<ArrayView<'_, P::Number, P::Dimension>, RunError> {
        let shape = P::shape(self.untyped.counts(key.index));
        let values = if self.untyped.descriptor(key.index).number.is_half() {
            bytemuck::cast_slice(self.untyped.store.widened(key.index)?)
        } else {
            self.untyped.store.numbers(key.index)
        };
        ArrayView::from_shape(shape, values).map_err(|_| unreachable!("the store has the numbers of every property"))
    }

    /// What rows are padded to: a compiled width, or a multiple of the widest.
    pub fn width(&self) -> usize {
        self.untyped.store.width()
    }

    /// How many numbers a property has, padding included: rows of [`Data::width`] floats, one for each vertex or edge, or `width` rows where it has a
    /// matrix of each. A scalar has one number for each vertex or edge; where each head has a number, a vertex or edge has those of all heads, one after the other. A row of another
    /// width is padded to a multiple of four numbers, and a `GraphMatrix<K, J>` lies there column by column, as many as that, `width` floats each.
    pub fn length<P: Shaped>(&self, key: Key<D, P>) -> usize {
        self.untyped.store.length(key.index)
    }
}

fn view_mut<P: Shaped>(store: &mut Store, counts: Counts, index: usize) -> ArrayViewMut<'_, P::Number, P::Dimension> {
    let view = ArrayViewMut::from_shape(P::shape(counts), store.numbers_mut(index));
    view.unwrap_or_else(|_| unreachable!("the store has the numbers of every property"))
}

impl<D> fmt::Debug for Data<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Data").field("session", &self.untyped.session).field("store", &self.untyped.store).finish()
    }
}
