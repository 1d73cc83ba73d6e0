use onyx_device::prelude::*;

fn helper(x: f32) -> f32 {
    sum(x) + 1.0
}

fn main() {
    helper(1.0);
}
