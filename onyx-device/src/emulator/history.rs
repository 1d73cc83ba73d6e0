//! What lanes have done at one address of memory, as far as it may be in another lane's way.

use super::Access;
use super::clocks::{Clocks, Moment};
use super::moments::{Moments, Slots};

/// The accesses of one launch at one address.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    /// The last store. What came before it was before it: nothing else of that is kept.
    store: Option<Moment>,
    /// The loads since.
    loads: Moments,
    /// Whether the first load was one of what nothing writes during the launch; then no other is kept.
    is_constant: bool,
    shared: Option<Box<Shared>>,
}

/// What several lanes may do at once, since the last store.
#[derive(Clone, Debug)]
struct Shared {
    access: Access,
    moments: Moments,
    /// What was done before in another way, and by whom.
    older: (Access, Moments),
}

/// An access that was in the way: when, and what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conflict {
    pub other: Moment,
    pub by: Access,
}

/// What is known while a lane does something.
pub(super) struct Now<'a> {
    pub lane: usize,
    pub clocks: &'a Clocks,
    pub slots: &'a mut Slots,
}

impl Now<'_> {
    /// One of the moments that this lane has not heard of.
    fn unordered(&mut self, moments: &Moments, by: Access) -> Result<(), Conflict> {
        let other = moments.unordered(self.lane, self.clocks, self.slots);
        other.map_or(Ok(()), |other| Err(Conflict { other, by }))
    }

    fn insert(&mut self, moments: &mut Moments) {
        moments.insert(self.lane, self.clocks, self.slots);
    }
}

impl History {
    /// Whether an access of a later launch has to wait for what was done here: not where all of it marks or combines in one way.
    pub(super) fn concerns(&self, access: Access) -> bool {
        let is_alike = |shared: &Shared| shared.access == access && shared.older.1.first().is_none();
        let is_written = self.store.is_some() || self.shared.as_deref().is_some_and(|shared| !is_alike(shared));
        is_written || !access.is_load() && self.loads.first().is_some()
    }

    /// Adds an access, unless another one is in its way.
    pub(super) fn add(&mut self, access: Access, now: &mut Now<'_>) -> Result<(), Conflict> {
        match access {
            Access::LoadConstant => self.load_constant(now),
            _ if self.is_constant && access.is_load() => Ok(()),
            Access::Load => self.load(now),
            Access::Store => self.store(now),
            _ => self.share(access, now),
        }
    }

    /// Nothing may have written, not even the lane itself.
    fn load_constant(&mut self, now: &mut Now<'_>) -> Result<(), Conflict> {
        if let Some(other) = self.store {
            return Err(Conflict { other, by: Access::Store });
        }
        if let Some((other, shared)) = self.shared.as_ref().and_then(|shared| Some((shared.moments.first()?, shared))) {
            return Err(Conflict { other, by: shared.access });
        }
        if !self.is_constant {
            (self.is_constant, self.loads) = (true, Moments::default());
            now.insert(&mut self.loads);
        }
        Ok(())
    }

    fn load(&mut self, now: &mut Now<'_>) -> Result<(), Conflict> {
        self.check_store(now)?;
        if let Some(shared) = &self.shared {
            now.unordered(&shared.moments, shared.access)?;
        }
        now.insert(&mut self.loads);
        Ok(())
    }

    fn store(&mut self, now: &mut Now<'_>) -> Result<(), Conflict> {
        self.check_loads(now)?;
        self.check_store(now)?;
        if let Some(shared) = &self.shared {
            now.unordered(&shared.moments, shared.access)?;
        }
        *self = Self { store: Some(now.clocks.now(now.lane)), ..Self::default() };
        Ok(())
    }

    /// Marks or combines: what others do in the same way is not in the way, what was done before in another way is.
    fn share(&mut self, access: Access, now: &mut Now<'_>) -> Result<(), Conflict> {
        self.check_loads(now)?;
        self.check_store(now)?;
        let new = || Shared { access, moments: Moments::default(), older: (access, Moments::default()) };
        let shared = self.shared.get_or_insert_with(|| Box::new(new()));
        if shared.access == access {
            now.unordered(&shared.older.1, shared.older.0)?;
        } else {
            now.unordered(&shared.moments, shared.access)?;
            **shared = Shared { older: (shared.access, shared.moments), ..new() };
        }
        now.insert(&mut shared.moments);
        Ok(())
    }

    fn check_store(&self, now: &Now<'_>) -> Result<(), Conflict> {
        match self.store {
            Some(other) if !now.clocks.is_before(other, now.lane) => Err(Conflict { other, by: Access::Store }),
            _ => Ok(()),
        }
    }

    fn check_loads(&self, now: &mut Now<'_>) -> Result<(), Conflict> {
        match self.loads.first() {
            Some(other) if self.is_constant => Err(Conflict { other, by: Access::LoadConstant }),
            _ => now.unordered(&self.loads, Access::Load),
        }
    }

    /// The same accesses at another address.
    pub(super) fn duplicate(&self, clocks: &Clocks, slots: &mut Slots) -> Self {
        let mut copy = self.clone();
        copy.loads = self.loads.duplicate(clocks, slots);
        if let Some(shared) = &mut copy.shared {
            shared.moments = shared.moments.duplicate(clocks, slots);
            shared.older.1 = shared.older.1.duplicate(clocks, slots);
        }
        copy
    }
}
