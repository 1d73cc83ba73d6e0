//! Which writes come before which: lanes are in no order until they meet at an operation.

const LANES: usize = super::WARP as usize;

/// When a lane did something: the number of operations it had met at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub warp: u64,
    pub lane: u32,
    step: u32,
}

/// For each lane of the running warp, the step of every other lane that it has heard of: vector clocks.
#[derive(Clone, Debug)]
pub(super) struct Order {
    warp: u64,
    heard: [[u32; LANES]; LANES],
}

impl Default for Order {
    fn default() -> Self {
        Self { warp: 0, heard: unmet() }
    }
}

impl Order {
    /// The running warp.
    pub(super) fn warp(&self) -> u64 {
        self.warp
    }

    /// The next warp starts.
    pub(super) fn start(&mut self, warp: u64) {
        *self = Self { warp, heard: unmet() };
    }

    /// All members have heard of what each of them did, and begin another step.
    pub(super) fn meet(&mut self, members: u32) {
        let is_member = |lane: usize| members >> lane & 1 == 1;
        let mut latest = [0; LANES];
        for heard in (0..LANES).filter(|lane| is_member(*lane)).map(|lane| &self.heard[lane]) {
            (0..LANES).for_each(|other| latest[other] = latest[other].max(heard[other]));
        }
        for lane in (0..LANES).filter(|lane| is_member(*lane)) {
            self.heard[lane] = latest;
            self.heard[lane][lane] += 1;
        }
    }

    /// What a lane does now.
    pub(super) fn now(&self, lane: u32) -> Moment {
        Moment { warp: self.warp, lane, step: self.heard[lane as usize][lane as usize] }
    }

    /// The moment, if it was another lane's and nothing says that it came before what `lane` does now.
    pub(super) fn unordered(&self, lane: u32, moment: Option<Moment>) -> Option<Moment> {
        let heard = |moment: &Moment| self.heard[lane as usize][moment.lane as usize] >= moment.step;
        moment.filter(|moment| moment.warp != self.warp || moment.lane != lane && !heard(moment))
    }
}

fn unmet() -> [[u32; LANES]; LANES] {
    std::array::from_fn(|lane| std::array::from_fn(|other| u32::from(lane == other)))
}

#[cfg(test)]
mod tests {
    use super::Order;

    #[test]
    fn lanes_that_have_met_are_in_order() {
        let mut order = Order::default();
        let before = order.now(0);
        assert!(order.unordered(1, Some(before)).is_some() && order.unordered(0, Some(before)).is_none());
        order.meet(0b11);
        assert!(order.unordered(1, Some(before)).is_none() && order.unordered(2, Some(before)).is_some());
        assert!(order.unordered(1, Some(order.now(0))).is_some());
    }

    #[test]
    fn order_passes_from_lane_to_lane() {
        let mut order = Order::default();
        let before = order.now(0);
        order.meet(0b011);
        order.meet(0b110);
        assert!(order.unordered(2, Some(before)).is_none());
    }

    #[test]
    fn warps_are_never_in_order() {
        let mut order = Order::default();
        let before = order.now(0);
        order.start(1);
        assert!(order.unordered(0, Some(before)).is_some());
    }
}
