//! How a lane that is alone makes products of logarithms for several edges together: exponentials and logarithms of rows that are no vectors by themselves become
//! vector instructions, a number for each edge.
//!
//! The functions of an edge run twice. First by a machine that only notes what its product is made of, and stores nothing; then by one that has the product.

use core::cell::Cell;

use crate::elementary::ln;
use crate::forwarded::{forwarded, forwarded_rows, forwarded_warp, forwarded_words};
use crate::group::Group;
use crate::logarithmic::{LEAST_SUM, joined, share};
use crate::machine::Machine;
use crate::row::Row;
use crate::unrolled::{array, each};

/// What becomes of a product of a matrix with logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogProducts {
    /// It is computed.
    Alone,
    /// What it is made of is noted.
    Noted,
    /// The machine has it.
    Given,
}

/// The matrices and vectors of products, which have a float for each of `N` edges.
#[derive(Debug)]
pub(crate) struct Notes<const V: usize, const N: usize> {
    matrix: [[[Cell<f32>; N]; V]; V],
    x: [[Cell<f32>; N]; V],
    /// Whether greatest products are asked for.
    greatest: Cell<bool>,
    /// How many products each edge has.
    counts: [Cell<usize>; N],
}

impl<const V: usize, const N: usize> Default for Notes<V, N> {
    /// Of edges without a product: any numbers that make one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn default() -> Self {
        Self {
            matrix: array(|_| array(|_| array(|_| Cell::new(1.0)))),
            x: array(|_| array(|_| Cell::new(0.0))),
            greatest: Cell::new(false),
            counts: array(|_| Cell::new(0)),
        }
    }
}

impl<const V: usize, const N: usize> Notes<V, N> {
    /// The products; none where an edge has several, or where floats may lose what counts.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn products<M: Machine>(&self, group: Group<M, 1, V>) -> Option<[[f32; N]; V]> {
        let mut are_several = false;
        each::<N>(|edge| are_several |= self.counts[edge].get() > 1);
        if are_several {
            return None;
        }
        if self.greatest.get() { self.made::<true, M>(group) } else { self.made::<false, M>(group) }
    }

    /// As [`Group::log_matvec`] makes them, in the same order.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn made<const GREATEST: bool, M: Machine>(&self, group: Group<M, 1, V>) -> Option<[[f32; N]; V]> {
        let x: [[f32; N]; V] = array(|index| {
            array(|edge| if group.is_live(index) { self.x[index][edge].get() } else { f32::NEG_INFINITY })
        });
        let greatest = joined_rows::<true, V, N>(&x);
        let shift: [f32; N] = array(|edge| if greatest[edge].is_finite() { greatest[edge] } else { 0.0 });
        let shares: [[f32; N]; V] = array(
            #[cfg_attr(not(debug_assertions), inline(always))]
            |index| shares(&x[index], &shift),
        );
        let totals: [[f32; N]; V] = array(
            #[cfg_attr(not(debug_assertions), inline(always))]
            |index| self.totals::<GREATEST>(index, &shares),
        );
        let mut any_small = false;
        each::<V>(|index| {
            each::<N>(|edge| any_small |= group.is_live(index) & (totals[index][edge] < LEAST_SUM));
        });
        if any_small && self.is_any_lost(group, &totals, &shares) {
            return None;
        }
        let totals: [[f32; N]; V] = array(|index| if group.is_live(index) { totals[index] } else { [0.0; N] });
        let sums = joined_rows::<false, V, N>(&totals);
        let sums: [f32; N] = array(|edge| if sums[edge] == 0.0 { 1.0 } else { sums[edge] });
        Some(array(
            #[cfg_attr(not(debug_assertions), inline(always))]
            |index| {
                let parts =
                    if group.is_live(index) { array(|edge| totals[index][edge] / sums[edge]) } else { [1.0; N] };
                logarithms(&parts)
            },
        ))
    }

    /// The terms of a row whose factors are floats.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn totals<const GREATEST: bool>(&self, row: usize, shares: &[[f32; N]; V]) -> [f32; N] {
        array(|edge| {
            let mut total = 0.0;
            each::<V>(|column| {
                let factor = self.matrix[row][column][edge].get();
                total = joined::<GREATEST>(total, (if factor > 0.0 { factor } else { 0.0 }) * shares[column][edge]);
            });
            total
        })
    }

    /// Whether a sum is small, though a term of it is not 0.
    #[cold]
    #[inline(never)]
    fn is_any_lost<M: Machine>(&self, group: Group<M, 1, V>, totals: &[[f32; N]; V], shares: &[[f32; N]; V]) -> bool {
        let is_possible = |row: usize, column: usize, edge: usize| {
            self.matrix[row][column][edge].get() != 0.0 && shares[column][edge] > 0.0
        };
        let is_lost = |row: usize, edge: usize| {
            totals[row][edge] < LEAST_SUM && (0..V).any(|column| is_possible(row, column, edge))
        };
        (0..V).any(|row| group.is_live(row) && (0..N).any(|edge| is_lost(row, edge)))
    }
}

/// Shares of logarithms from which `shift` is taken. A loop and no closure: one with several callers is called for each number, and makes no vectors.
#[cfg_attr(not(debug_assertions), inline(always))]
fn shares<const N: usize>(x: &[f32; N], shift: &[f32; N]) -> [f32; N] {
    let (mut shares, mut edge) = ([0.0; N], 0);
    while edge < N {
        shares[edge] = share(x[edge] - shift[edge]);
        edge += 1;
    }
    shares
}

/// Natural logarithms, in a loop for the same reason.
#[cfg_attr(not(debug_assertions), inline(always))]
fn logarithms<const N: usize>(x: &[f32; N]) -> [f32; N] {
    let (mut logarithms, mut edge) = ([0.0; N], 0);
    while edge < N {
        logarithms[edge] = ln(x[edge]);
        edge += 1;
    }
    logarithms
}

/// The sum of all rows, or the greatest, for each edge.
#[cfg_attr(not(debug_assertions), inline(always))]
fn joined_rows<const GREATEST: bool, const V: usize, const N: usize>(rows: &[[f32; N]; V]) -> [f32; N] {
    array(|edge| {
        let mut all = rows[0][edge];
        each::<V>(|index| all = if index > 0 { joined::<GREATEST>(all, rows[index][edge]) } else { all });
        all
    })
}

/// A lane that notes the product of an edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Noter<'a, M, const F: usize, const N: usize> {
    pub(crate) lane: M,
    pub(crate) notes: &'a Notes<F, N>,
    pub(crate) edge: usize,
}

/// A lane that has the product of an edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Given<'a, M, const F: usize, const N: usize> {
    pub(crate) lane: M,
    pub(crate) products: &'a [[f32; N]; F],
    pub(crate) edge: usize,
}

/// Methods that store, of a machine that does not.
macro_rules! stores_nothing {
    ($($name:ident$(<const $n:ident: usize>)?($place:ty, $value:ty);)+) => {
        $(
            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn $name$(<const $n: usize>)?(self, _to: $place, _value: $value) {}
        )+
    };
}

// SAFETY: it is the machine inside, but that it stores nothing.
unsafe impl<M: Machine, const F: usize, const N: usize> Machine for Noter<'_, M, F, N> {
    const LANES: u32 = M::LANES;
    const LOG_PRODUCTS: LogProducts = LogProducts::Noted;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn note_log_product<const GREATEST: bool, const K: usize>(self, index: usize, row: &Row<K>, x: f32) {
        let Self { notes, edge, .. } = self;
        each::<K>(|column| notes.matrix[index][column][edge].set(row.values[column]));
        notes.x[index][edge].set(x);
        notes.greatest.set(GREATEST);
        if index == 0 {
            notes.counts[edge].set(notes.counts[edge].get() + 1);
        }
    }

    forwarded_warp!(lane);
    forwarded! {
        lane:
        fn thread() -> u64;
        fn tile() -> u32;
        #[reaches] fn load<const V: usize>(from: *const f32) -> [f32; V];
        #[reaches] fn load_halves<const V: usize>(from: *const u16) -> [u16; V];
        #[reaches] fn load_u32(from: *const u32) -> u32;
        #[reaches] fn load_u64(from: *const u64) -> u64;
        #[reaches] fn load_word(from: *const u32) -> u32;
        #[reaches] fn load_mark(from: *const u8) -> u8;
        #[reaches] fn load_byte(from: *const u8) -> u8;
        fn widen_halves<const V: usize>(halves: [u16; V]) -> [f32; V];
        fn narrow_halves<const V: usize>(values: [f32; V]) -> [u16; V];
    }
    stores_nothing! {
        store<const V: usize>(*mut f32, [f32; V]); add<const V: usize>(*mut f32, [f32; V]); store_halves<const V: usize>(*mut u16, [u16; V]);
        multiply<const V: usize>(*mut f32, [f32; V]); multiply_quotients<const V: usize>(*mut f32, [f32; V]); min<const V: usize>(*mut f32, [f32; V]);
        max<const V: usize>(*mut f32, [f32; V]); store_u32(*mut u32, u32); store_mark(*mut u8, u8); store_byte(*mut u8, u8); add_u32(*mut u32, u32); min_u32(*mut u32, u32);
        max_u32(*mut u32, u32); or_u32(*mut u32, u32); and_u32(*mut u32, u32);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn compare_and_swap(self, _to: *mut u32, old: u32, _new: u32) -> u32 {
        old
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add_u64(self, _to: *mut u64, _value: u64) -> u64 {
        0
    }
}

// SAFETY: it is the machine inside.
unsafe impl<M: Machine, const F: usize, const N: usize> Machine for Given<'_, M, F, N> {
    const LANES: u32 = M::LANES;
    const LOG_PRODUCTS: LogProducts = LogProducts::Given;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn log_product(self, index: usize) -> f32 {
        self.products[index][self.edge]
    }

    forwarded_warp!(lane);
    forwarded_words!(lane);
    forwarded_rows!(lane);
}

#[cfg(test)]
mod tests {
    use super::{Given, Noter, Notes};
    use crate::cpu::Cpu;
    use crate::group::Group;
    use crate::logarithmic::factor;
    use crate::machine::Machine;
    use crate::row::Row;
    use crate::unrolled::array;

    const V: usize = 3;
    const N: usize = 8;
    const NONE: f64 = f64::NEG_INFINITY;

    /// A product of logarithms, by whatever the machine does for it.
    fn product(machine: impl Machine, greatest: bool, features: u32, (rows, x): ([[f64; V]; V], [f32; V])) -> [f32; V] {
        let group = Group::<_, 1, V>::of(machine, features);
        let matrix = rows.map(|row| Row::<V>::from_columns(|column| factor(row[column])));
        if greatest { group.log_max_matvec(matrix, x) } else { group.log_matvec(matrix, x) }
    }

    /// The products of up to `N` edges that are made together, if they are.
    fn together(greatest: bool, features: u32, edges: &[([[f64; V]; V], [f32; V])]) -> Option<Vec<[f32; V]>> {
        let notes = Notes::<V, N>::default();
        for (edge, of) in edges.iter().enumerate() {
            product(Noter { lane: Cpu, notes: &notes, edge }, greatest, features, *of);
        }
        let products = notes.products(Group::<_, 1, V>::of(Cpu, features))?;
        let given = |edge| product(Given { lane: Cpu, products: &products, edge }, greatest, features, edges[edge]);
        Some((0..edges.len()).map(given).collect())
    }

    /// Rows and vectors of an edge, with a state that is impossible in some.
    fn edge(number: usize) -> ([[f64; V]; V], [f32; V]) {
        let value = |at: usize| -(((number * 31 + at * 17) % 29) as f64) / 5.0;
        let rows = array(|row| array(|column| if number + row == 2 { NONE } else { value(row * V + column) }));
        (rows, array(|index| if number == 3 && index == 1 { f32::NEG_INFINITY } else { value(50 + index) as f32 }))
    }

    #[test]
    fn products_that_are_made_together_have_the_same_bits() {
        for greatest in [false, true] {
            for features in 1..=V as u32 {
                for count in 1..=N {
                    let edges: Vec<_> = (0..count).map(edge).collect();
                    let found = together(greatest, features, &edges).expect("floats hold all sums");
                    for (found, of) in found.into_iter().zip(edges) {
                        let expected = product(Cpu, greatest, features, of);
                        assert_eq!(found.map(f32::to_bits), expected.map(f32::to_bits), "{of:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_floats_lose_is_made_alone() {
        let lost = ([[-200.0; V], [0.0; V], [0.0; V]], [0.0; V]);
        assert!(together(false, V as u32, &[edge(0), lost]).is_none());
    }

    #[test]
    fn several_products_of_an_edge_are_made_alone() {
        let notes = Notes::<V, N>::default();
        for _ in 0..2 {
            product(Noter { lane: Cpu, notes: &notes, edge: 0 }, false, V as u32, edge(0));
        }
        assert!(notes.products(Group::<_, 1, V>::of(Cpu, V as u32)).is_none());
    }
}
