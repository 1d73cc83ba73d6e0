//! `multi_manifold_ranking`: see `multi_manifold_ranking --help`.

use std::process::ExitCode;

use onyx_cli::multi_manifold_ranking::MultiManifoldRankingProgram;
use onyx_runtime::memory::ExitingAllocator;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

fn main() -> ExitCode {
    onyx_cli::main::<MultiManifoldRankingProgram>()
}
