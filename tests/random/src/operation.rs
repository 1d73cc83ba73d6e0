//! Collaborative operations.

/// What works across the features of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Σ x
    Sum,
    /// Π x
    Product,
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// √Σ x²
    Norm2,
    /// ln Σ exp(x)
    LogSumExp,
    /// The lowest feature that has the greatest.
    Argmax,
    /// Σ a·b
    Dot,
    /// Whether for any.
    Any,
    /// Whether for all.
    All,
    /// Another feature's.
    Broadcast,
    /// x / Σ x
    Normalize,
    /// exp(x) / Σ exp(x)
    Softmax,
    /// A row of the outer product.
    Outer,
    /// A matrix times a vector.
    Matvec,
    /// The greatest product of a row.
    MaxMatvec,
    /// The transposed matrix times a vector.
    TransposeMatvec,
    /// A solution.
    Solve,
    /// A row of the inverse.
    Inverse,
    /// A row of a diagonal matrix.
    Diagonal,
}

impl Operation {
    /// How it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Product => "product",
            Self::Min => "min",
            Self::Max => "max",
            Self::Norm2 => "norm2",
            Self::LogSumExp => "log_sum_exp",
            Self::Argmax => "argmax",
            Self::Dot => "dot",
            Self::Any => "any",
            Self::All => "all",
            Self::Broadcast => "broadcast",
            Self::Normalize => "normalize",
            Self::Softmax => "softmax",
            Self::Outer => "outer",
            Self::Matvec => "matvec",
            Self::MaxMatvec => "max_matvec",
            Self::TransposeMatvec => "transpose_matvec",
            Self::Solve => "solve",
            Self::Inverse => "inverse",
            Self::Diagonal => "diagonal",
        }
    }

    /// Whether its result is the same for all features.
    pub fn is_uniform(self) -> bool {
        use Operation::{Diagonal, Inverse, Matvec, MaxMatvec, Normalize, Outer, Softmax, Solve, TransposeMatvec};
        !matches!(self, Normalize | Softmax | Outer | Matvec | MaxMatvec | TransposeMatvec | Solve | Inverse | Diagonal)
    }
}
