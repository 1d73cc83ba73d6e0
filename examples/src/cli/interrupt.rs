//! Ctrl-C: the first one ends the run behind the iteration under way, the second one the program.

use std::process;
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};

/// The exit code of a program that Ctrl-C has ended: 128 and the number of SIGINT.
pub const EXIT_CODE: u8 = 130;

const ELSEWHERE: u8 = 0;
const RUNNING: u8 = 1;
const STOPPING: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(ELSEWHERE);

/// Listens for Ctrl-C from now on. Where that is not possible, Ctrl-C ends the program as ever.
pub fn listen() {
    let _ = ctrlc::set_handler(|| {
        if STATE.compare_exchange(RUNNING, STOPPING, SeqCst, SeqCst).is_err() {
            process::exit(EXIT_CODE.into());
        }
    });
}

/// A run that Ctrl-C may cancel, until this is dropped. Outside of one, Ctrl-C ends the program at once.
#[derive(Debug)]
pub struct Interruptible(());

impl Interruptible {
    /// Begins a run.
    pub fn begin() -> Self {
        STATE.store(RUNNING, SeqCst);
        Self(())
    }

    /// Whether Ctrl-C was pressed.
    pub fn is_interrupted(&self) -> bool {
        STATE.load(SeqCst) == STOPPING
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        STATE.store(ELSEWHERE, SeqCst);
    }
}
