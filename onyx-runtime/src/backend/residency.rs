//! The values of a store in a device's memory, and on which side each property is current.

mod property;

use std::sync::Arc;

pub(crate) use self::property::DeviceProperty;
use self::property::{Role, blank, first, is_blank};
use crate::backend::memory::Memory;
use crate::bits;
use crate::error::RunError;
use crate::miss::Notes;
use crate::packing;
use crate::store::{Pending, Store};

/// The arrays of a store's properties on a device.
///
/// Each property is current in the store, on the device, or on both sides. Sets of properties are bits, by position.
pub(crate) struct Residency<A> {
    properties: Vec<Option<DeviceProperty<A>>>,
    /// The properties that are current on the device.
    on_device: u64,
    /// Those that are current there alone.
    ahead: u64,
    /// Those that were current there alone when a run failed.
    lost: u64,
    /// Whether a run has begun to change them, and has not ended.
    is_changing: bool,
    /// What folds have noted that nobody has looked at yet.
    notes: Vec<Arc<Notes<A>>>,
}

impl<A> Default for Residency<A> {
    fn default() -> Self {
        Self { properties: Vec::new(), on_device: 0, ahead: 0, lost: 0, is_changing: false, notes: Vec::new() }
    }
}

/// What a run does with a property, besides keeping its current values.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Use {
    /// Whether the run stores every value before it reads it.
    pub(crate) is_overwritten: bool,
    /// Whether the run needs the values that its iterations start from, too.
    pub(crate) is_tracked: bool,
}

impl<A> Residency<A> {
    /// The property at `index`, with its current values, and as previous ones the same.
    pub(crate) fn property<M: Memory<Array = A>>(
        &mut self,
        memory: &M,
        store: &Store,
        index: usize,
        wanted: Use,
    ) -> Result<&mut DeviceProperty<A>, RunError> {
        self.properties.resize_with(store.properties().len(), || None);
        let bit = 1 << index;
        let is_current = wanted.is_overwritten || self.on_device & bit != 0;
        let place = &mut self.properties[index];
        // Folds leave different numbers of contributions to a total.
        let is_short = |property: &mut DeviceProperty<A>| {
            let bytes = store.bytes(index).len();
            memory.bytes(&property.current) < bytes && !memory.resize(&mut property.current, bytes)
        };
        place.take_if(|property| property.borrowed.is_none() && is_short(property));
        let property = match place {
            Some(property) => {
                if !is_current {
                    memory.write(&mut property.current, store.bytes(index))?;
                }
                property
            }
            None => {
                let current = first(memory, store, index)?;
                place.insert(DeviceProperty { current, previous: None, pending: None, borrowed: None })
            }
        };
        // What a run overwrites holds nothing that anybody may read until it has ended.
        self.on_device |= if wanted.is_overwritten { 0 } else { bit };
        if wanted.is_tracked {
            let previous = match &mut property.previous {
                Some(previous) => previous,
                None => property.previous.insert(blank(memory, store, index)?.0),
            };
            memory.copy(&property.current, previous)?;
        }
        Ok(property)
    }

    /// The arrays of the property at `index`, if it is there.
    pub(crate) fn get(&self, index: usize) -> Option<&DeviceProperty<A>> {
        self.properties.get(index)?.as_ref()
    }

    /// The same, to be exchanged.
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut DeviceProperty<A>> {
        self.properties.get_mut(index)?.as_mut()
    }

    /// Exchanges the current and the previous values of these properties, where they have both.
    pub(crate) fn exchange(&mut self, properties: u64) {
        let arrays = self.properties.iter_mut().enumerate().filter(|(index, _)| properties >> index & 1 == 1);
        arrays.filter_map(|(_, property)| property.as_mut()).for_each(DeviceProperty::exchange);
    }

    /// Exchanges the current values of the property at `index`, and all that is known of them, with those that another has at `with`, which are as many.
    pub(crate) fn exchange_with(&mut self, index: usize, other: &mut Self, with: usize) {
        for (properties, index) in [(&mut self.properties, index), (&mut other.properties, with)] {
            properties.resize_with(properties.len().max(index + 1), || None);
        }
        match (&mut self.properties[index], &mut other.properties[with]) {
            (Some(own), Some(others)) => std::mem::swap(&mut own.current, &mut others.current),
            (own, others) => std::mem::swap(own, others),
        }
        bits::exchange((&mut self.on_device, index), (&mut other.on_device, with));
        bits::exchange((&mut self.ahead, index), (&mut other.ahead, with));
        bits::exchange((&mut self.lost, index), (&mut other.lost, with));
    }

    /// Brings values that a run has left in the previous array of a property back to the memory that is borrowed for it.
    pub(crate) fn settle_borrowed<M: Memory<Array = A>>(&mut self, memory: &M) -> Result<(), RunError> {
        for property in
            self.properties.iter_mut().flatten().filter(|property| property.borrowed == Some(Role::Previous))
        {
            if let Some(previous) = &mut property.previous {
                memory.copy(&property.current, previous)?;
            }
            property.exchange();
        }
        Ok(())
    }

    /// Notes what [`Residency::settle_borrowed`] does, where the values are brought by other means, or are lost.
    pub(crate) fn exchange_borrowed(&mut self) {
        let properties = self.properties.iter_mut().flatten();
        properties.filter(|property| property.borrowed == Some(Role::Previous)).for_each(DeviceProperty::exchange);
    }

    /// Has others take the arrays of the property at `index`, whose values nobody needs any more.
    pub(crate) fn discard<M: Memory<Array = A>>(&mut self, memory: &M, index: usize) {
        let Some(place) = self.properties.get_mut(index) else { return };
        let is_own =
            |property: &mut DeviceProperty<A>| property.borrowed.is_none() && memory.is_spared(&property.current);
        let Some(DeviceProperty { current, previous, .. }) = place.take_if(is_own) else { return };
        previous.into_iter().chain([current]).for_each(|array| memory.keep(array));
        self.on_device &= !(1 << index);
        self.ahead &= !(1 << index);
    }

    /// Whether the property at `index`, which has no arrays, finds one that others have left.
    pub(crate) fn has_spare<M: Memory<Array = A>>(&self, memory: &M, store: &Store, index: usize) -> bool {
        is_blank(store, index) && memory.has_spare(store.bytes(index).len(), packing::room(store, index))
    }

    /// Has the property at `index` in memory of another owner, with the values that are there.
    pub(crate) fn borrow(&mut self, index: usize, count: usize, array: A) {
        self.properties.resize_with(count, || None);
        let property = DeviceProperty { current: array, previous: None, pending: None, borrowed: Some(Role::Current) };
        self.properties[index] = Some(property);
        self.ran(1 << index, 0);
    }

    /// Drops the arrays of the property at `index`, with its values.
    pub(crate) fn give_back(&mut self, index: usize) {
        self.properties[index] = None;
        self.wrote(index);
        self.lost |= 1 << index;
    }

    /// Makes the previous values of these properties the current ones, where they have both: what a run starts from.
    pub(crate) fn keep_as_previous<M: Memory<Array = A>>(
        &mut self,
        memory: &M,
        properties: u64,
    ) -> Result<(), RunError> {
        for (index, property) in self.properties.iter_mut().enumerate() {
            if let Some(DeviceProperty { current, previous: Some(previous), .. }) = property
                && properties >> index & 1 == 1
            {
                memory.copy(current, previous)?;
            }
        }
        Ok(())
    }

    /// Has the pending changes of the property at `index` be none.
    pub(crate) fn begin_pending<M: Memory<Array = A>>(
        &mut self,
        memory: &M,
        index: usize,
        none: &Pending,
    ) -> Result<(), RunError> {
        let Some(property) = self.get_mut(index) else { return Ok(()) };
        let bytes = none.numbers.as_bytes();
        match &mut property.pending {
            Some(pending) if none.is_zero => memory.clear(pending)?,
            Some(pending) => memory.write(pending, bytes)?,
            pending if none.is_zero => *pending = Some(memory.zeroed(bytes.len())?),
            pending => *pending = Some(memory.upload(bytes)?),
        }
        Ok(())
    }

    /// Notes that a run begins to change what it writes.
    pub(crate) fn begin(&mut self) {
        self.is_changing = true;
    }

    /// Notes that a run has left these properties current on the device alone, and nothing to be read in `spoiled`.
    pub(crate) fn ran(&mut self, written: u64, spoiled: u64) {
        self.is_changing = false;
        self.on_device = (self.on_device | written) & !spoiled;
        self.ahead = (self.ahead | written) & !spoiled;
        self.lost &= !written;
    }

    /// Notes that a run that could write these properties has failed: if it had begun, what is on the device is neither old nor new.
    pub(crate) fn failed(&mut self, written: u64) {
        if !std::mem::take(&mut self.is_changing) {
            return;
        }
        self.lost |= self.ahead & written;
        self.on_device &= !written;
        self.ahead &= !written;
        self.drop_arrays(written);
    }

    /// What is borrowed stays with its property.
    fn drop_arrays(&mut self, properties: u64) {
        self.exchange_borrowed();
        let arrays = self.properties.iter_mut().enumerate().filter(|(index, _)| properties >> index & 1 == 1);
        let own = arrays.filter(|(_, property)| property.as_ref().is_some_and(|property| property.borrowed.is_none()));
        own.for_each(|(_, property)| *property = None);
    }

    /// Drops the arrays of the property at `index`, which has another length from now on. Borrowed memory stays its owner's.
    pub(crate) fn forget(&mut self, index: usize) {
        if let Some(property) = self.properties.get_mut(index) {
            *property = None;
        }
        self.wrote(index);
    }

    /// Gives arrays the lengths that the store's values have, which are of another graph now; those that have no memory for that are dropped, and those of contributions
    /// to totals that the store will make again.
    pub(crate) fn move_to<M: Memory<Array = A>>(&mut self, memory: &M, store: &Store) {
        for (index, place) in self.properties.iter_mut().enumerate() {
            let Some(DeviceProperty { current, previous, pending, .. }) = place else { continue };
            let (arrays, bytes) = ([Some(current), previous.as_mut(), pending.as_mut()], store.bytes(index).len());
            let have_room = arrays.into_iter().flatten().all(|array| memory.resize(array, bytes));
            if bytes == 0 || !have_room {
                *place = None;
                self.on_device &= !(1 << index);
                self.ahead &= !(1 << index);
            }
        }
    }

    /// Notes that the store's values of the property at `index` are the current ones from now on.
    pub(crate) fn wrote(&mut self, index: usize) {
        let bit = 1 << index;
        self.on_device &= !bit;
        self.ahead &= !bit;
        self.lost &= !bit;
    }

    /// Notes that folds have run that may have read out of range.
    pub(crate) fn look_later(&mut self, notes: Arc<Notes<A>>) {
        if !self.notes.iter().any(|known| Arc::ptr_eq(known, &notes)) {
            self.notes.push(notes);
        }
    }

    /// An error if any has. Waits for the device, where there is anything to look at. All are looked at, so that none is found after a later run.
    pub(crate) fn look<M: Memory<Array = A>>(&mut self, memory: &M, store: &Store) -> Result<(), RunError> {
        let looked: Vec<_> = std::mem::take(&mut self.notes).iter().map(|notes| notes.look(memory, store)).collect();
        looked.into_iter().collect()
    }

    /// Whether any of these properties is current on the device alone.
    pub(crate) fn is_ahead(&self, properties: u64) -> bool {
        self.ahead & properties != 0
    }

    /// The properties whose values are gone with a failed run.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }

    /// Copies to the store what is current on the device alone, of `properties`: each in whole, or not at all.
    pub(crate) fn fetch<M: Memory<Array = A>>(
        &mut self,
        memory: &M,
        store: &mut Store,
        properties: u64,
    ) -> Result<(), RunError> {
        for index in 0..self.properties.len() {
            let bit = 1 << index;
            if self.ahead & properties & bit == 0 {
                continue;
            }
            if let Some(property) = &self.properties[index] {
                let mut values = store.room(index)?;
                memory.download(&property.current, values.as_bytes_mut())?;
                store.replace(index, values);
            }
            self.ahead &= !bit;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Residency;

    #[test]
    fn only_a_run_that_has_begun_loses_what_is_on_the_device_alone() {
        let mut residency = Residency::<()>::default();
        residency.begin();
        residency.ran(0b11, 0b10);
        residency.failed(0b1);
        assert!(residency.is_ahead(0b1) && residency.lost() == 0 && !residency.is_ahead(0b10));
        residency.begin();
        residency.failed(0b1);
        assert!(!residency.is_ahead(0b1) && residency.lost() == 0b1);
        residency.wrote(0);
        assert_eq!(residency.lost(), 0);
    }
}
