//! Who has done the same at one address: of all lanes, those that the others do not know to have been before them.

use std::num::NonZeroU32;

use super::clocks::{Clocks, Moment};

/// Moments of which none is known to have been before another, but for those of finished blocks: one of these stands for all, since what a
/// running lane does comes after none of them.
///
/// One moment needs no memory of its own. As soon as several lanes of a block have one, each has a slot in [`Slots`] until the block ends.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    first: Option<Moment>,
    slots: Option<NonZeroU32>,
}

/// The last step of each lane of the running block at addresses that several of them have reached.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    steps: Vec<u32>,
}

impl Slots {
    /// Another block starts: what is here is of no use to it.
    pub(super) fn clear(&mut self) {
        self.steps.clear();
    }

    /// Room for one step of each lane, with that of one moment in it.
    fn with(&mut self, first: Moment, lanes: usize) -> NonZeroU32 {
        self.steps.resize(self.steps.len() + lanes, 0);
        let number = self.last(lanes);
        self.of(number, lanes)[usize::from(first.lane)] = first.step.get();
        number
    }

    /// The same steps in a place of their own.
    fn copy(&mut self, number: NonZeroU32, lanes: usize) -> NonZeroU32 {
        let begin = (number.get() as usize - 1) * lanes;
        self.steps.extend_from_within(begin..begin + lanes);
        self.last(lanes)
    }

    fn last(&self, lanes: usize) -> NonZeroU32 {
        NonZeroU32::new((self.steps.len() / lanes) as u32).expect("there are slots")
    }

    fn of(&mut self, number: NonZeroU32, lanes: usize) -> &mut [u32] {
        &mut self.steps[(number.get() as usize - 1) * lanes..][..lanes]
    }
}

impl Moments {
    /// The first of them that was kept.
    pub(super) fn first(&self) -> Option<Moment> {
        self.first
    }

    /// Adds what `lane` does now. Where a finished block has a moment, nothing is gained by one more.
    pub(super) fn insert(&mut self, lane: usize, clocks: &Clocks, slots: &mut Slots) {
        let now = clocks.now(lane);
        match self.first {
            Some(first) if first.block != now.block => {}
            Some(first) if self.slots.is_some() || !clocks.is_before(first, lane) => {
                let number = *self.slots.get_or_insert_with(|| slots.with(first, clocks.lanes()));
                slots.of(number, clocks.lanes())[lane] = now.step.get();
            }
            _ => self.first = Some(now),
        }
    }

    /// One of the moments that is not known to have been before what `lane` does now.
    pub(super) fn unordered(&self, lane: usize, clocks: &Clocks, slots: &mut Slots) -> Option<Moment> {
        let first = self.first?;
        if first.block != clocks.block() {
            return Some(first);
        }
        let Some(number) = self.slots else { return (!clocks.is_before(first, lane)).then_some(first) };
        let steps = slots.of(number, clocks.lanes()).iter().enumerate();
        let mut steps = steps.filter_map(|(other, step)| Some((other, NonZeroU32::new(*step)?)));
        let (other, step) = steps.find(|(other, step)| !clocks.has_heard(lane, *other, step.get()))?;
        Some(Moment { block: first.block, lane: other as u16, step })
    }

    /// The same moments, to be added to apart from these.
    pub(super) fn duplicate(&self, clocks: &Clocks, slots: &mut Slots) -> Self {
        let is_running = self.first.is_some_and(|first| first.block == clocks.block());
        let number = self.slots.filter(|_| is_running);
        Self { first: self.first, slots: number.map(|number| slots.copy(number, clocks.lanes())) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Clocks, Moments, Slots};

    #[test]
    fn a_lane_comes_after_all_of_them_or_not() {
        let (mut clocks, mut slots, mut moments) = (Clocks::new(32), Slots::default(), Moments::default());
        (0..4).for_each(|lane| moments.insert(lane, &clocks, &mut slots));
        let other =
            |lane, clocks: &Clocks, slots: &mut Slots| moments.unordered(lane, clocks, slots).map(|moment| moment.lane);
        assert_eq!(other(9, &clocks, &mut slots), Some(0));
        assert_eq!(other(0, &clocks, &mut slots), Some(1));
        clocks.meet([0, 1, 2, 9].into_iter());
        assert_eq!(other(9, &clocks, &mut slots), Some(3));
        clocks.meet([3, 9].into_iter());
        assert_eq!(other(9, &clocks, &mut slots), None);
        clocks.start(1);
        slots.clear();
        assert_eq!(other(9, &clocks, &mut slots), Some(0));
    }

    #[test]
    fn the_latest_of_lanes_that_have_met_stands_for_all() {
        let (mut clocks, mut slots, mut moments) = (Clocks::new(32), Slots::default(), Moments::default());
        moments.insert(0, &clocks, &mut slots);
        clocks.meet(0..2);
        moments.insert(1, &clocks, &mut slots);
        assert_eq!(moments.first().map(|first| first.lane), Some(1));
        assert!(slots.steps.is_empty());
    }

    #[test]
    fn a_duplicate_grows_on_its_own() {
        let (clocks, mut slots, mut moments) = (Clocks::new(32), Slots::default(), Moments::default());
        (0..2).for_each(|lane| moments.insert(lane, &clocks, &mut slots));
        let mut copy = moments.duplicate(&clocks, &mut slots);
        copy.insert(5, &clocks, &mut slots);
        let alone = |moments: &Moments, slots: &mut Slots| {
            let mut clocks = Clocks::new(32);
            clocks.meet([0, 1, 9].into_iter());
            moments.unordered(9, &clocks, slots).map(|moment| moment.lane)
        };
        assert_eq!((alone(&moments, &mut slots), alone(&copy, &mut slots)), (None, Some(5)));
    }
}
