//! `multimodal_learning`: see `multimodal_learning --help`.

use std::process::ExitCode;

use onyx_cli::multimodal_learning::MultimodalLearningProgram;
use onyx_runtime::memory::ExitingAllocator;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

fn main() -> ExitCode {
    onyx_cli::main::<MultimodalLearningProgram>()
}
