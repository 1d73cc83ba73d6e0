//! `multi_manifold_ranking`: see `multi_manifold_ranking --help`.

use std::process::ExitCode;

use onyx_examples::cli::{self, multi_manifold_ranking::MultiManifoldRankingProgram};
use onyx_runtime::memory::ExitingAllocator;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

fn main() -> ExitCode {
    cli::main::<MultiManifoldRankingProgram>()
}
