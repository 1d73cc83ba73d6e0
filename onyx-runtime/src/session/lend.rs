//! Values of one data in the place of a property of others, for a while: nothing is copied.

use onyx_device::property::Key;

use super::Data;
use super::any_data::{AnyData, DataPlace};
use super::rows::{Layout, Rows};
use crate::bits;
use crate::error::RunError;

impl<D> Data<D> {
    /// Has `act` work with other data, in which the values of this property stand in the place of another one, and takes them back as `act` leaves them. What the place had
    /// before is there again afterwards; until then these data have that. Both change their memory, nothing is copied, and nobody waits.
    ///
    /// ```text
    /// clock.lend(Clock::STEP, &mut rows, Rows::STEP, |_, rows| fold.run(rows, 1))??;
    /// ```
    ///
    /// If `act` panics, nothing is taken back: each keeps what it has.
    ///
    /// What a fold has read out of range while it wrote them is, as ever, an error of the next read or run of the data that it has run on.
    ///
    /// # Errors
    /// [`RunError::OtherMatrix`] if the data are in different sessions; [`RunError::Lend`] if both are not rows of the same shape in memory, which [`Data::can_lend`] tells;
    /// [`RunError::LendBorrowed`] if one of them is in memory of another owner. If that is so only after `act`, which has then run, both keep what they have.
    pub fn lend<P: Rows, E, Q: Rows, T>(
        &mut self,
        key: Key<D, P>,
        to: &mut Data<E>,
        place: Key<E, Q>,
        act: impl FnOnce(&mut Self, &mut Data<E>) -> T,
    ) -> Result<T, RunError> {
        self.check_lent(key, to, place)?;
        self.untyped.exchange(key.index, &mut to.untyped, place.index);
        let done = act(self, to);
        // It may have moved either to another graph, or borrowed memory for it.
        self.check_lent(key, to, place)?;
        self.untyped.exchange(key.index, &mut to.untyped, place.index);
        Ok(done)
    }

    /// Whether the rows of a property lie in memory as those of another one of other data do: as many, of as many floats, padded to as many.
    pub fn can_lend<P: Rows, E, Q: Rows>(&self, key: Key<D, P>, to: &Data<E>, place: Key<E, Q>) -> bool {
        Ends { from: self.end(key), to: to.end(place) }.are_alike()
    }

    fn check_lent<P: Rows, E, Q: Rows>(&self, key: Key<D, P>, to: &Data<E>, place: Key<E, Q>) -> Result<(), RunError> {
        Ends { from: self.end(key), to: to.end(place) }.check()
    }

    /// The rows of a property, to be lent to other data by somebody who does not know the structure of these.
    pub fn lender<P: Rows>(&mut self, key: Key<D, P>) -> Lender<'_> {
        Lender { layout: self.layout(key), untyped: &mut self.untyped, index: key.index }
    }

    /// The rows of two properties, to be lent together.
    pub fn lender_of_two<P: Rows, R: Rows>(&mut self, keys: (Key<D, P>, Key<D, R>)) -> LenderOfTwo<'_> {
        let second = (keys.1.index, self.layout(keys.1));
        LenderOfTwo { first: self.lender(keys.0), second }
    }

    fn end<P: Rows>(&self, key: Key<D, P>) -> End<'_> {
        End { data: &self.untyped, index: key.index, layout: self.layout(key) }
    }
}

/// The rows of a property of data whose structure is not known: what [`Data::lend`] lends.
pub struct Lender<'d> {
    untyped: &'d mut AnyData,
    index: usize,
    layout: Layout,
}

impl Lender<'_> {
    /// [`Data::can_lend`].
    pub fn can_lend<E, Q: Rows>(&self, to: &Data<E>, place: Key<E, Q>) -> bool {
        Ends { from: self.end(), to: to.end(place) }.are_alike()
    }

    /// [`Data::lend`].
    ///
    /// # Errors
    /// As there.
    pub fn lend<E, Q: Rows, T>(
        mut self,
        to: &mut Data<E>,
        place: Key<E, Q>,
        act: impl FnOnce(&mut Data<E>) -> T,
    ) -> Result<T, RunError> {
        self.lend_and(to, place, |_, to| act(to))
    }

    /// The same, where `act` may lend others of the data.
    fn lend_and<E, Q: Rows, T>(
        &mut self,
        to: &mut Data<E>,
        place: Key<E, Q>,
        act: impl FnOnce(&mut AnyData, &mut Data<E>) -> T,
    ) -> Result<T, RunError> {
        Ends { from: self.end(), to: to.end(place) }.check()?;
        self.untyped.exchange(self.index, &mut to.untyped, place.index);
        let done = act(self.untyped, to);
        Ends { from: self.end(), to: to.end(place) }.check()?;
        self.untyped.exchange(self.index, &mut to.untyped, place.index);
        Ok(done)
    }

    fn end(&self) -> End<'_> {
        End { data: self.untyped, index: self.index, layout: self.layout }
    }
}

/// The rows of two properties of data whose structure is not known.
pub struct LenderOfTwo<'d> {
    first: Lender<'d>,
    second: (usize, Layout),
}

impl LenderOfTwo<'_> {
    /// Whether both can be lent: [`Data::can_lend`].
    pub fn can_lend<E, Q: Rows, S: Rows>(&mut self, to: &Data<E>, places: (Key<E, Q>, Key<E, S>)) -> bool {
        self.first.can_lend(to, places.0) && self.second().can_lend(to, places.1)
    }

    /// [`Data::lend`] of both.
    ///
    /// # Errors
    /// As there.
    pub fn lend<E, Q: Rows, S: Rows, T>(
        mut self,
        to: &mut Data<E>,
        places: (Key<E, Q>, Key<E, S>),
        act: impl FnOnce(&mut Data<E>) -> T,
    ) -> Result<T, RunError> {
        let (second, layout) = self.second;
        self.first
            .lend_and(to, places.0, |untyped, to| Lender { untyped, index: second, layout }.lend(to, places.1, act))?
    }

    fn second(&mut self) -> Lender<'_> {
        let (index, layout) = self.second;
        Lender { untyped: &mut *self.first.untyped, index, layout }
    }
}

/// A property that is lent, or the place that it is lent to.
struct End<'d> {
    data: &'d AnyData,
    index: usize,
    layout: Layout,
}

/// Both.
struct Ends<'d> {
    from: End<'d>,
    to: End<'d>,
}

impl Ends<'_> {
    fn are_alike(&self) -> bool {
        let length = |end: &End<'_>| end.data.store.length(end.index);
        self.from.layout == self.to.layout && length(&self.from) == length(&self.to)
    }

    fn check(&self) -> Result<(), RunError> {
        let (from, to) = (&self.from, &self.to);
        from.data.session.check_own("lending", &[to.data.session.number()])?;
        if let Some(end) = [from, to].into_iter().find(|end| end.data.borrowed[end.index].is_some()) {
            return Err(RunError::LendBorrowed { property: end.data.descriptor(end.index).name });
        }
        if self.are_alike() {
            return Ok(());
        }
        let shape = |Layout { rows, columns, stride }: Layout| [rows, columns, stride];
        let [property, place] = [from, to].map(|end| end.data.descriptor(end.index).name);
        Err(RunError::Lend { property, place, found: shape(from.layout), expected: shape(to.layout) })
    }
}

impl AnyData {
    /// Exchanges the values of the property at `index`, and all that is known of them, with those that other data have at `with`, of the same shape in memory.
    fn exchange(&mut self, index: usize, other: &mut Self, with: usize) {
        self.session.touch();
        self.store.exchange_with(index, &mut other.store, with);
        match (&mut self.place, &mut other.place) {
            (DataPlace::Emulator(own), DataPlace::Emulator(others)) => own.exchange_with(index, others, with),
            (DataPlace::Cuda(own), DataPlace::Cuda(others)) => own.exchange_with(index, others, with),
            _ => bits::exchange((&mut self.lost, index), (&mut other.lost, with)),
        }
        std::mem::swap(&mut self.failed[index], &mut other.failed[with]);
        // What has become of a recording in which either was written, both have to know.
        let round = self.round.max(other.round);
        (self.round, other.round) = (round, round);
    }
}
