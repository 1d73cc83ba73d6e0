//! Bins of sources: the rows that edges read lie in a part of the second-level cache, one part of the graph after the other.

use std::fmt;
use std::str::FromStr;

use onyx_device::FoldFacts;
use onyx_device::property::{Descriptor, Element};
use onyx_device::stage::StageAccess;

/// How many bins the sources of edges are cut into where pulls go by neighbor groups. All groups of a bin come before those of the next (BiKD's graph partitions).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bins {
    /// One: groups are in the order of their vertices.
    #[default]
    None,
    /// As many as it takes for what edges read in a bin to be no more than the device's second-level cache.
    Auto,
    /// So many, 1 to [`Bins::MOST`].
    Count(usize),
}

impl Bins {
    /// The most bins.
    pub const MOST: usize = 4096;

    /// Whether there may be so many.
    pub(crate) fn are_possible(self) -> bool {
        !matches!(self, Self::Count(count) if count == 0 || count > Self::MOST)
    }
}

impl FromStr for Bins {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let count = |text: &str| text.parse().ok().map(Self::Count).filter(|bins| bins.are_possible());
        match text {
            "none" => Ok(Self::None),
            "auto" => Ok(Self::Auto),
            _ => count(text).ok_or_else(|| format!("give auto, none, or a number of bins from 1 to {}", Self::MOST)),
        }
    }
}

impl fmt::Display for Bins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Auto => f.write_str("auto"),
            Self::Count(count) => count.fmt(f),
        }
    }
}

/// How many bytes the edges of a stage read of a neighbor in a row of `width` features, at most: of a source, or of a destination where they reduce into sources.
pub(crate) fn neighbor_bytes(fold: &FoldFacts, width: usize) -> u64 {
    let read = |stage: &StageAccess| {
        if stage.is_reversed() { stage.edges.reads_destination } else { stage.edges.reads_source }
    };
    let bytes = |stage: &StageAccess| bytes_of(fold, read(stage), |property| numbers(property, width));
    fold.stages.iter().map(bytes).max().unwrap_or_default()
}

/// The bytes of the properties whose bits are set, of which a vertex or an edge has so many numbers.
pub(crate) fn bytes_of(fold: &FoldFacts, properties: u64, numbers: impl Fn(&Descriptor) -> usize) -> u64 {
    let properties = fold.properties.iter().enumerate().filter(|(index, _)| properties >> index & 1 == 1);
    properties.map(|(_, property)| numbers(property) * property.number.bytes()).sum::<usize>() as u64
}

/// How many numbers a vertex has of a property, for one head. A row of another width counts as one of this.
fn numbers(property: &Descriptor, width: usize) -> usize {
    match property.element {
        Element::VertexScalar | Element::VertexHeads => 1,
        Element::VertexFeatures | Element::VertexInputs => width,
        Element::VertexMatrix => width * width,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_of_bins_is_refused() {
        for bins in [Bins::None, Bins::Auto, Bins::Count(1), Bins::Count(Bins::MOST)] {
            assert_eq!(bins.to_string().parse(), Ok(bins));
        }
        for text in ["0", "-1", "4097", "1.5", "many", ""] {
            let error = text.parse::<Bins>().unwrap_err();
            assert_eq!(error, "give auto, none, or a number of bins from 1 to 4096");
        }
    }
}
