//! How wide the rows are in which the groups of a cut row leave their totals, one after the other, for its `finish`.

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
pub struct Parts([PartFloats; MOST]);

impl Parts {
    /// Of nothing.
    pub const NONE: Self = Self([PartFloats { own: 0, shared: 0 }; MOST]);

    /// Of the property at `index` alone.
    pub const fn of(index: u32, own: usize, shared: usize) -> Self {
        let mut parts = Self::NONE;
        parts.0[index as usize % MOST] = PartFloats { own: own as u8, shared: shared as u8 };
        parts
    }

    /// The greater of both, property by property.
    pub const fn union(self, other: Self) -> Self {
        let (mut parts, mut index) = (self, 0);
        while index < MOST {
            let (one, two) = (self.0[index], other.0[index]);
            let own = if one.own > two.own { one.own } else { two.own };
            let shared = if one.shared > two.shared { one.shared } else { two.shared };
            parts.0[index] = PartFloats { own, shared };
            index += 1;
        }
        parts
    }

    /// Whether all totals are single floats, which groups combine into memory atomically.
    pub const fn are_atomic(self) -> bool {
        let mut index = 0;
        while index < MOST {
            if self.0[index].own > 1 || self.0[index].shared > 0 {
                return false;
            }
            index += 1;
        }
        true
    }

    /// The floats of the property at `index`; none if it is not reduced.
    pub const fn get(self, index: usize) -> PartFloats {
        self.0[index]
    }
}
