//! How rows are cut: into neighbor groups of which size, and by bins of their sources.

use onyx_device::FoldFacts;

use super::Chosen;
use crate::bins::Bins;
use crate::options::Options;
use crate::schedule::Kernel;
use crate::schedule::rule::{self, Facts, Processor};

/// The threads that a multiprocessor has at once.
const THREADS_AT_ONCE: u64 = 2048;
/// How often the threads of the GPU take new groups, at least, before the last of them is no wait.
const WAVES: u64 = 3;

/// Chosen by the sweeps in `pull-h200-groups.csv`, `sum-groups-h200.csv`, `sum-sizes-h200.csv`, `sum-relative-h200.csv` and `attention-groups-h200.csv` of `docs/measurements`, for rows of so many
/// floats: those of heads that lie side by side together. `may_be_added` says that groups [add](super::parts) to one part of their row, `has_many` that the graph [has many edges](has_many_edges).
pub(super) fn group_size(
    fold: &FoldFacts,
    may_be_added: bool,
    floats: usize,
    has_many: bool,
    options: &Options,
) -> Chosen<usize> {
    let leaves_parts = !fold.is_atomic && !may_be_added;
    let agrees = may_be_added && fold.parts.are_relative();
    let one_at_a_time = fold.edges.multiplies | fold.edges.lowers | fold.edges.raises != 0 && fold.is_atomic;
    let why_rare = "a product or a bound goes to memory a number at a time, and so is to go there rarely";
    match options.group_size {
        Some(size) => Chosen::new(size, "it was asked for"),
        None if one_at_a_time && floats <= 32 => Chosen::new(64, why_rare),
        None if one_at_a_time => Chosen::new(128, why_rare),
        None if leaves_parts && floats > 64 => Chosen::new(128, "the widest rows leave the fewest parts"),
        None if leaves_parts && floats > 16 => Chosen::new(64, "wide rows leave few parts"),
        None if agrees && floats <= 8 => {
            Chosen::new(32, "the groups of a row agree on something, and so are to be few")
        }
        None if floats <= 8 || floats <= 16 && fold.is_atomic => {
            Chosen::new(16, "narrow rows need many groups to fill the GPU")
        }
        None if floats > 32 && has_many => {
            Chosen::new(64, "the widest rows of many edges fill the GPU with the fewest groups")
        }
        None if agrees && floats <= 16 && has_many => {
            Chosen::new(64, "many edges fill the GPU, and the groups of a row agree on something")
        }
        None if floats <= 64 => Chosen::new(32, "wide rows fill the GPU with fewer groups, and fewer rows are cut"),
        None => Chosen::new(64, "the widest rows fill the GPU with the fewest groups"),
    }
}

/// Whether groups of 64 edges, of so many lanes each, come to the GPU in several waves, so that none waits long for the last of them (`docs/measurements/sum-sizes-h200.csv`).
pub(super) fn has_many_edges(edges: usize, lanes: u64, processor: Processor) -> bool {
    let at_once = processor.multiprocessors * THREADS_AT_ONCE;
    at_once > 0 && edges as u64 * lanes >= at_once * 64 * WAVES
}

/// How many bins the sources of edges are cut into, where somebody asks for it.
pub(super) fn bins(asked: Bins, facts: &Facts) -> Option<Chosen<usize>> {
    let (count, why) = match asked {
        Bins::None => return None,
        Bins::Count(count) => (count, format!("{count} were asked for")),
        Bins::Auto => rule::bins(facts),
    };
    let vertices = facts.statistics.vertices.max(1);
    // A run refuses no bins at all; what is only explained or forecast has them as one.
    let of_bin = vertices.div_ceil(count.max(1));
    Some(Chosen::new(vertices.div_ceil(of_bin), format!("{why}: {of_bin} vertices each")))
}

/// The same for this kernel of pulls.
pub(super) fn only_of_groups(bins: Chosen<usize>, pull: Kernel) -> Chosen<usize> {
    if pull == Kernel::Pull { bins } else { Chosen::new(1, "pulls do not go by neighbor groups") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decider::tests::facts;
    use crate::schedule::rule::Processor;

    #[test]
    fn edges_of_three_waves_are_many() {
        let h200 = Processor { multiprocessors: 132, cache: 0 };
        // 16 lanes: 3.2 million edges are three waves; four: 13 million.
        let found = [(16, 4), (3, 16), (4, 16)].map(|(mebi, lanes)| has_many_edges(mebi << 20, lanes, h200));
        assert_eq!(found, [true, false, true]);
        assert!(!has_many_edges(16 << 20, 8, Processor::default()));
    }

    #[test]
    fn the_rows_of_a_bin_fill_the_cache() {
        // 16 Mi vertices of 64 bytes are 1 GiB, and the cache has 50 MiB.
        let all = |vertices, multiprocessors| facts(vertices, 16.0, 70_000, multiprocessors);
        let auto = |facts: &Facts| bins(Bins::Auto, facts).map(|bins| bins.what);
        assert_eq!(auto(&all(1 << 24, 132)), Some(21));
        assert_eq!(auto(&all(50 << 14, 132)), Some(1));
        assert_eq!(auto(&all((50 << 14) + 1, 132)), Some(2));
        assert_eq!(auto(&all(0, 132)), Some(1));
        assert_eq!(auto(&Facts { processor: Processor::default(), ..all(1 << 24, 0) }), Some(1));
        let asked = |count, vertices| bins(Bins::Count(count), &all(vertices, 132)).map(|bins| bins.what);
        assert_eq!([asked(6, 10), asked(6, 5), asked(6, 0), asked(1, 10)], [Some(5), Some(5), Some(1), Some(1)]);
        assert!(bins(Bins::None, &all(1 << 24, 132)).is_none());
        let chosen = || Chosen::new(4, "");
        assert_eq!([Kernel::Pull, Kernel::EdgeFlat].map(|pull| only_of_groups(chosen(), pull).what), [4, 1]);
    }
}
