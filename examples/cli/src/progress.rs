//! Progress bars on a terminal, nothing elsewhere.

use std::io::{IsTerminal, stderr};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use onyx_runtime::Iteration;
use onyx_runtime::progress::Phase;

use super::options::ReportOptions;

const ITERATIONS: &str = "iteration {pos} of at most {len} {wide_bar} {msg}";
const WAITING: &str = "{msg} {spinner} {elapsed}";
/// How often a bar moves that nobody moves.
const TICK: Duration = Duration::from_millis(200);

/// Whether progress is shown.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    is_shown: bool,
}

/// A bar that disappears at its end.
#[derive(Debug)]
pub struct Bar(ProgressBar);

/// A bar that goes from one phase of loading to the next.
#[derive(Debug)]
pub struct Loading {
    bar: Bar,
    phase: Mutex<Option<Phase>>,
}

/// A bar that shows that something is still going on.
#[derive(Debug)]
pub struct Waiting {
    bar: Bar,
    /// Until this is dropped the bar moves.
    end: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Progress is for a person who looks on.
    pub fn new(options: &ReportOptions) -> Self {
        Self { is_shown: !options.json && stderr().is_terminal() }
    }

    /// A bar of what it takes to get a graph or a table.
    pub fn loading(self) -> Loading {
        Loading { bar: self.bar(0, WAITING), phase: Mutex::new(None) }
    }

    /// A bar of iterations, `limit` at most.
    pub fn iterations(self, limit: usize) -> Bar {
        self.bar(limit as u64, ITERATIONS)
    }

    /// A bar for what takes nobody knows how long: it moves until it is dropped.
    pub fn waiting(self, what: &'static str) -> Waiting {
        let bar = self.bar(0, WAITING);
        bar.0.set_message(what);
        bar.0.force_draw();
        let end = self.is_shown.then(|| ticking(bar.0.clone())).flatten();
        Waiting { bar, end }
    }

    fn bar(self, length: u64, template: &str) -> Bar {
        let bar = if self.is_shown { ProgressBar::new(length) } else { ProgressBar::hidden() };
        Bar(bar.with_style(style(template)))
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Has a thread of its own move the bar, if there can be one.
fn ticking(bar: ProgressBar) -> Option<(Sender<()>, JoinHandle<()>)> {
    let (end, ended) = mpsc::channel();
    let tick = move || {
        while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            bar.tick();
        }
    };
    let thread = thread::Builder::new().name("progress".to_owned()).spawn(tick).ok()?;
    Some((end, thread))
}

/// What the bar of a phase looks like.
fn template(phase: Phase) -> &'static str {
    match phase {
        Phase::Read => "reading {wide_bar} {bytes} of {total_bytes}",
        Phase::Parse => "parsing {wide_bar} {bytes} of {total_bytes}",
        Phase::Draw => "drawing edges {wide_bar} {human_pos} of {human_len}",
        Phase::Build => "sorting edges {wide_bar} {percent}%",
        _ => "loading {wide_bar} {percent}%",
    }
}

impl Loading {
    /// Shows how much of a phase is done.
    pub fn show(&self, phase: Phase, done: u64, total: u64) {
        if self.bar.0.is_hidden() {
            return;
        }
        let mut current = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = current.replace(phase) != Some(phase);
        if is_new {
            self.bar.0.set_style(style(template(phase)));
        }
        self.bar.0.set_length(total);
        self.bar.0.set_position(done);
        if is_new {
            self.bar.0.force_draw();
        }
    }
}

impl Bar {
    /// Shows an iteration as it ends.
    pub fn show_iteration(&self, iteration: &Iteration) {
        self.0.set_position(iteration.number as u64);
        self.0.set_message(format!("{} active", iteration.active));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((end, thread)) = self.end.take() {
            drop(end);
            // A bar whose thread has failed is no failure of the program.
            let _ = thread.join();
        }
        self.bar.0.finish_and_clear();
    }
}
