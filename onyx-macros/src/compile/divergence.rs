//! Which infinities are a sign of divergence: those that a sum or product has become.
//!
//! An infinity may be a right answer: a vertex that no path reaches, the minimum of nothing, the logarithm of zero. It is a sign of divergence where a
//! total of sums or products is passed on by additions and multiplications alone, and no function of the fold makes infinities on purpose.

use crate::compile::accesses::Accesses;
use crate::compile::flow::Stored;
use crate::compile::function::FoldFunction;

/// The properties in which an infinity is a sum or product that has left the range of floats.
pub fn summed(members: &[FoldFunction]) -> u64 {
    if members.iter().any(|member| member.may_make_infinity) {
        return 0;
    }
    let accesses = Accesses::union_of(members.iter().map(|member| member.accesses));
    // The logarithm of nothing is infinite, too, and of an operator of the user's nothing is known.
    let bounds = accesses.bounds() | accesses.log_sums | accesses.own;
    let totals = accesses.reduces & !bounds;
    let (mut passed, mut bounded) = (totals, bounds);
    for Stored { property, sources, linear, .. } in members.iter().flat_map(|member| &member.flow.stores) {
        passed |= if linear & passed != 0 { *property } else { 0 };
        bounded |= if sources & bounded != 0 { *property } else { 0 };
    }
    // A total that vertex functions have used is not in memory.
    passed & !bounded & !(totals & accesses.reads)
}
