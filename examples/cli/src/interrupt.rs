//! The signals that end a program: the first Ctrl-C ends a run after the iteration under way; all others, and a Ctrl-C at any other time,
//! end the program at once. Either way no temporary file is left.

use std::cell::Cell;
use std::process;
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};

use onyx_runtime::file::remove_unfinished;

/// What a shell adds to the number of the signal that has ended a program.
const BASE: i32 = 128;
/// The exit status of a program that Ctrl-C has ended.
pub const EXIT_CODE: u8 = 130;

/// The number of SIGINT.
const INTERRUPT: i32 = EXIT_CODE as i32 - BASE;

const ELSEWHERE: u8 = 0;
const RUNNING: u8 = 1;
const STOPPING: u8 = 2;

static STATE: AtomicU8 = AtomicU8::new(ELSEWHERE);

/// Listens for Ctrl-C, SIGTERM and SIGHUP from now on. Signals that the program was started to ignore, as `nohup` does, it ignores; where
/// it cannot listen, they end it as ever.
#[cfg(unix)]
pub fn listen() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let heeded = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|&signal| !is_ignored(signal));
    if let Ok(mut signals) = Signals::new(heeded) {
        std::thread::spawn(move || signals.forever().for_each(heed));
    }
}

/// Listens for Ctrl-C from now on. Where that is not possible, it ends the program as ever.
#[cfg(not(unix))]
pub fn listen() {
    let _ = ctrlc::set_handler(|| heed(INTERRUPT));
}

/// Whether the program was started to ignore the signal.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action, the present one is written to `action` and nothing else happens; it is read only after that.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

fn heed(signal: i32) {
    if signal != INTERRUPT || STATE.compare_exchange(RUNNING, STOPPING, SeqCst, SeqCst).is_err() {
        end(signal);
    }
}

fn end(signal: i32) -> ! {
    remove_unfinished();
    process::exit(BASE + signal)
}

/// A run that Ctrl-C may cancel, until this is dropped. Outside of one, Ctrl-C ends the program at once.
#[derive(Debug)]
pub struct Interruptible {
    /// Whether the run knows that it was cancelled.
    is_known: Cell<bool>,
}

impl Interruptible {
    /// Begins a run.
    pub fn begin() -> Self {
        STATE.store(RUNNING, SeqCst);
        Self { is_known: Cell::new(false) }
    }

    /// Whether Ctrl-C was pressed.
    pub fn is_interrupted(&self) -> bool {
        let is_interrupted = STATE.load(SeqCst) == STOPPING;
        self.is_known.set(is_interrupted);
        is_interrupted
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        if STATE.swap(ELSEWHERE, SeqCst) == STOPPING && !self.is_known.get() {
            // It came after the last iteration, and would be lost.
            end(INTERRUPT);
        }
    }
}
