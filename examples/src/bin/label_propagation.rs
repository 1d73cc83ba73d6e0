//! `label_propagation`: see `label_propagation --help`.

use std::process::ExitCode;

use onyx_examples::cli::{self, label_propagation::LabelPropagationProgram};
use onyx_runtime::memory::ExitingAllocator;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

fn main() -> ExitCode {
    cli::main::<LabelPropagationProgram>()
}
