//! Where tests run; on a GPU, too, where `cargo xtask test --gpu` asks for that.

use std::env;

use onyx_runtime::Session;

pub fn sessions() -> Vec<Session> {
    let gpu = env::var_os("ONYX_TEST_GPU").map(|_| Session::cuda(0).expect("a GPU"));
    [Session::cpu(), Session::emulator()].into_iter().chain(gpu).collect()
}
