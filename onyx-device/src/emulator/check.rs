//! Checks every access of a launch: that it lies in an array, is aligned, and that no two lanes get in each other's way.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops;

use crate::agreement::Disagreement;

use super::order::{Moment, Order};
use super::{EmulatorError, Memory};

thread_local! {
    static CHECKER: RefCell<Option<Checker>> = const { RefCell::new(None) };
}

/// What a lane does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads.
    Load,
    /// Writes, and no other lane may at the same time.
    Store,
    /// Writes a mark; others may write the same value.
    Mark(u8),
    /// Adds atomically.
    Add,
}

/// Consecutive elements that are reached at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub address: usize,
    pub element_bytes: usize,
    pub count: usize,
}

/// Who has written one address in this launch.
#[derive(Clone, Debug, Default)]
struct Written {
    store: Option<(Moment, Access)>,
    add: Option<Moment>,
    /// Whether several lanes added without meeting in between: then no one is behind all of them.
    is_shared: bool,
    /// Who has read it since without meeting; kept of a block's shared memory alone.
    loads: Vec<Moment>,
}

type Addresses = HashMap<usize, Written, BuildHasherDefault<AddressHasher>>;

/// Multiplies addresses: they differ in their middle bits, and there are many.
#[derive(Clone, Copy, Debug, Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(usize::from(*byte)));
    }

    fn write_usize(&mut self, address: usize) {
        self.0 = (self.0 ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26);
    }
}

/// The state of one launch.
struct Checker {
    memory: Option<Memory>,
    order: Order,
    written: Addresses,
    /// The same of the running block's shared memory.
    written_shared: Addresses,
    shared: ops::Range<usize>,
    fault: Option<EmulatorError>,
}

/// Checks all accesses of this thread until the value is dropped.
pub(super) struct Checking(());

impl Checking {
    /// Begins a launch of blocks of `lanes` lanes with shared memory at these addresses; without `memory`, arrays are not known and only
    /// alignment and order are checked.
    pub(super) fn begin(memory: Option<&Memory>, lanes: usize, shared: ops::Range<usize>) -> Self {
        let mut memory = memory.cloned();
        if let Some(memory) = &mut memory {
            memory.add("the shared memory", shared.start, shared.len());
        }
        let (written, written_shared) = Default::default();
        let order = Order::new(lanes);
        CHECKER.set(Some(Checker { memory, order, written, written_shared, shared, fault: None }));
        Self(())
    }
}

impl Drop for Checking {
    fn drop(&mut self) {
        CHECKER.set(None);
    }
}

fn with<T>(action: impl FnOnce(&mut Checker) -> T) -> Option<T> {
    CHECKER.with_borrow_mut(|checker| checker.as_mut().map(action))
}

/// The next block starts; its lanes have not met yet, and nothing is in its shared memory.
pub(super) fn start(block: u64) {
    with(|checker| {
        checker.order.start(block);
        checker.written_shared.clear();
    });
}

/// The members of an operation have met.
pub(super) fn met(members: impl Iterator<Item = usize> + Clone) {
    with(|checker| checker.order.meet(members));
}

/// The error that stopped a lane, if there is one.
pub(super) fn take_fault() -> Option<EmulatorError> {
    with(|checker| checker.fault.take()).flatten()
}

/// Whether a lane may go on with its access; if not, the reason is kept.
pub(super) fn allows(lane: usize, access: Access, range: Range) -> bool {
    with(|checker| match checker.check(lane, access, range) {
        Ok(()) => true,
        Err(error) => {
            checker.fault = Some(error);
            false
        }
    })
    .unwrap_or(true)
}

/// Keeps that two features have different values of what must have one.
pub(super) fn disagree(lane: usize, disagreement: Disagreement) {
    with(|checker| {
        let (warp, lane) = checker.order.name(lane);
        checker.fault = Some(EmulatorError::Differs { warp, lane, disagreement });
    });
}

impl Checker {
    fn check(&mut self, lane: usize, access: Access, range: Range) -> Result<(), EmulatorError> {
        self.check_place(lane, access, range)?;
        let mut addresses = (0..range.count).map(|at| range.address + at * range.element_bytes);
        if access != Access::Load {
            addresses.try_for_each(|address| self.write(lane, access, address))
        } else if self.shared.contains(&range.address) {
            addresses.try_for_each(|address| self.load_shared(lane, address))
        } else {
            Ok(())
        }
    }

    fn check_place(&self, lane: usize, access: Access, range: Range) -> Result<(), EmulatorError> {
        let ((warp, lane), address) = (self.order.name(lane), range.address);
        let bytes = range.element_bytes * range.count;
        if self.memory.as_ref().is_some_and(|memory| !memory.contains(address, bytes)) {
            return Err(EmulatorError::Outside { warp, lane, access, bytes, place: self.place(address) });
        }
        let alignment = alignment(bytes);
        if !address.is_multiple_of(alignment) {
            let place = self.place(address);
            return Err(EmulatorError::Misaligned { warp, lane, access, bytes, alignment, place });
        }
        Ok(())
    }

    fn place(&self, address: usize) -> super::Place {
        self.memory.as_ref().unwrap_or(&Memory::default()).place(address)
    }

    /// Nothing else may be loaded from shared memory than what lanes have stored that this one has met.
    fn load_shared(&mut self, lane: usize, address: usize) -> Result<(), EmulatorError> {
        let order = &self.order;
        let written = self.written_shared.entry(address).or_default();
        let Some((stored, by)) = written.store else {
            let ((warp, lane), place) = (order.name(lane), self.place(address));
            return Err(EmulatorError::Empty { warp, lane, place });
        };
        if let Some(other) = order.unordered(lane, Some(stored)) {
            return Err(self.conflict(lane, Access::Load, other, by, address));
        }
        written.loads.retain(|load| order.unordered(lane, Some(*load)).is_some());
        written.loads.push(order.now(lane));
        Ok(())
    }

    fn write(&mut self, lane: usize, access: Access, address: usize) -> Result<(), EmulatorError> {
        let order = &self.order;
        let addresses = if self.shared.contains(&address) { &mut self.written_shared } else { &mut self.written };
        let written = addresses.entry(address).or_default();
        let other = match access {
            Access::Add => order.unordered(lane, written.store.map(|(moment, _)| moment)),
            _ => order.unordered(lane, store_before(written, access)).or(shared_add(order, lane, written)),
        };
        if let Some(other) = other {
            let by = if access != Access::Add && written.store.is_none() { Access::Add } else { Access::Store };
            return Err(self.conflict(lane, access, other, by, address));
        }
        let load = written.loads.iter().copied().find(|load| order.unordered(lane, Some(*load)).is_some());
        if let Some(load) = load {
            return Err(self.conflict(lane, access, load, Access::Load, address));
        }
        written.loads.clear();
        let now = order.now(lane);
        if access == Access::Add {
            written.is_shared |= order.unordered(lane, written.add).is_some();
            written.add = Some(now);
        } else {
            written.store = Some((now, access));
        }
        Ok(())
    }

    fn conflict(&self, lane: usize, access: Access, other: Moment, by: Access, address: usize) -> EmulatorError {
        let ((warp, lane), place) = (self.order.name(lane), self.place(address));
        EmulatorError::Conflict { warp, lane, access, other: self.order.name_of(other), by, place }
    }
}

/// The store that this one may not meet: any but a mark of the same value.
fn store_before(written: &Written, access: Access) -> Option<Moment> {
    let (moment, before) = written.store?;
    (matches!(access, Access::Store) || before != access).then_some(moment)
}

/// The addition that a store may not meet.
fn shared_add(order: &Order, lane: usize, written: &Written) -> Option<Moment> {
    if written.is_shared { written.add } else { order.unordered(lane, written.add) }
}

/// The greatest power of two that divides the size, at most 16 bytes: what the GPU's accesses need.
fn alignment(bytes: usize) -> usize {
    (1 << bytes.trailing_zeros()).min(16)
}
