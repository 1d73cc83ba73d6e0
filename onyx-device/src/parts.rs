//! What the groups of a cut row leave for its `finish`: a part each, or one that all of them add to.

/// The most properties that a structure has.
const MOST: usize = u64::BITS as usize;

/// The floats that a row of features has for what is the same for all of them, a multiple of 4, so that rows stay aligned.
pub const SHARED_FLOATS: usize = 4;

/// From how many floats on parts begin where a sector of memory does: what groups add to reaches no more of them than it has to.
const SECTOR: usize = 8;

/// The floats from one part to the next: of a row of so many with what is shared by all features of each head. Narrow rows follow each other without a gap.
pub const fn row_stride(floats: usize, shared: usize) -> usize {
    let all = floats + shared;
    if floats < SECTOR { all } else { all.next_multiple_of(SECTOR) }
}

/// Where a group of a cut row adds its part.
#[derive(Clone, Copy, Debug)]
pub struct PartPlace {
    /// The row of the cut row, to which all of its groups add.
    pub row: u32,
    /// The edges of the group for which that has begun with something.
    pub edges: u32,
    /// The row that the group has for itself; 0 where it needs none.
    pub apart: u32,
}

/// The floats of one property's part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartFloats {
    /// For each feature, or of a scalar.
    pub own: u8,
    /// For all features of a row.
    pub shared: u8,
}

/// The floats of the parts of each property, by its position. Nothing for those that are not reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    floats: [PartFloats; MOST],
    are_added: bool,
    are_relative: bool,
}

impl Parts {
    /// Of nothing.
    pub const NONE: Self =
        Self { floats: [PartFloats { own: 0, shared: 0 }; MOST], are_added: true, are_relative: false };

    /// Of the property at `index` alone, whose groups add theirs to one part if `are_added`.
    pub const fn of(index: u32, own: usize, shared: usize, are_added: bool) -> Self {
        let mut parts = Self { are_added, ..Self::NONE };
        parts.floats[index as usize % MOST] = PartFloats { own: own as u8, shared: shared as u8 };
        parts
    }

    /// The same, which are relative to a number of the row's.
    pub const fn relative(self) -> Self {
        Self { are_relative: true, ..self }
    }

    /// The greater of both, property by property.
    pub const fn union(self, other: Self) -> Self {
        let are_added = self.are_added && other.are_added;
        let are_relative = self.are_relative || other.are_relative;
        let (mut parts, mut index) = (Self { are_added, are_relative, ..self }, 0);
        while index < MOST {
            let (one, two) = (self.floats[index], other.floats[index]);
            let own = if one.own > two.own { one.own } else { two.own };
            let shared = if one.shared > two.shared { one.shared } else { two.shared };
            parts.floats[index] = PartFloats { own, shared };
            index += 1;
        }
        parts
    }

    /// Whether all totals are single floats, which groups combine into memory atomically.
    pub const fn are_atomic(self) -> bool {
        let mut index = 0;
        while index < MOST {
            if self.floats[index].own > 1 || self.floats[index].shared > 0 {
                return false;
            }
            index += 1;
        }
        true
    }

    /// Whether all totals are combined by adding their floats, so that the groups of a cut row may add theirs to one part atomically.
    pub const fn are_added(self) -> bool {
        self.are_added
    }

    /// Whether some are relative to a number of the row's. A group whose totals are too far above it stores them apart.
    pub const fn are_relative(self) -> bool {
        self.are_relative
    }

    /// The floats of the property at `index`; none if it is not reduced.
    pub const fn get(self, index: usize) -> PartFloats {
        self.floats[index]
    }
}
