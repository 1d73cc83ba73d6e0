//! How the systems of equations of factors are solved.

use std::fmt;

use serde::Serialize;

/// The widest matrix that is factorized where nothing is said: of wider ones, all users and items have gigabytes.
const GREATEST_MATRIX: usize = 64;

/// How the systems of equations of factors are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Solver {
    /// By Cholesky's factorization up to 64 features, and more of them by conjugate gradients.
    #[default]
    Auto,
    /// By Cholesky's factorization of a matrix for each user and item.
    Cholesky,
    /// By conjugate gradients, without matrices.
    ConjugateGradients,
}

impl Solver {
    /// Whether systems of so many equations are factorized.
    pub fn factorizes(self, features: usize) -> bool {
        match self {
            Self::Auto => features <= GREATEST_MATRIX,
            Self::Cholesky => true,
            Self::ConjugateGradients => false,
        }
    }
}

impl fmt::Display for Solver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Cholesky => "cholesky",
            Self::ConjugateGradients => "conjugate_gradients",
        })
    }
}
