//! `belief_propagation`: see `belief_propagation --help`.

use std::process::ExitCode;

use onyx_cli::belief_propagation::BeliefPropagationProgram;
use onyx_runtime::memory::ExitingAllocator;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

fn main() -> ExitCode {
    onyx_cli::main::<BeliefPropagationProgram>()
}
