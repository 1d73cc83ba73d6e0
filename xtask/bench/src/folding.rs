//! The lines that `bench_fold` writes, for figure 7.4.

use serde::Deserialize;

/// One way to compile a program. Times are in milliseconds.
#[derive(Clone, Debug, Deserialize)]
pub struct Line {
    pub backend: String,
    pub features: u32,
    pub program: String,
    pub variant: String,
    pub median_ms: f64,
}

/// The three ways of one program.
#[derive(Clone, Debug)]
pub struct Program {
    pub name: String,
    pub backend: String,
    pub features: u32,
    pub unfolded: f64,
    pub folded: f64,
    pub by_hand: f64,
}

/// The programs of which all three ways were measured.
pub fn programs(lines: &[Line]) -> Vec<Program> {
    let folded = lines.iter().filter(|line| line.variant == "folded");
    folded.filter_map(|folded| program(lines, folded)).collect()
}

fn program(lines: &[Line], folded: &Line) -> Option<Program> {
    let time = |variant: &str| {
        let is_other = |line: &&Line| {
            (&line.program, line.features, &line.backend) == (&folded.program, folded.features, &folded.backend)
                && line.variant == variant
        };
        lines.iter().find(is_other).map(|line| line.median_ms)
    };
    Some(Program {
        name: folded.program.clone(),
        backend: folded.backend.clone(),
        features: folded.features,
        unfolded: time("unfolded")?,
        folded: folded.median_ms,
        by_hand: time("by hand")?,
    })
}
