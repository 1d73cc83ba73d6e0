//! Which writes come before which: lanes are in no order until they meet at an operation.

use super::WARP;

/// When a lane did something: the number of operations it had met at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    block: u64,
    /// In the block.
    lane: usize,
    step: u32,
}

/// For each lane of the running block, the step of every other lane that it has heard of: vector clocks.
#[derive(Clone, Debug)]
pub(super) struct Order {
    block: u64,
    lanes: usize,
    /// By the lane that has heard, and the lane that it has heard of.
    heard: Vec<u32>,
}

impl Order {
    /// The order of blocks of `lanes` lanes; the first of them starts.
    pub(super) fn new(lanes: usize) -> Self {
        let mut order = Self { block: 0, lanes, heard: vec![0; lanes * lanes] };
        order.start(0);
        order
    }

    /// The next block starts: its lanes have not met.
    pub(super) fn start(&mut self, block: u64) {
        self.block = block;
        self.heard.fill(0);
        self.heard.iter_mut().step_by(self.lanes + 1).for_each(|own| *own = 1);
    }

    /// The warp of a lane of the running block, and its number there.
    pub(super) fn name(&self, lane: usize) -> (u64, u32) {
        name(self.block, self.lanes, lane)
    }

    /// The warp and the lane of a moment.
    pub(super) fn name_of(&self, moment: Moment) -> (u64, u32) {
        name(moment.block, self.lanes, moment.lane)
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
        Moment { block: self.block, lane, step: self.heard[lane * self.lanes + lane] }
    }

    /// The moment, if it was another lane's and nothing says that it came before what `lane` does now.
    pub(super) fn unordered(&self, lane: usize, moment: Option<Moment>) -> Option<Moment> {
        let heard = |moment: &Moment| self.heard[lane * self.lanes + moment.lane] >= moment.step;
        moment.filter(|moment| moment.block != self.block || moment.lane != lane && !heard(moment))
    }
}

fn name(block: u64, lanes: usize, lane: usize) -> (u64, u32) {
    let thread = block * lanes as u64 + lane as u64;
    (thread / u64::from(WARP), (thread % u64::from(WARP)) as u32)
}

#[cfg(test)]
mod tests {
    use super::Order;

    #[test]
    fn lanes_that_have_met_are_in_order() {
        let mut order = Order::new(32);
        let before = order.now(0);
        assert!(order.unordered(1, Some(before)).is_some() && order.unordered(0, Some(before)).is_none());
        order.meet(0..2);
        assert!(order.unordered(1, Some(before)).is_none() && order.unordered(2, Some(before)).is_some());
        assert!(order.unordered(1, Some(order.now(0))).is_some());
    }

    #[test]
    fn order_passes_from_lane_to_lane() {
        let mut order = Order::new(32);
        let before = order.now(0);
        order.meet(0..2);
        order.meet(1..3);
        assert!(order.unordered(2, Some(before)).is_none());
    }

    #[test]
    fn blocks_are_never_in_order() {
        let mut order = Order::new(32);
        let before = order.now(0);
        order.start(1);
        assert!(order.unordered(0, Some(before)).is_some());
    }
}
