//! What comes before what: lanes are in no order until they meet, which they do where all of them synchronize.

use std::num::NonZeroU32;

use super::WARP;

/// When a lane did something: in which of its steps, of which another begins with each meeting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub block: u32,
    /// In the block.
    pub lane: u16,
    pub step: NonZeroU32,
}

/// For each lane of the running block, the step of every other lane that it has heard of: vector clocks.
#[derive(Clone, Debug)]
pub(super) struct Clocks {
    block: u32,
    lanes: usize,
    /// By the lane that has heard, and the lane that it has heard of.
    heard: Vec<u32>,
}

impl Clocks {
    /// The clocks of blocks of `lanes` lanes; the first of them starts.
    pub(super) fn new(lanes: usize) -> Self {
        let mut clocks = Self { block: 0, lanes, heard: vec![0; lanes * lanes] };
        clocks.start(0);
        clocks
    }

    /// Another block starts: its lanes have not met.
    pub(super) fn start(&mut self, block: u64) {
        self.block = u32::try_from(block).expect("fewer blocks than an emulator can run");
        self.heard.fill(0);
        self.heard.iter_mut().step_by(self.lanes + 1).for_each(|own| *own = 1);
    }

    /// The block that runs.
    pub(super) fn block(&self) -> u32 {
        self.block
    }

    /// The lanes of a block.
    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    /// The warp of a lane of the running block, and its number there.
    pub(super) fn name(&self, lane: usize) -> (u64, u32) {
        name(self.block, self.lanes, lane)
    }

    /// The warp and the lane of a moment.
    pub(super) fn name_of(&self, moment: Moment) -> (u64, u32) {
        name(moment.block, self.lanes, usize::from(moment.lane))
    }

    /// All members have heard of what each of them did, and begin another step.
    pub(super) fn meet(&mut self, members: impl Iterator<Item = usize> + Clone) {
        let mut latest = vec![0; self.lanes];
        for lane in members.clone() {
            latest.iter_mut().zip(self.heard_by(lane)).for_each(|(latest, heard)| *latest = (*latest).max(*heard));
        }
        for lane in members {
            self.heard_by(lane).copy_from_slice(&latest);
            self.heard_by(lane)[lane] += 1;
        }
    }

    fn heard_by(&mut self, lane: usize) -> &mut [u32] {
        &mut self.heard[lane * self.lanes..][..self.lanes]
    }

    /// What a lane does now.
    pub(super) fn now(&self, lane: usize) -> Moment {
        let step = NonZeroU32::new(self.heard[lane * self.lanes + lane]).expect("lanes begin with step 1");
        Moment { block: self.block, lane: lane as u16, step }
    }

    /// Whether the moment came before what `lane` does now: it was its own, or it has heard of it.
    pub(super) fn is_before(&self, moment: Moment, lane: usize) -> bool {
        moment.block == self.block && self.has_heard(lane, usize::from(moment.lane), moment.step.get())
    }

    /// Whether `lane` has heard of what `other`, of the same block, did in a step; of its own steps it has.
    pub(super) fn has_heard(&self, lane: usize, other: usize, step: u32) -> bool {
        self.heard[lane * self.lanes + other] >= step
    }
}

fn name(block: u32, lanes: usize, lane: usize) -> (u64, u32) {
    let thread = u64::from(block) * lanes as u64 + lane as u64;
    (thread / u64::from(WARP), (thread % u64::from(WARP)) as u32)
}

#[cfg(test)]
mod tests {
    use super::Clocks;

    #[test]
    fn lanes_that_have_met_are_in_order() {
        let mut clocks = Clocks::new(32);
        let before = clocks.now(0);
        assert!(!clocks.is_before(before, 1) && clocks.is_before(before, 0));
        clocks.meet(0..2);
        assert!(clocks.is_before(before, 1) && !clocks.is_before(before, 2));
        assert!(!clocks.is_before(clocks.now(0), 1));
    }

    #[test]
    fn order_passes_from_lane_to_lane() {
        let mut clocks = Clocks::new(32);
        let before = clocks.now(0);
        clocks.meet(0..2);
        clocks.meet(1..3);
        assert!(clocks.is_before(before, 2));
    }

    #[test]
    fn blocks_are_never_in_order() {
        let mut clocks = Clocks::new(32);
        let before = clocks.now(0);
        clocks.start(1);
        assert!(!clocks.is_before(before, 0));
    }
}
