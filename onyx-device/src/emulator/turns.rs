//! Whose turn it is: the order in which lanes, warps and blocks run.

use crate::order::Order;

/// Picks who runs next.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    order: Order,
    /// Of the random numbers, which are those of SplitMix64.
    state: u64,
}

impl Turns {
    /// The turns of one launch.
    pub(super) fn new(order: Order) -> Self {
        let state = if let Order::Random(seed) = order { seed } else { 0 };
        Self { order, state }
    }

    /// The blocks `0..count`, each once.
    pub(super) fn blocks(&mut self, count: u64) -> Box<dyn Iterator<Item = u64>> {
        match self.order {
            Order::Forward => Box::new(0..count),
            Order::Reversed => Box::new((0..count).rev()),
            Order::Random(_) => Box::new(self.shuffled(count).into_iter()),
        }
    }

    /// One of the bits that are set; at least one is.
    pub(super) fn pick(&mut self, ready: u32) -> usize {
        let bit = match self.order {
            Order::Forward => ready.trailing_zeros(),
            Order::Reversed => ready.ilog2(),
            Order::Random(_) => nth_bit(ready, self.below(u64::from(ready.count_ones())) as u32),
        };
        bit as usize
    }

    fn shuffled(&mut self, count: u64) -> Vec<u64> {
        let mut blocks: Vec<u64> = (0..count).collect();
        for last in (1..blocks.len()).rev() {
            blocks.swap(last, self.below(last as u64 + 1) as usize);
        }
        blocks
    }

    /// A number below `bound`, each about as often.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ self.state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % bound
    }
}

/// The position of the set bit number `number`, from 0.
fn nth_bit(bits: u32, number: u32) -> u32 {
    (0..number).fold(bits, |bits, _| bits & (bits - 1)).trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::{Order, Turns};

    #[test]
    fn the_first_the_last_or_any_is_picked() {
        assert_eq!(Turns::new(Order::Forward).pick(0b1_0110), 1);
        assert_eq!(Turns::new(Order::Reversed).pick(0b1_0110), 4);
        let mut turns = Turns::new(Order::Random(7));
        let mut picked = [0; 5];
        (0..300).for_each(|_| picked[turns.pick(0b1_0110)] += 1);
        assert!(picked[0] + picked[3] == 0 && [1, 2, 4].iter().all(|bit| picked[*bit] > 60), "{picked:?}");
    }

    #[test]
    fn every_block_has_its_turn() {
        assert_eq!(Turns::new(Order::Reversed).blocks(3).collect::<Vec<_>>(), [2, 1, 0]);
        let mut blocks: Vec<u64> = Turns::new(Order::Random(3)).blocks(50).collect();
        assert_ne!(blocks, (0..50).collect::<Vec<_>>());
        assert_eq!(blocks, Turns::new(Order::Random(3)).blocks(50).collect::<Vec<_>>());
        blocks.sort_unstable();
        assert_eq!(blocks, (0..50).collect::<Vec<_>>());
    }
}
