//! Signals to a program that runs.
#![cfg(unix)]
#![allow(dead_code, reason = "each test program uses a part")]

use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// Starts a program that heeds its signals, also where the tests were started to ignore some.
pub fn start(command: &mut Command) -> Child {
    let heed = || {
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            // SAFETY: `signal` may be called between fork and exec.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // SAFETY: `heed` allocates nothing and takes no lock.
    unsafe { command.pre_exec(heed) }.spawn().unwrap()
}

/// Sends a signal to a program that was not waited for yet.
pub fn send(child: &Child, signal: i32) {
    // SAFETY: the process is the caller's child, and its number is not given to another before it was waited for.
    assert_eq!(unsafe { libc::kill(child.id() as i32, signal) }, 0);
}
