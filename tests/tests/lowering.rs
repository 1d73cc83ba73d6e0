//! The lowered functions against serial loops, on the machine of a CPU thread and on the warp emulator.

mod lowering {
    pub mod arrays;
    pub mod everything;
    pub mod label_propagation;
    pub mod language;
    pub mod names;
    pub mod pagerank;
}
