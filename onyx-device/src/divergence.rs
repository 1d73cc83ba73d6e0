//! Which infinities are a sign of divergence: those that a sum or product has become.
//!
//! An infinity may be a right answer: a vertex that no path reaches, the minimum of nothing, the logarithm of zero. It is a sign of divergence where a
//! total of sums or products is passed on by additions and multiplications alone, and no function of the fold makes infinities on purpose.

use crate::access::EdgeAccess;
use crate::changes::Stored;
use crate::stage::Member;

/// The properties in which an infinity is a sum or product that has left the range of floats.
pub const fn summed(members: &[Member]) -> u64 {
    let (totals, bounds) = match totals(members) {
        Some(totals) => totals,
        None => return 0,
    };
    let (mut passed, mut bounded, mut read, mut index) = (totals, bounds, 0, 0);
    while index < members.len() {
        read |= members[index].vertex.reads;
        let (stores, mut at) = (members[index].flow.stores, 0);
        while at < stores.len() {
            let Stored { property, sources, linear, .. } = stores[at];
            passed |= ((linear & passed != 0) as u64) << property;
            bounded |= ((sources & bounded != 0) as u64) << property;
            at += 1;
        }
        index += 1;
    }
    // A total that vertex functions have used is not in memory.
    passed & !bounded & !(totals & read)
}

/// The properties that are reduced by sums and products, and those by minima and maxima; none where a function makes infinities.
const fn totals(members: &[Member]) -> Option<(u64, u64)> {
    let (mut edges, mut index) = (EdgeAccess::NONE, 0);
    while index < members.len() {
        if members[index].may_make_infinity {
            return None;
        }
        edges = edges.union(members[index].edge);
        index += 1;
    }
    let bounds = edges.lowers | edges.raises;
    Some((edges.reduces & !bounds, bounds))
}

#[cfg(test)]
mod tests {
    extern crate std;

    use std::boxed::Box;

    use super::*;
    use crate::access::VertexAccess;
    use crate::changes::Flow;
    use crate::tile::Across;

    const SUM: u64 = 1;
    const LEAST: u64 = 2;

    const EDGE: Member = Member {
        name: "",
        is_edge: true,
        edge: EdgeAccess { reduces: SUM | LEAST, lowers: LEAST, ..EdgeAccess::NONE },
        vertex: VertexAccess::NONE,
        may_stop: false,
        may_make_infinity: false,
        flow: Flow::NONE,
        across: Across::NONE,
        is_first: true,
        entry: 0,
    };

    fn vertex<const N: usize>(stores: [Stored; N]) -> Member {
        let stores = Box::leak(Box::new(stores));
        let vertex = VertexAccess { reads: SUM | LEAST, writes: 12 };
        Member { is_edge: false, edge: EdgeAccess::NONE, vertex, flow: Flow { stores, ..Flow::NONE }, ..EDGE }
    }

    const fn stored(property: u32, sources: u64, linear: u64) -> Stored {
        Stored { property, sources, linear, rests_on: 0, is_certain: true }
    }

    #[test]
    fn totals_of_edges_alone_count_if_they_are_sums() {
        assert_eq!(summed(&[EDGE]), SUM);
        assert_eq!(summed(&[Member { may_make_infinity: true, ..EDGE }]), 0);
    }

    #[test]
    fn what_passes_a_sum_on_counts() {
        assert_eq!(summed(&[EDGE, vertex([stored(2, SUM, SUM)])]), 4);
        assert_eq!(summed(&[EDGE, vertex([stored(2, SUM, 0)])]), 0);
        assert_eq!(summed(&[EDGE, vertex([stored(2, SUM, SUM)]), vertex([stored(3, 4, 4)])]), 12);
        assert_eq!(summed(&[EDGE, vertex([stored(2, SUM | LEAST, SUM)])]), 0);
        assert_eq!(summed(&[EDGE, vertex([stored(2, LEAST, LEAST)])]), 0);
    }
}
