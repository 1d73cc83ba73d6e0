//! `graph_classification`: see `graph_classification --help`.

use std::process::ExitCode;

use onyx_gnn_cli::classification;
use onyx_runtime::memory::ExitingAllocator;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

fn main() -> ExitCode {
    classification::main()
}
