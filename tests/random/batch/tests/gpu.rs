//! Every program of the batch agrees with the interpreter on a GPU, by kernels that `cargo xtask build-ptx --package onyx-random-batch` has made.

use onyx_random_batch::{CASES, check};

#[test]
#[ignore = "needs a GPU"]
fn gpu_programs_agree() {
    assert!(!CASES.is_empty());
    CASES.iter().for_each(check::agrees_on_gpu);
}
