//! Belief propagation is exact on networks without loops on the GPU, too.

#[path = "../../examples/tests/trees/mod.rs"]
mod trees;

use onyx_runtime::Backend;
use trees::{assignments_agree, count, marginals_agree, stars_agree};

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_marginals_are_exact() {
    marginals_agree(0..count(216), 2..=200, Backend::Cuda);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_assignments_are_exact() {
    assignments_agree(0..count(216), 2..=200, Backend::Cuda);
}

#[test]
#[ignore = "needs an NVIDIA GPU"]
fn gpu_stars_are_exact() {
    stars_agree([1, 10, 92, 93, 1000, 10_000].into_iter(), Backend::Cuda);
}
