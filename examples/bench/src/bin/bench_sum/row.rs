//! The rows that are printed: those of `examples/bench/comparison.py`.

use std::fmt::Display;
use std::time::Duration;

use onyx_runtime::Backend;
use onyx_runtime::graph::Graph;

use crate::kind::Kind;

/// How far a total may be off, as a part of the sizes of what was added: sums of 100,000 edges are rounded to `f32` in different orders.
const TOLERANCE: f64 = 1e-5;

/// What a side took, and how far its totals are off.
pub struct Outcome {
    pub time: Duration,
    pub difference: f64,
    /// Where it ran; of a peer that failed, why.
    pub device: String,
}

impl Outcome {
    /// A time that was computed of one whose result was right.
    pub fn of(time: Duration) -> Self {
        Self { time, difference: 0.0, device: String::new() }
    }

    /// A peer that did not run.
    pub fn failed(why: &dyn Display) -> Self {
        Self { time: Duration::ZERO, difference: f64::NAN, device: why.to_string().replace([',', '\n'], " ") }
    }

    /// Whether the totals are those that were expected.
    pub fn is_right(&self) -> bool {
        self.difference <= TOLERANCE
    }
}

/// What the rows of one graph and feature count have in common.
pub struct Row<'a> {
    pub graph: &'a str,
    pub of: &'a Graph,
    pub features: usize,
    pub machine: &'a str,
    pub backend: Backend,
}

impl Row<'_> {
    /// Prints the names of the columns.
    pub fn head() {
        println!(
            "algorithm,graph,vertices,edges,features,iterations,machine,backend,ours_seconds,peer,peer_seconds,ratio,difference"
        );
    }

    /// Prints a row. A peer whose product is wrong has no time.
    pub fn write(&self, kind: Kind, ours: &Outcome, peer: &str, theirs: &Outcome) {
        let (vertices, edges) = (self.of.vertex_count(), self.of.edge_count());
        let Self { graph, features, backend, .. } = self;
        let machine = self.machine.replace(',', "");
        let seconds = ours.time.as_secs_f64();
        print!("{kind},{graph},{vertices},{edges},{features},1,{machine},{backend},{seconds:.6e},{peer},");
        if theirs.is_right() {
            let peer = theirs.time.as_secs_f64();
            println!("{peer:.6e},{:.3},{:.2e}", peer / seconds, theirs.difference.max(ours.difference));
        } else if theirs.device.is_empty() {
            println!(",,WRONG: differs by {:.2e}", theirs.difference);
        } else {
            println!(",,{}", theirs.device);
        }
    }
}
