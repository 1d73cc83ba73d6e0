//! `label_propagation`: see `label_propagation --help`.

use std::process::ExitCode;

use onyx_cli::label_propagation::LabelPropagationProgram;
use onyx_runtime::memory::ExitingAllocator;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

fn main() -> ExitCode {
    onyx_cli::main::<LabelPropagationProgram>()
}
