//! The arrays of properties as engines and sessions have them, whatever their type: swapped, widened, exchanged.

use bytemuck::Pod;
use onyx_device::EdgeAccess;
use onyx_device::operator::{Max, Min, Operator, Product};
use onyx_device::property::{Element, Storage};
use onyx_device::stored::Number;

use super::{Store, Values};
use crate::bits;
use crate::engine::Array;
use crate::floats::Floats;
use crate::half;
use crate::memory::OutOfMemory;

/// What a property that is reduced has before anything is pushed.
pub(crate) struct Pending {
    pub(crate) numbers: Floats,
    /// Whether it is zeros alone, so that nobody has to copy it.
    pub(crate) is_zero: bool,
}

impl Store {
    /// The arrays of the properties whose bits are set.
    pub(crate) fn arrays(&self, properties: u64) -> Vec<Array> {
        let array = |property: usize| {
            let is_scalar = self.properties[property].element.is_scalar();
            let is_matrix = matches!(self.properties[property].element, Element::VertexMatrix | Element::EdgeMatrix);
            let (row, features) = if is_scalar { (1, 1) } else { (self.width, self.features) };
            let rows = if is_matrix { row } else { 1 };
            let number = self.properties[property].number;
            Array { property, length: self.values[property].current.len(), row, rows, features, number }
        };
        (0..self.properties.len()).filter(|index| properties >> index & 1 == 1).map(array).collect()
    }

    /// Gives the table at `index` so many rows of zeros.
    pub(crate) fn give_rows(&mut self, index: usize, rows: usize) -> Result<(), OutOfMemory> {
        let values = &mut self.values[index];
        values.current = Floats::zeroed(rows.max(1).saturating_mul(self.width))?;
        values.rows = rows;
        self.give(index);
        Ok(())
    }

    /// How many rows the table at `index` has, or how many numbers its rows of another width.
    pub(crate) fn rows(&self, index: usize) -> usize {
        self.values[index].rows
    }

    /// Makes every previous value the current one: what a run starts from.
    pub(crate) fn keep_as_previous(&mut self) {
        for values in &mut self.values {
            if let Some(previous) = &mut values.previous {
                previous.as_bytes_mut().copy_from_slice(values.current.as_bytes());
            }
        }
    }

    /// Says which iteration runs, where functions ask for it.
    pub(crate) fn set_iteration(&mut self, number: usize) {
        let properties = self.properties.iter().zip(&mut self.values);
        for (_, values) in properties.filter(|(property, _)| property.element == Element::Iteration) {
            values.current.as_mut_slice().fill(number as f32);
        }
    }

    /// Exchanges the current and the previous values of the tracked properties whose bits are set.
    pub(crate) fn swap(&mut self, properties: u64) {
        for (index, values) in self.values.iter_mut().enumerate() {
            if let Some(previous) = values.previous.as_mut().filter(|_| properties >> index & 1 == 1) {
                std::mem::swap(&mut values.current, previous);
            }
        }
    }

    /// Nothing yet, of the shape of each property that is reduced: the identity of its operator.
    pub(crate) fn pending(&self, edges: EdgeAccess) -> Result<Vec<Option<Pending>>, OutOfMemory> {
        let unchanged = |(index, values): (usize, &Values)| {
            if edges.reduces >> index & 1 == 0 {
                return Ok(None);
            }
            let number = self.properties[index].number;
            let mut numbers = Floats::zeroed_of(number, values.current.len())?;
            let is = |set: u64| set >> index & 1 == 1;
            let mut is_zero = false;
            match number {
                Number::U32 if is(edges.lowers) => numbers.numbers_mut().fill(Min::INTEGER_IDENTITY),
                // Nothing else is reduced into integers but sums, maxima and bits that are set, which begin with zero, and nothing into halves.
                _ if number != Number::F32 => is_zero = true,
                _ if is(edges.multiplies) => numbers.as_mut_slice().fill(Product::IDENTITY),
                _ if is(edges.lowers) => numbers.as_mut_slice().fill(Min::IDENTITY),
                _ if is(edges.raises) => numbers.as_mut_slice().fill(Max::IDENTITY),
                _ => is_zero = true,
            }
            Ok(Some(Pending { numbers, is_zero }))
        };
        self.values.iter().enumerate().map(unchanged).collect()
    }

    /// Takes the memory of all values that nobody has touched yet.
    pub(crate) fn take_memory(&mut self) {
        for values in &mut self.values {
            values.current.take_memory();
            values.previous.iter_mut().for_each(Floats::take_memory);
        }
    }

    /// How many numbers the property at `index` has, padding included.
    pub(crate) fn length(&self, index: usize) -> usize {
        self.values[index].current.len()
    }

    /// The property at `index` as it lies in memory.
    pub(crate) fn bytes(&self, index: usize) -> &[u8] {
        self.values[index].current.as_bytes()
    }

    /// Room for the property at `index`: as many zeros, of the same type.
    pub(crate) fn room(&self, index: usize) -> Result<Floats, OutOfMemory> {
        Floats::zeroed_of(self.properties[index].number, self.length(index))
    }

    /// The numbers of the property at `index`, padding included, of the type that it has.
    pub(crate) fn numbers<T: Pod>(&self, index: usize) -> &[T] {
        self.values[index].current.numbers()
    }

    /// The floats that the halves of the property at `index` stand for, padding included.
    pub(crate) fn widened(&mut self, index: usize) -> Result<&[f32], OutOfMemory> {
        let (number, length) = (self.properties[index].number, self.length(index));
        let Values { current, shown, .. } = &mut self.values[index];
        let mut floats = match shown.take() {
            Some(floats) if floats.len() == length => floats,
            _ => Floats::zeroed(length)?,
        };
        half::widen(number, current.numbers(), floats.as_mut_slice());
        Ok(shown.insert(floats).as_slice())
    }

    /// Takes floats as the halves of the property at `index`, padding included, or says which one is too great for that.
    pub(crate) fn narrow(&mut self, index: usize, floats: &[f32]) -> Result<(), usize> {
        let number = self.properties[index].number;
        if let Some(position) = half::first_too_great(number, floats) {
            return Err(position);
        }
        half::narrow(number, floats, self.values[index].current.numbers_mut());
        Ok(())
    }

    /// The same, to be set.
    pub(crate) fn numbers_mut<T: Pod>(&mut self, index: usize) -> &mut [T] {
        self.values[index].current.numbers_mut()
    }

    /// Whether the property at `index` is zero everywhere, as it was made.
    pub(crate) fn is_untouched(&self, index: usize) -> bool {
        self.touched >> index & 1 == 0
    }

    /// The floats of the property at `index`, padding included.
    pub(crate) fn floats(&self, index: usize) -> &[f32] {
        self.values[index].current.as_slice()
    }

    /// The same, to be set.
    pub(crate) fn floats_mut(&mut self, index: usize) -> &mut [f32] {
        self.values[index].current.as_mut_slice()
    }

    /// The floats of the property at `from`, and those of another one at `into`, to be set.
    pub(crate) fn floats_beside(&mut self, from: usize, into: usize) -> (&[f32], &mut [f32]) {
        match self.values.get_disjoint_mut([from, into]) {
            Ok([from, into]) => (from.current.as_slice(), into.current.as_mut_slice()),
            Err(_) => unreachable!("both are `{}`, which was looked at before", self.properties[from].name),
        }
    }

    /// The totals that the last run has taken from registers.
    pub(crate) fn taken(&self) -> u64 {
        self.taken
    }

    /// Notes that the property at `index` gets values from outside.
    pub(crate) fn give(&mut self, index: usize) {
        self.touched |= 1 << index;
        self.taken &= !(1 << index);
        self.discarded &= !(1 << index);
    }

    /// Notes that nobody needs the values of the property at `index` any more.
    pub(crate) fn discard(&mut self, index: usize) {
        self.discarded |= 1 << index;
    }

    /// Whether the values of the property at `index` were discarded, and not written since.
    pub(crate) fn is_discarded(&self, index: usize) -> bool {
        self.discarded >> index & 1 == 1
    }

    /// Notes that any property may have been written.
    pub(crate) fn touch(&mut self) {
        self.touched = u64::MAX;
    }

    /// Has the property at `index` in other memory, with the values that are there; returns what it was in.
    pub(crate) fn exchange(&mut self, index: usize, floats: Floats) -> Floats {
        self.touched |= 1 << index;
        std::mem::replace(&mut self.values[index].current, floats)
    }

    /// Exchanges the values of the property at `index`, and what is known of them, with those that another store has at `with`, which are as many.
    pub(crate) fn exchange_with(&mut self, index: usize, other: &mut Self, with: usize) {
        std::mem::swap(&mut self.values[index].current, &mut other.values[with].current);
        bits::exchange((&mut self.touched, index), (&mut other.touched, with));
        bits::exchange((&mut self.taken, index), (&mut other.taken, with));
        bits::exchange((&mut self.discarded, index), (&mut other.discarded, with));
    }

    /// Brings values that a run has left in the previous array of a property back to the memory that is borrowed for it.
    pub(crate) fn settle_borrowed(&mut self) {
        for Values { current, previous, .. } in &mut self.values {
            if let Some(previous) = previous.as_mut().filter(|previous| previous.is_borrowed()) {
                previous.as_bytes_mut().copy_from_slice(current.as_bytes());
                std::mem::swap(current, previous);
            }
        }
    }

    /// Takes the values of the property at `index`.
    pub(crate) fn replace(&mut self, index: usize, values: Floats) {
        self.touched |= 1 << index;
        self.values[index].current = values;
    }

    /// Takes zeros, which nobody has written, as the values of the property at `index`.
    pub(crate) fn put_zeros(&mut self, index: usize, zeros: Floats) {
        self.touched &= !(1 << index);
        self.values[index].current = zeros;
    }

    /// Where each property's values lie on the host, for whoever writes them.
    pub(crate) fn storages(&mut self) -> Vec<Storage> {
        self.touch();
        let (row, heads) = (self.width, self.heads);
        self.values.iter_mut().map(|values| storage(values, row, heads)).collect()
    }
}

fn storage(values: &mut Values, row: usize, heads: usize) -> Storage {
    let address = |numbers: &mut Floats| numbers.as_bytes_mut().as_mut_ptr().cast();
    let current = address(&mut values.current);
    let previous = values.previous.as_mut().map_or(current, address);
    Storage { current, previous, row, value: values.parameter, rows: values.rows as u64, heads: heads as u32 }
}
