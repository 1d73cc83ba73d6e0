//! `als`: see `als --help`.

use std::process::ExitCode;

use onyx_cli::als::AlsProgram;
use onyx_runtime::memory::ExitingAllocator;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

fn main() -> ExitCode {
    onyx_cli::main::<AlsProgram>()
}
