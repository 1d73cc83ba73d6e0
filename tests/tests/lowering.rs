//! The lowered functions of two programs against serial loops, on the machine of a CPU thread and on the warp emulator.

mod lowering {
    pub mod arrays;
    pub mod label_propagation;
    pub mod pagerank;
}
