//! `gcn`: see `gcn --help`.

use std::process::ExitCode;

use onyx_gnn::model::Model;
use onyx_gnn_cli::program;
use onyx_runtime::memory::ExitingAllocator;

#[global_allocator]
static ALLOCATOR: ExitingAllocator = ExitingAllocator;

fn main() -> ExitCode {
    program::main(Model::Gcn)
}
