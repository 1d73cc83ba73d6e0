//! Panics of user functions: a run ends with an error that says which function it was, and where.
//!
//! What a panic says is known to the panic hook alone. While a thread runs user functions, the hook keeps that in place of writing it, and the
//! function's name is noted on the way out (see [`onyx_device::running`]).

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::{Mutex, Once, PoisonError};
use std::{env, thread};

use onyx_device::running;

use crate::error::RunError;

thread_local! {
    /// Whether user functions run on this thread.
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
    /// What the last panic on this thread said.
    static HEARD: RefCell<Option<Heard>> = const { RefCell::new(None) };
}

/// What a panic has said, and the file, line and column of it.
#[derive(Clone, Debug)]
struct Heard {
    message: String,
    place: String,
}

impl Heard {
    fn of(panic: &PanicHookInfo<'_>) -> Self {
        let place = panic.location().map(ToString::to_string);
        Self { message: message(panic.payload()), place: place.unwrap_or_else(unknown) }
    }

    /// What the panic itself says, where another hook has taken the place of this one.
    fn of_payload(payload: &(dyn Any + Send)) -> Self {
        Self { message: message(payload), place: unknown() }
    }
}

fn message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
}

fn unknown() -> String {
    "an unknown place".to_owned()
}

/// Hears the panics of one step of a run, on whatever thread they are.
#[derive(Default)]
pub(crate) struct Watch {
    /// The first panic, as far as it was heard, and the function that it came out of.
    first: Mutex<Option<(Option<Heard>, Option<&'static str>)>>,
}

impl Watch {
    /// Runs a step of the fold, on all threads that it likes.
    ///
    /// A panic that does not come out of a user function goes on as it was.
    pub(crate) fn run<T>(&self, fold: &'static str, step: impl FnOnce() -> T) -> Result<T, RunError> {
        listen();
        let payload = match panic::catch_unwind(AssertUnwindSafe(step)) {
            Ok(result) => return Ok(result),
            Err(payload) => payload,
        };
        let (heard, function) = self.first.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
        if let Some(function) = function {
            let Heard { message, place } = heard.unwrap_or_else(|| Heard::of_payload(&*payload));
            return Err(RunError::Panic { fold, function, message, place });
        }
        if let Some(Heard { message, place }) = heard {
            eprintln!("a thread panicked at {place}:\n{message}");
        }
        panic::resume_unwind(payload)
    }

    /// Hears this thread as long as the result lives.
    pub(crate) fn here(&self) -> Here<'_> {
        Here { watch: self, before: IS_WATCHED.replace(true) }
    }

    fn note(&self) {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert((HEARD.take(), running::take()));
    }
}

/// A thread that runs user functions.
pub(crate) struct Here<'a> {
    watch: &'a Watch,
    before: bool,
}

impl Drop for Here<'_> {
    fn drop(&mut self) {
        IS_WATCHED.set(self.before);
        if thread::panicking() {
            self.watch.note();
        }
    }
}

/// Puts a hook before the one that is there, once. With `RUST_BACKTRACE` that one is asked as well.
fn listen() {
    static ONCE: Once = Once::new();
    if thread::panicking() {
        return;
    }
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            let is_watched = IS_WATCHED.get();
            if is_watched {
                HEARD.set(Some(Heard::of(panic)));
                // What another panic has left, which nobody asked for.
                running::take();
            }
            if !is_watched || env::var_os("RUST_BACKTRACE").is_some_and(|value| value != "0") {
                before(panic);
            }
        }));
    });
}
