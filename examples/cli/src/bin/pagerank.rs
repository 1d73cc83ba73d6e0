//! `pagerank`: see `pagerank --help`.

use std::process::ExitCode;

use onyx_cli::pagerank::PageRankProgram;
use onyx_runtime::memory::ExitingAllocator;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

fn main() -> ExitCode {
    onyx_cli::main::<PageRankProgram>()
}
