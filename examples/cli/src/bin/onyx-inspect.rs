//! `onyx-inspect`: see `onyx-inspect --help`.

use std::process::ExitCode;

use onyx_cli::inspect::{InspectProgram, run};
use onyx_runtime::memory::ExitingAllocator;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

fn main() -> ExitCode {
    onyx_cli::main_of::<InspectProgram>(run)
}
