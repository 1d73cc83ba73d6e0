//! Bodies of functions, lowered and run on a CPU and on the emulator, against the same bodies as plain Rust: one thread for each feature, that
//! really meet at the collaborative operations.
#![cfg(not(target_arch = "nvptx64"))]

mod evaluation {
    #[macro_use]
    pub mod program;
    pub mod agreement;
    pub mod edges;
    pub mod fuzz;
    pub mod lowered;
    pub mod order;
    pub mod plain;
    pub mod values;
    pub mod variables;
}
