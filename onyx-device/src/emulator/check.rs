//! Checks every access of a launch: that it lies in an array, is aligned, reads what was written, and that no two lanes get in each other's way.

use std::cell::RefCell;
use std::ops;

use super::clocks::Clocks;
use super::history::{Conflict, Now};
use super::moments::Slots;
use super::shadow::Shadow;
use super::{Access, Launch, Memory, Mistake, Place};
use crate::agreement::Disagreement;

thread_local! {
    static CHECKER: RefCell<Option<Checker>> = const { RefCell::new(None) };
    /// What the last launch has reached, and the launches before it that may have been under way with it.
    static BEFORE: RefCell<Vec<Shadow>> = const { RefCell::new(Vec::new()) };
}

/// What a block's shared memory is called.
const SHARED: &str = "the shared memory";

/// Consecutive elements that are reached at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub address: usize,
    pub element_bytes: usize,
    pub count: usize,
}

impl Range {
    fn bytes(self) -> usize {
        self.element_bytes * self.count
    }

    fn addresses(self) -> ops::Range<usize> {
        self.address..self.address + self.bytes()
    }
}

/// The state of one launch.
struct Checker {
    /// What may be reached; without it, arrays are not known and only alignment and order are checked.
    memory: Option<Memory>,
    /// Whether the launch comes after the end, so that nothing may be written.
    is_over: bool,
    clocks: Clocks,
    slots: Slots,
    histories: Shadow,
    /// Those of the running block's shared memory.
    shared_histories: Shadow,
    shared: Memory,
    mistake: Option<Mistake>,
    early: Option<Early>,
}

/// What a launch that begins early has to wait for.
struct Early {
    /// What was reached by the launches that may still be under way.
    before: Vec<Shadow>,
    /// The lanes of the running block that have waited.
    waited: Vec<bool>,
    has_waited: bool,
}

impl Early {
    /// That of a launch of blocks of so many lanes.
    fn new(lanes: usize) -> Self {
        Self { before: BEFORE.take(), waited: vec![false; lanes], has_waited: false }
    }

    /// Where an access of a lane is in the way of a launch that may be under way.
    fn conflict(&self, lane: usize, access: Access, range: Range) -> Option<usize> {
        let before = if self.waited[lane] { &[][..] } else { &self.before };
        before.iter().find_map(|shadow| shadow.conflict(access, range.addresses()))
    }
}

/// Checks all accesses of this thread until the value is dropped.
pub(super) struct Checking(());

impl Checking {
    /// Begins a launch of blocks of `lanes` lanes with shared memory at these addresses.
    pub(super) fn begin(launch: &Launch<'_>, lanes: usize, shared: ops::Range<usize>) -> Self {
        let (slots, histories, shared_histories) = Default::default();
        CHECKER.set(Some(Checker {
            memory: launch.memory.cloned(),
            is_over: launch.is_over,
            clocks: Clocks::new(lanes),
            slots,
            histories,
            shared_histories,
            shared: Memory::of(SHARED, shared),
            mistake: None,
            early: launch.begins_early.then(|| Early::new(lanes)),
        }));
        Self(())
    }

    /// What no lane of the launch has done although one had to.
    pub(super) fn end(&self) -> Result<(), Mistake> {
        let never_waits =
            |checker: &mut Checker| !checker.is_over && checker.early.as_ref().is_some_and(|early| !early.has_waited);
        if with(never_waits) == Some(true) { Err(Mistake::NeverWaits) } else { Ok(()) }
    }
}

impl Drop for Checking {
    fn drop(&mut self) {
        let Some(Checker { early, histories, .. }) = CHECKER.take() else { return };
        let mut before = early.map_or_else(Vec::new, |early| early.before);
        before.push(histories);
        BEFORE.set(before);
    }
}

fn with<T>(action: impl FnOnce(&mut Checker) -> T) -> Option<T> {
    CHECKER.with_borrow_mut(|checker| checker.as_mut().map(action))
}

/// Another block starts; its lanes have not met yet, and nothing is in its shared memory.
pub(super) fn start(block: u64) {
    with(|checker| {
        checker.clocks.start(block);
        checker.slots.clear();
        checker.shared_histories.clear();
        checker.shared.forget(SHARED);
        checker.early.iter_mut().for_each(|early| early.waited.fill(false));
    });
}

/// A lane has waited for the launch before.
pub(super) fn waited(lane: usize) {
    with(|checker| {
        if let Some(early) = &mut checker.early {
            early.waited[lane] = true;
            early.has_waited = true;
        }
    });
}

/// The lanes have met.
pub(super) fn met(members: impl Iterator<Item = usize> + Clone) {
    with(|checker| checker.clocks.meet(members));
}

/// The mistake that stopped a lane, if there is one.
pub(super) fn take_mistake() -> Option<Mistake> {
    with(|checker| checker.mistake.take()).flatten()
}

/// Whether a lane may go on with its access to the arrays of the launch; if not, the reason is kept.
pub(super) fn allows(lane: usize, access: Access, range: Range) -> bool {
    with(|checker| checker.check(lane, access, range).map_err(|mistake| checker.mistake = Some(mistake)).is_ok())
        .unwrap_or(true)
}

/// The same of an access to the block's shared memory.
pub(super) fn allows_shared(lane: usize, access: Access, range: Range) -> bool {
    with(|checker| checker.check_shared(lane, access, range).map_err(|mistake| checker.mistake = Some(mistake)).is_ok())
        .unwrap_or(true)
}

/// The same of an access to what lies in the block's shared memory or in an array.
pub(super) fn allows_anywhere(lane: usize, access: Access, range: Range) -> bool {
    let is_shared = with(|checker| checker.shared.contains(range.address, range.bytes())).unwrap_or(false);
    if is_shared { allows_shared(lane, access, range) } else { allows(lane, access, range) }
}

/// Keeps that two features have different values of what must have one.
pub(super) fn disagree(lane: usize, disagreement: Disagreement) {
    with(|checker| {
        let (warp, lane) = checker.clocks.name(lane);
        checker.mistake = Some(Mistake::Differs { warp, lane, disagreement });
    });
}

impl Checker {
    fn check(&mut self, lane: usize, access: Access, range: Range) -> Result<(), Mistake> {
        let (name, memory) = (self.clocks.name(lane), self.memory.as_ref());
        check_place(memory, name, access, range)?;
        if self.is_over && !access.is_load() {
            let ((warp, lane), place) = (name, place(memory, range.address));
            return Err(Mistake::Late { warp, lane, access, place });
        }
        if let Some(address) = self.early.as_ref().and_then(|early| early.conflict(lane, access, range)) {
            let ((warp, lane), place) = (name, place(memory, address));
            return Err(Mistake::Early { warp, lane, access, place });
        }
        let mut now = Now { lane, clocks: &self.clocks, slots: &mut self.slots };
        let added = self.histories.add(access, range.addresses(), range.element_bytes, &mut now);
        added.map_err(|(address, conflict)| self.conflict(lane, access, conflict, place(self.memory.as_ref(), address)))
    }

    fn check_shared(&mut self, lane: usize, access: Access, range: Range) -> Result<(), Mistake> {
        check_place(Some(&self.shared), self.clocks.name(lane), access, range)?;
        let mut now = Now { lane, clocks: &self.clocks, slots: &mut self.slots };
        let added = self.shared_histories.add(access, range.addresses(), range.element_bytes, &mut now);
        added.map_err(|(address, conflict)| self.conflict(lane, access, conflict, self.shared.place(address)))
    }

    fn conflict(&self, lane: usize, access: Access, conflict: Conflict, place: Place) -> Mistake {
        let ((warp, lane), other) = (self.clocks.name(lane), self.clocks.name_of(conflict.other));
        Mistake::Conflict { warp, lane, access, other, by: conflict.by, place }
    }
}

/// Whether the range lies in one array, is aligned, and holds something if that is asked for.
fn check_place(memory: Option<&Memory>, name: (u64, u32), access: Access, range: Range) -> Result<(), Mistake> {
    let ((warp, lane), bytes, alignment) = (name, range.bytes(), alignment(range.bytes()));
    let place = || place(memory, range.address);
    let array = memory.map(|memory| memory.array_of(range.addresses()));
    if matches!(array, Some(None)) {
        return Err(Mistake::Outside { warp, lane, access, bytes, place: place() });
    }
    if !range.address.is_multiple_of(alignment) {
        return Err(Mistake::Misaligned { warp, lane, access, bytes, alignment, place: place() });
    }
    match array.flatten() {
        Some(array) if !array.passes(access, range.addresses()) => {
            Err(Mistake::Empty { warp, lane, access, place: place() })
        }
        _ => Ok(()),
    }
}

fn place(memory: Option<&Memory>, address: usize) -> Place {
    memory.unwrap_or(&Memory::default()).place(address)
}

/// The greatest power of two that divides the size, at most 16 bytes: what the GPU's accesses need.
fn alignment(bytes: usize) -> usize {
    (1 << bytes.trailing_zeros()).min(16)
}
