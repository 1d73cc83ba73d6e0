//! Sets of active vertices.

use bitvec::prelude::{BitVec, Lsb0};
use rayon::prelude::*;

use crate::graph::Adjacency;

/// How many words a thread counts at a time: others wake up for longer than fewer take.
const FEW: usize = 256;

/// A subset of the vertices `0..len()`, one bit each, the lowest bit of a word first.
///
/// Invariant: the bits of the last word past `len()` are clear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveSet {
    bits: BitVec<u32, Lsb0>,
}

impl ActiveSet {
    /// All of `vertices` vertices.
    pub fn all(vertices: usize) -> Self {
        Self::from_words(vertices, vec![u32::MAX; vertices.div_ceil(32)])
    }

    /// None of `vertices` vertices.
    pub fn none(vertices: usize) -> Self {
        Self::from_words(vertices, Vec::new())
    }

    /// Of `vertices` vertices those that are listed; panics if there is no such vertex.
    pub fn of(vertices: usize, active: impl IntoIterator<Item = u32>) -> Self {
        let mut set = Self::none(vertices);
        for vertex in active {
            assert!((vertex as usize) < vertices, "there is no vertex {vertex}: there are {vertices}, from 0 on");
            set.set(vertex, true);
        }
        set
    }

    /// The set whose words are `words`: missing words count as clear, bits past `vertices` are cleared.
    pub fn from_words(vertices: usize, mut words: Vec<u32>) -> Self {
        words.resize(vertices.div_ceil(32), 0);
        let mut bits = BitVec::from_vec(words);
        bits.truncate(vertices);
        bits.set_uninitialized(false);
        Self { bits }
    }

    /// The number of vertices, active or not.
    pub fn len(&self) -> usize {
        self.bits.len()
    }

    /// The number of active vertices.
    pub fn count(&self) -> usize {
        self.words().iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no vertex is active.
    pub fn is_empty(&self) -> bool {
        self.words().iter().all(|&word| word == 0)
    }

    /// Makes `vertex` active or inactive; panics if there is no such vertex.
    pub fn set(&mut self, vertex: u32, active: bool) {
        self.bits.set(vertex as usize, active);
    }

    /// Whether `vertex` is active; false if there is no such vertex.
    #[inline]
    pub fn contains(&self, vertex: u32) -> bool {
        self.words().get(vertex as usize / 32).is_some_and(|word| word >> (vertex % 32) & 1 == 1)
    }

    /// The active vertices, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.bits.iter_ones().map(|vertex| vertex as u32)
    }

    /// The active vertex after `before` others, if there is one: words are skipped, not bits.
    pub(crate) fn nth(&self, before: usize) -> Option<u32> {
        let mut rest = before;
        for (number, word) in (0_u32..).zip(self.words()) {
            match rest.checked_sub(word.count_ones() as usize) {
                Some(fewer) => rest = fewer,
                None => return ones(*word).nth(rest).map(|bit| 32 * number + bit),
            }
        }
        None
    }

    /// The bits, 32 vertices a word.
    #[inline]
    pub fn words(&self) -> &[u32] {
        self.bits.as_raw_slice()
    }

    /// The number of edges in the rows of the active vertices; panics if the set has more vertices than `adjacency`.
    pub fn edge_count(&self, adjacency: &Adjacency) -> usize {
        let edges_of = |(index, &word): (usize, &u32)| -> usize {
            ones(word).map(|bit| adjacency.degree(index as u32 * 32 + bit)).sum()
        };
        let words = self.words();
        if words.len() <= FEW {
            return words.iter().enumerate().map(edges_of).sum();
        }
        words.par_iter().with_min_len(FEW).enumerate().map(edges_of).sum()
    }
}

/// The set bits of `word`, ascending.
fn ones(word: u32) -> impl Iterator<Item = u32> {
    let without_lowest = |rest: &u32| Some(rest & (rest - 1)).filter(|&rest| rest != 0);
    std::iter::successors(Some(word).filter(|&word| word != 0), without_lowest).map(u32::trailing_zeros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GraphBuilder;
    use proptest::prelude::*;

    #[test]
    fn bits_past_the_end_are_clear() {
        let set = ActiveSet::from_words(33, vec![u32::MAX; 3]);
        assert_eq!((set.words(), set.count(), set.len()), (&[u32::MAX, 1][..], 33, 33));
        assert_eq!(set, ActiveSet::all(33));
        assert!(!set.contains(33) && !set.contains(1000));
    }

    #[test]
    #[should_panic(expected = "there is no vertex 63: there are 23, from 0 on")]
    fn vertices_that_there_are_not_are_named() {
        let _ = ActiveSet::of(23, [22, 63]);
    }

    #[test]
    fn sets_of_no_vertices_are_empty() {
        for set in [ActiveSet::all(0), ActiveSet::none(0), ActiveSet::none(70)] {
            assert!(set.is_empty() && set.iter().next().is_none());
        }
        assert_eq!(ActiveSet::none(70).words(), [0; 3]);
    }

    #[test]
    fn edges_of_the_active_rows_are_counted() {
        let graph = GraphBuilder::new().vertices(40).edges(vec![(0, 39), (1, 39), (39, 0), (5, 6)]).build().unwrap();
        let set = ActiveSet::of(40, [39, 0]);
        assert_eq!((set.edge_count(graph.incoming()), set.edge_count(graph.outgoing())), (3, 2));
        assert_eq!(ActiveSet::all(40).edge_count(graph.incoming()), 4);
    }

    proptest! {
        #[test]
        fn a_set_holds_what_was_set(members in prop::collection::btree_set(0u32..200, 0..50)) {
            let set = ActiveSet::of(200, members.iter().copied());
            prop_assert_eq!(set.iter().collect::<Vec<_>>(), members.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(set.count(), members.len());
            let in_order: Vec<u32> = (0..).map_while(|before| set.nth(before)).collect();
            prop_assert_eq!(in_order, set.iter().collect::<Vec<_>>());
            prop_assert!((0..200).all(|vertex| set.contains(vertex) == members.contains(&vertex)));
            prop_assert_eq!(&ActiveSet::from_words(200, set.words().to_vec()), &set);
        }
    }
}
