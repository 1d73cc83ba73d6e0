//! What the groups of a cut row leave for its `finish`: a part each, or one that all of them add to.

/// The most properties that a structure has.
const MOST: usize = u64::BITS as usize;

/// The floats that a row of features has for what is the same for all of them, a multiple of 4, so that rows stay aligned.
pub const SHARED_FLOATS: usize = 4;

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
}

impl Parts {
    /// Of nothing.
    pub const NONE: Self = Self { floats: [PartFloats { own: 0, shared: 0 }; MOST], are_added: true };

    /// Of the property at `index` alone, whose groups add theirs to one part if `are_added`.
    pub const fn of(index: u32, own: usize, shared: usize, are_added: bool) -> Self {
        let mut parts = Self { are_added, ..Self::NONE };
        parts.floats[index as usize % MOST] = PartFloats { own: own as u8, shared: shared as u8 };
        parts
    }

    /// The greater of both, property by property.
    pub const fn union(self, other: Self) -> Self {
        let (mut parts, mut index) = (Self { are_added: self.are_added && other.are_added, ..self }, 0);
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

    /// The floats of the property at `index`; none if it is not reduced.
    pub const fn get(self, index: usize) -> PartFloats {
        self.floats[index]
    }
}
