//! Developer commands of Onyx.
fn main() {}
