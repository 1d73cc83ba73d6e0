//! How a lane that is alone adds the outer products of several edges to a total at once: it loads and stores each row of the total once for all of them.
//!
//! The functions of each edge run once. Those of the first edges note what their products are made of, those of the last one add them all, in order: the
//! total gets the same bits as from one edge after the other.

use core::cell::Cell;

use crate::forwarded::{forwarded_rows, forwarded_warp, forwarded_words};
use crate::machine::Machine;
use crate::row::Row;
use crate::unrolled::{array, each};

/// How many products are noted, to be added together with the next one.
pub(crate) const NOTED: usize = 3;

/// What becomes of an outer product that is added to a total.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adding {
    /// It is added.
    Alone,
    /// The vectors that it is made of are noted.
    Noted,
    /// It is added together with those that were noted.
    WithNoted,
}

/// The two vectors of an outer product.
#[derive(Debug)]
pub(crate) struct Vectors<const V: usize> {
    a: [Cell<f32>; V],
    b: [Cell<f32>; V],
}

impl<const V: usize> Default for Vectors<V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn default() -> Self {
        Self { a: array(|_| Cell::new(0.0)), b: array(|_| Cell::new(0.0)) }
    }
}

/// A lane that notes a product.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noter<'a, M, const V: usize> {
    pub(crate) lane: M,
    pub(crate) vectors: &'a Vectors<V>,
}

/// A lane that adds a product together with those that were noted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adder<'a, M, const V: usize> {
    pub(crate) lane: M,
    pub(crate) noted: &'a [Vectors<V>; NOTED],
}

// SAFETY: it is the machine inside.
unsafe impl<M: Machine, const F: usize> Machine for Noter<'_, M, F> {
    const LANES: u32 = M::LANES;
    const ADDING: Adding = Adding::Noted;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn note_product(self, index: usize, a: f32, b: f32) {
        self.vectors.a[index].set(a);
        self.vectors.b[index].set(b);
    }

    forwarded_warp!(lane);
    forwarded_words!(lane);
    forwarded_rows!(lane);
}

// SAFETY: it is the machine inside.
unsafe impl<M: Machine, const F: usize> Machine for Adder<'_, M, F> {
    const LANES: u32 = M::LANES;
    const ADDING: Adding = Adding::WithNoted;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn add_noted<const K: usize>(self, index: usize, total: &mut Row<K>, (a, b): (f32, &Row<K>)) {
        let factors: [f32; NOTED] = array(|edge| self.noted[edge].a[index].get());
        each::<K>(|column| {
            let mut sum = total.values[column];
            each::<NOTED>(|edge| sum += self.noted[edge].b[column].get() * factors[edge]);
            total.values[column] = sum + b.values[column] * a;
        });
    }

    forwarded_warp!(lane);
    forwarded_words!(lane);
    forwarded_rows!(lane);
}

#[cfg(test)]
mod tests {
    use super::{Adder, NOTED, Noter, Vectors};
    use crate::cpu::Cpu;
    use crate::group::Group;
    use crate::machine::Machine;
    use crate::row::Row;
    use crate::unrolled::array;

    const K: usize = 16;

    /// A vector of edge number `edge`.
    fn vector(edge: usize, seed: usize) -> [f32; K] {
        array(|index| ((edge * 37 + index * 11 + seed) % 23) as f32 / 7.0 - 1.3)
    }

    fn add(machine: impl Machine, features: u32, edge: usize, totals: &mut [Row<K>; K]) {
        let product = Group::<_, 1, K>::of(machine, features).outer::<K>(vector(edge, 1), vector(edge, 2));
        totals.iter_mut().enumerate().for_each(|(index, total)| product.add_to(index, total));
    }

    #[test]
    fn products_that_are_added_at_once_give_the_same_bits() {
        for features in [16, 11, 1] {
            let mut alone = [Row::<K> { values: vector(9, 3) }; K];
            let mut at_once = alone;
            (0..=NOTED).for_each(|edge| add(Cpu, features, edge, &mut alone));
            let noted: [Vectors<K>; NOTED] = array(|_| Vectors::default());
            for (edge, vectors) in noted.iter().enumerate() {
                let before = at_once;
                add(Noter { lane: Cpu, vectors }, features, edge, &mut at_once);
                assert_eq!(before, at_once, "a product that is noted was added");
            }
            add(Adder { lane: Cpu, noted: &noted }, features, NOTED, &mut at_once);
            let bits = |totals: [Row<K>; K]| totals.map(|row| row.values.map(f32::to_bits));
            assert_eq!(bits(alone), bits(at_once), "{features} features");
        }
    }
}
