//! Progress bars on a terminal, nothing elsewhere.

use std::io::{IsTerminal, stderr};

use indicatif::{ProgressBar, ProgressStyle};
use onyx_runtime::Iteration;

use super::options::ReportOptions;

const BYTES: &str = "reading {wide_bar} {bytes} of {total_bytes}";
const ITERATIONS: &str = "iteration {pos} of at most {len} {wide_bar} {msg}";

/// Whether progress is shown.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    is_shown: bool,
}

/// A bar that disappears at its end.
#[derive(Debug)]
pub struct Bar(ProgressBar);

impl Progress {
    /// Progress is for a person who looks on.
    pub fn new(options: &ReportOptions) -> Self {
        Self { is_shown: !options.json && stderr().is_terminal() }
    }

    /// A bar of bytes read.
    pub fn bytes(self) -> Bar {
        self.bar(0, BYTES)
    }

    /// A bar of iterations, `limit` at most.
    pub fn iterations(self, limit: usize) -> Bar {
        self.bar(limit as u64, ITERATIONS)
    }

    fn bar(self, length: u64, template: &str) -> Bar {
        let bar = if self.is_shown { ProgressBar::new(length) } else { ProgressBar::hidden() };
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        Bar(bar.with_style(style))
    }
}

impl Bar {
    /// Shows that `done` of `total` bytes are read.
    pub fn show(&self, done: u64, total: u64) {
        self.0.set_length(total);
        self.0.set_position(done);
    }

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
